/* SPDX-License-Identifier: MIT */
/* learned_tables.c - the tables of a network, estimated from a model's counts.
 *
 * A data row is counted for a node if the node and all of its parents are present. For one row of the node's table, let
 * n_v be the number of data rows in state v and n their sum. t is the number of states, r the number of rows of the
 * table, and p the share of state v in the whole column. The probability of state v is
 *
 *   none          n_v / n
 *   m:M           (n_v + M / t) / (n + M)
 *   m:M:marginal  (n_v + M p) / (n + M)
 *   laplace:L     (n_v + L) / (n + L t)
 *   bdeu:S        (n_v + S / (r t)) / (n + S / r)
 *
 * A table row without counts and pseudo-counts is uniform. In a naive Bayes model it is p, as in the classifier (see
 * density/univariate/categorical.c).
 *
 * If no structure is specified, the target has the prior of the settings. So the network of a naive Bayes model gives
 * the model's posteriors. With a structure, the target is a node like others, unless it has no parents and a prior
 * other than its frequency is specified. Numeric columns are Gaussian nodes: see model_network.h.
 *
 * Contents:
 *   1. Fitted tables
 *   2. Estimated tables */
#include "network_model/model_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "cases/case_builder.h"
#include "classify/classifier_internal.h"
#include "model/joint_tallies.h"
#include "stats/counts.h"
#include "stats/joint_tally.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Fitted tables ========
 *
 * EM or gradient ascent fits the tables to the rows that a model stores. A fit is cached as a list of numbers. The
 * header contains the number of starts, the best start, the number of steps, and whether the fit converged and whether
 * it was stopped. Then follow the result of each start, the log likelihood after each step, the objective after each
 * step, and all tables, node by node. */

static const char WHAT[] = "tables";
enum { STARTS, BEST, STEPS, CONVERGED, STOPPED, HEADER };

/* ---- Cached fits ---- */

static size_t fitted_tables_count_cells(const crd_network *network) {
    size_t cells = 0;
    for (size_t i = 0; i < network->count; i++) cells += network->nodes[i].rows * crd_i_node_states(&network->nodes[i]);
    return cells;
}

static bool fitted_tables_is_count(double value, double most) {
    return value >= 0 && value <= most && value == floor(value);
}

/* Returns whether the numbers are a valid fit of this network. They may come from a file, so everything is checked. */
static bool fits_in(const crd_i_fit *known, const crd_network *network) {
    const double *numbers = known->numbers;
    size_t cells = fitted_tables_count_cells(network);
    if (known->count < HEADER + cells) return false;
    double left = (double)(known->count - HEADER - cells);
    if (!fitted_tables_is_count(numbers[STARTS], left) || !fitted_tables_is_count(numbers[STEPS], left) ||
        numbers[STEPS] < 1 || numbers[STARTS] + 2 * numbers[STEPS] != left ||
        !fitted_tables_is_count(numbers[BEST], numbers[STARTS] - 1))
        return false;
    const double *cursor = numbers + known->count - cells;
    for (size_t i = 0; i < network->count; i++) {
        size_t states = crd_i_node_states(&network->nodes[i]);
        for (size_t r = 0; r < network->nodes[i].rows; r++, cursor += states) {
            double sum = 0;
            for (size_t s = 0; s < states; s++) {
                if (!(cursor[s] >= 0 && cursor[s] <= 1)) return false;
                sum += cursor[s];
            }
            if (!(fabs(sum - 1) < 1e-9)) return false;
        }
    }
    return true;
}

/* Restores the progress of a cached fit. Returns false if memory runs out. */
static bool take_progress(const double *numbers, crd_fit *fit) {
    size_t starts = (size_t)numbers[STARTS], steps = (size_t)numbers[STEPS];
    const double *cursor = numbers + HEADER;
    fit->best_start = (size_t)numbers[BEST];
    fit->trace.is_converged = numbers[CONVERGED] != 0;
    fit->is_stopped = numbers[STOPPED] != 0;
    for (size_t i = 0; i < starts; i++)
        if (!crd_i_em_fit_add_start(fit, *cursor++)) return false;
    for (size_t i = 0; i < steps; i++)
        if (!crd_i_em_trace_add(&fit->trace, cursor[i], cursor[steps + i])) return false;
    return true;
}

