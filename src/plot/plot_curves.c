/* SPDX-License-Identifier: MIT */
/* plot_curves.c - curves over common axes, and densities under each class. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_axes.h"

#include <math.h>

enum { FRAME = 260, MOST_SERIES = 1000, MOST_POINTS = 100000000 };

static crd_status check_series(const crd_plot_series *series, size_t count, crd_error *error) {
    if (count > MOST_SERIES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d series", MOST_SERIES);
    for (size_t i = 0; i < count; i++)
        if (series[i].count > MOST_POINTS)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "a series has more than %d points", MOST_POINTS);
    return CRD_OK;
}

static void cover(crd_i_plot_axis *axis, const crd_plot_series *series, size_t count, bool is_y) {
    crd_i_plot_axis_begin(axis);
    for (size_t i = 0; i < count; i++) crd_i_plot_axis_cover(axis, is_y ? series[i].y : series[i].x, series[i].count);
}

/* Points nearer than half a pixel to the one before are left out, but for the last. Where a value is NaN the line is broken. */
static void draw_line(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                      bool is_steps) {
    bool is_begun = false;
    double last_x = 0, last_y = 0;
    crd_i_svg_open_path(svg, "crd-curve crd-s", number);
    for (size_t i = 0; i < series->count; i++) {
        if (isnan(series->x[i]) || isnan(series->y[i])) {
            is_begun = false;
            continue;
        }
        double x = crd_i_plot_axis_at(&axes->x, series->x[i]), y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        if (is_begun && i + 1 < series->count && fabs(x - last_x) < 0.5 && fabs(y - last_y) < 0.5) continue;
        if (is_begun && is_steps) crd_i_svg_point(svg, 'L', x, last_y);
        crd_i_svg_point(svg, is_begun ? 'L' : 'M', x, y);
        is_begun = true;
        last_x = x;
        last_y = y;
    }
    crd_i_svg_close_path(svg);
}

static void set_range(crd_i_plot_axis *axis, double least, double greatest) {
    if (isfinite(least)) axis->least = least;
    if (isfinite(greatest)) axis->greatest = greatest;
}

static void draw_curves(crd_i_svg *svg, const crd_plot_curves *of) {
    crd_i_plot_axes axes;
    cover(&axes.x, of->series, of->count, false);
    cover(&axes.y, of->series, of->count, true);
    set_range(&axes.x, of->x_least, of->x_greatest);
    set_range(&axes.y, of->y_least, of->y_greatest);
    crd_i_plot_axes_legend(svg, of->series, of->count);
    crd_i_plot_axes_draw(svg, &axes, FRAME, of->x_name, of->y_name, true);
    if (of->reference == CRD_PLOT_DIAGONAL)
        crd_i_svg_line(svg, "crd-reference", axes.x.from, axes.y.from, axes.x.to, axes.y.to);
    double level = crd_i_plot_axis_at(&axes.y, of->level);
    if (of->reference == CRD_PLOT_HORIZONTAL)
        crd_i_svg_line(svg, "crd-reference", axes.x.from, level, axes.x.to, level);
    for (size_t i = 0; i < of->count; i++) draw_line(svg, &axes, &of->series[i], i, of->are_steps);
}

crd_status crd_plot_draw_curves(crd_context *context, const crd_plot_curves *given, const crd_plot_options *options,
                                char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_curves of = CRD_PLOT_CURVES_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    crd_i_svg to;
    crd_status status = check_series(of.series, of.count, error);
    if (status != CRD_OK) return status;
    status = crd_i_svg_begin(&to, context, options, 420, error);
    if (status == CRD_OK) {
        draw_curves(&to, &of);
        status = crd_i_svg_finish(&to, options, "Curves", crd_text_of("A curve for each series."), svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}

/* ---- Densities ---- */

static void draw_area(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number) {
    bool is_begun = false;
    double x = 0;
    crd_i_svg_open_path(svg, "crd-area crd-f", number);
    for (size_t i = 0; i < series->count; i++) {
        if (isnan(series->x[i]) || isnan(series->y[i])) continue;
        x = crd_i_plot_axis_at(&axes->x, series->x[i]);
        if (!is_begun) crd_i_svg_point(svg, 'M', x, axes->y.from);
        crd_i_svg_point(svg, 'L', x, crd_i_plot_axis_at(&axes->y, series->y[i]));
        is_begun = true;
    }
    if (is_begun) crd_i_svg_point(svg, 'L', x, axes->y.from);
    crd_i_svg_close_path(svg);
}

static void draw_densities(crd_i_svg *svg, const crd_plot_densities *of) {
    static const double zero = 0;
    char text[CRD_I_PLOT_NUMBER_ROOM];
    crd_i_plot_axes axes;
    cover(&axes.x, of->series, of->count, false);
    crd_i_plot_axis_cover(&axes.x, of->cut_points, of->cut_point_count);
    cover(&axes.y, of->series, of->count, true);
    crd_i_plot_axis_cover(&axes.y, &zero, 1);
    crd_i_plot_axes_legend(svg, of->series, of->count);
    if (of->cut_point_count > 0) svg->height += 14;
    crd_i_plot_axes_draw(svg, &axes, FRAME * 0.7, of->x_name, (crd_text){"density", 7}, true);
    for (size_t i = 0; i < of->count; i++) {
        draw_area(svg, &axes, &of->series[i], i);
        draw_line(svg, &axes, &of->series[i], i, false);
    }
    double free_from = 0;
    for (size_t i = 0; i < of->cut_point_count; i++) {
        if (!isfinite(of->cut_points[i])) continue;
        double x = crd_i_plot_axis_at(&axes.x, of->cut_points[i]);
        crd_i_svg_line(svg, "crd-reference", x, axes.y.to, x, axes.y.from);
        crd_text label = crd_text_of(crd_i_plot_number(of->cut_points[i], text));
        double half = crd_i_svg_text_width(label) / 2;
        if (x - half < free_from) continue;
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, axes.y.to - 4, label, 0);
        free_from = x + half + 4;
    }
}

crd_status crd_plot_draw_densities(crd_context *context, const crd_plot_densities *given,
                                   const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_densities of = CRD_PLOT_DENSITIES_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    crd_status status = check_series(of.series, of.count, error);
    if (status != CRD_OK) return status;
    if (of.cut_point_count > MOST_POINTS)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d cut points", MOST_POINTS);
    crd_i_svg to;
    status = crd_i_svg_begin(&to, context, options, 480, error);
    if (status == CRD_OK) {
        draw_densities(&to, &of);
        status = crd_i_svg_finish(&to, options, "Densities", crd_text_of("The density under each class."), svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}
