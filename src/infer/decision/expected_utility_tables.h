/* SPDX-License-Identifier: MIT */
/* expected_utility_tables.h - the tables that arise while nodes are eliminated, and the loops through them.
 *
 * A variable is a node that has several states, of which none is known for certain. Those that are kept have the last
 * numbers. A table has its variables in ascending order, the last varying fastest. Without numbers, tables have
 * variables and sizes only. */
#ifndef CRD_INFER_DECISION_EXPECTED_UTILITY_TABLES_H
#define CRD_INFER_DECISION_EXPECTED_UTILITY_TABLES_H

#include "infer/decision/policy.h"
#include "infer/exact/junction_types.h"

typedef struct crd_i_expected {
    uint32_t *vars; /* NULL: it is not there any more */
    size_t count;
    double cells;
    double *numbers;
    bool is_utility;
    size_t heads; /* of probabilities: so many of its variables have a distribution that the others condition; 0: it is
                     no distribution */
    int low;      /* of plain probabilities: none that is not 0 is below 2^low */
    int exponent; /* of plain probabilities that are no distribution: they were divided by 2 to this */
} crd_i_expected;

typedef struct crd_i_touching {
    size_t *tables; /* those with a variable in them; some may not be there any more */
    size_t count, room;
} crd_i_touching;

typedef struct crd_i_expecting {
    crd_context *context;
    const crd_i_diagram *diagram;
    uint32_t *var_of, *states_at; /* variable by node, or UINT32_MAX; number of states by variable */
    size_t var_count, kept_count;
    bool has_numbers;
    crd_i_factor_scale scale; /* of probabilities */
    crd_i_expected *tables;
    size_t table_count, table_room;
    crd_i_touching *touching; /* by variable */
    uint64_t *stamps, stamp;
    double cells, most_cells; /* of the tables that are there, and of those that were at once */
    double all_cells;         /* of all that were there */
    bool is_out_of_range;     /* plain numbers will not do */
} crd_i_expecting;

/* A table of these variables, ascending, which it takes over. SIZE_MAX: no memory; the variables are freed. */
size_t crd_i_expectation_make(crd_i_expecting *run, uint32_t *vars, size_t count);
/* Takes one that is not there any more. */
void crd_i_expectation_drop(crd_i_expecting *run, size_t table);
/* Puts a table among the others; a utility becomes one with another if all its variables are in that. */
CRD_MUST_USE bool crd_i_expectation_add(crd_i_expecting *run, size_t table);
/* Adds what a node that is needed brings with it. */
CRD_MUST_USE bool crd_i_expectation_load(crd_i_expecting *run, uint32_t node);

/* An order of the variables that are not kept, by what tables there are (see triangulate.h). */
CRD_MUST_USE crd_status crd_i_expectation_order(const crd_i_expecting *run, uint32_t *order, crd_error *error);

/* With numbers. The product of probabilities; their sums over the one variable that `sums` has not; product / sums,
 * where sums of SIZE_MAX are 1 (`spread` is room of the size of the product), in plain numbers; the sums over that
 * variable of product * utility (`both` is room for all of it). */
void crd_i_expectation_multiply(crd_i_expecting *run, size_t product, const size_t *tables, size_t count);
void crd_i_expectation_sum(crd_i_expecting *run, size_t product, size_t sums);
void crd_i_expectation_divide(crd_i_expecting *run, size_t product, size_t sums, size_t spread);
void crd_i_expectation_expect(crd_i_expecting *run, size_t product, size_t utility, size_t both, size_t rest);
/* The sum of all utilities that are there, for each combination of the kept variables; NaN where a probability is 0.
 * `room` is as large. */
void crd_i_expectation_finish(const crd_i_expecting *run, double *out, double *room, size_t cells);

#endif