/* Adds a fit to the cache, in the format described above. */
static crd_status fitted_tables_keep(const crd_i_fitted_tables *tables, const crd_network *network, const crd_fit *fit,
                                     crd_i_fit_cache *fitted, crd_error *error) {
    size_t starts = fit->start_count, steps = fit->trace.count;
    size_t count = HEADER + starts + 2 * steps + fitted_tables_count_cells(network);
    double *numbers = crd_i_alloc(network->context, count, sizeof *numbers);
    if (numbers == NULL) return crd_i_fail_memory(error);
    numbers[STARTS] = (double)starts;
    numbers[BEST] = (double)fit->best_start;
    numbers[STEPS] = (double)steps;
    numbers[CONVERGED] = fit->trace.is_converged;
    numbers[STOPPED] = fit->is_stopped;
    double *cursor = numbers + HEADER;
    memcpy(cursor, fit->starts, starts * sizeof *cursor);
    cursor += starts;
    for (size_t i = 0; i < steps; i++) {
        cursor[i] = fit->trace.steps[i].log_likelihood;
        cursor[steps + i] = fit->trace.steps[i].objective;
    }
    cursor += 2 * steps;
    for (size_t i = 0; i < network->count; i++) {
        size_t cells = network->nodes[i].rows * crd_i_node_states(&network->nodes[i]);
        memcpy(cursor, network->nodes[i].table, cells * sizeof *cursor);
        cursor += cells;
    }
    bool done = crd_i_fit_cache_put(fitted, WHAT, tables->settings, numbers, count);
    crd_free(network->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static void fill_known(const crd_i_fit *known, crd_network *network) {
    const double *cursor = known->numbers + known->count - fitted_tables_count_cells(network);
    for (size_t i = 0; i < network->count; i++) {
        size_t cells = network->nodes[i].rows * crd_i_node_states(&network->nodes[i]);
        memcpy(network->nodes[i].table, cursor, cells * sizeof *cursor);
        cursor += cells;
    }
}

/* ---- Fitting ---- */

/* Finds the columns of the nodes in the table of cases. Returns CRD_ERROR_SETTING if a column is missing, or if its
 * states differ. */
static crd_status fitted_tables_find_columns(const crd_i_fitted_tables *tables, const crd_network *network,
                                             const crd_i_case_table *table, size_t *columns, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        columns[i] = SIZE_MAX;
        if (tables->families->columns[i] == SIZE_MAX) continue;
        columns[i] = crd_i_case_table_find(table, network->nodes[i].name);
        if (columns[i] == SIZE_MAX || table->columns[columns[i]].type != CRD_TYPE_CATEGORICAL ||
            table->columns[columns[i]].state_count != crd_i_node_states(&network->nodes[i]))
            return crd_i_fail(error, CRD_ERROR_SETTING, "the model did not store the rows with the values of '%s'",
                              crd_i_quote(network->nodes[i].name, quoted));
    }
    return CRD_OK;
}

/* Reads the stored rows and fits the tables under the settings. */
static crd_status fitted_tables_fit(const crd_i_fitted_tables *tables, crd_network *network, crd_fit *fit,
                                    crd_error *error) {
    crd_i_case_table *table = NULL;
    const crd_settings *settings = tables->settings;
    size_t *columns = crd_i_alloc(network->context, network->count, sizeof *columns);
    crd_status status = columns == NULL ? crd_i_fail_memory(error)
                                        : crd_i_case_table_of_model(tables->model, tables->view, &table, error);
    if (status == CRD_OK) status = fitted_tables_find_columns(tables, network, table, columns, error);
    if (status == CRD_OK) {
        const crd_i_network_fit_problem problem = {network, table, columns, tables->assumed, tables->is_fixed};
        const crd_i_network_fit_options options = {.by_gradient =
                                                       crd_i_settings_estimator(settings) == CRD_I_ESTIMATOR_GRADIENT,
                                                   .starts = settings->em_starts,
                                                   .iterations = settings->iterations,
                                                   .tolerance = settings->tolerance};
        status = crd_i_network_fit(&problem, &options, fit, error);
    }
    crd_i_case_table_destroy(table);
    crd_free(network->context, columns);
    return status;
}

/* Sets the tables of a finished network whose nodes are the families' nodes. A new fit is added to `fitted`, which may
 * be NULL. `fit` receives the progress of the fit, whether new or cached; it may be NULL. Returns CRD_ERROR_SETTING
 * if the model does not store its rows. Uses the cached fit if there is a valid one. */
static crd_status fitted_tables_fill(const crd_i_fitted_tables *tables, crd_network *network, crd_i_fit_cache *fitted,
                                     crd_fit *fit, crd_error *error) {
    const crd_i_fit *known = crd_i_fit_cache_find(&tables->model->fitted, WHAT, tables->settings);
    crd_fit own_fit;
    crd_status status = CRD_OK;
    if (known != NULL && fits_in(known, network)) {
        fill_known(known, network);
        if (fit != NULL && !take_progress(known->numbers, fit)) status = crd_i_fail_memory(error);
        return status;
    }
    crd_i_em_fit_begin(&own_fit, network->context);
    if (fit == NULL) fit = &own_fit;
    status = fitted_tables_fit(tables, network, fit, error);
    if (status == CRD_OK && fitted != NULL) status = fitted_tables_keep(tables, network, fit, fitted, error);
    crd_i_em_fit_clear(&own_fit);
    return status;
}

/* ======== 2. Estimated tables ======== */

/* Maximum number of table entries, in one table and in all tables together. */
static const double MOST_CELLS = 1 << 27;

typedef struct tables_counter {
    crd_context *context;
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    bool is_naive; /* the method is naive Bayes */
    crd_i_families families;
    crd_network *network;
    /* The joint tally that was read last, because several families may use the same one. */
    const crd_i_model_joint_tally *kept;
    crd_i_combinations met;
} tables_counter;

static const crd_i_view *learned_tables_view(const tables_counter *counter, size_t node) {
    return &counter->view->views[counter->families.columns[node]];
}

static const crd_i_view *learned_tables_classes(const tables_counter *counter) {
    return &counter->view->views[counter->model->schema->target];
}

static crd_text learned_tables_name(const tables_counter *counter, size_t column) {
    return counter->model->schema->columns[column].name;
}

/* ---- Nodes ---- */

/* Adds a latent node, whose states are called 1, 2, 3, ... */
static crd_status add_hidden(tables_counter *counter, size_t node, crd_error *error) {
    size_t count = counter->families.hidden[node], added;
    crd_text *states = crd_i_alloc(counter->context, count, sizeof *states);
    char(*names)[24] = crd_i_alloc(counter->context, count, sizeof *names);
    crd_status status = states == NULL || names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        snprintf(names[i], sizeof names[i], "%zu", i + 1);
        states[i] = crd_text_of(names[i]);
    }
    if (status == CRD_OK)
        status = crd_i_network_add(counter->network, counter->families.names[node], states, count, &added, error);
    crd_free(counter->context, states);
    crd_free(counter->context, names);
    return status;
}

