/* SPDX-License-Identifier: MIT */
/* found_structure.h - what a search found, with its names: see credence/structure.h. */
#ifndef CRD_STRUCTURE_FOUND_STRUCTURE_H
#define CRD_STRUCTURE_FOUND_STRUCTURE_H

#include "structure/bootstrap.h"

#include <credence/structure.h>

struct crd_structure {
    crd_context *context;
    const crd_i_search *search;
    size_t count, left_out_count;
    crd_text *names;                /* of the nodes; owned */
    crd_text *left_out;             /* of columns that are no nodes; owned */
    crd_i_search_result result;     /* of a bootstrap the averaged network, and none of its numbers */
    crd_i_bootstrap_result average; /* of a bootstrap, without its graph; else without strengths */
    uint32_t *pairs;                /* of its nodes that are joined, two numbers each, in their order */
    size_t pair_count;
    double rows;
    bool is_consistent;
    char *arcs;
};

/* The search of the settings over a table, of which the columns that can be no nodes are dropped. */
CRD_MUST_USE crd_status crd_i_structure_of_cases(crd_i_case_table *table, const crd_settings *settings,
                                                 const crd_structure_options *options, crd_structure **out,
                                                 crd_error *error);

#endif
