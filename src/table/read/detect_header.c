/* SPDX-License-Identifier: MIT */
/* detect_header.c - detects the header of a delimited file, and skips lines before it. See detect_dialect.h.
 *
 * Contents:
 *   1. Header detection
 *   2. Lines before the header */
#include "table/read/detect_dialect.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/selector.h"
#include "math/decimal/decimal.h"
#include "table/read/column_names.h"
#include "table/values/column_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Header detection ======== */

enum { MOST_ROWS = CRD_I_HEADER_LINES + 1 };

/* The rows used as evidence. */
typedef struct sample {
    const crd_i_first_rows *rows;
    const crd_i_dialect_rules *rules;
    size_t used[MOST_ROWS];
    size_t count;
} sample;

typedef enum cell_kind { CELL_MISSING, CELL_NUMBER, CELL_TEXT } cell_kind;

typedef struct cell_look {
    crd_text text;
    cell_kind kind;
    bool is_quoted;
    double number;
} cell_look;

static cell_look look_at_cell(const sample *s, size_t row, size_t field) {
    cell_look look = {.text = crd_i_first_rows_text(s->rows, row, field), .kind = CELL_TEXT};
    look.is_quoted = s->rows->cells[row * s->rows->stride + field].form == CRD_I_CELL_QUOTED;
    if (crd_i_missing_has(s->rules->missing, look.text, look.is_quoted)) look.kind = CELL_MISSING;
    else if (crd_i_decimal_parse(look.text, s->rules->decimal, &look.number) != CRD_NUMBER_NONE)
        look.kind = CELL_NUMBER;
    return look;
}

bool crd_i_detect_all_numbers(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules) {
    double number;
    bool are = rows->rows > 0;
    for (size_t field = 0; are && field < rows->widths[0]; field++)
        are = crd_i_decimal_parse(crd_i_first_rows_text(rows, 0, field), rules->decimal, &number) != CRD_NUMBER_NONE;
    return are;
}

static bool detect_header_has_number(const sample *s) {
    bool has = false;
    for (size_t field = 0; !has && field < s->rows->widths[0]; field++)
        has = look_at_cell(s, 0, field).kind == CELL_NUMBER;
    return has;
}

static bool repeats_first(const crd_i_first_rows *rows, size_t row) {
    bool repeats = true;
    for (size_t field = 0; repeats && field < rows->widths[0]; field++)
        repeats = crd_text_equal(crd_i_first_rows_text(rows, row, field), crd_i_first_rows_text(rows, 0, field));
    return repeats;
}

static void choose_rows(sample *s) {
    const crd_i_first_rows *rows = s->rows;
    const bool may_repeat = rows->widths[0] < 2 || detect_header_has_number(s);
    for (size_t row = 1; row < rows->rows && s->count < MOST_ROWS; row++)
        if (rows->widths[row] == rows->widths[0] && (may_repeat || !repeats_first(rows, row)))
            s->used[s->count++] = row;
}

/* ---- Numbers that may be names ---- */

enum { FIRST_YEAR = 1500, LAST_YEAR = 2200, MANY = 5, SOME = 3, ENOUGH_ROWS = 4 };

static bool is_year(const cell_look *look) {
    return look->kind == CELL_NUMBER && look->text.length == 4 && look->number >= FIRST_YEAR &&
           look->number <= LAST_YEAR && look->number == floor(look->number);
}

/* How the numbers of a record increase from field to field. */
typedef struct number_run {
    double first, last, step;
    size_t count;
    bool ascends, descends, has_equal_steps, counts; /* counts: each is one more than the one before */
    bool are_years, are_whole;
} number_run;

