/* SPDX-License-Identifier: MIT */
/* permutation_importance.c - see credence/evaluate.h.
 *
 * With l_i the loss of row i, and l_i(c, r) that of the row whose cell in column c is the one of row p_cr(i), p_cr the
 * r-th random permutation of column c, a row's increase is d_i = mean over r of l_i(c, r) - l_i, and the importance is
 * the mean of the d_i by weight. Its standard error, sqrt(n / (n - 1) sum w_i^2 (d_i - d)^2) / sum w_i, is that of the
 * rows, permutations included: they are a part of what the d_i differ by.
 *
 * A permutation is a function of seed, column and repeat (math/random.h), so that threads take columns in any order.
 * Rows beyond the bound replace kept ones at random (Vitter's algorithm R), so that each is kept with the same chance. */
#include "evaluate/evaluation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/thread_pool.h"
#include "math/random.h"
#include "table/frame.h"

#include <math.h>
#include <stdatomic.h>

enum { USUAL_ROWS = 20000, LEAST_ROWS = 200, MOST_REPEATS = 1000 };
static const double MOST_WORK = 1e9;

/* Streams of random numbers: which rows are kept, then those of columns and repeats. */
static const uint64_t SAMPLING = UINT64_MAX;

enum { IS_NUMBER = -1, IS_MISSING = -2 };
typedef struct cell {
    double number;
    int32_t code; /* of a category or a text in the column's dictionary; or one of those above */
} cell;

typedef struct kept_row {
    const crd_classifier *classifier;
    int32_t truth; /* among its classes; -1: none of them */
    double weight;
    double loss, credit; /* with no column permuted */
} kept_row;

struct crd_importance {
    crd_context *context;
    crd_importance_options options;
    crd_i_dictionary *names;   /* of the columns: the attributes of the classifiers */
    crd_i_dictionary **values; /* of each column: its categories, or texts */
    size_t columns, most_rows; /* once there is a row */
    kept_row *rows;
    size_t row_count, rows_capacity;
    cell *cells; /* row by row */
    size_t cells_capacity;
    uint64_t rows_added, zero_rows;
    crd_i_random sampling;
    crd_column_importance *results; /* until the run is concluded of all columns, of size 0 where one is not done */
    size_t result_count;
    bool has_run;
};

crd_status crd_importance_create(crd_context *context, const crd_importance_options *options, crd_importance **out,
                                 crd_error *error) {
    crd_importance_options own = CRD_IMPORTANCE_OPTIONS_INIT;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &own, sizeof own))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (own.repeats < 1 || own.repeats > MOST_REPEATS)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a column is permuted 1 to %d times, not %lu", (int)MOST_REPEATS,
                          (unsigned long)own.repeats);
    crd_importance *importance = crd_i_alloc_zeroed(context, 1, sizeof *importance);
    if (importance == NULL) return crd_i_fail_memory(error);
    importance->context = context;
    importance->options = own;
    crd_importance_restart(importance);
    *out = importance;
    return CRD_OK;
}

void crd_importance_restart(crd_importance *importance) {
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
    importance->sampling = crd_i_random_at(importance->options.seed, SAMPLING);
}

void crd_importance_destroy(crd_importance *importance) {
    if (importance == NULL) return;
    crd_importance_restart(importance);
    crd_free(importance->context, importance->rows);
    crd_free(importance->context, importance->cells);
    crd_free(importance->context, importance);
}

/* ---- Rows ---- */

static size_t bound_rows(const crd_importance *importance, const crd_classifier *classifier) {
    if (importance->options.most_rows > 0) return importance->options.most_rows;
    double columns = (double)importance->columns, classes = (double)crd_classifier_class_count(classifier);
    double rows = MOST_WORK / (columns * columns * classes * importance->options.repeats);
    return rows >= USUAL_ROWS ? USUAL_ROWS : rows <= LEAST_ROWS ? LEAST_ROWS : (size_t)rows;
}

/* The columns are those of the first classifier. */
static bool name_columns(crd_importance *importance, const crd_classifier *classifier) {
    size_t count = crd_classifier_attribute_count(classifier);
    importance->names = crd_i_dictionary_create(importance->context);
    importance->values = crd_i_alloc_zeroed(importance->context, count, sizeof(crd_i_dictionary *));
    if (importance->names == NULL || importance->values == NULL) return false;
    importance->columns = count;
    for (size_t c = 0; c < count; c++) {
        importance->values[c] = crd_i_dictionary_create(importance->context);
        if (importance->values[c] == NULL ||
            crd_i_dictionary_add(importance->names, crd_classifier_attribute(classifier, c)) < 0)
            return false;
    }
    importance->most_rows = bound_rows(importance, classifier);
    return true;
}

