/* SPDX-License-Identifier: MIT */
/* show_network.c - see show_network.h. */
#include "verbs/show/show_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "describe/network_picture.h"
#include "describe/network_text.h"
#include "describe/part_list.h"
#include "describe/term_text.h"
#include "source/comparison_text.h"
#include "source/fit_text.h"
#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "source/network_model.h"
#include "source/option_scope.h"

#include <math.h>
#include <stdlib.h>

/* The maximum numbers without --all. */
enum { ROWS_SHOWN = 20, NODES_SHOWN = 50 };

typedef struct network_view {
    const invocation *call;
    const crd_network *network;
    const crd_model *model;
    const crd_settings *settings;
    crd_fit *fit; /* NULL: the tables are counted or specified by the user */
    crd_result *report;
    bool all;
    size_t *nodes; /* the nodes to show */
    size_t count;
    crd_inference_result result; /* the size of exact inference */
    bool is_sized;
    string too_much; /* why exact inference is not possible; empty if it is */
} network_view;

/* ---- The whole ---- */

typedef struct network_size {
    size_t arrows, decisions, utilities, largest; /* largest: the node with the largest table */
    double cells, largest_cells;
} network_size;

static double show_network_cells(const crd_network *network, size_t node) {
    size_t rows = 0;
    if (crd_network_cpt(network, node, &rows) == NULL) return 0;
    return (double)rows * (double)crd_network_cpt_width(network, node);
}

static network_size show_network_measure(const crd_network *network) {
    network_size size = {0};
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        double cells = show_network_cells(network, i);
        size.arrows += crd_network_parent_count(network, i);
        size.decisions += crd_network_node_kind(network, i) == CRD_NODE_DECISION;
        size.utilities += crd_network_node_kind(network, i) == CRD_NODE_UTILITY;
        size.cells += cells;
        if (cells <= size.largest_cells) continue;
        size.largest_cells = cells;
        size.largest = i;
    }
    return size;
}

/* Computes the size of the junction tree for the posteriors of all chance nodes. In a network with decisions, the
 * size depends on the decisions. */
static int size_tree(network_view *v) {
    const crd_network *network = v->network;
    size_t count = 0, capacity = 0;
    const crd_inference_result none = CRD_INFERENCE_RESULT_INIT;
    crd_inference_options options;
    crd_error error;
    int ended = inference_options_read(v->call, &options);
    if (ended != ENDED_WELL) return ended;
    size_t *nodes = memory_resize(NULL, crd_network_node_count(network), sizeof *nodes);
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        if (crd_network_node_kind(network, i) != CRD_NODE_CHANCE) continue;
        nodes[count++] = i;
        capacity += crd_network_state_count(network, i);
    }
    double *posteriors = memory_resize(NULL, capacity, sizeof *posteriors);
    v->result = none;
    const crd_network_query query = {sizeof query, NULL, 0, nodes, count, &options};
    crd_status status = CRD_OK;
    if (count > 0) status = crd_network_posteriors(network, &query, posteriors, NULL, &v->result, &error);
    v->is_sized = status == CRD_OK && count > 0;
    if (status == CRD_ERROR_LIMIT) string_format(&v->too_much, "%s", error.message);
    else if (status != CRD_OK) ended = message_error(&error);
    free(posteriors);
    free(nodes);
    return ended;
}

static void report_fitted(network_view *v) {
    string line = {0};
    fit_text_add(&line, v->fit, v->settings);
    crd_result_line(v->report, CRD_LIST_LINE, "Fitted by %s", report_take(v->report, &line));
    crd_result_hide(v->report, true);
    fit_text_report(v->report, v->fit, NULL);
    crd_result_hide(v->report, false);
}

