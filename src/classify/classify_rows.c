/* SPDX-License-Identifier: MIT */
/* classify_rows.c - classifies many rows with several threads: rows of numbers in memory, frames, and the rows of a
 * reader. Each row is classified independently, so the results do not depend on the number of threads or the block
 * size.
 *
 * For numbers in memory, each thread takes the next few blocks of rows, transposes them into columns, and scores a
 * block at once.
 *
 * Contents:
 *   1. Rows of numbers
 *   2. Frames
 *   3. Readers
 *   4. Arrow record batches */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "classify/classify_row.h"
#include "classify/posteriors.h"
#include "table/formats/arrow_column.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Number of rows that a thread takes at a time. It is large enough that taking them costs almost nothing. */
enum { ROWS_AT_A_TIME = 4096 };

/* Returns the number of items of a parallel loop over `rows` rows. */
static size_t row_ranges(size_t rows) {
    return rows / ROWS_AT_A_TIME + (rows % ROWS_AT_A_TIME != 0);
}

static size_t row_range_end(size_t range, size_t rows) {
    size_t first = range * ROWS_AT_A_TIME;
    return rows - first < ROWS_AT_A_TIME ? rows : first + ROWS_AT_A_TIME;
}

/* Copies the caller's struct. Returns CRD_ERROR_ARGUMENT if it is missing or its size is not set. */
static crd_status results_copy(const crd_results *given, crd_results *results, crd_error *error) {
    const crd_results none = CRD_RESULTS_INIT;
    *results = none;
    if (given == NULL || !crd_i_copy_in(given, results, sizeof *results))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the results are missing, or their size is not set");
    return CRD_OK;
}

static crd_status results_check_room(const crd_results *results, size_t rows, crd_error *error) {
    if (results->rows >= rows) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are %zu rows, but the results have room for %zu", rows,
                      results->rows);
}

/* ======== 1. Rows of numbers ======== */

typedef struct rows_job {
    const crd_classifier *classifier;
    crd_rows rows;
    crd_results results;
} rows_job;

/* The first rejected value of a block, in row order; row SIZE_MAX: none. */
typedef struct rejected_value {
    size_t row, attribute;
} rejected_value;

/* Returns whether crd_i_classifier_cell would reject the number: an infinite number, or a number for a categorical
 * attribute. */
static bool value_is_rejected(const crd_i_attribute *attribute, double x) {
    return attribute->type == CRD_TYPE_NUMERIC ? isinf(x) : attribute->type == CRD_TYPE_CATEGORICAL && !isnan(x);
}

/* Records the first rejected value of a column, if it comes before the current one in row order. */
static void find_rejected_value(const rows_job *job, size_t first, size_t rows, size_t attribute, const double *column,
                                rejected_value *rejected) {
    for (size_t i = 0; i < rows && first + i < rejected->row; i++)
        if (value_is_rejected(&job->classifier->attributes[attribute], column[i])) {
            rejected->row = first + i;
            rejected->attribute = attribute;
        }
}

/* Prefetches a part of the next block's rows. Each attribute fetches its share, so memory is read during
 * computation. */
static void fetch_ahead(const rows_job *job, const crd_i_row_block *row_block, size_t start, size_t attribute) {
    const crd_rows *rows = &job->rows;
    size_t first = start + row_block->block.stride, doubles = row_block->block.stride * rows->stride;
    if (rows->floats != NULL || rows->column_stride != 1) return;
    if (rows->rows - start < 2 * row_block->block.stride) return;
    size_t share = doubles / job->classifier->attribute_count;
    row_block->block.lanes->fetch(rows->values + first * rows->stride + attribute * share, share);
}

static double classify_rows_cell(const crd_rows *rows, size_t row, size_t attribute) {
    size_t index = row * rows->stride + attribute * rows->column_stride;
    return rows->floats != NULL ? (double)rows->floats[index] : rows->values[index];
}

/* Converts a block of rows to columns. Contiguous rows of doubles are transposed; values in other layouts are copied
 * one by one. Returns whether all values are known to be finite. */
