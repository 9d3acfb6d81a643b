/* SPDX-License-Identifier: MIT */
/* leave_one_out.c - leave-one-out classification: each row is classified by the naive Bayes model of all other rows,
 * at the cost of ordinary classification.
 *
 * Removing a row from a naive Bayes model changes the count of its class and one value of each attribute in that
 * class. The family computes the densities without that value (its "rest"). Terms are summed in schema order. So the
 * sums are bit-identical to a classifier that was trained on the other rows. */
#include "evaluate/leave_one_out.h"

#include "classify/posteriors.h"
#include "model/column_family.h"
#include "model/joint_tallies.h"
#include "model/model_internal.h"
#include "model/schema_view.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classifier_internal.h"
#include "classify/classify_row.h"

#include <credence/evaluate.h>

#include <math.h>

/* The rest that computes an attribute, and the attribute's index in it. There is one rest per family. */
typedef struct place {
    crd_i_rest *remainder; /* NULL: the attribute is missing in all rows */
    size_t index;
} place;

struct crd_i_leave_one_out {
    crd_context *context;
    crd_classifier *classifier;
    crd_i_schema_view *view;
    crd_text target;
    crd_i_tallied *tallied; /* all attributes, ordered by family */
    crd_i_rest **rests;     /* one for each family */
    size_t rest_count;
    place *places; /* one for each attribute */

    /* Log priors of the classes that the row does not belong to: others[0] if its class keeps other rows, others[1]
     * if its class disappears with the row. */
    double *others[2];
    double *values; /* log prior of the row's own class; -INFINITY if it disappears */
    double *priors; /* log priors of all classes for the current row */

    crd_i_binding binding;
    int32_t *conditions; /* the class of each row of the current frame */
    uint32_t *unseen;
    size_t conditions_capacity, unseen_capacity;
};

void crd_i_leave_one_out_destroy(crd_i_leave_one_out *leaving) {
    if (leaving == NULL) return;
    crd_context *context = leaving->context;
    for (size_t i = 0; i < leaving->rest_count; i++) crd_i_rest_destroy(leaving->rests[i]);
    crd_free(context, leaving->rests);
    for (int i = 0; i < 2; i++) crd_free(context, leaving->others[i]);
    crd_free(context, leaving->values);
    crd_free(context, leaving->priors);
    crd_free(context, leaving->tallied);
    crd_free(context, leaving->places);
    crd_free(context, leaving->conditions);
    crd_free(context, leaving->unseen);
    crd_i_binding_clear(&leaving->binding);
    crd_i_schema_view_destroy(leaving->view);
    crd_classifier_destroy(leaving->classifier);
    crd_free(context, leaving);
}

/* ---- Creation ---- */

/* Returns the log prior of class k, given its count, the total and the number of classes. */
static double prior_of(const crd_classifier *classifier, size_t k, double count, double total, size_t classes) {
    if (classifier->settings->prior == CRD_I_PRIOR_GIVEN) return classifier->priors[k].log_value;
    crd_term term = CRD_TERM_INIT;
    crd_i_prior_fill(classifier->settings, count, total, classes, &term);
    return term.log_value;
}

/* Computes the log priors for all cases that can occur when one row is removed. */
static crd_status leave_one_out_derive_priors(crd_i_leave_one_out *leaving, const crd_model *model, crd_error *error) {
    const crd_classifier *classifier = leaving->classifier;
    const crd_i_view *view = &leaving->view->views[model->schema->target];
    const int32_t *codes = view->values;
    size_t classes = classifier->class_count;
    for (int i = 0; i < 2; i++) leaving->others[i] = crd_i_alloc(leaving->context, classes, sizeof(double));
    leaving->values = crd_i_alloc(leaving->context, classes, sizeof *leaving->values);
    leaving->priors = crd_i_alloc(leaving->context, classes, sizeof *leaving->priors);
    if (leaving->others[0] == NULL || leaving->others[1] == NULL || leaving->values == NULL || leaving->priors == NULL)
        return crd_i_fail_memory(error);
    double total = 0;
    for (size_t k = 0; k < classes; k++) total += crd_i_model_class_rows(model, (size_t)codes[k]);
    for (size_t k = 0; k < classes; k++) {
        double rows = crd_i_model_class_rows(model, (size_t)codes[k]);
        leaving->others[0][k] = leaving->others[1][k] = leaving->values[k] = -INFINITY;
        if (total <= 1) continue; /* without its only row, the model is empty */
        leaving->others[0][k] = prior_of(classifier, k, rows, total - 1, classes);
        if (classes > 1) leaving->others[1][k] = prior_of(classifier, k, rows, total - 1, classes - 1);
        bool goes = rows == 1 && (view->stays == NULL || !view->stays[k]);
        if (rows > 0 && !goes) leaving->values[k] = prior_of(classifier, k, rows - 1, total - 1, classes);
    }
    return CRD_OK;
}

