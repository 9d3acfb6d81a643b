/* SPDX-License-Identifier: MIT */
/* plot_nomogram.c - draws a nomogram: one scale of points per attribute, a scale of total points, and the probability
 * at each total (Mozina et al. 2004).
 *
 * The points of a numeric attribute need not be monotonic in its value. Such a scale is drawn as several lines, one for
 * each stretch where the points only rise or only fall. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>

enum { MARGIN = 8, LANE = 15, BASE = 10, GAP = 10, MOST_LANES = 4, MOST_STRETCHES = 4, MOST_VALUES = 200 };

typedef struct nomogram_plot {
    crd_i_svg *svg;
    const crd_plot_nomogram *nomogram;
    double names;
    crd_i_plot_axis points; /* from 0 to 100, or wider if the scales need it */
} nomogram_plot;

/* Ticks and labels along a line. A label that would overlap another moves to a lower lane; if all lanes are full, it is
 * skipped. */
typedef struct tick_lanes {
    double y;                     /* y position of the line */
    double left;                  /* right end of the attribute names */
    double free_from[MOST_LANES]; /* for each lane, the first free x position */
    size_t count, used;
} tick_lanes;

/* Draws a tick, and its label in the first lane that has space for it. */
static void draw_tick(crd_i_svg *svg, tick_lanes *lanes, double x, crd_text label) {
    enum { LONGEST = 150 };
    const double half = fmin(crd_i_svg_text_width(label), LONGEST) / 2;
    /* The label is centered below its tick, but does not overlap the attribute names or the right edge. */
    const double middle = fmax(lanes->left + half, fmin(x, svg->width - 2 - half));
    size_t worker = 0;
    while (worker < lanes->count && middle - half < lanes->free_from[worker]) worker++;
    crd_i_svg_line(svg, "crd-axis", x, lanes->y - 4, x, lanes->y + 3);
    if (worker == lanes->count) return;
    lanes->free_from[worker] = middle + half + 6;
    if (worker + 1 > lanes->used) lanes->used = worker + 1;
    if (worker > 0) crd_i_svg_line(svg, "crd-grid", x, lanes->y + 3, x, lanes->y + 4 + LANE * (double)worker);
    crd_i_svg_label(svg, "", CRD_I_SVG_MIDDLE, middle, lanes->y + 15 + LANE * (double)worker, label, LONGEST + 1);
}

/* Draws an axis with round ticks. Afterwards, the picture's height is below it. */
static void draw_axis(crd_i_svg *svg, const crd_i_plot_axis *axis, double names, const char *name) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double value;
    tick_lanes lanes = {.y = svg->height + BASE, .left = MARGIN + names + 4, .count = 1};
    crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_END, MARGIN + names, lanes.y + 4, crd_text_of(name), names);
    crd_i_svg_line(svg, "crd-axis", axis->start, lanes.y, axis->end, lanes.y);
    for (size_t i = 0; crd_i_plot_axis_tick(axis, i, &value, text); i++)
        draw_tick(svg, &lanes, crd_i_plot_axis_at(axis, value), crd_text_of(text));
    svg->height = lanes.y + LANE + GAP;
}

/* ---- Categories ---- */

/* Returns the next value in the order of points: the one with the fewest points above `above`, or with equal points and
 * a higher index than `last`. Returns CRD_NONE after the last one. */
static size_t next_value(const crd_plot_scale *scale, double above, size_t last) {
    size_t best = CRD_NONE;
    for (size_t i = 0; i < scale->count; i++) {
        const double p = scale->points[i];
        const bool is_later = last == CRD_NONE || p > above || (p == above && i > last);
        if (!isnan(p) && is_later && (best == CRD_NONE || p < scale->points[best])) best = i;
    }
    return best;
}

/* Returns the label of a value. A value with infinite points, which excludes a class, is drawn at the end of the scale.
 * Its label gets an arrow that points outward. */
static crd_text label_of(const crd_plot_scale *scale, size_t i, char *buffer, size_t size) {
    static const char left[] = "\xE2\x97\x82 ", right[] = " \xE2\x96\xB8";
    const crd_text name = scale->labels[i];
    if (isfinite(scale->points[i])) return name;
    size_t kept = name.length < size - 8 ? name.length : size - 8, index = 0;
    if (scale->points[i] < 0)
        for (size_t k = 0; k + 1 < sizeof left; k++) buffer[index++] = left[k];
    for (size_t k = 0; k < kept; k++) buffer[index++] = name.bytes[k];
    if (scale->points[i] > 0)
        for (size_t k = 0; k + 1 < sizeof right; k++) buffer[index++] = right[k];
    return (crd_text){buffer, index};
}

