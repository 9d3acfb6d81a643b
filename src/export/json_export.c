/* SPDX-License-Identifier: MIT */
/* json_export.c - exports a model as JSON: the sufficient statistics, the settings, and the classifier that follows
 * from both.
 *
 * Contents:
 *   1. Parameters
 *   2. Classifiers
 *   3. Models */
#include "export/export_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "classify/joint_scorer.h"
#include "model/model_internal.h"
#include "model/model_parts.h"

#include <credence/network.h>
#include <math.h>

/* Writes a classifier as an object. The members of an ensemble are nested in it. */
static CRD_MUST_USE crd_status json_write_classifier(crd_json_writer *json, const crd_classifier *classifier,
                                                     crd_error *error);

/* ======== 1. Parameters ======== */

/* Writes an array of numbers on one line. */
static void json_write_numbers(crd_json_writer *json, const double *numbers, size_t count) {
    crd_json_writer_begin_short(json, '[');
    for (size_t i = 0; i < count; i++) crd_json_writer_number(json, numbers[i]);
    crd_json_writer_end_short(json, ']');
}

/* Writes a key and an array of numbers. */
static void json_member_numbers(crd_json_writer *json, const char *key, const double *numbers, size_t count) {
    crd_json_writer_key(json, crd_text_of(key));
    json_write_numbers(json, numbers, count);
}

/* Writes a key and an object of parameter arrays: a number, a list, or a list of rows for each name. */
static void json_member_parameters(crd_json_writer *json, const char *key, const crd_i_parameter_list *list) {
    crd_json_writer_member_begin(json, key, '{');
    for (size_t i = 0; i < list->count; i++) {
        const crd_i_parameter_array *array = &list->arrays[i];
        if (array->dimensions == 0) crd_json_writer_member_number(json, array->name, array->numbers[0]);
        if (array->dimensions == 1) json_member_numbers(json, array->name, array->numbers, array->rows);
        if (array->dimensions < 2) continue;
        crd_json_writer_member_begin(json, array->name, '[');
        for (size_t row = 0; row < array->rows; row++)
            json_write_numbers(json, array->numbers + row * array->columns, array->columns);
        crd_json_writer_end(json, ']');
    }
    crd_json_writer_end(json, '}');
}

/* ======== 2. Classifiers ========
 *
 * Exports every parameter that the posteriors are computed from. docs/export.md describes the keys and the formulas. */

static void json_write_settings(crd_json_writer *json, const crd_settings *settings) {
    crd_json_writer_member_begin(json, "settings", '{');
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        crd_json_writer_member_text(json, name, crd_text_of(value == NULL ? "" : value));
    }
    crd_json_writer_end(json, '}');
}

/* ---- Attributes ---- */

static void write_texts(crd_json_writer *json, const char *key, const crd_i_dictionary *texts) {
    crd_json_writer_member_begin(json, key, '[');
    for (size_t i = 0; i < crd_i_dictionary_size(texts); i++)
        crd_json_writer_text(json, crd_i_dictionary_text(texts, i));
    crd_json_writer_end(json, ']');
}

/* Writes an attribute and, if it counts, its family, its weight and its parameters. */
static crd_status json_classifier_write_attribute(crd_json_writer *json, const crd_classifier *classifier, size_t i,
                                                  crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_status status = CRD_OK;
    crd_json_writer_begin(json, '{');
    crd_json_writer_member_text(json, "attribute", attribute->name);
    crd_json_writer_member_text(json, "type", crd_text_of(crd_column_type_name(attribute->type)));
    if (attribute->values != NULL) write_texts(json, "values", attribute->values);
    if (crd_i_attribute_counts(attribute)) {
        crd_i_parameter_list list = {.context = classifier->context};
        crd_json_writer_member_text(json, "family", crd_text_of(attribute->family->name));
        crd_json_writer_member_number(json, "weight", crd_i_scorer_weight(classifier->scorer, i));
        if (attribute->family->list_parameters(attribute->density, &list))
            json_member_parameters(json, "parameters", &list);
        else status = crd_i_fail_memory(error);
        crd_i_parameter_list_clear(&list);
    }
    crd_json_writer_end(json, '}');
    return status;
}

/* ---- Joint densities, pairs and networks ---- */

