/*
 * props.name-mapping.*: the JSON text in schema.name-mapping.default (spec: App. C Name
 * Mapping Serialization), by which fields of files without ids get theirs.
 *
 *   [ {"field-id": 1, "names": ["id", "record_id"], "fields": [ ... ]}, ... ]
 *
 * Mappings nest, so open lists of them stand on an explicit stack.
 */
#include "check/pass1.h"

#include "base/error.h"
#include "json/reader.h"

/* in two pieces, for it is a property and no rule */
static const char key[] = "schema"
                          ".name-mapping.default";

/* A mapping that is being read. */
struct mapping {
    bool has_id, has_names, has_children;
    int32_t id;
    size_t first_name; /* of its names in mapper.names */
};

/* An open list of mappings: the root, or the fields of a mapping. */
struct level {
    bool in_mapping; /* between { and } of one of its mappings */
    bool is_empty;
    struct mapping mapping;
};

struct mapper {
    struct ice_pass1 *p;
    struct ice_json json;
    struct level *levels;
    size_t n_levels, cap_levels;
    uint64_t *names; /* hashes of the names of mappings that are open */
    size_t n_names, cap_names;
    struct ice_table seen; /* of level, which list it is, and name */
    uint64_t *lists;       /* by level: number of the list that is open there */
    size_t n_lists, cap_lists;
    uint64_t list_count;
    struct ice_table fields; /* id -> 1 + bits below, over all schemas */
    struct ice_error fault;  /* what is wrong with the JSON */
    const char *wrong;       /* ... or with its shape */
};

enum { FIELD_LISTED = 0, FIELD_NESTED = 1 };

static const struct ice_place *at(struct ice_pass1 *p) {
    return ice_at_key(p, "/properties", ice_str_from(key), "");
}

/* ---- what schemas know ---- */

static uint64_t id_key(const struct mapper *m, int32_t id) {
    return ice_hash_mix((uint64_t)id, m->p->ck->run->hash_seed);
}

static enum ice_status take_schema(struct mapper *m, const struct ice_schema *schema) {
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        enum ice_type_kind kind = field->type.kind;
        bool is_nested =
            kind == ICE_TYPE_STRUCT || kind == ICE_TYPE_LIST || kind == ICE_TYPE_MAP;
        size_t slot = SIZE_MAX;
        uint32_t found;
        if ((field->has & ICE_FIELD_HAS_ID) &&
            !ice_table_next(&m->fields, id_key(m, field->id), &slot, &found))
            ICE_TRY(ice_table_put(&m->fields, id_key(m, field->id),
                                  is_nested ? FIELD_NESTED : FIELD_LISTED));
    }
    return ICE_OK;
}

/* The current schema first: its type of an id counts. */
static enum ice_status take_schemas(struct mapper *m) {
    const struct ice_metadata *meta = m->p->m;
    const struct ice_schema *current = ice_metadata_current_schema(meta);
    if (current != NULL)
        ICE_TRY(take_schema(m, current));
    for (size_t i = 0; i < meta->n_schemas; i++)
        ICE_TRY(take_schema(m, &meta->schemas[i]));
    return ICE_OK;
}

/* ---- a mapping that was read ---- */

static enum ice_status check_names(struct mapper *m, const struct mapping *mapping) {
    const uint64_t seed = m->p->ck->run->hash_seed;
    const uint64_t list = m->lists[m->n_levels - 1];
    /* names of mappings without an id map to nothing */
    for (size_t i = mapping->first_name; i < m->n_names && mapping->has_id; i++) {
        uint64_t name = ice_hash_mix(m->names[i] ^ ice_hash_mix(list, seed), seed);
        size_t slot = SIZE_MAX;
        uint32_t other;
        if (!ice_table_next(&m->seen, name, &slot, &other))
            ICE_TRY(ice_table_put(&m->seen, name, (uint32_t)mapping->id));
        else if (other != (uint32_t)mapping->id)
            FOUND(m->p->emit, ICE_RULE_PROPS_NAME_MAPPING_DUPLICATE_NAME, at(m->p),
                  arg_i64("first", (int32_t)other), arg_i64("second", mapping->id));
    }
    m->n_names = mapping->first_name;
    return ICE_OK;
}

static enum ice_status finish_mapping(struct mapper *m) {
    struct level *level = &m->levels[m->n_levels - 1];
    const struct mapping *mapping = &level->mapping;
    size_t slot = SIZE_MAX;
    uint32_t kind;
    level->in_mapping = false;
    if (!mapping->has_names)
        FOUND(m->p->emit, ICE_RULE_PROPS_NAME_MAPPING_NAMES_MISSING, at(m->p),
              arg_i64("id", mapping->has_id ? mapping->id : -1));
    ICE_TRY(check_names(m, mapping));
    if (!mapping->has_id)
        return ICE_OK;
    if (!ice_table_next(&m->fields, id_key(m, mapping->id), &slot, &kind))
        FOUND_AS(m->p->emit, ICE_RULE_PROPS_NAME_MAPPING_DANGLING,
                 ice_metadata_gave_id(m->p->m, mapping->id) ? ICE_INFO : ICE_WARN,
                 at(m->p), arg_i64("id", mapping->id));
    else if (kind == FIELD_NESTED && !mapping->has_children)
        FOUND(m->p->emit, ICE_RULE_PROPS_NAME_MAPPING_NO_CHILD, at(m->p),
              arg_i64("id", mapping->id));
    return ICE_OK;
}

/* ---- reading; ICE_EFORMAT ends it, with m->wrong or m->fault set ---- */

