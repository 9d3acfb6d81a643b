/* SPDX-License-Identifier: MIT */
/* tally.h - sufficient statistics of one column under a condition: what learning adds to, merging adds up and
 * forgetting subtracts from.
 *
 * In a naive model the condition is the class; the target itself is tallied under one condition, "always". A tally
 * knows nothing of names: conditions and values are numbered from 0 in the order in which its owner met them, and
 * maps say how the numbers of one owner translate into those of another. Everything in it is an exact sum, so a tally
 * is a function of the multiset of weighted cells it was given.
 *
 * A column always has the main tally of its kind. A model may keep further ones of its number columns, the same set for
 * all of them: the extra tallies, which some families of densities read.
 *
 * A kind of tally is one file with one table of functions, declared below, and one line in the table of tally.c. */
#ifndef CRD_STATS_TALLY_H
#define CRD_STATS_TALLY_H

#include "io/byte_codec.h"
#include "math/exact/exact_moments.h"
#include "math/exact/exact_sums.h"
#include "stats/row_groups.h"

#include <credence/data.h>

/* Distinct terms of a text that no training text has; and of its terms that are single words, not phrases, those that some training
 * text has, and all others. */
typedef struct crd_i_terms_read {
    uint32_t unseen;
    uint32_t known_words, unseen_words;
} crd_i_terms_read;

/* One column of a batch. Numbers are missing where they are NaN or their validity bit is cleared; codes, already
 * translated into the owner's, where they are negative. */
typedef struct crd_i_cells {
    size_t rows;
    const double *numbers;
    const uint8_t *validity; /* for numbers; may be NULL */
    const int32_t *codes;
    const crd_text *texts; /* missing where bytes are NULL */
    bool are_bags;         /* the texts are canonical bags of terms, as text/bag.h writes them */
    /* Of texts that a density has read: rows x conditions, log P(text | condition). */
    const double *text_logs;
} crd_i_cells;

static inline bool crd_i_number_present(const crd_i_cells *cells, size_t row) {
    if (cells->validity != NULL && (cells->validity[row >> 3] >> (row & 7) & 1) == 0) return false;
    return cells->numbers[row] == cells->numbers[row];
}

/* How the conditions and values of one tally are numbered in another. */
typedef struct crd_i_tally_map {
    const size_t *conditions;
    size_t condition_count;
    const size_t *values;
    size_t value_count;
} crd_i_tally_map;

/* The conditions and values that are known, in the order in which they are shown and written. */
typedef struct crd_i_view {
    const int32_t *conditions;
    size_t condition_count;
    const int32_t *values;
    size_t value_count;
    const bool *stays; /* of each value, whether it is known at a count of zero too; NULL: none is */
} crd_i_view;

/* The first cell that no multiset of rows can give. */
typedef struct crd_i_impossible {
    bool found, has_value;
    size_t condition, value;
    double left;  /* the number of rows it would be left with */
    bool is_near; /* what is wrong are the numbers near this one, which no other says; else the sums */
    double number;
    const struct crd_i_term_fault *term; /* of terms: which (term_merge.h); lives until the tally changes */
} crd_i_impossible;

/* The conditions under which something was tallied, one after the other: begins as {0}. */
typedef struct crd_i_total_cursor {
    size_t next;
    size_t condition; /* that was come to */
} crd_i_total_cursor;

typedef struct crd_i_tally_type crd_i_tally_type;

/* Embedded first in each kind of tally. */
typedef struct crd_i_tally {
    const crd_i_tally_type *type;
    crd_context *context;
    size_t conditions, values; /* how many are known */
} crd_i_tally;

struct crd_i_tally_type {
    const char *name;          /* as files have it */
    crd_kind kind;             /* of the cells that it takes */
    bool is_main;              /* what columns of that kind always have; else an extra tally, of numbers */
    const char *cannot_forget; /* why cells cannot be taken out of it; NULL: they can */

    crd_i_tally *(*create)(crd_context *context); /* NULL: out of memory */
    void (*destroy)(crd_i_tally *tally);

    /* The calls that return bool give false when memory ran out. */

    /* At least so many conditions and values, the new ones at zero. On failure nothing has changed. */
    bool (*extend)(crd_i_tally *tally, size_t conditions, size_t values);
    /* Adds each present cell of the rows in groups under its group's condition, with its row's weight. On failure a part
     * may have been added. */
    bool (*add)(crd_i_tally *tally, const crd_i_cells *cells, const crd_i_groups *groups);

