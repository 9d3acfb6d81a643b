/* SPDX-License-Identifier: MIT */
/* hmm.c - hostile bytes as the text of a hidden Markov model: refused, or a model that answers and can be written as a text that states
 * it again.
 *
 * One byte comes first: the allocation that fails in a run of its own. The rest is the text. */
#include "fuzz.h"

#include <credence/export.h>
#include <credence/hmm.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 };

typedef struct hmm_output {
    char *bytes;
    size_t length;
} hmm_output;

static int take(void *user, const char *bytes, size_t length) {
    hmm_output *hmm = user;
    if (hmm->length + length > MOST_TEXT) return 1;
    memcpy(hmm->bytes + hmm->length, bytes, length);
    hmm->length += length;
    return 0;
}

static void decode(const uint8_t *bytes, size_t length, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_model *model = NULL, *again = NULL;
    crd_hmm *hmm = NULL;
    crd_error error = {0};
    hmm_output text = {malloc(MOST_TEXT), 0};
    crd_status status = crd_hmm_read(context, (const char *)bytes, length, &model, &error);
    FUZZ_CHECK((status == CRD_OK) == (model != NULL));
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (status == CRD_OK) {
        status = crd_hmm_create(model, NULL, &hmm, &error);
        FUZZ_CHECK(status == CRD_OK || refuse != 0);
    }
    if (status == CRD_OK) {
        double sum = 0;
        for (size_t k = 0; k < crd_hmm_state_count(hmm); k++) sum += crd_hmm_start(hmm, k);
        FUZZ_CHECK(fabs(sum - 1) < 1e-9);
        status = crd_model_export(model, NULL, CRD_EXPORT_HMM, NULL, take, &text, &error);
        if (status == CRD_OK) {
            status = crd_hmm_read(context, text.bytes, text.length, &again, &error);
            FUZZ_CHECK(status == CRD_OK || refuse != 0);
        }
    }
    free(text.bytes);
    crd_hmm_destroy(hmm);
    crd_model_destroy(again);
    crd_model_destroy(model);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    decode(bytes + 1, length - 1, 0);
    if (bytes[0] != 0) decode(bytes + 1, length - 1, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const texts[] = {
        "{\"credence_hmm\": 1, \"states\": [\"r\", \"d\"], \"start\": [0.5, 0.5], \"transitions\": [[0.7, 0.3], [0.3, "
        "0.7]], "
        "\"observations\": [{\"name\": \"u\", \"family\": \"categorical\", \"values\": [\"y\", \"n\"], "
        "\"probability\": [[0.9, "
        "0.1], [0.2, 0.8]]}, {\"name\": \"l\", \"family\": \"lognormal\", \"mean\": [1, 2], \"deviation\": [1, 2]}]}",
        "{\"credence_hmm\": 1, \"order\": 2, \"states\": [\"a\", \"b\"], \"start\": [1, 0], \"transitions\": "
        "[{\"after\": [\"a\"], "
        "\"to\": [0.5, 0.25], \"end\": 0.25}, {\"after\": [\"a\", \"a\"], \"to\": [1, 0]}, {\"after\": [\"a\", \"b\"], "
        "\"to\": [0, "
        "0], \"end\": 1}], \"target\": \"s\", \"sequence\": \"id\", \"time\": \"t\", \"step\": 2, \"observations\": "
        "[{\"names\": "
        "[\"x\", \"y\"], \"family\": \"normal\", \"mean\": [[1, 2], [3, 4]], \"covariance\": [[[1, 0], [0, 1]], [[2, "
        "1], [1, 2]]]}, "
        "{\"name\": \"b\", \"family\": \"bernoulli\", \"probability\": [1, 0.5]}]}",
        "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [1, 0], \"transitions\": [[0.9, 0.1], [0, 1]], "
        "\"end\": [0, "
        "0], \"components\": [[0.25, 0.75], [1, 0]], \"blank_lines\": true, \"observations\": [{\"name\": \"c1\", "
        "\"family\": "
        "\"gaussian\", \"mean\": [[-1, 1], [5, 0]], \"deviation\": [[0.5, 0.5], [1, 1]]}, {\"name\": \"c2\", "
        "\"family\": \"poisson\", "
        "\"rate\": [[1, 2], [3, 0]]}, {\"name\": \"c3\", \"family\": \"exponential\", \"rate\": [[1, 2], [3, 1e9]]}]}",
        "{\"credence_hmm\": 1, \"states\": []}",
        "{\"credence_hmm\": 1e308, \"states\": [\"a\"]}",
        "{}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (unsigned refuse = 0; refuse < 200; refuse += 37) {
            unsigned char input[1024];
            const size_t length = strlen(texts[i]);
            input[0] = (unsigned char)refuse;
            memcpy(input + 1, texts[i], length);
            emit(user, input, 1 + length);
        }
}
