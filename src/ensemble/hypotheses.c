/* SPDX-License-Identifier: MIT */
/* hypotheses.c - weighs models by data and combines them.
 *
 * The posterior is P(h | D) = P(D | h) P(h) / sum over h' of P(D | h') P(h'). If P(D | h) has a closed form, it is
 * computed from exact tallies of the rows. Otherwise it is the product of the model's predictive probabilities of the
 * rows, with the model unchanged. The logarithms are summed exactly. Neither depends on the order of rows.
 *
 * Densities over different columns cannot be compared, but class probabilities can. So if the hypotheses have different
 * columns, only the predicted class probabilities are compared.
 *
 * Contents:
 *   1. Marginal likelihood
 *   2. Hypotheses
 *   3. Priors and posteriors
 *   4. Likelihood, row by row
 *   5. Likelihood in closed form
 *   6. Choice of the likelihood
 *   7. Combining */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classifier_internal.h"
#include "density/univariate/family.h"
#include "ensemble/ensemble_scorer.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "model/learn.h"
#include "model/model_internal.h"
#include "model/model_parts.h"
#include "model/schema_view.h"

#include <credence/combine.h>
#include <math.h>

typedef struct crd_i_hypothesis {
    crd_text name;
    crd_model *model;
    crd_classifier *classifier; /* classifier of the model under its own settings */
    double prior;               /* specified prior weight, not normalized */
    double log_likelihood, impossible, posterior;
    crd_likelihood likelihood;
} crd_i_hypothesis;

struct crd_hypotheses {
    crd_context *context;
    crd_i_hypothesis *each;
    size_t count, capacity;
    crd_model *all; /* a model with the columns, classes and values of all hypotheses; NULL: none were added yet */
};

/* ======== 1. Marginal likelihood ========
 *
 * After training, the posterior of the model's parameters is conjugate. Class probabilities, and the probabilities of
 * categories under each class, are Dirichlet distributed. Means and variances of numbers of the family student are
 * normal-inverse-gamma distributed.
 *
 * Categories: let n_i of the next n rows have value i, a_i the Dirichlet parameters and A their sum. The log
 * probability is
 *
 *   sum over i of log (Gamma(a_i + n_i) / Gamma(a_i)) - log (Gamma(A + n) / Gamma(A))
 *
 * For values, a_i is the count so far plus the pseudo-count: M / t for smoothing m:M or L for laplace:L, with t the
 * number of values in any hypothesis or in the rows. For classes, it is the count plus L. Specified and uniform priors
 * have no parameters.
 *
 * Numbers: let n be the number of rows so far, K the number of pseudo-rows, k = n + K, and v, location and scale s the
 * parameters of student.c. For d new numbers with mean m and sum of squared deviations S, in units of s, the log
 * probability is
 *
 *   b = v / (2 (1 + 1 / k)),  b' = b + S / 2 + k d / (2 (k + d)) (m - location)^2
 *   log Gamma((v + d) / 2) - log Gamma(v / 2) + v/2 log b - (v + d)/2 log b' + 1/2 log (k / (k + d))
 *     - d/2 log (2 pi) - d log s
 *
 * (Bernardo and Smith, Bayesian Theory, 1994, section 5.2 and appendix A.) Both equal the product of the predictive
 * probabilities of the rows, one after the other, if the model learns each row before the next and its prior stays
 * unchanged. So they do not depend on the order of rows. For a single row, the result is the classifier's own
 * evidence. */

static const double LOG_TWO_PI = 0x1.d67f1c864beb5p+0;

/* Returns log (Gamma(a + n) / Gamma(a)), accurately even if a is much larger than n. */
static double marginal_log_rising(double a, double n) {
    static const double TINY = 1e-290; /* below it Gamma(a) is 1 / a */
    if (n == 0) return 0;
    if (a == 0) return -INFINITY;
    if (a < TINY) return crd_i_log_gamma(n) + crd_log(a);
    crd_i_pair above = crd_i_log_gamma_pair(crd_i_pair_sum(a, n)), below = crd_i_log_gamma_pair(crd_i_pair_of(a));
    return crd_i_pair_subtract(above, below).high;
}

static bool marginal_smooths(const crd_settings *settings) {
    return settings->smoothing_strength > 0 &&
           (settings->smoothing == CRD_I_SMOOTHING_LAPLACE ||
            (settings->smoothing == CRD_I_SMOOTHING_M && !settings->smoothing_marginal));
}

