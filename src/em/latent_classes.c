/* SPDX-License-Identifier: MIT */
/* latent_classes.c - latent class analysis: random restarts of EM, the choice of the number of classes, and the public
 * calls. See credence/latent.h.
 *
 * Contents:
 *   1. Search
 *   2. Models
 *   3. Public calls */
#include "base/error.h"
#include "base/memory.h"
#include "cases/case_builder.h"
#include "em/class_mixture.h"
#include "processes/group.h"
#include "table/read/reader.h"

#include <credence/latent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CRD_I_LATENT_MAX_CLASSES = 1000 };

/* A fit of one number of classes. */
typedef struct latent_result {
    crd_i_class_mixture *mixture;
    double *statistics; /* expected statistics of the last E step */
    size_t classes;
    size_t emptied; /* number of classes that EM left without rows, and that were dropped */
} latent_result;

/* A search, and the inputs from which the model is built. */
typedef struct latent_fit {
    crd_fit base;
    latent_result best;
    crd_i_case_table *table;
    crd_i_schema *schema;
    crd_settings *settings;
} latent_fit;

/* ======== 1. Search ========
 *
 * The likelihood of a mixture has many local maxima. EM starts from several k-means++ seedings and runs on a systematic
 * sample of at most SAMPLE_ROWS rows. The best start then continues on all rows. If few starts have reached the best
 * objective, another start is likely to exceed it, so more starts are made. */

enum {
    SAMPLE_ROWS = 20000,
    SAMPLE_STEPS = 200,
    FOLDS = 5,
    FOLD_STARTS = 3,
    PATIENCE = 3,
    FIRST_STARTS = 10,
    DEFAULT_MOST_STARTS = 100,
    ENOUGH = 5 /* starts that must have reached the best objective */
};

/* Tolerance of starts, and of the models of the folds. */
static const double SAMPLE_TOLERANCE = 1e-7;

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
    latent_result latest, *best;
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

typedef struct latent_starts {
    const search *source_search;
    const crd_i_class_mixture_rows *rows;
    start_range range;
    double work;
    const latent_result *result; /* the latest start */
    double *kept;                /* parameters and statistics of the best start */
} latent_starts;

static bool latent_starts_has_next(const void *state, const crd_fit *fit) {
    const latent_starts *starts = state;
    if (fit->start_count < starts->range.least) return true;
    return fit->start_count < starts->range.most && starts->work < MOST_WORK &&
           crd_i_em_fit_starts_at_best(fit) < ENOUGH;
}

static crd_status latent_starts_run(void *state, size_t start, crd_i_em_trace *trace, crd_error *error) {
    latent_starts *starts = state;
    const crd_latent_options *options = &starts->source_search->options;
    const crd_i_case_table *table = starts->rows->table;
    const crd_i_em_rule rule = {.tolerance = fmax(SAMPLE_TOLERANCE, options->tolerance),
                                .most_steps = options->most_steps < SAMPLE_STEPS ? options->most_steps : SAMPLE_STEPS};
    crd_status status = crd_i_mixture_fit_start(starts->result->mixture, starts->result->classes, starts->rows,
                                                options->seed, start, error);
    if (status == CRD_OK)
        status = crd_i_mixture_fit_run(starts->result->mixture, starts->rows, NULL, &rule, starts->result->statistics,
                                       trace, error);
    starts->work += (double)(table->rows * table->column_count * starts->result->classes) * (double)trace->count;
    return status;
}

static void latent_starts_keep(void *state, size_t place) {
    const latent_starts *starts = state;
    const size_t count = crd_i_class_mixture_parameters(starts->result->mixture);
    (void)place;
    memcpy(starts->kept, crd_i_class_mixture_state(starts->result->mixture), count * sizeof *starts->kept);
    memcpy(starts->kept + count, starts->result->statistics,
           crd_i_class_mixture_statistics(starts->result->mixture) * sizeof *starts->kept);
}

static void latent_starts_restore(void *state, size_t place) {
    const latent_starts *starts = state;
    const size_t count = crd_i_class_mixture_parameters(starts->result->mixture);
    (void)place;
    memcpy(crd_i_class_mixture_state(starts->result->mixture), starts->kept, count * sizeof *starts->kept);
    memcpy(starts->result->statistics, starts->kept + count,
           crd_i_class_mixture_statistics(starts->result->mixture) * sizeof *starts->kept);
}

