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
 *   2. Frames and readers
 *   3. Arrow record batches */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "classify/classify_row.h"
#include "classify/posteriors.h"
#include "table/formats/arrow_column.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ======== 1. Rows of numbers ======== */

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
    return attribute->type == CRD_TYPE_NUMERIC ? isinf(x) : attribute->type == CRD_TYPE_CATEGORICAL && !isnan(x);
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
            bool is_number = work->classifier->attributes[i].type == CRD_TYPE_NUMERIC;
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
    crd_value value = {.type = CRD_TYPE_NUMERIC, .number = classify_rows_cell(question, first->row, first->attribute)};
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

/* ======== 2. Frames and readers ========
 *
 * Several threads write the results to the caller's arrays. */

/* Copies the caller's request. Returns CRD_ERROR_ARGUMENT if it is missing or its size is not set. */
static crd_status take_request(const crd_results *given, crd_results *into, crd_error *error) {
    const crd_results none = CRD_RESULTS_INIT;
    *into = none;
    if (given == NULL || !crd_i_copy_in(given, into, sizeof *into))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the results are missing, or their size is not set");
    return CRD_OK;
}

/* ---- Frames ---- */

typedef struct frame_member {
    crd_posteriors *posteriors;
    crd_status status;
    size_t row; /* the row that failed; SIZE_MAX: none, or no row in particular */
    crd_error error;
} frame_member;

typedef struct work {
    const crd_classifier *classifier;
    const crd_frame *frame;
    crd_i_answers_into into;
    atomic_size_t next; /* the first row that no thread has taken */
    atomic_bool is_over;
    frame_member *members;
} work;

/* Classifies ranges of rows until all are taken. Ranges are taken in order, so when a row fails, all rows before it are
 * already being classified. */
static void answer_ranges(void *state, unsigned number) {
    work *shared = state;
    frame_member *member = &shared->members[number];
    const crd_frame *frame = shared->frame;
    crd_context *context = shared->classifier->context;
    member->row = SIZE_MAX;
    member->status = crd_posteriors_create(context, &member->posteriors, &member->error);
    if (member->status == CRD_OK)
        member->status = crd_i_posteriors_bind(member->posteriors, shared->classifier, frame, &member->error);
    while (member->status == CRD_OK && !atomic_load(&shared->is_over)) {
        size_t first = atomic_fetch_add(&shared->next, ROWS_AT_A_TIME), failed;
        if (first >= frame->rows) break;
        if (crd_i_context_cancelled(context)) {
            member->status = crd_i_fail_cancelled(&member->error);
            break;
        }
        size_t end = frame->rows - first < ROWS_AT_A_TIME ? frame->rows : first + ROWS_AT_A_TIME;
        member->status = crd_i_posteriors_answer(member->posteriors, shared->classifier, frame, first, end,
                                                 &shared->into, &failed, &member->error);
        if (member->status != CRD_OK) member->row = failed;
    }
    if (member->status != CRD_OK) atomic_store(&shared->is_over, true);
    crd_posteriors_destroy(member->posteriors);
}

/* Returns the error of the first row that failed, or CRD_OK. */
static crd_status classify_frame_report(const work *shared, unsigned size, crd_error *error) {
    const frame_member *member = NULL;
    for (unsigned i = 0; i < size; i++) {
        const frame_member *other = &shared->members[i];
        if (other->status != CRD_OK && (member == NULL || other->row < member->row)) member = other;
    }
    if (member == NULL) return CRD_OK;
    if (error != NULL) *error = member->error;
    return member->status;
}

crd_status crd_classifier_classify_frame(const crd_classifier *classifier, const crd_frame *frame,
                                         const crd_results *given, crd_error *error) {
    crd_results results;
    crd_status status = take_request(given, &results, error);
    if (status != CRD_OK) return status;
    if (results.rows < frame->rows)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the frame has %zu rows, but the results have room for %zu",
                          frame->rows, results.rows);
    work shared = {.classifier = classifier,
                   .frame = frame,
                   .into = {.log_posteriors = results.log_posteriors,
                            .probabilities = results.probabilities,
                            .answers = results.answers,
                            .decisions = results.decisions}};
    size_t shares = frame->rows == 0 ? 1 : (frame->rows - 1) / ROWS_AT_A_TIME + 1;
    unsigned size = crd_i_thread_pool_size(results.threads);
    if (size > shares) size = (unsigned)shares;
    shared.members = crd_i_alloc_zeroed(classifier->context, size, sizeof *shared.members);
    if (shared.members == NULL) return crd_i_fail_memory(error);
    atomic_init(&shared.next, 0);
    atomic_init(&shared.is_over, false);
    crd_i_thread_pool_run(classifier->context, size, answer_ranges, &shared);
    status = classify_frame_report(&shared, size, error);
    crd_free(classifier->context, shared.members);
    return status;
}

