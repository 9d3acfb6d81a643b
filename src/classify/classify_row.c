/* SPDX-License-Identifier: MIT */
/* classify_row.c - see classify_row.h.
 *
 * Contents:
 *   1. Values
 *   2. Posteriors of a row
 *   3. Parts of the scorer */
#include "classify/classify_row.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/model_internal.h"
#include "table/values/column_format.h"

#include <credence/number.h>
#include <math.h>

/* ======== 1. Values ======== */

/* Sets the error that an attribute's value is invalid. The message is the attribute, `description`, and the text unless
 * the value is a number. */
static crd_status classify_row_refuse(crd_status status, const crd_i_attribute *attribute, const crd_value *value,
                                      const char *description, crd_error *error) {
    char name[CRD_I_QUOTED_ROOM], text[CRD_I_QUOTED_ROOM];
    crd_i_quote(attribute->name, name);
    crd_i_quote(value->text, text);
    bool is_text = value->type != CRD_TYPE_NUMERIC;
    crd_i_fail(error, status, "attribute '%s' %s%s%s%s", name, description, is_text ? ": '" : "", is_text ? text : "",
               is_text ? "'" : "");
    crd_i_error_subject(error, attribute->name);
    return status;
}

/* Returns the code of the interval that contains a number. Intervals have the same order as the attribute's values.
 * Negative: the value is not a number. */
static int32_t classify_row_find_interval(const crd_i_attribute *attribute, const crd_value *value) {
    if (value->type == CRD_TYPE_NUMERIC) return crd_i_intervals_find(&attribute->intervals, value->number);
    return crd_i_intervals_find_text(&attribute->intervals, value->text);
}

/* Converts a value. Missing values, NaN included, leave it absent. Categories that did not occur in training, and
 * numbers that no class can have, are marked as unseen. */
crd_status crd_i_classifier_cell(const crd_classifier *classifier, size_t index, const crd_value *value,
                                 crd_i_one_cell *cell, crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[index];
    const crd_i_one_cell missing = CRD_I_MISSING_CELL;
    *cell = missing;
    if (value->type == CRD_TYPE_NONE || (value->type == CRD_TYPE_NUMERIC && isnan(value->number))) return CRD_OK;
    cell->is_present = true;
    if (attribute->type == CRD_TYPE_CATEGORICAL) {
        bool has_intervals = crd_i_intervals_are(&attribute->intervals);
        if (value->type == CRD_TYPE_NUMERIC && !has_intervals)
            return classify_row_refuse(CRD_ERROR_COLUMN, attribute, value, "is categorical, but was given as a number",
                                       error);
        if (value->type != CRD_TYPE_NUMERIC) cell->code = crd_i_find_value(attribute->values, value->text);
        if (has_intervals && cell->code < 0) cell->code = classify_row_find_interval(attribute, value);
        cell->is_unseen = cell->code < 0;
    } else if (attribute->type == CRD_TYPE_NUMERIC) {
        cell->number = value->number;
        crd_number_class class = isinf(value->number) ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE;
        if (value->type != CRD_TYPE_NUMERIC) class = crd_number_parse(value->text, &cell->number);
        if (class == CRD_NUMBER_INFINITE)
            return classify_row_refuse(CRD_ERROR_NUMBER, attribute, value, "was given as an infinite number", error);
        if (class == CRD_NUMBER_NONE)
            return classify_row_refuse(CRD_ERROR_NUMBER, attribute, value, "is numeric, but was given as", error);
        cell->is_unseen = crd_i_attribute_counts(attribute) && !crd_i_density_covers(attribute->density, cell->number);
    } else if (attribute->type == CRD_TYPE_TEXT) {
        if (value->type == CRD_TYPE_NUMERIC)
            return classify_row_refuse(CRD_ERROR_COLUMN, attribute, value, "is a text, but was given as a number",
                                       error);
        cell->text = value->text;
        cell->is_present = cell->text.bytes != NULL;
    }
    return CRD_OK;
}

/* Returns whether the value is a text whose log densities have not been computed yet. */
static bool is_unread(const crd_i_attribute *attribute, const crd_i_one_cell *cell) {
    return attribute->type == CRD_TYPE_TEXT && cell->is_present && cell->logs == NULL &&
           crd_i_attribute_counts(attribute);
}

crd_status crd_i_cell_read(const crd_i_attribute *attribute, crd_i_one_cell *cell, double *workspace,
                           crd_error *error) {
    if (!is_unread(attribute, cell)) return CRD_OK;
    const crd_i_cells cells = crd_i_cells_of(cell);
    cell->terms = (crd_i_terms_read){0, 0, 0};
    crd_status status = attribute->density->family->read(attribute->density, &cells, workspace, &cell->terms, error);
    if (status == CRD_OK) cell->logs = workspace;
    else if (error != NULL && error->subject[0] == '\0') crd_i_error_subject(error, attribute->name);
    return status;
}

