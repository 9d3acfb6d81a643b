/* SPDX-License-Identifier: MIT */
/* joint_tally.h - sufficient statistics of several columns together under a condition.
 *
 * A tally (tally.h) knows one column; a joint tally knows what several columns have in the same row, which the densities of
 * src/joint are derived from. The columns of a joint tally stand in the order of their names' bytes, so that they do not
 * depend on the layout of a file. As in tallies, conditions and values are numbered in the order in which the owner met
 * them, maps translate, and everything is exact: a joint tally is a function of the multiset of weighted rows it was given.
 *
 * A column's kind is NONE until a cell of it was present, then it is settled and stays. Joint tallies that need complete rows
 * take those that have a cell in every settled column of the kind that they take: when another such column is
 * settled, all rows before had no cell in it, so the sums of complete rows begin anew.
 *
 * A joint tally that would become too large is given up: it holds nothing, takes no more rows, and says so to whoever wants to
 * read it. Whether it is depends on the set of the rows alone, and more rows never make it smaller: so it is the same
 * whatever the order of rows or the tree of merges. Forgetting rows does not bring it back, unless no row is left.
 *
 * A kind of joint tally is one file with one table of functions, declared below, and one line in the table of joint_tally.c. */
#ifndef CRD_STATS_JOINT_TALLY_H
#define CRD_STATS_JOINT_TALLY_H

#include "stats/tally.h"

/* Rows of a batch, column by column in the joint tally's order. A column that the rows do not have: all cells missing
 * (numbers and codes NULL). */
typedef struct crd_i_joint_tally_rows {
    size_t rows;
    const crd_i_cells *columns;
    const int32_t *conditions; /* of each row; negative: the row is left out */
    const double *weights;     /* NULL: all 1 */
} crd_i_joint_tally_rows;

/* How the conditions and values of one joint tally are numbered in another with the same columns. */
typedef struct crd_i_joint_tally_map {
    const size_t *conditions;
    size_t condition_count;
    const size_t *const *values; /* of each column; NULL where it is no category */
    const size_t *value_counts;
} crd_i_joint_tally_map;

/* Conditions and values in the order in which they are written; those that no row has are left out. */
typedef struct crd_i_joint_tally_view {
    const int32_t *conditions;
    size_t condition_count;
    const crd_i_view *columns; /* of each: its values */
} crd_i_joint_tally_view;

typedef struct crd_i_joint_tally_type crd_i_joint_tally_type;

/* Embedded first in each kind of joint tally. */
typedef struct crd_i_joint_tally {
    const crd_i_joint_tally_type *type;
    crd_context *context;
    size_t column_count;
    crd_kind *kinds;      /* of each column */
    size_t conditions;    /* how many are known */
    size_t *value_counts; /* of each column, how many are known */
    bool is_given_up;     /* nothing is known then: no kinds, conditions or values */
} crd_i_joint_tally;

struct crd_i_joint_tally_type {
    const char *name;    /* as files and `--tally` have it */
    const char *summary; /* one line */

    /* NULL: out of memory; so with `false` below. */
    crd_i_joint_tally *(*create)(crd_context *context, size_t columns);
    void (*destroy)(crd_i_joint_tally *joint_tally);
    crd_i_joint_tally *(*clone)(const crd_i_joint_tally *joint_tally);

