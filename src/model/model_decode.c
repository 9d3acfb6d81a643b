/* SPDX-License-Identifier: MIT */
/* model_decode.c - decodes a model from bytes that may be hostile.
 *
 * Checksums show only that a file is unchanged, not who wrote it. So every count is compared with the number of bytes
 * left before anything is allocated for it. Everything that a writer guarantees is checked: unique names in order, no
 * value without a count, no attribute that is present in more rows than its class has, only sums that some rows can
 * produce. A file that passes is a model like any other.
 *
 * Contents:
 *   1. Schema
 *   2. Model */
#include "model/model_parts.h"

#include "base/byte_codec.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "input/source.h"
#include "io/page_source.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "model/joint_tallies.h"
#include "model/model_sections.h"
#include "model/schema_view.h"
#include "network/formats/network_format.h"
#include "stats/term_store.h"
#include "table/column_schema.h"

#include <limits.h>
#include <string.h>

/* ======== 1. Schema ======== */

static crd_status model_decode_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool model_decode_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Minimum numbers of bytes of a text, a column and a format in the file. */
enum { LEAST_TEXT = 4, LEAST_COLUMN = LEAST_TEXT + 1 + 8, LEAST_FORMAT = 4 + 1 + 1 + LEAST_TEXT };

static crd_status schema_decode_read_missing(crd_i_cursor *cursor, bool is_stated, crd_i_schema *schema,
                                             crd_error *error) {
    uint8_t any_case = is_stated ? crd_i_decode_u8(cursor) : 0;
    if (any_case > 1) return model_decode_damaged(error, "the missing texts are invalid");
    uint32_t count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, LEAST_TEXT))
        return model_decode_damaged(error, "the list of missing texts is too short");
    crd_text *texts = crd_i_alloc(schema->context, count, sizeof *texts);
    if (texts == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++) {
        texts[i] = crd_i_decode_text(cursor);
        if (cursor->failed || model_decode_has_nul(texts[i]) ||
            (i > 0 && crd_i_text_compare(texts[i - 1], texts[i]) >= 0))
            status = model_decode_damaged(error, "the missing texts are not in order");
    }
    if (status == CRD_OK) {
        bool done = is_stated ? crd_i_schema_set_missing(schema, texts, count, any_case == 1)
                              : crd_i_schema_read_missing(schema, texts, count);
        if (!done) status = crd_i_fail_memory(error);
        /* Each list has only one valid encoding, so equal models have equal bytes. */
        else if (crd_i_schema_states_missing(schema) != is_stated)
            status = model_decode_damaged(error, "the missing texts are invalid");
    }
    crd_free(schema->context, texts);
    return status;
}

static crd_status schema_decode_read_column(crd_i_cursor *cursor, crd_i_schema *schema, crd_i_dictionary *names,
                                            crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint8_t type = crd_i_decode_u8(cursor);
    uint64_t position = crd_i_decode_u64(cursor);
    size_t i = schema->count;
    if (cursor->failed) return model_decode_damaged(error, "the list of columns is too short");
    if (model_decode_has_nul(name)) return model_decode_damaged(error, "a column's name has a NUL byte");
    if (type > CRD_TYPE_TEXT) return model_decode_damaged(error, "a column has an unknown type");
    if (position >= schema->width || (i > 0 && position < schema->columns[i - 1].position))
        return model_decode_damaged(error, "a column is out of place");
    int32_t code = crd_i_dictionary_add(names, name);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code != i) return model_decode_damaged(error, "two columns have the same name");
    if (!crd_i_schema_add(schema, name, (crd_column_type)type, (size_t)position)) return crd_i_fail_memory(error);
    return CRD_OK;
}

static crd_status schema_decode_read_columns(crd_i_cursor *cursor, crd_i_schema *schema, bool has_target,
                                             crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor), target = has_target ? crd_i_decode_u32(cursor) : 0;
    if (!crd_i_cursor_holds(cursor, count, LEAST_COLUMN))
        return model_decode_damaged(error, "the list of columns is too short");
    if (has_target && target >= count) return model_decode_damaged(error, "the target is not one of the columns");
    crd_i_dictionary *names = crd_i_dictionary_create(schema->context);
    crd_status status = names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++)
        status = schema_decode_read_column(cursor, schema, names, error);
    crd_i_dictionary_destroy(names);
    if (status == CRD_OK && !has_target) return crd_i_schema_stand_in(schema) ? CRD_OK : crd_i_fail_memory(error);
    schema->target = target;
    if (status == CRD_OK && schema->columns[target].type != CRD_TYPE_CATEGORICAL)
        status = model_decode_damaged(error, "the target is not a category");
    return status;
}

static crd_status schema_decode(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_i_schema **out,
                                crd_error *error) {
    bool states_missing = version > CRD_I_VERSIONS_TO_STATE_MISSING;
    bool has_target = version - (states_missing ? CRD_I_VERSIONS_TO_STATE_MISSING : 0) != CRD_I_VERSION_WITHOUT_TARGET;
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_create(context);
    if (schema == NULL) return crd_i_fail_memory(error);
    uint64_t width = crd_i_decode_u64(cursor);
    uint8_t has_header = crd_i_decode_u8(cursor);
    crd_status status = CRD_OK;
    if (cursor->failed || width > CRD_I_MOST_WIDTH || has_header > 1)
        status = model_decode_damaged(error, "the schema is invalid");
    schema->width = (size_t)width;
    schema->has_header = has_header == 1;
    if (status == CRD_OK) status = schema_decode_read_missing(cursor, states_missing, schema, error);
    if (status == CRD_OK) status = schema_decode_read_columns(cursor, schema, has_target, error);
    if (status == CRD_OK) {
        *out = schema;
        return CRD_OK;
    }
    crd_i_schema_destroy(schema);
    return status;
}

