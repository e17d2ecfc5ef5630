/*
 * How a snapshot is packed into ice_metadata.text; inside src/iceberg only. Written by
 * metadata_snapshots.c, read by snapshot_access.c.
 *
 *   items  { tag byte, payload }  0
 *   LIST       varint bytes shared with list_prefix, varint size, the rest of the path
 *   SNAP_LIST  varint shared, varint attempt, 16 bytes: the rest by list_name.h
 *   OPERATION  varint size, text (only what is none of the four words)
 *   KEY_ID     varint size, text
 *   MANIFEST   varint size, text (v1 inline manifests)
 *   KEY VALUE  varint size, text (whole summaries, if wanted)
 *   METRIC + m varint of summary number m
 *
 * The list comes first.
 */
#ifndef ICE_ICEBERG_SNAPSHOT_PACK_H
#define ICE_ICEBERG_SNAPSHOT_PACK_H

enum ice_pack_tag {
    ICE_PACK_END = 0,
    ICE_PACK_LIST,
    ICE_PACK_SNAP_LIST,
    ICE_PACK_OPERATION,
    ICE_PACK_KEY_ID,
    ICE_PACK_MANIFEST,
    ICE_PACK_KEY,
    ICE_PACK_VALUE,
    ICE_PACK_METRIC = 16,
};

#endif
