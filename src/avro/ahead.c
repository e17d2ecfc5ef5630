/*
 * The ring of slots. Only the caller's thread moves it; a helper works on one slot
 * between _give and the _finish of its job.
 */
#include "avro/ahead.h"

#include "avro/codec.h"
#include "base/error.h"
#include "base/pool.h"

enum {
    MOST_HELPERS = 3, /* rows take about as long as unpacking: more would wait */
    SLOTS = 8,        /* a helper: neither side sleeps at each block */
};

struct slot {
    struct ice_job job;
    struct ice_codec *codec;
    char *packed;
    size_t packed_size, packed_capacity;
    struct ice_avro_block block;
    enum ice_status status;
    struct ice_error fault;
};

struct ice_ahead {
    struct ice_run *run;
    struct ice_pool *pool, *own_pool;
    struct slot *slots;
    size_t n_slots;
    size_t least_packed;
    size_t first, n;     /* the ring: oldest block, and how many */
    atomic_flag is_held; /* all but run and pool is the holder's */
    bool is_given;       /* the slot before first is with the caller */
    bool is_short;       /* of memory: no more for this file */
    enum ice_avro_codec kind;
};

enum ice_status ice_ahead_open(struct ice_ahead **out, struct ice_run *run,
                               unsigned n_helpers, size_t least_packed) {
    struct ice_ahead *ahead = ice_calloc(&run->alloc, 1, sizeof(*ahead));
    if (ahead == NULL)
        return ICE_ENOMEM;
    if (n_helpers > MOST_HELPERS)
        n_helpers = MOST_HELPERS;
    ahead->run = run;
    ahead->least_packed = least_packed;
    ahead->n_slots = 1 + SLOTS * (size_t)n_helpers; /* one is with the caller */
    ahead->slots = ice_calloc(&run->alloc, ahead->n_slots, sizeof(*ahead->slots));
    if (ahead->slots == NULL ||
        (run->pool == NULL &&
         ice_pool_open(&ahead->own_pool, &run->alloc, n_helpers) < 0)) {
        ice_ahead_free(ahead);
        return ICE_ENOMEM;
    }
    ahead->pool = run->pool != NULL ? run->pool : ahead->own_pool;
    atomic_flag_clear(&ahead->is_held);
    *out = ahead;
    return ICE_OK;
}

static void close_slots(struct ice_ahead *ahead) {
    struct ice_alloc *alloc = &ahead->run->alloc;
    for (size_t i = 0; i < ahead->n_slots; i++) {
        struct slot *slot = &ahead->slots[i];
        ice_codec_free(slot->codec);
        ice_free(alloc, slot->packed, slot->packed_capacity);
        *slot = (struct slot){0};
    }
}

void ice_ahead_shrink(struct ice_ahead *ahead) {
    close_slots(ahead);
}

void ice_ahead_free(struct ice_ahead *ahead) {
    if (ahead == NULL)
        return;
    struct ice_alloc *alloc = &ahead->run->alloc;
    ice_pool_free(ahead->own_pool);
    if (ahead->slots != NULL) {
        close_slots(ahead);
        ice_free(alloc, ahead->slots, ahead->n_slots * sizeof(*ahead->slots));
    }
    ice_free(alloc, ahead, sizeof(*ahead));
}

bool ice_ahead_hold(struct ice_ahead *ahead, enum ice_avro_codec codec) {
    if (codec == ICE_CODEC_NULL || !ice_pool_is_free(ahead->pool) ||
        atomic_flag_test_and_set_explicit(&ahead->is_held, memory_order_acquire))
        return false;
    if (codec != ahead->kind)
        close_slots(ahead);
    ahead->kind = codec;
    ahead->is_short = false;
    return true;
}

