/*
 * What struct ice_source is; private to source/.
 */
#ifndef ICE_SOURCE_SOURCE_STATE_H
#define ICE_SOURCE_SOURCE_STATE_H

#include "source/source.h"

#include "base/alloc.h"

struct ice_source {
    struct ice_alloc alloc;
    struct ice_source_ops ops;
    void *user;
    bool is_shared; /* files of it may be read by several threads at a time */
};

#endif
