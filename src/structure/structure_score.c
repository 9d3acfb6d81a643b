/* SPDX-License-Identifier: MIT */
/* structure_score.c - the score of a network's structure over the rows of a reader; see credence/structure_score.h.
 * structure_search.h has the formulas. */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "cases/case_builder.h"
#include "network/network_internal.h"
#include "structure/structure_search.h"
#include "table/frame.h"
#include "table/read/reader.h"

#include <credence/structure_score.h>

#include <stdlib.h>

void crd_structure_score_destroy(crd_structure_score *score) {
    if (score != NULL) crd_i_arena_destroy(score->arena);
}

/* ---- Rows ---- */

/* The nodes of a network and work memory to convert rows to their states. */
typedef struct node_rows {
    crd_i_arena *arena;
    crd_context *context;
    const crd_network *network;
    size_t *nodes;
    crd_text *names, *states; /* names of all nodes; states of one node at a time */
    int32_t *cases, *column;  /* node states of a frame's rows: by row, and by node */
    uint32_t *unknown;
    size_t case_capacity, column_capacity, unknown_capacity;
} node_rows;

static void node_rows_clear(node_rows *rows) {
    crd_i_arena_destroy(rows->arena);
    crd_free(rows->context, rows->cases);
    crd_free(rows->context, rows->column);
    crd_free(rows->context, rows->unknown);
}

static crd_status node_rows_init(node_rows *rows, const crd_network *network, crd_error *error) {
    size_t most = 1;
    *rows = (node_rows){.context = network->context, .network = network};
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        char shown[CRD_I_QUOTED_ROOM];
        if (node->kind == CRD_NODE_DECISION || node->kind == CRD_NODE_UTILITY)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "'%s' is not a chance node: only chance nodes can be scored",
                              crd_i_quote(node->name, shown));
        if (crd_i_node_is_discrete(node) && crd_i_node_states(node) > most) most = crd_i_node_states(node);
    }
    rows->arena = crd_i_arena_create(rows->context);
    rows->nodes = crd_i_arena_alloc(rows->arena, network->count, sizeof *rows->nodes);
    rows->names = crd_i_arena_alloc(rows->arena, network->count, sizeof *rows->names);
    rows->states = crd_i_arena_alloc(rows->arena, most, sizeof *rows->states);
    if (crd_i_arena_failed(rows->arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < network->count; i++) {
        rows->nodes[i] = i;
        rows->names[i] = network->nodes[i].name;
    }
    return CRD_OK;
}

/* Checks that a file with a header has a column for each node. */
static crd_status structure_score_check_columns(const crd_network *network, const crd_reader *reader,
                                                crd_error *error) {
    for (size_t i = 0; i < network->count && crd_reader_has_header(reader); i++) {
        bool is_there = false;
        for (size_t j = 0; j < crd_reader_column_count(reader) && !is_there; j++)
            is_there = crd_text_equal(crd_reader_column_name(reader, j), network->nodes[i].name);
        char shown[CRD_I_QUOTED_ROOM];
        if (is_there) continue;
        crd_i_fail(error, CRD_ERROR_COLUMN, "the rows have no column for the node '%s'",
                   crd_i_quote(network->nodes[i].name, shown));
        crd_i_error_subject(error, network->nodes[i].name);
        return CRD_ERROR_COLUMN;
    }
    return CRD_OK;
}

/* Adds a node's column to the new frame: state numbers of the network, with all states declared. */
static crd_status structure_score_add_states(node_rows *rows, crd_frame *new_frame, size_t node, size_t count,
                                             crd_error *error) {
    const crd_i_node *source_node = &rows->network->nodes[node];
    const size_t states = crd_i_node_states(source_node);
    for (size_t row = 0; row < count; row++)
        rows->column[node * count + row] = rows->cases[row * rows->network->count + node];
    for (size_t i = 0; i < states; i++) rows->states[i] = crd_i_dictionary_text(source_node->states, i);
    crd_status status = crd_frame_add_codes(new_frame, source_node->name, rows->column + node * count, NULL,
                                            rows->states, states, error);
    return status == CRD_OK ? crd_frame_declare_dictionary(new_frame, new_frame->column_count - 1, error) : status;
}

