/* SPDX-License-Identifier: MIT */
/* cross_validate.c - evaluation: how good are predictions of rows that the model has not learned? Each row is predicted
 * by a model of the other folds.
 *
 *   cc cross_validate.c -o cross_validate $(pkg-config --cflags --libs credence)
 *   ./cross_validate iris.csv species 5 */
#include <credence/evaluate.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints the counts of true and predicted classes. */
static void print_confusion(const crd_scores *scores) {
    size_t classes = scores->class_count;
    for (size_t truth = 0; truth < classes; truth++) {
        crd_text name = scores->classes[truth].name;
        const crd_class_scores class_scores = scores->classes[truth];
        printf("%-16.*s", (int)name.length, name.bytes);
        for (size_t predicted = 0; predicted < classes; predicted++)
            printf(" %4.0f", crd_scores_confusion_weight(scores, truth, predicted));
        printf("   precision %.3f  recall %.3f\n", class_scores.precision, class_scores.recall);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: cross_validate TABLE TARGET FOLDS\n"), 2;
    const char *table = argv[1];
    crd_error error = {0};
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_assessment *assessment = NULL;
    crd_scores *scores = NULL;
    int failed = 1;

    if (crd_context_create(NULL, &context)) goto done;
    if (crd_reader_open(context, &table, 1, NULL, &reader, &error)) goto done;
    if (crd_reader_select_target(reader, crd_text_of(argv[2]), &error)) goto done;

    /* Folds are drawn at random from a seed, with about equal shares of each class. Rows are read in several passes. */
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = (uint32_t)strtoul(argv[3], NULL, 10);
    split.seed = 7;
    if (crd_row_source_create(reader, &source, &error)) goto done;
    if (crd_assessment_of_folds(source, NULL, &split, NULL, &assessment, &error)) goto done;
    if (crd_assessment_run(assessment, NULL, &error)) goto done;

    /* Scores are computed from the predictions of all rows. Structs that may grow are initialized with their size. */
    crd_totals totals = CRD_TOTALS_INIT;
    if (crd_scores_create(crd_assessment_evaluation(assessment), &scores, &error)) goto done;
    crd_scores_totals(scores, &totals);
    printf("rows %llu\n", (unsigned long long)totals.rows);
    printf("accuracy %.4f, baseline %.4f\n", totals.accuracy, totals.baseline);
    printf("log loss %.4f, baseline %.4f\n", totals.log_loss, totals.baseline_log_loss);
    printf("macro F1 %.4f, kappa %.4f\n", totals.macro_f1, totals.kappa);
    double low, high;
    if (crd_scores_interval(scores, CRD_MEASURE_ACCURACY, &low, &high))
        printf("95 %% interval of the accuracy: %.3f to %.3f\n", low, high);
    print_confusion(scores);
    failed = 0;
done:
    if (failed) fprintf(stderr, "cross_validate: %s\n", error.status ? error.message : "out of memory");
    crd_scores_destroy(scores), crd_assessment_destroy(assessment);
    crd_row_source_destroy(source), crd_reader_close(reader); /* the source uses the reader: close it last */
    crd_context_destroy(context);
    return failed;
}