/* Draws the scale of a categorical attribute: a line with a tick for each value, in ascending order of points. */
static void draw_categories(nomogram_plot *plot, const crd_plot_scale *scale) {
    enum { ROOM = 128 };
    char buffer[ROOM];
    crd_i_svg *svg = plot->svg;
    tick_lanes lanes = {.y = svg->height + BASE, .left = MARGIN + plot->names + 4, .count = MOST_LANES};
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < scale->count; i++) {
        if (isnan(scale->points[i])) continue;
        least = fmin(least, crd_i_plot_axis_at(&plot->points, scale->points[i]));
        greatest = fmax(greatest, crd_i_plot_axis_at(&plot->points, scale->points[i]));
    }
    if (least <= greatest) crd_i_svg_line(svg, "crd-axis", least, lanes.y, greatest, lanes.y);
    size_t value = CRD_NONE;
    for (size_t drawn = 0; drawn < scale->count && drawn < MOST_VALUES; drawn++) {
        value = next_value(scale, value == CRD_NONE ? -INFINITY : scale->points[value], value);
        if (value == CRD_NONE) break;
        crd_i_svg_open_group(svg, scale->labels[value]);
        draw_tick(svg, &lanes, crd_i_plot_axis_at(&plot->points, scale->points[value]),
                  label_of(scale, value, buffer, sizeof buffer));
        crd_i_svg_close_group(svg);
    }
    svg->height = lanes.y + LANE * (double)(lanes.used > 0 ? lanes.used : 1);
}

/* ---- Numbers ---- */

/* Indices of the first and the last value of a stretch over which the points only rise or only fall. */
typedef struct nomogram_stretch {
    size_t first, end;
} nomogram_stretch;

static double plot_nomogram_length(const nomogram_plot *plot, const crd_plot_scale *scale, nomogram_stretch s) {
    return fabs(crd_i_plot_axis_at(&plot->points, scale->points[s.end]) -
                crd_i_plot_axis_at(&plot->points, scale->points[s.first]));
}

/* Returns the longest stretch that begins at a value. */
static nomogram_stretch stretch_from(const crd_plot_scale *scale, size_t first) {
    nomogram_stretch s = {first, first};
    double way = 0;
    while (s.end + 1 < scale->count) {
        const double step = scale->points[s.end + 1] - scale->points[s.end];
        if (!isfinite(step) || way * step < 0) break;
        if (step != 0) way = step;
        s.end++;
    }
    return s;
}

/* Returns the points of a number within a stretch, interpolated linearly between its values. */
static double points_at(const crd_plot_scale *scale, nomogram_stretch s, double x) {
    size_t i = s.first + 1;
    while (i < s.end && scale->values[i] < x) i++;
    const double start = scale->values[i - 1], part = (x - start) / (scale->values[i] - start);
    return scale->points[i - 1] + part * (scale->points[i] - scale->points[i - 1]);
}

/* Labels the two ends of a scale that has no round tick. */
static void draw_ends(const nomogram_plot *plot, const crd_plot_scale *scale, nomogram_stretch s, double start,
                      double upper, double y) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    tick_lanes lanes = {.y = y, .left = MARGIN + plot->names + 4, .count = 1};
    const size_t left = start <= upper ? s.first : s.end, right = start <= upper ? s.end : s.first;
    draw_tick(plot->svg, &lanes, fmin(start, upper), crd_text_of(crd_i_plot_number(scale->values[left], text)));
    draw_tick(plot->svg, &lanes, fmax(start, upper), crd_text_of(crd_i_plot_number(scale->values[right], text)));
}

