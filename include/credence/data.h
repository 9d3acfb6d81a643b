/* SPDX-License-Identifier: MIT */
/* credence/data.h - data input: frames hold rows; readers make frames from files, memory and streams. */
#ifndef CREDENCE_DATA_H
#define CREDENCE_DATA_H

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the name of a column type: "none", "numeric", "categorical" or "text". */
CRD_API const char *crd_column_type_name(crd_column_type type);

/* ---- Frame: a batch of rows in typed columns, in the memory layout of the Arrow C Data Interface ---- */

/* The structs of the Arrow C Data Interface and the Arrow C Stream Interface, declared here only by name. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* Creates a frame over an Arrow struct array (a record batch). Doubles are borrowed without a copy; all other types are
 * converted. The caller keeps ownership of `schema` and `array`, and releases both after the frame is destroyed. Arrow
 * types become these types, here and in crd_reader_open_arrow:
 *   numbers     integers and floats of any width, as the nearest double: digits beyond 2^53 are lost, as they are when
 *               a file contains them; decimals, as the nearest double; dates, as days since 1970-01-01; timestamps
 *               (in UTC), times of day and durations, as seconds
 *   categories  strings and binaries in any layout (utf8, large_utf8, utf8_view, binary, large_binary, binary_view,
 *               fixed size), by their text, which must be UTF-8 without NUL; booleans, as false and true; dictionaries
 *               of these types and of numbers, with any index type, by the text of the value
 *   no type     null: every value is missing
 * A run-end encoded column has the type of its values. Nulls and NaN are missing; infinite values are CRD_ERROR_NUMBER.
 * A number that becomes a category is written as decimal text: integers with all their digits, other numbers as
 * crd_number_format writes them. A date or time that becomes a category is written in ISO 8601: 2024-02-29,
 * 2024-02-29T12:30:05.5 or 12:30:05. A timestamp at midnight is written as its date only. Lists, structs, maps, unions
 * and intervals are CRD_ERROR_COLUMN. */
CRD_API CRD_MUST_USE crd_status crd_frame_borrow_arrow(crd_context *context, const struct ArrowSchema *schema,
                                                       const struct ArrowArray *array, crd_frame **out,
                                                       crd_error *error);

/* Converts the column with index `column` to another type. Numbers become categories or documents, written as
 * crd_number_format writes them. Texts become numbers; CRD_ERROR_NUMBER if a text is not a number. Categories become
 * documents, and documents become categories. A frame that a reader owns cannot be changed. */
CRD_API CRD_MUST_USE crd_status crd_frame_set_column_type(crd_frame *frame, size_t column, crd_column_type type,
                                                          crd_error *error);

/* Declares all values in the dictionary of a categorical column, which crd_frame_add_codes or an Arrow dictionary
 * defines. A model that is created like this frame (crd_model_create), or learns from a reader of it, then contains
 * these values even if no row has them. Values that a schema or an ARFF file declares work in the same way. Thus
 * classes without a row are classes too.
 *
 * By default nothing is declared, because a dictionary is primarily an encoding. The dictionary of a slice contains
 * values of other slices, and a batch's dictionary contains whatever its writer put in. A model must be a function of
 * its schema and the multiset of its rows. Returns CRD_ERROR_ARGUMENT if the column is not categorical or a reader owns
 * the frame. */
CRD_API CRD_MUST_USE crd_status crd_frame_declare_dictionary(crd_frame *frame, size_t column, crd_error *error);

/* Returns the number of columns. */
CRD_API size_t crd_frame_column_count(const crd_frame *frame);
/* Returns the name of a column, which is valid as long as the frame. */
CRD_API crd_text crd_frame_column_name(const crd_frame *frame, size_t column);
/* Returns the type of a column. */
CRD_API crd_column_type crd_frame_column_type(const crd_frame *frame, size_t column);

/* ---- Input: bytes to read from a file, from memory or from callbacks ----
 *
 * The library reads the first bytes at once. So a caller can determine their format even if the input can be read only
 * once. Compressed bytes (gzip, zstd) are decompressed, whatever their source. */

