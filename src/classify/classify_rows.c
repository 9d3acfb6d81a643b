/* SPDX-License-Identifier: MIT */
/* classify_rows.c - classifies many rows of numbers in memory with a thread pool. Each thread takes the next few blocks
 * of rows, transposes them into columns, and scores a block at once. Each row is classified independently, so the
 * results do not depend on the number of threads or the block size. */
#include "classify/classify_row.h"
#include "classify/row_block.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Number of rows that a thread takes at a time. It is large enough that taking them costs almost nothing. */
enum { ROWS_AT_A_TIME = 4096 };

/* A rejected value, or a row that cannot be scored; row SIZE_MAX: none. */
typedef struct rows_rejection {
    size_t row, attribute;
    crd_status status; /* CRD_OK: the value was rejected; otherwise the status of the scorer */
    crd_error error;
} rows_rejection;

typedef struct asking {
    const crd_classifier *classifier;
    crd_rows_request question;
    atomic_size_t next; /* the first row that no thread has taken */
    atomic_size_t end;  /* an earlier row was rejected, so rows from here on are not needed */
    atomic_bool is_cancelled;
    char *rooms; /* memory of each thread's block */
    size_t room_size;
    rows_rejection *rejection; /* first rejection of each thread */
} asking;

/* Returns whether crd_i_classifier_cell would reject the number: an infinite number, or a number for a categorical
 * attribute. */
static bool is_refused(const crd_i_attribute *attribute, double x) {
    return attribute->kind == CRD_KIND_NUMBER ? isinf(x) : attribute->kind == CRD_KIND_CATEGORY && !isnan(x);
}

/* Records the first rejected value of a column, if it comes before the current rejection in row order. */
static void find_refused(const asking *work, size_t first, size_t rows, size_t attribute, const double *column,
                         rows_rejection *rejection) {
    for (size_t i = 0; i < rows && first + i <= rejection->row; i++)
        if (is_refused(&work->classifier->attributes[attribute], column[i]) &&
            (first + i < rejection->row || attribute < rejection->attribute)) {
            rejection->row = first + i;
            rejection->attribute = attribute;
            rejection->status = CRD_OK;
        }
}

/* Prefetches a part of the next block's rows. Each attribute fetches its share, so memory is read during
 * computation. */
static void fetch_ahead(const asking *work, const crd_i_row_block *row, size_t start, size_t attribute) {
    const crd_rows_request *question = &work->question;
    size_t first = start + row->block.stride, doubles = row->block.stride * question->stride;
    if (question->floats != NULL || question->column_stride != 1) return;
    if (question->rows - start < 2 * row->block.stride) return;
    size_t share = doubles / work->classifier->attribute_count;
    row->block.lanes->fetch(question->values + first * question->stride + attribute * share, share);
}

static double classify_rows_cell(const crd_rows_request *question, size_t row, size_t attribute) {
    size_t index = row * question->stride + attribute * question->column_stride;
    return question->floats != NULL ? (double)question->floats[index] : question->values[index];
}

/* Converts a block of rows to columns. Contiguous rows of doubles are transposed; values in other layouts are copied
 * one by one. Returns whether all values are known to be finite. */
static bool classify_rows_turn(const asking *work, crd_i_row_block *row_block, size_t start, size_t first,
                               size_t width) {
    const crd_rows_request *question = &work->question;
    const crd_i_block *block = &row_block->block;
    if (question->floats == NULL && question->column_stride == 1)
        return block->lanes->transpose(question->values + start * question->stride + first, question->stride,
                                       block->rows, width, row_block->columns, block->stride);
    for (size_t i = 0; i < width; i++)
        for (size_t row = 0; row < block->rows; row++)
            row_block->columns[i * block->stride + row] = classify_rows_cell(question, start + row, first + i);
    return false;
}

/* Adds the columns of a block, CRD_I_ROW_BLOCK_WIDTH at a time, and looks for rejected values. */
static void classify_rows_add_columns(const asking *work, crd_i_row_block *row, size_t start,
                                      rows_rejection *rejection) {
    const crd_i_block *block = &row->block;
    size_t attributes = work->classifier->attribute_count;
    for (size_t first = 0; first < attributes; first += CRD_I_ROW_BLOCK_WIDTH) {
        size_t width = attributes - first < CRD_I_ROW_BLOCK_WIDTH ? attributes - first : CRD_I_ROW_BLOCK_WIDTH;
        bool all_finite = classify_rows_turn(work, row, start, first, width);
        for (size_t i = first; i < first + width; i++) {
            fetch_ahead(work, row, start, i);
            double *column = row->columns + (i - first) * block->stride;
            bool is_number = work->classifier->attributes[i].kind == CRD_KIND_NUMBER;
            bool is_whole = is_number && (all_finite || block->lanes->all_finite(column, block->rows));
            if (!is_whole) find_refused(work, start, block->rows, i, column, rejection);
            if (is_number) crd_i_row_block_add_numbers(row, i, column, !is_whole);
        }
    }
}

