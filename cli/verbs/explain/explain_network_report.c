/* SPDX-License-Identifier: MIT */
/* explain_network_report.c - see explain_network_report.h. */
#include "verbs/explain/explain_network_report.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/network_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text report lists at most this many states and sentences without --all. */
enum { STATES_SHOWN = 20, SENTENCES_SHOWN = 10 };
/* With more findings than this, the report does not search for findings that screen off others, which would take
 * long. */
enum { SCREENS_LOOKED_FOR = 100 };

/* ---- Distributions ---- */

static void report_distribution(crd_result *r, const char *key, const explained *e, size_t node,
                                const double *numbers) {
    crd_result_begin(r, CRD_OBJECT, key);
    for (size_t i = 0; i < crd_network_state_count(e->network, node); i++)
        report_number_named(r, crd_network_state(e->network, node, i), numbers[i]);
    crd_result_end(r);
}

/* Reports the distribution of the node before and after the evidence. */
static void network_explanation_report_posterior(crd_result *r, const explained *e, bool all) {
    size_t states = crd_network_state_count(e->network, e->node);
    const double *before = e->reasons->before, *after = e->reasons->after;
    report_distribution(r, "before", e, e->node, before);
    report_distribution(r, "posterior", e, e->node, after);
    crd_result_number(r, "log_evidence", e->reasons->log_evidence);
    crd_result_heading(r, e->level, crd_result_show(r, crd_network_node_name(e->network, e->node)), "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    if (!all) t->rows_shown = STATES_SHOWN;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "before");
    if (e->count > 0) crd_result_add_column(t, NULL, "after all");
    for (size_t i = 0; i < states; i++) {
        crd_cell_name(t, crd_network_state(e->network, e->node, i));
        crd_cell_number(t, before[i]);
        if (e->count > 0) crd_cell_number(t, after[i]);
    }
    if (states > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more states (--all)", states - t->rows_shown);
}

static void network_explanation_report_path(crd_result *r, const explained *e, const size_t *path, size_t length) {
    if (path == NULL) {
        crd_result_number(r, "path", NAN);
        return;
    }
    crd_result_begin(r, CRD_ARRAY, "path");
    for (size_t i = 0; i < length; i++) crd_result_text(r, NULL, crd_network_node_name(e->network, path[i]));
    crd_result_end(r);
}

/* Adds a weight of evidence in nats and as a factor, such as "+1.2" and "×3.3". */
static void network_explanation_add_weight(crd_result_table *t, double nats) {
    char buffer[CRD_NUMBER_ROOM];
    if (isinf(nats)) {
        crd_cell_words(t, nats > 0 ? "+∞" : "-∞");
        crd_cell_words(t, nats > 0 ? "×∞" : "×0");
        return;
    }
    crd_cell_format(t, "%s%s", nats > 0 ? "+" : "", crd_number_round(nats, buffer));
    crd_cell_format(t, "×%s", crd_number_round(crd_exp(nats), buffer));
}

/* Reports a finding as a JSON object and as a line of the text table. */
static void report_finding(crd_result_table *t, const explained *e, size_t index) {
    crd_result *r = t->result;
    const crd_finding *finding = &e->findings[index];
    string text = {0};
    network_add_finding(&text, e->network, finding);
    crd_cell_name(t, (crd_text){text.bytes, text.length});
    string_free(&text);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "node", crd_network_node_name(e->network, finding->node));
    if (crd_network_node_kind(e->network, finding->node) == CRD_NODE_GAUSSIAN)
        crd_result_number(r, "number", finding->number);
    else if (finding->likelihoods == NULL)
        crd_result_text(r, "state", crd_network_state(e->network, finding->node, finding->state));
    else report_distribution(r, "likelihood", e, finding->node, finding->likelihoods);
    if (e->reasons->findings[index].is_premise) {
        for (size_t column = 1; column < t->column_count; column++) crd_cell_words(t, column == 1 ? "decided" : "");
        crd_result_end(r);
        return;
    }
    size_t length;
    const double *alone = e->reasons->findings[index].alone, *without = e->reasons->findings[index].without;
    const size_t *path = e->reasons->findings[index].path;
    length = e->reasons->findings[index].path_length;
    double weight = crd_evidence_analysis_weight(e->reasons, index, e->state);
    report_distribution(r, "alone", e, e->node, alone);
    report_distribution(r, "without", e, e->node, without);
    crd_result_number(r, "weight", weight);
    crd_result_number(r, "information", e->reasons->findings[index].information);
    network_explanation_report_path(r, e, path, length);
    crd_result_end(r);
    crd_cell_number(t, alone[e->state]);
    crd_cell_number(t, without[e->state]);
    crd_cell_number(t, e->reasons->after[e->state]);
    network_explanation_add_weight(t, weight);
}

/* Reports the impact of each finding on the explained state. */
static void report_findings(crd_result *r, const explained *e) {
    static const char *const titles[] = {"finding", "with it only", "without it", "with all", "nats", "odds"};
    string text = {0};
    network_add_state(&text, e->network, e->node, e->state);
    if (e->count > 0) crd_result_heading(r, e->level, "Impact of each finding on ", string_text(&text));
    string_free(&text);
    crd_result_begin(r, CRD_ARRAY, "findings");
    if (e->count > 0) {
        crd_result_table *t = crd_result_add_table(r, NULL);
        t->is_wrapped = true;
        for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) crd_result_add_column(t, NULL, titles[i]);
        for (size_t i = 0; i < e->count; i++) report_finding(t, e, i);
    }
    crd_result_end(r);
}

