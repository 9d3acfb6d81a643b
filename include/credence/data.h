/* SPDX-License-Identifier: MIT */
/* credence/data.h - data on its way in: frames of rows, and readers that make frames from files, memory and streams. */
#ifndef CREDENCE_DATA_H
#define CREDENCE_DATA_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum crd_kind {
    CRD_KIND_NONE = 0, /* no cell present yet: fits any */
    CRD_KIND_NUMBER = 1,
    CRD_KIND_CATEGORY = 2,
    CRD_KIND_TEXT = 3 /* a document, of whose terms a model learns: its terms are counted */
} crd_kind;

/* One cell. kind NONE means missing; NaN is missing too. */
typedef struct crd_value {
    crd_kind kind;
    double number;
    crd_text text;
} crd_value;

/* ---- Frame: a batch of rows in typed columns, laid out as the Arrow C Data Interface has it ---- */

typedef struct crd_frame crd_frame;

/* An empty frame for `rows` rows; columns are added by the calls below, under unique names. */
CRD_API CRD_MUST_USE crd_status crd_frame_create(crd_context *context, size_t rows, crd_frame **out, crd_error *error);
CRD_API void crd_frame_destroy(crd_frame *frame);

/* Borrows `values` until the frame is destroyed. validity may be NULL; else bit i (least
 * significant first) set means present. NaN is missing. Infinities are refused. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_numbers(crd_frame *frame, crd_text name, const double *values,
                                                      const uint8_t *validity, crd_error *error);

/* Borrows `codes`, copies the dictionary. A negative code, or a cleared validity bit, is missing. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_codes(crd_frame *frame, crd_text name, const int32_t *codes,
                                                    const uint8_t *validity, const crd_text *dictionary,
                                                    size_t dictionary_size, crd_error *error);

/* Copies; the column is a category. A text with bytes == NULL is missing. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_texts(crd_frame *frame, crd_text name, const crd_text *texts,
                                                    crd_error *error);

/* A column of documents, CRD_KIND_TEXT: borrows `texts` and their bytes until the frame is destroyed. Bytes == NULL is missing, and so is
 * an empty text; any bytes are a text, UTF-8 or not. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_documents(crd_frame *frame, crd_text name, const crd_text *texts,
                                                        crd_error *error);

/* The structs of the Arrow C Data Interface and of the C Stream Interface; declared here only by name. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* A frame over a struct array (a record batch). Doubles are borrowed without a copy, all else is converted. The caller
 * keeps ownership and releases both after the frame is destroyed. What types of Arrow become, here and in
 * crd_reader_open_arrow:
 *   numbers     integers and floats of any width, as the nearest double: beyond 2^53 digits are lost, as they are where a
 *               file has them; decimals, as the nearest double; dates, as days since 1970-01-01; timestamps (in UTC),
 *               times of day and durations, as seconds
 *   categories  strings and binaries in any layout (utf8, large_utf8, utf8_view, binary, large_binary, binary_view,
 *               fixed size), by their text, which must be UTF-8 without NUL; booleans, as false and true; dictionaries of any
 *               of these and of numbers, whatever their indices, by the text of the value
 *   neither     null: every cell is missing
 * Run-end encoded columns are what their values are. Nulls and NaN are missing, infinities are CRD_ERROR_NUMBER. A number
 * that is made a category is its decimal text: integers with all their digits, others as crd_number_format writes them; a date or a time is its text of ISO 8601,
 * 2024-02-29, 2024-02-29T12:30:05.5 or 12:30:05, a timestamp of midnight its date alone.
 * Lists, structs, maps, unions and intervals are CRD_ERROR_COLUMN. */
CRD_API CRD_MUST_USE crd_status crd_frame_borrow_arrow(crd_context *context, const struct ArrowSchema *schema,
                                                       const struct ArrowArray *array, crd_frame **out,
                                                       crd_error *error);

/* Converts a column, by its index: numbers become categories, or documents, of their texts, as crd_number_format writes them; texts
 * become numbers, or CRD_ERROR_NUMBER where one is none; categories become documents and the reverse. A frame that a reader owns cannot be changed. */
