/* SPDX-License-Identifier: MIT */
/* batch_forms.c - forms of cells that come in columns: dates by their type, texts by what they are. See reader_internal.h and form.h.
 *
 * The texts of a slice become codes of a dictionary of the worker's own, and each of its texts a value once. */
#include "table/read/reader_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 1 << 13, MOST_TEXTS = 1 << 16, SECONDS_A_DAY = 86400 };

struct crd_i_formed_value {
    bool is_known;
    int32_t code;  /* of a category, or what is missing */
    double number; /* of a number */
};

crd_i_cell_content crd_i_batches_content(const crd_reader *reader, size_t field) {
    const crd_i_batch_source *source = reader->batches;
    return source->content == NULL ? CRD_I_CELLS_OTHER : source->content(source, field);
}

void crd_i_batches_clear_formed(crd_context *context, crd_i_worker_column *column) {
    crd_i_dictionary_destroy(column->formed.dictionary);
    crd_i_column_room_clear(context, &column->formed);
    crd_free(context, column->values);
}

void crd_i_batches_forget_formed(crd_i_worker_column *column) {
    for (size_t i = 0; i < column->values_capacity; i++) column->values[i].is_known = false;
}

/* ---- Finding forms ---- */

/* Adds the texts of a batch that the dictionary has not met. */
static crd_status look_at_batch(const crd_reader *reader, const crd_i_row_batch *batch, size_t index,
                                crd_i_column_room *room, crd_i_form_evidence *evidence, crd_i_cell_fault *fault) {
    const crd_i_conversion how = {reader->context, crd_i_batches_missing(reader), SIZE_MAX, NULL, false};
    for (size_t from = 0; from < batch->rows && crd_i_form_evidence_is_open(evidence); from += SLICE) {
        const size_t rows = batch->rows - from < SLICE ? batch->rows - from : SLICE;
        if (crd_i_dictionary_size(room->dictionary) > MOST_TEXTS) {
            crd_i_dictionary_empty(room->dictionary);
            room->map_of = 0;
        }
        const size_t known = crd_i_dictionary_size(room->dictionary);
        crd_i_column column = {.kind = CRD_KIND_NONE};
        crd_status status = batch->convert(batch, reader->columns[index].field, CRD_KIND_CATEGORY, from, rows, &how,
                                           room, &column, fault);
        if (status != CRD_OK) return status;
        for (size_t code = known; code < crd_i_dictionary_size(room->dictionary); code++)
            crd_i_form_evidence_add(evidence, crd_i_dictionary_text(room->dictionary, code), '\0', false);
    }
    return CRD_OK;
}

/* What is wrong with a cell is for those to report who read it: its column has no form. */
static crd_status look_at_columns(const crd_reader *reader, const crd_i_row_batch *batch, bool *is_wanted,
                                  crd_i_column_room *rooms, crd_i_form_evidence *evidence, crd_error *error) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_cell_fault fault = {.status = CRD_OK};
        if (!is_wanted[i]) continue;
        if (rooms[i].dictionary == NULL) rooms[i].dictionary = crd_i_dictionary_create(reader->context);
        crd_status status = rooms[i].dictionary == NULL
                                ? CRD_ERROR_MEMORY
                                : look_at_batch(reader, batch, i, &rooms[i], &evidence[i], &fault);
        if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
        if (crd_i_is_cancelled(status)) return crd_i_fail_cancelled(error);
        is_wanted[i] = status == CRD_OK && crd_i_form_evidence_is_open(&evidence[i]);
    }
    return CRD_OK;
}

static bool is_any(const bool *is_wanted, size_t count) {
    size_t i = 0;
    while (i < count && !is_wanted[i]) i++;
    return i < count;
}

crd_status crd_i_batches_look(crd_reader *reader, bool *is_wanted, crd_i_form_evidence *evidence, crd_error *error) {
    crd_i_batch_source *source = reader->batches;
    crd_i_column_room *rooms = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *rooms);
    crd_status status = rooms == NULL ? crd_i_fail_memory(error) : CRD_OK;
    while (status == CRD_OK && is_any(is_wanted, reader->column_count)) {
        crd_i_row_batch *batch = NULL;
        status = source->next(source, &batch, error);
        if (status != CRD_OK || batch == NULL) break;
        status = look_at_columns(reader, batch, is_wanted, rooms, evidence, error);
        crd_i_batch_leave(batch);
    }
    for (size_t i = 0; rooms != NULL && i < reader->column_count; i++) {
        crd_i_dictionary_destroy(rooms[i].dictionary);
        crd_i_column_room_clear(reader->context, &rooms[i]);
    }
    crd_free(reader->context, rooms);
    if (status != CRD_OK) {
        crd_i_reader_place_error(reader, error);
        return status;
    }
    return source->rewind(source, error);
}

/* ---- Dates and times, which are numbers by their type ---- */