/* ---- Sentences ---- */

/* Adds a sentence part such as ": without it Burglary=True would be 0.37355, with it 0.0032682". */
static void add_change(string *target_string, const explained *e, size_t finding, size_t state) {
    char buffer[CRD_NUMBER_ROOM];
    string_format(target_string, ": without it ");
    network_add_state(target_string, e->network, e->node, state);
    string_format(target_string, " would be %s",
                  crd_number_round(e->reasons->findings[finding].without[state], buffer));
    string_format(target_string, ", with it %s", crd_number_round(e->reasons->after[state], buffer));
}

/* Reports the finding with the largest impact on the posterior. */
static void report_greatest(crd_result *r, const explained *e) {
    size_t most = e->reasons->most;
    char without[CRD_NUMBER_ROOM], posterior[CRD_NUMBER_ROOM];
    if (most == SIZE_MAX) crd_result_number(r, "moved_most", NAN);
    else crd_result_text(r, "moved_most", crd_network_node_name(e->network, e->findings[most].node));
    if (e->count == 0) return;
    if (most == SIZE_MAX) {
        bool is_exact = e->reasons->approximation == CRD_APPROXIMATION_NEVER;
        crd_result_line(r, CRD_PARAGRAPH, "No finding %s.",
                        is_exact ? "changes the posterior"
                                 : "clearly changes the posterior: the differences may be chance");
        return;
    }
    crd_number_round(e->reasons->findings[most].without[e->state], without);
    crd_number_round(e->reasons->after[e->state], posterior);
    if (strcmp(without, posterior) == 0) {
        crd_result_line(r, CRD_PARAGRAPH, "No finding changes the posterior in the digits shown.");
        return;
    }
    string text = {0};
    network_add_finding(&text, e->network, &e->findings[most]);
    string_format(&text, " has the largest impact");
    add_change(&text, e, most, e->state);
    crd_result_line(r, CRD_PARAGRAPH, "%s.", report_take(r, &text));
}

/* Adds a sentence about the effect of finding k on finding i. Adds nothing if another part of the report describes
 * it. */
static void add_interplay(string *target_string, const explained *e, size_t i, size_t k, crd_interaction interplay,
                          size_t state) {
    const char *between = interplay == CRD_INTERACTION_SCREENS_OFF ? " hardly matters given " : " matters only given ";
    if (interplay == CRD_INTERACTION_EXPLAINS_AWAY) {
        network_add_finding(target_string, e->network, &e->findings[k]);
        string_format(target_string, " explains ");
        network_add_finding(target_string, e->network, &e->findings[i]);
        string_format(target_string, " away");
        add_change(target_string, e, k, state);
        return;
    }
    /* d-separated findings are described with the paths, including the reason. */
    bool is_told = interplay == CRD_INTERACTION_SCREENS_OFF && e->reasons->findings[i].path == NULL;
    if (is_told || i == k) return;
    network_add_finding(target_string, e->network, &e->findings[i]);
    string_format(target_string, "%s", between);
    network_add_finding(target_string, e->network, &e->findings[k]);
    string_format(target_string, " is known");
}