CRD_API CRD_MUST_USE crd_status crd_frame_set_kind(crd_frame *frame, size_t column, crd_kind kind, crd_error *error);

/* Declares all values of a category's dictionary, that of crd_frame_add_codes or of an Arrow dictionary: a model
 * that is made like this frame (crd_model_create), or learns from a reader of it, knows them whether or not a row
 * has them, as it knows the values that a schema or an ARFF file declares; so classes without a row are classes.
 * Nothing is declared unless it is asked for: a dictionary is first of all an encoding. That of a slice has what
 * only other slices have, that of a batch what its writer put in, and a model is to be a function of its schema and
 * the multiset of its rows. CRD_ERROR_ARGUMENT: the column is no category, or the frame is a reader's. */
CRD_API CRD_MUST_USE crd_status crd_frame_declare_dictionary(crd_frame *frame, size_t column, crd_error *error);

CRD_API size_t crd_frame_rows(const crd_frame *frame);
CRD_API size_t crd_frame_column_count(const crd_frame *frame);
CRD_API crd_text crd_frame_column_name(const crd_frame *frame, size_t column);
CRD_API crd_kind crd_frame_column_kind(const crd_frame *frame, size_t column);
/* The cell; its text lives as long as the frame is unchanged. */
CRD_API crd_value crd_frame_value(const crd_frame *frame, size_t row, size_t column);

/* ---- Input: bytes to be read, from a file, from memory or from functions ----
 *
 * The first bytes are read at once, so that a caller can find out what they are, also where they can be read once only.
 * Compressed bytes (gzip, zstd) are seen through, whatever they come from. */

typedef struct crd_input crd_input;

/* "-" is standard input. Waits for the first 64 KiB, or the end. */
CRD_API CRD_MUST_USE crd_status crd_input_open(crd_context *context, const char *path, crd_input **out,
                                               crd_error *error);

/* Bytes in memory, borrowed until the input, and the reader that takes it, are closed. `name` is what errors call them;
 * it is copied. NULL: "memory". */
CRD_API CRD_MUST_USE crd_status crd_input_from_memory(crd_context *context, const void *bytes, size_t length,
                                                      const char *name, crd_input **out, crd_error *error);

/* Bytes that functions return. They are called by one thread at a time, which may be one of the library's own. */
typedef struct crd_input_callbacks {
    size_t size;
    void *user;       /* given to each call */
    const char *name; /* what errors call the input; copied. NULL: "input" */
    /* Writes up to `room` bytes, room > 0, and returns how many: 0 at the end only. A negative value is a failure,
     * which becomes CRD_ERROR_SYSTEM: -1, or the negative of a system error number. */
    int64_t (*read)(void *user, void *bytes, size_t room);
    /* Back to the first byte; returns 0, or a system error number. NULL: the bytes can be read once only, so that a
     * column that turns out to be a category late is CRD_ERROR_KIND. */
    int (*rewind)(void *user);
    /* Called exactly once, when nothing is read any more, also where the input could not be made. May be NULL. */
    void (*close)(void *user);
} crd_input_callbacks;

