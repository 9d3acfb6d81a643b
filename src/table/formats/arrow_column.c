/* SPDX-License-Identifier: MIT */
/* arrow_column.c - converts columns of Arrow record batches to the buffers that a frame borrows. See arrow_column.h.
 *
 * Doubles are borrowed in place, and so is their validity if it begins with a byte. All other numbers are converted
 * to doubles, with NaN for missing values. Texts become codes of the workspace's dictionary.
 *
 * Contents:
 *   1. Cells
 *   2. Column conversion
 *   3. Format strings */
#include "table/formats/arrow_column.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "table/values/column_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Cells ======== */

/* ---- Numbers ---- */

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

/* Returns a number whose format is one of the letters "cCsSiIlLefg". */
static double arrow_number_at(char letter, const void *values, int64_t index) {
    switch (letter) {
    case 'g': return ((const double *)values)[index];
    case 'f': return (double)((const float *)values)[index];
    case 'e': return half_to_double(((const uint16_t *)values)[index]);
    case 'c': return ((const int8_t *)values)[index];
    case 'C': return ((const uint8_t *)values)[index];
    case 's': return ((const int16_t *)values)[index];
    case 'S': return ((const uint16_t *)values)[index];
    case 'i': return ((const int32_t *)values)[index];
    case 'I': return ((const uint32_t *)values)[index];
    case 'l': return (double)((const int64_t *)values)[index];
    default: return (double)((const uint64_t *)values)[index];
    }
}

/* Returns an integer whose format is one of the letters "cCsSiIlL"; negative if it is above INT64_MAX. */
static int64_t arrow_integer_at(char letter, const void *values, int64_t index) {
    if (letter == 'l') return ((const int64_t *)values)[index];
    if (letter == 'L') {
        uint64_t integer = ((const uint64_t *)values)[index];
        return integer > INT64_MAX ? -1 : (int64_t)integer;
    }
    return (int64_t)arrow_number_at(letter, values, index);
}

/* Divides in whole units and a remainder, because more than 2^53 nanoseconds do not fit into a double. */
static double arrow_cell_divided(const crd_i_arrow_type *type, const void *values, int64_t index) {
    if (type->divisor == 1) return arrow_number_at(type->letter, values, index);
    int64_t divisor = (int64_t)type->divisor, all = arrow_integer_at(type->letter, values, index);
    return (double)(all / divisor) + (double)(all % divisor) / type->divisor;
}

/* Writes the digits of a signed integer of `width` bytes, with the exponent of its scale. */
static size_t write_decimal(const unsigned char *bytes, size_t width, int scale, char *out, size_t capacity) {
    enum { MOST_LIMBS = 8, GROUPS = 9 }; /* 2^255 has 77 digits, in groups of nine */
    uint32_t limbs[MOST_LIMBS], groups[GROUPS];
    size_t count = width / sizeof limbs[0], group_count = 0;
    memcpy(limbs, bytes, width);
    bool is_negative = limbs[count - 1] >> 31;
    for (size_t i = 0, carry = 1; is_negative && i < count; i++) {
        limbs[i] = ~limbs[i] + (uint32_t)carry;
        carry = carry && limbs[i] == 0;
    }
    for (bool is_zero = false; !is_zero && group_count < GROUPS;) {
        uint64_t remainder = 0;
        is_zero = true;
        for (size_t i = count; i-- > 0;) {
            uint64_t part = remainder << 32 | limbs[i];
            limbs[i] = (uint32_t)(part / 1000000000);
            remainder = part % 1000000000;
            is_zero = is_zero && limbs[i] == 0;
        }
        groups[group_count++] = (uint32_t)remainder;
    }
    size_t used = (size_t)snprintf(out, capacity, "%s%u", is_negative ? "-" : "", groups[group_count - 1]);
    for (size_t i = group_count - 1; i-- > 0;) used += (size_t)snprintf(out + used, capacity - used, "%09u", groups[i]);
    return used + (size_t)snprintf(out + used, capacity - used, "e%d", -scale);
}

static double decimal_at(const crd_i_arrow_type *type, const void *values, int64_t index) {
    char text[128];
    double number = 0;
    size_t length = write_decimal((const unsigned char *)values + (size_t)index * type->width, type->width, type->scale,
                                  text, sizeof text);
    (void)crd_number_parse((crd_text){text, length}, &number);
    return number;
}

/* ---- Texts ---- */

