/* SPDX-License-Identifier: MIT */
/* comparison_progress.h - shows the current candidate of a comparison, and the results of earlier ones, on a
 * terminal. */
#ifndef CREDENCE_CLI_COMPARISON_PROGRESS_H
#define CREDENCE_CLI_COMPARISON_PROGRESS_H

#include <credence/compare.h>

typedef struct comparison_progress {
    const crd_comparison *comparison; /* set by the caller once it is created */
    size_t shown;                     /* candidates whose result has been shown */
} comparison_progress;

/* Makes the comparison that is created with these options show its progress. `progress` must outlive the comparison. */
void comparison_progress_begin(comparison_progress *progress, crd_comparison_options *options);

#endif
