/* SPDX-License-Identifier: MIT */
/* model_summary.c - a sorted view of the counts of a model, for people and programs. It is a copy, so the model may
 * change. It contains the main tallies only. Extra tallies and joint tallies may be far larger, so it contains only
 * their names. */
#include "base/error.h"
#include "base/memory.h"
#include "model/column_family.h"
#include "model/merge.h"
#include "model/model_create.h"
#include "model/schema_view.h"
#include "stats/counts_rows.h"
#include "stats/terms.h"
#include "table/missing_values.h"
#include "table/read/column_selector.h"

#include <math.h>

struct crd_summary {
    crd_context *context;
    crd_model *model;
    crd_settings *settings; /* of the model passed by the caller; `model` may be a part of that model */
    crd_i_schema_view *view;
    size_t *columns; /* for each attribute, its column */
    size_t attribute_count, class_count;
    crd_moments **moments;     /* for each attribute, one per class; NULL except for numbers */
    crd_i_counts_rows *counts; /* one per attribute; empty except for categories */
    crd_i_term_store **terms;  /* one per attribute; NULL except for texts */
};

/* Computes the moments of a class from the exact sums. Undefined moments are NaN. */
static crd_status read_moments(const crd_i_tally *tally, size_t class_code, crd_moments *out, crd_error *error) {
    crd_moments result = {0, 0, 0, NAN, NAN, NAN};
    if (class_code < tally->conditions) {
        crd_i_moment_cell cell = crd_i_moments_cell(tally, class_code);
        crd_i_scaled variance;
        bool defined = true;
        result.rows = crd_i_sums_value(cell.n, class_code);
        result.sum = crd_i_sums_value(cell.s, class_code);
        result.sum_of_squares = crd_i_sums_value(cell.q, class_code);
        if (!crd_i_moments_mean(cell, &result.mean, NULL, &defined)) {
            if (defined) return crd_i_fail_memory(error);
            result.mean = NAN;
        }
        if (crd_i_moments_variance(cell, false, &variance, &defined)) result.variance = crd_i_scaled_value(variance);
        else if (defined) return crd_i_fail_memory(error);
        if (crd_i_moments_variance(cell, true, &variance, &defined))
            result.sample_variance = crd_i_scaled_value(variance);
        else if (defined) return crd_i_fail_memory(error);
    }
    *out = result;
    return CRD_OK;
}

static int32_t class_code(const crd_summary *summary, size_t class_index) {
    return summary->view->views[summary->model->schema->target].values[class_index];
}

static crd_status model_summary_read_attribute(crd_summary *summary, size_t i, crd_error *error) {
    const crd_i_tally *tally = summary->model->variables[summary->columns[i]].tally;
    summary->counts[i].context = summary->context;
    if (tally == NULL) return CRD_OK;
    if (tally->type->kind == CRD_KIND_CATEGORY) {
        const crd_i_view *view = &summary->view->views[summary->columns[i]];
        return crd_i_counts_rows_init(&summary->counts[i], tally, view) ? CRD_OK : crd_i_fail_memory(error);
    }
    if (tally->type->kind == CRD_KIND_TEXT)
        return crd_i_terms_store(tally, &summary->view->views[summary->columns[i]], &summary->terms[i], error);
    if (crd_summary_kind(summary, i) != CRD_KIND_NUMBER) return CRD_OK;
    summary->moments[i] = crd_i_alloc(summary->context, summary->class_count, sizeof *summary->moments[i]);
    if (summary->moments[i] == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t k = 0; status == CRD_OK && k < summary->class_count; k++)
        status = read_moments(tally, (size_t)class_code(summary, k), &summary->moments[i][k], error);
    return status;
}

