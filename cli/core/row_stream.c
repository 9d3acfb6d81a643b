/* SPDX-License-Identifier: MIT */
/* row_stream.c - see row_stream.h. */
#include "core/row_stream.h"

#include "core/messages.h"

/* Rows per block of a table whose columns are aligned together. */
enum { ROWS_LAID_OUT = 1000 };

int row_stream_open(const invocation *call, row_stream *s) {
    const int ended = output_open(call, &s->out);
    return ended == ENDED_WELL ? row_stream_open_on(call, s) : ended;
}

int row_stream_open_on(const invocation *call, row_stream *s) {
    const int ended = output_choose_format(call, &s->out, FORMATS, s->out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    return ended == ENDED_WELL ? ended : output_close(&s->out, ended);
}

void row_stream_begin(row_stream *s, crd_text *names, const bool *left, size_t count) {
    s->names = names;
    s->count = count;
    s->json = output_json(&s->out);
    s->json.lines = 1;
    if (s->out.format == FORMAT_JSON) return;
    if (s->out.format != FORMAT_CSV) s->table = table_create_for(&s->out, count);
    for (size_t i = 0; !s->is_kept && i < count; i++) {
        if (s->table == NULL) {
            if (i > 0) fputc(',', s->out.stream);
            output_csv_text(&s->out, names[i]);
            continue;
        }
        if (left != NULL && left[i]) table_align_left(s->table, i);
        table_add_name(s->table, names[i]);
    }
    if (s->table == NULL && !s->is_kept) fputc('\n', s->out.stream);
}

static void open_cell(row_stream *s) {
    bool is_first = s->column == 0;
    if (s->out.format == FORMAT_CSV && !is_first) fputc(',', s->out.stream);
    if (s->out.format != FORMAT_JSON) return;
    if (is_first && !s->is_bare) crd_json_writer_begin(&s->json, '{');
    if (is_first && s->is_bare && s->count > 1) crd_json_writer_begin(&s->json, '[');
    if (!s->is_bare) crd_json_writer_key(&s->json, s->names[s->column]);
}

static void close_cell(row_stream *s) {
    if (++s->column < s->count) return;
    s->column = 0;
    s->rows++;
    if (s->out.format == FORMAT_CSV) fputc('\n', s->out.stream);
    if (s->rows % ROWS_LAID_OUT == 0) row_stream_flush(s);
    if (s->out.format != FORMAT_JSON) return;
    if (!s->is_bare) crd_json_writer_end(&s->json, '}');
    else if (s->count > 1) crd_json_writer_end(&s->json, ']');
    crd_json_writer_break_line(&s->json);
}

static void row_stream_add_number(row_stream *s, double value, const char *shown) {
    open_cell(s);
    if (s->table != NULL) table_add(s->table, shown);
    else if (s->out.format == FORMAT_CSV) output_csv_number(&s->out, value);
    else crd_json_writer_number(&s->json, value);
    close_cell(s);
}

void row_stream_number(row_stream *s, double value) {
    char buffer[CRD_NUMBER_ROOM];
    row_stream_add_number(s, value, crd_number_round(value, buffer));
}

void row_stream_count(row_stream *s, double value) {
    char buffer[CRD_NUMBER_ROOM];
    row_stream_add_number(s, value, crd_number_count(value, buffer));
}

void row_stream_text(row_stream *s, crd_text text) {
    open_cell(s);
    if (s->table != NULL) table_add_name(s->table, text);
    else if (s->out.format == FORMAT_CSV) output_csv_text(&s->out, text);
    else crd_json_writer_text(&s->json, text);
    close_cell(s);
}

void row_stream_missing(row_stream *s) {
    row_stream_missing_as(s, "");
}

void row_stream_missing_as(row_stream *s, const char *shown) {
    open_cell(s);
    if (s->table != NULL) table_add(s->table, shown);
    else if (s->out.format == FORMAT_JSON) crd_json_writer_word(&s->json, crd_text_of("null"));
    close_cell(s);
}

void row_stream_flush(row_stream *s) {
    if (s->table == NULL) return;
    if (s->is_kept) table_write_cells(s->table, s->out.stream);
    else table_flush(s->table, s->out.stream);
}

bool row_stream_goes_on(const row_stream *s) {
    return !output_broken(&s->out) && !invocation_interrupted();
}

int row_stream_close(row_stream *s, int ended) {
    if (ended == ENDED_WELL && invocation_interrupted()) ended = invocation_end_interrupted();
    if (ended == ENDED_WELL) row_stream_flush(s);
    table_destroy(s->table);
    return output_close(&s->out, ended);
}
