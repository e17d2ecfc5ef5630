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
/* The same with any separator of at most 3 bytes, into out; ended by NUL. */
enum { ICE_GROUPED_SIZE = 40 };
const char *ice_grouped_text(uint64_t value, const char *separator,
                             char out[ICE_GROUPED_SIZE]);
/* "37.1 MB" with any separator of at most 3 bytes, into out; ended by NUL. */
const char *ice_bytes_text(uint64_t bytes, const char *separator,
                           char out[ICE_GROUPED_SIZE]);
/* Between, the number in groups of three, and the word that goes with it. */
void ice_text_count(struct ice_text *text, const char *between, uint64_t n,
                    const char *one, const char *many);
/* "1 error, 2 warnings", or "no findings". */
void ice_text_counts(struct ice_text *text, const uint64_t counts[4]);
/* The counts of a table: "no new findings" where a baseline hides some. */
void ice_text_verdict(struct ice_text *text, const struct ice_summary *summary);
/* "12 in baseline, 2 fixed: remove them"; nothing where it has nothing of the table. */
void ice_text_baseline(struct ice_text *text, const char *between,
                       const struct ice_summary *summary);
/* " (+3 more)", or nothing for 0. */
void ice_text_more(struct ice_text *text, uint64_t more);
void ice_text_spaces(struct ice_text *text, size_t n);
/* Flush; returns the sticky status. */
enum ice_status ice_text_finish(struct ice_text *text);

/* What was not checked (a rule glob) in the words of a user: "data files". */
struct ice_str ice_plain_words(struct ice_str what);

/* Characters of the escaped form. */
size_t ice_text_width(struct ice_str untrusted);

#endif
