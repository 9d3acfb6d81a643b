/* SPDX-License-Identifier: MIT */
/* partly_labeled.c - semi-supervised naive Bayes by EM. See class_mixture.h.
 *
 * EM maximizes sum over labeled rows of w_i log P(c_i, x_i) + lambda sum over unlabeled rows of w_i log P(x_i), where
 * lambda is the weight of unlabeled rows (Nigam, McCallum, Thrun and Mitchell 2000).
 *
 * Columns are not independent given the class. So naive Bayes is overconfident, and EM reinforces the overconfidence in
 * every step. Therefore an inverse temperature t <= 1 flattens the responsibilities: r_ik is proportional to P(k,
 * x_i)^t (Ueda and Nakano 1998). With a small t, unlabeled rows spread over the classes, and they separate the class
 * densities no more than the labels warrant.
 *
 * Weights are tried in ascending order, and EM at each weight continues from the parameters at the previous weight. So
 * the classes that the labeled rows define are followed while the unlabeled rows gain weight.
 *
 * Contents:
 *   1. Rows
 *   2. Weight of unlabeled rows
 *   3. Fit to all rows
 *   4. Public call */
#include "em/class_mixture.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "processes/group.h"
#include "table/read/reader.h"

#include <math.h>
#include <string.h>

/* Folds of the labeled rows. While the weight is chosen: the maximum numbers of unlabeled rows and of EM steps. */
enum { FOLDS = 10, SAMPLE_ROWS = 1000, SAMPLE_STEPS = 20 };

static const double SAMPLE_TOLERANCE = 1e-5;

static const double WEIGHTS[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1}, TEMPERS[] = {1, 0.3, 0.1, 0.03, 0.01};
enum { WEIGHT_COUNT = sizeof WEIGHTS / sizeof *WEIGHTS, TEMPER_COUNT = sizeof TEMPERS / sizeof *TEMPERS };

/* A few held-out rows cannot show how often a nearly certain prediction is wrong, and a wrong one has a large loss. So
 * half an error is added, at the mean loss that errors would have. This is the pseudo-count of Jeffreys' prior for a
 * proportion. */
static const double PSEUDO_ERRORS = 0.5;

/* If the total weight of unlabeled rows is less than this fraction of the labeled rows' weight, it has no effect. */
static const double LEAST_PART = 0.2;

typedef struct labeled_learner {
    crd_context *context;
    const crd_i_case_table *table;
    const double *weights;
    const crd_settings *settings;
    crd_unlabeled_options options;
    bool *is_left_out; /* for each column */
    int32_t *classes;  /* for each state of the target: its class index; negative: no row has it */
    crd_text *names;   /* names of the classes */
    size_t class_count;
    int32_t *labels; /* for each labeled row: its class */
    crd_i_case_table *labeled, *unlabeled, *sample;
    double sample_scale; /* factor that multiplies the weight of a sampled row */
    crd_i_class_mixture *mixture;
    double *known;    /* statistics of the labeled rows */
    double *expected; /* expected statistics of all rows */
    crd_unlabeled_facts facts;
} labeled_learner;

/* ======== 1. Rows ======== */

static double partly_labeled_weight(const labeled_learner *learner, size_t row) {
    return learner->weights != NULL ? learner->weights[row] : crd_i_case_weight(learner->table, row);
}

/* Numbers the classes that occur in labeled rows, in the order of the target's states. */
static crd_status partly_labeled_find_classes(labeled_learner *learner, crd_error *error) {
    const crd_i_case_column *target = &learner->table->columns[learner->table->target];
    learner->classes = crd_i_alloc(learner->context, target->state_count, sizeof *learner->classes);
    learner->names = crd_i_alloc(learner->context, target->state_count, sizeof *learner->names);
    if (learner->classes == NULL || learner->names == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < target->state_count; k++) learner->classes[k] = -1;
    for (size_t i = 0; i < learner->table->rows; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        if (code != CRD_I_CASE_MISSING32 && partly_labeled_weight(learner, i) > 0) learner->classes[code] = 0;
    }
    for (size_t k = 0; k < target->state_count; k++) {
        if (learner->classes[k] < 0) continue;
        learner->names[learner->class_count] = target->states[k];
        learner->classes[k] = (int32_t)learner->class_count++;
    }
    return learner->class_count > 0 ? CRD_OK : crd_i_fail(error, CRD_ERROR_EMPTY, "the target is missing in every row");
}

