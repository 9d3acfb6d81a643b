/* SPDX-License-Identifier: MIT */
/* permutation_importance.c - permutation importance (Breiman 2001). The interface is in credence/evaluate.h.
 *
 * Let l_i be the loss of row i, and p_cr the r-th random permutation for column c. l_i(c, r) is the loss of row i
 * after its value in column c is replaced by the value of row p_cr(i). With w_i the weight of row i, of n rows:
 *
 *   increase of a row   d_i = mean over r of l_i(c, r) - l_i
 *   importance          d = sum w_i d_i / sum w_i
 *   standard error      sqrt(n / (n - 1) sum w_i^2 (d_i - d)^2) / sum w_i
 *
 * The standard error includes the variation between permutations, because it is a part of the variation of the d_i.
 *
 * A permutation is a function of seed, column and repeat (math/random.h), so threads can process the columns in any
 * order. If there are more rows than the limit, a new row replaces a random stored one, so each row is stored with
 * the same probability (algorithm R; Vitter 1985).
 *
 * Contents:
 *   1. Importance of columns
 *   2. Several processes */
#include "evaluate/permutation_importance.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/thread_pool.h"
#include "evaluate/evaluation.h"
#include "processes/group.h"
#include "table/frame.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Importance of columns ======== */

enum { USUAL_ROWS = 20000, LEAST_ROWS = 200, MOST_REPEATS = 1000 };
static const double MOST_WORK = 1e9;

/* Index of the random stream that selects rows. Lower indices belong to columns and repeats. */
static const uint64_t SAMPLING = UINT64_MAX;

crd_status crd_i_importance_create(crd_context *context, const crd_importance_options *options, crd_importance **out,
                                   crd_error *error) {
    crd_importance_options importance_options = CRD_IMPORTANCE_OPTIONS_INIT;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &importance_options, sizeof importance_options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (importance_options.repeats < 1 || importance_options.repeats > MOST_REPEATS)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a column must be permuted 1 to %d times, not %lu",
                          (int)MOST_REPEATS, (unsigned long)importance_options.repeats);
    crd_importance *importance = crd_i_alloc_zeroed(context, 1, sizeof *importance);
    if (importance == NULL) return crd_i_fail_memory(error);
    importance->context = context;
    importance->options = importance_options;
    crd_i_importance_clear(importance);
    *out = importance;
    return CRD_OK;
}

void crd_i_importance_clear(crd_importance *importance) {
    for (size_t c = 0; importance->values != NULL && c < importance->columns; c++)
        crd_i_dictionary_destroy(importance->values[c]);
    crd_free(importance->context, importance->values);
    crd_i_dictionary_destroy(importance->names);
    crd_free(importance->context, importance->results);
    importance->names = NULL;
    importance->values = NULL;
    importance->results = NULL;
    importance->columns = importance->row_count = importance->result_count = 0;
    importance->rows_added = importance->zero_rows = 0;
    importance->has_run = false;
    importance->group = NULL;
    importance->sampling = crd_i_random_at(importance->options.seed, SAMPLING);
}

void crd_i_importance_destroy(crd_importance *importance) {
    if (importance == NULL) return;
    crd_i_importance_clear(importance);
    crd_free(importance->context, importance->rows);
    crd_free(importance->context, importance->cells);
    crd_free(importance->context, importance);
}

/* ---- Rows ---- */

/* Returns how many rows are stored at most. The default limits the work to about MOST_WORK operations. */
static size_t bound_rows(const crd_importance *importance, size_t class_count) {
    if (importance->options.most_rows > 0) return importance->options.most_rows;
    double columns = (double)importance->columns, classes = (double)class_count;
    double rows = MOST_WORK / (columns * columns * classes * importance->options.repeats);
    return rows >= USUAL_ROWS ? USUAL_ROWS : rows <= LEAST_ROWS ? LEAST_ROWS : (size_t)rows;
}

/* Sets the columns, and the limit of stored rows for a classifier with `classes` classes. Takes ownership of
 * `names`, even on failure. Returns false if memory runs out. */
