/* SPDX-License-Identifier: MIT */
/* slow_parse.h - splits bytes into records, and records into cells.
 *
 * A record is a row of the file: a line, or several if quoted cells contain line ends. The bytes of all records
 * since the last release stay in memory, so cells can point at them. Nothing else is kept, whatever the length of
 * the file. The result does not depend on how the source splits its bytes into blocks. */
#ifndef CRD_TABLE_PARSE_SLOW_PARSE_H
#define CRD_TABLE_PARSE_SLOW_PARSE_H

#include "input/source.h"

/* The properties of a cell in addition to its text. */
typedef enum crd_i_cell_form {
    CRD_I_CELL_PLAIN,   /* missing-value texts mean missing */
    CRD_I_CELL_QUOTED,  /* usual missing-value texts are words: see missing_values.h */
    CRD_I_CELL_TEXT,    /* usual missing-value texts are words, and the cell is never a number */
    CRD_I_CELL_MISSING, /* missing, whatever its text */
    CRD_I_CELL_DEFAULT  /* omitted: has the default that the file declares for the field */
} crd_i_cell_form;

/* A cell. Offsets are relative to crd_i_slow_parse_bytes; the start of a DEFAULT cell is its field. */
typedef struct crd_i_cell {
    uint32_t start;
    uint32_t length : 29;
    uint32_t form : 3;
} crd_i_cell;

typedef enum crd_i_scan_state {
    CRD_I_SCAN_CELL_START,   /* only spaces in the cell so far */
    CRD_I_SCAN_PLAIN,        /* in a cell without quotes, or after a closing quote */
    CRD_I_SCAN_QUOTED,       /* inside quotes */
    CRD_I_SCAN_QUOTE_INSIDE, /* after a quote inside quotes: the closing quote, or the first of a doubled pair */
} crd_i_scan_state;

/* Returns the state after a byte that is not a line end outside quotes. `separates` and `blank` classify the byte. */
static inline crd_i_scan_state crd_i_scan_step(crd_i_scan_state state, char byte, char quote, bool separates,
                                               bool blank) {
    if (state == CRD_I_SCAN_QUOTED) return byte == quote ? CRD_I_SCAN_QUOTE_INSIDE : CRD_I_SCAN_QUOTED;
    if (byte == quote && state != CRD_I_SCAN_PLAIN) return CRD_I_SCAN_QUOTED;
    if (separates) return CRD_I_SCAN_CELL_START;
    return blank && state == CRD_I_SCAN_CELL_START ? CRD_I_SCAN_CELL_START : CRD_I_SCAN_PLAIN;
}

typedef struct crd_i_slow_parse {
    crd_context *context;
    crd_i_source *source; /* borrowed */
    size_t block_bytes;   /* bytes to request from the source at a time */
    size_t max_record;    /* a longer record is CRD_ERROR_LIMIT; at most CRD_I_MAX_RECORD */
    char separator;       /* ' ' for runs of spaces and tabs; '\0' while unknown: any of ',' ';' '\t' '|' */
    char quote;           /* encloses cells; '\0': none */
    bool is_lines;        /* a record is a line, even if it contains quotes */
    bool resyncs; /* if the quotes of a record are not closed properly, its first line is a record: see record_bytes */
    char comment; /* lines that begin with it count as empty; '\0': none */
    bool has_tagged_text; /* one token with its tags per line */
    bool has_comments;    /* for tab-separated tagged text: lines that begin with # and have no tab count as empty */

    unsigned char *bytes; /* bytes[kept..end) are in memory */
    size_t capacity, kept, end;
    size_t live; /* end of the last non-empty record: the bytes from here to `next` are not needed */
    bool at_end; /* the source has no more bytes */

    size_t start, length; /* the latest record, without its line end */
    uint64_t line;        /* line on which it begins */
    bool behind_empty;    /* an empty line, not a comment, precedes it or the end */
    size_t next;          /* offset of the next record */
    uint64_t next_line;
    uint64_t next_offset; /* offset of the next record in the input */

    /* Progress of the search for the end of the next record. */
    size_t scan;
    crd_i_scan_state state;
    uint64_t scan_line, quote_line;
} crd_i_slow_parse;

/* Cell offsets must fit into 32 bits, lengths into 29. */
#define CRD_I_MAX_RECORD (((size_t)1 << 29) - 1)
/* The default limit: enough for a million columns of long numbers. A row needs several times its length in memory. */
#define CRD_I_USUAL_MAX_RECORD ((size_t)64 << 20)

