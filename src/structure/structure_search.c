/* SPDX-License-Identifier: MIT */
/* structure_search.c - the table of searches: see structure_search.h. */
#include "structure/structure_search.h"

static const crd_i_search SEARCHES[] = {
    {"hill-climb", "greedy search by adding, removing and reversing arcs", crd_i_hill_climb, false, false, true, false,
     true},
    {"tabu", "hill climbing that goes on from local optima", crd_i_tabu_search, false, false, true, false, true},
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
