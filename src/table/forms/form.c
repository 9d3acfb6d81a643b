/* SPDX-License-Identifier: MIT */
/* form.c - see form.h. */
#include "table/forms/form.h"

#include "table/forms/amount.h"
#include "table/forms/calendar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Names ---- */

typedef struct named_form {
    const char *name, *example;
    crd_i_form form;
} named_form;

static const named_form FORMS[] = {
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

size_t crd_i_form_count(void) {
    return COUNT(FORMS);
}

crd_text crd_i_form_name_at(size_t i) {
    return crd_text_of(FORMS[i].name);
}

const char *crd_i_form_example_at(size_t i) {
    return FORMS[i].example;
}

crd_text crd_i_form_name(crd_i_form form) {
    for (size_t i = 0; i < COUNT(FORMS); i++)
        if (crd_i_form_equal(FORMS[i].form, form)) return crd_text_of(FORMS[i].name);
    return crd_text_of("");
}

bool crd_i_form_find(crd_text name, crd_i_form *form) {
    size_t i = 0;
    while (i < COUNT(FORMS) && !crd_text_equal(crd_text_of(FORMS[i].name), name)) i++;
    if (i < COUNT(FORMS)) *form = FORMS[i].form;
    return i < COUNT(FORMS);
}

crd_text crd_i_form_time_name(crd_i_form form) {
    const crd_text none = {NULL, 0};
    switch (form.reading) {
    case CRD_I_READING_POINT:
    case CRD_I_READING_COMMA:
    case CRD_I_READING_PERCENT:
    case CRD_I_READING_PERCENT_COMMA:
    case CRD_I_READING_DMY:
    case CRD_I_READING_MDY: return form.part == CRD_I_PART_WHOLE ? crd_i_form_name(form) : none;
    default: return none;
    }
}

bool crd_i_form_find_time(crd_text name, crd_i_form *form) {
    return crd_i_form_find(name, form) && form->part == CRD_I_PART_WHOLE && crd_i_form_kind(*form) == CRD_KIND_NUMBER;
}

/* ---- Parts ---- */

static const char *const SUFFIXES[CRD_I_PART_COUNT] = {"", ".year", ".month", ".weekday", ".hour"};

const char *crd_i_part_suffix(unsigned part) {
    return part < CRD_I_PART_COUNT ? SUFFIXES[part] : "";
}

bool crd_i_form_is_known(crd_i_form form) {
    if (form.reading >= CRD_I_READING_COUNT || form.part >= CRD_I_PART_COUNT) return false;
    return form.part == CRD_I_PART_WHOLE || crd_i_reading_is_date(form.reading);
}

crd_kind crd_i_form_kind(crd_i_form form) {
    if (crd_i_form_is_plain(form) || form.part >= CRD_I_PART_COUNT) return CRD_KIND_NONE;
    if (form.reading == CRD_I_READING_BOOLEAN) return CRD_KIND_CATEGORY;
    return form.part == CRD_I_PART_WHOLE || form.part == CRD_I_PART_YEAR ? CRD_KIND_NUMBER : CRD_KIND_CATEGORY;
}

size_t crd_i_form_split(crd_i_form form, crd_i_form *forms) {
    size_t count = 0;
    forms[0] = form;
    if (form.part < CRD_I_PART_COUNT) return 1;
    unsigned last = form.part == CRD_I_PARTS_DATE ? CRD_I_PART_WEEKDAY : CRD_I_PART_HOUR;
    for (unsigned part = CRD_I_PART_YEAR; part <= last; part++)
        forms[count++] = (crd_i_form){form.reading, (unsigned char)part};
    return count;
}

crd_i_form crd_i_form_join(const crd_i_form *forms, size_t count) {
    crd_i_form form = forms[0];
    if (form.part == CRD_I_PART_WHOLE) return form;
    form.part = CRD_I_PARTS_DATE;
    for (size_t i = 0; i < count; i++)
        if (forms[i].part == CRD_I_PART_HOUR) form.part = CRD_I_PARTS_DATETIME;
    return form;
}

/* ---- Cells ---- */

/* An ISO date has four digits first and can be read in one way only: every form of dates accepts it. */
static bool parse_moment(crd_i_form form, crd_text text, crd_i_moment *out) {
    if (!crd_i_reading_is_date(form.reading)) return crd_i_time_parse(text, out);
    const bool has_day_first = form.reading == CRD_I_READING_DMY && crd_i_moment_parse(text, CRD_I_DATE_DMY, out);
    const bool has_month_first = form.reading == CRD_I_READING_MDY && crd_i_moment_parse(text, CRD_I_DATE_MDY, out);
    return has_day_first || has_month_first || crd_i_moment_parse(text, CRD_I_DATE_YMD, out);
}

double crd_i_form_distance(double number, double scale) {
    return number == 0 ? 0 : fabs(log(fabs(number) / scale));
}

static crd_number_class parse_amount(crd_i_form form, crd_text text, double *out) {
    bool has_comma = form.reading == CRD_I_READING_COMMA || form.reading == CRD_I_READING_PERCENT_COMMA;
    bool is_percent = form.reading == CRD_I_READING_PERCENT || form.reading == CRD_I_READING_PERCENT_COMMA;
    crd_i_amount amount = crd_i_amount_parse(text, has_comma ? ',' : '.');
    if (amount.class == CRD_NUMBER_NONE) return CRD_NUMBER_NONE;
    bool fits = is_percent ? amount.is_percent || amount.number == 0 : !amount.is_percent;
    if (!fits) return CRD_NUMBER_NONE;
    *out = is_percent ? amount.number / 100 : amount.number;
    return amount.class;
}

double crd_i_form_moment_number(crd_i_form form, const crd_i_moment *moment) {
    return form.part == CRD_I_PART_YEAR ? moment->year : crd_i_moment_seconds(moment);
}

crd_number_class crd_i_form_number(crd_i_form form, crd_text text, double *out) {
    crd_i_moment moment;
    if (form.reading <= CRD_I_READING_PERCENT_COMMA) return parse_amount(form, text, out);
    if (!parse_moment(form, text, &moment)) return CRD_NUMBER_NONE;
    *out = crd_i_form_moment_number(form, &moment);
    return CRD_NUMBER_FINITE;
}

static const char *const BOOLEANS[CRD_I_BOOLEAN_WORDS] = {"true", "false", "yes", "no", "on",
                                                          "off",  "t",     "f",   "y",  "n"};

static bool form_is_same_but_case(crd_text text, const char *lower) {
    size_t i = 0;
    while (i < text.length && lower[i] != '\0' && (text.bytes[i] | 0x20) == lower[i]) i++;
    return i == text.length && lower[i] == '\0';
}

size_t crd_i_boolean_word(crd_text text) {
    size_t i = 0;
    while (i < COUNT(BOOLEANS) && !form_is_same_but_case(text, BOOLEANS[i])) i++;
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

crd_text crd_i_form_moment_text(crd_i_form form, const crd_i_moment *moment) {
    switch (form.part) {
    case CRD_I_PART_MONTH: return crd_text_of(NUMBERS[moment->month]);
    case CRD_I_PART_WEEKDAY: return crd_text_of(WEEKDAYS[crd_i_moment_weekday(moment)]);
    default: break;
    }
    return moment->has_time ? crd_text_of(NUMBERS[moment->hour]) : (crd_text){NULL, 0};
}

bool crd_i_form_text(crd_i_form form, crd_text text, crd_text *out) {
    crd_i_moment moment;
    *out = text;
    if (form.reading == CRD_I_READING_BOOLEAN) return find_boolean(text, out);
    if (!parse_moment(form, text, &moment)) return false;
    *out = crd_i_form_moment_text(form, &moment);
    return true;
}

bool crd_i_form_is_part_value(crd_i_form form, crd_text text) {
    static const struct {
        const char *const *values;
        size_t first, end;
    } PARTS[CRD_I_PART_COUNT] = {
        [CRD_I_PART_MONTH] = {NUMBERS, 1, 13},
        [CRD_I_PART_WEEKDAY] = {WEEKDAYS, 0, COUNT(WEEKDAYS)},
        [CRD_I_PART_HOUR] = {NUMBERS, 0, COUNT(NUMBERS)},
    };
    double year;
    if (form.part >= CRD_I_PART_COUNT) return false;
    if (form.part == CRD_I_PART_YEAR) return crd_number_parse(text, &year) == CRD_NUMBER_FINITE;
    for (size_t i = PARTS[form.part].first; i < PARTS[form.part].end; i++)
        if (crd_text_equal(crd_text_of(PARTS[form.part].values[i]), text)) return true;
    return false;
}

/* Times of day that were drawn from a density may lie before midnight, or after the next one. */
static size_t form_write_time(double seconds, char buffer[CRD_CELL_ROOM]) {
    enum { DAY = 86400, HOUR = 3600, MINUTE = 60 };
    double remainder = fmod(floor(seconds + 0.5), DAY);
    if (remainder < 0) remainder += DAY;
    const int whole = (int)remainder;
    return (size_t)snprintf(buffer, CRD_CELL_ROOM, "%02d:%02d:%02d", whole / HOUR, whole / MINUTE % MINUTE,
                            whole % MINUTE);
}

size_t crd_i_form_write(crd_i_form form, double number, char buffer[CRD_CELL_ROOM]) {
    const bool is_percent = form.reading == CRD_I_READING_PERCENT || form.reading == CRD_I_READING_PERCENT_COMMA;
    size_t length = 0;
    if (crd_i_reading_is_date(form.reading) && form.part == CRD_I_PART_WHOLE)
        length = crd_date_format(number, 1, buffer);
    if (form.reading == CRD_I_READING_TIME && fabs(number) < 1e9) length = form_write_time(number, buffer);
    if (length > 0) return length;
    length = crd_number_format(is_percent ? number * 100 : number, buffer);
    if (is_percent) buffer[length++] = '%';
    buffer[length] = '\0';
    return length;
}

const char *crd_i_form_noun(crd_i_form form) {
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
    return NOUNS[form.reading];
}
