/* SPDX-License-Identifier: MIT */
/* json_export.c - exports a model as JSON: the sufficient statistics, the settings, and the classifier that follows
 * from both (json_classifier.c). */
#include "export/json_classifier.h"

#include "base/error.h"
#include "model/model_kind.h"

#include <credence/network.h>

/* Writes the counts of each value: one per class or, without a target, a single count. */
static void json_export_write_counts(crd_i_json_text *json, const crd_summary *summary, size_t attribute) {
    bool has_target = crd_summary_target(summary).bytes != NULL;
    crd_i_json_member_open(json, "values", '[');
    for (size_t i = 0; i < crd_summary_value_count(summary, attribute); i++) {
        crd_i_json_open(json, '{');
        crd_i_json_member_text(json, "value", crd_summary_value(summary, attribute, i));
        if (has_target) {
            crd_i_json_member_open(json, "counts", '{');
            for (size_t k = 0; k < crd_summary_class_count(summary); k++) {
                crd_i_json_key(json, crd_summary_class(summary, k));
                crd_i_json_number(json, crd_summary_count(summary, attribute, i, k));
            }
            crd_i_json_close(json, '}');
        } else {
            double rows = crd_summary_class_count(summary) == 0 ? 0 : crd_summary_count(summary, attribute, i, 0);
            crd_i_json_member_number(json, "count", rows);
        }
        crd_i_json_close(json, '}');
    }
    crd_i_json_close(json, ']');
}

/* Writes the exact sum (power 1) or sum of squares (power 2) of a number in a class, as a decimal text. */
static crd_status write_exact(const crd_i_exported *exported, crd_i_json_text *json, const char *key, size_t attribute,
                              size_t class_index, int power, crd_error *error) {
    char *text = NULL;
    crd_status status = crd_summary_exact(exported->summary, attribute, class_index, power, &text, error);
    if (status != CRD_OK) return status;
    crd_i_json_member_text(json, key, crd_text_of(text));
    crd_free(exported->model->context, text);
    return CRD_OK;
}

/* Writes the moments of a numeric attribute in every class. */
static crd_status write_moments(const crd_i_exported *exported, crd_i_json_text *json, size_t attribute,
                                crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_json_member_open(json, "moments", '[');
    for (size_t k = 0; k < crd_summary_class_count(exported->summary) && status == CRD_OK; k++) {
        crd_moments moments = crd_summary_moments(exported->summary, attribute, k);
        crd_i_json_open(json, '{');
        crd_i_json_member_text(json, "class", crd_summary_class(exported->summary, k));
        crd_i_json_member_number(json, "n", moments.rows);
        crd_i_json_member_number(json, "sum", moments.sum);
        crd_i_json_member_number(json, "sum_of_squares", moments.sum_of_squares);
        status = write_exact(exported, json, "exact_sum", attribute, k, 1, error);
        if (status == CRD_OK) status = write_exact(exported, json, "exact_sum_of_squares", attribute, k, 2, error);
        crd_i_json_member_number(json, "mean", moments.mean);
        crd_i_json_member_number(json, "variance", moments.variance);
        crd_i_json_member_number(json, "sample_variance", moments.sample_variance);
        crd_i_json_close(json, '}');
    }
    crd_i_json_close(json, ']');
    return status;
}

/* Writes how cells of a column become values, unless they are used unchanged: the cut points of a discretized number,
 * the column format, and the field that they come from if its name differs from the column's. */
static void write_form(const crd_model *model, crd_i_json_text *json, crd_text name) {
    size_t column = crd_i_schema_find(model->schema, name);
    if (column == SIZE_MAX) return;
    const crd_i_schema_column *schema_column = &model->schema->columns[column];
    if (schema_column->intervals.cuts != NULL)
        crd_i_json_member_numbers(json, "cuts", schema_column->intervals.cuts, schema_column->intervals.cut_count);
    if (crd_i_form_is_plain(schema_column->form)) return;
    bool is_part = schema_column->form.part != CRD_I_PART_WHOLE;
    const crd_i_form whole = {schema_column->form.reading, is_part ? CRD_I_PARTS_DATE : CRD_I_PART_WHOLE};
    crd_i_json_member_text(json, "form", crd_i_form_name(whole));
    if (is_part) crd_i_json_member_text(json, "part", crd_text_of(crd_i_part_suffix(schema_column->form.part)));
    if (schema_column->field.bytes != NULL) crd_i_json_member_text(json, "field", schema_column->field);
}

