/* SPDX-License-Identifier: MIT */
/* reader_internal.h - the data structures of a reader, shared by the files that implement it:
 *
 *   reader.c            opens files; implements the column functions of credence/data.h
 *   file_header.c       enters a file: detects its format and reads its column declarations
 *   detect_dialect.c    detects the format and the separator from the first bytes and rows
 *   detect_header.c     detects the header, and skips title lines before it
 *   delimited.c, arff.c, json_lines.c
 *                       the formats; see row_batches.h
 *   column_binding.c    maps fields to frame columns; column selectors
 *   strict_schema.c     checks that a file has exactly the columns of a schema
 *   key_columns.c       columns that group and order rows; marks of empty lines; rows without a target
 *   format_detection.c    detects the format of a column, and splits fields with several parts
 *   chunks.c            cuts the bytes of the files into chunks of whole records
 *   shard.c             selects the chunks to read if only a part of the rows is wanted
 *   worker.c            creates the workers, which convert chunks to frames
 *   chunk_sequencer.c   makes concurrent workers give the same result as one worker that reads in order
 *   bad_rows.c          invalid rows, which are skipped if the caller accepts them
 *   cell_conversion.c   converts cells to numbers, codes, intervals and documents; guesses column types
 *   collective_types.c  combines the results if each process of a group reads a part of the rows
 *   frame_batches.c     rows that arrive in columns, and their formats; see row_batches.h
 *   parallel_map.c      processes rows in several threads and delivers the results in row order
 *
 * Only one thread at a time reads bytes. The state of the file being read (source, records, entry, the columns'
 * fields) is guarded by the reader's `cutting`. The state that chunks share (types, failure) is guarded by the mutex
 * of `order`. Everything else in a reader is constant from the first frame on. Each worker's state is private to the
 * worker. */
#ifndef CRD_TABLE_READ_READER_INTERNAL_H
#define CRD_TABLE_READ_READER_INTERNAL_H

#include "base/error.h"
#include "math/decimal/decimal.h"
#include "table/frame.h"
#include "table/parse/fast_parse.h"
#include "table/part_evidence.h"
#include "table/read/chunk_sequencer.h"
#include "table/read/detect_dialect.h"
#include "table/read/reader.h"
#include "table/read/row_batches.h"
#include "table/text_source.h"
#include "table/values/column_format.h"

#include <pthread.h>

/* The status of a pass that delivered a column with a wrong type. Callers outside this folder return it like any failure
 * of crd_reader_next, and the pass is repeated: see crd_i_reader_make_passes. No public status has this number. */
#define CRD_I_READ_AGAIN ((crd_status)1)

/* One of the input files. Only the current file is open, except files that cannot be opened twice. */
typedef struct crd_i_input {
    const char *path;  /* owned; NULL: the caller passed a source */
    const char *place; /* owned: the name of the input in error messages */
    crd_i_source *source;
    const crd_i_source *file; /* the innermost source that `source` wraps; owned by `source` */
    uint64_t bytes;           /* size of a regular file that has not been read yet; 0: unknown */
    uint64_t begin, end;      /* byte range of this file if all files with has_place are concatenated */
    bool has_place;           /* a regular file given by name, compressed or not */
    bool can_reread;          /* false: a pipe whose bytes are not kept */
    crd_i_source *keeper;     /* the source within `source` that keeps the bytes of a pipe; NULL: none */
    bool is_entered;          /* has been read from: a source that stays open must be rewound */
    bool warned;              /* the warning about absent columns was given */
    bool warned_of_more;      /* the warning about fields that only later rows have was given */
    bool warned_of_names;     /* the warning about renamed columns was given */
    bool warned_of_row_names; /* the warning about row names, or about empty fields at the ends of rows, was given */
    bool warned_of_title;     /* the warning about skipped lines before the header was given */
    bool warned_of_mark; /* the warning about decimal points, in a column whose model has decimal commas, was given */
} crd_i_input;

/* The properties that a file itself declares for a field, except its name. */
typedef struct crd_i_declared {
    crd_column_type type;
    crd_i_dictionary *values; /* the only values that its cells may have; NULL: any */
    /* description of a type that Credence does not support, or NULL; the caller must ignore the field or set a type */
    const char *foreign;
} crd_i_declared;

/* The contents of the beginning of the current file. */
typedef struct crd_i_file_header {
    const crd_i_format *format;
    crd_i_dictionary *names; /* code = field index */
    size_t width;            /* number of fields in a row */
    uint64_t line;           /* line of the column names, or of the first row if there are none */
    bool has_header, assumed_absent;
    bool has_row_names;     /* the header has no name for the first field, which contains row names */
    bool has_end_separator; /* rows end with a separator that the header lacks, so the last field is empty */
    bool is_named;          /* columns are matched by name, even in files without a header */
    bool is_open; /* rows may contain named fields that are not in `names`; columns without a field get a new one */
    /* the rows below indicate that the first line is a header, although it has none of the expected names */
    bool shows_names;
    char separator;           /* encoded as in crd_i_slow_parse; 0: none */
    char stated_separator;    /* separator declared in a line of the file; 0: none */
    char decimal;             /* decimal mark: the character before the fraction of a number */
    crd_i_declared *declared; /* one per field; NULL if the file format declares nothing */
    size_t declared_count, declared_capacity;
} crd_i_file_header;

