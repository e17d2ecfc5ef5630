/*
 * The payload of a Puffin footer: FileMetadata. For puffin.c.
 */
#ifndef ICE_ICEBERG_PUFFIN_FOOTER_H
#define ICE_ICEBERG_PUFFIN_FOOTER_H

#include "iceberg/puffin.h"

/* Fills blobs of puffin, or its fault JSON or LIMIT with the reason. Else ICE_ENOMEM. */
enum ice_status ice_puffin_read_footer(struct ice_puffin *puffin,
                                       struct ice_str payload) ICE_MUST_USE;

#endif
