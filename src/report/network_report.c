/* SPDX-License-Identifier: MIT */
/* network_report.c - writes the report about a network. See credence/html_report.h.
 *
 * Contents:
 *   1. Dependence section
 *   2. Graph section
 *   3. Row fit section
 *   4. Probability tables section
 *   5. Report */
#include "base/error.h"
#include "base/memory.h"
#include "io/section.h"
#include "network/network_internal.h"
#include "report/study.h"

#include <credence/distribution.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Dependence section ========
 *
 * The mutual information of each arc's nodes, and the independences implied by the graph (d-separation, Pearl 1988). */

/* Maximum number of arcs that are measured, of arcs and bars that are shown, of facts of each kind, and of cells of a
 * joint table. */
enum { MEASURED = 2000, SHOWN = 20, BARS = 15, FACTS = 8, CELLS = 10000 };

typedef struct dependence_arc {
    size_t parent, child;
    double bits;
} dependence_arc;

static int by_bits(const void *left, const void *right) {
    const dependence_arc *a = left, *b = right;
    if (a->bits != b->bits) return a->bits < b->bits ? 1 : -1;
    if (a->child != b->child) return a->child < b->child ? -1 : 1;
    return (a->parent > b->parent) - (a->parent < b->parent);
}

/* ---- Mutual information ---- */

/* Computes the mutual information I(X; Y) = sum of p(x, y) log2(p(x, y) / (p(x) p(y))), in bits. */
static double network_dependence_information(const double *joint, size_t rows, size_t columns) {
    double sum = 0;
    for (size_t x = 0; x < rows; x++) {
        double px = 0;
        for (size_t y = 0; y < columns; y++) px += joint[x * columns + y];
        for (size_t y = 0; y < columns; y++) {
            double p = joint[x * columns + y], py = 0;
            for (size_t k = 0; k < rows; k++) py += joint[k * columns + y];
            if (p > 0) sum += p * (crd_log(p) - crd_log(px * py));
        }
    }
    return fmax(0, sum / crd_log(2));
}

/* Computes the mutual information of an arc's nodes. Sets *is_measured to false if the joint posterior is not
 * available. */
static crd_status network_dependence_measure(const crd_i_network_study *study, dependence_arc *arc, double *workspace,
                                             bool *is_measured, crd_error *error) {
    size_t nodes[2] = {arc->parent, arc->child};
    size_t rows = crd_network_state_count(study->network, arc->parent),
           columns = crd_network_state_count(study->network, arc->child);
    *is_measured = false;
    if (study->first[arc->parent] == CRD_NONE || study->first[arc->child] == CRD_NONE || rows * columns > CELLS)
        return CRD_OK;
    const crd_network_query query = {.size = sizeof query, .nodes = nodes, .node_count = 2};
    crd_status status = crd_network_joint_posterior(study->network, &query, workspace, NULL, NULL, error);
    if (status == CRD_ERROR_LIMIT) return CRD_OK;
    if (status != CRD_OK) return status;
    arc->bits = network_dependence_information(workspace, rows, columns);
    *is_measured = true;
    return CRD_OK;
}

/* Measures the arcs and sorts them by mutual information, largest first. Sets *count to the number of measured arcs. */
static crd_status measure_arcs(const crd_i_network_study *study, dependence_arc *arcs, size_t *count,
                               crd_error *error) {
    double *workspace = crd_i_alloc(study->page.context, CELLS, sizeof *workspace);
    crd_status status = workspace == NULL ? crd_i_fail_memory(error) : CRD_OK;
    *count = 0;
    for (size_t i = 0; status == CRD_OK && i < study->nodes; i++)
        for (size_t k = 0; status == CRD_OK && k < crd_network_parent_count(study->network, i) && *count < MEASURED;
             k++) {
            bool is_measured = false;
            arcs[*count] = (dependence_arc){crd_network_parent(study->network, i, k), i, 0};
            status = network_dependence_measure(study, &arcs[*count], workspace, &is_measured, error);
            *count += is_measured;
            if (status == CRD_OK && crd_i_context_cancelled(study->page.context)) status = crd_i_fail_cancelled(error);
        }
    crd_free(study->page.context, workspace);
    if (status == CRD_OK) qsort(arcs, *count, sizeof *arcs, by_bits);
    return status;
}

/* Lists the strongest arcs in a table. */
static void network_dependence_list_arcs(crd_i_network_study *study, const dependence_arc *arcs, size_t count) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out, "Arcs by the mutual information of their nodes, without any evidence");
    crd_i_html_column(out, false, "from");
    crd_i_html_column(out, false, "to");
    crd_i_html_column(out, true, "bits");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_network_node_name(study->network, arcs[i].parent));
        crd_i_html_cell(out, "%t", crd_network_node_name(study->network, arcs[i].child));
        crd_i_html_cell(out, "%f", arcs[i].bits);
    }
    crd_i_html_close_table(out);
    if (count > SHOWN)
        crd_i_html_add(out, "<p class=\"soft\">Further arcs that are not listed: %u.</p>\n", (uint64_t)(count - SHOWN));
}

typedef struct dependence_report {
    size_t node;
    double bits;
} dependence_report;

