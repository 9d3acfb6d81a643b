/* SPDX-License-Identifier: MIT */
/* structure_binding.c - see structure_binding.h. */
#include "model/structure_binding.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static crd_status structure_binding_refuse(crd_status status, const char *format, crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, format, crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return status;
}

/* Adds a hint about how to turn a numeric column into states. */
static void hint_at_states(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    const char *item = crd_i_quote_item(name, quoted);
    crd_i_error_hint(
        error, "cut it into ranges with discretize=%s=quantile:4, or, if its numbers are codes, use categorical=%s",
        item, item);
}

/* ---- Columns ---- */

/* Returns the type of a node. The target is a category, whatever its cells look like, and so are latent nodes
 * (SIZE_MAX). */
static crd_column_type structure_binding_type(const crd_model *model, size_t column) {
    return column == SIZE_MAX || column == model->schema->target ? CRD_TYPE_CATEGORICAL
                                                                 : crd_i_model_column_type(model, column);
}

/* Returns the type of a node that is known before the first row. */
static crd_column_type declared_type(const crd_model *model, size_t column) {
    return column == SIZE_MAX || column == model->schema->target ? CRD_TYPE_CATEGORICAL
                                                                 : model->schema->columns[column].type;
}

/* Checks that no category has a numeric parent. */
static crd_status check_arcs(const crd_model *model, const crd_settings *settings, const size_t *columns,
                             crd_error *error) {
    const crd_i_dictionary *nodes = settings->structure_nodes;
    char quoted[2][CRD_I_QUOTED_ROOM];
    for (size_t i = 0, index = 0; i < crd_i_dictionary_size(nodes); i++)
        for (; index < settings->structure_ends[i]; index++) {
            const uint32_t parent = settings->structure_parents[index];
            if (structure_binding_type(model, columns[i]) != CRD_TYPE_CATEGORICAL ||
                structure_binding_type(model, columns[parent]) != CRD_TYPE_NUMERIC)
                continue;
            const crd_text name = crd_i_dictionary_text(nodes, parent);
            crd_i_fail(error, CRD_ERROR_TYPE,
                       "the setting structure has an arc from the number '%s' to the category '%s', but a category "
                       "cannot have a continuous parent: reverse the arc, or cut the number into ranges",
                       crd_i_quote(name, quoted[0]), crd_i_quote(crd_i_dictionary_text(nodes, i), quoted[1]));
            crd_i_error_subject(error, name);
            hint_at_states(name, error);
            return CRD_ERROR_TYPE;
        }
    return CRD_OK;
}

static crd_status refuse_unknown(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    structure_binding_refuse(CRD_ERROR_COLUMN, "the setting structure names '%s', which is not a column", name, error);
    crd_i_error_hint(error, "if it is a latent node, specify its number of states: latent-nodes=%s:2",
                     crd_i_quote_item(name, quoted));
    return CRD_ERROR_COLUMN;
}

static bool structure_binding_has_values(const crd_model *model, size_t column) {
    if (column == SIZE_MAX) return false;
    const crd_i_dictionary *values = model->variables[column].values;
    return structure_binding_type(model, column) == CRD_TYPE_NUMERIC ||
           (values != NULL && crd_i_dictionary_size(values) > 0);
}

static crd_status check_hidden(crd_text name, bool is_column, size_t states, crd_error *error) {
    if (!is_column && states > 0) return CRD_OK;
    const char *fault =
        is_column
            ? "the setting latent-nodes names '%s', which is a column: missing values of columns are estimated anyway"
            : "the setting latent-nodes names '%s' without its number of states, as in NAME:3";
    return structure_binding_refuse(CRD_ERROR_SETTING, fault, name, error);
}

/* Checks that every latent node is in the structure. */
static crd_status check_all_hidden(const crd_settings *settings, crd_error *error) {
    size_t count = settings->latent_nodes == NULL ? 0 : crd_i_dictionary_size(settings->latent_nodes);
    for (size_t i = 0; i < count; i++) {
        crd_text name = crd_i_dictionary_text(settings->latent_nodes, i);
        if (crd_i_dictionary_find(settings->structure_nodes, name) < 0)
            return structure_binding_refuse(CRD_ERROR_SETTING,
                                            "the setting latent-nodes names '%s', which is not a node of the structure",
                                            name, error);
    }
    return CRD_OK;
}

