/* SPDX-License-Identifier: MIT */
/* split.c - the fold of each row. Folds can be drawn and stratified by class, held out, named by a column, or given by
 * the caller.
 *
 * A row is in no fold if its class is missing or its weight is 0. Such a row is neither learned nor tested.
 *
 * Contents:
 *   1. Folds of rows
 *   2. Stratified assignment */
#include "evaluate/split.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/cross_validation.h"
#include "math/random.h"
#include "table/read/reader.h"

#include <credence/evaluate.h>
#include <string.h>

/* ======== 1. Folds of rows ======== */

/* MOST_NAMED_FOLDS: a column with more values is not accepted as a fold column. */
enum { MOST_NAMED_FOLDS = 10000, MOST_DRAWN_FOLDS = 1000000 };

/* The folds of a holdout. */
enum { TRAINING = 0, TEST = 1 };

struct crd_split {
    crd_context *context;
    crd_split_options options; /* the array `given` belongs to the caller */
    crd_i_folds *drawing;
    crd_i_dictionary *names; /* names of folds that are named by a column */
    uint32_t *folds;         /* fold of each row */
    uint32_t *tested;        /* only for a finished holdout: the folds without the training rows */
    size_t rows, capacity;
    size_t given_folds; /* largest given fold plus 1 */
};

static bool is_drawn(const crd_split *split) {
    return split->options.given == NULL && split->options.column == SIZE_MAX;
}

static bool split_is_named(const crd_split *split) {
    return split->options.given == NULL && split->options.column != SIZE_MAX;
}

/* Checks the options. Returns CRD_ERROR_ARGUMENT if they are invalid. */
static crd_status split_check(const crd_split_options *options, crd_error *error) {
    bool is_drawn = options->given == NULL && options->column == SIZE_MAX;
    if (!is_drawn && options->held_out > 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows can be held out only if folds are drawn");
    if (is_drawn && (options->folds < 2 || options->folds > MOST_DRAWN_FOLDS))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "cannot draw %lu folds: the number must be 2 to %d",
                          (unsigned long)options->folds, (int)MOST_DRAWN_FOLDS);
    if (is_drawn && options->held_out >= options->folds)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "cannot hold out all rows: hold out a part of them");
    return CRD_OK;
}

crd_status crd_i_split_create(crd_context *context, const crd_split_options *options, crd_split **out,
                              crd_error *error) {
    crd_split_options split_options = CRD_SPLIT_OPTIONS_INIT;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &split_options, sizeof split_options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    crd_status status = split_check(&split_options, error);
    if (status != CRD_OK) return status;
    crd_split *split = crd_i_alloc_zeroed(context, 1, sizeof *split);
    if (split == NULL) return crd_i_fail_memory(error);
    split->context = context;
    split->options = split_options;
    status = crd_i_split_clear(split, error);
    if (status != CRD_OK) {
        crd_i_split_destroy(split);
        return status;
    }
    *out = split;
    return CRD_OK;
}

void crd_i_split_destroy(crd_split *split) {
    if (split == NULL) return;
    crd_i_folds_destroy(split->drawing);
    crd_i_dictionary_destroy(split->names);
    crd_free(split->context, split->folds);
    crd_free(split->context, split->tested);
    crd_free(split->context, split);
}

crd_status crd_i_split_clear(crd_split *split, crd_error *error) {
    crd_i_folds_destroy(split->drawing);
    crd_i_dictionary_destroy(split->names);
    crd_free(split->context, split->tested);
    split->drawing = NULL;
    split->names = NULL;
    split->tested = NULL;
    split->rows = split->given_folds = 0;
    if (is_drawn(split))
        return crd_i_folds_create(split->context, split->options.folds, split->options.seed, &split->drawing, error);
    split->names = crd_i_dictionary_create(split->context);
    return split->names == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* ---- Row by row ---- */

/* Finds the fold that a row's fold column names. */
static crd_status find_named(crd_split *split, const crd_row_source *source, size_t row, uint32_t *fold,
                             crd_error *error) {
    crd_reader *reader = source->reader;
    crd_text name = crd_i_reader_cell(reader, row, split->options.column);
    char shown[CRD_I_QUOTED_ROOM];
    if (name.length == 0 || crd_i_reader_is_missing(reader, name)) {
        crd_i_fail(error, CRD_ERROR_EMPTY, "the row is in no fold: the cell is %s%s",
                   name.length == 0 ? "empty" : "missing, ", name.length == 0 ? "" : crd_i_quote(name, shown));
        crd_i_error_place(error, crd_reader_place(reader), crd_reader_line(reader, row), 0);
        return CRD_ERROR_EMPTY;
    }
    int32_t code = crd_i_dictionary_add(split->names, name);
    if (code < 0) return crd_i_fail_memory(error);
    *fold = (uint32_t)code;
    if (code < MOST_NAMED_FOLDS) return CRD_OK;
    crd_text column = crd_reader_column_name(reader, split->options.column);
    crd_i_fail(error, CRD_ERROR_LIMIT, "'%s' has more than %d values: is it a column of folds?",
               crd_i_quote(column, shown), (int)MOST_NAMED_FOLDS);
    crd_i_error_subject(error, column);
    return CRD_ERROR_LIMIT;
}

/* Finds the fold that the caller gave for a row. */
static crd_status find_given(crd_split *split, size_t row, uint32_t *fold, crd_error *error) {
    if (split->rows + row >= split->options.given_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "expected at most %zu rows, the number of given folds, got more",
                          split->options.given_count);
    *fold = split->options.given[split->rows + row];
    if (*fold == CRD_NO_FOLD) return CRD_OK;
    if (*fold >= MOST_DRAWN_FOLDS)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "fold %lu is greater than the maximum, %d", (unsigned long)*fold,
                          (int)MOST_DRAWN_FOLDS - 1);
    if (*fold >= split->given_folds) split->given_folds = (size_t)*fold + 1;
    return CRD_OK;
}