static int by_told(const void *left, const void *right) {
    const dependence_report *a = left, *b = right;
    if (a->bits != b->bits) return a->bits < b->bits ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Draws the nodes with the largest sums of mutual information over their arcs. */
static crd_status draw_nodes(crd_i_network_study *study, const dependence_arc *arcs, size_t count, crd_error *error) {
    dependence_report *sums = crd_i_alloc(study->page.context, study->nodes, sizeof *sums);
    crd_plot_bar bars[BARS];
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = crd_i_page_plot("Most informative nodes", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    if (sums == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < study->nodes; i++) sums[i] = (dependence_report){i, 0};
    for (size_t i = 0; i < count; i++) {
        sums[arcs[i].parent].bits += arcs[i].bits;
        sums[arcs[i].child].bits += arcs[i].bits;
    }
    qsort(sums, study->nodes, sizeof *sums, by_told);
    for (size_t i = 0; i < study->nodes && plot.count < BARS && sums[i].bits > 0; i++)
        bars[plot.count++] =
            (crd_plot_bar){crd_network_node_name(study->network, sums[i].node), {NULL, 0}, sums[i].bits};
    crd_free(study->page.context, sums);
    if (plot.count == 0) return CRD_OK;
    plot.bars = bars;
    plot.unit = crd_text_of("bits");
    crd_status status = crd_plot_draw_bars(study->page.context, &plot, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg,
                              "Mutual information of a node and its neighbors, summed over its arcs.", error);
}

static crd_status add_strengths(crd_i_network_study *study, crd_error *error) {
    size_t most = study->arcs < MEASURED ? study->arcs : MEASURED, count = 0;
    dependence_arc *arcs = crd_i_alloc(study->page.context, most + 1, sizeof *arcs);
    if (arcs == NULL) return crd_i_fail_memory(error);
    crd_status status = measure_arcs(study, arcs, &count, error);
    if (status == CRD_OK && count > 0) {
        study->strongest[0] = crd_network_node_name(study->network, arcs[0].parent);
        study->strongest[1] = crd_network_node_name(study->network, arcs[0].child);
        study->strongest_bits = arcs[0].bits;
        status = draw_nodes(study, arcs, count, error);
        network_dependence_list_arcs(study, arcs, count);
    }
    crd_free(study->page.context, arcs);
    return status;
}

/* ---- Independences ---- */

static crd_status network_dependence_is_separated(const crd_i_network_study *study, size_t a, size_t b,
                                                  const size_t *given, size_t count, bool *out, crd_error *error) {
    size_t *path = NULL, length = 0;
    int separated = 0;
    crd_status status = crd_network_separation(study->network, a, b, given, count, &separated, &path, &length, error);
    crd_free(study->page.context, path);
    *out = separated != 0;
    return status;
}

/* Lists colliders: two parents that are independent, but depend on each other if their child is known (explaining
 * away). */
static crd_status list_colliders(crd_i_network_study *study, size_t *result, crd_error *error) {
    const crd_network *n = study->network;
    crd_status status = CRD_OK;
    for (size_t c = 0; c < study->nodes; c++)
        for (size_t i = 0; i < crd_network_parent_count(n, c); i++)
            for (size_t k = i + 1; k < crd_network_parent_count(n, c); k++) {
                size_t a = crd_network_parent(n, c, i), b = crd_network_parent(n, c, k);
                bool separated = false;
                if (*result >= FACTS || crd_network_node_kind(n, c) == CRD_NODE_UTILITY) return CRD_OK;
                status = network_dependence_is_separated(study, a, b, NULL, 0, &separated, error);
                if (status != CRD_OK) return status;
                if (!separated) continue;
                crd_i_html_add(
                    &study->page.body,
                    "<li><b>%t</b> and <b>%t</b> are independent, but depend on each other if <b>%t</b> is known: "
                    "one can explain the other away.</li>\n",
                    crd_network_node_name(n, a), crd_network_node_name(n, b), crd_network_node_name(n, c));
                (*result)++;
            }
    return CRD_OK;
}

/* Lists chains a -> b -> c in which a and c are independent if b is known. */
static crd_status list_chains(crd_i_network_study *study, size_t *result, crd_error *error) {
    const crd_network *n = study->network;
    for (size_t b = 0; b < study->nodes; b++)
        for (size_t i = 0; i < crd_network_parent_count(n, b); i++)
            for (size_t k = 0; k < crd_i_network_child_count(n, b); k++) {
                size_t a = crd_network_parent(n, b, i), c = crd_i_network_child(n, b, k);
                bool separated = false;
                if (*result >= FACTS) return CRD_OK;
                if (crd_network_node_kind(n, c) == CRD_NODE_UTILITY) continue;
                crd_status status = network_dependence_is_separated(study, a, c, &b, 1, &separated, error);
                if (status != CRD_OK) return status;
                if (!separated) continue;
                crd_i_html_add(
                    &study->page.body,
                    "<li>If <b>%t</b> is known, <b>%t</b> gives no further information about <b>%t</b>.</li>\n",
                    crd_network_node_name(n, b), crd_network_node_name(n, a), crd_network_node_name(n, c));
                (*result)++;
            }
    return CRD_OK;
}

/* Adds the section about dependence: arcs with their mutual information, and independences. */
static crd_status network_study_dependence(crd_i_network_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    size_t colliders = 0, chains = 0;
    crd_status status = CRD_OK;
    if (study->arcs == 0) return CRD_OK;
    crd_i_page_open_section(page, "dependence", "Dependence");
    if (study->beliefs != NULL)
        status = crd_i_page_excuse(page, "mutual information", add_strengths(study, error), error);
    crd_i_html_add(&page->body, "<h3>Independences implied by the graph</h3>\n<ul>\n");
    if (status == CRD_OK) status = list_colliders(study, &colliders, error);
    if (status == CRD_OK) status = list_chains(study, &chains, error);
    if (colliders + chains == 0) crd_i_html_add(&page->body, "<li>None between nodes one or two steps apart.</li>\n");
    crd_i_html_add(&page->body, "</ul>\n");
    if (colliders == FACTS || chains == FACTS)
        crd_i_html_add(&page->body, "<p class=\"soft\">Only the first of each kind are listed.</p>\n");
    crd_i_page_close_section(page);
    return status;
}

/* ======== 2. Graph section ========
 *
 * Nodes, arcs and prior probabilities. */

/* Maximum number of nodes in a graph with bars, in a graph with names only, and in the table; maximum number of states
 * listed. */
enum { WITH_BARS = 16, DRAWN = 200, LISTED = 400, STATES = 6 };

/* Fills in the nodes of the picture. Their states point into `states`. */
static crd_status network_graph_fill_nodes(const crd_i_network_study *study, bool with_bars, crd_plot_node *nodes,
                                           crd_text *states) {
    size_t index = 0;
    for (size_t i = 0; i < study->nodes; i++) {
        crd_node_kind kind = crd_network_node_kind(study->network, i);
        nodes[i] = (crd_plot_node)CRD_PLOT_NODE_INIT;
        nodes[i].name = crd_network_node_name(study->network, i);
        if (kind == CRD_NODE_DECISION) nodes[i].kind = CRD_PLOT_DECISION;
        if (kind == CRD_NODE_UTILITY) nodes[i].kind = CRD_PLOT_UTILITY;
        if (!with_bars || study->beliefs == NULL || study->first[i] == CRD_NONE) continue;
        nodes[i].states = states + index;
        nodes[i].beliefs = study->beliefs + study->first[i];
        nodes[i].state_count = crd_network_state_count(study->network, i);
        for (size_t k = 0; k < nodes[i].state_count; k++) states[index++] = crd_network_state(study->network, i, k);
    }
    return CRD_OK;
}

/* Draws the graph, with prior probabilities if it is small. */
static crd_status network_graph_draw(crd_i_network_study *study, crd_error *error) {
    crd_context *context = study->page.context;
    size_t states = 0, index = 0;
    for (size_t i = 0; i < study->nodes; i++) states += crd_network_state_count(study->network, i);
    crd_plot_node *nodes = crd_i_alloc(context, study->nodes, sizeof *nodes);
    crd_plot_arc *arcs = crd_i_alloc(context, study->arcs, sizeof *arcs);
    crd_text *names = crd_i_alloc(context, states, sizeof *names);
    crd_plot_graph plot = CRD_PLOT_GRAPH_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    bool with_bars = study->nodes <= WITH_BARS;
    crd_status status = nodes == NULL || arcs == NULL || names == NULL
                            ? crd_i_fail_memory(error)
                            : network_graph_fill_nodes(study, with_bars, nodes, names);
    for (size_t i = 0; status == CRD_OK && i < study->nodes; i++)
        for (size_t k = 0; k < crd_network_parent_count(study->network, i); k++)
            arcs[index++] = (crd_plot_arc){crd_network_parent(study->network, i, k), i, 0, NAN};
    plot.nodes = nodes;
    plot.node_count = study->nodes;
    plot.arcs = arcs;
    plot.arc_count = index;
    if (status == CRD_OK) status = crd_plot_draw_graph(context, &plot, &options, &svg, error);
    crd_free(context, nodes);
    crd_free(context, arcs);
    crd_free(context, names);
    return crd_i_page_picture(&study->page, status, svg,
                              with_bars && study->beliefs != NULL
                                  ? "The graph, with the prior probability of each state."
                                  : "The graph. Arcs go from parents to children.",
                              error);
}

static void network_graph_add_nodes(crd_i_html *out, const crd_i_network_study *study, size_t node, bool of_parents) {
    size_t count =
        of_parents ? crd_network_parent_count(study->network, node) : crd_i_network_child_count(study->network, node);
    crd_i_html_open_cell(out);
    for (size_t i = 0; i < count && i < STATES; i++) {
        size_t other =
            of_parents ? crd_network_parent(study->network, node, i) : crd_i_network_child(study->network, node, i);
        crd_i_html_add(out, i > 0 ? ", %t" : "%t", crd_network_node_name(study->network, other));
    }
    if (count > STATES) crd_i_html_add(out, " and %u more", (uint64_t)(count - STATES));
    crd_i_html_close_cell(out);
}

/* Adds a cell with the states of a node and their prior probabilities: "yes 1%, no 99%". */
static void network_graph_add_states(crd_i_html *out, const crd_i_network_study *study, size_t node) {
    static const char *const kinds[] = {"", "a decision", "a utility", "continuous"};
    size_t count = crd_network_state_count(study->network, node);
    crd_node_kind kind = crd_network_node_kind(study->network, node);
    crd_i_html_open_cell(out);
    if (kind != CRD_NODE_CHANCE) crd_i_html_add(out, "%s", kinds[kind]);
    for (size_t k = 0; (kind == CRD_NODE_CHANCE || kind == CRD_NODE_DECISION) && k < count && k < STATES; k++) {
        crd_i_html_add(out, k > 0 || kind == CRD_NODE_DECISION ? ", %t" : "%t",
                       crd_network_state(study->network, node, k));
        if (study->beliefs != NULL && study->first[node] != CRD_NONE)
            crd_i_html_add(out, " %p", study->beliefs[study->first[node] + k]);
    }
    if (count > STATES) crd_i_html_add(out, " and %u more states", (uint64_t)(count - STATES));
    crd_i_html_close_cell(out);
}

/* Adds the table of nodes. */
static void network_graph_add_table(crd_i_network_study *study) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out, "Nodes, in their order, with the prior probabilities of their states");
    crd_i_html_column(out, false, "node");
    crd_i_html_column(out, false, "states");
    crd_i_html_column(out, false, "parents");
    crd_i_html_column(out, false, "children");
    crd_i_html_column(out, true, "rows of its table");
    for (size_t i = 0; i < study->nodes && i < LISTED; i++) {
        size_t rows = 0;
        (void)crd_network_cpt(study->network, i, &rows);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_network_node_name(study->network, i));
        network_graph_add_states(out, study, i);
        network_graph_add_nodes(out, study, i, true);
        network_graph_add_nodes(out, study, i, false);
        crd_i_html_cell(out, "%u", (uint64_t)rows);
    }
    crd_i_html_close_table(out);
    if (study->nodes > LISTED)
        crd_i_html_add(out, "<p class=\"soft\">Further nodes that are not listed: %u.</p>\n",
                       (uint64_t)(study->nodes - LISTED));
}

