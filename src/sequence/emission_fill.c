/* SPDX-License-Identifier: MIT */
/* emission_fill.c - log densities of a range of steps under all states.
 *
 * Numbers are added column by column to sums that stand class by class, steps side by side in SIMD lanes, in tables small enough
 * to stay near the processor; these are transposed to rows, one for each step, to which categories are added. Where
 * columns have a joint density, steps are evaluated one by one. */
#include "sequence/emission_binding.h"

#include "base/memory.h"
#include "classify/naive_scorer.h"
#include "math/functions/elementary.h"

#include <credence/number.h>

#include <math.h>
#include <string.h>

/* Sums that fit into the first level of cache beside a few columns. */
enum { MOST_SUMS = 2048, MOST_STEPS = 128 };

/* Whole numbers from 0 on whose log probabilities are kept: those of counts are computed once, not for every step. */
enum { KEPT_NUMBERS = 256 };

struct crd_i_emission_room {
    crd_context *context;
    crd_i_observation_room observations;
    size_t chunk;          /* steps that are evaluated together */
    void *block;           /* what the following are parts of */
    double *sums;          /* class * chunk + step */
    double *column;        /* chunk numbers */
    double *rows;          /* step * classes + class, where classes are not states */
    double *shares;        /* of the components of all states of a step */
    double *scratch;       /* of the scorer, where steps are evaluated one by one */
    crd_i_one_cell *cells; /* likewise, of each attribute */
    /* Of each attribute with probabilities of whole numbers: number * classes + class; NaN: not yet computed. NULL: of densities. */
    double **kept;
    size_t attributes;
};

/* ---- Room ---- */

static bool is_by_rows(const crd_i_emission_model *emission) {
    return !emission->classifier->scorer->type->is_naive;
}

static size_t chunk_of(size_t classes) {
    size_t steps = MOST_SUMS / classes / CRD_I_SIMD * CRD_I_SIMD;
    return steps > MOST_STEPS ? MOST_STEPS : steps < CRD_I_SIMD ? CRD_I_SIMD : steps;
}

static double *take(double **from, size_t count) {
    double *taken = *from;
    *from += count;
    return taken;
}

static bool has_whole_numbers(const crd_i_attribute *attribute) {
    return attribute->kind == CRD_KIND_NUMBER && crd_i_attribute_counts(attribute) &&
           attribute->density->family->is_discrete;
}

static bool keep_numbers(crd_i_emission_room *room, const crd_classifier *classifier) {
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        if (!has_whole_numbers(&classifier->attributes[i])) continue;
        room->kept[i] = crd_i_alloc(room->context, KEPT_NUMBERS * classifier->class_count, sizeof **room->kept);
        if (room->kept[i] == NULL) return false;
        for (size_t x = 0; x < KEPT_NUMBERS; x++) room->kept[i][x * classifier->class_count] = NAN;
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
    crd_i_emission_room *room = crd_i_alloc_zeroed(binding->context, 1, sizeof *room);
    if (room == NULL) return crd_i_fail_memory(error);
    room->context = room->observations.context = binding->context;
    room->chunk = chunk;
    room->block = crd_i_alloc_zeroed(
        binding->context, 2 * chunk * classes + chunk + parts + scratch + CRD_I_SIMD_ALIGNMENT / sizeof(double),
        sizeof(double));
    room->cells = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *room->cells);
    room->kept = crd_i_alloc_zeroed(binding->context, classifier->attribute_count, sizeof *room->kept);
    room->attributes = classifier->attribute_count;
    if (room->block == NULL || room->cells == NULL || room->kept == NULL || !keep_numbers(room, classifier)) {
        crd_i_emission_room_destroy(room);
        return crd_i_fail_memory(error);
    }
    size_t past = (uintptr_t)room->block % CRD_I_SIMD_ALIGNMENT;
    double *next = (double *)((char *)room->block + (CRD_I_SIMD_ALIGNMENT - past) % CRD_I_SIMD_ALIGNMENT);
    room->sums = take(&next, chunk * classes);
    room->column = take(&next, chunk);
    room->rows = take(&next, chunk * classes);
    room->shares = take(&next, parts);
    room->scratch = take(&next, scratch);
    *out = room;
    return CRD_OK;
}

void crd_i_emission_room_destroy(crd_i_emission_room *room) {
    if (room == NULL) return;
    crd_i_observation_room_clear(&room->observations);
    crd_free(room->context, room->block);
    for (size_t i = 0; room->kept != NULL && i < room->attributes; i++) crd_free(room->context, room->kept[i]);
    crd_free(room->context, room->kept);
    crd_free(room->context, room->cells);
    crd_free(room->context, room);
}

