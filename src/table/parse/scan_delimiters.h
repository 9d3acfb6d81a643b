/* SPDX-License-Identifier: MIT */
/* scan_delimiters.h - the places of separators and line ends in a stretch of bytes.
 *
 * Everything about a row of plain text follows from where its separators and line ends are, so they are found for many
 * rows at once, 64 bytes at a step, at a speed near that of memory. */
#ifndef CRD_TABLE_PARSE_SCAN_DELIMITERS_H
#define CRD_TABLE_PARSE_SCAN_DELIMITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_MARKS_STEP = 64,
    CRD_I_MARKS_SPARE = 8 /* elements behind the last offset that may be overwritten */
};

/* What separates fields, none of '\n', '\r', the quote and NUL; and what encloses them, '\0' where nothing does. */
typedef struct crd_i_delimiters {
    char separator, quote;
} crd_i_delimiters;

/* What is known of the bytes so far beyond the places of marks. A quote that stands at the beginning of a field opens,
 * and one at its end closes; between them separators and line ends are no marks, and two quotes stand for one. Quotes
 * anywhere else are odd. */
typedef struct crd_i_marked {
    size_t line_ends; /* how many of the marks are */
    bool has_quotes;
    uint32_t *doubled;    /* gets the offset of the second of two quotes that stand for one; NULL: nobody wants it */
    size_t doubled_count; /* of those that were written there */
    bool has_inner;       /* a line end between quotes */
    bool has_odd;         /* a NUL byte, or a quote elsewhere: nothing else counts then */
    bool is_inside;       /* between quotes */
    bool behind_mark;     /* where a quote may open: behind a mark, and at the beginning */
    bool behind_quote;    /* behind one that closes, or is the first of two */
    bool behind_return;   /* behind a carriage return behind such a quote */
} crd_i_marked;

static inline crd_i_marked crd_i_marked_begin(void) {
    crd_i_marked marked = {.behind_mark = true};
    return marked;
}

/* At the end of the bytes, where no quote may be open and a carriage return is none of a line end. */
static inline bool crd_i_marked_is_odd(const crd_i_marked *marked) {
    return marked->has_odd || marked->is_inside || marked->behind_return;
}

/* Writes the offsets (from bytes, plus `base`) of all separators and '\n' outside quotes in order and returns how many
 * there are; `offsets` has room for length + CRD_I_MARKS_SPARE, or is NULL where nobody wants to know them;
 * marked->doubled has room for half as many. Adds to *marked what these bytes have: the bytes of one
 * text may be given a stretch at a time, all but the last of them whole steps long. */
typedef size_t crd_i_marker_find(const char *bytes, size_t length, crd_i_delimiters delimiters, uint32_t base,
                                 uint32_t *offsets, crd_i_marked *marked);

/* A way to find them, made for one kind of processor. */
typedef struct crd_i_marker {
    const char *name;
    bool (*is_supported)(void);
    crd_i_marker_find *find;
} crd_i_marker;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports. */
extern const crd_i_marker *const crd_i_markers[];
const crd_i_marker *crd_i_marker_best(void);

#if defined(__GNUC__) && defined(__x86_64__)
#define CRD_I_MARKS_AVX2
extern const crd_i_marker crd_i_marker_avx2;
#endif
#ifdef __wasm_simd128__
#define CRD_I_MARKS_SIMD128
extern const crd_i_marker crd_i_marker_simd128;
#endif
extern const crd_i_marker crd_i_marker_plain;

#endif
