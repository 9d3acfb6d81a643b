/* SPDX-License-Identifier: MIT */
/* fast_parse.c - see fast_parse.h.
 *
 * The marks of all rows are found before any cell is looked at, which settles that every row is as wide as it should
 * be. Cells are then converted block by block, and in a block column by column: a block's text stays in the nearest
 * cache for all of its columns, and the loop over a column has nothing to decide but what its cells say. */
#include "table/parse/fast_parse.h"

#include "base/dictionary_internal.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "math/decimal/decimal.h"
#include "table/forms/amount.h"
#include "table/parse/parse_numbers.h"

#include <math.h>
#include <string.h>

_Static_assert(CRD_I_FAST_PARSE_PADDING - (int)CRD_I_PACKED_PADDING >= 0, "texts are packed by whole words");
_Static_assert(CRD_I_FAST_PARSE_PADDING - (int)CRD_I_NUMBER_PARSERS_PADDING >= 0, "numbers are read by whole vectors");

/* Bytes that marks are found in at a time: the room for the worst, every byte a mark, is asked for before each. */
enum { PIECE = 16384 };

/* Rows converted at a time. */
enum { BLOCK = CRD_I_NUMBER_PARSERS };

void crd_i_fast_parse_clear(crd_i_fast_parse *swift) {
    crd_free(swift->context, swift->marks);
    crd_free(swift->context, swift->doubled);
    crd_free(swift->context, swift->lines);
    crd_i_fast_parse empty = {.context = swift->context};
    *swift = empty;
}

/* ---- Cutting ---- */

/* Marks all of the bytes from element 1 on; element 0 makes the first field begin where all others do, one behind the
 * mark before it. false: something odd, or no memory. */
static bool mark(crd_i_fast_parse *swift, size_t *count, size_t *line_ends) {
    const crd_i_marker *marker = crd_i_marker_best();
    crd_i_marked marked = crd_i_marked_begin();
    size_t used = 1;
    for (size_t at = 0; at < swift->length; at += PIECE) {
        size_t length = swift->length - at < PIECE ? swift->length - at : PIECE;
        /* One more for the end of the last row. */
        size_t most = used + length + CRD_I_MARKS_SPARE + 1;
        size_t most_doubled = marked.doubled_count + length / 2 + CRD_I_MARKS_SPARE;
        if (!crd_i_reserve(swift->context, &swift->marks, &swift->capacity, most, sizeof *swift->marks) ||
            !crd_i_reserve(swift->context, &swift->doubled, &swift->doubled_capacity, most_doubled,
                           sizeof *swift->doubled)) {
            swift->ran_out = true;
            return false;
        }
        marked.doubled = swift->doubled;
        used += marker->find(swift->bytes + at, length, swift->delimiters, (uint32_t)at, swift->marks + used, &marked);
        if (marked.has_odd) return false;
    }
    if (crd_i_marked_is_odd(&marked)) return false;
    swift->has_quotes = marked.has_quotes;
    swift->doubled_count = marked.doubled_count;
    swift->has_inner = marked.has_inner;
    swift->marks[0] = UINT32_MAX;
    if (swift->bytes[swift->length - 1] != '\n') {
        swift->marks[used++] = (uint32_t)swift->length;
        marked.line_ends++;
    }
    *count = used - 1;
    *line_ends = marked.line_ends;
    return true;
}

static bool is_blank(char byte, char separator) {
    return byte == ' ' || (byte == '\t' && separator != '\t');
}

static crd_text trim(const char *begin, const char *end, char separator) {
    while (begin < end && is_blank(*begin, separator)) begin++;
    while (begin < end && is_blank(end[-1], separator)) end--;
    crd_text text = {begin, (size_t)(end - begin)};
    return text;
}

/* Without a carriage return that is part of a line end, which it is not at the end of the input. The byte before the
 * end of a last field is there even where the field is empty: a row of one field is not. */
static inline const char *end_of(const crd_i_fast_parse *swift, uint32_t mark, bool is_last) {
    const char *end = swift->bytes + mark;
    return end - (is_last && mark < swift->length && end[-1] == '\r');
}

