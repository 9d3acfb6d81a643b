/* SPDX-License-Identifier: MIT */
/* fast_parse.c - see fast_parse.h.
 *
 * The marks of all rows are found before any cell is inspected. This decides whether every row has the expected
 * width. Cells are then converted block by block, and in a block column by column. So the text of a block stays in
 * the L1 cache for all of its columns. The loop over a column branches only on its cells.
 *
 * Contents:
 *   1. Rows and cells
 *   2. Quotes
 *   3. Conversion */
#include "table/parse/fast_parse.h"

#include "base/dictionary.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/decimal/decimal.h"
#include "table/parse/parse_numbers.h"
#include "table/values/column_format.h"

#include <math.h>
#include <string.h>

_Static_assert(CRD_I_FAST_PARSE_PADDING - (int)CRD_I_PACKED_PADDING >= 0, "texts are packed by whole words");
_Static_assert(CRD_I_FAST_PARSE_PADDING - (int)CRD_I_NUMBER_PARSERS_PADDING >= 0, "numbers are read by whole vectors");

/* Number of bytes to scan for marks at a time. Memory for the worst case, every byte a mark, is reserved before each
 * piece. */
enum { PIECE = 16384 };

/* Rows converted at a time. */
enum { BLOCK = CRD_I_NUMBER_PARSERS };

void crd_i_fast_parse_clear(crd_i_fast_parse *fast) {
    crd_free(fast->context, fast->marks);
    crd_free(fast->context, fast->doubled);
    crd_free(fast->context, fast->lines);
    crd_i_fast_parse empty = {.context = fast->context};
    *fast = empty;
}

/* ======== 1. Rows and cells ======== */

/* Finds all marks and stores them from element 1 on. Element 0 makes the first field begin like all others, one
 * after the previous mark. false: irregular bytes, or out of memory. */
static bool fast_parse_mark(crd_i_fast_parse *fast, size_t *count, size_t *line_ends) {
    const crd_i_marker *marker = crd_i_marker_best();
    crd_i_marked marked = crd_i_marked_begin();
    size_t used = 1;
    for (size_t index = 0; index < fast->length; index += PIECE) {
        size_t length = fast->length - index < PIECE ? fast->length - index : PIECE;
        /* One more for the end of the last row. */
        size_t most = used + length + CRD_I_MARKS_SPARE + 1;
        size_t most_doubled = marked.doubled_count + length / 2 + CRD_I_MARKS_SPARE;
        if (!crd_i_reserve(fast->context, &fast->marks, &fast->capacity, most, sizeof *fast->marks) ||
            !crd_i_reserve(fast->context, &fast->doubled, &fast->doubled_capacity, most_doubled,
                           sizeof *fast->doubled)) {
            fast->ran_out = true;
            return false;
        }
        marked.doubled = fast->doubled;
        used +=
            marker->find(fast->bytes + index, length, fast->delimiters, (uint32_t)index, fast->marks + used, &marked);
        if (marked.has_odd) return false;
    }
    if (crd_i_marked_is_odd(&marked)) return false;
    fast->has_quotes = marked.has_quotes;
    fast->doubled_count = marked.doubled_count;
    fast->has_inner = marked.has_inner;
    fast->marks[0] = UINT32_MAX;
    if (fast->bytes[fast->length - 1] != '\n') {
        fast->marks[used++] = (uint32_t)fast->length;
        marked.line_ends++;
    }
    *count = used - 1;
    *line_ends = marked.line_ends;
    return true;
}

static bool fast_parse_is_blank(char byte, char separator) {
    return byte == ' ' || (byte == '\t' && separator != '\t');
}

static crd_text fast_parse_trim(const char *begin, const char *end, char separator) {
    while (begin < end && fast_parse_is_blank(*begin, separator)) begin++;
    while (begin < end && fast_parse_is_blank(end[-1], separator)) end--;
    crd_text text = {begin, (size_t)(end - begin)};
    return text;
}

/* Returns the end of a field without a carriage return that belongs to the line end; at the end of the input it does
 * not. The byte before the end of a last field exists even if the field is empty, because a row of one field is not
 * empty. */
