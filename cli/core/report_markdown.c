/* SPDX-License-Identifier: MIT */
/* report_markdown.c - writes results in Markdown: headings with levels, lists and tables. Names are never read as
 * markup. */
#include "core/markdown.h"
#include "core/report_renderer.h"

/* Writes prose. Returns whether it is an item of a list. */
static bool report_markdown_write_prose(const output *out, const crd_result_node *node) {
    static const char *const openings[] = {
        [CRD_TOP_HEADING] = "\n",     [CRD_HEADING] = "\n", [CRD_HEADING_ABOVE] = "\n",
        [CRD_HEADING_DRAWING] = "\n", [CRD_LINE] = "- ",    [CRD_LIST_LINE] = "- ",
        [CRD_PARAGRAPH] = "\n",       [CRD_REMARK] = "\n",  [CRD_EMPTY_LINE] = ""};
    const crd_prose_style style = node->prose.style;
    string line = {0};
    string_format(&line, "%s", openings[style]);
    for (unsigned i = 0; i < node->prose.level; i++) string_add_char(&line, '#');
    if (node->prose.level > 0) string_add_char(&line, ' ');
    const char *const parts[] = {node->prose.opening, node->prose.strong, node->prose.remainder};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i] != NULL) markdown_add(&line, crd_text_of(parts[i]));
    bool is_heading = style == CRD_HEADING || style == CRD_HEADING_DRAWING || style == CRD_TOP_HEADING;
    fprintf(out->stream, is_heading ? "%s\n\n" : "%s\n", string_text(&line));
    string_free(&line);
    return style == CRD_LINE || style == CRD_LIST_LINE;
}

/* Writes a table. After an item of a list, an empty line keeps it out of the item. Returns false if people do not see
 * the table. */
static bool report_markdown_write_table(const output *out, const crd_result_table *t, bool is_after_item) {
    /* No bars: Markdown does not preserve the spaces before them. */
    table *laid_out = report_lay_out(t, out, false, 0);
    if (laid_out == NULL) return false;
    if (is_after_item) fputc('\n', out->stream);
    table_print(laid_out, out->stream, 0, 0);
    table_destroy(laid_out);
    return true;
}

void report_write_markdown(const crd_result *r, output *out) {
    enum { INDENT = 4 }; /* Markdown shows lines indented by four spaces verbatim. */
    size_t count = 0;
    const crd_result_node *nodes = crd_result_nodes(r, &count);
    bool is_after_item = false;
    for (size_t i = 0; i < count && !output_broken(out); i++) {
        const crd_result_node *node = &nodes[i];
        if (node->type == CRD_RESULT_PROSE) {
            is_after_item = report_markdown_write_prose(out, node);
        } else if (node->type == CRD_RESULT_TABLE) {
            if (report_markdown_write_table(out, node->table, is_after_item)) is_after_item = false;
        } else if (node->type == CRD_RESULT_CURVES) {
            if (node->curves.is_always) report_draw(&node->curves, out, INDENT);
        } else if (node->type == CRD_RESULT_GRAPH) {
            report_draw_graph(&node->graph, out, INDENT);
            is_after_item = false;
        } else if (node->type == CRD_RESULT_MARKED) {
            report_write_marked(node, out, INDENT);
            is_after_item = false;
        }
    }
}
