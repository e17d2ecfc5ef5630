/*
 * Policies of a role and of others, with the job and the table that they are for.
 */
#include "lint_cases.h"

/* clang-format off */

#define ROLE "arn:aws:iam::123456789012:role/etl"
#define JOB_OF(role) J({"Name": "load", "Role": role, "GlueVersion": "5.0", "Command": {"Name": "glueetl"}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.type=glue"}})
#define JOB "job.json", JOB_OF(ROLE)
#define POLICY(...) J({"Version": "2012-10-17", "Statement": [__VA_ARGS__]})
#define INLINE(...) J({"PolicyName": "p", "PolicyDocument": {"Statement": [__VA_ARGS__]}})
#define OTHERS(...) "others.json", POLICY({"Sid": "Theirs", __VA_ARGS__})
#define LIST(...) [__VA_ARGS__]
#define ALLOW(action, ...) {"Effect": "Allow", "Action": action, "Resource": __VA_ARGS__}
#define DENY(action, ...) {"Sid": "No", "Effect": "Deny", "Action": action, "Resource": __VA_ARGS__}
#define GLUE ALLOW(LIST("glue:GetDatabase", "glue:GetTable"), ["arn:aws:glue:eu-west-1:123456789012:catalog", "arn:aws:glue:eu-west-1:123456789012:database/db", "arn:aws:glue:eu-west-1:123456789012:table/db/*"])
#define OBJECTS ALLOW("s3:GetObject", "arn:aws:s3:::lake/*")
#define BUCKET ALLOW(LIST("s3:ListBucket", "s3:GetBucketLocation"), "arn:aws:s3:::lake")
#define ALL GLUE, OBJECTS, BUCKET
#define TABLE_AT(location) "table.json", J({"Table": {"Name": "orders", "DatabaseName": "db", "CatalogId": "123456789012", "Parameters": {"table_type": "ICEBERG", "metadata_location": "s3://lake/wh/orders/metadata/1.metadata.json"}, "StorageDescriptor": {"Location": location}}})
#define TABLE TABLE_AT("s3://lake/wh/orders/")
#define ATTACHED(...) "attached.json", J({"AttachedPolicies": [__VA_ARGS__]})
#define SERVICE_ROLE {"PolicyArn": "arn:aws:iam::aws:policy/service-role/AWSGlueServiceRole"}
#define S3_READ {"PolicyArn": "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"}
#define OWN {"PolicyArn": "arn:aws:iam::123456789012:policy/own"}