/* Returns why the marginal likelihood has no closed form; NULL if it has one. */
static const char *in_the_way(const crd_classifier *classifier, bool from_nothing) {
    const crd_settings *settings = classifier->settings;
    if (!classifier->scorer->type->is_naive) return "its method";
    if (from_nothing && settings->prior == CRD_I_PRIOR_FREQUENCY) return "its prior by frequency";
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!crd_i_attribute_has_density(attribute)) continue;
        if (attribute->type == CRD_TYPE_CATEGORICAL) {
            if (!marginal_smooths(settings)) return "its smoothing";
        } else if (attribute->family != &crd_i_family_student) {
            return "a numeric column whose family is not student";
        } else if (from_nothing) {
            return "a numeric column";
        }
    }
    return NULL;
}

/* Returns whether the marginal likelihood has a closed form under a hypothesis; with `from_nothing`, also for the
 * hypothesis's own training rows. If not, *why is the reason. */
static bool marginal_exists(const crd_i_hypothesis *hypothesis, bool from_nothing, const char **why) {
    *why = in_the_way(hypothesis->classifier, from_nothing);
    return *why == NULL;
}

/* One hypothesis, and the rows whose likelihood is computed. */
typedef struct likelihood_judgment {
    const crd_i_hypothesis *hypothesis;
    const crd_model *all, *rows;
    const crd_i_schema_view *view, *own_order; /* views of the rows' model and of the hypothesis */
    /* for each column of the hypothesis: its index in the rows' model and in `all` */
    size_t *columns, *all_columns;
    bool from_nothing;
} likelihood_judgment;

static double class_rows(const likelihood_judgment *j, size_t own_class) {
    const crd_i_view *classes = &j->own_order->views[j->hypothesis->model->schema->target];
    return j->from_nothing ? 0 : crd_i_model_class_rows(j->hypothesis->model, (size_t)classes->values[own_class]);
}

/* Returns the log probability of the classes. new_rows[k] is the weight of the new rows of the hypothesis's class k. */
static double judge_classes(const likelihood_judgment *j, const double *new_rows) {
    const crd_classifier *classifier = j->hypothesis->classifier;
    const crd_settings *settings = classifier->settings;
    bool counts = settings->prior == CRD_I_PRIOR_FREQUENCY || settings->prior == CRD_I_PRIOR_LAPLACE;
    double added = settings->prior == CRD_I_PRIOR_LAPLACE ? settings->prior_strength : 0;
    double sum = 0, all = 0, rows = 0;
    for (size_t k = 0; k < classifier->class_count; k++) {
        double a = class_rows(j, k) + added;
        all += a;
        rows += new_rows[k];
        if (counts) sum += marginal_log_rising(a, new_rows[k]);
        else if (new_rows[k] > 0) sum += new_rows[k] * classifier->log_priors[k];
    }
    return counts ? sum - marginal_log_rising(all, rows) : sum;
}

/* Returns the log probability of a categorical column's values in one class. class_code is the class in the rows,
 * own_class the class in the hypothesis. */
static double judge_values(const likelihood_judgment *j, size_t own_column, size_t class_code, size_t own_class) {
    size_t column = j->columns[own_column];
    const crd_i_variable *variable = &j->rows->variables[column],
                         *own_variable = &j->hypothesis->model->variables[own_column];
    const crd_settings *settings = j->hypothesis->classifier->settings;
    const crd_i_view *view = &j->view->views[column];
    const crd_i_dictionary *declared = j->all->schema->columns[j->all_columns[own_column]].values;
    size_t values = declared == NULL ? 0 : crd_i_dictionary_size(declared);
    if (values < view->value_count) values = view->value_count;
    bool is_m = settings->smoothing == CRD_I_SMOOTHING_M;
    double added = is_m ? settings->smoothing_strength / (double)values : settings->smoothing_strength;
    double all = is_m ? settings->smoothing_strength : settings->smoothing_strength * (double)values;
    if (!j->from_nothing) all += crd_i_tally_total(own_variable->tally, own_class);
    double sum = 0, rows = 0;
    for (size_t v = 0; v < view->value_count; v++) {
        double count = crd_i_counts_value(variable->tally, (size_t)view->values[v], class_code);
        if (count == 0) continue;
        int32_t code = crd_i_dictionary_find(own_variable->values,
                                             crd_i_dictionary_text(variable->values, (size_t)view->values[v]));
        double known =
            j->from_nothing || code < 0 ? 0 : crd_i_counts_value(own_variable->tally, (size_t)code, own_class);
        sum += marginal_log_rising(known + added, count);
        rows += count;
    }
    return sum - marginal_log_rising(all, rows);
}

