/* SPDX-License-Identifier: MIT */
/* query_table.h - the interface between the files that implement queries to the rows of a table. */
#ifndef CREDENCE_CLI_QUERY_TABLE_H
#define CREDENCE_CLI_QUERY_TABLE_H

#include "core/report.h"
#include "verbs/query/query_joint.h"
#include "verbs/query/query_syntax.h"

/* Answers the query by relative frequencies in the rows of the operands. Returns an exit code. */
int query_table(invocation *call);

/* One run of the verb. */
typedef struct asking {
    const invocation *call;
    crd_result *report;
    const crd_table *table;
    const crd_text *names;  /* of the table's columns */
    const crd_event *given; /* the event of --given; NULL: none */
    const char *given_text; /* as typed; "" if there is none */
    bool all;
} asking;

/* One query: the joint distribution of some columns, or an event. */
typedef struct question {
    size_t *columns;
    size_t count;
    crd_event *event;
    const asking *query;
    crd_table *rows;  /* the rows that it counts */
    uint64_t *counts; /* of each combination of values; of an event: where it is true, and where it is false */
} question;

/* Sets *out to the rows that a query counts: they satisfy --given and have no missing cells in the queried columns.
 * Reports an error if there are none, or if the query is not possible. */
int asking_rows(const asking *a, const size_t *columns, size_t count, const crd_event *event, crd_table **out);
/* Adds the first line of the report. */
void asking_open(const asking *a);
/* Adds a heading such as "Outlook given Play=Yes: 9 rows (1 skipped: a value is missing)". */
void asking_heading(const asking *a, const char *description, const crd_table *rows);

/* ---- query_counts.c ---- */

/* Counts the rows of a query. q->rows must be set. */
int question_count(const asking *a, question *q);
/* Reports the heading, the relative frequencies and, in the text report, details. */
int question_report(crd_result *r, const question *q);
/* Returns whether a query is for one numeric column, which has a mean and a variance. */
bool question_has_moments(const question *q);
/* Computes mean and variance of the numeric column. */
int question_moments(const question *q, double *mean, double *variance);
/* Reports the counts, only in JSON. */
void question_report_counts(crd_result *r, const question *q);
/* Adds the JSON key of a query. */
void question_add_key(string *out, const question *q);

/* ---- query_independence.c ---- */

/* Tests the independence of the first first_count columns of `tested` and the others, within each combination of
 * values of
 * the columns in `given`. Reports the result. */
int independence_answer(const asking *a, const question *tested, size_t first_count, const question *given);

#endif
