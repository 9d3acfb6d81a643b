/* SPDX-License-Identifier: MIT */
/* node_types.c - the types of a table's columns as nodes of a network: categorical, or numeric (continuous nodes).
 *
 * A column with few distinct integers that repeat contains codes, so it is categorical. If the integers do not
 * repeat, as in a table with few rows, they are measurements. An exception is a parent of a categorical node, which
 * cannot be continuous. */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "profile/profile_internal.h"
#include "settings/settings_internal.h"
#include "table/read/reader.h"

#include <credence/structure.h>

enum { MOST_CODES = 10, FEWEST = 3 /* fewest values for which integers that do not repeat can be measurements */ };

/* Possible contents of a column: categories or codes, integers that may be either, numbers. */
typedef enum node_cells { CELLS_CATEGORY, CELLS_WHOLE, CELLS_NUMBER } node_cells;

/* Classifies the values of a column by its profile. */
static node_cells node_types_look(const crd_profile *profile, size_t column) {
    crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
    crd_value value;
    uint64_t cells;
    bool are_whole = true;
    crd_profile_column(profile, column, &facts);
    if (facts.type != CRD_TYPE_NUMERIC || facts.present == 0) return CELLS_CATEGORY;
    if (!facts.is_exact || facts.distinct > MOST_CODES) return CELLS_NUMBER;
    for (uint64_t rank = 0; are_whole && crd_profile_frequent(profile, column, rank, &value, &cells); rank++)
        are_whole = value.number > -1e15 && value.number < 1e15 && value.number == (double)(int64_t)value.number;
    if (!are_whole) return CELLS_NUMBER;
    return 2 * facts.distinct > facts.present && facts.present >= FEWEST ? CELLS_WHOLE : CELLS_CATEGORY;
}

/* Returns whether the values of a column have a format that is not plain, such as decimal commas. The reader detects
 * the format again, unless the type of the column is set explicitly. */
static bool node_types_has_format(const crd_profile *profile, crd_text name) {
    const crd_i_schema *schema = profile->model->schema;
    const size_t found = crd_i_schema_find(schema, name);
    return found != SIZE_MAX && !crd_i_column_format_is_plain(schema->columns[found].format);
}

/* Returns the type to set for a column; NONE: leave it to the reader. */
static crd_column_type kind_of_node(const crd_profile *profile, const crd_column_profile *facts, node_cells cells) {
    const crd_column_type type = cells == CELLS_CATEGORY ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC;
    return type == facts->type && node_types_has_format(profile, facts->name) ? CRD_TYPE_NONE : type;
}

/* Sets the types for a search over all columns: numeric columns with codes become categorical; other columns are
 * unchanged. */
static void choose_all(const crd_profile *profile, crd_column_type *types) {
    for (size_t i = 0; i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        bool are_codes =
            facts.type == CRD_TYPE_NUMERIC && facts.present > 0 && node_types_look(profile, i) == CELLS_CATEGORY;
        types[i] = are_codes ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NONE;
    }
}

/* Makes integer columns with an arc to a categorical node categorical. Returns false if nothing changed. The caller
 * repeats it, because each change can affect the parents of the changed node. */
static bool follow_arcs(const crd_settings *settings, node_cells *cells) {
    bool has_changed = false;
    size_t begin = 0;
    for (size_t child = 0; child < crd_i_dictionary_size(settings->structure_nodes); child++) {
        for (size_t i = begin; i < settings->structure_ends[child]; i++) {
            node_cells *parent = &cells[settings->structure_parents[i]];
            if (cells[child] != CELLS_CATEGORY || *parent != CELLS_WHOLE) continue;
            *parent = CELLS_CATEGORY;
            has_changed = true;
        }
        begin = settings->structure_ends[child];
    }
    return has_changed;
}

/* Sets the types of the columns that are nodes of the user-specified structure. */
static crd_status node_types_choose(const crd_settings *settings, const crd_profile *profile, crd_text target,
                                    crd_column_type *types, crd_error *error) {
    const crd_i_dictionary *nodes = settings->structure_nodes;
    size_t columns = crd_profile_column_count(profile), count = crd_i_dictionary_size(nodes);
    node_cells *cells = crd_i_alloc(settings->context, count, sizeof *cells);
    if (cells == NULL) return crd_i_fail_memory(error);
    /* A node without a column is latent, and categorical. */
    for (size_t i = 0; i < count; i++) cells[i] = CELLS_CATEGORY;
    for (int is_chosen = 0; is_chosen < 2; is_chosen++) {
        for (size_t i = 0; i < columns; i++) {
            crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
            crd_profile_column(profile, i, &facts);
            int32_t node = crd_i_dictionary_find(nodes, facts.name);
            types[i] = CRD_TYPE_NONE;
            if (node < 0) continue;
            bool is_target = target.bytes != NULL && crd_text_equal(facts.name, target);
            if (!is_chosen) cells[node] = is_target ? CELLS_CATEGORY : node_types_look(profile, i);
            else types[i] = kind_of_node(profile, &facts, cells[node]);
        }
        while (!is_chosen && follow_arcs(settings, cells)) continue;
    }
    crd_free(settings->context, cells);
    return CRD_OK;
}

/* Returns whether the search uses all columns as nodes. Searches that need a target leave the attributes unchanged. */
static bool takes_all(const crd_settings *settings) {
    return settings->structure_search != CRD_I_SEARCH_NONE && settings->structure_search != CRD_I_SEARCH_TAN &&
           settings->structure_search != CRD_I_SEARCH_KDB;
}

crd_status crd_structure_check_shard(const crd_settings *settings, const crd_reader *reader, crd_error *error) {
    unsigned count;
    crd_i_reader_shard(reader, &count);
    if (count <= 1 || !crd_i_reader_is_part(reader)) return CRD_OK;
    if (settings->structure_nodes == NULL && !takes_all(settings)) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING,
               "a shard cannot determine whether whole numbers are codes, and so the categories of a node: this "
               "depends on all rows");
    crd_i_error_hint(error,
                     "train every shard with schema=FILE, the schema of all rows, made with categorical=COL if the "
                     "numbers of a column are codes");
    crd_i_error_subject(error, crd_text_of(settings->structure_nodes == NULL ? "search" : "arcs"));
    return CRD_ERROR_SETTING;
}

crd_status crd_structure_column_types(const crd_settings *settings, const crd_profile *profile, crd_text target,
                                      crd_column_type *types, crd_error *error) {
    for (size_t i = 0; i < crd_profile_column_count(profile); i++) types[i] = CRD_TYPE_NONE;
    if (settings->structure_nodes != NULL) return node_types_choose(settings, profile, target, types, error);
    if (takes_all(settings)) choose_all(profile, types);
    return CRD_OK;
}

crd_text crd_structure_stated_node(const crd_settings *settings, size_t index) {
    const crd_i_dictionary *nodes = settings->structure_nodes;
    if (nodes == NULL || index >= crd_i_dictionary_size(nodes)) return (crd_text){NULL, 0};
    return crd_i_dictionary_text(nodes, index);
}
