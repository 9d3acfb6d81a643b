/* SPDX-License-Identifier: MIT */
/* batch_forms.c - forms of cells that arrive in columns: dates by their type, texts by their content. See
 * reader_internal.h and form.h.
 *
 * The texts of a slice become codes of a worker's own dictionary. Each distinct text is converted to a value only
 * once. */
#include "table/read/reader_internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLICE = 1 << 13, MOST_TEXTS = 1 << 16, SECONDS_A_DAY = 86400 };

struct crd_i_formed_value {
    bool is_known;
    int32_t code;  /* of a category, or the code for missing */
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

/* Adds the texts of a batch that are not yet in the dictionary to the evidence. */
static crd_status look_at_batch(const crd_reader *reader, const crd_i_row_batch *batch, size_t index,
                                crd_i_column_room *workspace, crd_i_form_evidence *evidence, crd_i_cell_fault *fault) {
    const crd_i_conversion conversion = {reader->context, crd_i_batches_missing(reader), SIZE_MAX, NULL, false};
    for (size_t first = 0; first < batch->rows && crd_i_form_evidence_is_open(evidence); first += SLICE) {
        const size_t rows = batch->rows - first < SLICE ? batch->rows - first : SLICE;
        if (crd_i_dictionary_size(workspace->dictionary) > MOST_TEXTS) {
            crd_i_dictionary_empty(workspace->dictionary);
            workspace->map_of = 0;
        }
        const size_t known = crd_i_dictionary_size(workspace->dictionary);
        crd_i_column column = {.kind = CRD_KIND_NONE};
        crd_status status = batch->convert(batch, reader->columns[index].field, CRD_KIND_CATEGORY, first, rows,
                                           &conversion, workspace, &column, fault);
        if (status != CRD_OK) return status;
        for (size_t code = known; code < crd_i_dictionary_size(workspace->dictionary); code++)
            crd_i_form_evidence_add(evidence, crd_i_dictionary_text(workspace->dictionary, code), '\0', false);
    }
    return CRD_OK;
}

/* Adds the texts of all wanted columns to the evidence. A column with an invalid cell gets no form; the error is
 * reported when the cell is read. */
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

/* ---- Dates and times, whose type makes them numbers ---- */

static bool find_moment(crd_i_cell_content content, double number, crd_i_moment *out) {
    if (content == CRD_I_CELLS_DATES) return fabs(number) < 1e9 && crd_i_moment_of_days((int64_t)number, 0, false, out);
    const double days = floor(number / SECONDS_A_DAY);
    return fabs(days) < 1e9 && crd_i_moment_of_days((int64_t)days, number - days * SECONDS_A_DAY, true, out);
}

static crd_status batch_forms_fail(crd_i_form form, size_t row, crd_i_cell_fault *fault) {
    char what[sizeof fault->what];
    snprintf(what, sizeof what, "is not %s", crd_i_form_noun(form));
    return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
}

/* Converts moments to a date part, in place. Codes use the same memory, half the size of a number each. */
static crd_status batch_forms_take_parts(crd_i_form form, crd_i_cell_content content,
                                         const crd_i_conversion *conversion, crd_i_column_room *workspace, size_t rows,
                                         crd_kind kind, crd_i_cell_fault *fault) {
    const crd_i_conversion plain = {conversion->context, NULL, conversion->max_categories, conversion->truth,
                                    conversion->keeps_mark};
    char *memory = (char *)workspace->numbers;
    for (size_t row = 0; row < rows; row++) {
        double number;
        int32_t code = CRD_I_MAP_MISSING;
        crd_i_moment moment;
        memcpy(&number, memory + row * sizeof number, sizeof number);
        const bool is_there = number == number;
        if (is_there && !find_moment(content, number, &moment)) return batch_forms_fail(form, row, fault);
        if (kind == CRD_KIND_NUMBER) {
            if (is_there) number = crd_i_form_moment_number(form, &moment);
            memcpy(memory + row * sizeof number, &number, sizeof number);
            continue;
        }
        const crd_text text = is_there ? crd_i_form_moment_text(form, &moment) : (crd_text){NULL, 0};
        if (text.bytes != NULL) {
            crd_status status = crd_i_conversion_code(&plain, workspace->dictionary, text, row, &code, fault);
            if (status != CRD_OK) return status;
        }
        memcpy(memory + row * sizeof code, &code, sizeof code);
    }
    return CRD_OK;
}

/* Converts moments, stored as numbers in the column's room, to a date part. */
static crd_status convert_parts(crd_worker *worker, size_t index, crd_i_cell_content content,
                                const crd_i_conversion *conversion, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    crd_status status =
        batch_forms_take_parts(column->form, content, conversion, workspace, worker->batch_rows, column->kind, fault);
    into->kind = column->kind;
    if (column->kind == CRD_KIND_CATEGORY) {
        into->numbers = NULL;
        into->codes = (const int32_t *)(const void *)workspace->numbers;
        into->dictionary = workspace->dictionary;
    }
    return status;
}

static crd_status convert_moments(crd_worker *worker, size_t index, crd_i_cell_content content,
                                  const crd_i_conversion *conversion, crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    crd_status status =
        worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_KIND_NUMBER, worker->batch_from,
                               worker->batch_rows, conversion, workspace, into, fault);
    const bool is_time = column->form.reading == CRD_I_READING_TIME && content == CRD_I_CELLS_TIMES;
    if (status != CRD_OK || is_time) return status;
    if (content == CRD_I_CELLS_TIMES) return batch_forms_fail(column->form, SIZE_MAX, fault);
    return convert_parts(worker, index, content, conversion, into, fault);
}

