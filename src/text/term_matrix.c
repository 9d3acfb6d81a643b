/* SPDX-License-Identifier: MIT */
/* term_matrix.c - converts the sparse rows of a term-count matrix to bags of terms, which become a text column of a
 * frame. */
#include <credence/term_matrix.h>

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "table/frame.h"
#include "text/bag.h"

#include <stdlib.h>
#include <string.h>

/* A term and its column. */
typedef struct column_term {
    crd_text term;
    size_t column;
} column_term;

/* An entry of a row: the rank of its term in byte order, and its count. */
typedef struct matrix_entry {
    size_t rank;
    double count;
} matrix_entry;

typedef struct matrix_encoding {
    crd_context *context;
    crd_term_matrix matrix;
    column_term *sorted;   /* sorted by the bytes of the terms */
    size_t *ranks;         /* for each column: the rank of its term, an index into `sorted` */
    matrix_entry *entries; /* entries of the current row */
    size_t entry_capacity;
    crd_i_buffer bags;
    size_t *ends; /* for each row: the end of its bag */
} matrix_encoding;

static int term_matrix_compare(const void *a, const void *b) {
    return crd_i_text_compare(((const column_term *)a)->term, ((const column_term *)b)->term);
}

static int term_matrix_compare_entries(const void *a, const void *b) {
    size_t first = ((const matrix_entry *)a)->rank, second = ((const matrix_entry *)b)->rank;
    return (first > second) - (first < second);
}

/* Sorts the terms by their bytes and ranks them. Returns CRD_ERROR_ARGUMENT for empty or duplicate terms. */
static crd_status term_matrix_rank(matrix_encoding *encoding, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t count = encoding->matrix.term_count;
    encoding->sorted = crd_i_alloc(encoding->context, count, sizeof *encoding->sorted);
    encoding->ranks = crd_i_alloc(encoding->context, count, sizeof *encoding->ranks);
    if (encoding->sorted == NULL || encoding->ranks == NULL) return crd_i_fail_memory(error);
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        encoding->sorted[i] = (column_term){encoding->matrix.terms[i], i};
        if (encoding->matrix.terms[i].length == 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the term of column %zu is empty", i + 1);
        is_sorted = is_sorted && (i == 0 || term_matrix_compare(&encoding->sorted[i - 1], &encoding->sorted[i]) < 0);
    }
    if (!is_sorted) qsort(encoding->sorted, count, sizeof *encoding->sorted, term_matrix_compare);
    for (size_t i = 0; i < count; i++) {
        encoding->ranks[encoding->sorted[i].column] = i;
        if (!is_sorted && i > 0 && term_matrix_compare(&encoding->sorted[i - 1], &encoding->sorted[i]) == 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "two columns have the same term '%s'",
                              crd_i_quote(encoding->sorted[i].term, shown));
    }
    return CRD_OK;
}

static crd_status term_matrix_fail_at_row(crd_error *error, crd_status status, size_t row, const char *description) {
    crd_i_fail(error, status, "the row %s", description);
    crd_i_error_place(error, NULL, row + 1, 0);
    return status;
}

/* Reads the nonzero entries of a row in the order of their terms. Counts of the same term are added. Returns
 * CRD_ERROR_ARGUMENT or CRD_ERROR_NUMBER for invalid entries. */
