/* SPDX-License-Identifier: MIT */
/* show_sequence.c - see show_sequence.h. */
#include "verbs/show/show_sequence.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/term_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If a model has more than MATRIX_STATES states, the matrix is replaced by a list. The list has the FOLLOWERS_SHOWN
 * most probable transitions of each state, or all with --all. */
enum { MATRIX_STATES = 12, FOLLOWERS_SHOWN = 5 };
/* Maximum numbers of contexts of several states, for people and in JSON. */
enum { CONTEXTS_SHOWN = 12, CONTEXTS_LISTED = 10000 };

/* ---- What it is ---- */

static const char *show_sequence_plural(size_t count) {
    return count == 1 ? "" : "s";
}

/* Appends the length of a step, such as ", with a step every 3600 (1h if times are dates)". The model does not store
 * whether times are dates. */
static void show_sequence_add_step(string *target_string, double step) {
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'w', 604800}, {'d', 86400}, {'h', 3600}, {'m', 60}};
    string_format(target_string, ", with a step every %g", step);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (fmod(step, units[i].seconds) != 0) continue;
        string_format(target_string, " (%g%c if times are dates)", step / units[i].seconds, units[i].unit);
        return;
    }
}

/* Appends how sequences are read, such as "sequences by id, in the order of day". */
static void add_source(string *target_string, const crd_sequence_options *options, crd_result *r) {
    if (options->blank_lines) string_format(target_string, "sequences end at empty lines");
    else if (options->sequence.bytes != NULL)
        string_format(target_string, "sequences by %s", crd_result_show(r, options->sequence));
    else string_format(target_string, "each file is a sequence");
    if (options->time.bytes != NULL)
        string_format(target_string, ", in the order of %s", crd_result_show(r, options->time));
    if (options->time_format.bytes != NULL)
        string_format(target_string, " (%s)", crd_result_show(r, options->time_format));
    if (options->step > 0) show_sequence_add_step(target_string, options->step);
}

/* Reports the columns of words, if there are any. */
static void show_sequence_report_words(crd_result *r, const crd_hmm *hmm) {
    const crd_classifier *emissions = crd_hmm_facts_of(hmm)->emissions;
    string names = {0};
    for (size_t i = 0; i < crd_classifier_attribute_count(emissions); i++)
        if (crd_hmm_has_words(hmm, i))
            string_format(&names, "%s%s", names.length == 0 ? "" : ", ",
                          crd_result_show(r, crd_classifier_attribute(emissions, i)));
    if (names.length > 0) {
        crd_result_line(r, CRD_LINE, "Words: %s, with counts smoothed by suffix, prefix and shape",
                        string_text(&names));
        crd_result_words(r, "words", string_text(&names));
    }
    string_free(&names);
}

