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

/* The family of a node: its parents, then the node. */
typedef struct gaussian_family {
    const crd_i_learned_node *node;
    crd_context *context;
    size_t count;
    uint32_t *members; /* nodes: the parents in their order, then the node */
    size_t *strides;   /* for each discrete member: its stride in rows of the table; otherwise 0 */
    size_t *places;    /* for each attribute: its column in the joint tally */
    size_t *order;     /* the continuous parents 0 ... k - 1, by name */
    size_t *source;    /* for each continuous parent and the node: its index among the numbers of a group */
    crd_i_group_sums sums;
} gaussian_family;

static const crd_i_node *learned_gaussian_node(const gaussian_family *family, size_t member) {
    return &family->node->network->nodes[family->members[member]];
}

static bool learned_gaussian_is_target(const gaussian_family *family, size_t member) {
    return family->members[member] == family->node->families->target;
}

static size_t learned_gaussian_column(const gaussian_family *family, size_t member) {
    return family->node->families->columns[family->members[member]];
}

static void close_family(gaussian_family *family) {
    crd_free(family->context, family->members);
    crd_free(family->context, family->strides);
    crd_free(family->context, family->places);
    crd_free(family->context, family->order);
    crd_free(family->context, family->source);
    crd_i_group_sums_clear(&family->sums);
}

/* Orders the continuous parents by name with insertion sort, because there are few and they are nearly sorted. */
static void order_by_name(gaussian_family *family) {
    const crd_text *names[CRD_I_MOST_PARENTS];
    size_t continuous = 0;
    for (size_t i = 0; i + 1 < family->count; i++) {
        if (crd_i_node_is_discrete(learned_gaussian_node(family, i))) continue;
        size_t index = continuous;
        names[continuous] = &learned_gaussian_node(family, i)->name;
        for (; index > 0 && crd_i_text_compare(*names[family->order[index - 1]], *names[continuous]) > 0; index--)
            family->order[index] = family->order[index - 1];
        family->order[index] = continuous++;
    }
}

/* Lists the members of the family and computes their strides. Returns false if memory runs out. */
static bool open_family(gaussian_family *family) {
    const crd_i_families *families = family->node->families;
    const size_t node = family->node->node, first = crd_i_families_first(families, node);
    const size_t parents = families->ends[node] - first;
    size_t stride = 1, continuous = 0;
    family->count = parents + 1;
    family->members = crd_i_alloc(family->context, family->count, sizeof *family->members);
    family->strides = crd_i_alloc_zeroed(family->context, family->count, sizeof *family->strides);
    family->places = crd_i_alloc_zeroed(family->context, family->count, sizeof *family->places);
    family->order = crd_i_alloc(family->context, family->count, sizeof *family->order);
    family->source = crd_i_alloc(family->context, family->count, sizeof *family->source);
    if (family->members == NULL || family->strides == NULL || family->places == NULL || family->order == NULL ||
        family->source == NULL)
        return false;
    for (size_t i = 0; i < parents; i++) family->members[i] = families->parents[first + i];
    family->members[parents] = (uint32_t)node;
    for (size_t i = parents; i-- > 0;) {
        const crd_i_node *parent = learned_gaussian_node(family, i);
        if (!crd_i_node_is_discrete(parent)) {
            continuous++;
            continue;
        }
        family->strides[i] = stride;
        stride *= crd_i_node_states(parent);
    }
    order_by_name(family);
    return crd_i_group_sums_init(&family->sums, family->context, stride, continuous);
}

/* ---- Node without parents, or with the class as its only parent ---- */

/* Adds the moments of the node's column in each class to the class's row of the table. The rows are `stride` apart; 0
 * adds all classes together. Returns false if memory runs out. */
static bool learned_gaussian_add_moments(const gaussian_family *family, size_t stride, crd_i_group_sums *sums) {
    const crd_i_learned_node *node = family->node;
    const crd_i_tally *tally = node->model->variables[learned_gaussian_column(family, family->count - 1)].tally;
    const crd_i_view *classes = &node->view->views[node->model->schema->target];
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

/* ---- Node with other parents ---- */

/* Finds the columns of all attributes in a joint tally. Returns false if one is missing. */
static bool learned_gaussian_find_places(gaussian_family *family, const crd_i_model_joint_tally *kept) {
    for (size_t i = 0; i < family->count; i++) {
        if (learned_gaussian_is_target(family, i)) continue;
        size_t index = 0;
        while (index < kept->joint_tally->column_count && kept->columns[index] != learned_gaussian_column(family, i))
            index++;
        if (index == kept->joint_tally->column_count) return false;
        family->places[i] = index;
    }
    return true;
}

/* Returns the tally of grouped moments with the fewest columns that contains the family; NULL if there is none. */
static const crd_i_model_joint_tally *find_groups(gaussian_family *family) {
    const crd_model *model = family->node->model;
    const crd_i_model_joint_tally *best = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        if (kept->joint_tally->type != &crd_i_group_moments || !learned_gaussian_find_places(family, kept)) continue;
        if (best == NULL || kept->joint_tally->column_count < best->joint_tally->column_count) best = kept;
    }
    return best != NULL && learned_gaussian_find_places(family, best) ? best : NULL;
}

