/* SPDX-License-Identifier: MIT */
/* latent_classes.c - see credence/latent.h.
 *
 * The likelihood of a mixture has many local maxima. EM starts from several seedings and runs on at most SAMPLE_ROWS rows,
 * every so many of those that the table has in its order; the best goes on over all rows (Biernacki, Celeux and Govaert
 * 2003). */
#include "base/error.h"
#include "base/memory.h"
#include "cases/case_table.h"
#include "em/class_tallies.h"
#include "em/mixture_fit.h"
#include "table/read/reader.h"

#include <credence/latent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SAMPLE_ROWS = 20000,
    SAMPLE_STEPS = 200,
    FOLDS = 5,
    FOLD_STARTS = 3,
    PATIENCE = 3,
    MOST_CLASSES = 1000,
    NAME_ROOM = 24
};

/* Of starts, and of models of folds. */
static const double SAMPLE_TOLERANCE = 1e-7;

struct crd_latent {
    crd_context *context;
    size_t classes;
    double rows, distinct;
    crd_i_mixture_fit fit;
    double *restarts;
    size_t restart_count;
    crd_latent_choice *choices;
    size_t choice_count, choice_capacity;
    crd_i_class_mixture *mixture; /* with the parameters of the best */
    bool is_stopped;              /* the call was cancelled, and this is what there was */
    /* What the model is made of. */
    crd_i_case_table *table;
    crd_i_schema *schema;
    crd_settings *settings;
};

/* A table whose classes are looked for. */
typedef struct search {
    const crd_i_case_table *table;
    crd_i_case_table *sample; /* NULL: all rows */
    const crd_settings *settings;
    crd_latent_options options;
} search;

static crd_i_class_mixture_rows rows_of(const search *of, const crd_i_case_table *table, const double *weights) {
    const crd_i_class_mixture_rows rows = {table, weights, 1, of->options.threads, 1};
    return rows;
}

/* ---- One number of classes ---- */

