/* SPDX-License-Identifier: MIT */
/* frame.c - creates frames from arrays, and reads the cells of any frame. See frame.h and credence/data.h. */
#include "table/frame.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

crd_status crd_frame_create(crd_context *context, size_t rows, crd_frame **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new frame");
    *out = NULL;
    if (context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context");
    crd_frame *frame = crd_i_alloc_zeroed(context, 1, sizeof *frame);
    if (frame == NULL) return crd_i_fail_memory(error);
    frame->context = context;
    frame->rows = rows;
    frame->layout = crd_i_context_serial(context);
    frame->names = crd_i_dictionary_create(context);
    if (frame->names == NULL) {
        crd_frame_destroy(frame);
        return crd_i_fail_memory(error);
    }
    *out = frame;
    return CRD_OK;
}

static void free_column(crd_frame *frame, crd_i_column *column) {
    crd_free(frame->context, (void *)column->name.bytes);
    if (column->owns_dictionary) crd_i_dictionary_destroy(column->dictionary);
    crd_free(frame->context, column->owned);
    crd_free(frame->context, column->owned_bits);
    crd_free(frame->context, column->owned_texts);
}

void crd_frame_destroy(crd_frame *frame) {
    if (frame == NULL) return;
    for (size_t i = 0; i < frame->column_count; i++) free_column(frame, &frame->columns[i]);
    crd_free(frame->context, frame->columns);
    crd_i_dictionary_destroy(frame->names);
    crd_i_schema_destroy(frame->origin);
    crd_free(frame->context, frame);
}

static bool frame_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Returns an error message about a caller's text; NULL: the text is valid. */
static const char *fault_of(crd_text text) {
    if (frame_has_nul(text)) return "has a NUL byte";
    return crd_i_utf8_is_valid(text) ? NULL : "is not valid UTF-8";
}

crd_status crd_i_frame_add(crd_frame *frame, crd_text name, const crd_i_column *column, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    if (frame_has_nul(name)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the column name '%s' has a NUL byte", crd_i_quote(name, shown));
    }
    if (crd_i_dictionary_find(frame->names, name) >= 0) {
        crd_i_fail(error, CRD_ERROR_COLUMN, "two columns are called '%s'", crd_i_quote(name, shown));
        crd_i_error_subject(error, name);
        return CRD_ERROR_COLUMN;
    }
    if (!crd_i_reserve(frame->context, &frame->columns, &frame->column_capacity, frame->column_count + 1,
                       sizeof *frame->columns))
        return crd_i_fail_memory(error);
    crd_text copy = crd_i_text_copy(frame->context, name);
    if (copy.bytes == NULL) return crd_i_fail_memory(error);
    /* Last, because a name cannot be removed again. */
    if (crd_i_dictionary_add(frame->names, name) < 0) {
        crd_free(frame->context, (void *)copy.bytes);
        return crd_i_fail_memory(error);
    }
    crd_i_column *added = &frame->columns[frame->column_count++];
    *added = *column;
    added->name = copy;
    frame->layout = crd_i_context_serial(frame->context);
    return CRD_OK;
}

/* Fails because of a cell of a column that is not from a file. The message contains the row. */
static crd_status frame_fail_at_row(crd_error *error, crd_status status, crd_text name, size_t row,
                                    const char *description) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "row %zu of column '%s' %s", row + 1, crd_i_quote(name, shown), description);
    crd_i_error_subject(error, name);
    return status;
}

/* Fails with CRD_ERROR_NUMBER and the row, from 1, if a present cell is infinite. */
static crd_status check_finite(const crd_i_column *column, crd_text name, size_t rows, crd_error *error) {
    for (size_t row = 0; row < rows; row++) {
        if (isinf(column->numbers[row]) && crd_i_column_present(column, row)) {
            return frame_fail_at_row(error, CRD_ERROR_NUMBER, name, row, "is infinite: numbers must be finite");
        }
    }
    return CRD_OK;
}

