/* SPDX-License-Identifier: MIT */
/* family_selection.c - see fit_internal.h.
 *
 * The rows of the column are split into five folds (held_out.h). Each family is derived from the rows outside of a
 * fold and scores the rows in it. With l_k = log p(x | k), the score of a row of class c is
 *
 *   - sum over k != c of s_k log(1 + exp(2 (l_k - l_c)))
 *
 * where s_k is the share of class k among the rows outside of the fold that are not of class c. Each logarithm is the
 * log probability of class c if only c and k are possible and equally likely, and the density ratio counts twice. The
 * largest mean score wins. A column without information on the class scores -log 2.
 *
 * The score is not the likelihood of the numbers, because densities must separate classes. A family that fits better
 * only where all classes are alike does not help. The score uses pairs of classes, because the other columns leave few
 * classes plausible. Among many classes at once, a family would be judged by implausible ones. Evidence counts twice,
 * because the columns of real tables are correlated and the same evidence counts more than once. A family must be that
 * cautious. Alternatives were tried on the tables of docs/families.md: the likelihood, the probability among all
 * classes, and evidence that counts once or three times. None of them gave as low a log loss.
 *
 * The table of families is ordered from simple to flexible. So the first family is chosen that is worse than the best
 * by a negligible amount, or by no more than the standard error of their difference. The difference must not exceed the
 * best family's own standard error either. If a family almost excludes a single row, the standard error of the
 * difference becomes so large that it would excuse the family. */
#include "fit/fit_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/held_out.h"
#include "math/functions/elementary.h"
#include "model/column_family.h"

#include <math.h>
#include <stdio.h>

static const double COUNTS = 2;              /* how many times evidence counts */
static const double NEXT_TO_NOTHING = 0.005; /* a negligible difference of mean scores */

typedef struct family_selection_trial {
    crd_context *context;
    crd_i_comparison *comparison;
    crd_settings settings; /* borrowed members, not to be freed */
    crd_i_grid_folds dealt;
    int32_t *same;   /* the condition codes 0, 1, 2, ... of the split rows */
    double *shares;  /* share of each condition among the rows outside of the fold */
    double *logs;    /* log density of each condition at the current number */
    size_t count;    /* number of (number, condition) entries in all folds */
    double *weights; /* weight of each entry */
    double *scores;  /* [candidate][entry] */
} family_selection_trial;

/* ---- Candidate families ---- */

/* Sets candidate->left_out if the family cannot be considered: its tallies are missing, values are outside of its
 * support, or it would be a poor choice in principle. */
static void family_selection_leave_out(const crd_i_variable *variable, const crd_i_view *view,
                                       crd_i_candidate *candidate) {
    const crd_i_family *family = candidate->family;
    size_t capacity = sizeof candidate->left_out;
    crd_i_tallied tallied = {.view = *view};
    if (family == &crd_i_family_uniform) {
        snprintf(candidate->left_out, capacity, "a row outside the range of the other rows would be impossible");
        return;
    }
    for (size_t i = 0; family->reads[i] != NULL; i++) {
        const crd_i_tally *found_tally = crd_i_column_family_tally(variable, family->reads[i]);
        if (i == 0) tallied.tally = found_tally;
        else tallied.more[i - 1] = found_tally;
        if (found_tally != NULL) continue;
        snprintf(candidate->left_out, capacity, "the model does not store the statistic '%s'", family->reads[i]->name);
        return;
    }
    crd_i_misfit misfit = {0, ""};
    if (family->fits != NULL) misfit = family->fits(&tallied);
    /* Exclude the Poisson family if all values are 0 or 1. They are not counts of independent events, even if the score
     * is good. */
    if (misfit.cells == 0 && family == &crd_i_family_poisson) {
        const crd_i_tallied signs = {.tally = tallied.more[0], .view = *view};
        if (crd_i_family_bernoulli.fits(&signs).cells == 0)
            snprintf(candidate->left_out, capacity, "all of its values are 0 or 1");
    }
    if (misfit.cells == 0) return;
    crd_i_misfit_text(&misfit, candidate->left_out, capacity);
}

/* Lists the numeric families. Returns NULL if memory runs out. */
static crd_i_comparison *family_selection_list_candidates(crd_context *context, const crd_i_variable *variable,
                                                          const crd_i_view *view) {
    size_t families;
    const crd_i_family *const *table = crd_i_family_table(&families);
    crd_i_comparison *comparison =
        crd_i_alloc_zeroed(context, 1, sizeof(crd_i_comparison) + families * sizeof(crd_i_candidate));
    if (comparison == NULL) return NULL;
    comparison->context = context;
    for (size_t i = 0; i < families; i++) {
        if (crd_i_family_column_type(table[i]) != CRD_TYPE_NUMERIC) continue;
        crd_i_candidate *candidate = &comparison->each[comparison->count++];
        candidate->family = table[i];
        family_selection_leave_out(variable, view, candidate);
    }
    return comparison;
}

