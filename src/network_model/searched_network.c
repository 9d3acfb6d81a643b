/* SPDX-License-Identifier: MIT */
/* searched_network.c - models whose network structure is learned from the rows that they store: see model_network.h.
 *
 * Contents:
 *   1. Models with learned structure
 *   2. Structure learning */
#include "network_model/model_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/joint_tallies.h"
#include "model/model_parts.h"
#include "stats/kept_rows.h"
#include "structure/found_structure.h"
#include "structure/graph.h"

/* ======== 1. Models with learned structure ======== */

/* ---- Arcs in the cache of fits ---- */

static const char WHAT[] = "structure";

/* Adds the arcs to the cache. Returns false if memory runs out. */
static bool put_arcs(crd_i_fit_cache *cache, const crd_settings *settings, const crd_i_graph *dag) {
    size_t count = 0, capacity = dag->count;
    for (size_t i = 0; i < dag->count; i++) capacity += crd_i_graph_parent_count(dag, i);
    double *numbers = crd_i_alloc(cache->context, capacity, sizeof *numbers);
    uint32_t *parents = crd_i_alloc(cache->context, dag->count, sizeof *parents);
    bool done = numbers != NULL && parents != NULL;
    for (size_t i = 0; done && i < dag->count; i++) {
        size_t of_node = crd_i_graph_parent_list(dag, i, parents);
        numbers[count++] = (double)of_node;
        for (size_t j = 0; j < of_node; j++) numbers[count++] = (double)parents[j];
    }
    done = done && crd_i_fit_cache_put(cache, WHAT, settings, numbers, count);
    crd_free(cache->context, numbers);
    crd_free(cache->context, parents);
    return done;
}

/* Reads the next number, which must be an integer from 0 to limit - 1. Returns false otherwise. */
static bool searched_network_take_number(const crd_i_fit *source_fit, size_t *cursor, size_t limit, size_t *out) {
    if (*cursor == source_fit->count) return false;
    double number = source_fit->numbers[(*cursor)++];
    if (!(number >= 0 && number < (double)limit)) return false;
    *out = (size_t)number;
    return (double)*out == number;
}

/* Reads cached arcs into a graph. They may come from a file, so they are checked. Returns false if they are invalid. */
static bool take_arcs(const crd_i_fit *source_fit, crd_i_graph *target_graph) {
    size_t index = 0;
    for (size_t node = 0; node < target_graph->count; node++) {
        size_t count, parent;
        if (!searched_network_take_number(source_fit, &index, target_graph->count, &count)) return false;
        for (size_t i = 0; i < count; i++) {
            if (!searched_network_take_number(source_fit, &index, target_graph->count, &parent) || parent == node)
                return false;
            crd_i_graph_add(target_graph, parent, node);
        }
    }
    return index == source_fit->count;
}

/* Returns the cached arcs; NULL if there are none or memory runs out. They are searched again then. */
static crd_i_graph *searched_network_find_known(const crd_model *model, const crd_settings *settings, size_t nodes) {
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, WHAT, settings);
    if (known == NULL) return NULL;
    crd_i_graph *dag = crd_i_graph_create(model->context, nodes);
    uint64_t *scratch = dag == NULL ? NULL : crd_i_alloc(model->context, dag->words, sizeof *scratch);
    bool is_known = scratch != NULL && take_arcs(known, dag) && crd_i_graph_order(dag, NULL, scratch);
    crd_free(model->context, scratch);
    if (is_known) return dag;
    crd_i_graph_destroy(dag);
    return NULL;
}

/* ---- Search ---- */

/* Runs the structure search. If the result is a partially directed graph, extends it to a DAG. */
static crd_status searched_network_search(const crd_i_case_table *table, const crd_settings *settings,
                                          crd_i_graph **out, crd_error *error) {
    crd_i_search_result result;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    *out = NULL;
    crd_status status = crd_i_structure_find(table, settings, &options, &result, error);
    if (status == CRD_OK && result.is_stopped) status = crd_i_fail_cancelled(error);
    if (status == CRD_OK) status = crd_i_graph_extend(result.graph, out, NULL, error);
    crd_i_graph_destroy(result.graph);
    return status;
}

