/* SPDX-License-Identifier: MIT */
/* column_format.h - column formats: how the text of a field becomes the value of a column.
 *
 * A format consists of a reading (the meaning of the text: an amount, a percentage, a date) and, for dates, the part
 * that the column contains. A field whose format has several parts becomes one column per part. Model files store the
 * numbers of readings and parts, so a number is never reused. */
#ifndef CRD_TABLE_VALUES_COLUMN_FORMAT_H
#define CRD_TABLE_VALUES_COLUMN_FORMAT_H

#include "base/dictionary.h"

#include <credence/base.h>
#include <credence/data.h>
#include <credence/number.h>
#include <stdbool.h>
#include <stdint.h>

/* ======== Dates and times ========
 *
 * Dates and times of day are parsed for years 0001 to 9999 of the (proleptic) Gregorian calendar. */

typedef enum crd_i_date_order { CRD_I_DATE_YMD, CRD_I_DATE_DMY, CRD_I_DATE_MDY } crd_i_date_order;

typedef struct crd_i_moment {
    int year, month, day;
    int hour, minute; /* local time, as written */
    double second;    /* up to 61, for leap seconds */
    int offset;       /* minutes ahead of UTC; 0 if none is written */
    bool has_time;
} crd_i_moment;

/* Parses a date, optionally followed by T or a space and a time. false: not a date, or no such day in the calendar. */
CRD_MUST_USE bool crd_i_moment_parse(crd_text text, crd_i_date_order order, crd_i_moment *out);
/* Parses a time of day without a date. */
CRD_MUST_USE bool crd_i_time_parse(crd_text text, crd_i_moment *out);

/* Converts days since 1970-01-01 and seconds of the day. false: the year is not from 1 to 9999. */
CRD_MUST_USE bool crd_i_moment_of_days(int64_t days, double seconds, bool has_time, crd_i_moment *out);

/* Returns the seconds since 1970-01-01T00:00:00Z, without leap seconds. */
double crd_i_moment_seconds(const crd_i_moment *moment);
/* Returns the day of the week; 0: Monday. */
int crd_i_moment_weekday(const crd_i_moment *moment);

typedef enum crd_i_reading {
    CRD_I_READING_PLAIN = 0,         /* a number that crd_number_parse accepts, or the text as a category */
    CRD_I_READING_POINT = 1,         /* a number with a decimal point: 1,234.50, $5, (12) */
    CRD_I_READING_COMMA = 2,         /* a number with a decimal comma: 1.234,50, 5 EUR */
    CRD_I_READING_PERCENT = 3,       /* a number divided by 100: 12.5% is 0.125 */
    CRD_I_READING_PERCENT_COMMA = 4, /* a percentage with a decimal comma: 12,5% */
    CRD_I_READING_BOOLEAN = 5,       /* true, false, yes, no, on, off, t, f, y, n in any letter case */
    CRD_I_READING_ISO = 6,           /* a date with an optional time: 2024-02-29T12:30:05.5+01:00 */
    CRD_I_READING_DMY = 7,           /* a date with an optional time, day first: 29/02/2024, 29.2.2024 12:30 */
    CRD_I_READING_MDY = 8,           /* a date with an optional time, month first: 2/29/2024 1:30 PM */
    CRD_I_READING_TIME = 9,          /* a time of day, in seconds: 12:30 */
    CRD_I_READING_COUNT
} crd_i_reading;

typedef enum crd_i_part {
    CRD_I_PART_WHOLE = 0,   /* the whole value: a number or a category; a date is seconds since 1970-01-01T00:00:00Z */
    CRD_I_PART_YEAR = 1,    /* a number */
    CRD_I_PART_MONTH = 2,   /* a category: 1 to 12 */
    CRD_I_PART_WEEKDAY = 3, /* a category: Mon to Sun */
    CRD_I_PART_HOUR = 4,    /* a category: 0 to 23; missing if the cell has no time */
    CRD_I_PART_COUNT,
    /* For fields with several parts, never for columns. */
    CRD_I_PARTS_DATE = CRD_I_PART_COUNT, /* year, month and weekday */
    CRD_I_PARTS_DATETIME                 /* year, month, weekday and hour */
} crd_i_part;

