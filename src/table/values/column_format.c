/* SPDX-License-Identifier: MIT */
/* column_format.c - converts texts by column formats, and collects evidence about the format of a column. See column_format.h.
 *
 * Contents:
 *   1. Column formats
 *   2. Evidence about formats */
#include "table/values/column_format.h"

#include "math/decimal/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Column formats ======== */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Names ---- */

typedef struct named_format {
    const char *name, *example;
    crd_i_column_format format;
} named_format;

static const named_format FORMATS[] = {
    {"point", "1,234.50 or $5", {CRD_I_READING_POINT, CRD_I_PART_WHOLE}},
    {"comma", "1.234,50 or 5 EUR", {CRD_I_READING_COMMA, CRD_I_PART_WHOLE}},
    {"percent", "12.5%", {CRD_I_READING_PERCENT, CRD_I_PART_WHOLE}},
    {"percent-comma", "12,5%", {CRD_I_READING_PERCENT_COMMA, CRD_I_PART_WHOLE}},
    {"boolean", "TRUE and true", {CRD_I_READING_BOOLEAN, CRD_I_PART_WHOLE}},
    {"date", "2024-02-29", {CRD_I_READING_ISO, CRD_I_PARTS_DATE}},
    {"datetime", "2024-02-29T12:30", {CRD_I_READING_ISO, CRD_I_PARTS_DATETIME}},
    {"seconds", "2024-02-29T12:30:05Z", {CRD_I_READING_ISO, CRD_I_PART_WHOLE}},
    {"date-dmy", "29/02/2024", {CRD_I_READING_DMY, CRD_I_PARTS_DATE}},
    {"datetime-dmy", "29.2.2024 12:30", {CRD_I_READING_DMY, CRD_I_PARTS_DATETIME}},
    {"seconds-dmy", "29.2.2024 12:30", {CRD_I_READING_DMY, CRD_I_PART_WHOLE}},
    {"date-mdy", "2/29/2024", {CRD_I_READING_MDY, CRD_I_PARTS_DATE}},
    {"datetime-mdy", "2/29/2024 1:30 PM", {CRD_I_READING_MDY, CRD_I_PARTS_DATETIME}},
    {"seconds-mdy", "2/29/2024 1:30 PM", {CRD_I_READING_MDY, CRD_I_PART_WHOLE}},
    {"time", "12:30", {CRD_I_READING_TIME, CRD_I_PART_WHOLE}},
};

size_t crd_i_column_format_count(void) {
    return COUNT(FORMATS);
}

crd_text crd_i_column_format_name_at(size_t i) {
    return crd_text_of(FORMATS[i].name);
}

const char *crd_i_column_format_example_at(size_t i) {
    return FORMATS[i].example;
}

crd_text crd_i_column_format_name(crd_i_column_format format) {
    for (size_t i = 0; i < COUNT(FORMATS); i++)
        if (crd_i_column_format_equal(FORMATS[i].format, format)) return crd_text_of(FORMATS[i].name);
    return crd_text_of("");
}

bool crd_i_column_format_find(crd_text name, crd_i_column_format *format) {
    size_t i = 0;
    while (i < COUNT(FORMATS) && !crd_text_equal(crd_text_of(FORMATS[i].name), name)) i++;
    if (i < COUNT(FORMATS)) *format = FORMATS[i].format;
    return i < COUNT(FORMATS);
}

crd_text crd_i_column_format_time_name(crd_i_column_format format) {
    const crd_text none = {NULL, 0};
    switch (format.reading) {
    case CRD_I_READING_POINT:
    case CRD_I_READING_COMMA:
    case CRD_I_READING_PERCENT:
    case CRD_I_READING_PERCENT_COMMA:
    case CRD_I_READING_DMY:
    case CRD_I_READING_MDY: return format.part == CRD_I_PART_WHOLE ? crd_i_column_format_name(format) : none;
    default: return none;
    }
}

bool crd_i_column_format_find_time(crd_text name, crd_i_column_format *format) {
    return crd_i_column_format_find(name, format) && format->part == CRD_I_PART_WHOLE &&
           crd_i_column_format_type(*format) == CRD_TYPE_NUMERIC;
}

/* ---- Parts ---- */