crd_status crd_i_split_add(crd_split *split, const crd_row_source *source, const crd_frame *frame, crd_error *error) {
    size_t target = crd_i_row_source_target(source, frame), weights = crd_i_row_source_weight(source, frame);
    if (split_is_named(split) && source->reader == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a column can name folds only if the rows come from a reader");
    if (target == SIZE_MAX) return crd_i_fail(error, CRD_ERROR_COLUMN, "the rows have no class column");
    if (!crd_i_reserve(split->context, &split->folds, &split->capacity, split->rows + frame->rows,
                       sizeof *split->folds))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) {
        uint32_t *fold = &split->folds[split->rows + row];
        crd_value truth = crd_frame_value(frame, row, target);
        *fold = CRD_NO_FOLD;
        if (truth.type == CRD_TYPE_NONE || crd_i_row_weight(frame, row, weights) == 0) continue;
        crd_status status = is_drawn(split)         ? crd_i_folds_next(split->drawing, truth.text, fold, error)
                            : split_is_named(split) ? find_named(split, source, row, fold, error)
                                                    : find_given(split, row, fold, error);
        if (status != CRD_OK) return status;
        if (split->options.held_out > 0) *fold = *fold < split->options.held_out ? TEST : TRAINING;
    }
    split->rows += frame->rows;
    return CRD_OK;
}

/* ---- All rows ---- */

/* Computes the tested folds of a holdout. Returns CRD_ERROR_EMPTY if there are no test or no training rows. */
static crd_status split_hold_out(crd_split *split, crd_error *error) {
    size_t training = 0, test = 0;
    split->tested = crd_i_alloc(split->context, split->rows, sizeof *split->tested);
    if (split->tested == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < split->rows; i++) {
        test += split->folds[i] == TEST;
        training += split->folds[i] == TRAINING;
        split->tested[i] = split->folds[i] == TEST ? TEST : CRD_NO_FOLD;
    }
    if (test == 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "no row was held out of %zu: hold out a larger fraction", training);
    if (training == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "every row was held out: hold out a smaller fraction");
    return CRD_OK;
}

crd_status crd_i_split_finish(crd_split *split, crd_error *error) {
    if (crd_split_fold_count(split) < 2)
        return crd_i_fail(error, CRD_ERROR_EMPTY,
                          "all rows are in one fold: at least two folds are needed, one to learn from and one to test");
    return split->options.held_out > 0 && split->tested == NULL ? split_hold_out(split, error) : CRD_OK;
}

size_t crd_split_rows(const crd_split *split) {
    return split->rows;
}

const uint32_t *crd_split_learned(const crd_split *split) {
    return split->folds;
}

const uint32_t *crd_i_split_tested(const crd_split *split) {
    return split->tested != NULL ? split->tested : split->folds;
}

size_t crd_split_fold_count(const crd_split *split) {
    if (split->options.held_out > 0) return 2;
    if (is_drawn(split)) return split->options.folds;
    return split_is_named(split) ? crd_i_dictionary_size(split->names) : split->given_folds;
}

crd_text crd_split_fold_name(const crd_split *split, uint32_t fold) {
    const crd_text none = {NULL, 0};
    return split_is_named(split) ? crd_i_dictionary_text(split->names, fold) : none;
}

crd_status crd_split_count_empty(const crd_split *split, size_t *empty, crd_error *error) {
    size_t count = crd_split_fold_count(split);
    *empty = 0;
    bool *has_rows = crd_i_alloc_zeroed(split->context, count, sizeof *has_rows);
    if (has_rows == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; row < split->rows; row++)
        if (split->folds[row] != CRD_NO_FOLD) has_rows[split->folds[row]] = true;
    for (size_t i = 0; i < count; i++) *empty += !has_rows[i];
    crd_free(split->context, has_rows);
    return CRD_OK;
}

/* ======== 2. Stratified assignment ========
 *
 * Rows are assigned in one pass, such that folds are balanced within every class and overall. The rows of each class
 * are assigned in runs. A run uses each fold once, in a random order (Fisher and Yates 1938). The random stream depends
 * only on seed, class and run number, so a run's order does not depend on earlier runs. Among the folds left in a run,
 * the fold with the fewest rows is next. Otherwise many small classes, whose runs end early, could meet in the same
 * folds by chance. */

