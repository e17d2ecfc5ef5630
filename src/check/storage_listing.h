/*
 * Listings (options.listings) as objects of storage.
 */
#ifndef ICE_CHECK_STORAGE_LISTING_H
#define ICE_CHECK_STORAGE_LISTING_H

#include "check/storage.h"

/*
 * Read every listing and hand out its objects. Says what a listing is not (empty, cut)
 * and notes what it covers. ICE_EARG where one cannot be used at all.
 */
enum ice_status ice_storage_read_listings(struct ice_check *ck, ice_stored_fn each,
                                          void *user, struct ice_error *err);

#endif
