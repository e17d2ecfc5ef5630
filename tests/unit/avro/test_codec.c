/*
 * Codecs: what their libraries write comes back, what is damaged is told, and nothing
 * grows past its ceiling.
 */
#include "avro_helper.h"

#ifdef ICE_WITH_BZIP2
#include <bzlib.h>
#endif
#include <libdeflate.h>
#ifdef ICE_WITH_LZMA
#include <lzma.h>
#endif
#include <snappy-c.h>
#include <zstd.h>

static struct enc packed, plain;

static void pack_deflate(void) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    packed.n = libdeflate_deflate_compress(c, plain.data, plain.n, packed.data,
                                           sizeof(packed.data));
    libdeflate_free_compressor(c);
}

static void pack_zstd(void) {
    packed.n = ZSTD_compress(packed.data, sizeof(packed.data), plain.data, plain.n, 3);
    assert_false(ZSTD_isError(packed.n));
}

static void pack_snappy(void) {
    packed.n = sizeof(packed.data);
    assert_int_equal(snappy_compress(plain.data, plain.n, packed.data, &packed.n),
                     SNAPPY_OK);
    const uint32_t crc = libdeflate_crc32(0, plain.data, plain.n);
    for (int shift = 24; shift >= 0; shift -= 8)
        put_byte(&packed, (int)(crc >> shift & 0xff));
}

#ifdef ICE_WITH_BZIP2
static void pack_bzip2(void) {
    unsigned size = sizeof(packed.data);
    assert_int_equal(BZ2_bzBuffToBuffCompress(packed.data, &size, plain.data,
                                              (unsigned)plain.n, 9, 0, 0),
                     BZ_OK);
    packed.n = size;
}

#endif

#ifdef ICE_WITH_LZMA
static void pack_xz(void) {
    size_t n = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)plain.data,
                                plain.n, (uint8_t *)packed.data, &n, sizeof(packed.data)),
        LZMA_OK);
    packed.n = n;
}

#endif

static const struct {
    enum ice_avro_codec kind;
    void (*pack)(void);
    bool has_checksum;
} codecs[] = {
    {ICE_CODEC_DEFLATE, pack_deflate, false},
    {ICE_CODEC_ZSTANDARD, pack_zstd, false},
    {ICE_CODEC_SNAPPY, pack_snappy, true},
#ifdef ICE_WITH_BZIP2
    {ICE_CODEC_BZIP2, pack_bzip2, true},
#endif
#ifdef ICE_WITH_LZMA
    {ICE_CODEC_XZ, pack_xz, true},
#endif
};

struct opened {
    struct ice_run run;
    struct ice_codec *codec;
};

static void open_codec(struct opened *o, enum ice_avro_codec kind,
                       const struct ice_limits *limits) {
    struct ice_options options = ICE_OPTIONS_INIT;
    if (limits != NULL)
        options.limits = *limits;
    ice_run_init(&o->run, &options);
    assert_int_equal(ice_codec_open(&o->codec, kind, &o->run, NULL), ICE_OK);
}

static void close_codec(struct opened *o) {
    ice_codec_free(o->codec);
    assert_int_equal(o->run.alloc.used, 0);
}

static const char *unpack(struct opened *o, struct ice_str bytes, struct ice_str *out) {
    struct ice_error err = {0};
    const enum ice_status status = ice_codec_unpack(o->codec, bytes, 77, out, &err);
    assert_int_equal(err.status, status);
    if (status < 0) {
        assert_int_equal(err.offset, 77);
        assert_int_equal(out->size, 0);
        return err.rule;
    }
    return "ok";
}

static void fill_plain(size_t size) {
    plain.n = 0;
    uint32_t random = 1;
    while (plain.n < size) {
        random = random * 1664525u + 1013904223u;
        put_byte(&plain, plain.n % 7 < 3 ? (int)(random >> 24) : 'a');
    }
}