#define CRD_INPUT_CALLBACKS_INIT                                                                                       \
    { sizeof(crd_input_callbacks), 0, 0, 0, 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_input_from_callbacks(crd_context *context, const crd_input_callbacks *callbacks,
                                                         crd_input **out, crd_error *error);

/* The first bytes, at most 64 KiB, until a reader or a network takes the input; none from then on. */
CRD_API crd_text crd_input_beginning(const crd_input *input);
/* Of an input that was taken, only what is left of it: the reader keeps the bytes. NULL is fine. */
CRD_API void crd_input_close(crd_input *input);

/* ---- Reader: rows of files, or of other inputs, one after the other, become frames in bounded memory ---- */

typedef struct crd_reader crd_reader;

typedef enum crd_choice { CRD_CHOICE_AUTO = 0, CRD_CHOICE_YES = 1, CRD_CHOICE_NO = 2 } crd_choice;

typedef enum crd_separator {
    CRD_SEPARATOR_AUTO = 0,
    CRD_SEPARATOR_COMMA = 1,
    CRD_SEPARATOR_SEMICOLON = 2,
    CRD_SEPARATOR_TAB = 3,
    CRD_SEPARATOR_BLANK = 4, /* runs of blanks and tabs */
    CRD_SEPARATOR_PIPE = 5,
    CRD_SEPARATOR_OTHER = 6 /* the reader's options name the byte */
} crd_separator;

/* How rows are written. ARFF files declare the kinds and values of their columns; in JSON lines, an object a line, the
 * keys of all objects are the columns, in the order of their bytes. Where these cannot be read twice, the first 4096
 * objects, or 8 MiB, show the columns, and a key that is new behind them is CRD_ERROR_COLUMN, unless a schema or a
 * model says what the columns are. */
typedef enum crd_format {
    CRD_FORMAT_AUTO = 0,      /* as the content shows */
    CRD_FORMAT_DELIMITED = 1, /* fields between separators, or blanks; a first line sep=; states the separator */
    CRD_FORMAT_ARFF = 2,
    CRD_FORMAT_JSON_LINES = 3,
    CRD_FORMAT_COLUMNS = 4, /* frames and Arrow streams, which are no bytes: never to be asked for */
    CRD_FORMAT_JSON = 5 /* objects over any number of lines, in an array or one behind the other: read as JSON lines */
} crd_format;

/* Which texts mean missing where the caller lists some. */
typedef enum crd_missing_rule {
    CRD_MISSING_ONLY = 0, /* these as they stand, and no others */
    CRD_MISSING_ADDED =
        1, /* these beside the usual ones, or those of the model or schema that the reader is bound to */
    CRD_MISSING_ANY_CASE = 2 /* these and no others; the usual ones among them in any case of letters */
} crd_missing_rule;

typedef struct crd_reader_options {
    size_t size;
    crd_choice header;
    crd_separator separator;
    const crd_text *missing; /* the texts that mean missing; NULL: the usual ones, see credence/schema.h */
    size_t missing_count;
    size_t max_categories; /* values allowed in one column; 0: a million */
    size_t block_bytes;    /* bytes of rows that make a frame, about; 0: chosen by the library */
    int keep_text;         /* non-zero: crd_reader_cell works */
    crd_format format;     /* a separator says CRD_FORMAT_DELIMITED too */
    /* What begins the fraction of numbers in delimited files: '.', ','; 0: what the columns' forms have, or the point. A
     * comma becomes the form of the columns of numbers. */
    char decimal;
    size_t max_record; /* bytes allowed in one row; 0: 64 MiB; never more than half a GiB */
    unsigned threads;  /* that calls which take all rows of the reader may use; 0: one for each processor */
    /* Called now and then while bytes are read, by one thread at a time: how many of all inputs' bytes, as they lie in
     * the files, have been read in this pass, and how many there are; 0: not known. NULL: nobody wants to know. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *progress_user;
    /* Only the rows of one of `shard_count` parts, counted from 1; 0 of 0: all rows. Every row is in exactly one part,
     * by a rule that needs no more than the same files, in the same order, and the same options: see docs/shards.md.
     * Parts know nothing of each other: what columns are should be told by a schema. At most a million parts. */
    unsigned shard, shard_count;
    /* Non-zero: each row is promised to be one line, so that a part is found without reading what is before it. A row
     * of several lines, which quotes make, is then CRD_ERROR_SYNTAX for one part at least. */
    int line_rows;
    /* What the first path has been opened as before, of which the reader takes the bytes; the input stays the caller's
     * to close. NULL, or one that was taken already: the path is opened. */
    crd_input *input;
    /* Of an Arrow stream, non-zero: all values of its dictionaries are declared; see crd_frame_declare_dictionary.
     * Those of the first batch, which is read at once, are known from the first frame on, those that later batches
     * add when all rows have been learned. */
    int declare_dictionaries;
    /* Of delimited files: the byte of CRD_SEPARATOR_OTHER, any but NUL, line ends and the quote; and what encloses fields
     * that have separators, line ends or quotes (doubled) in them: any such byte, 0: the double quote. Of
     * fields between tabs nothing is enclosed, where some field in the first MiB begins with a quote that is not closed at its end, and all lines have as many
     * tabs: so texts may have quotes. */
    char separator_byte, quote;
    crd_missing_rule missing_rule;
    int no_quotes; /* non-zero: nothing encloses fields, and quotes are bytes as others are */
    /* The encoding of texts, by a name that iconv knows, such as "utf-16le", "latin1" or "cp1252". NULL: UTF-8, unless a
     * byte order mark says otherwise, which it does in any case, or every other byte is NUL, as in UTF-16. A name or a
     * category that is not valid is CRD_ERROR_SYNTAX. "bytes": nothing is converted, and any bytes but NUL are valid. Copied. */
    const char *encoding;
    /* What becomes of rows that cannot be read: of another number of fields, with a quote that is never closed or a text
     * that is no number or not valid. NULL: the first of them is the error that reading ends with. Else it is called for
     * each, in the order of rows and by one thread at a time, with what is wrong and the row as it stands; of a row
     * with a quote that is not closed properly, this is the first line, and reading continues at the next. Non-zero: the row is left out; 0: reading fails with that
     * error. `fault` is NULL where all rows are read again, from the first on: those told of before do not count.
     * Rows that come in columns are not concerned, nor are limits, infinite numbers in the first rows of input that cannot
     * be read again, and what is wrong with a whole file. */
    int (*bad_row)(void *user, const crd_error *fault, crd_text row);
    void *bad_row_user;
    /* Non-zero: rows are not kept waiting for more bytes of their file than they have, as those that somebody types, or
     * another program writes now and then. What chunks there are follows from how the bytes arrive, the rows do not. */
    int prompt;
    /* Non-zero: a file whose columns are not those of the schema or model that the reader is bound to, or without one those of
     * the first file, is CRD_ERROR_SCHEMA_DIFFERS, which names those that are absent, not known, or of another kind in the
     * first rows. Their order is no difference, nor is the target of rows that are to be answered, a weight that is not
     * needed, or a value not seen before. Of a model it is known how many columns were ignored when it was learned, but not
     * which: so many may be unknown. */
    int strict;
    /* Non-zero: delimited files are tagged text, a token with its tags on each line (CoNLL). Fields stand between tabs, if one of the
     * first lines has any, or else between blanks; between commas, semicolons or pipes only where all of the first lines, two at least,
     * have as many fields between these and not between blanks, and none is empty. Of files of several fields between tabs, lines that begin
     * with # and have no tab are comments, but for a # alone. Bound to a schema without a header, files may lack fields behind those that are used, or be just those. */
    int tagged_text;
    /* Non-zero: nothing encloses fields between tabs, unless quote says otherwise; as a reader that is bound to a model finds it there, see
     * crd_model_has_literal_quotes. */
    int literal_quotes_between_tabs;
    /* Of rows that come in columns, non-zero: they mean what the same rows mean in a file, so that a model has the same bytes from
     * either. Kinds are those of the cells and not declared: a column without a present cell has none. Of the
     * texts that mean missing in files, only the empty text, ? and those that `missing` lists mean it in columns of texts. Without a header (CRD_CHOICE_NO) the columns of models meet them by position. */
    int like_file;
    /* Of an Arrow stream: makes it anew from its first batch, with the same columns, so that rows can be read again. Returns 0, or a
     * system error number. Called by one thread at a time, which may be one of the library's own, while no batch is asked for.
     * NULL: the stream can be read once only. */
    int (*renew)(void *user, struct ArrowArrayStream *out);
    void *renew_user;
    /* Of parts of the rows, non-zero: the rows of all parts, one part after the other, are those of the files in their order. A file that
     * cannot be entered in the middle, as a compressed one, is whole in the part that has its first byte; rows that are no bytes of files
     * are all in the first part. Else these are split among parts. */
    int in_order;
    /* Of delimited files: the line that names the columns, counted from 1; the lines before it are skipped. 0: `header` says whether
     * there is such a line. */
    uint64_t header_line;
    /* Of delimited files: how many lines at the beginning of each are skipped. A line sep=; among them states the separator. */
    uint64_t skip_lines;
    /* Of delimited files: the selectors that the caller is going to pass to crd_reader_select, such as the target's name. If `header`
     * is CRD_CHOICE_AUTO and the first line contains one of these names, that line is the header. If only one of the 20 lines after it
     * does, and the lines before that one are titles or comments, these are skipped, with a note to the log. Copied. */
    const crd_text *selectors;
    size_t selector_count;
} crd_reader_options;

#define CRD_READER_OPTIONS_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(crd_reader_options), CRD_CHOICE_AUTO, CRD_SEPARATOR_AUTO, 0, 0, 0, 0, 0, CRD_FORMAT_AUTO, 0, 0, 0, 0,   \
            0, 0, 0, 0, 0, 0, 0, 0, CRD_MISSING_ONLY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                   \
    }

