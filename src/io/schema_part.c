/* SPDX-License-Identifier: MIT */
/* schema_part.c - merges the schemas of table parts. See credence/schema.h and part_evidence.h.
 *
 * If cells determine the type of a field, the evidence of all parts decides its type, format and values. The decimal
 * mark of a file depends on all of its columns, so the evidence of all columns is combined before any column is
 * decided.
 *
 * Contents:
 *   1. Merging
 *   2. Merge information */
#include "io/public_schema.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Merging ======== */

static crd_status fail_parts(const char *description, crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s", description);
}

crd_status crd_i_schema_check_parts(const crd_schema *a, const crd_schema *b, crd_error *error) {
    const crd_i_part_evidence *mine = a->part, *theirs = b->part;
    if ((mine == NULL) != (theirs == NULL))
        return fail_parts("one schema is of a part of a table, the other of a whole table", error);
    const char *difference = mine == NULL ? NULL : crd_i_part_evidence_difference(mine, theirs);
    return difference == NULL ? CRD_OK : fail_parts(difference, error);
}

static const crd_i_field_evidence *evidence_of(const crd_schema *schema, size_t field) {
    return field == SIZE_MAX ? NULL : &schema->part->fields[field];
}

/* Returns whether the field's type was specified. A column in memory without a cell has no type, whatever it has
 * elsewhere. */
static bool schema_part_is_given(const crd_schema *schema, size_t field) {
    return field != SIZE_MAX && !schema->part->fields[field].is_open &&
           (crd_schema_column_type(schema, field) != CRD_TYPE_NONE || crd_schema_column_parts(schema, field) > 1 ||
            crd_schema_is_ignored(schema, field));
}

/* Returns whether an open field has no cell in this part, so the other part decides. */
static bool is_bare(const crd_i_field_evidence *evidence) {
    return evidence != NULL && evidence->is_open && evidence->type == CRD_TYPE_NONE && evidence->formats.cells == 0 &&
           evidence->texts == NULL && !evidence->has_more_texts && !evidence->has_words;
}

crd_status crd_i_schema_combine_evidence(crd_i_part_evidence *part, size_t index, const crd_schema *a, size_t of_a,
                                         const crd_schema *b, size_t of_b, crd_error *error) {
    const crd_i_field_evidence *const both[] = {evidence_of(a, of_a), evidence_of(b, of_b)};
    const bool is_open = (both[0] != NULL && both[0]->is_open) || (both[1] != NULL && both[1]->is_open);
    if ((is_bare(both[0]) && schema_part_is_given(b, of_b)) || (is_bare(both[1]) && schema_part_is_given(a, of_a)))
        return CRD_OK;
    if (is_open && (schema_part_is_given(a, of_a) || schema_part_is_given(b, of_b)))
        return crd_i_schema_fail_differ(of_a == SIZE_MAX ? crd_schema_column_name(b, of_b)
                                                         : crd_schema_column_name(a, of_a),
                                        "has a specified type or format in one part, and a detected one in the other: "
                                        "specify the same for every part",
                                        error);
    for (int i = 0; i < 2; i++)
        if (both[i] != NULL &&
            !crd_i_field_evidence_combine(part->context, &part->fields[index], both[i], CRD_I_MOST_TEXTS_OF_PARTS))
            return crd_i_fail_memory(error);
    return CRD_OK;
}

static crd_status fail_texts(crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_LIMIT,
               "'%s' is a category in one part, but has more than %d different values in another part, which did not "
               "treat it as a category: treat it as a category in every part",
               crd_i_quote(name, shown), (int)CRD_I_MOST_PART_TEXTS);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

/* Adds a value of the merged column. For truth values it adds the word in lower case; other texts are missing cells and
 * are skipped. */
static void schema_part_add_value(crd_i_column_format format, crd_text text, crd_text *values, size_t *count) {
    crd_text value = text;
    if (!crd_i_column_format_is_plain(format) && !crd_i_column_format_text(format, text, &value)) return;
    values[(*count)++] = value;
}

