/* SPDX-License-Identifier: MIT */
/* credence/result.h - a result as a tree, built once and written in any format. Experimental: it may change in any
 * release.
 *
 * A tree contains named values, tables, curves, graphs, pictures and prose. Names (keys) are for machines: they are the
 * keys of JSON and the fields of CSV. A node without a key is for people only. Titles and prose are for people. A column
 * without a title is for machines only. So each fact is stored once, and each format chooses its form and how numbers
 * are rounded.
 *
 *   crd_result *r;
 *   if (crd_result_create(context, CRD_FOR_ALL, &r, &error) != CRD_OK) ...
 *   crd_result_begin(r, CRD_OBJECT, NULL);
 *   crd_result_number(r, "rows", 14);
 *   crd_result_end(r);
 *   status = crd_result_write(r, CRD_RESULT_JSON, NULL, write_to_file, file, &error);
 *
 * Functions that add to a tree do not fail: if memory runs out, the tree remembers it, and crd_result_check and
 * crd_result_write return CRD_ERROR_MEMORY. Texts are copied unless stated otherwise. */
#ifndef CREDENCE_RESULT_H
#define CREDENCE_RESULT_H

#ifndef CRD_EXPERIMENTAL
#error "credence/result.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CRD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CRD_PRINTF(text, first)
#endif

typedef struct crd_result crd_result;

/* The audience of a result or of a row: the formats that contain it. */
enum {
    CRD_FOR_PEOPLE = 1,
    CRD_FOR_JSON = 2,
    CRD_FOR_CSV = 4,
    CRD_FOR_MACHINES = CRD_FOR_JSON | CRD_FOR_CSV,
    CRD_FOR_ALL = 7,
    CRD_FOR_PICTURES = 8 /* people also see pictures */
};

/* Creates an empty result in *out, for the formats in `audience`. Destroy it with crd_result_destroy. */
CRD_API CRD_MUST_USE crd_status crd_result_create(crd_context *context, unsigned audience, crd_result **out,
                                                  crd_error *error);
/* Destroys a result; NULL: does nothing. */
CRD_API void crd_result_destroy(crd_result *result);
/* Appends another result of the same context to this one, and destroys the other one. */
CRD_API void crd_result_append(crd_result *result, crd_result *other);
/* Returns whether the result will be written in one of these formats. Large parts for other formats need not be built.
 * CRD_FOR_PICTURES: whether to add a picture here, which is not the case in a hidden part. */
CRD_API int crd_result_is_for(const crd_result *result, unsigned audience);
/* Returns the context of the result. */
CRD_API crd_context *crd_result_context(const crd_result *result);
/* Returns CRD_ERROR_MEMORY if memory ran out while the result was built. */
CRD_API CRD_MUST_USE crd_status crd_result_check(const crd_result *result, crd_error *error);

/* ---- Texts that live as long as the result ---- */

/* Formats a text. */
CRD_API const char *crd_result_format(crd_result *result, const char *format, ...) CRD_PRINTF(2, 3);
/* Returns a name in the data as it can be displayed; see crd_text_show. */
CRD_API const char *crd_result_show(crd_result *result, crd_text name);
/* Writes a text to `out` so that it can be displayed on one line, and returns its length. Escapes control characters,
 * characters that change the text direction, and bytes that are not valid UTF-8. `out` needs room for four bytes per
 * byte of the text. */
CRD_API size_t crd_text_show(crd_text text, char *out);

/* ---- Values, for machines ---- */

typedef enum crd_node_type {
    CRD_RESULT_BEGIN,
    CRD_RESULT_END, /* closes a container */
    CRD_RESULT_NUMBER,
    CRD_RESULT_COUNT, /* an integer, in `number` */
    CRD_RESULT_NUMBERS,
    CRD_RESULT_TEXT,
    CRD_RESULT_BOOLEAN,
    CRD_RESULT_NULL, /* only crd_result_visit passes it */
    CRD_RESULT_PROSE,
    CRD_RESULT_TABLE,
    CRD_RESULT_CURVES,
    CRD_RESULT_GRAPH,
    CRD_RESULT_MARKED,
    CRD_RESULT_PICTURE
} crd_node_type;

/* Containers: objects have keys, arrays have elements. A short container is written on one line, with everything in
 * it. */
