/*
 * Settings as they come: properties, command lines, what a run had, clusters and their
 * libraries.
 */
#include "lint_cases.h"

/* clang-format off */

#define CATALOG "spark.sql.catalog.lake"
#define CLASS "org.apache.iceberg.spark.SparkCatalog"
#define RUNTIME "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.1"
#define BUNDLE "org.apache.iceberg:iceberg-aws-bundle:1.9.1"
#define QUIET                                                                            \
    CATALOG ".cache-enabled=false\n" CATALOG                                             \
            ".io-impl=org.apache.iceberg.aws.s3.S3FileIO\n"                              \
            "spark.sql.extensions=org.apache.iceberg.spark.extensions."                  \
            "IcebergSparkSessionExtensions\n"                                            \
            "spark.jars.packages=" RUNTIME "," BUNDLE "\n"

static const struct lint_case properties[] = {
    {.about = "byte order mark, comments, joined lines, escapes, separators", "*",
     {{"spark-defaults.conf",
       "\xef\xbb\xbf# of the platform\n! team\n\n"
       CATALOG "  \\\r\n   " CLASS "\n"
       "spark.sql.catalog.la\\\n    ke.type : glue \f\n"
       "\f " CATALOG ".\\warehouse= \\\n s3\\://b/w/ \t\n" QUIET "spark.last\\"}},
     ""},
    {.about = "a key without a value, and one without a line end", "*",
     {{"spark-defaults.conf",
       CATALOG "=" CLASS "\n" CATALOG ".type=glue\n" QUIET CATALOG ".warehouse"}},
     "conf.warehouse.not-uri spark-defaults.conf "},
    {.about = "a continued value keeps its place", "*",
     {{"spark-defaults.conf",
       CATALOG "=" CLASS "\n" CATALOG ".type=glue\n" CATALOG ".warehouse \\\n  s3:/b/w/\n"
       QUIET}},
     "conf.warehouse.not-uri spark-defaults.conf s3:/b/w/"},
};

#define SUBMIT "spark-submit --packages=" RUNTIME "," BUNDLE                             \
    " --conf spark.sql.extensions=org.apache.iceberg.spark.extensions."                  \
    "IcebergSparkSessionExtensions --conf " CATALOG "=" CLASS " --conf " CATALOG         \
    ".cache-enabled=false --conf " CATALOG                                               \
    ".io-impl=org.apache.iceberg.aws.s3.S3FileIO --conf " CATALOG ".type=glue "

static const struct lint_case command_lines[] = {
    {.about = "quotes, escapes, joined lines, options with =", "*",
     {{"run.sh", "#!/bin/sh\n" SUBMIT "\\\r\n\\\n  --conf=" CATALOG
                 ".warehouse=\"s3://b/a\\\n b/\" --conf word --verbose a=b \\x --jars"}},
     ""},
    {.about = "a value that the shell puts in is not judged", "*",
     {{"run.sh", SUBMIT "-c " CATALOG ".warehouse=$WAREHOUSE --jars $MORE x.py"}}, ""},
    {.about = "... nor one that a command gives", "*",
     {{"run.sh", SUBMIT "-c \"" CATALOG ".warehouse=`cat w`\" x.py"}}, ""},
    {.about = "single quotes and a backslash take the dollar as it is", "*",
     {{"run.sh", SUBMIT "-c '" CATALOG ".warehouse=b' -c " CATALOG
                 ".ware\\house=c"}},
     "conf.catalog.key-duplicate run.sh spark.sql.catalog.lake.warehouse=b\n"
     "conf.warehouse.not-uri run.sh "},
    {.about = "a jar by --jars=", "conf.jar.*",
     {{"run.sh", "spark-submit --jars=/x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar,"
                 "/x/iceberg-spark-runtime-3.5_2.12-1.8.1.jar --conf " CATALOG "=" CLASS}},
     "conf.jar.two-versions run.sh "},
    {.about = "an unfinished quote takes the rest", "conf.catalog.*",
     {{"run.sh", SUBMIT "--conf \"" CATALOG ".warehouse=s3://b/ x.py\n"}}, ""},
};

#define ARRIVED(...) J({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"], ["spark.sql.catalog.lake.type", "hive"], __VA_ARGS__], "classpathEntries": [["/opt/spark/jars/a.jar", "System Classpath"], ["/etc/spark", "System Classpath"], [], "b.jar"]})
#define LOGGED(...) "{\"Event\":\"SparkListenerLogStart\"}\n" J({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "rest", "spark.sql.catalog.lake.uri": "https://glue.eu-west-1.amazonaws.com/iceberg", __VA_ARGS__}, "Classpath Entries": {"/x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar": "Added By User", "/etc/spark": "System Classpath"}})

