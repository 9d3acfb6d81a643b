/* arrow_frame.c - a frame over a record batch of the Arrow C Data Interface. See credence/data.h.
 *
 * Doubles are borrowed where they lie; the other numbers become doubles, strings and dictionaries become codes. A
 * boolean is a category, false or true, as it is in a file. Cell i of a child is its element parent.offset + i,
 * which lies at child.offset + parent.offset + i of its buffers; a null of the parent is a null of every child. */
#include "table/arrow/arrow_abi.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/frame.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One child on its way into a column. */
typedef struct incoming {
    crd_context *context;
    const struct ArrowArray *parent, *array;
    const struct ArrowSchema *schema;
    crd_text name;
    size_t rows;
} incoming;

static bool bit_at(const void *bits, int64_t at) {
    return ((const uint8_t *)bits)[at >> 3] >> (at & 7) & 1;
}

/* The validity bits, or NULL where every element is present. */
static const uint8_t *validity_of(const struct ArrowArray *array) {
    return array->null_count == 0 || array->n_buffers < 1 ? NULL : array->buffers[0];
}

static bool is_present(const struct ArrowArray *array, int64_t element) {
    const uint8_t *validity = validity_of(array);
    return validity == NULL || bit_at(validity, array->offset + element);
}

/* The place of a row in the child's own buffers. */
static int64_t place_of(const incoming *from, size_t row) {
    return from->array->offset + from->parent->offset + (int64_t)row;
}

static bool row_is_present(const incoming *from, size_t row) {
    return is_present(from->parent, (int64_t)row) && is_present(from->array, from->parent->offset + (int64_t)row);
}

static crd_status fail_import(const incoming *from, crd_status status, crd_error *error, const char *what) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "column '%s' %s", crd_i_quote(from->name, shown), what);
    crd_i_error_subject(error, from->name);
    return status;
}

static crd_status fail_import_row(const incoming *from, size_t row, crd_status status, crd_error *error,
                                  const char *what) {
    char text[128];
    snprintf(text, sizeof text, "%s in row %zu", what, row + 1);
    return fail_import(from, status, error, text);
}

/* ---- Numbers ---- */

static bool is_integer(const char *format) {
    return format[0] != '\0' && strchr("cCsSiIlL", format[0]) != NULL && format[1] == '\0';
}

static double half_to_double(uint16_t half) {
    int exponent = half >> 10 & 31;
    int fraction = half & 1023;
    double size;
    if (exponent == 31) {
        size = fraction == 0 ? INFINITY : NAN;
    } else {
        size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    }
    return half >> 15 ? -size : size;
}

static double number_at(char format, const void *values, int64_t at) {
    switch (format) {
    case 'g': return ((const double *)values)[at];
    case 'f': return (double)((const float *)values)[at];
    case 'e': return half_to_double(((const uint16_t *)values)[at]);
    case 'c': return ((const int8_t *)values)[at];
    case 'C': return ((const uint8_t *)values)[at];
    case 's': return ((const int16_t *)values)[at];
    case 'S': return ((const uint16_t *)values)[at];
    case 'i': return ((const int32_t *)values)[at];
    case 'I': return ((const uint32_t *)values)[at];
    case 'l': return (double)((const int64_t *)values)[at];
    default: return (double)((const uint64_t *)values)[at];
    }
}

/* An index into a dictionary; negative for one that cannot be right. */
static int64_t index_at(char format, const void *values, int64_t at) {
    if (format == 'l') return ((const int64_t *)values)[at];
    if (format == 'L') {
        uint64_t index = ((const uint64_t *)values)[at];
        return index > INT64_MAX ? -1 : (int64_t)index;
    }
    return (int64_t)number_at(format, values, at);
}

static crd_status import_numbers(const incoming *from, crd_i_column *column, crd_error *error) {
    const void *values = from->array->buffers[1];
    column->kind = CRD_KIND_NUMBER;
    bool all_present = validity_of(from->array) == NULL && validity_of(from->parent) == NULL;
    int64_t begin = place_of(from, 0);
    /* Bits can be borrowed only where they begin with a byte. */
    bool can_borrow = all_present || (validity_of(from->parent) == NULL && begin % CHAR_BIT == 0);
    if (from->schema->format[0] == 'g' && can_borrow) {
        if (from->rows > 0) column->numbers = (const double *)values + begin;
        if (!all_present) column->validity = validity_of(from->array) + begin / CHAR_BIT;
    } else {
        double *numbers = crd_i_alloc(from->context, from->rows, sizeof *numbers);
        if (numbers == NULL) return crd_i_fail_memory(error);
        for (size_t row = 0; row < from->rows; row++) {
            bool present = row_is_present(from, row);
            numbers[row] = present ? number_at(from->schema->format[0], values, place_of(from, row)) : NAN;
        }
        column->numbers = column->owned = numbers;
    }
    return crd_i_column_check_finite(column, from->name, from->rows, error);
}

