/* SPDX-License-Identifier: MIT */
/* Each allocation of weighing and combining models fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char first[] = "size,color,kind\n1.5,red,apple\n?,green,pear\n2,red,apple\n7,\"a,b\",pear\n2,?,pear\n";
static const char second[] = "color,kind,age\nred,apple,1s\ngreen,fig,2s\n?,pear,1s\n";
static const char colors[] = "color,kind\nred,apple\ngreen,fig\n?,pear\n";

typedef struct combine_objects {
    crd_model *models[3], *whole, *again;
    crd_hypotheses *mixed, *closed;
    crd_classifier *classifier;
    crd_summary *summary;
    crd_reader *readers[2];
    crd_context *context;
    unsigned char *bytes;
} combine_objects;

static void destroy(combine_objects *objects) {
    for (size_t i = 0; i < 3; i++) crd_model_destroy(objects->models[i]);
    for (size_t i = 0; i < 2; i++)
        if (objects->readers[i] != NULL) crd_reader_close(objects->readers[i]);
    crd_model_destroy(objects->whole);
    crd_model_destroy(objects->again);
    crd_hypotheses_destroy(objects->mixed);
    crd_hypotheses_destroy(objects->closed);
    crd_classifier_destroy(objects->classifier);
    crd_summary_destroy(objects->summary);
    crd_free(objects->context, objects->bytes);
}

static crd_status weigh_classes(combine_objects *objects, crd_error *error) {
    crd_context *context = objects->context;
    crd_status status = crd_hypotheses_create(context, &objects->mixed, error);
    for (size_t i = 0; status == CRD_OK && i < 2; i++)
        status = crd_hypotheses_add(objects->mixed, crd_text_of("name"), objects->models[i], 1, error);
    if (status == CRD_OK) status = open_text(context, first, strlen(first), NULL, &objects->readers[0], error);
    if (status == CRD_OK)
        status = crd_hypotheses_weigh(objects->mixed, objects->readers[0], CRD_LIKELIHOOD_CLASSES, error);
    return status;
}

static crd_status weigh_rows(combine_objects *objects, crd_error *error) {
    crd_context *context = objects->context;
    crd_status status = crd_hypotheses_create(context, &objects->closed, error);
    if (status == CRD_OK)
        status = crd_hypotheses_add(objects->closed, crd_text_of("name"), objects->models[2], 1, error);
    if (status == CRD_OK) status = open_text(context, colors, strlen(colors), NULL, &objects->readers[1], error);
    if (status == CRD_OK)
        status = crd_hypotheses_weigh(objects->closed, objects->readers[1], CRD_LIKELIHOOD_CLOSED, error);
    return status;
}

static crd_status whole_life(combine_objects *objects, crd_error *error) {
    crd_context *context = objects->context;
    size_t length;
    crd_status status = train_text(context, first, "kind", &objects->models[0], error);
    if (status == CRD_OK) status = train_text(context, second, "kind", &objects->models[1], error);
    if (status == CRD_OK) status = train_text(context, colors, "kind", &objects->models[2], error);
    if (status == CRD_OK) status = weigh_classes(objects, error);
    if (status == CRD_OK) status = weigh_rows(objects, error);
    if (status == CRD_OK) status = crd_hypotheses_combine(objects->mixed, CRD_COMBINE_GIBBS, 1, &objects->whole, error);
    if (status == CRD_OK) status = crd_model_encode(objects->whole, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, objects->bytes, length, &objects->again, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->again, NULL, &objects->classifier, error);
    if (status == CRD_OK) status = crd_summary_create(objects->again, &objects->summary, error);
    return status;
}

static void every_allocation_of_combining(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        combine_objects objects = {0};
        objects.context = trial.context;
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, &error), CRD_OK, error);
        destroy(&objects);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_combining)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
