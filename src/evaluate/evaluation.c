/* SPDX-License-Identifier: MIT */
/* evaluation.c - rows with their answers and truths, added up one by one. */
#include "evaluate/evaluation.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Log posteriors may pass zero by the rounding of their sums. */
static const double ROUNDING = 1e-9;

/* Every sum of products of two doubles not below zero, one of them a weight, fits this window, so that adding to it
 * cannot fail. */
enum { WINDOW_BASE = -34, WINDOW_WIDTH = 54 };

static const double MOST_WEIGHT = 0x1p63;

crd_status crd_evaluation_create(crd_context *context, const crd_text *classes, size_t class_count,
                                 crd_evaluation **out, crd_error *error) {
    *out = NULL;
    if (class_count == 0 || class_count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no classes to predict, or too many");
    crd_status status = CRD_ERROR_MEMORY;
    crd_evaluation *evaluation = crd_i_alloc_zeroed(context, 1, sizeof *evaluation);
    if (evaluation == NULL) return crd_i_fail_memory(error);
    evaluation->context = context;
    evaluation->class_count = class_count;
    crd_i_sums_init(&evaluation->sums, context);
    evaluation->classes = crd_i_dictionary_create(context);
    evaluation->others = crd_i_dictionary_create(context);
    evaluation->zero_rows = crd_i_alloc_zeroed(context, class_count, sizeof *evaluation->zero_rows);
    if (evaluation->classes == NULL || evaluation->others == NULL || evaluation->zero_rows == NULL ||
        !crd_i_sums_extend(&evaluation->sums, CRD_I_SUM_COUNT) ||
        !crd_i_sums_set_window(&evaluation->sums, WINDOW_BASE, WINDOW_WIDTH)) {
        crd_i_fail_memory(error);
        goto fail;
    }
    for (size_t i = 0; i < class_count; i++) {
        int32_t code = crd_i_dictionary_add(evaluation->classes, classes[i]);
        if (code < 0) {
            crd_i_fail_memory(error);
            goto fail;
        }
        if ((size_t)code != i) {
            char quoted[CRD_I_QUOTED_ROOM];
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is listed twice",
                                crd_i_quote(classes[i], quoted));
            goto fail;
        }
    }
    *out = evaluation;
    return CRD_OK;

fail:
    crd_evaluation_destroy(evaluation);
    return status;
}

void crd_evaluation_destroy(crd_evaluation *evaluation) {
    if (evaluation == NULL) return;
    crd_i_dictionary_destroy(evaluation->classes);
    crd_i_dictionary_destroy(evaluation->others);
    crd_free(evaluation->context, evaluation->rows);
    crd_free(evaluation->context, evaluation->probabilities);
    crd_free(evaluation->context, evaluation->zero_rows);
    crd_i_sums_clear(&evaluation->sums);
    crd_free(evaluation->context, evaluation);
}

static crd_status check(const crd_evaluation *evaluation, const double *log_posterior, const double *probabilities,
                        crd_error *error) {
    for (size_t k = 0; k < evaluation->class_count; k++) {
        if (!(log_posterior[k] <= ROUNDING))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not the logarithm of a probability", k);
        if (probabilities != NULL && !(probabilities[k] >= 0 && probabilities[k] <= 1))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not a probability", k);
    }
    return CRD_OK;
}

static bool make_room(crd_evaluation *evaluation) {
    size_t rows = evaluation->row_count + 1;
    if (rows > SIZE_MAX / evaluation->class_count) return false;
    return crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, rows,
                         sizeof *evaluation->rows) &&
           crd_i_reserve(evaluation->context, &evaluation->probabilities, &evaluation->probabilities_capacity,
                         rows * evaluation->class_count, sizeof *evaluation->probabilities);
}

/* The code of the true class, which may be new; -1: out of memory. */
static int32_t find_truth(crd_evaluation *evaluation, crd_text truth) {
    int32_t code = crd_i_dictionary_find(evaluation->classes, truth);
    if (code >= 0) return code;
    code = crd_i_dictionary_add(evaluation->others, truth);
    return code < 0 || code > INT32_MAX / 2 ? -1 : (int32_t)evaluation->class_count + code;
}

