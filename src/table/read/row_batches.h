/* SPDX-License-Identifier: MIT */
/* row_batches.h - rows that come in columns, not in bytes: what a reader needs of frames and of Arrow streams.
 *
 * A source hands out batches one after the other, under the reader's lock. Workers take slices of them and convert
 * each column of a slice, beside each other, into what their frames borrow. Kinds follow from the columns' types, so
 * that nothing is guessed, and no column turns over. */
#ifndef CRD_TABLE_READ_ROW_BATCHES_H
#define CRD_TABLE_READ_ROW_BATCHES_H

#include "table/frame.h"
#include "table/missing_values.h"

/* What a column's cells are converted into; a worker has one for each column, and reuses it. Zero-initialised. */
typedef struct crd_i_column_room {
    crd_i_dictionary *dictionary; /* of a category: it grows by what is met; not freed with the room */
    double *numbers;              /* codes stand in the same memory */
    size_t numbers_capacity;
    uint8_t *bits; /* of validity, where these cannot be borrowed */
    size_t bits_capacity;
    int32_t *map; /* from the codes of batch `map_of` to those of the dictionary */
    size_t map_capacity;
    uint64_t map_of;
    crd_text *texts; /* of a TEXT: they borrow the batch's memory, or `written` */
    size_t texts_capacity;
    char *written; /* texts of numbers, CRD_NUMBER_ROOM bytes each */
    size_t written_capacity;
} crd_i_column_room;

void crd_i_column_room_clear(crd_context *context, crd_i_column_room *room);
/* Room for so many texts; with_numbers: some of these are numbers, of which text `row` is written at
 * written + row * CRD_NUMBER_ROOM. false: out of memory. */
CRD_MUST_USE bool crd_i_column_room_texts(crd_context *context, crd_i_column_room *room, size_t rows,
                                          bool with_numbers);
/* Codes of the map that are no codes of the dictionary. */
enum { CRD_I_MAP_MISSING = -1, CRD_I_MAP_UNKNOWN = -2 };
/* A map of `size` codes, all of them unknown unless it is that of the same batch already; false: out of memory. */
CRD_MUST_USE bool crd_i_column_room_map(crd_context *context, crd_i_column_room *room, uint64_t batch, size_t size);

/* Values that a column may have where nobody says how many. */
enum { CRD_I_DEFAULT_MAX_CATEGORIES = 1000000 };

/* What is wrong with a column of a slice. */
typedef struct crd_i_cell_fault {
    crd_status status;
    size_t row;     /* of the slice, from 0; SIZE_MAX: it is the column */
    char what[320]; /* the predicate of a sentence: "is infinite: numbers must be finite" */
} crd_i_cell_fault;

crd_status crd_i_cell_fail(crd_i_cell_fault *fault, crd_status status, size_t row, const char *what);
crd_status crd_i_cell_fail_memory(crd_i_cell_fault *fault);

/* What holds for a column. */
typedef struct crd_i_conversion {
    crd_context *context;
    const crd_i_missing *missing; /* texts that mean missing; NULL: none do */
    size_t max_categories;
    const crd_i_truth_words *truth; /* that cells are to match; NULL: none */
    bool keeps_mark;                /* ? is a label, unless somebody has listed it as missing */
} crd_i_conversion;

/* The code of a text in a dictionary, found or new; that of what is missing where the text means it. */
CRD_MUST_USE crd_status crd_i_conversion_code(const crd_i_conversion *how, crd_i_dictionary *dictionary, crd_text text,
                                              size_t row, int32_t *code, crd_i_cell_fault *fault);

typedef struct crd_i_row_batch crd_i_row_batch;
struct crd_i_row_batch {
    size_t users; /* guarded by the reader's lock */
    size_t rows;
    uint64_t serial; /* of its context */
    /* Called by who has the slice, before any of its columns is converted. The error has its place. NULL: nothing is to be done. */
    crd_status (*prepare)(crd_i_row_batch *batch, size_t from, size_t rows, crd_error *error);
    /* The text of a cell of a row that is prepared, for crd_reader_cell; NULL: cells are no texts. */
    crd_text (*text)(const crd_i_row_batch *batch, size_t column, size_t row);
    /* Cells [from .. from + rows) of a column, which has a kind that is not NONE: fills in the kind,
     * validity, numbers, codes, texts and dictionary of *into. What is missing everywhere may become kind NONE. */
    crd_status (*convert)(const crd_i_row_batch *batch, size_t column, crd_kind kind, size_t from, size_t rows,
                          const crd_i_conversion *how, crd_i_column_room *room, crd_i_column *into,
                          crd_i_cell_fault *fault);
    void (*destroy)(crd_i_row_batch *batch);
};

/* What the cells of a column are, for forms. */
typedef enum crd_i_cell_content {
    CRD_I_CELLS_OTHER = 0,
    CRD_I_CELLS_TEXTS,
    CRD_I_CELLS_DATES,   /* as numbers: days since 1970-01-01 */
    CRD_I_CELLS_MOMENTS, /* seconds since then */
    CRD_I_CELLS_TIMES    /* seconds since midnight */
} crd_i_cell_content;

/* Embedded first in each kind of source. */
typedef struct crd_i_batch_source crd_i_batch_source;
struct crd_i_batch_source {
    size_t column_count;
    uint64_t rows; /* in all; 0: not known */
    bool
        has_row_names; /* the first column names the row, and is ignored unless it is asked for; the names of all others are known to who asks */
    crd_text (*name)(const crd_i_batch_source *source, size_t column);
    crd_kind (*kind)(const crd_i_batch_source *source, size_t column); /* NONE: no cell is present, or foreign */
    crd_i_cell_content (*content)(const crd_i_batch_source *source, size_t column); /* NULL: all are other */
    /* What the column is, where it can be neither a number nor a category; NULL: it can. */
    const char *(*foreign)(const crd_i_batch_source *source, size_t column);
    /* The values that a category is known to have, by what was read so far, whether or not a cell has them; NULL: none.
     * They grow under the reader's lock. */
    const crd_i_dictionary *(*values)(const crd_i_batch_source *source, size_t column);
    /* The next batch, with one user; NULL at the end. */
    crd_status (*next)(crd_i_batch_source *source, crd_i_row_batch **out, crd_error *error);
    crd_status (*rewind)(crd_i_batch_source *source, crd_error *error); /* NULL: that cannot be done */
    void (*close)(crd_i_batch_source *source);                          /* frees the source too */
};

/* Takes over the source, also when it fails. `place` is copied. */
CRD_MUST_USE crd_status crd_i_reader_open_batches(crd_context *context, crd_i_batch_source *source, const char *place,
                                                  const crd_reader_options *options, crd_reader **out,
                                                  crd_error *error);

#endif
