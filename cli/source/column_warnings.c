/* SPDX-License-Identifier: MIT */
/* column_warnings.c - see column_warnings.h. */
#include "source/column_warnings.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "source/sequence_options.h"

#include <stdlib.h>
#include <string.h>

/* The maximum number of columns that a warning names, and that it lists for an option. */
enum { MOST_NAMED = 10, MOST_TYPED = 20 };

static void say_how_many_more(size_t column_count) {
    if (column_count > MOST_NAMED + 1) message_warning("so do %zu columns more", column_count - MOST_NAMED);
    if (column_count == MOST_NAMED + 1) message_warning("so does 1 column more");
}

/* ---- No attributes ---- */

static const char *column_warnings_written(const crd_reader *reader) {
    switch (crd_reader_separator(reader)) {
    case CRD_SEPARATOR_COMMA: return " between commas";
    case CRD_SEPARATOR_SEMICOLON: return " between semicolons";
    case CRD_SEPARATOR_TAB: return " between tabs";
    case CRD_SEPARATOR_BLANK: return " between blanks";
    case CRD_SEPARATOR_PIPE: return " between pipes";
    case CRD_SEPARATOR_OTHER:
    case CRD_SEPARATOR_AUTO: break;
    }
    return "";
}

static void warn_of_nothing(const crd_reader *reader) {
    size_t columns = crd_reader_column_count(reader);
    message_warning("no columns remain except the target, so every prediction will be the prior; the file was read as "
                    "%zu column%s%s (see --separator)",
                    columns, columns == 1 ? "" : "s", column_warnings_written(reader));
}

/* ---- Almost numeric columns ---- */

/* Returns whether an option names the column explicitly. */
bool column_is_named_by(const invocation *call, const char *option_name, const crd_reader *reader, crd_text name) {
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns), index = 0;
    bool said = false;
    for (const char *value; (value = arguments_next(&call->arguments, option_name, &index)) != NULL;) {
        list selectors;
        if (!list_split(value, &selectors)) continue;
        for (size_t i = 0; i < selectors.count; i++) {
            size_t count = 0;
            if (crd_reader_select(reader, selectors.items[i], columns, &count, NULL) != CRD_OK) continue;
            for (size_t j = 0; j < count; j++) {
                said = said || crd_text_equal(crd_reader_column_name(reader, columns[j]), name);
            }
        }
        list_free(&selectors);
    }
    free(columns);
    return said;
}

/* The values that do not fit, for display and as an item list for --missing. */
typedef struct other_values {
    string shown, typed;
    bool is_complete, has_comma;
} other_values;

static void column_warnings_list_others(const crd_column_check *column, other_values *out) {
    const size_t count =
        column->other_values < CRD_COLUMN_CHECK_OTHERS ? column->other_values : CRD_COLUMN_CHECK_OTHERS;
    *out = (other_values){.is_complete = count == column->other_values};
    for (size_t i = 0; i < count; i++) {
        const crd_text value = column->others[i];
        const bool is_last = out->is_complete && i + 1 == count && i > 0;
        string_format(&out->shown, "%s'", i == 0 ? "" : is_last ? " and " : ", ");
        string_add_shown(&out->shown, value);
        string_format(&out->shown, "'");
        if (i > 0) string_format(&out->typed, ",");
        list_add_typed(&out->typed, value);
        out->has_comma = out->has_comma || memchr(value.bytes, ',', value.length) != NULL;
    }
}

/* Warns that a column is categorical although most of its values are numbers or dates, and names options that help. */
static void warn_of_others(crd_text name, const crd_column_check *column) {
    string shown = {0}, typed = {0}, remedy = {0};
    other_values others;
    const bool is_one = column->other_values == 1;
    column_warnings_list_others(column, &others);
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    if (others.is_complete && !others.has_comma)
        string_format(&remedy, "--missing %s reads %s as missing", string_text(&others.typed), is_one ? "it" : "them");
    else string_format(&remedy, "--missing reads listed texts as missing");
    if (others.has_comma && !column->is_nearly_date && message_offers("decimal"))
        string_format(&remedy, ", --decimal , reads commas");
    if (!column->is_nearly_date)
        string_format(&remedy, ", --numeric %s rejects %s", string_text(&typed), is_one ? "it" : "them");
    message_warning("'%s' is categorical, though %.0f of its %.0f values are %s and only %s%s%s %s not: %s",
                    string_text(&shown), column->is_nearly_date ? column->dates : column->numbers, column->cells,
                    column->is_nearly_date ? "dates" : "numbers", others.is_complete ? "" : "some, such as ",
                    string_text(&others.shown), others.is_complete ? "" : ",", is_one ? "is" : "are",
                    string_text(&remedy));
    string_free(&others.shown);
    string_free(&others.typed);
    string_free(&shown);
    string_free(&typed);
    string_free(&remedy);
}

/* ---- Units and dates ---- */

