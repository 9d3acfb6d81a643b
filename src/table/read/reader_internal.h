/* SPDX-License-Identifier: MIT */
/* reader_internal.h - what a reader is made of, shared by the files that make it up:
 *
 *   reader.c   opening, and the calls of credence/data.h about columns
 *   file_header.c  entering a file: its format, and what that says of its columns
 *   detect_format.c, detect_dialect.c, detect_header.c, title_lines.c  what its first bytes and rows show; column_names.c  names, each its own
 *   delimited.c, arff.c, json_lines.c  the formats; see row_format.h
 *   column_binding.c     which field of a file goes to which column of the frames
 *   strict_schema.c  whether a file has exactly the columns of a schema
 *   column_selector.c   columns by name, number, range, glob
 *   key_columns.c  columns that group and order rows, and where empty lines stood
 *   field_forms.c  how the texts of a field become values: see form.h; form_detection.c  finding out
 *   chunks.c   the bytes of the files in pieces of whole records; record_boundary.c  where such a piece ends
 *   shard.c    which of them are taken where only a part of the rows is wanted
 *   worker.c     one thread's way from chunks to frames; workers.c  all of them
 *   chunk_sequencer.c    what workers do side by side has the result of one that reads everything in order
 *   unlabeled_rows.c  rows without a target, which decide no types
 *   bad_rows.c  rows that are left out, where a caller takes them
 *   cell_conversion.c  cells into numbers and codes; kinds
 *   collective_starts.c  where the rows of each process of a group begin
 *   collective_kinds.c  kinds of columns where each process of a group has read a part of the rows
 *   interval_conversion.c  numbers into intervals; text_conversion.c  documents
 *   batch_slices.c  rows that come in columns: see row_batches.h; batch_forms.c  forms of their cells
 *   read_all.c  all rows, for what they show of the columns; part_collection.c  what a part of the rows shows of the whole
 *   parallel_map.c  rows worked on by threads of our own, and taken in their order
 *
 * One thread at a time reads bytes: what belongs to the file being read (source, records, entry, the columns' fields)
 * is guarded by the reader's `cutting`. What chunks are told of each other (kinds, failure) is guarded by the order's
 * mutex. All else of a reader stays as it is from the first frame on, and what a worker has is its own. */
#ifndef CRD_TABLE_READ_READER_INTERNAL_H
#define CRD_TABLE_READ_READER_INTERNAL_H

#include "base/error.h"
#include "math/decimal/decimal.h"
#include "table/forms/form_evidence.h"
#include "table/frame.h"
#include "table/parse/fast_parse.h"
#include "table/part_evidence.h"
#include "table/read/chunk_sequencer.h"
#include "table/read/detect_dialect.h"
#include "table/read/detect_format.h"
#include "table/read/reader.h"
#include "table/read/row_batches.h"
#include "table/read/row_format.h"
#include "table/text_encoding.h"

#include <pthread.h>

/* One of the files. Only the current one is open, but for those that cannot be opened twice. */
typedef struct crd_i_input {
    const char *path;  /* owned; NULL: the source was given */
    const char *place; /* owned: what errors call it */
    crd_i_source *source;
    const crd_i_source *file; /* the innermost of what source is made of; part of it */
    uint64_t bytes;           /* in a regular file that nobody has read yet; 0: not known */
    uint64_t begin, end;      /* where these are, if all files that have_place lie one after the other */
    bool has_place;           /* a regular file that was named, compressed or not */
    bool can_reread;          /* false: a pipe, or the like */
    bool is_entered;          /* it has been read from: a source that is kept must be rewound */
    bool warned;              /* of absent columns */
    bool warned_of_more;      /* of fields that only later rows have */
    bool warned_of_names;     /* of columns that were given another */
    bool warned_of_row_names; /* or of empty fields at the ends of rows */
    bool warned_of_title;     /* lines before the header that were skipped */
    bool warned_of_mark;      /* decimal points where the model has decimal commas */
} crd_i_input;

/* What a file itself states of a field, beyond its name. */
typedef struct crd_i_declared {
    crd_kind kind;
    crd_i_dictionary *values; /* the only ones its cells may have; NULL: any */
    const char *foreign;      /* what it is, where that is no kind at all: the field must be ignored, or told a kind */
} crd_i_declared;

/* What the beginning of the current file says. */
typedef struct crd_i_file_header {
    const crd_i_format *format;
    crd_i_dictionary *names; /* code = field */
    size_t width;            /* fields in a row */
    uint64_t line;           /* on which it stands: that of the names, or of the first row */
    bool has_header, assumed_absent;
    bool has_row_names;     /* the header has no name for the first field, which names the row */
    bool has_end_separator; /* rows end with a separator that the header does not have: the last field is empty */
    bool is_named;          /* columns meet by name, also those of files without a header */
    bool is_open;     /* rows may have named fields that are not among `names`: columns that lack one are given one */
    bool shows_names; /* the rows below show that the first line has names, though none that is expected */
    char separator;   /* as crd_i_slow_parse has it; 0: there is none */
    char stated_separator;    /* that a line of the file states; 0: none */
    char decimal;             /* what begins the fraction of a number */
    crd_i_declared *declared; /* of each field; NULL where files of the format state nothing */
    size_t declared_count, declared_capacity;
} crd_i_file_header;

