/* SPDX-License-Identifier: MIT */
/* report_text.c - writes reports as text for people: prose, aligned tables, and curves on terminals. Numbers are
 * rounded. */
#include "core/report_renderer.h"

#include <string.h>

/* Indent of continuation lines. */
enum { INDENT = 2 };

static void report_text_begin(rendering *state, bool on_one_line) {
    (void)state;
    (void)on_one_line;
}

/* Writes a list, broken after commas, so lines fit the width unless a single item is wider. */
static void write_wrapped(const output *out, const char *text) {
    size_t used = 0;
    while (*text != '\0') {
        const char *comma = strstr(text, ", ");
        size_t length = comma == NULL ? strlen(text) : (size_t)(comma - text) + 1, width = text_width(text, length);
        if (used > 0 && used + 1 + width > out->width) {
            fprintf(out->stream, "\n%*s", (int)INDENT, "");
            used = INDENT;
        } else if (used > 0) {
            fputc(' ', out->stream);
            used++;
        }
        fwrite(text, 1, length, out->stream);
        used += width;
        text += length + (comma == NULL ? 0 : 1);
    }
    fputc('\n', out->stream);
}

/* Writes a line of prose, broken at words if the output has a width. */
static void report_text_write_line(const output *out, const char *indent, const report_prose *prose) {
    const char *strong = prose->strong[0] == '\0' ? "" : output_style_code(out, STYLE_HEADING);
    const char *plain = prose->strong[0] == '\0' ? "" : output_style_code(out, STYLE_PLAIN);
    string text = {0}, lines = {0};
    string_format(&text, "%s%s%s%s%s%s", indent, prose->opening, strong, prose->strong, plain, prose->remainder);
    string_add_wrapped(&lines, string_text(&text), out->width, INDENT);
    fprintf(out->stream, "%s\n", string_text(&lines));
    string_free(&text);
    string_free(&lines);
}

static void report_text_write_prose(rendering *state, const report_prose *prose) {
    output *out = state->out;
    switch (prose->style) {
    case PROSE_HEADING:
    case PROSE_HEADING_ABOVE:
    case PROSE_PARAGRAPH:
        fputc('\n', out->stream);
        report_text_write_line(out, "", prose);
        break;
    case PROSE_TOP_HEADING:
        report_text_write_line(out, "", prose);
        fputc('\n', out->stream);
        break;
    case PROSE_LINE: report_text_write_line(out, "", prose); break;
    case PROSE_LIST_LINE:
        if (out->width == 0) fprintf(out->stream, "%s\n", prose->remainder);
        else write_wrapped(out, prose->remainder);
        break;
    case PROSE_REMARK: report_text_write_line(out, "  ", prose); break;
    case PROSE_EMPTY_LINE: fputc('\n', out->stream); break;
    }
}

/* Returns the width of a bar to either side of the middle line. */
static size_t half_of_bars(const output *out) {
    enum { LEAST_HALF = 4, MOST_HALF = 20, USUAL_WIDTH = 80, BESIDE_BAR = 45 };
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width;
    size_t half = width < BESIDE_BAR + 2 * LEAST_HALF ? LEAST_HALF : (width - BESIDE_BAR) / 2;
    return half > MOST_HALF ? MOST_HALF : half;
}

static void report_text_write_table(rendering *state, const report_node *node) {
    const report_table *t = node->table;
    output *out = state->out;
    table *laid_out = report_lay_out(t, out, false, half_of_bars(out));
    if (laid_out == NULL) return;
    if (out->width > 0 && table_width(laid_out) + t->indent > out->width) {
        table_destroy(laid_out);
        laid_out = report_lay_out(t, out, true, half_of_bars(out));
    }
    table_print(laid_out, out->stream, t->indent, t->is_wrapped ? out->width : 0);
    table_destroy(laid_out);
}

static void report_text_write_curves(rendering *state, const report_curves *curves) {
    if (state->out->to_terminal || curves->is_always) report_draw(curves, state->out, 2);
}

static void report_text_write_graph(rendering *state, const graph *g) {
    report_draw_graph(g, state->out, 2);
}

static void report_text_write_marked(rendering *state, const report_marked *marked) {
    report_write_marked(marked, state->out, 2);
}

const report_renderer renderer_text = {.begin = report_text_begin,
                                       .prose = report_text_write_prose,
                                       .table = report_text_write_table,
                                       .curves = report_text_write_curves,
                                       .graph = report_text_write_graph,
                                       .marked = report_text_write_marked};
