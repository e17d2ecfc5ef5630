/*
 * Every small damage that a file may take, numbered from 0: what a bad disk, a bad copy
 * or a bad link does to bytes, and what a confused tool does to blocks.
 */
#ifndef ICE_TEST_DAMAGE_EDIT_H
#define ICE_TEST_DAMAGE_EDIT_H

#include "icefsck.h"

enum damage_kind {
    DAMAGE_BIT,         /* flip bit `second` of byte `first` */
    DAMAGE_ZERO,        /* byte `first` becomes 0 */
    DAMAGE_ONES,        /* ... 0xff */
    DAMAGE_DELETE,      /* byte `first` goes */
    DAMAGE_INSERT,      /* ... comes twice */
    DAMAGE_SWAP,        /* ... changes places with the next one */
    DAMAGE_CUT,         /* the file ends before byte `first` */
    DAMAGE_SECTOR_ZERO, /* 512 bytes become 0 */
    DAMAGE_SECTOR_COPY, /* sector `second` stands where `first` was */
    DAMAGE_BLOCK_TWICE, /* Avro block `first` comes twice */
    DAMAGE_BLOCK_DROP,  /* ... goes */
    DAMAGE_BLOCK_SWAP,  /* ... changes places with block `second` */
    DAMAGE_BLOCK_COPY,  /* block `second` stands where `first` was */
    DAMAGE_FILES_SWAP,  /* two files of a kind change places; not of one file */
    DAMAGE_KINDS
};

struct damage {
    enum damage_kind kind;
    size_t first, second;
};

/* An Avro block in its file, or the header as a block of its own. */
struct damage_block {
    size_t begin, data, sync, end; /* offsets; data: of the packed bytes */
};

enum { DAMAGE_MOST_BLOCKS = 64 };

struct damage_file {
    struct ice_str bytes;
    struct damage_block header, blocks[DAMAGE_MOST_BLOCKS];
    size_t n_blocks; /* 0 also for what is no Avro */
    bool is_avro;
    char codec[16];
};

/* Find the blocks of a file that is whole. bytes are borrowed. */
void damage_file_open(struct damage_file *file, struct ice_str bytes);

uint64_t damage_count(const struct damage_file *file);
struct damage damage_at(const struct damage_file *file, uint64_t index);
/* Does it change the length of the file? */
bool damage_moves(enum damage_kind kind);

/* Room that damage_make needs for any damage of the file. */
size_t damage_room(const struct damage_file *file);
/* The damaged bytes into out; their number. *out_same: nothing has changed. */
size_t damage_make(const struct damage_file *file, const struct damage *damage, char *out,
                   bool *out_same);

const char *damage_name(enum damage_kind kind);

/*
 * Where the file itself says twice what stands there, for damage of one byte: "sync
 * marker", "snappy CRC", "zstd checksum", "gzip CRC", "block size"; NULL if it does not.
 */
const char *damage_redundancy(const struct damage_file *file,
                              const struct damage *damage);

#endif