/* Where a row is kept; SIZE_MAX: nowhere. */
static size_t choose_place(crd_importance *importance) {
    if (importance->rows_added++ < importance->most_rows) return importance->row_count;
    uint64_t place = crd_i_random_below(&importance->sampling, importance->rows_added);
    return place < importance->most_rows ? (size_t)place : SIZE_MAX;
}

static bool keep_cells(crd_importance *importance, const crd_frame *frame, size_t row, cell *to) {
    for (size_t c = 0; c < importance->columns; c++) {
        int32_t column = crd_i_dictionary_find(frame->names, crd_i_dictionary_text(importance->names, c));
        cell kept = {0, IS_MISSING};
        crd_value value = {.kind = CRD_KIND_NONE};
        if (column >= 0) value = crd_frame_value(frame, row, (size_t)column);
        if (value.kind == CRD_KIND_NUMBER) kept = (cell){value.number, IS_NUMBER};
        if (value.kind == CRD_KIND_CATEGORY || (value.kind == CRD_KIND_TEXT && value.text.bytes != NULL)) {
            kept.code = crd_i_dictionary_add(importance->values[c], value.text);
            if (kept.code < 0) return false;
        }
        to[c] = kept;
    }
    return true;
}

static int32_t find_class(const crd_classifier *classifier, crd_text name) {
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        if (crd_text_equal(crd_classifier_class(classifier, k), name)) return (int32_t)k;
    return -1;
}

crd_status crd_importance_add(crd_importance *importance, const crd_classifier *classifier, const crd_frame *frame,
                              size_t row, crd_text truth, double weight, crd_error *error) {
    if (importance->has_run) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the columns were permuted already");
    if (!(weight > 0 && weight < INFINITY)) return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not above 0");
    if (importance->names == NULL && !name_columns(importance, classifier)) return crd_i_fail_memory(error);
    if (crd_classifier_attribute_count(classifier) != importance->columns)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the classifiers have different attributes");
    size_t place = choose_place(importance);
    if (place == SIZE_MAX) return CRD_OK;
    if (!crd_i_reserve(importance->context, &importance->rows, &importance->rows_capacity, place + 1,
                       sizeof *importance->rows) ||
        !crd_i_reserve(importance->context, &importance->cells, &importance->cells_capacity,
                       (place + 1) * importance->columns, sizeof *importance->cells) ||
        !keep_cells(importance, frame, row, importance->cells + place * importance->columns))
        return crd_i_fail_memory(error);
    importance->rows[place] =
        (kept_row){.classifier = classifier, .truth = find_class(classifier, truth), .weight = weight};
    if (place == importance->row_count) importance->row_count++;
    return CRD_OK;
}

/* ---- The run ---- */

typedef struct worker {
    crd_value *values;         /* of a row */
    double *logs;              /* of the classes */
    uint32_t *permuted;        /* repeats x rows */
    double *increases, *drops; /* of each row, with the column permuted: the mean over the repeats */
    crd_status status;
    crd_error error;
} worker;

typedef struct run {
    crd_importance *of;
    worker *workers;
    atomic_size_t next; /* the first column that nobody has taken */
    atomic_bool has_failed;
} run;

static crd_value value_of(const crd_importance *importance, size_t row, size_t column) {
    const cell *from = &importance->cells[row * importance->columns + column];
    crd_value value = {.kind = CRD_KIND_NONE};
    if (from->code == IS_NUMBER) {
        value.kind = CRD_KIND_NUMBER;
        value.number = from->number;
    } else if (from->code >= 0) {
        value.kind = CRD_KIND_CATEGORY;
        value.text = crd_i_dictionary_text(importance->values[column], (size_t)from->code);
    }
    return value;
}

