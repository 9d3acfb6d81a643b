/* SPDX-License-Identifier: MIT */
/* report_json.c - writes reports in JSON: all nodes that have a key. Numbers have the fewest digits that read back to
 * the same bits. */
#include "core/report_renderer.h"

#include <string.h>

static void report_json_begin(rendering *target_rendering, bool on_one_line) {
    target_rendering->json = json_begin(target_rendering->out->stream, !on_one_line);
}

/* Ends the line. If the report consists of prose only, nothing was written. */
static void report_json_end(rendering *target_rendering) {
    if (target_rendering->has_values) json_end_line(&target_rendering->json);
}

static void write_key(json *j, crd_text key) {
    if (key.bytes != NULL) json_key_text(j, key);
}

/* Starts writing on one line: the contents of this container, and of the containers inside it, are not broken into
 * lines. */
static void open_line(rendering *target_rendering) {
    if (target_rendering->lines_open++ == 0) target_rendering->was_indented = target_rendering->json.indented;
    target_rendering->json.indented = false;
}

static void close_line(rendering *target_rendering) {
    if (--target_rendering->lines_open == 0) target_rendering->json.indented = target_rendering->was_indented;
}

static void report_json_open(rendering *target_rendering, const report_node *container) {
    target_rendering->has_values = true;
    write_key(&target_rendering->json, container->key);
    if (container->kind == NODE_OBJECT) json_object(&target_rendering->json);
    else json_array(&target_rendering->json);
    if (container->is_short) open_line(target_rendering);
}

static void report_json_close(rendering *target_rendering, const report_node *container) {
    if (container->kind == NODE_OBJECT) json_end_object(&target_rendering->json);
    else json_end_array(&target_rendering->json);
    if (container->is_short) close_line(target_rendering);
}

static void report_json_write_value(rendering *target_rendering, const report_node *value) {
    json *j = &target_rendering->json;
    write_key(j, value->key);
    switch (value->kind) {
    case NODE_NUMBER: json_number(j, value->number); break;
    case NODE_TEXT: json_text(j, value->text); break;
    case NODE_BOOLEAN: json_boolean(j, value->boolean); break;
    default: json_null(j); break;
    }
}

/* ---- Tables ---- */

static void write_cell(json *j, const report_cell *cell) {
    switch (cell->kind) {
    case CELL_NUMBER:
    case CELL_COUNT:
    case CELL_BAR: json_number(j, cell->number); break;
    case CELL_TEXT: json_text(j, (crd_text){cell->text, cell->length}); break;
    case CELL_LIST:
        if (cell->length != 1) json_array(j);
        for (size_t i = 0; i < cell->length; i++) json_number(j, cell->list[i]);
        if (cell->length != 1) json_end_array(j);
        break;
    case CELL_ABSENT:
    case CELL_NULL: json_null(j); break;
    }
}

/* Writes a cell as a key. */
static void write_cell_key(json *j, const report_cell *cell) {
    char buffer[CRD_NUMBER_ROOM];
    if (cell->kind == CELL_TEXT) json_key_text(j, (crd_text){cell->text, cell->length});
    else json_key_text(j, (crd_text){buffer, crd_number_format(cell->number, buffer)});
}

static bool is_same_group(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Writes the members of a row, starting at column `first`. */
static void report_json_write_members(json *j, const report_table *t, const report_cell *row, size_t first) {
    const char *group = NULL;
    for (size_t c = first; c < t->column_count; c++) {
        const report_column *column = &t->columns[c];
        if (column->key == NULL) continue;
        if (!is_same_group(group, column->group)) {
            if (group != NULL) json_end_object(j);
            if (column->group != NULL) json_key(j, column->group);
            if (column->group != NULL) json_object(j);
            group = column->group;
        }
        if (row[c].kind == CELL_ABSENT) continue;
        json_key(j, column->key);
        write_cell(j, &row[c]);
    }
    if (group != NULL) json_end_object(j);
}

static size_t count_keyed(const report_table *t) {
    size_t count = 0;
    for (size_t c = 0; c < t->column_count; c++) count += t->columns[c].key != NULL;
    return count;
}

static const report_cell *row_at(const report_table *t, size_t row) {
    return (t->audiences[row] & FOR_JSON) != 0 ? t->cells + row * t->column_count : NULL;
}

static size_t report_json_count_rows(const report_table *t) {
    return t->column_count == 0 ? 0 : t->cell_count / t->column_count;
}

static void report_json_write_rows(rendering *target_rendering, const report_table *t) {
    json *j = &target_rendering->json;
    json_array(j);
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        json_object(j);
        if (t->is_short) open_line(target_rendering);
        report_json_write_members(j, t, row, 0);
        json_end_object(j);
        if (t->is_short) close_line(target_rendering);
    }
    json_end_array(j);
}

/* Returns the index of the second column that has a key. */
static size_t value_column(const report_table *t) {
    size_t c = 1;
    while (t->columns[c].key == NULL) c++;
    return c;
}

static void write_map(json *j, const report_table *t) {
    bool is_single = count_keyed(t) == 2;
    json_object(j);
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        write_cell_key(j, &row[0]);
        if (is_single) {
            write_cell(j, &row[value_column(t)]);
            continue;
        }
        json_object(j);
        report_json_write_members(j, t, row, 1);
        json_end_object(j);
    }
    json_end_object(j);
}

static bool is_same_key(const report_cell *a, const report_cell *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* Writes nested objects. The columns with keys come first, and the last of them contains the value. */
static void write_nested(json *j, const report_table *t) {
    size_t levels = count_keyed(t) - 1, open_levels = 0;
    const report_cell *before = NULL;
    json_object(j);
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        size_t common = 0;
        while (before != NULL && common + 1 < levels && is_same_key(&before[common], &row[common])) common++;
        for (; open_levels > common; open_levels--) json_end_object(j);
        for (; open_levels + 1 < levels; open_levels++) {
            write_cell_key(j, &row[open_levels]);
            json_object(j);
        }
        write_cell_key(j, &row[levels - 1]);
        write_cell(j, &row[levels]);
        before = row;
    }
    for (; open_levels > 0; open_levels--) json_end_object(j);
    json_end_object(j);
}

static void report_json_write_table(rendering *target_rendering, const report_node *node) {
    const report_table *t = node->table;
    if (t->key == NULL) return;
    write_key(&target_rendering->json, node->key);
    switch (t->shape) {
    case TABLE_ROWS: report_json_write_rows(target_rendering, t); break;
    case TABLE_MAP: write_map(&target_rendering->json, t); break;
    case TABLE_NESTED: write_nested(&target_rendering->json, t); break;
    }
}

const report_renderer renderer_json = {.begin = report_json_begin,
                                       .open = report_json_open,
                                       .close = report_json_close,
                                       .value = report_json_write_value,
                                       .table = report_json_write_table,
                                       .end = report_json_end};