/* How the cells of a column are read in one file, relative to the column's format. */
typedef enum crd_i_file_reading {
    CRD_I_READ_BY_FORMAT = 0,
    CRD_I_READ_BY_POINT = 1, /* a decimal point instead of a decimal comma */
    CRD_I_READ_AS_PART = 2   /* the file contains the date part as its own column: NAME.month instead of NAME */
} crd_i_file_reading;

/* The header of a file and its mapping from columns to fields. An entry is complete before the first row of its file
 * is delivered. It is reference-counted because workers may still hold rows of this file when the reader is in the
 * next one. */
typedef struct crd_i_entry {
    size_t users;
    size_t input;
    crd_i_file_header header;
    size_t *fields;          /* field of each frame column; SIZE_MAX: absent */
    unsigned char *readings; /* a crd_i_file_reading for each frame column */
    size_t *first_fields;    /* field of each column of the first file; NULL: this is the first file */
    int32_t *columns;        /* first column of each field, if rows may be sparse; negative: none */
    /* snapshot of the declared values of each column; NULL: no later file can add values */
    crd_i_dictionary **declared;
    size_t column_count;   /* number of elements of `declared` */
    uint64_t bytes_before; /* skipped bytes before the file's first chunk; line numbers of chunks start there */
    uint64_t lines_before; /* number of lines in the skipped bytes; valid if has_lines_before */
    bool has_lines_before;
} crd_i_entry;

/* How the rows are divided into parts. */
typedef enum crd_i_division {
    CRD_I_DIVIDE_ROWS = 0,      /* by rows, regardless of sequences */
    CRD_I_DIVIDE_SEQUENCES = 1, /* by sequences that begin in the part's byte range: see crd_i_row_zone */
    CRD_I_DIVIDE_KEYS = 2       /* by the hash of sequence ids: every part reads all rows */
} crd_i_division;

#define CRD_I_NOWHERE UINT64_MAX

/* The part of the inputs to read. Guarded by the reader's `cutting`. */
typedef struct crd_i_shard {
    uint64_t start, limit; /* byte range over all files with has_place, if only some rows are wanted */
    crd_i_division division;
    uint64_t reach; /* CRD_I_DIVIDE_SEQUENCES: bytes before the range whose rows are read too */

    /* Byte offsets in the current file. The reader takes rows that begin in [first, end). Rows that begin before
     * `own` precede the part. If the file must be read from its beginning, the reader takes the rows of the chunks
     * assigned to this part instead (is_dealt). */
    uint64_t first, own, end;
    crd_i_row_zone zone; /* zone of the latest chunk */
    bool is_dealt;
    uint64_t offset; /* offset of the next chunk in the file */
    uint64_t chunk;  /* number of the next chunk from 0, if is_dealt */
    uint64_t line;   /* line on which the next chunk begins, if is_dealt */

    /* For a group of processes: see collective_types.c. Offsets are into the concatenation of all files. */
    bool assumes_lines;   /* assume that every line end ends a record; the result counts only if this proves right */
    uint64_t known_start; /* offset of the part's first record; CRD_I_NOWHERE: not known yet */
    uint64_t begun;       /* offset of the first record read; CRD_I_NOWHERE: the first record of its file */
    uint64_t ended;       /* offset after the last record read; CRD_I_NOWHERE: the last record of its file */
} crd_i_shard;

/* The description of a frame column. */
typedef struct crd_i_reader_column {
    crd_text name;                 /* owned */
    size_t position;               /* field in the file that defined the columns */
    size_t field;                  /* field in the current file; SIZE_MAX: absent */
    unsigned char reading;         /* a crd_i_file_reading for the current file */
    crd_column_type type;          /* as far as known; guarded by the mutex of `order` while workers read */
    crd_column_type type_before;   /* type before the current pass, if a group of processes reads */
    crd_column_type declared_type; /* type declared by the first file; NONE: not declared */
    crd_i_dictionary *declared;    /* values known before any cell is read; NULL: none */
    bool keeps_order;              /* `declared` keeps its declaration order, as networks require */
    bool is_fixed;                 /* the type was given, not guessed */
    bool is_found;       /* for rows in columns that are read like a file: only a present cell determines the type */
    bool has_words_only; /* see crd_i_schema_are_words; for strict readers */
    crd_i_truth_words truth; /* spellings of truth values that cells are matched with */
    bool has_mark;           /* `?` is a class of the model; set for a target that predictions are compared with */
    double scale;            /* scale of a model's numbers with decimal commas; 0: unknown */
    crd_i_column_format
        format;      /* of the column; before the first frame, the format of its field, which may have several parts */
    crd_text source; /* owned: the field's name in files if the column is a part of a field; otherwise bytes is NULL */
    bool is_open;    /* for a part of the rows: type and format follow from the cells */
    crd_i_column_format_evidence shown; /* evidence from the cells that format detection has read */
    bool is_settled;                    /* format detection is finished */
    bool is_new;                        /* for incremental learning: the model has no value of this column yet */
    bool refuses_infinite; /* known to be numeric, also in rows that are not read yet: an infinite cell is an error */
    bool is_ignored;       /* set only until the first frame, when ignored columns are removed */
    crd_i_key key;         /* role of the column in sequences: a key column is in frames, but not in schemas */
    /* Cut points, if the column is discretized. Cells are NUMBERs until the frame is delivered; then they are codes
     * of the interval labels in `declared`. Rows in columns may already contain such labels; their cells are
     * CATEGORYs throughout. */
    crd_i_intervals intervals;
} crd_i_reader_column;