typedef enum crd_container { CRD_OBJECT, CRD_ARRAY, CRD_SHORT_OBJECT, CRD_SHORT_ARRAY } crd_container;

/* Sets the key of the next node, whose own key must then be NULL. */
CRD_API void crd_result_key(crd_result *result, crd_text key);
/* Opens a container: the nodes up to crd_result_end are its members or elements. The key is NULL for an element of an
 * array, and for the outermost container. */
CRD_API void crd_result_begin(crd_result *result, crd_container container, const char *key);
/* Closes the innermost open container. */
CRD_API void crd_result_end(crd_result *result);
/* Adds a number, a count or a boolean. */
CRD_API void crd_result_value(crd_result *result, crd_node_type type, const char *key, double value);
/* Adds a number. If it is not finite, it is null in JSON. */
static inline void crd_result_number(crd_result *result, const char *key, double value) {
    crd_result_value(result, CRD_RESULT_NUMBER, key, value);
}
/* Adds a count. */
static inline void crd_result_count(crd_result *result, const char *key, uint64_t count) {
    crd_result_value(result, CRD_RESULT_COUNT, key, (double)count);
}
/* Adds true or false. */
static inline void crd_result_boolean(crd_result *result, const char *key, int value) {
    crd_result_value(result, CRD_RESULT_BOOLEAN, key, value != 0);
}
/* Adds a text. */
CRD_API void crd_result_text(crd_result *result, const char *key, crd_text value);
/* Adds a text that ends with NUL. */
static inline void crd_result_words(crd_result *result, const char *key, const char *value) {
    crd_result_text(result, key, crd_text_of(value));
}

/* ---- Prose, for people ---- */

typedef enum crd_prose_style {
    CRD_TOP_HEADING,     /* the first line of a result, and an empty line after it */
    CRD_HEADING,         /* a heading after an empty line */
    CRD_HEADING_ABOVE,   /* a heading of a part that begins with another heading */
    CRD_HEADING_DRAWING, /* a heading of drawings in characters, whose legend is the remainder */
    CRD_LINE,            /* one of several lines that belong together */
    CRD_LIST_LINE,       /* a line with a list that may be long */
    CRD_PARAGRAPH,       /* a line after an empty line */
    CRD_REMARK,          /* a line that belongs to the table above it */
    CRD_EMPTY_LINE
} crd_prose_style;

/* Sets whether the following parts are for machines only: prose is dropped, and tables are hidden from people. */
CRD_API void crd_result_hide(crd_result *result, int is_hidden);
/* Adds a formatted line in the style of a line, list line, paragraph or remark. */
CRD_API void crd_result_line(crd_result *result, crd_prose_style style, const char *format, ...) CRD_PRINTF(3, 4);
/* Adds prose in any style: "Prediction: yes, since ...", whose second part is emphasized. The level (from 1) is for
 * formats with heading levels; it is 0 unless the prose is a heading. */
CRD_API void crd_result_prose(crd_result *result, crd_prose_style style, unsigned level, const char *opening,
                              const char *strong, const char *remainder);
/* Adds a heading; `remainder` follows on the same line. */
static inline void crd_result_heading(crd_result *result, unsigned level, const char *heading, const char *remainder) {
    crd_result_prose(result, CRD_HEADING, level, "", heading, remainder);
}

/* ---- Tables ---- */

/* The JSON structure of a table. */
typedef enum crd_table_shape {
    CRD_TABLE_ROWS, /* an array with one object per row */
    /* An object: the first column contains the keys. The other column is the value; several columns are an object. */
    CRD_TABLE_MAP,
    CRD_TABLE_NESTED /* Nested objects: all columns except the last contain keys. Rows with equal keys are adjacent. */
} crd_table_shape;

typedef struct crd_result_column {
    const char *key, *title, *group;
    int is_left;    /* left-aligned; the first column is */
    int is_bar;     /* bars to the left and right of a middle line; dropped if there is no space to draw */
    int is_drawing; /* drawn in characters; omitted on HTML pages, which have pictures */
} crd_result_column;

typedef enum crd_cell_kind {
    CRD_CELL_ABSENT,
    CRD_CELL_NULL,
    CRD_CELL_NUMBER,
    CRD_CELL_COUNT,
    CRD_CELL_TEXT,
    CRD_CELL_LIST,
    CRD_CELL_BAR
} crd_cell_kind;