static void test_round_trip(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 300000};
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct opened o;
        open_codec(&o, codecs[c].kind, NULL);
        for (size_t i = 0; i < ICE_COUNT_OF(sizes); i++) {
            struct ice_str out;
            fill_plain(sizes[i]);
            codecs[c].pack();
            assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
            assert_true(ice_str_equal(out, enc_str(&plain)));
        }
        close_codec(&o);
    }
}

/* One block of zeros whose size is told nowhere: it is flushed in turns. */
static void test_flushing(void **state) {
    (void)state;
    static const size_t sizes[] = {65535, 65536, 65537, 131072};
    const struct ice_limits limits = {.inflate_ratio = 1 << 20};
    struct opened o;
    open_codec(&o, ICE_CODEC_ZSTANDARD, &limits);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
    for (size_t i = 0; i < ICE_COUNT_OF(sizes); i++) {
        struct ice_str out;
        memset(plain.data, 0, sizes[i]);
        plain.n = sizes[i];
        packed.n =
            ZSTD_compress2(c, packed.data, sizeof(packed.data), plain.data, plain.n);
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        assert_true(ice_str_equal(out, enc_str(&plain)));
        ice_codec_free(o.codec); /* the next one begins with a small buffer */
        assert_int_equal(ice_codec_open(&o.codec, ICE_CODEC_ZSTANDARD, &o.run, NULL),
                         ICE_OK);
    }
    ZSTD_freeCCtx(c);
    close_codec(&o);
}

/* Limits near the end of 64 bits bound nothing, and nothing wraps around. */
static void test_boundless(void **state) {
    (void)state;
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        fill_plain(100000);
        codecs[c].pack();
        const uint64_t ratios[] = {UINT64_MAX, UINT64_MAX / packed.n};
        for (size_t i = 0; i < ICE_COUNT_OF(ratios); i++) {
            const struct ice_limits limits = {.inflate_ratio = ratios[i],
                                              .block_bytes = UINT64_MAX,
                                              .zstd_window_log = UINT64_MAX};
            struct opened o;
            struct ice_str out;
            open_codec(&o, codecs[c].kind, &limits);
            assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
            assert_true(ice_str_equal(out, enc_str(&plain)));
            close_codec(&o);
        }
    }
}

/* A large buffer does not outlive a block that does not inflate. */
static void test_large_buffer(void **state) {
    (void)state;
    struct opened o;
    struct ice_str out;
    open_codec(&o, ICE_CODEC_DEFLATE, NULL);
    fill_plain(1 << 20);
    pack_deflate();
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
    assert_true(o.run.alloc.used > 1 << 20);
    assert_string_equal(unpack(&o, ice_str_make(packed.data, packed.n - 1), &out),
                        "avro.codec.corrupt");
    assert_true(o.run.alloc.used < 4096);
    close_codec(&o);
}

#if defined(ICE_WITH_BZIP2) && SIZE_MAX > UINT32_MAX
static void test_bzip2_counts_in_32_bits(void **state) {
    (void)state;
    struct opened o;
    struct ice_str out;
    open_codec(&o, ICE_CODEC_BZIP2, NULL);
    fill_plain(100);
    pack_bzip2();
    /* refused before a byte is read: there are not as many */
    const struct ice_str claim = ice_str_make(packed.data, (size_t)UINT32_MAX + 1);
    assert_string_equal(unpack(&o, claim, &out), "avro.codec.corrupt");
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
    close_codec(&o);
}
#endif

static void test_null(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_bytes = 5};
    struct opened o;
    open_codec(&o, ICE_CODEC_NULL, &limits);
    struct ice_str out;
    assert_true(ice_codec_is_built(ICE_CODEC_NULL));
    assert_string_equal(unpack(&o, ICE_STR("12345"), &out), "ok");
    assert_true(ice_str_is(out, "12345"));
    assert_string_equal(unpack(&o, ICE_STR("123456"), &out), "limit.block");
    close_codec(&o);
}

