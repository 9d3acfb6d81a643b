/* SPDX-License-Identifier: MIT */
/* report_markdown.c - writes reports in Markdown: headings with levels, lists and tables. Names are never read as
 * markup. */
#include "core/markdown.h"
#include "core/report_renderer.h"

static void report_markdown_begin(rendering *state, bool on_one_line) {
    (void)state;
    (void)on_one_line;
}

static void report_markdown_write_prose(rendering *state, const report_prose *prose) {
    static const char *const openings[] = {
        [PROSE_TOP_HEADING] = "\n", [PROSE_HEADING] = "\n",   [PROSE_HEADING_ABOVE] = "\n", [PROSE_LINE] = "- ",
        [PROSE_LIST_LINE] = "- ",   [PROSE_PARAGRAPH] = "\n", [PROSE_REMARK] = "\n",        [PROSE_EMPTY_LINE] = ""};
    string line = {0};
    string_format(&line, "%s", openings[prose->style]);
    for (unsigned i = 0; i < prose->level; i++) string_add_char(&line, '#');
    if (prose->level > 0) string_add_char(&line, ' ');
    const char *const parts[] = {prose->opening, prose->strong, prose->remainder};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i] != NULL) markdown_add(&line, crd_text_of(parts[i]));
    fprintf(state->out->stream, prose->style == PROSE_HEADING || prose->style == PROSE_TOP_HEADING ? "%s\n\n" : "%s\n",
            string_text(&line));
    string_free(&line);
    state->is_after_item = prose->style == PROSE_LINE || prose->style == PROSE_LIST_LINE;
}

static void report_markdown_write_table(rendering *state, const report_node *node) {
    /* No bars: Markdown does not preserve the spaces before them. */
    table *laid_out = report_lay_out(node->table, state->out, false, 0);
    if (laid_out == NULL) return;
    if (state->is_after_item) fputc('\n', state->out->stream); /* otherwise the table would be part of the list item */
    state->is_after_item = false;
    table_print(laid_out, state->out->stream, 0, 0);
    table_destroy(laid_out);
}

static void report_markdown_write_curves(rendering *state, const report_curves *curves) {
    /* Markdown shows lines indented by four spaces verbatim. */
    if (curves->is_always) report_draw(curves, state->out, 4);
}

static void report_markdown_write_graph(rendering *state, const graph *g) {
    report_draw_graph(g, state->out, 4);
    state->is_after_item = false;
}

static void report_markdown_write_marked(rendering *state, const report_marked *marked) {
    report_write_marked(marked, state->out, 4);
    state->is_after_item = false;
}

const report_renderer renderer_markdown = {.begin = report_markdown_begin,
                                           .prose = report_markdown_write_prose,
                                           .table = report_markdown_write_table,
                                           .curves = report_markdown_write_curves,
                                           .graph = report_markdown_write_graph,
                                           .marked = report_markdown_write_marked};
