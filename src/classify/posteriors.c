/* SPDX-License-Identifier: MIT */
/* posteriors.c - classifies a whole frame in blocks of rows, and stores the results.
 *
 * Contents:
 *   1. Blocks of rows
 *   2. Conclusions of a block
 *   3. Results
 *   4. Frames */
#include "classify/posteriors.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"

#include <math.h>
#include <string.h>

/* ======== 1. Blocks of rows ======== */

/* Bounds of a block: its sums fit into the L1 cache together with a few columns, unless there are very many classes. */
enum { MOST_SUMS = 2048, MOST_ROWS = 128 };

static size_t row_block_most(const crd_classifier *classifier) {
    size_t rows = MOST_SUMS / classifier->class_count / CRD_I_SIMD * CRD_I_SIMD;
    return rows > MOST_ROWS ? MOST_ROWS : rows < CRD_I_SIMD ? CRD_I_SIMD : rows;
}

/* Doubles needed for each row. Per class: sum and exponential. Per row: the columns; decision, tied, greatest and
 * total; and one double that holds both the no-evidence flag and the number of unseen values. */
enum { OF_CLASSES = 2, OF_ROWS = CRD_I_ROW_BLOCK_WIDTH + 4 + 1 };

/* Returns whether rows are scored one by one. Naive Bayes sums a block column by column; other scorers need all values
 * of a row at once. */
static bool row_block_is_by_rows(const crd_classifier *classifier) {
    return !classifier->scorer->type->is_naive;
}

