/* SPDX-License-Identifier: MIT */
/* searched_structure.c - see searched_structure.h. */
#include "source/searched_structure.h"

#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"

#include <math.h>
#include <string.h>

/* More arcs are counted, not listed. */
enum { ARCS_LISTED = 40 };

bool searched_structure_is_stated(const crd_settings *settings) {
    return crd_structure_search(settings) != NULL;
}

/* ---- What was found ---- */

static void add_count(string *out, size_t count, const char *what) {
    string_format(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

static void report_effort(const crd_structure_facts *facts, const crd_settings *settings) {
    string line = {0};
    char score[ROUNDED_ROOM];
    string_format(&line, "structure %s: ", facts->search);
    add_count(&line, facts->arcs, "arc");
    if (facts->edges > 0) {
        string_format(&line, " and ");
        add_count(&line, facts->edges, "undirected edge");
    }
    string_format(&line, " among ");
    add_count(&line, facts->nodes, "node");
    if (!isnan(facts->score))
        string_format(&line, ", %s %s", crd_settings_get(settings, "score"), output_round(facts->score, score));
    if (facts->steps > 0) {
        string_format(&line, ", ");
        add_count(&line, (size_t)facts->steps, "step");
    }
    if (facts->scores_computed > 0) {
        string_format(&line, ", ");
        add_count(&line, (size_t)facts->scores_computed, "family score");
    }
    if (facts->tests > 0) {
        string_format(&line, ", ");
        add_count(&line, (size_t)facts->tests, "test");
    }
    message_note("%s", string_text(&line));
    string_free(&line);
}

static void list_arcs(const crd_structure *found, const crd_structure_facts *facts) {
    string line = {0};
    size_t count = facts->arcs + facts->edges;
    if (count == 0 || count > ARCS_LISTED) return;
    for (size_t i = 0; i < count; i++) {
        crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
        crd_structure_arc_at(found, i, &arc);
        string_format(&line, "%s", i == 0 ? "" : ", ");
        string_add_shown(&line, arc.from);
        string_format(&line, "%s", arc.is_directed ? "->" : " - ");
        string_add_shown(&line, arc.to);
    }
    message_note("%s", string_text(&line));
    string_free(&line);
}

static void list_left_out(const crd_structure *found) {
    string names = {0};
    size_t count = 0;
    for (crd_text name; (name = crd_structure_left_out(found, count)).bytes != NULL; count++)
        string_add_listed(&names, count, name);
    if (count > 0) message_note("left out what can be no node, as numbers or without values: %s", string_text(&names));
    if (count > 0) message_hint("--discretize '*=mdl' makes numbers nodes");
    string_free(&names);
}

static void report(const crd_structure *found, const crd_settings *settings) {
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    crd_structure_describe(found, &facts);
    list_left_out(found);
    report_effort(&facts, settings);
    list_arcs(found, &facts);
    if (facts.edges > 0)
        message_note("the rows do not determine the direction of undirected edges: the model has one of those that go "
                     "with the arcs");
    if (!facts.is_consistent)
        message_warning(
            "the tests contradict each other: no network has all of these directions, so that some arcs of the "
            "model have another");
    if (facts.is_stopped)
        message_warning("the search was stopped before its end: the model has the best structure that it had found");
}

/* ---- Training ---- */

static void show_progress(void *user, const char *stage, double done, double total) {
    (void)user;
    if (total > 0) progress_step(stage, (size_t)done, (size_t)total);
    else progress_say(stage);
}

static crd_status search(const invocation *call, crd_row_source *source, const crd_settings *settings, unsigned threads,
                         crd_structure **out, crd_error *error) {
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    crd_call_options bracket = CRD_CALL_OPTIONS_INIT;
    options.threads = threads;
    bracket.progress = show_progress;
    crd_status status = crd_call_begin(call->context, &bracket);
    if (status == CRD_OK) status = crd_structure_learn(source, settings, &options, out, error);
    crd_call_end(call->context);
    progress_erase();
    return status;
}

crd_status searched_structure_train(const invocation *call, data *d, const crd_settings *settings, const char *tallies,
                                    crd_model **out, crd_read_facts *facts, bool *is_interrupted, crd_error *error) {
    crd_row_source *source = NULL;
    crd_structure *found = NULL;
    crd_settings *stated = NULL;
    const crd_text none = {NULL, 0};
    *out = NULL;
    *is_interrupted = false;
    crd_status status = crd_row_source_create_unlabelled(d->reader, &source, error);
    if (status == CRD_OK) status = search(call, source, settings, crd_reader_threads(d->reader), &found, error);
    if (status == CRD_OK && invocation_interrupted()) {
        *is_interrupted = true;
        crd_context_resume(call->context);
    }
    if (status == CRD_OK) status = crd_settings_clone(settings, &stated, error);
    if (status == CRD_OK) status = crd_settings_set(stated, "structure", crd_text_of(crd_structure_arcs(found)), error);
    if (status == CRD_OK)
        status = crd_row_source_train(source, stated, tallies == NULL ? none : crd_text_of(tallies), out, facts, error);
    if (status == CRD_OK) report(found, settings);
    crd_settings_destroy(stated);
    crd_structure_destroy(found);
    crd_row_source_destroy(source);
    return status;
}
