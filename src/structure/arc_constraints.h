/* SPDX-License-Identifier: MIT */
/* arc_constraints.h - arcs that a structure must contain and arcs that it must not contain. */
#ifndef CRD_STRUCTURE_ARC_CONSTRAINTS_H
#define CRD_STRUCTURE_ARC_CONSTRAINTS_H

#include "cases/case_table.h"
#include "structure/graph.h"

typedef struct crd_i_arc_constraints {
    crd_context *context;
    crd_i_graph *required;  /* arcs that every structure must contain */
    crd_i_graph *forbidden; /* arcs that no structure may contain, including the arcs that tiers forbid */
    size_t most_parents;    /* per node, required parents included; SIZE_MAX: no limit */
} crd_i_arc_constraints;

/* Creates constraints over `count` nodes that neither require nor forbid an arc. Add arcs to the graphs with
 * crd_i_graph_add. */
CRD_MUST_USE crd_status crd_i_arc_constraints_create(crd_context *context, size_t count, crd_i_arc_constraints **out,
                                                     crd_error *error);
CRD_MUST_USE crd_status crd_i_arc_constraints_clone(const crd_i_arc_constraints *constraints,
                                                    crd_i_arc_constraints **out, crd_error *error);
void crd_i_arc_constraints_destroy(crd_i_arc_constraints *constraints);

/* Forbids every arc from a node of a later tier to a node of an earlier tier. tiers[node] is the tier of the node,
 * counted from 0, or CRD_I_NO_TIER. Arcs from and to nodes without a tier stay allowed. */
#define CRD_I_NO_TIER UINT32_MAX
void crd_i_arc_constraints_set_tiers(crd_i_arc_constraints *constraints, const uint32_t *tiers);

/* Checks that some DAG satisfies the constraints. Messages name nodes by `names`. Returns CRD_ERROR_SETTING if an
 * arc is both required and forbidden, if a required arc leads from a node to itself, or if a node has more required
 * parents than it may have. Returns CRD_ERROR_CYCLE if the required arcs form a directed cycle. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check(const crd_i_arc_constraints *constraints, const crd_text *names,
                                                    crd_error *error);

/* Checks the required arcs against the column types. Returns CRD_ERROR_KIND if a required arc leads from a numeric
 * column to a categorical column. */
CRD_MUST_USE crd_status crd_i_arc_constraints_check_kinds(const crd_i_arc_constraints *constraints,
                                                          const crd_i_case_table *table, crd_error *error);

/* Returns whether the constraints allow an arc. With `constraints` NULL, every arc is allowed except from a node to
 * itself. */
static inline bool crd_i_arc_is_allowed(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return source != target && (constraints == NULL || !crd_i_graph_has(constraints->forbidden, source, target));
}

/* Returns whether the constraints require an arc; false if `constraints` is NULL. */
static inline bool crd_i_arc_is_required(const crd_i_arc_constraints *constraints, size_t source, size_t target) {
    return constraints != NULL && crd_i_graph_has(constraints->required, source, target);
}

/* Returns whether both the constraints and the column types allow an arc: a numeric column cannot be a parent of a
 * categorical column. */
static inline bool crd_i_arc_is_possible(const crd_i_case_table *table, const crd_i_arc_constraints *constraints,
                                         size_t source, size_t target) {
    return crd_i_arc_is_allowed(constraints, source, target) &&
           !(table->columns[source].kind == CRD_KIND_NUMBER && table->columns[target].kind != CRD_KIND_NUMBER);
}

#endif
