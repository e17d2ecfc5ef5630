/*
 * Avro C, in the child alone: it has faults that end a process, and what it is given has
 * passed our own decoder. Where this build lacks it, nothing here is called.
 */
#include "cli/opinion.h"

#ifdef ICE_WITH_AVROC

#include <avro.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 160 };

/* An open record, array or map. */
struct frame {
    avro_value_t value;
    avro_type_t type;
    size_t next, n;
};

struct cli_avro_c {
    avro_schema_t schema;
    avro_value_iface_t *class;
    struct frame frames[MOST_DEPTH];
};

const char *cli_avro_c_version(void) {
    return ICE_AVROC_VERSION;
}

struct cli_avro_c *cli_avro_c_open(void) {
    return cli_alloc(1, sizeof(struct cli_avro_c));
}

static void say(struct cli_opinion_answer *answer, const char *what) {
    struct ice_str why = {avro_strerror(), strlen(avro_strerror())};
    char escaped[96];
    (void)snprintf(answer->text, sizeof(answer->text), "%s: %s", what,
                   ice_escape(escaped, sizeof(escaped), why));
}

bool cli_avro_c_schema(struct cli_avro_c *reader, const char *text, size_t size,
                       struct cli_opinion_answer *answer) {
    if (reader->class != NULL)
        avro_value_iface_decref(reader->class);
    if (reader->schema != NULL)
        avro_schema_decref(reader->schema);
    reader->class = NULL;
    reader->schema = NULL;
    if (avro_schema_from_json_length(text, size, &reader->schema) == 0)
        reader->class = avro_generic_class_from_schema(reader->schema);
    else
        reader->schema = NULL;
    answer->has_none = reader->class == NULL;
    if (answer->has_none)
        say(answer, "Avro C refuses the schema");
    return !answer->has_none;
}

/* ---- one datum ---- */

static uint64_t mix_integer(uint64_t digest, enum ice_token token, int64_t value) {
    return ice_datum_mix(digest, token, &value, sizeof(value));
}

static uint64_t mix_real(uint64_t digest, double value) {
    return ice_datum_mix(digest, ICE_TOKEN_REAL, &value, sizeof(value));
}

static uint64_t mix_number(uint64_t digest, avro_value_t *value, avro_type_t type) {
    int32_t small = 0;
    int64_t large = 0;
    float single = 0;
    double real = 0;
    switch (type) {
    case AVRO_INT32:
        (void)avro_value_get_int(value, &small);
        return mix_integer(digest, ICE_TOKEN_INTEGER, small);
    case AVRO_INT64:
        (void)avro_value_get_long(value, &large);
        return mix_integer(digest, ICE_TOKEN_INTEGER, large);
    case AVRO_FLOAT:
        (void)avro_value_get_float(value, &single);
        return mix_real(digest, (double)single);
    case AVRO_DOUBLE:
        (void)avro_value_get_double(value, &real);
        return mix_real(digest, real);
    case AVRO_STRING:
    case AVRO_BYTES:
    case AVRO_NULL:
    case AVRO_BOOLEAN:
    case AVRO_RECORD:
    case AVRO_ENUM:
    case AVRO_FIXED:
    case AVRO_MAP:
    case AVRO_ARRAY:
    case AVRO_UNION:
    case AVRO_LINK:
        break;
    }
    return digest;
}

/* Anything that holds no other value. */
static uint64_t mix_leaf(uint64_t digest, avro_value_t *value, avro_type_t type) {
    const char *text = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    int number = 0;
    switch (type) {
    case AVRO_STRING: /* its size counts a NUL behind it */
        (void)avro_value_get_string(value, &text, &size);
        return ice_datum_mix(digest, ICE_TOKEN_STRING, text, size > 0 ? size - 1 : 0);
    case AVRO_BYTES:
        (void)avro_value_get_bytes(value, &bytes, &size);
        return ice_datum_mix(digest, ICE_TOKEN_BYTES, bytes, size);
    case AVRO_FIXED:
        (void)avro_value_get_fixed(value, &bytes, &size);
        return ice_datum_mix(digest, ICE_TOKEN_BYTES, bytes, size);
    case AVRO_NULL:
        return ice_datum_mix(digest, ICE_TOKEN_NULL, NULL, 0);
    case AVRO_BOOLEAN: {
        (void)avro_value_get_boolean(value, &number);
        const char byte = number != 0;
        return ice_datum_mix(digest, ICE_TOKEN_BOOLEAN, &byte, 1);
    }
    case AVRO_ENUM:
        (void)avro_value_get_enum(value, &number);
        return mix_integer(digest, ICE_TOKEN_ENUM, number);
    case AVRO_INT32:
    case AVRO_INT64:
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
    case AVRO_RECORD:
    case AVRO_MAP:
    case AVRO_ARRAY:
    case AVRO_UNION:
    case AVRO_LINK:
        break;
    }
    return mix_number(digest, value, type);
}

