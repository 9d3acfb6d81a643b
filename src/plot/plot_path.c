/* SPDX-License-Identifier: MIT */
/* plot_path.c - states along time: a line for each state, the path through them, and posteriors as shades. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_axes.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 8, ROW = 22 };

/* Where step `step` begins, that of step_count being where the last one ends: halfway between the times of steps. Times
 * that do not rise are taken for numbers of steps. */
static double time_of(const crd_plot_path *of, size_t step) {
    const double *times = of->times;
    const size_t count = of->step_count;
    if (times == NULL) return (double)step + 0.5;
    if (count == 1) return times[0] + (step == 0 ? -0.5 : 0.5);
    if (step == 0) return times[0] - (times[1] - times[0]) / 2;
    if (step == count) return times[count - 1] + (times[count - 1] - times[count - 2]) / 2;
    return times[step - 1] + (times[step] - times[step - 1]) / 2;
}

static bool are_rising(const double *times, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(times[i]) < 1e300) || (i > 0 && !(times[i] > times[i - 1]))) return false;
    return true;
}

/* A state's posteriors as shades: means over steps that share a pixel, and one rectangle for neighbours of the same shade. */
static void draw_shades(crd_i_svg *svg, const crd_plot_path *of, const crd_i_plot_axis *axis, size_t state, double y) {
    enum { SHADES = 20 };
    double begun = axis->from;
    long shade = 0;
    for (size_t i = 0; i < of->step_count;) {
        double from = crd_i_plot_axis_at(axis, time_of(of, i)), sum = 0;
        size_t first = i;
        for (; i < of->step_count && (i == first || crd_i_plot_axis_at(axis, time_of(of, i + 1)) < from + 1); i++) {
            double p = of->posteriors[i * of->state_count + state];
            if (p > 0) sum += fmin(p, 1);
        }
        long own = lround(sum / (double)(i - first) * SHADES);
        if (own != shade && shade > 0)
            crd_i_svg_shade(svg, 5, 0.6 * (double)shade / SHADES, begun, y + 2, from - begun, ROW - 4);
        if (own != shade) begun = from;
        shade = own;
    }
    if (shade > 0) crd_i_svg_shade(svg, 5, 0.6 * (double)shade / SHADES, begun, y + 2, axis->to - begun, ROW - 4);
}

/* Runs of one state as lines, joined where another follows. Of runs that are narrower than half a pixel one is drawn where there
 * are several. */
static void draw_steps(crd_i_svg *svg, const crd_plot_path *of, const crd_i_plot_axis *axis, double top) {
    bool is_begun = false;
    double last = -1;
    crd_i_svg_open_curve(svg, 0);
    for (size_t i = 0, end; i < of->step_count; i = end) {
        for (end = i; end < of->step_count && of->path[end] == of->path[i];) end++;
        double from = crd_i_plot_axis_at(axis, time_of(of, i)), to = crd_i_plot_axis_at(axis, time_of(of, end));
        if (is_begun && to < last + 0.5 && end < of->step_count) continue;
        if (of->path[i] >= 0) {
            double y = top + ROW * (of->path[i] + 0.5);
            crd_i_svg_point(svg, is_begun ? 'L' : 'M', from, y);
            crd_i_svg_point(svg, 'L', to, y);
            last = to;
        }
        is_begun = of->path[i] >= 0;
    }
    crd_i_svg_close_path(svg);
}

static void describe_states(crd_i_svg *svg, const crd_plot_path *of) {
    for (size_t state = 0; of->path != NULL && state < of->state_count && state < 30; state++) {
        char text[CRD_I_PLOT_NUMBER_ROOM + 8];
        size_t steps = 0;
        for (size_t i = 0; i < of->step_count; i++) steps += of->path[i] == (int32_t)state;
        crd_i_plot_number((double)steps, text);
        memcpy(text + strlen(text), " steps", sizeof " steps");
        crd_i_svg_describe(svg, of->states[state], text);
    }
}

static void draw_times(crd_i_svg *svg, const crd_plot_path *of, const crd_i_plot_axis *axis) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double value;
    crd_i_svg_line(svg, "crd-axis", axis->from, svg->height, axis->to, svg->height);
    for (size_t i = 0; crd_i_plot_axis_tick(axis, i, &value, text); i++) {
        double x = crd_i_plot_axis_at(axis, value);
        crd_i_svg_line(svg, "crd-axis", x, svg->height, x, svg->height + 4);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, svg->height + 17, crd_text_of(text), 0);
    }
    svg->height += 22;
    if (of->time_name.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, (axis->from + axis->to) / 2, svg->height + 10, of->time_name,
                        axis->to - axis->from);
        svg->height += 16;
    }
    svg->height += MARGIN;
}

static void draw_path(crd_i_svg *svg, const crd_plot_path *of) {
    double names = 0, top = svg->height;
    for (size_t i = 0; i < of->state_count; i++) names = fmax(names, crd_i_svg_text_width(of->states[i]));
    names = fmin(names, svg->width * 0.3);
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    double ends[2] = {of->step_count > 0 ? time_of(of, 0) : 0.5,
                      of->step_count > 0 ? time_of(of, of->step_count) : 1.5};
    crd_i_plot_axis_cover(&axis, ends, 2);
    crd_i_plot_axis_place(&axis, MARGIN + names + 8, svg->width - MARGIN * 2,
                          (size_t)fmax(2, (svg->width - names) / 90));
    if (of->times == NULL && axis.step < 1) axis.step = 1;
    for (size_t i = 0; i < of->state_count; i++) {
        double y = top + ROW * (double)i;
        crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, y + 15, of->states[i], names);
        crd_i_svg_line(svg, "crd-grid", axis.from, y + ROW / 2.0, axis.to, y + ROW / 2.0);
        if (of->posteriors != NULL && of->step_count > 0) draw_shades(svg, of, &axis, i, y);
    }
    if (of->path != NULL) draw_steps(svg, of, &axis, top);
    describe_states(svg, of);
    svg->height = top + ROW * (double)of->state_count + 4;
    draw_times(svg, of, &axis);
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
    if (of.times != NULL && !are_rising(of.times, of.step_count)) of.times = NULL;
    crd_i_svg to;
    crd_status status = crd_i_svg_begin(&to, context, options, 720, error);
    if (status == CRD_OK) {
        draw_path(&to, &of);
        status = crd_i_svg_finish(&to, options, "States along time", svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}
