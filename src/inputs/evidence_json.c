/*
 * Evidence in JSON. Members are known by their names alone; what an object says is told
 * when it ends, as its members come in any order.
 */
#include "inputs/evidence_json.h"

#include "base/error.h"

enum role {
    ROLE_NONE,
    ROLE_MESSAGE,
    ROLE_TIME,
    ROLE_LEVEL,
    ROLE_LOGGER,
    ROLE_STREAM,
    ROLE_INSTANT, /* log4j 2: the time as an object */
    ROLE_SECONDS,
    ROLE_NANOS,
    ROLE_REPORT_TYPE,
    ROLE_REPORT_TABLE,
    ROLE_SNAPSHOT,
    ROLE_SCHEMA_ID,
    ROLE_FILE,
    ROLE_LATEST,
    ROLE_MADE_CURRENT,
    ROLE_CATALOG,
    ROLE_SCHEMA,
    ROLE_TABLE,
    ROLE_CONNECTOR, /* Trino: what the connector says of an input */
    ROLE_READ,
    ROLE_STATS, /* Trino: holds the query's times */
};

static const struct {
    const char *name;
    enum role role;
} members[] = {
    /* layouts of logs: log4j, logback, Spark 4, containers, CloudWatch, Cloud Logging */
    {"message", ROLE_MESSAGE},
    {"msg", ROLE_MESSAGE},
    {"log", ROLE_MESSAGE},
    {"@message", ROLE_MESSAGE},
    {"textPayload", ROLE_MESSAGE},
    {"time", ROLE_TIME},
    {"ts", ROLE_TIME},
    {"timestamp", ROLE_TIME},
    {"@timestamp", ROLE_TIME},
    {"timeMillis", ROLE_TIME},
    {"createTime", ROLE_TIME},
    {"instant", ROLE_INSTANT},
    {"epochSecond", ROLE_SECONDS},
    {"nanoOfSecond", ROLE_NANOS},
    {"level", ROLE_LEVEL},
    {"severity", ROLE_LEVEL},
    {"logger", ROLE_LOGGER},
    {"loggerName", ROLE_LOGGER},
    {"logger_name", ROLE_LOGGER},
    {"stream", ROLE_STREAM},
    /* ReportMetricsRequest of a REST catalog */
    {"report-type", ROLE_REPORT_TYPE},
    {"table-name", ROLE_REPORT_TABLE},
    {"snapshot-id", ROLE_SNAPSHOT},
    {"schema-id", ROLE_SCHEMA_ID},
    /* rows of metadata_log_entries and of history */
    {"file", ROLE_FILE},
    {"latest_snapshot_id", ROLE_LATEST},
    {"made_current_at", ROLE_MADE_CURRENT},
    {"snapshot_id", ROLE_SNAPSHOT},
    /* inputs of a Trino query */
    {"catalogName", ROLE_CATALOG},
    {"schema", ROLE_SCHEMA},
    {"table", ROLE_TABLE},
    {"connectorInfo", ROLE_CONNECTOR},
    {"snapshotId", ROLE_READ},
    {"queryStats", ROLE_STATS},
};

static enum role role_of(struct ice_str name) {
    for (size_t i = 0; i < ICE_COUNT_OF(members); i++) {
        if (ice_str_is(name, members[i].name))
            return members[i].role;
    }
    return ROLE_NONE;
}

/* ---- objects ---- */

static void bufs_of(struct ice_evidence_object *object, struct ice_buf *out[5]) {
    out[0] = &object->message;
    out[1] = &object->table;
    out[2] = &object->file;
    out[3] = &object->catalog;
    out[4] = &object->schema;
}

void ice_evidence_walk_init(struct ice_evidence_walk *walk,
                            struct ice_evidence_reader *reader) {
    *walk = (struct ice_evidence_walk){.reader = reader, .line = 1};
    for (size_t i = 0; i < ICE_EVIDENCE_DEPTH; i++) {
        struct ice_buf *bufs[5];
        bufs_of(&walk->objects[i], bufs);
        for (size_t b = 0; b < ICE_COUNT_OF(bufs); b++)
            ice_buf_init(bufs[b], &reader->log->run->alloc, SIZE_MAX);
    }
}

void ice_evidence_walk_release(struct ice_evidence_walk *walk) {
    for (size_t i = 0; i < ICE_EVIDENCE_DEPTH; i++) {
        struct ice_buf *bufs[5];
        bufs_of(&walk->objects[i], bufs);
        for (size_t b = 0; b < ICE_COUNT_OF(bufs); b++)
            ice_buf_release(bufs[b]);
    }
}

