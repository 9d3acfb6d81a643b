/* SPDX-License-Identifier: MIT */
/* loopy_propagation.c - see approximate.h. */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Messages have converged if no logarithm changes by more than TOLERANCE in a round. Message entries are never below
 * LEAST, so underflow does not make a possible state impossible. After a number of undamped rounds, only half of
 * each change is applied. */
static const double TOLERANCE = 1e-10, LEAST = 1e-250, DAMPING = 0.5;
enum { UNDAMPED_ROUNDS = 12 };

void crd_i_messages_destroy(crd_i_messages *messages) {
    if (messages != NULL) crd_i_arena_destroy(messages->arena);
}

/* Scratch space for updating a factor. */
typedef struct propagation_pass {
    crd_i_messages *messages;
    double *sums;   /* by variable state: sum of the log messages to the variable */
    double *before; /* products of the messages from the first variables of a factor */
    double *end;    /* the table with its last variables summed out, one more at each level */
    double damping, change;
} propagation_pass;

/* Computes the message from a variable to a factor: the product of all messages to the variable except the factor's
 * own. */
static void tell_factor(const propagation_pass *pass, size_t edge) {
    const crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    uint32_t variable = reduced->edge_variables[edge], size = reduced->size_of[variable];
    const double *sums = pass->sums + reduced->starts[variable];
    const double *told = messages->to_variable + messages->starts[edge];
    double *out = messages->to_factor + messages->starts[edge], most = -INFINITY, total = 0;
    for (size_t i = 0; i < size; i++) {
        out[i] = sums[i] - told[i];
        if (out[i] > most) most = out[i];
    }
    for (size_t i = 0; i < size; i++) {
        double value = crd_exp(out[i] - most);
        out[i] = value > LEAST ? value : LEAST;
        total += out[i];
    }
    for (size_t i = 0; i < size; i++) out[i] /= total;
}

/* Stores the new message from a factor to a variable. `told` contains it as plain (not log) values. */
static void tell_variable(propagation_pass *pass, size_t edge, double *told) {
    const crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    uint32_t variable = reduced->edge_variables[edge], size = reduced->size_of[variable];
    double *sums = pass->sums + reduced->starts[variable], *kept = messages->to_variable + messages->starts[edge];
    double most = -INFINITY;
    for (size_t i = 0; i < size; i++) {
        told[i] = crd_log(told[i] > DBL_MIN ? told[i] : DBL_MIN);
        if (told[i] > most) most = told[i];
    }
    for (size_t i = 0; i < size; i++) {
        double next = told[i] - most;
        next += pass->damping * (kept[i] - next);
        double change = fabs(next - kept[i]);
        if (change > pass->change) pass->change = change;
        sums[i] += next - kept[i];
        kept[i] = next;
    }
}

/* Sums out the last variable of the table repeatedly. Level j holds the first j variables; level edge_count is the
 * table itself. Returns level 0, the total sum. */
static double sum_behind(const propagation_pass *pass, const crd_i_reduced_factor *factor, const double **levels) {
    const crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    double *workspace = pass->end;
    size_t cells = factor->cells;
    levels[factor->edge_count] = reduced->tables + factor->table_at;
    for (size_t i = factor->edge_count; i-- > 0;) {
        size_t size = reduced->size_of[reduced->edge_variables[factor->edge + i]];
        const double *told = messages->to_factor + messages->starts[factor->edge + i], *source = levels[i + 1];
        cells /= size;
        for (size_t row = 0; row < cells; row++) {
            double sum = 0;
            for (size_t j = 0; j < size; j++) sum += source[row * size + j] * told[j];
            workspace[row] = sum;
        }
        levels[i] = workspace;
        workspace += cells;
    }
    return levels[0][0];
}

enum { LEVELS = 64 }; /* a table cannot have more variables, because each has at least two states */

static void take_turn(propagation_pass *pass, uint32_t number) {
    const crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    const crd_i_reduced_factor *factor = &reduced->factors[number];
    const double *levels[LEVELS + 1];
    double *told = pass->before + factor->cells;
    size_t rows = 1;
    for (size_t i = 0; i < factor->edge_count; i++) tell_factor(pass, factor->edge + i);
    sum_behind(pass, factor, levels);
    pass->before[0] = 1;
    for (size_t i = 0; i < factor->edge_count; i++) {
        size_t edge = factor->edge + i, size = reduced->size_of[reduced->edge_variables[edge]];
        const double *source = messages->to_factor + messages->starts[edge];
        for (size_t j = 0; j < size; j++) told[j] = 0;
        for (size_t row = 0; row < rows; row++)
            for (size_t j = 0; j < size; j++) told[j] += pass->before[row] * levels[i + 1][row * size + j];
        tell_variable(pass, edge, told);
        if (i + 1 == factor->edge_count) break;
        for (size_t row = rows; row-- > 0;) {
            double value = pass->before[row];
            for (size_t j = size; j-- > 0;) pass->before[row * size + j] = value * source[j];
        }
        rows *= size;
    }
}

/* Recomputes the sums from the messages, so rounding errors do not accumulate over rounds. */
static void add_messages(propagation_pass *pass) {
    const crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    memset(pass->sums, 0, reduced->starts[reduced->count] * sizeof *pass->sums);
    for (size_t i = 0; i < reduced->edge_count; i++) {
        uint32_t variable = reduced->edge_variables[i];
        for (size_t j = 0; j < reduced->size_of[variable]; j++)
            pass->sums[reduced->starts[variable] + j] += messages->to_variable[messages->starts[i] + j];
    }
}

