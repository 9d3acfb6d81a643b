/* SPDX-License-Identifier: MIT */
/* evaluate_split.c - how rows are split into folds: reads the options, describes the split, and writes the file of
 * folds. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <string.h>

enum { MOST_DRAWN_FOLDS = 1000000 };

static int read_whole_number(const invocation *call, const char *name, double least, double most, double *value) {
    const char *text = arguments_value(&call->arguments, name);
    if (text == NULL) return ENDED_WELL;
    crd_number_class class = crd_number_parse(crd_text_of(text), value);
    if (class == CRD_NUMBER_FINITE && *value >= least && *value <= most && *value == floor(*value)) return ENDED_WELL;
    return message_usage("--%s: expected an integer from %.0f to %.0f, got '%s'", name, least, most, text);
}

/* Reads the held-out fraction, such as "30%" or "0.3". */
static int read_share(const char *text, crd_split_options *options) {
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    double share = 0;
    crd_number_class class = crd_number_parse((crd_text){text, percent ? length - 1 : length}, &share);
    if (percent) share /= 100;
    if (class == CRD_NUMBER_FINITE && crd_split_hold_out(options, share, NULL) == CRD_OK) return ENDED_WELL;
    return message_usage("--holdout: expected a fraction such as 30%%, between 0 and 100%% in steps of 0.1%%, got '%s'",
                         text);
}

int split_read(const invocation *call, crd_split_options *options) {
    double folds = options->folds, seed = (double)options->seed;
    const char *share = arguments_value(&call->arguments, "holdout");
    int ended = read_whole_number(call, "cross-validate", 2, MOST_DRAWN_FOLDS, &folds);
    if (ended == ENDED_WELL) ended = read_whole_number(call, "seed", 0, 9007199254740992.0, &seed);
    if (ended != ENDED_WELL) return ended;
    options->seed = (uint64_t)seed;
    options->folds = (uint32_t)folds;
    return share == NULL ? ENDED_WELL : read_share(share, options);
}

void split_describe(string *string_options, const crd_split_options *options, const crd_split *split) {
    unsigned long long seed = options->seed;
    size_t folds = crd_split_fold_count(split);
    if (options->column != SIZE_MAX) {
        string_format(string_options, "Cross-validation in the %zu folds given", folds);
    } else if (options->held_out > 0) {
        string_format(string_options, "Rows held out of training (%lu of %lu, seed %llu)",
                      (unsigned long)options->held_out, (unsigned long)options->folds, seed);
    } else {
        string_format(string_options, "Cross-validation in %zu folds (seed %llu)", folds, seed);
    }
}

void split_note_empty(const crd_split_options *options, const crd_split *split) {
    size_t empty = 0, folds = crd_split_fold_count(split);
    if (options->held_out > 0 || crd_split_count_empty(split, &empty, NULL) != CRD_OK || empty == 0) return;
    message_note("%zu of %zu folds %s no row", empty, folds, empty == 1 ? "has" : "have");
}

/* Writes the number and fold of each row to the file of --write-folds, if it is given. */
int split_write(const invocation *call, const crd_split_options *options, const crd_split *split) {
    const char *path = arguments_value(&call->arguments, "write-folds");
    const uint32_t *folds = crd_split_learned(split);
    output out;
    if (path == NULL) return ENDED_WELL;
    int ended = output_open_named(call, path, &out);
    if (ended != ENDED_WELL) return ended;
    fputs("row,fold\n", out.stream);
    for (size_t row = 0; row < crd_split_rows(split); row++) {
        fprintf(out.stream, "%zu,", row + 1);
        /* Rows without a true class are in no fold. */
        if (folds[row] != CRD_NO_FOLD) {
            crd_text name = crd_split_fold_name(split, folds[row]);
            if (name.bytes != NULL) output_csv_text(&out, name);
            else if (options->held_out > 0) fputs(folds[row] == 1 ? "test" : "train", out.stream);
            else fprintf(out.stream, "%lu", (unsigned long)folds[row] + 1);
        }
        fputc('\n', out.stream);
    }
    return output_close(&out, ENDED_WELL);
}
