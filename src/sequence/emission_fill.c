/* SPDX-License-Identifier: MIT */
/* emission_fill.c - computes log P(observation | state) for a range of steps and all states.
 *
 * Numeric columns are added column by column to sums grouped by class, with several steps per SIMD vector, in tables
 * that fit in the L1 cache. The sums are then transposed to one row per step, to which categorical columns are added.
 * If columns have a joint density, steps are evaluated one by one. */
#include "sequence/emission_binding.h"

#include "base/memory.h"
#include "classify/naive_scorer.h"
#include "math/functions/elementary.h"

#include <credence/number.h>

#include <math.h>
#include <string.h>

/* Maximum number of sums: a table that fits in the L1 cache together with a few columns. */
enum { MOST_SUMS = 2048, MOST_STEPS = 128 };

/* Log probabilities of the integers below this limit are cached, so the probabilities of a count are computed only
 * once. */
enum { KEPT_NUMBERS = 256 };

struct crd_i_emission_room {
    crd_context *context;
    crd_i_observation_room observations;
    size_t chunk;          /* number of steps that are evaluated together */
    void *block;           /* memory block that contains the following arrays */
    double *sums;          /* [class * chunk + step] */
    double *column;        /* numbers of a chunk */
    double *rows;          /* [step * classes + class], if classes are not states */
    double *shares;        /* weights of the components of all states at one step */
    double *scratch;       /* scratch space of the scorer, if steps are evaluated one by one */
    crd_i_one_cell *cells; /* values of one step, by attribute, if steps are evaluated one by one */
    /* For each attribute with a discrete family: cached log probabilities [number * classes + class]; NaN: not yet
     * computed. NULL: the attribute has a density. */
    double **kept;
    size_t attributes;
};

/* ---- Workspace ---- */

static bool emission_fill_is_by_rows(const crd_i_emission_model *emission) {
    return !emission->classifier->scorer->type->is_naive;
}

static size_t chunk_of(size_t classes) {
    size_t steps = MOST_SUMS / classes / CRD_I_SIMD * CRD_I_SIMD;
    return steps > MOST_STEPS ? MOST_STEPS : steps < CRD_I_SIMD ? CRD_I_SIMD : steps;
}

static double *emission_fill_take(double **source, size_t count) {
    double *taken = *source;
    *source += count;
    return taken;
}

static bool has_whole_numbers(const crd_i_attribute *attribute) {
    return attribute->kind == CRD_KIND_NUMBER && crd_i_attribute_counts(attribute) &&
           attribute->density->family->is_discrete;
}

static bool emission_fill_keep_numbers(crd_i_emission_room *workspace, const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (!has_whole_numbers(&classifier->attributes[i])) continue;
        workspace->kept[i] =
            crd_i_alloc(workspace->context, KEPT_NUMBERS * classifier->class_count, sizeof **workspace->kept);
        if (workspace->kept[i] == NULL) return false;
        for (size_t x = 0; x < KEPT_NUMBERS; x++) workspace->kept[i][x * classifier->class_count] = NAN;
    }
    return true;
}

crd_status crd_i_emission_room_create(const crd_i_emission_binding *binding, crd_i_emission_room **out,
                                      crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    const crd_classifier *classifier = emission->classifier;
    size_t classes = classifier->class_count, chunk = chunk_of(classes);
    size_t parts = emission->states * emission->components, scratch = classifier->scorer->scratch;
    *out = NULL;
    crd_i_emission_room *workspace = crd_i_alloc_zeroed(binding->context, 1, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    workspace->context = workspace->observations.context = binding->context;
    workspace->chunk = chunk;
    workspace->block = crd_i_alloc_zeroed(
        binding->context, 2 * chunk * classes + chunk + parts + scratch + CRD_I_SIMD_ALIGNMENT / sizeof(double),
        sizeof(double));
    workspace->cells = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *workspace->cells);
    workspace->kept = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *workspace->kept);
    workspace->attributes = classifier->attribute_count;
    if (workspace->block == NULL || workspace->cells == NULL || workspace->kept == NULL ||
        !emission_fill_keep_numbers(workspace, classifier)) {
        crd_i_emission_room_destroy(workspace);
        return crd_i_fail_memory(error);
    }
    size_t past = (uintptr_t)workspace->block % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)workspace->block + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    workspace->sums = emission_fill_take(&next, chunk * classes);
    workspace->column = emission_fill_take(&next, chunk);
    workspace->rows = emission_fill_take(&next, chunk * classes);
    workspace->shares = emission_fill_take(&next, parts);
    workspace->scratch = emission_fill_take(&next, scratch);
    *out = workspace;
    return CRD_OK;
}

