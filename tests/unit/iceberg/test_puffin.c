/*
 * Puffin frames, footers, deletion vectors and Roaring bitmaps, from bytes.
 */
#include "assert_str.h"

#include "base/error.h"
#include "iceberg/puffin.h"
#include "support/failing_run.h"

/* ---- frames ---- */

#define BLOB                                                                             \
    "\"fields\":[2147483645,7],\"snapshot-id\":-1,\"sequence-number\":-1,\"offset\":4,"  \
    "\"length\":2"
#define ONE_BLOB "{\"blobs\":[{\"type\":\"t\"," BLOB "}]}"

struct file {
    struct ice_run run;
    struct ice_puffin puffin;
    char bytes[600];
    size_t size;
    enum ice_status status;
    struct ice_error err;
};

static void put(struct file *f, const void *bytes, size_t size) {
    assert_true(f->size + size <= sizeof(f->bytes));
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

/* "PFA1", two bytes of body, and a footer around payload. */
static void make(struct file *f, const char *payload) {
    char tail[12] = {0};
    size_t size = strlen(payload);
    f->size = 0;
    put(f, "PFA1xxPFA1", 10);
    put(f, payload, size);
    tail[0] = (char)(size & 0xff);
    tail[1] = (char)(size >> 8);
    memcpy(tail + 8, "PFA1", 4);
    put(f, tail, sizeof(tail));
}

static void read_up_to(struct file *f, uint64_t most) {
    struct ice_stream stream;
    ice_run_init(&f->run, NULL);
    ice_error_clear(&f->err);
    ice_stream_init_memory(&stream, &f->run, ice_str_make(f->bytes, f->size));
    f->status = ice_puffin_read(&f->puffin, &f->run, &stream, most, &f->err);
    ice_stream_release(&stream);
}

/* Each request for memory fails in turn: then that is said, and is no fault. */
static void read_without_memory(const struct file *f) {
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run run;
        struct ice_puffin puffin = {0};
        struct ice_stream stream;
        failing_run_init(&run, &failing);
        ice_stream_init_memory(&stream, &run, ice_str_make(f->bytes, f->size));
        enum ice_status status =
            ice_puffin_read(&puffin, &run, &stream, sizeof(f->bytes), NULL);
        is_done = failing.n < k;
        assert_int_equal(status, is_done ? ICE_OK : ICE_ENOMEM);
        ice_stream_release(&stream);
        ice_puffin_release(&puffin);
        assert_int_equal(failing.used, 0);
    }
}

static enum ice_puffin_fault fault_of(struct file *f) {
    read_without_memory(f);
    read_up_to(f, sizeof(f->bytes));
    assert_int_equal(f->status, ICE_OK);
    enum ice_puffin_fault fault = f->puffin.fault;
    ice_puffin_release(&f->puffin);
    ice_puffin_release(&f->puffin);
    assert_int_equal(f->run.alloc.used, 0);
    return fault;
}

static void a_footer_is_read(void **state) {
    (void)state;
    struct file f;
    make(&f, "{\"blobs\":[{\"type\":\"deletion-vector-v1\"," BLOB
             ",\"x\":[1],\"compression-codec\":null,\"properties\":"
             "{\"cardinality\":\"5\",\"a\":\"b\",\"referenced-data-file\":\"f\"}},"
             "{\"type\":\"t\",\"compression-codec\":\"lz4\"," BLOB "}],\"x\":{}}");
    read_without_memory(&f);
    read_up_to(&f, sizeof(f.bytes));
    assert_int_equal(f.status, ICE_OK);
    assert_int_equal(f.puffin.fault, ICE_PUFFIN_SOUND);
    assert_int_equal(f.puffin.n_blobs, 2);
    const struct ice_puffin_blob *blob = &f.puffin.blobs[0];
    assert_str(blob->type, "deletion-vector-v1");
    assert_int_equal(blob->n_fields, 2);
    assert_int_equal(blob->fields[0], 2147483645);
    assert_int_equal(blob->snapshot_id, -1);
    assert_int_equal(blob->offset, 4);
    assert_int_equal(blob->length, 2);
    assert_false(blob->has_codec);
    assert_true(blob->has_cardinality && blob->has_referenced);
    assert_str(blob->cardinality, "5");
    assert_str(blob->referenced, "f");
    assert_str(f.puffin.blobs[1].codec, "lz4");
    assert_false(f.puffin.blobs[1].has_referenced);
    assert_int_equal(f.puffin.footer_start, 6);
    assert_int_equal(f.puffin.payload_size + 16 + 6, f.size);
    ice_puffin_release(&f.puffin);
    assert_int_equal(f.run.alloc.used, 0);
}

