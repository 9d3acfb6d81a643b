/* SPDX-License-Identifier: MIT */
/* plot_lines.h - draws series as lines and areas, thinned to the points that are visible. */
#ifndef CRD_PLOT_PLOT_LINES_H
#define CRD_PLOT_PLOT_LINES_H

#include "plot/plot_axes.h"

/* Checks the sizes of the series. Fails with CRD_ERROR_LIMIT if there are too many series or points. */
CRD_MUST_USE crd_status crd_i_plot_check_series(const crd_plot_series *series, size_t count, crd_error *error);
/* Sets the value range of an axis to the range of all series, by their y values or by their x values. */
void crd_i_plot_cover(crd_i_plot_axis *axis, const crd_plot_series *series, size_t count, bool is_y);
/* Adds the points of a series to an open path. The line is interrupted where a value is NaN. If `base` is not NaN, the
 * path encloses the area between the line and the pixel row `base`. */
void crd_i_plot_line(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, bool is_steps,
                     double base);
/* Draws a series as a line, in the color and dash pattern of its number. Adds its name and number of points to the
 * description. */
void crd_i_plot_curve(crd_i_svg *svg, const crd_i_plot_axes *axes, const crd_plot_series *series, size_t number,
                      bool is_steps);

#endif
