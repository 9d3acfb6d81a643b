/* SPDX-License-Identifier: MIT */
/* structure_settings.c - see found_structure.h. */
#include "structure/found_structure.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "settings/settings_internal.h"
#include "structure/counted_rows.h"

#include <math.h>

/* ---- Nodes ---- */

bool crd_i_structure_is_node(const crd_i_case_column *column) {
    return column->type == CRD_TYPE_NUMERIC || column->state_count > 0;
}

crd_status crd_i_structure_keep_nodes(crd_i_case_table *table, crd_error *error) {
    bool *stays = crd_i_alloc(table->context, table->column_count, sizeof *stays);
    if (stays == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < table->column_count; i++) stays[i] = crd_i_structure_is_node(&table->columns[i]);
    crd_status status = crd_i_case_table_keep(table, stays, error);
    crd_free(table->context, stays);
    return status;
}

/* ---- Constraints ---- */

/* Finds the node that a setting names. Fails with CRD_ERROR_COLUMN if there is none. */
static crd_status structure_settings_find_node(const crd_i_case_table *table, const char *setting, crd_text name,
                                               size_t *node, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *node = crd_i_case_table_find(table, name);
    if (*node != SIZE_MAX) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_COLUMN, "the setting %s names '%s', which is not a node", setting,
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status refuse_loop(const char *setting, crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_SETTING, "%s has an arc from '%s' to itself, which is invalid", setting,
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, crd_text_of(setting));
    return CRD_ERROR_SETTING;
}

