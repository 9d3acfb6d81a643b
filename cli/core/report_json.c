/* SPDX-License-Identifier: MIT */
/* report_json.c - writes reports in JSON: all nodes that have a key. Numbers have the fewest digits that read back to
 * the same bits. */
#include "core/report_renderer.h"

#include <string.h>

static void report_json_begin(rendering *target_rendering, bool on_one_line) {
    target_rendering->json = output_json(target_rendering->out);
    target_rendering->json.lines = on_one_line;
}

/* Ends the line. If the report consists of prose only, nothing was written. */
static void report_json_end(rendering *target_rendering) {
    if (target_rendering->has_values) crd_json_writer_break_line(&target_rendering->json);
}

static void write_key(crd_json_writer *j, crd_text key) {
    if (key.bytes != NULL) crd_json_writer_key(j, key);
}

static void report_json_open(rendering *target_rendering, const report_node *container) {
    target_rendering->has_values = true;
    write_key(&target_rendering->json, container->key);
    crd_json_writer_begin(&target_rendering->json, container->kind == NODE_OBJECT ? '{' : '[');
    target_rendering->json.lines += container->is_short;
}

static void report_json_close(rendering *target_rendering, const report_node *container) {
    crd_json_writer_end(&target_rendering->json, container->kind == NODE_OBJECT ? '}' : ']');
    target_rendering->json.lines -= container->is_short;
}

static void report_json_write_value(rendering *target_rendering, const report_node *value) {
    crd_json_writer *j = &target_rendering->json;
    write_key(j, value->key);
    switch (value->kind) {
    case NODE_NUMBER: crd_json_writer_number(j, value->number); break;
    case NODE_TEXT: crd_json_writer_text(j, value->text); break;
    case NODE_BOOLEAN: crd_json_writer_word(j, crd_text_of(value->boolean ? "true" : "false")); break;
    default: crd_json_writer_word(j, crd_text_of("null")); break;
    }
}

/* ---- Tables ---- */

static void write_cell(crd_json_writer *j, const report_cell *cell) {
    switch (cell->kind) {
    case CELL_NUMBER:
    case CELL_COUNT:
    case CELL_BAR: crd_json_writer_number(j, cell->number); break;
    case CELL_TEXT: crd_json_writer_text(j, (crd_text){cell->text, cell->length}); break;
    case CELL_LIST:
        if (cell->length != 1) crd_json_writer_begin(j, '[');
        for (size_t i = 0; i < cell->length; i++) crd_json_writer_number(j, cell->list[i]);
        if (cell->length != 1) crd_json_writer_end(j, ']');
        break;
    case CELL_ABSENT:
    case CELL_NULL: crd_json_writer_word(j, crd_text_of("null")); break;
    }
}

/* Writes a cell as a key. */
static void write_cell_key(crd_json_writer *j, const report_cell *cell) {
    char buffer[CRD_NUMBER_ROOM];
    if (cell->kind == CELL_TEXT) crd_json_writer_key(j, (crd_text){cell->text, cell->length});
    else crd_json_writer_key(j, (crd_text){buffer, crd_number_format(cell->number, buffer)});
}

static bool is_same_group(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Writes the members of a row, starting at column `first`. */
static void report_json_write_members(crd_json_writer *j, const report_table *t, const report_cell *row, size_t first) {
    const char *group = NULL;
    for (size_t c = first; c < t->column_count; c++) {
        const report_column *column = &t->columns[c];
        if (column->key == NULL) continue;
        if (!is_same_group(group, column->group)) {
            if (group != NULL) crd_json_writer_end(j, '}');
            if (column->group != NULL) crd_json_writer_key(j, crd_text_of(column->group));
            if (column->group != NULL) crd_json_writer_begin(j, '{');
            group = column->group;
        }
        if (row[c].kind == CELL_ABSENT) continue;
        crd_json_writer_key(j, crd_text_of(column->key));
        write_cell(j, &row[c]);
    }
    if (group != NULL) crd_json_writer_end(j, '}');
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
    crd_json_writer *j = &target_rendering->json;
    crd_json_writer_begin(j, '[');
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        crd_json_writer_begin(j, '{');
        j->lines += t->is_short;
        report_json_write_members(j, t, row, 0);
        crd_json_writer_end(j, '}');
        j->lines -= t->is_short;
    }
    crd_json_writer_end(j, ']');
}

/* Returns the index of the second column that has a key. */
static size_t value_column(const report_table *t) {
    size_t c = 1;
    while (t->columns[c].key == NULL) c++;
    return c;
}

static void write_map(crd_json_writer *j, const report_table *t) {
    bool is_single = count_keyed(t) == 2;
    crd_json_writer_begin(j, '{');
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        write_cell_key(j, &row[0]);
        if (is_single) {
            write_cell(j, &row[value_column(t)]);
            continue;
        }
        crd_json_writer_begin(j, '{');
        report_json_write_members(j, t, row, 1);
        crd_json_writer_end(j, '}');
    }
    crd_json_writer_end(j, '}');
}

static bool is_same_key(const report_cell *a, const report_cell *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* Writes nested objects. The columns with keys come first, and the last of them contains the value. */
static void write_nested(crd_json_writer *j, const report_table *t) {
    size_t levels = count_keyed(t) - 1, open_levels = 0;
    const report_cell *before = NULL;
    crd_json_writer_begin(j, '{');
    for (size_t i = 0; i < report_json_count_rows(t); i++) {
        const report_cell *row = row_at(t, i);
        if (row == NULL) continue;
        size_t common = 0;
        while (before != NULL && common + 1 < levels && is_same_key(&before[common], &row[common])) common++;
        for (; open_levels > common; open_levels--) crd_json_writer_end(j, '}');
        for (; open_levels + 1 < levels; open_levels++) {
            write_cell_key(j, &row[open_levels]);
            crd_json_writer_begin(j, '{');
        }
        write_cell_key(j, &row[levels - 1]);
        write_cell(j, &row[levels]);
        before = row;
    }
    for (; open_levels > 0; open_levels--) crd_json_writer_end(j, '}');
    crd_json_writer_end(j, '}');
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
