/*
 * Reports: hostile strings in every slot, every format. Each report is the same twice and
 * is looked at: JSON parses and texts come back; text formats hold no raw control or bidi
 * character. A twin of the report, each string replaced by letters, has as many lines,
 * cells, tags: so no string made one.
 *
 *   input   = number of findings and format (ALL_FORMATS: each), then for each finding
 *             its rule and shape, then strings
 *   string  = size (1 byte), bytes; empty behind the end
 */
#include "base/compiler.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "fuzz/target.h"

#include <jansson.h>

enum {
    MOST_FINDINGS = 4,
    MOST_ARGS = 4,
    ALL_FORMATS = ICE_FORMAT_ARROW + 1,
    N_ROWS = 2,
    N_COLUMNS = 4
};

/* ---- what is reported ---- */

struct dealer {
    struct ice_str rest;
    bool letters; /* the twin: for each byte two letters */
    struct ice_buf *text;
};

static uint8_t deal_byte(struct dealer *dealer) {
    const uint8_t byte = dealer->rest.size > 0 ? (uint8_t)dealer->rest.data[0] : 0;
    dealer->rest = ice_str_from_index(dealer->rest, dealer->rest.size > 0 ? 1 : 0);
    return byte;
}

static struct ice_str deal(struct dealer *dealer) {
    const size_t size = deal_byte(dealer);
    const struct ice_str out = ice_str_first(dealer->rest, size);
    dealer->rest = ice_str_from_index(dealer->rest, out.size);
    if (!dealer->letters || out.size == 0)
        return out;
    const size_t start = dealer->text->size;
    for (size_t i = 0; i < out.size; i++) {
        const uint8_t byte = (uint8_t)out.data[i];
        require(ice_buf_append_char(dealer->text, (char)('a' + (byte >> 4))) == ICE_OK);
        require(ice_buf_append_char(dealer->text, (char)('a' + (byte & 15))) == ICE_OK);
    }
    return ice_str_make(dealer->text->data + start, out.size * 2);
}

struct told {
    struct ice_finding findings[MOST_FINDINGS];
    struct ice_arg args[MOST_FINDINGS][MOST_ARGS];
    size_t n;
    int format;
    struct ice_not_evaluated lines[2];
    struct ice_summary summary;
    struct ice_value values[N_ROWS][N_COLUMNS];
};

static struct ice_location deal_place(struct dealer *dealer, unsigned shape) {
    struct ice_location at = {.file = deal(dealer), .pointer = deal(dealer)};
    const bool is_json = shape & 1;
    at.offset = shape & 2 ? ICE_NO_OFFSET : shape;
    at.line = at.column = is_json ? 1 + shape : 0;
    at.block = is_json || shape & 4 ? ICE_NO_OFFSET : shape;
    at.record = is_json || shape & 8 ? ICE_NO_OFFSET : shape;
    return at;
}

static void deal_finding(struct dealer *dealer, struct told *told, struct ice_str table) {
    static const char *const names[MOST_ARGS] = {"path", "found", "expected", "count"};
    struct ice_finding *finding = &told->findings[told->n];
    struct ice_arg *args = told->args[told->n++];
    const size_t rule = (size_t)deal_byte(dealer) << 2 | (deal_byte(dealer) & 3);
    const unsigned shape = deal_byte(dealer);
    finding->rule = ice_rule_at(rule % ice_rule_count());
    finding->severity = (enum ice_severity)(ICE_INFO + shape % 3);
    finding->table = table;
    finding->at = deal_place(dealer, shape);
    if (shape & 64)
        finding->other = deal_place(dealer, shape >> 1);
    finding->message = deal(dealer);
    finding->more = shape & 128 ? shape : 0;
    finding->fingerprint = rule;
    for (size_t i = 0; i < MOST_ARGS; i++)
        args[i] = (struct ice_arg){.name = names[i],
                                   .kind = (enum ice_arg_kind)((shape + i) % 5),
                                   .str = deal(dealer),
                                   .i64 = (int64_t)shape - 100};
    finding->args = args;
    finding->n_args = shape % (MOST_ARGS + 1);
}