/* Computes the log probability of a numeric column's values in one class, by the formula above. */
static crd_status marginal_judge_numbers(const likelihood_judgment *j, size_t own_column, size_t attribute,
                                         size_t class_code, size_t own_class, size_t class_index, double *out,
                                         crd_error *error) {
    const crd_i_tally *tally = j->rows->variables[j->columns[own_column]].tally;
    const crd_classifier *classifier = j->hypothesis->classifier;
    crd_term_parameter student[CRD_TERM_PARAMETERS];
    size_t count;
    crd_i_scaled variance;
    double mean;
    bool defined = true;
    *out = 0;
    double d = class_code < tally->conditions ? crd_i_tally_total(tally, class_code) : 0;
    if (d == 0) return CRD_OK;
    crd_i_moment_cell cell = crd_i_moments_cell(tally, class_code);
    if (!crd_i_moments_mean(cell, &mean, NULL, &defined) || !crd_i_moments_variance(cell, false, &variance, &defined))
        return crd_i_fail_memory(error);
    crd_status status = crd_classifier_parameters(classifier, attribute, class_index, student, &count, error);
    if (status != CRD_OK) return status;
    double v = student[0].value, location = student[1].value, scale = student[2].value;
    double k = crd_i_tally_total(j->hypothesis->model->variables[own_column].tally, own_class) +
               (count > 3 ? student[3].value : crd_i_pseudo_counts_rows(classifier->settings));
    if (k == 0) k = 1;
    double deviation = crd_i_scaled_root(variance) / scale, away = (mean / 2 - location / 2) / scale * 2;
    double b = v / (2 * (1 + 1 / k));
    double after = b + d * deviation * deviation / 2 + k / (k + d) * d / 2 * away * away;
    *out = marginal_log_rising(v / 2, d / 2) + v / 2 * crd_log(b) - (v + d) / 2 * crd_log(after) +
           crd_log(k / (k + d)) / 2 - d * (LOG_TWO_PI / 2 + crd_log(scale));
    return CRD_OK;
}

/* Adds the log probabilities of all columns in one class, excluding the class itself. */
static crd_status judge_class(const likelihood_judgment *j, size_t class_code, size_t class_index, double *sum,
                              crd_error *error) {
    const crd_model *model = j->hypothesis->model;
    const crd_classifier *classifier = j->hypothesis->classifier;
    size_t own_class = (size_t)j->own_order->views[model->schema->target].values[class_index];
    crd_status status = CRD_OK;
    for (size_t own = 0, i = 0; status == CRD_OK && own < model->schema->count; own++) {
        if (own == model->schema->target) continue;
        size_t attribute = i++;
        const crd_i_tally *tally = j->rows->variables[j->columns[own]].tally;
        if (!crd_i_attribute_has_density(&classifier->attributes[attribute]) || tally == NULL) continue;
        double part = 0;
        if (tally->type->type != classifier->attributes[attribute].type) continue;
        if (tally->type->type == CRD_TYPE_CATEGORICAL) part = judge_values(j, own, class_code, own_class);
        else status = marginal_judge_numbers(j, own, attribute, class_code, own_class, class_index, &part, error);
        *sum += part;
    }
    return status;
}

/* Sums the log probabilities of all classes and columns. *out is -INFINITY if some rows are impossible. */
static crd_status marginal_judge(const likelihood_judgment *j, double *new_rows, double *out, double *impossible,
                                 crd_error *error) {
    const crd_i_dictionary *classes = crd_i_model_target(j->rows)->values;
    const crd_classifier *classifier = j->hypothesis->classifier;
    const crd_i_view *view = &j->view->views[j->rows->schema->target];
    double sum = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < view->value_count; i++) {
        size_t code = (size_t)view->values[i];
        double rows = crd_i_model_class_rows(j->rows, code);
        int32_t index = crd_i_dictionary_find(classifier->classes, crd_i_dictionary_text(classes, code));
        if (rows == 0) continue;
        if (index < 0 || classifier->log_priors[index] == -INFINITY) {
            *impossible += rows;
            continue;
        }
        new_rows[index] = rows;
        status = judge_class(j, code, (size_t)index, &sum, error);
    }
    sum += judge_classes(j, new_rows);
    *out = *impossible > 0 ? -INFINITY : sum;
    return status;
}

/* Returns for each column of `model` its index in `other`, which must contain all of them. Returns NULL if memory runs
 * out. */