static size_t schema_part_count_texts(const crd_schema *schema, size_t field) {
    const crd_i_dictionary *texts = schema->part->fields[field].texts;
    return crd_schema_value_count(schema, field) + (texts == NULL ? 0 : crd_i_dictionary_size(texts));
}

/* Lists the values of a category, from both parts. Texts that a part stored because it read the field as something else
 * are values, too. */
static crd_status list_values(crd_context *context, const crd_schema *const *schemas, const size_t *fields,
                              crd_i_column_format format, crd_schema_column *column, crd_error *error) {
    size_t most = 0;
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        most += schema_part_count_texts(schemas[i], fields[i]);
        if (schemas[i]->part->fields[fields[i]].has_more_texts) return fail_texts(column->name, error);
    }
    crd_text *values = crd_i_alloc(context, most, sizeof *values);
    if (values == NULL) return crd_i_fail_memory(error);
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX) continue;
        const crd_i_dictionary *texts = schemas[i]->part->fields[fields[i]].texts;
        const bool is_read = !crd_i_column_format_is_plain(crd_i_schema_field_format(schemas[i], fields[i]));
        for (size_t k = 0; !is_read && k < crd_schema_value_count(schemas[i], fields[i]); k++)
            schema_part_add_value(format, crd_schema_value(schemas[i], fields[i], k), values, &column->value_count);
        for (size_t k = 0; texts != NULL && k < crd_i_dictionary_size(texts); k++)
            schema_part_add_value(format, crd_i_dictionary_text(texts, k), values, &column->value_count);
    }
    column->values = values;
    return CRD_OK;
}

crd_status crd_i_schema_decide(const crd_i_part_evidence *part, size_t index, char convention,
                               const crd_schema *const *schemas, const size_t *fields, crd_schema_column *column,
                               crd_error *error) {
    crd_i_column_format format;
    column->values = NULL;
    column->value_count = 0;
    column->type = crd_i_part_evidence_decide(part, index, convention, column->role == CRD_ROLE_TARGET, &format);
    column->format = crd_i_column_format_name(format);
    if (column->type != CRD_TYPE_CATEGORICAL || !part->has_values) return CRD_OK;
    return list_values(part->context, schemas, fields, format, column, error);
}

/* Stores the texts. If a part read the field as a plain category, its values are the texts. */
bool crd_i_schema_keep_texts(crd_schema *schema, size_t index, const crd_schema *const *schemas, const size_t *fields) {
    crd_i_field_evidence *evidence = &schema->part->fields[index];
    const bool is_category = crd_schema_column_type(schema, index) == CRD_TYPE_CATEGORICAL &&
                             crd_i_column_format_is_plain(crd_i_schema_field_format(schema, index));
    if (!schema->part->has_values || !evidence->is_open) return true;
    if (is_category) {
        crd_i_dictionary_destroy(evidence->texts);
        evidence->texts = NULL;
        evidence->has_more_texts = false;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (fields[i] == SIZE_MAX || !crd_i_column_format_is_plain(crd_i_schema_field_format(schemas[i], fields[i])))
            continue;
        for (size_t k = 0; k < crd_schema_value_count(schemas[i], fields[i]); k++)
            if (!crd_i_field_evidence_add_text(schema->context, evidence, crd_schema_value(schemas[i], fields[i], k),
                                               CRD_I_MOST_TEXTS_OF_PARTS))
                return false;
    }
    return true;
}

int crd_i_schema_is_part(const crd_schema *schema) {
    return schema->part != NULL;
}

static crd_status schema_part_fail_infinite(crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_NUMBER,
               "'%s' is a number in every part, but has an infinite value: numbers must be finite",
               crd_i_quote(name, shown));
    crd_i_error_subject(error, name);
    return CRD_ERROR_NUMBER;
}

crd_status crd_schema_complete(crd_schema *schema, crd_error *error) {
    for (size_t i = 0; schema->part != NULL && i < schema->part->count; i++)
        if (schema->part->fields[i].has_infinite && crd_schema_column_type(schema, i) == CRD_TYPE_NUMERIC)
            return schema_part_fail_infinite(crd_schema_column_name(schema, i), error);
    crd_i_part_evidence_destroy(schema->part);
    schema->part = NULL;
    return CRD_OK;
}