/* ---- Readers ---- */

typedef struct frame_passage {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    crd_results into;
    size_t rows; /* rows written so far */
} frame_passage;

static crd_status classify_frame_answer_part(void *user, unsigned slot, const crd_worker *worker,
                                             const crd_frame *frame, crd_error *error) {
    (void)worker;
    frame_passage *p = user;
    return crd_classifier_classify(p->classifier, frame, p->slots[slot], error);
}

/* Copies the results of one part of the rows to the caller's arrays. The parts arrive in row order. */
static crd_status classify_frame_take_part(void *user, unsigned slot, crd_error *error) {
    frame_passage *p = user;
    const crd_posteriors *source_posteriors = p->slots[slot];
    size_t rows = crd_posteriors_rows(source_posteriors), classes = p->classifier->class_count, index = p->rows;
    if (rows > p->into.rows - index)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "there are more rows than the results have room for: %zu",
                          p->into.rows);
    if (rows == 0) return CRD_OK;
    if (p->into.log_posteriors != NULL)
        memcpy(p->into.log_posteriors + index * classes, crd_posteriors_log(source_posteriors, 0),
               rows * classes * sizeof *p->into.log_posteriors);
    if (p->into.probabilities != NULL)
        memcpy(p->into.probabilities + index * classes, crd_posteriors_probabilities(source_posteriors, 0),
               rows * classes * sizeof *p->into.probabilities);
    for (size_t row = 0; row < rows; row++) {
        const crd_answer *answer = crd_posteriors_answer(source_posteriors, row);
        if (p->into.answers != NULL) p->into.answers[index + row] = *answer;
        if (p->into.decisions != NULL) p->into.decisions[index + row] = answer->decision;
    }
    p->rows += rows;
    return CRD_OK;
}

static void classify_frame_restart(void *user) {
    ((frame_passage *)user)->rows = 0;
}

crd_status crd_classifier_classify_reader(const crd_classifier *classifier, crd_reader *reader,
                                          const crd_results *given, size_t *rows, crd_error *error) {
    crd_context *context = classifier->context;
    frame_passage p = {.classifier = classifier};
    *rows = 0;
    crd_status status = take_request(given, &p.into, error);
    if (status != CRD_OK) return status;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.threads = p.into.threads;
    map.user = &p;
    map.work = classify_frame_answer_part;
    map.take = classify_frame_take_part;
    map.restart = classify_frame_restart;
    unsigned count = crd_parallel_map_slots(&map, reader);
    p.slots = crd_i_alloc_zeroed(context, count, sizeof *p.slots);
    if (p.slots == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &p.slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, error);
    if (status == CRD_OK) *rows = p.rows;
    for (unsigned i = 0; i < count; i++) crd_posteriors_destroy(p.slots[i]);
    crd_free(context, p.slots);
    return status;
}

/* ======== 3. Arrow record batches ========
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
typedef struct answers {
    crd_context *context;
    size_t classes, rows, capacity;
    int32_t *decisions, *unseen;
    uint8_t *validity; /* validity bitmap of the decisions */
    double **doubles;  /* probability, P(class) of each class, log evidence */
    size_t nulls;
} answers;

static size_t doubles_of(size_t classes) {
    return classes + 2;
}

static void free_answers(answers *source_answers) {
    for (size_t i = 0; source_answers->doubles != NULL && i < doubles_of(source_answers->classes); i++)
        crd_free(source_answers->context, source_answers->doubles[i]);
    crd_free(source_answers->context, source_answers->doubles);
    crd_free(source_answers->context, source_answers->decisions);
    crd_free(source_answers->context, source_answers->unseen);
    crd_free(source_answers->context, source_answers->validity);
}