/* A worker's state for one column. */
typedef struct crd_i_worker_column {
    crd_column_type known; /* before the current rows */
    crd_column_type type;  /* including the current rows */
    size_t infinite;       /* row of the first infinite cell of the current rows; SIZE_MAX: none */
    bool has_infinite;     /* an infinite cell was delivered, in a column whose type depends on all parts of the rows */
    bool has_cells;        /* a present cell was delivered, in a column that is_found or in the target */
    size_t slot;           /* index of its cells in `numbers`; SIZE_MAX: no current row has a cell */
    crd_i_dictionary *dictionary;      /* for a CATEGORY */
    crd_i_fast_parse_checked checked;  /* missing-value checks of the dictionary's texts */
    crd_i_column_room workspace;       /* memory for cells that arrive in columns */
    crd_i_column_room formed;          /* memory for their texts, which a format converts to values */
    struct crd_i_formed_value *values; /* converted value of each of these texts */
    size_t values_capacity;
    int32_t *interval_codes; /* codes of numbers that are delivered as intervals */
    size_t interval_capacity;
    crd_text *texts; /* TEXT: the current cells */
    size_t texts_capacity;
} crd_i_worker_column;

/* An invalid row that is skipped. */
typedef struct crd_i_bad_row {
    crd_status status;
    uint64_t line, field; /* relative to the chunk, from 1 */
    /* offsets into the worker's bad_texts: the NUL-terminated message and the row's bytes */
    size_t message, text, length;
} crd_i_bad_row;

/* The state of one reading thread. */
struct crd_worker {
    crd_reader *reader;
    crd_frame *frame;
    crd_i_worker_column *columns; /* one per reader column */
    uint64_t types_version;       /* version of the types that its columns are based on */

    /* The current chunk. */
    bool has_chunk;
    bool is_exhausted;        /* all rows of the chunk have been delivered */
    crd_i_chunk_place place;  /* position of the chunk in the order */
    crd_i_row_zone zone;      /* zone of the chunk relative to the part */
    crd_i_entry *entry;       /* of the chunk's file; valid while has_chunk */
    crd_i_slow_parse records; /* parser of the chunk's bytes; its line numbers start at 1 */
    crd_i_fast_parse fast;    /* the chunk's rows, if the fast path can parse them */
    bool is_fast;
    size_t next_row;    /* next row of `fast` to deliver */
    crd_error fault;    /* error to return after the current rows; its lines are relative to the chunk */
    crd_i_bad_row *bad; /* rows skipped among the current rows, and not reported yet */
    size_t bad_count, bad_capacity;
    crd_i_buffer bad_texts; /* texts of `bad` up to bad_used, then an unmodified copy of the latest record */
    size_t bad_used;
    bool has_stranger; /* a key without a column was skipped and must be reported */
    uint64_t stranger_line;
    char stranger[CRD_I_QUOTED_ROOM];

    /* The current rows: cells of the slow path, or the fast path's rows from first_row on. */
    size_t rows, first_row;
    crd_i_cell *cells; /* entry->heading.width per row */
    size_t cells_capacity;
    uint32_t *lines;
    size_t lines_capacity;
    /* If empty lines are marked: whether an empty line precedes each row. has_break: an empty line precedes the next
     * row. */
    uint8_t *breaks;
    size_t breaks_capacity;
    bool has_break;
    /* For rows of the fast path during inspection: marks the rows that have no target. */
    uint8_t *unlabeled;
    size_t unlabeled_capacity;
    bool has_unlabeled;
    double *numbers; /* `rows` elements per slot; codes use the same memory */
    size_t numbers_capacity;
    bool is_sparse; /* the current rows are in `sparse`, and `cells` is unused */
    crd_i_sparse_rows sparse;
    unsigned char *zeros, *ones; /* 8 bytes per row: the cells of columns that do not occur in the current rows */
    size_t zeros_capacity, ones_capacity;

    /* The chunk if rows arrive in columns: a slice of a batch. */
    crd_i_row_batch *batch; /* holds one reference; NULL: none */
    size_t batch_from, batch_rows;

    crd_i_field_evidence *evidence; /* evidence for each column if it is collected, otherwise NULL */

    crd_i_buffer converted; /* texts of the frame that were converted to valid UTF-8 */

    crd_i_fast_parse_column *wanted; /* columns for the fast path in field order; one per reader column */
};

/* What the options declare about the files. */
typedef struct crd_i_declared_dialect {
    char encoding[CRD_I_ENCODING_ROOM]; /* its iconv name; "": UTF-8 or none */
    bool has_encoding;
    bool takes_any_bytes;    /* texts need not be UTF-8 */
    bool has_missing;        /* texts that mean missing, overriding a schema */
    bool has_quote;          /* a quote character */
    bool has_literal_quotes; /* nothing encloses tab-separated fields, unless a quote character is declared */
    bool has_decimal_mark;   /* a decimal mark, overriding formats */
    crd_text *selectors;     /* owned: selectors that the caller will use */
    size_t selector_count;
} crd_i_declared_dialect;

