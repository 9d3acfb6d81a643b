/* SPDX-License-Identifier: MIT */
/* report_renderer.h - what a format of reports is: a table of functions, which are called for each node of the tree in
 * turn. One file each: report_text.c, report_markdown.c, report_json.c, report_csv.c, report_html.c. */
#ifndef CREDENCE_CLI_REPORT_RENDERER_H
#define CREDENCE_CLI_REPORT_RENDERER_H

#include "core/json_writer.h"
#include "core/report.h"
#include "core/text_table.h"

/* Where a report is being written. */
typedef struct rendering {
    output *out;
    json json;
    bool is_after_item; /* of a list, in Markdown */
    bool has_values;    /* JSON has been written */
    size_t lines_open;  /* of JSON: containers, one inside the other, that are written on one line */
    bool was_indented;  /* around them */
    string path;        /* of CSV: the keys of the containers that are open */
    size_t *ends;       /* how long it was when each of them was opened */
    size_t depth, capacity;
    size_t *elements; /* of arrays: how many elements came so far */
} rendering;

/* Functions that are NULL are not called. */
typedef struct report_renderer {
    bool is_main_alone; /* where a table is the main one, nothing else is written */
    void (*begin)(rendering *target_rendering, bool on_one_line);
    void (*open)(rendering *target_rendering, const report_node *container);
    void (*close)(rendering *target_rendering, const report_node *container);
    void (*value)(rendering *target_rendering, const report_node *value);
    void (*prose)(rendering *target_rendering, const report_prose *prose);
    void (*table)(rendering *target_rendering, const report_node *table);
    void (*curves)(rendering *target_rendering, const report_curves *curves);
    void (*graph)(rendering *target_rendering, const graph *graph);
    void (*marked)(rendering *target_rendering, const report_marked *marked);
    void (*picture)(rendering *target_rendering, const char *svg);
    void (*end)(rendering *target_rendering);
} report_renderer;

extern const report_renderer renderer_text, renderer_markdown, renderer_json, renderer_csv, renderer_html;

/* ---- Shared by formats for people ---- */

/* The cells that people see, laid out; NULL where a table is for machines alone. brief: the shorter cells; bars so wide
 * to either side, 0: none. */
table *report_lay_out(const report_table *t, const output *out, bool brief, size_t half_of_bars);
/* The curves and their axis, as lines of characters; false where there is nothing to draw. `indent` is left free. */
bool report_draw(const report_curves *curves, const output *out, size_t indent);
/* A graph as lines of characters, `indent` blanks before each. */
void report_draw_graph(const graph *g, const output *out, size_t indent);
/* A marked text in lines of the width of the output, or of a page, `indent` blanks before each. */
void report_write_marked(const report_marked *marked, const output *out, size_t indent);

#endif
