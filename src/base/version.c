/*
 * The version that CMake knows.
 */
#include "icefsck.h"

const char *ice_version(void) {
    return ICE_VERSION;
}
