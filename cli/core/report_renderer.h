/* SPDX-License-Identifier: MIT */
/* report_renderer.h - the interface of a report format: a table of functions that are called for each node of the tree
 * in order. Each format has a file: report_text.c, report_markdown.c, report_json.c, report_csv.c, report_html.c. */
#ifndef CREDENCE_CLI_REPORT_RENDERER_H
#define CREDENCE_CLI_REPORT_RENDERER_H

#include "core/report.h"
#include "core/text_table.h"

/* The state of writing a report. */
typedef struct rendering {
    output *out;
    crd_json_writer json;
    bool is_after_item; /* Markdown: the last line was an item of a list */
    bool has_values;    /* JSON: something has been written */
    string path;        /* CSV: the keys of the open containers, joined by dots */
    size_t *ends;       /* CSV: for each open container, the length of `path` before it was opened */
    size_t depth, capacity;
    size_t *elements; /* CSV: for each open array, the number of elements so far */
} rendering;

/* A report format. Functions that are NULL are not called. */
typedef struct report_renderer {
    bool is_main_alone;        /* if there is a main table, only this table is written, by `table` */
    bool has_tables_as_values; /* other tables that have a key are written as containers and values */
    void (*begin)(rendering *state, bool on_one_line);
    void (*open)(rendering *state, const report_node *container);
    void (*close)(rendering *state, const report_node *container);
    void (*value)(rendering *state, const report_node *value);
    void (*prose)(rendering *state, const report_prose *prose);
    void (*table)(rendering *state, const report_node *table);
    void (*curves)(rendering *state, const report_curves *curves);
    void (*graph)(rendering *state, const graph *graph);
    void (*marked)(rendering *state, const report_marked *marked);
    void (*picture)(rendering *state, const char *svg);
    void (*end)(rendering *state);
} report_renderer;

extern const report_renderer renderer_text, renderer_markdown, renderer_json, renderer_csv, renderer_html;

/* ---- Shared by formats for people ---- */

/* Lays out the cells that people see. Returns NULL if the table is for machines only. brief: uses the short forms of
 * cells. half_of_bars: the width of bars to either side; 0: no bars. */
table *report_lay_out(const report_table *t, const output *out, bool brief, size_t half_of_bars);
/* Draws the curves and their axis as lines of characters, indented by `indent` spaces. Returns false if there is
 * nothing to draw. */
bool report_draw(const report_curves *curves, const output *out, size_t indent);
/* Draws a graph as lines of characters, indented by `indent` spaces. */
void report_draw_graph(const graph *g, const output *out, size_t indent);
/* Writes a marked text in lines of the output's width, or of a page, indented by `indent` spaces. */
void report_write_marked(const report_marked *marked, const output *out, size_t indent);

#endif