/* ---- Scores ---- */

/* Returns the tallies that a family reads, out of the tallies of the family auto. */
static crd_i_tallied tallied_of(const family_selection_trial *trial, const crd_i_family *family,
                                crd_i_tally *const *other_tally) {
    crd_i_tallied tallied = {.view = {.conditions = trial->same, .condition_count = trial->dealt.conditions}};
    for (size_t i = 0; family->reads[i] != NULL; i++) {
        size_t t = 0;
        while (crd_i_family_auto.reads[t] != family->reads[i]) t++;
        if (i == 0) tallied.tally = other_tally[t];
        else tallied.more[i - 1] = other_tally[t];
    }
    return tallied;
}

/* Returns log(1 + exp(d)) without overflow. */
static double soft_excess(double d) {
    return d > 0 ? d + crd_log(1 + crd_exp(-d)) : crd_log(1 + crd_exp(d));
}

/* Computes the score of a row of class `own`. A class that excludes the number does not count, unless the row's own
 * class excludes it too. */
static double family_selection_score(const family_selection_trial *trial, size_t own) {
    double loss = 0, rivals = 0;
    for (size_t k = 0; k < trial->dealt.conditions; k++) {
        if (k == own || trial->shares[k] == 0) continue;
        double lead = trial->logs[k] == trial->logs[own] ? 0 : trial->logs[k] - trial->logs[own];
        loss += trial->shares[k] * soft_excess(COUNTS * lead);
        rivals += trial->shares[k];
    }
    return rivals > 0 ? -loss / rivals : 0;
}

/* Derives a family from `tally`, the rows outside of the fold, and scores each entry of the fold. */
static crd_status family_selection_score_fold(family_selection_trial *trial, const crd_i_family *family, size_t fold,
                                              crd_i_tally *const *tally, double *scores, crd_error *error) {
    const crd_i_grid_folds_fold *grid_folds = &trial->dealt.folds[fold];
    const crd_i_tallied tallied = tallied_of(trial, family, tally);
    crd_i_density *density;
    crd_status status = family->derive(trial->context, &tallied, &trial->settings, NULL, &density, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < grid_folds->count; i++) {
        double x = grid_folds->numbers[i];
        bool is_new = i == 0 || x != grid_folds->numbers[i - 1];
        bool speaks = is_new && !density->is_silent && crd_i_density_covers(density, x);
        for (size_t k = 0; is_new && k < trial->dealt.conditions; k++)
            trial->logs[k] = speaks ? family->log_density(density, k, x) : 0;
        scores[i] = family_selection_score(trial, (size_t)grid_folds->conditions[i]);
    }
    crd_i_density_destroy(density);
    return CRD_OK;
}

/* Computes the share of each condition among the rows outside of the fold. */
static void family_selection_share_out(family_selection_trial *trial, size_t fold) {
    size_t conditions = trial->dealt.conditions;
    double total = 0;
    for (size_t k = 0; k < conditions; k++) {
        trial->shares[k] = 0;
        for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++)
            if (f != fold) trial->shares[k] += trial->dealt.rows[f * conditions + k];
        total += trial->shares[k];
    }
    for (size_t k = 0; total > 0 && k < conditions; k++) trial->shares[k] /= total;
}

/* Computes the scores of all candidates for the rows of one fold, whose entries begin at `index`. A family that does
 * not converge is excluded. */
static crd_status family_selection_try_fold(family_selection_trial *trial, size_t fold, size_t index,
                                            crd_error *error) {
    crd_i_tally *tally[CRD_I_MOST_READS];
    crd_status status = crd_i_grid_folds_rest(&trial->dealt, fold, tally) ? CRD_OK : crd_i_fail_memory(error);
    family_selection_share_out(trial, fold);
    for (size_t i = 0; i < trial->dealt.folds[fold].count; i++)
        trial->weights[index + i] = trial->dealt.folds[fold].weights[i];
    for (size_t c = 0; status == CRD_OK && c < trial->comparison->count; c++) {
        crd_i_candidate *candidate = &trial->comparison->each[c];
        if (candidate->left_out[0] != '\0') continue;
        status = family_selection_score_fold(trial, candidate->family, fold, tally,
                                             trial->scores + c * trial->count + index, error);
        if (status != CRD_ERROR_NOT_CONVERGED) continue;
        snprintf(candidate->left_out, sizeof candidate->left_out, "it did not converge");
        status = CRD_OK;
    }
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(tally[t]);
    return status;
}

