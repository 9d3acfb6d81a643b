/* SPDX-License-Identifier: MIT */
/* schema_profile.c - see schema_profile.h.
 *
 * The report for people has two tables: one for all columns, and one with the distribution of numeric columns. JSON has
 * one object per column, and CSV one row per column. */
#include "verbs/schema/schema_profile.h"

#include <math.h>
#include <stdlib.h>

enum { QUANTILES = 5, FREQUENT_SHOWN = 3 };
/* Up to COLUMNS_ALL_SHOWN columns are all shown to people. If there are more, COLUMNS_SHOWN of them are chosen. */
enum { COLUMNS_ALL_SHOWN = 40, COLUMNS_SHOWN = 20 };
static const double LEVELS[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const char *const LEVEL_KEYS[QUANTILES] = {"quantile_5", "quantile_25", "median", "quantile_75", "quantile_95"};
static const char *const LEVEL_TITLES[QUANTILES] = {"5 %", "25 %", "median", "75 %", "95 %"};

/* A column of the schema, or a part of one. */
typedef struct profile_described {
    const crd_profile *profile;
    size_t index;            /* index in the profile; SIZE_MAX: ignored */
    crd_text name, format;   /* format: how the values are parsed; empty: as they are */
    const char *type, *role; /* role NULL: an attribute */
    crd_column_profile facts;
    bool is_shown; /* in the report for people */
} profile_described;

/* Describes a column, or a part of it, from the schema and the profile. */
static profile_described schema_profile_describe(const crd_schema *schema, const crd_profile *profile, size_t column,
                                                 size_t part, size_t *cursor) {
    profile_described d = {.profile = profile, .index = SIZE_MAX, .name = crd_schema_part_name(schema, column, part)};
    d.format = crd_schema_column_format(schema, column);
    if (crd_schema_is_ignored(schema, column)) {
        d.type = d.role = "ignored";
        return d;
    }
    d.index = (*cursor)++;
    d.facts = (crd_column_profile)CRD_COLUMN_PROFILE_INIT;
    crd_profile_column(profile, d.index, &d.facts);
    d.type = crd_column_type_name(d.facts.type);
    d.role = column == crd_schema_target(schema) ? "target" : column == crd_schema_weight(schema) ? "weight" : NULL;
    return d;
}

static double schema_profile_share_missing(const profile_described *d) {
    uint64_t rows = d->facts.present + d->facts.missing;
    return rows == 0 ? 0 : (double)d->facts.missing / (double)rows;
}

/* Returns what the column probably is, such as a row number; NULL: there is no such hint. */
static const char *appearance_of(const profile_described *d) {
    switch (d->facts.appearance) {
    case CRD_APPEARANCE_ROW_NUMBER: return "row number";
    case CRD_APPEARANCE_IDENTIFIER: return d->role == NULL ? "identifier" : NULL;
    case CRD_APPEARANCE_CODES: return "codes";
    case CRD_APPEARANCE_PLAIN: break;
    }
    return NULL;
}

/* Appends a value, or the first characters of a long text. */
static void schema_profile_add_value(string *out, const crd_value *value) {
    enum { LONGEST = 24 };
    char buffer[CRD_NUMBER_ROOM];
    if (value->type == CRD_TYPE_NUMERIC) {
        crd_number_format(value->number, buffer);
        string_format(out, "%s", buffer);
        return;
    }
    crd_text text = value->text;
    bool is_cut = text.length > LONGEST;
    if (is_cut) text.length = LONGEST;
    /* Do not cut within a UTF-8 character. */
    while (is_cut && text.length > 0 && ((unsigned char)text.bytes[text.length] & 0xc0) == 0x80) text.length--;
    string_add_shown(out, text);
    if (is_cut) string_format(out, "...");
}

/* Returns the most frequent values, such as "a (60 %), b (40 %)". They occur more than once. There are as many as
 * fit into `width` columns, but at least one. */
static const char *frequent_of(crd_result *r, const profile_described *d, size_t width) {
    string text = {0};
    crd_value value;
    uint64_t cells = 0;
    for (uint64_t rank = 0; rank < FREQUENT_SHOWN && d->index != SIZE_MAX; rank++) {
        if (!crd_profile_frequent(d->profile, d->index, rank, &value, &cells) || cells < 2) break;
        string next = {0};
        if (rank > 0) string_format(&next, ", ");
        schema_profile_add_value(&next, &value);
        double percent = 100 * (double)cells / (double)d->facts.present;
        if (percent < 1) string_format(&next, " (<1 %%)");
        else string_format(&next, " (%.0f %%)", percent);
        const bool fits =
            rank == 0 ||
            text_width(string_text(&text), text.length) + text_width(string_text(&next), next.length) <= width;
        if (fits) string_add(&text, next.bytes, next.length);
        string_free(&next);
        if (!fits) break;
    }
    return report_take(r, &text);
}

static void add_distinct(crd_result_table *t, const crd_column_profile *facts) {
    if (facts->is_exact) crd_cell_count(t, (double)facts->distinct);
    else crd_cell_shown(t, (double)facts->distinct, ">%.0f", (double)(facts->distinct - 1));
}

/* Chooses the shown columns if there are many: the target, the weight, columns with a hint, empty and constant
 * columns. The first other columns fill the rest. Returns the number of columns that are not shown. */
static size_t choose_shown(profile_described *columns, size_t count) {
    size_t shown = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            profile_described *d = &columns[i];
            const bool is_special = d->role != NULL || appearance_of(d) != NULL || d->facts.distinct < 2;
            if (d->is_shown || (round == 0 && !is_special && count > COLUMNS_ALL_SHOWN)) continue;
            d->is_shown = count <= COLUMNS_ALL_SHOWN || shown < COLUMNS_SHOWN;
            shown += d->is_shown;
        }
    }
    return count - shown;
}