/* Writes a joint density: its name, its attributes and its parameters. */
static crd_status json_classifier_write_block(crd_json_writer *json, const crd_classifier *classifier,
                                              const crd_i_joint_block *block, crd_error *error) {
    const crd_i_joint *joint = block->joint;
    crd_i_parameter_list list = {.context = classifier->context};
    crd_status status = CRD_OK;
    crd_json_writer_begin(json, '{');
    crd_json_writer_member_text(json, "density", crd_text_of(joint->type->name));
    crd_json_writer_member_begin(json, "attributes", '[');
    for (size_t i = 0; i < joint->column_count; i++)
        crd_json_writer_text(json, classifier->attributes[block->attributes[i]].name);
    crd_json_writer_end(json, ']');
    if (joint->type->list_parameters(joint, &list)) json_member_parameters(json, "parameters", &list);
    else status = crd_i_fail_memory(error);
    crd_i_parameter_list_clear(&list);
    crd_json_writer_end(json, '}');
    return status;
}

/* Writes a node of a Bayesian network: type, states, parents and conditional probability table. */
static void write_node(crd_json_writer *json, const crd_network *network, size_t node) {
    static const char *const kinds[] = {[CRD_NODE_CHANCE] = "chance",
                                        [CRD_NODE_DECISION] = "decision",
                                        [CRD_NODE_UTILITY] = "utility",
                                        [CRD_NODE_GAUSSIAN] = "gaussian"};
    size_t rows = 0, states = crd_network_state_count(network, node);
    const double *cells = crd_network_cpt(network, node, &rows);
    crd_json_writer_begin(json, '{');
    crd_json_writer_member_text(json, "node", crd_network_node_name(network, node));
    crd_json_writer_member_text(json, "kind", crd_text_of(kinds[crd_network_node_kind(network, node)]));
    crd_json_writer_member_begin(json, "states", '[');
    for (size_t i = 0; i < states; i++) crd_json_writer_text(json, crd_network_state(network, node, i));
    crd_json_writer_end(json, ']');
    crd_json_writer_member_begin(json, "parents", '[');
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++)
        crd_json_writer_text(json, crd_network_node_name(network, crd_network_parent(network, node, i)));
    crd_json_writer_end(json, ']');
    json_member_numbers(json, "table", cells, cells == NULL ? 0 : rows * crd_network_cpt_width(network, node));
    crd_json_writer_end(json, '}');
}

/* Writes the member "network": an array of nodes with their conditional probability tables. */
static void json_write_network(crd_json_writer *json, const crd_network *network) {
    crd_json_writer_member_begin(json, "network", '[');
    for (size_t i = 0; i < crd_network_node_count(network); i++) write_node(json, network, i);
    crd_json_writer_end(json, ']');
}

/* Writes the member "trees": the attributes, and the parameters of all trees. */
static crd_status write_trees(crd_json_writer *json, const crd_classifier *classifier, const crd_i_scorer *scorer,
                              crd_error *error) {
    const crd_i_scorer_joints *joints = scorer->type->joints;
    crd_i_parameter_list list = {.context = classifier->context};
    size_t *attributes = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *attributes);
    crd_status status =
        attributes == NULL ? crd_i_fail_memory(error) : joints->attributes(scorer, classifier, 0, attributes, error);
    if (status == CRD_OK && !joints->tree_parameters(scorer, &list)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        crd_json_writer_member_begin(json, "trees", '{');
        crd_json_writer_member_begin(json, "attributes", '[');
        for (size_t i = 0; i < crd_i_parameter_list_find(&list, "values")->rows; i++)
            crd_json_writer_text(json, classifier->attributes[attributes[i]].name);
        crd_json_writer_end(json, ']');
        json_member_parameters(json, "parameters", &list);
        crd_json_writer_end(json, '}');
    }
    crd_i_parameter_list_clear(&list);
    crd_free(classifier->context, attributes);
    return status;
}