/* Adds the section with the graph, the nodes and their prior probabilities. */
static crd_status network_study_graph(crd_i_network_study *study, crd_error *error) {
    crd_status status = CRD_OK;
    crd_i_page_open_section(&study->page, "graph", "The network");
    if (study->nodes > DRAWN)
        crd_i_html_add(&study->page.body, "<p class=\"soft\">A graph of more than %u nodes is not drawn.</p>\n",
                       (uint64_t)DRAWN);
    else status = network_graph_draw(study, error);
    if (study->beliefs == NULL)
        crd_i_html_add(&study->page.body,
                       "<p class=\"soft\">Prior probabilities are not shown: they depend on decisions that are "
                       "open, take too much memory, or no node has states.</p>\n");
    network_graph_add_table(study);
    crd_i_page_close_section(&study->page);
    return status;
}

/* ======== 3. Row fit section ========
 *
 * For each node, only the rows that have values of the node and all of its parents are used. Let n(x, u) be their
 * number with state x and parents u, n(u) the sum over x, and n the total. The mean log likelihood of the node's own
 * table is sum of n(x, u) log P(x | u) / n. For the best table it is sum of n(x, u) log(n(x, u) / n(u)) / n. Twice
 * their difference over all rows is the likelihood ratio statistic G² (Wilks 1938). It has, for each u that has rows,
 * one degree of freedom less than the number of possible states. */

