/*
 * Damage by number. Kinds lie one behind the other in the order of enum damage_kind.
 */
#include "torture/damage_edit.h"

#include <string.h>

enum { SECTOR = 512, SYNC = 16 };

/* ---- where the blocks of a whole file are ---- */

static bool take_long(struct ice_str bytes, size_t *at, int64_t *out) {
    uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64 && *at < bytes.size; shift += 7) {
        unsigned char byte = (unsigned char)bytes.data[(*at)++];
        bits |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return true;
        }
    }
    return false;
}

static bool take_sized(struct ice_str bytes, size_t *at, struct ice_str *out) {
    int64_t size;
    if (!take_long(bytes, at, &size) || size < 0 || (uint64_t)size > bytes.size - *at)
        return false;
    *out = (struct ice_str){bytes.data + *at, (size_t)size};
    *at += (size_t)size;
    return true;
}

static bool is_text(struct ice_str text, const char *other) {
    return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

/* The header: magic, map, sync marker. */
static bool take_header(struct damage_file *file, size_t *at) {
    int64_t count;
    *at = 4;
    while (take_long(file->bytes, at, &count) && count != 0) {
        int64_t size;
        if (count < 0 && !take_long(file->bytes, at, &size))
            return false;
        for (count = count < 0 ? -count : count; count > 0; count--) {
            struct ice_str key, value;
            if (!take_sized(file->bytes, at, &key) ||
                !take_sized(file->bytes, at, &value))
                return false;
            if (is_text(key, "avro.codec") && value.size < sizeof(file->codec)) {
                memcpy(file->codec, value.data, value.size);
                file->codec[value.size] = '\0';
            }
        }
    }
    file->header = (struct damage_block){.data = *at, .sync = *at, .end = *at + SYNC};
    *at += SYNC;
    return *at <= file->bytes.size;
}

void damage_file_open(struct damage_file *file, struct ice_str bytes) {
    size_t at = 0;
    *file = (struct damage_file){.bytes = bytes};
    if (bytes.size < 4 || memcmp(bytes.data, "Obj\1", 4) != 0 || !take_header(file, &at))
        return;
    file->is_avro = true;
    while (at < bytes.size && file->n_blocks < DAMAGE_MOST_BLOCKS) {
        struct damage_block block = {.begin = at};
        int64_t count, size;
        if (!take_long(bytes, &at, &count) || !take_long(bytes, &at, &size) || size < 0 ||
            (uint64_t)size + SYNC > bytes.size - at)
            return;
        block.data = at;
        block.sync = at + (size_t)size;
        block.end = at = block.sync + SYNC;
        file->blocks[file->n_blocks++] = block;
    }
}

/* ---- counting ---- */

static size_t sectors(const struct damage_file *file) {
    return (file->bytes.size + SECTOR - 1) / SECTOR;
}

static uint64_t count_of(const struct damage_file *file, enum damage_kind kind) {
    const uint64_t size = file->bytes.size, n_sectors = sectors(file);
    const uint64_t n_blocks = file->n_blocks;
    switch (kind) {
    case DAMAGE_BIT:
        return 8 * size;
    case DAMAGE_ZERO:
    case DAMAGE_ONES:
    case DAMAGE_DELETE:
    case DAMAGE_INSERT:
    case DAMAGE_CUT:
        return size;
    case DAMAGE_SWAP:
        return size > 0 ? size - 1 : 0;
    case DAMAGE_SECTOR_ZERO:
        return n_sectors;
    case DAMAGE_SECTOR_COPY:
        return n_sectors * n_sectors;
    case DAMAGE_BLOCK_TWICE:
    case DAMAGE_BLOCK_DROP:
        return n_blocks;
    case DAMAGE_BLOCK_SWAP:
    case DAMAGE_BLOCK_COPY:
        return n_blocks * n_blocks;
    case DAMAGE_FILES_SWAP:
    case DAMAGE_KINDS:
        break;
    }
    return 0;
}

uint64_t damage_count(const struct damage_file *file) {
    uint64_t n = 0;
    for (int kind = 0; kind < DAMAGE_KINDS; kind++)
        n += count_of(file, (enum damage_kind)kind);
    return n;
}

struct damage damage_at(const struct damage_file *file, uint64_t index) {
    int kind = 0;
    uint64_t n;
    while (index >= (n = count_of(file, (enum damage_kind)kind))) {
        index -= n;
        kind++;
    }
    struct damage damage = {.kind = (enum damage_kind)kind, .first = (size_t)index};
    size_t side = 0;
    if (kind == DAMAGE_BIT)
        side = 8;
    else if (kind == DAMAGE_SECTOR_COPY)
        side = sectors(file);
    else if (kind == DAMAGE_BLOCK_SWAP || kind == DAMAGE_BLOCK_COPY)
        side = file->n_blocks;
    if (side > 0) {
        damage.first = (size_t)index / side;
        damage.second = (size_t)index % side;
    }
    return damage;
}

/* ---- doing it ---- */

size_t damage_room(const struct damage_file *file) {
    return 2 * file->bytes.size + 1;
}

static size_t append(char *out, size_t at, struct ice_str bytes, size_t begin,
                     size_t end) {
    if (end > begin)
        memcpy(out + at, bytes.data + begin, end - begin);
    return at + (end - begin);
}

/* The file with [begin, end) replaced by [from, to) of itself. */
static size_t splice(struct ice_str bytes, char *out, size_t begin, size_t end,
                     size_t from, size_t to) {
    size_t n = append(out, 0, bytes, 0, begin);
    n = append(out, n, bytes, from, to);
    return append(out, n, bytes, end, bytes.size);
}

static size_t sector_end(const struct damage_file *file, size_t sector) {
    size_t end = (sector + 1) * SECTOR;
    return end < file->bytes.size ? end : file->bytes.size;
}

static size_t copy_sector(const struct damage_file *file, const struct damage *damage,
                          char *out) {
    size_t to = damage->first * SECTOR, from = damage->second * SECTOR;
    size_t room = sector_end(file, damage->first) - to;
    size_t there = sector_end(file, damage->second) - from;
    memcpy(out + to, file->bytes.data + from, there < room ? there : room);
    return file->bytes.size;
}

static size_t swap_blocks(const struct damage_file *file, const struct damage *damage,
                          char *out) {
    const struct ice_str bytes = file->bytes;
    bool in_order = damage->first <= damage->second;
    const struct damage_block *a =
        &file->blocks[in_order ? damage->first : damage->second];
    const struct damage_block *b =
        &file->blocks[in_order ? damage->second : damage->first];
    if (a == b)
        return bytes.size;
    size_t n = append(out, 0, bytes, 0, a->begin);
    n = append(out, n, bytes, b->begin, b->end);
    n = append(out, n, bytes, a->end, b->begin);
    n = append(out, n, bytes, a->begin, a->end);
    return append(out, n, bytes, b->end, bytes.size);
}

static size_t edit_blocks(const struct damage_file *file, const struct damage *damage,
                          char *out) {
    const struct damage_block *block = &file->blocks[damage->first];
    const struct damage_block *other = &file->blocks[damage->second];
    if (damage->kind == DAMAGE_BLOCK_SWAP)
        return swap_blocks(file, damage, out);
    if (damage->kind == DAMAGE_BLOCK_TWICE)
        return splice(file->bytes, out, block->end, block->end, block->begin, block->end);
    if (damage->kind == DAMAGE_BLOCK_DROP)
        return splice(file->bytes, out, block->begin, block->end, 0, 0);
    return splice(file->bytes, out, block->begin, block->end, other->begin, other->end);
}

static size_t edit(const struct damage_file *file, const struct damage *damage,
                   char *out) {
    const struct ice_str bytes = file->bytes;
    size_t at = damage->first;
    memcpy(out, bytes.data, bytes.size);
    switch (damage->kind) {
    case DAMAGE_BIT:
        out[at] = (char)((unsigned char)out[at] ^ 1U << damage->second);
        return bytes.size;
    case DAMAGE_ZERO:
        out[at] = 0;
        return bytes.size;
    case DAMAGE_ONES:
        out[at] = (char)0xff;
        return bytes.size;
    case DAMAGE_DELETE:
        return splice(bytes, out, at, at + 1, 0, 0);
    case DAMAGE_INSERT:
        return splice(bytes, out, at, at, at, at + 1);
    case DAMAGE_SWAP:
        out[at] = bytes.data[at + 1];
        out[at + 1] = bytes.data[at];
        return bytes.size;
    case DAMAGE_CUT:
        return at;
    case DAMAGE_SECTOR_ZERO:
        memset(out + at * SECTOR, 0, sector_end(file, at) - at * SECTOR);
        return bytes.size;
    case DAMAGE_SECTOR_COPY:
        return copy_sector(file, damage, out);
    case DAMAGE_BLOCK_TWICE:
    case DAMAGE_BLOCK_DROP:
    case DAMAGE_BLOCK_SWAP:
    case DAMAGE_BLOCK_COPY:
        return edit_blocks(file, damage, out);
    case DAMAGE_FILES_SWAP:
    case DAMAGE_KINDS:
        break;
    }
    return bytes.size;
}

size_t damage_make(const struct damage_file *file, const struct damage *damage, char *out,
                   bool *out_same) {
    size_t n = edit(file, damage, out);
    *out_same = n == file->bytes.size && memcmp(out, file->bytes.data, n) == 0;
    return n;
}

const char *damage_name(enum damage_kind kind) {
    static const char *const names[] = {
        "bit",        "zero",       "ones",        "delete",      "insert",
        "swap",       "cut",        "sector-zero", "sector-copy", "block-twice",
        "block-drop", "block-swap", "block-copy",  "files-swap"};
    return names[kind];
}

/* ---- redundancy ---- */

static bool is_one_byte(enum damage_kind kind) {
    return kind == DAMAGE_BIT || kind == DAMAGE_ZERO || kind == DAMAGE_ONES;
}

/* Frame_Header_Descriptor: bit 2 says that a checksum follows the frame. */
static bool has_checksum(const struct damage_file *file,
                         const struct damage_block *block) {
    return block->sync - block->data > 5 && (file->bytes.data[block->data + 4] & 4) != 0;
}

static const char *redundancy_of(const struct damage_file *file,
                                 const struct damage_block *block, size_t at) {
    if (at < block->begin || at >= block->end)
        return NULL;
    if (at >= block->sync)
        return "sync marker";
    if (at < block->data)
        return "block count or size";
    if (strcmp(file->codec, "snappy") == 0)
        return "snappy CRC";
    if (strcmp(file->codec, "zstandard") == 0 && has_checksum(file, block))
        return "zstd checksum";
    return strcmp(file->codec, "bzip2") == 0 ? "bzip2 CRC" : NULL;
}

const char *damage_redundancy(const struct damage_file *file,
                              const struct damage *damage) {
    const size_t gzip_header = 10;
    if (!is_one_byte(damage->kind))
        return NULL;
    if (!file->is_avro)
        return file->bytes.size > 2 && memcmp(file->bytes.data, "\x1f\x8b", 2) == 0 &&
                       damage->first >= gzip_header
                   ? "gzip CRC"
                   : NULL;
    if (damage->first >= file->header.sync && damage->first < file->header.end)
        return "sync marker";
    const char *found = NULL;
    for (size_t i = 0; i < file->n_blocks && found == NULL; i++)
        found = redundancy_of(file, &file->blocks[i], damage->first);
    return found;
}

bool damage_moves(enum damage_kind kind) {
    return kind == DAMAGE_DELETE || kind == DAMAGE_INSERT || kind == DAMAGE_CUT ||
           kind == DAMAGE_BLOCK_TWICE || kind == DAMAGE_BLOCK_DROP;
}
