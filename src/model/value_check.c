/* SPDX-License-Identifier: MIT */
/* value_check.c - finds columns of a training table that may not be what their owner intended. See value_check.h and
 * credence/model.h.
 *
 * Contents:
 *   1. Values of a column
 *   2. Columns of a table */
#include "model/value_check.h"

#include "base/memory.h"
#include "table/values/column_format.h"

#include <credence/number.h>
#include <stdbool.h>
#include <string.h>

/* ======== 1. Values of a column ======== */

/* An identifier has a new value in nearly every row. With at most this many rows, any category may. */
enum { FEW_ROWS = 20 };
static const double NEARLY_ALL = 0.9;
static const double HALF = 0.5;

static crd_text text_at(const crd_i_value_list *values, size_t i) {
    return values->text(values->owner, i);
}

static double rows_at(const crd_i_value_list *values, size_t i) {
    return values->rows(values->owner, i);
}

static bool value_check_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool value_check_is_letter(char byte) {
    return ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || (unsigned char)byte >= 0x80;
}

/* ---- Missing values ---- */

/* Copies the letters and digits of a text in lower case. Returns how many; 0 if there are more than `capacity`. */
static size_t value_check_squeeze(crd_text text, char *word, size_t capacity) {
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char byte = text.bytes[i];
        const bool is_word = value_check_is_digit(byte) || value_check_is_letter(byte);
        if (is_word && length == capacity) return 0;
        if (is_word) word[length++] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
    }
    return length;
}

/* Returns whether a text consists of dashes and ellipses: U+2010 to U+2015, U+2026 and U+2212. */
static bool is_long_dash(crd_text text) {
    for (size_t i = 0; i < text.length; i += 3) {
        if (text.length - i < 3 || (unsigned char)text.bytes[i] != 0xE2) return false;
        const unsigned char second = (unsigned char)text.bytes[i + 1], third = (unsigned char)text.bytes[i + 2];
        const bool is_dash = second == 0x80 && ((third >= 0x90 && third <= 0x95) || third == 0xA6);
        if (!is_dash && !(second == 0x88 && third == 0x92)) return false;
    }
    return text.length > 0;
}

/* Returns whether a value is a common spelling of a missing cell, or an error value of a spreadsheet. This does not
 * affect how a cell is read, only which warning a column gets. */
static bool means_missing(crd_text text) {
    static const char *const WORDS[] = {
        "na",       "nd",      "nv",        "ka",    "nan", "nil",         "null",         "none",
        "missing",  "unknown", "unk",       "tbd",   "tba", "nodata",      "notavailable", "notapplicable",
        "notgiven", "empty",   "undefined", "error", "err", "keineangabe", "inf",          "blank"};
    enum { LONGEST = 16 };
    char word[LONGEST];
    bool has_word = false;
    if (text.length > 1 && text.bytes[0] == '#') return true;
    if (crd_text_equal(text, crd_text_of("\\N"))) return true;
    for (size_t i = 0; i < text.length; i++)
        has_word = has_word || value_check_is_digit(text.bytes[i]) || value_check_is_letter(text.bytes[i]);
    if (!has_word) return true;
    if (is_long_dash(text)) return true;
    const crd_text squeezed = {word, value_check_squeeze(text, word, LONGEST)};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (crd_text_equal(squeezed, crd_text_of(WORDS[i]))) return true;
    return false;
}

/* Returns the number of rows whose value means a missing cell. */
static double count_missing(const crd_i_value_list *values) {
    double rows = 0;
    for (size_t i = 0; i < values->count; i++)
        if (means_missing(text_at(values, i))) rows += rows_at(values, i);
    return rows;
}

/* ---- Exceptions among numbers and dates ---- */

/* Limits for the warning that a column contains numbers except for a few cells. Such columns are usually numeric with a
 * few bad cells. Fewer numbers may occur by chance. */
enum { LEAST_NUMBERS = 5, LEAST_BESIDE_MISSING = 3, LEAST_DISTINCT = 5, MOST_OTHERS = 10 };