/* An input that is open but not yet used by a reader or a network. */
typedef struct crd_input crd_input;

/* Opens a file as an input. The path "-" is standard input. Waits for the first 64 KiB or the end of the file. Close
 * the input with crd_input_close. */
CRD_API CRD_MUST_USE crd_status crd_input_open(crd_context *context, const char *path, crd_input **out,
                                               crd_error *error);

/* Creates an input from bytes in memory. The bytes are borrowed until both the input and the reader that uses it are
 * closed. Error messages use `name` as the place; it is copied. If it is NULL, they use "memory". */
CRD_API CRD_MUST_USE crd_status crd_input_from_memory(crd_context *context, const void *bytes, size_t length,
                                                      const char *name, crd_input **out, crd_error *error);

/* Callbacks that return the bytes of an input. Only one thread at a time calls them; it may be a thread of the
 * library. */
typedef struct crd_input_callbacks {
    size_t size;
    void *user;       /* passed to each callback */
    const char *name; /* the input's name in error messages; copied. NULL: "input" */
    /* Writes up to `room` bytes, room > 0, and returns their number. It must return 0 only at the end. A negative value
     * reports a failure, which becomes CRD_ERROR_SYSTEM: -1, or a negated system error number. */
    int64_t (*read)(void *user, void *bytes, size_t room);
    /* Rewinds to the first byte. Returns 0 or a system error number. If this is NULL, the bytes can be read only once.
     * Then a column that turns out to be categorical late is CRD_ERROR_TYPE. */
    int (*rewind)(void *user);
    /* Called exactly once, when no more bytes will be read, even if the input could not be created. May be NULL. */
    void (*close)(void *user);
} crd_input_callbacks;

#define CRD_INPUT_CALLBACKS_INIT                                                                                       \
    { sizeof(crd_input_callbacks), 0, 0, 0, 0, 0 }

/* Creates an input whose bytes come from callbacks. `callbacks` is copied. Close the input with crd_input_close. */
CRD_API CRD_MUST_USE crd_status crd_input_from_callbacks(crd_context *context, const crd_input_callbacks *callbacks,
                                                         crd_input **out, crd_error *error);

/* Returns the first bytes of the input, at most 64 KiB. After a reader or a network has taken the input, returns no
 * bytes. */
CRD_API crd_text crd_input_beginning(const crd_input *input);
/* Closes an input. If a reader has taken it, the reader keeps the bytes and this frees only the rest. `input` may be
 * NULL. */
CRD_API void crd_input_close(crd_input *input);

/* ---- Reader: converts the rows of files or other inputs, one after the other, to frames in bounded memory ---- */

/* A yes/no option that the library can also decide by the content. */
typedef enum crd_choice { CRD_CHOICE_AUTO = 0, CRD_CHOICE_YES = 1, CRD_CHOICE_NO = 2 } crd_choice;

/* The separator between fields of a delimited file. */
typedef enum crd_separator {
    CRD_SEPARATOR_AUTO = 0,
    CRD_SEPARATOR_COMMA = 1,
    CRD_SEPARATOR_SEMICOLON = 2,
    CRD_SEPARATOR_TAB = 3,
    CRD_SEPARATOR_BLANK = 4, /* runs of spaces and tabs */
    CRD_SEPARATOR_PIPE = 5,
    CRD_SEPARATOR_OTHER = 6 /* the byte crd_reader_options.separator_byte */
} crd_separator;

/* The format of the rows. ARFF files declare the types and values of their columns. JSON lines have one object per
 * line; the columns are the keys of all objects, in byte order. If such input cannot be read twice, the first 4096
 * objects or 8 MiB determine the columns. A key that first occurs later is CRD_ERROR_COLUMN, unless a schema or a model
 * defines the columns. */
typedef enum crd_format {
    CRD_FORMAT_AUTO = 0,      /* detected from the content */
    CRD_FORMAT_DELIMITED = 1, /* fields between separators or whitespace; a first line sep=; sets the separator */
    CRD_FORMAT_ARFF = 2,
    CRD_FORMAT_JSON_LINES = 3,
    CRD_FORMAT_COLUMNS = 4, /* frames and Arrow streams, which are not bytes; never request it */
    /* Objects over any number of lines, in an array or one after the other; read like JSON lines. */
    CRD_FORMAT_JSON = 5
} crd_format;

