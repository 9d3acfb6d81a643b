/* SPDX-License-Identifier: MIT */
/* fold_weights.c - see fold_weights.h. */
#include "fit/fold_weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "math/logistic_newton.h"

/* Terms of all rows and classes that are fitted to: a bound on memory, and on time. */
enum { MOST_TERMS = 1 << 24 };

typedef struct fitting {
    const crd_i_fold_weights *problem;
    const crd_classifier *classifier;
    const crd_i_held_out *inner;
    crd_settings *settings;    /* of the folds' classifiers */
    size_t rows, most_of_fold; /* that take part: the first of each fold */
    double *terms, *base, *weights;
    int32_t *truths;
} fitting;

static void clear(fitting *f) {
    crd_context *context = f->classifier->context;
    crd_settings_destroy(f->settings);
    crd_free(context, f->terms);
    crd_free(context, f->base);
    crd_free(context, f->weights);
    crd_free(context, f->truths);
}

static crd_status open(fitting *f, crd_error *error) {
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
    /* Of models of some rows the terms are needed, not weights of their own. */
    if (status == CRD_OK) status = crd_settings_set(f->settings, "exponents", crd_text_of("none"), error);
    return status;
}

/* ---- Terms of a fold's rows, by a classifier of the others ---- */

typedef struct fold_room {
    crd_i_one_cell *cells;
    double *scratch;
    int32_t *classes; /* of the fold's classifier, those of the whole */
    double *logs;     /* of texts: attributes x classes of the fold's classifier */
} fold_room;

static void place_truth(const fitting *f, size_t row, size_t at) {
    f->weights[at] = crd_i_held_out_weights(f->inner)[row];
    f->truths[at] = crd_i_held_out_classes(f->inner)[row];
}

/* No classifier without the row has any terms of it: all rows are in its fold. */
static void place_nothing(const fitting *f, size_t row, size_t at) {
    size_t classes = f->classifier->class_count;
    place_truth(f, row, at);
    for (size_t k = 0; k < classes; k++) f->base[at * classes + k] = 0;
}

static crd_status place_row(const fitting *f, const crd_classifier *of, const fold_room *room, size_t row, size_t at,
                            crd_error *error) {
    size_t classes = f->classifier->class_count;
    double *terms = f->terms + at * classes * f->problem->count, *base = f->base + at * classes;
    const crd_i_scored_row scored = {of, room->cells, room->scratch};
    crd_i_held_out_row(f->inner, of, row, room->cells);
    place_truth(f, row, at);
    for (size_t k = 0; k < classes; k++) base[k] = -CRD_I_FOLD_WEIGHTS_MOST;
    for (size_t i = 0; i < of->attribute_count; i++) {
        crd_status status =
            crd_i_cell_read(&of->attributes[i], &room->cells[i], room->logs + i * of->class_count, error);
        if (status != CRD_OK) return status;
    }
    return f->problem->place(f->problem->state, &scored, room->classes, terms, base, error);
}

static crd_status place_fold(const fitting *f, const crd_classifier *of, size_t from, size_t rows, size_t at,
                             crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t scratch = of->scorer->scratch + f->problem->scratch(f->problem->state, of);
    fold_room room = {crd_i_alloc(context, of->attribute_count, sizeof *room.cells),
                      crd_i_alloc(context, scratch, sizeof *room.scratch),
                      crd_i_alloc(context, of->class_count, sizeof *room.classes),
                      crd_i_alloc(context, of->attribute_count * of->class_count, sizeof *room.logs)};
    bool has_room = room.cells != NULL && room.scratch != NULL && room.classes != NULL && room.logs != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < of->class_count; k++)
        room.classes[k] = crd_i_dictionary_find(f->classifier->classes, crd_classifier_class(of, k));
    for (size_t row = 0; status == CRD_OK && row < rows; row++)
        status = place_row(f, of, &room, from + row, at + row, error);
    crd_free(context, room.cells);
    crd_free(context, room.scratch);
    crd_free(context, room.classes);
    crd_free(context, room.logs);
    return status;
}

static crd_status find_terms(const fitting *f, size_t fold, size_t at, crd_error *error) {
    size_t from = crd_i_held_out_start(f->inner, fold), to = crd_i_held_out_start(f->inner, fold + 1);
    size_t rows = crd_i_held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    crd_model *model;
    crd_classifier *of = NULL;
    crd_status status = crd_i_held_out_learn(f->inner, f->settings, from, to, NULL, &model, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &of, error);
    crd_model_destroy(model);
    if (status == CRD_OK) status = place_fold(f, of, from, rows, at, error);
    else if (status == CRD_ERROR_EMPTY) {
        for (size_t row = 0; row < rows; row++) place_nothing(f, from + row, at + row);
        status = CRD_OK;
    }
    crd_classifier_destroy(of);
    return status;
}

/* ---- The whole ---- */

static crd_status fit(const fitting *f, double *weights, crd_error *error) {
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

crd_status crd_i_fold_weights_fit(const crd_i_fold_weights *problem, const crd_classifier *classifier,
                                  const crd_i_held_out *inner, double *weights, crd_error *error) {
    fitting f = {.problem = problem, .classifier = classifier, .inner = inner};
    /* A row that is alone cannot be held out. */
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classifier->class_count < 2 || problem->count == 0)
        return CRD_OK;
    crd_status status = open(&f, error);
    for (size_t fold = 0, at = 0; status == CRD_OK && fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        size_t rows = crd_i_held_out_rows_of_fold(inner, fold, f.most_of_fold);
        if (rows > 0) status = find_terms(&f, fold, at, error);
        at += rows;
    }
    if (status == CRD_OK) status = fit(&f, weights, error);
    clear(&f);
    return status;
}

bool crd_i_fold_weights_fit_in(const double *weights, size_t count) {
    static const double MOST = 1e6;
    for (size_t i = 0; i < count; i++)
        if (!(weights[i] >= 0 && weights[i] <= MOST)) return false;
    return true;
}
