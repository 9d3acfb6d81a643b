/* SPDX-License-Identifier: MIT */
/* show_values.c - see show_values.h. */
#include "verbs/show/show_values.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/term_text.h"

#include <stdlib.h>
#include <string.h>

/* Maximum numbers without --all. */
enum { VALUES_SHOWN = 20, VALUES_RANKED = 6, CLASSES_ALL_SHOWN = 50, CLASSES_SHOWN = 20 };
/* Maximum number of entries, values times classes, in a complete table. */
enum { MOST_CELLS = 1 << 20 };

/* ---- The most frequent ---- */

typedef struct values_frequency {
    size_t index;
    double rows;
} values_frequency;

/* Returns whether a comes before b: it has more rows, or as many and a smaller index. */
static bool show_values_is_before(values_frequency a, values_frequency b) {
    return a.rows != b.rows ? a.rows > b.rows : a.index < b.index;
}

/* Inserts a value into the sorted list of at most `most` values, if it belongs to the first ones. */
static void keep_first(values_frequency *list, size_t *count, size_t most, values_frequency one) {
    if (*count == most && !show_values_is_before(one, list[most - 1])) return;
    size_t index = *count < most ? (*count)++ : most - 1;
    for (; index > 0 && show_values_is_before(one, list[index - 1]); index--) list[index] = list[index - 1];
    list[index] = one;
}

/* Chooses the classes with the most rows. Returns their indices in ascending order. */
size_t *values_choose_classes(const crd_summary *summary, bool all, size_t *count) {
    values_frequency first[CLASSES_SHOWN];
    size_t classes = summary->class_count, class_count = 0;
    bool is_whole = all || classes <= CLASSES_ALL_SHOWN;
    *count = is_whole ? classes : CLASSES_SHOWN;
    size_t *list = memory_resize(NULL, *count, sizeof *list);
    for (size_t k = 0; k < classes; k++) {
        if (is_whole) list[k] = k;
        else keep_first(first, &class_count, CLASSES_SHOWN, (values_frequency){k, summary->classes[k].rows});
    }
    for (size_t i = 0; i < class_count; i++) {
        size_t position = i;
        for (; position > 0 && list[position - 1] > first[i].index; position--) list[position] = list[position - 1];
        list[position] = first[i].index;
    }
    return list;
}

/* ---- Each class's most probable ---- */

typedef struct ranked_value {
    crd_text text;
    double probability;
} ranked_value;

static int show_values_by_probability(const void *a, const void *b) {
    const ranked_value *x = a, *y = b;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    const size_t length = x->text.length < y->text.length ? x->text.length : y->text.length;
    const int order = memcmp(x->text.bytes, y->text.bytes, length);
    return order != 0 ? order : (x->text.length > y->text.length) - (x->text.length < y->text.length);
}

static int read_term(const attribute_view *v, size_t class_index, crd_text text, crd_term *term) {
    const crd_value value = {CRD_TYPE_CATEGORICAL, 0, text};
    crd_error error;
    crd_status status = crd_classifier_term(v->classifier, v->attribute, class_index, &value, term, &error);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Reports one line per class, with its most probable values. */
static int report_most_probable(crd_result *r, const attribute_view *v) {
    size_t count = v->summary->attributes[v->attribute].value_count;
    ranked_value *values = memory_resize(NULL, count, sizeof *values);
    char buffer[CRD_NUMBER_ROOM];
    int ended = ENDED_WELL;
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, crd_result_format(r, "most probable of %zu values", count))->is_left = true;
    for (size_t c = 0; c < v->summary->class_count && ended == ENDED_WELL; c++) {
        string line = {0};
        for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
            crd_term term = CRD_TERM_INIT;
            crd_text value = crd_summary_value(v->summary, v->attribute, i);
            ended = read_term(v, c, value, &term);
            values[i] = (ranked_value){value, crd_exp(term.log_value)};
        }
        qsort(values, count, sizeof *values, show_values_by_probability);
        for (size_t i = 0; i < count && i < VALUES_RANKED; i++)
            string_format(&line, "%s%s %s", i == 0 ? "" : ", ", crd_result_show(r, values[i].text),
                          crd_number_round(values[i].probability, buffer));
        crd_cell_name(t, v->summary->classes[c].name);
        crd_cell_words(t, report_take(r, &line));
    }
    free(values);
    return ended;
}

