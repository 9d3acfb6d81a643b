/* SPDX-License-Identifier: MIT */
/* calendar.c - see column_format.h.
 *
 * ISO 8601: 2024-02-29, 2024-02-29T12:30, 2024-02-29 12:30:05.25Z, 2024-02-29T12:30:05+01:00.
 *
 * Dates with the day or the month first have one or two digits for the day and the month, and four for the year. They
 * are separated by slashes or hyphens, or, if the day is first, by points. A time may follow, with AM or PM at its
 * end. */
#include "table/values/column_format.h"

#include "math/decimal/decimal.h"

#include <credence/data.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool calendar_is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/* Parses a number of `least` to `most` digits. */
static bool take_digits(crd_text *text, size_t least, size_t most, int *out) {
    size_t count = 0;
    *out = 0;
    while (count < most && count < text->length && calendar_is_digit(text->bytes[count]))
        *out = *out * 10 + (text->bytes[count++] - '0');
    text->bytes += count;
    text->length -= count;
    return count >= least;
}

static bool calendar_take_byte(crd_text *text, char byte) {
    if (text->length == 0 || text->bytes[0] != byte) return false;
    text->bytes++;
    text->length--;
    return true;
}

/* ---- Dates ---- */

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool is_day(const crd_i_moment *moment) {
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (moment->year < 1 || moment->month < 1 || moment->month > 12 || moment->day < 1) return false;
    return moment->day <= DAYS[moment->month - 1] + (moment->month == 2 && is_leap(moment->year));
}

/* Returns the days since 1970-01-01. Years begin in March here, so a leap day is the last day: the days before a
 * month are then floor((153 m + 2) / 5) for m = 0 (March) to 11. */
static int64_t days_of(const crd_i_moment *moment) {
    int64_t year = moment->year - (moment->month <= 2), month = (moment->month + 9) % 12;
    int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + moment->day - 1;
    return days - 719468; /* days before 1970-01-01 by this rule */
}

static bool take_date(crd_text *text, crd_i_date_order order, crd_i_moment *moment) {
    bool is_iso = order == CRD_I_DATE_YMD;
    int *first = is_iso ? &moment->year : order == CRD_I_DATE_DMY ? &moment->day : &moment->month;
    int *second = order == CRD_I_DATE_MDY ? &moment->day : &moment->month;
    int *third = is_iso ? &moment->day : &moment->year;
    if (!take_digits(text, is_iso ? 4 : 1, is_iso ? 4 : 2, first) || text->length == 0) return false;
    char separator = text->bytes[0];
    bool fits = separator == '-' || separator == '/' || (separator == '.' && order == CRD_I_DATE_DMY);
    if (!fits || !calendar_take_byte(text, separator) || !take_digits(text, is_iso ? 2 : 1, 2, second)) return false;
    if (!calendar_take_byte(text, separator) || !take_digits(text, is_iso ? 2 : 4, is_iso ? 2 : 4, third)) return false;
    return is_day(moment);
}

/* ---- Times ---- */

static bool take_seconds(crd_text *text, double *out) {
    size_t length = 2;
    if (text->length < 2 || !calendar_is_digit(text->bytes[0]) || !calendar_is_digit(text->bytes[1])) return false;
    bool has_fraction =
        text->length > 3 && (text->bytes[2] == '.' || text->bytes[2] == ',') && calendar_is_digit(text->bytes[3]);
    char point = has_fraction ? text->bytes[2] : '.';
    for (length += has_fraction; has_fraction && length < text->length && calendar_is_digit(text->bytes[length]);)
        length++;
    crd_number_class class = crd_i_decimal_parse((crd_text){text->bytes, length}, point, out);
    text->bytes += length;
    text->length -= length;
    return class == CRD_NUMBER_FINITE && *out < 61;
}

/* Parses AM and PM, for hours 1 to 12. */
static bool take_half(crd_text *text, crd_i_moment *moment) {
    if (text->length < 2) return true;
    char half = (char)(text->bytes[text->length - 2] | 0x20), m = (char)(text->bytes[text->length - 1] | 0x20);
    if (m != 'm' || (half != 'a' && half != 'p')) return true;
    (void)calendar_take_byte(text, ' ');
    if (text->length != 2 || moment->hour < 1 || moment->hour > 12) return false;
    moment->hour = moment->hour % 12 + (half == 'p' ? 12 : 0);
    text->length = 0;
    return true;
}