static enum ice_status shape(struct mapper *m, const char *wrong) {
    m->wrong = wrong;
    return ICE_EFORMAT;
}

static enum ice_status open_list(struct mapper *m) {
    struct ice_alloc *alloc = &m->p->ck->run->alloc;
    if (!ice_array_reserve(alloc, &m->levels, m->n_levels, &m->cap_levels,
                           sizeof(*m->levels)) ||
        !ice_array_reserve(alloc, &m->lists, m->n_levels, &m->cap_lists,
                           sizeof(*m->lists)))
        return ICE_ENOMEM;
    m->lists[m->n_levels] = m->list_count++;
    m->levels[m->n_levels++] = (struct level){.is_empty = true};
    return ICE_OK;
}

static enum ice_status read_names(struct mapper *m) {
    struct ice_json_event event;
    ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
    if (event.kind != ICE_JSON_ARRAY)
        return shape(m, "names is no array");
    for (;;) {
        ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
        if (event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        if (event.kind != ICE_JSON_STRING)
            return shape(m, "a name is no string");
        if (!ice_array_reserve(&m->p->ck->run->alloc, &m->names, m->n_names,
                               &m->cap_names, sizeof(*m->names)))
            return ICE_ENOMEM;
        m->names[m->n_names++] = ice_hash64(event.text, m->p->ck->run->hash_seed);
    }
}

static enum ice_status read_id(struct mapper *m, struct mapping *mapping) {
    struct ice_json_event event;
    int64_t id;
    ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
    if (event.kind == ICE_JSON_NULL)
        return ICE_OK;
    if (event.kind != ICE_JSON_NUMBER ||
        ice_number_i64(event.text, &id) != ICE_NUMBER_OK || id < INT32_MIN ||
        id > INT32_MAX)
        return shape(m, "a field-id is no integer");
    mapping->has_id = true;
    mapping->id = (int32_t)id;
    return ICE_OK;
}

/* A member of the mapping that is open. */
static enum ice_status read_member(struct mapper *m, struct ice_str name) {
    struct mapping *mapping = &m->levels[m->n_levels - 1].mapping;
    struct ice_json_event event;
    if (ice_str_is(name, "field-id"))
        return read_id(m, mapping);
    if (ice_str_is(name, "names")) {
        mapping->has_names = true;
        return read_names(m);
    }
    bool is_fields = ice_str_is(name, "fields");
    ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
    if (!is_fields || event.kind == ICE_JSON_NULL)
        return ice_json_skip(&m->json, &event, &m->fault);
    if (event.kind != ICE_JSON_ARRAY)
        return shape(m, "fields is no array");
    return open_list(m);
}

static enum ice_status step(struct mapper *m) {
    struct level *level = &m->levels[m->n_levels - 1];
    struct ice_json_event event;
    ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
    if (level->in_mapping)
        return event.kind == ICE_JSON_OBJECT_END ? finish_mapping(m)
                                                 : read_member(m, event.text);
    if (event.kind == ICE_JSON_ARRAY_END) {
        bool is_empty = level->is_empty;
        m->n_levels--;
        if (m->n_levels > 0)
            m->levels[m->n_levels - 1].mapping.has_children = !is_empty;
        return ICE_OK;
    }
    if (event.kind != ICE_JSON_OBJECT)
        return shape(m, "a mapping is no object");
    level->is_empty = false;
    level->in_mapping = true;
    level->mapping = (struct mapping){.first_name = m->n_names};
    return ICE_OK;
}

static enum ice_status read_mapping(struct mapper *m) {
    struct ice_json_event event;
    ICE_TRY(ice_json_next(&m->json, &event, &m->fault));
    if (event.kind != ICE_JSON_ARRAY)
        return shape(m, "it is no array");
    ICE_TRY(open_list(m));
    while (m->n_levels > 0)
        ICE_TRY(step(m));
    /* what stands behind the array must be nothing */
    return ice_json_next(&m->json, &event, &m->fault);
}

static enum ice_status check_text(struct mapper *m, struct ice_str text) {
    struct ice_stream stream = {0};
    ice_stream_init_memory(&stream, m->p->ck->run, text);
    enum ice_status status =
        ice_json_init(&m->json, &stream, m->p->ck->run, NULL, NULL, &m->fault);
    if (status >= 0)
        status = take_schemas(m);
    if (status >= 0)
        status = read_mapping(m);
    if (status == ICE_EFORMAT || status == ICE_ELIMIT) {
        FOUND(m->p->emit, ICE_RULE_PROPS_NAME_MAPPING_INVALID, at(m->p),
              arg_text("detail", m->wrong != NULL ? m->wrong : m->fault.message));
        status = ICE_OK;
    }
    ice_json_release(&m->json);
    ice_stream_release(&stream);
    return status;
}

enum ice_status ice_rules_name_mapping(struct ice_pass1 *p, struct ice_error *err) {
    struct ice_alloc *alloc = &p->ck->run->alloc;
    struct mapper m = {.p = p};
    struct ice_str text;
    if (!ice_metadata_property(p->m, key, &text))
        return ICE_OK;
    ice_table_init(&m.seen, alloc);
    ice_table_init(&m.fields, alloc);
    ice_error_clear(&m.fault);
    enum ice_status status = check_text(&m, text);
    ice_array_free(alloc, &m.levels, &m.cap_levels, sizeof(*m.levels));
    ice_array_free(alloc, &m.lists, &m.cap_lists, sizeof(*m.lists));
    ice_array_free(alloc, &m.names, &m.cap_names, sizeof(*m.names));
    ice_table_release(&m.seen);
    ice_table_release(&m.fields);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status < 0 ? status : ICE_OK;
}
