/* SPDX-License-Identifier: MIT */
/* row_parts.h - splits the unobserved nodes of a row into independent parts. See incomplete_cases.h. */
#ifndef CRD_EM_ROW_PARTS_H
#define CRD_EM_ROW_PARTS_H

#include "cases/case_table.h"
#include "network/network_internal.h"

typedef struct crd_i_row_parts {
    crd_context *context;
    const crd_network *network;
    const size_t *starts; /* for each node: the index of its CPT's first entry */
    int32_t *states;      /* for each node: the observed state, or -1 */
    bool *counts;         /* for each node: it is observed, or an ancestor of an observed node */
    bool *is_open;        /* for each node that counts: some member of its family is unobserved */
    /* for each node that counts: the CPT entry for the observed members, with all unobserved members in state 0 */
    uint32_t *bases;
    uint32_t *leads; /* union-find parents, by node */
    /* Part by part: the unobserved nodes, and the nodes whose families have an unobserved member, both ascending. Part
     * p ends at missing_ends[p] and family_ends[p]. */
    size_t count;
    uint32_t *missing, *families;
    size_t *missing_ends, *family_ends;
    uint32_t *part_of; /* scratch space, by node */
} crd_i_row_parts;

CRD_MUST_USE crd_status crd_i_row_parts_open(crd_i_row_parts *parts, const crd_network *network, const size_t *starts,
                                             crd_error *error);
void crd_i_row_parts_close(crd_i_row_parts *parts); /* an all-zero struct is allowed */

/* Reads the states of a row from each node's column, and finds the nodes that count. */
void crd_i_row_parts_read(crd_i_row_parts *parts, const crd_i_case_table *table, const size_t *columns, size_t row);
/* Finds the parts of the row that crd_i_row_parts_read has read. */
void crd_i_row_parts_find(crd_i_row_parts *parts);

static inline size_t crd_i_row_parts_begin(const size_t *ends, size_t part) {
    return part == 0 ? 0 : ends[part - 1];
}

#endif