/* Opens the files and reads the first one's header. "-" is standard input. Compressed files (gzip, zstd)
 * are recognised by their first bytes. Later files meet the first by column name, or by position
 * where there is no header. */
CRD_API CRD_MUST_USE crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                                                const crd_reader_options *options, crd_reader **out, crd_error *error);

/* The same over inputs, one after the other. The reader takes their bytes, so that they can be closed at once; on
 * failure some may have been taken. One that was taken before is CRD_ERROR_ARGUMENT. options->input is not looked
 * at. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_inputs(crd_context *context, crd_input *const *inputs,
                                                       size_t input_count, const crd_reader_options *options,
                                                       crd_reader **out, crd_error *error);
/* The same over bytes in memory, borrowed until the reader is closed; see crd_input_from_memory. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_memory(crd_context *context, const void *bytes, size_t length,
                                                       const char *name, const crd_reader_options *options,
                                                       crd_reader **out, crd_error *error);

/* The rows of an Arrow C stream of record batches. Columns are what crd_frame_borrow_arrow says, unless the caller, a
 * schema or a model gives them another kind: a target of integers is a category of their texts, a column of strings that
 * a model knows as numbers is parsed. These kinds are declared, as those of ARFF files are. Nested columns must be ignored before the first row. Only nulls and NaN are missing,
 * and texts that options->missing lists; of the other options, those about bytes mean nothing, block_bytes counts a cell
 * as 8 bytes, progress counts rows, and parts are split slices of the stream. Lines in errors are rows, from 1;
 * crd_reader_cell gives empty texts.
 *
 * The reader moves the stream out of *stream, also on failure, and releases it and its batches, each once. It calls the
 * stream from one thread at a time, which may be one of the library's own. The stream can be read once only, unless
 * options->renew makes it anew. `name` is what errors call it; it is copied. NULL: "stream". */
