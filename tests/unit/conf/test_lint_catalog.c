/*
 * What catalogs are and where they lie: names that nearly meet, endpoints, warehouses,
 * jars, caches.
 */
#include "lint_cases.h"

/* clang-format off */

#define DEFINED "spark.sql.catalog.lake org.apache.iceberg.spark.SparkCatalog\n"
#define L "spark.sql.catalog.lake."
#define FILE_OF(text) {{"x.conf", text}}
#define LAKE(text) FILE_OF(DEFINED text)

static const struct lint_case names[] = {
    {.about = "a type under the beginning of the name", "conf.catalog.*",
     LAKE("spark.sql.catalog.la.type hive\n"), "conf.catalog.prefix-typo x.conf spark.sql.catalog.la.type"},
    {.about = "... a catalog-impl under a misspelt one", "conf.catalog.*",
     LAKE("spark.sql.catalog.lkae.catalog-impl org.apache.iceberg.hive.HiveCatalog\n"),
     "conf.catalog.prefix-typo x.conf spark.sql.catalog.lkae"},
    {.about = "... another property: the kind is still missing", "conf.catalog.impl-missing",
     LAKE("spark.sql.catalog.lkae.warehouse s3://b/\n"), "conf.catalog.impl-missing x.conf spark.sql.catalog.lake"},
    {.about = "a short name that differs is another catalog", "conf.catalog.*",
     FILE_OF("spark.sql.catalog.ab org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.ab.type hive\nspark.sql.catalog.cd.type hive\n"),
     "conf.catalog.not-defined x.conf spark.sql.catalog.cd.type"},
    {.about = "one that has the property already is not meant", "conf.catalog.*",
     LAKE(L "type hive\nspark.sql.catalog.lakes.type hive\n"), "conf.catalog.not-defined x.conf spark.sql.catalog.lakes.type"},
    {.about = "the session catalog needs no class of its own", "conf.catalog.*",
     FILE_OF("spark.sql.catalog.spark_catalog.type hive\n"), ""},
    {.about = "a session catalog needs no kind", "conf.catalog.*",
     FILE_OF("spark.sql.catalog.spark_catalog org.apache.iceberg.spark.SparkSessionCatalog\n"), ""},
    {.about = "a metastore's address says which", "conf.catalog.*", LAKE(L "uri thrift://m:9083\n"), ""},
    {.about = "... that a variable gives", "conf.catalog.*", LAKE(L "uri $METASTORE\n"), ""},
    {.about = "... of the session", "conf.catalog.*", LAKE("spark.hive.metastore.uris thrift://m:9083\n"), ""},
    {.about = "... of the session, that a variable gives", "conf.catalog.*", LAKE(L "io-impl x.Y\nspark.hadoop.hive.metastore.uris ${M}\n"), ""},
    {.about = "... of the session, empty", "conf.catalog.*", LAKE("spark.hadoop.hive.metastore.uris\n"), "conf.catalog.impl-missing x.conf spark.sql.catalog.lake"},
    {.about = "... for this catalog alone", "conf.catalog.*", LAKE(L "hadoop.hive.metastore.uris thrift://m:9083\n"), ""},
    {.about = "... of a script", "conf.catalog.*",
     {{"a.py", "SparkSession.builder.config('hive.metastore.uris', 'thrift://m').config('spark.sql.catalog.lake', 'org.apache.iceberg.spark.SparkCatalog').getOrCreate()\n"}}, ""},
    {.about = "... but its own address counts", "conf.catalog.*",
     LAKE(L "uri https://m\nspark.hadoop.hive.metastore.uris thrift://m:9083\n"), "conf.catalog.impl-missing x.conf spark.sql.catalog.lake"},
    {.about = "another address does not", "conf.catalog.*", LAKE(L "uri https://m\n"), "conf.catalog.impl-missing x.conf spark.sql.catalog.lake"},
    {.about = "values that a variable gives", "conf.catalog.*", LAKE(L "type $TYPE\n"), ""},
    {.about = "... a class", "conf.catalog.*", LAKE(L "catalog-impl ${IMPL}\n"), ""},
    {.about = "a class that is empty is no class", "conf.catalog.*", FILE_OF("spark.sql.catalog.lake\nspark.sql.catalog.a $C\n"), ""},
    {.about = "extensions of somebody else", "conf.extensions.*",
     LAKE("spark.sql.extensions io.delta.X\n"), "conf.extensions.missing x.conf io.delta.X"},
    {.about = "... empty", "conf.extensions.*", LAKE("spark.sql.extensions\n"), "conf.extensions.missing x.conf "},
    {.about = "... that a variable gives", "conf.extensions.*", LAKE("spark.sql.extensions $EXT\n"), ""},
    {.about = "... twice in one object", "conf.extensions.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions", "spark.sql.extensions": "x", "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"}})}},
     "conf.extensions.overwritten c.json spark.sql.extensions\": \"x"},
    {.about = "... in two files: the later one is meant to win", "conf.extensions.*",
     {{"a.conf", "spark.sql.extensions org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions\n"}, {"b.conf", "spark.sql.extensions x\n"}}, ""},
    {.about = "no catalog of Iceberg, no extensions", "conf.extensions.*", FILE_OF("spark.sql.catalog.d io.delta.Y\n"), ""},
    {.about = "... on Glue it is a hint", "conf.extensions.*", {{"job.json", J({"Command": {}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog"}})}},
     "conf.extensions.missing job.json spark.sql.catalog.lake"},
};

#define REST(text) LAKE(L "type rest\n" text)
#define AT_GLUE L "uri https://glue.eu-west-1.amazonaws.com/iceberg\n" L "warehouse 123456789012\n"
#define SIGNED L "rest.signing-name glue\n" L "rest.signing-region eu-west-1\n"

static const struct lint_case near[] = {
    {.about = "a bar too many", "conf.catalog.*", LAKE("spark.sql.catalog.la_ke.type hive\n"), "conf.catalog.prefix-typo x.conf spark.sql.catalog.la_ke.type"},
    {.about = "a name of three letters with one wrong", "conf.catalog.*",
     FILE_OF("spark.sql.catalog.dev org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.dec.type hive\n"), "conf.catalog.prefix-typo x.conf spark.sql.catalog.dec.type"},
    {.about = "a name that is far", "conf.catalog.*",
     FILE_OF("spark.sql.catalog.dev org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.dev.type hive\nspark.sql.catalog.production.warehouse s3://b/\n"), "conf.catalog.not-defined x.conf spark.sql.catalog.production"},
    {.about = "of another session", "conf.catalog.*",
     {{"a.json", J({"Command": {}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog"}})}, {"b.json", J({"Command": {}, "DefaultArguments": {"--conf": "spark.sql.catalog.lakes.type=hive"}})}},
     "conf.catalog.impl-missing a.json spark.sql.catalog.lake\nconf.catalog.not-defined b.json spark.sql.catalog.lakes.type"},
    {.about = "a type that needs a newer Iceberg", "conf.catalog.type*",
     LAKE(L "type nessie\nspark.jars.packages org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.4.3\n"), "conf.catalog.type-needs-version x.conf nessie"},
    {.about = "... of databases", "conf.catalog.type*",
     LAKE(L "type JDBC\nspark.jars.packages org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.4.3\n"), "conf.catalog.type-needs-version x.conf JDBC"},
    {.about = "... that was there", "conf.catalog.type*",
     LAKE(L "type hive\nspark.jars.packages org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.4.3\n"), ""},
    {.about = "a key longer than any", "conf.catalog.not-eff*",
     {{"x.conf", L "a_key_of_which_nobody_knows_what_it_is_for_and_that_has_more_letters_than_any_other_one_a_key_of_which_nobody_knows_what_it_is_for_and_that_has_more_letters_than_any_other_one_a_key_of_which_nobody_knows_what_it_is_for_and_that_has_more_letters_than_any_other_one x\n"},
      {"env.json", J({"sparkProperties": [["spark.a", "b"]]})}}, ""},
};

static const struct lint_case endpoints[] = {
    {.about = "signed as it should be", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.sigv4-enabled true\n"), ""},
    {.about = "... by type", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.auth.type SigV4\n"), ""},
    {.about = "... or by what a variable says", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.auth.type $T\n"), ""},
    {.about = "... old way", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.sigv4-enabled $T\n"), ""},
    {.about = "another type", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.auth.type oauth2\n"), "conf.rest.sigv4-missing x.conf oauth2"},
    {.about = "switched off", "conf.rest.*", REST(AT_GLUE SIGNED L "rest.sigv4-enabled false\n"), "conf.rest.sigv4-missing x.conf false"},
    {.about = "names of signing that a variable gives", "conf.rest.*",
     REST(AT_GLUE L "rest.signing-name $N\n" L "rest.signing-region $R\n" L "rest.sigv4-enabled true\n"), ""},
    {.about = "a place left to fill in", "conf.rest.uri*", REST(L "uri https://glue.region>.amazonaws.com/iceberg\n"), "conf.rest.uri-shape x.conf https"},
    {.about = "empty", "conf.rest.uri*", REST(L "uri\n"), "conf.rest.uri-shape x.conf "},
    {.about = "a variable", "conf.rest.uri*", REST(L "uri $URI\n"), ""},
    {.about = "nearly S3 Tables", "conf.rest.uri*", REST(L "uri https://s3table.eu-west-1.amazonaws.com/iceberg\n"), "conf.rest.uri-shape x.conf https"},
    {.about = "... with a hyphen", "conf.rest.uri*", REST(L "uri https://s3-tables.eu-west-1.amazonaws.com/iceberg\n"), "conf.rest.uri-shape x.conf https"},
    {.about = "... of somebody else", "conf.rest.uri*", REST(L "uri https://s3table.example.com/iceberg\n"), ""},
    {.about = "a port, a slash at the end, China", "conf.rest.uri*", REST(L "uri https://glue.cn-north-1.amazonaws.com.cn:443/iceberg/\n"), ""},
    {.about = "a query behind the host", "conf.rest.uri*", REST(L "uri https://glue.eu-west-1.amazonaws.com?x=/iceberg\n"), ""},
    {.about = "another service of AWS", "conf.rest.*", REST(L "uri https://kms.eu-west-1.amazonaws.com/iceberg\n"), ""},
    {.about = "no scheme", "conf.rest.*", REST(L "uri ab\n"), ""},
    {.about = "old, and another's endpoint", "conf.rest.*too-old", REST(L "uri https://x\nspark.jars.packages org.apache.iceberg:iceberg-spark-runtime-3.3_2.12:1.1.0\n"), ""},
    {.about = "warehouse of Glue by variable", "conf.rest.w*", REST(L "uri https://glue.eu-west-1.amazonaws.com/iceberg\n" L "warehouse $W\n"), ""},
    {.about = "... by path", "conf.rest.w*", REST(L "uri https://glue.eu-west-1.amazonaws.com/iceberg\n" L "warehouse s3://b/\n"), "conf.rest.warehouse-shape x.conf s3://b/"},
    {.about = "the region of the tables", "conf.rest.region*", REST(AT_GLUE), "conf.rest.region-vs-table x.conf https", .region = "us-east-1"},
    {.about = "secrets: a value, an empty one, a variable, a name of one", "conf.rest.static*",
     REST(L "s3.secret-access-key abc\n" L "token\n" L "credential $C\n" L "s3.token-refresh x\n"), "conf.rest.static-secret x.conf spark.sql.catalog.lake.s3.secret"},
    {.about = "a role that may do all in S3", "conf.rest.direct*",
     {{"x.conf", DEFINED L "type rest\n" AT_GLUE}, {"p.json", J({"Version": "v", "Statement": [{"Effect": "Deny", "Action": "s3:*", "Resource": "*"}, {"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"}, {"Effect": "Allow", "Action": "s3:*", "NotResource": "*"}, {"Effect": "Allow", "Action": "S3:*", "Resource": "arn:aws:s3:::*"}]})}},
     "conf.rest.direct-s3-unneeded p.json {\"Effect\": \"Allow\", \"Action\": \"S3:*"},
    {.about = "... or not", "conf.rest.direct*",
     {{"x.conf", DEFINED L "type rest\n" AT_GLUE}, {"p.json", J({"Version": "v", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "arn:aws:s3:::b/*"}, {"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}]})}}, ""},
    {.about = "... with a catalog that vends nothing", "conf.rest.direct*",
     {{"x.conf", DEFINED}, {"p.json", J({"Version": "v", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}})}}, ""},
};

#define GLUE(text) LAKE(L "type glue\n" text)
#define HADOOP(text) LAKE(L "type hadoop\n" text)
#define HIVE(text) LAKE(L "type hive\n" text)

static const struct lint_case warehouses[] = {
    {.about = "an empty one", "conf.warehouse.not*", HIVE(L "warehouse\n"), "conf.warehouse.not-uri x.conf "},
    {.about = "a path is one of Hadoop", "conf.warehouse.not*", HADOOP(L "warehouse /data/wh\n"), ""},
    {.about = "... not of Glue", "conf.warehouse.not*", GLUE(L "warehouse lake/wh\n"), "conf.warehouse.not-uri x.conf lake/wh"},
    {.about = "... an ARN is told elsewhere", "conf.warehouse.not*", GLUE(L "warehouse arn:aws:s3:::lake\n"), ""},
    {.about = "... another store", "conf.warehouse.not*", GLUE(L "warehouse gs://lake\n"), ""},
    {.about = "one slash", "conf.warehouse.not*", GLUE(L "warehouse s3a:/lake\n"), "conf.warehouse.not-uri x.conf s3a:/lake"},
    {.about = "no bucket", "conf.warehouse.not*", GLUE(L "warehouse s3n://\n"), "conf.warehouse.not-uri x.conf s3n://"},
    {.about = "... three slashes", "conf.warehouse.not*", GLUE(L "warehouse s3:///lake\n"), "conf.warehouse.not-uri x.conf s3:///lake"},
    {.about = "... a blank", "conf.warehouse.not*", GLUE(L "warehouse s3:// lake\n"), "conf.warehouse.not-uri x.conf s3:// lake"},
    {.about = "a variable", "conf.warehouse.*", GLUE(L "warehouse $W\n"), ""},
    {.about = "missing, and nothing is created", "conf.warehouse.missing", {{"x.conf", DEFINED L "type glue\n"}, {"a.sql", "SELECT 1"}, {"b.sql", ""}}, "conf.warehouse.missing x.conf spark"},
    {.about = "... and a script creates tables", "conf.warehouse.missing", {{"x.conf", DEFINED L "type glue\n"}, {"a.py", "spark.sql('Create Table a')"}}, "conf.warehouse.missing x.conf spark"},
    {.about = "... and a notebook does", "conf.warehouse.missing", {{"x.conf", DEFINED L "type glue\n"}, {"a.ipynb", J({"cells": [{"cell_type": "code", "source": "create table x"}], "nbformat": 4})}}, "conf.warehouse.missing x.conf spark"},
    {.about = "a table bucket's catalog by path", "conf.warehouse.s3tables*", GLUE(L "glue.id 123456789012:s3tablescatalog/b\n" L "warehouse s3://b/\n"), "conf.warehouse.s3tables-not-arn x.conf s3://b/"},
    {.about = "... an ARN of a bucket of another kind", "conf.warehouse.s3tables*", GLUE(L "glue.id 123456789012:s3tablescatalog/b\n" L "warehouse arn:aws:s3tables:eu-west-1:123456789012:table/b\n"), "conf.warehouse.s3tables-not-arn x.conf arn"},
    {.about = "... of another service", "conf.warehouse.s3tables*", GLUE(L "glue.id 123456789012:s3tablescatalog/b\n" L "warehouse arn:aws:s3:::bucket/b\n"), "conf.warehouse.s3tables-not-arn x.conf arn"},
    {.about = "regions that differ: of S3 and of the client", "conf.warehouse.region*",
     GLUE(L "warehouse arn:aws:s3tables:eu-west-1:123456789012:bucket/b\n" L "client.region us-east-1\n" L "s3.region eu-west-1\n"), "conf.warehouse.region-mixed x.conf us-east-1"},
    {.about = "... an ARN of another service, or without a region", "conf.warehouse.region*",
     FILE_OF(DEFINED L "type glue\n" L "warehouse arn:aws:s3:eu-west-1::b\n" L "client.region us-east-1\nspark.sql.catalog.b org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.b.type glue\nspark.sql.catalog.b.warehouse arn:aws:s3tables::123456789012:bucket/b\nspark.sql.catalog.b.client.region us-east-1\n"), ""},
    {.about = "... of REST is told by its own rules", "conf.warehouse.region*", REST(L "warehouse arn:aws:s3tables:eu-west-1:123456789012:bucket/b\n" L "client.region us-east-1\n"), ""},
    {.about = "schemes: the same, none, another", "conf.warehouse.scheme*",
     {{"x.conf", DEFINED L "type glue\n" L "warehouse s3a://b/\n"}, {"t.json", J({"TableList": [{"Name": "a", "DatabaseName": "d", "StorageDescriptor": {"Location": "s3a://b/a"}, "Parameters": {"metadata_location": "s3a://b/a/m/1.json"}}, {"Name": "b", "DatabaseName": "d", "StorageDescriptor": {"Location": "hdfs://b/a"}, "Parameters": {"metadata_location": "s3n://b/a/m/1.json"}}]})}},
     "conf.warehouse.scheme-mixed x.conf s3a://b/"},
    {.about = "nobody serves s3 to Hadoop", "conf.io-impl.*", HIVE(L "warehouse s3://b/\n"), "conf.io-impl.missing x.conf spark"},
    {.about = "EMR does", "conf.io-impl.*", HIVE(L "warehouse s3://b/\n"), "conf.io-impl.missing x.conf spark", .platform = "emr"},
    {.about = "a FileIO that a variable names", "conf.io-impl.*", HIVE(L "io-impl $IO\n"), ""},
    {.about = "a catalog of somebody else", "conf.io-impl.*", LAKE(L "catalog-impl x.Y\n"), ""},
    {.about = "files elsewhere", "conf.io-impl.*", HIVE(L "warehouse hdfs://n/\n"), ""},
};

#define PACKAGES "spark.jars.packages "
#define RUNTIME "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:"

static const struct lint_case jars[] = {
    {.about = "the SDK by its file", "conf.jar.*", GLUE("spark.jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar,/x/bundle-2.29.52.jar\n"), ""},
    {.about = "... another bundle", "conf.jar.*", GLUE("spark.jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar,/x/bundle-1.0.jar\n"), ""},
    {.about = "... a coordinate says whose it is", "conf.jar.*", GLUE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.1,x:bundle:2.29.52\n"), "conf.jar.aws-bundle-missing x.conf org.apache.iceberg:"},
    {.about = "... a module beside it", "conf.jar.*", GLUE("spark.jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar,/x/iceberg-aws-1.9.1.jar\n"), "conf.jar.aws-bundle-missing x.conf /x/iceberg-spark-runtime"},
    {.about = "... S3FileIO of another catalog wants it too", "conf.jar.*", HADOOP(L "io-impl org.apache.iceberg.aws.s3.S3FileIO\n" PACKAGES RUNTIME "1.9.1\n"), "conf.jar.aws-bundle-missing x.conf org.apache.iceberg:"},
    {.about = "... signing as well", "conf.jar.*", REST(L "rest.auth.type sigv4\n" PACKAGES RUNTIME "1.9.1\n"), "conf.jar.aws-bundle-missing x.conf org.apache.iceberg:"},
    {.about = "a bundle of no version", "conf.jar.*", GLUE("spark.jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar,/x/iceberg-aws-bundle.jar\n"), ""},
    {.about = "a runtime of no version, or of none that is known", "conf.jar.*",
     LAKE("spark.jars /x/iceberg-spark-runtime-3.5_2.12.jar,/x/iceberg-spark-runtime-3.5_2.12-x.jar,/x/iceberg-aws-bundle-1.9.1.jar\n"), "conf.jar.two-versions x.conf /x/iceberg-spark-runtime-3.5_2.12-x"},
    {.about = "names of modules that say no Spark", "conf.jar.*", LAKE("spark.jars /x/iceberg-spark-runtime.jar\n"), ""},
    {.about = "... with too little, or a suffix", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.5:1.9.1\n"), ""},
    {.about = "... without a hyphen", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtimes_2:1.9.1\n"), ""},
    {.about = "... a Spark that is none", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-x_2.12:1.9.1\n"), ""},
    {.about = "... a Spark with a suffix", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.5x_2.12:1.9.1\n"), ""},
    {.about = "... a Scala that is none", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.5_x:1.9.1\n"), ""},
    {.about = "... a Scala with a suffix", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12x:1.9.1\n"), ""},
    {.about = "the old runtime of Spark 3", "conf.jar.*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark3-runtime:0.12.0\n"), ""},
    {.about = "an older release of the same Spark", "conf.jar.older*", LAKE(PACKAGES RUNTIME "1.6.1\n"), "conf.jar.older-than-seed x.conf org"},
    {.about = "... only a line of releases", "conf.jar.older*", LAKE(PACKAGES RUNTIME "1\n"), ""},
    {.about = "... of another Spark", "conf.jar.older*", LAKE(PACKAGES "org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.6.1\n"), ""},
    {.about = "the library of a cluster that says no Spark", "conf.jar.*mismatch",
     {{"c.json", J({"spark_version": "custom:x", "spark_conf": {}, "libraries": [{"maven": {"coordinates": "org.apache.iceberg:iceberg-spark-runtime-3.3_2.13:1.4.3"}}]})}}, ""},
    {.about = "one runtime as a coordinate and as a file", "conf.jar.two*", LAKE(PACKAGES RUNTIME "1.9.1\nspark.jars /x/iceberg-spark-runtime-3.5_2.12-1.9.1.jar\n"), ""},
    {.about = "... the file says no version", "conf.jar.two*", LAKE(PACKAGES RUNTIME "1.9.1\nspark.jars /x/iceberg-spark-runtime-3.5_2.12.jar\n"), ""},
    {.about = "... the first one says none", "conf.jar.two*", LAKE("spark.jars /x/iceberg-spark-runtime-3.5_2.12.jar\n" PACKAGES RUNTIME "1.9.1\n"), ""},
    {.about = "... of two Sparks", "conf.jar.two*", LAKE(PACKAGES RUNTIME "1.9.1,org.apache.iceberg:iceberg-spark-runtime-3.4_2.12:1.9.1\n"), "conf.jar.two-versions x.conf org.apache.iceberg:iceberg-spark-runtime-3.4"},
};

static const struct lint_case caches[] = {
    {.about = "on, with no interval, in a job", "conf.cache.*",
     {{"job.json", J({"Command": {"Name": "gluestreaming"}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.cache-enabled=true"}})}},
     "conf.cache.idle-timeout job.json true"},
    {.about = "a notebook that streams", "conf.cache.*",
     {{"x.conf", DEFINED}, {"a.sql", "writeStream"}, {"n.ipynb", J({"cells": [{"cell_type": "code", "source": "a.foreachBatch(x)"}], "nbformat": 4})}}, "conf.cache.idle-timeout x.conf spark"},
    {.about = "a script that does not", "conf.cache.*", {{"x.conf", DEFINED}, {"a.py", "x\n"}}, "conf.cache.idle-timeout x.conf spark"},
    {.about = "an empty switch, and an empty interval", "conf.cache.*",
     {{"c.json", J({"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.cache-enabled": ""}})}},
     "conf.cache.value-invalid c.json \""},
    {.about = "an interval of no characters", "conf.cache.value*", LAKE(L "cache.expiration-interval-ms\n"), "conf.cache.value-invalid x.conf "},
    {.about = "a variable, of either", "conf.cache.*", FILE_OF(DEFINED L "cache-enabled $C\nspark.sql.catalog.b org.apache.iceberg.spark.SparkCatalog\nspark.sql.catalog.b.cache.expiration-interval-ms ${x}\n"), ""},
    {.about = "for ever, in a batch", "conf.cache.never*",
     {{"job.json", J({"tasks": [{"new_cluster": {"spark_version": "15.4.x-scala2.12", "spark_conf": {"spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.lake.cache.expiration-interval-ms": "-1"}}}]})}},
     "conf.cache.never-expires job.json -1"},
    {.about = "keys that are none: dots and hyphens", "conf.cache.key*",
     LAKE(L "cache.expiration-interval 5\n" L "cache.expiration-ms 5\n" L "cache.expiration 5\n" L "caching-enabled false\n" L "cache.enabled false\n" L "cache-expiration-interval-ms 5\n" L "io.cache 5\n"),
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.cache.expiration-interval\n"
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.cache.expiration-ms\n"
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.cache.expiration\n"
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.caching-enabled\n"
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.cache.enabled\n"
     "conf.cache.key-near-miss x.conf spark.sql.catalog.lake.cache-expiration-interval-ms"},
};

#define READ "26/11/30 02:15:45 INFO SnapshotScan: Scanning table t snapshot "
#define FILTER " created at 2026-11-30T00:53:20.000+00:00 with filter true\n"
#define STATE(current, ...) "v1.metadata.json", J({"format-version": 2, "table-uuid": "u", "current-snapshot-id": current, "snapshots": __VA_ARGS__})

static const struct lint_case reads[] = {
    {.about = "two behind, of which one has no time", "conf.cache.reader*",
     {{"a.log", READ "2" FILTER READ "1" FILTER}, {STATE(3, [{"snapshot-id": 1, "timestamp-ms": 1000}, {"snapshot-id": 2, "timestamp-ms": 2000}, {"snapshot-id": 4}, {"timestamp-ms": 9}, {"snapshot-id": 3, "timestamp-ms": 9000}, {"snapshot-id": 5, "timestamp-ms": 99000}])}},
     "conf.cache.reader-behind a.log 26/11/30"},
    {.about = "current", "conf.cache.reader*",
     {{"a.log", READ "3" FILTER}, {STATE(3, [{"snapshot-id": 1, "timestamp-ms": 1000}, {"snapshot-id": 3, "timestamp-ms": 9000}])}}, ""},
    {.about = "what is current is not listed", "conf.cache.reader*",
     {{"a.log", READ "1" FILTER}, {STATE(3, [{"snapshot-id": 1, "timestamp-ms": 1000}])}}, ""},
    {.about = "a table of another log", "conf.cache.reader*",
     {{"a.log", READ "7" FILTER}, {"b.log", READ "8" FILTER}, {STATE(3, [{"snapshot-id": 3, "timestamp-ms": 1000}])}}, "", "conf.cache.reader-behind"},
    {.about = "no snapshots, or no current one", "conf.cache.reader*",
     {{"a.log", READ "1" FILTER}, {"v2.metadata.json", J({"format-version": 2, "table-uuid": "u"})}, {"v1.metadata.json", J({"format-version": 2, "table-uuid": "u", "snapshots": [{"snapshot-id": 1, "timestamp-ms": 1}]})}}, "", "conf.cache.reader-behind"},
    {.about = "times as far apart as they can be", "conf.cache.reader*",
     {{"a.log", READ "1" FILTER}, {STATE(2, [{"snapshot-id": 1, "timestamp-ms": -9223372036854775807}, {"snapshot-id": 2, "timestamp-ms": 9223372036854775807}])}},
     "conf.cache.reader-behind a.log 26/11/30"},
};

/* clang-format on */

static void names_that_nearly_meet(void **state) {
    (void)state;
    lint_all(names, ICE_COUNT_OF(names));
    lint_all(near, ICE_COUNT_OF(near));
}

static void endpoints_of_rest(void **state) {
    (void)state;
    lint_all(endpoints, ICE_COUNT_OF(endpoints));
}

static void places_of_tables(void **state) {
    (void)state;
    lint_all(warehouses, ICE_COUNT_OF(warehouses));
}

static void names_of_jars(void **state) {
    (void)state;
    lint_all(jars, ICE_COUNT_OF(jars));
}

static void caches_of_tables(void **state) {
    (void)state;
    lint_all(caches, ICE_COUNT_OF(caches));
    lint_all(reads, ICE_COUNT_OF(reads));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_nearly_meet), cmocka_unit_test(endpoints_of_rest),
        cmocka_unit_test(places_of_tables),       cmocka_unit_test(names_of_jars),
        cmocka_unit_test(caches_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