/* Splits the table into labeled and unlabeled rows, and samples the unlabeled rows. */
static crd_status partly_labeled_part_rows(labeled_learner *learner, crd_error *error) {
    const crd_i_case_table *table = learner->table;
    const crd_i_case_column *target = &table->columns[table->target];
    uint32_t *rows = crd_i_alloc(learner->context, table->rows, sizeof *rows);
    size_t labeled = 0, unlabeled = table->rows;
    learner->labels = crd_i_alloc(learner->context, table->rows, sizeof *learner->labels);
    crd_status status = rows == NULL || learner->labels == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < table->rows; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        if (!(partly_labeled_weight(learner, i) > 0)) continue;
        if (code == CRD_I_CASE_MISSING32) {
            rows[--unlabeled] = (uint32_t)i;
        } else {
            learner->labels[labeled] = learner->classes[code];
            rows[labeled++] = (uint32_t)i;
        }
    }
    const size_t others = table->rows - unlabeled, kept = others < SAMPLE_ROWS ? others : SAMPLE_ROWS;
    if (status == CRD_OK)
        status = crd_i_case_table_select(table, learner->weights, rows, labeled, &learner->labeled, error);
    if (status == CRD_OK)
        status = crd_i_case_table_select(table, learner->weights, rows + unlabeled, others, &learner->unlabeled, error);
    /* Systematic sample of the unlabeled rows, in the order of the table. */
    for (size_t i = 0; status == CRD_OK && i < kept; i++)
        rows[i] = rows[table->rows - 1 - (size_t)((double)i * ((double)others / (double)kept))];
    if (status == CRD_OK)
        status = crd_i_case_table_select(table, learner->weights, rows, kept, &learner->sample, error);
    if (status == CRD_OK) {
        learner->sample_scale = learner->sample->total > 0 ? learner->unlabeled->total / learner->sample->total : 1;
        learner->facts.labeled = learner->labeled->total;
        learner->facts.unlabeled = learner->unlabeled->total;
    }
    crd_free(learner->context, rows);
    return status;
}

/* ======== 2. Weight of unlabeled rows ======== */

/* Assigns labeled rows to folds. The rows of each class are dealt to the folds in turn (stratified folds). */
static void deal_folds(const labeled_learner *learner, uint32_t *folds) {
    uint32_t next = 0;
    for (size_t k = 0; k < learner->class_count; k++)
        for (size_t i = 0; i < learner->labeled->rows; i++)
            if (learner->labels[i] == (int32_t)k) folds[i] = next++ % FOLDS;
}

typedef struct labeled_trials {
    uint32_t *folds;    /* for each labeled row: its fold */
    int32_t *others;    /* labels of the rows outside the current fold; -1 for the fold's rows */
    double *statistics; /* statistics of the rows outside the fold */
    double *posteriors; /* log posteriors of all labeled rows */
    double *losses;     /* loss of each row in each trial; NaN: its class has no row outside the fold */
    double *mistakes;   /* loss of each row in each trial if the second most probable class were the true class */
    /* number of trials; the first has weight 0, then weights ascend for each inverse temperature */
    size_t count;
    crd_unlabeled_trial each[CRD_UNLABELED_TRIALS];
} labeled_trials;

/* Returns the second largest of at least two numbers. */
static double second_best(const double *input, size_t count) {
    double best = fmax(input[0], input[1]), second = fmin(input[0], input[1]);
    for (size_t k = 2; k < count; k++) {
        second = fmax(second, fmin(best, input[k]));
        best = fmax(best, input[k]);
    }
    return second;
}

