/* SPDX-License-Identifier: MIT */
/* ensemble_members.h - models that are made of others: what each of those says of a row, and what they come to. */
#ifndef CREDENCE_CLI_ENSEMBLE_MEMBERS_H
#define CREDENCE_CLI_ENSEMBLE_MEMBERS_H

#include "core/report.h"

typedef struct ensemble {
    const crd_model *model;
    const crd_classifier *classifier; /* of the model */
    size_t count;
    struct member_voice *each;
} ensemble;

/* Nothing is opened where the model is one of rows: then count is 0. */
int ensemble_open(const crd_model *model, const crd_classifier *classifier, ensemble *out);
void ensemble_close(ensemble *m);

/* What each says of a row, and all together, as members of the object that is open; `probabilities` are those of the
 * model, one a class. */
int ensemble_report_row(report *r, const ensemble *m, const crd_value *values, const double *probabilities,
                        const crd_answer *answer);

/* Which they are, with their weights and their own facts. */
int ensemble_report(report *r, const crd_model *model, const crd_classifier *classifier);

/* Names a member by what its settings have beside the usual ones: "2 naive, joint numbers". */
void ensemble_add_member(string *out, const crd_classifier *member, size_t index);
/* "the mean of probabilities by weight" and so on; "" where there are no members. */
const char *ensemble_pool_rule(const crd_classifier *classifier);

#endif
