/* SPDX-License-Identifier: MIT */
/* plot_axes.h - draws a frame with two axes, ticks and axis names, and the legend of a set of series. */
#ifndef CRD_PLOT_PLOT_AXES_H
#define CRD_PLOT_PLOT_AXES_H

#include "plot/svg.h"

typedef struct crd_i_plot_axes {
    crd_i_plot_axis x, y;
    double headroom; /* space for labels between the name of the y axis and the frame, in pixels */
} crd_i_plot_axes;

/* Draws the grid, ticks and names of both axes in a frame of the given height, at the current height of the picture.
 * The caller first sets the value ranges of the axes and the headroom. Sets the pixel positions of both axes.
 * Afterwards, the picture's height is below the axis names. */
void crd_i_plot_axes_draw(crd_i_svg *svg, crd_i_plot_axes *axes, double height, crd_text x_name, crd_text y_name);
/* Draws the legend: each series's name with a short piece of its line, in rows. Draws nothing if all names are empty.
 * Afterwards, the picture's height is below the legend. */
void crd_i_plot_axes_legend(crd_i_svg *svg, const crd_plot_series *series, size_t count);

/* ---- draws series as lines and areas, thinned to the points that are visible. */

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
