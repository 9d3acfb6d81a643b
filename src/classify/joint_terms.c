/* joint_terms.c - what a classifier that is more than naive Bayes is made of, and what each part says of a row: so that an
 * answer can be added up again from the outside. */
#include "classify/compound.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A row at hand ---- */

typedef struct asked_row {
    crd_context *context;
    crd_i_one_cell *cells;
    double *room; /* as much as an answer works in */
} asked_row;

static void close_row(asked_row *row) {
    crd_free(row->context, row->cells);
    crd_free(row->context, row->room);
}

static crd_status open_row(const crd_classifier *classifier, const crd_value *values, asked_row *row,
                           crd_error *error) {
    size_t room = crd_i_compound_room(classifier);
    row->context = classifier->context;
    row->cells = crd_i_alloc(row->context, classifier->attribute_count, sizeof *row->cells);
    row->room = crd_i_alloc(row->context, room == 0 ? 1 : room, sizeof *row->room);
    crd_status status = row->cells == NULL || row->room == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < classifier->attribute_count; i++)
        status = crd_i_classifier_cell(classifier, i, &values[i], &row->cells[i], error);
    return status;
}

/* ---- Networks: one joint density of all attributes that are nodes ---- */

static crd_i_network_part *network_of(const crd_classifier *classifier) {
    return classifier->compound == NULL ? NULL : classifier->compound->network;
}

static void describe_network(const crd_classifier *classifier, crd_joint *out) {
    const crd_network *network = crd_i_network_part_network(network_of(classifier));
    size_t arrows = 0;
    double cells = 0;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        arrows += node->parent_count;
        if (node->table != NULL) cells += (double)node->rows * (double)crd_i_node_states(node);
    }
    out->name = "network";
    out->summary = "a table for each node, given its parents";
    for (size_t i = 0; i < classifier->attribute_count; i++) out->attribute_count += classifier->compound->is_taken[i];
    snprintf(out->description, sizeof out->description, "%zu nodes, %zu arrows, %.0f probabilities in tables",
             network->count, arrows, cells);
}

static int compare_names(const void *a, const void *b) {
    const crd_i_attribute *const *x = a, *const *y = b;
    return crd_i_text_compare((*x)->name, (*y)->name);
}

/* The attributes that are nodes, by their names' bytes. */
static crd_status list_nodes(const crd_classifier *classifier, size_t *out, crd_error *error) {
    size_t count = 0;
    const crd_i_attribute **list = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *list);
    if (list == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (classifier->compound->is_taken[i]) list[count++] = &classifier->attributes[i];
    if (count > 0) qsort(list, count, sizeof *list, compare_names);
    for (size_t i = 0; i < count; i++) out[i] = (size_t)(list[i] - classifier->attributes);
    crd_free(classifier->context, list);
    return CRD_OK;
}

/* By what the cells, all together, have moved each class. */
static crd_status ask_network(const crd_classifier *classifier, const asked_row *row, double *log_values,
                              crd_error *error) {
    crd_status status =
        crd_i_network_part_ask(network_of(classifier), classifier, row->cells, log_values, row->room, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++)
        if (log_values[k] > -INFINITY) log_values[k] -= classifier->log_priors[k];
    return status;
}

/* ---- Joint densities ---- */

size_t crd_classifier_joint_count(const crd_classifier *classifier) {
    if (network_of(classifier) != NULL) return 1;
    return classifier->compound == NULL ? 0 : classifier->compound->joint_count;
}

/* NULL: it is the network. */
static crd_status find_taken(const crd_classifier *classifier, size_t joint, const crd_i_taken **out,
                             crd_error *error) {
    if (joint >= crd_classifier_joint_count(classifier))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no joint density %zu", joint);
    *out = network_of(classifier) != NULL ? NULL : &classifier->compound->joints[joint];
    return CRD_OK;
}

crd_status crd_classifier_joint(const crd_classifier *classifier, size_t joint, crd_joint *out, crd_error *error) {
    const crd_i_taken *taken = NULL;
    crd_status status = find_taken(classifier, joint, &taken, error);
    if (status != CRD_OK) return status;
    crd_joint found = CRD_JOINT_INIT;
    if (taken == NULL) {
        describe_network(classifier, &found);
        crd_i_copy_out(&found, sizeof found, out);
        return CRD_OK;
    }
    found.name = taken->joint->type->name;
    found.summary = taken->joint->type->summary;
    for (size_t i = 0; i < taken->joint->column_count; i++) found.attribute_count += taken->joint->takes[i];
    if (taken->joint->type->describe != NULL)
        taken->joint->type->describe(taken->joint, found.description, sizeof found.description);
    crd_i_copy_out(&found, sizeof found, out);
    return CRD_OK;
}

