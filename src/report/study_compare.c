/* SPDX-License-Identifier: MIT */
/* study_compare.c - the section about methods: candidates compared on the same folds, and the chosen method.
 *
 * Candidates are selected by the size of the table. None is stopped by a time limit, so a report is the same on every
 * machine. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"

#include <math.h>
#include <stdlib.h>

/* Candidates, with a class of running time. Sort 1 is about as fast as naive Bayes. Sort 2 derives densities
 * repeatedly, for each attribute and class. Sort 3 models attributes jointly. */
static const struct {
    const char *name;
    int sort;
} all_candidates[] = {{"naive", 1},
                      {"naive, isotonic", 1},
                      {"naive, complement", 1},
                      {"naive, complement, isotonic", 1},
                      {"naive, bernoulli", 1},
                      {"naive, words-dirichlet", 1},
                      {"naive, kernel", 2},
                      {"naive, kernel, isotonic", 2},
                      {"naive, auto", 2},
                      {"naive, auto, isotonic", 2},
                      {"naive, exponents", 2},
                      {"joint numbers, shared", 3},
                      {"joint numbers, shared, isotonic", 3},
                      {"tan", 3},
                      {"a1de", 3},
                      {"a1de, isotonic", 3},
                      {"pairs", 3},
                      {"pairs, isotonic", 3}};
enum { CANDIDATES = sizeof all_candidates / sizeof *all_candidates };
/* Sort 2 is compared if attributes x classes is at most MOST_DENSITIES. Sort 3 also needs at most MOST_CELLS cells in
 * the tables of every two attributes and the class. */
static const double MOST_DENSITIES = 200, MOST_CELLS = 3e6;

/* Returns the highest sort of candidates that suits the size of the table. */
static int choose_sort(const crd_i_study *study) {
    enum { CELLS_OF_NUMBERS = 64 };
    double attributes = 0, values = 0, classes = 2;
    crd_text target = crd_row_source_target(study->source);
    for (size_t i = 0; i < crd_profile_column_count(study->profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        double distinct = (double)facts.distinct;
        if (crd_text_equal(facts.name, target)) {
            classes = distinct;
            continue;
        }
        attributes++;
        values += facts.kind == CRD_KIND_NUMBER ? fmin(distinct, CELLS_OF_NUMBERS) : distinct;
    }
    if (attributes * classes > MOST_DENSITIES) return 1;
    return values * values * classes > MOST_CELLS ? 2 : 3;
}

/* Creates the settings common to all candidates: settings that a candidate chooses are at their defaults. */
static crd_status create_base(const crd_i_study *study, crd_settings **out, crd_error *error) {
    const crd_settings *given = study->page.options.settings;
    crd_status status =
        given == NULL ? crd_settings_create(study->page.context, out, error) : crd_settings_clone(given, out, error);
    const crd_setting *setting;
    for (size_t i = 0; status == CRD_OK && (setting = crd_setting_at(i)) != NULL; i++)
        if (crd_comparison_chooses(setting->name))
            status = crd_settings_set(*out, setting->name, crd_text_of(setting->default_value), error);
    return status;
}

/* ---- The table ---- */

static void study_compare_add_score(crd_i_html *out, const crd_comparison_result *result, double rows) {
    double low, high;
    crd_frequency_interval(result->accuracy, rows, &low, &high);
    crd_i_html_cell(out, "%f", result->accuracy);
    crd_i_html_cell(out, "%f – %f", low, high);
    crd_i_html_cell(out, "%f", result->log_loss);
    if (isnan(result->log_loss_error)) crd_i_html_cell(out, "");
    else crd_i_html_cell(out, "± %f", 1.96 * result->log_loss_error);
    crd_i_html_cell(out, "%f", result->brier);
    crd_i_html_cell(out, "%f", result->auc);
    crd_i_html_cell(out, "%f", result->ece);
    crd_i_html_cell(out, "%n", result->parameters);
}

static void study_compare_add_head(crd_i_html *out) {
    crd_i_html_open_table(
        out, "Methods by log loss, with 95 % intervals. For log loss, Brier score and calibration error (ECE), "
             "lower is better");
    crd_i_html_column(out, false, "method");
    crd_i_html_column(out, true, "accuracy");
    crd_i_html_column(out, true, "interval");
    crd_i_html_column(out, true, "log loss");
    crd_i_html_column(out, true, "interval");
    crd_i_html_column(out, true, "Brier");
    crd_i_html_column(out, true, "AUC");
    crd_i_html_column(out, true, "ECE");
    crd_i_html_column(out, true, "parameters");
}

typedef struct compare_placed {
    crd_comparison_result result;
    size_t candidate;
} compare_placed;

/* Orders candidates: those with scores first, by log loss. */
static int by_log_loss(const void *left, const void *right) {
    const compare_placed *a = left, *b = right;
    bool is_scored[2] = {a->result.status == CRD_CANDIDATE_SCORED, b->result.status == CRD_CANDIDATE_SCORED};
    if (is_scored[0] != is_scored[1]) return is_scored[0] ? -1 : 1;
    double x = a->result.log_loss, y = b->result.log_loss;
    if (is_scored[0] && isnan(x) != isnan(y)) return isnan(x) ? 1 : -1;
    if (is_scored[0] && x != y && !isnan(x)) return x < y ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* Adds the table of scores, and the candidates without scores with the reason. */
static void study_compare_add_rows(crd_i_study *study, const compare_placed *places, size_t count) {
    crd_i_html *out = &study->page.body;
    const crd_recommendation *found = &study->recommendation;
    study_compare_add_head(out);
    for (size_t i = 0; i < count && places[i].result.status == CRD_CANDIDATE_SCORED; i++) {
        bool is_chosen = places[i].candidate == study->chosen;
        crd_i_html_row(out, is_chosen ? "chosen" : NULL);
        crd_i_html_cell(out, is_chosen ? "%s (chosen)" : "%s", places[i].result.name);
        study_compare_add_score(out, &places[i].result, (double)found->rows);
    }
    if (!isnan(found->baseline_log_loss)) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "the class prior");
        crd_i_html_cell(out, "%f", found->baseline_accuracy);
        crd_i_html_cell(out, "");
        crd_i_html_cell(out, "%f", found->baseline_log_loss);
        for (size_t i = 0; i < 5; i++) crd_i_html_cell(out, "");
    }
    crd_i_html_close_table(out);
    for (size_t i = 0; i < count; i++)
        if (places[i].result.status != CRD_CANDIDATE_SCORED)
            crd_i_html_add(out, "<p class=\"soft\">Skipped: %s, %s.</p>\n", places[i].result.name,
                           places[i].result.message[0] != '\0' ? places[i].result.message : "which took too long");
}

