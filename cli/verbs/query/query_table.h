/* SPDX-License-Identifier: MIT */
/* query_table.h - what the files share that ask the rows of a table. */
#ifndef CREDENCE_CLI_QUERY_TABLE_H
#define CREDENCE_CLI_QUERY_TABLE_H

#include "core/report.h"
#include "verbs/query/query_joint.h"
#include "verbs/query/query_syntax.h"

/* Asks the rows of files, as a table of counts. */
int query_table(invocation *call);

/* One run. */
typedef struct asking {
    const invocation *call;
    report *report;
    const crd_table *table;
    const crd_text *names;  /* of the table's columns */
    const crd_event *given; /* NULL: nothing */
    const char *given_text; /* as typed; "" where nothing is given */
    bool all;
} asking;

/* One thing asked for: some columns together, or an event. */
typedef struct question {
    size_t *columns;
    size_t count;
    crd_event *event;
    const asking *query;
    crd_table *rows;  /* that it is about */
    uint64_t *counts; /* of each combination of values; of an event, where it holds and where not */
} question;

/* The table's rows that a question is about; where there are none, or it cannot be answered, says so. */
int asking_rows(const asking *a, const size_t *columns, size_t count, const crd_event *event, crd_table **out);
/* The first line of a report. */
void asking_open(const asking *a);
/* "Outlook given Play=Yes: 9 rows (1 left out: a cell is missing)" */
void asking_heading(const asking *a, const char *description, const crd_table *rows);

/* ---- query_counts.c ---- */

/* Counts the rows of a question that has them. */
int question_count(const asking *a, question *q);
/* Its heading, its probabilities, and what else people see of them. */
int question_report(report *r, const question *q);
/* Whether it asks for one column of numbers, which has a mean and a variance. */
bool question_has_moments(const question *q);
int question_moments(const question *q, double *mean, double *variance);
/* Its counts, for machines. */
void question_report_counts(report *r, const question *q);
/* The name of a question in JSON. */
void question_add_key(string *out, const question *q);

/* ---- query_independence.c ---- */

/* A test of --independence, between the first so many columns and the others, within each combination of values of those
 * that are given. */
int independence_answer(const asking *a, const question *tested, size_t first_count, const question *given);

#endif