static void begin(struct ice_evidence_object *object, bool is_array, enum role outer) {
    struct ice_evidence_object fresh = {
        .is_array = is_array, .outer = (int)outer, .time_ms = INT64_MIN};
    struct ice_buf *old[5], *new[5];
    bufs_of(object, old);
    bufs_of(&fresh, new);
    for (size_t b = 0; b < ICE_COUNT_OF(old); b++) {
        ice_buf_clear(old[b]);
        *new[b] = *old[b];
    }
    *object = fresh;
}

static enum ice_status keep(struct ice_buf *out, struct ice_str text) {
    ice_buf_clear(out);
    return ice_buf_append_str(out, text);
}

static void take_time(struct ice_evidence_walk *walk, struct ice_evidence_object *object,
                      struct ice_str text) {
    struct ice_evidence timed = {.time_ms = INT64_MIN};
    ice_evidence_time(walk->reader->log, text, &timed);
    if (timed.time_ms == INT64_MIN)
        return;
    object->time_ms = timed.time_ms;
    object->has_zone = timed.has_zone;
    object->has_time = true;
}

static bool take_id(const struct ice_json_event *event, int64_t *out) {
    return (event->kind == ICE_JSON_NUMBER || event->kind == ICE_JSON_STRING) &&
           ice_str_to_i64(event->text, out);
}

/* A member whose value is a text or number. */
static enum ice_status take(struct ice_evidence_walk *walk,
                            struct ice_evidence_object *object, enum role role,
                            const struct ice_json_event *event) {
    bool is_text = event->kind == ICE_JSON_STRING;
    int64_t number;
    switch (role) {
    case ROLE_MESSAGE:
        return is_text ? keep(&object->message, event->text) : ICE_OK;
    case ROLE_MADE_CURRENT:
        object->has_current = true;
        take_time(walk, object, event->text);
        break;
    case ROLE_TIME:
        take_time(walk, object, event->text);
        break;
    case ROLE_LEVEL:
        object->is_line |= is_text && ice_evidence_is_level(event->text);
        break;
    case ROLE_LOGGER:
        object->is_line |= is_text;
        break;
    case ROLE_STREAM:
        object->is_line |= is_text && (ice_str_is(event->text, "stderr") ||
                                       ice_str_is(event->text, "stdout"));
        break;
    case ROLE_SECONDS:
        if (take_id(event, &number) && number > -INT64_C(1000000000000) &&
            number < INT64_C(1000000000000))
            object->seconds = number;
        break;
    case ROLE_NANOS:
        if (take_id(event, &number) && number >= 0 && number < 1000000000) {
            object->time_ms = object->seconds * 1000 + number / 1000000;
            object->has_time = object->has_zone = true;
        }
        break;
    case ROLE_REPORT_TYPE:
        object->is_scan_report = is_text && ice_str_is(event->text, "scan-report");
        object->is_commit_report = is_text && ice_str_is(event->text, "commit-report");
        break;
    case ROLE_REPORT_TABLE:
    case ROLE_TABLE:
        return is_text ? keep(&object->table, event->text) : ICE_OK;
    case ROLE_SNAPSHOT:
        object->has_snapshot = take_id(event, &object->snapshot_id);
        break;
    case ROLE_SCHEMA_ID:
        object->has_schema_id = take_id(event, &object->schema_id);
        break;
    case ROLE_FILE:
        return is_text ? keep(&object->file, event->text) : ICE_OK;
    case ROLE_LATEST:
        object->has_latest = true;
        object->has_snapshot = take_id(event, &object->snapshot_id);
        break;
    case ROLE_CATALOG:
        return is_text ? keep(&object->catalog, event->text) : ICE_OK;
    case ROLE_SCHEMA:
        return is_text ? keep(&object->schema, event->text) : ICE_OK;
    case ROLE_READ:
        object->has_read = take_id(event, &object->read_id);
        break;
    case ROLE_NONE:
    case ROLE_INSTANT:
    case ROLE_CONNECTOR:
    case ROLE_STATS:
        break;
    }
    return ICE_OK;
}

/* ---- what an object says ---- */

static void give_time(const struct ice_evidence_walk *walk, struct ice_evidence *record) {
    for (size_t i = walk->depth; i > 0; i--) {
        const struct ice_evidence_object *object = &walk->objects[i - 1];
        if (object->has_time) {
            record->time_ms = object->time_ms;
            record->has_zone = object->has_zone;
            return;
        }
    }
    if (walk->around != NULL) {
        record->time_ms = walk->around->time_ms;
        record->has_zone = walk->around->has_zone;
    }
}