/* ======== 2. Merge information ========
 *
 * The schema file of a table part contains what merging needs:
 *
 *   "part": {
 *     "version": 1,
 *     "formats": true,
 *     "dates": true,
 *     "values": true,
 *     "rows": "text",
 *     "columns": [
 *       {"name": "Fee", "type": "categorical", "readings": ["point", "comma"], "shows": ["mark"], "currency": 1,
 *        "texts": ["$1,234", "$5"]}
 *     ]
 *   }
 *
 * "columns" lists the columns whose type is determined by their cells. "readings" are the formats that all cells fit;
 * "plain" is the format of plain numbers. It is absent if no row has a cell. "texts" are cells that are not listed as
 * values. "more_texts" is true if there were too many of them. Members that are false or empty are omitted. */

enum { VERSION = 1, FLAGS = 5, MOST_CURRENCY = 1000 };

static const char *const READINGS[CRD_I_READING_COUNT] = {"plain",   "point", "comma", "percent", "percent-comma",
                                                          "boolean", "iso",   "dmy",   "mdy",     "time"};
static const char *const FLAG_NAMES[FLAGS] = {"mark", "time", "decimals", "days", "currencies"};
static const char *const ROWS[] = {"text", "names", "columns"};

static bool *flag_of(crd_i_column_format_evidence *formats, size_t i) {
    bool *const flags[FLAGS] = {&formats->has_mark, &formats->has_time, &formats->decimals_differ,
                                &formats->days_differ, &formats->has_currencies};
    return flags[i];
}

/* ---- Writing ---- */

static void schema_part_file_put(crd_i_encoder *encoder, const char *text) {
    crd_i_encode_bytes(encoder, text, strlen(text));
}

static void schema_part_file_put_number(crd_i_encoder *encoder, unsigned number) {
    char shown[16];
    snprintf(shown, sizeof shown, "%u", number);
    schema_part_file_put(encoder, shown);
}

static bool schema_part_file_is_number(crd_text text, double *value) {
    return crd_number_parse(text, value) == CRD_NUMBER_FINITE;
}

static void put_texts(crd_i_encoder *encoder, crd_context *context, const crd_i_dictionary *texts) {
    const size_t count = crd_i_dictionary_size(texts);
    int32_t *order = crd_i_alloc(context, count, sizeof *order);
    if (order == NULL || crd_i_dictionary_order(texts, NULL, schema_part_file_is_number, order) == SIZE_MAX)
        encoder->failed = true;
    schema_part_file_put(encoder, ", \"texts\": [");
    for (size_t i = 0; !encoder->failed && i < count; i++) {
        if (i > 0) schema_part_file_put(encoder, ", ");
        crd_i_schema_put_text(encoder, crd_i_dictionary_text(texts, (size_t)order[i]));
    }
    schema_part_file_put(encoder, "]");
    crd_free(context, order);
}

static void put_formats(crd_i_encoder *encoder, const crd_i_column_format_evidence *formats) {
    crd_i_column_format_evidence evidence = *formats;
    bool is_any = false;
    schema_part_file_put(encoder, ", \"readings\": [");
    for (size_t i = 0, listed = 0; i < CRD_I_READING_COUNT; i++) {
        if ((evidence.fits & (1U << i)) == 0) continue;
        schema_part_file_put(encoder, listed++ > 0 ? ", \"" : "\"");
        schema_part_file_put(encoder, READINGS[i]);
        schema_part_file_put(encoder, "\"");
    }
    schema_part_file_put(encoder, "]");
    for (size_t i = 0; i < FLAGS; i++) {
        if (!*flag_of(&evidence, i)) continue;
        schema_part_file_put(encoder, is_any ? ", \"" : ", \"shows\": [\"");
        schema_part_file_put(encoder, FLAG_NAMES[i]);
        schema_part_file_put(encoder, "\"");
        is_any = true;
    }
    if (is_any) schema_part_file_put(encoder, "]");
    if (evidence.currency > 0) {
        schema_part_file_put(encoder, ", \"currency\": ");
        schema_part_file_put_number(encoder, (unsigned)evidence.currency);
    }
    unsigned any = 0;
    for (size_t i = 0; i < CRD_I_BOOLEAN_WORDS; i++) any |= evidence.spellings[i];
    for (size_t i = 0; any != 0 && i < CRD_I_BOOLEAN_WORDS; i++) {
        schema_part_file_put(encoder, i == 0 ? ", \"spellings\": [" : ", ");
        schema_part_file_put_number(encoder, evidence.spellings[i]);
    }
    if (any != 0) schema_part_file_put(encoder, "]");
}

