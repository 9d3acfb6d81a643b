/* SPDX-License-Identifier: MIT */
/* learned_tables.c - the tables of a network from what a model has counted, when a question is asked.
 *
 * A row of data counts for the table of a node where the node and all of its parents are present. With n_v such rows in
 * which the node has state v and its parents have the states that a row of the table is for, n of all states, t states,
 * r rows of the table, and p the share of state v in its whole column:
 *   none          n_v / n
 *   m:M           (n_v + M / t) / (n + M)
 *   m:M:marginal  (n_v + M p) / (n + M)
 *   laplace:L     (n_v + L) / (n + L t)
 *   bdeu:S        (n_v + S / (r t)) / (n + S / r)
 * Where nothing was counted and nothing is assumed, a row is even; in a model that is naive Bayes it is p, as it is
 * there (see density/univariate/categorical.c). Where no structure is stated, the target has the prior of the settings, so that
 * the network of a naive Bayes model gives the posteriors of the model; under a structure it is a node like others, unless it has
 * no parents and a prior other than its frequency is stated. Numbers are Gaussian nodes: see gaussian_regression.h. */
#include "network_model/learned_tables.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/class_prior.h"
#include "model/joint_tallies.h"
#include "model/structure_binding.h"
#include "network_model/learned_gaussian.h"
#include "stats/counts_rows.h"
#include "stats/joint_counts.h"

#include <stdio.h>
#include <string.h>

/* More cells than that, in one table or in all together, would not be tables that anybody can fill or ask. */
static const double MOST_CELLS = 1 << 27;

typedef struct counting {
    crd_context *context;
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *order;
    bool is_naive; /* the method is naive Bayes */
    crd_i_families families;
    crd_network *network;
    /* What was looked at last: several families may be counted from the same. */
    const crd_i_model_joint_tally *kept;
    crd_i_combinations met;
} counting;

static const crd_i_view *view_of(const counting *own, size_t node) {
    return &own->order->views[own->families.columns[node]];
}

static const crd_i_view *classes_of(const counting *own) {
    return &own->order->views[own->model->schema->target];
}

static crd_text name_of(const counting *own, size_t column) {
    return own->model->schema->columns[column].name;
}

/* ---- Nodes ---- */

/* States of a hidden node are numbered. */
static crd_status add_hidden(counting *own, size_t node, crd_error *error) {
    size_t count = own->families.hidden[node], added;
    crd_text *states = crd_i_alloc(own->context, count, sizeof *states);
    char(*names)[24] = crd_i_alloc(own->context, count, sizeof *names);
    crd_status status = states == NULL || names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i + 1);
        states[i] = crd_text_of(names[i]);
    }
    if (status == CRD_OK)
        status = crd_i_network_add(own->network, own->families.names[node], states, count, &added, error);
    crd_free(own->context, states);
    crd_free(own->context, names);
    return status;
}

static crd_status add_node(counting *own, size_t node, crd_error *error) {
    if (own->families.columns[node] == SIZE_MAX) return add_hidden(own, node, error);
    const crd_i_view *view = view_of(own, node);
    size_t column = own->families.columns[node], added;
    if (own->families.are_numbers[node])
        return crd_i_network_add_gaussian(own->network, name_of(own, column), &added, error);
    const crd_i_dictionary *values = own->model->variables[column].values;
    crd_text *states = crd_i_alloc(own->context, view->value_count, sizeof *states);
    if (states == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < view->value_count; i++) states[i] = crd_i_dictionary_text(values, (size_t)view->values[i]);
    crd_status status = crd_i_network_add(own->network, name_of(own, column), states, view->value_count, &added, error);
    crd_free(own->context, states);
    return status;
}

