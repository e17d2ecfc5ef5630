/*
 * Rows of a schema, both drawn from the input, are written by an encoder of our own and
 * read back: equal, whatever the codec, the blocks and the pieces in which they come. One
 * changed byte then gives any verdict, but one.
 *
 *   input = where to change what (4 bytes), codec, draws
 */
#include "avro/avro_json.h"
#include "fuzz/avro_writer.h"

enum { MOST_NODES = 48, MOST_PARTS = 4, MOST_DEPTH = 4, MOST_ROWS = 40 };

struct node {
    enum ice_avro_type type;
    unsigned number, n; /* of a name; parts, symbols or bytes */
    struct node *parts[MOST_PARTS];
};

struct drawn {
    struct ice_str rest;
    struct node nodes[MOST_NODES];
    unsigned n_nodes;
    struct ice_buf schema, plain, packed, file, expected;
    struct ice_json_writer json; /* to expected */
};

static unsigned draw(struct drawn *d, unsigned below) {
    if (d->rest.size == 0)
        return 0;
    const uint8_t byte = (uint8_t)d->rest.data[0];
    d->rest = ice_str_from_index(d->rest, 1);
    return byte % below;
}

static uint64_t draw_wide(struct drawn *d) {
    uint64_t bits = 0;
    for (unsigned n = draw(d, 9); n > 0; n--)
        bits = bits << 8 | draw(d, 256);
    return bits;
}

/* ---- schema ---- */

static void put(struct ice_buf *out, const char *words) {
    put_raw(out, ice_str_from(words));
}

static struct node *draw_type(struct drawn *d, unsigned depth, bool may_be_union);

static void put_part(struct drawn *d, struct node *node, unsigned depth, bool or_union) {
    node->parts[node->n] = draw_type(d, depth + 1, or_union);
    node->n++;
}

static void draw_named(struct drawn *d, struct node *node, unsigned depth) {
    static const char *const kinds[] = {"record", "enum", "fixed"};
    const char *kind = kinds[node->type == ICE_AVRO_ENUM    ? 1
                             : node->type == ICE_AVRO_FIXED ? 2
                                                            : 0];
    require(ice_buf_printf(&d->schema, "{\"type\":\"%s\",\"name\":\"n%u\",", kind,
                           node->number) == ICE_OK);
    if (node->type == ICE_AVRO_FIXED) {
        node->n = draw(d, 20);
        require(ice_buf_printf(&d->schema, "\"size\":%u}", node->n) == ICE_OK);
        return;
    }
    const unsigned n = draw(d, MOST_PARTS) + (node->type == ICE_AVRO_ENUM);
    put(&d->schema, node->type == ICE_AVRO_ENUM ? "\"symbols\":[" : "\"fields\":[");
    for (unsigned i = 0; i < n; i++) {
        put(&d->schema, i > 0 ? "," : "");
        if (node->type == ICE_AVRO_ENUM) {
            require(ice_buf_printf(&d->schema, "\"s%u\"", i) == ICE_OK);
            node->n++;
            continue;
        }
        require(ice_buf_printf(&d->schema, "{\"name\":\"f%u\",\"field-id\":%u,\"type\":",
                               i, node->number * MOST_PARTS + i) == ICE_OK);
        put_part(d, node, depth, true);
        put(&d->schema, "}");
    }
    put(&d->schema, "]}");
}

/* null and one type that is none, in either order. */
static void draw_union(struct drawn *d, struct node *node, unsigned depth) {
    struct node *null = &d->nodes[d->n_nodes++];
    *null = (struct node){.type = ICE_AVRO_NULL};
    const unsigned at = draw(d, 2);
    put(&d->schema, at == 0 ? "[\"null\"," : "[");
    node->n = 1;
    put_part(d, node, depth, false);
    put(&d->schema, at == 0 ? "]" : ",\"null\"]");
    node->parts[at] = at == 0 ? null : node->parts[1];
    if (at == 1) {
        node->parts[0] = node->parts[1];
        node->parts[1] = null;
    }
}

