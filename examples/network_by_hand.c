/* SPDX-License-Identifier: MIT */
/* network_by_hand.c - a Bayesian network built in the program: nodes, arcs and tables, then queries. The grass is wet.
 * Was it the sprinkler, or the rain?
 *
 *   cc network_by_hand.c -o network_by_hand $(pkg-config --cflags --libs credence)
 *   ./network_by_hand */
#include <credence/network.h>
#include <stdio.h>

enum { RAIN, SPRINKLER, WET, NODES }; /* nodes are numbered in the order in which they are added */
enum { NO, YES };

/* A table has one row per combination of the parents' states; the last parent's state varies fastest. A row has one
 * probability per state: no, yes. */
static const double RAIN_TABLE[] = {0.8, 0.2};
static const double SPRINKLER_TABLE[] = {0.6, 0.4, 0.99, 0.01};           /* given rain: no, yes */
static const double WET_TABLE[] = {1, 0, 0.1, 0.9, 0.2, 0.8, 0.01, 0.99}; /* given rain, sprinkler */

static crd_status build_network(crd_context *context, crd_network **out, crd_error *error) {
    static const char *const names[NODES] = {"rain", "sprinkler", "wet"};
    static const size_t arcs[][2] = {{RAIN, SPRINKLER}, {RAIN, WET}, {SPRINKLER, WET}};
    static const struct {
        const double *values;
        size_t count;
    } tables[NODES] = {{RAIN_TABLE, 2}, {SPRINKLER_TABLE, 4}, {WET_TABLE, 8}};
    const crd_text states[] = {crd_text_of("no"), crd_text_of("yes")};
    crd_network_builder *builder = NULL;
    crd_status status = crd_network_builder_create(context, crd_text_of("garden"), &builder, error);
    for (size_t i = 0; !status && i < NODES; i++)
        status = crd_network_builder_add_node(builder, crd_text_of(names[i]), CRD_NODE_CHANCE, states, 2, NULL, error);
    for (size_t i = 0; !status && i < 3; i++)
        status = crd_network_builder_add_arc(builder, arcs[i][0], arcs[i][1], error);
    for (size_t i = 0; !status && i < NODES; i++)
        status = crd_network_builder_set_cpt(builder, i, tables[i].values, tables[i].count, error);
    if (!status) status = crd_network_builder_finish(builder, out, error);
    crd_network_builder_destroy(builder); /* the network stays */
    return status;
}

int main(void) {
    crd_error error = {0};
    crd_context *context = NULL;
    crd_network *network = NULL;
    crd_text file = {NULL, 0};
    int failed = 1;
    if (crd_context_create(NULL, &context)) goto done;
    if (build_network(context, &network, &error)) goto done;

    /* A finding is an observed node. The posteriors of the queried nodes follow each other in one array. */
    crd_finding findings[] = {{.node = WET, .state = YES}, {.node = RAIN, .state = YES}};
    const size_t queried[] = {RAIN, SPRINKLER};
    double posteriors[4];
    crd_network_query query = CRD_NETWORK_QUERY_INIT;
    query.findings = findings;
    query.finding_count = 1; /* the grass is wet */
    query.nodes = queried;
    query.node_count = 2;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    if (crd_network_posteriors(network, &query, posteriors, NULL, &result, &error)) goto done;
    printf("P(wet) = %.4f\n", crd_exp(result.log_evidence));
    printf("P(rain | wet) = %.4f\n", posteriors[YES]);
    printf("P(sprinkler | wet) = %.4f\n", posteriors[2 + YES]);

    /* Rain explains the wet grass, so the sprinkler becomes less probable. */
    query.finding_count = 2;
    if (crd_network_posteriors(network, &query, posteriors, NULL, NULL, &error)) goto done;
    printf("P(sprinkler | wet, rain) = %.4f\n", posteriors[2 + YES]);

    /* The most probable explanation: one state for each node. Without queried nodes, of all nodes. */
    size_t states[NODES];
    double log_probability;
    query.finding_count = 1;
    query.nodes = NULL;
    if (crd_network_mpe(network, &query, states, &log_probability, NULL, &error)) goto done;
    printf("most probable:");
    for (size_t node = 0; node < NODES; node++) {
        crd_text name = crd_network_node_name(network, node), state = crd_network_state(network, node, states[node]);
        printf(" %.*s=%.*s", (int)name.length, name.bytes, (int)state.length, state.bytes);
    }
    printf("\n");

    /* Other programs read the network from a file in BIF or another format. Bytes that a call returns are yours. */
    if (crd_network_write(network, CRD_NETWORK_FORMAT_BIF, &file, &error)) goto done;
    printf("%.*s", (int)file.length, file.bytes);
    failed = 0;
done:
    if (failed) fprintf(stderr, "network_by_hand: %s\n", error.status ? error.message : "out of memory");
    if (context) crd_free(context, (void *)file.bytes);
    crd_network_destroy(network);
    crd_context_destroy(context);
    return failed;
}