static bool importance_begin(crd_importance *importance, crd_i_dictionary *names, size_t classes) {
    const size_t count = crd_i_dictionary_size(names);
    importance->names = names;
    importance->values = crd_i_alloc_zeroed(importance->context, count, sizeof(crd_i_dictionary *));
    if (importance->values == NULL) return false;
    importance->columns = count;
    for (size_t c = 0; c < count; c++) {
        importance->values[c] = crd_i_dictionary_create(importance->context);
        if (importance->values[c] == NULL) return false;
    }
    importance->most_rows = bound_rows(importance, classes);
    return true;
}

/* Begins with the columns of the first classifier. Returns false if memory runs out. */
static bool importance_name_columns(crd_importance *importance, const crd_classifier *classifier) {
    crd_i_dictionary *names = crd_i_dictionary_create(importance->context);
    bool done = names != NULL;
    for (size_t c = 0; done && c < crd_classifier_attribute_count(classifier); c++)
        done = crd_i_dictionary_add(names, crd_classifier_attribute(classifier, c)) >= 0;
    if (done) return importance_begin(importance, names, crd_classifier_class_count(classifier));
    crd_i_dictionary_destroy(names);
    return false;
}

/* Returns the place where the next row is stored; SIZE_MAX: it is not stored. If the place is the number of stored
 * rows, the row is appended. This is Vitter's algorithm R. */
static size_t importance_next_place(crd_importance *importance) {
    if (importance->rows_added++ < importance->most_rows) return importance->row_count;
    uint64_t place = crd_i_random_below(&importance->sampling, importance->rows_added);
    return place < importance->most_rows ? (size_t)place : SIZE_MAX;
}

/* Stores the values of a row of the frame. A column that the frame lacks is missing. Returns false if memory runs
 * out. */
static bool keep_cells(crd_importance *importance, const crd_frame *frame, size_t row, crd_i_kept_cell *cell) {
    for (size_t c = 0; c < importance->columns; c++) {
        int32_t column = crd_i_dictionary_find(frame->names, crd_i_dictionary_text(importance->names, c));
        crd_i_kept_cell kept = {0, CRD_I_CELL_IS_MISSING};
        crd_value value = {.type = CRD_TYPE_NONE};
        if (column >= 0) value = crd_frame_value(frame, row, (size_t)column);
        if (value.type == CRD_TYPE_NUMERIC) kept = (crd_i_kept_cell){value.number, CRD_I_CELL_IS_NUMBER};
        if (value.type == CRD_TYPE_CATEGORICAL || (value.type == CRD_TYPE_TEXT && value.text.bytes != NULL)) {
            kept.code = crd_i_dictionary_add(importance->values[c], value.text);
            if (kept.code < 0) return false;
        }
        cell[c] = kept;
    }
    return true;
}

/* Returns the index of the class with this name; -1 if the classifier does not have it. */
static int32_t importance_find_class(const crd_classifier *classifier, crd_text name) {
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        if (crd_text_equal(crd_classifier_class(classifier, k), name)) return (int32_t)k;
    return -1;
}

/* Reserves memory for `rows` rows. Returns false if memory runs out. */
static bool importance_reserve(crd_importance *importance, size_t rows) {
    return crd_i_reserve(importance->context, &importance->rows, &importance->rows_capacity, rows,
                         sizeof *importance->rows) &&
           crd_i_reserve(importance->context, &importance->cells, &importance->cells_capacity,
                         rows * importance->columns, sizeof *importance->cells);
}

crd_status crd_i_importance_put(crd_importance *importance, size_t place, const crd_classifier *classifier,
                                const crd_frame *frame, size_t row, crd_text truth, double weight, crd_error *error) {
    if (crd_classifier_attribute_count(classifier) != importance->columns)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the classifiers have different attributes");
    if (!keep_cells(importance, frame, row, importance->cells + place * importance->columns))
        return crd_i_fail_memory(error);
    importance->rows[place] = (crd_i_kept_row){.owner = crd_i_group_rank(importance->group),
                                               .classifier = classifier,
                                               .truth = importance_find_class(classifier, truth),
                                               .weight = weight};
    return CRD_OK;
}

