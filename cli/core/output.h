/* SPDX-License-Identifier: MIT */
/* output.h - the destination of results: standard output, or a file that appears only when it is complete. */
#ifndef CREDENCE_CLI_OUTPUT_H
#define CREDENCE_CLI_OUTPUT_H

#include "core/csv.h"
#include "core/invocation.h"

#include <stdio.h>

/* FORMAT_HTML is used for --plot files only. */
typedef enum output_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_HTML } output_format;

typedef struct output {
    FILE *stream;
    output_format format; /* FORMAT_TABLE until output_choose_format sets it */
    bool to_terminal;
    bool color;            /* a terminal, and NO_COLOR is not set */
    size_t width;          /* in columns, from COLUMNS or the terminal; 0: unknown */
    const char *name;      /* for messages */
    const char *title;     /* title of an HTML page */
    crd_output_file *file; /* NULL for standard output */
    char *buffer;
    string scratch; /* a buffer for composing text before writing it */
    int reason;     /* errno value of a failed output_write; 0: none failed */
} output;

/* Opens the file that --output names, or standard output. */
int output_open(const invocation *call, output *out);
/* Opens a path as output_open does. If there are several processes, only rank 0 writes. */
int output_open_named(const invocation *call, const char *path, output *out);
/* Opens a path in every process; NULL: standard output. Only one file can be open at a time. */
int output_open_path(crd_context *context, const char *path, output *out);
/* Sets the format from --format, which must be one of `words` ("table|json|markdown"). Without the option, sets
 * `usual`. */
int output_choose_format(const invocation *call, output *out, const char *words, output_format usual);
/* Flushes the output and moves the file to its final path if `ended` is ENDED_WELL; otherwise removes it. Returns
 * `ended`, or the exit status of a failed write. `out` may be zero-initialized. */
int output_close(output *out, int ended);
/* Prints a note about the file of --output if all ended well and standard error is a terminal. Returns `ended`. */
int output_announce(const invocation *call, int ended);
/* Writes bytes unchanged. A failure is recorded, and reported when the output is closed. */
void output_write(output *out, const char *bytes, size_t length);
/* Returns a writer of JSON to the stream. */
crd_json_writer output_json(output *out);
/* Returns whether writing has failed, so the caller can stop. */
bool output_broken(const output *out);

/* Returns ENDED_USAGE, after a message, if the path that the option `name` writes to is one of the inputs. */
int output_check_path(const char *name, const char *path, const char *const *inputs, size_t count);
/* Fails now if opening the path later would fail, before any work is done. Leaves an existing file unchanged. */
int output_check_writable(crd_context *context, const char *path);

/* ---- Numbers ---- */

/* Adds e^log_value, rounded: as a number, or as a power of e if it is outside the range of doubles. Returns whether it
 * is a number. */
bool output_add_exponential(string *out, double log_value);
/* Buffer size for output_rows. */
enum { ROWS_ROOM = 32 };
/* Writes "1 row", or "14 rows". */
const char *output_rows(uint64_t rows, char buffer[ROWS_ROOM]);

/* ---- CSV ---- */

/* Write fields directly to the output, as csv.h formats them. */
void output_csv_text(output *out, crd_text text);
void output_csv_number(output *out, double value);

/* ---- Style ---- */

typedef enum output_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FOR, STYLE_AGAINST } output_style;
/* Returns the escape sequence that starts a style on a terminal; "" without color. */
const char *output_style_code(const output *out, output_style style);

#endif
