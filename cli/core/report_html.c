/* SPDX-License-Identifier: MIT */
/* report_html.c - writes reports as an HTML page with prose, tables and pictures. The page has no scripts and loads
 * nothing. It follows the reader's light or dark mode, and prints in light mode. */
#include "core/html.h"
#include "core/report_renderer.h"

static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

static const char STYLE[] =
    "<style>\n"
    ":root{--paper:#fff;--ink:#1f2328;--soft:#59636e;--line:#d8dee4;--box:#f6f8fa}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#a0a9b3;--line:#353c45;"
    "--box:#1b222b}}\n"
    "body{margin:0 auto;max-width:1100px;padding:1rem 1.5rem 3rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"Noto Sans\",\"DejaVu Sans\",sans-serif}\n"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 .5rem}\n"
    "h2 span,h3 span{font-weight:400;color:var(--soft)}p{margin:.25rem 0}p.remark{color:var(--soft)}\n"
    "figure{margin:.5rem 0;overflow-x:auto;break-inside:avoid}div.table{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\n"
    "th{font-weight:600;background:var(--box)}.left{text-align:left}tr{break-inside:avoid}\n"
    "pre{overflow-x:auto;line-height:1.2}mark{background:none;color:inherit;border-bottom:3px solid #0072b2;"
    "font-weight:600}mark.against{border-bottom:3px dashed #c04f00}p.text{max-width:70ch}\n"
    "</style>\n";

static void report_html_write(rendering *state, const char *text) {
    fputs(text, state->out->stream);
}

static void report_html_write_text(rendering *state, const char *text) {
    string escaped = {0};
    if (text == NULL) return;
    html_add(&escaped, crd_text_of(text));
    report_html_write(state, string_text(&escaped));
    string_free(&escaped);
}

static void report_html_begin(rendering *state, bool on_one_line) {
    (void)on_one_line;
    report_html_write(state, HEAD);
    report_html_write(state, "<title>");
    report_html_write_text(state, state->out->title);
    report_html_write(state, "</title>\n");
    report_html_write(state, STYLE);
    report_html_write(state, "</head>\n<body>\n<main>\n<h1>");
    report_html_write_text(state, state->out->title);
    report_html_write(state, "</h1>\n");
}

static void report_html_end(rendering *state) {
    report_html_write(state, "</main>\n</body>\n</html>\n");
}

static void write_heading(rendering *state, const report_prose *prose) {
    /* The page has its own heading above the report. */
    const bool is_part = prose->level <= 1;
    report_html_write(state, is_part ? "<h2>" : "<h3>");
    report_html_write_text(state, prose->strong);
    if (prose->remainder != NULL && prose->remainder[0] != '\0' && !prose->is_drawing) {
        report_html_write(state, prose->strong[0] == '\0' ? "" : "<span>");
        report_html_write_text(state, prose->remainder);
        report_html_write(state, prose->strong[0] == '\0' ? "" : "</span>");
    }
    report_html_write(state, is_part ? "</h2>\n" : "</h3>\n");
}

static void report_html_write_prose(rendering *state, const report_prose *prose) {
    switch (prose->style) {
    case PROSE_TOP_HEADING:
    case PROSE_HEADING:
    case PROSE_HEADING_ABOVE: write_heading(state, prose); return;
    case PROSE_EMPTY_LINE: return;
    case PROSE_LINE:
    case PROSE_LIST_LINE:
    case PROSE_PARAGRAPH:
    case PROSE_REMARK: break;
    }
    report_html_write(state, prose->style == PROSE_REMARK ? "<p class=\"remark\">" : "<p>");
    report_html_write_text(state, prose->opening);
    if (prose->strong != NULL && prose->strong[0] != '\0') {
        report_html_write(state, "<strong>");
        report_html_write_text(state, prose->strong);
        report_html_write(state, "</strong>");
    }
    report_html_write_text(state, prose->remainder);
    report_html_write(state, "</p>\n");
}

static void report_html_write_table(rendering *state, const report_node *node) {
    table *laid_out = report_lay_out(node->table, state->out, false, 0);
    if (laid_out == NULL) return;
    table_print(laid_out, state->out->stream, 0, 0);
    table_destroy(laid_out);
}

static void report_html_write_marked(rendering *state, const report_marked *marked) {
    report_html_write(state, "<p class=\"text\">");
    for (size_t i = 0; i < marked->count; i++) {
        const text_mark mark = marked->pieces[i].mark;
        if (mark != MARK_NONE) report_html_write(state, mark == MARK_FOR ? "<mark>" : "<mark class=\"against\">");
        report_html_write_text(state, marked->pieces[i].text);
        if (mark != MARK_NONE) report_html_write(state, "</mark>");
    }
    report_html_write(state, "</p>\n");
}

static void write_picture(rendering *state, const char *svg) {
    report_html_write(state, "<figure>");
    report_html_write(state, svg);
    report_html_write(state, "</figure>\n");
}

const report_renderer renderer_html = {.begin = report_html_begin,
                                       .prose = report_html_write_prose,
                                       .table = report_html_write_table,
                                       .marked = report_html_write_marked,
                                       .picture = write_picture,
                                       .end = report_html_end};
