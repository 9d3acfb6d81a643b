/* SPDX-License-Identifier: MIT */
/* plot_matrix.c - draws matrices of cells: confusion matrices, conditional probability tables and heat maps.
 *
 * Contents:
 *   1. Confusion matrices
 *   2. Conditional probability tables
 *   3. Heat map */
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

enum { MARGIN = 8, ROW = 22 };

static double plot_matrix_widest(const crd_text *names, size_t count, double most) {
    double width = 0;
    for (size_t i = 0; i < count; i++) width = fmax(width, crd_i_svg_text_width(names[i]));
    return fmin(width, most);
}

/* ======== 1. Confusion matrices ======== */

/* The grid of a confusion matrix: squares of `size` pixels, starting at (left, top). Names and counts are only drawn if
 * there is enough space. */
typedef struct confusion_grid {
    const crd_plot_confusion *confusion;
    double names, left, top, size;
    bool has_names, has_numbers;
} confusion_grid;

/* Draws a cell. Its shade is its share of the row, which shows how the rows of an actual class were predicted. */
static void plot_matrix_draw_cell(crd_i_svg *svg, const confusion_grid *grid, size_t i, size_t k, double total) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double count = grid->confusion->counts[i * grid->confusion->count + k], share = !(count > 0)   ? 0
                                                                                    : isinf(count) ? 1
                                                                                                   : count / total;
    double x = grid->left + (double)k * grid->size, y = grid->top + (double)i * grid->size;
    crd_i_plot_number(count, text);
    if (share > 0 && !grid->has_numbers) crd_i_svg_open_group(svg, crd_text_of(text));
    if (share > 0) crd_i_svg_shade(svg, i == k ? 0 : 1, 0.12 + 0.88 * share, x, y, grid->size - 1, grid->size - 1);
    if (share > 0 && !grid->has_numbers) crd_i_svg_close_group(svg);
    if (grid->has_numbers)
        crd_i_svg_label(svg,
                        share > 0.6 ? "crd-inverse"
                        : share > 0 ? ""
                                    : "crd-soft",
                        CRD_I_SVG_MIDDLE, x + grid->size / 2, y + grid->size / 2 + 4, crd_text_of(text), 0);
}

/* Draws a row of a confusion matrix, and adds the class's recall to the description. */
static void plot_matrix_draw_row(crd_i_svg *svg, const confusion_grid *grid, size_t i) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    const size_t classes = grid->confusion->count;
    double total = 0, right = grid->confusion->counts[i * classes + i], y = grid->top + ((double)i + 0.5) * grid->size;
    for (size_t k = 0; k < classes; k++)
        if (grid->confusion->counts[i * classes + k] > 0) total += grid->confusion->counts[i * classes + k];
    if (grid->has_names)
        crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + grid->names, y + 4, grid->confusion->classes[i], grid->names);
    for (size_t k = 0; k < classes; k++) plot_matrix_draw_cell(svg, grid, i, k, total);
    crd_i_svg_describe(svg, grid->confusion->classes[i],
                       crd_i_plot_percent(total > 0 && right > 0 ? fmin(right / total, 1) : 0, text));
}

/* Returns the width of the longest count. */
static double number_room(const crd_plot_confusion *confusion) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double space = 0;
    for (size_t i = 0; i < confusion->count * confusion->count; i++)
        space = fmax(space, crd_i_svg_text_width(crd_text_of(crd_i_plot_number(confusion->counts[i], text))));
    return space;
}

/* Draws the column names above the columns: horizontally if they fit, otherwise vertically. */
static void draw_columns(crd_i_svg *svg, confusion_grid *grid) {
    const crd_plot_confusion *confusion = grid->confusion;
    bool is_upright =
        plot_matrix_widest(confusion->classes, confusion->count, INFINITY) > grid->size - 2 && grid->size < 56;
    double space = is_upright ? fmin(grid->names, 120) + 4 : 18;
    for (size_t i = 0; i < confusion->count; i++) {
        double x = grid->left + ((double)i + 0.5) * grid->size;
        if (!is_upright) {
            crd_i_svg_label(svg, "", CRD_I_SVG_MIDDLE, x, grid->top + 12, confusion->classes[i], grid->size - 2);
            continue;
        }
        crd_i_svg_add(svg, "<g transform=\"translate(");
        crd_i_svg_point(svg, ' ', x + 4, grid->top + space - 4);
        crd_i_svg_add(svg, ") rotate(-90)\">");
        crd_i_svg_label(svg, "", CRD_I_SVG_START, 0, 0, confusion->classes[i], space - 4);
        crd_i_svg_close_group(svg);
    }
    grid->top += space;
}