/* Cut at every byte; a byte more; the codec goes on working. */
static void test_damage(void **state) {
    (void)state;
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct opened o;
        open_codec(&o, codecs[c].kind, NULL);
        fill_plain(500);
        codecs[c].pack();
        struct ice_str out;
        for (size_t n = 0; n < packed.n; n++)
            assert_string_equal(unpack(&o, ice_str_make(packed.data, n), &out),
                                "avro.codec.corrupt");
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        put(&packed, "junk!", 5);
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "avro.codec.corrupt");
        packed.n -= 5;
        for (size_t i = 0; i < packed.n && codecs[c].has_checksum; i++) {
            packed.data[i] = (char)(packed.data[i] ^ 0x10);
            (void)unpack(&o, enc_str(&packed), &out); /* whatever it is, no crash */
            packed.data[i] = (char)(packed.data[i] ^ 0x10);
        }
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        assert_true(ice_str_equal(out, enc_str(&plain)));
        close_codec(&o);
    }
}

/* Exactly the ceiling comes out, one byte more does not. */
static void test_ceiling(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_bytes = 100000};
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct opened o;
        open_codec(&o, codecs[c].kind, &limits);
        struct ice_str out;
        fill_plain(100000);
        codecs[c].pack();
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        assert_int_equal(out.size, 100000);
        fill_plain(100001);
        codecs[c].pack();
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "limit.block");
        fill_plain(10);
        codecs[c].pack();
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        close_codec(&o);
    }
}

/* Zeros: far more than their packed bytes. */
static void test_bomb(void **state) {
    (void)state;
    const struct ice_limits limits = {.inflate_ratio = 10};
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct opened o;
        open_codec(&o, codecs[c].kind, &limits);
        memset(plain.data, 0, 800000);
        plain.n = 800000;
        codecs[c].pack();
        struct ice_str out;
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "limit.bomb");
        assert_true(o.run.alloc.peak < 12 << 20);
        close_codec(&o);
    }
}

/* 64 KiB and ratio times the packed bytes come out, and not one byte more. */
static void test_ratio(void **state) {
    (void)state;
    const struct ice_limits limits = {.inflate_ratio = 1};
    struct opened o;
    open_codec(&o, ICE_CODEC_ZSTANDARD, &limits);
    memset(plain.data, 0, 1 << 17);
    bool met = false;
    for (size_t extra = 8; extra < 100 && !met; extra++) {
        struct ice_str out;
        plain.n = (64 << 10) + extra;
        pack_zstd();
        const char *result = unpack(&o, enc_str(&packed), &out);
        assert_string_equal(result, packed.n >= extra ? "ok" : "limit.bomb");
        met = packed.n < extra;
    }
    assert_true(met);
    close_codec(&o);
}

/* Over the ceiling for all blocks: a bomb if it grew so far from little. */
static void test_bomb_or_block(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_bytes = 100000};
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct opened o;
        open_codec(&o, codecs[c].kind, &limits);
        memset(plain.data, 0, 800000);
        plain.n = 800000;
        codecs[c].pack();
        struct ice_str out;
        assert_string_equal(unpack(&o, enc_str(&packed), &out),
                            packed.n < 100000 / 16 ? "limit.bomb" : "limit.block");
        close_codec(&o);
    }
}

static void test_snappy_claims(void **state) {
    (void)state;
    struct opened o;
    open_codec(&o, ICE_CODEC_SNAPPY, NULL);
    struct ice_str out;
    /* 4 GiB from eleven bytes */
    assert_string_equal(unpack(&o,
                               ICE_STR("\xff\xff\xff\xff\x0f\x00"
                                       "a\0\0\0\0"),
                               &out),
                        "limit.bomb");
    assert_true(o.run.alloc.peak < 1000);
    assert_string_equal(unpack(&o, ICE_STR("\x01"), &out), "avro.codec.corrupt");
    assert_string_equal(unpack(&o, ICE_STR(""), &out), "avro.codec.corrupt");
    assert_string_equal(unpack(&o, ICE_STR("\x01\x00\x02\0\0\0\0"), &out),
                        "avro.codec.corrupt"); /* wrong CRC */
    close_codec(&o);
}