static struct node *draw_type(struct drawn *d, unsigned depth, bool may_be_union) {
    static const char *const words[] = {"\"null\"",  "\"boolean\"", "\"int\"",
                                        "\"long\"",  "\"float\"",   "\"double\"",
                                        "\"bytes\"", "\"string\""};
    struct node *node = &d->nodes[d->n_nodes++];
    const bool is_leaf = depth >= MOST_DEPTH || d->n_nodes + 8 > MOST_NODES;
    unsigned type = draw(d, is_leaf ? ICE_AVRO_RECORD : ICE_AVRO_FIXED + 1);
    if (!may_be_union && (type == ICE_AVRO_UNION || type == ICE_AVRO_NULL))
        type = ICE_AVRO_LONG;
    *node = (struct node){.type = (enum ice_avro_type)type, .number = d->n_nodes};
    switch (node->type) {
    case ICE_AVRO_NULL:
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
    case ICE_AVRO_BYTES:
    case ICE_AVRO_STRING:
        put(&d->schema, words[type]);
        break;
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ENUM:
    case ICE_AVRO_FIXED:
        draw_named(d, node, depth);
        break;
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
        put(&d->schema, node->type == ICE_AVRO_ARRAY ? "{\"type\":\"array\",\"items\":"
                                                     : "{\"type\":\"map\",\"values\":");
        put_part(d, node, depth, true);
        put(&d->schema, "}");
        break;
    case ICE_AVRO_UNION:
        draw_union(d, node, depth);
        break;
    }
    return node;
}

static struct node *draw_schema(struct drawn *d) {
    struct node *root = &d->nodes[d->n_nodes++];
    *root = (struct node){.type = ICE_AVRO_RECORD};
    draw_named(d, root, 0);
    return root;
}

/* ---- rows ---- */

static void put_value(struct drawn *d, const struct node *node, struct ice_buf *out);

/* Bytes of the input, as UTF-8 where they must be. */
static struct ice_str draw_text(struct drawn *d, char *room, size_t most, bool is_utf8) {
    size_t n = 0;
    for (unsigned left = draw(d, (unsigned)most / 2); left > 0; left--) {
        const unsigned byte = draw(d, 256);
        if (is_utf8 && byte >= 0x80) {
            room[n++] = (char)(0xc2 + byte % 29);
            room[n++] = (char)(0x80 | (byte & 0x3f));
        } else {
            room[n++] = (char)byte;
        }
    }
    return ice_str_make(room, n);
}

static void put_real(struct drawn *d, bool is_float, struct ice_buf *out) {
    const uint64_t bits = draw_wide(d);
    const uint32_t narrow = (uint32_t)bits;
    float single;
    double real;
    memcpy(&single, &narrow, sizeof(single));
    memcpy(&real, &bits, sizeof(real));
    ice_jw_f64(&d->json, is_float ? (double)single : real);
    for (unsigned i = 0; i < (is_float ? 4u : 8u); i++)
        put_byte(out, (unsigned)(bits >> 8 * i & 0xff));
}

static void put_binary(struct drawn *d, const struct node *node, struct ice_buf *out) {
    char room[64] = {0};
    struct ice_str bytes = draw_text(d, room, sizeof(room), false);
    if (node->type == ICE_AVRO_FIXED) {
        bytes = ice_str_make(room, node->n);
        put_raw(out, bytes);
    } else {
        put_sized(out, bytes);
    }
    ice_jw_object(&d->json);
    ice_jw_key(&d->json, "hex");
    ice_jw_hex(&d->json, bytes);
    ice_jw_object_end(&d->json);
}

