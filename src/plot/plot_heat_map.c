/* SPDX-License-Identifier: MIT */
/* plot_heat_map.c - draws the values of pairs of items as a triangular heat map with a scale. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_number.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 8, FEWEST_PIXELS = 14, MOST_PIXELS = 54 };

typedef struct heat_grid {
    const crd_plot_heat_map *map;
    size_t shown;
    double names, left, top, size, greatest;
    bool has_numbers;
} heat_grid;

/* Returns the shade of a value, from 0 to 1. The square root keeps weaker pairs visible next to one very strong
 * pair. */
static double plot_heat_map_share(const heat_grid *grid, double value) {
    if (!(value > 0) || !(grid->greatest > 0)) return 0;
    return sqrt(fmin(value / grid->greatest, 1));
}

/* Draws the cell of items i and k, with its value in it if there is enough space. */
static void plot_heat_map_draw_cell(crd_i_svg *svg, const heat_grid *grid, size_t i, size_t k) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    const double value = grid->map->values[i * grid->map->count + k], share = plot_heat_map_share(grid, value);
    const double x = grid->left + (double)k * grid->size, y = grid->top + (double)(i - 1) * grid->size;
    const double side = grid->size - 1;
    crd_i_plot_number(value, text);
    crd_i_svg_open_group(svg, crd_text_of(text));
    crd_i_svg_rect(svg, "crd-cells", CRD_NONE, x, y, side, side);
    if (share > 0) crd_i_svg_shade(svg, 0, 0.06 + 0.94 * share, x, y, side, side);
    crd_i_svg_close_group(svg);
    /* There are many small numbers. Their shade is enough. */
    if (grid->has_numbers && (share >= 0.06 || isnan(value)))
        crd_i_svg_label(svg, share > 0.55 ? "crd-small crd-inverse" : "crd-small", CRD_I_SVG_MIDDLE, x + side / 2,
                        y + side / 2 + 4, crd_text_of(text), 0);
}

/* Draws the name of a column vertically below the triangle. */
static void draw_column_name(crd_i_svg *svg, const heat_grid *grid, size_t k) {
    const double x = grid->left + ((double)k + 0.5) * grid->size;
    const double y = grid->top + (double)(grid->shown - 1) * grid->size + 6;
    crd_i_svg_add(svg, "<g transform=\"translate(");
    crd_i_svg_point(svg, ' ', x + 4, y);
    crd_i_svg_add(svg, ") rotate(-90)\">");
    crd_i_svg_label(svg, "", CRD_I_SVG_END, 0, 0, grid->map->names[k], grid->names);
    crd_i_svg_close_group(svg);
}

/* Describes the strongest partner of each item, for readers who use a screen reader. */
static void plot_heat_map_describe(crd_i_svg *svg, const heat_grid *grid) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    for (size_t i = 1; i < grid->shown; i++) {
        size_t best = 0;
        for (size_t k = 1; k < i; k++)
            if (grid->map->values[i * grid->map->count + k] > grid->map->values[i * grid->map->count + best]) best = k;
        crd_i_svg_describe(svg, grid->map->names[i], "");
        crd_i_svg_describe(svg, grid->map->names[best],
                           crd_i_plot_number(grid->map->values[i * grid->map->count + best], text));
    }
}

/* Draws the color scale below the triangle, with the maximum, the middle and the unit. */
static void plot_heat_map_draw_scale(crd_i_svg *svg, const heat_grid *grid) {
    enum { STEPS = 10, STEP = 14, HEIGHT = 12 };
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double x = grid->left, y = svg->height;
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, x - 6, y + 11, (crd_text){"0", 1}, 0);
    for (int i = 1; i <= STEPS; i++, x += STEP) crd_i_svg_shade(svg, 0, 0.06 + 0.094 * i, x, y, STEP, HEIGHT);
    /* The middle of a square-root scale is a quarter of the maximum. */
    crd_i_svg_label(svg, "crd-soft crd-small", CRD_I_SVG_MIDDLE, x - STEP * STEPS / 2.0, y + HEIGHT + 11,
                    crd_text_of(crd_i_plot_number(grid->greatest / 4, text)), 0);
    crd_i_plot_number(grid->greatest, text);
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, x + 6, y + 11, crd_text_of(text), 0);
    x += 12 + crd_i_svg_text_width(crd_text_of(text));
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, x, y + 11, grid->map->unit, 0);
    svg->width = fmax(svg->width, x + crd_i_svg_text_width(grid->map->unit) + MARGIN);
    svg->height += HEIGHT + 14 + MARGIN;
}

/* Computes the layout and draws the names, the cells, and the scale below them. */
static void draw_heat_map(crd_i_svg *svg, const crd_plot_heat_map *of, size_t shown) {
    heat_grid grid = {.map = of, .shown = shown};
    for (size_t i = 0; i < shown; i++) grid.names = fmax(grid.names, crd_i_svg_text_width(of->names[i]));
    grid.names = fmin(grid.names, 160);
    grid.left = MARGIN + grid.names + 8;
    grid.top = svg->height + 4;
    const double columns = shown > 1 ? (double)(shown - 1) : 1;
    grid.size = fmax(FEWEST_PIXELS, fmin(MOST_PIXELS, (svg->width - grid.left - MARGIN) / columns));
    grid.has_numbers = grid.size >= 34;
    for (size_t i = 1; i < shown; i++)
        for (size_t k = 0; k < i; k++)
            if (isfinite(of->values[i * of->count + k]))
                grid.greatest = fmax(grid.greatest, of->values[i * of->count + k]);
    for (size_t i = 1; i < shown; i++) {
        crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + grid.names, grid.top + ((double)i - 0.5) * grid.size + 4,
                        of->names[i], grid.names);
        for (size_t k = 0; k < i; k++) plot_heat_map_draw_cell(svg, &grid, i, k);
    }
    for (size_t k = 0; k + 1 < shown; k++) draw_column_name(svg, &grid, k);
    plot_heat_map_describe(svg, &grid);
    svg->width = fmax(240, grid.left + columns * grid.size + MARGIN);
    svg->height = grid.top + columns * grid.size + grid.names + 16;
    if (shown > 1) plot_heat_map_draw_scale(svg, &grid);
}

crd_status crd_plot_draw_heat_map(crd_context *context, const crd_plot_heat_map *given, const crd_plot_options *options,
                                  char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_heat_map map = CRD_PLOT_HEAT_MAP_INIT;
    if (!crd_i_copy_in(given, &map, sizeof map)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    size_t most = map.most == 0 ? 40 : map.most, shown = map.count < most ? map.count : most;
    if (shown > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million cells");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 640, error);
    if (status == CRD_OK) {
        draw_heat_map(&target_svg, &map, shown);
        status = crd_i_svg_finish(&target_svg, options, "Heat map", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}