/* Runs all trials without the labels of fold f, and computes the losses of the fold's rows. */
static crd_status partly_labeled_try_fold(const labeled_learner *learner, const labeled_trials *t, uint32_t f,
                                          crd_error *error) {
    const size_t rows = learner->labeled->rows, size = crd_i_class_mixture_statistics(learner->mixture);
    const crd_i_class_mixture_rows known = {learner->labeled, NULL, 1, 1, 1};
    bool is_empty = true;
    crd_status status = CRD_OK;
    for (size_t i = 0; i < rows; i++) {
        t->others[i] = t->folds[i] == f ? -1 : learner->labels[i];
        is_empty = is_empty && t->folds[i] != f;
    }
    if (is_empty) return CRD_OK;
    memset(t->statistics, 0, size * sizeof *t->statistics);
    crd_i_class_mixture_count(learner->mixture, &known, t->others, t->statistics);
    for (size_t w = 0; status == CRD_OK && w < t->count; w++) {
        const crd_unlabeled_trial *trial = &t->each[w];
        const crd_i_class_mixture_rows some = {learner->sample, NULL, trial->weight * learner->sample_scale,
                                               learner->options.threads, trial->inverse_temperature};
        const crd_i_em_rule rule = {.tolerance = SAMPLE_TOLERANCE, .most_steps = SAMPLE_STEPS};
        crd_i_em_trace trace = {.context = learner->context};
        if (w < 2 || trial->inverse_temperature != trial[-1].inverse_temperature)
            crd_i_class_mixture_maximize(learner->mixture, t->statistics);
        if (trial->weight > 0)
            status =
                crd_i_mixture_fit_run(learner->mixture, &some, t->statistics, &rule, learner->expected, &trace, error);
        crd_i_em_trace_clear(&trace);
        if (status == CRD_OK)
            status =
                crd_i_class_mixture_posteriors(learner->mixture, learner->labeled, 0, rows, t->posteriors, NULL, error);
        for (size_t i = 0; status == CRD_OK && i < rows; i++) {
            const size_t label = (size_t)learner->labels[i];
            const double *logs = t->posteriors + i * learner->class_count;
            if (t->folds[i] != f) continue;
            t->losses[i * t->count + w] = t->statistics[label] > 0 ? -logs[label] : (double)NAN;
            t->mistakes[i * t->count + w] = -second_best(logs, learner->class_count);
        }
    }
    return status;
}

