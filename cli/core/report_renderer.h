/* SPDX-License-Identifier: MIT */
/* report_renderer.h - results for people on terminals: as text (report_text.c) and as Markdown (report_markdown.c), and
 * what both share. */
#ifndef CREDENCE_CLI_REPORT_RENDERER_H
#define CREDENCE_CLI_REPORT_RENDERER_H

#include "core/report.h"
#include "core/text_table.h"

/* Write a result for people. Numbers are rounded. */
void report_write_text(const crd_result *r, output *out);
void report_write_markdown(const crd_result *r, output *out);

/* Lays out the cells that people see. Returns NULL if the table is for machines only. brief: uses the short forms of
 * cells. half_of_bars: the width of bars to either side; 0: no bars. */
table *report_lay_out(const crd_result_table *t, const output *out, bool brief, size_t half_of_bars);
/* Draws the curves and their axis as lines of characters, indented by `indent` spaces. Returns false if there is
 * nothing to draw. */
bool report_draw(const crd_result_curves *curves, const output *out, size_t indent);
/* Draws a graph as lines of characters, indented by `indent` spaces. */
void report_draw_graph(const crd_result_graph *g, const output *out, size_t indent);
/* Writes a marked text in lines of the output's width, or of a page, indented by `indent` spaces. */
void report_write_marked(const crd_result_node *marked, const output *out, size_t indent);

#endif