static const char *const SUFFIXES[CRD_I_PART_COUNT] = {"", ".year", ".month", ".weekday", ".hour"};

const char *crd_i_part_suffix(unsigned part) {
    return part < CRD_I_PART_COUNT ? SUFFIXES[part] : "";
}

static const char *const TYPES[] = {"none", "numeric", "categorical", "text"};

const char *crd_column_type_name(crd_column_type type) {
    return TYPES[type];
}

bool crd_i_column_type_find(crd_text name, crd_column_type *out) {
    static const char *const FORMER[] = {"none", "number", "category", "text"};
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        if (crd_text_equal(name, crd_text_of(TYPES[i])) || crd_text_equal(name, crd_text_of(FORMER[i]))) {
            *out = (crd_column_type)i;
            return true;
        }
    }
    return false;
}

bool crd_i_column_format_is_known(crd_i_column_format format) {
    if (format.reading >= CRD_I_READING_COUNT || format.part >= CRD_I_PART_COUNT) return false;
    return format.part == CRD_I_PART_WHOLE || crd_i_reading_is_date(format.reading);
}

crd_column_type crd_i_column_format_type(crd_i_column_format format) {
    if (crd_i_column_format_is_plain(format) || format.part >= CRD_I_PART_COUNT) return CRD_TYPE_NONE;
    if (format.reading == CRD_I_READING_BOOLEAN) return CRD_TYPE_CATEGORICAL;
    return format.part == CRD_I_PART_WHOLE || format.part == CRD_I_PART_YEAR ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL;
}

size_t crd_i_column_format_split(crd_i_column_format format, crd_i_column_format *formats) {
    size_t count = 0;
    formats[0] = format;
    if (format.part < CRD_I_PART_COUNT) return 1;
    unsigned last = format.part == CRD_I_PARTS_DATE ? CRD_I_PART_WEEKDAY : CRD_I_PART_HOUR;
    for (unsigned part = CRD_I_PART_YEAR; part <= last; part++)
        formats[count++] = (crd_i_column_format){format.reading, (unsigned char)part};
    return count;
}

crd_i_column_format crd_i_column_format_join(const crd_i_column_format *formats, size_t count) {
    crd_i_column_format format = formats[0];
    if (format.part == CRD_I_PART_WHOLE) return format;
    format.part = CRD_I_PARTS_DATE;
    for (size_t i = 0; i < count; i++)
        if (formats[i].part == CRD_I_PART_HOUR) format.part = CRD_I_PARTS_DATETIME;
    return format;
}

/* ---- Cells ---- */

/* An ISO date has four digits first and can be read in one way only: every format of dates accepts it. */
static bool parse_moment(crd_i_column_format format, crd_text text, crd_i_moment *out) {
    if (!crd_i_reading_is_date(format.reading)) return crd_i_time_parse(text, out);
    const bool has_day_first = format.reading == CRD_I_READING_DMY && crd_i_moment_parse(text, CRD_I_DATE_DMY, out);
    const bool has_month_first = format.reading == CRD_I_READING_MDY && crd_i_moment_parse(text, CRD_I_DATE_MDY, out);
    return has_day_first || has_month_first || crd_i_moment_parse(text, CRD_I_DATE_YMD, out);
}

double crd_i_column_format_distance(double number, double scale) {
    return number == 0 ? 0 : fabs(log(fabs(number) / scale));
}

static crd_number_class parse_amount(crd_i_column_format format, crd_text text, double *out) {
    bool has_comma = format.reading == CRD_I_READING_COMMA || format.reading == CRD_I_READING_PERCENT_COMMA;
    bool is_percent = format.reading == CRD_I_READING_PERCENT || format.reading == CRD_I_READING_PERCENT_COMMA;
    crd_i_amount amount = crd_i_amount_parse(text, has_comma ? ',' : '.');
    if (amount.class == CRD_NUMBER_NONE) return CRD_NUMBER_NONE;
    bool fits = is_percent ? amount.is_percent || amount.number == 0 : !amount.is_percent;
    if (!fits) return CRD_NUMBER_NONE;
    *out = is_percent ? amount.number / 100 : amount.number;
    return amount.class;
}