/* Computes the mean loss of each trial, including PSEUDO_ERRORS. *total is the total weight of the rows. */
static void find_losses(labeled_learner *learner, const labeled_trials *t, double *total) {
    crd_unlabeled_facts *facts = &learner->facts;
    double mistakes[CRD_UNLABELED_TRIALS] = {0}, sums[CRD_UNLABELED_TRIALS] = {0};
    *total = 0;
    for (size_t i = 0; i < learner->labeled->rows; i++) {
        const double weight = crd_i_case_weight(learner->labeled, i);
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

/* Chooses the trial with the smallest loss, and computes its gain over weight 0 with a standard error. Ties go to the
 * first trial. */
static void choose_trial(labeled_learner *learner, const labeled_trials *t) {
    crd_unlabeled_facts *facts = &learner->facts;
    double total, squares = 0;
    size_t best = 0;
    find_losses(learner, t, &total);
    facts->held_out = total;
    if (!(total > 1)) facts->trial_count = 0;
    for (size_t w = 1; w < facts->trial_count; w++)
        if (facts->trials[w].log_loss < facts->trials[best].log_loss) best = w;
    if (best == 0) return;
    facts->weight = t->each[best].weight;
    facts->inverse_temperature = t->each[best].inverse_temperature;
    facts->gain = facts->trials[0].log_loss - facts->trials[best].log_loss;
    for (size_t i = 0; i < learner->labeled->rows; i++) {
        const double *losses = t->losses + i * t->count, start = losses[0] - losses[best] - facts->gain;
        if (!isnan(losses[0])) squares += crd_i_case_weight(learner->labeled, i) * start * start;
    }
    facts->gain_error = sqrt(squares / (total - 1) / total);
}

/* Returns whether unlabeled rows have an effect at this weight. */
static bool partly_labeled_counts(const labeled_learner *learner, double weight) {
    return weight * learner->unlabeled->total >= LEAST_PART * learner->labeled->total;
}

/* Chooses the weight and the inverse temperature by cross-validation on the labeled rows. */
static crd_status try_weights(labeled_learner *learner, crd_error *error) {
    const size_t rows = learner->labeled->rows;
    labeled_trials t = {.count = 1, .each = {{0, 1, 0}}};
    for (size_t i = 0; i < TEMPER_COUNT; i++)
        for (size_t w = 0; w < WEIGHT_COUNT; w++) {
            const crd_unlabeled_trial one = {WEIGHTS[w], TEMPERS[i], 0};
            if (partly_labeled_counts(learner, WEIGHTS[w])) t.each[t.count++] = one;
        }
    t.folds = crd_i_alloc(learner->context, rows, sizeof *t.folds);
    t.others = crd_i_alloc(learner->context, rows, sizeof *t.others);
    t.statistics =
        crd_i_alloc(learner->context, crd_i_class_mixture_statistics(learner->mixture), sizeof *t.statistics);
    t.posteriors = crd_i_alloc(learner->context, rows * learner->class_count, sizeof *t.posteriors);
    t.losses = crd_i_alloc(learner->context, rows * t.count, sizeof *t.losses);
    t.mistakes = crd_i_alloc(learner->context, rows * t.count, sizeof *t.mistakes);
    crd_status status = t.folds == NULL || t.others == NULL || t.statistics == NULL || t.posteriors == NULL ||
                                t.losses == NULL || t.mistakes == NULL
                            ? crd_i_fail_memory(error)
                            : CRD_OK;
    if (status == CRD_OK) deal_folds(learner, t.folds);
    for (uint32_t f = 0; status == CRD_OK && f < FOLDS; f++) status = partly_labeled_try_fold(learner, &t, f, error);
    if (status == CRD_OK) choose_trial(learner, &t);
    crd_free(learner->context, t.folds);
    crd_free(learner->context, t.others);
    crd_free(learner->context, t.statistics);
    crd_free(learner->context, t.posteriors);
    crd_free(learner->context, t.losses);
    crd_free(learner->context, t.mistakes);
    return status;
}

/* ======== 3. Fit to all rows ======== */

/* Runs EM on all rows, with ascending weights up to the chosen weight. */
static crd_status partly_labeled_fit(labeled_learner *learner, crd_error *error) {
    const size_t size = crd_i_class_mixture_statistics(learner->mixture);
    const crd_i_class_mixture_rows known = {learner->labeled, NULL, 1, 1, 1};
    const crd_i_em_rule rule = {.tolerance = learner->options.tolerance, .most_steps = learner->options.most_steps};
    crd_status status = CRD_OK;
    memset(learner->known, 0, size * sizeof *learner->known);
    crd_i_class_mixture_count(learner->mixture, &known, learner->labels, learner->known);
    crd_i_class_mixture_maximize(learner->mixture, learner->known);
    for (size_t w = 0; status == CRD_OK && w <= WEIGHT_COUNT; w++) {
        const bool is_last = w == WEIGHT_COUNT;
        const double weight = is_last ? learner->facts.weight : WEIGHTS[w];
        const crd_i_class_mixture_rows rows = {learner->unlabeled, NULL, weight, learner->options.threads,
                                               learner->facts.inverse_temperature};
        crd_i_em_trace trace = {.context = learner->context};
        if (is_last ? !(weight > 0) : weight >= learner->facts.weight || !partly_labeled_counts(learner, weight))
            continue;
        status =
            crd_i_mixture_fit_run(learner->mixture, &rows, learner->known, &rule, learner->expected, &trace, error);
        learner->facts.steps += trace.count;
        crd_i_em_trace_clear(&trace);
    }
    return status;
}

/* Computes the class probabilities and weight factors of rows for crd_i_class_tallies_learn. Labeled rows have
 * probability 1 in their class. */
static crd_status partly_labeled_fill(const void *state, size_t first, size_t limit, double *logs, double *factors,
                                      crd_error *error) {
    const labeled_learner *learner = state;
    const crd_i_case_column *target = &learner->table->columns[learner->table->target];
    crd_status status =
        crd_i_class_mixture_posteriors(learner->mixture, learner->table, first, limit, logs, NULL, error);
    for (size_t i = first; status == CRD_OK && i < limit; i++) {
        const uint32_t code = crd_i_case_code(target, i);
        const double own = crd_i_case_weight(learner->table, i);
        factors[i - first] =
            partly_labeled_weight(learner, i) / own * (code == CRD_I_CASE_MISSING32 ? learner->facts.weight : 1);
        if (code == CRD_I_CASE_MISSING32) {
            double *own_logs = logs + (i - first) * learner->class_count;
            for (size_t k = 0; k < learner->class_count; k++) own_logs[k] *= learner->facts.inverse_temperature;
            const double sum = crd_i_log_sum_exp(own_logs, learner->class_count);
            for (size_t k = 0; k < learner->class_count; k++) own_logs[k] -= sum;
            continue;
        }
        for (size_t k = 0; k < learner->class_count; k++)
            logs[(i - first) * learner->class_count + k] = learner->classes[code] == (int32_t)k ? 0 : -INFINITY;
    }
    return status;
}

static crd_status partly_labeled_check(const crd_i_case_table *table, const crd_settings *settings, crd_error *error) {
    if (table->target == SIZE_MAX) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "no column is set as the target");
    if (settings->method == CRD_I_METHOD_NAIVE && settings->joint == CRD_I_TOGETHER_NONE) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "learning from unlabeled rows needs naive Bayes: the method must be naive, and joint must be none");
    crd_i_error_subject(error, crd_text_of(settings->method == CRD_I_METHOD_NAIVE ? "joint" : "method"));
    return CRD_ERROR_SETTING;
}