crd_status crd_classifier_joint_attributes(const crd_classifier *classifier, size_t joint, size_t *out,
                                           crd_error *error) {
    const crd_i_taken *taken = NULL;
    crd_status status = find_taken(classifier, joint, &taken, error);
    if (status == CRD_OK && taken == NULL) return list_nodes(classifier, out, error);
    for (size_t i = 0, count = 0; status == CRD_OK && i < taken->joint->column_count; i++)
        if (taken->joint->takes[i]) out[count++] = taken->attributes[i];
    return status;
}

crd_status crd_classifier_joint_terms(const crd_classifier *classifier, size_t joint, const crd_value *values,
                                      double *log_values, crd_error *error) {
    const crd_i_taken *taken = NULL;
    asked_row row = {0};
    crd_status status = find_taken(classifier, joint, &taken, error);
    if (status == CRD_OK) status = open_row(classifier, values, &row, error);
    for (size_t k = 0; status == CRD_OK && k < classifier->class_count; k++) log_values[k] = 0;
    if (status == CRD_OK && taken == NULL) status = ask_network(classifier, &row, log_values, error);
    else if (status == CRD_OK) crd_i_taken_add(taken, row.cells, log_values, row.room);
    close_row(&row);
    return status;
}

int crd_classifier_is_joint(const crd_classifier *classifier, size_t attribute) {
    return classifier->compound != NULL && attribute < classifier->attribute_count &&
           classifier->compound->is_taken[attribute];
}

double crd_classifier_attribute_weight(const crd_classifier *classifier, size_t attribute) {
    return crd_i_compound_exponent(classifier, attribute);
}

/* ---- Pairs ---- */

static const crd_i_pairwise *pairwise_of(const crd_classifier *classifier) {
    return classifier->compound == NULL ? NULL : classifier->compound->pairwise;
}

size_t crd_classifier_pair_count(const crd_classifier *classifier) {
    size_t count = 0;
    if (pairwise_of(classifier) != NULL) crd_i_pairwise_exponents(pairwise_of(classifier), &count);
    return count;
}

crd_status crd_classifier_pair(const crd_classifier *classifier, size_t pair, crd_pair *out, crd_error *error) {
    if (pair >= crd_classifier_pair_count(classifier))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no pair %zu", pair);
    const size_t *attributes;
    size_t columns = crd_i_pairwise_columns(pairwise_of(classifier), &attributes), count;
    crd_pair found = CRD_PAIR_INIT;
    size_t first = pair, second = pair;
    if (pair >= columns) {
        size_t behind = pair - columns; /* among the pairs of which the first column is `first` */
        for (first = 0; behind >= columns - 1 - first; first++) behind -= columns - 1 - first;
        second = first + 1 + behind;
    }
    found.attributes[0] = attributes[first];
    found.attributes[1] = attributes[second];
    found.exponent = crd_i_pairwise_exponents(pairwise_of(classifier), &count)[pair];
    crd_i_copy_out(&found, sizeof found, out);
    return CRD_OK;
}

crd_status crd_classifier_pair_terms(const crd_classifier *classifier, const crd_value *values, double *log_values,
                                     crd_error *error) {
    asked_row row = {0};
    crd_status status = open_row(classifier, values, &row, error);
    if (status == CRD_OK && pairwise_of(classifier) != NULL)
        crd_i_pairwise_terms(pairwise_of(classifier), row.cells, log_values, row.room);
    close_row(&row);
    return status;
}

/* ---- Members ---- */

static const crd_i_pool *pool_of(const crd_classifier *classifier) {
    return classifier->compound == NULL ? NULL : classifier->compound->pool;
}

size_t crd_classifier_member_count(const crd_classifier *classifier) {
    return pool_of(classifier) == NULL ? 0 : pool_of(classifier)->count;
}

crd_status crd_classifier_member(const crd_classifier *classifier, size_t member, crd_ensemble_member *out,
                                 crd_error *error) {
    if (member >= crd_classifier_member_count(classifier))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no member %zu", member);
    crd_ensemble_member found = CRD_ENSEMBLE_MEMBER_INIT;
    found.classifier = pool_of(classifier)->members[member].classifier;
    found.weight = pool_of(classifier)->members[member].weight;
    crd_i_copy_out(&found, sizeof found, out);
    return CRD_OK;
}

