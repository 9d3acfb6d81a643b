/* SPDX-License-Identifier: MIT */
/* network_from_rows.c - a Bayesian network whose tables are estimated from the rows of a file. Its arcs are given here;
 * with the setting search = hill-climb they are learned too.
 *
 *   cc network_from_rows.c -o network_from_rows $(pkg-config --cflags --libs credence)
 *   ./network_from_rows tennis.csv 'Outlook->Play,Wind->Play' Outlook=Sunny */
#include <credence/credence.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(crd_text text) {
    printf("%.*s", (int)text.length, text.bytes);
}

/* Parses NODE=STATE. Unknown names are an error of the user, not of the library, so they have no crd_error. */
static int parse_finding(const crd_network *network, const char *text, crd_finding *finding) {
    const char *equals = strchr(text, '=');
    if (!equals) return 0;
    finding->node = crd_network_find(network, (crd_text){text, (size_t)(equals - text)});
    if (finding->node == CRD_NONE) return 0;
    finding->state = crd_network_find_state(network, finding->node, crd_text_of(equals + 1));
    return finding->state != CRD_NONE;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: network_from_rows TABLE ARCS NODE=STATE\n"), 2;
    crd_error error = {0};
    crd_context *context = NULL;
    crd_settings *settings = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_network *network = NULL;
    double *posterior = NULL;
    int failed = 1;

    if (crd_context_create(NULL, &context)) goto done;

    /* Settings are texts, as on the command line. */
    if (crd_settings_create(context, &settings, &error)) goto done;
    if (crd_settings_set(settings, "method", crd_text_of("network"), &error)) goto done;
    if (crd_settings_set(settings, "arcs", crd_text_of(argv[2]), &error)) goto done;
    if (crd_settings_set(settings, "smoothing", crd_text_of("laplace:1"), &error)) goto done;

    /* With arcs, no target is needed: the model counts what each table needs. */
    const char *table = argv[1];
    if (crd_reader_open(context, &table, 1, NULL, &reader, &error)) goto done;
    if (crd_model_train(context, reader, settings, &model, NULL, &error)) goto done;
    if (crd_network_from_model(model, NULL, &network, &error)) goto done;

    crd_finding finding = {0};
    if (!parse_finding(network, argv[3], &finding)) {
        fprintf(stderr, "network_from_rows: no such node or state: %s\n", argv[3]);
        goto done;
    }
    crd_network_query query = CRD_NETWORK_QUERY_INIT;
    query.findings = &finding;
    query.finding_count = query.node_count = 1;
    for (size_t node = 0; node < crd_network_node_count(network); node++) {
        size_t states = crd_network_state_count(network, node);
        posterior = malloc(states * sizeof *posterior);
        if (!posterior) goto done;
        query.nodes = &node;
        if (crd_network_posteriors(network, &query, posterior, NULL, NULL, &error)) goto done;
        print_text(crd_network_node_name(network, node));
        for (size_t parent = 0; parent < crd_network_parent_count(network, node); parent++) {
            printf(parent ? ", " : " <- ");
            print_text(crd_network_node_name(network, crd_network_parent(network, node, parent)));
        }
        printf("\n");
        for (size_t state = 0; state < states; state++) {
            printf("    P(");
            print_text(crd_network_state(network, node, state));
            printf(" | %s) = %.4f\n", argv[3], posterior[state]);
        }
        free(posterior), posterior = NULL;
    }
    failed = 0;
done:
    if (failed && error.status) fprintf(stderr, "network_from_rows: %s\n", error.message);
    free(posterior);
    crd_network_destroy(network), crd_model_destroy(model), crd_reader_close(reader);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return failed;
}
