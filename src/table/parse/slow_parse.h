/* SPDX-License-Identifier: MIT */
/* slow_parse.h - bytes into records, and records into cells.
 *
 * A record is a row of the file: a line, or several where quoted cells hold line ends. The bytes of all records since
 * the last release stay in memory, so that cells can point at them; nothing else is kept, whatever the length of
 * the file. Where the blocks that the source gives begin and end never shows in a result. */
#ifndef CRD_TABLE_PARSE_SLOW_PARSE_H
#define CRD_TABLE_PARSE_SLOW_PARSE_H

#include "table/source.h"

/* What is known of a cell beyond its text. */
typedef enum crd_i_cell_form {
    CRD_I_CELL_PLAIN,   /* the texts that mean missing do */
    CRD_I_CELL_QUOTED,  /* usual words are words, not a sign that the cell is missing: see missing_values.h */
    CRD_I_CELL_TEXT,    /* the same, and never a number */
    CRD_I_CELL_MISSING, /* whatever its text */
    CRD_I_CELL_DEFAULT  /* left out: what the file declares for such cells of the field */
} crd_i_cell_form;

/* Counted from crd_i_slow_parse_bytes; the start of a DEFAULT cell is its field. */
typedef struct crd_i_cell {
    uint32_t start;
    uint32_t length : 29;
    uint32_t form : 3;
} crd_i_cell;

typedef enum crd_i_scan_state {
    CRD_I_SCAN_CELL_START,   /* only blanks in the cell so far */
    CRD_I_SCAN_PLAIN,        /* in a cell without quotes, or behind a closing quote */
    CRD_I_SCAN_QUOTED,       /* between quotes */
    CRD_I_SCAN_QUOTE_INSIDE, /* behind a quote between quotes: the closing one, or the first of two */
} crd_i_scan_state;

/* The state behind a byte that is no line end outside quotes. `separates` and `blank` say what the byte is there. */
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
    size_t block_bytes;   /* bytes asked of the source at a time */
    size_t max_record;    /* a longer record is CRD_ERROR_LIMIT; at most CRD_I_MAX_RECORD */
    char separator;       /* ' ' for runs of blanks and tabs; '\0' while not known: any of ',' ';' '\t' '|' */
    char quote;           /* what encloses cells; '\0': nothing does */
    bool is_lines;        /* a record is a line, whatever quotes it has */
    bool resyncs;         /* a record whose quotes are not closed properly is its first line: see record_bytes */
    char comment;         /* lines that begin with it are as good as empty; '\0': none */
    bool has_tagged_text; /* a token with its tags on each line */
    bool has_comments; /* of tagged text between tabs: lines that begin with # and have no tab are as good as empty */

    unsigned char *bytes; /* bytes[kept..end) is what is in memory */
    size_t capacity, kept, end;
    size_t live; /* the end of the last record that is not empty: from here to `next` nobody needs the bytes */
    bool at_end; /* the source has no more */

    size_t start, length; /* the record found last, without its line end */
    uint64_t line;        /* the line on which it begins */
    bool behind_empty;    /* an empty line, no comment, was between it, or the end, and the record before */
    size_t next;          /* where the next record begins */
    uint64_t next_line;
    uint64_t next_offset; /* the same in bytes of the input */

    /* How far the search for the end of the next record has come. */
    size_t scan;
    crd_i_scan_state state;
    uint64_t scan_line, quote_line;
} crd_i_slow_parse;

/* Offsets of cells must fit 32 bits, lengths 29. */
#define CRD_I_MAX_RECORD (((size_t)1 << 29) - 1)
/* Unless told otherwise: room for a million columns of long numbers, while a row takes memory several times over. */
#define CRD_I_USUAL_MAX_RECORD ((size_t)64 << 20)

/* At the first byte of a source. Keeps the memory that `records` has, which is zeroed the first time. */
void crd_i_slow_parse_begin(crd_i_slow_parse *records, crd_context *context, crd_i_source *source, size_t block_bytes);
void crd_i_slow_parse_clear(crd_i_slow_parse *records);
/* The first `length` bytes of its own memory are all there is, a whole number of records as `how` has them; lines count
 * from 1. */
