/* SPDX-License-Identifier: MIT */
/* tally.h - sufficient statistics of one column under a condition: training adds to them, merging adds them,
 * forgetting subtracts from them.
 *
 * In naive Bayes the condition is the class; the target itself has a single condition. A tally contains no names.
 * Conditions and values are numbered from 0 in the order in which its owner found them, and maps translate the
 * numbers of one owner to another. All statistics are exact sums, so a tally depends only on the multiset of
 * weighted cells.
 *
 * A column always has the main tally of its type. A model may store further tallies of its numeric columns, the same
 * set for all of them: the extra tallies, which some density families need.
 *
 * A tally type is one file with one table of functions, declared below, and one entry in the table of tally.c. */
#ifndef CRD_STATS_TALLY_H
#define CRD_STATS_TALLY_H

#include "base/byte_codec.h"
#include "math/exact/exact_moments.h"
#include "math/exact/exact_sums.h"
#include "math/exact/slices.h"

#include <credence/data.h>

/* ======== Rows grouped by condition ========
 *
 * Every column of a batch is counted under the same conditions, so the rows are sorted once. Each group lies in a
 * range of rows short enough for a column's values to stay in the CPU cache. One condition may therefore have several
 * groups. The statistics are exact sums and do not depend on the grouping. */

typedef struct crd_i_row_group {
    size_t condition;
    size_t origin;        /* `rows` are relative to this row */
    const uint16_t *rows; /* increasing */
    size_t count;
    const double *weights; /* one per row; NULL: all 1 */
} crd_i_row_group;

typedef struct crd_i_groups {
    crd_context *context;
    crd_i_row_group *groups;
    size_t count, capacity;
    uint16_t *rows;
    double *weights; /* in the order of `rows`; unused if all weights are 1 */
    bool is_sliced;
    crd_i_sliced_weights sliced; /* `weights`, split into slices */
    double *slices;
    size_t rows_capacity, weights_capacity, slices_capacity;
} crd_i_groups;

/* Groups rows. Rows with negative conditions are skipped; conditions NULL: all rows have condition 0; weights NULL:
 * all 1. false: out of memory; the groups must be cleared then, too. */
