/* SPDX-License-Identifier: MIT */
/* query_counts.c - counts and relative frequencies of table columns, separately or jointly, and of events. */
#include "verbs/query/query_table.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <stdlib.h>

static int query_counts_fail(const asking *a, const crd_error *error) {
    return message_error_in(error, a->call->arguments.operands[0]);
}

static int count_event(const asking *a, const crd_table *rows, const crd_event *const *events, size_t count,
                       uint64_t *out) {
    crd_error error;
    return crd_table_count(rows, events, count, out, &error) == CRD_OK ? ENDED_WELL : query_counts_fail(a, &error);
}

/* Counts the rows per combination of values, or the rows in which the event is true and in which it is false. */
int question_count(const asking *a, question *q) {
    crd_error error;
    size_t cells = 2;
    q->query = a;
    if (q->event != NULL) {
        const crd_event *event = q->event;
        q->counts = memory_resize(NULL, 2, sizeof *q->counts);
        int ended = count_event(a, q->rows, &event, 1, &q->counts[0]);
        q->counts[1] = crd_table_rows(q->rows) - q->counts[0];
        return ended;
    }
    crd_status status = crd_table_cells(q->rows, q->columns, q->count, &cells, &error);
    if (status != CRD_OK) return query_counts_fail(a, &error);
    q->counts = memory_resize(NULL, cells, sizeof *q->counts);
    status = crd_table_counts(q->rows, q->columns, q->count, q->counts, &error);
    return status == CRD_OK ? ENDED_WELL : query_counts_fail(a, &error);
}

/* ---- As a joint distribution ---- */

/* Returns the name of a value for the joint distribution. Numbers are formatted into `buffer`. */
static crd_text query_counts_value_name(const void *object, size_t variable, size_t value,
                                        char buffer[CRD_NUMBER_ROOM]) {
    const question *q = object;
    if (q->event != NULL) return crd_text_of(value == 0 ? "true" : "false");
    crd_value v = crd_table_value(q->rows, q->columns[variable], value);
    if (v.type != CRD_TYPE_NUMERIC) return v.text;
    return (crd_text){buffer, crd_number_format(v.number, buffer)};
}

/* Adds a relative frequency as a quotient and a decimal number, for example "4/9 = 0.44444". */
static void query_counts_add_share(crd_result_table *t, uint64_t rows, uint64_t total) {
    char buffer[CRD_NUMBER_ROOM];
    double share = (double)rows / (double)total;
    crd_cell_shown(t, share, "%llu/%llu = %s", (unsigned long long)rows, (unsigned long long)total,
                   crd_number_round(share, buffer));
}

static void add_quotient(crd_result_table *t, uint64_t rows, uint64_t total) {
    crd_cell_format(t, "%llu/%llu", (unsigned long long)rows, (unsigned long long)total);
}

static void add_cell_share(crd_result_table *t, const void *object, size_t cell) {
    const question *q = object;
    query_counts_add_share(t, q->counts[cell], crd_table_rows(q->rows));
}

static void add_cell_count(crd_result_table *t, const void *object, size_t cell) {
    const question *q = object;
    crd_cell_count(t, (double)q->counts[cell]);
}

/* Returns whether the text report lists a combination. Tables of three or more columns list only combinations that
 * occur
 * in the rows. */
static bool is_cell_seen(const void *object, size_t cell) {
    const question *q = object;
    return q->count < 3 || q->counts[cell] > 0;
}

/* Reports the joint distribution of a query's columns or event: row counts if is_counts, else relative frequencies. */
static int query_counts_report_joint(crd_result *r, const question *q, bool is_counts) {
    size_t variables = q->event != NULL ? 1 : q->count;
    size_t *sizes = memory_resize(NULL, variables, sizeof *sizes);
    crd_text *names = memory_resize(NULL, variables, sizeof *names);
    string key = {0};
    for (size_t i = 0; i < variables; i++) {
        sizes[i] = q->event != NULL ? 2 : crd_table_value_count(q->rows, q->columns[i]);
        names[i] = q->event != NULL ? crd_event_text(q->event) : q->query->names[q->columns[i]];
    }
    joint_distribution j = {.count = variables,
                            .names = names,
                            .sizes = sizes,
                            .data = q,
                            .value = query_counts_value_name,
                            .add = is_counts ? add_cell_count : add_cell_share,
                            .is_seen = is_cell_seen,
                            .is_hidden = is_counts || variables == 2, /* two columns are reported as a grid instead */
                            .all = q->query->all,
                            .is_drawn = !is_counts,
                            .given = q->query->given_text};
    question_add_key(&key, q);
    int ended = joint_report(r, (crd_text){string_text(&key), key.length}, &j);
    string_free(&key);
    free(sizes);
    free(names);
    return ended;
}

/* ---- Text report ---- */

/* Reports two columns as a grid: one line per value of the first column, one column per value of the second, and the
 * sums in the margins. */
