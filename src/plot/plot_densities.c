/* SPDX-License-Identifier: MIT */
/* plot_densities.c - densities under each class, with cut points, decision regions and shaded probabilities. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_lines.h"

#include <math.h>
#include <string.h>

enum { FRAME = 182, MOST_MARKS = 1000000, STRIP = 18 };

/* Of a series of whole numbers so many points are marked, as their probabilities stand apart. */
enum { MOST_DOTS = 80 };

static bool is_inside(const crd_i_plot_axis *axis, double x) {
    return x >= axis->least && x <= axis->greatest;
}

/* ---- Cut points ---- */

static void draw_cut_points(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *of) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double free_from = 0;
    for (size_t i = 0; i < of->cut_point_count; i++) {
        /* Those where no density is drawn are left out. */
        if (!is_inside(&axes->x, of->cut_points[i])) continue;
        double x = crd_i_plot_axis_at(&axes->x, of->cut_points[i]);
        crd_i_svg_line(svg, "crd-reference", x, axes->y.to, x, axes->y.from);
        crd_text label = crd_text_of(crd_i_plot_number(of->cut_points[i], text));
        double half = crd_i_svg_text_width(label) / 2;
        if (x - half < free_from) continue;
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, axes->y.to - 4, label, 0);
        free_from = x + half + 4;
    }
}

/* ---- Decision regions: a strip below the axis ---- */

static void draw_region(crd_i_svg *svg, const crd_i_plot_axis *axis, const crd_plot_densities *of,
                        const crd_plot_region *region, double y) {
    char text[2 * CRD_I_PLOT_NUMBER_ROOM + 8], to_text[CRD_I_PLOT_NUMBER_ROOM];
    const crd_text name = of->series[region->series].name;
    const double from = crd_i_plot_axis_at(axis, region->from), to = crd_i_plot_axis_at(axis, region->to);
    crd_i_plot_number(region->from, text);
    crd_i_plot_number(region->to, to_text);
    size_t length = strlen(text);
    memcpy(text + length, " to ", 4);
    memcpy(text + length + 4, to_text, strlen(to_text) + 1);
    crd_i_svg_describe(svg, name, text);
    crd_i_svg_open_group(svg, name);
    crd_i_svg_shade(svg, region->series, 0.3, from, y, to - from, STRIP);
    crd_i_svg_close_group(svg);
    if (to - from > 24) crd_i_svg_label(svg, "", CRD_I_SVG_MIDDLE, (from + to) / 2, y + 13, name, to - from - 6);
    crd_i_svg_line(svg, "crd-axis", from, y, from, y + STRIP);
    crd_i_svg_line(svg, "crd-axis", to, y, to, y + STRIP);
}

static void draw_regions(crd_i_svg *svg, const crd_i_plot_axis *axis, const crd_plot_densities *of) {
    if (of->region_count == 0) return;
    crd_i_svg_label(svg, "crd-soft crd-small", CRD_I_SVG_END, axis->from - 6, svg->height + 13,
                    (crd_text){"decision", 8}, 0);
    for (size_t i = 0; i < of->region_count; i++)
        if (of->regions[i].to > of->regions[i].from) draw_region(svg, axis, of, &of->regions[i], svg->height);
    svg->height += STRIP + 6;
}

/* ---- Shaded probabilities ---- */

/* The height of a series at x, between its points. */
static double height_at(const crd_plot_series *series, double x) {
    for (size_t i = 1; i < series->count; i++) {
        const double from = series->x[i - 1], to = series->x[i];
        if (!(x >= from && x <= to)) continue;
        const double part = to > from ? (x - from) / (to - from) : 0;
        return series->y[i - 1] + part * (series->y[i] - series->y[i - 1]);
    }
    return 0;
}

/* Of whole numbers: those in the interval. */
static void shade_stems(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series,
                        const crd_plot_interval *shade, size_t number) {
    enum { WIDTH = 8 };
    crd_i_svg_open_group(svg, shade->label);
    for (size_t i = 0; i < series->count; i++) {
        if (!(series->x[i] >= shade->from && series->x[i] <= shade->to) || isnan(series->y[i])) continue;
        const double x = crd_i_plot_axis_at(&axes->x, series->x[i]), y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        crd_i_svg_rect(svg, "crd-dense crd-f", number + 1, x - WIDTH / 2.0, y, WIDTH, axes->y.from - y);
    }
    crd_i_svg_close_group(svg);
}

/* The area under the first series over an interval. */
static void draw_shade(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *of, size_t number) {
    const crd_plot_interval *shade = &of->shades[number];
    const crd_plot_series *series = &of->series[0];
    const double from = fmax(shade->from, axes->x.least), to = fmin(shade->to, axes->x.greatest);
    crd_i_svg_describe(svg, shade->label, "");
    if (!(from <= to)) return;
    if (of->is_discrete) {
        shade_stems(svg, axes, series, shade, number);
        return;
    }
    double left = crd_i_plot_axis_at(&axes->x, from), right = crd_i_plot_axis_at(&axes->x, to), base = axes->y.from;
    crd_i_svg_open_group(svg, shade->label);
    crd_i_svg_open_path(svg, "crd-dense crd-f", number + 1);
    crd_i_svg_point(svg, 'M', left, base);
    crd_i_svg_point(svg, 'L', left, crd_i_plot_axis_at(&axes->y, height_at(series, from)));
    for (size_t i = 0; i < series->count; i++)
        if (series->x[i] > from && series->x[i] < to && !isnan(series->y[i]))
            crd_i_svg_point(svg, 'L', crd_i_plot_axis_at(&axes->x, series->x[i]),
                            crd_i_plot_axis_at(&axes->y, series->y[i]));
    crd_i_svg_point(svg, 'L', right, crd_i_plot_axis_at(&axes->y, height_at(series, to)));
    crd_i_svg_point(svg, 'L', right, base);
    crd_i_svg_close_path(svg);
    crd_i_svg_close_group(svg);
}