crd_status crd_i_importance_add(crd_importance *importance, const crd_classifier *classifier, const crd_frame *frame,
                                size_t row, crd_text truth, double weight, crd_error *error) {
    if (importance->has_run) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the columns were permuted already");
    if (!(weight > 0 && weight < INFINITY)) return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not above 0");
    if (importance->names == NULL && !importance_name_columns(importance, classifier)) return crd_i_fail_memory(error);
    size_t place = importance_next_place(importance);
    if (place == SIZE_MAX) return CRD_OK;
    if (!importance_reserve(importance, place + 1)) return crd_i_fail_memory(error);
    crd_status status = crd_i_importance_put(importance, place, classifier, frame, row, truth, weight, error);
    if (status == CRD_OK && place == importance->row_count) importance->row_count++;
    return status;
}

/* ---- Losses and importances ---- */

/* Consecutive arrays of one number per row. Each process has computed the numbers of its own rows. */
typedef struct row_numbers {
    const crd_importance *importance;
    double *numbers;
    size_t count; /* in all arrays */
} row_numbers;

static bool row_numbers_has_owner(const row_numbers *shared, size_t number, unsigned rank) {
    const crd_importance *importance = shared->importance;
    return importance->rows[number % importance->row_count].owner == rank;
}

static crd_status row_numbers_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const row_numbers *shared = object;
    const unsigned rank = crd_i_group_rank(shared->importance->group);
    (void)error;
    for (size_t i = 0; i < shared->count; i++)
        if (row_numbers_has_owner(shared, i, rank)) crd_i_encode_double(encoder, shared->numbers[i]);
    return CRD_OK;
}

static crd_status row_numbers_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const row_numbers *shared = object;
    (void)error;
    for (size_t i = 0; !part->failed && i < shared->count; i++)
        if (row_numbers_has_owner(shared, i, rank)) shared->numbers[i] = crd_i_decode_double(part);
    return CRD_OK;
}

/* Completes `arrays` arrays with the numbers of all processes. */
static crd_status importance_share_numbers(const crd_importance *importance, double *numbers, size_t arrays,
                                           crd_error *error) {
    static const crd_i_merging sharing = {row_numbers_encode, row_numbers_add};
    row_numbers shared = {importance, numbers, importance->row_count * arrays};
    return crd_i_group_merge(importance->group, &sharing, &shared, error);
}

typedef struct importance_worker {
    crd_value *values;  /* values of one row */
    double *logs;       /* log posterior of each class */
    uint32_t *permuted; /* permutations: repeats x rows */
} importance_worker;

/* Columns to permute, which the threads take one after the other. */
typedef struct run {
    crd_importance *importance;
    importance_worker *workers;
    unsigned members;
    size_t begin, end; /* the columns */
    /* Two numbers for each row with the column permuted: the mean increase of its loss over the repeats, and the
     * mean decrease of its credit. There is one such array for each thread. In a group of processes, which share the
     * numbers, there is one for each column from `begin` on. */
    double *differences;
} run;

/* Returns a stored value. */
static crd_value importance_value(const crd_importance *importance, size_t row, size_t column) {
    const crd_i_kept_cell *cell = &importance->cells[row * importance->columns + column];
    crd_value value = {.type = CRD_TYPE_NONE};
    if (cell->code == CRD_I_CELL_IS_NUMBER) {
        value.type = CRD_TYPE_NUMERIC;
        value.number = cell->number;
    } else if (cell->code >= 0) {
        value.type = CRD_TYPE_CATEGORICAL;
        value.text = crd_i_dictionary_text(importance->values[column], (size_t)cell->code);
    }
    return value;
}

/* Classifies worker->values with the row's classifier and computes loss and credit with the row's true class. */
static crd_status importance_answer(const crd_i_kept_row *row, importance_worker *worker, double *loss, double *credit,
                                    crd_error *error) {
    crd_answer answered;
    crd_status status = crd_classifier_posterior(row->classifier, worker->values, worker->logs, NULL, &answered, error);
    if (status != CRD_OK) return status;
    size_t classes = crd_classifier_class_count(row->classifier);
    *credit = crd_i_judge(worker->logs, classes, row->truth).credit;
    *loss = row->truth < 0 ? INFINITY : worker->logs[row->truth] < 0 ? -worker->logs[row->truth] : 0;
    return CRD_OK;
}

static void importance_fill_values(const crd_importance *importance, size_t row, crd_value *values) {
    for (size_t c = 0; c < importance->columns; c++) values[c] = importance_value(importance, row, c);
}

