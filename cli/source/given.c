/* SPDX-License-Identifier: MIT */
/* given.c - see given.h. */
#include "source/given.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/data_input.h"

#include <stdlib.h>
#include <string.h>

/* The columns that --given may name, of a summary or a query. */
typedef struct given_columns {
    const char *description; /* "column" or "attribute" */
    const crd_model *model;
    const void *data;
    size_t count;
    crd_text (*name)(const void *object, size_t column);
    crd_column_type (*type)(const void *object, size_t column);
    size_t (*value_count)(const void *object, size_t column);
    crd_text (*value)(const void *object, size_t column, size_t value);
} given_columns;

static int refuse_item(crd_text item, const given_columns *columns, const given *g) {
    const char *equals = item.length == 0 ? NULL : memchr(item.bytes, '=', item.length);
    if (equals != NULL) {
        crd_text typed = {item.bytes, (size_t)(equals - item.bytes)};
        return message_no_such("given", columns->description, typed, g->names, g->count);
    }
    string shown = {0};
    string_add_shown(&shown, item);
    message_usage("--given: expected COLUMN=VALUE, got '%s'", string_text(&shown));
    string_clear(&shown);
    for (size_t i = 0; i < g->count; i++) string_add_listed(&shown, i, g->names[i]);
    message_hint("the %ss are %s", columns->description, string_text(&shown));
    string_free(&shown);
    return ENDED_USAGE;
}

static int given_refuse_number(crd_text name, crd_text text, crd_number_class class) {
    string column = {0}, value = {0};
    string_add_shown(&column, name);
    string_add_shown(&value, text);
    if (class == CRD_NUMBER_INFINITE) {
        message_failed("--given: '%s' for '%s' is infinite: numbers must be finite", string_text(&value),
                       string_text(&column));
    } else {
        message_failed("--given: '%s' is a number, not '%s'", string_text(&column), string_text(&value));
    }
    string_free(&column);
    string_free(&value);
    return ENDED_FAILED;
}

static bool has_value(const given_columns *columns, size_t column, crd_text text) {
    for (size_t i = 0; i < columns->value_count(columns->data, column); i++) {
        if (crd_text_equal(columns->value(columns->data, column, i), text)) return true;
    }
    return false;
}

/* Returns the interval that contains a number if all values of the column are intervals. Otherwise returns the text
 * itself. */
static crd_text given_find_interval(const given_columns *columns, size_t column, crd_text text) {
    double number;
    size_t count = columns->value_count(columns->data, column), match = SIZE_MAX;
    if (count == 0 || crd_number_parse(text, &number) != CRD_NUMBER_FINITE) return text;
    for (size_t i = 0; i < count; i++) {
        crd_text label = columns->value(columns->data, column, i);
        if (!crd_is_interval(label)) return text;
        if (crd_interval_contains(label, number)) match = i;
    }
    return match == SIZE_MAX ? text : columns->value(columns->data, column, match);
}

/* Converts the text of a value. Leaves the value missing if the text means missing. Reports an error if a number is
 * required but not given. */
static int given_read_value(const given_columns *columns, size_t column, crd_text text, const missing_texts *missing,
                            crd_value *value) {
    bool is_number = columns->type(columns->data, column) == CRD_TYPE_NUMERIC;
    if (columns->type(columns->data, column) == CRD_TYPE_TEXT) {
        if (text.length > 0) *value = (crd_value){CRD_TYPE_TEXT, 0, text};
        return ENDED_WELL;
    }
    /* A text that means missing in files also means missing here, unless it is a value in the training data. */
    if (data_means_missing(missing, text) && (is_number || !has_value(columns, column, text))) return ENDED_WELL;
    crd_text typed = is_number ? text : given_find_interval(columns, column, text);
    crd_error error;
    crd_status status = crd_model_read_cell(columns->model, columns->name(columns->data, column), typed, value, &error);
    if (status == CRD_OK && (value->type == CRD_TYPE_NUMERIC) == is_number) return ENDED_WELL;
    const bool is_part = crd_model_column_field(columns->model, columns->name(columns->data, column)).length > 0;
    if (status == CRD_ERROR_NUMBER && (!is_number || is_part)) return message_failed("--given: %s", error.message);
    *value = (crd_value){CRD_TYPE_CATEGORICAL, 0, typed};
    if (!is_number) return ENDED_WELL;
    crd_number_class class = crd_number_parse(text, &value->number);
    value->type = CRD_TYPE_NUMERIC;
    return class == CRD_NUMBER_FINITE ? ENDED_WELL
                                      : given_refuse_number(columns->name(columns->data, column), text, class);
}