/* Returns the size of the values of one row in bytes, rounded up to whole doubles. */
static size_t cells_size(const crd_classifier *classifier) {
    size_t size = classifier->attribute_count * sizeof(crd_i_one_cell);
    return (size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

/* Returns the number of text columns whose log densities are stored at the same time. */
static size_t text_columns(const crd_classifier *classifier) {
    size_t count = 0;
    for (size_t i = 0; i < classifier->attribute_count; i++) count += classifier->attributes[i].type == CRD_TYPE_TEXT;
    return row_block_is_by_rows(classifier) || count == 0 ? count : 1;
}

/* Returns the number of doubles that texts need. */
static size_t row_block_texts_room(const crd_classifier *classifier, size_t rows) {
    size_t columns = text_columns(classifier), of_texts = (sizeof(crd_text) + sizeof(double) - 1) / sizeof(double);
    return columns == 0 ? 0 : rows * (columns * classifier->class_count + of_texts);
}

/* Adds up the sizes of all parts with checks for overflow. crd_i_row_block_init lays out the same parts. */
size_t crd_i_row_block_room(const crd_classifier *classifier) {
    size_t rows = row_block_most(classifier), classes = classifier->class_count;
    size_t texts = text_columns(classifier);
    if (texts > 0 && classes > SIZE_MAX / sizeof(double) / 4 / rows / texts) return SIZE_MAX;
    if (classes > SIZE_MAX / sizeof(double) / (OF_CLASSES + 1) / rows - OF_ROWS) return SIZE_MAX;
    size_t size = (rows * (OF_CLASSES * classes + OF_ROWS) + classes) * sizeof(double) + CRD_I_SIMD_ALIGNMENT;
    size_t of_texts = row_block_texts_room(classifier, rows) * sizeof(double);
    if (of_texts > SIZE_MAX - size) return SIZE_MAX;
    size += of_texts;
    if (!row_block_is_by_rows(classifier)) return size;
    size_t more = rows * cells_size(classifier) + classifier->scorer->scratch * sizeof(double);
    return more > SIZE_MAX - size ? SIZE_MAX : size + more;
}

static double *row_block_take(double **source, size_t count) {
    double *taken = *source;
    *source += count;
    return taken;
}

void crd_i_row_block_init(crd_i_row_block *row, const crd_classifier *classifier, void *workspace) {
    size_t rows = row_block_most(classifier), past = (uintptr_t)workspace % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)workspace + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    row->classifier = classifier;
    row->block.lanes = classifier->lanes;
    row->block.stride = rows;
    row->block.rows = 0;
    row->block.sums = row_block_take(&next, rows * classifier->class_count);
    row->exponentials = row_block_take(&next, rows * classifier->class_count);
    row->columns = row_block_take(&next, rows * CRD_I_ROW_BLOCK_WIDTH);
    row->decision = row_block_take(&next, rows);
    row->tied = row_block_take(&next, rows);
    row->greatest = row_block_take(&next, rows);
    row->totals = row_block_take(&next, rows);
    row->unseen = (uint32_t *)row_block_take(&next, rows);
    row->lacks_evidence = (bool *)(row->unseen + rows);
    row->block.row_sums = row_block_take(&next, classifier->class_count);
    row->text_logs = row_block_take(&next, rows * text_columns(classifier) * classifier->class_count);
    row->texts = (crd_text *)next;
    next = row->text_logs + row_block_texts_room(classifier, rows);
    row->cells = NULL;
    row->scratch = NULL;
    if (!row_block_is_by_rows(classifier)) return;
    row->cells = (crd_i_one_cell *)row_block_take(&next, rows * cells_size(classifier) / sizeof(double));
    row->scratch = row_block_take(&next, classifier->scorer->scratch);
}

void crd_i_row_block_begin(crd_i_row_block *row_block, size_t rows) {
    size_t stride = row_block->block.stride;
    row_block->block.rows = rows;
    for (size_t row = 0; row < rows; row++) row_block->unseen[row] = 0;
    if (row_block->cells != NULL) {
        for (size_t i = 0; i < rows * row_block->classifier->attribute_count; i++)
            row_block->cells[i] = CRD_I_MISSING_CELL;
        return;
    }
    for (size_t k = 0; k < row_block->classifier->class_count; k++) {
        double start = row_block->classifier->log_priors[k], *sums = row_block->block.sums + k * stride;
        for (size_t row = 0; row < stride; row++) sums[row] = start;
    }
}

/* Replaces numbers that no class can have by NaN and counts them as unseen. Returns whether there were any. */
static bool take_out_uncovered(crd_i_row_block *row_block, const crd_i_density *density, double *column) {
    bool any = false;
    for (size_t row = 0; row < row_block->block.rows; row++) {
        if (isnan(column[row]) || density->family->covers(density, column[row])) continue;
        column[row] = NAN;
        row_block->unseen[row]++;
        any = true;
    }
    return any;
}

static void row_block_keep_numbers(crd_i_row_block *row_block, size_t attribute, const double *column) {
    const crd_classifier *classifier = row_block->classifier;
    const crd_i_density *density = classifier->attributes[attribute].density;
    bool may_be_unseen = crd_i_attribute_counts(&classifier->attributes[attribute]) && density->family->covers != NULL;
    for (size_t row = 0; row < row_block->block.rows; row++) {
        crd_i_one_cell *cell = &row_block->cells[row * classifier->attribute_count + attribute];
        if (isnan(column[row])) continue;
        cell->is_present = true;
        cell->number = column[row];
        cell->is_unseen = may_be_unseen && !density->family->covers(density, column[row]);
    }
}

static void keep_codes(crd_i_row_block *row_block, size_t attribute, const int32_t *codes) {
    for (size_t row = 0; row < row_block->block.rows; row++) {
        crd_i_one_cell *cell = &row_block->cells[row * row_block->classifier->attribute_count + attribute];
        cell->is_present = codes[row] != CRD_I_CODE_MISSING;
        cell->is_unseen = codes[row] == CRD_I_CODE_UNSEEN;
        cell->code = codes[row];
    }
}

void crd_i_row_block_add_numbers(crd_i_row_block *row, size_t attribute, double *column, bool some_missing) {
    const crd_i_attribute *target_attribute = &row->classifier->attributes[attribute];
    if (row->cells != NULL) {
        row_block_keep_numbers(row, attribute, column);
        return;
    }
    if (!crd_i_attribute_has_density(target_attribute)) return;
    if (target_attribute->density->family->covers != NULL && take_out_uncovered(row, target_attribute->density, column))
        some_missing = true;
    crd_i_cells cells = {.rows = row->block.rows, .numbers = column};
    row->block.some_missing = some_missing;
    crd_i_density_add_block(target_attribute->density, &cells, &row->block);
}

static void row_block_add_codes(crd_i_row_block *row_block, size_t attribute, const int32_t *codes) {
    const crd_i_attribute *target_attribute = &row_block->classifier->attributes[attribute];
    if (row_block->cells != NULL) {
        keep_codes(row_block, attribute, codes);
        return;
    }
    crd_i_cells cells = {.rows = row_block->block.rows, .codes = codes};
    for (size_t row = 0; row < row_block->block.rows; row++) row_block->unseen[row] += codes[row] == CRD_I_CODE_UNSEEN;
    if (crd_i_attribute_has_density(target_attribute))
        crd_i_density_add_block(target_attribute->density, &cells, &row_block->block);
}

/* Returns the place for the log densities of a text column. If rows are scored one by one, each text column has its own
 * place; otherwise all share one. */
static double *text_logs_of(const crd_i_row_block *row, size_t attribute) {
    size_t before = 0;
    for (size_t i = 0; row->cells != NULL && i < attribute; i++)
        before += row->classifier->attributes[i].type == CRD_TYPE_TEXT;
    return row->text_logs + before * row->block.stride * row->classifier->class_count;
}

/* Computes the log densities of the texts in row_block->texts; bytes NULL: missing. They are either added to the sums,
 * or stored with the values of each row. */
static crd_status row_block_add_texts(crd_i_row_block *row_block, size_t attribute, crd_error *error) {
    const crd_classifier *classifier = row_block->classifier;
    const crd_i_attribute *target_attribute = &classifier->attributes[attribute];
    size_t rows = row_block->block.rows;
    double *logs = text_logs_of(row_block, attribute);
    bool counts = crd_i_attribute_counts(target_attribute);
    crd_i_cells cells = {.rows = rows, .texts = row_block->texts, .are_bags = row_block->are_bags, .text_logs = logs};
    crd_i_terms_read terms[MOST_ROWS] = {{0, 0, 0}};
    crd_status status = CRD_OK;
    if (counts) status = target_attribute->density->family->read(target_attribute->density, &cells, logs, terms, error);
    if (status != CRD_OK) return status;
    for (size_t row = 0; row < rows; row++) {
        row_block->unseen[row] += terms[row].unseen;
        if (row_block->cells == NULL) continue;
        crd_i_one_cell *cell = &row_block->cells[row * classifier->attribute_count + attribute];
        cell->text = row_block->texts[row];
        cell->is_bag = row_block->are_bags;
        cell->is_present = cell->text.bytes != NULL;
        cell->terms = terms[row];
        cell->logs = counts ? logs + row * classifier->class_count : NULL;
    }
    if (counts && row_block->cells == NULL)
        crd_i_density_add_block(target_attribute->density, &cells, &row_block->block);
    return CRD_OK;
}

/* ======== 2. Conclusions of a block ======== */

/* Finds rows whose sums still equal the log priors. They have no evidence, and their log evidence is 0. */
static void find_rows_without_evidence(crd_i_row_block *row_block) {
    const crd_i_block *block = &row_block->block;
    const crd_classifier *classifier = row_block->classifier;
    for (size_t row = 0; row < block->rows; row++) {
        size_t k = 0;
        while (k < classifier->class_count && block->sums[k * block->stride + row] == classifier->log_priors[k]) k++;
        row_block->lacks_evidence[row] = k == classifier->class_count;
    }
}

static void put_answers(const crd_i_row_block *row_block, crd_answer *answers) {
    for (size_t row = 0; row < row_block->block.rows; row++) {
        double evidence = row_block->greatest[row] + row_block->totals[row];
        if (row_block->lacks_evidence[row] && row_block->greatest[row] > -INFINITY) evidence = 0;
        const crd_answer answer = {(int32_t)row_block->decision[row], (uint32_t)row_block->tied[row],
                                   row_block->unseen[row], evidence};
        answers[row] = answer;
    }
}

/* Handles rows for which all classes have probability 0, like crd_i_row_conclude. */
static void row_block_choose_only_class(crd_i_row_block *row_block, const crd_results *results, bool has_decisions) {
    size_t classes = row_block->classifier->class_count;
    size_t only = crd_i_classifier_only_class(row_block->classifier->log_priors, classes);
    for (size_t row = 0; only != SIZE_MAX && row < row_block->block.rows; row++) {
        if (has_decisions ? row_block->decision[row] >= 0 : row_block->greatest[row] > -INFINITY) continue;
        if (results->probabilities != NULL) results->probabilities[row * classes + only] = 1;
        if (results->log_posteriors != NULL) results->log_posteriors[row * classes + only] = 0;
        row_block->decision[row] = (double)only;
        row_block->tied[row] = 1;
    }
}

/* Scores one row, stores its uncorrected results if wanted, and then applies the correction, if the scorer has one. */
static crd_status score_row(const crd_i_row_block *row_block, size_t row, double *logs, double *probabilities,
                            const crd_results *results, crd_answer *answer, crd_error *error) {
    const crd_classifier *classifier = row_block->classifier;
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    const crd_i_scorer_correction *correction = classifier->scorer->type->correction;
    size_t classes = classifier->class_count;
    const crd_i_scored_row scored = {classifier, row_block->cells + row * classifier->attribute_count,
                                     row_block->scratch};
    crd_status status = scorer->type->score(scorer, &scored, logs, probabilities, answer, error);
    if (status != CRD_OK) return status;
    if (results->uncalibrated_logs != NULL)
        memcpy(results->uncalibrated_logs + row * classes, logs, classes * sizeof *logs);
    if (results->uncalibrated != NULL && probabilities != NULL)
        memcpy(results->uncalibrated + row * classes, probabilities, classes * sizeof *probabilities);
    if (correction != NULL) correction->apply(classifier->scorer, &scored, logs, probabilities, answer);
    return CRD_OK;
}

/* Scores the rows one by one, each independently of the block. */
static crd_status row_block_score(crd_i_row_block *row_block, const crd_results *results, size_t *failed,
                                  crd_error *error) {
    size_t classes = row_block->classifier->class_count;
    for (size_t row = 0; row < row_block->block.rows; row++) {
        double *logs =
            results->log_posteriors == NULL ? row_block->block.row_sums : results->log_posteriors + row * classes;
        double *probabilities = results->probabilities == NULL ? NULL : results->probabilities + row * classes;
        crd_answer answer;
        crd_status status = score_row(row_block, row, logs, probabilities, results, &answer, error);
        *failed = row;
        if (status != CRD_OK) return status;
        if (results->answers != NULL) results->answers[row] = answer;
        if (results->decisions != NULL) results->decisions[row] = answer.decision;
    }
    return CRD_OK;
}

/* Converts the sums of all rows with vectorized functions. The wanted results determine which steps are needed. */
crd_status crd_i_row_block_conclude(crd_i_row_block *row_block, const crd_results *results, size_t *failed,
                                    crd_error *error) {
    if (row_block->cells != NULL) return row_block_score(row_block, results, failed, error);
    const crd_i_block *block = &row_block->block;
    const crd_i_simd_columns *lanes = block->lanes;
    size_t rows = block->rows, stride = block->stride, classes = row_block->classifier->class_count;
    bool in_logs = results->answers != NULL || results->log_posteriors != NULL;
    bool has_decisions = results->answers != NULL || results->decisions != NULL;
    if (results->answers != NULL) find_rows_without_evidence(row_block);
    if (has_decisions)
        lanes->decide(block->sums, stride, rows, classes, CRD_TIE_MARGIN, row_block->decision, row_block->tied);
    if (in_logs || results->probabilities != NULL)
        lanes->conclude(block->sums, stride, rows, classes, row_block->greatest, row_block->exponentials,
                        row_block->totals);
    /* Transpose, because results are stored row by row. */
    if (results->probabilities != NULL) {
        lanes->share(row_block->exponentials, stride, rows, classes, row_block->totals);
        lanes->transpose(row_block->exponentials, stride, classes, rows, results->probabilities, classes);
    }
    if (in_logs)
        lanes->divide(block->sums, stride, rows, results->log_posteriors == NULL ? 0 : classes, row_block->totals);
    if (results->log_posteriors != NULL)
        lanes->transpose(block->sums, stride, classes, rows, results->log_posteriors, classes);
    row_block_choose_only_class(row_block, results, has_decisions);
    if (results->answers != NULL) put_answers(row_block, results->answers);
    if (results->decisions != NULL)
        for (size_t row = 0; row < rows; row++) results->decisions[row] = (int32_t)row_block->decision[row];
    return CRD_OK;
}

/* ======== 3. Results ======== */

crd_status crd_posteriors_create(crd_context *context, crd_posteriors **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = context;
    (*out)->binding.context = context;
    return CRD_OK;
}

void crd_posteriors_destroy(crd_posteriors *posteriors) {
    if (posteriors == NULL) return;
    crd_i_binding_clear(&posteriors->binding);
    crd_free(posteriors->context, posteriors->logs);
    crd_free(posteriors->context, posteriors->probabilities);
    crd_free(posteriors->context, posteriors->uncalibrated_logs);
    crd_free(posteriors->context, posteriors->uncalibrated);
    crd_free(posteriors->context, posteriors->memory);
    crd_free(posteriors->context, posteriors->answers);
    crd_free(posteriors->context, posteriors);
}

size_t crd_posteriors_frame_rows(size_t classes) {
    enum { MOST_ANSWERS = 1 << 19 }; /* 16 bytes each in memory, and more when written as text */
    return classes >= MOST_ANSWERS ? 1 : MOST_ANSWERS / (classes + (classes == 0));
}

size_t crd_posteriors_rows(const crd_posteriors *posteriors) {
    return posteriors->rows;
}

const double *crd_posteriors_log(const crd_posteriors *posteriors, size_t row) {
    return posteriors->logs + row * posteriors->classes;
}

const double *crd_posteriors_probabilities(const crd_posteriors *posteriors, size_t row) {
    return posteriors->probabilities + row * posteriors->classes;
}

const double *crd_i_posteriors_uncalibrated_log(const crd_posteriors *posteriors, size_t row) {
    return posteriors->is_calibrated ? posteriors->uncalibrated_logs + row * posteriors->classes : NULL;
}

const double *crd_i_posteriors_uncalibrated(const crd_posteriors *posteriors, size_t row) {
    return posteriors->is_calibrated ? posteriors->uncalibrated + row * posteriors->classes : NULL;
}

const crd_answer *crd_posteriors_answer(const crd_posteriors *posteriors, size_t row) {
    return &posteriors->answers[row];
}

static crd_text attribute_name(const void *names, size_t i) {
    return ((const crd_classifier *)names)->attributes[i].name;
}

static bool posteriors_any_present(const crd_i_column *column, size_t rows) {
    for (size_t row = 0; row < rows; row++)
        if (crd_i_column_present(column, row)) return true;
    return false;
}

crd_status crd_i_attribute_check_type(const crd_i_attribute *attribute, const crd_i_column *column, size_t rows,
                                      crd_error *error) {
    if (column->type == attribute->type || !posteriors_any_present(column, rows)) return CRD_OK;
    char name[CRD_I_QUOTED_ROOM];
    static const char *const types[] = {[CRD_TYPE_NONE] = "no values",
                                        [CRD_TYPE_NUMERIC] = "numbers",
                                        [CRD_TYPE_CATEGORICAL] = "categories",
                                        [CRD_TYPE_TEXT] = "texts"};
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' contains %s, but the model expects %s",
               crd_i_quote(attribute->name, name), types[column->type], types[attribute->type]);
    crd_i_error_subject(error, attribute->name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes) {
    posteriors->rows = 0;
    posteriors->classes = classes;
    posteriors->is_calibrated = false;
    return rows <= SIZE_MAX / classes &&
           crd_i_reserve(posteriors->context, &posteriors->logs, &posteriors->logs_capacity, rows * classes,
                         sizeof *posteriors->logs) &&
           crd_i_reserve(posteriors->context, &posteriors->probabilities, &posteriors->probabilities_capacity,
                         rows * classes, sizeof *posteriors->probabilities) &&
           crd_i_reserve(posteriors->context, &posteriors->answers, &posteriors->answers_capacity, rows,
                         sizeof *posteriors->answers);
}

bool crd_i_posteriors_open_uncalibrated(crd_posteriors *posteriors, size_t rows) {
    size_t count = rows * posteriors->classes;
    posteriors->is_calibrated =
        crd_i_reserve(posteriors->context, &posteriors->uncalibrated_logs, &posteriors->uncalibrated_logs_capacity,
                      count, sizeof *posteriors->uncalibrated_logs) &&
        crd_i_reserve(posteriors->context, &posteriors->uncalibrated, &posteriors->uncalibrated_capacity, count,
                      sizeof *posteriors->uncalibrated);
    return posteriors->is_calibrated;
}

/* ======== 4. Frames ======== */

/* Initializes a block in the memory of `posteriors`, which grows if needed. Returns false if memory runs out. */
static bool open_batch(crd_posteriors *posteriors, const crd_classifier *classifier, crd_i_row_block *row) {
    size_t size = crd_i_row_block_room(classifier);
    if (posteriors->room_size < size) {
        crd_free(posteriors->context, posteriors->memory);
        posteriors->memory = crd_i_alloc_zeroed(posteriors->context, 1, size);
        posteriors->room_size = posteriors->memory == NULL ? 0 : size;
        if (posteriors->memory == NULL) return false;
    }
    crd_i_row_block_init(row, classifier, posteriors->memory);
    return true;
}

/* Returns the frame's column for an attribute; NULL if there is none, or if its type does not match because it has no
 * values. */
static const crd_i_column *posteriors_column(const crd_classifier *classifier, const crd_frame *frame,
                                             const crd_posteriors *posteriors, size_t i) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    const crd_i_column *column = crd_i_binding_column(&posteriors->binding, frame, i);
    if (column == NULL || attribute->type == CRD_TYPE_NONE || column->type != attribute->type) return NULL;
    return column;
}

