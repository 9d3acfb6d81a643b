/* SPDX-License-Identifier: MIT */
/* plot_bars.c - draws horizontal bars: weights of evidence, posterior probabilities, and groups of words. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 22, BAR = 14, MARGIN = 8, NUMBER_ROOM = 54, MOST_ITEMS = 1000000 };

/* Returns the width that the names and notes of the bars need, at most `most`. */
static double name_room(const crd_plot_bar *bars, size_t count, double most) {
    double widest = 0;
    for (size_t i = 0; i < count; i++) widest = fmax(widest, crd_i_svg_pair_width(bars[i].name, bars[i].note));
    return fmin(widest, most);
}

/* The bars that are shown, in their original order. If there are too many, these are the bars with the largest absolute
 * values. */
typedef struct chosen_bars {
    crd_plot_bar *bars;
    size_t count, left_out;
    double remainder;
} chosen_bars;

static double plot_bars_magnitude(double value) {
    return isnan(value) ? -1 : fabs(value);
}

static int compare_magnitudes(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Chooses the `most` bars with the largest absolute values; among equal values, the first ones. Sums the values of the
 * other bars. Returns false if memory runs out. The caller frees out->bars. */
static bool plot_bars_choose(crd_context *context, const crd_plot_bar *bars, size_t count, size_t most,
                             chosen_bars *out) {
    *out = (chosen_bars){0};
    double *sizes = crd_i_alloc(context, count, sizeof *sizes), least = -2;
    out->bars = crd_i_alloc(context, count, sizeof *out->bars);
    if (sizes == NULL || out->bars == NULL) {
        crd_free(context, sizes);
        crd_free(context, out->bars);
        out->bars = NULL;
        return false;
    }
    size_t ties = count;
    if (count > most) {
        for (size_t i = 0; i < count; i++) sizes[i] = plot_bars_magnitude(bars[i].value);
        qsort(sizes, count, sizeof *sizes, compare_magnitudes);
        least = sizes[most - 1];
        ties = most;
        for (size_t i = 0; i < most; i++) ties -= sizes[i] > least;
    }
    for (size_t i = 0; i < count; i++) {
        double size = plot_bars_magnitude(bars[i].value);
        if (size > least || (size == least && ties > 0)) {
            ties -= size == least;
            out->bars[out->count++] = bars[i];
        } else {
            out->left_out++;
            if (!isnan(bars[i].value)) out->remainder += bars[i].value;
        }
    }
    crd_free(context, sizes);
    return true;
}

static void append_text(char *destination, size_t capacity, const char *text) {
    size_t length = strlen(destination), more = strlen(text);
    if (more > capacity - 1 - length) more = capacity - 1 - length;
    memcpy(destination + length, text, more);
    destination[length + more] = '\0';
}

/* Formats the number of bars that are not shown, such as "12 others". */
static crd_text plot_bars_others(char buffer[CRD_I_PLOT_NUMBER_ROOM + 16], size_t count) {
    crd_i_plot_number((double)count, buffer);
    append_text(buffer, CRD_I_PLOT_NUMBER_ROOM + 16, count == 1 ? " other" : " others");
    return crd_text_of(buffer);
}

static void cover_bars(crd_i_plot_axis *axis, const crd_plot_bar *bars, size_t count) {
    for (size_t i = 0; i < count; i++) crd_i_plot_axis_cover_bars(axis, &bars[i].value, 1);
}

/* ---- Weights of evidence ---- */

typedef struct evidence_plot {
    crd_i_svg svg;
    double names; /* their room */
    crd_i_plot_axis axis;
} evidence_plot;

/* Draws one bar with its name, its note and its signed value, to the right or left of zero. */
static void draw_weight(evidence_plot *plot, const crd_plot_bar *bar, bool is_strong) {
    crd_i_svg *svg = &plot->svg;
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double zero = crd_i_plot_axis_at(&plot->axis, 0), end = crd_i_plot_axis_at(&plot->axis, bar->value),
           y = svg->height;
    crd_i_svg_label_pair(svg, is_strong ? "crd-strong" : "", MARGIN + plot->names, y + 15, bar->name, bar->note,
                         plot->names);
    crd_i_plot_signed(bar->value, text);
    crd_i_svg_describe(svg, bar->name, text);
    svg->height += ROW;
    if (isnan(bar->value)) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, zero + 5, y + 15, crd_text_of(text), 0);
        return;
    }
    bool is_positive = bar->value >= 0;
    crd_i_svg_rect(svg, "crd-f", is_positive ? 0 : 1, is_positive ? zero : end, y + (ROW - BAR) / 2.0, fabs(end - zero),
                   BAR);
    crd_i_svg_label(svg, is_strong ? "crd-strong" : "", is_positive ? CRD_I_SVG_START : CRD_I_SVG_END,
                    end + (is_positive ? 5 : -5), y + 15, crd_text_of(text), 0);
}

