/* SPDX-License-Identifier: MIT */
/* cross_validation_classify.c - classifying each row with the model of all rows outside its fold.
 *
 * Folds are independent, so several threads process them in parallel; each thread takes the next fold. The result
 * does not depend on the number of threads. */
#include "evaluate/cross_validation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <stdatomic.h>

void crd_i_cross_validation_drop(crd_cross_validation *validation) {
    for (size_t i = 0; i < validation->fold_count; i++) {
        crd_i_fold *fold = &validation->folds[i];
        crd_classifier_destroy(fold->classifier);
        crd_free(validation->context, fold->classes);
        fold->classifier = NULL;
        fold->classes = NULL;
    }
}

crd_status crd_cross_validation_use(crd_cross_validation *validation, const crd_settings *settings, crd_error *error) {
    crd_settings *own_settings;
    crd_status status = settings == NULL ? crd_settings_create(validation->context, &own_settings, error)
                                         : crd_i_settings_copy(validation->context, settings, &own_settings, error);
    if (status != CRD_OK) return status;
    crd_settings_destroy(validation->settings);
    validation->settings = own_settings;
    validation->is_reused = true;
    crd_i_cross_validation_drop(validation);
    return CRD_OK;
}

const crd_classifier *crd_cross_validation_classifier(const crd_cross_validation *validation, uint32_t f) {
    return f < validation->fold_count ? validation->folds[f].classifier : NULL;
}

/* ---- One fold ---- */

/* Restricts a prior that was specified for all classes to the classes of a model, and renormalizes it. Does nothing
 * for other priors. */
static crd_status restrict_prior(const crd_cross_validation *validation, crd_settings *settings, const crd_model *model,
                                 crd_error *error) {
    if (settings->prior != CRD_I_PRIOR_GIVEN) return CRD_OK;
    const crd_i_variable *classes = crd_i_model_target(model);
    crd_context *context = settings->context;
    size_t count = crd_i_dictionary_size(settings->prior_classes), kept = 0;
    crd_i_dictionary *names = crd_i_dictionary_create(context);
    double *probabilities = crd_i_alloc(context, count, sizeof *probabilities), sum = 0, stated = 0;
    char *text = NULL;
    crd_status status = CRD_OK;
    bool done = names != NULL && probabilities != NULL;
    for (size_t i = 0; i < count; i++) stated += settings->prior_probabilities[i];
    /* The remaining probability belongs to a class that the prior does not name. */
    const double remainder = 1 - stated > CRD_I_PRIOR_SLACK ? 1 - stated : 0;
    bool has_rest = false;
    for (size_t i = 0; remainder > 0 && i < crd_i_dictionary_size(validation->classes); i++) {
        crd_text name = crd_i_dictionary_text(validation->classes, i);
        int32_t code = crd_i_dictionary_find(classes->values, name);
        if (crd_i_dictionary_find(settings->prior_classes, name) < 0 && code >= 0)
            has_rest = has_rest || crd_i_model_class_rows(model, (size_t)code) > 0 ||
                       crd_i_model_is_declared(model, model->schema->target, name);
    }
    for (size_t i = 0; done && i < count; i++) {
        crd_text name = crd_i_dictionary_text(settings->prior_classes, i);
        int32_t code = crd_i_dictionary_find(classes->values, name);
        bool stays = crd_i_model_is_declared(model, model->schema->target, name);
        /* A class that occurs only in this fold has no rows in the model, or is absent from it. */
        bool has_gone = code >= 0 ? crd_i_model_class_rows(model, (size_t)code) == 0
                                  : crd_i_dictionary_find(validation->classes, name) >= 0;
        if (has_gone && !stays) continue;
        done = crd_i_dictionary_add(names, name) >= 0;
        probabilities[kept++] = settings->prior_probabilities[i];
        sum += settings->prior_probabilities[i];
    }
    const double total = sum + (has_rest ? remainder : 0);
    if (done && (kept < count || (remainder > 0 && !has_rest)) && sum > 0) {
        for (size_t i = 0; i < kept; i++) probabilities[i] /= total;
        text = crd_i_prior_text(context, names, probabilities);
        done = text != NULL;
        if (done) status = crd_settings_set(settings, "prior", crd_text_of(text), error);
    }
    if (!done) status = crd_i_fail_memory(error);
    crd_i_dictionary_destroy(names);
    crd_free(context, probabilities);
    crd_free(context, text);
    return status;
}