static void warn_of_unit(crd_text name, const crd_column_check *column) {
    string shown = {0}, unit = {0};
    string_add_shown(&shown, name);
    string_add_shown(&unit, column->unit);
    message_warning(
        "'%s' is categorical: its values are numbers followed by %s '%s'; remove the unit to make it numeric",
        string_text(&shown), column->units == 1 ? "the unit" : "units, such as", string_text(&unit));
    if (column->units == 1 && strcspn(string_text(&unit), "/\\.*^'$[]") == unit.length)
        message_hint("run sed 's/\\([0-9]\\) *%s/\\1/g' FILE to remove it", string_text(&unit));
    else if (column->units > 1) message_hint("convert the values to one unit first");
    string_free(&shown);
    string_free(&unit);
}

static void warn_of_dates(crd_text name, const crd_column_check *column) {
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    if (column->date_formats > 1)
        message_warning("'%s' is categorical: its values are dates in %zu formats; write all as 2024-02-29, or ignore "
                        "it with --ignore %s",
                        string_text(&shown), column->date_formats, string_text(&typed));
    else
        message_warning("'%s' is categorical: its values are dates in an unsupported format; write them as 2024-02-29, "
                        "or ignore it with --ignore %s",
                        string_text(&shown), string_text(&typed));
    string_free(&shown);
    string_free(&typed);
}

static void warn_of_marks(crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    message_warning(
        "'%s' is categorical: its values are numbers, some with a decimal point and some with a decimal comma",
        string_text(&shown));
    message_hint("write all with one mark; for several files, train on the files with one mark and update the model "
                 "with the others");
    string_free(&shown);
}

/* Warns of numbers in quotes, which are texts in JSON. */
static void warn_of_quotes(crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    message_warning(
        "'%s' is categorical: its values are numbers in quotes, which are texts in JSON; remove the quotes to "
        "make it numeric",
        string_text(&shown));
    string_free(&shown);
}

static bool is_json(const crd_reader *reader) {
    const crd_format format = crd_reader_format(reader);
    return format == CRD_FORMAT_JSON_LINES || format == CRD_FORMAT_JSON;
}

static void warn_of_values(crd_text name, const crd_column_check *column) {
    if (column->is_number_text) warn_of_quotes(name);
    else if (column->has_both_marks) warn_of_marks(name);
    else if (column->unit.bytes != NULL) warn_of_unit(name, column);
    else if (column->date_formats > 0) warn_of_dates(name, column);
    else warn_of_others(name, column);
}

/* ---- Identifiers ---- */

static void warn_of_identifier(crd_text name, const crd_column_check *column) {
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    message_warning("'%s' has %zu values in %.0f rows and looks like an identifier: use --ignore %s to ignore it",
                    string_text(&shown), column->values, column->cells, string_text(&typed));
    string_free(&shown);
    string_free(&typed);
}

/* ---- Texts ---- */

static void warn_of_text(crd_text name, const crd_column_check *column) {
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    message_warning("'%s' has %zu values of several words in %.0f rows and looks like text: use --text %s to count its "
                    "words, or --ignore %s to ignore it",
                    string_text(&shown), column->values, column->cells, string_text(&typed), string_text(&typed));
    string_free(&shown);
    string_free(&typed);
}

/* ---- Row numbers and codes ---- */

/* The approximate number of rows that are read again. */
enum { ROWS_LOOKED_AT = 10000 };

/* Prints one warning for all columns of the same appearance. */
static void warn_of_group(const invocation *call, const string *names, const string *typed, size_t count,
                          crd_appearance sort) {
    bool are_many = count > 1;
    if (count == 0) return;
    if (sort == CRD_APPEARANCE_ROW_NUMBER && count == 1 && sequence_options_are_given(call) &&
        !arguments_have(&call->arguments, "time"))
        message_warning("%s looks like the number or the time of a row: use --time %s to order the steps by it, or "
                        "--ignore %s to skip it",
                        string_text(names), string_text(typed), string_text(typed));
    else if (sort == CRD_APPEARANCE_ROW_NUMBER)
        message_warning("%s look%s like a row number, which predicts nothing: use --ignore %s to ignore %s",
                        string_text(names), are_many ? "" : "s", string_text(typed), are_many ? "them" : "it");
    else
        message_warning("%s ha%s few distinct integers, and may be codes: --categorical %s makes %s of %s",
                        string_text(names), are_many ? "ve" : "s", string_text(typed),
                        are_many ? "categories" : "a category", are_many ? "them" : "it");
}

static bool column_warnings_is_attribute(const crd_summary *summary, crd_text name) {
    for (size_t i = 0; i < summary->attribute_count; i++)
        if (crd_text_equal(summary->attributes[i].name, name)) return true;
    return false;
}