const char *crd_classifier_ensemble_rule(const crd_classifier *classifier) {
    static const char *const names[] = {[CRD_I_POOL_AVERAGE] = "average",
                                        [CRD_I_POOL_GIBBS] = "gibbs",
                                        [CRD_I_POOL_PRODUCT] = "product",
                                        [CRD_I_POOL_VOTE] = "vote"};
    return pool_of(classifier) == NULL ? NULL : names[pool_of(classifier)->rule];
}

double crd_classifier_ensemble_factor(const crd_classifier *classifier, size_t class_index) {
    const crd_i_pool *pool = pool_of(classifier);
    return pool == NULL || pool->offsets == NULL || class_index >= classifier->class_count ? 0
                                                                                           : pool->offsets[class_index];
}

crd_status crd_classifier_member_posteriors(const crd_classifier *classifier, const crd_value *values,
                                            double *log_posteriors, crd_error *error) {
    const crd_i_pool *pool = pool_of(classifier);
    asked_row row = {0};
    crd_status status = open_row(classifier, values, &row, error);
    double *evidences = crd_i_alloc(classifier->context, pool == NULL ? 1 : pool->count + 1, sizeof *evidences);
    if (status == CRD_OK && evidences == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK && pool != NULL)
        status = crd_i_pool_ask(classifier, pool, row.cells, log_posteriors, evidences, row.room, error);
    crd_free(classifier->context, evidences);
    close_row(&row);
    return status;
}

/* ---- Calibration ---- */

static const crd_i_calibration *calibration_of(const crd_classifier *classifier) {
    return classifier->compound == NULL ? NULL : classifier->compound->calibration;
}

int crd_classifier_calibration(const crd_classifier *classifier, crd_calibration *out) {
    if (calibration_of(classifier) == NULL) return 0;
    crd_calibration found = CRD_CALIBRATION_INIT;
    crd_i_calibration_rule rule = crd_i_calibration_describe(calibration_of(classifier), &found.slope);
    found.rule = rule == CRD_I_CALIBRATION_ISOTONIC ? "isotonic" : "scaling";
    crd_i_copy_out(&found, sizeof found, out);
    return 1;
}

int crd_classifier_calibration_point(const crd_classifier *classifier, size_t class_index, size_t index, double *from,
                                     double *to) {
    if (calibration_of(classifier) == NULL || class_index >= classifier->class_count) return 0;
    return crd_i_calibration_point(calibration_of(classifier), class_index, index, from, to);
}

crd_status crd_classifier_uncalibrated(const crd_classifier *classifier, const crd_value *values, double *log_posterior,
                                       double *probabilities, crd_answer *answer, crd_error *error) {
    if (calibration_of(classifier) == NULL)
        return crd_classifier_probabilities(classifier, values, log_posterior, probabilities, answer, error);
    asked_row row = {0};
    crd_status status = open_row(classifier, values, &row, error);
    if (status == CRD_OK)
        status = crd_i_compound_propose(classifier, row.cells, log_posterior, probabilities, answer, row.room, error);
    close_row(&row);
    return status;
}

/* ---- What takes naive Bayes alone ---- */

crd_status crd_i_compound_refuse(const crd_classifier *classifier, const char *what, const char *instead,
                                 crd_error *error) {
    static const char *const settings[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"exponents", "none"}, {"calibration", "none"}};
    if (classifier->compound == NULL) return CRD_OK;
    if (classifier->compound->network != NULL) {
        crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes alone, and the method is network", what);
        crd_i_error_hint(error, "ask the network itself, as crd_network_from_model makes it");
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *name = settings[i][0];
        if (crd_i_settings_is_default(classifier->settings, name)) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes alone, and %s is %s", what, name,
                   crd_settings_get(classifier->settings, name));
        crd_i_error_hint(error, "use %s=%s%s", name, settings[i][1], instead);
        crd_i_error_subject(error, crd_text_of(name));
        return CRD_ERROR_SETTING;
    }
    crd_i_fail(error, CRD_ERROR_SETTING, "%s naive Bayes alone, and here several models answer as one", what);
    crd_i_error_subject(error, crd_text_of("method"));
    return CRD_ERROR_SETTING;
}