static crd_status write_joints(crd_json_writer *json, const crd_classifier *classifier, const crd_i_scorer *scorer,
                               crd_error *error) {
    const crd_i_scorer_joints *joints = scorer->type->joints;
    crd_status status = CRD_OK;
    if (joints->network != NULL) {
        json_write_network(json, joints->network(scorer));
        return CRD_OK;
    }
    if (joints->tree_parameters != NULL) return write_trees(json, classifier, scorer, error);
    crd_json_writer_member_begin(json, "joints", '[');
    for (size_t i = 0; i < joints->count(scorer) && status == CRD_OK; i++)
        status = json_classifier_write_block(json, classifier, joints->block(scorer, i), error);
    crd_json_writer_end(json, ']');
    return status;
}

/* Writes the pairwise log-linear model: the weight of each pair, and the terms of all pairs. */
static crd_status write_pairs(crd_json_writer *json, const crd_classifier *classifier, const crd_i_scorer *scorer,
                              crd_error *error) {
    const crd_i_scorer_pairs *pairs = scorer->type->pairs;
    crd_json_writer_member_begin(json, "pairs", '[');
    for (size_t i = 0; i < pairs->count(scorer); i++) {
        crd_pair pair = CRD_PAIR_INIT;
        pairs->describe(scorer, i, &pair);
        crd_json_writer_begin(json, '{');
        crd_json_writer_member_text(json, "first", classifier->attributes[pair.attributes[0]].name);
        crd_json_writer_member_text(json, "second", classifier->attributes[pair.attributes[1]].name);
        crd_json_writer_member_number(json, "weight", pair.exponent);
        crd_json_writer_end(json, '}');
    }
    crd_json_writer_end(json, ']');
    crd_json_writer_key(json, crd_text_of("pair_terms"));
    return json_classifier_write_block(json, classifier, pairs->block(scorer), error);
}

/* ---- Ensembles and calibration ---- */

/* Writes an ensemble: its rule and its members, each with its weight, settings and classifier. */
static crd_status json_classifier_write_members(crd_json_writer *json, const crd_classifier *classifier,
                                                const crd_i_scorer *scorer, crd_error *error) {
    const crd_i_scorer_members *members = scorer->type->members;
    crd_status status = CRD_OK;
    crd_json_writer_member_begin(json, "ensemble", '{');
    crd_json_writer_member_text(json, "rule", crd_text_of(members->rule(scorer)));
    crd_json_writer_member_begin(json, "log_factors", '[');
    for (size_t k = 0; k < classifier->class_count; k++) crd_json_writer_number(json, members->log_factor(scorer, k));
    crd_json_writer_end(json, ']');
    crd_json_writer_member_begin(json, "members", '[');
    for (size_t i = 0; i < members->count(scorer) && status == CRD_OK; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        members->describe(scorer, i, &member);
        crd_json_writer_begin(json, '{');
        crd_json_writer_member_number(json, "weight", member.weight);
        json_write_settings(json, member.classifier->settings);
        crd_json_writer_key(json, crd_text_of("classifier"));
        status = json_write_classifier(json, member.classifier, error);
        crd_json_writer_end(json, '}');
    }
    crd_json_writer_end(json, ']');
    crd_json_writer_end(json, '}');
    return status;
}

static crd_status write_calibration(crd_json_writer *json, const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    crd_i_parameter_list list = {.context = classifier->context};
    crd_status status = CRD_OK;
    correction->describe(classifier->scorer, &calibration);
    crd_json_writer_member_begin(json, "calibration", '{');
    crd_json_writer_member_text(json, "rule", crd_text_of(calibration.rule));
    if (correction->list_parameters(classifier->scorer, &list)) json_member_parameters(json, "parameters", &list);
    else status = crd_i_fail_memory(error);
    crd_i_parameter_list_clear(&list);
    crd_json_writer_end(json, '}');
    return status;
}

static crd_status json_write_classifier(crd_json_writer *json, const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    crd_status status = CRD_OK;
    crd_json_writer_begin(json, '{');
    crd_json_writer_member_text(json, "scorer", crd_text_of(scorer->type->name));
    write_texts(json, "classes", classifier->classes);
    json_member_numbers(json, "log_priors", classifier->log_priors, classifier->class_count);
    crd_json_writer_member_begin(json, "attributes", '[');
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++)
        status = json_classifier_write_attribute(json, classifier, i, error);
    crd_json_writer_end(json, ']');
    if (status == CRD_OK && scorer->type->joints != NULL) status = write_joints(json, classifier, scorer, error);
    if (status == CRD_OK && scorer->type->pairs != NULL && scorer->type->pairs->block != NULL)
        status = write_pairs(json, classifier, scorer, error);
    if (status == CRD_OK && scorer->type->members != NULL)
        status = json_classifier_write_members(json, classifier, scorer, error);
    if (status == CRD_OK && scorer != classifier->scorer) status = write_calibration(json, classifier, error);
    crd_json_writer_end(json, '}');
    return status;
}

