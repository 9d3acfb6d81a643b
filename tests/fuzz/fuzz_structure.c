/* SPDX-License-Identifier: MIT */
/* fuzz_structure.c - the text of a structure: refused, or taken and written back canonically; and a network of just its
 * arcs is learned by it, or there is an error.
 *
 * The first byte is the allocation that fails in a run of its own; the rest is the structure. */
#include "training.h"

#include <math.h>
#include <string.h>

enum { MOST_TEXT = 2048, MAX_STATES = 16 };

static const char TABLE[] = "a,b,c,a->b,\"x,\"\"y\"\" \",n,t\n"
                            "x,u,p,1x,none,1,yes\n"
                            "x,v,,0x,none,2,no\n"
                            "y,u,q,1x,some,3.5,yes\n"
                            "y,v,p,0x,,4,no\n";

/* In every row of a table of states probabilities; of a continuous node an intercept, coefficients and a variance. */
static void check_network(const crd_network *network) {
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        size_t rows = 0;
        const size_t width = crd_network_cpt_width(network, i);
        const double *table = crd_network_cpt(network, i, &rows);
        for (size_t row = 0; row < rows; row++) {
            double sum = 0;
            for (size_t s = 0; s < width; s++) sum += table[row * width + s];
            FUZZ_CHECK(isfinite(sum));
            if (crd_network_node_kind(network, i) == CRD_NODE_GAUSSIAN) FUZZ_CHECK(table[(row + 1) * width - 1] >= 0);
            else FUZZ_CHECK(fabs(sum - 1) < 1e-9);
        }
    }
}

/* As many arcs as the canonical text has. */
static void check_arcs(const crd_network *network, const char *canonical) {
    size_t arcs = 0, written = 0;
    bool quoted = false;
    for (size_t i = 0; i < crd_network_node_count(network); i++) arcs += crd_network_parent_count(network, i);
    for (const char *cursor = canonical; *cursor != '\0'; cursor++) {
        if (*cursor == '"') quoted = !quoted;
        if (!quoted && cursor[0] == '-' && cursor[1] == '>') written++;
    }
    FUZZ_CHECK(arcs == written);
}

static void classify(const crd_model *model) {
    crd_classifier *classifier = NULL;
    crd_error error = {0};
    if (crd_classifier_create(model, NULL, &classifier, &error) != CRD_OK) {
        FUZZ_CHECK(classifier == NULL && error.message[0] != '\0');
        return;
    }
    static const char *const cells[] = {"x", "u", "p", "never seen"};
    double log_posterior[MAX_STATES];
    crd_value row[MAX_STATES] = {{CRD_TYPE_NONE, 0, {NULL, 0}}};
    FUZZ_CHECK(crd_classifier_class_count(classifier) <= MAX_STATES);
    FUZZ_CHECK(crd_classifier_attribute_count(classifier) <= MAX_STATES);
    for (size_t round = 0; round < 5; round++) {
        crd_answer answer = {0};
        for (size_t i = 0; round > 0 && i < crd_classifier_attribute_count(classifier); i++) {
            row[i].type = crd_classifier_attribute_type(classifier, i);
            row[i].number = 2;
            row[i].text = crd_text_of(cells[(round + i) % 4]);
        }
        FUZZ_CHECK(crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error) == CRD_OK);
        fuzz_check_posterior(log_posterior, crd_classifier_class_count(classifier), &answer);
    }
    crd_classifier_destroy(classifier);
}

static void learn(crd_context *context, const crd_settings *settings) {
    crd_model *model = NULL;
    crd_network *network = NULL;
    crd_error error = {0};
    crd_status status = fuzz_try_train(context, TABLE, settings, NULL, &model, &error);
    FUZZ_CHECK((status == CRD_OK) == (model != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status != CRD_OK) return;
    status = crd_network_from_model(model, NULL, &network, &error);
    FUZZ_CHECK((status == CRD_OK) == (network != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status == CRD_OK) {
        check_network(network);
        const char *arcs = crd_settings_get(settings, "arcs");
        if (strcmp(arcs, "none") != 0) check_arcs(network, arcs);
    }
    classify(model);
    crd_network_destroy(network);
    crd_model_destroy(model);
}

/* Sets the setting `name`, which is search or arcs, to a text, and learns a model from it. */
static void parse(const char *name, crd_text text, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_settings *settings = NULL, *again = NULL;
    crd_error error = {0};
    FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_create(context, &again, NULL) == CRD_OK);
    accounts.refuse = refuse == 0 ? 0 : accounts.ullong + refuse;
    crd_status status = crd_settings_set(settings, name, text, &error);
    accounts.refuse = 0;
    if (status != CRD_OK) {
        FUZZ_CHECK(status == CRD_ERROR_SETTING || (status == CRD_ERROR_MEMORY && refuse != 0));
        FUZZ_CHECK(error.message[0] != '\0' && strcmp(crd_settings_get(settings, name), "none") == 0);
    } else {
        const char *canonical = crd_settings_get(settings, name);
        FUZZ_CHECK(crd_settings_set(again, name, crd_text_of(canonical), &error) == CRD_OK);
        FUZZ_CHECK(strcmp(canonical, crd_settings_get(again, name)) == 0);
        if (refuse == 0 && crd_settings_set(settings, "method", crd_text_of("network"), &error) == CRD_OK)
            learn(context, settings);
    }
    crd_settings_destroy(settings);
    crd_settings_destroy(again);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1 || length > MOST_TEXT) return 0;
    const crd_text text = {(const char *)bytes + 1, length - 1};
    parse("arcs", text, 0);
    parse("search", text, 0);
    if (bytes[0] != 0) parse("arcs", text, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const structures[] = {
        "t->a->c<-b,t->b",
        "a->b,b->c,c->t,a->t",
        "t,a,b,c",
        " t -> \"a->b\" , \"x,\"\"y\"\" \"<-t",
        "t->\"a->b\",t->a,t->b,t->c,a->b,a->c,b->c",
        "a->b->c->a",
        "a->a",
        "a->b,a->b",
        "t->n,n->a",
        "t->unknown",
        "a<->b",
        "\"a<\"-><b,--->c-,\">d\"",
        "\"none\"",
        "hill-climb",
        "tabu",
        "exact",
        "pc",
        "chow-liu",
        "none,a",
        "none",
        "->a",
        "a,",
        "\"a",
        "\"a\"b",
        "",
    };
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
        for (unsigned char refuse = 0; refuse < 30; refuse = (unsigned char)(refuse + 7)) {
            unsigned char input[128];
            const size_t length = strlen(structures[i]);
            input[0] = refuse;
            memcpy(input + 1, structures[i], length);
            emit(user, input, 1 + length);
        }
}
