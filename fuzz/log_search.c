/*
 * Logs: fed in one piece and in pieces whose sizes the bytes choose, they show the same.
 */
#include "fuzz/target.h"
#include "icefsck.h"

/* Opened once, and never freed: its automaton is the same for every input. */
static struct ice_log_search *again(struct ice_log_search **search) {
    if (*search == NULL)
        require(ice_log_search_open(search, NULL, NULL) == ICE_OK);
    ice_log_search_rewind(*search);
    return *search;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct ice_log_search *kept[2];
    struct ice_log_search *whole = again(&kept[0]), *pieces = again(&kept[1]);
    ice_log_search_feed(whole, data, size);
    for (size_t at = 0; at < size;) {
        size_t piece = 1 + data[at] % 61;
        piece = piece < size - at ? piece : size - at;
        ice_log_search_feed(pieces, data + at, piece);
        at += piece;
    }
    struct ice_log_hit a, b;
    bool more = true;
    for (size_t n = 0; more; n++) {
        more = ice_log_search_next(whole, &a);
        require(ice_log_search_next(pieces, &b) == more);
        require(a.line == b.line && a.rule == b.rule && a.symptom == b.symptom &&
                a.n == b.n && a.is_cause == b.is_cause);
        require(n <= ice_symptom_count() + ice_rule_count());
        require(!more || (a.line > 0 && a.line <= size + 1 && a.n > 0 && a.n <= size));
        require(!more || a.rule != NULL || ice_symptom_name(a.symptom) != NULL);
    }
    for (size_t i = 0; i < ice_symptom_count(); i++)
        (void)ice_symptom_is_about(i, (struct ice_str){(const char *)data, size % 200});
    return 0;
}
