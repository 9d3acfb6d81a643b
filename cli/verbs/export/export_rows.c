/* SPDX-License-Identifier: MIT */
/* export_rows.c - see export_rows.h.
 *
 * An ARFF file declares the values of its categories before the first row. So a table is read twice: first to find the
 * values, then to write the rows. */
#include "verbs/export/export_rows.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "source/data_input.h"
#include "source/input_file.h"

#include <string.h>

/* ---- CSV ---- */

static void export_rows_open_csv(output *out, const char *path, const crd_schema *schema) {
    (void)path;
    bool is_first = true;
    for (size_t i = 0; i < crd_schema_column_count(schema); i++) {
        if (crd_schema_is_ignored(schema, i)) continue;
        if (!is_first) fputc(',', out->stream);
        is_first = false;
        output_csv_text(out, crd_schema_column_name(schema, i));
    }
    fputc('\n', out->stream);
}

static void put_csv(output *out, crd_value value) {
    if (value.type == CRD_TYPE_NUMERIC) output_csv_number(out, value.number);
    if (value.type == CRD_TYPE_CATEGORICAL) output_csv_text(out, value.text);
}

/* ---- ARFF ---- */

static bool stands_bare(crd_text text) {
    static const char special[] = " \t\r\n,{}%'\"\\@?";
    for (size_t i = 0; i < text.length; i++) {
        if (strchr(special, text.bytes[i]) != NULL) return false;
    }
    return text.length > 0 && !csv_means_missing(text);
}

/* Writes a text of an ARFF file, in quotes with escapes if it needs them. */
static void put_arff_text(output *out, crd_text text) {
    if (stands_bare(text)) {
        fwrite(text.bytes, 1, text.length, out->stream);
        return;
    }
    fputc('\'', out->stream);
    for (size_t i = 0; i < text.length; i++) {
        switch (text.bytes[i]) {
        case '\n': fputs("\\n", out->stream); break;
        case '\r': fputs("\\r", out->stream); break;
        case '\t': fputs("\\t", out->stream); break;
        case '\'':
        case '\\': fputc('\\', out->stream); /* fall through */
        default: fputc(text.bytes[i], out->stream);
        }
    }
    fputc('\'', out->stream);
}

/* Returns the name of the relation: the file name without folders, up to its first dot. */
static crd_text relation_of(const char *path) {
    crd_text name = crd_text_of(crd_i_os_file_name(path));
    const char *dot = name.length < 2 ? NULL : memchr(name.bytes + 1, '.', name.length - 1);
    if (dot != NULL) name.length = (size_t)(dot - name.bytes);
    return name;
}

/* Writes the type of a column. A column without values could have any type; numeric is the cheapest choice. */
static void put_type(output *out, const crd_schema *schema, size_t column) {
    if (crd_schema_column_type(schema, column) != CRD_TYPE_CATEGORICAL) {
        fputs("numeric", out->stream);
        return;
    }
    size_t values = crd_schema_value_count(schema, column);
    if (values == 0) {
        fputs("string", out->stream);
        return;
    }
    for (size_t i = 0; i < values; i++) {
        fputs(i == 0 ? "{" : ",", out->stream);
        put_arff_text(out, crd_schema_value(schema, column, i));
    }
    fputc('}', out->stream);
}

static void open_arff(output *out, const char *path, const crd_schema *schema) {
    fputs("@relation ", out->stream);
    put_arff_text(out, relation_of(path));
    fputs("\n\n", out->stream);
    for (size_t i = 0; i < crd_schema_column_count(schema); i++) {
        if (crd_schema_is_ignored(schema, i)) continue;
        fputs("@attribute ", out->stream);
        put_arff_text(out, crd_schema_column_name(schema, i));
        fputc(' ', out->stream);
        put_type(out, schema, i);
        fputc('\n', out->stream);
    }
    fputs("\n@data\n", out->stream);
}

static void put_arff(output *out, crd_value value) {
    char buffer[CRD_NUMBER_ROOM];
    switch (value.type) {
    case CRD_TYPE_NUMERIC: fwrite(buffer, 1, crd_number_format(value.number, buffer), out->stream); break;
    case CRD_TYPE_TEXT:
    case CRD_TYPE_CATEGORICAL: put_arff_text(out, value.text); break;
    case CRD_TYPE_NONE: fputc('?', out->stream); break;
    }
}

/* ---- Both ---- */

const row_format row_format_csv = {export_rows_open_csv, put_csv};
const row_format row_format_arff = {open_arff, put_arff};

/* Writes all rows. */
static int export_rows_write_all(data *d, const row_format *format, output *out) {
    crd_error error;
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(d->reader, &frame, &error);
        if (status != CRD_OK) return message_error(&error);
        if (frame == NULL || output_broken(out)) return ENDED_WELL;
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            for (size_t i = 0; i < crd_frame_column_count(frame); i++) {
                if (i > 0) fputc(',', out->stream);
                format->put(out, crd_frame_value(frame, row, i));
            }
            fputc('\n', out->stream);
        }
    }
}

static int learn_schema(const invocation *call, const char *path, const row_format *format, crd_schema **out) {
    data d;
    crd_error error;
    int ended = data_open(call, &path, 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    ended = data_treat_columns(call, &d);
    /* Amounts such as 1,000 are numbers in ARFF. CSV keeps the texts unchanged. */
    if (ended == ENDED_WELL && format == &row_format_arff) ended = data_detect_formats(&d, false);
    if (ended == ENDED_WELL && crd_schema_from_rows(d.reader, 1, out, &error) != CRD_OK) ended = message_error(&error);
    data_close(&d);
    return ended;
}

static int export_rows_write(const invocation *call, const char *path, const row_format *format,
                             const crd_schema *schema, output *out) {
    data d;
    crd_error error;
    int ended = data_open(call, &path, 1, false, &d);
    if (ended != ENDED_WELL) return ended;
    if (crd_schema_apply(schema, d.reader, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        format->open(out, path, schema);
        ended = export_rows_write_all(&d, format, out);
    }
    data_close(&d);
    return ended;
}

/* Writes a table in a format, after a first pass that finds the columns. */
int export_rows(const invocation *call, const char *path, const row_format *format) {
    crd_schema *schema = NULL;
    output out;
    crd_file_kind kind = CRD_FILE_ROWS;
    if (input_file_reads_once(path)) {
        return message_failed("%s: the table is read twice, but a pipe can be read only once: save it to a file",
                              strcmp(path, "-") == 0 ? "standard input" : path);
    }
    int ended = input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL) return ended;
    if (kind == CRD_FILE_MODEL)
        return message_failed("%s is a model, which has no rows: only a table can be written in this format", path);
    ended = learn_schema(call, path, format, &schema);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL && out.to_terminal) progress_forbid();
    if (ended == ENDED_WELL) ended = output_close(&out, export_rows_write(call, path, format, schema, &out));
    crd_schema_destroy(schema);
    return ended;
}
