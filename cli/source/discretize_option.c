/* SPDX-License-Identifier: MIT */
/* discretize_option.c - see discretize_option.h. */
#include "source/discretize_option.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "source/input_file.h"

#include <stdlib.h>
#include <string.h>

/* The rules of --discretize. The rule texts belong to `lists`, the names to the reader. */
typedef struct rule_list {
    crd_discretization *rules;
    size_t *columns; /* indexes of the reader's columns; SIZE_MAX: all other columns */
    size_t count;
    list *lists;
    size_t list_count;
} rule_list;

static void free_rules(rule_list *all) {
    for (size_t i = 0; i < all->list_count; i++) list_free(&all->lists[i]);
    free(all->lists);
    free(all->rules);
    free(all->columns);
}

static void add_rule(rule_list *target_list, size_t column, crd_text name, crd_text rule, bool is_optional) {
    target_list->rules = memory_resize(target_list->rules, target_list->count + 1, sizeof *target_list->rules);
    target_list->columns = memory_resize(target_list->columns, target_list->count + 1, sizeof *target_list->columns);
    target_list->rules[target_list->count] = (crd_discretization)CRD_DISCRETIZATION_INIT;
    target_list->rules[target_list->count].column = name;
    target_list->rules[target_list->count].rule = rule;
    target_list->rules[target_list->count].is_optional = is_optional;
    target_list->columns[target_list->count++] = column;
}

/* Parses RULE, *=RULE or COLS=RULE. The last equals sign separates them. */
static int discretize_option_read_item(const crd_reader *reader, crd_text item, rule_list *target_list) {
    size_t split = item.length, count = 0;
    crd_error error;
    while (split > 0 && item.bytes[split - 1] != '=') split--;
    crd_text selector = {item.bytes, split == 0 ? 0 : split - 1}, rule = {item.bytes + split, item.length - split};
    if (split == 0 || crd_text_equal(selector, crd_text_of("*"))) {
        add_rule(target_list, SIZE_MAX, (crd_text){NULL, 0}, rule, true);
        return ENDED_WELL;
    }
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns);
    int ended = ENDED_WELL;
    if (crd_reader_select(reader, selector, columns, &count, &error) != CRD_OK)
        ended = message_failed("--discretize: %s", error.message);
    for (size_t i = 0; ended == ENDED_WELL && i < count; i++)
        add_rule(target_list, columns[i], crd_reader_column_name(reader, columns[i]), rule, count > 1);
    free(columns);
    return ended;
}

static int read_rules(const invocation *call, const crd_reader *reader, rule_list *target_list) {
    size_t index = 0;
    int ended = ENDED_WELL;
    *target_list = (rule_list){0};
    for (const char *value;
         ended == ENDED_WELL && (value = arguments_next(&call->arguments, "discretize", &index)) != NULL;) {
        target_list->lists = memory_resize(target_list->lists, target_list->list_count + 1, sizeof *target_list->lists);
        list *items = &target_list->lists[target_list->list_count];
        if (!list_split(value, items)) return message_usage("--discretize: a quote is not closed");
        target_list->list_count++;
        for (size_t i = 0; ended == ENDED_WELL && i < items->count; i++)
            ended = discretize_option_read_item(reader, items->items[i], target_list);
    }
    return ended;
}

/* ---- Given cut points ---- */

static bool discretize_option_begins(crd_text text, const char *prefix) {
    size_t length = strlen(prefix);
    return text.length >= length && memcmp(text.bytes, prefix, length) == 0;
}

static bool are_points(crd_text rule) {
    return !discretize_option_begins(rule, "quantile") && !discretize_option_begins(rule, "width") &&
           !discretize_option_begins(rule, "mdl");
}

static int set_points(crd_reader *reader, size_t column, crd_text rule) {
    double *points = memory_resize(NULL, rule.length + 1, sizeof *points);
    size_t count = 0;
    int ended = ENDED_WELL;
    crd_error error;
    for (size_t begin = 0, end; begin <= rule.length && ended == ENDED_WELL; begin = end + 1) {
        for (end = begin; end < rule.length && rule.bytes[end] != ':';) end++;
        crd_text part = {rule.bytes + begin, end - begin};
        if (crd_number_parse(part, &points[count++]) != CRD_NUMBER_FINITE)
            ended = message_usage("--discretize: expected quantile:N, width:N, mdl or cut points A:B:..., got '%.*s'",
                                  (int)rule.length, rule.bytes);
    }
    if (ended == ENDED_WELL && crd_reader_set_cuts(reader, column, points, count, &error) != CRD_OK)
        ended = message_failed("--discretize: %s", error.message);
    free(points);
    return ended;
}

/* Applies rules to input that can be read only once. Every rule must list its cut points. */
static int apply_to_once(crd_reader *reader, const rule_list *all, const char *path) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->columns[i] != SIZE_MAX && are_points(all->rules[i].rule)) continue;
        message_failed("%s can be read only once, but --discretize reads rows twice: first for the cut points",
                       input_file_name(path));
        message_hint("give the cut points as --discretize COL=A:B:..., or save the rows to a file");
        return ENDED_FAILED;
    }
    int ended = ENDED_WELL;
    for (size_t i = 0; i < all->count && ended == ENDED_WELL; i++)
        ended = set_points(reader, all->columns[i], all->rules[i].rule);
    return ended;
}

int discretize_option_apply(const invocation *call, crd_reader *reader, const char *const *paths, size_t count,
                            crd_schema **out) {
    const char *once = NULL;
    rule_list all;
    crd_error error;
    *out = NULL;
    int ended = read_rules(call, reader, &all);
    for (size_t i = 0; i < count; i++)
        if (once == NULL && input_file_reads_once(paths[i])) once = paths[i];
    if (ended == ENDED_WELL && once != NULL) ended = apply_to_once(reader, &all, once);
    else if (ended == ENDED_WELL &&
             crd_discretize(call->context, reader, all.rules, all.count, out, &error) != CRD_OK) {
        bool is_rule = error.status == CRD_ERROR_SETTING || error.status == CRD_ERROR_COLUMN;
        ended = is_rule ? message_failed("--discretize: %s", error.message) : message_error_in(&error, paths[0]);
    }
    free_rules(&all);
    return ended;
}

/* ---- What rules need ---- */

/* Returns whether an item has a rule that begins with one of the names. */
static bool has_rule(const invocation *call, const char *const *names, size_t count) {
    size_t index = 0;
    bool is_found = false;
    for (const char *value; (value = arguments_next(&call->arguments, "discretize", &index)) != NULL;) {
        list items;
        if (!list_split(value, &items)) continue;
        for (size_t i = 0; i < items.count; i++) {
            crd_text item = items.items[i];
            size_t split = item.length;
            while (split > 0 && item.bytes[split - 1] != '=') split--;
            crd_text rule = {item.bytes + split, item.length - split};
            for (size_t k = 0; k < count; k++) is_found = is_found || discretize_option_begins(rule, names[k]);
        }
        list_free(&items);
    }
    return is_found;
}

bool discretize_option_reads_rows(const invocation *call) {
    static const char *const names[] = {"quantile", "width", "mdl"};
    return has_rule(call, names, 3);
}

bool discretize_option_reads_classes(const invocation *call) {
    static const char *const names[] = {"mdl"};
    return has_rule(call, names, 1);
}
