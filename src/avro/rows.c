/*
 * Steps over blocks: the hot part of the reader. Arrays behind lists, maps and tuples
 * live in slots that are reused row by row, so that a warmed-up reader allocates nothing.
 */
#include "avro/plan.h"

#include "avro/row_values.h"
#include "base/error.h"

/* ---- steps ---- */

static inline void zero_member(char *base, const struct ice_step *step) {
    static const char zeros[sizeof(struct ice_map_i64)];
    switch (step->member_bytes) { /* a constant size each, so that no call is made */
    case 0:
        return;
    case 1:
        base[step->offset] = 0;
        return;
    case 4:
        memcpy(base + step->offset, zeros, 4);
        return;
    case 8:
        memcpy(base + step->offset, zeros, 8);
        return;
    case 16:
        memcpy(base + step->offset, zeros, 16);
        return;
    default:
        memcpy(base + step->offset, zeros, step->member_bytes);
        return;
    }
}

/* Is the value null? Reads the index of a union of two; *out_null false for no union. */
static inline bool read_null(struct ice_cursor *c, const struct ice_step *step,
                             bool *out_null) {
    *out_null = false;
    if (step->null_branch == ICE_NOT_NULLABLE)
        return true;
    if (ICE_LIKELY(c->at < c->end && (*c->at & 0xfd) == 0)) {
        *out_null = *c->at++ >> 1 == step->null_branch;
        return true;
    }
    size_t index;
    if (!ice_cursor_index(c, 2, ICE_FAULT_UNION, &index))
        return false;
    *out_null = index == step->null_branch;
    return true;
}

/* A step without value: null bits and zeros, below it too. */
static size_t pass_null(const struct ice_step *step, char *base, uint64_t *null) {
    const size_t n = step->op == ICE_OP_ENTER ? 1 + step->n_sub : 1;
    for (size_t i = 0; i < n; i++) {
        *null |= step[i].bit;
        zero_member(base, &step[i]);
    }
    return n;
}

static bool run_steps(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *steps, size_t n, char *base, uint64_t *null);

static bool read_list(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *step, struct ice_list *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    const uint64_t least = step->schema->items->least_size;
    struct ice_items items = {0};
    size_t n = 0;
    while (ice_items_more(c, &items, least)) {
        if (least == 0) {
            if (items.left > s->zero_limit || items.left > *s->zero_left)
                return ice_cursor_fail(c, ICE_FAULT_ITEMS, (int64_t)items.left);
            *s->zero_left -= items.left;
        }
        for (; items.left > 0; items.left--, n++) {
            if (n == slot->capacity && !ice_slot_grow(s, c, slot, step->size, 0))
                return false;
            char *item = (char *)slot->first + n * step->size;
            uint64_t null = 0;
            memset(item, 0, step->size);
            if (!run_steps(s, c, step->sub, step->n_sub, item, &null)) {
                s->failed_in_list = s->failed;
                s->failed_item = n;
                s->has_failed_item = true;
                return false;
            }
            memcpy(item + step->item_null_offset, &null, sizeof(null));
        }
    }
    *out = (struct ice_list){slot->first, n};
    return c->fault == ICE_FAULT_NONE;
}

/* The member is where the want says, and of the type of its kind. */
#define MEMBER(type) ((type *)(void *)(base + step->offset))