static bool calendar_take_time(crd_text *text, size_t least, crd_i_moment *moment) {
    moment->has_time = true;
    if (!take_digits(text, least, 2, &moment->hour) || moment->hour > 23) return false;
    if (!calendar_take_byte(text, ':') || !take_digits(text, 2, 2, &moment->minute) || moment->minute > 59)
        return false;
    if (calendar_take_byte(text, ':') && !take_seconds(text, &moment->second)) return false;
    /* A leap second is the last of a minute. */
    return take_half(text, moment) && (moment->second < 60 || moment->minute % 30 == 29);
}

static bool take_utc_offset(crd_text *text, crd_i_moment *moment) {
    int hours, minutes = 0;
    if (text->length == 0) return true;
    if (calendar_take_byte(text, 'Z') || calendar_take_byte(text, 'z')) return text->length == 0;
    bool is_behind = text->bytes[0] == '-';
    if (!is_behind && text->bytes[0] != '+') return false;
    text->bytes++;
    text->length--;
    if (!take_digits(text, 2, 2, &hours) || hours > 23) return false;
    if (text->length > 0) {
        (void)calendar_take_byte(text, ':');
        if (!take_digits(text, 2, 2, &minutes) || minutes > 59) return false;
    }
    moment->offset = (hours * 60 + minutes) * (is_behind ? -1 : 1);
    return text->length == 0;
}

bool crd_i_moment_parse(crd_text text, crd_i_date_order order, crd_i_moment *out) {
    bool is_iso = order == CRD_I_DATE_YMD;
    memset(out, 0, sizeof *out);
    if (!take_date(&text, order, out)) return false;
    if (text.length == 0) return true;
    if (!calendar_take_byte(&text, 'T') && !calendar_take_byte(&text, 't') && !calendar_take_byte(&text, ' '))
        return false;
    if (!calendar_take_time(&text, is_iso ? 2 : 1, out)) return false;
    if (text.length > 1 && text.bytes[0] == ' ') (void)calendar_take_byte(&text, ' ');
    return take_utc_offset(&text, out);
}

bool crd_i_time_parse(crd_text text, crd_i_moment *out) {
    memset(out, 0, sizeof *out);
    return calendar_take_time(&text, 1, out) && text.length == 0;
}

/* The reverse of days_of, by eras of 400 years of 146,097 days. */
bool crd_i_moment_of_days(int64_t days, double seconds, bool has_time, crd_i_moment *out) {
    enum { ERA = 146097, CENTURY = 36524, FOUR_YEARS = 1460 };
    const int64_t least = -719162, greatest = 2932896; /* 0001-01-01 and 9999-12-31 */
    memset(out, 0, sizeof *out);
    if (days < least || days > greatest) return false;
    const int64_t since = days + 719468, era = since / ERA, of_era = since % ERA;
    const int64_t year = (of_era - of_era / FOUR_YEARS + of_era / CENTURY - of_era / (ERA - 1)) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    out->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    out->month = (int)(month < 10 ? month + 3 : month - 9);
    out->year = (int)(year + era * 400 + (out->month <= 2));
    out->has_time = has_time;
    out->hour = (int)(seconds / 3600);
    out->minute = (int)((seconds - out->hour * 3600.0) / 60);
    out->second = seconds - out->hour * 3600.0 - out->minute * 60.0;
    return true;
}

size_t crd_date_format(double seconds, int with_time, char buffer[CRD_DATE_ROOM]) {
    enum { DAY = 86400 };
    const double whole = floor(seconds + 0.5), days = floor(whole / DAY);
    crd_i_moment moment;
    buffer[0] = '\0';
    if (!(fabs(days) < 1e7) || !crd_i_moment_of_days((int64_t)days, whole - days * DAY, true, &moment)) return 0;
    const int length = with_time
                           ? snprintf(buffer, CRD_DATE_ROOM, "%04d-%02d-%02d %02d:%02d:%02d", moment.year, moment.month,
                                      moment.day, moment.hour, moment.minute, (int)moment.second)
                           : snprintf(buffer, CRD_DATE_ROOM, "%04d-%02d-%02d", moment.year, moment.month, moment.day);
    return (size_t)length;
}

double crd_i_moment_seconds(const crd_i_moment *moment) {
    int64_t minutes = (int64_t)moment->hour * 60 + moment->minute - moment->offset;
    int64_t days = moment->year == 0 ? 0 : days_of(moment); /* a time of day has no date */
    return (double)(days * 86400 + minutes * 60) + moment->second;
}

int crd_i_moment_weekday(const crd_i_moment *moment) {
    return (int)(((days_of(moment) + 3) % 7 + 7) % 7); /* 1970-01-01 was a Thursday */
}
