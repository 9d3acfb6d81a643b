/* SPDX-License-Identifier: MIT */
/* columns.h - Columns: a table in columns over memory that Python owns, as an Arrow C stream.
 *
 * Items that lie one after the other in this machine's order of bytes are borrowed; all others (strides, swapped bytes, truth values of a
 * byte, texts of a fixed width, marks of missing cells) are gathered block by block, so that nothing is held beside the input but a few
 * blocks. Nothing here needs the GIL once the columns are added. */
#ifndef CREDENCE_PYTHON_COLUMNS_H
#define CREDENCE_PYTHON_COLUMNS_H

#include "module.h"

#include <stdint.h>

/* The structs of the Arrow C Data Interface and of the C Stream Interface, as their specifications lay them out. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

typedef enum cell_layout {
    CELLS_ITEMS, /* numbers of 1, 2, 4 or 8 bytes */
    CELLS_TRUTH, /* truth values of a byte each */
    CELLS_WIDE,  /* texts of a fixed number of code points, four bytes each, filled up with NUL */
    CELLS_BYTES, /* texts of a fixed number of bytes, filled up with NUL */
    CELLS_VIEWS, /* views of texts of any length: only what codes mean */
    CELLS_ARROW  /* arrays of Arrow, one after the other */
} cell_layout;

/* Which items are missing beyond those of the mask. */
typedef enum missing_rule {
    MISSING_NONE,
    MISSING_NEGATIVE, /* of codes */
    MISSING_LEAST     /* the least integer, as numpy has for times that are none */
} missing_rule;

typedef struct table_column {
    char *name, *format;
    cell_layout layout;
    const char *data;
    ptrdiff_t stride;
    size_t width; /* bytes of an item */
    bool is_swapped;
    missing_rule rule;
    const uint8_t *mask; /* a byte for each row, non-zero where the cell is missing; NULL: none */
    ptrdiff_t mask_stride;
    struct table_column *values; /* of codes: what they mean */
    size_t length;               /* of values */
    const void **buffers;        /* of views */
    int64_t *lengths;
    struct ArrowSchema schema; /* of arrays */
    struct ArrowArray *arrays;
    size_t array_count;
} table_column;

typedef struct columns_object {
    core_object head;
    size_t rows;
    table_column *columns;
    size_t count;
    PyObject *kept; /* a list of what is borrowed */
} columns_object;

/* A stream of all rows; `owner` is kept by the stream and its batches where it is not NULL, which takes the GIL at their end. Returns
 * 0, or ENOMEM. */
int columns_stream(const columns_object *columns, PyObject *owner, struct ArrowArrayStream *out);
/* Types of the cells of a sequence of objects, and their values; for add_columns. */
int add_object_cells(PyObject *module);

#endif
