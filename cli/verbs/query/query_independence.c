/* SPDX-License-Identifier: MIT */
/* query_independence.c - tests whether columns of a table are independent, by chi-squared and G-squared. */
#include "verbs/query/query_table.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

/* A p-value below this level is reported as evidence against independence. */
static const double USUAL_LEVEL = 0.05;
/* A p-value below this limit is reported as "fewer than one in 10000", without its exact value. */
static const double LEAST_SAID = 1e-4;

static void query_independence_report_names(const asking *a, const char *key, const size_t *columns, size_t count) {
    crd_result_begin(a->report, CRD_ARRAY, key);
    for (size_t i = 0; i < count; i++) crd_result_text(a->report, NULL, a->names[columns[i]]);
    crd_result_end(a->report);
}

/* Reports the result in sentences. The first one is about the counts of this table: whether they factor exactly. The
 * others interpret the p-value, which treats the rows as a sample from a larger population. */
static void report_meaning(crd_result *r, const crd_independence *independence) {
    double p = independence->chi_squared_p; /* more accurate than the p-value of G-squared for small counts */
    char buffer[CRD_NUMBER_ROOM];
    if (independence->degrees > 0) {
        /* The statistic is computed from differences of integers, so it is 0 exactly if the counts factor. */
        crd_result_line(
            r, CRD_PARAGRAPH,
            independence->chi_squared == 0
                ? "In this table itself, the columns are independent: the counts factor exactly."
                : "In this table itself, the columns are not independent: the counts do not factor exactly.");
    }
    if (independence->degrees == 0) {
        crd_result_line(r, CRD_PARAGRAPH,
                        "One of the columns has a single value: there is no evidence against independence.");
    } else if (p < LEAST_SAID) {
        crd_result_line(r, CRD_PARAGRAPH,
                        "If they were independent, fewer than one in 10000 samples would be at least this far from "
                        "it: strong evidence against independence.");
    } else {
        crd_result_line(r, CRD_PARAGRAPH,
                        "If they were independent, %s of 100 samples would be at least this far from it: %s.",
                        crd_number_round(round(p * 10000) / 100, buffer),
                        p < USUAL_LEVEL ? "evidence against independence" : "no evidence against independence");
    }
    if (independence->cells_below > 0 && independence->degrees > 0) {
        crd_result_line(
            r, CRD_PARAGRAPH,
            "The p-values are approximate: %llu of %llu cells expect%s fewer than 5 rows, the minimum is %s.",
            (unsigned long long)independence->cells_below, (unsigned long long)independence->cells,
            independence->cells_below == 1 ? "s" : "", crd_number_round(independence->least_expected, buffer));
    }
}

/* Adds one test statistic with its degrees of freedom and p-value, to the JSON object and to the text table. */
static void report_test(crd_result_table *t, const char *key, const char *name, double statistic, double degrees,
                        double p) {
    crd_result_begin(t->result, CRD_OBJECT, key);
    crd_result_number(t->result, "statistic", statistic);
    crd_result_number(t->result, "p", p);
    crd_result_end(t->result);
    crd_cell_words(t, name);
    crd_cell_number(t, statistic);
    crd_cell_count(t, degrees);
    crd_cell_number(t, p);
}

/* Adds the names of the two sides: "Outlook and Wind" for columns, "{Outlook, Wind} and {Play}" for sets. */
static void add_sets(string *out, const asking *a, const question *tested, size_t first_count) {
    const bool are_sets = tested->count > 2;
    if (!are_sets) {
        words_add_names(out, a->names, tested->columns, 2);
        return;
    }
    for (size_t i = 0; i < tested->count; i++) {
        size_t place = i < first_count ? i : i - first_count;
        if (place == 0) string_format(out, i == 0 ? "{" : "} and {");
        string_add_listed(out, place, a->names[tested->columns[i]]);
    }
    string_add_char(out, '}');
}

/* Reports the test of the columns in `tested`, the first first_count of them against the others, within each
 * combination of values of the columns in `given`. */
static void query_independence_report_answer(const asking *a, const question *tested, size_t first_count,
                                             const question *given, const crd_independence *independence,
                                             const crd_table *rows) {
    char buffer[CRD_NUMBER_ROOM];
    crd_result *r = a->report;
    string given_string = {0};
    string_format(&given_string, "Independence of ");
    add_sets(&given_string, a, tested, first_count);
    if (given->count > 0) {
        string_format(&given_string, " within ");
        words_add_names(&given_string, a->names, given->columns, given->count);
    }
    asking_open(a);
    asking_heading(a, report_take(r, &given_string), rows);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_begin(r, CRD_OBJECT, "independence");
    if (tested->count == 2) {
        query_independence_report_names(a, "of", tested->columns, 2);
    } else {
        crd_result_begin(r, CRD_ARRAY, "of");
        query_independence_report_names(a, NULL, tested->columns, first_count);
        query_independence_report_names(a, NULL, tested->columns + first_count, tested->count - first_count);
        crd_result_end(r);
    }
    query_independence_report_names(a, "given", given->columns, given->count);
    crd_result_number(r, "rows", independence->rows);
    crd_result_number(r, "left_out", (double)crd_table_left_out(rows));
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "statistic");
    crd_result_add_column(t, NULL, "degrees");
    crd_result_add_column(t, NULL, "p-value");
    report_test(t, "chi_squared", "chi-squared", independence->chi_squared, independence->degrees,
                independence->chi_squared_p);
    report_test(t, "g_squared", "G-squared", independence->g_squared, independence->degrees, independence->g_squared_p);
    crd_result_number(r, "degrees", independence->degrees);
    crd_result_line(r, CRD_REMARK, "mutual information %s nats", crd_number_round(independence->information, buffer));
    crd_result_number(r, "mutual_information", independence->information);
    crd_result_number(r, "tables", (double)independence->tables);
    crd_result_number(r, "cells", (double)independence->cells);
    crd_result_number(r, "cells_below_5", (double)independence->cells_below);
    crd_result_number(r, "min_expected", independence->least_expected);
    report_meaning(r, independence);
    crd_result_end(r);
    crd_result_end(r);
}

static bool any_number(const crd_table *rows, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (crd_table_column_type(rows, columns[i]) == CRD_TYPE_NUMERIC) return true;
    }
    return false;
}

int independence_answer(const asking *a, const question *tested, size_t first_count, const question *given) {
    crd_error error;
    crd_table *rows = NULL;
    crd_independence independence = CRD_INDEPENDENCE_INIT;
    size_t count = given->count + tested->count, *all = memory_resize(NULL, count, sizeof *all);
    for (size_t i = 0; i < given->count; i++) all[i] = given->columns[i];
    for (size_t i = 0; i < tested->count; i++) all[given->count + i] = tested->columns[i];
    int ended = asking_rows(a, all, count, NULL, &rows);
    if (ended != ENDED_WELL) {
        free(all);
        return ended;
    }
    if (crd_table_independence(rows, tested->columns, first_count, tested->columns + first_count,
                               tested->count - first_count, given->columns, given->count, &independence,
                               &error) == CRD_OK) {
        query_independence_report_answer(a, tested, first_count, given, &independence, rows);
    } else {
        ended = message_error_in(&error, a->call->arguments.operands[0]);
        if (error.status == CRD_ERROR_COLUMN && any_number(rows, all, count)) {
            string column = {0};
            list_add_typed(&column, crd_text_of(error.subject));
            message_hint("--categorical %s treats its numbers as names; use it if the column has few values",
                         string_text(&column));
            string_free(&column);
        }
    }
    free(all);
    crd_table_destroy(rows);
    return ended;
}
