/*
 * Values of options.
 */
#include "cli/cli.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Decimal digits at *text; steps over them. */
static bool digits(const char **text, uint64_t *out) {
    uint64_t value = 0;
    if (!is_digit(**text))
        return false;
    for (; is_digit(**text); (*text)++) {
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

bool cli_number(const char *text, uint64_t most, uint64_t *out) {
    return digits(&text, out) && *text == '\0' && *out <= most;
}

bool cli_size(const char *text, uint64_t *out) {
    static const char units[] = "KMGT";
    if (!digits(&text, out))
        return false;
    const int letter = *text & ~0x20; /* 0 of a blank, too */
    const char *unit = letter != 0 ? strchr(units, letter) : NULL;
    if (unit != NULL) {
        for (const char *u = units; u <= unit; u++) {
            if (__builtin_mul_overflow(*out, (uint64_t)1024, out))
                return false;
        }
        text++;
        if (*text == 'i')
            text++;
    }
    if (*text == 'B')
        text++;
    return *text == '\0' && *out > 0;
}

bool cli_duration(const char *text, int64_t *out_ms) {
    static const struct {
        char letter;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    uint64_t value;
    if (!digits(&text, &value) || value > 1000000000)
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (*text != units[i].letter || text[1] != '\0')
            continue;
        *out_ms = (int64_t)(value * units[i].seconds * 1000);
        return true;
    }
    return false;
}

/* Exactly n digits. */
static bool fixed(const char **text, int n, int *out) {
    *out = 0;
    for (int i = 0; i < n; i++, (*text)++) {
        if (!is_digit(**text))
            return false;
        *out = *out * 10 + (**text - '0');
    }
    return true;
}

static bool skip(const char **text, char c) {
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

/* "Z", "+02:00", "-0730", or nothing; minutes east of UTC. */
static bool zone(const char **text, int *out_minutes) {
    *out_minutes = 0;
    if (**text == '\0' || skip(text, 'Z'))
        return true;
    int sign = **text == '-' ? -1 : 1, hours, minutes;
    if (!skip(text, '+') && !skip(text, '-'))
        return false;
    if (!fixed(text, 2, &hours))
        return false;
    (void)skip(text, ':');
    if (!fixed(text, 2, &minutes) || hours > 18 || minutes > 59)
        return false;
    *out_minutes = sign * (hours * 60 + minutes);
    return true;
}

bool cli_zone(const char *text, int *out_minutes) {
    if (strcmp(text, "UTC") == 0)
        text = "Z";
    return *text != '\0' && zone(&text, out_minutes) && *text == '\0';
}

/* "09:00", "09:00:30", "09:00:30.250"; ms of the day. */
static bool clock_time(const char **text, int64_t *out_ms) {
    int hour, minute, second = 0, ms = 0;
    if (!fixed(text, 2, &hour) || !skip(text, ':') || !fixed(text, 2, &minute) ||
        hour > 23 || minute > 59)
        return false;
    if (skip(text, ':')) {
        if (!fixed(text, 2, &second) || second > 60)
            return false;
        if (skip(text, '.')) {
            int weight = 100;
            if (!is_digit(**text))
                return false;
            for (; is_digit(**text); (*text)++, weight /= 10)
                ms += (**text - '0') * weight;
        }
    }
    *out_ms = ((int64_t)hour * 60 + minute) * 60000 + (int64_t)second * 1000 + ms;
    return true;
}

static int64_t days_from_civil(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool cli_time(const char *text, int64_t *out_ms) {
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, minutes = 0;
    int64_t of_day = 0;
    if (!fixed(&text, 4, &year) || !skip(&text, '-') || !fixed(&text, 2, &month) ||
        !skip(&text, '-') || !fixed(&text, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > lengths[month - 1])
        return false;
    if ((skip(&text, 'T') || skip(&text, ' ')) &&
        !(clock_time(&text, &of_day) && zone(&text, &minutes)))
        return false;
    *out_ms =
        days_from_civil(year, month, day) * 86400000 + of_day - (int64_t)minutes * 60000;
    return *text == '\0';
}

bool cli_severity(const char *text, enum ice_severity *out) {
    for (int level = ICE_OFF; level <= ICE_ERROR; level++) {
        if (strcmp(text, ice_severity_name((enum ice_severity)level)) == 0) {
            *out = (enum ice_severity)level;
            return true;
        }
    }
    return false;
}

static const char *const format_names[] = {
    [CLI_FORMAT_UNSET] = "",
    [CLI_FORMAT_HUMAN] = "human",
    [CLI_FORMAT_SHORT] = "short",
    [CLI_FORMAT_JSON] = "json",
    [CLI_FORMAT_NDJSON] = "ndjson",
    [CLI_FORMAT_SARIF] = "sarif",
    [CLI_FORMAT_JUNIT] = "junit",
    [CLI_FORMAT_GITHUB] = "github",
    [CLI_FORMAT_MARKDOWN] = "markdown",
    [CLI_FORMAT_HTML] = "html",
    [CLI_FORMAT_TABLE] = "table",
    [CLI_FORMAT_TSV] = "tsv",
    [CLI_FORMAT_ARROW] = "arrow",
    [CLI_FORMAT_ORACLE] = "oracle",
    [CLI_FORMAT_GRAPH] = "graph",
};

const char *cli_format_name(enum cli_format format) {
    return format_names[format];
}

static bool is_word(const char *text, size_t size, const char *word) {
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

bool cli_format_of(const char *text, size_t size, enum cli_format *out) {
    for (int i = CLI_FORMAT_HUMAN; i <= CLI_FORMAT_ORACLE; i++) {
        if (is_word(text, size, format_names[i])) {
            *out = (enum cli_format)i;
            return true;
        }
    }
    return false;
}