/* ---- Categories ---- */

/* NULL, or what is wrong with the text. */
static const char *text_at(char format, const struct ArrowArray *array, int64_t at, crd_text *text) {
    int64_t begin, end;
    if (format == 'u') {
        const int32_t *offsets = array->buffers[1];
        begin = offsets[at], end = offsets[at + 1];
    } else {
        const int64_t *offsets = array->buffers[1];
        begin = offsets[at], end = offsets[at + 1];
    }
    if (begin < 0 || end < begin) return "has offsets that run backwards";
    if (end > begin && array->buffers[2] == NULL) return "has no bytes for a text";
    text->bytes = end == begin ? "" : (const char *)array->buffers[2] + begin;
    text->length = (size_t)(end - begin);
    return NULL;
}

/* The code of the text at `at` of an array of texts, found or new. */
static crd_status add_text(const incoming *from, crd_i_dictionary *dictionary, char format,
                           const struct ArrowArray *texts, int64_t at, size_t row, int32_t *code, crd_error *error) {
    crd_text text;
    const char *wrong = text_at(format, texts, at, &text);
    if (wrong != NULL) return fail_import_row(from, row, CRD_ERROR_ARGUMENT, error, wrong);
    if (text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL) {
        return fail_import_row(from, row, CRD_ERROR_ARGUMENT, error, "has a NUL byte");
    }
    *code = crd_i_dictionary_add(dictionary, text);
    return *code < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status import_booleans(const incoming *from, crd_i_dictionary *dictionary, int32_t *codes,
                                  crd_error *error) {
    if (crd_i_dictionary_add(dictionary, crd_text_of("false")) < 0 ||
        crd_i_dictionary_add(dictionary, crd_text_of("true")) < 0) {
        return crd_i_fail_memory(error);
    }
    for (size_t row = 0; row < from->rows; row++) {
        codes[row] = -1;
        if (row_is_present(from, row)) codes[row] = bit_at(from->array->buffers[1], place_of(from, row));
    }
    return CRD_OK;
}

static crd_status import_texts(const incoming *from, crd_i_dictionary *dictionary, int32_t *codes, crd_error *error) {
    for (size_t row = 0; row < from->rows; row++) {
        codes[row] = -1;
        if (!row_is_present(from, row)) continue;
        crd_status status = add_text(from, dictionary, from->schema->format[0], from->array, place_of(from, row), row,
                                     &codes[row], error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Indices are looked up value by value, so that the dictionary gets only what occurs, and a value that stands
 * twice in it gets one code. */
static crd_status import_indices(const incoming *from, crd_i_dictionary *dictionary, int32_t *codes, crd_error *error) {
    const struct ArrowArray *values = from->array->dictionary;
    char format = from->schema->dictionary->format[0];
    for (size_t row = 0; row < from->rows; row++) {
        codes[row] = -1;
        if (!row_is_present(from, row)) continue;
        int64_t index = index_at(from->schema->format[0], from->array->buffers[1], place_of(from, row));
        if (index < 0 || index >= values->length) {
            return fail_import_row(from, row, CRD_ERROR_ARGUMENT, error, "has an index beyond its dictionary");
        }
        if (!is_present(values, index)) continue;
        crd_status status = add_text(from, dictionary, format, values, values->offset + index, row, &codes[row], error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status import_categories(const incoming *from, crd_i_column *column, crd_error *error) {
    column->kind = CRD_KIND_CATEGORY;
    column->dictionary = crd_i_dictionary_create(from->context);
    column->owns_dictionary = true;
    int32_t *codes = crd_i_alloc(from->context, from->rows, sizeof *codes);
    column->codes = column->owned = codes;
    if (column->dictionary == NULL || codes == NULL) return crd_i_fail_memory(error);
    if (from->schema->dictionary != NULL) return import_indices(from, column->dictionary, codes, error);
    if (from->schema->format[0] == 'b') return import_booleans(from, column->dictionary, codes, error);
    return import_texts(from, column->dictionary, codes, error);
}

/* ---- The batch ---- */

static bool is_one_of(const char *format, const char *letters) {
    return format[0] != '\0' && strchr(letters, format[0]) != NULL && format[1] == '\0';
}

static crd_status fail_format(const incoming *from, const char *format, const char *of, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM], text[CRD_I_QUOTED_ROOM + 64];
    snprintf(text, sizeof text, "has the Arrow format '%s'%s, which is not supported",
             crd_i_quote(crd_text_of(format), shown), of);
    return fail_import(from, CRD_ERROR_COLUMN, error, text);
}

/* Whether an array's own buffers, of which the kind has `buffers`, can be looked into up to its length: what comes from
 * outside is not taken at its word where it can be checked. Only the bytes of texts that are all empty may be left out,
 * and the bits of what is all present. */
static bool is_whole(const struct ArrowArray *array, int64_t buffers) {
    if (array->length < 0 || array->offset < 0 || array->offset >= INT64_MAX - array->length) return false;
    if (array->n_buffers < buffers || (array->n_buffers > 0 && array->buffers == NULL)) return false;
    return buffers < 2 || array->length == 0 || array->buffers[1] != NULL;
}

static crd_status check_shape(const incoming *from, int64_t buffers, crd_error *error) {
    const struct ArrowArray *array = from->array, *parent = from->parent;
    if (array->length < parent->length || array->length - parent->length < parent->offset) {
        return fail_import(from, CRD_ERROR_ARGUMENT, error, "is shorter than the batch");
    }
    return is_whole(array, buffers) ? CRD_OK : fail_import(from, CRD_ERROR_ARGUMENT, error, "lacks buffers");
}

static crd_status import_column(const incoming *from, crd_i_column *column, crd_error *error) {
    const char *format = from->schema->format;
    if (format == NULL) return fail_import(from, CRD_ERROR_ARGUMENT, error, "has no format");
    if (from->schema->dictionary != NULL) {
        const char *values = from->schema->dictionary->format;
        if (!is_integer(format)) return fail_format(from, format, " as an index", error);
        if (values == NULL || !is_one_of(values, "uU")) {
            return fail_format(from, values == NULL ? "" : values, " in a dictionary", error);
        }
        const struct ArrowArray *array = from->array->dictionary;
        if (array == NULL || !is_whole(array, 3)) {
            return fail_import(from, CRD_ERROR_ARGUMENT, error, "has no dictionary");
        }
        crd_status status = check_shape(from, 2, error);
        return status == CRD_OK ? import_categories(from, column, error) : status;
    }
    if (is_one_of(format, "n")) return check_shape(from, 0, error);
    bool is_text = is_one_of(format, "uU");
    if (!is_text && !is_one_of(format, "bgfe") && !is_integer(format)) return fail_format(from, format, "", error);
    crd_status status = check_shape(from, is_text ? 3 : 2, error);
    if (status != CRD_OK) return status;
    if (is_text || format[0] == 'b') return import_categories(from, column, error);
    return import_numbers(from, column, error);
}

static crd_status import_child(crd_frame *frame, const struct ArrowArray *parent, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, crd_error *error) {
    char numbered[24];
    incoming from = {frame->context, parent, array, schema, crd_text_of(schema->name), frame->rows};
    if (from.name.length == 0) {
        from.name.length = (size_t)snprintf(numbered, sizeof numbered, "c%zu", frame->column_count + 1);
        from.name.bytes = numbered;
    }
    crd_i_column column = {.kind = CRD_KIND_NONE};
    crd_status status = import_column(&from, &column, error);
    if (status == CRD_OK) status = crd_i_frame_add(frame, from.name, &column, error);
    if (status != CRD_OK) {
        crd_i_dictionary_destroy(column.dictionary);
        crd_free(frame->context, column.owned);
    }
    return status;
}

static crd_status check_batch(const struct ArrowSchema *schema, const struct ArrowArray *array, crd_error *error) {
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow format is '%s' where a struct, '+s', is expected",
                          crd_i_quote(crd_text_of(schema->format), shown));
    }
    if (array->n_children != schema->n_children) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array has %lld children where its schema has %lld",
                          (long long)array->n_children, (long long)schema->n_children);
    }
    bool has_children = array->n_children == 0 || (schema->children != NULL && array->children != NULL);
    if (array->n_children < 0 || !has_children || !is_whole(array, 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array lacks buffers or children");
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        if (schema->children[i] != NULL && array->children[i] != NULL) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "child %lld of the Arrow array is not there", (long long)i + 1);
    }
    return CRD_OK;
}

crd_status crd_frame_borrow_arrow(crd_context *context, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, crd_frame **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "no place for the frame");
    *out = NULL;
    if (context == NULL || schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "no context, or an Arrow schema or array that is released");
    }
    crd_status status = check_batch(schema, array, error);
    if (status != CRD_OK) return status;
    crd_frame *frame = NULL;
    status = crd_frame_create(context, (size_t)array->length, &frame, error);
    for (int64_t i = 0; i < array->n_children && status == CRD_OK; i++) {
        status = import_child(frame, array, schema->children[i], array->children[i], error);
    }
    if (status != CRD_OK) {
        crd_frame_destroy(frame);
        return status;
    }
    *out = frame;
    return CRD_OK;
}
