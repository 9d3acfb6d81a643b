/* SPDX-License-Identifier: MIT */
/* show_components.c - see show_components.h. */
#include "verbs/show/show_components.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/ensemble_members.h"
#include "describe/term_text.h"

#include <stdlib.h>
#include <string.h>

/* The maximum number of lines without --all. */
enum { LINES_SHOWN = 20 };

static void show_components_add_names(string *out, const crd_classifier *classifier, const size_t *attributes,
                                      size_t count) {
    enum { NAMED = 8 };
    if (count > NAMED) {
        string_format(out, "%zu attributes", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0) string_format(out, "%s", i + 1 < count ? ", " : " and ");
        string_add_shown(out, crd_classifier_attribute(classifier, attributes[i]));
    }
}

static void show_components_report_names(crd_result *r, const crd_classifier *classifier, const size_t *attributes,
                                         size_t count) {
    crd_result_begin(r, CRD_ARRAY, "attributes");
    for (size_t i = 0; i < count; i++) crd_result_text(r, NULL, crd_classifier_attribute(classifier, attributes[i]));
    crd_result_end(r);
}

/* Reports the columns of one joint density, and adds their number to *attributes. */
static int show_components_report_joint(crd_result *r, const crd_classifier *classifier, size_t index,
                                        size_t *attributes) {
    crd_joint joint = CRD_JOINT_INIT;
    crd_error error;
    string names = {0};
    if (crd_classifier_joint(classifier, index, &joint, &error) != CRD_OK ||
        crd_classifier_joint_attributes(classifier, index, attributes, &error) != CRD_OK)
        return message_error(&error);
    show_components_add_names(&names, classifier, attributes, joint.attribute_count);
    crd_result_line(r, CRD_REMARK, "%s, by %s%s%s", report_take(r, &names), joint.name,
                    joint.description[0] == 0 ? "" : ": ", joint.description);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_words(r, "joint", joint.name);
    show_components_report_names(r, classifier, attributes, joint.attribute_count);
    crd_result_words(r, "description", joint.description);
    crd_result_end(r);
    return ENDED_WELL;
}

static int show_components_report_joints(crd_result *r, const crd_classifier *classifier) {
    size_t count = crd_classifier_joint_count(classifier);
    int ended = ENDED_WELL;
    if (count == 0) return ENDED_WELL;
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(classifier), sizeof *attributes);
    crd_result_heading(r, 2, "Joint densities", "");
    crd_result_begin(r, CRD_ARRAY, "joints");
    for (size_t i = 0; ended == ENDED_WELL && i < count; i++)
        ended = show_components_report_joint(r, classifier, i, attributes);
    crd_result_end(r);
    free(attributes);
    return ended;
}

static int show_components_compare_pairs(const void *a, const void *b) {
    const crd_pair *x = a, *y = b;
    if (x->exponent != y->exponent) return x->exponent < y->exponent ? 1 : -1;
    if (x->attributes[0] != y->attributes[0]) return x->attributes[0] < y->attributes[0] ? -1 : 1;
    return (x->attributes[1] > y->attributes[1]) - (x->attributes[1] < y->attributes[1]);
}

/* Finds the attributes and pairs whose weight is above zero, in descending order. The caller frees *out. */
static int find_pairs(const crd_classifier *classifier, crd_pair **out, size_t *count) {
    size_t all = crd_classifier_pair_count(classifier);
    crd_error error;
    *out = memory_resize(NULL, all, sizeof **out);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        crd_pair *pair = &(*out)[*count];
        *pair = (crd_pair)CRD_PAIR_INIT;
        if (crd_classifier_pair(classifier, i, pair, &error) != CRD_OK) {
            free(*out);
            return message_error(&error);
        }
        *count += pair->exponent > 0;
    }
    if (*count > 0) qsort(*out, *count, sizeof **out, show_components_compare_pairs);
    return ENDED_WELL;
}

/* Reports the weights of attributes and pairs in a pairwise model, or of attributes in weighted naive Bayes. Without
 * `all`, people see the first LINES_SHOWN. */