/* How a file's cells of a column are read, compared with the column's form. */
typedef enum crd_i_file_reading {
    CRD_I_READ_BY_FORM = 0,
    CRD_I_READ_BY_POINT = 1, /* a decimal point instead of a decimal comma */
    CRD_I_READ_AS_PART = 2   /* the file has a column for the part of a date itself: NAME.month instead of NAME */
} crd_i_file_reading;

/* A file's heading, and which of its fields the columns are: settled before the first of its rows goes out, and kept
 * for as long as anybody has rows of it, while the reader may be in the next file already. */
typedef struct crd_i_entry {
    size_t users;
    size_t input;
    crd_i_file_header heading;
    size_t *fields;              /* of each column of the frames; SIZE_MAX: absent */
    unsigned char *readings;     /* of each column of the frames: a crd_i_file_reading */
    size_t *first_fields;        /* of each column of the first file; NULL: that is this one */
    int32_t *columns;            /* of each field, where rows may be sparse: its first column; negative: none */
    crd_i_dictionary **declared; /* values known of each column by now; NULL: no later file changes those */
    size_t column_count;         /* of `declared` */
    uint64_t bytes_before;       /* that were left out, up to the first of its chunks, from where lines are counted */
    uint64_t lines_before;       /* in these, once someone asked for it */
    bool has_lines_before;
} crd_i_entry;

/* What a part of the rows consists of. */
typedef enum crd_i_division {
    CRD_I_DIVIDE_ROWS = 0,      /* rows, wherever sequences begin */
    CRD_I_DIVIDE_SEQUENCES = 1, /* sequences that begin in its range: see crd_i_row_zone */
    CRD_I_DIVIDE_KEYS = 2       /* sequences by their ids: every part reads all rows */
} crd_i_division;

#define CRD_I_NOWHERE UINT64_MAX

/* What is taken of the inputs. Guarded by the reader's `cutting`. */
typedef struct crd_i_shard {
    uint64_t from, to; /* of all files that have_place, if only some rows are wanted */
    crd_i_division division;
    uint64_t reach; /* CRD_I_DIVIDE_SEQUENCES: bytes before the range whose rows come too */

    /* Of the current file: rows that begin at `first` or behind it and before `end`; or, where that cannot be told but
     * by reading, those of the chunks that are split to this part. Rows that begin before `own` are those before the part. */
    uint64_t first, own, end;
    crd_i_row_zone zone; /* of the latest chunk */
    bool is_dealt;
    uint64_t offset; /* of the next chunk, in the file's bytes */
    uint64_t chunk;  /* its number from 0, where chunks are split */
    uint64_t line;   /* on which it begins, where chunks are split */

    /* Where a group of processes reads: see collective_starts.c. On the line of the bytes of all files. */
    bool assumes_lines;   /* a line end ends a record: what was read counts once that has proved right */
    uint64_t known_start; /* of the first record of the part; CRD_I_NOWHERE: it is to be found */
    uint64_t begun;       /* the first record read; CRD_I_NOWHERE: the first one of its file */
    uint64_t ended;       /* behind the last; CRD_I_NOWHERE: the last one of its file */
} crd_i_shard;

/* A column of the frames to be. */
typedef struct crd_i_reader_column {
    crd_text name;              /* owned */
    size_t position;            /* field of the file the columns were taken from */
    size_t field;               /* field of the current file, or SIZE_MAX: absent */
    unsigned char reading;      /* of the current file: a crd_i_file_reading */
    crd_kind kind;              /* as far as is known; guarded by the order once workers read */
    crd_kind kind_before;       /* the pass, where processes of a group read */
    crd_kind declared_kind;     /* by the first file; NONE: it says nothing */
    crd_i_dictionary *declared; /* values known before any cell shows them; NULL: none */
    bool keeps_order;           /* networks have these in the order of their declaration */
    bool is_fixed;              /* the kind was given, not guessed */
    bool is_found;              /* of rows in columns, as in files: only a present cell gives it its kind */
    bool has_words_only;        /* see crd_i_schema_are_words; of strict readers */
    crd_i_truth_words truth;    /* that cells are to match */
    bool has_mark;              /* of the target that answers are compared with: ? is a class of the model */
    double scale;               /* of a model's numbers with decimal commas; 0: not known */
    crd_i_form form; /* of the column; before the first frame that of its field, which may have several parts */
    crd_text source; /* owned: what files call the field, where the column is a part of it; else bytes NULL */
    bool is_open;    /* of a part of the rows: its kind and form are as cells show */
    crd_i_form_evidence shown; /* by the cells that were looked at for a form */
    bool is_settled;           /* no form is looked for any more */
    bool is_new;               /* of rows to learn: the model has no value of it yet */
    bool refuses_infinite;     /* it is known to be a number, also behind what was read: an infinite cell is at fault */
    bool is_ignored;           /* until the first frame, when these are taken out */
    crd_i_key key;             /* what it is to sequences: it is in frames, and in no schema */
    /* Cells are NUMBERs until a frame goes out, which has the labels of their intervals, those of `declared`; of rows in
     * columns that have such labels already, they are CATEGORYs all along. */
    crd_i_intervals intervals;
} crd_i_reader_column;

