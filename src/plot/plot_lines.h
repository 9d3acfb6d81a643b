/* SPDX-License-Identifier: MIT */
/* plot_lines.h - series as lines and areas, thinned to what can be seen. */
#ifndef CRD_PLOT_PLOT_LINES_H
#define CRD_PLOT_PLOT_LINES_H

#include "plot/plot_axes.h"

/* CRD_ERROR_LIMIT where there are too many series, or one has too many points. */
CRD_MUST_USE crd_status crd_i_plot_check_series(const crd_plot_series *series, size_t count, crd_error *error);
/* The axis over all series. */
void crd_i_plot_cover(crd_i_plot_axis *axis, const crd_plot_series *series, size_t count, bool is_y);
/* The points of a path: a line through them, broken where a value is NaN; the area under it where there is a base (NaN: none). */
void crd_i_plot_line(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, bool is_steps,
                     double base);
/* A line in the colour and dashes of its number, and its part of the description. */
void crd_i_plot_curve(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                      bool is_steps);

#endif