/* Items in runs: a count, or less than 0 with the size of what follows. */
static void put_items(struct drawn *d, const struct node *node, struct ice_buf *out) {
    const bool is_map = node->type == ICE_AVRO_MAP;
    struct ice_buf run;
    ice_buf_init(&run, out->alloc, SIZE_MAX);
    if (is_map)
        ice_jw_object(&d->json);
    else
        ice_jw_array(&d->json);
    for (unsigned runs = draw(d, 3); runs > 0; runs--) {
        const unsigned n = 1 + draw(d, 3);
        const bool is_sized = draw(d, 2);
        ice_buf_clear(&run);
        for (unsigned i = 0; i < n; i++) {
            char room[32];
            const struct ice_str key =
                is_map ? draw_text(d, room, sizeof(room), true) : ICE_STR_NONE;
            if (is_map) {
                put_sized(&run, key);
                ice_jw_key_str(&d->json, key);
            }
            put_value(d, node->parts[0], &run);
        }
        put_long(out, is_sized ? -(int64_t)n : (int64_t)n);
        if (is_sized)
            put_long(out, (int64_t)run.size);
        put_raw(out, ice_buf_str(&run));
    }
    put_long(out, 0);
    if (is_map)
        ice_jw_object_end(&d->json);
    else
        ice_jw_array_end(&d->json);
    ice_buf_release(&run);
}

static void put_record(struct drawn *d, const struct node *node, struct ice_buf *out) {
    ice_jw_object(&d->json);
    for (unsigned i = 0; i < node->n; i++) {
        char name[] = {'f', (char)('0' + i), '\0'};
        ice_jw_key(&d->json, name);
        put_value(d, node->parts[i], out);
    }
    ice_jw_object_end(&d->json);
}

static void put_symbol(struct drawn *d, const struct node *node, struct ice_buf *out) {
    const unsigned at = draw(d, node->n);
    const char name[] = {'s', (char)('0' + at), '\0'};
    put_long(out, at);
    ice_jw_text(&d->json, name);
}

static void put_value(struct drawn *d, const struct node *node, struct ice_buf *out) {
    char room[64];
    int64_t number;
    struct ice_str text;
    switch (node->type) {
    case ICE_AVRO_NULL:
        ice_jw_null(&d->json);
        return;
    case ICE_AVRO_BOOLEAN:
        number = draw(d, 2);
        put_byte(out, (unsigned)number);
        ice_jw_bool(&d->json, number != 0);
        return;
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
        number = (int64_t)draw_wide(d);
        if (node->type == ICE_AVRO_INT)
            number = (int32_t)number;
        put_long(out, number);
        ice_jw_i64(&d->json, number);
        return;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        put_real(d, node->type == ICE_AVRO_FLOAT, out);
        return;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        put_binary(d, node, out);
        return;
    case ICE_AVRO_STRING:
        text = draw_text(d, room, sizeof(room), true);
        put_sized(out, text);
        ice_jw_str(&d->json, text);
        return;
    case ICE_AVRO_RECORD:
        put_record(d, node, out);
        return;
    case ICE_AVRO_ENUM:
        put_symbol(d, node, out);
        return;
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
        put_items(d, node, out);
        return;
    case ICE_AVRO_UNION:
        number = draw(d, 2);
        put_long(out, number);
        put_value(d, node->parts[number], out);
        return;
    }
}

/* ---- the file ---- */

