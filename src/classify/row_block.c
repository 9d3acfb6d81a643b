/* SPDX-License-Identifier: MIT */
/* row_block.c - see row_block.h. */
#include "classify/row_block.h"

#include "classify/classify_row.h"
#include "model/frame_binding.h"

#include <math.h>
#include <string.h>

/* Sums that fit into the first level of cache beside a few columns, unless classes are very many. */
enum { MOST_SUMS = 2048, MOST_ROWS = 128 };

static size_t most_rows(const crd_classifier *classifier) {
    size_t rows = MOST_SUMS / classifier->class_count / CRD_I_SIMD * CRD_I_SIMD;
    return rows > MOST_ROWS ? MOST_ROWS : rows < CRD_I_SIMD ? CRD_I_SIMD : rows;
}

/* How many doubles the parts need for each row: sums and exponentials of each class; the columns; decision, tied,
 * greatest and total; and whether it has no evidence, with the count of unseen values, in one double's room. */
enum { OF_CLASSES = 2, OF_ROWS = CRD_I_ROW_BLOCK_WIDTH + 4 + 1 };

/* Naive Bayes adds up a block column by column; other scorers get rows once they are complete. */
static bool is_by_rows(const crd_classifier *classifier) {
    return !classifier->scorer->type->is_naive;
}

/* The bytes of a row's cells, in whole doubles. */
static size_t cells_size(const crd_classifier *classifier) {
    size_t size = classifier->attribute_count * sizeof(crd_i_one_cell);
    return (size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

/* Columns of texts whose log densities are kept at the same time. */
static size_t text_columns(const crd_classifier *classifier) {
    size_t count = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++) count += classifier->attributes[i].kind == CRD_KIND_TEXT;
    return is_by_rows(classifier) || count == 0 ? count : 1;
}

/* The doubles that texts take. */
static size_t texts_room(const crd_classifier *classifier, size_t rows) {
    size_t columns = text_columns(classifier), of_texts = (sizeof(crd_text) + sizeof(double) - 1) / sizeof(double);
    return columns == 0 ? 0 : rows * (columns * classifier->class_count + of_texts);
}

size_t crd_i_row_block_room(const crd_classifier *classifier) {
    size_t rows = most_rows(classifier), classes = classifier->class_count;
    size_t texts = text_columns(classifier);
    if (texts > 0 && classes > SIZE_MAX / sizeof(double) / 4 / rows / texts) return SIZE_MAX;
    if (classes > SIZE_MAX / sizeof(double) / (OF_CLASSES + 1) / rows - OF_ROWS) return SIZE_MAX;
    size_t size = (rows * (OF_CLASSES * classes + OF_ROWS) + classes) * sizeof(double) + CRD_I_SIMD_ALIGNMENT;
    size_t of_texts = texts_room(classifier, rows) * sizeof(double);
    if (of_texts > SIZE_MAX - size) return SIZE_MAX;
    size += of_texts;
    if (!is_by_rows(classifier)) return size;
    size_t more = rows * cells_size(classifier) + classifier->scorer->scratch * sizeof(double);
    return more > SIZE_MAX - size ? SIZE_MAX : size + more;
}

static double *take(double **from, size_t count) {
    double *taken = *from;
    *from += count;
    return taken;
}

void crd_i_row_block_init(crd_i_row_block *batch, const crd_classifier *classifier, void *room) {
    size_t rows = most_rows(classifier), past = (uintptr_t)room % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)room + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    batch->classifier = classifier;
    batch->block.lanes = classifier->lanes;
    batch->block.stride = rows;
    batch->block.rows = 0;
    batch->block.sums = take(&next, rows * classifier->class_count);
    batch->exponentials = take(&next, rows * classifier->class_count);
    batch->columns = take(&next, rows * CRD_I_ROW_BLOCK_WIDTH);
    batch->decision = take(&next, rows);
    batch->tied = take(&next, rows);
    batch->greatest = take(&next, rows);
    batch->totals = take(&next, rows);
    batch->unseen = (uint32_t *)take(&next, rows);
    batch->is_certain = (bool *)(batch->unseen + rows);
    batch->block.row_sums = take(&next, classifier->class_count);
    batch->text_logs = take(&next, rows * text_columns(classifier) * classifier->class_count);
    batch->texts = (crd_text *)next;
    next = batch->text_logs + texts_room(classifier, rows);
    batch->cells = NULL;
    batch->scratch = NULL;
    if (!is_by_rows(classifier)) return;
    batch->cells = (crd_i_one_cell *)take(&next, rows * cells_size(classifier) / sizeof(double));
    batch->scratch = take(&next, classifier->scorer->scratch);
}