CRD_MUST_USE bool crd_i_groups_init(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
/* Groups rows like crd_i_groups_init, reusing the memory of earlier groups (initially zeroed). Also slices the
 * weights for many numeric columns; otherwise weighted numbers are added one by one. */
CRD_MUST_USE bool crd_i_groups_make(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
void crd_i_groups_clear(crd_i_groups *groups);

/* The number of distinct terms of a text that occur in no training text. Of its single-word terms: the number that
 * occur in a training text, and the number that do not. */
typedef struct crd_i_terms_read {
    uint32_t unseen;
    uint32_t known_words, unseen_words;
} crd_i_terms_read;

/* One column of a batch. A number is missing if it is NaN or its validity bit is cleared. A code, already translated
 * to the owner's, is missing if it is negative. */
typedef struct crd_i_cells {
    size_t rows;
    const double *numbers;
    const uint8_t *validity; /* for numbers; may be NULL */
    const int32_t *codes;
    const crd_text *texts; /* missing if bytes is NULL */
    bool are_bags;         /* the texts are canonical bags of terms, in the format of text/tokens.h */
    /* For texts that a density has evaluated: rows x conditions, log P(text | condition). */
    const double *text_logs;
} crd_i_cells;

static inline bool crd_i_number_present(const crd_i_cells *cells, size_t row) {
    if (cells->validity != NULL && (cells->validity[row >> 3] >> (row & 7) & 1) == 0) return false;
    return cells->numbers[row] == cells->numbers[row];
}

/* Maps the conditions and values of one tally to the numbers of another. */
typedef struct crd_i_tally_map {
    const size_t *conditions;
    size_t condition_count;
    const size_t *values;
    size_t value_count;
} crd_i_tally_map;

/* The known conditions and values, in display and file order. */
typedef struct crd_i_view {
    const int32_t *conditions;
    size_t condition_count;
    const int32_t *values;
    size_t value_count;
    const bool *stays; /* for each value, whether it is known even with a zero count; NULL: none is */
} crd_i_view;

/* The first count that no multiset of rows can produce. */
typedef struct crd_i_impossible {
    bool found, has_value;
    size_t condition, value;
    double left;  /* number of rows that would remain */
    bool is_near; /* true: the fault is in the histogram bin around `number`; false: it is in the sums */
    double number;
    const struct crd_i_term_fault *term; /* for terms: the faulty term (term_store.h); valid until the tally changes */
} crd_i_impossible;

/* Iterates over the conditions with a nonzero sum of weights. Initialize it with {0}. */
typedef struct crd_i_total_cursor {
    size_t next;
    size_t condition; /* current condition */
} crd_i_total_cursor;

typedef struct crd_i_tally_type crd_i_tally_type;

/* The base of each tally type, its first member. */
typedef struct crd_i_tally {
    const crd_i_tally_type *type;
    crd_context *context;
    size_t conditions, values; /* number of known conditions and values */
} crd_i_tally;

struct crd_i_tally_type {
    const char *name;          /* name in files */
    const char *former_name;   /* name in files of version 0.1; NULL: the same */
    crd_column_type type;      /* type of the cells it counts */
    bool is_main;              /* every column of that type has it; otherwise it is an extra tally of numbers */
    const char *cannot_forget; /* reason why cells cannot be removed; NULL: they can */

    crd_i_tally *(*create)(crd_context *context); /* NULL: out of memory */
    void (*destroy)(crd_i_tally *tally);

    /* Functions that return bool return false if memory ran out. */

    /* Extends the tally to at least this many conditions and values; new ones are zero. On failure nothing has
     * changed. */
    bool (*extend)(crd_i_tally *tally, size_t conditions, size_t values);
    /* Adds each present cell of the grouped rows under its group's condition, with its row's weight. On failure some
     * may have been added. */
    bool (*add)(crd_i_tally *tally, const crd_i_cells *cells, const crd_i_groups *groups);

    /* Optional: converts the tally to the representation needed for combining and for find_impossible. Its content
     * does not change, and any thread may call it. Call it before `prepare` and before `find_impossible`, because it
     * can fail for other reasons than memory. */
    crd_status (*settle)(const crd_i_tally *tally, crd_error *error);

    /* Add (sign 1) or, unless cannot_forget is set, subtract (sign -1) another tally of the same type. The map
     * covers all of its conditions and values. `prepare` reserves memory; after it succeeded, combining and undoing
     * it need no memory. */
    bool (*prepare)(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map);
    bool (*combine)(crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map, int sign);
    /* Finds an impossible count after `other` was subtracted. Checks only the counts that changed. NULL if the tally
     * cannot forget. */
    bool (*find_impossible)(const crd_i_tally *tally, const crd_i_tally *other, const crd_i_tally_map *map,
                            crd_i_impossible *out);

    /* Returns how many numbers it stores. */
    uint64_t (*size)(const crd_i_tally *tally);

    /* Returns the sum of weights under a condition, as sums and a cell index; NULL: it is zero. Required for main
     * tallies and for logs. */
    const crd_i_sums *(*total)(const crd_i_tally *tally, size_t condition, size_t *cell);
    /* Moves to the next condition with a nonzero sum, in unspecified order; false: there is none. Required for main
     * tallies. */
    bool (*next_total)(const crd_i_tally *tally, crd_i_total_cursor *cursor);

    /* Write the canonical content, and read it into a new tally with conditions and values 0, 1, 2, ... in the order
     * of the view. CRD_ERROR_DAMAGED: content that no writer produces. */
    void (*write)(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
    crd_status (*read)(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor, crd_error *error);
    /* Optional, all or none: write and read another layout for content that is mostly zero. The content determines
     * the layout. */
    bool (*is_sparse)(const crd_i_tally *tally, const crd_i_view *view);
    void (*write_sparse)(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
    crd_status (*read_sparse)(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                              crd_error *error);
    /* Required for extra tallies: sets *agrees to whether some multiset of cells produces both this tally and the
     * column's main tally. Both have the same conditions. */
    bool (*check)(const crd_i_tally *extra, const crd_i_tally *main, bool *agrees);
};

extern const crd_i_tally_type crd_i_counts;
extern const crd_i_tally_type crd_i_moments;
extern const crd_i_tally_type crd_i_terms;
extern const crd_i_tally_type crd_i_signs;
extern const crd_i_tally_type crd_i_logs;
extern const crd_i_tally_type crd_i_extremes;
extern const crd_i_tally_type crd_i_grid;

/* Return the main tally type of a column type, or the tally type with this name in a file; NULL if there is none. */
const crd_i_tally_type *crd_i_tally_type_for(crd_column_type type);
const crd_i_tally_type *crd_i_tally_type_named(crd_text name);

/* A set of extra types: bit i is the i-th extra type of the table. The table has file order. */
typedef uint32_t crd_i_extras;
enum { CRD_I_MOST_EXTRAS = 8 };
size_t crd_i_extra_type_count(void);
const crd_i_tally_type *crd_i_extra_type(size_t i);
/* Returns the bit of a type; 0 for a main type. */
crd_i_extras crd_i_extras_of(const crd_i_tally_type *type);

void crd_i_tally_destroy(crd_i_tally *tally); /* NULL is allowed */
/* Return the rounded sum of weights under a condition, and whether the tally has no weight under any condition. */
double crd_i_tally_total(const crd_i_tally *tally, size_t condition);
bool crd_i_tally_is_empty(const crd_i_tally *tally);

/* Return a count of a counts tally; and set live[value] to true for each known value with a nonzero count. */
double crd_i_counts_value(const crd_i_tally *tally, size_t value, size_t condition);
void crd_i_counts_mark_live(const crd_i_tally *tally, bool *live);
/* Returns the moments of a moments tally; for a logs tally, the moments of the logarithms of cells above 0. */
crd_i_moment_cell crd_i_moments_cell(const crd_i_tally *tally, size_t condition);

/* Categories of present cells that a signs tally counts. */
typedef enum crd_i_sign {
    CRD_I_NEGATIVE, /* below 0 */
    CRD_I_ZERO,
    CRD_I_ONE,
    CRD_I_WHOLE,    /* integer above 1 */
    CRD_I_FRACTION, /* above 0, not an integer */
    CRD_I_SIGN_COUNT
} crd_i_sign;
double crd_i_signs_value(const crd_i_tally *tally, size_t condition, crd_i_sign sign);
/* Returns the minimum and maximum in an extremes tally; false: no cell was present. */
bool crd_i_extremes_value(const crd_i_tally *tally, size_t condition, double *least, double *greatest);

#endif
