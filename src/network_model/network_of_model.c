/* SPDX-License-Identifier: MIT */
/* network_of_model.c - converts a model to a network: a copy of the specified network, or a network with tables from
 * counts.
 *
 * The states of a counted node are sorted. If they were declared in another order, such as lo, mid, hi in the network
 * file that defines the structure, states and tables are rearranged into this order.
 *
 * Contents:
 *   1. Models of a specified network
 *   2. Network of a model
 *   3. Fit of the tables */
#include "network_model/model_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/section.h"
#include "model/model_parts.h"
#include "model/model_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Models of a specified network ======== */

/* Tag of the only section of such a file. */
static const char tag[] = {'N', 'E', 'T', 'W'};

/* Returns the specified network of a model; NULL if the model is of another kind. */
static const crd_network *stated_network_of(const crd_model *model) {
    return model->kind == &crd_i_network_kind ? model->content : NULL;
}

/* ---- Model ---- */

/* Creates the schema from the nodes. The target must be a chance node. */
static crd_status stated_network_make_schema(const crd_network *network, crd_text target, crd_i_schema **out,
                                             crd_error *error) {
    crd_i_schema *schema = *out = crd_i_schema_create(network->context);
    crd_status status = schema == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && !crd_i_rows_fill_schema(schema, network, NULL, true)) status = crd_i_fail_memory(error);
    if (status != CRD_OK) return status;
    schema->target = crd_i_schema_find(schema, target);
    static const char *const words[] = {"a chance node", "a decision node", "a utility node", "a continuous node"};
    int32_t node = crd_i_network_find(network, target);
    if (node >= 0 && network->nodes[node].kind == CRD_NODE_CHANCE) return CRD_OK;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the target '%s' must be a chance node, but is %s of the network",
               crd_i_quote(target, quoted), node < 0 ? "not a node" : words[network->nodes[node].kind]);
    crd_i_error_subject(error, target);
    return CRD_ERROR_COLUMN;
}

/* Creates the model of a network. Takes ownership of the network, also on failure. */
static crd_status stated_network_state(crd_network *network, crd_text target, crd_model **out, crd_error *error) {
    crd_context *context = network->context;
    crd_i_schema *schema = NULL;
    crd_settings *settings = NULL;
    *out = NULL;
    crd_status status = stated_network_make_schema(network, target, &schema, error);
    if (status == CRD_OK) status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK) {
        status = crd_i_model_create_bare(context, schema, settings, out, error);
        schema = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(settings);
    if (status != CRD_OK) {
        crd_network_destroy(network);
        return status;
    }
    (*out)->kind = &crd_i_network_kind;
    (*out)->content = network;
    return CRD_OK;
}

crd_status crd_model_from_network(const crd_network *network, crd_text target, crd_model **out, crd_error *error) {
    crd_network *copy;
    *out = NULL;
    crd_status status = crd_i_network_clone(network->context, network, &copy, error);
    return status == CRD_OK ? stated_network_state(copy, target, out, error) : status;
}

/* ---- Access ---- */

/* Checks that the settings equal the model's, because the tables cannot be estimated again. */
static crd_status stated_network_check_settings(const crd_model *model, const crd_settings *settings,
                                                crd_error *error) {
    if (crd_i_settings_equal(model->settings, settings)) return CRD_OK;
    size_t count, i = 0;
    count = crd_setting_count();
    while (i + 1 < count && strcmp(model->settings->texts[i], settings->texts[i]) == 0) i++;
    crd_i_fail(error, CRD_ERROR_SETTING, "the model contains a specified network with fixed tables: %s must be %s",
               crd_setting_at(i)->name, model->settings->texts[i]);
    crd_i_error_subject(error, crd_text_of(crd_setting_at(i)->name));
    return CRD_ERROR_SETTING;
}

/* Creates a copy of the specified network. `settings` must be NULL or equal to the model's; otherwise returns
 * CRD_ERROR_SETTING. */
static crd_status stated_network(const crd_model *model, const crd_settings *settings, crd_network **out,
                                 crd_error *error) {
    crd_status status = settings == NULL ? CRD_OK : stated_network_check_settings(model, settings, error);
    return status == CRD_OK ? crd_i_network_clone(model->context, stated_network_of(model), out, error) : status;
}

/* ---- Decisions ---- */

/* Returns a uniform table for a decision, independent of what is known when it is made. Returns NULL if memory runs
 * out. */
static double *even_table(crd_context *context, size_t states) {
    double *table = crd_i_alloc(context, states, sizeof *table);
    for (size_t i = 0; table != NULL && i < states; i++) table[i] = 1 / (double)states;
    return table;
}

