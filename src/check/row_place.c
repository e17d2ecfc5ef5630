/*
 * Pointers of rows, built only when there is something to report.
 */
#include "check/row_place.h"

static void append(struct ice_row_place *place, const char *text, size_t size) {
    struct ice_str *pointer = &place->place.at.pointer;
    if (size > sizeof(place->pointer) - pointer->size)
        return;
    memcpy(place->pointer + pointer->size, text, size);
    *pointer = ice_str_make(place->pointer, pointer->size + size);
}

void ice_row_place_index(struct ice_row_place *place, uint64_t index) {
    char text[1 + ICE_U64_BYTES] = "/";
    append(place, text, 1 + ice_u64_to_text(index, text + 1));
}

void ice_row_place_step(struct ice_row_place *place, struct ice_str name) {
    char text[sizeof(place->pointer)];
    size_t size = 0;
    text[size++] = '/';
    for (size_t i = 0; i < name.size; i++) {
        if (size + 2 > sizeof(text))
            return;
        char c = name.data[i];
        if (c == '~' || c == '/')
            text[size++] = '~';
        text[size++] = c == '~' ? '0' : c == '/' ? '1' : c;
    }
    append(place, text, size);
}

void ice_row_place_begin(struct ice_row_place *out, struct ice_str file, uint64_t order,
                         uint64_t record) {
    out->place = ice_place_file(file, order);
    out->place.at.record = record;
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    append(out, "/records", sizeof("/records") - 1);
    ice_row_place_index(out, record);
}

void ice_row_place_of(struct ice_row_place *out, struct ice_str file, uint64_t order,
                      const struct ice_avro_rows *rows) {
    ice_row_place_begin(out, file, order, rows->record);
    out->place.at.block = rows->block.index;
    out->place.at.offset = rows->block.offset;
}
