/* SPDX-License-Identifier: MIT */
/* evaluation.c - rows with predictions and true classes, judged one by one, and the merging of evaluations. */
#include "evaluate/evaluation.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Log posteriors may exceed zero by rounding. */
static const double ROUNDING = 1e-9;

static const double MOST_WEIGHT = 0x1p63;

/* The probabilities of all rows for all classes are stored to rank rows by each class. With more than CLASSES_RANKED
 * classes, at most MOST_RANKED probabilities are stored (a quarter of a gigabyte). Beyond that, computing thousands
 * of areas would also take longer than everything else. */
enum { CLASSES_RANKED = 256, MOST_RANKED = 1 << 25 };

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
    evaluation->fold = CRD_NO_FOLD;
    evaluation->classes = crd_i_dictionary_create(context);
    evaluation->others = crd_i_dictionary_create(context);
    if (evaluation->classes == NULL || evaluation->others == NULL) {
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
    crd_free(evaluation->context, evaluation);
}

/* Returns CRD_ERROR_ARGUMENT if an entry is not a log probability or a probability. */
static crd_status evaluation_check(const crd_evaluation *evaluation, const double *log_posterior,
                                   const double *probabilities, crd_error *error) {
    for (size_t k = 0; k < evaluation->class_count; k++) {
        if (!(log_posterior[k] <= ROUNDING))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not the logarithm of a probability", k);
        if (probabilities != NULL && !(probabilities[k] >= 0 && probabilities[k] <= 1))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "entry %zu is not a probability", k);
    }
    return CRD_OK;
}

/* Returns whether `rows` rows are too many to be ranked. */
static bool are_too_many(const crd_evaluation *evaluation, size_t rows) {
    return evaluation->class_count > CLASSES_RANKED && rows > MOST_RANKED / evaluation->class_count;
}

/* Stops ranking: frees the stored probabilities. */
static void give_up_ranks(crd_evaluation *evaluation) {
    if (evaluation->is_unranked) return;
    crd_free(evaluation->context, evaluation->probabilities);
    evaluation->probabilities = NULL;
    evaluation->probabilities_capacity = 0;
    evaluation->is_unranked = true;
}

/* Reserves memory for one more row. Returns false if memory runs out. */
static bool evaluation_make_room(crd_evaluation *evaluation) {
    size_t rows = evaluation->row_count + 1, classes = evaluation->class_count;
    if (rows > SIZE_MAX / classes) return false;
    if (are_too_many(evaluation, rows)) give_up_ranks(evaluation);
    /* Unranked evaluations still need room for the probabilities of the new row. */
    size_t kept = evaluation->is_unranked ? 1 : rows;
    return crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, rows,
                         sizeof *evaluation->rows) &&
           crd_i_reserve(evaluation->context, &evaluation->probabilities, &evaluation->probabilities_capacity,
                         kept * classes, sizeof *evaluation->probabilities);
}

/* Returns the code of the true class, which is added if it is new; -1 if memory runs out. */
static int32_t evaluation_find_truth(crd_evaluation *evaluation, crd_text truth) {
    int32_t code = crd_i_dictionary_find(evaluation->classes, truth);
    if (code >= 0) return code;
    code = crd_i_dictionary_add(evaluation->others, truth);
    return code < 0 || code > INT32_MAX / 2 ? -1 : (int32_t)evaluation->class_count + code;
}

/* See evaluation.h. Classes within CRD_TIE_MARGIN of the maximum tie; the first one is the decision. */
crd_row_score crd_i_judge(const double *log_posterior, size_t class_count, int32_t truth) {
    crd_row_score result = {sizeof result, -1, 0, NAN, 0, 0, INFINITY};
    double greatest = -INFINITY;
    for (size_t k = 0; k < class_count; k++)
        if (log_posterior[k] > greatest) greatest = log_posterior[k];
    if (greatest == -INFINITY) return result;
    bool hit = false;
    for (size_t k = class_count; k-- > 0;) {
        if (log_posterior[k] - greatest < -CRD_TIE_MARGIN) continue;
        result.decision = (int32_t)k;
        result.tied++;
        if ((int32_t)k == truth) hit = true;
    }
    result.credit = hit ? 1.0 / result.tied : 0;
    return result;
}

static double evaluation_probability(double log_probability) {
    return log_probability >= 0 ? 1 : crd_exp(log_probability);
}

/* Computes the parts of a judged row that depend on the rank of the true class: its loss, the number of more
 * probable classes, and the number of tied classes. Classes tie if they differ by at most CRD_TIE_MARGIN. */
