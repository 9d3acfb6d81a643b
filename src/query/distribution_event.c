/* SPDX-License-Identifier: MIT */
/* distribution_event.c - computes the probability of an event of independent random variables.
 *
 * The numbers with which a variable is compared divide its range into cells: these points, and the intervals between
 * them. Within a cell, a comparison is always true or always false. "even" and "odd" also split each cell of a discrete
 * variable by parity. Because the variables are independent, the probability is a sum over products of cells:
 *
 *   P(event) = sum over the cells c1 x ... x cn where the event is true of P(X1 in c1) ... P(Xn in cn) */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "query/event.h"

#include <credence/number.h>
#include <credence/query.h>

#include <math.h>
#include <stdlib.h>

/* Maximum number of products of cells that are summed, and of whole numbers in one cell. */
static const double MOST_PRODUCTS = 4194304, MOST_WHOLE_NUMBERS = 1e8;

/* ---- Cells of one variable ---- */

typedef enum cell_parity { ANY_PARITY, EVEN_ONLY, ODD_ONLY } cell_parity;

/* The numbers between `low` and `high`, both excluded; if the two are equal, that single number. */
typedef struct range_cell {
    double low, high;
    cell_parity parity;
    double probability;
} range_cell;

typedef struct variable_cells {
    const crd_distribution *distribution;
    bool has_parity; /* an event tests it for even or odd numbers */
    double *bounds;  /* the numbers it is compared with, ascending and without duplicates */
    size_t bound_count;
    range_cell *cells;
    size_t count;
} variable_cells;

static int distribution_event_compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_discrete(const crd_distribution *distribution) {
    return crd_distribution_kind_of(distribution)->is_discrete != 0;
}

/* Computes the probability of a cell's even or odd numbers: the sum of P(X = x) over every other whole number. Terms
 * decrease beyond the mean, so the sum stops when they no longer matter. */
static crd_status sum_parity(const crd_distribution *distribution, range_cell *cell, crd_error *error) {
    double low, high, mean, sum = 0;
    crd_distribution_support(distribution, &low, &high);
    crd_distribution_mean(distribution, &mean);
    double first = cell->low == cell->high ? cell->low : fmax(low, floor(cell->low) + 1);
    const double last = cell->low == cell->high ? cell->low : fmin(high, ceil(cell->high) - 1);
    if (fabs(fmod(first, 2)) != (cell->parity == ODD_ONLY ? 1 : 0)) first += 1;
    if (cell->low == cell->high && first != last) return CRD_OK;
    for (double x = first, met = 0; x <= last; x += 2, met++) {
        const double term = crd_distribution_density(distribution, &x);
        sum += term;
        if (x > mean && term <= sum * 0x1p-60) break;
        if (met > MOST_WHOLE_NUMBERS)
            return crd_i_fail(error, CRD_ERROR_LIMIT, "even or odd would need the sum of more than %.0f whole numbers",
                              MOST_WHOLE_NUMBERS);
    }
    cell->probability = sum;
    return CRD_OK;
}

/* Computes the probability of a cell. A point of a continuous variable has probability 0. */
static crd_status measure_cell(const crd_distribution *distribution, range_cell *cell, crd_error *error) {
    if (cell->parity != ANY_PARITY) return sum_parity(distribution, cell, error);
    if (cell->low == cell->high)
        cell->probability = is_discrete(distribution) ? crd_distribution_density(distribution, &cell->low) : 0;
    else if (isinf(cell->low) && isinf(cell->high)) cell->probability = 1;
    else if (isinf(cell->low)) cell->probability = crd_distribution_less(distribution, cell->high);
    else if (isinf(cell->high)) cell->probability = crd_distribution_above(distribution, cell->low);
    else if (is_discrete(distribution))
        cell->probability = crd_distribution_between(distribution, floor(cell->low) + 1, ceil(cell->high) - 1);
    else cell->probability = crd_distribution_between(distribution, cell->low, cell->high);
    return CRD_OK;
}

/* Creates the cells of a variable: the bounds, the intervals between them, and the two intervals outside. Cells with
 * probability 0 are dropped. */