/* Checks that the types of all bound columns match the classifier's attributes. */
static crd_status posteriors_check_types(const crd_classifier *classifier, const crd_frame *frame,
                                         const crd_posteriors *posteriors, crd_error *error) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        const crd_i_column *column = crd_i_binding_column(&posteriors->binding, frame, i);
        if (column == NULL || column->type == CRD_TYPE_NONE || attribute->type == CRD_TYPE_NONE) continue;
        crd_status status = crd_i_attribute_check_type(attribute, column, frame->rows, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Copies the numbers of `rows` rows, beginning with row `first`. Missing values become NaN. */
static void posteriors_copy_numbers(const crd_i_column *column, size_t first, size_t rows, double *destination) {
    memcpy(destination, column->numbers + first, rows * sizeof *destination);
    if (column->validity == NULL) return;
    for (size_t row = 0; row < rows; row++)
        if (!crd_i_column_present(column, first + row)) destination[row] = NAN;
}

static void point_to_texts(const crd_i_column *column, size_t first, size_t rows, crd_text *view) {
    const crd_text missing = {NULL, 0};
    for (size_t row = 0; row < rows; row++)
        view[row] = crd_i_column_present(column, first + row) ? column->texts[first + row] : missing;
}

/* Adds the columns of the block's rows in schema order. Category codes are translated to the classifier's codes. */
static crd_status posteriors_add_columns(crd_i_row_block *row, const crd_frame *frame, size_t first,
                                         crd_posteriors *posteriors, crd_error *error) {
    const crd_classifier *classifier = row->classifier;
    size_t rows = row->block.rows;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_column *column = posteriors_column(classifier, frame, posteriors, i);
        if (column == NULL) continue;
        if (column->type == CRD_TYPE_CATEGORICAL) {
            const int32_t *codes = crd_i_binding_translate_rows(&posteriors->binding, frame, i, first, rows,
                                                                classifier->attributes[i].values);
            if (codes == NULL) return crd_i_fail_memory(error);
            row_block_add_codes(row, i, codes);
        } else if (column->type == CRD_TYPE_TEXT) {
            point_to_texts(column, first, rows, row->texts);
            row->are_bags = column->are_bags;
            crd_status status = row_block_add_texts(row, i, error);
            if (status != CRD_OK) return status;
        } else {
            posteriors_copy_numbers(column, first, rows, row->columns);
            bool some_missing = !row->block.lanes->all_finite(row->columns, rows);
            crd_i_row_block_add_numbers(row, i, row->columns, some_missing);
        }
    }
    return CRD_OK;
}

