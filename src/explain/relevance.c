/* SPDX-License-Identifier: MIT */
/* relevance.c - see relevance.h. The measures are computed from the sufficient statistics, without reading rows. */
#include "explain/relevance.h"

#include "math/functions/elementary.h"

#include <math.h>

/* Returns n log(n / N), with 0 log 0 = 0. */
static double relevance_plogp(double count, double total) {
    return count > 0 ? count * crd_log(count / total) : 0;
}

/* Returns the mutual information of class and value, (joint - classes - values) / N, minus its mean under independence,
 * (r - 1)(c - 1) / (2 N) (Miller 1955). */
static double of_category(const crd_summary *summary, size_t attribute) {
    size_t classes = crd_summary_class_count(summary), values = crd_summary_value_count(summary, attribute);
    double rows = 0, joint = 0, of_classes = 0, of_values = 0, classes_seen = 0, values_seen = 0;
    for (size_t k = 0; k < classes; k++) rows += crd_summary_present(summary, attribute, k);
    if (!(rows > 0)) return 0;
    for (size_t k = 0; k < classes; k++) {
        double present = crd_summary_present(summary, attribute, k);
        of_classes += relevance_plogp(present, rows);
        classes_seen += present > 0;
    }
    for (size_t v = 0; v < values; v++) {
        double count = crd_summary_value_rows(summary, attribute, v);
        const uint32_t *met;
        size_t met_count = crd_summary_value_classes(summary, attribute, v, &met);
        for (size_t i = 0; i < met_count; i++)
            joint += relevance_plogp(crd_summary_count(summary, attribute, v, met[i]), rows);
        of_values += relevance_plogp(count, rows);
        values_seen += count > 0;
    }
    if (values_seen < 1 || classes_seen < 1) return 0;
    double by_chance = (values_seen - 1) * (classes_seen - 1) / 2;
    return fmax(0, (joint - of_classes - of_values - by_chance) / rows);
}

/* Returns -1/2 log(1 - e^2), where e^2 is the share of the variance between classes. */
static double of_number(const crd_summary *summary, size_t attribute) {
    size_t classes = crd_summary_class_count(summary);
    double rows = 0, sum = 0, within = 0, between = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (!(source_moments.rows > 0)) continue;
        rows += source_moments.rows;
        sum += source_moments.rows * source_moments.mean;
        within += source_moments.rows * source_moments.variance;
    }
    for (size_t k = 0; k < classes; k++) {
        crd_moments source_moments = crd_summary_moments(summary, attribute, k);
        if (source_moments.rows > 0)
            between += source_moments.rows * (source_moments.mean - sum / rows) * (source_moments.mean - sum / rows);
    }
    if (!(between > 0)) return 0;
    return within > 0 ? -.5 * crd_log(within / (within + between)) : INFINITY;
}

double crd_i_relevance(const crd_summary *summary, size_t attribute) {
    switch (crd_summary_kind(summary, attribute)) {
    case CRD_KIND_CATEGORY: return of_category(summary, attribute);
    case CRD_KIND_NUMBER: return of_number(summary, attribute);
    case CRD_KIND_TEXT:
    case CRD_KIND_NONE: break;
    }
    return 0;
}