typedef struct crd_i_column_format {
    unsigned char reading; /* a crd_i_reading */
    unsigned char part;    /* a crd_i_part */
} crd_i_column_format;

enum { CRD_I_MOST_PARTS = 4 };

static inline bool crd_i_column_format_is_plain(crd_i_column_format format) {
    return format.reading == CRD_I_READING_PLAIN;
}

static inline bool crd_i_column_format_equal(crd_i_column_format a, crd_i_column_format b) {
    return a.reading == b.reading && a.part == b.part;
}

static inline bool crd_i_reading_is_date(unsigned reading) {
    return reading >= CRD_I_READING_ISO && reading <= CRD_I_READING_MDY;
}

static inline bool crd_i_column_format_has_comma(crd_i_column_format format) {
    return format.reading == CRD_I_READING_COMMA || format.reading == CRD_I_READING_PERCENT_COMMA;
}
/* Returns the format with a decimal point instead of a decimal comma. */
static inline crd_i_column_format crd_i_column_format_with_point(crd_i_column_format format) {
    if (format.reading == CRD_I_READING_COMMA) format.reading = CRD_I_READING_POINT;
    if (format.reading == CRD_I_READING_PERCENT_COMMA) format.reading = CRD_I_READING_PERCENT;
    return format;
}
/* Returns |log(number / scale)|, the distance of a number from a scale above 0 in natural logarithms; 0 for the
 * number 0. */
double crd_i_column_format_distance(double number, double scale);

/* Returns whether a format is valid for a column: its reading and part exist and match. */
bool crd_i_column_format_is_known(crd_i_column_format format);
/* Returns the type of a column with this format; NONE: plain, or a format for fields only. */
crd_column_type crd_i_column_format_type(crd_i_column_format format);

/* Finds the column type with that name. Also accepts the names of earlier versions: number, category. */
CRD_MUST_USE bool crd_i_column_type_find(crd_text name, crd_column_type *out);

/* Returns the name of a format that users can set for a field; "" if it has none. crd_i_column_format_find returns the format
 * with a name. */
crd_text crd_i_column_format_name(crd_i_column_format format);
CRD_MUST_USE bool crd_i_column_format_find(crd_text name, crd_i_column_format *format);
/* Returns the name of a format of times, if cells of the format can have another reading as well: 01/02/2024, 1,234. Bytes
 * are NULL if they cannot. */
crd_text crd_i_column_format_time_name(crd_i_column_format format);
/* Finds the format of times with that name. Returns false if cells of the format are not times. */
CRD_MUST_USE bool crd_i_column_format_find_time(crd_text name, crd_i_column_format *format);
size_t crd_i_column_format_count(void);
crd_text crd_i_column_format_name_at(size_t i);
const char *crd_i_column_format_example_at(size_t i);

/* Stores the formats of the columns that a field becomes in `formats`, which has room for CRD_I_MOST_PARTS. Returns
 * their number. */
size_t crd_i_column_format_split(crd_i_column_format format, crd_i_column_format *formats);
/* Returns the format of the field whose `count` columns have these formats. Reverses crd_i_column_format_split. */
crd_i_column_format crd_i_column_format_join(const crd_i_column_format *formats, size_t count);
/* Returns the suffix that a part adds to its field's name; "" for the whole. */
const char *crd_i_part_suffix(unsigned part);

/* Parses a cell of a numeric column. NONE: the text does not have the format. *out is NaN if the text lacks the part. */
crd_number_class crd_i_column_format_number(crd_i_column_format format, crd_text text, double *out);
/* Parses a cell of a category. *out is a static text or `text`; its bytes are NULL if the text lacks the part.
 * false: the text does not have the format. */
CRD_MUST_USE bool crd_i_column_format_text(crd_i_column_format format, crd_text text, crd_text *out);
/* Returns whether the text is directly the value of a part: 2024 for a year, 5 for a month, Tue for a weekday, 13
 * for an hour. */
