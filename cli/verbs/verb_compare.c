/* SPDX-License-Identifier: MIT */
/* verb_compare.c - the verb compare: the differences of two networks, arc by arc and table by table. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "core/verb.h"
#include "source/input_file.h"
#include "source/model_operand.h"

#include <math.h>

/* The maximum number of rows without --all. */
enum { ROWS_SHOWN = 40 };

typedef struct comparing {
    const invocation *call;
    crd_network *networks[2];
    crd_network_comparison *comparison;
    const char *names[2]; /* names of the two files */
    crd_result *report;
    bool all;
} comparing;

/* ---- The report ---- */

static void compare_report_network(const comparing *c, size_t which, const char *key) {
    crd_result *r = c->report;
    const crd_network *network = c->networks[which];
    size_t nodes = crd_network_node_count(network), arcs = 0;
    for (size_t i = 0; i < nodes; i++) arcs += crd_network_parent_count(network, i);
    crd_result_line(r, CRD_LINE, "%s network %s: %zu node%s, %zu arc%s", which == 0 ? "First" : "Second",
                    crd_result_show(r, crd_text_of(c->names[which])), nodes, nodes == 1 ? "" : "s", arcs,
                    arcs == 1 ? "" : "s");
    crd_result_begin(r, CRD_OBJECT, key);
    crd_result_words(r, "path", c->names[which]);
    crd_result_number(r, "nodes", (double)nodes);
    crd_result_number(r, "arcs", (double)arcs);
    crd_result_end(r);
}

/* Reports the structural Hamming distances, and the numbers of common, reversed and different arcs. */
static void report_distances(const comparing *c) {
    const crd_network_comparison *facts = c->comparison;
    const struct {
        const char *key, *title;
        size_t count;
    } rows[] = {
        {"shd", "structural Hamming distance of the CPDAGs", facts->hamming_distance},
        {"shd_dag", "structural Hamming distance of the DAGs: arcs to add, remove or reverse", facts->arc_distance},
        {"same", "arcs in both", facts->same},
        {"reversed", "arcs reversed", facts->reversed},
        {"only_first", "arcs only in the first", facts->only_first_arcs},
        {"only_second", "arcs only in the second", facts->only_second_arcs},
        {"only_first_nodes", "nodes only in the first", facts->only_first_nodes},
        {"only_second_nodes", "nodes only in the second", facts->only_second_nodes}};
    crd_result *r = c->report;
    crd_result_heading(r, 2, "Structure", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crd_result_number(r, rows[i].key, (double)rows[i].count);
        crd_cell_words(t, rows[i].title);
        crd_cell_count(t, (double)rows[i].count);
    }
    crd_result_boolean(r, "equivalent", facts->hamming_distance == 0);
    if (facts->hamming_distance == 0)
        crd_result_line(r, CRD_REMARK,
                        facts->arc_distance == 0 ? "the same arcs"
                                                 : "equivalent: data cannot distinguish the directions of their arcs");
}

