/* explain_dependence.c - see explain_dependence.h. */
#include "verbs/explain/explain_dependence.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "source/data_input.h"

#include <stdlib.h>
#include <string.h>

/* Pairs that are shown unless all are asked for. */
enum { PAIRS_SHOWN = 5 };

int dependence_check(const invocation *call) {
    const arguments *words = &call->arguments;
    const char *path = arguments_value(words, "data");
    if (path == NULL) return ENDED_WELL;
    for (size_t i = 0; strcmp(path, "-") == 0 && i < words->operand_count; i++) {
        if (strcmp(words->operands[i], "-") == 0) return message_usage("standard input is read once only");
    }
    return output_check_inputs(call, &path, 1);
}

int dependence_read(const invocation *call, const crd_model *model, crd_dependence **out) {
    const char *path = arguments_value(&call->arguments, "data");
    crd_error error;
    data d;
    *out = NULL;
    if (path == NULL) return ENDED_WELL;
    int ended = data_open_for(call, model, &path, 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    if (crd_model_bind_to_learn(model, d.reader, &error) != CRD_OK ||
        crd_dependence_create(model, out, &error) != CRD_OK || crd_dependence_read(*out, d.reader, &error) != CRD_OK) {
        ended = message_error_in(&error, path);
        crd_dependence_destroy(*out);
        *out = NULL;
    }
    data_close(&d);
    return ended;
}

/* All pairs, most important first; how many of them matter. */
static int take_pairs(const crd_dependence *dependence, crd_dependent_pair **out, size_t *count, size_t *matter) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_error error;
    crd_dependence_facts_of(dependence, &facts);
    *out = memory_resize(NULL, facts.pairs, sizeof **out);
    (*out)[0].size = sizeof **out;
    if (crd_dependence_pairs(dependence, *out, facts.pairs, count, &error) != CRD_OK) {
        free(*out);
        *out = NULL;
        return message_error(&error);
    }
    *matter = 0;
    while (*matter < *count && (*out)[*matter].matters) ++*matter;
    return ENDED_WELL;
}

int dependence_write_json(json *j, const crd_dependence *dependence, const crd_classifier *classifier) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_dependent_pair *pairs;
    size_t count = 0, matter = 0;
    int ended = take_pairs(dependence, &pairs, &count, &matter);
    if (ended != ENDED_WELL) return ended;
    crd_dependence_facts_of(dependence, &facts);
    json_object(j);
    json_key(j, "pairs");
    json_array(j);
    for (size_t i = 0; i < matter; i++) {
        json_object(j);
        json_key(j, "attributes");
        json_array(j);
        for (size_t side = 0; side < 2; side++) {
            json_text(j, crd_classifier_attribute(classifier, pairs[i].attributes[side]));
        }
        json_end_array(j);
        json_member_number(j, "bits", pairs[i].bits);
        json_member_number(j, "rows", pairs[i].rows);
        json_member_number(j, "statistic", pairs[i].statistic);
        json_member_number(j, "degrees", pairs[i].degrees);
        json_end_object(j);
    }
    json_end_array(j);
    json_member_number(j, "rows", facts.rows);
    json_member_number(j, "attributes", (double)facts.attributes);
    json_member_number(j, "attributes_paired", (double)facts.columns);
    json_member_number(j, "pairs_measured", (double)facts.pairs);
    json_member_number(j, "pairs_left_out", (double)facts.left_out);
    json_end_object(j);
    json_end_line(j);
    free(pairs);
    return ENDED_WELL;
}

/* ---- On paper ---- */

static bool is_number(const crd_classifier *classifier, size_t attribute) {
    return crd_classifier_kind(classifier, attribute) == CRD_KIND_NUMBER;
}

static bool both_numbers(const crd_classifier *classifier, const crd_dependent_pair *pair) {
    return is_number(classifier, pair->attributes[0]) && is_number(classifier, pair->attributes[1]);
}

/* The numbers that hang together with the first pair of numbers: pair by pair, whatever else is linked is added. */
static bool add_block(string *out, const crd_classifier *classifier, const crd_dependent_pair *pairs, size_t count) {
    size_t attributes = crd_classifier_attribute_count(classifier), added = 0;
    bool *is_in = memory_resize(NULL, attributes, sizeof *is_in);
    for (size_t a = 0; a < attributes; a++) is_in[a] = false;
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < count; i++) {
            size_t a = pairs[i].attributes[0], b = pairs[i].attributes[1];
            bool begins = added == 0, links = is_in[a] != is_in[b];
            if (!both_numbers(classifier, &pairs[i]) || !(begins || links)) continue;
            is_in[a] = is_in[b] = grows = true;
            added += begins ? 2 : 1;
        }
    }
    for (size_t a = 0, listed = 0; a < attributes; a++) {
        if (!is_in[a]) continue;
        if (listed++ > 0) string_add_char(out, ',');
        list_add_typed(out, crd_classifier_attribute(classifier, a));
    }
    free(is_in);
    return added > 0;
}