static const char *offset_text(const crd_i_arrow_type *type, crd_i_arrow_cell cell, crd_text *text) {
    const void *offsets = cell.array->buffers[1];
    char letter = type->width == 4 ? 'i' : 'l';
    int64_t begin = arrow_integer_at(letter, offsets, cell.index);
    int64_t end = arrow_integer_at(letter, offsets, cell.index + 1);
    if (begin < 0 || end < begin) return "has decreasing offsets";
    if (end > begin && cell.array->buffers[2] == NULL) return "has no buffer for its text";
    text->bytes = end == begin ? "" : (const char *)cell.array->buffers[2] + begin;
    text->length = (size_t)(end - begin);
    return NULL;
}

/* Reads a view: its length, then up to 12 bytes, or the first four bytes, a buffer number and an offset. The last
 * buffer contains the lengths of the buffers between. */
static const char *view_text(crd_i_arrow_cell cell, crd_text *text) {
    enum { VIEW = 16, INLINED = 12, AT_BUFFER = 8, AT_OFFSET = 12, FIRST = 2 };
    const struct ArrowArray *array = cell.array;
    const char *view = (const char *)array->buffers[1] + cell.index * VIEW;
    int32_t length, buffer, offset;
    memcpy(&length, view, sizeof length);
    memcpy(&buffer, view + AT_BUFFER, sizeof buffer);
    memcpy(&offset, view + AT_OFFSET, sizeof offset);
    if (length < 0) return "has a view of a negative length";
    text->length = (size_t)length;
    text->bytes = view + sizeof length;
    if (length <= INLINED) return NULL;
    int64_t buffers = array->n_buffers - FIRST - 1;
    const int64_t *lengths = array->buffers[array->n_buffers - 1];
    if (buffer < 0 || buffer >= buffers || lengths == NULL || array->buffers[FIRST + buffer] == NULL || offset < 0 ||
        offset > lengths[buffer] - length)
        return "has a view beyond its buffers";
    text->bytes = (const char *)array->buffers[FIRST + buffer] + offset;
    return NULL;
}

/* Reads a present cell of a text or boolean type without copying it. The text may contain a NUL byte. */
static const char *arrow_cell_bytes(const crd_i_arrow_type *type, crd_i_arrow_cell cell, crd_text *text) {
    if (type->layout == CRD_I_ARROW_BOOLEAN) {
        *text = crd_text_of(crd_i_arrow_bit(cell.array->buffers[1], cell.index) ? "true" : "false");
        return NULL;
    }
    if (type->layout == CRD_I_ARROW_TEXT) return offset_text(type, cell, text);
    if (type->layout == CRD_I_ARROW_VIEW) return view_text(cell, text);
    text->bytes = (const char *)cell.array->buffers[1] + (size_t)cell.index * type->width;
    text->length = type->width;
    return NULL;
}

/* ---- Cells ---- */

/* Returns the value of a dictionary element. */
static crd_i_arrow_cell arrow_dictionary_cell(const struct ArrowArray *dictionary, int64_t element) {
    crd_i_arrow_cell cell = {dictionary, dictionary->offset + element};
    if (crd_i_arrow_present(dictionary, element)) return cell;
    cell.array = NULL;
    cell.index = 0;
    return cell;
}

/* Finds the run of logical element `index`: the first that ends after it, starting at *run if possible. */
static const char *find_run(const crd_i_arrow_column *column, int64_t index, int64_t *run) {
    const struct ArrowArray *ends = column->array->children[0];
    const void *values = ends->buffers[1];
    char letter = column->type.run_letter;
    int64_t low = *run, high = ends->length;
    if (low > 0 && arrow_integer_at(letter, values, ends->offset + low - 1) > index) low = 0;
    if (low < high && arrow_integer_at(letter, values, ends->offset + low) > index) {
        high = low;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (arrow_integer_at(letter, values, ends->offset + middle) > index) high = middle;
        else low = middle + 1;
    }
    *run = low;
    return low < ends->length ? NULL : "is after the end of its last run";
}

/* Finds the cell of a row. *run is the run at which the search begins, initially 0, and is updated. Returns NULL, or
 * an error message. */
