/*
 * Sentences of the advice of rescue: rescue_advice.c; rescue_files.c of what to bring
 * back or copy first; rescue_beside.c of metadata files that lie beside.
 */
#ifndef ICE_ANSWER_RESCUE_SAY_H
#define ICE_ANSWER_RESCUE_SAY_H

#include "answer/rescue.h"

#include "check/storage.h"

#include <inttypes.h>
#include <stdio.h>

struct advice {
    struct ice_rescue *r;
    ice_write_fn write;
    void *user;
    enum ice_status status;
};

static inline void say(struct advice *a, struct ice_str text) {
    if (a->status >= 0 && text.size > 0)
        a->status = a->write(text.data, text.size, a->user);
}

static inline void say_text(struct advice *a, const char *text) {
    say(a, ice_str_from(text));
}

/* Text of strangers. */
void ice_rescue_say_escaped(struct advice *a, struct ice_str text);

static inline void say_count(struct advice *a, uint64_t n, const char *one,
                             const char *many) {
    char text[96];
    (void)snprintf(text, sizeof(text), "%" PRIu64 " %s", n, n == 1 ? one : many);
    say_text(a, text);
}

static inline bool is_storage_known(const struct ice_rescue *r) {
    return ice_storage_is_asked(&r->reader->check);
}

/* rescue_beside.c. A file with commits that a state has not, or may have. NULL: none. */
const struct ice_story_file *ice_rescue_later_than(const struct ice_rescue *r,
                                                   const struct ice_rescue_state *state);
/* Does another line of files speak against the state that is judged? */
bool ice_rescue_is_rivalled(const struct ice_rescue *r);
void ice_rescue_say_beside(struct advice *a);

/* rescue_files.c. The file of which nothing is known may be whole elsewhere. */
void ice_rescue_say_unknown(struct advice *a);
/* What the current state needs, and the copy lacks. */
void ice_rescue_say_not_copied(struct advice *a);
/* Whether anything must be gone back to is not known before more is copied. */
bool ice_rescue_waits_for_copy(const struct ice_rescue *r);
/* Files whose return would mend the current state. */
void ice_rescue_say_lost_files(struct advice *a);
/* ... and how they come back. */
void ice_rescue_say_fetch(struct advice *a);

#endif