/* Reports the order, the states, the columns, the number of parameters and the training of an HMM. */
void sequence_report_opening(crd_result *r, const crd_model *model, const crd_hmm *hmm, const crd_summary *summary) {
    char rows[CRD_NUMBER_ROOM];
    size_t states = crd_hmm_state_count(hmm), attributes = summary->attribute_count;
    crd_text target = crd_model_target(model);
    string settings = {0}, source = {0};
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    bool is_hidden = crd_hmm_facts_of(hmm)->is_hidden != 0;
    const bool is_stated = crd_hmm_facts_of(hmm)->is_stated != 0;
    crd_result_line(r, CRD_LINE, "Hidden Markov model of order %zu: %zu %s%s%s%s, %zu column%s, %s%s",
                    crd_hmm_facts_of(hmm)->order, states, is_hidden ? "hidden state" : "state",
                    show_sequence_plural(states), is_hidden ? "" : " of ", is_hidden ? "" : crd_result_show(r, target),
                    attributes, show_sequence_plural(attributes),
                    is_stated ? "specified" : crd_number_count(summary->rows, rows),
                    is_stated            ? ""
                    : summary->rows == 1 ? " row"
                                         : " rows");
    crd_result_words(r, "kind", "sequence");
    crd_result_number(r, "order", (double)crd_hmm_facts_of(hmm)->order);
    crd_result_boolean(r, "hidden", is_hidden);
    if (!is_hidden) crd_result_text(r, "target", target);
    if (!is_stated) crd_result_number(r, "rows", summary->rows);
    if (crd_model_sequence_options(model, &options, NULL) == CRD_OK) {
        add_source(&source, &options, r);
        crd_result_line(r, CRD_LINE, "Read as: %s", string_text(&source));
        crd_result_begin(r, CRD_SHORT_OBJECT, "source");
        if (options.blank_lines) crd_result_words(r, "sequence_break", "empty-line");
        else if (options.sequence.bytes != NULL) crd_result_text(r, "sequence", options.sequence);
        if (options.time.bytes != NULL) crd_result_text(r, "time", options.time);
        if (options.time_format.bytes != NULL) crd_result_text(r, "time_format", options.time_format);
        if (options.step > 0) crd_result_number(r, "step", options.step);
        crd_result_end(r);
    }
    term_text_add_settings(&settings, crd_hmm_facts_of(hmm)->settings);
    crd_result_line(r, CRD_LIST_LINE, "Settings: %s", string_text(&settings));
    term_text_report_settings(r, crd_hmm_facts_of(hmm)->settings);
    show_sequence_report_words(r, hmm);
    crd_result_number(r, "parameters", (double)crd_hmm_facts_of(hmm)->parameter_count);
    crd_result_line(r, CRD_LINE, "%s: %zu parameter%s", is_stated ? "Specified" : "Estimated",
                    crd_hmm_facts_of(hmm)->parameter_count,
                    show_sequence_plural(crd_hmm_facts_of(hmm)->parameter_count));
    string_free(&settings);
    string_free(&source);
}

/* ---- States ---- */

/* Returns the number of rows of a state, summed over its components. */
static double show_sequence_rows(const crd_hmm *hmm, const crd_summary *summary, size_t state) {
    double rows = 0;
    for (size_t m = 0; m < crd_hmm_facts_of(hmm)->components; m++) {
        size_t class_index = crd_hmm_emission_class(hmm, state, m, NULL);
        if (class_index != SIZE_MAX) rows += summary->classes[class_index].rows;
    }
    return rows;
}

/* Reports for each state its start probability, its stationary probability and its expected duration. */
static int show_sequence_report_states(crd_result *r, const crd_hmm *hmm, const crd_summary *summary) {
    size_t states = crd_hmm_state_count(hmm);
    bool has_end = crd_hmm_facts_of(hmm)->has_end != 0;
    double *stationary = memory_resize(NULL, 2 * states, sizeof *stationary), *durations = stationary + states;
    crd_error error;
    if (crd_hmm_long_run(hmm, stationary, durations, &error) != CRD_OK) {
        free(stationary);
        return message_error(&error);
    }
    crd_result_heading(r, 2, "States", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "state");
    crd_result_add_column(t, NULL, crd_hmm_facts_of(hmm)->is_stated ? NULL : "rows");
    crd_result_add_column(t, NULL, "start");
    crd_result_add_column(t, NULL, has_end && crd_hmm_facts_of(hmm)->order == 1 ? "end" : NULL);
    crd_result_add_column(t, NULL, "stationary");
    crd_result_add_column(t, NULL, "expected duration");
    for (size_t k = 0; k < states; k++) {
        crd_cell_name(t, crd_hmm_state(hmm, k));
        if (crd_hmm_facts_of(hmm)->is_stated) crd_cell_null(t);
        else crd_cell_number(t, show_sequence_rows(hmm, summary, k));
        crd_cell_number(t, crd_hmm_start(hmm, k));
        if (has_end && crd_hmm_facts_of(hmm)->order == 1) crd_cell_number(t, crd_hmm_end(hmm, &k, 1));
        else crd_cell_null(t);
        crd_cell_number(t, stationary[k]);
        if (isinf(durations[k])) crd_cell_shown(t, durations[k], "never left");
        else crd_cell_number(t, durations[k]);
    }
    free(stationary);
    return ENDED_WELL;
}

