/* SPDX-License-Identifier: MIT */
/* comparison_progress.c - see comparison_progress.h. */
#include "source/comparison_progress.h"

#include "core/output.h"
#include "core/progress.h"

/* Prints the results of the finished candidates above the line of the current candidate. */
static void show_candidate(void *user, const crd_comparison_progress *current_progress) {
    comparison_progress *p = user;
    crd_comparison_result result = CRD_COMPARISON_RESULT_INIT;
    char loss[CRD_NUMBER_ROOM];
    for (; p->shown < current_progress->candidate; p->shown++) {
        string line = {0};
        crd_comparison_result_at(p->comparison, p->shown, &result);
        /* Other processes try some of the candidates. */
        if (result.status == CRD_CANDIDATE_PENDING || result.status == CRD_CANDIDATE_OVER_BUDGET) continue;
        if (result.status == CRD_CANDIDATE_SCORED)
            string_format(&line, "%s: log loss %s", result.name, crd_number_round(result.log_loss, loss));
        else string_format(&line, "%s: skipped", result.name);
        progress_result(string_text(&line));
        string_free(&line);
    }
    crd_comparison_result_at(p->comparison, current_progress->candidate, &result);
    progress_work(result.name, current_progress->tried, current_progress->count, current_progress->work);
}

void comparison_progress_begin(comparison_progress *progress, crd_comparison_options *options) {
    *progress = (comparison_progress){NULL, 0};
    options->progress = show_candidate;
    options->progress_user = progress;
}
