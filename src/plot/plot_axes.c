/* SPDX-License-Identifier: MIT */
/* plot_axes.c - draws a frame with two axes and a legend, and the series in it. See svg.h.
 *
 * Contents:
 *   1. Axes and legend
 *   2. Series */
#include "plot/svg.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* ======== 1. Axes and legend ======== */

enum { LEFT = 60, RIGHT = 20, BOTTOM = 40, GAP = 8 };

void crd_i_plot_axes_draw(crd_i_svg *svg, crd_i_plot_axes *axes, double height, crd_text x_name, crd_text y_name) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double top = svg->height + 4, bottom = top + height, left = LEFT, value;
    double right = svg->width - RIGHT;
    if (y_name.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, GAP, top + 8, y_name, svg->width - 2 * GAP);
        top += 18;
        bottom += 18;
    }
    top += axes->headroom;
    bottom += axes->headroom;
    crd_i_plot_axis_place(&axes->x, left, right, (size_t)fmax(2, fmin(8, (right - left) / 60)));
    crd_i_plot_axis_place(&axes->y, bottom, top, (size_t)fmax(2, fmin(5, height / 40)));
    for (size_t i = 0; crd_i_plot_axis_tick(&axes->y, i, &value, text); i++) {
        double y = crd_i_plot_axis_at(&axes->y, value);
        crd_i_svg_line(svg, "crd-grid", left, y, right, y);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, left - 6, y + 4, crd_text_of(text), 0);
    }
    for (size_t i = 0; crd_i_plot_axis_tick(&axes->x, i, &value, text); i++) {
        double x = crd_i_plot_axis_at(&axes->x, value);
        crd_i_svg_line(svg, "crd-grid", x, top, x, bottom);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, bottom + 16, crd_text_of(text), 0);
    }
    crd_i_svg_line(svg, "crd-axis", left, bottom, right, bottom);
    crd_i_svg_line(svg, "crd-axis", left, top, left, bottom);
    if (x_name.length > 0)
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, (left + right) / 2, bottom + 33, x_name, right - left);
    svg->height = bottom + (x_name.length > 0 ? BOTTOM : BOTTOM / 2.0);
}

void crd_i_plot_axes_legend(crd_i_svg *svg, const crd_plot_series *series, size_t count) {
    enum { ROW = 18, SAMPLE = 26, MOST = 220 };
    double x = GAP;
    bool has_names = false;
    for (size_t i = 0; i < count; i++) has_names = has_names || series[i].name.length > 0;
    if (!has_names) return;
    for (size_t i = 0; i < count; i++) {
        double name = fmin(crd_i_svg_text_width(series[i].name), MOST), width = SAMPLE + 6 + name + 16;
        if (x > GAP && x + width > svg->width) {
            x = GAP;
            svg->height += ROW;
        }
        crd_i_svg_open_curve(svg, i);
        crd_i_svg_point(svg, 'M', x, svg->height + 9);
        crd_i_svg_point(svg, 'L', x + SAMPLE, svg->height + 9);
        crd_i_svg_close_path(svg);
        crd_i_svg_label(svg, "", CRD_I_SVG_START, x + SAMPLE + 6, svg->height + 13, series[i].name, name + 1);
        x += width;
    }
    svg->height += ROW + 4;
}

/* ======== 2. Series ========
 *
 * Lines and areas are thinned to the points that are visible. */

enum { MOST_SERIES = 1000, MOST_POINTS = 100000000 };

crd_status crd_i_plot_check_series(const crd_plot_series *series, size_t count, crd_error *error) {
    if (count > MOST_SERIES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d series", MOST_SERIES);
    for (size_t i = 0; i < count; i++)
        if (series[i].count > MOST_POINTS)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "a series has more than %d points", MOST_POINTS);
    return CRD_OK;
}

void crd_i_plot_cover(crd_i_plot_axis *axis, const crd_plot_series *series, size_t count, bool is_y) {
    crd_i_plot_axis_begin(axis);
    for (size_t i = 0; i < count; i++) crd_i_plot_axis_cover(axis, is_y ? series[i].y : series[i].x, series[i].count);
}

