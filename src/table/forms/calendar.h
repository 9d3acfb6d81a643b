/* SPDX-License-Identifier: MIT */
/* calendar.h - dates and times of day as texts: years 0001 to 9999 of the Gregorian calendar, also before it was adopted. */
#ifndef CRD_TABLE_FORMS_CALENDAR_H
#define CRD_TABLE_FORMS_CALENDAR_H

#include <credence/base.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum crd_i_date_order { CRD_I_DATE_YMD, CRD_I_DATE_DMY, CRD_I_DATE_MDY } crd_i_date_order;

typedef struct crd_i_moment {
    int year, month, day;
    int hour, minute; /* as written, wherever that was */
    double second;    /* up to 61: leap seconds */
    int offset;       /* minutes that the clock is ahead of UTC; 0 where none is written */
    bool has_time;
} crd_i_moment;

/* A date, and a time behind a T or a blank. false: it is none, or the calendar has no such day. */
CRD_MUST_USE bool crd_i_moment_parse(crd_text text, crd_i_date_order order, crd_i_moment *out);
/* A time of day alone. */
CRD_MUST_USE bool crd_i_time_parse(crd_text text, crd_i_moment *out);

/* The moment of so many days since 1970-01-01, and seconds in that day. false: its year is not from 1 to 9999. */
CRD_MUST_USE bool crd_i_moment_of_days(int64_t days, double seconds, bool has_time, crd_i_moment *out);

/* Seconds since 1970-01-01T00:00:00Z, without leap seconds. */
double crd_i_moment_seconds(const crd_i_moment *moment);
/* 0: Monday. */
int crd_i_moment_weekday(const crd_i_moment *moment);

#endif