static const char *arrow_locate(const crd_i_arrow_column *column, size_t row, int64_t *run, crd_i_arrow_cell *out) {
    const struct ArrowArray *array = column->array, *parent = column->parent;
    const crd_i_arrow_type *type = &column->type;
    int64_t element = parent->offset + (int64_t)row;
    out->array = NULL;
    out->index = 0;
    if (!crd_i_arrow_present(parent, (int64_t)row) || type->layout == CRD_I_ARROW_NULL) return NULL;
    if (type->is_run_end) {
        const char *wrong = find_run(column, array->offset + element, run);
        if (wrong != NULL) return wrong;
        array = array->children[1];
        element = *run;
    }
    if (!crd_i_arrow_present(array, element)) return NULL;
    if (type->is_indexed) {
        int64_t index = arrow_integer_at(type->index_letter, array->buffers[1], array->offset + element);
        if (index < 0 || index >= array->dictionary->length) return "has an index beyond its dictionary";
        *out = arrow_dictionary_cell(array->dictionary, index);
        return NULL;
    }
    out->array = array;
    out->index = array->offset + element;
    return NULL;
}

/* Reads a present cell as a number. Returns NULL, or an error message. *found is CRD_NUMBER_NONE for a text that is
 * not a number. */
static const char *arrow_cell_number(const crd_i_arrow_type *type, crd_i_arrow_cell cell, double *number,
                                     crd_number_class *class) {
    const void *values = cell.array->buffers[1];
    *class = CRD_NUMBER_FINITE;
    if (type->layout == CRD_I_ARROW_BOOLEAN) {
        *number = crd_i_arrow_bit(values, cell.index);
    } else if (type->layout == CRD_I_ARROW_NUMBER) {
        *number = arrow_cell_divided(type, values, cell.index);
    } else if (type->layout == CRD_I_ARROW_DECIMAL) {
        *number = decimal_at(type, values, cell.index);
    } else {
        crd_text text;
        const char *wrong = arrow_cell_bytes(type, cell, &text);
        if (wrong != NULL) return wrong;
        *class = crd_number_parse(text, number);
    }
    return NULL;
}

/* ---- Dates and times as texts ---- */

/* Writes a fraction of a second without trailing zeros. */
static size_t write_fraction(int64_t units, int64_t units_a_second, char *out, size_t capacity) {
    if (units == 0) return 0;
    int digits = 0;
    for (int64_t ten = 1; ten < units_a_second; ten *= 10) digits++;
    for (; units % 10 == 0; units /= 10) digits--;
    return (size_t)snprintf(out, capacity, ".%0*lld", digits, (long long)units);
}

/* Writes dates and times in ISO 8601, as in files: 2024-02-29, 12:30:05.5, 2024-02-29T12:30:05. A timestamp at
 * midnight is written as a date, because tables without a date type use it for dates. 0: no such day in the
 * calendar. */
static size_t write_clock(const crd_i_arrow_type *type, const void *values, int64_t index, char *out, size_t capacity) {
    enum { SECONDS_A_DAY = 86400, MOST_DAYS = 10000 * 366 };
    const bool is_date = type->clock == CRD_I_ARROW_DATE;
    const int64_t unit = (int64_t)type->divisor, day = is_date ? unit : SECONDS_A_DAY * unit;
    const int64_t all = arrow_integer_at(type->letter, values, index);
    const int64_t remainder = (all % day + day) % day, days = all / day - (all % day < 0), seconds = remainder / unit;
    crd_i_moment moment;
    size_t used = 0;
    if (type->clock != CRD_I_ARROW_TIME) {
        if (days < -MOST_DAYS || days > MOST_DAYS || !crd_i_moment_of_days(days, 0, false, &moment)) return 0;
        used = (size_t)snprintf(out, capacity, "%04d-%02d-%02d", moment.year, moment.month, moment.day);
        if (is_date || remainder == 0) return used;
        out[used++] = 'T';
    } else if (days != 0) {
        return 0;
    }
    used += (size_t)snprintf(out + used, capacity - used, "%02d:%02d:%02d", (int)(seconds / 3600),
                             (int)(seconds / 60 % 60), (int)(seconds % 60));
    return used + write_fraction(remainder % unit, unit, out + used, capacity - used);
}