/* How the caller's list of missing-value texts is combined with the default list. */
typedef enum crd_missing_rule {
    CRD_MISSING_ONLY = 0, /* exactly these texts and no others */
    /* These texts in addition to the default ones, or to the list of the model or schema that the reader is bound
     * to. */
    CRD_MISSING_ADDED = 1,
    CRD_MISSING_ANY_CASE = 2 /* these texts and no others; default ones among them match in any letter case */
} crd_missing_rule;

/* Options of the crd_reader_open_* functions. Initialize it with CRD_READER_OPTIONS_INIT. */
typedef struct crd_reader_options {
    size_t size;
    crd_choice header;
    crd_separator separator;
    const crd_text *missing; /* the texts that mean missing; NULL: the default ones, see credence/schema.h */
    size_t missing_count;
    size_t max_categories; /* maximum number of distinct values in a column; 0: a million */
    size_t block_bytes;    /* approximate number of bytes of rows per frame; 0: chosen by the library */
    int keep_text;         /* non-zero: keeps the text of each field for crd_worker_cell */
    crd_format format;     /* setting a separator implies CRD_FORMAT_DELIMITED */
    /* The decimal mark in delimited files: '.' or ','. 0: the mark of each column's format, or the point. A comma becomes
     * part of the format of all numeric columns. */
    char decimal;
    size_t max_record; /* maximum number of bytes in a row; 0: 64 MiB; never more than half a GiB */
    unsigned threads;  /* maximum number of threads of calls that process all rows; 0: one per CPU core */
    /* Called occasionally while bytes are read, by one thread at a time. `done` is the number of bytes of all inputs
     * read in this pass, counted before decompression. `total` is the number of all bytes; 0 if it is unknown. May be
     * NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;
    /* Reads only the rows of one of `shard_count` parts, numbered from 1. 0 of 0: all rows. Every row belongs to
     * exactly one part. The rule needs only the same files in the same order and the same options: see docs/shards.md.
     * Parts do not share information, so a schema should define the columns. At most a million parts. */
    unsigned shard, shard_count;
    /* Non-zero: the caller guarantees that each row is one line. Then the reader finds its part without reading the
     * bytes before it. A row of several lines, which needs quotes, is CRD_ERROR_SYNTAX for at least one part. */
    int no_multiline_fields;
    /* An input that was already opened for the first path. The reader takes its bytes; the caller still closes it. If
     * it is NULL, or another reader took it before, the reader opens the path. */
    crd_input *input;
    /* For Arrow streams, non-zero: declares all dictionary values; see crd_frame_declare_dictionary. Values of the
     * first batch, which is read at once, are declared from the first frame on. Values of later batches are declared
     * after all rows have been learned. */
    int declare_dictionaries;
    /* For delimited files. `separator_byte` is the byte of CRD_SEPARATOR_OTHER: any byte except NUL, line ends and the
     * quote. `quote` encloses fields that contain separators, line ends or (doubled) quotes: any such byte; 0: the
     * double quote. In tab-separated files, quotes are ordinary bytes if two conditions hold: a field in the first MiB
     * begins with a quote that is not closed at its end, and all lines have the same number of tabs. So texts may
     * contain quotes. */
    char separator_byte, quote;
    crd_missing_rule missing_rule;
    int no_quotes; /* non-zero: no character encloses fields; quotes are ordinary bytes */
    /* The text encoding, by a name that iconv accepts, such as "utf-16le", "latin1" or "cp1252". Copied. NULL: UTF-8,
     * or UTF-16 if every other byte is NUL. A byte order mark overrides this option in any case. A name or a category
     * that is not valid is CRD_ERROR_SYNTAX. "bytes": no conversion; any bytes except NUL are valid. */
    const char *encoding;
    /* Handles rows that cannot be read: rows with a wrong number of fields, an unclosed quote, or a text that is not a
     * number or not valid. If this is NULL, reading ends with the first such error. Otherwise it is called for each
     * such row, in row order and by one thread at a time, with the fault and the unchanged row. For a row with an
     * improperly closed quote, `row` is the first line, and reading continues at the next line.
     *
     * Return non-zero to skip the row, or 0 to fail with that error. `fault` is NULL when all rows are read again from
     * the first: discard the rows reported before. Not reported here: rows from frames and Arrow streams, limits,
     * infinite numbers in the first rows of input that cannot be read again, and faults of a whole file. */
    int (*bad_row)(void *user, const crd_error *fault, crd_text row);
    void *bad_row_user;
    /* Non-zero: delivers rows as soon as their bytes have arrived, without waiting for more. Use it for rows that a
     * person types or another program writes slowly. The division into frames then depends on how the bytes arrive; the
     * rows do not. */
    int prompt;
    /* Non-zero: rejects a file with unexpected columns as CRD_ERROR_SCHEMA_DIFFERS. The expected columns are defined by
     * the schema or model that the reader is bound to, or else by the first file. The error names columns that are
     * absent, unknown, or of another type in the first rows. These are not differences: the column order, a missing
     * target in rows to predict, a weight that is not needed, and a new value. A model stores how many columns were
     * ignored in training, but not which ones. So that number of unknown columns is allowed. */
    int strict;
    /* Non-zero: delimited files are tagged text with one token and its tags per line (CoNLL). Tabs separate the fields
     * if one of the first lines contains a tab; otherwise whitespace does. Commas, semicolons or pipes separate them
     * only if all of the first lines (at least two) have the same number of nonempty fields between these, but not
     * between spaces. In files with several tab-separated fields, lines that begin with # and have no tab are comments,
     * except a single #. If the reader is bound to a schema without a header, files may lack fields after the last used
     * one, or contain only the used ones. */
    int tagged_text;
    /* Non-zero: no character encloses fields between tabs, unless `quote` is set. A reader that is bound to a model
     * takes this from the model: see crd_model_has_literal_quotes. */
    int literal_quotes_between_tabs;
    /* For rows from frames and Arrow streams, non-zero: interprets them like the same rows in a file, so that both give
     * byte-identical models. Types follow from the values and are not declared: a column without a present value has no
     * type. In text columns only the empty text, ? and the texts in `missing` mean missing, not the other default
     * texts. Without a header (CRD_CHOICE_NO), a model's columns are matched by position. */
    int like_file;
    /* For Arrow streams: creates the stream again in *out from its first batch, with the same columns, so that rows can
     * be read again. Returns 0 or a system error number. Called by one thread at a time, possibly a thread of the
     * library, while no batch is being read. NULL: the stream can be read only once. */
    int (*renew)(void *user, struct ArrowArrayStream *out);
    void *renew_user;
    /* For parts of the rows, non-zero: concatenating the rows of all parts gives the rows of the files in their order.
     * A file that cannot be read from the middle, such as a compressed one, then belongs to the part that has its first
     * byte. Rows that are not bytes of files all belong to the first part. If this is 0, both are split among the
     * parts. */
    int in_order;
    /* For delimited files: the number of the header line, counted from 1. The lines before it are skipped. 0: `header`
     * determines whether there is a header line. */
    uint64_t header_line;
    /* For delimited files: the number of lines to skip at the beginning of each file. A line sep=; among them sets the
     * separator. */
    uint64_t skip_lines;
    /* For delimited files: the selectors that the caller will pass to crd_reader_select, such as the target's name.
     * Copied. They matter if `header` is CRD_CHOICE_AUTO. If the first line contains one of these names, that line is
     * the header. If only one of the next 20 lines contains one, and the lines before it are titles or comments, these
     * are skipped with a note to the log. */
    const crd_text *selectors;
    size_t selector_count;
} crd_reader_options;

