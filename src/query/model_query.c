/* SPDX-License-Identifier: MIT */
/* model_query.c - computes the distribution of any column of a naive model, given the values of other columns.
 *
 * The given values only change the class weights w_c = P(c | given), because the attributes are independent given the
 * class. So every result is a sum over the classes:
 *
 *   P(a, b, ... | given) = sum of w_c P(a | c) P(b | c) ...
 *
 * If the class itself is given or queried, the sum has one term. */
#include "query/event.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "math/exact/ieee754.h"
#include "model/model_internal.h"

#include <credence/number.h>

#include <math.h>

/* ---- Creation ---- */

crd_status crd_query_create(const crd_model *model, const crd_settings *settings, crd_query **out, crd_error *error) {
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "be queried or drawn from", error);
    if (status != CRD_OK) return status;
    crd_query *query = crd_i_alloc_zeroed(model->context, 1, sizeof *query);
    if (query == NULL) return crd_i_fail_memory(error);
    query->context = model->context;
    query->target = model->schema->target;
    query->target_name = crd_i_text_copy(query->context, model->schema->columns[query->target].name);
    if (query->target_name.bytes == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_classifier_create(model, settings, &query->classifier, error);
    if (status == CRD_OK)
        status = crd_i_naive_scorer_require(query->classifier, "queries and draws support",
                                            "; posteriors are predicted by any method", error);
    if (status != CRD_OK) {
        crd_query_destroy(query);
        return status;
    }
    *out = query;
    return CRD_OK;
}

void crd_query_destroy(crd_query *query) {
    if (query == NULL) return;
    crd_classifier_destroy(query->classifier);
    crd_free(query->context, (void *)query->target_name.bytes);
    crd_free(query->context, query);
}

/* ---- Properties ---- */

static size_t model_query_attribute(const crd_query *query, size_t column) {
    return column < query->target ? column : column - 1;
}

const crd_i_attribute *crd_i_query_attribute(const crd_query *query, size_t column) {
    return &query->classifier->attributes[model_query_attribute(query, column)];
}

const crd_settings *crd_query_settings(const crd_query *query) {
    return crd_classifier_settings(query->classifier);
}

size_t crd_query_column_count(const crd_query *query) {
    return query->classifier->attribute_count + 1;
}

size_t crd_query_target(const crd_query *query) {
    return query->target;
}

crd_text crd_query_column_name(const crd_query *query, size_t column) {
    return column == query->target ? query->target_name : crd_i_query_attribute(query, column)->name;
}

crd_column_type crd_query_column_type(const crd_query *query, size_t column) {
    return column == query->target ? CRD_TYPE_CATEGORICAL : crd_i_query_attribute(query, column)->type;
}

int crd_query_column_family(const crd_query *query, size_t column, crd_family *out) {
    if (column == query->target) return crd_i_family_describe(NULL, out);
    return crd_classifier_family(query->classifier, model_query_attribute(query, column), out);
}

static const crd_i_dictionary *model_query_values(const crd_query *query, size_t column) {
    return column == query->target ? query->classifier->classes : crd_i_query_attribute(query, column)->values;
}

size_t crd_query_value_count(const crd_query *query, size_t column) {
    const crd_i_dictionary *values = model_query_values(query, column);
    return values == NULL ? 0 : crd_i_dictionary_size(values);
}

crd_text crd_query_value(const crd_query *query, size_t column, size_t value) {
    return crd_i_dictionary_text(model_query_values(query, column), value);
}

/* ---- Posteriors ---- */

/* Reports an error about a column. `format` has two %s: for the column's name and for a value. Returns `status`. */
static crd_status model_query_fail_column(crd_error *error, crd_status status, const char *format, crd_text name,
                                          crd_text value) {
    char quoted_name[CRD_I_QUOTED_ROOM], quoted_value[CRD_I_QUOTED_ROOM];
    crd_i_quote(name, quoted_name);
    crd_i_quote(value, quoted_value);
    crd_i_fail(error, status, format, quoted_name, quoted_value);
    crd_i_error_subject(error, name);
    return status;
}