static size_t *marginal_find_columns(const crd_model *model, const crd_model *other) {
    size_t *columns = crd_i_alloc(model->context, model->schema->count, sizeof *columns);
    crd_i_dictionary *names = crd_i_dictionary_create(model->context);
    bool done = columns != NULL && names != NULL;
    for (size_t i = 0; done && i < other->schema->count; i++)
        done = crd_i_dictionary_add(names, other->schema->columns[i].name) >= 0;
    for (size_t i = 0; done && i < model->schema->count; i++)
        columns[i] = (size_t)crd_i_dictionary_find(names, model->schema->columns[i].name);
    crd_i_dictionary_destroy(names);
    if (done) return columns;
    crd_free(model->context, columns);
    return NULL;
}

/* Computes the log marginal likelihood of the rows counted in `rows`, given what the hypothesis has learned; with
 * `from_nothing`, before it learned anything. `all` contains the columns and values of all hypotheses. *impossible is
 * the number of rows whose class the hypothesis does not have, or gives probability 0. */
static crd_status marginal_log(const crd_i_hypothesis *hypothesis, const crd_model *all, const crd_model *rows,
                               bool from_nothing, double *out, double *impossible, crd_error *error) {
    crd_context *context = all->context;
    crd_i_schema_view *view = NULL, *own_order = NULL;
    *out = *impossible = 0;
    likelihood_judgment j = {.hypothesis = hypothesis, .all = all, .rows = rows, .from_nothing = from_nothing};
    j.columns = marginal_find_columns(hypothesis->model, rows);
    j.all_columns = marginal_find_columns(hypothesis->model, all);
    double *new_rows = crd_i_alloc_zeroed(context, hypothesis->classifier->class_count, sizeof *new_rows);
    bool has_room = j.columns != NULL && j.all_columns != NULL && new_rows != NULL;
    crd_status status = has_room ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_schema_view_create(rows, &view, error);
    if (status == CRD_OK) status = crd_i_schema_view_create(hypothesis->model, &own_order, error);
    j.view = view;
    j.own_order = own_order;
    if (status == CRD_OK) status = marginal_judge(&j, new_rows, out, impossible, error);
    crd_i_schema_view_destroy(view);
    crd_i_schema_view_destroy(own_order);
    crd_free(context, j.columns);
    crd_free(context, j.all_columns);
    crd_free(context, new_rows);
    return status;
}

/* ======== 2. Hypotheses ======== */

crd_status crd_hypotheses_create(crd_context *context, crd_hypotheses **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = context;
    return CRD_OK;
}

static void clear_one(crd_context *context, crd_i_hypothesis *hypothesis) {
    crd_free(context, (void *)hypothesis->name.bytes);
    crd_model_destroy(hypothesis->model);
    crd_classifier_destroy(hypothesis->classifier);
}

void crd_hypotheses_destroy(crd_hypotheses *hypotheses) {
    if (hypotheses == NULL) return;
    for (size_t i = 0; i < hypotheses->count; i++) clear_one(hypotheses->context, &hypotheses->each[i]);
    crd_free(hypotheses->context, hypotheses->each);
    crd_model_destroy(hypotheses->all);
    crd_free(hypotheses->context, hypotheses);
}

size_t crd_hypotheses_count(const crd_hypotheses *hypotheses) {
    return hypotheses->count;
}

/* ======== 3. Priors and posteriors ======== */

static double sum_of_priors(const crd_hypotheses *h) {
    double sum = 0;
    for (size_t i = 0; i < h->count; i++) sum += h->each[i].prior;
    return sum;
}

/* Resets the posteriors to the normalized priors. */
static void forget_data(crd_hypotheses *h) {
    double sum = sum_of_priors(h);
    for (size_t i = 0; i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->log_likelihood = hypothesis->impossible = 0;
        hypothesis->likelihood = CRD_LIKELIHOOD_NONE;
        hypothesis->posterior = sum > 0 ? hypothesis->prior / sum : 0;
    }
}

static crd_status check_share(double share, const char *description, crd_error *error) {
    if (share >= 0 && share <= 1e300) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the %s of a hypothesis is negative or not finite", description);
}

