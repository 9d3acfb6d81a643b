/* SPDX-License-Identifier: MIT */
/* report.c - see report.h. */
#include "core/report.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <string.h>

static crd_result *create_for_audience(crd_context *context, unsigned audience) {
    crd_context *brief_context = NULL; /* lives as long as the result */
    crd_result *r = NULL;
    crd_status status = context == NULL ? crd_context_create(NULL, &brief_context) : CRD_OK;
    if (status == CRD_OK) status = crd_result_create(context == NULL ? brief_context : context, audience, &r, NULL);
    if (status != CRD_OK) memory_exhausted();
    crd_context_destroy(brief_context);
    return r;
}

crd_result *report_create(crd_context *context) {
    return create_for_audience(context, CRD_FOR_ALL);
}

/* Returns CRD_FOR_PICTURES if --plot names a file. Without a value the option is "". */
static unsigned pictures_audience(const invocation *call) {
    const char *path = arguments_value(&call->arguments, "plot");
    return path != NULL && path[0] != '\0' ? CRD_FOR_PICTURES : 0;
}

crd_result *report_create_drawn(const invocation *call) {
    return create_for_audience(call->context, CRD_FOR_ALL | pictures_audience(call));
}

crd_result *report_create_for(const invocation *call, bool is_drawn) {
    const char *format = arguments_value(&call->arguments, "format");
    unsigned audience = CRD_FOR_PEOPLE;
    if (format != NULL && strcmp(format, "json") == 0) audience = CRD_FOR_JSON;
    else if (format != NULL && strcmp(format, "csv") == 0) audience = CRD_FOR_CSV;
    return create_for_audience(call->context, audience | (is_drawn ? pictures_audience(call) : 0));
}

const char *report_take(crd_result *r, string *text) {
    const char *kept = crd_result_format(r, "%s", string_text(text));
    string_free(text);
    return kept;
}

void report_object_named(crd_result *r, crd_text key) {
    crd_result_key(r, key);
    crd_result_begin(r, CRD_OBJECT, NULL);
}

void report_number_named(crd_result *r, crd_text key, double value) {
    crd_result_key(r, key);
    crd_result_number(r, NULL, value);
}

void column_add_named(crd_result_table *t, crd_text name) {
    const char *key = crd_result_format(t->result, "%.*s", (int)name.length, name.bytes);
    crd_result_add_column(t, key, crd_result_show(t->result, name));
}

void column_add_bar(crd_result_table *t) {
    crd_result_column *column = crd_result_add_column(t, NULL, "");
    column->is_left = column->is_bar = true;
}

void cell_exponential(crd_result_table *t, double log_value) {
    string shown = {0};
    output_add_exponential(&shown, log_value);
    crd_cell_shown(t, crd_exp(log_value), "%s", string_text(&shown));
    string_free(&shown);
}

void cell_fraction(crd_result_table *t, double log_value, const char *fraction) {
    string brief = {0};
    output_add_exponential(&brief, log_value);
    crd_cell_shown(t, crd_exp(log_value), "%s = %s", fraction, string_text(&brief));
    crd_cell_show_as(t, NULL, string_text(&brief));
    string_free(&brief);
}

int report_add_picture(crd_result *r, crd_status status, char **svg, const crd_error *error) {
    if (status != CRD_OK) return message_error(error);
    crd_result_add_picture(r, *svg);
    *svg = NULL;
    return ENDED_WELL;
}
