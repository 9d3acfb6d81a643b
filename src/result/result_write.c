/* SPDX-License-Identifier: MIT */
/* result_write.c - visits the values of a result, and writes results as JSON, CSV and HTML; see credence/result.h.
 *
 * Contents:
 *   1. Tables as containers and values
 *   2. JSON
 *   3. CSV
 *   4. HTML
 *   5. Any format */
#include <credence/json_writer.h>
#include <credence/number.h>
#include <credence/result.h>
#include <credence/schema.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Tables as containers and values ======== */

/* A table whose values are visited. */
typedef struct visited_table {
    crd_result_visitor *visit;
    void *user;
    const crd_result_table *table;
    size_t first, keyed; /* the first column that is not the key of its row; number of columns with keys */
} visited_table;

static const crd_text no_key = {NULL, 0};

static void visit_begin(const visited_table *v, crd_container container, crd_text key) {
    v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_BEGIN, .key = key, .container = container});
}

static void visit_end(const visited_table *v, crd_container container) {
    v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_END, .container = container});
}

static void visit_number(const visited_table *v, crd_text key, double number) {
    v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_NUMBER, .key = key, .number = number});
}

static void visit_cell(const visited_table *v, crd_text key, const crd_result_cell *cell) {
    switch (cell->kind) {
    case CRD_CELL_NUMBER:
    case CRD_CELL_COUNT:
    case CRD_CELL_BAR: visit_number(v, key, cell->number); break;
    case CRD_CELL_TEXT:
        v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_TEXT, .key = key, .text = {cell->text, cell->length}});
        break;
    case CRD_CELL_LIST:
        if (cell->length == 1) visit_number(v, key, cell->list[0]);
        else
            v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_NUMBERS,
                                                 .key = key,
                                                 .numbers = {.values = cell->list, .count = cell->length}});
        break;
    case CRD_CELL_ABSENT:
    case CRD_CELL_NULL: v->visit(v->user, &(crd_result_node){.type = CRD_RESULT_NULL, .key = key}); break;
    }
}

/* Returns a cell as a key. `buffer` holds the key of a number. */
static crd_text result_cell_key(const crd_result_cell *cell, char buffer[CRD_NUMBER_ROOM]) {
    if (cell->kind == CRD_CELL_TEXT) return (crd_text){cell->text, cell->length};
    return (crd_text){buffer, crd_number_format(cell->number, buffer)};
}

