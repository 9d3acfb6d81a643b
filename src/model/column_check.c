/* SPDX-License-Identifier: MIT */
/* column_check.c - what in a table that was learned may not be as its owner meant it. See credence/model.h. */
#include "base/memory.h"
#include "table/forms/amount.h"
#include "table/forms/calendar.h"

#include <credence/model.h>
#include <credence/number.h>

#include <stdbool.h>
#include <string.h>

/* An identifier has a new value in nearly every row. In so few rows any category may. */
enum { FEW_ROWS = 20 };
/* Names that are numbers but for a few cells are more often numbers with a blemish. Fewer may be so by chance. */
enum { LEAST_NUMBERS = 5 };
static const double NEARLY_ALL = 0.9;

static double count_cells(const crd_summary *summary, size_t attribute) {
    double cells = 0;
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) cells += crd_summary_present(summary, attribute, c);
    return cells;
}

/* How many cells are numbers, and the most frequent value that is none. */
static void count_numbers(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    double greatest = 0;
    for (size_t i = 0; i < out->values; i++) {
        crd_text text = crd_summary_value(summary, attribute, i);
        double number, count = crd_summary_value_rows(summary, attribute, i);
        if (crd_number_parse(text, &number) == CRD_NUMBER_FINITE) {
            out->numbers += count;
        } else if (count > greatest) {
            greatest = count;
            out->not_a_number = text;
        }
    }
}

/* Names have a few words, documents many. */
enum { WORDS_A_TEXT = 4 };
static const double HALF = 0.5;

static size_t count_words(crd_text text) {
    size_t words = 0;
    for (size_t i = 0; i < text.length; i++) words += text.bytes[i] != ' ' && (i == 0 || text.bytes[i - 1] == ' ');
    return words;
}

static bool are_texts(const crd_summary *summary, size_t attribute, size_t values) {
    double words = 0;
    for (size_t i = 0; i < values; i++) words += (double)count_words(crd_summary_value(summary, attribute, i));
    return words >= WORDS_A_TEXT * (double)values;
}

/* ---- Numbers with a unit ---- */

/* So many values at least have a unit, which are of so many units at most. */
enum { LEAST_MEASURES = 3, MOST_UNITS = 8, LONGEST_UNIT = 12 };

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (unsigned char)byte >= 0x80;
}