static void run_add(number_run *run, const cell_look *look) {
    if (run->count == 0) {
        *run = (number_run){.first = look->number, .ascends = true, .descends = true, .are_years = true};
        run->has_equal_steps = run->counts = run->are_whole = true;
    } else {
        const double step = look->number - run->last;
        const double tolerance = 1e-9 * (fabs(look->number) + fabs(run->last));
        if (run->count == 1) run->step = step;
        run->ascends = run->ascends && step > 0;
        run->descends = run->descends && step < 0;
        run->has_equal_steps = run->has_equal_steps && fabs(step - run->step) <= tolerance;
        run->counts = run->counts && step == 1;
    }
    run->are_years = run->are_years && is_year(look);
    run->are_whole = run->are_whole && look->number >= 0 && look->number == floor(look->number);
    run->last = look->number;
    run->count++;
}

/* The numbers of the first record that are above numbers. */
typedef struct number_names {
    number_run above, below[MOST_ROWS];
    size_t excused; /* numbers that look like names on their own */
    bool occur;     /* one of them occurs again in its column */
} number_names;

/* Properties of numbers in consecutive fields that a row may have. */
typedef enum run_trait { TRAIT_ORDERED, TRAIT_EQUAL_STEPS, TRAIT_COUNTS, TRAIT_YEARS } run_trait;

static bool run_has(const number_run *run, run_trait trait) {
    switch (trait) {
    case TRAIT_ORDERED: return run->ascends || run->descends;
    case TRAIT_EQUAL_STEPS: return (run->ascends || run->descends) && run->has_equal_steps;
    case TRAIT_COUNTS: return run->counts;
    case TRAIT_YEARS: return run->are_years;
    }
    return false;
}

/* Returns whether the first record has the trait and most rows do not. */
static bool stands_out(const number_names *numbers, size_t rows, run_trait trait) {
    size_t having = 0;
    for (size_t i = 0; i < rows; i++)
        having += numbers->below[i].count == numbers->above.count && run_has(&numbers->below[i], trait);
    return run_has(&numbers->above, trait) && 2 * having < rows;
}

/* The votes of the other columns. */
typedef struct other_votes {
    crd_i_header_votes votes;
    size_t texts_above_numbers; /* among those for names */
    bool are_there;             /* false: all columns have numbers above numbers */
} other_votes;

static bool look_like_names(const number_names *numbers, size_t rows, const other_votes *others) {
    const number_run *run = &numbers->above;
    if (run->count == 0 || !others->are_there) return false;
    if (run->are_whole && others->texts_above_numbers > 0) return true;
    if (run->count >= MANY && stands_out(numbers, rows, TRAIT_ORDERED)) return true;
    if (run->count >= SOME && stands_out(numbers, rows, TRAIT_EQUAL_STEPS)) return true;
    if (run->count < 2) return false;
    if (run_has(run, TRAIT_ORDERED) && stands_out(numbers, rows, TRAIT_YEARS)) return true;
    const bool begins_low = run->first == 0 || run->first == 1;
    return begins_low && rows >= ENOUGH_ROWS && !numbers->occur && others->votes.data == 0 &&
           stands_out(numbers, rows, TRAIT_COUNTS);
}

/* ---- One column ---- */

enum { FEW_ROWS = 8, FEW_SHARE = 4 };

/* Statistics of the cells below the first record. */
typedef struct column_look {
    size_t present, numbers, quoted, years, same; /* same: equal to the cell of the first record */
    bool counts;                                  /* 0, 1, 2, ... or 1, 2, 3, ... */
} column_look;

static column_look look_below(const sample *s, size_t field, const cell_look *first) {
    column_look look = {.counts = s->count >= 2};
    double last = 0;
    for (size_t i = 0; i < s->count; i++) {
        const cell_look cell = look_at_cell(s, s->used[i], field);
        const bool begins = i == 0 && (cell.number == 0 || cell.number == 1);
        look.counts = look.counts && cell.kind == CELL_NUMBER && (begins || (i > 0 && cell.number == last + 1));
        last = cell.number;
        if (cell.kind == CELL_MISSING) continue;
        look.present++;
        look.quoted += cell.is_quoted;
        look.numbers += cell.kind == CELL_NUMBER;
        look.years += is_year(&cell);
        const bool are_numbers = first->kind == CELL_NUMBER && cell.kind == CELL_NUMBER;
        if (are_numbers ? cell.number == first->number : crd_text_equal(cell.text, first->text) != 0) look.same++;
    }
    return look;
}