/* Converts a column that has a date form but another type, as happens if a table has no value of the column. All
 * cells must be missing. */
static crd_status convert_missing(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                  crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_column_room *workspace = &worker->columns[index].workspace;
    const size_t rows = worker->batch_rows;
    crd_status status = worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_KIND_NUMBER,
                                               worker->batch_from, rows, conversion, workspace, into, fault);
    if (status != CRD_OK || into->kind == CRD_KIND_NONE) return status;
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows, sizeof(double)))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        if (into->numbers[row] == into->numbers[row]) return batch_forms_fail(column->form, row, fault);
        workspace->numbers[row] = NAN;
    }
    into->numbers = workspace->numbers;
    return convert_parts(worker, index, CRD_I_CELLS_DATES, conversion, into, fault);
}

/* ---- Texts ---- */

/* Converts a text by the column's form. A word that is not a truth value becomes a category, as in files. */
static crd_status batch_forms_read_text(const crd_i_reader_column *column, crd_text text,
                                        const crd_i_conversion *conversion, crd_i_dictionary *dictionary, size_t row,
                                        struct crd_i_formed_value *out, crd_i_cell_fault *fault) {
    char shown[CRD_I_QUOTED_ROOM], what[sizeof fault->what];
    out->number = NAN;
    out->code = CRD_I_MAP_MISSING;
    out->is_known = true;
    snprintf(what, sizeof what, "is '%s', which is not %s", crd_i_quote(text, shown), crd_i_form_noun(column->form));
    if (column->kind == CRD_KIND_NUMBER) {
        crd_number_class class = crd_i_form_number(column->form, text, &out->number);
        if (class == CRD_NUMBER_NONE) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        if (class == CRD_NUMBER_INFINITE)
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is infinite: numbers must be finite");
        return CRD_OK;
    }
    crd_text value = text;
    if (!crd_i_form_text(column->form, text, &value)) {
        if (column->form.reading != CRD_I_READING_BOOLEAN) return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, what);
        value = text;
    }
    const crd_i_conversion plain = {conversion->context, NULL, conversion->max_categories, conversion->truth,
                                    conversion->keeps_mark};
    return value.bytes == NULL ? CRD_OK : crd_i_conversion_code(&plain, dictionary, value, row, &out->code, fault);
}

/* Prepares the dictionary of texts. It is emptied when it exceeds a limit, because identifiers would fill the
 * memory. */