/* Writes above the bars which class each side favors. */
static void draw_sides(evidence_plot *plot, const crd_plot_evidence *evidence) {
    static const char left[] = "\xE2\x86\x90 ", right[] = " \xE2\x86\x92";
    crd_i_svg *svg = &plot->svg;
    double zero = crd_i_plot_axis_at(&plot->axis, 0), y = svg->height + 13;
    if (evidence->positive.length == 0 && evidence->negative.length == 0) return;
    if (evidence->negative.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, zero - 6, y, evidence->negative, zero - MARGIN - 24);
        double width = fmin(crd_i_svg_text_width(evidence->negative), zero - MARGIN - 24);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, zero - 6 - width, y, (crd_text){left, sizeof left - 1}, 0);
    }
    if (evidence->positive.length > 0) {
        double space = svg->width - MARGIN - 24 - zero, width = fmin(crd_i_svg_text_width(evidence->positive), space);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, zero + 6, y, evidence->positive, space);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, zero + 6 + width, y, (crd_text){right, sizeof right - 1}, 0);
    }
    svg->height += ROW;
}

/* Draws the whole picture: the prior, the chosen bars, the sum of all others, and the total. */
static void draw_evidence(evidence_plot *plot, const crd_plot_evidence *of, const chosen_bars *chosen) {
    crd_i_svg *svg = &plot->svg;
    char buffer[CRD_I_PLOT_NUMBER_ROOM + 16];
    crd_plot_bar prior = {{"prior", 5}, {NULL, 0}, of->prior}, total = {{"total", 5}, {NULL, 0}, of->total};
    crd_plot_bar bar = {plot_bars_others(buffer, chosen->left_out), {NULL, 0}, chosen->remainder};
    double most = (svg->width - 2 * MARGIN) * 0.45;
    plot->names = fmax(name_room(chosen->bars, chosen->count, most), 60);
    crd_i_plot_axis_begin(&plot->axis);
    cover_bars(&plot->axis, chosen->bars, chosen->count);
    const double sums[3] = {of->prior, of->total, bar.value};
    crd_i_plot_axis_cover_bars(&plot->axis, sums, chosen->left_out > 0 ? 3 : 2);
    double left = plot->axis.least < 0 ? NUMBER_ROOM : 12;
    crd_i_plot_axis_place(&plot->axis, MARGIN + plot->names + left, svg->width - MARGIN - NUMBER_ROOM, 4);
    draw_sides(plot, of);
    double top = svg->height;
    if (!isnan(of->prior)) draw_weight(plot, &prior, false);
    for (size_t i = 0; i < chosen->count; i++) draw_weight(plot, &chosen->bars[i], false);
    if (chosen->left_out > 0) draw_weight(plot, &bar, false);
    if (!isnan(of->total)) {
        crd_i_svg_line(svg, "crd-grid", MARGIN, svg->height + 2, svg->width - MARGIN, svg->height + 2);
        svg->height += 4;
        draw_weight(plot, &total, true);
    }
    double position = crd_i_plot_axis_at(&plot->axis, 0);
    crd_i_svg_line(svg, "crd-axis", position, top, position, svg->height);
    if (of->unit.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, position, svg->height + 14, of->unit, 0);
        svg->height += 16;
    }
    svg->height += MARGIN;
}

crd_status crd_plot_draw_evidence(crd_context *context, const crd_plot_evidence *given, const crd_plot_options *options,
                                  char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    if (!crd_i_copy_in(given, &evidence, sizeof evidence))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (evidence.count > MOST_ITEMS)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million bars");
    evidence_plot plot;
    crd_status status = crd_i_svg_begin(&plot.svg, context, options, 640, error);
    chosen_bars chosen = {0};
    if (status == CRD_OK &&
        !plot_bars_choose(context, evidence.bars, evidence.count, evidence.most == 0 ? 30 : evidence.most, &chosen))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        draw_evidence(&plot, &evidence, &chosen);
        status = crd_i_svg_finish(&plot.svg, options, "Weights of evidence", svg, error);
    }
    crd_i_svg_clear(&plot.svg);
    crd_free(context, chosen.bars);
    return status;
}

/* ---- Bars from zero ---- */

static void draw_bar(crd_i_svg *svg, const crd_i_plot_axis *axis, const crd_plot_bar *bar, bool is_probability,
                     double x, double y, double names, size_t color) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double zero = crd_i_plot_axis_at(axis, 0), end = crd_i_plot_axis_at(axis, bar->value);
    crd_i_svg_label_pair(svg, "", x + names, y + 15, bar->name, bar->note, names);
    if (is_probability) crd_i_plot_percent(bar->value, text);
    else crd_i_plot_number(bar->value, text);
    crd_i_svg_describe(svg, bar->name, text);
    if (is_probability) crd_i_svg_rect(svg, "crd-track", CRD_NONE, zero, y + (ROW - BAR) / 2.0, axis->end - zero, BAR);
    if (!isnan(bar->value))
        crd_i_svg_rect(svg, "crd-f", bar->value >= 0 ? color : 1, fmin(zero, end), y + (ROW - BAR) / 2.0,
                       fabs(end - zero), BAR);
    double position = is_probability ? axis->end : isnan(bar->value) ? zero : fmax(zero, end);
    crd_i_svg_label(svg, "", CRD_I_SVG_START, position + 5, y + 15, crd_text_of(text), 0);
}

