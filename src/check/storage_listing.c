/*
 * Listings as objects of storage: what their keys stand below, and what they cover.
 */
#include "check/storage_listing.h"

#include "base/error.h"
#include "inputs/listing.h"

enum { BASES = 24, ROOTS = 8, HITS_ENOUGH = 1000 };
static const int64_t LOCAL_SLACK_MS = INT64_C(14) * 3600 * 1000;

/* What all keys of one bucket have in common. */
struct root {
    struct ice_buf common; /* folded */
    bool is_used;
};

struct reading {
    struct ice_check *ck;
    struct ice_listing listing;
    const char *path;
    struct ice_listing_base *known;
    struct ice_str base; /* without '/' at the end; size 0: keys are URIs */
    struct ice_buf uri;
    struct root roots[ROOTS];
    bool was_encoded; /* known before the first object */
    bool has_old;     /* versions were told, or markers */
    struct ice_buf last;
    bool is_unordered; /* a key came that is not above the last */
    ice_stored_fn each;
    void *user;

    /* while the base is looked for */
    struct ice_str bases[BASES];
    uint64_t hits[BASES];
    size_t n_bases;
    uint64_t n_hits;
    bool has_enough, has_uris;
};

/* ---- from a key to a URI ---- */

static enum ice_status join(struct reading *r, struct ice_str base, struct ice_str key) {
    ice_buf_clear(&r->uri);
    bool is_uri = ice_uri_scheme(key) > 0 || (key.data[0] == '/' && base.size == 0);
    if (is_uri && key.data[0] == '/' && r->listing.format == ICE_LISTING_HDFS &&
        ice_uri_scheme(r->ck->metadata.location) > 0)
        ICE_TRY(ice_buf_append_str(&r->uri, ICE_STR("hdfs://")));
    if (is_uri)
        return ice_buf_append_str(&r->uri, key);
    if (r->listing.format == ICE_LISTING_FIND || r->listing.format == ICE_LISTING_PATHS)
        while (ice_str_starts(key, ICE_STR("./")))
            key = ice_str_from_index(key, 2);
    ICE_TRY(ice_buf_append_str(&r->uri, base));
    if (base.size > 0)
        ICE_TRY(ice_buf_append_char(&r->uri, '/'));
    return ice_buf_append_str(&r->uri, key);
}

/* ---- which base fits ---- */

/* What the locations of all tables have in common, by path segment. */
static struct ice_str common_location(const struct ice_storage_group *group) {
    struct ice_str common = ice_uri_strip(group->checks[0]->metadata.location);
    for (size_t i = 1; i < group->n; i++) {
        struct ice_str other = ice_uri_strip(group->checks[i]->metadata.location), rest;
        while (common.size > 0 &&
               !ice_uri_is_below(group->checks[0]->run, other, common, &rest))
            common = ice_uri_strip(ice_key_parent(common));
    }
    return common;
}

/* scheme://authority of the location, and every directory above it. */
static void list_bases(struct reading *r) {
    struct ice_str location = common_location(r->ck->storage->group);
    size_t scheme = ice_uri_scheme(location);
    while (location.size > scheme + 2 && r->n_bases < BASES) {
        size_t slash = ice_str_rfind(location, '/');
        r->bases[r->n_bases++] = location;
        if (slash == SIZE_MAX)
            return;
        struct ice_str outer = ice_uri_strip(ice_str_first(location, slash));
        if (outer.size <= scheme || outer.size >= location.size)
            return;
        location = outer;
    }
}

/* Paths of this machine, of a table that has such a location. */
static bool is_local_path(const struct reading *r, struct ice_str key) {
    struct ice_str location = r->ck->metadata.location;
    return key.data[0] == '/' &&
           (ice_uri_scheme(location) == 0 || ice_str_starts(location, ICE_STR("file:")));
}

static enum ice_status try_bases(const struct ice_listed *object, void *user) {
    struct reading *r = user;
    struct ice_check *ck = r->ck;
    if (ice_uri_scheme(object->key) > 0 || is_local_path(r, object->key)) {
        r->has_uris = true;
        return ICE_OK;
    }
    for (size_t i = 0; i < r->n_bases; i++) {
        struct ice_str folded;
        ICE_TRY(join(r, r->bases[i], object->key));
        ICE_TRY(ice_storage_fold(ck, ice_buf_str(&r->uri), &folded));
        bool is_hit = ice_storage_group_names(ck->storage->group, folded,
                                              ice_storage_hash(ck, folded));
        r->hits[i] += is_hit;
        r->n_hits += is_hit;
    }
    r->has_enough = r->n_hits >= HITS_ENOUGH;
    return r->has_enough ? ICE_ECANCELLED : ICE_OK;
}

