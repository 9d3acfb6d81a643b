/* SPDX-License-Identifier: MIT */
/* query_table.c - queries the rows of files: reads the columns and events of the options, and counts the rows. */
#include "verbs/query/query_table.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/model_operand.h"

#include <stdlib.h>
#include <string.h>

/* The parsed queries of the command line. */
typedef struct table_questions {
    const invocation *call;
    crd_reader *reader;
    crd_text *names;
    size_t name_count;
    question *items;
    size_t count;
    question tested;     /* the columns of --independence */
    size_t tested_first; /* how many of them belong to the first set */
    question strata;     /* the columns in --given: independence is tested within each combination of their values */
    crd_event *given;
    string given_text;
} table_questions;

static void question_free(question *q) {
    free(q->columns);
    free(q->counts);
    crd_table_destroy(q->rows);
    crd_event_destroy(q->event);
}

static void questions_free(table_questions *q) {
    for (size_t i = 0; i < q->count; i++) question_free(&q->items[i]);
    question_free(&q->tested);
    question_free(&q->strata);
    free(q->items);
    free(q->names);
    crd_event_destroy(q->given);
    string_free(&q->given_text);
}

static void query_table_add_column(question *target_question, size_t column) {
    target_question->columns =
        memory_resize(target_question->columns, target_question->count + 1, sizeof *target_question->columns);
    target_question->columns[target_question->count++] = column;
}

static question *add_question(table_questions *q) {
    q->items = memory_resize(q->items, q->count + 1, sizeof *q->items);
    q->items[q->count] = (question){0};
    return &q->items[q->count++];
}

/* Finds the columns that an item selects. Sets *count to 0 if it selects none. */
static void query_table_select_columns(const table_questions *q, crd_text item, size_t *columns, size_t *count) {
    list unquoted;
    crd_text selector = words_unquoted(item, &unquoted);
    crd_error error;
    if (crd_reader_select(q->reader, selector, columns, count, &error) != CRD_OK) *count = 0;
    list_free(&unquoted);
}

static int query_table_parse_event(const table_questions *q, const char *where, crd_text text, crd_event **out) {
    return words_parse_event(q->call, where, "column", text, q->names, q->name_count, out);
}

/* Returns whether an item is COLUMN:WORD, which only models with text columns support. */
static bool query_table_is_word(const table_questions *q, crd_text item) {
    const char *colon = memchr(item.bytes, ':', item.length);
    if (colon == NULL) return false;
    const crd_text column = {item.bytes, (size_t)(colon - item.bytes)};
    for (size_t i = 0; i < q->name_count; i++)
        if (crd_text_equal(q->names[i], column)) return true;
    return false;
}

static int refuse_word(crd_text item) {
    string shown = {0};
    string_add_shown(&shown, item);
    int ended = message_usage("--of: '%s': words of texts need a model, not a table", string_text(&shown));
    message_hint("train one with --as model, --target COL and --text COL");
    string_free(&shown);
    return ended;
}

/* Reads --of. Each item is a column, a selection of columns, or an event. */
static int query_table_read(table_questions *q, bool together, size_t *columns) {
    words source_words;
    crd_text bare;
    int ended = ENDED_WELL;
    words_split(q->call, "of", &source_words);
    question *joint = together ? add_question(q) : NULL;
    for (size_t i = 0; i < source_words.count && ended == ENDED_WELL; i++) {
        size_t count = 0;
        query_table_select_columns(q, source_words.items[i], columns, &count);
        if (count == 0 && words_probability(source_words.items[i], &bare))
            query_table_select_columns(q, bare, columns, &count);
        for (size_t j = 0; j < count; j++) query_table_add_column(joint != NULL ? joint : add_question(q), columns[j]);
        if (count > 0) continue;
        bool is_name = !words_compare(source_words.items[i]) && !words_hold(source_words.items[i], "|");
        if (is_name && query_table_is_word(q, source_words.items[i])) {
            ended = refuse_word(source_words.items[i]);
        } else if (is_name) {
            ended = message_no_such("of", "column", source_words.items[i], q->names, q->name_count);
        } else if (together) {
            ended = message_usage("--joint-distribution expects columns; join events by 'and' or 'or'");
        } else {
            ended = query_table_parse_event(q, "of", source_words.items[i], &add_question(q)->event);
        }
    }
    words_free(&source_words);
    if (ended == ENDED_WELL && q->count == 0) ended = message_usage("--of names no column");
    return ended;
}

static int add_tested(table_questions *q, crd_text item, size_t *columns) {
    size_t count = 0;
    query_table_select_columns(q, item, columns, &count);
    for (size_t j = 0; j < count; j++) query_table_add_column(&q->tested, columns[j]);
    if (count > 0) return ENDED_WELL;
    return message_no_such("independence", "column", item, q->names, q->name_count);
}

