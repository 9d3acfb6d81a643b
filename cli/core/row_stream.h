/* SPDX-License-Identifier: MIT */
/* row_stream.h - rows that are written as they are computed: lines of CSV or JSON, or a table that is aligned block by
 * block. */
#ifndef CREDENCE_CLI_ROW_STREAM_H
#define CREDENCE_CLI_ROW_STREAM_H

#include "core/output.h"
#include "core/text_table.h"

typedef struct row_stream {
    output out;
    bool is_bare; /* Set by the caller. In JSON a row is its value, or the list of its values, without names. */
    bool is_kept; /* Set by the caller. The rows continue the output of another process, which writes the header. */
    /* Private. */
    crd_json_writer json;
    table *table;
    crd_text *names; /* column names; owned by the caller */
    size_t count, column;
    uint64_t rows;
} row_stream;

/* Opens the file that --output names, in the format of --format. Without it, the format is a table on a terminal,
 * otherwise CSV. */
int row_stream_open(const invocation *call, row_stream *s);
/* Starts a row stream on an output that the caller has opened. */
int row_stream_open_on(const invocation *call, row_stream *s);
/* Sets the column names, which must outlive the stream. left: the columns to align left in tables; NULL: none. */
void row_stream_begin(row_stream *s, crd_text *names, const bool *left, size_t count);
/* Add cells, row by row. */
void row_stream_number(row_stream *s, double value); /* rounded in tables */
void row_stream_count(row_stream *s, double value);  /* with all digits */
void row_stream_text(row_stream *s, crd_text text);
void row_stream_missing(row_stream *s);
/* Adds a missing value that tables display as `shown`. */
void row_stream_missing_as(row_stream *s, const char *shown);
/* Writes the rest of a table, so other output can follow it. */
void row_stream_flush(row_stream *s);
/* Returns whether to continue: writing has not failed. */
bool row_stream_goes_on(const row_stream *s);
/* Writes the rest if `ended` is ENDED_WELL, closes the output, and returns the exit status. */
int row_stream_close(row_stream *s, int ended);

#endif