/* The end of the text that ends with a quote right before `end`. */
static inline const char *end_of_quoted(const char *end) {
    for (end--; end[-1] == '\0';) end--;
    return end;
}

crd_text crd_i_fast_parse_cell(const crd_i_fast_parse *swift, size_t row, size_t field, bool *quoted) {
    const uint32_t *marks = swift->marks + row * swift->width + field;
    const char *begin = swift->bytes + (uint32_t)(marks[0] + 1);
    const char *end = begin == swift->bytes + marks[1] ? begin : end_of(swift, marks[1], field + 1 == swift->width);
    *quoted = swift->has_quotes && begin < end && *begin == swift->delimiters.quote;
    if (!*quoted) return trim(begin, end, swift->delimiters.separator);
    crd_text text = {begin + 1, (size_t)(end_of_quoted(end) - begin) - 1};
    return text;
}

crd_text crd_i_fast_parse_text(const crd_i_fast_parse *swift, size_t row, size_t field) {
    bool quoted;
    return crd_i_fast_parse_cell(swift, row, field, &quoted);
}

/* As many line ends as rows, one of them behind every last field: then none is anywhere else. */
static bool is_regular(const crd_i_fast_parse *swift, size_t count, size_t line_ends) {
    if (count != line_ends * swift->width) return false;
    const uint32_t *last = swift->marks + swift->width;
    for (size_t row = 0; row + 1 < line_ends; row++, last += swift->width)
        if (swift->bytes[*last] != '\n') return false;
    return *last == swift->length || swift->bytes[*last] == '\n';
}

static bool has_long_row(const crd_i_fast_parse *swift, size_t rows, size_t longest) {
    if (swift->length <= longest) return false;
    const uint32_t *marks = swift->marks;
    for (size_t row = 0; row < rows; row++, marks += swift->width)
        if (marks[swift->width] - (uint32_t)(marks[0] + 1) > longest) return true;
    return false;
}

/* Only a row of one field can be: the slow path skips it. */
static bool has_blank_row(const crd_i_fast_parse *swift, size_t rows) {
    if (swift->width > 1) return false;
    for (size_t row = 0; row < rows; row++)
        if (crd_i_fast_parse_text(swift, row, 0).length == 0) return true;
    return false;
}

/* ---- Quotes ---- */

/* Counts the lines that each row has, where that is not always one. */
static bool count_lines(crd_i_fast_parse *swift, size_t rows) {
    if (!crd_i_reserve(swift->context, &swift->lines, &swift->lines_capacity, rows + 1, sizeof *swift->lines)) {
        swift->ran_out = true;
        return false;
    }
    uint32_t lines = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *at = swift->bytes + (uint32_t)(swift->marks[row * swift->width] + 1);
        const char *end = swift->bytes + swift->marks[(row + 1) * swift->width];
        swift->lines[row] = lines;
        for (; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) lines++;
        lines++;
    }
    swift->lines[rows] = lines;
    return true;
}

/* Makes quotes single from the first of two on up to the end of their cell; returns the one that closes it. */
static const char *make_single(char *first, const char *end, char quote) {
    char *to = first, *from = first;
    for (; *from != quote || (from + 1 < end && from[1] == quote); from++) {
        from += *from == quote;
        *to++ = *from;
    }
    memset(to, '\0', (size_t)(from - to));
    return from;
}

/* The reverse, for a cell whose closing quote is at `to`. */
static void make_double(char *to, char quote) {
    char *from = to;
    while (from[-1] == '\0') from--;
    while (from < to) {
        char byte = *--from;
        *--to = byte;
        if (byte == quote) *--to = byte;
    }
}

static void make_all_single(crd_i_fast_parse *swift) {
    const char *done = swift->bytes, *end = swift->bytes + swift->length;
    for (size_t i = 0; i < swift->doubled_count; i++) {
        char *second = swift->bytes + swift->doubled[i];
        if (second > done) done = make_single(second - 1, end, swift->delimiters.quote);
    }
}

