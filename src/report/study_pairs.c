/* SPDX-License-Identifier: MIT */
/* study_pairs.c - the section about dependence: pairs of attributes that are not independent within classes, contrary
 * to the assumption of naive Bayes. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"
#include "report/study_frames.h"

#include <credence/explain.h>

#include <math.h>
#include <stdlib.h>

enum { LISTED = 15, DRAWN = 16 };

static crd_status study_pairs_add_frame(void *user, const crd_frame *frame, uint64_t before, crd_error *error) {
    (void)before;
    return crd_dependence_add(user, frame, error);
}

/* Lists the strongest dependent pairs in a table. */
static void study_pairs_list(crd_i_study *study, const crd_dependent_pair *pairs, size_t count) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out,
                          "Dependent pairs, strongest first: bits per row that a joint density gains within classes");
    crd_i_html_column(out, false, "attribute");
    crd_i_html_column(out, false, "attribute");
    crd_i_html_column(out, true, "bits per row");
    crd_i_html_column(out, true, "G²");
    crd_i_html_column(out, true, "degrees");
    for (size_t i = 0; i < count && i < LISTED; i++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_summary_attribute(study->summary, pairs[i].attributes[0]));
        crd_i_html_cell(out, "%t", crd_summary_attribute(study->summary, pairs[i].attributes[1]));
        crd_i_html_cell(out, "%f", pairs[i].bits);
        crd_i_html_cell(out, "%n", pairs[i].statistic);
        crd_i_html_cell(out, "%n", pairs[i].degrees);
    }
    crd_i_html_close_table(out);
    if (count > LISTED)
        crd_i_html_add(out, "<p class=\"soft\">Further dependent pairs that are not listed: %u.</p>\n",
                       (uint64_t)(count - LISTED));
}

/* Draws a heat map of the attributes in the strongest pairs, with the mutual information of each two of them. */
static crd_status study_pairs_draw(crd_i_study *study, const crd_dependent_pair *pairs, size_t matter, size_t count,
                                   crd_error *error) {
    size_t chosen[DRAWN], found = 0;
    crd_text names[DRAWN];
    double bits[DRAWN * DRAWN];
    crd_plot_heat_map map = CRD_PLOT_HEAT_MAP_INIT;
    crd_plot_options options = crd_i_page_plot("Dependence within classes", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    for (size_t i = 0; i < 2 * matter && found < DRAWN; i++) {
        size_t attribute = pairs[i / 2].attributes[i % 2], index = 0;
        while (index < found && chosen[index] != attribute) index++;
        if (index == found) chosen[found++] = attribute;
    }
    for (size_t i = 0; i < found * found; i++) bits[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        size_t cursor[2] = {found, found};
        for (size_t k = 0; k < found; k++)
            for (size_t side = 0; side < 2; side++)
                if (chosen[k] == pairs[i].attributes[side]) cursor[side] = k;
        if (cursor[0] == found || cursor[1] == found) continue;
        bits[cursor[0] * found + cursor[1]] = bits[cursor[1] * found + cursor[0]] = fmax(0, pairs[i].bits);
    }
    for (size_t i = 0; i < found; i++) names[i] = crd_summary_attribute(study->summary, chosen[i]);
    map.names = names;
    map.count = found;
    map.values = bits;
    map.unit = crd_text_of("bits");
    crd_status status = crd_plot_draw_heat_map(study->page.context, &map, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg, "Mutual information of two attributes given the class.",
                              error);
}

/* Computes all pairs, and lists and draws those that matter. */
static crd_status study_pairs_add(crd_i_study *study, const crd_dependence *dependence, crd_error *error) {
    crd_i_html *out = &study->page.body;
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_dependence_facts_of(dependence, &facts);
    size_t count = 0, matter = 0;
    crd_dependent_pair *pairs = crd_i_alloc_zeroed(study->page.context, facts.pairs + 1, sizeof *pairs);
    if (pairs == NULL) return crd_i_fail_memory(error);
    pairs[0].size = sizeof *pairs;
    crd_status status = crd_dependence_pairs(dependence, pairs, facts.pairs, &count, error);
    while (status == CRD_OK && matter < count && pairs[matter].matters) matter++;
    if (status == CRD_OK) {
        crd_i_html_add(out,
                       "<p>Naive Bayes assumes that attributes are independent within each class. Among %u pairs, %u "
                       "are not, beyond "
                       "chance and by more than %n bits per row. Methods with joint densities model such pairs; naive "
                       "Bayes counts their evidence twice.</p>\n",
                       (uint64_t)facts.pairs, (uint64_t)matter, CRD_DEPENDENCE_LEAST);
        if (facts.columns < facts.attributes)
            crd_i_html_add(out, "<p class=\"soft\">Pairs of the %u most informative attributes.</p>\n",
                           (uint64_t)facts.columns);
        if (facts.left_out > 0)
            crd_i_html_add(out, "<p class=\"soft\">Pairs with too many combinations of values to count: %u.</p>\n",
                           (uint64_t)facts.left_out);
        if (matter > 0) status = study_pairs_draw(study, pairs, matter, count, error);
        if (matter > 0) study_pairs_list(study, pairs, matter);
    }
    crd_free(study->page.context, pairs);
    return status;
}

crd_status crd_i_study_pairs(crd_i_study *study, crd_error *error) {
    crd_dependence *dependence = NULL;
    if (crd_summary_attribute_count(study->summary) < 2) return CRD_OK;
    crd_i_page_open_section(&study->page, "pairs", "Attributes that depend on each other");
    crd_status status = crd_dependence_create(study->model, &dependence, error);
    if (status == CRD_OK) status = crd_i_study_each_frame(study, study_pairs_add_frame, dependence, error);
    if (status == CRD_OK) status = study_pairs_add(study, dependence, error);
    status = crd_i_page_excuse(&study->page, "dependent pairs", status, error);
    crd_dependence_destroy(dependence);
    crd_i_page_close_section(&study->page);
    return status;
}
