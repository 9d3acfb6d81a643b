/* SPDX-License-Identifier: MIT */
/* partly_labelled.c - see partly_labelled.h.
 *
 * Columns are not independent given the class, so that naive Bayes is surer of a row than it should be, and EM makes it surer
 * of itself with every step. Responsibilities are therefore tempered, r_ik in proportion to P(k, x_i)^t, t <= 1 (Ueda and
 * Nakano 1998): with a small t, rows without a label spread over the classes and keep their densities apart by no more than
 * the labels warrant.
 *
 * Weights are tried in ascending order, EM at each going on from the parameters of the one before: what labelled rows have
 * shown of the classes is followed while the others gain weight. */
#include "em/partly_labelled.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "em/class_tallies.h"
#include "em/mixture_fit.h"
#include "math/functions/elementary.h"
#include "table/read/reader.h"

#include <math.h>
#include <string.h>

/* Folds of labelled rows; while the weight is chosen, rows without a label that take part, and steps of EM. */
enum { FOLDS = 10, SAMPLE_ROWS = 1000, SAMPLE_STEPS = 20 };

static const double SAMPLE_TOLERANCE = 1e-5;

static const double WEIGHTS[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1}, TEMPERS[] = {1, 0.3, 0.1, 0.03, 0.01};
enum { WEIGHT_COUNT = sizeof WEIGHTS / sizeof *WEIGHTS, TEMPER_COUNT = sizeof TEMPERS / sizeof *TEMPERS };

/* Few rows that are held out cannot show how often an answer that is nearly certain is wrong, and where it is, the loss is
 * great. Half an error more, at the mean loss that errors would have, is what Jeffreys' prior of a proportion has. */
static const double PSEUDO_ERRORS = 0.5;

/* Rows without a label that count for less than this part of the labelled ones change nothing. */
static const double LEAST_PART = 0.2;

typedef struct learning {
    crd_context *context;
    const crd_i_case_table *table;
    const double *weights;
    const crd_settings *settings;
    crd_unlabelled_options options;
    bool *is_left_out; /* of each column */
    int32_t *classes;  /* of each state of the target; negative: no row has it */
    crd_text *names;   /* of each class */
    size_t class_count;
    int32_t *labels; /* of each labelled row: its class */
    crd_i_case_table *labelled, *unlabelled, *sample;
    double sample_scale; /* by how much a row of the sample counts */
    crd_i_class_mixture *mixture;
    double *known; /* statistics of labelled rows */
    crd_unlabelled_facts facts;
} learning;

/* ---- The rows ---- */

static double weight_of(const learning *of, size_t row) {
    return of->weights != NULL ? of->weights[row] : crd_i_case_weight(of->table, row);
}

/* A part of the table with the weights that count. */
static crd_status take_rows(const learning *of, const size_t *rows, size_t count, crd_i_case_table **out,
                            crd_error *error) {
    crd_status status = crd_i_case_rows(of->table, rows, count, out, error);
    if (status != CRD_OK || of->weights == NULL) return status;
    crd_i_case_table *made = *out;
    if (made->weights == NULL) made->weights = crd_i_alloc(of->context, count, sizeof *made->weights);
    if (made->weights == NULL) return crd_i_fail_memory(error);
    made->total = 0;
    for (size_t i = 0; i < count; i++) {
        made->weights[i] = of->weights[rows[i]];
        made->total += made->weights[i];
    }
    return CRD_OK;
}

/* Numbers the classes that labelled rows have, in the order of the target's states. */
static crd_status find_classes(learning *of, crd_error *error) {
    const crd_i_case_column *target = &of->table->columns[of->table->target];
    of->classes = crd_i_alloc(of->context, target->state_count, sizeof *of->classes);
    of->names = crd_i_alloc(of->context, target->state_count, sizeof *of->names);
    if (of->classes == NULL || of->names == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < target->state_count; k++) of->classes[k] = -1;
    for (size_t i = 0; i < of->table->rows; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        if (code != CRD_I_CASE_MISSING32 && weight_of(of, i) > 0) of->classes[code] = 0;
    }
    for (size_t k = 0; k < target->state_count; k++) {
        if (of->classes[k] < 0) continue;
        of->names[of->class_count] = target->states[k];
        of->classes[k] = (int32_t)of->class_count++;
    }
    return of->class_count > 0 ? CRD_OK : crd_i_fail(error, CRD_ERROR_EMPTY, "the target is missing in every row");
}

