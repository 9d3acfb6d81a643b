/* SPDX-License-Identifier: MIT */
/* learned_gaussian.c - see learned_gaussian.h. */
#include "network_model/learned_gaussian.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "network_model/gaussian_regression.h"
#include "stats/group_moments.h"
#include "stats/moments.h"

/* The family of a node, the node last. */
typedef struct family {
    const crd_i_learned_node *of;
    crd_context *context;
    size_t count;
    uint32_t *members; /* nodes: the parents in their order, then the node */
    size_t *strides;   /* of each with states: how many rows of the table apart they are; else 0 */
    size_t *places;    /* of each attribute: its column of the joint tally */
    size_t *order;     /* the continuous parents 0 ... k - 1, by name */
    size_t *from;      /* of each of these and the node: where it is among the numbers of a group */
    crd_i_group_sums sums;
} family;

static const crd_i_node *node_of(const family *own, size_t member) {
    return &own->of->network->nodes[own->members[member]];
}

static bool is_target(const family *own, size_t member) {
    return own->members[member] == own->of->families->target;
}

static size_t column_of(const family *own, size_t member) {
    return own->of->families->columns[own->members[member]];
}

static void close_family(family *own) {
    crd_free(own->context, own->members);
    crd_free(own->context, own->strides);
    crd_free(own->context, own->places);
    crd_free(own->context, own->order);
    crd_free(own->context, own->from);
    crd_i_group_sums_clear(&own->sums);
}

/* By insertion: parents are few, and nearly in order. */
static void order_by_name(family *own) {
    const crd_text *names[CRD_I_MOST_PARENTS];
    size_t continuous = 0;
    for (size_t i = 0; i + 1 < own->count; i++) {
        if (crd_i_node_is_discrete(node_of(own, i))) continue;
        size_t at = continuous;
        names[continuous] = &node_of(own, i)->name;
        for (; at > 0 && crd_i_text_compare(*names[own->order[at - 1]], *names[continuous]) > 0; at--)
            own->order[at] = own->order[at - 1];
        own->order[at] = continuous++;
    }
}

static bool open_family(family *own) {
    const crd_i_families *families = own->of->families;
    const size_t node = own->of->node, first = crd_i_families_first(families, node);
    const size_t parents = families->ends[node] - first;
    size_t stride = 1, continuous = 0;
    own->count = parents + 1;
    own->members = crd_i_alloc(own->context, own->count, sizeof *own->members);
    own->strides = crd_i_alloc_zeroed(own->context, own->count, sizeof *own->strides);
    own->places = crd_i_alloc_zeroed(own->context, own->count, sizeof *own->places);
    own->order = crd_i_alloc(own->context, own->count, sizeof *own->order);
    own->from = crd_i_alloc(own->context, own->count, sizeof *own->from);
    if (own->members == NULL || own->strides == NULL || own->places == NULL || own->order == NULL || own->from == NULL)
        return false;
    for (size_t i = 0; i < parents; i++) own->members[i] = families->parents[first + i];
    own->members[parents] = (uint32_t)node;
    for (size_t i = parents; i-- > 0;) {
        const crd_i_node *parent = node_of(own, i);
        if (!crd_i_node_is_discrete(parent)) {
            continuous++;
            continue;
        }
        own->strides[i] = stride;
        stride *= crd_i_node_states(parent);
    }
    order_by_name(own);
    return crd_i_group_sums_init(&own->sums, own->context, stride, continuous);
}

/* ---- A node whose parents are the class, or none ---- */

/* Those of the column into the rows of the classes, `stride` apart: 0 for all classes together. */
static bool add_moments(const family *own, size_t stride, crd_i_group_sums *sums) {
    const crd_i_learned_node *of = own->of;
    const crd_i_tally *tally = of->model->variables[column_of(own, own->count - 1)].tally;
    const crd_i_view *classes = &of->order->views[of->model->schema->target];
    bool done = true;
    for (size_t k = 0; done && k < classes->value_count; k++) {
        const size_t condition = (size_t)classes->values[k];
        if (condition >= tally->conditions) continue;
        const crd_i_moment_cell cell = crd_i_moments_cell(tally, condition);
        if (crd_i_sums_sign(cell.n, condition) == 0) continue;
        crd_i_products *into = crd_i_group_sums_of(sums, k * stride);
        done = into != NULL && crd_i_sums_combine(crd_i_products_array(into, 0), 0, cell.n, condition, 1) &&
               crd_i_sums_combine(crd_i_products_array(into, 1), 0, cell.s, condition, 1) &&
               crd_i_sums_combine(crd_i_products_array(into, 2), 0, cell.q, condition, 1);
    }
    return done;
}

/* ---- Others ---- */

