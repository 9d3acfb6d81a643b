/* SPDX-License-Identifier: MIT */
/* arrow_column.c - see arrow_column.h.
 *
 * Doubles are borrowed where they lie, with their validity where that begins with a byte. All other numbers become
 * doubles with NaN for what is missing; texts become codes of the room's dictionary. */
#include "table/arrow/arrow_column.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* rows between two looks at whether all is cancelled */

static bool is_cancelled(const crd_i_conversion *conversion, size_t row) {
    return row % BLOCK == 0 && crd_i_context_cancelled(conversion->context);
}

static crd_status fail_cancelled(crd_i_cell_fault *fault) {
    return crd_i_cell_fail(fault, CRD_ERROR_CANCELLED, SIZE_MAX, "cancelled");
}

static crd_status arrow_column_fail_infinite(crd_i_cell_fault *fault, size_t row) {
    return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is infinite: numbers must be finite");
}

/* ---- Numbers ---- */

/* Copies the validity bits of the rows, of the child and of the parent, so that they begin at a byte. */
static crd_status copy_bits(const crd_i_arrow_column *column, size_t first, size_t rows,
                            const crd_i_conversion *conversion, crd_i_column_room *workspace, crd_i_cell_fault *fault) {
    size_t bytes = rows / CHAR_BIT + 1;
    if (!crd_i_reserve(conversion->context, &workspace->bits, &workspace->bits_capacity, bytes, 1))
        return crd_i_cell_fail_memory(fault);
    memset(workspace->bits, 0, bytes);
    for (size_t row = 0; row < rows; row++) {
        bool is_present = crd_i_arrow_present(column->parent, (int64_t)(first + row)) &&
                          crd_i_arrow_present(column->array, column->parent->offset + (int64_t)(first + row));
        workspace->bits[row / CHAR_BIT] = (uint8_t)(workspace->bits[row / CHAR_BIT] | is_present << row % CHAR_BIT);
    }
    return CRD_OK;
}

static crd_status borrow_doubles(const crd_i_arrow_column *column, size_t first, size_t rows,
                                 const crd_i_conversion *conversion, crd_i_column_room *workspace, crd_i_column *into,
                                 crd_i_cell_fault *fault) {
    const uint8_t *own = crd_i_arrow_validity(column->array), *of_parent = crd_i_arrow_validity(column->parent);
    int64_t begin = column->array->offset + column->parent->offset + (int64_t)first;
    into->numbers = rows == 0 ? NULL : (const double *)column->array->buffers[1] + begin;
    if (rows > 0 && own != NULL && of_parent == NULL && begin % CHAR_BIT == 0) {
        into->validity = own + begin / CHAR_BIT;
    } else if (rows > 0 && (own != NULL || of_parent != NULL)) {
        crd_status status = copy_bits(column, first, rows, conversion, workspace, fault);
        if (status != CRD_OK) return status;
        into->validity = workspace->bits;
    }
    if (is_cancelled(conversion, 0)) return fail_cancelled(fault);
    const bool is_infinite = crd_i_has_infinity(into->numbers, rows);
    for (size_t row = 0; is_infinite && row < rows; row++)
        if (isinf(into->numbers[row]) && crd_i_column_present(into, row)) return arrow_column_fail_infinite(fault, row);
    return CRD_OK;
}

/* Copies consecutive elements that are all present. */
static void arrow_column_copy_plain(char letter, const void *values, int64_t begin, size_t rows, double *destination) {
    int64_t count = (int64_t)rows;
    /* The types of most tables, without a branch per cell. */
    if (letter == 'f')
        for (int64_t i = 0; i < count; i++) destination[i] = (double)((const float *)values)[begin + i];
    else if (letter == 'i')
        for (int64_t i = 0; i < count; i++) destination[i] = ((const int32_t *)values)[begin + i];
    else if (letter == 'l')
        for (int64_t i = 0; i < count; i++) destination[i] = (double)((const int64_t *)values)[begin + i];
    else
        for (int64_t i = 0; i < count; i++) destination[i] = crd_i_arrow_number_at(letter, values, begin + i);
}

