/* SPDX-License-Identifier: MIT */
/* character_plot.h - small pictures in characters. */
#ifndef CREDENCE_CLI_CHARACTER_PLOT_H
#define CREDENCE_CLI_CHARACTER_PLOT_H

#include "core/string_buffer.h"

/* A curve as a line of blocks of eight heights: heights from 0 to 1, one character each. */
void plot_curve(string *out, const double *heights, size_t count);

/* One line of a curve that is `lines` high, the lowest being 0. */
void plot_curve_line(string *out, const double *heights, size_t count, size_t line, size_t lines);

/* A bar from a middle line to the right for positive, to the left for negative fractions of `half` characters; its
 * width is 2 half + 1. Infinities fill their side. */
void plot_bar(string *out, double fraction, size_t half);

/* A bar of the accuracy over a scale from 0 to 1 of so many characters, with a mark at the probability. */
void plot_reliability(string *out, double accuracy, double probability, size_t width);

#endif