/* The places of all attributes in a joint tally; false: one is not there. */
static bool find_places(family *own, const crd_i_model_joint_tally *kept) {
    for (size_t i = 0; i < own->count; i++) {
        if (is_target(own, i)) continue;
        size_t at = 0;
        while (at < kept->joint_tally->column_count && kept->columns[at] != column_of(own, i)) at++;
        if (at == kept->joint_tally->column_count) return false;
        own->places[i] = at;
    }
    return true;
}

/* That of fewest columns which has the family. */
static const crd_i_model_joint_tally *find_groups(family *own) {
    const crd_model *model = own->of->model;
    const crd_i_model_joint_tally *best = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        if (kept->joint_tally->type != &crd_i_group_moments || !find_places(own, kept)) continue;
        if (best == NULL || kept->joint_tally->column_count < best->joint_tally->column_count) best = kept;
    }
    return best != NULL && find_places(own, best) ? best : NULL;
}

static crd_status fail_not_kept(const family *own, crd_error *error) {
    size_t listed = 0;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the structure needs sums that the model has not kept: those of products of the numbers among ");
    for (size_t i = 0; i < own->count; i++)
        if (!is_target(own, i)) crd_i_error_item(error, listed++, node_of(own, i)->name);
    crd_i_error_hint(error, "train it with this structure, or with tally=groups");
    crd_i_error_subject(error, crd_text_of("structure"));
    return CRD_ERROR_SETTING;
}

/* The row of the table that a group counts for, and where the family's numbers are in it; SIZE_MAX: a cell of the family is
 * missing. */
static size_t find_row(family *own, const int32_t *codes, const crd_i_joint_tally *tally, int32_t condition) {
    size_t row = 0, continuous = 0;
    for (size_t i = 0; i < own->count; i++) {
        if (is_target(own, i)) {
            row += own->strides[i] * (size_t)condition;
            continue;
        }
        const int32_t code = codes[own->places[i]];
        if (code < 0) return SIZE_MAX;
        row += own->strides[i] * (size_t)code;
        if (crd_i_node_is_discrete(node_of(own, i))) continue;
        size_t before = 0;
        for (size_t column = 0; column < own->places[i]; column++)
            before += tally->kinds[column] == CRD_KIND_NUMBER && codes[column] >= 0;
        own->from[continuous++] = before;
    }
    return row;
}

static crd_status add_groups(family *own, const crd_i_model_joint_tally *kept, crd_error *error) {
    crd_i_joint_source source;
    crd_i_moment_groups groups = {0};
    const crd_i_joint_tally *tally = kept->joint_tally;
    char quoted[CRD_I_QUOTED_ROOM];
    if (tally->is_given_up)
        return crd_i_fail(
            error, CRD_ERROR_LIMIT,
            "there are more than %zu different combinations of the categories in the family of '%s': give "
            "it fewer parents",
            crd_i_moment_groups_most(tally->column_count), crd_i_quote(node_of(own, own->count - 1)->name, quoted));
    crd_status status = crd_i_joint_tallies_open(own->of->model, kept, own->of->order, &source, error);
    if (status != CRD_OK) return status;
    if (!crd_i_moment_groups_init(&groups, own->context, tally, &source.view)) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < groups.count; i++) {
        const size_t row = find_row(own, groups.codes + i * groups.column_count, tally, groups.conditions[i]);
        if (row == SIZE_MAX) continue;
        crd_i_products *into = crd_i_group_sums_of(&own->sums, row);
        if (into == NULL || !crd_i_products_embed(into, groups.products[i], own->from, 1))
            status = crd_i_fail_memory(error);
    }
    crd_i_moment_groups_clear(&groups);
    crd_i_joint_tallies_close(&source);
    return status;
}

crd_status crd_i_learned_gaussian(const crd_i_learned_node *of, double *table, crd_error *error) {
    family own = {.of = of, .context = of->model->context};
    crd_i_group_sums column = {0};
    size_t attributes = 0;
    crd_status status = open_family(&own) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < own.count; i++) attributes += !is_target(&own, i);
    if (status == CRD_OK && attributes == 1) {
        if (!add_moments(&own, own.count > 1 ? own.strides[0] : 0, &own.sums)) status = crd_i_fail_memory(error);
    } else if (status == CRD_OK) {
        const crd_i_model_joint_tally *kept = find_groups(&own);
        status = kept == NULL ? fail_not_kept(&own, error) : add_groups(&own, kept, error);
    }
    if (status == CRD_OK && !(crd_i_group_sums_init(&column, own.context, 1, 0) &&
                              crd_i_group_sums_of(&column, 0) != NULL && add_moments(&own, 0, &column)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_gaussian_rows(&own.sums, &column, own.order, of->settings, table, error);
    crd_i_group_sums_clear(&column);
    close_family(&own);
    return status;
}
