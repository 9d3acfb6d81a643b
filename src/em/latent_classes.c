/* SPDX-License-Identifier: MIT */
/* latent_classes.c - latent class analysis: the public calls. See credence/latent.h. The search is in
 * latent_search.c. */
#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "cases/case_table.h"
#include "em/class_tallies.h"
#include "em/latent_search.h"
#include "table/read/reader.h"

#include <credence/latent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 24, MOST_STARTS = 1000000 };

/* Smaller than the default for networks, because EM separates overlapping classes in many small steps. */
static const double TOLERANCE = 1e-9;

void crd_latent_destroy(crd_latent *latent) {
    if (latent == NULL) return;
    crd_i_latent_clear(latent);
    crd_i_case_table_destroy(latent->table);
    crd_i_schema_destroy(latent->schema);
    crd_settings_destroy(latent->settings);
    crd_free(latent->context, latent->choices);
    crd_free(latent->context, latent);
}

/* ---- The model ---- */

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
    double row[CRD_I_LATENT_MOST_CLASSES];
    crd_status status = crd_i_class_mixture_posteriors(latent->mixture, latent->table, first, limit, logs, NULL, error);
    for (size_t i = 0; status == CRD_OK && i < limit - first; i++) {
        factors[i] = 1;
        memcpy(row, logs + i * latent->classes, latent->classes * sizeof *row);
        for (size_t k = 0; k < latent->classes; k++) logs[i * latent->classes + k] = row[latent->order[k]];
    }
    return status;
}

/* Sorts the classes by decreasing probability. Classes of equal probability keep their order. */
static void order_classes(const crd_latent *latent, size_t *order) {
    const double *logs = crd_i_class_mixture_state(latent->mixture);
    for (size_t k = 0; k < latent->classes; k++) {
        size_t index = k;
        for (; index > 0 && logs[order[index - 1]] < logs[k]; index--) order[index] = order[index - 1];
        order[index] = k;
    }
}

crd_status crd_latent_model(const crd_latent *latent, crd_model **out, crd_error *error) {
    crd_context *context = latent->context;
    const size_t classes = latent->classes;
    crd_i_schema *schema = crd_i_schema_clone(latent->schema);
    size_t *order = crd_i_alloc(context, classes, sizeof *order);
    crd_text *names = crd_i_alloc(context, classes, sizeof *names);
    char *digits = crd_i_alloc(context, classes, NAME_ROOM);
    crd_status status = CRD_OK;
    *out = NULL;
    if (schema == NULL || order == NULL || names == NULL || digits == NULL) {
        crd_i_schema_destroy(schema);
        status = crd_i_fail_memory(error);
    } else {
        order_classes(latent, order);
        for (size_t k = 0; k < classes; k++) {
            snprintf(digits + k * NAME_ROOM, NAME_ROOM, "%zu", k + 1);
            names[k] = crd_text_of(digits + k * NAME_ROOM);
        }
        const latent_rows rows = {
            .mixture = latent->mixture, .table = latent->table, .order = order, .classes = classes};
        const crd_i_class_weights weights = {names, classes, &rows, latent_classes_fill};
        status = crd_i_class_tallies_learn(latent->table, schema, latent->settings, &weights, out, error);
    }
    crd_free(context, order);
    crd_free(context, names);
    crd_free(context, digits);
    return status;
}

/* ---- The call ---- */

