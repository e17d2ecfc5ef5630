/*
 * The places of values in catalog exports. What stands nowhere here is passed over
 * unread: credentials, above all.
 */
#include "inputs/pointer_places.h"

/* clang-format off */
#define GLUE_ROWS(below)                                                                 \
    {below "/Parameters/metadata_location", WHAT_METADATA},                              \
    {below "/Parameters/previous_metadata_location", WHAT_PREVIOUS},                     \
    {below "/Parameters/table_type", WHAT_TYPE},                                         \
    {below "/Name", WHAT_TABLE},                                                         \
    {below "/DatabaseName", WHAT_SPACE},                                                 \
    {below "/CatalogId", WHAT_CATALOG},                                                  \
    {below "/VersionId", WHAT_VERSION},                                                  \
    {below "/UpdateTime", WHAT_TIME},                                                    \
    {below "/StorageDescriptor/Location", WHAT_LOCATION},                                \
    {below "/StorageDescriptor/Columns/*/Name", WHAT_COLUMN},                            \
    {below "/StorageDescriptor/Columns/*/Parameters/iceberg.field.current",              \
     WHAT_COLUMN_CURRENT},                                                               \
    {below "/IcebergTableMetadata/TableUuid", WHAT_UUID}
/* clang-format on */

static const struct ice_pointer_row glue_rows[] = {GLUE_ROWS(""), {NULL, WHAT_METADATA}};

/* The version's number stands beside its table, and in newer answers also in it. */
static const struct ice_pointer_row glue_version_rows[] = {
    {"/VersionId", WHAT_VERSION}, GLUE_ROWS("/Table"), {NULL, WHAT_METADATA}};

static const struct ice_pointer_row rest_rows[] = {
    {"/metadata-location", WHAT_METADATA},
    {"/metadata/table-uuid", WHAT_UUID},
    {"/metadata/location", WHAT_LOCATION},
    {"/metadata/current-snapshot-id", WHAT_SNAPSHOT},
    {"/metadata/format-version", MARK_METADATA},
    {"/format-version", MARK_METADATA}, /* the document itself: no pointer at all */
    {NULL, WHAT_METADATA},
};

/* S3 Tables, Nessie contents and Snowflake share the name of the member. */
static const struct ice_pointer_row camel_rows[] = {
    {"/metadataLocation", WHAT_METADATA},
    {"/tableARN", MARK_S3TABLES},
    {"/warehouseLocation", MARK_S3TABLES},
    {"/versionToken", MARK_S3TABLES},
    {"/name", WHAT_TABLE},
    {"/namespace/*", WHAT_SPACE_PART},
    {"/type", MARK_NESSIE},
    {"/modifiedAt", WHAT_TIME},
    {"/snapshotId", WHAT_SNAPSHOT},
    {"/status", MARK_SNOWFLAKE},
    {NULL, WHAT_METADATA},
};

static const struct ice_pointer_row nessie_rows[] = {
    {"/content/metadataLocation", WHAT_METADATA}, {"/content/type", WHAT_TYPE},
    {"/content/snapshotId", WHAT_SNAPSHOT},       {"/name/elements/*", WHAT_SPACE_PART},
    {"/key/elements/*", WHAT_SPACE_PART},         {NULL, WHAT_METADATA},
};

static const struct ice_pointer_row unity_rows[] = {
    {"/properties/metadata_location", WHAT_METADATA},
    {"/delta_uniform_iceberg/metadata_location", WHAT_METADATA},
    {"/table_id", MARK_UNITY},
    {"/storage_location", WHAT_LOCATION},
    {"/catalog_name", WHAT_CATALOG},
    {"/schema_name", WHAT_SPACE},
    {"/updated_at", WHAT_TIME},
    {"/name", WHAT_TABLE},
    {NULL, WHAT_METADATA},
};

