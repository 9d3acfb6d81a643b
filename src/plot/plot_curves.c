/* SPDX-License-Identifier: MIT */
/* plot_curves.c - draws curves with common axes, for example ROC curves, and calibration plots.
 *
 * Contents:
 *   1. Curves with common axes
 *   2. Calibration plot */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>

/* ======== 1. Curves with common axes ======== */

enum { FRAME = 260 };

static void set_range(crd_i_plot_axis *axis, double least, double greatest) {
    if (isfinite(least)) axis->least = least;
    if (isfinite(greatest)) axis->greatest = greatest;
}

/* Draws the legend, the axes, the reference line and the curves. */
static void plot_curves_draw(crd_i_svg *svg, const crd_plot_curves *of) {
    crd_i_plot_axes axes = {.headroom = 0};
    crd_i_plot_cover(&axes.x, of->series, of->count, false);
    crd_i_plot_cover(&axes.y, of->series, of->count, true);
    set_range(&axes.x, of->x_least, of->x_greatest);
    set_range(&axes.y, of->y_least, of->y_greatest);
    crd_i_plot_axes_legend(svg, of->series, of->count);
    crd_i_plot_axes_draw(svg, &axes, fmin(FRAME, svg->width * 0.75), of->x_name, of->y_name);
    if (of->reference == CRD_PLOT_DIAGONAL)
        crd_i_svg_line(svg, "crd-reference", axes.x.start, axes.y.start, axes.x.end, axes.y.end);
    double level = crd_i_plot_axis_at(&axes.y, of->level);
    if (of->reference == CRD_PLOT_HORIZONTAL && !isnan(of->level))
        crd_i_svg_line(svg, "crd-reference", axes.x.start, level, axes.x.end, level);
    for (size_t i = 0; i < of->count; i++) crd_i_plot_curve(svg, &axes, &of->series[i], i, of->are_steps);
}

crd_status crd_plot_draw_curves(crd_context *context, const crd_plot_curves *given, const crd_plot_options *options,
                                char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_curves plot = CRD_PLOT_CURVES_INIT;
    if (!crd_i_copy_in(given, &plot, sizeof plot))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    crd_i_svg target_svg;
    crd_status status = crd_i_plot_check_series(plot.series, plot.count, error);
    if (status != CRD_OK) return status;
    status = crd_i_svg_begin(&target_svg, context, options, 420, error);
    if (status == CRD_OK) {
        plot_curves_draw(&target_svg, &plot);
        status = crd_i_svg_finish(&target_svg, options, "Curves", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}

/* ======== 2. Calibration plot ========
 *
 * Observed frequencies against predicted probabilities, and a histogram of the rows per bin. */

/* Draws the bins as a line with points, and their confidence intervals if they have any. */
static void draw_bins(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_calibration *calibration) {
    bool is_begun = false;
    crd_i_svg_open_curve(svg, 0);
    for (size_t i = 0; i < calibration->count; i++) {
        const crd_plot_bin *bin = &calibration->bins[i];
        if (isnan(bin->predicted) || isnan(bin->observed)) continue;
        crd_i_svg_point(svg, is_begun ? 'L' : 'M', crd_i_plot_axis_at(&axes->x, bin->predicted),
                        crd_i_plot_axis_at(&axes->y, bin->observed));
        is_begun = true;
    }
    crd_i_svg_close_path(svg);
    for (size_t i = 0; i < calibration->count; i++) {
        const crd_plot_bin *bin = &calibration->bins[i];
        if (isnan(bin->predicted) || isnan(bin->observed)) continue;
        char name[CRD_I_PLOT_NUMBER_ROOM], value[CRD_I_PLOT_NUMBER_ROOM];
        crd_i_svg_describe(svg, crd_text_of(crd_i_plot_percent(bin->predicted, name)),
                           crd_i_plot_percent(bin->observed, value));
        double x = crd_i_plot_axis_at(&axes->x, bin->predicted);
        if (!isnan(bin->low) && !isnan(bin->high)) {
            double low = crd_i_plot_axis_at(&axes->y, bin->low), high = crd_i_plot_axis_at(&axes->y, bin->high);
            crd_i_svg_line(svg, "crd-axis", x, low, x, high);
            crd_i_svg_line(svg, "crd-axis", x - 4, low, x + 4, low);
            crd_i_svg_line(svg, "crd-axis", x - 4, high, x + 4, high);
        }
        crd_i_svg_circle(svg, "crd-f", 0, x, crd_i_plot_axis_at(&axes->y, bin->observed), 4);
    }
}

/* Draws the number of rows in each bin as bars below the plot, with the same x axis. */
static void draw_histogram(crd_i_svg *svg, const crd_i_plot_axis *x, const crd_plot_calibration *of) {
    enum { HEIGHT = 60, WIDTH = 12 };
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double most = 0, bottom = svg->height + HEIGHT + 26;
    for (size_t i = 0; i < of->count; i++)
        if (isfinite(of->bins[i].rows)) most = fmax(most, of->bins[i].rows);
    if (most <= 0) return;
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, 8, svg->height + 10, (crd_text){"rows", 4}, 0);
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, x->start - 6, bottom - HEIGHT + 4,
                    crd_text_of(crd_i_plot_number(most, text)), 0);
    crd_i_svg_line(svg, "crd-grid", x->start, bottom - HEIGHT, x->end, bottom - HEIGHT);
    for (size_t i = 0; i < of->count; i++) {
        const crd_plot_bin *bin = &of->bins[i];
        if (isnan(bin->predicted) || !(bin->rows > 0)) continue;
        double height = fmin(bin->rows / most, 1) * HEIGHT;
        crd_i_svg_open_group(svg, crd_text_of(crd_i_plot_number(bin->rows, text)));
        crd_i_svg_rect(svg, "crd-f", 0, crd_i_plot_axis_at(x, bin->predicted) - WIDTH / 2.0, bottom - height, WIDTH,
                       height);
        crd_i_svg_close_group(svg);
    }
    crd_i_svg_line(svg, "crd-axis", x->start, bottom, x->end, bottom);
    svg->height = bottom + 10;
}

/* Draws the whole picture: name, axes from 0 to 1, diagonal, bins and histogram. */
static void plot_calibration_draw(crd_i_svg *svg, const crd_plot_calibration *calibration) {
    static const double unit[2] = {0, 1};
    crd_i_plot_axes axes = {.headroom = 0};
    crd_i_plot_axis_begin(&axes.x);
    crd_i_plot_axis_cover(&axes.x, unit, 2);
    axes.y = axes.x;
    if (calibration->of.length > 0) {
        crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_START, 8, svg->height + 12, calibration->of, svg->width - 16);
        svg->height += 20;
    }
    crd_i_plot_axes_draw(svg, &axes, fmin(260, svg->width * 0.75), crd_text_of("predicted probability"),
                         crd_text_of("observed frequency"));
    crd_i_svg_line(svg, "crd-reference", axes.x.start, axes.y.start, axes.x.end, axes.y.end);
    draw_bins(svg, &axes, calibration);
    draw_histogram(svg, &axes.x, calibration);
}

crd_status crd_plot_draw_calibration(crd_context *context, const crd_plot_calibration *given,
                                     const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_calibration calibration = CRD_PLOT_CALIBRATION_INIT;
    if (!crd_i_copy_in(given, &calibration, sizeof calibration))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (calibration.count > 1000000)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million bins");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 420, error);
    if (status == CRD_OK) {
        plot_calibration_draw(&target_svg, &calibration);
        status = crd_i_svg_finish(&target_svg, options, "Calibration", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