/* Adds the node of a column: Gaussian if it is numeric, otherwise with the column's values as states. */
static crd_status learned_tables_add_node(tables_counter *counter, size_t node, crd_error *error) {
    if (counter->families.columns[node] == SIZE_MAX) return add_hidden(counter, node, error);
    const crd_i_view *view = learned_tables_view(counter, node);
    size_t column = counter->families.columns[node], added;
    if (counter->families.are_numbers[node])
        return crd_i_network_add_gaussian(counter->network, learned_tables_name(counter, column), &added, error);
    const crd_i_dictionary *values = counter->model->variables[column].values;
    crd_text *states = crd_i_alloc(counter->context, view->value_count, sizeof *states);
    if (states == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < view->value_count; i++) states[i] = crd_i_dictionary_text(values, (size_t)view->values[i]);
    crd_status status = crd_i_network_add(counter->network, learned_tables_name(counter, column), states,
                                          view->value_count, &added, error);
    crd_free(counter->context, states);
    return status;
}

/* Adds all nodes and their parents. Returns CRD_ERROR_LIMIT if the tables are too large. */
static crd_status learned_tables_add_nodes(tables_counter *counter, crd_error *error) {
    const crd_i_families *families = &counter->families;
    char quoted[CRD_I_QUOTED_ROOM];
    double all_cells = 0;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < families->count; i++)
        status = learned_tables_add_node(counter, i, error);
    for (size_t i = 0; status == CRD_OK && i < families->count; i++) {
        size_t first = crd_i_families_first(families, i);
        double cells = 1, numbers = 2;
        for (size_t index = first; index < families->ends[i]; index++) {
            const uint32_t parent = families->parents[index];
            if (families->are_numbers[parent]) numbers++;
            else cells *= (double)crd_i_node_states(&counter->network->nodes[parent]);
        }
        cells *= families->are_numbers[i] ? numbers : (double)crd_i_node_states(&counter->network->nodes[i]);
        if (cells > MOST_CELLS)
            return crd_i_fail(error, CRD_ERROR_LIMIT,
                              "the table of '%s' would have %.4g entries, because it has %zu parents: give it fewer",
                              crd_i_quote(counter->network->nodes[i].name, quoted), cells, families->ends[i] - first);
        all_cells += cells;
        if (all_cells > MOST_CELLS)
            return crd_i_fail(
                error, CRD_ERROR_LIMIT,
                "the CPTs of the network would have more than %.0f entries up to '%s': ignore columns with many values",
                MOST_CELLS, crd_i_quote(counter->network->nodes[i].name, quoted));
        status =
            crd_i_network_set_parents(counter->network, i, families->parents + first, families->ends[i] - first, error);
    }
    return status;
}