static crd_status make_cells(crd_i_arena *arena, variable_cells *variable, crd_error *error) {
    const size_t ranges = 2 * variable->bound_count + 1;
    const bool is_cut = variable->has_parity && is_discrete(variable->distribution);
    crd_status status = CRD_OK;
    variable->cells = crd_i_arena_alloc(arena, 2 * ranges, sizeof *variable->cells);
    if (variable->cells == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < ranges && status == CRD_OK; i++) {
        range_cell cell = {.low = i == 0 ? -INFINITY : variable->bounds[(i - 1) / 2],
                           .high = i + 1 == ranges ? INFINITY : variable->bounds[i / 2],
                           .parity = is_cut ? EVEN_ONLY : ANY_PARITY};
        for (int part = 0; part < (is_cut ? 2 : 1) && status == CRD_OK; part++) {
            if (part == 1) cell.parity = ODD_ONLY;
            cell.probability = 0;
            status = measure_cell(variable->distribution, &cell, error);
            if (cell.probability > 0) variable->cells[variable->count++] = cell;
        }
    }
    return status;
}

/* ---- All variables ---- */

typedef struct event_sum {
    crd_i_arena *arena;
    variable_cells *variables;
    size_t count;
    const crd_event *events[2]; /* the event and the condition; NULL: none */
    double *numbers[2];         /* the number of each comparison */
    unsigned char *truths[2];
    double sums[2]; /* probability that the condition is true and the event is true [0] or false [1] */
} event_sum;

/* Parses the number of a comparison. Even and odd have none, and need a discrete distribution. */
static crd_status distribution_event_read_number(const crd_column_comparison *comparison,
                                                 const crd_distribution *distribution, double *out, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const bool is_of_parity = comparison->relation == CRD_EVENT_EVEN || comparison->relation == CRD_EVENT_ODD;
    *out = 0;
    if (is_of_parity && !is_discrete(distribution))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "even and odd need whole numbers, but %s is continuous",
                          crd_distribution_kind_of(distribution)->name);
    if (is_of_parity || crd_number_parse(comparison->value, out) == CRD_NUMBER_FINITE) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_NUMBER, "a random variable is compared with '%s', which is not a number",
                      crd_i_quote(comparison->value, shown));
}

/* Parses the numbers that event `e` compares, and adds them to the bounds of the variables. */
static crd_status distribution_event_read(event_sum *s, size_t e, crd_error *error) {
    const crd_event *event = s->events[e];
    const size_t count = event == NULL ? 0 : crd_event_comparison_count(event);
    s->numbers[e] = crd_i_arena_alloc(s->arena, count + 1, sizeof **s->numbers);
    s->truths[e] = crd_i_arena_alloc_zeroed(s->arena, count + 1, 1);
    if (crd_i_arena_failed(s->arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const crd_column_comparison comparison = crd_event_comparison(event, i);
        variable_cells *cells = &s->variables[comparison.column];
        crd_status status = distribution_event_read_number(&comparison, cells->distribution, &s->numbers[e][i], error);
        if (status != CRD_OK) return status;
        if (comparison.relation == CRD_EVENT_EVEN || comparison.relation == CRD_EVENT_ODD) cells->has_parity = true;
        else cells->bounds[cells->bound_count++] = s->numbers[e][i];
    }
    return CRD_OK;
}

/* Sorts the bounds and removes duplicates. */
static void sort_bounds(variable_cells *cells) {
    size_t kept = 0;
    if (cells->bound_count > 1)
        qsort(cells->bounds, cells->bound_count, sizeof *cells->bounds, distribution_event_compare_numbers);
    for (size_t i = 0; i < cells->bound_count; i++)
        if (kept == 0 || cells->bounds[kept - 1] != cells->bounds[i]) cells->bounds[kept++] = cells->bounds[i];
    cells->bound_count = kept;
}

/* Returns whether all numbers of the cell have the relation to the bound. */
static bool is_cell_related(const range_cell *cell, crd_event_relation relation, double bound) {
    const bool is_point = cell->low == cell->high;
    const bool is_below = is_point ? cell->low < bound : cell->high <= bound;
    const bool is_above = is_point ? cell->low > bound : cell->low >= bound;
    switch (relation) {
    case CRD_EVENT_LESS: return is_below;
    case CRD_EVENT_AT_MOST: return !is_above;
    case CRD_EVENT_GREATER: return is_above;
    case CRD_EVENT_AT_LEAST: return !is_below;
    case CRD_EVENT_EQUAL: return !is_below && !is_above;
    case CRD_EVENT_UNEQUAL: return is_below || is_above;
    case CRD_EVENT_EVEN: return cell->parity == EVEN_ONLY;
    case CRD_EVENT_ODD: return cell->parity == ODD_ONLY;
    }
    return false;
}

/* Returns whether event `e` is true in the chosen cells. An event that is NULL is true. */
static bool distribution_event_holds_in(const event_sum *s, size_t e, const size_t *chosen) {
    const crd_event *event = s->events[e];
    if (event == NULL) return true;
    for (size_t i = 0; i < crd_event_comparison_count(event); i++) {
        const crd_column_comparison comparison = crd_event_comparison(event, i);
        const range_cell *cell = &s->variables[comparison.column].cells[chosen[comparison.column]];
        s->truths[e][i] = is_cell_related(cell, comparison.relation, s->numbers[e][i]);
    }
    return crd_i_event_is_true(event, s->truths[e]) != 0;
}

/* Sums the probabilities of all products of cells. The first variable varies fastest. */
static void distribution_event_add_products(event_sum *s, size_t *chosen) {
    size_t index = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->variables[i].count == 0) return;
    while (index < s->count) {
        double product = 1;
        for (size_t i = 0; i < s->count; i++) product *= s->variables[i].cells[chosen[i]].probability;
        if (distribution_event_holds_in(s, 1, chosen))
            s->sums[distribution_event_holds_in(s, 0, chosen) ? 0 : 1] += product;
        for (index = 0; index < s->count && ++chosen[index] == s->variables[index].count; index++) chosen[index] = 0;
    }
}