static void partly_labeled_destroy(labeled_learner *learner) {
    crd_free(learner->context, learner->is_left_out);
    crd_free(learner->context, learner->classes);
    crd_free(learner->context, learner->names);
    crd_free(learner->context, learner->labels);
    crd_free(learner->context, learner->known);
    crd_free(learner->context, learner->expected);
    crd_i_case_table_destroy(learner->labeled);
    crd_i_case_table_destroy(learner->unlabeled);
    crd_i_case_table_destroy(learner->sample);
    crd_i_class_mixture_destroy(learner->mixture);
}

/* Finds the classes, chooses the weight unless the options specify one, and fits the mixture. */
static crd_status partly_labeled_learn(labeled_learner *learner, const crd_i_schema *schema, crd_error *error) {
    crd_status status = partly_labeled_find_classes(learner, error);
    if (status == CRD_OK) status = partly_labeled_part_rows(learner, error);
    learner->is_left_out = crd_i_alloc(learner->context, learner->table->column_count, sizeof *learner->is_left_out);
    if (status == CRD_OK && learner->is_left_out == NULL) status = crd_i_fail_memory(error);
    for (size_t c = 0; status == CRD_OK && c < learner->table->column_count; c++)
        learner->is_left_out[c] =
            c == learner->table->target || crd_i_schema_find(schema, learner->table->columns[c].name) == SIZE_MAX;
    if (status == CRD_OK)
        status = crd_i_class_mixture_create(learner->table, learner->is_left_out, learner->class_count,
                                            learner->settings, &learner->mixture, error);
    if (status != CRD_OK) return status;
    learner->known =
        crd_i_alloc(learner->context, crd_i_class_mixture_statistics(learner->mixture), sizeof *learner->known);
    learner->expected =
        crd_i_alloc(learner->context, crd_i_class_mixture_statistics(learner->mixture), sizeof *learner->expected);
    if (learner->known == NULL || learner->expected == NULL) return crd_i_fail_memory(error);
    if (learner->options.weight >= 0) {
        learner->facts.weight = learner->options.weight;
        learner->facts.inverse_temperature = learner->options.inverse_temperature;
    } else if (learner->unlabeled->rows > 0 && learner->class_count > 1) {
        status = try_weights(learner, error);
    }
    return status == CRD_OK ? partly_labeled_fit(learner, error) : status;
}