static crd_status part_rows(learning *of, crd_error *error) {
    const crd_i_case_table *table = of->table;
    const crd_i_case_column *target = &table->columns[table->target];
    size_t *rows = crd_i_alloc(of->context, table->rows, sizeof *rows), labelled = 0, unlabelled = table->rows;
    of->labels = crd_i_alloc(of->context, table->rows, sizeof *of->labels);
    crd_status status = rows == NULL || of->labels == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < table->rows; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        if (!(weight_of(of, i) > 0)) continue;
        if (code == CRD_I_CASE_MISSING32) {
            rows[--unlabelled] = i;
        } else {
            of->labels[labelled] = of->classes[code];
            rows[labelled++] = i;
        }
    }
    const size_t others = table->rows - unlabelled, kept = others < SAMPLE_ROWS ? others : SAMPLE_ROWS;
    if (status == CRD_OK) status = take_rows(of, rows, labelled, &of->labelled, error);
    if (status == CRD_OK) status = take_rows(of, rows + unlabelled, others, &of->unlabelled, error);
    /* Every so many of those without a label, in the order of the table. */
    for (size_t i = 0; status == CRD_OK && i < kept; i++)
        rows[i] = rows[table->rows - 1 - (size_t)((double)i * ((double)others / (double)kept))];
    if (status == CRD_OK) status = take_rows(of, rows, kept, &of->sample, error);
    if (status == CRD_OK) {
        of->sample_scale = of->sample->total > 0 ? of->unlabelled->total / of->sample->total : 1;
        of->facts.labelled = of->labelled->total;
        of->facts.unlabelled = of->unlabelled->total;
    }
    crd_free(of->context, rows);
    return status;
}

/* ---- The weight ---- */

/* The folds of labelled rows: those of a class are dealt to them in turn. */
static void deal_folds(const learning *of, uint32_t *folds) {
    uint32_t next = 0;
    for (size_t k = 0; k < of->class_count; k++)
        for (size_t i = 0; i < of->labelled->rows; i++)
            if (of->labels[i] == (int32_t)k) folds[i] = next++ % FOLDS;
}

typedef struct trials {
    uint32_t *folds;    /* of each labelled row */
    int32_t *others;    /* labels of the rows that a fold leaves */
    double *statistics; /* of these */
    double *posteriors; /* of all labelled rows */
    double *losses;     /* of each row in each trial; NaN: its class has no other row */
    double *mistakes;   /* likewise, were the second most probable class the true one */
    size_t count;       /* of trials; weight 0 is the first, then the weights ascend under each temper */
    crd_unlabelled_trial each[CRD_UNLABELLED_TRIALS];
} trials;

/* The second largest of at least two numbers. */
static double second_best(const double *of, size_t count) {
    double best = fmax(of[0], of[1]), second = fmin(of[0], of[1]);
    for (size_t k = 2; k < count; k++) {
        second = fmax(second, fmin(best, of[k]));
        best = fmax(best, of[k]);
    }
    return second;
}

static crd_status try_fold(const learning *of, const trials *t, uint32_t f, crd_error *error) {
    const size_t rows = of->labelled->rows, size = crd_i_class_mixture_statistics(of->mixture);
    const crd_i_class_mixture_rows known = {of->labelled, NULL, 1, 1, 1};
    bool is_empty = true;
    crd_status status = CRD_OK;
    for (size_t i = 0; i < rows; i++) {
        t->others[i] = t->folds[i] == f ? -1 : of->labels[i];
        is_empty = is_empty && t->folds[i] != f;
    }
    if (is_empty) return CRD_OK;
    memset(t->statistics, 0, size * sizeof *t->statistics);
    crd_i_class_mixture_count(of->mixture, &known, t->others, t->statistics);
    for (size_t w = 0; status == CRD_OK && w < t->count; w++) {
        const crd_unlabelled_trial *at = &t->each[w];
        const crd_i_class_mixture_rows some = {of->sample, NULL, at->weight * of->sample_scale, of->options.threads,
                                               at->temper};
        const crd_i_stopping_rule stop = {SAMPLE_TOLERANCE, SAMPLE_STEPS};
        crd_i_mixture_fit run = {.context = of->context};
        if (w < 2 || at->temper != at[-1].temper) crd_i_class_mixture_maximise(of->mixture, t->statistics);
        if (at->weight > 0) status = crd_i_mixture_fit_run(of->mixture, &some, t->statistics, &stop, &run, error);
        crd_i_mixture_fit_clear(&run);
        if (status == CRD_OK)
            status = crd_i_class_mixture_posteriors(of->mixture, of->labelled, 0, rows, t->posteriors, NULL, error);
        for (size_t i = 0; status == CRD_OK && i < rows; i++) {
            const size_t label = (size_t)of->labels[i];
            const double *logs = t->posteriors + i * of->class_count;
            if (t->folds[i] != f) continue;
            t->losses[i * t->count + w] = t->statistics[label] > 0 ? -logs[label] : (double)NAN;
            t->mistakes[i * t->count + w] = -second_best(logs, of->class_count);
        }
    }
    return status;
}

