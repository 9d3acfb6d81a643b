/* SPDX-License-Identifier: MIT */
/* searched_structure.c - see searched_structure.h. */
#include "source/searched_structure.h"

#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/report_write.h"

#include <math.h>
#include <string.h>

/* More arcs are in the machine-readable output only. */
enum { ARCS_LISTED = 100, MOST_RESAMPLES = 1000000 };

bool searched_structure_is_stated(const crd_settings *settings) {
    return crd_structure_search(settings) != NULL;
}

/* ---- The learned structure ---- */

static void searched_structure_add_count(string *out, size_t count, const char *description) {
    string_format(out, "%zu %s%s", count, description, count == 1 ? "" : "s");
}

/* Prints a line about the search: numbers of arcs, nodes and steps, and the score. */
static void report_effort(const crd_structure_facts *facts, const crd_settings *settings) {
    string line = {0};
    string_format(&line, "structure %s: ", facts->search);
    searched_structure_add_count(&line, facts->arcs, "arc");
    if (facts->edges > 0) {
        string_format(&line, " and ");
        searched_structure_add_count(&line, facts->edges, "undirected edge");
    }
    string_format(&line, " among ");
    searched_structure_add_count(&line, facts->nodes, "node");
    if (!isnan(facts->score)) string_format(&line, ", %s %.2f", crd_settings_get(settings, "score"), facts->score);
    if (facts->steps > 0) {
        string_format(&line, ", ");
        searched_structure_add_count(&line, (size_t)facts->steps, "step");
    }
    if (facts->scores_computed > 0) {
        string_format(&line, ", ");
        searched_structure_add_count(&line, (size_t)facts->scores_computed, "family score");
    }
    if (facts->tests > 0) {
        string_format(&line, ", ");
        searched_structure_add_count(&line, (size_t)facts->tests, "test");
    }
    if (facts->resamples > 0) {
        string_format(&line, ", averaged over ");
        searched_structure_add_count(&line, facts->resamples, "resample");
    }
    message_note("%s", string_text(&line));
    string_free(&line);
}

/* Adds a node name in the syntax of --arcs, in quotes if it would be ambiguous. */
static void searched_structure_add_node(string *out, crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    const char *text = string_text(&shown);
    const size_t length = strlen(text);
    bool is_plain = length > 0 && strpbrk(text, ",\"") == NULL && strstr(text, "->") == NULL &&
                    strstr(text, "<-") == NULL && strstr(text, " - ") == NULL && text[0] != ' ' &&
                    text[length - 1] != ' ';
    if (!is_plain) string_add_char(out, '"');
    for (const char *cursor = text; *cursor != '\0'; cursor++) {
        if (*cursor == '"') string_add_char(out, '"');
        string_add_char(out, *cursor);
    }
    if (!is_plain) string_add_char(out, '"');
    string_free(&shown);
}

static void searched_structure_list_arcs(const crd_structure *found_structure, const crd_structure_facts *facts) {
    string line = {0};
    size_t count = facts->arcs + facts->edges;
    if (count == 0) return;
    for (size_t i = 0; i < count && i < ARCS_LISTED; i++) {
        crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
        crd_structure_arc_at(found_structure, i, &arc);
        string_format(&line, "%s", i == 0 ? "" : ", ");
        searched_structure_add_node(&line, arc.from);
        string_format(&line, "%s", arc.is_directed ? "->" : " - ");
        searched_structure_add_node(&line, arc.to);
    }
    if (count > ARCS_LISTED) string_format(&line, ", and %zu more (--format csv lists all)", count - ARCS_LISTED);
    message_note("%s", string_text(&line));
    string_free(&line);
}

static void list_left_out(const crd_structure *found_structure) {
    string names = {0};
    size_t count = 0;
    for (crd_text name; (name = crd_structure_left_out(found_structure, count)).bytes != NULL; count++)
        string_add_listed(&names, count, name);
    if (count > 0) message_note("ignored columns without values, which cannot be nodes: %s", string_text(&names));
    string_free(&names);
}