static bool is_same_group(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Visits the members of a row. The columns of a group are members of an object. */
static void visit_members(const visited_table *v, const crd_result_cell *row) {
    const char *group = NULL;
    for (size_t c = v->first; c < v->table->column_count; c++) {
        const crd_result_column *column = &v->table->columns[c];
        if (column->key == NULL) continue;
        if (!is_same_group(group, column->group)) {
            if (group != NULL) visit_end(v, CRD_OBJECT);
            if (column->group != NULL) visit_begin(v, CRD_OBJECT, crd_text_of(column->group));
            group = column->group;
        }
        if (row[c].kind != CRD_CELL_ABSENT) visit_cell(v, crd_text_of(column->key), &row[c]);
    }
    if (group != NULL) visit_end(v, CRD_OBJECT);
}

/* Visits a row of a map, whose first column is its key. */
static void visit_map_row(const visited_table *v, const crd_result_cell *row) {
    char buffer[CRD_NUMBER_ROOM];
    const crd_text key = result_cell_key(&row[0], buffer);
    if (v->keyed == 2) {
        size_t column = 1;
        while (v->table->columns[column].key == NULL) column++;
        visit_cell(v, key, &row[column]);
        return;
    }
    visit_begin(v, CRD_OBJECT, key);
    visit_members(v, row);
    visit_end(v, CRD_OBJECT);
}

static bool result_is_same_key(const crd_result_cell *a, const crd_result_cell *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
}

/* Visits a row of nested objects. The columns with keys come first, and the last of them is the value. Closes the
 * objects of the row before that are not those of this row; row NULL: closes all. */
static void visit_nested_row(const visited_table *v, const crd_result_cell *before, const crd_result_cell *row) {
    char buffer[CRD_NUMBER_ROOM];
    const size_t levels = v->keyed - 1;
    size_t common = 0;
    while (before != NULL && row != NULL && common + 1 < levels && result_is_same_key(&before[common], &row[common]))
        common++;
    for (size_t i = common + 1; before != NULL && i < levels; i++) visit_end(v, CRD_OBJECT);
    if (row == NULL) return;
    for (size_t i = common; i + 1 < levels; i++) visit_begin(v, CRD_OBJECT, result_cell_key(&row[i], buffer));
    visit_cell(v, result_cell_key(&row[levels - 1], buffer), &row[levels]);
}

static void visit_table(crd_result_visitor *visit, void *user, const crd_result_node *node) {
    const crd_result_table *t = node->table;
    const crd_container container = t->shape == CRD_TABLE_ROWS ? CRD_ARRAY : CRD_OBJECT,
                        row_container = t->is_short ? CRD_SHORT_OBJECT : CRD_OBJECT;
    const crd_result_cell *before = NULL;
    visited_table v = {visit, user, t, t->shape == CRD_TABLE_ROWS ? 0 : 1, 0};
    for (size_t c = 0; c < t->column_count; c++) v.keyed += t->columns[c].key != NULL;
    visit_begin(&v, container, node->key);
    for (size_t i = 0; (i + 1) * t->column_count <= t->cell_count && t->column_count > 0; i++) {
        const crd_result_cell *row = t->cells + i * t->column_count;
        if ((t->audiences[i] & CRD_FOR_JSON) == 0) continue;
        switch (t->shape) {
        case CRD_TABLE_ROWS:
            visit_begin(&v, row_container, no_key);
            visit_members(&v, row);
            visit_end(&v, row_container);
            break;
        case CRD_TABLE_MAP: visit_map_row(&v, row); break;
        case CRD_TABLE_NESTED: visit_nested_row(&v, before, row); break;
        }
        before = row;
    }
    if (t->shape == CRD_TABLE_NESTED) visit_nested_row(&v, before, NULL);
    visit_end(&v, container);
}

void crd_result_visit(const crd_result *result, crd_result_visitor *visitor, void *user) {
    size_t count;
    const crd_result_node *nodes = crd_result_nodes(result, &count);
    for (size_t i = 0; i < count; i++) {
        const crd_result_node *node = &nodes[i];
        if (node->type == CRD_RESULT_TABLE && node->key.bytes != NULL) visit_table(visitor, user, node);
        else if (node->type < CRD_RESULT_PROSE) visitor(user, node);
    }
}

/* ======== 2. JSON ======== */

typedef struct result_json {
    crd_json_writer writer;
    bool has_values; /* something has been written: the result does not consist of prose only */
} result_json;

static void result_json_write(void *user, const crd_result_node *node) {
    result_json *json = user;
    crd_json_writer *writer = &json->writer;
    const bool is_array = node->container == CRD_ARRAY || node->container == CRD_SHORT_ARRAY,
               is_short = node->container == CRD_SHORT_OBJECT || node->container == CRD_SHORT_ARRAY;
    json->has_values = true;
    if (node->key.bytes != NULL) crd_json_writer_key(writer, node->key);
    switch (node->type) {
    case CRD_RESULT_BEGIN:
        crd_json_writer_begin(writer, is_array ? '[' : '{');
        writer->lines += is_short;
        break;
    case CRD_RESULT_END:
        crd_json_writer_end(writer, is_array ? ']' : '}');
        writer->lines -= is_short;
        break;
    case CRD_RESULT_NUMBER:
    case CRD_RESULT_COUNT: crd_json_writer_number(writer, node->number); break;
    case CRD_RESULT_NUMBERS:
        crd_json_writer_begin(writer, '[');
        for (size_t i = 0; i < node->numbers.count; i++) crd_json_writer_number(writer, node->numbers.values[i]);
        crd_json_writer_end(writer, ']');
        break;
    case CRD_RESULT_TEXT: crd_json_writer_text(writer, node->text); break;
    case CRD_RESULT_BOOLEAN: crd_json_writer_word(writer, crd_text_of(node->number != 0 ? "true" : "false")); break;
    default: crd_json_writer_word(writer, crd_text_of("null")); break;
    }
}

/* ======== 3. CSV ========
 *
 * The main table of a result, or a line with a name and a value for each value that has a key. The name consists of the
 * keys that lead to the value, separated by dots. Array elements are numbered from 1. */

static bool csv_is_space(char byte) {
    return byte == ' ' || byte == '\t';
}

static bool csv_needs_quotes(crd_text field) {
    if (csv_is_space(field.bytes[0]) || csv_is_space(field.bytes[field.length - 1])) return true;
    for (size_t i = 0; i < field.length; i++) {
        /* Many readers end the text at a NUL. */
        const char byte = field.bytes[i];
        if (byte == ',' || byte == '"' || byte == '\r' || byte == '\n' || byte == '\0') return true;
    }
    return false;
}

void crd_csv_write(crd_text field, int keeps_missing, crd_result_sink *write, void *user) {
    if (field.length == 0) return;
    if (!csv_needs_quotes(field) && (keeps_missing || !crd_schema_is_usual_missing(field))) {
        write(user, field.bytes, field.length);
        return;
    }
    write(user, "\"", 1);
    for (size_t begin = 0, i = 0; i < field.length; i++) {
        const bool is_quote = field.bytes[i] == '"';
        /* A quote is written twice: at the end of one part and at the beginning of the next. */
        if (is_quote || i + 1 == field.length) write(user, field.bytes + begin, i + 1 - begin);
        if (is_quote) begin = i;
        if (is_quote && i + 1 == field.length) write(user, "\"", 1);
    }
    write(user, "\"", 1);
}

/* A container that is open. */
typedef struct csv_container {
    size_t end;      /* the length of the path before the container was opened */
    size_t elements; /* of an array: the number of elements so far */
} csv_container;

typedef struct result_csv {
    crd_result_sink *write;
    void *user;
    crd_i_buffer path; /* the keys of the open containers, joined by dots */
    csv_container *open;
    size_t depth, capacity;
    bool has_failed;
} result_csv;

static void csv_put(const result_csv *csv, const char *text) {
    csv->write(csv->user, text, strlen(text));
}

static void csv_put_text(const result_csv *csv, crd_text text) {
    crd_csv_write(text, 0, csv->write, csv->user);
}

static void csv_put_number(const result_csv *csv, double number) {
    char digits[CRD_NUMBER_ROOM];
    if (isfinite(number)) csv->write(csv->user, digits, crd_number_format(number, digits));
}

/* Appends a key, or the number of an array element, to the path. */
static void csv_step_in(result_csv *csv, crd_text key) {
    char number[32];
    const bool is_element = csv->depth > 0 && key.bytes == NULL;
    csv->has_failed = csv->has_failed ||
                      !crd_i_reserve(csv->path.context, &csv->open, &csv->capacity, csv->depth + 1, sizeof *csv->open);
    if (csv->has_failed) return;
    csv->open[csv->depth] = (csv_container){csv->path.length, 0};
    if (is_element) {
        snprintf(number, sizeof number, "%zu", ++csv->open[csv->depth - 1].elements);
        key = crd_text_of(number);
    }
    csv->depth++;
    if (key.bytes == NULL) return;
    csv->has_failed = (csv->path.length > 0 && !crd_i_buffer_append(&csv->path, ".", 1)) ||
                      !crd_i_buffer_append(&csv->path, key.bytes, key.length);
}

static void csv_step_out(result_csv *csv) {
    if (!csv->has_failed) csv->path.length = csv->open[--csv->depth].end;
}

static void csv_write_value(result_csv *csv, const crd_result_node *node) {
    csv_step_in(csv, node->key);
    if (csv->has_failed) return;
    csv_put_text(csv, (crd_text){(const char *)csv->path.bytes, csv->path.length});
    csv_put(csv, ",");
    if (node->type == CRD_RESULT_NUMBER || node->type == CRD_RESULT_COUNT) csv_put_number(csv, node->number);
    else if (node->type == CRD_RESULT_TEXT) csv_put_text(csv, node->text);
    else if (node->type == CRD_RESULT_BOOLEAN) csv_put(csv, node->number != 0 ? "true" : "false");
    csv_put(csv, "\n");
    csv_step_out(csv);
}

static void result_csv_write(void *user, const crd_result_node *node) {
    result_csv *csv = user;
    if (csv->has_failed) return;
    switch (node->type) {
    case CRD_RESULT_BEGIN:
        if (csv->depth == 0) csv_put(csv, "name,value\n");
        csv_step_in(csv, node->key);
        break;
    case CRD_RESULT_END: csv_step_out(csv); break;
    case CRD_RESULT_NUMBERS:
        csv_step_in(csv, node->key);
        for (size_t i = 0; i < node->numbers.count; i++)
            csv_write_value(csv, &(crd_result_node){.type = CRD_RESULT_NUMBER, .number = node->numbers.values[i]});
        csv_step_out(csv);
        break;
    default: csv_write_value(csv, node); break;
    }
}

static void csv_write_cell(const result_csv *csv, const crd_result_cell *cell, size_t item) {
    switch (cell->kind) {
    case CRD_CELL_NUMBER:
    case CRD_CELL_COUNT:
    case CRD_CELL_BAR: csv_put_number(csv, cell->number); break;
    case CRD_CELL_LIST: csv_put_number(csv, item < cell->length ? cell->list[item] : NAN); break;
    case CRD_CELL_TEXT: csv_put_text(csv, (crd_text){cell->text, cell->length}); break;
    case CRD_CELL_ABSENT:
    case CRD_CELL_NULL: break;
    }
}

static size_t csv_count_items(const crd_result_table *t, const crd_result_cell *row) {
    size_t most = 1;
    for (size_t c = 0; c < t->column_count; c++)
        if (row[c].kind == CRD_CELL_LIST && row[c].length > most) most = row[c].length;
    return most;
}

/* Writes one line per row. If a cell is a list, writes one line per item of the list. */
static void csv_write_table(const result_csv *csv, const crd_result_table *t) {
    for (size_t c = 0, index = 0; c < t->column_count; c++) {
        if (t->columns[c].key == NULL) continue;
        if (index++ > 0) csv_put(csv, ",");
        csv_put_text(csv, crd_text_of(t->columns[c].key));
    }
    csv_put(csv, "\n");
    for (size_t row = 0; (row + 1) * t->column_count <= t->cell_count; row++) {
        const crd_result_cell *cells = t->cells + row * t->column_count;
        if ((t->audiences[row] & CRD_FOR_CSV) == 0) continue;
        for (size_t item = 0; item < csv_count_items(t, cells); item++) {
            for (size_t c = 0, index = 0; c < t->column_count; c++) {
                if (t->columns[c].key == NULL) continue;
                if (index++ > 0) csv_put(csv, ",");
                csv_write_cell(csv, &cells[c], item);
            }
            csv_put(csv, "\n");
        }
    }
}

/* ======== 4. HTML ======== */

typedef struct result_html {
    crd_result_sink *write;
    void *user;
} result_html;

static void html_put(const result_html *html, const char *markup) {
    html->write(html->user, markup, strlen(markup));
}

static void html_put_text(const result_html *html, const char *words) {
    crd_text text = words == NULL ? no_key : crd_text_of(words);
    for (size_t length; text.length > 0; text.bytes += length, text.length -= length) {
        const crd_text markup = crd_i_svg_escape(text, &length);
        html->write(html->user, markup.bytes, markup.length);
    }
}

static void html_write_heading(const result_html *html, const crd_result_node *node) {
    /* The page has its own heading above the result. */
    const bool is_part = node->prose.level <= 1, has_heading = node->prose.strong[0] != '\0';
    html_put(html, is_part ? "<h2>" : "<h3>");
    html_put_text(html, node->prose.strong);
    if (node->prose.remainder != NULL && node->prose.remainder[0] != '\0' && node->prose.style != CRD_HEADING_DRAWING) {
        html_put(html, has_heading ? "<span>" : "");
        html_put_text(html, node->prose.remainder);
        html_put(html, has_heading ? "</span>" : "");
    }
    html_put(html, is_part ? "</h2>\n" : "</h3>\n");
}

static void html_write_prose(const result_html *html, const crd_result_node *node) {
    switch (node->prose.style) {
    case CRD_TOP_HEADING:
    case CRD_HEADING:
    case CRD_HEADING_ABOVE:
    case CRD_HEADING_DRAWING: html_write_heading(html, node); return;
    case CRD_EMPTY_LINE: return;
    case CRD_LINE:
    case CRD_LIST_LINE:
    case CRD_PARAGRAPH:
    case CRD_REMARK: break;
    }
    html_put(html, node->prose.style == CRD_REMARK ? "<p class=\"remark\">" : "<p>");
    html_put_text(html, node->prose.opening);
    if (node->prose.strong != NULL && node->prose.strong[0] != '\0') {
        html_put(html, "<strong>");
        html_put_text(html, node->prose.strong);
        html_put(html, "</strong>");
    }
    html_put_text(html, node->prose.remainder);
    html_put(html, "</p>\n");
}

static bool html_is_seen(const crd_result_column *column) {
    return column->title != NULL && !column->is_drawing && !column->is_bar;
}

/* Begins or ends a cell. The first cell of a row is the row's header. */
static void html_begin_cell(const result_html *html, bool is_heading, bool is_first, bool is_left) {
    html_put(html, is_heading || is_first ? "<th" : "<td");
    html_put(html, is_heading ? " scope=\"col\"" : is_first ? " scope=\"row\"" : "");
    html_put(html, is_left ? " class=\"left\">" : ">");
}

static void html_end_cell(const result_html *html, bool is_heading, bool is_first) {
    html_put(html, is_heading || is_first ? "</th>" : "</td>");
}

static void html_write_title(const result_html *html, const char *title, bool is_heading, bool is_left) {
    html_begin_cell(html, is_heading, !is_heading, is_left);
    html_put_text(html, title);
    html_end_cell(html, is_heading, !is_heading);
}

static void html_write_cell(const result_html *html, const crd_result_cell *cell, bool is_heading, bool is_first,
                            bool is_left) {
    char digits[CRD_NUMBER_ROOM];
    html_begin_cell(html, is_heading, is_first, is_left);
    if (cell->shown != NULL) html_put_text(html, cell->shown);
    else if (cell->kind == CRD_CELL_NUMBER) html_put_text(html, crd_number_round(cell->number, digits));
    else if (cell->kind == CRD_CELL_COUNT) html_put_text(html, crd_number_count(cell->number, digits));
    else if (cell->kind == CRD_CELL_TEXT) html_put_text(html, cell->text);
    for (size_t i = 0; cell->shown == NULL && cell->kind == CRD_CELL_LIST && i < cell->length; i++) {
        html_put(html, i == 0 ? "" : ", ");
        html_put_text(html, crd_number_round(cell->list[i], digits));
    }
    html_end_cell(html, is_heading, is_first);
}

/* Returns whether people see a row, and counts it. */
static bool html_is_row_seen(const crd_result_table *t, size_t row, size_t *seen) {
    return (t->audiences[row] & CRD_FOR_PEOPLE) != 0 && (*seen)++ < t->rows_shown;
}

static void html_write_rows(const result_html *html, const crd_result_table *t) {
    bool is_first = true;
    if (t->is_headed) html_put(html, "<tr>");
    for (size_t c = 0; t->is_headed && c < t->column_count; c++) {
        if (!html_is_seen(&t->columns[c])) continue;
        html_write_title(html, t->columns[c].title, true, is_first || t->columns[c].is_left != 0);
        is_first = false;
    }
    if (t->is_headed) html_put(html, "</tr>\n");
    for (size_t row = 0, seen = 0; (row + 1) * t->column_count <= t->cell_count; row++) {
        if (!html_is_row_seen(t, row, &seen)) continue;
        html_put(html, "<tr>");
        is_first = true;
        for (size_t c = 0; c < t->column_count; c++) {
            if (!html_is_seen(&t->columns[c])) continue;
            html_write_cell(html, &t->cells[row * t->column_count + c], false, is_first,
                            is_first || t->columns[c].is_left != 0);
            is_first = false;
        }
        html_put(html, "</tr>\n");
    }
}

/* Writes one row per column. The first one is the heading. */
static void html_write_transposed(const result_html *html, const crd_result_table *t) {
    bool is_heading = true;
    for (size_t c = 0; c < t->column_count; c++) {
        if (!html_is_seen(&t->columns[c])) continue;
        html_put(html, "<tr>");
        html_write_title(html, c == 0 ? "" : t->columns[c].title, is_heading, true);
        for (size_t row = 0, seen = 0; (row + 1) * t->column_count <= t->cell_count; row++)
            if (html_is_row_seen(t, row, &seen))
                html_write_cell(html, &t->cells[row * t->column_count + c], is_heading, false, false);
        html_put(html, "</tr>\n");
        is_heading = false;
    }
}

static void html_write_table(const result_html *html, const crd_result_table *t) {
    bool is_seen = false;
    size_t rows = t->is_headed != 0;
    for (size_t c = 0; !t->is_hidden && c < t->column_count; c++) is_seen = is_seen || html_is_seen(&t->columns[c]);
    for (size_t i = 0, seen = 0; is_seen && rows == 0 && (i + 1) * t->column_count <= t->cell_count; i++)
        rows += html_is_row_seen(t, i, &seen);
    if (!is_seen || rows == 0) return;
    html_put(html, "<div class=\"table\"><table>\n");
    if (t->is_transposed) html_write_transposed(html, t);
    else html_write_rows(html, t);
    html_put(html, "</table></div>\n");
}

static void html_write_marked(const result_html *html, const crd_result_node *node) {
    html_put(html, "<p class=\"text\">");
    for (size_t i = 0; i < node->marked.count; i++) {
        const crd_text_mark mark = node->marked.pieces[i].mark;
        if (mark != CRD_MARK_NONE) html_put(html, mark == CRD_MARK_FOR ? "<mark>" : "<mark class=\"against\">");
        html_put_text(html, node->marked.pieces[i].text);
        if (mark != CRD_MARK_NONE) html_put(html, "</mark>");
    }
    html_put(html, "</p>\n");
}

static void html_write(const crd_result_node *nodes, size_t count, const result_html *html) {
    for (size_t i = 0; i < count; i++) {
        const crd_result_node *node = &nodes[i];
        if (node->type == CRD_RESULT_PROSE) html_write_prose(html, node);
        else if (node->type == CRD_RESULT_TABLE) html_write_table(html, node->table);
        else if (node->type == CRD_RESULT_MARKED) html_write_marked(html, node);
        else if (node->type == CRD_RESULT_PICTURE) {
            html_put(html, "<figure>");
            html_put(html, node->picture);
            html_put(html, "</figure>\n");
        }
    }
}

/* A page has no scripts and loads nothing. It follows the reader's light or dark mode, and prints in light mode. */
static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

static const char page_style[] =
    "<style>\n"
    ":root{--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#a0a9b3;--line:#353c45;"
    "--box:#1b222b}}\n"
    "body{margin:0 auto;max-width:1100px;padding:1rem 1.5rem 3rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .5rem}\n"
    "h2 span,h3 span{font-weight:400;color:var(--soft)}p{margin:.25rem 0}p.remark{color:var(--soft)}\n"
    "figure{margin:.5rem 0;overflow-x:auto;break-inside:avoid}div.table{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\n"
    "th{font-weight:600;background:var(--box)}.left{text-align:left}tr{break-inside:avoid}\n"
    "pre{overflow-x:auto;line-height:1.2}mark{background:none;color:inherit;border-bottom:3px solid #0072b2;"
    "font-weight:600}mark.against{border-bottom:3px dashed #c04f00}p.text{max-width:70ch}\n"
    "</style>\n";

static void html_begin_page(const result_html *html, const char *title) {
    html_put(html, page_head);
    html_put(html, "<title>");
    html_put_text(html, title);
    html_put(html, "</title>\n");
    html_put(html, page_style);
    html_put(html, "</head>\n<body>\n<main>\n<h1>");
    html_put_text(html, title);
    html_put(html, "</h1>\n");
}

static void result_write_html(const crd_result *result, const char *title, const result_html *html) {
    size_t count;
    const crd_result_node *nodes = crd_result_nodes(result, &count);
    if (title != NULL) html_begin_page(html, title);
    html_write(nodes, count, html);
    if (title != NULL) html_put(html, "</main>\n</body>\n</html>\n");
}

/* ======== 5. Any format ======== */

static const crd_result_table *result_main_table(const crd_result_node *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i].type == CRD_RESULT_TABLE && nodes[i].table->is_main) return nodes[i].table;
    return NULL;
}