CRD_API CRD_MUST_USE crd_status crd_reader_open_arrow(crd_context *context, struct ArrowArrayStream *stream,
                                                      const char *name, const crd_reader_options *options,
                                                      crd_reader **out, crd_error *error);

/* The rows of frames, one after the other, for calls that take all rows of a reader, on all processors. The frames
 * are borrowed until the reader is closed. The columns are those of the first; later frames meet them by name, a
 * column that is a category in one frame is one in all of them, and has the values that any of them declares. Kinds,
 * options and lines are as for Arrow streams, but it can be read again. `name` NULL: "frame". */
CRD_API CRD_MUST_USE crd_status crd_reader_open_frames(crd_context *context, const crd_frame *const *frames,
                                                       size_t frame_count, const char *name,
                                                       const crd_reader_options *options, crd_reader **out,
                                                       crd_error *error);
CRD_API void crd_reader_close(crd_reader *reader);

/* The columns of the first file, in its order. Without a header they are called c1, c2, ... */
CRD_API size_t crd_reader_column_count(const crd_reader *reader);
CRD_API crd_text crd_reader_column_name(const crd_reader *reader, size_t column);
CRD_API int crd_reader_has_header(const crd_reader *reader);
/* Returns non-zero if the first line was found to be data: see docs/formats.md. 0 if there is a header, or if the options, a schema or a
 * model state that there is none. */