/* ---- Transitions ---- */

typedef struct sequence_follower {
    size_t state;
    double probability;
} sequence_follower;

static int show_sequence_by_probability(const void *a, const void *b) {
    const sequence_follower *x = a, *y = b;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    return x->state < y->state ? -1 : x->state > y->state;
}

/* Returns the most probable next states of a context, such as "B 0.7, C 0.2, ...". */
static const char *list_followers(crd_result *r, const crd_hmm *hmm, const size_t *context, size_t length) {
    size_t states = crd_hmm_state_count(hmm);
    sequence_follower *all = memory_resize(NULL, states, sizeof *all);
    string text = {0};
    char buffer[CRD_NUMBER_ROOM];
    for (size_t k = 0; k < states; k++) all[k] = (sequence_follower){k, crd_hmm_transition(hmm, context, length, k)};
    qsort(all, states, sizeof *all, show_sequence_by_probability);
    for (size_t i = 0; i < states && i < FOLLOWERS_SHOWN && all[i].probability > 0; i++)
        string_format(&text, "%s%s %s", i == 0 ? "" : ", ", crd_result_show(r, crd_hmm_state(hmm, all[i].state)),
                      crd_number_round(all[i].probability, buffer));
    free(all);
    return report_take(r, &text);
}

/* Reports the transition matrix. Rows are states and columns are next states. */
static void show_sequence_report_matrix(crd_result *r, const crd_hmm *hmm, bool all) {
    size_t states = crd_hmm_state_count(hmm);
    bool is_seen = all || states <= MATRIX_STATES;
    crd_result_heading(r, 2, "Transitions",
                       is_seen ? ": from the row's state to the column's state" : ": the most probable next states");
    crd_result_table *seen = crd_result_add_table(r, NULL);
    seen->is_wrapped = true;
    crd_result_add_column(seen, NULL, "");
    if (!is_seen) crd_result_add_column(seen, NULL, "next")->is_left = true;
    for (size_t target = 0; is_seen && target < states; target++)
        crd_result_add_column(seen, NULL, crd_result_show(r, crd_hmm_state(hmm, target)));
    for (size_t source = 0; source < states; source++) {
        crd_cell_name(seen, crd_hmm_state(hmm, source));
        if (!is_seen) crd_cell_words(seen, list_followers(r, hmm, &source, 1));
        for (size_t target = 0; is_seen && target < states; target++)
            crd_cell_number(seen, crd_hmm_transition(hmm, &source, 1, target));
    }
}

/* Returns the states of a context, such as "A B". */
static const char *name_context(crd_result *r, const crd_hmm *hmm, const crd_state_context *context) {
    string text = {0};
    if (context->length < crd_hmm_facts_of(hmm)->order) string_format(&text, "(start)");
    for (size_t i = 0; i < context->length; i++)
        string_format(&text, "%s%s", text.length == 0 ? "" : " ",
                      crd_result_show(r, crd_hmm_state(hmm, context->states[i])));
    return report_take(r, &text);
}