/* Finds the arcs in the cache or by a search, and returns them as a text in the format of the setting structure. */
static crd_status find_arcs(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                            crd_i_fit_cache *cache, char **out, crd_error *error) {
    crd_i_case_table *table;
    *out = NULL;
    crd_status status = crd_i_case_table_of_model(model, view, &table, error);
    if (status != CRD_OK) return status;
    status = crd_i_structure_keep_nodes(table, error);
    crd_i_graph *dag = status == CRD_OK ? searched_network_find_known(model, settings, table->column_count) : NULL;
    if (status == CRD_OK && dag == NULL) {
        status = searched_network_search(table, settings, &dag, error);
        if (status == CRD_OK && cache != NULL && !put_arcs(cache, settings, dag)) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) {
        *out = crd_i_structure_arcs(table, dag);
        if (*out == NULL) status = crd_i_fail_memory(error);
    }
    crd_i_graph_destroy(dag);
    crd_i_case_table_destroy(table);
    return status;
}

/* ---- Model with the learned arcs ---- */

/* Translates the stored codes of a column to the codes of another model. `out` has room for all rows. Returns false if
 * memory runs out. */
static bool searched_network_renumber(const crd_model *model, size_t column, const crd_i_view *view,
                                      const crd_model *target_model, const int32_t *codes, size_t rows, int32_t *out) {
    int32_t *numbers = crd_i_alloc(model->context, view->value_count, sizeof *numbers);
    if (numbers == NULL) return false;
    for (size_t i = 0; i < view->value_count; i++)
        numbers[i] =
            crd_i_dictionary_find(target_model->variables[column].values,
                                  crd_i_dictionary_text(model->variables[column].values, (size_t)view->values[i]));
    for (size_t row = 0; row < rows; row++) out[row] = codes[row] < 0 ? -1 : numbers[codes[row]];
    crd_free(model->context, numbers);
    return true;
}

/* Passes the stored columns, with translated codes, to the other model's joint tallies. Returns false if memory runs
 * out. */
static bool searched_network_offer(const crd_model *model, const crd_i_schema_view *view,
                                   const crd_i_model_joint_tally *kept, const crd_model *target_model,
                                   const crd_i_sample *sample, crd_i_offered *offered) {
    int32_t *codes = crd_i_alloc(model->context, sample->table->rows, sizeof *codes);
    bool done = codes != NULL;
    for (size_t i = 0; done && i < kept->joint_tally->column_count; i++) {
        size_t column = kept->columns[i];
        crd_i_cells cells = crd_i_sample_cells(sample, i);
        if (cells.codes != NULL) {
            done = searched_network_renumber(model, column, &view->views[column], target_model, cells.codes,
                                             sample->table->rows, codes);
            cells.codes = codes;
        }
        if (done && (cells.codes != NULL || cells.numbers != NULL)) done = crd_i_offered_put(offered, column, &cells);
    }
    crd_free(model->context, codes);
    return done;
}

/* Adds the rows that a model stores to the joint tallies of another model. */
static crd_status searched_network_add_rows(const crd_model *model, const crd_i_schema_view *schema_view,
                                            const crd_i_model_joint_tally *kept, crd_model *target_model,
                                            crd_error *error) {
    crd_context *context = model->context;
    size_t target = model->schema->target;
    crd_i_sample sample;
    crd_i_offered offered = {.context = context};
    crd_status status = crd_i_joint_tallies_rows(model, kept, schema_view, &sample, error);
    if (status != CRD_OK) return status;
    bool done = crd_i_offered_init(&offered, context, sample.table->rows, model->schema->count) &&
                searched_network_offer(model, schema_view, kept, target_model, &sample, &offered);
    int32_t *classes = done ? crd_i_sample_conditions(&sample) : NULL;
    done = done && searched_network_renumber(model, target, &schema_view->views[target], target_model, classes,
                                             sample.table->rows, classes);
    status = done ? crd_i_joint_tallies_add(target_model, &offered, classes, sample.table->weights, error)
                  : crd_i_fail_memory(error);
    crd_i_offered_clear(&offered);
    crd_i_sample_clear(&sample);
    return status;
}