/* ---- Tables ---- */

void attribute_add_term(crd_result_table *t, const crd_term *term) {
    string text = {0};
    term_text_add(&text, term);
    const char *fraction = report_take(t->result, &text);
    if (term_text_counts(term)) {
        cell_fraction(t, term->log_value, fraction);
        return;
    }
    crd_cell_null(t);
    crd_cell_show_as(t, fraction, NULL);
}

static int show_values_add(crd_result_table *t, const attribute_view *v, size_t value) {
    crd_text text = crd_summary_value(v->summary, v->attribute, value);
    int ended = ENDED_WELL;
    crd_cell_name(t, text);
    for (size_t i = 0; i < v->class_count && ended == ENDED_WELL; i++) {
        crd_term term = CRD_TERM_INIT;
        ended = read_term(v, v->classes[i], text, &term);
        if (ended == ENDED_WELL) attribute_add_term(t, &term);
    }
    return ended;
}

static crd_result_table *show_values_add_table(crd_result *r, const attribute_view *v) {
    crd_result_table *t = crd_result_add_table(r, "values");
    t->is_wrapped = true;
    crd_result_add_column(t, "value", "");
    t->group = "probability";
    for (size_t i = 0; i < v->class_count; i++) column_add_named(t, v->summary->classes[v->classes[i]].name);
    return t;
}

static int show_values_report_all(crd_result *r, const attribute_view *v) {
    crd_result_table *t = show_values_add_table(r, v);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < v->summary->attributes[v->attribute].value_count && ended == ENDED_WELL; i++)
        ended = show_values_add(t, v, i);
    return ended;
}

/* Reports the pairs of value and class that occur in rows. */
static int report_seen(crd_result *r, const attribute_view *v) {
    size_t count = v->summary->attributes[v->attribute].value_count;
    int ended = ENDED_WELL;
    crd_result_table *t = crd_result_add_table(r, "seen_values");
    t->shape = CRD_TABLE_NESTED;
    crd_result_add_column(t, "value", "value");
    crd_result_add_column(t, "class", "class")->is_left = true;
    crd_result_add_column(t, "probability", "probability");
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        const uint32_t *classes = NULL;
        size_t seen = crd_summary_value_classes(v->summary, v->attribute, i, &classes);
        crd_text text = crd_summary_value(v->summary, v->attribute, i);
        for (size_t k = 0; k < seen && ended == ENDED_WELL; k++) {
            crd_term term = CRD_TERM_INIT;
            ended = read_term(v, classes[k], text, &term);
            crd_cell_name(t, text);
            crd_cell_name(t, v->summary->classes[classes[k]].name);
            if (ended == ENDED_WELL) attribute_add_term(t, &term);
        }
    }
    crd_result_line(r, CRD_REMARK, "%zu values and %zu classes: the pairs that occur in rows", count,
                    v->summary->class_count);
    return ended;
}

/* Reports the values with the most rows, the most frequent first. */
static int report_most_frequent(crd_result *r, const attribute_view *v) {
    values_frequency first[VALUES_SHOWN];
    size_t count = v->summary->attributes[v->attribute].value_count, shown_count = 0;
    for (size_t i = 0; i < count; i++)
        keep_first(first, &shown_count, VALUES_SHOWN,
                   (values_frequency){i, crd_summary_value_rows(v->summary, v->attribute, i)});
    crd_result_table *t = show_values_add_table(r, v);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < shown_count && ended == ENDED_WELL; i++) ended = show_values_add(t, v, first[i].index);
    crd_result_line(r, CRD_REMARK, "and %zu more value%s, at most as frequent (--all)", count - shown_count,
                    count - shown_count == 1 ? "" : "s");
    return ended;
}

int values_report(crd_result *r, const attribute_view *v) {
    size_t count = v->summary->attributes[v->attribute].value_count;
    bool is_whole = v->all || crd_result_is_for(r, CRD_FOR_MACHINES) || count <= VALUES_SHOWN;
    if (!is_whole) return v->ranks_values ? report_most_probable(r, v) : report_most_frequent(r, v);
    return count > MOST_CELLS / (v->class_count + 1) ? report_seen(r, v) : show_values_report_all(r, v);
}
