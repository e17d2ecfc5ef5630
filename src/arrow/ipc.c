/*
 * Messages of an Arrow IPC stream. Slots of the tables are numbered as in Arrow's
 * Schema.fbs and Message.fbs.
 */
#include "arrow/ipc.h"

#include "base/error.h"

enum { METADATA_V5 = 4 };
enum header { HEADER_SCHEMA = 1, HEADER_BATCH = 3 };
enum ipc_type {
    TYPE_INT = 2,
    TYPE_FLOATING_POINT = 3,
    TYPE_BINARY = 4,
    TYPE_UTF8 = 5,
    TYPE_BOOL = 6,
    TYPE_TIMESTAMP = 10,
    TYPE_LIST = 12,
    TYPE_STRUCT = 13,
    TYPE_MAP = 17,
};
enum { PRECISION_DOUBLE = 2, UNIT_MILLISECOND = 1 };

void ice_ipc_init(struct ice_ipc *ipc, struct ice_alloc *alloc, ice_write_fn write,
                  void *user) {
    ice_fb_init(&ipc->message, alloc);
    ipc->write = write;
    ipc->user = user;
}

void ice_ipc_release(struct ice_ipc *ipc) {
    ice_fb_release(&ipc->message);
}

/* ---- messages -----------------------------------------------------------------------
 */

static enum ice_status pad(struct ice_ipc *ipc, uint64_t size) {
    static const char zeros[8];
    return size % 8 == 0 ? ICE_OK : ipc->write(zeros, 8 - (size_t)(size % 8), ipc->user);
}

static uint64_t padded(uint64_t size) {
    return (size + 7) & ~(uint64_t)7;
}

/* Begin a message; returns where the reference to its header is. */
static size_t begin(struct ice_ipc *ipc, enum header type, uint64_t body_size) {
    static const uint8_t slots[] = {2, 1, 4, 8}; /* version, type, header, body */
    struct ice_flatbuf *fb = &ipc->message;
    ice_fb_begin(fb);
    size_t table = ice_fb_table(fb, slots, ICE_COUNT_OF(slots));
    ice_fb_refer(fb, 0, table);
    ice_fb_put(fb, ice_fb_slot(fb, table, 0), METADATA_V5, 2);
    ice_fb_put(fb, ice_fb_slot(fb, table, 1), type, 1);
    ice_fb_put(fb, ice_fb_slot(fb, table, 3), body_size, 8);
    return ice_fb_slot(fb, table, 2);
}

/* The message without its body: mark, length, bytes, padding. */
static enum ice_status send(struct ice_ipc *ipc) {
    struct ice_flatbuf *fb = &ipc->message;
    ICE_TRY(fb->status);
    uint32_t size = (uint32_t)padded(fb->out.size);
    char prefix[8] = {(char)0xff, (char)0xff, (char)0xff, (char)0xff};
    for (size_t i = 0; i < 4; i++)
        prefix[4 + i] = (char)(size >> 8 * i & 0xff);
    ICE_TRY(ipc->write(prefix, sizeof(prefix), ipc->user));
    ICE_TRY(ipc->write(fb->out.data, fb->out.size, ipc->user));
    return pad(ipc, fb->out.size);
}

/* ---- schema -------------------------------------------------------------------------
 */

/* The table of a type; out: which one it is. */
static size_t put_type(struct ice_flatbuf *fb, enum ice_arrow_kind kind,
                       enum ipc_type *out) {
    static const uint8_t int_slots[] = {4, 1};       /* bits, is signed */
    static const uint8_t real_slots[] = {2};         /* precision */
    static const uint8_t timestamp_slots[] = {2, 4}; /* unit, zone */
    size_t table = 0;
    switch (kind) {
    case ICE_ARROW_I32:
    case ICE_ARROW_I64:
        *out = TYPE_INT;
        table = ice_fb_table(fb, int_slots, ICE_COUNT_OF(int_slots));
        ice_fb_put(fb, ice_fb_slot(fb, table, 0), kind == ICE_ARROW_I32 ? 32 : 64, 4);
        ice_fb_put(fb, ice_fb_slot(fb, table, 1), 1, 1);
        return table;
    case ICE_ARROW_F64:
        *out = TYPE_FLOATING_POINT;
        table = ice_fb_table(fb, real_slots, ICE_COUNT_OF(real_slots));
        ice_fb_put(fb, ice_fb_slot(fb, table, 0), PRECISION_DOUBLE, 2);
        return table;
    case ICE_ARROW_TIMESTAMP:
        *out = TYPE_TIMESTAMP;
        table = ice_fb_table(fb, timestamp_slots, ICE_COUNT_OF(timestamp_slots));
        ice_fb_put(fb, ice_fb_slot(fb, table, 0), UNIT_MILLISECOND, 2);
        ice_fb_refer(fb, ice_fb_slot(fb, table, 1), ice_fb_string(fb, "UTC"));
        return table;
    case ICE_ARROW_BOOL:
        *out = TYPE_BOOL;
        break;
    case ICE_ARROW_UTF8:
        *out = TYPE_UTF8;
        break;
    case ICE_ARROW_BINARY:
        *out = TYPE_BINARY;
        break;
    case ICE_ARROW_LIST:
        *out = TYPE_LIST;
        break;
    case ICE_ARROW_MAP:
        *out = TYPE_MAP;
        break;
    case ICE_ARROW_STRUCT:
        *out = TYPE_STRUCT;
        break;
    }
    return ice_fb_table(fb, NULL, 0);
}

