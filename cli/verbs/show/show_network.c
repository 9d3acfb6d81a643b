/* show_network.c - see show_network.h. */
#include "verbs/show/show_network.h"

#include "core/error_messages.h"
#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
#include "describe/network_text.h"
#include "describe/term_text.h"
#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "source/network_model.h"

#include <stdlib.h>

/* More than these are shown with --all only. */
enum { ROWS_SHOWN = 20, NODES_SHOWN = 50 };

typedef struct network_view {
    const invocation *call;
    const crd_network *network;
    const crd_model *model;
    const crd_settings *settings;
    output out;
    bool all;
    size_t *nodes; /* to be shown */
    size_t count;
    crd_inference_result asked; /* how large the exact way is */
    bool is_sized;
    string too_much; /* why not */
} network_view;

/* ---- The whole ---- */

typedef struct network_size {
    size_t arrows, decisions, utilities, largest; /* the node whose table is the largest */
    double cells, largest_cells;
} network_size;

static double cells_of(const crd_network *network, size_t node) {
    size_t rows = 0;
    if (crd_network_cpt(network, node, &rows) == NULL) return 0;
    return (double)rows * (double)crd_network_state_count(network, node);
}

static network_size measure(const crd_network *network) {
    network_size size = {0};
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        double cells = cells_of(network, i);
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

/* How large the tree is that answers for all nodes; of networks with decisions that depends on what is decided. */
static int size_tree(network_view *v) {
    const crd_network *network = v->network;
    size_t count = 0, room = 0;
    const crd_inference_result none = CRD_INFERENCE_RESULT_INIT;
    crd_inference_options options;
    crd_error error;
    int ended = inference_options_read(v->call, &options);
    if (ended != ENDED_WELL) return ended;
    size_t *nodes = memory_resize(NULL, crd_network_node_count(network), sizeof *nodes);
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        if (crd_network_node_kind(network, i) != CRD_NODE_CHANCE) continue;
        nodes[count++] = i;
        room += crd_network_state_count(network, i);
    }
    double *posteriors = memory_resize(NULL, room, sizeof *posteriors);
    v->asked = none;
    crd_status status =
        crd_network_posteriors(network, NULL, 0, nodes, count, &options, posteriors, NULL, &v->asked, &error);
    v->is_sized = status == CRD_OK;
    if (status == CRD_ERROR_LIMIT) string_format(&v->too_much, "%s", error.message);
    else if (status != CRD_OK) ended = message_error(&error);
    free(posteriors);
    free(nodes);
    return ended;
}

static void print_counted(network_view *v) {
    crd_summary *summary = NULL;
    char rows[ROUNDED_ROOM];
    string text = {0};
    if (crd_summary_create(v->model, &summary, NULL) == CRD_OK && crd_summary_rows(summary) > 0) {
        if (crd_summary_target(summary).bytes != NULL) {
            string_format(&text, ", target ");
            string_add_shown(&text, crd_summary_target(summary));
        }
        output_line(&v->out, "Counted from %s row%s%s", output_count(crd_summary_rows(summary), rows),
                    crd_summary_rows(summary) == 1 ? "" : "s", string_text(&text));
        string_clear(&text);
        term_text_add_settings(&text, v->settings);
        output_list_line(&v->out, "Settings: %s", string_text(&text));
    }
    crd_summary_destroy(summary);
    string_free(&text);
}

static void print_opening(network_view *v, const network_size *size) {
    const crd_network *network = v->network;
    size_t nodes = crd_network_node_count(network);
    char room[ROUNDED_ROOM];
    string text = {0};
    string_add_shown(&text, crd_network_name(network));
    output_line(&v->out, "Network %s: %zu node%s, %zu arrow%s", string_text(&text), nodes, nodes == 1 ? "" : "s",
                size->arrows, size->arrows == 1 ? "" : "s");
    if (size->decisions + size->utilities > 0) {
        output_line(&v->out, "Decisions: %zu; utilities: %zu", size->decisions, size->utilities);
    }
    string_clear(&text);
    if (size->largest_cells > 0) {
        string_format(&text, ", the largest %s of ", output_count(size->largest_cells, room));
        network_add_node(&text, network, size->largest);
    }
    output_line(&v->out, "Tables: %s cell%s%s", output_count(size->cells, room), size->cells == 1 ? "" : "s",
                string_text(&text));
    if (v->is_sized && !(v->asked.cells > 0)) {
        output_line(&v->out, "Exact answers for all nodes: nothing to compute, since each node has one state");
    } else if (v->is_sized) {
        output_line(&v->out, "Exact answers for all nodes: tables of %s cell%s", output_count(v->asked.cells, room),
                    v->asked.cells == 1 ? "" : "s");
    } else if (v->too_much.length > 0) {
        output_line(&v->out, "Exact answers for all nodes are more than is allowed (--memory): %s",
                    string_text(&v->too_much));
    }
    if (v->model != NULL) print_counted(v);
    string_free(&text);
}

