/* SPDX-License-Identifier: MIT */
/* reduce_model.c - see reduce_model.h.
 *
 * Merging is associative and exact, so the shape of the tree does not affect the result. */
#include "model/reduce_model.h"

#include "base/collective.h"
#include "base/error.h"
#include "table/read/reader.h"

#include <string.h>

void crd_i_read_facts_note(crd_read_facts *facts, crd_text text) {
    char cut[sizeof facts->skipped_text];
    size_t length = text.length < sizeof cut ? text.length : sizeof cut - 1;
    memcpy(cut, text.bytes, length);
    cut[length] = '\0';
    if (facts->skipped_text[0] == '\0' || strcmp(cut, facts->skipped_text) < 0)
        memcpy(facts->skipped_text, cut, length + 1);
}

void crd_i_read_facts_add(crd_read_facts *facts, const crd_read_facts *more) {
    facts->rows += more->rows;
    facts->skipped += more->skipped;
    facts->skipped_with_text += more->skipped_with_text;
    if (more->skipped_with_text > 0) crd_i_read_facts_note(facts, crd_text_of(more->skipped_text));
    facts->weightless += more->weightless;
    if (more->sequences > 0) {
        if (facts->sequences == 0 || more->shortest < facts->shortest) facts->shortest = more->shortest;
        if (more->longest > facts->longest) facts->longest = more->longest;
    }
    facts->sequences += more->sequences;
    facts->inserted += more->inserted;
    facts->crowded += more->crowded;
}

typedef struct part {
    crd_model *model;
    crd_read_facts facts;
} part;

static crd_status reduce_model_encode_part(void *object, crd_i_buffer *bytes, crd_error *error) {
    const part *mine = object;
    unsigned char *encoded;
    size_t length;
    crd_status status = crd_model_encode(mine->model, &encoded, &length, error);
    if (status != CRD_OK) return status;
    if (!crd_i_buffer_append(bytes, &mine->facts, sizeof mine->facts) || !crd_i_buffer_append(bytes, encoded, length))
        status = crd_i_fail_memory(error);
    crd_free(bytes->context, encoded);
    return status;
}

static crd_status combine_part(void *object, const unsigned char *bytes, size_t length, crd_error *error) {
    part *mine = object;
    crd_read_facts theirs;
    if (length < sizeof theirs) return crd_i_fail_received(error);
    memcpy(&theirs, bytes, sizeof theirs);
    crd_i_read_facts_add(&mine->facts, &theirs);
    return crd_model_merge_bytes(mine->model, bytes + sizeof theirs, length - sizeof theirs, error);
}

crd_status crd_i_model_reduce(crd_context *context, crd_status status, crd_model **model, crd_read_facts *facts,
                              crd_error *error) {
    static const crd_i_reduction merging = {reduce_model_encode_part, combine_part};
    part own_part = {*model, *facts};
    crd_i_buffer bytes = {.context = context};
    if (crd_i_is_collective(context)) {
        crd_model *whole = NULL;
        status = crd_i_reduce(context, status, &merging, &own_part, &bytes, error);
        if (status == CRD_OK && bytes.length < sizeof *facts) status = crd_i_fail_received(error);
        if (status == CRD_OK) {
            memcpy(facts, bytes.bytes, sizeof *facts);
            status =
                crd_model_decode(context, bytes.bytes + sizeof *facts, bytes.length - sizeof *facts, &whole, error);
            status = crd_i_agree(context, status, error);
        }
        crd_i_buffer_clear(&bytes);
        crd_model_destroy(*model);
        *model = whole;
    }
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*model);
    *model = NULL;
    return status;
}

crd_status crd_i_model_reduce_rows(const crd_reader *reader, crd_status status, crd_model **model,
                                   crd_read_facts *facts, crd_error *error) {
    crd_context *context = crd_i_reader_context(reader);
    if (crd_i_reader_is_divided(reader)) return crd_i_model_reduce(context, status, model, facts, error);
    status = crd_i_agree(context, status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*model);
    *model = NULL;
    return status;
}