static enum ice_status to_buf(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static void write_file(struct drawn *d) {
    static const char *const names[] = {"null", "deflate", "zstandard", "snappy"};
    const unsigned codec = draw(d, ICE_COUNT_OF(names));
    const struct ice_str sync = ice_str_make(TARGET_SYNC, SYNC_BYTES);
    const struct node *root = draw_schema(d);
    put_header(&d->file, ice_buf_str(&d->schema), names[codec], sync);
    ice_jw_init(&d->json, to_buf, &d->expected, 0);
    for (unsigned left = draw(d, MOST_ROWS + 1); left > 0;) {
        const unsigned count = 1 + draw(d, left);
        ice_buf_clear(&d->plain);
        ice_buf_clear(&d->packed);
        for (unsigned i = 0; i < count; i++) {
            put_record(d, root, &d->plain);
            ice_jw_newline(&d->json);
        }
        require(
            pack_block((enum ice_avro_codec)codec, ice_buf_str(&d->plain), &d->packed));
        put_block(&d->file, count, ice_buf_str(&d->packed), sync);
        left -= count;
    }
    require(ice_jw_finish(&d->json) == ICE_OK);
}

/* Records as lines of JSON; out faults: their number. */
static void read_file(struct ice_run *run, struct ice_str bytes, bool in_pieces,
                      struct ice_buf *out, uint64_t *faults) {
    static const struct ice_avro_attr_names names = {.field = "field-id"};
    struct pieces pieces;
    struct ice_stream stream;
    struct ice_avro_file file;
    struct ice_avro_problems problems;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    const struct ice_avro_schema *schema = NULL;
    struct ice_str text = ICE_STR_NONE;
    struct ice_json_writer writer;
    struct ice_avro_json json;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status = ice_avro_open(&file, run, &stream, &err);
    (void)ice_avro_header(&file, "avro.schema", &text);
    if (status == ICE_OK)
        status = ice_avro_schema_parse(text, run, &file.arena, &names, &schema, &problems,
                                       &err);
    if (status < 0)
        digest_fault(faults, status, &err, bytes.size);
    ice_jw_init(&writer, to_buf, out, 0);
    if (status == ICE_OK)
        ice_avro_json_init(&json, &file, schema);
    while (schema != NULL && status != ICE_DONE) {
        ice_error_clear(&err);
        status = ice_avro_json_next(&json, &writer, &err);
        if (status == ICE_OK)
            ice_jw_newline(&writer);
        else if (status < 0)
            digest_fault(faults, status, &err, bytes.size);
    }
    require(ice_jw_finish(&writer) == ICE_OK);
    ice_avro_release(&file);
    ice_stream_release(&stream);
}

static void check_equal(struct drawn *d, struct ice_run *run) {
    struct ice_buf out;
    ice_buf_init(&out, &run->alloc, SIZE_MAX);
    for (int i = 0; i < 2; i++) {
        uint64_t faults = 1;
        ice_buf_clear(&out);
        read_file(run, ice_buf_str(&d->file), i == 1, &out, &faults);
        require(faults == 1);
        require(ice_str_equal(ice_buf_str(&out), ice_buf_str(&d->expected)));
    }
    ice_buf_release(&out);
}

static void check_changed(struct drawn *d, struct ice_run *run, const uint8_t how[4]) {
    struct ice_buf out[2];
    uint64_t faults[2] = {1, 1};
    const size_t at = ((size_t)how[0] << 16 | (size_t)how[1] << 8 | how[2]) %
                      (d->file.size > 0 ? d->file.size : 1);
    d->file.data[at] = (char)(d->file.data[at] ^ (how[3] != 0 ? how[3] : 0x80));
    for (int i = 0; i < 2; i++) {
        ice_buf_init(&out[i], &run->alloc, SIZE_MAX);
        read_file(run, ice_buf_str(&d->file), i == 1, &out[i], &faults[i]);
    }
    require(faults[0] == faults[1]);
    require(ice_str_equal(ice_buf_str(&out[0]), ice_buf_str(&out[1])));
    ice_buf_release(&out[0]);
    ice_buf_release(&out[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t how[4] = {0};
    if (size < sizeof(how))
        return 0;
    memcpy(how, data, sizeof(how));
    struct ice_run run;
    struct drawn d = {
        .rest = ice_str_make(data + sizeof(how), size - sizeof(how)),
    };
    struct ice_buf *const bufs[] = {&d.schema, &d.plain, &d.packed, &d.file, &d.expected};
    target_begin(&run);
    for (size_t i = 0; i < ICE_COUNT_OF(bufs); i++)
        ice_buf_init(bufs[i], &run.alloc, SIZE_MAX);
    write_file(&d);
    check_equal(&d, &run);
    check_changed(&d, &run, how);
    for (size_t i = 0; i < ICE_COUNT_OF(bufs); i++)
        ice_buf_release(bufs[i]);
    target_end(&run);
    return 0;
}