/* Collects the attributes of a family in `tallied`, and sets *count. */
static crd_status leave_one_out_gather_family(crd_i_leave_one_out *leaving, const crd_model *model,
                                              const crd_i_family *family, crd_i_tallied *tallied, size_t *count,
                                              crd_error *error) {
    size_t attribute = 0;
    *count = 0;
    for (size_t column = 0; column < model->schema->count; column++) {
        if (column == model->schema->target) continue;
        place *target_place = &leaving->places[attribute];
        bool is_other = leaving->classifier->attributes[attribute++].family != family;
        if (is_other || model->variables[column].tally == NULL) continue;
        crd_status status =
            crd_i_column_family_open(model, column, family, &leaving->view->views[column], &tallied[*count], error);
        if (status != CRD_OK) return status;
        target_place->index = (*count)++;
    }
    return CRD_OK;
}

/* Creates the rest of each family. */
static crd_status create_rests(crd_i_leave_one_out *leaving, const crd_model *model, crd_error *error) {
    leaving->places = crd_i_alloc_zeroed(leaving->context, model->schema->count, sizeof *leaving->places);
    leaving->tallied = crd_i_alloc_zeroed(leaving->context, model->schema->count, sizeof *leaving->tallied);
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    leaving->rests = crd_i_alloc_zeroed(leaving->context, families, sizeof *leaving->rests);
    if (leaving->places == NULL || leaving->tallied == NULL || leaving->rests == NULL) return crd_i_fail_memory(error);
    leaving->rest_count = families;
    crd_i_tallied *tallied = leaving->tallied;
    for (size_t i = 0; i < families; i++) {
        size_t count;
        crd_status status = leave_one_out_gather_family(leaving, model, table[i], tallied, &count, error);
        if (status != CRD_OK) return status;
        if (count == 0) continue;
        status = table[i]->rest_create(table[i], leaving->context, tallied, count, leaving->classifier->settings,
                                       &leaving->rests[i], error);
        if (status != CRD_OK) return status;
        for (size_t a = 0; a < leaving->classifier->attribute_count; a++) {
            const crd_i_attribute *attribute = &leaving->classifier->attributes[a];
            if (attribute->family == table[i] && attribute->density != NULL)
                leaving->places[a].remainder = leaving->rests[i];
        }
        tallied += count;
    }
    return CRD_OK;
}

crd_status crd_i_leave_one_out_create(const crd_model *model, const crd_settings *settings, crd_i_leave_one_out **out,
                                      crd_error *error) {
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "leave rows out", error);
    if (status != CRD_OK) return status;
    if (crd_model_weight(model).bytes != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "leave-one-out needs a model without weights");
    if (!crd_i_joint_tallies_are_idle(settings == NULL ? model->settings : settings)) {
        crd_i_fail(error, CRD_ERROR_ARGUMENT,
                   "leave-one-out is only possible for naive Bayes without parameters that are fitted to rows");
        crd_i_error_hint(error, "use crd_assessment_of_folds, or method=naive with joint=none, attribute-weights=none "
                                "and calibration=none");
        return CRD_ERROR_ARGUMENT;
    }
    crd_i_leave_one_out *leaving = crd_i_alloc_zeroed(model->context, 1, sizeof *leaving);
    if (leaving == NULL) return crd_i_fail_memory(error);
    leaving->context = leaving->binding.context = model->context;
    leaving->target = model->schema->columns[model->schema->target].name;
    status = crd_classifier_create(model, settings, &leaving->classifier, error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &leaving->view, error);
    if (status == CRD_OK) status = leave_one_out_derive_priors(leaving, model, error);
    if (status == CRD_OK) status = create_rests(leaving, model, error);
    if (status != CRD_OK) {
        crd_i_leave_one_out_destroy(leaving);
        return status;
    }
    *out = leaving;
    return CRD_OK;
}