/* PyIceberg leaves three bytes of the Adler-32 of a zlib stream behind. */
static void test_deflate_adler(void **state) {
    (void)state;
    struct opened o;
    open_codec(&o, ICE_CODEC_DEFLATE, NULL);
    fill_plain(500);
    pack_deflate();
    const size_t size = packed.n;
    const uint32_t sum = libdeflate_adler32(1, plain.data, plain.n);
    for (int shift = 24; shift >= 0; shift -= 8) {
        struct ice_str out;
        put_byte(&packed, (int)(sum >> shift & 0xff));
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
        assert_true(ice_str_equal(out, enc_str(&plain)));
        packed.data[packed.n - 1] = (char)(packed.data[packed.n - 1] ^ 1);
        assert_string_equal(unpack(&o, enc_str(&packed), &out), "avro.codec.corrupt");
        packed.data[packed.n - 1] = (char)(packed.data[packed.n - 1] ^ 1);
    }
    assert_int_equal(packed.n, size + 4);
    put_byte(&packed, 0);
    struct ice_str out;
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "avro.codec.corrupt");
    close_codec(&o);
}

static void test_zstd_frames(void **state) {
    (void)state;
    struct opened o;
    open_codec(&o, ICE_CODEC_ZSTANDARD, NULL);
    fill_plain(1000);
    pack_zstd();
    static struct enc frames;
    frames.n = 0;
    put(&frames, packed.data, packed.n);
    put(&frames, "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11); /* a skippable frame */
    put(&frames, packed.data, packed.n);
    struct ice_str out;
    assert_string_equal(unpack(&o, enc_str(&frames), &out), "ok");
    assert_int_equal(out.size, 2000);
    assert_memory_equal(out.data, plain.data, 1000);
    assert_memory_equal(out.data + 1000, plain.data, 1000);
    /* a checksum that does not match; no content size */
    ZSTD_CCtx *c = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
    packed.n = ZSTD_compress2(c, packed.data, sizeof(packed.data), plain.data, plain.n);
    ZSTD_freeCCtx(c);
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
    assert_int_equal(out.size, 1000);
    packed.data[packed.n - 1] = (char)(packed.data[packed.n - 1] ^ 1);
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "avro.codec.corrupt");
    /* of a format before 1.0, alone and behind a frame of today */
    const struct ice_str old = ICE_STR("\x26\xb5\x2f\xfd\0\x40\0\1a\xc0\0\0");
    assert_string_equal(unpack(&o, old, &out), "avro.codec.corrupt");
    pack_zstd();
    put(&packed, old.data, old.size);
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "avro.codec.corrupt");
    /* one block that fills the first buffer, and no last one: "x", 65,536 times */
    assert_string_equal(unpack(&o, ICE_STR("\x28\xb5\x2f\xfd\0\x58\2\0\10x"), &out),
                        "avro.codec.corrupt");
    /* a content size that nothing follows: 2^40 */
    assert_string_equal(
        unpack(&o, ICE_STR("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\1\0\0\1\0\0"), &out),
        "limit.bomb");
    close_codec(&o);
}

static void test_zstd_window(void **state) {
    (void)state;
    for (uint64_t log = 20; log <= 21; log++) {
        const struct ice_limits limits = {.zstd_window_log = log};
        struct opened o;
        open_codec(&o, ICE_CODEC_ZSTANDARD, &limits);
        /* frame of unknown size, window 2^21, one raw block of one byte */
        struct ice_str out;
        assert_string_equal(
            unpack(&o, ICE_STR("\x28\xb5\x2f\xfd\x00\x58\x09\x00\x00x"), &out),
            log == 20 ? "limit.window" : "ok");
        close_codec(&o);
    }
}