static unsigned formats_of(crd_text text, bool is_text) {
    const unsigned not_telling = 1U << CRD_I_READING_PLAIN | 1U << CRD_I_READING_BOOLEAN;
    crd_i_column_format_evidence evidence = {.cells = 0};
    crd_i_column_format_evidence_add(&evidence, text, '\0', is_text);
    return evidence.fits & ~not_telling;
}

/* Returns the formats that all cells below the first record have. */
static unsigned forms_below(const sample *s, size_t field) {
    unsigned formats = ~0U;
    size_t present = 0;
    for (size_t i = 0; i < s->count && formats != 0; i++) {
        const cell_look cell = look_at_cell(s, s->used[i], field);
        if (cell.kind == CELL_MISSING) continue;
        formats &= formats_of(cell.text, false);
        present++;
    }
    return present == 0 ? 0 : formats;
}

static uint64_t hash_text(crd_text text) {
    uint64_t hash = 0xcbf29ce484222325U; /* FNV-1a */
    for (size_t i = 0; i < text.length; i++) hash = (hash ^ (unsigned char)text.bytes[i]) * 0x100000001b3U;
    return hash;
}

static bool has_few_values(const sample *s, size_t field, size_t present) {
    uint64_t hashes[MOST_ROWS];
    size_t distinct = 0;
    if (present < FEW_ROWS) return false;
    for (size_t i = 0; i < s->count && distinct <= present / FEW_SHARE; i++) {
        const cell_look cell = look_at_cell(s, s->used[i], field);
        if (cell.kind == CELL_MISSING) continue;
        const uint64_t hash = hash_text(cell.text);
        size_t index = 0;
        while (index < distinct && hashes[index] != hash) index++;
        if (index == distinct) hashes[distinct++] = hash;
    }
    return distinct <= present / FEW_SHARE;
}

static bool detect_header_has_word(crd_text text) {
    bool has = false;
    for (size_t i = 0; !has && i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i], lower = byte | 0x20;
        has = (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80;
    }
    return has;
}

static void vote_of_text(const sample *s, size_t field, const cell_look *first, const column_look *below,
                         other_votes *others) {
    crd_i_header_votes *votes = &others->votes;
    const bool is_number_column = below->present > 0 && below->numbers == below->present;
    const unsigned formats = formats_of(first->text, false);
    const unsigned amounts = 1U << CRD_I_READING_POINT | 1U << CRD_I_READING_COMMA | 1U << CRD_I_READING_PERCENT |
                             1U << CRD_I_READING_PERCENT_COMMA;
    if (is_number_column) {
        /* "1,234" above 999 is an amount, and "-" is a missing value that is not listed. */
        const bool may_be_cell = (formats & amounts) != 0 || !detect_header_has_word(first->text);
        votes->names += !may_be_cell;
        others->texts_above_numbers += !may_be_cell;
        return;
    }
    const unsigned shared = forms_below(s, field);
    if ((shared & formats) != 0 || below->same > 0) votes->data++;
    else if ((shared != 0 && formats == 0) || has_few_values(s, field, below->present)) votes->names++;
}

static void vote_of_number(const sample *s, size_t field, const cell_look *first, const column_look *below,
                           number_names *numbers, crd_i_header_votes *votes) {
    if (below->present == 0) return;
    if (below->numbers < below->present) {
        if (below->same > 0) votes->data++;
        else if (below->numbers == 0 && below->present > 1 && s->rows->widths[0] > 1) votes->names++;
        return;
    }
    run_add(&numbers->above, first);
    for (size_t i = 0; i < s->count; i++) {
        const cell_look cell = look_at_cell(s, s->used[i], field);
        if (cell.kind == CELL_NUMBER) run_add(&numbers->below[i], &cell);
    }
    numbers->occur = numbers->occur || below->same > 0;
    numbers->excused += (is_year(first) && below->years == 0) || (first->is_quoted && below->quoted == 0);
}

/* ---- All columns ---- */