/* ======== 3. Models ======== */

/* Writes the counts of each value: one per class or, without a target, a single count. */
static void json_export_write_counts(crd_json_writer *json, const crd_summary *summary, size_t attribute) {
    bool has_target = summary->target.bytes != NULL;
    crd_json_writer_member_begin(json, "values", '[');
    for (size_t i = 0; i < summary->attributes[attribute].value_count; i++) {
        crd_json_writer_begin(json, '{');
        crd_json_writer_member_text(json, "value", crd_summary_value(summary, attribute, i));
        if (has_target) {
            crd_json_writer_member_begin(json, "counts", '{');
            for (size_t k = 0; k < summary->class_count; k++) {
                crd_json_writer_key(json, summary->classes[k].name);
                crd_json_writer_number(json, crd_summary_count(summary, attribute, i, k));
            }
            crd_json_writer_end(json, '}');
        } else {
            double rows = summary->class_count == 0 ? 0 : crd_summary_count(summary, attribute, i, 0);
            crd_json_writer_member_number(json, "count", rows);
        }
        crd_json_writer_end(json, '}');
    }
    crd_json_writer_end(json, ']');
}

/* Writes the exact sum (power 1) or sum of squares (power 2) of a number in a class, as a decimal text. */
static crd_status write_exact(const crd_i_exported *exported, crd_json_writer *json, const char *key, size_t attribute,
                              size_t class_index, int power, crd_error *error) {
    char *text = NULL;
    crd_status status = crd_i_summary_exact(exported->summary, attribute, class_index, power, &text, error);
    if (status != CRD_OK) return status;
    crd_json_writer_member_text(json, key, crd_text_of(text));
    crd_free(exported->model->context, text);
    return CRD_OK;
}

/* Writes the moments of a numeric attribute in every class. */
static crd_status write_moments(const crd_i_exported *exported, crd_json_writer *json, size_t attribute,
                                crd_error *error) {
    crd_status status = CRD_OK;
    crd_json_writer_member_begin(json, "moments", '[');
    for (size_t k = 0; k < exported->summary->class_count && status == CRD_OK; k++) {
        crd_moments moments = crd_summary_moments(exported->summary, attribute, k);
        crd_json_writer_begin(json, '{');
        crd_json_writer_member_text(json, "class", exported->summary->classes[k].name);
        crd_json_writer_member_number(json, "n", moments.rows);
        crd_json_writer_member_number(json, "sum", moments.sum);
        crd_json_writer_member_number(json, "sum_of_squares", moments.sum_of_squares);
        status = write_exact(exported, json, "exact_sum", attribute, k, 1, error);
        if (status == CRD_OK) status = write_exact(exported, json, "exact_sum_of_squares", attribute, k, 2, error);
        crd_json_writer_member_number(json, "mean", moments.mean);
        crd_json_writer_member_number(json, "variance", moments.variance);
        crd_json_writer_member_number(json, "sample_variance", moments.sample_variance);
        crd_json_writer_end(json, '}');
    }
    crd_json_writer_end(json, ']');
    return status;
}

/* Writes how cells of a column become values, unless they are used unchanged: the cut points of a discretized number,
 * the column format, and the field that they come from if its name differs from the column's. */
static void write_format(const crd_model *model, crd_json_writer *json, crd_text name) {
    size_t column = crd_i_schema_find(model->schema, name);
    if (column == SIZE_MAX) return;
    const crd_i_schema_column *schema_column = &model->schema->columns[column];
    if (schema_column->intervals.cuts != NULL)
        json_member_numbers(json, "cuts", schema_column->intervals.cuts, schema_column->intervals.cut_count);
    if (crd_i_column_format_is_plain(schema_column->format)) return;
    bool is_part = schema_column->format.part != CRD_I_PART_WHOLE;
    const crd_i_column_format whole = {schema_column->format.reading, is_part ? CRD_I_PARTS_DATE : CRD_I_PART_WHOLE};
    crd_json_writer_member_text(json, "format", crd_i_column_format_name(whole));
    if (is_part) crd_json_writer_member_text(json, "part", crd_text_of(crd_i_part_suffix(schema_column->format.part)));
    if (schema_column->field.bytes != NULL) crd_json_writer_member_text(json, "field", schema_column->field);
}

