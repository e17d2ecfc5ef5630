/*
 * Edit distance, three rows of the table at a time.
 */
#include "base/near.h"

#include "base/chars.h"

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t ice_edit_distance(struct ice_str a, struct ice_str b) {
    if (a.size > ICE_NEAR_LONGEST || b.size > ICE_NEAR_LONGEST)
        return SIZE_MAX;
    size_t rows[3][ICE_NEAR_LONGEST + 1];
    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            bool equal = a.data[i - 1] == b.data[j - 1];
            size_t best =
                least(above[j - 1] + (equal ? 0 : 1), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1])
                best = least(best, before[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[a.size % 3][b.size];
}

static bool is_joint(char c) {
    return c == '-' || c == '_' || c == '.';
}

bool ice_words_alike(struct ice_str a, struct ice_str b, bool fold) {
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.size && is_joint(a.data[i]))
            i++;
        while (k < b.size && is_joint(b.data[k]))
            k++;
        if (i == a.size || k == b.size)
            return i == a.size && k == b.size;
        const char x = a.data[i++], y = b.data[k++];
        if (fold ? ice_lower(x) != ice_lower(y) : x != y)
            return false;
    }
}
