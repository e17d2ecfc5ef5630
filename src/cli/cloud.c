/*
 * PATHs that are URIs of cloud storage: nothing is opened; the message is what to type.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

struct cloud {
    const char *uri;       /* of the table directory, as given */
    const char *scheme;    /* "s3a" */
    const char *authority; /* bucket, "container@account...", namenode */
    const char *path;      /* "/wh/db/orders" or "" */
    const char *here;      /* "./orders" */
    const char *argument;  /* what to check: "./orders" or a file below it */
    bool is_many;          /* a warehouse: no table is named */
};

/* For a shell, in single quotes; what could move or hide text on a terminal is escaped.
 */
static const char *shell_quote(const char *text) {
    size_t size = strlen(text) * 10 + 1;
    const char *safe =
        ice_escape(cli_alloc(size, 1), size, (struct ice_str){text, strlen(text)});
    const char *quoted = "'";
    for (const char *at = safe; *at != '\0'; at++) {
        char one[2] = {*at, '\0'};
        quoted = cli_join(quoted, *at == '\'' ? "'\\''" : one, "");
    }
    return cli_join(quoted, "'", "");
}

/* For a shell: plain words as they are, others in quotes. */
static const char *shell_word(const char *text) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
    bool is_plain = text[0] != '\0' && strspn(text, plain) == strlen(text);
    return is_plain ? text : shell_quote(text);
}

static bool is_cloud_scheme(const char *uri, size_t *out_size) {
    static const char *const schemes[] = {"s3",    "s3a",  "s3n",   "gs",  "abfs",
                                          "abfss", "wasb", "wasbs", "hdfs"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(uri, schemes[i], size) == 0 && strncmp(uri + size, "://", 3) == 0) {
            *out_size = size;
            return true;
        }
    }
    return false;
}

/* Where the path of the table ends: before "/metadata" and before a file's name. */
static size_t table_end(const char *path, const char **out_file) {
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        size--;
    *out_file = "";
    const char *slash = NULL;
    for (size_t i = 0; i < size; i++) {
        if (path[i] == '/')
            slash = path + i;
    }
    if (slash != NULL && memchr(slash, '.', size - (size_t)(slash - path)) != NULL) {
        static const char *const ends[] = {".json", ".avro", ".gz", ".zst"};
        for (size_t i = 0; i < 4; i++) {
            size_t end = strlen(ends[i]);
            if (size >= end && memcmp(path + size - end, ends[i], end) == 0) {
                *out_file = cli_copy(slash, size - (size_t)(slash - path));
                size = (size_t)(slash - path);
                break;
            }
        }
    }
    static const char metadata[] = "/metadata";
    size_t n = sizeof(metadata) - 1;
    if (size >= n && memcmp(path + size - n, metadata, n) == 0)
        size -= n;
    return size;
}

static struct cloud take_apart(const char *uri, size_t scheme_size, bool recursive) {
    struct cloud cloud = {.scheme = cli_copy(uri, scheme_size)};
    const char *authority = uri + scheme_size + 3, *file;
    size_t authority_size = strcspn(authority, "/");
    const char *path = authority + authority_size;
    cloud.authority = cli_copy(authority, authority_size);
    size_t path_size = table_end(path, &file);
    cloud.path = cli_copy(path, path_size);
    cloud.uri = cli_copy(uri, scheme_size + 3 + authority_size + path_size);
    const char *last = strrchr(cloud.path, '/');
    cloud.is_many = recursive || last == NULL;
    const char *name = last != NULL && last[1] != '\0' ? last + 1
                       : authority_size > 0
                           ? cli_copy(authority, strcspn(authority, "@:/"))
                           : "copy";
    cloud.here = cli_join("./", name, "");
    cloud.argument =
        file[0] != '\0' ? cli_join(cloud.here, "/metadata", file) : cloud.here;
    return cloud;
}