static size_t put_key_value(struct ice_flatbuf *fb, const char *key, const char *value) {
    static const uint8_t slots[] = {4, 4};
    size_t table = ice_fb_table(fb, slots, ICE_COUNT_OF(slots));
    ice_fb_refer(fb, ice_fb_slot(fb, table, 0), ice_fb_string(fb, key));
    ice_fb_refer(fb, ice_fb_slot(fb, table, 1), ice_fb_string(fb, value));
    return table;
}

static void put_extension(struct ice_flatbuf *fb, size_t slot) {
    size_t pairs = ice_fb_references(fb, 2);
    ice_fb_refer(fb, slot, pairs);
    ice_fb_refer(fb, pairs + 4,
                 put_key_value(fb, ICE_ARROW_EXTENSION_KEY, ICE_ARROW_EXTENSION_JSON));
    ice_fb_refer(fb, pairs + 8, put_key_value(fb, ICE_ARROW_EXTENSION_DATA, ""));
}

/* One field without its children: where their references go is told in out_children. */
static size_t put_field(struct ice_flatbuf *fb, const char *name,
                        const struct ice_arrow_node *node, bool is_json,
                        size_t *out_children) {
    /* name, nullable, which type, type, dictionary, children, metadata */
    const uint8_t slots[] = {4, 1, 1, 4, 0, 4, is_json ? 4 : 0};
    enum ipc_type type = TYPE_UTF8;
    size_t table = ice_fb_table(fb, slots, ICE_COUNT_OF(slots));
    ice_fb_refer(fb, ice_fb_slot(fb, table, 0), ice_fb_string(fb, name));
    ice_fb_put(fb, ice_fb_slot(fb, table, 1), node->is_nullable, 1);
    ice_fb_refer(fb, ice_fb_slot(fb, table, 3), put_type(fb, node->kind, &type));
    ice_fb_put(fb, ice_fb_slot(fb, table, 2), type, 1);
    *out_children = ice_fb_references(fb, node->n_children);
    ice_fb_refer(fb, ice_fb_slot(fb, table, 5), *out_children);
    if (is_json)
        put_extension(fb, ice_fb_slot(fb, table, 6));
    return table;
}

/* A column with its children, which come behind their parents in the tree. */
static size_t put_column(struct ice_flatbuf *fb, const struct ice_column *column) {
    const struct ice_arrow_type *type = ice_arrow_type_of(column->kind);
    size_t references[ICE_ARROW_NODES] = {0}; /* to each node, from its parent */
    size_t root = 0;
    for (size_t i = 0; i < type->n_nodes; i++) {
        const struct ice_arrow_node *node = &type->nodes[i];
        size_t children;
        size_t field = put_field(fb, node->name != NULL ? node->name : column->name, node,
                                 type->is_json, &children);
        if (i == 0)
            root = field;
        else
            ice_fb_refer(fb, references[i], field);
        for (size_t k = 0; k < node->n_children; k++)
            references[node->first_child + k] = children + 4 + 4 * k;
    }
    return root;
}

enum ice_status ice_ipc_schema(struct ice_ipc *ipc, const struct ice_column *columns,
                               size_t n) {
    static const uint8_t slots[] = {2, 4}; /* endianness (0: little), fields */
    struct ice_flatbuf *fb = &ipc->message;
    size_t header = begin(ipc, HEADER_SCHEMA, 0);
    size_t schema = ice_fb_table(fb, slots, ICE_COUNT_OF(slots));
    ice_fb_refer(fb, header, schema);
    size_t fields = ice_fb_references(fb, n);
    ice_fb_refer(fb, ice_fb_slot(fb, schema, 1), fields);
    for (size_t i = 0; i < n; i++)
        ice_fb_refer(fb, fields + 4 + 4 * i, put_column(fb, &columns[i]));
    return send(ipc);
}