CRD_API int crd_reader_header_assumed_absent(const crd_reader *reader);
/* Returns the line of the first file that names the columns, counted from 1; 0 if there is no header. */
CRD_API uint64_t crd_reader_header_line(const crd_reader *reader);
CRD_API crd_format crd_reader_format(const crd_reader *reader);
/* CRD_SEPARATOR_AUTO but for delimited files; and its byte, 0 where there is none, a blank for runs of blanks. */
CRD_API crd_separator crd_reader_separator(const crd_reader *reader);
CRD_API char crd_reader_separator_byte(const crd_reader *reader);
/* Non-zero where rows have a field more than the header has names: the first, which names the row, as R writes tables.
 * Its column is ignored. */
CRD_API int crd_reader_has_row_names(const crd_reader *reader);

/* Columns by name, number from 1, range (2-5, a-c), glob (petal*), first, last; a real name wins.
 * `columns` has room for crd_reader_column_count numbers. A selector that matches nothing is CRD_ERROR_COLUMN. */
CRD_API CRD_MUST_USE crd_status crd_reader_select(const crd_reader *reader, crd_text selector, size_t *columns,
                                                  size_t *count, crd_error *error);

/* Writes a time in seconds since 1970-01-01T00:00:00Z as a date, 2024-02-29, or with the time of day, 2024-02-29 12:30:00, rounded to
 * seconds. Returns the length, 0 if the year is not from 1 to 9999. Experimental. */
enum { CRD_DATE_ROOM = 32 };
CRD_API size_t crd_date_format(double seconds, int with_time, char room[CRD_DATE_ROOM]);
/* Bytes that a cell takes which crd_model_format_number or crd_network_format_number writes, with its NUL byte. */
enum { CRD_CELL_ROOM = 40 };

/* To be called before the first crd_reader_next. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_kind(crd_reader *reader, size_t column, crd_kind kind, crd_error *error);
/* How the texts of a column become values, by the name of a form (crd_form_name): numbers with groups of digits and signs
 * of currency, percentages, booleans, dates and times; see docs/forms.md. The column has the kind of its form, also where
 * it was given another before. A date of which parts are taken becomes a column for each of them in frames: NAME.year,
 * NAME.month, NAME.weekday, NAME.hour. Forms are part of schemas and models. CRD_ERROR_ARGUMENT: there is no such form. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_form(crd_reader *reader, size_t column, crd_text form, crd_error *error);
/* Finds the forms of columns that were given neither a form nor a kind, from the first rows and, where these are not all and
 * leave it open, from all rows, where they can be read again: a column has the one form that all of its cells have, whatever
 * their order. Cells that can be read in two ways (1,234; 01/02/2024) are left as they are, with a warning, unless another
 * column settles which mark is the decimal one. with_parts 0: dates of which parts would be taken are left as they are. To be
 * called last before the first crd_reader_next; does nothing for readers that are bound, have a schema, read a part of the
 * rows, or rows whose file declares what they are. Of rows that come in columns and are to be like those of a file (like_file), dates,
 * timestamps and times of Arrow have the forms date, datetime and time, and texts the form that all of them have, where they can be read
 * again: but texts of plain numbers stay categories, since their table could have had numbers. */
CRD_API CRD_MUST_USE crd_status crd_reader_find_forms(crd_reader *reader, int with_parts, crd_error *error);
CRD_API size_t crd_form_count(void);
CRD_API crd_text crd_form_name(size_t form);
/* A cell, or some, that have the form. */
CRD_API const char *crd_form_example(size_t form);

/* Makes a column of numbers a category of the intervals that ascending cut points part the line into, closed on the left:
 * its values are their labels, "<1.5", "[1.5, 3)", ">=3", all of which are declared. A column of intervals stays one where
 * it is set to be a category. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_cuts(crd_reader *reader, size_t column, const double *cuts, size_t count,
                                                    crd_error *error);
/* A value that the column may have, so that who learns from the reader knows it whether or not a cell has it. The
 * column is a category then. */
CRD_API CRD_MUST_USE crd_status crd_reader_declare(crd_reader *reader, size_t column, crd_text value, crd_error *error);
/* Makes the networks of a model have the declared values of a column as states in the order of their declaration, before values that are
 * not declared. Without it, states are sorted. */