/* What each shade is, below the picture. */
static void draw_shade_names(crd_i_svg *svg, const crd_plot_densities *of) {
    enum { BOX = 12, LEFT = 60 };
    for (size_t i = 0; i < of->shade_count; i++) {
        crd_i_svg_rect(svg, "crd-dense crd-f", i + 1, LEFT, svg->height + 2, BOX, BOX);
        crd_i_svg_label(svg, "", CRD_I_SVG_START, LEFT + BOX + 6, svg->height + 12, of->shades[i].label,
                        svg->width - LEFT - BOX - 14);
        svg->height += 18;
    }
    if (of->shade_count > 0) svg->height += 4;
}

/* ---- The whole ---- */

/* Whole numbers stand apart: a stem and a dot each. */
static void draw_stems(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                       size_t of_how_many) {
    const double apart = of_how_many > 1 && of_how_many <= 4 ? 4 : 0;
    const double shift = apart * ((double)number - (double)(of_how_many - 1) / 2);
    for (size_t i = 0; i < series->count; i++) {
        if (isnan(series->y[i])) continue;
        const double x = crd_i_plot_axis_at(&axes->x, series->x[i]) + shift;
        const double y = crd_i_plot_axis_at(&axes->y, series->y[i]);
        crd_i_svg_open_path(svg, "crd-s", number);
        crd_i_svg_point(svg, 'M', x, axes->y.from);
        crd_i_svg_point(svg, 'L', x, y);
        crd_i_svg_close_path(svg);
        crd_i_svg_circle(svg, "crd-f", number, x, y, 3);
    }
}

static void draw_series(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_densities *of, size_t i) {
    const crd_plot_series *series = &of->series[i];
    if (of->is_discrete && series->count <= MOST_DOTS) {
        draw_stems(svg, axes, series, i, of->count);
        if (of->count == 1) return;
    } else {
        crd_i_svg_open_path(svg, "crd-area crd-f", i);
        crd_i_plot_line(svg, axes, series, false, axes->y.from);
        crd_i_svg_close_path(svg);
    }
    crd_i_plot_curve(svg, axes, series, i, false);
}

static void draw_densities(crd_i_svg *svg, const crd_plot_densities *of) {
    static const double zero = 0;
    crd_i_plot_axes axes = {.headroom = 0};
    crd_i_plot_cover(&axes.x, of->series, of->count, false);
    if (axes.x.least > axes.x.greatest) crd_i_plot_axis_cover(&axes.x, of->cut_points, of->cut_point_count);
    if (of->is_discrete && axes.x.least <= axes.x.greatest) {
        axes.x.least -= 0.5;
        axes.x.greatest += 0.5;
    }
    crd_i_plot_cover(&axes.y, of->series, of->count, true);
    crd_i_plot_axis_cover(&axes.y, &zero, 1);
    if (of->count > 1) crd_i_plot_axes_legend(svg, of->series, of->count);
    if (of->cut_point_count > 0) axes.headroom = 12;
    crd_i_plot_axes_draw(svg, &axes, FRAME, of->x_name, crd_text_of(of->is_discrete ? "probability" : "density"));
    for (size_t i = 0; of->count > 0 && i < of->shade_count; i++) draw_shade(svg, &axes, of, i);
    for (size_t i = 0; i < of->count; i++) draw_series(svg, &axes, of, i);
    draw_cut_points(svg, &axes, of);
    draw_regions(svg, &axes.x, of);
    draw_shade_names(svg, of);
}

static crd_status check(const crd_plot_densities *of, crd_error *error) {
    crd_status status = crd_i_plot_check_series(of->series, of->count, error);
    if (status != CRD_OK) return status;
    if (of->cut_point_count > MOST_MARKS || of->region_count > MOST_MARKS || of->shade_count > 1000)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than %d cut points or regions", MOST_MARKS);
    for (size_t i = 0; i < of->region_count; i++)
        if (of->regions[i].series >= of->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "region %zu is of series %zu of %zu", i, of->regions[i].series,
                              of->count);
    return CRD_OK;
}

crd_status crd_plot_draw_densities(crd_context *context, const crd_plot_densities *given,
                                   const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_densities of = CRD_PLOT_DENSITIES_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    crd_status status = check(&of, error);
    if (status != CRD_OK) return status;
    crd_i_svg to;
    status = crd_i_svg_begin(&to, context, options, 480, error);
    if (status == CRD_OK) {
        draw_densities(&to, &of);
        status = crd_i_svg_finish(&to, options, "Densities", svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}