void crd_i_row_block_begin(crd_i_row_block *batch, size_t rows) {
    size_t stride = batch->block.stride;
    batch->block.rows = rows;
    for (size_t row = 0; row < rows; row++) batch->unseen[row] = 0;
    if (batch->cells != NULL) {
        for (size_t i = 0; i < rows * batch->classifier->attribute_count; i++) batch->cells[i] = CRD_I_MISSING_CELL;
        return;
    }
    for (size_t k = 0; k < batch->classifier->class_count; k++) {
        double start = batch->classifier->log_priors[k], *sums = batch->block.sums + k * stride;
        for (size_t row = 0; row < stride; row++) sums[row] = start;
    }
}

/* Takes out, and counts, the numbers that no class can have. */
static bool take_out_uncovered(crd_i_row_block *batch, const crd_i_density *density, double *column) {
    bool any = false;
    for (size_t row = 0; row < batch->block.rows; row++) {
        if (isnan(column[row]) || density->family->covers(density, column[row])) continue;
        column[row] = NAN;
        batch->unseen[row]++;
        any = true;
    }
    return any;
}

static void keep_numbers(crd_i_row_block *batch, size_t attribute, const double *column) {
    const crd_classifier *classifier = batch->classifier;
    const crd_i_density *density = classifier->attributes[attribute].density;
    bool may_be_unseen = crd_i_attribute_counts(&classifier->attributes[attribute]) && density->family->covers != NULL;
    for (size_t row = 0; row < batch->block.rows; row++) {
        crd_i_one_cell *cell = &batch->cells[row * classifier->attribute_count + attribute];
        if (isnan(column[row])) continue;
        cell->is_present = true;
        cell->number = column[row];
        cell->is_unseen = may_be_unseen && !density->family->covers(density, column[row]);
    }
}

static void keep_codes(crd_i_row_block *batch, size_t attribute, const int32_t *codes) {
    for (size_t row = 0; row < batch->block.rows; row++) {
        crd_i_one_cell *cell = &batch->cells[row * batch->classifier->attribute_count + attribute];
        cell->is_present = codes[row] != CRD_I_CODE_MISSING;
        cell->is_unseen = codes[row] == CRD_I_CODE_UNSEEN;
        cell->code = codes[row];
    }
}

void crd_i_row_block_add_numbers(crd_i_row_block *batch, size_t attribute, double *column, bool some_missing) {
    const crd_i_attribute *to = &batch->classifier->attributes[attribute];
    if (batch->cells != NULL) {
        keep_numbers(batch, attribute, column);
        return;
    }
    if (!crd_i_attribute_has_density(to)) return;
    if (to->density->family->covers != NULL && take_out_uncovered(batch, to->density, column)) some_missing = true;
    crd_i_cells cells = {.rows = batch->block.rows, .numbers = column};
    batch->block.some_missing = some_missing;
    crd_i_density_add_block(to->density, &cells, &batch->block);
}

void crd_i_row_block_add_codes(crd_i_row_block *batch, size_t attribute, const int32_t *codes) {
    const crd_i_attribute *to = &batch->classifier->attributes[attribute];
    if (batch->cells != NULL) {
        keep_codes(batch, attribute, codes);
        return;
    }
    crd_i_cells cells = {.rows = batch->block.rows, .codes = codes};
    for (size_t row = 0; row < batch->block.rows; row++) batch->unseen[row] += codes[row] == CRD_I_CODE_UNSEEN;
    if (crd_i_attribute_has_density(to)) crd_i_density_add_block(to->density, &cells, &batch->block);
}

/* Where the log densities of a column of texts are kept: of those before it, where cells are. */
static double *text_logs_of(const crd_i_row_block *batch, size_t attribute) {
    size_t before = 0;
    for (size_t i = 0; batch->cells != NULL && i < attribute; i++)
        before += batch->classifier->attributes[i].kind == CRD_KIND_TEXT;
    return batch->text_logs + before * batch->block.stride * batch->classifier->class_count;
}

crd_status crd_i_row_block_add_texts(crd_i_row_block *batch, size_t attribute, crd_error *error) {
    const crd_classifier *classifier = batch->classifier;
    const crd_i_attribute *to = &classifier->attributes[attribute];
    size_t rows = batch->block.rows;
    double *logs = text_logs_of(batch, attribute);
    bool counts = crd_i_attribute_counts(to);
    crd_i_cells cells = {.rows = rows, .texts = batch->texts, .are_bags = batch->are_bags, .text_logs = logs};
    crd_i_terms_read terms[MOST_ROWS] = {{0, 0, 0}};
    crd_status status = CRD_OK;
    if (counts) status = to->density->family->read(to->density, &cells, logs, terms, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; row < rows; row++) {
        batch->unseen[row] += terms[row].unseen;
        if (batch->cells == NULL) continue;
        crd_i_one_cell *cell = &batch->cells[row * classifier->attribute_count + attribute];
        cell->text = batch->texts[row];
        cell->is_bag = batch->are_bags;
        cell->is_present = cell->text.bytes != NULL;
        cell->terms = terms[row];
        cell->logs = counts ? logs + row * classifier->class_count : NULL;
    }
    if (counts && batch->cells == NULL) crd_i_density_add_block(to->density, &cells, &batch->block);
    return CRD_OK;
}

