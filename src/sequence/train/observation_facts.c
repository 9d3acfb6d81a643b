/* SPDX-License-Identifier: MIT */
/* observation_facts.c - see observation_facts.h. */
#include "sequence/train/observation_facts.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Running mean and squared deviations (Welford). */
typedef struct running {
    double n, mean, squares;
} running;

typedef struct scan {
    crd_i_observation_facts *facts;
    running *plain, *logs; /* of each column */
} scan;

static void add_number(running *to, double x) {
    const double from = x - to->mean;
    to->n += 1;
    to->mean += from / to->n;
    to->squares += from * (x - to->mean);
}

static double deviation_of(const running *of) {
    return of->n > 0 ? sqrt(of->squares / of->n) : 0;
}

static void scan_numbers(const double *numbers, size_t steps, crd_i_observed_column *to, running *plain,
                         running *logs) {
    for (size_t t = 0; t < steps; t++) {
        const double x = numbers[t];
        if (x != x) continue;
        to->least = to->present == 0 || x < to->least ? x : to->least;
        to->greatest = to->present == 0 || x > to->greatest ? x : to->greatest;
        to->present++;
        to->has_negative |= x < 0;
        to->has_zero |= x == 0;
        to->has_fraction |= x != floor(x);
        to->has_above_one |= x > 1;
        add_number(plain, x);
        if (x > 0) add_number(logs, crd_log(x));
    }
}

static void scan_codes(const int32_t *codes, size_t steps, crd_i_observed_column *to) {
    for (size_t t = 0; t < steps; t++) {
        if (codes[t] < 0) continue;
        to->present++;
        to->counts[codes[t]] += 1;
    }
}

static void scan_block(scan *of, const crd_i_observation_block *block) {
    crd_i_observation_facts *facts = of->facts;
    for (size_t c = 0; c < facts->column_count; c++) {
        crd_i_observed_column *to = &facts->columns[c];
        if (block->numbers[c] != NULL) scan_numbers(block->numbers[c], block->steps, to, &of->plain[c], &of->logs[c]);
        else if (block->codes[c] != NULL) scan_codes(block->codes[c], block->steps, to);
    }
    for (size_t t = 0; block->labels != NULL && t < block->steps; t++) facts->labelled += block->labels[t] >= 0;
}

static crd_status scan_segment(scan *of, const crd_sequences *sequences, const crd_i_segment *segment,
                               crd_i_observation_room *room, crd_error *error) {
    crd_i_observation_block block = {0};
    for (uint64_t from = segment->from; from < segment->to; from += block.steps) {
        const uint64_t left = segment->to - from;
        if (crd_i_context_cancelled(of->facts->context)) return crd_i_fail_cancelled(error);
        const crd_status status =
            crd_i_sequences_block(sequences, segment->sequence, from,
                                  left < CRD_I_BLOCK_STEPS ? (size_t)left : CRD_I_BLOCK_STEPS, room, &block, error);
        if (status != CRD_OK) return status;
        scan_block(of, &block);
    }
    of->facts->steps += segment->to - segment->from;
    return CRD_OK;
}

static void conclude(const scan *of) {
    for (size_t c = 0; c < of->facts->column_count; c++) {
        crd_i_observed_column *to = &of->facts->columns[c];
        double alike = 0;
        to->mean = of->plain[c].mean;
        to->deviation = deviation_of(&of->plain[c]);
        to->log_mean = of->logs[c].mean;
        to->log_deviation = deviation_of(&of->logs[c]);
        for (size_t v = 0; v < to->values; v++) {
            const double share = to->present > 0 ? to->counts[v] / (double)to->present : 0;
            alike += share * share;
        }
        to->differ = to->values > 0 && to->present > 0 ? 1 - alike : 0;
    }
}

crd_status crd_i_observation_facts_create(const crd_sequences *sequences, const crd_i_segment *segments, size_t count,
                                          crd_i_observation_facts **out, crd_error *error) {
    crd_context *context = crd_i_sequences_context(sequences);
    const size_t columns = crd_sequences_column_count(sequences);
    scan of = {.facts = crd_i_alloc_zeroed(context, 1, sizeof *of.facts),
               .plain = crd_i_alloc_zeroed(context, columns, sizeof *of.plain),
               .logs = crd_i_alloc_zeroed(context, columns, sizeof *of.logs)};
    crd_i_observation_room room = {.context = context};
    crd_status status = CRD_OK;
    *out = NULL;
    if (of.facts != NULL) of.facts->context = context;
    if (of.facts == NULL || of.plain == NULL || of.logs == NULL) goto memory;
    of.facts->columns = crd_i_alloc_zeroed(context, columns, sizeof *of.facts->columns);
    if (of.facts->columns == NULL) goto memory;
    of.facts->column_count = columns;
    for (size_t c = 0; c < columns; c++) {
        crd_i_observed_column *to = &of.facts->columns[c];
        to->kind = crd_sequences_column_kind(sequences, c);
        to->values = to->kind == CRD_KIND_CATEGORY ? crd_sequences_value_count(sequences, c) : 0;
        if (to->kind != CRD_KIND_CATEGORY) continue;
        to->counts = crd_i_alloc_zeroed(context, to->values, sizeof *to->counts);
        if (to->counts == NULL) goto memory;
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = scan_segment(&of, sequences, &segments[i], &room, error);
    if (status == CRD_OK) conclude(&of);
    goto done;

memory:
    status = crd_i_fail_memory(error);
done:
    crd_i_observation_room_clear(&room);
    crd_free(context, of.plain);
    crd_free(context, of.logs);
    if (status == CRD_OK) *out = of.facts;
    else crd_i_observation_facts_destroy(of.facts);
    return status;
}

void crd_i_observation_facts_destroy(crd_i_observation_facts *facts) {
    if (facts == NULL) return;
    for (size_t c = 0; c < facts->column_count; c++) crd_free(facts->context, facts->columns[c].counts);
    crd_free(facts->context, facts->columns);
    crd_free(facts->context, facts);
}
