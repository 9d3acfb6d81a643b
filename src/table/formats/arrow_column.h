/* SPDX-License-Identifier: MIT */
/* arrow_column.h - converts a record batch column of any numeric or text type to the buffers that a frame borrows. */
#ifndef CRD_TABLE_FORMATS_ARROW_COLUMN_H
#define CRD_TABLE_FORMATS_ARROW_COLUMN_H

#include "base/context.h"
#include "table/read/row_batches.h"

#include <credence/base.h>
#include <credence/data.h>
#include <credence/number.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* ======== Arrow C interfaces ========
 *
 * The structs of the Arrow C Data Interface and the C Stream Interface, as their specifications define them. The
 * include guards match the specification, so callers can also define the structs elsewhere. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

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

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* ======== Column types ========
 *
 * The type of a record batch column, and whether Credence treats it as numeric, categorical or unsupported. */

/* The layout of values in their buffers. */
typedef enum crd_i_arrow_layout {
    CRD_I_ARROW_NULL,    /* nothing: every value is null */
    CRD_I_ARROW_BOOLEAN, /* bits */
    CRD_I_ARROW_NUMBER,  /* integers and floats of format `letter`, to be divided by `divisor` */
    CRD_I_ARROW_DECIMAL, /* signed integers of `width` bytes, to be divided by 10^scale */
    CRD_I_ARROW_TEXT,    /* bytes between offsets of 32 bits (`width` 4) or 64 bits (`width` 8) */
    CRD_I_ARROW_VIEW,    /* views of bytes, 16 bytes each */
    CRD_I_ARROW_FIXED,   /* `width` bytes each */
    CRD_I_ARROW_FOREIGN  /* neither numeric nor text: see `foreign` */
} crd_i_arrow_layout;

/* The meaning of numbers that are dates or times. */
typedef enum crd_i_arrow_clock {
    CRD_I_ARROW_NO_CLOCK,
    CRD_I_ARROW_DATE,
    CRD_I_ARROW_TIMESTAMP,
    CRD_I_ARROW_TIME
} crd_i_arrow_clock;

/* The type of the values of a column, of its runs, or of its dictionary. */
typedef struct crd_i_arrow_type {
    crd_i_arrow_layout layout;
    char letter; /* format of the stored numbers: one of "cCsSiIlLefg" */
    crd_i_arrow_clock clock;
    double divisor;  /* 1, except for times (converted to seconds) and dates (converted to days) */
    int scale;       /* decimal digits after the point; may be negative */
    size_t width;    /* bytes */
    bool is_indexed; /* the column contains indices of format `index_letter` into a dictionary of these values */
    bool is_run_end; /* the column contains runs of these values or indices; run ends have format `run_letter` */
    char index_letter, run_letter;
    const char *foreign; /* description of an unsupported type; NULL: numeric or categorical */
    char format[32];     /* format in the schema, truncated; for messages */
} crd_i_arrow_type;

/* Returns the type of a column. Never fails: an unknown format is foreign. */
crd_i_arrow_type crd_i_arrow_type_of(const struct ArrowSchema *schema);

/* Returns the column type of an Arrow type. Integers, floats, decimals, dates and times are numbers. Texts, booleans and
 * dictionary-encoded types are categories. Null and foreign types are NONE. */
crd_column_type crd_i_arrow_column_type(const crd_i_arrow_type *type);

/* ======== Cells ========
 *
 * One cell of a record batch column is found through offsets, runs and dictionaries, and read as a number or a text. */

typedef struct crd_i_arrow_column {
    crd_i_arrow_type type;
    const struct ArrowArray *parent, *array; /* row i is element parent->offset + i of the array */
} crd_i_arrow_column;

/* A position in the buffers of the array that contains the value. */
typedef struct crd_i_arrow_cell {
    const struct ArrowArray *array; /* NULL: missing */
    int64_t index;
} crd_i_arrow_cell;

static inline bool crd_i_arrow_bit(const void *bits, int64_t index) {
    return ((const uint8_t *)bits)[index / CHAR_BIT] >> (index % CHAR_BIT) & 1;
}

/* Returns the validity bits, or NULL if every element is present. */
static inline const uint8_t *crd_i_arrow_validity(const struct ArrowArray *array) {
    return array->null_count == 0 || array->n_buffers < 1 ? NULL : array->buffers[0];
}

static inline bool crd_i_arrow_present(const struct ArrowArray *array, int64_t element) {
    const uint8_t *validity = crd_i_arrow_validity(array);
    return validity == NULL || crd_i_arrow_bit(validity, array->offset + element);
}

/* Converts cells as crd_i_row_batch.convert does; `batch` is the batch's serial. The column must have been checked. */
CRD_MUST_USE crd_status crd_i_arrow_convert(const crd_i_arrow_column *column, uint64_t batch, crd_column_type type,
                                            size_t first, size_t rows, const crd_i_conversion *conversion,
                                            crd_i_column_room *workspace, crd_i_column *into, crd_i_cell_fault *fault);

/* Adds all dictionary values of an indexed column, whether or not a cell has them. The column must have been
 * checked. */
CRD_MUST_USE crd_status crd_i_arrow_add_dictionary(const crd_i_arrow_column *column, const crd_i_conversion *conversion,
                                                   crd_i_dictionary *target_dictionary, crd_i_cell_fault *fault);

/* ======== Column names ======== */

enum { CRD_I_ARROW_NAME_ROOM = 24 };

/* Returns the name of column `index`. Columns without a name are called c1, c2, ... as in files. */
static inline crd_text crd_i_arrow_name(const struct ArrowSchema *column, size_t index,
                                        char buffer[CRD_I_ARROW_NAME_ROOM]) {
    if (column->name != NULL && column->name[0] != '\0') return crd_text_of(column->name);
    crd_text numbered = {buffer, (size_t)snprintf(buffer, CRD_I_ARROW_NAME_ROOM, "c%zu", index + 1)};
    return numbered;
}

#endif
