/* SPDX-License-Identifier: MIT */
/* row_parts.h - how the nodes of a row that are not observed fall apart: see incomplete_cases.h. */
#ifndef CRD_EM_ROW_PARTS_H
#define CRD_EM_ROW_PARTS_H

#include "cases/case_table.h"
#include "network/network_internal.h"

typedef struct crd_i_row_parts {
    crd_context *context;
    const crd_network *network;
    const size_t *starts; /* of tables */
    int32_t *states;      /* by node: observed, or -1 */
    bool *counts;         /* by node: it is observed, or an ancestor of one that is */
    bool *is_open;        /* by node that counts: some member of its family is not observed */
    uint32_t *bases;      /* by node that counts: the first cell of its table that goes with what is observed */
    uint32_t *leads;      /* room of the union of sets, by node */
    /* Part after part: the nodes that are not observed, and those whose families have such a member, both ascending. */
    size_t count;
    uint32_t *missing, *families;
    size_t *missing_ends, *family_ends;
    uint32_t *part_of; /* room, by node */
} crd_i_row_parts;

CRD_MUST_USE crd_status crd_i_row_parts_open(crd_i_row_parts *parts, const crd_network *network, const size_t *starts,
                                             crd_error *error);
void crd_i_row_parts_close(crd_i_row_parts *parts); /* all zero is fine */

/* Reads a row's states, by the column of each node, and finds the nodes that count. */
void crd_i_row_parts_read(crd_i_row_parts *parts, const crd_i_case_table *table, const size_t *columns, size_t row);
/* Then finds its parts. */
void crd_i_row_parts_find(crd_i_row_parts *parts);

static inline size_t crd_i_row_parts_begin(const size_t *ends, size_t part) {
    return part == 0 ? 0 : ends[part - 1];
}

#endif