void ice_ahead_let_go(struct ice_ahead *ahead) {
    for (; ahead->n > 0; ahead->n--) {
        ice_pool_finish(ahead->pool, &ahead->slots[ahead->first].job);
        ahead->first = (ahead->first + 1) % ahead->n_slots;
    }
    ahead->is_given = false;
    atomic_flag_clear_explicit(&ahead->is_held, memory_order_release);
}

bool ice_ahead_has_room(const struct ice_ahead *ahead) {
    return ahead->n + (ahead->is_given ? 1 : 0) < ahead->n_slots;
}

bool ice_ahead_takes(const struct ice_ahead *ahead, int64_t packed_bytes) {
    return packed_bytes >= (int64_t)ahead->least_packed &&
           packed_bytes <= ICE_AHEAD_MOST_PACKED;
}

static void unpack(void *user) {
    struct slot *slot = user;
    ice_error_clear(&slot->fault);
    slot->status =
        ice_codec_unpack(slot->codec, ice_str_make(slot->packed, slot->packed_size),
                         slot->block.offset, &slot->block.data, &slot->fault);
}

static bool copy_packed(struct ice_ahead *ahead, struct slot *slot,
                        struct ice_str packed) {
    if (packed.size > slot->packed_capacity) {
        size_t capacity = packed.size + packed.size / 4;
        void *grown = ice_realloc(&ahead->run->alloc, slot->packed, slot->packed_capacity,
                                  capacity);
        if (grown == NULL)
            return false;
        slot->packed = grown;
        slot->packed_capacity = capacity;
    }
    memcpy(slot->packed, packed.data, packed.size);
    slot->packed_size = packed.size;
    return true;
}

bool ice_ahead_give(struct ice_ahead *ahead, const struct ice_avro_block *block,
                    struct ice_str packed) {
    if (ahead->is_short)
        return false;
    struct slot *slot = &ahead->slots[(ahead->first + ahead->n) % ahead->n_slots];
    if (slot->codec == NULL &&
        ice_codec_open(&slot->codec, ahead->kind, ahead->run, NULL) < 0)
        return false;
    if (!copy_packed(ahead, slot, packed))
        return false;
    slot->block = *block;
    slot->job.run = unpack;
    slot->job.user = slot;
    ahead->n++;
    ice_pool_give(ahead->pool, &slot->job);
    return true;
}

static bool was_short(const struct slot *slot) {
    return slot->status == ICE_ENOMEM ||
           (slot->status == ICE_ELIMIT &&
            ice_str_is(ice_str_from(slot->fault.rule), "limit.memory"));
}

/* All that helpers unpacked goes; packed copies stay for who reads them one by one. */
static void give_back(struct ice_ahead *ahead) {
    for (size_t i = 0; i < ahead->n; i++)
        ice_pool_finish(ahead->pool,
                        &ahead->slots[(ahead->first + i) % ahead->n_slots].job);
    for (size_t i = 0; i < ahead->n_slots; i++) {
        ice_codec_free(ahead->slots[i].codec);
        ahead->slots[i].codec = NULL;
    }
    ahead->is_short = true;
}

enum ice_status ice_ahead_take(struct ice_ahead *ahead, struct ice_codec *own,
                               struct ice_avro_block *out, struct ice_error *err) {
    ahead->is_given = false;
    if (ahead->n == 0) {
        if (ahead->is_short)
            close_slots(ahead);
        return ICE_DONE;
    }
    struct slot *slot = &ahead->slots[ahead->first];
    ice_pool_finish(ahead->pool, &slot->job);
    ahead->first = (ahead->first + 1) % ahead->n_slots;
    ahead->n--;
    ahead->is_given = true;
    if (!ahead->is_short && was_short(slot))
        give_back(ahead);
    *out = slot->block;
    if (ahead->is_short)
        return ice_codec_unpack(own, ice_str_make(slot->packed, slot->packed_size),
                                slot->block.offset, &out->data, err);
    return slot->status < 0 ? ice_error_pass(err, slot->status, &slot->fault)
                            : slot->status;
}