static bool is_one_of(const struct cloud *cloud, const char *a, const char *b,
                      const char *c) {
    return strcmp(cloud->scheme, a) == 0 || strcmp(cloud->scheme, b) == 0 ||
           strcmp(cloud->scheme, c) == 0;
}

/* "container@account.dfs.core.windows.net" ->
 * "https://account.blob.core.windows.net/container" */
static const char *azure_url(const struct cloud *cloud) {
    const char *at = strchr(cloud->authority, '@');
    if (at == NULL)
        return cli_join("https://ACCOUNT.blob.core.windows.net/", cloud->authority,
                        cloud->path);
    const char *container = cli_copy(cloud->authority, (size_t)(at - cloud->authority));
    const char *account = cli_copy(at + 1, strcspn(at + 1, "."));
    const char *host = cli_join("https://", account, ".blob.core.windows.net/");
    return cli_join(host, container, cloud->path);
}

static void print_copy(const struct cloud *cloud) {
    const char *from = cli_join(cloud->uri, "/metadata", "");
    const char *to = cli_join(cloud->here, "/metadata", "");
    if (cloud->is_many) {
        from = cloud->uri;
        to = cloud->here;
    }
    if (is_one_of(cloud, "s3", "s3a", "s3n")) {
        from = cli_join("s3", from + strlen(cloud->scheme), "");
        (void)fprintf(stderr, "  aws s3 sync %s %s --only-show-errors%s\n",
                      shell_word(from), shell_word(to),
                      cloud->is_many ? " --exclude '*' --include '*/metadata/*'" : "");
    } else if (is_one_of(cloud, "gs", "gs", "gs")) {
        (void)fprintf(stderr, "  mkdir -p %s && gcloud storage rsync -r %s %s\n",
                      shell_word(to), shell_word(from), shell_word(to));
    } else if (is_one_of(cloud, "hdfs", "hdfs", "hdfs")) {
        (void)fprintf(stderr, "  mkdir -p %s && hdfs dfs -get %s %s\n",
                      shell_word(cloud->here),
                      shell_word(cloud->is_many ? cli_join(from, "/*", "") : from),
                      shell_word(cli_join(cloud->here, "/", "")));
    } else {
        const char *url = azure_url(cloud);
        url = cli_join(url, cloud->is_many ? "/*" : "/metadata/*", "");
        (void)fprintf(stderr, "  azcopy copy %s %s --recursive%s\n", shell_quote(url),
                      shell_word(to),
                      cloud->is_many ? " --include-regex '(^|/)metadata/'" : "");
    }
}

static void print_check(const struct cloud *cloud) {
    (void)fprintf(stderr, "  icefsck check %s%s --map %s=%s\n",
                  cloud->is_many ? "-r " : "", shell_word(cloud->argument),
                  shell_word(cloud->uri), shell_word(cloud->here));
}

bool cli_refuse_cloud(const struct cli *cli, bool recursive) {
    for (size_t i = 0; i < cli->n_words; i++) {
        size_t scheme_size;
        const char *uri = cli->words[i];
        if (is_cloud_scheme(uri, &scheme_size)) {
            struct cloud cloud = take_apart(uri, scheme_size, recursive);
            cli_say("%s is in the cloud and nothing was opened; copy its metadata and "
                    "check the copy:",
                    cli_quoted(uri));
            print_copy(&cloud);
            print_check(&cloud);
            return true;
        }
        const char *colon = strstr(uri, "://");
        if (colon != NULL && memchr(uri, '=', (size_t)(colon - uri)) != NULL) {
            cli_say("%s is no path; what a catalog says is given with --pointer %s",
                    cli_quoted(uri), shell_word(uri));
            return true;
        }
        if (colon != NULL && colon > uri) {
            cli_say("%s is a URI and nothing was opened; give a local path (files of "
                    "other places: --map FROM=TO)",
                    cli_quoted(uri));
            return true;
        }
    }
    return false;
}
