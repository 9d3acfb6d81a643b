/* SPDX-License-Identifier: MIT */
/* json_classifier.c - see json_classifier.h. */
#include "export/json_classifier.h"

#include "base/error.h"
#include "classify/joint_block.h"

#include <credence/network.h>

const char *crd_i_json_kind_name(crd_kind kind) {
    static const char *const kinds[] = {"none", "number", "category"};
    return kinds[kind];
}

void crd_i_json_write_settings(crd_i_json_text *json, const crd_settings *settings) {
    crd_i_json_member_open(json, "settings", '{');
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        crd_i_json_member_text(json, name, crd_text_of(value == NULL ? "" : value));
    }
    crd_i_json_close(json, '}');
}

/* ---- Attributes ---- */

static void write_texts(crd_i_json_text *json, const char *key, const crd_i_dictionary *texts) {
    crd_i_json_member_open(json, key, '[');
    for (size_t i = 0; i < crd_i_dictionary_size(texts); i++)
        crd_i_json_text_value(json, crd_i_dictionary_text(texts, i));
    crd_i_json_close(json, ']');
}

/* Writes an attribute and, if it counts, its family, its weight and its parameters. */
static crd_status json_classifier_write_attribute(crd_i_json_text *json, const crd_classifier *classifier, size_t i,
                                                  crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_status status = CRD_OK;
    crd_i_json_open(json, '{');
    crd_i_json_member_text(json, "attribute", attribute->name);
    crd_i_json_member_text(json, "kind", crd_text_of(crd_i_json_kind_name(attribute->kind)));
    if (attribute->values != NULL) write_texts(json, "values", attribute->values);
    if (crd_i_attribute_counts(attribute)) {
        crd_i_parameter_list list = {.context = classifier->context};
        crd_i_json_member_text(json, "family", crd_text_of(attribute->family->name));
        crd_i_json_member_number(json, "weight", crd_i_scorer_weight(classifier->scorer, i));
        if (attribute->family->list_parameters(attribute->density, &list))
            crd_i_json_member_parameters(json, "parameters", &list);
        else status = crd_i_fail_memory(error);
        crd_i_parameter_list_clear(&list);
    }
    crd_i_json_close(json, '}');
    return status;
}

/* ---- Joint densities, pairs and networks ---- */

/* Writes a joint density: its name, its attributes and its parameters. */
static crd_status json_classifier_write_block(crd_i_json_text *json, const crd_classifier *classifier,
                                              const crd_i_joint_block *block, crd_error *error) {
    const crd_i_joint *joint = block->joint;
    crd_i_parameter_list list = {.context = classifier->context};
    crd_status status = CRD_OK;
    crd_i_json_open(json, '{');
    crd_i_json_member_text(json, "density", crd_text_of(joint->type->name));
    crd_i_json_member_open(json, "attributes", '[');
    for (size_t i = 0; i < joint->column_count; i++)
        crd_i_json_text_value(json, classifier->attributes[block->attributes[i]].name);
    crd_i_json_close(json, ']');
    if (joint->type->list_parameters(joint, &list)) crd_i_json_member_parameters(json, "parameters", &list);
    else status = crd_i_fail_memory(error);
    crd_i_parameter_list_clear(&list);
    crd_i_json_close(json, '}');
    return status;
}

/* Writes a node of a Bayesian network: type, states, parents and conditional probability table. */
static void write_node(crd_i_json_text *json, const crd_network *network, size_t node) {
    static const char *const kinds[] = {[CRD_NODE_CHANCE] = "chance",
                                        [CRD_NODE_DECISION] = "decision",
                                        [CRD_NODE_UTILITY] = "utility",
                                        [CRD_NODE_GAUSSIAN] = "gaussian"};
    size_t rows = 0, states = crd_network_state_count(network, node);
    const double *cells = crd_network_cpt(network, node, &rows);
    crd_i_json_open(json, '{');
    crd_i_json_member_text(json, "node", crd_network_node_name(network, node));
    crd_i_json_member_text(json, "kind", crd_text_of(kinds[crd_network_node_kind(network, node)]));
    crd_i_json_member_open(json, "states", '[');
    for (size_t i = 0; i < states; i++) crd_i_json_text_value(json, crd_network_state(network, node, i));
    crd_i_json_close(json, ']');
    crd_i_json_member_open(json, "parents", '[');
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++)
        crd_i_json_text_value(json, crd_network_node_name(network, crd_network_parent(network, node, i)));
    crd_i_json_close(json, ']');
    crd_i_json_member_numbers(json, "table", cells, cells == NULL ? 0 : rows * crd_network_cpt_width(network, node));
    crd_i_json_close(json, '}');
}

void crd_i_json_write_network(crd_i_json_text *json, const crd_network *network) {
    crd_i_json_member_open(json, "network", '[');
    for (size_t i = 0; i < crd_network_node_count(network); i++) write_node(json, network, i);
    crd_i_json_close(json, ']');
}