/* The ways to read a value. A column is checked under the reading that fits most rows. */
typedef enum check_reader { PLAIN, BY_POINT, BY_COMMA, BY_YEAR, BY_DAY, BY_MONTH, READINGS } check_reader;

static bool value_check_fits(crd_text text, check_reader reader) {
    crd_i_moment moment;
    double number;
    switch (reader) {
    case PLAIN: return crd_number_parse(text, &number) == CRD_NUMBER_FINITE;
    case BY_POINT: return crd_i_amount_parse(text, '.').class != CRD_NUMBER_NONE;
    case BY_COMMA: return crd_i_amount_parse(text, ',').class != CRD_NUMBER_NONE;
    case BY_YEAR: return crd_i_moment_parse(text, CRD_I_DATE_YMD, &moment);
    case BY_DAY: return crd_i_moment_parse(text, CRD_I_DATE_DMY, &moment);
    case BY_MONTH: return crd_i_moment_parse(text, CRD_I_DATE_MDY, &moment);
    case READINGS: break;
    }
    return false;
}

typedef struct reading_count {
    double rows;
    size_t values;
} reading_count;

/* Returns the reading from `first` to `last` that fits most rows; ties go to the first. */
static check_reader value_check_best(const reading_count *counts, check_reader first, check_reader last) {
    check_reader best = first;
    for (check_reader reader = first; reader <= last; reader++)
        if (counts[reader].rows > counts[best].rows) best = reader;
    return best;
}

/* Inserts a value among the most frequent values that do not fit. */
static void add_other(crd_column_check *out, double *rows, crd_text text, double count) {
    size_t index = out->other_values < CRD_COLUMN_CHECK_OTHERS ? out->other_values : CRD_COLUMN_CHECK_OTHERS;
    out->other_values++;
    if (index == CRD_COLUMN_CHECK_OTHERS && rows[index - 1] >= count) return;
    if (index == CRD_COLUMN_CHECK_OTHERS) index--;
    for (; index > 0 && rows[index - 1] < count; index--) {
        out->others[index] = out->others[index - 1];
        rows[index] = rows[index - 1];
    }
    out->others[index] = text;
    rows[index] = count;
}

/* Lists the values that do not fit. Returns whether all of them mean missing. */
static bool value_check_list_others(const crd_i_value_list *values, check_reader reader, crd_column_check *out) {
    double rows[CRD_COLUMN_CHECK_OTHERS] = {0};
    bool mean_missing = true;
    out->other_values = 0;
    for (size_t i = 0; i < values->count; i++) {
        const crd_text text = text_at(values, i);
        if (value_check_fits(text, reader)) continue;
        add_other(out, rows, text, rows_at(values, i));
        mean_missing = mean_missing && means_missing(text);
    }
    return mean_missing;
}

/* Returns whether a column consists mostly of the values in `count`, apart from the listed ones. */
static bool is_nearly(const crd_column_check *column, reading_count count, bool mean_missing) {
    if (column->other_values == 0) return false;
    if (count.rows >= LEAST_NUMBERS && count.rows >= NEARLY_ALL * column->cells) return true;
    if (mean_missing) return count.values >= LEAST_BESIDE_MISSING;
    return count.rows > HALF * column->cells && count.values >= LEAST_DISTINCT && column->other_values <= MOST_OTHERS &&
           column->other_values < count.values;
}

/* Counts a value under all readings up to `last`. Returns whether it fits any of them. */
static bool count_value(crd_text text, double rows, check_reader last, reading_count *counts) {
    bool is_any = false;
    for (check_reader reader = PLAIN; reader <= last; reader++) {
        if (!value_check_fits(text, reader)) continue;
        counts[reader].rows += rows;
        counts[reader].values++;
        is_any = true;
    }
    return is_any;
}