static crd_status latent_classes_check(const crd_i_schema *schema, crd_text target, const crd_latent_options *options,
                                       crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (options->classes > CRD_I_LATENT_MOST_CLASSES || options->most_classes > CRD_I_LATENT_MOST_CLASSES ||
        options->most_classes == 0 || options->restarts > MOST_STARTS || isnan(options->tolerance))
        return crd_i_fail(
            error, CRD_ERROR_ARGUMENT,
            "latent classes: expected 1 to %d classes, at most %d starts, and a tolerance that is a number",
            (int)CRD_I_LATENT_MOST_CLASSES, (int)MOST_STARTS);
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
    static const char *const plain[][2] = {{"method", "naive"},     {"joint", "none"},      {"exponents", "none"},
                                           {"calibration", "none"}, {"prior", "frequency"}, {"variance", "mle"},
                                           {"structure", "none"}};
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
    if (options->restarts == 0) options->restarts = settings->estimator_starts;
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

/* Records the latent classes in the setting `hidden`, which marks the model as a latent class model. The list item is
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
    crd_status status = crd_settings_set(settings, "hidden", value, error);
    crd_free(settings->context, text);
    return status;
}

/* Adds the target after the other columns, in a field that files need not have. */
static bool latent_classes_add_target(crd_i_schema *schema, crd_text target) {
    if (!crd_i_schema_add(schema, target, CRD_KIND_CATEGORY, schema->width)) return false;
    schema->target = schema->count - 1;
    schema->width++;
    return true;
}

/* Reads the rows, after checking that the reader's schema and the settings are suitable. */
static crd_status latent_classes_read_rows(crd_reader *reader, crd_text target, const crd_settings *settings,
                                           const crd_latent_options *options, crd_latent *latent, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    status = latent_classes_check(schema, target, options, error);
    crd_i_schema_destroy(schema);
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(latent->context, &latent->settings, error)
                                  : crd_i_settings_copy(latent->context, settings, &latent->settings, error);
    if (status == CRD_OK) status = latent_classes_check_settings(latent->settings, error);
    if (status == CRD_OK) status = crd_i_case_table_of_reader(reader, NULL, 0, &latent->table, error);
    /* The schema is read again: it now includes the column formats detected in the rows. */
    if (status == CRD_OK) status = crd_i_reader_schema(reader, &latent->schema, error);
    if (status == CRD_OK && !latent_classes_add_target(latent->schema, target)) status = crd_i_fail_memory(error);
    return status;
}

static crd_status latent_classes_find(crd_latent_options *options, crd_text target, crd_latent *latent,
                                      crd_error *error) {
    latent_classes_complete_options(options, latent->settings);
    latent->rows = latent->table->total;
    latent->distinct = (double)latent->table->rows;
    crd_status status = latent_classes_check_rows(latent->table, options->classes, error);
    if (status == CRD_OK) status = crd_i_latent_search(latent, options, error);
    return status == CRD_OK ? state_classes(latent->settings, target, latent->classes, error) : status;
}

crd_status crd_latent_find(crd_reader *reader, crd_text target, const crd_settings *settings,
                           const crd_latent_options *options, crd_latent **out, crd_error *error) {
    crd_latent_options chosen = CRD_LATENT_OPTIONS_INIT;
    crd_context *context = crd_i_reader_context(reader);
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    crd_latent *latent = crd_i_alloc_zeroed(context, 1, sizeof *latent);
    crd_status status = latent == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (latent != NULL) latent->context = latent->fit.context = context;
    if (status == CRD_OK) status = latent_classes_read_rows(reader, target, settings, &chosen, latent, error);
    if (status == CRD_OK) status = latent_classes_find(&chosen, target, latent, error);
    status = crd_i_conclude(context, status, error);
    if (status == CRD_OK) *out = latent;
    else crd_latent_destroy(latent);
    return status;
}

crd_status crd_latent_train(crd_reader *reader, crd_text target, const crd_settings *settings,
                            const crd_latent_options *options, crd_model **out, crd_latent **latent, crd_error *error) {
    crd_latent *found_latent;
    *out = NULL;
    if (latent != NULL) *latent = NULL;
    crd_status status = crd_latent_find(reader, target, settings, options, &found_latent, error);
    if (status != CRD_OK) return status;
    status = crd_i_conclude(found_latent->context, crd_latent_model(found_latent, out, error), error);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    if (status == CRD_OK && latent != NULL) *latent = found_latent;
    else crd_latent_destroy(found_latent);
    return status;
}

/* ---- Results ---- */

size_t crd_latent_classes(const crd_latent *latent) {
    return latent->classes;
}

size_t crd_latent_emptied(const crd_latent *latent) {
    return latent->emptied;
}

double crd_latent_rows(const crd_latent *latent) {
    return latent->rows;
}

double crd_latent_distinct_rows(const crd_latent *latent) {
    return latent->distinct;
}

int crd_latent_is_stopped(const crd_latent *latent) {
    return latent->is_stopped;
}

int crd_latent_is_converged(const crd_latent *latent) {
    return latent->fit.is_converged;
}

size_t crd_latent_steps(const crd_latent *latent) {
    return latent->fit.steps;
}

double crd_latent_log_likelihood(const crd_latent *latent, size_t step) {
    return latent->fit.log_likelihoods[step];
}

double crd_latent_objective(const crd_latent *latent, size_t step) {
    return latent->fit.objectives[step];
}

size_t crd_latent_restarts(const crd_latent *latent) {
    return latent->restart_count;
}

double crd_latent_restart(const crd_latent *latent, size_t restart) {
    return latent->restarts[restart];
}

size_t crd_latent_choices(const crd_latent *latent) {
    return latent->choice_count;
}

size_t crd_latent_chosen(const crd_latent *latent) {
    return latent->chosen;
}

void crd_latent_choice_at(const crd_latent *latent, size_t index, crd_latent_choice *out) {
    crd_i_copy_out(&latent->choices[index], sizeof latent->choices[index], out);
}
