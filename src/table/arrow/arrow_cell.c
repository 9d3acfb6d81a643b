/* SPDX-License-Identifier: MIT */
/* arrow_cell.c - see arrow_cell.h. */
#include "table/arrow/arrow_cell.h"

#include "table/forms/calendar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

double crd_i_arrow_number_at(char letter, const void *values, int64_t index) {
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

int64_t crd_i_arrow_integer_at(char letter, const void *values, int64_t index) {
    if (letter == 'l') return ((const int64_t *)values)[index];
    if (letter == 'L') {
        uint64_t integer = ((const uint64_t *)values)[index];
        return integer > INT64_MAX ? -1 : (int64_t)integer;
    }
    return (int64_t)crd_i_arrow_number_at(letter, values, index);
}

/* Divides in whole units and a remainder, because more than 2^53 nanoseconds do not fit into a double. */
static double arrow_cell_divided(const crd_i_arrow_type *type, const void *values, int64_t index) {
    if (type->divisor == 1) return crd_i_arrow_number_at(type->letter, values, index);
    int64_t divisor = (int64_t)type->divisor, all = crd_i_arrow_integer_at(type->letter, values, index);
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
    int64_t begin = crd_i_arrow_integer_at(letter, offsets, cell.index);
    int64_t end = crd_i_arrow_integer_at(letter, offsets, cell.index + 1);
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

const char *crd_i_arrow_cell_bytes(const crd_i_arrow_type *type, crd_i_arrow_cell cell, crd_text *text) {
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

crd_i_arrow_cell crd_i_arrow_dictionary_cell(const struct ArrowArray *dictionary, int64_t element) {
    crd_i_arrow_cell cell = {dictionary, dictionary->offset + element};
    if (crd_i_arrow_present(dictionary, element)) return cell;
    cell.array = NULL;
    cell.index = 0;
    return cell;
}

/* Finds the run of logical element `at`: the first that ends after it, starting at *run if possible. */
static const char *find_run(const crd_i_arrow_column *column, int64_t index, int64_t *run) {
    const struct ArrowArray *ends = column->array->children[0];
    const void *values = ends->buffers[1];
    char letter = column->type.run_letter;
    int64_t low = *run, high = ends->length;
    if (low > 0 && crd_i_arrow_integer_at(letter, values, ends->offset + low - 1) > index) low = 0;
    if (low < high && crd_i_arrow_integer_at(letter, values, ends->offset + low) > index) {
        high = low;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (crd_i_arrow_integer_at(letter, values, ends->offset + middle) > index) high = middle;
        else low = middle + 1;
    }
    *run = low;
    return low < ends->length ? NULL : "is after the end of its last run";
}

const char *crd_i_arrow_locate(const crd_i_arrow_column *column, size_t row, int64_t *run, crd_i_arrow_cell *out) {
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
        int64_t index = crd_i_arrow_integer_at(type->index_letter, array->buffers[1], array->offset + element);
        if (index < 0 || index >= array->dictionary->length) return "has an index beyond its dictionary";
        *out = crd_i_arrow_dictionary_cell(array->dictionary, index);
        return NULL;
    }
    out->array = array;
    out->index = array->offset + element;
    return NULL;
}

const char *crd_i_arrow_cell_number(const crd_i_arrow_type *type, crd_i_arrow_cell cell, double *number,
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
        const char *wrong = crd_i_arrow_cell_bytes(type, cell, &text);
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
    const int64_t all = crd_i_arrow_integer_at(type->letter, values, index);
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

const char *crd_i_arrow_cell_text(const crd_i_arrow_type *type, crd_i_arrow_cell cell, char buffer[CRD_NUMBER_ROOM],
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
        const char *wrong = crd_i_arrow_cell_bytes(type, cell, text);
        if (wrong != NULL) return wrong;
        if (text->length > 0 && memchr(text->bytes, '\0', text->length) != NULL) return "has a NUL byte";
    }
    return NULL;
}