bool crd_i_column_format_is_part_value(crd_i_column_format format, crd_text text);
/* Return the value of a format for a parsed date or time: the number of a numeric column, or the text of a category. */
double crd_i_column_format_moment_number(crd_i_column_format format, const crd_i_moment *moment);
crd_text crd_i_column_format_moment_text(crd_i_column_format format, const crd_i_moment *moment);
/* Returns the index of a truth-value word, in any letter case; CRD_I_BOOLEAN_WORDS: not one of them. */
enum { CRD_I_BOOLEAN_WORDS = 10 };
size_t crd_i_boolean_word(crd_text text);
/* Formats a number as a cell of the format: 12.5%, 2024-02-29 12:30:05, 12:30:05, otherwise like crd_number_format.
 * Returns the length; the text is NUL-terminated. */
size_t crd_i_column_format_write(crd_i_column_format format, double number, char buffer[CRD_CELL_ROOM]);
/* Returns the noun for cells of the format in messages: "a date". */
const char *crd_i_column_format_noun(crd_i_column_format format);

/* ======== Evidence about formats ========
 *
 * Evidence is collected about the formats that all cells of a column have.
 *
 * Each cell fits a set of readings, and a column has the intersection of its cells' sets, so row order does not
 * matter. A column has a format if exactly one reading other than plain is left, or if all remaining readings give
 * every cell the same value. */

/* Zero-initialize it: no cell was added. */
typedef struct crd_i_column_format_evidence {
    uint64_t cells;
    uint64_t decimals;    /* number of cells that are numbers, including codes of digits */
    unsigned fits;        /* bit r: all cells fit reading r; bit CRD_I_READING_PLAIN: plain numbers */
    bool decimals_differ; /* a cell has different values with a decimal point and with a decimal comma */
    bool days_differ;     /* a cell is a different date with the day first than with the month first */
    bool has_mark;        /* an amount is valid only with a decimal point, or only with a decimal comma */
    bool has_time;        /* a date has a time */
    bool has_hundreds;    /* a plain number has three or more digits and no point */
    bool has_currencies;  /* several currencies occur */
    int currency;         /* 0: none yet */
    /* of each word: bits for lower case, upper case, capitalized, other */
    unsigned char spellings[CRD_I_BOOLEAN_WORDS];
} crd_i_column_format_evidence;

typedef enum crd_i_column_format_doubt {
    CRD_I_DOUBT_NONE,
    CRD_I_DOUBT_DECIMAL,
    CRD_I_DOUBT_DAY
} crd_i_column_format_doubt;

/* Adds a present cell. `point` is the known decimal mark; '\0': a point for plain numbers, either for others.
 * is_text: the file declares that the cell is not a number. */
void crd_i_column_format_evidence_add(crd_i_column_format_evidence *evidence, crd_text text, char point, bool is_text);
/* Returns true if the cell surely changes nothing, as nearly all cells of a numeric column do after the first ones.
 * This is a quick check: false means it may or may not. */
bool crd_i_column_format_evidence_has_settled(const crd_i_column_format_evidence *evidence, crd_text text, char point);
/* Adds the evidence of another part of the column. */
void crd_i_column_format_evidence_combine(crd_i_column_format_evidence *evidence,
                                          const crd_i_column_format_evidence *other);
/* Returns whether a further cell could still lead to a format. */
bool crd_i_column_format_evidence_is_open(const crd_i_column_format_evidence *evidence);
/* Returns whether there are cells and all of them are plain numbers. */
bool crd_i_column_format_evidence_is_plain(const crd_i_column_format_evidence *evidence);
/* Returns whether there are cells and all of them are truth values. */
bool crd_i_column_format_evidence_is_truth(const crd_i_column_format_evidence *evidence);
/* Returns whether all cells are plain numbers that have groups of three digits after any point (1.234, 999). In a
 * file with decimal commas they are other numbers. */