/* Adds the arcs of a setting to a graph. */
static crd_status add_arcs(const crd_i_case_table *table, const char *setting, const crd_i_arcs *arcs,
                           crd_i_graph *target_graph, crd_error *error) {
    if (arcs->nodes == NULL) return CRD_OK;
    for (size_t child = 0, index = 0; child < crd_i_dictionary_size(arcs->nodes); child++) {
        size_t target, parent;
        crd_status status =
            structure_settings_find_node(table, setting, crd_i_dictionary_text(arcs->nodes, child), &target, error);
        for (; status == CRD_OK && index < arcs->ends[child]; index++) {
            crd_text name = crd_i_dictionary_text(arcs->nodes, arcs->parents[index]);
            status = structure_settings_find_node(table, setting, name, &parent, error);
            if (status == CRD_OK && parent == target) status = refuse_loop(setting, name, error);
            if (status == CRD_OK) crd_i_graph_add(target_graph, parent, target);
        }
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Reads the tiers of the settings into the constraints. */
static crd_status add_tiers(const crd_i_case_table *table, const crd_settings *settings,
                            crd_i_arc_constraints *constraints, crd_error *error) {
    if (settings->tier_columns == NULL) return CRD_OK;
    uint32_t *tiers = crd_i_alloc(table->context, table->column_count, sizeof *tiers);
    if (tiers == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t i = 0; i < table->column_count; i++) tiers[i] = CRD_I_NO_TIER;
    for (size_t tier = 0, index = 0; status == CRD_OK && tier < settings->tier_count; tier++) {
        for (; status == CRD_OK && index < settings->tier_ends[tier]; index++) {
            size_t node;
            status = structure_settings_find_node(table, "tiers", crd_i_dictionary_text(settings->tier_columns, index),
                                                  &node, error);
            if (status == CRD_OK) tiers[node] = (uint32_t)tier;
        }
    }
    if (status == CRD_OK) crd_i_arc_constraints_set_tiers(constraints, tiers);
    crd_free(table->context, tiers);
    return status;
}

static crd_status structure_settings_check(const crd_i_case_table *table, const crd_i_arc_constraints *constraints,
                                           crd_error *error) {
    crd_text *names = crd_i_alloc(table->context, table->column_count, sizeof *names);
    if (names == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < table->column_count; i++) names[i] = table->columns[i].name;
    crd_status status = crd_i_arc_constraints_check(constraints, names, error);
    crd_free(table->context, names);
    return status;
}

static bool has_constraints(const crd_settings *settings) {
    return settings->required_arcs.nodes != NULL || settings->forbidden_arcs.nodes != NULL ||
           settings->tier_columns != NULL || settings->max_parents > 0;
}

/* Reads the constraints of the settings, and checks them. Sets *out to NULL if the settings specify none. */
static crd_status read_constraints(const crd_i_case_table *table, const crd_settings *settings,
                                   crd_i_arc_constraints **out, crd_error *error) {
    *out = NULL;
    if (!has_constraints(settings)) return CRD_OK;
    crd_status status = crd_i_arc_constraints_create(table->context, table->column_count, out, error);
    if (status != CRD_OK) return status;
    if (settings->max_parents > 0) (*out)->max_parents = settings->max_parents;
    status = add_arcs(table, "required-arcs", &settings->required_arcs, (*out)->required, error);
    if (status == CRD_OK)
        status = add_arcs(table, "forbidden-arcs", &settings->forbidden_arcs, (*out)->forbidden, error);
    if (status == CRD_OK) status = add_tiers(table, settings, *out, error);
    if (status == CRD_OK) status = structure_settings_check(table, *out, error);
    if (status == CRD_OK) status = crd_i_arc_constraints_check_types(*out, table, error);
    if (status == CRD_OK) return CRD_OK;
    crd_i_arc_constraints_destroy(*out);
    *out = NULL;
    return status;
}

/* ---- Searching ---- */

const crd_i_search *crd_i_structure_search_of(const crd_settings *settings, size_t *dependence) {
    /* The enumeration lists the searches in the order of the setting's first forms. */
    crd_i_search_choice choice = crd_i_settings_search(settings, dependence);
    return crd_i_search_named(crd_text_of(crd_setting_at(CRD_I_SETTING_SEARCH)->forms[choice].word));
}

/* Checks that the table is suitable for the search: it has rows, nodes and a target if needed. */
static crd_status check_table(const crd_i_case_table *table, const crd_i_search *search, const crd_settings *settings,
                              crd_error *error) {
    if (search == NULL) return crd_i_fail(error, CRD_ERROR_SETTING, "the settings do not specify a structure search");
    if (table->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn a structure from");
    if (table->column_count == 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "no column has values, so the network has no nodes");
    if (search->needs_target && table->target == SIZE_MAX) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the search %s needs a target, the parent of all other nodes",
                   search->name);
        crd_i_error_hint(error, "specify it with target=COLUMN");
        return CRD_ERROR_SETTING;
    }
    if (search->takes_constraints || !has_constraints(settings)) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "the search %s does not support constraints: required and forbidden arcs, tiers and max-parents are "
               "for other searches",
               search->name);
    crd_i_error_subject(error, crd_text_of("search"));
    return CRD_ERROR_SETTING;
}

/* The kinds are in the order of the setting's forms. */
static crd_i_score structure_settings_score(const crd_settings *settings) {
    static const crd_i_score_kind kinds[] = {CRD_I_SCORE_BIC,    CRD_I_SCORE_AIC, CRD_I_SCORE_BDEU, CRD_I_SCORE_K2,
                                             CRD_I_SCORE_LOGLIK, CRD_I_SCORE_BGE, CRD_I_SCORE_BGE};
    const crd_i_setting_value value = settings->values[CRD_I_SETTING_SCORE];
    const crd_i_score score = {kinds[value.form], value.argument > 0 ? value.argument : 1};
    return score;
}

static crd_i_independence_test test_of(const crd_settings *settings) {
    return (crd_i_independence_test)settings->values[CRD_I_SETTING_CI_TEST].form;
}

