/* answering.c - see answering.h. */
#include "model/answering.h"

#include "model/binding.h"

#include <math.h>

/* Sums that fit into the first level of cache beside a few columns, unless classes are very many. */
enum { MOST_SUMS = 2048, MOST_ROWS = 128 };

static size_t most_rows(size_t classes) {
    size_t rows = MOST_SUMS / classes / CRD_I_LANES * CRD_I_LANES;
    return rows > MOST_ROWS ? MOST_ROWS : rows < CRD_I_LANES ? CRD_I_LANES : rows;
}

/* How many doubles the parts need for each row: sums and exponentials of each class; the columns; decision, tied,
 * greatest and total; and what says whether it is certain, with what is unseen, in one double's room. */
enum { OF_CLASSES = 2, OF_ROWS = CRD_I_ANSWERING_WIDTH + 4 + 1 };

size_t crd_i_answering_room(size_t classes) {
    size_t rows = most_rows(classes);
    if (classes > SIZE_MAX / sizeof(double) / (OF_CLASSES + 1) / rows - OF_ROWS) return SIZE_MAX;
    return (rows * (OF_CLASSES * classes + OF_ROWS) + classes) * sizeof(double) + CRD_I_LANES_ALIGNMENT;
}

static double *take(double **from, size_t count) {
    double *taken = *from;
    *from += count;
    return taken;
}

void crd_i_answering_init(crd_i_answering *batch, const crd_classifier *classifier, void *room) {
    size_t rows = most_rows(classifier->class_count), past = (uintptr_t)room % CRD_I_LANES_ALIGNMENT;
    double *next = (double *)((char *)room + (CRD_I_LANES_ALIGNMENT - past) % CRD_I_LANES_ALIGNMENT);
    batch->classifier = classifier;
    batch->block.lanes = classifier->lanes;
    batch->block.stride = rows;
    batch->block.rows = 0;
    batch->block.sums = take(&next, rows * classifier->class_count);
    batch->exponentials = take(&next, rows * classifier->class_count);
    batch->columns = take(&next, rows * CRD_I_ANSWERING_WIDTH);
    batch->decision = take(&next, rows);
    batch->tied = take(&next, rows);
    batch->greatest = take(&next, rows);
    batch->totals = take(&next, rows);
    batch->unseen = (uint32_t *)take(&next, rows);
    batch->is_certain = (bool *)(batch->unseen + rows);
    batch->block.row_sums = take(&next, classifier->class_count);
}

void crd_i_answering_begin(crd_i_answering *batch, size_t rows) {
    size_t stride = batch->block.stride;
    batch->block.rows = rows;
    for (size_t row = 0; row < rows; row++) batch->unseen[row] = 0;
    for (size_t k = 0; k < batch->classifier->class_count; k++) {
        double start = batch->classifier->log_priors[k], *sums = batch->block.sums + k * stride;
        for (size_t row = 0; row < stride; row++) sums[row] = start;
    }
}

/* Takes out, and counts, the numbers that no class can have. */
static bool take_out_uncovered(crd_i_answering *batch, const crd_i_density *density, double *column) {
    bool any = false;
    for (size_t row = 0; row < batch->block.rows; row++) {
        if (isnan(column[row]) || density->family->covers(density, column[row])) continue;
        column[row] = NAN;
        batch->unseen[row]++;
        any = true;
    }
    return any;
}

void crd_i_answering_add_numbers(crd_i_answering *batch, size_t attribute, double *column, bool some_missing) {
    const crd_i_attribute *to = &batch->classifier->attributes[attribute];
    if (!crd_i_attribute_speaks(to)) return;
    if (to->density->family->covers != NULL && take_out_uncovered(batch, to->density, column)) some_missing = true;
    crd_i_cells cells = {.rows = batch->block.rows, .numbers = column};
    batch->block.some_missing = some_missing;
    crd_i_density_add_block(to->density, &cells, &batch->block);
}

void crd_i_answering_add_codes(crd_i_answering *batch, size_t attribute, const int32_t *codes) {
    const crd_i_attribute *to = &batch->classifier->attributes[attribute];
    crd_i_cells cells = {.rows = batch->block.rows, .codes = codes};
    for (size_t row = 0; row < batch->block.rows; row++) batch->unseen[row] += codes[row] == CRD_I_CODE_UNSEEN;
    if (crd_i_attribute_speaks(to)) crd_i_density_add_block(to->density, &cells, &batch->block);
}

/* ---- Conclusions ---- */

/* Sums that still are the log priors: nothing was said, so that is certain. */
static void find_certain(crd_i_answering *batch) {
    const crd_i_block *block = &batch->block;
    const crd_classifier *classifier = batch->classifier;
    for (size_t row = 0; row < block->rows; row++) {
        size_t k = 0;
        while (k < classifier->class_count && block->sums[k * block->stride + row] == classifier->log_priors[k]) k++;
        batch->is_certain[row] = k == classifier->class_count;
    }
}

static void put_answers(const crd_i_answering *batch, crd_answer *answers) {
    for (size_t row = 0; row < batch->block.rows; row++) {
        double evidence = batch->greatest[row] + batch->totals[row];
        if (batch->is_certain[row] && batch->greatest[row] > -INFINITY) evidence = 0;
        const crd_answer answer = {(int32_t)batch->decision[row], (uint32_t)batch->tied[row], batch->unseen[row],
                                   evidence};
        answers[row] = answer;
    }
}

void crd_i_answering_conclude(crd_i_answering *batch, const crd_i_wanted *wanted) {
    const crd_i_block *block = &batch->block;
    const crd_i_lanes *lanes = block->lanes;
    size_t rows = block->rows, stride = block->stride, classes = batch->classifier->class_count;
    bool in_logs = wanted->answers != NULL || wanted->log_posteriors != NULL;
    if (wanted->answers != NULL) find_certain(batch);
    if (wanted->answers != NULL || wanted->decisions != NULL)
        lanes->decide(block->sums, stride, rows, classes, CRD_TIE_MARGIN, batch->decision, batch->tied);
    if (in_logs || wanted->probabilities != NULL)
        lanes->conclude(block->sums, stride, rows, classes, batch->greatest, batch->exponentials, batch->totals);
    /* From class by class to row by row. */
    if (wanted->probabilities != NULL) {
        lanes->share(batch->exponentials, stride, rows, classes, batch->totals);
        lanes->transpose(batch->exponentials, stride, classes, rows, wanted->probabilities, classes);
    }
    if (in_logs) lanes->divide(block->sums, stride, rows, wanted->log_posteriors == NULL ? 0 : classes, batch->totals);
    if (wanted->log_posteriors != NULL)
        lanes->transpose(block->sums, stride, classes, rows, wanted->log_posteriors, classes);
    if (wanted->answers != NULL) put_answers(batch, wanted->answers);
    if (wanted->decisions != NULL)
        for (size_t row = 0; row < rows; row++) wanted->decisions[row] = (int32_t)batch->decision[row];
}
