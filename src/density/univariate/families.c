/* SPDX-License-Identifier: MIT */
/* families.c - the table of families, and the functions that work for every family. */
#include "density/univariate/family.h"

#include "base/memory.h"

#include <credence/number.h>

#include <float.h>
#include <stdio.h>
#include <string.h>

/* The first family of each column type is the default. */
/* clang-format off: keep three columns */
static const crd_i_family *const families[] = {
    &crd_i_family_categorical,    &crd_i_family_gaussian,    &crd_i_family_student,
    &crd_i_family_lognormal,      &crd_i_family_exponential, &crd_i_family_uniform,
    &crd_i_family_bernoulli,      &crd_i_family_poisson,     &crd_i_family_histogram,
    &crd_i_family_kernel,         &crd_i_family_mixture,     &crd_i_family_multinomial,
    &crd_i_family_term_bernoulli, &crd_i_family_complement,  &crd_i_family_dirichlet_multinomial,
};
/* clang-format on */

enum { FAMILY_COUNT = sizeof families / sizeof *families };

const crd_i_family crd_i_family_auto = {
    .name = "auto",
    .summary = "the family with the highest held-out likelihood of the classes, for each column",
    .reads = {&crd_i_moments, &crd_i_signs, &crd_i_logs, &crd_i_grid},
};

const crd_i_family *const *crd_i_family_table(size_t *count) {
    *count = FAMILY_COUNT;
    return families;
}

const crd_i_family *crd_i_family_for(crd_kind kind) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_i_family_kind(families[i]) == kind) return families[i];
    return NULL;
}

const crd_i_family *crd_i_family_named(crd_text name) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(families[i]->name))) return families[i];
    return crd_text_equal(name, crd_text_of(crd_i_family_auto.name)) ? &crd_i_family_auto : NULL;
}

const crd_i_family *crd_i_family_of_kind(const crd_i_family *family, crd_kind kind) {
    if (crd_i_family_kind(family) == kind) return family;
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i]->name, family->name) == 0 && crd_i_family_kind(families[i]) == kind) return families[i];
    return NULL;
}

crd_kind crd_i_family_kind(const crd_i_family *family) {
    return family->reads[0]->kind;
}

crd_i_extras crd_i_family_extras(const crd_i_family *family) {
    crd_i_extras extras = 0;
    for (size_t i = 0; family->reads[i] != NULL; i++) extras |= crd_i_extras_of(family->reads[i]);
    return extras;
}

size_t crd_family_count(void) {
    return FAMILY_COUNT;
}

bool crd_i_family_describe(const crd_i_family *family, crd_family *out) {
    crd_family found_family = CRD_FAMILY_INIT;
    if (family != NULL) {
        found_family.name = family->name;
        found_family.summary = family->summary;
        found_family.kind = crd_i_family_kind(family);
        found_family.is_discrete = family->is_discrete;
    }
    crd_i_copy_out(&found_family, sizeof found_family, out);
    return family != NULL;
}

int crd_family_at(size_t index, crd_family *out) {
    return crd_i_family_describe(index < FAMILY_COUNT ? families[index] : NULL, out);
}

void crd_i_density_destroy(crd_i_density *density) {
    if (density != NULL) density->family->destroy(density);
}

void crd_i_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block) {
    if (density->family->add_block != NULL) density->family->add_block(density, cells, block);
    else crd_i_density_add_rows(density, cells, block);
}

void crd_i_density_add_rows(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block) {
    size_t conditions = density->conditions;
    for (size_t row = 0; row < block->rows; row++) {
        crd_i_cells one = {.rows = 1};
        if (cells->numbers != NULL) one.numbers = cells->numbers + row;
        if (cells->codes != NULL) one.codes = cells->codes + row;
        if (cells->texts != NULL) one.texts = cells->texts + row;
        if (cells->text_logs != NULL) one.text_logs = cells->text_logs + row * conditions;
        double *sums = block->sums + row;
        for (size_t k = 0; k < conditions; k++) block->row_sums[k] = sums[k * block->stride];
        density->family->add(density, &one, block->row_sums);
        for (size_t k = 0; k < conditions; k++) sums[k * block->stride] = block->row_sums[k];
    }
}

bool crd_i_density_covers(const crd_i_density *density, double x) {
    return density->family->covers == NULL || density->family->covers(density, x);
}

void crd_i_rest_destroy(crd_i_rest *remainder) {
    if (remainder != NULL) remainder->family->rest_destroy(remainder);
}

void crd_i_misfit_text(const crd_i_misfit *misfit, char *buffer, size_t size) {
    char cells[CRD_NUMBER_ROOM];
    crd_number_format(misfit->cells, cells);
    snprintf(buffer, size, "%s of its cells %s %s", cells, misfit->cells == 1 ? "is" : "are", misfit->description);
}

bool crd_i_estimates_add(crd_i_estimates *estimates, const char *description, uint64_t count) {
    size_t i = 0;
    while (i < estimates->count && strcmp(estimates->entries[i].what, description) != 0) i++;
    if (i == estimates->count) {
        if (!crd_i_reserve(estimates->context, &estimates->entries, &estimates->capacity, i + 1,
                           sizeof *estimates->entries))
            return false;
        estimates->entries[i].what = description;
        estimates->entries[i].count = 0;
        estimates->count++;
    }
    estimates->entries[i].count += count;
    return true;
}

void crd_i_estimates_clear(crd_i_estimates *estimates) {
    crd_free(estimates->context, estimates->entries);
    estimates->entries = NULL;
    estimates->count = estimates->capacity = 0;
}

double crd_i_log_ratio(double a, double b) {
    double ratio = a / b;
    if (a > 0 && ratio < DBL_MIN) return crd_log(a) - crd_log(b);
    return crd_log(ratio);
}