enum { MISFITS_LISTED = 200 };
/* Maximum number of cells in all tables together. */
static const double MOST_CELLS = 5e7;
static const double LEVEL = 0.01;

typedef struct node_fit {
    size_t node;
    double rows, own, best, statistic, degrees, p;
} node_fit;

typedef struct fit_fitting {
    crd_i_network_study *study;
    size_t *begins; /* for each node, the index of its first count; CRD_NONE: the node is not counted */
    double *counts;
    int32_t *states;
    size_t capacity; /* number of rows that fit into `states` */
    uint64_t rows;
    uint64_t unknown; /* number of values that are not a state of their node */
} fit_fitting;

/* Returns whether a node is counted: it must be discrete and have no continuous parents. */
static bool network_row_fit_is_counted(const crd_network *n, size_t node) {
    if (crd_network_node_kind(n, node) != CRD_NODE_CHANCE) return false;
    for (size_t i = 0; i < crd_network_parent_count(n, node); i++)
        if (crd_network_node_kind(n, crd_network_parent(n, node, i)) == CRD_NODE_GAUSSIAN) return false;
    return true;
}

/* ---- Counting ---- */

/* Adds a row to the counts of each node for which it is complete. */
static void count_row(fit_fitting *f, const int32_t *states) {
    const crd_network *n = f->study->network;
    for (size_t i = 0; i < f->study->nodes; i++) {
        size_t cell = 0;
        bool is_complete = f->begins[i] != CRD_NONE && states[i] >= 0;
        for (size_t k = 0; is_complete && k < crd_network_parent_count(n, i); k++) {
            size_t parent = crd_network_parent(n, i, k);
            is_complete = states[parent] >= 0;
            if (is_complete) cell = cell * crd_network_state_count(n, parent) + (size_t)states[parent];
        }
        if (is_complete) f->counts[f->begins[i] + cell * crd_network_state_count(n, i) + (size_t)states[i]]++;
    }
}

/* Counts the rows of a frame, in batches. */
static crd_status count_frame(fit_fitting *f, const crd_frame *frame, crd_error *error) {
    enum { BATCH = 256 };
    crd_context *context = f->study->page.context;
    uint32_t unknown[BATCH];
    size_t nodes = f->study->nodes;
    if (f->states == NULL) f->states = crd_i_alloc(context, BATCH * nodes, sizeof *f->states);
    if (f->states == NULL) return crd_i_fail_memory(error);
    for (size_t index = 0; index < crd_frame_rows(frame); index += BATCH) {
        size_t rows = crd_frame_rows(frame) - index < BATCH ? crd_frame_rows(frame) - index : BATCH;
        if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        crd_network_states(f->study->network, frame, index, rows, f->states, unknown);
        for (size_t i = 0; i < rows; i++) {
            count_row(f, f->states + i * nodes);
            f->unknown += unknown[i];
        }
        f->rows += rows;
    }
    return CRD_OK;
}