/* Reads --independence: two columns, "A,B", or two sets separated by a semicolon, "A,B;C". */
static int read_tested(table_questions *q, size_t *columns) {
    words tested;
    int ended = ENDED_WELL;
    size_t sets = 1;
    words_split(q->call, "independence", &tested);
    for (size_t i = 0; i < tested.count && ended == ENDED_WELL; i++) {
        crd_text before, item = tested.items[i];
        size_t count = 0;
        query_table_select_columns(q, item, columns, &count);
        while (count == 0 && ended == ENDED_WELL && words_split_sets(item, &before, &item)) {
            ended = add_tested(q, before, columns);
            q->tested_first = q->tested.count;
            sets++;
        }
        if (ended == ENDED_WELL) ended = add_tested(q, item, columns);
    }
    if (ended == ENDED_WELL && sets == 1 && q->tested.count != 2) {
        ended = message_usage("--independence needs two columns, got %zu", q->tested.count);
        message_hint("separate two sets with a semicolon: --independence 'A,B;C'");
    } else if (ended == ENDED_WELL && sets > 2) {
        ended = message_usage("--independence needs two sets: 'A,B;C'");
    }
    if (sets == 1) q->tested_first = 1;
    words_free(&tested);
    return ended;
}

/* Reads --given. All its events must be true. Only a test of independence accepts columns. */
static int query_table_read_given(table_questions *q, size_t *columns) {
    words given;
    int ended = ENDED_WELL;
    words_split(q->call, "given", &given);
    for (size_t i = 0; i < given.count && ended == ENDED_WELL; i++) {
        crd_text item = given.items[i];
        size_t count = 0;
        if (!words_have_sign(item)) query_table_select_columns(q, item, columns, &count);
        for (size_t j = 0; j < count; j++) query_table_add_column(&q->strata, columns[j]);
        if (count == 0) {
            if (q->given_text.length > 0) string_add(&q->given_text, ", ", 2);
            string_add(&q->given_text, item.bytes, item.length);
        } else if (q->tested.count == 0) {
            string shown = {0};
            string_add_shown(&shown, item);
            ended = message_usage("--given expects COLUMN=VALUE or another event, not '%s'", string_text(&shown));
            message_hint("--of COLUMNS --joint-distribution shows every combination of their values");
            string_free(&shown);
        }
    }
    words_free(&given);
    if (ended != ENDED_WELL || q->given_text.length == 0) return ended;
    return query_table_parse_event(q, "given", (crd_text){q->given_text.bytes, q->given_text.length}, &q->given);
}

/* Reads the queries of the options. */
static int read_questions(table_questions *q) {
    const arguments *words_given = &q->call->arguments;
    size_t *columns = memory_resize(NULL, q->name_count, sizeof *columns);
    int ended = ENDED_WELL;
    if (arguments_have(words_given, "independence")) ended = read_tested(q, columns);
    else ended = query_table_read(q, arguments_have(words_given, "joint-distribution"), columns);
    if (ended == ENDED_WELL) ended = query_table_read_given(q, columns);
    free(columns);
    return ended;
}

/* ---- The table ---- */

static void mention_event(question *all, const crd_event *event) {
    if (event == NULL) return;
    for (size_t i = 0; i < crd_event_comparison_count(event); i++) {
        query_table_add_column(all, crd_event_comparison(event, i).column);
    }
}

static void query_table_mention(question *all, const question *q) {
    for (size_t i = 0; i < q->count; i++) query_table_add_column(all, q->columns[i]);
    mention_event(all, q->event);
}

/* Reads the columns that any query needs into a table. */
static int query_table_read_table(const table_questions *q, crd_table **out) {
    question all = {0};
    crd_error error;
    for (size_t i = 0; i < q->count; i++) query_table_mention(&all, &q->items[i]);
    query_table_mention(&all, &q->tested);
    query_table_mention(&all, &q->strata);
    mention_event(&all, q->given);
    crd_status status = crd_table_read(q->call->context, q->reader, all.columns, all.count, out, &error);
    free(all.columns);
    return status == CRD_OK ? ENDED_WELL : message_error_in(&error, q->call->arguments.operands[0]);
}

