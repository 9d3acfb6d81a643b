/* SPDX-License-Identifier: MIT */
/* slow_parse.c - see slow_parse.h.
 *
 * First the end of a record is found, then the record is split. Nearly all records are lines without a quote that are
 * completely in memory, and a fast search finds their ends. All others go through a state machine whose state is kept
 * between blocks. So every byte is inspected a bounded number of times, however the bytes are divided into blocks. */
#include "table/parse/slow_parse.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void crd_i_slow_parse_begin(crd_i_slow_parse *records, crd_context *context, crd_i_source *source, size_t block_bytes) {
    unsigned char *bytes = records->bytes;
    size_t capacity = records->capacity;
    memset(records, 0, sizeof *records);
    records->context = context;
    records->source = source;
    records->block_bytes = block_bytes;
    records->max_record = CRD_I_MAX_RECORD;
    records->quote = '"';
    records->bytes = bytes;
    records->capacity = capacity;
    records->next_line = records->scan_line = 1;
}

void crd_i_slow_parse_clear(crd_i_slow_parse *records) {
    crd_free(records->context, records->bytes);
    records->bytes = NULL;
    records->capacity = 0;
}

void crd_i_slow_parse_begin_held(crd_i_slow_parse *records, size_t length, const crd_i_slow_parse *slow) {
    crd_i_slow_parse_begin(records, slow->context, NULL, 0);
    records->end = length;
    records->at_end = true;
    records->max_record = slow->max_record;
    records->separator = slow->separator;
    records->quote = slow->quote;
    records->is_lines = slow->is_lines;
    records->comment = slow->comment;
    records->has_tagged_text = slow->has_tagged_text;
    records->has_comments = slow->has_comments;
    records->resyncs = slow->resyncs;
}

bool crd_i_slow_parse_copy_last(const crd_i_slow_parse *records, crd_i_slow_parse *copy) {
    copy->context = records->context;
    if (!crd_i_reserve(copy->context, &copy->bytes, &copy->capacity, records->length + 1, 1)) return false;
    if (records->length > 0) memcpy(copy->bytes, records->bytes + records->start, records->length);
    crd_i_slow_parse_begin_held(copy, records->length, records);
    copy->length = copy->next = records->length;
    copy->line = records->line;
    return true;
}

/* Moves the kept bytes to the front and reads one block after them. */
static crd_status slow_parse_refill(crd_i_slow_parse *records, crd_error *error) {
    if (crd_i_context_cancelled(records->context)) return crd_i_fail_cancelled(error);
    size_t shift = records->kept;
    if (shift > 0) {
        memmove(records->bytes, records->bytes + shift, records->end - shift);
        records->kept = 0;
        records->end -= shift;
        records->start -= shift;
        records->live -= shift;
        records->next -= shift;
        records->scan -= shift;
    }
    /* Drop empty lines, so any number of them needs no memory. */
    size_t gap = records->next - records->live;
    if (gap > 0) {
        memmove(records->bytes + records->live, records->bytes + records->next, records->end - records->next);
        records->end -= gap;
        records->next -= gap;
        records->scan -= gap;
    }
    if (!crd_i_reserve(records->context, &records->bytes, &records->capacity, records->end + records->block_bytes, 1)) {
        return crd_i_fail_memory(error);
    }
    size_t got;
    crd_status status =
        records->source->read(records->source, records->bytes + records->end, records->block_bytes, &got, error);
    if (status != CRD_OK) return status;
    records->end += got;
    records->at_end = got == 0;
    return CRD_OK;
}

