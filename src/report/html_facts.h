/*
 * What a page shows of a table beside its findings: rows of the answers that it asks for,
 * kept as far as a page can show them.
 */
#ifndef ICE_REPORT_HTML_FACTS_H
#define ICE_REPORT_HTML_FACTS_H

#include "report/html_text.h"

struct ice_html_facts {
    struct ice_alloc *alloc;
};

#endif