static void frames_are_judged(void **state) {
    (void)state;
    struct file f;
    make(&f, ONE_BLOB);
    assert_int_equal(fault_of(&f), ICE_PUFFIN_SOUND);
    f.bytes[0] = 'Q';
    assert_int_equal(fault_of(&f), ICE_PUFFIN_MAGIC);
    memcpy(f.bytes, "AGS1", 4);
    assert_int_equal(fault_of(&f), ICE_PUFFIN_ENCRYPTED);
    make(&f, ONE_BLOB);
    f.bytes[6] = 'Q';
    assert_int_equal(fault_of(&f), ICE_PUFFIN_MAGIC);
    make(&f, ONE_BLOB);
    f.bytes[f.size - 1] = 'Q';
    assert_int_equal(fault_of(&f), ICE_PUFFIN_MAGIC);
    make(&f, ONE_BLOB);
    f.bytes[f.size - 12]++;
    assert_int_equal(fault_of(&f), ICE_PUFFIN_SIZE);
    make(&f, ONE_BLOB);
    f.bytes[f.size - 9] = '\x80';
    assert_int_equal(fault_of(&f), ICE_PUFFIN_SIZE);
    make(&f, ONE_BLOB);
    f.bytes[f.size - 8] = 1;
    assert_int_equal(fault_of(&f), ICE_PUFFIN_COMPRESSED);
    f.bytes[f.size - 8] = 2;
    read_up_to(&f, sizeof(f.bytes));
    assert_int_equal(f.puffin.reserved_flags, 2);
    assert_int_equal(f.puffin.n_blobs, 1);
    ice_puffin_release(&f.puffin);
}

static void every_cut_is_seen(void **state) {
    (void)state;
    struct file f;
    make(&f, ONE_BLOB);
    for (size_t whole = f.size; f.size > 0;) {
        f.size--;
        assert_true(f.size < whole);
        enum ice_puffin_fault fault = fault_of(&f);
        assert_true(fault == ICE_PUFFIN_MAGIC || fault == ICE_PUFFIN_SIZE);
    }
}

static void payloads_are_judged(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "{}",
        "[]",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":{},\"snapshot-id\":1}]}",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[2147483648]}]}",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[-2147483649]}]}",
        "{\"blobs\":[{\"snapshot-id\":1.5}]}",
        "{\"blobs\":[{\"offset\":\"4\"}]}",
        "{\"blobs\":[{\"compression-codec\":5}]}",
        "{\"blobs\":[{\"properties\":[]}]}",
        "{\"blobs\":[{\"properties\":{\"cardinality\":\"5\"",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[1",
        "{\"blobs\":{}}",
        "{\"blobs\":[1]}",
        "{\"blobs\":[{}]}",
        "{\"blobs\":[{\"type\":1," BLOB "}]}",
        "{\"blobs\":[{\"type\":\"t\",\"fields\":[\"1\"]}]}",
        "{\"blobs\":[{\"type\":\"t\"," BLOB "}"};
    struct file f;
    for (size_t i = 0; i < ICE_COUNT_OF(bad); i++) {
        make(&f, bad[i]);
        assert_int_equal(fault_of(&f), ICE_PUFFIN_JSON);
    }
    make(&f,
         "{\"blobs\":[{\"type\":\"t\"," BLOB ",\"properties\":null},{\"type\":\"t\"," BLOB
         ",\"properties\":{\"cardinality\":5,\"referenced-data-file\":[1]}}]}");
    read_up_to(&f, sizeof(f.bytes));
    assert_int_equal(f.puffin.fault, ICE_PUFFIN_SOUND);
    for (size_t i = 0; i < 2; i++) /* of another type: as if they were not there */
        assert_false(f.puffin.blobs[i].has_cardinality ||
                     f.puffin.blobs[i].has_referenced);
    ice_puffin_release(&f.puffin);
    make(&f, "{\"blobs\":[]}");
    assert_int_equal(fault_of(&f), ICE_PUFFIN_SOUND);
    static const char whole[] = "{\"x\":[1],\"blobs\":[{\"type\":\"t\"," BLOB
                                ",\"y\":{},\"properties\":{\"z\":[2]}}]}";
    for (size_t size = 0; size < sizeof(whole) - 1; size++) {
        char part[sizeof(whole)] = "";
        memcpy(part, whole, size);
        make(&f, part);
        assert_int_equal(fault_of(&f), ICE_PUFFIN_JSON);
    }
}