crd_status crd_frame_add_numbers(crd_frame *frame, crd_text name, const double *values, const uint8_t *validity,
                                 crd_error *error) {
    if (frame == NULL || (values == NULL && frame->rows > 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame or values");
    }
    crd_i_column column = {.type = CRD_TYPE_NUMERIC, .numbers = values, .validity = validity};
    crd_status status = check_finite(&column, name, frame->rows, error);
    if (status != CRD_OK) return status;
    return crd_i_frame_add(frame, name, &column, error);
}

/* Copies a caller's dictionary. Its values must be distinct and must not contain NUL. */
static crd_status copy_dictionary(crd_frame *frame, crd_text name, const crd_text *texts, size_t count,
                                  crd_i_dictionary **out, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_dictionary *dictionary = crd_i_dictionary_create(frame->context);
    if (dictionary == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const char *fault = fault_of(texts[i]);
        if (fault != NULL) {
        } else if (crd_i_dictionary_find(dictionary, texts[i]) >= 0) {
            fault = "occurs twice in the dictionary";
        } else if (crd_i_dictionary_add(dictionary, texts[i]) < 0) {
            crd_i_dictionary_destroy(dictionary);
            return crd_i_fail_memory(error);
        }
        if (fault != NULL) {
            crd_i_dictionary_destroy(dictionary);
            crd_i_fail(error, CRD_ERROR_ARGUMENT, "the value '%s' %s", crd_i_quote(texts[i], shown), fault);
            crd_i_error_subject(error, name);
            return CRD_ERROR_ARGUMENT;
        }
    }
    *out = dictionary;
    return CRD_OK;
}

crd_status crd_frame_add_codes(crd_frame *frame, crd_text name, const int32_t *codes, const uint8_t *validity,
                               const crd_text *dictionary, size_t dictionary_size, crd_error *error) {
    if (frame == NULL || (codes == NULL && frame->rows > 0) || (dictionary == NULL && dictionary_size > 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame, codes or dictionary");
    }
    crd_i_column column = {.type = CRD_TYPE_CATEGORICAL, .codes = codes, .validity = validity, .owns_dictionary = true};
    for (size_t row = 0; row < frame->rows; row++) {
        if (codes[row] >= 0 && (size_t)codes[row] >= dictionary_size && crd_i_column_present(&column, row)) {
            return frame_fail_at_row(error, CRD_ERROR_ARGUMENT, name, row, "has a code beyond the dictionary");
        }
    }
    crd_status status = copy_dictionary(frame, name, dictionary, dictionary_size, &column.dictionary, error);
    if (status != CRD_OK) return status;
    status = crd_i_frame_add(frame, name, &column, error);
    if (status != CRD_OK) crd_i_dictionary_destroy(column.dictionary);
    return status;
}

crd_status crd_frame_add_texts(crd_frame *frame, crd_text name, const crd_text *texts, crd_error *error) {
    if (frame == NULL || (texts == NULL && frame->rows > 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame or texts");
    }
    crd_status status = CRD_OK;
    crd_i_dictionary *dictionary = crd_i_dictionary_create(frame->context);
    int32_t *codes = crd_i_alloc(frame->context, frame->rows, sizeof *codes);
    if (dictionary == NULL || codes == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    for (size_t row = 0; row < frame->rows; row++) {
        codes[row] = -1;
        if (texts[row].bytes == NULL) continue;
        const char *fault = fault_of(texts[row]);
        if (fault != NULL) {
            status = frame_fail_at_row(error, CRD_ERROR_ARGUMENT, name, row, fault);
            goto fail;
        }
        codes[row] = crd_i_dictionary_add(dictionary, texts[row]);
        if (codes[row] < 0) {
            status = crd_i_fail_memory(error);
            goto fail;
        }
    }
    crd_i_column column = {.type = CRD_TYPE_CATEGORICAL,
                           .codes = codes,
                           .dictionary = dictionary,
                           .owns_dictionary = true,
                           .owned = codes};
    status = crd_i_frame_add(frame, name, &column, error);
    if (status == CRD_OK) return CRD_OK;
fail:
    crd_free(frame->context, codes);
    crd_i_dictionary_destroy(dictionary);
    return status;
}

crd_status crd_frame_add_documents(crd_frame *frame, crd_text name, const crd_text *texts, crd_error *error) {
    if (frame == NULL || (texts == NULL && frame->rows > 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame or texts");
    }
    crd_i_column column = {.type = CRD_TYPE_TEXT, .texts = texts};
    return crd_i_frame_add(frame, name, &column, error);
}

/* ---- Some of the rows ---- */

static size_t frame_selected_row(const size_t *rows, size_t i) {
    return rows == NULL ? i : rows[i];
}

/* Copies cells of a column. Returns false if memory runs out. */
static bool frame_select_cells(crd_frame *frame, const crd_i_column *source, const size_t *rows, size_t first,
                               crd_i_column *column) {
    const size_t count = frame->rows;
    *column = (crd_i_column){.type = source->type, .dictionary = source->dictionary, .are_bags = source->are_bags};
    if (source->type == CRD_TYPE_NUMERIC) {
        double *numbers = crd_i_alloc(frame->context, count, sizeof *numbers);
        for (size_t i = 0; numbers != NULL && i < count; i++) {
            const size_t row = frame_selected_row(rows, first + i);
            numbers[i] = crd_i_column_present(source, row) ? source->numbers[row] : (double)NAN;
        }
        column->numbers = column->owned = numbers;
    } else if (source->type == CRD_TYPE_CATEGORICAL) {
        int32_t *codes = crd_i_alloc(frame->context, count, sizeof *codes);
        for (size_t i = 0; codes != NULL && i < count; i++) {
            const size_t row = frame_selected_row(rows, first + i);
            codes[i] = crd_i_column_present(source, row) ? source->codes[row] : -1;
        }
        column->codes = column->owned = codes;
    } else if (source->type == CRD_TYPE_TEXT) {
        crd_text *texts = crd_i_alloc_zeroed(frame->context, count, sizeof *texts);
        for (size_t i = 0; texts != NULL && i < count; i++) {
            const size_t row = frame_selected_row(rows, first + i);
            if (crd_i_column_present(source, row)) texts[i] = source->texts[row];
        }
        column->texts = column->owned = texts;
    }
    return column->owned != NULL || source->type == CRD_TYPE_NONE;
}

crd_status crd_i_frame_select(const crd_frame *frame, const size_t *rows, size_t first, size_t count, crd_frame **out,
                              crd_error *error) {
    crd_status status = crd_frame_create(frame->context, count, out, error);
    for (size_t i = 0; status == CRD_OK && i < frame->column_count; i++) {
        crd_i_column column;
        status = frame_select_cells(*out, &frame->columns[i], rows, first, &column)
                     ? crd_i_frame_add(*out, frame->columns[i].name, &column, error)
                     : crd_i_fail_memory(error);
        if (status != CRD_OK) crd_free(frame->context, column.owned);
    }
    if (status == CRD_OK) return CRD_OK;
    crd_frame_destroy(*out);
    *out = NULL;
    return status;
}

/* Replaces a dictionary of another frame by one of the values that occur. The other may contain a million more. */
static bool frame_own_dictionary(const crd_frame *frame, crd_i_column *column) {
    const crd_i_dictionary *values = column->dictionary;
    int32_t *codes = column->owned;
    column->dictionary = crd_i_dictionary_create(frame->context);
    column->owns_dictionary = true;
    bool done = column->dictionary != NULL;
    for (size_t i = 0; done && i < frame->rows; i++) {
        if (codes[i] < 0) continue;
        codes[i] = crd_i_dictionary_add(column->dictionary, crd_i_dictionary_text(values, (size_t)codes[i]));
        done = codes[i] >= 0;
    }
    return done;
}

static bool frame_own_texts(const crd_frame *frame, crd_i_column *column) {
    crd_text *texts = column->owned;
    size_t bytes = 0;
    for (size_t i = 0; i < frame->rows; i++) bytes += texts[i].length;
    char *end = crd_i_alloc(frame->context, bytes, 1);
    column->owned_texts = end;
    for (size_t i = 0; end != NULL && i < frame->rows; i++) {
        if (texts[i].bytes == NULL) continue;
        memcpy(end, texts[i].bytes, texts[i].length);
        texts[i].bytes = end;
        end += texts[i].length;
    }
    return end != NULL;
}

crd_status crd_i_frame_own_values(crd_frame *frame, crd_error *error) {
    for (size_t i = 0; i < frame->column_count; i++) {
        crd_i_column *column = &frame->columns[i];
        if ((column->type == CRD_TYPE_CATEGORICAL && !frame_own_dictionary(frame, column)) ||
            (column->type == CRD_TYPE_TEXT && !frame_own_texts(frame, column)))
            return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* ---- Access ---- */

size_t crd_frame_rows(const crd_frame *frame) {
    return frame->rows;
}

size_t crd_frame_column_count(const crd_frame *frame) {
    return frame->column_count;
}

crd_text crd_frame_column_name(const crd_frame *frame, size_t column) {
    return frame->columns[column].name;
}

crd_column_type crd_frame_column_type(const crd_frame *frame, size_t column) {
    return frame->columns[column].type;
}

crd_value crd_frame_value(const crd_frame *frame, size_t row, size_t column) {
    const crd_i_column *source_column = &frame->columns[column];
    crd_value value = {CRD_TYPE_NONE, 0, {NULL, 0}};
    if (!crd_i_column_present(source_column, row)) return value;
    value.type = source_column->type;
    if (source_column->type == CRD_TYPE_NUMERIC) value.number = source_column->numbers[row];
    if (source_column->type == CRD_TYPE_TEXT) value.text = source_column->texts[row];
    if (source_column->type == CRD_TYPE_CATEGORICAL) {
        value.text = crd_i_dictionary_text(source_column->dictionary, (size_t)source_column->codes[row]);
    }
    return value;
}