/* Draws the chosen bars, the number of other bars, and the unit. */
static void plot_bars_draw(crd_i_svg *svg, const crd_plot_bars *plot, const chosen_bars *chosen) {
    static const double zero_to_one[2] = {0, 1};
    char buffer[CRD_I_PLOT_NUMBER_ROOM + 16];
    double names = name_room(chosen->bars, chosen->count, (svg->width - 2 * MARGIN) * 0.45);
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    if (plot->are_probabilities) crd_i_plot_axis_cover(&axis, zero_to_one, 2);
    else cover_bars(&axis, chosen->bars, chosen->count);
    crd_i_plot_axis_place(&axis, MARGIN + names + 8, svg->width - MARGIN - NUMBER_ROOM, 4);
    for (size_t i = 0; i < chosen->count; i++, svg->height += ROW)
        draw_bar(svg, &axis, &chosen->bars[i], plot->are_probabilities, MARGIN, svg->height, names, 0);
    if (chosen->left_out > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, axis.start, svg->height + 15,
                        plot_bars_others(buffer, chosen->left_out), 0);
        svg->height += ROW;
    }
    if (plot->unit.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, axis.start, svg->height + 13, plot->unit,
                        axis.end - axis.start);
        svg->height += 16;
    }
    svg->height += MARGIN;
}

crd_status crd_plot_draw_bars(crd_context *context, const crd_plot_bars *given, const crd_plot_options *options,
                              char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    if (!crd_i_copy_in(given, &plot, sizeof plot))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (plot.count > MOST_ITEMS) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million bars");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 480, error);
    chosen_bars chosen = {0};
    if (status == CRD_OK && !plot_bars_choose(context, plot.bars, plot.count, plot.most == 0 ? 30 : plot.most, &chosen))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        plot_bars_draw(&target_svg, &plot, &chosen);
        status = crd_i_svg_finish(&target_svg, options, plot.are_probabilities ? "Probabilities" : "Bars", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    crd_free(context, chosen.bars);
    return status;
}

/* ---- Groups ---- */

/* Draws the groups in columns that fill the width. All groups have the same scale. */
static void plot_bars_draw_groups(crd_i_svg *svg, const crd_plot_groups *plot, size_t most) {
    enum { COLUMN = 205 };
    size_t columns = (size_t)(svg->width / COLUMN);
    if (columns > plot->count) columns = plot->count;
    if (columns == 0) columns = 1;
    double column = (svg->width - MARGIN) / (double)columns, names = 0;
    crd_i_plot_axis axis;
    crd_i_plot_axis_begin(&axis);
    for (size_t i = 0; i < plot->count; i++) {
        size_t count = plot->groups[i].count < most ? plot->groups[i].count : most;
        names = fmax(names, name_room(plot->groups[i].bars, count, column * 0.5));
        cover_bars(&axis, plot->groups[i].bars, count);
    }
    for (size_t i = 0; i < plot->count;) {
        size_t tallest = 0;
        for (size_t c = 0; c < columns && i < plot->count; c++, i++) {
            const crd_plot_group *group = &plot->groups[i];
            size_t count = group->count < most ? group->count : most;
            double x = MARGIN + (double)c * column, y = svg->height;
            crd_i_plot_axis_place(&axis, x + names + 8, x + column - MARGIN - NUMBER_ROOM * 0.75, 4);
            crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_START, x, y + 14, group->name, column - 2 * MARGIN);
            crd_i_svg_describe(svg, group->name, "");
            for (size_t k = 0; k < count; k++)
                draw_bar(svg, &axis, &group->bars[k], false, x, y + ROW * (double)(k + 1), names, 0);
            if (count > tallest) tallest = count;
        }
        svg->height += ROW * (double)(tallest + 1) + MARGIN;
    }
    if (plot->unit.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, MARGIN, svg->height + 10, plot->unit,
                        svg->width - 2 * MARGIN);
        svg->height += 16;
    }
}

crd_status crd_plot_draw_groups(crd_context *context, const crd_plot_groups *given, const crd_plot_options *options,
                                char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_groups groups = CRD_PLOT_GROUPS_INIT;
    if (!crd_i_copy_in(given, &groups, sizeof groups))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (groups.count > MOST_ITEMS)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million groups");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 640, error);
    if (status == CRD_OK) {
        plot_bars_draw_groups(&target_svg, &groups, groups.most == 0 ? 20 : groups.most);
        status = crd_i_svg_finish(&target_svg, options, "Groups of bars", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