/* Reports the most frequent contexts of a chain of higher order. */
static int report_contexts(crd_result *r, const crd_hmm *hmm, bool all) {
    crd_state_context *contexts = memory_resize(NULL, CONTEXTS_LISTED, sizeof *contexts);
    crd_error error;
    size_t total = 0;
    if (crd_hmm_contexts(hmm, contexts, CONTEXTS_LISTED, &total, &error) != CRD_OK) {
        free(contexts);
        return message_error(&error);
    }
    size_t count = total < CONTEXTS_LISTED ? total : CONTEXTS_LISTED, shown = all ? count : CONTEXTS_SHOWN;
    crd_result_heading(r, 2, "Transitions",
                       crd_result_format(r, ": after %s%zu states in a row",
                                         crd_hmm_facts_of(hmm)->is_stated ? "" : "the most frequent ",
                                         crd_hmm_facts_of(hmm)->order));
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "after");
    if (!crd_hmm_facts_of(hmm)->is_stated) crd_result_add_column(t, NULL, "times");
    crd_result_add_column(t, NULL, "next")->is_left = true;
    for (size_t i = 0; i < count && i < shown; i++) {
        crd_cell_words(t, name_context(r, hmm, &contexts[i]));
        if (!crd_hmm_facts_of(hmm)->is_stated) crd_cell_number(t, contexts[i].count);
        crd_cell_words(t, list_followers(r, hmm, contexts[i].states, contexts[i].length));
    }
    if (total > shown) crd_result_line(r, CRD_REMARK, "and %zu more%s", total - shown, shown < count ? " (--all)" : "");
    free(contexts);
    return ENDED_WELL;
}

/* ---- Components ---- */

/* Reports the weights of the mixture components in each state. */
static void show_sequence_report_components(crd_result *r, const crd_hmm *hmm) {
    size_t components = crd_hmm_facts_of(hmm)->components;
    if (components == 1) return;
    crd_result_heading(r, 2, "Mixture components", ": their weights in each state");
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "state");
    crd_result_add_column(t, NULL, "component");
    crd_result_add_column(t, NULL, "weight");
    for (size_t k = 0; k < crd_hmm_state_count(hmm); k++)
        for (size_t m = 0; m < components; m++) {
            double weight = 0;
            if (crd_hmm_emission_class(hmm, k, m, &weight) == SIZE_MAX) weight = 0;
            crd_cell_name(t, crd_hmm_state(hmm, k));
            crd_cell_count(t, (double)m + 1);
            crd_cell_number(t, weight);
        }
}

/* ---- Pictures ---- */

/* Draws the transition matrix of a chain of order 1, with the start probabilities above it. */
static int draw_chain(crd_result *r, const crd_hmm *hmm) {
    enum { MAX_STATES = 30 };
    size_t states = crd_hmm_state_count(hmm);
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || crd_hmm_facts_of(hmm)->order != 1 || states > MAX_STATES)
        return ENDED_WELL;
    crd_text *rows = memory_resize(NULL, states + 1, sizeof *rows), *names = rows + 1;
    double *cells = memory_resize(NULL, (states + 1) * states, sizeof *cells);
    rows[0] = crd_text_of("(start)");
    for (size_t target = 0; target < states; target++) {
        names[target] = crd_hmm_state(hmm, target);
        cells[target] = crd_hmm_start(hmm, target);
        for (size_t source = 0; source < states; source++)
            cells[(source + 1) * states + target] = crd_hmm_transition(hmm, &source, 1, target);
    }
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    plot.row_name = crd_text_of("state");
    plot.rows = rows;
    plot.row_count = states + 1;
    plot.states = names;
    plot.state_count = states;
    plot.probabilities = cells;
    options.title = crd_text_of("P(next state | state)");
    options.width = fmin(980, fmax(420, 180 + 130 * (double)states));
    crd_status status = crd_plot_draw_table(crd_result_context(r), &plot, &options, &svg, &error);
    free(rows);
    free(cells);
    return report_add_picture(r, status, &svg, &error);
}

int sequence_report(crd_result *r, const crd_hmm *hmm, const crd_summary *summary, bool all) {
    crd_error error;
    if (crd_hmm_report(hmm, summary, r, &error) != CRD_OK) return message_error(&error);
    int ended = show_sequence_report_states(r, hmm, summary);
    if (ended != ENDED_WELL) return ended;
    if (crd_hmm_facts_of(hmm)->order == 1) show_sequence_report_matrix(r, hmm, all);
    else ended = report_contexts(r, hmm, all);
    show_sequence_report_components(r, hmm);
    return ended == ENDED_WELL ? draw_chain(r, hmm) : ended;
}