/* Decodes the weight into a decoded schema. */
static crd_status schema_decode_weight(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint64_t position = crd_i_decode_u64(cursor);
    if (cursor->failed) return model_decode_damaged(error, "the weight is too short");
    if (model_decode_has_nul(name)) return model_decode_damaged(error, "the weight's name has a NUL byte");
    bool is_apart = position < schema->width && crd_i_schema_find(schema, name) == SIZE_MAX;
    for (size_t i = 0; is_apart && i < schema->count; i++) is_apart = schema->columns[i].position != position;
    if (!is_apart) return model_decode_damaged(error, "the weight is one of the other columns, or out of place");
    return crd_i_schema_set_weight(schema, name, (size_t)position) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status schema_decode_read_format(crd_i_cursor *cursor, crd_i_schema *schema, uint32_t *next,
                                            crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor);
    crd_i_column_format format = {.reading = crd_i_decode_u8(cursor)};
    format.part = crd_i_decode_u8(cursor);
    crd_text field = crd_i_decode_text(cursor);
    if (cursor->failed) return model_decode_damaged(error, "the list of formats is too short");
    if (column < *next || column >= schema->count || (schema->lacks_target && column == schema->target))
        return model_decode_damaged(error, "a format belongs to no column, or is out of place");
    *next = column + 1;
    if (crd_i_column_format_is_plain(format) || !crd_i_column_format_is_known(format))
        return model_decode_damaged(error, "a column has an unknown format");
    /* Numbers that are discretized are categories: see schema_check_fields. */
    crd_column_type type = schema->columns[column].type, own_type = crd_i_column_format_type(format);
    if (type != own_type && !(type == CRD_TYPE_CATEGORICAL && own_type == CRD_TYPE_NUMERIC))
        return model_decode_damaged(error, "the format of a column does not fit its type");
    if (model_decode_has_nul(field) || (field.length > 0) != (format.part != CRD_I_PART_WHOLE))
        return model_decode_damaged(error,
                                    "a format has no field name where one is needed, or an unexpected field name");
    if (field.length == 0) field.bytes = NULL;
    return crd_i_schema_set_column_format(schema, column, format, field) ? CRD_OK : crd_i_fail_memory(error);
}

/* Decodes the column formats into a decoded schema. */
static crd_status schema_decode_formats(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor), next = 0;
    if (count == 0 || !crd_i_cursor_holds(cursor, count, LEAST_FORMAT))
        return model_decode_damaged(error, "the list of formats is too short");
    crd_status status = CRD_OK;
    for (uint32_t i = 0; i < count && status == CRD_OK; i++)
        status = schema_decode_read_format(cursor, schema, &next, error);
    return status;
}

/* Checks that columns share a field only as parts of it. Call it after weight and formats are decoded. */
static crd_status schema_check_fields(const crd_i_schema *schema, crd_error *error) {
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        bool has_numbers = crd_i_column_format_is_plain(column->format) ||
                           crd_i_column_format_type(column->format) == CRD_TYPE_NUMERIC;
        bool is_formed =
            !crd_i_column_format_is_plain(column->format) && column->type != crd_i_column_format_type(column->format);
        if (crd_i_intervals_are(&column->intervals) ? !has_numbers : is_formed)
            return model_decode_damaged(error, "the format of a column does not fit its type");
    }
    for (size_t i = 1; i < schema->count; i++) {
        const crd_i_schema_column *a = &schema->columns[i - 1], *b = &schema->columns[i];
        if (a->position != b->position) continue;
        bool are_parts = a->format.part != CRD_I_PART_WHOLE && a->format.part < b->format.part;
        if (!are_parts || a->format.reading != b->format.reading || !crd_text_equal(a->field, b->field))
            return model_decode_damaged(error, "a column is out of place");
    }
    return CRD_OK;
}

static crd_status schema_decode_read_cuts(crd_i_cursor *cursor, crd_i_schema *schema, size_t *next, crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor), count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, sizeof(uint64_t)))
        return model_decode_damaged(error, "a list of cut points is too short");
    if (column < *next || column >= schema->count || schema->columns[column].type != CRD_TYPE_CATEGORICAL)
        return model_decode_damaged(error, "cut points belong to no categorical column, or are out of order");
    *next = column + 1;
    double *cuts = crd_i_alloc(schema->context, count, sizeof *cuts);
    if (cuts == NULL) return crd_i_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) cuts[i] = crd_i_double_of(crd_i_decode_u64(cursor));
    crd_status status = CRD_OK;
    if (!crd_i_cuts_fit(cuts, count)) status = model_decode_damaged(error, "cut points are not in order");
    else if (!crd_i_intervals_set(schema->context, &schema->columns[column].intervals, cuts, count))
        status = crd_i_fail_memory(error);
    crd_free(schema->context, cuts);
    return status;
}

/* Decodes the cut points of discretized columns into a decoded schema. Their labels are declared values. */
static crd_status schema_decode_cuts(crd_i_cursor *cursor, crd_i_schema *schema, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    size_t next = 0;
    crd_status status =
        cursor->failed || count == 0 ? model_decode_damaged(error, "the list of cut points is empty") : CRD_OK;
    for (uint32_t i = 0; status == CRD_OK && i < count; i++)
        status = schema_decode_read_cuts(cursor, schema, &next, error);
    return status;
}

