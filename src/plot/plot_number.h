/* SPDX-License-Identifier: MIT */
/* plot_number.h - formats numbers for readers, and computes axes with round ticks. Results do not depend on the
 * locale. */
#ifndef CRD_PLOT_PLOT_NUMBER_H
#define CRD_PLOT_PLOT_NUMBER_H

#include <credence/number.h>

#include <stdbool.h>

/* Size of a buffer for a number, a unit or a percent sign, and the terminating zero. */
enum { CRD_I_PLOT_NUMBER_ROOM = 40 };

/* Formats a number to three significant digits, or to a whole number from 100 to a million: "0.0123", "12345",
 * "1.23e7", "−∞", "?" for NaN. Returns `out`. */
const char *crd_i_plot_number(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* Formats a number with its sign: "+1.2", "−0.5", "0". Returns `out`. */
const char *crd_i_plot_signed(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* Formats a probability: "12.3%", "<0.1%", ">99.9%". Returns `out`. */
const char *crd_i_plot_percent(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);

/* An axis that maps the values from `least` to `greatest` to the pixels from `start` to `end`; `end` may be smaller
 * than `start`. Infinite values map to the ends. */
typedef struct crd_i_plot_axis {
    double least, greatest, start, end;
    double step; /* distance between ticks: 1, 2 or 5 times a power of ten */
} crd_i_plot_axis;

/* Starts an axis without a value range. Then call crd_i_plot_axis_cover for all values, and finally
 * crd_i_plot_axis_place. */
void crd_i_plot_axis_begin(crd_i_plot_axis *axis);
void crd_i_plot_axis_cover(crd_i_plot_axis *axis, const double *values, size_t count);
/* Extends the value range of an axis for bars. The range also includes 0, and leaves space for infinite values on their
 * side. */
void crd_i_plot_axis_cover_bars(crd_i_plot_axis *axis, const double *values, size_t count);
/* Sets the pixel range and a tick distance that gives about `ticks` ticks. Widens a value range that is empty or very
 * small. */
void crd_i_plot_axis_place(crd_i_plot_axis *axis, double start, double upper, size_t ticks);
/* Computes the value and the text of a tick, counted from 0. Returns false if the axis has no such tick. */
bool crd_i_plot_axis_tick(const crd_i_plot_axis *axis, size_t number, double *value, char text[CRD_I_PLOT_NUMBER_ROOM]);
double crd_i_plot_axis_at(const crd_i_plot_axis *axis, double value);

#endif