/* The lines of a message; its own times do for those that the objects give none for. */
static enum ice_status tell_message(struct ice_evidence_walk *walk, struct ice_str text,
                                    const struct ice_evidence *record) {
    while (text.size > 0) {
        size_t at = ice_str_find(text, '\n');
        struct ice_str line = ice_str_first(text, at);
        text = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(text, at + 1);
        walk->is_log = walk->is_log || ice_evidence_is_log_line(line);
        if (line.size > 0 && line.data[line.size - 1] == '\r')
            line.size--;
        ICE_TRY(ice_evidence_line(walk->reader, line, record));
    }
    return ice_evidence_flush(walk->reader);
}

/* catalog.schema.table, into catalog. */
static enum ice_status join_name(struct ice_evidence_object *object) {
    const struct ice_buf *parts[] = {&object->schema, &object->table};
    for (size_t i = 0; i < ICE_COUNT_OF(parts); i++) {
        if (parts[i]->size == 0)
            continue;
        if (object->catalog.size > 0)
            ICE_TRY(ice_buf_append_char(&object->catalog, '.'));
        ICE_TRY(ice_buf_append_str(&object->catalog, ice_buf_str(parts[i])));
    }
    return ICE_OK;
}

static enum ice_status tell_object(struct ice_evidence_walk *walk,
                                   struct ice_evidence_object *object, uint64_t line) {
    struct ice_evidence record = {.line = line,
                                  .time_ms = INT64_MIN,
                                  .created_ms = INT64_MIN,
                                  .has_snapshot_id = object->has_snapshot,
                                  .snapshot_id = object->snapshot_id};
    give_time(walk, &record);
    if (object->message.size > 0) {
        walk->is_log = walk->is_log || object->is_line;
        return tell_message(walk, ice_buf_str(&object->message), &record);
    }
    if ((object->is_scan_report || object->is_commit_report) && object->table.size > 0) {
        record.kind = object->is_scan_report ? ICE_EVIDENCE_REPORT : ICE_EVIDENCE_COMMIT;
        record.table = ice_buf_str(&object->table);
        record.has_schema_id = object->is_scan_report && object->has_schema_id;
        record.schema_id = object->schema_id;
        return ice_evidence_tell(walk->reader, &record);
    }
    if ((object->has_latest && object->file.size > 0) ||
        (object->has_current && object->has_snapshot)) {
        record.kind = ICE_EVIDENCE_SESSION;
        record.metadata_location = ice_buf_str(&object->file);
        return ice_evidence_tell(walk->reader, &record);
    }
    if (object->has_read && object->outer != ROLE_CONNECTOR && object->table.size > 0) {
        ICE_TRY(join_name(object));
        record.kind = ICE_EVIDENCE_QUERY;
        record.has_snapshot_id = true;
        record.snapshot_id = object->read_id;
        record.table = ice_buf_str(&object->catalog);
        return ice_evidence_tell(walk->reader, &record);
    }
    return ICE_OK;
}

/* What an inner object says belongs to the one around it. */
static void hand_up(struct ice_evidence_walk *walk,
                    const struct ice_evidence_object *object) {
    if (walk->depth < 2)
        return;
    struct ice_evidence_object *outer = &walk->objects[walk->depth - 2];
    if (object->outer == ROLE_CONNECTOR && object->has_read) {
        outer->has_read = true;
        outer->read_id = object->read_id;
    }
    if ((object->outer == ROLE_INSTANT || object->outer == ROLE_STATS) &&
        object->has_time && !outer->has_time) {
        outer->has_time = true;
        outer->time_ms = object->time_ms;
        outer->has_zone = object->has_zone;
    }
}

/* ---- the walk ---- */

static uint64_t line_of(const struct ice_evidence_walk *walk, uint64_t offset) {
    uint32_t line = 1, column;
    if (!walk->is_one_line)
        ice_json_position(&walk->json, offset, &line, &column);
    return walk->line + line - 1;
}

static enum ice_status end_object(struct ice_evidence_walk *walk, uint64_t offset) {
    struct ice_evidence_object *object = &walk->objects[walk->depth - 1];
    enum ice_status status = ICE_OK;
    if (!object->is_array) {
        hand_up(walk, object);
        status = tell_object(walk, object, line_of(walk, offset));
    }
    walk->depth--;
    return status;
}