/* Classifies one block of rows and writes the results to the caller's arrays. Records the first row that fails. */
static void classify_block(const asking *work, crd_i_row_block *row_block, size_t first, size_t rows,
                           rows_rejection *rejection) {
    const crd_rows_request *question = &work->question;
    size_t classes = work->classifier->class_count;
    crd_i_wanted wanted = {0};
    if (question->log_posteriors != NULL) wanted.log_posteriors = question->log_posteriors + first * classes;
    if (question->probabilities != NULL) wanted.probabilities = question->probabilities + first * classes;
    if (question->answers != NULL) wanted.answers = question->answers + first;
    if (question->decisions != NULL) wanted.decisions = question->decisions + first;
    crd_i_row_block_begin(row_block, rows);
    classify_rows_add_columns(work, row_block, first, rejection);
    size_t failed = 0;
    crd_error error;
    crd_status status = crd_i_row_block_conclude(row_block, &wanted, &failed, &error);
    if (status == CRD_OK || first + failed >= rejection->row) return;
    rejection->row = first + failed;
    rejection->status = status;
    rejection->error = error;
}

static void lower_end(asking *work, size_t row) {
    size_t end = atomic_load(&work->end);
    while (row < end && !atomic_compare_exchange_weak(&work->end, &end, row)) continue;
}

/* Takes rows until all are done or one is rejected. Rows are taken in order, so when a row is rejected, all rows before
 * it are already being classified. */
static void classify_rows_do_share(void *state, unsigned member) {
    asking *work = state;
    rows_rejection *rejection = &work->rejection[member];
    crd_i_row_block row_block;
    crd_i_row_block_init(&row_block, work->classifier, work->rooms + member * work->room_size);
    while (rejection->row == SIZE_MAX && !atomic_load(&work->is_cancelled)) {
        size_t first = atomic_fetch_add(&work->next, ROWS_AT_A_TIME), end = atomic_load(&work->end);
        if (first >= end) break;
        if (end - first > ROWS_AT_A_TIME) end = first + ROWS_AT_A_TIME;
        for (; first < end && rejection->row == SIZE_MAX; first += row_block.block.stride)
            classify_block(work, &row_block, first,
                           end - first < row_block.block.stride ? end - first : row_block.block.stride, rejection);
        if (rejection->row != SIZE_MAX) lower_end(work, rejection->row);
        if (crd_i_context_cancelled(work->classifier->context)) atomic_store(&work->is_cancelled, true);
    }
}

/* Reports the first rejected value of all threads, with the error message of crd_classifier_posterior. */
static crd_status classify_rows_report(const asking *work, unsigned members, crd_error *error) {
    const rows_rejection *first = &work->rejection[0];
    for (unsigned i = 1; i < members; i++)
        if (work->rejection[i].row < first->row) first = &work->rejection[i];
    if (first->row == SIZE_MAX) {
        if (atomic_load(&work->is_cancelled)) return crd_i_fail_cancelled(error);
        return CRD_OK;
    }
    if (first->status != CRD_OK) {
        if (error != NULL) *error = first->error;
        return first->status;
    }
    const crd_rows_request *question = &work->question;
    crd_value value = {.kind = CRD_KIND_NUMBER, .number = classify_rows_cell(question, first->row, first->attribute)};
    crd_i_one_cell cell;
    crd_status status = crd_i_classifier_cell(work->classifier, first->attribute, &value, &cell, error);
    crd_i_error_place(error, "", first->row + 1, first->attribute + 1);
    return status;
}

/* Fills in default strides. Returns CRD_ERROR_ARGUMENT if the request is inconsistent. */
static crd_status classify_rows_check(const crd_classifier *classifier, crd_rows_request *question, crd_error *error) {
    size_t attributes = classifier->attribute_count, rows = question->rows;
    if (question->stride == 0) question->stride = question->column_stride > 1 ? 1 : attributes;
    if (question->column_stride == 0) question->column_stride = 1;
    if (question->column_stride == 1 && question->stride < attributes)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the row stride is %zu, which is less than the %zu attributes",
                          question->stride, attributes);
    if (question->values != NULL && question->floats != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "expected either doubles or floats, got both");
    if (question->values == NULL && question->floats == NULL && rows > 0 && attributes > 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the values of the rows are missing");
    return CRD_OK;
}

/* Allocates a block for each thread and runs the thread pool. */
crd_status crd_classifier_classify_rows(const crd_classifier *classifier, const crd_rows_request *question,
                                        crd_error *error) {
    asking work = {.classifier = classifier, .question = CRD_ROWS_REQUEST_INIT};
    if (!crd_i_copy_in(question, &work.question, sizeof work.question))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the size of the request is not set");
    crd_status status = classify_rows_check(classifier, &work.question, error);
    if (status != CRD_OK || question->rows == 0) return status;

    crd_context *context = classifier->context;
    size_t shares = (question->rows - 1) / ROWS_AT_A_TIME + 1;
    unsigned members = crd_i_thread_pool_size(work.question.threads);
    if (members > shares) members = (unsigned)shares;
    work.room_size = crd_i_row_block_room(classifier);
    work.rooms = crd_i_alloc_zeroed(context, members, work.room_size);
    work.rejection = crd_i_alloc(context, members, sizeof *work.rejection);
    if (work.rooms == NULL || work.rejection == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (unsigned i = 0; i < members; i++) work.rejection[i].row = SIZE_MAX;
        atomic_init(&work.next, 0);
        atomic_init(&work.end, question->rows);
        atomic_init(&work.is_cancelled, false);
        crd_i_thread_pool_run(context, members, classify_rows_do_share, &work);
        status = classify_rows_report(&work, members, error);
    }
    crd_free(context, work.rooms);
    crd_free(context, work.rejection);
    return status;
}