/* Draws one stretch of a numeric scale: a line with ticks at round numbers. */
static void draw_stretch(nomogram_plot *plot, const crd_plot_scale *scale, nomogram_stretch s) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    crd_i_svg *svg = plot->svg;
    const double start = crd_i_plot_axis_at(&plot->points, scale->points[s.first]),
                 upper = crd_i_plot_axis_at(&plot->points, scale->points[s.end]);
    double value;
    tick_lanes lanes = {.y = svg->height + BASE, .left = MARGIN + plot->names + 4, .count = 1};
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    crd_i_plot_axis_cover(&axis, scale->values + s.first, s.end - s.first + 1);
    crd_i_plot_axis_place(&axis, start, upper, (size_t)fmax(3, fmin(10, fabs(upper - start) / 40)));
    crd_i_svg_line(svg, "crd-axis", start, lanes.y, upper, lanes.y);
    /* Ticks are drawn from left to right, so labels keep their distance. If points fall with the value, the ticks go in
     * descending order of numbers. */
    size_t ticks = 0;
    while (ticks < MOST_VALUES && crd_i_plot_axis_tick(&axis, ticks, &value, text)) ticks++;
    for (size_t i = 0; i < ticks; i++) {
        if (!crd_i_plot_axis_tick(&axis, start <= upper ? i : ticks - 1 - i, &value, text)) continue;
        draw_tick(svg, &lanes, crd_i_plot_axis_at(&plot->points, points_at(scale, s, value)), crd_text_of(text));
    }
    if (lanes.used == 0) draw_ends(plot, scale, s, start, upper, lanes.y);
    svg->height = lanes.y + LANE;
}

/* Draws the scale of a numeric attribute: its longest stretches, one below the other. */
static void draw_numbers(nomogram_plot *plot, const crd_plot_scale *scale) {
    nomogram_stretch longest[MOST_STRETCHES];
    size_t count = 0;
    /* Keeps the longest stretches, in their original order. */
    for (size_t index = 0; index + 1 < scale->count;) {
        const nomogram_stretch s = stretch_from(scale, index);
        index = s.end > index ? s.end : index + 1;
        if (!(s.end > s.first) || (count > 0 && plot_nomogram_length(plot, scale, s) < 12)) continue;
        if (count == MOST_STRETCHES) {
            size_t least = 0;
            for (size_t i = 1; i < count; i++)
                if (plot_nomogram_length(plot, scale, longest[i]) < plot_nomogram_length(plot, scale, longest[least]))
                    least = i;
            if (plot_nomogram_length(plot, scale, s) <= plot_nomogram_length(plot, scale, longest[least])) continue;
            for (size_t i = least; i + 1 < count; i++) longest[i] = longest[i + 1];
            count--;
        }
        longest[count++] = s;
    }
    if (count > 1 && plot_nomogram_length(plot, scale, longest[0]) < 12) {
        for (size_t i = 0; i + 1 < count; i++) longest[i] = longest[i + 1];
        count--;
    }
    for (size_t i = 0; i < count; i++) draw_stretch(plot, scale, longest[i]);
    if (count == 0) plot->svg->height += BASE + LANE;
}

/* ---- The whole ---- */

static void draw_mark(nomogram_plot *plot, const crd_i_plot_axis *axis, double points, double y) {
    if (!isnan(points)) crd_i_svg_circle(plot->svg, "crd-mark", CRD_NONE, crd_i_plot_axis_at(axis, points), y, 4.5);
}

/* Draws the name, the scale and the mark of an attribute. */
static void plot_nomogram_draw_scale(nomogram_plot *plot, const crd_plot_scale *scale) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    crd_i_svg *svg = plot->svg;
    const double y = svg->height + BASE;
    double greatest = 0;
    for (size_t i = 0; i < scale->count; i++)
        if (isfinite(scale->points[i])) greatest = fmax(greatest, scale->points[i]);
    crd_i_svg_describe(svg, scale->name, crd_i_plot_number(greatest, text));
    crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + plot->names, y + 4, scale->name, plot->names);
    if (scale->labels != NULL) draw_categories(plot, scale);
    else draw_numbers(plot, scale);
    draw_mark(plot, &plot->points, scale->mark, y);
    svg->height += GAP;
}

/* Returns the axis of total points. If the probability changes over a small part of the possible totals only, the axis
 * covers just this part. */