/* Maps the classes of the fold's classifier to the classes of all rows. */
static crd_status fold_classify_name_classes(const crd_cross_validation *validation, crd_i_fold *fold,
                                             crd_error *error) {
    size_t classes = crd_classifier_class_count(fold->classifier);
    fold->classes = crd_i_alloc(validation->context, classes, sizeof *fold->classes);
    if (fold->classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classes; k++)
        fold->classes[k] = crd_i_dictionary_find(validation->classes, crd_classifier_class(fold->classifier, k));
    return CRD_OK;
}

/* Creates the classifier of all rows outside fold f, unless it exists. */
static crd_status fold_classify_derive(const crd_cross_validation *validation, uint32_t f, crd_error *error) {
    crd_i_fold *fold = &validation->folds[f];
    crd_settings *settings = NULL;
    if (fold->classifier != NULL) return CRD_OK;
    crd_status status = CRD_OK;
    if (fold->others == NULL)
        status = validation->cases == NULL
                     ? crd_cross_validation_model(validation, f, &fold->others, error)
                     : crd_i_cross_validation_unlabelled_model(validation, f, &fold->others, error);
    if (status == CRD_OK) fold->others->may_lack_pairs = validation->is_reused;
    if (status == CRD_OK && validation->is_reused) fold->others->held_out_posteriors = &fold->posteriors;
    if (status == CRD_OK) status = crd_settings_clone(validation->settings, &settings, error);
    if (status == CRD_OK) status = restrict_prior(validation, settings, fold->others, error);
    if (status == CRD_OK) status = crd_classifier_create(fold->others, settings, &fold->classifier, error);
    if (status == CRD_ERROR_EMPTY)
        crd_i_fail(error, CRD_ERROR_EMPTY, "one fold contains every row, so there are no other rows to learn from");
    if (status == CRD_OK) status = fold_classify_name_classes(validation, fold, error);
    if (status != CRD_OK) {
        crd_classifier_destroy(fold->classifier);
        fold->classifier = NULL;
    }
    crd_settings_destroy(settings);
    if (!validation->is_reused) {
        crd_model_destroy(fold->others);
        fold->others = NULL;
    }
    return status;
}

/* Copies the posterior of row `first` of a part to row `limit` of the result, and maps the classes. Other classes
 * keep probability 0. */
static void put_answer(const crd_posteriors *part, const crd_i_fold *fold, size_t first, size_t limit,
                       crd_posteriors *posteriors) {
    const double *logs = crd_posteriors_log(part, first);
    const double *probabilities = crd_posteriors_probabilities(part, first);
    crd_answer answer = *crd_posteriors_answer(part, first);
    for (size_t k = 0; k < part->classes; k++) {
        size_t index = limit * posteriors->classes + (size_t)fold->classes[k];
        posteriors->logs[index] = logs[k];
        posteriors->probabilities[index] = probabilities[k];
        if (!part->is_calibrated || !posteriors->is_calibrated) continue;
        posteriors->found_logs[index] = crd_posteriors_uncalibrated_log(part, first)[k];
        posteriors->result[index] = crd_posteriors_uncalibrated(part, first)[k];
    }
    if (answer.decision >= 0) answer.decision = fold->classes[answer.decision];
    posteriors->answers[limit] = answer;
}