/* Runs EM from several random starts. Leaves the parameters and statistics of the best start in `result`. */
static crd_status latent_search_run_starts(const search *source_search, const crd_i_class_mixture_rows *rows,
                                           start_range range, const latent_result *result, crd_fit *fit,
                                           crd_error *error) {
    crd_context *context = source_search->table->context;
    latent_starts starts = {.source_search = source_search, .rows = rows, .range = range, .result = result};
    const crd_i_em_starts calls = {.state = &starts,
                                   .run = latent_starts_run,
                                   .has_next = latent_starts_has_next,
                                   .keep = latent_starts_keep,
                                   .restore = latent_starts_restore};
    starts.kept = crd_i_alloc(
        context, crd_i_class_mixture_parameters(result->mixture) + crd_i_class_mixture_statistics(result->mixture),
        sizeof *starts.kept);
    crd_status status = starts.kept == NULL ? crd_i_fail_memory(error) : crd_i_em_run_starts(&calls, fit, error);
    crd_free(context, starts.kept);
    return status;
}

static crd_status latent_result_create(const search *source_search, size_t classes, latent_result *out,
                                       crd_error *error) {
    *out = (latent_result){.classes = classes};
    crd_status status =
        crd_i_class_mixture_create(source_search->table, NULL, classes, source_search->settings, &out->mixture, error);
    if (status != CRD_OK) return status;
    out->statistics = crd_i_alloc(source_search->table->context, crd_i_class_mixture_statistics(out->mixture),
                                  sizeof *out->statistics);
    return out->statistics == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static void latent_result_clear(latent_result *result, crd_context *context) {
    crd_i_class_mixture_destroy(result->mixture);
    crd_free(context, result->statistics);
    *result = (latent_result){0};
}

/* Drops the classes that EM has emptied. The other classes keep their statistics, and parameters are estimated from
 * them. */
static crd_status latent_search_drop_empty(const search *source_search, latent_result *result, crd_error *error) {
    const size_t before = result->classes, count = crd_i_class_mixture_statistics(result->mixture);
    const double *source = result->statistics;
    double least = INFINITY;
    size_t after = 0, next = 0;
    for (size_t i = 0; i < source_search->table->rows; i++)
        if (crd_i_case_weight(source_search->table, i) > 0)
            least = fmin(least, crd_i_case_weight(source_search->table, i));
    for (size_t k = 0; k < before; k++) after += source[k] >= EMPTY * least;
    if (after == before || after == 0) return CRD_OK;
    latent_result kept;
    crd_status status = latent_result_create(source_search, after, &kept, error);
    if (status == CRD_OK) {
        /* Statistics come in groups with one entry per class. */
        for (size_t i = 0; i < count; i++)
            if (source[i % before] >= EMPTY * least) kept.statistics[next++] = source[i];
        crd_i_class_mixture_maximize(kept.mixture, kept.statistics);
        kept.emptied = before - after;
        latent_result_clear(result, source_search->table->context);
        *result = kept;
    } else latent_result_clear(&kept, source_search->table->context);
    return status;
}

/* Extends parameters from a sample to all rows. The sample may lack some values, or combinations of values. Each class
 * receives a small fraction of all rows, in proportion to its probability, so that no row is impossible. */
static crd_status latent_search_widen(const search *source_search, const latent_result *result, crd_error *error) {
    crd_context *context = source_search->table->context;
    const crd_i_class_mixture_rows all = latent_search_rows(source_search, source_search->table, NULL);
    const size_t classes = result->classes, count = crd_i_class_mixture_statistics(result->mixture);
    int32_t *together = crd_i_alloc_zeroed(context, source_search->table->rows, sizeof *together);
    double *whole = crd_i_alloc_zeroed(context, count, sizeof *whole);
    double *statistics = crd_i_alloc(context, count, sizeof *statistics);
    crd_status status = together == NULL || whole == NULL || statistics == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        crd_i_class_mixture_count(result->mixture, &all, together, whole);
        const double *some = result->statistics, scale = source_search->table->total / source_search->sample->total;
        /* All rows are counted in class 0. */
        for (size_t i = 0; i < count; i++)
            statistics[i] =
                scale * some[i] + SPREAD * whole[i - i % classes] * (some[i % classes] / source_search->sample->total);
        crd_i_class_mixture_maximize(result->mixture, statistics);
    }
    crd_free(context, together);
    crd_free(context, whole);
    crd_free(context, statistics);
    return status;
}