static bool result_write_csv(const crd_result *result, crd_result_sink *write, void *user) {
    size_t count;
    const crd_result_node *nodes = crd_result_nodes(result, &count);
    const crd_result_table *table = result_main_table(nodes, count);
    result_csv csv = {.write = write, .user = user, .path = {.context = crd_result_context(result)}};
    if (table != NULL) csv_write_table(&csv, table);
    else crd_result_visit(result, result_csv_write, &csv);
    crd_i_buffer_clear(&csv.path);
    crd_free(crd_result_context(result), csv.open);
    return !csv.has_failed;
}

crd_status crd_result_write(const crd_result *result, crd_result_syntax syntax, const char *title,
                            crd_result_sink *write, void *user, crd_error *error) {
    crd_status status = crd_result_check(result, error);
    if (status != CRD_OK) return status;
    if (syntax == CRD_RESULT_HTML) {
        result_write_html(result, title, &(result_html){write, user});
    } else if (syntax == CRD_RESULT_CSV) {
        if (!result_write_csv(result, write, user)) return crd_i_fail_memory(error);
    } else {
        result_json json = {.writer = {.write = write, .user = user, .lines = syntax == CRD_RESULT_JSON_LINE}};
        crd_result_visit(result, result_json_write, &json);
        if (json.has_values) crd_json_writer_break_line(&json.writer);
    }
    return CRD_OK;
}
