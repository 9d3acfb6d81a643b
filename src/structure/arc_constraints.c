/* SPDX-License-Identifier: MIT */
/* arc_constraints.c - see structure_search.h. */
#include "structure/structure_search.h"

#include "base/error.h"
#include "base/memory.h"

crd_status crd_i_arc_constraints_create(crd_context *context, size_t count, crd_i_arc_constraints **out,
                                        crd_error *error) {
    *out = NULL;
    crd_i_arc_constraints *constraints = crd_i_alloc_zeroed(context, 1, sizeof *constraints);
    if (constraints == NULL) return crd_i_fail_memory(error);
    constraints->context = context;
    constraints->required = crd_i_graph_create(context, count);
    constraints->forbidden = crd_i_graph_create(context, count);
    constraints->max_parents = SIZE_MAX;
    if (constraints->required == NULL || constraints->forbidden == NULL) {
        crd_i_arc_constraints_destroy(constraints);
        return crd_i_fail_memory(error);
    }
    *out = constraints;
    return CRD_OK;
}

crd_status crd_i_arc_constraints_clone(const crd_i_arc_constraints *constraints, crd_i_arc_constraints **out,
                                       crd_error *error) {
    crd_status status = crd_i_arc_constraints_create(constraints->context, constraints->required->count, out, error);
    if (status != CRD_OK) return status;
    crd_i_graph_assign((*out)->required, constraints->required);
    crd_i_graph_assign((*out)->forbidden, constraints->forbidden);
    (*out)->max_parents = constraints->max_parents;
    return CRD_OK;
}

void crd_i_arc_constraints_destroy(crd_i_arc_constraints *constraints) {
    if (constraints == NULL) return;
    crd_i_graph_destroy(constraints->required);
    crd_i_graph_destroy(constraints->forbidden);
    crd_free(constraints->context, constraints);
}

void crd_i_arc_constraints_set_tiers(crd_i_arc_constraints *constraints, const uint32_t *tiers) {
    size_t count = constraints->forbidden->count;
    for (size_t source = 0; source < count; source++)
        for (size_t target = 0; target < count; target++)
            if (tiers[source] != CRD_I_NO_TIER && tiers[target] != CRD_I_NO_TIER && tiers[source] > tiers[target])
                crd_i_graph_add(constraints->forbidden, source, target);
}

static crd_status check_arc(const crd_i_arc_constraints *constraints, size_t source, size_t target,
                            const crd_text *names, crd_error *error) {
    char buffer[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    if (source == target)
        return crd_i_fail(error, CRD_ERROR_SETTING, "the required arc %s->%s leads from a node to itself",
                          crd_i_quote(names[source], buffer), crd_i_quote(names[target], other));
    if (crd_i_graph_has(constraints->forbidden, source, target))
        return crd_i_fail(error, CRD_ERROR_SETTING, "the arc %s->%s is both required and forbidden",
                          crd_i_quote(names[source], buffer), crd_i_quote(names[target], other));
    return CRD_OK;
}

/* Fails with CRD_ERROR_CYCLE and names one required arc on a directed cycle. The caller has found that there is a
 * cycle. */
static crd_status arc_constraints_fail_cycle(const crd_i_graph *required, const crd_text *names, uint64_t *scratch,
                                             crd_error *error) {
    char buffer[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    for (size_t source = 0; source < required->count; source++) {
        const uint64_t *row = crd_i_graph_children(required, source);
        for (size_t target = crd_i_bit_next(row, required->words, 0); target < required->count;
             target = crd_i_bit_next(row, required->words, target + 1))
            if (crd_i_graph_has(required, target, source) || crd_i_graph_has_path(required, target, source, scratch))
                return crd_i_fail(error, CRD_ERROR_CYCLE, "the required arcs form a directed cycle through %s->%s",
                                  crd_i_quote(names[source], buffer), crd_i_quote(names[target], other));
    }
    return crd_i_fail(error, CRD_ERROR_CYCLE, "the required arcs form a directed cycle");
}

crd_status crd_i_arc_constraints_check(const crd_i_arc_constraints *constraints, const crd_text *names,
                                       crd_error *error) {
    const crd_i_graph *required = constraints->required;
    crd_status status = CRD_OK;
    uint64_t *scratch = crd_i_alloc(constraints->context, 2 * required->words, sizeof *scratch);
    if (scratch == NULL) return crd_i_fail_memory(error);
    for (size_t target = 0; status == CRD_OK && target < required->count; target++) {
        const uint64_t *row = crd_i_graph_parents(required, target);
        for (size_t source = crd_i_bit_next(row, required->words, 0); status == CRD_OK && source < required->count;
             source = crd_i_bit_next(row, required->words, source + 1))
            status = check_arc(constraints, source, target, names, error);
        size_t parents = crd_i_graph_parent_count(required, target);
        char buffer[CRD_I_QUOTED_ROOM];
        if (status == CRD_OK && parents > constraints->max_parents)
            status = crd_i_fail(error, CRD_ERROR_SETTING, "%zu parents are required for %s, but the maximum is %zu",
                                parents, crd_i_quote(names[target], buffer), constraints->max_parents);
    }
    if (status == CRD_OK && !crd_i_graph_order(required, NULL, scratch))
        status = arc_constraints_fail_cycle(required, names, scratch, error);
    crd_free(constraints->context, scratch);
    return status;
}

crd_status crd_i_arc_constraints_check_types(const crd_i_arc_constraints *constraints, const crd_i_case_table *table,
                                             crd_error *error) {
    char buffer[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    for (size_t target = 0; target < table->column_count; target++)
        for (size_t source = 0; source < table->column_count; source++)
            if (crd_i_arc_is_required(constraints, source, target) &&
                crd_i_arc_is_allowed(constraints, source, target) &&
                !crd_i_arc_is_possible(table, constraints, source, target)) {
                crd_i_fail(error, CRD_ERROR_TYPE,
                           "the required arc %s->%s leads from a number to a category, but a category cannot have "
                           "numeric parents",
                           crd_i_quote(table->columns[source].name, buffer),
                           crd_i_quote(table->columns[target].name, other));
                crd_i_error_hint(error, "cut the number into ranges with discretize=%s=quantile:4",
                                 crd_i_quote_item(table->columns[source].name, buffer));
                return CRD_ERROR_TYPE;
            }
    return CRD_OK;
}