static crd_status convert_cells(const crd_i_arrow_column *column, size_t first, size_t rows,
                                const crd_i_conversion *conversion, double *destination, crd_i_cell_fault *fault) {
    int64_t run = 0;
    for (size_t row = 0; row < rows; row++) {
        crd_i_arrow_cell cell;
        crd_number_class class = CRD_NUMBER_FINITE;
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        destination[row] = NAN;
        const char *wrong = crd_i_arrow_locate(column, first + row, &run, &cell);
        if (wrong == NULL && cell.array != NULL)
            wrong = crd_i_arrow_cell_number(&column->type, cell, &destination[row], &class);
        if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
        if (class != CRD_NUMBER_NONE) continue;
        crd_text text;
        char buffer[CRD_NUMBER_ROOM];
        destination[row] = NAN;
        if (crd_i_arrow_cell_text(&column->type, cell, buffer, &text) != NULL || conversion->missing == NULL ||
            !crd_i_missing_has(conversion->missing, text, false))
            return crd_i_cell_fail(fault, CRD_ERROR_NUMBER, row, "is a text that is not a number");
    }
    return CRD_OK;
}

static crd_status convert_numbers(const crd_i_arrow_column *column, size_t first, size_t rows,
                                  const crd_i_conversion *conversion, crd_i_column_room *room, crd_i_column *into,
                                  crd_i_cell_fault *fault) {
    const crd_i_arrow_type *type = &column->type;
    bool is_plain = type->layout == CRD_I_ARROW_NUMBER && type->divisor == 1 && !type->is_indexed && !type->is_run_end;
    into->kind = CRD_KIND_NUMBER;
    if (is_plain && type->letter == 'g') return borrow_doubles(column, first, rows, conversion, room, into, fault);
    if (!crd_i_reserve(conversion->context, &room->numbers, &room->numbers_capacity, rows, sizeof *room->numbers))
        return crd_i_cell_fail_memory(fault);
    into->numbers = room->numbers;
    crd_status status = CRD_OK;
    if (is_plain && rows > 0 && crd_i_arrow_validity(column->array) == NULL &&
        crd_i_arrow_validity(column->parent) == NULL) {
        int64_t begin = column->array->offset + column->parent->offset + (int64_t)first;
        arrow_column_copy_plain(type->letter, column->array->buffers[1], begin, rows, room->numbers);
    } else {
        status = convert_cells(column, first, rows, conversion, room->numbers, fault);
    }
    bool is_infinite = status == CRD_OK && crd_i_has_infinity(room->numbers, rows);
    for (size_t row = 0; is_infinite && status == CRD_OK && row < rows; row++)
        if (isinf(room->numbers[row])) status = arrow_column_fail_infinite(fault, row);
    return status;
}

/* ---- Categories ---- */

/* Finds or adds the text of a cell; *code is the code for missing if the text means missing. */
static crd_status arrow_column_add_cell(const crd_i_arrow_column *column, crd_i_arrow_cell cell,
                                        const crd_i_conversion *conversion, crd_i_dictionary *dictionary, size_t row,
                                        int32_t *code, crd_i_cell_fault *fault) {
    char buffer[CRD_NUMBER_ROOM];
    crd_text text;
    *code = CRD_I_MAP_MISSING;
    if (cell.array == NULL) return CRD_OK;
    const crd_i_arrow_type *type = &column->type;
    if (type->layout == CRD_I_ARROW_NUMBER && (type->letter == 'g' || type->letter == 'f' || type->letter == 'e')) {
        double number = crd_i_arrow_number_at(type->letter, cell.array->buffers[1], cell.index);
        if (isnan(number)) return CRD_OK;
        if (isinf(number)) return arrow_column_fail_infinite(fault, row);
    }
    const char *wrong = crd_i_arrow_cell_text(type, cell, buffer, &text);
    if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
    if (type->layout == CRD_I_ARROW_BOOLEAN) text = crd_i_truth_word(conversion->truth, text.bytes[0] == 't');
    return crd_i_conversion_code(conversion, dictionary, text, row, code, fault);
}

/* A cache of codes of texts, indexed by hash, so the few texts of a column are not checked and looked up again for
 * each row. A text of at most 16 bytes is represented by its length, its first word and its last word, which may
 * overlap. */
enum { KNOWN_BITS = 9, KNOWN_TEXTS = 1 << KNOWN_BITS };

typedef struct known_text {
    uint64_t first, last;
    crd_text text; /* bytes NULL: none */
    int32_t code;
} known_text;

static uint64_t arrow_column_word(const char *bytes, size_t length) {
    uint64_t word = 0;
    uint32_t half;
    if (length == sizeof word) {
        memcpy(&word, bytes, sizeof word);
        return word;
    }
    memcpy(&half, bytes, sizeof half);
    return half;
}