static bool find_moment(crd_i_cell_content content, double number, crd_i_moment *out) {
    if (content == CRD_I_CELLS_DATES) return fabs(number) < 1e9 && crd_i_moment_of_days((int64_t)number, 0, false, out);
    const double days = floor(number / SECONDS_A_DAY);
    return fabs(days) < 1e9 && crd_i_moment_of_days((int64_t)days, number - days * SECONDS_A_DAY, true, out);
}

static crd_status fail_form(crd_i_form form, size_t row, crd_i_cell_fault *fault) {
    char what[sizeof fault->what];
    snprintf(what, sizeof what, "is not %s", crd_i_form_noun(form));
    return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
}

/* Numbers in place; codes in the same memory, of which each takes half a number's room. */
static crd_status take_parts(crd_i_form form, crd_i_cell_content content, const crd_i_conversion *how,
                             crd_i_column_room *room, size_t rows, crd_kind kind, crd_i_cell_fault *fault) {
    const crd_i_conversion plain = {how->context, NULL, how->max_categories, how->truth, how->keeps_mark};
    char *memory = (char *)room->numbers;
    for (size_t row = 0; row < rows; row++) {
        double number;
        int32_t code = CRD_I_MAP_MISSING;
        crd_i_moment moment;
        memcpy(&number, memory + row * sizeof number, sizeof number);
        const bool is_there = number == number;
        if (is_there && !find_moment(content, number, &moment)) return fail_form(form, row, fault);
        if (kind == CRD_KIND_NUMBER) {
            if (is_there) number = crd_i_form_moment_number(form, &moment);
            memcpy(memory + row * sizeof number, &number, sizeof number);
            continue;
        }
        const crd_text text = is_there ? crd_i_form_moment_text(form, &moment) : (crd_text){NULL, 0};
        if (text.bytes != NULL) {
            crd_status status = crd_i_conversion_code(&plain, room->dictionary, text, row, &code, fault);
            if (status != CRD_OK) return status;
        }
        memcpy(memory + row * sizeof code, &code, sizeof code);
    }
    return CRD_OK;
}

/* Parts of moments that stand in a column's room as numbers. */
static crd_status convert_parts(crd_worker *lane, size_t index, crd_i_cell_content content, const crd_i_conversion *how,
                                crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    crd_i_column_room *room = &lane->columns[index].room;
    crd_status status = take_parts(column->form, content, how, room, lane->batch_rows, column->kind, fault);
    into->kind = column->kind;
    if (column->kind == CRD_KIND_CATEGORY) {
        into->numbers = NULL;
        into->codes = (const int32_t *)(const void *)room->numbers;
        into->dictionary = room->dictionary;
    }
    return status;
}

static crd_status convert_moments(crd_worker *lane, size_t index, crd_i_cell_content content,
                                  const crd_i_conversion *how, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    crd_i_column_room *room = &lane->columns[index].room;
    crd_status status = lane->batch->convert(lane->batch, lane->entry->fields[index], CRD_KIND_NUMBER, lane->batch_from,
                                             lane->batch_rows, how, room, into, fault);
    const bool is_time = column->form.reading == CRD_I_READING_TIME && content == CRD_I_CELLS_TIMES;
    if (status != CRD_OK || is_time) return status;
    if (content == CRD_I_CELLS_TIMES) return fail_form(column->form, SIZE_MAX, fault);
    return convert_parts(lane, index, content, how, into, fault);
}

/* Of a column whose type is none of dates, as it is where a table has no cell of a column: all cells must be missing. */
static crd_status convert_missing(crd_worker *lane, size_t index, const crd_i_conversion *how, crd_i_column *into,
                                  crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    crd_i_column_room *room = &lane->columns[index].room;
    const size_t rows = lane->batch_rows;
    crd_status status = lane->batch->convert(lane->batch, lane->entry->fields[index], CRD_KIND_NUMBER, lane->batch_from,
                                             rows, how, room, into, fault);
    if (status != CRD_OK || into->kind == CRD_KIND_NONE) return status;
    if (!crd_i_reserve(how->context, &room->numbers, &room->numbers_capacity, rows, sizeof(double)))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        if (into->numbers[row] == into->numbers[row]) return fail_form(column->form, row, fault);
        room->numbers[row] = NAN;
    }
    into->numbers = room->numbers;
    return convert_parts(lane, index, CRD_I_CELLS_DATES, how, into, fault);
}

/* ---- Texts ---- */

