/* output.h - where results go: standard output, or a file that appears only when it is whole. */
#ifndef CREDENCE_CLI_OUTPUT_H
#define CREDENCE_CLI_OUTPUT_H

#include "session.h"

#include <stdio.h>

typedef enum output_format { FORMAT_TABLE = 0, FORMAT_CSV = 1, FORMAT_JSON = 2 } output_format;

typedef struct output {
    FILE *stream;
    bool to_terminal;
    bool colour;      /* a terminal whose user did not say NO_COLOR */
    size_t width;     /* in columns, from COLUMNS or the terminal; 0: nobody says */
    const char *name; /* as people know it */
    char *path;       /* where it is in the end; NULL for standard output */
    char *beside;     /* the file that becomes `path`; NULL where nothing is replaced */
    char *buffer;
} output;

/* Opens what --output names, or standard output. */
int output_open(const session *s, output *out);
/* Flushes, and puts the file in its place where `ended` is ENDED_WELL; else removes it. Returns `ended`, or the failure
 * to write. `out` may be zero. */
int output_close(output *out, int ended);
/* Whether writing has failed, so that going on makes no sense. */
bool output_broken(const output *out);

/* ENDED_USAGE where --output names one of the inputs. */
int output_check_inputs(const session *s, const char *const *inputs, size_t count);

/* ---- Numbers ---- */

/* Room for output_round. */
enum { ROUNDED_ROOM = 32 };
/* Five significant digits: for people. */
const char *output_round(double value, char room[ROUNDED_ROOM]);
/* A count: all of its digits. */
const char *output_count(double value, char room[ROUNDED_ROOM]);

/* Room for output_rows. */
enum { ROWS_ROOM = 32 };
/* "1 row", "14 rows" */
const char *output_rows(uint64_t rows, char room[ROWS_ROOM]);

/* ---- CSV ---- */

/* A field, quoted where a reader would not get the same bytes back. */
void output_csv_text(output *out, crd_text text);
/* Shortest that reads back to the same bits; empty where it is not finite. */
void output_csv_number(output *out, double value);

/* ---- Style ---- */

typedef enum output_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FOR, STYLE_AGAINST } output_style;
/* What to write to a terminal before text of a style; "" where there is no colour. */
const char *output_style_code(const output *out, output_style style);

#endif