/* ---- Counts ---- */

/* A member of a family, and its stride in the node's table: the distance between entries of successive states. The node
 * is the last member. */
typedef struct tables_member {
    size_t node, stride;
} tables_member;

static size_t learned_tables_list_members(const tables_counter *counter, size_t node, tables_member *member) {
    const crd_i_families *families = &counter->families;
    size_t count = 0, stride = learned_tables_view(counter, node)->value_count;
    for (size_t index = crd_i_families_first(families, node); index < families->ends[node]; index++)
        member[count++].node = families->parents[index];
    for (size_t i = count; i-- > 0;) {
        member[i].stride = stride;
        stride *= learned_tables_view(counter, member[i].node)->value_count;
    }
    const tables_member self = {node, 1};
    member[count++] = self;
    return count;
}

/* Returns the joint tally with the fewest columns that contains all `count` members; NULL if there is none. */
static const crd_i_model_joint_tally *find_joint_tally(const tables_counter *counter, const tables_member *members,
                                                       size_t count) {
    const crd_model *model = counter->model;
    const crd_i_model_joint_tally *best = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        size_t width = kept->joint_tally->column_count, found = 0;
        if (kept->joint_tally->type != &crd_i_joint_counts || width < count) continue;
        if (best != NULL && width >= best->joint_tally->column_count) continue;
        while (found < count) {
            size_t column = counter->families.columns[members[found].node], index = 0;
            while (index < width && kept->columns[index] != column) index++;
            if (index == width) break;
            found++;
        }
        if (found == count) best = kept;
    }
    return best;
}

static crd_status learned_tables_fail_not_kept(const tables_counter *counter, const tables_member *members,
                                               size_t count, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the structure needs counts that the model did not store: the joint counts of ");
    for (size_t i = 0; i < count; i++) crd_i_error_item(error, i, counter->network->nodes[members[i].node].name);
    crd_i_error_hint(error, "train it with these arcs, or with keep-statistics=joint-counts");
    crd_i_error_subject(error, crd_text_of("arcs"));
    return CRD_ERROR_SETTING;
}