/* Reports the arcs of both networks; people see only the different ones. */
static void compare_report_arcs(const comparing *c) {
    static const char *const words[] = {[CRD_ARC_SAME] = "same",
                                        [CRD_ARC_REVERSED] = "reversed",
                                        [CRD_ARC_ONLY_FIRST] = "only first",
                                        [CRD_ARC_ONLY_SECOND] = "only second"};
    static const char *const shown[] = {[CRD_ARC_SAME] = "in both",
                                        [CRD_ARC_REVERSED] = "reversed in the second",
                                        [CRD_ARC_ONLY_FIRST] = "only in the first",
                                        [CRD_ARC_ONLY_SECOND] = "only in the second"};
    crd_result *r = c->report;
    size_t differing = 0;
    if (c->comparison->arc_distance > 0) crd_result_heading(r, 2, "Differing arcs", "");
    crd_result_table *t = crd_result_add_table(r, "arcs");
    t->is_headed = false;
    t->is_short = t->is_main = true;
    t->is_hidden = c->comparison->arc_distance == 0;
    if (!c->all) t->rows_shown = ROWS_SHOWN;
    crd_result_add_column(t, "from", "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    crd_result_add_column(t, "to", "")->is_left = true;
    crd_result_add_column(t, "relation", "")->is_left = true;
    for (size_t i = 0; i < c->comparison->arc_count; i++) {
        const crd_arc_comparison arc = c->comparison->arcs[i];
        t->audience = arc.relation == CRD_ARC_SAME ? CRD_FOR_JSON | CRD_FOR_CSV : CRD_FOR_ALL;
        crd_cell_name(t, arc.from);
        crd_cell_words(t, "->");
        crd_cell_name(t, arc.to);
        crd_cell_words(t, words[arc.relation]);
        crd_cell_show_as(t, shown[arc.relation], NULL);
        differing += arc.relation != CRD_ARC_SAME;
    }
    if (differing > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", differing - t->rows_shown);
}

/* Reports the differences of the tables of nodes with the same parents and states. */
static void report_cpts(const comparing *c) {
    static const char *const words[] = {[CRD_CPT_COMPARED] = "compared",
                                        [CRD_CPT_ONLY_FIRST] = "only in the first",
                                        [CRD_CPT_ONLY_SECOND] = "only in the second",
                                        [CRD_CPT_OTHER_PARENTS] = "other parents",
                                        [CRD_CPT_OTHER_STATES] = "other states",
                                        [CRD_CPT_NONE] = "decisions, without tables"};
    crd_result *r = c->report;
    crd_result_heading(r, 2, "Tables", " of nodes with the same parents");
    crd_result_table *t = crd_result_add_table(r, "tables");
    t->is_short = true;
    if (!c->all) t->rows_shown = ROWS_SHOWN;
    crd_result_add_column(t, "node", "node");
    crd_result_add_column(t, "difference", "largest difference");
    crd_result_add_column(t, "divergence", "largest divergence");
    crd_result_add_column(t, "relation", "")->is_left = true;
    for (size_t i = 0; i < c->comparison->nodes; i++) {
        const crd_cpt_comparison cpt = c->comparison->cpts[i];
        crd_cell_name(t, cpt.name);
        if (isnan(cpt.difference)) crd_cell_null(t);
        else crd_cell_number(t, cpt.difference);
        if (isnan(cpt.divergence)) crd_cell_null(t);
        else crd_cell_number(t, cpt.divergence);
        crd_cell_words(t, words[cpt.relation]);
        if (cpt.relation == CRD_CPT_COMPARED) crd_cell_show_as(t, "", NULL);
    }
    if (c->comparison->nodes > t->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu more (--all)", c->comparison->nodes - t->rows_shown);
}

/* Runs the verb: opens both networks, compares them and writes the report. */
static int compare_run(invocation *call) {
    comparing c = {.call = call, .all = arguments_have(&call->arguments, "all")};
    crd_error error;
    int ended = ENDED_WELL;
    for (size_t i = 0; i < 2 && ended == ENDED_WELL; i++) {
        c.names[i] = input_file_name(call->arguments.operands[i]);
        ended = model_operand_need_network(call, call->arguments.operands[i], &c.networks[i]);
    }
    if (ended == ENDED_WELL && crd_network_compare(c.networks[0], c.networks[1], &c.comparison, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) {
        c.report = report_create(call->context);
        crd_result_begin(c.report, CRD_OBJECT, NULL);
        compare_report_network(&c, 0, "first");
        compare_report_network(&c, 1, "second");
        report_distances(&c);
        compare_report_arcs(&c);
        report_cpts(&c);
        crd_result_end(c.report);
        ended = report_finish(c.report, call, FORMATS, ended);
    }
    crd_network_comparison_destroy(c.comparison);
    crd_network_destroy(c.networks[0]);
    crd_network_destroy(c.networks[1]);
    return ended;
}

static const option options[] = {
    {"all", 0, NULL, .help = "show long tables in full"}, OPTION_FORMAT, OPTION_OUTPUT, OPTIONS_END};

const verb verb_compare = {.name = "compare",
                           .usage = "compare NETWORK|MODEL NETWORK|MODEL",
                           .summary = "Compare two networks: structural Hamming distance, arcs, tables",
                           .about =
                               "Nodes are matched by name. A node that only one network contains has no arcs in the "
                               "other. The structural Hamming distance counts pairs of nodes whose edge or direction "
                               "differs in the two CPDAGs. In a CPDAG, directions that data cannot distinguish are "
                               "undirected, so equivalent networks have distance 0. csv lists the arcs of both.\n\n"
                               "Tables are compared if a node has the same parents and states in both networks. The "
                               "report has the largest difference of two numbers, and the largest Kullback-Leibler "
                               "divergence of two rows, of the second network from the first.",
                           .example = "  credence example asia > asia.bif\n"
                                      "  credence sample asia.bif --rows 2000 --seed 1 > patients.csv\n"
                                      "  credence train patients.csv --method network --arcs "
                                      "'visit->tuberculosis,smoking->cancer,smoking->bronchitis' -o learned.model\n"
                                      "  credence compare asia.bif learned.model\n",
                           .essentials = "all|format|output",
                           .options = options,
                           .least = 2,
                           .most = 2,
                           .operands = "two networks or models",
                           .reads_operands = true,
                           .run = compare_run};