/* Reserves space for `rows` rows in all buffers. Capacity at least doubles when it grows. Returns false if memory runs
 * out. */
static bool classify_arrow_reserve(answers *source_answers, size_t rows) {
    if (rows <= source_answers->capacity) return true;
    size_t capacity = rows < 2 * source_answers->capacity ? 2 * source_answers->capacity : rows,
           space = source_answers->capacity;
    bool done = crd_i_reserve(source_answers->context, &source_answers->decisions, &space, capacity,
                              sizeof *source_answers->decisions);
    space = source_answers->capacity;
    done = done && crd_i_reserve(source_answers->context, &source_answers->unseen, &space, capacity,
                                 sizeof *source_answers->unseen);
    space = source_answers->validity == NULL ? 0 : source_answers->capacity / 8 + 1;
    done = done && crd_i_reserve(source_answers->context, &source_answers->validity, &space, capacity / 8 + 1, 1);
    for (size_t i = 0; done && i < doubles_of(source_answers->classes); i++) {
        space = source_answers->capacity;
        done = crd_i_reserve(source_answers->context, &source_answers->doubles[i], &space, capacity,
                             sizeof *source_answers->doubles[i]);
    }
    if (done) source_answers->capacity = capacity;
    return done;
}

/* Appends the result of one row. If all classes have probability 0, the decision is null. */
static void classify_arrow_append(answers *target_answers, const crd_posteriors *source_posteriors, size_t row) {
    const crd_answer *answer = crd_posteriors_answer(source_posteriors, row);
    const double *probabilities = crd_posteriors_probabilities(source_posteriors, row);
    size_t index = target_answers->rows++;
    bool is_decided = answer->decision >= 0;
    target_answers->decisions[index] = is_decided ? answer->decision : 0;
    target_answers->unseen[index] = (int32_t)answer->unseen;
    if (index % 8 == 0) target_answers->validity[index / 8] = 0;
    target_answers->validity[index / 8] = (uint8_t)(target_answers->validity[index / 8] | is_decided << index % 8);
    target_answers->nulls += !is_decided;
    target_answers->doubles[0][index] = is_decided ? probabilities[answer->decision] : 0;
    for (size_t k = 0; k < target_answers->classes; k++) target_answers->doubles[1 + k][index] = probabilities[k];
    target_answers->doubles[1 + target_answers->classes][index] = answer->log_evidence;
}

typedef struct arrow_passage {
    const crd_classifier *classifier;
    crd_posteriors **slots;
    answers answers;
} arrow_passage;

static crd_status classify_arrow_answer_part(void *user, unsigned slot, const crd_worker *worker,
                                             const crd_frame *frame, crd_error *error) {
    (void)worker;
    arrow_passage *p = user;
    return crd_classifier_classify(p->classifier, frame, p->slots[slot], error);
}

static crd_status classify_arrow_take_part(void *user, unsigned slot, crd_error *error) {
    arrow_passage *p = user;
    size_t rows = crd_posteriors_rows(p->slots[slot]);
    if (!classify_arrow_reserve(&p->answers, p->answers.rows + rows)) return crd_i_fail_memory(error);
    for (size_t row = 0; row < rows; row++) classify_arrow_append(&p->answers, p->slots[slot], row);
    return CRD_OK;
}

static void classify_arrow_restart(void *user) {
    arrow_passage *p = user;
    p->answers.rows = p->answers.nulls = 0;
}

/* Classifies all rows of the reader with several threads and collects the results in p->answers. */
static crd_status classify_arrow_collect(arrow_passage *p, crd_reader *reader, unsigned threads, crd_error *error) {
    crd_context *context = p->classifier->context;
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.threads = threads;
    map.user = p;
    map.work = classify_arrow_answer_part;
    map.take = classify_arrow_take_part;
    map.restart = classify_arrow_restart;
    unsigned count = crd_parallel_map_slots(&map, reader);
    p->answers.context = context;
    p->answers.classes = p->classifier->class_count;
    p->answers.doubles = crd_i_alloc_zeroed(context, doubles_of(p->answers.classes), sizeof *p->answers.doubles);
    p->slots = crd_i_alloc_zeroed(context, count, sizeof *p->slots);
    crd_status status = p->slots == NULL || p->answers.doubles == NULL || !classify_arrow_reserve(&p->answers, 1)
                            ? crd_i_fail_memory(error)
                            : CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < count; i++)
        status = crd_posteriors_create(context, &p->slots[i], error);
    if (status == CRD_OK) status = crd_reader_parallel_map(reader, &map, error);
    for (unsigned i = 0; p->slots != NULL && i < count; i++) crd_posteriors_destroy(p->slots[i]);
    crd_free(context, p->slots);
    return status;
}