/* What a worker has for a column. */
typedef struct crd_i_worker_column {
    crd_kind known;                    /* before the rows at hand */
    crd_kind kind;                     /* with them */
    size_t infinite;                   /* the row of the first infinite cell at hand, or SIZE_MAX */
    bool has_infinite;                 /* one went out, of a column whose kind all parts of the rows decide */
    bool has_cells;                    /* one went out, of a column that is_found, or the target */
    size_t slot;                       /* where its cells are in `numbers`; SIZE_MAX: no row at hand has one */
    crd_i_dictionary *dictionary;      /* CATEGORY */
    crd_i_fast_parse_checked checked;  /* of it */
    crd_i_column_room room;            /* for cells that come in columns */
    crd_i_column_room formed;          /* for their texts, of which a form makes values */
    struct crd_i_formed_value *values; /* of each of these texts */
    size_t values_capacity;
    int32_t *interval_codes; /* of numbers that go out as intervals */
    size_t interval_capacity;
    crd_text *texts; /* TEXT: the cells at hand */
    size_t texts_capacity;
} crd_i_worker_column;

/* A row that is left out. */
typedef struct crd_i_bad_row {
    crd_status status;
    uint64_t line, field;         /* of the chunk, from 1 */
    size_t message, text, length; /* where in the worker's bad_texts: what is wrong, with its NUL; the row */
} crd_i_bad_row;

/* One thread's share of a reader. */
struct crd_worker {
    crd_reader *reader;
    crd_frame *frame;
    crd_i_worker_column *columns; /* as many as the reader has */
    uint64_t kinds_version;       /* of the kinds that its columns know */

    /* The chunk at hand. */
    bool has_chunk;
    bool is_exhausted;        /* all its rows have been taken */
    crd_i_chunk_place place;  /* in the order */
    crd_i_row_zone zone;      /* where it stands */
    crd_i_entry *entry;       /* of its file, as long as has_chunk */
    crd_i_slow_parse records; /* over its bytes, with lines counted from 1 */
    crd_i_fast_parse swift;   /* its rows, where they have nothing irregular */
    bool is_swift;
    size_t next_row;    /* of fast's */
    crd_error fault;    /* what to fail with behind the rows at hand; its lines are the chunk's */
    crd_i_bad_row *bad; /* rows that were left out among those at hand, and have not been told of */
    size_t bad_count, bad_capacity;
    crd_i_buffer bad_texts; /* up to bad_used; behind that, the record found last as it stands */
    size_t bad_used;
    bool has_stranger; /* a key that is no column was left out, which is to be told */
    uint64_t stranger_line;
    char stranger[CRD_I_QUOTED_ROOM];

    /* The rows at hand: cells of the slow path, or fast's from first_row on. */
    size_t rows, first_row;
    crd_i_cell *cells; /* entry->heading.width a row */
    size_t cells_capacity;
    uint32_t *lines;
    size_t lines_capacity;
    /* Where empty lines are marked: whether one precedes each row. One that precedes no row yet waits for the next. */
    uint8_t *breaks;
    size_t breaks_capacity;
    bool has_break;
    /* Of rows of the fast path, while they are looked at for what they show: which have no target. */
    uint8_t *unlabeled;
    size_t unlabeled_capacity;
    bool has_unlabeled;
    double *numbers; /* slot by slot, `rows` cells each; codes stand in the same room */
    size_t numbers_capacity;
    bool is_sparse; /* the rows at hand are these, and there are no `cells` */
    crd_i_sparse_rows sparse;
    unsigned char *zeros, *ones; /* 8 bytes a row: the cells of columns that no row at hand has one of */
    size_t zeros_capacity, ones_capacity;

    /* The chunk, where rows come in columns: a slice of a batch. */
    crd_i_row_batch *batch; /* one of its users; NULL: none */
    size_t batch_from, batch_rows;

    crd_i_field_evidence *evidence; /* of each column, where it is collected; else NULL */

    crd_i_buffer converted; /* texts of the frame that were in no valid UTF-8 */

    crd_i_fast_parse_column *wanted; /* columns for fast, in the order of fields; as many as the reader has */
};

