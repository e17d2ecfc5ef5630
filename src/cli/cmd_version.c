/*
 * icefsck version: what was built, with what, and which limits hold.
 */
#include "cli/opinion.h"

#include <libdeflate.h>
#include <snappy-c.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#ifdef ICE_WITH_BZIP2
#include <bzlib.h>
#endif
#ifdef ICE_WITH_LZMA
#include <lzma.h>
#endif
#ifdef ICE_WITH_SQLITE
#include <sqlite3.h>
#endif

/* Name, version at compile time, version at run time. */
struct library {
    const char *name, *compiled, *running;
};

static size_t libraries(struct library out[8]) {
    size_t n = 0;
    out[n++] = (struct library){"zlib", ZLIB_VERSION, zlibVersion()};
    out[n++] = (struct library){"zstd", ZSTD_VERSION_STRING, ZSTD_versionString()};
    out[n++] = (struct library){"libdeflate", LIBDEFLATE_VERSION_STRING, ""};
    out[n++] = (struct library){"snappy", "", ""};
#ifdef ICE_WITH_BZIP2
    out[n++] = (struct library){"bzip2", "", BZ2_bzlibVersion()};
#endif
#ifdef ICE_WITH_LZMA
    out[n++] = (struct library){"lzma", LZMA_VERSION_STRING, lzma_version_string()};
#endif
#ifdef ICE_WITH_SQLITE
    out[n++] = (struct library){"sqlite", SQLITE_VERSION, sqlite3_libversion()};
#endif
    if (cli_opinion_is_built())
        out[n++] = (struct library){"avro-c", cli_avro_c_version(), ""};
    return n;
}

static const char *const codecs[] = {
    "null",  "deflate", "zstandard", "snappy",
#ifdef ICE_WITH_BZIP2
    "bzip2",
#endif
#ifdef ICE_WITH_LZMA
    "xz",
#endif
};

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

/* That the sources are of, or "". */
static const char commit[] = ICE_COMMIT;

static void put_human(struct cli_sink *sink) {
    struct library list[8];
    size_t n = libraries(list);
    char line[160];
    put(sink, cli_join("icefsck ", ice_version(), ""));
    if (commit[0] != '\0')
        put(sink, cli_join(" (", commit, ")"));
    put(sink, "\n\nlibraries\n");
    for (size_t i = 0; i < n; i++) {
        const char *version =
            list[i].running[0] != '\0' ? list[i].running : list[i].compiled;
        bool differs = list[i].compiled[0] != '\0' && list[i].running[0] != '\0' &&
                       strcmp(list[i].compiled, list[i].running) != 0;
        (void)snprintf(line, sizeof(line), "  %-12s%s%s%s%s\n", list[i].name, version,
                       differs ? " (compiled with " : "", differs ? list[i].compiled : "",
                       differs ? ")" : "");
        put(sink, line);
    }
    put(sink, "\nAvro codecs\n ");
    for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
        put(sink, cli_join(" ", codecs[i], ""));
    (void)snprintf(line, sizeof(line), "\n\nrules\n  %zu\n\nlimits\n", ice_rule_count());
    put(sink, line);
    const char *name, *what;
    uint64_t value;
    for (size_t i = 0; ice_limit_at(i, &name, &what, &value); i++) {
        (void)snprintf(line, sizeof(line), "  %-20s%-12llu%s\n", name,
                       (unsigned long long)value, what);
        put(sink, line);
    }
}

static void put_json(struct cli_sink *sink) {
    struct library list[8];
    size_t n = libraries(list);
    char line[160];
    put(sink, cli_join("{\"version\":\"", ice_version(), "\",\"commit\":\""));
    put(sink, cli_join(commit, "\",\"libraries\":{", ""));
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(line, sizeof(line),
                       "%s\"%s\":{\"compiled\":\"%s\",\"running\":\"%s\"}",
                       i > 0 ? "," : "", list[i].name, list[i].compiled, list[i].running);
        put(sink, line);
    }
    put(sink, "},\"codecs\":[");
    for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
        put(sink, cli_join(i > 0 ? ",\"" : "\"", codecs[i], "\""));
    (void)snprintf(line, sizeof(line), "],\"rules\":%zu,\"limits\":{", ice_rule_count());
    put(sink, line);
    const char *name, *what;
    uint64_t value;
    for (size_t i = 0; ice_limit_at(i, &name, &what, &value); i++) {
        (void)snprintf(line, sizeof(line), "%s\"%s\":%llu", i > 0 ? "," : "", name,
                       (unsigned long long)value);
        put(sink, line);
    }
    put(sink, "}}\n");
}

int cli_version(struct cli *cli) {
    struct cli_sink *sink = cli_sink_stdout();
    if (cli->format == CLI_FORMAT_JSON)
        put_json(sink);
    else
        put_human(sink);
    return cli_sink_close(sink, true);
}