CRD_API CRD_MUST_USE crd_status crd_reader_keep_order(crd_reader *reader, size_t column, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_reader_ignore(crd_reader *reader, size_t column, crd_error *error);
/* The target is always a category. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_target(crd_reader *reader, size_t column, crd_error *error);

/* The weight of a row is how many rows it stands for: finite, not below zero, whole or not. It is a column of numbers
 * that frames have, but no attribute. A row without one is CRD_ERROR_WEIGHT. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_weight(crd_reader *reader, size_t column, crd_error *error);

/* The same in one call, for columns picked as crd_reader_select does: the target and the weight are one column, those
 * ignored any number. Where a later one of several cannot be ignored, the earlier ones are. */
CRD_API CRD_MUST_USE crd_status crd_reader_select_target(crd_reader *reader, crd_text selector, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_reader_select_weight(crd_reader *reader, crd_text selector, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_reader_select_ignored(crd_reader *reader, crd_text selector, crd_error *error);

/* Experimental: says that rows without a target will not be learned. Then their values decide no column types and count as missing,
 * so that a line of units or of totals leaves columns numeric. crd_model_update_all and crd_model_forget_all do this
 * themselves. Call it before crd_reader_find_forms. It has no effect on rows in memory and on files that declare their columns. */
CRD_API CRD_MUST_USE crd_status crd_reader_skip_unlabeled(crd_reader *reader, crd_error *error);

/* The class of all rows, for crd_model_update_all and crd_model_forget_all: files need not have the target, and a cell of it that is
 * there is CRD_ERROR_COLUMN. Copied. To be called before the first row, and before the reader is bound. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_class(crd_reader *reader, crd_text name, crd_error *error);

/* Lets crd_model_update_all and crd_model_move_all add classes that are similar to a known class (crd_summary_similar_class). By
 * default such a class is CRD_ERROR_SCHEMA_DIFFERS, because it is more often a misspelling than a class. Experimental. */
CRD_API void crd_reader_accept_similar_classes(crd_reader *reader);

/* The weight's name, which lives as long as the reader; its bytes are NULL where there is none. */
CRD_API crd_text crd_reader_weight(const crd_reader *reader);

/* Frames have at most so many rows from the next one on, for callers that keep much of each row; 0: as many as come.
 * May be called while no thread reads. */
CRD_API void crd_reader_set_frame_rows(crd_reader *reader, size_t most);

/* The next frame, which the reader owns and reuses; NULL at the end. CRD_RESTART means that a column
 * turned out to be a category after it had been handed over as a number: forget every frame so far, and
 * call again to get them all anew. Where the input cannot be read again it is CRD_ERROR_KIND instead.
 * Column kinds may go from NONE to another between frames. */
CRD_API CRD_MUST_USE crd_status crd_reader_next(crd_reader *reader, const crd_frame **out, crd_error *error);

/* The text of a cell of the latest frame's row, by the file's own column; needs keep_text. Missing
 * cells give the text as it stood. */
CRD_API crd_text crd_reader_cell(const crd_reader *reader, size_t row, size_t column);
/* The line and the file at which the latest frame's row begins. */
CRD_API uint64_t crd_reader_line(const crd_reader *reader, size_t row);
CRD_API const char *crd_reader_place(const crd_reader *reader);

/* ---- Lane: one thread's share of a reader, for callers with threads of their own ----
 *
 *   make workers with crd_reader_make_workers, then in a thread for each worker:
 *       for (;;) {
 *           status = crd_worker_next(worker, &frame, &error);
 *           if (status != CRD_OK || frame == NULL) break;
 *           work on the frame;
 *           if (crd_worker_wait_turn(worker)) write what came of it;     only if the order of rows matters
 *       }
 *   and when all threads are back, each with the same status: at CRD_RESTART, crd_reader_begin_again and the same anew.
 *
 * Each frame goes to one worker, and all frames of all workers together are those of crd_reader_next. What is wrong with the
 * input is the same error, at the same place, for any number of workers; only the limit of categories is held by each
 * worker for itself. Lanes wait for each other now and then: a worker must be read by a thread of its own, and to the end,
 * unless crd_reader_stop says that nobody reads on. */
typedef struct crd_worker crd_worker;

/* How many threads the reader's options mean: at least 1. */
CRD_API unsigned crd_reader_threads(const crd_reader *reader);

/* Lanes [0 .. count), which live as long as the reader; the first is that of crd_reader_next. Nothing about the columns
 * can be set any more. May be called again, for the same workers or more, while no other thread reads. */
CRD_API CRD_MUST_USE crd_status crd_reader_make_workers(crd_reader *reader, unsigned count, crd_worker **lanes,
                                                        crd_error *error);

/* The next frame that no worker has had, the worker's until its next call; NULL at the end of the input. At the end,
 * after a failure, and at CRD_RESTART, which says that the frames of all workers are to be forgotten, every worker
 * gets the same. */
CRD_API CRD_MUST_USE crd_status crd_worker_next(crd_worker *lane, const crd_frame **out, crd_error *error);

/* Waits until the frames of all rows before those of the worker's latest frame are done with, which they are when their
 * workers ask for the next. 0: reading has failed before these rows, or was stopped, and they are not to be written. */
CRD_API CRD_MUST_USE int crd_worker_wait_turn(crd_worker *lane);

/* As the calls of the reader, for the worker's latest frame. crd_worker_line may wait for workers with earlier rows. */
CRD_API crd_text crd_worker_cell(const crd_worker *lane, size_t row, size_t column);
CRD_API uint64_t crd_worker_line(const crd_worker *lane, size_t row);
CRD_API const char *crd_worker_place(const crd_worker *lane);

/* From any thread: no worker waits any longer, and those that ask for more get CRD_ERROR_CANCELLED. */
CRD_API void crd_reader_stop(crd_reader *reader);

/* ---- Process: all rows of a reader, worked on by threads of the library; results come in the order of rows ---- */

typedef struct crd_parallel_map {
    size_t size;
    unsigned threads; /* 0: as many as crd_reader_threads says */
    void *user;       /* given to each call */
    /* Works on a frame; called by several threads at the same time, for different frames. What comes of it is kept
     * under `slot`, which is below crd_parallel_map_slots, and nobody else's until it has been taken. */
    crd_status (*work)(void *user, unsigned slot, const crd_worker *lane, const crd_frame *frame, crd_error *error);
    /* Takes what came of a frame. Called by the caller's thread alone, in the order of rows. */
    crd_status (*take)(void *user, unsigned slot, crd_error *error);
    /* All rows will come again, from the first on: where a column turned out to be a category after all, or where
     * threads cannot tell what a single one must. */
    void (*restart)(void *user);
    int holds_frames; /* non-zero: workers keep a frame until `take` is back, which may look at it */
} crd_parallel_map;

#define CRD_PARALLEL_MAP_INIT                                                                                          \
    { sizeof(crd_parallel_map), 0, NULL, NULL, NULL, NULL, 0 }

/* How many slots the process will use on this reader. */
CRD_API unsigned crd_parallel_map_slots(const crd_parallel_map *process, const crd_reader *reader);

/* All that is left of the input, until its end or the first failure: the input's, or that of a call. Everything
 * before it has been taken then, and nothing behind: what is taken in which order, and how it ends, does not depend
 * on the number of threads. Only in input that cannot be read again, the limit of categories is held by each thread
 * for itself. A small input is worth no threads, and none are started. */
CRD_API CRD_MUST_USE crd_status crd_reader_parallel_map(crd_reader *reader, const crd_parallel_map *process,
                                                        crd_error *error);

/* Back to the first row, when no thread reads; needs input that can be read again. What is known of kinds stays. */
CRD_API CRD_MUST_USE crd_status crd_reader_begin_again(crd_reader *reader, crd_error *error);
/* The same where only a part of the rows was wanted (crd_reader_options.shard): from now on the rows of all parts are. */
CRD_API CRD_MUST_USE crd_status crd_reader_begin_whole(crd_reader *reader, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
