/*
 * ice_list_inputs: what pointers and listings were taken for.
 */
#include "answer/row_builder.h"
#include "base/error.h"
#include "inputs/catalog.h"
#include "inputs/listing.h"

#include <stdio.h>

static const struct ice_column columns[] = {
    {"uri", ICE_VALUE_STR},   {"kind", ICE_VALUE_STR}, {"size", ICE_VALUE_I64},
    {"here", ICE_VALUE_BOOL}, {NULL, ICE_VALUE_NULL},
};

static enum ice_status put(struct ice_row *row, struct ice_str uri, const char *kind,
                           bool here, struct ice_error *err) {
    ice_row_begin(row);
    ice_row_str(row, uri);
    ice_row_text(row, kind);
    ice_row_null(row);
    ice_row_bool(row, here);
    return ice_row_send(row, err);
}

static enum ice_status put_pointers(struct ice_row *row,
                                    const struct ice_pointers *pointers,
                                    ice_trouble_fn on_trouble, void *user,
                                    struct ice_error *err) {
    for (size_t i = 0; on_trouble != NULL && i < pointers->n_faults; i++) {
        struct ice_error fault = pointers->faults[i].error;
        ice_error_set_file(&fault, pointers->faults[i].file);
        on_trouble(&fault, user);
    }
    for (size_t i = 0; i < pointers->n_inputs; i++) {
        const struct ice_pointer_read_input *input = &pointers->inputs[i];
        ICE_TRY(put(row, input->argument, ice_pointer_format_words(input->format),
                    input->format != ICE_POINTER_AUTO, err));
    }
    return ICE_OK;
}

/* Opened only: its first bytes tell the form. */
static enum ice_status put_listing(struct ice_row *row, struct ice_run *run,
                                   const struct ice_options *options, const char *path,
                                   ice_trouble_fn on_trouble, void *user,
                                   struct ice_error *err) {
    const struct ice_listing_options how = {.has_zone = true};
    struct ice_listing listing = {0};
    struct ice_error fault;
    char kind[160];
    ice_error_clear(&fault);
    enum ice_status status =
        ice_listing_open(&listing, run, path, options->listing_format, &how, &fault);
    if (status == ICE_ENOMEM) {
        status = ice_error_memory(err);
    } else if (status < 0) {
        ice_error_set_file(&fault, ice_str_from(path));
        if (on_trouble != NULL)
            on_trouble(&fault, user);
        status = put(row, ice_str_from(path), "nothing known", false, err);
    } else {
        (void)snprintf(kind, sizeof(kind), "listing of %s",
                       ice_listing_what(listing.format));
        status = put(row, ice_str_from(path), kind, true, err);
    }
    ice_listing_release(&listing);
    return status;
}

enum ice_status ice_list_inputs(const struct ice_options *options, ice_row_fn on_row,
                                ice_trouble_fn on_trouble, void *user,
                                struct ice_error *err) {
    struct ice_run run;
    struct ice_row row;
    enum ice_status status = ICE_OK;
    ice_run_init(&run, options);
    ice_row_init(&row, &run, columns, on_row, user);
    if (options->catalog != NULL)
        status = put_pointers(&row, &options->catalog->pointers, on_trouble, user, err);
    for (size_t i = 0; status >= 0 && i < options->n_listings; i++)
        status =
            put_listing(&row, &run, options, options->listings[i], on_trouble, user, err);
    ice_row_release(&row);
    return status;
}