crd_status crd_i_cell_read_alone(const crd_classifier *classifier, size_t attribute, crd_i_one_cell *cell,
                                 double **workspace, crd_error *error) {
    const crd_i_attribute *source_attribute = &classifier->attributes[attribute];
    if (!is_unread(source_attribute, cell)) return CRD_OK;
    *workspace = crd_i_alloc(classifier->context, classifier->class_count, sizeof **workspace);
    return *workspace == NULL ? crd_i_fail_memory(error) : crd_i_cell_read(source_attribute, cell, *workspace, error);
}

/* Returns the sum of exp(x[i]), where the maximum of x is 0. If `shares` is not NULL, sets it to exp(x[i]) divided by
 * the sum. */
static double sum_exp(const crd_i_simd_columns *lanes, const double *x, size_t count, double *shares) {
    enum { AT_ONCE = 32 };
    double workspace[AT_ONCE], sum = 0;
    for (size_t first = 0; first < count; first += AT_ONCE) {
        size_t part = count - first < AT_ONCE ? count - first : AT_ONCE;
        double *exponentials = shares == NULL ? workspace : shares + first;
        lanes->exp(x + first, part, exponentials);
        for (size_t i = 0; i < part; i++) sum += exponentials[i];
    }
    for (size_t i = 0; shares != NULL && i < count; i++) shares[i] /= sum;
    return sum;
}

void crd_i_classifier_conclude(const crd_i_simd_columns *lanes, const double *log_priors, size_t count, double *sums,
                               double *probabilities, crd_answer *answer) {
    double greatest = -INFINITY;
    bool nothing_said = true;
    for (size_t i = 0; i < count; i++) {
        if (sums[i] > greatest) greatest = sums[i];
        if (sums[i] != log_priors[i]) nothing_said = false;
        if (probabilities != NULL) probabilities[i] = 0;
    }
    answer->decision = -1;
    answer->tied = 0;
    answer->log_evidence = greatest;
    if (greatest == -INFINITY) return;
    /* Subtract the maximum first. Sums may be so large that the logarithm of the number of classes would be lost in
     * them. */
    for (size_t i = 0; i < count; i++) sums[i] -= greatest;
    double remainder = crd_log(sum_exp(lanes, sums, count, probabilities));
    answer->log_evidence = nothing_said ? 0 : greatest + remainder;
    for (size_t i = count; i-- > 0;) {
        if (sums[i] >= -CRD_TIE_MARGIN) {
            answer->decision = (int32_t)i;
            answer->tied++;
        }
        sums[i] -= remainder;
    }
}

size_t crd_i_classifier_only_class(const double *log_priors, size_t count) {
    return count == 1 && log_priors[0] > -INFINITY ? 0 : SIZE_MAX;
}

void crd_i_classifier_choose_only_class(const double *log_priors, size_t count, double *log_posterior,
                                        double *probabilities, crd_answer *answer) {
    size_t only = answer->decision >= 0 ? SIZE_MAX : crd_i_classifier_only_class(log_priors, count);
    if (only == SIZE_MAX) return;
    answer->decision = (int32_t)only;
    answer->tied = 1;
    log_posterior[only] = 0;
    if (probabilities != NULL) probabilities[only] = 1;
}

void crd_i_row_conclude(const crd_i_scored_row *row, double *sums, double *probabilities, crd_answer *answer) {
    const crd_classifier *source_classifier = row->classifier;
    crd_i_classifier_conclude(source_classifier->lanes, source_classifier->log_priors, source_classifier->class_count,
                              sums, probabilities, answer);
    crd_i_classifier_choose_only_class(source_classifier->log_priors, source_classifier->class_count, sums,
                                       probabilities, answer);
}

void crd_i_row_begin(const crd_i_scored_row *row, double *sums, crd_answer *answer) {
    const crd_classifier *classifier = row->classifier;
    for (size_t k = 0; k < classifier->class_count; k++) sums[k] = classifier->log_priors[k];
    answer->unseen = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        answer->unseen += row->cells[i].is_unseen + row->cells[i].terms.unseen;
}

/* ======== 2. Posteriors of a row ======== */

/* Computes the log densities of all texts of the row in one allocation. */
static crd_status classify_row_read_texts(const crd_classifier *classifier, crd_i_open_row *row, crd_i_one_cell *cells,
                                          crd_error *error) {
    size_t texts = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++) texts += is_unread(&classifier->attributes[i], &cells[i]);
    if (texts == 0) return CRD_OK;
    if (texts > SIZE_MAX / classifier->class_count) return crd_i_fail_memory(error);
    row->logs = crd_i_alloc(classifier->context, texts * classifier->class_count, sizeof *row->logs);
    if (row->logs == NULL) return crd_i_fail_memory(error);
    double *next = row->logs;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++) {
        bool is_text = is_unread(&classifier->attributes[i], &cells[i]);
        status = crd_i_cell_read(&classifier->attributes[i], &cells[i], next, error);
        if (is_text) next += classifier->class_count;
    }
    return status;
}