double crd_i_column_format_moment_number(crd_i_column_format format, const crd_i_moment *moment) {
    return format.part == CRD_I_PART_YEAR ? moment->year : crd_i_moment_seconds(moment);
}

crd_number_class crd_i_column_format_number(crd_i_column_format format, crd_text text, double *out) {
    crd_i_moment moment;
    if (format.reading <= CRD_I_READING_PERCENT_COMMA) return parse_amount(format, text, out);
    if (!parse_moment(format, text, &moment)) return CRD_NUMBER_NONE;
    *out = crd_i_column_format_moment_number(format, &moment);
    return CRD_NUMBER_FINITE;
}

static const char *const BOOLEANS[CRD_I_BOOLEAN_WORDS] = {"true", "false", "yes", "no", "on",
                                                          "off",  "t",     "f",   "y",  "n"};

static bool column_format_is_same_but_case(crd_text text, const char *lower) {
    size_t i = 0;
    while (i < text.length && lower[i] != '\0' && (text.bytes[i] | 0x20) == lower[i]) i++;
    return i == text.length && lower[i] == '\0';
}

size_t crd_i_boolean_word(crd_text text) {
    size_t i = 0;
    while (i < COUNT(BOOLEANS) && !column_format_is_same_but_case(text, BOOLEANS[i])) i++;
    return i;
}

static bool find_boolean(crd_text text, crd_text *out) {
    size_t word = crd_i_boolean_word(text);
    if (word < COUNT(BOOLEANS)) *out = crd_text_of(BOOLEANS[word]);
    return word < COUNT(BOOLEANS);
}

static const char *const NUMBERS[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11",
                                      "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23"};