struct crd_reader {
    crd_context *context;
    crd_reader_options options; /* its missing texts are not ours: see `missing` */
    const crd_i_decoder *decoders;
    char encoding[CRD_I_ENCODING_ROOM]; /* that was declared, as iconv knows it; "": UTF-8, or none */
    bool has_encoding;                  /* one was declared */
    bool takes_any_bytes;               /* texts need not be UTF-8 */
    bool missing_given;                 /* options say which texts mean missing, whatever a schema says */
    bool quote_given;                   /* and what encloses fields */
    bool has_literal_quotes;            /* nothing encloses fields between tabs, unless options say what does */
    bool decimal_given;                 /* and what begins fractions, whatever forms have */
    crd_i_missing missing;
    crd_text *expected; /* owned: selectors that the caller is going to use */
    size_t expected_count;
    uint64_t suggested_line; /* of the first file, that has a name which its header lacks; 0: none */
    char suggested_name[CRD_I_QUOTED_ROOM];
    crd_i_missing added; /* texts that do beside the usual ones, or those of a schema; its texts NULL: none */

    pthread_mutex_t cutting;
    bool has_mutex;
    crd_i_input *inputs;
    size_t input_count, current;
    uint64_t total_bytes, bytes_before; /* of all inputs, 0: not known; of those read before the current one */
    uint64_t bytes_passed;              /* of the files entered, that were left out unread */
    crd_i_slow_parse records;           /* what has been read of the current file, and not taken */
    crd_i_entry *entry;                 /* of the current file */
    bool entry_is_fresh;                /* no chunk of it has been taken */
    bool is_drained;                    /* there are no more chunks */
    crd_i_shard shard;

    crd_i_batch_source *batches; /* where rows come in columns; NULL: in bytes */
    crd_i_row_batch *batch;      /* the current one; NULL: none */
    size_t batch_row;            /* of it, the next to be taken */
    uint64_t rows_before;        /* of all batches, before that row */

    bool has_one_object; /* the first file is one JSON object, of which a value is no cell: */
    crd_error nested;
    crd_i_file_header first; /* that of the first file, as the public calls show it */

    crd_i_reader_column *columns;
    size_t column_count;
    size_t target;                /* index into columns, or SIZE_MAX */
    size_t weight;                /* the same */
    size_t width;                 /* fields of the file that positions count in */
    bool has_header;              /* of that file */
    bool has_schema;              /* the columns are a schema's, not the first file's */
    bool is_bound;                /* and they are settled: a model's, whose target files need not have */
    bool needs_target;            /* but for these, whose rows are to be learned */
    bool has_intervals;           /* some column has them */
    bool has_texts;               /* some column is a TEXT; once the reader has begun */
    size_t left_out;              /* fields of the schema's file that are no columns of it */
    crd_text optional_weight;     /* owned: the schema's, where rows need none and it is no column; else bytes NULL */
    bool accepts_similar_classes; /* crd_reader_accept_similar_classes was called */
    crd_text row_class;           /* owned: of all rows, which need no target then; else bytes NULL */
    bool is_pass_shared;          /* the pass ends with crd_i_reader_agree */
    crd_i_buffer shared_bad;      /* rows that were left out, for process 0 to report */
    bool begins_together;         /* all processes of a group begin again, and look for forms in the rows of all */
    bool skips_unlabeled;         /* values of rows without a target count as missing: such rows are not learned */
    bool finds_forms;             /* columns that are not is_settled may have a form */
    bool may_prove_comma;         /* the first rows leave open whether a column has decimal commas */
    char decimal_mark;            /* that their other columns have; '\0': none, or both */
    bool is_mark_by_fraction;     /* plain numbers alone show it */

    bool collects;         /* what rows show of the columns is collected */
    bool collects_texts;   /* and the texts of their cells */
    bool collects_beside;  /* and rows are learned as well: at little cost, and infinite numbers stay errors */
    bool looked_for_forms; /* by crd_reader_find_forms */
    bool splits_dates;     /* into their parts */

    size_t frame_rows; /* that a frame has at most; 0: as many as come */
    bool marks_empty_lines;
    bool has_begun; /* nothing about the columns changes any more */
    crd_i_sequencer order;
    crd_worker **lanes; /* the first is that of crd_reader_next; none before the reader has begun */
    unsigned lane_count;
};

/* ---- file_header.c ---- */

/* Opens (or goes back to the beginning of) a file and reads up to its first row. */
CRD_MUST_USE crd_status crd_i_reader_enter(crd_reader *reader, size_t input, crd_error *error);
/* Back to the first byte of the current file, which can be read again, behind what marks it as text. */
CRD_MUST_USE crd_status crd_i_reader_return(crd_reader *reader, crd_error *error);
void crd_i_file_header_clear(crd_context *context, crd_i_file_header *heading);

/* More columns than any table has: what each of them costs is stopped before memory is. */
#define CRD_I_MAX_FIELDS ((size_t)1 << 20)

