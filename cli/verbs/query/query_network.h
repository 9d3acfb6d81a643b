/* SPDX-License-Identifier: MIT */
/* query_network.h - the interface between the files that implement queries to a network. */
#ifndef CREDENCE_CLI_QUERY_NETWORK_H
#define CREDENCE_CLI_QUERY_NETWORK_H

#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "verbs/query/query_joint.h"
#include "verbs/query/query_syntax.h"

typedef struct network_question {
    const invocation *call;
    const crd_network *network;
    const crd_settings *settings; /* the settings of the estimated tables; NULL: the network specifies its tables */
    network_evidence known;
    crd_inference_options options;
    crd_result *report;
    bool all; /* list long tables in full */
} network_question;

/* Answers the query to `network`, which was read or trained from the first operand. `settings` are the settings of
 * its
 * estimated tables, or NULL if the network specifies its tables. */
int query_network(const invocation *call, const crd_network *network, const crd_settings *settings);

/* Each of these functions computes one kind of result and adds it to the report. Returns an exit code. */

/* Computes the posteriors of the nodes in --of, or only the probability of the evidence (query_network_posterior.c). */
int network_posterior_answer(network_question *q);
/* Tests d-separation for --independence, by the arcs. Its --given lists nodes, not evidence
 * (query_network_independence.c). */
int network_independence_answer(network_question *q);
/* Finds the Markov blankets for --markov-blanket, by the arcs (query_network_blanket.c). */
int network_blanket_answer(network_question *q);
/* Finds the most probable explanation for --mpe and --map (query_network_most.c). */
int network_most_probable_answer(network_question *q);
/* Finds the optimal policy for --decide (query_network_decide.c). */
int network_decide_answer(network_question *q);
/* Computes the posteriors of --of, or the probability of the evidence, for each row of DATA, and writes the rows in
 * order (query_network_rows.c). */
int network_rows_answer(network_question *q);

/* ---- Helpers (query_network.c) ---- */

/* Returns a query of `nodes` under the evidence and the inference options. */
crd_network_query network_question_query(const network_question *q, const size_t *nodes, size_t count);
/* Opens the report with a line that describes the network. */
void network_question_open(network_question *q);
/* Adds a heading such as "tub given asia=yes, dysp=yes". */
void network_question_heading(network_question *q, const char *description);
/* Adds a line such as "P(evidence) = 0.0045014, log -5.4034". Adds nothing if there is no evidence. `error` is the
 * standard error of log_evidence, 0 if it is exact. */
void network_question_report_evidence(network_question *q, double log_evidence, double error);
/* Adds a probability and its logarithm. Probabilities too small for a double are written as a power of e. */
void network_add_probability(string *out, double log_probability);
/* Adds an array of node names. */
void network_question_report_names(network_question *q, const char *key, const size_t *nodes, size_t count);

#endif
