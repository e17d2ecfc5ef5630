/*
 * Passes whose file is not there yet do nothing and say so. A duplicate symbol here means that
 * the pass has landed: touch this file to rebuild it; it goes away with the last of them.
 */
#include "check/check.h"

#define PENDING(name)                                                                     \
    enum ice_status name(struct ice_check *ck, struct ice_error *err) {                   \
        (void)err;                                                                        \
        ice_emit_not_evaluated(ck->emit, #name, ICE_STR("not built in yet"), true,        \
                               ICE_STR_NONE);                                             \
        return ICE_OK;                                                                    \
    }

#if !__has_include("pass1_metadata.c")
PENDING(ice_pass1_metadata)
#endif
#if !__has_include("pass2_lists.c")
PENDING(ice_pass2_lists)
PENDING(ice_check_lone_list)
#endif
#if !__has_include("pass3_manifests.c")
PENDING(ice_pass3_manifests)
PENDING(ice_check_lone_manifest)
#endif
#if !__has_include("pass4_groups.c")
PENDING(ice_pass4_groups)
#endif