/* Fills `rows` with the random permutation of this column and repeat (Fisher-Yates shuffle). */
static void importance_permute(const crd_importance *importance, size_t column, size_t repeat, uint32_t *rows) {
    crd_i_random random = crd_i_random_at(importance->options.seed, (uint64_t)column * MOST_REPEATS + repeat);
    for (size_t i = 0; i < importance->row_count; i++) rows[i] = (uint32_t)i;
    for (size_t i = importance->row_count; i > 1; i--) {
        size_t other = (size_t)crd_i_random_below(&random, i);
        uint32_t moved = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = moved;
    }
}

/* Computes the weighted mean of the rows' differences and its standard error. The log loss excludes rows whose loss
 * is infinite before any permutation. */
static void importance_average(const crd_importance *importance, const double *differences, bool is_of_loss,
                               double *mean, double *error) {
    double weights = 0, sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < importance->row_count; i++) {
        const crd_i_kept_row *row = &importance->rows[i];
        if (is_of_loss && row->loss == INFINITY) continue;
        sum += row->weight * differences[i];
        weights += row->weight;
        count++;
    }
    *mean = count == 0 ? NAN : sum / weights;
    for (size_t i = 0; i < importance->row_count; i++) {
        const crd_i_kept_row *row = &importance->rows[i];
        if (is_of_loss && row->loss == INFINITY) continue;
        double apart = row->weight * (differences[i] - *mean);
        squares += apart * apart;
    }
    *error = count < 2 || !isfinite(*mean) ? NAN : sqrt(squares * ((double)count / (double)(count - 1))) / weights;
}

/* Computes `differences` of one column for the rows that belong to this process. */
static crd_status try_column(const crd_importance *importance, size_t column, importance_worker *worker,
                             double *differences, crd_error *error) {
    size_t repeats = importance->options.repeats, rows = importance->row_count;
    for (size_t r = 0; r < repeats; r++) importance_permute(importance, column, r, worker->permuted + r * rows);
    for (size_t i = 0; i < rows; i++) {
        if (crd_i_context_cancelled(importance->context)) return crd_i_fail_cancelled(error);
        const crd_i_kept_row *row = &importance->rows[i];
        double increase = 0, drop = 0;
        if (row->owner != crd_i_group_rank(importance->group)) continue;
        importance_fill_values(importance, i, worker->values);
        for (size_t r = 0; r < repeats; r++) {
            double loss, credit;
            worker->values[column] = importance_value(importance, worker->permuted[r * rows + i], column);
            crd_status status = importance_answer(row, worker, &loss, &credit, error);
            if (status != CRD_OK) return status;
            increase += loss - row->loss;
            drop += row->credit - credit;
        }
        differences[i] = increase / (double)repeats;
        differences[rows + i] = drop / (double)repeats;
    }
    return CRD_OK;
}

/* Computes the importance of a column from the differences of all rows. */
static void conclude_column(const crd_importance *importance, size_t column, const double *differences) {
    crd_column_importance *column_importance = &importance->results[column];
    column_importance->column = crd_i_dictionary_text(importance->names, column);
    importance_average(importance, differences, true, &column_importance->log_loss, &column_importance->log_loss_error);
    importance_average(importance, differences + importance->row_count, false, &column_importance->accuracy,
                       &column_importance->accuracy_error);
    column_importance->size = sizeof *column_importance;
}

static crd_status permute_column(void *state, void *workspace, size_t item, crd_error *error) {
    run *work = state;
    importance_worker *worker = workspace;
    const crd_importance *importance = work->importance;
    const size_t place = importance->group != NULL ? item : (size_t)(worker - work->workers);
    double *differences = work->differences + 2 * importance->row_count * place;
    crd_status status = try_column(importance, work->begin + item, worker, differences, error);
    if (status == CRD_OK && importance->group == NULL) conclude_column(importance, work->begin + item, differences);
    return status;
}

/* Returns the maximum number of classes of the classifiers. */
static size_t max_classes(const crd_importance *importance) {
    size_t most = 0;
    for (size_t i = 0; i < importance->row_count; i++) {
        const crd_classifier *classifier = importance->rows[i].classifier;
        size_t classes = classifier == NULL ? 0 : crd_classifier_class_count(classifier);
        if (classes > most) most = classes;
    }
    return most;
}

