/* query_words.c - the words of a question, taken apart. */
#include "data.h"
#include "given.h"
#include "query.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static crd_text trimmed(const char *from, const char *to) {
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    return (crd_text){from, (size_t)(to - from)};
}

static void add_item(words *out, const char *from, const char *to) {
    crd_text item = trimmed(from, to);
    if (item.length == 0) return;
    out->items = memory_resize(out->items, out->count + 1, sizeof *out->items);
    out->items[out->count++] = item;
}

void words_split(const session *s, const char *name, words *out) {
    size_t at = 0;
    *out = (words){0};
    for (const char *value; (value = arguments_next(&s->arguments, name, &at)) != NULL;) {
        size_t open = 0;
        bool quoted = false;
        const char *from = value, *end = value + strlen(value);
        for (const char *p = value; p < end; p++) {
            quoted = quoted != (*p == '"');
            if (quoted) continue;
            if (*p == '(') open++;
            if (*p == ')' && open > 0) open--;
            if (*p != ',' || open > 0) continue;
            add_item(out, from, p);
            from = p + 1;
        }
        add_item(out, from, end);
    }
}

void words_free(words *w) {
    free(w->items);
    *w = (words){0};
}

crd_text words_unquoted(crd_text item, list *out) {
    *out = (list){0};
    if (item.length == 0 || item.bytes[0] != '"') return item;
    string copy = {0};
    string_add(&copy, item.bytes, item.length);
    crd_text result = item;
    if (list_split(string_text(&copy), out)) {
        if (out->count == 1) result = out->items[0];
        else list_free(out);
    }
    string_free(&copy);
    return result;
}

bool words_compare(crd_text item) {
    for (size_t i = 0; i < item.length; i++) {
        if (strchr("=<>", item.bytes[i]) != NULL) return true;
    }
    return false;
}

int words_unknown(const char *name, crd_text typed, const crd_text *names, size_t count) {
    string text = {0}, near = {0};
    string_add_shown(&text, typed);
    report_failed("--%s: there is no column '%s'", name, string_text(&text));
    string_clear(&text);
    for (size_t i = 0; i < count; i++) {
        string_add_listed(&text, i, names[i]);
        if (!list_near(typed, names[i])) continue;
        string_format(&near, "%s", near.length == 0 ? "" : " or ");
        string_add_shown(&near, names[i]);
    }
    if (near.length > 0) report_hint("did you mean %s?", string_text(&near));
    else report_hint("the columns are %s", string_text(&text));
    string_free(&text);
    string_free(&near);
    return ENDED_FAILED;
}

void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        string_format(out, "%s", i == 0 ? "" : i + 1 == count ? " and " : ", ");
        string_add_shown(out, names[columns[i]]);
    }
}

/* ---- What is known of a model's columns ---- */

static bool has_value(const crd_query *query, size_t column, crd_text text) {
    for (size_t i = 0; i < crd_query_value_count(query, column); i++) {
        if (crd_text_equal(crd_query_value(query, column, i), text)) return true;
    }
    return false;
}

static int refuse_item(crd_text item, const crd_text *names, size_t count) {
    const char *equals = item.length == 0 ? NULL : memchr(item.bytes, '=', item.length);
    if (equals != NULL) {
        return words_unknown("given", (crd_text){item.bytes, (size_t)(equals - item.bytes)}, names, count);
    }
    string shown = {0};
    string_add_shown(&shown, item);
    int ended = report_usage("--given takes COLUMN=VALUE, not '%s'", string_text(&shown));
    string_free(&shown);
    return ended;
}

static int know(const crd_query *query, const list *items, size_t index, const list *missing, known *out) {
    crd_text item = items->items[index];
    size_t column = 0;
    crd_text value;
    double number = 0;
    if (!list_split_assignment(items, index, out->names, out->count, &column, &value)) {
        return refuse_item(item, out->names, out->count);
    }
    crd_value *to = &out->values[column];
    if (to->text.bytes != NULL) {
        string shown = {0};
        string_add_shown(&shown, out->names[column]);
        int ended = report_usage("--given: '%s' is given twice", string_text(&shown));
        string_free(&shown);
        return ended;
    }
    /* A text that means missing in files does so here, unless training has seen it as a value. */
    bool is_missing = list_has(missing, value) && !has_value(query, column, value);
    *to = (crd_value){is_missing ? CRD_KIND_NONE : CRD_KIND_CATEGORY, 0, value};
    if (is_missing) return ENDED_WELL;
    bool is_number = crd_query_column_kind(query, column) == CRD_KIND_NUMBER;
    crd_number_class class = crd_number_parse(value, &number);
    if (is_number && class != CRD_NUMBER_FINITE) return given_refuse_number(out->names[column], value, class);
    string_format(&out->text, "%s", out->text.length == 0 ? "" : ", ");
    string_add_shown(&out->text, item);
    return ENDED_WELL;
}

int known_read(const session *s, const crd_query *query, known *out) {
    size_t at = 0;
    list missing;
    *out = (known){.count = crd_query_column_count(query)};
    int ended = data_missing_texts(s, &missing);
    if (ended != ENDED_WELL) return ended;
    out->names = memory_resize(NULL, out->count, sizeof *out->names);
    out->values = memory_resize(NULL, out->count, sizeof *out->values);
    for (size_t i = 0; i < out->count; i++) {
        out->names[i] = crd_query_column_name(query, i);
        out->values[i] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    }
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&s->arguments, "given", &at)) != NULL;) {
        out->lists = memory_resize(out->lists, out->list_count + 1, sizeof *out->lists);
        list *items = &out->lists[out->list_count];
        if (!list_split(value, items)) {
            ended = report_usage("--given: a quote is not closed");
            break;
        }
        out->list_count++;
        /* --given '' gives nothing. */
        if (items->count == 1 && items->items[0].length == 0) continue;
        for (size_t i = 0; ended == ENDED_WELL && i < items->count; i++) {
            ended = know(query, items, i, &missing, out);
        }
    }
    list_free(&missing);
    if (ended != ENDED_WELL) known_free(out);
    return ended;
}

void known_free(known *k) {
    for (size_t i = 0; i < k->list_count; i++) list_free(&k->lists[i]);
    free(k->lists);
    free(k->values);
    free(k->names);
    string_free(&k->text);
    *k = (known){0};
}