/* The position in the bytes of the inputs. Guarded by the reader's `cutting`. */
typedef struct crd_i_position {
    size_t current; /* input */
    /* bytes of all inputs, 0: unknown; bytes of the inputs before the current one */
    uint64_t total_bytes, bytes_before;
    uint64_t bytes_passed;    /* bytes of the entered files that were skipped without reading them */
    crd_i_slow_parse records; /* bytes of the current file that are read, but not yet in a chunk */
    crd_i_entry *entry;       /* of the current file */
    bool is_entry_fresh;      /* no chunk of this entry has been taken */
    bool is_drained;          /* there are no more chunks */
} crd_i_position;

/* Rows that arrive in columns. */
typedef struct crd_i_batches {
    crd_i_batch_source *source; /* NULL: rows arrive in bytes */
    crd_i_row_batch *current;   /* NULL: none */
    size_t row;                 /* next row of `current` to take */
    uint64_t rows_before;       /* number of rows of all batches before that row */
} crd_i_batches;

/* How the fields of the files become the columns of the frames. */
typedef struct crd_i_column_binding {
    size_t width;      /* number of fields of the file that positions refer to */
    bool has_header;   /* whether that file has a header */
    bool has_schema;   /* a schema defined the columns, not the first file */
    bool is_bound;     /* the columns are fixed by a model; files need not have its target */
    bool needs_target; /* is_bound, but rows are for training: every file must have the target */
    size_t left_out;   /* number of fields in the schema's file that are not columns of the schema */
    /* owned: the schema's weight column if rows need none and it is not a column; otherwise bytes is NULL */
    crd_text optional_weight;
    crd_text row_class;           /* owned: the class of all rows, which then need no target; otherwise bytes is NULL */
    bool accepts_similar_classes; /* crd_reader_accept_similar_classes was called */
} crd_i_column_binding;

/* What the rows are inspected for. */
typedef struct crd_i_inspection {
    bool finds_formats;       /* columns that are not is_settled may have a format */
    bool is_explicit;         /* crd_reader_detect_column_formats was called */
    bool may_prove_comma;     /* the first rows do not decide whether a column has decimal commas */
    char decimal_mark;        /* decimal mark of the other columns; '\0': none, or both marks occur */
    bool is_mark_by_fraction; /* only plain numbers indicate the decimal mark */
    bool splits_dates;        /* dates become several columns, one per part */
    bool skips_unlabeled;     /* values of rows without a target count as missing, because such rows are not learned */
    bool collects;            /* evidence about the columns is collected from the rows */
    bool collects_texts;      /* the texts of the cells are collected too */
    bool collects_beside;     /* rows are learned as well: collecting must be cheap, and infinite numbers stay errors */
} crd_i_inspection;

/* Passes over all rows. */
typedef struct crd_i_pass {
    bool is_keeping_decided; /* it is known whether the bytes of pipes are kept; before, they are kept */
    bool keeps_no_pipes;     /* they are not, because no pass will be repeated */
    bool is_repeatable;      /* it is repeated if a column has another type than it was delivered with */
    bool is_shared;          /* it ends with crd_i_reader_agree */
    bool begins_together;    /* all processes of a group begin again and detect formats in the rows of all processes */
    bool has_final_types;    /* all rows were read, so no column changes its type; guarded by the mutex of `order` */
    crd_i_buffer shared_bad; /* skipped rows that process 0 will report */
} crd_i_pass;

struct crd_reader {
    crd_context *context;
    crd_reader_options options; /* its missing texts are not used: see `missing` */
    crd_i_declared_dialect dialect;
    crd_i_missing missing;
    crd_i_missing added;     /* missing-value texts in addition to the usual ones or the schema's; texts NULL: none */
    uint64_t suggested_line; /* line of the first file with a name that the header lacks; 0: none */
    char suggested_name[CRD_I_QUOTED_ROOM];

    pthread_mutex_t cutting;
    bool has_mutex;
    crd_i_input *inputs;
    size_t input_count;
    crd_i_position position;
    crd_i_shard shard;
    crd_i_batches batches;

    /* the first file is one JSON object with a value that cannot be a cell; `nested` is the error */
    bool has_one_object;
    crd_error nested;
    crd_i_file_header first; /* header of the first file, as the public functions return it */

    crd_i_reader_column *columns;
    size_t column_count;
    size_t target;      /* index into columns, or SIZE_MAX */
    size_t weight;      /* index into columns, or SIZE_MAX */
    bool has_intervals; /* some column has intervals */
    bool has_texts;     /* some column is a TEXT; valid once the reader has begun */
    crd_i_column_binding binding;
    crd_i_inspection inspection;

    size_t frame_rows; /* maximum number of rows in a frame; 0: no limit */
    bool marks_empty_lines;
    bool has_begun; /* the columns can no longer change */
    crd_i_pass pass;
    crd_i_sequencer sequencer;
    crd_worker **lanes; /* the first is the worker of crd_reader_next; empty before the reader has begun */
    unsigned lane_count;
};

/* ---- file_header.c ---- */

/* Opens or rewinds a file and reads up to its first row. */
CRD_MUST_USE crd_status crd_i_reader_enter(crd_reader *reader, size_t input, crd_error *error);
/* Rewinds the current file, which must be rereadable, to its first byte after any byte order mark. */
CRD_MUST_USE crd_status crd_i_reader_return(crd_reader *reader, crd_error *error);
void crd_i_file_header_clear(crd_context *context, crd_i_file_header *header);

/* Limits the number of columns to more than any real table has, so a malformed file cannot exhaust memory. */
#define CRD_I_MAX_FIELDS ((size_t)1 << 20)

