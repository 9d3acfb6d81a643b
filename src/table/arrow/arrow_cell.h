/* SPDX-License-Identifier: MIT */
/* arrow_cell.h - finds one cell of a record batch column through offsets, runs and dictionaries, and reads it as a
 * number or a text. */
#ifndef CRD_TABLE_ARROW_ARROW_CELL_H
#define CRD_TABLE_ARROW_ARROW_CELL_H

#include "table/arrow/arrow_type.h"

#include <credence/number.h>

#include <limits.h>

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

/* Returns a number whose format is one of the letters "cCsSiIlLefg". */
double crd_i_arrow_number_at(char letter, const void *values, int64_t index);
/* Returns an integer whose format is one of the letters "cCsSiIlL"; negative if it is above INT64_MAX. */
int64_t crd_i_arrow_integer_at(char letter, const void *values, int64_t index);

/* Finds the cell of a row. *run is the run at which the search begins, initially 0, and is updated. Returns NULL, or
 * an error message. */
const char *crd_i_arrow_locate(const crd_i_arrow_column *column, size_t row, int64_t *run, crd_i_arrow_cell *out);
/* Returns the value of a dictionary element. */
crd_i_arrow_cell crd_i_arrow_dictionary_cell(const struct ArrowArray *dictionary, int64_t element);

/* Reads a present cell as a number. Returns NULL, or an error message. *found is CRD_NUMBER_NONE for a text that is
 * not a number. */
const char *crd_i_arrow_cell_number(const crd_i_arrow_type *type, crd_i_arrow_cell cell, double *number,
                                    crd_number_class *class);
/* Reads a present cell of a text or boolean type without copying it. The text may contain a NUL byte. */
const char *crd_i_arrow_cell_bytes(const crd_i_arrow_type *type, crd_i_arrow_cell cell, crd_text *text);
/* Reads a present cell as a text. `room` is used for formatted values. Integers keep all their digits. */
const char *crd_i_arrow_cell_text(const crd_i_arrow_type *type, crd_i_arrow_cell cell, char buffer[CRD_NUMBER_ROOM],
                                  crd_text *text);

#endif