/* Adds the table of all shown columns: type, missing values, distinct values, and the most frequent ones. */
static void schema_profile_add_columns(crd_result *r, const profile_described *columns, size_t count) {
    enum { BRIEF_WIDTH = 32 };
    bool any_seems = false;
    bool any_format = false;
    for (size_t i = 0; i < count; i++) any_seems = any_seems || appearance_of(&columns[i]) != NULL;
    for (size_t i = 0; i < count; i++) any_format = any_format || columns[i].format.length > 0;
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "column");
    crd_result_add_column(t, NULL, "type")->is_left = true;
    if (any_format) crd_result_add_column(t, NULL, "format")->is_left = true;
    crd_result_add_column(t, NULL, "missing");
    crd_result_add_column(t, NULL, "distinct");
    crd_result_add_column(t, NULL, "most frequent")->is_left = true;
    if (any_seems) crd_result_add_column(t, NULL, "looks like")->is_left = true;
    for (size_t i = 0; i < count; i++) {
        const profile_described *d = &columns[i];
        if (!d->is_shown) continue;
        crd_cell_name(t, d->name);
        crd_cell_words(t, d->role != NULL ? d->role : d->type);
        if (any_format) crd_cell_name(t, d->format);
        if (d->index == SIZE_MAX) {
            crd_cell_null(t);
            crd_cell_null(t);
        } else {
            if (d->facts.missing == 0) crd_cell_count(t, 0);
            else if (100 * schema_profile_share_missing(d) < 1)
                crd_cell_shown(t, (double)d->facts.missing, "%.0f (<1 %%)", (double)d->facts.missing);
            else
                crd_cell_shown(t, (double)d->facts.missing, "%.0f (%.0f %%)", (double)d->facts.missing,
                               100 * schema_profile_share_missing(d));
            add_distinct(t, &d->facts);
        }
        crd_cell_words(t, frequent_of(r, d, SIZE_MAX));
        crd_cell_show_as(t, NULL, frequent_of(r, d, BRIEF_WIDTH));
        const char *seems = appearance_of(d);
        if (any_seems) crd_cell_words(t, seems == NULL ? "" : seems);
    }
}

static bool schema_profile_has_numbers(const profile_described *d) {
    return d->index != SIZE_MAX && d->facts.type == CRD_TYPE_NUMERIC && d->facts.present > 0;
}