void crd_i_emission_room_destroy(crd_i_emission_room *workspace) {
    if (workspace == NULL) return;
    crd_i_observation_room_clear(&workspace->observations);
    crd_free(workspace->context, workspace->block);
    for (size_t i = 0; workspace->kept != NULL && i < workspace->attributes; i++)
        crd_free(workspace->context, workspace->kept[i]);
    crd_free(workspace->context, workspace->kept);
    crd_free(workspace->context, workspace->cells);
    crd_free(workspace->context, workspace);
}

/* ---- Column by column ---- */

/* Returns a column's numbers, with numbers outside the support of the family replaced by NaN. Copies them if some are
 * replaced, or if vectors would read past the last number. Sets *some_missing if any number is missing. */
static const double *emission_fill_load_numbers(const crd_i_density *density, const double *source, size_t count,
                                                double *room, bool *some_missing) {
    const bool is_copied = density->family->covers != NULL || count % CRD_I_SIMD != 0;
    const double *numbers = is_copied ? room : source;
    size_t missing = 0;
    if (is_copied) memcpy(room, source, count * sizeof *room);
    for (size_t i = 0; density->family->covers != NULL && i < count; i++)
        if (!isnan(room[i]) && !density->family->covers(density, room[i])) room[i] = NAN;
    for (size_t i = 0; i < count; i++) missing += numbers[i] != numbers[i];
    *some_missing = missing > 0;
    return numbers;
}

/* Computes the sums of the log densities of all numeric columns, one row per step; zeros if there are no such
 * columns. */
static void emission_fill_add_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                      size_t source, size_t count, crd_i_emission_room *workspace, double *rows,
                                      size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    size_t classes = classifier->class_count;
    bool any = false;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->kind != CRD_KIND_NUMBER || !crd_i_attribute_counts(attribute) ||
            workspace->kept[i] != NULL)
            continue;
        if (!any) memset(workspace->sums, 0, workspace->chunk * classes * sizeof *workspace->sums);
        any = true;
        bool some_missing;
        const double *numbers = emission_fill_load_numbers(attribute->density, steps->numbers[bound->column] + source,
                                                           count, workspace->column, &some_missing);
        const crd_i_cells cells = {.rows = count, .numbers = numbers};
        const crd_i_block block = {.lanes = classifier->lanes,
                                   .rows = count,
                                   .stride = workspace->chunk,
                                   .some_missing = some_missing,
                                   .sums = workspace->sums,
                                   .row_sums = workspace->scratch};
        crd_i_density_add_block(attribute->density, &cells, &block);
    }
    if (any) {
        classifier->lanes->transpose(workspace->sums, workspace->chunk, classes, count, rows, stride);
        return;
    }
    for (size_t row = 0; row < count; row++) memset(rows + row * stride, 0, classes * sizeof *rows);
}

/* Adds the log probabilities of an integer under all classes, using the cache. */
static void add_whole_number(const crd_i_density *density, double x, double *kept, size_t classes, double *row) {
    const crd_i_cells cell = {.rows = 1, .numbers = &x};
    if (isnan(x) || (density->family->covers != NULL && !density->family->covers(density, x))) return;
    if (!(x >= 0 && x < KEPT_NUMBERS && x == floor(x))) {
        density->family->add(density, &cell, row);
        return;
    }
    double *logs = kept + (size_t)x * classes;
    if (isnan(logs[0])) {
        memset(logs, 0, classes * sizeof *logs);
        density->family->add(density, &cell, logs);
    }
    for (size_t k = 0; k < classes; k++) row[k] += logs[k];
}

static void add_whole_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                              size_t source, size_t count, const crd_i_emission_room *workspace, double *rows,
                              size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        if (bound->column == SIZE_MAX || workspace->kept[i] == NULL) continue;
        for (size_t row = 0; row < count; row++)
            add_whole_number(classifier->attributes[i].density, steps->numbers[bound->column][source + row],
                             workspace->kept[i], classifier->class_count, rows + row * stride);
    }
}