/* Warns of values in an event that occur in no row, because they are often typing errors. */
static void warn_of_unseen(const crd_table *counted, const crd_event *event) {
    for (size_t i = 0; event != NULL && i < crd_event_comparison_count(event); i++) {
        crd_column_comparison c = crd_event_comparison(event, i);
        bool equality = c.relation == CRD_EVENT_EQUAL || c.relation == CRD_EVENT_UNEQUAL;
        if (!equality || crd_table_column_type(counted, c.column) != CRD_TYPE_CATEGORICAL) continue;
        string shown = {0}, near = {0};
        size_t near_count = 0;
        bool seen = false;
        for (size_t v = 0; v < crd_table_value_count(counted, c.column) && !seen; v++) {
            crd_text value = crd_table_value(counted, c.column, v).text;
            seen = crd_text_equal(value, c.value);
            if (!seen) list_add_near(&near, &near_count, c.value, value);
        }
        string_add_shown(&shown, crd_table_column_name(counted, c.column));
        string_format(&shown, " is never ");
        string_add_shown(&shown, c.value);
        if (!seen && near_count > 0) message_warning("%s; did you mean %s?", string_text(&shown), string_text(&near));
        else if (!seen) message_warning("%s", string_text(&shown));
        string_free(&shown);
        string_free(&near);
    }
}

/* ---- Answers ---- */

static int report_no_rows(const asking *a) {
    if (a->given == NULL) return message_failed("no row has a value in every column of the query");
    string shown = {0};
    string_add_shown(&shown, crd_text_of(a->given_text));
    int ended = message_failed("no matching rows: none has %s", string_text(&shown));
    string_free(&shown);
    return ended;
}

int asking_rows(const asking *a, const size_t *columns, size_t count, const crd_event *event, crd_table **out) {
    question all = {0};
    crd_error error;
    uint64_t rows = 0;
    size_t cells = 0;
    for (size_t i = 0; i < count; i++) query_table_add_column(&all, columns[i]);
    mention_event(&all, event);
    crd_status status = crd_table_given(a->table, all.columns, all.count, a->given, out, &error);
    if (status == CRD_OK && event != NULL) status = crd_table_count(*out, &event, 1, &rows, &error);
    if (status == CRD_OK && event == NULL) status = crd_table_cells(*out, columns, count, &cells, &error);
    free(all.columns);
    if (status == CRD_OK && crd_table_rows(*out) > 0) return ENDED_WELL;
    int ended = status == CRD_OK ? report_no_rows(a) : message_error_in(&error, a->call->arguments.operands[0]);
    crd_table_destroy(*out);
    *out = NULL;
    return ended;
}

void asking_open(const asking *a) {
    char buffer[ROWS_ROOM];
    const arguments *words_given = &a->call->arguments;
    const char *path = input_file_name(words_given->operands[0]);
    const char *more = words_given->operand_count == 1
                           ? ""
                           : crd_result_format(a->report, " and %zu more", words_given->operand_count - 1);
    crd_result_line(a->report, CRD_LINE, "Table %s%s: %s, plain counts", crd_result_show(a->report, crd_text_of(path)),
                    more, output_rows(crd_table_rows(a->table), buffer));
}

void asking_heading(const asking *a, const char *description, const crd_table *rows) {
    char buffer[ROWS_ROOM];
    crd_result *r = a->report;
    const char *given =
        a->given == NULL ? "" : crd_result_format(r, " given %s", crd_result_show(r, crd_text_of(a->given_text)));
    uint64_t absent = crd_table_left_out(rows);
    const char *left_out =
        absent == 0 ? "" : crd_result_format(r, " (%llu skipped: a value is missing)", (unsigned long long)absent);
    crd_result_heading(r, 2, description,
                       crd_result_format(r, "%s: %s%s", given, output_rows(crd_table_rows(rows), buffer), left_out));
}

/* Computes log P(given): the logarithm of the share of rows in which the event of --given is true. */
static int log_of_given(const asking *a, double *out) {
    crd_table *rows = NULL;
    crd_error error;
    *out = 0;
    if (a->given == NULL) return ENDED_WELL;
    if (crd_table_given(a->table, NULL, 0, a->given, &rows, &error) != CRD_OK) return message_error(&error);
    uint64_t total = crd_table_rows(a->table) - crd_table_left_out(rows);
    *out = crd_log((double)crd_table_rows(rows) / (double)total);
    crd_table_destroy(rows);
    return ENDED_WELL;
}

/* Reports one number per query, such as its number of rows. */
static void report_each(crd_result *r, const table_questions *q, const char *key,
                        uint64_t (*number)(const crd_table *rows)) {
    crd_result_begin(r, CRD_OBJECT, key);
    for (size_t i = 0; i < q->count; i++) {
        string name = {0};
        question_add_key(&name, &q->items[i]);
        report_number_named(r, (crd_text){string_text(&name), name.length}, (double)number(q->items[i].rows));
        string_free(&name);
    }
    crd_result_end(r);
}