crd_status crd_i_slow_parse_peek(crd_i_slow_parse *records, size_t count, crd_error *error) {
    while (records->end - records->kept < count && !records->at_end) {
        crd_status status = slow_parse_refill(records, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

void crd_i_slow_parse_skip(crd_i_slow_parse *records, size_t count) {
    records->kept += count;
    records->next_offset += count;
    records->start = records->live = records->next = records->scan = records->kept;
}

void crd_i_slow_parse_release(crd_i_slow_parse *records) {
    records->kept = records->live = records->start = records->next;
    records->length = 0;
}

void crd_i_slow_parse_again(crd_i_slow_parse *records) {
    records->next_offset -= records->next - records->start;
    records->live = records->next = records->scan = records->start;
    records->next_line = records->scan_line = records->line;
    records->state = CRD_I_SCAN_CELL_START;
}

/* Runs the state machine over the bytes in memory. Returns true at the line end that ends the record; `scan` is its
 * offset. */
static bool scan_to_end(crd_i_slow_parse *records) {
    const char *bytes = (const char *)records->bytes;
    bool quotes_count = crd_i_slow_parse_has_quotes(records);
    for (; records->scan < records->end; records->scan++) {
        char byte = bytes[records->scan];
        if (byte == '\n') {
            if (records->state != CRD_I_SCAN_QUOTED) return true;
            records->scan_line++;
        } else if (quotes_count) {
            crd_i_scan_state before = records->state;
            records->state = crd_i_scan_step(before, byte, records->quote, crd_i_slow_parse_separates(records, byte),
                                             crd_i_slow_parse_is_blank(records, byte));
            if (before == CRD_I_SCAN_CELL_START && records->state == CRD_I_SCAN_QUOTED) {
                records->quote_line = records->scan_line;
            }
        }
    }
    return false;
}

/* Finds the end of a record from its first byte, if it is a line without quotes that is completely in memory. */
static bool take_short_cut(crd_i_slow_parse *records) {
    size_t left = records->end - records->scan;
    if (left == 0) return false;
    const unsigned char *begin = records->bytes + records->scan;
    const unsigned char *end = memchr(begin, '\n', left);
    if (end == NULL) return false;
    size_t length = (size_t)(end - begin);
    if (crd_i_slow_parse_has_quotes(records) && memchr(begin, records->quote, length) != NULL) return false;
    records->scan += length;
    return true;
}

/* Fails because the record is too long. The message depends only on the first bytes beyond the limit, not on how
 * many more are in memory. */
static crd_status fail_too_long(crd_i_slow_parse *records, crd_error *error) {
    size_t end = records->end;
    records->end = records->next + records->max_record + 1;
    records->scan = records->next;
    records->scan_line = records->next_line;
    records->state = CRD_I_SCAN_CELL_START;
    (void)scan_to_end(records);
    records->end = end;
    if (records->state == CRD_I_SCAN_QUOTED) {
        crd_i_fail(error, CRD_ERROR_LIMIT,
                   "a row longer than %zu bytes: check for a quote that opens here and is never closed",
                   records->max_record);
        crd_i_error_place(error, NULL, records->quote_line, 0);
    } else {
        crd_i_fail(error, CRD_ERROR_LIMIT, "a row longer than %zu bytes", records->max_record);
        crd_i_error_place(error, NULL, records->next_line, 0);
    }
    return CRD_ERROR_LIMIT;
}

static crd_status check_no_nul(const crd_i_slow_parse *records, crd_error *error) {
    const unsigned char *begin = records->bytes + records->start;
    const unsigned char *nul = records->length == 0 ? NULL : memchr(begin, '\0', records->length);
    if (nul == NULL) return CRD_OK;
    uint64_t line = records->line;
    for (const unsigned char *cursor = begin; cursor < nul; cursor++) line += *cursor == '\n';
    crd_i_fail(error, CRD_ERROR_SYNTAX, "a NUL byte: this is not a text file");
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_SYNTAX;
}

/* Returns whether a line is a comment. A single # is a token whose tags are missing. */
static bool is_comment_of_tagged_text(const crd_i_slow_parse *records) {
    const char *bytes = (const char *)records->bytes + records->start;
    return records->has_comments && records->length > 1 && bytes[0] == '#' &&
           memchr(bytes, '\t', records->length) == NULL;
}

/* Returns whether the record has only spaces, or is a comment. */
static bool slow_parse_is_empty(crd_i_slow_parse *records) {
    const char *bytes = (const char *)records->bytes + records->start;
    for (size_t i = 0; i < records->length; i++) {
        if (!crd_i_slow_parse_is_blank(records, bytes[i]))
            return (records->comment != '\0' && bytes[i] == records->comment) || is_comment_of_tagged_text(records);
    }
    records->behind_empty = true;
    return true;
}

/* Returns the offset after the quoted cell whose opening quote is before `index`, and after the spaces that follow;
 * SIZE_MAX: the quote is not closed here. */
static size_t skip_quoted(const crd_i_slow_parse *slow, const char *bytes, size_t index, size_t length) {
    for (;; index += 2) {
        const char *quote = index >= length ? NULL : memchr(bytes + index, slow->quote, length - index);
        if (quote == NULL) return SIZE_MAX;
        index = (size_t)(quote - bytes);
        if (index + 1 == length || bytes[index + 1] != slow->quote) break;
    }
    index++;
    while (slow->separator != ' ' && index < length && crd_i_slow_parse_is_blank(slow, bytes[index])) index++;
    return index;
}

/* Returns whether a line ends at `index`, and sets *end to the offset after its line end. */
static bool ends_line(const char *bytes, size_t index, size_t length, size_t *end) {
    *end = index + (index < length && bytes[index] == '\r') + 1;
    return *end <= length && bytes[*end - 1] == '\n';
}

/* Returns the offset after the cell that begins at `index`, which is not a space; SIZE_MAX: its quote is not closed
 * here. */
static size_t skip_cell(const crd_i_slow_parse *slow, const char *bytes, size_t index, size_t length) {
    if (index < length && bytes[index] == slow->quote) return skip_quoted(slow, bytes, index + 1, length);
    while (index < length && bytes[index] != '\n' && !crd_i_slow_parse_separates(slow, bytes[index])) index++;
    return index;
}

size_t crd_i_slow_parse_record_bytes(const crd_i_slow_parse *slow, const char *bytes, size_t length, bool are_all) {
    const char *line_end = length == 0 ? NULL : memchr(bytes, '\n', length);
    size_t first = line_end != NULL ? (size_t)(line_end - bytes) + 1 : are_all ? length : 0;
    if (!crd_i_slow_parse_has_quotes(slow) || first == 0 || memchr(bytes, slow->quote, first) == NULL) return first;
    size_t end;
    for (size_t index = 0;; index++) {
        while (index < length && crd_i_slow_parse_is_blank(slow, bytes[index])) index++;
        /* If spaces separate cells, spaces before the line end do not end a cell. */
        if (slow->separator != ' ' || !ends_line(bytes, index, length, &end))
            index = skip_cell(slow, bytes, index, length);
        if (index >= length) return !are_all ? 0 : index == length ? length : first;
        if (ends_line(bytes, index, length, &end)) return end;
        if (bytes[index] == '\r' && index + 1 == length && !are_all) return 0;
        if (!crd_i_slow_parse_separates(slow, bytes[index])) return first;
    }
}

/* Finds the end like slow_parse_find_end, for records that resync, if all bytes are in memory. */
static crd_status find_end_or_resync(crd_i_slow_parse *records, bool *has_end, crd_error *error) {
    const char *bytes = (const char *)records->bytes + records->next;
    size_t length = crd_i_slow_parse_record_bytes(records, bytes, records->end - records->next, true);
    *has_end = length > 0 && bytes[length - 1] == '\n';
    records->scan = records->next + length - *has_end;
    for (size_t i = 0; i + 1 < length; i++) records->scan_line += bytes[i] == '\n';
    return length > records->max_record + 1 ? fail_too_long(records, error) : CRD_OK;
}

/* Moves `scan` to the end of the next record: a line end, or the end of the input, for which *has_end is false. */
static crd_status slow_parse_find_end(crd_i_slow_parse *records, bool *has_end, crd_error *error) {
    *has_end = records->scan == records->next && take_short_cut(records);
    if (!*has_end && records->resyncs && records->at_end) return find_end_or_resync(records, has_end, error);
    while (!*has_end) {
        *has_end = scan_to_end(records);
        if (*has_end || records->at_end) break;
        if (records->end - records->next > records->max_record) return fail_too_long(records, error);
        crd_status status = slow_parse_refill(records, error);
        if (status != CRD_OK) return status;
    }
    return records->scan - records->next > records->max_record ? fail_too_long(records, error) : CRD_OK;
}

/* Makes the bytes between `next` and `scan` the latest record, and moves after its line end. */
static void take_record(crd_i_slow_parse *records, bool has_end) {
    records->start = records->next;
    records->length = records->scan - records->next;
    records->line = records->next_line;
    if (has_end) {
        if (records->length > 0 && records->bytes[records->scan - 1] == '\r') records->length--;
        records->scan++;
        records->scan_line++;
    }
    records->next_offset += records->scan - records->next;
    records->next = records->scan;
    records->next_line = records->scan_line;
    records->state = CRD_I_SCAN_CELL_START;
}

crd_status crd_i_slow_parse_next(crd_i_slow_parse *records, bool *is_found, crd_error *error) {
    *is_found = false;
    records->behind_empty = false;
    do {
        bool has_end;
        crd_status status = slow_parse_find_end(records, &has_end, error);
        if (status != CRD_OK) return status;
        if (!has_end && records->scan == records->next) return CRD_OK;
        take_record(records, has_end);
        status = check_no_nul(records, error);
        if (status != CRD_OK) return status;
    } while (slow_parse_is_empty(records));
    records->live = records->next;
    *is_found = true;
    return CRD_OK;
}

/* ---- Splitting ---- */

size_t crd_i_slow_parse_most_fields(const crd_i_slow_parse *records) {
    const char *bytes = (const char *)records->bytes + records->start;
    bool at_blanks = records->separator == ' ', behind_blank = true;
    size_t count = at_blanks ? 0 : 1;
    for (size_t i = 0; i < records->length; i++) {
        bool separates = crd_i_slow_parse_separates(records, bytes[i]);
        count += at_blanks ? behind_blank && !separates : separates;
        behind_blank = separates;
    }
    return count;
}

typedef struct splitter {
    const crd_i_slow_parse *records;
    char *cursor, *end;
    uint64_t line;
    size_t count;
} splitter;

static crd_status fail_split(splitter *split, const char *message, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", message);
    crd_i_error_place(error, NULL, split->line, split->count + 1);
    return CRD_ERROR_SYNTAX;
}

static crd_i_cell plain_cell(splitter *split) {
    char *begin = split->cursor, *cursor = begin;
    while (cursor < split->end && !crd_i_slow_parse_separates(split->records, *cursor)) cursor++;
    split->cursor = cursor;
    while (cursor > begin && crd_i_slow_parse_is_blank(split->records, cursor[-1])) cursor--;
    return crd_i_slow_parse_cell(split->records, begin, cursor, CRD_I_CELL_PLAIN);
}

/* Parses a quoted cell from its opening quote. Unescapes doubled quotes by moving the bytes after them down. */
static crd_status quoted_cell(splitter *split, crd_i_cell *cell, crd_error *error) {
    uint64_t line = split->line;
    char quote = split->records->quote;
    char *begin = split->cursor + 1, *destination = begin, *start = begin;
    for (;; start++) {
        if (start == split->end) return fail_split(split, "a quote opens here and is never closed", error);
        if (*start == quote) {
            if (start + 1 == split->end || start[1] != quote) break;
            start++;
        }
        line += *start == '\n';
        *destination++ = *start;
    }
    split->line = line;
    start++;
    bool at_blanks = split->records->separator == ' ';
    while (!at_blanks && start < split->end && crd_i_slow_parse_is_blank(split->records, *start)) start++;
    if (start < split->end && !crd_i_slow_parse_separates(split->records, *start)) {
        return fail_split(split, "text after a closing quote: expected a separator or the end of the line", error);
    }
    split->cursor = start;
    *cell = crd_i_slow_parse_cell(split->records, begin, destination, CRD_I_CELL_QUOTED);
    return CRD_OK;
}

crd_status crd_i_slow_parse_split(crd_i_slow_parse *records, crd_i_cell *cells, size_t capacity, size_t *count,
                                  crd_error *error) {
    char *begin = (char *)records->bytes + records->start;
    splitter split = {.records = records, .cursor = begin, .end = begin + records->length, .line = records->line};
    bool has_quotes = crd_i_slow_parse_has_quotes(records), at_blanks = records->separator == ' ';
    *count = 0;
    for (;; split.cursor++) {
        while (split.cursor < split.end && crd_i_slow_parse_is_blank(records, *split.cursor)) split.cursor++;
        /* Spaces separate fields and are ignored at the end of the line. */
        if (at_blanks && split.cursor == split.end) break;
        crd_i_cell cell;
        if (has_quotes && split.cursor < split.end && *split.cursor == records->quote) {
            crd_status status = quoted_cell(&split, &cell, error);
            if (status != CRD_OK) return status;
        } else {
            cell = plain_cell(&split);
        }
        if (split.count < capacity) cells[split.count] = cell;
        split.count++;
        if (split.cursor == split.end) break;
    }
    *count = split.count;
    return CRD_OK;
}