static crd_status model_summary_fill(crd_summary *summary, const crd_model *model, crd_error *error) {
    crd_status status = crd_i_model_create_like(model, &summary->model, error);
    if (status == CRD_OK) status = crd_i_model_add_main(summary->model, model, error);
    for (size_t i = 0; status == CRD_OK && i < model->joint_tally_count; i++)
        summary->model->joint_tallies[i].joint_tally->is_given_up = model->joint_tallies[i].joint_tally->is_given_up;
    if (status == CRD_OK) status = crd_i_schema_view_create(summary->model, &summary->view, error);
    if (status != CRD_OK) return status;
    const crd_i_schema *schema = summary->model->schema;
    summary->class_count = summary->view->views[schema->target].value_count;
    summary->columns = crd_i_alloc(summary->context, schema->count, sizeof *summary->columns);
    summary->moments = crd_i_alloc_zeroed(summary->context, schema->count, sizeof *summary->moments);
    summary->counts = crd_i_alloc_zeroed(summary->context, schema->count, sizeof *summary->counts);
    summary->terms = crd_i_alloc_zeroed(summary->context, schema->count, sizeof *summary->terms);
    if (summary->columns == NULL || summary->moments == NULL || summary->counts == NULL || summary->terms == NULL)
        return crd_i_fail_memory(error);
    for (size_t column = 0; column < schema->count; column++)
        if (column != schema->target) summary->columns[summary->attribute_count++] = column;
    for (size_t i = 0; status == CRD_OK && i < summary->attribute_count; i++)
        status = model_summary_read_attribute(summary, i, error);
    return status;
}

crd_status crd_summary_create(const crd_model *model, crd_summary **out, crd_error *error) {
    *out = NULL;
    crd_summary *summary = crd_i_alloc_zeroed(model->context, 1, sizeof *summary);
    if (summary == NULL) return crd_i_fail_memory(error);
    summary->context = model->context;
    crd_status status = crd_i_settings_copy(model->context, model->settings, &summary->settings, error);
    if (status == CRD_OK) status = model_summary_fill(summary, crd_i_model_rows(model), error);
    if (status != CRD_OK) {
        crd_summary_destroy(summary);
        return status;
    }
    *out = summary;
    return CRD_OK;
}

void crd_summary_destroy(crd_summary *summary) {
    if (summary == NULL) return;
    for (size_t i = 0; summary->moments != NULL && i < summary->attribute_count; i++)
        crd_free(summary->context, summary->moments[i]);
    crd_free(summary->context, summary->moments);
    for (size_t i = 0; summary->counts != NULL && i < summary->attribute_count; i++)
        crd_i_counts_rows_clear(&summary->counts[i]);
    crd_free(summary->context, summary->counts);
    for (size_t i = 0; summary->terms != NULL && i < summary->attribute_count; i++)
        crd_i_term_store_release(summary->terms[i]);
    crd_free(summary->context, summary->terms);
    crd_free(summary->context, summary->columns);
    crd_i_schema_view_destroy(summary->view);
    crd_model_destroy(summary->model);
    crd_settings_destroy(summary->settings);
    crd_free(summary->context, summary);
}

/* ---- Access ---- */

static const crd_i_variable *variable_of(const crd_summary *summary, size_t attribute) {
    return &summary->model->variables[summary->columns[attribute]];
}

static const crd_i_view *model_summary_view(const crd_summary *summary, size_t attribute) {
    return &summary->view->views[summary->columns[attribute]];
}

crd_text crd_summary_target(const crd_summary *summary) {
    return crd_model_target(summary->model);
}

crd_text crd_summary_weight(const crd_summary *summary) {
    return crd_model_weight(summary->model);
}

/* Returns extra type number `tally` of those that the model stores; NULL: there are fewer. */
static const crd_i_tally_type *extra_type(const crd_summary *summary, size_t tally) {
    for (size_t i = 0; i < crd_i_extra_type_count(); i++)
        if ((summary->model->extras >> i & 1) != 0 && tally-- == 0) return crd_i_extra_type(i);
    return NULL;
}

size_t crd_summary_tally_count(const crd_summary *summary) {
    size_t count = 0;
    while (extra_type(summary, count) != NULL) count++;
    return count;
}

const char *crd_summary_tally(const crd_summary *summary, size_t tally) {
    const crd_i_tally_type *type = extra_type(summary, tally);
    return type == NULL ? "" : type->name;
}

size_t crd_summary_joint_tally_count(const crd_summary *summary) {
    return summary->model->joint_tally_count;
}

