/* reader_parts.h - what a reader is made of, shared by the files that make it up:
 *
 *   reader.c   opening, the calls of credence/data.h, and the loop from rows to frames
 *   heading.c  entering a file: what its first bytes and first line say
 *   meet.c     which field of a file goes to which column of the frames
 *   convert.c  cells into numbers and codes; kinds
 *   select.c   columns by name, number, range, glob */
#ifndef CRD_DATA_READER_PARTS_H
#define CRD_DATA_READER_PARTS_H

#include "data/detect.h"
#include "data/frame.h"
#include "data/reader.h"

/* One of the files. Only the current one is open, but for those that cannot be opened twice. */
typedef struct crd_i_input {
    const char *path;  /* owned; NULL: the source was given */
    const char *place; /* owned: what errors call it */
    crd_i_source *source;
    bool can_reread; /* false: a pipe, or the like */
    bool warned;     /* of absent columns */
} crd_i_input;

/* What the current file's first line says. */
typedef struct crd_i_heading {
    crd_i_dictionary *names; /* code = field */
    size_t width;            /* fields in a row */
    bool has_header, assumed_absent;
    crd_separator separator;
} crd_i_heading;

/* A column of the frames to be. */
typedef struct crd_i_reader_column {
    crd_text name;   /* owned */
    size_t position; /* field of the file the columns were taken from */
    size_t field;    /* field of the current file, or SIZE_MAX: absent */
    crd_kind kind;
    bool is_fixed;                /* the kind was given, not guessed */
    bool is_ignored;              /* until the first frame, when these are taken out */
    bool handed_over;             /* a frame has gone out with this column as a number */
    uint64_t numbers;             /* cells found to be numbers in this pass */
    size_t infinite;              /* the row of the first infinite cell in the frame at hand, or SIZE_MAX */
    crd_i_dictionary *dictionary; /* CATEGORY */
} crd_i_reader_column;

struct crd_reader {
    crd_context *context;
    crd_reader_options options; /* its missing texts are not ours: see `missing` */
    const crd_i_decoder *decoders;
    bool missing_given;
    crd_i_missing missing;

    crd_i_input *inputs;
    size_t input_count, current;
    crd_i_records records;
    crd_i_heading heading; /* of the current file */

    /* The first file, as the public calls show it. */
    crd_i_heading first;
    size_t *fields; /* current file's field of each column of the first, or SIZE_MAX; unused while in the first */

    crd_i_reader_column *columns;
    size_t column_count;
    size_t target;   /* index into columns, or SIZE_MAX */
    size_t width;    /* fields of the file that positions count in */
    bool has_header; /* of that file */
    bool is_bound;   /* the columns are a schema's, not the first file's */

    /* The rows of the frame at hand: width cells each. A file without a header is entered with one row. */
    crd_i_cell *cells;
    size_t cells_capacity;
    uint64_t *lines;
    size_t lines_capacity, rows;
    uint64_t frame_offset; /* where in the file they begin: empty lines count towards a full frame too */
    bool rows_are_out;     /* as the latest frame */

    crd_frame *frame; /* NULL until the first call of next */
    double *numbers;  /* column by column, row_capacity cells each; codes stand in the same room */
    size_t row_capacity;

    bool is_finished;
    crd_error failure; /* once something failed it stays so; and what to fail with after the rows before it are out */
};

/* ---- heading.c ---- */

/* Opens (or goes back to the beginning of) a file and reads up to its first row. */
CRD_MUST_USE crd_status crd_i_reader_enter(crd_reader *reader, size_t input, crd_error *error);
void crd_i_heading_clear(crd_i_heading *heading);

/* ---- meet.c ---- */

/* The first file's columns become those of the frames. */
CRD_MUST_USE crd_status crd_i_reader_adopt_columns(crd_reader *reader, crd_error *error);
/* Finds the fields of the current file for all columns. */
CRD_MUST_USE crd_status crd_i_reader_meet(crd_reader *reader, crd_error *error);
void crd_i_reader_free_columns(crd_reader *reader);

/* ---- convert.c ---- */

/* The rows at hand into the frame. CRD_RESTART: a column proved to be a category after it went out as a number (or an
 * infinite cell may do so): *suspect is then the error to give if the input cannot be read again, or
 * if column *suspect_column is a number after all. */
CRD_MUST_USE crd_status crd_i_reader_convert(crd_reader *reader, crd_error *suspect, size_t *suspect_column,
                                             crd_error *error);
/* Only looks at the rows' kinds. */
void crd_i_reader_check_kinds(crd_reader *reader);
/* Everything as before the first frame, but for the kinds. */
CRD_MUST_USE crd_status crd_i_reader_forget_cells(crd_reader *reader, crd_error *error);

static inline crd_text crd_i_reader_text(const crd_reader *reader, size_t row, size_t field) {
    return crd_i_records_text(&reader->records, reader->cells[row * reader->heading.width + field]);
}

/* Names the current file in an error that may have line and field already. */
void crd_i_reader_place_error(const crd_reader *reader, crd_error *error);

#endif
