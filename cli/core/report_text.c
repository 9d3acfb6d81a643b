/* SPDX-License-Identifier: MIT */
/* report_text.c - writes reports as text for people: prose, aligned tables, and curves on terminals. Numbers are
 * rounded. */
#include "core/report_renderer.h"

#include <string.h>

/* Indent of continuation lines. */
enum { INDENT = 2 };

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
static void report_text_write_line(const output *out, const char *indent, const crd_result_node *node) {
    const char *strong = node->prose.strong[0] == '\0' ? "" : output_style_code(out, STYLE_HEADING);
    const char *plain = node->prose.strong[0] == '\0' ? "" : output_style_code(out, STYLE_PLAIN);
    string text = {0}, lines = {0};
    string_format(&text, "%s%s%s%s%s%s", indent, node->prose.opening, strong, node->prose.strong, plain,
                  node->prose.remainder);
    string_add_wrapped(&lines, string_text(&text), out->width, INDENT);
    fprintf(out->stream, "%s\n", string_text(&lines));
    string_free(&text);
    string_free(&lines);
}

static void report_text_write_prose(const output *out, const crd_result_node *node) {
    switch (node->prose.style) {
    case CRD_HEADING:
    case CRD_HEADING_ABOVE:
    case CRD_HEADING_DRAWING:
    case CRD_PARAGRAPH:
        fputc('\n', out->stream);
        report_text_write_line(out, "", node);
        break;
    case CRD_TOP_HEADING:
        report_text_write_line(out, "", node);
        fputc('\n', out->stream);
        break;
    case CRD_LINE: report_text_write_line(out, "", node); break;
    case CRD_LIST_LINE:
        if (out->width == 0) fprintf(out->stream, "%s\n", node->prose.remainder);
        else write_wrapped(out, node->prose.remainder);
        break;
    case CRD_REMARK: report_text_write_line(out, "  ", node); break;
    case CRD_EMPTY_LINE: fputc('\n', out->stream); break;
    }
}

/* Returns the width of a bar to either side of the middle line. */
static size_t half_of_bars(const output *out) {
    enum { LEAST_HALF = 4, MOST_HALF = 20, USUAL_WIDTH = 80, BESIDE_BAR = 45 };
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width;
    size_t half = width < BESIDE_BAR + 2 * LEAST_HALF ? LEAST_HALF : (width - BESIDE_BAR) / 2;
    return half > MOST_HALF ? MOST_HALF : half;
}

static void report_text_write_table(const output *out, const crd_result_table *t) {
    table *laid_out = report_lay_out(t, out, false, half_of_bars(out));
    if (laid_out == NULL) return;
    if (out->width > 0 && table_width(laid_out) + t->indent > out->width) {
        table_destroy(laid_out);
        laid_out = report_lay_out(t, out, true, half_of_bars(out));
    }
    table_print(laid_out, out->stream, t->indent, t->is_wrapped ? out->width : 0);
    table_destroy(laid_out);
}

void report_write_text(const crd_result *r, output *out) {
    size_t count = 0;
    const crd_result_node *nodes = crd_result_nodes(r, &count);
    for (size_t i = 0; i < count && !output_broken(out); i++) {
        const crd_result_node *node = &nodes[i];
        if (node->type == CRD_RESULT_PROSE) report_text_write_prose(out, node);
        else if (node->type == CRD_RESULT_TABLE) report_text_write_table(out, node->table);
        else if (node->type == CRD_RESULT_GRAPH) report_draw_graph(&node->graph, out, 2);
        else if (node->type == CRD_RESULT_MARKED) report_write_marked(node, out, 2);
        else if (node->type == CRD_RESULT_CURVES && (out->to_terminal || node->curves.is_always))
            report_draw(&node->curves, out, 2);
    }
}
