/* SPDX-License-Identifier: MIT */
/* explain_network.c - see explain_network.h. */
#include "verbs/explain/explain_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_write.h"
#include "describe/network_text.h"
#include "source/data_input.h"
#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "source/option_scope.h"
#include "verbs/explain/explain_network_report.h"
#include "verbs/explain/explain_row.h"

#include <stdlib.h>

typedef struct network_session {
    const invocation *call;
    const crd_settings *settings; /* the settings of the estimated tables; NULL: the network specifies its tables */
    crd_inference_options options;
    explained e;
    output out; /* for rows */
    row_choice rows;
    bool all;
} network_session;

/* ---- The explained node ---- */

/* Reads the value of an option: a node, or NODE=STATE. */
static int read_subject(const network_evidence *f, const char *name, const char *typed, explained *e) {
    list items;
    int ended;
    if (!list_split(typed, &items)) return message_usage("--%s: a quote is not closed", name);
    size_t node = items.count == 1 ? crd_network_find(f->network, items.items[0]) : SIZE_MAX;
    crd_text view;
    if (items.count != 1) {
        ended = message_usage("--%s expects one node, or NODE=STATE", name);
    } else if (node != SIZE_MAX) {
        e->node = node;
        ended = ENDED_WELL;
    } else if (list_split_assignment(&items, 0, f->names, f->node_count, &e->node, &view)) {
        e->has_state = true;
        ended = network_find_state(f, name, e->node, view, &e->state);
    } else {
        ended = network_find_node(f, name, items.items[0], &e->node);
    }
    list_free(&items);
    return ended;
}

/* Determines the explained node from --of, else from --target, else the usual node. */
static int find_subject(const invocation *call, const network_evidence *f, crd_text usual, explained *e) {
    const char *subject = arguments_value(&call->arguments, "of"),
               *target = arguments_value(&call->arguments, "target");
    if (subject != NULL) return read_subject(f, "of", subject, e);
    if (target != NULL) return network_find_node(f, "target", crd_text_of(target), &e->node);
    e->node = usual.bytes == NULL ? SIZE_MAX : crd_network_find(f->network, usual);
    if (e->node != SIZE_MAX) return ENDED_WELL;
    return message_usage("missing node: name it with --of");
}

/* ---- One explanation ---- */

/* Reports the explanation, or the error if the evidence is impossible. */
static int explain_network_report_answer(network_session *session, crd_result *r, const crd_error *error) {
    explained *e = &session->e;
    if (e->reasons != NULL && !e->has_state) e->state = e->reasons->state;
    return explained_report(r, e, session->all, error->message);
}

/* Reports the error of a failed analysis. If exact inference needs too much memory, the message includes the size for
 * the posterior of the node. */
static int answer_failed(const network_session *session, const crd_error *error) {
    const explained *e = &session->e;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    if (error->status != CRD_ERROR_LIMIT) return inference_failed(session->call, error, NULL);
    double *posterior = memory_resize(NULL, crd_network_state_count(e->network, e->node), sizeof *posterior);
    const crd_network_query query = {sizeof query, e->findings, e->count, &e->node, 1, &session->options};
    crd_status status = crd_network_posteriors(e->network, &query, posterior, NULL, &result, NULL);
    free(posterior);
    return inference_failed(session->call, error, status == CRD_ERROR_LIMIT ? &result : NULL);
}

/* Explains the posterior of the node given the evidence of --given and --likelihood. */
static int explain_network_given(network_session *session, const network_evidence *f) {
    crd_error error;
    session->e.findings = f->items;
    session->e.count = f->count;
    session->e.text = string_text(&f->text);
    if (crd_evidence_analysis_create(f->network, f->items, f->count, session->e.node, &session->options,
                                     &session->e.reasons, &error) != CRD_OK) {
        return answer_failed(session, &error);
    }
    crd_result *r = report_create_drawn(session->call);
    network_report_opening(r, session->call, session->e.network, session->settings);
    return report_finish(r, session->call, FORMATS, explain_network_report_answer(session, r, &error));
}

/* ---- Rows ---- */

static void explain_network_add_unseen(explained *e, size_t node, crd_text value) {
    string_format(&e->unseen, e->unseen_count++ == 0 ? "" : ", ");
    network_add_node(&e->unseen, e->network, node);
    string_add_char(&e->unseen, '=');
    string_add_shown(&e->unseen, value);
}

/* Reads the evidence of a row: the cells that are states or numbers of the node of their column. Returns the number
 * of
 * findings. */
static size_t explain_network_read_row(explained *e, const crd_frame *frame, size_t row, crd_finding *findings,
                                       string *text) {
    const crd_network *network = e->network;
    size_t count = 0;
    string_clear(text);
    string_clear(&e->unseen);
    e->unseen_count = 0;
    for (size_t column = 0; column < crd_frame_column_count(frame); column++) {
        size_t node = crd_network_find(network, crd_frame_column_name(frame, column));
        if (node == SIZE_MAX || node == e->node || crd_network_node_kind(network, node) == CRD_NODE_UTILITY) continue;
        crd_value value = crd_frame_value(frame, row, column);
        bool is_continuous = crd_network_node_kind(network, node) == CRD_NODE_GAUSSIAN;
        if (value.type != (is_continuous ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL)) continue;
        size_t state = is_continuous ? 0 : crd_network_find_state(network, node, value.text);
        if (state == SIZE_MAX) {
            explain_network_add_unseen(e, node, value.text);
            continue;
        }
        findings[count] = (crd_finding){node, state, NULL, is_continuous ? value.number : 0};
        string_format(text, count == 0 ? "" : ", ");
        network_add_finding(text, network, &findings[count++]);
    }
    return count;
}