/* Copies the parents and the table of a node. `numbers` maps nodes to the copy, which has no utilities. */
static crd_status copy_table(crd_network *target_network, const crd_i_node *node, const uint32_t *numbers,
                             crd_error *error) {
    crd_context *context = target_network->context;
    size_t width = crd_i_node_width(node), place = (size_t)crd_i_network_find(target_network, node->name);
    uint32_t *parents = crd_i_alloc(context, node->parent_count, sizeof *parents);
    double *table = node->kind == CRD_NODE_DECISION ? even_table(context, width)
                                                    : crd_i_alloc(context, node->rows * width, sizeof *table);
    crd_status status = parents == NULL || table == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && node->kind != CRD_NODE_DECISION) {
        for (size_t i = 0; i < node->parent_count; i++) parents[i] = numbers[node->parents[i]];
        memcpy(table, node->table, node->rows * width * sizeof *table);
        status = crd_i_network_set_parents(target_network, place, parents, node->parent_count, error);
    } else if (status == CRD_OK) {
        status = crd_i_network_set_parents(target_network, place, parents, 0, error);
    }
    if (status == CRD_OK) status = crd_i_network_take_table(target_network, place, table, error);
    if (status != CRD_OK) crd_free(context, table);
    crd_free(context, parents);
    return status;
}

/* Creates a copy in which decisions are chance nodes with uniform tables and utilities are removed. Rows may then omit
 * decisions like any other value. */
static crd_status copy_as_chances(crd_context *context, const crd_network *source_network, crd_network **out,
                                  crd_error *error) {
    crd_network *target_network = NULL;
    size_t added;
    uint32_t *numbers = crd_i_alloc(context, source_network->count, sizeof *numbers);
    crd_status status = numbers == NULL ? crd_i_fail_memory(error)
                                        : crd_i_network_create(context, source_network->name, &target_network, error);
    for (size_t i = 0; status == CRD_OK && i < source_network->count; i++) {
        if (source_network->nodes[i].kind == CRD_NODE_UTILITY) continue;
        numbers[i] = (uint32_t)target_network->count;
        status = crd_i_network_add_like(target_network, &source_network->nodes[i], &added, error);
        if (status == CRD_OK && source_network->nodes[i].kind == CRD_NODE_DECISION)
            crd_i_network_set_kind(target_network, added, CRD_NODE_CHANCE);
    }
    for (size_t i = 0; status == CRD_OK && i < source_network->count; i++)
        if (source_network->nodes[i].kind != CRD_NODE_UTILITY)
            status = copy_table(target_network, &source_network->nodes[i], numbers, error);
    if (status == CRD_OK) status = crd_i_network_finish(target_network, error);
    crd_free(context, numbers);
    if (status != CRD_OK) {
        crd_network_destroy(target_network);
        target_network = NULL;
    }
    *out = target_network;
    return status;
}

static bool has_decisions(const crd_network *network) {
    for (size_t i = 0; i < network->count; i++)
        if (network->nodes[i].kind == CRD_NODE_DECISION) return true;
    return false;
}

/* Declares the classes and attributes, and creates the network scorer. */
static crd_status stated_network_derive(crd_classifier *classifier, const crd_model *model,
                                        const crd_i_schema_view *view, crd_error *error) {
    const crd_network *stated = stated_network_of(model);
    crd_network *network;
    bool decides = has_decisions(stated);
    crd_status status = stated_network_check_settings(model, classifier->settings, error);
    if (status == CRD_OK) status = crd_i_classifier_declare(classifier, model, view, error);
    if (status == CRD_OK)
        status = decides ? copy_as_chances(model->context, stated, &network, error)
                         : crd_i_network_clone(model->context, stated, &network, error);
    if (status != CRD_OK) return status;
    status = crd_i_network_scorer_create(classifier, network, model->schema->columns[model->schema->target].name, false,
                                         error);
    return status == CRD_OK && decides ? crd_i_network_scorer_set_decisions(classifier, stated, error) : status;
}

/* Sets an error: a specified network has no rows, so the model cannot do the operation named by `description`. */
static crd_status stated_network_refuse(const crd_model *model, const char *description, crd_error *error) {
    (void)model;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model contains a specified network without rows, so it cannot %s: train a model with the "
                      "structure of this network instead",
                      description);
}

static crd_status stated_network_clone(crd_context *context, const void *content, void **out, crd_error *error) {
    crd_network *copy;
    crd_status status = crd_i_network_clone(context, content, &copy, error);
    *out = copy;
    return status;
}

static void stated_network_destroy(crd_context *context, void *content) {
    (void)context;
    crd_network_destroy(content);
}