typedef struct crd_result_cell {
    crd_cell_kind kind;
    double number;
    const double *list; /* for CRD_CELL_LIST: `length` values */
    const char *text;   /* for CRD_CELL_TEXT */
    size_t length;
    const char *shown; /* the text for people; NULL: formatted according to the kind */
    const char *brief; /* a shorter text if the table would be too wide; NULL: as `shown` */
} crd_result_cell;

typedef struct crd_result_table {
    crd_result *result;
    /* The caller may set these members. The comments give the defaults if they are not zero. */
    crd_table_shape shape;
    int is_headed;     /* 1 */
    int is_transposed; /* people see one row per column */
    int is_wrapped;    /* if it is too wide, its parts are written one below the other */
    int is_main;       /* the CSV output consists of this table only */
    int is_short;      /* JSON writes each row on one line */
    int is_hidden;     /* from people */
    size_t indent;     /* 2 */
    size_t rows_shown; /* maximum number of rows for people; SIZE_MAX */
    unsigned audience; /* the audience of the next row; 0: all */
    const char *group; /* the next columns are members of an object with this key in each row; NULL: of the row */
    /* Read-only. */
    crd_result_column *columns;
    size_t column_count, column_room;
    crd_result_cell *cells; /* row by row */
    size_t cell_count, cell_room;
    unsigned char *audiences; /* the audience of each row */
    size_t audience_room;
} crd_result_table;

/* Adds a table. Without a key (NULL) it is for people only, and, as the main table, for CSV. The result owns it. */
CRD_API crd_result_table *crd_result_add_table(crd_result *result, const char *key);
/* Adds a column, before any cell. Without a key (NULL) it is for people only, without a title (NULL) for machines
 * only. */
CRD_API crd_result_column *crd_result_add_column(crd_result_table *table, const char *key, const char *title);

/* Cells are added row by row. */

/* Adds a number, a count, a bar or null (whose value is ignored). */
CRD_API void crd_cell_add(crd_result_table *table, crd_cell_kind kind, double value);
/* Adds a number, which is rounded for people. */
static inline void crd_cell_number(crd_result_table *table, double value) {
    crd_cell_add(table, CRD_CELL_NUMBER, value);
}
/* Adds a count, which people see with all digits. */
static inline void crd_cell_count(crd_result_table *table, double value) {
    crd_cell_add(table, CRD_CELL_COUNT, value);
}
/* Adds a bar from -1 to 1. Infinities fill their side. */
static inline void crd_cell_bar(crd_result_table *table, double fraction) {
    crd_cell_add(table, CRD_CELL_BAR, fraction);
}
/* Adds a cell that is null in JSON, and empty for people. */
static inline void crd_cell_null(crd_result_table *table) {
    crd_cell_add(table, CRD_CELL_NULL, 0);
}
/* Adds a list of numbers, which is copied. */
CRD_API void crd_cell_list(crd_result_table *table, const double *values, size_t count);
/* Adds a name in the data, which people see as crd_text_show writes it. */
CRD_API void crd_cell_name(crd_result_table *table, crd_text name);
/* Adds a text. */
CRD_API void crd_cell_words(crd_result_table *table, const char *words);
/* Adds a formatted text. */
CRD_API void crd_cell_format(crd_result_table *table, const char *format, ...) CRD_PRINTF(2, 3);
/* Adds a number that people see as the formatted text. */
CRD_API void crd_cell_shown(crd_result_table *table, double value, const char *format, ...) CRD_PRINTF(3, 4);
/* Adds a cell that is not a member of the row in JSON. People see `shown`. */
CRD_API void crd_cell_absent(crd_result_table *table, const char *shown);
/* Sets the text that people see instead of the previous cell, and a shorter one if the table would be too wide. NULL:
 * unchanged. */
CRD_API void crd_cell_show_as(crd_result_table *table, const char *shown, const char *brief);

/* ---- Curves, graphs, marked texts and pictures, for people ---- */

/* Curves over a common axis with a common scale. They are evaluated when they are drawn, at as many points as fit.
 * `user` must live until the result is written. */
