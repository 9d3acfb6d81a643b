/* SPDX-License-Identifier: MIT */
/* loopy_propagation.c - see loopy_propagation.h. */
#include "infer/approximate/loopy_propagation.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Messages have converged where no logarithm changes by more than this in a round. What is told of a state is never
 * less than LEAST, so that nothing which is possible becomes impossible by underflow. After so many rounds without
 * damping, half of each change is held back. */
static const double TOLERANCE = 1e-10, LEAST = 1e-250, DAMPING = 0.5;
enum { UNDAMPED_ROUNDS = 12 };

void crd_i_messages_destroy(crd_i_messages *messages) {
    if (messages == NULL) return;
    crd_context *context = messages->reduced->context;
    crd_free(context, messages->order);
    crd_free(context, messages->starts);
    crd_free(context, messages->to_variable);
    crd_free(context, messages->to_factor);
    crd_free(context, messages->beliefs);
    crd_free(context, messages);
}

/* Rooms for a factor's turn. */
typedef struct passing {
    crd_i_messages *messages;
    double *sums;   /* by state of a variable: of the logarithms of all messages to it */
    double *before; /* products of what the first variables of a factor tell it */
    double *behind; /* the table, its last variables summed out, one more at each level */
    double damping, change;
} passing;

/* What a variable tells a factor, from all messages to it but the factor's own. */
static void tell_factor(const passing *own, size_t edge) {
    const crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    uint32_t variable = reduced->edge_variables[edge], size = reduced->size_of[variable];
    const double *sums = own->sums + reduced->starts[variable];
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

/* Takes the new message of a factor to a variable, which stands in `told`, plain. */
static void tell_variable(passing *own, size_t edge, double *told) {
    const crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    uint32_t variable = reduced->edge_variables[edge], size = reduced->size_of[variable];
    double *sums = own->sums + reduced->starts[variable], *kept = messages->to_variable + messages->starts[edge];
    double most = -INFINITY;
    for (size_t i = 0; i < size; i++) {
        told[i] = crd_log(told[i] > DBL_MIN ? told[i] : DBL_MIN);
        if (told[i] > most) most = told[i];
    }
    for (size_t i = 0; i < size; i++) {
        double next = told[i] - most;
        next += own->damping * (kept[i] - next);
        double change = fabs(next - kept[i]);
        if (change > own->change) own->change = change;
        sums[i] += next - kept[i];
        kept[i] = next;
    }
}

/* The table with the last variable summed out, and so on: level j has the first j variables. Level edge_count is the
 * table itself, level 0 the sum of all. Returns level 0. */
static double sum_behind(const passing *own, const crd_i_reduced_factor *factor, const double **levels) {
    const crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    double *room = own->behind;
    size_t cells = factor->cells;
    levels[factor->edge_count] = reduced->tables + factor->table_at;
    for (size_t i = factor->edge_count; i-- > 0;) {
        size_t size = reduced->size_of[reduced->edge_variables[factor->edge + i]];
        const double *told = messages->to_factor + messages->starts[factor->edge + i], *from = levels[i + 1];
        cells /= size;
        for (size_t row = 0; row < cells; row++) {
            double sum = 0;
            for (size_t j = 0; j < size; j++) sum += from[row * size + j] * told[j];
            room[row] = sum;
        }
        levels[i] = room;
        room += cells;
    }
    return levels[0][0];
}

enum { LEVELS = 64 }; /* a table of more variables with two states each could not be */

static void take_turn(passing *own, uint32_t number) {
    const crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    const crd_i_reduced_factor *factor = &reduced->factors[number];
    const double *levels[LEVELS + 1];
    double *told = own->before + factor->cells;
    size_t rows = 1;
    for (size_t i = 0; i < factor->edge_count; i++) tell_factor(own, factor->edge + i);
    sum_behind(own, factor, levels);
    own->before[0] = 1;
    for (size_t i = 0; i < factor->edge_count; i++) {
        size_t edge = factor->edge + i, size = reduced->size_of[reduced->edge_variables[edge]];
        const double *from = messages->to_factor + messages->starts[edge];
        for (size_t j = 0; j < size; j++) told[j] = 0;
        for (size_t row = 0; row < rows; row++)
            for (size_t j = 0; j < size; j++) told[j] += own->before[row] * levels[i + 1][row * size + j];
        tell_variable(own, edge, told);
        if (i + 1 == factor->edge_count) break;
        for (size_t row = rows; row-- > 0;) {
            double value = own->before[row];
            for (size_t j = size; j-- > 0;) own->before[row * size + j] = value * from[j];
        }
        rows *= size;
    }
}

/* From the messages alone, so that rounding does not add up from round to round. */
static void add_messages(passing *own) {
    const crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    memset(own->sums, 0, reduced->starts[reduced->count] * sizeof *own->sums);
    for (size_t i = 0; i < reduced->edge_count; i++) {
        uint32_t variable = reduced->edge_variables[i];
        for (size_t j = 0; j < reduced->size_of[variable]; j++)
            own->sums[reduced->starts[variable] + j] += messages->to_variable[messages->starts[i] + j];
    }
}

static void find_beliefs(passing *own) {
    crd_i_messages *messages = own->messages;
    const crd_i_reduced *reduced = messages->reduced;
    double log_evidence = reduced->log_constant;
    const double *levels[LEVELS + 1];
    add_messages(own);
    for (size_t i = 0; i < reduced->count; i++) {
        const double *sums = own->sums + reduced->starts[i];
        double *beliefs = messages->beliefs + reduced->starts[i];
        double total = crd_i_log_sum_exp(sums, reduced->size_of[i]);
        for (size_t j = 0; j < reduced->size_of[i]; j++) beliefs[j] = crd_exp(sums[j] - total);
        log_evidence += total;
    }
    for (size_t i = 0; i < reduced->factor_count; i++) {
        const crd_i_reduced_factor *factor = &reduced->factors[i];
        for (size_t j = 0; j < factor->edge_count; j++) {
            size_t edge = factor->edge + j, size = reduced->size_of[reduced->edge_variables[edge]];
            tell_factor(own, edge);
            double sum = 0;
            for (size_t k = 0; k < size; k++)
                sum += messages->to_factor[messages->starts[edge] + k] *
                       crd_exp(messages->to_variable[messages->starts[edge] + k]);
            log_evidence -= crd_log(sum);
        }
        log_evidence += crd_log(sum_behind(own, factor, levels));
    }
    messages->log_evidence = messages->is_converged ? log_evidence : NAN;
}

/* Factors breadth first, part by part. Every variable has a factor: its own table. */
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

static bool open_messages(crd_i_messages *messages, passing *own) {
    const crd_i_reduced *reduced = messages->reduced;
    crd_context *context = reduced->context;
    size_t total = 0, states = reduced->starts[reduced->count];
    messages->order = crd_i_alloc(context, reduced->factor_count, sizeof *messages->order);
    messages->starts = crd_i_alloc(context, reduced->edge_count, sizeof *messages->starts);
    messages->beliefs = crd_i_alloc(context, states, sizeof *messages->beliefs);
    own->sums = crd_i_alloc(context, states, sizeof *own->sums);
    own->before = crd_i_alloc(context, reduced->most_cells + reduced->widest, sizeof *own->before);
    own->behind = crd_i_alloc(context, reduced->most_cells, sizeof *own->behind);
    bool *is_found = crd_i_alloc_zeroed(context, reduced->factor_count, sizeof *is_found);
    bool *is_passed = crd_i_alloc_zeroed(context, reduced->count, sizeof *is_passed);
    bool done = messages->order != NULL && messages->starts != NULL && messages->beliefs != NULL && own->sums != NULL &&
                own->before != NULL && own->behind != NULL && is_found != NULL && is_passed != NULL;
    if (done) find_order(messages, is_found, is_passed);
    crd_free(context, is_found);
    crd_free(context, is_passed);
    for (size_t i = 0; done && i < reduced->edge_count; i++) {
        messages->starts[i] = total;
        total += reduced->size_of[reduced->edge_variables[i]];
    }
    messages->to_variable = crd_i_alloc_zeroed(context, total, sizeof *messages->to_variable);
    messages->to_factor = crd_i_alloc_zeroed(context, total, sizeof *messages->to_factor);
    return done && messages->to_variable != NULL && messages->to_factor != NULL;
}

crd_status crd_i_messages_create(const crd_i_reduced *reduced, size_t rounds, crd_i_messages **out, crd_error *error) {
    crd_context *context = reduced->context;
    passing own = {0};
    *out = NULL;
    crd_status status = crd_i_fail_memory(error);
    crd_i_messages *messages = crd_i_alloc_zeroed(context, 1, sizeof *messages);
    if (messages == NULL) return status;
    messages->reduced = reduced;
    own.messages = messages;
    if (!open_messages(messages, &own)) goto end;
    status = CRD_OK;
    for (size_t round = 0; status == CRD_OK && round < rounds && !messages->is_converged; round++) {
        crd_i_stage_report("propagating", round, rounds);
        own.change = 0;
        own.damping = round < UNDAMPED_ROUNDS ? 0 : DAMPING;
        add_messages(&own);
        for (size_t i = reduced->factor_count; i-- > 0;) take_turn(&own, messages->order[i]);
        for (size_t i = 0; i < reduced->factor_count; i++) take_turn(&own, messages->order[i]);
        messages->is_converged = own.change <= TOLERANCE;
        if (crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
    }
    find_beliefs(&own);
end:
    crd_free(context, own.sums);
    crd_free(context, own.before);
    crd_free(context, own.behind);
    if (status != CRD_OK) {
        crd_i_messages_destroy(messages);
        return status;
    }
    *out = messages;
    return CRD_OK;
}