static const char *const WEEKDAYS[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

crd_text crd_i_column_format_moment_text(crd_i_column_format format, const crd_i_moment *moment) {
    switch (format.part) {
    case CRD_I_PART_MONTH: return crd_text_of(NUMBERS[moment->month]);
    case CRD_I_PART_WEEKDAY: return crd_text_of(WEEKDAYS[crd_i_moment_weekday(moment)]);
    default: break;
    }
    return moment->has_time ? crd_text_of(NUMBERS[moment->hour]) : (crd_text){NULL, 0};
}

bool crd_i_column_format_text(crd_i_column_format format, crd_text text, crd_text *out) {
    crd_i_moment moment;
    *out = text;
    if (format.reading == CRD_I_READING_BOOLEAN) return find_boolean(text, out);
    if (!parse_moment(format, text, &moment)) return false;
    *out = crd_i_column_format_moment_text(format, &moment);
    return true;
}

bool crd_i_column_format_is_part_value(crd_i_column_format format, crd_text text) {
    static const struct {
        const char *const *values;
        size_t first, end;
    } PARTS[CRD_I_PART_COUNT] = {
        [CRD_I_PART_MONTH] = {NUMBERS, 1, 13},
        [CRD_I_PART_WEEKDAY] = {WEEKDAYS, 0, COUNT(WEEKDAYS)},
        [CRD_I_PART_HOUR] = {NUMBERS, 0, COUNT(NUMBERS)},
    };
    double year;
    if (format.part >= CRD_I_PART_COUNT) return false;
    if (format.part == CRD_I_PART_YEAR) return crd_number_parse(text, &year) == CRD_NUMBER_FINITE;
    for (size_t i = PARTS[format.part].first; i < PARTS[format.part].end; i++)
        if (crd_text_equal(crd_text_of(PARTS[format.part].values[i]), text)) return true;
    return false;
}

/* Times of day that were drawn from a density may lie before midnight, or after the next one. */
static size_t column_format_write_time(double seconds, char buffer[CRD_CELL_ROOM]) {
    enum { DAY = 86400, HOUR = 3600, MINUTE = 60 };
    double remainder = fmod(floor(seconds + 0.5), DAY);
    if (remainder < 0) remainder += DAY;
    const int whole = (int)remainder;
    return (size_t)snprintf(buffer, CRD_CELL_ROOM, "%02d:%02d:%02d", whole / HOUR, whole / MINUTE % MINUTE,
                            whole % MINUTE);
}

size_t crd_i_column_format_write(crd_i_column_format format, double number, char buffer[CRD_CELL_ROOM]) {
    const bool is_percent = format.reading == CRD_I_READING_PERCENT || format.reading == CRD_I_READING_PERCENT_COMMA;
    size_t length = 0;
    if (crd_i_reading_is_date(format.reading) && format.part == CRD_I_PART_WHOLE)
        length = crd_date_format(number, 1, buffer);
    if (format.reading == CRD_I_READING_TIME && fabs(number) < 1e9) length = column_format_write_time(number, buffer);
    if (length > 0) return length;
    length = crd_number_format(is_percent ? number * 100 : number, buffer);
    if (is_percent) buffer[length++] = '%';
    buffer[length] = '\0';
    return length;
}

const char *crd_i_column_format_noun(crd_i_column_format format) {
    static const char *const NOUNS[CRD_I_READING_COUNT] = {
        "a number",
        "a number with a decimal point",
        "a number with a decimal comma",
        "a percentage with a decimal point",
        "a percentage with a decimal comma",
        "a truth value",
        "a date (2024-02-29)",
        "a date (29/02/2024)",
        "a date (02/29/2024)",
        "a time of day (12:30)",
    };
    return NOUNS[format.reading];
}

/* ======== 2. Evidence about formats ======== */

#define BIT(reading) (1U << (reading))

enum {
    OF_TEXTS = BIT(CRD_I_READING_BOOLEAN) | BIT(CRD_I_READING_ISO) | BIT(CRD_I_READING_DMY) | BIT(CRD_I_READING_MDY) |
               BIT(CRD_I_READING_TIME),
    ALL = BIT(CRD_I_READING_COUNT) - 1
};

static unsigned fit_amount(crd_i_column_format_evidence *evidence, const crd_i_amount *amount, crd_i_reading whole,
                           crd_i_reading percent) {
    if (amount->class == CRD_NUMBER_NONE) return 0;
    if (amount->currency > 0) {
        evidence->has_currencies =
            evidence->has_currencies || (evidence->currency > 0 && evidence->currency != amount->currency);
        evidence->currency = amount->currency;
    }
    if (amount->is_percent) return BIT(percent);
    return BIT(whole) | (amount->number == 0 && amount->currency == 0 ? BIT(percent) : 0);
}

/* Handles an optional sign, digits and an optional fraction, as nearly all numbers are written. It gives the result
 * of the amount parser in a fraction of its time. false: the amount parser must decide, as for 1.234, which may be
 * grouped. */
static bool fit_plain(crd_i_column_format_evidence *evidence, crd_text text, char point, unsigned *fits) {
    enum { MOST_DIGITS = 24, GROUP = 3 };
    size_t index = text.bytes[0] == '-' ? 1 : 0, whole = 0, fraction = 0;
    bool is_zero = true;
    if (point == ',' || text.length > MOST_DIGITS) return false;
    for (; index < text.length && text.bytes[index] >= '0' && text.bytes[index] <= '9'; index++, whole++)
        is_zero = is_zero && text.bytes[index] == '0';
    const bool has_point = index < text.length && text.bytes[index] == '.';
    for (index += has_point; index < text.length && text.bytes[index] >= '0' && text.bytes[index] <= '9';
         index++, fraction++)
        is_zero = is_zero && text.bytes[index] == '0';
    if (index < text.length || whole == 0 || has_point != (fraction > 0) || fraction == GROUP) return false;
    *fits = BIT(CRD_I_READING_POINT) | (is_zero ? BIT(CRD_I_READING_PERCENT) : 0);
    if (point == '\0' && has_point) evidence->has_mark = true;
    if (!has_point && whole >= GROUP) evidence->has_hundreds = true;
    if (point == '\0' && !has_point)
        *fits |= BIT(CRD_I_READING_COMMA) | (is_zero ? BIT(CRD_I_READING_PERCENT_COMMA) : 0);
    return true;
}

static unsigned fit_amounts(crd_i_column_format_evidence *evidence, crd_text text, char point) {
    crd_i_amount by_point = {.class = CRD_NUMBER_NONE}, by_comma = by_point;
    if (point != ',') by_point = crd_i_amount_parse(text, '.');
    if (point != '.') by_comma = crd_i_amount_parse(text, ',');
    unsigned fits = fit_amount(evidence, &by_point, CRD_I_READING_POINT, CRD_I_READING_PERCENT) |
                    fit_amount(evidence, &by_comma, CRD_I_READING_COMMA, CRD_I_READING_PERCENT_COMMA);
    bool are_both = by_point.class != CRD_NUMBER_NONE && by_comma.class != CRD_NUMBER_NONE;
    if (are_both && by_point.number != by_comma.number) evidence->decimals_differ = true;
    if (!are_both && fits != 0 && point == '\0') evidence->has_mark = true;
    return fits;
}

static unsigned fit_dates(crd_i_column_format_evidence *evidence, crd_text text) {
    crd_i_moment iso, dmy, mdy, time;
    unsigned fits = 0;
    bool is_iso = crd_i_moment_parse(text, CRD_I_DATE_YMD, &iso),
         is_dmy = crd_i_moment_parse(text, CRD_I_DATE_DMY, &dmy);
    bool is_mdy = crd_i_moment_parse(text, CRD_I_DATE_MDY, &mdy);
    if (is_iso) fits |= BIT(CRD_I_READING_ISO);
    if (is_dmy) fits |= BIT(CRD_I_READING_DMY);
    if (is_mdy) fits |= BIT(CRD_I_READING_MDY);
    if (crd_i_time_parse(text, &time)) fits |= BIT(CRD_I_READING_TIME);
    evidence->has_time =
        evidence->has_time || (is_iso && iso.has_time) || (is_dmy && dmy.has_time) || (is_mdy && mdy.has_time);
    if (is_dmy && is_mdy && dmy.day != dmy.month) evidence->days_differ = true;
    return fits;
}

static unsigned char spelling_of(crd_text text) {
    size_t upper = 0;
    for (size_t i = 0; i < text.length; i++) upper += text.bytes[i] >= 'A' && text.bytes[i] <= 'Z';
    bool begins_upper = text.bytes[0] >= 'A' && text.bytes[0] <= 'Z';
    if (upper == 0) return 1;
    if (upper == text.length) return text.length == 1 ? 2 : 4;
    return upper == 1 && begins_upper ? 2 : 8;
}

static unsigned fit_boolean(crd_i_column_format_evidence *evidence, crd_text text) {
    size_t word = crd_i_boolean_word(text);
    if (word == CRD_I_BOOLEAN_WORDS) return 0;
    evidence->spellings[word] |= spelling_of(text);
    return BIT(CRD_I_READING_BOOLEAN);
}

/* Returns whether a text may have a format, by its first byte. */
static bool may_be_formed(crd_text text) {
    unsigned char first = (unsigned char)text.bytes[0];
    return first >= 0x80 || (first >= '0' && first <= '9') || first == '(' || first == '+' || first == '-' ||
           first == '.' || first == ',' || first == '$' || (first | 0x20) >= 'a';
}

void crd_i_column_format_evidence_add(crd_i_column_format_evidence *evidence, crd_text text, char point, bool is_text) {
    double number;
    if (evidence->cells++ == 0) evidence->fits = ALL;
    if (text.length == 0 || !may_be_formed(text)) {
        evidence->fits = 0;
        return;
    }
    bool is_decimal = crd_i_decimal_parse(text, point == '\0' ? '.' : point, &number) != CRD_NUMBER_NONE;
    bool is_number = is_decimal && !is_text && !crd_i_is_code(text);
    evidence->decimals += is_decimal;
    if (evidence->fits == 0) return;
    unsigned fits = 0;
    if (!is_number || !fit_plain(evidence, text, point, &fits)) fits = fit_amounts(evidence, text, point);
    if (is_number) fits |= BIT(CRD_I_READING_PLAIN);
    if (!is_number) fits |= fit_dates(evidence, text) | fit_boolean(evidence, text);
    evidence->fits &= is_text ? fits & OF_TEXTS : fits;
}

/* Plain numbers are amounts with a point and, without a fraction, also with a comma. If no other reading is left,
 * another plain number excludes none. */
bool crd_i_column_format_evidence_has_settled(const crd_i_column_format_evidence *evidence, crd_text text, char point) {
    enum { MOST_DIGITS = 15 };
    const unsigned by_point = BIT(CRD_I_READING_PLAIN) | BIT(CRD_I_READING_POINT);
    const bool may_be_whole = (evidence->fits & ~(by_point | BIT(CRD_I_READING_COMMA))) == 0;
    const bool may_have_point = (evidence->fits & ~by_point) == 0 && evidence->has_mark;
    if (!may_be_whole || evidence->cells == 0 || point != '\0' || text.length == 0 || text.length > MOST_DIGITS)
        return false;
    const char *cursor = text.bytes, *end = text.bytes + text.length;
    if (*cursor == '-') cursor++;
    const char *first = cursor;
    while (cursor < end && (unsigned char)(*cursor - '0') < 10) cursor++;
    if (cursor == first || (*first == '0' && cursor > first + 1)) return false;
    if (cursor == end) return true;
    if (*cursor != '.' || !may_have_point || cursor + 1 == end) return false;
    for (cursor++; cursor < end && (unsigned char)(*cursor - '0') < 10;) cursor++;
    return cursor == end;
}

void crd_i_column_format_evidence_combine(crd_i_column_format_evidence *evidence,
                                          const crd_i_column_format_evidence *other) {
    if (other->cells == 0) return;
    evidence->fits = evidence->cells == 0 ? other->fits : evidence->fits & other->fits;
    evidence->cells += other->cells;
    evidence->decimals += other->decimals;
    evidence->decimals_differ = evidence->decimals_differ || other->decimals_differ;
    evidence->days_differ = evidence->days_differ || other->days_differ;
    evidence->has_mark = evidence->has_mark || other->has_mark;
    evidence->has_time = evidence->has_time || other->has_time;
    evidence->has_hundreds = evidence->has_hundreds || other->has_hundreds;
    evidence->has_currencies = evidence->has_currencies || other->has_currencies ||
                               (evidence->currency > 0 && other->currency > 0 && evidence->currency != other->currency);
    if (evidence->currency == 0) evidence->currency = other->currency;
    for (size_t i = 0; i < CRD_I_BOOLEAN_WORDS; i++) evidence->spellings[i] |= other->spellings[i];
}

bool crd_i_column_format_evidence_is_open(const crd_i_column_format_evidence *evidence) {
    return evidence->cells == 0 || evidence->fits != 0;
}

bool crd_i_column_format_evidence_is_plain(const crd_i_column_format_evidence *evidence) {
    return (evidence->fits & BIT(CRD_I_READING_PLAIN)) != 0;
}

bool crd_i_column_format_evidence_is_truth(const crd_i_column_format_evidence *evidence) {
    return (evidence->fits & BIT(CRD_I_READING_BOOLEAN)) != 0 && !crd_i_column_format_evidence_is_plain(evidence);
}

bool crd_i_column_format_evidence_may_be_grouped(const crd_i_column_format_evidence *evidence) {
    unsigned both = BIT(CRD_I_READING_PLAIN) | BIT(CRD_I_READING_COMMA);
    return (evidence->fits & both) == both;
}

bool crd_i_column_format_evidence_may_prove_comma(const crd_i_column_format_evidence *evidence) {
    unsigned by_comma = BIT(CRD_I_READING_COMMA) | BIT(CRD_I_READING_PERCENT_COMMA);
    return evidence->cells == 0 ||
           (!crd_i_column_format_evidence_is_plain(evidence) && (evidence->fits & by_comma) != 0);
}

static bool format_evidence_is_mixed(const crd_i_column_format_evidence *evidence) {
    for (size_t i = 0; i < CRD_I_BOOLEAN_WORDS; i++) {
        unsigned char spellings = evidence->spellings[i];
        if ((spellings & (spellings - 1)) != 0) return true;
    }
    return false;
}

crd_i_column_format crd_i_column_format_evidence_find(const crd_i_column_format_evidence *evidence,
                                                      crd_i_column_format_doubt *doubt) {
    crd_i_column_format format = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    unsigned fits = evidence->fits;
    *doubt = CRD_I_DOUBT_NONE;
    if (evidence->cells == 0 || fits == 0 || crd_i_column_format_evidence_is_plain(evidence)) return format;
    if ((fits & BIT(CRD_I_READING_BOOLEAN)) != 0) {
        if (format_evidence_is_mixed(evidence)) format.reading = CRD_I_READING_BOOLEAN;
        return format;
    }
    unsigned dates = fits & (BIT(CRD_I_READING_ISO) | BIT(CRD_I_READING_DMY) | BIT(CRD_I_READING_MDY));
    unsigned both_orders = BIT(CRD_I_READING_DMY) | BIT(CRD_I_READING_MDY);
    if (dates == both_orders) {
        *doubt = CRD_I_DOUBT_DAY;
        return format;
    }
    if (dates != 0) {
        format.reading = CRD_I_READING_ISO;
        while ((dates & BIT(format.reading)) == 0) format.reading++;
        format.part = evidence->has_time ? CRD_I_PARTS_DATETIME : CRD_I_PARTS_DATE;
        return format;
    }
    if ((fits & BIT(CRD_I_READING_TIME)) != 0) {
        format.reading = CRD_I_READING_TIME;
        return format;
    }
    if (evidence->has_currencies) return format;
    bool by_point = (fits & (BIT(CRD_I_READING_POINT) | BIT(CRD_I_READING_PERCENT))) != 0;
    bool by_comma = (fits & (BIT(CRD_I_READING_COMMA) | BIT(CRD_I_READING_PERCENT_COMMA))) != 0;
    if (by_point && by_comma && evidence->decimals_differ) {
        *doubt = CRD_I_DOUBT_DECIMAL;
        return format;
    }
    for (unsigned reading = CRD_I_READING_POINT; reading <= CRD_I_READING_PERCENT_COMMA; reading++)
        if ((fits & BIT(reading)) != 0 && crd_i_column_format_is_plain(format)) format.reading = (unsigned char)reading;
    return format;
}

crd_i_column_format crd_i_column_format_evidence_resolve(const crd_i_column_format_evidence *evidence, char point) {
    crd_i_reading whole = point == ',' ? CRD_I_READING_COMMA : CRD_I_READING_POINT;
    crd_i_reading percent = point == ',' ? CRD_I_READING_PERCENT_COMMA : CRD_I_READING_PERCENT;
    crd_i_column_format format = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    /* Plain numbers that a comma leaves as they are stay plain. */
    bool is_grouped =
        point == ',' && crd_i_column_format_evidence_may_be_grouped(evidence) && evidence->decimals_differ;
    if (crd_i_column_format_evidence_is_plain(evidence) && !is_grouped) return format;
    if ((evidence->fits & BIT(whole)) != 0) format.reading = (unsigned char)whole;
    else if ((evidence->fits & BIT(percent)) != 0) format.reading = (unsigned char)percent;
    return format;
}

void crd_i_column_format_marks_add(crd_i_column_format_marks *marks, const crd_i_column_format_evidence *evidence) {
    crd_i_column_format_doubt doubt;
    const crd_i_column_format format = crd_i_column_format_evidence_find(evidence, &doubt);
    if (!evidence->has_mark) return;
    if (crd_i_column_format_evidence_is_plain(evidence) && !crd_i_column_format_evidence_may_be_grouped(evidence))
        marks->has_fraction = true;
    if (format.reading == CRD_I_READING_POINT || format.reading == CRD_I_READING_PERCENT) marks->has_point = true;
    if (format.reading == CRD_I_READING_COMMA || format.reading == CRD_I_READING_PERCENT_COMMA) marks->has_comma = true;
}

char crd_i_column_format_marks_convention(const crd_i_column_format_marks *marks) {
    const bool has_point = marks->has_point || marks->has_fraction;
    if (has_point == marks->has_comma) return '\0';
    return has_point ? '.' : ',';
}

crd_i_column_format crd_i_column_format_evidence_decide(const crd_i_column_format_evidence *evidence, char convention,
                                                        crd_i_column_format_doubt *doubt) {
    const crd_i_column_format format = crd_i_column_format_evidence_find(evidence, doubt);
    const bool is_plain = crd_i_column_format_evidence_is_plain(evidence);
    if (convention == '\0' || (!is_plain && *doubt != CRD_I_DOUBT_DECIMAL)) return format;
    *doubt = CRD_I_DOUBT_NONE;
    return crd_i_column_format_evidence_resolve(evidence, convention);
}