/* For formats. A line has, or makes, more than CRD_I_MAX_FIELDS fields. */
crd_status crd_i_file_header_fail_limit(uint64_t line, crd_error *error);
/* The next field's name, which the line states, must not be another's. */
CRD_MUST_USE crd_status crd_i_file_header_add_name(crd_reader *reader, crd_text name, uint64_t line, crd_error *error);
/* The same for a name that the file does not state: a column's. */
CRD_MUST_USE crd_status crd_i_file_header_add_column(crd_reader *reader, crd_text name, crd_error *error);
/* A text of `what` is not valid in the encoding of the input: CRD_ERROR_SYNTAX. */
crd_status crd_i_reader_fail_encoding(const crd_reader *reader, const char *what, crd_text text, crd_error *error);
/* The next field's declaration, to be filled in; NULL: out of memory. */
crd_i_declared *crd_i_file_header_declare(crd_reader *reader);
/* Whether the field is no column, unless somebody asks for it: it names the rows, or is empty behind a last separator. */
static inline bool crd_i_file_header_leaves_field(const crd_i_file_header *heading, size_t field) {
    return (heading->has_row_names && field == 0) || (heading->has_end_separator && field + 1 == heading->width);
}
/* A cell that its row leaves out, and its text: zero, or the first value declared; else it is missing. */
crd_i_cell crd_i_file_header_left_out(const crd_i_file_header *heading, size_t field);
crd_text crd_i_file_header_default(const crd_i_file_header *heading, size_t field);
/* The record that begins on this line has `found` fields, which are too few or too many. */
crd_status crd_i_file_header_fail_fields(const crd_i_file_header *heading, uint64_t line, size_t found,
                                         crd_error *error);
/* The entry of the current file is settled: rows can be taken. */
CRD_MUST_USE crd_status crd_i_entry_settle(crd_reader *reader, crd_error *error);
/* Under `cutting`, or where there are no other threads. NULL is fine. */
void crd_i_entry_release(crd_context *context, crd_i_entry *entry);

/* Returns how the cells of a column are read in the file of the worker's rows. */
static inline crd_i_form crd_i_worker_form(const crd_worker *lane, size_t index) {
    static const crd_i_form PLAIN = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    const crd_i_form form = lane->reader->columns[index].form;
    switch (lane->entry->readings[index]) {
    case CRD_I_READ_BY_POINT: return crd_i_form_with_point(form);
    case CRD_I_READ_AS_PART: return PLAIN;
    default: return form;
    }
}

/* ---- reader.c ---- */

/* The heading of the current file, which is the first, becomes what the public calls show. */
CRD_MUST_USE crd_status crd_i_reader_show_first(crd_reader *reader, crd_error *error);

/* The texts that mean missing are those of the schema, and what options add to them. */
CRD_MUST_USE bool crd_i_reader_set_missing(crd_reader *reader, const crd_i_schema *schema);

/* Before the first chunk: ignored columns are taken out, and nothing about the columns changes any more. */
CRD_MUST_USE crd_status crd_i_reader_begin(crd_reader *reader, crd_error *error);

/* ---- column_binding.c ---- */

/* The first file's columns become those of the frames. */
CRD_MUST_USE crd_status crd_i_reader_adopt_columns(crd_reader *reader, crd_error *error);
/* Finds the fields of the current file for all columns. */
CRD_MUST_USE crd_status crd_i_reader_meet(crd_reader *reader, crd_error *error);
void crd_i_reader_free_columns(crd_reader *reader);

/* ---- strict_schema.c ---- */

/* CRD_ERROR_SCHEMA_DIFFERS where the reader is strict and the current file's columns are not those of its schema, or
 * without one those of the first file. by_name: both have names, and the columns' fields are found. */
CRD_MUST_USE crd_status crd_i_reader_check_strictly(crd_reader *reader, bool by_name, crd_error *error);
/* Whether a field that no column has is known nevertheless: of the first file, or a weight that is not needed. */
bool crd_i_reader_knows_field(const crd_reader *reader, crd_text name);

/* ---- key_columns.c ---- */

/* Room for the marks of so many rows at hand, where they are wanted. */
CRD_MUST_USE bool crd_i_worker_reserve_breaks(crd_worker *lane, size_t rows);
/* Before the column's cells of the rows at hand: a sequence's id has a dictionary for these alone. */
void crd_i_worker_forget_ids(crd_worker *lane, size_t index);
/* How many values a column may have: ids are as many as there are. */
size_t crd_i_reader_most_categories(const crd_reader *reader, size_t index);
/* Every file has the keys. */
CRD_MUST_USE crd_status crd_i_reader_need_keys(const crd_reader *reader, crd_error *error);

/* ---- field_forms.c ---- */

/* Before the first chunk: columns whose fields have several parts become one for each part. */
CRD_MUST_USE crd_status crd_i_reader_split_forms(crd_reader *reader, crd_error *error);
/* The name of the column for a part of a field, owned by who calls; bytes NULL: out of memory. */
crd_text crd_i_reader_part_name(const crd_reader *reader, const crd_i_reader_column *field, unsigned part);
void crd_i_reader_column_clear(crd_context *context, crd_i_reader_column *column);

/* ---- form_detection.c ---- */

/* Decides whether the current file has decimal points in columns that the model reads with decimal commas. The first rows decide;
 * if they are ambiguous, the reading nearer to the model's scale is chosen. */
CRD_MUST_USE crd_status crd_i_reader_find_decimal_mark(crd_reader *reader, crd_error *error);
/* The kinds that columns without a form have in the current file, as it declares them or as its first rows show: NUMBER if
 * all cells are numbers, CATEGORY if none is, NONE if some are, or nothing is known without waiting. */