/* Begins at the first byte of a source. Reuses the memory of `records`, which must be zeroed the first time. */
void crd_i_slow_parse_begin(crd_i_slow_parse *records, crd_context *context, crd_i_source *source, size_t block_bytes);
void crd_i_slow_parse_clear(crd_i_slow_parse *records);
/* Begins with the first `length` bytes of its own memory, which contain whole records in the dialect of `slow`. There
 * are no other bytes. Lines count from 1. */
void crd_i_slow_parse_begin_held(crd_i_slow_parse *records, size_t length, const crd_i_slow_parse *slow);
/* Copies the latest record to *copy, which must be zeroed, as its latest and only record. The caller clears it.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_slow_parse_copy_last(const crd_i_slow_parse *records, crd_i_slow_parse *copy);

/* Makes at least `count` bytes from the beginning available in bytes[kept..end), unless the input is shorter. */
CRD_MUST_USE crd_status crd_i_slow_parse_peek(crd_i_slow_parse *records, size_t count, crd_error *error);
/* Skips bytes at the beginning, which must be in memory. */
void crd_i_slow_parse_skip(crd_i_slow_parse *records, size_t count);

/* Finds the next non-empty record; *is_found is false at the end. */
CRD_MUST_USE crd_status crd_i_slow_parse_next(crd_i_slow_parse *records, bool *is_found, crd_error *error);
/* Returns the length of the first record with its line end, if `slow` resyncs; 0 if more bytes are needed, but never
 * if are_all. A quote that is never closed, or whose closing quote is followed by text, makes the first line a
 * record. Lines inside properly closed quotes never become records, whatever else is wrong with their record: they
 * are text of a cell. */
size_t crd_i_slow_parse_record_bytes(const crd_i_slow_parse *slow, const char *bytes, size_t length, bool are_all);
/* Makes the latest record the next one again, to inspect it before the separator is known. */
void crd_i_slow_parse_again(crd_i_slow_parse *records);

/* Returns an upper bound on the number of fields in the latest record, without splitting it. Separators inside
 * quotes count too. */
size_t crd_i_slow_parse_most_fields(const crd_i_slow_parse *records);
/* Splits the latest record into cells and stores the first `room` of them. *count is their total number. Unescapes
 * doubled quotes in place, so a record can be split only once. An error includes line and field. */
CRD_MUST_USE crd_status crd_i_slow_parse_split(crd_i_slow_parse *records, crd_i_cell *cells, size_t capacity,
                                               size_t *count, crd_error *error);

/* Releases all records up to the latest one: their cells become invalid. */
void crd_i_slow_parse_release(crd_i_slow_parse *records);

/* Returns whether the byte is whitespace around cells. */
static inline bool crd_i_slow_parse_is_blank(const crd_i_slow_parse *records, char byte) {
    return byte == ' ' || (byte == '\t' && records->separator != '\t');
}

/* Returns whether the byte ends a cell outside quotes. */
static inline bool crd_i_slow_parse_separates(const crd_i_slow_parse *records, char byte) {
    if (records->separator == '\0') return byte == ',' || byte == ';' || byte == '\t' || byte == '|';
    return byte == records->separator || (records->separator == ' ' && byte == '\t');
}

static inline bool crd_i_slow_parse_has_quotes(const crd_i_slow_parse *records) {
    return records->quote != '\0' && !records->is_lines;
}

/* Returns the memory that cells since the last release refer to. It may move with crd_i_slow_parse_next. */
static inline const char *crd_i_slow_parse_bytes(const crd_i_slow_parse *records) {
    return (const char *)records->bytes + records->kept;
}

/* Returns the cell from `begin` up to `end`, which must be in that memory. */
static inline crd_i_cell crd_i_slow_parse_cell(const crd_i_slow_parse *records, const char *begin, const char *end,
                                               crd_i_cell_form form) {
    crd_i_cell cell;
    cell.start = (uint32_t)(begin - crd_i_slow_parse_bytes(records));
    cell.length = (uint32_t)(end - begin) & UINT32_C(0x1fffffff);
    cell.form = (uint32_t)form & 7;
    return cell;
}

/* Returns the text of any cell that is not DEFAULT. */
static inline crd_text crd_i_slow_parse_text(const crd_i_slow_parse *records, crd_i_cell cell) {
    crd_text text = {(const char *)records->bytes + records->kept + cell.start, cell.length};
    return text;
}

#endif