/* ---- Exporting ---- */

typedef struct exported_array {
    crd_context *context;
    atomic_size_t users;
    answers data;
    struct ArrowArray *children, **pointers, dictionary;
    const void **buffers; /* three buffers for each child, the dictionary and the struct */
    int32_t *offsets;     /* offsets of the class names */
    char *names;
} exported_array;

static void free_array(exported_array *array) {
    crd_context *context = array->context;
    free_answers(&array->data);
    crd_free(context, array->children);
    crd_free(context, array->pointers);
    crd_free(context, (void *)array->buffers);
    crd_free(context, array->offsets);
    crd_free(context, array->names);
    crd_free(context, array);
}

/* Releases the struct, a child or the dictionary. First releases its own children and dictionary, unless they were
 * moved away. The last release frees the buffers. */
static void release_array(struct ArrowArray *array) {
    exported_array *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    if (array->dictionary != NULL && array->dictionary->release != NULL) array->dictionary->release(array->dictionary);
    array->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) free_array(own);
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
    array->offsets = crd_i_alloc(array->context, classes + 1, sizeof *array->offsets);
    array->names = crd_i_alloc(array->context, length + 1, 1);
    if (array->offsets == NULL || array->names == NULL) return false;
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
static bool export_array(const crd_classifier *classifier, answers *found_answers, struct ArrowArray *out) {
    size_t classes = found_answers->classes, count = BEFORE_CLASSES + classes + BEHIND_CLASSES,
           rows = found_answers->rows;
    exported_array *array = crd_i_alloc_zeroed(found_answers->context, 1, sizeof *array);
    if (array == NULL) return false;
    array->context = found_answers->context;
    array->children = crd_i_alloc_zeroed(array->context, count, sizeof *array->children);
    array->pointers = crd_i_alloc(array->context, count, sizeof *array->pointers);
    array->buffers = crd_i_alloc_zeroed(array->context, 3 * (count + 2), sizeof *array->buffers);
    if (array->children == NULL || array->pointers == NULL || array->buffers == NULL ||
        !classify_arrow_copy_names(array, classifier)) {
        free_array(array);
        return false;
    }
    array->data = *found_answers;
    memset(found_answers, 0, sizeof *found_answers);
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
    crd_context *context;
    atomic_size_t users;
    struct ArrowSchema *children, **pointers, dictionary;
    char *names;
} exported_schema;

static void free_schema(exported_schema *schema) {
    crd_free(schema->context, schema->children);
    crd_free(schema->context, schema->pointers);
    crd_free(schema->context, schema->names);
    crd_free(schema->context, schema);
}

static void release_schema(struct ArrowSchema *schema) {
    exported_schema *own = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    if (atomic_fetch_sub(&own->users, 1) == 1) free_schema(own);
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
    schema->names = crd_i_alloc(schema->context, length, 1);
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
    exported_schema *schema = crd_i_alloc_zeroed(classifier->context, 1, sizeof *schema);
    if (schema == NULL) return false;
    schema->context = classifier->context;
    schema->children = crd_i_alloc_zeroed(schema->context, count, sizeof *schema->children);
    schema->pointers = crd_i_alloc(schema->context, count, sizeof *schema->pointers);
    if (schema->children == NULL || schema->pointers == NULL || !classify_arrow_write_names(schema, classifier)) {
        free_schema(schema);
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
    arrow_passage p = {.classifier = classifier};
    crd_status status = classify_arrow_collect(&p, reader, threads, error);
    if (status == CRD_OK && !export_schema(classifier, schema)) status = crd_i_fail_memory(error);
    if (status == CRD_OK && !export_array(classifier, &p.answers, array)) {
        schema->release(schema);
        status = crd_i_fail_memory(error);
    }
    if (p.answers.context != NULL) free_answers(&p.answers);
    return status;
}