CRD_MUST_USE crd_status crd_i_reader_look_for_kinds(crd_reader *reader, crd_kind *kinds, crd_error *error);
/* Finds the form of a column of times by its cells: a number if they are not dates. If they can be read in two ways, `likely` decides.
 * CRD_ERROR_KIND: it is plain, or the cells contradict it. */
CRD_MUST_USE crd_status crd_i_reader_find_time_form(crd_reader *reader, size_t column, crd_i_form likely,
                                                    crd_error *error);
/* Before the input is read again: the forms of columns that turned out not to be plain numbers. */
CRD_MUST_USE crd_status crd_i_reader_find_late_forms(crd_reader *reader, crd_error *error);

/* ---- late_truth.c; the calls but the last when no row is being converted, under the order's mutex ---- */

/* What the first rows and all values of workers show of a column that may be one of truth values; no cells: it is none. */
crd_i_form_evidence crd_i_reader_late_truth(const crd_reader *reader, size_t index);
/* Whether the pass has shown a column to be one of truth values that has been read as a plain category. */
bool crd_i_reader_has_late_truth(const crd_reader *reader);
/* Before the rows are read again: such columns have their form. */
void crd_i_reader_take_late_truth(crd_reader *reader);
void crd_i_reader_column_take_truth(crd_i_reader_column *column);

/* ---- chunks.c ---- */

/* The next chunk of any file into the worker, which must have none; *found = false at the end, or where the order is
 * over. A failure has taken its place in the order. */
CRD_MUST_USE crd_status crd_i_chunk_take(crd_worker *lane, bool *found, crd_error *error);
/* Enters a file behind the first, or all of them anew. */
CRD_MUST_USE crd_status crd_i_chunks_enter(crd_reader *reader, size_t input, crd_error *error);

/* ---- record_boundary.c ---- */

/* Where the last whole record ends of bytes that begin with one: the place behind its line end, 0 if there is none. The
 * records say how records end. */
size_t crd_i_cut(const crd_i_slow_parse *how, const char *bytes, size_t length);
/* The same for the first record. */
size_t crd_i_cut_first(const crd_i_slow_parse *how, const char *bytes, size_t length);

/* ---- shard.c ---- */

CRD_MUST_USE crd_status crd_i_shard_check(const crd_reader_options *options, crd_error *error);
/* Once all inputs are known: where they lie. */
void crd_i_shard_lay_out(crd_reader *reader);
/* At the first row of the current file: what is to be taken of it. */
void crd_i_shard_enter(crd_reader *reader);
/* The next file that may have rows to be taken; the number of files if there is none. goes_behind: rows behind the part count. */
size_t crd_i_shard_next_input(const crd_reader *reader, bool goes_behind);
/* Where rows that begin at the shard's offset stand, and the offset at which the next zone begins. */
crd_i_row_zone crd_i_shard_zone(const crd_i_shard *shard, uint64_t *end);
/* Whether a chunk of the current file, whose chunks are split, is to be taken. */
bool crd_i_shard_is_dealt_chunk(const crd_reader *reader, uint64_t chunk);
/* Bytes of files that are still to be read, about. */
uint64_t crd_i_shard_bytes_left(const crd_reader *reader);
/* At the end of a pass that has failed or not: CRD_RESTART where a process of the group has not begun at a record. */
CRD_MUST_USE crd_status crd_i_reader_agree_on_starts(crd_reader *reader, bool has_failed, crd_error *error);
/* At most how many categories the workers have met in a column that has a limit: those that several have met are counted by each. */
uint64_t crd_i_reader_category_bound(const crd_reader *reader, size_t column);
/* By all processes of the group: CRD_ERROR_LIMIT, without a line, if all together have met more categories than a column may have. */
CRD_MUST_USE crd_status crd_i_reader_check_shared_categories(const crd_reader *reader, size_t column, crd_error *error);
uint64_t crd_i_shard_count_lines(const char *bytes, size_t length);
/* How many lines there are in the bytes that were left out before a file's first chunk: these are read to count them,
 * since only errors ask for it. false: that failed. */
CRD_MUST_USE bool crd_i_shard_lines_before(crd_reader *reader, crd_i_entry *entry, uint64_t *lines);

/* ---- part_collection.c ---- */

/* Before the first chunk: which columns have the kind that cells show. */
void crd_i_reader_mark_open(crd_reader *reader);
/* The rows at hand, which went out as a frame. false: out of memory. */
CRD_MUST_USE bool crd_i_worker_collect(crd_worker *lane);
void crd_i_worker_clear_evidence(crd_worker *lane);

/* ---- batch_slices.c ---- */

/* Fills in the heading of the reader's entry; is_again: from the first batch on anew. */
CRD_MUST_USE crd_status crd_i_batches_enter(crd_reader *reader, bool is_again, crd_error *error);
/* The values that dictionaries of a field declare by now, but for those that mean missing, for who calls; *out = NULL
 * where there are none. false: out of memory. */