/* Counts numbers and dates, and decides whether the column is nearly numeric or nearly a date column. */
static void check_readings(const crd_i_value_list *values, crd_column_check *out) {
    reading_count counts[READINGS] = {{0, 0}}, misfits = {0, 0};
    bool has_codes = false, mean_all_missing = true;
    check_reader last = BY_MONTH;
    for (size_t i = 0; i < values->count; i++) {
        const crd_text text = text_at(values, i);
        const double rows = rows_at(values, i);
        has_codes = has_codes || crd_i_is_code(text);
        if (count_value(text, rows, last, counts) || last == PLAIN) continue;
        misfits.rows += rows;
        misfits.values++;
        mean_all_missing = mean_all_missing && means_missing(text);
        /* There are too many other values for a warning, so only plain numbers are counted from here on. */
        if (misfits.values > MOST_OTHERS && misfits.rows > (1 - NEARLY_ALL) * out->cells && !mean_all_missing)
            last = PLAIN;
    }
    if (last == PLAIN) {
        for (check_reader reader = BY_POINT; reader < READINGS; reader++) counts[reader] = (reading_count){0, 0};
    }
    const check_reader number = value_check_best(counts, PLAIN, BY_COMMA),
                       date = value_check_best(counts, BY_YEAR, BY_MONTH);
    const bool are_dates = counts[date].rows > counts[number].rows;
    const check_reader best = are_dates ? date : number;
    const bool mean_missing = value_check_list_others(values, best, out),
               is = is_nearly(out, counts[best], mean_missing);
    out->numbers = counts[number].rows;
    out->plain_numbers = counts[PLAIN].rows;
    out->dates = counts[date].rows;
    if (!are_dates && out->other_values > 0) out->not_a_number = out->others[0];
    out->is_number_text = counts[PLAIN].values == values->count && counts[PLAIN].values >= LEAST_DISTINCT && !has_codes;
    out->is_nearly_date = is && are_dates;
    out->is_nearly_numeric = is && !are_dates && !has_codes;
}

/* ---- Texts ---- */

/* Names have a few words, documents many: average number of words per value. */
enum { WORDS_A_TEXT = 4 };

static size_t value_check_count_words(crd_text text) {
    size_t words = 0;
    for (size_t i = 0; i < text.length; i++) words += text.bytes[i] != ' ' && (i == 0 || text.bytes[i - 1] == ' ');
    return words;
}

static bool are_texts(const crd_i_value_list *values) {
    double words = 0;
    for (size_t i = 0; i < values->count; i++) words += (double)value_check_count_words(text_at(values, i));
    return words >= WORDS_A_TEXT * (double)values->count;
}

/* ---- Numbers with a unit ---- */

/* LEAST_MEASURES: minimum number of values with a unit. MOST_UNITS: maximum number of units. LONGEST_UNIT: length of
 * the longest unit in bytes. */
enum { LEAST_MEASURES = 3, MOST_UNITS = 8, LONGEST_UNIT = 12 };