/* Reads a present cell as a text. `room` is used for formatted values. Integers keep all their digits. */
static const char *arrow_cell_text(const crd_i_arrow_type *type, crd_i_arrow_cell cell, char buffer[CRD_NUMBER_ROOM],
                                   crd_text *text) {
    const void *values = cell.array->buffers[1];
    text->bytes = buffer;
    text->length = 0;
    if (type->clock != CRD_I_ARROW_NO_CLOCK)
        text->length = write_clock(type, values, cell.index, buffer, CRD_NUMBER_ROOM);
    if (text->length > 0) return NULL;
    if (type->layout == CRD_I_ARROW_NUMBER && type->letter == 'L') {
        text->length = (size_t)snprintf(buffer, CRD_NUMBER_ROOM, "%llu",
                                        (unsigned long long)((const uint64_t *)values)[cell.index]);
    } else if (type->layout == CRD_I_ARROW_NUMBER && type->letter == 'l' && type->divisor == 1) {
        text->length =
            (size_t)snprintf(buffer, CRD_NUMBER_ROOM, "%lld", (long long)((const int64_t *)values)[cell.index]);
    } else if (type->layout == CRD_I_ARROW_NUMBER) {
        text->length = crd_number_format(arrow_cell_divided(type, values, cell.index), buffer);
    } else if (type->layout == CRD_I_ARROW_DECIMAL) {
        text->length = crd_number_format(decimal_at(type, values, cell.index), buffer);
    } else {
        const char *wrong = arrow_cell_bytes(type, cell, text);
        if (wrong != NULL) return wrong;
        if (text->length > 0 && memchr(text->bytes, '\0', text->length) != NULL) return "has a NUL byte";
    }
    return NULL;
}

/* ======== 2. Column conversion ======== */

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
        for (int64_t i = 0; i < count; i++) destination[i] = arrow_number_at(letter, values, begin + i);
}