static enum ice_status no_base(const struct reading *r, struct ice_error *err) {
    char shown[128];
    return ice_error_set(
        err, ICE_EARG, NULL, ICE_NO_OFFSET,
        "--listing %s: its keys do not name their bucket, and %s; add --base, for "
        "instance --base s3://bucket/",
        ice_escape(shown, sizeof(shown), ice_str_from(r->path)),
        r->n_hits > 0 ? "fit the table in more than one way" : "none is of this table");
}

/* Keys that are URIs, all of them, need none. */
static enum ice_status find_base(struct reading *r, struct ice_error *err) {
    struct ice_check *ck = r->ck;
    struct ice_error fault;
    size_t best = 0, n = 0;
    ice_error_clear(&fault);
    if (ck->options->base != NULL) {
        r->base = ice_uri_strip(ice_str_from(ck->options->base));
        return ICE_OK;
    }
    if (ice_listing_scope(r->listing.format) == ICE_KEY_URI)
        return ICE_OK;
    list_bases(r);
    enum ice_status status = ice_listing_read(&r->listing, try_bases, r, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    for (size_t i = 0; i < r->n_bases; i++) {
        n += r->hits[i] > 0;
        best = r->hits[i] > r->hits[best] ? i : best;
    }
    r->was_encoded = r->listing.is_url_encoded;
    if (n == 1)
        r->base = r->bases[best];
    else if (r->listing.n_objects > 0 && !r->has_uris)
        return no_base(r, err);
    return ICE_OK;
}

/* Read again, it has the base that it had. */
static enum ice_status recall_base(struct reading *r, struct ice_error *err) {
    struct ice_listing_base *known = r->known;
    if (known->is_known) {
        r->base = known->base;
        r->was_encoded = r->listing.is_url_encoded = known->is_encoded;
        return ICE_OK;
    }
    ICE_TRY(find_base(r, err));
    known->is_encoded = r->was_encoded;
    known->is_known = true;
    return ice_arena_dup(&r->ck->storage->arena, r->base, &known->base)
               ? ICE_OK
               : ice_error_memory(err);
}

/* ---- what it covers ---- */

/*
 * What all keys have in common, byte by byte: whatever prefix was listed is a part of it,
 * so that every key that begins so is in a whole listing. A shorter one proves nothing.
 */
static enum ice_status see_root(struct reading *r, struct ice_str folded) {
    for (size_t i = 0; i < ROOTS; i++) {
        struct root *at = &r->roots[i];
        if (!at->is_used) {
            at->is_used = true;
            ice_buf_init(&at->common, &r->ck->run->alloc, SIZE_MAX);
            return ice_buf_append_str(&at->common, folded);
        }
        struct ice_str common = ice_buf_str(&at->common);
        if (ice_str_starts(folded, common))
            return ICE_OK;
        struct ice_str root = ice_uri_root(folded);
        if (!ice_str_equal(ice_uri_root(common), root))
            continue;
        size_t same = 0;
        while (same < folded.size && common.data[same] == folded.data[same])
            same++;
        at->common.size = same > root.size ? same : root.size;
        return ICE_OK;
    }
    return ICE_OK; /* what lies there stays uncovered */
}

/* A directory. */
static enum ice_status cover(struct reading *r, struct ice_str uri) {
    struct ice_str folded;
    ICE_TRY(ice_storage_fold(r->ck, uri, &folded));
    ice_buf_clear(&r->uri);
    ICE_TRY(ice_buf_append_str(&r->uri, ice_uri_strip(folded)));
    ICE_TRY(ice_buf_append_char(&r->uri, '/'));
    return ice_storage_add_cover(r->ck, ice_buf_str(&r->uri));
}

/* Raw pages name bucket and prefix; it may end inside a name. */
static enum ice_status cover_page(struct reading *r) {
    struct ice_str scheme = r->ck->metadata.location;
    scheme.size = ice_uri_scheme(scheme);
    ice_buf_clear(&r->uri);
    ICE_TRY(ice_buf_append_str(&r->uri, scheme.size > 0 ? scheme : ICE_STR("s3:")));
    ICE_TRY(ice_buf_append_str(&r->uri, ICE_STR("//")));
    ICE_TRY(ice_buf_append_str(&r->uri, r->listing.bucket));
    ICE_TRY(ice_buf_append_char(&r->uri, '/'));
    ICE_TRY(ice_buf_append_str(&r->uri, r->listing.prefix));
    struct ice_str folded;
    ICE_TRY(ice_storage_fold(r->ck, ice_buf_str(&r->uri), &folded));
    return ice_storage_add_cover(r->ck, folded);
}

static bool is_rooted(enum ice_listing_format format) {
    return format == ICE_LISTING_RCLONE_JSON || format == ICE_LISTING_RCLONE_LSF ||
           format == ICE_LISTING_RCLONE_LSL;
}

static enum ice_status add_covers(struct reading *r) {
    const struct ice_listing *listing = &r->listing;
    if (listing->n_covers > 0 || listing->format == ICE_LISTING_OWN) {
        for (size_t i = 0; i < listing->n_covers; i++)
            ICE_TRY(cover(r, listing->covers[i]));
        return ICE_OK;
    }
    if (listing->bucket.size > 0)
        return cover_page(r);
    if (r->base.size > 0 && (is_rooted(listing->format) || listing->n_objects == 0))
        return cover(r, r->base);
    if (listing->n_objects == 0)
        return cover(r, r->ck->metadata.location);
    for (size_t i = 0; i < ROOTS && r->roots[i].is_used; i++) {
        struct ice_str common = ice_buf_str(&r->roots[i].common);
        if (common.size > 0)
            ICE_TRY(ice_storage_add_cover(r->ck, common));
    }
    return ICE_OK;
}

/*
 * Tools that print a line an object, in the order of keys, and nothing behind: killed in
 * the middle they leave what looks whole.
 */
static bool shows_no_end(const struct reading *r) {
    const enum ice_listing_format format = r->listing.format;
    return r->ck->options->n_listings == 1 &&
           (format == ICE_LISTING_S3_LS || format == ICE_LISTING_S5CMD);
}

static enum ice_status see_order(struct reading *r, struct ice_str folded) {
    if (!shows_no_end(r) || r->is_unordered)
        return ICE_OK;
    r->is_unordered = ice_str_compare(ice_buf_str(&r->last), folded) >= 0;
    ice_buf_clear(&r->last);
    return ice_buf_append_str(&r->last, folded);
}

/* ---- objects ---- */

static enum ice_status on_object(const struct ice_listed *listed, void *user) {
    struct reading *r = user;
    struct ice_check *ck = r->ck;
    struct ice_storage *s = ck->storage;
    struct ice_stored_object object = {
        .size = listed->size, .has_size = listed->has_size, .mtime_ms = listed->mtime_ms};
    object.is_old = listed->is_old || listed->is_deleted;
    object.listed = listed;
    r->has_old = r->has_old || object.is_old;
    ICE_TRY(join(r, r->base, listed->key));
    ICE_TRY(ice_storage_fold(ck, ice_buf_str(&r->uri), &object.uri));
    object.slack_ms = r->listing.has_local_times ? LOCAL_SLACK_MS : 0;
    if (object.mtime_ms != INT64_MIN && object.mtime_ms > s->group->in.newest_ms)
        s->group->in.newest_ms = object.mtime_ms;
    if (object.slack_ms > s->group->in.slack_ms)
        s->group->in.slack_ms = object.slack_ms;
    if (!s->group->in.is_streamed && !r->listing.is_journal)
        ICE_TRY(see_root(r, object.uri));
    if (!s->group->in.is_streamed)
        ICE_TRY(see_order(r, object.uri));
    object.hash = ice_storage_hash(ck, object.uri);
    return ice_check_cancelled(ck)
               ? ICE_ECANCELLED
               : ice_storage_group_tell(s->group, NULL, &object, r->each, r->user);
}

/* ---- one listing ---- */

/* A fault of the listing is none of the table: what came before it still counts. */
static enum ice_status broke_off(struct reading *r, const struct ice_error *fault,
                                 struct ice_error *err) {
    if (ice_status_is_final(fault->status))
        return ice_error_set(err, fault->status, fault->rule, fault->offset, "%s",
                             fault->message);
    r->listing.partial = "it could not be read to its end";
    if (r->ck->storage->group->in.is_streamed)
        return ICE_OK;
    ice_emit_not_evaluated(
        r->ck->emit, "storage.*",
        ice_str_from(fault->rule != NULL ? fault->rule : "the listing breaks off"), true,
        ice_str_from(r->path));
    return ICE_OK;
}

static enum ice_status report_empty(struct reading *r) {
    struct ice_check *ck = r->ck;
    struct ice_str file = ice_str_from(r->path);
    struct ice_place place = ice_place_file(file, ICE_ORDER_LISTING);
    FOUND(ck->emit, ICE_RULE_STORAGE_LISTING_EMPTY, &place, ARG_NONE);
    ice_emit_not_evaluated(ck->emit, "storage.*", ICE_STR("storage.listing.empty"), true,
                           file);
    return ICE_OK;
}

static void see_time_taken(struct ice_storage *s, int64_t taken_ms) {
    if (taken_ms != INT64_MIN &&
        (s->group->in.taken_ms == INT64_MIN || taken_ms < s->group->in.taken_ms))
        s->group->in.taken_ms = taken_ms;
}

static enum ice_status finish(struct reading *r) {
    struct ice_storage *s = r->ck->storage;
    see_time_taken(s, r->listing.taken_ms);
    if (r->listing.is_journal) { /* beside a listing it is evidence, and claims nothing */
        s->group->in.has_journal = true;
        return ICE_OK;
    }
    if (r->listing.is_url_encoded && !r->was_encoded)
        r->listing.partial = "its keys are percent-encoded: give it without --base";
    if (r->listing.n_bad > 0 && r->listing.partial == NULL)
        r->listing.partial = "some of its lines are no object";
    if (r->listing.partial != NULL) {
        s->group->in.is_partial = true;
        s->group->in.why_partial = r->listing.partial;
        return ice_arena_dup(&s->arena, ice_str_from(r->path), &s->group->in.partial_file)
                   ? ICE_OK
                   : ICE_ENOMEM;
    }
    if (r->listing.n_objects == 0 && !r->has_old && !r->ck->options->allow_empty_listing)
        return report_empty(r);
    s->group->in.has_listing = true;
    if (!r->is_unordered &&
        !ice_arena_dup(&s->arena, ice_buf_str(&r->last), &s->group->in.ends_at))
        return ICE_ENOMEM;
    return add_covers(r);
}

static void note(const struct reading *r) {
    char path[300], base[300];
    if (r->ck->options->on_note == NULL)
        return;
    ice_check_note(r->ck, 1, "%s: listing of %s%s%s%s",
                   ice_escape(path, sizeof(path), ice_str_from(r->path)),
                   ice_listing_what(r->listing.format),
                   r->base.size > 0 ? ", keys below " : "",
                   r->base.size > 0 ? ice_escape(base, sizeof(base), r->base) : "",
                   r->listing.has_local_times ? ", its times taken for UTC" : "");
}

static enum ice_status wrong_listing(const struct reading *r,
                                     const struct ice_error *fault,
                                     struct ice_error *err) {
    char shown[128];
    return ice_error_set(err, ICE_EARG, fault->rule, ICE_NO_OFFSET, "--listing %s: %s",
                         ice_escape(shown, sizeof(shown), ice_str_from(r->path)),
                         fault->message);
}

static enum ice_status read_listing(struct reading *r, struct ice_error *err) {
    const struct ice_options *options = r->ck->options;
    const struct ice_listing_options how = {.has_zone = options->has_listing_zone,
                                            .zone_minutes =
                                                options->listing_zone_minutes};
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = ice_listing_open(&r->listing, r->ck->run, r->path,
                                              options->listing_format, &how, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    if (status < 0) /* nothing of it was read: it is the call that is wrong */
        return wrong_listing(r, &fault, err);
    ICE_TRY(recall_base(r, err));
    status = ice_listing_read(&r->listing, on_object, r, &fault);
    if (status == ICE_EARG)
        return wrong_listing(r, &fault, err);
    if (status < 0 && fault.status >= 0)
        fault.status = status;
    if (status < 0)
        ICE_TRY(broke_off(r, &fault, err));
    if (r->ck->storage->group->in.is_streamed)
        return ICE_OK;
    note(r);
    return finish(r) < 0 ? ice_error_memory(err) : ICE_OK;
}

enum ice_status ice_storage_read_listings(struct ice_check *ck, ice_stored_fn each,
                                          void *user, struct ice_error *err) {
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < ck->options->n_listings && status == ICE_OK; i++) {
        struct reading r = {
            .ck = ck, .path = ck->options->listings[i], .each = each, .user = user};
        r.known = &ck->storage->group->in.bases[i];
        ice_buf_init(&r.uri, &ck->run->alloc, SIZE_MAX);
        ice_buf_init(&r.last, &ck->run->alloc, SIZE_MAX);
        status = read_listing(&r, err);
        if (status == ICE_ENOMEM)
            status = ice_error_memory(err);
        ice_listing_release(&r.listing);
        ice_buf_release(&r.uri);
        ice_buf_release(&r.last);
        for (size_t root = 0; root < ROOTS && r.roots[root].is_used; root++)
            ice_buf_release(&r.roots[root].common);
    }
    struct ice_storage *s = ck->storage;
    s->group->in.is_streamed = true;
    if (status == ICE_OK && s->group->in.has_journal && !s->group->in.has_listing &&
        !s->group->in.is_partial) {
        s->group->in.is_partial = true;
        s->group->in.why_partial =
            "a journal tells what was done, not what is there: give a "
            "listing with it";
    }
    return status;
}
