/*
 * What is odd about the Avro side of a list or manifest and does not stop the reading.
 */
#ifndef ICE_ICEBERG_AVRO_FAULT_H
#define ICE_ICEBERG_AVRO_FAULT_H

#include "base/str.h"

struct ice_avro_fault {
    const char *rule;       /* catalogue id */
    bool lower;             /* the rule's lower severity applies (E/W: W, E/I: I) */
    struct ice_str pointer; /* "/header/avro.schema/fields/3" ..., where it stands */
    struct ice_str field;   /* its name, may be empty */
    int32_t id;             /* its field id, -1 if none */
    struct ice_str detail;  /* e.g. the type found, the other name */
};

typedef enum ice_status (*ice_avro_fault_fn)(const struct ice_avro_fault *fault,
                                             void *user);

#endif
