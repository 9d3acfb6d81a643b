/* SPDX-License-Identifier: MIT */
/* settings.c - the text of a setting: refused without a trace, or taken and written back canonically; and whatever is
 * taken, posteriors stay probabilities.
 *
 * The first byte says which setting, the second which table; the rest is the value. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CLASSES = 8, MOST_ATTRIBUTES = 8, MOST_VALUE = 4096 };

static void classify(const crd_model *model, const crd_settings *settings) {
    crd_classifier *classifier = NULL;
    crd_error error = {0};
    if (crd_classifier_create(model, settings, &classifier, &error) != CRD_OK) {
        FUZZ_CHECK(classifier == NULL && error.message[0] != '\0');
        return;
    }
    static const char *const cells[] = {"Sunny", "2", "-0", "1e300", "never seen", "red"};
    double log_posterior[MAX_CLASSES];
    crd_value row[MOST_ATTRIBUTES];
    FUZZ_CHECK(crd_classifier_class_count(classifier) <= MAX_CLASSES);
    FUZZ_CHECK(crd_classifier_attribute_count(classifier) <= MOST_ATTRIBUTES);
    for (size_t c = 0; c <= sizeof cells / sizeof *cells; c++) {
        bool missing = c == sizeof cells / sizeof *cells;
        for (size_t i = 0; i < MOST_ATTRIBUTES; i++) {
            row[i] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
            if (missing) continue;
            crd_text cell = crd_text_of(cells[c]);
            bool number = i < crd_classifier_attribute_count(classifier) &&
                          crd_classifier_attribute_type(classifier, i) == CRD_TYPE_NUMERIC;
            if (!number) row[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, cell};
            if (number && crd_number_parse(cell, &row[i].number) == CRD_NUMBER_FINITE) row[i].type = CRD_TYPE_NUMERIC;
        }
        crd_answer answer = {0};
        crd_status status = crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error);
        FUZZ_CHECK(status == CRD_OK);
        fuzz_check_posterior(log_posterior, crd_classifier_class_count(classifier), &answer);
    }
    crd_classifier_destroy(classifier);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2 || length > MOST_VALUE) return 0;
    size_t count = 0;
    count = crd_setting_count();
    const char *name = crd_setting_at(bytes[0] % count)->name;
    const char *table = fuzz_tables[bytes[1] % FUZZ_TABLES];
    crd_text value = {(const char *)bytes + 2, length - 2};

    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_settings *settings = NULL, *again = NULL;
    crd_error error = {0};
    FUZZ_CHECK(crd_settings_create(context, &settings, &error) == CRD_OK);
    FUZZ_CHECK(crd_settings_create(context, &again, &error) == CRD_OK);
    crd_status status = crd_settings_set(settings, name, value, &error);
    if (status != CRD_OK) {
        FUZZ_CHECK(status == CRD_ERROR_SETTING && error.message[0] != '\0');
        FUZZ_CHECK(strcmp(crd_settings_get(settings, name), crd_settings_get(again, name)) == 0);
    } else {
        /* The canonical text means the same, and is its own canonical text. */
        crd_text canonical = crd_text_of(crd_settings_get(settings, name));
        FUZZ_CHECK(canonical.bytes != NULL);
        FUZZ_CHECK(crd_settings_set(again, name, canonical, &error) == CRD_OK);
        FUZZ_CHECK(strcmp(crd_settings_get(settings, name), crd_settings_get(again, name)) == 0);
        crd_model *model = fuzz_train(context, table, NULL, NULL);
        classify(model, settings);
        crd_model_destroy(model);
    }
    crd_settings_destroy(settings);
    crd_settings_destroy(again);
    fuzz_context_end(context, &accounts);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const values[] = {"none",
                                         "m:1",
                                         "m:0.5:marginal",
                                         "laplace:1",
                                         "frequency",
                                         "uniform",
                                         "mle",
                                         "sample",
                                         "classes",
                                         "attributes",
                                         "all",
                                         "0.01",
                                         "m:1e-300",
                                         "laplace:0",
                                         "Yes=0.3,No=0.7",
                                         "1=1,2=2,10=0",
                                         "\"a,b\"=1",
                                         "m:1e308",
                                         "1e308",
                                         "laplace:1.7e308",
                                         "Yes=1e308,No=1.7e308",
                                         "p=1e308,q=1e-308",
                                         "a,b;\"c \",d",
                                         "\"x \"->b<-c,\" d\"",
                                         "x=uniform,\"y =auto\",*=kernel",
                                         "bagging:2",
                                         "edges:-1e308:0:1.7e308",
                                         "bic:2"};
    size_t count = 0;
    count = crd_setting_count();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t j = 0; j < count; j++) {
            unsigned char input[64];
            size_t length = strlen(values[i]);
            input[0] = (unsigned char)j;
            input[1] = (unsigned char)i;
            memcpy(input + 2, values[i], length);
            emit(user, input, 2 + length);
        }
}