/* Allocates the counts of all nodes and sets *cells to their number. Fails if the tables are too large. */
static crd_status network_row_fit_make_counts(fit_fitting *f, size_t *cells, crd_error *error) {
    crd_context *context = f->study->page.context;
    double all = 0;
    *cells = 0;
    f->begins = crd_i_alloc(context, f->study->nodes, sizeof *f->begins);
    if (f->begins == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < f->study->nodes; i++) {
        size_t rows = 0, width = crd_network_cpt_width(f->study->network, i);
        const double *cpt = crd_network_cpt(f->study->network, i, &rows);
        f->begins[i] = CRD_NONE;
        if (cpt == NULL || !network_row_fit_is_counted(f->study->network, i)) continue;
        all += (double)rows * (double)width;
        if (all > MOST_CELLS)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "the tables of the network are too large to be counted");
        f->begins[i] = *cells;
        *cells += rows * width;
    }
    f->counts = crd_i_alloc_zeroed(context, *cells, sizeof *f->counts);
    return f->counts == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status network_row_fit_bind(const fit_fitting *f, crd_error *error) {
    crd_context *context = f->study->page.context;
    size_t count = 0, *nodes = crd_i_alloc(context, f->study->nodes, sizeof *nodes);
    if (nodes == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < f->study->nodes; i++)
        if (crd_network_node_kind(f->study->network, i) != CRD_NODE_UTILITY) nodes[count++] = i;
    crd_status status = crd_network_bind(f->study->network, nodes, count, f->study->reader, error);
    crd_free(context, nodes);
    return status;
}

/* Counts all rows. */
static crd_status network_row_fit_count(fit_fitting *f, crd_error *error) {
    size_t cells = 0;
    crd_status status = network_row_fit_make_counts(f, &cells, error);
    if (status == CRD_OK) status = network_row_fit_bind(f, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        status = crd_reader_next(f->study->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = count_frame(f, frame, error);
    }
    return status;
}

/* ---- Fit ---- */

/* Computes the probability that a chi-squared variable is at least `statistic`. *p is NaN without degrees of
 * freedom. */
static crd_status upper_tail(crd_context *context, double statistic, double degrees, double *p, crd_error *error) {
    crd_distribution *distribution = NULL;
    const crd_parameter_value parameter = {crd_text_of("degrees"), &degrees, 1};
    *p = NAN;
    if (!(degrees > 0)) return CRD_OK;
    crd_status status =
        crd_distribution_create(context, crd_text_of("chi-squared"), &parameter, 1, &distribution, error);
    if (status == CRD_OK) *p = crd_distribution_above(distribution, statistic);
    crd_distribution_destroy(distribution);
    return status;
}

/* Computes the fit of a node: both log likelihoods, G², its degrees of freedom and the p-value. */
static crd_status fit_node(const fit_fitting *f, node_fit *fit, crd_error *error) {
    const crd_network *n = f->study->network;
    size_t rows = 0, states = crd_network_state_count(n, fit->node);
    const double *cpt = crd_network_cpt(n, fit->node, &rows), *counts = f->counts + f->begins[fit->node];
    for (size_t u = 0; u < rows; u++) {
        double total = 0, sum = 0;
        for (size_t x = 0; x < states; x++) {
            total += counts[u * states + x];
            sum += cpt[u * states + x];
        }
        if (total == 0) continue;
        fit->degrees -= 1;
        for (size_t x = 0; x < states; x++) {
            double count = counts[u * states + x], p = sum > 0 ? cpt[u * states + x] / sum : 0;
            fit->degrees += p > 0;
            if (count == 0) continue;
            fit->own += p > 0 ? count * crd_log(p) : -INFINITY;
            fit->best += count * crd_log(count / total);
        }
        fit->rows += total;
    }
    fit->statistic = 2 * (fit->best - fit->own);
    if (fit->statistic < 0) fit->statistic = 0;
    if (!isinf(fit->statistic)) return upper_tail(f->study->page.context, fit->statistic, fit->degrees, &fit->p, error);
    fit->p = 0;
    return CRD_OK;
}

/* Orders nodes by their gap per row, worst fit first. */
static int by_gap(const void *left, const void *right) {
    const node_fit *a = left, *b = right;
    double x = a->rows > 0 ? a->statistic / a->rows : -1, y = b->rows > 0 ? b->statistic / b->rows : -1;
    if (x != y) return x < y ? 1 : -1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Lists the fit of the nodes in a table. */
static void list_fits(const fit_fitting *f, const node_fit *fits, size_t count) {
    crd_i_html *out = &f->study->page.body;
    crd_i_html_open_table(out, "Nodes, worst fit first: mean log likelihood per row under the network's table, and "
                               "under the best table with the same parents");
    crd_i_html_column(out, false, "node");
    static const char *const titles[] = {"rows", "own table", "best table", "gap", "G²", "degrees", "p"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) crd_i_html_column(out, true, "%s", titles[i]);
    for (size_t i = 0; i < count && i < MISFITS_LISTED; i++) {
        const node_fit *fit = &fits[i];
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_network_node_name(f->study->network, fit->node));
        crd_i_html_cell(out, "%n", fit->rows);
        crd_i_html_cell(out, "%f", fit->own / fit->rows);
        crd_i_html_cell(out, "%f", fit->best / fit->rows);
        crd_i_html_cell(out, "%f", fit->statistic / 2 / fit->rows);
        crd_i_html_cell(out, "%n", fit->statistic);
        crd_i_html_cell(out, "%n", fit->degrees);
        crd_i_html_cell(out, fit->p < 0.0001 ? "&lt; 0.0001" : "%f", fit->p);
    }
    crd_i_html_close_table(out);
}

/* Summarizes the fit of the whole network. A node misfits if its p-value is below LEVEL divided by the number of nodes
 * (Bonferroni correction). */
static void network_row_fit_conclude(const fit_fitting *f, const node_fit *fits, size_t count) {
    crd_i_page *page = &f->study->page;
    double own = 0, best = 0;
    size_t misfits = 0, impossible = 0;
    for (size_t i = 0; i < count; i++) {
        if (fits[i].rows == 0) continue;
        own += fits[i].own / fits[i].rows;
        best += fits[i].best / fits[i].rows;
        misfits += fits[i].p < LEVEL / (double)count;
        impossible += isinf(fits[i].own) != 0;
    }
    crd_i_html_add(
        &page->summary,
        "<p>%u rows have a mean log likelihood of <b>%n</b> under the network (in nats per row, without missing "
        "values); "
        "the "
        "best tables of the same structure would have %n. %u of %u nodes fit worse than chance allows.</p>\n",
        f->rows, own, best, (uint64_t)misfits, (uint64_t)count);
    if (impossible > 0) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "Rows have states that the tables of %u nodes exclude: their log likelihood is −∞.",
                       (uint64_t)impossible);
        crd_i_page_end_warning(page);
    }
    if (f->unknown > 0) {
        crd_i_html_add(crd_i_page_begin_warning(page), "%u values are not a state of their node and were ignored.",
                       f->unknown);
        crd_i_page_end_warning(page);
    }
}

