/* SPDX-License-Identifier: MIT */
/* report.h - the result of a verb, built once as a tree and written in any format.
 *
 * A tree contains named values, tables, curves and prose. Names (keys) are for machines: they are the keys of JSON and
 * the fields of CSV. A node without a key is for people only. Titles and prose are for people. A node without a title
 * is for machines only. So each fact is stored once. A renderer (report_renderer.h) chooses which form to write and how
 * to round numbers. */
#ifndef CREDENCE_CLI_REPORT_H
#define CREDENCE_CLI_REPORT_H

#include "core/graph_layout.h"
#include "core/output.h"

typedef struct report report;

report *report_create(void);
/* Creates a report for the format of --format. Large parts that this format does not contain need not be built
 * (report_is_for). */
report *report_create_for(const invocation *call);
/* Creates a report that is built for all formats, with pictures if --plot names a file. */
report *report_create_drawn(const invocation *call);
void report_destroy(report *r);
/* Appends another report to this one, and destroys the other one. */
void report_absorb(report *r, report *other);

/* ---- Texts that live as long as the report ---- */

const char *report_format(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* Returns a name in the data as it can be displayed: characters that a terminal would interpret are escaped. */
const char *report_shown(report *r, crd_text name);
/* Copies the contents of a string and frees the string. */
const char *report_take(report *r, string *text);

/* ---- Values, for machines ---- */

/* Open a container: the values up to report_end are members of an object or elements of an array. The key is NULL for
 * an element of an array, and for the outermost container. All texts are copied. */
void report_object(report *r, const char *key);
void report_object_named(report *r, crd_text key);
void report_array(report *r, const char *key);
void report_array_named(report *r, crd_text key);
/* Open a container that is written on one line, with everything inside it. */
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
/* Adds a number, or a list of numbers if `count` is not 1. */
void report_numbers(report *r, const char *key, const double *values, size_t count);

/* ---- Prose, for people ---- */

/* Adds the first line of a report, and an empty line after it. */
void report_top_heading(report *r, const char *title);
/* Sets whether the following parts are for machines only: prose is dropped, and tables are hidden from people. */
void report_hide(report *r, bool is_hidden);

/* Adds a heading after an empty line; `remainder` follows on the same line. The level (from 1) is for formats with
 * heading levels. */
void report_heading(report *r, unsigned level, const char *heading, const char *remainder);
/* Adds a heading of drawings in characters, whose legend follows on the same line. */
void report_heading_drawing(report *r, unsigned level, const char *heading, const char *legend);
/* Adds a heading of a part that begins with another heading. */
void report_heading_above(report *r, unsigned level, const char *heading, const char *remainder);
/* Adds one of several lines that belong together. */
void report_line(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* Adds a line with a list that may be long. */
void report_list_line(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* Adds a line after an empty line. */
void report_paragraph(report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* Adds a paragraph of the form "Prediction: yes, since ...", whose second part is emphasized. */
void report_verdict(report *r, const char *opening, const char *verdict, const char *remainder);
/* Adds a line that belongs to the table above it. */
void report_remark(report *r, const char *format, ...) CLI_PRINTF(2, 3);
void report_empty_line(report *r);

/* ---- Tables ---- */

/* The audience of a row: the formats that contain it. */
enum { FOR_PEOPLE = 1, FOR_JSON = 2, FOR_CSV = 4, FOR_MACHINES = FOR_JSON | FOR_CSV, FOR_ALL = 7 };

/* Returns whether the report will be written in one of these formats. */
bool report_is_for(const report *r, unsigned audience);

/* The JSON structure of a table. */
typedef enum table_shape {
    TABLE_ROWS, /* an array with one object per row */
    /* An object: the first column contains the keys. The other column is the value; several columns are an object. */
    TABLE_MAP,
    TABLE_NESTED /* Nested objects: all columns except the last contain keys. Rows with equal keys must be adjacent. */
} table_shape;

typedef struct report_column {
    const char *key, *title, *group;
    bool is_left, is_bar;
    bool is_drawing; /* drawn in characters; omitted on HTML pages, which have pictures */
} report_column;

typedef enum cell_kind { CELL_ABSENT, CELL_NULL, CELL_NUMBER, CELL_COUNT, CELL_TEXT, CELL_LIST, CELL_BAR } cell_kind;

typedef struct report_cell {
    cell_kind kind;
    double number;
    const double *list; /* for CELL_LIST: `length` values */
    const char *text;   /* for CELL_TEXT */
    size_t length;
    const char *shown; /* the text for people; NULL: formatted according to the kind */
    const char *brief; /* a shorter text if the table would be too wide; NULL: as `shown` */
} report_cell;

typedef struct report_table {
    report *report;
    const char *key;
    /* Set by the builder. The comments give the defaults if they are not false. */
    table_shape shape;
    bool is_headed;     /* true */
    bool is_transposed; /* people see one row per column */
    bool is_wrapped;    /* if it is too wide, its parts are written one below the other */
    bool is_main;       /* the CSV output consists of this table only */
    bool is_short;      /* JSON writes each row on one line */
    bool is_hidden;     /* from people */
    size_t indent;      /* 2 */
    size_t rows_shown;  /* maximum number of rows for people; SIZE_MAX */
    /* Read by renderers. */
    report_column *columns;
    size_t column_count;
    report_cell *cells; /* row by row */
    size_t cell_count, cell_room;
    unsigned char *audiences; /* the audience of each row */
    size_t audience_room;
    unsigned audience; /* the audience of the next row; 0: all */
} report_table;

/* Adds a table. Without a key (NULL) it is for people only, and, as the main table, for CSV. */
report_table *report_add_table(report *r, const char *key);
report_table *report_add_table_named(report *r, crd_text key);

/* Add a column, before any cell. Without a key (NULL) it is for people only, without a title (NULL) for machines only.
 * The first column is left-aligned, the others are right-aligned. */
void column_add(report_table *t, const char *key, const char *title);
void column_add_left(report_table *t, const char *key, const char *title);
/* Adds a column whose key and title are a name in the data. */
void column_add_named(report_table *t, crd_text name);
/* Adds a column of bars to the left and right of a middle line. It is dropped if there is no space to draw. */
void column_add_bar(report_table *t);
/* Adds a column of drawings in characters, with their scale as the title. */
void column_add_drawing(report_table *t, const char *scale);
/* Makes the following columns members of an object called `group` in each row; NULL: members of the row itself. */
void column_group(report_table *t, const char *group);

/* Begins a row for a restricted audience. */
void row_begin(report_table *t, unsigned audience);

/* Add cells, row by row. */
void cell_number(report_table *t, double value); /* rounded for people */
void cell_count(report_table *t, double value);  /* with all digits */
void cell_list(report_table *t, const double *values, size_t count);
void cell_name(report_table *t, crd_text name); /* a name in the data */
void cell_words(report_table *t, const char *words);
void cell_format(report_table *t, const char *format, ...) CLI_PRINTF(2, 3);
/* Adds a number that people see as the formatted text. */
void cell_shown(report_table *t, double value, const char *format, ...) CLI_PRINTF(3, 4);
/* Adds e^log_value, which may be outside the range of doubles. */
void cell_exponential(report_table *t, double log_value);
/* Adds a probability as a fraction and as a number. If the table would be too wide, people see only the number. */
void cell_fraction(report_table *t, double log_value, const char *fraction);
void cell_null(report_table *t);
/* Adds a cell that is not a member of the row in JSON. People see `shown`. */
void cell_absent(report_table *t, const char *shown);
/* Adds a bar from -1 to 1. Infinities fill their side. */
void cell_bar(report_table *t, double fraction);
/* Sets the text that people see instead of the previous cell if the table would be too wide. */
void cell_show_briefly(report_table *t, const char *brief);
/* Sets the text that people see instead of the previous cell. */
void cell_show_as(report_table *t, const char *shown);

/* ---- Curves ---- */

/* Curves over a common axis with a common scale. They are evaluated when they are drawn, at as many points as fit.
 * `user` has to live until the report is written. */
typedef struct report_curves {
    double lower, upper;
    double top;   /* the upper end of the scale; 0: the maximum height */
    size_t lines; /* The height of each curve in lines of characters, under its name. 0: one line, next to its name. */
    size_t count;
    bool is_discrete; /* only integers have heights */
    bool is_always;   /* drawn even if the output is not a terminal */
    void *user;
    double (*height)(void *user, size_t line, double x); /* at least 0 */
    crd_text (*name)(void *user, size_t line);           /* NULL: curves have no names */
} report_curves;

void report_add_curves(report *r, const report_curves *curves);

/* ---- Graphs ---- */

/* Adds a graph that is drawn for people. For machines the caller adds values. Names and arcs are copied. Directed arcs
 * must not have a cycle. */
void report_add_graph(report *r, const crd_text *names, size_t count, const graph_arc *arcs, size_t arc_count);

/* ---- Marked texts ---- */

typedef enum text_mark { MARK_NONE, MARK_FOR, MARK_AGAINST } text_mark;

/* A piece of a text. Lines may be broken at spaces. */
typedef struct marked_piece {
    const char *text;
    text_mark mark;
} marked_piece;

/* Adds a text with highlighted pieces for people. Marked pieces are colored on a terminal with colors; elsewhere they
 * are written as [for+] and [against-]. For machines the caller adds positions. Everything is copied. */
void report_add_marked(report *r, const marked_piece *pieces, size_t count);

/* ---- Pictures ---- */

/* Returns whether to add pictures: --plot names a file, and the current part is not hidden from people. */
bool report_is_drawn(const report *r);
/* Adds no pictures from here on. */
void report_end_drawing(report *r);
/* Returns the library context to draw with; NULL: no pictures. */
crd_context *report_context(const report *r);
/* Takes ownership of the picture that a function of credence/plot.h drew, if it succeeded. Otherwise reports its
 * error. */
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
    const char *opening, *strong, *remainder; /* `strong` is emphasized */
    bool is_drawing;                          /* `remainder` is the legend of drawings in characters */
} report_prose;

typedef struct report_marked {
    const marked_piece *pieces;
    size_t count;
} report_marked;

typedef struct report_node {
    node_kind kind;
    crd_text key;  /* bytes NULL: no key */
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
        const char *picture; /* an <svg> element */
    };
} report_node;

/* Returns the nodes in output order. NODE_END closes a container. */
const report_node *report_nodes(const report *r, size_t *count);

#endif