CRD_MUST_USE bool crd_i_batches_values(const crd_reader *reader, size_t field, crd_i_dictionary **out);
/* Before the first chunk: each column has the kind of its type, unless it was given another. */
CRD_MUST_USE crd_status crd_i_batches_settle_kinds(crd_reader *reader, crd_error *error);
/* Under `cutting`: the next slice into the worker; *rows = 0 at the end. */
CRD_MUST_USE crd_status crd_i_batches_take(crd_worker *lane, size_t *rows, crd_error *error);
/* One user less. Under `cutting`, or where there are no other threads. NULL is fine. */
void crd_i_batch_leave(crd_i_row_batch *batch);
/* The slice at hand into the frame. Errors count rows from its beginning. */
CRD_MUST_USE crd_status crd_i_worker_convert_batch(crd_worker *lane, crd_error *error);

/* ---- batch_forms.c ---- */

/* What the cells of a field of batches are. */
crd_i_cell_content crd_i_batches_content(const crd_reader *reader, size_t field);
/* Goes through the texts of columns that are wanted, and back to the first row; those that have no form are wanted no longer. */
CRD_MUST_USE crd_status crd_i_batches_look(crd_reader *reader, bool *is_wanted, crd_i_form_evidence *evidence,
                                           crd_error *error);
/* Cells of the worker's slice into a column that has a form. */
CRD_MUST_USE crd_status crd_i_batches_convert_formed(crd_worker *lane, size_t index, const crd_i_conversion *how,
                                                     crd_i_column *into, crd_i_cell_fault *fault);
void crd_i_batches_clear_formed(crd_context *context, crd_i_worker_column *column);
/* Values of texts are found anew, since codes of a dictionary that was emptied mean nothing. */
void crd_i_batches_forget_formed(crd_i_worker_column *column);
/* Texts that mean missing in columns; NULL: none. */
const crd_i_missing *crd_i_batches_missing(const crd_reader *reader);

/* ---- workers.c ---- */

void crd_i_simd_columns_destroy(crd_reader *reader);
/* One that has no frame, for looking at cells. NULL: out of memory. */
crd_worker *crd_i_worker_create_bare(crd_reader *reader);
void crd_i_worker_destroy(crd_worker *lane);

/* ---- worker.c ---- */

/* The cells of a chunk, which the worker has, without making values of them: its next rows; false: there are none, or none
 * before a fault. Those of a fast parse are all there are. */
void crd_i_worker_begin_look(crd_worker *lane);
CRD_MUST_USE bool crd_i_worker_look(crd_worker *lane);

/* ---- unlabeled_rows.c ---- */

/* Whether values of rows without a target count as missing: not in files that declare their columns. */
bool crd_i_worker_skips_unlabeled(const crd_worker *lane);
/* The values of the row that was split last count as missing if it has no target. */
void crd_i_worker_clear_unlabeled(const crd_worker *lane, crd_i_cell *cells);
/* The same for a sparse row that is not ended yet. */
void crd_i_worker_clear_unlabeled_sparse(crd_worker *lane);
/* Fills in `unlabeled` for the rows at hand of the fast path. false: out of memory. */
CRD_MUST_USE bool crd_i_worker_mark_unlabeled(crd_worker *lane);
/* Whether values of a row at hand count as missing, but are still there. */
static inline bool crd_i_worker_leaves_row(const crd_worker *lane, size_t row) {
    return lane->has_unlabeled && lane->unlabeled[row] != 0;
}

/* ---- bad_rows.c ---- */

/* Whether rows that are at fault are left out. */
static inline bool crd_i_reader_skips(const crd_reader *reader) {
    return reader->options.bad_row != NULL;
}
/* The record found last, as it stands, before it is split. */
CRD_MUST_USE bool crd_i_bad_rows_remember(crd_worker *lane);
/* Leaves out the record that was remembered, for what is wrong with it: CRD_OK; else what to fail with. */
CRD_MUST_USE crd_status crd_i_bad_rows_add(crd_worker *lane, crd_status status, crd_error *error);
/* In turn: tells of those left out, whose faults `place` completes. false: reading is to fail with *error. */
CRD_MUST_USE bool crd_i_bad_rows_report(crd_worker *lane, void (*place)(const crd_worker *lane, crd_error *error),
                                        crd_error *error);
/* Forgets them. */
void crd_i_bad_rows_clear(crd_worker *lane);
/* All rows will be read again. */
void crd_i_bad_rows_restart(crd_reader *reader);
/* At the end of a pass that processes of a group share: process 0 reports those of all, in their order. */
CRD_MUST_USE crd_status crd_i_bad_rows_share(crd_reader *reader, crd_error *error);

/* ---- cell_conversion.c ---- */

/* The rows at hand into the frame. CRD_RESTART: a column proved to be a category after it went out as a number (or an
 * infinite cell may do so): *suspect is then the error to give if the input cannot be read again, or if column
 * *suspect_column is a number after all. Errors count lines from the beginning of the chunk. */
