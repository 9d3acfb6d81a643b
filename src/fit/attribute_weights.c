/* attribute_weights.c - see attribute_weights.h. */
#include "fit/attribute_weights.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/compound.h"
#include "math/logistic_newton.h"

#include <math.h>

/* Terms of all rows, attributes and classes that are fitted to: a bound on memory, and on time. */
enum { MOST_TERMS = 1 << 24 };

/* As if an exponent of 1 had been seen so often: what few rows say is drawn towards it. */
static const double RIDGE = 1;

/* No term says more against a class than this: that of a value that was never seen with it would be infinite. */
static const double LEAST_TERM = -50;

typedef struct fitting {
    const crd_classifier *classifier;
    const crd_i_held_out *inner;
    size_t *attributes; /* those with an exponent */
    size_t count;
    size_t rows, most_of_fold; /* that take part: the first of each fold */
    double *terms, *base, *weights;
    int32_t *truths;
} fitting;

static void clear(fitting *f) {
    crd_context *context = f->classifier->context;
    crd_free(context, f->attributes);
    crd_free(context, f->terms);
    crd_free(context, f->base);
    crd_free(context, f->weights);
    crd_free(context, f->truths);
}

static bool open(fitting *f) {
    const crd_classifier *classifier = f->classifier;
    crd_context *context = classifier->context;
    f->attributes = crd_i_alloc(context, classifier->attribute_count, sizeof *f->attributes);
    if (f->attributes == NULL) return false;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (crd_i_attribute_counts(classifier, i)) f->attributes[f->count++] = i;
    size_t of_row = (f->count + 1) * classifier->class_count;
    f->most_of_fold = MOST_TERMS / CRD_I_HELD_OUT_FOLDS / of_row + 1;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++)
        f->rows += crd_i_held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    f->terms = crd_i_alloc_zeroed(context, f->rows * f->count * classifier->class_count, sizeof *f->terms);
    f->base = crd_i_alloc(context, f->rows * classifier->class_count, sizeof *f->base);
    f->weights = crd_i_alloc(context, f->rows, sizeof *f->weights);
    f->truths = crd_i_alloc(context, f->rows, sizeof *f->truths);
    return f->terms != NULL && f->base != NULL && f->weights != NULL && f->truths != NULL;
}

/* ---- Terms of a fold's rows, by a classifier of the others ---- */

typedef struct fold_room {
    crd_i_one_cell *cells;
    double *sums, *joint; /* of the classes; and what joint densities work in */
    int32_t *classes;     /* of the fold's classifier, those of the whole */
} fold_room;

/* Of a row of which no classifier without it says anything: all rows are in its fold. */
static void place_nothing(const fitting *f, size_t row, size_t at) {
    size_t classes = f->classifier->class_count;
    f->weights[at] = crd_i_held_out_weights(f->inner)[row];
    f->truths[at] = crd_i_held_out_classes(f->inner)[row];
    for (size_t k = 0; k < classes; k++) f->base[at * classes + k] = 0;
}

/* What the fold's classifier says of a row, put where the problem has it: what has no exponent in the base. */
static void place_row(const fitting *f, const crd_classifier *of, const fold_room *room, size_t row, size_t at) {
    size_t classes = f->classifier->class_count;
    crd_i_held_out_row(f->inner, of, row, room->cells);
    f->weights[at] = crd_i_held_out_weights(f->inner)[row];
    f->truths[at] = crd_i_held_out_classes(f->inner)[row];
    for (size_t k = 0; k < classes; k++) f->base[at * classes + k] = LEAST_TERM;
    for (size_t k = 0; k < of->class_count; k++) room->sums[k] = of->log_priors[k];
    crd_i_compound_add_joints(of, room->cells, room->sums, room->joint);
    double greatest = -INFINITY;
    for (size_t k = 0; k < of->class_count; k++)
        if (room->sums[k] > greatest) greatest = room->sums[k];
    for (size_t k = 0; k < of->class_count; k++)
        if (room->sums[k] - greatest > LEAST_TERM)
            f->base[at * classes + (size_t)room->classes[k]] = room->sums[k] - greatest;
    for (size_t j = 0; j < f->count; j++) {
        size_t i = f->attributes[j];
        const crd_i_one_cell *cell = &room->cells[i];
        if (!cell->is_present || cell->is_unseen || !crd_i_attribute_counts(of, i)) continue;
        const crd_i_cells one = {1, &cell->number, NULL, &cell->code};
        for (size_t k = 0; k < of->class_count; k++) room->sums[k] = 0;
        of->attributes[i].density->family->add(of->attributes[i].density, &one, room->sums);
        for (size_t k = 0; k < of->class_count; k++)
            f->terms[(at * classes + (size_t)room->classes[k]) * f->count + j] =
                room->sums[k] > LEAST_TERM ? room->sums[k] : LEAST_TERM;
    }
}