/* Whether the method takes attributes for independent within a class, but for those of --joint. */
static bool is_naive(const char *method) {
    return strcmp(method, "naive") == 0 || strncmp(method, "bagging", 7) == 0 || strncmp(method, "boosting", 8) == 0;
}

/* Whether the model has both in one block. */
static bool are_together(const crd_classifier *classifier, const crd_dependent_pair *pair) {
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(classifier), sizeof *attributes);
    bool together = false;
    for (size_t i = 0; i < crd_classifier_joint_count(classifier) && !together; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        size_t found = 0;
        if (crd_classifier_joint(classifier, i, &joint, NULL) != CRD_OK ||
            crd_classifier_joint_attributes(classifier, i, attributes, NULL) != CRD_OK)
            continue;
        for (size_t a = 0; a < joint.attribute_count; a++)
            found += attributes[a] == pair->attributes[0] || attributes[a] == pair->attributes[1];
        together = found == 2;
    }
    free(attributes);
    return together;
}

static void print_categories_together(output *out, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                                      size_t count) {
    string names = {0};
    for (size_t i = 0; i < count && names.length == 0; i++) {
        size_t a = pairs[i].attributes[0], b = pairs[i].attributes[1];
        if (is_number(classifier, a) || is_number(classifier, b) || are_together(classifier, &pairs[i])) continue;
        list_add_typed(&names, crd_classifier_attribute(classifier, a));
        string_add_char(&names, ',');
        list_add_typed(&names, crd_classifier_attribute(classifier, b));
    }
    if (names.length > 0)
        output_line(out, "Training with --joint %s takes these two together, by a table.", string_text(&names));
    string_free(&names);
}

/* What would mend it. */
static void print_remedy(output *out, const crd_classifier *classifier, const crd_dependent_pair *pairs, size_t count) {
    const char *method = crd_settings_get(crd_classifier_settings(classifier), "method");
    string block = {0};
    size_t apart = 0;
    bool has_category = false;
    for (size_t i = 0; i < count; i++) apart += !are_together(classifier, &pairs[i]);
    if (method != NULL && !is_naive(method)) {
        output_paragraph(out, "The model's method, %s, does not take them for independent.", method);
        return;
    }
    if (apart == 0) {
        output_paragraph(out, "The model takes them together already.");
        return;
    }
    for (size_t i = 0; i < count; i++) has_category |= !both_numbers(classifier, &pairs[i]);
    output_paragraph(out, "Naive Bayes counts twice what two of these have in common, and is too sure where it does.");
    if (add_block(&block, classifier, pairs, count)) {
        output_line(out, "Training with --joint %s takes these numbers together.", string_text(&block));
    }
    print_categories_together(out, classifier, pairs, count);
    if (has_category)
        output_line(out, "Training with --method a1de lets each attribute depend on every other in turn.");
    string_free(&block);
}

static void print_pairs(output *out, const crd_classifier *classifier, const crd_dependent_pair *pairs, size_t count) {
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t side = 0; side < 2; side++) {
            table_add_name(t, crd_classifier_attribute(classifier, pairs[i].attributes[side]));
        }
        table_add(t, output_round(pairs[i].bits, room));
    }
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

/* What was not looked at. */
static void print_limits(output *out, const crd_dependence_facts *facts) {
    if (facts->columns < facts->attributes) {
        output_remark(out, "only the %zu attributes of %zu that tell most about the class were paired", facts->columns,
                      facts->attributes);
    }
    if (facts->left_out > 0) {
        output_remark(out, "%zu pair%s left out, with too many values to count together", facts->left_out,
                      facts->left_out == 1 ? "" : "s");
    }
}

int dependence_print(output *out, const crd_dependence *dependence, const crd_classifier *classifier, bool all) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_dependent_pair *pairs;
    size_t count = 0, matter = 0;
    char room[ROUNDED_ROOM];
    int ended = take_pairs(dependence, &pairs, &count, &matter);
    if (ended != ENDED_WELL) return ended;
    crd_dependence_facts_of(dependence, &facts);
    if (count == 0) {
        output_paragraph(out, "There are no two attributes that could depend on each other.");
        print_limits(out, &facts);
    } else if (matter == 0) {
        output_paragraph(out, "No pair of attributes, of %zu, breaks independence within a class enough to matter.",
                         count);
        print_limits(out, &facts);
    } else {
        size_t shown = all || matter <= PAIRS_SHOWN ? matter : PAIRS_SHOWN;
        string rest = {0};
        string_format(&rest, ", by bits that they share in a row (%s rows, %zu of %zu pairs)",
                      output_count(facts.rows, room), matter, count);
        output_heading(out, 3, "Not independent within a class", string_text(&rest));
        print_pairs(out, classifier, pairs, shown);
        if (shown < matter) output_remark(out, "and %zu more: --all shows them", matter - shown);
        print_limits(out, &facts);
        print_remedy(out, classifier, pairs, shown);
        string_free(&rest);
    }
    free(pairs);
    return ENDED_WELL;
}
