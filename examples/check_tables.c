/*
 * Checks tables with the installed library: check_tables TABLE...
 *
 * Findings go to standard output, one a line; the exit code is that of icefsck check, so
 * 0 means that every table was read whole and is sound. Build it with CMakeLists.txt or
 * the Makefile here.
 */
#include <icefsck.h>

#include <stdio.h>

static void print(struct ice_str text) {
    /* Names and messages come from the table: anybody may have written them. */
    char safe[512];
    ice_escape(safe, sizeof(safe), text);
    fputs(safe, stdout);
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    size_t *n_findings = (size_t *)user;
    (*n_findings)++;
    printf("%s %s ", ice_severity_name(finding->severity), finding->rule->name);
    print(finding->at.file);
    fputs(": ", stdout);
    print(finding->message);
    fputs("\n", stdout);
    return ferror(stdout) ? ICE_ECANCELLED : ICE_OK;
}

static int check(const char *path) {
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    struct ice_error err = {ICE_OK, NULL, 0, 0, 0, "", "", ""};
    size_t n_findings = 0;
    enum ice_status status =
        ice_check_path(path, &options, on_finding, &n_findings, &summary, &err);
    if (status != ICE_OK) {
        fprintf(stderr, "check_tables: %s: %s\n", path,
                err.message[0] != '\0' ? err.message : ice_status_name(status));
        ice_summary_free(summary);
        return 8;
    }
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        if (!summary->not_evaluated[i].asked)
            continue;
        fputs("not checked: ", stdout);
        print(summary->not_evaluated[i].what);
        fputs(": ", stdout);
        print(summary->not_evaluated[i].why);
        fputs("\n", stdout);
    }
    print(summary->table);
    printf(": %zu findings in %llu manifests\n", n_findings,
           (unsigned long long)summary->n_manifests);
    int code = summary->exit_code;
    ice_summary_free(summary);
    return code;
}

int main(int argc, char **argv) {
    int code = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: check_tables TABLE...\nwith icefsck %s\n", ice_version());
        return 4;
    }
    for (int i = 1; i < argc; i++)
        code |= check(argv[i]);
    return fflush(stdout) == 0 ? code : 8;
}
