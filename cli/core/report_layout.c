/* SPDX-License-Identifier: MIT */
/* report_layout.c - code that the formats for people share: table cells as displayed, curves and graphs in
 * characters. */
#include "core/character_plot.h"
#include "core/graph_drawing.h"
#include "core/report_renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

typedef struct layout {
    const crd_result_table *report;
    const output *out;
    bool is_brief;
    size_t half;
    table *table;
} layout;

static bool is_column_seen(const layout *l, const crd_result_column *column) {
    return column->title != NULL && (!column->is_bar || l->half > 0);
}

static void add_bar(layout *l, double fraction) {
    string bar = {0};
    plot_bar(&bar, isnan(fraction) ? 0 : fraction, l->half);
    bool is_colored = fraction > 0 || fraction < 0;
    table_format(l->table, "%s%s%s",
                 is_colored ? output_style_code(l->out, fraction > 0 ? STYLE_FOR : STYLE_AGAINST) : "",
                 string_text(&bar), is_colored ? output_style_code(l->out, STYLE_PLAIN) : "");
    string_free(&bar);
}

static void add_list(layout *l, const crd_result_cell *cell) {
    char buffer[CRD_NUMBER_ROOM];
    string text = {0};
    for (size_t i = 0; i < cell->length; i++)
        string_format(&text, "%s%s", i == 0 ? "" : ", ", crd_number_round(cell->list[i], buffer));
    table_add(l->table, string_text(&text));
    string_free(&text);
}

static void report_layout_add_cell(layout *l, const crd_result_cell *cell) {
    char buffer[CRD_NUMBER_ROOM];
    const char *shown = l->is_brief && cell->brief != NULL ? cell->brief : cell->shown;
    if (shown != NULL) {
        table_add(l->table, shown);
        return;
    }
    switch (cell->kind) {
    case CRD_CELL_NUMBER: table_add(l->table, crd_number_round(cell->number, buffer)); break;
    case CRD_CELL_COUNT: table_add(l->table, crd_number_count(cell->number, buffer)); break;
    case CRD_CELL_TEXT: table_add(l->table, cell->text); break;
    case CRD_CELL_LIST: add_list(l, cell); break;
    case CRD_CELL_BAR: add_bar(l, cell->number); break;
    case CRD_CELL_ABSENT:
    case CRD_CELL_NULL: table_add(l->table, ""); break;
    }
}

static const crd_result_cell *report_layout_cell(const crd_result_table *t, size_t row, size_t column) {
    return &t->cells[row * t->column_count + column];
}

/* Returns the indexes of the rows that people see. The caller frees them. */
static size_t *report_layout_find_rows(const crd_result_table *t, size_t *count) {
    size_t rows = t->column_count == 0 ? 0 : t->cell_count / t->column_count;
    size_t *seen = memory_resize(NULL, rows, sizeof *seen);
    *count = 0;
    for (size_t i = 0; i < rows && *count < t->rows_shown; i++)
        if ((t->audiences[i] & CRD_FOR_PEOPLE) != 0) seen[(*count)++] = i;
    return seen;
}

static void lay_out_rows(layout *l, const size_t *rows, size_t count) {
    const crd_result_table *t = l->report;
    size_t columns = 0;
    for (size_t c = 0; c < t->column_count; c++) columns += is_column_seen(l, &t->columns[c]);
    l->table = table_create_for(l->out, columns);
    if (!t->is_headed) table_omit_heading(l->table);
    for (size_t c = 0, index = 0; c < t->column_count; c++) {
        if (!is_column_seen(l, &t->columns[c])) continue;
        if (t->columns[c].is_left) table_align_left(l->table, index);
        if (t->is_headed) table_add(l->table, t->columns[c].title);
        index++;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < t->column_count; c++)
            if (is_column_seen(l, &t->columns[c])) report_layout_add_cell(l, report_layout_cell(t, rows[i], c));
}

static void lay_out_transposed(layout *l, const size_t *rows, size_t count) {
    const crd_result_table *t = l->report;
    l->table = table_create_for(l->out, count + 1);
    for (size_t c = 0; c < t->column_count; c++) {
        if (!is_column_seen(l, &t->columns[c])) continue;
        table_add(l->table, c == 0 ? "" : t->columns[c].title);
        for (size_t i = 0; i < count; i++) report_layout_add_cell(l, report_layout_cell(t, rows[i], c));
    }
}

static bool report_layout_is_seen(const crd_result_table *t) {
    for (size_t c = 0; !t->is_hidden && c < t->column_count; c++)
        if (t->columns[c].title != NULL) return true;
    return false;
}

table *report_lay_out(const crd_result_table *t, const output *out, bool brief, size_t half_of_bars) {
    if (!report_layout_is_seen(t)) return NULL;
    layout l = {.report = t, .out = out, .is_brief = brief, .half = half_of_bars};
    size_t count = 0, *rows = report_layout_find_rows(t, &count);
    if (t->is_transposed) lay_out_transposed(&l, rows, count);
    else lay_out_rows(&l, rows, count);
    free(rows);
    return l.table;
}

/* ---- Curves ---- */

enum { LEAST_POINTS = 20, MOST_POINTS = 60, USUAL_WIDTH = 80, BESIDE_CURVE = 6 };