static void schema_part_file_put_field(crd_i_encoder *encoder, const crd_schema *schema, size_t i, bool is_first) {
    const crd_i_field_evidence *field = &schema->part->fields[i];
    schema_part_file_put(encoder, is_first ? "\n      {\"name\": " : ",\n      {\"name\": ");
    crd_i_schema_put_text(encoder, crd_schema_column_name(schema, i));
    schema_part_file_put(encoder, ", \"type\": \"");
    schema_part_file_put(encoder, crd_column_type_name(field->type));
    schema_part_file_put(encoder, "\"");
    if (field->formats.cells > 0) put_formats(encoder, &field->formats);
    if (field->texts != NULL) put_texts(encoder, schema->context, field->texts);
    if (field->has_more_texts) schema_part_file_put(encoder, ", \"more_texts\": true");
    if (field->has_infinite) schema_part_file_put(encoder, ", \"infinite\": true");
    schema_part_file_put(encoder, "}");
}

void crd_i_schema_put_part(crd_i_encoder *encoder, const crd_schema *schema) {
    const crd_i_part_evidence *part = schema->part;
    bool is_first = true;
    schema_part_file_put(encoder, ",\n  \"part\": {\n    \"version\": 1,\n");
    if (part->finds_formats) schema_part_file_put(encoder, "    \"formats\": true,\n");
    if (part->splits_dates) schema_part_file_put(encoder, "    \"dates\": true,\n");
    if (part->has_values) schema_part_file_put(encoder, "    \"values\": true,\n");
    schema_part_file_put(encoder, "    \"rows\": \"");
    schema_part_file_put(encoder, ROWS[!part->is_file ? 2 : part->by_name ? 1 : 0]);
    schema_part_file_put(encoder, "\",\n");
    if (part->point != '\0') schema_part_file_put(encoder, "    \"decimal\": \",\",\n");
    if (part->states_comma) schema_part_file_put(encoder, "    \"numbers\": \"comma\",\n");
    schema_part_file_put(encoder, "    \"columns\": [");
    for (size_t i = 0; i < part->count; i++) {
        if (!part->fields[i].is_open) continue;
        schema_part_file_put_field(encoder, schema, i, is_first);
        is_first = false;
    }
    schema_part_file_put(encoder, "\n    ]\n  }");
}

/* ---- Reading ---- */

typedef struct part_file_reader part_file_reader;
typedef crd_status read_item(part_file_reader *r, void *into, crd_error *error);

struct part_file_reader {
    crd_i_json *json;
    crd_i_schema_part_draft *draft;
};

static crd_status schema_part_file_fail(const part_file_reader *r, const char *message, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, r->json->line, 0);
    return CRD_ERROR_SYNTAX;
}

static crd_status schema_part_file_expect(const part_file_reader *r, crd_i_json_token wanted, const char *name,
                                          crd_error *error) {
    crd_i_json_token token = crd_i_json_next(r->json);
    return token == wanted ? CRD_OK : crd_i_json_fail(r->json, token, name, error);
}

/* Reads all items of an array, or all members of an object, after the opening bracket. `read` is called with the item's
 * first token as the latest token, or with the key in json->text. */