/* Maximum number of folds that are compared to find the one with the fewest rows. Bounds the work per row if there
 * are very many folds. */
enum { MOST_COMPARED = 256 };

typedef struct folds_deal {
    uint32_t *order; /* folds in the order of the current run; entries before `dealt` were used */
    uint32_t dealt;
    uint64_t run;
} folds_deal;

struct crd_i_folds {
    crd_context *context;
    uint32_t count;
    uint64_t seed;
    uint64_t *rows; /* number of rows in each fold so far */
    crd_i_dictionary *classes;
    folds_deal *deals; /* one for each class */
    size_t deal_count, deals_capacity;
};

crd_status crd_i_folds_create(crd_context *context, uint32_t count, uint64_t seed, crd_i_folds **out,
                              crd_error *error) {
    *out = NULL;
    if (count == 0 || count == CRD_NO_FOLD)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the number of folds must be at least 1");
    crd_i_folds *folds = crd_i_alloc_zeroed(context, 1, sizeof *folds);
    if (folds == NULL) return crd_i_fail_memory(error);
    folds->context = context;
    folds->count = count;
    folds->seed = seed;
    folds->classes = crd_i_dictionary_create(context);
    folds->rows = crd_i_alloc_zeroed(context, count, sizeof *folds->rows);
    if (folds->classes == NULL || folds->rows == NULL) {
        crd_i_folds_destroy(folds);
        return crd_i_fail_memory(error);
    }
    *out = folds;
    return CRD_OK;
}

void crd_i_folds_destroy(crd_i_folds *folds) {
    if (folds == NULL) return;
    for (size_t i = 0; i < folds->deal_count; i++) crd_free(folds->context, folds->deals[i].order);
    crd_free(folds->context, folds->deals);
    crd_free(folds->context, folds->rows);
    crd_i_dictionary_destroy(folds->classes);
    crd_free(folds->context, folds);
}

/* Returns a hash of class and run that is the same on every machine and for every order of classes (FNV-1a, 64
 * bits). */
static uint64_t stream_of(crd_text class_name, uint64_t run) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < class_name.length; i++)
        hash = (hash ^ (unsigned char)class_name.bytes[i]) * UINT64_C(0x100000001b3);
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (run >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

/* Draws the order of the folds in the current run. */
static void folds_shuffle(const crd_i_folds *folds, folds_deal *deal, crd_text class_name) {
    crd_i_random random = crd_i_random_at(folds->seed, stream_of(class_name, deal->run));
    for (uint32_t i = 0; i < folds->count; i++) deal->order[i] = i;
    for (uint32_t left = folds->count; left > 1; left--) {
        uint32_t index = (uint32_t)crd_i_random_below(&random, left), kept = deal->order[index];
        deal->order[index] = deal->order[left - 1];
        deal->order[left - 1] = kept;
    }
}

/* Returns the state of a class, which is created if needed; NULL if memory runs out. A call that ran out of memory
 * can be repeated. */
static folds_deal *find_deal(crd_i_folds *folds, crd_text class_name) {
    int32_t code = crd_i_dictionary_add(folds->classes, class_name);
    if (code < 0) return NULL;
    while (folds->deal_count <= (size_t)code) {
        if (!crd_i_reserve(folds->context, &folds->deals, &folds->deals_capacity, folds->deal_count + 1,
                           sizeof *folds->deals))
            return NULL;
        folds_deal fresh = {crd_i_alloc(folds->context, folds->count, sizeof *fresh.order), 0, 0};
        if (fresh.order == NULL) return NULL;
        folds_shuffle(folds, &fresh, crd_i_dictionary_text(folds->classes, folds->deal_count));
        folds->deals[folds->deal_count++] = fresh;
    }
    return &folds->deals[code];
}

/* Takes the fold with the fewest rows among the folds left in the run. Ties go to the first one in the order of the
 * run. */
static uint32_t take_emptiest(const crd_i_folds *folds, folds_deal *deal) {
    uint32_t left = folds->count - deal->dealt, end = deal->dealt + (left < MOST_COMPARED ? left : MOST_COMPARED);
    uint32_t best = deal->dealt;
    for (uint32_t i = best + 1; i < end; i++)
        if (folds->rows[deal->order[i]] < folds->rows[deal->order[best]]) best = i;
    uint32_t taken = deal->order[best];
    deal->order[best] = deal->order[deal->dealt];
    deal->order[deal->dealt++] = taken;
    return taken;
}

crd_status crd_i_folds_next(crd_i_folds *folds, crd_text class_name, uint32_t *fold, crd_error *error) {
    *fold = CRD_NO_FOLD;
    folds_deal *deal = find_deal(folds, class_name);
    if (deal == NULL) return crd_i_fail_memory(error);
    if (deal->dealt == folds->count) {
        deal->run++;
        deal->dealt = 0;
        folds_shuffle(folds, deal, class_name);
    }
    *fold = take_emptiest(folds, deal);
    folds->rows[*fold]++;
    return CRD_OK;
}