static crd_i_judged rank_truth(const crd_evaluation *evaluation, const double *log_posterior, int32_t truth) {
    crd_i_judged row = {.truth = truth, .decision = -1, .loss = INFINITY, .fold = evaluation->fold};
    bool known = truth >= 0 && (size_t)truth < evaluation->class_count;
    if (!known || log_posterior[truth] == -INFINITY) return row;
    double own = log_posterior[truth];
    row.loss = own < 0 ? -own : 0;
    for (size_t k = 0; k < evaluation->class_count; k++) {
        if (log_posterior[k] - own > CRD_TIE_MARGIN) row.above++;
        else row.beside += own - log_posterior[k] <= CRD_TIE_MARGIN;
    }
    return row;
}

/* Returns the Brier score of a row (Brier 1950): the sum over classes of (P(class) - [class is true])^2. */
static double brier_of(const crd_evaluation *evaluation, const double *probabilities, int32_t truth) {
    /* A true class that cannot be predicted has probability 0, which adds 1. */
    double squares = (size_t)truth < evaluation->class_count ? 0 : 1;
    for (size_t k = 0; k < evaluation->class_count; k++) {
        double miss = probabilities[k] - ((int32_t)k == truth ? 1 : 0);
        squares += miss * miss;
    }
    return squares;
}

void crd_evaluation_set_fold(crd_evaluation *evaluation, uint32_t fold) {
    evaluation->fold = fold;
}

crd_status crd_evaluation_add(crd_evaluation *evaluation, const double *log_posterior, crd_text truth,
                              crd_row_score *credit, crd_error *error) {
    return crd_evaluation_add_weighted(evaluation, log_posterior, truth, 1, credit, error);
}

crd_status crd_evaluation_add_weighted(crd_evaluation *evaluation, const double *log_posterior, crd_text truth,
                                       double weight, crd_row_score *credit, crd_error *error) {
    return crd_evaluation_add_probabilities(evaluation, log_posterior, NULL, truth, weight, credit, error);
}

/* Replaces the decision by one that was made elsewhere, and sets its credit. */
static void evaluation_decide(crd_row_score *judged, int32_t decision, int32_t truth) {
    judged->decision = decision;
    judged->tied = decision >= 0;
    judged->credit = decision >= 0 && decision == truth ? 1 : 0;
}

/* Judges a row and stores it. `given` are the probabilities; NULL: they are computed from `log_posterior`.
 * `decision` is the class index or -1; NULL: the class with the largest posterior. A row of weight 0 is judged, but
 * not stored. */
