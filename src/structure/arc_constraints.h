/* SPDX-License-Identifier: MIT */
/* arc_constraints.h - which arcs a structure must have, and which it may have. */
#ifndef CRD_STRUCTURE_ARC_CONSTRAINTS_H
#define CRD_STRUCTURE_ARC_CONSTRAINTS_H

#include "cases/case_table.h"
#include "structure/graph.h"

typedef struct crd_i_arc_constraints {
    crd_context *context;
    crd_i_graph *required;  /* its arcs have to be there */
    crd_i_graph *forbidden; /* its arcs must not be there; those of tiers are among them */
    size_t most_parents;    /* of a node; SIZE_MAX: any number. Required arcs count */
} crd_i_arc_constraints;

/* Without constraints, over so many nodes: arcs are added to the graphs by crd_i_graph_add. */
CRD_MUST_USE crd_status crd_i_arc_constraints_create(crd_context *context, size_t count, crd_i_arc_constraints **out,
                                                     crd_error *error);
CRD_MUST_USE crd_status crd_i_arc_constraints_clone(const crd_i_arc_constraints *constraints,
                                                    crd_i_arc_constraints **out, crd_error *error);
void crd_i_arc_constraints_destroy(crd_i_arc_constraints *constraints);

/* Forbids every arc from a node of a later tier to one of an earlier one. tiers[node] is its tier from 0 on, or
 * CRD_I_NO_TIER: none, to which nothing is forbidden. */
#define CRD_I_NO_TIER UINT32_MAX
void crd_i_arc_constraints_set_tiers(crd_i_arc_constraints *constraints, const uint32_t *tiers);

/* Whether there is a DAG that meets the constraints. CRD_ERROR_SETTING, naming nodes by `names`: an arc is required and
 * forbidden, or leads from a node to itself; more parents are required of a node than it may have. CRD_ERROR_CYCLE:
 * required arcs make a directed cycle. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check(const crd_i_arc_constraints *constraints, const crd_text *names,
                                                    crd_error *error);

/* Whether each required arc can be one by the kinds of its columns. CRD_ERROR_KIND: one leads from a number to a category. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check_kinds(const crd_i_arc_constraints *constraints,
                                                          const crd_i_case_table *table, crd_error *error);

/* Where `constraints` is NULL, everything but a loop is allowed, and nothing is required. */
static inline bool crd_i_arc_is_allowed(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return source != target && (constraints == NULL || !crd_i_graph_has(constraints->forbidden, source, target));
}

static inline bool crd_i_arc_is_required(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return constraints != NULL && crd_i_graph_has(constraints->required, source, target);
}

/* Whether an arc between columns is allowed by the constraints and by their kinds: a number is no parent of a category. */
static inline bool crd_i_arc_is_possible(const crd_i_case_table *table, const crd_i_arc_constraints *constraints,
                                         size_t source, size_t target) {
    return crd_i_arc_is_allowed(constraints, source, target) &&
           !(table->columns[source].kind == CRD_KIND_NUMBER && table->columns[target].kind != CRD_KIND_NUMBER);
}

#endif
