/* SPDX-License-Identifier: MIT */
/* collective_categories.c - counts the categories of a column if each process of a group has read only its part. See
 * reader_internal.h. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/error.h"

#include <string.h>

static const crd_i_dictionary *categories_of(const crd_worker *worker, size_t column) {
    return worker->columns == NULL ? NULL : worker->columns[column].dictionary;
}

uint64_t crd_i_reader_category_bound(const crd_reader *reader, size_t column) {
    const crd_i_reader_column *reader_column = &reader->columns[column];
    uint64_t bound = 0;
    if (reader_column->key == CRD_I_KEY_SEQUENCE || reader_column->declared != NULL ||
        reader_column->kind != CRD_KIND_CATEGORY)
        return 0;
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *dictionary = categories_of(reader->lanes[i], column);
        bound += dictionary == NULL ? 0 : crd_i_dictionary_size(dictionary);
    }
    return bound;
}

/* Encodes the categories, each preceded by its length. */
static bool encode_categories(const crd_reader *reader, size_t column, crd_i_buffer *bytes) {
    bool done = true;
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *dictionary = categories_of(reader->lanes[i], column);
        for (size_t code = 0; done && dictionary != NULL && code < crd_i_dictionary_size(dictionary); code++) {
            const crd_text text = crd_i_dictionary_text(dictionary, code);
            done = crd_i_buffer_append(bytes, &text.length, sizeof text.length) &&
                   crd_i_buffer_append(bytes, text.bytes, text.length);
        }
    }
    return done;
}

static crd_status shared_categories_add(crd_i_dictionary *all, crd_i_received message, crd_error *error) {
    while (message.length > 0) {
        crd_text text = {NULL, 0};
        const bool is_there = crd_i_received_take(&message, &text.length, sizeof text.length);
        if (is_there) text.bytes = (const char *)crd_i_received_pass(&message, text.length);
        if (text.bytes == NULL) return crd_i_fail_received(error);
        if (crd_i_dictionary_add(all, text) < 0) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static crd_status shared_categories_count(const crd_reader *reader, size_t column, const crd_i_gathered *parts,
                                          crd_error *error) {
    crd_i_dictionary *all = crd_i_dictionary_create(reader->context);
    crd_status status = all != NULL ? CRD_OK : crd_i_fail_memory(error);
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(reader->context); i++)
        status = shared_categories_add(all, (crd_i_received){parts->bytes[i], parts->lengths[i]}, error);
    if (status == CRD_OK)
        status = crd_i_reader_check_count(reader, reader->columns[column].name, crd_i_dictionary_size(all), error);
    crd_i_dictionary_destroy(all);
    return status;
}

crd_status crd_i_reader_check_shared_categories(const crd_reader *reader, size_t column, crd_error *error) {
    crd_context *context = reader->context;
    crd_i_buffer buffer = {.context = context};
    crd_i_gathered parts;
    crd_status status = encode_categories(reader, column, &buffer) ? CRD_OK : crd_i_fail_memory(error);
    status = crd_i_gather(context, status, buffer.bytes, buffer.length, &parts, error);
    crd_i_buffer_clear(&buffer);
    if (status != CRD_OK) return status;
    status = crd_i_agree(context, shared_categories_count(reader, column, &parts, error), error);
    crd_i_gathered_clear(&parts);
    return status;
}