static crd_status evaluation_add_row(crd_evaluation *evaluation, const double *log_posterior, const double *given,
                                     const int32_t *decision, crd_text truth, double weight, crd_row_score *credit,
                                     crd_error *error) {
    const crd_row_score none = {sizeof none, -1, 0, NAN, 0, 0, INFINITY};
    if (credit != NULL) crd_i_copy_out(&none, sizeof none, credit);
    crd_status status = evaluation_check(evaluation, log_posterior, given, error);
    if (status != CRD_OK) return status;
    if (decision != NULL && !(*decision >= -1 && *decision < (int64_t)evaluation->class_count))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the decision is not a class");
    if (!(weight >= 0 && weight <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not between 0 and 2^63");
    if (!evaluation_make_room(evaluation)) return crd_i_fail_memory(error);
    /* A class that occurs only in rows of weight 0 is not listed. */
    int32_t code =
        weight > 0 ? evaluation_find_truth(evaluation, truth) : crd_i_dictionary_find(evaluation->classes, truth);
    if (code < 0 && weight > 0) return crd_i_fail_memory(error);

    crd_row_score judged = crd_i_judge(log_posterior, evaluation->class_count, code);
    if (decision != NULL) evaluation_decide(&judged, *decision, code);
    size_t place = evaluation->is_unranked ? 0 : evaluation->row_count;
    double *probabilities = evaluation->probabilities + place * evaluation->class_count;
    for (size_t k = 0; k < evaluation->class_count; k++)
        probabilities[k] = given != NULL ? given[k] : evaluation_probability(log_posterior[k]);
    if (judged.decision >= 0) judged.probability = probabilities[judged.decision];
    const bool is_class = code >= 0 && (size_t)code < evaluation->class_count;
    crd_i_judged row = rank_truth(evaluation, log_posterior, code);
    judged.truth_probability = is_class ? probabilities[code] : 0;
    judged.loss = row.loss;
    if (weight > 0) {
        row.decision = judged.decision;
        row.weight = weight;
        row.credit = judged.credit;
        row.probability = judged.decision >= 0 ? judged.probability : 0;
        row.squares = brier_of(evaluation, probabilities, code);
        evaluation->rows[evaluation->row_count++] = row;
        evaluation->is_weighted = evaluation->is_weighted || weight != 1;
    }
    if (credit != NULL) crd_i_copy_out(&judged, sizeof judged, credit);
    return CRD_OK;
}

crd_status crd_evaluation_add_probabilities(crd_evaluation *evaluation, const double *log_posterior,
                                            const double *given, crd_text truth, double weight, crd_row_score *credit,
                                            crd_error *error) {
    return evaluation_add_row(evaluation, log_posterior, given, NULL, truth, weight, credit, error);
}

crd_status crd_evaluation_add_decided(crd_evaluation *evaluation, const double *log_posterior,
                                      const double *probabilities, int32_t decision, crd_text truth, double weight,
                                      crd_row_score *credit, crd_error *error) {
    return evaluation_add_row(evaluation, log_posterior, probabilities, &decision, truth, weight, credit, error);
}

/* ---- Merging ---- */

/* Maps the classes of another evaluation, followed by the classes that only its rows have, to codes of this
 * evaluation. */
typedef struct class_places {
    int32_t *places;
    crd_i_dictionary *others; /* other classes of this evaluation, then the new ones */
} class_places;

/* Fills the map. Returns CRD_ERROR_ARGUMENT if a class that can be predicted there is missing here. */
static crd_status evaluation_find_places(const crd_evaluation *evaluation, const crd_evaluation *other,
                                         class_places *class, crd_error *error) {
    const size_t others = crd_i_dictionary_size(other->others);
    char quoted[CRD_I_QUOTED_ROOM];
    class->places = crd_i_alloc(evaluation->context, other->class_count + others, sizeof *class->places);
    class->others = crd_i_dictionary_clone(evaluation->others);
    if (class->places == NULL || class->others == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < other->class_count; k++) {
        const crd_text name = crd_i_dictionary_text(other->classes, k);
        class->places[k] = crd_i_dictionary_find(evaluation->classes, name);
        if (class->places[k] < 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the class '%s' is not among the classes to predict",
                              crd_i_quote(name, quoted));
    }
    for (size_t i = 0; i < others; i++) {
        const crd_text name = crd_i_dictionary_text(other->others, i);
        int32_t code = crd_i_dictionary_find(evaluation->classes, name);
        if (code < 0) {
            code = crd_i_dictionary_add(class->others, name);
            if (code < 0 || code > INT32_MAX / 2) return crd_i_fail_memory(error);
            code += (int32_t)evaluation->class_count;
        }
        class->places[other->class_count + i] = code;
    }
    return CRD_OK;
}

/* Appends the rows of the other evaluation. The caller has reserved the memory. */
static void append_rows(crd_evaluation *evaluation, const crd_evaluation *other, const int32_t *places) {
    const size_t count = other->row_count, first = evaluation->row_count;
    for (size_t i = 0; i < count; i++) {
        crd_i_judged row = other->rows[i];
        row.truth = places[row.truth];
        if (row.decision >= 0) row.decision = places[row.decision];
        evaluation->rows[first + i] = row;
    }
    for (size_t i = 0; !evaluation->is_unranked && i < count; i++) {
        double *probabilities = evaluation->probabilities + (first + i) * evaluation->class_count;
        for (size_t k = 0; k < evaluation->class_count; k++) probabilities[k] = 0;
        for (size_t k = 0; k < other->class_count; k++)
            probabilities[places[k]] = other->probabilities[i * other->class_count + k];
    }
    evaluation->row_count += count;
    evaluation->is_weighted = evaluation->is_weighted || other->is_weighted;
}

/* Everything that can fail is done before the first row is appended, so a failed merge changes nothing. */
crd_status crd_evaluation_merge(crd_evaluation *evaluation, const crd_evaluation *other, crd_error *error) {
    class_places class = {NULL, NULL};
    const size_t own = evaluation->row_count, classes = evaluation->class_count;
    crd_status status = evaluation_find_places(evaluation, other, &class, error);
    if (status != CRD_OK) goto done;
    const bool fits = other->row_count <= SIZE_MAX - own && own + other->row_count <= SIZE_MAX / classes;
    const size_t rows = fits ? own + other->row_count : 0;
    const bool is_unranked = evaluation->is_unranked || other->is_unranked || are_too_many(evaluation, rows);
    if (!fits ||
        !crd_i_reserve(evaluation->context, &evaluation->rows, &evaluation->rows_capacity, rows,
                       sizeof *evaluation->rows) ||
        (!is_unranked && !crd_i_reserve(evaluation->context, &evaluation->probabilities,
                                        &evaluation->probabilities_capacity, rows * classes, sizeof(double)))) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    if (is_unranked) give_up_ranks(evaluation);
    append_rows(evaluation, other, class.places);
    crd_i_dictionary_destroy(evaluation->others);
    evaluation->others = class.others;
    class.others = NULL;

done:
    crd_free(evaluation->context, class.places);
    crd_i_dictionary_destroy(class.others);
    return status;
}
