/*
 * Header keys of a manifest: what is there, and what it says.
 */
#include "iceberg/manifest_header.h"

#include "base/error.h"
#include "iceberg/avro_fields.h"

static void read_integer(struct ice_manifest *manifest, const char *key, unsigned bit,
                         int64_t *out) {
    bool bad = false;
    bool ok = ice_avro_header_integer(&manifest->file, key, out, &bad);
    if (ok || bad)
        manifest->header |= bit;
    if (bad)
        manifest->header_bad |= bit;
}

/* A value that is wrong is marked; only the lack of memory or a limit stops the reader.
 */
static enum ice_status mark_bad(struct ice_manifest *manifest, enum ice_status status,
                                unsigned bit, const struct ice_error *inner,
                                struct ice_error *err) {
    if (status >= 0)
        return ICE_OK;
    if (status == ICE_EFORMAT || status == ICE_EUNSUPPORTED) {
        manifest->header_bad |= bit;
        return ICE_OK;
    }
    return ice_error_set(err, status, inner->rule, ICE_NO_OFFSET, "%s", inner->message);
}

static enum ice_status read_schema(struct ice_manifest *manifest, struct ice_run *run,
                                   struct ice_error *err) {
    struct ice_str text = ICE_STR_NONE;
    if (!ice_avro_header(&manifest->file, "schema", &text))
        return ICE_OK;
    struct ice_error inner = {0};
    manifest->header |= ICE_MHEAD_SCHEMA;
    enum ice_status status = ice_schema_parse(text, run, &manifest->file.arena,
                                              &manifest->header_schema, &inner);
    ICE_TRY(mark_bad(manifest, status, ICE_MHEAD_SCHEMA, &inner, err));
    if (!manifest->header_schema.is_struct)
        manifest->header_bad |= ICE_MHEAD_SCHEMA;
    return ICE_OK;
}

static enum ice_status read_spec(struct ice_manifest *manifest, struct ice_run *run,
                                 struct ice_error *err) {
    struct ice_str text = ICE_STR_NONE;
    if (!ice_avro_header(&manifest->file, "partition-spec", &text))
        return ICE_OK;
    struct ice_error inner = {0};
    manifest->header |= ICE_MHEAD_SPEC;
    enum ice_status status =
        ice_partition_spec_parse(text, run, &manifest->file.arena, &manifest->header_spec,
                                 &manifest->header_spec_is_object, &inner);
    return mark_bad(manifest, status, ICE_MHEAD_SPEC, &inner, err);
}

enum ice_status ice_manifest_header_read(struct ice_manifest *manifest,
                                         struct ice_run *run, struct ice_error *err) {
    ICE_TRY(read_schema(manifest, run, err));
    ICE_TRY(read_spec(manifest, run, err));
    read_integer(manifest, "schema-id", ICE_MHEAD_SCHEMA_ID, &manifest->header_schema_id);
    read_integer(manifest, "partition-spec-id", ICE_MHEAD_SPEC_ID,
                 &manifest->header_spec_id);
    read_integer(manifest, "format-version", ICE_MHEAD_VERSION,
                 &manifest->header_version);
    if (ice_avro_header(&manifest->file, "content", &manifest->header_content))
        manifest->header |= ICE_MHEAD_CONTENT;
    return ICE_OK;
}