/* Reports the rows from which the tables were estimated, and the estimator. */
static void report_counted(network_view *v) {
    crd_result *r = v->report;
    crd_summary *summary = NULL;
    char rows[CRD_NUMBER_ROOM];
    if (crd_summary_create(v->model, &summary, NULL) == CRD_OK && summary->rows > 0) {
        crd_text target = summary->target;
        string settings = {0};
        term_text_add_settings(&settings, v->settings);
        crd_result_line(r, CRD_LINE, "%s from %s row%s%s%s", v->fit == NULL ? "Counted" : "Fitted",
                        crd_number_count(summary->rows, rows), summary->rows == 1 ? "" : "s",
                        target.bytes == NULL ? "" : ", target ",
                        target.bytes == NULL ? "" : crd_result_show(r, target));
        crd_result_line(r, CRD_LIST_LINE, "Settings: %s", report_take(r, &settings));
    }
    crd_summary_destroy(summary);
    if (v->fit != NULL) report_fitted(v);
}

/* Reports the numbers of nodes and arcs, the size of the tables, and the cost of exact inference. */
static void report_size(network_view *v, const network_size *size) {
    crd_result *r = v->report;
    size_t nodes = crd_network_node_count(v->network);
    char buffer[CRD_NUMBER_ROOM], largest[CRD_NUMBER_ROOM];
    crd_result_line(r, CRD_LINE, "Network %s: %zu node%s, %zu arc%s", crd_result_show(r, crd_network_name(v->network)),
                    nodes, nodes == 1 ? "" : "s", size->arrows, size->arrows == 1 ? "" : "s");
    if (size->decisions + size->utilities > 0)
        crd_result_line(r, CRD_LINE, "Decisions: %zu; utilities: %zu", size->decisions, size->utilities);
    const char *note =
        size->largest_cells > 0
            ? crd_result_format(r, ", the largest %s of %s", crd_number_count(size->largest_cells, largest),
                                crd_result_show(r, crd_network_node_name(v->network, size->largest)))
            : "";
    crd_result_line(r, CRD_LINE, "Tables: %s entr%s%s", crd_number_count(size->cells, buffer),
                    size->cells == 1 ? "y" : "ies", note);
    if (v->is_sized && !(v->result.cells > 0)) {
        crd_result_line(r, CRD_LINE,
                        "Exact inference for all nodes: each node has one state, so there is nothing to compute");
    } else if (v->is_sized) {
        crd_result_line(r, CRD_LINE, "Exact inference for all nodes: tables with %s entr%s",
                        crd_number_count(v->result.cells, buffer), v->result.cells == 1 ? "y" : "ies");
    } else if (v->too_much.length > 0) {
        crd_result_line(r, CRD_LINE, "Exact inference for all nodes exceeds the limit (--memory): %s",
                        string_text(&v->too_much));
    }
    crd_result_text(r, "network", crd_network_name(v->network));
    crd_result_number(r, "node_count", (double)nodes);
    crd_result_number(r, "arc_count", (double)size->arrows);
    crd_result_number(r, "entries", size->cells);
    crd_result_number(r, "largest_entries", size->largest_cells);
    if (v->is_sized) {
        crd_result_number(r, "exact_entries", v->result.cells);
        crd_result_number(r, "exact_bytes", v->result.bytes);
    }
    if (v->model == NULL) return;
    report_counted(v);
    term_text_report_settings(r, v->settings);
}

/* ---- Nodes ---- */

/* Appends the parents of a node, such as " given Burglary and Earthquake". */
static void add_parents(string *target_string, const crd_network *network, size_t node) {
    size_t count = crd_network_parent_count(network, node);
    for (size_t i = 0; i < count; i++) {
        bool is_decision = crd_network_node_kind(network, node) == CRD_NODE_DECISION;
        string_format(target_string, i > 0 ? (i + 1 == count ? " and " : ", ") : is_decision ? " knowing " : " given ");
        network_add_node(target_string, network, crd_network_parent(network, node, i));
    }
}

static bool show_network_is_continuous(const crd_network *network, size_t node) {
    return crd_network_node_kind(network, node) == CRD_NODE_GAUSSIAN;
}

static void add_parent_states(crd_result_table *t, const crd_network *network, size_t node, size_t row) {
    size_t rows = 0;
    crd_network_cpt(network, node, &rows);
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++) {
        size_t parent = crd_network_parent(network, node, i), states = crd_network_state_count(network, parent);
        if (show_network_is_continuous(network, parent)) continue;
        rows /= states;
        crd_cell_name(t, crd_network_state(network, parent, row / rows % states));
    }
}