static crd_status add_nodes(counting *own, crd_error *error) {
    const crd_i_families *families = &own->families;
    char quoted[CRD_I_QUOTED_ROOM];
    double all_cells = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < families->count; i++) status = add_node(own, i, error);
    for (size_t i = 0; status == CRD_OK && i < families->count; i++) {
        size_t first = crd_i_families_first(families, i);
        double cells = 1, numbers = 2;
        for (size_t at = first; at < families->ends[i]; at++) {
            const uint32_t parent = families->parents[at];
            if (families->are_numbers[parent]) numbers++;
            else cells *= (double)crd_i_node_states(&own->network->nodes[parent]);
        }
        cells *= families->are_numbers[i] ? numbers : (double)crd_i_node_states(&own->network->nodes[i]);
        if (cells > MOST_CELLS)
            return crd_i_fail(error, CRD_ERROR_LIMIT,
                              "the table of '%s' would have %.4g cells, as it has %zu parents: give it fewer",
                              crd_i_quote(own->network->nodes[i].name, quoted), cells, families->ends[i] - first);
        all_cells += cells;
        if (all_cells > MOST_CELLS)
            return crd_i_fail(error, CRD_ERROR_LIMIT,
                              "the CPTs of the network would have more than %.0f cells in all, from that of '%s' on: "
                              "leave columns with many values out",
                              MOST_CELLS, crd_i_quote(own->network->nodes[i].name, quoted));
        status =
            crd_i_network_set_parents(own->network, i, families->parents + first, families->ends[i] - first, error);
    }
    return status;
}

/* ---- Counts ---- */

/* A family's place in its node's table: by how much a state of each member moves on. The node is the last member. */
typedef struct member {
    size_t node, stride;
} member;

static size_t list_members(const counting *own, size_t node, member *to) {
    const crd_i_families *families = &own->families;
    size_t count = 0, stride = view_of(own, node)->value_count;
    for (size_t at = crd_i_families_first(families, node); at < families->ends[node]; at++)
        to[count++].node = families->parents[at];
    for (size_t i = count; i-- > 0;) {
        to[i].stride = stride;
        stride *= view_of(own, to[i].node)->value_count;
    }
    const member self = {node, 1};
    to[count++] = self;
    return count;
}

/* The joint tally of fewest columns that has all of these, of which the last `count` are attributes; NULL: there is
 * none. */
static const crd_i_model_joint_tally *find_joint_tally(const counting *own, const member *members, size_t count) {
    const crd_model *model = own->model;
    const crd_i_model_joint_tally *best = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        size_t width = kept->joint_tally->column_count, found = 0;
        if (kept->joint_tally->type != &crd_i_joint_counts || width < count) continue;
        if (best != NULL && width >= best->joint_tally->column_count) continue;
        while (found < count) {
            size_t column = own->families.columns[members[found].node], at = 0;
            while (at < width && kept->columns[at] != column) at++;
            if (at == width) break;
            found++;
        }
        if (found == count) best = kept;
    }
    return best;
}

static crd_status fail_not_kept(const counting *own, const member *members, size_t count, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the structure needs counts that the model has not kept: the joint counts of ");
    for (size_t i = 0; i < count; i++) crd_i_error_item(error, i, own->network->nodes[members[i].node].name);
    crd_i_error_hint(error, "train it with this structure, or with tally=cells");
    crd_i_error_subject(error, crd_text_of("structure"));
    return CRD_ERROR_SETTING;
}

