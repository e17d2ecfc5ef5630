/*
 * Group 36: is the right Iceberg on the classpath?
 * Reads libraries and versions of judged sessions, and library status of all of them.
 */
#include "conf/conf.h"

#include "rule/emit.h"

/* How messages call a session. */
static struct ice_str name_of(const struct ice_conf_session *session) {
    return session->name.size > 0 ? session->name : session->input->name;
}

static bool has_iceberg_catalog(const struct ice_conf *conf,
                                const struct ice_conf_session *session,
                                const struct ice_conf_catalog **out) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        if (conf->catalogs[i].session == session && conf->catalogs[i].is_iceberg) {
            *out = &conf->catalogs[i];
            return true;
        }
    }
    return false;
}

static void check_missing(struct ice_conf *conf, const struct ice_conf_session *session,
                          size_t n_runtimes) {
    const struct ice_conf_catalog *catalog;
    if (n_runtimes > 0 || session->platform == ICE_CONF_GLUE ||
        session->platform == ICE_CONF_EMR ||
        !has_iceberg_catalog(conf, session, &catalog))
        return;
    if (!session->knows_libraries && !ice_conf_names_iceberg(session)) {
        ice_conf_not_checked(conf, "conf.jar.runtime-missing",
                             "no list of all libraries was given: an image, or the jars "
                             "of Spark itself, may bring the runtime");
        return;
    }
    if (ice_conf_may_hide_jars(session) || ice_conf_has_other_runtime(session)) {
        ice_conf_not_checked(conf, "conf.jar.runtime-missing",
                             "init scripts, an image, whole directories or jars of "
                             "one's own may bring the runtime");
        return;
    }
    CONF_FOUND(conf, ICE_RULE_CONF_JAR_RUNTIME_MISSING, ice_conf_at_catalog(catalog),
               arg_str("catalog", catalog->name), arg_str("session", name_of(session)));
}

/* Scala of a session as "2.12", whatever more it says. */
static bool same_minor(struct ice_str a, struct ice_str b) {
    struct ice_conf_version one, other;
    if (!ice_conf_version_parse(a, &one) || !ice_conf_version_parse(b, &other) ||
        one.n_parts < 2 || other.n_parts < 2)
        return true; /* not known: no reason to speak */
    return one.part[0] == other.part[0] && one.part[1] == other.part[1];
}

static void check_fit(struct ice_conf *conf, const struct ice_conf_session *session,
                      const struct ice_conf_library *library) {
    const struct ice_conf_jar *jar = &library->jar;
    if (!same_minor(jar->spark, session->spark))
        CONF_FOUND(conf, ICE_RULE_CONF_JAR_SPARK_MISMATCH, library->at,
                   arg_str("jar", library->text), arg_str("built", jar->spark),
                   arg_str("spark", session->spark),
                   arg_str("session", name_of(session)));
    else if (!same_minor(jar->scala, session->scala))
        CONF_FOUND(conf, ICE_RULE_CONF_JAR_SCALA_MISMATCH, library->at,
                   arg_str("jar", library->text), arg_str("built", jar->scala),
                   arg_str("scala", session->scala),
                   arg_str("session", name_of(session)));
}

static void check_release(struct ice_conf *conf, const struct ice_conf_library *library) {
    const struct ice_conf_jar *jar = &library->jar;
    struct ice_conf_version version, spark;
    /* a file is there or not, whoever built it; only coordinates are looked up */
    if (jar->group.size > 0 && !library->is_on_classpath && jar->spark.size > 0 &&
        ice_conf_iceberg_released(jar->spark, jar->scala, jar->version) ==
            ICE_CONF_NOT_RELEASED) {
        CONF_FOUND(conf, ICE_RULE_CONF_JAR_NONEXISTENT, library->at,
                   arg_str("jar", library->text));
        return;
    }
    if (ice_conf_version_parse(jar->version, &version) && version.n_parts > 1 &&
        ice_conf_version_against(&version, "1.7.0") < 0 &&
        ice_conf_version_parse(jar->spark, &spark) &&
        ice_conf_version_same_minor(&spark, "3.5"))
        CONF_FOUND(conf, ICE_RULE_CONF_JAR_OLDER_THAN_SEED, library->at,
                   arg_str("version", jar->version));
}

static void check_bundle(struct ice_conf *conf, const struct ice_conf_library *runtime,
                         const struct ice_conf_library *bundle) {
    struct ice_conf_version one, other;
    if (!ice_conf_version_parse(runtime->jar.version, &one) ||
        !ice_conf_version_parse(bundle->jar.version, &other) ||
        ice_conf_version_compare(&one, &other) == 0)
        return;
    CONF_FOUND(conf, ICE_RULE_CONF_JAR_BUNDLE_VERSION, bundle->at,
               arg_str("bundle", bundle->jar.version),
               arg_str("runtime", runtime->jar.version));
}

/* The same artifact twice, as a coordinate and as a file, is one. */
static bool is_other(const struct ice_conf_jar *a, const struct ice_conf_jar *b) {
    return !ice_str_equal(a->artifact, b->artifact) ||
           (a->version.size > 0 && b->version.size > 0 &&
            !ice_str_equal(a->version, b->version));
}

/* A library and its status are told by two files, and judged once. */
static bool was_named(const struct ice_conf_session *session, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (ice_str_equal(session->libraries[i].text, session->libraries[index].text))
            return true;
    }
    return false;
}

static void check_session(struct ice_conf *conf, const struct ice_conf_session *session) {
    const struct ice_conf_library *runtime = NULL, *bundle = NULL;
    size_t n_runtimes = 0;
    for (size_t i = 0; i < session->n_libraries; i++) {
        const struct ice_conf_library *library = &session->libraries[i];
        if (library->jar.kind == ICE_CONF_JAR_AWS_BUNDLE && bundle == NULL)
            bundle = library;
        if (library->jar.kind != ICE_CONF_JAR_RUNTIME)
            continue;
        n_runtimes++;
        if (was_named(session, i))
            continue;
        check_fit(conf, session, library);
        check_release(conf, library);
        if (runtime == NULL)
            runtime = library;
        else if (is_other(&runtime->jar, &library->jar))
            CONF_FOUND(conf, ICE_RULE_CONF_JAR_TWO_VERSIONS, library->at,
                       arg_str("jar", runtime->text), arg_str("other", library->text),
                       arg_str("session", name_of(session)));
    }
    if (runtime != NULL && bundle != NULL)
        check_bundle(conf, runtime, bundle);
    check_missing(conf, session, n_runtimes);
}

static void check_status(struct ice_conf *conf, const struct ice_conf_library *library) {
    static const char *const not_loaded[] = {"FAILED", "SKIPPED", "PENDING"};
    if (library->jar.kind == ICE_CONF_JAR_OTHER)
        return; /* not ours to judge */
    for (size_t i = 0; i < sizeof(not_loaded) / sizeof(not_loaded[0]); i++) {
        if (ice_str_is(library->status, not_loaded[i]))
            CONF_FOUND(conf, ICE_RULE_CONF_JAR_NOT_INSTALLED, library->at,
                       arg_str("jar", library->text), arg_str("status", library->status));
    }
}

void ice_conf_rules_jar(struct ice_conf *conf) {
    for (size_t s = 0; s < conf->n_sessions; s++) {
        const struct ice_conf_session *session = conf->sessions[s];
        for (size_t i = 0; i < session->n_libraries; i++)
            check_status(conf, &session->libraries[i]);
        if (session->is_judged)
            check_session(conf, session);
    }
}
