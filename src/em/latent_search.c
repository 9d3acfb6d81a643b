/* SPDX-License-Identifier: MIT */
/* latent_search.c - random restarts of EM, and the choice of the number of classes. See latent_search.h.
 *
 * The likelihood of a mixture has many local maxima. EM starts from several k-means++ seedings and runs on a systematic
 * sample of at most SAMPLE_ROWS rows. The best start then continues on all rows (Biernacki, Celeux and Govaert 2003).
 * If few starts have reached the best objective, another start is likely to exceed it, so more starts are made.
 *
 * The number of classes K maximizes the mean held-out log likelihood under cross-validation, or BIC (Schwarz 1978):
 *
 *   BIC = log P(rows) - d / 2 log n,   where d is the number of free parameters and n the total row weight. */
#include "em/latent_search.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 20000,
    SAMPLE_STEPS = 200,
    FOLDS = 5,
    FOLD_STARTS = 3,
    PATIENCE = 3,
    FIRST_STARTS = 10,
    MOST_STARTS = 100,
    ENOUGH = 5 /* starts that must have reached the best objective */
};

/* Tolerance of starts, and of the models of the folds. */
static const double SAMPLE_TOLERANCE = 1e-7;

/* Starts whose objectives differ by no more than this fraction count as equal. */
static const double SAME = 1e-5;

/* Limit of values times classes times steps, after which no start is added to the first ones: about half a second. */
static const double MOST_WORK = 5e8;

/* Fraction of all rows that is added to the classes found in a sample. */
static const double SPREAD = 1e-3;

/* A class is empty if its total weight is less than this fraction of the smallest positive row weight. */
static const double EMPTY = 0.01;

/* The input of a search. */
typedef struct search {
    const crd_i_case_table *table;
    crd_i_case_table *sample; /* NULL: the search uses all rows */
    const crd_settings *settings;
    crd_latent_options options;
} search;

static crd_i_class_mixture_rows latent_search_rows(const search *source_search, const crd_i_case_table *table,
                                                   const double *weights) {
    const crd_i_class_mixture_rows rows = {table, weights, 1, source_search->options.threads, 1};
    return rows;
}

/* ---- One number of classes ---- */

/* The minimum number of starts, and the maximum while few of them have reached the best objective. */
typedef struct start_range {
    size_t least, most;
} start_range;

size_t crd_latent_restarts_at_best(const crd_latent *latent) {
    double best = -INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < latent->restart_count; i++) best = fmax(best, latent->restarts[i]);
    for (size_t i = 0; i < latent->restart_count; i++) count += latent->restarts[i] >= best - SAME * fabs(best);
    return count;
}

/* Returns whether to make another start after `done` starts. */
static bool has_another(const crd_latent *latent, start_range starts, size_t done, double work) {
    if (done < starts.least) return true;
    return done < starts.most && work < MOST_WORK && crd_latent_restarts_at_best(latent) < ENOUGH;
}

/* Runs EM from several random starts. Leaves the parameters of the best start in the mixture, and its steps in
 * latent->fit. */
static crd_status latent_search_run_starts(const search *source_search, const crd_i_class_mixture_rows *rows,
                                           size_t classes, start_range starts, crd_i_class_mixture *mixture,
                                           crd_latent *latent, crd_error *error) {
    crd_context *context = source_search->table->context;
    const size_t count = crd_i_class_mixture_parameters(mixture);
    const size_t most_steps =
        source_search->options.most_steps < SAMPLE_STEPS ? source_search->options.most_steps : SAMPLE_STEPS;
    const crd_i_stopping_rule stop = {fmax(SAMPLE_TOLERANCE, source_search->options.tolerance), most_steps};
    const double step_work = (double)(rows->table->rows * rows->table->column_count * classes);
    double work = 0;
    crd_i_mixture_fit *best = &latent->fit;
    double *state = crd_i_class_mixture_state(mixture), *kept = crd_i_alloc(context, count, sizeof *kept);
    crd_status status = kept == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t r = 0; status == CRD_OK && !latent->is_stopped && has_another(latent, starts, r, work); r++) {
        crd_i_mixture_fit fit = {.context = context};
        status = crd_i_mixture_fit_start(mixture, classes, rows, source_search->options.seed, r, error);
        if (status == CRD_OK) status = crd_i_mixture_fit_run(mixture, rows, NULL, &stop, &fit, error);
        work += step_work * (double)fit.steps;
        /* If cancelled, an unfinished first start is still used as the result. */
        latent->is_stopped = crd_i_is_cancelled(status) && (r > 0 || fit.steps > 0);
        if (latent->is_stopped) status = CRD_OK;
        const bool is_done = status == CRD_OK && (!latent->is_stopped || r == 0);
        if (is_done && latent->restarts != NULL)
            latent->restarts[latent->restart_count++] = fit.objectives[fit.steps - 1];
        if (is_done && (r == 0 || fit.objectives[fit.steps - 1] > best->objectives[best->steps - 1])) {
            const crd_i_mixture_fit worse = *best;
            *best = fit;
            fit = worse;
            memcpy(kept, state, count * sizeof *kept);
        }
        crd_i_mixture_fit_clear(&fit);
    }
    if (status == CRD_OK) memcpy(state, kept, count * sizeof *kept);
    crd_free(context, kept);
    return status;
}

