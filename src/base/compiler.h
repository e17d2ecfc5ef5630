/*
 * What the compilers offer beyond C17, in one place.
 */
#ifndef ICE_BASE_COMPILER_H
#define ICE_BASE_COMPILER_H

#define ICE_PRINTF(format_at, first_at)                                                  \
    __attribute__((format(printf, format_at, first_at)))
#define ICE_MUST_USE __attribute__((warn_unused_result))
/* The memory there is written soon; it may be any address. */
#define ICE_PREFETCH(address) __builtin_prefetch((address), 1)
#define ICE_LIKELY(x) __builtin_expect(!!(x), 1)
#define ICE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ICE_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
