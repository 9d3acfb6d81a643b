/* SPDX-License-Identifier: MIT */
/* report_csv.c - writes reports in CSV: the main table of a report, or a line with a name and a value for each value
 * that has a key. The name consists of the keys that lead to the value, separated by dots. Array elements are numbered
 * from 1. */
#include "core/report_renderer.h"

static void report_csv_begin(rendering *target_rendering, bool on_one_line) {
    (void)target_rendering;
    (void)on_one_line;
}

static void report_csv_put(rendering *target_rendering, const string *line) {
    output_write(target_rendering->out, string_text(line), line->length);
}

/* ---- The main table ---- */

static void report_csv_add_value(string *line, const report_cell *cell, size_t item) {
    switch (cell->kind) {
    case CELL_NUMBER:
    case CELL_COUNT:
    case CELL_BAR: csv_add_number(line, cell->number); break;
    case CELL_LIST: csv_add_number(line, cell->list[item]); break;
    case CELL_TEXT: csv_add_text(line, (crd_text){cell->text, cell->length}); break;
    case CELL_ABSENT:
    case CELL_NULL: break;
    }
}

static size_t count_items(const report_table *t, const report_cell *row) {
    size_t most = 1;
    for (size_t c = 0; c < t->column_count; c++)
        if (row[c].kind == CELL_LIST && row[c].length > most) most = row[c].length;
    return most;
}

/* Writes one line per row. If a cell is a list, writes one line per item of the list. */
static void write_main(rendering *target_rendering, const report_table *t) {
    string line = {0};
    for (size_t c = 0, index = 0; c < t->column_count; c++) {
        if (t->columns[c].key == NULL) continue;
        if (index++ > 0) string_add_char(&line, ',');
        csv_add_text(&line, crd_text_of(t->columns[c].key));
    }
    string_add_char(&line, '\n');
    for (size_t row = 0; (row + 1) * t->column_count <= t->cell_count; row++) {
        const report_cell *cells = t->cells + row * t->column_count;
        if ((t->audiences[row] & FOR_CSV) == 0) continue;
        for (size_t item = 0; item < count_items(t, cells); item++) {
            for (size_t c = 0, index = 0; c < t->column_count; c++) {
                if (t->columns[c].key == NULL) continue;
                if (index++ > 0) string_add_char(&line, ',');
                report_csv_add_value(&line, &cells[c], item);
            }
            string_add_char(&line, '\n');
        }
        report_csv_put(target_rendering, &line);
        string_clear(&line);
    }
    report_csv_put(target_rendering, &line);
    string_free(&line);
}

/* ---- Names and values ---- */

/* Appends a key, or the number of an array element, to the path. */
static void step_in(rendering *target_rendering, crd_text key) {
    char number[32];
    bool is_element = target_rendering->depth > 0 && key.bytes == NULL;
    if (target_rendering->depth == target_rendering->capacity) {
        target_rendering->capacity = target_rendering->capacity == 0 ? 16 : target_rendering->capacity * 2;
        target_rendering->ends =
            memory_resize(target_rendering->ends, target_rendering->capacity, sizeof *target_rendering->ends);
        target_rendering->elements =
            memory_resize(target_rendering->elements, target_rendering->capacity, sizeof *target_rendering->elements);
    }
    target_rendering->ends[target_rendering->depth] = target_rendering->path.length;
    if (is_element) {
        snprintf(number, sizeof number, "%zu", ++target_rendering->elements[target_rendering->depth - 1]);
        key = crd_text_of(number);
    }
    target_rendering->elements[target_rendering->depth++] = 0;
    if (key.bytes == NULL) return;
    if (target_rendering->path.length > 0) string_add_char(&target_rendering->path, '.');
    string_add(&target_rendering->path, key.bytes, key.length);
}

static void step_out(rendering *target_rendering) {
    target_rendering->path.length = target_rendering->ends[--target_rendering->depth];
    if (target_rendering->path.bytes != NULL) target_rendering->path.bytes[target_rendering->path.length] = '\0';
}