/* Continues EM on all rows from the best start. */
static crd_status run_all(const search *source_search, const latent_result *result, crd_fit *fit, crd_error *error) {
    const crd_i_class_mixture_rows all = latent_search_rows(source_search, source_search->table, NULL);
    crd_i_em_rule rule = {.tolerance = source_search->options.tolerance,
                          .most_steps = source_search->options.most_steps};
    /* The steps on a sample are not steps on all rows, so they are discarded. Without a sample, EM continues after
     * them. */
    crd_status status = source_search->sample != NULL ? latent_search_widen(source_search, result, error) : CRD_OK;
    if (status != CRD_OK) return status;
    if (source_search->sample != NULL) crd_i_em_trace_clear(&fit->trace);
    else if (fit->trace.count > rule.most_steps) return CRD_OK;
    else rule.most_steps -= fit->trace.count;
    status = crd_i_mixture_fit_run(result->mixture, &all, NULL, &rule, result->statistics, &fit->trace, error);
    fit->is_stopped = crd_i_is_cancelled(status);
    return fit->is_stopped ? CRD_OK : status;
}

/* Fits a mixture with the given number of classes: random starts, EM on all rows, then removal of empty classes. */
static crd_status latent_search_run(void *state, size_t classes, crd_fit *fit, crd_error *error) {
    search *source_search = state;
    latent_result *result = &source_search->latest;
    const crd_i_class_mixture_rows some = latent_search_rows(
        source_search, source_search->sample != NULL ? source_search->sample : source_search->table, NULL);
    const size_t stated = classes == 1 ? 1 : source_search->options.restarts;
    const start_range starts = {stated > 0 ? stated : FIRST_STARTS, stated > 0 ? stated : DEFAULT_MOST_STARTS};
    crd_status status = latent_result_create(source_search, classes, result, error);
    if (status == CRD_OK) status = latent_search_run_starts(source_search, &some, starts, result, fit, error);
    if (status == CRD_OK && !fit->is_stopped) status = run_all(source_search, result, fit, error);
    if (status == CRD_OK && !fit->is_stopped) status = latent_search_drop_empty(source_search, result, error);
    fit->facts.components = result->classes;
    fit->facts.empty = result->emptied;
    return status;
}

/* Computes the mean held-out log likelihood of the rows by cross-validation. */
static crd_status latent_search_hold_out(void *state, size_t classes, double *mean, crd_error *error) {
    const search *source_search = state;
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
        latent_result result;
        crd_fit fit;
        crd_i_em_fit_begin(&fit, context);
        crd_i_mixture_fit_part(table, FOLDS, f, held);
        for (size_t i = 0; i < table->rows; i++) others[i] = crd_i_case_weight(table, i) - held[i];
        status = latent_result_create(source_search, classes, &result, error);
        if (status == CRD_OK) status = latent_search_run_starts(source_search, &rows, starts, &result, &fit, error);
        if (status == CRD_OK && fit.is_stopped) status = crd_i_fail_cancelled(error);
        if (status == CRD_OK)
            status = crd_i_class_mixture_posteriors(result.mixture, table, 0, table->rows, posteriors, evidence, error);
        for (size_t i = 0; status == CRD_OK && i < table->rows; i++)
            if (held[i] > 0) sum += held[i] * evidence[i];
        crd_i_em_fit_clear(&fit);
        latent_result_clear(&result, context);
    }
    crd_free(context, held);
    crd_free(context, others);
    crd_free(context, evidence);
    crd_free(context, posteriors);
    *mean = sum / table->total;
    return status;
}

static double latent_search_parameters(const void *state) {
    const search *source_search = state;
    return crd_i_class_mixture_free(source_search->latest.mixture, source_search->latest.statistics);
}

/* Keeps or frees the latest fit. */
static void latent_search_end(void *state, bool is_best) {
    search *source_search = state;
    const latent_result latest = source_search->latest;
    if (is_best) {
        source_search->latest = *source_search->best;
        *source_search->best = latest;
    }
    latent_result_clear(&source_search->latest, source_search->table->context);
}

