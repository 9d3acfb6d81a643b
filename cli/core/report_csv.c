/* SPDX-License-Identifier: MIT */
/* report_csv.c - writes reports in CSV: the main table of a report, or a line with a name and a value for each value
 * that has a key. The name consists of the keys that lead to the value, separated by dots. Array elements are numbered
 * from 1. */
#include "core/report_renderer.h"

static void report_csv_begin(rendering *state, bool on_one_line) {
    (void)state;
    (void)on_one_line;
}

static void report_csv_put(rendering *state, const string *line) {
    output_write(state->out, string_text(line), line->length);
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
static void write_main(rendering *state, const report_node *node) {
    const report_table *t = node->table;
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
        report_csv_put(state, &line);
        string_clear(&line);
    }
    report_csv_put(state, &line);
    string_free(&line);
}

/* ---- Names and values ---- */

/* Appends a key, or the number of an array element, to the path. */
static void step_in(rendering *state, crd_text key) {
    char number[32];
    bool is_element = state->depth > 0 && key.bytes == NULL;
    if (state->depth == state->capacity) {
        state->capacity = state->capacity == 0 ? 16 : state->capacity * 2;
        state->ends = memory_resize(state->ends, state->capacity, sizeof *state->ends);
        state->elements = memory_resize(state->elements, state->capacity, sizeof *state->elements);
    }
    state->ends[state->depth] = state->path.length;
    if (is_element) {
        snprintf(number, sizeof number, "%zu", ++state->elements[state->depth - 1]);
        key = crd_text_of(number);
    }
    state->elements[state->depth++] = 0;
    if (key.bytes == NULL) return;
    if (state->path.length > 0) string_add_char(&state->path, '.');
    string_add(&state->path, key.bytes, key.length);
}

static void step_out(rendering *state) {
    state->path.length = state->ends[--state->depth];
    if (state->path.bytes != NULL) state->path.bytes[state->path.length] = '\0';
}

static void report_csv_open(rendering *state, const report_node *container) {
    if (state->depth == 0) output_write(state->out, "name,value\n", 11);
    step_in(state, container->key);
}

static void report_csv_close(rendering *state, const report_node *container) {
    (void)container;
    step_out(state);
}

static void report_csv_write_value(rendering *state, const report_node *value) {
    string line = {0};
    step_in(state, value->key);
    csv_add_text(&line, (crd_text){string_text(&state->path), state->path.length});
    string_add_char(&line, ',');
    if (value->kind == NODE_NUMBER) csv_add_number(&line, value->number);
    else if (value->kind == NODE_TEXT) csv_add_text(&line, value->text);
    else if (value->kind == NODE_BOOLEAN) csv_add_text(&line, crd_text_of(value->boolean ? "true" : "false"));
    string_add_char(&line, '\n');
    report_csv_put(state, &line);
    string_free(&line);
    step_out(state);
}

const report_renderer renderer_csv = {.is_main_alone = true,
                                      .begin = report_csv_begin,
                                      .open = report_csv_open,
                                      .close = report_csv_close,
                                      .value = report_csv_write_value,
                                      .has_tables_as_values = true,
                                      .table = write_main};