crd_status crd_i_query_class(const crd_query *query, const crd_value *value, size_t *class_index, crd_error *error) {
    char buffer[CRD_NUMBER_ROOM];
    crd_text text = value->text;
    if (value->type == CRD_TYPE_NUMERIC) {
        text.bytes = buffer;
        text.length = crd_number_format(value->number, buffer);
    }
    int32_t found = crd_i_dictionary_find(query->classifier->classes, text);
    *class_index = found < 0 ? 0 : (size_t)found;
    if (found >= 0) return CRD_OK;
    return model_query_fail_column(error, CRD_ERROR_COLUMN, "the target '%s' has no class '%s'", query->target_name,
                                   text);
}

static bool model_query_is_known(const crd_value *value) {
    return value->type != CRD_TYPE_NONE && !(value->type == CRD_TYPE_NUMERIC && isnan(value->number));
}

/* Adds the log densities of the given attributes to the sum of each class. Counts unseen values and words in
 * *answer. */
static crd_status add_given(const crd_query *query, const crd_value *given, double *sums, crd_answer *answer,
                            crd_error *error) {
    for (size_t column = 0; column < crd_query_column_count(query); column++) {
        if (column == query->target) continue;
        const crd_i_attribute *attribute = crd_i_query_attribute(query, column);
        crd_i_one_cell cell;
        crd_status status = crd_i_classifier_cell(query->classifier, model_query_attribute(query, column),
                                                  &given[column], &cell, error);
        double *logs = NULL;
        if (status == CRD_OK)
            status =
                crd_i_cell_read_alone(query->classifier, model_query_attribute(query, column), &cell, &logs, error);
        bool counts = status == CRD_OK && cell.is_present && !cell.is_unseen && crd_i_attribute_has_density(attribute);
        crd_i_cells cells = crd_i_cells_of(&cell);
        if (counts) attribute->density->family->add(attribute->density, &cells, sums);
        crd_free(query->classifier->context, logs);
        if (status != CRD_OK) return status;
        answer->unseen += cell.is_unseen + cell.terms.unseen;
    }
    return CRD_OK;
}

crd_status crd_query_posterior(const crd_query *query, const crd_value *given, double *log_classes, crd_answer *answer,
                               crd_error *error) {
    const crd_classifier *classifier = query->classifier;
    const crd_answer none = {-1, 0, 0, -INFINITY};
    crd_status status = CRD_OK;
    size_t known = SIZE_MAX;
    *answer = none;
    for (size_t k = 0; k < classifier->class_count; k++) log_classes[k] = classifier->log_priors[k];
    if (model_query_is_known(&given[query->target]))
        status = crd_i_query_class(query, &given[query->target], &known, error);
    if (status == CRD_OK) status = add_given(query, given, log_classes, answer, error);
    if (status != CRD_OK) {
        for (size_t k = 0; k < classifier->class_count; k++) log_classes[k] = -INFINITY;
        *answer = none;
        return status;
    }
    for (size_t k = 0; known != SIZE_MAX && k < classifier->class_count; k++)
        if (k != known) log_classes[k] = -INFINITY;
    crd_i_classifier_conclude(classifier->lanes, classifier->log_priors, classifier->class_count, log_classes, NULL,
                              answer);
    if (known == SIZE_MAX)
        crd_i_classifier_choose_only_class(classifier->log_priors, classifier->class_count, log_classes, NULL, answer);
    return CRD_OK;
}

/* ---- Probabilities ---- */

/* Checks that an attribute has a density: its values must not all be missing, nor all be equal. */
static crd_status check_speaks(const crd_i_attribute *attribute, crd_error *error) {
    const crd_text none = {"", 0};
    if (crd_i_attribute_has_density(attribute)) return CRD_OK;
    if (attribute->density == NULL || attribute->type != CRD_TYPE_NUMERIC)
        return model_query_fail_column(error, CRD_ERROR_EMPTY, "column '%s' has no values%s", attribute->name, none);
    return model_query_fail_column(error, CRD_ERROR_EMPTY, "column '%s' has no spread, so it has no density%s",
                                   attribute->name, none);
}

/* Reads the value of an attribute that is queried, and checks that it is possible. Sets cell->is_present to false if
 * the value is missing. */