static void report_grid(crd_result *r, const question *q) {
    char buffer[CRD_NUMBER_ROOM];
    size_t height = crd_table_value_count(q->rows, q->columns[0]),
           width = crd_table_value_count(q->rows, q->columns[1]);
    uint64_t all = crd_table_rows(q->rows);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "");
    for (size_t j = 0; j < width; j++)
        crd_result_add_column(t, NULL, crd_result_show(r, query_counts_value_name(q, 1, j, buffer)));
    crd_result_add_column(t, NULL, "(all)");
    for (size_t i = 0; i <= height; i++) {
        uint64_t total = 0;
        bool is_last = i == height;
        t->audience = is_last || q->query->all || i < QUERY_VALUES_SHOWN ? CRD_FOR_PEOPLE : CRD_FOR_JSON;
        crd_cell_name(t, is_last ? crd_text_of("(all)") : query_counts_value_name(q, 0, i, buffer));
        for (size_t j = 0; j < width; j++) {
            uint64_t sum = 0;
            for (size_t k = is_last ? 0 : i; k < (is_last ? height : i + 1); k++) sum += q->counts[k * width + j];
            query_counts_add_share(t, sum, all);
            total += sum;
        }
        query_counts_add_share(t, total, all);
    }
    if (!q->query->all && height > QUERY_VALUES_SHOWN)
        crd_result_line(r, CRD_REMARK, "and %zu more (--all)", height - QUERY_VALUES_SHOWN);
}

/* Reports how many combinations of values occur in no row. */
static void report_absent(crd_result *r, const question *q) {
    size_t cells = 1, combinations = 0;
    for (size_t i = 0; i < q->count; i++) cells *= crd_table_value_count(q->rows, q->columns[i]);
    for (size_t i = 0; i < cells; i++) combinations += q->counts[i] > 0;
    if (combinations == cells) return;
    crd_result_line(r, CRD_REMARK, "the other %zu of %zu combinations %s in no row", cells - combinations, cells,
                    cells - combinations == 1 ? "is" : "are");
}

/* Reports the probability of "A or B" by inclusion-exclusion, for at most three parts:
 * P(A or B) = P(A) + P(B) - P(A and B). The sum runs over every nonempty subset of the parts, smaller subsets first. */
static int report_inclusion(const asking *a, const crd_event *event, const crd_table *rows, uint64_t holds) {
    enum { MOST_PARTS = 3 };
    size_t parts = crd_event_part_count(event, CRD_EVENT_OR);
    if (parts < 2 || parts > MOST_PARTS) return ENDED_WELL;
    crd_result_heading(a->report, 3, "By inclusion and exclusion", "");
    crd_result_table *t = crd_result_add_table(a->report, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    crd_result_add_column(t, NULL, "");
    int ended = ENDED_WELL;
    for (size_t size = 1; size <= parts; size++) {
        for (unsigned choice = 1; choice < 1u << parts && ended == ENDED_WELL; choice++) {
            const crd_event *chosen[MOST_PARTS];
            size_t count = 0;
            string name = {0};
            for (size_t i = 0; i < parts; i++) {
                if ((choice >> i & 1) == 0) continue;
                chosen[count] = crd_event_part(event, i);
                string_format(&name, "%s", count == 0 ? "P(" : " and ");
                string_add_shown(&name, crd_event_text(chosen[count++]));
            }
            string_add_char(&name, ')');
            uint64_t event_rows = 0;
            if (count == size) ended = count_event(a, rows, chosen, count, &event_rows);
            if (count == size && ended == ENDED_WELL) {
                crd_cell_words(t, size % 2 == 1 ? "+" : "-");
                crd_cell_words(t, string_text(&name));
                add_quotient(t, event_rows, crd_table_rows(rows));
            }
            string_free(&name);
        }
    }
    crd_cell_words(t, "=");
    crd_cell_null(t);
    add_quotient(t, holds, crd_table_rows(rows));
    return ended;
}

bool question_has_moments(const question *q) {
    return q->event == NULL && q->count == 1 && crd_table_column_type(q->rows, q->columns[0]) == CRD_TYPE_NUMERIC;
}

int question_moments(const question *q, double *mean, double *variance) {
    crd_error error;
    if (crd_table_moments(q->rows, q->columns[0], mean, variance, &error) != CRD_OK)
        return query_counts_fail(q->query, &error);
    return ENDED_WELL;
}

int question_report(crd_result *r, const question *q) {
    const asking *a = q->query;
    char mean_text[CRD_NUMBER_ROOM], variance_text[CRD_NUMBER_ROOM];
    string given_string = {0};
    if (q->event != NULL) string_add_shown(&given_string, crd_event_text(q->event));
    else words_add_names(&given_string, a->names, q->columns, q->count);
    asking_heading(a, report_take(r, &given_string), q->rows);
    int ended = query_counts_report_joint(r, q, false);
    if (ended != ENDED_WELL) return ended;
    if (q->event != NULL) return report_inclusion(a, q->event, q->rows, q->counts[0]);
    if (q->count == 2) report_grid(r, q);
    if (q->count > 2) report_absent(r, q);
    if (!question_has_moments(q)) return ENDED_WELL;
    double mean = 0, variance = 0;
    ended = question_moments(q, &mean, &variance);
    if (ended != ENDED_WELL) return ended;
    crd_result_line(r, CRD_REMARK, "mean %s, variance %s", crd_number_round(mean, mean_text),
                    crd_number_round(variance, variance_text));
    return ENDED_WELL;
}

void question_report_counts(crd_result *r, const question *q) {
    (void)query_counts_report_joint(r, q, true); /* a table of counts draws nothing, so this cannot fail */
}

void question_add_key(string *out, const question *q) {
    if (q->event == NULL) {
        joint_add_key(out, q->query->names, q->columns, q->count);
        return;
    }
    crd_text text = crd_event_text(q->event);
    string_add(out, text.bytes, text.length);
}
