/* show_components.c - see show_components.h. */
#include "verbs/show/show_components.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "describe/ensemble_members.h"
#include "describe/term_text.h"

#include <stdlib.h>
#include <string.h>

/* More lines than these are shown with --all only. */
enum { LINES_SHOWN = 20 };

void show_parts_add_exponent(string *out, const crd_classifier *classifier, size_t attribute) {
    char room[ROUNDED_ROOM];
    double exponent = crd_classifier_attribute_weight(classifier, attribute);
    if (exponent == 0) string_format(out, ", to the power 0: left out");
    else if (exponent != 1) string_format(out, ", to the power %s", output_round(exponent, room));
}

/* ---- On paper ---- */

static void add_names(string *out, const crd_classifier *classifier, const size_t *attributes, size_t count) {
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

static int print_joints(output *out, const crd_classifier *classifier) {
    size_t count = crd_classifier_joint_count(classifier);
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(classifier), sizeof *attributes);
    int ended = ENDED_WELL;
    if (count > 0) output_heading(out, 2, "Taken together", "");
    for (size_t i = 0; ended == ENDED_WELL && i < count; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        crd_error error;
        string names = {0};
        if (crd_classifier_joint(classifier, i, &joint, &error) != CRD_OK ||
            crd_classifier_joint_attributes(classifier, i, attributes, &error) != CRD_OK) {
            ended = message_error(&error);
        } else {
            add_names(&names, classifier, attributes, joint.attribute_count);
            output_remark(out, "%s, by %s%s%s", string_text(&names), joint.name, joint.description[0] == 0 ? "" : ": ",
                          joint.description);
        }
        string_free(&names);
    }
    free(attributes);
    return ended;
}

static int compare_pairs(const void *a, const void *b) {
    const crd_pair *x = a, *y = b;
    if (x->exponent != y->exponent) return x->exponent < y->exponent ? 1 : -1;
    if (x->attributes[0] != y->attributes[0]) return x->attributes[0] < y->attributes[0] ? -1 : 1;
    return (x->attributes[1] > y->attributes[1]) - (x->attributes[1] < y->attributes[1]);
}

/* Those whose exponent is above zero, greatest first; the caller's. */
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
    if (*count > 0) qsort(*out, *count, sizeof **out, compare_pairs);
    return ENDED_WELL;
}

static int print_pairs(output *out, const crd_classifier *classifier, bool all) {
    crd_pair *pairs = NULL;
    size_t count = 0, possible = crd_classifier_pair_count(classifier);
    char room[ROUNDED_ROOM];
    int ended = possible == 0 ? ENDED_WELL : find_pairs(classifier, &pairs, &count);
    if (possible == 0 || ended != ENDED_WELL) return ended;
    size_t shown = all || count <= LINES_SHOWN ? count : LINES_SHOWN;
    table *t = table_create_for(out, 2);
    table_add(t, "");
    table_add(t, "power");
    for (size_t i = 0; i < shown; i++) {
        bool is_single = pairs[i].attributes[0] == pairs[i].attributes[1];
        string names = {0};
        string_add_shown(&names, crd_classifier_attribute(classifier, pairs[i].attributes[0]));
        if (!is_single) {
            string_format(&names, " with ");
            string_add_shown(&names, crd_classifier_attribute(classifier, pairs[i].attributes[1]));
        }
        table_add(t, string_text(&names));
        table_add(t, output_round(pairs[i].exponent, room));
        string_free(&names);
    }
    output_heading(out, 2, "Attributes and pairs", ", and the powers of their terms");
    table_print(t, out->stream, 2, 0);
    if (shown < count) output_remark(out, "and %zu more (--all)", count - shown);
    if (count < possible) output_remark(out, "%zu of %zu are left out", possible - count, possible);
    table_destroy(t);
    free(pairs);
    return ENDED_WELL;
}

/* That there are fewer than were asked for. */
static void print_early_end(output *out, const crd_classifier *classifier) {
    static const char boosting[] = "boosting:";
    const char *method = crd_settings_get(crd_classifier_settings(classifier), "method");
    size_t count = crd_classifier_member_count(classifier);
    if (method == NULL || strncmp(method, boosting, strlen(boosting)) != 0) return;
    const char *asked = method + strlen(boosting);
    if (count >= strtoull(asked, NULL, 10)) return;
    output_remark(out, "%zu of %s: boosting ended, for the last one tried was no better than chance or never wrong",
                  count, asked);
}