static size_t count_points(const crd_result_curves *curves, const output *out) {
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width, widest = 0;
    for (size_t i = 0; curves->name != NULL && curves->lines <= 1 && i < curves->count; i++) {
        crd_text name = curves->name(curves->user, i);
        size_t taken = text_width(name.bytes, name.length);
        if (taken > widest) widest = taken;
    }
    size_t points = width > widest + BESIDE_CURVE + LEAST_POINTS ? width - widest - BESIDE_CURVE : LEAST_POINTS;
    if (points > MOST_POINTS) points = MOST_POINTS;
    double steps = curves->upper - curves->lower;
    if (curves->is_discrete && steps < (double)points) points = (size_t)steps + 1;
    return points;
}

static void report_layout_trim(string *line) {
    while (line->length > 0 && line->bytes[line->length - 1] == ' ') line->bytes[--line->length] = '\0';
}

static void pad_to(string *line, size_t length) {
    while (line->length < length) string_add_char(line, ' ');
}

/* Adds the axis below the curves: its ends, and its middle if there is space. */
static void add_axis(string *line, double start, double upper, size_t points) {
    char left[CRD_NUMBER_ROOM], middle[CRD_NUMBER_ROOM], right[CRD_NUMBER_ROOM];
    crd_number_round(start, left);
    crd_number_round(start + (upper - start) / 2, middle);
    crd_number_round(upper, right);
    string_format(line, "%s", left);
    size_t middle_at = points / 2 - strlen(middle) / 2, right_at = points > strlen(right) ? points - strlen(right) : 0;
    if (line->length < middle_at && middle_at + strlen(middle) < right_at) {
        pad_to(line, middle_at);
        string_format(line, "%s", middle);
    }
    pad_to(line, right_at > line->length ? right_at : line->length + 1);
    string_format(line, "%s", right);
}

static double *find_heights(const crd_result_curves *curves, size_t points) {
    double *heights = memory_resize(NULL, points * curves->count, sizeof *heights), highest = 0;
    for (size_t i = 0; i < points * curves->count; i++) {
        double x = curves->lower + (curves->upper - curves->lower) * (double)(i % points) / (double)(points - 1);
        heights[i] = curves->height(curves->user, i / points, curves->is_discrete ? floor(x + 0.5) : x);
        if (isfinite(heights[i]) && heights[i] > highest) highest = heights[i];
    }
    if (curves->top > 0) highest = curves->top;
    for (size_t i = 0; i < points * curves->count; i++) heights[i] = highest > 0 ? heights[i] / highest : 0;
    return heights;
}

/* Draws one curve in several lines, with its name above them and the scale on the left. */
static void draw_tall(const crd_result_curves *curves, size_t curve, const double *heights, size_t points,
                      const output *out, size_t indent) {
    char top[CRD_NUMBER_ROOM];
    table *t = table_create(2);
    string line = {0};
    table_omit_heading(t);
    table_align_left(t, 1);
    for (size_t i = curves->lines; i-- > 0;) {
        string_clear(&line);
        plot_curve_line(&line, heights, points, i, curves->lines);
        report_layout_trim(&line);
        table_add(t, i + 1 == curves->lines ? crd_number_round(curves->top, top) : i == 0 ? "0" : "");
        table_add(t, string_text(&line));
    }
    string_clear(&line);
    add_axis(&line, curves->lower, curves->upper, points);
    table_add(t, "");
    table_add(t, string_text(&line));
    crd_text name = curves->name(curves->user, curve);
    fprintf(out->stream, "\n%*s%.*s\n", (int)indent, "", (int)name.length, name.bytes);
    table_print(t, out->stream, indent, 0);
    table_destroy(t);
    string_free(&line);
}

bool report_draw(const crd_result_curves *curves, const output *out, size_t indent) {
    if (!isfinite(curves->lower) || !isfinite(curves->upper) || !(curves->upper > curves->lower)) return false;
    size_t points = count_points(curves, out);
    if (points < 2) return false;
    bool has_names = curves->name != NULL;
    double *heights = find_heights(curves, points);
    for (size_t i = 0; curves->lines > 1 && i < curves->count; i++)
        draw_tall(curves, i, heights + i * points, points, out, indent);
    if (curves->lines > 1) {
        free(heights);
        return true;
    }
    table *t = table_create(has_names ? 2 : 1);
    string line = {0};
    if (has_names) table_align_left(t, 1);
    for (size_t i = 0; i < curves->count; i++) {
        string_clear(&line);
        plot_curve(&line, heights + i * points, points);
        report_layout_trim(&line);
        if (has_names) table_add_name(t, curves->name(curves->user, i));
        table_add(t, string_text(&line));
    }
    string_clear(&line);
    add_axis(&line, curves->lower, curves->upper, points);
    if (has_names) table_add(t, "");
    table_add(t, string_text(&line));
    fputc('\n', out->stream);
    table_print(t, out->stream, indent, 0);
    table_destroy(t);
    string_free(&line);
    free(heights);
    return true;
}

/* ---- Graphs ---- */

/* Returns whether the locale of the terminal is not UTF-8. Such a terminal may have no line-drawing characters. */
static bool is_plain_terminal(const output *out) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; out->to_terminal && i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value == NULL || value[0] == '\0') continue;
        return strstr(value, "UTF-8") == NULL && strstr(value, "utf8") == NULL && strstr(value, "UTF8") == NULL &&
               strstr(value, "utf-8") == NULL;
    }
    return false;
}

void report_draw_graph(const crd_result_graph *g, const output *out, size_t indent) {
    string lines = {0};
    graph_draw(&lines, g, out->width == 0 ? USUAL_WIDTH : out->width, indent, is_plain_terminal(out));
    fputs(string_text(&lines), out->stream);
    string_free(&lines);
}