const crd_classifier *crd_i_leave_one_out_classifier(const crd_i_leave_one_out *leaving) {
    return leaving->classifier;
}

/* ---- Classification ---- */

/* Returns the name of a column: attributes first, then the target. */
static crd_text leave_one_out_column_name(const void *names, size_t i) {
    const crd_i_leave_one_out *leaving = names;
    const crd_classifier *classifier = leaving->classifier;
    return i < classifier->attribute_count ? classifier->attributes[i].name : leaving->target;
}

/* Returns CRD_ERROR_NOT_LEARNED for a value that the model lacks. */
static crd_status leave_one_out_not_learned(crd_text column, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: its value of '%s' is not in the model",
               crd_i_quote(column, quoted));
    crd_i_error_subject(error, column);
    return CRD_ERROR_NOT_LEARNED;
}

/* Maps the values of a categorical column to codes of the model. Fails if a value is new, because the row was then
 * not learned. */
static crd_status leave_one_out_translate(crd_i_leave_one_out *leaving, const crd_frame *frame, size_t i,
                                          const crd_i_dictionary *values, const int32_t *conditions,
                                          const int32_t **codes, crd_error *error) {
    *codes = crd_i_binding_translate(&leaving->binding, frame, i, NULL, values, conditions);
    if (*codes == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++)
        if ((*codes)[row] == CRD_I_CODE_UNSEEN)
            return leave_one_out_not_learned(leave_one_out_column_name(leaving, i), error);
    return CRD_OK;
}

/* Finds the class of each row of a frame. */
static crd_status find_conditions(crd_i_leave_one_out *leaving, const crd_frame *frame, crd_error *error) {
    size_t target = leaving->classifier->attribute_count;
    const crd_i_column *column = crd_i_binding_column(&leaving->binding, frame, target);
    if (column == NULL || column->type == CRD_TYPE_NUMERIC)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "the rows have no target column, or the target is numeric");
    if (!crd_i_reserve(leaving->context, &leaving->conditions, &leaving->conditions_capacity, frame->rows,
                       sizeof *leaving->conditions) ||
        !crd_i_reserve(leaving->context, &leaving->unseen, &leaving->unseen_capacity, frame->rows,
                       sizeof *leaving->unseen))
        return crd_i_fail_memory(error);
    const int32_t *codes = NULL;
    if (column->type == CRD_TYPE_CATEGORICAL) {
        crd_status status =
            leave_one_out_translate(leaving, frame, target, leaving->classifier->classes, NULL, &codes, error);
        if (status != CRD_OK) return status;
    }
    for (size_t row = 0; row < frame->rows; row++) {
        leaving->conditions[row] = codes == NULL ? CRD_I_CODE_MISSING : codes[row];
        leaving->unseen[row] = 0;
    }
    return CRD_OK;
}

/* Prepares the values of an attribute for its family. *present is false if the frame does not contain the attribute. */
static crd_status open_cells(crd_i_leave_one_out *leaving, const crd_frame *frame, size_t i, crd_i_cells *cells,
                             bool *present, crd_error *error) {
    const crd_i_attribute *attribute = &leaving->classifier->attributes[i];
    const crd_i_column *column = crd_i_binding_column(&leaving->binding, frame, i);
    *present = false;
    if (column == NULL || column->type == CRD_TYPE_NONE) return CRD_OK;
    crd_status status = crd_i_attribute_check_type(attribute, column, frame->rows, error);
    if (status != CRD_OK || column->type != attribute->type) return status;
    *present = true;
    const crd_i_cells found_cells = {
        .rows = frame->rows, .numbers = column->numbers, .validity = column->validity, .texts = column->texts};
    *cells = found_cells;
    if (attribute->type != CRD_TYPE_CATEGORICAL) return CRD_OK;
    return leave_one_out_translate(leaving, frame, i, attribute->values, leaving->conditions, &cells->codes, error);
}