static bool classify_rows_transpose(const rows_job *job, crd_i_row_block *row_block, size_t start, size_t first,
                                    size_t width) {
    const crd_rows *rows = &job->rows;
    const crd_i_block *block = &row_block->block;
    if (rows->floats == NULL && rows->column_stride == 1)
        return block->lanes->transpose(rows->values + start * rows->stride + first, rows->stride, block->rows, width,
                                       row_block->columns, block->stride);
    for (size_t i = 0; i < width; i++)
        for (size_t row = 0; row < block->rows; row++)
            row_block->columns[i * block->stride + row] = classify_rows_cell(rows, start + row, first + i);
    return false;
}

/* Adds the columns of a block, CRD_I_ROW_BLOCK_WIDTH at a time, and looks for rejected values. */
static void classify_rows_add_columns(const rows_job *job, crd_i_row_block *row_block, size_t start,
                                      rejected_value *rejected) {
    const crd_i_block *block = &row_block->block;
    size_t attributes = job->classifier->attribute_count;
    for (size_t first = 0; first < attributes; first += CRD_I_ROW_BLOCK_WIDTH) {
        size_t width = attributes - first < CRD_I_ROW_BLOCK_WIDTH ? attributes - first : CRD_I_ROW_BLOCK_WIDTH;
        bool all_finite = classify_rows_transpose(job, row_block, start, first, width);
        for (size_t i = first; i < first + width; i++) {
            fetch_ahead(job, row_block, start, i);
            double *column = row_block->columns + (i - first) * block->stride;
            bool is_number = job->classifier->attributes[i].type == CRD_TYPE_NUMERIC;
            bool is_finite = is_number && (all_finite || block->lanes->all_finite(column, block->rows));
            if (!is_finite) find_rejected_value(job, start, block->rows, i, column, rejected);
            if (is_number) crd_i_row_block_add_numbers(row_block, i, column, !is_finite);
        }
    }
}

/* Reports a rejected value with the error message of crd_classifier_posterior. */
static crd_status reject_value(const rows_job *job, const rejected_value *rejected, crd_error *error) {
    crd_value value = {.type = CRD_TYPE_NUMERIC,
                       .number = classify_rows_cell(&job->rows, rejected->row, rejected->attribute)};
    crd_i_one_cell cell;
    crd_status status = crd_i_classifier_cell(job->classifier, rejected->attribute, &value, &cell, error);
    crd_i_error_place(error, "", rejected->row + 1, rejected->attribute + 1);
    return status;
}

/* Classifies one block of rows and writes the results to the caller's arrays. Reports the first row that fails. */
static crd_status classify_block(const rows_job *job, crd_i_row_block *row_block, size_t first, size_t rows,
                                 crd_error *error) {
    const crd_results results = crd_i_results_from(&job->results, first, job->classifier->class_count);
    rejected_value rejected = {.row = SIZE_MAX};
    crd_i_row_block_begin(row_block, rows);
    classify_rows_add_columns(job, row_block, first, &rejected);
    size_t failed = rows;
    crd_status status = crd_i_row_block_conclude(row_block, &results, &failed, error);
    if (rejected.row == SIZE_MAX || (status != CRD_OK && first + failed < rejected.row)) return status;
    return reject_value(job, &rejected, error);
}

static crd_status classify_row_range(void *state, void *workspace, size_t range, crd_error *error) {
    rows_job *job = state;
    crd_i_row_block row_block;
    crd_i_row_block_init(&row_block, job->classifier, workspace);
    size_t end = row_range_end(range, job->rows.rows), most = row_block.block.stride;
    crd_status status = CRD_OK;
    for (size_t first = range * ROWS_AT_A_TIME; status == CRD_OK && first < end; first += most)
        status = classify_block(job, &row_block, first, end - first < most ? end - first : most, error);
    return status;
}