/* Returns the entry that contains a text, or that can store it; *is_known: it contains the text. */
static known_text *arrow_column_find_known(known_text *known, crd_text text, bool *is_known) {
    uint64_t first = 0, last = 0;
    const size_t length = text.length, width = length >= 8 ? 8 : 4;
    if (length >= width) {
        first = arrow_column_word(text.bytes, width);
        last = arrow_column_word(text.bytes + length - width, width);
    } else {
        for (size_t i = 0; i < length; i++) first = first << CHAR_BIT | (unsigned char)text.bytes[i];
    }
    const uint64_t hash = (first + length) * UINT64_C(0x9E3779B97F4A7C15) ^ last * UINT64_C(0xC2B2AE3D27D4EB4F);
    known_text *entry = &known[(hash ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - KNOWN_BITS)];
    *is_known = entry->text.bytes != NULL && entry->text.length == length && entry->first == first &&
                entry->last == last && (length <= 16 || memcmp(entry->text.bytes, text.bytes, length) == 0);
    entry->first = first;
    entry->last = last;
    return entry;
}

/* Adds a cell like arrow_column_add_cell, using the cache; for types whose cells are stored as texts. */
static crd_status arrow_column_add_known(const crd_i_arrow_column *column, crd_i_arrow_cell cell,
                                         const crd_i_conversion *conversion, crd_i_dictionary *dictionary,
                                         known_text *known, size_t row, int32_t *code, crd_i_cell_fault *fault) {
    bool is_known = false;
    crd_text text = {NULL, 0};
    const char *wrong = cell.array == NULL ? NULL : crd_i_arrow_cell_bytes(&column->type, cell, &text);
    if (wrong != NULL || text.length == 0)
        return arrow_column_add_cell(column, cell, conversion, dictionary, row, code, fault);
    known_text *entry = arrow_column_find_known(known, text, &is_known);
    if (!is_known) {
        entry->text.bytes = NULL;
        crd_status status = arrow_column_add_cell(column, cell, conversion, dictionary, row, &entry->code, fault);
        if (status != CRD_OK) return status;
        entry->text = text;
    }
    *code = entry->code;
    return CRD_OK;
}

static crd_status arrow_column_convert_texts(const crd_i_arrow_column *column, size_t first, size_t rows,
                                             const crd_i_conversion *conversion, crd_i_dictionary *dictionary,
                                             int32_t *codes, crd_i_cell_fault *fault) {
    int64_t run = 0;
    crd_i_arrow_cell before = {NULL, 0};
    known_text known[KNOWN_TEXTS];
    const bool has_texts = column->type.layout != CRD_I_ARROW_NUMBER && column->type.layout != CRD_I_ARROW_DECIMAL;
    for (size_t i = 0; i < KNOWN_TEXTS; i++) known[i].text.bytes = NULL;
    for (size_t row = 0; row < rows; row++) {
        crd_i_arrow_cell cell;
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        const char *wrong = crd_i_arrow_locate(column, first + row, &run, &cell);
        if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
        /* All rows of a run have the same cell. */
        if (row > 0 && cell.array == before.array && cell.index == before.index) {
            codes[row] = codes[row - 1];
            continue;
        }
        crd_status status =
            has_texts ? arrow_column_add_known(column, cell, conversion, dictionary, known, row, &codes[row], fault)
                      : arrow_column_add_cell(column, cell, conversion, dictionary, row, &codes[row], fault);
        if (status != CRD_OK) return status;
        before = cell;
    }
    return CRD_OK;
}

/* Translates indices value by value, so the dictionary receives only values that occur, and duplicate values get one
 * code. */
static crd_status convert_indices(const crd_i_arrow_column *column, uint64_t batch, size_t first, size_t rows,
                                  const crd_i_conversion *conversion, crd_i_column_room *workspace, int32_t *codes,
                                  crd_i_cell_fault *fault) {
    const struct ArrowArray *array = column->array, *parent = column->parent, *values = array->dictionary;
    if (!crd_i_column_room_map(conversion->context, workspace, batch, (size_t)values->length))
        return crd_i_cell_fail_memory(fault);
    for (size_t row = 0; row < rows; row++) {
        int64_t element = parent->offset + (int64_t)(first + row);
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        codes[row] = CRD_I_MAP_MISSING;
        if (!crd_i_arrow_present(parent, (int64_t)(first + row)) || !crd_i_arrow_present(array, element)) continue;
        int64_t index = crd_i_arrow_integer_at(column->type.index_letter, array->buffers[1], array->offset + element);
        if (index < 0 || index >= values->length)
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, "has an index beyond its dictionary");
        int32_t *code = &workspace->map[index];
        if (*code == CRD_I_MAP_UNKNOWN) {
            int32_t found;
            crd_status status = arrow_column_add_cell(column, crd_i_arrow_dictionary_cell(values, index), conversion,
                                                      workspace->dictionary, row, &found, fault);
            if (status != CRD_OK) return status;
            *code = found;
        }
        codes[row] = *code;
    }
    return CRD_OK;
}

