/* query_words.c - the words of a question, taken apart. */
#include "query.h"

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

void words_split(const invocation *call, const char *name, words *out) {
    size_t at = 0;
    *out = (words){0};
    for (const char *value; (value = arguments_next(&call->arguments, name, &at)) != NULL;) {
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

bool words_probability(crd_text item, crd_text *inside) {
    bool is_probability = item.length > 3 && memcmp(item.bytes, "P(", 2) == 0 && item.bytes[item.length - 1] == ')';
    if (is_probability) *inside = (crd_text){item.bytes + 2, item.length - 3};
    return is_probability;
}

bool words_compare(crd_text item) {
    for (size_t i = 0; i < item.length; i++) {
        if (strchr("=<>", item.bytes[i]) != NULL) return true;
    }
    return false;
}

void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        string_format(out, "%s", i == 0 ? "" : i + 1 == count ? " and " : ", ");
        string_add_shown(out, names[columns[i]]);
    }
}