/* Fills in default strides. Returns CRD_ERROR_ARGUMENT if the rows are inconsistent. */
static crd_status classify_rows_check(const crd_classifier *classifier, crd_rows *rows, crd_error *error) {
    size_t attributes = classifier->attribute_count;
    if (rows->columns != attributes)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows have %zu columns, but the model has %zu attributes",
                          rows->columns, attributes);
    if (rows->stride == 0) rows->stride = rows->column_stride > 1 ? 1 : attributes;
    if (rows->column_stride == 0) rows->column_stride = 1;
    if (rows->column_stride == 1 && rows->stride < attributes)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the row stride is %zu, which is less than the %zu attributes",
                          rows->stride, attributes);
    if (rows->values != NULL && rows->floats != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "expected either doubles or floats, got both");
    if (rows->values == NULL && rows->floats == NULL && rows->rows > 0 && attributes > 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the values of the rows are missing");
    return CRD_OK;
}

crd_status crd_classifier_classify_rows(const crd_classifier *classifier, const crd_rows *rows,
                                        const crd_results *results, crd_error *error) {
    rows_job job = {.classifier = classifier, .rows = CRD_ROWS_INIT};
    if (!crd_i_copy_in(rows, &job.rows, sizeof job.rows))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows are not initialized");
    crd_status status = results_copy(results, &job.results, error);
    if (status == CRD_OK) status = classify_rows_check(classifier, &job.rows, error);
    if (status == CRD_OK) status = results_check_room(&job.results, job.rows.rows, error);
    if (status != CRD_OK || job.rows.rows == 0) return status;

    crd_i_parallel_loop loop = {.state = &job,
                                .items = row_ranges(job.rows.rows),
                                .threads = job.results.threads,
                                .work = classify_row_range,
                                .workspace_size = crd_i_row_block_room(classifier)};
    return crd_i_parallel_for(classifier->context, &loop, error);
}

/* ======== 2. Frames ======== */

typedef struct frame_job {
    const crd_classifier *classifier;
    const crd_frame *frame;
    crd_results results;
} frame_job;

/* The workspace is a pointer to the thread's posteriors, NULL until it takes its first range. */
static crd_status classify_frame_range(void *state, void *workspace, size_t range, crd_error *error) {
    frame_job *job = state;
    crd_posteriors **posteriors = workspace;
    crd_status status = CRD_OK;
    if (*posteriors == NULL) {
        status = crd_posteriors_create(job->classifier->context, posteriors, error);
        if (status == CRD_OK) status = crd_i_posteriors_bind(*posteriors, job->classifier, job->frame, error);
    }
    if (status != CRD_OK) return status;
    return crd_i_posteriors_answer(*posteriors, job->classifier, job->frame, range * ROWS_AT_A_TIME,
                                   row_range_end(range, job->frame->rows), &job->results, error);
}

static void clear_posteriors(void *state, void *workspace) {
    (void)state;
    crd_posteriors_destroy(*(crd_posteriors **)workspace);
}

crd_status crd_classifier_classify_frame(const crd_classifier *classifier, const crd_frame *frame,
                                         const crd_results *results, crd_error *error) {
    frame_job job = {.classifier = classifier, .frame = frame};
    crd_status status = results_copy(results, &job.results, error);
    if (status == CRD_OK) status = results_check_room(&job.results, frame->rows, error);
    if (status != CRD_OK) return status;
    /* The columns of a frame without rows are checked too. */
    crd_i_parallel_loop loop = {.state = &job,
                                .items = frame->rows == 0 ? 1 : row_ranges(frame->rows),
                                .threads = job.results.threads,
                                .work = classify_frame_range,
                                .workspace_size = sizeof(crd_posteriors *),
                                .clear = clear_posteriors};
    return crd_i_parallel_for(classifier->context, &loop, error);
}

/* ======== 3. Readers ========
 *
 * Several threads classify the frames of a reader, and one thread consumes the results in row order. */

typedef struct reader_job {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    /* Consumes the results of the next rows. */
    crd_status (*take)(struct reader_job *job, const crd_posteriors *posteriors, crd_error *error);
    size_t rows;                   /* number of rows consumed so far */
    crd_results results;           /* destination of crd_classifier_classify_reader */
    struct arrow_columns *columns; /* destination of crd_classifier_classify_to_arrow */
} reader_job;