/* ---- Column by column ---- */

/* A column's numbers, without those that no class can have; copied where vectors of them would reach behind the last, or some are
 * left out. *some_missing: whether some are. */
static const double *load_numbers(const crd_i_density *density, const double *from, size_t count, double *room,
                                  bool *some_missing) {
    const bool is_copied = density->family->covers != NULL || count % CRD_I_SIMD != 0;
    const double *numbers = is_copied ? room : from;
    size_t missing = 0;
    if (is_copied) memcpy(room, from, count * sizeof *room);
    for (size_t i = 0; density->family->covers != NULL && i < count; i++)
        if (!isnan(room[i]) && !density->family->covers(density, room[i])) room[i] = NAN;
    for (size_t i = 0; i < count; i++) missing += numbers[i] != numbers[i];
    *some_missing = missing > 0;
    return numbers;
}

/* Sums of the number columns, as rows; zeros where there are none. */
static void add_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t from,
                        size_t count, crd_i_emission_room *room, double *rows, size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    size_t classes = classifier->class_count;
    bool any = false;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->kind != CRD_KIND_NUMBER || !crd_i_attribute_counts(attribute) ||
            room->kept[i] != NULL)
            continue;
        if (!any) memset(room->sums, 0, room->chunk * classes * sizeof *room->sums);
        any = true;
        bool some_missing;
        const double *numbers =
            load_numbers(attribute->density, steps->numbers[bound->column] + from, count, room->column, &some_missing);
        const crd_i_cells cells = {.rows = count, .numbers = numbers};
        const crd_i_block block = {.lanes = classifier->lanes,
                                   .rows = count,
                                   .stride = room->chunk,
                                   .some_missing = some_missing,
                                   .sums = room->sums,
                                   .row_sums = room->scratch};
        crd_i_density_add_block(attribute->density, &cells, &block);
    }
    if (any) {
        classifier->lanes->transpose(room->sums, room->chunk, classes, count, rows, stride);
        return;
    }
    for (size_t row = 0; row < count; row++) memset(rows + row * stride, 0, classes * sizeof *rows);
}

/* Log probabilities of a whole number under all classes. */
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

static void add_whole_numbers(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t from,
                              size_t count, const crd_i_emission_room *room, double *rows, size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        if (bound->column == SIZE_MAX || room->kept[i] == NULL) continue;
        for (size_t row = 0; row < count; row++)
            add_whole_number(classifier->attributes[i].density, steps->numbers[bound->column][from + row],
                             room->kept[i], classifier->class_count, rows + row * stride);
    }
}

/* The model's code of a cell. */
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

static void add_categories(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t from,
                           size_t count, double *rows, size_t stride) {
    const crd_classifier *classifier = binding->emission->classifier;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_bound_attribute *bound = &binding->attributes[i];
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (bound->column == SIZE_MAX || attribute->kind != CRD_KIND_CATEGORY || !crd_i_attribute_counts(attribute))
            continue;
        for (size_t row = 0; row < count; row++)
            add_code(attribute->density, bound, code_of(bound, attribute, steps, from + row), classifier->class_count,
                     rows + row * stride);
    }
}

/* ---- Step by step ---- */

