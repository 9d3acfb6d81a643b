/* query_joint.c - the counts of columns, alone and together, and of events, as tables and as JSON. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/query/query_syntax.h"

#include <stdlib.h>
#include <string.h>

void joint_add_key(string *out, const asking *a, const question *q) {
    if (q->event != NULL) {
        crd_text text = crd_event_text(q->event);
        string_add(out, text.bytes, text.length);
        return;
    }
    for (size_t i = 0; i < q->count; i++) {
        if (i > 0) string_add_char(out, ',');
        string_add(out, a->names[q->columns[i]].bytes, a->names[q->columns[i]].length);
    }
}

/* A value as text; `room` is for numbers. */
static crd_text text_of(const crd_table *rows, size_t column, size_t value, char room[CRD_NUMBER_ROOM]) {
    crd_value v = crd_table_value(rows, column, value);
    if (v.kind != CRD_KIND_NUMBER) return v.text;
    return (crd_text){room, crd_number_format(v.number, room)};
}

static int count_cells(const asking *a, const question *q, const crd_table *rows, uint64_t **out, size_t *cells) {
    crd_error error;
    *out = NULL;
    crd_status status = crd_table_cells(rows, q->columns, q->count, cells, &error);
    if (status == CRD_OK) {
        *out = memory_resize(NULL, *cells, sizeof **out);
        status = crd_table_counts(rows, q->columns, q->count, *out, &error);
    }
    if (status == CRD_OK) return ENDED_WELL;
    free(*out);
    *out = NULL;
    return message_error_in(&error, a->call->arguments.operands[0]);
}

static void add_share(table *t, uint64_t rows, uint64_t of) {
    string cell = {0};
    asking_add_share(&cell, rows, of);
    table_add(t, string_text(&cell));
    string_free(&cell);
}

static void print_rest(asking *a, size_t shown, size_t all, const char *what) {
    if (shown < all)
        output_remark(&a->out, "and %zu %s%s more (--all)", all - shown, what, all - shown == 1 ? "" : "s");
}

static size_t least_shown(const asking *a, size_t count) {
    return a->all || count <= QUERY_VALUES_SHOWN ? count : QUERY_VALUES_SHOWN;
}

/* ---- One column ---- */

/* Mean and variance of a number column, by its counts. */
static void moments_of(const crd_table *rows, size_t column, const uint64_t *counts, double *mean, double *variance) {
    double n = (double)crd_table_rows(rows), sum = 0, squares = 0;
    size_t values = crd_table_value_count(rows, column);
    for (size_t i = 0; i < values; i++) sum += (double)counts[i] / n * crd_table_value(rows, column, i).number;
    for (size_t i = 0; i < values; i++) {
        double away = crd_table_value(rows, column, i).number - sum;
        squares += (double)counts[i] / n * away * away;
    }
    *mean = sum;
    *variance = squares;
}

static void print_column(asking *a, size_t column, const crd_table *rows, const uint64_t *counts) {
    char room[CRD_NUMBER_ROOM], mean_text[ROUNDED_ROOM], variance_text[ROUNDED_ROOM];
    size_t values = crd_table_value_count(rows, column), shown = least_shown(a, values);
    table *t = table_create_for(&a->out, 2);
    table_omit_heading(t);
    for (size_t i = 0; i < shown; i++) {
        table_add_name(t, text_of(rows, column, i, room));
        add_share(t, counts[i], crd_table_rows(rows));
    }
    table_print(t, a->out.stream, 2, a->out.width);
    table_destroy(t);
    print_rest(a, shown, values, "value");
    if (crd_table_column_kind(rows, column) != CRD_KIND_NUMBER) return;
    double mean = 0, variance = 0;
    moments_of(rows, column, counts, &mean, &variance);
    output_remark(&a->out, "mean %s, variance %s", output_round(mean, mean_text),
                  output_round(variance, variance_text));
}

/* ---- Several columns ---- */

/* Two: a row for each value of the first, a column for each of the second, and their sums. */
static void print_grid(asking *a, const question *q, const crd_table *rows, const uint64_t *counts) {
    char room[CRD_NUMBER_ROOM];
    size_t height = crd_table_value_count(rows, q->columns[0]), width = crd_table_value_count(rows, q->columns[1]);
    size_t shown = least_shown(a, height);
    uint64_t all = crd_table_rows(rows), sum;
    table *t = table_create_for(&a->out, width + 2);
    table_add(t, "");
    for (size_t j = 0; j < width; j++) table_add_name(t, text_of(rows, q->columns[1], j, room));
    table_add(t, "(all)");
    for (size_t i = 0; i < shown; i++) {
        table_add_name(t, text_of(rows, q->columns[0], i, room));
        sum = 0;
        for (size_t j = 0; j < width; j++) {
            sum += counts[i * width + j];
            add_share(t, counts[i * width + j], all);
        }
        add_share(t, sum, all);
    }
    table_add(t, "(all)");
    for (size_t j = 0; j < width; j++) {
        sum = 0;
        for (size_t i = 0; i < height; i++) sum += counts[i * width + j];
        add_share(t, sum, all);
    }
    add_share(t, all, all);
    table_print(t, a->out.stream, 2, a->out.width);
    table_destroy(t);
    print_rest(a, shown, height, "value");
}

