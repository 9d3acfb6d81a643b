/* SPDX-License-Identifier: MIT */
/* joint_tally.h - sufficient statistics of several columns together under a condition.
 *
 * A tally (tally.h) describes one column. A joint tally describes the cells of several columns in the same row; the
 * densities of src/joint are derived from it. Its columns are sorted by the bytes of their names, so they do not
 * depend on the layout of a file. As in tallies, conditions and values are numbered in the order in which the owner
 * found them, and maps translate them. All statistics are exact: a joint tally depends only on the multiset of
 * weighted rows.
 *
 * The type of a column is NONE until a cell is present; then it is settled and stays. Joint tallies that need
 * complete rows use rows with a cell in every settled column of their type. When another such column is settled, no
 * earlier row had a cell in it, so the sums of complete rows start again.
 *
 * A joint tally that would become too large is dropped: it is empty, accepts no more rows, and reports an error to
 * readers. This depends only on the set of rows, and more rows never make it smaller. Therefore it does not depend
 * on the order of rows or merges. Forgetting rows does not restore it, unless no row is left.
 *
 * A joint tally type is one file with one table of functions, declared below, and one entry in the table of
 * joint_tally.c. */
#ifndef CRD_STATS_JOINT_TALLY_H
#define CRD_STATS_JOINT_TALLY_H

#include "math/exact/exact_products.h"
#include "stats/tally.h"

/* Rows of a batch, column by column in the joint tally's order. If the rows lack a column, all its cells are missing
 * (numbers and codes are NULL). */
typedef struct crd_i_joint_tally_rows {
    size_t rows;
    const crd_i_cells *columns;
    const int32_t *conditions; /* one per row; negative: the row is skipped */
    const double *weights;     /* NULL: all 1 */
} crd_i_joint_tally_rows;

/* Maps the conditions and values of one joint tally to the numbers of another with the same columns. */
typedef struct crd_i_joint_tally_map {
    const size_t *conditions;
    size_t condition_count;
    const size_t *const *values; /* one array per column; NULL if it is not a category */
    const size_t *value_counts;
} crd_i_joint_tally_map;

/* Conditions and values in file order; those without rows are omitted. */
typedef struct crd_i_joint_tally_view {
    const int32_t *conditions;
    size_t condition_count;
    const crd_i_view *columns; /* one per column: its values */
} crd_i_joint_tally_view;

typedef struct crd_i_joint_tally_type crd_i_joint_tally_type;

/* The base of each joint tally type, its first member. */
typedef struct crd_i_joint_tally {
    const crd_i_joint_tally_type *type;
    crd_context *context;
    size_t column_count;
    crd_column_type *types; /* one per column */
    size_t conditions;      /* number of known conditions */
    size_t *value_counts;   /* one per column: number of known values */
    bool is_dropped;        /* dropped because of its size; then types, conditions and values are unknown */
} crd_i_joint_tally;

struct crd_i_joint_tally_type {
    const char *name;        /* name in files and in the option keep-statistics */
    const char *former_name; /* name in files of version 0.1; NULL: the same */
    const char *summary;     /* one line */

    /* Creates a joint tally. NULL here, and false below: out of memory. */
    crd_i_joint_tally *(*create)(crd_context *context, size_t columns);
    void (*destroy)(crd_i_joint_tally *joint_tally);
    crd_i_joint_tally *(*clone)(const crd_i_joint_tally *joint_tally);

    /* Sets the type of a column that was NONE before. */
    bool (*settle)(crd_i_joint_tally *joint_tally, size_t column, crd_column_type type);
    /* Extends to at least this many conditions, and values of each column; new ones are zero. */
    bool (*extend)(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts);
    /* Adds rows. Types must be settled and everything extended. On failure some may have been added.
     * CRD_ERROR_LIMIT, without a message: it would become too large. */
    crd_status (*add)(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_rows *rows, crd_error *error);

    /* Creates a joint tally of both (sign 1), or of the first without the second (sign -1). Settled types must
     * agree. NULL: out of memory, or the status in *why (CRD_OK before): CRD_ERROR_NOT_LEARNED if the result is
     * impossible, CRD_ERROR_CANNOT_FORGET if the required data was not stored, CRD_ERROR_LIMIT if it would become
     * too large. */
    crd_i_joint_tally *(*combined)(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                   const crd_i_joint_tally_map *map, int sign, crd_status *why, crd_error *error);

    /* Write the canonical content, and read it into a new joint tally that is settled and extended, with conditions
     * and values 0, 1, 2, ... CRD_ERROR_DAMAGED: content that no writer produces. Types follow from the owner's
     * tallies. */
    void (*write)(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_i_encoder *encoder);
    crd_status (*read)(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error);

    /* Optional, for types that need the texts of values. Sets the text of a value of a column, or of a condition
     * (column SIZE_MAX). Called once for each value that `extend` added, in order, before any row has it. When joint
     * tallies are combined, the map defines which values of the second are equal. */
    bool (*spell)(crd_i_joint_tally *joint_tally, size_t column, size_t value, crd_text text);
    /* Resets a settled type and the known values after the last cell of the column was removed while rows remain, so
     * the joint tally describes these rows only. false: the required data was not stored. NULL: not supported for
     * any column. */
    bool (*unsettle)(crd_i_joint_tally *joint_tally, size_t column);

    /* Fails with CRD_ERROR_LIMIT and describes what was too large and a remedy. NULL: never needed. */
    crd_status (*refuse)(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_error *error);
};