static crd_i_plot_axis axis_of_totals(const nomogram_plot *plot) {
    const crd_plot_nomogram *of = plot->nomogram;
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    double ends[3] = {0, of->greatest_total, 0};
    if (of->probability_count > 1) {
        const double low = of->totals[0], high = of->totals[of->probability_count - 1], margin = (high - low) * 0.15;
        if (high - low < of->greatest_total / 3) {
            ends[0] = fmax(0, low - margin);
            ends[1] = fmin(of->greatest_total, high + margin);
        }
    }
    if (!(ends[0] < ends[1])) ends[0] = 0, ends[1] = of->greatest_total;
    crd_i_plot_axis_cover(&axis, ends, 2);
    if (isfinite(of->total)) crd_i_plot_axis_cover(&axis, &of->total, 1);
    crd_i_plot_axis_place(&axis, plot->points.start, plot->points.end, 8);
    return axis;
}

/* Draws the axis of total points, and below it the probability at each total. */
static void draw_probabilities(nomogram_plot *plot) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    crd_i_svg *svg = plot->svg;
    const crd_plot_nomogram *nomogram = plot->nomogram;
    const crd_i_plot_axis axis = axis_of_totals(plot);
    const double totals_at = svg->height + BASE;
    draw_axis(svg, &axis, plot->names, "Sum of points");
    tick_lanes lanes = {.y = svg->height + BASE, .left = MARGIN + plot->names + 4, .count = 1};
    crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_END, MARGIN + plot->names, lanes.y + 4, nomogram->of, plot->names);
    crd_i_svg_line(svg, "crd-axis", axis.start, lanes.y, axis.end, lanes.y);
    for (size_t i = 0; i < nomogram->probability_count; i++)
        if (nomogram->totals[i] >= axis.least && nomogram->totals[i] <= axis.greatest)
            draw_tick(svg, &lanes, crd_i_plot_axis_at(&axis, nomogram->totals[i]),
                      crd_text_of(crd_i_plot_number(nomogram->probabilities[i], text)));
    draw_mark(plot, &axis, nomogram->total, totals_at);
    draw_mark(plot, &axis, nomogram->total, lanes.y);
    svg->height = lanes.y + LANE + GAP;
}

/* Draws the whole picture: the axis of points, the first `shown` scales, and the axis of probabilities. */
static void plot_nomogram_draw(crd_i_svg *svg, const crd_plot_nomogram *nomogram, size_t shown) {
    char text[CRD_I_PLOT_NUMBER_ROOM + 16];
    nomogram_plot plot = {.svg = svg, .nomogram = nomogram};
    plot.names = fmax(crd_i_svg_text_width(crd_text_of("Sum of points")), crd_i_svg_text_width(nomogram->of)) + 6;
    crd_i_plot_axis_begin(&plot.points);
    const double ends[2] = {0, 100};
    crd_i_plot_axis_cover(&plot.points, ends, 2);
    for (size_t i = 0; i < shown; i++) {
        plot.names = fmax(plot.names, crd_i_svg_text_width(nomogram->scales[i].name));
        crd_i_plot_axis_cover(&plot.points, nomogram->scales[i].points, nomogram->scales[i].count);
    }
    plot.names = fmin(plot.names, svg->width * 0.3);
    crd_i_plot_axis_place(&plot.points, MARGIN + plot.names + 24, svg->width - 40, 10);
    draw_axis(svg, &plot.points, plot.names, "Points");
    for (size_t i = 0; i < shown; i++) plot_nomogram_draw_scale(&plot, &nomogram->scales[i]);
    if (shown < nomogram->count) {
        crd_i_plot_number((double)(nomogram->count - shown), text);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, MARGIN + plot.names, svg->height + 12, crd_text_of(text), 0);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, plot.points.start, svg->height + 12,
                        crd_text_of("further attributes with fewer points"), 0);
        svg->height += 26;
    }
    draw_probabilities(&plot);
}

crd_status crd_plot_draw_nomogram(crd_context *context, const crd_plot_nomogram *given, const crd_plot_options *options,
                                  char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_nomogram nomogram = CRD_PLOT_NOMOGRAM_INIT;
    if (!crd_i_copy_in(given, &nomogram, sizeof nomogram))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    size_t most = nomogram.most == 0 ? 20 : nomogram.most, shown = nomogram.count < most ? nomogram.count : most;
    if (shown > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a thousand scales");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 760, error);
    if (status == CRD_OK) {
        plot_nomogram_draw(&target_svg, &nomogram, shown);
        status = crd_i_svg_finish(&target_svg, options, "Nomogram", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
