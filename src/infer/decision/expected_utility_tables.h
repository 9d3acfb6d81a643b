/* SPDX-License-Identifier: MIT */
/* expected_utility_tables.h - the tables created during variable elimination, and the loops over them.
 *
 * A variable is a node with several states, none of which is known for certain. Variables that are kept have the
 * highest numbers. The variables of a table are in ascending order; the last varies fastest. In a dry run without
 * numbers, tables consist of variables and sizes only. */
#ifndef CRD_INFER_DECISION_EXPECTED_UTILITY_TABLES_H
#define CRD_INFER_DECISION_EXPECTED_UTILITY_TABLES_H

#include "infer/decision/policy.h"
#include "infer/exact/junction_types.h"

typedef struct crd_i_expected {
    uint32_t *vars; /* NULL: the table has been removed */
    size_t count;
    double cells;
    double *numbers;
    bool is_utility;
    /* probability tables: number of variables whose distribution is conditional on the others; 0 if the table is not
     * a distribution */
    size_t heads;
    int low;      /* plain probabilities: no nonzero entry is below 2^low */
    int exponent; /* plain probabilities that are not a distribution: the exponent of two that was divided out */
} crd_i_expected;

typedef struct crd_i_touching {
    size_t *tables; /* tables that contain a variable; some may have been removed */
    size_t count, capacity;
} crd_i_touching;

typedef struct crd_i_expecting {
    crd_context *context;
    const crd_i_diagram *diagram;
    uint32_t *var_of, *states_at; /* variable by node, or UINT32_MAX; state count by variable */
    size_t var_count, kept_count;
    bool has_numbers;
    crd_i_factor_scale scale; /* scale of the probabilities */
    crd_i_expected *tables;
    size_t table_count, table_room;
    crd_i_touching *touching; /* by variable */
    uint64_t *stamps, stamp;
    double cells, most_cells; /* entries of the current tables, and the maximum at any time */
    double all_cells;         /* entries of all tables ever created */
    bool is_out_of_range;     /* plain doubles do not have enough range */
} crd_i_expecting;

/* Creates a table over `vars`, which must be ascending. Takes ownership of `vars`. Returns SIZE_MAX if memory runs
 * out; `vars` is then freed. */
size_t crd_i_expectation_make(crd_i_expecting *run, uint32_t *vars, size_t count);
/* Removes a table. A table that has been removed already is ignored. */
void crd_i_expectation_drop(crd_i_expecting *run, size_t table);
/* Adds a table to the collection. A utility table is merged into another one that contains all its variables. */
CRD_MUST_USE bool crd_i_expectation_add(crd_i_expecting *run, size_t table);
/* Adds the tables of a needed node. */
CRD_MUST_USE bool crd_i_expectation_load(crd_i_expecting *run, uint32_t node);

/* Computes an elimination order of the variables that are not kept, based on the current tables (see triangulate.h). */
CRD_MUST_USE crd_status crd_i_expectation_order(const crd_i_expecting *run, uint32_t *order, crd_error *error);

/* Table arithmetic, used when tables have numbers. _multiply computes the product of probabilities. The others
 * compute its sums over the one variable missing from `sums`; the quotient product / sums, as plain numbers, where
 * sums of SIZE_MAX mean 1 and `spread` is scratch of the size of the product; and the sums over that variable of
 * product * utility, where `both` is scratch for all its entries. */
void crd_i_expectation_multiply(crd_i_expecting *run, size_t product, const size_t *tables, size_t count);
void crd_i_expectation_sum(crd_i_expecting *run, size_t product, size_t sums);
void crd_i_expectation_divide(crd_i_expecting *run, size_t product, size_t sums, size_t spread);
void crd_i_expectation_expect(crd_i_expecting *run, size_t product, size_t utility, size_t both, size_t remainder);
/* Computes the sum of all current utilities for each combination of the kept variables. Entries whose probability is
 * 0 are NaN. `room` is scratch of the same size. */
void crd_i_expectation_finish(const crd_i_expecting *run, double *out, double *workspace, size_t cells);

#endif
