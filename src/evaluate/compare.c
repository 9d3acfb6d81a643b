/* SPDX-License-Identifier: MIT */
/* compare.c - preparation of a comparison: options, column types, split, candidates, and one model per fold. See
 * compare_internal.h.
 *
 * The rows are read twice. The first pass finds the column types, which determine the statistics that the candidates
 * need. The second pass learns. Rows need not fit in memory: they are read again for each candidate. */
#include "evaluate/compare_internal.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "classify/posteriors.h"
#include "settings/settings_internal.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 10, FOLDS_OF_MANY_ROWS = 5, MANY_ROWS = 200 };

/* ---- Options ---- */

/* Returns CRD_ERROR_ARGUMENT if a name is not a candidate. */
static crd_status check_candidates(const crd_comparison_options *options, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; options->candidates != NULL && i < options->candidate_count; i++) {
        size_t index = 0;
        while (index < crd_i_candidate_count() && strcmp(options->candidates[i], crd_i_candidate_at(index)->name) != 0)
            index++;
        if (index < crd_i_candidate_count()) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown candidate '%s'",
                          crd_i_quote(crd_text_of(options->candidates[i]), shown));
    }
    return CRD_OK;
}

/* Returns CRD_ERROR_SETTING if a setting that the candidates choose is not at its default. */
static crd_status compare_check_settings(const crd_settings *settings, crd_error *error) {
    size_t count = crd_setting_count();
    for (size_t i = 0; settings != NULL && i < count; i++) {
        if (!crd_comparison_chooses(crd_setting_at(i)->name) ||
            crd_i_settings_is_default(settings, crd_setting_at(i)->name))
            continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "the setting '%s' is chosen by the comparison and cannot be set",
                   crd_setting_at(i)->name);
        crd_i_error_subject(error, crd_text_of(crd_setting_at(i)->name));
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

/* Copies and checks the options and settings. */
static crd_status compare_take_options(crd_comparison *c, const crd_comparison_options *options, crd_error *error) {
    const crd_comparison_options none = CRD_COMPARISON_OPTIONS_INIT;
    c->options = none;
    if (options != NULL && !crd_i_copy_in(options, &c->options, sizeof c->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (c->options.budget == 0) c->options.budget = 1;
    c->options.threads = crd_i_thread_pool_size(c->options.threads);
    if (!(c->options.budget > 0)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the budget must be above 0");
    crd_status status = check_candidates(&c->options, error);
    if (status == CRD_OK) status = compare_check_settings(c->options.settings, error);
    if (status != CRD_OK) return status;
    return c->options.settings == NULL ? crd_settings_create(c->context, &c->settings, error)
                                       : crd_i_settings_copy(c->context, c->options.settings, &c->settings, error);
}

/* ---- The split ---- */

/* Returns whether the number of folds depends on the number of rows. */
static bool is_split_by_rows(const crd_split_options *options) {
    return options->folds == 0 && options->column == SIZE_MAX && options->given == NULL;
}

/* Creates the split. Called before the rows are known, and again when they are known; then the number of folds may
 * depend on them. */
static crd_status compare_open_split(crd_comparison *c, bool knows_rows, crd_error *error) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    options.folds = 0;
    if (c->options.split != NULL && !crd_i_copy_in(c->options.split, &options, sizeof options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options of the split have no size");
    c->is_holdout = options.held_out > 0;
    if (c->split != NULL || (is_split_by_rows(&options) && !knows_rows)) return CRD_OK;
    const bool are_many = c->facts.rows > MANY_ROWS;
    if (is_split_by_rows(&options)) options.folds = are_many ? FOLDS_OF_MANY_ROWS : FOLDS;
    return crd_split_create(c->context, &options, &c->split, error);
}

/* ---- Column types ---- */

/* Learns a model of all rows, which determines the column types. Fold names are read in the same pass, because the
 * source may not provide them again. */
static crd_status compare_read_table(crd_comparison *c, crd_model **model, crd_error *error) {
    crd_row_source *source = c->source;
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_row_source_next(source, &frame, error);
        if (status == CRD_RESTART) {
            crd_model_destroy(*model);
            *model = NULL;
            c->facts.rows = 0;
            status = c->split == NULL ? CRD_OK : crd_split_restart(c->split, error);
            if (status == CRD_OK) continue;
        }
        if (status != CRD_OK) return status;
        if (frame == NULL) break;
        if (*model == NULL)
            status =
                frame->origin != NULL || source->weight.bytes == NULL
                    ? crd_model_create(c->context, frame, source->target, NULL, model, error)
                    : crd_model_create_weighted(c->context, frame, source->target, source->weight, NULL, model, error);
        if (status == CRD_OK) status = crd_model_update(*model, frame, error);
        if (status == CRD_OK && c->split != NULL) status = crd_split_add(c->split, source, frame, error);
        if (status != CRD_OK) return status;
        c->facts.rows += frame->rows;
    }
    if (*model != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_EMPTY, "there are no rows to learn from");
    if (source->reader != NULL) crd_i_error_place(error, crd_reader_place(source->reader), 0, 0);
    return CRD_ERROR_EMPTY;
}

/* Reads the rows and fills the facts of the table. */
static crd_status find_facts(crd_comparison *c, crd_error *error) {
    crd_model *model = NULL;
    crd_status status = compare_read_table(c, &model, error);
    if (status == CRD_OK) status = crd_summary_create(model, &c->summary, error);
    crd_model_destroy(model);
    if (status == CRD_OK) crd_i_table_facts_read(c->summary, &c->facts);
    return status;
}

/* Returns whether the options name the candidate. All are chosen if no candidates are named. */
static bool is_chosen(const crd_comparison_options *options, const char *name) {
    for (size_t i = 0; options->candidates != NULL && i < options->candidate_count; i++)
        if (strcmp(options->candidates[i], name) == 0) return true;
    return options->candidates == NULL;
}

/* Lists the chosen candidates that suit the table. */
static crd_status compare_list_candidates(crd_comparison *c, crd_error *error) {
    c->all = crd_i_alloc_zeroed(c->context, crd_i_candidate_count(), sizeof *c->all);
    if (c->all == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < crd_i_candidate_count(); i++) {
        const crd_i_compare_candidate *candidate = crd_i_candidate_at(i);
        const crd_comparison_result pending = CRD_COMPARISON_RESULT_INIT;
        if (!is_chosen(&c->options, candidate->name) || !crd_i_candidate_suits(candidate, &c->facts)) continue;
        c->all[c->count].candidate = candidate;
        c->all[c->count++].result = pending;
    }
    crd_i_comparison_number_items(c);
    return c->count > 0 ? CRD_OK : crd_i_fail(error, CRD_ERROR_EMPTY, "no candidate suits the table");
}

/* ---- Learning ---- */

/* Learns the models of all folds in one pass, with all statistics that the candidates need. */
static crd_status compare_learn(crd_comparison *c, crd_error *error) {
    char tallies[CRD_I_TALLIES_ROOM];
    crd_i_candidate_tallies(c->all, c->count, &c->facts, tallies);
    crd_status status = crd_cross_validation_create(c->context, c->source->target, c->settings, &c->validation, error);
    if (status == CRD_OK && c->source->weight.bytes != NULL)
        status = crd_cross_validation_set_weight(c->validation, c->source->weight, error);
    if (status == CRD_OK) status = crd_cross_validation_keep(c->validation, crd_text_of(tallies), error);
    if (status != CRD_OK) return status;
    crd_cross_validation_threads(c->validation, c->options.threads);
    status = crd_row_source_rewind(c->source, error);
    return status == CRD_OK ? crd_cross_validation_learn_all(c->validation, c->source, c->split, error) : status;
}

/* Creates a comparison in this process. */
static crd_status compare_create(crd_row_source *source, const crd_comparison_options *options, crd_comparison **out,
                                 crd_error *error) {
    crd_comparison *c = crd_i_alloc_zeroed(source->context, 1, sizeof *c);
    if (c == NULL) return crd_i_fail_memory(error);
    c->context = source->context;
    c->source = source;
    c->process_count = 1;
    crd_status status = compare_take_options(c, options, error);
    if (status == CRD_OK) status = compare_open_split(c, false, error);
    if (status == CRD_OK) status = find_facts(c, error);
    if (status == CRD_OK) status = compare_open_split(c, true, error);
    if (status == CRD_OK) status = compare_list_candidates(c, error);
    if (status == CRD_OK) crd_i_comparison_plan(c);
    if (status == CRD_OK) status = compare_learn(c, error);
    if (status == CRD_OK) status = crd_posteriors_create(c->context, &c->posteriors, error);
    if (status != CRD_OK) {
        crd_comparison_destroy(c);
        return status;
    }
    *out = c;
    return CRD_OK;
}

/* Creates a comparison in every process of the group. Every process has all rows and learns all of them. */
static crd_status create_shared(crd_row_source *source, const crd_comparison_options *options, crd_comparison **out,
                                crd_error *error) {
    crd_context *context = source->context;
    const crd_communicator group = crd_i_leave_group(context);
    crd_status status = compare_create(source, options, out, error);
    crd_i_join_group(context, &group);
    status = crd_i_agree(context, status, error);
    if (status == CRD_OK) {
        (*out)->is_shared = true;
        (*out)->process = group.rank;
        (*out)->process_count = group.count;
        return CRD_OK;
    }
    crd_comparison_destroy(*out);
    *out = NULL;
    return status;
}

crd_status crd_comparison_create(crd_row_source *source, const crd_comparison_options *options, crd_comparison **out,
                                 crd_error *error) {
    *out = NULL;
    return crd_i_is_collective(source->context) ? create_shared(source, options, out, error)
                                                : compare_create(source, options, out, error);
}

void crd_comparison_destroy(crd_comparison *c) {
    if (c == NULL) return;
    for (size_t i = 0; i < c->count; i++) {
        crd_free(c->context, c->all[i].losses);
        crd_evaluation_destroy(c->all[i].part);
    }
    crd_free(c->context, c->own_folds);
    crd_free(c->context, c->all);
    crd_free(c->context, c->weights);
    crd_free(c->context, c->truths);
    crd_free(c->context, c->is_in_no_loss);
    crd_free(c->context, c->baseline);
    crd_i_selection_destroy(c->selection);
    crd_posteriors_destroy(c->posteriors);
    crd_cross_validation_destroy(c->validation);
    crd_split_destroy(c->split);
    crd_summary_destroy(c->summary);
    crd_settings_destroy(c->settings);
    crd_free(c->context, c);
}

/* ---- Access ---- */

const crd_summary *crd_comparison_summary(const crd_comparison *c) {
    return c->summary;
}

const crd_split *crd_comparison_split(const crd_comparison *c) {
    return c->split;
}

size_t crd_comparison_count(const crd_comparison *c) {
    return c->count;
}

void crd_comparison_result_at(const crd_comparison *c, size_t candidate, crd_comparison_result *out) {
    crd_comparison_result comparison = c->all[candidate].result;
    comparison.name = c->all[candidate].candidate->name;
    comparison.message = c->all[candidate].message;
    crd_i_copy_out(&comparison, sizeof comparison, out);
}

int crd_comparison_setting(const crd_comparison *c, size_t candidate, size_t index, const char **name,
                           const char **value) {
    const crd_i_compare_candidate *compare = c->all[candidate].candidate;
    *name = *value = NULL;
    for (size_t i = 0; i < CRD_I_CANDIDATE_SETTINGS; i++) {
        if (!crd_i_candidate_sets(compare, &c->facts, i) || index-- > 0) continue;
        *name = compare->settings[i].name;
        *value = compare->settings[i].value;
        return 1;
    }
    return 0;
}

crd_status crd_comparison_settings(const crd_comparison *c, size_t candidate, crd_settings **out, crd_error *error) {
    const char *name, *value;
    crd_status status = crd_settings_clone(c->settings, out, error);
    for (size_t i = 0; status == CRD_OK && crd_comparison_setting(c, candidate, i, &name, &value); i++)
        status = crd_settings_set(*out, name, crd_text_of(value), error);
    if (status == CRD_OK) return CRD_OK;
    crd_settings_destroy(*out);
    *out = NULL;
    return status;
}

const crd_selection *crd_comparison_selection(const crd_comparison *c) {
    return c->selection;
}

/* See compare_internal.h. The selection owns copies of all results. */
crd_status crd_i_comparison_list(crd_comparison *c, crd_error *error) {
    crd_selection *selection = crd_i_alloc_zeroed(c->context, 1, sizeof *selection);
    if (selection == NULL) return crd_i_fail_memory(error);
    selection->context = c->context;
    selection->recommendation = c->recommendation;
    selection->count = c->count;
    selection->candidates = crd_i_alloc_zeroed(c->context, c->count, sizeof *selection->candidates);
    for (size_t i = 0; selection->candidates != NULL && i < c->count; i++) {
        crd_i_selection_candidate *one = &selection->candidates[i];
        one->result = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(c, i, &one->result);
        for (size_t s = 0; s < CRD_I_SELECTION_SETTINGS; s++)
            if (!crd_comparison_setting(c, i, s, &one->settings[s].name, &one->settings[s].value)) break;
    }
    crd_i_selection_destroy(c->selection);
    c->selection = selection->candidates == NULL ? NULL : selection;
    if (c->selection != NULL) return CRD_OK;
    crd_i_selection_destroy(selection);
    return crd_i_fail_memory(error);
}

void crd_comparison_recommendation(const crd_comparison *c, crd_recommendation *out) {
    crd_i_copy_out(&c->recommendation, sizeof c->recommendation, out);
}