void crd_i_fast_parse_restore(crd_i_fast_parse *swift, size_t row) {
    if (swift->doubled_count == 0) return;
    const uint32_t *marks = swift->marks;
    char quote = swift->delimiters.quote;
    for (size_t i = row * swift->width; i < swift->rows * swift->width; i++) {
        uint32_t begin = marks[i] + 1, end = marks[i + 1];
        if (begin == end || swift->bytes[begin] != quote) continue;
        /* A line end may be two bytes long. */
        make_double(swift->bytes + end - (swift->bytes[end - 1] == quote ? 1 : 2), quote);
    }
}

bool crd_i_fast_parse_cut(crd_i_fast_parse *swift, char *bytes, size_t length, crd_i_delimiters delimiters,
                          size_t width, size_t longest) {
    swift->bytes = bytes;
    swift->length = length;
    swift->delimiters = delimiters;
    swift->width = width;
    swift->rows = 0;
    swift->doubled_count = 0;
    swift->has_inner = false;
    if (length == 0) return true;
    if (length >= UINT32_MAX) return false;
    size_t count, rows;
    if (!mark(swift, &count, &rows) || !is_regular(swift, count, rows)) return false;
    if (has_long_row(swift, rows, longest) || has_blank_row(swift, rows)) return false;
    if (swift->has_inner && !count_lines(swift, rows)) return false;
    swift->rows = rows;
    make_all_single(swift);
    return true;
}

/* ---- Filling ---- */

/* The cells of one field in a block of rows. */
typedef struct cells {
    const crd_i_fast_parse *swift;
    const crd_i_fast_parse_rules *rules;
    size_t row, count;  /* the first of them, and how many */
    uint64_t unlabeled; /* bit i: the target of row i of the block is missing, and the rules name one */
} cells;

static inline bool is_unlabeled(const cells *block, size_t i) {
    return (block->unlabeled >> i & 1) != 0;
}

/* A cell up to its mark, where nothing has to be trimmed: it begins and ends with bytes above the blank, which line
 * ends are not. */
static inline bool is_tight(const char *begin, const char *end) {
    return begin < end && (unsigned char)*begin > ' ' && (unsigned char)end[-1] > ' ';
}

/* The rare cell of a number: long, with blanks around it, missing, or none. */
static bool fill_odd_number(const cells *block, size_t i, crd_i_fast_parse_column *column, double *number) {
    bool quoted;
    crd_text text = crd_i_fast_parse_cell(block->swift, block->row + i, column->field, &quoted);
    if (crd_i_missing_has(block->rules->missing, text, quoted)) {
        *number = NAN;
        column->missing++;
        return true;
    }
    if (!crd_i_form_is_plain(column->form)) return crd_i_form_number(column->form, text, number) == CRD_NUMBER_FINITE;
    if (!column->takes_codes && crd_i_is_code(text)) return false;
    return crd_i_decimal_parse(text, block->rules->decimal, number) == CRD_NUMBER_FINITE;
}

/* Whether each of a block of last fields has a carriage return behind it that belongs to the line end. */
static bool line_ends_are_long(const cells *block, const uint32_t *marks) {
    const crd_i_fast_parse *swift = block->swift;
    for (size_t i = 0; i < block->count; i++, marks += swift->width) {
        if (marks[1] == 0 || marks[1] == swift->length || swift->bytes[marks[1] - 1] != '\r') return false;
    }
    return true;
}

/* What begins the fraction of plain numbers, which are numbers of the column's form too; '\0': they are not. */
static char plain_point(const cells *block, crd_i_form form) {
    switch (form.reading) {
    case CRD_I_READING_PLAIN: return block->rules->decimal;
    case CRD_I_READING_POINT: return '.';
    case CRD_I_READING_COMMA: return ',';
    default: return '\0';
    }
}

static bool fill_numbers(const cells *block, bool numbers_are_present, crd_i_fast_parse_column *column,
                         double *numbers) {
    const crd_i_fast_parse *swift = block->swift;
    const uint32_t *marks = swift->marks + block->row * swift->width + column->field;
    char point = plain_point(block, column->form);
    crd_i_number_parsers numerals = {swift->bytes, marks, swift->width, block->count, point, 0};
    if (column->field + 1 == swift->width) numerals.behind = line_ends_are_long(block, marks);
    uint64_t left = UINT64_MAX >> (64 - block->count);
    if (numbers_are_present && point != '\0') left = column->way->read(&numerals, numbers);
    size_t odd = 0;
    for (size_t i = 0; left != 0; i++, left >>= 1) {
        if ((left & 1) == 0) continue;
        if (!fill_odd_number(block, i, column, &numbers[i])) {
            if (!is_unlabeled(block, i)) return false;
            numbers[i] = NAN;
        }
        odd++;
    }
    /* Columns of longer numbers than the fastest way takes are better off with the plain one, which takes any. */
    if (odd > block->count / 2) column->way = &crd_i_number_parser_way_plain;
    return true;
}