static crd_status reader_job_work(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                                  crd_error *error) {
    (void)worker;
    reader_job *job = user;
    return crd_classifier_classify(job->classifier, frame, job->slots[slot], error);
}

static crd_status reader_job_take(void *user, unsigned slot, crd_error *error) {
    reader_job *job = user;
    crd_status status = job->take(job, job->slots[slot], error);
    if (status == CRD_OK) job->rows += crd_posteriors_rows(job->slots[slot]);
    return status;
}

static crd_status reader_job_begin(void *user, crd_error *error) {
    (void)error;
    ((reader_job *)user)->rows = 0;
    return CRD_OK;
}

static crd_status reader_job_run(reader_job *job, crd_reader *reader, unsigned threads, crd_error *error) {
    crd_context *context = job->classifier->context;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.threads = threads;
    map.user = job;
    map.work = reader_job_work;
    map.take = reader_job_take;
    map.begin = reader_job_begin;
    unsigned count = crd_parallel_map_slots(&map, reader);
    job->slots = crd_i_alloc_zeroed(context, count, sizeof *job->slots);
    if (job->slots == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &job->slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, error);
    for (unsigned i = 0; i < count; i++) crd_posteriors_destroy(job->slots[i]);
    crd_free(context, job->slots);
    return status;
}

static void copy_doubles(double *destination, const double *source, size_t count) {
    if (destination != NULL && source != NULL) memcpy(destination, source, count * sizeof *destination);
}

/* Copies the results of the next rows to the caller's arrays. */
static crd_status copy_results(reader_job *job, const crd_posteriors *posteriors, crd_error *error) {
    size_t rows = posteriors->rows, classes = job->classifier->class_count;
    if (rows > job->results.rows - job->rows)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "there are more rows than the results have room for: %zu",
                          job->results.rows);
    if (rows == 0) return CRD_OK;
    const crd_results results = crd_i_results_from(&job->results, job->rows, classes);
    copy_doubles(results.log_posteriors, crd_posteriors_log(posteriors, 0), rows * classes);
    copy_doubles(results.probabilities, crd_posteriors_probabilities(posteriors, 0), rows * classes);
    copy_doubles(results.uncalibrated_logs, crd_i_posteriors_uncalibrated_log(posteriors, 0), rows * classes);
    copy_doubles(results.uncalibrated, crd_i_posteriors_uncalibrated(posteriors, 0), rows * classes);
    if (results.answers != NULL) memcpy(results.answers, posteriors->answers, rows * sizeof *results.answers);
    for (size_t row = 0; results.decisions != NULL && row < rows; row++)
        results.decisions[row] = posteriors->answers[row].decision;
    return CRD_OK;
}

crd_status crd_classifier_classify_reader(const crd_classifier *classifier, crd_reader *reader,
                                          const crd_results *results, size_t *rows, crd_error *error) {
    reader_job job = {.classifier = classifier, .take = copy_results};
    *rows = 0;
    crd_status status = results_copy(results, &job.results, error);
    if (status == CRD_OK) status = reader_job_run(&job, reader, job.results.threads, error);
    if (status == CRD_OK) *rows = job.rows;
    return status;
}

/* ======== 4. Arrow record batches ========
 *
 * See credence/classifier.h.
 *
 * Several threads classify the rows, and one thread appends the results in row order. All buffers of an exported array
 * belong to one object. It counts the Arrow structs that refer to it, because a consumer may move children out of their
 * parent, and they may outlive it. */

/* Columns: the prediction and its probability, one column per class, the log evidence and the number of unseen
 * values. */
enum { PREDICTION, PROBABILITY, BEFORE_CLASSES, BEHIND_CLASSES = 2 };

/* ---- Collecting ---- */

/* Result buffers, which grow with the number of rows. `doubles` contains one buffer per column of doubles. */
typedef struct arrow_columns {
    crd_context *context;
    size_t classes, rows, capacity;
    int32_t *decisions, *unseen;
    uint8_t *validity; /* validity bitmap of the decisions */
    double **doubles;  /* probability, P(class) of each class, log evidence */
    size_t nulls;
} arrow_columns;