bool crd_i_column_format_evidence_may_be_grouped(const crd_i_column_format_evidence *evidence);
/* Returns whether these cells and further ones could prove that the file has decimal commas. */
bool crd_i_column_format_evidence_may_prove_comma(const crd_i_column_format_evidence *evidence);
/* The decimal marks in the columns of a file: amounts with a point, amounts with a comma, and plain numbers such as
 * 11.5, whose point is the decimal mark. */
typedef struct crd_i_column_format_marks {
    bool has_point, has_comma, has_fraction;
} crd_i_column_format_marks;
void crd_i_column_format_marks_add(crd_i_column_format_marks *marks, const crd_i_column_format_evidence *evidence);
/* Returns the decimal mark of the unambiguous columns; '\0' if they have none, or both. */
char crd_i_column_format_marks_convention(const crd_i_column_format_marks *marks);
/* Returns the format of the field, given the decimal mark of its file or '\0'. Returns a plain format if there is none,
 * or if *doubt is set. */
crd_i_column_format crd_i_column_format_evidence_decide(const crd_i_column_format_evidence *evidence, char convention,
                                                        crd_i_column_format_doubt *doubt);
/* Returns the format of the field; a plain format if there is none, or if *doubt is set. */
crd_i_column_format crd_i_column_format_evidence_find(const crd_i_column_format_evidence *evidence,
                                                      crd_i_column_format_doubt *doubt);
/* Returns the format of amounts whose decimal mark is in doubt, or of plain numbers, if the decimal mark is known from
 * elsewhere. */
crd_i_column_format crd_i_column_format_evidence_resolve(const crd_i_column_format_evidence *evidence, char point);

/* ======== Amounts ========
 *
 * Amounts are numbers as people write them: digit groups, currency and percent signs, negative numbers in
 * parentheses. */

typedef struct crd_i_amount {
    crd_number_class class; /* NONE: not an amount, and the other members are undefined */
    double number;          /* as written, not divided by 100 */
    bool is_percent;
    int currency; /* number of the currency from 1, the same for a sign and its code; 0: none */
} crd_i_amount;

/* Parses an amount. `point` is the decimal mark, a point or a comma. The other of the two can separate groups of
 * three digits, and so can spaces, apostrophes, no-break spaces and thin spaces. A text without any of these is
 * parsed like crd_i_decimal_parse, except that digits with a leading zero are a code. */
crd_i_amount crd_i_amount_parse(crd_text text, char point);

/* Returns whether digits are an identifier rather than a quantity: two or more digits with a leading zero (08123),
 * or 17 or more digits, which a double cannot distinguish. */
bool crd_i_is_code(crd_text text);

/* ======== Truth words ========
 *
 * Truth words are the spelling of a column's truth values.
 *
 * Truth values of columns in memory have no spelling, and files spell them in several ways: true, True, TRUE. A model
 * or a network uses one spelling. Cells match it exactly. If the column has exactly the two words of a pair such as
 * true and false, or yes and no, cells also match in any letter case. */

/* Zero-initialize it: false and true. */
typedef struct crd_i_truth_words {
    char words[2][8]; /* for false and true; empty: "false", "true" */
    bool is_exact;    /* the column has these two values and no others */
} crd_i_truth_words;

/* Returns the words of a column that has these values. If they are not exactly a pair, the words are false and true in
 * the spelling that occurs among the values. NULL: it has no values. */
crd_i_truth_words crd_i_truth_words_of(const crd_i_dictionary *values);
/* Returns the word for a truth value, which lives as long as `words`. NULL: false and true. */
crd_text crd_i_truth_word(const crd_i_truth_words *words, bool value);
/* Returns the word of an exact pair that equals `text` except for letter case; otherwise returns `text`. NULL:
 * returns `text`. */
crd_text crd_i_truth_words_match(const crd_i_truth_words *words, crd_text text);
/* Returns the code of a cell's text among the values of a category: by exact spelling, otherwise as a truth value.
 * -1: not found. */
int32_t crd_i_find_value(const crd_i_dictionary *values, crd_text text);

#endif
