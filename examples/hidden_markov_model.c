/* SPDX-License-Identifier: MIT */
/* hidden_markov_model.c - sequences: learns a hidden Markov model from labeled sequences of days, then decodes them. It
 * prints the most likely path of states, and how probable the state of each day is.
 *
 *   cc hidden_markov_model.c -o hidden_markov_model $(pkg-config --cflags --libs credence)
 *   ./hidden_markov_model weather.csv place day sky */
#include <credence/hmm.h>
#include <credence/sequence.h>
#include <stdio.h>
#include <stdlib.h>

static int open_sequences(crd_context *context, char **argv, crd_reader **reader, crd_sequences **out,
                          crd_error *error) {
    const char *table = argv[1];
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of(argv[2]); /* a new sequence begins where this column changes */
    options.time = crd_text_of(argv[3]);     /* steps are in the order of this column */
    if (crd_reader_open(context, &table, 1, NULL, reader, error)) return 0;
    if (crd_reader_select_target(*reader, crd_text_of(argv[4]), error)) return 0;
    return crd_sequences_read(*reader, &options, out, error) == CRD_OK;
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: hidden_markov_model TABLE ID TIME LABEL\n"), 2;
    crd_error error = {0};
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_model *model = NULL;
    crd_hmm *hmm = NULL;
    int32_t *path = NULL;
    double *posteriors = NULL, *log_probabilities = NULL;
    int failed = 1;

    if (crd_context_create(NULL, &context)) goto done;
    if (!open_sequences(context, argv, &reader, &sequences, &error)) goto done;

    /* The model contains counts; the hidden Markov model contains the probabilities that they imply. */
    if (crd_sequences_train(sequences, NULL, &model, NULL, &error)) goto done;
    if (crd_hmm_create(model, NULL, &hmm, &error)) goto done;
    size_t states = crd_hmm_state_count(hmm), count = crd_sequences_count(sequences);
    for (size_t from = 0; from < states; from++) {
        crd_text name = crd_hmm_state(hmm, from);
        printf("%-8.*s start %.3f  next", (int)name.length, name.bytes, crd_hmm_start(hmm, from));
        for (size_t state = 0; state < states; state++) {
            name = crd_hmm_state(hmm, state);
            printf(" %.*s %.3f", (int)name.length, name.bytes, crd_hmm_transition(hmm, &from, 1, state));
        }
        printf("\n");
    }

    /* Results of all steps follow each other, sequence by sequence. 0 threads: one per CPU core. */
    size_t rows = (size_t)crd_sequences_rows(sequences);
    path = malloc(rows * sizeof *path);
    posteriors = malloc(rows * states * sizeof *posteriors);
    log_probabilities = malloc(count * sizeof *log_probabilities);
    if (!path || !posteriors || !log_probabilities) goto done;
    if (crd_hmm_paths(hmm, sequences, 0, path, log_probabilities, &error)) goto done;
    if (crd_hmm_posteriors(hmm, sequences, 0, posteriors, NULL, &error)) goto done;
    size_t row = 0;
    for (size_t sequence = 0; sequence < count; sequence++) {
        crd_text name = crd_sequences_id(sequences, sequence);
        uint64_t length = crd_sequences_length(sequences, sequence);
        printf("%.*s: %llu days, log P(path, days) = %.3f\n", (int)name.length, name.bytes, (unsigned long long)length,
               log_probabilities[sequence]);
        for (uint64_t step = 0; step < length; step++, row++) {
            if (step >= 3) continue; /* print only the first days */
            size_t state = (size_t)path[row];
            name = crd_hmm_state(hmm, state);
            printf("    %.*s %.3f\n", (int)name.length, name.bytes, posteriors[row * states + state]);
        }
    }
    failed = 0;
done:
    if (failed) fprintf(stderr, "hidden_markov_model: %s\n", error.status ? error.message : "out of memory");
    free(path), free(posteriors), free(log_probabilities);
    crd_hmm_destroy(hmm), crd_model_destroy(model);
    crd_sequences_destroy(sequences), crd_reader_close(reader);
    crd_context_destroy(context);
    return failed;
}