/* Checks that the declared values of discretized columns are their interval labels. Call it after everything is
 * decoded. */
static crd_status schema_check_labels(const crd_i_schema *schema, crd_error *error) {
    char buffer[CRD_I_INTERVAL_ROOM];
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        if (!crd_i_intervals_are(&column->intervals)) continue;
        size_t count = column->values == NULL ? 0 : crd_i_dictionary_size(column->values);
        bool fits = count == column->intervals.cut_count + 1;
        for (size_t k = 0; fits && k < count; k++)
            fits = crd_text_equal(crd_i_dictionary_text(column->values, k),
                                  crd_i_intervals_label(&column->intervals, k, buffer));
        if (!fits) return model_decode_damaged(error, "the values of a column do not match its cut points");
    }
    return CRD_OK;
}

/* ======== 2. Model ======== */

/* Prefixes the message of CRD_ERROR_DAMAGED from a lower layer like the messages of this file. */
static crd_status in_file(crd_status status, crd_error *error) {
    if (status != CRD_ERROR_DAMAGED || error == NULL) return status;
    char what[sizeof error->message];
    memcpy(what, error->message, sizeof what);
    what[sizeof what - 64] = '\0';
    return model_decode_damaged(error, what);
}

/* ---- Settings ---- */

/* Returns the index of a setting, or the number of settings if it is unknown. Settings are in table order, so the
 * search begins at `first`, after the previous one. */
static size_t setting_index(crd_text name, size_t first) {
    const size_t count = crd_setting_count();
    for (size_t i = 0; i < count; i++) {
        const size_t setting = (first + i) % count;
        if (crd_text_equal(name, crd_text_of(crd_setting_at(setting)->name))) return setting;
    }
    return count;
}

/* Reports a value that a setting does not accept. The checksum was correct, so an unknown word comes from a later
 * version. */
static crd_status refuse_value(crd_context *context, const crd_setting *setting, crd_text value, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    bool is_unknown;
    crd_status status = crd_i_settings_unknown_word(context, setting, value, quoted, &is_unknown, error);
    if (status != CRD_OK) return status;
    if (!is_unknown) return model_decode_damaged(error, "a setting has an invalid value");
    crd_i_fail(error, CRD_ERROR_TOO_NEW, "the model has the %s '%s', which this version does not support",
               setting->name, quoted);
    crd_i_error_subject(error, crd_text_of(setting->name));
    return CRD_ERROR_TOO_NEW;
}

crd_status crd_i_model_read_settings(crd_i_cursor *cursor, crd_settings *settings, crd_error *error) {
    size_t known = crd_setting_count();
    uint32_t count = crd_i_decode_u32(cursor);
    size_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        crd_text name = crd_i_decode_text(cursor), value = crd_i_decode_text(cursor);
        char quoted[CRD_I_QUOTED_ROOM];
        if (cursor->failed) return model_decode_damaged(error, "the list of settings is too short");
        bool is_former;
        crd_status status = crd_i_settings_set_former(settings, name, value, &is_former, error);
        if (status == CRD_ERROR_SETTING) return model_decode_damaged(error, "a setting has an invalid value");
        if (status != CRD_OK) return status;
        if (is_former) continue;
        size_t index = setting_index(name, next);
        if (index == known)
            return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                              "the model has the setting '%s', which this version does not support",
                              crd_i_quote(name, quoted));
        if (index < next || model_decode_has_nul(value))
            return model_decode_damaged(error, "the settings are not in order");
        next = index + 1;
        /* Most settings have their default values. */
        if (!crd_text_equal(value, crd_text_of(settings->texts[index])))
            status = crd_settings_set(settings, crd_setting_at(index)->name, value, error);
        if (status == CRD_ERROR_SETTING) return refuse_value(settings->context, crd_setting_at(index), value, error);
        if (status != CRD_OK) return status;
        bool is_idle = index >= CRD_I_SETTINGS_ALWAYS_STATED &&
                       crd_text_equal(value, crd_text_of(crd_setting_at(index)->default_value));
        if (is_idle || !crd_text_equal(value, crd_text_of(settings->texts[index])))
            return model_decode_damaged(error, "a setting is not written in its canonical form");
    }
    return CRD_OK;
}

/* ---- Extra tallies ---- */

static crd_status fail_unknown_tally(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    return crd_i_fail(error, CRD_ERROR_TOO_NEW, "the model has the statistic '%s', which this version does not support",
                      crd_i_quote(name, quoted));
}

static crd_status read_more(crd_i_cursor *cursor, crd_model *model, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    if (count == 0) return model_decode_damaged(error, "the list of extra tallies is empty");
    for (uint32_t i = 0; i < count; i++) {
        crd_text name = crd_i_decode_text(cursor);
        if (cursor->failed) return model_decode_damaged(error, "the list of extra tallies is too short");
        const crd_i_tally_type *type = crd_i_tally_type_named(name);
        if (type == NULL) return fail_unknown_tally(name, error);
        crd_i_extras one = crd_i_extras_of(type);
        if (one <= model->extras) return model_decode_damaged(error, "the extra tallies are not in order");
        model->extras |= one;
    }
    return CRD_OK;
}

