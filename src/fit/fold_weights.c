/* SPDX-License-Identifier: MIT */
/* fold_weights.c - see fold_weights.h. */
#include "fit/fold_weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "math/logistic_newton.h"

/* Maximum number of terms, over rows and classes, that weights are fitted to: a bound on memory and time. */
enum { MOST_TERMS = 1 << 24 };

typedef struct weights_fitting {
    const crd_i_fold_weights *problem;
    const crd_classifier *classifier;
    const crd_i_held_out *inner;
    crd_settings *settings;    /* settings of the folds' classifiers */
    size_t rows, most_of_fold; /* rows that are used, in all and at most per fold; the first of each fold */
    double *terms, *base, *weights;
    int32_t *truths;
} weights_fitting;

static void fold_weights_clear(weights_fitting *f) {
    crd_context *context = f->classifier->context;
    crd_settings_destroy(f->settings);
    crd_free(context, f->terms);
    crd_free(context, f->base);
    crd_free(context, f->weights);
    crd_free(context, f->truths);
}

/* Allocates the arrays for as many rows as MOST_TERMS allows, and prepares the settings of the folds' classifiers. */
static crd_status fold_weights_open(weights_fitting *f, crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t classes = f->classifier->class_count, count = f->problem->count;
    f->most_of_fold = MOST_TERMS / CRD_I_HELD_OUT_FOLDS / ((count + 1) * classes) + 1;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++)
        f->rows += crd_i_held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    f->terms = crd_i_alloc_zeroed(context, f->rows * count * classes, sizeof *f->terms);
    f->base = crd_i_alloc(context, f->rows * classes, sizeof *f->base);
    f->weights = crd_i_alloc(context, f->rows, sizeof *f->weights);
    f->truths = crd_i_alloc(context, f->rows, sizeof *f->truths);
    if (f->terms == NULL || f->base == NULL || f->weights == NULL || f->truths == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_held_out_settings(f->classifier, &f->settings, error);
    if (status == CRD_OK && f->problem->method != NULL)
        status = crd_settings_set(f->settings, "method", crd_text_of(f->problem->method), error);
    /* The folds' models only provide terms, so they need no fitted weights. */
    if (status == CRD_OK) status = crd_settings_set(f->settings, "exponents", crd_text_of("none"), error);
    return status;
}

/* ---- Terms of the rows of a fold, by a classifier trained on the other folds ---- */

typedef struct fold_room {
    crd_i_one_cell *cells;
    double *scratch;
    int32_t *classes; /* for each class of the fold's classifier: its code in the whole classifier */
    double *logs;     /* log densities of texts: attributes x classes of the fold's classifier */
} fold_room;

static void place_truth(const weights_fitting *f, size_t row, size_t index) {
    f->weights[index] = crd_i_held_out_weights(f->inner)[row];
    f->truths[index] = crd_i_held_out_classes(f->inner)[row];
}

/* Handles a fold that contains all rows: no classifier can be trained without it, so all terms and bases are 0. */
static void fold_weights_place_nothing(const weights_fitting *f, size_t row, size_t index) {
    size_t classes = f->classifier->class_count;
    place_truth(f, row, index);
    for (size_t k = 0; k < classes; k++) f->base[index * classes + k] = 0;
}

/* Computes the terms of one row with the fold's classifier and stores them at `index`. */
static crd_status fold_weights_place_row(const weights_fitting *f, const crd_classifier *source_classifier,
                                         const fold_room *workspace, size_t row, size_t index, crd_error *error) {
    size_t classes = f->classifier->class_count;
    double *terms = f->terms + index * classes * f->problem->count, *base = f->base + index * classes;
    const crd_i_scored_row scored = {source_classifier, workspace->cells, workspace->scratch};
    crd_i_held_out_row(f->inner, source_classifier, row, workspace->cells);
    place_truth(f, row, index);
    for (size_t k = 0; k < classes; k++) base[k] = -CRD_I_FOLD_WEIGHTS_MOST;
    for (size_t i = 0; i < source_classifier->attribute_count; i++) {
        crd_status status = crd_i_cell_read(&source_classifier->attributes[i], &workspace->cells[i],
                                            workspace->logs + i * source_classifier->class_count, error);
        if (status != CRD_OK) return status;
    }
    return f->problem->place(f->problem->state, &scored, workspace->classes, terms, base, error);
}