static crd_status open_joint_tally(counting *own, const crd_i_model_joint_tally *kept, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (kept == own->kept) return CRD_OK;
    if (kept->joint_tally->is_given_up) {
        crd_i_fail(
            error, CRD_ERROR_LIMIT,
            "there are more than %zu different combinations of '%s' and the others of its family: give nodes fewer "
            "parents",
            crd_i_cells_most(kept->joint_tally->column_count), crd_i_quote(name_of(own, kept->columns[0]), quoted));
        return CRD_ERROR_LIMIT;
    }
    crd_i_combinations_clear(&own->met);
    own->kept = NULL;
    crd_i_joint_source joint_source;
    crd_status status = crd_i_joint_tallies_open(own->model, kept, own->order, &joint_source, error);
    if (status != CRD_OK) return status;
    bool done = crd_i_combinations_init(&own->met, own->context, kept->joint_tally, &joint_source.view);
    crd_i_joint_tallies_close(&joint_source);
    if (done) own->kept = kept;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* What was met in rows that have all of these attributes. */
static void add_combinations(const counting *own, const member *members, const size_t *places, size_t count,
                             size_t class_stride, double *counts) {
    const crd_i_combinations *met = &own->met;
    for (size_t i = 0; i < met->count; i++) {
        const int32_t *codes = met->codes + i * met->column_count;
        size_t at = 0, found = 0;
        for (; found < count && codes[places[found]] >= 0; found++)
            at += (size_t)codes[places[found]] * members[found].stride;
        if (found < count) continue;
        for (size_t entry = met->begins[i]; entry < met->begins[i + 1]; entry++)
            counts[at + (size_t)met->conditions[entry] * class_stride] += met->counts[entry];
    }
}

/* Two attributes or more. */
static crd_status count_together(counting *own, const member *members, size_t count, size_t class_stride,
                                 double *counts, crd_error *error) {
    const crd_i_model_joint_tally *kept = find_joint_tally(own, members, count);
    if (kept == NULL) return fail_not_kept(own, members, count, error);
    crd_status status = open_joint_tally(own, kept, error);
    size_t *places = crd_i_alloc(own->context, count, sizeof *places);
    if (status == CRD_OK && places == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        size_t column = own->families.columns[members[i].node];
        for (places[i] = 0; kept->columns[places[i]] != column;) places[i]++;
    }
    if (status == CRD_OK) add_combinations(own, members, places, count, class_stride, counts);
    crd_free(own->context, places);
    return status;
}

/* Attributes are `count` members; class_stride is 0 where the class is none of them. */
static crd_status count_members(counting *own, const member *members, size_t count, size_t class_stride, double *counts,
                                crd_error *error) {
    const crd_i_view *classes = classes_of(own);
    if (count >= 2) return count_together(own, members, count, class_stride, counts, error);
    for (size_t k = 0; count == 0 && k < classes->value_count; k++)
        counts[k * class_stride] += crd_i_model_class_rows(own->model, (size_t)classes->values[k]);
    if (count == 0) return CRD_OK;
    const crd_i_view *view = view_of(own, members->node);
    const crd_i_tally *tally = own->model->variables[own->families.columns[members->node]].tally;
    if (tally == NULL) return CRD_OK;
    crd_i_counts_rows rows;
    bool done = crd_i_counts_rows_init(&rows, tally, view);
    for (size_t i = 0; done && i < view->value_count; i++)
        for (size_t at = rows.begins[i]; at < rows.begins[i + 1]; at++)
            counts[i * members->stride + rows.conditions[at] * class_stride] +=
                crd_i_sums_value(rows.sums, rows.cells[at]);
    crd_i_counts_rows_clear(&rows);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status count_family(counting *own, size_t node, double *counts, crd_error *error) {
    size_t parents = own->families.ends[node] - crd_i_families_first(&own->families, node), attributes = 0;
    size_t class_stride = 0;
    member *members = crd_i_alloc(own->context, parents + 1, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    size_t count = list_members(own, node, members);
    for (size_t i = 0; i < count; i++) {
        if (members[i].node == own->families.target) class_stride = members[i].stride;
        else members[attributes++] = members[i];
    }
    crd_status status = count_members(own, members, attributes, class_stride, counts, error);
    crd_free(own->context, members);
    return status;
}

/* ---- Probabilities ---- */

static void make_even(double *row, size_t states) {
    for (size_t i = 0; i < states; i++) row[i] = 1 / (double)states;
}

/* Shares of each state in the whole column, whatever else is missing; even where it was never there. */
static crd_status find_shares(const counting *own, size_t node, double *shares, crd_error *error) {
    if (own->families.columns[node] == SIZE_MAX) {
        make_even(shares, own->families.hidden[node]);
        return CRD_OK;
    }
    const crd_i_view *view = view_of(own, node);
    const crd_i_tally *tally = own->model->variables[own->families.columns[node]].tally;
    bool is_target = node == own->families.target;
    crd_i_counts_rows rows = {.context = own->context};
    bool done = is_target || tally == NULL || crd_i_counts_rows_init(&rows, tally, view);
    double total = 0;
    for (size_t i = 0; done && i < view->value_count; i++) {
        shares[i] = is_target             ? crd_i_model_class_rows(own->model, (size_t)view->values[i])
                    : rows.begins != NULL ? crd_i_counts_rows_total(&rows, i)
                                          : 0;
        total += shares[i];
    }
    crd_i_counts_rows_clear(&rows);
    if (!(total > 0)) make_even(shares, view->value_count);
    for (size_t i = 0; total > 0 && i < view->value_count; i++) shares[i] /= total;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Imaginary rows of state i in a row of the table; mass is those of all states. */
static double assumed(const crd_settings *settings, const double *shares, size_t i, double rows, double states,
                      double *mass) {
    *mass = settings->smoothing_bdeu > 0 ? settings->smoothing_bdeu / rows : settings->smoothing_strength;
    if (settings->smoothing == CRD_I_SMOOTHING_LAPLACE) {
        *mass *= states;
        return settings->smoothing_strength;
    }
    return settings->smoothing_marginal ? *mass * shares[i] : *mass / states;
}

/* Counts of a row become probabilities. */
static void smooth_row(const counting *own, const double *shares, size_t rows, double *row, size_t states) {
    double total = 0, mass = 0;
    for (size_t i = 0; i < states; i++) total += row[i];
    if (own->settings->smoothing != CRD_I_SMOOTHING_NONE)
        for (size_t i = 0; i < states; i++)
            row[i] += assumed(own->settings, shares, i, (double)rows, (double)states, &mass);
    if (total + mass > 0)
        for (size_t i = 0; i < states; i++) row[i] /= total + mass;
    else if (own->is_naive) memcpy(row, shares, states * sizeof *row);
    else make_even(row, states);
}

/* The prior of the settings, of a target that has no parents. */
static crd_status derive_prior(const counting *own, double *row, crd_error *error) {
    size_t column = own->families.columns[own->families.target];
    const crd_i_view *view = &own->order->views[column];
    crd_i_dictionary *classes = crd_i_schema_view_dictionary(own->context, own->model->variables[column].values, view);
    crd_term *terms = crd_i_alloc(own->context, view->value_count, sizeof *terms);
    crd_status status = classes == NULL || terms == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_prior_derive(own->settings, classes, row, terms, error);
    for (size_t i = 0; status == CRD_OK && i < view->value_count; i++) {
        double added = terms[i].smoothing == CRD_TERM_LAPLACE ? terms[i].strength : 0;
        row[i] = (terms[i].count + added) / (terms[i].total + added * terms[i].values);
    }
    crd_i_dictionary_destroy(classes);
    crd_free(own->context, terms);
    return status;
}

static crd_status refuse_prior(const counting *own, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (own->families.target == SIZE_MAX) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the prior is %.200s, but the model has no target that it could be of",
                   crd_settings_get(own->settings, "prior"));
        crd_i_error_hint(error, "train it with target=COLUMN, or use prior=frequency");
    } else {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "the prior is %.200s, but in the structure the target '%s' has parents, from which its "
                   "probabilities follow",
                   crd_settings_get(own->settings, "prior"),
                   crd_i_quote(name_of(own, own->families.columns[own->families.target]), quoted));
        crd_i_error_hint(error, "use prior=frequency");
    }
    crd_i_error_subject(error, crd_text_of("prior"));
    return CRD_ERROR_SETTING;
}

bool crd_i_network_has_prior(const crd_settings *settings, bool has_parents) {
    size_t dependence;
    bool is_naive =
        settings->method != CRD_I_METHOD_NETWORK ||
        (settings->structure_nodes == NULL && crd_i_settings_search(settings, &dependence) == CRD_I_SEARCH_NONE);
    return !has_parents && (is_naive || settings->prior != CRD_I_PRIOR_FREQUENCY);
}

static crd_status make_gaussian(counting *own, size_t index, crd_error *error) {
    const crd_i_node *node = &own->network->nodes[index];
    const crd_i_learned_node of = {own->model, own->settings, own->order, &own->families, own->network, index};
    double *table = crd_i_alloc(own->context, node->rows * crd_i_node_width(node), sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_learned_gaussian(&of, table, error);
    if (status == CRD_OK) status = crd_i_network_take_table(own->network, index, table, error);
    if (status != CRD_OK) crd_free(own->context, table);
    return status;
}

static crd_status make_table(counting *own, size_t index, crd_error *error) {
    const crd_i_node *node = &own->network->nodes[index];
    if (node->kind == CRD_NODE_GAUSSIAN) return make_gaussian(own, index, error);
    size_t states = crd_i_node_states(node), cells = node->rows * states;
    double *table = crd_i_alloc_zeroed(own->context, cells, sizeof *table);
    double *shares = crd_i_alloc(own->context, states, sizeof *shares);
    crd_status status = table == NULL || shares == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = count_family(own, index, table, error);
    bool is_prior = index == own->families.target && crd_i_network_has_prior(own->settings, node->parent_count > 0);
    if (status == CRD_OK && is_prior) {
        status = derive_prior(own, table, error);
    } else if (status == CRD_OK) {
        status = find_shares(own, index, shares, error);
        for (size_t row = 0; status == CRD_OK && row < node->rows; row++)
            smooth_row(own, shares, node->rows, table + row * states, states);
    }
    if (status == CRD_OK) status = crd_i_network_take_table(own->network, index, table, error);
    if (status != CRD_OK) crd_free(own->context, table);
    crd_free(own->context, shares);
    return status;
}

/* ---- Fitted tables ---- */

/* Even, or the prior of the settings, which then is not fitted; pseudo-counts of a row. */
static crd_status begin_table(counting *own, size_t index, double *pseudo_counts, bool *is_fixed, crd_error *error) {
    const crd_i_node *node = &own->network->nodes[index];
    size_t states = crd_i_node_states(node);
    double *table = crd_i_alloc_zeroed(own->context, node->rows * states, sizeof *table), mass;
    crd_status status = table == NULL ? crd_i_fail_memory(error) : find_shares(own, index, pseudo_counts, error);
    *is_fixed = index == own->families.target && crd_i_network_has_prior(own->settings, node->parent_count > 0);
    if (status == CRD_OK && *is_fixed) {
        status = count_family(own, index, table, error);
        if (status == CRD_OK) status = derive_prior(own, table, error);
    }
    for (size_t row = 0; status == CRD_OK && !*is_fixed && row < node->rows; row++)
        make_even(table + row * states, states);
    bool is_smoothed = own->settings->smoothing != CRD_I_SMOOTHING_NONE;
    for (size_t i = 0; status == CRD_OK && i < states; i++)
        pseudo_counts[i] =
            is_smoothed ? assumed(own->settings, pseudo_counts, i, (double)node->rows, (double)states, &mass) : 0;
    if (status == CRD_OK) status = crd_i_network_take_table(own->network, index, table, error);
    if (status != CRD_OK) crd_free(own->context, table);
    return status;
}

static crd_status fit_tables(counting *own, crd_i_fit_cache *fitted, crd_i_fit_trace *trace, crd_error *error) {
    size_t count = own->network->count, numbers = 0, at = 0;
    for (size_t i = 0; i < count; i++) numbers += crd_i_node_states(&own->network->nodes[i]);
    double *pseudo_counts = crd_i_alloc(own->context, numbers, sizeof *pseudo_counts);
    const double **pseudo_counts_of = crd_i_alloc(own->context, count, sizeof *pseudo_counts_of);
    bool *is_fixed = crd_i_alloc(own->context, count, sizeof *is_fixed);
    crd_status status =
        pseudo_counts == NULL || pseudo_counts_of == NULL || is_fixed == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        pseudo_counts_of[i] = pseudo_counts + at;
        status = begin_table(own, i, pseudo_counts + at, &is_fixed[i], error);
        at += crd_i_node_states(&own->network->nodes[i]);
    }
    if (status == CRD_OK) status = crd_i_network_finish(own->network, error);
    const crd_i_fitted_tables of = {own->model, own->settings, own->order, &own->families, pseudo_counts_of, is_fixed};
    if (status == CRD_OK) status = crd_i_fitted_tables_fill(&of, own->network, fitted, trace, error);
    crd_free(own->context, pseudo_counts);
    crd_free(own->context, (void *)pseudo_counts_of);
    crd_free(own->context, is_fixed);
    return status;
}

/* ---- The whole ---- */

static crd_status check_settings(const crd_settings *settings, crd_error *error) {
    static const char *const plain[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"exponents", "none"}, {"calibration", "none"}};
    for (size_t i = 0; settings->method != CRD_I_METHOD_NETWORK && i < sizeof plain / sizeof *plain; i++) {
        if (crd_i_settings_is_default(settings, plain[i][0])) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "the model is no network, as its %s is %.200s", plain[i][0],
                   crd_settings_get(settings, plain[i][0]));
        crd_i_error_hint(error, "use %s=%s, or method=network", plain[i][0], plain[i][1]);
        crd_i_error_subject(error, crd_text_of(plain[i][0]));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

static crd_status fill(counting *own, crd_i_fit_cache *fitted, crd_i_fit_trace *trace, crd_error *error) {
    const crd_i_families *families = &own->families;
    size_t target = families->target;
    bool has_target = target != SIZE_MAX;
    bool may_have_prior = has_target && families->ends[target] == crd_i_families_first(families, target);
    if (!may_have_prior && own->settings->prior != CRD_I_PRIOR_FREQUENCY) return refuse_prior(own, error);
    crd_text name = has_target ? name_of(own, families->columns[target]) : crd_text_of("counted");
    crd_status status = crd_i_network_create(own->context, name, &own->network, error);
    if (status == CRD_OK) status = add_nodes(own, error);
    if (status == CRD_OK && crd_i_settings_estimator(own->settings) != CRD_I_ESTIMATOR_COUNTS)
        return fit_tables(own, fitted, trace, error);
    for (size_t i = 0; status == CRD_OK && i < families->count; i++) {
        status = make_table(own, i, error);
        if (status == CRD_OK && crd_i_context_cancelled(own->context)) status = crd_i_fail_cancelled(error);
    }
    return status == CRD_OK ? crd_i_network_finish(own->network, error) : status;
}

crd_status crd_i_network_count(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *order,
                               crd_i_fit_cache *fitted, crd_i_fit_trace *trace, crd_network **out, crd_error *error) {
    crd_context *context = model->context;
    *out = NULL;
    crd_status status = check_settings(settings, error);
    if (status != CRD_OK) return status;
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no rows");
    counting own = {.context = context, .model = model, .settings = settings, .order = order};
    own.met.context = context;
    own.is_naive = settings->method != CRD_I_METHOD_NETWORK;
    status = crd_i_families_open(model, settings, order, own.is_naive, &own.families, error);
    if (status == CRD_OK && own.families.count == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "no column that is a node of the network has any cell");
    if (status == CRD_OK) status = fill(&own, fitted, trace, error);
    crd_i_combinations_clear(&own.met);
    crd_i_families_close(&own.families);
    if (status == CRD_OK) *out = own.network;
    else crd_network_destroy(own.network);
    return status;
}