/* Fails because a line has, or creates, more than CRD_I_MAX_FIELDS fields. For formats. */
crd_status crd_i_file_header_fail_limit(uint64_t line, crd_error *error);
/* Adds the name of the next field, which is on this line. Fails if another field has the name. */
CRD_MUST_USE crd_status crd_i_file_header_add_name(crd_reader *reader, crd_text name, uint64_t line, crd_error *error);
/* Adds a field for a column whose name the file does not contain. Fails if another field has the name. */
CRD_MUST_USE crd_status crd_i_file_header_add_column(crd_reader *reader, crd_text name, crd_error *error);
/* Fails with CRD_ERROR_SYNTAX because a text of `description` is not valid in the encoding of the input. */
crd_status crd_i_reader_fail_encoding(const crd_reader *reader, const char *description, crd_text text,
                                      crd_error *error);
/* Returns the declaration of the next field, to be filled in; NULL: out of memory. */
crd_i_declared *crd_i_file_header_declare(crd_reader *reader);
/* Returns whether the field is not a column by default: it contains row names, or it is empty after a last
 * separator. */
static inline bool crd_i_file_header_leaves_field(const crd_i_file_header *header, size_t field) {
    return (header->has_row_names && field == 0) || (header->has_end_separator && field + 1 == header->width);
}
/* Return the cell that a row omits, and its text: zero, or the first declared value; otherwise the cell is missing. */
crd_i_cell crd_i_file_header_left_out(const crd_i_file_header *header, size_t field);
crd_text crd_i_file_header_default(const crd_i_file_header *header, size_t field);
/* Fails because the record on this line has `found` fields, which are too few or too many. */
crd_status crd_i_file_header_fail_fields(const crd_i_file_header *header, uint64_t line, size_t found,
                                         crd_error *error);
/* Completes the entry of the current file, so rows can be taken. */
CRD_MUST_USE crd_status crd_i_entry_settle(crd_reader *reader, crd_error *error);
/* Drops one reference. Call it while holding `cutting`, or when there are no other threads. NULL is allowed. */
void crd_i_entry_release(crd_context *context, crd_i_entry *entry);

/* Returns how the cells of a column are read in the file of the worker's rows. */
static inline crd_i_column_format crd_i_worker_column_format(const crd_worker *worker, size_t index) {
    static const crd_i_column_format PLAIN = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    const crd_i_column_format format = worker->reader->columns[index].format;
    switch (worker->entry->readings[index]) {
    case CRD_I_READ_BY_POINT: return crd_i_column_format_with_point(format);
    case CRD_I_READ_AS_PART: return PLAIN;
    default: return format;
    }
}

/* ---- reader.c ---- */

/* Makes the header of the current file, which must be the first, the header that the public functions return. */
CRD_MUST_USE crd_status crd_i_reader_show_first(crd_reader *reader, crd_error *error);

/* Sets the missing-value texts to the schema's texts and the texts that options add. */
CRD_MUST_USE bool crd_i_reader_set_missing(crd_reader *reader, const crd_i_schema *schema);

/* Removes ignored columns and fixes all columns. Called before the first chunk. */
CRD_MUST_USE crd_status crd_i_reader_begin(crd_reader *reader, crd_error *error);

/* ---- column_binding.c ---- */

/* Makes the columns of the first file the frame columns. */
CRD_MUST_USE crd_status crd_i_reader_adopt_columns(crd_reader *reader, crd_error *error);
/* Finds the fields of the current file for all columns. */
CRD_MUST_USE crd_status crd_i_reader_meet(crd_reader *reader, crd_error *error);
void crd_i_reader_free_columns(crd_reader *reader);

/* ---- strict_schema.c ---- */

/* Returns CRD_ERROR_SCHEMA_DIFFERS if the reader is strict and the current file has other columns than the schema,
 * or than the first file if there is no schema. by_name: both have names, and the fields of the columns are known. */
CRD_MUST_USE crd_status crd_i_reader_check_strictly(crd_reader *reader, bool by_name, crd_error *error);
/* Returns whether a field without a column is known anyway: it is in the first file, or it is an optional weight. */
bool crd_i_reader_knows_field(const crd_reader *reader, crd_text name);

/* ---- key_columns.c ---- */

/* Reserves memory for the empty-line marks of `rows` current rows, if they are wanted. */
CRD_MUST_USE bool crd_i_worker_reserve_breaks(crd_worker *worker, size_t rows);
/* Empties the dictionary of a sequence-id column, which holds the ids of the current rows only. Call it before their
 * conversion. */
void crd_i_worker_forget_ids(crd_worker *worker, size_t index);
/* Returns the maximum number of values of a column. Sequence ids have no limit. */
size_t crd_i_reader_most_categories(const crd_reader *reader, size_t index);
/* Checks that the current file has the key columns. */
CRD_MUST_USE crd_status crd_i_reader_need_keys(const crd_reader *reader, crd_error *error);

/* Returns whether values of rows without a target count as missing. They do not in files that declare their columns. */
bool crd_i_worker_skips_unlabeled(const crd_worker *worker);
/* Marks the values of the latest record as missing if it has no target. */
void crd_i_worker_clear_unlabeled(const crd_worker *worker, crd_i_cell *cells);
/* Marks the values of the sparse row being built as missing if it has no target. */
void crd_i_worker_clear_unlabeled_sparse(crd_worker *worker);
/* Fills in `unlabeled` for the current rows of the fast path. false: out of memory. */
CRD_MUST_USE bool crd_i_worker_mark_unlabeled(crd_worker *worker);
/* Returns whether the values of a current row count as missing although they are still stored. */
static inline bool crd_i_worker_leaves_row(const crd_worker *worker, size_t row) {
    return worker->has_unlabeled && worker->unlabeled[row] != 0;
}