/* Adds a numeric node's column to the new frame; a column without values if the frame has none. */
static crd_status structure_score_add_numbers(crd_frame *new_frame, const crd_frame *frame, crd_text name,
                                              crd_error *error) {
    for (size_t i = 0; i < frame->column_count; i++)
        if (crd_text_equal(frame->columns[i].name, name) && frame->columns[i].type == CRD_TYPE_NUMERIC)
            return crd_frame_add_numbers(new_frame, name, frame->columns[i].numbers, frame->columns[i].validity, error);
    const crd_i_column none = {.type = CRD_TYPE_NONE};
    return crd_i_frame_add(new_frame, name, &none, error);
}

/* Fails and names the first value of a row that is not a state of its node. */
static crd_status refuse_cell(const node_rows *rows, const crd_frame *frame, size_t row, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM], name[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < frame->column_count; i++) {
        const crd_i_column *column = &frame->columns[i];
        const size_t node = crd_network_find(rows->network, column->name);
        if (column->type != CRD_TYPE_CATEGORICAL || node == CRD_NONE || !crd_i_column_present(column, row) ||
            rows->cases[row * rows->network->count + node] >= 0)
            continue;
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "'%s' is not a state of the node '%s'",
                   crd_i_quote(crd_i_dictionary_text(column->dictionary, (size_t)column->codes[row]), shown),
                   crd_i_quote(column->name, name));
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "a value is not a state of its node");
}

/* Converts the values of a frame to node states. If a value is not a state, *wrong is its row. */
static crd_status structure_score_take_states(node_rows *rows, const crd_frame *frame, size_t *wrong,
                                              crd_error *error) {
    const size_t cells = frame->rows * rows->network->count;
    if (!crd_i_reserve(rows->context, &rows->cases, &rows->case_capacity, cells + 1, sizeof *rows->cases) ||
        !crd_i_reserve(rows->context, &rows->column, &rows->column_capacity, cells + 1, sizeof *rows->column) ||
        !crd_i_reserve(rows->context, &rows->unknown, &rows->unknown_capacity, frame->rows + 1, sizeof *rows->unknown))
        return crd_i_fail_memory(error);
    crd_network_states(rows->network, frame, 0, frame->rows, rows->cases, rows->unknown);
    for (*wrong = 0; *wrong < frame->rows; ++*wrong)
        if (rows->unknown[*wrong] > 0) return refuse_cell(rows, frame, *wrong, error);
    return CRD_OK;
}

/* Converts a frame to the nodes of the network, and adds it to the case table. */
static crd_status structure_score_add_frame(node_rows *rows, const crd_frame *frame, const crd_reader *reader,
                                            crd_i_case_builder *builder, crd_error *error) {
    crd_frame *new_frame = NULL;
    size_t wrong = 0;
    crd_status status = structure_score_take_states(rows, frame, &wrong, error);
    if (status == CRD_ERROR_SCHEMA_DIFFERS)
        crd_i_error_place(error, crd_reader_place(reader), crd_reader_line(reader, wrong), 0);
    if (status == CRD_OK) status = crd_frame_create(rows->context, frame->rows, &new_frame, error);
    for (size_t i = 0; status == CRD_OK && i < rows->network->count; i++)
        status = crd_i_node_is_discrete(&rows->network->nodes[i])
                     ? structure_score_add_states(rows, new_frame, i, frame->rows, error)
                     : structure_score_add_numbers(new_frame, frame, rows->network->nodes[i].name, error);
    if (status == CRD_OK) status = crd_i_case_builder_add(builder, new_frame, error);
    crd_frame_destroy(new_frame);
    return status;
}

/* A pass that adds all rows to a case table. */
typedef struct score_pass {
    node_rows *rows;
    crd_reader *reader;
    crd_i_case_builder *builder;
    bool is_empty;
} score_pass;