/* Reports mean and variance of each numeric column, if there is any. */
static int query_table_report_moments(crd_result *r, const table_questions *q) {
    int ended = ENDED_WELL;
    size_t first = 0;
    while (first < q->count && !question_has_moments(&q->items[first])) first++;
    if (first == q->count) return ENDED_WELL;
    crd_result_begin(r, CRD_OBJECT, "moments");
    for (size_t i = first; i < q->count && ended == ENDED_WELL; i++) {
        if (!question_has_moments(&q->items[i])) continue;
        double mean = 0, variance = 0;
        string name = {0};
        ended = question_moments(&q->items[i], &mean, &variance);
        question_add_key(&name, &q->items[i]);
        report_object_named(r, (crd_text){string_text(&name), name.length});
        crd_result_number(r, "mean", mean);
        crd_result_number(r, "variance", variance);
        crd_result_end(r);
        string_free(&name);
    }
    crd_result_end(r);
    return ended;
}

/* Reports the relative frequencies, counts and moments of all queries. */
static int query_table_report_answers(const asking *a, const table_questions *q) {
    crd_result *r = a->report;
    double log_evidence = 0;
    int ended = log_of_given(a, &log_evidence);
    crd_result_begin(r, CRD_OBJECT, NULL);
    asking_open(a);
    crd_result_begin(r, CRD_OBJECT, "posterior");
    for (size_t i = 0; i < q->count && ended == ENDED_WELL; i++) ended = question_report(r, &q->items[i]);
    crd_result_end(r);
    crd_result_number(r, "log_evidence", log_evidence);
    crd_result_begin(r, CRD_OBJECT, "counts");
    for (size_t i = 0; i < q->count; i++) question_report_counts(r, &q->items[i]);
    crd_result_end(r);
    report_each(r, q, "rows", crd_table_rows);
    report_each(r, q, "left_out", crd_table_left_out);
    if (ended == ENDED_WELL) ended = query_table_report_moments(r, q);
    crd_result_end(r);
    return ended;
}

/* Counts the rows of each query and prints the report. */
static int query_table_answer(table_questions *q, const crd_table *counted) {
    asking a = {.call = q->call,
                .report = report_create_drawn(q->call),
                .table = counted,
                .names = q->names,
                .given = q->given,
                .given_text = string_text(&q->given_text),
                .all = arguments_have(&q->call->arguments, "all")};
    int ended = ENDED_WELL;
    for (size_t i = 0; i < q->count; i++) warn_of_unseen(counted, q->items[i].event);
    warn_of_unseen(counted, q->given);
    for (size_t i = 0; i < q->count && ended == ENDED_WELL; i++) {
        question *item = &q->items[i];
        ended = asking_rows(&a, item->columns, item->count, item->event, &item->rows);
        if (ended == ENDED_WELL) ended = question_count(&a, item);
    }
    if (ended == ENDED_WELL)
        ended = q->tested.count > 0 ? independence_answer(&a, &q->tested, q->tested_first, &q->strata)
                                    : query_table_report_answers(&a, q);
    return report_finish(a.report, q->call, FORMATS, ended);
}

/* Rejects options that only models support. */
static int check_words(const invocation *call) {
    const arguments *given = &call->arguments;
    if (arguments_setting(given) != NULL) {
        return message_usage("settings are for models: train one on the table with --as model");
    }
    if (arguments_have(given, "at")) {
        return message_usage("--at is for densities of a model; for a table use an event, such as --of 'COLUMN <= 3'");
    }
    return ENDED_WELL;
}

int query_table(invocation *call) {
    data d;
    crd_table *counted = NULL;
    int ended = check_words(call);
    if (ended == ENDED_WELL)
        ended = data_open(call, call->arguments.operands, call->arguments.operand_count, false, &d);
    if (ended == ENDED_FAILED) model_operand_hint(call->arguments.operands[0]);
    if (ended != ENDED_WELL) return ended;
    ended = data_treat_columns(call, &d);
    table_questions q = {.call = call, .reader = d.reader, .name_count = crd_reader_column_count(d.reader)};
    q.names = memory_resize(NULL, q.name_count, sizeof *q.names);
    for (size_t i = 0; i < q.name_count; i++) q.names[i] = crd_reader_column_name(d.reader, i);
    if (ended == ENDED_WELL) ended = data_detect_formats(&d, false);
    if (ended == ENDED_WELL && d.is_weighted) {
        ended = message_usage("tables are counted without weights: use --as model");
    }
    if (ended == ENDED_WELL) ended = read_questions(&q);
    if (ended == ENDED_WELL) ended = query_table_read_table(&q, &counted);
    if (ended == ENDED_WELL) ended = query_table_answer(&q, counted);
    crd_table_destroy(counted);
    questions_free(&q);
    data_close(&d);
    return ended;
}