static int print_members(output *out, const crd_classifier *classifier, bool all) {
    size_t count = crd_classifier_member_count(classifier), shown = all || count <= LINES_SHOWN ? count : LINES_SHOWN;
    char room[ROUNDED_ROOM];
    int ended = ENDED_WELL;
    if (crd_classifier_ensemble_rule(classifier) == NULL) return ENDED_WELL;
    table *t = table_create_for(out, 2);
    table_add(t, "");
    table_add(t, "weight");
    for (size_t i = 0; ended == ENDED_WELL && i < shown; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        crd_error error;
        string name = {0};
        if (crd_classifier_member(classifier, i, &member, &error) != CRD_OK) ended = message_error(&error);
        else ensemble_add_member(&name, member.classifier, i);
        table_add(t, string_text(&name));
        table_add(t, output_round(member.weight, room));
        string_free(&name);
    }
    if (ended == ENDED_WELL) {
        output_heading(out, 2, "Members", "");
        table_print(t, out->stream, 2, 0);
        if (shown < count) output_remark(out, "and %zu members more (--all)", count - shown);
        print_early_end(out, classifier);
        output_remark(out, "pooled: %s", ensemble_pool_rule(classifier));
    }
    table_destroy(t);
    return ended;
}

static size_t count_points(const crd_classifier *classifier, size_t class_index) {
    double from, to;
    size_t count = 0;
    while (crd_classifier_calibration_point(classifier, class_index, count, &from, &to) != 0) count++;
    return count;
}

static void print_calibration(output *out, const crd_classifier *classifier) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    size_t classes = crd_classifier_class_count(classifier), points = 0;
    char room[ROUNDED_ROOM];
    if (crd_classifier_calibration(classifier, &calibration) == 0) return;
    output_heading(out, 2, "Calibration", "");
    if (strcmp(calibration.rule, "isotonic") == 0) {
        for (size_t k = 0; k < classes; k++) points += count_points(classifier, k);
        output_remark(out, "isotonic: a rising line for each class, of %zu points in all", points);
        return;
    }
    string line = {0};
    string_format(&line, "scaling: log probabilities times %s", output_round(calibration.slope, room));
    for (size_t k = 0; k < classes && classes <= LINES_SHOWN; k++) {
        double from, offset = 0;
        crd_classifier_calibration_point(classifier, k, 0, &from, &offset);
        string_format(&line, "%s%s for ", k == 0 ? ", plus " : ", ", output_round(offset, room));
        string_add_shown(&line, crd_classifier_class(classifier, k));
    }
    output_remark(out, "%s", string_text(&line));
    string_free(&line);
}

int show_parts_print(output *out, const crd_classifier *classifier, bool all) {
    int ended = print_joints(out, classifier);
    if (ended == ENDED_WELL) ended = print_pairs(out, classifier, all);
    if (ended == ENDED_WELL) ended = print_members(out, classifier, all);
    if (ended == ENDED_WELL) print_calibration(out, classifier);
    return ended;
}

/* ---- JSON ---- */

void show_parts_write_attribute(json *j, const crd_classifier *classifier, size_t attribute) {
    double exponent = crd_classifier_attribute_weight(classifier, attribute);
    if (exponent != 1) json_member_number(j, "exponent", exponent);
}

