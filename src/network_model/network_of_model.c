/* SPDX-License-Identifier: MIT */
/* network_of_model.c - converts a model to a network: a copy of the specified network, or a network with tables from
 * counts.
 *
 * The states of a counted node are sorted. If they were declared in another order, such as lo, mid, hi in the network
 * file that defines the structure, states and tables are rearranged into this order. */
#include "network_model/searched_network.h"
#include "network_model/stated_network.h"

#include "base/error.h"
#include "base/memory.h"

/* ---- States in the order of their declaration ---- */

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
    if (crd_i_stated_network_of(model) != NULL) return crd_i_stated_network(model, settings, out, error);
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
    return crd_i_stated_network_of(model) != NULL || model->settings->method == CRD_I_METHOD_NETWORK;
}