/* ---- batches ------------------------------------------------------------------------
 */

/* What a batch says of its parts: length and nulls of each, place and size of each
 * buffer. */
struct layout {
    struct ice_buf nodes, buffers; /* pairs of int64 */
    uint64_t body_size;
};

static enum ice_status put_pair(struct ice_buf *out, uint64_t first, uint64_t second) {
    const int64_t pair[2] = {(int64_t)first, (int64_t)second};
    return ice_buf_append(out, pair, sizeof(pair));
}

static enum ice_status add_part(struct layout *layout,
                                const struct ice_arrow_part *part) {
    struct ice_str buffers[ICE_ARROW_BUFFERS];
    size_t n = ice_arrow_part_buffers(part, buffers);
    ICE_TRY(put_pair(&layout->nodes, part->length, part->n_nulls));
    for (size_t i = 0; i < n; i++) {
        ICE_TRY(put_pair(&layout->buffers, layout->body_size, buffers[i].size));
        layout->body_size += padded(buffers[i].size);
    }
    return ICE_OK;
}

typedef enum ice_status (*part_fn)(const struct ice_arrow_part *part, void *context);

static enum ice_status each_part(const struct ice_arrow_batch *batch, part_fn each,
                                 void *context) {
    for (size_t i = 0; i < batch->n_columns; i++)
        for (size_t k = 0; k < batch->columns[i].type->n_nodes; k++)
            ICE_TRY(each(&batch->columns[i].parts[k], context));
    return ICE_OK;
}

static enum ice_status measure_part(const struct ice_arrow_part *part, void *context) {
    return add_part(context, part);
}

static enum ice_status write_part(const struct ice_arrow_part *part, void *context) {
    struct ice_ipc *ipc = context;
    struct ice_str buffers[ICE_ARROW_BUFFERS];
    size_t n = ice_arrow_part_buffers(part, buffers);
    for (size_t i = 0; i < n; i++) {
        if (buffers[i].size > 0)
            ICE_TRY(ipc->write(buffers[i].data, buffers[i].size, ipc->user));
        ICE_TRY(pad(ipc, buffers[i].size));
    }
    return ICE_OK;
}

static enum ice_status send_batch(struct ice_ipc *ipc,
                                  const struct ice_arrow_batch *batch,
                                  const struct layout *layout) {
    static const uint8_t slots[] = {8, 4, 4}; /* rows, nodes, buffers */
    struct ice_flatbuf *fb = &ipc->message;
    size_t header = begin(ipc, HEADER_BATCH, layout->body_size);
    size_t table = ice_fb_table(fb, slots, ICE_COUNT_OF(slots));
    ice_fb_refer(fb, header, table);
    ice_fb_put(fb, ice_fb_slot(fb, table, 0), batch->n_rows, 8);
    ice_fb_refer(fb, ice_fb_slot(fb, table, 1),
                 ice_fb_pairs(fb, (const int64_t *)(const void *)layout->nodes.data,
                              layout->nodes.size / 16));
    ice_fb_refer(fb, ice_fb_slot(fb, table, 2),
                 ice_fb_pairs(fb, (const int64_t *)(const void *)layout->buffers.data,
                              layout->buffers.size / 16));
    ICE_TRY(send(ipc));
    return each_part(batch, write_part, ipc);
}

enum ice_status ice_ipc_batch(struct ice_ipc *ipc, const struct ice_arrow_batch *batch) {
    struct layout layout = {0};
    ice_buf_init(&layout.nodes, ipc->message.out.alloc, INT32_MAX);
    ice_buf_init(&layout.buffers, ipc->message.out.alloc, INT32_MAX);
    enum ice_status status = each_part(batch, measure_part, &layout);
    if (status >= 0)
        status = send_batch(ipc, batch, &layout);
    ice_buf_release(&layout.nodes);
    ice_buf_release(&layout.buffers);
    return status;
}

enum ice_status ice_ipc_end(struct ice_ipc *ipc) {
    static const char end[8] = {(char)0xff, (char)0xff, (char)0xff, (char)0xff};
    return ipc->write(end, sizeof(end), ipc->user);
}
