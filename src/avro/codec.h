/*
 * Codecs of Avro blocks. One codec a file (codec_NAME.c); what each reads becomes bytes
 * in a buffer that is kept from block to block and never outgrows the limits.
 */
#ifndef ICE_AVRO_CODEC_H
#define ICE_AVRO_CODEC_H

#include "avro/container.h"

struct ice_codec;

/* Is it compiled in? */
bool ice_codec_is_built(enum ice_avro_codec kind);

/* kind is built. ICE_ENOMEM. */
enum ice_status ice_codec_open(struct ice_codec **out, enum ice_avro_codec kind,
                               struct ice_run *run, struct ice_error *err);
void ice_codec_free(struct ice_codec *codec);

/*
 * Inflate one block; offset is the block's, for err. *out is borrowed until the next
 * call. ICE_EFORMAT "avro.codec.corrupt"; ICE_ELIMIT "limit.block", "limit.bomb",
 * "limit.window", "limit.memory"; the codec stays usable behind all of them.
 */
enum ice_status ice_codec_unpack(struct ice_codec *codec, struct ice_str packed,
                                 uint64_t offset, struct ice_str *out,
                                 struct ice_error *err);

/* ---- for codec_NAME.c only ---- */

struct ice_codec_ops {
    /* Make codec->state; NULL if there is none to make. */
    enum ice_status (*open)(struct ice_codec *codec, struct ice_error *err);
    void (*free)(struct ice_codec *codec);
    enum ice_status (*unpack)(struct ice_codec *codec, struct ice_str packed,
                              struct ice_error *err);
};

/* Invariant: size <= capacity. */
struct ice_codec {
    const struct ice_codec_ops *ops;
    enum ice_avro_codec kind;
    struct ice_run *run;
    void *state;
    char *data; /* output */
    size_t size, capacity;
    size_t ceiling; /* of the output of this block */
    bool ceiling_is_ratio;
    size_t packed_bytes; /* of this block */
    uint64_t offset;
};

/* "avro.codec.corrupt" of this block. */
enum ice_status ice_codec_corrupt(const struct ice_codec *codec, const char *what,
                                  struct ice_error *err);
/* ICE_OK if size bytes may come out, else "limit.bomb" or "limit.block". */
enum ice_status ice_codec_check_size(const struct ice_codec *codec, uint64_t size,
                                     struct ice_error *err);
/*
 * More room behind size: at least one byte, by doubling up to the ceiling (the status of
 * _check_size there). keep: what is in the buffer stays.
 */
enum ice_status ice_codec_grow(struct ice_codec *codec, bool keep, struct ice_error *err);
/* Out of memory: whose limit was it? */
enum ice_status ice_codec_memory(const struct ice_codec *codec, struct ice_error *err);

extern const struct ice_codec_ops ice_codec_deflate, ice_codec_zstd, ice_codec_snappy;
#ifdef ICE_WITH_BZIP2
extern const struct ice_codec_ops ice_codec_bzip2;
#endif
#ifdef ICE_WITH_LZMA
extern const struct ice_codec_ops ice_codec_xz;
#endif

#endif
