/* SPDX-License-Identifier: MIT */
/* aode_scorer.c - see joint_scorer.h. */
#include "classify/joint_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "classify/classify_row.h"
#include "model/joint_tallies.h"

typedef struct aode_scorer {
    crd_i_scorer base;
    crd_i_joint_block block;
} aode_scorer;

static crd_status aode_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                    double *probabilities, crd_answer *answer, crd_error *error) {
    (void)error;
    crd_i_row_begin(row, log_posterior, answer);
    crd_i_joint_block_add(&((const aode_scorer *)scorer)->block, row, log_posterior);
    crd_i_row_conclude(row, log_posterior, probabilities, answer);
    return CRD_OK;
}

static void aode_scorer_destroy(crd_i_scorer *scorer) {
    crd_i_joint_block_clear(&((aode_scorer *)scorer)->block);
    crd_free(scorer->context, scorer);
}

static size_t aode_scorer_count_joints(const crd_i_scorer *scorer) {
    (void)scorer;
    return 1;
}

static void aode_scorer_describe(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint,
                                 crd_joint *out) {
    (void)classifier, (void)joint;
    crd_i_joint_block_describe(&((const aode_scorer *)scorer)->block, out);
}

static crd_status aode_scorer_list_attributes(const crd_i_scorer *scorer, const crd_classifier *classifier,
                                              size_t joint, size_t *out, crd_error *error) {
    (void)classifier, (void)joint, (void)error;
    crd_i_joint_block_attributes(&((const aode_scorer *)scorer)->block, out);
    return CRD_OK;
}

static crd_status aode_scorer_add(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint, double *sums,
                                  crd_error *error) {
    (void)joint, (void)error;
    crd_i_joint_block_add(&((const aode_scorer *)scorer)->block, row, sums);
    return CRD_OK;
}

static const crd_i_joint_block *aode_scorer_block(const crd_i_scorer *scorer, size_t joint) {
    (void)joint;
    return &((const aode_scorer *)scorer)->block;
}

static const crd_i_scorer_joints joints = {.count = aode_scorer_count_joints,
                                           .describe = aode_scorer_describe,
                                           .attributes = aode_scorer_list_attributes,
                                           .add = aode_scorer_add,
                                           .block = aode_scorer_block};

static const crd_i_scorer_type aode = {
    .name = "AODE", .score = aode_scorer_score, .destroy = aode_scorer_destroy, .joints = &joints};

crd_status crd_i_aode_scorer_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                    crd_error *error) {
    const crd_i_joint_type *type = crd_i_joint_named("aode");
    const crd_i_model_joint_tally *kept = crd_i_joint_tallies_whole(model, type->reads);
    if (kept == NULL) return crd_i_joint_block_not_kept("method=aode", type->reads->name, error);
    aode_scorer *scorer = crd_i_alloc_zeroed(classifier->context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    const crd_i_scorer base = {.type = &aode, .context = classifier->context, .is_generative = true};
    scorer->base = base;
    classifier->scorer = &scorer->base;
    crd_status status = crd_i_joint_block_derive(classifier, model, view, kept, type, 0, &scorer->block, error);
    if (status == CRD_OK) scorer->base.scratch = crd_i_joint_block_scratch(&scorer->block);
    return status;
}

const crd_i_joint_block *crd_i_aode_scorer_block(const crd_classifier *classifier) {
    return &((const aode_scorer *)classifier->scorer)->block;
}