    /* Optional: brings the tally into the form that others are combined with, and that shows what is impossible in it. Its
     * content stays, and any thread may call it. To be called before prepare, of what is to be combined, and before
     * find_impossible, as it can fail for other reasons than memory. */
    crd_status (*settle)(const crd_i_tally *tally, crd_error *error);

    /* Adds (sign 1) or, unless it cannot forget, subtracts (sign -1) another tally of the same type, numbered through
     * the map, which covers all of it. prepare makes the room; once it has succeeded, combining, and undoing that,
     * needs no memory. */
    bool (*prepare)(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map);
    bool (*combine)(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map, int sign);
    /* What subtracting the other has left behind; looks only at what it has touched. NULL where it cannot forget. */
    bool (*find_impossible)(const crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map,
                            crd_i_impossible *out);

    /* How many numbers it keeps. */
    uint64_t (*size)(const crd_i_tally *tally);

    /* The sum of weights under a condition: sums, and the cell of them that it is; NULL: it is zero. Required of main
     * tallies, and of logs. */
    const crd_i_sums *(*total)(const crd_i_tally *tally, size_t condition, size_t *cell);
    /* The next condition under which it is not zero, in no order that means anything; false: there is none. Required of
     * main tallies. */
    bool (*next_total)(const crd_i_tally *tally, crd_i_total_cursor *cursor);

    /* The canonical content, and back into a fresh tally whose conditions and values are 0, 1, 2, ... of the
     * view's counts. What no writer can have written is CRD_ERROR_DAMAGED. */
    void (*write)(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
    crd_status (*read)(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor, crd_error *error);
    /* Optional, all or none: the same in another layout, for content that is mostly zero. Which one it is written in
     * is a function of the content. */
    bool (*is_sparse)(const crd_i_tally *tally, const crd_i_view *view);
    void (*write_sparse)(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
    crd_status (*read_sparse)(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                              crd_error *error);
    /* Required of extra tallies: whether some cells leave both this and their column's main tally behind. The two know
     * the same conditions. false in *agrees: no cells do. */
    bool (*check)(const crd_i_tally *extra, const crd_i_tally *main, bool *agrees);
};

extern const crd_i_tally_type crd_i_counts;
extern const crd_i_tally_type crd_i_moments;
extern const crd_i_tally_type crd_i_terms;
extern const crd_i_tally_type crd_i_signs;
extern const crd_i_tally_type crd_i_logs;
extern const crd_i_tally_type crd_i_extremes;
extern const crd_i_tally_type crd_i_grid;

/* The main type of a kind, or the type of this name; NULL where there is none. */
const crd_i_tally_type *crd_i_tally_type_for(crd_kind kind);
const crd_i_tally_type *crd_i_tally_type_named(crd_text name);

/* A set of extra types: bit i is the i-th extra type of the table, whose order is that of files. */
typedef uint32_t crd_i_extras;
enum { CRD_I_MOST_EXTRAS = 8 };
size_t crd_i_extra_type_count(void);
const crd_i_tally_type *crd_i_extra_type(size_t i);
/* Its bit alone; 0 for a main type. */
crd_i_extras crd_i_extras_of(const crd_i_tally_type *type);

void crd_i_tally_destroy(crd_i_tally *tally); /* NULL is fine */
/* The rounded sum of weights under a condition; whether any condition has one. */
double crd_i_tally_total(const crd_i_tally *tally, size_t condition);
bool crd_i_tally_is_empty(const crd_i_tally *tally);

/* What a counts tally holds; true is set for the values, of all that are known, that have a count at all. */
double crd_i_counts_value(const crd_i_tally *tally, size_t value, size_t condition);
void crd_i_counts_mark_live(const crd_i_tally *tally, bool *live);
/* What a moments tally holds, and one of logs, of the logarithms of the cells above 0. */
crd_i_moment_cell crd_i_moments_cell(const crd_i_tally *tally, size_t condition);

/* What a tally of signs holds: how many present cells there are of each sort. */
typedef enum crd_i_sign {
    CRD_I_NEGATIVE, /* below 0 */
    CRD_I_ZERO,
    CRD_I_ONE,
    CRD_I_WHOLE,    /* whole and above 1 */
    CRD_I_FRACTION, /* not whole, and above 0 */
    CRD_I_SIGN_COUNT
} crd_i_sign;
double crd_i_signs_value(const crd_i_tally *tally, size_t condition, crd_i_sign sign);
/* What a tally of extremes holds; false: no cell was present. */
bool crd_i_extremes_value(const crd_i_tally *tally, size_t condition, double *least, double *greatest);

#endif
