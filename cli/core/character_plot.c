/* SPDX-License-Identifier: MIT */
/* character_plot.c - see character_plot.h. */
#include "core/character_plot.h"

#include <math.h>

static void character_plot_repeat(string *out, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) string_format(out, "%s", text);
}

void plot_curve(string *out, const double *heights, size_t count) {
    plot_curve_line(out, heights, count, 0, 1);
}

void plot_curve_line(string *out, const double *heights, size_t count, size_t line, size_t lines) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    for (size_t i = 0; i < count; i++) {
        double height = isnan(heights[i]) ? 0 : heights[i] * (double)lines - (double)line;
        height = height < 0 ? 0 : height > 1 ? 1 : height;
        string_format(out, "%s", blocks[(size_t)(height * 8 + 0.5)]);
    }
}

void plot_bar(string *out, double fraction, size_t half) {
    if (isnan(fraction)) fraction = 0;
    double length = fabs(fraction) > 1 ? 1 : fabs(fraction);
    size_t filled = (size_t)(length * (double)half + 0.5);
    /* A value other than zero is always visible. */
    if (filled == 0 && fraction != 0) filled = 1;
    if (fraction < 0) {
        character_plot_repeat(out, " ", half - filled);
        character_plot_repeat(out, "█", filled);
        character_plot_repeat(out, "│", 1);
        character_plot_repeat(out, " ", half);
    } else {
        character_plot_repeat(out, " ", half);
        character_plot_repeat(out, "│", 1);
        character_plot_repeat(out, "█", filled);
        character_plot_repeat(out, " ", half - filled);
    }
}

void plot_reliability(string *out, double accuracy, double probability, size_t width) {
    size_t filled = (size_t)(accuracy * (double)width + 0.5), mark = (size_t)(probability * (double)width);
    if (mark >= width) mark = width - 1;
    for (size_t i = 0; i < width; i++) character_plot_repeat(out, i == mark ? "┃" : i < filled ? "█" : "·", 1);
}
