/* SPDX-License-Identifier: MIT */
/* title_lines.c - see title_lines.h. */
#include "table/read/title_lines.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/read/detect_header.h"

#include <string.h>

enum { LOOKED_AT = 20 };

static const char SEPARATORS[] = ",;\t| ";

static crd_text title_lines_trim(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t')) begin++;
    while (begin < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    return (crd_text){begin, (size_t)(end - begin)};
}

/* Returns the end of the cell that begins here. */
static const char *end_of_cell(const char *cursor, const char *end, char separator, char quote) {
    const char *begin = cursor;
    while (begin < end && *begin == ' ') begin++;
    const bool is_quoted = quote != '\0' && begin < end && *begin == quote;
    if (is_quoted)
        for (cursor = begin + 1; cursor < end && *cursor != quote;) cursor++;
    while (cursor < end && *cursor != separator && !(separator == ' ' && *cursor == '\t')) cursor++;
    return cursor;
}

static crd_text without_quotes(crd_text cell, char quote) {
    if (quote == '\0' || cell.length < 2 || cell.bytes[0] != quote || cell.bytes[cell.length - 1] != quote) return cell;
    return (crd_text){cell.bytes + 1, cell.length - 2};
}

/* The contents of a line if it is split by a separator. */
typedef struct line_look {
    size_t cells; /* non-empty cells */
    size_t found; /* wanted names among them */
    crd_text name;
} line_look;

static bool is_wanted(const crd_i_wanted_names *names, crd_text cell, crd_text *name) {
    for (size_t i = 0; i < names->count; i++) {
        *name = names->name(names->owner, i);
        if (name->length > 0 && crd_text_equal(*name, cell)) return true;
    }
    return false;
}

static line_look look_at_line(crd_text line, char separator, char quote, const crd_i_wanted_names *names) {
    line_look look = {.cells = 0};
    const char *cursor = line.bytes, *end = cursor + line.length;
    while (cursor <= end) {
        const char *cell_end = end_of_cell(cursor, end, separator, quote);
        const crd_text cell = without_quotes(title_lines_trim(cursor, cell_end), quote);
        crd_text name;
        look.cells += cell.length > 0;
        if (cell.length > 0 && is_wanted(names, cell, &name) && look.found++ == 0) look.name = name;
        cursor = cell_end + 1;
    }
    return look;
}

static bool is_comment(crd_text line) {
    const crd_text text = title_lines_trim(line.bytes, line.bytes + line.length);
    return text.length > 0 && text.bytes[0] == '#';
}

/* Returns whether a line cannot be the header of a table with several columns, whatever follows. */
static bool is_title(crd_text line, const crd_i_title_search *search, const crd_i_wanted_names *names) {
    size_t most = 0;
    for (const char *s = SEPARATORS; *s != '\0' && *s != ' '; s++) {
        if (search->separator != '\0' && *s != search->separator) continue;
        const line_look look = look_at_line(line, *s, search->quote, names);
        if (look.cells > most) most = look.cells;
    }
    return is_comment(line) || most < 2;
}

/* Iterates over the lines from the latest record on. */
typedef struct line_walk {
    const char *bytes;
    size_t index, end;
} line_walk;

static bool next_line(line_walk *walk, crd_text *line) {
    if (walk->index >= walk->end) return false;
    const char *begin = walk->bytes + walk->index;
    const char *end = memchr(begin, '\n', walk->end - walk->index);
    *line = (crd_text){begin, end == NULL ? walk->end - walk->index : (size_t)(end - begin)};
    walk->index += line->length + (end != NULL);
    return true;
}

/* Returns whether the lines up to `until` have fewer cells than the header. Comments may have any number of cells. */
static bool are_titles(const char *bytes, size_t until, char separator, size_t cells, char quote,
                       bool may_be_comments) {
    const crd_i_wanted_names none = {.count = 0};
    line_walk walk = {bytes, 0, until};
    crd_text line;
    while (next_line(&walk, &line)) {
        const bool is_excused = may_be_comments && is_comment(line);
        if (!is_excused && look_at_line(line, separator, quote, &none).cells >= cells) return false;
    }
    return true;
}

static void compare_line(const char *bytes, size_t index, crd_text line, uint64_t number,
                         const crd_i_title_search *search, const crd_i_wanted_names *names, size_t *most,
                         crd_i_title_find *out) {
    line_look best = {.cells = 0};
    char separator = '\0';
    for (const char *s = SEPARATORS; *s != '\0'; s++) {
        const char tried = search->separator != '\0' ? search->separator : *s;
        const line_look look = look_at_line(line, tried, search->quote, names);
        if (look.found > best.found || (look.found == best.found && look.cells > best.cells)) {
            best = look;
            separator = tried;
        }
    }
    if (best.found <= *most) return;
    *most = best.found;
    *out = (crd_i_title_find){.line = number, .bytes = index, .name = best.name};
    out->follows_title = are_titles(bytes, index, separator, best.cells, search->quote, true);
}

/* Compares the lines in memory; false: the last of them ends the search of a caller that cannot wait. */
static bool compare_lines(const crd_i_slow_parse *records, size_t length, const crd_i_title_search *search,
                          const crd_i_wanted_names *names, crd_i_title_find *out) {
    const char *bytes = (const char *)records->bytes + records->start;
    line_walk walk = {bytes, records->next - records->start, length};
    uint64_t number = records->next_line;
    size_t most = 0;
    bool goes_on = is_title((crd_text){bytes, records->length}, search, names);
    crd_text line;
    *out = (crd_i_title_find){.line = 0};
    for (size_t index = walk.index; next_line(&walk, &line); index = walk.index, number++) {
        if (is_comment(line)) continue;
        compare_line(bytes, index, line, number, search, names, &most, out);
        goes_on = goes_on && is_title(line, search, names);
    }
    return goes_on && most == 0;
}

crd_status crd_i_title_find_header(crd_i_slow_parse *records, const crd_i_title_search *search,
                                   const crd_i_wanted_names *names, crd_i_title_find *out, crd_error *error) {
    crd_status status = CRD_OK;
    size_t length, before = 0;
    *out = (crd_i_title_find){.line = 0};
    if (!search->is_prompt) {
        status = crd_i_first_rows_find_lines(records, LOOKED_AT, &length, error);
        if (status == CRD_OK) (void)compare_lines(records, length, search, names, out);
        return status;
    }
    const crd_text first = {(const char *)records->bytes + records->start, records->length};
    bool goes_on = is_title(first, search, names);
    for (size_t lines = 1; status == CRD_OK && goes_on && lines <= LOOKED_AT; lines++) {
        status = crd_i_first_rows_find_lines(records, lines, &length, error);
        if (status != CRD_OK || length == before) break;
        goes_on = compare_lines(records, length, search, names, out);
        before = length;
    }
    return status;
}

/* ---- Without names ---- */

static bool title_lines_is_empty(crd_text line) {
    return title_lines_trim(line.bytes, line.bytes + line.length).length == 0;
}

/* Finds the first line after titles that is not a title; false: all lines are titles. */
static bool find_candidate(const crd_i_slow_parse *records, size_t length, const crd_i_title_search *search,
                           crd_i_title_find *out) {
    const crd_i_wanted_names none = {.count = 0};
    const char *bytes = (const char *)records->bytes + records->start;
    line_walk walk = {bytes, records->next - records->start, length};
    crd_text line = {bytes, records->length};
    bool are = is_title(line, search, &none);
    out->line = records->next_line;
    out->bytes = walk.index;
    for (size_t lines = 0; are && lines < LOOKED_AT && next_line(&walk, &line); lines++) {
        if (!title_lines_is_empty(line) && !is_title(line, search, &none)) return true;
        out->line++;
        out->bytes = walk.index;
    }
    return false;
}

/* Uses the rows to decide whether the first record is a header. */
static crd_status check_header(crd_i_slow_parse *records, const crd_i_title_search *search,
                               const crd_i_dialect_rules *rules, size_t *cells, bool *is_header, crd_error *error) {
    crd_i_first_rows rows = {.copy = {.context = records->context}};
    bool is_found = false;
    records->separator = search->separator;
    crd_status status = crd_i_slow_parse_next(records, &is_found, error);
    if (status == CRD_OK && is_found && search->separator == '\0') {
        status = crd_i_detect_separator(records, rules, error);
        crd_i_slow_parse_again(records);
        if (status == CRD_OK) status = crd_i_slow_parse_next(records, &is_found, error);
    }
    if (status == CRD_OK && is_found) status = crd_i_first_rows_read(&rows, records, rules->lines, error);
    if (status == CRD_OK && rows.rows > 0) {
        const crd_i_header_votes votes = crd_i_detect_header(&rows, rules);
        *is_header = votes.names > votes.data;
        *cells = rows.widths[0];
    }
    crd_i_first_rows_clear(&rows);
    return status;
}

crd_status crd_i_title_find_table(crd_i_slow_parse *records, const crd_i_title_search *search,
                                  const crd_i_dialect_rules *rules, crd_i_title_find *out, crd_error *error) {
    crd_i_slow_parse copy = {.context = records->context};
    crd_i_title_find title = {.line = 0};
    size_t length, cells = 0;
    bool is_header = false;
    *out = title;
    if (search->is_prompt) return CRD_OK;
    crd_status status = crd_i_first_rows_find_lines(records, LOOKED_AT + rules->lines, &length, error);
    if (status != CRD_OK || !find_candidate(records, length, search, &title)) return status;
    const char *bytes = (const char *)records->bytes + records->start;
    const size_t left = length - title.bytes;
    if (!crd_i_reserve(copy.context, &copy.bytes, &copy.capacity, left + 1, 1)) return crd_i_fail_memory(error);
    memcpy(copy.bytes, bytes + title.bytes, left);
    crd_i_slow_parse_begin_held(&copy, left, records);
    status = check_header(&copy, search, rules, &cells, &is_header, error);
    title.follows_title = is_header && are_titles(bytes, title.bytes, copy.separator, cells, search->quote, false);
    if (status == CRD_OK && title.follows_title) *out = title;
    crd_i_slow_parse_clear(&copy);
    /* Other errors are reported when the rows are read. */
    return status == CRD_ERROR_MEMORY || status == CRD_ERROR_CANCELLED ? status : CRD_OK;
}
