/* SPDX-License-Identifier: MIT */
/* comparison_progress.c - see comparison_progress.h. */
#include "source/comparison_progress.h"

#include "core/output.h"
#include "core/progress.h"

/* What came of candidates stands above the one that is tried. */
static void show_candidate(void *user, size_t index, size_t count, double done) {
    comparison_progress *p = user;
    crd_comparison_result result = CRD_COMPARISON_RESULT_INIT;
    char loss[ROUNDED_ROOM];
    if (done > 0) return;
    for (; p->shown < index; p->shown++) {
        string line = {0};
        crd_comparison_result_at(p->comparison, p->shown, &result);
        if (result.status == CRD_CANDIDATE_PENDING) continue; /* other processes have a part of it */
        if (result.status == CRD_CANDIDATE_SCORED)
            string_format(&line, "%s: log loss %s", result.name, output_round(result.log_loss, loss));
        else string_format(&line, "%s: left out", result.name);
        progress_result(string_text(&line));
        string_free(&line);
    }
    crd_comparison_result_at(p->comparison, index, &result);
    progress_step(result.name, index, count);
}

void comparison_progress_begin(comparison_progress *progress, crd_comparison_options *options) {
    *progress = (comparison_progress){NULL, 0};
    options->progress = show_candidate;
    options->progress_user = progress;
}
