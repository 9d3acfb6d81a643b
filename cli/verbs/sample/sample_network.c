/* SPDX-License-Identifier: MIT */
/* sample_network.c - see sample_network.h. */
#include "verbs/sample/sample_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/network_text.h"
#include "source/inference_options.h"
#include "source/network_evidence.h"
#include "verbs/sample/sample_rows.h"

#include <stdlib.h>

typedef struct network_drawing {
    const crd_network *network;
    crd_network_sampler *sampler;
    int32_t *states; /* of all nodes */
    double *numbers; /* of all nodes */
    size_t *nodes;   /* the node of each column */
    size_t count;
} network_drawing;

static int sample_network_draw(void *source, uint64_t row, crd_value *values) {
    network_drawing *d = source;
    crd_error error;
    if (crd_network_sampler_draw(d->sampler, row, d->states, d->numbers, &error) != CRD_OK)
        return message_error(&error);
    for (size_t i = 0; i < d->count; i++) {
        if (crd_network_node_kind(d->network, d->nodes[i]) == CRD_NODE_GAUSSIAN) {
            values[i] = (crd_value){CRD_TYPE_NUMERIC, d->numbers[d->nodes[i]], {NULL, 0}};
            continue;
        }
        size_t state = (size_t)d->states[d->nodes[i]];
        values[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_network_state(d->network, d->nodes[i], state)};
    }
    return ENDED_WELL;
}

static size_t sample_network_format_number(void *source, size_t column, double number, char buffer[CRD_CELL_ROOM]) {
    const network_drawing *d = source;
    return crd_network_format_number(d->network, d->nodes[column], number, buffer);
}

/* Draws the rows of the sampler and writes them. */
static int sample_network_write_rows(const invocation *call, const crd_network *network, crd_network_sampler *sampler,
                                     uint64_t rows) {
    size_t nodes = crd_network_node_count(network);
    network_drawing d = {.network = network, .sampler = sampler};
    row_drawer drawer = {.source = &d, .draw = sample_network_draw, .format = sample_network_format_number};
    d.states = memory_resize(NULL, nodes, sizeof *d.states);
    d.numbers = memory_resize(NULL, nodes, sizeof *d.numbers);
    d.nodes = memory_resize(NULL, nodes, sizeof *d.nodes);
    drawer.names = memory_resize(NULL, nodes, sizeof *drawer.names);
    drawer.is_category = memory_resize(NULL, nodes, sizeof *drawer.is_category);
    for (size_t i = 0; i < nodes; i++) {
        if (crd_network_node_kind(network, i) == CRD_NODE_UTILITY) continue;
        drawer.names[d.count] = crd_network_node_name(network, i);
        drawer.is_category[d.count] = crd_network_node_kind(network, i) != CRD_NODE_GAUSSIAN;
        d.nodes[d.count++] = i;
    }
    drawer.count = d.count;
    int ended = sample_rows(call, &drawer, rows);
    free(drawer.names);
    free(drawer.is_category);
    free(d.nodes);
    free(d.states);
    free(d.numbers);
    return ended;
}

/* Reads the options, creates the sampler and writes the rows. */
int sample_network(const invocation *call, const crd_network *network) {
    network_evidence known;
    crd_network *changed = NULL;
    crd_network_sampler *sampler = NULL;
    crd_inference_options options;
    crd_error error;
    uint64_t rows = USUAL_ROWS;
    int ended = arguments_whole(&call->arguments, "rows", &rows);
    if (ended == ENDED_WELL) ended = inference_options_read(call, &options);
    if (ended == ENDED_WELL) ended = network_intervene(call, &network, &changed);
    if (ended != ENDED_WELL) return ended;
    ended = network_evidence_read(call, network, &known);
    if (ended == ENDED_WELL &&
        crd_network_sampler_create(network, known.items, known.count, &options, &sampler, &error) != CRD_OK) {
        ended = inference_failed(call, &error, NULL);
    }
    if (ended == ENDED_WELL) ended = sample_network_write_rows(call, network, sampler, rows);
    crd_network_sampler_destroy(sampler);
    network_evidence_free(&known);
    crd_network_destroy(changed);
    return ended;
}