/* Appends a hypothesis and recomputes the union of all columns and values. Resets the posteriors. */
static crd_status hypotheses_append(crd_hypotheses *h, const crd_i_hypothesis *added, crd_error *error) {
    if (!crd_i_reserve(h->context, &h->each, &h->capacity, h->count + 1, sizeof *h->each))
        return crd_i_fail_memory(error);
    const crd_model **models = crd_i_alloc(h->context, h->count + 1, sizeof *models);
    if (models == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < h->count; i++) models[i] = h->each[i].model;
    models[h->count] = added->model;
    crd_model *all;
    crd_status status = crd_i_members_unite(h->context, models, h->count + 1, &all, error);
    crd_free(h->context, models);
    if (status != CRD_OK) return status;
    crd_model_destroy(h->all);
    h->all = all;
    h->each[h->count++] = *added;
    forget_data(h);
    return CRD_OK;
}

/* Copies the model and creates its classifier. Ensembles are rejected. */
crd_status crd_hypotheses_add(crd_hypotheses *hypotheses, crd_text name, const crd_model *model, double prior,
                              crd_error *error) {
    crd_context *context = hypotheses->context;
    crd_i_hypothesis added = {.prior = prior};
    crd_status status = check_share(prior, "prior", error);
    if (status == CRD_OK && model->context != context)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model belongs to another context");
    if (status == CRD_OK && crd_i_members_of(model) != NULL)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT,
                            "the model is an ensemble itself: combine its members with the other models");
    if (status != CRD_OK) return status;
    added.name = crd_i_text_copy(context, name);
    if (added.name.bytes == NULL) return crd_i_fail_memory(error);
    status = crd_i_model_clone(model, &added.model, error);
    if (status == CRD_OK) status = crd_classifier_create(added.model, NULL, &added.classifier, error);
    if (status == CRD_OK) status = hypotheses_append(hypotheses, &added, error);
    if (status != CRD_OK) clear_one(context, &added);
    return status;
}

crd_status crd_hypotheses_at(const crd_hypotheses *hypotheses, size_t index, crd_hypothesis *out, crd_error *error) {
    if (index >= hypotheses->count) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown hypothesis %zu", index);
    const crd_i_hypothesis *hypothesis = &hypotheses->each[index];
    double sum = sum_of_priors(hypotheses);
    const crd_hypothesis found_hypothesis = {sizeof found_hypothesis,    hypothesis->name,
                                             hypothesis->model,          sum > 0 ? hypothesis->prior / sum : 0,
                                             hypothesis->log_likelihood, hypothesis->likelihood,
                                             hypothesis->impossible,     hypothesis->posterior};
    crd_i_copy_out(&found_hypothesis, sizeof found_hypothesis, out);
    return CRD_OK;
}

crd_status crd_hypotheses_set_posterior(crd_hypotheses *hypotheses, const double *posterior, crd_error *error) {
    double sum = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < hypotheses->count; i++) {
        status = check_share(posterior[i], "posterior", error);
        sum += posterior[i];
    }
    if (status == CRD_OK && !(sum > 0))
        status = crd_i_fail(error, CRD_ERROR_PROBABILITY, "every hypothesis' posterior is zero");
    if (status != CRD_OK) return status;
    forget_data(hypotheses);
    for (size_t i = 0; i < hypotheses->count; i++) hypotheses->each[i].posterior = posterior[i] / sum;
    return CRD_OK;
}

/* ======== 4. Likelihood, row by row ======== */

typedef struct hypotheses_judgment {
    crd_hypotheses *hypotheses;
    bool of_classes; /* true: probabilities of the classes given the values; false: probabilities of whole rows */
    crd_posteriors *posteriors;
    crd_i_sums sums;    /* exact sum of log probabilities for each hypothesis */
    double *impossible; /* weight of the rows with probability 0, for each hypothesis */
    uint64_t rows;
} hypotheses_judgment;

static size_t hypotheses_find_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

/* Adds the log probability of one row under one hypothesis. Returns false if memory runs out. */
static bool hypotheses_judge_row(hypotheses_judgment *j, size_t hypothesis, size_t row, crd_text truth, double weight) {
    const crd_classifier *classifier = j->hypotheses->each[hypothesis].classifier;
    int32_t class = crd_i_dictionary_find(classifier->classes, truth);
    double log_probability = -INFINITY;
    if (class >= 0) log_probability = crd_posteriors_log(j->posteriors, row)[class];
    if (class >= 0 && !j->of_classes) log_probability += crd_posteriors_answer(j->posteriors, row)->log_evidence;
    if (log_probability > -INFINITY) return crd_i_sums_add_product(&j->sums, hypothesis, weight, log_probability);
    j->impossible[hypothesis] += weight;
    return true;
}