static bool run_steps(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *steps, size_t n, char *base,
                      uint64_t *null) {
    for (size_t i = 0; i < n; i++) {
        const struct ice_step *step = &steps[i];
        bool is_null, flag, good = true;
        int32_t number;
        int64_t wide;
        struct ice_str text;
        s->failed = step;
        if (ICE_UNLIKELY(!read_null(c, step, &is_null)))
            return false;
        if (is_null) {
            i += pass_null(step, base, null) - 1;
            continue;
        }
        switch (step->op) {
        case ICE_OP_BOOL:
            good = ice_cursor_boolean(c, MEMBER(bool));
            break;
        case ICE_OP_I32:
            good = ice_cursor_int(c, MEMBER(int32_t));
            break;
        case ICE_OP_I64:
            good = ice_cursor_long(c, MEMBER(int64_t));
            break;
        case ICE_OP_I64_OF_INT:
            good = ice_cursor_int(c, &number);
            if (good)
                *MEMBER(int64_t) = number;
            break;
        case ICE_OP_STR:
            good = ice_cursor_string(c, MEMBER(struct ice_str));
            break;
        case ICE_OP_BYTES:
            good = ice_cursor_sized(c, MEMBER(struct ice_str));
            break;
        case ICE_OP_FIXED:
            good = ice_cursor_bytes(c, step->size, MEMBER(struct ice_str));
            break;
        case ICE_OP_LIST_I64:
            good = ice_read_list_i64(s, c, step, MEMBER(struct ice_list_i64));
            break;
        case ICE_OP_LIST:
            good = read_list(s, c, step, MEMBER(struct ice_list));
            s->failed = step;
            break;
        case ICE_OP_MAP_I64:
            good = ice_read_map_i64(s, c, step, MEMBER(struct ice_map_i64));
            break;
        case ICE_OP_MAP_BYTES:
            good = ice_read_map_bytes(s, c, step, MEMBER(struct ice_map_bytes));
            break;
        case ICE_OP_TUPLE:
            good = ice_read_tuple(s, c, step, MEMBER(struct ice_tuple));
            break;
        case ICE_OP_ENTER:
            break;
        case ICE_OP_ABSENT:
            zero_member(base, step);
            break;
        case ICE_OP_SKIP_BOOL:
            good = ice_cursor_boolean(c, &flag);
            break;
        case ICE_OP_SKIP_INT:
            good = ice_cursor_int(c, &number);
            break;
        case ICE_OP_SKIP_LONG:
            good = ice_cursor_long(c, &wide);
            break;
        case ICE_OP_SKIP_STR:
            good = ice_cursor_string(c, &text);
            break;
        case ICE_OP_SKIP_BYTES:
            good = ice_cursor_sized(c, &text);
            break;
        case ICE_OP_SKIP_FIXED:
            good = ice_cursor_bytes(c, step->size, &text);
            break;
        case ICE_OP_SKIP:
            good = ice_walk_skip(&s->walk, c, step->schema, s->zero_limit);
            break;
        }
        if (ICE_UNLIKELY(!good))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static enum ice_status make_scratch(struct ice_avro_rows *rows, struct ice_error *err) {
    struct ice_run *run = rows->file->run;
    struct ice_scratch *s = ice_calloc(&run->alloc, 1, sizeof(*s));
    if (s == NULL)
        return ice_error_memory(err);
    s->alloc = &run->alloc;
    s->zero_limit = run->limits.zero_size_items;
    s->zero_left = &rows->file->empty_values_left;
    ice_walk_init(&s->walk, run, &rows->file->arena);
    if (rows->plan->n_slots > 0) {
        s->slots = ice_calloc(s->alloc, rows->plan->n_slots, sizeof(*s->slots));
        if (s->slots == NULL) {
            ice_free(s->alloc, s, sizeof(*s));
            return ice_error_memory(err);
        }
    }
    rows->scratch = s;
    s->n_slots = rows->plan->n_slots;
    return ICE_OK;
}

void ice_avro_rows_init(struct ice_avro_rows *rows, struct ice_avro_file *file,
                        const struct ice_plan *plan) {
    *rows = (struct ice_avro_rows){.file = file, .plan = plan};
}

void ice_avro_rows_release(struct ice_avro_rows *rows) {
    struct ice_scratch *s = rows->scratch;
    if (s != NULL) {
        for (size_t i = 0; i < s->n_slots; i++)
            ice_slot_release(s, &s->slots[i]);
        ice_free(s->alloc, s->slots, s->n_slots * sizeof(*s->slots));
        ice_free(s->alloc, s, sizeof(*s));
    }
    *rows = (struct ice_avro_rows){0};
}

/* The rest of the block is lost. */
static enum ice_status block_fault(struct ice_avro_rows *rows, const char *text,
                                   unsigned long long value, struct ice_error *err) {
    const unsigned long long index = rows->block.index;
    rows->in_block = false;
    return ice_error_set(err, ICE_EFORMAT, "avro.block.count", rows->block.offset,
                         "block %llu declares %llu records, %s %llu", index,
                         (unsigned long long)rows->block.count, text, value);
}

/* Where the last step failed, below its record. */
static void step_path(const struct ice_scratch *s, struct ice_avro_path *path) {
    const struct ice_step *last = s->failed;
    ice_avro_path_raw(path, s->failed->path);
    if (s->has_failed_item) {
        last = s->failed_in_list;
        ice_avro_path_index(path, s->failed_item);
        ice_avro_path_raw(path, last->path);
    }
    if (last->op == ICE_OP_SKIP)
        ice_walk_path(&s->walk, path);
}

enum ice_status ice_rows_fault(struct ice_avro_rows *rows, const struct ice_cursor *c,
                               bool is_first_byte, const struct ice_walk *walk,
                               struct ice_error *err) {
    if (c->fault == ICE_FAULT_END && is_first_byte)
        return block_fault(rows, "its bytes end behind", rows->block.count - rows->left,
                           err);
    rows->in_block = false;
    const struct ice_alloc *alloc = &rows->file->run->alloc;
    if (c->fault == ICE_FAULT_MEMORY) {
        if (!atomic_load_explicit(&alloc->over, memory_order_relaxed))
            return ice_error_memory(err);
        return ice_error_set(err, ICE_ELIMIT, "limit.memory", rows->block.offset,
                             "a record of block %llu would pass the memory limit",
                             (unsigned long long)rows->block.index);
    }
    const enum ice_status status = ice_fault_status(c->fault);
    if (err == NULL || err->status < 0)
        return status;
    char text[160];
    ice_fault_message(c, text, sizeof(text));
    (void)ice_error_set(err, status, ice_fault_rule(c->fault), rows->block.offset,
                        "block %llu, record %llu: %s",
                        (unsigned long long)rows->block.index,
                        (unsigned long long)rows->record, text);
    struct ice_avro_path path = {0};
    ice_avro_path_raw(&path, ICE_STR("/records"));
    ice_avro_path_index(&path, rows->record);
    if (walk != NULL)
        ice_walk_path(walk, &path);
    else
        step_path(rows->scratch, &path);
    ice_error_set_pointer(err, ice_str_make(path.text, path.size));
    return status;
}

void ice_rows_note(struct ice_avro_rows *rows, const struct ice_cursor *c) {
    if (ICE_LIKELY(!c->not_shortest) || rows->file->varint_not_shortest)
        return;
    rows->file->varint_not_shortest = true;
    rows->file->varint_not_shortest_offset = rows->block.offset;
}

static enum ice_status open_block(struct ice_avro_rows *rows, uint64_t least,
                                  struct ice_error *err) {
    const enum ice_status status = ice_avro_next_block(rows->file, &rows->block, err);
    if (status == ICE_DONE)
        return status;
    rows->block_first = rows->next_record;
    rows->next_record += rows->block.count;
    if (status < 0)
        return status;
    rows->left = rows->block.count;
    rows->at = 0;
    rows->in_block = true;
    if (least > 0)
        return ICE_OK;
    uint64_t *left = &rows->file->empty_records_left;
    if (rows->left > *left)
        return block_fault(rows,
                           "but a record takes no bytes and the limit of the file leaves",
                           *left, err);
    *left -= rows->left;
    return ICE_OK;
}

enum ice_status ice_rows_find(struct ice_avro_rows *rows, uint64_t least,
                              struct ice_error *err) {
    while (!rows->in_block || rows->left == 0) {
        if (rows->in_block && rows->at != rows->block.data.size)
            return block_fault(
                rows, "which leave bytes over:", rows->block.data.size - rows->at, err);
        rows->in_block = false;
        const enum ice_status status = open_block(rows, least, err);
        if (status != ICE_OK)
            return status;
    }
    rows->record = rows->block_first + (rows->block.count - rows->left);
    return ICE_OK;
}

enum ice_status ice_avro_rows_next(struct ice_avro_rows *rows, void *row,
                                   struct ice_error *err) {
    if (rows->scratch == NULL)
        ICE_TRY(make_scratch(rows, err));
    const enum ice_status status =
        ice_rows_find(rows, rows->plan->schema->least_size, err);
    if (status != ICE_OK)
        return status;
    struct ice_scratch *s = rows->scratch;
    struct ice_cursor c = ice_cursor_of(rows->block.data, rows->at);
    const unsigned char *const start = c.at;
    uint64_t null = 0;
    s->has_failed_item = false;
    const bool good =
        run_steps(s, &c, rows->plan->steps, rows->plan->n_steps, row, &null);
    ice_rows_note(rows, &c);
    if (ICE_UNLIKELY(!good))
        return ice_rows_fault(rows, &c, start == c.end, NULL, err);
    memcpy((char *)row + rows->plan->null_offset, &null, sizeof(null));
    rows->at += (size_t)(c.at - start);
    rows->left--;
    return ICE_OK;
}
