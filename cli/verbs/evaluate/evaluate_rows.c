/* SPDX-License-Identifier: MIT */
/* evaluate_rows.c - opens the rows of DATA for several passes. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/discretize_option.h"

#include <stdlib.h>

/* Finds the column of --folds and excludes it from the features. */
static int choose_fold_column(rows *r, const char *selector) {
    crd_error error;
    size_t *columns = memory_resize(NULL, crd_reader_column_count(r->d.reader), sizeof *columns), count = 0;
    int ended = ENDED_WELL;
    if (crd_reader_select(r->d.reader, crd_text_of(selector), columns, &count, &error) != CRD_OK) {
        ended = message_failed("--folds: %s", error.message);
    } else if (count != 1) {
        ended = message_failed("--folds %s matches %zu columns; one is needed", selector, count);
    } else if (crd_reader_ignore(r->d.reader, columns[0], &error) != CRD_OK) {
        ended = message_failed("--folds %s: the target cannot name the folds", selector);
    } else {
        r->fold_column = columns[0];
    }
    free(columns);
    return ended;
}

/* Opens DATA and its rows. Warns if cut points were computed from all rows, because the tested rows are among them. */
int rows_open(const invocation *call, rows *r) {
    const arguments *words = &call->arguments;
    const char *folds = arguments_value(words, "folds");
    crd_error error;
    *r = (rows){.fold_column = SIZE_MAX};
    int ended = data_open(call, words->operands, words->operand_count, folds != NULL, &r->d);
    if (ended == ENDED_WELL) ended = data_choose_columns(call, &r->d, words->operands[0], false);
    if (ended == ENDED_WELL && discretize_option_reads_classes(call))
        message_warning("the cut points of --discretize mdl were computed from all rows and their classes, including "
                        "the tested rows, so scores may be too optimistic");
    else if (ended == ENDED_WELL && discretize_option_reads_rows(call))
        message_note("the cut points of --discretize were computed from all rows, including the tested rows");
    if (ended == ENDED_WELL && folds != NULL) ended = choose_fold_column(r, folds);
    if (ended == ENDED_WELL && crd_row_source_create(r->d.reader, &r->source, &error) != CRD_OK) {
        ended = message_error_in(&error, words->operands[0]);
    }
    return ended;
}

void rows_close(rows *r) {
    crd_row_source_destroy(r->source);
    data_close(&r->d);
}
