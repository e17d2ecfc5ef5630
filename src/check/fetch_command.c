/*
 * What fetches an old version of an object back: a command of the storage's own tool,
 * with names quoted as words of a shell.
 */
#include "check/fetch_command.h"

#include "base/error.h"
#include "inputs/target.h"

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_./:=@%+,-", c) != NULL);
}

/* As one word of a shell. */
static enum ice_status put_word(struct ice_buf *out, struct ice_str text) {
    bool is_safe = text.size > 0;
    for (size_t i = 0; i < text.size && is_safe; i++)
        is_safe = is_plain(text.data[i]);
    if (is_safe)
        return ice_buf_append_str(out, text);
    ICE_TRY(ice_buf_append_char(out, '\''));
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'')
            ICE_TRY(ice_buf_append_str(out, ICE_STR("'\\''")));
        else
            ICE_TRY(ice_buf_append_char(out, text.data[i]));
    }
    return ice_buf_append_char(out, '\'');
}

/* A value that begins with '-' is joined by '=', or it would be an option itself. */
static enum ice_status put_option(struct ice_buf *out, const char *option,
                                  struct ice_str value) {
    bool is_dash = value.size > 0 && value.data[0] == '-';
    ICE_TRY(ice_buf_append_str(out, ice_str_from(option)));
    ICE_TRY(ice_buf_append_char(out, is_dash ? '=' : ' '));
    return put_word(out, value);
}

/* The file that it is written to, here. */
static enum ice_status put_name(struct ice_buf *out, struct ice_str name) {
    bool is_dash = name.size > 0 && name.data[0] == '-';
    ICE_TRY(ice_buf_append_str(out, is_dash ? ICE_STR(" ./") : ICE_STR(" ")));
    return put_word(out, name);
}

/* "scheme://authority/key" */
static void split(struct ice_str uri, struct ice_str *out_authority,
                  struct ice_str *out_key) {
    struct ice_str rest = ice_str_from_index(uri, ice_uri_scheme(uri) + 2);
    size_t slash = ice_str_find(rest, '/');
    *out_authority = ice_str_first(rest, slash);
    *out_key = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash + 1);
}

static enum ice_status put_s3(struct ice_buf *out, const struct ice_old_version *old) {
    struct ice_str bucket, key;
    split(old->uri, &bucket, &key);
    ICE_TRY(put_option(out, "aws s3api get-object --bucket", bucket));
    ICE_TRY(put_option(out, " --key", key));
    ICE_TRY(put_option(out, " --version-id", old->id));
    return put_name(out, ice_key_name(key));
}

static enum ice_status put_gcs(struct ice_buf *out, const struct ice_old_version *old,
                               struct ice_buf *scratch) {
    ICE_TRY(ice_buf_append_str(scratch, old->uri));
    ICE_TRY(ice_buf_append_char(scratch, '#'));
    ICE_TRY(ice_buf_append_str(scratch, old->id));
    if (old->is_gone)
        return put_option(out, "gcloud storage restore", ice_buf_str(scratch));
    ICE_TRY(put_option(out, "gcloud storage cp", ice_buf_str(scratch)));
    return put_name(out, ice_key_name(old->uri));
}

static enum ice_status put_azure(struct ice_buf *out, const struct ice_old_version *old) {
    struct ice_str authority, key;
    split(old->uri, &authority, &key);
    size_t at = ice_str_find(authority, '@');
    struct ice_str host =
        at == SIZE_MAX ? authority : ice_str_from_index(authority, at + 1);
    ICE_TRY(ice_buf_append_str(out, old->is_gone ? ICE_STR("az storage blob undelete")
                                                 : ICE_STR("az storage blob download")));
    ICE_TRY(
        put_option(out, " --account-name", ice_str_first(host, ice_str_find(host, '.'))));
    ICE_TRY(put_option(out, " --container-name", ice_str_first(authority, at)));
    ICE_TRY(put_option(out, " --name", key));
    if (old->is_gone)
        return ICE_OK;
    ICE_TRY(put_option(out, " --version-id", old->id));
    ICE_TRY(ice_buf_append_str(out, ICE_STR(" --file")));
    return put_name(out, ice_key_name(key));
}

enum ice_status ice_fetch_command(struct ice_run *run, const struct ice_old_version *old,
                                  struct ice_buf *out) {
    struct ice_buf scratch;
    ice_buf_clear(out);
    if (ice_str_starts(old->uri, ICE_STR("s3:")))
        return put_s3(out, old);
    if (ice_str_starts(old->uri, ICE_STR("abfs:")))
        return put_azure(out, old);
    if (!ice_str_starts(old->uri, ICE_STR("gs:")))
        return put_option(out, "its version is", old->id);
    ice_buf_init(&scratch, &run->alloc, SIZE_MAX);
    enum ice_status status = put_gcs(out, old, &scratch);
    ice_buf_release(&scratch);
    return status;
}