static void size_is_limited(void **state) {
    (void)state;
    struct file f;
    make(&f, ONE_BLOB);
    read_up_to(&f, f.size - 1);
    assert_int_equal(f.status, ICE_ELIMIT);
    assert_string_equal(f.err.rule, "limit.file");
    ice_puffin_release(&f.puffin);
    read_up_to(&f, f.size);
    assert_int_equal(f.status, ICE_OK);
    ice_puffin_release(&f.puffin);
    assert_int_equal(f.run.alloc.used, 0);
}

/* ---- deletion vectors: one that Iceberg Java wrote, rows 0 1 7 20 49 ---- */

static const char vector[] =
    "\x00\x00\x00\x2a\xd1\xd3\x39\x64\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x3a\x30\x00\x00\x01\x00\x00\x00\x00\x00\x04\x00\x10\x00\x00\x00\x00\x00\x01\x00"
    "\x07\x00\x14\x00\x31\x00\x06\xe7\xa9\x7c";

static void a_vector_is_read(void **state) {
    (void)state;
    struct ice_roaring found;
    struct ice_str blob = ice_str_make(vector, sizeof(vector) - 1);
    assert_true(ice_deletion_vector_is(blob));
    assert_int_equal(ice_deletion_vector_read(blob, &found), ICE_OK);
    assert_int_equal(found.cardinality, 5);
    assert_int_equal(found.last, 49);
}

static void every_flipped_byte_is_seen(void **state) {
    (void)state;
    struct ice_roaring found;
    for (size_t i = 0; i < sizeof(vector) - 1; i++) {
        char copy[sizeof(vector)];
        memcpy(copy, vector, sizeof(vector));
        copy[i] ^= 4;
        assert_int_equal(
            ice_deletion_vector_read(ice_str_make(copy, sizeof(vector) - 1), &found),
            ICE_EFORMAT);
        assert_int_equal(ice_deletion_vector_read(ice_str_make(vector, i), &found),
                         ICE_EFORMAT);
    }
}

/* ---- bitmaps ---- */

static enum ice_status bitmap(const char *bytes, size_t size, struct ice_roaring *out) {
    return ice_roaring64_read(ice_str_make(bytes, size), out);
}
#define BITMAP(literal, out) bitmap(literal, sizeof(literal) - 1, out)
#define ONE "\x01\0\0\0\0\0\0\0"
#define KEY0 "\0\0\0\0"
#define EMPTY "\x3a\x30\0\0\0\0\0\0"

static void bitmaps_are_counted(void **state) {
    (void)state;
    struct ice_roaring found;
    assert_int_equal(BITMAP("\0\0\0\0\0\0\0\0", &found), ICE_OK);
    assert_int_equal(found.cardinality, 0);
    assert_int_equal(BITMAP("\x02\0\0\0\0\0\0\0" KEY0 EMPTY "\x02\0\0\0" EMPTY, &found),
                     ICE_OK);
    /* runs: 5..9 and 20 under key 3, container 1 */
    assert_int_equal(BITMAP(ONE "\x03\0\0\0\x3b\x30\0\0\x01\x01\0\x05\0\x02\0"
                                "\x05\0\x04\0\x14\0\0\0",
                            &found),
                     ICE_OK);
    assert_int_equal(found.cardinality, 6);
    assert_int_equal(found.last, (UINT64_C(3) << 32) + 65536 + 20);
}