const char *crd_summary_joint_tally(const crd_summary *summary, size_t joint_tally) {
    return joint_tally < summary->model->joint_tally_count
               ? summary->model->joint_tallies[joint_tally].joint_tally->type->name
               : "";
}

int crd_summary_joint_tally_is_given_up(const crd_summary *summary, size_t joint_tally) {
    return joint_tally < summary->model->joint_tally_count &&
           summary->model->joint_tallies[joint_tally].joint_tally->is_given_up;
}

size_t crd_summary_joint_tally_size(const crd_summary *summary, size_t joint_tally) {
    const crd_i_model_joint_tally *kept = &summary->model->joint_tallies[joint_tally];
    return kept->covers_all ? 0 : kept->joint_tally->column_count;
}

size_t crd_summary_joint_tally_attribute(const crd_summary *summary, size_t joint_tally, size_t place) {
    size_t column = summary->model->joint_tallies[joint_tally].columns[place];
    return column < summary->model->schema->target ? column : column - 1;
}

double crd_summary_rows(const crd_summary *summary) {
    return crd_i_tally_total(crd_i_model_target(summary->model)->tally, 0);
}

size_t crd_summary_class_count(const crd_summary *summary) {
    return summary->class_count;
}

crd_text crd_summary_class(const crd_summary *summary, size_t class_index) {
    return crd_i_dictionary_text(crd_i_model_target(summary->model)->values, (size_t)class_code(summary, class_index));
}

double crd_summary_class_rows(const crd_summary *summary, size_t class_index) {
    return crd_i_model_class_rows(summary->model, (size_t)class_code(summary, class_index));
}

size_t crd_summary_missing_count(const crd_summary *summary) {
    return summary->model->schema->missing_count;
}

crd_text crd_summary_missing(const crd_summary *summary, size_t index) {
    return summary->model->schema->missing[index];
}

int crd_summary_is_missing(const crd_summary *summary, crd_text text) {
    const crd_i_schema *schema = summary->model->schema;
    crd_text spelling = schema->missing_any_case ? crd_i_missing_spelling(text) : text;
    bool is = false;
    for (size_t i = 0; i < schema->missing_count && !is; i++)
        is = crd_text_equal(schema->missing[i], text) || crd_text_equal(schema->missing[i], spelling);
    return is;
}

size_t crd_summary_attribute_count(const crd_summary *summary) {
    return summary->attribute_count;
}

crd_text crd_summary_attribute(const crd_summary *summary, size_t attribute) {
    return summary->model->schema->columns[summary->columns[attribute]].name;
}

static crd_text model_summary_name_of_attribute(const void *summary, size_t attribute) {
    return crd_summary_attribute(summary, attribute);
}

static size_t model_summary_find_attribute(const void *owner, crd_text name) {
    const crd_summary *summary = owner;
    for (size_t i = 0; i < summary->attribute_count; i++)
        if (crd_text_equal(crd_summary_attribute(summary, i), name)) return i;
    return SIZE_MAX;
}

crd_status crd_summary_select(const crd_summary *summary, crd_text selector, size_t *attributes, size_t *count,
                              crd_error *error) {
    crd_i_names names = {"attribute", summary, summary->attribute_count, model_summary_name_of_attribute,
                         model_summary_find_attribute};
    *count = 0;
    if (names.count == 0) return crd_i_fail(error, CRD_ERROR_COLUMN, "the model has no attributes");
    return crd_i_select(&names, selector, attributes, count, error);
}

crd_kind crd_summary_kind(const crd_summary *summary, size_t attribute) {
    return crd_i_model_column_kind(summary->model, summary->columns[attribute]);
}

const char *crd_summary_family(const crd_summary *summary, size_t attribute) {
    const crd_i_family *family = crd_i_column_family_family(
        summary->settings, crd_summary_attribute(summary, attribute), crd_summary_kind(summary, attribute));
    return family == NULL ? "" : family->name;
}