static crd_status json_export_write_attribute(const crd_i_exported *exported, crd_i_json_text *json, size_t attribute,
                                              crd_error *error) {
    crd_kind kind = crd_summary_kind(exported->summary, attribute);
    crd_status status = CRD_OK;
    crd_i_json_open(json, '{');
    crd_i_json_member_text(json, "attribute", crd_summary_attribute(exported->summary, attribute));
    crd_i_json_member_text(json, "kind", crd_text_of(crd_i_json_kind_name(kind)));
    write_form(exported->model, json, crd_summary_attribute(exported->summary, attribute));
    crd_i_json_member_text(json, "family", crd_text_of(crd_summary_family(exported->summary, attribute)));
    if (kind == CRD_KIND_CATEGORY) json_export_write_counts(json, exported->summary, attribute);
    if (kind == CRD_KIND_NUMBER) status = write_moments(exported, json, attribute, error);
    crd_i_json_close(json, '}');
    return status;
}

/* Writes the classes and their row counts. */
static void json_export_write_classes(crd_i_json_text *json, const crd_summary *summary) {
    crd_i_json_member_open(json, "classes", '[');
    for (size_t k = 0; k < crd_summary_class_count(summary); k++) {
        crd_i_json_open(json, '{');
        crd_i_json_member_text(json, "class", crd_summary_class(summary, k));
        crd_i_json_member_number(json, "rows", crd_summary_class_rows(summary, k));
        crd_i_json_close(json, '}');
    }
    crd_i_json_close(json, ']');
}

/* Writes the sufficient statistics. Not called for models that were combined from other models or that contain a
 * user-specified network: they have no counts. */
static crd_status write_counted(const crd_i_exported *exported, crd_i_json_text *json, crd_error *error) {
    crd_status status = CRD_OK;
    if (crd_summary_target(exported->summary).bytes != NULL) json_export_write_classes(json, exported->summary);
    crd_i_json_member_open(json, "attributes", '[');
    for (size_t i = 0; i < crd_summary_attribute_count(exported->summary) && status == CRD_OK; i++)
        status = json_export_write_attribute(exported, json, i, error);
    crd_i_json_close(json, ']');
    return status;
}

/* Writes the network of a model without a target, which has no classifier. */
static crd_status write_network(const crd_i_exported *exported, crd_i_json_text *json, crd_error *error) {
    crd_network *network = NULL;
    crd_status status = crd_network_from_model(exported->model, NULL, &network, error);
    if (status == CRD_OK) crd_i_json_write_network(json, network);
    crd_network_destroy(network);
    return status;
}

crd_status crd_i_export_json(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    crd_i_json_text json = {.writer = writer};
    crd_text target = crd_summary_target(exported->summary), weight = crd_summary_weight(exported->summary);
    bool is_counted = exported->model->kind->tag == NULL;
    crd_status status = CRD_OK;
    crd_i_json_open(&json, '{');
    crd_i_json_member_text(&json, "credence", crd_text_of(crd_version()));
    if (target.bytes != NULL) crd_i_json_member_text(&json, "target", target);
    if (weight.bytes != NULL) crd_i_json_member_text(&json, "weight", weight);
    if (is_counted) crd_i_json_member_number(&json, "rows", crd_summary_rows(exported->summary));
    crd_i_json_write_settings(&json, exported->classifier == NULL ? crd_model_settings(exported->model)
                                                                  : exported->classifier->settings);
    if (is_counted) status = write_counted(exported, &json, error);
    if (status == CRD_OK && exported->classifier != NULL) {
        crd_i_json_key(&json, crd_text_of("classifier"));
        status = crd_i_json_write_classifier(&json, exported->classifier, error);
    }
    if (status == CRD_OK && target.bytes == NULL && crd_model_is_network(exported->model) &&
        crd_summary_rows(exported->summary) > 0)
        status = write_network(exported, &json, error);
    crd_i_json_close(&json, '}');
    crd_i_json_end_line(&json);
    return status;
}