CRD_MUST_USE crd_status crd_i_worker_convert(crd_worker *lane, crd_error *suspect, size_t *suspect_column,
                                             crd_error *error);
/* The same the fast path; *done = false: it must be the careful one. */
CRD_MUST_USE crd_status crd_i_worker_convert_swiftly(crd_worker *lane, bool *done, crd_error *error);
/* Only looks at the rows' kinds. */
void crd_i_worker_check_kinds(crd_worker *lane);
/* What is wrong with the row behind those at hand, whatever the columns that are guessed turn out to be. */
CRD_MUST_USE crd_status crd_i_worker_check_row(const crd_worker *lane, crd_error *error);
/* The same for a cell of it. */
CRD_MUST_USE crd_status crd_i_worker_check_cell(const crd_worker *lane, size_t index, crd_i_cell cell,
                                                crd_error *error);
CRD_MUST_USE crd_status crd_i_sparse_check_row(const crd_worker *lane, crd_error *error);

/* For sparse_conversion.c. */
bool crd_i_worker_is_missing(const crd_worker *lane, crd_i_cell cell);
/* The kind of a column that had this one, with a cell that is not missing. */
crd_kind crd_i_worker_kind_with(const crd_worker *lane, crd_kind kind, crd_i_cell cell);
/* The column's dictionary is there; false: out of memory. */
CRD_MUST_USE bool crd_i_worker_open_dictionary(crd_worker *lane, size_t index);
/* A cell of a column into its slot. */
CRD_MUST_USE crd_status crd_i_worker_convert_cell(crd_worker *lane, size_t row, size_t index, crd_i_cell cell,
                                                  crd_error *suspect, crd_error *error);
/* An infinite cell is refused if its column is a number, which for a guess only the rest of the input can tell. */
CRD_MUST_USE crd_status crd_i_worker_find_infinite(const crd_worker *lane, crd_error *suspect, size_t *suspect_column);

/* ---- interval_conversion.c ---- */

/* Numbers of the worker's frame that are to be intervals become codes of their labels. */
CRD_MUST_USE crd_status crd_i_worker_make_intervals(crd_worker *lane, crd_error *error);

/* ---- text_conversion.c ---- */

/* Room for the cells at hand of a TEXT, all of them what rows leave out. */
CRD_MUST_USE bool crd_i_worker_open_texts(crd_worker *lane, size_t index);
/* A cell into its place; it borrows the chunk's bytes. */
void crd_i_worker_store_text(crd_worker *lane, size_t row, size_t index, crd_i_cell cell);
/* Texts of the worker's frame that are not UTF-8 become so. */
CRD_MUST_USE crd_status crd_i_worker_make_texts_valid(crd_worker *lane, crd_error *error);

/* ---- sparse_conversion.c ---- */

/* As crd_i_worker_convert and crd_i_worker_check_kinds, for rows that are sparse. */
CRD_MUST_USE crd_status crd_i_sparse_convert(crd_worker *lane, crd_error *suspect, size_t *suspect_column,
                                             crd_error *error);
void crd_i_sparse_check_kinds(crd_worker *lane);
/* What the column has where no row at hand has a cell of it. */
void crd_i_sparse_fill_column(const crd_worker *lane, size_t index, crd_i_column *into);
/* The rows at hand, converted, into the frame. */
void crd_i_worker_fill_frame(crd_worker *lane);

/* A cell of the rows at hand that were collected the slow path, of a field that the file has. */
static inline crd_i_cell crd_i_worker_cell(const crd_worker *lane, size_t row, size_t field) {
    if (!lane->is_sparse) return lane->cells[row * lane->entry->heading.width + field];
    const crd_i_cell *found = crd_i_sparse_rows_find(&lane->sparse, row, field);
    return found != NULL ? *found : crd_i_file_header_left_out(&lane->entry->heading, field);
}

static inline crd_text crd_i_worker_cell_text(const crd_worker *lane, crd_i_cell cell) {
    if (cell.form == CRD_I_CELL_DEFAULT) return crd_i_file_header_default(&lane->entry->heading, cell.start);
    return crd_i_slow_parse_text(&lane->records, cell);
}

/* The text of a cell of the rows at hand. */
static inline crd_text crd_i_worker_text(const crd_worker *lane, size_t row, size_t field) {
    if (lane->is_swift) return crd_i_fast_parse_text(&lane->swift, lane->first_row + row, field);
    return crd_i_worker_cell_text(lane, crd_i_worker_cell(lane, row, field));
}

static inline double *crd_i_worker_numbers(const crd_worker *lane, size_t index) {
    return lane->numbers + lane->columns[index].slot * lane->rows;
}

/* The same room as the numbers: a column is one or the other. */
static inline int32_t *crd_i_worker_codes(const crd_worker *lane, size_t index) {
    return (int32_t *)(void *)crd_i_worker_numbers(lane, index);
}

/* Names the current file in an error that may have line and field already. */
void crd_i_reader_place_error(const crd_reader *reader, crd_error *error);

#endif
