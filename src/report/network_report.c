/* SPDX-License-Identifier: MIT */
/* network_report.c - see credence/html_report.h: reports about networks. */
#include "base/error.h"
#include "base/memory.h"
#include "io/checksum.h"
#include "network/network_internal.h"
#include "report/network_study.h"

#include <math.h>

/* ---- What all sections need ---- */

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
    if (status == CRD_OK && requested > 0)
        status =
            crd_network_posteriors(study->network, NULL, 0, nodes, requested, NULL, study->beliefs, NULL, NULL, error);
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

/* ---- Opening and end ---- */

/* Writes the summary: numbers of nodes, arcs and parameters, the strongest arc, and the fit of the rows. */
static void network_report_summarize(crd_i_network_study *study) {
    static const char *const kinds[] = {"chance nodes with states", "decisions", "utilities", "continuous nodes"};
    crd_i_html *out = &study->page.summary;
    size_t counts[4] = {0}, roots = 0, leaves = 0, shown = 0;
    for (size_t i = 0; i < study->nodes; i++) {
        counts[crd_network_node_kind(study->network, i)]++;
        roots += crd_network_parent_count(study->network, i) == 0;
        leaves += crd_network_child_count(study->network, i) == 0;
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
    if (status == CRD_OK) status = crd_i_network_study_graph(&study, error);
    if (status == CRD_OK) status = crd_i_network_study_dependence(&study, error);
    if (status == CRD_OK && reader != NULL) status = crd_i_network_study_fit(&study, error);
    if (status == CRD_OK) status = crd_i_network_study_tables(&study, error);
    if (status == CRD_OK) status = add_repeat(&study, error);
    if (status == CRD_OK) status = network_report_finish(&study, html, error);
    network_report_clear(&study);
    return status;
}
