/* SPDX-License-Identifier: MIT */
/* report_write.c - see report_write.h. */
#include "core/report_write.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_renderer.h"
#include "core/verb.h"

#include <stdlib.h>
#include <string.h>

static const report_node *main_table(const report_node *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i].kind == NODE_TABLE && nodes[i].table->is_main) return &nodes[i];
    return NULL;
}

/* ---- Tables as containers and values ---- */

/* A table that is written through the functions of a renderer. */
typedef struct written_table {
    rendering *state;
    const report_renderer *renderer;
    const report_table *table;
    size_t first, keyed; /* the first column that is not the key of its row; number of columns with keys */
} written_table;

static void open_container(const written_table *w, node_kind kind, crd_text key, bool is_short) {
    w->renderer->open(w->state, &(report_node){.kind = kind, .key = key, .is_short = is_short});
}

static void close_container(const written_table *w, node_kind kind, bool is_short) {
    w->renderer->close(w->state, &(report_node){.kind = kind, .is_short = is_short});
}

static void write_number(const written_table *w, crd_text key, double number) {
    w->renderer->value(w->state, &(report_node){.kind = NODE_NUMBER, .key = key, .number = number});
}

static void write_cell(const written_table *w, crd_text key, const report_cell *cell) {
    switch (cell->kind) {
    case CELL_NUMBER:
    case CELL_COUNT:
    case CELL_BAR: write_number(w, key, cell->number); break;
    case CELL_TEXT:
        w->renderer->value(w->state, &(report_node){.kind = NODE_TEXT, .key = key, .text = {cell->text, cell->length}});
        break;
    case CELL_LIST:
        if (cell->length == 1) {
            write_number(w, key, cell->list[0]);
            break;
        }
        open_container(w, NODE_ARRAY, key, false);
        for (size_t i = 0; i < cell->length; i++) write_number(w, (crd_text){NULL, 0}, cell->list[i]);
        close_container(w, NODE_ARRAY, false);
        break;
    case CELL_ABSENT:
    case CELL_NULL: w->renderer->value(w->state, &(report_node){.kind = NODE_NULL, .key = key}); break;
    }
}

/* Returns a cell as a key. `buffer` holds the key of a number. */
static crd_text cell_key(const report_cell *cell, char buffer[CRD_NUMBER_ROOM]) {
    if (cell->kind == CELL_TEXT) return (crd_text){cell->text, cell->length};
    return (crd_text){buffer, crd_number_format(cell->number, buffer)};
}