static void searched_structure_report_found(const crd_structure *found_structure, const crd_settings *settings) {
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    crd_structure_describe(found_structure, &facts);
    list_left_out(found_structure);
    report_effort(&facts, settings);
    searched_structure_list_arcs(found_structure, &facts);
    if (facts.rows_searched < facts.rows)
        message_note("the arcs were learned from the %.10g of %.10g rows without missing values", facts.rows_searched,
                     facts.rows);
    if (facts.edges > 0)
        message_note("the rows do not determine the direction of undirected edges: the model has one of the "
                     "possible orientations");
    if (!facts.is_consistent)
        message_warning("the tests contradict each other: no network has all of these directions, so some arcs of the "
                        "model have the opposite direction");
    if (facts.is_stopped) message_warning("the search was interrupted: the model has the best structure found so far");
}

/* ---- Bootstrap confidence of arcs ---- */

/* Pairs that are shown to people. Weaker pairs are shown only if they are arcs of the averaged network. */
enum { PAIRS_SHOWN = 40 };

static size_t pairs_shown(const crd_structure *found_structure, size_t count) {
    for (size_t i = count; i > PAIRS_SHOWN; i--) {
        crd_structure_pair pair = CRD_STRUCTURE_PAIR_INIT;
        crd_structure_pair_at(found_structure, i - 1, &pair);
        if (pair.is_averaged) return i;
    }
    return count < PAIRS_SHOWN ? count : PAIRS_SHOWN;
}

static void searched_structure_add_pairs(crd_result_table *t, const crd_structure *found_structure, size_t count) {
    crd_result_add_column(t, "from", "from");
    crd_result_add_column(t, "to", "to")->is_left = true;
    crd_result_add_column(t, "strength", "strength");
    crd_result_add_column(t, "direction", "direction");
    crd_result_add_column(t, "averaged", "averaged")->is_left = true;
    for (size_t i = 0; i < count; i++) {
        crd_structure_pair pair = CRD_STRUCTURE_PAIR_INIT;
        crd_structure_pair_at(found_structure, i, &pair);
        crd_cell_name(t, pair.from);
        crd_cell_name(t, pair.to);
        crd_cell_number(t, pair.strength);
        crd_cell_number(t, pair.direction);
        crd_cell_words(t, pair.is_averaged ? "yes" : "no");
    }
}

static void report_strengths(crd_result *r, const crd_structure *found_structure, const crd_structure_facts *facts) {
    crd_result_number(r, "resamples", (double)facts->resamples);
    crd_result_number(r, "threshold", facts->threshold);
    crd_result_line(
        r, CRD_LINE,
        "Strength of arcs: share of the %zu resamples that contain them; the averaged network has arcs above %.4g",
        facts->resamples, facts->threshold);
    crd_result_table *t = crd_result_add_table(r, "arcs");
    t->is_main = true;
    t->rows_shown = pairs_shown(found_structure, facts->pairs);
    searched_structure_add_pairs(t, found_structure, facts->pairs);
    if (facts->pairs > t->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu weaker ones (--format csv lists all)", facts->pairs - t->rows_shown);
}

/* ---- All arcs ---- */

static void searched_structure_report_arcs(crd_result *r, const crd_structure *found_structure,
                                           const crd_structure_facts *facts, const crd_settings *settings) {
    crd_result_words(r, "search", facts->search);
    crd_result_number(r, "rows", facts->rows);
    crd_result_number(r, "rows_searched", facts->rows_searched);
    if (!isnan(facts->score)) {
        crd_result_words(r, "score_name", crd_settings_get(settings, "score"));
        crd_result_number(r, "score", facts->score);
    }
    crd_result_number(r, "steps", (double)facts->steps);
    crd_result_number(r, "tests", (double)facts->tests);
    crd_result_boolean(r, "is_stopped", facts->is_stopped != 0);
    crd_result_boolean(r, "is_consistent", facts->is_consistent != 0);
    crd_result_table *t = crd_result_add_table(r, "arcs");
    t->is_main = true;
    crd_result_add_column(t, "from", "from");
    crd_result_add_column(t, "to", "to")->is_left = true;
    crd_result_add_column(t, "directed", "directed")->is_left = true;
    for (size_t i = 0; i < facts->arcs + facts->edges; i++) {
        crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
        crd_structure_arc_at(found_structure, i, &arc);
        crd_cell_name(t, arc.from);
        crd_cell_name(t, arc.to);
        crd_cell_words(t, arc.is_directed ? "yes" : "no");
    }
}

/* Writes the structure to standard output, because --output names the model file. */
static int write_found(const invocation *call, const crd_structure *found_structure, const crd_settings *settings) {
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    output out = {0};
    int ended = output_open_path(NULL, NULL, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
    if (ended != ENDED_WELL) return output_close(&out, ended);
    crd_structure_describe(found_structure, &facts);
    crd_result *r = report_create(call->context);
    crd_result_begin(r, CRD_OBJECT, NULL);
    if (facts.resamples > 0) report_strengths(r, found_structure, &facts);
    else searched_structure_report_arcs(r, found_structure, &facts, settings);
    crd_result_end(r);
    report_write(r, &out);
    crd_result_destroy(r);
    return output_close(&out, ENDED_WELL);
}

/* ---- Training ---- */

int searched_structure_options(const invocation *call, crd_structure_options *out) {
    uint64_t resamples = 0, seed = out->seed;
    const char *threshold = arguments_value(&call->arguments, "threshold");
    int ended = arguments_whole(&call->arguments, "bootstrap", &resamples);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&call->arguments, "bootstrap") && (resamples == 0 || resamples > MOST_RESAMPLES))
        return message_usage("--bootstrap must be a number of resamples from 1 to %d", MOST_RESAMPLES);
    if (threshold != NULL && (crd_number_parse(crd_text_of(threshold), &out->threshold) != CRD_NUMBER_FINITE ||
                              !(out->threshold >= 0 && out->threshold <= 1)))
        return message_usage("--threshold: expected a number from 0 to 1, got '%s'", threshold);
    out->resamples = (size_t)resamples;
    out->seed = seed;
    return ENDED_WELL;
}

