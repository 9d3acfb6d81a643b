/* SPDX-License-Identifier: MIT */
/* form.h - how the text of a field becomes the value of a column.
 *
 * A form is a reading (what the text means: an amount, a percentage, a date) and, of dates, the part that the column has.
 * A field whose form has several parts feeds a column for each. Readings and parts stand in model files by their numbers,
 * which are never reused. */
#ifndef CRD_TABLE_FORMS_FORM_H
#define CRD_TABLE_FORMS_FORM_H

#include "table/forms/calendar.h"

#include <credence/data.h>
#include <credence/number.h>

#include <stdbool.h>

typedef enum crd_i_reading {
    CRD_I_READING_PLAIN = 0,         /* a number as crd_number_parse has it, or a category of the text */
    CRD_I_READING_POINT = 1,         /* a number with a decimal point: 1,234.50, $5, (12) */
    CRD_I_READING_COMMA = 2,         /* a number with a decimal comma: 1.234,50, 5 EUR */
    CRD_I_READING_PERCENT = 3,       /* the same, divided by 100: 12.5% is 0.125 */
    CRD_I_READING_PERCENT_COMMA = 4, /* 12,5% */
    CRD_I_READING_BOOLEAN = 5,       /* true, false, yes, no, on, off, t, f, y, n in any case of letters */
    CRD_I_READING_ISO = 6,           /* a date, and a time that may follow: 2024-02-29T12:30:05.5+01:00 */
    CRD_I_READING_DMY = 7,           /* the same, the day first: 29/02/2024, 29.2.2024 12:30 */
    CRD_I_READING_MDY = 8,           /* the same, the month first: 2/29/2024 1:30 PM */
    CRD_I_READING_TIME = 9,          /* a time of day, in seconds: 12:30 */
    CRD_I_READING_COUNT
} crd_i_reading;

typedef enum crd_i_part {
    CRD_I_PART_WHOLE = 0,   /* all of it: a number or a category; a date is seconds since 1970-01-01T00:00:00Z */
    CRD_I_PART_YEAR = 1,    /* a number */
    CRD_I_PART_MONTH = 2,   /* a category: 1 to 12 */
    CRD_I_PART_WEEKDAY = 3, /* a category: Mon to Sun */
    CRD_I_PART_HOUR = 4,    /* a category: 0 to 23; missing where the cell has no time */
    CRD_I_PART_COUNT,
    /* Of fields, never of columns: several parts. */
    CRD_I_PARTS_DATE = CRD_I_PART_COUNT, /* year, month and weekday */
    CRD_I_PARTS_DATETIME                 /* and the hour */
} crd_i_part;

typedef struct crd_i_form {
    unsigned char reading; /* a crd_i_reading */
    unsigned char part;    /* a crd_i_part */
} crd_i_form;

enum { CRD_I_MOST_PARTS = 4 };

static inline bool crd_i_form_is_plain(crd_i_form form) {
    return form.reading == CRD_I_READING_PLAIN;
}

static inline bool crd_i_form_equal(crd_i_form a, crd_i_form b) {
    return a.reading == b.reading && a.part == b.part;
}

static inline bool crd_i_reading_is_date(unsigned reading) {
    return reading >= CRD_I_READING_ISO && reading <= CRD_I_READING_MDY;
}

static inline bool crd_i_form_has_comma(crd_i_form form) {
    return form.reading == CRD_I_READING_COMMA || form.reading == CRD_I_READING_PERCENT_COMMA;
}
/* The same form with a decimal point. */
static inline crd_i_form crd_i_form_with_point(crd_i_form form) {
    if (form.reading == CRD_I_READING_COMMA) form.reading = CRD_I_READING_POINT;
    if (form.reading == CRD_I_READING_PERCENT_COMMA) form.reading = CRD_I_READING_PERCENT;
    return form;
}
/* How many orders of magnitude, in natural logarithms, a number is from a scale above 0; 0 for the number 0. */
double crd_i_form_distance(double number, double scale);

/* Whether it is the form of a column: readings and parts that are known and fit each other. */
bool crd_i_form_is_known(crd_i_form form);
/* The kind of a column of that form; NONE: plain, or the form of a field. */
crd_kind crd_i_form_kind(crd_i_form form);

/* The forms that fields can be given, by name: the name is "" where there is none. */
crd_text crd_i_form_name(crd_i_form form);
CRD_MUST_USE bool crd_i_form_find(crd_text name, crd_i_form *form);
/* Returns the name of a form of times, if cells of the form can have another reading as well: 01/02/2024, 1,234. Bytes are NULL if
 * they cannot. */
crd_text crd_i_form_time_name(crd_i_form form);
/* Finds the form of times with that name. Returns false if cells of the form are not times. */
CRD_MUST_USE bool crd_i_form_find_time(crd_text name, crd_i_form *form);
size_t crd_i_form_count(void);
crd_text crd_i_form_name_at(size_t i);
const char *crd_i_form_example_at(size_t i);

/* The forms of the columns that a field feeds, into `forms`, which has room for CRD_I_MOST_PARTS; returns how many. */
size_t crd_i_form_split(crd_i_form form, crd_i_form *forms);
/* The form of a field of which `count` columns have these forms, the reverse of the above. */
crd_i_form crd_i_form_join(const crd_i_form *forms, size_t count);
/* What the part adds to its field's name; "" for the whole. */
const char *crd_i_part_suffix(unsigned part);

/* A cell of a column of numbers. NONE: it has not that form. A part that the text lacks is NaN. */
crd_number_class crd_i_form_number(crd_i_form form, crd_text text, double *out);
/* A cell of a category: *out lives for ever, or is `text`; its bytes are NULL where the text lacks the part. false: it has
 * not that form. */
CRD_MUST_USE bool crd_i_form_text(crd_i_form form, crd_text text, crd_text *out);
/* Whether the text is the value of a part itself: 2024 of a year, 5 of a month, Tue of a weekday, 13 of an hour. */
bool crd_i_form_is_part_value(crd_i_form form, crd_text text);
/* The same of a date or time that is known: the number of a column of numbers, the text of a category. */
double crd_i_form_moment_number(crd_i_form form, const crd_i_moment *moment);
crd_text crd_i_form_moment_text(crd_i_form form, const crd_i_moment *moment);
/* Which of the words for truth values it is, in any case of letters; as many as there are: none. */
enum { CRD_I_BOOLEAN_WORDS = 10 };
size_t crd_i_boolean_word(crd_text text);
/* Writes a number so that a cell of the form has it: 12.5%, 2024-02-29 12:30:05, 12:30:05, else as crd_number_format does. Returns
 * the length; the text ends with a NUL byte. */
size_t crd_i_form_write(crd_i_form form, double number, char room[CRD_CELL_ROOM]);
/* What cells of the form are called in messages: "a date". */
const char *crd_i_form_noun(crd_i_form form);

#endif