static void loopy_propagation_find_beliefs(propagation_pass *pass) {
    crd_i_messages *messages = pass->messages;
    const crd_i_reduced *reduced = messages->reduced;
    double log_evidence = reduced->log_constant;
    const double *levels[LEVELS + 1];
    add_messages(pass);
    for (size_t i = 0; i < reduced->count; i++) {
        const double *sums = pass->sums + reduced->starts[i];
        double *beliefs = messages->beliefs + reduced->starts[i];
        double total = crd_i_log_sum_exp(sums, reduced->size_of[i]);
        for (size_t j = 0; j < reduced->size_of[i]; j++) beliefs[j] = crd_exp(sums[j] - total);
        log_evidence += total;
    }
    for (size_t i = 0; i < reduced->factor_count; i++) {
        const crd_i_reduced_factor *factor = &reduced->factors[i];
        for (size_t j = 0; j < factor->edge_count; j++) {
            size_t edge = factor->edge + j, size = reduced->size_of[reduced->edge_variables[edge]];
            tell_factor(pass, edge);
            double sum = 0;
            for (size_t k = 0; k < size; k++)
                sum += messages->to_factor[messages->starts[edge] + k] *
                       crd_exp(messages->to_variable[messages->starts[edge] + k]);
            log_evidence -= crd_log(sum);
        }
        log_evidence += crd_log(sum_behind(pass, factor, levels));
    }
    messages->log_evidence = messages->is_converged ? log_evidence : NAN;
}

/* Lists factors breadth first, one connected component after the other. Every variable has at least one factor: its
 * own table. */
static void find_order(crd_i_messages *messages, bool *is_found, bool *is_passed) {
    const crd_i_reduced *reduced = messages->reduced;
    size_t count = 0;
    for (uint32_t i = 0; i < reduced->factor_count; i++) {
        if (is_found[i]) continue;
        is_found[i] = true;
        messages->order[count++] = i;
        for (size_t next = count - 1; next < count; next++) {
            const crd_i_reduced_factor *factor = &reduced->factors[messages->order[next]];
            for (size_t j = 0; j < factor->edge_count; j++) {
                uint32_t variable = reduced->edge_variables[factor->edge + j];
                if (is_passed[variable]) continue;
                is_passed[variable] = true;
                for (size_t k = reduced->link_starts[variable]; k < reduced->link_starts[variable + 1]; k++) {
                    uint32_t other = reduced->edge_factors[reduced->links[k]];
                    if (!is_found[other]) messages->order[count++] = other;
                    is_found[other] = true;
                }
            }
        }
    }
}

static bool open_messages(crd_i_messages *messages, propagation_pass *pass, crd_i_arena *scratch) {
    const crd_i_reduced *reduced = messages->reduced;
    crd_i_arena *arena = messages->arena;
    size_t total = 0, states = reduced->starts[reduced->count];
    for (size_t i = 0; i < reduced->edge_count; i++) total += reduced->size_of[reduced->edge_variables[i]];
    messages->order = crd_i_arena_alloc(arena, reduced->factor_count, sizeof *messages->order);
    messages->starts = crd_i_arena_alloc(arena, reduced->edge_count + 1, sizeof *messages->starts);
    messages->beliefs = crd_i_arena_alloc(arena, states, sizeof *messages->beliefs);
    messages->to_variable = crd_i_arena_alloc_zeroed(arena, total, sizeof *messages->to_variable);
    messages->to_factor = crd_i_arena_alloc_zeroed(arena, total, sizeof *messages->to_factor);
    pass->sums = crd_i_arena_alloc(scratch, states, sizeof *pass->sums);
    pass->before = crd_i_arena_alloc(scratch, reduced->most_cells + reduced->widest, sizeof *pass->before);
    pass->end = crd_i_arena_alloc(scratch, reduced->most_cells, sizeof *pass->end);
    bool *is_found = crd_i_arena_alloc_zeroed(scratch, reduced->factor_count, sizeof *is_found);
    bool *is_passed = crd_i_arena_alloc_zeroed(scratch, reduced->count, sizeof *is_passed);
    if (crd_i_arena_failed(arena) || crd_i_arena_failed(scratch)) return false;
    find_order(messages, is_found, is_passed);
    messages->starts[0] = 0;
    for (size_t i = 0; i < reduced->edge_count; i++)
        messages->starts[i + 1] = messages->starts[i] + reduced->size_of[reduced->edge_variables[i]];
    return true;
}

crd_status crd_i_messages_create(const crd_i_reduced *reduced, size_t rounds, crd_i_messages **out, crd_error *error) {
    *out = NULL;
    crd_i_messages *messages = crd_i_arena_object(reduced->context, sizeof *messages);
    if (messages == NULL) return crd_i_fail_memory(error);
    messages->reduced = reduced;
    propagation_pass pass = {.messages = messages};
    crd_i_arena *scratch = crd_i_arena_create(reduced->context);
    crd_status status = open_messages(messages, &pass, scratch) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t round = 0; status == CRD_OK && round < rounds && !messages->is_converged; round++) {
        crd_i_stage_report("propagating", round, rounds);
        pass.change = 0;
        pass.damping = round < UNDAMPED_ROUNDS ? 0 : DAMPING;
        add_messages(&pass);
        for (size_t i = reduced->factor_count; i-- > 0;) take_turn(&pass, messages->order[i]);
        for (size_t i = 0; i < reduced->factor_count; i++) take_turn(&pass, messages->order[i]);
        messages->is_converged = pass.change <= TOLERANCE;
        if (crd_i_context_cancelled(reduced->context)) status = crd_i_fail_cancelled(error);
    }
    if (status == CRD_OK) loopy_propagation_find_beliefs(&pass);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = messages;
    else crd_i_messages_destroy(messages);
    return status;
}