#define CRD_READER_OPTIONS_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(crd_reader_options), CRD_CHOICE_AUTO, CRD_SEPARATOR_AUTO, 0, 0, 0, 0, 0, CRD_FORMAT_AUTO, 0, 0, 0, 0,   \
            0, 0, 0, 0, 0, 0, 0, 0, CRD_MISSING_ONLY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                   \
    }

/* Opens a reader over inputs, which it reads one after the other. The reader takes their bytes, so the caller can close
 * the inputs at once. On failure some inputs may have been taken. Returns CRD_ERROR_ARGUMENT if an input was taken
 * before. Ignores options->input. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_inputs(crd_context *context, crd_input *const *inputs,
                                                       size_t input_count, const crd_reader_options *options,
                                                       crd_reader **out, crd_error *error);

/* Opens a reader over frames, one after the other, for functions that process all rows of a reader on all CPU cores.
 * The frames are borrowed until the reader is closed. The first frame defines the columns; columns of later frames are
 * matched by name. A column that is categorical in one frame is categorical in all, and has the values that any frame
 * declares. Types, options and line numbers work as for crd_reader_open_arrow, but the rows can be read again. If
 * `name` is NULL, errors use "frame". */
CRD_API CRD_MUST_USE crd_status crd_reader_open_frames(crd_context *context, const crd_frame *const *frames,
                                                       size_t frame_count, const char *name,
                                                       const crd_reader_options *options, crd_reader **out,
                                                       crd_error *error);

