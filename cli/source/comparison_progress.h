/* SPDX-License-Identifier: MIT */
/* comparison_progress.h - on a terminal, which candidate is tried, and what came of those before it. */
#ifndef CREDENCE_CLI_COMPARISON_PROGRESS_H
#define CREDENCE_CLI_COMPARISON_PROGRESS_H

#include <credence/compare.h>

typedef struct comparison_progress {
    const crd_comparison *comparison; /* to be set once it is there */
    size_t shown;                     /* candidates whose result was shown */
} comparison_progress;

/* Has the comparison that is made with these options show its progress, which outlives it. */
void comparison_progress_begin(comparison_progress *progress, crd_comparison_options *options);

#endif
