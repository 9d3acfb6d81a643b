/* pairwise.c - see pairwise.h. */
#include "fit/pairwise.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/compound.h"
#include "density/multivariate/aode.h"
#include "math/logistic_newton.h"

#include <math.h>

struct crd_i_pairwise {
    crd_context *context;
    crd_i_joint *a1de;
    size_t *attributes; /* of the classifier, for each column */
    double *exponents;
    size_t count; /* of exponents */
};

/* Terms of all rows and classes that are fitted to: a bound on memory, and on time. */
enum { MOST_TERMS = 1 << 24 };

/* As if naive Bayes's exponents had been seen so often, and more often the fewer rows there are for each exponent. */
static const double RIDGE = 1, RIDGE_OF_FEW = 25;

/* No term says more against a class, or for it, than this. */
static const double MOST_TERM = 50;

crd_status crd_i_pairwise_create(const crd_classifier *classifier, crd_i_joint *a1de, const size_t *attributes,
                                 crd_i_pairwise **out, crd_error *error) {
    crd_context *context = classifier->context;
    crd_i_pairwise *pairwise = *out = crd_i_alloc_zeroed(context, 1, sizeof *pairwise);
    if (pairwise == NULL) {
        crd_i_joint_destroy(a1de);
        return crd_i_fail_memory(error);
    }
    pairwise->context = context;
    pairwise->a1de = a1de;
    pairwise->count = crd_i_aode_pair_count(a1de);
    pairwise->attributes = crd_i_alloc(context, a1de->column_count, sizeof *pairwise->attributes);
    pairwise->exponents = crd_i_alloc_zeroed(context, pairwise->count, sizeof *pairwise->exponents);
    if (pairwise->attributes == NULL || pairwise->exponents == NULL) {
        crd_i_pairwise_destroy(pairwise);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < a1de->column_count; i++) {
        pairwise->attributes[i] = attributes[i];
        pairwise->exponents[i] = 1;
    }
    return CRD_OK;
}

void crd_i_pairwise_destroy(crd_i_pairwise *pairwise) {
    if (pairwise == NULL) return;
    crd_i_joint_destroy(pairwise->a1de);
    crd_free(pairwise->context, pairwise->attributes);
    crd_free(pairwise->context, pairwise->exponents);
    crd_free(pairwise->context, pairwise);
}

const double *crd_i_pairwise_exponents(const crd_i_pairwise *pairwise, size_t *count) {
    *count = pairwise->count;
    return pairwise->exponents;
}

void crd_i_pairwise_set(crd_i_pairwise *pairwise, const double *exponents) {
    for (size_t i = 0; i < pairwise->count; i++) pairwise->exponents[i] = exponents[i];
}

/* ---- Terms ---- */

static size_t room_of(const crd_i_joint *joint) {
    return crd_i_joint_cells_room(joint->column_count) + joint->room + crd_i_aode_pair_count(joint) * joint->conditions;
}

size_t crd_i_pairwise_room(const crd_i_pairwise *pairwise) {
    return room_of(pairwise->a1de);
}

static double bound(double term) {
    return term > MOST_TERM ? MOST_TERM : term > -MOST_TERM ? term : -MOST_TERM;
}

/* The terms of a row in room; returns where they are. */
static double *find_terms(const crd_i_joint *joint, const size_t *attributes, const crd_i_one_cell *cells,
                          double *room) {
    crd_i_joint_cell *own = (crd_i_joint_cell *)room;
    double *terms = room + crd_i_joint_cells_room(joint->column_count) + joint->room;
    for (size_t i = 0; i < joint->column_count; i++) {
        const crd_i_one_cell *cell = &cells[attributes[i]];
        const crd_i_joint_cell one = {cell->is_present && !cell->is_unseen, cell->number, cell->code};
        own[i] = one;
    }
    crd_i_aode_pair_terms(joint, own, terms, room + crd_i_joint_cells_room(joint->column_count));
    return terms;
}

size_t crd_i_pairwise_columns(const crd_i_pairwise *pairwise, const size_t **attributes) {
    *attributes = pairwise->attributes;
    return pairwise->a1de->column_count;
}

void crd_i_pairwise_terms(const crd_i_pairwise *pairwise, const crd_i_one_cell *cells, double *terms, double *room) {
    size_t classes = pairwise->a1de->conditions;
    const double *found = find_terms(pairwise->a1de, pairwise->attributes, cells, room);
    for (size_t i = 0; i < pairwise->count; i++)
        for (size_t k = 0; k < classes; k++)
            terms[i * classes + k] =
                pairwise->exponents[i] > 0 ? pairwise->exponents[i] * bound(found[i * classes + k]) : 0;
}

void crd_i_pairwise_add(const crd_i_pairwise *pairwise, const crd_i_one_cell *cells, double *sums, double *room) {
    size_t classes = pairwise->a1de->conditions;
    const double *terms = find_terms(pairwise->a1de, pairwise->attributes, cells, room);
    for (size_t i = 0; i < pairwise->count; i++, terms += classes)
        for (size_t k = 0; pairwise->exponents[i] > 0 && k < classes; k++)
            sums[k] += pairwise->exponents[i] * bound(terms[k]);
}

/* ---- Fitting ---- */

typedef struct fitting {
    const crd_classifier *classifier;
    const crd_i_held_out *inner;
    size_t rows, most_of_fold; /* that take part: the first of each fold */
    double *terms, *base, *weights;
    int32_t *truths;
} fitting;