/* Reads both events and creates the cells of all variables. Fails if a distribution is multivariate or there are too
 * many products of cells. */
static crd_status distribution_event_prepare(event_sum *s, const crd_distribution *const *distributions,
                                             crd_error *error) {
    size_t comparisons = 0;
    double products = 1;
    crd_status status = CRD_OK;
    for (size_t e = 0; e < 2; e++) comparisons += s->events[e] == NULL ? 0 : crd_event_comparison_count(s->events[e]);
    for (size_t i = 0; i < s->count; i++) {
        s->variables[i].distribution = distributions[i];
        s->variables[i].bounds = crd_i_arena_alloc(s->arena, comparisons + 1, sizeof(double));
        if (s->variables[i].bounds == NULL) return crd_i_fail_memory(error);
        if (crd_distribution_dimension(distributions[i]) > 1)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s is multivariate, so its values have no order",
                              crd_distribution_kind_of(distributions[i])->name);
    }
    for (size_t e = 0; e < 2 && status == CRD_OK; e++) status = distribution_event_read(s, e, error);
    for (size_t i = 0; i < s->count && status == CRD_OK; i++) {
        sort_bounds(&s->variables[i]);
        status = make_cells(s->arena, &s->variables[i], error);
        products *= (double)s->variables[i].count;
    }
    if (status == CRD_OK && products > MOST_PRODUCTS)
        status = crd_i_fail(error, CRD_ERROR_LIMIT, "the events compare too many variables with too many numbers");
    return status;
}

crd_status crd_distribution_event(crd_context *context, const crd_distribution *const *variables, size_t count,
                                  const crd_event *event, const crd_event *condition, double probabilities[2],
                                  double *condition_probability, crd_error *error) {
    event_sum s = {.arena = crd_i_arena_create(context), .count = count, .events = {event, condition}};
    size_t *chosen = crd_i_arena_alloc_zeroed(s.arena, count, sizeof *chosen);
    s.variables = crd_i_arena_alloc_zeroed(s.arena, count, sizeof *s.variables);
    crd_status status = crd_i_arena_check(s.arena, error);
    if (status == CRD_OK) status = distribution_event_prepare(&s, variables, error);
    if (status == CRD_OK) distribution_event_add_products(&s, chosen);
    const double known = s.sums[0] + s.sums[1];
    if (status == CRD_OK && !(known > 0))
        status = crd_i_fail(error, CRD_ERROR_PROBABILITY, "the condition has probability 0");
    if (status == CRD_OK) {
        for (int i = 0; i < 2; i++) probabilities[i] = condition == NULL ? fmin(s.sums[i], 1) : s.sums[i] / known;
        if (condition_probability != NULL) *condition_probability = condition == NULL ? 1 : fmin(known, 1);
    }
    crd_i_arena_destroy(s.arena);
    return status;
}
