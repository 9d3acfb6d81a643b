/* SPDX-License-Identifier: MIT */
/* detect_header.c - see detect_header.h. */
#include "table/read/detect_header.h"

#include "math/decimal/decimal.h"
#include "table/forms/form_evidence.h"
#include "table/read/column_selector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static unsigned forms_of(crd_text text, bool is_text) {
    const unsigned not_telling = 1U << CRD_I_READING_PLAIN | 1U << CRD_I_READING_BOOLEAN;
    crd_i_form_evidence evidence = {.cells = 0};
    crd_i_form_evidence_add(&evidence, text, '\0', is_text);
    return evidence.fits & ~not_telling;
}

/* Returns the forms that all cells below the first record have. */
static unsigned forms_below(const sample *s, size_t field) {
    unsigned forms = ~0U;
    size_t present = 0;
    for (size_t i = 0; i < s->count && forms != 0; i++) {
        const cell_look cell = look_at_cell(s, s->used[i], field);
        if (cell.kind == CELL_MISSING) continue;
        forms &= forms_of(cell.text, false);
        present++;
    }
    return present == 0 ? 0 : forms;
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
    const unsigned forms = forms_of(first->text, false);
    const unsigned amounts = 1U << CRD_I_READING_POINT | 1U << CRD_I_READING_COMMA | 1U << CRD_I_READING_PERCENT |
                             1U << CRD_I_READING_PERCENT_COMMA;
    if (is_number_column) {
        /* "1,234" above 999 is an amount, and "-" is a missing value that is not listed. */
        const bool may_be_cell = (forms & amounts) != 0 || !detect_header_has_word(first->text);
        votes->names += !may_be_cell;
        others->texts_above_numbers += !may_be_cell;
        return;
    }
    const unsigned shared = forms_below(s, field);
    if ((shared & forms) != 0 || below->same > 0) votes->data++;
    else if ((shared != 0 && forms == 0) || has_few_values(s, field, below->present)) votes->names++;
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