/* Reads an extra tally of a numeric column. They follow the column in the order of their types. */
static crd_status read_extra(crd_i_cursor *cursor, crd_model *model, size_t column, size_t *next, crd_error *error) {
    crd_i_variable *variable = &model->variables[column];
    while (*next < CRD_I_MOST_EXTRAS && variable->extra[*next] == NULL) ++*next;
    if (*next == CRD_I_MOST_EXTRAS) return model_decode_damaged(error, "an extra statistic belongs to no column");
    crd_i_tally *extra = variable->extra[(*next)++];
    crd_text name = crd_i_decode_text(cursor);
    if (cursor->failed || crd_i_tally_type_named(name) != extra->type)
        return model_decode_damaged(error, "an extra statistic is not the expected one");
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values);
    crd_status status = in_file(extra->type->read(extra, classes, 0, cursor, error), error);
    if (status != CRD_OK) return status;
    bool agrees;
    if (!extra->type->check(extra, variable->tally, &agrees)) return crd_i_fail_memory(error);
    return agrees ? CRD_OK : model_decode_damaged(error, "an extra statistic contradicts the values of its column");
}

/* Returns whether the last column that was read has all its extra tallies. */
static bool has_all_extras(const crd_model *model, size_t next_column, size_t next_extra) {
    if (next_column == 0) return true;
    const crd_i_variable *variable = &model->variables[next_column - 1];
    while (next_extra < CRD_I_MOST_EXTRAS && variable->extra[next_extra] == NULL) next_extra++;
    return next_extra == CRD_I_MOST_EXTRAS;
}

/* ---- Classes and attributes ---- */

/* Checks that values are sorted and distinct. */
static crd_status check_order(const crd_i_dictionary *values, crd_i_value_order order, crd_context *context,
                              crd_error *error) {
    size_t count = crd_i_dictionary_size(values);
    int32_t *codes = crd_i_alloc(context, count, sizeof *codes);
    if (codes == NULL || crd_i_dictionary_order(values, NULL, order, codes) == SIZE_MAX) {
        crd_free(context, codes);
        return crd_i_fail_memory(error);
    }
    bool ordered = true, twice = false;
    for (size_t i = 0; i < count; i++) ordered = ordered && (size_t)codes[i] == i;
    crd_free(context, codes);
    if (!ordered) return model_decode_damaged(error, "values are not in order");
    /* Equal values are adjacent, because the values are sorted. */
    for (size_t i = 1; i < count; i++)
        twice = twice || crd_text_equal(crd_i_dictionary_text(values, i - 1), crd_i_dictionary_text(values, i));
    return twice ? model_decode_damaged(error, "a value occurs twice") : CRD_OK;
}

static crd_status model_decode_read_values(crd_i_cursor *cursor, crd_i_variable *variable, crd_i_value_order order,
                                           size_t *count_out, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    *count_out = count;
    if (!crd_i_cursor_holds(cursor, count, LEAST_TEXT))
        return model_decode_damaged(error, "a list of values is too short");
    if (variable->values == NULL) return CRD_OK;
    for (uint32_t i = 0; i < count; i++) {
        crd_text text = crd_i_decode_text(cursor);
        if (cursor->failed) return model_decode_damaged(error, "a list of values is too short");
        if (model_decode_has_nul(text)) return model_decode_damaged(error, "a value has a NUL byte");
        if (!crd_i_dictionary_append(variable->values, text)) return crd_i_fail_memory(error);
    }
    if (!crd_i_dictionary_index(variable->values)) return crd_i_fail_memory(error);
    return check_order(variable->values, order, variable->tally->context, error);
}

/* Reads the main tally of a column, in the layout given by the section's version. */
static crd_status model_decode_read_tally(crd_i_cursor *cursor, crd_i_tally *tally, size_t conditions, size_t values,
                                          bool in_sparse_layout, crd_error *error) {
    const crd_i_tally_type *type = tally->type;
    if (in_sparse_layout && type->read_sparse == NULL)
        return model_decode_damaged(error, "a statistic has an unknown layout");
    return in_file((in_sparse_layout ? type->read_sparse : type->read)(tally, conditions, values, cursor, error),
                   error);
}

static crd_status model_decode_read_variable(crd_i_cursor *cursor, crd_model *model, size_t column, size_t conditions,
                                             bool in_sparse_layout, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    const crd_i_tally_type *type = crd_i_tally_type_named(name);
    crd_column_type declared = model->schema->columns[column].type;
    if (cursor->failed) return model_decode_damaged(error, "a statistic is too short");
    if (type == NULL) return fail_unknown_tally(name, error);
    if (!type->is_main)
        return model_decode_damaged(error, "a column has an extra statistic but not its main statistic");
    if (declared != CRD_TYPE_NONE && declared != type->type)
        return model_decode_damaged(error, "the statistic of a column does not fit the column's type");
    crd_status status = crd_i_model_settle(model, column, type->type, error);
    if (status != CRD_OK) return status;
    crd_i_variable *variable = &model->variables[column];
    size_t values;
    status = model_decode_read_values(cursor, variable, crd_i_schema_view_order(&model->schema->columns[column]),
                                      &values, error);
    if (status != CRD_OK) return status;
    return model_decode_read_tally(cursor, variable->tally, conditions, values, in_sparse_layout, error);
}

static crd_status model_decode_read_classes(crd_i_cursor *cursor, crd_model *model, crd_error *error) {
    crd_status status = model_decode_read_variable(cursor, model, model->schema->target, 1, false, error);
    const crd_i_dictionary *classes = crd_i_model_target(model)->values;
    if (status != CRD_OK || !model->schema->lacks_target) return status;
    for (size_t i = 0; i < crd_i_dictionary_size(classes); i++)
        if (crd_i_dictionary_text(classes, i).length > 0)
            return model_decode_damaged(error, "a class has a name, but the model has no target");
    return CRD_OK;
}

