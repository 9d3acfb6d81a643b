/* SPDX-License-Identifier: MIT */
/* arc_constraints.c - see arc_constraints.h. */
#include "structure/arc_constraints.h"

#include "base/error.h"
#include "base/memory.h"

crd_status crd_i_arc_constraints_create(crd_context *context, size_t count, crd_i_arc_constraints **out,
                                        crd_error *error) {
    *out = NULL;
    crd_i_arc_constraints *own = crd_i_alloc_zeroed(context, 1, sizeof *own);
    if (own == NULL) return crd_i_fail_memory(error);
    own->context = context;
    own->required = crd_i_graph_create(context, count);
    own->forbidden = crd_i_graph_create(context, count);
    own->most_parents = SIZE_MAX;
    if (own->required == NULL || own->forbidden == NULL) {
        crd_i_arc_constraints_destroy(own);
        return crd_i_fail_memory(error);
    }
    *out = own;
    return CRD_OK;
}

crd_status crd_i_arc_constraints_clone(const crd_i_arc_constraints *constraints, crd_i_arc_constraints **out,
                                       crd_error *error) {
    crd_status status = crd_i_arc_constraints_create(constraints->context, constraints->required->count, out, error);
    if (status != CRD_OK) return status;
    crd_i_graph_assign((*out)->required, constraints->required);
    crd_i_graph_assign((*out)->forbidden, constraints->forbidden);
    (*out)->most_parents = constraints->most_parents;
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
    for (size_t from = 0; from < count; from++)
        for (size_t to = 0; to < count; to++)
            if (tiers[from] != CRD_I_NO_TIER && tiers[to] != CRD_I_NO_TIER && tiers[from] > tiers[to])
                crd_i_graph_add(constraints->forbidden, from, to);
}

static crd_status check_arc(const crd_i_arc_constraints *own, size_t from, size_t to, const crd_text *names,
                            crd_error *error) {
    char room[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    if (from == to)
        return crd_i_fail(error, CRD_ERROR_SETTING, "the required arc %s->%s leads from a node to itself",
                          crd_i_quote(names[from], room), crd_i_quote(names[to], other));
    if (crd_i_graph_has(own->forbidden, from, to))
        return crd_i_fail(error, CRD_ERROR_SETTING, "the arc %s->%s is both required and forbidden",
                          crd_i_quote(names[from], room), crd_i_quote(names[to], other));
    return CRD_OK;
}

/* Names a required arc on a directed cycle, of which there is one. */
static crd_status fail_cycle(const crd_i_graph *required, const crd_text *names, uint64_t *scratch, crd_error *error) {
    char room[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    for (size_t from = 0; from < required->count; from++) {
        const uint64_t *row = crd_i_graph_children(required, from);
        for (size_t to = crd_i_bit_next(row, required->words, 0); to < required->count;
             to = crd_i_bit_next(row, required->words, to + 1))
            if (crd_i_graph_has(required, to, from) || crd_i_graph_has_path(required, to, from, scratch))
                return crd_i_fail(error, CRD_ERROR_CYCLE, "the required arcs make a directed cycle through %s->%s",
                                  crd_i_quote(names[from], room), crd_i_quote(names[to], other));
    }
    return crd_i_fail(error, CRD_ERROR_CYCLE, "the required arcs make a directed cycle");
}

crd_status crd_i_arc_constraints_check(const crd_i_arc_constraints *constraints, const crd_text *names,
                                       crd_error *error) {
    const crd_i_graph *required = constraints->required;
    crd_status status = CRD_OK;
    uint64_t *scratch = crd_i_alloc(constraints->context, 2 * required->words, sizeof *scratch);
    if (scratch == NULL) return crd_i_fail_memory(error);
    for (size_t to = 0; status == CRD_OK && to < required->count; to++) {
        const uint64_t *row = crd_i_graph_parents(required, to);
        for (size_t from = crd_i_bit_next(row, required->words, 0); status == CRD_OK && from < required->count;
             from = crd_i_bit_next(row, required->words, from + 1))
            status = check_arc(constraints, from, to, names, error);
        size_t parents = crd_i_graph_parent_count(required, to);
        char room[CRD_I_QUOTED_ROOM];
        if (status == CRD_OK && parents > constraints->most_parents)
            status = crd_i_fail(error, CRD_ERROR_SETTING, "%zu parents are required of %s, which may have at most %zu",
                                parents, crd_i_quote(names[to], room), constraints->most_parents);
    }
    if (status == CRD_OK && !crd_i_graph_order(required, NULL, scratch))
        status = fail_cycle(required, names, scratch, error);
    crd_free(constraints->context, scratch);
    return status;
}

crd_status crd_i_arc_constraints_check_kinds(const crd_i_arc_constraints *constraints, const crd_i_case_table *table,
                                             crd_error *error) {
    char room[CRD_I_QUOTED_ROOM], other[CRD_I_QUOTED_ROOM];
    for (size_t to = 0; to < table->column_count; to++)
        for (size_t from = 0; from < table->column_count; from++)
            if (crd_i_arc_is_required(constraints, from, to) && crd_i_arc_is_allowed(constraints, from, to) &&
                !crd_i_arc_is_possible(table, constraints, from, to)) {
                crd_i_fail(error, CRD_ERROR_KIND,
                           "the required arc %s->%s leads from a number to a category, which has no numbers among "
                           "its parents",
                           crd_i_quote(table->columns[from].name, room), crd_i_quote(table->columns[to].name, other));
                crd_i_error_hint(error, "discretize=%s=quantile:4 cuts the number into ranges",
                                 crd_i_quote_item(table->columns[from].name, room));
                return CRD_ERROR_KIND;
            }
    return CRD_OK;
}