static crd_status latent_search_take_sample(search *source_search, crd_error *error) {
    const size_t rows = source_search->table->rows;
    if (rows <= SAMPLE_ROWS) return CRD_OK;
    uint32_t *chosen = crd_i_alloc(source_search->table->context, SAMPLE_ROWS, sizeof *chosen);
    if (chosen == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < SAMPLE_ROWS; i++) chosen[i] = (uint32_t)((double)i * ((double)rows / SAMPLE_ROWS));
    crd_status status =
        crd_i_case_table_select(source_search->table, NULL, chosen, SAMPLE_ROWS, &source_search->sample, error);
    crd_free(source_search->table->context, chosen);
    return status;
}

/* Finds the latent classes of latent->table: 1, 2, 3, ... classes, or only the specified number. Only the number of
 * classes and of restarts may be left open (0) in the options; everything else must be set. */
static crd_status latent_search(latent_fit *latent, const crd_latent_options *options, crd_error *error) {
    search source_search = {
        .table = latent->table, .settings = latent->settings, .options = *options, .best = &latent->best};
    const size_t stated = options->classes, most = stated > 0 ? stated : options->max_classes;
    const crd_i_em_search calls = {.state = &source_search,
                                   .name = "fitting latent classes",
                                   .least = stated > 0 ? stated : 1,
                                   .most = most < latent->table->rows ? most : latent->table->rows,
                                   .patience = PATIENCE,
                                   .rows = latent->table->total,
                                   .criterion = options->criterion,
                                   .run = latent_search_run,
                                   .parameters = latent_search_parameters,
                                   .hold_out = stated > 0 ? NULL : latent_search_hold_out,
                                   .end = latent_search_end};
    crd_status status = latent_search_take_sample(&source_search, error);
    if (status == CRD_OK) status = crd_i_em_choose(&calls, &latent->base, error);
    crd_i_case_table_destroy(source_search.sample);
    return status;
}

/* ======== 2. Models ======== */

enum { NAME_ROOM = 24, MOST_STARTS = 1000000 };

/* Smaller than the default for networks, because EM separates overlapping classes in many small steps. */
static const double TOLERANCE = 1e-9;

static void latent_fit_clear(crd_fit *fit) {
    latent_fit *latent = (latent_fit *)fit;
    latent_result_clear(&latent->best, fit->context);
    crd_i_case_table_destroy(latent->table);
    crd_i_schema_destroy(latent->schema);
    crd_settings_destroy(latent->settings);
}

typedef struct latent_rows {
    const crd_i_class_mixture *mixture;
    const crd_i_case_table *table;
    const size_t *order; /* order[k]: the index in the mixture of the k-th most probable class */
    size_t classes;
} latent_rows;

/* Computes the log posteriors of rows, with the classes in decreasing order of probability. */
static crd_status latent_classes_fill(const void *state, size_t first, size_t limit, double *logs, double *factors,
                                      crd_error *error) {
    const latent_rows *latent = state;
    double row[CRD_I_LATENT_MAX_CLASSES];
    crd_status status = crd_i_class_mixture_posteriors(latent->mixture, latent->table, first, limit, logs, NULL, error);
    for (size_t i = 0; status == CRD_OK && i < limit - first; i++) {
        factors[i] = 1;
        memcpy(row, logs + i * latent->classes, latent->classes * sizeof *row);
        for (size_t k = 0; k < latent->classes; k++) logs[i * latent->classes + k] = row[latent->order[k]];
    }
    return status;
}

/* Sorts the classes by decreasing probability. Classes of equal probability keep their order. */
static void order_classes(const latent_result *result, size_t *order) {
    const double *logs = crd_i_class_mixture_state(result->mixture);
    for (size_t k = 0; k < result->classes; k++) {
        size_t index = k;
        for (; index > 0 && logs[order[index - 1]] < logs[k]; index--) order[index] = order[index - 1];
        order[index] = k;
    }
}