/* The mean loss of each trial, with PSEUDO_ERRORS more. *total: the weight of rows. */
static void find_losses(learning *of, const trials *t, double *total) {
    crd_unlabelled_facts *facts = &of->facts;
    double mistakes[CRD_UNLABELLED_TRIALS] = {0}, sums[CRD_UNLABELLED_TRIALS] = {0};
    *total = 0;
    for (size_t i = 0; i < of->labelled->rows; i++) {
        const double weight = crd_i_case_weight(of->labelled, i);
        if (isnan(t->losses[i * t->count])) continue;
        *total += weight;
        for (size_t w = 0; w < t->count; w++) {
            sums[w] += weight * t->losses[i * t->count + w];
            mistakes[w] += weight * t->mistakes[i * t->count + w];
        }
    }
    facts->trial_count = t->count;
    for (size_t w = 0; w < t->count; w++) {
        facts->trials[w] = t->each[w];
        facts->trials[w].log_loss = (sums[w] + PSEUDO_ERRORS * mistakes[w] / *total) / (*total + PSEUDO_ERRORS);
    }
}

/* The trial of the least loss; of equal ones the first. */
static void choose_trial(learning *of, const trials *t) {
    crd_unlabelled_facts *facts = &of->facts;
    double total, squares = 0;
    size_t best = 0;
    find_losses(of, t, &total);
    facts->held_out = total;
    if (!(total > 1)) facts->trial_count = 0;
    for (size_t w = 1; w < facts->trial_count; w++)
        if (facts->trials[w].log_loss < facts->trials[best].log_loss) best = w;
    if (best == 0) return;
    facts->weight = t->each[best].weight;
    facts->temper = t->each[best].temper;
    facts->gain = facts->trials[0].log_loss - facts->trials[best].log_loss;
    for (size_t i = 0; i < of->labelled->rows; i++) {
        const double *losses = t->losses + i * t->count, from = losses[0] - losses[best] - facts->gain;
        if (!isnan(losses[0])) squares += crd_i_case_weight(of->labelled, i) * from * from;
    }
    facts->gain_error = sqrt(squares / (total - 1) / total);
}

/* Whether rows without a label make a difference at this weight. */
static bool counts(const learning *of, double weight) {
    return weight * of->unlabelled->total >= LEAST_PART * of->labelled->total;
}

static crd_status try_weights(learning *of, crd_error *error) {
    const size_t rows = of->labelled->rows;
    trials t = {.count = 1, .each = {{0, 1, 0}}};
    for (size_t i = 0; i < TEMPER_COUNT; i++)
        for (size_t w = 0; w < WEIGHT_COUNT; w++) {
            const crd_unlabelled_trial one = {WEIGHTS[w], TEMPERS[i], 0};
            if (counts(of, WEIGHTS[w])) t.each[t.count++] = one;
        }
    t.folds = crd_i_alloc(of->context, rows, sizeof *t.folds);
    t.others = crd_i_alloc(of->context, rows, sizeof *t.others);
    t.statistics = crd_i_alloc(of->context, crd_i_class_mixture_statistics(of->mixture), sizeof *t.statistics);
    t.posteriors = crd_i_alloc(of->context, rows * of->class_count, sizeof *t.posteriors);
    t.losses = crd_i_alloc(of->context, rows * t.count, sizeof *t.losses);
    t.mistakes = crd_i_alloc(of->context, rows * t.count, sizeof *t.mistakes);
    crd_status status = t.folds == NULL || t.others == NULL || t.statistics == NULL || t.posteriors == NULL ||
                                t.losses == NULL || t.mistakes == NULL
                            ? crd_i_fail_memory(error)
                            : CRD_OK;
    if (status == CRD_OK) deal_folds(of, t.folds);
    for (uint32_t f = 0; status == CRD_OK && f < FOLDS; f++) status = try_fold(of, &t, f, error);
    if (status == CRD_OK) choose_trial(of, &t);
    crd_free(of->context, t.folds);
    crd_free(of->context, t.others);
    crd_free(of->context, t.statistics);
    crd_free(of->context, t.posteriors);
    crd_free(of->context, t.losses);
    crd_free(of->context, t.mistakes);
    return status;
}