/* ---- Files ---- */

enum { LEAST_TEXT = 4, LEAST_NODE = LEAST_TEXT + 1 + 4 + LEAST_TEXT };

static void stated_network_write_numbers(crd_i_encoder *encoder, const double *numbers, size_t count) {
    for (size_t i = 0; i < count && !encoder->failed; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        crd_i_encode_u64(encoder, bits);
    }
}

/* Writes the section: name, target and nodes with their states, then parents and table of each node. */
static void write_stated(const crd_model *model, crd_i_encoder *encoder) {
    const crd_network *network = stated_network_of(model);
    crd_text target = model->schema->columns[model->schema->target].name;
    bool has_gaussian = crd_i_network_first_gaussian(network) != SIZE_MAX;
    size_t begun = crd_i_section_begin(encoder, tag, has_gaussian ? CRD_I_VERSION_GAUSSIAN : CRD_I_FILE_VERSION, true);
    crd_i_encode_text(encoder, network->name);
    crd_i_encode_u32(encoder, (uint32_t)crd_i_network_find(network, target));
    crd_i_encode_u32(encoder, (uint32_t)network->count);
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        crd_i_encode_text(encoder, node->name);
        crd_i_encode_u8(encoder, (uint8_t)node->kind);
        crd_i_encode_u32(encoder, (uint32_t)crd_i_node_states(node));
        for (size_t s = 0; s < crd_i_node_states(node); s++)
            crd_i_encode_text(encoder, crd_i_dictionary_text(node->states, s));
    }
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        crd_i_encode_u32(encoder, (uint32_t)node->parent_count);
        for (size_t j = 0; j < node->parent_count; j++) crd_i_encode_u32(encoder, node->parents[j]);
        if (node->table != NULL)
            stated_network_write_numbers(encoder, node->table, node->rows * crd_i_node_width(node));
    }
    crd_i_section_end(encoder, begun);
}

static crd_status stated_network_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool stated_network_has_nul(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) != NULL;
}

/* Reads and checks the name, type and states of a node. */
static crd_status stated_network_read_node(crd_network *target_network, crd_i_cursor *cursor, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint8_t kind = crd_i_decode_u8(cursor);
    uint32_t count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, LEAST_TEXT))
        return stated_network_damaged(error, "a node of its network is too short");
    bool is_gaussian = kind == CRD_NODE_GAUSSIAN && count == 0;
    bool is_kind =
        kind == CRD_NODE_CHANCE || kind == CRD_NODE_DECISION || (kind == CRD_NODE_UTILITY && count == 1) || is_gaussian;
    if (!is_kind || stated_network_has_nul(name))
        return stated_network_damaged(error, "a node of its network has an unknown kind");
    size_t added;
    if (is_gaussian) return crd_i_network_add_gaussian(target_network, name, &added, error);
    crd_text *states = crd_i_alloc(target_network->context, count, sizeof *states);
    if (states == NULL) return crd_i_fail_memory(error);
    bool fits = true;
    for (uint32_t i = 0; i < count; i++) {
        states[i] = crd_i_decode_text(cursor);
        fits = fits && !cursor->failed && !stated_network_has_nul(states[i]);
    }
    crd_status status = fits ? crd_i_network_add(target_network, name, states, count, &added, error)
                             : stated_network_damaged(error, "a state of its network is too short, or has a NUL byte");
    crd_free(target_network->context, states);
    if (status == CRD_OK) crd_i_network_set_kind(target_network, added, (crd_node_kind)kind);
    return status;
}

/* Reads and checks the parents of a node. */
static crd_status stated_network_read_parents(crd_network *target_network, size_t index, crd_i_cursor *cursor,
                                              crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    if (!crd_i_cursor_holds(cursor, count, 4)) return stated_network_damaged(error, "a list of parents is too short");
    uint32_t *parents = crd_i_alloc(target_network->context, count, sizeof *parents);
    if (parents == NULL) return crd_i_fail_memory(error);
    bool fits = count <= CRD_I_MAX_PARENTS;
    for (uint32_t i = 0; i < count; i++) {
        parents[i] = crd_i_decode_u32(cursor);
        fits = fits && parents[i] < target_network->count;
    }
    crd_status status = fits ? crd_i_network_set_parents(target_network, index, parents, count, error)
                             : stated_network_damaged(error, "a parent is not a node of its network");
    crd_free(target_network->context, parents);
    return status;
}

