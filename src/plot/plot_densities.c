/* SPDX-License-Identifier: MIT */
/* plot_densities.c - draws the density under each class, with cut points, decision regions and shaded probabilities. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

enum { FRAME = 182, MOST_MARKS = 1000000, STRIP = 18 };

/* Maximum number of points of a discrete series that are drawn as separate stems and dots. A longer series is drawn as
 * a line. */
enum { MOST_DOTS = 80 };

static bool is_inside(const crd_i_plot_axis *axis, double x) {
    return x >= axis->least && x <= axis->greatest;
}

/* ---- Cut points ---- */

/* Draws a dashed vertical line at each cut point, and its value above unless labels would overlap. */
static void draw_cut_points(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *densities) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double free_from = 0;
    for (size_t i = 0; i < densities->cut_point_count; i++) {
        /* Cut points outside the drawn range are skipped. */
        if (!is_inside(&axes->x, densities->cut_points[i])) continue;
        double x = crd_i_plot_axis_at(&axes->x, densities->cut_points[i]);
        crd_i_svg_line(svg, "crd-reference", x, axes->y.end, x, axes->y.start);
        crd_text label = crd_text_of(crd_i_plot_number(densities->cut_points[i], text));
        double half = crd_i_svg_text_width(label) / 2;
        if (x - half < free_from) continue;
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, axes->y.end - 4, label, 0);
        free_from = x + half + 4;
    }
}

/* ---- Decision regions: a strip below the axis ---- */

/* Draws the strip of one decision region, with the class name in it if there is enough space. */
static void draw_region(crd_i_svg *svg, const crd_i_plot_axis *axis, const crd_plot_densities *densities,
                        const crd_plot_region *region, double y) {
    char text[2 * CRD_I_PLOT_NUMBER_ROOM + 8], to_text[CRD_I_PLOT_NUMBER_ROOM];
    const crd_text name = densities->series[region->series].name;
    const double start = crd_i_plot_axis_at(axis, region->from), upper = crd_i_plot_axis_at(axis, region->to);
    crd_i_plot_number(region->from, text);
    crd_i_plot_number(region->to, to_text);
    size_t length = strlen(text);
    memcpy(text + length, " to ", 4);
    memcpy(text + length + 4, to_text, strlen(to_text) + 1);
    crd_i_svg_describe(svg, name, text);
    crd_i_svg_open_group(svg, name);
    crd_i_svg_shade(svg, region->series, 0.3, start, y, upper - start, STRIP);
    crd_i_svg_close_group(svg);
    if (upper - start > 24)
        crd_i_svg_label(svg, "", CRD_I_SVG_MIDDLE, (start + upper) / 2, y + 13, name, upper - start - 6);
    crd_i_svg_line(svg, "crd-axis", start, y, start, y + STRIP);
    crd_i_svg_line(svg, "crd-axis", upper, y, upper, y + STRIP);
}

static void draw_regions(crd_i_svg *svg, const crd_i_plot_axis *axis, const crd_plot_densities *densities) {
    if (densities->region_count == 0) return;
    crd_i_svg_label(svg, "crd-soft crd-small", CRD_I_SVG_END, axis->start - 6, svg->height + 13,
                    (crd_text){"decision", 8}, 0);
    for (size_t i = 0; i < densities->region_count; i++)
        if (densities->regions[i].to > densities->regions[i].from)
            draw_region(svg, axis, densities, &densities->regions[i], svg->height);
    svg->height += STRIP + 6;
}

/* ---- Shaded probabilities ---- */

/* Returns the height of a series at x, interpolated linearly between its points. */
static double plot_densities_height(const crd_plot_series *series, double x) {
    for (size_t i = 1; i < series->count; i++) {
        const double start = series->x[i - 1], upper = series->x[i];
        if (!(x >= start && x <= upper)) continue;
        const double part = upper > start ? (x - start) / (upper - start) : 0;
        return series->y[i - 1] + part * (series->y[i] - series->y[i - 1]);
    }
    return 0;
}

/* Shades a discrete series: the stems whose values are in the interval. */
static void shade_stems(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series,
                        const crd_plot_interval *shade, size_t number) {
    enum { WIDTH = 8 };
    crd_i_svg_open_group(svg, shade->label);
    for (size_t i = 0; i < series->count; i++) {
        if (!(series->x[i] >= shade->from && series->x[i] <= shade->to) || isnan(series->y[i])) continue;
        const double x = crd_i_plot_axis_at(&axes->x, series->x[i]), y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        crd_i_svg_rect(svg, "crd-dense crd-f", number + 1, x - WIDTH / 2.0, y, WIDTH, axes->y.start - y);
    }
    crd_i_svg_close_group(svg);
}

/* Shades the area under the first series over an interval. */
static void draw_shade(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *densities,
                       size_t number) {
    const crd_plot_interval *shade = &densities->shades[number];
    const crd_plot_series *series = &densities->series[0];
    const double start = fmax(shade->from, axes->x.least), upper = fmin(shade->to, axes->x.greatest);
    crd_i_svg_describe(svg, shade->label, "");
    if (!(start <= upper)) return;
    if (densities->is_discrete) {
        shade_stems(svg, axes, series, shade, number);
        return;
    }
    double left = crd_i_plot_axis_at(&axes->x, start), right = crd_i_plot_axis_at(&axes->x, upper),
           base = axes->y.start;
    crd_i_svg_open_group(svg, shade->label);
    crd_i_svg_open_path(svg, "crd-dense crd-f", number + 1);
    crd_i_svg_point(svg, 'M', left, base);
    crd_i_svg_point(svg, 'L', left, crd_i_plot_axis_at(&axes->y, plot_densities_height(series, start)));
    for (size_t i = 0; i < series->count; i++)
        if (series->x[i] > start && series->x[i] < upper && !isnan(series->y[i]))
            crd_i_svg_point(svg, 'L', crd_i_plot_axis_at(&axes->x, series->x[i]),
                            crd_i_plot_axis_at(&axes->y, series->y[i]));
    crd_i_svg_point(svg, 'L', right, crd_i_plot_axis_at(&axes->y, plot_densities_height(series, upper)));
    crd_i_svg_point(svg, 'L', right, base);
    crd_i_svg_close_path(svg);
    crd_i_svg_close_group(svg);
}