static crd_status learned_gaussian_fail_not_kept(const gaussian_family *family, crd_error *error) {
    size_t listed = 0;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the structure needs sums of products that the model did not store, for the numbers ");
    for (size_t i = 0; i < family->count; i++)
        if (!learned_gaussian_is_target(family, i))
            crd_i_error_item(error, listed++, learned_gaussian_node(family, i)->name);
    crd_i_error_hint(error, "train it with this structure, or with tally=groups");
    crd_i_error_subject(error, crd_text_of("structure"));
    return CRD_ERROR_SETTING;
}

/* Returns the row of the table that a group belongs to, and finds the family's numbers in it. Returns SIZE_MAX if a
 * value of the family is missing. */
static size_t learned_gaussian_find_row(gaussian_family *family, const int32_t *codes, const crd_i_joint_tally *tally,
                                        int32_t condition) {
    size_t row = 0, continuous = 0;
    for (size_t i = 0; i < family->count; i++) {
        if (learned_gaussian_is_target(family, i)) {
            row += family->strides[i] * (size_t)condition;
            continue;
        }
        const int32_t code = codes[family->places[i]];
        if (code < 0) return SIZE_MAX;
        row += family->strides[i] * (size_t)code;
        if (crd_i_node_is_discrete(learned_gaussian_node(family, i))) continue;
        size_t before = 0;
        for (size_t column = 0; column < family->places[i]; column++)
            before += tally->kinds[column] == CRD_KIND_NUMBER && codes[column] >= 0;
        family->source[continuous++] = before;
    }
    return row;
}

/* Adds all groups of a tally to the rows of the table. Returns CRD_ERROR_LIMIT if the tally grew too large and was
 * dropped. */
static crd_status add_groups(gaussian_family *family, const crd_i_model_joint_tally *kept, crd_error *error) {
    crd_i_joint_source source;
    crd_i_moment_groups groups = {0};
    const crd_i_joint_tally *tally = kept->joint_tally;
    char quoted[CRD_I_QUOTED_ROOM];
    if (tally->is_given_up)
        return crd_i_fail(
            error, CRD_ERROR_LIMIT,
            "there are more than %zu different combinations of the categorical parents of '%s': give it fewer parents",
            crd_i_moment_groups_most(tally->column_count),
            crd_i_quote(learned_gaussian_node(family, family->count - 1)->name, quoted));
    crd_status status = crd_i_joint_tallies_open(family->node->model, kept, family->node->view, &source, error);
    if (status != CRD_OK) return status;
    if (!crd_i_moment_groups_init(&groups, family->context, tally, &source.view)) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < groups.count; i++) {
        const size_t row =
            learned_gaussian_find_row(family, groups.codes + i * groups.column_count, tally, groups.conditions[i]);
        if (row == SIZE_MAX) continue;
        crd_i_products *into = crd_i_group_sums_of(&family->sums, row);
        if (into == NULL || !crd_i_products_embed(into, groups.products[i], family->source, 1))
            status = crd_i_fail_memory(error);
    }
    crd_i_moment_groups_clear(&groups);
    crd_i_joint_tallies_close(&source);
    return status;
}

/* Uses the moments of the column if possible, because every model stores them; otherwise uses grouped moments. */
crd_status crd_i_learned_gaussian(const crd_i_learned_node *node, double *table, crd_error *error) {
    gaussian_family family = {.node = node, .context = node->model->context};
    crd_i_group_sums column = {0};
    size_t attributes = 0;
    crd_status status = open_family(&family) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < family.count; i++) attributes += !learned_gaussian_is_target(&family, i);
    if (status == CRD_OK && attributes == 1) {
        if (!learned_gaussian_add_moments(&family, family.count > 1 ? family.strides[0] : 0, &family.sums))
            status = crd_i_fail_memory(error);
    } else if (status == CRD_OK) {
        const crd_i_model_joint_tally *kept = find_groups(&family);
        status = kept == NULL ? learned_gaussian_fail_not_kept(&family, error) : add_groups(&family, kept, error);
    }
    if (status == CRD_OK &&
        !(crd_i_group_sums_init(&column, family.context, 1, 0) && crd_i_group_sums_of(&column, 0) != NULL &&
          learned_gaussian_add_moments(&family, 0, &column)))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK)
        status = crd_i_gaussian_rows(&family.sums, &column, family.order, node->settings, table, error);
    crd_i_group_sums_clear(&column);
    close_family(&family);
    return status;
}