static crd_status convert_cells(const crd_i_arrow_column *column, size_t first, size_t rows,
                                const crd_i_conversion *conversion, double *destination, crd_i_cell_fault *fault) {
    int64_t run = 0;
    for (size_t row = 0; row < rows; row++) {
        crd_i_arrow_cell cell;
        crd_number_class class = CRD_NUMBER_FINITE;
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        destination[row] = NAN;
        const char *wrong = arrow_locate(column, first + row, &run, &cell);
        if (wrong == NULL && cell.array != NULL)
            wrong = arrow_cell_number(&column->type, cell, &destination[row], &class);
        if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
        if (class != CRD_NUMBER_NONE) continue;
        crd_text text;
        char buffer[CRD_NUMBER_ROOM];
        destination[row] = NAN;
        if (arrow_cell_text(&column->type, cell, buffer, &text) != NULL || conversion->missing == NULL ||
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
    into->type = CRD_TYPE_NUMERIC;
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
        double number = arrow_number_at(type->letter, cell.array->buffers[1], cell.index);
        if (isnan(number)) return CRD_OK;
        if (isinf(number)) return arrow_column_fail_infinite(fault, row);
    }
    const char *wrong = arrow_cell_text(type, cell, buffer, &text);
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
    const char *wrong = cell.array == NULL ? NULL : arrow_cell_bytes(&column->type, cell, &text);
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
        const char *wrong = arrow_locate(column, first + row, &run, &cell);
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
        int64_t index = arrow_integer_at(column->type.index_letter, array->buffers[1], array->offset + element);
        if (index < 0 || index >= values->length)
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, "has an index beyond its dictionary");
        int32_t *code = &workspace->map[index];
        if (*code == CRD_I_MAP_UNKNOWN) {
            int32_t found;
            crd_status status = arrow_column_add_cell(column, arrow_dictionary_cell(values, index), conversion,
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
        crd_status status = arrow_column_add_cell(column, arrow_dictionary_cell(values, i), conversion,
                                                  target_dictionary, SIZE_MAX, &code, fault);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status convert_categories(const crd_i_arrow_column *column, uint64_t batch, size_t first, size_t rows,
                                     const crd_i_conversion *conversion, crd_i_column_room *workspace,
                                     crd_i_column *into, crd_i_cell_fault *fault) {
    const crd_i_arrow_type *type = &column->type;
    into->type = CRD_TYPE_CATEGORICAL;
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
    into->type = CRD_TYPE_TEXT;
    into->texts = workspace->texts;
    int64_t run = 0;
    for (size_t row = 0; row < rows; row++) {
        crd_i_arrow_cell cell;
        crd_text text = none;
        char *written = has_numbers ? workspace->written + row * CRD_NUMBER_ROOM : NULL;
        if (is_cancelled(conversion, row)) return fail_cancelled(fault);
        const char *wrong = arrow_locate(column, first + row, &run, &cell);
        if (wrong == NULL && cell.array != NULL) wrong = arrow_cell_text(&column->type, cell, written, &text);
        if (wrong != NULL) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, row, wrong);
        workspace->texts[row] = text.length > 0 ? text : none;
    }
    return CRD_OK;
}

crd_status crd_i_arrow_convert(const crd_i_arrow_column *column, uint64_t batch, crd_column_type type, size_t first,
                               size_t rows, const crd_i_conversion *conversion, crd_i_column_room *workspace,
                               crd_i_column *into, crd_i_cell_fault *fault) {
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = NULL;
    into->texts = NULL;
    into->dictionary = NULL;
    into->type = CRD_TYPE_NONE;
    if (column->type.layout == CRD_I_ARROW_NULL) return CRD_OK;
    if (column->type.foreign != NULL) {
        char what[sizeof fault->what];
        snprintf(what, sizeof what,
                 "is %s (Arrow format '%s'), neither a number nor a category: ignore it, or convert it to columns of "
                 "numbers or texts",
                 column->type.foreign, column->type.format);
        return crd_i_cell_fail(fault, CRD_ERROR_COLUMN, SIZE_MAX, what);
    }
    if (type == CRD_TYPE_NUMERIC) return convert_numbers(column, first, rows, conversion, workspace, into, fault);
    if (type == CRD_TYPE_TEXT) return convert_documents(column, first, rows, conversion, workspace, into, fault);
    return convert_categories(column, batch, first, rows, conversion, workspace, into, fault);
}

/* ======== 3. Format strings ========
 *
 * The Arrow C Data Interface describes a type by a format string. */

static const double MILLISECONDS_A_DAY = 86400e3;

/* The parts of a second, by their letters. */
static bool is_unit(char letter, double *divisor) {
    switch (letter) {
    case 's': *divisor = 1; return true;
    case 'm': *divisor = 1e3; return true;
    case 'u': *divisor = 1e6; return true;
    case 'n': *divisor = 1e9; return true;
    default: return false;
    }
}

static void arrow_type_set_number(crd_i_arrow_type *type, char letter, double divisor) {
    type->layout = CRD_I_ARROW_NUMBER;
    type->letter = letter;
    type->divisor = divisor;
}

static void set_clock(crd_i_arrow_type *type, crd_i_arrow_clock clock, char letter, double divisor) {
    arrow_type_set_number(type, letter, divisor);
    type->clock = clock;
}

static void set_foreign(crd_i_arrow_type *type, const char *description) {
    type->layout = CRD_I_ARROW_FOREIGN;
    type->foreign = description;
}

/* Dates in days; times of day, timestamps and durations in seconds. Intervals of months have no fixed length. */
static void read_temporal(crd_i_arrow_type *type, const char *format) {
    double divisor;
    set_foreign(type, "a time with an unknown unit");
    if (strcmp(format, "tdD") == 0) set_clock(type, CRD_I_ARROW_DATE, 'i', 1);
    else if (strcmp(format, "tdm") == 0) set_clock(type, CRD_I_ARROW_DATE, 'l', MILLISECONDS_A_DAY);
    else if (format[1] == 't' && is_unit(format[2], &divisor) && format[3] == '\0')
        set_clock(type, CRD_I_ARROW_TIME, divisor <= 1e3 ? 'i' : 'l', divisor);
    else if (format[1] == 's' && is_unit(format[2], &divisor) && format[3] == ':')
        set_clock(type, CRD_I_ARROW_TIMESTAMP, 'l', divisor);
    else if (format[1] == 'D' && is_unit(format[2], &divisor) && format[3] == '\0')
        arrow_type_set_number(type, 'l', divisor);
    else if (format[1] == 'i') set_foreign(type, "an interval of months and days");
}

/* d:precision,scale or d:precision,scale,bits */
static void read_decimal(crd_i_arrow_type *type, const char *format) {
    int precision, scale, bits = 128, end = 0;
    set_foreign(type, "a decimal with an unknown width");
    if (sscanf(format, "d:%d,%d%n", &precision, &scale, &end) < 2) return;
    if (format[end] == ',') bits = atoi(format + end + 1);
    else if (format[end] != '\0') return;
    if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return;
    if (scale < -1000 || scale > 1000) return;
    type->layout = CRD_I_ARROW_DECIMAL;
    type->foreign = NULL;
    type->scale = scale;
    type->width = (size_t)bits / 8;
}

static void arrow_type_read_nested(crd_i_arrow_type *type, const char *format) {
    const char *description = "of an unknown nested type";
    if (strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0 || strcmp(format, "+vl") == 0 ||
        strcmp(format, "+vL") == 0)
        description = "a list";
    else if (strncmp(format, "+w:", 3) == 0) description = "a list with a fixed size";
    else if (strcmp(format, "+s") == 0) description = "a struct";
    else if (strcmp(format, "+m") == 0) description = "a map";
    else if (strncmp(format, "+u", 2) == 0) description = "a union";
    set_foreign(type, description);
}

static void arrow_type_read_text(crd_i_arrow_type *type, crd_i_arrow_layout layout, size_t width) {
    type->layout = layout;
    type->width = width;
}

/* A type without runs and without a dictionary. */
static void read_plain(crd_i_arrow_type *type, const char *format) {
    bool is_letter = format[0] != '\0' && format[1] == '\0';
    long width;
    set_foreign(type, "of an unknown type");
    if (is_letter && strchr("cCsSiIlLefg", format[0]) != NULL) arrow_type_set_number(type, format[0], 1);
    else if (is_letter && format[0] == 'b') type->layout = CRD_I_ARROW_BOOLEAN;
    else if (is_letter && format[0] == 'n') type->layout = CRD_I_ARROW_NULL;
    else if (is_letter && (format[0] == 'u' || format[0] == 'z')) arrow_type_read_text(type, CRD_I_ARROW_TEXT, 4);
    else if (is_letter && (format[0] == 'U' || format[0] == 'Z')) arrow_type_read_text(type, CRD_I_ARROW_TEXT, 8);
    else if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0) arrow_type_read_text(type, CRD_I_ARROW_VIEW, 16);
    else if (strncmp(format, "w:", 2) == 0 && (width = strtol(format + 2, NULL, 10)) > 0)
        arrow_type_read_text(type, CRD_I_ARROW_FIXED, (size_t)width);
    else if (strncmp(format, "d:", 2) == 0) read_decimal(type, format);
    else if (format[0] == 't') read_temporal(type, format);
    else if (format[0] == '+') arrow_type_read_nested(type, format);
    if (type->layout != CRD_I_ARROW_FOREIGN) type->foreign = NULL;
}

static bool is_integer(const char *format, const char *letters) {
    return format[0] != '\0' && strchr(letters, format[0]) != NULL && format[1] == '\0';
}

/* A type without runs. */
static void read_indexed(crd_i_arrow_type *type, const struct ArrowSchema *schema) {
    const char *format = schema->format == NULL ? "" : schema->format;
    if (schema->dictionary == NULL) {
        read_plain(type, format);
        return;
    }
    const char *values = schema->dictionary->format;
    read_plain(type, values == NULL || schema->dictionary->dictionary != NULL ? "" : values);
    if (!is_integer(format, "cCsSiIlL")) set_foreign(type, "a dictionary without integer indices");
    else if (type->foreign != NULL) set_foreign(type, "a dictionary whose values are nested, or have an unknown type");
    type->is_indexed = true;
    type->index_letter = format[0];
}

crd_i_arrow_type crd_i_arrow_type_of(const struct ArrowSchema *schema) {
    crd_i_arrow_type type = {.divisor = 1};
    snprintf(type.format, sizeof type.format, "%s", schema->format == NULL ? "" : schema->format);
    if (strcmp(type.format, "+r") != 0) {
        read_indexed(&type, schema);
        return type;
    }
    bool is_whole = schema->n_children == 2 && schema->children != NULL && schema->children[0] != NULL &&
                    schema->children[1] != NULL && schema->children[0]->format != NULL;
    if (!is_whole || !is_integer(schema->children[0]->format, "sil")) {
        set_foreign(&type, "a run-end encoding without ends or values");
        return type;
    }
    read_indexed(&type, schema->children[1]);
    if (type.foreign != NULL) set_foreign(&type, "runs whose values are nested, or have an unknown type");
    type.is_run_end = true;
    type.run_letter = schema->children[0]->format[0];
    return type;
}

crd_column_type crd_i_arrow_column_type(const crd_i_arrow_type *type) {
    switch (type->layout) {
    case CRD_I_ARROW_NULL:
    case CRD_I_ARROW_FOREIGN: return CRD_TYPE_NONE;
    case CRD_I_ARROW_NUMBER:
    case CRD_I_ARROW_DECIMAL: return type->is_indexed ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC;
    case CRD_I_ARROW_BOOLEAN:
    case CRD_I_ARROW_TEXT:
    case CRD_I_ARROW_VIEW:
    case CRD_I_ARROW_FIXED: break;
    }
    return CRD_TYPE_CATEGORICAL;
}
