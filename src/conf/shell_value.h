/*
 * Text out of the words of a shell, with a place for every byte of it, and of each
 * whether it is known.
 */
#ifndef ICE_CONF_SHELL_VALUE_H
#define ICE_CONF_SHELL_VALUE_H

#include "base/buf.h"

/* Marks of a byte beside its offset in the file, which has less than 2^30 bytes. */
#define ICE_SHELL_UNKNOWN (1U << 31) /* it is of a reference, as it is written ... */
#define ICE_SHELL_MANY (1U << 30)    /* ... that stands for any number of words */
#define ICE_SHELL_OFFSET (ICE_SHELL_MANY - 1)

/* Words, each with a NUL behind it; in a file a NUL is a blank. */
struct ice_shell_value {
    struct ice_buf text;
    struct ice_buf marks; /* uint32_t, of each byte of text */
    bool is_open;         /* a word was begun, which may be empty */
};

void ice_shell_value_init(struct ice_shell_value *value, struct ice_alloc *alloc);
void ice_shell_value_release(struct ice_shell_value *value);
void ice_shell_value_clear(struct ice_shell_value *value);
/* All of from behind it. false: out of memory, as below. */
bool ice_shell_value_append(struct ice_shell_value *value,
                            const struct ice_shell_value *from);
bool ice_shell_value_put(struct ice_shell_value *value, char c, uint32_t mark);
bool ice_shell_value_end_word(struct ice_shell_value *value);
static inline uint32_t ice_shell_value_mark(const struct ice_shell_value *value,
                                            size_t index) {
    uint32_t mark;
    memcpy(&mark, value->marks.data + index * sizeof(mark), sizeof(mark));
    return mark;
}

#endif