static crd_status model_decode_read_attribute(crd_i_cursor *cursor, crd_model *model, bool in_sparse_layout,
                                              size_t *next, uint64_t *cells, crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor);
    if (cursor->failed || column < *next || column >= model->schema->count || column == model->schema->target)
        return model_decode_damaged(error, "an attribute is not a column, or out of order");
    *next = (size_t)column + 1;
    size_t classes = crd_i_dictionary_size(crd_i_model_target(model)->values);
    crd_status status = model_decode_read_variable(cursor, model, column, classes, in_sparse_layout, error);
    if (status != CRD_OK) return status;
    const crd_i_tally *tally = model->variables[column].tally;
    if (tally->type->read_sparse != NULL) *cells += (uint64_t)tally->values * tally->conditions;
    if (crd_i_tally_is_empty(tally)) return model_decode_damaged(error, "an attribute was never present");
    for (crd_i_total_cursor total_cursor = {0}; tally->type->next_total(tally, &total_cursor);)
        if (crd_i_tally_total(tally, total_cursor.condition) > crd_i_model_class_rows(model, total_cursor.condition))
            return model_decode_damaged(error, "an attribute is present in more rows than its class has");
    return CRD_OK;
}

/* ---- Declared values ---- */

static crd_status read_declared(crd_i_cursor *cursor, crd_model *model, bool keeps_order, size_t *next,
                                crd_error *error) {
    uint32_t column = crd_i_decode_u32(cursor), count = crd_i_decode_u32(cursor);
    bool is_stand_in = model->schema->lacks_target && column == model->schema->target;
    if (cursor->failed || column < *next || column >= model->schema->count || is_stand_in)
        return model_decode_damaged(error, "declared values belong to no column, or are out of order");
    if (model->schema->columns[column].type != CRD_TYPE_CATEGORICAL)
        return model_decode_damaged(error, "a column has declared values, but is not a category");
    if (count == 0 || !crd_i_cursor_holds(cursor, count, LEAST_TEXT))
        return model_decode_damaged(error, "a list of declared values is too short");
    *next = (size_t)column + 1;
    for (uint32_t i = 0; i < count; i++) {
        crd_text text = crd_i_decode_text(cursor);
        if (cursor->failed) return model_decode_damaged(error, "a list of declared values is too short");
        if (model_decode_has_nul(text)) return model_decode_damaged(error, "a declared value has a NUL byte");
        if (crd_i_model_is_declared(model, column, text))
            return model_decode_damaged(error, "a value is declared twice");
        crd_status status = crd_i_model_declare_value(model, column, text, error);
        if (status != CRD_OK) return status;
    }
    crd_i_schema_column *schema_column = &model->schema->columns[column];
    schema_column->keeps_order = keeps_order;
    return keeps_order
               ? CRD_OK
               : check_order(schema_column->values, crd_i_schema_view_order(schema_column), model->context, error);
}

/* ---- File ---- */

static bool model_decode_is(const crd_i_section *section, const char tag[4]) {
    return memcmp(section->tag, tag, 4) == 0;
}

/* The expected section. The ids of parts and the shards come first, if any. A model that does not consist of rows then
 * has the single section of its type. Otherwise the sections have this order. Weight, formats, cut points, quotes and
 * the list of extra tallies are optional. Attributes, extra tallies, joint tallies and declared values may occur
 * several times, all others once. */
enum {
    WANTS_PARTS,
    WANTS_SHARDS,
    WANTS_SCHEMA,
    WANTS_WEIGHT,
    WANTS_FORMATS,
    WANTS_CUTS,
    WANTS_QUOTES,
    WANTS_SETTINGS,
    WANTS_MORE,
    WANTS_CLASSES,
    WANTS_ATTRIBUTES,
    WANTS_JOINT_TALLIES,
    WANTS_VALUES,
    WANTS_PAGES,
    WANTS_NOTHING
};

typedef struct progress {
    unsigned nesting; /* a model may contain only models with a smaller nesting */
    int wants;
    size_t next_column; /* next column of attributes, then of declared values */
    size_t next_extra;  /* next extra tally of the attribute before it */
    uint64_t cells;     /* values times classes, summed over the attributes that have a sparse layout */
    bool some_are_sparse;
    crd_i_part_ids *parts;    /* ids of the model's parts; NULL: none */
    crd_i_shards *shards;     /* shards of the model; NULL: none */
    crd_i_page_source *pages; /* source of the paged section if it stays in its file; otherwise NULL */
    bool is_ours;             /* this library has just written the bytes */
} progress;

/* Returns the type that has this section as its only one; NULL: none. */
static const crd_i_model_kind *model_decode_kind(const crd_i_section *section) {
    size_t i = 0;
    while (crd_i_model_kinds[i] != NULL &&
           (crd_i_model_kinds[i]->tag == NULL || !model_decode_is(section, crd_i_model_kinds[i]->tag)))
        i++;
    return crd_i_model_kinds[i];
}

static bool model_decode_has_texts(const crd_model *model) {
    bool has = false;
    for (size_t i = 0; i < model->schema->count && !has; i++)
        has = model->variables[i].tally != NULL && model->variables[i].tally->type == &crd_i_terms;
    return has;
}

/* Attaches the pages of all text columns, which follow each other. In memory they are checked now; in a file, each page
 * is checked when it is read. */