static enum ice_status walk_event(struct ice_evidence_walk *walk,
                                  const struct ice_json_event *event, enum role *role,
                                  struct ice_error *err) {
    bool is_array = event->kind == ICE_JSON_ARRAY;
    switch (event->kind) {
    case ICE_JSON_OBJECT:
    case ICE_JSON_ARRAY:
        if (walk->depth == ICE_EVIDENCE_DEPTH)
            ICE_TRY(ice_json_skip(&walk->json, event, err));
        else
            begin(&walk->objects[walk->depth++], is_array, *role);
        break;
    case ICE_JSON_OBJECT_END:
    case ICE_JSON_ARRAY_END:
        ICE_TRY(end_object(walk, event->offset));
        break;
    case ICE_JSON_KEY:
        *role = role_of(event->text);
        return ICE_OK;
    case ICE_JSON_STRING:
    case ICE_JSON_NUMBER:
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
    case ICE_JSON_NULL:
        if (walk->depth > 0 && !walk->objects[walk->depth - 1].is_array &&
            take(walk, &walk->objects[walk->depth - 1], *role, event) < 0)
            return ice_error_memory(err);
        break;
    }
    *role = ROLE_NONE;
    return ICE_OK;
}

enum ice_status ice_evidence_walk_document(struct ice_evidence_walk *walk,
                                           struct ice_stream *stream,
                                           struct ice_error *err) {
    struct ice_json_event event;
    enum role role = ROLE_NONE;
    uint64_t last = 0;
    walk->depth = 0;
    ICE_TRY(ice_json_init(&walk->json, stream, walk->reader->log->run, NULL, NULL, err));
    enum ice_status status;
    do {
        status = ice_json_next(&walk->json, &event, err);
        if (status == ICE_OK) {
            last = event.offset;
            status = walk_event(walk, &event, &role, err);
        }
    } while (status == ICE_OK && ice_json_depth(&walk->json) > 0);
    walk->line = line_of(walk, last);
    ice_json_release(&walk->json);
    return status;
}

/* Blanks up to the next document, their lines counted; *out_end: there is none. */
static enum ice_status skip_blanks(struct ice_evidence_walk *walk,
                                   struct ice_stream *stream, bool *out_end,
                                   struct ice_error *err) {
    for (;;) {
        struct ice_str text;
        size_t n = 0;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        *out_end = text.size == 0;
        for (; n < text.size && strchr(" \t\r\n,", text.data[n]) != NULL &&
               text.data[n] != '\0';
             n++)
            walk->line += text.data[n] == '\n';
        ice_stream_consume(stream, n);
        if (n < text.size || *out_end)
            return ICE_OK;
    }
}

static enum ice_status walk_all(struct ice_evidence_walk *walk, struct ice_stream *stream,
                                struct ice_error *err) {
    bool is_end = false;
    enum ice_status status = skip_blanks(walk, stream, &is_end, err);
    while (status == ICE_OK && !is_end) {
        status = ice_evidence_walk_document(walk, stream, err);
        if (status == ICE_OK)
            status = skip_blanks(walk, stream, &is_end, err);
    }
    return status;
}

enum ice_status ice_evidence_read_documents(struct ice_evidence_reader *reader,
                                            struct ice_stream *stream) {
    struct ice_evidence_walk walk;
    ice_evidence_walk_init(&walk, reader);
    enum ice_status status = walk_all(&walk, stream, reader->err);
    if (status == ICE_OK)
        status = ice_evidence_end(reader);
    reader->log->n_lines = walk.line;
    ice_evidence_walk_release(&walk);
    return status;
}

/* ---- recognising ---- */

static enum ice_status count(const struct ice_evidence *record, void *user) {
    (void)record;
    ++*(uint64_t *)user;
    return ICE_OK;
}

enum ice_evidence_format ice_evidence_detect_json(struct ice_run *run,
                                                  struct ice_str first) {
    struct ice_evidence_log log = {.run = run};
    struct ice_evidence_reader reader;
    struct ice_evidence_walk walk;
    struct ice_stream stream;
    struct ice_error fault;
    uint64_t n = 0;
    ice_error_clear(&fault);
    ice_evidence_reader_init(&reader, &log, count, &n, &fault);
    ice_evidence_walk_init(&walk, &reader);
    ice_stream_init_memory(&stream, run, first);
    (void)walk_all(&walk, &stream, &fault); /* the peek ends anywhere */
    ice_stream_release(&stream);
    ice_evidence_walk_release(&walk);
    ice_evidence_reader_release(&reader);
    if (n == 0 && !walk.is_log)
        return ICE_EVIDENCE_FORMATS;
    struct ice_str line =
        ice_evidence_trim(ice_str_first(first, ice_str_find(first, '\n')), false);
    /* lines of objects may have other lines between them */
    return ice_evidence_is_object_line(line) ? ICE_EVIDENCE_LOG : ICE_EVIDENCE_JSON;
}
