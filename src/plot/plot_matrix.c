/* SPDX-License-Identifier: MIT */
/* plot_matrix.c - cells in rows and columns: confusion matrices, conditional probability tables. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_number.h"
#include "plot/svg.h"

#include <math.h>

enum { MARGIN = 8, ROW = 22 };

static double widest(const crd_text *names, size_t count, double most) {
    double width = 0;
    for (size_t i = 0; i < count; i++) width = fmax(width, crd_i_svg_text_width(names[i]));
    return fmin(width, most);
}

/* ---- Confusion matrices ---- */

/* A cell's shade is its share of the row: what happened to the rows of a class. */
static void draw_cell(crd_i_svg *svg, double count, double share, bool is_right, double x, double y, double size,
                      bool has_number) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    if (share > 0) {
        crd_i_svg_add(svg, "<g fill-opacity=\"");
        crd_i_svg_add_number(svg, 0.1 + 0.9 * fmin(share, 1));
        crd_i_svg_add(svg, "\">");
        crd_i_svg_rect(svg, "crd-f", is_right ? 0 : 1, x, y, size - 1, size - 1);
        crd_i_svg_add(svg, "</g>");
    } else {
        crd_i_svg_rect(svg, "crd-track", CRD_NONE, x, y, size - 1, size - 1);
    }
    if (has_number)
        crd_i_svg_label(svg, share > 0.55 ? "crd-inverse" : "", CRD_I_SVG_MIDDLE, x + size / 2, y + size / 2 + 4,
                        crd_text_of(crd_i_plot_number(count, text)), 0);
}

static void draw_confusion(crd_i_svg *svg, const crd_plot_confusion *of) {
    double names = widest(of->classes, of->count, svg->width * 0.3), left = MARGIN + names + 6;
    double size = fmax(3, fmin(56, (svg->width - left - MARGIN) / (double)(of->count > 0 ? of->count : 1)));
    bool has_numbers = size >= 34, has_names = size >= 12;
    double top = svg->height + 20;
    crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, MARGIN, top,
                    crd_text_of("actual \xE2\x86\x93  predicted \xE2\x86\x92"), 0);
    top += 8;
    if (has_names) {
        for (size_t i = 0; has_numbers && i < of->count; i++)
            crd_i_svg_label(svg, "", CRD_I_SVG_MIDDLE, left + ((double)i + 0.5) * size, top + 12, of->classes[i],
                            size - 2);
        top += has_numbers ? 18 : 0;
    }
    for (size_t i = 0; i < of->count; i++) {
        double total = 0, y = top + (double)i * size;
        for (size_t k = 0; k < of->count; k++)
            if (of->counts[i * of->count + k] > 0) total += of->counts[i * of->count + k];
        if (has_names)
            crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, y + size / 2 + 4, of->classes[i], names + 1);
        for (size_t k = 0; k < of->count; k++) {
            double count = of->counts[i * of->count + k];
            double share = count > 0 ? isinf(count) ? 1 : count / total : 0;
            draw_cell(svg, count, share, i == k, left + (double)k * size, y, size, has_numbers);
        }
    }
    svg->height = top + size * (double)of->count + MARGIN;
}

crd_status crd_plot_draw_confusion(crd_context *context, const crd_plot_confusion *given,
                                   const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_confusion of = CRD_PLOT_CONFUSION_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    if (of.count > 1000) return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million cells");
    crd_i_svg to;
    crd_status status = crd_i_svg_begin(&to, context, options, of.count > 8 ? 640 : 420, error);
    if (status == CRD_OK) {
        draw_confusion(&to, &of);
        status = crd_i_svg_finish(&to, options, "Confusion matrix",
                                  crd_text_of("Rows of each class by the class predicted."), svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}

/* ---- Conditional probability tables ---- */

static void draw_table(crd_i_svg *svg, const crd_plot_table *of, size_t shown) {
    char text[CRD_I_PLOT_NUMBER_ROOM];
    double names =
        of->rows != NULL ? fmax(widest(of->rows, shown, svg->width * 0.4), crd_i_svg_text_width(of->row_name)) : 0;
    names = fmin(names, svg->width * 0.4);
    double left = MARGIN + names + 10,
           cell = fmax(30, (svg->width - left - MARGIN) / (double)(of->state_count > 0 ? of->state_count : 1));
    if (left + cell * (double)of->state_count + MARGIN > svg->width)
        svg->width = left + cell * (double)of->state_count + MARGIN;
    bool has_numbers = cell >= 80;
    if (of->rows != NULL)
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_END, MARGIN + names, svg->height + 14, of->row_name, names + 1);
    for (size_t k = 0; k < of->state_count; k++)
        crd_i_svg_label(svg, "crd-strong", CRD_I_SVG_START, left + (double)k * cell, svg->height + 14, of->states[k],
                        cell - 6);
    svg->height += ROW;
    for (size_t i = 0; i < shown; i++, svg->height += ROW) {
        if (of->rows != NULL)
            crd_i_svg_label(svg, "", CRD_I_SVG_END, MARGIN + names, svg->height + 15, of->rows[i], names + 1);
        for (size_t k = 0; k < of->state_count; k++) {
            double p = of->probabilities[i * of->state_count + k], x = left + (double)k * cell;
            double bar = cell - 8 - (has_numbers ? 46 : 0);
            crd_i_svg_open_group(svg, crd_text_of(crd_i_plot_percent(p, text)));
            crd_i_svg_rect(svg, "crd-track", CRD_NONE, x, svg->height + 5, bar, 12);
            if (p > 0) crd_i_svg_rect(svg, "crd-f", 0, x, svg->height + 5, bar * fmin(p, 1), 12);
            crd_i_svg_close_group(svg);
            if (has_numbers)
                crd_i_svg_label(svg, "", CRD_I_SVG_START, x + bar + 4, svg->height + 15, crd_text_of(text), 0);
        }
    }
    if (shown < of->row_count) {
        crd_i_svg_label(svg, "crd-soft", CRD_I_SVG_START, left, svg->height + 14, crd_text_of("\xE2\x8B\xAE"), 0);
        svg->height += ROW;
    }
    svg->height += MARGIN;
}

crd_status crd_plot_draw_table(crd_context *context, const crd_plot_table *given, const crd_plot_options *options,
                               char **svg, crd_error *error) {
    *svg = NULL;
    crd_plot_table of = CRD_PLOT_TABLE_INIT;
    if (!crd_i_copy_in(given, &of, sizeof of)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a picture has no size");
    size_t most = of.most == 0 ? 40 : of.most, shown = of.row_count < most ? of.row_count : most;
    if (of.state_count > 10000 || shown > 10000 || shown * of.state_count > 1000000)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a picture has more than a million cells");
    crd_i_svg to;
    crd_status status = crd_i_svg_begin(&to, context, options, 640, error);
    if (status == CRD_OK) {
        draw_table(&to, &of, shown);
        status = crd_i_svg_finish(&to, options, "Conditional probabilities",
                                  crd_text_of("A row for each combination of the parents' states."), svg, error);
    }
    crd_i_svg_clear(&to);
    return status;
}