/* Reads the table of a node. The network checks its numbers. */
static crd_status stated_network_read_table(crd_network *target_network, size_t index, crd_i_cursor *cursor,
                                            crd_error *error) {
    const crd_i_node *node = &target_network->nodes[index];
    size_t cells = node->rows * crd_i_node_width(node);
    if (!crd_i_cursor_holds(cursor, cells, 8))
        return stated_network_damaged(error, "a table of its network is too short");
    double *table = crd_i_alloc(target_network->context, cells, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < cells; i++) {
        uint64_t bits = crd_i_decode_u64(cursor);
        memcpy(&table[i], &bits, sizeof bits);
    }
    crd_status status = crd_i_network_take_table(target_network, index, table, error);
    if (status != CRD_OK) crd_free(target_network->context, table);
    return status;
}

static crd_status stated_network_read(crd_network *target_network, uint32_t count, crd_i_cursor *cursor,
                                      crd_error *error) {
    crd_status status = CRD_OK;
    for (uint32_t i = 0; status == CRD_OK && i < count; i++)
        status = stated_network_read_node(target_network, cursor, error);
    for (uint32_t i = 0; status == CRD_OK && i < count; i++) {
        status = stated_network_read_parents(target_network, i, cursor, error);
        if (status == CRD_OK && target_network->nodes[i].kind != CRD_NODE_DECISION)
            status = stated_network_read_table(target_network, i, cursor, error);
    }
    return status == CRD_OK ? crd_i_network_finish(target_network, error) : status;
}

/* Reads a network and creates its model. All errors except lack of memory are reported as damage. */
static crd_status read_stated(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out,
                              crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    uint32_t target = crd_i_decode_u32(cursor), count = crd_i_decode_u32(cursor);
    crd_network *network;
    *out = NULL;
    if (!crd_i_cursor_holds(cursor, count, LEAST_NODE) || target >= count || stated_network_has_nul(name))
        return stated_network_damaged(error, "its network is too short");
    crd_status status = crd_i_network_create(context, name, &network, error);
    if (status != CRD_OK) return status;
    status = stated_network_read(network, count, cursor, error);
    if (status == CRD_OK && (version == CRD_I_VERSION_GAUSSIAN) != (crd_i_network_first_gaussian(network) != SIZE_MAX))
        status = stated_network_damaged(error, "its network has an unexpected version");
    if (status == CRD_OK) status = stated_network_state(network, network->nodes[target].name, out, error);
    else crd_network_destroy(network);
    if (status == CRD_OK) return CRD_OK;
    /* Other errors mean that the file was damaged, because such a network cannot be written. */
    return status == CRD_ERROR_MEMORY || status == CRD_ERROR_DAMAGED
               ? status
               : stated_network_damaged(error, "its network is invalid");
}

const crd_i_model_kind crd_i_network_kind = {.name = "network",
                                             .tag = tag,
                                             .newest_version = CRD_I_VERSION_GAUSSIAN,
                                             .write = write_stated,
                                             .read = read_stated,
                                             .clone = stated_network_clone,
                                             .destroy = stated_network_destroy,
                                             .derive = stated_network_derive,
                                             .refuse = stated_network_refuse};

/* ======== 2. Network of a model ======== */

/* ---- States in declared order ---- */

/* Returns for each state in the new order its old index. Declared states come first. Returns NULL if memory runs
 * out. */
static uint32_t *network_of_model_find_places(crd_context *context, const crd_i_node *node,
                                              const crd_i_dictionary *declared) {
    const size_t count = crd_i_node_states(node);
    uint32_t *places = crd_i_alloc(context, count, sizeof *places);
    size_t placed = 0;
    if (places == NULL) return NULL;
    for (size_t i = 0; i < crd_i_dictionary_size(declared); i++) {
        const int32_t state = crd_i_dictionary_find(node->states, crd_i_dictionary_text(declared, i));
        if (state >= 0) places[placed++] = (uint32_t)state;
    }
    for (size_t state = 0; state < count; state++)
        if (crd_i_dictionary_find(declared, crd_i_dictionary_text(node->states, state)) < 0)
            places[placed++] = (uint32_t)state;
    return places;
}

static uint32_t place_before(uint32_t *const *places, size_t node, size_t state) {
    return places[node] == NULL ? (uint32_t)state : places[node][state];
}

