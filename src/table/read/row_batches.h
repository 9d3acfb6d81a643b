/* SPDX-License-Identifier: MIT */
/* row_batches.h - rows that arrive in columns, not in bytes: the interface between a reader and frames or Arrow
 * streams.
 *
 * A source returns batches one after the other, under the reader's lock. Workers take slices of them and convert
 * each column of a slice concurrently; their frames borrow the result. The storage types determine the column types, so
 * nothing is guessed and no type changes. */
#ifndef CRD_TABLE_READ_ROW_BATCHES_H
#define CRD_TABLE_READ_ROW_BATCHES_H

#include "table/frame.h"
#include "table/missing_values.h"
#include "table/parse/slow_parse.h"

#include <credence/data.h>

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
    /* Returns the text of a cell in a prepared row, for crd_i_reader_cell; NULL: cells are not texts. */
    crd_text (*text)(const crd_i_row_batch *batch, size_t column, size_t row);
    /* Converts cells [from .. from + rows) of a column to a type other than NONE. Fills in the type, validity,
     * numbers, codes, texts and dictionary of *into. A column that is entirely missing may become type NONE. */
    crd_status (*convert)(const crd_i_row_batch *batch, size_t column, crd_column_type type, size_t first, size_t rows,
                          const crd_i_conversion *conversion, crd_i_column_room *workspace, crd_i_column *into,
                          crd_i_cell_fault *fault);
    void (*destroy)(crd_i_row_batch *batch);
};

/* The content of a column's cells, for format detection. */
typedef enum crd_i_cell_content {
    CRD_I_CELLS_OTHER = 0,
    CRD_I_CELLS_TEXTS,
    CRD_I_CELLS_DATES,   /* numbers: days since 1970-01-01 */
    CRD_I_CELLS_MOMENTS, /* numbers: seconds since 1970-01-01 */
    CRD_I_CELLS_TIMES    /* numbers: seconds since midnight */
} crd_i_cell_content;

/* The base of each type of source, its first member. */
typedef struct crd_i_batch_source crd_i_batch_source;
struct crd_i_batch_source {
    size_t column_count;
    uint64_t rows; /* total; 0: unknown */
    bool
        /* the first column contains row names and is ignored unless requested; callers know the names of all other
         * columns */
        has_row_names;
    crd_text (*name)(const crd_i_batch_source *source, size_t column);
    crd_column_type (*type)(const crd_i_batch_source *source, size_t column); /* NONE: no cell is present, or foreign */
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

/* ======== Sparse rows ========
 *
 * Sparse rows omit most fields: only the present cells are stored.
 *
 * The memory for a row depends on its present cells, not on the number of fields. */

typedef struct crd_i_sparse_cell {
    uint32_t field, row;
    uint32_t before; /* 1 + index of the previous cell of the same field, or 0 */
    crd_i_cell cell;
} crd_i_sparse_cell;

/* Zero-initialize it. */
typedef struct crd_i_sparse_rows {
    crd_i_sparse_cell *cells; /* row by row; within a row in file order, or by field if is_sorted */
    size_t count, capacity;
    size_t *ends; /* of each row: index after its last cell */
    size_t rows, ends_capacity;
    size_t begun;     /* index of the next row's first cell */
    uint32_t *latest; /* of each field: 1 + index of its latest cell, or 0 */
    size_t width, latest_capacity;
    uint32_t *fields; /* fields that have cells, each once */
    size_t field_count, fields_capacity;
    bool is_sorted; /* the cells of a row are sorted by field, for fast lookup */
} crd_i_sparse_rows;

/* Removes all rows and sets the number of fields. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_begin(crd_i_sparse_rows *rows, crd_context *context, size_t width, bool is_sorted);
void crd_i_sparse_rows_clear(crd_i_sparse_rows *rows, crd_context *context);

/* Returns whether the row being built has a cell of the field. */
static inline bool crd_i_sparse_rows_has(const crd_i_sparse_rows *rows, size_t field) {
    return rows->latest[field] > rows->begun;
}
/* Adds a cell to the row being built, which must not have one of this field. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_put(crd_i_sparse_rows *rows, crd_context *context, size_t field, crd_i_cell cell);
/* Completes the row. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_end_row(crd_i_sparse_rows *rows, crd_context *context);
/* Discards the row being built, because it is invalid. */
void crd_i_sparse_rows_drop_row(crd_i_sparse_rows *rows);

/* Returns the index of a row's first cell. */
static inline size_t crd_i_sparse_rows_start(const crd_i_sparse_rows *rows, size_t row) {
    return row == 0 ? 0 : rows->ends[row - 1];
}
/* Returns the cell of a field in a row; NULL: the row omits it. */
const crd_i_cell *crd_i_sparse_rows_find(const crd_i_sparse_rows *rows, size_t row, size_t field);
/* Reverses the linked list of a field's cells, so `latest` refers to the first cell. */
void crd_i_sparse_rows_turn(crd_i_sparse_rows *rows, size_t field);

/* ======== File formats ========
 *
 * Each format is one file and one entry in crd_i_formats.
 *
 * A format finds the columns of a file and splits its records into cells. Everything else (blocks of bytes, types,
 * missing cells, matching by name, reading again) is shared by all formats. */

typedef struct crd_i_format {
    crd_format code;

    /* Detection by content: the first byte that is neither a space nor a line end is in `opens`, and `recognize`
     * accepts the `reach` bytes from there, or fewer if the file is shorter. The last format of the table accepts
     * any file; its `opens` is NULL. */
    const char *opens;
    size_t reach;
    bool (*recognize)(crd_text beginning);

    /* Fills in the header of the reader's entry, starting at the first byte, and leaves the records before the first
     * row. */
    crd_status (*begin)(crd_reader *reader, crd_error *error);
    /* Detects again whether there is a header, after a schema was set and before a row was taken. NULL: the header
     * does not depend on the schema. A failure changes nothing. */
    crd_status (*reconsider)(crd_reader *reader, crd_error *error);
    /* Splits the worker's latest record into one cell per header field; NULL: only split_sparse is supported. */
    crd_status (*split)(crd_worker *worker, crd_i_cell *cells, crd_error *error);
    /* Splits the worker's latest record into the cells it contains. NULL: records of the format omit nothing. */
    crd_status (*split_sparse)(crd_worker *worker, crd_i_sparse_rows *rows, crd_error *error);
    /* Returns whether split_sparse is better for the current chunk. Not NULL if the format has both functions. */
    bool (*is_sparse)(const crd_worker *worker);
} crd_i_format;

extern const crd_i_format crd_i_format_delimited, crd_i_format_arff, crd_i_format_json_lines;

/* The table of formats. It ends with the format for files that no other format accepts. */
extern const crd_i_format *const crd_i_formats[];

/* Finds the requested format; for CRD_FORMAT_AUTO, detects it from the first bytes. */
CRD_MUST_USE crd_status crd_i_format_find(crd_i_slow_parse *records, crd_format wanted, const crd_i_format **out,
                                          crd_error *error);

#endif