static crd_status latent_fit_model(const crd_fit *fit, crd_model **out, crd_error *error) {
    const latent_fit *latent = (const latent_fit *)fit;
    crd_context *context = fit->context;
    const size_t classes = latent->best.classes;
    crd_i_schema *schema = crd_i_schema_clone(latent->schema);
    size_t *order = crd_i_alloc(context, classes, sizeof *order);
    crd_text *names = crd_i_alloc(context, classes, sizeof *names);
    char *digits = crd_i_alloc(context, classes, NAME_ROOM);
    crd_status status = CRD_OK;
    if (schema == NULL || order == NULL || names == NULL || digits == NULL) {
        crd_i_schema_destroy(schema);
        status = crd_i_fail_memory(error);
    } else {
        order_classes(&latent->best, order);
        for (size_t k = 0; k < classes; k++) {
            snprintf(digits + k * NAME_ROOM, NAME_ROOM, "%zu", k + 1);
            names[k] = crd_text_of(digits + k * NAME_ROOM);
        }
        const latent_rows rows = {
            .mixture = latent->best.mixture, .table = latent->table, .order = order, .classes = classes};
        const crd_i_class_weights weights = {names, classes, &rows, latent_classes_fill};
        status = crd_i_class_tallies_learn(latent->table, schema, latent->settings, &weights, out, error);
    }
    crd_free(context, order);
    crd_free(context, names);
    crd_free(context, digits);
    return status;
}

static const crd_i_fit_kind latent_fit_kind = {.model = latent_fit_model, .clear = latent_fit_clear};

/* ======== 3. Public calls ======== */

static crd_status latent_classes_check(const crd_i_schema *schema, crd_text target, const crd_latent_options *options,
                                       crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (options->classes > CRD_I_LATENT_MAX_CLASSES || options->max_classes > CRD_I_LATENT_MAX_CLASSES ||
        options->max_classes == 0 || options->restarts > MOST_STARTS || isnan(options->tolerance))
        return crd_i_fail(
            error, CRD_ERROR_ARGUMENT,
            "latent classes: expected 1 to %d classes, at most %d starts, and a tolerance that is a number",
            (int)CRD_I_LATENT_MAX_CLASSES, (int)MOST_STARTS);
    if (schema->target != SIZE_MAX)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "latent classes cannot be fitted if a column is the target");
    if (target.length == 0 || memchr(target.bytes, '\0', target.length) != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name of the latent classes is empty, or has a NUL byte");
    if (crd_i_schema_find(schema, target) == SIZE_MAX) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' is a column of the table, so it cannot be the name of its latent classes",
               crd_i_quote(target, quoted));
    crd_i_error_subject(error, target);
    return CRD_ERROR_COLUMN;
}

/* Rejects settings that would make the model predict by anything other than the naive Bayes parameters of EM. */
static crd_status latent_classes_check_settings(const crd_settings *settings, crd_error *error) {
    static const char *const plain[][2] = {
        {"method", "naive"},     {"joint", "none"},      {"attribute-weights", "none"},
        {"calibration", "none"}, {"prior", "frequency"}, {"variance", "mle"},
        {"arcs", "none"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        const char *name = plain[i][0];
        if (crd_i_settings_is_default(settings, name)) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "latent classes are fitted as naive Bayes by EM: %s must be %s, not %s",
                   name, plain[i][1], crd_settings_get(settings, name));
        crd_i_error_subject(error, crd_text_of(name));
        return CRD_ERROR_SETTING;
    }
    if (settings->estimator != CRD_I_ESTIMATOR_GRADIENT) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "latent classes are fitted by EM: the estimator must be em, not %s",
               crd_settings_get(settings, "estimator"));
    crd_i_error_subject(error, crd_text_of("estimator"));
    return CRD_ERROR_SETTING;
}

static void latent_classes_complete_options(crd_latent_options *options, const crd_settings *settings) {
    if (options->restarts == 0) options->restarts = settings->em_starts;
    if (options->most_steps == 0) options->most_steps = settings->iterations;
    if (options->tolerance < 0)
        options->tolerance = crd_i_settings_is_default(settings, "tolerance") ? TOLERANCE : settings->tolerance;
}