/* Warns of all attributes with the given appearance, except those that --numeric or --only names. */
static void warn_of_sort(const invocation *call, const crd_summary *summary, const crd_reader *reader,
                         const crd_profile *profile, crd_appearance sort) {
    string names = {0}, typed = {0};
    size_t count = 0;
    for (size_t i = 0; i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        if (facts.appearance != sort || !column_warnings_is_attribute(summary, facts.name)) continue;
        if (column_is_named_by(call, "numeric", reader, facts.name) ||
            column_is_named_by(call, "only", reader, facts.name))
            continue;
        /* The list for the option may be longer than the displayed list. */
        if (count < MOST_TYPED && typed.length > 0) string_format(&typed, ",");
        if (count < MOST_TYPED) list_add_typed(&typed, facts.name);
        if (count == MOST_TYPED) string_format(&typed, ",...");
        if (count++ >= MOST_NAMED) continue;
        if (names.length > 0) string_format(&names, ", ");
        string_format(&names, "'");
        string_add_shown(&names, facts.name);
        string_format(&names, "'");
    }
    if (count > MOST_NAMED) string_format(&names, " and %zu more", count - MOST_NAMED);
    warn_of_group(call, &names, &typed, count, sort);
    string_free(&names);
    string_free(&typed);
}

static bool column_warnings_has_numbers(const crd_summary *summary) {
    for (size_t i = 0; i < summary->attribute_count; i++)
        if (summary->attributes[i].type == CRD_TYPE_NUMERIC) return true;
    return false;
}

/* Warns of columns that look like row numbers or codes. Reads a limited number of rows, and ignores failures, because
 * the warnings are optional. */
static void warn_of_appearances(const invocation *call, const crd_summary *summary, crd_reader *reader) {
    static const char *const settled[] = {"schema", "arcs", "bad-rows", "weight"};
    crd_profile *profile = NULL;
    crd_error error;
    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++)
        if (arguments_have(&call->arguments, settled[i])) return;
    if (!column_warnings_has_numbers(summary)) return;
    if (crd_reader_begin_again(reader, &error) != CRD_OK) return;
    if (crd_profile_create(call->context, reader, ROWS_LOOKED_AT, &profile, &error) != CRD_OK) return;
    warn_of_sort(call, summary, reader, profile, CRD_APPEARANCE_ROW_NUMBER);
    warn_of_sort(call, summary, reader, profile, CRD_APPEARANCE_CODES);
    crd_profile_destroy(profile);
}

/* ---- A numeric quantity as the target ---- */

int column_warnings_check_target(const invocation *call, const crd_summary *summary, const crd_reader *reader) {
    crd_text target = summary->target;
    if (!crd_summary_target_may_be_quantity(summary)) return ENDED_WELL;
    if (arguments_have(&call->arguments, "schema") || column_is_named_by(call, "categorical", reader, target))
        return ENDED_WELL;
    string shown = {0}, typed = {0};
    string_add_shown(&shown, target);
    list_add_typed(&typed, target);
    if (!crd_summary_target_is_quantity(summary)) {
        message_warning("the target '%s' has %zu distinct numbers, and each is a class: use --discretize %s=quantile:4 "
                        "for classes that are intervals",
                        string_text(&shown), summary->class_count, string_text(&typed));
        string_free(&shown);
        string_free(&typed);
        return ENDED_WELL;
    }
    message_failed("the target '%s' has %zu distinct numbers: it is a quantity, not a class", string_text(&shown),
                   summary->class_count);
    message_hint("use --discretize %s=quantile:4 for classes that are intervals, or --categorical %s to make each "
                 "number a class",
                 string_text(&typed), string_text(&typed));
    string_free(&shown);
    string_free(&typed);
    return ENDED_FAILED;
}

void column_warnings_report(const invocation *call, const crd_summary *summary, crd_reader *reader) {
    size_t attributes = summary->attribute_count, numbers = 0, identifiers = 0, single = 0;
    crd_column_check *checks = memory_resize(NULL, attributes, sizeof *checks);
    if (attributes == 0) warn_of_nothing(reader);
    for (size_t a = 0; a < attributes; a++) {
        crd_text name = summary->attributes[a].name;
        checks[a] = (crd_column_check)CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(summary, a, &checks[a]);
        if (!is_json(reader)) checks[a].is_number_text = 0;
        const bool is_odd = checks[a].is_number_text || checks[a].has_both_marks || checks[a].is_nearly_numeric ||
                            checks[a].is_nearly_date || checks[a].unit.bytes != NULL || checks[a].date_formats > 0;
        if (!is_odd || arguments_have(&call->arguments, "schema") ||
            column_is_named_by(call, "categorical", reader, name))
            continue;
        checks[a].is_identifier = 0; /* one warning per column is enough */
        single += checks[a].is_nearly_numeric && checks[a].cells - checks[a].numbers == 1;
        if (numbers++ < MOST_NAMED) warn_of_values(name, &checks[a]);
    }
    say_how_many_more(numbers);
    /* A single word in each of several numeric columns may come from one line. */
    if (single > 1)
        message_hint("if a second header line or a line of units follows the header, remove it: sed 2d FILE");
    for (size_t a = 0; a < attributes; a++) {
        if (column_is_named_by(call, "categorical", reader, summary->attributes[a].name)) checks[a].is_text = 0;
        if (!checks[a].is_identifier && !checks[a].is_text) continue;
        crd_text name = summary->attributes[a].name;
        if (identifiers++ >= MOST_NAMED) continue;
        if (checks[a].is_text) warn_of_text(name, &checks[a]);
        else warn_of_identifier(name, &checks[a]);
    }
    say_how_many_more(identifiers);
    if (attributes > 0) warn_of_appearances(call, summary, reader);
    free(checks);
}
