/* SPDX-License-Identifier: MIT */
/* explain_parts.c - see explain_parts.h. */
#include "verbs/explain/explain_parts.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/ensemble_members.h"
#include "describe/term_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of attributes named in one line, and number of lines for pairs and for members without --all. */
enum { NAMED = 3, PAIRS_SHOWN = 10, MEMBERS_SHOWN = 20 };

/* ---- Terms ---- */

static part *explain_parts_add(parts *p) {
    p->items = memory_resize(p->items, p->count + 1, sizeof *p->items);
    part *added = &p->items[p->count++];
    *added = (part){.is_density = true};
    added->log_values = memory_resize(NULL, p->classes, sizeof *added->log_values);
    for (size_t k = 0; k < p->classes; k++) added->log_values[k] = 0;
    return added;
}

void parts_free(parts *p) {
    for (size_t i = 0; i < p->count; i++) {
        string_free(&p->items[i].string);
        string_free(&p->items[i].working);
        free(p->items[i].log_values);
    }
    free(p->items);
    free(p->joint_terms);
    free(p->pair_terms);
}

static void explain_parts_add_cell(string *out, const reasons *r, size_t attribute) {
    string_add_shown(out, crd_classifier_attribute(r->classifier, attribute));
    string_add_char(out, '=');
    explain_add_value(out, &r->values[attribute]);
}

/* Adds the line of a joint density, with its log value for each class. */
static int read_joint(const reasons *r, size_t index, parts *p) {
    crd_joint joint = CRD_JOINT_INIT;
    crd_error error;
    double *terms = p->joint_terms + index * p->classes;
    if (crd_classifier_joint(r->classifier, index, &joint, &error) != CRD_OK ||
        crd_classifier_joint_terms(r->classifier, index, r->values, terms, &error) != CRD_OK) {
        return message_error(&error);
    }
    part *target_part = explain_parts_add(p);
    size_t *attributes = memory_resize(NULL, joint.attribute_count, sizeof *attributes);
    int ended = ENDED_WELL;
    if (crd_classifier_joint_attributes(r->classifier, index, attributes, &error) != CRD_OK)
        ended = message_error(&error);
    if (p->has_trees) {
        string_format(&target_part->string, "rest of the trees");
    } else if (joint.attribute_count > NAMED) {
        string_format(&target_part->string, "%zu attributes", joint.attribute_count);
    } else {
        for (size_t i = 0; ended == ENDED_WELL && i < joint.attribute_count; i++) {
            if (i > 0) string_format(&target_part->string, ", ");
            explain_parts_add_cell(&target_part->string, r, attributes[i]);
        }
    }
    target_part->is_density = !p->has_trees;
    string_format(&target_part->working, p->has_trees ? "factor: scale and missing values" : "jointly, by %s",
                  joint.name);
    memcpy(target_part->log_values, terms, p->classes * sizeof *terms);
    free(attributes);
    return ended;
}

typedef struct parts_ranking {
    size_t pair;
    double spread; /* the largest minus the smallest log value over the classes */
} parts_ranking;