static bool open_formed(const crd_reader *reader, crd_i_worker_column *column) {
    if (column->formed.dictionary == NULL) column->formed.dictionary = crd_i_dictionary_create(reader->context);
    if (column->formed.dictionary == NULL) return false;
    if (crd_i_dictionary_size(column->formed.dictionary) > MOST_TEXTS) {
        crd_i_dictionary_empty(column->formed.dictionary);
        column->formed.map_of = 0;
        crd_i_batches_forget_formed(column);
    }
    return true;
}

static bool reserve_values(crd_context *context, crd_i_worker_column *column) {
    const size_t before = column->values_capacity;
    if (!crd_i_reserve(context, &column->values, &column->values_capacity,
                       crd_i_dictionary_size(column->formed.dictionary) + 1, sizeof *column->values))
        return false;
    for (size_t i = before; i < column->values_capacity; i++) column->values[i].is_known = false;
    return true;
}

static crd_status batch_forms_convert_texts(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                            crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    crd_i_worker_column *worker_column = &worker->columns[index];
    const size_t rows = worker->batch_rows;
    const crd_i_conversion any = {conversion->context, conversion->missing, SIZE_MAX, NULL, conversion->keeps_mark};
    crd_i_column texts = {.kind = CRD_KIND_NONE};
    if (!open_formed(worker->reader, worker_column)) return crd_i_cell_fail_memory(fault);
    crd_status status = worker->batch->convert(worker->batch, worker->entry->fields[index], CRD_KIND_CATEGORY,
                                               worker->batch_from, rows, &any, &worker_column->formed, &texts, fault);
    if (status != CRD_OK) return status;
    if (!crd_i_reserve(conversion->context, &worker_column->workspace.numbers,
                       &worker_column->workspace.numbers_capacity, rows, sizeof(double)) ||
        !reserve_values(conversion->context, worker_column))
        return crd_i_cell_fail_memory(fault);
    const bool is_number = column->kind == CRD_KIND_NUMBER;
    int32_t *codes = (int32_t *)(void *)worker_column->workspace.numbers;
    for (size_t row = 0; row < rows && status == CRD_OK; row++) {
        struct crd_i_formed_value none = {true, CRD_I_MAP_MISSING, NAN}, *value = &none;
        if (texts.codes[row] >= 0) value = &worker_column->values[texts.codes[row]];
        if (!value->is_known)
            status = batch_forms_read_text(
                column, crd_i_dictionary_text(worker_column->formed.dictionary, (size_t)texts.codes[row]), conversion,
                worker_column->dictionary, row, value, fault);
        if (is_number) worker_column->workspace.numbers[row] = value->number;
        else codes[row] = value->code;
    }
    into->kind = column->kind;
    into->numbers = is_number ? worker_column->workspace.numbers : NULL;
    into->codes = is_number ? NULL : codes;
    into->texts = NULL;
    into->dictionary = is_number ? NULL : worker_column->dictionary;
    return status;
}

crd_status crd_i_batches_convert_formed(crd_worker *worker, size_t index, const crd_i_conversion *conversion,
                                        crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_reader_column *column = &worker->reader->columns[index];
    const size_t field = worker->entry->fields[index];
    const crd_i_cell_content content = crd_i_batches_content(worker->reader, field);
    if (crd_i_form_is_plain(crd_i_worker_form(worker, index)))
        return worker->batch->convert(worker->batch, field, column->kind, worker->batch_from, worker->batch_rows,
                                      conversion, &worker->columns[index].workspace, into, fault);
    const bool is_date = crd_i_reading_is_date(column->form.reading);
    if (content == CRD_I_CELLS_TEXTS) return batch_forms_convert_texts(worker, index, conversion, into, fault);
    if (content != CRD_I_CELLS_OTHER && (is_date || column->form.reading == CRD_I_READING_TIME))
        return convert_moments(worker, index, content, conversion, into, fault);
    /* A typed number keeps its value, whatever the column's form. It cannot be a date part, unless all cells are
     * missing. */
    if (is_date && column->form.part != CRD_I_PART_WHOLE)
        return convert_missing(worker, index, conversion, into, fault);
    return worker->batch->convert(worker->batch, field, column->kind, worker->batch_from, worker->batch_rows,
                                  conversion, &worker->columns[index].workspace, into, fault);
}
