/* SPDX-License-Identifier: MIT */
/* found_structure.h - a learned structure with the names of its nodes: see credence/structure.h. */
#ifndef CRD_STRUCTURE_FOUND_STRUCTURE_H
#define CRD_STRUCTURE_FOUND_STRUCTURE_H

#include "structure/bootstrap.h"

#include <credence/structure.h>

struct crd_structure {
    crd_context *context;
    const crd_i_search *search;
    size_t count, left_out_count;
    crd_text *names;                /* names of the nodes; owned */
    crd_text *left_out;             /* names of the columns that are not nodes; owned */
    crd_i_search_result result;     /* for a bootstrap: the averaged network, without score and counters */
    crd_i_bootstrap_result average; /* bootstrap result without its graph; no strengths if there was no bootstrap */
    uint32_t *pairs;                /* for a bootstrap: pairs of joined nodes, two numbers each, strongest first */
    size_t pair_count;
    double rows;
    bool is_consistent;
    char *arcs;
};

/* Runs the search of the settings over a table. Drops the columns that cannot be nodes from the table. */
CRD_MUST_USE crd_status crd_i_structure_of_cases(crd_i_case_table *table, const crd_settings *settings,
                                                 const crd_structure_options *options, crd_structure **out,
                                                 crd_error *error);

#endif