static const struct ice_pointer_row bigquery_rows[] = {
    {"/externalCatalogTableOptions/parameters/metadata_location", WHAT_METADATA},
    {"/externalCatalogTableOptions/parameters/previous_metadata_location", WHAT_PREVIOUS},
    {"/externalCatalogTableOptions/parameters/uuid", WHAT_UUID},
    {"/externalCatalogTableOptions/parameters/table_type", WHAT_TYPE},
    {"/tableReference/tableId", WHAT_TABLE},
    {"/tableReference/datasetId", WHAT_SPACE},
    {"/tableReference/projectId", WHAT_CATALOG},
    {NULL, WHAT_METADATA},
};

static const struct ice_pointer_row hive_rows[] = {
    {"/parameters/metadata_location", WHAT_METADATA},
    {"/parameters/previous_metadata_location", WHAT_PREVIOUS},
    {"/parameters/uuid", WHAT_UUID},
    {"/parameters/table_type", WHAT_TYPE},
    {"/parameters/current-snapshot-id", WHAT_SNAPSHOT},
    {"/tableName", WHAT_TABLE},
    {"/dbName", WHAT_SPACE},
    {"/sd/location", WHAT_LOCATION},
    {"/sd/cols/*/name", WHAT_COLUMN},
    {NULL, WHAT_METADATA},
};

/* A dump of iceberg_tables, and our own normal form. */
static const struct ice_pointer_row snake_rows[] = {
    {"/metadata_location", WHAT_METADATA},
    {"/previous_metadata_location", WHAT_PREVIOUS},
    {"/catalog_name", WHAT_CATALOG},
    {"/table_namespace", WHAT_SPACE},
    {"/table_name", WHAT_TABLE},
    {"/iceberg_type", WHAT_TYPE},
    {"/catalog", WHAT_CATALOG},
    {"/namespace/*", WHAT_SPACE_PART},
    {"/table", WHAT_TABLE},
    {"/table_uuid", WHAT_UUID},
    {"/snapshot_id", WHAT_SNAPSHOT},
    {"/location", WHAT_LOCATION},
    {"/table_type", WHAT_TYPE},
    {"/version", WHAT_VERSION},
    {"/time", WHAT_TIME},
    {"/columns/*", WHAT_COLUMN},
    {NULL, WHAT_METADATA},
};

static const struct ice_pointer_row polaris_rows[] = {
    {"/internal_properties", WHAT_POLARIS},
    {"/internal_properties/metadata-location", WHAT_METADATA},
    {"/drop_timestamp", WHAT_DROPPED},
    {"/name", WHAT_TABLE},
    {NULL, WHAT_METADATA},
};

const struct ice_pointer_group ice_pointer_groups[ICE_POINTER_GROUPS] = {
    {"/Table", ICE_POINTER_GLUE, glue_rows},
    {"/TableList/*", ICE_POINTER_GLUE, glue_rows},
    {"/TableVersions/*", ICE_POINTER_GLUE, glue_version_rows},
    {"/TableInput", ICE_POINTER_GLUE, glue_rows},
    {"", ICE_POINTER_REST, rest_rows},
    {"", ICE_POINTER_S3TABLES, camel_rows},
    {"/entries/*", ICE_POINTER_NESSIE, nessie_rows},
    {"/contents/*", ICE_POINTER_NESSIE, nessie_rows},
    {"", ICE_POINTER_UNITY, unity_rows},
    {"/tables/*", ICE_POINTER_UNITY, unity_rows},
    {"", ICE_POINTER_BIGQUERY, bigquery_rows},
    {"/*", ICE_POINTER_BIGQUERY, bigquery_rows},
    {"", ICE_POINTER_HIVE, hive_rows},
    {"/*", ICE_POINTER_HIVE, hive_rows},
    {"", ICE_POINTER_NORMAL, snake_rows},
    {"/*", ICE_POINTER_JDBC, snake_rows},
    {"/*", ICE_POINTER_POLARIS, polaris_rows},
    {"", ICE_POINTER_POLARIS, polaris_rows},
};