/* Creates a model of the same rows whose settings contain these arcs. It stores only the joint counts of its
 * families. */
static crd_status state_arcs(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                             crd_text arcs, crd_model **out, crd_error *error) {
    const crd_i_model_joint_tally *kept = crd_i_case_rows_of_model(model);
    crd_settings *stated = NULL;
    crd_model *new_model = NULL;
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_clone(model->schema);
    crd_status status =
        schema == NULL ? crd_i_fail_memory(error) : crd_i_settings_copy(model->context, settings, &stated, error);
    if (status == CRD_OK) status = crd_settings_set(stated, "arcs", arcs, error);
    if (status == CRD_OK) status = crd_i_model_create_bare(model->context, schema, stated, &new_model, error);
    else crd_i_schema_destroy(schema);
    if (status == CRD_OK) status = crd_i_model_add_main(new_model, model, error);
    if (status == CRD_OK) status = crd_i_joint_tallies_keep_by_settings(new_model, error);
    if (status == CRD_OK && new_model->joint_tally_count > 0)
        status = searched_network_add_rows(model, view, kept, new_model, error);
    crd_settings_destroy(stated);
    if (status == CRD_OK) *out = new_model;
    else crd_model_destroy(new_model);
    return status;
}

/* Finds the arcs and creates the model with them. */
static crd_status search_model(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                               crd_i_fit_cache *cache, crd_model **out, crd_error *error) {
    char *arcs;
    *out = NULL;
    crd_status status = find_arcs(model, settings, view, cache, &arcs, error);
    if (status == CRD_OK) status = state_arcs(model, settings, view, crd_text_of(arcs), out, error);
    crd_free(model->context, arcs);
    return status;
}

crd_status crd_i_network_of_rows(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                                 crd_i_fit_cache *fitted, crd_fit *fit, crd_network **out, crd_error *error) {
    size_t dependence;
    if (crd_i_settings_search(settings, &dependence) == CRD_I_SEARCH_NONE)
        return crd_i_network_count(model, settings, view, fitted, fit, out, error);
    crd_model *searched;
    crd_i_schema_view *schema_view = NULL;
    *out = NULL;
    crd_status status = search_model(model, settings, view, fitted, &searched, error);
    /* Fits to the learned arcs are cached under settings with these arcs. */
    if (status == CRD_OK && !crd_i_fit_cache_join(&searched->fitted, &model->fitted)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) searched->group = model->group;
    if (status == CRD_OK) status = crd_i_schema_view_create(searched, &schema_view, error);
    if (status == CRD_OK)
        status = crd_i_network_count(searched, searched->settings, schema_view, fitted, fit, out, error);
    crd_i_schema_view_destroy(schema_view);
    crd_model_destroy(searched);
    return status;
}

/* ======== 2. Structure learning ========
 *
 * See credence/structure.h. */

crd_status crd_structure_learn_from_model(const crd_model *model, const crd_settings *settings,
                                          const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_i_schema_view *view;
    crd_i_case_table *table = NULL;
    *out = NULL;
    crd_status status = crd_i_model_check_of_rows(model, "have a structure learned from its rows", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    if (status != CRD_OK) return status;
    status = crd_i_case_table_of_model(model, view, &table, error);
    if (status == CRD_OK)
        status = crd_i_structure_of_cases(table, settings == NULL ? model->settings : settings, options, out, error);
    crd_i_case_table_destroy(table);
    crd_i_schema_view_destroy(view);
    return status;
}