static crd_status model_decode_read_pages(crd_i_cursor *cursor, crd_model *model, crd_i_page_source *in_file,
                                          bool is_ours, crd_error *error) {
    crd_i_page_source *source = in_file;
    uint64_t begin = 0;
    if (!model_decode_has_texts(model))
        return model_decode_damaged(error, "the model has pages of terms, but no text column");
    if (source == NULL) source = crd_i_page_source_copy(model->context, cursor->at, crd_i_cursor_left(cursor));
    if (source == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++) {
        crd_i_tally *tally = model->variables[i].tally;
        if (tally != NULL && tally->type == &crd_i_terms) status = crd_i_terms_attach(tally, source, &begin, error);
    }
    if (status == CRD_OK && begin != crd_i_page_source_length(source))
        status = model_decode_damaged(error, "the model has more pages of terms than its text columns use");
    for (size_t i = 0; status == CRD_OK && source != in_file && i < model->schema->count; i++) {
        const crd_i_tally *tally = model->variables[i].tally;
        if (tally != NULL && tally->type == &crd_i_terms) status = crd_i_terms_check(tally, is_ours, error);
    }
    if (source != in_file) crd_i_page_source_release(source);
    cursor->at = cursor->end;
    return status;
}

/* Reads one section. CRD_ERROR_DAMAGED: it is not expected here. */
static crd_status read_section(crd_context *context, crd_i_section *section, crd_model **model,
                               progress *current_progress, crd_error *error) {
    crd_i_cursor *cursor = &section->content;
    if (model_decode_is(section, crd_i_tag_parts) && current_progress->wants == WANTS_PARTS) {
        current_progress->wants = WANTS_SHARDS;
        return crd_i_part_ids_read(context, cursor, &current_progress->parts, error);
    }
    if (model_decode_is(section, crd_i_tag_shards) && current_progress->wants <= WANTS_SHARDS) {
        current_progress->wants = WANTS_SCHEMA;
        return crd_i_shards_read(context, cursor, &current_progress->shards, error);
    }
    if (model_decode_is(section, crd_i_tag_schema) && current_progress->wants <= WANTS_SCHEMA) {
        crd_i_schema *schema;
        crd_status status = schema_decode(context, cursor, section->version, &schema, error);
        if (status == CRD_OK) status = crd_i_model_create_bare(context, schema, NULL, model, error);
        current_progress->wants = WANTS_WEIGHT;
        return status;
    }
    const crd_i_model_kind *kind = model_decode_kind(section);
    if (kind != NULL && current_progress->wants <= WANTS_SCHEMA && kind->nesting < current_progress->nesting) {
        current_progress->wants = WANTS_NOTHING;
        return kind->read(context, cursor, section->version, model, error);
    }
    if (model_decode_is(section, crd_i_tag_weight) && current_progress->wants == WANTS_WEIGHT) {
        current_progress->wants = WANTS_FORMATS;
        return schema_decode_weight(cursor, (*model)->schema, error);
    }
    if (model_decode_is(section, crd_i_tag_formats) && current_progress->wants >= WANTS_WEIGHT &&
        current_progress->wants <= WANTS_FORMATS) {
        current_progress->wants = WANTS_CUTS;
        return schema_decode_formats(cursor, (*model)->schema, error);
    }
    if (model_decode_is(section, crd_i_tag_cuts) && current_progress->wants >= WANTS_WEIGHT &&
        current_progress->wants <= WANTS_CUTS) {
        current_progress->wants = WANTS_QUOTES;
        return schema_decode_cuts(cursor, (*model)->schema, error);
    }
    if (model_decode_is(section, crd_i_tag_quotes) && current_progress->wants >= WANTS_WEIGHT &&
        current_progress->wants <= WANTS_QUOTES) {
        current_progress->wants = WANTS_SETTINGS;
        (*model)->schema->has_literal_quotes = true;
        return CRD_OK;
    }
    if (model_decode_is(section, crd_i_tag_settings) && current_progress->wants >= WANTS_WEIGHT &&
        current_progress->wants <= WANTS_SETTINGS) {
        current_progress->wants = WANTS_MORE;
        crd_status status = schema_check_fields((*model)->schema, error);
        return status == CRD_OK ? crd_i_model_read_settings(cursor, (*model)->settings, error) : status;
    }
    if (model_decode_is(section, crd_i_tag_more) && current_progress->wants == WANTS_MORE) {
        current_progress->wants = WANTS_CLASSES;
        return read_more(cursor, *model, error);
    }
    if (model_decode_is(section, crd_i_tag_classes) &&
        (current_progress->wants == WANTS_MORE || current_progress->wants == WANTS_CLASSES)) {
        current_progress->wants = WANTS_ATTRIBUTES;
        return model_decode_read_classes(cursor, *model, error);
    }
    if (model_decode_is(section, crd_i_tag_extra) && current_progress->wants == WANTS_ATTRIBUTES &&
        current_progress->next_column > 0)
        return read_extra(cursor, *model, current_progress->next_column - 1, &current_progress->next_extra, error);
    if (current_progress->wants == WANTS_ATTRIBUTES &&
        !has_all_extras(*model, current_progress->next_column, current_progress->next_extra))
        return model_decode_damaged(error, "an extra statistic is missing");
    if (model_decode_is(section, crd_i_tag_attribute) && current_progress->wants == WANTS_ATTRIBUTES) {
        current_progress->next_extra = 0;
        bool is_sparse = section->version == CRD_I_VERSION_SPARSE;
        current_progress->some_are_sparse = current_progress->some_are_sparse || is_sparse;
        return model_decode_read_attribute(cursor, *model, is_sparse, &current_progress->next_column,
                                           &current_progress->cells, error);
    }
    if (model_decode_is(section, crd_i_tag_joint_tally) &&
        (current_progress->wants == WANTS_ATTRIBUTES || current_progress->wants == WANTS_JOINT_TALLIES)) {
        current_progress->wants = WANTS_JOINT_TALLIES;
        return in_file(crd_i_joint_tallies_read(*model, cursor, error), error);
    }
    if (model_decode_is(section, crd_i_tag_values) && current_progress->wants >= WANTS_ATTRIBUTES &&
        current_progress->wants <= WANTS_VALUES) {
        if (current_progress->wants < WANTS_VALUES) current_progress->next_column = 0;
        current_progress->wants = WANTS_VALUES;
        return read_declared(cursor, *model, section->version == CRD_I_VERSION_KEEPS_ORDER,
                             &current_progress->next_column, error);
    }
    if (model_decode_is(section, crd_i_tag_fitted) && current_progress->wants >= WANTS_ATTRIBUTES &&
        current_progress->wants <= WANTS_VALUES) {
        current_progress->wants = WANTS_PAGES;
        return in_file(crd_i_fit_cache_read(&(*model)->fitted, cursor, error), error);
    }
    if (model_decode_is(section, crd_i_tag_selection) && current_progress->wants >= WANTS_ATTRIBUTES &&
        current_progress->wants <= WANTS_PAGES && (*model)->selection == NULL) {
        current_progress->wants = WANTS_PAGES;
        return in_file(crd_i_selection_read(context, cursor, &(*model)->selection, error), error);
    }
    if (model_decode_is(section, crd_i_tag_pages) && current_progress->wants >= WANTS_ATTRIBUTES &&
        current_progress->wants <= WANTS_PAGES) {
        current_progress->wants = WANTS_NOTHING;
        return model_decode_read_pages(cursor, *model, current_progress->pages, current_progress->is_ours, error);
    }
    return model_decode_damaged(error, "its sections are not in order");
}

