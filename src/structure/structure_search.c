/* SPDX-License-Identifier: MIT */
/* structure_search.c - the table of searches: see structure_search.h. */
#include "structure/structure_search.h"

static const crd_i_search SEARCHES[] = {
    {"hill-climb", "greedy search by adding, removing and reversing arcs", crd_i_hill_climb, false, false, true, false,
     true},
    {"tabu", "hill climbing that continues from local optima", crd_i_tabu_search, false, false, true, false, true},
    {"exact", "dynamic programming: the highest score of all", crd_i_exact_search, false, false, true, false, true},
    {"pc", "PC-stable: tests of conditional independence", crd_i_pc_stable, false, true, false, true, true},
    {"chow-liu", "the tree of maximum likelihood", crd_i_chow_liu, false, false, false, false, false},
    {"tan", "tree-augmented naive Bayes", crd_i_tan, true, false, false, false, false},
    {"kdb", "k-dependence: the class and up to k further parents", crd_i_kdb, true, false, false, false, false},
};

size_t crd_i_search_count(void) {
    return sizeof SEARCHES / sizeof *SEARCHES;
}

const crd_i_search *crd_i_search_at(size_t i) {
    return i < crd_i_search_count() ? &SEARCHES[i] : NULL;
}

const crd_i_search *crd_i_search_named(crd_text name) {
    for (size_t i = 0; i < crd_i_search_count(); i++)
        if (crd_text_equal(name, crd_text_of(SEARCHES[i].name))) return &SEARCHES[i];
    return NULL;
}