static void close_workers(const crd_importance *importance, importance_worker *workers, unsigned count) {
    crd_context *context = importance->context;
    for (unsigned i = 0; workers != NULL && i < count; i++) {
        crd_free(context, workers[i].values);
        crd_free(context, workers[i].logs);
        crd_free(context, workers[i].permuted);
    }
    crd_free(context, workers);
}

/* Allocates the memory of `count` threads. Returns NULL if memory runs out. */
static importance_worker *open_workers(const crd_importance *importance, unsigned count) {
    crd_context *context = importance->context;
    size_t rows = importance->row_count, classes = max_classes(importance);
    importance_worker *workers = crd_i_alloc_zeroed(context, count, sizeof *workers);
    for (unsigned i = 0; workers != NULL && i < count; i++) {
        importance_worker *worker = &workers[i];
        worker->values = crd_i_alloc(context, importance->columns, sizeof *worker->values);
        worker->logs = crd_i_alloc(context, classes, sizeof *worker->logs);
        worker->permuted = crd_i_alloc(context, rows * importance->options.repeats, sizeof *worker->permuted);
        if (worker->values == NULL || worker->logs == NULL || worker->permuted == NULL) {
            close_workers(importance, workers, count);
            return NULL;
        }
    }
    return workers;
}

/* Computes loss and credit of each row without permutation. `numbers` has room for two numbers per row. */
static crd_status answer_unpermuted(crd_importance *importance, importance_worker *worker, double *numbers,
                                    crd_error *error) {
    const size_t rows = importance->row_count;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < rows; i++) {
        const crd_i_kept_row *row = &importance->rows[i];
        if (row->owner != crd_i_group_rank(importance->group)) continue;
        importance_fill_values(importance, i, worker->values);
        status = importance_answer(row, worker, &numbers[i], &numbers[rows + i], error);
    }
    if (status == CRD_OK) status = importance_share_numbers(importance, numbers, 2, error);
    if (status != CRD_OK) return status;
    importance->zero_rows = 0;
    for (size_t i = 0; i < rows; i++) {
        importance->rows[i].loss = numbers[i];
        importance->rows[i].credit = numbers[rows + i];
        importance->zero_rows += numbers[i] == INFINITY;
    }
    return CRD_OK;
}

/* Orders importances: largest log loss first, then largest accuracy. NaN comes last. Equal columns stay in column
 * order. */
static bool importance_comes_before(const crd_column_importance *a, const crd_column_importance *b) {
    if (isnan(a->log_loss) || isnan(b->log_loss)) return !isnan(a->log_loss) && isnan(b->log_loss);
    return a->log_loss > b->log_loss || (a->log_loss == b->log_loss && a->accuracy > b->accuracy);
}

/* Sorts results by merge sort, bottom-up: runs of 1, 2, 4, ... are merged. Returns false if memory runs out. */
static bool sort_results(crd_importance *importance) {
    size_t count = importance->result_count;
    crd_column_importance *column = importance->results;
    crd_column_importance *column_importance = crd_i_alloc(importance->context, count, sizeof *column_importance);
    if (column_importance == NULL) return false;
    for (size_t length = 1; length < count; length *= 2) {
        for (size_t start = 0; start < count; start += 2 * length) {
            size_t middle = start + length < count ? start + length : count;
            size_t end = middle + length < count ? middle + length : count;
            for (size_t a = start, b = middle, index = start; index < end; index++) {
                bool takes_b = a == middle || (b < end && importance_comes_before(&column[b], &column[a]));
                column_importance[index] = takes_b ? column[b++] : column[a++];
            }
        }
        crd_column_importance *sorted = column_importance;
        column_importance = column;
        column = sorted;
    }
    crd_free(importance->context, column_importance);
    importance->results = column;
    return true;
}

/* Permutes the columns from work->begin to work->end - 1, and shares the numbers between processes. */
static crd_status permute_some(run *work, crd_error *error) {
    crd_importance *importance = work->importance;
    crd_i_parallel_loop loop = {.state = work,
                                .items = work->end - work->begin,
                                .threads = work->members,
                                .work = permute_column,
                                .workspaces = work->workers,
                                .workspace_size = sizeof *work->workers};
    crd_status status = crd_i_parallel_for(importance->context, &loop, error);
    if (importance->group == NULL || status != CRD_OK) return status;
    status = importance_share_numbers(importance, work->differences, 2 * (work->end - work->begin), error);
    for (size_t c = work->begin; status == CRD_OK && c < work->end; c++)
        conclude_column(importance, c, work->differences + 2 * importance->row_count * (c - work->begin));
    return status;
}