/* Adds the table of numeric columns: extremes, mean, standard deviation and quantiles. */
static void schema_profile_add_numbers(crd_result *r, const profile_described *columns, size_t count) {
    char buffer[CRD_NUMBER_ROOM];
    size_t numbers = 0;
    bool all_exact = true;
    for (size_t i = 0; i < count; i++) numbers += columns[i].is_shown && schema_profile_has_numbers(&columns[i]);
    if (numbers == 0) return;
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "number");
    crd_result_add_column(t, NULL, "min");
    for (size_t q = 0; q < QUANTILES; q++) crd_result_add_column(t, NULL, LEVEL_TITLES[q]);
    crd_result_add_column(t, NULL, "max");
    crd_result_add_column(t, NULL, "mean");
    crd_result_add_column(t, NULL, "st. dev.");
    for (size_t i = 0; i < count; i++) {
        const profile_described *d = &columns[i];
        if (!d->is_shown || !schema_profile_has_numbers(d)) continue;
        crd_cell_name(t, d->name);
        crd_cell_number(t, d->facts.least);
        for (size_t q = 0; q < QUANTILES; q++) {
            double value = crd_profile_quantile(d->profile, d->index, LEVELS[q]);
            if (d->facts.is_exact) crd_cell_number(t, value);
            else crd_cell_shown(t, value, "~%s", crd_number_round(value, buffer));
        }
        crd_cell_number(t, d->facts.greatest);
        crd_cell_number(t, d->facts.mean);
        if (isnan(d->facts.deviation)) crd_cell_null(t);
        else crd_cell_number(t, d->facts.deviation);
        all_exact = all_exact && d->facts.is_exact;
    }
    if (!all_exact)
        crd_result_line(r, CRD_REMARK, "~ approximate: more than 4,096 distinct values, counted in intervals");
}

/* Adds the CSV table: one row per column, with the quantiles in columns. */
static void schema_profile_add_csv(crd_result *r, const profile_described *columns, size_t count) {
    static const char *const before[] = {"column",   "type",     "role",          "missing", "missing_share",
                                         "distinct", "is_exact", "most_frequent", "min"};
    static const char *const last_columns[] = {"max", "mean", "sd", "looks_like"};
    crd_result_hide(r, true);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_main = true;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) crd_result_add_column(t, before[i], before[i]);
    for (size_t q = 0; q < QUANTILES; q++) crd_result_add_column(t, LEVEL_KEYS[q], LEVEL_KEYS[q]);
    for (size_t i = 0; i < sizeof last_columns / sizeof *last_columns; i++)
        crd_result_add_column(t, last_columns[i], last_columns[i]);
    for (size_t i = 0; i < count; i++) {
        const profile_described *d = &columns[i];
        const char *seems = appearance_of(d);
        bool is_used = d->index != SIZE_MAX;
        double numbers[QUANTILES + 4] = {d->facts.least};
        for (size_t q = 0; q < QUANTILES; q++)
            numbers[q + 1] = is_used ? crd_profile_quantile(d->profile, d->index, LEVELS[q]) : NAN;
        numbers[QUANTILES + 1] = d->facts.greatest;
        numbers[QUANTILES + 2] = d->facts.mean;
        numbers[QUANTILES + 3] = d->facts.deviation;
        crd_cell_name(t, d->name);
        crd_cell_words(t, is_used ? d->type : "ignored");
        crd_cell_words(t, d->role == NULL ? "attribute" : d->role);
        const double counts[] = {(double)d->facts.missing, schema_profile_share_missing(d), (double)d->facts.distinct,
                                 (double)(d->facts.is_exact != 0)};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (is_used) crd_cell_number(t, counts[k]);
            else crd_cell_null(t);
        }
        crd_cell_words(t, frequent_of(r, d, SIZE_MAX));
        for (size_t k = 0; k < QUANTILES + 4; k++) {
            if (schema_profile_has_numbers(d) && !isnan(numbers[k])) crd_cell_number(t, numbers[k]);
            else crd_cell_null(t);
        }
        crd_cell_words(t, seems == NULL ? "" : seems);
    }
    crd_result_hide(r, false);
}

/* Reports the profile as tables, JSON and CSV. */
void schema_profile_report(crd_result *r, const crd_schema *schema, const crd_profile *profile) {
    size_t fields = crd_schema_column_count(schema), count = 0, index = 0;
    profile_described *columns = NULL;
    char rows[ROWS_ROOM];
    for (size_t i = 0; i < fields; i++) {
        size_t parts = crd_schema_is_ignored(schema, i) ? 1 : crd_schema_column_parts(schema, i);
        columns = memory_resize(columns, count + parts, sizeof *columns);
        for (size_t part = 0; part < parts; part++)
            columns[count++] = schema_profile_describe(schema, profile, i, part, &index);
    }
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_profile_report(profile, schema, r);
    crd_result_line(r, CRD_LINE, "%s", output_rows(crd_profile_rows(profile), rows));
    const size_t hidden = choose_shown(columns, count);
    schema_profile_add_columns(r, columns, count);
    if (hidden > 0)
        crd_result_line(r, CRD_REMARK, "and %zu more: use --only COLS to choose columns, or --format csv for all",
                        hidden);
    schema_profile_add_numbers(r, columns, count);
    schema_profile_add_csv(r, columns, count);
    crd_result_end(r);
    free(columns);
}
