/* SPDX-License-Identifier: MIT */
/* row_stream.h - rows that are written as they come: lines of CSV or JSON, or a table laid out a part at a time. */
#ifndef CREDENCE_CLI_ROW_STREAM_H
#define CREDENCE_CLI_ROW_STREAM_H

#include "core/json_writer.h"
#include "core/output.h"
#include "core/text_table.h"

typedef struct row_stream {
    output out;
    bool is_bare; /* for the caller to set: in JSON a row is its value, or the list of its values, without names */
    bool is_kept; /* for the caller to set: rows are those of another process's table or lines, which has the heading */
    /* Private. */
    json json;
    table *table;
    crd_text *names; /* of the columns; the caller's */
    size_t count, column;
    uint64_t rows;
} row_stream;

/* Opens what --output names, in the format of --format; without it a table on a terminal, else CSV. */
int row_stream_open(const invocation *call, row_stream *s);
/* The same where the caller has opened the output. */
int row_stream_open_on(const invocation *call, row_stream *s);
/* The names of the columns, which have to live on. left: how a table aligns them; NULL: to the right. */
void row_stream_begin(row_stream *s, crd_text *names, const bool *left, size_t count);
/* Cells, row by row. */
void row_stream_number(row_stream *s, double value); /* rounded in tables */
void row_stream_count(row_stream *s, double value);  /* in full */
void row_stream_text(row_stream *s, crd_text text);
void row_stream_missing(row_stream *s);
/* The same, of which a table says more. */
void row_stream_missing_as(row_stream *s, const char *shown);
/* Lays out what is left of a table, so that something else can follow it. */
void row_stream_flush(row_stream *s);
/* Whether to go on: writing has not failed. */
bool row_stream_goes_on(const row_stream *s);
/* Writes what is left where `ended` is ENDED_WELL, closes the output, and returns how that ended. */
int row_stream_close(row_stream *s, int ended);

#endif