/* Adds the rows of a frame for all hypotheses. Rows without a class or with weight 0 are skipped. */
static crd_status judge_frame(hypotheses_judgment *j, const crd_frame *frame, crd_error *error) {
    const crd_i_schema *schema = j->hypotheses->all->schema;
    size_t target = hypotheses_find_column(frame, schema->columns[schema->target].name);
    size_t weight_column = hypotheses_find_column(frame, schema->weight.name);
    for (size_t i = 0; i < j->hypotheses->count; i++) {
        crd_status status = crd_classifier_classify(j->hypotheses->each[i].classifier, frame, j->posteriors, error);
        if (status != CRD_OK) return status;
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            crd_value truth = crd_frame_value(frame, row, target);
            double weight = weight_column == SIZE_MAX ? 1 : crd_frame_value(frame, row, weight_column).number;
            if (!(weight >= 0)) return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is negative or missing");
            if (truth.type == CRD_TYPE_NONE || weight == 0) continue;
            j->rows += i == 0;
            if (!hypotheses_judge_row(j, i, row, truth.text, weight)) return crd_i_fail_memory(error);
        }
    }
    return CRD_OK;
}

static crd_status begin_judging(hypotheses_judgment *j, crd_error *error) {
    size_t count = j->hypotheses->count;
    crd_i_sums_clear(&j->sums);
    crd_i_sums_init(&j->sums, j->hypotheses->context);
    for (size_t i = 0; i < count; i++) j->impossible[i] = 0;
    j->rows = 0;
    return crd_i_sums_extend(&j->sums, count) ? CRD_OK : crd_i_fail_memory(error);
}

/* Reads all frames. */
static crd_status judge_frames(hypotheses_judgment *j, crd_reader *reader, crd_error *error) {
    size_t max_classes = 0;
    for (size_t i = 0; i < j->hypotheses->count; i++) {
        size_t classes = j->hypotheses->each[i].classifier->class_count;
        if (classes > max_classes) max_classes = classes;
    }
    crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(max_classes));
    crd_status status = begin_judging(j, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        if (crd_i_context_cancelled(j->hypotheses->context)) return crd_i_fail_cancelled(error);
        status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = judge_frame(j, frame, error);
    }
    if (status == CRD_OK && j->rows == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "cannot weigh the hypotheses: no row has a class");
    return status;
}

/* Computes the likelihoods row by row, of the classes or of whole rows. */
static crd_status hypotheses_judge_rows(crd_hypotheses *h, crd_reader *reader, bool of_classes, crd_error *error) {
    hypotheses_judgment j = {.hypotheses = h, .of_classes = of_classes};
    crd_i_sums_init(&j.sums, h->context);
    j.impossible = crd_i_alloc_zeroed(h->context, h->count, sizeof *j.impossible);
    crd_status status = j.impossible == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = crd_posteriors_create(h->context, &j.posteriors, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(h->all, reader, error);
    if (status == CRD_OK) status = judge_frames(&j, reader, error);
    for (size_t i = 0; status == CRD_OK && i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->likelihood = of_classes ? CRD_LIKELIHOOD_CLASSES : CRD_LIKELIHOOD_ROWS;
        hypothesis->impossible = j.impossible[i];
        hypothesis->log_likelihood = hypothesis->impossible > 0 ? -INFINITY : crd_i_sums_value(&j.sums, i);
    }
    crd_posteriors_destroy(j.posteriors);
    crd_i_sums_clear(&j.sums);
    crd_free(h->context, j.impossible);
    return status;
}

/* ======== 5. Likelihood in closed form ======== */

/* Computes the likelihoods in closed form. `rows` NULL: of each model's own training rows. */
static crd_status judge_tally(crd_hypotheses *h, const crd_model *rows, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->likelihood = CRD_LIKELIHOOD_CLOSED;
        status = marginal_log(hypothesis, h->all, rows == NULL ? hypothesis->model : rows, rows == NULL,
                              &hypothesis->log_likelihood, &hypothesis->impossible, error);
    }
    return status;
}