static enum ice_token begin_of(avro_type_t type) {
    return type == AVRO_RECORD  ? ICE_TOKEN_RECORD
           : type == AVRO_ARRAY ? ICE_TOKEN_ARRAY
                                : ICE_TOKEN_MAP;
}

static enum ice_token end_of(avro_type_t type) {
    return type == AVRO_RECORD  ? ICE_TOKEN_RECORD_END
           : type == AVRO_ARRAY ? ICE_TOKEN_ARRAY_END
                                : ICE_TOKEN_MAP_END;
}

/* Mix a value in, or open it. false: nested beyond MOST_DEPTH, or Avro C fails. */
static bool enter(struct cli_avro_c *reader, size_t *depth, avro_value_t value,
                  uint64_t *digest) {
    avro_type_t type = avro_value_get_type(&value);
    if (type == AVRO_UNION) {
        avro_value_t branch;
        if (avro_value_get_current_branch(&value, &branch) != 0)
            return false;
        value = branch;
        type = avro_value_get_type(&value);
    }
    if (type != AVRO_RECORD && type != AVRO_ARRAY && type != AVRO_MAP) {
        *digest = mix_leaf(*digest, &value, type);
        return true;
    }
    struct frame *frame = &reader->frames[*depth];
    if (*depth == MOST_DEPTH)
        return false;
    *frame = (struct frame){.value = value, .type = type};
    if (avro_value_get_size(&value, &frame->n) != 0)
        return false;
    *digest = ice_datum_mix(*digest, begin_of(type), NULL, 0);
    (*depth)++;
    return true;
}

static bool digest_of(struct cli_avro_c *reader, avro_value_t *value, uint64_t *out) {
    size_t depth = 0;
    *out = 0;
    if (!enter(reader, &depth, *value, out))
        return false;
    while (depth > 0) {
        struct frame *frame = &reader->frames[depth - 1];
        avro_value_t next;
        const char *key = NULL;
        if (frame->next == frame->n) {
            *out = ice_datum_mix(*out, end_of(frame->type), NULL, 0);
            depth--;
            continue;
        }
        if (avro_value_get_by_index(&frame->value, frame->next++, &next, &key) != 0)
            return false;
        if (frame->type == AVRO_MAP)
            *out = ice_datum_mix(*out, ICE_TOKEN_KEY, key, key ? strlen(key) : 0);
        if (!enter(reader, &depth, next, out))
            return false;
    }
    return true;
}

/* ---- a block ---- */

void cli_avro_c_read(struct cli_avro_c *reader, const char *records, size_t size,
                     uint64_t n_records, uint64_t *out,
                     struct cli_opinion_answer *answer) {
    avro_reader_t bytes = avro_reader_memory(records, (int64_t)size);
    avro_value_t value;
    answer->n_records = 0;
    if (bytes == NULL || avro_generic_value_new(reader->class, &value) != 0) {
        answer->has_none = true;
        say(answer, "Avro C failed");
        return;
    }
    for (uint64_t i = 0; i < n_records; i++) {
        (void)avro_value_reset(&value);
        if (avro_value_read(bytes, &value) != 0) {
            answer->has_stopped = true;
            say(answer, "cannot read it");
            break;
        }
        if (!digest_of(reader, &value, &out[i])) {
            answer->has_none = true;
            say(answer, "Avro C cannot hand out what it has read");
            break;
        }
        answer->n_records++;
    }
    avro_value_decref(&value);
    avro_reader_free(bytes);
}

#else

struct cli_avro_c *cli_avro_c_open(void) {
    return NULL;
}

bool cli_avro_c_schema(struct cli_avro_c *reader, const char *text, size_t size,
                       struct cli_opinion_answer *answer) {
    (void)reader;
    (void)text;
    (void)size;
    answer->has_none = true;
    return false;
}

void cli_avro_c_read(struct cli_avro_c *reader, const char *records, size_t size,
                     uint64_t n_records, uint64_t *out,
                     struct cli_opinion_answer *answer) {
    (void)reader;
    (void)records;
    (void)size;
    (void)n_records;
    (void)out;
    answer->has_none = true;
}

const char *cli_avro_c_version(void) {
    return "";
}

#endif
