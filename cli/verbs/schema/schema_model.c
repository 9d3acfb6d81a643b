/* SPDX-License-Identifier: MIT */
/* schema_model.c - see schema_model.h. */
#include "verbs/schema/schema_model.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>

enum { VALUES_SHOWN = 3 };
/* Up to COLUMNS_ALL_SHOWN columns are all shown to people. If there are more, only the first COLUMNS_SHOWN are. */
enum { COLUMNS_ALL_SHOWN = 40, COLUMNS_SHOWN = 20 };

/* A column of the training rows, or a part of a column. */
typedef struct model_column {
    crd_text name, format;
    crd_text field;          /* the column of which it is a part; NULL: it is the whole column */
    const char *type, *role; /* role NULL: an attribute */
    bool is_target;
    size_t attribute;      /* index in the summary; SIZE_MAX: none */
    size_t values;         /* number of values of a categorical column */
    double present, total; /* weight of the rows with a value, and of all rows */
    crd_moments moments;   /* moments of a numeric column */
} model_column;

static size_t schema_model_find_attribute(const crd_summary *summary, crd_text name, size_t *next) {
    size_t count = summary->attribute_count;
    for (size_t tried = 0; tried < count; tried++) {
        size_t attribute = (*next + tried) % count;
        if (!crd_text_equal(summary->attributes[attribute].name, name)) continue;
        *next = attribute + 1;
        return attribute;
    }
    return SIZE_MAX;
}

/* Reads a column, or a part of it, from the schema and the summary of the model. */
static model_column schema_model_read_column(const crd_schema *schema, const crd_summary *summary, size_t column,
                                             size_t part, size_t *next) {
    model_column d = {.name = crd_schema_part_name(schema, column, part),
                      .format = crd_schema_column_format(schema, column),
                      .field = {NULL, 0},
                      .is_target = column == crd_schema_target(schema),
                      .attribute = SIZE_MAX,
                      .total = summary->rows};
    d.type = crd_column_type_name(crd_schema_column_type(schema, column));
    d.role = d.is_target ? "target" : column == crd_schema_weight(schema) ? "weight" : NULL;
    if (crd_schema_column_parts(schema, column) > 1) d.field = crd_schema_column_name(schema, column);
    if (crd_schema_is_ignored(schema, column)) d.type = d.role = "ignored";
    if (d.is_target) {
        d.values = summary->class_count;
        d.present = d.total;
    }
    if (d.role == NULL) d.attribute = schema_model_find_attribute(summary, d.name, next);
    if (d.attribute == SIZE_MAX) return d;
    d.type = crd_column_type_name(summary->attributes[d.attribute].type);
    for (size_t k = 0; k < summary->class_count; k++) d.present += crd_summary_present(summary, d.attribute, k);
    if (summary->attributes[d.attribute].type == CRD_TYPE_CATEGORICAL)
        d.values = summary->attributes[d.attribute].value_count;
    d.moments = crd_summary_column_moments(summary, d.attribute);
    return d;
}

static crd_text schema_model_value(const crd_summary *summary, const model_column *d, size_t value) {
    return d->is_target ? summary->classes[value].name : crd_summary_value(summary, d->attribute, value);
}

static double schema_model_rows(const crd_summary *summary, const model_column *d, size_t value) {
    return d->is_target ? summary->classes[value].rows : crd_summary_value_rows(summary, d->attribute, value);
}

/* Reports a column as a JSON object with its values or moments. */
static void report_column_of(crd_result *r, const crd_summary *summary, const model_column *d) {
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "column", d->name);
    crd_result_words(r, "type", d->type);
    if (d->format.length > 0) crd_result_text(r, "format", d->format);
    if (d->field.bytes != NULL) crd_result_text(r, "field", d->field);
    crd_result_words(r, "role", d->role == NULL ? "attribute" : d->role);
    if (d->is_target || d->attribute != SIZE_MAX) crd_result_number(r, "missing", d->total - d->present);
    if (d->moments.rows > 0) {
        crd_result_number(r, "mean", d->moments.mean);
        crd_result_number(r, "sd", sqrt(d->moments.sample_variance));
    }
    if (d->values > 0) {
        crd_result_table *t = crd_result_add_table(r, "values");
        t->is_short = true;
        crd_result_add_column(t, "value", NULL);
        crd_result_add_column(t, "count", NULL);
        for (size_t i = 0; i < d->values; i++) {
            crd_cell_name(t, schema_model_value(summary, d, i));
            crd_cell_number(t, schema_model_rows(summary, d, i));
        }
    }
    crd_result_end(r);
}

/* Returns the values of a category such as "Rain, Sunny and 3 more", or the mean and standard deviation of a number. */
static const char *values_shown(crd_result *r, const crd_summary *summary, const model_column *d) {
    char mean[CRD_NUMBER_ROOM], deviation[CRD_NUMBER_ROOM];
    string text = {0};
    for (size_t i = 0; i < d->values && i < VALUES_SHOWN; i++) {
        if (i > 0) string_format(&text, ", ");
        string_add_shown(&text, schema_model_value(summary, d, i));
    }
    if (d->values > VALUES_SHOWN) string_format(&text, " and %zu more", d->values - VALUES_SHOWN);
    if (d->moments.rows > 0)
        string_format(&text, "mean %s, SD %s", crd_number_round(d->moments.mean, mean),
                      crd_number_round(sqrt(d->moments.sample_variance), deviation));
    return report_take(r, &text);
}

/* Reports the columns of the model as a table, JSON and CSV. */
int schema_model_report(crd_result *r, const crd_schema *schema, const crd_model *model) {
    crd_summary *summary = NULL;
    crd_error error;
    char rows[ROWS_ROOM];
    size_t next = 0;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return message_error(&error);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_number(r, "rows", summary->rows);
    crd_result_line(r, CRD_LINE, "A model of %s", output_rows((uint64_t)summary->rows, rows));
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = t->is_main = true;
    crd_result_add_column(t, "column", "column");
    crd_result_add_column(t, "type", "type")->is_left = true;
    crd_result_add_column(t, "missing", "missing");
    crd_result_add_column(t, "values", "values")->is_left = true;
    crd_result_begin(r, CRD_ARRAY, "columns");
    for (size_t i = 0; i < crd_schema_column_count(schema); i++) {
        size_t parts = crd_schema_is_ignored(schema, i) ? 1 : crd_schema_column_parts(schema, i);
        for (size_t part = 0; part < parts; part++) {
            model_column d = schema_model_read_column(schema, summary, i, part, &next);
            report_column_of(r, summary, &d);
            crd_cell_name(t, d.name);
            crd_cell_words(t, d.role == NULL ? d.type : d.role);
            if (d.is_target || d.attribute != SIZE_MAX) crd_cell_count(t, d.total - d.present);
            else crd_cell_null(t);
            crd_cell_words(t, values_shown(r, summary, &d));
        }
    }
    crd_result_end(r);
    const size_t columns = t->cell_count / t->column_count;
    if (columns > COLUMNS_ALL_SHOWN) {
        t->rows_shown = COLUMNS_SHOWN;
        crd_result_line(r, CRD_REMARK, "and %zu more: --format csv lists all", columns - COLUMNS_SHOWN);
    }
    crd_result_end(r);
    crd_summary_destroy(summary);
    return ENDED_WELL;
}
