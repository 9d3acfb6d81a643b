/* SPDX-License-Identifier: MIT */
/* importance_processes.c - permutation importance computed by several processes. See permutation_importance.h.
 *
 * The choice of rows depends only on their numbers, so every process computes it after all rows have been judged.
 * Every process gets the values of all chosen rows, because permuted values come from any of them. A row is
 * classified by the process that judged it, because only that process has its classifier. Losses are shared and
 * summed in row order, so sums do not depend on the number of processes. */
#include "evaluate/permutation_importance.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation_bytes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char tag_of_judged[] = {'I', 'M', 'P', 'J'};
static const char tag_of_rows[] = {'I', 'M', 'P', 'R'};

/* ---- Choosing rows ---- */

/* Encodes how many rows this process has judged. For the process that judged the first of all rows, also encodes the
 * number of classes and the columns; `first` is its classifier. Other processes pass NULL and encode zeros. */
static crd_status encode_judged(crd_importance *importance, uint64_t judged, const crd_classifier *first,
                                unsigned char **bytes, size_t *length, crd_error *error) {
    crd_i_encoder encoder;
    const size_t columns = first == NULL ? 0 : crd_classifier_attribute_count(first);
    crd_i_evaluation_bytes_begin(&encoder, importance->context, tag_of_judged);
    crd_i_encode_u64(&encoder, judged);
    crd_i_encode_u64(&encoder, first == NULL ? 0 : crd_classifier_class_count(first));
    crd_i_encode_u64(&encoder, columns);
    for (size_t c = 0; c < columns; c++) crd_i_encode_text(&encoder, crd_classifier_attribute(first, c));
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

/* Decodes the columns of the first row and begins with them. Skips them if they are absent or known. */
static crd_status shared_importance_begin(crd_importance *importance, crd_i_cursor *cursor, size_t classes,
                                          crd_error *error) {
    const uint64_t columns = crd_i_decode_u64(cursor);
    if (classes == 0 || importance->names != NULL) {
        while (!cursor->failed && crd_i_cursor_left(cursor) > 0) (void)crd_i_decode_text(cursor);
        return CRD_OK;
    }
    crd_i_dictionary *names = crd_i_dictionary_create(importance->context);
    bool done = names != NULL;
    for (uint64_t c = 0; done && !cursor->failed && c < columns; c++)
        done = crd_i_dictionary_add(names, crd_i_decode_text(cursor)) >= 0;
    if (done) done = crd_i_importance_begin(importance, names, classes);
    else crd_i_dictionary_destroy(names);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Decodes the messages of all processes. Sets *all to the number of judged rows, and *before to the rows of
 * processes of lower rank. */
static crd_status read_judged(crd_importance *importance, const crd_i_gathered *gathered, uint64_t *before,
                              uint64_t *all, crd_error *error) {
    const unsigned count = crd_i_process_count(importance->context);
    crd_status status = CRD_OK;
    *all = 0;
    for (unsigned i = 0; status == CRD_OK && i < count; i++) {
        crd_i_cursor cursor;
        if (i == importance->process) *before = *all;
        status = crd_i_evaluation_bytes_open(gathered->bytes[i], gathered->lengths[i], tag_of_judged, &cursor, error);
        if (status == CRD_OK) {
            *all += crd_i_decode_u64(&cursor);
            const uint64_t classes = crd_i_decode_u64(&cursor);
            status = shared_importance_begin(importance, &cursor, (size_t)classes, error);
        }
        status = crd_i_evaluation_bytes_close(&cursor, status, error);
    }
    return status;
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = ((const crd_i_chosen_row *)a)->number, y = ((const crd_i_chosen_row *)b)->number;
    return x < y ? -1 : x > y;
}

/* Chooses the stored rows among `all` rows, and sorts them by row number. */
static crd_status shared_importance_choose(crd_importance *importance, uint64_t all, crd_i_chosen_row **chosen,
                                           crd_error *error) {
    enum { NUMBERS_AT_ONCE = 1 << 20 };
    const size_t kept = all < importance->most_rows ? (size_t)all : importance->most_rows;
    *chosen = crd_i_alloc(importance->context, kept, sizeof **chosen);
    if (*chosen == NULL || !crd_i_importance_reserve(importance, kept)) return crd_i_fail_memory(error);
    for (uint64_t number = 0; number < all; number++) {
        const size_t place = crd_i_importance_next_place(importance);
        if (number % NUMBERS_AT_ONCE == 0 && crd_i_context_cancelled(importance->context))
            return crd_i_fail_cancelled(error);
        if (place == SIZE_MAX) continue;
        (*chosen)[place] = (crd_i_chosen_row){number, place};
        if (place < importance->row_count) continue;
        importance->rows[importance->row_count++] = (crd_i_kept_row){.process = UINT_MAX, .truth = -1};
    }
    qsort(*chosen, kept, sizeof **chosen, by_number);
    return CRD_OK;
}

/* See permutation_importance.h. The processes exchange how many rows they have judged; each then makes the same
 * choice. */
crd_status crd_i_importance_choose(crd_importance *importance, uint64_t judged, const crd_classifier *first,
                                   uint64_t *before, crd_i_chosen_row **chosen, crd_error *error) {
    crd_context *context = importance->context;
    crd_i_gathered gathered;
    unsigned char *bytes = NULL;
    size_t length = 0;
    uint64_t all = 0;
    *before = 0;
    *chosen = NULL;
    crd_importance_restart(importance);
    importance->is_shared = true;
    importance->process = crd_i_process_rank(context);
    crd_status status = encode_judged(importance, judged, first, &bytes, &length, error);
    status = crd_i_gather(context, status, bytes, length, &gathered, error);
    crd_free(context, bytes);
    if (status == CRD_OK) status = read_judged(importance, &gathered, before, &all, error);
    crd_i_gathered_clear(&gathered);
    return status == CRD_OK ? shared_importance_choose(importance, all, chosen, error) : status;
}

/* ---- Sharing rows ---- */

/* Encodes a row: its place, weight and values. Numbers and texts follow their code. */
static void shared_importance_encode_row(const crd_importance *importance, size_t place, crd_i_encoder *encoder) {
    crd_i_encode_u64(encoder, place);
    crd_i_encode_double(encoder, importance->rows[place].weight);
    for (size_t c = 0; c < importance->columns; c++) {
        const crd_i_kept_cell *cell = &importance->cells[place * importance->columns + c];
        crd_i_encode_u32(encoder, (uint32_t)(cell->code < 0 ? cell->code : 0));
        if (cell->code == CRD_I_CELL_IS_NUMBER) crd_i_encode_double(encoder, cell->number);
        if (cell->code >= 0)
            crd_i_encode_text(encoder, crd_i_dictionary_text(importance->values[c], (size_t)cell->code));
    }
}

/* Decodes a row that process `process` has judged. Returns CRD_ERROR_DAMAGED if its place is invalid. */
static crd_status decode_row(crd_importance *importance, unsigned process, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t place = crd_i_decode_u64(cursor);
    if (place >= importance->row_count) return crd_i_evaluation_bytes_damaged(error);
    importance->rows[place].process = process;
    importance->rows[place].weight = crd_i_decode_double(cursor);
    for (size_t c = 0; c < importance->columns; c++) {
        crd_i_kept_cell *cell = &importance->cells[place * importance->columns + c];
        *cell = (crd_i_kept_cell){0, (int32_t)crd_i_decode_u32(cursor)};
        if (cell->code == CRD_I_CELL_IS_NUMBER) cell->number = crd_i_decode_double(cursor);
        if (cell->code < 0) continue;
        cell->code = crd_i_dictionary_add(importance->values[c], crd_i_decode_text(cursor));
        if (cell->code < 0) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static crd_status decode_rows(crd_importance *importance, unsigned process, const unsigned char *bytes, size_t length,
                              crd_error *error) {
    crd_i_cursor cursor;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_rows, &cursor, error);
    while (status == CRD_OK && !cursor.failed && crd_i_cursor_left(&cursor) > 0)
        status = decode_row(importance, process, &cursor, error);
    return crd_i_evaluation_bytes_close(&cursor, status, error);
}

/* See permutation_importance.h. Each process sends the rows that it has stored. */
crd_status crd_i_importance_share_rows(crd_importance *importance, crd_status status, crd_error *error) {
    crd_context *context = importance->context;
    const unsigned own = importance->process, count = crd_i_process_count(context);
    crd_i_gathered gathered;
    unsigned char *bytes = NULL;
    size_t length = 0;
    if (status == CRD_OK) {
        crd_i_encoder encoder;
        crd_i_evaluation_bytes_begin(&encoder, context, tag_of_rows);
        for (size_t i = 0; i < importance->row_count; i++)
            if (importance->rows[i].process == own) shared_importance_encode_row(importance, i, &encoder);
        status = crd_i_evaluation_bytes_end(&encoder, &bytes, &length, error);
    }
    status = crd_i_gather(context, status, bytes, length, &gathered, error);
    crd_free(context, bytes);
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        if (i != own) status = decode_rows(importance, i, gathered.bytes[i], gathered.lengths[i], error);
    crd_i_gathered_clear(&gathered);
    for (size_t i = 0; status == CRD_OK && i < importance->row_count; i++)
        if (importance->rows[i].process == UINT_MAX)
            status = crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read");
    return status;
}

/* ---- Sharing numbers ---- */

/* See permutation_importance.h. Each process sends its numbers in row order, so no row numbers are needed. */
crd_status crd_i_importance_share_numbers(const crd_importance *importance, crd_status status, double *numbers,
                                          size_t arrays, crd_error *error) {
    crd_context *context = importance->context;
    const size_t rows = importance->row_count;
    crd_i_buffer bytes = {.context = context};
    crd_i_gathered gathered;
    if (!importance->is_shared) return status;
    for (size_t i = 0; status == CRD_OK && i < rows * arrays; i++)
        if (importance->rows[i % rows].process == importance->process &&
            !crd_i_buffer_append(&bytes, &numbers[i], sizeof *numbers))
            status = crd_i_fail_memory(error);
    status = crd_i_gather(context, status, bytes.bytes, bytes.length, &gathered, error);
    crd_i_buffer_clear(&bytes);
    if (status != CRD_OK) return status;
    for (size_t i = 0; status == CRD_OK && i < rows * arrays; i++) {
        const unsigned process = importance->rows[i % rows].process;
        if (gathered.lengths[process] < sizeof *numbers) {
            status = crd_i_fail(error, CRD_ERROR_SYSTEM, "the processes of the group do not compute the same task");
            break;
        }
        memcpy(&numbers[i], gathered.bytes[process], sizeof *numbers);
        gathered.bytes[process] += sizeof *numbers;
        gathered.lengths[process] -= sizeof *numbers;
    }
    crd_i_gathered_clear(&gathered);
    return status;
}