static crd_status schema_part_file_read_items(part_file_reader *r, bool is_object, read_item *read, void *into,
                                              crd_error *error) {
    const crd_i_json_token close = is_object ? CRD_I_JSON_CLOSE_OBJECT : CRD_I_JSON_CLOSE_ARRAY;
    crd_i_json_token token = crd_i_json_next(r->json);
    for (bool is_first = true; token != close || !is_first; is_first = false) {
        if (is_object && token != CRD_I_JSON_TEXT) return crd_i_json_fail(r->json, token, "a key in quotes", error);
        if (!is_object && token != CRD_I_JSON_TEXT && token != CRD_I_JSON_NUMBER && token != CRD_I_JSON_OPEN_OBJECT)
            return crd_i_json_fail(r->json, token, "an item of the list", error);
        crd_status status = read(r, into, error);
        if (status != CRD_OK) return status;
        token = crd_i_json_next(r->json);
        if (token == close) return CRD_OK;
        if (token != CRD_I_JSON_COMMA) return crd_i_json_fail(r->json, token, "a comma or the end", error);
        token = crd_i_json_next(r->json);
    }
    return CRD_OK;
}

static crd_status read_each(part_file_reader *r, bool is_object, read_item *read, void *into, crd_error *error) {
    crd_status status = schema_part_file_expect(r, is_object ? CRD_I_JSON_OPEN_OBJECT : CRD_I_JSON_OPEN_ARRAY,
                                                is_object ? "braces" : "a list", error);
    return status == CRD_OK ? schema_part_file_read_items(r, is_object, read, into, error) : status;
}

/* Returns the index of the latest text among these names; `count` if it is not one of them. */
static size_t schema_part_file_find_name(const part_file_reader *r, const char *const *names, size_t count) {
    size_t i = 0;
    while (i < count && !crd_text_equal(r->json->text, crd_text_of(names[i]))) i++;
    return i;
}

/* Rejects a member that occurs twice. */
static crd_status note_member(const part_file_reader *r, size_t which, unsigned *members, crd_error *error) {
    const unsigned bit = 1U << which;
    if ((*members & bit) != 0)
        return schema_part_file_fail(r, "a member occurs twice in the part, or in a column of it", error);
    *members |= bit;
    return CRD_OK;
}

/* Reads the only text that a member may have. */
static crd_status schema_part_file_read_word(const part_file_reader *r, const char *word, crd_error *error) {
    crd_status status = schema_part_file_expect(r, CRD_I_JSON_TEXT, "a text", error);
    if (status != CRD_OK || crd_text_equal(r->json->text, crd_text_of(word))) return status;
    return schema_part_file_fail(r, "unknown decimal mark of the part", error);
}

static crd_status read_true(part_file_reader *r, bool *to, crd_error *error) {
    *to = true;
    return schema_part_file_expect(r, CRD_I_JSON_TRUE, "true", error);
}

static crd_status schema_part_file_read_count(const part_file_reader *r, double most, unsigned *destination,
                                              crd_error *error) {
    double number;
    if (crd_number_parse(r->json->text, &number) != CRD_NUMBER_FINITE || number < 0 || number > most ||
        number != (double)(unsigned)number)
        return schema_part_file_fail(r, "a number of the part is out of range", error);
    *destination = (unsigned)number;
    return CRD_OK;
}

static crd_status read_reading(part_file_reader *r, void *into, crd_error *error) {
    crd_i_field_evidence *field = into;
    const size_t which = schema_part_file_find_name(r, READINGS, CRD_I_READING_COUNT);
    if (which == CRD_I_READING_COUNT) return schema_part_file_fail(r, "unknown reading in the part", error);
    field->formats.fits |= 1U << which;
    return CRD_OK;
}

static crd_status read_flag(part_file_reader *r, void *into, crd_error *error) {
    crd_i_field_evidence *field = into;
    const size_t which = schema_part_file_find_name(r, FLAG_NAMES, FLAGS);
    if (which == FLAGS) return schema_part_file_fail(r, "unknown flag in the part", error);
    *flag_of(&field->formats, which) = true;
    return CRD_OK;
}

typedef struct spelling_list {
    crd_i_field_evidence *field;
    size_t count;
} spelling_list;

static crd_status read_spelling(part_file_reader *r, void *into, crd_error *error) {
    spelling_list *list = into;
    unsigned spellings = 0;
    crd_status status = schema_part_file_read_count(r, 15, &spellings, error);
    if (status != CRD_OK) return status;
    if (list->count == CRD_I_BOOLEAN_WORDS) return schema_part_file_fail(r, "too many spellings in the part", error);
    list->field->formats.spellings[list->count++] = (unsigned char)spellings;
    return CRD_OK;
}