/* ---- Conclusions ---- */

/* Sums that still are the log priors: there was no evidence, and its log is 0. */
static void find_certain(crd_i_row_block *batch) {
    const crd_i_block *block = &batch->block;
    const crd_classifier *classifier = batch->classifier;
    for (size_t row = 0; row < block->rows; row++) {
        size_t k = 0;
        while (k < classifier->class_count && block->sums[k * block->stride + row] == classifier->log_priors[k]) k++;
        batch->is_certain[row] = k == classifier->class_count;
    }
}

static void put_answers(const crd_i_row_block *batch, crd_answer *answers) {
    for (size_t row = 0; row < batch->block.rows; row++) {
        double evidence = batch->greatest[row] + batch->totals[row];
        if (batch->is_certain[row] && batch->greatest[row] > -INFINITY) evidence = 0;
        const crd_answer answer = {(int32_t)batch->decision[row], (uint32_t)batch->tied[row], batch->unseen[row],
                                   evidence};
        answers[row] = answer;
    }
}

/* As crd_i_row_conclude, where no class is left. */
static void be_certain(crd_i_row_block *batch, const crd_i_wanted *wanted, bool has_decisions) {
    size_t classes = batch->classifier->class_count;
    size_t only = crd_i_classifier_only_class(batch->classifier->log_priors, classes);
    for (size_t row = 0; only != SIZE_MAX && row < batch->block.rows; row++) {
        if (has_decisions ? batch->decision[row] >= 0 : batch->greatest[row] > -INFINITY) continue;
        if (wanted->probabilities != NULL) wanted->probabilities[row * classes + only] = 1;
        if (wanted->log_posteriors != NULL) wanted->log_posteriors[row * classes + only] = 0;
        batch->decision[row] = (double)only;
        batch->tied[row] = 1;
    }
}

static crd_status score_row(const crd_i_row_block *batch, size_t row, double *logs, double *probabilities,
                            const crd_i_wanted *wanted, crd_answer *answer, crd_error *error) {
    const crd_classifier *classifier = batch->classifier;
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    size_t classes = classifier->class_count;
    const crd_i_scored_row scored = {classifier, batch->cells + row * classifier->attribute_count, batch->scratch};
    crd_status status = scorer->type->score(scorer, &scored, logs, probabilities, answer, error);
    if (status != CRD_OK) return status;
    if (wanted->found_logs != NULL) memcpy(wanted->found_logs + row * classes, logs, classes * sizeof *logs);
    if (wanted->found != NULL && probabilities != NULL)
        memcpy(wanted->found + row * classes, probabilities, classes * sizeof *probabilities);
    if (correction != NULL) correction->apply(classifier->scorer, &scored, logs, probabilities, answer);
    return CRD_OK;
}

/* Row by row, each as if it were alone. */
static crd_status score_rows(crd_i_row_block *batch, const crd_i_wanted *wanted, size_t *failed, crd_error *error) {
    size_t classes = batch->classifier->class_count;
    for (size_t row = 0; row < batch->block.rows; row++) {
        double *logs = wanted->log_posteriors == NULL ? batch->block.row_sums : wanted->log_posteriors + row * classes;
        double *probabilities = wanted->probabilities == NULL ? NULL : wanted->probabilities + row * classes;
        crd_answer answer;
        crd_status status = score_row(batch, row, logs, probabilities, wanted, &answer, error);
        *failed = row;
        if (status != CRD_OK) return status;
        if (wanted->answers != NULL) wanted->answers[row] = answer;
        if (wanted->decisions != NULL) wanted->decisions[row] = answer.decision;
    }
    return CRD_OK;
}

crd_status crd_i_row_block_conclude(crd_i_row_block *batch, const crd_i_wanted *wanted, size_t *failed,
                                    crd_error *error) {
    if (batch->cells != NULL) return score_rows(batch, wanted, failed, error);
    const crd_i_block *block = &batch->block;
    const crd_i_simd_columns *lanes = block->lanes;
    size_t rows = block->rows, stride = block->stride, classes = batch->classifier->class_count;
    bool in_logs = wanted->answers != NULL || wanted->log_posteriors != NULL;
    bool has_decisions = wanted->answers != NULL || wanted->decisions != NULL;
    if (wanted->answers != NULL) find_certain(batch);
    if (has_decisions) lanes->decide(block->sums, stride, rows, classes, CRD_TIE_MARGIN, batch->decision, batch->tied);
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
    be_certain(batch, wanted, has_decisions);
    if (wanted->answers != NULL) put_answers(batch, wanted->answers);
    if (wanted->decisions != NULL)
        for (size_t row = 0; row < rows; row++) wanted->decisions[row] = (int32_t)batch->decision[row];
    return CRD_OK;
}