static int compare_ranked(const void *a, const void *b) {
    const parts_ranking *x = a, *y = b;
    if (x->spread != y->spread) return x->spread < y->spread ? 1 : -1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static double explain_parts_spread(const double *terms, size_t classes) {
    double least = INFINITY, greatest = -INFINITY;
    for (size_t k = 0; k < classes; k++) {
        least = fmin(least, terms[k]);
        greatest = fmax(greatest, terms[k]);
    }
    return greatest - least;
}

/* Adds the line of a pair, or of a single attribute, which is stored as a pair with itself. */
static void fill_pair(const reasons *r, const crd_pair *pair, const double *terms, parts *p) {
    char buffer[CRD_NUMBER_ROOM];
    part *target_part = explain_parts_add(p);
    if (p->has_trees) {
        target_part->is_density = false;
        explain_parts_add_cell(&target_part->string, r, pair->attributes[0]);
        string_format(&target_part->working, "factor");
        memcpy(target_part->log_values, terms, p->classes * sizeof *terms);
        return;
    }
    target_part->is_density = pair->attributes[0] == pair->attributes[1];
    explain_parts_add_cell(&target_part->string, r, pair->attributes[0]);
    if (!target_part->is_density) {
        string_format(&target_part->string, " with ");
        explain_parts_add_cell(&target_part->string, r, pair->attributes[1]);
    }
    string_format(&target_part->working, "%sweight %s", target_part->is_density ? "" : "dependence, ",
                  crd_number_round(pair->exponent, buffer));
    target_part->is_powered = target_part->is_density; /* numbers are discretized, so the value is a probability */
    target_part->exponent = pair->exponent;
    memcpy(target_part->log_values, terms, p->classes * sizeof *terms);
}

/* Sets *speaks to whether a pair contributes to the posterior. Pairs with a missing or unknown value do not; their
 * attributes are reported as missing. */
static int pair_speaks(const reasons *r, const crd_pair *pair, bool *speaks) {
    crd_error error;
    *speaks = true;
    for (size_t side = 0; side < 2; side++) {
        crd_term term = CRD_TERM_INIT;
        size_t attribute = pair->attributes[side];
        if (crd_classifier_term(r->classifier, attribute, 0, &r->values[attribute], &term, &error) != CRD_OK)
            return message_error(&error);
        *speaks = *speaks && term.form == CRD_TERM_JOINT;
    }
    return ENDED_WELL;
}

/* Adds a line for every attribute that contributes, for the pairs that differ most between the classes, and one
 * line for
 * all other pairs. */
static int explain_parts_read_pairs(const reasons *r, parts *p) {
    crd_error error;
    parts_ranking *rank = memory_resize(NULL, p->pairs, sizeof *rank);
    size_t count = 0;
    int ended = ENDED_WELL;
    if (crd_classifier_pair_terms(r->classifier, r->values, p->pair_terms, &error) != CRD_OK)
        ended = message_error(&error);
    for (size_t i = 0; ended == ENDED_WELL && i < p->pairs; i++) {
        crd_pair pair = CRD_PAIR_INIT;
        const double *terms = p->pair_terms + i * p->classes;
        bool speaks = false;
        if (crd_classifier_pair(r->classifier, i, &pair, &error) != CRD_OK) ended = message_error(&error);
        else ended = pair_speaks(r, &pair, &speaks);
        if (ended != ENDED_WELL || !speaks) continue;
        if (pair.attributes[0] == pair.attributes[1]) fill_pair(r, &pair, terms, p);
        else if (pair.exponent > 0 && explain_parts_spread(terms, p->classes) > 0)
            rank[count++] = (parts_ranking){i, explain_parts_spread(terms, p->classes)};
    }
    if (ended == ENDED_WELL) qsort(rank, count, sizeof *rank, compare_ranked);
    for (size_t i = 0; ended == ENDED_WELL && i < count && i < PAIRS_SHOWN; i++) {
        crd_pair pair = CRD_PAIR_INIT;
        if (crd_classifier_pair(r->classifier, rank[i].pair, &pair, &error) != CRD_OK) ended = message_error(&error);
        else fill_pair(r, &pair, p->pair_terms + rank[i].pair * p->classes, p);
    }
    if (ended == ENDED_WELL && count > PAIRS_SHOWN) {
        part *other_part = explain_parts_add(p);
        other_part->is_density = false;
        string_format(&other_part->string, "%zu pair%s more", count - PAIRS_SHOWN, count == PAIRS_SHOWN + 1 ? "" : "s");
        string_format(&other_part->working, "each with less effect than those above");
        for (size_t i = PAIRS_SHOWN; i < count; i++)
            for (size_t k = 0; k < p->classes; k++)
                other_part->log_values[k] += p->pair_terms[rank[i].pair * p->classes + k];
    }
    free(rank);
    return ended;
}

bool parts_have_trees(const crd_classifier *classifier) {
    crd_joint joint = CRD_JOINT_INIT;
    crd_error ignored;
    return crd_classifier_joint_count(classifier) == 1 &&
           crd_classifier_joint(classifier, 0, &joint, &ignored) == CRD_OK && strcmp(joint.name, "trees") == 0;
}

/* Reads the terms of joint densities and pairs for a row. */
int parts_read(const reasons *r, parts *out) {
    *out = (parts){.joints = crd_classifier_joint_count(r->classifier),
                   .pairs = crd_classifier_pair_count(r->classifier),
                   .classes = crd_classifier_class_count(r->classifier)};
    out->replaces_attributes = out->pairs > 0;
    out->has_trees = parts_have_trees(r->classifier);
    out->joint_terms = memory_resize(NULL, out->joints * out->classes, sizeof *out->joint_terms);
    out->pair_terms = memory_resize(NULL, out->pairs * out->classes, sizeof *out->pair_terms);
    int ended = ENDED_WELL;
    for (size_t i = 0; ended == ENDED_WELL && i < out->joints; i++) ended = read_joint(r, i, out);
    if (ended == ENDED_WELL && out->pairs > 0) ended = explain_parts_read_pairs(r, out);
    return ended;
}

double parts_add(const parts *p, size_t class_index, double sum) {
    for (size_t i = 0; i < p->joints; i++) sum += p->joint_terms[i * p->classes + class_index];
    for (size_t i = 0; i < p->pairs; i++) sum += p->pair_terms[i * p->classes + class_index];
    return sum;
}

static void explain_parts_report_names(crd_result *r, const crd_classifier *classifier, const size_t *attributes,
                                       size_t count) {
    crd_result_begin(r, CRD_ARRAY, "attributes");
    for (size_t i = 0; i < count; i++) crd_result_text(r, NULL, crd_classifier_attribute(classifier, attributes[i]));
    crd_result_end(r);
}

/* Reports in JSON the joint densities of a class. */
static int explain_parts_report_joints(crd_result *out, const reasons *r, const parts *p, size_t class_index) {
    crd_error error;
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(r->classifier), sizeof *attributes);
    int ended = ENDED_WELL;
    crd_result_begin(out, CRD_ARRAY, "joints");
    for (size_t i = 0; ended == ENDED_WELL && i < p->joints; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        if (crd_classifier_joint(r->classifier, i, &joint, &error) != CRD_OK ||
            crd_classifier_joint_attributes(r->classifier, i, attributes, &error) != CRD_OK) {
            ended = message_error(&error);
            break;
        }
        crd_result_begin(out, CRD_OBJECT, NULL);
        crd_result_words(out, "joint", joint.name);
        explain_parts_report_names(out, r->classifier, attributes, joint.attribute_count);
        crd_result_number(out, "log_value", p->joint_terms[i * p->classes + class_index]);
        crd_result_end(out);
    }
    crd_result_end(out);
    free(attributes);
    return ended;
}