static crd_status schema_part_file_read_text(part_file_reader *r, void *into, crd_error *error) {
    crd_i_field_evidence *field = into;
    if (*r->json->token != '"') return schema_part_file_fail(r, "a text of the part must be in quotes", error);
    if (crd_i_field_evidence_add_text(r->draft->context, field, r->json->text, CRD_I_MOST_TEXTS_OF_PARTS))
        return CRD_OK;
    return crd_i_fail_memory(error);
}

static crd_status read_field_member(part_file_reader *r, void *into, crd_error *error) {
    static const char *const KEYS[] = {"name",      "type",  "readings",   "shows",   "currency",
                                       "spellings", "texts", "more_texts", "infinite"};
    crd_i_schema_part_field *schema_part = into;
    crd_i_field_evidence *field = &schema_part->evidence;
    size_t which = schema_part_file_find_name(r, KEYS, sizeof KEYS / sizeof KEYS[0]);
    /* Earlier versions wrote "kind" instead of "type". */
    if (crd_text_equal(r->json->text, crd_text_of("kind"))) which = 1;
    spelling_list spellings = {field, 0};
    unsigned currency = 0;
    crd_status status = note_member(r, which, &schema_part->members, error);
    if (status == CRD_OK) status = schema_part_file_expect(r, CRD_I_JSON_COLON, "a colon", error);
    if (status != CRD_OK) return status;
    switch (which) {
    case 0:
        status = schema_part_file_expect(r, CRD_I_JSON_TEXT, "a name in quotes", error);
        schema_part->name = r->json->text;
        return status;
    case 1:
        status = schema_part_file_expect(r, CRD_I_JSON_TEXT, "a type in quotes", error);
        if (status == CRD_OK && (!crd_i_column_type_find(r->json->text, &field->type) || field->type == CRD_TYPE_TEXT))
            return schema_part_file_fail(r, "unknown type in the part: expected none, numeric or categorical", error);
        return status;
    case 2: field->formats.cells = 1; return read_each(r, false, read_reading, field, error);
    case 3: return read_each(r, false, read_flag, field, error);
    case 4:
        status = schema_part_file_expect(r, CRD_I_JSON_NUMBER, "a number", error);
        if (status == CRD_OK) status = schema_part_file_read_count(r, MOST_CURRENCY, &currency, error);
        field->formats.currency = (int)currency;
        return status;
    case 5: return read_each(r, false, read_spelling, &spellings, error);
    case 6: return read_each(r, false, schema_part_file_read_text, field, error);
    case 7: return read_true(r, &field->has_more_texts, error);
    case 8: return read_true(r, &field->has_infinite, error);
    default: break;
    }
    return schema_part_file_fail(r, "unknown member of a column of the part", error);
}

static crd_status read_field(part_file_reader *r, void *into, crd_error *error) {
    (void)into;
    crd_i_schema_part_draft *draft = r->draft;
    if (*r->json->token != '{')
        return schema_part_file_fail(r, "a column of the part must be an object, in braces", error);
    if (!crd_i_reserve(draft->context, &draft->fields, &draft->capacity, draft->count + 1, sizeof *draft->fields))
        return crd_i_fail_memory(error);
    crd_i_schema_part_field *field = &draft->fields[draft->count++];
    memset(field, 0, sizeof *field);
    field->evidence.is_open = true;
    field->line = r->json->line;
    return schema_part_file_read_items(r, true, read_field_member, field, error);
}

static crd_status schema_part_file_read_version(part_file_reader *r, crd_error *error) {
    crd_status status = schema_part_file_expect(r, CRD_I_JSON_NUMBER, "a version", error);
    if (status != CRD_OK || crd_text_equal(r->json->text, crd_text_of("1"))) return status;
    crd_i_fail(error, CRD_ERROR_TOO_NEW, "unsupported version of the part: expected %d", (int)VERSION);
    crd_i_error_place(error, NULL, r->json->line, 0);
    return CRD_ERROR_TOO_NEW;
}

