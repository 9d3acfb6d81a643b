/* SPDX-License-Identifier: MIT */
/* report_markdown.c - reports in Markdown: headings with levels, lists, and tables; names are never taken for
 * markup. */
#include "core/markdown.h"
#include "core/report_renderer.h"

static void begin(rendering *to, bool on_one_line) {
    (void)to;
    (void)on_one_line;
}

static void write_prose(rendering *to, const report_prose *prose) {
    static const char *const openings[] = {
        [PROSE_TOP_HEADING] = "\n", [PROSE_HEADING] = "\n",   [PROSE_HEADING_ABOVE] = "\n", [PROSE_LINE] = "- ",
        [PROSE_LIST_LINE] = "- ",   [PROSE_PARAGRAPH] = "\n", [PROSE_REMARK] = "\n",        [PROSE_EMPTY_LINE] = ""};
    string line = {0};
    string_format(&line, "%s", openings[prose->style]);
    for (unsigned i = 0; i < prose->level; i++) string_add_char(&line, '#');
    if (prose->level > 0) string_add_char(&line, ' ');
    const char *const parts[] = {prose->opening, prose->strong, prose->rest};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i] != NULL) markdown_add(&line, crd_text_of(parts[i]));
    fprintf(to->out->stream, prose->style == PROSE_HEADING || prose->style == PROSE_TOP_HEADING ? "%s\n\n" : "%s\n",
            string_text(&line));
    string_free(&line);
    to->is_after_item = prose->style == PROSE_LINE || prose->style == PROSE_LIST_LINE;
}

static void write_table(rendering *to, const report_node *node) {
    /* Blanks before a bar would not be kept. */
    table *laid_out = report_lay_out(node->table, to->out, false, 0);
    if (laid_out == NULL) return;
    if (to->is_after_item) fputc('\n', to->out->stream); /* it would be a part of the item */
    to->is_after_item = false;
    table_print(laid_out, to->out->stream, 0, 0);
    table_destroy(laid_out);
}

static void write_curves(rendering *to, const report_curves *curves) {
    /* Four blanks are how Markdown recognises what is to stay as it is. */
    if (curves->is_always) report_draw(curves, to->out, 4);
}

static void write_graph(rendering *to, const graph *g) {
    report_draw_graph(g, to->out, 4);
    to->is_after_item = false;
}

static void write_marked(rendering *to, const report_marked *marked) {
    report_write_marked(marked, to->out, 4);
    to->is_after_item = false;
}

const report_renderer renderer_markdown = {.begin = begin,
                                           .prose = write_prose,
                                           .table = write_table,
                                           .curves = write_curves,
                                           .graph = write_graph,
                                           .marked = write_marked};