/* Processes share the differences of several columns at a time: as many columns as need at most this many numbers. */
enum { NUMBERS_SHARED = 1 << 22 };

/* Computes the unpermuted losses, then permutes all columns. */
static crd_status permute_all(crd_importance *importance, importance_worker *workers, unsigned members,
                              crd_error *error) {
    const size_t numbers = 2 * importance->row_count, columns = importance->columns;
    size_t some = importance->group != NULL ? NUMBERS_SHARED / numbers : columns;
    if (some > columns) some = columns;
    if (some == 0) some = 1;
    run work = {.importance = importance, .workers = workers, .members = members};
    work.differences =
        crd_i_alloc(importance->context, importance->group != NULL ? some : members, numbers * sizeof(double));
    crd_status status = work.differences == NULL ? crd_i_fail_memory(error)
                                                 : answer_unpermuted(importance, &workers[0], work.differences, error);
    for (; status == CRD_OK && work.begin < columns; work.begin = work.end) {
        work.end = columns - work.begin < some ? columns : work.begin + some;
        status = permute_some(&work, error);
    }
    crd_free(importance->context, work.differences);
    return status;
}

crd_status crd_importance_conclude(crd_importance *importance, crd_error *error) {
    if (importance->has_run || importance->results == NULL) return CRD_OK;
    importance->result_count = 0;
    for (size_t c = 0; c < importance->columns; c++)
        if (importance->results[c].size > 0) importance->results[importance->result_count++] = importance->results[c];
    if (!sort_results(importance)) return crd_i_fail_memory(error);
    importance->has_run = true;
    return CRD_OK;
}

crd_status crd_importance_run(crd_importance *importance, crd_error *error) {
    if (importance->has_run) return CRD_OK;
    if (importance->row_count < 2)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "at least two rows are needed to permute columns");
    const unsigned members = crd_i_parallel_members(importance->options.threads, importance->columns);
    crd_free(importance->context, importance->results);
    importance->results = crd_i_alloc_zeroed(importance->context, importance->columns, sizeof *importance->results);
    importance_worker *workers = open_workers(importance, members);
    crd_status status = importance->results == NULL || workers == NULL
                            ? crd_i_fail_memory(error)
                            : permute_all(importance, workers, members, error);
    close_workers(importance, workers, members);
    if (status == CRD_OK) status = crd_importance_conclude(importance, error);
    return crd_i_group_end(importance->group, status, error);
}

/* ---- Results ---- */

uint64_t crd_importance_rows(const crd_importance *importance) {
    return importance->row_count;
}

uint64_t crd_importance_rows_added(const crd_importance *importance) {
    return importance->rows_added;
}

uint64_t crd_importance_zero_rows(const crd_importance *importance) {
    return importance->zero_rows;
}

size_t crd_importance_count(const crd_importance *importance) {
    return importance->has_run ? importance->result_count : 0;
}

size_t crd_importance_columns(const crd_importance *importance) {
    return importance->columns;
}

void crd_importance_at(const crd_importance *importance, size_t index, crd_column_importance *out) {
    crd_i_copy_out(&importance->results[index], sizeof *importance->results, out);
}

/* ======== 2. Several processes ========
 *
 * The choice of rows depends only on their numbers, so every process computes it after all rows have been judged.
 * Every process gets the values of all chosen rows, because permuted values come from any of them. A row is
 * classified by the process that judged it, because only that process has its classifier. Losses are shared and
 * summed in row order, so sums do not depend on the number of processes. */

/* ---- Choice of rows ---- */

/* The numbers of rows that the processes have judged. */
typedef struct judged_rows {
    crd_importance *importance;
    const crd_classifier *first; /* classifier of the first of all rows; NULL: another process judged that row */
    uint64_t own, before, all;   /* rows of this process, of those of lower rank, and of all */
} judged_rows;

/* Encodes how many rows this process has judged. For the process that judged the first of all rows, also encodes the
 * number of classes and the columns; other processes encode zeros. */