/* Opens a row and converts its values. Uses the arrays inside `row` if the values and the scratch space fit, otherwise
 * allocates. Close the row with row_close, even on failure. */
static crd_status row_open(const crd_classifier *classifier, const crd_value *values, crd_i_open_row *row,
                           crd_error *error) {
    size_t attributes = classifier->attribute_count, scratch = classifier->scorer->scratch;
    crd_i_one_cell *cells = row->near_cells;
    row->scored.classifier = classifier;
    row->scored.scratch = row->near_scratch;
    row->far_cells = NULL;
    row->far_scratch = NULL;
    row->logs = NULL;
    if (attributes > sizeof row->near_cells / sizeof *row->near_cells)
        cells = row->far_cells = crd_i_alloc(classifier->context, attributes, sizeof *cells);
    if (scratch > sizeof row->near_scratch / sizeof *row->near_scratch)
        row->scored.scratch = row->far_scratch = crd_i_alloc(classifier->context, scratch, sizeof *row->far_scratch);
    row->scored.cells = cells;
    crd_status status = cells == NULL || row->scored.scratch == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < attributes; i++)
        status = crd_i_classifier_cell(classifier, i, &values[i], &cells[i], error);
    return status == CRD_OK ? classify_row_read_texts(classifier, row, cells, error) : status;
}

static void row_close(crd_i_open_row *row) {
    crd_free(row->scored.classifier->context, row->far_cells);
    crd_free(row->scored.classifier->context, row->far_scratch);
    crd_free(row->scored.classifier->context, row->logs);
}

/* Sets the results of a rejected row: no decision, and probability 0 for every class. */
static void answer_nothing(const crd_classifier *classifier, double *log_posterior, double *probabilities,
                           crd_answer *answer) {
    const crd_answer none = {-1, 0, 0, -INFINITY};
    *answer = none;
    for (size_t k = 0; k < classifier->class_count; k++) {
        log_posterior[k] = -INFINITY;
        if (probabilities != NULL) probabilities[k] = 0;
    }
}

static crd_status classify_row_score(const crd_classifier *classifier, const crd_i_scorer *scorer,
                                     const crd_value *values, double *log_posterior, double *probabilities,
                                     crd_answer *answer, crd_error *error) {
    crd_i_open_row row;
    crd_status status = row_open(classifier, values, &row, error);
    if (status == CRD_OK)
        status = scorer->type->score(scorer, &row.scored, log_posterior, probabilities, answer, error);
    row_close(&row);
    if (status != CRD_OK) answer_nothing(classifier, log_posterior, probabilities, answer);
    return status;
}

crd_status crd_classifier_posterior(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                                    double *probabilities, crd_answer *answer, crd_error *error) {
    return classify_row_score(classifier, classifier->scorer, values, log_posterior, probabilities, answer, error);
}

crd_status crd_classifier_uncalibrated(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                                       double *probabilities, crd_answer *answer, crd_error *error) {
    return classify_row_score(classifier, crd_i_scorer_uncorrected(classifier->scorer), values, log_posterior,
                              probabilities, answer, error);
}

/* ======== 3. Parts of the scorer ========
 *
 * These functions return the contributions of the parts to the score of a row. With them, a caller can recompute a
 * posterior as a sum of its terms. */

static const crd_i_scorer *scorer_parts_uncorrected(const crd_classifier *classifier) {
    return crd_i_scorer_uncorrected(classifier->scorer);
}

static crd_status scorer_parts_check_index(size_t index, size_t count, const char *description, crd_error *error) {
    return index < count ? CRD_OK : crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown %s %zu", description, index);
}

/* ---- Joint densities ---- */

static const crd_i_scorer_joints *scorer_parts_joints(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->joints;
}