/* Returns non-zero if a header line names the columns. */
CRD_API int crd_reader_has_header(const crd_reader *reader);
/* Returns non-zero if the reader determined that the first line is data: see docs/formats.md. Returns 0 if there is a
 * header, or if the options, a schema or a model specify that there is none. */
CRD_API int crd_reader_header_assumed_absent(const crd_reader *reader);
/* Returns the number of the header line in the first file, counted from 1. Returns 0 if there is no header. */
CRD_API uint64_t crd_reader_header_line(const crd_reader *reader);
/* Returns the format of the rows. */
CRD_API crd_format crd_reader_format(const crd_reader *reader);
/* Returns the separator of a delimited file, or CRD_SEPARATOR_AUTO for other formats. */
CRD_API crd_separator crd_reader_separator(const crd_reader *reader);
/* Returns the separator's byte: a space for runs of whitespace, 0 if there is no separator. */
CRD_API char crd_reader_separator_byte(const crd_reader *reader);
/* Returns non-zero if rows have one field more than the header has names, as in tables that R writes. The first field
 * then names the row, and its column is ignored. */
CRD_API int crd_reader_has_row_names(const crd_reader *reader);

/* Selects columns by name, number (from 1), range (2-5, a-c), glob (petal*), first or last. An exact name takes
 * precedence. Writes the selected indices to `columns` and their number to *count. `columns` must have space for
 * crd_reader_column_count indices. Returns CRD_ERROR_COLUMN if the selector matches no column. */
CRD_API CRD_MUST_USE crd_status crd_reader_select(const crd_reader *reader, crd_text selector, size_t *columns,
                                                  size_t *count, crd_error *error);

/* The buffer size that crd_date_format needs, including the final NUL. */
enum { CRD_DATE_ROOM = 32 };
/* Writes a time, in seconds since 1970-01-01T00:00:00Z, as a date (2024-02-29). If with_time is not 0, adds the time of
 * day, rounded to seconds (2024-02-29 12:30:00). Returns the length, or 0 if the year is not from 1 to 9999.
 * Experimental. */
CRD_API size_t crd_date_format(double seconds, int with_time, char text[CRD_DATE_ROOM]);
/* The buffer size that crd_model_format_number and crd_network_format_number need, including the final NUL. */
enum { CRD_CELL_ROOM = 40 };

