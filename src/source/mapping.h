/*
 * From the URIs that metadata stores to keys of sources: --map FROM=TO, scheme folding,
 * and the table's own location.
 *
 * Folded for lookup only: s3 s3a s3n; abfs abfss wasb wasbs (authority kept); gs; file:/
 * file:/// and bare paths; hdfs with and without authority. Prefixes match by path
 * segment: s3://b/t never matches s3://b/t2. The exact bytes of the rest are the key
 * ("%20" stays).
 */
#ifndef ICE_SOURCE_MAPPING_H
#define ICE_SOURCE_MAPPING_H

#include "source/source.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/percent.h"

struct ice_mapping_entry {
    struct ice_str from;       /* folded, without '/' at the end */
    struct ice_source *source; /* borrowed */
    struct ice_str prefix; /* key prefix in the source, "" or without '/' at the end */
};

struct ice_mapping {
    struct ice_run *run;
    struct ice_arena arena;
    struct ice_mapping_entry *entries;
    size_t n, capacity;
};

void ice_mapping_init(struct ice_mapping *mapping, struct ice_run *run);
void ice_mapping_release(struct ice_mapping *mapping);
/* Map URIs at or below from to keys at or below prefix. Longest from wins in resolve. */
enum ice_status ice_mapping_add(struct ice_mapping *mapping, struct ice_str from,
                                struct ice_source *source, struct ice_str prefix,
                                struct ice_error *err);

/*
 * Find the source and key of a URI. key is a scratch buffer; *out_key borrows from it.
 * ICE_ENOENT, rule "source.unmapped": no entry covers it. ICE_EFORMAT, rule
 * "source.path": it leads out of the root, or holds what no key may hold.
 */
enum ice_status ice_mapping_resolve(const struct ice_mapping *mapping, struct ice_str uri,
                                    struct ice_buf *key, struct ice_source **out_source,
                                    struct ice_str *out_key, struct ice_error *err);

/* The folded form of a URI (appended to out): equal for URIs that name one object. */
enum ice_status ice_uri_fold(struct ice_str uri, struct ice_buf *out);
/* Do both name one object, after folding? A '/' at the end does not count. */
bool ice_uri_is_same(struct ice_run *run, struct ice_str a, struct ice_str b);
/* Is a below b (or equal) by path segment after folding? *out_rest: what follows, no '/'
 * first. */
bool ice_uri_is_below(struct ice_run *run, struct ice_str a, struct ice_str b,
                      struct ice_str *out_rest);
/* ... where b is known at all. */
static inline bool ice_uri_is_inside(struct ice_run *run, struct ice_str a,
                                     struct ice_str b) {
    struct ice_str rest;
    return b.size > 0 && ice_uri_is_below(run, a, b, &rest);
}
/* scheme://authority of a URI; empty for a bare path. Borrowed. */
struct ice_str ice_uri_root(struct ice_str uri);
/* Without '/' at the end. */
struct ice_str ice_uri_strip(struct ice_str uri);
/* The last path segment. */
struct ice_str ice_uri_base_name(struct ice_str uri);

#endif