static crd_status write_joints(crd_i_json_text *json, const crd_classifier *classifier, const crd_i_scorer *scorer,
                               crd_error *error) {
    const crd_i_scorer_joints *joints = scorer->type->joints;
    crd_status status = CRD_OK;
    if (joints->network != NULL) {
        crd_i_json_write_network(json, joints->network(scorer));
        return CRD_OK;
    }
    crd_i_json_member_open(json, "joints", '[');
    for (size_t i = 0; i < joints->count(scorer) && status == CRD_OK; i++)
        status = json_classifier_write_block(json, classifier, joints->block(scorer, i), error);
    crd_i_json_close(json, ']');
    return status;
}

/* Writes the pairwise log-linear model: the weight of each pair, and the terms of all pairs. */
static crd_status write_pairs(crd_i_json_text *json, const crd_classifier *classifier, const crd_i_scorer *scorer,
                              crd_error *error) {
    const crd_i_scorer_pairs *pairs = scorer->type->pairs;
    crd_i_json_member_open(json, "pairs", '[');
    for (size_t i = 0; i < pairs->count(scorer); i++) {
        crd_pair pair = CRD_PAIR_INIT;
        pairs->describe(scorer, i, &pair);
        crd_i_json_open(json, '{');
        crd_i_json_member_text(json, "first", classifier->attributes[pair.attributes[0]].name);
        crd_i_json_member_text(json, "second", classifier->attributes[pair.attributes[1]].name);
        crd_i_json_member_number(json, "weight", pair.exponent);
        crd_i_json_close(json, '}');
    }
    crd_i_json_close(json, ']');
    crd_i_json_key(json, crd_text_of("pair_terms"));
    return json_classifier_write_block(json, classifier, pairs->block(scorer), error);
}

/* ---- Ensembles and calibration ---- */

/* Writes an ensemble: its rule and its members, each with its weight, settings and classifier. */
static crd_status json_classifier_write_members(crd_i_json_text *json, const crd_classifier *classifier,
                                                const crd_i_scorer *scorer, crd_error *error) {
    const crd_i_scorer_members *members = scorer->type->members;
    crd_status status = CRD_OK;
    crd_i_json_member_open(json, "ensemble", '{');
    crd_i_json_member_text(json, "rule", crd_text_of(members->rule(scorer)));
    crd_i_json_member_open(json, "log_factors", '[');
    for (size_t k = 0; k < classifier->class_count; k++) crd_i_json_number(json, members->log_factor(scorer, k));
    crd_i_json_close(json, ']');
    crd_i_json_member_open(json, "members", '[');
    for (size_t i = 0; i < members->count(scorer) && status == CRD_OK; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        members->describe(scorer, i, &member);
        crd_i_json_open(json, '{');
        crd_i_json_member_number(json, "weight", member.weight);
        crd_i_json_write_settings(json, member.classifier->settings);
        crd_i_json_key(json, crd_text_of("classifier"));
        status = crd_i_json_write_classifier(json, member.classifier, error);
        crd_i_json_close(json, '}');
    }
    crd_i_json_close(json, ']');
    crd_i_json_close(json, '}');
    return status;
}

static crd_status write_calibration(crd_i_json_text *json, const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    crd_i_parameter_list list = {.context = classifier->context};
    crd_status status = CRD_OK;
    correction->describe(classifier->scorer, &calibration);
    crd_i_json_member_open(json, "calibration", '{');
    crd_i_json_member_text(json, "rule", crd_text_of(calibration.rule));
    if (correction->list_parameters(classifier->scorer, &list)) crd_i_json_member_parameters(json, "parameters", &list);
    else status = crd_i_fail_memory(error);
    crd_i_parameter_list_clear(&list);
    crd_i_json_close(json, '}');
    return status;
}

crd_status crd_i_json_write_classifier(crd_i_json_text *json, const crd_classifier *classifier, crd_error *error) {
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    crd_status status = CRD_OK;
    crd_i_json_open(json, '{');
    crd_i_json_member_text(json, "scorer", crd_text_of(scorer->type->name));
    write_texts(json, "classes", classifier->classes);
    crd_i_json_member_numbers(json, "log_priors", classifier->log_priors, classifier->class_count);
    crd_i_json_member_open(json, "attributes", '[');
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++)
        status = json_classifier_write_attribute(json, classifier, i, error);
    crd_i_json_close(json, ']');
    if (status == CRD_OK && scorer->type->joints != NULL) status = write_joints(json, classifier, scorer, error);
    if (status == CRD_OK && scorer->type->pairs != NULL) status = write_pairs(json, classifier, scorer, error);
    if (status == CRD_OK && scorer->type->members != NULL)
        status = json_classifier_write_members(json, classifier, scorer, error);
    if (status == CRD_OK && scorer != classifier->scorer) status = write_calibration(json, classifier, error);
    crd_i_json_close(json, '}');
    return status;
}
