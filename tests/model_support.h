/* SPDX-License-Identifier: MIT */
/* model_support.h - tables, models and their bytes in tests, in a context whose allocations are counted. */
#ifndef MODEL_SUPPORT_H
#define MODEL_SUPPORT_H

#include "failing_allocations.h"

#include "stats/joint_tally.h"
#include "table/frame.h"
#include "table/read/reader.h"

#include <credence/all.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The address of a query of a network: findings, their number, nodes, their number, options. */
#define NETWORK_QUERY(...) (&(crd_network_query){sizeof(crd_network_query), __VA_ARGS__})

/* Fails the test with the message of an error. */
#define assert_done(call, error)                                                                                       \
    do {                                                                                                               \
        crd_status done_status = (call);                                                                               \
        if (done_status != CRD_OK) fail_msg("%s: %s: %s", #call, crd_status_name(done_status), (error).message);       \
    } while (0)

#define assert_near(got, wanted, slack)                                                                                \
    do {                                                                                                               \
        double near_got = (got), near_wanted = (wanted);                                                               \
        if (!(fabs(near_got - near_wanted) <= (slack)))                                                                \
            fail_msg("%s is %.17g and should be %.17g", #got, near_got, near_wanted);                                  \
    } while (0)

static inline crd_status open_text(crd_context *context, const char *text, size_t length, const char *target,
                                   crd_reader **out, crd_error *error) {
    crd_i_source *source;
    crd_status status = crd_i_source_memory(context, text, length, true, &source, error);
    if (status != CRD_OK) return status;
    status = crd_i_reader_open_source(context, source, "table", NULL, out, error);
    if (status != CRD_OK || target == NULL) return status;
    for (size_t i = 0; i < crd_reader_column_count(*out); i++)
        if (crd_text_equal(crd_reader_column_name(*out, i), crd_text_of(target))) {
            status = crd_reader_set_target(*out, i, error);
            if (status == CRD_OK) return CRD_OK;
        }
    crd_reader_close(*out);
    *out = NULL;
    return CRD_ERROR_COLUMN;
}

/* Everything that can be kept of all attributes together, for crd_model_keep. */
typedef struct joint_tally_names {
    char text[128];
} joint_tally_names;

static inline joint_tally_names every_joint_tally(void) {
    joint_tally_names names = {""};
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        size_t length = strlen(names.text);
        snprintf(names.text + length, sizeof names.text - length, "%s%s", i == 0 ? "" : ",",
                 crd_i_joint_tally_type_at(i)->name);
    }
    return names;
}

/* Keeps further tallies; NULL: none. */
static inline crd_status train_keeping(crd_context *context, const char *text, const char *target, const char *kept,
                                       crd_model **out, crd_error *error) {
    crd_reader *reader;
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), target, &reader, error);
    if (status != CRD_OK) return status;
    status = kept == NULL ? crd_model_train(context, reader, NULL, out, NULL, error)
                          : crd_model_train_keeping(context, reader, NULL, crd_text_of(kept), out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static inline crd_status train_text(crd_context *context, const char *text, const char *target, crd_model **out,
                                    crd_error *error) {
    return train_keeping(context, text, target, NULL, out, error);
}

static inline crd_model *trained_keeping(crd_context *context, const char *text, const char *target, const char *kept) {
    crd_model *model;
    crd_error error;
    assert_done(train_keeping(context, text, target, kept, &model, &error), error);
    return model;
}

static inline crd_model *trained(crd_context *context, const char *text, const char *target) {
    return trained_keeping(context, text, target, NULL);
}

/* "name=value" pairs, ended by NULL, over the defaults. */
static inline crd_classifier *classifier_with(const crd_model *model, crd_context *context, const char *const *pairs) {
    crd_settings *settings;
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
    crd_settings_destroy(settings);
    return classifier;
}
#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline crd_value text_value(const char *text) {
    crd_value value = {CRD_TYPE_CATEGORICAL, 0, crd_text_of(text)};
    return value;
}

static inline crd_value number_value(double number) {
    crd_value value = {CRD_TYPE_NUMERIC, number, {NULL, 0}};
    return value;
}

static inline crd_value missing_value(void) {
    crd_value value = {CRD_TYPE_NONE, 0, {NULL, 0}};
    return value;
}

/* The bytes of a model. */
typedef struct model_bytes {
    crd_context *context;
    unsigned char *bytes;
    size_t length;
} model_bytes;

static inline model_bytes bytes_of(const crd_model *model, crd_context *context) {
    model_bytes result = {context, NULL, 0};
    crd_error error;
    assert_done(crd_model_encode(model, &result.bytes, &result.length, &error), error);
    return result;
}

static inline void free_bytes(model_bytes bytes) {
    crd_free(bytes.context, bytes.bytes);
}

static inline void assert_same_bytes(model_bytes a, model_bytes b) {
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.bytes, b.bytes, a.length);
}

static inline char *file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    assert_true(length > 0);
    fclose(file);
    return text;
}

#endif