/* Reports in JSON the interaction of findings i and k. */
static void network_explanation_report_pair(crd_result *r, const explained *e, size_t i, size_t k,
                                            crd_interaction interplay, size_t state) {
    static const char *const words[] = {[CRD_INTERACTION_EXPLAINS_AWAY] = "explains away",
                                        [CRD_INTERACTION_SCREENS_OFF] = "screens off",
                                        [CRD_INTERACTION_OPENS] = "opens"};
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "finding", crd_network_node_name(e->network, e->findings[k].node));
    crd_result_words(r, "does", words[interplay]);
    crd_result_text(r, "to", crd_network_node_name(e->network, e->findings[i].node));
    report_distribution(r, "without_both", e, e->node, crd_evidence_analysis_without_both(e->reasons, i, k));
    crd_result_text(r, "of", crd_network_state(e->network, e->node, state));
    if (interplay == CRD_INTERACTION_EXPLAINS_AWAY) {
        size_t length;
        const size_t *path = crd_evidence_analysis_meeting(e->reasons, i, k, &length);
        network_explanation_report_path(r, e, path, length);
    }
    crd_result_end(r);
}

/* Reports the interactions of all pairs of findings. */
static void report_interplay(crd_result *r, const explained *e, bool all) {
    size_t interactions = 0;
    crd_result_begin(r, CRD_ARRAY, "interplay");
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; k < e->count; k++) {
            string text = {0};
            size_t state = e->state;
            crd_interaction interplay = crd_evidence_analysis_interplay(e->reasons, i, k, &state);
            if (interplay == CRD_INTERACTION_NONE) continue;
            network_explanation_report_pair(r, e, i, k, interplay, state);
            add_interplay(&text, e, i, k, interplay, state);
            if (text.length > 0 && (interactions++ < SENTENCES_SHOWN || all))
                crd_result_line(r, CRD_PARAGRAPH, "%s.", string_text(&text));
            string_free(&text);
        }
    crd_result_end(r);
    if (!all && interactions > SENTENCES_SHOWN) {
        crd_result_line(r, CRD_PARAGRAPH, "%zu more pairs of findings interact (--all).",
                        interactions - SENTENCES_SHOWN);
    }
    if (e->count > CRD_EVIDENCE_ANALYSIS_PAIRS)
        crd_result_line(r, CRD_PARAGRAPH, "Explaining away is computed for up to %d findings.",
                        CRD_EVIDENCE_ANALYSIS_PAIRS);
}

/* ---- Paths ---- */

/* Sets *is to whether a finding is d-separated from the explained node given some nodes. */
static int network_explanation_is_separated(const explained *e, size_t finding, const size_t *given, size_t count,
                                            bool *is) {
    size_t *path = NULL, length = 0;
    int separated = 0;
    crd_error error;
    if (crd_network_separation(e->network, e->node, e->findings[finding].node, given, count, &separated, &path, &length,
                               &error) != CRD_OK) {
        return message_error(&error);
    }
    crd_free(e->context, path);
    *is = separated != 0;
    return ENDED_WELL;
}

/* Finds a minimal set of other findings that d-separates a finding from the node: without any of them the rest
 * would not
 * be sufficient. */
static int find_screens(const explained *e, size_t finding, size_t *screens, size_t *count) {
    int ended = ENDED_WELL;
    *count = 0;
    for (size_t k = 0; k < e->count; k++)
        if (k != finding && e->findings[k].likelihoods == NULL) screens[(*count)++] = e->findings[k].node;
    for (size_t k = *count; k-- > 0 && ended == ENDED_WELL;) {
        size_t spared = screens[k];
        bool is = false;
        screens[k] = screens[*count - 1];
        ended = network_explanation_is_separated(e, finding, screens, *count - 1, &is);
        if (is) {
            (*count)--;
        } else {
            screens[k] = spared;
        }
    }
    return ended;
}

/* Adds the reason why a finding is d-separated from the node. */
static int network_explanation_add_reason(string *target_string, const explained *e, size_t finding) {
    bool is = false;
    size_t count = 0;
    size_t *screens = memory_resize(NULL, e->count, sizeof *screens);
    int ended = network_explanation_is_separated(e, finding, NULL, 0, &is);
    if (ended == ENDED_WELL && !is && e->count <= SCREENS_LOOKED_FOR) ended = find_screens(e, finding, screens, &count);
    string_format(target_string, is ? "independent of it, with or without the other findings" : "adds no information");
    for (size_t i = 0; i < count; i++) {
        string_format(target_string, i == 0 ? " once " : i + 1 < count ? ", " : " and ");
        network_add_node(target_string, e->network, screens[i]);
    }
    if (!is) string_format(target_string, count == 0 ? ", given the others" : count == 1 ? " is known" : " are known");
    free(screens);
    return ended;
}

