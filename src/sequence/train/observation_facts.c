/* SPDX-License-Identifier: MIT */
/* observation_facts.c - one pass over the columns of sequences. See hmm_training.h. */
#include "sequence/data/sequences.h"
#include "sequence/train/hmm_training.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Running mean and sum of squared deviations (Welford 1962). */
typedef struct facts_run {
    double n, mean, squares;
} facts_run;

typedef struct facts_scan {
    crd_i_observation_facts *facts;
    facts_run *plain, *logs; /* for each column */
} facts_scan;

static void observation_facts_add_number(facts_run *facts, double x) {
    const double start = x - facts->mean;
    facts->n += 1;
    facts->mean += start / facts->n;
    facts->squares += start * (x - facts->mean);
}

static double observation_facts_deviation(const facts_run *facts) {
    return facts->n > 0 ? sqrt(facts->squares / facts->n) : 0;
}

/* Updates the facts of a numeric column. Logarithms are taken of positive values only. */
static void scan_numbers(const double *numbers, size_t steps, crd_i_observed_column *column, facts_run *plain,
                         facts_run *logs) {
    for (size_t t = 0; t < steps; t++) {
        const double x = numbers[t];
        if (x != x) continue;
        column->least = column->present == 0 || x < column->least ? x : column->least;
        column->greatest = column->present == 0 || x > column->greatest ? x : column->greatest;
        column->present++;
        column->has_negative |= x < 0;
        column->has_zero |= x == 0;
        column->has_fraction |= x != floor(x);
        column->has_above_one |= x > 1;
        observation_facts_add_number(plain, x);
        if (x > 0) observation_facts_add_number(logs, crd_log(x));
    }
}

static void scan_codes(const int32_t *codes, size_t steps, crd_i_observed_column *column) {
    for (size_t t = 0; t < steps; t++) {
        if (codes[t] < 0) continue;
        column->present++;
        column->counts[codes[t]] += 1;
    }
}

static void scan_block(facts_scan *scan, const crd_i_observation_block *block) {
    crd_i_observation_facts *facts = scan->facts;
    for (size_t c = 0; c < facts->column_count; c++) {
        crd_i_observed_column *column = &facts->columns[c];
        if (block->numbers[c] != NULL)
            scan_numbers(block->numbers[c], block->steps, column, &scan->plain[c], &scan->logs[c]);
        else if (block->codes[c] != NULL) scan_codes(block->codes[c], block->steps, column);
    }
    for (size_t t = 0; block->labels != NULL && t < block->steps; t++) facts->labeled += block->labels[t] >= 0;
}

static crd_status scan_segment(facts_scan *scan, const crd_sequences *sequences, const crd_i_segment *segment,
                               crd_i_observation_room *workspace, crd_error *error) {
    crd_i_observation_block block = {0};
    for (uint64_t source = segment->source; source < segment->target; source += block.steps) {
        const uint64_t left = segment->target - source;
        if (crd_i_context_cancelled(scan->facts->context)) return crd_i_fail_cancelled(error);
        const crd_status status = crd_i_sequences_block(sequences, segment->sequence, source,
                                                        left < CRD_I_BLOCK_STEPS ? (size_t)left : CRD_I_BLOCK_STEPS,
                                                        workspace, &block, error);
        if (status != CRD_OK) return status;
        scan_block(scan, &block);
    }
    scan->facts->steps += segment->target - segment->source;
    return CRD_OK;
}

/* Computes means, deviations, and the probability that two values differ: 1 - sum_v p_v^2. */
static void observation_facts_conclude(const facts_scan *scan) {
    for (size_t c = 0; c < scan->facts->column_count; c++) {
        crd_i_observed_column *column = &scan->facts->columns[c];
        double alike = 0;
        column->mean = scan->plain[c].mean;
        column->deviation = observation_facts_deviation(&scan->plain[c]);
        column->log_mean = scan->logs[c].mean;
        column->log_deviation = observation_facts_deviation(&scan->logs[c]);
        for (size_t v = 0; v < column->values; v++) {
            const double share = column->present > 0 ? column->counts[v] / (double)column->present : 0;
            alike += share * share;
        }
        column->differ = column->values > 0 && column->present > 0 ? 1 - alike : 0;
    }
}

crd_status crd_i_observation_facts_create(const crd_sequences *sequences, const crd_i_segment *segments, size_t count,
                                          crd_i_observation_facts **out, crd_error *error) {
    crd_context *context = crd_i_sequences_context(sequences);
    const size_t columns = crd_sequences_column_count(sequences);
    facts_scan scan = {.facts = crd_i_alloc_zeroed(context, 1, sizeof *scan.facts),
                       .plain = crd_i_alloc_zeroed(context, columns, sizeof *scan.plain),
                       .logs = crd_i_alloc_zeroed(context, columns, sizeof *scan.logs)};
    crd_i_observation_room workspace = {.context = context};
    crd_status status = CRD_OK;
    *out = NULL;
    if (scan.facts != NULL) scan.facts->context = context;
    if (scan.facts == NULL || scan.plain == NULL || scan.logs == NULL) goto memory;
    scan.facts->columns = crd_i_alloc_zeroed(context, columns, sizeof *scan.facts->columns);
    if (scan.facts->columns == NULL) goto memory;
    scan.facts->column_count = columns;
    for (size_t c = 0; c < columns; c++) {
        crd_i_observed_column *column = &scan.facts->columns[c];
        column->type = crd_i_sequences_column_type(sequences, c);
        column->values = column->type == CRD_TYPE_CATEGORICAL ? crd_sequences_value_count(sequences, c) : 0;
        if (column->type != CRD_TYPE_CATEGORICAL) continue;
        column->counts = crd_i_alloc_zeroed(context, column->values, sizeof *column->counts);
        if (column->counts == NULL) goto memory;
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = scan_segment(&scan, sequences, &segments[i], &workspace, error);
    if (status == CRD_OK) observation_facts_conclude(&scan);
    goto done;

memory:
    status = crd_i_fail_memory(error);
done:
    crd_i_observation_room_clear(&workspace);
    crd_free(context, scan.plain);
    crd_free(context, scan.logs);
    if (status == CRD_OK) *out = scan.facts;
    else crd_i_observation_facts_destroy(scan.facts);
    return status;
}

void crd_i_observation_facts_destroy(crd_i_observation_facts *facts) {
    if (facts == NULL) return;
    for (size_t c = 0; c < facts->column_count; c++) crd_free(facts->context, facts->columns[c].counts);
    crd_free(facts->context, facts->columns);
    crd_free(facts->context, facts);
}