static const struct lint_case others[] = {
    {.about = "all that is needed is there", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {TABLE}}, ""},
    {.about = "a bucket policy refuses the role's account", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": "123456789012", "Action": "s3:GetObject", "Resource": "*")}},
     "conf.iam.deny others.json {\"Sid\": \"Theirs"},
    {.about = "... its root", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "s3:GetObject", "Resource": "*")}},
     "conf.iam.deny others.json {\"Sid\": \"Theirs"},
    {.about = "... everybody, with several names", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": ["arn:aws:iam::210987654321:root", "*"]}, "Action": "s3:GetObject", "Resource": "*")}},
     "conf.iam.deny others.json {\"Sid\": \"Theirs"},
    {.about = "... another role of the account", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::123456789012:role/other"}, "Action": "s3:GetObject", "Resource": "*")}}, ""},
    {.about = "... another account", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "s3:GetObject", "Resource": "*")}}, ""},
    {.about = "... a service", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"Service": "glue.amazonaws.com"}, "Action": "s3:GetObject", "Resource": "*")}}, ""},
    {.about = "... all but the role", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "NotPrincipal": {"AWS": "arn:aws:iam::123456789012:role/etl"}, "Action": "s3:GetObject", "Resource": "*")}}, ""},
    {.about = "... somebody, and who asks is not known", "conf.iam.*",
     {{"job.json", JOB_OF("etl")}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "s3:GetObject", "Resource": "*")}}, ""},
    {.about = "... everybody, whoever asks", "conf.iam.*",
     {{"job.json", JOB_OF("etl")}, {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "*")}},
     "conf.iam.deny others.json {\"Sid\": \"Theirs"},
    {.about = "a bucket policy lets everybody in but another", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET)}, {OTHERS("Effect": "Allow", "NotPrincipal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lake/*")}}, ""},
    {.about = "... only the other", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET)}, {OTHERS("Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lake/*")}},
     "conf.iam.s3-read policy.json "},
    {.about = "... one of whom is not known whether it asks", "conf.iam.*",
     {{"job.json", JOB_OF("etl")}, {"policy.json", POLICY(GLUE, BUCKET)}, {OTHERS("Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::210987654321:root"}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lake/*")}}, ""},
    {.about = "the role's own name is in its policies", "conf.iam.*",
     {{"job.json", JOB_OF("etl")}, {"role.json", J({"RoleDetailList": [{"Arn": 7}, {"Arn": "arn:aws:s3:::x"}, {"Arn": "arn:aws:iam::123456789012:user/x"}, {"Arn": "arn:aws:iam::123456789012:role/etl"}, {"Arn": "arn:aws:iam::123456789012:role/z", "AssumeRolePolicyDocument": {"Statement": {"Effect": "Deny"}}}]})},
      {"policy.json", POLICY(ALL)}, {OTHERS("Effect": "Deny", "Principal": {"AWS": "arn:aws:iam::123456789012:role/etl"}, "Action": "s3:GetObject", "Resource": "*")}},
     "conf.iam.deny others.json {\"Sid\": \"Theirs"},
};

static const struct lint_case attached[] = {
    {.about = "a shape that fits no object", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::lake"))}},
     "conf.iam.s3-resource-shape policy.json arn:aws:s3:::lake"},
    {.about = "... a managed policy grants it", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::lake"))}, {ATTACHED(SERVICE_ROLE, S3_READ)}}, ""},
    {.about = "... an attached one may", "conf.iam.*",
     {{JOB}, {"policy.json", INLINE(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::lake"))}, {ATTACHED(SERVICE_ROLE, OWN, {"PolicyArn": 7})}}, "",
     "needed actions"},
    {.about = "... the bucket does", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::lake"))},
      {OTHERS("Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lake/*")}}, ""},
    {.about = "... all but some places fit", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, {"Effect": "Allow", "Action": "s3:GetObject", "NotResource": "arn:aws:s3:::secret"})}}, ""},
    {.about = "two lists of attached policies, neither with Glue's", "conf.iam.managed*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {ATTACHED(S3_READ)}, {"more.json", J({"AttachedPolicies": []})}},
     "conf.iam.managed-policy attached.json "},
    {.about = "a place outside of the grant that a managed policy covers", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::other/*"))}, {TABLE}, {ATTACHED(SERVICE_ROLE, S3_READ)}}, ""},
    {.about = "... or a bucket policy", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "arn:aws:s3:::other/*"))}, {TABLE},
      {OTHERS("Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": "*")}}, ""},
    {.about = "a document that is no JSON is told", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {"own.json", J({"PolicyInJson": "{"})}}, "",
     "statements of a policy"},
    {.about = "... nor as a URL has it", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {"own.json", J({"PolicyDocument": "%7B%zz"})}}, "",
     "statements of a policy"},
    {.about = "statements that say nothing", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL, 7, {"Effect": 7, "Action": "*", "Resource": "*"}, {"Effect": "Maybe", "Action": "*"}, {"Sid": 7, "Effect": "Allow", "Condition": 7, "Action": {"Ref": "x"}, "Resource": []})},
      {"b.json", J({"Version": "2012-10-17", "Statement": "none"})}}, ""},
    {.about = "a statement that no array holds", "conf.iam.*",
     {{JOB}, {"policy.json", J({"Version": "2012-10-17", "Statement": {"Sid": "X", "Effect": "Deny", "Action": "glue:*", "Resource": "*"}})}, {"b.json", POLICY(ALL)}},
     "conf.iam.deny policy.json {\"Sid\": \"X\n"
     "conf.iam.deny policy.json {\"Sid\": \"X"},
    {.about = "lists of databases, and a managed policy that loads tables", "conf.iam.list*",
     {{JOB}, {"policy.json", POLICY(ALLOW("glue:GetDatabases", "*"))}, {ATTACHED(SERVICE_ROLE)}}, ""},
    {.about = "... under a condition", "conf.iam.list*",
     {{JOB}, {"policy.json", POLICY({"Effect": "Allow", "Action": "glue:GetDatabases", "Resource": "*", "Condition": {"Bool": {"a": "true"}}})}},
     "conf.iam.list-only policy.json "},
    {.about = "... to write", "conf.iam.list*",
     {{JOB}, {"policy.json", POLICY(ALLOW("glue:GetDatabases", "*"))}},
     "conf.iam.list-only policy.json ", .profile = "glue-write"},
};

static const struct lint_case stars[] = {
    {.about = "an action on everything", "conf.iam.resource*",
     {{JOB}, {"policy.json", POLICY(ALLOW("glue:Get*", ["arn:aws:glue:eu-west-1:123456789012:catalog", "*"]))}},
     "conf.iam.resource-star policy.json {"},
    {.about = "... that no profile needs", "conf.iam.resource*",
     {{JOB}, {"policy.json", POLICY(ALLOW("logs:*", "*"))}}, ""},
    {.about = "... refused", "conf.iam.resource*",
     {{JOB}, {"policy.json", POLICY(DENY("glue:Get*", "*"))}}, ""},
    {.about = "... under a condition", "conf.iam.resource*",
     {{JOB}, {"policy.json", POLICY({"Effect": "Allow", "Action": "glue:*", "Resource": "*", "Condition": {"Bool": {"a": "true"}}})}}, ""},
    {.about = "... on all but everything", "conf.iam.resource*",
     {{JOB}, {"policy.json", POLICY({"Effect": "Allow", "Action": "glue:*", "NotResource": "*"})}}, ""},
};

static const struct lint_case tables[] = {
    {.about = "the table is refused, its catalog is not", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL, DENY("glue:GetTable", "arn:aws:glue:eu-west-1:123456789012:table/db/orders"))}, {TABLE}},
     "conf.iam.deny policy.json {\"Sid\": \"No"},
    {.about = "another table is", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL, DENY("glue:GetTable", "arn:aws:glue:eu-west-1:123456789012:table/db/secret"))}, {TABLE}}, ""},
    {.about = "the place that grants most is named, not another", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(OBJECTS, BUCKET, ALLOW(LIST("glue:GetDatabase", "glue:GetTable"), ["arn:aws:glue:eu-west-1:123456789012:catalog", "arn:aws:glue:eu-west-1:123456789012:database/db", "arn:aws:glue:us-east-1:123456789012:table/x/y"]))}, {TABLE}},
     "conf.iam.glue-read policy.json "},
    {.about = "any region, partition and account", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(OBJECTS, BUCKET, ALLOW(LIST("glue:GetDatabase", "glue:GetTable"), "arn:*:glue:*:*:*"))}, {TABLE}}, ""},
    {.about = "no region", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(OBJECTS, BUCKET, ALLOW(LIST("glue:GetDatabase", "glue:GetTable"), ["x", "arn:aws:s3:::lake", "arn:aws:glue::*:*"]))}, {TABLE}},
     "conf.iam.glue-read policy.json \nconf.iam.glue-read policy.json "},
    {.about = "a table of no account: the policy's", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {"table.json", J({"Table": {"Name": "orders", "DatabaseName": "db", "CatalogId": "x", "Parameters": {"metadata_location": "s3://lake/wh/m/1.json"}}})}}, ""},
    {.about = "no database", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {"table.json", J({"Table": {"Name": "orders", "DatabaseName": "", "Parameters": {"metadata_location": "s3://lake/wh/m/1.json"}}})}}, ""},
    {.about = "a table alone: Glue is asked for it", "conf.iam.*",
     {{"policy.json", POLICY(OBJECTS, BUCKET)}, {TABLE}},
     "conf.iam.glue-read policy.json \nconf.iam.glue-read policy.json "},
    {.about = "no catalog and no table: nothing is known to be needed", "conf.iam.*",
     {{"policy.json", POLICY(OBJECTS)}}, "", "needed actions"},
    {.about = "what ran counts, not what was declared", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(OBJECTS)}, {"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"], ["spark.sql.catalog.lake.type", "hive"]]})}}, "",
     "needed actions"},
    {.about = "a place outside of the grant", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {TABLE_AT("s3a://attic/orders///")}},
     "conf.iam.data-location table.json s3a://attic/orders///"},
    {.about = "a whole bucket", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {TABLE_AT("s3://attic")}},
     "conf.iam.data-location table.json s3://attic"},
    {.about = "no bucket, or no place of S3", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {TABLE_AT("s3:///orders")}, {"b.json", J({"Table": {"Name": "b", "DatabaseName": "db", "Parameters": {"metadata_location": "s3://lake/m/1.json"}, "StorageDescriptor": {"Location": "hdfs://n/orders"}}})}}, ""},
    {.about = "one sentence for a place and what lies below it; a neighbour is another", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {"v1.metadata.json", J({"format-version": 2, "table-uuid": "u", "location": "s3://attic/orders", "properties": {"write.data.path": "s3://attic/orders2", "write.metadata.path": "s3://attic/orders/metadata", "write.folder-storage.path": "s3://attic/orders", "write.object-storage.path": "s3://lake/o"}})}},
     "conf.iam.data-location v1.metadata.json s3://attic/orders\"\n"
     "conf.iam.data-location v1.metadata.json s3://attic/orders2\""},
    {.about = "the bucket may not be listed", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", "*"))}, {TABLE_AT("s3://attic/orders")}},
     "conf.iam.resource-star policy.json {\n"
     "conf.iam.data-location table.json s3://attic/orders"},
    {.about = "the prefix is refused", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(ALL, DENY("s3:Get*", "arn:aws:s3:::lake/wh/*"))}, {TABLE}},
     "conf.iam.deny policy.json {\"Sid\": \"No"},
    {.about = "folders of a place are granted by themselves", "conf.iam.*",
     {{JOB}, {"policy.json", POLICY(GLUE, BUCKET, ALLOW("s3:GetObject", ["arn:aws:s3:::lake/wh/orders/data/*", "arn:aws:s3:::lake/wh/orders/metadata/*"]))}, {TABLE}}, ""},
};

#define SPEC(...) {"spec-id": 0, "fields": __VA_ARGS__}
#define METADATA(...) "v1.metadata.json", J({"format-version": 2, "table-uuid": "u", "location": "s3://lake/wh/orders", "default-spec-id": 0, "partition-specs": __VA_ARGS__})

static const struct lint_case partitions[] = {
    {.about = "the current spec has fields", "conf.iam.get*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA([SPEC([{"name": "day"}])])}},
     "conf.iam.get-partitions v1.metadata.json {\"spec-id\""},
    {.about = "... none", "conf.iam.get*", {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA([SPEC([])])}}, ""},
    {.about = "... no list", "conf.iam.get*", {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA([SPEC("x")])}}, ""},
    {.about = "an old spec had them", "conf.iam.get*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA([{"spec-id": 1, "fields": [{"name": "day"}]}, SPEC([])])}}, ""},
    {.about = "specs that are no list", "conf.iam.get*", {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA({})}}, ""},
    {.about = "partitions may be asked for", "conf.iam.get*",
     {{JOB}, {"policy.json", POLICY(ALL, ALLOW("glue:GetPartitions", "*"))}, {METADATA([SPEC([{"name": "day"}])])}}, ""},
    {.about = "... by the managed policy", "conf.iam.get*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {ATTACHED(SERVICE_ROLE)}, {METADATA([SPEC([{"name": "day"}])])}}, ""},
    {.about = "... by a policy that is not here, perhaps", "conf.iam.get*",
     {{JOB}, {"policy.json", INLINE(ALL)}, {ATTACHED(OWN)}, {METADATA([SPEC([{"name": "day"}])])}}, ""},
    {.about = "no Glue catalog", "conf.iam.get*",
     {{"policy.json", POLICY(ALL)}, {METADATA([SPEC([{"name": "day"}])])}}, ""},
    {.about = "of two metadata files the first", "conf.iam.get*",
     {{JOB}, {"policy.json", POLICY(ALL)}, {METADATA([SPEC([])])}, {"b.metadata.json", J({"format-version": 2, "table-uuid": "u", "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": [{"name": "day"}]}], "snapshots": 7})}}, ""},
};

#define JOB_ABROAD "job.json", J({"Name": "load", "Role": "arn:aws:iam::123456789012:role/etl", "Command": {"Name": "glueetl"}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.type=glue --conf spark.sql.catalog.lake.glue.id=210987654321"}})
#define THEIRS(...) OTHERS("Effect": "Allow", "Principal": "*", "Action": "glue:*", "Resource": "*")

static const struct lint_case accounts[] = {
    {.about = "own policies name only the own account", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(GLUE, DENY("glue:GetTable", "arn:aws:glue:eu-west-1:210987654321:*"))}},
     "conf.iam.cross-account job.json 210987654321"},
    {.about = "all accounts, and the other side is not given", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(ALLOW("glue:*", "*"))}},
     "conf.iam.cross-account job.json 210987654321"},
    {.about = "... and it is", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(ALLOW("glue:*", ["x", "arn:aws:glue:*:*:*"]))}, {THEIRS()}}, ""},
    {.about = "all but a table of the own account", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY({"Effect": "Allow", "Action": "glue:*", "NotResource": "arn:aws:glue:*:123456789012:table/db/x"})}, {THEIRS()}}, ""},
    {.about = "a managed policy reaches all accounts", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(OBJECTS)}, {ATTACHED(SERVICE_ROLE)}, {THEIRS()}}, ""},
    {.about = "a policy that is not here may", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", INLINE(OBJECTS)}, {ATTACHED(OWN)}, {THEIRS()}}, ""},
    {.about = "a role of no account", "conf.iam.cross*",
     {{"job.json", J({"Role": "arn:aws:iam::x:role/etl", "Command": {"Name": "glueetl"}, "DefaultArguments": {"--conf": "spark.sql.catalog.lake=org.apache.iceberg.spark.SparkCatalog --conf spark.sql.catalog.lake.glue.id=210987654321"}})}, {"policy.json", POLICY(GLUE)}}, ""},
    {.about = "the table's account was judged with the catalog's", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(GLUE)}, {"table.json", J({"Table": {"Name": "orders", "DatabaseName": "db", "CatalogId": "210987654321", "Parameters": {"metadata_location": "s3://lake/wh/m/1.json"}}})}},
     "conf.iam.cross-account job.json 210987654321"},
    {.about = "the table's account alone", "conf.iam.cross*",
     {{JOB}, {"policy.json", POLICY(GLUE)}, {"table.json", J({"Table": {"Name": "orders", "DatabaseName": "db", "CatalogId": "210987654321", "Parameters": {"metadata_location": "s3://lake/wh/m/1.json"}}})}},
     "conf.iam.cross-account table.json {\"Name"},
    {.about = "no policy: nothing to judge", "conf.iam.cross*", {{JOB_ABROAD}}, ""},
    {.about = "a catalog that did not run", "conf.iam.cross*",
     {{JOB_ABROAD}, {"policy.json", POLICY(GLUE)}, {"env.json", J({"sparkProperties": [["spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog"]]})}}, ""},
};

static const struct lint_case lake_formation[] = {
    {.about = "tables of a list, one of them registered", "conf.iam.lake*",
     {{"tables.json", J({"TableList": [{"Name": "a", "Parameters": {"metadata_location": "s3://lake/m/1.json"}}, {"Name": "b", "IsRegisteredWithLakeFormation": true}]})}},
     "conf.iam.lake-formation tables.json true"},
    {.about = "a database beside its table", "conf.iam.lake*",
     {{"table.json", J({"Table": {"Name": "a", "DatabaseName": "db", "Parameters": {"metadata_location": "s3://lake/m/1.json"}}, "Database": {"Name": "db", "CreateTableDefaultPermissions": []}})}},
     "conf.iam.lake-formation table.json []"},
    {.about = "a database with IAM's own permissions", "conf.iam.lake*",
     {{"table.json", J({"Table": {"Name": "a", "DatabaseName": "db", "Parameters": {"metadata_location": "s3://lake/m/1.json"}}, "Database": {"Name": "db", "CreateTableDefaultPermissions": [{"Principal": {"DataLakePrincipalIdentifier": "IAM_ALLOWED_PRINCIPALS"}}]}})}}, ""},
    {.about = "databases beside tables of the same account", "conf.iam.lake*",
     {{"tables.json", J({"TableList": [{"Name": "a", "Parameters": {"metadata_location": "s3://lake/m/1.json"}}], "DatabaseList": [{"Name": "db", "CreateTableDefaultPermissions": []}, {"Name": "b"}]})}},
     "conf.iam.lake-formation tables.json []"},
    {.about = "a database that says nothing", "conf.iam.lake*",
     {{"table.json", J({"Table": {"Name": "a", "DatabaseName": "db", "Parameters": {"metadata_location": "s3://lake/m/1.json"}}, "Database": {"Name": "db"}})}}, ""},
};

/* clang-format on */

static void what_others_say(void **state) {
    (void)state;
    lint_all(others, ICE_COUNT_OF(others));
}

static void what_is_attached(void **state) {
    (void)state;
    lint_all(attached, ICE_COUNT_OF(attached));
    lint_all(stars, ICE_COUNT_OF(stars));
}

static void where_tables_are(void **state) {
    (void)state;
    lint_all(tables, ICE_COUNT_OF(tables));
    lint_all(partitions, ICE_COUNT_OF(partitions));
}

static void other_accounts(void **state) {
    (void)state;
    lint_all(accounts, ICE_COUNT_OF(accounts));
    lint_all(lake_formation, ICE_COUNT_OF(lake_formation));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_say),
        cmocka_unit_test(what_is_attached),
        cmocka_unit_test(where_tables_are),
        cmocka_unit_test(other_accounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
