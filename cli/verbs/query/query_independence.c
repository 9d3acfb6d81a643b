/* query_independence.c - whether two columns are independent, as far as the rows can tell. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/query/query_syntax.h"

#include <math.h>
#include <stdlib.h>

/* Below this the rows are taken to speak against independence, as is usual. */
static const double USUAL_LEVEL = 0.05;
/* Below this the exact chance is no news. */
static const double LEAST_SAID = 1e-4;

static void write_test(json *j, const char *name, double statistic, double p) {
    json_key(j, name);
    json_object(j);
    json_member_number(j, "statistic", statistic);
    json_member_number(j, "p", p);
    json_end_object(j);
}

static void write_names(asking *a, const char *key, const size_t *columns, size_t count) {
    json_key(&a->json, key);
    json_array(&a->json);
    for (size_t i = 0; i < count; i++) json_text(&a->json, a->names[columns[i]]);
    json_end_array(&a->json);
}

static void write_json(asking *a, const size_t *columns, const size_t *given, size_t given_count,
                       const crd_independence *found, const crd_table *rows) {
    json *j = &a->json;
    json_object(j);
    json_key(j, "independence");
    json_object(j);
    write_names(a, "of", columns, 2);
    write_names(a, "given", given, given_count);
    json_member_number(j, "rows", found->rows);
    json_member_number(j, "left_out", (double)crd_table_left_out(rows));
    write_test(j, "chi_squared", found->chi_squared, found->chi_squared_p);
    write_test(j, "g_squared", found->g_squared, found->g_squared_p);
    json_member_number(j, "degrees", found->degrees);
    json_member_number(j, "mutual_information", found->information);
    json_member_number(j, "tables", (double)found->tables);
    json_member_number(j, "cells", (double)found->cells);
    json_member_number(j, "cells_below_5", (double)found->cells_below);
    json_member_number(j, "least_expected", found->least_expected);
    json_end_object(j);
    json_end_object(j);
    json_end_line(j);
}

/* What holds of the very counts, which may be all that there is to know, and what the p-value means, which takes the
 * rows as a sample of more. */
static void print_meaning(output *out, const crd_independence *found) {
    double p = found->chi_squared_p; /* the better of the two where counts are small */
    char room[ROUNDED_ROOM];
    if (found->degrees > 0) {
        /* Differences of whole numbers: zero where the counts factor, and nowhere else. */
        output_paragraph(out,
                         found->chi_squared == 0
                             ? "As it stands, the table's counts factor exactly: in these rows they are independent."
                             : "As it stands, the table's counts do not factor exactly: in these rows they depend "
                               "on each other.");
    }
    if (found->degrees == 0) {
        output_paragraph(out, "One of them has a single value, so nothing speaks against independence.");
    } else if (p < LEAST_SAID) {
        output_paragraph(out, "Were they independent, a table so far from it would come up less than once in 10000 "
                              "samples: the rows, as a sample, speak strongly against independence.");
    } else {
        output_paragraph(out, "Were they independent, a table so far from it would come up in %s of 100 samples: %s.",
                         output_round(round(p * 10000) / 100, room),
                         p < USUAL_LEVEL ? "the rows, as a sample, speak against independence"
                                         : "the rows, as a sample, do not speak against independence");
    }
    if (found->cells_below > 0 && found->degrees > 0) {
        output_paragraph(out,
                         "Take the p-values as rough: %llu of %llu cells expect%s fewer than 5 rows, the least %s.",
                         (unsigned long long)found->cells_below, (unsigned long long)found->cells,
                         found->cells_below == 1 ? "s" : "", output_round(found->least_expected, room));
    }
}

static void print_test(table *t, const char *name, double statistic, double degrees, double p) {
    char room[ROUNDED_ROOM];
    table_add(t, name);
    table_add(t, output_round(statistic, room));
    table_add(t, output_count(degrees, room));
    table_add(t, output_round(p, room));
}

static void print_answer(asking *a, const size_t *columns, const size_t *given, size_t given_count,
                         const crd_independence *found, const crd_table *rows) {
    char room[ROUNDED_ROOM];
    string what = {0};
    string_format(&what, "Independence of ");
    words_add_names(&what, a->names, columns, 2);
    if (given_count > 0) {
        string_format(&what, " within ");
        words_add_names(&what, a->names, given, given_count);
    }
    asking_heading(a, string_text(&what), rows);
    string_free(&what);
    table *t = table_create_for(&a->out, 4);
    table_add(t, "");
    table_add(t, "statistic");
    table_add(t, "degrees");
    table_add(t, "p-value");
    print_test(t, "chi-squared", found->chi_squared, found->degrees, found->chi_squared_p);
    print_test(t, "G-squared", found->g_squared, found->degrees, found->g_squared_p);
    table_print(t, a->out.stream, 2, 0);
    table_destroy(t);
    output_remark(&a->out, "mutual information %s nats", output_round(found->information, room));
    print_meaning(&a->out, found);
}

static bool any_number(const crd_table *rows, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (crd_table_column_kind(rows, columns[i]) == CRD_KIND_NUMBER) return true;
    }
    return false;
}

int independence_answer(asking *a, const size_t *columns, const size_t *given, size_t given_count) {
    crd_error error;
    crd_table *rows = NULL;
    crd_independence found = CRD_INDEPENDENCE_INIT;
    size_t *all = memory_resize(NULL, given_count + 2, sizeof *all);
    for (size_t i = 0; i < given_count; i++) all[i] = given[i];
    all[given_count] = columns[0];
    all[given_count + 1] = columns[1];
    int ended = asking_rows(a, all, given_count + 2, NULL, &rows);
    if (ended != ENDED_WELL) {
        free(all);
        return ended;
    }
    if (crd_table_independence(rows, columns[0], columns[1], given, given_count, &found, &error) == CRD_OK) {
        asking_open(a);
        if (a->out.format == FORMAT_JSON) write_json(a, columns, given, given_count, &found, rows);
        else print_answer(a, columns, given, given_count, &found, rows);
    } else {
        ended = message_error_in(&error, a->call->arguments.operands[0]);
        if (error.status == CRD_ERROR_COLUMN && any_number(rows, all, given_count + 2)) {
            string column = {0};
            list_add_typed(&column, crd_text_of(error.subject));
            message_hint("--category %s takes each of its numbers as a name; that suits one of few values",
                         string_text(&column));
            string_free(&column);
        }
    }
    free(all);
    crd_table_destroy(rows);
    return ended;
}
