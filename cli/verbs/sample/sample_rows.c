/* SPDX-License-Identifier: MIT */
/* sample_rows.c - see sample_rows.h. */
#include "verbs/sample/sample_rows.h"

#include "core/messages.h"

#include <stdlib.h>

void sample_write_row(row_stream *s, const crd_value *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        switch (values[i].type) {
        case CRD_TYPE_NUMERIC: row_stream_number(s, values[i].number); break;
        case CRD_TYPE_TEXT:
        case CRD_TYPE_CATEGORICAL: row_stream_text(s, values[i].text); break;
        case CRD_TYPE_NONE: row_stream_missing(s); break;
        }
    }
}

/* Formats numbers as values that the model can read, for CSV. Tables and JSON contain plain numbers. */
static void format_numbers(const row_drawer *drawer, crd_value *values, char (*rooms)[CRD_CELL_ROOM]) {
    for (size_t i = 0; i < drawer->count; i++) {
        if (values[i].type != CRD_TYPE_NUMERIC) continue;
        const size_t length = drawer->format(drawer->source, i, values[i].number, rooms[i]);
        values[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, {rooms[i], length}};
    }
}

/* Draws and writes rows, until an error or an interrupt. */
int sample_rows(const invocation *call, const row_drawer *drawer, uint64_t rows) {
    row_stream s = {0};
    int ended = row_stream_open(call, &s);
    if (ended != ENDED_WELL) return ended;
    crd_value *values = memory_resize(NULL, drawer->count, sizeof *values);
    char(*rooms)[CRD_CELL_ROOM] = memory_resize(NULL, drawer->count, sizeof *rooms);
    const bool is_formatted = drawer->format != NULL && s.out.format == FORMAT_CSV;
    row_stream_begin(&s, drawer->names, drawer->is_category, drawer->count);
    for (uint64_t row = 0; row < rows && ended == ENDED_WELL && row_stream_goes_on(&s); row++) {
        ended = drawer->draw(drawer->source, row, values);
        if (ended == ENDED_WELL && is_formatted) format_numbers(drawer, values, rooms);
        if (ended == ENDED_WELL) sample_write_row(&s, values, drawer->count);
    }
    free(values);
    free(rooms);
    return row_stream_close(&s, ended);
}