static void read_cells(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t step,
                       crd_i_one_cell *cells) {
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

static crd_status add_step(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t step,
                           crd_i_emission_room *room, double *row, crd_error *error) {
    const crd_classifier *classifier = binding->emission->classifier;
    const crd_i_scorer *scorer = classifier->scorer;
    const crd_i_scored_row scored = {classifier, room->cells, room->scratch};
    crd_status status = CRD_OK;
    read_cells(binding, steps, step, room->cells);
    memset(row, 0, classifier->class_count * sizeof *row);
    crd_i_naive_scorer_add((const crd_i_naive_scorer *)scorer, &scored, row);
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (room->cells[i].code <= CRD_I_CODE_WORD && crd_i_attribute_counts(&classifier->attributes[i]))
            add_code(NULL, &binding->attributes[i], room->cells[i].code, classifier->class_count, row);
    for (size_t i = 0; status == CRD_OK && i < scorer->type->joints->count(scorer); i++)
        status = scorer->type->joints->add(scorer, &scored, i, row, error);
    return status;
}

/* ---- States of classes ---- */

/* log w_m P(x | state, m) of the components of all states. */
static void weigh_components(const crd_i_emission_model *of, const double *row, double *parts) {
    for (size_t i = 0; i < of->states * of->components; i++)
        parts[i] = of->class_of[i] == UINT32_MAX ? -INFINITY : row[of->class_of[i]] + of->log_weights[i];
}

/* log sum_m w_m P(x | state, m), with the greatest term taken out. */
static void mix_components(const crd_i_emission_model *of, const double *row, double *shares, double *logs) {
    size_t components = of->components;
    weigh_components(of, row, shares);
    for (size_t k = 0; k < of->states; k++) {
        double greatest = -INFINITY, *parts = shares + k * components;
        for (size_t m = 0; m < components; m++)
            if (parts[m] > greatest) greatest = parts[m];
        logs[k] = greatest;
        for (size_t m = 0; m < components && greatest > -INFINITY; m++) parts[m] -= greatest;
    }
    of->classifier->lanes->exp(shares, of->states * components, shares);
    for (size_t k = 0; k < of->states; k++) {
        double total = 0;
        for (size_t m = 0; m < components; m++) total += shares[k * components + m];
        if (logs[k] > -INFINITY) logs[k] += crd_log(total);
    }
}

/* What is filled in. */
typedef enum fill_form { OF_STATES, OF_CLAMPED_STATES, OF_COMPONENTS } fill_form;

static crd_status fill_chunk(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, size_t from,
                             size_t count, fill_form form, crd_i_emission_room *room, double *logs, size_t stride,
                             crd_error *error) {
    const crd_i_emission_model *emission = binding->emission;
    double *rows = emission->is_plain ? logs : room->rows;
    size_t row_stride = emission->is_plain ? stride : emission->classifier->class_count;
    crd_status status = CRD_OK;
    if (is_by_rows(emission)) {
        for (size_t row = 0; status == CRD_OK && row < count; row++)
            status = add_step(binding, steps, from + row, room, rows + row * row_stride, error);
    } else {
        add_numbers(binding, steps, from, count, room, rows, row_stride);
        add_whole_numbers(binding, steps, from, count, room, rows, row_stride);
        add_categories(binding, steps, from, count, rows, row_stride);
    }
    for (size_t row = 0; !emission->is_plain && row < count; row++) {
        const double *from_row = rows + row * row_stride;
        if (form == OF_COMPONENTS) weigh_components(emission, from_row, logs + row * stride);
        else mix_components(emission, from_row, room->shares, logs + row * stride);
    }
    return status;
}

static void clamp(const crd_i_emission_binding *binding, const crd_i_observation_block *steps, double *logs,
                  size_t stride) {
    for (size_t t = 0; steps->labels != NULL && t < steps->steps; t++) {
        int32_t label = steps->labels[t], state = label < 0 ? -1 : binding->state_of_label[label];
        for (size_t k = 0; state >= 0 && k < binding->emission->states; k++)
            if (k != (size_t)state) logs[t * stride + k] = -INFINITY;
    }
}

static crd_status fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t from, uint64_t to,
                       fill_form form, double *logs, size_t stride, crd_i_emission_room *room, crd_error *error) {
    for (uint64_t at = from; at < to;) {
        crd_i_observation_block steps;
        size_t most = to - at < CRD_I_BLOCK_STEPS ? (size_t)(to - at) : CRD_I_BLOCK_STEPS;
        crd_status status =
            crd_i_sequences_block(binding->sequences, sequence, at, most, &room->observations, &steps, error);
        double *rows = logs + (at - from) * stride;
        for (size_t i = 0; status == CRD_OK && i < steps.steps; i += room->chunk) {
            size_t count = steps.steps - i < room->chunk ? steps.steps - i : room->chunk;
            status = fill_chunk(binding, &steps, i, count, form, room, rows + i * stride, stride, error);
        }
        if (status != CRD_OK) return status;
        if (form == OF_CLAMPED_STATES) clamp(binding, &steps, rows, stride);
        at += steps.steps;
    }
    return CRD_OK;
}

crd_status crd_i_emission_fill(const crd_i_emission_binding *binding, size_t sequence, uint64_t from, uint64_t to,
                               double *logs, size_t stride, crd_i_emission_room *room, crd_error *error) {
    return fill(binding, sequence, from, to, OF_STATES, logs, stride, room, error);
}

crd_status crd_i_emission_fill_clamped(const crd_i_emission_binding *binding, size_t sequence, uint64_t from,
                                       uint64_t to, double *logs, size_t stride, crd_i_emission_room *room,
                                       crd_error *error) {
    return fill(binding, sequence, from, to, OF_CLAMPED_STATES, logs, stride, room, error);
}

crd_status crd_i_emission_fill_components(const crd_i_emission_binding *binding, size_t sequence, uint64_t from,
                                          uint64_t to, double *logs, size_t stride, crd_i_emission_room *room,
                                          crd_error *error) {
    return fill(binding, sequence, from, to, OF_COMPONENTS, logs, stride, room, error);
}
