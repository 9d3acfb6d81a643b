/* SPDX-License-Identifier: MIT */
/* plot_number.h - numbers as people read them, and axes with round ticks. The same in every locale. */
#ifndef CRD_PLOT_PLOT_NUMBER_H
#define CRD_PLOT_PLOT_NUMBER_H

#include <credence/number.h>

#include <stdbool.h>

/* Room for a number, a unit or a percent sign, and NUL. */
enum { CRD_I_PLOT_NUMBER_ROOM = 40 };

/* To three significant digits, counts up to a million in full: "0.0123", "12345", "1.23e7", "−∞", "?" for NaN. Returns `out`. */
const char *crd_i_plot_number(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* With its sign: "+1.2", "−0.5", "0". */
const char *crd_i_plot_signed(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);
/* A probability: "12.3%", "<0.1%", ">99.9%". */
const char *crd_i_plot_percent(double value, char out[CRD_I_PLOT_NUMBER_ROOM]);

/* Values from `least` to `greatest` over pixels from `from` to `to`, which may be less. Infinite values are at the ends. */
typedef struct crd_i_plot_axis {
    double least, greatest, start, end;
    double step; /* between ticks: 1, 2 or 5 times a power of ten */
} crd_i_plot_axis;

/* Over all finite values that crd_i_plot_axis_cover is given; then crd_i_plot_axis_place. */
void crd_i_plot_axis_begin(crd_i_plot_axis *axis);
void crd_i_plot_axis_cover(crd_i_plot_axis *axis, const double *values, size_t count);
/* The same for bars: over 0 too, and with room for infinite values on their side. */
void crd_i_plot_axis_cover_bars(crd_i_plot_axis *axis, const double *values, size_t count);
/* Sets pixels, and ticks of which there are about `ticks`. */
void crd_i_plot_axis_place(crd_i_plot_axis *axis, double start, double upper, size_t ticks);
/* The tick of a number from 0; false: there is none. */
bool crd_i_plot_axis_tick(const crd_i_plot_axis *axis, size_t number, double *value, char text[CRD_I_PLOT_NUMBER_ROOM]);
double crd_i_plot_axis_at(const crd_i_plot_axis *axis, double value);

#endif