static crd_status json_export_write_attribute(const crd_i_exported *exported, crd_json_writer *json, size_t attribute,
                                              crd_error *error) {
    crd_column_type type = exported->summary->attributes[attribute].type;
    crd_status status = CRD_OK;
    crd_json_writer_begin(json, '{');
    crd_json_writer_member_text(json, "attribute", exported->summary->attributes[attribute].name);
    crd_json_writer_member_text(json, "type", crd_text_of(crd_column_type_name(type)));
    write_format(exported->model, json, exported->summary->attributes[attribute].name);
    crd_json_writer_member_text(json, "family", crd_text_of(exported->summary->attributes[attribute].family));
    if (type == CRD_TYPE_CATEGORICAL) json_export_write_counts(json, exported->summary, attribute);
    if (type == CRD_TYPE_NUMERIC) status = write_moments(exported, json, attribute, error);
    crd_json_writer_end(json, '}');
    return status;
}

/* Writes the classes and their row counts. */
static void json_export_write_classes(crd_json_writer *json, const crd_summary *summary) {
    crd_json_writer_member_begin(json, "classes", '[');
    for (size_t k = 0; k < summary->class_count; k++) {
        crd_json_writer_begin(json, '{');
        crd_json_writer_member_text(json, "class", summary->classes[k].name);
        crd_json_writer_member_number(json, "rows", summary->classes[k].rows);
        crd_json_writer_end(json, '}');
    }
    crd_json_writer_end(json, ']');
}

/* Writes the sufficient statistics. Not called for models that were combined from other models or that contain a
 * user-specified network: they have no counts. */
static crd_status write_counted(const crd_i_exported *exported, crd_json_writer *json, crd_error *error) {
    crd_status status = CRD_OK;
    if (exported->summary->target.bytes != NULL) json_export_write_classes(json, exported->summary);
    crd_json_writer_member_begin(json, "attributes", '[');
    for (size_t i = 0; i < exported->summary->attribute_count && status == CRD_OK; i++)
        status = json_export_write_attribute(exported, json, i, error);
    crd_json_writer_end(json, ']');
    return status;
}

/* Writes the network of a model without a target, which has no classifier. */
static crd_status write_network(const crd_i_exported *exported, crd_json_writer *json, crd_error *error) {
    crd_network *network = NULL;
    crd_status status = crd_network_from_model(exported->model, NULL, &network, error);
    if (status == CRD_OK) json_write_network(json, network);
    crd_network_destroy(network);
    return status;
}

crd_status crd_i_export_json(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    crd_json_writer json = {.write = crd_i_export_json_bytes, .user = writer};
    crd_text target = exported->summary->target, weight = exported->summary->weight;
    bool is_counted = exported->model->kind->tag == NULL;
    crd_status status = CRD_OK;
    crd_json_writer_begin(&json, '{');
    crd_json_writer_member_text(&json, "credence", crd_text_of(crd_version()));
    if (target.bytes != NULL) crd_json_writer_member_text(&json, "target", target);
    if (weight.bytes != NULL) crd_json_writer_member_text(&json, "weight", weight);
    if (is_counted) crd_json_writer_member_number(&json, "rows", exported->summary->rows);
    json_write_settings(&json, exported->classifier == NULL ? crd_model_settings(exported->model)
                                                            : exported->classifier->settings);
    if (is_counted) status = write_counted(exported, &json, error);
    if (status == CRD_OK && exported->classifier != NULL) {
        crd_json_writer_key(&json, crd_text_of("classifier"));
        status = json_write_classifier(&json, exported->classifier, error);
    }
    if (status == CRD_OK && target.bytes == NULL && crd_model_is_network(exported->model) &&
        exported->summary->rows > 0)
        status = write_network(exported, &json, error);
    crd_json_writer_end(&json, '}');
    crd_json_writer_break_line(&json);
    return status;
}