/* Rearranges a table, with rows and states in their new order. Returns false if memory runs out. */
static bool order_table(crd_network *network, size_t number, uint32_t *const *places) {
    crd_i_node *node = &network->nodes[number];
    const bool has_states = node->kind != CRD_NODE_GAUSSIAN;
    double *ordered = crd_i_alloc(network->context, node->rows * node->width, sizeof *ordered);
    if (ordered == NULL) return false;
    for (size_t row = 0; row < node->rows; row++) {
        size_t before = 0, stride = 1, remainder = row;
        for (size_t p = node->parent_count; p-- > 0;) {
            const crd_i_node *parent = &network->nodes[node->parents[p]];
            if (parent->kind == CRD_NODE_GAUSSIAN) continue;
            const size_t states = crd_i_node_states(parent);
            before += stride * place_before(places, node->parents[p], remainder % states);
            stride *= states;
            remainder /= states;
        }
        for (size_t k = 0; k < node->width; k++)
            ordered[row * node->width + k] =
                node->table[before * node->width + (has_states ? place_before(places, number, k) : k)];
    }
    crd_free(network->context, node->table);
    node->table = ordered;
    return true;
}

static bool order_names(crd_context *context, crd_i_node *node, const uint32_t *places) {
    crd_i_dictionary *ordered = crd_i_dictionary_create(context);
    bool done = ordered != NULL;
    for (size_t i = 0; done && i < crd_i_node_states(node); i++)
        done = crd_i_dictionary_add(ordered, crd_i_dictionary_text(node->states, places[i])) >= 0;
    crd_i_dictionary_destroy(done ? node->states : ordered);
    if (done) node->states = ordered;
    return done;
}

/* Finds the nodes with a declared order, and rearranges all tables and their state names. */
static crd_status order_states(const crd_model *model, crd_network *network, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    crd_context *context = network->context;
    uint32_t **places = crd_i_alloc_zeroed(context, network->count, sizeof(uint32_t *));
    bool done = places != NULL, is_any = false;
    for (size_t i = 0; done && i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        const int32_t node = column->keeps_order ? crd_i_network_find(network, column->name) : -1;
        if (node < 0 || column->values == NULL || network->nodes[node].kind == CRD_NODE_GAUSSIAN) continue;
        places[node] = network_of_model_find_places(context, &network->nodes[node], column->values);
        done = is_any = places[node] != NULL;
    }
    for (size_t i = 0; done && is_any && i < network->count; i++)
        if (network->nodes[i].table != NULL) done = order_table(network, i, places);
    for (size_t i = 0; done && is_any && i < network->count; i++)
        if (places[i] != NULL) done = order_names(context, &network->nodes[i], places[i]);
    for (size_t i = 0; places != NULL && i < network->count; i++) crd_free(context, places[i]);
    crd_free(context, (void *)places);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Networks ---- */

/* Creates the network and stores in it how data columns are read. */
crd_status crd_network_from_model(const crd_model *model, const crd_settings *settings, crd_network **out,
                                  crd_error *error) {
    crd_i_schema_view *view;
    *out = NULL;
    if (stated_network_of(model) != NULL) return stated_network(model, settings, out, error);
    crd_status status = crd_i_model_check_of_rows(model, "be converted to a network", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    if (status != CRD_OK) return status;
    status = crd_i_network_of_rows(model, settings == NULL ? model->settings : settings, view, NULL, NULL, out, error);
    crd_i_schema_view_destroy(view);
    if (status == CRD_OK) status = order_states(model, *out, error);
    if (status == CRD_OK) {
        (*out)->reading = crd_i_model_reading(model, true);
        if ((*out)->reading == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) return CRD_OK;
    crd_network_destroy(*out);
    *out = NULL;
    return status;
}

int crd_model_is_network(const crd_model *model) {
    return stated_network_of(model) != NULL || model->settings->method == CRD_I_METHOD_NETWORK;
}

/* ======== 3. Fit of the tables ======== */

/* Repeats the fit, or reads it from the model's cache. *out is NULL if the tables are not fitted. */
crd_status crd_fit_from_model(const crd_model *model, const crd_settings *settings, crd_fit **out, crd_error *error) {
    crd_i_schema_view *view = NULL;
    crd_network *network = NULL;
    if (settings == NULL) settings = model->settings;
    *out = NULL;
    if (stated_network_of(model) != NULL) return CRD_OK;
    if (crd_i_settings_estimator(settings) == CRD_I_ESTIMATOR_COUNTS) return CRD_OK;
    crd_fit *fit = crd_i_alloc(model->context, 1, sizeof *fit);
    if (fit == NULL) return crd_i_fail_memory(error);
    crd_i_em_fit_begin(fit, model->context);
    crd_status status = crd_i_model_check_of_rows(model, "be converted to a network", error);
    if (status == CRD_OK) status = crd_i_schema_view_create(model, &view, error);
    if (status == CRD_OK) status = crd_i_network_of_rows(model, settings, view, NULL, fit, &network, error);
    crd_i_schema_view_destroy(view);
    crd_network_destroy(network);
    if (status == CRD_OK) *out = fit;
    else crd_fit_destroy(fit);
    return status;
}
