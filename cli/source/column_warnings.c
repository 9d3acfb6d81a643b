/* column_warnings.c - see column_warnings.h. */
#include "source/column_warnings.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

/* An identifier has a new value in nearly every row. Below so many rows, small tables would be suspected. */
enum { LEAST_ROWS_TO_SUSPECT = 20 };
/* Names that are numbers but for a few cells are more often numbers with a blemish. Below so many, chance would do. */
enum { LEAST_NUMBERS = 5 };
static const double SUSPECT_SHARE = 0.9;

/* So many columns are named, of each sort. */
enum { MOST_NAMED = 10 };

double column_warnings_present_rows(const crd_summary *summary, size_t attribute) {
    double rows = 0;
    for (size_t c = 0; c < crd_summary_class_count(summary); c++) rows += crd_summary_present(summary, attribute, c);
    return rows;
}

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
    case CRD_SEPARATOR_AUTO: break;
    }
    return "";
}

static void warn_of_nothing(const crd_reader *reader) {
    size_t columns = crd_reader_column_count(reader);
    message_warning("no column is left beside the target, so every answer will be the prior; the file was read as "
                    "%zu column%s%s (see --input)",
                    columns, columns == 1 ? "" : "s", written(reader));
}

/* ---- Nearly numbers ---- */

/* Of a category's cells, how many are numbers, and the commonest that is not. */
typedef struct cells {
    double present, numbers, commonest;
    crd_text other;
} cells;

static cells look_at_cells(const crd_summary *summary, size_t attribute) {
    cells found = {0, 0, 0, {NULL, 0}};
    for (size_t i = 0; i < crd_summary_value_count(summary, attribute); i++) {
        crd_text text = crd_summary_value(summary, attribute, i);
        double number, count = 0;
        for (size_t c = 0; c < crd_summary_class_count(summary); c++) {
            count += crd_summary_count(summary, attribute, i, c);
        }
        found.present += count;
        if (crd_number_parse(text, &number) == CRD_NUMBER_FINITE) {
            found.numbers += count;
        } else if (count > found.commonest) {
            found.commonest = count;
            found.other = text;
        }
    }
    return found;
}

static bool are_nearly_numbers(const crd_summary *summary, size_t attribute, cells *out) {
    if (crd_summary_kind(summary, attribute) != CRD_KIND_CATEGORY) return false;
    *out = look_at_cells(summary, attribute);
    return out->other.bytes != NULL && out->numbers >= LEAST_NUMBERS && out->numbers >= SUSPECT_SHARE * out->present;
}

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

static void warn_of_numbers(crd_text name, const cells *found) {
    string shown = {0}, typed = {0}, other = {0};
    string_add_shown(&shown, name);
    string_add_shown(&other, found->other);
    list_add_typed(&typed, name);
    bool has_comma = memchr(found->other.bytes, ',', found->other.length) != NULL;
    message_warning(
        "'%s' was taken for names, though %.0f of its %.0f cells are numbers and only such as '%s' are not: "
        "--missing lists what to take as missing, %s--number %s refuses them",
        string_text(&shown), found->numbers, found->present, string_text(&other),
        has_comma && message_offers("decimal") ? "--decimal , reads commas, " : "", string_text(&typed));
    string_free(&shown);
    string_free(&typed);
    string_free(&other);
}

/* ---- Identifiers ---- */

static bool looks_like_identifier(const crd_summary *summary, size_t attribute) {
    if (crd_summary_kind(summary, attribute) != CRD_KIND_CATEGORY) return false;
    double rows = column_warnings_present_rows(summary, attribute);
    return rows > LEAST_ROWS_TO_SUSPECT && (double)crd_summary_value_count(summary, attribute) > SUSPECT_SHARE * rows;
}

static void warn_of_identifier(const crd_summary *summary, size_t attribute) {
    crd_text name = crd_summary_attribute(summary, attribute);
    string shown = {0}, typed = {0};
    string_add_shown(&shown, name);
    list_add_typed(&typed, name);
    message_warning("'%s' has %zu values in %.0f rows and looks like an identifier: --ignore %s leaves it out",
                    string_text(&shown), crd_summary_value_count(summary, attribute),
                    column_warnings_present_rows(summary, attribute), string_text(&typed));
    string_free(&shown);
    string_free(&typed);
}

void column_warnings_report(const invocation *call, const crd_summary *summary, const crd_reader *reader) {
    size_t attributes = crd_summary_attribute_count(summary), numbers = 0, identifiers = 0;
    /* Weights do not tell how many cells there are. */
    if (crd_summary_weight(summary).bytes != NULL && attributes > 0) return;
    bool *told = memory_resize(NULL, attributes, sizeof *told);
    if (attributes == 0) warn_of_nothing(reader);
    for (size_t a = 0; a < attributes; a++) {
        crd_text name = crd_summary_attribute(summary, a);
        cells found;
        told[a] = !arguments_have(&call->arguments, "schema") && are_nearly_numbers(summary, a, &found) &&
                  !is_said_to_be_names(call, reader, name);
        if (told[a] && numbers++ < MOST_NAMED) warn_of_numbers(name, &found);
    }
    say_how_many_more(numbers);
    for (size_t a = 0; a < attributes; a++) {
        if (told[a] || !looks_like_identifier(summary, a)) continue;
        if (identifiers++ < MOST_NAMED) warn_of_identifier(summary, a);
    }
    say_how_many_more(identifiers);
    free(told);
}