static crd_status answer(const kept_row *row, worker *by, double *loss, double *credit, crd_error *error) {
    crd_answer answered;
    crd_status status = crd_classifier_posterior(row->classifier, by->values, by->logs, &answered, error);
    if (status != CRD_OK) return status;
    size_t classes = crd_classifier_class_count(row->classifier);
    *credit = crd_i_judge(by->logs, classes, row->truth).credit;
    *loss = row->truth < 0 ? INFINITY : by->logs[row->truth] < 0 ? -by->logs[row->truth] : 0;
    return CRD_OK;
}

static void fill_values(const crd_importance *importance, size_t row, crd_value *values) {
    for (size_t c = 0; c < importance->columns; c++) values[c] = value_of(importance, row, c);
}

static void permute(const crd_importance *importance, size_t column, size_t repeat, uint32_t *rows) {
    crd_i_random random = crd_i_random_at(importance->options.seed, (uint64_t)column * MOST_REPEATS + repeat);
    for (size_t i = 0; i < importance->row_count; i++) rows[i] = (uint32_t)i;
    for (size_t i = importance->row_count; i > 1; i--) {
        size_t other = (size_t)crd_i_random_below(&random, i);
        uint32_t moved = rows[i - 1];
        rows[i - 1] = rows[other];
        rows[other] = moved;
    }
}

/* The weighted mean of the rows' differences and its standard error; rows whose loss is infinite as it is are in no log
 * loss. */
static void average(const crd_importance *importance, const double *differences, bool is_of_loss, double *mean,
                    double *error) {
    double weights = 0, sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < importance->row_count; i++) {
        const kept_row *row = &importance->rows[i];
        if (is_of_loss && row->loss == INFINITY) continue;
        sum += row->weight * differences[i];
        weights += row->weight;
        count++;
    }
    *mean = count == 0 ? NAN : sum / weights;
    for (size_t i = 0; i < importance->row_count; i++) {
        const kept_row *row = &importance->rows[i];
        if (is_of_loss && row->loss == INFINITY) continue;
        double apart = row->weight * (differences[i] - *mean);
        squares += apart * apart;
    }
    *error = count < 2 || !isfinite(*mean) ? NAN : sqrt(squares * ((double)count / (double)(count - 1))) / weights;
}

static crd_status try_column(const crd_importance *importance, size_t column, worker *by, crd_error *error) {
    size_t repeats = importance->options.repeats, rows = importance->row_count;
    for (size_t r = 0; r < repeats; r++) permute(importance, column, r, by->permuted + r * rows);
    for (size_t i = 0; i < rows; i++) {
        if (crd_i_context_cancelled(importance->context)) return crd_i_fail_cancelled(error);
        const kept_row *row = &importance->rows[i];
        double increase = 0, drop = 0;
        fill_values(importance, i, by->values);
        for (size_t r = 0; r < repeats; r++) {
            double loss, credit;
            by->values[column] = value_of(importance, by->permuted[r * rows + i], column);
            crd_status status = answer(row, by, &loss, &credit, error);
            if (status != CRD_OK) return status;
            increase += loss - row->loss;
            drop += row->credit - credit;
        }
        by->increases[i] = increase / (double)repeats;
        by->drops[i] = drop / (double)repeats;
    }
    crd_column_importance *to = &importance->results[column];
    to->column = crd_i_dictionary_text(importance->names, column);
    average(importance, by->increases, true, &to->log_loss, &to->log_loss_error);
    average(importance, by->drops, false, &to->accuracy, &to->accuracy_error);
    to->size = sizeof *to;
    return CRD_OK;
}

static void do_share(void *state, unsigned member) {
    run *work = state;
    worker *own = &work->workers[member];
    while (!atomic_load(&work->has_failed)) {
        size_t column = atomic_fetch_add(&work->next, 1);
        if (column >= work->of->columns) return;
        own->status = try_column(work->of, column, own, &own->error);
        if (own->status == CRD_OK) continue;
        atomic_store(&work->has_failed, true);
        return;
    }
}

static size_t most_classes(const crd_importance *importance) {
    size_t most = 0;
    for (size_t i = 0; i < importance->row_count; i++) {
        size_t classes = crd_classifier_class_count(importance->rows[i].classifier);
        if (classes > most) most = classes;
    }
    return most;
}

static void close_workers(const crd_importance *importance, worker *workers, unsigned count) {
    crd_context *context = importance->context;
    for (unsigned i = 0; workers != NULL && i < count; i++) {
        crd_free(context, workers[i].values);
        crd_free(context, workers[i].logs);
        crd_free(context, workers[i].permuted);
        crd_free(context, workers[i].increases);
        crd_free(context, workers[i].drops);
    }
    crd_free(context, workers);
}

