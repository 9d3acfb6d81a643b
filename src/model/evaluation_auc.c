/* evaluation_auc.c - the area under the ROC curve of one class against the rest.
 *
 * It is the chance that a row of the class is given a greater probability for it than a row of another, ties counting
 * half: with the rows ranked by that probability, those that tie sharing their mean rank, and R the sum of the ranks of
 * the p rows of the class among n others,
 *   (R - p (p + 1) / 2) / (p n)
 * (Mann and Whitney). Ranks are summed as whole halves, so the area is rounded once and does not depend on the order of
 * the rows. */
#include "model/evaluation.h"

#include "base/memory.h"
#include "math/ieee.h"

#include <math.h>
#include <string.h>

typedef struct ranked {
    uint64_t key; /* the bits of the probability: in the same order, as none is below zero */
    uint32_t is_of_class;
} ranked;

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS };

/* By digits, the last first. The result is in *rows or *room, which change places. */
static void sort(ranked **rows, ranked **room, size_t count) {
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t starts[DIGIT_VALUES + 1] = {0};
        int shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < count; i++) starts[((*rows)[i].key >> shift & (DIGIT_VALUES - 1)) + 1]++;
        bool all_alike = starts[((*rows)[0].key >> shift & (DIGIT_VALUES - 1)) + 1] == count;
        if (all_alike) continue;
        for (size_t value = 0; value < DIGIT_VALUES; value++) starts[value + 1] += starts[value];
        for (size_t i = 0; i < count; i++) (*room)[starts[(*rows)[i].key >> shift & (DIGIT_VALUES - 1)]++] = (*rows)[i];
        ranked *sorted = *room;
        *room = *rows;
        *rows = sorted;
    }
}

/* Twice the sum of the ranks, from 1, of the rows of the class. */
static uint64_t sum_ranks(const ranked *rows, size_t count) {
    uint64_t sum = 0;
    for (size_t from = 0; from < count;) {
        size_t to = from, of_class = 0;
        for (; to < count && rows[to].key == rows[from].key; to++) of_class += rows[to].is_of_class;
        sum += (uint64_t)of_class * (from + 1 + to);
        from = to;
    }
    return sum;
}

bool crd_i_evaluation_auc(const crd_evaluation *evaluation, size_t class_index, double *auc) {
    size_t count = evaluation->row_count;
    uint64_t positives = 0;
    *auc = NAN;
    for (size_t i = 0; i < count; i++) positives += (size_t)evaluation->rows[i].truth == class_index;
    if (positives == 0 || positives == count) return true;
    ranked *rows = crd_i_alloc(evaluation->context, count, sizeof *rows);
    ranked *room = crd_i_alloc(evaluation->context, count, sizeof *room);
    if (rows != NULL && room != NULL) {
        for (size_t i = 0; i < count; i++) {
            rows[i].key = crd_i_bits_of(evaluation->probabilities[i * evaluation->class_count + class_index]);
            rows[i].is_of_class = (size_t)evaluation->rows[i].truth == class_index;
        }
        sort(&rows, &room, count);
        uint64_t twice = sum_ranks(rows, count) - positives * (positives + 1);
        *auc = (double)twice / (2.0 * (double)positives * (double)(count - positives));
    }
    bool done = rows != NULL && room != NULL;
    crd_free(evaluation->context, rows);
    crd_free(evaluation->context, room);
    return done;
}