extern const crd_i_joint_tally_type crd_i_joint_counts;  /* row counts by combination of categories */
extern const crd_i_joint_tally_type crd_i_cross_moments; /* sums and sums of products of numbers */
extern const crd_i_joint_tally_type crd_i_pair_counts;   /* counts of value pairs for every pair of columns */
extern const crd_i_joint_tally_type crd_i_kept_rows;     /* the training rows themselves, or a sample */
extern const crd_i_joint_tally_type crd_i_kept_table;    /* all rows */
extern const crd_i_joint_tally_type crd_i_group_moments; /* sums of products of numbers by combination of categories */

/* Returns the type with this name; NULL if there is none. The table has file order. */
const crd_i_joint_tally_type *crd_i_joint_tally_type_named(crd_text name);
size_t crd_i_joint_tally_type_count(void);
const crd_i_joint_tally_type *crd_i_joint_tally_type_at(size_t i);

/* The statistics that a model stores in addition to the main tallies: extra tallies of each numeric column, and
 * joint tallies of all attributes, where bit i is the i-th type of the table. */
typedef struct crd_i_kept {
    crd_i_extras extras;
    uint32_t joint_tallies;
} crd_i_kept;
/* Adds the types in a comma-separated list of names of either type; `all` means every extra tally.
 * CRD_ERROR_SETTING: unknown name. */
CRD_MUST_USE crd_status crd_i_kept_parse(crd_text text, crd_i_kept *kept, crd_error *error);

void crd_i_joint_tally_destroy(crd_i_joint_tally *joint_tally); /* NULL is allowed */
/* Add and combine like the functions of the type, but drop a joint tally that would become too large; a dropped one
 * stays dropped. Adding may replace *joint_tally by another. */
CRD_MUST_USE crd_status crd_i_joint_tally_add(crd_i_joint_tally **joint_tally, const crd_i_joint_tally_rows *rows,
                                              crd_error *error);
crd_i_joint_tally *crd_i_joint_tally_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                              const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                              crd_error *error);
/* Allocates types and value counts, for `create` and `clone`; false: out of memory. crd_i_joint_tally_free frees
 * them and the joint tally itself. */
CRD_MUST_USE bool crd_i_joint_tally_init(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_type *type,
                                         crd_context *context, size_t columns);
void crd_i_joint_tally_free(crd_i_joint_tally *joint_tally);

/* ======== Joint counts ========
 *
 * The combinations of categories in a joint-counts tally, for code that reads it. */

/* The combinations, sorted by the positions of their values in the view passed to crd_i_combinations_init, and their
 * counts by condition. crd_i_combinations_clear also accepts a zeroed struct. */
typedef struct crd_i_combinations {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* for each combination, column by column; -1: missing, or a numeric column */
    size_t *begins;      /* for each combination, its first entry; then the number of entries */
    int32_t *conditions; /* one per entry */
    double *counts;      /* one per entry: the weight of its rows, above 0 */
} crd_i_combinations;

/* Fills in the combinations. false: out of memory. */
CRD_MUST_USE bool crd_i_combinations_init(crd_i_combinations *combinations, crd_context *context,
                                          const crd_i_joint_tally *cells, const crd_i_joint_tally_view *view);
void crd_i_combinations_clear(crd_i_combinations *combinations);

/* Returns the maximum number of distinct combinations and conditions for this number of columns. Their memory limits
 * it: 256 megabytes in addition to the counts. */
size_t crd_i_cells_most(size_t columns);

/* ======== Moments by group ========
 *
 * Access to a joint tally of cross-moments by group. See group_moments.c. */

/* The groups, sorted by the positions of their values in the view passed to crd_i_moment_groups_init. The joint
 * tally must outlive it. crd_i_moment_groups_clear also accepts a zeroed struct. */
typedef struct crd_i_moment_groups {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* for each group, column by column: a category, 0 for a present number, otherwise -1 */
    int32_t *conditions; /* one per group */
    const crd_i_products **products; /* one per group: sums of its present numbers, in column order */
} crd_i_moment_groups;

/* Fills in the groups. false: out of memory. */
CRD_MUST_USE bool crd_i_moment_groups_init(crd_i_moment_groups *groups, crd_context *context,
                                           const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view);
void crd_i_moment_groups_clear(crd_i_moment_groups *groups);

/* Returns the maximum number of groups for this number of columns. The memory of their sums limits it. */
size_t crd_i_moment_groups_most(size_t columns);

/* ======== Cross-moments ========
 *
 * Access to a joint tally of cross-moments. See cross_moments.c. */

/* With more numeric columns than this, the joint tally is dropped, because its sums of products would not fit in
 * memory. */
enum { CRD_I_CROSS_MOST_COLUMNS = 2000 };

/* Returns the number of columns that are settled as numbers, and their indices in ascending order. */
size_t crd_i_cross_columns(const crd_i_joint_tally *joint_tally, const size_t **columns);
/* Returns the sums of the complete rows under a condition, for these columns in their order; NULL: there are none. */
const crd_i_products *crd_i_cross_products(const crd_i_joint_tally *joint_tally, size_t condition);
/* Return the sums of the incomplete rows, with every column twice: see cross_moments.c; NULL: unknown.
 * crd_i_cross_pair returns the sums n_ij, s_ij, s_ji, q_ij of two of its `count` columns, or of one column with
 * itself, over the rows that have both cells. */
const crd_i_products *crd_i_cross_incomplete(const crd_i_joint_tally *joint_tally, size_t condition);
crd_i_comoment_cell crd_i_cross_pair(const crd_i_products *incomplete, size_t count, size_t i, size_t j);
/* Returns the weight of the rows under a condition in which some number is missing. */
double crd_i_cross_left_out(const crd_i_joint_tally *joint_tally, size_t condition);

#endif