/* Appends a normal distribution such as "N(0.1 + 0.4 y - 2 z, sd 0.5)": its mean, which is linear in the continuous
 * parents, and its standard deviation. */
static void add_normal(string *target_string, const crd_network *network, size_t node, const double *row) {
    char buffer[CRD_NUMBER_ROOM];
    string_format(target_string, "N(%s", crd_number_round(row[0], buffer));
    for (size_t i = 0, place = 1; i < crd_network_parent_count(network, node); i++) {
        size_t parent = crd_network_parent(network, node, i);
        if (!show_network_is_continuous(network, parent)) continue;
        double coefficient = row[place++];
        if (coefficient == 0) continue;
        string_format(target_string, " %s %s ", coefficient < 0 ? "-" : "+",
                      crd_number_round(fabs(coefficient), buffer));
        network_add_node(target_string, network, parent);
    }
    string_format(target_string, ", sd %s)",
                  crd_number_round(sqrt(row[crd_network_cpt_width(network, node) - 1]), buffer));
}

/* Adds the columns of a node's table: probabilities of states, a utility, or a normal distribution. */
static void show_network_add_columns(crd_result_table *t, const crd_network *network, size_t node) {
    crd_result *r = t->result;
    size_t parents = crd_network_parent_count(network, node);
    for (size_t i = 0; i < parents; i++) {
        size_t parent = crd_network_parent(network, node, i);
        if (show_network_is_continuous(network, parent)) continue;
        crd_result_add_column(t, NULL, crd_result_show(r, crd_network_node_name(network, parent)))->is_left = true;
    }
    bool is_utility = crd_network_node_kind(network, node) == CRD_NODE_UTILITY;
    for (size_t s = 0; s < crd_network_state_count(network, node); s++)
        crd_result_add_column(t, NULL,
                              is_utility ? "utility" : crd_result_show(r, crd_network_state(network, node, s)));
    if (show_network_is_continuous(network, node)) crd_result_add_column(t, NULL, "distribution")->is_left = true;
}

static void show_network_add_numbers(crd_result_table *t, const crd_network *network, size_t node, const double *row) {
    if (show_network_is_continuous(network, node)) {
        string words = {0};
        add_normal(&words, network, node, row);
        crd_cell_words(t, report_take(t->result, &words));
        return;
    }
    for (size_t s = 0; s < crd_network_cpt_width(network, node); s++) crd_cell_number(t, row[s]);
}

/* Reports a table with one row per combination of the parents' states. The last parent varies fastest. */
static void report_cpt(network_view *v, size_t node) {
    const crd_network *network = v->network;
    crd_result *r = v->report;
    size_t rows = 0, width = crd_network_cpt_width(network, node);
    const double *numbers = crd_network_cpt(network, node, &rows);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    if (!v->all) t->rows_shown = ROWS_SHOWN;
    show_network_add_columns(t, network, node);
    crd_result_begin(r, CRD_ARRAY, "table");
    for (size_t row = 0; row < rows; row++) {
        if (row < t->rows_shown) {
            add_parent_states(t, network, node, row);
            show_network_add_numbers(t, network, node, numbers + row * width);
        }
        crd_result_begin(r, CRD_SHORT_ARRAY, NULL);
        for (size_t s = 0; s < width; s++) crd_result_number(r, NULL, numbers[row * width + s]);
        crd_result_end(r);
    }
    crd_result_end(r);
    if (rows > t->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu row%s more (--all)", rows - t->rows_shown,
                        rows == t->rows_shown + 1 ? "" : "s");
}