static bool model_decode_is_known(const crd_i_section *section) {
    return model_decode_is(section, crd_i_tag_parts) || model_decode_is(section, crd_i_tag_shards) ||
           model_decode_is(section, crd_i_tag_schema) || model_decode_is(section, crd_i_tag_weight) ||
           model_decode_is(section, crd_i_tag_formats) || model_decode_is(section, crd_i_tag_cuts) ||
           model_decode_is(section, crd_i_tag_quotes) || model_decode_is(section, crd_i_tag_settings) ||
           model_decode_is(section, crd_i_tag_more) || model_decode_is(section, crd_i_tag_classes) ||
           model_decode_is(section, crd_i_tag_attribute) || model_decode_is(section, crd_i_tag_extra) ||
           model_decode_is(section, crd_i_tag_joint_tally) || model_decode_is(section, crd_i_tag_values) ||
           model_decode_is(section, crd_i_tag_fitted) || model_decode_is(section, crd_i_tag_selection) ||
           model_decode_is(section, crd_i_tag_pages) || model_decode_kind(section) != NULL;
}

static uint32_t newest_version(const crd_i_section *section) {
    if (model_decode_kind(section) != NULL) return model_decode_kind(section)->newest_version;
    if (model_decode_is(section, crd_i_tag_schema))
        return CRD_I_VERSION_WITHOUT_TARGET + CRD_I_VERSIONS_TO_STATE_MISSING;
    if (model_decode_is(section, crd_i_tag_values)) return CRD_I_VERSION_KEEPS_ORDER;
    return model_decode_is(section, crd_i_tag_attribute) ? CRD_I_VERSION_SPARSE : CRD_I_FILE_VERSION;
}

/* Reads all sections, and checks that none is missing. */
static crd_status read_sections(crd_context *context, crd_i_section_file *file, progress *current_progress,
                                crd_model **model, crd_error *error) {
    crd_i_stage_report("decoding the model", 0, 0);
    for (;;) {
        crd_i_section section;
        bool more;
        if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        crd_status status = crd_i_section_next(file, &section, &more, error);
        if (status != CRD_OK) return status;
        if (!more) break;
        if (!model_decode_is_known(&section) && !section.critical) continue;
        if (!model_decode_is_known(&section) || section.version > newest_version(&section))
            return crd_i_fail(error, CRD_ERROR_TOO_NEW,
                              "the model file has a format that this version does not support");
        bool is_critical =
            !model_decode_is(&section, crd_i_tag_fitted) && !model_decode_is(&section, crd_i_tag_selection);
        if (section.version == 0 || section.critical != is_critical ||
            section.is_paged != model_decode_is(&section, crd_i_tag_pages))
            return model_decode_damaged(error, "a section has an invalid header");
        status = read_section(context, &section, model, current_progress, error);
        if (status != CRD_OK) return status;
        if (crd_i_cursor_left(&section.content) > 0) return model_decode_damaged(error, "a section is too long");
    }
    if (current_progress->some_are_sparse && current_progress->cells <= CRD_I_MOST_DENSE_CELLS)
        return model_decode_damaged(error, "counts are stored as a sparse list, although they fit a dense table");
    bool is_whole = current_progress->wants >= WANTS_JOINT_TALLIES ||
                    (current_progress->wants == WANTS_ATTRIBUTES &&
                     has_all_extras(*model, current_progress->next_column, current_progress->next_extra));
    if (!is_whole || (current_progress->wants < WANTS_NOTHING && model_decode_has_texts(*model)))
        return model_decode_damaged(error, "a section is missing");
    crd_status status = in_file(crd_i_joint_tallies_complete(*model, error), error);
    if (status != CRD_OK) return status;
    return schema_check_labels((*model)->schema, error);
}

