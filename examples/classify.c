/* SPDX-License-Identifier: MIT */
/* classify.c - the whole round in one program: learn from a CSV file, classify a row, give the reasons, save the model.
 *
 *   cc classify.c -o classify $(pkg-config --cflags --libs credence)
 *   ./classify tennis.csv Play tennis.model Sunny Cool High Strong */
#include <credence/credence.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: classify TABLE TARGET MODEL [VALUE ...]\n"), 2;
    const char *table = argv[1], *target = argv[2], *file = argv[3];
    crd_error error = {0}; /* filled in by the call that fails */
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_value *row = NULL;
    double *log_posterior = NULL;
    int failed = 1;

    /* Open the table, say which column is the class, and learn every row of it. NULL: default options and settings. */
    if (crd_context_create(NULL, &context)) goto done;
    if (crd_reader_open(context, &table, 1, NULL, &reader, &error)) goto done;
    if (crd_reader_select_target(reader, crd_text_of(target), &error)) goto done;
    if (crd_model_train(context, reader, NULL, &model, NULL, &error)) goto done;

    /* A classifier is a model under settings. A row is one value for each attribute; those not given are missing. */
    if (crd_classifier_create(model, NULL, &classifier, &error)) goto done;
    size_t classes = crd_classifier_class_count(classifier), attributes = crd_classifier_attribute_count(classifier);
    row = calloc(attributes + 1, sizeof *row);
    log_posterior = calloc(classes, sizeof *log_posterior);
    if (!row || !log_posterior) goto done;
    for (size_t i = 0; i < attributes && i + 4 < (size_t)argc; i++)
        row[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_text_of(argv[i + 4])};
    crd_answer answer;
    if (crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error)) goto done;

    for (size_t c = 0; c < classes; c++) { /* each class, and what every attribute added to its logarithm */
        crd_text name = crd_classifier_class(classifier, c);
        printf("%c P(%.*s) = %.4f\n", answer.decision == (int32_t)c ? '*' : ' ', (int)name.length, name.bytes,
               crd_exp(log_posterior[c]));
        for (size_t i = 0; i < attributes; i++) {
            crd_term term = CRD_TERM_INIT;
            if (crd_classifier_term(classifier, i, c, &row[i], &term, &error)) goto done;
            name = crd_classifier_attribute(classifier, i);
            printf("    %+.4f  %.*s\n", term.log_value, (int)name.length, name.bytes);
        }
    }
    failed = crd_model_save(model, file, &error) != CRD_OK;
done:
    if (failed) fprintf(stderr, "classify: %s: %s\n", table, error.status ? error.message : "out of memory");
    free(row), free(log_posterior);
    crd_classifier_destroy(classifier), crd_model_destroy(model), crd_reader_close(reader);
    crd_context_destroy(context);
    return failed;
}
