/* SPDX-License-Identifier: MIT */
/* columns.h - Columns: a table of columns in memory that Python owns, exported as an Arrow C stream.
 *
 * Contiguous items in native byte order are borrowed. All other items (strides, swapped bytes, one-byte booleans, texts of a fixed
 * width, masks of missing values) are copied block by block, so only a few blocks are held in addition to the input. After the columns
 * are added, nothing here needs the GIL. */
#ifndef CREDENCE_PYTHON_COLUMNS_H
#define CREDENCE_PYTHON_COLUMNS_H

#include "module.h"

#include <stdint.h>

/* The structs of the Arrow C Data Interface and the C Stream Interface, with the layout that their specifications define. */
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
    CELLS_TRUTH, /* one-byte booleans */
    CELLS_WIDE,  /* texts of a fixed number of code points, four bytes each, padded with NUL */
    CELLS_BYTES, /* texts of a fixed number of bytes, padded with NUL */
    CELLS_VIEWS, /* views of texts of any length: only for the values of codes */
    CELLS_ARROW  /* Arrow arrays, one after the other */
} cell_layout;

/* The rule for missing items in addition to the mask. */
typedef enum missing_rule {
    MISSING_NONE,
    MISSING_NEGATIVE, /* negative codes are missing */
    MISSING_LEAST     /* the minimum integer is missing, as numpy's NaT */
} missing_rule;

typedef struct table_column {
    char *name, *format;
    cell_layout layout;
    const char *data;
    ptrdiff_t stride;
    size_t width; /* bytes of an item */
    bool is_swapped;
    missing_rule rule;
    const uint8_t *mask; /* one byte per row, non-zero if the value is missing; NULL: no mask */
    ptrdiff_t mask_stride;
    struct table_column *values; /* for codes: the value of each code */
    size_t length;               /* number of values */
    const void **buffers;        /* buffers of the views */
    int64_t *lengths;
    struct ArrowSchema schema; /* schema of the Arrow arrays */
    struct ArrowArray *arrays;
    size_t array_count;
} table_column;

typedef struct columns_object {
    core_object head;
    size_t rows;
    table_column *columns;
    size_t count;
    PyObject *kept; /* a list of the objects that the columns borrow from */
} columns_object;

/* Creates a stream of all rows. If `owner` is not NULL, the stream and its batches hold a reference to it and take the GIL to release it.
 * Returns 0, or ENOMEM. */
int columns_stream(const columns_object *columns, PyObject *owner, struct ArrowArrayStream *out);

#endif