/* Finds the schema columns of the structure's nodes; SIZE_MAX: the node is latent. */
static crd_status structure_binding_find_columns(const crd_model *model, const crd_settings *settings, size_t *columns,
                                                 crd_error *error) {
    const crd_i_schema *schema = model->schema;
    const crd_i_dictionary *nodes = settings->structure_nodes;
    size_t count = crd_i_dictionary_size(nodes);
    for (size_t i = 0; i < count; i++) columns[i] = SIZE_MAX;
    for (size_t i = 0; i < schema->count; i++) {
        int32_t code = crd_i_dictionary_find(nodes, schema->columns[i].name);
        if (code >= 0) columns[code] = i;
    }
    bool has_target = schema->lacks_target;
    for (size_t i = 0; i < count; i++) {
        size_t states;
        crd_text name = crd_i_dictionary_text(nodes, i);
        if (crd_i_settings_latent_node(settings, name, &states)) {
            crd_status status = check_hidden(name, structure_binding_has_values(model, columns[i]), states, error);
            if (status != CRD_OK) return status;
            /* A column without any cell counts as missing. */
            columns[i] = SIZE_MAX;
            continue;
        }
        if (columns[i] == SIZE_MAX) return refuse_unknown(name, error);
        has_target = has_target || columns[i] == schema->target;
        if (structure_binding_type(model, columns[i]) == CRD_TYPE_NUMERIC &&
            crd_i_settings_estimator(settings) != CRD_I_ESTIMATOR_COUNTS) {
            structure_binding_refuse(CRD_ERROR_TYPE,
                                     "the setting structure names the number '%s', but tables fitted to incomplete "
                                     "rows must be of categories: use estimator=counts, or cut the number into ranges",
                                     name, error);
            hint_at_states(name, error);
            return CRD_ERROR_TYPE;
        }
    }
    if (has_target) return check_arcs(model, settings, columns, error);
    return structure_binding_refuse(CRD_ERROR_SETTING,
                                    "the setting structure must contain the target '%s': add it, with or without arcs",
                                    schema->columns[schema->target].name, error);
}

static bool structure_binding_is_number(const crd_model *model, size_t column) {
    const crd_i_tally *tally = model->variables[column].tally;
    return structure_binding_type(model, column) == CRD_TYPE_NUMERIC && tally != NULL && !crd_i_tally_is_empty(tally);
}

/* Returns whether a column has states, or at least one number. */
static bool is_node(const crd_model *model, const crd_i_schema_view *view, size_t column) {
    return column == model->schema->target || structure_binding_is_number(model, column) ||
           (crd_i_model_column_type(model, column) == CRD_TYPE_CATEGORICAL && view->views[column].value_count > 0);
}

/* ---- Families ---- */

void crd_i_families_close(crd_i_families *families) {
    crd_free(families->context, families->columns);
    crd_free(families->context, families->hidden);
    crd_free(families->context, families->names);
    crd_free(families->context, families->ends);
    crd_free(families->context, families->parents);
    crd_free(families->context, families->are_numbers);
    const crd_i_families none = {.context = families->context};
    *families = none;
}

size_t crd_i_families_first(const crd_i_families *families, size_t node) {
    return node == 0 ? 0 : families->ends[node - 1];
}

static bool structure_binding_allocate(crd_i_families *families, size_t nodes, size_t arrows) {
    families->columns = crd_i_alloc(families->context, nodes, sizeof *families->columns);
    families->hidden = crd_i_alloc_zeroed(families->context, nodes, sizeof *families->hidden);
    families->names = crd_i_alloc(families->context, nodes, sizeof *families->names);
    families->ends = crd_i_alloc(families->context, nodes, sizeof *families->ends);
    families->parents = crd_i_alloc(families->context, arrows, sizeof *families->parents);
    families->are_numbers = crd_i_alloc_zeroed(families->context, nodes, sizeof *families->are_numbers);
    return families->columns != NULL && families->hidden != NULL && families->names != NULL && families->ends != NULL &&
           families->parents != NULL && families->are_numbers != NULL;
}

/* Opens a naive Bayes structure: the target is the parent of all other nodes. If tables are fitted to rows, only
 * columns with states are nodes. */
static crd_status open_naive(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                             bool refuses_numbers, crd_i_families *families, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    const bool is_fitted = crd_i_settings_estimator(settings) != CRD_I_ESTIMATOR_COUNTS;
    if (!structure_binding_allocate(families, schema->count, schema->count)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < schema->count; i++) {
        if (refuses_numbers && crd_i_model_column_type(model, i) == CRD_TYPE_NUMERIC)
            return structure_binding_refuse(
                CRD_ERROR_COLUMN,
                "'%s' is a number, but the nodes of a network are categories: ignore it, or cut it into ranges first",
                schema->columns[i].name, error);
        if (!is_node(model, view, i) || (is_fitted && structure_binding_is_number(model, i))) continue;
        if (i == schema->target) families->target = families->count;
        families->names[families->count] = schema->columns[i].name;
        families->are_numbers[families->count] = structure_binding_is_number(model, i);
        families->columns[families->count++] = i;
    }
    size_t arrows = 0;
    for (size_t i = 0; i < families->count; i++) {
        if (i != families->target) families->parents[arrows++] = (uint32_t)families->target;
        families->ends[i] = arrows;
    }
    return CRD_OK;
}