/* Returns whether a text is the ending of an ordinal number or of a time, not a unit. */
static bool is_no_unit(crd_text text) {
    static const char *const ENDINGS[] = {"st", "nd", "rd", "th", "am", "pm", "AM", "PM"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (crd_text_equal(text, crd_text_of(ENDINGS[i]))) return true;
    return false;
}

/* Finds the unit after a number, with or without spaces between them: kg in 36.5kg. */
static bool value_check_find_unit(crd_text text, crd_text *unit) {
    size_t index = text.length > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+') ? 1 : 0, digits = 0;
    for (; index < text.length &&
           (value_check_is_digit(text.bytes[index]) || (digits > 0 && strchr(".,", text.bytes[index]) != NULL));
         index++)
        digits += value_check_is_digit(text.bytes[index]);
    if (digits == 0 || !value_check_is_digit(text.bytes[index - 1])) return false;
    while (index < text.length && text.bytes[index] == ' ') index++;
    *unit = (crd_text){text.bytes + index, text.length - index};
    if (unit->length == 0 || unit->length > LONGEST_UNIT || !value_check_is_letter(unit->bytes[0])) return false;
    for (size_t i = 0; i < unit->length; i++)
        if (!value_check_is_letter(unit->bytes[i]) && strchr("/^*23.", unit->bytes[i]) == NULL) return false;
    return !is_no_unit(*unit);
}

typedef struct unit_count {
    crd_text unit;
    size_t values;
    double rows;
} unit_count;

/* Returns whether the values are identifiers such as 17x rather than measures: integers with letters directly after
 * them, each in one row. */
static bool are_identifiers(const crd_i_value_list *values, const crd_column_check *column) {
    if ((double)column->values < column->cells) return false;
    for (size_t i = 0; i < values->count; i++) {
        const crd_text value = text_at(values, i);
        for (size_t k = 0; k < value.length; k++)
            if (strchr(" .,", value.bytes[k]) != NULL) return false;
    }
    return true;
}

/* Sets the most frequent unit, if most values are numbers with a unit. */
static void check_units(const crd_i_value_list *values, crd_column_check *out) {
    unit_count units[MOST_UNITS];
    size_t count = 0, top = 0;
    double rows = 0;
    if (are_identifiers(values, out)) return;
    for (size_t i = 0; i < values->count; i++) {
        crd_text unit;
        if (!value_check_find_unit(text_at(values, i), &unit)) continue;
        size_t k = 0;
        while (k < count && !crd_text_equal(units[k].unit, unit)) k++;
        if (k == MOST_UNITS) return;
        if (k == count) units[count++] = (unit_count){unit, 0, 0};
        units[k].values++;
        units[k].rows += rows_at(values, i);
        rows += rows_at(values, i);
    }
    for (size_t k = 1; k < count; k++)
        if (units[k].rows > units[top].rows) top = k;
    if (count == 0 || units[top].values < LEAST_MEASURES || units[top].rows < HALF * rows) return;
    if (rows < HALF * out->cells || rows + out->numbers + count_missing(values) < NEARLY_ALL * out->cells) return;
    out->unit = units[top].unit;
    out->units = count;
}

/* ---- Dates ---- */

enum { LEAST_DATES = 3, MOST_FORMATS = 16, LONGEST_FORMAT = 24 };

/* Returns whether a text is a day with the name of a month: Jan 5, 2020. */
static bool is_named_day(crd_text text) {
    static const char MONTHS[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    size_t digits = 0, words = 0;
    bool has_month = false;
    if (text.length > LONGEST_FORMAT) return false;
    for (size_t i = 0; i < text.length; i++) {
        digits += value_check_is_digit(text.bytes[i]);
        if (!value_check_is_letter(text.bytes[i]) || (i > 0 && value_check_is_letter(text.bytes[i - 1]))) continue;
        words++;
        for (size_t m = 0; m + 3 <= sizeof MONTHS - 1 && i + 3 <= text.length; m += 3) {
            bool is = true;
            for (size_t k = 0; k < 3; k++) is = is && (text.bytes[i + k] | 0x20) == MONTHS[m + k];
            has_month = has_month || is;
        }
    }
    return has_month && words <= 2 && digits >= 3 && digits <= 8;
}

/* Removes one or two digits from the beginning of the text and returns their value; -1: it does not begin with one or
 * two digits. */
static int take_two_digits(crd_text *text) {
    int number = 0;
    size_t count = 0;
    while (count < text->length && value_check_is_digit(text->bytes[count])) count++;
    if (count == 0 || count > 2) return -1;
    for (size_t i = 0; i < count; i++) number = 10 * number + (text->bytes[i] - '0');
    *text = (crd_text){text->bytes + count, text->length - count};
    return number;
}

static bool is_day_and_month(int one, int other) {
    return one >= 1 && other >= 1 && one <= 31 && other <= 31 && (one <= 12 || other <= 12);
}

/* Returns whether a text is a date with a two-digit year, possibly followed by a time: 11/24/24, 24.11.24 13:45. */
static bool is_short_date(crd_text text) {
    int parts[3];
    char mark = '\0';
    for (size_t i = 0; i < 3; i++) {
        if (i > 0 && (text.length == 0 || strchr("/.-", text.bytes[0]) == NULL || (i > 1 && text.bytes[0] != mark)))
            return false;
        if (i > 0) {
            mark = text.bytes[0];
            text = (crd_text){text.bytes + 1, text.length - 1};
        }
        parts[i] = take_two_digits(&text);
        if (parts[i] < 0) return false;
    }
    crd_i_moment time;
    if (text.length > 0 && text.bytes[0] != ' ') return false;
    if (text.length > 0 && !crd_i_time_parse((crd_text){text.bytes + 1, text.length - 1}, &time)) return false;
    return is_day_and_month(parts[0], parts[1]) || is_day_and_month(parts[1], parts[2]);
}

/* Describes how a date is written: a run of four digits becomes 4, another run of digits 9, a run of letters a. Returns
 * the length. */
static size_t format_of(crd_text text, char format[LONGEST_FORMAT]) {
    size_t length = 0;
    for (size_t i = 0; i < text.length && length < LONGEST_FORMAT;) {
        size_t end = i;
        while (end < text.length && value_check_is_digit(text.bytes[end])) end++;
        if (end > i) format[length++] = end - i == 4 ? '4' : '9';
        else {
            while (end < text.length && value_check_is_letter(text.bytes[end])) end++;
            format[length++] = end > i ? 'a' : text.bytes[i];
            if (end == i) end++;
        }
        i = end;
    }
    return length;
}

/* Counts the date formats of a column whose dates cannot all be read in the same way. */
static void check_dates(const crd_i_value_list *values, crd_column_check *out) {
    static const crd_i_date_order ORDERS[] = {CRD_I_DATE_YMD, CRD_I_DATE_DMY, CRD_I_DATE_MDY};
    char formats[MOST_FORMATS][LONGEST_FORMAT];
    size_t lengths[MOST_FORMATS], count = 0, dates = 0;
    unsigned common = 7;
    double rows = 0;
    for (size_t i = 0; i < values->count; i++) {
        crd_i_moment moment;
        const crd_text text = text_at(values, i);
        unsigned fits = 0;
        for (unsigned k = 0; k < 3; k++) fits |= (unsigned)crd_i_moment_parse(text, ORDERS[k], &moment) << k;
        if (fits == 0 && !is_named_day(text) && !is_short_date(text)) continue;
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
        rows += rows_at(values, i);
    }
    if (dates < LEAST_DATES || rows <= HALF * out->cells || common != 0) return;
    if (rows + count_missing(values) >= NEARLY_ALL * out->cells) out->date_formats = count;
}

/* Returns whether nearly all values are amounts whose decimal mark is ambiguous. */
static bool are_amounts(const crd_i_value_list *values, const crd_column_check *column) {
    double rows = 0;
    for (size_t i = 0; i < values->count; i++) {
        const crd_text text = text_at(values, i);
        const bool is = crd_i_amount_parse(text, '.').class != CRD_NUMBER_NONE ||
                        crd_i_amount_parse(text, ',').class != CRD_NUMBER_NONE;
        if (is && !crd_i_is_code(text)) rows += rows_at(values, i);
    }
    return rows >= NEARLY_ALL * column->cells;
}

/* Returns whether all values are amounts, some only with a decimal point and some only with a decimal comma. */
static bool has_both_marks(const crd_i_value_list *values) {
    bool has_point = false, has_comma = false;
    for (size_t i = 0; i < values->count; i++) {
        const crd_text text = text_at(values, i);
        const bool by_point = crd_i_amount_parse(text, '.').class != CRD_NUMBER_NONE;
        const bool by_comma = crd_i_amount_parse(text, ',').class != CRD_NUMBER_NONE;
        if (!by_point && !by_comma) return false;
        has_point = has_point || !by_comma;
        has_comma = has_comma || !by_point;
    }
    return has_point && has_comma;
}

void crd_i_check_values(const crd_i_value_list *values, double cells, crd_column_check *out) {
    crd_column_check column = CRD_COLUMN_CHECK_INIT;
    column.cells = cells;
    column.values = values->count;
    check_readings(values, &column);
    column.is_identifier = cells > FEW_ROWS && (double)column.values > NEARLY_ALL * cells;
    column.is_text = cells > FEW_ROWS && (double)column.values > HALF * cells && are_texts(values);
    if (!column.is_nearly_numeric && !column.is_nearly_date) check_units(values, &column);
    if (column.unit.bytes == NULL) check_dates(values, &column);
    if (column.date_formats > 0) column.is_nearly_date = column.is_nearly_numeric = 0;
    if (column.unit.bytes != NULL || column.date_formats > 0 || column.is_nearly_numeric || column.is_nearly_date)
        column.is_identifier = column.is_text = 0;
    column.has_both_marks = has_both_marks(values);
    if (column.has_both_marks) column.is_nearly_numeric = column.is_identifier = 0;
    if (column.is_identifier && are_amounts(values, &column)) column.is_identifier = 0;
    *out = column;
}

/* ======== 2. Columns of a table ======== */

static double column_check_count_cells(const crd_summary *summary, size_t attribute) {
    double cells = 0;
    for (size_t c = 0; c < summary->class_count; c++) cells += crd_summary_present(summary, attribute, c);
    return cells;
}

typedef struct summary_column {
    const crd_summary *summary;
    size_t attribute;
} summary_column;

static crd_text column_check_value_text(const void *owner, size_t i) {
    const summary_column *column = owner;
    return crd_summary_value(column->summary, column->attribute, i);
}

static double column_check_value_rows(const void *owner, size_t i) {
    const summary_column *column = owner;
    return crd_summary_value_rows(column->summary, column->attribute, i);
}

void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out) {
    crd_column_check column_check = CRD_COLUMN_CHECK_INIT;
    column_check.cells = column_check_count_cells(summary, attribute);
    if (summary->attributes[attribute].type == CRD_TYPE_CATEGORICAL) {
        const summary_column column = {summary, attribute};
        const crd_i_value_list values = {&column, summary->attributes[attribute].value_count, column_check_value_text,
                                         column_check_value_rows};
        column_check.values = values.count;
        if (summary->weight.bytes == NULL) crd_i_check_values(&values, column_check.cells, &column_check);
    }
    crd_i_copy_out(&column_check, sizeof column_check, out);
}

/* More than MANY_CLASSES numeric classes, with few rows per class, are probably values of a quantity. More than
 * SOME_CLASSES may be. */
enum { MANY_CLASSES = 100, SOME_CLASSES = 20, ROWS_A_CLASS = 10 };

/* Returns whether there are more than `most` classes, and all are numbers. Some must have a fraction, or there must be
 * few rows per class. */
static bool has_numbers_as_classes(const crd_summary *summary, size_t most) {
    size_t classes = summary->class_count;
    bool has_fractions = false;
    if (summary->target.bytes == NULL || classes <= most) return false;
    for (size_t i = 0; i < classes; i++) {
        double number;
        if (crd_number_parse(summary->classes[i].name, &number) != CRD_NUMBER_FINITE) return false;
        has_fractions = has_fractions || number != (double)(int64_t)(number < 1e15 && number > -1e15 ? number : 0);
    }
    return has_fractions || summary->rows < ROWS_A_CLASS * (double)classes;
}

int crd_summary_target_is_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, MANY_CLASSES);
}

int crd_summary_target_may_be_quantity(const crd_summary *summary) {
    return has_numbers_as_classes(summary, SOME_CLASSES);
}

size_t crd_summary_lone_classes(const crd_summary *summary, size_t *first) {
    enum { MOST_LONE = 3 };
    size_t count = 0, others = 0;
    if (summary->target.bytes == NULL || summary->weight.bytes != NULL) return 0;
    for (size_t i = 0; i < summary->class_count; i++) {
        const double rows = summary->classes[i].rows;
        if (rows == 1 && count++ == 0) *first = i;
        if (rows != 1 && rows < ROWS_A_CLASS) return 0;
        others += rows != 1;
    }
    return count <= MOST_LONE && others > 0 ? count : 0;
}