/* What was not evaluated is a word of the program, which decides what JUnit calls
 * skipped: the twin has the same. */
static struct ice_str deal_what(struct dealer *dealer) {
    static const char *const words[] = {
        "table",         "metadata", "manifest list", "manifest", "avro.*",
        "history.*",     "conf.*",   "storage.*",     "",         "avro.second-opinion",
        "<!--]]>&\"'\n",
    };
    return ice_str_from(words[deal_byte(dealer) % ICE_COUNT_OF(words)]);
}

static void deal_summary(struct dealer *dealer, struct told *told, struct ice_str table) {
    for (size_t i = 0; i < ICE_COUNT_OF(told->lines); i++)
        told->lines[i] = (struct ice_not_evaluated){
            .what = deal_what(dealer),
            .why = deal(dealer),
            .file = deal(dealer),
            .asked = i == 0,
        };
    struct ice_summary *summary = &told->summary;
    summary->table = table;
    summary->location = deal(dealer);
    summary->table_uuid = deal(dealer);
    summary->metadata_file = deal(dealer);
    summary->picked_by = "name";
    summary->scope_snapshots = "all";
    summary->depth = "manifest";
    summary->format_version = 2;
    summary->not_evaluated = told->lines;
    summary->n_not_evaluated = ICE_COUNT_OF(told->lines);
    for (size_t i = 0; i < told->n; i++)
        summary->counts[told->findings[i].severity]++;
    summary->exit_code = 3;
}

static void deal_all(struct dealer *dealer, struct told *told) {
    const int head = deal_byte(dealer);
    const size_t n = (size_t)head % (MOST_FINDINGS + 1);
    const struct ice_str table = deal(dealer);
    *told = (struct told){.format = head / (MOST_FINDINGS + 1) % (ALL_FORMATS + 1)};
    while (told->n < n)
        deal_finding(dealer, told, table);
    deal_summary(dealer, told, table);
    for (size_t i = 0; i < N_ROWS; i++) {
        struct ice_value *row = told->values[i];
        row[0] = (struct ice_value){.kind = ICE_VALUE_STR, .str = deal(dealer)};
        row[1] = (struct ice_value){.kind = ICE_VALUE_BYTES, .str = deal(dealer)};
        row[2] = (struct ice_value){.kind = ICE_VALUE_TIME, .i64 = deal_byte(dealer)};
        row[3] = (struct ice_value){.kind = ICE_VALUE_STR, .str = deal(dealer)};
    }
}

/* ---- reports ---- */