/* Drops the classes that EM has emptied. The other classes keep their statistics, and parameters are estimated from
 * them. */
static crd_status latent_search_drop_empty(const search *source_search, crd_latent *latent, crd_error *error) {
    const size_t before = latent->classes, count = crd_i_class_mixture_statistics(latent->mixture);
    const double *source = latent->fit.statistics;
    double least = INFINITY;
    size_t after = 0, next = 0;
    for (size_t i = 0; i < source_search->table->rows; i++)
        if (crd_i_case_weight(source_search->table, i) > 0)
            least = fmin(least, crd_i_case_weight(source_search->table, i));
    for (size_t k = 0; k < before; k++) after += source[k] >= EMPTY * least;
    if (after == before || after == 0) return CRD_OK;
    crd_i_class_mixture *mixture;
    crd_status status =
        crd_i_class_mixture_create(source_search->table, NULL, after, source_search->settings, &mixture, error);
    if (status != CRD_OK) return status;
    double *kept = crd_i_alloc(latent->context, crd_i_class_mixture_statistics(mixture), sizeof *kept);
    if (kept == NULL) {
        crd_i_class_mixture_destroy(mixture);
        return crd_i_fail_memory(error);
    }
    /* Statistics come in groups with one entry per class. */
    for (size_t i = 0; i < count; i++)
        if (source[i % before] >= EMPTY * least) kept[next++] = source[i];
    crd_i_class_mixture_maximise(mixture, kept);
    crd_free(latent->context, latent->fit.statistics);
    latent->fit.statistics = kept;
    crd_i_class_mixture_destroy(latent->mixture);
    latent->mixture = mixture;
    latent->classes = after;
    latent->emptied = before - after;
    return CRD_OK;
}

/* Extends parameters from a sample to all rows. The sample may lack some values, or combinations of values. Each class
 * receives a small fraction of all rows, in proportion to its probability, so that no row is impossible. */
static crd_status latent_search_widen(const search *source_search, crd_latent *latent, crd_error *error) {
    const crd_i_class_mixture_rows all = latent_search_rows(source_search, source_search->table, NULL);
    const size_t classes = latent->classes, count = crd_i_class_mixture_statistics(latent->mixture);
    int32_t *together = crd_i_alloc_zeroed(latent->context, source_search->table->rows, sizeof *together);
    double *whole = crd_i_alloc_zeroed(latent->context, count, sizeof *whole);
    double *statistics = crd_i_alloc(latent->context, count, sizeof *statistics);
    crd_status status = together == NULL || whole == NULL || statistics == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        crd_i_class_mixture_count(latent->mixture, &all, together, whole);
        const double *some = latent->fit.statistics, scale = source_search->table->total / source_search->sample->total;
        /* All rows are counted in class 0. */
        for (size_t i = 0; i < count; i++)
            statistics[i] =
                scale * some[i] + SPREAD * whole[i - i % classes] * (some[i % classes] / source_search->sample->total);
        crd_i_class_mixture_maximise(latent->mixture, statistics);
    }
    crd_free(latent->context, together);
    crd_free(latent->context, whole);
    crd_free(latent->context, statistics);
    return status;
}

/* Continues EM on all rows from the best start. */
static crd_status run_all(const search *source_search, crd_latent *latent, crd_error *error) {
    const crd_i_class_mixture_rows all = latent_search_rows(source_search, source_search->table, NULL);
    crd_i_stopping_rule stop = {source_search->options.tolerance, source_search->options.most_steps};
    /* The steps on a sample are not steps on all rows, so they are discarded. Without a sample, EM continues after
     * them. */
    crd_status status = source_search->sample != NULL ? latent_search_widen(source_search, latent, error) : CRD_OK;
    if (status != CRD_OK) return status;
    if (source_search->sample != NULL) crd_i_mixture_fit_clear(&latent->fit);
    else if (latent->fit.steps > stop.most_steps) return CRD_OK;
    else stop.most_steps -= latent->fit.steps;
    status = crd_i_mixture_fit_run(latent->mixture, &all, NULL, &stop, &latent->fit, error);
    latent->is_stopped = crd_i_is_cancelled(status);
    return latent->is_stopped ? CRD_OK : status;
}