/* The rare cell of a category: not found, long, or with blanks at its ends. */
static bool fill_odd_code(const cells *block, size_t i, crd_i_fast_parse_column *column, int32_t *code) {
    bool quoted;
    crd_text text = crd_i_fast_parse_cell(block->swift, block->row + i, column->field, &quoted);
    if (crd_i_missing_has_category(block->rules->missing, text, quoted)) {
        *code = -1;
        column->missing++;
        return true;
    }
    *code = crd_i_dictionary_find(column->dictionary, text);
    if (*code >= 0) return true;
    if (column->truth != NULL && column->truth->is_exact) {
        text = crd_i_truth_words_match(column->truth, text);
        *code = crd_i_dictionary_find(column->dictionary, text);
        if (*code >= 0) return true;
    }
    if (crd_i_dictionary_size(column->dictionary) >= block->rules->most_categories) return false;
    if (!block->rules->takes_any_bytes && !crd_i_utf8_is_valid(text)) return false;
    if (crd_i_missing_has_category(block->rules->missing, text, false)) column->known_are_present = false;
    *code = crd_i_dictionary_add(column->dictionary, text);
    column->ran_out = *code < 0;
    return *code >= 0;
}

/* Cells of a category that has a form: the part of a date, a boolean. */
static bool fill_formed_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        crd_text text = crd_i_fast_parse_cell(block->swift, block->row + i, column->field, &quoted), value = {NULL, 0};
        bool is_missing = is_unlabeled(block, i) || crd_i_missing_has(block->rules->missing, text, quoted);
        if (!is_missing && !crd_i_form_text(column->form, text, &value)) return false;
        column->missing += is_missing;
        codes[i] = -1;
        if (value.bytes == NULL) continue;
        codes[i] = crd_i_dictionary_add(column->dictionary, value);
        column->ran_out = codes[i] < 0;
        if (codes[i] < 0 || (size_t)codes[i] >= block->rules->most_categories) return false;
    }
    return true;
}

/* The same as fill_codes, for a block that has rows without a target. */
static bool fill_labeled_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    for (size_t i = 0; i < block->count; i++) {
        codes[i] = -1;
        if (!is_unlabeled(block, i) && !fill_odd_code(block, i, column, &codes[i])) return false;
    }
    return true;
}

static bool fill_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    const crd_i_fast_parse *swift = block->swift;
    const crd_i_dictionary *dictionary = column->dictionary;
    const char *bytes = swift->bytes;
    const uint32_t *marks = swift->marks + block->row * swift->width + column->field;
    bool is_last = column->field + 1 == swift->width;
    char quote = swift->delimiters.quote;
    for (size_t i = 0; i < block->count; i++, marks += swift->width) {
        const char *begin = bytes + (uint32_t)(marks[0] + 1), *end = end_of(swift, marks[1], is_last);
        if (swift->has_quotes && *begin == quote && begin < end) begin++, end = end_of_quoted(end);
        size_t length = (size_t)(end - begin);
        if (column->known_are_present && length <= CRD_I_PACKED_LENGTH && is_tight(begin, end)) {
            codes[i] = crd_i_dictionary_find_packed(dictionary, crd_i_pack_padded(begin, length));
            if (codes[i] >= 0) continue;
        }
        if (!fill_odd_code(block, i, column, &codes[i])) return false;
    }
    return true;
}

/* Texts as they stand, whatever their bytes: texts that mean missing elsewhere are words here. */
static void fill_texts(const cells *block, crd_i_fast_parse_column *column, crd_text *texts) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        texts[i] = crd_i_fast_parse_cell(block->swift, block->row + i, column->field, &quoted);
        if (texts[i].length > 0) continue;
        texts[i].bytes = NULL;
        column->missing++;
    }
}

