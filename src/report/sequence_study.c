/* SPDX-License-Identifier: MIT */
/* sequence_study.c - see study.h. */
#include "report/study.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/hmm.h>
#include <credence/hmm_answers.h>
#include <credence/hmm_decode.h>
#include <credence/sequence.h>

#include <math.h>

/* Maximum number of states in a picture of transitions, of attributes, and of steps in the drawn path. */
enum { STATES = 20, ATTRIBUTES = 12, STEPS = 200 };

/* ---- States ---- */

/* Draws the transition probabilities as a table. For a higher order, these are the probabilities after the first
 * state. */
static crd_status draw_transitions(crd_i_study *study, const crd_hmm *hmm, crd_error *error) {
    crd_text names[STATES];
    double table[STATES * STATES];
    size_t count = crd_hmm_state_count(hmm);
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = crd_i_page_plot("Transitions", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    if (count > STATES) {
        crd_i_html_add(&study->page.body, "<p class=\"soft\">The table is not drawn because there are %u states.</p>\n",
                       (uint64_t)count);
        return CRD_OK;
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = crd_hmm_state(hmm, i);
        for (size_t k = 0; k < count; k++) table[i * count + k] = crd_hmm_transition(hmm, &i, 1, k);
    }
    plot.row_name = crd_text_of("from");
    plot.rows = plot.states = names;
    plot.row_count = plot.state_count = count;
    plot.probabilities = table;
    crd_status status = crd_plot_draw_table(study->page.context, &plot, &options, &svg, error);
    return crd_i_page_picture(
        &study->page, status, svg,
        crd_hmm_facts_of(hmm)->order > 1
            ? "The probability of the second state of a sequence (columns) given the first (rows)."
            : "The probability of the next state (columns) given the state (rows).",
        error);
}

/* Lists the states in a table: start probability, long-run probability and mean duration. */
static crd_status list_states(crd_i_study *study, const crd_hmm *hmm, crd_error *error) {
    crd_context *context = study->page.context;
    crd_i_html *out = &study->page.body;
    size_t count = crd_hmm_state_count(hmm);
    double *stationary = crd_i_alloc(context, 2 * count, sizeof *stationary);
    if (stationary == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < 2 * count; i++) stationary[i] = NAN;
    crd_status status = crd_hmm_long_run(hmm, stationary, stationary + count, error);
    if (status == CRD_ERROR_NOT_CONVERGED || status == CRD_ERROR_LIMIT) status = CRD_OK;
    crd_i_html_open_table(
        out, "States: probability at the first step and in the long run, and mean number of steps per visit");
    crd_i_html_column(out, false, "state");
    crd_i_html_column(out, true, "first step");
    crd_i_html_column(out, true, "long run");
    crd_i_html_column(out, true, "steps per visit");
    for (size_t i = 0; i < count; i++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_hmm_state(hmm, i));
        crd_i_html_cell(out, "%f", crd_hmm_start(hmm, i));
        crd_i_html_cell(out, "%f", stationary[i]);
        crd_i_html_cell(out, "%n", stationary[count + i]);
    }
    crd_i_html_close_table(out);
    crd_free(context, stationary);
    return status;
}

static crd_status sequence_study_add_states(crd_i_study *study, const crd_hmm *hmm, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html_add(&page->summary,
                   "<p>A hidden Markov model of order %u with <b>%u states</b>%s and %u parameters; %u columns are "
                   "observed.</p>\n",
                   (uint64_t)crd_hmm_facts_of(hmm)->order, (uint64_t)crd_hmm_state_count(hmm),
                   crd_hmm_facts_of(hmm)->is_hidden ? ", which are hidden," : "",
                   (uint64_t)crd_hmm_facts_of(hmm)->parameter_count,
                   (uint64_t)crd_classifier_attribute_count(crd_hmm_facts_of(hmm)->emissions));
    crd_i_page_open_section(page, "states", "States and transitions");
    crd_status status = list_states(study, hmm, error);
    if (status == CRD_OK) status = draw_transitions(study, hmm, error);
    crd_i_page_close_section(page);
    return status;
}