/* Fits a mixture with the given number of classes: random starts, EM on all rows, then removal of empty classes. */
static crd_status latent_search_fit_classes(const search *source_search, size_t classes, crd_latent *latent,
                                            crd_error *error) {
    const crd_i_class_mixture_rows some = latent_search_rows(
        source_search, source_search->sample != NULL ? source_search->sample : source_search->table, NULL);
    const size_t stated = classes == 1 ? 1 : source_search->options.restarts;
    const start_range starts = {stated > 0 ? stated : FIRST_STARTS, stated > 0 ? stated : MOST_STARTS};
    latent->classes = classes;
    latent->restarts = crd_i_alloc(latent->context, starts.most, sizeof *latent->restarts);
    if (latent->restarts == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_class_mixture_create(source_search->table, NULL, classes, source_search->settings,
                                                   &latent->mixture, error);
    if (status == CRD_OK)
        status = latent_search_run_starts(source_search, &some, classes, starts, latent->mixture, latent, error);
    if (status == CRD_OK && !latent->is_stopped) status = run_all(source_search, latent, error);
    return status == CRD_OK && !latent->is_stopped ? latent_search_drop_empty(source_search, latent, error) : status;
}

/* Computes the mean held-out log likelihood of the rows by cross-validation. */
static crd_status latent_search_hold_out(const search *source_search, size_t classes, double *mean, crd_error *error) {
    const crd_i_case_table *table = source_search->sample != NULL ? source_search->sample : source_search->table;
    crd_context *context = table->context;
    double *held = crd_i_alloc(context, table->rows, sizeof *held);
    double *others = crd_i_alloc(context, table->rows, sizeof *others);
    double *evidence = crd_i_alloc(context, table->rows, sizeof *evidence);
    double *posteriors = crd_i_alloc(context, table->rows * classes, sizeof *posteriors);
    double sum = 0;
    const size_t each = classes == 1 ? 1 : FOLD_STARTS;
    const start_range starts = {each, each};
    crd_status status =
        held == NULL || others == NULL || evidence == NULL || posteriors == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t f = 0; status == CRD_OK && f < FOLDS; f++) {
        const crd_i_class_mixture_rows rows = latent_search_rows(source_search, table, others);
        crd_i_class_mixture *mixture = NULL;
        crd_latent one = {.context = context, .fit = {.context = context}};
        crd_i_mixture_fit_part(table, FOLDS, f, held);
        for (size_t i = 0; i < table->rows; i++) others[i] = crd_i_case_weight(table, i) - held[i];
        status =
            crd_i_class_mixture_create(source_search->table, NULL, classes, source_search->settings, &mixture, error);
        if (status == CRD_OK)
            status = latent_search_run_starts(source_search, &rows, classes, starts, mixture, &one, error);
        if (one.is_stopped) status = crd_i_fail_cancelled(error);
        if (status == CRD_OK)
            status = crd_i_class_mixture_posteriors(mixture, table, 0, table->rows, posteriors, evidence, error);
        for (size_t i = 0; status == CRD_OK && i < table->rows; i++)
            if (held[i] > 0) sum += held[i] * evidence[i];
        crd_i_mixture_fit_clear(&one.fit);
        crd_i_class_mixture_destroy(mixture);
    }
    crd_free(context, held);
    crd_free(context, others);
    crd_free(context, evidence);
    crd_free(context, posteriors);
    *mean = sum / table->total;
    return status;
}

static double latent_search_merit(const search *source_search, const crd_latent_choice *choice) {
    return source_search->options.criterion == CRD_LATENT_BIC ? choice->bic : choice->held_out;
}

/* Computes the criteria of a fitted number of classes: log likelihood, free parameters, BIC and held-out log
 * likelihood. */
static crd_status latent_search_judge(const search *source_search, const crd_latent *latent, crd_latent_choice *out,
                                      crd_error *error) {
    const crd_latent_choice none = CRD_LATENT_CHOICE_INIT;
    *out = none;
    out->classes = latent->classes;
    out->tried = latent->classes + latent->emptied;
    out->log_likelihood = latent->fit.log_likelihoods[latent->fit.steps - 1];
    out->parameters = crd_i_class_mixture_free(latent->mixture, latent->fit.statistics);
    out->bic = out->log_likelihood - out->parameters * crd_log(source_search->table->total) / 2;
    out->held_out = NAN;
    if (source_search->options.criterion != CRD_LATENT_HELD_OUT || source_search->options.classes > 0) return CRD_OK;
    return latent_search_hold_out(source_search, out->tried, &out->held_out, error);
}