static crd_status find_terms(fitting *f, const crd_settings *settings, size_t fold, size_t at, crd_error *error) {
    crd_context *context = f->classifier->context;
    size_t from = crd_i_held_out_start(f->inner, fold),
           rows = crd_i_held_out_rows_of_fold(f->inner, fold, f->most_of_fold);
    crd_model *model;
    crd_classifier *of = NULL;
    crd_status status =
        crd_i_held_out_learn(f->inner, settings, from, crd_i_held_out_start(f->inner, fold + 1), NULL, &model, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &of, error);
    crd_model_destroy(model);
    for (size_t row = 0; status == CRD_ERROR_EMPTY && row < rows; row++) place_nothing(f, from + row, at + row);
    if (status != CRD_OK) return status == CRD_ERROR_EMPTY ? CRD_OK : status;
    fold_room room = {crd_i_alloc(context, of->attribute_count, sizeof *room.cells),
                      crd_i_alloc(context, of->class_count, sizeof *room.sums),
                      crd_i_alloc(context, crd_i_compound_room(of), sizeof *room.joint),
                      crd_i_alloc(context, of->class_count, sizeof *room.classes)};
    if (room.cells == NULL || room.sums == NULL || room.joint == NULL || room.classes == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t k = 0; k < of->class_count; k++)
            room.classes[k] = crd_i_dictionary_find(f->classifier->classes, crd_classifier_class(of, k));
        for (size_t row = 0; row < rows; row++) place_row(f, of, &room, from + row, at + row);
    }
    crd_free(context, room.cells);
    crd_free(context, room.sums);
    crd_free(context, room.joint);
    crd_free(context, room.classes);
    crd_classifier_destroy(of);
    return status;
}

/* ---- The whole ---- */

static crd_status fit(fitting *f, double *exponents, crd_error *error) {
    crd_context *context = f->classifier->context;
    double *coefficients = crd_i_alloc(context, f->count, sizeof *coefficients), loss;
    bool has_converged;
    if (coefficients == NULL) return crd_i_fail_memory(error);
    for (size_t j = 0; j < f->count; j++) coefficients[j] = 1;
    const crd_i_logistic problem = {.rows = f->rows,
                                    .classes = f->classifier->class_count,
                                    .features = f->count,
                                    .values = f->terms,
                                    .base = f->base,
                                    .truths = f->truths,
                                    .weights = f->weights,
                                    .holds_above_zero = true,
                                    .ridge = RIDGE,
                                    .enough = CRD_I_HELD_OUT_ENOUGH};
    bool done = crd_i_logistic_fit(context, &problem, coefficients, NULL, &loss, &has_converged);
    for (size_t j = 0; done && j < f->count; j++) exponents[f->attributes[j]] = coefficients[j];
    crd_free(context, coefficients);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_attribute_weights_fit(const crd_classifier *classifier, const crd_i_held_out *inner, double **out,
                                       crd_error *error) {
    crd_context *context = classifier->context;
    crd_settings *settings = NULL;
    fitting f = {.classifier = classifier, .inner = inner};
    *out = crd_i_alloc(context, classifier->attribute_count, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < classifier->attribute_count; i++) (*out)[i] = 1;
    /* A row that is alone cannot be held out. */
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classifier->class_count < 2) return CRD_OK;
    crd_status status = crd_i_held_out_settings(classifier, &settings, error);
    if (status == CRD_OK) status = crd_settings_set(settings, "exponents", crd_text_of("none"), error);
    if (status == CRD_OK && !open(&f)) status = crd_i_fail_memory(error);
    for (size_t fold = 0, at = 0; status == CRD_OK && f.count > 0 && fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        size_t rows = crd_i_held_out_rows_of_fold(inner, fold, f.most_of_fold);
        if (rows > 0) status = find_terms(&f, settings, fold, at, error);
        at += rows;
    }
    if (status == CRD_OK && f.count > 0) status = fit(&f, *out, error);
    clear(&f);
    crd_settings_destroy(settings);
    if (status != CRD_OK) {
        crd_free(context, *out);
        *out = NULL;
    }
    return status;
}
