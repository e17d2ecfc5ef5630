/*
 * One object of a listing while it is read, value by value: what each name of a member or
 * column stands for, the same in JSON, in tables, and in S3 Inventory files.
 */
#ifndef ICE_INPUTS_LISTING_ITEM_H
#define ICE_INPUTS_LISTING_ITEM_H

#include "inputs/listing.h"

enum ice_listing_role {
    ICE_ROLE_NONE,
    ICE_ROLE_KEY,
    ICE_ROLE_URL, /* the key, where nothing else is */
    ICE_ROLE_BUCKET,
    ICE_ROLE_SIZE,
    ICE_ROLE_TIME,
    ICE_ROLE_CREATED, /* counts more than TIME, which may be of a change of attributes */
    ICE_ROLE_GONE,    /* a time: since then it is an old version */
    ICE_ROLE_SOFT,    /* a time: since then it is softly deleted */
    ICE_ROLE_VERSION,
    ICE_ROLE_ETAG,
    ICE_ROLE_LATEST,
    ICE_ROLE_MARKER,   /* true: a delete marker */
    ICE_ROLE_DELETED,  /* true: softly deleted, and may be brought back */
    ICE_ROLE_SNAPSHOT, /* a snapshot of the object, not the object */
    ICE_ROLE_DIRECTORY,
    ICE_ROLE_TYPE,
    ICE_ROLE_RECORD, /* of a journal: CREATE, UPDATE_METADATA, DELETE */
    ICE_ROLE_RECORD_TIME,
    ICE_ROLE_REQUESTER,
    ICE_ROLE_ADDRESS,
};

/* Names are compared without letter case, '_' and '-'. */
enum ice_listing_role ice_listing_role_of(struct ice_str name);

/* Texts are kept from _begin to the next _begin. */
struct ice_listing_item {
    struct ice_buf key, bucket, version, etag, by;
    struct ice_buf whole; /* the key as it is told */
    struct ice_listed object;
    bool has_key, has_url, has_latest, is_latest, has_created;
    bool is_directory, is_noncurrent, is_gone, is_copy;
    bool is_record, is_create;
    uint64_t last_key; /* hash of the last key with a version and no word on the latest */
};

void ice_listing_item_init(struct ice_listing_item *item, struct ice_alloc *alloc);
/* Safe twice and on all-zero. */
void ice_listing_item_release(struct ice_listing_item *item);

void ice_listing_item_begin(struct ice_listing_item *item);
/* One value. is_text: it stood in quotes, or in a form that has nothing but text; true
 * and false come as those words. ICE_OK or ICE_ENOMEM. */
enum ice_status ice_listing_item_take(struct ice_listing *listing,
                                      struct ice_listing_item *item,
                                      enum ice_listing_role role, struct ice_str value,
                                      bool is_text) ICE_MUST_USE;
/* Hand it out, unless it is a directory; what is no object is counted. */
enum ice_status ice_listing_item_tell(struct ice_listing *listing,
                                      struct ice_listing_item *item, ice_listed_fn each,
                                      void *user) ICE_MUST_USE;

/* CSV without a header, its columns known (listing_table.c); statuses of
 * ice_listing_read. */
enum ice_status ice_listing_read_rows(struct ice_listing *listing,
                                      struct ice_stream *stream,
                                      const enum ice_listing_role *roles, size_t n_roles,
                                      ice_listed_fn each, void *user,
                                      struct ice_error *err);

#endif