static void report_csv_open(rendering *target_rendering, const report_node *container) {
    if (target_rendering->depth == 0) output_write(target_rendering->out, "name,value\n", 11);
    step_in(target_rendering, container->key);
}

static void report_csv_close(rendering *target_rendering, const report_node *container) {
    (void)container;
    step_out(target_rendering);
}

static void report_csv_write_line(rendering *target_rendering, crd_text key, const report_cell *value, size_t item) {
    string line = {0};
    step_in(target_rendering, key);
    csv_add_text(&line, (crd_text){string_text(&target_rendering->path), target_rendering->path.length});
    string_add_char(&line, ',');
    report_csv_add_value(&line, value, item);
    string_add_char(&line, '\n');
    report_csv_put(target_rendering, &line);
    string_free(&line);
    step_out(target_rendering);
}

static void report_csv_write_value(rendering *target_rendering, const report_node *value) {
    report_cell cell = {.kind = CELL_NULL};
    if (value->kind == NODE_NUMBER) cell = (report_cell){.kind = CELL_NUMBER, .number = value->number};
    else if (value->kind == NODE_TEXT)
        cell = (report_cell){.kind = CELL_TEXT, .text = value->text.bytes, .length = value->text.length};
    else if (value->kind == NODE_BOOLEAN) {
        const char *word = value->boolean ? "true" : "false";
        cell = (report_cell){.kind = CELL_TEXT, .text = word, .length = crd_text_of(word).length};
    }
    report_csv_write_line(target_rendering, value->key, &cell, 0);
}

static void write_cells(rendering *target_rendering, const report_table *t, const report_cell *row, size_t first) {
    for (size_t c = first; c < t->column_count; c++) {
        const report_column *column = &t->columns[c];
        if (column->key == NULL || row[c].kind == CELL_ABSENT) continue;
        if (column->group != NULL) step_in(target_rendering, crd_text_of(column->group));
        report_csv_write_line(target_rendering, crd_text_of(column->key), &row[c], 0);
        if (column->group != NULL) step_out(target_rendering);
    }
}

static crd_text report_csv_key(const report_cell *cell) {
    return (crd_text){cell->text, cell->length};
}

static void report_csv_write_row(rendering *target_rendering, const report_table *t, const report_cell *row) {
    size_t keyed = 0;
    for (size_t c = 0; c < t->column_count; c++) keyed += t->columns[c].key != NULL;
    if (t->shape == TABLE_ROWS || (t->shape == TABLE_MAP && keyed > 2)) {
        step_in(target_rendering, t->shape == TABLE_ROWS ? (crd_text){NULL, 0} : report_csv_key(&row[0]));
        write_cells(target_rendering, t, row, t->shape == TABLE_ROWS ? 0 : 1);
        step_out(target_rendering);
        return;
    }
    size_t value = 1;
    while (t->columns[value].key == NULL || (t->shape == TABLE_NESTED && value + 1 < keyed)) value++;
    for (size_t c = 0; c + 1 < value && t->shape == TABLE_NESTED; c++)
        step_in(target_rendering, report_csv_key(&row[c]));
    report_csv_write_line(target_rendering, report_csv_key(&row[t->shape == TABLE_NESTED ? value - 1 : 0]), &row[value],
                          0);
    for (size_t c = 0; c + 1 < value && t->shape == TABLE_NESTED; c++) step_out(target_rendering);
}

static void report_csv_write_table(rendering *target_rendering, const report_node *node) {
    const report_table *t = node->table;
    if (t->is_main) {
        write_main(target_rendering, t);
        return;
    }
    if (t->key == NULL) return;
    step_in(target_rendering, node->key);
    for (size_t row = 0; (row + 1) * t->column_count <= t->cell_count; row++)
        if ((t->audiences[row] & FOR_JSON) != 0)
            report_csv_write_row(target_rendering, t, t->cells + row * t->column_count);
    step_out(target_rendering);
}

const report_renderer renderer_csv = {.is_main_alone = true,
                                      .begin = report_csv_begin,
                                      .open = report_csv_open,
                                      .close = report_csv_close,
                                      .value = report_csv_write_value,
                                      .table = report_csv_write_table};
