/* SPDX-License-Identifier: MIT */
/* character_plot.h - small plots made of characters. */
#ifndef CREDENCE_CLI_CHARACTER_PLOT_H
#define CREDENCE_CLI_CHARACTER_PLOT_H

#include "core/string_buffer.h"

/* Adds a curve as one line of block characters with eight heights, one character per value. Heights range from 0 to
 * 1. */
void plot_curve(string *out, const double *heights, size_t count);

/* Adds one line of a curve that is `lines` lines high. Line 0 is the lowest. */
void plot_curve_line(string *out, const double *heights, size_t count, size_t line, size_t lines);

/* Adds a bar that starts at a middle line and extends to the right for positive fractions, to the left for negative
 * fractions. A fraction of 1 is `half` characters long; infinities fill their side. The total width is 2 half + 1. */
void plot_bar(string *out, double fraction, size_t half);

/* Adds a bar of the accuracy on a scale from 0 to 1 that is `width` characters wide, with a mark at the probability. */
void plot_reliability(string *out, double accuracy, double probability, size_t width);

#endif
