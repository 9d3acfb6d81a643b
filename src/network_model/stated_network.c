/* SPDX-License-Identifier: MIT */
/* stated_network.c - see stated_network.h. */
#include "network_model/stated_network.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/section.h"
#include "model/model_create.h"
#include "model/model_sections.h"
#include "network/case_columns.h"
#include "network_model/network_scorer.h"

#include <stdlib.h>
#include <string.h>

/* Tag of the only section of such a file. */
static const char tag[] = {'N', 'E', 'T', 'W'};

const crd_network *crd_i_stated_network_of(const crd_model *model) {
    return model->kind == &crd_i_network_kind ? model->content : NULL;
}

/* ---- The model ---- */

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

/* ---- Querying ---- */

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

crd_status crd_i_stated_network(const crd_model *model, const crd_settings *settings, crd_network **out,
                                crd_error *error) {
    crd_status status = settings == NULL ? CRD_OK : stated_network_check_settings(model, settings, error);
    return status == CRD_OK ? crd_i_network_clone(model->context, crd_i_stated_network_of(model), out, error) : status;
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
    const crd_network *stated = crd_i_stated_network_of(model);
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
    const crd_network *network = crd_i_stated_network_of(model);
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
    bool fits = count <= CRD_I_MOST_PARENTS;
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