/* Computes the fit of all nodes and writes the section. */
static crd_status add_fits(const fit_fitting *f, crd_error *error) {
    crd_context *context = f->study->page.context;
    size_t count = 0;
    node_fit *fits = crd_i_alloc_zeroed(context, f->study->nodes, sizeof *fits);
    if (fits == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < f->study->nodes; i++) {
        if (f->begins[i] == CRD_NONE) continue;
        fits[count].node = i;
        status = fit_node(f, &fits[count++], error);
    }
    qsort(fits, count, sizeof *fits, by_gap);
    network_row_fit_conclude(f, fits, count);
    crd_i_html_add(
        &f->study->page.body,
        "<p>%u rows. If a node fits well, chance explains the gap between its table and the best table (p is not "
        "small). p is the p-value of the "
        "chi-squared test of G².</p>\n",
        f->rows);
    list_fits(f, fits, count);
    crd_free(context, fits);
    return status;
}

/* Adds the section on how well the rows fit the tables. */
static crd_status network_study_fit(crd_i_network_study *study, crd_error *error) {
    fit_fitting f = {.study = study};
    crd_i_page_open_section(&study->page, "fit", "How well the rows fit");
    crd_status status = network_row_fit_count(&f, error);
    if (status == CRD_OK && f.rows == 0) status = crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no rows");
    if (status == CRD_OK) status = add_fits(&f, error);
    crd_free(study->page.context, f.begins);
    crd_free(study->page.context, f.counts);
    crd_free(study->page.context, f.states);
    crd_i_page_close_section(&study->page);
    return status;
}

/* ======== 4. Probability tables section ======== */

/* Maximum number of tables that are drawn, of their rows and states, and of combinations of a continuous node's
 * parents. */
enum { TABLES = 60, ROWS = 32, COLUMNS = 8, COMBINATIONS = 24 };

/* Appends the parents' states in a row of a table, such as "yes, no". Uses a buffer because states may contain any
 * bytes. */
static void name_row(const crd_network *network, size_t node, size_t row, crd_i_buffer *out, bool *has_failed) {
    size_t states[64], parents = crd_network_parent_count(network, node), remainder = row;
    for (size_t i = parents; i-- > 0;) {
        size_t parent = crd_network_parent(network, node, i), count = crd_network_state_count(network, parent);
        if (i < 64) states[i] = count > 0 ? remainder % count : CRD_NONE;
        if (count > 0) remainder /= count;
    }
    bool is_first = true;
    for (size_t i = 0; i < parents && i < 64; i++) {
        if (states[i] == CRD_NONE) continue;
        crd_text state = crd_network_state(network, crd_network_parent(network, node, i), states[i]);
        *has_failed = *has_failed || (!is_first && !crd_i_buffer_append(out, ", ", 2)) ||
                      !crd_i_buffer_append(out, state.bytes, state.length);
        is_first = false;
    }
}

/* Appends the names of the parents that have states, such as "visit, smoking". */
static void name_parents(const crd_network *network, size_t node, crd_i_buffer *out, bool *has_failed) {
    bool is_first = true;
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++) {
        size_t parent = crd_network_parent(network, node, i);
        crd_text name = crd_network_node_name(network, parent);
        if (crd_network_state_count(network, parent) == 0) continue;
        *has_failed = *has_failed || (!is_first && !crd_i_buffer_append(out, ", ", 2)) ||
                      !crd_i_buffer_append(out, name.bytes, name.length);
        is_first = false;
    }
}

/* Draws the conditional probability table of a node. */
static crd_status network_tables_draw(crd_i_network_study *study, size_t node, const double *cpt, size_t rows,
                                      crd_error *error) {
    crd_context *context = study->page.context;
    crd_i_buffer names = {.context = context}, parents = {.context = context};
    size_t ends[ROWS] = {0}, states = crd_network_state_count(study->network, node);
    crd_text row_names[ROWS], state_names[COLUMNS];
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    bool has_failed = false;
    char *svg = NULL;
    for (size_t i = 0; i < rows; i++) {
        name_row(study->network, node, i, &names, &has_failed);
        ends[i] = names.length;
    }
    name_parents(study->network, node, &parents, &has_failed);
    /* A node without parents has one row without a name. */
    for (size_t i = 0; i < rows && !has_failed && names.length > 0; i++) {
        size_t begin = i == 0 ? 0 : ends[i - 1];
        row_names[i] = (crd_text){(const char *)names.bytes + begin, ends[i] - begin};
    }
    for (size_t i = 0; i < states; i++) state_names[i] = crd_network_state(study->network, node, i);
    plot.rows = parents.length > 0 ? row_names : NULL;
    plot.row_name = (crd_text){(const char *)parents.bytes, parents.length};
    plot.row_count = rows;
    plot.states = state_names;
    plot.state_count = states;
    plot.probabilities = cpt;
    options.title = crd_network_node_name(study->network, node);
    options.width = states <= 4 ? CRD_I_PAGE_HALF : CRD_I_PAGE_WIDE;
    crd_status status =
        has_failed ? crd_i_fail_memory(error) : crd_plot_draw_table(context, &plot, &options, &svg, error);
    crd_i_buffer_clear(&names);
    crd_i_buffer_clear(&parents);
    return crd_i_page_picture(&study->page, status, svg, NULL, error);
}