/* ---- All rows ---- */

/* EM of all rows, at ascending weights up to the one chosen. */
static crd_status fit(learning *of, crd_error *error) {
    const size_t size = crd_i_class_mixture_statistics(of->mixture);
    const crd_i_class_mixture_rows known = {of->labelled, NULL, 1, 1, 1};
    const crd_i_stopping_rule stop = {of->options.tolerance, of->options.most_steps};
    crd_status status = CRD_OK;
    memset(of->known, 0, size * sizeof *of->known);
    crd_i_class_mixture_count(of->mixture, &known, of->labels, of->known);
    crd_i_class_mixture_maximise(of->mixture, of->known);
    for (size_t w = 0; status == CRD_OK && w <= WEIGHT_COUNT; w++) {
        const bool is_last = w == WEIGHT_COUNT;
        const double weight = is_last ? of->facts.weight : WEIGHTS[w];
        const crd_i_class_mixture_rows rows = {of->unlabelled, NULL, weight, of->options.threads, of->facts.temper};
        crd_i_mixture_fit run = {.context = of->context};
        if (is_last ? !(weight > 0) : weight >= of->facts.weight || !counts(of, weight)) continue;
        status = crd_i_mixture_fit_run(of->mixture, &rows, of->known, &stop, &run, error);
        of->facts.steps += run.steps;
        crd_i_mixture_fit_clear(&run);
    }
    return status;
}

static crd_status fill(const void *state, size_t from, size_t to, double *logs, double *factors, crd_error *error) {
    const learning *of = state;
    const crd_i_case_column *target = &of->table->columns[of->table->target];
    crd_status status = crd_i_class_mixture_posteriors(of->mixture, of->table, from, to, logs, NULL, error);
    for (size_t i = from; status == CRD_OK && i < to; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        const double own = crd_i_case_weight(of->table, i);
        factors[i - from] = weight_of(of, i) / own * (code == CRD_I_CASE_MISSING32 ? of->facts.weight : 1);
        if (code == CRD_I_CASE_MISSING32) {
            double *own_logs = logs + (i - from) * of->class_count;
            for (size_t k = 0; k < of->class_count; k++) own_logs[k] *= of->facts.temper;
            const double sum = crd_i_log_sum_exp(own_logs, of->class_count);
            for (size_t k = 0; k < of->class_count; k++) own_logs[k] -= sum;
            continue;
        }
        for (size_t k = 0; k < of->class_count; k++)
            logs[(i - from) * of->class_count + k] = of->classes[code] == (int32_t)k ? 0 : -INFINITY;
    }
    return status;
}

static crd_status check(const crd_i_case_table *table, const crd_settings *settings, crd_error *error) {
    if (table->target == SIZE_MAX) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "no column is set as the target");
    if (settings->method == CRD_I_METHOD_NAIVE && settings->joint == CRD_I_TOGETHER_NONE) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "rows without a label are learned from by naive Bayes: the method has to be "
               "naive, and joint none");
    crd_i_error_subject(error, crd_text_of(settings->method == CRD_I_METHOD_NAIVE ? "joint" : "method"));
    return CRD_ERROR_SETTING;
}

static void destroy(learning *of) {
    crd_free(of->context, of->is_left_out);
    crd_free(of->context, of->classes);
    crd_free(of->context, of->names);
    crd_free(of->context, of->labels);
    crd_free(of->context, of->known);
    crd_i_case_table_destroy(of->labelled);
    crd_i_case_table_destroy(of->unlabelled);
    crd_i_case_table_destroy(of->sample);
    crd_i_class_mixture_destroy(of->mixture);
}