/* Computes the cell size of a confusion matrix and draws the matrix. */
static void plot_matrix_draw_confusion(crd_i_svg *svg, const crd_plot_confusion *confusion) {
    enum { LEAST = 3, LEAST_NAMED = 12, LARGEST = 90, FEW = 4, LARGEST_OF_FEW = 130 };
    static const char axes[] = "actual \xE2\x86\x93  predicted \xE2\x86\x92";
    double names = plot_matrix_widest(confusion->classes, confusion->count, svg->width * 0.3),
           numbers = number_room(confusion) + 8;
    confusion_grid grid = {.confusion = confusion, .names = names, .left = MARGIN + names + 6, .top = svg->height + 26};
    double usual = fmin(confusion->count <= FEW ? LARGEST_OF_FEW : LARGEST, fmax(46, fmax(names, numbers) + 8)),
           count = (double)(confusion->count > 0 ? confusion->count : 1);
    grid.size = fmax(LEAST, fmin(usual, (svg->width - grid.left - MARGIN) / count));
    grid.has_numbers = grid.size >= numbers && grid.size >= 18;
    grid.has_names = grid.size >= LEAST_NAMED;
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, MARGIN, svg->height + 18, crd_text_of(axes), 0);
    if (grid.has_names) draw_columns(svg, &grid);
    double side = grid.size * (double)confusion->count;
    crd_i_svg_rect(svg, "crd-cells", CRD_NONE, grid.left, grid.top, side - 1, side - 1);
    for (size_t i = 0; i < confusion->count; i++) plot_matrix_draw_row(svg, &grid, i);
    svg->height = grid.top + side + MARGIN;
    svg->width = fmax(240, grid.left + side + MARGIN);
}

crd_status crd_plot_draw_confusion(crd_context *context, const crd_plot_confusion *given,
                                   const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_confusion confusion = CRD_PLOT_CONFUSION_INIT;
    if (!crd_i_copy_in(given, &confusion, sizeof confusion))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (confusion.count > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million cells");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options,
                                        fmin(1000, fmax(420, 140 + 34 * (double)confusion.count)), error);
    if (status == CRD_OK) {
        plot_matrix_draw_confusion(&target_svg, &confusion);
        status = crd_i_svg_finish(&target_svg, options, "Confusion matrix", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}

/* ======== 2. Conditional probability tables ======== */

/* Draws the first `shown` rows of a conditional probability table, with a bar for each probability. */
static void plot_matrix_draw_table(crd_i_svg *svg, const crd_plot_table *plot, size_t shown) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double names = plot->rows != NULL ? fmax(plot_matrix_widest(plot->rows, shown, svg->width * 0.4),
                                             crd_i_svg_text_width(plot->row_name))
                                      : 0;
    names = fmin(names, svg->width * 0.4);
    double left = MARGIN + names + 10,
           cell = fmax(30, (svg->width - left - MARGIN) / (double)(plot->state_count > 0 ? plot->state_count : 1));
    if (left + cell * (double)plot->state_count + MARGIN > svg->width)
        svg->width = left + cell * (double)plot->state_count + MARGIN;
    bool has_numbers = cell >= 80;
    if (plot->rows != NULL)
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, MARGIN + names, svg->height + 14, plot->row_name, names + 1);
    for (size_t k = 0; k < plot->state_count; k++)
        crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_START, left + (double)k * cell, svg->height + 14, plot->states[k],
                        cell - 6);
    svg->height += ROW;
    for (size_t i = 0; i < shown; i++, svg->height += ROW) {
        if (plot->rows != NULL)
            crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, svg->height + 15, plot->rows[i], names + 1);
        for (size_t k = 0; k < plot->state_count; k++) {
            double p = plot->probabilities[i * plot->state_count + k], x = left + (double)k * cell;
            double bar = cell - 8 - (has_numbers ? 46 : 0);
            crd_i_svg_open_group(svg, crd_text_of(crd_i_plot_percent(p, text)));
            crd_i_svg_describe(svg, plot->states[k], text);
            crd_i_svg_rect(svg, "crd-track", CRD_NONE, x, svg->height + 5, bar, 12);
            if (p > 0) crd_i_svg_rect(svg, "crd-f", 0, x, svg->height + 5, bar * fmin(p, 1), 12);
            crd_i_svg_close_group(svg);
            if (has_numbers)
                crd_i_svg_label(svg, "", CRD_I_SVG_START, x + bar + 4, svg->height + 15, crd_text_of(text), 0);
        }
    }
    if (shown < plot->row_count) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, left, svg->height + 14, crd_text_of("\xE2\x8B\xAE"), 0);
        svg->height += ROW;
    }
    svg->height += MARGIN;
}

crd_status crd_plot_draw_table(crd_context *context, const crd_plot_table *given, const crd_plot_options *options,
                               char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    if (!crd_i_copy_in(given, &plot, sizeof plot))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    size_t most = plot.most == 0 ? 40 : plot.most, shown = plot.row_count < most ? plot.row_count : most;
    if (plot.state_count > 10000 || shown > 10000 || shown * plot.state_count > 1000000)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million cells");
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, 640, error);
    if (status == CRD_OK) {
        plot_matrix_draw_table(&target_svg, &plot, shown);
        status = crd_i_svg_finish(&target_svg, options, "Conditional probabilities", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    return status;
}

/* ======== 3. Heat map ========
 *
 * The values of all pairs of items form a triangle, with a scale. */

enum { FEWEST_PIXELS = 14, MOST_PIXELS = 54 };

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
