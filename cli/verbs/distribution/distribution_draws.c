/* SPDX-License-Identifier: MIT */
/* distribution_draws.c - draws rows from a distribution. */
#include "core/messages.h"
#include "core/row_stream.h"
#include "verbs/distribution/distribution_questions.h"

#include <stdlib.h>

/* Writes the draws of --draws, one row per draw. */
int distribution_draw(const invocation *call, const crd_distribution *d) {
    uint64_t count = 0, seed = 1;
    size_t n = crd_distribution_dimension(d);
    row_stream s = {.is_bare = true};
    int ended = arguments_whole(&call->arguments, "draws", &count);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended == ENDED_WELL) ended = row_stream_open(call, &s);
    if (ended != ENDED_WELL) return ended;
    double *x = memory_resize(NULL, n, sizeof *x);
    string *names = memory_resize(NULL, n, sizeof *names);
    crd_text *texts = memory_resize(NULL, n, sizeof *texts);
    for (size_t i = 0; i < n; i++) {
        names[i] = (string){0};
        if (n == 1) string_format(&names[i], "x");
        else string_format(&names[i], "x%zu", i + 1);
        texts[i] = (crd_text){names[i].bytes, names[i].length};
    }
    row_stream_begin(&s, texts, NULL, n);
    for (uint64_t i = 0; i < count && row_stream_goes_on(&s); i++) {
        crd_distribution_sample(d, seed, i, 1, x);
        for (size_t k = 0; k < n; k++) row_stream_number(&s, x[k]);
    }
    ended = row_stream_close(&s, ended);
    for (size_t i = 0; i < n; i++) string_free(&names[i]);
    free(names);
    free(texts);
    free(x);
    return ended;
}
