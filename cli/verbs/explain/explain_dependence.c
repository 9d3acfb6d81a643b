/* SPDX-License-Identifier: MIT */
/* explain_dependence.c - see explain_dependence.h. */
#include "verbs/explain/explain_dependence.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/data_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many pairs the text report lists without --all. */
enum { PAIRS_SHOWN = 5 };

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

/* Sets *out to all pairs, most important first, and *matter to how many of them matter. The caller frees the pairs. */
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

static bool dependence_is_number(const crd_classifier *classifier, size_t attribute) {
    return crd_classifier_attribute_type(classifier, attribute) == CRD_TYPE_NUMERIC;
}

static bool both_numbers(const crd_classifier *classifier, const crd_dependent_pair *pair) {
    return dependence_is_number(classifier, pair->attributes[0]) &&
           dependence_is_number(classifier, pair->attributes[1]);
}

/* Adds the names of a set of dependent numeric attributes: the connected component of the first pair, where pairs
 * are the
 * edges. Returns false if no pair has two numeric attributes. */
static bool dependence_add_block(string *out, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                                 size_t count) {
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

/* Returns whether the method assumes that attributes are independent within a class, except those of --joint. */
static bool dependence_is_naive(const char *method) {
    return strcmp(method, "naive") == 0 || strncmp(method, "bagging", 7) == 0 || strncmp(method, "boosting", 8) == 0;
}

/* Returns whether the model has a joint density of both attributes. */
static bool are_together(const crd_classifier *classifier, const crd_dependent_pair *pair) {
    size_t *attributes = memory_resize(NULL, crd_classifier_attribute_count(classifier), sizeof *attributes);
    bool together = false;
    for (size_t i = 0; i < crd_classifier_joint_count(classifier) && !together; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        size_t matches = 0;
        if (crd_classifier_joint(classifier, i, &joint, NULL) != CRD_OK ||
            crd_classifier_joint_attributes(classifier, i, attributes, NULL) != CRD_OK)
            continue;
        for (size_t a = 0; a < joint.attribute_count; a++)
            matches += attributes[a] == pair->attributes[0] || attributes[a] == pair->attributes[1];
        together = matches == 2;
    }
    free(attributes);
    return together;
}

/* Recommends --joint for the first pair of categorical attributes without a joint table. */
static void report_categories_together(crd_result *r, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                                       size_t count) {
    string names = {0};
    for (size_t i = 0; i < count && names.length == 0; i++) {
        size_t a = pairs[i].attributes[0], b = pairs[i].attributes[1];
        if (dependence_is_number(classifier, a) || dependence_is_number(classifier, b) ||
            are_together(classifier, &pairs[i]))
            continue;
        list_add_typed(&names, crd_classifier_attribute(classifier, a));
        string_add_char(&names, ',');
        list_add_typed(&names, crd_classifier_attribute(classifier, b));
    }
    if (names.length > 0)
        crd_result_line(r, CRD_LINE, "To give these two a joint table, train with --joint %s.", string_text(&names));
    string_free(&names);
}

/* Recommends settings that model the dependencies. */
static void report_remedy(crd_result *r, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                          size_t count) {
    const char *method = crd_settings_get(crd_classifier_settings(classifier), "method");
    string block = {0};
    size_t apart = 0;
    bool has_category = false;
    for (size_t i = 0; i < count; i++) apart += !are_together(classifier, &pairs[i]);
    if (method != NULL && !dependence_is_naive(method)) {
        crd_result_line(r, CRD_PARAGRAPH, "The method %s does not assume that they are independent.", method);
        return;
    }
    if (apart == 0) {
        crd_result_line(r, CRD_PARAGRAPH, "The model already has a joint density of them.");
        return;
    }
    for (size_t i = 0; i < count; i++) has_category |= !both_numbers(classifier, &pairs[i]);
    crd_result_line(r, CRD_PARAGRAPH,
                    "Naive Bayes counts the information shared by two of these attributes twice, so its "
                    "probabilities are overconfident.");
    if (dependence_add_block(&block, classifier, pairs, count)) {
        crd_result_line(r, CRD_LINE, "To give these numbers a joint density, train with --joint %s.",
                        string_text(&block));
    }
    report_categories_together(r, classifier, pairs, count);
    if (has_category)
        crd_result_line(r, CRD_LINE, "To let each attribute depend on every other in turn, train with --method aode.");
    string_free(&block);
}

/* Reports the pairs that matter, with their mutual information in bits. */
static void dependence_report_pairs(crd_result *r, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                                    size_t count, bool all) {
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    if (!all) t->rows_shown = PAIRS_SHOWN;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    crd_result_add_column(t, NULL, "");
    crd_result_begin(r, CRD_ARRAY, "pairs");
    for (size_t i = 0; i < count; i++) {
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_begin(r, CRD_ARRAY, "attributes");
        for (size_t side = 0; side < 2; side++) {
            crd_text name = crd_classifier_attribute(classifier, pairs[i].attributes[side]);
            crd_result_text(r, NULL, name);
            crd_cell_name(t, name);
        }
        crd_result_end(r);
        crd_result_number(r, "bits", pairs[i].bits);
        crd_result_number(r, "rows", pairs[i].rows);
        crd_result_number(r, "statistic", pairs[i].statistic);
        crd_result_number(r, "degrees", pairs[i].degrees);
        crd_result_end(r);
        crd_cell_number(t, pairs[i].bits);
    }
    crd_result_end(r);
    if (count > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", count - t->rows_shown);
}

/* Reports which attributes and pairs were measured, and which were not. */
static void report_limits(crd_result *r, const crd_dependence_facts *facts) {
    crd_result_number(r, "rows", facts->rows);
    crd_result_number(r, "attributes", (double)facts->attributes);
    crd_result_number(r, "attributes_paired", (double)facts->columns);
    crd_result_number(r, "pairs_measured", (double)facts->pairs);
    crd_result_number(r, "pairs_left_out", (double)facts->left_out);
    if (facts->columns < facts->attributes) {
        crd_result_line(r, CRD_REMARK, "only the %zu most informative of %zu attributes were paired", facts->columns,
                        facts->attributes);
    }
    if (facts->left_out > 0) {
        crd_result_line(r, CRD_REMARK, "%zu pair%s left out, with too many values to count jointly", facts->left_out,
                        facts->left_out == 1 ? "" : "s");
    }
}

/* Draws a heat map of the mutual information. The attributes of the strongest pairs come first. */
static int dependence_draw_pairs(crd_result *r, const crd_classifier *classifier, const crd_dependent_pair *pairs,
                                 size_t count) {
    size_t attributes = crd_classifier_attribute_count(classifier), used = 0;
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || count == 0) return ENDED_WELL;
    size_t *places = memory_resize(NULL, attributes, sizeof *places);
    crd_text *names = memory_resize(NULL, attributes, sizeof *names);
    for (size_t a = 0; a < attributes; a++) places[a] = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        for (size_t side = 0; side < 2; side++) {
            size_t a = pairs[i].attributes[side];
            if (places[a] != SIZE_MAX) continue;
            names[used] = crd_classifier_attribute(classifier, a);
            places[a] = used++;
        }
    double *bits = memory_resize(NULL, used * used, sizeof *bits);
    for (size_t i = 0; i < used * used; i++) bits[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        size_t a = places[pairs[i].attributes[0]], b = places[pairs[i].attributes[1]];
        bits[a * used + b] = bits[b * used + a] = fmax(pairs[i].bits, 0);
    }
    crd_plot_heat_map map = CRD_PLOT_HEAT_MAP_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    map.names = names;
    map.count = used;
    map.values = bits;
    map.unit = crd_text_of("bits per row");
    options.title = crd_text_of("Dependence within classes: mutual information of pairs");
    crd_status status = crd_plot_draw_heat_map(crd_result_context(r), &map, &options, &svg, &error);
    free(places);
    free(names);
    free(bits);
    return report_add_picture(r, status, &svg, &error);
}

int dependence_report(crd_result *r, const crd_dependence *dependence, const crd_classifier *classifier, bool all) {
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_dependent_pair *pairs;
    size_t count = 0, matter = 0;
    char buffer[CRD_NUMBER_ROOM];
    int ended = take_pairs(dependence, &pairs, &count, &matter);
    if (ended != ENDED_WELL) return ended;
    crd_dependence_facts_of(dependence, &facts);
    if (count == 0)
        crd_result_line(r, CRD_PARAGRAPH, "The model has fewer than two attributes that could depend on each other.");
    else if (matter == 0)
        crd_result_line(r, CRD_PARAGRAPH,
                        "No dependence within a class is large enough to matter, among %zu pairs of attributes.",
                        count);
    else
        crd_result_heading(r, 3, "Dependent within a class",
                           crd_result_format(r, ", by mutual information in bits per row (%s rows, %zu of %zu pairs)",
                                             crd_number_count(facts.rows, buffer), matter, count));
    crd_result_begin(r, CRD_OBJECT, NULL);
    dependence_report_pairs(r, classifier, pairs, matter, all);
    report_limits(r, &facts);
    crd_result_end(r);
    if (matter > 0) report_remedy(r, classifier, pairs, all || matter <= PAIRS_SHOWN ? matter : PAIRS_SHOWN);
    ended = dependence_draw_pairs(r, classifier, pairs, count);
    free(pairs);
    return ended;
}