/* What a frame gives does not hang on the room and buffers that earlier blocks left. */
static void test_zstd_as_new(void **state) {
    (void)state;
    const struct {
        struct ice_str bytes;
        const char *result;
    } frames[] = {
        /* 50,000 times "x" and a window of 2^28; in a block above its window; with an
           empty block behind; the same, and one byte more declared */
        {ICE_STR("\x28\xb5\x2f\xfd\x80\x90\x50\xc3\0\0\x83\x1a\x06x"), "limit.window"},
        {ICE_STR("\x28\xb5\x2f\xfd\x80\x00\x50\xc3\0\0\x83\x1a\x06x"),
         "avro.codec.corrupt"},
        {ICE_STR("\x28\xb5\x2f\xfd\x80\x38\x50\xc3\0\0\x82\x1a\x06x\5\0\0"), "ok"},
        {ICE_STR("\x28\xb5\x2f\xfd\x80\x38\x51\xc3\0\0\x82\x1a\x06x\5\0\0"),
         "avro.codec.corrupt"},
        /* a copy from behind a window of 2^10 */
        {ICE_STR("\x28\xb5\x2f\xfd\x00\x00\x02\x20\x00\x00\x02\x20\x00\x00\x02\x02\x00"
                 "\x00\x10\x00\x00\x00\x00\x02\x20\x00\x00\x45\x00\x00\x00\x01\x54\x00"
                 "\x0a\x00\x04\x04"),
         "avro.codec.corrupt"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(frames); i++) {
        struct opened o;
        struct ice_str out;
        open_codec(&o, ICE_CODEC_ZSTANDARD, NULL);
        for (int round = 0; round < 3; round++) {
            assert_string_equal(unpack(&o, frames[i].bytes, &out), frames[i].result);
            if (out.size > 0)
                assert_int_equal(out.size, 50000);
            fill_plain(300000);
            pack_zstd();
            assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
            /* window 2^20 */
            assert_string_equal(
                unpack(&o, ICE_STR("\x28\xb5\x2f\xfd\0\x50\x09\0\0x"), &out), "ok");
        }
        close_codec(&o);
    }
}

/* Frames without text may stand behind the last byte that there is room for. */
static void test_zstd_full(void **state) {
    (void)state;
    const struct ice_limits limits = {.block_bytes = 100000};
    struct opened o;
    struct ice_str out;
    open_codec(&o, ICE_CODEC_ZSTANDARD, &limits);
    fill_plain(100000);
    pack_zstd();
    put(&packed, "\x50\x2a\x4d\x18\0\0\0\0", 8);
    put(&packed, "\x28\xb5\x2f\xfd\x20\0\1\0\0", 9);
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "ok");
    assert_true(ice_str_equal(out, enc_str(&plain)));
    put(&packed, "\x28\xb5\x2f\xfd\x20\1\x09\0\0x", 10);
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "limit.block");
    close_codec(&o);
}

#ifdef ICE_WITH_LZMA
/* A block header that asks for a dictionary of 256 MiB. */
static void test_xz_dictionary(void **state) {
    (void)state;
    struct opened o;
    open_codec(&o, ICE_CODEC_XZ, NULL);
    fill_plain(100);
    pack_xz();
    unsigned char *header = (unsigned char *)packed.data + 12;
    const size_t size = ((size_t)header[0] + 1) * 4;
    unsigned char *filter = memchr(header, 0x21, size);
    assert_non_null(filter);
    filter[2] = 32;
    const uint32_t crc = lzma_crc32(header, size - 4, 0);
    for (unsigned i = 0; i < 4; i++)
        header[size - 4 + i] = (unsigned char)(crc >> (8 * i));
    struct ice_str out;
    assert_string_equal(unpack(&o, enc_str(&packed), &out), "limit.window");
    assert_true(o.run.alloc.peak < 1 << 20);
    close_codec(&o);
}
#endif

