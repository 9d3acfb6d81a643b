/* sample_rows.c - see sample_rows.h. */
#include "verbs/sample/sample_rows.h"

#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"

#include <stdlib.h>

/* A table is laid out by this many rows at a time. */
enum { ROWS_LAID_OUT = 1000 };

/* Where rows go. */
typedef struct writing {
    const row_drawer *drawer;
    output out;
    json json;
    table *table;
} writing;

static void write_csv(writing *w, const crd_value *values) {
    for (size_t i = 0; i < w->drawer->count; i++) {
        if (i > 0) fputc(',', w->out.stream);
        if (values[i].kind == CRD_KIND_NUMBER) output_csv_number(&w->out, values[i].number);
        else if (values[i].kind == CRD_KIND_CATEGORY) output_csv_text(&w->out, values[i].text);
    }
    fputc('\n', w->out.stream);
}

static void write_json(writing *w, const crd_value *values) {
    json_object(&w->json);
    for (size_t i = 0; i < w->drawer->count; i++) {
        json_key_text(&w->json, w->drawer->names[i]);
        switch (values[i].kind) {
        case CRD_KIND_NUMBER: json_number(&w->json, values[i].number); break;
        case CRD_KIND_CATEGORY: json_text(&w->json, values[i].text); break;
        case CRD_KIND_NONE: json_null(&w->json); break;
        }
    }
    json_end_object(&w->json);
    json_end_line(&w->json);
}

static void add_to_table(writing *w, const crd_value *values, uint64_t row) {
    char room[ROUNDED_ROOM];
    for (size_t i = 0; i < w->drawer->count; i++) {
        if (values[i].kind == CRD_KIND_NUMBER) table_add(w->table, output_round(values[i].number, room));
        else table_add_name(w->table, values[i].kind == CRD_KIND_NONE ? crd_text_of("") : values[i].text);
    }
    if (row % ROWS_LAID_OUT == ROWS_LAID_OUT - 1) table_flush(w->table, w->out.stream);
}

static void write_opening(writing *w) {
    size_t count = w->drawer->count;
    if (w->out.format == FORMAT_CSV) {
        for (size_t i = 0; i < count; i++) {
            if (i > 0) fputc(',', w->out.stream);
            output_csv_text(&w->out, w->drawer->names[i]);
        }
        fputc('\n', w->out.stream);
    } else if (w->out.format == FORMAT_JSON) {
        w->json = json_begin(w->out.stream, false);
    } else {
        w->table = table_create_for(&w->out, count);
        for (size_t i = 0; i < count; i++) {
            if (!w->drawer->is_number[i]) table_align_left(w->table, i);
            table_add_name(w->table, w->drawer->names[i]);
        }
    }
}

static void write_row(writing *w, const crd_value *values, uint64_t row) {
    switch (w->out.format) {
    case FORMAT_CSV: write_csv(w, values); break;
    case FORMAT_JSON: write_json(w, values); break;
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN: add_to_table(w, values, row); break;
    }
}

int sample_rows(const invocation *call, const row_drawer *drawer, uint64_t rows) {
    writing w = {.drawer = drawer};
    int ended = output_open(call, &w.out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(call, &w.out, FORMATS, w.out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return output_close(&w.out, ended);
    crd_value *values = memory_resize(NULL, drawer->count, sizeof *values);
    write_opening(&w);
    for (uint64_t row = 0; row < rows && !output_broken(&w.out) && ended == ENDED_WELL; row++) {
        if (invocation_interrupted()) {
            message_failed("interrupted");
            ended = invocation_interrupted_exit();
            break;
        }
        ended = drawer->draw(drawer->from, row, values);
        if (ended == ENDED_WELL) write_row(&w, values, row);
    }
    if (w.table != NULL && ended == ENDED_WELL) table_flush(w.table, w.out.stream);
    table_destroy(w.table);
    free(values);
    return output_close(&w.out, ended);
}