static crd_status latent_classes_check_rows(const crd_i_case_table *table, size_t classes, crd_error *error) {
    if (table->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    if (classes <= table->rows) return CRD_OK;
    return crd_i_fail(
        error, CRD_ERROR_EMPTY,
        "%zu latent classes in %zu different row%s: the number of classes cannot exceed the number of different rows",
        classes, table->rows, table->rows == 1 ? "" : "s");
}

/* Records the latent classes in the setting latent-nodes, which marks the model as a latent class model. The list item is
 * quoted as in CSV. */
static crd_status state_classes(crd_settings *settings, crd_text target, size_t classes, crd_error *error) {
    char *text = crd_i_alloc(settings->context, 2 * target.length + NAME_ROOM, 1);
    size_t length = 0;
    if (text == NULL) return crd_i_fail_memory(error);
    text[length++] = '"';
    for (size_t i = 0; i < target.length; i++) {
        if (target.bytes[i] == '"') text[length++] = '"';
        text[length++] = target.bytes[i];
    }
    length += (size_t)snprintf(text + length, NAME_ROOM - 1, ":%zu\"", classes);
    const crd_text value = {text, length};
    crd_status status = crd_settings_set(settings, "latent-nodes", value, error);
    crd_free(settings->context, text);
    return status;
}

/* Adds the target after the other columns, in a field that files need not have. */
static bool latent_classes_add_target(crd_i_schema *schema, crd_text target) {
    if (!crd_i_schema_add(schema, target, CRD_TYPE_CATEGORICAL, schema->width)) return false;
    schema->target = schema->count - 1;
    schema->width++;
    return true;
}

/* Reads the rows, after checking that the reader's schema and the settings are suitable. */
static crd_status latent_classes_read_rows(crd_reader *reader, crd_text target, const crd_settings *settings,
                                           const crd_latent_options *options, latent_fit *latent, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    status = latent_classes_check(schema, target, options, error);
    crd_i_schema_destroy(schema);
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(latent->base.context, &latent->settings, error)
                                  : crd_i_settings_copy(latent->base.context, settings, &latent->settings, error);
    if (status == CRD_OK) status = latent_classes_check_settings(latent->settings, error);
    if (status == CRD_OK) status = crd_i_case_table_of_reader(reader, NULL, 0, &latent->table, error);
    /* The schema is read again: it now includes the column formats detected in the rows. */
    if (status == CRD_OK) status = crd_i_reader_schema(reader, &latent->schema, error);
    if (status == CRD_OK && !latent_classes_add_target(latent->schema, target)) status = crd_i_fail_memory(error);
    return status;
}

static crd_status latent_classes_find(crd_latent_options *options, crd_text target, latent_fit *latent,
                                      crd_error *error) {
    latent_classes_complete_options(options, latent->settings);
    crd_status status = latent_classes_check_rows(latent->table, options->classes, error);
    if (status == CRD_OK) status = latent_search(latent, options, error);
    latent->base.facts.rows = latent->table->total;
    latent->base.facts.distinct_rows = (double)latent->table->rows;
    return status == CRD_OK ? state_classes(latent->settings, target, latent->best.classes, error) : status;
}

crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                           const crd_latent_options *options, crd_fit **out, crd_error *error) {
    crd_latent_options chosen = CRD_LATENT_OPTIONS_INIT;
    crd_context *context = crd_i_reader_context(reader);
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    latent_fit *latent = crd_i_alloc_zeroed(context, 1, sizeof *latent);
    crd_status status = latent == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (latent != NULL) {
        crd_i_em_fit_begin(&latent->base, context);
        latent->base.kind = &latent_fit_kind;
    }
    if (status == CRD_OK) status = latent_classes_read_rows(reader, target, settings, &chosen, latent, error);
    if (status == CRD_OK) status = latent_classes_find(&chosen, target, latent, error);
    status = crd_i_group_end(context->group, status, error);
    if (status == CRD_OK) *out = &latent->base;
    else crd_fit_destroy((crd_fit *)latent);
    return status;
}

crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                            const crd_latent_options *options, crd_model **out, crd_fit **fit, crd_error *error) {
    crd_fit *found;
    *out = NULL;
    if (fit != NULL) *fit = NULL;
    crd_status status = crd_latent_find(reader, target, settings, options, &found, error);
    if (status != CRD_OK) return status;
    status = crd_i_group_end(found->context->group, crd_fit_model(found, out, error), error);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    if (status == CRD_OK && fit != NULL) *fit = found;
    else crd_fit_destroy(found);
    return status;
}
