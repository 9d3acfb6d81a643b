/* SPDX-License-Identifier: MIT */
/* row_batches.h - rows that arrive in columns, not in bytes: the interface between a reader and frames or Arrow
 * streams.
 *
 * A source returns batches one after the other, under the reader's lock. Workers take slices of them and convert
 * each column of a slice concurrently; their frames borrow the result. The column types determine the kinds, so
 * nothing is guessed and no kind changes. */
#ifndef CRD_TABLE_READ_ROW_BATCHES_H
#define CRD_TABLE_READ_ROW_BATCHES_H

#include "table/frame.h"
#include "table/missing_values.h"

/* Memory for the converted cells of a column. A worker has one for each column and reuses it. Zero-initialize it. */
typedef struct crd_i_column_room {
    crd_i_dictionary *dictionary; /* of a category: new values are added; not freed with the room */
    double *numbers;              /* codes use the same memory */
    size_t numbers_capacity;
    uint8_t *bits; /* validity bitmap, if it cannot be borrowed */
    size_t bits_capacity;
    int32_t *map; /* maps codes of batch `map_of` to codes of the dictionary */
    size_t map_capacity;
    uint64_t map_of;
    crd_text *texts; /* of a TEXT: they borrow the batch's memory, or `written` */
    size_t texts_capacity;
    char *written; /* formatted numbers, CRD_NUMBER_ROOM bytes each */
    size_t written_capacity;
} crd_i_column_room;

void crd_i_column_room_clear(crd_context *context, crd_i_column_room *workspace);
/* Reserves memory for `rows` texts. with_numbers: some texts are numbers; text `row` is then formatted at written +
 * row * CRD_NUMBER_ROOM. false: out of memory. */
CRD_MUST_USE bool crd_i_column_room_texts(crd_context *context, crd_i_column_room *workspace, size_t rows,
                                          bool with_numbers);
/* Map entries that are not codes of the dictionary. */
enum { CRD_I_MAP_MISSING = -1, CRD_I_MAP_UNKNOWN = -2 };
/* Reserves a map of `size` codes. Sets all entries to unknown, unless it is already the map of this batch. false:
 * out of memory. */
CRD_MUST_USE bool crd_i_column_room_map(crd_context *context, crd_i_column_room *workspace, uint64_t batch,
                                        size_t size);

/* Default limit on the number of values of a column. */
enum { CRD_I_DEFAULT_MAX_CATEGORIES = 1000000 };

/* An error in a column of a slice. */
typedef struct crd_i_cell_fault {
    crd_status status;
    size_t row;     /* row of the slice from 0; SIZE_MAX: the column as a whole */
    char what[320]; /* predicate of the message: "is infinite: numbers must be finite" */
} crd_i_cell_fault;

crd_status crd_i_cell_fail(crd_i_cell_fault *fault, crd_status status, size_t row, const char *description);
crd_status crd_i_cell_fail_memory(crd_i_cell_fault *fault);

/* Conversion settings of a column. */
typedef struct crd_i_conversion {
    crd_context *context;
    const crd_i_missing *missing; /* texts that mean missing; NULL: none do */
    size_t max_categories;
    const crd_i_truth_words *truth; /* spellings of truth values that cells are matched with; NULL: none */
    bool keeps_mark;                /* ? is a label, unless it is listed as missing */
} crd_i_conversion;

/* Finds or adds a text in a dictionary and stores its code. Stores the code for missing if the text means missing. */
CRD_MUST_USE crd_status crd_i_conversion_code(const crd_i_conversion *conversion, crd_i_dictionary *dictionary,
                                              crd_text text, size_t row, int32_t *code, crd_i_cell_fault *fault);

typedef struct crd_i_row_batch crd_i_row_batch;
struct crd_i_row_batch {
    size_t users; /* reference count, guarded by the reader's lock */
    size_t rows;
    uint64_t serial; /* unique in its context */
    /* Prepares a slice before any of its columns is converted. Called by the worker that took the slice. The error
     * includes its location. NULL: nothing to do. */
    crd_status (*prepare)(crd_i_row_batch *batch, size_t first, size_t rows, crd_error *error);
    /* Returns the text of a cell in a prepared row, for crd_reader_cell; NULL: cells are not texts. */
    crd_text (*text)(const crd_i_row_batch *batch, size_t column, size_t row);
    /* Converts cells [from .. from + rows) of a column to a kind other than NONE. Fills in the kind, validity,
     * numbers, codes, texts and dictionary of *into. A column that is entirely missing may become kind NONE. */
    crd_status (*convert)(const crd_i_row_batch *batch, size_t column, crd_kind kind, size_t first, size_t rows,
                          const crd_i_conversion *conversion, crd_i_column_room *workspace, crd_i_column *into,
                          crd_i_cell_fault *fault);
    void (*destroy)(crd_i_row_batch *batch);
};

/* The content of a column's cells, for form detection. */
typedef enum crd_i_cell_content {
    CRD_I_CELLS_OTHER = 0,
    CRD_I_CELLS_TEXTS,
    CRD_I_CELLS_DATES,   /* numbers: days since 1970-01-01 */
    CRD_I_CELLS_MOMENTS, /* numbers: seconds since 1970-01-01 */
    CRD_I_CELLS_TIMES    /* numbers: seconds since midnight */
} crd_i_cell_content;

/* The base of each kind of source, its first member. */
typedef struct crd_i_batch_source crd_i_batch_source;
struct crd_i_batch_source {
    size_t column_count;
    uint64_t rows; /* total; 0: unknown */
    bool
        /* the first column contains row names and is ignored unless requested; callers know the names of all other
         * columns */
        has_row_names;
    crd_text (*name)(const crd_i_batch_source *source, size_t column);
    crd_kind (*kind)(const crd_i_batch_source *source, size_t column); /* NONE: no cell is present, or foreign */
    /* NULL: CRD_I_CELLS_OTHER for all columns */
    crd_i_cell_content (*content)(const crd_i_batch_source *source, size_t column);
    /* Returns a description of a column type that is neither numeric nor categorical; NULL: it is supported. */
    const char *(*foreign)(const crd_i_batch_source *source, size_t column);
    /* Returns the values of a category known so far, whether or not a cell has them; NULL: none. Values are added
     * under the reader's lock. */
    const crd_i_dictionary *(*values)(const crd_i_batch_source *source, size_t column);
    /* Returns the next batch with one reference; NULL at the end. */
    crd_status (*next)(crd_i_batch_source *source, crd_i_row_batch **out, crd_error *error);
    crd_status (*rewind)(crd_i_batch_source *source, crd_error *error); /* NULL: not supported */
    void (*close)(crd_i_batch_source *source);                          /* frees the source too */
};

/* Opens a reader over a source, which it takes over even if it fails. `place` is copied. */
CRD_MUST_USE crd_status crd_i_reader_open_batches(crd_context *context, crd_i_batch_source *source, const char *place,
                                                  const crd_reader_options *options, crd_reader **out,
                                                  crd_error *error);

#endif
