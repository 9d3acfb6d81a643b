/* SPDX-License-Identifier: MIT */
/* record_boundary.c - finds the end of the last whole record in some bytes, or of the first. See reader_internal.h.
 *
 * The rules are the same as in slow_parse.c, but the search needs only the last line end that ends a record. If all
 * quotes are in regular places, they are only counted, with the fast delimiter scanner. Otherwise the search goes
 * from quote to quote instead of from byte to byte: between two quotes, only the bytes just before the second one
 * matter. Other threads wait during the search, so it must be fast. */
#include "table/parse/scan_delimiters.h"
#include "table/read/reader_internal.h"

#include <string.h>

enum { PIECE = 16384 }; /* bytes to scan between checks for more work */

/* Returns the offset after the last line end in bytes[from .. to), 0 if there is none. */
static size_t last_line_end(const char *bytes, size_t first, size_t limit) {
    while (limit > first && bytes[limit - 1] != '\n') limit--;
    return limit > first ? limit : 0;
}

/* Returns whether the quote at `at` opens a cell, that is, only spaces separate it from the end of the previous
 * cell. No quote is open since `from`, which begins a record if `at_start`, and otherwise follows a closing quote. */
static bool opens_cell(const crd_i_slow_parse *slow, const char *bytes, size_t first, size_t index, bool at_start) {
    if (slow->separator == ' ' && index > first && crd_i_slow_parse_is_blank(slow, bytes[index - 1])) return true;
    while (index > first && crd_i_slow_parse_is_blank(slow, bytes[index - 1])) index--;
    if (index == first) return at_start;
    return bytes[index - 1] == slow->separator || bytes[index - 1] == '\n';
}

size_t crd_i_cut_first(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    if (slow->resyncs) return crd_i_slow_parse_record_bytes(slow, bytes, length, false);
    crd_i_scan_state state = CRD_I_SCAN_CELL_START;
    bool quotes_count = crd_i_slow_parse_has_quotes(slow);
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n' && state != CRD_I_SCAN_QUOTED) return i + 1;
        if (!quotes_count) continue;
        state = crd_i_scan_step(state, bytes[i], slow->quote, crd_i_slow_parse_separates(slow, bytes[i]),
                                crd_i_slow_parse_is_blank(slow, bytes[i]));
    }
    return 0;
}

/* Returns whether every quote opens or closes a cell at its ends, or is one of a doubled pair inside. *inside is
 * then whether the end is inside quotes. */
static bool are_quotes_plain(const crd_i_slow_parse *slow, const char *bytes, size_t length, bool *inside) {
    const crd_i_marker *marker = crd_i_marker_best();
    crd_i_marked marked = crd_i_marked_begin();
    const crd_i_delimiters delimiters = {slow->separator, slow->quote};
    for (size_t index = 0; index < length && !marked.has_odd; index += PIECE) {
        (void)marker->find(bytes + index, length - index < PIECE ? length - index : PIECE, delimiters, 0, NULL,
                           &marked);
    }
    *inside = marked.is_inside;
    return !marked.has_odd;
}

/* Returns the offset after the last line end outside quotes, 0 if there is none. */
static size_t last_outer_line_end(const char *bytes, size_t length, char quote, bool inside) {
    for (size_t index = length; index > 0; index--) {
        if (bytes[index - 1] == '\n' && !inside) return index;
        inside ^= bytes[index - 1] == quote;
    }
    return 0;
}

/* Finds the cut by going from quote to quote. */
static size_t cut_carefully(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    size_t cut = 0, first = 0;
    bool at_start = true;
    for (;;) {
        const char *quote = first == length ? NULL : memchr(bytes + first, slow->quote, length - first);
        if (quote == NULL) break;
        size_t index = (size_t)(quote - bytes), looked = first;
        while (!opens_cell(slow, bytes, first, index, at_start)) {
            quote = index + 1 == length ? NULL : memchr(bytes + index + 1, slow->quote, length - index - 1);
            if (quote == NULL) break;
            index = (size_t)(quote - bytes);
        }
        if (quote == NULL) break;
        size_t end = last_line_end(bytes, looked, index);
        if (end > 0) cut = end;
        /* Find the closing quote; a doubled quote is an escaped one. */
        for (first = index + 1;; first += 2) {
            quote = first >= length ? NULL : memchr(bytes + first, slow->quote, length - first);
            if (quote == NULL) return cut;
            first = (size_t)(quote - bytes);
            if (first + 1 == length || bytes[first + 1] != slow->quote) break;
        }
        first++;
        at_start = false;
    }
    size_t end = last_line_end(bytes, first, length);
    return end > 0 ? end : cut;
}

static size_t cut_record_by_record(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    size_t cut = 0;
    for (size_t record; (record = crd_i_slow_parse_record_bytes(slow, bytes + cut, length - cut, false)) > 0;)
        cut += record;
    return cut;
}

size_t crd_i_cut(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    if (!crd_i_slow_parse_has_quotes(slow) || length == 0 || memchr(bytes, slow->quote, length) == NULL) {
        return last_line_end(bytes, 0, length);
    }
    bool inside;
    if (are_quotes_plain(slow, bytes, length, &inside)) return last_outer_line_end(bytes, length, slow->quote, inside);
    return slow->resyncs ? cut_record_by_record(slow, bytes, length) : cut_carefully(slow, bytes, length);
}