/* Counts the rows of the reader and computes the likelihoods in closed form. */
static crd_status judge_closed(crd_hypotheses *h, crd_reader *reader, crd_error *error) {
    crd_model *rows = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_model_bind_to_learn(h->all, reader, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(h->all, reader, &rows, &facts, error);
    if (status == CRD_OK && facts.rows == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "cannot weigh the hypotheses: no row has a class");
    if (status == CRD_OK) status = judge_tally(h, rows, error);
    crd_model_destroy(rows);
    return status;
}

/* ======== 6. Choice of the likelihood ======== */

/* Returns whether all hypotheses have the same columns, with the same types. */
static bool same_columns(const crd_hypotheses *h) {
    const crd_i_schema *all = h->all->schema;
    for (size_t i = 0; i < h->count; i++) {
        const crd_classifier *own_classifier = h->each[i].classifier;
        if (own_classifier->attribute_count + 1 != all->count) return false;
        for (size_t a = 0; a < own_classifier->attribute_count; a++) {
            /* Usually the column has the same position. */
            size_t column = a < all->target ? a : a + 1;
            if (!crd_text_equal(all->columns[column].name, own_classifier->attributes[a].name))
                column = crd_i_schema_find(all, own_classifier->attributes[a].name);
            if (own_classifier->attributes[a].type != all->columns[column].type) return false;
        }
    }
    return true;
}

static crd_status hypotheses_refuse_rows(const crd_i_hypothesis *hypothesis, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "'%s' predicts only classes, not whole rows, because of its method: weigh by the classes instead",
               crd_i_quote(hypothesis->name, quoted));
    crd_i_error_subject(error, hypothesis->name);
    return CRD_ERROR_ARGUMENT;
}

static crd_status refuse_closed(const crd_i_hypothesis *hypothesis, bool from_nothing, const char *why,
                                crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_ARGUMENT,
               "the probability of the rows%s has no closed form under '%s', because of %s: weigh by %s",
               from_nothing ? " learned" : "", crd_i_quote(hypothesis->name, quoted), why,
               from_nothing ? "other rows, or specify the posteriors" : "single rows, or by their classes");
    crd_i_error_subject(error, hypothesis->name);
    return CRD_ERROR_ARGUMENT;
}

/* Returns CRD_OK if the likelihood has a closed form under all hypotheses and they have the same columns. */
static crd_status hypotheses_check_closed(const crd_hypotheses *h, bool from_nothing, crd_error *error) {
    const char *why;
    for (size_t i = 0; i < h->count; i++)
        if (!marginal_exists(&h->each[i], from_nothing, &why))
            return refuse_closed(&h->each[i], from_nothing, why, error);
    if (same_columns(h)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the models have different columns, so only classes can be compared, not rows");
}

/* Returns CRD_ERROR_ARGUMENT if the models were certainly trained on different rows: their class counts differ. Equal
 * counts do not prove equal rows. */
static crd_status check_same_rows(const crd_hypotheses *h, crd_error *error) {
    const crd_i_dictionary *classes = crd_i_model_target(h->all)->values;
    for (size_t k = 0; k < crd_i_dictionary_size(classes); k++) {
        double rows[2] = {0, 0};
        for (size_t i = 0; i < h->count; i++) {
            const crd_model *model = h->each[i].model;
            int32_t code = crd_i_dictionary_find(crd_i_model_target(model)->values, crd_i_dictionary_text(classes, k));
            rows[i > 0] = code < 0 ? 0 : crd_i_model_class_rows(model, (size_t)code);
            if (i > 0 && rows[0] != rows[1])
                return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                  "the models were trained on different rows, which cannot weigh them: weigh by "
                                  "other rows, or specify the posteriors");
        }
    }
    return CRD_OK;
}

/* Chooses how the likelihoods are computed: in closed form if possible, otherwise as requested. By default, falls back
 * to the classes. */
static crd_status hypotheses_judge(crd_hypotheses *h, crd_reader *reader, crd_likelihood likelihood, crd_error *error) {
    if (reader == NULL) {
        crd_status status = hypotheses_check_closed(h, true, error);
        if (status == CRD_OK) status = check_same_rows(h, error);
        return status == CRD_OK ? judge_tally(h, NULL, error) : status;
    }
    if (likelihood == CRD_LIKELIHOOD_CLASSES) return hypotheses_judge_rows(h, reader, true, error);
    crd_status status = hypotheses_check_closed(h, false, error);
    if (status == CRD_OK) return judge_closed(h, reader, error);
    if (likelihood == CRD_LIKELIHOOD_CLOSED) return status;
    if (likelihood == CRD_LIKELIHOOD_NONE) return hypotheses_judge_rows(h, reader, true, error);
    if (!same_columns(h)) return status;
    for (size_t i = 0; i < h->count; i++)
        if (!h->each[i].classifier->scorer->is_generative) return hypotheses_refuse_rows(&h->each[i], error);
    return hypotheses_judge_rows(h, reader, false, error);
}