static void bits_are_counted(void **state) {
    (void)state;
    enum { HEADER = 28, VALUES = 8192 * 4 };
    static char bytes[HEADER + 8192] = ONE KEY0 "\x3a\x30\0\0\x01\0\0\0\0\0\xff\x7f\x10";
    struct ice_roaring found;
    memset(bytes + HEADER, 0x55, 8192);
    assert_int_equal(bitmap(bytes, sizeof(bytes), &found), ICE_OK);
    assert_int_equal(found.cardinality, VALUES);
    assert_int_equal(found.last, 65534);
    bytes[HEADER] = 0x54;
    assert_int_equal(bitmap(bytes, sizeof(bytes), &found), ICE_EFORMAT);
}

#define ASSERT_WRONG(literal, words)                                                     \
    do {                                                                                 \
        struct ice_roaring wrong_;                                                       \
        assert_int_equal(BITMAP(literal, &wrong_), ICE_EFORMAT);                         \
        assert_string_equal(wrong_.why, words);                                          \
    } while (0)

static void layouts_are_judged(void **state) {
    (void)state;
    ASSERT_WRONG("\x02\0\0\0\0\0\0\0\x02\0\0\0" EMPTY "\x02\0\0\0" EMPTY,
                 "keys do not ascend");
    ASSERT_WRONG(ONE "\0\0\0\x80" EMPTY, "a key has its sign bit set");
    ASSERT_WRONG(ONE KEY0 EMPTY "x", "bytes follow its last bitmap");
    ASSERT_WRONG("\x02\0\0\0\0\0\0\0" KEY0 EMPTY, "it ends before its last bitmap");
    ASSERT_WRONG(ONE KEY0 "\x3c\x30\0\0\0\0\0\0", "a bitmap has no cookie of the format");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0\x01\0",
                 "a bitmap counts more than 65,536 containers");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\xff\xff\0\0", "it ends inside a bitmap header");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0\0\0\0\0\x01\0\x10\0\0\0\x05\0\x05\0",
                 "values of an array container do not ascend");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0\0\0\0\0\x01\0\x11\0\0\0\x05\0\x06\0",
                 "a container is not at its offset");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x02\0\0\0\x01\0\0\0\x01\0\0\0"
                          "\x18\0\0\0\x1a\0\0\0\x05\0\x05\0",
                 "keys of containers do not ascend");
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\0\0\x01\0\0\x01\0\x01\0\xff\xff\x01\0",
                 "a run leads out of its container");
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\0\0\x01\0\0\x03\0\x02\0\x05\0\x01\0\x06\0\x01\0",
                 "runs of a container do not ascend");
    ASSERT_WRONG("\x01\0\0", "it ends inside the count of bitmaps");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30", "it ends inside a bitmap header");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0", "it ends inside a bitmap header");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0\0\0\0\0\x01\0\x10\0\0\0\x05\0",
                 "it ends inside an array container");
    ASSERT_WRONG(ONE KEY0 "\x3a\x30\0\0\x01\0\0\0\0\0\xff\x7f\x10\0\0\0\x05\0",
                 "it ends inside a bitmap container");
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\0\0\x01\0\0\x09\0\x01",
                 "it ends inside a run container");
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\0\0\x01\0\0\x09\0\x01\0\x05\0",
                 "it ends inside a run container");
    /* an array among containers that may be runs; with four of them offsets follow */
    struct ice_roaring found;
    assert_int_equal(BITMAP(ONE KEY0 "\x3b\x30\0\0\0\x01\0\0\0\x05\0", &found), ICE_OK);
    assert_int_equal(found.last, 65536 + 5);
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\x03\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0",
                 "it ends inside a bitmap header");
    ASSERT_WRONG(ONE KEY0 "\x3b\x30\0\0\x01\0\0\x09\0\x01\0\x05\0\x01\0",
                 "a container does not hold as many values as its header says");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_footer_is_read),
        cmocka_unit_test(frames_are_judged),
        cmocka_unit_test(every_cut_is_seen),
        cmocka_unit_test(payloads_are_judged),
        cmocka_unit_test(size_is_limited),
        cmocka_unit_test(a_vector_is_read),
        cmocka_unit_test(every_flipped_byte_is_seen),
        cmocka_unit_test(bitmaps_are_counted),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(layouts_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
