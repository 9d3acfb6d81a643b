/* SPDX-License-Identifier: MIT */
/* fitted_tables.c - see fitted_tables.h.
 *
 * A fit is cached as a list of numbers. The header contains the number of starts, the best start, the number of steps,
 * and whether the fit converged and whether it was stopped. Then follow the result of each start, the log likelihood
 * after each step, the objective after each step, and all tables, node by node. */
#include "network_model/fitted_tables.h"

#include "base/error.h"
#include "base/memory.h"
#include "cases/case_table.h"

#include <math.h>
#include <string.h>

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
static bool take_trace(const double *numbers, crd_i_fit_trace *trace) {
    size_t starts = (size_t)numbers[STARTS], steps = (size_t)numbers[STEPS];
    const double *cursor = numbers + HEADER + starts;
    trace->start_values = crd_i_alloc(trace->context, starts, sizeof *trace->start_values);
    if (trace->start_values == NULL) return false;
    memcpy(trace->start_values, numbers + HEADER, starts * sizeof *trace->start_values);
    trace->start_count = starts;
    trace->best_start = (size_t)numbers[BEST];
    trace->is_converged = numbers[CONVERGED] != 0;
    trace->is_stopped = numbers[STOPPED] != 0;
    for (size_t i = 0; i < steps; i++)
        if (!crd_i_fit_trace_add(trace, cursor[i], cursor[steps + i])) return false;
    return true;
}

/* Adds a fit to the cache, in the format described above. */
static crd_status fitted_tables_keep(const crd_i_fitted_tables *tables, const crd_network *network,
                                     const crd_i_fit_trace *trace, crd_i_fit_cache *fitted, crd_error *error) {
    size_t steps = trace->count, count = HEADER + trace->start_count + 2 * steps + fitted_tables_count_cells(network);
    double *numbers = crd_i_alloc(network->context, count, sizeof *numbers);
    if (numbers == NULL) return crd_i_fail_memory(error);
    numbers[STARTS] = (double)trace->start_count;
    numbers[BEST] = (double)trace->best_start;
    numbers[STEPS] = (double)steps;
    numbers[CONVERGED] = trace->is_converged;
    numbers[STOPPED] = trace->is_stopped;
    double *cursor = numbers + HEADER;
    memcpy(cursor, trace->start_values, trace->start_count * sizeof *cursor);
    memcpy(cursor + trace->start_count, trace->log_likelihoods, steps * sizeof *cursor);
    memcpy(cursor + trace->start_count + steps, trace->values, steps * sizeof *cursor);
    cursor += trace->start_count + 2 * steps;
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
        if (columns[i] == SIZE_MAX || table->columns[columns[i]].kind != CRD_KIND_CATEGORY ||
            table->columns[columns[i]].state_count != crd_i_node_states(&network->nodes[i]))
            return crd_i_fail(error, CRD_ERROR_SETTING, "the model did not store the rows with the values of '%s'",
                              crd_i_quote(network->nodes[i].name, quoted));
    }
    return CRD_OK;
}

/* Reads the stored rows and fits the tables under the settings. */
static crd_status fitted_tables_fit(const crd_i_fitted_tables *tables, crd_network *network, crd_i_fit_trace *trace,
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
                                                   .starts = settings->estimator_starts,
                                                   .iterations = settings->iterations,
                                                   .tolerance = settings->tolerance};
        status = crd_i_network_fit(&problem, &options, trace, error);
    }
    crd_i_case_table_destroy(table);
    crd_free(network->context, columns);
    return status;
}

/* Uses the cached fit if there is a valid one. */
crd_status crd_i_fitted_tables_fill(const crd_i_fitted_tables *tables, crd_network *network, crd_i_fit_cache *fitted,
                                    crd_i_fit_trace *trace, crd_error *error) {
    const crd_i_fit *known = crd_i_fit_cache_find(&tables->model->fitted, WHAT, tables->settings);
    crd_i_fit_trace fit_trace = {.context = network->context};
    crd_status status = CRD_OK;
    if (known != NULL && fits_in(known, network)) {
        fill_known(known, network);
        if (trace != NULL && !take_trace(known->numbers, trace)) status = crd_i_fail_memory(error);
        return status;
    }
    if (trace == NULL) trace = &fit_trace;
    status = fitted_tables_fit(tables, network, trace, error);
    if (status == CRD_OK && fitted != NULL) status = fitted_tables_keep(tables, network, trace, fitted, error);
    crd_i_fit_trace_clear(&fit_trace);
    return status;
}