static enum ice_status to_buf(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

/* False: no report of findings has the format. */
static bool report_findings(const struct told *told, enum ice_format format,
                            struct ice_buf *out) {
    const struct ice_report_options options = {.min_severity = ICE_INFO};
    struct ice_report *report = NULL;
    ice_buf_clear(out);
    const enum ice_status status =
        ice_report_open(&report, format, &options, NULL, to_buf, out, NULL);
    if (status == ICE_EARG || status == ICE_EUNSUPPORTED)
        return false;
    require(status == ICE_OK);
    for (size_t i = 0; i < told->n; i++)
        require(ice_report_finding(&told->findings[i], report) == ICE_OK);
    require(ice_report_summary(report, &told->summary, &options) == ICE_OK);
    require(ice_report_finish(report) == ICE_OK);
    ice_report_free(report);
    return true;
}

static bool report_rows(const struct told *told, enum ice_format format,
                        struct ice_buf *out) {
    static const struct ice_column columns[N_COLUMNS] = {{"path", ICE_VALUE_STR},
                                                         {"bound", ICE_VALUE_BYTES},
                                                         {"time", ICE_VALUE_TIME},
                                                         {"value", ICE_VALUE_STR}};
    struct ice_rows *rows = NULL;
    ice_buf_clear(out);
    if (format == ICE_FORMAT_GRAPH)
        return false; /* of commits alone: see answers.c */
    const enum ice_status status =
        ice_rows_open(&rows, format, NULL, NULL, to_buf, out, NULL);
    if (status == ICE_EARG || status == ICE_EUNSUPPORTED)
        return false;
    require(status == ICE_OK);
    for (size_t i = 0; i < N_ROWS; i++)
        require(ice_rows_row(columns, told->values[i], N_COLUMNS, rows) == ICE_OK);
    require(ice_rows_finish(rows) == ICE_OK);
    ice_rows_free(rows);
    return true;
}

/* ---- what they must be ---- */

static bool is_bidi(uint32_t point) {
    return point == 0x61c || point == 0x200e || point == 0x200f ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

/* For a terminal or a log: nothing that moves, colours or turns the text. */
static void check_plain(struct ice_str text) {
    size_t at = 0;
    while (at < text.size) {
        const uint32_t point = ice_utf8_next(text, &at);
        require(point != UINT32_MAX);
        require((point >= 0x20 && point < 0x7f) || point == '\n' || point >= 0xa0);
        require(!is_bidi(point) && point != 0x2028 && point != 0x2029);
    }
}

/* Characters that HTML and, where told, XML 1.0 allow. */
static void check_markup(struct ice_str text, bool is_xml) {
    size_t at = 0;
    while (at < text.size) {
        const uint32_t point = ice_utf8_next(text, &at);
        require(point != UINT32_MAX);
        require(!is_xml || (point != 0xfffe && point != 0xffff));
        require(point >= 0x20 || point == '\n' || point == '\t' || point == '\r');
    }
}

static void check_text_is(const json_t *value, struct ice_str text) {
    /* a byte that is no UTF-8 comes as text */
    if (!ice_utf8_is_valid(text))
        return;
    require(json_is_string(value));
    require(ice_str_equal(
        ice_str_make(json_string_value(value), json_string_length(value)), text));
}

static json_t *parse(struct ice_str text) {
    json_t *root =
        json_loadb(text.data, text.size,
                   JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    require(root != NULL);
    return root;
}

/* An object of ndjson that is a finding or the summary. */
static void check_object(const json_t *object, const struct told *told, size_t *n_seen) {
    const char *kind = json_string_value(json_object_get(object, "kind"));
    require(kind != NULL);
    if (strcmp(kind, "finding") == 0) {
        const struct ice_finding *finding = &told->findings[(*n_seen)++];
        check_text_is(json_object_get(object, "message"), finding->message);
        check_text_is(json_object_get(object, "table"), finding->table);
        if (finding->at.file.size > 0)
            check_text_is(json_object_get(object, "file"), finding->at.file);
        if (finding->at.pointer.size > 0)
            check_text_is(json_object_get(object, "pointer"), finding->at.pointer);
        const json_t *args = json_object_get(object, "args");
        for (size_t i = 0; i < finding->n_args; i++) {
            if (finding->args[i].kind == ICE_ARG_STR)
                check_text_is(json_object_get(args, finding->args[i].name),
                              finding->args[i].str);
        }
    } else {
        require(strcmp(kind, "summary") == 0);
        check_text_is(json_object_get(object, "table"), told->summary.table);
        if (told->summary.location.size > 0)
            check_text_is(json_object_get(object, "location"), told->summary.location);
    }
}

static void check_lines(struct ice_str text, const struct told *told, bool are_parts) {
    size_t n_seen = 0;
    while (text.size > 0) {
        const size_t line = ice_str_find(text, '\n');
        require(line != SIZE_MAX);
        json_t *root = parse(ice_str_first(text, line));
        if (are_parts)
            check_object(root, told, &n_seen);
        json_decref(root);
        text = ice_str_from_index(text, line + 1);
    }
    require(!are_parts || n_seen == told->n);
}

static void check_rows_json(struct ice_str text, const struct told *told) {
    json_t *root = parse(text);
    require(json_is_array(root) && json_array_size(root) == N_ROWS);
    for (size_t i = 0; i < N_ROWS; i++) {
        const json_t *row = json_array_get(root, i);
        check_text_is(json_object_get(row, "path"), told->values[i][0].str);
        check_text_is(json_object_get(row, "value"), told->values[i][3].str);
    }
    json_decref(root);
}

static void check_form(enum ice_format format, struct ice_str text,
                       const struct told *told, bool is_rows) {
    switch (format) {
    case ICE_FORMAT_HUMAN:
    case ICE_FORMAT_SHORT:
    case ICE_FORMAT_TABLE:
    case ICE_FORMAT_GRAPH:
    case ICE_FORMAT_GITHUB:
    case ICE_FORMAT_MARKDOWN:
        check_plain(text);
        return;
    case ICE_FORMAT_JSON:
        if (is_rows)
            check_rows_json(text, told);
        else
            json_decref(parse(text));
        return;
    case ICE_FORMAT_SARIF:
        json_decref(parse(text));
        return;
    case ICE_FORMAT_NDJSON:
        check_lines(text, told, !is_rows);
        return;
    case ICE_FORMAT_LINES:
        check_lines(text, told, false);
        return;
    case ICE_FORMAT_JUNIT:
    case ICE_FORMAT_HTML:
        check_markup(text, format == ICE_FORMAT_JUNIT);
        return;
    case ICE_FORMAT_TSV:
    case ICE_FORMAT_ARROW:
        return; /* counts alone; bytes */
    }
}

/* What no string may add to a format. */
static const char *marks_of(enum ice_format format) {
    switch (format) {
    case ICE_FORMAT_SHORT:
    case ICE_FORMAT_NDJSON:
    case ICE_FORMAT_LINES:
    case ICE_FORMAT_GITHUB:
    case ICE_FORMAT_MARKDOWN:
    case ICE_FORMAT_TABLE:
    case ICE_FORMAT_GRAPH:
        return "\n";
    case ICE_FORMAT_TSV:
        return "\n\t";
    case ICE_FORMAT_JUNIT:
    case ICE_FORMAT_HTML:
        return "<>";
    case ICE_FORMAT_HUMAN:
    case ICE_FORMAT_JSON:
    case ICE_FORMAT_SARIF:
    case ICE_FORMAT_ARROW:
        return "";
    }
    return "";
}

static size_t count(struct ice_str text, char mark) {
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++)
        n += text.data[i] == mark;
    return n;
}

static void check_format(enum ice_format format, const struct told *told,
                         const struct told *twin, bool is_rows, struct ice_run *run) {
    bool (*const make)(const struct told *, enum ice_format, struct ice_buf *) =
        is_rows ? report_rows : report_findings;
    struct ice_buf out, other;
    ice_buf_init(&out, &run->alloc, SIZE_MAX);
    ice_buf_init(&other, &run->alloc, SIZE_MAX);
    if (make(told, format, &out)) {
        require(make(told, format, &other));
        require(ice_str_equal(ice_buf_str(&out), ice_buf_str(&other)));
        check_form(format, ice_buf_str(&out), told, is_rows);
        require(make(twin, format, &other));
        for (const char *mark = marks_of(format); *mark != '\0'; mark++)
            require(count(ice_buf_str(&out), *mark) == count(ice_buf_str(&other), *mark));
    }
    ice_buf_release(&out);
    ice_buf_release(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    struct ice_buf letters;
    struct told told, twin;
    target_begin(&run);
    ice_buf_init(&letters, &run.alloc, SIZE_MAX);
    if (size > 4096)
        size = 4096;
    /* room first: strings of the twin are views */
    require(ice_buf_reserve(&letters, 2 * size + 1) == ICE_OK);
    struct dealer dealer = {.rest = ice_str_make(data, size), .text = &letters};
    deal_all(&dealer, &told);
    dealer = (struct dealer){
        .rest = ice_str_make(data, size), .letters = true, .text = &letters};
    deal_all(&dealer, &twin);
    for (int format = ICE_FORMAT_HUMAN; format < ALL_FORMATS; format++) {
        if (told.format != ALL_FORMATS && told.format != format)
            continue;
        check_format((enum ice_format)format, &told, &twin, false, &run);
        check_format((enum ice_format)format, &told, &twin, true, &run);
    }
    ice_buf_release(&letters);
    target_end(&run);
    return 0;
}