static size_t doubles_of(size_t classes) {
    return classes + 2;
}

static void arrow_columns_free(arrow_columns *columns) {
    for (size_t i = 0; columns->doubles != NULL && i < doubles_of(columns->classes); i++)
        crd_free(columns->context, columns->doubles[i]);
    crd_free(columns->context, columns->doubles);
    crd_free(columns->context, columns->decisions);
    crd_free(columns->context, columns->unseen);
    crd_free(columns->context, columns->validity);
}

/* Reserves space for `rows` rows in all buffers. Capacity at least doubles when it grows. Returns false if memory runs
 * out. */
static bool arrow_columns_reserve(arrow_columns *columns, size_t rows) {
    if (rows <= columns->capacity) return true;
    size_t capacity = rows < 2 * columns->capacity ? 2 * columns->capacity : rows, space = columns->capacity;
    bool done = crd_i_reserve(columns->context, &columns->decisions, &space, capacity, sizeof *columns->decisions);
    space = columns->capacity;
    done = done && crd_i_reserve(columns->context, &columns->unseen, &space, capacity, sizeof *columns->unseen);
    space = columns->validity == NULL ? 0 : columns->capacity / 8 + 1;
    done = done && crd_i_reserve(columns->context, &columns->validity, &space, capacity / 8 + 1, 1);
    for (size_t i = 0; done && i < doubles_of(columns->classes); i++) {
        space = columns->capacity;
        done = crd_i_reserve(columns->context, &columns->doubles[i], &space, capacity, sizeof *columns->doubles[i]);
    }
    if (done) columns->capacity = capacity;
    return done;
}

/* Stores the result of one row. If all classes have probability 0, the decision is null. */
static void arrow_columns_set(arrow_columns *columns, size_t index, const crd_posteriors *posteriors, size_t row) {
    const crd_answer *answer = crd_posteriors_answer(posteriors, row);
    const double *probabilities = crd_posteriors_probabilities(posteriors, row);
    bool is_decided = answer->decision >= 0;
    columns->decisions[index] = is_decided ? answer->decision : 0;
    columns->unseen[index] = (int32_t)answer->unseen;
    if (index % 8 == 0) columns->validity[index / 8] = 0;
    columns->validity[index / 8] = (uint8_t)(columns->validity[index / 8] | is_decided << index % 8);
    columns->nulls += !is_decided;
    columns->doubles[0][index] = is_decided ? probabilities[answer->decision] : 0;
    for (size_t k = 0; k < columns->classes; k++) columns->doubles[1 + k][index] = probabilities[k];
    columns->doubles[1 + columns->classes][index] = answer->log_evidence;
}

static crd_status append_to_arrow(reader_job *job, const crd_posteriors *posteriors, crd_error *error) {
    arrow_columns *columns = job->columns;
    if (job->rows == 0) columns->nulls = 0;
    if (!arrow_columns_reserve(columns, job->rows + posteriors->rows)) return crd_i_fail_memory(error);
    for (size_t row = 0; row < posteriors->rows; row++) arrow_columns_set(columns, job->rows + row, posteriors, row);
    return CRD_OK;
}

/* Classifies all rows of the reader with several threads and collects the results in `columns`. */
static crd_status arrow_columns_collect(arrow_columns *columns, const crd_classifier *classifier, crd_reader *reader,
                                        unsigned threads, crd_error *error) {
    reader_job job = {.classifier = classifier, .take = append_to_arrow, .columns = columns};
    columns->context = classifier->context;
    columns->classes = classifier->class_count;
    columns->doubles = crd_i_alloc_zeroed(columns->context, doubles_of(columns->classes), sizeof *columns->doubles);
    if (columns->doubles == NULL || !arrow_columns_reserve(columns, 1)) return crd_i_fail_memory(error);
    crd_status status = reader_job_run(&job, reader, threads, error);
    columns->rows = job.rows;
    return status;
}

/* ---- Exporting ---- */