crd_status crd_i_partly_labeled_train(const crd_i_case_table *table, const double *weights, crd_i_schema *schema,
                                      const crd_settings *settings, const crd_unlabeled_options *options,
                                      crd_model **out, crd_unlabeled_facts *facts, crd_error *error) {
    const crd_unlabeled_options defaults = CRD_UNLABELED_OPTIONS_INIT;
    const crd_unlabeled_facts none = CRD_UNLABELED_FACTS_INIT;
    labeled_learner learner = {.context = table->context,
                               .table = table,
                               .weights = weights,
                               .settings = settings,
                               .options = options != NULL ? *options : defaults,
                               .facts = none};
    *out = NULL;
    if (learner.options.most_steps == 0) learner.options.most_steps = settings->iterations;
    if (learner.options.tolerance < 0) learner.options.tolerance = settings->tolerance;
    learner.facts.inverse_temperature = 1;
    learner.facts.gain = learner.facts.gain_error = (double)NAN;
    crd_status status = partly_labeled_check(table, settings, error);
    if (status == CRD_OK) status = partly_labeled_learn(&learner, schema, error);
    if (status == CRD_OK) {
        const crd_i_class_weights rows = {learner.names, learner.class_count, &learner, partly_labeled_fill};
        status = crd_i_class_tallies_learn(table, schema, settings, &rows, out, error);
    } else {
        crd_i_schema_destroy(schema);
    }
    if (status == CRD_OK && facts != NULL) *facts = learner.facts;
    partly_labeled_destroy(&learner);
    return status;
}

/* ======== 4. Public call ======== */

crd_status crd_unlabeled_train(crd_reader *reader, const crd_settings *settings, const crd_unlabeled_options *options,
                               crd_model **out, crd_unlabeled_facts *facts, crd_error *error) {
    crd_unlabeled_options chosen = CRD_UNLABELED_OPTIONS_INIT;
    crd_unlabeled_facts unlabeled;
    crd_i_case_table *table = NULL;
    crd_i_schema *schema = NULL;
    crd_settings *own_settings = NULL;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &chosen, sizeof chosen))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    if (!(chosen.weight <= 1) || !(chosen.inverse_temperature > 0 && chosen.inverse_temperature <= 1) ||
        isnan(chosen.tolerance))
        return crd_i_fail(
            error, CRD_ERROR_ARGUMENT,
            "unlabeled rows: expected a weight of at most 1, an inverse temperature above 0 and at most 1, and a "
            "tolerance that is a number");
    crd_status status = crd_i_case_table_of_reader(reader, NULL, 0, &table, error);
    if (status == CRD_OK) status = crd_i_reader_schema(reader, &schema, error);
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(table->context, &own_settings, error)
                                  : crd_i_settings_copy(table->context, settings, &own_settings, error);
    if (status == CRD_OK) {
        status = crd_i_partly_labeled_train(table, NULL, schema, own_settings, &chosen, out, &unlabeled, error);
        schema = NULL;
    }
    status = crd_i_group_end(crd_i_reader_context(reader)->group, status, error);
    if (status == CRD_OK && facts != NULL) crd_i_copy_out(&unlabeled, sizeof unlabeled, facts);
    if (status != CRD_OK) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own_settings);
    crd_i_case_table_destroy(table);
    return status;
}