/* The best of some starts: the mixture has its parameters, and `fit` its steps. */
static crd_status run_starts(const search *of, const crd_i_class_mixture_rows *rows, size_t classes, size_t starts,
                             crd_i_class_mixture *mixture, crd_latent *to, crd_error *error) {
    crd_context *context = of->table->context;
    const size_t count = crd_i_class_mixture_parameters(mixture);
    const crd_i_stopping_rule stop = {SAMPLE_TOLERANCE, SAMPLE_STEPS};
    crd_i_mixture_fit *best = &to->fit;
    double *state = crd_i_class_mixture_state(mixture), *kept = crd_i_alloc(context, count, sizeof *kept);
    crd_status status = kept == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t r = 0; status == CRD_OK && r < starts && !to->is_stopped; r++) {
        crd_i_mixture_fit fit = {.context = context};
        status = crd_i_mixture_fit_start(mixture, classes, rows, of->options.seed, r, error);
        if (status == CRD_OK) status = crd_i_mixture_fit_run(mixture, rows, NULL, &stop, &fit, error);
        /* What a start has come to is something where no other has come to its end. */
        to->is_stopped = crd_i_is_cancelled(status) && (r > 0 || fit.steps > 0);
        if (to->is_stopped) status = CRD_OK;
        const bool is_done = status == CRD_OK && (!to->is_stopped || r == 0);
        if (is_done && to->restarts != NULL) to->restarts[to->restart_count++] = fit.objectives[fit.steps - 1];
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

/* EM of all rows from the best start. */
static crd_status fit_classes(const search *of, size_t classes, crd_latent *to, crd_error *error) {
    const crd_i_case_table *sample = of->sample != NULL ? of->sample : of->table;
    const crd_i_class_mixture_rows some = rows_of(of, sample, NULL), all = rows_of(of, of->table, NULL);
    const crd_i_stopping_rule stop = {of->options.tolerance, of->options.most_steps};
    const size_t starts = classes == 1 ? 1 : of->options.restarts;
    to->classes = classes;
    to->restarts = crd_i_alloc(to->context, starts, sizeof *to->restarts);
    if (to->restarts == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_class_mixture_create(of->table, NULL, classes, of->settings, &to->mixture, error);
    if (status == CRD_OK) status = run_starts(of, &some, classes, starts, to->mixture, to, error);
    if (status != CRD_OK || to->is_stopped) return status;
    /* The steps of a sample are none of all rows. */
    if (of->sample != NULL) crd_i_mixture_fit_clear(&to->fit);
    status = crd_i_mixture_fit_run(to->mixture, &all, NULL, &stop, &to->fit, error);
    to->is_stopped = crd_i_is_cancelled(status);
    return to->is_stopped ? CRD_OK : status;
}

/* The mean log likelihood of rows by mixtures of the other folds. */
static crd_status hold_out(const search *of, size_t classes, double *mean, crd_error *error) {
    const crd_i_case_table *table = of->sample != NULL ? of->sample : of->table;
    crd_context *context = table->context;
    double *held = crd_i_alloc(context, table->rows, sizeof *held);
    double *others = crd_i_alloc(context, table->rows, sizeof *others);
    double *evidence = crd_i_alloc(context, table->rows, sizeof *evidence);
    double *posteriors = crd_i_alloc(context, table->rows * classes, sizeof *posteriors);
    double sum = 0;
    crd_status status =
        held == NULL || others == NULL || evidence == NULL || posteriors == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t f = 0; status == CRD_OK && f < FOLDS; f++) {
        const crd_i_class_mixture_rows rows = rows_of(of, table, others);
        crd_i_class_mixture *mixture = NULL;
        crd_latent one = {.context = context, .fit = {.context = context}};
        crd_i_mixture_fit_part(table, FOLDS, f, held);
        for (size_t i = 0; i < table->rows; i++) others[i] = crd_i_case_weight(table, i) - held[i];
        status = crd_i_class_mixture_create(of->table, NULL, classes, of->settings, &mixture, error);
        if (status == CRD_OK)
            status = run_starts(of, &rows, classes, classes == 1 ? 1 : FOLD_STARTS, mixture, &one, error);
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

static double merit(const search *of, const crd_latent_choice *choice) {
    return of->options.criterion == CRD_LATENT_BIC ? choice->bic : choice->held_out;
}

static crd_status judge(const search *of, const crd_latent *found, crd_latent_choice *out, crd_error *error) {
    const crd_latent_choice none = CRD_LATENT_CHOICE_INIT;
    *out = none;
    out->classes = found->classes;
    out->log_likelihood = found->fit.log_likelihoods[found->fit.steps - 1];
    out->parameters = crd_i_class_mixture_free(found->mixture, found->fit.statistics);
    out->bic = out->log_likelihood - out->parameters * crd_log(of->table->total) / 2;
    out->held_out = NAN;
    if (of->options.criterion != CRD_LATENT_HELD_OUT || of->options.classes > 0) return CRD_OK;
    return hold_out(of, found->classes, &out->held_out, error);
}

/* ---- The number of classes ---- */

static void clear_found(crd_latent *how) {
    crd_i_mixture_fit_clear(&how->fit);
    crd_i_class_mixture_destroy(how->mixture);
    crd_free(how->context, how->restarts);
    how->restarts = NULL;
    how->mixture = NULL;
}

void crd_latent_destroy(crd_latent *how) {
    if (how == NULL) return;
    clear_found(how);
    crd_i_case_table_destroy(how->table);
    crd_i_schema_destroy(how->schema);
    crd_settings_destroy(how->settings);
    crd_free(how->context, how->choices);
    crd_free(how->context, how);
}

static void keep(crd_latent *how, crd_latent *found) {
    const crd_latent other = *found;
    found->fit = how->fit;
    found->restarts = how->restarts;
    found->mixture = how->mixture;
    how->fit = other.fit;
    how->restarts = other.restarts;
    how->restart_count = other.restart_count;
    how->mixture = other.mixture;
    how->classes = other.classes;
}

/* Takes over what was found, if it is the best so far. */
static void keep_better(const search *of, crd_latent *how, crd_latent *found, const crd_latent_choice *choice,
                        double *best) {
    if (how->mixture != NULL && !(merit(of, choice) > *best)) return;
    *best = merit(of, choice);
    keep(how, found);
}

static crd_status choose_classes(const search *of, crd_latent *how, crd_error *error) {
    const size_t stated = of->options.classes;
    const size_t least = stated > 0 ? stated : 1;
    size_t most = stated > 0 ? stated : of->options.most_classes;
    double best = -INFINITY;
    crd_i_stage stage;
    if (most > of->table->rows) most = of->table->rows;
    crd_status status = CRD_OK;
    crd_i_stage_begin(&stage, "fitting latent classes", most - least + 1);
    for (size_t k = least;
         status == CRD_OK && !how->is_stopped && k <= most && (k == least || k < how->classes + PATIENCE + 1); k++) {
        crd_latent found = {.context = how->context, .fit = {.context = how->context}};
        crd_latent_choice choice;
        status = fit_classes(of, k, &found, error);
        if (status == CRD_OK && !found.is_stopped) status = judge(of, &found, &choice, error);
        how->is_stopped =
            found.is_stopped || (crd_i_is_cancelled(status) && (how->mixture != NULL || found.fit.steps > 0));
        if (how->is_stopped) status = CRD_OK;
        if (how->is_stopped && how->mixture == NULL) keep(how, &found);
        if (status == CRD_OK && !how->is_stopped &&
            !crd_i_reserve(how->context, &how->choices, &how->choice_capacity, how->choice_count + 1,
                           sizeof *how->choices))
            status = crd_i_fail_memory(error);
        if (status == CRD_OK && !how->is_stopped) {
            how->choices[how->choice_count++] = choice;
            keep_better(of, how, &found, &choice, &best);
        }
        clear_found(&found);
        crd_i_stage_add(&stage, 1);
    }
    crd_i_stage_end(&stage);
    return status;
}

static crd_status take_sample(search *of, crd_error *error) {
    const size_t rows = of->table->rows;
    if (rows <= SAMPLE_ROWS) return CRD_OK;
    size_t *chosen = crd_i_alloc(of->table->context, SAMPLE_ROWS, sizeof *chosen);
    if (chosen == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < SAMPLE_ROWS; i++) chosen[i] = (size_t)((double)i * ((double)rows / SAMPLE_ROWS));
    crd_status status = crd_i_case_rows(of->table, chosen, SAMPLE_ROWS, &of->sample, error);
    crd_free(of->table->context, chosen);
    return status;
}

/* ---- The model ---- */

typedef struct latent_rows {
    const crd_i_class_mixture *mixture;
    const crd_i_case_table *table;
    const size_t *order; /* the mixture's classes by decreasing probability */
    size_t classes;
} latent_rows;

static crd_status fill(const void *state, size_t from, size_t to, double *logs, double *factors, crd_error *error) {
    const latent_rows *of = state;
    double row[MOST_CLASSES];
    crd_status status = crd_i_class_mixture_posteriors(of->mixture, of->table, from, to, logs, NULL, error);
    for (size_t i = 0; status == CRD_OK && i < to - from; i++) {
        factors[i] = 1;
        memcpy(row, logs + i * of->classes, of->classes * sizeof *row);
        for (size_t k = 0; k < of->classes; k++) logs[i * of->classes + k] = row[of->order[k]];
    }
    return status;
}

/* Classes in the order of their probabilities; equal ones as they are. */
static void order_classes(const crd_latent *how, size_t *order) {
    const double *logs = crd_i_class_mixture_state(how->mixture);
    for (size_t k = 0; k < how->classes; k++) {
        size_t at = k;
        for (; at > 0 && logs[order[at - 1]] < logs[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

crd_status crd_latent_model(const crd_latent *how, crd_model **out, crd_error *error) {
    crd_context *context = how->context;
    const size_t classes = how->classes;
    crd_i_schema *schema = crd_i_schema_clone(how->schema);
    size_t *order = crd_i_alloc(context, classes, sizeof *order);
    crd_text *names = crd_i_alloc(context, classes, sizeof *names);
    char *digits = crd_i_alloc(context, classes, NAME_ROOM);
    crd_status status = CRD_OK;
    *out = NULL;
    if (schema == NULL || order == NULL || names == NULL || digits == NULL) {
        crd_i_schema_destroy(schema);
        status = crd_i_fail_memory(error);
    } else {
        order_classes(how, order);
        for (size_t k = 0; k < classes; k++) {
            snprintf(digits + k * NAME_ROOM, NAME_ROOM, "%zu", k + 1);
            names[k] = crd_text_of(digits + k * NAME_ROOM);
        }
        const latent_rows rows = {.mixture = how->mixture, .table = how->table, .order = order, .classes = classes};
        const crd_i_class_weights weights = {names, classes, &rows, fill};
        status = crd_i_class_tallies_learn(how->table, schema, how->settings, &weights, out, error);
    }
    crd_free(context, order);
    crd_free(context, names);
    crd_free(context, digits);
    return status;
}

/* ---- The call ---- */

static crd_status check(const crd_i_schema *schema, crd_text target, const crd_latent_options *options,
                        crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (options->classes > MOST_CLASSES || options->most_classes > MOST_CLASSES || options->most_classes == 0 ||
        options->restarts == 0 || options->most_steps == 0 || !(options->tolerance >= 0))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "latent classes: from 1 to %d classes, 1 restart and 1 step or more, and a tolerance of 0 or "
                          "more",
                          (int)MOST_CLASSES);
    if (schema->target != SIZE_MAX)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "latent classes are found where no column is the target");
    if (target.length == 0 || memchr(target.bytes, '\0', target.length) != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name of the latent classes is empty, or has a NUL byte");
    if (crd_i_schema_find(schema, target) == SIZE_MAX) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_COLUMN, "'%s' is a column of the table, and cannot be the name of its latent classes",
               crd_i_quote(target, quoted));
    crd_i_error_subject(error, target);
    return CRD_ERROR_COLUMN;
}

static crd_status check_rows(const search *of, crd_error *error) {
    const size_t rows = of->table->rows;
    if (rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows to learn from");
    if (of->options.classes <= rows) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_EMPTY,
                      "%zu latent classes in %zu different row%s: there can be no more classes "
                      "than rows",
                      of->options.classes, rows, rows == 1 ? "" : "s");
}

/* The setting hidden states them, which marks the model as one of latent classes. The item of its list is in CSV's quotes. */
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
    crd_status status = crd_settings_set(settings, "hidden", value, error);
    crd_free(settings->context, text);
    return status;
}

/* The target behind the other columns, in a field that files need not have. */
static bool add_target(crd_i_schema *schema, crd_text target) {
    if (!crd_i_schema_add(schema, target, CRD_KIND_CATEGORY, schema->width)) return false;
    schema->target = schema->count - 1;
    schema->width++;
    return true;
}

/* Reads the rows, once the schema of the reader was found to allow it. */
static crd_status read_rows(crd_reader *reader, crd_text target, const crd_settings *settings,
                            const crd_latent_options *options, crd_latent *how, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    status = check(schema, target, options, error);
    crd_i_schema_destroy(schema);
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(how->context, &how->settings, error)
                                  : crd_i_settings_copy(how->context, settings, &how->settings, error);
    if (status == CRD_OK) status = crd_i_case_table_of_reader(reader, NULL, 0, &how->table, error);
    /* As the reader knows its columns now, with the forms that their cells have shown. */
    if (status == CRD_OK) status = crd_i_reader_schema(reader, &how->schema, error);
    if (status == CRD_OK && !add_target(how->schema, target)) status = crd_i_fail_memory(error);
    return status;
}

static crd_status find(search *of, crd_text target, crd_latent *how, crd_error *error) {
    of->table = how->table;
    of->settings = how->settings;
    how->rows = how->table->total;
    how->distinct = (double)how->table->rows;
    crd_status status = check_rows(of, error);
    if (status == CRD_OK) status = take_sample(of, error);
    if (status == CRD_OK) status = choose_classes(of, how, error);
    crd_i_case_table_destroy(of->sample);
    return status == CRD_OK ? state_classes(how->settings, target, how->classes, error) : status;
}

crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                           const crd_latent_options *options, crd_latent **out, crd_error *error) {
    const crd_latent_options defaults = CRD_LATENT_OPTIONS_INIT;
    search of = {.options = defaults};
    crd_i_schema *schema;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &of.options, sizeof of.options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    crd_context *context = schema->context;
    crd_i_schema_destroy(schema);
    crd_latent *how = crd_i_alloc_zeroed(context, 1, sizeof *how);
    if (how == NULL) return crd_i_fail_memory(error);
    how->context = how->fit.context = context;
    status = read_rows(reader, target, settings, &of.options, how, error);
    if (status == CRD_OK) status = find(&of, target, how, error);
    if (status == CRD_OK) *out = how;
    else crd_latent_destroy(how);
    return status;
}

crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                            const crd_latent_options *options, crd_model **out, crd_latent **how, crd_error *error) {
    crd_latent *found;
    *out = NULL;
    if (how != NULL) *how = NULL;
    crd_status status = crd_latent_find(reader, target, settings, options, &found, error);
    if (status == CRD_OK) status = crd_latent_model(found, out, error);
    if (status == CRD_OK && how != NULL) *how = found;
    else crd_latent_destroy(found);
    return status;
}

/* ---- How they were found ---- */

size_t crd_latent_classes(const crd_latent *how) {
    return how->classes;
}

double crd_latent_rows(const crd_latent *how) {
    return how->rows;
}

double crd_latent_distinct_rows(const crd_latent *how) {
    return how->distinct;
}

int crd_latent_is_stopped(const crd_latent *how) {
    return how->is_stopped;
}

int crd_latent_is_converged(const crd_latent *how) {
    return how->fit.is_converged;
}

size_t crd_latent_steps(const crd_latent *how) {
    return how->fit.steps;
}

double crd_latent_log_likelihood(const crd_latent *how, size_t step) {
    return how->fit.log_likelihoods[step];
}

double crd_latent_objective(const crd_latent *how, size_t step) {
    return how->fit.objectives[step];
}

size_t crd_latent_restarts(const crd_latent *how) {
    return how->restart_count;
}

double crd_latent_restart(const crd_latent *how, size_t restart) {
    return how->restarts[restart];
}

size_t crd_latent_choices(const crd_latent *how) {
    return how->choice_count;
}

void crd_latent_choice_at(const crd_latent *how, size_t index, crd_latent_choice *out) {
    crd_i_copy_out(&how->choices[index], sizeof how->choices[index], out);
}
