/* SPDX-License-Identifier: MIT */
/* plot_axes.h - a frame with two axes, ticks and names, and legends of series. */
#ifndef CRD_PLOT_PLOT_AXES_H
#define CRD_PLOT_PLOT_AXES_H

#include "plot/plot_number.h"
#include "plot/svg.h"

typedef struct crd_i_plot_axes {
    crd_i_plot_axis x, y;
    double headroom; /* between the name of the y axis and the frame, for labels */
} crd_i_plot_axes;

/* Places both axes in the picture from its height on, in a frame that is so high, and draws grid, ticks and names. What the
 * axes cover, and their headroom, is set before. The picture's height is then below the names. */
void crd_i_plot_axes_draw(crd_i_svg *svg, crd_i_plot_axes *axes, double height, crd_text x_name, crd_text y_name);
/* The names of series with a piece of their lines each, in rows; the picture's height is then below them. */
void crd_i_plot_axes_legend(crd_i_svg *svg, const crd_plot_series *series, size_t count);

#endif