void show_parts_write_kept(json *j, const crd_summary *summary) {
    size_t tallies = crd_summary_tally_count(summary), bundles = crd_summary_bundle_count(summary);
    if (tallies + bundles == 0) return;
    json_key(j, "kept");
    json_array(j);
    for (size_t i = 0; i < tallies; i++) {
        json_object(j);
        json_member_text(j, "tally", crd_text_of(crd_summary_tally(summary, i)));
        json_end_object(j);
    }
    for (size_t i = 0; i < bundles; i++) {
        json_object(j);
        json_member_text(j, "tally", crd_text_of(crd_summary_bundle(summary, i)));
        json_key(j, "attributes");
        json_array(j);
        for (size_t a = 0; a < crd_summary_bundle_size(summary, i); a++)
            json_text(j, crd_summary_attribute(summary, crd_summary_bundle_attribute(summary, i, a)));
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

static void write_names(json *j, const crd_classifier *classifier, const size_t *attributes, size_t count) {
    json_key(j, "attributes");
    json_array(j);
    for (size_t i = 0; i < count; i++) json_text(j, crd_classifier_attribute(classifier, attributes[i]));
    json_end_array(j);
}

static int write_joints(json *j, const crd_classifier *classifier) {
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(classifier), sizeof *attributes);
    int ended = ENDED_WELL;
    json_key(j, "joints");
    json_array(j);
    for (size_t i = 0; ended == ENDED_WELL && i < crd_classifier_joint_count(classifier); i++) {
        crd_joint joint = CRD_JOINT_INIT;
        crd_error error;
        if (crd_classifier_joint(classifier, i, &joint, &error) != CRD_OK ||
            crd_classifier_joint_attributes(classifier, i, attributes, &error) != CRD_OK) {
            ended = message_error(&error);
            break;
        }
        json_object(j);
        json_member_text(j, "joint", crd_text_of(joint.name));
        write_names(j, classifier, attributes, joint.attribute_count);
        json_member_text(j, "description", crd_text_of(joint.description));
        json_end_object(j);
    }
    json_end_array(j);
    free(attributes);
    return ended;
}

static int write_pairs(json *j, const crd_classifier *classifier) {
    crd_pair *pairs = NULL;
    size_t count = 0;
    int ended = find_pairs(classifier, &pairs, &count);
    if (ended != ENDED_WELL) return ended;
    json_key(j, "pairs");
    json_array(j);
    for (size_t i = 0; i < count; i++) {
        json_object(j);
        write_names(j, classifier, pairs[i].attributes, pairs[i].attributes[0] == pairs[i].attributes[1] ? 1 : 2);
        json_member_number(j, "exponent", pairs[i].exponent);
        json_end_object(j);
    }
    json_end_array(j);
    free(pairs);
    return ENDED_WELL;
}

static int write_members(json *j, const crd_classifier *classifier) {
    json_member_text(j, "pool", crd_text_of(crd_classifier_ensemble_rule(classifier)));
    json_key(j, "members");
    json_array(j);
    for (size_t i = 0; i < crd_classifier_member_count(classifier); i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        crd_error error;
        if (crd_classifier_member(classifier, i, &member, &error) != CRD_OK) return message_error(&error);
        json_object(j);
        json_member_number(j, "weight", member.weight);
        json_key(j, "settings");
        term_text_settings_json(j, crd_classifier_settings(member.classifier));
        json_end_object(j);
    }
    json_end_array(j);
    json_key(j, "log_factors");
    json_object(j);
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
        json_key_text(j, crd_classifier_class(classifier, k));
        json_number(j, crd_classifier_ensemble_factor(classifier, k));
    }
    json_end_object(j);
    return ENDED_WELL;
}

static void write_calibration(json *j, const crd_classifier *classifier, const crd_calibration *calibration) {
    bool is_isotonic = strcmp(calibration->rule, "isotonic") == 0;
    json_key(j, "calibration");
    json_object(j);
    json_member_text(j, "rule", crd_text_of(calibration->rule));
    if (!is_isotonic) json_member_number(j, "slope", calibration->slope);
    json_key(j, is_isotonic ? "lines" : "offsets");
    json_object(j);
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
        double from, to = 0;
        json_key_text(j, crd_classifier_class(classifier, k));
        if (is_isotonic) json_array(j);
        for (size_t i = 0; crd_classifier_calibration_point(classifier, k, i, &from, &to) != 0; i++) {
            if (is_isotonic) {
                json_array(j);
                json_number(j, from);
            }
            json_number(j, to);
            if (is_isotonic) json_end_array(j);
        }
        if (is_isotonic) json_end_array(j);
    }
    json_end_object(j);
    json_end_object(j);
}

int show_parts_write(json *j, const crd_classifier *classifier) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    int ended = ENDED_WELL;
    if (crd_classifier_joint_count(classifier) > 0) ended = write_joints(j, classifier);
    if (ended == ENDED_WELL && crd_classifier_pair_count(classifier) > 0) ended = write_pairs(j, classifier);
    if (ended == ENDED_WELL && crd_classifier_ensemble_rule(classifier) != NULL) ended = write_members(j, classifier);
    if (ended == ENDED_WELL && crd_classifier_calibration(classifier, &calibration) != 0)
        write_calibration(j, classifier, &calibration);
    return ended;
}