static bool is_same_group(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Writes the members of a row. The columns of a group are members of an object. */
static void write_members(const written_table *w, const report_cell *row) {
    const char *group = NULL;
    for (size_t c = w->first; c < w->table->column_count; c++) {
        const report_column *column = &w->table->columns[c];
        if (column->key == NULL) continue;
        if (!is_same_group(group, column->group)) {
            if (group != NULL) close_container(w, NODE_OBJECT, false);
            if (column->group != NULL) open_container(w, NODE_OBJECT, crd_text_of(column->group), false);
            group = column->group;
        }
        if (row[c].kind != CELL_ABSENT) write_cell(w, crd_text_of(column->key), &row[c]);
    }
    if (group != NULL) close_container(w, NODE_OBJECT, false);
}

/* Writes a row of a map, whose first column is its key. */
static void write_map_row(const written_table *w, const report_cell *row) {
    char buffer[CRD_NUMBER_ROOM];
    const crd_text key = cell_key(&row[0], buffer);
    if (w->keyed == 2) {
        size_t column = 1;
        while (w->table->columns[column].key == NULL) column++;
        write_cell(w, key, &row[column]);
        return;
    }
    open_container(w, NODE_OBJECT, key, false);
    write_members(w, row);
    close_container(w, NODE_OBJECT, false);
}

static bool is_same_key(const report_cell *a, const report_cell *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* Writes a row of nested objects. The columns with keys come first, and the last of them is the value. Closes the
 * objects of the row before that are not those of this row; row NULL: closes all. */
static void write_nested_row(const written_table *w, const report_cell *before, const report_cell *row) {
    char buffer[CRD_NUMBER_ROOM];
    const size_t levels = w->keyed - 1;
    size_t common = 0;
    while (before != NULL && row != NULL && common + 1 < levels && is_same_key(&before[common], &row[common])) common++;
    for (size_t i = common + 1; before != NULL && i < levels; i++) close_container(w, NODE_OBJECT, false);
    if (row == NULL) return;
    for (size_t i = common; i + 1 < levels; i++) open_container(w, NODE_OBJECT, cell_key(&row[i], buffer), false);
    write_cell(w, cell_key(&row[levels - 1], buffer), &row[levels]);
}

static void write_table_values(rendering *state, const report_renderer *renderer, const report_node *node) {
    const report_table *t = node->table;
    const node_kind kind = t->shape == TABLE_ROWS ? NODE_ARRAY : NODE_OBJECT;
    const report_cell *before = NULL;
    written_table w = {state, renderer, t, t->shape == TABLE_ROWS ? 0 : 1, 0};
    for (size_t c = 0; c < t->column_count; c++) w.keyed += t->columns[c].key != NULL;
    open_container(&w, kind, node->key, false);
    for (size_t i = 0; (i + 1) * t->column_count <= t->cell_count && t->column_count > 0; i++) {
        const report_cell *row = t->cells + i * t->column_count;
        if ((t->audiences[i] & FOR_JSON) == 0) continue;
        switch (t->shape) {
        case TABLE_ROWS:
            open_container(&w, NODE_OBJECT, (crd_text){NULL, 0}, t->is_short);
            write_members(&w, row);
            close_container(&w, NODE_OBJECT, t->is_short);
            break;
        case TABLE_MAP: write_map_row(&w, row); break;
        case TABLE_NESTED: write_nested_row(&w, before, row); break;
        }
        before = row;
    }
    if (t->shape == TABLE_NESTED) write_nested_row(&w, before, NULL);
    close_container(&w, kind, false);
}

/* ---- Nodes ---- */

/* Calls the renderer's function for a node. `container` is the container that a NODE_END closes. */
static void report_write_visit(rendering *state, const report_renderer *renderer, const report_node *node,
                               const report_node *container) {
    switch (node->kind) {
    case NODE_OBJECT:
    case NODE_ARRAY:
        if (renderer->open != NULL) renderer->open(state, node);
        break;
    case NODE_END:
        if (renderer->close != NULL) renderer->close(state, container);
        break;
    case NODE_NUMBER:
    case NODE_TEXT:
    case NODE_BOOLEAN:
    case NODE_NULL:
        if (renderer->value != NULL) renderer->value(state, node);
        break;
    case NODE_PROSE:
        if (renderer->prose != NULL) renderer->prose(state, &node->prose);
        break;
    case NODE_TABLE:
        if (renderer->has_tables_as_values && node->key.bytes != NULL) write_table_values(state, renderer, node);
        else if (!renderer->has_tables_as_values && renderer->table != NULL) renderer->table(state, node);
        break;
    case NODE_CURVES:
        if (renderer->curves != NULL) renderer->curves(state, &node->curves);
        break;
    case NODE_GRAPH:
        if (renderer->graph != NULL) renderer->graph(state, &node->graph);
        break;
    case NODE_MARKED:
        if (renderer->marked != NULL) renderer->marked(state, &node->marked);
        break;
    case NODE_PICTURE:
        if (renderer->picture != NULL) renderer->picture(state, node->picture);
        break;
    }
}

/* Writes the nodes in order, or only the main table if the format contains nothing else. */
static void report_write_render(const report *r, const report_renderer *renderer, output *out, bool on_one_line) {
    rendering state = {.out = out};
    size_t count = 0, depth = 0;
    const report_node *nodes = report_nodes(r, &count);
    const report_node *alone = renderer->is_main_alone ? main_table(nodes, count) : NULL;
    const report_node **open = memory_resize(NULL, count, sizeof *open);
    renderer->begin(&state, on_one_line);
    if (alone != NULL) renderer->table(&state, alone);
    for (size_t i = 0; alone == NULL && i < count && !output_broken(out); i++) {
        const report_node *node = &nodes[i];
        bool opens = node->kind == NODE_OBJECT || node->kind == NODE_ARRAY;
        if (opens) open[depth++] = node;
        if (node->kind == NODE_END) depth--;
        report_write_visit(&state, renderer, node, node->kind == NODE_END ? open[depth] : NULL);
    }
    if (renderer->end != NULL) renderer->end(&state);
    free(open);
    string_free(&state.path);
    free(state.ends);
    free(state.elements);
}

static const report_renderer *renderer_of(const output *out) {
    switch (out->format) {
    case FORMAT_CSV: return &renderer_csv;
    case FORMAT_JSON: return &renderer_json;
    case FORMAT_MARKDOWN: return &renderer_markdown;
    case FORMAT_HTML: return &renderer_html;
    case FORMAT_TABLE: break;
    }
    return &renderer_text;
}

void report_write(const report *r, output *out) {
    report_write_render(r, renderer_of(out), out, false);
}

void report_write_line(const report *r, output *out) {
    report_write_render(r, renderer_of(out), out, true);
}

/* Adds a title such as "credence show iris.csv". */
static void report_write_add_title(string *target_string, const invocation *call) {
    string_format(target_string, "credence %s", call->verb->name);
    for (size_t i = 0; i < call->arguments.operand_count; i++) {
        string_add_char(target_string, ' ');
        string_add_shown(target_string, crd_text_of(call->arguments.operands[i]));
    }
}

static int write_svg(const report *r, const invocation *call, output *out) {
    size_t count = 0;
    const char **result = pictures_list(r, &count);
    char *joined = NULL;
    crd_error error;
    int ended = ENDED_WELL;
    if (count > 1 && crd_plot_join(call->context, result, count, NULL, &joined, &error) != CRD_OK)
        ended = message_error(&error);
    else fprintf(out->stream, "%s\n", joined != NULL ? joined : result[0]);
    crd_free(call->context, joined);
    free(result);
    return ended;
}

int report_write_pictures(const report *r, const invocation *call) {
    const char *path = pictures_path(call);
    output out = {0};
    string title = {0};
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_named(call, path, &out);
    if (ended == ENDED_WELL && !pictures_are_page(call)) {
        ended = write_svg(r, call, &out);
    } else if (ended == ENDED_WELL) {
        report_write_add_title(&title, call);
        out.format = FORMAT_HTML;
        out.title = string_text(&title);
        report_write(r, &out);
    }
    ended = output_close(&out, ended);
    string_free(&title);
    return ended;
}

int report_finish(report *r, const invocation *call, const char *words, int ended) {
    output out = {0};
    if (ended == ENDED_WELL) ended = pictures_check_report(r, call);
    if (ended == ENDED_WELL) ended = report_write_pictures(r, call);
    if (ended == ENDED_WELL) {
        ended = output_open(call, &out);
        if (ended == ENDED_WELL) ended = output_choose_format(call, &out, words, FORMAT_TABLE);
        if (ended == ENDED_WELL) report_write(r, &out);
        ended = output_close(&out, ended);
    }
    report_destroy(r);
    return ended;
}