/* Returns the text after FIELD=; bytes NULL if the item does not begin with it. */
static crd_text behind_field(crd_text item, crd_text field) {
    bool fits = field.length > 0 && item.length > field.length && item.bytes[field.length] == '=' &&
                memcmp(item.bytes, field.bytes, field.length) == 0;
    crd_text none = {NULL, 0}, text = {item.bytes + field.length + 1, item.length - field.length - 1};
    return fits ? text : none;
}

/* Parses FIELD=TEXT for a field with several parts, such as a date, and sets a value for each part. *is_found: the item
 * names such a field. */
static int given_read_parts(const given_columns *columns, crd_text item, const missing_texts *missing, given *out,
                            bool *is_found) {
    int ended = ENDED_WELL;
    *is_found = false;
    for (size_t i = 0; i < out->count && ended == ENDED_WELL; i++) {
        crd_text text = behind_field(item, crd_model_column_field(columns->model, out->names[i]));
        if (text.bytes == NULL) continue;
        *is_found = true;
        if (out->texts[i].bytes != NULL) return message_usage("--given: a part of a date is given twice");
        out->texts[i] = text;
        ended = given_read_value(columns, i, text, missing, &out->values[i]);
        if (out->values[i].type == CRD_TYPE_CATEGORICAL) out->texts[i] = out->values[i].text;
    }
    return ended;
}

static void given_add_shown(given *out, crd_text item) {
    string_format(&out->text, "%s", out->text.length == 0 ? "" : ", ");
    string_add_shown(&out->text, item);
}

/* Parses one item NAME=VALUE, or FIELD=TEXT of a field with several parts. */
static int given_read_item(const given_columns *columns, const list *items, size_t index, const missing_texts *missing,
                           given *out) {
    size_t column = 0;
    crd_text text;
    if (!list_split_assignment(items, index, out->names, out->count, &column, &text)) {
        bool is_found;
        int read = given_read_parts(columns, items->items[index], missing, out, &is_found);
        if (!is_found) return refuse_item(items->items[index], columns, out);
        if (read == ENDED_WELL) given_add_shown(out, items->items[index]);
        return read;
    }
    if (out->texts[column].bytes != NULL) {
        string shown = {0};
        string_add_shown(&shown, out->names[column]);
        message_usage("--given: '%s' is given twice", string_text(&shown));
        string_free(&shown);
        return ENDED_USAGE;
    }
    out->texts[column] = text;
    int ended = given_read_value(columns, column, text, missing, &out->values[column]);
    if (ended != ENDED_WELL || out->values[column].type == CRD_TYPE_NONE) return ended;
    if (out->values[column].type == CRD_TYPE_CATEGORICAL) out->texts[column] = out->values[column].text;
    given_add_shown(out, items->items[index]);
    return ENDED_WELL;
}

/* Returns the text after "NAME=", for the column with the longest matching name; NULL: no column matches. */
static const char *behind_name(const given *out, const char *cursor, size_t *column) {
    const char *after = NULL;
    for (size_t i = 0; i < out->count; i++) {
        size_t length = out->names[i].length;
        if (strncmp(cursor, out->names[i].bytes, length) != 0 || cursor[length] != '=') continue;
        if (after != NULL && after - cursor > (ptrdiff_t)length) continue;
        after = cursor + length + 1;
        *column = i;
    }
    return after;
}