static crd_status model_decode_sections(crd_context *context, const unsigned char *bytes, size_t length,
                                        crd_i_page_source *pages, unsigned nesting, bool is_ours, crd_model **out,
                                        crd_error *error) {
    *out = NULL;
    crd_model *model = NULL;
    crd_i_section_file file;
    crd_status status = crd_i_section_file_open(bytes, length, &file, error);
    file.pages = pages;
    progress current_progress = {.nesting = nesting, .pages = pages, .is_ours = is_ours};
    if (status == CRD_OK) status = read_sections(context, &file, &current_progress, &model, error);
    if (status == CRD_OK && current_progress.shards != NULL &&
        crd_i_shards_columns(current_progress.shards)->count != crd_i_model_rows(model)->schema->count)
        status = model_decode_damaged(error, "its shards have different columns");
    if (status != CRD_OK) {
        crd_i_part_ids_destroy(current_progress.parts);
        crd_i_shards_destroy(current_progress.shards);
        crd_model_destroy(model);
        return status;
    }
    model->parts = current_progress.parts;
    model->shards = current_progress.shards;
    *out = model;
    return CRD_OK;
}

crd_status crd_i_model_decode_part(crd_context *context, const unsigned char *bytes, size_t length, unsigned nesting,
                                   crd_model **out, crd_error *error) {
    return model_decode_sections(context, bytes, length, NULL, nesting, false, out, error);
}

crd_status crd_model_decode(crd_context *context, const unsigned char *bytes, size_t length, crd_model **out,
                            crd_error *error) {
    return model_decode_sections(context, bytes, length, NULL, UINT_MAX, false, out, error);
}

crd_status crd_i_model_check_readable(const crd_model *model, const unsigned char *bytes, size_t length,
                                      crd_error *error) {
    crd_model *again;
    crd_status status = model_decode_sections(model->context, bytes, length, NULL, UINT_MAX, true, &again, error);
    crd_model_destroy(again);
    return status;
}

crd_status crd_model_merge_bytes(crd_model *model, const unsigned char *bytes, size_t length, crd_error *error) {
    crd_model *other;
    crd_status status = crd_model_decode(model->context, bytes, length, &other, error);
    if (status != CRD_OK) return status;
    status = crd_model_merge(model, other, error);
    crd_model_destroy(other);
    return status;
}

/* Number of bytes by which a file is recognized. */
enum { LONGEST_BEGINNING = 4096 };

/* Returns the kind of model that the text specifies; NULL: the text is not a model. */
static const crd_i_model_kind *type_of_text(const unsigned char *bytes, size_t length) {
    for (size_t i = 0; crd_i_model_kinds[i] != NULL; i++)
        if (crd_i_model_kinds[i]->is_text != NULL && crd_i_model_kinds[i]->is_text(bytes, length))
            return crd_i_model_kinds[i];
    return NULL;
}

crd_status crd_model_load(crd_context *context, const char *path, crd_model **out, crd_error *error) {
    *out = NULL;
    unsigned char *bytes;
    size_t length;
    crd_i_page_source *pages;
    crd_status status = crd_i_section_file_load(context, path, &bytes, &length, &pages, error);
    if (status != CRD_OK) return status;
    const crd_i_model_kind *stated = type_of_text(bytes, length < LONGEST_BEGINNING ? length : LONGEST_BEGINNING);
    if (stated == NULL) status = model_decode_sections(context, bytes, length, pages, UINT_MAX, false, out, error);
    else status = stated->read_text(context, (char *)bytes, length, out, error);
    crd_free(context, bytes);
    crd_i_page_source_release(pages);
    const bool has_line = status != CRD_OK && stated != NULL && error != NULL;
    if (status != CRD_OK) crd_i_error_place(error, path, has_line ? error->line : 0, has_line ? error->field : 0);
    return status;
}

/* Returns whether bytes begin like a model file, or like the text of a model. */
static bool model_decode_begins(crd_text bytes) {
    const unsigned char *first = (const unsigned char *)bytes.bytes;
    if (bytes.length >= CRD_I_MAGIC_LENGTH && memcmp(first, crd_i_section_magic, CRD_I_MAGIC_LENGTH) == 0) return true;
    return type_of_text(first, bytes.length) != NULL;
}

crd_status crd_file_detect(crd_context *context, const char *path, crd_file_kind *kind, crd_error *error) {
    crd_i_source *file = NULL, *whole = NULL;
    crd_text first = {"", 0};
    crd_i_os_facts facts;
    bool is_network = false;
    *kind = CRD_FILE_ROWS;
    if (crd_i_os_facts_of(path, &facts) && facts.kind != CRD_I_OS_FILE && facts.kind != CRD_I_OS_FOLDER) return CRD_OK;
    crd_status status = crd_i_source_open(context, path, &file, error);
    if (status == CRD_OK) status = crd_i_source_peek(context, file, LONGEST_BEGINNING, &first, &whole, error);
    if (status == CRD_OK && model_decode_begins(first)) {
        *kind = CRD_FILE_MODEL;
        crd_i_source_close(whole);
    } else if (status == CRD_OK) {
        status = crd_i_network_detect(whole, &is_network, error);
        if (is_network) *kind = CRD_FILE_NETWORK;
    }
    if (status != CRD_OK) crd_i_error_place(error, path, 0, 0);
    return status;
}
