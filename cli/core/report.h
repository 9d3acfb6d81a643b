/* SPDX-License-Identifier: MIT */
/* report.h - the answer of a verb, built once as a tree and written in any format.
 *
 * A tree has named values, tables and curves, and prose. Names (keys) are for machines: they are the keys of JSON and
 * the fields of CSV; what has none is for people alone. Titles and prose are for people: what has none is for machines
 * alone. So each fact is stated once, and which of its two faces is written is the business of a renderer
 * (report_renderer.h), as is how numbers are rounded. */
#ifndef CREDENCE_CLI_REPORT_H
#define CREDENCE_CLI_REPORT_H

#include "core/graph_layout.h"
#include "core/output.h"

typedef struct report report;

report *report_create(void);
/* One of which what its --format does not write need not be built, where that is large (report_is_for). */
report *report_create_for(const invocation *call);
/* One that is built whole, with pictures where --plot names a file. */
report *report_create_drawn(const invocation *call);
void report_destroy(report *r);
/* Puts another report behind this one, and destroys it. */
void report_absorb(report *r, report *other);

/* ---- Texts that live as long as the report ---- */

const char *report_format(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* A name of the data as people may see it: what a terminal might take for its own is escaped. */
const char *report_shown(report *r, crd_text name);
/* What was added to a string, which is freed. */
const char *report_take(report *r, string *text);

/* ---- Values, for machines ---- */

/* The values up to report_end are members of an object or an array. The key is NULL for an element of an array, and for
 * the outermost container. All texts are copied. */
void report_object(report *r, const char *key);
void report_object_named(report *r, crd_text key);
void report_array(report *r, const char *key);
void report_array_named(report *r, crd_text key);
/* The same on one line, with all that is in it. */
void report_short_object(report *r, const char *key);
void report_short_array(report *r, const char *key);
void report_end(report *r);

void report_number(report *r, const char *key, double value);
void report_number_named(report *r, crd_text key, double value);
void report_text(report *r, const char *key, crd_text value);
void report_text_named(report *r, crd_text key, crd_text value);
void report_words(report *r, const char *key, const char *value);
void report_boolean(report *r, const char *key, bool value);
void report_null(report *r, const char *key);
/* A number, or a list of them where there are not exactly one. */
void report_numbers(report *r, const char *key, const double *values, size_t count);

/* ---- Prose, for people ---- */

/* The first line of a report, and an empty one behind it. */
void report_top_heading(report *r, const char *title);
/* Whether what is added from here on is for machines alone: no prose, and tables that people do not see. */
void report_hide(report *r, bool is_hidden);

/* After an empty line, with what follows it on its line; the level (from 1) is for formats that have levels. */
void report_heading(report *r, unsigned level, const char *heading, const char *remainder);
/* The same, of drawings in characters: the rest is their legend. */
void report_heading_drawing(report *r, unsigned level, const char *heading, const char *legend);
/* The same, of a part that opens with a heading of its own. */
void report_heading_above(report *r, unsigned level, const char *heading, const char *remainder);
/* One of several lines that belong together. */
void report_line(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* The same, of a list that may be long. */
void report_list_line(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* A line after an empty one. */
void report_paragraph(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* The same, of the form "Prediction: yes, since ...", of which the second part stands out. */
void report_verdict(report *r, const char *opening, const char *verdict, const char *remainder);
/* A line that belongs to the table above it. */
void report_remark(report *r, const char *format, ...) CLI_PRINTF(2, 3);
void report_empty_line(report *r);

/* ---- Tables ---- */

/* Who sees a row. */
enum { FOR_PEOPLE = 1, FOR_JSON = 2, FOR_CSV = 4, FOR_MACHINES = FOR_JSON | FOR_CSV, FOR_ALL = 7 };

/* Whether one of these is going to see the report. */
bool report_is_for(const report *r, unsigned audience);

/* How a table is written in JSON. */
typedef enum table_shape {
    TABLE_ROWS,  /* an array with an object a row */
    TABLE_MAP,   /* an object: the first column has the keys, the other is the value, or several are an object */
    TABLE_NESTED /* objects inside objects: all columns but the last have keys, rows with equal ones being together */
} table_shape;

typedef struct report_column {
    const char *key, *title, *group;
    bool is_left, is_bar;
    bool is_drawing; /* in characters: not on pages, which have pictures */
} report_column;

typedef enum cell_kind { CELL_ABSENT, CELL_NULL, CELL_NUMBER, CELL_COUNT, CELL_TEXT, CELL_LIST, CELL_BAR } cell_kind;

typedef struct report_cell {
    cell_kind kind;
    double number;
    const double *list; /* of CELL_LIST, as many as length says */
    const char *text;   /* of CELL_TEXT */
    size_t length;
    const char *shown; /* to people; NULL: as the kind has it */
    const char *brief; /* the same where the table would be too wide; NULL: as shown */
} report_cell;

typedef struct report_table {
    report *report;
    const char *key;
    /* For the builder to set. */
    table_shape shape;
    bool is_headed;     /* true */
    bool is_transposed; /* people see a row for each column */
    bool is_wrapped;    /* parts of it are written below each other where it is too wide */
    bool is_main;       /* CSV is this table, and nothing else */
    bool is_short;      /* JSON has each row on one line */
    bool is_hidden;     /* from people */
    size_t indent;      /* 2 */
    size_t rows_shown;  /* to people; SIZE_MAX */
    /* For renderers to read. */
    report_column *columns;
    size_t column_count;
    report_cell *cells; /* row by row */
    size_t cell_count, cell_room;
    unsigned char *audiences; /* of each row */
    size_t audience_room;
    unsigned audience; /* of the row to come; 0: all */
} report_table;

/* key NULL: for people, and, as the main table, for CSV. */
report_table *report_add_table(report *r, const char *key);
report_table *report_add_table_named(report *r, crd_text key);

/* Columns, before any cell. key NULL: for people alone; title NULL: for machines alone. The first is aligned to the
 * left, others to the right. */
void column_add(report_table *t, const char *key, const char *title);
void column_add_left(report_table *t, const char *key, const char *title);
/* Key and title are a name of the data. */
void column_add_named(report_table *t, crd_text name);
/* Bars to the left and right of a middle line, where there is room to draw. */
void column_add_bar(report_table *t);
/* Drawings in characters, under their scale. */
void column_add_drawing(report_table *t, const char *scale);
/* Columns from here on are members of an object of that name in each row; NULL: of the row itself. */
void column_group(report_table *t, const char *group);

/* Begins a row that not all see. */
void row_begin(report_table *t, unsigned audience);

/* Cells, row by row. */
void cell_number(report_table *t, double value); /* rounded for people */
void cell_count(report_table *t, double value);  /* in full */
void cell_list(report_table *t, const double *values, size_t count);
void cell_name(report_table *t, crd_text name); /* of the data */
void cell_words(report_table *t, const char *words);
void cell_format(report_table *t, const char *format, ...) CLI_PRINTF(2, 3);
/* A number that people see in words of their own. */
void cell_shown(report_table *t, double value, const char *format, ...) CLI_PRINTF(3, 4);
/* e^log, which may be no double. */
void cell_exponential(report_table *t, double log_value);
/* A probability as its fraction and as a number: where there is no room for both, as the number. */
void cell_fraction(report_table *t, double log_value, const char *fraction);
void cell_null(report_table *t);
/* No member of the row; people see `shown`. */
void cell_absent(report_table *t, const char *shown);
/* From -1 to 1; infinities fill their side. */
void cell_bar(report_table *t, double fraction);
/* Sets what people see instead of the cell just added if the table would be too wide. */
void cell_show_briefly(report_table *t, const char *brief);
/* What people see instead of the cell just added. */
void cell_show_as(report_table *t, const char *shown);

/* ---- Curves ---- */

/* Lines over one axis and to one scale, computed where they are drawn, with as many points as there is room for: `user`
 * has to live until the report is written. */
typedef struct report_curves {
    double from, to;
    double top;   /* the height of the scale; 0: the greatest there is */
    size_t lines; /* of characters that each is drawn in, under its name; 0: one, beside its name */
    size_t count;
    bool is_discrete; /* only whole numbers have heights */
    bool is_always;   /* drawn where there is no terminal, too */
    void *user;
    double (*height)(void *user, size_t line, double x); /* not negative */
    crd_text (*name)(void *user, size_t line);           /* NULL: lines have no names */
} report_curves;

void report_add_curves(report *r, const report_curves *curves);

/* ---- Graphs ---- */

/* A graph, drawn for people; machines get values of the caller's. Names and arcs are copied; directed arcs form no
 * cycle. */
void report_add_graph(report *r, const crd_text *names, size_t count, const graph_arc *arcs, size_t arc_count);

/* ---- Marked texts ---- */

typedef enum text_mark { MARK_NONE, MARK_FOR, MARK_AGAINST } text_mark;

/* A piece of a text; blanks are where lines may end. */
typedef struct marked_piece {
    const char *text;
    text_mark mark;
} marked_piece;

/* A text for people: marked pieces have a colour on a terminal that has colours, else they stand as [for+] and
 * [against-]. Machines get places of the caller's. Everything is copied. */
void report_add_marked(report *r, const marked_piece *pieces, size_t count);

/* ---- Pictures ---- */

/* Whether pictures are to be added: --plot names a file, and what is added here is for people. */
bool report_is_drawn(const report *r);
/* No pictures from here on. */
void report_end_drawing(report *r);
/* That of the library, to draw with. */
crd_context *report_context(const report *r);
/* Takes what a call of credence/plot.h drew, if it did; else reports its error. */
int report_add_picture(report *r, crd_status status, char **svg, const crd_error *error);

/* ---- Nodes, for renderers ---- */

typedef enum node_kind {
    NODE_OBJECT,
    NODE_ARRAY,
    NODE_END,
    NODE_NUMBER,
    NODE_TEXT,
    NODE_BOOLEAN,
    NODE_NULL,
    NODE_PROSE,
    NODE_TABLE,
    NODE_CURVES,
    NODE_GRAPH,
    NODE_MARKED,
    NODE_PICTURE
} node_kind;

typedef enum prose_style {
    PROSE_TOP_HEADING,
    PROSE_HEADING,
    PROSE_HEADING_ABOVE,
    PROSE_LINE,
    PROSE_LIST_LINE,
    PROSE_PARAGRAPH,
    PROSE_REMARK,
    PROSE_EMPTY_LINE
} prose_style;

typedef struct report_prose {
    prose_style style;
    unsigned level;
    const char *opening, *strong, *remainder; /* of which the second stands out */
    bool is_drawing;                          /* the rest is the legend of drawings in characters */
} report_prose;

typedef struct report_marked {
    const marked_piece *pieces;
    size_t count;
} report_marked;

typedef struct report_node {
    node_kind kind;
    crd_text key;  /* its bytes NULL: none */
    bool is_short; /* a container that is written on one line */
    union {
        double number;
        crd_text text;
        bool boolean;
        report_prose prose;
        report_table *table;
        report_curves curves;
        graph graph;
        report_marked marked;
        const char *picture; /* an element <svg> */
    };
} report_node;

/* In the order of writing; NODE_END closes a container. */
const report_node *report_nodes(const report *r, size_t *count);

#endif