static inline const char *end_of(const crd_i_fast_parse *fast, uint32_t mark, bool is_last) {
    const char *end = fast->bytes + mark;
    return end - (is_last && mark < fast->length && end[-1] == '\r');
}

/* Returns the end of the text whose closing quote is just before `end`. */
static inline const char *end_of_quoted(const char *end) {
    for (end--; end[-1] == '\0';) end--;
    return end;
}

crd_text crd_i_fast_parse_cell(const crd_i_fast_parse *fast, size_t row, size_t field, bool *quoted) {
    const uint32_t *marks = fast->marks + row * fast->width + field;
    const char *begin = fast->bytes + (uint32_t)(marks[0] + 1);
    const char *end = begin == fast->bytes + marks[1] ? begin : end_of(fast, marks[1], field + 1 == fast->width);
    *quoted = fast->has_quotes && begin < end && *begin == fast->delimiters.quote;
    if (!*quoted) return fast_parse_trim(begin, end, fast->delimiters.separator);
    crd_text text = {begin + 1, (size_t)(end_of_quoted(end) - begin) - 1};
    return text;
}

crd_text crd_i_fast_parse_text(const crd_i_fast_parse *fast, size_t row, size_t field) {
    bool quoted;
    return crd_i_fast_parse_cell(fast, row, field, &quoted);
}

/* Returns whether there are as many line ends as rows, one after every last field: then there is none anywhere else. */
static bool fast_parse_is_regular(const crd_i_fast_parse *fast, size_t count, size_t line_ends) {
    if (count != line_ends * fast->width) return false;
    const uint32_t *last = fast->marks + fast->width;
    for (size_t row = 0; row + 1 < line_ends; row++, last += fast->width)
        if (fast->bytes[*last] != '\n') return false;
    return *last == fast->length || fast->bytes[*last] == '\n';
}

static bool has_long_row(const crd_i_fast_parse *fast, size_t rows, size_t longest) {
    if (fast->length <= longest) return false;
    const uint32_t *marks = fast->marks;
    for (size_t row = 0; row < rows; row++, marks += fast->width)
        if (marks[fast->width] - (uint32_t)(marks[0] + 1) > longest) return true;
    return false;
}

/* Returns whether a row has only spaces. Only a row of one field can, and the slow path skips it. */
static bool has_blank_row(const crd_i_fast_parse *fast, size_t rows) {
    if (fast->width > 1) return false;
    for (size_t row = 0; row < rows; row++)
        if (crd_i_fast_parse_text(fast, row, 0).length == 0) return true;
    return false;
}

/* ======== 2. Quotes ======== */

/* Counts the lines of each row, if rows may span several. */
static bool count_lines(crd_i_fast_parse *fast, size_t rows) {
    if (!crd_i_reserve(fast->context, &fast->lines, &fast->lines_capacity, rows + 1, sizeof *fast->lines)) {
        fast->ran_out = true;
        return false;
    }
    uint32_t lines = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *cursor = fast->bytes + (uint32_t)(fast->marks[row * fast->width] + 1);
        const char *end = fast->bytes + fast->marks[(row + 1) * fast->width];
        fast->lines[row] = lines;
        for (; (cursor = memchr(cursor, '\n', (size_t)(end - cursor))) != NULL; cursor++) lines++;
        lines++;
    }
    fast->lines[rows] = lines;
    return true;
}

/* Unescapes doubled quotes from the first pair to the end of their cell; returns the closing quote. */
static const char *make_single(char *first, const char *end, char quote) {
    char *destination = first, *start = first;
    for (; *start != quote || (start + 1 < end && start[1] == quote); start++) {
        start += *start == quote;
        *destination++ = *start;
    }
    memset(destination, '\0', (size_t)(start - destination));
    return start;
}

/* Restores the doubled quotes of a cell whose closing quote is at `destination`. */
static void make_double(char *destination, char quote) {
    char *start = destination;
    while (start[-1] == '\0') start--;
    while (start < destination) {
        char byte = *--start;
        *--destination = byte;
        if (byte == quote) *--destination = byte;
    }
}