static int show_components_report_pairs(crd_result *r, const crd_classifier *classifier, bool all) {
    crd_pair *pairs = NULL;
    size_t count = 0, possible = crd_classifier_pair_count(classifier);
    int ended = possible == 0 ? ENDED_WELL : find_pairs(classifier, &pairs, &count);
    if (possible == 0 || ended != ENDED_WELL) return ended;
    crd_result_heading(r, 2, "Attributes and pairs", ", and the weights of their terms");
    crd_result_table *t = crd_result_add_table(r, NULL);
    if (!all) t->rows_shown = LINES_SHOWN;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "weight");
    crd_result_begin(r, CRD_ARRAY, "pairs");
    for (size_t i = 0; i < count; i++) {
        bool is_single = pairs[i].attributes[0] == pairs[i].attributes[1];
        const char *first = crd_result_show(r, crd_classifier_attribute(classifier, pairs[i].attributes[0])),
                   *second = crd_result_show(r, crd_classifier_attribute(classifier, pairs[i].attributes[1]));
        crd_cell_format(t, "%s%s%s", first, is_single ? "" : " with ", is_single ? "" : second);
        crd_cell_number(t, pairs[i].exponent);
        crd_result_begin(r, CRD_OBJECT, NULL);
        show_components_report_names(r, classifier, pairs[i].attributes, is_single ? 1 : 2);
        crd_result_number(r, "attribute_weight", pairs[i].exponent);
        crd_result_end(r);
    }
    crd_result_end(r);
    if (count > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", count - t->rows_shown);
    if (count < possible) crd_result_line(r, CRD_REMARK, "%zu of %zu have weight 0", possible - count, possible);
    free(pairs);
    return ENDED_WELL;
}

/* Adds a remark if boosting trained fewer members than requested. */
static void report_early_end(crd_result *r, const crd_classifier *classifier) {
    static const char boosting[] = "boosting:";
    const char *method = crd_settings_get(crd_classifier_settings(classifier), "method");
    size_t count = crd_classifier_member_count(classifier);
    if (method == NULL || strncmp(method, boosting, strlen(boosting)) != 0) return;
    const char *requested = method + strlen(boosting);
    if (count >= strtoull(requested, NULL, 10)) return;
    crd_result_line(r, CRD_REMARK,
                    "%zu of %s: boosting stopped because the next member was not better than chance or made no error",
                    count, requested);
}

/* Reports the members of an ensemble, their weights and the rule that combines them. */
static int report_members(crd_result *r, const crd_classifier *classifier, bool all) {
    size_t count = crd_classifier_member_count(classifier);
    if (crd_classifier_ensemble_rule(classifier) == NULL) return ENDED_WELL;
    crd_result_heading(r, 2, "Members", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    if (!all) t->rows_shown = LINES_SHOWN;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "weight");
    crd_result_words(r, "pool", crd_classifier_ensemble_rule(classifier));
    crd_result_begin(r, CRD_ARRAY, "members");
    for (size_t i = 0; i < count; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        crd_error error;
        string name = {0};
        if (crd_classifier_member(classifier, i, &member, &error) != CRD_OK) return message_error(&error);
        ensemble_add_member(&name, member.classifier, i);
        crd_cell_words(t, report_take(r, &name));
        crd_cell_number(t, member.weight);
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_number(r, "weight", member.weight);
        term_text_report_settings(r, crd_classifier_settings(member.classifier));
        crd_result_end(r);
    }
    crd_result_end(r);
    crd_result_begin(r, CRD_OBJECT, "log_factors");
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        report_number_named(r, crd_classifier_class(classifier, k), crd_classifier_ensemble_factor(classifier, k));
    crd_result_end(r);
    if (count > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu members more (--all)", count - t->rows_shown);
    report_early_end(r, classifier);
    crd_result_line(r, CRD_REMARK, "pooled: %s", ensemble_pool_rule(classifier));
    return ENDED_WELL;
}

/* Reports the isotonic regression of each class, a non-decreasing line. Returns the total number of points. */
static size_t show_components_report_lines(crd_result *r, const crd_classifier *classifier) {
    size_t points = 0;
    double start, upper;
    crd_result_begin(r, CRD_OBJECT, "lines");
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
        crd_result_key(r, crd_classifier_class(classifier, k));
        crd_result_begin(r, CRD_ARRAY, NULL);
        for (size_t i = 0; crd_classifier_calibration_point(classifier, k, i, &start, &upper) != 0; i++, points++) {
            crd_result_begin(r, CRD_ARRAY, NULL);
            crd_result_number(r, NULL, start);
            crd_result_number(r, NULL, upper);
            crd_result_end(r);
        }
        crd_result_end(r);
    }
    crd_result_end(r);
    return points;
}