/* Legal for Avro, but not built in: told apart from a name that Avro does not know. */
static void test_built(void **state) {
    (void)state;
    static const struct {
        enum ice_avro_codec kind;
        const char *name;
    } rare[] = {{ICE_CODEC_BZIP2, "bzip2"}, {ICE_CODEC_XZ, "xz"}};
    for (size_t i = 0; i < ICE_COUNT_OF(rare); i++) {
        put_header(&plain, RECORD_OF("\"int\""), rare[i].name);
        expect(&plain, ice_codec_is_built(rare[i].kind)
                           ? ""
                           : "[not supported] !avro.codec.unsupported@0\n");
    }
}

/* Memory of the codecs counts: a small limit is reported as such, not as a fault of the
 * file. */
static void test_memory_limit(void **state) {
    (void)state;
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        options.limits.memory = 400000;
        struct opened o = {0};
        ice_run_init(&o.run, &options);
        if (ice_codec_open(&o.codec, codecs[c].kind, &o.run, NULL) == ICE_OK) {
            fill_plain(800000);
            codecs[c].pack();
            struct ice_str out;
            assert_string_equal(unpack(&o, enc_str(&packed), &out), "limit.memory");
        }
        close_codec(&o);
    }
}

/* Wherever memory ends, it is told as that, and comes back. */
static void test_failing_allocation(void **state) {
    (void)state;
    for (size_t c = 0; c < ICE_COUNT_OF(codecs); c++) {
        bool was_whole = false;
        /* to more than the first buffer, so that libzstd needs buffers of its own */
        memset(plain.data, 'a', 100000);
        memcpy(plain.data, "some text and", 13);
        plain.n = 100000;
        codecs[c].pack();
        for (uint64_t nth = 0; nth < 100 && !was_whole; nth++) {
            struct failing failing = {.fail_at = nth + 1, .sticky = true};
            const struct ice_allocator allocator = failing_allocator(&failing);
            struct ice_options options = ICE_OPTIONS_INIT;
            options.allocator = &allocator;
            options.limits.inflate_ratio = 1 << 20;
            struct opened o = {0};
            struct ice_error err = {0};
            struct ice_str out;
            ice_run_init(&o.run, &options);
            enum ice_status status =
                ice_codec_open(&o.codec, codecs[c].kind, &o.run, &err);
            if (status == ICE_OK)
                status = ice_codec_unpack(o.codec, enc_str(&packed), 77, &out, &err);
            assert_int_equal(err.status, status);
            assert_true(status == ICE_OK || status == ICE_ENOMEM);
            was_whole = status == ICE_OK;
            close_codec(&o);
        }
        assert_true(was_whole);
    }
}

static void *no_memory(size_t size) {
    (void)size;
    return NULL;
}

/* libdeflate takes its state from the C library. */
static void test_deflate_state(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_codec *codec;
    struct ice_error err = {0};
    ice_run_init(&run, NULL);
    libdeflate_set_memory_allocator(no_memory, free);
    const enum ice_status status = ice_codec_open(&codec, ICE_CODEC_DEFLATE, &run, &err);
    libdeflate_set_memory_allocator(malloc, free);
    assert_int_equal(status, ICE_ENOMEM);
    assert_int_equal(err.status, ICE_ENOMEM);
    assert_null(codec);
    assert_int_equal(run.alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef ICE_WITH_LZMA
        cmocka_unit_test(test_xz_dictionary),
#endif
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_bomb_or_block),
        cmocka_unit_test(test_snappy_claims),
        cmocka_unit_test(test_deflate_adler),
        cmocka_unit_test(test_zstd_frames),
        cmocka_unit_test(test_zstd_window),
        cmocka_unit_test(test_zstd_as_new),
        cmocka_unit_test(test_zstd_full),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_flushing),
        cmocka_unit_test(test_boundless),
        cmocka_unit_test(test_large_buffer),
        cmocka_unit_test(test_failing_allocation),
        cmocka_unit_test(test_deflate_state),
#if defined(ICE_WITH_BZIP2) && SIZE_MAX > UINT32_MAX
        cmocka_unit_test(test_bzip2_counts_in_32_bits),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
