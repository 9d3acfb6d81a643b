/* SPDX-License-Identifier: MIT */
/* query_syntax.c - see query_syntax.h. */
#include "verbs/query/query_syntax.h"
#include "core/error_messages.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static crd_text query_syntax_trimmed(const char *start, const char *target) {
    while (start < target && (*start == ' ' || *start == '\t')) start++;
    while (target > start && (target[-1] == ' ' || target[-1] == '\t')) target--;
    return (crd_text){start, (size_t)(target - start)};
}

static void query_syntax_add_item(words *out, const char *start, const char *target) {
    crd_text item = query_syntax_trimmed(start, target);
    if (item.length == 0) return;
    out->items = memory_resize(out->items, out->count + 1, sizeof *out->items);
    out->items[out->count++] = item;
}

/* Splits the values of an option at commas. A comma inside double quotes, parentheses or braces does not split. */
void words_split(const invocation *call, const char *name, words *out) {
    size_t index = 0;
    *out = (words){0};
    for (const char *value; (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        size_t open = 0;
        bool quoted = false;
        const char *start = value, *end = value + strlen(value);
        for (const char *p = value; p < end; p++) {
            quoted = quoted != (*p == '"');
            if (quoted) continue;
            if (*p == '(' || *p == '{') open++;
            if ((*p == ')' || *p == '}') && open > 0) open--;
            if (*p != ',' || open > 0) continue;
            query_syntax_add_item(out, start, p);
            start = p + 1;
        }
        query_syntax_add_item(out, start, end);
    }
}

void words_free(words *w) {
    free(w->items);
    *w = (words){0};
}

bool words_split_sets(crd_text text, crd_text *before, crd_text *after) {
    bool is_quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        is_quoted = is_quoted != (text.bytes[i] == '"');
        if (text.bytes[i] != ';' || is_quoted) continue;
        *before = query_syntax_trimmed(text.bytes, text.bytes + i);
        *after = query_syntax_trimmed(text.bytes + i + 1, text.bytes + text.length);
        return true;
    }
    return false;
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

bool words_have_sign(crd_text item) {
    for (size_t i = 0; i < item.length; i++) {
        if (strchr("=<>", item.bytes[i]) != NULL) return true;
    }
    return false;
}

/* Returns whether a word, in any case, begins at an index and ends there as a whole word. */
static bool has_word_at(crd_text item, size_t index, const char *word) {
    const size_t end = index + strlen(word);
    if (end > item.length || strncasecmp(item.bytes + index, word, strlen(word)) != 0) return false;
    return end == item.length || strchr(" \t,(){&|", item.bytes[end]) != NULL;
}

bool words_compare(crd_text item) {
    if (words_have_sign(item)) return true;
    for (size_t i = 1; i < item.length; i++) {
        if (item.bytes[i - 1] != ' ' && item.bytes[i - 1] != '\t') continue;
        if (has_word_at(item, i, "even") || has_word_at(item, i, "odd")) return true;
        if (has_word_at(item, i, "in") && (words_hold(item, "{") || words_hold(item, "("))) return true;
    }
    return false;
}

bool words_hold(crd_text text, const char *sign) {
    size_t length = strlen(sign);
    for (size_t i = 0; i + length <= text.length; i++) {
        if (memcmp(text.bytes + i, sign, length) == 0) return true;
    }
    return false;
}

/* Suggests --of A --given B for A|B. */
static void hint_at_given(crd_text text) {
    (void)words_probability(text, &text);
    const char *bar = memchr(text.bytes, '|', text.length);
    crd_text event = {text.bytes, (size_t)(bar - text.bytes)}, known = {bar + 1, text.length - event.length - 1};
    while (event.length > 0 && event.bytes[event.length - 1] == ' ') event.length--;
    while (known.length > 0 && known.bytes[0] == ' ') known = (crd_text){known.bytes + 1, known.length - 1};
    string source_string = {0}, given = {0};
    string_add_shown(&source_string, event);
    string_add_shown(&given, known);
    message_hint("move the evidence to --given: --of '%s' --given '%s%s'", string_text(&source_string),
                 string_text(&given), words_compare(known) ? "" : "=VALUE");
    string_free(&source_string);
    string_free(&given);
}

/* Suggests the operator that was probably meant, if a text contains one that events do not support. */
static void hint_at_signs(crd_text text) {
    if (words_hold(text, "|") && !words_hold(text, "||")) {
        hint_at_given(text);
    } else if (words_hold(text, "=>")) {
        message_hint("write >= for at least");
    } else if (words_hold(text, "=<")) {
        message_hint("write <= for at most");
    } else if (words_hold(text, "&") && !words_hold(text, "&&")) {
        message_hint("join events by 'and'");
    }
}

int words_parse_event(const invocation *call, const char *name, const char *description, crd_text text,
                      const crd_text *names, size_t count, crd_event **out) {
    crd_error error;
    if (crd_event_parse(call->context, text, names, count, out, &error) == CRD_OK) return ENDED_WELL;
    const bool is_name = error.status == CRD_ERROR_SYNTAX && !words_compare(text);
    /* for example P(Play|Outlook=Sunny) */
    if ((error.status == CRD_ERROR_COLUMN || is_name) && words_hold(text, "|")) {
        string shown = {0};
        string_add_shown(&shown, text);
        message_usage("--%s expects %ss or an event, not '%s'", name, description, string_text(&shown));
        string_free(&shown);
        hint_at_signs(text);
        return ENDED_USAGE;
    }
    if (error.status == CRD_ERROR_COLUMN)
        return message_no_such(name, description, crd_text_of(error.subject), names, count);
    if (error.status == CRD_ERROR_SYNTAX || error.status == CRD_ERROR_LIMIT) {
        message_usage("--%s: %s", name, error.message);
        hint_at_signs(text);
        return ENDED_USAGE;
    }
    return message_error(&error);
}

void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        string_format(out, "%s", i == 0 ? "" : i + 1 == count ? " and " : ", ");
        string_add_shown(out, names[columns[i]]);
    }
}
