/*
 * Two stacks.
 */
#include "check/unit_spares.h"

enum { KEPT_PART_BYTES = 512 << 10 }; /* larger parts are not kept */

enum ice_status ice_unit_spares_open(struct ice_unit_spares *spares,
                                     const struct ice_check *of, size_t capacity) {
    *spares = (struct ice_unit_spares){
        .of = of, .alloc = &of->run->alloc, .capacity = capacity};
    (void)pthread_mutex_init(&spares->mutex, NULL);
    spares->readers =
        ice_calloc(spares->alloc, capacity, sizeof(struct ice_unit_reader *));
    return spares->readers != NULL ? ICE_OK : ICE_ENOMEM;
}

static void free_reader(const struct ice_unit_spares *spares,
                        struct ice_unit_reader *reader) {
    ice_unit_reader_release(reader);
    ice_free(spares->alloc, reader, sizeof(*reader));
}

void ice_unit_spares_release(struct ice_unit_spares *spares) {
    struct ice_unit_part *part;
    while ((part = spares->parts) != NULL) {
        spares->parts = part->next;
        ice_unit_part_release(part, spares->alloc);
    }
    for (size_t i = 0; i < spares->n_readers; i++)
        free_reader(spares, spares->readers[i]);
    ice_free(spares->alloc, spares->readers,
             spares->capacity * sizeof(struct ice_unit_reader *));
    (void)pthread_mutex_destroy(&spares->mutex);
}

static struct ice_unit_reader *open_reader(const struct ice_unit_spares *spares) {
    struct ice_unit_reader *reader = ice_malloc(spares->alloc, sizeof(*reader));
    if (reader == NULL || ice_unit_reader_open(reader, spares->of) == ICE_OK)
        return reader;
    free_reader(spares, reader);
    return NULL;
}

struct ice_unit_reader *ice_unit_take_reader(struct ice_unit_spares *spares) {
    struct ice_unit_reader *reader = NULL;
    (void)pthread_mutex_lock(&spares->mutex);
    if (spares->n_readers > 0)
        reader = spares->readers[--spares->n_readers];
    (void)pthread_mutex_unlock(&spares->mutex);
    return reader != NULL ? reader : open_reader(spares);
}

void ice_unit_give_reader(struct ice_unit_spares *spares,
                          struct ice_unit_reader *reader) {
    if (reader == NULL)
        return;
    (void)pthread_mutex_lock(&spares->mutex);
    const bool is_kept = spares->n_readers < spares->capacity;
    if (is_kept)
        spares->readers[spares->n_readers++] = reader;
    (void)pthread_mutex_unlock(&spares->mutex);
    if (!is_kept)
        free_reader(spares, reader);
}

struct ice_unit_part *ice_unit_take_part(struct ice_unit_spares *spares) {
    (void)pthread_mutex_lock(&spares->mutex);
    struct ice_unit_part *part = spares->parts;
    if (part != NULL) {
        spares->parts = part->next;
        spares->n_parts--;
        part->next = NULL;
    }
    (void)pthread_mutex_unlock(&spares->mutex);
    return part != NULL ? part : ice_calloc(spares->alloc, 1, sizeof(*part));
}

void ice_unit_give_part(struct ice_unit_spares *spares, struct ice_unit_part *part) {
    if (part == NULL)
        return;
    bool is_kept = false;
    if (ice_unit_part_bytes(part) <= KEPT_PART_BYTES) {
        ice_unit_part_clear(part);
        (void)pthread_mutex_lock(&spares->mutex);
        is_kept = spares->n_parts < spares->capacity;
        if (is_kept) {
            part->next = spares->parts;
            spares->parts = part;
            spares->n_parts++;
        }
        (void)pthread_mutex_unlock(&spares->mutex);
    }
    if (!is_kept)
        ice_unit_part_release(part, spares->alloc);
}
