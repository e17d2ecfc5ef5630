/*
 * Tokens of the reader: strings, numbers, words. Private to json/.
 */
#ifndef ICE_JSON_TOKEN_H
#define ICE_JSON_TOKEN_H

#include "json/reader.h"
#include "json/unescape.h"

#include "base/error.h"

/*
 * Show more input: bytes from data[keep] on stay, and move to data[0], which moves at,
 * last and every index by keep. Afterwards there is at least one more byte, or at_end is
 * set.
 */
enum ice_status ice_json_refill(struct ice_json *json, size_t keep,
                                struct ice_error *err);

/* End the reading at data[index]: fills err with offset, line, column and pointer. */
enum ice_status ice_json_fail(struct ice_json *json, struct ice_error *err,
                              enum ice_status status, const char *rule, size_t index,
                              const char *format, ...) ICE_PRINTF(6, 7);

/* Count lines up to the last event now, so that positions from there on are cheap. */
void ice_json_mark(struct ice_json *json);

/* Something else than `expected` stands at data[index], or the input ends there. */
enum ice_status ice_json_unexpected(struct ice_json *json, size_t index,
                                    const char *expected, struct ice_error *err);

/* The next key of the shape stands at data[at]: step over it and its colon. */
bool ice_json_next_of_shape(struct ice_json *json, struct ice_json_frame *frame,
                            struct ice_str *out);
/* Note a key that was read: was it there before? Without a listener for notices: no. */
enum ice_status ice_json_add_key(struct ice_json *json, struct ice_json_frame *frame,
                                 struct ice_str key, bool has_escapes,
                                 bool *out_was_there, struct ice_error *err);

/* Each reads the token that begins at data[at], leaves its start in last, and steps over
 * it. */
enum ice_status ice_json_string(struct ice_json *json, uint64_t limit,
                                struct ice_str *out, struct ice_json_odd *odd,
                                struct ice_error *err);
enum ice_status ice_json_number(struct ice_json *json, struct ice_str *out,
                                struct ice_error *err);
enum ice_status ice_json_word(struct ice_json *json, const char *word,
                              struct ice_error *err);

#endif