static void make_all_single(crd_i_fast_parse *fast) {
    const char *done = fast->bytes, *end = fast->bytes + fast->length;
    for (size_t i = 0; i < fast->doubled_count; i++) {
        char *second = fast->bytes + fast->doubled[i];
        if (second > done) done = make_single(second - 1, end, fast->delimiters.quote);
    }
}

void crd_i_fast_parse_restore(crd_i_fast_parse *fast, size_t row) {
    if (fast->doubled_count == 0) return;
    const uint32_t *marks = fast->marks;
    char quote = fast->delimiters.quote;
    for (size_t i = row * fast->width; i < fast->rows * fast->width; i++) {
        uint32_t begin = marks[i] + 1, end = marks[i + 1];
        if (begin == end || fast->bytes[begin] != quote) continue;
        /* A line end may be two bytes long. */
        make_double(fast->bytes + end - (fast->bytes[end - 1] == quote ? 1 : 2), quote);
    }
}

bool crd_i_fast_parse_cut(crd_i_fast_parse *fast, char *bytes, size_t length, crd_i_delimiters delimiters, size_t width,
                          size_t longest) {
    fast->bytes = bytes;
    fast->length = length;
    fast->delimiters = delimiters;
    fast->width = width;
    fast->rows = 0;
    fast->doubled_count = 0;
    fast->has_inner = false;
    if (length == 0) return true;
    if (length >= UINT32_MAX) return false;
    size_t count, rows;
    if (!fast_parse_mark(fast, &count, &rows) || !fast_parse_is_regular(fast, count, rows)) return false;
    if (has_long_row(fast, rows, longest) || has_blank_row(fast, rows)) return false;
    if (fast->has_inner && !count_lines(fast, rows)) return false;
    fast->rows = rows;
    make_all_single(fast);
    return true;
}

/* ======== 3. Conversion ======== */

/* The cells of one field in a block of rows. */
typedef struct cells {
    const crd_i_fast_parse *fast;
    const crd_i_fast_parse_rules *rules;
    size_t row, count;  /* the first of them, and their number */
    uint64_t unlabeled; /* bit i: the target of row i of the block is missing, and the rules name one */
} cells;

static inline bool fast_parse_is_unlabeled(const cells *block, size_t i) {
    return (block->unlabeled >> i & 1) != 0;
}

/* Returns whether a cell up to its mark needs no trimming: it begins and ends with bytes above the space, which line
 * ends are not. */
static inline bool is_tight(const char *begin, const char *end) {
    return begin < end && (unsigned char)*begin > ' ' && (unsigned char)end[-1] > ' ';
}

/* Parses a rare numeric cell: long, surrounded by spaces, missing, or not a number. */
static bool fill_odd_number(const cells *block, size_t i, crd_i_fast_parse_column *column, double *number) {
    bool quoted;
    crd_text text = crd_i_fast_parse_cell(block->fast, block->row + i, column->field, &quoted);
    if (crd_i_missing_has(block->rules->missing, text, quoted)) {
        *number = NAN;
        column->missing++;
        return true;
    }
    if (!crd_i_column_format_is_plain(column->format))
        return crd_i_column_format_number(column->format, text, number) == CRD_NUMBER_FINITE;
    if (!column->takes_codes && crd_i_is_code(text)) return false;
    return crd_i_decimal_parse(text, block->rules->decimal, number) == CRD_NUMBER_FINITE;
}

/* Returns whether every last field of a block is followed by a carriage return that belongs to the line end. */
static bool line_ends_are_long(const cells *block, const uint32_t *marks) {
    const crd_i_fast_parse *fast = block->fast;
    for (size_t i = 0; i < block->count; i++, marks += fast->width) {
        if (marks[1] == 0 || marks[1] == fast->length || fast->bytes[marks[1] - 1] != '\r') return false;
    }
    return true;
}

/* Returns the decimal mark of plain numbers that are also numbers of the column's format; '\0': they are not. */
static char plain_point(const cells *block, crd_i_column_format format) {
    switch (format.reading) {
    case CRD_I_READING_PLAIN: return block->rules->decimal;
    case CRD_I_READING_POINT: return '.';
    case CRD_I_READING_COMMA: return ',';
    default: return '\0';
    }
}