/* Draws the table of a chance node as bars. */
static int draw_cpt(network_view *v, size_t node) {
    enum { ROWS_DRAWN = 40, STATES_DRAWN = 12 };
    const crd_network *network = v->network;
    crd_result *r = v->report;
    size_t rows = 0, states = crd_network_state_count(network, node);
    const double *numbers = crd_network_cpt(network, node, &rows);
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || crd_network_node_kind(network, node) != CRD_NODE_CHANCE ||
        numbers == NULL || states > STATES_DRAWN)
        return ENDED_WELL;
    size_t count = rows < ROWS_DRAWN ? rows : ROWS_DRAWN, parents = crd_network_parent_count(network, node);
    crd_text *names = memory_resize(NULL, count, sizeof *names),
             *columns = memory_resize(NULL, states, sizeof *columns);
    string parent_names = {0}, title = {0};
    for (size_t row = 0; row < count; row++) {
        string name = {0};
        for (size_t i = 0, left = rows; i < parents; i++) {
            size_t parent = crd_network_parent(network, node, i),
                   parent_states = crd_network_state_count(network, parent);
            left /= parent_states;
            string_format(&name, "%s%s", i == 0 ? "" : ", ",
                          crd_result_show(r, crd_network_state(network, parent, row / left % parent_states)));
        }
        names[row] = crd_text_of(report_take(r, &name));
    }
    for (size_t i = 0; i < parents; i++) {
        string_format(&parent_names, "%s", i == 0 ? "" : ", ");
        network_add_node(&parent_names, network, crd_network_parent(network, node, i));
    }
    for (size_t s = 0; s < states; s++) columns[s] = crd_network_state(network, node, s);
    string_format(&title, "P(%s%s%s)", crd_result_show(r, crd_network_node_name(network, node)),
                  parents > 0 ? " | " : "", string_text(&parent_names));
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    plot.row_name = (crd_text){string_text(&parent_names), parent_names.length};
    plot.rows = parents > 0 ? names : NULL;
    plot.row_count = rows;
    plot.states = columns;
    plot.state_count = states;
    plot.probabilities = numbers;
    plot.most = count;
    options.title = crd_text_of(report_take(r, &title));
    options.width = fmin(980, fmax(300, 200 + 130 * (double)states));
    crd_status status = crd_plot_draw_table(crd_result_context(r), &plot, &options, &svg, &error);
    string_free(&parent_names);
    free(names);
    free(columns);
    return report_add_picture(r, status, &svg, &error);
}

static void report_choices(network_view *v, size_t node) {
    crd_result_table *t = crd_result_add_table(v->report, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "choice");
    for (size_t s = 0; s < crd_network_state_count(v->network, node); s++)
        crd_cell_name(t, crd_network_state(v->network, node, s));
    crd_result_number(v->report, "table", NAN);
}

/* Reports a node: its type, parents, states and table. */
static void report_node_of(network_view *v, size_t node) {
    static const char *const titles[] = {[CRD_NODE_CHANCE] = "",
                                         [CRD_NODE_DECISION] = " (decision)",
                                         [CRD_NODE_UTILITY] = " (utility)",
                                         [CRD_NODE_GAUSSIAN] = " (continuous)"};
    static const char *const kinds[] = {[CRD_NODE_CHANCE] = "chance",
                                        [CRD_NODE_DECISION] = "decision",
                                        [CRD_NODE_UTILITY] = "utility",
                                        [CRD_NODE_GAUSSIAN] = "gaussian"};
    const crd_network *network = v->network;
    crd_result *r = v->report;
    crd_node_kind kind = crd_network_node_kind(network, node);
    crd_text name = crd_network_node_name(network, node);
    string other_string = {0};
    string_format(&other_string, "%s", titles[kind]);
    add_parents(&other_string, network, node);
    crd_result_heading(r, 2, crd_result_show(r, name), report_take(r, &other_string));
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "name", name);
    crd_result_words(r, "kind", kinds[kind]);
    crd_result_begin(r, CRD_SHORT_ARRAY, "states");
    for (size_t s = 0; s < crd_network_state_count(network, node); s++)
        crd_result_text(r, NULL, crd_network_state(network, node, s));
    crd_result_end(r);
    crd_result_begin(r, CRD_SHORT_ARRAY, "parents");
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++)
        crd_result_text(r, NULL, crd_network_node_name(network, crd_network_parent(network, node, i)));
    crd_result_end(r);
    if (kind == CRD_NODE_DECISION) report_choices(v, node);
    else report_cpt(v, node);
    crd_result_end(r);
}