static crd_status score_pass_make(void *state, crd_error *error) {
    score_pass *pass = state;
    const node_rows *rows = pass->rows;
    const crd_text none = {0};
    crd_i_case_builder_destroy(pass->builder);
    pass->builder = NULL;
    pass->is_empty = true;
    crd_status status =
        crd_i_case_builder_create(rows->context, rows->names, rows->network->count, none, none, &pass->builder, error);
    for (const crd_frame *frame = NULL; status == CRD_OK;) {
        status = crd_reader_next(pass->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        pass->is_empty = pass->is_empty && frame->rows == 0;
        status = structure_score_add_frame(pass->rows, frame, pass->reader, pass->builder, error);
    }
    return status;
}

/* Reads all rows into a case table. */
static crd_status structure_score_read_all(node_rows *rows, crd_reader *reader, crd_i_case_table **out,
                                           crd_error *error) {
    score_pass pass = {.rows = rows, .reader = reader};
    *out = NULL;
    crd_status status = crd_i_reader_make_passes(reader, score_pass_make, &pass, error);
    if (status == CRD_OK && pass.is_empty) status = crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to score");
    if (status == CRD_OK) status = crd_i_case_builder_finish(pass.builder, NULL, out, error);
    crd_i_case_builder_destroy(pass.builder);
    return status;
}

/* ---- Scores ---- */

static int structure_score_compare_numbers(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Returns the number of free parameters of a family. */
static double structure_score_parameters(const crd_i_case_table *table, size_t column, const uint32_t *parents,
                                         size_t count) {
    double combinations = 1, numbers = 0;
    for (size_t i = 0; i < count; i++) {
        const crd_i_case_column *parent = &table->columns[parents[i]];
        if (parent->type == CRD_TYPE_NUMERIC) numbers++;
        else combinations *= (double)parent->state_count;
    }
    if (table->columns[column].type == CRD_TYPE_NUMERIC) return combinations * (numbers + 2);
    return combinations * ((double)table->columns[column].state_count - 1);
}

/* Computes the score of each node and their sum. */
static crd_status score_nodes(crd_structure_score *structure_score, const crd_network *network,
                              const crd_i_case_table *table, crd_i_score score, crd_error *error) {
    crd_i_family_scores *scores = NULL;
    uint32_t *parents = crd_i_arena_alloc(structure_score->arena, network->count, sizeof *parents);
    crd_status status = crd_i_arena_check(structure_score->arena, error);
    if (status == CRD_OK) status = crd_i_family_scores_create(table, score, &scores, error);
    for (size_t i = 0; status == CRD_OK && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        const size_t column = crd_i_case_table_find(table, node->name);
        for (size_t j = 0; j < node->parent_count; j++)
            parents[j] = (uint32_t)crd_i_case_table_find(table, network->nodes[node->parents[j]].name);
        if (node->parent_count > 0)
            qsort(parents, node->parent_count, sizeof *parents, structure_score_compare_numbers);
        status = crd_i_family_score(scores, column, parents, node->parent_count, &structure_score->nodes[i], error);
        structure_score->parameters[i] = structure_score_parameters(table, column, parents, node->parent_count);
        structure_score->total += structure_score->nodes[i];
    }
    structure_score->rows = table->total;
    crd_i_family_scores_destroy(scores);
    return status;
}

crd_status crd_structure_score_create(const crd_network *network, crd_reader *reader, crd_text view,
                                      crd_structure_score **out, crd_error *error) {
    crd_i_score kind;
    crd_i_case_table *table = NULL;
    node_rows rows = {.context = network->context};
    *out = NULL;
    crd_status status = crd_i_score_parse(view, &kind, error);
    if (status != CRD_OK) return status;
    crd_structure_score *score = crd_i_arena_object(network->context, sizeof *score);
    if (score == NULL) return crd_i_fail_memory(error);
    score->count = network->count;
    score->nodes = crd_i_arena_alloc(score->arena, network->count, sizeof *score->nodes);
    score->parameters = crd_i_arena_alloc(score->arena, network->count, sizeof *score->parameters);
    status = crd_i_arena_check(score->arena, error);
    if (status == CRD_OK) status = node_rows_init(&rows, network, error);
    if (status == CRD_OK) status = structure_score_check_columns(network, reader, error);
    if (status == CRD_OK) status = crd_network_bind(network, rows.nodes, network->count, reader, error);
    if (status == CRD_OK) status = structure_score_read_all(&rows, reader, &table, error);
    if (status == CRD_OK) status = score_nodes(score, network, table, kind, error);
    crd_i_case_table_destroy(table);
    node_rows_clear(&rows);
    if (status == CRD_OK) *out = score;
    else crd_structure_score_destroy(score);
    return status;
}