static bool fill_numbers(const cells *block, bool numbers_are_present, crd_i_fast_parse_column *column,
                         double *numbers) {
    const crd_i_fast_parse *fast = block->fast;
    const uint32_t *marks = fast->marks + block->row * fast->width + column->field;
    char point = plain_point(block, column->format);
    crd_i_number_parsers numerals = {fast->bytes, marks, fast->width, block->count, point, 0};
    if (column->field + 1 == fast->width) numerals.end = line_ends_are_long(block, marks);
    uint64_t left = UINT64_MAX >> (64 - block->count);
    if (numbers_are_present && point != '\0') left = column->way->read(&numerals, numbers);
    size_t odd = 0;
    for (size_t i = 0; left != 0; i++, left >>= 1) {
        if ((left & 1) == 0) continue;
        if (!fill_odd_number(block, i, column, &numbers[i])) {
            if (!fast_parse_is_unlabeled(block, i)) return false;
            numbers[i] = NAN;
        }
        odd++;
    }
    /* For columns of numbers that are too long for the fastest implementation, the plain one is better. */
    if (odd > block->count / 2) column->way = &crd_i_number_parser_way_plain;
    return true;
}

/* Finds the code of a rare categorical cell: not found, long, or surrounded by spaces. */
static bool fill_odd_code(const cells *block, size_t i, crd_i_fast_parse_column *column, int32_t *code) {
    bool quoted;
    crd_text text = crd_i_fast_parse_cell(block->fast, block->row + i, column->field, &quoted);
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

/* Converts cells of a category that has a format: a date part, a truth value. */
static bool fill_formed_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        crd_text text = crd_i_fast_parse_cell(block->fast, block->row + i, column->field, &quoted), value = {NULL, 0};
        bool is_missing = fast_parse_is_unlabeled(block, i) || crd_i_missing_has(block->rules->missing, text, quoted);
        if (!is_missing && !crd_i_column_format_text(column->format, text, &value)) return false;
        column->missing += is_missing;
        codes[i] = -1;
        if (value.bytes == NULL) continue;
        codes[i] = crd_i_dictionary_add(column->dictionary, value);
        column->ran_out = codes[i] < 0;
        if (codes[i] < 0 || (size_t)codes[i] >= block->rules->most_categories) return false;
    }
    return true;
}

/* Fills in codes like fill_codes, for a block that has rows without a target. */
static bool fill_labeled_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    for (size_t i = 0; i < block->count; i++) {
        codes[i] = -1;
        if (!fast_parse_is_unlabeled(block, i) && !fill_odd_code(block, i, column, &codes[i])) return false;
    }
    return true;
}

static bool fill_codes(const cells *block, crd_i_fast_parse_column *column, int32_t *codes) {
    const crd_i_fast_parse *fast = block->fast;
    const crd_i_dictionary *dictionary = column->dictionary;
    const char *bytes = fast->bytes;
    const uint32_t *marks = fast->marks + block->row * fast->width + column->field;
    bool is_last = column->field + 1 == fast->width;
    char quote = fast->delimiters.quote;
    for (size_t i = 0; i < block->count; i++, marks += fast->width) {
        const char *begin = bytes + (uint32_t)(marks[0] + 1), *end = end_of(fast, marks[1], is_last);
        if (fast->has_quotes && *begin == quote && begin < end) begin++, end = end_of_quoted(end);
        size_t length = (size_t)(end - begin);
        if (column->known_are_present && length <= CRD_I_PACKED_LENGTH && is_tight(begin, end)) {
            codes[i] = crd_i_dictionary_find_packed(dictionary, crd_i_pack_padded(begin, length));
            if (codes[i] >= 0) continue;
        }
        if (!fill_odd_code(block, i, column, &codes[i])) return false;
    }
    return true;
}

/* Stores texts unchanged, whatever their bytes. Texts that mean missing elsewhere are words here. */
static void fast_parse_fill_texts(const cells *block, crd_i_fast_parse_column *column, crd_text *texts) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        texts[i] = crd_i_fast_parse_cell(block->fast, block->row + i, column->field, &quoted);
        if (texts[i].length > 0) continue;
        texts[i].bytes = NULL;
        column->missing++;
    }
}