static bool is_same_path(const size_t *a, size_t a_length, const size_t *b, size_t b_length) {
    bool is = a_length == b_length;
    for (size_t i = 0; is && i < a_length; i++) is = a[i] == b[i];
    return is;
}

/* Adds the paths by which a finding explains others away, if they differ from its shortest path. */
static void add_meetings(crd_result_table *t, const explained *e, size_t finding) {
    size_t shown_length, length;
    const size_t *shown = e->reasons->findings[finding].path;
    shown_length = e->reasons->findings[finding].path_length;
    string text = {0};
    for (size_t i = 0; i < e->count; i++) {
        size_t state = e->state;
        if (i == finding ||
            crd_evidence_analysis_interplay(e->reasons, i, finding, &state) != CRD_INTERACTION_EXPLAINS_AWAY)
            continue;
        const size_t *path = crd_evidence_analysis_meeting(e->reasons, i, finding, &length);
        if (is_same_path(path, length, shown, shown_length)) continue;
        string_clear(&text);
        network_add_path(&text, e->network, path, length);
        crd_cell_null(t);
        crd_cell_words(t, string_text(&text));
        shown = path;
        shown_length = length;
    }
    string_free(&text);
}

/* Reports how each finding is connected with the explained node. */
static int network_explanation_report_paths(crd_result *r, const explained *e) {
    int ended = ENDED_WELL;
    crd_result_heading(r, e->level, "Paths to ", crd_result_show(r, crd_network_node_name(e->network, e->node)));
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    for (size_t i = 0; i < e->count && ended == ENDED_WELL; i++) {
        size_t length;
        string text = {0};
        const size_t *path = e->reasons->findings[i].path;
        length = e->reasons->findings[i].path_length;
        if (e->reasons->findings[i].is_premise) continue;
        if (path == NULL) ended = network_explanation_add_reason(&text, e, i);
        else network_add_path(&text, e->network, path, length);
        crd_cell_name(t, crd_network_node_name(e->network, e->findings[i].node));
        crd_cell_words(t, report_take(r, &text));
        add_meetings(t, e, i);
    }
    return ended;
}

/* Reports the standard error of approximate inference. */
static void report_error(crd_result *r, const explained *e) {
    static const char *const approximations[] = {[CRD_APPROXIMATION_WEIGHTING] = "weighting",
                                                 [CRD_APPROXIMATION_GIBBS] = "gibbs",
                                                 [CRD_APPROXIMATION_LOOPY] = "loopy"};
    char buffer[CRD_NUMBER_ROOM];
    double error = e->reasons->error;
    crd_approximation approximation = e->reasons->approximation;
    if (approximation == CRD_APPROXIMATION_NEVER) return;
    crd_result_words(r, "approximation", approximations[approximation]);
    crd_result_number(r, "largest_standard_error", error);
    if (e->count == 0) return;
    if (isnan(error)) crd_result_line(r, CRD_PARAGRAPH, "The posteriors are estimates, and their error is unknown.");
    else
        crd_result_line(
            r, CRD_PARAGRAPH,
            "The posteriors are estimates with standard errors up to %s: differences of that size may be chance.",
            crd_number_round(error, buffer));
}

/* Converts the evidence into the cells of a row. Returns false if that is not possible: for virtual evidence, or
 * for a
 * node that is not an attribute. */
static bool network_explanation_read_cells(const explained *e, crd_value *values) {
    const crd_classifier *classifier = e->what_if->classifier;
    size_t attributes = crd_classifier_attribute_count(classifier), met = 0;
    for (size_t a = 0; a < attributes; a++) {
        size_t node = crd_network_find(e->network, crd_classifier_attribute(classifier, a));
        values[a] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
        for (size_t i = 0; i < e->count; i++) {
            const crd_finding *finding = &e->findings[i];
            if (finding->node != node || finding->likelihoods != NULL) continue;
            met++;
            if (crd_network_node_kind(e->network, node) == CRD_NODE_GAUSSIAN)
                values[a] = (crd_value){CRD_TYPE_NUMERIC, finding->number, {NULL, 0}};
            else values[a] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_network_state(e->network, node, finding->state)};
        }
    }
    return met == e->count;
}