crd_status crd_i_posteriors_bind(crd_posteriors *posteriors, const crd_classifier *classifier, const crd_frame *frame,
                                 crd_error *error) {
    uint64_t owner = classifier->context == posteriors->context ? classifier->serial : CRD_I_FOREIGN_OWNER;
    crd_i_row_block row;
    if (!open_batch(posteriors, classifier, &row) ||
        !crd_i_binding_bind(&posteriors->binding, owner, frame, classifier->attribute_count, attribute_name,
                            classifier))
        return crd_i_fail_memory(error);
    return posteriors_check_types(classifier, frame, posteriors, error);
}

static double *results_row(double *array, size_t row, size_t classes) {
    return array == NULL ? NULL : array + row * classes;
}

crd_results crd_i_results_from(const crd_results *results, size_t first, size_t classes) {
    crd_results from = *results;
    from.log_posteriors = results_row(results->log_posteriors, first, classes);
    from.probabilities = results_row(results->probabilities, first, classes);
    from.uncalibrated_logs = results_row(results->uncalibrated_logs, first, classes);
    from.uncalibrated = results_row(results->uncalibrated, first, classes);
    if (results->answers != NULL) from.answers += first;
    if (results->decisions != NULL) from.decisions += first;
    return from;
}

/* Processes the rows block by block and writes the results to the matching part of each array. */
crd_status crd_i_posteriors_answer(crd_posteriors *posteriors, const crd_classifier *classifier, const crd_frame *frame,
                                   size_t first, size_t end, const crd_results *results, crd_error *error) {
    crd_i_row_block row_block;
    if (!open_batch(posteriors, classifier, &row_block)) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (; status == CRD_OK && first < end; first += row_block.block.stride) {
        const crd_results from = crd_i_results_from(results, first, classifier->class_count);
        size_t failed;
        crd_i_row_block_begin(&row_block, end - first < row_block.block.stride ? end - first : row_block.block.stride);
        status = posteriors_add_columns(&row_block, frame, first, posteriors, error);
        if (status == CRD_OK) status = crd_i_row_block_conclude(&row_block, &from, &failed, error);
    }
    return status;
}

/* Allocates room for the results and classifies the whole frame with one thread. */
crd_status crd_classifier_classify(const crd_classifier *classifier, const crd_frame *frame, crd_posteriors *posteriors,
                                   crd_error *error) {
    size_t rows = frame->rows;
    bool is_calibrated = classifier->scorer->type->correction != NULL;
    if (!crd_i_posteriors_open(posteriors, rows, classifier->class_count) ||
        (is_calibrated && !crd_i_posteriors_open_uncalibrated(posteriors, rows)))
        return crd_i_fail_memory(error);
    crd_results results = CRD_RESULTS_INIT;
    results.log_posteriors = posteriors->logs;
    results.probabilities = posteriors->probabilities;
    results.uncalibrated_logs = is_calibrated ? posteriors->uncalibrated_logs : NULL;
    results.uncalibrated = is_calibrated ? posteriors->uncalibrated : NULL;
    results.answers = posteriors->answers;
    crd_status status = crd_i_posteriors_bind(posteriors, classifier, frame, error);
    if (status == CRD_OK) status = crd_i_posteriors_answer(posteriors, classifier, frame, 0, rows, &results, error);
    if (status == CRD_OK) posteriors->rows = rows;
    return status;
}