static bool check_missing(const cells *block, crd_i_fast_parse_column *column) {
    for (size_t i = 0; i < block->count; i++) {
        bool quoted;
        if (fast_parse_is_unlabeled(block, i)) continue;
        crd_text text = crd_i_fast_parse_cell(block->fast, block->row + i, column->field, &quoted);
        if (!crd_i_missing_has(block->rules->missing, text, quoted) ||
            !crd_i_missing_has_category(block->rules->missing, text, quoted))
            return false;
    }
    column->missing += block->count;
    return true;
}

/* Returns whether no text of the dictionary means missing. A quoted text may have added one that means missing
 * without quotes. Each text is checked once. */
static bool are_known_present(const crd_i_missing *missing, const crd_i_dictionary *dictionary,
                              crd_i_fast_parse_checked *checked) {
    for (; checked->count < crd_i_dictionary_size(dictionary); checked->count++)
        if (crd_i_missing_has_category(missing, crd_i_dictionary_text(dictionary, checked->count), false))
            checked->has_missing = true;
    return !checked->has_missing;
}

static bool fast_parse_fill_block(const cells *block, size_t done, bool numbers_are_present,
                                  crd_i_fast_parse_column *column) {
    switch (column->type) {
    case CRD_TYPE_NUMERIC: return fill_numbers(block, numbers_are_present, column, column->numbers + done);
    case CRD_TYPE_CATEGORICAL:
        if (!crd_i_column_format_is_plain(column->format))
            return fill_formed_codes(block, column, column->codes + done);
        return block->unlabeled == 0 ? fill_codes(block, column, column->codes + done)
                                     : fill_labeled_codes(block, column, column->codes + done);
    case CRD_TYPE_TEXT: fast_parse_fill_texts(block, column, column->texts + done); return true;
    case CRD_TYPE_NONE: break;
    }
    return check_missing(block, column);
}

/* Fills in the target of a block and finds the rows that lack it. */
static bool fill_target(cells *block, size_t done, bool numbers_are_present, crd_i_fast_parse_column *target) {
    const size_t missing = target->missing;
    if (!fast_parse_fill_block(block, done, numbers_are_present, target)) return false;
    uint64_t unlabeled = 0;
    for (size_t i = 0; target->missing > missing && i < block->count; i++) {
        const bool is_missing =
            target->type == CRD_TYPE_CATEGORICAL ? target->codes[done + i] < 0 : isnan(target->numbers[done + i]);
        unlabeled |= (uint64_t)is_missing << i;
    }
    block->unlabeled = unlabeled;
    return true;
}

bool crd_i_fast_parse_fill(const crd_i_fast_parse *fast, const crd_i_fast_parse_rules *rules, size_t first,
                           size_t count, crd_i_fast_parse_column *columns, size_t column_count) {
    /* If no missing-value text is a number, check for missing values only when a cell is not a number. */
    bool numbers_are_present = !rules->missing->has_number;
    const crd_i_number_parser_way *way = crd_i_number_parser_way_best();
    for (size_t i = 0; i < column_count; i++) {
        columns[i].missing = 0;
        columns[i].ran_out = false;
        columns[i].way = way;
        if (columns[i].type != CRD_TYPE_CATEGORICAL) continue;
        /* Codes that are found must not exceed the limit either. */
        if (crd_i_dictionary_size(columns[i].dictionary) > rules->most_categories) return false;
        crd_i_fast_parse_checked afresh = {0, false}, *checked = columns[i].checked;
        columns[i].known_are_present =
            are_known_present(rules->missing, columns[i].dictionary, checked != NULL ? checked : &afresh);
    }
    for (size_t done = 0; done < count; done += BLOCK) {
        cells block = {fast, rules, first + done, count - done < BLOCK ? count - done : BLOCK, 0};
        const bool has_target = rules->target < column_count && columns[rules->target].type != CRD_TYPE_NONE;
        if (has_target && !fill_target(&block, done, numbers_are_present, &columns[rules->target])) return false;
        for (size_t i = 0; i < column_count; i++)
            if (!(has_target && i == rules->target) &&
                !fast_parse_fill_block(&block, done, numbers_are_present, &columns[i]))
                return false;
    }
    return true;
}
