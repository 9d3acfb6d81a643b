/* SPDX-License-Identifier: MIT */
/* scan_delimiters.h - finds the separators and line ends in a range of bytes.
 *
 * The positions of separators and line ends determine everything about a row of plain text. Therefore they are found
 * for many rows at once, 64 bytes per step, at nearly memory speed. */
#ifndef CRD_TABLE_PARSE_SCAN_DELIMITERS_H
#define CRD_TABLE_PARSE_SCAN_DELIMITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_MARKS_STEP = 64,
    CRD_I_MARKS_SPARE = 8 /* number of elements after the last offset that may be overwritten */
};

/* The field separator, which is not '\n', '\r', the quote or NUL; and the quote character, '\0' if there is none. */
typedef struct crd_i_delimiters {
    char separator, quote;
} crd_i_delimiters;

/* The scanner state, in addition to the positions of marks. A quote at the beginning of a field opens it, and a
 * quote at its end closes it. Between them, separators and line ends are not marks, and two quotes are an escaped
 * quote. Quotes anywhere else are irregular (odd). */
typedef struct crd_i_marked {
    size_t line_ends; /* number of marks that are line ends */
    bool has_quotes;
    uint32_t *doubled;    /* receives the offset of the second quote of each doubled pair; NULL: not wanted */
    size_t doubled_count; /* number of offsets written to `doubled` */
    bool has_inner;       /* a line end inside quotes occurred */
    bool has_odd;         /* a NUL byte or an irregular quote occurred; then all other members are undefined */
    bool is_inside;       /* inside quotes */
    bool behind_mark;     /* a quote may open here: after a mark, or at the beginning */
    bool behind_quote;    /* after a closing quote, or after the first of a doubled pair */
    bool behind_return;   /* after a carriage return that follows such a quote */
} crd_i_marked;

static inline crd_i_marked crd_i_marked_begin(void) {
    crd_i_marked marked = {.behind_mark = true};
    return marked;
}

/* Returns whether the bytes are irregular at their end, where no quote may be open and a carriage return does not
 * belong to a line end. */
static inline bool crd_i_marked_is_odd(const crd_i_marked *marked) {
    return marked->has_odd || marked->is_inside || marked->behind_return;
}

/* Writes the offsets (from `bytes`, plus `base`) of all separators and '\n' outside quotes, in order, and returns
 * their number. `offsets` has room for length + CRD_I_MARKS_SPARE elements, or is NULL if they are not wanted.
 * marked->doubled has room for half as many. Updates *marked. The bytes of one text can be passed in pieces, all
 * except the last a multiple of CRD_I_MARKS_STEP long. */
typedef size_t crd_i_marker_find(const char *bytes, size_t length, crd_i_delimiters delimiters, uint32_t base,
                                 uint32_t *offsets, crd_i_marked *marked);

/* An implementation for one type of processor. */
typedef struct crd_i_marker {
    const char *name;
    bool (*is_supported)(void);
    crd_i_marker_find *find;
} crd_i_marker;

/* The compiled implementations, fastest first, terminated by NULL; and the first that this machine supports. */
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