/* Computes the posteriors from priors and log likelihoods. Returns CRD_ERROR_PROBABILITY if all of them are 0. */
static crd_status set_posteriors(crd_hypotheses *h, crd_error *error) {
    double greatest = -INFINITY, sum = 0;
    for (size_t i = 0; i < h->count; i++) {
        crd_i_hypothesis *hypothesis = &h->each[i];
        hypothesis->posterior =
            hypothesis->prior > 0 ? crd_log(hypothesis->prior) + hypothesis->log_likelihood : -INFINITY;
        if (hypothesis->posterior > greatest) greatest = hypothesis->posterior;
    }
    if (greatest == -INFINITY)
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the rows are impossible under every hypothesis");
    for (size_t i = 0; i < h->count; i++) {
        h->each[i].posterior = crd_exp(h->each[i].posterior - greatest);
        sum += h->each[i].posterior;
    }
    for (size_t i = 0; i < h->count; i++) h->each[i].posterior /= sum;
    return CRD_OK;
}

crd_status crd_hypotheses_weigh(crd_hypotheses *hypotheses, crd_reader *reader, crd_likelihood likelihood,
                                crd_error *error) {
    if (hypotheses->count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the list of hypotheses is empty");
    if (!(sum_of_priors(hypotheses) > 0))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the prior of every hypothesis is zero");
    crd_status status = hypotheses_judge(hypotheses, reader, likelihood, error);
    if (status == CRD_OK) status = set_posteriors(hypotheses, error);
    if (status != CRD_OK) forget_data(hypotheses);
    return status;
}

/* ======== 7. Combining ======== */

/* Returns the hypothesis with the largest posterior (MAP) or the largest likelihood (ML). The likelihood is posterior /
 * prior if no data were given. The first one wins ties. */
static size_t hypotheses_choose(const crd_hypotheses *h, crd_combine_rule rule) {
    bool is_ml = rule == CRD_COMBINE_ML, has_data = h->each[0].likelihood != CRD_LIKELIHOOD_NONE;
    size_t best = 0;
    double greatest = -INFINITY;
    for (size_t i = 0; i < h->count; i++) {
        const crd_i_hypothesis *hypothesis = &h->each[i];
        double score = hypothesis->posterior;
        if (is_ml && has_data) score = hypothesis->log_likelihood;
        else if (is_ml) score = hypothesis->prior > 0 ? hypothesis->posterior / hypothesis->prior : 0;
        if (score > greatest) {
            greatest = score;
            best = i;
        }
    }
    return best;
}

/* Copies the models into an ensemble. For MAP and ML, the chosen model gets weight 1 and all others 0. */
crd_status crd_hypotheses_combine(const crd_hypotheses *hypotheses, crd_combine_rule rule, uint64_t seed,
                                  crd_model **out, crd_error *error) {
    crd_context *context = hypotheses->context;
    *out = NULL;
    if (hypotheses->count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the list of models to combine is empty");
    if (hypotheses->count > UINT32_MAX) return crd_i_fail(error, CRD_ERROR_LIMIT, "more than 2^32 models");
    if (rule < CRD_COMBINE_OPTIMAL || rule > CRD_COMBINE_ML)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown rule");
    bool is_one = rule == CRD_COMBINE_MAP || rule == CRD_COMBINE_ML;
    size_t chosen = hypotheses_choose(hypotheses, rule);
    if (!is_one && !(hypotheses->each[hypotheses_choose(hypotheses, CRD_COMBINE_MAP)].posterior > 0))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "every hypothesis' posterior is zero");
    crd_i_members *members = crd_i_alloc_zeroed(context, 1, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    members->rule = rule;
    members->seed = rule == CRD_COMBINE_GIBBS ? seed : 0;
    members->each = crd_i_alloc_zeroed(context, hypotheses->count, sizeof *members->each);
    crd_status status = members->each == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (; status == CRD_OK && members->count < hypotheses->count; members->count++) {
        const crd_i_hypothesis *hypothesis = &hypotheses->each[members->count];
        crd_i_member *member = &members->each[members->count];
        member->weight = is_one ? members->count == chosen : hypothesis->posterior;
        member->name = crd_i_text_copy(context, hypothesis->name);
        status = member->name.bytes == NULL ? crd_i_fail_memory(error)
                                            : crd_i_model_clone(hypothesis->model, &member->model, error);
    }
    if (status == CRD_OK) return crd_i_members_join(context, members, out, error);
    crd_i_members_destroy(context, members);
    return status;
}
