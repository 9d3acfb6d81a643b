/* SPDX-License-Identifier: MIT */
/* row_sampler.c - draws new rows from a model: the class from P(class | given), then each attribute from its density
 * given the class.
 *
 * Row r uses random stream r, and each column uses its own stretch of the stream. A column's values therefore do not
 * depend on how many random numbers other columns use. */
#include "query/row_sampler.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "math/random.h"
#include "model/model_internal.h"
#include "query/model_query.h"
#include "query/text_sampler.h"
#include "stats/counts_rows.h"

#include <string.h>

/* Distance between the stretches of adjacent columns, in random numbers. A normal value takes two numbers in four of
 * five cases, and more than 64 numbers once in 10^21. */
enum { STRETCH = 64 };
/* The stretches of text columns begin at multiples of 2^40, after the stretches of all columns. A text needs as many
 * random numbers as it has words. */
enum { FIRST_OF_TEXT = 40 };

typedef struct sampled_column {
    crd_value given; /* the value that the caller fixed; kind NONE: the value is drawn */
    bool is_empty;   /* no value was ever present, so the column cannot be drawn from */
    /* for a categorical column: classes x values, cumulative within each class; NULL: too many to store */
    double *cumulative;
    char *text;                /* for a text column with a given value: a copy of the value */
    crd_i_text_sampler *words; /* for a text column that is drawn */
} sampled_column;

struct crd_sampler {
    crd_context *context;
    crd_query *query;
    uint64_t seed;
    double *classes; /* cumulative probabilities */
    sampled_column *columns;
    size_t column_count;
};

void crd_sampler_destroy(crd_sampler *sampler) {
    if (sampler == NULL) return;
    for (size_t i = 0; i < sampler->column_count; i++) {
        crd_free(sampler->context, sampler->columns[i].cumulative);
        crd_free(sampler->context, sampler->columns[i].text);
        crd_i_text_sampler_destroy(sampler->columns[i].words);
    }
    crd_free(sampler->context, sampler->columns);
    crd_free(sampler->context, sampler->classes);
    crd_query_destroy(sampler->query);
    crd_free(sampler->context, sampler);
}

/* ---- Deriving ---- */

/* Sets the given value of a column. Text then points into the query's dictionaries, or into a copy that the sampler
 * owns. Fails with CRD_ERROR_COLUMN if the column never had the value. */
static crd_status fix_column(crd_sampler *sampler, size_t column, const crd_value *given, crd_error *error) {
    const crd_query *query = sampler->query;
    crd_value *target_value = &sampler->columns[column].given;
    size_t class_index;
    if (column == query->target) {
        crd_status status = crd_i_query_class(query, given, &class_index, error);
        if (status != CRD_OK) return status;
        target_value->kind = CRD_KIND_CATEGORY;
        target_value->text = crd_i_dictionary_text(query->classifier->classes, class_index);
        return CRD_OK;
    }
    const crd_i_attribute *attribute = crd_i_query_attribute(query, column);
    size_t index = (size_t)(attribute - query->classifier->attributes);
    crd_i_one_cell cell;
    crd_status status = crd_i_classifier_cell(query->classifier, index, given, &cell, error);
    if (status != CRD_OK || !cell.is_present) return status;
    if ((cell.is_unseen && attribute->kind == CRD_KIND_CATEGORY) || attribute->kind == CRD_KIND_NONE) {
        char name[CRD_I_QUOTED_ROOM], value[CRD_I_QUOTED_ROOM];
        crd_i_quote(attribute->name, name);
        crd_i_fail(error, CRD_ERROR_COLUMN, "column '%s' never had the value '%s'", name,
                   crd_i_quote(given->text, value));
        crd_i_error_subject(error, attribute->name);
        return CRD_ERROR_COLUMN;
    }
    target_value->kind = attribute->kind;
    target_value->number = cell.number;
    if (attribute->kind == CRD_KIND_CATEGORY)
        target_value->text = crd_i_dictionary_text(attribute->values, (size_t)cell.code);
    if (attribute->kind != CRD_KIND_TEXT) return CRD_OK;
    char *copy = crd_i_alloc(sampler->context, given->text.length + 1, 1);
    if (copy == NULL) return crd_i_fail_memory(error);
    if (given->text.length > 0) memcpy(copy, given->text.bytes, given->text.length);
    sampler->columns[column].text = copy;
    target_value->text.bytes = copy;
    target_value->text.length = given->text.length;
    return CRD_OK;
}

