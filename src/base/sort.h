/*
 * Sorting in place. qsort of the C library may take as much memory again, which nobody
 * counts.
 */
#ifndef ICE_BASE_SORT_H
#define ICE_BASE_SORT_H

#include <stddef.h>

/*
 * n records of size bytes (a multiple of 8, at most 256; aligned), by compare: below 0,
 * 0, above 0. No memory but the stack; n log n steps whatever the order was. Equal
 * records come in any order.
 */
void ice_sort(void *records, size_t n, size_t size,
              int (*compare)(const void *, const void *));

#endif