/* ---- format_detection.c ---- */

/* Replaces each column whose field has several parts by one column per part. Called before the first chunk. */
CRD_MUST_USE crd_status crd_i_reader_split_formats(crd_reader *reader, crd_error *error);
/* Returns the column name for a part of a field, owned by the caller; bytes NULL: out of memory. */
crd_text crd_i_reader_part_name(const crd_reader *reader, const crd_i_reader_column *field, unsigned part);
void crd_i_reader_column_clear(crd_context *context, crd_i_reader_column *column);

/* Decides whether the current file has decimal points in columns that the model reads with decimal commas. The first
 * rows decide; if they are ambiguous, the reading nearer to the model's scale is chosen. */
CRD_MUST_USE crd_status crd_i_reader_find_decimal_mark(crd_reader *reader, crd_error *error);
/* Sets the types of columns without a format in the current file, from its declarations or its first rows: NUMBER if
 * all cells are numbers, CATEGORY if none is, NONE if only some are or if the rows are not available without
 * waiting. */
CRD_MUST_USE crd_status crd_i_reader_look_for_types(crd_reader *reader, crd_column_type *types, crd_error *error);
/* Finds the format of a column of times by its cells: a number if they are not dates. If they can be read in two ways,
 * `likely` decides. CRD_ERROR_TYPE: it is plain, or the cells contradict it. */
CRD_MUST_USE crd_status crd_i_reader_find_time_format(crd_reader *reader, size_t column, crd_i_column_format likely,
                                                      crd_error *error);
/* Detects the formats of columns that turned out not to be plain numbers. Call it before the input is read again. */
CRD_MUST_USE crd_status crd_i_reader_detect_late_formats(crd_reader *reader, crd_error *error);

/* Call the next three functions when no row is being converted, under the mutex of `order`. */

/* Returns whether cells may show that a categorical column has truth values. */
bool crd_i_reader_may_have_late_truth(const crd_reader *reader, size_t index);
/* Returns the evidence of the first rows and of all workers' values that a column may contain truth values. The
 * evidence has no cells if the column does not. */
crd_i_column_format_evidence crd_i_reader_late_truth(const crd_reader *reader, size_t index);
/* Returns whether the pass found truth values in a column that was read as a plain category. */
bool crd_i_reader_has_late_truth(const crd_reader *reader);
/* Sets the truth-value format of such columns. Call it before the rows are read again. */
void crd_i_reader_take_late_truth(crd_reader *reader);
void crd_i_reader_column_take_truth(crd_i_reader_column *column);

/* ---- chunks.c ---- */

/* Moves the next chunk of any file into the worker, which must have none. Sets *is_found to false at the end, or if
 * reading was stopped. A failure has already taken its place in the order. */
CRD_MUST_USE crd_status crd_i_chunk_take(crd_worker *worker, bool *is_found, crd_error *error);
/* Enters a file after the first, or starts again with all files. */
CRD_MUST_USE crd_status crd_i_chunks_enter(crd_reader *reader, size_t input, crd_error *error);

/* Returns the offset after the line end of the last whole record in `bytes`, which begin with a record; 0 if there
 * is none. `slow` defines how records end. */
size_t crd_i_cut(const crd_i_slow_parse *slow, const char *bytes, size_t length);

/* ---- shard.c ---- */

CRD_MUST_USE crd_status crd_i_shard_check(const crd_reader_options *options, crd_error *error);
/* Computes the byte ranges of all inputs, once they are known. */
void crd_i_shard_lay_out(crd_reader *reader);
/* Sets the range to read in the current file. Called at its first row. */
void crd_i_shard_enter(crd_reader *reader);
/* Returns the next file that may contain rows to read, or the number of files if there is none. goes_behind: include
 * rows after the part. */
size_t crd_i_shard_next_input(const crd_reader *reader, bool goes_behind);
/* Returns the zone of rows that begin at the shard's offset, and sets *end to the offset where the next zone begins. */
crd_i_row_zone crd_i_shard_zone(const crd_i_shard *shard, uint64_t *end);
/* Returns whether a chunk belongs to this part, in a file whose chunks are assigned one by one. */
bool crd_i_shard_is_dealt_chunk(const crd_reader *reader, uint64_t chunk);
/* Returns the approximate number of bytes still to read. */
uint64_t crd_i_shard_bytes_left(const crd_reader *reader);
uint64_t crd_i_shard_count_lines(const char *bytes, size_t length);
/* Counts the lines in the bytes skipped before a file's first chunk. Reads these bytes, because only errors need the
 * count. false: reading failed. */
CRD_MUST_USE bool crd_i_shard_lines_before(crd_reader *reader, crd_i_entry *entry, uint64_t *lines);

/* ---- collective_types.c ---- */

/* Begins a pass over the rows that ends with crd_i_reader_agree. The rows count only if that returns CRD_OK. No
 * thread may be reading. */