/* Reports in JSON the pairs of a class that contribute. */
static int explain_parts_report_pairs(crd_result *out, const reasons *r, const parts *p, size_t class_index) {
    crd_error error;
    crd_result_begin(out, CRD_ARRAY, "pairs");
    for (size_t i = 0; i < p->pairs; i++) {
        crd_pair pair = CRD_PAIR_INIT;
        if (crd_classifier_pair(r->classifier, i, &pair, &error) != CRD_OK) return message_error(&error);
        bool speaks = false;
        int ended = pair.exponent > 0 ? pair_speaks(r, &pair, &speaks) : ENDED_WELL;
        if (ended != ENDED_WELL) return ended;
        if (!speaks) continue;
        crd_result_begin(out, CRD_OBJECT, NULL);
        explain_parts_report_names(out, r->classifier, pair.attributes,
                                   pair.attributes[0] == pair.attributes[1] ? 1 : 2);
        crd_result_number(out, "attribute_weight", pair.exponent);
        crd_result_number(out, "log_value", p->pair_terms[i * p->classes + class_index]);
        crd_result_end(out);
    }
    crd_result_end(out);
    return ENDED_WELL;
}

int parts_report(crd_result *out, const reasons *r, const parts *p, size_t class_index) {
    int ended = p->joints > 0 ? explain_parts_report_joints(out, r, p, class_index) : ENDED_WELL;
    if (ended == ENDED_WELL && p->pairs > 0) ended = explain_parts_report_pairs(out, r, p, class_index);
    return ended;
}