/* Endings of ordinal numbers and of times are not units. */
static bool is_no_unit(crd_text text) {
    static const char *const ENDINGS[] = {"st", "nd", "rd", "th", "am", "pm", "AM", "PM"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (crd_text_equal(text, crd_text_of(ENDINGS[i]))) return true;
    return false;
}

/* The unit after a number, with or without spaces between them: kg of 36.5kg. */
static bool find_unit(crd_text text, crd_text *unit) {
    size_t at = text.length > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+') ? 1 : 0, digits = 0;
    for (; at < text.length && (is_digit(text.bytes[at]) || (digits > 0 && strchr(".,", text.bytes[at]) != NULL)); at++)
        digits += is_digit(text.bytes[at]);
    if (digits == 0 || !is_digit(text.bytes[at - 1])) return false;
    while (at < text.length && text.bytes[at] == ' ') at++;
    *unit = (crd_text){text.bytes + at, text.length - at};
    if (unit->length == 0 || unit->length > LONGEST_UNIT || !is_letter(unit->bytes[0])) return false;
    for (size_t i = 0; i < unit->length; i++)
        if (!is_letter(unit->bytes[i]) && strchr("/^*23.", unit->bytes[i]) == NULL) return false;
    return !is_no_unit(*unit);
}

typedef struct unit_count {
    crd_text unit;
    size_t values;
    double rows;
} unit_count;

/* Whole numbers with letters right after them, each in one row, are identifiers such as 17x, not measures. */
static bool are_identifiers(const crd_summary *summary, size_t attribute, const crd_column_check *found) {
    if ((double)found->values < found->cells) return false;
    for (size_t i = 0; i < found->values; i++) {
        const crd_text value = crd_summary_value(summary, attribute, i);
        for (size_t k = 0; k < value.length; k++)
            if (strchr(" .,", value.bytes[k]) != NULL) return false;
    }
    return true;
}

static void check_units(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    unit_count units[MOST_UNITS];
    size_t count = 0, top = 0;
    double rows = 0;
    if (are_identifiers(summary, attribute, out)) return;
    for (size_t i = 0; i < out->values; i++) {
        crd_text unit;
        if (!find_unit(crd_summary_value(summary, attribute, i), &unit)) continue;
        size_t k = 0;
        while (k < count && !crd_text_equal(units[k].unit, unit)) k++;
        if (k == MOST_UNITS) return;
        if (k == count) units[count++] = (unit_count){unit, 0, 0};
        units[k].values++;
        units[k].rows += crd_summary_value_rows(summary, attribute, i);
        rows += crd_summary_value_rows(summary, attribute, i);
    }
    for (size_t k = 1; k < count; k++)
        if (units[k].rows > units[top].rows) top = k;
    if (count == 0 || units[top].values < LEAST_MEASURES || units[top].rows < HALF * rows) return;
    if (rows < HALF * out->cells || rows + out->numbers < NEARLY_ALL * out->cells) return;
    out->unit = units[top].unit;
    out->units = count;
}

/* ---- Dates ---- */

enum { LEAST_DATES = 3, MOST_FORMATS = 16, LONGEST_FORMAT = 24 };

/* Whether it is a day with the name of a month: Jan 5, 2020. */
static bool is_named_day(crd_text text) {
    static const char MONTHS[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    size_t digits = 0, words = 0;
    bool has_month = false;
    if (text.length > LONGEST_FORMAT) return false;
    for (size_t i = 0; i < text.length; i++) {
        digits += is_digit(text.bytes[i]);
        if (!is_letter(text.bytes[i]) || (i > 0 && is_letter(text.bytes[i - 1]))) continue;
        words++;
        for (size_t m = 0; m + 3 <= sizeof MONTHS - 1 && i + 3 <= text.length; m += 3) {
            bool is = true;
            for (size_t k = 0; k < 3; k++) is = is && (text.bytes[i + k] | 0x20) == MONTHS[m + k];
            has_month = has_month || is;
        }
    }
    return has_month && words <= 2 && digits >= 3 && digits <= 8;
}

/* How a date is written: runs of four digits are 4, of others 9, of letters a. */
static size_t format_of(crd_text text, char format[LONGEST_FORMAT]) {
    size_t length = 0;
    for (size_t i = 0; i < text.length && length < LONGEST_FORMAT;) {
        size_t end = i;
        while (end < text.length && is_digit(text.bytes[end])) end++;
        if (end > i) format[length++] = end - i == 4 ? '4' : '9';
        else {
            while (end < text.length && is_letter(text.bytes[end])) end++;
            format[length++] = end > i ? 'a' : text.bytes[i];
            if (end == i) end++;
        }
        i = end;
    }
    return length;
}

static void check_dates(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    static const crd_i_date_order ORDERS[] = {CRD_I_DATE_YMD, CRD_I_DATE_DMY, CRD_I_DATE_MDY};
    char formats[MOST_FORMATS][LONGEST_FORMAT];
    size_t lengths[MOST_FORMATS], count = 0, dates = 0;
    unsigned common = 7;
    double rows = 0;
    for (size_t i = 0; i < out->values; i++) {
        crd_i_moment moment;
        const crd_text text = crd_summary_value(summary, attribute, i);
        unsigned fits = 0;
        for (unsigned k = 0; k < 3; k++) fits |= (unsigned)crd_i_moment_parse(text, ORDERS[k], &moment) << k;
        if (fits == 0 && !is_named_day(text)) continue;
        char format[LONGEST_FORMAT];
        const size_t length = format_of(text, format);
        size_t k = 0;
        while (k < count && (lengths[k] != length || memcmp(formats[k], format, length) != 0)) k++;
        if (k == MOST_FORMATS) return;
        if (k == count) {
            memcpy(formats[count], format, length);
            lengths[count++] = length;
        }
        common &= fits;
        dates++;
        rows += crd_summary_value_rows(summary, attribute, i);
    }
    if (dates >= LEAST_DATES && rows >= NEARLY_ALL * out->cells && common == 0) out->date_formats = count;
}

/* Whether nearly all values are amounts, whose decimal mark is in doubt. */
static bool are_amounts(const crd_summary *summary, size_t attribute, const crd_column_check *found) {
    double rows = 0;
    for (size_t i = 0; i < found->values; i++) {
        const crd_text text = crd_summary_value(summary, attribute, i);
        const bool is = crd_i_amount_parse(text, '.').class != CRD_NUMBER_NONE ||
                        crd_i_amount_parse(text, ',').class != CRD_NUMBER_NONE;
        if (is && !crd_i_is_code(text)) rows += crd_summary_value_rows(summary, attribute, i);
    }
    return rows >= NEARLY_ALL * found->cells;
}

void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    crd_column_check found = CRD_COLUMN_CHECK_INIT;
    found.cells = count_cells(summary, attribute);
    if (crd_summary_kind(summary, attribute) == CRD_KIND_CATEGORY) {
        found.values = crd_summary_value_count(summary, attribute);
        count_numbers(summary, attribute, &found);
        bool is_counted = crd_summary_weight(summary).bytes == NULL;
        found.is_nearly_numeric = is_counted && found.not_a_number.bytes != NULL && found.numbers >= LEAST_NUMBERS &&
                                  found.numbers >= NEARLY_ALL * found.cells;
        found.is_identifier = is_counted && found.cells > FEW_ROWS && (double)found.values > NEARLY_ALL * found.cells;
        found.is_text = is_counted && found.cells > FEW_ROWS && (double)found.values > HALF * found.cells &&
                        are_texts(summary, attribute, found.values);
        if (is_counted && !found.is_nearly_numeric) check_units(summary, attribute, &found);
        if (is_counted && found.unit.bytes == NULL) check_dates(summary, attribute, &found);
        if (found.unit.bytes != NULL || found.date_formats > 0) found.is_identifier = found.is_text = 0;
        if (found.is_identifier && are_amounts(summary, attribute, &found)) found.is_identifier = 0;
    }
    crd_i_copy_out(&found, sizeof found, out);
}

/* Classes that are so many, and a class of so few rows, are rather values of a quantity; fewer may be. */
enum { MANY_CLASSES = 100, SOME_CLASSES = 20, ROWS_A_CLASS = 10 };

/* Whether more classes than `most` are all numbers, some with a fraction, or with few rows to a class. */
static bool has_numbers_as_classes(const crd_summary *summary, size_t most) {
    size_t classes = crd_summary_class_count(summary);
    bool has_fractions = false;
    if (crd_summary_target(summary).bytes == NULL || classes <= most) return false;
    for (size_t i = 0; i < classes; i++) {
        double number;
        if (crd_number_parse(crd_summary_class(summary, i), &number) != CRD_NUMBER_FINITE) return false;
        has_fractions = has_fractions || number != (double)(int64_t)(number < 1e15 && number > -1e15 ? number : 0);
    }
    return has_fractions || crd_summary_rows(summary) < ROWS_A_CLASS * (double)classes;
}

int crd_summary_target_is_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, MANY_CLASSES);
}

int crd_summary_target_may_be_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, SOME_CLASSES);
}