static crd_status study_compare_add_table(crd_i_study *study, crd_error *error) {
    size_t count = crd_comparison_count(study->comparison);
    compare_placed *places = crd_i_alloc(study->page.context, count, sizeof *places);
    if (places == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        places[i] = (compare_placed){CRD_COMPARISON_RESULT_INIT, i};
        crd_comparison_result_at(study->comparison, i, &places[i].result);
    }
    qsort(places, count, sizeof *places, by_log_loss);
    study_compare_add_rows(study, places, count);
    crd_free(study->page.context, places);
    return CRD_OK;
}

/* ---- The choice ---- */

/* Writes which method is chosen and why. Warns if no method is better than the class prior. */
static void study_compare_add_choice(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    const crd_recommendation *found_recommendation = &study->recommendation;
    crd_comparison_result best = CRD_COMPARISON_RESULT_INIT, taken = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(study->comparison, found_recommendation->best, &best);
    crd_comparison_result_at(study->comparison, found_recommendation->candidate, &taken);
    if (study->page.options.is_stated) {
        crd_i_html_add(out, "<p>The settings of this report were specified; the comparison recommends <b>%s</b>.</p>\n",
                       taken.name);
    } else if (found_recommendation->reason == CRD_RECOMMENDED_SIMPLER) {
        crd_i_html_add(
            out,
            "<p><b>%s</b> is chosen. The log loss of %s is lower by %n, which is within a quarter of the standard "
            "error of the difference (%n), so the simpler method is used.</p>\n",
            taken.name, best.name, found_recommendation->difference, found_recommendation->difference_error);
    } else {
        crd_i_html_add(out, "<p><b>%s</b> is chosen: it has the lowest log loss of %u methods.</p>\n", taken.name,
                       (uint64_t)found_recommendation->tried);
    }
    if (found_recommendation->reason == CRD_RECOMMENDED_NONE) {
        crd_i_html_add(crd_i_page_begin_warning(&study->page),
                       "No method has a lower log loss than the class prior: these rows give no evidence that the "
                       "attributes predict "
                       "the target of other rows.");
        crd_i_page_end_warning(&study->page);
    }
}

static void study_compare_introduce(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    crd_i_html_add(out,
                   "<p>Each method is trained on all folds except one, and predicts the rows of that fold: stratified "
                   "cross-validation with %u folds (seed %u). All methods use the same folds.",
                   (uint64_t)study->split.folds, study->split.seed);
    if (study->stride > 1)
        crd_i_html_add(out, " Not all of the %u rows are predicted: one in %u is judged, to limit the running time.",
                       study->rows, (uint64_t)study->stride);
    crd_i_html_add(out, "</p>\n");
}

/* Compares the candidates and reads the recommendation. Sets the study's settings to the chosen candidate's unless the
 * settings were specified. */
static crd_status study_compare_run(crd_i_study *study, const crd_settings *base, crd_error *error) {
    const char *candidates[CANDIDATES];
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    int sort = choose_sort(study);
    options.settings = base;
    options.split = &study->split;
    options.threads = study->page.options.threads;
    for (size_t i = 0; i < CANDIDATES; i++)
        if (all_candidates[i].sort <= sort) candidates[options.candidate_count++] = all_candidates[i].name;
    options.candidates = candidates;
    crd_status status = crd_comparison_create(study->source, &options, &study->comparison, error);
    if (status == CRD_OK) status = crd_comparison_run(study->comparison, error);
    if (status != CRD_OK) return status;
    study->recommendation = (crd_recommendation)CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(study->comparison, &study->recommendation);
    if (study->page.options.is_stated) return CRD_OK;
    study->chosen = study->recommendation.candidate;
    crd_settings_destroy(study->settings);
    study->settings = NULL;
    return crd_comparison_settings(study->comparison, study->chosen, &study->settings, error);
}

crd_status crd_i_study_compare(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_settings *base = NULL;
    crd_i_page_open_section(page, "methods", "Methods compared");
    study_compare_introduce(study);
    crd_status status = create_base(study, &base, error);
    if (status == CRD_OK) status = study_compare_run(study, base, error);
    if (status == CRD_OK) {
        status = study_compare_add_table(study, error);
        study_compare_add_choice(study);
    } else {
        crd_comparison_destroy(study->comparison);
        study->comparison = NULL;
        status = crd_i_page_excuse(page, "the comparison of methods", status, error);
    }
    crd_settings_destroy(base);
    crd_i_page_close_section(page);
    return status;
}
