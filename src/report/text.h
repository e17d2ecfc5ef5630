/*
 * Buffered text output: our own words as they are, untrusted text escaped.
 */
#ifndef ICE_REPORT_TEXT_H
#define ICE_REPORT_TEXT_H

#include "base/time_text.h"

/* Errors stick: after the first failing write nothing more is written, status says why.
 */
struct ice_text {
    ice_write_fn write;
    void *user;
    enum ice_status status;
    size_t used;
    char buffer[8192];
};

void ice_text_init(struct ice_text *text, ice_write_fn write, void *user);
/* As they are: our own words, or bytes that were escaped. */
void ice_text_raw(struct ice_text *text, struct ice_str bytes);
void ice_text_put(struct ice_text *text, const char *words);
/* Untrusted text: hazards as \xNN or \u{NNNN}. */
void ice_text_escaped(struct ice_text *text, struct ice_str untrusted);
void ice_text_u64(struct ice_text *text, uint64_t value);
void ice_text_i64(struct ice_text *text, int64_t value);
/* In groups of three: "98 113". */
void ice_text_grouped(struct ice_text *text, uint64_t value);
void ice_text_spaces(struct ice_text *text, size_t n);
/* Flush; returns the sticky status. */
enum ice_status ice_text_finish(struct ice_text *text);

/* Characters of the escaped form. */
size_t ice_text_width(struct ice_str untrusted);

#endif
