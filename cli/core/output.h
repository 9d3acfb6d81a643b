/* SPDX-License-Identifier: MIT */
/* output.h - where results go: standard output, or a file that appears only when it is whole. */
#ifndef CREDENCE_CLI_OUTPUT_H
#define CREDENCE_CLI_OUTPUT_H

#include "core/csv.h"
#include "core/invocation.h"

#include <stdio.h>

/* The last is that of files of pictures alone. */
typedef enum output_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_HTML } output_format;

typedef struct output {
    FILE *stream;
    output_format format; /* a table, until output_choose_format says otherwise */
    bool to_terminal;
    bool colour;       /* a terminal whose user did not say NO_COLOR */
    size_t width;      /* in columns, from COLUMNS or the terminal; 0: nobody says */
    const char *name;  /* as people know it */
    const char *title; /* of a page */
    char *path;        /* where it is in the end; NULL for standard output */
    char *beside;      /* the file that becomes `path`; NULL where nothing is replaced */
    char *buffer;
    string scratch; /* for what is put together before it is written */
    int reason;     /* why output_write failed; 0: it did not */
} output;

/* Opens what --output names, or standard output. */
int output_open(const invocation *call, output *out);
/* The same for a path, which of several processes the first one writes. */
int output_open_named(const invocation *call, const char *path, output *out);
/* The same in every process; NULL: standard output. One file at a time. */
int output_open_path(const char *path, output *out);
/* Takes the format from --format, which is one of `words` ("table|json|markdown"); without it, `usual`. */
int output_choose_format(const invocation *call, output *out, const char *words, output_format usual);
/* Flushes, and puts the file in its place where `ended` is ENDED_WELL; else removes it. Returns `ended`, or the failure
 * to write. `out` may be zero. */
int output_close(output *out, int ended);
/* Prints a note about the file of --output if all ended well and standard error is a terminal. Returns `ended`. */
int output_announce(const invocation *call, int ended);
/* Writes bytes as they are. What fails is remembered, and told when the output is closed. */
void output_write(output *out, const char *bytes, size_t length);
/* Whether writing has failed, so that going on makes no sense. */
bool output_broken(const output *out);

/* ENDED_USAGE where the path that an option names to write to is one of the inputs. */
int output_check_path(const char *name, const char *path, const char *const *inputs, size_t count);
/* Fails as opening the path would later, so that no work is lost; what is there stays as it is. */
int output_check_writable(const char *path);

/* ---- Numbers ---- */

/* Room for output_round. */
enum { ROUNDED_ROOM = 32 };
/* Five significant digits: for people. */
const char *output_round(double value, char buffer[ROUNDED_ROOM]);
/* A count: all of its digits. */
const char *output_count(double value, char buffer[ROUNDED_ROOM]);

/* Adds e^log rounded: as a number, or as a power of e where doubles end. Returns whether it is a number. */
bool output_add_exponential(string *out, double log_value);
/* Room for output_rows. */
enum { ROWS_ROOM = 32 };
/* "1 row", "14 rows" */
const char *output_rows(uint64_t rows, char buffer[ROWS_ROOM]);

/* ---- CSV ---- */

/* As csv.h has them, at once. */
void output_csv_text(output *out, crd_text text);
void output_csv_number(output *out, double value);

/* ---- Style ---- */

typedef enum output_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FOR, STYLE_AGAINST } output_style;
/* What to write to a terminal before text of a style; "" where there is no colour. */
const char *output_style_code(const output *out, output_style style);

#endif