static bool check_missing(const cells *block, crd_i_fast_parse_column *column) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        if (is_unlabeled(block, i)) continue;
        crd_text text = crd_i_fast_parse_cell(block->swift, block->row + i, column->field, &quoted);
        if (!crd_i_missing_has(block->rules->missing, text, quoted) ||
            !crd_i_missing_has_category(block->rules->missing, text, quoted))
            return false;
    }
    column->missing += block->count;
    return true;
}

/* Whether no text of the dictionary means missing: texts between quotes may have brought in one that does without. Each
 * text is looked at once. */
static bool are_known_present(const crd_i_missing *missing, const crd_i_dictionary *dictionary,
                              crd_i_fast_parse_checked *checked) {
    for (; checked->count < crd_i_dictionary_size(dictionary); checked->count++)
        if (crd_i_missing_has_category(missing, crd_i_dictionary_text(dictionary, checked->count), false))
            checked->has_missing = true;
    return !checked->has_missing;
}

static bool fill_block(const cells *block, size_t done, bool numbers_are_present, crd_i_fast_parse_column *column) {
    switch (column->kind) {
    case CRD_KIND_NUMBER: return fill_numbers(block, numbers_are_present, column, column->numbers + done);
    case CRD_KIND_CATEGORY:
        if (!crd_i_form_is_plain(column->form)) return fill_formed_codes(block, column, column->codes + done);
        return block->unlabeled == 0 ? fill_codes(block, column, column->codes + done)
                                     : fill_labeled_codes(block, column, column->codes + done);
    case CRD_KIND_TEXT: fill_texts(block, column, column->texts + done); return true;
    case CRD_KIND_NONE: break;
    }
    return check_missing(block, column);
}

/* Fills in the target of a block, and finds the rows that lack it. */
static bool fill_target(cells *block, size_t done, bool numbers_are_present, crd_i_fast_parse_column *target) {
    const size_t missing = target->missing;
    if (!fill_block(block, done, numbers_are_present, target)) return false;
    uint64_t unlabeled = 0;
    for (size_t i = 0; target->missing > missing && i < block->count; i++) {
        const bool is_missing =
            target->kind == CRD_KIND_CATEGORY ? target->codes[done + i] < 0 : isnan(target->numbers[done + i]);
        unlabeled |= (uint64_t)is_missing << i;
    }
    block->unlabeled = unlabeled;
    return true;
}

bool crd_i_fast_parse_fill(const crd_i_fast_parse *swift, const crd_i_fast_parse_rules *rules, size_t first,
                           size_t count, crd_i_fast_parse_column *columns, size_t column_count) {
    /* Where none of the texts that mean missing reads as a number, they are asked about only where a cell does not. */
    bool numbers_are_present = !rules->missing->has_number;
    const crd_i_number_parser_way *way = crd_i_number_parser_way_best();
    for (size_t i = 0; i < column_count; i++) {
        columns[i].missing = 0;
        columns[i].ran_out = false;
        columns[i].way = way;
        if (columns[i].kind != CRD_KIND_CATEGORY) continue;
        /* Codes that are found must not be above the limit either. */
        if (crd_i_dictionary_size(columns[i].dictionary) > rules->most_categories) return false;
        crd_i_fast_parse_checked afresh = {0, false}, *checked = columns[i].checked;
        columns[i].known_are_present =
            are_known_present(rules->missing, columns[i].dictionary, checked != NULL ? checked : &afresh);
    }
    for (size_t done = 0; done < count; done += BLOCK) {
        cells block = {swift, rules, first + done, count - done < BLOCK ? count - done : BLOCK, 0};
        const bool has_target = rules->target < column_count && columns[rules->target].kind != CRD_KIND_NONE;
        if (has_target && !fill_target(&block, done, numbers_are_present, &columns[rules->target])) return false;
        for (size_t i = 0; i < column_count; i++)
            if (!(has_target && i == rules->target) && !fill_block(&block, done, numbers_are_present, &columns[i]))
                return false;
    }
    return true;
}