/* Returns the model's code of a value. */
static int32_t code_of(const crd_i_bound_attribute *bound, const crd_i_attribute *attribute,
                       const crd_i_observation_block *steps, size_t step) {
    if (bound->is_number) {
        double x = steps->numbers[bound->column][step];
        return isnan(x) ? CRD_I_CODE_MISSING : bound->codes[crd_i_intervals_find(&attribute->intervals, x)];
    }
    int32_t code = steps->codes[bound->column][step];
    return code < 0 ? CRD_I_CODE_MISSING : bound->codes[code];
}

static void add_code(const crd_i_density *density, const crd_i_bound_attribute *bound, int32_t code, size_t classes,
                     double *row) {
    if (code >= 0) {
        const crd_i_cells cells = {.rows = 1, .codes = &code};
        density->family->add(density, &cells, row);
    } else if (code <= CRD_I_CODE_WORD) {
        const double *logs = bound->words + (size_t)(CRD_I_CODE_WORD - code) * classes;
        for (size_t k = 0; k < classes; k++) row[k] += logs[k];
    }
}

static void emission_fill_add_categories(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                         size_t source, size_t count, double *rows, size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->kind != CRD_KIND_CATEGORY || !crd_i_attribute_counts(attribute))
            continue;
        for (size_t row = 0; row < count; row++)
            add_code(attribute->density, bound, code_of(bound, attribute, steps, source + row), classifier->class_count,
                     rows + row * stride);
    }
}

/* ---- Step by step ---- */

/* Reads the values of one step for the scorer. */
static void emission_fill_read_cells(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                     size_t step, crd_i_one_cell *cells) {
    const crd_classifier *classifier = binding->emission->classifier;
    const crd_i_one_cell missing = CRD_I_MISSING_CELL;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        crd_i_one_cell *cell = &cells[i];
        *cell = missing;
        if (bound->column == SIZE_MAX || attribute->kind == CRD_KIND_NONE) continue;
        if (attribute->kind == CRD_KIND_NUMBER) {
            const crd_i_density *density = attribute->density;
            cell->number = steps->numbers[bound->column][step];
            cell->is_present = !isnan(cell->number);
            cell->is_unseen = cell->is_present && crd_i_attribute_counts(attribute) &&
                              density->family->covers != NULL && !density->family->covers(density, cell->number);
            continue;
        }
        cell->code = code_of(bound, attribute, steps, step);
        cell->is_present = cell->code != CRD_I_CODE_MISSING;
        cell->is_unseen = cell->code < CRD_I_CODE_MISSING;
    }
}

/* Computes the log densities of one step under all classes, including joint densities. */
static crd_status emission_fill_add_step(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                         size_t step, crd_i_emission_room *workspace, double *row, crd_error *error) {
    const crd_classifier *classifier = binding->emission->classifier;
    const crd_i_scorer *scorer = classifier->scorer;
    const crd_i_scored_row scored = {classifier, workspace->cells, workspace->scratch};
    crd_status status = CRD_OK;
    emission_fill_read_cells(binding, steps, step, workspace->cells);
    memset(row, 0, classifier->class_count * sizeof *row);
    crd_i_naive_scorer_add((const crd_i_naive_scorer *)scorer, &scored, row);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (workspace->cells[i].code <= CRD_I_CODE_WORD && crd_i_attribute_counts(&classifier->attributes[i]))
            add_code(NULL, &binding->attributes[i], workspace->cells[i].code, classifier->class_count, row);
    for (size_t i = 0; status == CRD_OK && i < scorer->type->joints->count(scorer); i++)
        status = scorer->type->joints->add(scorer, &scored, i, row, error);
    return status;
}

/* ---- From classes to states ---- */

/* Computes log w_m P(x | state, m) of the components of all states. */
static void weigh_components(const crd_i_emission_model *model, const double *row, double *parts) {
    for (size_t i = 0; i < model->states * model->components; i++)
        parts[i] = model->class_of[i] == UINT32_MAX ? -INFINITY : row[model->class_of[i]] + model->log_weights[i];
}