/* Computes the cumulative sums of P(class | given). */
static crd_status weigh_classes(crd_sampler *sampler, crd_error *error) {
    size_t count = sampler->query->classifier->class_count;
    crd_answer answer;
    crd_value *given = crd_i_alloc(sampler->context, sampler->column_count, sizeof *given);
    sampler->classes = crd_i_alloc(sampler->context, count, sizeof *sampler->classes);
    if (given == NULL || sampler->classes == NULL) {
        crd_free(sampler->context, given);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < sampler->column_count; i++) given[i] = sampler->columns[i].given;
    crd_status status = crd_query_posterior(sampler->query, given, sampler->classes, &answer, error);
    crd_free(sampler->context, given);
    if (status != CRD_OK) return status;
    if (answer.decision < 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the given values have probability zero under every class");
    double sum = 0;
    for (size_t k = 0; k < count; k++) sampler->classes[k] = sum += crd_exp(sampler->classes[k]);
    return CRD_OK;
}

/* Returns P(value | class) of a categorical density. */
static double row_sampler_probability(const crd_i_density *density, size_t class_index, size_t value) {
    int32_t code = (int32_t)value;
    crd_i_cells cell = {.rows = 1, .codes = &code};
    crd_term term = CRD_TERM_INIT;
    density->family->term(density, &cell, class_index, &term);
    return crd_exp(term.log_value);
}

/* Prepares a column that will be drawn: a text sampler, or cumulative probabilities unless there are too many
 * values. */
static crd_status prepare_column(crd_sampler *sampler, const crd_model *model, size_t column, crd_error *error) {
    sampled_column *sampled = &sampler->columns[column];
    const crd_i_tally *tally = model->variables[column].tally;
    const crd_i_attribute *attribute = crd_i_query_attribute(sampler->query, column);
    const crd_i_density *density = attribute->density;
    sampled->is_empty = density == NULL || tally == NULL || crd_i_tally_is_empty(tally);
    if (sampled->is_empty || attribute->kind == CRD_KIND_NUMBER) return CRD_OK;
    if (attribute->kind == CRD_KIND_TEXT)
        return crd_i_text_sampler_create((const crd_i_term_density *)density, &sampled->words, error);
    size_t values = crd_i_dictionary_size(attribute->values), classes = density->conditions;
    if (!crd_i_counts_suit_array(tally, classes, values)) return CRD_OK;
    sampled->cumulative = crd_i_alloc(sampler->context, values * classes, sizeof *sampled->cumulative);
    if (sampled->cumulative == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classes; k++) {
        double sum = 0;
        for (size_t value = 0; value < values; value++)
            sampled->cumulative[k * values + value] = sum += row_sampler_probability(density, k, value);
    }
    return CRD_OK;
}

crd_status crd_sampler_create(const crd_model *model, const crd_settings *settings, const crd_value *given,
                              uint64_t seed, crd_sampler **out, crd_error *error) {
    *out = NULL;
    crd_sampler *sampler = crd_i_alloc_zeroed(model->context, 1, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->context = model->context;
    sampler->seed = seed;
    crd_status status = crd_query_create(model, settings, &sampler->query, error);
    if (status != CRD_OK) goto fail;
    size_t count = crd_query_column_count(sampler->query);
    sampler->columns = crd_i_alloc_zeroed(model->context, count, sizeof *sampler->columns);
    if (sampler->columns == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    sampler->column_count = count;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        bool is_given = given != NULL && given[i].kind != CRD_KIND_NONE;
        if (is_given) status = fix_column(sampler, i, &given[i], error);
        bool is_drawn = i != sampler->query->target && sampler->columns[i].given.kind == CRD_KIND_NONE;
        if (status == CRD_OK && is_drawn) status = prepare_column(sampler, model, i, error);
    }
    if (status == CRD_OK) status = weigh_classes(sampler, error);
    if (status != CRD_OK) goto fail;
    *out = sampler;
    return CRD_OK;

fail:
    crd_sampler_destroy(sampler);
    return status;
}

/* ---- What it is ---- */

size_t crd_sampler_column_count(const crd_sampler *sampler) {
    return sampler->column_count;
}

crd_text crd_sampler_column_name(const crd_sampler *sampler, size_t column) {
    return crd_query_column_name(sampler->query, column);
}

crd_kind crd_sampler_column_kind(const crd_sampler *sampler, size_t column) {
    return crd_query_column_kind(sampler->query, column);
}

size_t crd_sampler_target(const crd_sampler *sampler) {
    return crd_query_target(sampler->query);
}

/* ---- Drawing ---- */

static crd_i_random random_of(const crd_sampler *sampler, uint64_t row, uint64_t stretch) {
    crd_i_random random = crd_i_random_at(sampler->seed, row);
    random.place = stretch * STRETCH;
    return random;
}

/* Draws a value as crd_i_random_choice would draw it from cumulative probabilities, without storing them. Probabilities
 * are computed twice: once for their sum, and once for the draw. */
static size_t draw_value(const crd_i_density *density, size_t class_index, size_t values, crd_i_random *random) {
    double total = 0, sum = 0;
    size_t last = 0;
    for (size_t value = 0; value < values; value++) total += row_sampler_probability(density, class_index, value);
    double point = crd_i_random_uniform(random) * total;
    for (size_t value = 0; value < values; value++) {
        double before = sum;
        sum += row_sampler_probability(density, class_index, value);
        if (sum > point) return value;
        if (sum > before) last = value;
    }
    return last;
}

/* Draws the value of a column for a row of the given class. Returns the given value if there is one, and no value if
 * the column was always empty. */
static crd_value row_sampler_draw_cell(const crd_sampler *sampler, size_t column, size_t class_index,
                                       crd_i_random random) {
    const sampled_column *sampled = &sampler->columns[column];
    const crd_i_attribute *attribute = crd_i_query_attribute(sampler->query, column);
    if (sampled->given.kind != CRD_KIND_NONE || sampled->is_empty) return sampled->given;
    crd_value cell = {attribute->kind, 0, {NULL, 0}};
    if (attribute->kind == CRD_KIND_TEXT) {
        cell.kind = CRD_KIND_TEXT; /* crd_sampler_text draws the text */
    } else if (attribute->kind == CRD_KIND_NUMBER) {
        cell.number = attribute->density->family->draw(attribute->density, class_index, &random);
    } else {
        size_t values = crd_i_dictionary_size(attribute->values);
        size_t value = sampled->cumulative == NULL
                           ? draw_value(attribute->density, class_index, values, &random)
                           : crd_i_random_choice(&random, sampled->cumulative + class_index * values, values);
        cell.text = crd_i_dictionary_text(attribute->values, value);
    }
    return cell;
}

crd_i_random crd_i_sampler_random(const crd_sampler *sampler, uint64_t row) {
    return random_of(sampler, row, sampler->query->target);
}

void crd_i_sampler_draw_of_class(const crd_sampler *sampler, uint64_t row, size_t class_index, crd_value *values) {
    const crd_classifier *classifier = sampler->query->classifier;
    size_t target = sampler->query->target;
    for (size_t i = 0; i < sampler->column_count; i++)
        if (i != target) values[i] = row_sampler_draw_cell(sampler, i, class_index, random_of(sampler, row, i));
    const crd_value drawn = {CRD_KIND_CATEGORY, 0, crd_i_dictionary_text(classifier->classes, class_index)};
    values[target] = drawn;
}

static size_t row_sampler_draw_class(const crd_sampler *sampler, uint64_t row) {
    crd_i_random random = crd_i_sampler_random(sampler, row);
    return crd_i_random_choice(&random, sampler->classes, sampler->query->classifier->class_count);
}

void crd_sampler_draw(const crd_sampler *sampler, uint64_t row, crd_value *values) {
    crd_i_sampler_draw_of_class(sampler, row, row_sampler_draw_class(sampler, row), values);
}

crd_status crd_sampler_check(const crd_sampler *sampler, crd_error *error) {
    return crd_i_context_cancelled(sampler->context) ? crd_i_fail_cancelled(error) : CRD_OK;
}

crd_status crd_sampler_text(const crd_sampler *sampler, uint64_t row, size_t column, char **text, size_t *length,
                            crd_error *error) {
    *text = NULL;
    *length = 0;
    if (column >= sampler->column_count || crd_sampler_column_kind(sampler, column) != CRD_KIND_TEXT)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "column %zu is not a text column", column);
    const sampled_column *sampled = &sampler->columns[column];
    crd_i_buffer drawn = {.context = sampler->context};
    bool done = true;
    if (sampled->given.kind != CRD_KIND_NONE) {
        done = crd_i_buffer_append(&drawn, sampled->given.text.bytes, sampled->given.text.length);
    } else if (sampled->words != NULL) {
        crd_i_random random = crd_i_random_at(sampler->seed, row);
        random.place = (uint64_t)(column + 1) << FIRST_OF_TEXT;
        done = crd_i_text_sampler_draw(sampled->words, row_sampler_draw_class(sampler, row), &random, &drawn);
    }
    if (done) done = crd_i_buffer_append(&drawn, "", 1);
    if (!done) {
        crd_free(sampler->context, drawn.bytes);
        return crd_i_fail_memory(error);
    }
    *text = (char *)drawn.bytes;
    *length = drawn.length - 1;
    return CRD_OK;
}