crd_status crd_i_arrow_add_dictionary(const crd_i_arrow_column *column, const crd_i_conversion *conversion,
                                      crd_i_dictionary *target_dictionary, crd_i_cell_fault *fault) {
    const struct ArrowArray *array = column->type.is_run_end ? column->array->children[1] : column->array;
    const struct ArrowArray *values = array->dictionary;
    for (int64_t i = 0; i < values->length; i++) {
        int32_t code;
        if (is_cancelled(conversion, (size_t)i)) return fail_cancelled(fault);
        crd_status status = arrow_column_add_cell(column, crd_i_arrow_dictionary_cell(values, i), conversion,
                                                  target_dictionary, SIZE_MAX, &code, fault);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status convert_categories(const crd_i_arrow_column *column, uint64_t batch, size_t first, size_t rows,
                                     const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                     crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_arrow_type *type = &column->type;
    into->kind = CRD_KIND_CATEGORY;
    into->dictionary = workspace->dictionary;
    if (!crd_i_reserve(conversion->context, &workspace->numbers, &workspace->numbers_capacity, rows / 2 + 1,
                       sizeof *workspace->numbers))
        return crd_i_cell_fail_memory(fault);
    int32_t *codes = (int32_t *)(void *)workspace->numbers;
    into->codes = codes;
    if (type->layout == CRD_I_ARROW_BOOLEAN &&
        (crd_i_dictionary_add(workspace->dictionary, crd_i_truth_word(conversion->truth, false)) < 0 ||
         crd_i_dictionary_add(workspace->dictionary, crd_i_truth_word(conversion->truth, true)) < 0))
        return crd_i_cell_fail_memory(fault);
    if (type->is_indexed && !type->is_run_end && column->array->dictionary->length <= INT32_MAX)
        return convert_indices(column, batch, first, rows, conversion, workspace, codes, fault);
    return arrow_column_convert_texts(column, first, rows, conversion, workspace->dictionary, codes, fault);
}

/* ---- Documents ---- */

/* Borrows texts in place. An empty text is missing, and so is a NaN. */
static crd_status convert_documents(const crd_i_arrow_column *column, size_t first, size_t rows,
                                    const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                    crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_text none = {NULL, 0};
    bool has_numbers = column->type.layout == CRD_I_ARROW_NUMBER || column->type.layout == CRD_I_ARROW_DECIMAL;
    if (!crd_i_column_room_texts(conversion->context, workspace, rows, has_numbers))
        return crd_i_cell_fail_memory(fault);
    into->kind = CRD_KIND_TEXT;
    into->texts = workspace->texts;
    int64_t run = 0;
    for (size_t row = 0; row < rows; row++) {
        crd_i_arrow_cell cell;
        crd_text text = none;
        char *written = has_numbers ? workspace->written + row * CRD_NUMBER_ROOM : NULL;
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        const char *wrong = crd_i_arrow_locate(column, first + row, &run, &cell);
        if (wrong == NULL && cell.array != NULL) wrong = crd_i_arrow_cell_text(&column->type, cell, written, &text);
        if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
        workspace->texts[row] = text.length > 0 ? text : none;
    }
    return CRD_OK;
}

crd_status crd_i_arrow_convert(const crd_i_arrow_column *column, uint64_t batch, crd_kind kind, size_t first,
                               size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                               crd_i_column *into, crd_i_cell_fault *fault) {
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = NULL;
    into->texts = NULL;
    into->dictionary = NULL;
    into->kind = CRD_KIND_NONE;
    if (column->type.layout == CRD_I_ARROW_NULL) return CRD_OK;
    if (column->type.foreign != NULL) {
        char what[sizeof fault->what];
        snprintf(what, sizeof what,
                 "is %s (Arrow format '%s'), neither a number nor a category: ignore it, or convert it to columns of "
                 "numbers or texts",
                 column->type.foreign, column->type.format);
        return crd_i_cell_fail(fault, CRD_ERROR_COLUMN, SIZE_MAX, what);
    }
    if (kind == CRD_KIND_NUMBER) return convert_numbers(column, first, rows, conversion, workspace, into, fault);
    if (kind == CRD_KIND_TEXT) return convert_documents(column, first, rows, conversion, workspace, into, fault);
    return convert_categories(column, batch, first, rows, conversion, workspace, into, fault);
}
