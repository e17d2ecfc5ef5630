/*
 * Verdicts and numbers in words.
 */
#include "report/html.h"

enum ice_html_verdict ice_html_verdict_of(const struct ice_summary *summary) {
    if (summary->counts[ICE_ERROR] > 0)
        return ICE_HTML_BROKEN;
    if (!summary->complete)
        return ICE_HTML_UNSURE;
    return summary->counts[ICE_WARN] > 0 ? ICE_HTML_WARNED : ICE_HTML_SOUND;
}

const char *ice_html_verdict_class(enum ice_html_verdict verdict) {
    switch (verdict) {
    case ICE_HTML_SOUND:
        return "sound";
    case ICE_HTML_WARNED:
        return "warned";
    case ICE_HTML_UNSURE:
        return "unsure";
    case ICE_HTML_BROKEN:
        return "broken";
    }
    return "";
}

const char *ice_html_verdict_name(enum ice_html_verdict verdict) {
    switch (verdict) {
    case ICE_HTML_SOUND:
        return "Sound";
    case ICE_HTML_WARNED:
        return "Warnings";
    case ICE_HTML_UNSURE:
        return "Not known";
    case ICE_HTML_BROKEN:
        return "Broken";
    }
    return "";
}

void ice_html_put_known(struct ice_html_text *out, uint64_t n_known) {
    ice_html_number(out, n_known, "finding is", "findings are");
    ice_html_put(out, n_known == 1 ? " hidden: the baseline knows it."
                                   : " hidden: the baseline knows them.");
}

void ice_html_put_counts(struct ice_html_text *out, const uint64_t counts[4]) {
    static const struct {
        enum ice_severity severity;
        const char *one, *many;
    } kinds[] = {{ICE_ERROR, "error", "errors"},
                 {ICE_WARN, "warning", "warnings"},
                 {ICE_INFO, "info", "infos"}};
    size_t left = 0, n = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(kinds); i++)
        left += counts[kinds[i].severity] > 0;
    if (left == 0)
        ice_html_put(out, "nothing");
    for (size_t i = 0; i < ICE_COUNT_OF(kinds); i++) {
        if (counts[kinds[i].severity] == 0)
            continue;
        left--;
        ice_html_put(out, n++ == 0 ? "" : left == 0 ? " and " : ", ");
        ice_html_number(out, counts[kinds[i].severity], kinds[i].one, kinds[i].many);
    }
}