/* Allocates the arrays and scores all candidates on all folds. */
static crd_status try_all(family_selection_trial *trial, crd_error *error) {
    size_t conditions = trial->dealt.conditions, index = 0;
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) trial->count += trial->dealt.folds[f].count;
    trial->same = crd_i_alloc(trial->context, conditions, sizeof *trial->same);
    trial->shares = crd_i_alloc(trial->context, conditions, sizeof *trial->shares);
    trial->logs = crd_i_alloc(trial->context, conditions, sizeof *trial->logs);
    trial->weights = crd_i_alloc(trial->context, trial->count, sizeof *trial->weights);
    if (trial->count <= SIZE_MAX / trial->comparison->count)
        trial->scores =
            crd_i_alloc_zeroed(trial->context, trial->comparison->count * trial->count, sizeof *trial->scores);
    if (trial->same == NULL || trial->shares == NULL || trial->logs == NULL || trial->weights == NULL ||
        trial->scores == NULL)
        return crd_i_fail_memory(error);
    for (size_t k = 0; k < conditions; k++) trial->same[k] = (int32_t)k;
    crd_status status = CRD_OK;
    for (size_t f = 0; status == CRD_OK && f < CRD_I_GRID_FOLDS; f++) {
        status = family_selection_try_fold(trial, f, index, error);
        index += trial->dealt.folds[f].count;
    }
    return status;
}

/* ---- The choice ---- */

/* Returns the weighted mean of scores (minus `others`, if not NULL) and its standard error, which is infinite if the
 * mean is. */
static double family_selection_mean(const family_selection_trial *trial, const double *scores, const double *others,
                                    double *standard_error) {
    double n = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < trial->count; i++) {
        n += trial->weights[i];
        sum += trial->weights[i] * (scores[i] - (others == NULL ? 0 : others[i]));
    }
    double mean = n > 0 ? sum / n : 0;
    for (size_t i = 0; i < trial->count; i++) {
        double away = scores[i] - (others == NULL ? 0 : others[i]) - mean;
        squares += trial->weights[i] * (away * away);
    }
    double error = n > 0 ? sqrt(squares) / n : 0;
    *standard_error = error >= 0 ? error : INFINITY; /* infinity minus infinity is NaN */
    return mean;
}

/* Computes the mean scores and chooses the family, by the rule in the head of this file. */
static void family_selection_decide(family_selection_trial *trial) {
    crd_i_candidate *each = trial->comparison->each;
    size_t best = 0; /* gaussian is never excluded, because every column has the tallies it reads */
    for (size_t c = 0; c < trial->comparison->count; c++) {
        if (each[c].left_out[0] != '\0') continue;
        each[c].score = family_selection_mean(trial, trial->scores + c * trial->count, NULL, &each[c].standard_error);
        if (each[c].score > each[best].score) best = c;
    }
    size_t chosen = best;
    for (size_t c = best; c-- > 0;) {
        if (each[c].left_out[0] != '\0' || each[c].score == -INFINITY) continue;
        double error, lead = family_selection_mean(trial, trial->scores + best * trial->count,
                                                   trial->scores + c * trial->count, &error);
        if (lead <= NEXT_TO_NOTHING || (lead <= error && lead <= each[best].standard_error)) chosen = c;
    }
    each[chosen].is_chosen = true;
    trial->comparison->chosen = each[chosen].family;
}

static crd_status fail_without_grid(crd_text column, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the family 'auto' of '%s' needs the statistic 'histogram', which the model does not store",
               crd_i_quote(column, quoted));
    crd_i_error_subject(error, crd_text_of("keep-statistics"));
    return CRD_ERROR_SETTING;
}

/* Splits the column into folds, tries all candidates and returns the comparison with the chosen family. */
crd_status crd_i_family_selection(const crd_model *model, size_t column, const crd_i_view *view,
                                  const crd_i_dictionary *classes, const crd_settings *settings, crd_i_comparison **out,
                                  crd_error *error) {
    const crd_i_variable *variable = &model->variables[column];
    const crd_i_tally *grid = crd_i_column_family_tally(variable, &crd_i_grid);
    crd_context *context = model->context;
    *out = NULL;
    if (grid == NULL) return fail_without_grid(model->schema->columns[column].name, error);
    family_selection_trial trial = {.context = context,
                                    .settings = *settings,
                                    .comparison = family_selection_list_candidates(context, variable, view)};
    trial.settings.share_attributes = false; /* each column is tried separately */
    crd_status status = trial.comparison == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (!crd_i_grid_folds_init(&trial.dealt, context, grid, view, classes)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = try_all(&trial, error);
    if (status == CRD_OK) family_selection_decide(&trial);
    crd_i_grid_folds_clear(&trial.dealt);
    crd_free(context, trial.same);
    crd_free(context, trial.shares);
    crd_free(context, trial.logs);
    crd_free(context, trial.weights);
    crd_free(context, trial.scores);
    if (status != CRD_OK) crd_free(context, trial.comparison);
    else *out = trial.comparison;
    return status;
}