void crd_i_reader_begin_pass(crd_reader *reader);
/* Ends a pass over the rows. `status` is the result of the pass: CRD_OK, CRD_I_READ_AGAIN or a failure. If each process
 * of a group read a part of the rows, all agree on the column types. Returns CRD_OK if every process read its rows
 * with these types, CRD_I_READ_AGAIN if all must begin again, otherwise the failure of one process. A single process
 * gets `status` back. No thread may be reading. */
CRD_MUST_USE crd_status crd_i_reader_agree(crd_reader *reader, crd_status status, crd_error *error);

/* ---- parallel_map.c ---- */

/* Returns whether later rows may show that a column has another type or format. */
bool crd_i_reader_may_change_types(const crd_reader *reader);
/* Reads all rows, with as many threads as the options allow, until the column types are known. In a group, each process
 * does this alone. */
CRD_MUST_USE crd_status crd_i_reader_scan(crd_reader *reader, crd_error *error);
/* Marks the columns whose type follows from their cells. Called before the first chunk. */
void crd_i_reader_mark_open(crd_reader *reader);
/* Collects evidence from the current rows, which were delivered as a frame. false: out of memory. */
CRD_MUST_USE bool crd_i_worker_collect(crd_worker *worker);
void crd_i_worker_clear_evidence(crd_worker *worker);

/* ---- frame_batches.c ---- */

/* Fills in the header of the reader's entry. is_again: restarts from the first batch. */
CRD_MUST_USE crd_status crd_i_batches_enter(crd_reader *reader, bool is_again, crd_error *error);
/* Copies the values that the dictionaries of a field declare so far, except missing-value texts. *out is owned by
 * the caller, or NULL if there are none. false: out of memory. */
CRD_MUST_USE bool crd_i_batches_values(const crd_reader *reader, size_t field, crd_i_dictionary **out);
/* Sets the type of each column in memory from its storage type, unless the caller set another. Called before the first chunk. */
CRD_MUST_USE crd_status crd_i_batches_settle_types(crd_reader *reader, crd_error *error);
/* Moves the next slice into the worker, under `cutting`. *rows is 0 at the end. */
CRD_MUST_USE crd_status crd_i_batches_take(crd_worker *worker, size_t *rows, crd_error *error);
/* Drops one reference. Call it while holding `cutting`, or when there are no other threads. NULL is allowed. */
void crd_i_batch_leave(crd_i_row_batch *batch);
/* Converts the current slice into the frame. Errors count rows from the start of the slice. */
CRD_MUST_USE crd_status crd_i_worker_convert_batch(crd_worker *worker, crd_error *error);

/* Returns the content type of the cells of a batch field. */
crd_i_cell_content crd_i_batches_content(const crd_reader *reader, size_t field);
/* Adds the texts of the wanted columns to `evidence`, then returns to the first row. Clears is_wanted for columns
 * that have no format. */
CRD_MUST_USE crd_status crd_i_batches_look(crd_reader *reader, bool *is_wanted, crd_i_column_format_evidence *evidence,
                                           crd_error *error);
void crd_i_batches_clear_formed(crd_context *context, crd_i_worker_column *column);
/* Discards the converted values of texts, because codes of an emptied dictionary are invalid. */
void crd_i_batches_forget_formed(crd_i_worker_column *column);

/* ---- worker.c ----
 *
 * Each thread has a worker and runs this loop:
 *
 *     while (crd_i_worker_next(worker, &frame, &error) == CRD_OK && frame != NULL) {
 *         process the frame;
 *         if (crd_i_worker_wait_turn(worker)) use the result;     only if the order of rows matters
 *     }
 *
 * All threads end with the same status. Each frame goes to one worker. The frames of all workers together equal the
 * frames of crd_reader_next. Input errors and their places are the same for any number of workers, except that each
 * worker applies the limit on categories separately. Workers sometimes wait for each other. So each worker needs its
 * own thread, and must be read to the end unless crd_i_reader_stop is called. */

/* Creates `count` workers and writes them to `workers`. They are valid as long as the reader. The first one is also
 * used by crd_reader_next. After this call, column options can no longer be set. You can call it again, for the same
 * workers or more, while no other thread reads. */
CRD_MUST_USE crd_status crd_i_reader_make_workers(crd_reader *reader, unsigned count, crd_worker **workers,
                                                  crd_error *error);
/* Sets *out to the next frame that no worker has read, or to NULL at the end of the input. The frame is valid until the
 * worker's next call. At the end and after a failure, every worker gets the same result. CRD_I_READ_AGAIN: the frames
 * of all workers must be discarded, and the rows read again after crd_reader_begin_again. */
CRD_MUST_USE crd_status crd_i_worker_next(crd_worker *worker, const crd_frame **out, crd_error *error);
/* Waits until all frames with earlier rows are finished. A frame is finished when its worker requests the next one.
 * Returns false if reading failed before these rows or was stopped; then do not use their results. */
CRD_MUST_USE bool crd_i_worker_wait_turn(crd_worker *worker);
/* Stops all workers: none waits any longer, and requests for frames return CRD_ERROR_CANCELLED. Any thread can
 * call it. */
void crd_i_reader_stop(crd_reader *reader);

/* Returns whether there may be rows that no worker has read. */
bool crd_i_reader_has_more(crd_reader *reader);

void crd_i_simd_columns_destroy(crd_reader *reader);
/* Creates a worker without a frame, for inspecting cells. NULL: out of memory. */
crd_worker *crd_i_worker_create_bare(crd_reader *reader);
void crd_i_worker_destroy(crd_worker *worker);