static crd_row_score judge(const crd_evaluation *evaluation, const double *log_posterior, int32_t truth) {
    crd_row_score result = {sizeof result, -1, 0, NAN, 0};
    double greatest = -INFINITY;
    for (size_t k = 0; k < evaluation->class_count; k++)
        if (log_posterior[k] > greatest) greatest = log_posterior[k];
    if (greatest == -INFINITY) return result;
    bool hit = false;
    for (size_t k = evaluation->class_count; k-- > 0;) {
        if (log_posterior[k] - greatest < -CRD_TIE_MARGIN) continue;
        result.decision = (int32_t)k;
        result.tied++;
        if ((int32_t)k == truth) hit = true;
    }
    result.credit = hit ? 1.0 / result.tied : 0;
    return result;
}

static double probability_of(double log_probability) {
    return log_probability >= 0 ? 1 : crd_exp(log_probability);
}

/* The window holds whatever can come, so these do not fail. */
static bool add_up(crd_evaluation *evaluation, const double *log_posterior, const double *probabilities, int32_t truth,
                   const crd_row_score *judged, double weight) {
    crd_i_sums *sums = &evaluation->sums;
    bool known = (size_t)truth < evaluation->class_count, done = true;
    double squares = known ? 0 : 1; /* a class that cannot be predicted has probability 0 */
    for (size_t k = 0; k < evaluation->class_count; k++) {
        double miss = probabilities[k] - ((int32_t)k == truth ? 1 : 0);
        squares += miss * miss;
    }
    done = crd_i_sums_add(sums, CRD_I_SUM_WEIGHT, weight) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_CREDIT, weight, judged->credit) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BRIER, weight, squares);
    if (known && log_posterior[truth] == -INFINITY) evaluation->zero_rows[truth]++;
    else if (known && log_posterior[truth] < 0)
        done = crd_i_sums_add_product(sums, CRD_I_SUM_LOSS, weight, -log_posterior[truth]) && done;
    if (judged->decision < 0) {
        evaluation->undecided++;
        return done;
    }
    size_t bin = (size_t)(judged->probability * CRD_CALIBRATION_BINS);
    if (bin >= CRD_CALIBRATION_BINS) bin = CRD_CALIBRATION_BINS - 1;
    evaluation->bins[bin]++;
    return crd_i_sums_add(sums, CRD_I_SUM_DECIDED, weight) &&
           crd_i_sums_add(sums, CRD_I_SUM_BIN_WEIGHT + bin, weight) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_PROBABILITY + bin, weight, judged->probability) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_CREDIT + bin, weight, judged->credit) && done;
}

crd_status crd_evaluation_add(crd_evaluation *evaluation, const double *log_posterior, crd_text truth,
                              crd_row_score *credit, crd_error *error) {
    return crd_evaluation_add_weighted(evaluation, log_posterior, truth, 1, credit, error);
}

crd_status crd_evaluation_add_weighted(crd_evaluation *evaluation, const double *log_posterior, crd_text truth,
                                       double weight, crd_row_score *credit, crd_error *error) {
    return crd_evaluation_add_probabilities(evaluation, log_posterior, NULL, truth, weight, credit, error);
}

crd_status crd_evaluation_add_probabilities(crd_evaluation *evaluation, const double *log_posterior,
                                            const double *given, crd_text truth, double weight, crd_row_score *credit,
                                            crd_error *error) {
    const crd_row_score none = {sizeof none, -1, 0, NAN, 0};
    if (credit != NULL) crd_i_copy_out(&none, sizeof none, credit);
    crd_status status = check(evaluation, log_posterior, given, error);
    if (status != CRD_OK) return status;
    if (!(weight >= 0 && weight <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not between 0 and 2^63");
    if (!make_room(evaluation)) return crd_i_fail_memory(error);
    /* A class that only rows of no weight have is none to list. */
    int32_t code = weight > 0 ? find_truth(evaluation, truth) : crd_i_dictionary_find(evaluation->classes, truth);
    if (code < 0 && weight > 0) return crd_i_fail_memory(error);

    crd_row_score judged = judge(evaluation, log_posterior, code);
    double *probabilities = evaluation->probabilities + evaluation->row_count * evaluation->class_count;
    for (size_t k = 0; k < evaluation->class_count; k++)
        probabilities[k] = given != NULL ? given[k] : probability_of(log_posterior[k]);
    if (judged.decision >= 0) judged.probability = probabilities[judged.decision];
    if (weight > 0) {
        crd_i_judged row = {code, judged.decision, weight};
        evaluation->rows[evaluation->row_count++] = row;
        evaluation->is_weighted = evaluation->is_weighted || weight != 1;
        if (!add_up(evaluation, log_posterior, probabilities, code, &judged, weight)) return crd_i_fail_memory(error);
    }
    if (credit != NULL) crd_i_copy_out(&judged, sizeof judged, credit);
    return CRD_OK;
}