/* Draws the distributions of the observations in each state. They are the densities of a classifier whose classes are
 * the states. */
static crd_status add_observations(crd_i_study *study, const crd_hmm *hmm, crd_error *error) {
    const crd_classifier *emissions = crd_hmm_facts_of(hmm)->emissions;
    size_t attributes[ATTRIBUTES], count = crd_classifier_attribute_count(emissions);
    if (crd_hmm_facts_of(hmm)->components > 1 || count == 0) return CRD_OK;
    if (count > ATTRIBUTES) count = ATTRIBUTES;
    for (size_t i = 0; i < count; i++) attributes[i] = i;
    crd_i_page_open_section(&study->page, "observations", "Observations in each state");
    crd_status status = crd_i_study_distributions(study, emissions, attributes, count, error);
    crd_i_page_close_section(&study->page);
    return status;
}

/* ---- Sequences ---- */

/* Draws the most probable path through the first sequence that has at least two steps, with posteriors. */
static crd_status sequence_study_draw_path(crd_i_study *study, const crd_hmm *hmm, const crd_sequences *sequences,
                                           crd_error *error) {
    crd_context *context = study->page.context;
    size_t states = crd_hmm_state_count(hmm), chosen = 0;
    crd_sequences *one = NULL;
    while (chosen < crd_sequences_count(sequences) && crd_sequences_length(sequences, chosen) < 2) chosen++;
    if (chosen == crd_sequences_count(sequences) || states > STATES) return CRD_OK;
    size_t length = (size_t)crd_sequences_length(sequences, chosen);
    crd_text names[STATES];
    for (size_t i = 0; i < states; i++) names[i] = crd_hmm_state(hmm, i);
    int32_t *path = crd_i_alloc(context, length, sizeof *path);
    double *posteriors = crd_i_alloc(context, length * states, sizeof *posteriors);
    crd_status status = path == NULL || posteriors == NULL ? crd_i_fail_memory(error)
                                                           : crd_sequences_select(sequences, &chosen, 1, &one, error);
    if (status == CRD_OK) status = crd_hmm_paths(hmm, one, study->page.options.threads, path, NULL, error);
    if (status == CRD_OK) status = crd_hmm_posteriors(hmm, one, study->page.options.threads, posteriors, NULL, error);
    if (status == CRD_OK) {
        crd_plot_path plot = CRD_PLOT_PATH_INIT;
        crd_plot_options options = crd_i_page_plot("States along a sequence", CRD_I_PAGE_WIDE);
        char *svg = NULL;
        plot.states = names;
        plot.state_count = states;
        plot.step_count = length < STEPS ? length : STEPS;
        plot.path = path;
        plot.posteriors = posteriors;
        status = crd_plot_draw_path(context, &plot, &options, &svg, error);
        status = crd_i_page_picture(
            &study->page, status, svg,
            "The most probable path through the first sequence, and posteriors of states as shades.", error);
    }
    crd_sequences_destroy(one);
    crd_free(context, path);
    crd_free(context, posteriors);
    return status;
}