/* The required members of those below: version, rows and columns. */
enum { NEEDED_MEMBERS = 1 << 0 | 1 << 4 | 1 << 7 };

static crd_status read_part_member(part_file_reader *r, void *into, crd_error *error) {
    static const char *const KEYS[] = {"version", "formats", "dates",   "values",
                                       "rows",    "decimal", "numbers", "columns"};
    crd_i_part_evidence *part = into;
    size_t which = schema_part_file_find_name(r, KEYS, sizeof KEYS / sizeof KEYS[0]);
    /* Earlier versions wrote "forms" instead of "formats". */
    if (crd_text_equal(r->json->text, crd_text_of("forms"))) which = 1;
    crd_status status = note_member(r, which, &r->draft->members, error);
    if (status == CRD_OK) status = schema_part_file_expect(r, CRD_I_JSON_COLON, "a colon", error);
    if (status != CRD_OK) return status;
    size_t rows = 0;
    switch (which) {
    case 0: return schema_part_file_read_version(r, error);
    case 1: return read_true(r, &part->finds_formats, error);
    case 2: return read_true(r, &part->splits_dates, error);
    case 3: return read_true(r, &part->has_values, error);
    case 4:
        status = schema_part_file_expect(r, CRD_I_JSON_TEXT, "the row source, in quotes", error);
        rows = schema_part_file_find_name(r, ROWS, sizeof ROWS / sizeof ROWS[0]);
        part->is_file = rows < 2;
        part->by_name = rows == 1;
        return status == CRD_OK && rows == 3 ? schema_part_file_fail(r, "unknown row source of the part", error)
                                             : status;
    case 5: part->point = ','; return schema_part_file_read_word(r, ",", error);
    case 6: part->states_comma = true; return schema_part_file_read_word(r, "comma", error);
    case 7: return read_each(r, false, read_field, NULL, error);
    default: break;
    }
    return schema_part_file_fail(r, "unknown member of the part", error);
}

crd_status crd_i_schema_read_part(crd_i_json *json, crd_i_schema_part_draft *draft, crd_error *error) {
    part_file_reader r = {json, draft};
    draft->is_there = true;
    crd_status status = read_each(&r, true, read_part_member, &draft->facts, error);
    if (status == CRD_OK && (draft->members & NEEDED_MEMBERS) != NEEDED_MEMBERS)
        return schema_part_file_fail(&r, "the part must have the members version, rows and columns", error);
    return status;
}

crd_status crd_i_schema_take_part(crd_schema *schema, crd_i_schema_part_draft *draft, crd_error *error) {
    if (!draft->is_there) return CRD_OK;
    draft->facts.context = schema->context;
    crd_i_part_evidence *part = crd_i_part_evidence_create_like(&draft->facts, schema->inner->width);
    if (part == NULL) return crd_i_fail_memory(error);
    schema->part = part;
    for (size_t i = 0, index = 0; i < draft->count; i++) {
        crd_i_schema_part_field *field = &draft->fields[i];
        const size_t width = schema->inner->width;
        size_t tried = 0;
        while (tried < width && !crd_text_equal(crd_schema_column_name(schema, (index + tried) % width), field->name))
            tried++;
        index = width == 0 ? 0 : (index + tried) % width;
        if (tried == width || field->name.length == 0 || part->fields[index].is_open ||
            schema->fields[index].column == SIZE_MAX) {
            crd_i_fail(error, CRD_ERROR_SYNTAX, "a column of the part is not in the schema, or occurs twice");
            crd_i_error_place(error, NULL, field->line, 0);
            return CRD_ERROR_SYNTAX;
        }
        part->fields[index] = field->evidence;
        field->evidence.texts = NULL;
    }
    return CRD_OK;
}

void crd_i_schema_clear_part_draft(crd_i_schema_part_draft *draft) {
    for (size_t i = 0; i < draft->count; i++) crd_i_dictionary_destroy(draft->fields[i].evidence.texts);
    crd_free(draft->context, draft->fields);
}