/* Returns the end of a text value that begins at `cursor`: a comma followed by a known name, or the end. */
static const char *end_of_text(const given *out, const char *cursor) {
    for (;; cursor++) {
        size_t column;
        cursor += strcspn(cursor, ",");
        if (*cursor == '\0' || behind_name(out, cursor + 1 + strspn(cursor + 1, " "), &column) != NULL) return cursor;
    }
}

/* Adds quotes around text values, which may contain commas. A text ends where the next column begins. */
static void add_with_quotes(const given_columns *columns, const given *out, const char *cursor, string *target_string) {
    while (*cursor != '\0') {
        size_t column = 0;
        const char *text = behind_name(out, cursor, &column), *end = cursor + strcspn(cursor, ",\"");
        if (text != NULL && *text != '"' && columns->type(columns->data, column) == CRD_TYPE_TEXT) {
            end = end_of_text(out, text);
            string_add(target_string, cursor, (size_t)(text - cursor));
            string_add_char(target_string, '"');
            for (const char *byte = text; byte < end; byte++) {
                if (*byte == '"') string_add_char(target_string, '"');
                string_add_char(target_string, *byte);
            }
            string_add_char(target_string, '"');
        } else {
            /* Continues to the next comma outside quotes. */
            for (bool is_quoted = false; *end != '\0' && (is_quoted || *end != ','); end++)
                if (*end == '"') is_quoted = !is_quoted;
            string_add(target_string, cursor, (size_t)(end - cursor));
        }
        cursor = end;
        if (*cursor == '\0') return;
        string_add_char(target_string, *cursor++);
        cursor += strspn(cursor, " ");
    }
}

static int given_read_option(const given_columns *columns, const char *value, const missing_texts *missing,
                             given *out) {
    out->lists = memory_resize(out->lists, out->list_count + 1, sizeof *out->lists);
    list *items = &out->lists[out->list_count];
    string quoted = {0};
    add_with_quotes(columns, out, value, &quoted);
    const bool is_split = list_split_findings(string_text(&quoted), items);
    string_free(&quoted);
    if (!is_split) return message_usage("--given: a quote is not closed");
    out->list_count++;
    /* --given '' gives no values, so the result is the prior. */
    if (items->count == 1 && items->items[0].length == 0) return ENDED_WELL;
    int ended = ENDED_WELL;
    for (size_t i = 0; ended == ENDED_WELL && i < items->count; i++) {
        ended = given_read_item(columns, items, i, missing, out);
    }
    return ended;
}

