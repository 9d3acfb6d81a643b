/* SPDX-License-Identifier: MIT */
/* sequence_cursor.c - iterates over the steps of sequences, one by one. See credence/sequence.h. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct crd_sequence_cursor {
    const crd_sequences *sequences; /* the sequences that own the steps */
    /* the selection that the caller passed; the same as `sequences` if it is not a selection */
    const crd_sequences *selection;
    crd_i_observation_room workspace;
    crd_i_observation_block block;
    size_t sequence;
    uint64_t first, step; /* the first step of the block, and the current step */
    uint64_t row;
    crd_i_spool_window rows, texts, text_ends;
    crd_text *cells; /* one text per stored text column */
};

crd_status crd_sequence_cursor_create(const crd_sequences *sequences, crd_sequence_cursor **out, crd_error *error) {
    *out = NULL;
    crd_context *context = sequences->context;
    crd_sequence_cursor *cursor = crd_i_alloc_zeroed(context, 1, sizeof *cursor);
    if (cursor == NULL) return crd_i_fail_memory(error);
    cursor->sequences = sequences->whole != NULL ? sequences->whole : sequences;
    cursor->selection = sequences;
    cursor->workspace.context = cursor->rows.bytes.context = context;
    cursor->texts.bytes.context = cursor->text_ends.bytes.context = context;
    cursor->cells = crd_i_alloc_zeroed(context, sequences->columns->text_columns, sizeof *cursor->cells);
    if (cursor->cells == NULL) {
        crd_sequence_cursor_destroy(cursor);
        return crd_i_fail_memory(error);
    }
    *out = cursor;
    return CRD_OK;
}

void crd_sequence_cursor_destroy(crd_sequence_cursor *cursor) {
    if (cursor == NULL) return;
    crd_context *context = cursor->workspace.context;
    crd_i_observation_room_clear(&cursor->workspace);
    crd_i_buffer_clear(&cursor->rows.bytes);
    crd_i_buffer_clear(&cursor->texts.bytes);
    crd_i_buffer_clear(&cursor->text_ends.bytes);
    crd_free(context, cursor->cells);
    crd_free(context, cursor);
}

/* Finds the row of a step, in reading order. */
static crd_status sequence_cursor_find_row(const crd_sequences *s, uint64_t step, crd_i_spool_window *window,
                                           uint64_t *row, crd_error *error) {
    *row = step;
    if (s->row_area == SIZE_MAX) return CRD_OK;
    const crd_i_step_store *store = &s->store;
    const unsigned char *cursor;
    uint64_t block = step / store->block_steps;
    uint64_t offset = crd_i_step_store_offset(store, block) +
                      store->offsets[s->row_area] * crd_i_step_store_stride(store, block) +
                      step % store->block_steps * sizeof *row;
    crd_status status = crd_i_spool_look(&store->spool, window, offset, sizeof *row, &cursor, error);
    if (status == CRD_OK) memcpy(row, cursor, sizeof *row);
    return status;
}

/* Finds the end of the texts of the previous row and of the current row. */
static crd_status sequence_cursor_find_texts(crd_sequence_cursor *cursor, uint64_t bounds[2], crd_error *error) {
    const unsigned char *position;
    size_t first = cursor->row == 0 ? 1 : 0, length = (2 - first) * sizeof *bounds;
    bounds[0] = 0;
    crd_status status = crd_i_spool_look(&cursor->sequences->text_ends, &cursor->text_ends,
                                         (cursor->row + first - 1) * sizeof *bounds, length, &position, error);
    if (status == CRD_OK) memcpy(bounds + first, position, length);
    return status;
}

/* Reads the original cell texts of the current row. They are empty for inserted steps. */
static crd_status sequence_cursor_read_texts(crd_sequence_cursor *cursor, crd_error *error) {
    size_t count = cursor->sequences->columns->text_columns;
    uint64_t bounds[2];
    const unsigned char *position;
    for (size_t i = 0; i < count; i++) cursor->cells[i] = (crd_text){"", 0};
    if (count == 0 || cursor->row == UINT64_MAX) return CRD_OK;
    crd_status status = sequence_cursor_find_texts(cursor, bounds, error);
    if (status == CRD_OK)
        status = crd_i_spool_look(&cursor->sequences->texts, &cursor->texts, bounds[0], (size_t)(bounds[1] - bounds[0]),
                                  &position, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        uint32_t bytes;
        memcpy(&bytes, position, sizeof bytes);
        cursor->cells[i] = (crd_text){(const char *)position + sizeof bytes, bytes};
        position += sizeof bytes + bytes;
    }
    return status;
}