/* Adds a table of a continuous node's parameters: the constant and the coefficients of the mean, and the variance, for
 * each combination of its discrete parents. */
static void add_regression(crd_i_network_study *study, size_t node, const double *cpt, size_t rows) {
    const crd_network *n = study->network;
    crd_i_html *out = &study->page.body;
    size_t width = crd_network_cpt_width(n, node);
    crd_i_html_add(out, "<h3>%t</h3>\n", crd_network_node_name(n, node));
    crd_i_html_open_table(out, "Normal: mean as a linear function of continuous parents, and variance");
    crd_i_html_column(out, false, "discrete parents");
    crd_i_html_column(out, true, "constant");
    for (size_t i = 0; i < crd_network_parent_count(n, node); i++) {
        size_t parent = crd_network_parent(n, node, i);
        if (crd_network_node_kind(n, parent) == CRD_NODE_GAUSSIAN)
            crd_i_html_column(out, true, "× %t", crd_network_node_name(n, parent));
    }
    crd_i_html_column(out, true, "variance");
    for (size_t row = 0; row < rows && row < COMBINATIONS; row++) {
        crd_i_buffer name = {.context = study->page.context};
        name_row(n, node, row, &name, &out->has_failed);
        crd_i_html_row(out, NULL);
        if (name.length == 0) crd_i_html_cell(out, "none");
        else crd_i_html_cell(out, "%t", (crd_text){(const char *)name.bytes, name.length});
        for (size_t i = 0; i < width; i++) crd_i_html_cell(out, "%n", cpt[row * width + i]);
        crd_i_buffer_clear(&name);
    }
    crd_i_html_close_table(out);
    if (rows > COMBINATIONS)
        crd_i_html_add(out, "<p class=\"soft\">Further combinations that are not listed: %u.</p>\n",
                       (uint64_t)(rows - COMBINATIONS));
}

/* Adds the section with the conditional probability tables. */
static crd_status network_study_tables(crd_i_network_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    size_t drawn = 0, left_out = 0;
    crd_status status = CRD_OK;
    crd_i_page_open_section(page, "tables", "Conditional probability tables");
    crd_i_html_add(&page->body, "<div class=\"pair\">\n");
    for (size_t i = 0; status == CRD_OK && i < study->nodes; i++) {
        size_t rows = 0;
        const double *cpt = crd_network_cpt(study->network, i, &rows);
        if (cpt == NULL || crd_network_node_kind(study->network, i) != CRD_NODE_CHANCE) continue;
        bool is_small = rows <= ROWS && crd_network_state_count(study->network, i) <= COLUMNS && drawn < TABLES;
        if (is_small) status = network_tables_draw(study, i, cpt, rows, error);
        drawn += is_small;
        left_out += !is_small;
    }
    crd_i_html_add(&page->body, "</div>\n");
    for (size_t i = 0, shown = 0; status == CRD_OK && i < study->nodes && shown < TABLES; i++) {
        size_t rows = 0;
        const double *cpt = crd_network_cpt(study->network, i, &rows);
        if (crd_network_node_kind(study->network, i) != CRD_NODE_GAUSSIAN) continue;
        add_regression(study, i, cpt, rows);
        shown++;
    }
    if (left_out > 0)
        crd_i_html_add(&page->body,
                       "<p class=\"soft\">%u tables are not drawn: they have more than %u rows or %u states, or "
                       "there are too many.</p>\n",
                       (uint64_t)left_out, (uint64_t)ROWS, (uint64_t)COLUMNS);
    crd_i_page_close_section(page);
    return status;
}

/* ======== 5. Report ======== */

/* ---- Shared data ---- */

/* Free parameters: of a table those that its rows do not settle by their sums; of a continuous node all numbers. */
static double network_report_count_parameters(const crd_network *network, size_t node) {
    size_t rows = 0;
    if (crd_network_cpt(network, node, &rows) == NULL) return 0;
    size_t width = crd_network_cpt_width(network, node);
    if (crd_network_node_kind(network, node) == CRD_NODE_CHANCE && width > 0) width--;
    return (double)rows * (double)width;
}

/* Computes exact prior probabilities. study->beliefs is NULL if decisions are open or memory does not suffice. */
static crd_status read_beliefs(crd_i_network_study *study, crd_error *error) {
    crd_context *context = study->page.context;
    size_t requested = 0, cells = 0, *nodes = crd_i_alloc(context, study->nodes, sizeof *nodes);
    study->first = crd_i_alloc(context, study->nodes, sizeof *study->first);
    if (nodes == NULL || study->first == NULL) {
        crd_free(context, nodes);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < study->nodes; i++) {
        study->first[i] = CRD_NONE;
        if (crd_network_node_kind(study->network, i) != CRD_NODE_CHANCE) continue;
        nodes[requested++] = i;
        study->first[i] = cells;
        cells += crd_network_state_count(study->network, i);
    }
    study->beliefs = crd_i_alloc(context, cells, sizeof *study->beliefs);
    crd_status status = study->beliefs == NULL ? crd_i_fail_memory(error) : CRD_OK;
    const crd_network_query query = {.size = sizeof query, .nodes = nodes, .node_count = requested};
    if (status == CRD_OK && requested > 0)
        status = crd_network_posteriors(study->network, &query, study->beliefs, NULL, NULL, error);
    crd_free(context, nodes);
    if (status == CRD_OK && requested > 0) return CRD_OK;
    crd_free(context, study->beliefs);
    study->beliefs = NULL;
    return status;
}