/* ---- Nodes ---- */

/* " given Burglary and Earthquake" */
static void add_parents(string *to, const crd_network *network, size_t node) {
    size_t count = crd_network_parent_count(network, node);
    for (size_t i = 0; i < count; i++) {
        bool is_decision = crd_network_node_kind(network, node) == CRD_NODE_DECISION;
        string_format(to, i > 0 ? (i + 1 == count ? " and " : ", ") : is_decision ? " knowing " : " given ");
        network_add_node(to, network, crd_network_parent(network, node, i));
    }
}

static void add_parent_states(table *t, const crd_network *network, size_t node, size_t row) {
    size_t rows = 0;
    crd_network_cpt(network, node, &rows);
    for (size_t i = 0; i < crd_network_parent_count(network, node); i++) {
        size_t parent = crd_network_parent(network, node, i), states = crd_network_state_count(network, parent);
        rows /= states;
        table_add_name(t, crd_network_state(network, parent, row / rows % states));
    }
}

static void print_table(network_view *v, size_t node) {
    const crd_network *network = v->network;
    size_t rows = 0, parents = crd_network_parent_count(network, node), states = crd_network_state_count(network, node);
    const double *numbers = crd_network_cpt(network, node, &rows);
    bool is_utility = crd_network_node_kind(network, node) == CRD_NODE_UTILITY;
    size_t shown = v->all || rows <= ROWS_SHOWN ? rows : ROWS_SHOWN;
    char room[ROUNDED_ROOM];
    table *t = table_create_for(&v->out, parents + states);
    for (size_t i = 0; i < parents; i++) {
        table_align_left(t, i);
        table_add_name(t, crd_network_node_name(network, crd_network_parent(network, node, i)));
    }
    for (size_t s = 0; s < states; s++)
        table_add_name(t, is_utility ? crd_text_of("utility") : crd_network_state(network, node, s));
    for (size_t row = 0; row < shown; row++) {
        add_parent_states(t, network, node, row);
        for (size_t s = 0; s < states; s++) table_add(t, output_round(numbers[row * states + s], room));
    }
    table_print(t, v->out.stream, 2, v->out.width);
    table_destroy(t);
    if (shown < rows) output_remark(&v->out, "and %zu row%s more (--all)", rows - shown, rows - shown == 1 ? "" : "s");
}

static void print_choices(network_view *v, size_t node) {
    table *t = table_create_for(&v->out, 1);
    table_add(t, "choice");
    for (size_t s = 0; s < crd_network_state_count(v->network, node); s++)
        table_add_name(t, crd_network_state(v->network, node, s));
    table_print(t, v->out.stream, 2, v->out.width);
    table_destroy(t);
}

static void print_node(network_view *v, size_t node) {
    static const char *const kinds[] = {
        [CRD_NODE_CHANCE] = "", [CRD_NODE_DECISION] = " (decision)", [CRD_NODE_UTILITY] = " (utility)"};
    crd_node_kind kind = crd_network_node_kind(v->network, node);
    string heading = {0}, rest = {0};
    network_add_node(&heading, v->network, node);
    string_format(&rest, "%s", kinds[kind]);
    add_parents(&rest, v->network, node);
    output_heading(&v->out, 2, string_text(&heading), string_text(&rest));
    if (kind == CRD_NODE_DECISION) print_choices(v, node);
    else print_table(v, node);
    string_free(&heading);
    string_free(&rest);
}

static void print_view(network_view *v) {
    network_size size = measure(v->network);
    print_opening(v, &size);
    for (size_t i = 0; i < v->count && !output_broken(&v->out); i++) {
        if (!v->all && i == NODES_SHOWN) {
            size_t more = v->count - i;
            output_paragraph(&v->out, "and %zu node%s more (--all, or --of NODES)", more, more == 1 ? "" : "s");
            break;
        }
        print_node(v, v->nodes[i]);
    }
}