static crd_status asked_cell(const crd_query *query, size_t column, const crd_value *value, crd_i_one_cell *cell,
                             crd_error *error) {
    const crd_i_attribute *attribute = crd_i_query_attribute(query, column);
    crd_status status =
        crd_i_classifier_cell(query->classifier, model_query_attribute(query, column), value, cell, error);
    if (status != CRD_OK || !cell->is_present) return status;
    if (cell->is_unseen && attribute->type == CRD_TYPE_NUMERIC)
        return model_query_fail_column(error, CRD_ERROR_COLUMN,
                                       "the number is impossible for column '%s' with family '%s'", attribute->name,
                                       crd_text_of(attribute->family->name));
    if (cell->is_unseen)
        return model_query_fail_column(error, CRD_ERROR_COLUMN, "column '%s' never had the value '%s'", attribute->name,
                                       value->text);
    return check_speaks(attribute, error);
}

/* A running log-sum-exp: log(e^a + e^b + ...) without storing the terms. */
typedef struct log_sum {
    double greatest, remainder; /* the sum so far is e^greatest times `remainder` */
} log_sum;

static void log_sum_add(log_sum *target_sum, double x) {
    if (x == -INFINITY) return;
    if (x > target_sum->greatest) {
        target_sum->remainder = target_sum->remainder * crd_exp(target_sum->greatest - x) + 1;
        target_sum->greatest = x;
    } else {
        target_sum->remainder += crd_exp(x - target_sum->greatest);
    }
}

crd_status crd_query_log_probability(const crd_query *query, const double *log_classes, const crd_value *row,
                                     double *log_probability, crd_error *error) {
    size_t first = 0, end = query->classifier->class_count;
    crd_i_one_cell cell;
    *log_probability = -INFINITY;
    crd_status status = CRD_OK;
    if (model_query_is_known(&row[query->target])) {
        status = crd_i_query_class(query, &row[query->target], &first, error);
        end = first + 1;
    }
    for (size_t column = 0; status == CRD_OK && column < crd_query_column_count(query); column++)
        if (column != query->target) status = asked_cell(query, column, &row[column], &cell, error);
    if (status != CRD_OK) return status;
    log_sum sum = {-INFINITY, 0};
    for (size_t k = first; k < end; k++) {
        double log_product = log_classes[k];
        for (size_t column = 0; log_product > -INFINITY && column < crd_query_column_count(query); column++) {
            if (column == query->target || !model_query_is_known(&row[column])) continue;
            const crd_i_density *density = crd_i_query_attribute(query, column)->density;
            double *logs = NULL;
            status = asked_cell(query, column, &row[column], &cell, error);
            if (status == CRD_OK)
                status =
                    crd_i_cell_read_alone(query->classifier, model_query_attribute(query, column), &cell, &logs, error);
            crd_i_cells cells = crd_i_cells_of(&cell);
            crd_term term = CRD_TERM_INIT;
            if (status == CRD_OK) density->family->term(density, &cells, k, &term);
            crd_free(query->classifier->context, logs);
            if (status != CRD_OK) return status;
            log_product += term.log_value;
        }
        log_sum_add(&sum, log_product);
    }
    if (sum.greatest > -INFINITY) *log_probability = sum.greatest + crd_log(sum.remainder);
    return CRD_OK;
}

/* ---- Numbers ---- */

/* Checks that the column is numeric and has a density, and that some class is possible. Sets *density. */
static crd_status model_query_check_number(const crd_query *query, const double *log_classes, size_t column,
                                           const crd_i_density **density, crd_error *error) {
    const crd_text none = {"", 0};
    if (column >= crd_query_column_count(query))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown column %zu", column);
    crd_status status = CRD_OK;
    if (column != query->target) status = check_speaks(crd_i_query_attribute(query, column), error);
    if (status != CRD_OK) return status;
    if (crd_query_column_type(query, column) != CRD_TYPE_NUMERIC)
        return model_query_fail_column(error, CRD_ERROR_COLUMN, "column '%s' is not numeric%s",
                                       crd_query_column_name(query, column), none);
    *density = crd_i_query_attribute(query, column)->density;
    for (size_t k = 0; k < query->classifier->class_count; k++)
        if (log_classes[k] > -INFINITY) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_EMPTY, "the given values have probability zero under every class");
}

