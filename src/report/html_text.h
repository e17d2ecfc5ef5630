/*
 * Markup into a buffer: our own as it is, everything else escaped.
 */
#ifndef ICE_REPORT_HTML_TEXT_H
#define ICE_REPORT_HTML_TEXT_H

#include "base/buf.h"

/* Errors stick: after the first that fails nothing more is added, status says why. */
struct ice_html_text {
    struct ice_buf *buf;
    enum ice_status status;
};

enum { ICE_HTML_TEXT_BYTES = 4096 }; /* shown of one untrusted text */

void ice_html_put(struct ice_html_text *out, const char *markup);
/* Our own markup and numbers; no untrusted text, and no text that may hold & or <. */
void ice_html_printf(struct ice_html_text *out, const char *format, ...) ICE_PRINTF(2, 3);
/*
 * Untrusted text, fit for the content of an element and for a quoted attribute: hazards
 * as \xNN or \u{NNNN}, characters of markup as references. A long one is cut, and it
 * says so.
 */
void ice_html_escaped(struct ice_html_text *out, struct ice_str untrusted);
/* The same for words of ours that may hold & or <. */
void ice_html_words(struct ice_html_text *out, const char *words);
/* In groups of three. */
void ice_html_grouped(struct ice_html_text *out, uint64_t value);
/* "12 tables" */
void ice_html_number(struct ice_html_text *out, uint64_t n, const char *one,
                     const char *many);
void ice_html_bytes(struct ice_html_text *out, uint64_t bytes); /* "37.1 MB" */
void ice_html_time(struct ice_html_text *out, int64_t ms);      /* UTC, to the second */

#endif
