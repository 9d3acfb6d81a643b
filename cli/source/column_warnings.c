/* SPDX-License-Identifier: MIT */
/* column_warnings.c - see column_warnings.h. */
#include "source/column_warnings.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

/* So many columns are named, of each sort. */
enum { MOST_NAMED = 10 };

static void say_how_many_more(size_t found) {
    if (found > MOST_NAMED + 1) message_warning("so do %zu columns more", found - MOST_NAMED);
    if (found == MOST_NAMED + 1) message_warning("so does 1 column more");
}

/* ---- No attributes ---- */

static const char *written(const crd_reader *reader) {
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
    message_warning("no column is left beside the target, so every answer will be the prior; the file was read as "
                    "%zu column%s%s (see --separator)",
                    columns, columns == 1 ? "" : "s", written(reader));
}

/* ---- Nearly numbers ---- */

/* Whether --category, which leaves no doubt, names the column. */
static bool is_said_to_be_names(const invocation *call, const crd_reader *reader, crd_text name) {
    size_t *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns), at = 0;
    bool said = false;
    for (const char *value; (value = arguments_next(&call->arguments, "category", &at)) != NULL;) {
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

static void warn_of_numbers(crd_text name, const crd_column_check *found) {
    string shown = {0}, typed = {0}, other = {0};
    string_add_shown(&shown, name);
    string_add_shown(&other, found->not_a_number);
    list_add_typed(&typed, name);
    bool has_comma = memchr(found->not_a_number.bytes, ',', found->not_a_number.length) != NULL;
    message_warning(
        "'%s' is categorical, though %.0f of its %.0f cells are numbers and only some, such as '%s', are not: "
        "--missing lists what to take as missing, %s--number %s refuses them",
        string_text(&shown), found->numbers, found->cells, string_text(&other),
        has_comma && message_offers("decimal") ? "--decimal , reads commas, " : "", string_text(&typed));
    string_free(&shown);
    string_free(&typed);
    string_free(&other);
}

/* ---- Identifiers ---- */

static void warn_of_identifier(crd_text name, const crd_column_check *found) {
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    message_warning("'%s' has %zu values in %.0f rows and looks like an identifier: --ignore %s leaves it out",
                    string_text(&shown), found->values, found->cells, string_text(&typed));
    string_free(&shown);
    string_free(&typed);
}

void column_warnings_report(const invocation *call, const crd_summary *summary, const crd_reader *reader) {
    size_t attributes = crd_summary_attribute_count(summary), numbers = 0, identifiers = 0;
    crd_column_check *checks = memory_resize(NULL, attributes, sizeof *checks);
    if (attributes == 0) warn_of_nothing(reader);
    for (size_t a = 0; a < attributes; a++) {
        crd_text name = crd_summary_attribute(summary, a);
        checks[a] = (crd_column_check)CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(summary, a, &checks[a]);
        if (!checks[a].is_nearly_numeric || arguments_have(&call->arguments, "schema") ||
            is_said_to_be_names(call, reader, name))
            continue;
        checks[a].is_identifier = 0; /* one warning a column is enough */
        if (numbers++ < MOST_NAMED) warn_of_numbers(name, &checks[a]);
    }
    say_how_many_more(numbers);
    for (size_t a = 0; a < attributes; a++) {
        if (!checks[a].is_identifier) continue;
        if (identifiers++ < MOST_NAMED) warn_of_identifier(crd_summary_attribute(summary, a), &checks[a]);
    }
    say_how_many_more(identifiers);
    free(checks);
}