/* ---- The number of classes ---- */

void crd_i_latent_clear(crd_latent *latent) {
    crd_i_mixture_fit_clear(&latent->fit);
    crd_i_class_mixture_destroy(latent->mixture);
    crd_free(latent->context, latent->restarts);
    latent->restarts = NULL;
    latent->mixture = NULL;
}

static void latent_search_keep(crd_latent *latent, crd_latent *found_latent) {
    const crd_latent other = *found_latent;
    found_latent->fit = latent->fit;
    found_latent->restarts = latent->restarts;
    found_latent->mixture = latent->mixture;
    latent->fit = other.fit;
    latent->restarts = other.restarts;
    latent->restart_count = other.restart_count;
    latent->mixture = other.mixture;
    latent->classes = other.classes;
    latent->emptied = other.emptied;
}

/* Keeps the result if it is the best so far. */
static void keep_better(const search *source_search, crd_latent *latent, crd_latent *found_latent,
                        const crd_latent_choice *choice, double *best) {
    if (latent->mixture != NULL && !(latent_search_merit(source_search, choice) > *best)) return;
    *best = latent_search_merit(source_search, choice);
    latent->chosen = latent->choice_count - 1;
    latent_search_keep(latent, found_latent);
}

/* Fits 1, 2, 3, ... classes, or only the specified number, and keeps the best fit. Stops PATIENCE numbers after the
 * best. */
static crd_status latent_search_choose_classes(const search *source_search, crd_latent *latent, crd_error *error) {
    const size_t stated = source_search->options.classes;
    const size_t least = stated > 0 ? stated : 1;
    size_t most = stated > 0 ? stated : source_search->options.most_classes;
    double best = -INFINITY;
    crd_i_stage stage;
    if (most > source_search->table->rows) most = source_search->table->rows;
    crd_status status = CRD_OK;
    crd_i_stage_begin(&stage, "fitting latent classes", most - least + 1);
    for (size_t k = least; status == CRD_OK && !latent->is_stopped && k <= most &&
                           (k == least || k <= latent->classes + latent->emptied + PATIENCE);
         k++) {
        crd_latent found_latent = {.context = latent->context, .fit = {.context = latent->context}};
        crd_latent_choice choice;
        status = latent_search_fit_classes(source_search, k, &found_latent, error);
        if (status == CRD_OK && !found_latent.is_stopped)
            status = latent_search_judge(source_search, &found_latent, &choice, error);
        latent->is_stopped = found_latent.is_stopped ||
                             (crd_i_is_cancelled(status) && (latent->mixture != NULL || found_latent.fit.steps > 0));
        if (latent->is_stopped) status = CRD_OK;
        if (latent->is_stopped && latent->mixture == NULL) latent_search_keep(latent, &found_latent);
        if (status == CRD_OK && !latent->is_stopped &&
            !crd_i_reserve(latent->context, &latent->choices, &latent->choice_capacity, latent->choice_count + 1,
                           sizeof *latent->choices))
            status = crd_i_fail_memory(error);
        if (status == CRD_OK && !latent->is_stopped) {
            latent->choices[latent->choice_count++] = choice;
            keep_better(source_search, latent, &found_latent, &choice, &best);
        }
        crd_i_latent_clear(&found_latent);
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    return status;
}

static crd_status latent_search_take_sample(search *source_search, crd_error *error) {
    const size_t rows = source_search->table->rows;
    if (rows <= SAMPLE_ROWS) return CRD_OK;
    size_t *chosen = crd_i_alloc(source_search->table->context, SAMPLE_ROWS, sizeof *chosen);
    if (chosen == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < SAMPLE_ROWS; i++) chosen[i] = (size_t)((double)i * ((double)rows / SAMPLE_ROWS));
    crd_status status = crd_i_case_rows(source_search->table, chosen, SAMPLE_ROWS, &source_search->sample, error);
    crd_free(source_search->table->context, chosen);
    return status;
}

crd_status crd_i_latent_search(crd_latent *latent, const crd_latent_options *options, crd_error *error) {
    search source_search = {.table = latent->table, .settings = latent->settings, .options = *options};
    crd_status status = latent_search_take_sample(&source_search, error);
    if (status == CRD_OK) status = latent_search_choose_classes(&source_search, latent, error);
    crd_i_case_table_destroy(source_search.sample);
    return status;
}