/* Draws the graph with the prior probabilities of states, or without them if is_graph_alone. */
static int show_network_draw_graph(network_view *v, bool is_cpdag, bool is_graph_alone) {
    crd_inference_options options;
    int ended = inference_options_read(v->call, &options);
    if (ended != ENDED_WELL || arguments_have(&v->call->arguments, "of")) return ended;
    const network_picture picture = {.network = v->network,
                                     .title = network_picture_name(v->report, v->call, v->network),
                                     .options = is_graph_alone || !v->is_sized ? NULL : &options,
                                     .is_cpdag = is_cpdag};
    return network_picture_add(v->report, &picture);
}

/* Reports the whole network, the shown nodes and the pictures. */
static int show_network_report_view(network_view *v) {
    network_size size = show_network_measure(v->network);
    crd_result *r = v->report;
    crd_result_begin(r, CRD_OBJECT, NULL);
    report_size(v, &size);
    bool is_cpdag = arguments_have(&v->call->arguments, "cpdag");
    bool is_graph_alone = is_cpdag || arguments_have(&v->call->arguments, "graph");
    int ended = part_list_report(r, v->call->context, v->model);
    if (ended != ENDED_WELL) return ended;
    if (is_graph_alone || (v->count == crd_network_node_count(v->network) && (v->all || v->count <= NODES_SHOWN)))
        ended = network_report_graph(r, v->network, is_cpdag);
    if (ended == ENDED_WELL) ended = show_network_draw_graph(v, is_cpdag, is_graph_alone);
    crd_result_hide(r, is_graph_alone);
    if (v->model != NULL) comparison_report_choice(v->call->context, v->model, v->all, r);
    crd_result_begin(r, CRD_ARRAY, "nodes");
    for (size_t i = 0; i < v->count; i++) {
        if (!v->all && !is_graph_alone && i == NODES_SHOWN) {
            size_t more = v->count - i;
            crd_result_line(r, CRD_PARAGRAPH, "and %zu node%s more (--all, or --of NODES)", more, more == 1 ? "" : "s");
            crd_result_hide(r, true);
        }
        report_node_of(v, v->nodes[i]);
        if (ended == ENDED_WELL) ended = draw_cpt(v, v->nodes[i]);
    }
    crd_result_hide(r, false);
    crd_result_end(r);
    crd_result_end(r);
    return ended;
}

/* ---- The verb ---- */

static int show_network_choose_nodes(network_view *v) {
    network_evidence names;
    if (!arguments_have(&v->call->arguments, "of")) {
        v->count = crd_network_node_count(v->network);
        v->nodes = memory_resize(NULL, v->count, sizeof *v->nodes);
        for (size_t i = 0; i < v->count; i++) v->nodes[i] = i;
        return ENDED_WELL;
    }
    network_evidence_begin(v->network, &names);
    int ended = network_find_nodes(&names, v->call, "of", &v->nodes, &v->count);
    network_evidence_free(&names);
    return ended;
}

/* Reads the options, and writes the report of the network. */
int show_network(const invocation *call, const crd_network *network, const crd_model *model,
                 const crd_settings *settings) {
    network_view v = {.call = call,
                      .network = network,
                      .model = model,
                      .settings = settings,
                      .all = arguments_have(&call->arguments, "all")};
    crd_error error;
    int ended = option_scope_check_network(call, model == NULL);
    if (ended == ENDED_WELL && model != NULL && crd_fit_from_model(model, settings, &v.fit, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = show_network_choose_nodes(&v);
    if (ended == ENDED_WELL && show_network_measure(network).decisions == 0) ended = size_tree(&v);
    if (ended == ENDED_WELL) {
        v.report = report_create_drawn(call);
        ended = show_network_report_view(&v);
        ended = report_finish(v.report, call, FORMATS, ended);
    }
    crd_fit_destroy(v.fit);
    string_free(&v.too_much);
    free(v.nodes);
    return ended;
}

int show_network_of(const invocation *call, const char *path, const crd_model *model) {
    crd_settings *settings = NULL;
    crd_network *network = NULL;
    crd_error error;
    int ended = network_model_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_network_from_model(model, settings, &network, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL) ended = show_network(call, network, model, settings);
    crd_network_destroy(network);
    crd_settings_destroy(settings);
    return ended;
}
