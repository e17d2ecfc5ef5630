/*
 * Glob matching with one point to come back to: behind the last star.
 */
#include "base/glob.h"

#include "base/chars.h"

static char lower(char c, bool fold) {
    return fold ? ice_lower(c) : c;
}

bool ice_glob_matches(struct ice_str glob, struct ice_str text, bool fold) {
    size_t at = 0, i = 0, behind_star = SIZE_MAX, resume = 0;
    while (i < text.size) {
        char wanted = at < glob.size ? glob.data[at] : '\0';
        if (at < glob.size && wanted == '*') {
            behind_star = ++at;
            resume = i;
        } else if (at < glob.size &&
                   (wanted == '?' || lower(wanted, fold) == lower(text.data[i], fold))) {
            at++;
            i++;
        } else if (behind_star != SIZE_MAX) {
            at = behind_star;
            i = ++resume;
        } else {
            return false;
        }
    }
    while (at < glob.size && glob.data[at] == '*')
        at++;
    return at == glob.size;
}