static int structure_binding_compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Translates node numbers. numbers[code] is the number of a node of the structure, UINT32_MAX if it has no states;
 * codes[number] is the reverse. */
typedef struct binding_numbering {
    const size_t *columns; /* schema columns of the structure's nodes */
    uint32_t *numbers, *codes;
} binding_numbering;

static void structure_binding_add_node(const crd_model *model, const crd_settings *settings,
                                       const crd_i_schema_view *view, const binding_numbering *numbering, size_t code,
                                       crd_i_families *families) {
    size_t column = numbering->columns[code], states = 0;
    crd_text name = crd_i_dictionary_text(settings->structure_nodes, code);
    numbering->numbers[code] = UINT32_MAX;
    if (column == SIZE_MAX) crd_i_settings_latent_node(settings, name, &states);
    else if (!is_node(model, view, column)) return;
    else if (column == model->schema->target) families->target = families->count;
    families->hidden[families->count] = states;
    families->are_numbers[families->count] = column != SIZE_MAX && structure_binding_is_number(model, column);
    families->names[families->count] = name;
    numbering->codes[families->count] = (uint32_t)code;
    numbering->numbers[code] = (uint32_t)families->count;
    families->columns[families->count++] = column;
}

/* Adds the nodes in schema order; if tables are fitted to rows, sorted by name. */
static void structure_binding_add_nodes(const crd_model *model, const crd_settings *settings,
                                        const crd_i_schema_view *view, const binding_numbering *numbering,
                                        crd_i_families *families) {
    const crd_i_dictionary *nodes = settings->structure_nodes;
    bool is_fitted = crd_i_settings_estimator(settings) != CRD_I_ESTIMATOR_COUNTS;
    for (size_t i = 0; is_fitted && i < crd_i_dictionary_size(nodes); i++)
        structure_binding_add_node(model, settings, view, numbering, i, families);
    for (size_t i = 0; !is_fitted && i < model->schema->count; i++) {
        int32_t code = crd_i_dictionary_find(nodes, model->schema->columns[i].name);
        if (code >= 0 && numbering->columns[code] == i)
            structure_binding_add_node(model, settings, view, numbering, (size_t)code, families);
    }
}

static void structure_binding_add_arrows(const crd_settings *settings, const binding_numbering *numbering,
                                         crd_i_families *families) {
    size_t arrows = 0;
    for (size_t i = 0; i < families->count; i++) {
        uint32_t code = numbering->codes[i];
        size_t first = arrows;
        for (size_t index = code == 0 ? 0 : settings->structure_ends[code - 1]; index < settings->structure_ends[code];
             index++) {
            uint32_t parent = numbering->numbers[settings->structure_parents[index]];
            if (parent != UINT32_MAX) families->parents[arrows++] = parent;
        }
        if (arrows > first)
            qsort(families->parents + first, arrows - first, sizeof *families->parents,
                  structure_binding_compare_numbers);
        families->ends[i] = arrows;
    }
}

static crd_status open_stated(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                              crd_i_families *families, crd_error *error) {
    size_t named = crd_i_dictionary_size(settings->structure_nodes);
    size_t *columns = crd_i_alloc(families->context, named, sizeof *columns);
    uint32_t *numbers = crd_i_alloc(families->context, 2 * named, sizeof *numbers);
    crd_status status = CRD_OK;
    if (columns == NULL || numbers == NULL ||
        !structure_binding_allocate(families, named, settings->structure_ends[named - 1]))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = structure_binding_find_columns(model, settings, columns, error);
    if (status == CRD_OK) status = check_all_hidden(settings, error);
    if (status == CRD_OK) {
        const binding_numbering numbering = {columns, numbers, numbers + named};
        structure_binding_add_nodes(model, settings, view, &numbering, families);
        structure_binding_add_arrows(settings, &numbering, families);
    }
    crd_free(families->context, columns);
    crd_free(families->context, numbers);
    return status;
}

crd_status crd_i_families_open(const crd_model *model, const crd_settings *settings, const crd_i_schema_view *view,
                               bool is_naive, crd_i_families *out, crd_error *error) {
    crd_i_families families = {.context = model->context, .target = SIZE_MAX};
    bool is_stated = settings->structure_nodes != NULL && !is_naive;
    crd_status status = is_stated ? CRD_OK : crd_i_model_check_target(model, error);
    if (status == CRD_OK)
        status = !is_stated ? open_naive(model, settings, view, is_naive, &families, error)
                            : open_stated(model, settings, view, &families, error);
    if (status != CRD_OK) crd_i_families_close(&families);
    *out = families;
    return status;
}

