/* SPDX-License-Identifier: MIT */
/* ensemble_members.h - models that consist of other models: the predictions of the members for a row, and the combined
 * prediction. */
#ifndef CREDENCE_CLI_ENSEMBLE_MEMBERS_H
#define CREDENCE_CLI_ENSEMBLE_MEMBERS_H

#include "core/report.h"

typedef struct ensemble {
    const crd_model *model;
    const crd_classifier *classifier; /* the classifier of the model */
    size_t count;
    struct member_voice *each;
} ensemble;

/* Opens the members. If the model was trained on rows, it has no members, and count is 0. */
int ensemble_open(const crd_model *model, const crd_classifier *classifier, ensemble *out);
void ensemble_close(ensemble *m);

/* Adds each member's prediction for a row, and the combined prediction, to the open object. `probabilities` are the
 * model's, one per class. */
int ensemble_report_row(crd_result *r, const ensemble *m, const crd_value *values, const double *probabilities,
                        const crd_answer *answer);

/* Adds the members of a model, with their weights and properties. */
int ensemble_report(crd_result *r, const crd_model *model, const crd_classifier *classifier);

/* Adds a name for a member that consists of its settings other than the defaults: "2 naive, joint numbers". */
void ensemble_add_member(string *out, const crd_classifier *member, size_t index);
/* Returns the combination rule in words, such as "the weighted mean of their probabilities"; "" if the model has no
 * members. */
const char *ensemble_pool_rule(const crd_classifier *classifier);

#endif