static crd_status judged_rows_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const judged_rows *judged = object;
    const size_t columns = judged->first == NULL ? 0 : crd_classifier_attribute_count(judged->first);
    (void)error;
    crd_i_encode_u64(encoder, judged->own);
    crd_i_encode_u64(encoder, judged->first == NULL ? 0 : crd_classifier_class_count(judged->first));
    crd_i_encode_u64(encoder, columns);
    for (size_t c = 0; c < columns; c++) crd_i_encode_text(encoder, crd_classifier_attribute(judged->first, c));
    return CRD_OK;
}

/* Adds the rows of a process, and begins with the columns of the first row. */
static crd_status judged_rows_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    judged_rows *judged = object;
    crd_importance *importance = judged->importance;
    if (rank == crd_i_group_rank(importance->group)) judged->before = judged->all;
    judged->all += crd_i_decode_u64(part);
    const uint64_t classes = crd_i_decode_u64(part), columns = crd_i_decode_u64(part);
    const bool is_known = classes == 0 || importance->names != NULL;
    crd_i_dictionary *names = crd_i_dictionary_create(importance->context);
    bool done = names != NULL;
    for (uint64_t c = 0; done && !part->failed && c < columns; c++)
        done = crd_i_dictionary_add(names, crd_i_decode_text(part)) >= 0;
    if (done && !is_known && !part->failed) done = importance_begin(importance, names, (size_t)classes);
    else crd_i_dictionary_destroy(names);
    return done ? CRD_OK : crd_i_fail_memory(error);
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
    if (*chosen == NULL || !importance_reserve(importance, kept)) return crd_i_fail_memory(error);
    for (uint64_t number = 0; number < all; number++) {
        const size_t place = importance_next_place(importance);
        if (number % NUMBERS_AT_ONCE == 0 && crd_i_context_cancelled(importance->context))
            return crd_i_fail_cancelled(error);
        if (place == SIZE_MAX) continue;
        (*chosen)[place] = (crd_i_chosen_row){number, place};
        if (place < importance->row_count) continue;
        importance->rows[importance->row_count++] = (crd_i_kept_row){.owner = UINT_MAX, .truth = -1};
    }
    qsort(*chosen, kept, sizeof **chosen, by_number);
    return CRD_OK;
}

/* See permutation_importance.h. The processes exchange how many rows they have judged; each then makes the same
 * choice. */
crd_status crd_i_importance_choose(crd_importance *importance, uint64_t judged, const crd_classifier *first,
                                   uint64_t *before, crd_i_chosen_row **chosen, crd_error *error) {
    static const crd_i_merging counting = {judged_rows_encode, judged_rows_add};
    judged_rows rows = {.importance = importance, .first = first, .own = judged};
    *chosen = NULL;
    crd_i_importance_clear(importance);
    importance->group = importance->context->group;
    const crd_status status = crd_i_group_merge(importance->group, &counting, &rows, error);
    *before = rows.before;
    return status == CRD_OK ? shared_importance_choose(importance, rows.all, chosen, error) : status;
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

/* Decodes a row that process `owner` has judged. */
static crd_status decode_row(crd_importance *importance, unsigned owner, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t place = crd_i_decode_u64(cursor);
    if (place >= importance->row_count) return crd_i_fail_received(error);
    importance->rows[place].owner = owner;
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

/* Encodes the rows that this process has stored. */
static crd_status shared_rows_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const crd_importance *importance = object;
    (void)error;
    for (size_t i = 0; i < importance->row_count; i++)
        if (importance->rows[i].owner == crd_i_group_rank(importance->group))
            shared_importance_encode_row(importance, i, encoder);
    return CRD_OK;
}

static crd_status shared_rows_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    crd_importance *importance = object;
    crd_status status = CRD_OK;
    if (rank == crd_i_group_rank(importance->group)) (void)crd_i_decode_rest(part);
    while (status == CRD_OK && crd_i_cursor_left(part) > 0) status = decode_row(importance, rank, part, error);
    return status;
}

/* See permutation_importance.h. */
crd_status crd_i_importance_share_rows(crd_importance *importance, crd_error *error) {
    static const crd_i_merging sharing = {shared_rows_encode, shared_rows_add};
    crd_status status = crd_i_group_merge(importance->group, &sharing, importance, error);
    for (size_t i = 0; status == CRD_OK && i < importance->row_count; i++)
        if (importance->rows[i].owner == UINT_MAX)
            status = crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read");
    return status;
}