/* ---- Blocks ---- */

void crd_i_family_blocks_close(crd_i_family_blocks *blocks) {
    crd_free(blocks->context, blocks->columns);
    crd_free(blocks->context, blocks->ends);
    crd_free(blocks->context, blocks->types);
    const crd_i_family_blocks none = {.context = blocks->context};
    *blocks = none;
}

/* The attributes of a family, by their numbers in the structure, which are sorted by name. */
typedef struct block {
    const uint32_t *codes;
    size_t count;
    crd_column_type type; /* type of the node's column */
} block;

static int structure_binding_compare_blocks(const void *a, const void *b) {
    const block *x = a, *y = b;
    size_t i = 0;
    while (i < x->count && i < y->count && x->codes[i] == y->codes[i]) i++;
    if (i < x->count && i < y->count) return x->codes[i] < y->codes[i] ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

/* Lists a node and its parents except the target, in ascending order. Returns how many. */
static size_t structure_binding_list_attributes(const crd_settings *settings, uint32_t node, uint32_t target,
                                                uint32_t *destination) {
    size_t count = 0;
    bool is_listed = node == target;
    for (size_t index = node == 0 ? 0 : settings->structure_ends[node - 1]; index < settings->structure_ends[node];
         index++) {
        uint32_t parent = settings->structure_parents[index];
        if (!is_listed && parent > node) {
            destination[count++] = node;
            is_listed = true;
        }
        if (parent != target) destination[count++] = parent;
    }
    if (!is_listed) destination[count++] = node;
    return count;
}

/* Lists the families with at least two attributes. `columns` has the columns of the structure's nodes; `codes` has room
 * for all nodes and arcs. */
static crd_status list_blocks(const crd_model *model, const size_t *columns, uint32_t *codes, block *blocks,
                              crd_i_family_blocks *out, crd_error *error) {
    const crd_settings *settings = model->settings;
    size_t named = crd_i_dictionary_size(settings->structure_nodes), count = 0, used = 0;
    uint32_t target = 0;
    while (target < named && columns[target] != model->schema->target) target++;
    for (uint32_t i = 0; i < named; i++) {
        const block found_block = {codes + used, structure_binding_list_attributes(settings, i, target, codes + used),
                                   declared_type(model, columns[i])};
        if (found_block.count < 2) continue;
        used += found_block.count;
        blocks[count++] = found_block;
    }
    if (count > 0) qsort(blocks, count, sizeof *blocks, structure_binding_compare_blocks);
    out->columns = crd_i_alloc(model->context, used, sizeof *out->columns);
    out->ends = crd_i_alloc(model->context, count, sizeof *out->ends);
    out->types = crd_i_alloc(model->context, count, sizeof *out->types);
    if (out->columns == NULL || out->ends == NULL || out->types == NULL) return crd_i_fail_memory(error);
    size_t end = 0;
    for (; out->count < count; out->count++) {
        const block *source_block = &blocks[out->count];
        for (size_t i = 0; i < source_block->count; i++) out->columns[end++] = columns[source_block->codes[i]];
        out->ends[out->count] = end;
        out->types[out->count] = source_block->type;
    }
    return CRD_OK;
}

crd_status crd_i_family_blocks_open(const crd_model *model, crd_i_family_blocks *out, crd_error *error) {
    const crd_settings *settings = model->settings;
    crd_context *context = model->context;
    crd_i_family_blocks family = {.context = context};
    *out = family;
    if (settings->structure_nodes == NULL) return CRD_OK;
    size_t named = crd_i_dictionary_size(settings->structure_nodes), arrows = settings->structure_ends[named - 1];
    size_t *columns = crd_i_alloc(context, named, sizeof *columns);
    uint32_t *codes = crd_i_alloc(context, named + arrows, sizeof *codes);
    block *blocks = crd_i_alloc(context, named, sizeof *blocks);
    crd_status status = columns == NULL || codes == NULL || blocks == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = structure_binding_find_columns(model, settings, columns, error);
    /* Tables that are fitted to rows need no counts. */
    bool is_counted = crd_i_settings_estimator(settings) == CRD_I_ESTIMATOR_COUNTS;
    if (status == CRD_OK && is_counted) status = list_blocks(model, columns, codes, blocks, &family, error);
    crd_free(context, columns);
    crd_free(context, codes);
    crd_free(context, blocks);
    if (status != CRD_OK) crd_i_family_blocks_close(&family);
    *out = family;
    return status;
}
