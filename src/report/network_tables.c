/* SPDX-License-Identifier: MIT */
/* network_tables.c - the section with the conditional probability tables of a network. */
#include "base/error.h"
#include "base/memory.h"
#include "report/network_study.h"

#include <string.h>

/* Maximum number of tables that are drawn, of their rows and states, and of combinations of a continuous node's
 * parents. */
enum { TABLES = 60, ROWS = 32, STATES = 8, COMBINATIONS = 24 };

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
    crd_text row_names[ROWS], state_names[STATES];
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

crd_status crd_i_network_study_tables(crd_i_network_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    size_t drawn = 0, left_out = 0;
    crd_status status = CRD_OK;
    crd_i_page_open_section(page, "tables", "Conditional probability tables");
    crd_i_html_add(&page->body, "<div class=\"pair\">\n");
    for (size_t i = 0; status == CRD_OK && i < study->nodes; i++) {
        size_t rows = 0;
        const double *cpt = crd_network_cpt(study->network, i, &rows);
        if (cpt == NULL || crd_network_node_kind(study->network, i) != CRD_NODE_CHANCE) continue;
        bool is_small = rows <= ROWS && crd_network_state_count(study->network, i) <= STATES && drawn < TABLES;
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
                       (uint64_t)left_out, (uint64_t)ROWS, (uint64_t)STATES);
    crd_i_page_close_section(page);
    return status;
}