double crd_summary_present(const crd_summary *summary, size_t attribute, size_t class_index) {
    const crd_i_tally *tally = variable_of(summary, attribute)->tally;
    return tally == NULL ? 0 : crd_i_tally_total(tally, (size_t)class_code(summary, class_index));
}

size_t crd_summary_value_count(const crd_summary *summary, size_t attribute) {
    return model_summary_view(summary, attribute)->value_count;
}

crd_text crd_summary_value(const crd_summary *summary, size_t attribute, size_t value) {
    return crd_i_dictionary_text(variable_of(summary, attribute)->values,
                                 (size_t)model_summary_view(summary, attribute)->values[value]);
}

double crd_summary_count(const crd_summary *summary, size_t attribute, size_t value, size_t class_index) {
    return crd_i_counts_rows_value(&summary->counts[attribute], value, class_index);
}

double crd_summary_value_rows(const crd_summary *summary, size_t attribute, size_t value) {
    return crd_i_counts_rows_total(&summary->counts[attribute], value);
}

size_t crd_summary_value_classes(const crd_summary *summary, size_t attribute, size_t value, const uint32_t **classes) {
    const crd_i_counts_rows *rows = &summary->counts[attribute];
    *classes = rows->conditions + rows->begins[value];
    return rows->begins[value + 1] - rows->begins[value];
}

uint64_t crd_summary_term_count(const crd_summary *summary, size_t attribute) {
    return summary->terms[attribute] == NULL ? 0 : crd_i_term_store_terms(summary->terms[attribute]);
}

uint64_t crd_summary_class_terms(const crd_summary *summary, size_t attribute, size_t class_index) {
    return summary->terms[attribute] == NULL ? 0 : crd_i_term_store_distinct(summary->terms[attribute], class_index);
}

double crd_summary_occurrences(const crd_summary *summary, size_t attribute, size_t class_index) {
    return summary->terms[attribute] == NULL ? 0 : crd_i_term_store_occurrences(summary->terms[attribute], class_index);
}

crd_moments crd_summary_moments(const crd_summary *summary, size_t attribute, size_t class_index) {
    const crd_moments none = {0, 0, 0, NAN, NAN, NAN};
    return summary->moments[attribute] == NULL ? none : summary->moments[attribute][class_index];
}

crd_moments crd_summary_column_moments(const crd_summary *summary, size_t attribute) {
    crd_moments all = {0, 0, 0, NAN, NAN, NAN};
    double sum = 0, squares = 0;
    size_t classes = crd_summary_class_count(summary);
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (!(source_moments.rows > 0)) continue;
        all.rows += source_moments.rows;
        all.sum += source_moments.sum;
        all.sum_of_squares += source_moments.sum_of_squares;
        sum += source_moments.rows * source_moments.mean;
    }
    if (!(all.rows > 0)) return all;
    all.mean = sum / all.rows;
    /* Total sum of squares: within classes plus between classes. */
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (source_moments.rows > 0)
            squares += source_moments.rows *
                       (source_moments.variance + (source_moments.mean - all.mean) * (source_moments.mean - all.mean));
    }
    all.variance = squares / all.rows;
    if (all.rows > 1) all.sample_variance = squares / (all.rows - 1);
    return all;
}

crd_status crd_summary_exact(const crd_summary *summary, size_t attribute, size_t class_index, int power, char **out,
                             crd_error *error) {
    *out = NULL;
    const crd_i_tally *tally = variable_of(summary, attribute)->tally;
    if (power < 1 || power > 2 || crd_summary_kind(summary, attribute) != CRD_KIND_NUMBER)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "only numbers have a sum (power 1) and a sum of squares (power 2)");
    crd_i_sums zero;
    crd_i_sums_init(&zero, summary->context);
    if (!crd_i_sums_extend(&zero, 1)) return crd_i_fail_memory(error);
    crd_i_moment_cell cell = {&zero, &zero, &zero, 0};
    size_t code = (size_t)class_code(summary, class_index);
    if (tally != NULL && code < tally->conditions) cell = crd_i_moments_cell(tally, code);
    *out = crd_i_sums_text(power == 1 ? cell.s : cell.q, cell.cell);
    crd_i_sums_clear(&zero);
    return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
}