static const struct lint_case arrived[] = {
    {.about = "a list of pairs; what is no pair says nothing", "conf.jar.*",
     {{"env.json", ARRIVED(["alone"], [], 7)}},
     "conf.jar.runtime-missing env.json spark.sql.catalog.lake"},
    {.about = "Glue brings Iceberg", "conf.jar.*",
     {{"env.json", ARRIVED(["spark.glue.GLUE_VERSION", "5.0"])}}, ""},
    {.about = "... a job of Glue too", "conf.jar.*",
     {{"env.json", ARRIVED(["spark.glue.JOB_NAME", "load"])}}, ""},
    {.about = "EMR may bring it", "conf.jar.*",
     {{"env.json", ARRIVED(["spark.emr.default.executor.memory", "4g"])}}, ""},
    {.about = "EMR Serverless too", "conf.jar.*",
     {{"env.json", ARRIVED(["spark.emr-serverless.driver.disk", "20G"])}}, ""},
    {.about = "Databricks and its version by a tag", "conf.rest.dbr-*",
     {{"log", LOGGED("spark.databricks.clusterUsageTags.sparkVersion": "13.3.x-scala2.12")}},
     "conf.rest.dbr-too-old log {\"Event\""},
    {.about = "a new enough one", "conf.rest.dbr-*",
     {{"log", LOGGED("spark.databricks.clusterUsageTags.sparkVersion": "15.4.x-scala2.12")}},
     ""},
    {.about = "a tag that is no version", "conf.rest.dbr-*",
     {{"log", LOGGED("spark.databricks.clusterUsageTags.sparkVersion": "custom:x")}}, ""},
    {.about = "two files declare it: which of them ran is not known", "conf.catalog.*",
     {{"log", LOGGED("spark.app.name": "load")},
      {"job.json", J({"Command": {"Name": "glueetl"}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog"}})},
      {"x.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\n"}},
     "", "conf.catalog.not-effective"},
    {.about = "a value that only the run shows redacted is as declared", "conf.catalog.not-effective",
     {{"log", LOGGED("spark.sql.catalog.lake.token": "*********(redacted)")},
      {"x.conf", "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\n"
                 "spark.sql.catalog.lake.token abc\nspark.sql.catalog.lake.io-impl $IO\n"
                 "spark.other x\n"}},
     ""},
    {.about = "the last of two values counts, and never arrived", "conf.catalog.not-effective",
     {{"log", LOGGED("spark.app.name": "load")},
      {"x.conf", "spark.sql.catalog.lake.type hive\nspark.sql.catalog.lake.type rest\n"
                 "spark.sql.catalog.lake.uri x\nspark.sql.catalog.b.type hive\n"}},
     "conf.catalog.not-effective x.conf spark.sql.catalog.lake.uri\n"
     "conf.catalog.not-effective x.conf spark.sql.catalog.b.type"},
    {.about = "two runs: one of them had the value", "conf.catalog.not-effective",
     {{"env.json", ARRIVED(["spark.app.name", "a"])}, {"log", LOGGED("spark.app.name": "b")},
      {"x.conf", "spark.sql.catalog.lake.type rest\nspark.sql.catalog.lake.uri u\n"}},
     "conf.catalog.not-effective x.conf spark.sql.catalog.lake.uri"},
};

#define SPARK_CONF {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hive"}
#define LIBRARY {"maven": {"coordinates": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.1"}}
#define STATUS(library, status) J({"cluster_id": "c", "library_statuses": [{"library": library, "status": status}, {"library": {"egg": "x"}, "status": "FAILED"}, {"library": {"jar": "dbfs:/a.jar"}, "status": "FAILED"}], "n": []})

static const struct lint_case databricks[] = {
    {.about = "libraries of the tasks of that cluster", "conf.jar.*",
     {{"job.json", J({"job_clusters": [{"job_cluster_key": "main", "new_cluster": {"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}}}], "tasks": [{"job_cluster_key": "main", "libraries": [{"maven": {"coordinates": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.1"}}, {"jar": 7}, {"pypi": {"package": "x"}}]}]})}},
     ""},
    {.about = "... of another cluster are not its own", "conf.jar.*",
     {{"job.json", J({"job_clusters": [{"job_cluster_key": "main", "new_cluster": {"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}}}], "tasks": [{"job_cluster_key": "other", "libraries": [{"jar": "dbfs:/iceberg-spark-runtime-3.5_2.12-1.9.1.jar"}]}]})}},
     "", "conf.jar.runtime-missing"},
    {.about = "... of the task itself", "conf.jar.*",
     {{"job.json", J({"tasks": [{"libraries": [{"maven": {"coordinates": "a:b:1"}}], "new_cluster": {"spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}}}]})}},
     "conf.jar.runtime-missing job.json spark.sql.catalog.lake"},
    {.about = "an init script may bring the jar", "conf.jar.*",
     {{"job.json", J({"tasks": [{"libraries": [], "new_cluster": {"init_scripts": [{"workspace": {}}], "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}}}]})}},
     "", "conf.jar.runtime-missing"},
    {.about = "an empty list of them brings none", "conf.jar.*",
     {{"job.json", J({"tasks": [{"libraries": [], "new_cluster": {"init_scripts": [], "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}}}]})}},
     "conf.jar.runtime-missing job.json spark.sql.catalog.lake"},
    {.about = "a directory of jars may hold it", "conf.jar.*",
     {{"x.conf", CATALOG " " CLASS "\nspark.jars /opt/jars/\n"}}, "",
     "conf.jar.runtime-missing"},
    {.about = "a pattern too", "conf.jar.*",
     {{"x.conf", CATALOG " " CLASS "\nspark.jars /opt/jars/*\n"}}, "",
     "conf.jar.runtime-missing"},
    {.about = "a jar of one's own too", "conf.jar.*",
     {{"x.conf", CATALOG " " CLASS "\nspark.jars /opt/jars/a.jar,/opt/jars/iceberg-core-1.9.1.jar\n"}}, "",
     "conf.jar.runtime-missing"},
    {.about = "other jars of Iceberg do not", "conf.jar.*",
     {{"x.conf", CATALOG " " CLASS "\nspark.jars /opt/jars/iceberg-core-1.9.1.jar\n"}},
     "conf.jar.runtime-missing x.conf spark.sql.catalog.lake"},
    {.about = "the name that Databricks gives to a jar on its way", "conf.jar.*",
     {{"x.json", J({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"]], "classpathEntries": [["spark://h/jars/org_apache_iceberg_iceberg_spark_runtime_3_5_2_12_1_9_1.jar", "Added By User"]]})}}, "",
     "conf.jar.runtime-missing"},
    {.about = "status of a library, of no cluster that was given", "conf.jar.*",
     {{"status.json", STATUS(LIBRARY, "FAILED")}},
     "conf.jar.not-installed status.json org.apache.iceberg:"},
    {.about = "... of several files of status", "conf.jar.*",
     {{"a.json", STATUS(LIBRARY, "SKIPPED")}, {"b.json", STATUS(LIBRARY, "PENDING")}},
     "conf.jar.not-installed a.json org.apache.iceberg:\n"
     "conf.jar.not-installed b.json org.apache.iceberg:"},
    {.about = "... of one of two clusters", "conf.jar.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "node_type_id": "m", "spark_conf": []})},
      {"d.json", J({"spark_version": "15.4.x-scala2.12", "cluster_id": "d"})},
      {"status.json", STATUS(LIBRARY, "FAILED")}},
     "conf.jar.not-installed status.json org.apache.iceberg:"},
    {.about = "one that is installed", "conf.jar.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}})},
      {"status.json", STATUS(LIBRARY, "INSTALLED")}},
     ""},
};

#define CLUSTER(...) J({"spark_version": "15.4.x-scala2.12", "cluster_log_conf": {}, __VA_ARGS__})
#define GLUE_CONF "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "glue"

static const struct lint_case identity[] = {
    {.about = "a Glue catalog and nobody to ask as", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {GLUE_CONF})}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "... an empty profile is none", "conf.dbr.*",
     {{"c.json", CLUSTER("aws_attributes": {"instance_profile_arn": ""}, "spark_conf": {GLUE_CONF})}},
     "conf.dbr.no-instance-profile c.json {\"instance"},
    {.about = "a variable of the environment: a key", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_env_vars": {"AWS_ACCESS_KEY_ID": "x"}, "spark_conf": {GLUE_CONF})}}, ""},
    {.about = "... a profile", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_env_vars": {"AWS_PROFILE": "x"}, "spark_conf": {GLUE_CONF})}}, ""},
    {.about = "... a role", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_env_vars": {"AWS_ROLE_ARN": "x"}, "spark_conf": {GLUE_CONF})}}, ""},
    {.about = "... another", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_env_vars": {"AWS_REGION": "x"}, "spark_conf": {GLUE_CONF})}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "a policy may set it", "conf.dbr.*",
     {{"c.json", CLUSTER("policy_id": "p", "spark_conf": {GLUE_CONF})}}, "",
     "conf.dbr.no-instance-profile"},
    {.about = "a pool may", "conf.dbr.*",
     {{"c.json", CLUSTER("instance_pool_id": "p", "spark_conf": {GLUE_CONF})}}, "",
     "conf.dbr.no-instance-profile"},
    {.about = "REST of AWS asks it as well", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "rest", "spark.sql.catalog.lake.uri": "https://glue.eu-west-1.amazonaws.com/iceberg"})}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "files in a bucket do", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hadoop", "spark.sql.catalog.lake.warehouse": "s3a://b/w"})}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "files on the volume do not, nor other catalogs", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.type": "hadoop", "spark.sql.catalog.lake.warehouse": "dbfs:/w", "spark.sql.catalog.o": "x.Y"})}},
     ""},
    {.about = "once for two catalogs, and not for those of another file", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {GLUE_CONF, "spark.sql.catalog.b": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.b.type": "glue"})},
      {"x.conf", "spark.sql.catalog.c=org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.c.type=glue\n"}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "federated, and settings of that name without a class", "conf.dbr.federated*",
     {{"c.json", CLUSTER("spark_conf": {"spark.a": "b", "spark.sql.catalog.lake.type": "glue"})}},
     "conf.dbr.federated-and-local c.json spark.sql.catalog.lake.type", .known = "lake=federated"},
    {.about = "a version that is no text is not judged", "conf.dbr.*",
     {{"c.json", J({"spark_version": 15, "node_type_id": "m", "spark_conf": {"a": "b"}, "cluster_log_conf": {}})}}, ""},
    {.about = "logs by a policy", "conf.dbr.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "policy_id": "p", "spark_conf": {}})}}, ""},
    {.about = "S3 Tables asks, and is not told of REST", "conf.dbr.*",
     {{"c.json", CLUSTER("spark_conf": {GLUE_CONF, "spark.sql.catalog.lake.glue.id": "123456789012:s3tablescatalog/b", "spark.sql.catalog.r": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.r.type": "rest", "spark.sql.catalog.r.warehouse": "s3://b/"})}},
     "conf.dbr.no-instance-profile c.json {"},
    {.about = "federated, and the version is not known", "conf.dbr.*",
     {{"c.json", J({"spark_version": "custom:x", "cluster_log_conf": {}, "spark_conf": {}})}},
     "conf.dbr.version-unreadable c.json custom:x", .known = "lake=federated"},
    {.about = "not federated", "conf.dbr.*",
     {{"c.json", J({"spark_version": "13.3.x-scala2.12", "cluster_log_conf": {}, "spark_conf": {}})}},
     "", .known = "lake=local"},
    {.about = "federated, with an old version and a catalog of that name", "conf.dbr.f*",
     {{"c.json", J({"spark_version": "13.3.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lakes": "org.apache.iceberg.spark.SparkCatalog"}})},
      {"x.conf", "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog\n"}},
     "conf.dbr.federation-too-old c.json 13.3.x\n"
     "conf.dbr.federated-and-local c.json spark.sql.catalog.lake\"", .known = "lake=federated"},
};

/* clang-format on */

static void properties_of_java(void **state) {
    (void)state;
    lint_all(properties, ICE_COUNT_OF(properties));
}

static void words_of_a_shell(void **state) {
    (void)state;
    lint_all(command_lines, ICE_COUNT_OF(command_lines));
}

static void what_a_run_had(void **state) {
    (void)state;
    lint_all(arrived, ICE_COUNT_OF(arrived));
}

static void libraries_of_clusters(void **state) {
    (void)state;
    lint_all(databricks, ICE_COUNT_OF(databricks));
}

static void who_asks(void **state) {
    (void)state;
    lint_all(identity, ICE_COUNT_OF(identity));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_of_java), cmocka_unit_test(words_of_a_shell),
        cmocka_unit_test(what_a_run_had),     cmocka_unit_test(libraries_of_clusters),
        cmocka_unit_test(who_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