/* More: a line for each combination that some row has. */
static void print_list(asking *a, const question *q, const crd_table *rows, const uint64_t *counts, size_t cells) {
    char room[CRD_NUMBER_ROOM];
    size_t found = 0, shown = 0;
    for (size_t i = 0; i < cells; i++) found += counts[i] > 0;
    table *t = table_create_for(&a->out, q->count + 1);
    for (size_t i = 0; i < q->count; i++) {
        table_align_left(t, i);
        table_add_name(t, a->names[q->columns[i]]);
    }
    table_add(t, "");
    for (size_t cell = 0; cell < cells && shown < least_shown(a, found); cell++) {
        if (counts[cell] == 0) continue;
        shown++;
        size_t below = cells;
        for (size_t i = 0; i < q->count; i++) {
            size_t values = crd_table_value_count(rows, q->columns[i]);
            below /= values;
            table_add_name(t, text_of(rows, q->columns[i], cell / below % values, room));
        }
        add_share(t, counts[cell], crd_table_rows(rows));
    }
    table_print(t, a->out.stream, 2, 0);
    table_destroy(t);
    print_rest(a, shown, found, "combination");
    if (found < cells) {
        output_remark(&a->out, "the other %zu of %zu combinations %s in no row", cells - found, cells,
                      cells - found == 1 ? "is" : "are");
    }
}

/* ---- Events ---- */

static int count_event(const asking *a, const crd_table *rows, const crd_event *const *events, size_t count,
                       uint64_t *out) {
    crd_error error;
    if (crd_table_count(rows, events, count, out, &error) == CRD_OK) return ENDED_WELL;
    return message_error_in(&error, a->call->arguments.operands[0]);
}

/* P(A or B) = P(A) + P(B) - P(A and B), and so on: every choice of some of the parts, smaller ones first. */
static int print_inclusion(asking *a, const crd_event *event, const crd_table *rows, uint64_t holds) {
    enum { MOST_PARTS = 3 };
    size_t parts = crd_event_part_count(event, CRD_EVENT_OR);
    if (parts < 2 || parts > MOST_PARTS) return ENDED_WELL;
    table *t = table_create_for(&a->out, 3);
    table_omit_heading(t);
    table_align_left(t, 1);
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
            uint64_t found = 0;
            if (count == size) ended = count_event(a, rows, chosen, count, &found);
            if (count == size && ended == ENDED_WELL) {
                table_add(t, size % 2 == 1 ? "+" : "-");
                table_add(t, string_text(&name));
                table_format(t, "%llu/%llu", (unsigned long long)found, (unsigned long long)crd_table_rows(rows));
            }
            string_free(&name);
        }
    }
    table_add(t, "=");
    table_add(t, "");
    table_format(t, "%llu/%llu", (unsigned long long)holds, (unsigned long long)crd_table_rows(rows));
    if (ended == ENDED_WELL) {
        output_heading(&a->out, 3, "By inclusion and exclusion", "");
        table_print(t, a->out.stream, 2, 0);
    }
    table_destroy(t);
    return ended;
}

static int print_event(asking *a, const question *q, const crd_table *rows) {
    uint64_t holds = 0;
    const crd_event *event = q->event;
    int ended = count_event(a, rows, &event, 1, &holds);
    if (ended != ENDED_WELL) return ended;
    table *t = table_create_for(&a->out, 2);
    table_omit_heading(t);
    table_add(t, "true");
    add_share(t, holds, crd_table_rows(rows));
    table_add(t, "false");
    add_share(t, crd_table_rows(rows) - holds, crd_table_rows(rows));
    table_print(t, a->out.stream, 2, 0);
    table_destroy(t);
    return print_inclusion(a, q->event, rows, holds);
}

int joint_print(asking *a, const question *q, const crd_table *rows) {
    string what = {0};
    if (q->event != NULL) string_add_shown(&what, crd_event_text(q->event));
    else words_add_names(&what, a->names, q->columns, q->count);
    asking_heading(a, string_text(&what), rows);
    string_free(&what);
    if (q->event != NULL) return print_event(a, q, rows);
    uint64_t *counts = NULL;
    size_t cells = 0;
    int ended = count_cells(a, q, rows, &counts, &cells);
    if (ended != ENDED_WELL) return ended;
    if (q->count == 1) print_column(a, q->columns[0], rows, counts);
    else if (q->count == 2) print_grid(a, q, rows, counts);
    else print_list(a, q, rows, counts, cells);
    free(counts);
    return ENDED_WELL;
}

/* ---- JSON ---- */

static void write_number(asking *a, const crd_table *rows, uint64_t count, bool counts) {
    json_number(&a->json, counts ? (double)count : (double)count / (double)crd_table_rows(rows));
}

/* Objects inside objects, the first column outermost. */
static void write_level(asking *a, const question *q, const crd_table *rows, size_t level, const uint64_t *cells,
                        size_t count, bool counts) {
    char room[CRD_NUMBER_ROOM];
    size_t values = crd_table_value_count(rows, q->columns[level]), part = values == 0 ? 0 : count / values;
    json_object(&a->json);
    for (size_t i = 0; i < values; i++) {
        json_key_text(&a->json, text_of(rows, q->columns[level], i, room));
        if (level + 1 == q->count) write_number(a, rows, cells[i], counts);
        else write_level(a, q, rows, level + 1, cells + i * part, part, counts);
    }
    json_end_object(&a->json);
}

int joint_json(asking *a, const question *q, const crd_table *rows, bool counts) {
    uint64_t *cells = NULL, holds = 0;
    size_t count = 0;
    if (q->event != NULL) {
        const crd_event *event = q->event;
        int ended = count_event(a, rows, &event, 1, &holds);
        json_object(&a->json);
        json_key(&a->json, "true");
        write_number(a, rows, holds, counts);
        json_key(&a->json, "false");
        write_number(a, rows, crd_table_rows(rows) - holds, counts);
        json_end_object(&a->json);
        return ended;
    }
    int ended = count_cells(a, q, rows, &cells, &count);
    if (ended != ENDED_WELL) return ended;
    write_level(a, q, rows, 0, cells, count, counts);
    free(cells);
    return ENDED_WELL;
}
