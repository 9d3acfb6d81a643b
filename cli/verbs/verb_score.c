/* SPDX-License-Identifier: MIT */
/* verb_score.c - the verb score: how well the structure of a network fits rows, node by node. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/model_operand.h"

#include <math.h>

/* The maximum number of rows without --all. */
enum { ROWS_SHOWN = 40 };

/* Reports the score and the number of parameters of each node. */
static void report_nodes_of(crd_result *r, const crd_network *network, const crd_structure_score *score, bool all) {
    const size_t count = crd_network_node_count(network);
    crd_result_heading(r, 2, "Nodes", "");
    crd_result_table *t = crd_result_add_table(r, "nodes");
    t->shape = CRD_TABLE_MAP;
    t->is_main = true;
    if (!all) t->rows_shown = ROWS_SHOWN;
    crd_result_add_column(t, "node", "node");
    crd_result_add_column(t, "score", "score");
    crd_result_add_column(t, NULL, "parameters");
    for (size_t i = 0; i < count; i++) {
        crd_cell_name(t, crd_network_node_name(network, i));
        if (isfinite(score->nodes[i])) crd_cell_number(t, score->nodes[i]);
        else crd_cell_null(t);
        crd_cell_count(t, score->parameters[i]);
    }
    if (count > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", count - t->rows_shown);
}

/* Writes the report of the score. */
static int report_score(const invocation *call, const crd_network *network, const crd_structure_score *score,
                        const char *criterion) {
    crd_result *r = report_create(call->context);
    const double total = score->total;
    double parameters = 0;
    for (size_t i = 0; i < crd_network_node_count(network); i++) parameters += score->parameters[i];
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_words(r, "score_name", criterion);
    if (isfinite(total)) crd_result_number(r, "score", total);
    else crd_result_number(r, "score", NAN);
    crd_result_number(r, "rows", score->rows);
    crd_result_number(r, "parameters", parameters);
    crd_result_line(r, CRD_LINE, "Score of %s by %s: %.10g, for %.15g row%s and %.15g parameter%s",
                    input_file_name(call->arguments.operands[0]), criterion, total, score->rows,
                    score->rows == 1 ? "" : "s", parameters, parameters == 1 ? "" : "s");
    report_nodes_of(r, network, score, arguments_have(&call->arguments, "all"));
    crd_result_end(r);
    return report_finish(r, call, FORMATS, ENDED_WELL);
}

/* Runs the verb: opens the network and the rows, computes the score and reports it. */
static int score_run(invocation *call) {
    const char *given = arguments_value(&call->arguments, "score"), *criterion = given == NULL ? "bic" : given;
    crd_network *network = NULL;
    crd_structure_score *score = NULL;
    crd_error error;
    data d = {0};
    int ended = model_operand_need_network(call, call->arguments.operands[0], &network);
    if (ended == ENDED_WELL)
        ended = data_open(call, call->arguments.operands + 1, call->arguments.operand_count - 1, false, &d);
    if (ended == ENDED_WELL &&
        crd_structure_score_create(network, d.reader, crd_text_of(criterion), &score, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = report_score(call, network, score, criterion);
    crd_structure_score_destroy(score);
    data_close(&d);
    crd_network_destroy(network);
    return ended;
}

static const option options[] = {{"score", 0, "loglik|bic|aic|bdeu:S|k2|bge",
                                  .help = "score: log likelihood, penalized or marginal (bic)", .is_once = true},
                                 {"all", 0, NULL, .help = "show long tables in full"},
                                 OPTION_FORMAT,
                                 OPTION_OUTPUT,
                                 OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_score = {
    .name = "score",
    .usage = "score NETWORK|MODEL DATA... [--score SCORE]",
    .summary = "Score the structure of a network on rows: BIC, BDeu and others",
    .about =
        "Shows how well the arcs of a network fit the rows, in natural logarithms; larger is better. The parameters "
        "are estimated from the rows: the network's own tables have no effect. The score is a sum over the nodes, each "
        "given its parents.\n\n"
        "loglik is the maximum log likelihood. bic subtracts log(n) / 2 for each parameter, and aic 1. bdeu:S and k2 "
        "are log marginal likelihoods under Dirichlet priors with S pseudo-counts in total (1), or one for each entry. "
        "bge:S is the log marginal likelihood of continuous nodes under a normal-Wishart prior.\n\n"
        "A node is scored on the rows in which it and its parents are present, scaled to all rows. If parents have "
        "missing values, each parent counts by its gain over the others, in the rows in which both are present.",
    .example = "  credence example asia > asia.bif\n"
               "  credence sample asia.bif --rows 2000 --seed 1 > patients.csv\n"
               "  credence score asia.bif patients.csv --score bdeu:10\n",
    .essentials = "score|all|format|output",
    .options = options,
    .least = 2,
    .most = SIZE_MAX,
    .operands = "a network or model, and DATA",
    .reads_operands = true,
    .data_at = 2,
    .run = score_run};
