/* SPDX-License-Identifier: MIT */
/* network_row_fit.c - the section on how well rows fit a network.
 *
 * For each node, only the rows that have values of the node and all of its parents are used. Let n(x, u) be their
 * number with state x and parents u, n(u) the sum over x, and n the total. The mean log likelihood of the node's own
 * table is sum of n(x, u) log P(x | u) / n. For the best table it is sum of n(x, u) log(n(x, u) / n(u)) / n. Twice
 * their difference over all rows is the likelihood ratio statistic G² (Wilks 1938). It has, for each u that has rows,
 * one degree of freedom less than the number of possible states. */
#include "base/error.h"
#include "base/memory.h"
#include "report/network_study.h"

#include <credence/distribution.h>

#include <math.h>
#include <stdlib.h>

enum { LISTED = 200 };
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

/* Counts all rows. Starts again if the reader restarts. */
static crd_status network_row_fit_count(fit_fitting *f, crd_error *error) {
    size_t cells = 0;
    crd_status status = network_row_fit_make_counts(f, &cells, error);
    if (status == CRD_OK) status = network_row_fit_bind(f, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        status = crd_reader_next(f->study->reader, &frame, error);
        if (status == CRD_RESTART) {
            for (size_t i = 0; i < cells; i++) f->counts[i] = 0;
            f->rows = f->unknown = 0;
            status = CRD_OK;
            continue;
        }
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
    for (size_t i = 0; i < count && i < LISTED; i++) {
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

crd_status crd_i_network_study_fit(crd_i_network_study *study, crd_error *error) {
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