/* Reports the parameters of calibration by the rule platt. */
static void report_platt(crd_result *r, const crd_classifier *classifier, double slope) {
    size_t classes = crd_classifier_class_count(classifier);
    char buffer[CRD_NUMBER_ROOM];
    string line = {0};
    crd_result_number(r, "slope", slope);
    string_format(&line, "Platt scaling: log probabilities times %s", crd_number_round(slope, buffer));
    crd_result_begin(r, CRD_OBJECT, "offsets");
    for (size_t k = 0; k < classes; k++) {
        double start, offset = 0;
        crd_text name = crd_classifier_class(classifier, k);
        crd_classifier_calibration_point(classifier, k, 0, &start, &offset);
        report_number_named(r, name, offset);
        if (classes > LINES_SHOWN) continue;
        string_format(&line, "%s%s for %s", k == 0 ? ", plus " : ", ", crd_number_round(offset, buffer),
                      crd_result_show(r, name));
    }
    crd_result_end(r);
    crd_result_line(r, CRD_REMARK, "%s", report_take(r, &line));
}

static void report_calibration(crd_result *r, const crd_classifier *classifier) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    if (crd_classifier_calibration(classifier, &calibration) == 0) return;
    crd_result_heading(r, 2, "Calibration", "");
    crd_result_begin(r, CRD_OBJECT, "calibration");
    crd_result_words(r, "rule", calibration.rule);
    if (strcmp(calibration.rule, "known-words") == 0)
        crd_result_line(r, CRD_REMARK,
                        "known-words: the log odds of a row are multiplied by 1 - u / (1 - u), where u is the share "
                        "of its words that are not in the training data; if u is one half or more, the prior is used");
    else if (strcmp(calibration.rule, "isotonic") != 0) report_platt(r, classifier, calibration.slope);
    else
        crd_result_line(r, CRD_REMARK, "isotonic: a non-decreasing line for each class, %zu points in total",
                        show_components_report_lines(r, classifier));
    crd_result_end(r);
}

int components_report(crd_result *r, const crd_classifier *classifier, bool all) {
    int ended = show_components_report_joints(r, classifier);
    if (ended == ENDED_WELL) ended = show_components_report_pairs(r, classifier, all);
    if (ended == ENDED_WELL) ended = report_members(r, classifier, all);
    if (ended == ENDED_WELL) report_calibration(r, classifier);
    return ended;
}

/* Reports the additional sufficient statistics that the model stores, and the attributes of each joint statistic. */
void components_report_kept(crd_result *r, const crd_summary *summary) {
    size_t tallies = summary->tally_count, joint_tallies = summary->joint_tally_count;
    if (tallies + joint_tallies == 0) return;
    crd_result_begin(r, CRD_ARRAY, "kept");
    for (size_t i = 0; i < tallies + joint_tallies; i++) {
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_words(r, "statistic", i < tallies ? summary->tallies[i] : summary->joint_tallies[i - tallies].name);
        if (i >= tallies) {
            crd_result_begin(r, CRD_ARRAY, "attributes");
            for (size_t a = 0; a < summary->joint_tallies[i - tallies].attribute_count; a++)
                crd_result_text(r, NULL, summary->attributes[summary->joint_tallies[i - tallies].attributes[a]].name);
            crd_result_end(r);
        }
        crd_result_end(r);
    }
    crd_result_end(r);
}