/* Allocates scratch space and computes the terms of the rows of a fold. */
static crd_status place_fold(const weights_fitting *f, const crd_classifier *source_classifier, size_t first,
                             size_t rows, size_t index, crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t scratch = source_classifier->scorer->scratch + f->problem->scratch(f->problem->state, source_classifier);
    fold_room workspace = {crd_i_alloc(context, source_classifier->attribute_count, sizeof *workspace.cells),
                           crd_i_alloc(context, scratch, sizeof *workspace.scratch),
                           crd_i_alloc(context, source_classifier->class_count, sizeof *workspace.classes),
                           crd_i_alloc(context, source_classifier->attribute_count * source_classifier->class_count,
                                       sizeof *workspace.logs)};
    bool has_room =
        workspace.cells != NULL && workspace.scratch != NULL && workspace.classes != NULL && workspace.logs != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < source_classifier->class_count; k++)
        workspace.classes[k] =
            crd_i_dictionary_find(f->classifier->classes, crd_classifier_class(source_classifier, k));
    for (size_t row = 0; status == CRD_OK && row < rows; row++)
        status = fold_weights_place_row(f, source_classifier, &workspace, first + row, index + row, error);
    crd_free(context, workspace.cells);
    crd_free(context, workspace.scratch);
    crd_free(context, workspace.classes);
    crd_free(context, workspace.logs);
    return status;
}

/* Trains a classifier on the other folds and computes the terms of the fold's rows, stored from `index` on. */
static crd_status fold_weights_find_terms(const weights_fitting *f, size_t fold, size_t index, crd_error *error) {
    size_t first = crd_i_held_out_start(f->inner, fold), limit = crd_i_held_out_start(f->inner, fold + 1);
    size_t rows = crd_i_held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    crd_model *model;
    crd_classifier *classifier = NULL;
    crd_status status = crd_i_held_out_learn(f->inner, f->settings, first, limit, NULL, &model, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &classifier, error);
    crd_model_destroy(model);
    if (status == CRD_OK) status = place_fold(f, classifier, first, rows, index, error);
    else if (status == CRD_ERROR_EMPTY) {
        for (size_t row = 0; row < rows; row++) fold_weights_place_nothing(f, first + row, index + row);
        status = CRD_OK;
    }
    crd_classifier_destroy(classifier);
    return status;
}

/* ---- Entry points ---- */

/* Fits the weights to the computed terms by penalized logistic regression. */
static crd_status fold_weights_fit(const weights_fitting *f, double *weights, crd_error *error) {
    const crd_i_fold_weights *problem = f->problem;
    double loss, few = problem->ridge_of_few * (double)problem->count / (double)f->rows;
    bool has_converged;
    const crd_i_logistic logistic = {.rows = f->rows,
                                     .classes = f->classifier->class_count,
                                     .features = problem->count,
                                     .values = f->terms,
                                     .base = f->base,
                                     .truths = f->truths,
                                     .weights = f->weights,
                                     .holds_above_zero = true,
                                     .ridge = problem->ridge + few,
                                     .enough = CRD_I_HELD_OUT_ENOUGH};
    bool done = crd_i_logistic_fit(f->classifier->context, &logistic, weights, NULL, &loss, &has_converged);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Computes the terms fold by fold, then fits the weights. */
crd_status crd_i_fold_weights_fit(const crd_i_fold_weights *problem, const crd_classifier *classifier,
                                  const crd_i_held_out *inner, double *weights, crd_error *error) {
    weights_fitting f = {.problem = problem, .classifier = classifier, .inner = inner};
    /* With so few rows, none can be held out. */
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classifier->class_count < 2 || problem->count == 0)
        return CRD_OK;
    crd_status status = fold_weights_open(&f, error);
    for (size_t fold = 0, index = 0; status == CRD_OK && fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        size_t rows = crd_i_held_out_rows_of_fold(inner, fold, f.most_of_fold);
        if (rows > 0) status = fold_weights_find_terms(&f, fold, index, error);
        index += rows;
    }
    if (status == CRD_OK) status = fold_weights_fit(&f, weights, error);
    fold_weights_clear(&f);
    return status;
}

bool crd_i_fold_weights_fit_in(const double *weights, size_t count) {
    static const double MOST = 1e6;
    for (size_t i = 0; i < count; i++)
        if (!(weights[i] >= 0 && weights[i] <= MOST)) return false;
    return true;
}