/* Puts the terms of one row, by the classifier of the other folds, where the problem has them. */
static void place(const fitting *f, const crd_classifier *of, const int32_t *classes, const crd_i_one_cell *cells,
                  double *room, size_t at) {
    const crd_i_taken *by = &of->compound->joints[0];
    size_t all = f->classifier->class_count, count = crd_i_aode_pair_count(by->joint);
    const double *terms = find_terms(by->joint, by->attributes, cells, room);
    for (size_t k = 0; k < all; k++) f->base[at * all + k] = -MOST_TERM;
    for (size_t k = 0; k < of->class_count; k++) {
        f->base[at * all + (size_t)classes[k]] = bound(of->log_priors[k]);
        for (size_t i = 0; i < count; i++)
            f->terms[(at * all + (size_t)classes[k]) * count + i] = bound(terms[i * of->class_count + k]);
    }
}

/* Of a row of which no classifier without it says anything: all rows are in its fold. */
static void place_nothing(const fitting *f, size_t row, size_t at) {
    size_t all = f->classifier->class_count;
    for (size_t k = 0; k < all; k++) f->base[at * all + k] = 0;
    f->weights[at] = crd_i_held_out_weights(f->inner)[row];
    f->truths[at] = crd_i_held_out_classes(f->inner)[row];
}

static crd_status find_fold(const fitting *f, const crd_settings *settings, size_t fold, size_t at, crd_error *error) {
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
    crd_i_one_cell *cells = crd_i_alloc(context, of->attribute_count, sizeof *cells);
    int32_t *classes = crd_i_alloc(context, of->class_count, sizeof *classes);
    double *room = crd_i_alloc(context, room_of(of->compound->joints[0].joint), sizeof *room);
    if (cells == NULL || classes == NULL || room == NULL) status = crd_i_fail_memory(error);
    for (size_t k = 0; status == CRD_OK && k < of->class_count; k++)
        classes[k] = crd_i_dictionary_find(f->classifier->classes, crd_classifier_class(of, k));
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        crd_i_held_out_row(f->inner, of, from + row, cells);
        place(f, of, classes, cells, room, at + row);
        f->weights[at + row] = crd_i_held_out_weights(f->inner)[from + row];
        f->truths[at + row] = crd_i_held_out_classes(f->inner)[from + row];
    }
    crd_free(context, cells);
    crd_free(context, classes);
    crd_free(context, room);
    crd_classifier_destroy(of);
    return status;
}

static crd_status fit(const fitting *f, crd_i_pairwise *pairwise, crd_error *error) {
    double loss;
    bool has_converged;
    const crd_i_logistic problem = {.rows = f->rows,
                                    .classes = f->classifier->class_count,
                                    .features = pairwise->count,
                                    .values = f->terms,
                                    .base = f->base,
                                    .truths = f->truths,
                                    .weights = f->weights,
                                    .holds_above_zero = true,
                                    .ridge = RIDGE + RIDGE_OF_FEW * (double)pairwise->count / (double)f->rows,
                                    .enough = CRD_I_HELD_OUT_ENOUGH};
    return crd_i_logistic_fit(pairwise->context, &problem, pairwise->exponents, NULL, &loss, &has_converged)
               ? CRD_OK
               : crd_i_fail_memory(error);
}

crd_status crd_i_pairwise_fit(crd_i_pairwise *pairwise, const crd_classifier *classifier, const crd_i_held_out *inner,
                              crd_error *error) {
    crd_context *context = classifier->context;
    size_t classes = classifier->class_count;
    crd_settings *settings = NULL;
    fitting f = {.classifier = classifier, .inner = inner};
    if (crd_i_held_out_rows(inner) < 2 * CRD_I_HELD_OUT_FOLDS || classes < 2 || pairwise->count == 0) return CRD_OK;
    f.most_of_fold = MOST_TERMS / CRD_I_HELD_OUT_FOLDS / ((pairwise->count + 1) * classes) + 1;
    for (size_t fold = 0; fold < CRD_I_HELD_OUT_FOLDS; fold++)
        f.rows += crd_i_held_out_rows_of_fold(inner, fold, f.most_of_fold);
    f.terms = crd_i_alloc_zeroed(context, f.rows * pairwise->count * classes, sizeof *f.terms);
    f.base = crd_i_alloc(context, f.rows * classes, sizeof *f.base);
    f.weights = crd_i_alloc(context, f.rows, sizeof *f.weights);
    f.truths = crd_i_alloc(context, f.rows, sizeof *f.truths);
    bool has_room = f.terms != NULL && f.base != NULL && f.weights != NULL && f.truths != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_held_out_settings(classifier, &settings, error);
    /* Of models of some rows the terms are wanted, not exponents of their own. */
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("a1de"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "exponents", crd_text_of("none"), error);
    for (size_t fold = 0, at = 0; status == CRD_OK && fold < CRD_I_HELD_OUT_FOLDS; fold++) {
        size_t rows = crd_i_held_out_rows_of_fold(inner, fold, f.most_of_fold);
        if (rows > 0) status = find_fold(&f, settings, fold, at, error);
        at += rows;
    }
    if (status == CRD_OK) status = fit(&f, pairwise, error);
    crd_settings_destroy(settings);
    crd_free(context, f.terms);
    crd_free(context, f.base);
    crd_free(context, f.weights);
    crd_free(context, f.truths);
    return status;
}