static crd_status term_matrix_take_row(matrix_encoding *encoding, size_t row, size_t *count, crd_error *error) {
    const crd_term_matrix *matrix = &encoding->matrix;
    int64_t first = matrix->offsets[row], last = matrix->offsets[row + 1];
    *count = 0;
    if (first < 0 || last < first)
        return term_matrix_fail_at_row(error, CRD_ERROR_ARGUMENT, row, "has offsets that do not ascend from 0");
    if (!crd_i_reserve(encoding->context, &encoding->entries, &encoding->entry_capacity, (size_t)(last - first),
                       sizeof *encoding->entries))
        return crd_i_fail_memory(error);
    bool is_sorted = true;
    for (int64_t i = first; i < last; i++) {
        double times = matrix->counts[i];
        if (matrix->columns[i] < 0 || (size_t)matrix->columns[i] >= matrix->term_count)
            return term_matrix_fail_at_row(error, CRD_ERROR_ARGUMENT, row, "has an entry in a column without a term");
        if (!(times >= 0 && times <= UINT32_MAX) || times != (double)(uint32_t)times)
            return term_matrix_fail_at_row(error, CRD_ERROR_NUMBER, row,
                                           "has a count that is not a whole number from 0 to 4294967295");
        if (times == 0) continue;
        size_t rank = encoding->ranks[matrix->columns[i]];
        is_sorted = is_sorted && (*count == 0 || encoding->entries[*count - 1].rank < rank);
        encoding->entries[(*count)++] = (matrix_entry){rank, times};
    }
    if (is_sorted) return CRD_OK;
    qsort(encoding->entries, *count, sizeof *encoding->entries, term_matrix_compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && encoding->entries[kept - 1].rank == encoding->entries[i].rank)
            encoding->entries[kept - 1].count += encoding->entries[i].count;
        else encoding->entries[kept++] = encoding->entries[i];
    }
    *count = kept;
    return CRD_OK;
}

static crd_status term_matrix_encode_row(matrix_encoding *encoding, size_t row, crd_error *error) {
    size_t count;
    crd_status status = term_matrix_take_row(encoding, row, &count, error);
    if (status != CRD_OK) return status;
    bool done = crd_i_bag_put_count(&encoding->bags, count);
    for (size_t i = 0; done && i < count; i++) {
        if (encoding->entries[i].count > UINT32_MAX)
            return term_matrix_fail_at_row(error, CRD_ERROR_NUMBER, row, "has a term more than 4294967295 times");
        done = crd_i_bag_put_term(&encoding->bags, encoding->sorted[encoding->entries[i].rank].term,
                                  (uint32_t)encoding->entries[i].count);
    }
    encoding->ends[row] = encoding->bags.length;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status term_matrix_encode(matrix_encoding *encoding, size_t rows, crd_error *error) {
    crd_status status = term_matrix_rank(encoding, error);
    if (status != CRD_OK) return status;
    encoding->ends = crd_i_alloc(encoding->context, rows, sizeof *encoding->ends);
    if (encoding->ends == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        status = term_matrix_encode_row(encoding, row, error);
        if (status == CRD_OK && row % 1024 == 0 && crd_i_context_cancelled(encoding->context))
            status = crd_i_fail_cancelled(error);
    }
    return status;
}

/* Encodes each row as a bag, and adds the bags to the frame as a text column, which owns them. */
crd_status crd_frame_add_term_counts(crd_frame *frame, crd_text name, const crd_term_matrix *matrix, crd_error *error) {
    matrix_encoding encoding = {.matrix = CRD_TERM_MATRIX_INIT};
    if (frame == NULL || matrix == NULL || !crd_i_copy_in(matrix, &encoding.matrix, sizeof encoding.matrix) ||
        (encoding.matrix.offsets == NULL && frame->rows > 0) ||
        (encoding.matrix.terms == NULL && encoding.matrix.term_count > 0))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the frame, or the matrix of terms and counts, is missing");
    encoding.context = encoding.bags.context = frame->context;
    crd_text *texts = NULL;
    crd_status status = term_matrix_encode(&encoding, frame->rows, error);
    if (status == CRD_OK) {
        texts = crd_i_alloc(encoding.context, frame->rows, sizeof *texts);
        if (texts == NULL) status = crd_i_fail_memory(error);
    }
    for (size_t row = 0, begin = 0; status == CRD_OK && row < frame->rows; begin = encoding.ends[row++])
        texts[row] = (crd_text){(const char *)encoding.bags.bytes + begin, encoding.ends[row] - begin};
    if (status == CRD_OK) {
        crd_i_column column = {.kind = CRD_KIND_TEXT,
                               .texts = texts,
                               .are_bags = true,
                               .owned = encoding.bags.bytes,
                               .owned_texts = texts};
        status = crd_i_frame_add(frame, name, &column, error);
    }
    if (status != CRD_OK) {
        crd_i_buffer_clear(&encoding.bags);
        crd_free(encoding.context, texts);
    }
    crd_free(encoding.context, encoding.sorted);
    crd_free(encoding.context, encoding.ranks);
    crd_free(encoding.context, encoding.entries);
    crd_free(encoding.context, encoding.ends);
    return status;
}
