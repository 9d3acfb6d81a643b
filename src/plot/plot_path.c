/* SPDX-License-Identifier: MIT */
/* plot_path.c - states along time: a line for each state, the path through them, and posteriors as shades. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_axes.h"

#include <math.h>

enum { MARGIN = 8, ROW = 22 };

/* Steps that share a pixel are drawn as one: the mean of their posteriors. */
static void draw_shades(crd_i_svg *svg, const crd_plot_path *of, const crd_i_plot_axis *axis, size_t state, double y) {
    size_t columns =
        of->step_count < (size_t)(axis->to - axis->from) ? of->step_count : (size_t)(axis->to - axis->from);
    for (size_t c = 0; c < columns; c++) {
        size_t first = c * of->step_count / columns, end = (c + 1) * of->step_count / columns;
        double sum = 0;
        for (size_t i = first; i < end; i++) {
            double p = of->posteriors[i * of->state_count + state];
            if (p > 0 && p <= 1.0000001) sum += p;
        }
        double mean = sum / (double)(end - first),
               from = axis->from + (axis->to - axis->from) * (double)c / (double)columns;
        if (mean < 0.005) continue;
        crd_i_svg_add(svg, "<g fill-opacity=\"");
        crd_i_svg_add_number(svg, mean * 0.6);
        crd_i_svg_add(svg, "\">");
        crd_i_svg_rect(svg, "crd-f", 5, from, y + 2, (axis->to - axis->from) / (double)columns, ROW - 4);
        crd_i_svg_add(svg, "</g>");
    }
}

static double step_at(const crd_i_plot_axis *axis, const crd_plot_path *of, size_t step) {
    return axis->from + (axis->to - axis->from) * (double)step / (double)of->step_count;
}

static void draw_steps(crd_i_svg *svg, const crd_plot_path *of, const crd_i_plot_axis *axis, double top) {
    bool is_begun = false;
    crd_i_svg_open_path(svg, "crd-curve crd-s", 0);
    for (size_t i = 0; i < of->step_count;) {
        size_t end = i;
        while (end < of->step_count && of->path[end] == of->path[i]) end++;
        if (of->path[i] >= 0) {
            double y = top + ROW * (of->path[i] + 0.5);
            crd_i_svg_point(svg, is_begun ? 'L' : 'M', step_at(axis, of, i), y);
            crd_i_svg_point(svg, 'L', step_at(axis, of, end), y);
        }
        is_begun = of->path[i] >= 0;
        i = end;
    }
    crd_i_svg_close_path(svg);
}

static void draw_path(crd_i_svg *svg, const crd_plot_path *of) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double names = 0, top = svg->height, value;
    for (size_t i = 0; i < of->state_count; i++) names = fmax(names, crd_i_svg_text_width(of->states[i]));
    names = fmin(names, svg->width * 0.3);
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    double ends[2] = {1, (double)of->step_count};
    if (of->times != NULL && of->step_count > 0) {
        ends[0] = of->times[0];
        ends[1] = of->times[of->step_count - 1];
    }
    crd_i_plot_axis_cover(&axis, ends, 2);
    crd_i_plot_axis_place(&axis, MARGIN + names + 8, svg->width - MARGIN * 2,
                          (size_t)fmax(2, (svg->width - names) / 90), false);
    for (size_t i = 0; i < of->state_count; i++) {
        double y = top + ROW * (double)i;
        crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, y + 15, of->states[i], names + 1);
        crd_i_svg_line(svg, "crd-grid", axis.from, y + ROW / 2.0, axis.to, y + ROW / 2.0);
        if (of->posteriors != NULL) draw_shades(svg, of, &axis, i, y);
    }
    if (of->path != NULL) draw_steps(svg, of, &axis, top);
    svg->height = top + ROW * (double)of->state_count + 4;
    crd_i_svg_line(svg, "crd-axis", axis.from, svg->height, axis.to, svg->height);
    for (size_t i = 0; crd_i_plot_axis_tick(&axis, i, &value, text); i++) {
        double x = crd_i_plot_axis_at(&axis, value);
        crd_i_svg_line(svg, "crd-axis", x, svg->height, x, svg->height + 4);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, svg->height + 17, crd_text_of(text), 0);
    }
    svg->height += 22;
    if (of->time_name.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, (axis.from + axis.to) / 2, svg->height + 10, of->time_name,
                        axis.to - axis.from);
        svg->height += 16;
    }
    svg->height += MARGIN;
}

crd_status crd_plot_draw_path(crd_context *context, const crd_plot_path *given, const crd_plot_options *options,
                              char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_path of = CRD_PLOT_PATH_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (of.state_count > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a thousand states");
    for (size_t i = 0; of.path != NULL && i < of.step_count; i++)
        if (of.path[i] >= (int32_t)of.state_count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "step %zu has state %d of %zu", i, (int)of.path[i],
                              of.state_count);
    crd_i_svg to;
    crd_status status = crd_i_svg_begin(&to, context, options, 720, error);
    if (status == CRD_OK) {
        draw_path(&to, &of);
        status =
            crd_i_svg_finish(&to, options, "States along time", crd_text_of("The state of each step."), svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}