/* The points that are drawn in a column half a pixel wide: the first, the lowest, the highest and the last, in their
 * original order. */
typedef struct line_column {
    double column;
    size_t count;
    double x[4], y[4];
} line_column;

typedef struct line_drawing {
    crd_i_svg *svg;
    line_column column;
    bool is_begun, is_steps;
    double base;           /* pixel row where an area ends; NaN: draw a line */
    double last_x, last_y; /* last point that was written */
} line_drawing;

static void write_point(line_drawing *line, double x, double y) {
    bool is_area = !isnan(line->base);
    if (!line->is_begun && is_area) crd_i_svg_point(line->svg, 'M', x, line->base);
    if (line->is_begun && line->is_steps) crd_i_svg_point(line->svg, 'L', x, line->last_y);
    crd_i_svg_point(line->svg, line->is_begun || is_area ? 'L' : 'M', x, y);
    line->is_begun = true;
    line->last_x = x;
    line->last_y = y;
}

/* Writes the points kept for the column: at most the first, the lowest and the highest in their order, and the last. */
static void plot_lines_write_column(line_drawing *line) {
    line_column *own_column = &line->column;
    for (size_t i = 0; i < own_column->count; i++) write_point(line, own_column->x[i], own_column->y[i]);
    own_column->count = 0;
}

static void end_line(line_drawing *line) {
    plot_lines_write_column(line);
    if (line->is_begun && !isnan(line->base)) crd_i_svg_point(line->svg, 'L', line->last_x, line->base);
    line->is_begun = false;
}

/* Adds a point to a column. Slot 0 holds the first point, slots 1 and 2 the lowest and highest in their original order,
 * and slot 3 the last. A column with fewer than four points stores them in sequence. */
static void keep_point(line_column *column, double x, double y) {
    if (column->count < 4) {
        column->x[column->count] = x;
        column->y[column->count++] = y;
        return;
    }
    /* If the previous last point is a new extreme, it replaces the extreme that is no longer one. */
    double low = fmin(column->y[1], column->y[2]), high = fmax(column->y[1], column->y[2]), before = column->y[3];
    if (before < low || before > high) {
        size_t kept = (before < low) == (column->y[1] > column->y[2]) ? 1 : 2;
        column->x[1] = column->x[kept];
        column->y[1] = column->y[kept];
        column->x[2] = column->x[3];
        column->y[2] = before;
    }
    column->x[3] = x;
    column->y[3] = y;
}

void crd_i_plot_line(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, bool is_steps,
                     double base) {
    line_drawing line = {.svg = svg, .is_steps = is_steps, .base = base};
    for (size_t i = 0; i < series->count; i++) {
        if (isnan(series->x[i]) || isnan(series->y[i])) {
            end_line(&line);
            continue;
        }
        double x = crd_i_plot_axis_at(&axes->x, series->x[i]), y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        double column = floor(2 * x);
        if (line.column.count > 0 && column != line.column.column) plot_lines_write_column(&line);
        line.column.column = column;
        keep_point(&line.column, x, y);
    }
    end_line(&line);
}

void crd_i_plot_curve(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                      bool is_steps) {
    char text[CRD_I_PLOT_NUMBER_ROOM + 16] = "";
    crd_i_plot_number((double)series->count, text);
    memcpy(text + strlen(text), " points", sizeof " points");
    crd_i_svg_describe(svg, series->name, text);
    crd_i_svg_open_curve(svg, number);
    crd_i_plot_line(svg, axes, series, is_steps, NAN);
    crd_i_svg_close_path(svg);
    /* A line through a single point is invisible, so a dot is drawn. */
    if (series->count == 1 && !isnan(series->x[0]) && !isnan(series->y[0]))
        crd_i_svg_circle(svg, "crd-f", number, crd_i_plot_axis_at(&axes->x, series->x[0]),
                         crd_i_plot_axis_at(&axes->y, series->y[0]), 3);
}