/* Computes the parameters that attributes share, for each removed row. Only some families share parameters. */
static crd_status leave_one_out_pool(crd_i_leave_one_out *leaving, const crd_frame *frame, crd_error *error) {
    for (size_t i = 0; i < leaving->classifier->attribute_count; i++) {
        const place *current_place = &leaving->places[i];
        if (current_place->remainder == NULL || current_place->remainder->family->rest_pool == NULL) continue;
        crd_i_cells cells;
        bool present;
        crd_status status = open_cells(leaving, frame, i, &cells, &present, error);
        if (status == CRD_OK)
            status = current_place->remainder->family->rest_pool(current_place->remainder, current_place->index,
                                                                 present ? &cells : NULL, frame->rows,
                                                                 leaving->conditions, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Sets sums to the log priors that remain without the row. */
static void begin_sums(const crd_i_leave_one_out *leaving, size_t row, double *sums) {
    size_t classes = leaving->classifier->class_count;
    if (leaving->conditions[row] < 0) {
        for (size_t k = 0; k < classes; k++) sums[k] = -INFINITY;
        return;
    }
    size_t own = (size_t)leaving->conditions[row];
    bool goes = leaving->values[own] == -INFINITY;
    for (size_t k = 0; k < classes; k++) sums[k] = k == own ? leaving->values[k] : leaving->others[goes][k];
}

/* Adds the log densities of all attributes. */
static crd_status add_attributes(crd_i_leave_one_out *leaving, const crd_frame *frame, double *sums, crd_error *error) {
    for (size_t i = 0; i < leaving->classifier->attribute_count; i++) {
        const place *current_place = &leaving->places[i];
        crd_i_cells cells;
        bool present;
        if (current_place->remainder == NULL) continue;
        if (crd_i_context_cancelled(leaving->context)) return crd_i_fail_cancelled(error);
        crd_status status = open_cells(leaving, frame, i, &cells, &present, error);
        if (status == CRD_OK && present)
            status = current_place->remainder->family->rest_add(current_place->remainder, current_place->index, &cells,
                                                                leaving->conditions, sums, leaving->unseen, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_leave_one_out_classify(crd_i_leave_one_out *leaving, const crd_frame *frame,
                                        crd_posteriors *posteriors, crd_error *error) {
    const crd_classifier *classifier = leaving->classifier;
    size_t classes = classifier->class_count;
    if (!crd_i_posteriors_open(posteriors, frame->rows, classes) ||
        !crd_i_binding_bind(&leaving->binding, 0, frame, classifier->attribute_count + 1, leave_one_out_column_name,
                            leaving))
        return crd_i_fail_memory(error);
    crd_status status = find_conditions(leaving, frame, error);
    if (status == CRD_OK) status = leave_one_out_pool(leaving, frame, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; row < frame->rows; row++) begin_sums(leaving, row, posteriors->logs + row * classes);
    status = add_attributes(leaving, frame, posteriors->logs, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; row < frame->rows; row++) {
        posteriors->answers[row].unseen = leaving->unseen[row];
        begin_sums(leaving, row, leaving->priors);
        crd_i_classifier_conclude(classifier->lanes, leaving->priors, classes, posteriors->logs + row * classes,
                                  posteriors->probabilities + row * classes, &posteriors->answers[row]);
        crd_i_classifier_choose_only_class(leaving->priors, classes, posteriors->logs + row * classes,
                                           posteriors->probabilities + row * classes, &posteriors->answers[row]);
    }
    posteriors->rows = frame->rows;
    return CRD_OK;
}
