/* SPDX-License-Identifier: MIT */
/* header_options.c - see header_options.h. */
#include "source/header_options.h"

#include "core/lists.h"
#include "core/messages.h"

#include <credence/number.h>

#include <stdlib.h>
#include <string.h>

/* No title has more lines; a larger number is a mistake. */
enum { MOST_LINES = 1000000 };

static bool header_options_read_line(const char *value, double least, uint64_t *out) {
    double number = 0;
    bool is_line = crd_number_parse(crd_text_of(value), &number) == CRD_NUMBER_FINITE && number >= least &&
                   number <= MOST_LINES && number == (double)(uint64_t)number;
    if (is_line) *out = (uint64_t)number;
    return is_line;
}

int header_options_read(const invocation *call, crd_reader_options *options) {
    const char *header = arguments_value(&call->arguments, "header"),
               *skipped = arguments_value(&call->arguments, "skip-lines");
    if (skipped != NULL && !header_options_read_line(skipped, 0, &options->skip_lines))
        return message_usage("--skip-lines: expected a number of lines from 0 to %d, got '%s'", MOST_LINES, skipped);
    if (header == NULL) return ENDED_WELL;
    if (strcmp(header, "yes") == 0) options->header = CRD_CHOICE_YES;
    else if (strcmp(header, "no") == 0) options->header = CRD_CHOICE_NO;
    else if (!header_options_read_line(header, 1, &options->header_line))
        return message_usage("--header: expected yes, no or the number of a line, got '%s'", header);
    if (options->header_line == 0 || options->header_line > options->skip_lines) return ENDED_WELL;
    return message_usage("--header %s is a line that --skip-lines %s skips", header, skipped);
}

/* ---- Columns that options name ---- */

static void add_selector(selector_list *selector, crd_text text) {
    while (text.length > 0 && text.bytes[0] == ' ') text.bytes++, text.length--;
    while (text.length > 0 && text.bytes[text.length - 1] == ' ') text.length--;
    if (text.length == 0) return;
    char *bytes = memory_resize(NULL, text.length + 1, 1);
    memcpy(bytes, text.bytes, text.length);
    bytes[text.length] = '\0';
    selector->items = memory_resize(selector->items, selector->count + 1, sizeof *selector->items);
    selector->items[selector->count++] = (crd_text){bytes, text.length};
}

/* Returns the text before the first of these characters. */
static crd_text cut_at(crd_text text, const char *characters) {
    size_t length = 0;
    while (length < text.length && strchr(characters, text.bytes[length]) == NULL) length++;
    return (crd_text){text.bytes, length};
}

/* Adds the columns of one item, according to the syntax of its option. */
static void header_options_add_item(selector_list *selector, crd_text item, const char *syntax) {
    const bool is_event = strstr(syntax, "EVENT") != NULL, is_set = strchr(syntax, ';') != NULL;
    if (is_set) {
        for (crd_text view = item; view.length > 0;) {
            const crd_text one = cut_at(view, ";");
            add_selector(selector, one);
            const size_t used = one.length < view.length ? one.length + 1 : one.length;
            view = (crd_text){view.bytes + used, view.length - used};
        }
        return;
    }
    add_selector(selector, strchr(syntax, '=') != NULL || is_event ? cut_at(item, is_event ? "=<>!" : "=") : item);
    if (is_event) add_selector(selector, cut_at(item, "=<>! "));
}

static void header_options_add(selector_list *selector, const char *value, const char *syntax) {
    list items;
    if (strcmp(syntax, "COL") == 0) {
        add_selector(selector, crd_text_of(value));
        return;
    }
    if (!list_split(value, &items)) return;
    for (size_t i = 0; i < items.count; i++) header_options_add_item(selector, items.items[i], syntax);
    list_free(&items);
}

selector_list header_options_selectors(const invocation *call) {
    selector_list selector = {NULL, 0};
    const arguments *given = &call->arguments;
    for (size_t i = 0; i < given->option_count; i++) {
        const option *o = given->table;
        while (o != NULL && o->name != NULL && strcmp(o->name, given->options[i].name) != 0) o++;
        if (o == NULL || o->name == NULL || o->value == NULL || given->options[i].value == NULL) continue;
        if (strncmp(o->value, "COL", 3) == 0) header_options_add(&selector, given->options[i].value, o->value);
    }
    return selector;
}

void selector_list_free(selector_list *selectors) {
    for (size_t i = 0; i < selectors->count; i++) free((void *)selectors->items[i].bytes);
    free(selectors->items);
    *selectors = (selector_list){NULL, 0};
}

bool header_options_settle(const invocation *call, const crd_reader *reader) {
    bool settle = arguments_have(&call->arguments, "header") || arguments_have(&call->arguments, "schema");
    selector_list names = header_options_selectors(call);
    for (size_t i = 0; i < names.count && !settle; i++)
        for (size_t column = 0; column < crd_reader_column_count(reader) && !settle; column++)
            settle = crd_text_equal(names.items[i], crd_reader_column_name(reader, column));
    selector_list_free(&names);
    return settle;
}
