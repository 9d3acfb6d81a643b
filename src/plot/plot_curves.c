/* SPDX-License-Identifier: MIT */
/* plot_curves.c - draws curves with common axes, for example ROC curves. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_lines.h"

#include <math.h>

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
