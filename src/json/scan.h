/*
 * The two loops that touch every byte of a JSON text, sixteen bytes at a time where the
 * machine can (SSE2), with portable twins that must agree with them.
 */
#ifndef ICE_JSON_SCAN_H
#define ICE_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Index of the first byte from `at` on that is '"', '\\' or below 0x20; size if there is
 * none. *high becomes non-zero if a byte in front of it is 0x80 or more; else it stays.
 */
size_t ice_scan_string(const unsigned char *data, size_t at, size_t size, unsigned *high);
size_t ice_scan_string_portable(const unsigned char *data, size_t at, size_t size,
                                unsigned *high);

/* Number of '\n' in data[0 .. size). */
size_t ice_scan_newlines(const unsigned char *data, size_t size);
size_t ice_scan_newlines_portable(const unsigned char *data, size_t size);

#endif