void crd_i_slow_parse_begin_held(crd_i_slow_parse *records, size_t length, const crd_i_slow_parse *how);
/* Makes *copy, which is zeroed, hold the record found last and nothing else, as the record found last; to be cleared.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_slow_parse_copy_last(const crd_i_slow_parse *records, crd_i_slow_parse *copy);

/* Makes at least `count` bytes of the beginning available in bytes[kept..end), unless the input is shorter. */
CRD_MUST_USE crd_status crd_i_slow_parse_peek(crd_i_slow_parse *records, size_t count, crd_error *error);
/* Skips bytes at the beginning, which have been peeked at. */
void crd_i_slow_parse_skip(crd_i_slow_parse *records, size_t count);

/* Finds the next record that is not empty; *found = false at the end. */
CRD_MUST_USE crd_status crd_i_slow_parse_next(crd_i_slow_parse *records, bool *found, crd_error *error);
/* Returns the bytes of the record at the beginning, with its line end, if `how` resyncs; 0 if more bytes are needed, unless these are
 * all. A quote that is never closed, or is followed by text where it is closed, makes the first line a record. Lines between quotes
 * that are closed properly never become records, whatever else is wrong with their record: they are the text of a cell. */
size_t crd_i_slow_parse_record_bytes(const crd_i_slow_parse *how, const char *bytes, size_t length, bool are_all);
/* Makes the record found last the next one again: for a look at it before the separator is known. */
void crd_i_slow_parse_again(crd_i_slow_parse *records);

/* An upper bound of the fields in the record found last, found without splitting it: separators in quotes count too. */
size_t crd_i_slow_parse_most_fields(const crd_i_slow_parse *records);
/* Splits the record found last into cells, of which the first `room` are stored; *count is how many there are. Doubled
 * quotes are made single where they stand, so a record can be split once only. An error has line and field. */
CRD_MUST_USE crd_status crd_i_slow_parse_split(crd_i_slow_parse *records, crd_i_cell *cells, size_t room, size_t *count,
                                               crd_error *error);

/* Forgets all records up to the one found last: their cells are void. */
void crd_i_slow_parse_release(crd_i_slow_parse *records);

/* A blank between cells, and what ends one. */
static inline bool crd_i_slow_parse_is_blank(const crd_i_slow_parse *records, char byte) {
    return byte == ' ' || (byte == '\t' && records->separator != '\t');
}

/* Whether the byte, outside quotes, ends a cell. */
static inline bool crd_i_slow_parse_separates(const crd_i_slow_parse *records, char byte) {
    if (records->separator == '\0') return byte == ',' || byte == ';' || byte == '\t' || byte == '|';
    return byte == records->separator || (records->separator == ' ' && byte == '\t');
}

static inline bool crd_i_slow_parse_has_quotes(const crd_i_slow_parse *records) {
    return records->quote != '\0' && !records->is_lines;
}

/* What the cells of the records since the last release point into; moves with crd_i_slow_parse_next. */
static inline const char *crd_i_slow_parse_bytes(const crd_i_slow_parse *records) {
    return (const char *)records->bytes + records->kept;
}

/* The cell from `begin` up to `end`, which are among those bytes. */
static inline crd_i_cell crd_i_slow_parse_cell(const crd_i_slow_parse *records, const char *begin, const char *end,
                                               crd_i_cell_form form) {
    crd_i_cell cell;
    cell.start = (uint32_t)(begin - crd_i_slow_parse_bytes(records));
    cell.length = (uint32_t)(end - begin) & UINT32_C(0x1fffffff);
    cell.form = (uint32_t)form & 7;
    return cell;
}

/* Of any cell but a DEFAULT one. */
static inline crd_text crd_i_slow_parse_text(const crd_i_slow_parse *records, crd_i_cell cell) {
    crd_text text = {(const char *)records->bytes + records->kept + cell.start, cell.length};
    return text;
}

#endif
