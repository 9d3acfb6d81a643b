/* SPDX-License-Identifier: MIT */
/* plot_path.c - draws the states of a sequence along time: one row per state, the path through them, and posterior
 * probabilities as shades. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 8, ROW = 22 };

/* Returns the time at which a step begins, halfway between the times of adjacent steps. For step_count, returns the end
 * of the last step. Without times, steps are numbered from 1. */
static double time_of(const crd_plot_path *path, size_t step) {
    const double *times = path->times;
    const size_t count = path->step_count;
    if (times == NULL) return (double)step + 0.5;
    if (count == 1) return times[0] + (step == 0 ? -0.5 : 0.5);
    if (step == 0) return times[0] - (times[1] - times[0]) / 2;
    if (step == count) return times[count - 1] + (times[count - 1] - times[count - 2]) / 2;
    return times[step - 1] + (times[step] - times[step - 1]) / 2;
}

/* Returns whether the times are finite and strictly increasing. Otherwise the caller uses step numbers instead. */
static bool are_rising(const double *times, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(times[i]) < 1e300) || (i > 0 && !(times[i] > times[i - 1]))) return false;
    return true;
}

/* Draws a state's posteriors as shades. Steps that share a pixel are averaged, and adjacent steps with the same shade
 * form one rectangle. */
static void draw_shades(crd_i_svg *svg, const crd_plot_path *path, const crd_i_plot_axis *axis, size_t state,
                        double y) {
    enum { SHADES = 20 };
    double begun = axis->start;
    long shade = 0;
    for (size_t i = 0; i < path->step_count;) {
        double start = crd_i_plot_axis_at(axis, time_of(path, i)), sum = 0;
        size_t first = i;
        for (; i < path->step_count && (i == first || crd_i_plot_axis_at(axis, time_of(path, i + 1)) < start + 1);
             i++) {
            double p = path->posteriors[i * path->state_count + state];
            if (p > 0) sum += fmin(p, 1);
        }
        long own = lround(sum / (double)(i - first) * SHADES);
        if (own != shade && shade > 0)
            crd_i_svg_shade(svg, 5, 0.6 * (double)shade / SHADES, begun, y + 2, start - begun, ROW - 4);
        if (own != shade) begun = start;
        shade = own;
    }
    if (shade > 0) crd_i_svg_shade(svg, 5, 0.6 * (double)shade / SHADES, begun, y + 2, axis->end - begun, ROW - 4);
}

/* Draws the path: each run of a state is a horizontal line, joined to the next run. A run that ends less than half a
 * pixel after the previous one is skipped. */
static void draw_steps(crd_i_svg *svg, const crd_plot_path *plot, const crd_i_plot_axis *axis, double top) {
    bool is_begun = false;
    double last = -1;
    crd_i_svg_open_curve(svg, 0);
    for (size_t i = 0, end; i < plot->step_count; i = end) {
        for (end = i; end < plot->step_count && plot->path[end] == plot->path[i];) end++;
        double start = crd_i_plot_axis_at(axis, time_of(plot, i)), upper = crd_i_plot_axis_at(axis, time_of(plot, end));
        if (is_begun && upper < last + 0.5 && end < plot->step_count) continue;
        if (plot->path[i] >= 0) {
            double y = top + ROW * (plot->path[i] + 0.5);
            crd_i_svg_point(svg, is_begun ? 'L' : 'M', start, y);
            crd_i_svg_point(svg, 'L', upper, y);
            last = upper;
        }
        is_begun = plot->path[i] >= 0;
    }
    crd_i_svg_close_path(svg);
}

static void describe_states(crd_i_svg *svg, const crd_plot_path *plot) {
    for (size_t state = 0; plot->path != NULL && state < plot->state_count && state < 30; state++) {
        char text[CRD_I_PLOT_NUMBER_ROOM + 8];
        size_t steps = 0;
        for (size_t i = 0; i < plot->step_count; i++) steps += plot->path[i] == (int32_t)state;
        crd_i_plot_number((double)steps, text);
        memcpy(text + strlen(text), " steps", sizeof " steps");
        crd_i_svg_describe(svg, plot->states[state], text);
    }
}

/* Draws the time axis, with ticks and name. */
static void draw_times(crd_i_svg *svg, const crd_plot_path *path, const crd_i_plot_axis *axis) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double value;
    crd_i_svg_line(svg, "crd-axis", axis->start, svg->height, axis->end, svg->height);
    for (size_t i = 0; crd_i_plot_axis_tick(axis, i, &value, text); i++) {
        double x = crd_i_plot_axis_at(axis, value);
        crd_i_svg_line(svg, "crd-axis", x, svg->height, x, svg->height + 4);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, svg->height + 17, crd_text_of(text), 0);
    }
    svg->height += 22;
    if (path->time_name.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, (axis->start + axis->end) / 2, svg->height + 10,
                        path->time_name, axis->end - axis->start);
        svg->height += 16;
    }
    svg->height += MARGIN;
}

/* Draws the whole picture: state names, posteriors, path and time axis. */
static void plot_path_draw(crd_i_svg *svg, const crd_plot_path *plot) {
    double names = 0, top = svg->height;
    for (size_t i = 0; i < plot->state_count; i++) names = fmax(names, crd_i_svg_text_width(plot->states[i]));
    names = fmin(names, svg->width * 0.3);
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    double ends[2] = {plot->step_count > 0 ? time_of(plot, 0) : 0.5,
                      plot->step_count > 0 ? time_of(plot, plot->step_count) : 1.5};
    crd_i_plot_axis_cover(&axis, ends, 2);
    crd_i_plot_axis_place(&axis, MARGIN + names + 8, svg->width - MARGIN * 2,
                          (size_t)fmax(2, (svg->width - names) / 90));
    if (plot->times == NULL && axis.step < 1) axis.step = 1;
    for (size_t i = 0; i < plot->state_count; i++) {
        double y = top + ROW * (double)i;
        crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, y + 15, plot->states[i], names);
        crd_i_svg_line(svg, "crd-grid", axis.start, y + ROW / 2.0, axis.end, y + ROW / 2.0);
        if (plot->posteriors != NULL && plot->step_count > 0) draw_shades(svg, plot, &axis, i, y);
    }
    if (plot->path != NULL) draw_steps(svg, plot, &axis, top);
    describe_states(svg, plot);
    svg->height = top + ROW * (double)plot->state_count + 4;
    draw_times(svg, plot, &axis);
}

crd_status crd_plot_draw_path(crd_context *context, const crd_plot_path *given, const crd_plot_options *options,
                              char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_path plot = CRD_PLOT_PATH_INIT;
    if (!crd_i_copy_in(given, &plot, sizeof plot))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (plot.state_count > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a thousand states");
    for (size_t i = 0; plot.path != NULL && i < plot.step_count; i++)
        if (plot.path[i] >= (int32_t)plot.state_count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "step %zu has state %d of %zu", i, (int)plot.path[i],
                              plot.state_count);
    if (plot.times != NULL && !are_rising(plot.times, plot.step_count)) plot.times = NULL;
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 720, error);
    if (status == CRD_OK) {
        plot_path_draw(&target_svg, &plot);
        status = crd_i_svg_finish(&target_svg, options, "States along time", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