static int given_read_options(const invocation *call, const given_columns *columns, given *out) {
    size_t index = 0;
    missing_texts missing;
    int ended = data_missing_texts(call, out->summary, &missing);
    if (ended != ENDED_WELL) return ended;
    out->count = columns->count;
    out->names = memory_resize(NULL, columns->count, sizeof *out->names);
    out->values = memory_resize(NULL, columns->count, sizeof *out->values);
    out->texts = memory_resize(NULL, columns->count, sizeof *out->texts);
    for (size_t i = 0; i < columns->count; i++) {
        out->names[i] = columns->name(columns->data, i);
        out->values[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
        out->texts[i] = (crd_text){NULL, 0};
    }
    for (const char *value;
         ended == ENDED_WELL && (value = arguments_next(&call->arguments, "given", &index)) != NULL;) {
        ended = given_read_option(columns, value, &missing, out);
    }
    list_free(&missing.listed);
    return ended;
}

static crd_text given_name_of_attribute(const void *summary, size_t attribute) {
    return ((const crd_summary *)summary)->attributes[attribute].name;
}

static crd_column_type type_of_attribute(const void *summary, size_t attribute) {
    return ((const crd_summary *)summary)->attributes[attribute].type;
}

static size_t values_of_attribute(const void *summary, size_t attribute) {
    return ((const crd_summary *)summary)->attributes[attribute].value_count;
}

static crd_text value_of_attribute(const void *summary, size_t attribute, size_t value) {
    return crd_summary_value(summary, attribute, value);
}

static crd_text given_name_of_column(const void *query, size_t column) {
    return crd_query_column_name(query, column);
}

static crd_column_type type_of_column(const void *query, size_t column) {
    return crd_query_column_type(query, column);
}

static size_t values_of_column(const void *query, size_t column) {
    return crd_query_value_count(query, column);
}

static crd_text value_of_column(const void *query, size_t column, size_t value) {
    return crd_query_value(query, column, value);
}

/* Reads --given for all columns of a query, or, if `query` is NULL, for the attributes of the model. */
static int given_read(const invocation *call, const crd_model *model, const crd_query *query, given *out) {
    crd_error error;
    *out = (given){0};
    if (crd_summary_create(model, &out->summary, &error) != CRD_OK) return message_error(&error);
    given_columns columns = {.description = "attribute",
                             .model = model,
                             .data = out->summary,
                             .count = out->summary->attribute_count,
                             .name = given_name_of_attribute,
                             .type = type_of_attribute,
                             .value_count = values_of_attribute,
                             .value = value_of_attribute};
    if (query != NULL) {
        columns = (given_columns){.description = "column",
                                  .model = model,
                                  .data = query,
                                  .count = crd_query_column_count(query),
                                  .name = given_name_of_column,
                                  .type = type_of_column,
                                  .value_count = values_of_column,
                                  .value = value_of_column};
    }
    int ended = given_read_options(call, &columns, out);
    if (ended != ENDED_WELL) given_free(out);
    return ended;
}

int given_read_attributes(const invocation *call, const crd_model *model, given *out) {
    return given_read(call, model, NULL, out);
}

int given_read_columns(const invocation *call, const crd_model *model, const crd_query *query, given *out) {
    return given_read(call, model, query, out);
}

/* Warns if a value does not occur in the training data but is similar to one that does. */
static void warn_if_unseen(const crd_summary *summary, size_t attribute, crd_text text) {
    string near = {0}, shown = {0};
    size_t near_count = 0;
    bool seen = false;
    for (size_t v = 0; v < summary->attributes[attribute].value_count && !seen; v++) {
        crd_text value = crd_summary_value(summary, attribute, v);
        seen = crd_text_equal(value, text);
        list_add_near(&near, &near_count, text, value);
    }
    if (!seen && near.length > 0) {
        string_add_shown(&shown, summary->attributes[attribute].name);
        string_format(&shown, " is never ");
        string_add_shown(&shown, text);
        message_warning("%s; did you mean %s?", string_text(&shown), string_text(&near));
    }
    string_free(&near);
    string_free(&shown);
}

void given_warn_of_unseen(const given *g) {
    for (size_t i = 0; i < g->count; i++)
        if (g->values[i].type == CRD_TYPE_CATEGORICAL) warn_if_unseen(g->summary, i, g->values[i].text);
}

void given_free(given *g) {
    for (size_t i = 0; i < g->list_count; i++) list_free(&g->lists[i]);
    free(g->lists);
    free(g->names);
    free(g->values);
    free(g->texts);
    string_free(&g->text);
    crd_summary_destroy(g->summary);
    *g = (given){0};
}

void given_hint_at_class(const given *g, const crd_query *query) {
    size_t target = crd_query_target(query);
    string near = {0};
    size_t near_count = 0;
    bool is_class = g->texts[target].bytes == NULL;
    for (size_t k = 0; k < crd_query_value_count(query, target) && !is_class; k++) {
        is_class = crd_text_equal(crd_query_value(query, target, k), g->texts[target]);
        list_add_near(&near, &near_count, g->texts[target], crd_query_value(query, target, k));
    }
    if (!is_class && near.length > 0) message_hint("did you mean %s?", string_text(&near));
    string_free(&near);
}
