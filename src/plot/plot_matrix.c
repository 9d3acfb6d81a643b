/* SPDX-License-Identifier: MIT */
/* plot_matrix.c - draws matrices of cells: confusion matrices and conditional probability tables. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_number.h"
#include "plot/svg.h"

#include <math.h>

enum { MARGIN = 8, ROW = 22 };

static double plot_matrix_widest(const crd_text *names, size_t count, double most) {
    double width = 0;
    for (size_t i = 0; i < count; i++) width = fmax(width, crd_i_svg_text_width(names[i]));
    return fmin(width, most);
}

/* ---- Confusion matrices ---- */

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

/* ---- Conditional probability tables ---- */

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
