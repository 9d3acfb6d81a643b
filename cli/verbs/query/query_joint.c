/* SPDX-License-Identifier: MIT */
/* query_joint.c - see query_joint.h. */
#include "verbs/query/query_joint.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

size_t joint_cells(const joint_distribution *j) {
    size_t cells = 1;
    for (size_t i = 0; i < j->count; i++) cells *= j->sizes[i];
    return cells;
}

size_t joint_value(const joint_distribution *j, size_t cell, size_t variable) {
    for (size_t i = j->count; i-- > variable + 1;) cell /= j->sizes[i];
    return cell % j->sizes[variable];
}

/* Adds the table columns: one per variable, the probability and, for estimates, the standard error. */
static void query_joint_add_columns(crd_result_table *t, const joint_distribution *j) {
    bool is_headed = j->count > 1 || j->has_errors;
    for (size_t i = 0; i < j->count; i++) {
        const char *shown = j->count > 1 ? crd_result_show(t->result, j->names[i]) : "";
        crd_result_add_column(t, "value", j->is_hidden ? NULL : shown)->is_left = true;
    }
    crd_result_add_column(t, "probability", j->is_hidden ? NULL : j->has_errors ? "probability" : "");
    if (j->has_errors && !j->is_hidden) crd_result_add_column(t, NULL, "error");
    t->is_headed = is_headed;
}

/* ---- Plots ---- */

/* Returns plot options with a title such as "P(Outlook, Play | Wind=Weak)". */
static crd_plot_options query_joint_options(crd_result *r, const joint_distribution *j) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    string title = {0};
    string_format(&title, "P(");
    for (size_t i = 0; i < j->count; i++) {
        string_format(&title, "%s", i == 0 ? "" : ", ");
        string_add_shown(&title, j->names[i]);
    }
    if (j->given != NULL && j->given[0] != '\0') string_format(&title, " | %s", j->given);
    string_format(&title, ")");
    options.title = crd_text_of(report_take(r, &title));
    return options;
}

static double probability_at(const crd_result_table *t, const joint_distribution *j, size_t cell) {
    return t->cells[cell * t->column_count + j->count].number;
}

/* Returns the text of a value. The report owns the text. */
static crd_text query_joint_value(crd_result *r, const joint_distribution *j, size_t variable, size_t value) {
    char buffer[CRD_NUMBER_ROOM];
    return crd_text_of(crd_result_show(r, j->value(j->data, variable, value, buffer)));
}

/* Draws one bar per combination of values. */
static int query_joint_draw_bars(crd_result *r, const crd_result_table *t, const joint_distribution *j) {
    size_t cells = joint_cells(j), count = 0;
    crd_plot_bar *bars = memory_resize(NULL, cells, sizeof *bars);
    for (size_t cell = 0; cell < cells; cell++) {
        string name = {0};
        if (j->is_seen != NULL && !j->is_seen(j->data, cell)) continue;
        for (size_t i = 0; i < j->count; i++)
            string_format(&name, "%s%s", i == 0 ? "" : ", ", query_joint_value(r, j, i, joint_value(j, cell, i)).bytes);
        bars[count++] = (crd_plot_bar){crd_text_of(report_take(r, &name)), {NULL, 0}, probability_at(t, j, cell)};
    }
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = query_joint_options(r, j);
    char *svg = NULL;
    crd_error error;
    plot.bars = bars;
    plot.count = count;
    plot.are_probabilities = 1;
    crd_status status = crd_plot_draw_bars(crd_result_context(r), &plot, &options, &svg, &error);
    free(bars);
    return report_add_picture(r, status, &svg, &error);
}

/* Draws two variables as a grid of rows and columns. */
static int draw_grid(crd_result *r, const crd_result_table *t, const joint_distribution *j) {
    crd_text *rows = memory_resize(NULL, j->sizes[0], sizeof *rows);
    crd_text *columns = memory_resize(NULL, j->sizes[1], sizeof *columns);
    double *cells = memory_resize(NULL, joint_cells(j), sizeof *cells);
    for (size_t i = 0; i < j->sizes[0]; i++) rows[i] = query_joint_value(r, j, 0, i);
    for (size_t i = 0; i < j->sizes[1]; i++) columns[i] = query_joint_value(r, j, 1, i);
    for (size_t i = 0; i < joint_cells(j); i++) cells[i] = probability_at(t, j, i);
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = query_joint_options(r, j);
    char *svg = NULL;
    crd_error error;
    plot.row_name = j->names[0];
    plot.rows = rows;
    plot.row_count = j->sizes[0];
    plot.states = columns;
    plot.state_count = j->sizes[1];
    plot.probabilities = cells;
    options.width = fmin(980, 180 + 130 * (double)j->sizes[1]);
    crd_status status = crd_plot_draw_table(crd_result_context(r), &plot, &options, &svg, &error);
    free(rows);
    free(columns);
    free(cells);
    return report_add_picture(r, status, &svg, &error);
}

static int query_joint_draw(crd_result *r, const crd_result_table *t, const joint_distribution *j) {
    enum { MOST_COLUMNS = 12 };
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || !j->is_drawn) return ENDED_WELL;
    bool is_grid = j->count == 2 && j->sizes[1] <= MOST_COLUMNS;
    return is_grid ? draw_grid(r, t, j) : query_joint_draw_bars(r, t, j);
}

int joint_report(crd_result *r, crd_text key, const joint_distribution *j) {
    char buffer[CRD_NUMBER_ROOM];
    size_t cells = joint_cells(j), seen = 0;
    crd_result_key(r, key);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->shape = CRD_TABLE_NESTED;
    if (!j->all) t->rows_shown = QUERY_VALUES_SHOWN;
    query_joint_add_columns(t, j);
    for (size_t cell = 0; cell < cells; cell++) {
        bool is_seen = j->is_seen == NULL || j->is_seen(j->data, cell);
        seen += is_seen;
        t->audience = is_seen ? CRD_FOR_ALL : CRD_FOR_JSON;
        for (size_t i = 0; i < j->count; i++) crd_cell_name(t, j->value(j->data, i, joint_value(j, cell, i), buffer));
        j->add(t, j->data, cell);
    }
    if (!j->is_hidden && seen > t->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu more (--all)", seen - t->rows_shown);
    return query_joint_draw(r, t, j);
}

void joint_add_key(string *out, const crd_text *names, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) string_add_char(out, ',');
        string_add(out, names[columns[i]].bytes, names[columns[i]].length);
    }
}