size_t crd_classifier_joint_count(const crd_classifier *classifier) {
    return scorer_parts_joints(classifier) == NULL
               ? 0
               : scorer_parts_joints(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_joint(const crd_classifier *classifier, size_t joint, crd_joint *out, crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    crd_joint found_joint = CRD_JOINT_INIT;
    scorer_parts_joints(classifier)->describe(scorer_parts_uncorrected(classifier), classifier, joint, &found_joint);
    crd_i_copy_out(&found_joint, sizeof found_joint, out);
    return CRD_OK;
}

crd_status crd_classifier_joint_attributes(const crd_classifier *classifier, size_t joint, size_t *out,
                                           crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    return scorer_parts_joints(classifier)
        ->attributes(scorer_parts_uncorrected(classifier), classifier, joint, out, error);
}

crd_status crd_classifier_joint_terms(const crd_classifier *classifier, size_t joint, const crd_value *values,
                                      double *log_values, crd_error *error) {
    crd_status status = scorer_parts_check_index(joint, crd_classifier_joint_count(classifier), "joint density", error);
    if (status != CRD_OK) return status;
    crd_i_open_row row;
    status = row_open(classifier, values, &row, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++) log_values[k] = 0;
    if (status == CRD_OK)
        status = scorer_parts_joints(classifier)
                     ->add(scorer_parts_uncorrected(classifier), &row.scored, joint, log_values, error);
    row_close(&row);
    return status;
}

int crd_classifier_is_joint(const crd_classifier *classifier, size_t attribute) {
    return attribute < classifier->attribute_count && classifier->attributes[attribute].is_joint;
}

double crd_classifier_attribute_weight(const crd_classifier *classifier, size_t attribute) {
    return crd_i_scorer_weight(classifier->scorer, attribute);
}

/* ---- Pairs ---- */

static const crd_i_scorer_pairs *scorer_parts_pairs(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->pairs;
}

size_t crd_classifier_pair_count(const crd_classifier *classifier) {
    return scorer_parts_pairs(classifier) == NULL
               ? 0
               : scorer_parts_pairs(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_pair(const crd_classifier *classifier, size_t pair, crd_pair *out, crd_error *error) {
    crd_status status = scorer_parts_check_index(pair, crd_classifier_pair_count(classifier), "pair", error);
    if (status != CRD_OK) return status;
    crd_pair found_pair = CRD_PAIR_INIT;
    scorer_parts_pairs(classifier)->describe(scorer_parts_uncorrected(classifier), pair, &found_pair);
    crd_i_copy_out(&found_pair, sizeof found_pair, out);
    return CRD_OK;
}

crd_status crd_classifier_pair_terms(const crd_classifier *classifier, const crd_value *values, double *log_values,
                                     crd_error *error) {
    crd_i_open_row row;
    crd_status status = row_open(classifier, values, &row, error);
    if (status == CRD_OK && scorer_parts_pairs(classifier) != NULL)
        scorer_parts_pairs(classifier)->terms(scorer_parts_uncorrected(classifier), &row.scored, log_values);
    row_close(&row);
    return status;
}

/* ---- Members ---- */

static const crd_i_scorer_members *members_of(const crd_classifier *classifier) {
    return scorer_parts_uncorrected(classifier)->type->members;
}

size_t crd_classifier_member_count(const crd_classifier *classifier) {
    return members_of(classifier) == NULL ? 0 : members_of(classifier)->count(scorer_parts_uncorrected(classifier));
}

crd_status crd_classifier_member(const crd_classifier *classifier, size_t member, crd_ensemble_member *out,
                                 crd_error *error) {
    crd_status status = scorer_parts_check_index(member, crd_classifier_member_count(classifier), "member", error);
    if (status != CRD_OK) return status;
    crd_ensemble_member ensemble_member = CRD_ENSEMBLE_MEMBER_INIT;
    members_of(classifier)->describe(scorer_parts_uncorrected(classifier), member, &ensemble_member);
    crd_i_copy_out(&ensemble_member, sizeof ensemble_member, out);
    return CRD_OK;
}

const char *crd_classifier_ensemble_rule(const crd_classifier *classifier) {
    return members_of(classifier) == NULL ? NULL : members_of(classifier)->rule(scorer_parts_uncorrected(classifier));
}

double crd_classifier_ensemble_factor(const crd_classifier *classifier, size_t class_index) {
    if (members_of(classifier) == NULL || class_index >= classifier->class_count) return 0;
    return members_of(classifier)->log_factor(scorer_parts_uncorrected(classifier), class_index);
}

crd_status crd_classifier_member_posteriors(const crd_classifier *classifier, const crd_value *values,
                                            double *log_posteriors, crd_error *error) {
    crd_i_open_row row;
    crd_status status = row_open(classifier, values, &row, error);
    if (status == CRD_OK && members_of(classifier) != NULL)
        status = members_of(classifier)
                     ->posteriors(scorer_parts_uncorrected(classifier), &row.scored, log_posteriors, error);
    row_close(&row);
    return status;
}

/* ---- Calibration ---- */

int crd_classifier_calibration(const crd_classifier *classifier, crd_calibration *out) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    if (correction == NULL) return 0;
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    correction->describe(classifier->scorer, &calibration);
    crd_i_copy_out(&calibration, sizeof calibration, out);
    return 1;
}

int crd_classifier_calibration_point(const crd_classifier *classifier, size_t class_index, size_t index, double *source,
                                     double *destination) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    if (correction == NULL || class_index >= classifier->class_count) return 0;
    return correction->point(classifier->scorer, class_index, index, source, destination);
}