/* Sets how the texts of a column are converted to values. `format` is one of the names that crd_column_format_name lists: numbers
 * with digit groups and currency signs, percentages, booleans, dates and times; see docs/forms.md. The column gets the
 * type of its format, even if you set another type before. A date can be split into parts, each of which becomes a column
 * of the frames: NAME.year, NAME.month, NAME.weekday, NAME.hour. Schemas and models store formats. Returns
 * CRD_ERROR_ARGUMENT if the format is unknown. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_column_format(crd_reader *reader, size_t column, crd_text format,
                                                             crd_error *error);
/* Detects the formats of columns that were given neither a format nor a type. A column gets the one format that all of its
 * values have, independent of their order. The first rows decide; if they are not all rows and leave it open, all rows
 * decide if they can be read again. Values with two readings (1,234; 01/02/2024) are not converted and cause a warning,
 * unless another column shows which mark is the decimal mark. If with_parts is 0, dates that would be split into parts
 * are not converted.
 *
 * Call it last before the first crd_reader_next. It does nothing for readers that are bound, have a schema, read only a
 * part of the rows, or read a file that declares its columns. For frames and Arrow streams with the option like_file,
 * Arrow dates, timestamps and times get the formats date, datetime and time. Texts get the format that all of them have, if
 * they can be read again. Texts of plain numbers stay categories, because their table could have contained numbers. */
CRD_API CRD_MUST_USE crd_status crd_reader_detect_column_formats(crd_reader *reader, int with_parts, crd_error *error);
/* Returns the number of formats. */
CRD_API size_t crd_column_format_count(void);
/* Returns the name of a format, numbered from 0. */
CRD_API crd_text crd_column_format_name(size_t index);
/* Returns an example of a format: one or more field texts that it can read. */
CRD_API const char *crd_column_format_example(size_t index);

/* Converts a numeric column to categories: the intervals between the ascending cut points, closed on the left. The
 * values are the interval labels, "<1.5", "[1.5, 3)", ">=3", and all of them are declared. Setting the column's type to
 * categorical keeps the intervals. `cuts` has `count` numbers. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_cuts(crd_reader *reader, size_t column, const double *cuts, size_t count,
                                                    crd_error *error);
/* Declares a value of a column and makes the column categorical. A model that learns from the reader then contains the
 * value even if no row has it. */
CRD_API CRD_MUST_USE crd_status crd_reader_declare(crd_reader *reader, size_t column, crd_text value, crd_error *error);
/* Makes networks order a column's states by declaration: declared values first, in the order of their declaration, then
 * the others. By default states are sorted. */
CRD_API CRD_MUST_USE crd_status crd_reader_keep_order(crd_reader *reader, size_t column, crd_error *error);
/* Ignores a column: frames do not contain it. */
CRD_API CRD_MUST_USE crd_status crd_reader_ignore(crd_reader *reader, size_t column, crd_error *error);
/* Makes a column the target. The target is always categorical. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_target(crd_reader *reader, size_t column, crd_error *error);

/* Makes a column the row weight: the number of rows that a row represents. It is finite, not negative, and need not be
 * an integer. Frames contain the numeric weight column, but it is not an attribute. A row without a weight is
 * CRD_ERROR_WEIGHT. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_weight(crd_reader *reader, size_t column, crd_error *error);

/* Makes the column that a selector picks the row weight: crd_reader_select followed by crd_reader_set_weight. The
 * selector must pick one column. */
CRD_API CRD_MUST_USE crd_status crd_reader_select_weight(crd_reader *reader, crd_text selector, crd_error *error);

/* Declares that rows without a target will not be learned. Then their values do not affect column types and count as
 * missing, so a line of units or totals leaves columns numeric. crd_model_update_all and crd_model_forget_all call it.
 * Call it before crd_reader_detect_column_formats. It has no effect on rows in memory or on files that declare their columns.
 * Experimental. */
CRD_API CRD_MUST_USE crd_status crd_reader_skip_unlabeled(crd_reader *reader, crd_error *error);

/* Sets the class of all rows for crd_model_update_all and crd_model_forget_all. Files need not contain the target
 * column; a present target value is CRD_ERROR_COLUMN. `name` is copied. Call it before the first row is read and before
 * the reader is bound. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_class(crd_reader *reader, crd_text name, crd_error *error);

/* Lets crd_model_update_all and crd_model_move_all add classes that are similar to a known class
 * (crd_summary_similar_class). By default such a class is CRD_ERROR_SCHEMA_DIFFERS, because it is usually a
 * misspelling. Experimental. */
CRD_API void crd_reader_accept_similar_classes(crd_reader *reader);

/* Returns the name of the weight column, which is valid as long as the reader. Its bytes are NULL if there is no
 * weight. */