static void searched_structure_show_progress(void *user, const char *stage, double done, double total) {
    (void)user;
    if (total > 0) progress_step(stage, (size_t)done, (size_t)total);
    else progress_say(stage);
}

static crd_status searched_structure_search(const invocation *call, crd_row_source *source,
                                            const crd_settings *settings, const crd_structure_options *options,
                                            crd_structure **out, crd_error *error) {
    crd_call_options bracket = CRD_CALL_OPTIONS_INIT;
    bracket.progress = searched_structure_show_progress;
    crd_status status = crd_call_begin(call->context, &bracket);
    if (status == CRD_OK) status = crd_structure_learn(source, settings, options, out, error);
    crd_call_end(call->context);
    progress_erase();
    return status;
}

crd_status searched_structure_state_arcs(crd_row_source *source, crd_settings *settings, crd_error *error) {
    crd_structure *found_structure = NULL;
    if (!searched_structure_is_stated(settings)) return CRD_OK;
    crd_status status = crd_row_source_rewind(source, error);
    if (status == CRD_OK) status = crd_structure_learn(source, settings, NULL, &found_structure, error);
    if (status == CRD_OK)
        status = crd_settings_set(settings, "arcs", crd_text_of(crd_structure_arcs(found_structure)), error);
    crd_structure_destroy(found_structure);
    return status;
}

crd_status searched_structure_train(const invocation *call, data *d, const crd_settings *settings,
                                    const crd_structure_options *options, const char *tallies, crd_model **out,
                                    crd_read_facts *facts, int *ending, crd_error *error) {
    crd_row_source *source = NULL;
    crd_structure *found_structure = NULL;
    crd_settings *stated = NULL;
    const crd_text none = {NULL, 0};
    *out = NULL;
    *ending = ENDED_WELL;
    crd_status status = crd_row_source_create_unlabeled(d->reader, &source, error);
    if (status == CRD_OK) status = searched_structure_search(call, source, settings, options, &found_structure, error);
    if (status == CRD_OK && invocation_interrupted()) {
        *ending = invocation_interrupted_exit();
        crd_context_resume(call->context);
    }
    if (status == CRD_OK) status = crd_settings_clone(settings, &stated, error);
    if (status == CRD_OK)
        status = crd_settings_set(stated, "arcs", crd_text_of(crd_structure_arcs(found_structure)), error);
    if (status == CRD_OK)
        status = crd_row_source_train(source, stated, tallies == NULL ? none : crd_text_of(tallies), out, facts, error);
    if (status == CRD_OK) searched_structure_report_found(found_structure, settings);
    if (status == CRD_OK && (options->resamples > 0 || arguments_have(&call->arguments, "format"))) {
        int ended = write_found(call, found_structure, settings);
        if (ended != ENDED_WELL) *ending = ended;
    }
    crd_settings_destroy(stated);
    crd_structure_destroy(found_structure);
    crd_row_source_destroy(source);
    return status;
}
