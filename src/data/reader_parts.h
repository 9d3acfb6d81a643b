/* reader_parts.h - what a reader is made of, shared by the files that make it up:
 *
 *   reader.c   opening, the calls of credence/data.h, and the loop from rows to frames
 *   heading.c  entering a file: its format, and what that says of its columns
 *   delimited.c, arff.c, json_lines.c  the formats; see format.h
 *   meet.c     which field of a file goes to which column of the frames
 *   convert.c  cells into numbers and codes; kinds
 *   select.c   columns by name, number, range, glob */
#ifndef CRD_DATA_READER_PARTS_H
#define CRD_DATA_READER_PARTS_H

#include "data/detect.h"
#include "data/format.h"
#include "data/frame.h"
#include "data/reader.h"
#include "math/decimal.h"

/* One of the files. Only the current one is open, but for those that cannot be opened twice. */
typedef struct crd_i_input {
    const char *path;  /* owned; NULL: the source was given */
    const char *place; /* owned: what errors call it */
    crd_i_source *source;
    bool can_reread;     /* false: a pipe, or the like */
    bool warned;         /* of absent columns */
    bool warned_of_more; /* of fields that only later rows have */
} crd_i_input;

/* What a file itself states of a field, beyond its name. */
typedef struct crd_i_declared {
    crd_kind kind;
    crd_i_dictionary *values; /* the only ones its cells may have; NULL: any */
    const char *foreign;      /* what it is, where that is no kind at all: the field must be ignored, or told a kind */
} crd_i_declared;

/* What the beginning of the current file says. */
typedef struct crd_i_heading {
    const crd_i_format *format;
    crd_i_dictionary *names; /* code = field */
    size_t width;            /* fields in a row */
    bool has_header, assumed_absent;
    bool is_open; /* rows may have named fields that are not among `names`: columns that lack one are given one */
    crd_separator separator;
    char decimal;             /* what begins the fraction of a number */
    crd_i_declared *declared; /* of each field; NULL where files of the format state nothing */
    size_t declared_count, declared_capacity;
} crd_i_heading;

/* A column of the frames to be. */
typedef struct crd_i_reader_column {
    crd_text name;   /* owned */
    size_t position; /* field of the file the columns were taken from */
    size_t field;    /* field of the current file, or SIZE_MAX: absent */
    crd_kind kind;
    crd_kind declared_kind;       /* by the first file; NONE: it says nothing */
    crd_i_dictionary *declared;   /* values known before any cell shows them; NULL: none */
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
    size_t target;     /* index into columns, or SIZE_MAX */
    size_t weight;     /* the same */
    size_t width;      /* fields of the file that positions count in */
    bool has_header;   /* of that file */
    bool has_schema;   /* the columns are a schema's, not the first file's */
    bool is_bound;     /* and they are settled: a model's, whose target files need not have */
    bool needs_target; /* but for these, whose rows are to be learned */

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
/* Back to the first byte of the current file, which can be read again, behind what marks it as text. */
CRD_MUST_USE crd_status crd_i_reader_return(crd_reader *reader, crd_error *error);
void crd_i_heading_clear(crd_context *context, crd_i_heading *heading);

/* More columns than any table has: what each of them costs is stopped before memory is. */
#define CRD_I_MAX_FIELDS ((size_t)1 << 20)

/* For formats. A line has, or makes, more than CRD_I_MAX_FIELDS fields. */
crd_status crd_i_heading_fail_limit(uint64_t line, crd_error *error);
/* The next field's name, which the line states, must not be another's. */
CRD_MUST_USE crd_status crd_i_heading_add_name(crd_reader *reader, crd_text name, uint64_t line, crd_error *error);
/* The next field's declaration, to be filled in; NULL: out of memory. */
crd_i_declared *crd_i_heading_declare(crd_reader *reader);
/* The text of a cell that its row leaves out: zero, or the first value declared. */
crd_text crd_i_heading_default(const crd_i_heading *heading, size_t field);
/* The record found last has `found` fields, which are too few or too many. */
crd_status crd_i_heading_fail_fields(const crd_reader *reader, size_t found, crd_error *error);
/* Room for `rows` rows in all. */
CRD_MUST_USE bool crd_i_reader_reserve(crd_reader *reader, size_t rows, size_t width);
/* The next record is the first row. */
void crd_i_reader_begin_rows(crd_reader *reader);

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
    crd_i_cell cell = reader->cells[row * reader->heading.width + field];
    if (cell.form == CRD_I_CELL_DEFAULT) return crd_i_heading_default(&reader->heading, cell.start);
    return crd_i_records_text(&reader->records, cell);
}

/* Names the current file in an error that may have line and field already. */
void crd_i_reader_place_error(const crd_reader *reader, crd_error *error);

#endif
