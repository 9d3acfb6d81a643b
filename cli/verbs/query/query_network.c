/* SPDX-License-Identifier: MIT */
/* query_network.c - queries to a network: chooses the kind of query, and implements what all kinds share. */
#include "verbs/query/query_network.h"

#include "base/os.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "describe/network_text.h"
#include "describe/term_text.h"
#include "source/input_file.h"
#include "source/option_scope.h"

#include <math.h>
#include <string.h>

crd_network_query network_question_query(const network_question *q, const size_t *nodes, size_t count) {
    const crd_network_query query = {sizeof query, q->known.items, q->known.count, nodes, count, &q->options};
    return query;
}

void network_question_open(network_question *q) {
    crd_result_begin(q->report, CRD_OBJECT, NULL);
    network_report_opening(q->report, q->call, q->network, q->settings);
}

void network_question_heading(network_question *q, const char *description) {
    crd_result *r = q->report;
    bool has_findings = q->known.text.length > 0;
    crd_result_heading(r, 2, description,
                       has_findings ? crd_result_format(r, " given %s", string_text(&q->known.text)) : "");
}

void network_question_report_names(network_question *q, const char *key, const size_t *nodes, size_t count) {
    crd_result_begin(q->report, CRD_ARRAY, key);
    for (size_t i = 0; i < count; i++) crd_result_text(q->report, NULL, q->known.names[nodes[i]]);
    crd_result_end(q->report);
}

void network_add_probability(string *out, double log_probability) {
    char buffer[CRD_NUMBER_ROOM];
    output_add_exponential(out, log_probability);
    string_format(out, ", log %s", crd_number_round(log_probability, buffer));
}

/* Adds the line with the probability, or density, of the evidence. */
void network_question_report_evidence(network_question *q, double log_evidence, double error) {
    char buffer[CRD_NUMBER_ROOM];
    bool has_numbers = false;
    if (q->known.count == 0) return;
    for (size_t i = 0; i < q->known.count; i++)
        has_numbers = has_numbers || crd_network_node_kind(q->network, q->known.items[i].node) == CRD_NODE_GAUSSIAN;
    string line = {0};
    network_add_probability(&line, log_evidence);
    if (error > 0) string_format(&line, " (standard error of the log: %s)", crd_number_round(error, buffer));
    crd_result_line(q->report, CRD_LINE, has_numbers ? "Density of the evidence = %s" : "P(evidence) = %s",
                    string_text(&line));
    string_free(&line);
}

/* ---- Kinds of queries ---- */

typedef struct network_way {
    const char *name; /* the option that selects this kind; NULL: --of, or only evidence */
    int (*answer)(network_question *q);
    bool has_findings;
} network_way;

static const network_way ways[] = {{"independence", network_independence_answer, false},
                                   {"markov-blanket", network_blanket_answer, false},
                                   {"mpe", network_most_probable_answer, true},
                                   {"map", network_most_probable_answer, true},
                                   {"decide", network_decide_answer, true},
                                   {NULL, network_posterior_answer, true}};

/* Rows of DATA support only posterior probabilities by exact inference. */
static const network_way way_of_rows = {NULL, network_rows_answer, true};

/* Chooses the kind of query by the options. Fails if an option for a single case is given with rows of DATA. */
static int query_network_choose_way(const invocation *call, const network_way **out) {
    const network_way *w = ways;
    const char *of_one_case = arguments_in_scope(&call->arguments, SCOPE_ONE_CASE);
    bool has_rows = call->arguments.operand_count > 1;
    if (has_rows && of_one_case != NULL) {
        const char *data = call->arguments.operands[1], *value = arguments_value(&call->arguments, of_one_case);
        message_usage("--%s is for a single case; for the rows of '%s' posteriors are computed exactly", of_one_case,
                      data);
        if (value != NULL && value[0] == '\0' && !crd_i_os_exists(data))
            message_hint("if '%s' is the value of the option, write --%s=%s", data, of_one_case, data);
        return ENDED_USAGE;
    }
    while (w->name != NULL && !arguments_have(&call->arguments, w->name)) w++;
    *out = has_rows ? &way_of_rows : w;
    return ENDED_WELL;
}

int query_network(const invocation *call, const crd_network *network, const crd_settings *settings) {
    crd_network *changed;
    int ended = network_intervene(call, &network, &changed);
    if (ended != ENDED_WELL) return ended;
    network_question q = {.call = call,
                          .network = network,
                          .settings = settings,
                          .report = report_create_drawn(call),
                          .all = arguments_have(&call->arguments, "all")};
    const network_way *chosen = NULL;
    ended = option_scope_check_network(call, input_file_kind(call, call->arguments.operands[0]) == CRD_FILE_NETWORK);
    if (ended == ENDED_WELL) ended = query_network_choose_way(call, &chosen);
    if (ended == ENDED_WELL) ended = inference_options_read(call, &q.options);
    if (ended == ENDED_WELL && chosen->has_findings) {
        ended = network_evidence_read(call, network, &q.known);
    } else if (ended == ENDED_WELL) {
        network_evidence_begin(network, &q.known);
        /* d-separation depends only on the arcs, so the report does not show the settings of the tables. */
        q.settings = NULL;
    }
    if (ended == ENDED_WELL) ended = chosen->answer(&q);
    if (ended == ENDED_WELL && chosen != &way_of_rows) {
        crd_result_end(q.report);
        ended = report_finish(q.report, call, FORMATS, ended);
    } else {
        crd_result_destroy(q.report);
    }
    network_evidence_free(&q.known);
    crd_network_destroy(changed);
    return ended;
}