/* Reads the search and its options from the settings. The caller owns *constraints. */
static crd_status structure_settings_read_options(const crd_i_case_table *table, const crd_settings *settings,
                                                  const crd_structure_options *given, const crd_i_search **search,
                                                  crd_i_search_options *out, crd_i_arc_constraints **constraints,
                                                  crd_error *error) {
    const crd_i_search_options defaults = CRD_I_SEARCH_OPTIONS_INIT;
    *out = defaults;
    *constraints = NULL;
    *search = crd_i_structure_search_of(settings, &out->k);
    crd_status status = check_table(table, *search, settings, error);
    if (status == CRD_OK) status = read_constraints(table, settings, constraints, error);
    out->score = structure_settings_score(settings);
    out->alpha = settings->alpha;
    out->test = test_of(settings);
    out->max_conditioning = settings->max_conditioning;
    out->restarts = settings->restarts;
    out->threads = given->threads;
    out->seed = given->seed;
    out->constraints = *constraints;
    return status;
}

crd_status crd_i_structure_find(const crd_i_case_table *table, const crd_settings *settings,
                                const crd_structure_options *options, crd_i_search_result *out, crd_error *error) {
    const crd_i_search_result none = {0};
    const crd_i_search *search;
    crd_i_search_options used;
    crd_i_arc_constraints *constraints;
    *out = none;
    crd_i_case_table *complete = NULL;
    crd_status status = structure_settings_read_options(table, settings, options, &search, &used, &constraints, error);
    if (status == CRD_OK && search->has_score) status = crd_i_complete_rows_create(table, &complete, error);
    if (status == CRD_OK) status = search->run(complete == NULL ? table : complete, &used, out, error);
    out->rows = complete == NULL ? table->total : complete->total;
    /* If the processes share a table, each may have stopped at a different graph, so there is no common result. */
    if (status == CRD_OK && table->group != NULL && out->is_stopped) {
        status = crd_i_fail_cancelled(error);
        crd_i_graph_destroy(out->graph);
        *out = none;
    }
    crd_i_case_table_destroy(complete);
    crd_i_arc_constraints_destroy(constraints);
    return status;
}

crd_status crd_i_structure_bootstrap(const crd_i_case_table *table, const crd_settings *settings,
                                     const crd_structure_options *options, crd_i_bootstrap_result *out,
                                     crd_error *error) {
    const crd_i_bootstrap_result none = {.context = table->context};
    const crd_i_search *search;
    crd_i_search_options used;
    crd_i_arc_constraints *constraints;
    *out = none;
    double threshold = options->threshold >= 0 ? options->threshold : (double)NAN;
    crd_status status = structure_settings_read_options(table, settings, options, &search, &used, &constraints, error);
    crd_i_case_table *complete = NULL;
    if (status == CRD_OK && search->has_score) status = crd_i_complete_rows_create(table, &complete, error);
    if (status == CRD_OK)
        status = crd_i_bootstrap(complete == NULL ? table : complete, search, &used, options->resamples, threshold, out,
                                 error);
    out->rows = complete == NULL ? table->total : complete->total;
    crd_i_case_table_destroy(complete);
    crd_i_arc_constraints_destroy(constraints);
    return status;
}

/* ---- Arcs ---- */

char *crd_i_structure_arcs(const crd_i_case_table *table, const crd_i_graph *dag) {
    crd_context *context = table->context;
    crd_i_arcs arcs = {.nodes = crd_i_dictionary_create(context)};
    size_t count = 0;
    char *text = NULL;
    for (size_t i = 0; i < table->column_count; i++) count += crd_i_graph_parent_count(dag, i);
    arcs.parents = crd_i_alloc(context, count, sizeof *arcs.parents);
    arcs.ends = crd_i_alloc(context, table->column_count, sizeof *arcs.ends);
    bool done = arcs.nodes != NULL && arcs.parents != NULL && arcs.ends != NULL;
    for (size_t i = 0, index = 0; done && i < table->column_count; i++) {
        done = crd_i_dictionary_add(arcs.nodes, table->columns[i].name) >= 0;
        index += crd_i_graph_parent_list(dag, i, arcs.parents + index);
        arcs.ends[i] = index;
    }
    if (done) text = crd_i_arcs_text(context, &arcs);
    crd_i_dictionary_destroy(arcs.nodes);
    crd_free(context, arcs.parents);
    crd_free(context, arcs.ends);
    return text;
}