/* Returns whether a record without rows after it has numbers in all fields, except perhaps the last. */
static bool detect_header_has_numbers_before_last(const sample *s) {
    const size_t width = s->rows->widths[0];
    bool has_texts = false;
    for (size_t field = 0; !has_texts && field + 1 < width; field++)
        has_texts = look_at_cell(s, 0, field).kind == CELL_TEXT;
    return !has_texts && detect_header_has_number(s);
}

crd_i_header_votes crd_i_detect_header(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules) {
    other_votes others = {.texts_above_numbers = 0};
    crd_i_header_votes *votes = &others.votes;
    if (rows->rows == 0) return *votes;
    sample s = {.rows = rows, .rules = rules};
    number_names numbers = {.excused = 0};
    const size_t width = rows->widths[0];
    choose_rows(&s);
    if (rows->rows == 1) votes->data = detect_header_has_numbers_before_last(&s);
    for (size_t field = 0; field < width; field++) {
        const cell_look first = look_at_cell(&s, 0, field);
        const column_look below = look_below(&s, field, &first);
        if (first.kind == CELL_TEXT) vote_of_text(&s, field, &first, &below, &others);
        else if (first.kind == CELL_NUMBER) vote_of_number(&s, field, &first, &below, &numbers, votes);
        else if (field == 0 && first.text.length == 0 && width > 1) {
            votes->names += below.counts;
            others.texts_above_numbers += below.counts;
        }
    }
    others.are_there = numbers.above.count < width;
    if (!look_like_names(&numbers, s.count, &others))
        votes->data += numbers.above.count - (others.are_there ? numbers.excused : 0);
    return *votes;
}

/* ---- Selectors ---- */

static bool detect_header_has_cell(const crd_i_header_cells *cells, crd_text text) {
    bool has = false;
    for (size_t field = 0; !has && field < cells->count && text.length > 0; field++)
        has = crd_text_equal(cells->text(cells->owner, field), text);
    return has;
}

static bool detect_header_is_name(const crd_i_header_cells *cells, crd_text text) {
    return !crd_i_selector_is_place(text, cells->count) && detect_header_has_cell(cells, text);
}

/* Returns whether a hyphen separates two names. */
static bool is_range(const crd_i_header_cells *cells, crd_text selector) {
    bool is = false;
    for (size_t i = 1; !is && i + 1 < selector.length; i++) {
        const crd_text left = {selector.bytes, i}, right = {selector.bytes + i + 1, selector.length - i - 1};
        is = selector.bytes[i] == '-' && detect_header_is_name(cells, left) && detect_header_is_name(cells, right);
    }
    return is;
}

/* Returns whether a pattern matches a cell, but none of c1, c2, ... */
static bool detect_header_is_pattern(const crd_i_header_cells *cells, crd_text selector) {
    bool matches_cell = false;
    if (memchr(selector.bytes, '*', selector.length) == NULL && memchr(selector.bytes, '?', selector.length) == NULL)
        return false;
    for (size_t field = 0; field < cells->count; field++) {
        char number[24];
        snprintf(number, sizeof number, "c%zu", field + 1);
        if (crd_i_selector_matches(selector, crd_text_of(number))) return false;
        matches_cell = matches_cell || crd_i_selector_matches(selector, cells->text(cells->owner, field));
    }
    return matches_cell;
}

crd_i_selector_clue crd_i_detect_clue(const crd_i_header_cells *cells, crd_text selector) {
    if (selector.length == 0) return CRD_I_CLUE_NONE;
    const size_t column = crd_i_selector_column_number(selector, cells->count);
    if (column > 0 && !detect_header_has_cell(cells, selector) && cells->text(cells->owner, column - 1).length > 0)
        return CRD_I_CLUE_NO_NAMES;
    const bool is = detect_header_is_name(cells, selector) || is_range(cells, selector) ||
                    detect_header_is_pattern(cells, selector);
    return is ? CRD_I_CLUE_NAME : CRD_I_CLUE_NONE;
}

/* ======== 2. Lines before the header ======== */

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