/* Reports counterfactuals and information gain of the evidence as a row of the classifier. */
static int report_what_if(crd_result *r, const explained *e) {
    if (e->what_if == NULL || e->count > crd_classifier_attribute_count(e->what_if->classifier)) return ENDED_WELL;
    size_t attributes = crd_classifier_attribute_count(e->what_if->classifier);
    crd_value *values = memory_resize(NULL, attributes, sizeof *values);
    int ended = network_explanation_read_cells(e, values) ? what_if_report(r, e->what_if, values) : ENDED_WELL;
    free(values);
    return ended;
}

/* ---- Plots ---- */

/* Draws the distribution of the node before and after the evidence. */
static int network_explanation_draw_posterior(crd_result *r, const explained *e) {
    size_t states = crd_network_state_count(e->network, e->node), rows = e->count > 0 ? 2 : 1;
    const crd_text names[2] = {crd_text_of("before"), crd_text_of("after all")};
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    crd_text *columns = memory_resize(NULL, states, sizeof *columns);
    double *cells = memory_resize(NULL, 2 * states, sizeof *cells);
    for (size_t i = 0; i < states; i++) {
        columns[i] = crd_network_state(e->network, e->node, i);
        cells[i] = e->reasons->before[i];
        cells[states + i] = e->reasons->after[i];
    }
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    plot.rows = names;
    plot.row_count = rows;
    plot.states = columns;
    plot.state_count = states;
    plot.probabilities = cells;
    options.title = crd_network_node_name(e->network, e->node);
    options.width = fmin(980, fmax(420, 180 + 130 * (double)states));
    crd_status status = crd_plot_draw_table(crd_result_context(r), &plot, &options, &svg, &error);
    free(columns);
    free(cells);
    return report_add_picture(r, status, &svg, &error);
}

/* Draws the weight of evidence of each finding, given all others. */
static int draw_findings(crd_result *r, const explained *e) {
    size_t count = 0;
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, e->count, sizeof *bars);
    for (size_t i = 0; i < e->count; i++) {
        string text = {0};
        if (e->reasons->findings[i].is_premise) continue;
        network_add_finding(&text, e->network, &e->findings[i]);
        bars[count++] = (crd_plot_bar){.name = crd_text_of(report_take(r, &text)),
                                       .value = crd_evidence_analysis_weight(e->reasons, i, e->state)};
    }
    string title = {0};
    string_format(&title, "Weight of evidence for ");
    network_add_state(&title, e->network, e->node, e->state);
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    evidence.bars = bars;
    evidence.count = count;
    evidence.unit = crd_text_of("nats, given all other evidence");
    options.title = crd_text_of(report_take(r, &title));
    crd_status status = crd_plot_draw_evidence(crd_result_context(r), &evidence, &options, &svg, &error);
    free(bars);
    return report_add_picture(r, status, &svg, &error);
}

int explained_report(crd_result *r, const explained *e, bool all, const char *impossible) {
    int ended = ENDED_WELL;
    crd_result_line(r, CRD_LIST_LINE, "Known: %s", e->count == 0 ? "nothing" : e->text);
    if (e->unseen_count > 0) crd_result_line(r, CRD_LIST_LINE, "Not states, so ignored: %s", string_text(&e->unseen));
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "node", crd_network_node_name(e->network, e->node));
    if (e->unseen_count > 0) crd_result_number(r, "unseen", (double)e->unseen_count);
    if (e->reasons == NULL) {
        crd_result_line(r, CRD_LINE, "%s", impossible);
        crd_result_words(r, "impossible", impossible);
    } else {
        crd_result_text(r, "state", crd_network_state(e->network, e->node, e->state));
        network_explanation_report_posterior(r, e, all);
        report_findings(r, e);
        report_greatest(r, e);
        report_interplay(r, e, all);
        if (e->count > 0) ended = network_explanation_report_paths(r, e);
        report_error(r, e);
        if (ended == ENDED_WELL) ended = report_what_if(r, e);
        if (ended == ENDED_WELL) ended = network_explanation_draw_posterior(r, e);
        if (ended == ENDED_WELL && e->count > 0) ended = draw_findings(r, e);
    }
    crd_result_end(r);
    return ended;
}