/* ---- Members ---- */

static bool has_factors(const crd_classifier *classifier) {
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        if (crd_classifier_ensemble_factor(classifier, k) != 0) return true;
    return false;
}

static int explain_parts_ask_members(const reasons *r, double **out) {
    crd_error error;
    size_t members = crd_classifier_member_count(r->classifier), classes = crd_classifier_class_count(r->classifier);
    *out = memory_resize(NULL, members * classes, sizeof **out);
    if (crd_classifier_member_posteriors(r->classifier, r->values, *out, &error) == CRD_OK) return ENDED_WELL;
    free(*out);
    *out = NULL;
    return message_error(&error);
}

/* Reports a member as a JSON object and as a line of the text table. */
static int explain_parts_report_member(crd_result_table *t, const reasons *r, size_t index, const double *logs) {
    crd_result *out = t->result;
    crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
    crd_error error;
    string name = {0};
    if (crd_classifier_member(r->classifier, index, &member, &error) != CRD_OK) return message_error(&error);
    ensemble_add_member(&name, member.classifier, index);
    crd_cell_words(t, report_take(out, &name));
    crd_cell_number(t, member.weight);
    crd_result_begin(out, CRD_OBJECT, NULL);
    crd_result_number(out, "weight", member.weight);
    term_text_report_settings(out, crd_classifier_settings(member.classifier));
    crd_result_begin(out, CRD_OBJECT, "log_posterior");
    for (size_t k = 0; k < crd_classifier_class_count(r->classifier); k++) {
        report_number_named(out, crd_classifier_class(r->classifier, k), logs[k]);
        cell_exponential(t, logs[k]);
    }
    crd_result_end(out);
    crd_result_end(out);
    return ENDED_WELL;
}

int parts_report_members(crd_result *out, const reasons *r) {
    size_t members = crd_classifier_member_count(r->classifier), classes = crd_classifier_class_count(r->classifier);
    size_t shown = r->all || members <= MEMBERS_SHOWN ? members : MEMBERS_SHOWN;
    double *logs = NULL;
    int ended = explain_parts_ask_members(r, &logs);
    if (ended != ENDED_WELL) return ended;
    crd_result_heading(out, 3, "Members", ", and the class probabilities of each");
    crd_result_words(out, "pool", crd_classifier_ensemble_rule(r->classifier));
    crd_result_table *t = crd_result_add_table(out, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "weight");
    for (size_t k = 0; k < classes; k++)
        crd_result_add_column(t, NULL, crd_result_show(out, crd_classifier_class(r->classifier, k)));
    crd_result_begin(out, CRD_ARRAY, "members");
    for (size_t i = 0; ended == ENDED_WELL && i < members; i++) {
        t->audience = i < shown ? CRD_FOR_PEOPLE : CRD_FOR_JSON;
        ended = explain_parts_report_member(t, r, i, logs + i * classes);
    }
    crd_result_end(out);
    if (has_factors(r->classifier)) {
        crd_cell_words(t, "factor of the class");
        crd_cell_null(t);
        for (size_t k = 0; k < classes; k++) cell_exponential(t, crd_classifier_ensemble_factor(r->classifier, k));
    }
    if (shown < members) crd_result_line(out, CRD_REMARK, "and %zu more members (--all)", members - shown);
    crd_result_line(out, CRD_PARAGRAPH, "Pooled: %s", ensemble_pool_rule(r->classifier));
    free(logs);
    return ended;
}
