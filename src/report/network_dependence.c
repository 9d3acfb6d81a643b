/* SPDX-License-Identifier: MIT */
/* network_dependence.c - the section about dependence in a network: the mutual information of each arc's nodes, and the
 * independences implied by the graph (d-separation, Pearl 1988). */
#include "base/error.h"
#include "base/memory.h"
#include "report/network_study.h"

#include <math.h>
#include <stdlib.h>

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
    crd_status status =
        crd_network_joint_posterior(study->network, NULL, 0, nodes, 2, NULL, workspace, NULL, NULL, error);
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
            for (size_t k = 0; k < crd_network_child_count(n, b); k++) {
                size_t a = crd_network_parent(n, b, i), c = crd_network_child(n, b, k);
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

crd_status crd_i_network_study_dependence(crd_i_network_study *study, crd_error *error) {
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