/* Computes log sum_m w_m P(x | state, m), relative to the largest term. */
static void mix_components(const crd_i_emission_model *model, const double *row, double *shares, double *logs) {
    size_t components = model->components;
    weigh_components(model, row, shares);
    for (size_t k = 0; k < model->states; k++) {
        double greatest = -INFINITY, *parts = shares + k * components;
        for (size_t m = 0; m < components; m++)
            if (parts[m] > greatest) greatest = parts[m];
        logs[k] = greatest;
        for (size_t m = 0; m < components && greatest > -INFINITY; m++) parts[m] -= greatest;
    }
    model->classifier->lanes->exp(shares, model->states * components, shares);
    for (size_t k = 0; k < model->states; k++) {
        double total = 0;
        for (size_t m = 0; m < components; m++) total += shares[k * components + m];
        if (logs[k] > -INFINITY) logs[k] += crd_log(total);
    }
}

/* The rows to compute: states, states restricted by labels, or components. */
typedef enum fill_form { OF_STATES, OF_CLAMPED_STATES, OF_COMPONENTS } fill_form;

/* Computes the rows of a chunk of steps, and converts classes to states or components. */
static crd_status fill_chunk(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t source,
                             size_t count, fill_form form, crd_i_emission_room *workspace, double *logs, size_t stride,
                             crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    double *rows = emission->is_plain ? logs : workspace->rows;
    size_t row_stride = emission->is_plain ? stride : emission->classifier->class_count;
    crd_status status = CRD_OK;
    if (emission_fill_is_by_rows(emission)) {
        for (size_t row = 0; status == CRD_OK && row < count; row++)
            status = emission_fill_add_step(binding, steps, source + row, workspace, rows + row * row_stride, error);
    } else {
        emission_fill_add_numbers(binding, steps, source, count, workspace, rows, row_stride);
        add_whole_numbers(binding, steps, source, count, workspace, rows, row_stride);
        emission_fill_add_categories(binding, steps, source, count, rows, row_stride);
    }
    for (size_t row = 0; !emission->is_plain && row < count; row++) {
        const double *from_row = rows + row * row_stride;
        if (form == OF_COMPONENTS) weigh_components(emission, from_row, logs + row * stride);
        else mix_components(emission, from_row, workspace->shares, logs + row * stride);
    }
    return status;
}

static void emission_fill_clamp(const crd_i_emission_binding *binding, const crd_i_observation_block *steps,
                                double *logs, size_t stride) {
    for (size_t t = 0; steps->labels != NULL && t < steps->steps; t++) {
        int32_t label = steps->labels[t], state = label < 0 ? -1 : binding->state_of_label[label];
        for (size_t k = 0; state >= 0 && k < binding->emission->states; k++)
            if (k != (size_t)state) logs[t * stride + k] = -INFINITY;
    }
}

static crd_status emission_fill_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                     uint64_t target, fill_form form, double *logs, size_t stride,
                                     crd_i_emission_room *workspace, crd_error *error) {
    for (uint64_t index = source; index < target;) {
        crd_i_observation_block steps;
        size_t most = target - index < CRD_I_BLOCK_STEPS ? (size_t)(target - index) : CRD_I_BLOCK_STEPS;
        crd_status status =
            crd_i_sequences_block(binding->sequences, sequence, index, most, &workspace->observations, &steps, error);
        double *rows = logs + (index - source) * stride;
        for (size_t i = 0; status == CRD_OK && i < steps.steps; i += workspace->chunk) {
            size_t count = steps.steps - i < workspace->chunk ? steps.steps - i : workspace->chunk;
            status = fill_chunk(binding, &steps, i, count, form, workspace, rows + i * stride, stride, error);
        }
        if (status != CRD_OK) return status;
        if (form == OF_CLAMPED_STATES) emission_fill_clamp(binding, &steps, rows, stride);
        index += steps.steps;
    }
    return CRD_OK;
}

crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t source, uint64_t target,
                               double *logs, size_t stride, crd_i_emission_room *workspace, crd_error *error) {
    return emission_fill_fill(binding, sequence, source, target, OF_STATES, logs, stride, workspace, error);
}

crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                       uint64_t target, double *logs, size_t stride, crd_i_emission_room *workspace,
                                       crd_error *error) {
    return emission_fill_fill(binding, sequence, source, target, OF_CLAMPED_STATES, logs, stride, workspace, error);
}

crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence, uint64_t source,
                                          uint64_t target, double *logs, size_t stride, crd_i_emission_room *workspace,
                                          crd_error *error) {
    return emission_fill_fill(binding, sequence, source, target, OF_COMPONENTS, logs, stride, workspace, error);
}
