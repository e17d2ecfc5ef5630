/*
 * Bytes, files and Avro containers of gen-table. What it cannot do ends the program: a
 * tool for developers has nobody to hand an error to.
 */
#include "gen.h"

#include <errno.h>
#include <libdeflate.h>
#include <snappy-c.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
    BLOCK_BYTES = 64000, /* Iceberg's writers close a block behind so many */
    DEFLATE_LEVEL = 9,
    ZSTD_LEVEL = 1
};

void gen_die(const char *what) {
    fprintf(stderr, "gen-table: %s: %s\n", what, strerror(errno));
    exit(1);
}

void *gen_alloc(size_t n, size_t size) {
    void *memory = calloc(n > 0 ? n : 1, size);
    if (memory == NULL)
        gen_die("memory");
    return memory;
}

uint64_t gen_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

static void reserve(struct gen_bytes *b, size_t n) {
    if (b->cap - b->n >= n)
        return;
    b->cap = (b->n + n) * 2;
    b->at = realloc(b->at, b->cap);
    if (b->at == NULL)
        gen_die("memory");
}

void gen_put(struct gen_bytes *b, const void *from, size_t n) {
    reserve(b, n + 1);
    memcpy(b->at + b->n, from, n);
    b->n += n;
}

void gen_put_long(struct gen_bytes *b, int64_t value) {
    uint64_t left = ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
    reserve(b, 10);
    for (; left > 127; left >>= 7)
        b->at[b->n++] = (uint8_t)(left | 128);
    b->at[b->n++] = (uint8_t)left;
}

void gen_put_sized(struct gen_bytes *b, const void *from, size_t n) {
    gen_put_long(b, (int64_t)n);
    gen_put(b, from, n);
}

void gen_put_text(struct gen_bytes *b, const char *text) {
    gen_put_sized(b, text, strlen(text));
}

void gen_print(struct gen_bytes *b, const char *form, ...) {
    for (size_t room = 512;; room *= 4) {
        va_list values;
        reserve(b, room);
        va_start(values, form);
        int n = vsnprintf((char *)b->at + b->n, room, form, values);
        va_end(values);
        if (n < 0)
            gen_die("text");
        if ((size_t)n < room) {
            b->n += (size_t)n;
            return;
        }
    }
}

void gen_write_file(const char *directory, const char *name, const struct gen_bytes *b) {
    char path[2 * GEN_PATH];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(b->at, 1, b->n, file) != b->n || fclose(file) != 0)
        gen_die(path);
}

/* ---- containers ---- */

static void deflate_block(struct gen_container *c) {
    struct libdeflate_compressor *with = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    if (with == NULL)
        gen_die("deflate");
    size_t bound = libdeflate_deflate_compress_bound(with, c->block.n);
    reserve(&c->packed, bound);
    c->packed.n =
        libdeflate_deflate_compress(with, c->block.at, c->block.n, c->packed.at, bound);
    libdeflate_free_compressor(with);
}

static void zstd_block(struct gen_container *c) {
    size_t bound = ZSTD_compressBound(c->block.n);
    reserve(&c->packed, bound);
    c->packed.n = ZSTD_compress(c->packed.at, bound, c->block.at, c->block.n, ZSTD_LEVEL);
    if (ZSTD_isError(c->packed.n))
        gen_die("zstd");
}

/* Avro puts the big-endian CRC-32 of the unpacked bytes behind a snappy block. */
static void snappy_block(struct gen_container *c) {
    size_t n = snappy_max_compressed_length(c->block.n);
    reserve(&c->packed, n + 4);
    if (snappy_compress((const char *)c->block.at, c->block.n, (char *)c->packed.at,
                        &n) != SNAPPY_OK)
        gen_die("snappy");
    c->packed.n = n;
    uint32_t crc = (uint32_t)crc32(0, c->block.at, (uInt)c->block.n);
    uint8_t tail[4] = {(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
                       (uint8_t)crc};
    gen_put(&c->packed, tail, sizeof(tail));
}

static void end_block(struct gen_container *c) {
    if (c->n_records == 0)
        return;
    c->packed.n = 0;
    switch (c->codec) {
    case GEN_NULL:
        gen_put(&c->packed, c->block.at, c->block.n);
        break;
    case GEN_DEFLATE:
        deflate_block(c);
        break;
    case GEN_ZSTD:
        zstd_block(c);
        break;
    case GEN_SNAPPY:
        snappy_block(c);
        break;
    }
    gen_put_long(&c->file, (int64_t)c->n_records);
    gen_put_sized(&c->file, c->packed.at, c->packed.n);
    gen_put(&c->file, c->sync, sizeof(c->sync));
    c->n_records = 0;
    c->block.n = 0;
}

void gen_container_begin(struct gen_container *c, uint64_t id, const char *const *pairs,
                         size_t n_pairs) {
    static const char *const codecs[] = {"null", "deflate", "zstandard", "snappy"};
    uint64_t sync[2] = {gen_mix(id), gen_mix(gen_mix(id))};
    memcpy(c->sync, sync, sizeof(sync));
    c->file.n = c->block.n = c->n_records = 0;
    gen_put(&c->file, "Obj\1", 4);
    gen_put_long(&c->file, (int64_t)n_pairs + 1);
    for (size_t i = 0; i < 2 * n_pairs; i++)
        gen_put_text(&c->file, pairs[i]);
    gen_put_text(&c->file, "avro.codec");
    gen_put_text(&c->file, codecs[c->codec]);
    gen_put_long(&c->file, 0);
    gen_put(&c->file, c->sync, sizeof(c->sync));
}

void gen_container_end_record(struct gen_container *c) {
    c->n_records++;
    if (c->block.n >= BLOCK_BYTES)
        end_block(c);
}

void gen_container_end(struct gen_container *c) {
    end_block(c);
}

void gen_container_free(struct gen_container *c) {
    free(c->file.at);
    free(c->block.at);
    free(c->packed.at);
}