static crd_status network_report_begin(crd_i_network_study *study, const crd_network *network, crd_reader *reader,
                                       const crd_report_options *options, crd_error *error) {
    *study = (crd_i_network_study){.network = network, .reader = reader, .nodes = crd_network_node_count(network)};
    crd_status status = crd_i_page_begin(&study->page, network->context, options, error);
    study->fit.bytes.context = network->context;
    for (size_t i = 0; i < study->nodes; i++) {
        study->arcs += crd_network_parent_count(network, i);
        study->parameters += network_report_count_parameters(network, i);
    }
    return status;
}

static void network_report_clear(crd_i_network_study *study) {
    crd_free(study->page.context, study->beliefs);
    crd_free(study->page.context, study->first);
    crd_i_html_clear(&study->fit);
    crd_i_page_clear(&study->page);
}

/* ---- Report ---- */

/* Writes the summary: numbers of nodes, arcs and parameters, the strongest arc, and the fit of the rows. */
static void network_report_summarize(crd_i_network_study *study) {
    static const char *const kinds[] = {"chance nodes with states", "decisions", "utilities", "continuous nodes"};
    crd_i_html *out = &study->page.summary;
    size_t counts[4] = {0}, roots = 0, leaves = 0, shown = 0;
    for (size_t i = 0; i < study->nodes; i++) {
        counts[crd_network_node_kind(study->network, i)]++;
        roots += crd_network_parent_count(study->network, i) == 0;
        leaves += crd_i_network_child_count(study->network, i) == 0;
    }
    crd_i_html_add(out, "<p>A Bayesian network with <b>%u nodes</b>, <b>%u arcs</b> and %n free parameters: ",
                   (uint64_t)study->nodes, (uint64_t)study->arcs, study->parameters);
    for (size_t i = 0; i < 4; i++)
        if (counts[i] > 0) crd_i_html_add(out, shown++ > 0 ? ", %u %s" : "%u %s", (uint64_t)counts[i], kinds[i]);
    crd_i_html_add(out, ". %u nodes have no parents, %u no children.</p>\n", (uint64_t)roots, (uint64_t)leaves);
    if (study->strongest[0].bytes != NULL)
        crd_i_html_add(out, "<p>The strongest arc is %t → %t, with a mutual information of %n bits.</p>\n",
                       study->strongest[0], study->strongest[1], study->strongest_bits);
    crd_i_html_join(out, study->fit.bytes.bytes, study->fit.bytes.length);
    out->has_failed = out->has_failed || study->fit.has_failed;
}

/* Adds the section with everything needed to reproduce the report: command, version and digest of the network. */
static crd_status add_repeat(crd_i_network_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html *out = &page->body;
    crd_text bytes = {NULL, 0};
    char digits[9] = {0};
    crd_i_page_open_section(page, "repeat", "To repeat this report");
    if (page->options.command.length > 0) {
        crd_i_html_add(out, "<p>The command:</p>\n<pre>");
        crd_i_html_add_whole(out, page->options.command);
        crd_i_html_add(out, "</pre>\n");
    }
    crd_status status = crd_network_write(study->network, CRD_NETWORK_FORMAT_NET, &bytes, error);
    crd_i_html_add(out, "<p>Credence %s.", crd_version());
    if (status == CRD_OK) {
        uint32_t sum = crd_i_checksum((const unsigned char *)bytes.bytes, bytes.length);
        for (size_t i = 0; i < 8; i++) digits[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
        crd_i_html_add(out, " The digest (CRC-32C) of the network in the format net is <code>%s</code>.", digits);
    }
    crd_i_html_add(out, "</p>\n");
    crd_free(page->context, (void *)bytes.bytes);
    crd_i_page_close_section(page);
    return status == CRD_ERROR_SYNTAX ? CRD_OK : status;
}

static crd_status network_report_finish(crd_i_network_study *study, char **html, crd_error *error) {
    crd_i_html title = {.bytes = {.context = study->page.context}};
    crd_text name = crd_network_name(study->network);
    if (name.length > 0) crd_i_html_add(&title, "Bayesian network %w", name);
    else crd_i_html_add(&title, "Bayesian network");
    network_report_summarize(study);
    crd_status status = crd_i_page_finish(&study->page, &title, "A report on the network", html, error);
    crd_i_html_clear(&title);
    return status;
}

crd_status crd_report_network(const crd_network *network, crd_reader *reader, const crd_report_options *options,
                              char **html, crd_error *error) {
    crd_i_network_study study;
    *html = NULL;
    crd_status status = network_report_begin(&study, network, reader, options, error);
    if (status == CRD_OK) {
        crd_status found_status = read_beliefs(&study, error);
        if (found_status == CRD_ERROR_MEMORY || crd_i_is_cancelled(found_status)) status = found_status;
    }
    if (status == CRD_OK) status = network_study_graph(&study, error);
    if (status == CRD_OK) status = network_study_dependence(&study, error);
    if (status == CRD_OK && reader != NULL) status = network_study_fit(&study, error);
    if (status == CRD_OK) status = network_study_tables(&study, error);
    if (status == CRD_OK) status = add_repeat(&study, error);
    if (status == CRD_OK) status = network_report_finish(&study, html, error);
    network_report_clear(&study);
    return status;
}
