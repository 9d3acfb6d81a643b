/* SPDX-License-Identifier: MIT */
/* record_boundary.c - where the last whole record of some bytes ends, or the first. See reader_internal.h.
 *
 * The same rules as in slow_parse.c, for a search that only wants the last line end that ends a record. Quotes that all
 * stand where they should are merely counted, at the speed at which marks are found. Else it goes from quote to quote
 * instead of from byte to byte: between two of them, only the bytes right before the second one matter. Others wait
 * while one looks for his cut, so it has to be quick. */
#include "table/parse/scan_delimiters.h"
#include "table/read/reader_internal.h"

#include <string.h>

enum { PIECE = 16384 }; /* bytes looked at before the next decision to go on */

/* Behind the last line end in bytes[from .. to), 0 if there is none. */
static size_t last_line_end(const char *bytes, size_t from, size_t to) {
    while (to > from && bytes[to - 1] != '\n') to--;
    return to > from ? to : 0;
}

/* Whether the quote at `at` opens a cell: there are only blanks between it and what ends the cell before. Outside
 * quotes since `from`, which begins a record if `at_start`, and else follows a closing quote. */
static bool opens_cell(const crd_i_slow_parse *how, const char *bytes, size_t from, size_t at, bool at_start) {
    if (how->separator == ' ' && at > from && crd_i_slow_parse_is_blank(how, bytes[at - 1])) return true;
    while (at > from && crd_i_slow_parse_is_blank(how, bytes[at - 1])) at--;
    if (at == from) return at_start;
    return bytes[at - 1] == how->separator || bytes[at - 1] == '\n';
}

size_t crd_i_cut_first(const crd_i_slow_parse *how, const char *bytes, size_t length) {
    if (how->resyncs) return crd_i_slow_parse_record_bytes(how, bytes, length, false);
    crd_i_scan_state state = CRD_I_SCAN_CELL_START;
    bool quotes_count = crd_i_slow_parse_has_quotes(how);
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n' && state != CRD_I_SCAN_QUOTED) return i + 1;
        if (!quotes_count) continue;
        state = crd_i_scan_step(state, bytes[i], how->quote, crd_i_slow_parse_separates(how, bytes[i]),
                                crd_i_slow_parse_is_blank(how, bytes[i]));
    }
    return 0;
}

/* Whether every quote opens or closes a cell at its ends, or is one of two between those; *inside then says whether
 * the end is between quotes. */
static bool are_quotes_plain(const crd_i_slow_parse *how, const char *bytes, size_t length, bool *inside) {
    const crd_i_marker *marker = crd_i_marker_best();
    crd_i_marked marked = crd_i_marked_begin();
    const crd_i_delimiters delimiters = {how->separator, how->quote};
    for (size_t at = 0; at < length && !marked.has_odd; at += PIECE) {
        (void)marker->find(bytes + at, length - at < PIECE ? length - at : PIECE, delimiters, 0, NULL, &marked);
    }
    *inside = marked.is_inside;
    return !marked.has_odd;
}

/* As last_line_end, with line ends only outside quotes. */
static size_t last_outer_line_end(const char *bytes, size_t length, char quote, bool inside) {
    for (size_t at = length; at > 0; at--) {
        if (bytes[at - 1] == '\n' && !inside) return at;
        inside ^= bytes[at - 1] == quote;
    }
    return 0;
}

/* From quote to quote. */
static size_t cut_carefully(const crd_i_slow_parse *how, const char *bytes, size_t length) {
    size_t cut = 0, from = 0;
    bool at_start = true;
    for (;;) {
        const char *quote = from == length ? NULL : memchr(bytes + from, how->quote, length - from);
        if (quote == NULL) break;
        size_t at = (size_t)(quote - bytes), looked = from;
        while (!opens_cell(how, bytes, from, at, at_start)) {
            quote = at + 1 == length ? NULL : memchr(bytes + at + 1, how->quote, length - at - 1);
            if (quote == NULL) break;
            at = (size_t)(quote - bytes);
        }
        if (quote == NULL) break;
        size_t end = last_line_end(bytes, looked, at);
        if (end > 0) cut = end;
        /* To the closing quote; two in a row stand for one. */
        for (from = at + 1;; from += 2) {
            quote = from >= length ? NULL : memchr(bytes + from, how->quote, length - from);
            if (quote == NULL) return cut;
            from = (size_t)(quote - bytes);
            if (from + 1 == length || bytes[from + 1] != how->quote) break;
        }
        from++;
        at_start = false;
    }
    size_t end = last_line_end(bytes, from, length);
    return end > 0 ? end : cut;
}

static size_t cut_record_by_record(const crd_i_slow_parse *how, const char *bytes, size_t length) {
    size_t cut = 0;
    for (size_t record; (record = crd_i_slow_parse_record_bytes(how, bytes + cut, length - cut, false)) > 0;)
        cut += record;
    return cut;
}

size_t crd_i_cut(const crd_i_slow_parse *how, const char *bytes, size_t length) {
    if (!crd_i_slow_parse_has_quotes(how) || length == 0 || memchr(bytes, how->quote, length) == NULL) {
        return last_line_end(bytes, 0, length);
    }
    bool inside;
    if (are_quotes_plain(how, bytes, length, &inside)) return last_outer_line_end(bytes, length, how->quote, inside);
    return how->resyncs ? cut_record_by_record(how, bytes, length) : cut_carefully(how, bytes, length);
}
