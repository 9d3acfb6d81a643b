/* SPDX-License-Identifier: MIT */
/* plot_join.c - joins several pictures into one, side by side and with a single style sheet. */
#include "base/error.h"
#include "base/memory.h"
#include "plot/plot_number.h"
#include "plot/svg.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 980, GAP = 16, MOST_PICTURES = 10000 };

/* The parts of a picture written by svg.c. */
typedef struct picture_parts {
    double width, height;
    crd_text title, description, drawing; /* still escaped */
} picture_parts;

/* Sets *out to the text between two marks, searched from *cursor. Moves *cursor to the end of the second mark. Returns
 * false if the marks are not found. */
static bool take_between(const char **cursor, const char *before, const char *after, crd_text *out) {
    const char *start = strstr(*cursor, before);
    if (start == NULL) return false;
    start += strlen(before);
    const char *end = strstr(start, after);
    if (end == NULL) return false;
    *out = (crd_text){start, (size_t)(end - start)};
    *cursor = end + strlen(after);
    return true;
}

/* Reads a number between the mark `before` and a quote. Returns false if it is not a positive number below 1e7. */
static bool plot_join_take_number(const char **cursor, const char *before, double *out) {
    crd_text text;
    return take_between(cursor, before, "\"", &text) && crd_number_parse(text, out) == CRD_NUMBER_FINITE && *out > 0 &&
           *out < 1e7;
}

/* Splits a picture into its parts, which point into `picture`. Returns false if svg.c did not write the picture. */
static bool plot_join_take_parts(const char *picture, picture_parts *out) {
    static const char HEAD[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"crd-", END[] = "</svg>";
    const char *cursor = picture;
    size_t length = strlen(picture);
    crd_text skipped;
    if (strncmp(picture, HEAD, sizeof HEAD - 1) != 0 || length < sizeof END ||
        strcmp(picture + length - (sizeof END - 1), END) != 0)
        return false;
    bool is_one = plot_join_take_number(&cursor, " width=\"", &out->width) &&
                  plot_join_take_number(&cursor, " height=\"", &out->height) &&
                  take_between(&cursor, "-t\">", "</title>", &out->title) &&
                  take_between(&cursor, "-d\">", "</desc>", &out->description) &&
                  take_between(&cursor, "<style>", "</style>", &skipped);
    if (is_one) out->drawing = (crd_text){cursor, (size_t)(picture + length - cursor) - (sizeof END - 1)};
    return is_one;
}

static void plot_join_add_text(crd_i_svg *svg, crd_text text) {
    if (!svg->has_failed && !crd_i_buffer_append(&svg->body, text.bytes, text.length)) svg->has_failed = true;
}

static void plot_join_add_picture(crd_i_svg *svg, const picture_parts *parts, double x, double y) {
    crd_i_svg_add(svg, "<g role=\"img\" transform=\"translate(");
    crd_i_svg_point(svg, ' ', x, y);
    crd_i_svg_add(svg, ")\"><title>");
    plot_join_add_text(svg, parts->title);
    crd_i_svg_add(svg, "</title><desc>");
    plot_join_add_text(svg, parts->description);
    crd_i_svg_add(svg, "</desc>");
    plot_join_add_text(svg, parts->drawing);
    crd_i_svg_add(svg, "</g>");
}

/* Places the pictures from left to right in rows, and the rows from top to bottom. */
static void plot_join_place(crd_i_svg *svg, const picture_parts *parts, size_t count) {
    double x = 0, lowest = svg->height, widest = 0;
    const double most = svg->width;
    for (size_t i = 0; i < count; i++) {
        if (x > 0 && x + parts[i].width > most) {
            x = 0;
            svg->height = lowest + GAP;
        }
        plot_join_add_picture(svg, &parts[i], x, svg->height);
        lowest = fmax(lowest, svg->height + parts[i].height);
        x += parts[i].width;
        widest = fmax(widest, x);
        x += GAP;
    }
    svg->width = fmax(240, widest);
    svg->height = lowest;
}

crd_status crd_plot_join(crd_context *context, const char *const *pictures, size_t count,
                         const crd_plot_options *options, char **svg, crd_error *error) {
    *svg = NULL;
    if (count > MOST_PICTURES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "cannot join more than %d pictures", MOST_PICTURES);
    picture_parts *parts = crd_i_alloc(context, count, sizeof *parts);
    if (parts == NULL) return crd_i_fail_memory(error);
    crd_i_svg target_svg;
    crd_status status = crd_i_svg_begin(&target_svg, context, options, WIDTH, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (!plot_join_take_parts(pictures[i], &parts[i]))
            status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "picture %zu was not drawn by this library", i);
    if (status == CRD_OK) {
        char text[CRD_I_PLOT_NUMBER_ROOM];
        target_svg.is_group = true;
        crd_i_svg_describe(&target_svg, (crd_text){"pictures", 8}, crd_i_plot_number((double)count, text));
        plot_join_place(&target_svg, parts, count);
        status = crd_i_svg_finish(&target_svg, options, "Pictures", svg, error);
    }
    crd_i_svg_clear(&target_svg);
    crd_free(context, parts);
    return status;
}