/* Iterate over the cells of the worker's chunk without converting them. crd_i_worker_look moves to the next rows;
 * false: there are none, or none before a fault. The fast path returns all its rows in one step. */
void crd_i_worker_begin_look(crd_worker *worker);
CRD_MUST_USE bool crd_i_worker_look(crd_worker *worker);

/* ---- bad_rows.c ---- */

/* Returns whether invalid rows are skipped. */
static inline bool crd_i_reader_skips(const crd_reader *reader) {
    return reader->options.bad_row != NULL;
}
/* Saves an unmodified copy of the latest record, before it is split. */
CRD_MUST_USE bool crd_i_bad_rows_remember(crd_worker *worker);
/* Skips the saved record and stores its error. Returns CRD_OK, or the error to fail with. */
CRD_MUST_USE crd_status crd_i_bad_rows_add(crd_worker *worker, crd_status status, crd_error *error);
/* Reports the skipped rows when it is the chunk's turn. `place` adds the location to each error. false: reading must
 * fail with *error. */
CRD_MUST_USE bool crd_i_bad_rows_report(crd_worker *worker, void (*place)(const crd_worker *worker, crd_error *error),
                                        crd_error *error);
/* Discards the skipped rows without reporting them. */
void crd_i_bad_rows_clear(crd_worker *worker);
/* Resets the state before all rows are read again. */
void crd_i_bad_rows_restart(crd_reader *reader);
/* Reports the skipped rows of all processes in row order, from process 0. Called at the end of a pass that a group
 * of processes shares. */
CRD_MUST_USE crd_status crd_i_bad_rows_share(crd_reader *reader, crd_error *error);

/* ---- cell_conversion.c ---- */

/* Converts the current rows into the frame. Returns CRD_I_READ_AGAIN if a column proved to be categorical after it was
 * delivered as numeric, or if an infinite cell suggests so. *suspect is then the error to return if the input cannot
 * be read again, or if column *suspect_column is numeric after all. Errors count lines from the start of the chunk. */
CRD_MUST_USE crd_status crd_i_worker_convert(crd_worker *worker, crd_error *suspect, size_t *suspect_column,
                                             crd_error *error);
/* Fast-path version of crd_i_worker_convert. Sets *done to false if the rows need the slow path. */
CRD_MUST_USE crd_status crd_i_worker_convert_fast(crd_worker *worker, bool *done, crd_error *error);
/* Only determines the types that the current rows show. */
void crd_i_worker_check_types(crd_worker *worker);
/* Checks the row after the current ones for errors that do not depend on guessed column types. */
CRD_MUST_USE crd_status crd_i_worker_check_row(const crd_worker *worker, crd_error *error);

/* Returns whether a cell is missing. */
bool crd_i_worker_is_missing(const crd_worker *worker, crd_i_cell cell);

/* Replaces numbers of the worker's frame by interval codes, in columns with intervals. */
CRD_MUST_USE crd_status crd_i_worker_make_intervals(crd_worker *worker, crd_error *error);

/* Converts texts of the worker's frame that are not valid UTF-8. */
CRD_MUST_USE crd_status crd_i_worker_make_texts_valid(crd_worker *worker, crd_error *error);

/* Stores the converted current rows in the frame. */
void crd_i_worker_fill_frame(crd_worker *worker);

/* Returns a cell of the current rows on the slow path. The file must have the field. */
static inline crd_i_cell crd_i_worker_cell(const crd_worker *worker, size_t row, size_t field) {
    if (!worker->is_sparse) return worker->cells[row * worker->entry->header.width + field];
    const crd_i_cell *cell = crd_i_sparse_rows_find(&worker->sparse, row, field);
    return cell != NULL ? *cell : crd_i_file_header_left_out(&worker->entry->header, field);
}

static inline crd_text crd_i_worker_cell_text(const crd_worker *worker, crd_i_cell cell) {
    if (cell.form == CRD_I_CELL_DEFAULT) return crd_i_file_header_default(&worker->entry->header, cell.start);
    return crd_i_slow_parse_text(&worker->records, cell);
}

/* Returns the text of a cell of the current rows. */
static inline crd_text crd_i_worker_text(const crd_worker *worker, size_t row, size_t field) {
    if (worker->is_fast) return crd_i_fast_parse_text(&worker->fast, worker->first_row + row, field);
    return crd_i_worker_cell_text(worker, crd_i_worker_cell(worker, row, field));
}

static inline double *crd_i_worker_numbers(const crd_worker *worker, size_t index) {
    return worker->numbers + worker->columns[index].slot * worker->rows;
}

/* Returns the codes, which share memory with the numbers: a column has one or the other. */
static inline int32_t *crd_i_worker_codes(const crd_worker *worker, size_t index) {
    return (int32_t *)(void *)crd_i_worker_numbers(worker, index);
}

/* Adds the name of the current file to an error that may already have a line and a field. */
void crd_i_reader_place_error(const crd_reader *reader, crd_error *error);

/* Returns the number of the line where a row of the worker's latest frame begins. May wait for workers with earlier
 * rows. */
uint64_t crd_i_worker_line(const crd_worker *worker, size_t row);

/* Returns the name of the file that contains the rows of the worker's latest frame. */
const char *crd_i_worker_place(const crd_worker *worker);

#endif