/* ---- JSON ---- */

/* Short lists on one line, whatever stands around them. */
static void write_names(json *j, const char *key, const crd_network *network, size_t node, size_t count,
                        crd_text (*name)(const crd_network *network, size_t node, size_t index)) {
    json_key(j, key);
    json_array(j);
    j->indented = false;
    for (size_t i = 0; i < count; i++) json_text(j, name(network, node, i));
    json_end_array(j);
    j->indented = true;
}

static crd_text name_of_parent(const crd_network *network, size_t node, size_t index) {
    return crd_network_node_name(network, crd_network_parent(network, node, index));
}

/* A row for each combination of the parents' states, those of the last varying fastest. */
static void write_table(json *j, const crd_network *network, size_t node) {
    size_t rows = 0, states = crd_network_state_count(network, node);
    const double *numbers = crd_network_cpt(network, node, &rows);
    json_key(j, "table");
    if (numbers == NULL) {
        json_null(j);
        return;
    }
    json_array(j);
    for (size_t row = 0; row < rows; row++) {
        json_array(j);
        j->indented = false;
        for (size_t s = 0; s < states; s++) json_number(j, numbers[row * states + s]);
        json_end_array(j);
        j->indented = true;
    }
    json_end_array(j);
}

static void write_node(json *j, const crd_network *network, size_t node) {
    static const char *const kinds[] = {
        [CRD_NODE_CHANCE] = "chance", [CRD_NODE_DECISION] = "decision", [CRD_NODE_UTILITY] = "utility"};
    json_object(j);
    json_member_text(j, "name", crd_network_node_name(network, node));
    json_member_text(j, "kind", crd_text_of(kinds[crd_network_node_kind(network, node)]));
    write_names(j, "states", network, node, crd_network_state_count(network, node), crd_network_state);
    write_names(j, "parents", network, node, crd_network_parent_count(network, node), name_of_parent);
    write_table(j, network, node);
    json_end_object(j);
}

static void write_view(network_view *v) {
    network_size size = measure(v->network);
    json j = json_begin(v->out.stream, true);
    json_object(&j);
    json_member_text(&j, "network", crd_network_name(v->network));
    json_member_number(&j, "node_count", (double)crd_network_node_count(v->network));
    json_member_number(&j, "arrow_count", (double)size.arrows);
    json_member_number(&j, "cells", size.cells);
    json_member_number(&j, "largest_cells", size.largest_cells);
    if (v->is_sized) {
        json_member_number(&j, "exact_cells", v->asked.cells);
        json_member_number(&j, "exact_bytes", v->asked.bytes);
    }
    if (v->model != NULL) {
        json_key(&j, "settings");
        term_text_settings_json(&j, v->settings);
    }
    json_key(&j, "nodes");
    json_array(&j);
    for (size_t i = 0; i < v->count && !output_broken(&v->out); i++) write_node(&j, v->network, v->nodes[i]);
    json_end_array(&j);
    json_end_object(&j);
    json_end_line(&j);
}

/* ---- The verb ---- */

static int choose_nodes(network_view *v) {
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

int show_network(const invocation *call, const crd_network *network, const crd_model *model,
                 const crd_settings *settings) {
    static const char *const of_numbers[] = {"plot", NULL};
    static const char *const of_rows[] = {"target", "weight",  "number", "category", "ignore",         "schema",
                                          "header", "missing", "input",  "decimal",  "max-categories", NULL};
    network_view v = {.call = call,
                      .network = network,
                      .model = model,
                      .settings = settings,
                      .all = arguments_have(&call->arguments, "all")};
    int ended = network_refuse_options(call, of_numbers);
    if (ended == ENDED_WELL && model == NULL) ended = network_refuse_options(call, of_rows);
    if (ended == ENDED_WELL && model == NULL) ended = network_refuse_settings(call);
    if (ended == ENDED_WELL) ended = choose_nodes(&v);
    if (ended == ENDED_WELL && measure(network).decisions == 0) ended = size_tree(&v);
    if (ended == ENDED_WELL) {
        ended = output_open(call, &v.out);
        if (ended == ENDED_WELL) ended = output_choose_format(call, &v.out, FORMATS_OF_REPORTS, FORMAT_TABLE);
        if (ended == ENDED_WELL && v.out.format == FORMAT_JSON) write_view(&v);
        else if (ended == ENDED_WELL) print_view(&v);
        ended = output_close(&v.out, ended);
    }
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
