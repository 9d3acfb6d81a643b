/* SPDX-License-Identifier: MIT */
/* calendar.h - parses dates and times of day, for years 0001 to 9999 of the (proleptic) Gregorian calendar. */
#ifndef CRD_TABLE_FORMS_CALENDAR_H
#define CRD_TABLE_FORMS_CALENDAR_H

#include <credence/base.h>

#include <stdbool.h>
#include <stdint.h>

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

#endif