typedef struct crd_result_curves {
    double lower, upper;
    double top;   /* the upper end of the scale; 0: the maximum height */
    size_t lines; /* The height of each curve in lines of characters, under its name. 0: one line, next to its name. */
    size_t count;
    int is_discrete; /* only integers have heights */
    int is_always;   /* drawn even if the output is not a terminal */
    void *user;
    double (*height)(void *user, size_t line, double x); /* at least 0 */
    crd_text (*name)(void *user, size_t line);           /* NULL: curves have no names */
} crd_result_curves;

/* The ends of an undirected edge are in any order. */
typedef struct crd_result_arc {
    size_t first, end;
    int is_undirected;
} crd_result_arc;

/* A graph whose directed arcs have no cycle. */
typedef struct crd_result_graph {
    const char *const *names; /* as they are displayed */
    size_t count;
    const crd_result_arc *arcs;
    size_t arc_count;
} crd_result_graph;

typedef enum crd_text_mark { CRD_MARK_NONE, CRD_MARK_FOR, CRD_MARK_AGAINST } crd_text_mark;

/* A piece of a text. Lines may be broken at spaces. */
typedef struct crd_marked_piece {
    const char *text;
    crd_text_mark mark;
} crd_marked_piece;

/* Adds curves. */
CRD_API void crd_result_add_curves(crd_result *result, const crd_result_curves *curves);
/* Adds a graph. For machines the caller adds values. Names and arcs are copied. */
CRD_API void crd_result_add_graph(crd_result *result, const crd_text *names, size_t count, const crd_result_arc *arcs,
                                  size_t arc_count);
/* Adds a text with highlighted pieces. For machines the caller adds positions. Everything is copied. */
CRD_API void crd_result_add_marked(crd_result *result, const crd_marked_piece *pieces, size_t count);
/* Adds a picture from a function of credence/plot.h, and frees it. */
CRD_API void crd_result_add_picture(crd_result *result, char *svg);

/* ---- Reading and writing ---- */

typedef struct crd_result_node {
    crd_node_type type;
    crd_text key; /* bytes NULL: no key */
    union {
        crd_container container; /* of CRD_RESULT_BEGIN and CRD_RESULT_END */
        double number;           /* of a number, a count and a boolean, which is 0 or 1 */
        crd_text text;
        crd_result_table *table;
        crd_result_curves curves;
        crd_result_graph graph;
        const char *picture; /* an <svg> element */
        struct {
            const double *values;
            size_t count;
        } numbers;
        struct {
            crd_prose_style style;
            unsigned level;
            const char *opening, *strong, *remainder; /* `strong` is emphasized */
        } prose;
        struct {
            const crd_marked_piece *pieces;
            size_t count;
        } marked;
    };
} crd_result_node;

/* Returns the nodes in output order. */
CRD_API const crd_result_node *crd_result_nodes(const crd_result *result, size_t *count);

/* Calls a function for each container and value that machines read, in order. Tables with a key are containers of
 * values, in their shape. */
typedef void crd_result_visitor(void *user, const crd_result_node *node);
CRD_API void crd_result_visit(const crd_result *result, crd_result_visitor *visitor, void *user);

typedef enum crd_result_syntax {
    CRD_RESULT_JSON,      /* all values; numbers have the fewest digits that read back to the same bits */
    CRD_RESULT_JSON_LINE, /* the same on one line */
    CRD_RESULT_CSV,       /* the main table, or a line with a name and a value for each value that has a key */
    CRD_RESULT_HTML       /* prose, tables and pictures; names are escaped */
} crd_result_syntax;

/* Receives bytes. It has to remember failures itself. */
typedef void crd_result_sink(void *user, const char *bytes, size_t length);

/* Writes the result. `title` is the title of an HTML page; NULL: only the contents of its body; other formats ignore it.
 * Returns CRD_ERROR_MEMORY if memory ran out, now or while the result was built. */
CRD_API CRD_MUST_USE crd_status crd_result_write(const crd_result *result, crd_result_syntax syntax, const char *title,
                                                 crd_result_sink *write, void *user, crd_error *error);
/* Writes a CSV field. Quotes it if a reader would otherwise not get the same text back. keeps_missing: a word for
 * missing is not quoted, so it still means missing. */
CRD_API void crd_csv_write(crd_text field, int keeps_missing, crd_result_sink *write, void *user);

#ifdef __cplusplus
}
#endif

#endif