/* Reads a joint tally, unless it was read last. Returns CRD_ERROR_LIMIT if it grew too large and was dropped. */
static crd_status open_joint_tally(tables_counter *counter, const crd_i_model_joint_tally *kept, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (kept == counter->kept) return CRD_OK;
    if (kept->joint_tally->is_dropped) {
        crd_i_fail(error, CRD_ERROR_LIMIT,
                   "there are more than %zu different combinations of '%s' and the other nodes of its family: give "
                   "nodes fewer parents",
                   crd_i_cells_most(kept->joint_tally->column_count),
                   crd_i_quote(learned_tables_name(counter, kept->columns[0]), quoted));
        return CRD_ERROR_LIMIT;
    }
    crd_i_combinations_clear(&counter->met);
    counter->kept = NULL;
    crd_i_joint_source joint_source;
    crd_status status = crd_i_joint_tallies_open(counter->model, kept, counter->view, &joint_source, error);
    if (status != CRD_OK) return status;
    bool done = crd_i_combinations_init(&counter->met, counter->context, kept->joint_tally, &joint_source.view);
    crd_i_joint_tallies_close(&joint_source);
    if (done) counter->kept = kept;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Adds the counts of the rows that have all of these attributes to the table. */
static void add_combinations(const tables_counter *counter, const tables_member *members, const size_t *places,
                             size_t count, size_t class_stride, double *counts) {
    const crd_i_combinations *met = &counter->met;
    for (size_t i = 0; i < met->count; i++) {
        const int32_t *codes = met->codes + i * met->column_count;
        size_t index = 0, found = 0;
        for (; found < count && codes[places[found]] >= 0; found++)
            index += (size_t)codes[places[found]] * members[found].stride;
        if (found < count) continue;
        for (size_t entry = met->begins[i]; entry < met->begins[i + 1]; entry++)
            counts[index + (size_t)met->conditions[entry] * class_stride] += met->counts[entry];
    }
}

/* Counts a family with at least two attributes, from a joint tally. */
static crd_status count_together(tables_counter *counter, const tables_member *members, size_t count,
                                 size_t class_stride, double *counts, crd_error *error) {
    const crd_i_model_joint_tally *kept = find_joint_tally(counter, members, count);
    if (kept == NULL) return learned_tables_fail_not_kept(counter, members, count, error);
    crd_status status = open_joint_tally(counter, kept, error);
    size_t *places = crd_i_alloc(counter->context, count, sizeof *places);
    if (status == CRD_OK && places == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        size_t column = counter->families.columns[members[i].node];
        for (places[i] = 0; kept->columns[places[i]] != column;) places[i]++;
    }
    if (status == CRD_OK) add_combinations(counter, members, places, count, class_stride, counts);
    crd_free(counter->context, places);
    return status;
}

/* Counts a family whose attributes are the `count` members. class_stride is 0 if the class is not a member. */
static crd_status learned_tables_count_members(tables_counter *counter, const tables_member *members, size_t count,
                                               size_t class_stride, double *counts, crd_error *error) {
    const crd_i_view *classes = learned_tables_classes(counter);
    if (count >= 2) return count_together(counter, members, count, class_stride, counts, error);
    for (size_t k = 0; count == 0 && k < classes->value_count; k++)
        counts[k * class_stride] += crd_i_model_class_rows(counter->model, (size_t)classes->values[k]);
    if (count == 0) return CRD_OK;
    const crd_i_view *view = learned_tables_view(counter, members->node);
    const crd_i_tally *tally = counter->model->variables[counter->families.columns[members->node]].tally;
    if (tally == NULL) return CRD_OK;
    crd_i_counts_rows rows;
    bool done = crd_i_counts_rows_init(&rows, tally, view);
    for (size_t i = 0; done && i < view->value_count; i++)
        for (size_t index = rows.begins[i]; index < rows.begins[i + 1]; index++)
            counts[i * members->stride + rows.conditions[index] * class_stride] +=
                crd_i_sums_value(rows.sums, rows.cells[index]);
    crd_i_counts_rows_clear(&rows);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Counts the family of a node. The class is handled separately from the attributes. */
static crd_status count_family(tables_counter *counter, size_t node, double *counts, crd_error *error) {
    size_t parents = counter->families.ends[node] - crd_i_families_first(&counter->families, node), attributes = 0;
    size_t class_stride = 0;
    tables_member *members = crd_i_alloc(counter->context, parents + 1, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    size_t count = learned_tables_list_members(counter, node, members);
    for (size_t i = 0; i < count; i++) {
        if (members[i].node == counter->families.target) class_stride = members[i].stride;
        else members[attributes++] = members[i];
    }
    crd_status status = learned_tables_count_members(counter, members, attributes, class_stride, counts, error);
    crd_free(counter->context, members);
    return status;
}

/* ---- Probabilities ---- */

static void make_even(double *row, size_t states) {
    for (size_t i = 0; i < states; i++) row[i] = 1 / (double)states;
}

/* Computes the share of each state in the whole column, including rows with missing parents; uniform if the column has
 * no values. */
static crd_status learned_tables_find_shares(const tables_counter *counter, size_t node, double *shares,
                                             crd_error *error) {
    if (counter->families.columns[node] == SIZE_MAX) {
        make_even(shares, counter->families.hidden[node]);
        return CRD_OK;
    }
    const crd_i_view *view = learned_tables_view(counter, node);
    const crd_i_tally *tally = counter->model->variables[counter->families.columns[node]].tally;
    bool is_target = node == counter->families.target;
    crd_i_counts_rows rows = {.context = counter->context};
    bool done = is_target || tally == NULL || crd_i_counts_rows_init(&rows, tally, view);
    double total = 0;
    for (size_t i = 0; done && i < view->value_count; i++) {
        shares[i] = is_target             ? crd_i_model_class_rows(counter->model, (size_t)view->values[i])
                    : rows.begins != NULL ? crd_i_counts_rows_total(&rows, i)
                                          : 0;
        total += shares[i];
    }
    crd_i_counts_rows_clear(&rows);
    if (!(total > 0)) make_even(shares, view->value_count);
    for (size_t i = 0; total > 0 && i < view->value_count; i++) shares[i] /= total;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Returns the pseudo-count of state i in a row of the table. *mass is the sum over all states. */
static double learned_tables_assumed(const crd_settings *settings, const double *shares, size_t i, double rows,
                                     double states, double *mass) {
    *mass = settings->smoothing_bdeu > 0 ? settings->smoothing_bdeu / rows : settings->smoothing_strength;
    if (settings->smoothing == CRD_I_SMOOTHING_LAPLACE) {
        *mass *= states;
        return settings->smoothing_strength;
    }
    return settings->smoothing_marginal ? *mass * shares[i] : *mass / states;
}

/* Converts the counts of a table row to probabilities. */
static void smooth_table_row(const tables_counter *counter, const double *shares, size_t rows, double *row,
                             size_t states) {
    double total = 0, mass = 0;
    for (size_t i = 0; i < states; i++) total += row[i];
    if (counter->settings->smoothing != CRD_I_SMOOTHING_NONE)
        for (size_t i = 0; i < states; i++)
            row[i] += learned_tables_assumed(counter->settings, shares, i, (double)rows, (double)states, &mass);
    if (total + mass > 0)
        for (size_t i = 0; i < states; i++) row[i] /= total + mass;
    else if (counter->is_naive) memcpy(row, shares, states * sizeof *row);
    else make_even(row, states);
}

/* Computes the prior of the settings for a target without parents. `row` contains the class counts, and then the
 * result. */
static crd_status derive_prior(const tables_counter *counter, double *row, crd_error *error) {
    size_t column = counter->families.columns[counter->families.target];
    const crd_i_view *view = &counter->view->views[column];
    crd_i_dictionary *classes =
        crd_i_schema_view_dictionary(counter->context, counter->model->variables[column].values, view);
    crd_term *terms = crd_i_alloc(counter->context, view->value_count, sizeof *terms);
    crd_status status = classes == NULL || terms == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_prior_derive(counter->settings, classes, row, terms, error);
    for (size_t i = 0; status == CRD_OK && i < view->value_count; i++) {
        double added = terms[i].smoothing == CRD_TERM_LAPLACE ? terms[i].strength : 0;
        row[i] = (terms[i].count + added) / (terms[i].total + added * terms[i].values);
    }
    crd_i_dictionary_destroy(classes);
    crd_free(counter->context, terms);
    return status;
}

/* Returns CRD_ERROR_SETTING: a prior is specified, but the target is missing or has parents. */
static crd_status refuse_prior(const tables_counter *counter, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (counter->families.target == SIZE_MAX) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the prior is %.200s, but the model has no target",
                   crd_settings_get(counter->settings, "prior"));
        crd_i_error_hint(error, "train it with target=COLUMN, or use prior=frequency");
    } else {
        crd_i_fail(
            error, CRD_ERROR_SETTING,
            "the prior is %.200s, but in the structure the target '%s' has parents, which determine its probabilities",
            crd_settings_get(counter->settings, "prior"),
            crd_i_quote(learned_tables_name(counter, counter->families.columns[counter->families.target]), quoted));
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

static crd_status make_gaussian(tables_counter *counter, size_t index, crd_error *error) {
    const crd_i_node *node = &counter->network->nodes[index];
    const crd_i_learned_node learned = {counter->model,     counter->settings, counter->view,
                                        &counter->families, counter->network,  index};
    double *table = crd_i_alloc(counter->context, node->rows * crd_i_node_width(node), sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_learned_gaussian(&learned, table, error);
    if (status == CRD_OK) status = crd_i_network_take_table(counter->network, index, table, error);
    if (status != CRD_OK) crd_free(counter->context, table);
    return status;
}

/* Estimates the table of one node: from the prior of the settings, or from smoothed counts. */
static crd_status learned_tables_make(tables_counter *counter, size_t index, crd_error *error) {
    const crd_i_node *node = &counter->network->nodes[index];
    if (node->kind == CRD_NODE_GAUSSIAN) return make_gaussian(counter, index, error);
    size_t states = crd_i_node_states(node), cells = node->rows * states;
    double *table = crd_i_alloc_zeroed(counter->context, cells, sizeof *table);
    double *shares = crd_i_alloc(counter->context, states, sizeof *shares);
    crd_status status = table == NULL || shares == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = count_family(counter, index, table, error);
    bool is_prior =
        index == counter->families.target && crd_i_network_has_prior(counter->settings, node->parent_count > 0);
    if (status == CRD_OK && is_prior) {
        status = derive_prior(counter, table, error);
    } else if (status == CRD_OK) {
        status = learned_tables_find_shares(counter, index, shares, error);
        for (size_t row = 0; status == CRD_OK && row < node->rows; row++)
            smooth_table_row(counter, shares, node->rows, table + row * states, states);
    }
    if (status == CRD_OK) status = crd_i_network_take_table(counter->network, index, table, error);
    if (status != CRD_OK) crd_free(counter->context, table);
    crd_free(counter->context, shares);
    return status;
}

/* ---- Use of fitted tables ---- */

/* Sets the initial table of a node and its pseudo-counts. The table is uniform, or the prior of the settings, which is
 * not fitted then (*is_fixed). */
static crd_status begin_table(tables_counter *counter, size_t index, double *pseudo_counts, bool *is_fixed,
                              crd_error *error) {
    const crd_i_node *node = &counter->network->nodes[index];
    size_t states = crd_i_node_states(node);
    double *table = crd_i_alloc_zeroed(counter->context, node->rows * states, sizeof *table), mass;
    crd_status status =
        table == NULL ? crd_i_fail_memory(error) : learned_tables_find_shares(counter, index, pseudo_counts, error);
    *is_fixed = index == counter->families.target && crd_i_network_has_prior(counter->settings, node->parent_count > 0);
    if (status == CRD_OK && *is_fixed) {
        status = count_family(counter, index, table, error);
        if (status == CRD_OK) status = derive_prior(counter, table, error);
    }
    for (size_t row = 0; status == CRD_OK && !*is_fixed && row < node->rows; row++)
        make_even(table + row * states, states);
    bool is_smoothed = counter->settings->smoothing != CRD_I_SMOOTHING_NONE;
    for (size_t i = 0; status == CRD_OK && i < states; i++)
        pseudo_counts[i] = is_smoothed ? learned_tables_assumed(counter->settings, pseudo_counts, i, (double)node->rows,
                                                                (double)states, &mass)
                                       : 0;
    if (status == CRD_OK) status = crd_i_network_take_table(counter->network, index, table, error);
    if (status != CRD_OK) crd_free(counter->context, table);
    return status;
}

/* Prepares all nodes and fits their tables to the stored rows. */
static crd_status fit_tables(tables_counter *counter, crd_i_fit_cache *fitted, crd_fit *fit, crd_error *error) {
    size_t count = counter->network->count, numbers = 0, index = 0;
    for (size_t i = 0; i < count; i++) numbers += crd_i_node_states(&counter->network->nodes[i]);
    double *pseudo_counts = crd_i_alloc(counter->context, numbers, sizeof *pseudo_counts);
    const double **pseudo_counts_of = crd_i_alloc(counter->context, count, sizeof *pseudo_counts_of);
    bool *is_fixed = crd_i_alloc(counter->context, count, sizeof *is_fixed);
    crd_status status =
        pseudo_counts == NULL || pseudo_counts_of == NULL || is_fixed == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        pseudo_counts_of[i] = pseudo_counts + index;
        status = begin_table(counter, i, pseudo_counts + index, &is_fixed[i], error);
        index += crd_i_node_states(&counter->network->nodes[i]);
    }
    if (status == CRD_OK) status = crd_i_network_finish(counter->network, error);
    const crd_i_fitted_tables tables = {counter->model,     counter->settings, counter->view,
                                        &counter->families, pseudo_counts_of,  is_fixed};
    if (status == CRD_OK) status = fitted_tables_fill(&tables, counter->network, fitted, fit, error);
    crd_free(counter->context, pseudo_counts);
    crd_free(counter->context, (void *)pseudo_counts_of);
    crd_free(counter->context, is_fixed);
    return status;
}

/* ---- Whole network ---- */

/* Checks that the settings define a network: method network, or plain naive Bayes. */
static crd_status learned_tables_check_settings(const crd_settings *settings, crd_error *error) {
    static const char *const plain[][2] = {
        {"method", "naive"}, {"joint", "none"}, {"attribute-weights", "none"}, {"calibration", "none"}};
    for (size_t i = 0; settings->method != CRD_I_METHOD_NETWORK && i < sizeof plain / sizeof *plain; i++) {
        if (crd_i_settings_is_default(settings, plain[i][0])) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "the model is not a network, because its %s is %.200s", plain[i][0],
                   crd_settings_get(settings, plain[i][0]));
        crd_i_error_hint(error, "use %s=%s, or method=network", plain[i][0], plain[i][1]);
        crd_i_error_subject(error, crd_text_of(plain[i][0]));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* Creates the network and estimates or fits its tables. */
static crd_status learned_tables_fill(tables_counter *counter, crd_i_fit_cache *fitted, crd_fit *fit,
                                      crd_error *error) {
    const crd_i_families *families = &counter->families;
    size_t target = families->target;
    bool has_target = target != SIZE_MAX;
    bool may_have_prior = has_target && families->ends[target] == crd_i_families_first(families, target);
    if (!may_have_prior && counter->settings->prior != CRD_I_PRIOR_FREQUENCY) return refuse_prior(counter, error);
    crd_text name = has_target ? learned_tables_name(counter, families->columns[target]) : crd_text_of("counted");
    crd_status status = crd_i_network_create(counter->context, name, &counter->network, error);
    if (status == CRD_OK) status = learned_tables_add_nodes(counter, error);
    if (status == CRD_OK && crd_i_settings_estimator(counter->settings) != CRD_I_ESTIMATOR_COUNTS)
        return fit_tables(counter, fitted, fit, error);
    for (size_t i = 0; status == CRD_OK && i < families->count; i++) {
        status = learned_tables_make(counter, i, error);
        if (status == CRD_OK && crd_i_context_cancelled(counter->context)) status = crd_i_fail_cancelled(error);
    }
    return status == CRD_OK ? crd_i_network_finish(counter->network, error) : status;
}

/* Checks settings and rows, and frees the families and combinations afterwards. */
crd_status crd_i_network_count(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                               crd_i_fit_cache *fitted, crd_fit *fit, crd_network **out, crd_error *error) {
    crd_context *context = model->context;
    *out = NULL;
    crd_status status = learned_tables_check_settings(settings, error);
    if (status != CRD_OK) return status;
    if (crd_i_tally_is_empty(crd_i_model_target(model)->tally))
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the model has learned no rows");
    tables_counter counter = {.context = context, .model = model, .settings = settings, .view = view};
    counter.met.context = context;
    counter.is_naive = settings->method != CRD_I_METHOD_NETWORK;
    status = crd_i_families_open(model, settings, view, counter.is_naive, &counter.families, error);
    if (status == CRD_OK && counter.families.count == 0)
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "no node of the network has a column with values");
    if (status == CRD_OK) status = learned_tables_fill(&counter, fitted, fit, error);
    crd_i_combinations_clear(&counter.met);
    crd_i_families_close(&counter.families);
    if (status == CRD_OK) *out = counter.network;
    else crd_network_destroy(counter.network);
    return status;
}
