/*
 * Quicksort by the median of three, insertion for short pieces, and a heap where the
 * pieces stay long.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHORT = 16, MOST_BYTES = 256 };

struct sorting {
    char *base;
    size_t size;
    int (*compare)(const void *, const void *);
};

static char *at(const struct sorting *s, size_t index) {
    return s->base + index * s->size;
}

static int order(const struct sorting *s, size_t a, size_t b) {
    return s->compare(at(s, a), at(s, b));
}

static void swap(const struct sorting *s, size_t a, size_t b) {
    char *x = at(s, a), *y = at(s, b);
    for (size_t i = 0; i < s->size; i += sizeof(uint64_t)) {
        uint64_t p, q;
        memcpy(&p, x + i, sizeof(p));
        memcpy(&q, y + i, sizeof(q));
        memcpy(x + i, &q, sizeof(q));
        memcpy(y + i, &p, sizeof(p));
    }
}

static void insertion_sort(const struct sorting *s, size_t from, size_t to) {
    _Alignas(max_align_t) char moved[MOST_BYTES];
    for (size_t i = from + 1; i < to; i++) {
        size_t place = i;
        if (order(s, i - 1, i) <= 0)
            continue;
        memcpy(moved, at(s, i), s->size);
        for (; place > from && s->compare(at(s, place - 1), moved) > 0; place--)
            memcpy(at(s, place), at(s, place - 1), s->size);
        memcpy(at(s, place), moved, s->size);
    }
}

static void sift_down(const struct sorting *s, size_t from, size_t top, size_t n) {
    for (size_t child; (child = 2 * top + 1) < n; top = child) {
        if (child + 1 < n && order(s, from + child, from + child + 1) < 0)
            child++;
        if (order(s, from + top, from + child) >= 0)
            return;
        swap(s, from + top, from + child);
    }
}

static void heap_sort(const struct sorting *s, size_t from, size_t to) {
    size_t n = to - from;
    for (size_t i = n / 2; i > 0; i--)
        sift_down(s, from, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        swap(s, from, from + end - 1);
        sift_down(s, from, 0, end - 1);
    }
}

/* The median of first, middle and last goes first. */
static void choose_pivot(const struct sorting *s, size_t from, size_t to) {
    size_t a = from, b = from + (to - from) / 2, c = to - 1;
    if (order(s, a, b) > 0)
        swap(s, a, b);
    if (order(s, b, c) > 0)
        swap(s, b, c);
    if (order(s, a, b) < 0)
        swap(s, a, b);
}

/* [from, result) is not above the pivot, which is at result; what follows is not below.
 */
static size_t split(const struct sorting *s, size_t from, size_t to) {
    size_t low = from, high = to;
    choose_pivot(s, from, to);
    for (;;) {
        do
            low++;
        while (low < to && order(s, low, from) < 0);
        do
            high--;
        while (order(s, high, from) > 0);
        if (low >= high)
            break;
        swap(s, low, high);
    }
    swap(s, from, high);
    return high;
}

void ice_sort(void *records, size_t n, size_t size,
              int (*compare)(const void *, const void *)) {
    struct sorting s = {records, size, compare};
    struct piece {
        size_t from, to;
        unsigned depth;
    } stack[64] = {{0, n, 0}}; /* each holds the longer half: 64 levels are enough */
    size_t n_stack = 1;
    unsigned most = 0;
    for (size_t i = n; i > 0; i /= 2)
        most += 2;
    while (n_stack > 0) {
        struct piece piece = stack[--n_stack];
        while (piece.to - piece.from > SHORT && piece.depth < most) {
            size_t middle = split(&s, piece.from, piece.to);
            piece.depth++;
            struct piece left = {piece.from, middle, piece.depth};
            struct piece right = {middle + 1, piece.to, piece.depth};
            bool left_is_longer = left.to - left.from > right.to - right.from;
            stack[n_stack++] = left_is_longer ? left : right;
            piece = left_is_longer ? right : left;
        }
        if (piece.to - piece.from > SHORT)
            heap_sort(&s, piece.from, piece.to);
        else if (piece.to > piece.from)
            insertion_sort(&s, piece.from, piece.to);
    }
}