/* What a form makes of a text. A word that is no truth value is a category as it stands, as in files. */
static crd_status read_text(const crd_i_reader_column *column, crd_text text, const crd_i_conversion *how,
                            crd_i_dictionary *dictionary, size_t row, struct crd_i_formed_value *out,
                            crd_i_cell_fault *fault) {
    char shown[CRD_I_QUOTED_ROOM], what[sizeof fault->what];
    out->number = NAN;
    out->code = CRD_I_MAP_MISSING;
    out->is_known = true;
    snprintf(what, sizeof what, "is '%s', which is not %s", crd_i_quote(text, shown), crd_i_form_noun(column->form));
    if (column->kind == CRD_KIND_NUMBER) {
        crd_number_class found = crd_i_form_number(column->form, text, &out->number);
        if (found == CRD_NUMBER_NONE) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        if (found == CRD_NUMBER_INFINITE)
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is infinite: numbers must be finite");
        return CRD_OK;
    }
    crd_text value = text;
    if (!crd_i_form_text(column->form, text, &value)) {
        if (column->form.reading != CRD_I_READING_BOOLEAN) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        value = text;
    }
    const crd_i_conversion plain = {how->context, NULL, how->max_categories, how->truth, how->keeps_mark};
    return value.bytes == NULL ? CRD_OK : crd_i_conversion_code(&plain, dictionary, value, row, &out->code, fault);
}

/* The dictionary does not grow beyond a bound: identifiers among the texts would fill the memory. */
static bool open_formed(const crd_reader *reader, crd_i_worker_column *own) {
    if (own->formed.dictionary == NULL) own->formed.dictionary = crd_i_dictionary_create(reader->context);
    if (own->formed.dictionary == NULL) return false;
    if (crd_i_dictionary_size(own->formed.dictionary) > MOST_TEXTS) {
        crd_i_dictionary_empty(own->formed.dictionary);
        own->formed.map_of = 0;
        crd_i_batches_forget_formed(own);
    }
    return true;
}

static bool reserve_values(crd_context *context, crd_i_worker_column *own) {
    const size_t before = own->values_capacity;
    if (!crd_i_reserve(context, &own->values, &own->values_capacity, crd_i_dictionary_size(own->formed.dictionary) + 1,
                       sizeof *own->values))
        return false;
    for (size_t i = before; i < own->values_capacity; i++) own->values[i].is_known = false;
    return true;
}

static crd_status convert_texts(crd_worker *lane, size_t index, const crd_i_conversion *how, crd_i_column *into,
                                crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    crd_i_worker_column *own = &lane->columns[index];
    const size_t rows = lane->batch_rows;
    const crd_i_conversion any = {how->context, how->missing, SIZE_MAX, NULL, how->keeps_mark};
    crd_i_column texts = {.kind = CRD_KIND_NONE};
    if (!open_formed(lane->reader, own)) return crd_i_cell_fail_memory(fault);
    crd_status status = lane->batch->convert(lane->batch, lane->entry->fields[index], CRD_KIND_CATEGORY,
                                             lane->batch_from, rows, &any, &own->formed, &texts, fault);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(how->context, &own->room.numbers, &own->room.numbers_capacity, rows, sizeof(double)) ||
        !reserve_values(how->context, own))
        return crd_i_cell_fail_memory(fault);
    const bool is_number = column->kind == CRD_KIND_NUMBER;
    int32_t *codes = (int32_t *)(void *)own->room.numbers;
    for (size_t row = 0; row < rows && status == CRD_OK; row++) {
        struct crd_i_formed_value none = {true, CRD_I_MAP_MISSING, NAN}, *value = &none;
        if (texts.codes[row] >= 0) value = &own->values[texts.codes[row]];
        if (!value->is_known)
            status = read_text(column, crd_i_dictionary_text(own->formed.dictionary, (size_t)texts.codes[row]), how,
                               own->dictionary, row, value, fault);
        if (is_number) own->room.numbers[row] = value->number;
        else codes[row] = value->code;
    }
    into->kind = column->kind;
    into->numbers = is_number ? own->room.numbers : NULL;
    into->codes = is_number ? NULL : codes;
    into->texts = NULL;
    into->dictionary = is_number ? NULL : own->dictionary;
    return status;
}

crd_status crd_i_batches_convert_formed(crd_worker *lane, size_t index, const crd_i_conversion *how, crd_i_column *into,
                                        crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &lane->reader->columns[index];
    const size_t field = lane->entry->fields[index];
    const crd_i_cell_content content = crd_i_batches_content(lane->reader, field);
    if (crd_i_form_is_plain(crd_i_worker_form(lane, index)))
        return lane->batch->convert(lane->batch, field, column->kind, lane->batch_from, lane->batch_rows, how,
                                    &lane->columns[index].room, into, fault);
    const bool is_date = crd_i_reading_is_date(column->form.reading);
    if (content == CRD_I_CELLS_TEXTS) return convert_texts(lane, index, how, into, fault);
    if (content != CRD_I_CELLS_OTHER && (is_date || column->form.reading == CRD_I_READING_TIME))
        return convert_moments(lane, index, content, how, into, fault);
    /* A number is that, whatever the column's form; but no part of a date, unless all of them are missing. */
    if (is_date && column->form.part != CRD_I_PART_WHOLE) return convert_missing(lane, index, how, into, fault);
    return lane->batch->convert(lane->batch, field, column->kind, lane->batch_from, lane->batch_rows, how,
                                &lane->columns[index].room, into, fault);
}