/* Explains a row. If its evidence is impossible, the report states that, and the next row is explained. */
static int explain_network_row(network_session *session, crd_result *r, const crd_frame *frame, size_t row,
                               crd_finding *findings, string *text) {
    explained *e = &session->e;
    crd_error error;
    e->findings = findings;
    e->count = explain_network_read_row(e, frame, row, findings, text);
    e->text = string_text(text);
    crd_status status =
        crd_evidence_analysis_create(e->network, findings, e->count, e->node, &session->options, &e->reasons, &error);
    bool is_answered = status == CRD_OK || status == CRD_ERROR_PROBABILITY;
    int ended = is_answered ? explain_network_report_answer(session, r, &error) : answer_failed(session, &error);
    crd_evidence_analysis_destroy(e->reasons);
    e->reasons = NULL;
    return ended;
}

/* Explains the chosen rows of all frames. */
static int explain_network_frames(network_session *session, crd_reader *reader, crd_finding *findings) {
    row_choice *rows = &session->rows;
    string text = {0};
    int ended = ENDED_WELL;
    while (ended == ENDED_WELL && !row_choice_is_done(rows) && !output_broken(&session->out)) {
        const crd_frame *frame = NULL;
        crd_error error;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK) ended = message_error(&error);
        else if (frame == NULL) ended = row_choice_finish(rows, session->call);
        if (status != CRD_OK || frame == NULL) break;
        for (size_t row = 0; ended == ENDED_WELL && row < crd_frame_rows(frame); row++) {
            if (!row_choice_next(rows)) continue;
            crd_result *r = report_create(session->call->context);
            if (row_choice_is_first(rows))
                network_report_opening(r, session->call, session->e.network, session->settings);
            explain_report_place(r, reader, row, rows->seen);
            ended = explain_network_row(session, r, frame, row, findings, &text);
            if (ended == ENDED_WELL) report_write_line(r, &session->out);
            crd_result_destroy(r);
        }
    }
    string_free(&text);
    return ended;
}

/* Explains rows of DATA. The columns are bound as for a classifier of the node, so that cells are read as states
 * and not
 * as numbers. */
static int explain_network_rows(network_session *session) {
    const arguments *words = &session->call->arguments;
    const crd_network *network = session->e.network;
    const char *formats = session->rows.only > 0 ? FORMATS : FORMATS_OF_EACH_ROW;
    crd_model *model = NULL;
    crd_error error;
    data d = {0};
    int refused = pictures_refuse(session->call);
    if (refused != ENDED_WELL) return refused;
    if (arguments_have(words, "given") || arguments_have(words, "likelihood"))
        return message_usage("explain accepts DATA or --given, not both");
    if (crd_model_from_network(network, crd_network_node_name(network, session->e.node), &model, &error) != CRD_OK)
        return message_error(&error);
    int ended = data_open(session->call, words->operands + 1, words->operand_count - 1, false, &d);
    if (ended == ENDED_WELL && crd_model_bind(model, d.reader, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        crd_finding *findings = memory_resize(NULL, crd_network_node_count(network), sizeof *findings);
        session->e.level = 3;
        ended = output_open(session->call, &session->out);
        if (ended == ENDED_WELL) ended = output_choose_format(session->call, &session->out, formats, FORMAT_TABLE);
        if (ended == ENDED_WELL) ended = explain_network_frames(session, d.reader, findings);
        ended = output_close(&session->out, ended);
        free(findings);
    }
    if (d.reader != NULL) data_close(&d);
    crd_model_destroy(model);
    return ended;
}

/* ---- The verb ---- */

int explain_network(const invocation *call, const crd_network *network, crd_text usual, const crd_settings *settings,
                    what_if *if_result) {
    crd_network *changed = NULL;
    int ended = network_intervene(call, &network, &changed);
    if (ended != ENDED_WELL) return ended;
    network_session session = {.call = call,
                               .settings = settings,
                               .e = {.context = call->context, .network = network, .level = 2, .what_if = if_result},
                               .all = arguments_have(&call->arguments, "all")};
    network_evidence f = {0};
    ended = option_scope_check_network(call, false);
    if (ended == ENDED_WELL) ended = row_choice_read(call, &session.rows);
    if (ended == ENDED_WELL) ended = inference_options_read(call, &session.options);
    if (ended == ENDED_WELL) ended = network_evidence_read(call, network, &f);
    if (ended == ENDED_WELL) ended = find_subject(call, &f, usual, &session.e);
    if (ended == ENDED_WELL)
        ended =
            call->arguments.operand_count > 1 ? explain_network_rows(&session) : explain_network_given(&session, &f);
    crd_evidence_analysis_destroy(session.e.reasons);
    string_free(&session.e.unseen);
    network_evidence_free(&f);
    crd_network_destroy(changed);
    return ended;
}
