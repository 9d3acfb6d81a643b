/* SPDX-License-Identifier: MIT */
/* arrow_cell.h - one cell of a column of a record batch: where it lies behind offsets, runs and dictionaries, and its
 * value as a number or a text. */
#ifndef CRD_TABLE_ARROW_ARROW_CELL_H
#define CRD_TABLE_ARROW_ARROW_CELL_H

#include "table/arrow/arrow_type.h"

#include <credence/number.h>

#include <limits.h>

typedef struct crd_i_arrow_column {
    crd_i_arrow_type type;
    const struct ArrowArray *parent, *array; /* row i is element parent->offset + i of the array */
} crd_i_arrow_column;

/* A place in the buffers of the array that has the value. */
typedef struct crd_i_arrow_cell {
    const struct ArrowArray *array; /* NULL: missing */
    int64_t at;
} crd_i_arrow_cell;

static inline bool crd_i_arrow_bit(const void *bits, int64_t at) {
    return ((const uint8_t *)bits)[at / CHAR_BIT] >> (at % CHAR_BIT) & 1;
}

/* The validity bits, or NULL where every element is present. */
static inline const uint8_t *crd_i_arrow_validity(const struct ArrowArray *array) {
    return array->null_count == 0 || array->n_buffers < 1 ? NULL : array->buffers[0];
}

static inline bool crd_i_arrow_present(const struct ArrowArray *array, int64_t element) {
    const uint8_t *validity = crd_i_arrow_validity(array);
    return validity == NULL || crd_i_arrow_bit(validity, array->offset + element);
}

/* A number of one of the letters "cCsSiIlLefg". */
double crd_i_arrow_number_at(char letter, const void *values, int64_t at);
/* An integer of one of the letters "cCsSiIlL"; negative for one above INT64_MAX. */
int64_t crd_i_arrow_integer_at(char letter, const void *values, int64_t at);

/* The cell of a row. *run is where to begin to look for its run, 0 at first, and is moved on. NULL, or what is
 * wrong. */
const char *crd_i_arrow_locate(const crd_i_arrow_column *column, size_t row, int64_t *run, crd_i_arrow_cell *out);
/* The value of a dictionary's element. */
crd_i_arrow_cell crd_i_arrow_dictionary_cell(const struct ArrowArray *dictionary, int64_t element);

/* The value of a cell that is present: NULL, or what is wrong. A text that is no number is CRD_NUMBER_NONE. */
const char *crd_i_arrow_cell_number(const crd_i_arrow_type *type, crd_i_arrow_cell cell, double *number,
                                    crd_number_class *found);
/* Those of a type that has texts, or booleans, where they lie; they may have a NUL byte. */
const char *crd_i_arrow_cell_bytes(const crd_i_arrow_type *type, crd_i_arrow_cell cell, crd_text *text);
/* `room` is for texts that are made. Integers keep all their digits. */
const char *crd_i_arrow_cell_text(const crd_i_arrow_type *type, crd_i_arrow_cell cell, char room[CRD_NUMBER_ROOM],
                                  crd_text *text);

#endif