typedef struct exported_array {
    crd_i_arena *arena;
    atomic_size_t users;
    arrow_columns data;
    struct ArrowArray *children, **pointers, dictionary;
    const void **buffers; /* three buffers for each child, the dictionary and the struct */
    int32_t *offsets;     /* offsets of the class names */
    char *names;
} exported_array;

/* Releases the struct, a child or the dictionary. First releases its own children and dictionary, unless they were
 * moved away. The last release frees the buffers. */
static void release_array(struct ArrowArray *array) {
    exported_array *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    if (array->dictionary != NULL && array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
    array->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) > 1) return;
    arrow_columns_free(&own->data);
    crd_i_arena_destroy(own->arena);
}

/* Fills in an ArrowArray with up to three buffers (validity, values, bytes) and adds a reference to the owner. */
static void set_array(exported_array *own, struct ArrowArray *target_ArrowArray, const void **buffers, int64_t count,
                      size_t rows, const void *values, const void *bytes) {
    memset(target_ArrowArray, 0, sizeof *target_ArrowArray);
    buffers[0] = NULL;
    buffers[1] = values;
    buffers[2] = bytes;
    target_ArrowArray->length = (int64_t)rows;
    target_ArrowArray->n_buffers = count;
    target_ArrowArray->buffers = buffers;
    target_ArrowArray->private_data = own;
    target_ArrowArray->release = release_array;
    atomic_fetch_add(&own->users, 1);
}

/* Copies the class names into the buffers of the dictionary. Returns false if memory runs out, or if the names need
 * more than INT32_MAX bytes. */
static bool classify_arrow_copy_names(exported_array *array, const crd_classifier *classifier) {
    size_t classes = classifier->class_count, length = 0;
    for (size_t k = 0; k < classes; k++) length += crd_classifier_class(classifier, k).length;
    if (length > INT32_MAX) return false;
    array->offsets = crd_i_arena_alloc(array->arena, classes + 1, sizeof *array->offsets);
    array->names = crd_i_arena_alloc(array->arena, length + 1, 1);
    if (crd_i_arena_failed(array->arena)) return false;
    array->offsets[0] = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        if (name.length > 0) memcpy(array->names + array->offsets[k], name.bytes, name.length);
        array->offsets[k + 1] = array->offsets[k] + (int32_t)name.length;
    }
    return true;
}

/* Exports the results as an ArrowArray and takes ownership of their buffers. Returns false if memory runs out; then
 * ownership does not change. */
static bool export_array(const crd_classifier *classifier, arrow_columns *columns, struct ArrowArray *out) {
    size_t classes = columns->classes, count = BEFORE_CLASSES + classes + BEHIND_CLASSES, rows = columns->rows;
    exported_array *array = crd_i_arena_object(columns->context, sizeof *array);
    if (array == NULL) return false;
    array->children = crd_i_arena_alloc_zeroed(array->arena, count, sizeof *array->children);
    array->pointers = crd_i_arena_alloc(array->arena, count, sizeof *array->pointers);
    array->buffers = crd_i_arena_alloc_zeroed(array->arena, 3 * (count + 2), sizeof *array->buffers);
    if (!classify_arrow_copy_names(array, classifier)) {
        crd_i_arena_destroy(array->arena);
        return false;
    }
    array->data = *columns;
    memset(columns, 0, sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const void *values = i == PREDICTION  ? (const void *)array->data.decisions
                             : i + 1 == count ? (const void *)array->data.unseen
                                              : array->data.doubles[i - 1];
        set_array(array, &array->children[i], array->buffers + 3 * i, 2, rows, values, NULL);
        array->pointers[i] = &array->children[i];
    }
    array->children[PREDICTION].null_count = (int64_t)array->data.nulls;
    array->children[PREDICTION].buffers[0] = array->data.nulls == 0 ? NULL : array->data.validity;
    array->children[PREDICTION].dictionary = &array->dictionary;
    set_array(array, &array->dictionary, array->buffers + 3 * count, 3, classes, array->offsets, array->names);
    set_array(array, out, array->buffers + 3 * (count + 1), 1, rows, NULL, NULL);
    out->n_children = (int64_t)count;
    out->children = array->pointers;
    return true;
}

