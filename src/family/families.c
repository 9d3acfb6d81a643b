/* families.c - the table of families, and what they have in common. */
#include "family/family.h"

#include "base/memory.h"

#include <float.h>
#include <string.h>

static const crd_i_family *const families[] = {&crd_i_categorical, &crd_i_gaussian};

enum { FAMILY_COUNT = sizeof families / sizeof *families };

const crd_i_family *const *crd_i_family_table(size_t *count) {
    *count = FAMILY_COUNT;
    return families;
}

const crd_i_family *crd_i_family_for(crd_kind kind) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (families[i]->tally->kind == kind) return families[i];
    return NULL;
}

void crd_i_density_destroy(crd_i_density *density) {
    if (density != NULL) density->family->destroy(density);
}

void crd_i_rest_destroy(crd_i_rest *rest) {
    if (rest != NULL) rest->family->rest_destroy(rest);
}

bool crd_i_estimates_add(crd_i_estimates *estimates, const char *what, uint64_t count) {
    size_t i = 0;
    while (i < estimates->count && strcmp(estimates->entries[i].what, what) != 0) i++;
    if (i == estimates->count) {
        if (!crd_i_reserve(estimates->context, &estimates->entries, &estimates->capacity, i + 1,
                           sizeof *estimates->entries))
            return false;
        estimates->entries[i].what = what;
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
