/*
 * Values of number tokens. Integers keep their 64 bits; doubles are rounded to nearest
 * whatever the locale of the process is.
 */
#include "json/reader.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* No double needs more decimal digits to be rounded; beyond them one digit says "and
 * more". */
enum { DIGITS = 800, EXPONENT_MAX = 100000 };

enum ice_number ice_number_i64(struct ice_str token, int64_t *out) {
    for (size_t i = 0; i < token.size; i++) {
        char c = token.data[i];
        if (c == '.' || c == 'e' || c == 'E')
            return ICE_NUMBER_NOT_INTEGER;
    }
    return ice_str_to_i64(token, out) ? ICE_NUMBER_OK : ICE_NUMBER_RANGE;
}

/* The token as digits and a decimal exponent: value = 0.d1 d2 d3 ... * 10^exponent. */
struct decimal {
    bool negative;
    char digits[DIGITS + 1];
    size_t n;
    int64_t exponent;
};

static void add_digit(struct decimal *decimal, char digit) {
    if (decimal->n < DIGITS)
        decimal->digits[decimal->n++] = digit;
    else if (digit != '0' && decimal->digits[DIGITS - 1] == '0')
        decimal->digits[DIGITS - 1] = '1';
}

static int64_t read_exponent(struct ice_str text) {
    bool negative = text.size > 0 && text.data[0] == '-';
    int64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] >= '0' && text.data[i] <= '9' && value < EXPONENT_MAX)
            value = value * 10 + (text.data[i] - '0');
    }
    return negative ? -value : value;
}

static void read_decimal(struct ice_str token, struct decimal *out) {
    bool behind_point = false;
    for (size_t i = 0; i < token.size; i++) {
        char c = token.data[i];
        if (c == '-') {
            out->negative = true;
        } else if (c == '.') {
            behind_point = true;
        } else if (c == 'e' || c == 'E') {
            out->exponent += read_exponent(ice_str_from_index(token, i + 1));
            break;
        } else if (c == '0' && out->n == 0) {
            out->exponent -= behind_point;
        } else {
            add_digit(out, c);
            out->exponent += !behind_point;
        }
    }
}

bool ice_number_f64(struct ice_str token, double *out) {
    struct decimal decimal = {0};
    read_decimal(token, &decimal);
    if (decimal.n == 0) {
        *out = decimal.negative ? -0.0 : 0.0;
        return true;
    }
    int64_t exponent = decimal.exponent - (int64_t)decimal.n;
    char text[DIGITS + 32];
    (void)snprintf(text, sizeof(text), "%s%.*se%lld", decimal.negative ? "-" : "",
                   (int)decimal.n, decimal.digits, (long long)exponent);
    double value = HUGE_VAL;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain != (locale_t)0) {
        value = strtod_l(text, NULL, plain);
        freelocale(plain);
    }
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}