typedef struct exported_schema {
    crd_i_arena *arena;
    atomic_size_t users;
    struct ArrowSchema *children, **pointers, dictionary;
    char *names;
} exported_schema;

static void release_schema(struct ArrowSchema *schema) {
    exported_schema *own = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) crd_i_arena_destroy(own->arena);
}

static void set_schema(exported_schema *own, struct ArrowSchema *target_ArrowSchema, const char *name,
                       const char *format) {
    memset(target_ArrowSchema, 0, sizeof *target_ArrowSchema);
    target_ArrowSchema->name = name;
    target_ArrowSchema->format = format;
    target_ArrowSchema->private_data = own;
    target_ArrowSchema->release = release_schema;
    atomic_fetch_add(&own->users, 1);
}

/* Writes the column names P(NAME) of the classes, each terminated by NUL, one after the other. */
static bool classify_arrow_write_names(exported_schema *schema, const crd_classifier *classifier) {
    size_t length = 0, index = 0;
    for (size_t k = 0; k < classifier->class_count; k++)
        length += crd_classifier_class(classifier, k).length + sizeof "P()";
    schema->names = crd_i_arena_alloc(schema->arena, length, 1);
    if (schema->names == NULL) return false;
    for (size_t k = 0; k < classifier->class_count; k++) {
        crd_text name = crd_classifier_class(classifier, k);
        schema->children[BEFORE_CLASSES + k].name = schema->names + index;
        memcpy(schema->names + index, "P(", 2);
        if (name.length > 0) memcpy(schema->names + index + 2, name.bytes, name.length);
        memcpy(schema->names + index + 2 + name.length, ")", 2);
        index += name.length + sizeof "P()";
    }
    return true;
}

/* Exports the ArrowSchema that matches export_array. Returns false if memory runs out. */
static bool export_schema(const crd_classifier *classifier, struct ArrowSchema *out) {
    size_t count = BEFORE_CLASSES + classifier->class_count + BEHIND_CLASSES;
    exported_schema *schema = crd_i_arena_object(classifier->context, sizeof *schema);
    if (schema == NULL) return false;
    schema->children = crd_i_arena_alloc_zeroed(schema->arena, count, sizeof *schema->children);
    schema->pointers = crd_i_arena_alloc(schema->arena, count, sizeof *schema->pointers);
    if (!classify_arrow_write_names(schema, classifier)) {
        crd_i_arena_destroy(schema->arena);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        set_schema(schema, &schema->children[i], schema->children[i].name,
                   i == PREDICTION || i + 1 == count ? "i" : "g");
        schema->pointers[i] = &schema->children[i];
    }
    set_schema(schema, &schema->dictionary, NULL, "u");
    schema->children[PREDICTION].name = "prediction";
    schema->children[PREDICTION].flags = ARROW_FLAG_NULLABLE;
    schema->children[PREDICTION].dictionary = &schema->dictionary;
    schema->children[PROBABILITY].name = "probability";
    schema->children[count - 2].name = "log_evidence";
    schema->children[count - 1].name = "unseen";
    set_schema(schema, out, "", "+s");
    out->n_children = (int64_t)count;
    out->children = schema->pointers;
    return true;
}

crd_status crd_classifier_classify_to_arrow(const crd_classifier *classifier, crd_reader *reader, unsigned threads,
                                            struct ArrowSchema *schema, struct ArrowArray *array, crd_error *error) {
    if (schema == NULL || array == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "schema and array must not be NULL");
    schema->release = NULL;
    array->release = NULL;
    arrow_columns columns = {.rows = 0};
    crd_status status = arrow_columns_collect(&columns, classifier, reader, threads, error);
    if (status == CRD_OK && !export_schema(classifier, schema)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && !export_array(classifier, &columns, array)) {
        schema->release(schema);
        status = crd_i_fail_memory(error);
    }
    arrow_columns_free(&columns);
    return status;
}
