/*
 * Classes and properties that Iceberg knows, and which of them a misspelt one was meant
 * to be.
 */
#ifndef ICE_CONF_CLASSES_H
#define ICE_CONF_CLASSES_H

#include "base/str.h"

enum ice_conf_name {
    ICE_CONF_NAME_KNOWN,
    ICE_CONF_NAME_NEAR,    /* most likely misspelt: *out_meant */
    ICE_CONF_NAME_FOREIGN, /* like none that is known */
};

/* A value of spark.sql.catalog.NAME. */
enum ice_conf_name ice_conf_spark_class(struct ice_str name, const char **out_meant);
/* ... of catalog-impl. */
enum ice_conf_name ice_conf_catalog_class(struct ice_str name, const char **out_meant);
/* ... of io-impl. */
enum ice_conf_name ice_conf_io_class(struct ice_str name, const char **out_meant);
/* ... of type; case does not matter. */
enum ice_conf_name ice_conf_type(struct ice_str name, const char **out_meant);
/* A property of a catalog, as "warehouse". Those of the cache are left to other rules:
 * what is near to one of them is FOREIGN here. */
enum ice_conf_name ice_conf_property(struct ice_str name, const char **out_meant);

#endif
