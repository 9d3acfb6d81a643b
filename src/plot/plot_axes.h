/* SPDX-License-Identifier: MIT */
/* plot_axes.h - draws a frame with two axes, ticks and axis names, and the legend of a set of series. */
#ifndef CRD_PLOT_PLOT_AXES_H
#define CRD_PLOT_PLOT_AXES_H

#include "plot/plot_number.h"
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

#endif
