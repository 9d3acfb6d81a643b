/* SPDX-License-Identifier: MIT */
/* query_network.h - what the files share that put one question to a network. */
#ifndef CREDENCE_CLI_QUERY_NETWORK_H
#define CREDENCE_CLI_QUERY_NETWORK_H

#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "verbs/query/query_joint.h"
#include "verbs/query/query_syntax.h"

typedef struct network_question {
    const invocation *call;
    const crd_network *network;
    const crd_settings *settings; /* that the network was counted under; NULL: its tables are stated */
    network_evidence known;
    crd_inference_options options;
    report *report;
    bool all; /* of long tables */
} network_question;

/* Asks a network, which the first operand is, counted under the settings; NULL: its tables are stated. */
int query_network(const invocation *call, const crd_network *network, const crd_settings *settings);

/* Each finds its answer, and adds it to the report. */

/* query_network_posterior.c: the probabilities of --of, or of the evidence alone. */
int network_posterior_answer(network_question *q);
/* query_network_independence.c: --independence, by the arcs. Its --given has nodes, not evidence. */
int network_independence_answer(network_question *q);
/* query_network_blanket.c: --markov-blanket, by the arcs. */
int network_blanket_answer(network_question *q);
/* query_network_most.c: --most-probable. */
int network_most_probable_answer(network_question *q);
/* query_network_decide.c: --decide. */
int network_decide_answer(network_question *q);
/* query_network_rows.c, which writes rows as they come: the probabilities of --of, or of what is known alone, for
 * each row of DATA. */
int network_rows_answer(network_question *q);

/* ---- query_network.c, for these files ---- */

/* Opens the report, with the line for people that says what is asked. */
void network_question_open(network_question *q);
/* "tub given asia=yes, dysp=yes", as a heading. */
void network_question_heading(network_question *q, const char *description);
/* "P(evidence) = 0.0045014, log -5.4034"; nothing where there are no evidence. `error` is of the log. */
void network_question_report_evidence(network_question *q, double log_evidence, double error);
/* "0.25", or a power of e where doubles end, and its logarithm. */
void network_add_probability(string *out, double log_probability);
/* An array of names. */
void network_question_report_names(network_question *q, const char *key, const size_t *nodes, size_t count);

#endif
