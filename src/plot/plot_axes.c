/* SPDX-License-Identifier: MIT */
/* plot_axes.c - see plot_axes.h. */
#include "plot/plot_axes.h"

#include <math.h>

enum { LEFT = 60, RIGHT = 20, BOTTOM = 40, GAP = 8 };

void crd_i_plot_axes_draw(crd_i_svg *svg, crd_i_plot_axes *axes, double height, crd_text x_name, crd_text y_name) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double top = svg->height + 4, bottom = top + height, left = LEFT, value;
    double right = svg->width - RIGHT;
    if (y_name.length > 0) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, GAP, top + 8, y_name, svg->width - 2 * GAP);
        top += 18;
        bottom += 18;
    }
    top += axes->headroom;
    bottom += axes->headroom;
    crd_i_plot_axis_place(&axes->x, left, right, (size_t)fmax(2, fmin(8, (right - left) / 60)));
    crd_i_plot_axis_place(&axes->y, bottom, top, (size_t)fmax(2, fmin(5, height / 40)));
    for (size_t i = 0; crd_i_plot_axis_tick(&axes->y, i, &value, text); i++) {
        double y = crd_i_plot_axis_at(&axes->y, value);
        crd_i_svg_line(svg, "crd-grid", left, y, right, y);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, left - 6, y + 4, crd_text_of(text), 0);
    }
    for (size_t i = 0; crd_i_plot_axis_tick(&axes->x, i, &value, text); i++) {
        double x = crd_i_plot_axis_at(&axes->x, value);
        crd_i_svg_line(svg, "crd-grid", x, top, x, bottom);
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, x, bottom + 16, crd_text_of(text), 0);
    }
    crd_i_svg_line(svg, "crd-axis", left, bottom, right, bottom);
    crd_i_svg_line(svg, "crd-axis", left, top, left, bottom);
    if (x_name.length > 0)
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_MIDDLE, (left + right) / 2, bottom + 33, x_name, right - left);
    svg->height = bottom + (x_name.length > 0 ? BOTTOM : BOTTOM / 2.0);
}

void crd_i_plot_axes_legend(crd_i_svg *svg, const crd_plot_series *series, size_t count) {
    enum { ROW = 18, SAMPLE = 26, MOST = 220 };
    double x = GAP;
    bool has_names = false;
    for (size_t i = 0; i < count; i++) has_names = has_names || series[i].name.length > 0;
    if (!has_names) return;
    for (size_t i = 0; i < count; i++) {
        double name = fmin(crd_i_svg_text_width(series[i].name), MOST), width = SAMPLE + 6 + name + 16;
        if (x > GAP && x + width > svg->width) {
            x = GAP;
            svg->height += ROW;
        }
        crd_i_svg_open_curve(svg, i);
        crd_i_svg_point(svg, 'M', x, svg->height + 9);
        crd_i_svg_point(svg, 'L', x + SAMPLE, svg->height + 9);
        crd_i_svg_close_path(svg);
        crd_i_svg_label(svg, "", CRD_I_SVG_START, x + SAMPLE + 6, svg->height + 13, series[i].name, name + 1);
        x += width;
    }
    svg->height += ROW + 4;
}