/* Draws the legend of the shaded areas below the plot. */
static void draw_shade_names(crd_i_svg *svg, const crd_plot_densities *densities) {
    enum { BOX = 12, LEFT = 60 };
    for (size_t i = 0; i < densities->shade_count; i++) {
        crd_i_svg_rect(svg, "crd-dense crd-f", i + 1, LEFT, svg->height + 2, BOX, BOX);
        crd_i_svg_label(svg, "", CRD_I_SVG_START, LEFT + BOX + 6, svg->height + 12, densities->shades[i].label,
                        svg->width - LEFT - BOX - 14);
        svg->height += 18;
    }
    if (densities->shade_count > 0) svg->height += 4;
}

/* ---- The whole ---- */

/* Draws a discrete series: a stem and a dot for each value. Up to four series are shifted slightly, so their stems do
 * not overlap. */
static void draw_stems(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                       size_t of_how_many) {
    const double apart = of_how_many > 1 && of_how_many <= 4 ? 4 : 0;
    const double shift = apart * ((double)number - (double)(of_how_many - 1) / 2);
    for (size_t i = 0; i < series->count; i++) {
        if (isnan(series->y[i])) continue;
        const double x = crd_i_plot_axis_at(&axes->x, series->x[i]) + shift;
        const double y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        crd_i_svg_open_path(svg, "crd-s", number);
        crd_i_svg_point(svg, 'M', x, axes->y.start);
        crd_i_svg_point(svg, 'L', x, y);
        crd_i_svg_close_path(svg);
        crd_i_svg_circle(svg, "crd-f", number, x, y, 3);
    }
}

static void draw_series(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *densities, size_t i) {
    const crd_plot_series *series = &densities->series[i];
    if (densities->is_discrete && series->count <= MOST_DOTS) {
        draw_stems(svg, axes, series, i, densities->count);
        if (densities->count == 1) return;
    } else {
        crd_i_svg_open_path(svg, "crd-area crd-f", i);
        crd_i_plot_line(svg, axes, series, false, axes->y.start);
        crd_i_svg_close_path(svg);
    }
    crd_i_plot_curve(svg, axes, series, i, false);
}

/* Draws the whole picture: legend, axes, shaded areas, densities, cut points and decision regions. */
static void plot_densities_draw(crd_i_svg *svg, const crd_plot_densities *densities) {
    static const double zero = 0;
    crd_i_plot_axes axes = {.headroom = 0};
    crd_i_plot_cover(&axes.x, densities->series, densities->count, false);
    if (axes.x.least > axes.x.greatest)
        crd_i_plot_axis_cover(&axes.x, densities->cut_points, densities->cut_point_count);
    if (densities->is_discrete && axes.x.least <= axes.x.greatest) {
        axes.x.least -= 0.5;
        axes.x.greatest += 0.5;
    }
    crd_i_plot_cover(&axes.y, densities->series, densities->count, true);
    crd_i_plot_axis_cover(&axes.y, &zero, 1);
    if (densities->count > 1) crd_i_plot_axes_legend(svg, densities->series, densities->count);
    if (densities->cut_point_count > 0) axes.headroom = 12;
    crd_i_plot_axes_draw(svg, &axes, FRAME, densities->x_name,
                         crd_text_of(densities->is_discrete ? "probability" : "density"));
    for (size_t i = 0; densities->count > 0 && i < densities->shade_count; i++) draw_shade(svg, &axes, densities, i);
    for (size_t i = 0; i < densities->count; i++) draw_series(svg, &axes, densities, i);
    draw_cut_points(svg, &axes, densities);
    draw_regions(svg, &axes.x, densities);
    draw_shade_names(svg, densities);
}

static crd_status plot_densities_check(const crd_plot_densities *densities, crd_error *error) {
    crd_status status = crd_i_plot_check_series(densities->series, densities->count, error);
    if (status != CRD_OK) return status;
    if (densities->cut_point_count > MOST_MARKS || densities->region_count > MOST_MARKS ||
        densities->shade_count > 1000)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d cut points or regions", MOST_MARKS);
    for (size_t i = 0; i < densities->region_count; i++)
        if (densities->regions[i].series >= densities->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "region %zu has series %zu, but there are %zu series", i,
                              densities->regions[i].series, densities->count);
    return CRD_OK;
}

crd_status crd_plot_draw_densities(crd_context *context, const crd_plot_densities *given,
                                   const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    if (!crd_i_copy_in(given, &densities, sizeof densities))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    crd_status status = plot_densities_check(&densities, error);
    if (status != CRD_OK) return status;
    crd_i_svg target_svg;
    status = crd_i_svg_begin(&target_svg, context, options, 480, error);
    if (status == CRD_OK) {
        plot_densities_draw(&target_svg, &densities);
        status = crd_i_svg_finish(&target_svg, options, "Densities", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
