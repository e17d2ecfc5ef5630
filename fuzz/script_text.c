/*
 * Scripts and SQL: any bytes become tokens that stand in the text, in order, and every
 * text that Python hands to Spark knows its place.
 */
#include "conf/py_script.h"
#include "conf/sql_text.h"
#include "fuzz/target.h"

static void read_sql(struct ice_str text) {
    struct ice_sql_lexer lexer = {.text = text};
    struct ice_sql_token token;
    size_t last = 0;
    do {
        ice_sql_lexer_next(&lexer, &token);
        require(token.offset >= last && lexer.at <= text.size);
        require(token.kind == ICE_SQL_END || lexer.at > token.offset);
        last = lexer.at;
    } while (token.kind != ICE_SQL_END);

    struct ice_sql_reader reader;
    struct ice_sql_event event;
    size_t n = 0;
    ice_sql_reader_init(&reader, text);
    for (ice_sql_next(&reader, &event); event.kind != ICE_SQL_DONE;
         ice_sql_next(&reader, &event)) {
        require(event.name.n_parts > 0);
        require(event.name.offset + event.name.size <= text.size);
        require(++n <= text.size);
    }
}

static void read_python(struct ice_str text, struct ice_arena *arena) {
    struct ice_py_script script;
    if (ice_py_script_read(&script, text, arena) != ICE_OK)
        return;
    for (const struct ice_py_call *c = script.first; c != NULL; c = c->next) {
        require(c->offset < text.size);
        for (const struct ice_py_arg *a = c->first; a != NULL; a = a->next) {
            for (size_t i = 0; i < a->text.text.size && i < 64; i++)
                (void)ice_py_text_offset(&a->text, i);
            if (a->is_text)
                read_sql(a->text.text);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    struct ice_run run;
    struct ice_arena arena;
    ice_run_init(&run, &options);
    ice_arena_init(&arena, &run.alloc);
    read_sql(ice_str_make(data, size));
    read_python(ice_str_make(data, size), &arena);
    ice_arena_release(&arena);
    require(run.alloc.used == 0);
    return 0;
}