crd_status crd_sequence_cursor_move(crd_sequence_cursor *cursor, size_t sequence, uint64_t step, crd_error *error) {
    const crd_sequences *s = cursor->selection;
    if (sequence >= s->count || step >= crd_sequences_length(s, sequence))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the step of the sequence does not exist");
    s = crd_i_sequences_whole(s, &sequence);
    bool is_held = cursor->block.steps > 0 && sequence == cursor->sequence && step >= cursor->first &&
                   step - cursor->first < cursor->block.steps;
    crd_status status = CRD_OK;
    if (!is_held) {
        cursor->first = step;
        cursor->sequence = sequence;
        status = crd_i_sequences_block(s, sequence, step, CRD_I_BLOCK_STEPS, &cursor->workspace, &cursor->block, error);
    }
    cursor->step = step;
    if (status == CRD_OK)
        status = sequence_cursor_find_row(s, s->starts[sequence] + step, &cursor->rows, &cursor->row, error);
    if (status == CRD_OK) status = sequence_cursor_read_texts(cursor, error);
    if (status != CRD_OK) cursor->block.steps = 0;
    return status;
}

crd_value crd_sequence_cursor_value(const crd_sequence_cursor *cursor, size_t column) {
    crd_value value = {.kind = CRD_KIND_NONE, .number = NAN};
    size_t index = (size_t)(cursor->step - cursor->first);
    const double *numbers = cursor->block.numbers[column];
    const int32_t *codes = cursor->block.codes[column];
    if (numbers != NULL && numbers[index] == numbers[index]) {
        value.kind = CRD_KIND_NUMBER;
        value.number = numbers[index];
    } else if (codes != NULL && codes[index] >= 0) {
        value.kind = CRD_KIND_CATEGORY;
        value.text = crd_sequences_value(cursor->sequences, column, (size_t)codes[index]);
    }
    return value;
}

int32_t crd_sequence_cursor_code(const crd_sequence_cursor *cursor, size_t column) {
    const int32_t *codes = cursor->block.codes[column];
    return codes == NULL ? -1 : codes[cursor->step - cursor->first];
}

int32_t crd_sequence_cursor_label(const crd_sequence_cursor *cursor) {
    return cursor->block.labels == NULL ? -1 : cursor->block.labels[cursor->step - cursor->first];
}

int crd_sequence_cursor_is_inserted(const crd_sequence_cursor *cursor) {
    return cursor->row == UINT64_MAX;
}

uint64_t crd_sequence_cursor_row(const crd_sequence_cursor *cursor) {
    return cursor->row;
}

static const crd_i_line_run *sequence_cursor_run(const crd_sequence_cursor *cursor) {
    return cursor->row == UINT64_MAX ? NULL : crd_i_sequences_find_run(cursor->sequences, cursor->row);
}

uint64_t crd_sequence_cursor_line(const crd_sequence_cursor *cursor) {
    const crd_i_line_run *run = sequence_cursor_run(cursor);
    return run == NULL ? 0 : run->line + (cursor->row - run->row);
}

const char *crd_sequence_cursor_place(const crd_sequence_cursor *cursor) {
    const crd_i_line_run *run = sequence_cursor_run(cursor);
    return run == NULL ? "" : cursor->sequences->columns->places[run->place];
}

crd_text crd_sequence_cursor_cell(const crd_sequence_cursor *cursor, size_t column) {
    const crd_text none = {"", 0};
    return column < cursor->sequences->columns->text_columns ? cursor->cells[column] : none;
}

void crd_i_sequences_place_error(const crd_sequences *sequences, size_t sequence, uint64_t step, crd_error *error) {
    crd_i_spool_window window = {.bytes = {.context = sequences->context}};
    uint64_t row;
    sequences = crd_i_sequences_whole(sequences, &sequence);
    crd_status status = sequence_cursor_find_row(sequences, sequences->starts[sequence] + step, &window, &row, NULL);
    crd_i_buffer_clear(&window.bytes);
    if (status != CRD_OK || row == UINT64_MAX) return;
    const crd_i_line_run *run = crd_i_sequences_find_run(sequences, row);
    if (run == NULL) return;
    crd_i_error_place(error, sequences->columns->places[run->place], run->line + (row - run->row), 0);
}