    /* The kind of a column that was NONE before. */
    bool (*settle)(crd_i_joint_tally *joint_tally, size_t column, crd_kind kind);
    /* At least so many conditions, and values of each column, the new ones at zero. */
    bool (*extend)(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
    /* Kinds are settled and everything extended. On failure a part may have been added. CRD_ERROR_LIMIT, without a
     * message: it would become too large. */
    crd_status (*add)(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_rows *rows, crd_error *error);

    /* A new joint tally of both (sign 1), or of the first without the second (sign -1). Settled kinds agree. NULL:
     * out of memory, or the status that *why (CRD_OK before) is set to: CRD_ERROR_NOT_LEARNED where no rows can be
     * left like that, CRD_ERROR_CANNOT_FORGET where it has not kept what that takes, CRD_ERROR_LIMIT as above. */
    crd_i_joint_tally *(*combined)(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                   const crd_i_joint_tally_map *map, int sign, crd_status *why, crd_error *error);

    /* The canonical content, and back into a fresh joint tally with kinds settled and extended, whose conditions and
     * values are 0, 1, 2, ... What no writer can have written is CRD_ERROR_DAMAGED. Kinds follow from the owner's
     * tallies. */
    void (*write)(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_i_encoder *encoder);
    crd_status (*read)(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error);

    /* For kinds of joint tally to which it matters what a number stands for; NULL: it does not. Says the text of a
     * value of a column, or of a condition (column SIZE_MAX), once for each that `extend` has made known, in their
     * order, before any row has it. Where joint tallies are combined, the map says which of the second's stand for
     * the same. */
    bool (*spell)(crd_i_joint_tally *joint_tally, size_t column, size_t value, crd_text text);
    /* Takes a settled kind back, and the knowledge of values, once the last cell of the column was taken out and
     * rows are left, so that the joint tally is one of these rows alone. false: it has not kept what that takes;
     * NULL means so of any column. */
    bool (*unsettle)(crd_i_joint_tally *joint_tally, size_t column);

    /* CRD_ERROR_LIMIT, with what was too large, and what to do. NULL: it never is. */
    crd_status (*refuse)(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_error *error);
};

extern const crd_i_joint_tally_type crd_i_joint_counts;  /* rows by the categories that they have together */
extern const crd_i_joint_tally_type crd_i_cross_moments; /* sums and sums of products of numbers */
extern const crd_i_joint_tally_type crd_i_pair_counts;   /* counts of every pair of columns' values */
extern const crd_i_joint_tally_type crd_i_kept_rows;     /* the rows themselves, or so many of them */
extern const crd_i_joint_tally_type crd_i_kept_table;    /* all rows */
extern const crd_i_joint_tally_type crd_i_group_moments; /* sums of products of numbers by combination of categories */

/* The type of that name; NULL where there is none. The order of the table is that of files. */
const crd_i_joint_tally_type *crd_i_joint_tally_type_named(crd_text name);
size_t crd_i_joint_tally_type_count(void);
const crd_i_joint_tally_type *crd_i_joint_tally_type_at(size_t i);

/* What a model keeps beyond the main tallies: extra tallies of each number column, and joint tallies of all
 * attributes, of which bit i is the i-th type of the table. */
typedef struct crd_i_kept {
    crd_i_extras extras;
    uint32_t joint_tallies;
} crd_i_kept;
/* Adds what a text names: names of either with commas between them, or all, which is every extra tally.
 * CRD_ERROR_SETTING where one is unknown. */
CRD_MUST_USE crd_status crd_i_kept_parse(crd_text text, crd_i_kept *kept, crd_error *error);

void crd_i_joint_tally_destroy(crd_i_joint_tally *joint_tally); /* NULL is fine */
/* As those of the type, but what would become too large is given up, and what was stays so. Adding may put another
 * joint tally in the place of this one. */
CRD_MUST_USE crd_status crd_i_joint_tally_add(crd_i_joint_tally **joint_tally, const crd_i_joint_tally_rows *rows,
                                              crd_error *error);
crd_i_joint_tally *crd_i_joint_tally_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                              const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                              crd_error *error);
/* For `create` and `clone`: room for kinds and value counts, and their values; false: out of memory. `free` frees them
 * and the joint tally itself. */
CRD_MUST_USE bool crd_i_joint_tally_init(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_type *type,
                                         crd_context *context, size_t columns);
void crd_i_joint_tally_free(crd_i_joint_tally *joint_tally);

#endif