static crd_status learn(learning *of, const crd_i_schema *schema, crd_error *error) {
    crd_status status = find_classes(of, error);
    if (status == CRD_OK) status = part_rows(of, error);
    of->is_left_out = crd_i_alloc(of->context, of->table->column_count, sizeof *of->is_left_out);
    if (status == CRD_OK && of->is_left_out == NULL) status = crd_i_fail_memory(error);
    for (size_t c = 0; status == CRD_OK && c < of->table->column_count; c++)
        of->is_left_out[c] =
            c == of->table->target || crd_i_schema_find(schema, of->table->columns[c].name) == SIZE_MAX;
    if (status == CRD_OK)
        status =
            crd_i_class_mixture_create(of->table, of->is_left_out, of->class_count, of->settings, &of->mixture, error);
    if (status != CRD_OK) return status;
    of->known = crd_i_alloc(of->context, crd_i_class_mixture_statistics(of->mixture), sizeof *of->known);
    if (of->known == NULL) return crd_i_fail_memory(error);
    if (of->options.weight >= 0) {
        of->facts.weight = of->options.weight;
        of->facts.temper = of->options.temper;
    } else if (of->unlabelled->rows > 0 && of->class_count > 1) {
        status = try_weights(of, error);
    }
    return status == CRD_OK ? fit(of, error) : status;
}

crd_status crd_i_partly_labelled_train(const crd_i_case_table *table, const double *weights, crd_i_schema *schema,
                                       const crd_settings *settings, const crd_unlabelled_options *options,
                                       crd_model **out, crd_unlabelled_facts *facts, crd_error *error) {
    const crd_unlabelled_options defaults = CRD_UNLABELLED_OPTIONS_INIT;
    const crd_unlabelled_facts none = CRD_UNLABELLED_FACTS_INIT;
    learning of = {.context = table->context,
                   .table = table,
                   .weights = weights,
                   .settings = settings,
                   .options = options != NULL ? *options : defaults,
                   .facts = none};
    *out = NULL;
    if (of.options.most_steps == 0) of.options.most_steps = settings->iterations;
    if (of.options.tolerance < 0) of.options.tolerance = settings->tolerance;
    of.facts.temper = 1;
    of.facts.gain = of.facts.gain_error = (double)NAN;
    crd_status status = check(table, settings, error);
    if (status == CRD_OK) status = learn(&of, schema, error);
    if (status == CRD_OK) {
        const crd_i_class_weights rows = {of.names, of.class_count, &of, fill};
        status = crd_i_class_tallies_learn(table, schema, settings, &rows, out, error);
    } else {
        crd_i_schema_destroy(schema);
    }
    if (status == CRD_OK && facts != NULL) *facts = of.facts;
    destroy(&of);
    return status;
}

/* ---- The call ---- */

crd_status crd_unlabelled_train(crd_reader *reader, const crd_settings *settings, const crd_unlabelled_options *options,
                                crd_model **out, crd_unlabelled_facts *facts, crd_error *error) {
    crd_unlabelled_options chosen = CRD_UNLABELLED_OPTIONS_INIT;
    crd_unlabelled_facts found;
    crd_i_case_table *table = NULL;
    crd_i_schema *schema = NULL;
    crd_settings *own = NULL;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (!(chosen.weight <= 1) || !(chosen.temper > 0 && chosen.temper <= 1) || isnan(chosen.tolerance))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "rows without a label: a weight of 1 or less, a temper above 0 and up to 1, and a tolerance "
                          "that is a number");
    crd_status status = crd_i_case_table_of_reader(reader, NULL, 0, &table, error);
    if (status == CRD_OK) status = crd_i_reader_schema(reader, &schema, error);
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(table->context, &own, error)
                                  : crd_i_settings_copy(table->context, settings, &own, error);
    if (status == CRD_OK) {
        status = crd_i_partly_labelled_train(table, NULL, schema, own, &chosen, out, &found, error);
        schema = NULL;
    }
    status = crd_i_conclude(crd_i_reader_context(reader), status, error);
    if (status == CRD_OK && facts != NULL) crd_i_copy_out(&found, sizeof found, facts);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own);
    crd_i_case_table_destroy(table);
    return status;
}