crd_status crd_query_moments(const crd_query *query, const double *log_classes, size_t column, double *mean,
                             double *deviation, crd_error *error) {
    const crd_i_density *density;
    double own_mean, own_deviation, sum = 0, unit = 0, squares = 0;
    *mean = *deviation = NAN;
    crd_status status = model_query_check_number(query, log_classes, column, &density, error);
    if (status != CRD_OK) return status;
    for (size_t k = 0; k < density->conditions; k++) {
        density->family->moments(density, k, &own_mean, &own_deviation);
        sum += crd_exp(log_classes[k]) * own_mean;
    }
    /* A class with heavy tails may have an infinite deviation. */
    for (size_t k = 0; k < density->conditions; k++) {
        density->family->moments(density, k, &own_mean, &own_deviation);
        if (crd_exp(log_classes[k]) == 0 || !isinf(own_deviation)) continue;
        *mean = sum;
        *deviation = INFINITY;
        return CRD_OK;
    }
    /* Deviations are divided by the largest difference, so their squares do not overflow. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < density->conditions; k++) {
            double weight = crd_exp(log_classes[k]);
            density->family->moments(density, k, &own_mean, &own_deviation);
            if (weight == 0) continue;
            double away = fabs(own_mean - sum);
            if (pass == 0) unit = fmax(unit, fmax(away, own_deviation));
            else squares += weight * (away / unit * (away / unit) + own_deviation / unit * (own_deviation / unit));
        }
    *mean = sum;
    *deviation = unit * sqrt(squares);
    return CRD_OK;
}

/* Returns P(X <= x) of the mixture of the classes' densities. */
static double mixture_below(const crd_i_density *density, const double *log_classes, double x) {
    double sum = 0;
    for (size_t k = 0; k < density->conditions; k++)
        if (log_classes[k] > -INFINITY) sum += crd_exp(log_classes[k]) * density->family->below(density, k, x);
    return sum > 1 ? 1 : sum;
}

crd_status crd_query_below(const crd_query *query, const double *log_classes, size_t column, double x,
                           double *probability, crd_error *error) {
    const crd_i_density *density;
    *probability = NAN;
    if (!isfinite(x)) return crd_i_fail(error, CRD_ERROR_NUMBER, "the point is not a finite number");
    crd_status status = model_query_check_number(query, log_classes, column, &density, error);
    if (status == CRD_OK) *probability = mixture_below(density, log_classes, x);
    return status;
}

/* Convert a double to an integer that sorts in the same order, and back. */
static int64_t model_query_rank(double x) {
    uint64_t bits = crd_i_bits_of(x == 0 ? 0 : x);
    int64_t magnitude = (int64_t)(bits & ~(UINT64_C(1) << 63));
    return bits >> 63 != 0 ? -magnitude : magnitude;
}

static double at_rank(int64_t rank) {
    return rank < 0 ? -crd_i_double_of((uint64_t)-rank) : crd_i_double_of((uint64_t)rank);
}

crd_status crd_query_quantile(const crd_query *query, const double *log_classes, size_t column, double p, double *x,
                              crd_error *error) {
    const crd_i_density *density;
    *x = NAN;
    if (!(p > 0 && p < 1)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a quantile must be between 0 and 1");
    crd_status status = model_query_check_number(query, log_classes, column, &density, error);
    if (status != CRD_OK) return status;
    /* The quantile of a mixture is between the smallest and the largest quantile of its components. Bisection over the
     * doubles finds it exactly. */
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < density->conditions; k++) {
        if (log_classes[k] == -INFINITY) continue;
        double own = density->family->quantile(density, k, p);
        if (own < low) low = own;
        if (own > high) high = own;
    }
    int64_t first = model_query_rank(low), limit = model_query_rank(high);
    while (first < limit) {
        int64_t middle = first + (int64_t)(((uint64_t)limit - (uint64_t)first) / 2);
        if (mixture_below(density, log_classes, at_rank(middle)) >= p) limit = middle;
        else first = middle + 1;
    }
    *x = at_rank(first);
    return CRD_OK;
}