/* Classifies the rows of a frame that belong to fold f. */
static crd_status classify_part(const crd_cross_validation *validation, const crd_frame *frame, size_t f,
                                crd_posteriors *part, crd_posteriors *posteriors, crd_error *error) {
    size_t first = validation->starts[f], count = validation->starts[f + 1] - first;
    const crd_i_fold *fold = &validation->folds[f];
    crd_frame *rows;
    if (count == 0) return CRD_OK;
    crd_status status = fold_classify_derive(validation, (uint32_t)f, error);
    if (status != CRD_OK) return status;
    status = crd_i_cross_validation_pick(frame, validation->rows + first, count, &rows, error);
    if (status != CRD_OK) return status;
    status = crd_classifier_classify(fold->classifier, rows, part, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        put_answer(part, fold, i, validation->rows[first + i], posteriors);
    crd_frame_destroy(rows);
    return status;
}

/* ---- All folds ---- */

/* Result of a thread. */
typedef struct classify_outcome {
    crd_status status;
    crd_error error;
    size_t fold; /* the fold that failed */
} classify_outcome;

typedef struct asking {
    const crd_cross_validation *validation;
    const crd_frame *frame;
    crd_posteriors *posteriors;
    classify_outcome *outcomes; /* one for each thread */
    atomic_size_t next;         /* the first fold that no thread has taken */
    atomic_bool has_failed;     /* the remaining folds need not be classified */
} asking;

/* Classifies folds until none is left. Runs in each thread; `member` is its index. Folds are taken in ascending
 * order, so all folds before a failed one were classified or failed, too. */
static void fold_classify_do_share(void *state, unsigned member) {
    asking *work = state;
    classify_outcome *outcome = &work->outcomes[member];
    while (!atomic_load(&work->has_failed)) {
        size_t f = atomic_fetch_add(&work->next, 1);
        if (f >= work->validation->fold_count) return;
        outcome->fold = f;
        outcome->status = crd_i_context_cancelled(work->validation->context)
                              ? crd_i_fail_cancelled(&outcome->error)
                              : classify_part(work->validation, work->frame, f, work->validation->parts[member],
                                              work->posteriors, &outcome->error);
        if (outcome->status == CRD_OK) continue;
        atomic_store(&work->has_failed, true);
        return;
    }
}

/* Returns the failure of the first fold that failed. So the error does not depend on the order of threads. */
static crd_status fold_classify_conclude(crd_cross_validation *validation, const asking *work, unsigned members,
                                         crd_error *error) {
    const classify_outcome *first = NULL;
    for (unsigned i = 0; i < members; i++) {
        const classify_outcome *one = &work->outcomes[i];
        if (one->status != CRD_OK && (first == NULL || one->fold < first->fold)) first = one;
    }
    if (first == NULL) return CRD_OK;
    validation->failed_fold = (uint32_t)first->fold;
    if (error != NULL) *error = first->error;
    return first->status;
}

/* Creates posteriors for `count` threads. Returns false if memory runs out. */
static bool fold_classify_open_parts(crd_cross_validation *validation, unsigned count) {
    crd_context *context = validation->context;
    if (count <= validation->part_count) return true;
    crd_posteriors **parts = crd_i_alloc_zeroed(context, count, sizeof *parts);
    if (parts == NULL) return false;
    for (unsigned i = 0; i < validation->part_count; i++) parts[i] = validation->parts[i];
    crd_free(context, validation->parts);
    validation->parts = parts;
    while (validation->part_count < count) {
        if (crd_posteriors_create(context, &parts[validation->part_count], NULL) != CRD_OK) return false;
        validation->part_count++;
    }
    return true;
}

/* Classifies the rows of all folds with several threads. */
static crd_status classify_parts(crd_cross_validation *validation, const crd_frame *frame, crd_posteriors *posteriors,
                                 crd_error *error) {
    crd_context *context = validation->context;
    unsigned members = validation->threads;
    if (members > validation->fold_count) members = validation->fold_count == 0 ? 1 : (unsigned)validation->fold_count;
    classify_outcome *outcomes = crd_i_alloc_zeroed(context, members, sizeof *outcomes);
    crd_status status = CRD_OK;
    if (outcomes == NULL || !fold_classify_open_parts(validation, members)) {
        status = crd_i_fail_memory(error);
    } else {
        asking work = {.validation = validation, .frame = frame, .posteriors = posteriors, .outcomes = outcomes};
        atomic_init(&work.next, 0);
        atomic_init(&work.has_failed, false);
        crd_i_thread_pool_run(context, members, fold_classify_do_share, &work);
        status = fold_classify_conclude(validation, &work, members, error);
    }
    crd_free(context, outcomes);
    return status;
}

crd_status crd_cross_validation_classify(crd_cross_validation *validation, const crd_frame *frame,
                                         const uint32_t *folds, crd_posteriors *posteriors, crd_error *error) {
    size_t most;
    crd_status status = crd_cross_validation_finish(validation, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_check(folds, frame->rows, validation->fold_count, &most, error);
    if (status == CRD_OK) status = crd_i_cross_validation_part(validation, frame->rows, folds, error);
    if (status != CRD_OK) return status;
    size_t classes = crd_i_dictionary_size(validation->classes);
    bool is_calibrated = validation->settings->calibration != CRD_I_CALIBRATION_NONE;
    if (!crd_i_posteriors_open(posteriors, frame->rows, classes) ||
        (is_calibrated && !crd_i_posteriors_open_found(posteriors, frame->rows)))
        return crd_i_fail_memory(error);
    const crd_answer none = {-1, 0, 0, -INFINITY};
    for (size_t row = 0; row < frame->rows; row++) posteriors->answers[row] = none;
    for (size_t i = 0; i < frame->rows * classes; i++) {
        posteriors->logs[i] = -INFINITY;
        posteriors->probabilities[i] = 0;
        if (is_calibrated) posteriors->found_logs[i] = -INFINITY;
        if (is_calibrated) posteriors->result[i] = 0;
    }
    status = classify_parts(validation, frame, posteriors, error);
    if (status == CRD_OK) posteriors->rows = frame->rows;
    return status;
}