/* Writes the totals of the evaluation, warnings, and scores if there are labels. */
static crd_status sequence_study_add_totals(crd_i_study *study, const crd_sequence_evaluation *evaluation,
                                            crd_error *error) {
    crd_i_html *out = &study->page.body;
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_sequence_evaluation_totals(evaluation, &totals);
    crd_i_html_add(out, "<p>%u sequences with %u steps. Log likelihood %n nats per step.", totals.sequences,
                   totals.items, totals.log_likelihood / (double)totals.possible_items);
    if (totals.labeled > 0)
        crd_i_html_add(out, " %u sequences are labeled; %u are entirely correct.", totals.labeled, totals.correct);
    crd_i_html_add(out, "</p>\n");
    if (totals.impossible > 0) {
        crd_i_html_add(crd_i_page_begin_warning(&study->page), "Sequences with probability 0 under the model: %u.",
                       totals.impossible);
        crd_i_page_end_warning(&study->page);
    }
    if ((double)totals.items == study->summary->rows) {
        crd_i_html_add(crd_i_page_begin_warning(&study->page),
                       "These are as many steps as the model has learned: if they are the same, it will do worse on "
                       "other sequences.");
        crd_i_page_end_warning(&study->page);
    }
    study->evaluation = crd_sequence_evaluation_items(evaluation);
    if (study->evaluation == NULL || totals.labeled == 0) return CRD_OK;
    crd_status status = crd_scores_create(study->evaluation, &study->scores, error);
    if (status != CRD_OK) return status;
    crd_scores_totals(study->scores, &study->totals);
    if (study->totals.rows == 0) {
        crd_scores_destroy(study->scores);
        study->scores = NULL;
        return CRD_OK;
    }
    return crd_i_study_scores(study, error);
}

/* Reads the sequences, evaluates the model on them and draws a path. */
static crd_status sequence_study_judge(crd_i_study *study, const crd_hmm *hmm, const crd_text *names,
                                       crd_error *error) {
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    crd_sequences *sequences = NULL;
    crd_sequence_evaluation *evaluation = NULL;
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    options.threads = study->page.options.threads;
    crd_status status = crd_model_sequence_options(study->model, &source, error);
    if (status == CRD_OK) status = crd_model_bind(study->model, study->reader, error);
    if (status == CRD_OK) status = crd_sequences_read(study->reader, &source, &sequences, error);
    study->classes = names;
    study->class_count = crd_hmm_facts_of(hmm)->is_hidden ? 0 : crd_hmm_state_count(hmm);
    if (status == CRD_OK)
        status = crd_sequence_evaluation_create(study->page.context, names, study->class_count, &options, &evaluation,
                                                error);
    if (status == CRD_OK) status = crd_sequence_evaluation_add(evaluation, hmm, sequences, error);
    if (status == CRD_OK) status = sequence_study_add_totals(study, evaluation, error);
    if (status == CRD_OK) status = sequence_study_draw_path(study, hmm, sequences, error);
    study->evaluation = NULL;
    study->classes = NULL;
    crd_sequence_evaluation_destroy(evaluation);
    crd_sequences_destroy(sequences);
    return status;
}

static crd_status add_sequences(crd_i_study *study, const crd_hmm *hmm, crd_error *error) {
    size_t count = crd_hmm_state_count(hmm);
    crd_text *names = crd_i_alloc(study->page.context, count, sizeof *names);
    if (names == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) names[i] = crd_hmm_state(hmm, i);
    crd_i_page_open_section(&study->page, "scores", "How good predictions are");
    crd_status status = sequence_study_judge(study, hmm, names, error);
    crd_i_page_close_section(&study->page);
    crd_free(study->page.context, names);
    return status;
}

crd_status crd_i_sequence_study(crd_i_study *study, crd_error *error) {
    crd_hmm *hmm = NULL;
    const crd_settings *given = study->page.options.settings;
    crd_status status =
        crd_settings_clone(given != NULL ? given : crd_model_settings(study->model), &study->settings, error);
    if (status == CRD_OK) status = crd_summary_create(study->model, &study->summary, error);
    if (status == CRD_OK) status = crd_hmm_create(study->model, study->settings, &hmm, error);
    if (status == CRD_OK) status = sequence_study_add_states(study, hmm, error);
    if (status == CRD_OK && study->reader != NULL) status = add_sequences(study, hmm, error);
    if (status == CRD_OK) status = add_observations(study, hmm, error);
    crd_hmm_destroy(hmm);
    return status;
}