CRD_API crd_text crd_reader_weight(const crd_reader *reader);

/* Limits the rows per frame, from the next frame on, for callers that store much data per row. 0: no limit. You can
 * call it while no thread reads. */
CRD_API void crd_reader_set_frame_rows(crd_reader *reader, size_t max_rows);

/* Returns the number of the line where a row of the latest frame begins. */
CRD_API uint64_t crd_reader_line(const crd_reader *reader, size_t row);
/* Returns the name of the file that contains the latest frame's rows. */
CRD_API const char *crd_reader_place(const crd_reader *reader);

#ifdef CRD_EXPERIMENTAL
/* ---- Worker: one thread's share of a reader, for the callbacks of crd_reader_parallel_map ---- */

typedef struct crd_worker crd_worker;

/* Returns the number of threads that the reader's options allow: at least 1. */
CRD_API unsigned crd_reader_threads(const crd_reader *reader);

/* Returns the text of a field in a row of the worker's latest frame. `column` is the file's column. Needs
 * options.keep_text. For a missing value, returns the text as it is in the file. */
CRD_API crd_text crd_worker_cell(const crd_worker *worker, size_t row, size_t column);

/* ---- Parallel map: threads of the library process all rows of a reader ----
 *
 * The results of frames arrive in row order if `take` is set. If `take` is NULL, each thread adds its frames to the
 * result in a slot of its own, and `finish` combines them. */

/* Callbacks of crd_reader_parallel_map. Initialize it with CRD_PARALLEL_MAP_INIT. */
typedef struct crd_parallel_map {
    size_t size;
    unsigned threads; /* 0: the number that crd_reader_threads returns */
    void *user;       /* passed to each callback */
    /* Discards all results. Called before the first row is processed. The reader guesses column types, and calls this
     * again if it has to process all rows with other types. NULL: there is nothing to discard. */
    crd_status (*begin)(void *user, crd_error *error);
    /* Processes a frame. Several threads call it at the same time for different frames. Store the result under `slot`,
     * which is below crd_parallel_map_slots. No other frame uses the slot until `take` has taken the result. */
    crd_status (*work)(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame, crd_error *error);
    /* Takes the result of a frame. Called only by the caller's thread, in row order. NULL: results stay in the slots,
     * and each slot belongs to one thread. */
    crd_status (*take)(void *user, unsigned slot, crd_error *error);
    /* Called after the last row by the caller's thread. Slots below `slots` may have results. May be NULL. */
    crd_status (*finish)(void *user, unsigned slots, crd_error *error);
    int holds_frames; /* non-zero: workers keep a frame until `take` returns, so `take` may read it */
} crd_parallel_map;

#define CRD_PARALLEL_MAP_INIT                                                                                          \
    { sizeof(crd_parallel_map), 0, NULL, NULL, NULL, NULL, NULL, 0 }

/* Returns the number of slots that crd_reader_parallel_map will use on this reader. */
CRD_API unsigned crd_parallel_map_slots(const crd_parallel_map *map, const crd_reader *reader);

/* Processes all remaining rows, up to the end of the input or the first failure of the input or a callback. On failure,
 * all earlier results have been taken and no later ones. If `take` is NULL, all processes of a group make this call
 * together. The taken results, their order and the returned status do not
 * depend on the number of threads. There is one exception: in input that cannot be read again, each thread applies the
 * limit on categories separately. Small inputs are processed without extra threads. */
CRD_API CRD_MUST_USE crd_status crd_reader_parallel_map(crd_reader *reader, const crd_parallel_map *map,
                                                        crd_error *error);
#endif /* CRD_EXPERIMENTAL */

/* Rewinds the reader to the first row. Call it while no thread reads. The input must be readable again. The reader
 * keeps the column types that it has determined. */
CRD_API CRD_MUST_USE crd_status crd_reader_begin_again(crd_reader *reader, crd_error *error);
/* Rewinds a reader of one part (crd_reader_options.shard) to the first row and makes it read the rows of all parts. The
 * conditions of crd_reader_begin_again apply. */
CRD_API CRD_MUST_USE crd_status crd_reader_begin_whole(crd_reader *reader, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
