/* network.c - hostile bytes as a network: what is accepted is written as a text that reads back to the same text, and
 * small ones are asked.
 *
 * One byte comes first: the allocation that fails in a run of its own. The rest is the BIF file. */
#include "fuzz.h"

#include "network/bif.h"
#include "network/junction.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 64, MOST_NUMBERS = 4096 };

/* Whatever a network says, its posteriors are probabilities, or it says why there are none. */
static void ask(const crd_network *network, unsigned refuse) {
    static double posteriors[MOST_NUMBERS];
    int32_t states[MOST_NODES];
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    crd_error error = {0};
    double log_evidence = 0;
    if (network->count > MOST_NODES) return;
    for (size_t i = 0; i < network->count; i++) states[i] = i % 3 == 2 ? 0 : -1;
    const crd_i_junction_options options = {.memory = 0x1p24};
    const crd_i_findings findings = {states, NULL};
    crd_status status = crd_i_junction_compile(network, &options, &junction, &error);
    if (status == CRD_OK) status = crd_i_junction_work_create(junction, &work, &error);
    if (status == CRD_OK && crd_i_junction_start(junction, network->count) <= MOST_NUMBERS) {
        status = crd_i_junction_ask(work, &findings, NULL, posteriors, &log_evidence, &error);
        for (size_t i = 0; status == CRD_OK && i < crd_i_junction_start(junction, network->count); i++)
            FUZZ_CHECK(posteriors[i] >= 0 && posteriors[i] <= 1);
        FUZZ_CHECK(status != CRD_OK || log_evidence < 1e-9);
    }
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    FUZZ_CHECK(status != CRD_ERROR_MEMORY || refuse != 0);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
}

static void decode(const uint8_t *bytes, size_t length, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_network *network = NULL, *again = NULL;
    crd_i_buffer text = {.context = context}, second = {.context = context};
    crd_error error = {0};
    const crd_text input = {(const char *)bytes, length};
    crd_status status = crd_i_bif_read(context, input, "input", &network, &error);
    FUZZ_CHECK((status == CRD_OK) == (network != NULL));
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (status == CRD_OK) {
        status = crd_i_bif_write(network, &text, &error);
        const crd_text written = {(const char *)text.bytes, text.length};
        if (status == CRD_OK) status = crd_i_bif_read(context, written, "written", &again, &error);
        if (status == CRD_OK) status = crd_i_bif_write(again, &second, &error);
        FUZZ_CHECK(status == CRD_OK || status == CRD_ERROR_SYNTAX || refuse != 0);
        FUZZ_CHECK(status != CRD_ERROR_SYNTAX || again == NULL);
        if (status == CRD_OK)
            FUZZ_CHECK(text.length == second.length && memcmp(text.bytes, second.bytes, text.length) == 0);
        ask(network, refuse);
    }
    crd_i_buffer_clear(&text);
    crd_i_buffer_clear(&second);
    crd_network_destroy(again);
    crd_network_destroy(network);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    decode(bytes + 1, length - 1, 0);
    if (bytes[0] != 0) decode(bytes + 1, length - 1, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const networks[] = {
        ("network n { property p 1; }\nvariable a { type discrete [ 2 ] { x, y }; }\nvariable \"b c\" { type discrete "
         "[ 3 ] { <1, 1/2, + }; }\nprobability ( a ) { table 0.25, 0.75; }\nprobability ( \"b c\" | a ) {\n  (x) 0.1, "
         "0.2, 0.7;\n  (y) 1e-300, 1.0, 0;\n}\n"),
        ("variable a{type discrete[1]{x};}variable b{type discrete[2]{x y};}variable c{type discrete[2]{x y};}\n"
         "probability(a){table 1;}probability(b a){default .5 .5;}probability(c|a,b){(x,y) 0 1;default 1 0;}// end"),
        "variable a { type discrete [ 2 ] { x, y }; } /* */ probability ( a | a ) { default 1 0; }",
        "network \"",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (unsigned char refuse = 0; refuse < 80; refuse = (unsigned char)(refuse + 26)) {
            unsigned char input[1024];
            size_t length = strlen(networks[i]);
            input[0] = refuse;
            memcpy(input + 1, networks[i], length);
            emit(user, input, 1 + length);
        }
}
