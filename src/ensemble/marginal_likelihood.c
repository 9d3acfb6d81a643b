/* SPDX-License-Identifier: MIT */
/* marginal_likelihood.c - the marginal likelihood of rows under a naive Bayes model, if it has a closed form.
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
#include "ensemble/hypotheses.h"

#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/named_distribution.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "model/schema_view.h"

#include <math.h>

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
        if (attribute->kind == CRD_KIND_CATEGORY) {
            if (!marginal_smooths(settings)) return "its smoothing";
        } else if (attribute->family != &crd_i_family_student) {
            return "a numeric column whose family is not student";
        } else if (from_nothing) {
            return "a numeric column";
        }
    }
    return NULL;
}

bool crd_i_marginal_exists(const crd_i_hypothesis *hypothesis, bool from_nothing, const char **why) {
    *why = in_the_way(hypothesis->classifier, from_nothing);
    return *why == NULL;
}

/* One hypothesis, and the rows whose likelihood is computed. */
typedef struct likelihood_judgement {
    const crd_i_hypothesis *hypothesis;
    const crd_model *all, *rows;
    const crd_i_schema_view *view, *own_order; /* views of the rows' model and of the hypothesis */
    /* for each column of the hypothesis: its index in the rows' model and in `all` */
    size_t *columns, *all_columns;
    bool from_nothing;
} likelihood_judgement;

static double class_rows(const likelihood_judgement *j, size_t own_class) {
    const crd_i_view *classes = &j->own_order->views[j->hypothesis->model->schema->target];
    return j->from_nothing ? 0 : crd_i_model_class_rows(j->hypothesis->model, (size_t)classes->values[own_class]);
}

/* Returns the log probability of the classes. new_rows[k] is the weight of the new rows of the hypothesis's class k. */
static double judge_classes(const likelihood_judgement *j, const double *new_rows) {
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
static double judge_values(const likelihood_judgement *j, size_t own_column, size_t class_code, size_t own_class) {
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
static crd_status marginal_judge_numbers(const likelihood_judgement *j, size_t own_column, size_t attribute,
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
static crd_status judge_class(const likelihood_judgement *j, size_t class_code, size_t class_index, double *sum,
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
        if (tally->type->kind != classifier->attributes[attribute].kind) continue;
        if (tally->type->kind == CRD_KIND_CATEGORY) part = judge_values(j, own, class_code, own_class);
        else status = marginal_judge_numbers(j, own, attribute, class_code, own_class, class_index, &part, error);
        *sum += part;
    }
    return status;
}

/* Sums the log probabilities of all classes and columns. *out is -INFINITY if some rows are impossible. */
static crd_status marginal_judge(const likelihood_judgement *j, double *new_rows, double *out, double *impossible,
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

/* Prepares views and column maps, and frees them afterwards. */
crd_status crd_i_marginal_log(const crd_i_hypothesis *hypothesis, const crd_model *all, const crd_model *rows,
                              bool from_nothing, double *out, double *impossible, crd_error *error) {
    crd_context *context = all->context;
    crd_i_schema_view *view = NULL, *own_order = NULL;
    *out = *impossible = 0;
    likelihood_judgement j = {.hypothesis = hypothesis, .all = all, .rows = rows, .from_nothing = from_nothing};
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