static worker *open_workers(const crd_importance *importance, unsigned count) {
    crd_context *context = importance->context;
    size_t rows = importance->row_count, classes = most_classes(importance);
    worker *workers = crd_i_alloc_zeroed(context, count, sizeof *workers);
    for (unsigned i = 0; workers != NULL && i < count; i++) {
        worker *by = &workers[i];
        by->values = crd_i_alloc(context, importance->columns, sizeof *by->values);
        by->logs = crd_i_alloc(context, classes, sizeof *by->logs);
        by->permuted = crd_i_alloc(context, rows * importance->options.repeats, sizeof *by->permuted);
        by->increases = crd_i_alloc(context, rows, sizeof *by->increases);
        by->drops = crd_i_alloc(context, rows, sizeof *by->drops);
        if (by->values == NULL || by->logs == NULL || by->permuted == NULL || by->increases == NULL ||
            by->drops == NULL) {
            close_workers(importance, workers, count);
            return NULL;
        }
    }
    return workers;
}

/* Rows as they are. */
static crd_status answer_unpermuted(crd_importance *importance, worker *by, crd_error *error) {
    importance->zero_rows = 0;
    for (size_t i = 0; i < importance->row_count; i++) {
        kept_row *row = &importance->rows[i];
        fill_values(importance, i, by->values);
        crd_status status = answer(row, by, &row->loss, &row->credit, error);
        if (status != CRD_OK) return status;
        importance->zero_rows += row->loss == INFINITY;
    }
    return CRD_OK;
}

/* Importances that are no numbers come last; equals stay in the order of columns. */
static bool comes_before(const crd_column_importance *a, const crd_column_importance *b) {
    if (isnan(a->log_loss) || isnan(b->log_loss)) return !isnan(a->log_loss) && isnan(b->log_loss);
    return a->log_loss > b->log_loss || (a->log_loss == b->log_loss && a->accuracy > b->accuracy);
}

/* By merging runs of 1, 2, 4, ... */
static bool sort_results(crd_importance *importance) {
    size_t count = importance->result_count;
    crd_column_importance *from = importance->results;
    crd_column_importance *to = crd_i_alloc(importance->context, count, sizeof *to);
    if (to == NULL) return false;
    for (size_t length = 1; length < count; length *= 2) {
        for (size_t start = 0; start < count; start += 2 * length) {
            size_t middle = start + length < count ? start + length : count;
            size_t end = middle + length < count ? middle + length : count;
            for (size_t a = start, b = middle, at = start; at < end; at++) {
                bool takes_b = a == middle || (b < end && comes_before(&from[b], &from[a]));
                to[at] = takes_b ? from[b++] : from[a++];
            }
        }
        crd_column_importance *sorted = to;
        to = from;
        from = sorted;
    }
    crd_free(importance->context, to);
    importance->results = from;
    return true;
}

static crd_status permute_all(crd_importance *importance, worker *workers, unsigned members, crd_error *error) {
    run work = {.of = importance, .workers = workers};
    atomic_init(&work.next, 0);
    atomic_init(&work.has_failed, false);
    crd_status status = answer_unpermuted(importance, &workers[0], error);
    if (status != CRD_OK) return status;
    crd_i_thread_pool_run(importance->context, members, do_share, &work);
    for (unsigned i = 0; i < members; i++) {
        if (workers[i].status == CRD_OK) continue;
        if (error != NULL) *error = workers[i].error;
        return workers[i].status;
    }
    return CRD_OK;
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
        return crd_i_fail(error, CRD_ERROR_EMPTY, "two rows are needed to permute their cells");
    unsigned members = crd_i_thread_pool_size(importance->options.threads);
    if (members > importance->columns) members = importance->columns == 0 ? 1 : (unsigned)importance->columns;
    crd_free(importance->context, importance->results);
    importance->results = crd_i_alloc_zeroed(importance->context, importance->columns, sizeof *importance->results);
    worker *workers = open_workers(importance, members);
    crd_status status = importance->results == NULL || workers == NULL
                            ? crd_i_fail_memory(error)
                            : permute_all(importance, workers, members, error);
    close_workers(importance, workers, members);
    return status == CRD_OK ? crd_importance_conclude(importance, error) : status;
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
