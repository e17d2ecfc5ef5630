/*
 * Untrusted text inside markup and workflow commands: one function a place. All of them
 * first make controls, bidi marks and bytes that are not UTF-8 visible, as
 * ice_text_escaped does, so that what is left is one line of valid UTF-8.
 */
#ifndef ICE_REPORT_TEXT_MARKUP_H
#define ICE_REPORT_TEXT_MARKUP_H

#include "report/text.h"

/* The reference for a character of XML or HTML, or NULL. */
const char *ice_markup_reference(char c);

/* XML 1.0: text, or a value between double quotes. */
void ice_text_xml(struct ice_text *text, struct ice_str untrusted);
/* Behind "::" of a workflow command of GitHub. */
void ice_text_command(struct ice_text *text, struct ice_str untrusted);
/* A property of one: file=..., title=... */
void ice_text_property(struct ice_text *text, struct ice_str untrusted);
/* CommonMark, also in a cell of a table: nothing of it is markup, a link or a mention. */
void ice_text_markdown(struct ice_text *text, struct ice_str untrusted);
/* The same for names: in a code span where one can hold it. */
void ice_text_markdown_name(struct ice_text *text, struct ice_str name);

#endif
