/* SPDX-License-Identifier: MIT */
/* explain_text.c - a column of texts: learns which words are typical of spam, and explains a prediction word by word.
 *
 *   cc explain_text.c -o explain_text $(pkg-config --cflags --libs credence)
 *   ./explain_text messages.tsv label 'Call now for your free prize' */
#include <credence/credence.h>
#include <stdio.h>

/* What the callback needs: for each word, how much it changes the odds of the classes. */
typedef struct word_printer {
    const crd_classifier *classifier;
    crd_error *error;
    crd_status status;
} word_printer;

/* Prints the log odds that one word contributes to the first class against the second. A non-zero result stops. */
static int print_word(void *user, const crd_text_term *term) {
    word_printer *printer = user;
    crd_value word = {CRD_TYPE_TEXT, 0, term->term};
    crd_term terms[2] = {CRD_TERM_INIT, CRD_TERM_INIT};
    for (size_t c = 0; c < 2 && !printer->status; c++)
        printer->status = crd_classifier_term(printer->classifier, 0, c, &word, &terms[c], printer->error);
    if (printer->status) return 1;
    printf("    %+.3f  %.*s\n", terms[1].log_value - terms[0].log_value, (int)term->term.length, term->term.bytes);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: explain_text TABLE TARGET TEXT\n"), 2;
    const char *table = argv[1];
    crd_error error = {0};
    crd_context *context = NULL;
    crd_settings *settings = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    int failed = 1;

    /* The settings become the model's defaults. With a uniform prior, spam is as probable as ham before any word. */
    if (crd_context_create(NULL, &context)) goto done;
    if (crd_settings_create(context, &settings, &error)) goto done;
    if (crd_settings_set(settings, "prior", crd_text_of("uniform"), &error)) goto done;

    /* A column is a category unless you say that it contains documents. This table has two columns. */
    if (crd_reader_open(context, &table, 1, NULL, &reader, &error)) goto done;
    if (crd_reader_select_target(reader, crd_text_of(argv[2]), &error)) goto done;
    size_t columns = crd_reader_column_count(reader);
    for (size_t i = 0; i < columns; i++) {
        if (crd_text_equal(crd_reader_column_name(reader, i), crd_text_of(argv[2]))) continue;
        if (crd_reader_set_column_type(reader, i, CRD_TYPE_TEXT, &error)) goto done;
    }
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    if (crd_model_train(context, reader, settings, &model, &facts, &error)) goto done;
    if (crd_classifier_create(model, NULL, &classifier, &error)) goto done;
    printf("%llu messages\n", (unsigned long long)facts.rows);

    /* One text is a row of one value. */
    crd_value value = {CRD_TYPE_TEXT, 0, crd_text_of(argv[3])};
    double log_posterior[2], probabilities[2];
    crd_answer answer;
    if (crd_classifier_class_count(classifier) != 2) goto done;
    if (crd_classifier_posterior(classifier, &value, log_posterior, probabilities, &answer, &error)) goto done;
    for (size_t c = 0; c < 2; c++) {
        crd_text name = crd_classifier_class(classifier, c);
        printf("P(%.*s) = %.4f\n", (int)name.length, name.bytes, probabilities[c]);
    }

    /* Each term of the text adds to the log odds: positive numbers favor the second class. */
    word_printer printer = {classifier, &error, CRD_OK};
    if (crd_text_terms(context, settings, value.text, print_word, &printer, &error) || printer.status) goto done;
    failed = 0;
done:
    if (failed) fprintf(stderr, "explain_text: %s\n", error.status ? error.message : "not two classes");
    crd_classifier_destroy(classifier), crd_model_destroy(model), crd_reader_close(reader);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return failed;
}
