/* SPDX-License-Identifier: MIT */
/* probe.c - one line about a table or a network that must be the same on every machine: the bytes of the model that a
 * table gives and every posterior of its rows, or every posterior of a network's nodes with a draw of its states, each
 * as a checksum. scripts/machines builds it for several and compares.
 *
 * Usage: probe TABLE TARGET [SETTING=VALUE...], or probe NETWORK. */
#include "base/buffer.h"
#include "base/error.h"
#include "input/source.h"
#include "io/section.h"

#include <credence/all.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The decompressors are left out: their libraries may not be there for the other machine. */
crd_status crd_i_gzip_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    (void)context, (void)inner;
    *out = NULL;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "compressed input is not read here");
}

crd_status crd_i_zstd_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    return crd_i_gzip_wrap(context, inner, out, error);
}

static crd_status open_table(crd_context *context, const char *path, crd_reader **out, crd_error *error) {
    return crd_reader_open(context, &path, 1, NULL, out, error);
}

/* `words` are NAME=VALUE. */
static crd_status read_settings(crd_context *context, char **words, int count, crd_settings **out, crd_error *error) {
    crd_status status = crd_settings_create(context, out, error);
    for (int i = 0; status == CRD_OK && i < count; i++) {
        char *equals = strchr(words[i], '=');
        if (equals == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a setting is NAME=VALUE");
        *equals = '\0';
        status = crd_settings_set(*out, words[i], crd_text_of(equals + 1), error);
        *equals = '=';
    }
    return status;
}

static crd_status train(crd_context *context, const char *path, const char *target, const crd_settings *settings,
                        crd_model **out, crd_error *error) {
    crd_reader *reader = NULL;
    size_t *columns = NULL, count = 0;
    crd_status status = open_table(context, path, &reader, error);
    if (status == CRD_OK) {
        columns = malloc(crd_reader_column_count(reader) * sizeof *columns);
        status =
            columns == NULL ? CRD_ERROR_MEMORY : crd_reader_select(reader, crd_text_of(target), columns, &count, error);
    }
    if (status == CRD_OK) status = crd_reader_set_target(reader, columns[0], error);
    if (status == CRD_OK) status = crd_model_train(context, reader, settings, out, NULL, error);
    free(columns);
    crd_reader_close(reader);
    return status;
}

/* Every log posterior of a frame, in digits that read back to the same bits. */
static crd_status write_posteriors(const crd_classifier *classifier, const crd_posteriors *posteriors,
                                   crd_i_buffer *digits) {
    for (size_t row = 0; row < crd_posteriors_rows(posteriors); row++)
        for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
            char text[CRD_NUMBER_ROOM];
            size_t length = crd_number_format(crd_posteriors_log(posteriors, row)[k], text);
            if (!crd_i_buffer_append(digits, text, length)) return CRD_ERROR_MEMORY;
        }
    return CRD_OK;
}

static crd_status classify(crd_context *context, const char *path, const crd_model *model, crd_i_buffer *digits,
                           crd_error *error) {
    crd_reader *reader = NULL;
    crd_classifier *classifier = NULL;
    crd_posteriors *posteriors = NULL;
    const crd_frame *frame = NULL;
    crd_status status = open_table(context, path, &reader, error);
    if (status == CRD_OK) status = crd_model_bind(model, reader, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &classifier, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &posteriors, error);
    while (status == CRD_OK) {
        status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = crd_classifier_classify(classifier, frame, posteriors, error);
        if (status == CRD_OK) status = write_posteriors(classifier, posteriors, digits);
    }
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_reader_close(reader);
    return status;
}

static unsigned long checksum(const crd_i_buffer *digits) {
    return (unsigned long)crd_i_checksum(digits->bytes, digits->length);
}

static crd_status probe_table(crd_context *context, char **words, int count, crd_error *error) {
    crd_settings *settings = NULL;
    crd_model *model = NULL;
    crd_i_buffer digits = {context, NULL, 0, 0};
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = read_settings(context, words + 2, count - 2, &settings, error);
    if (status == CRD_OK) status = train(context, words[0], words[1], settings, &model, error);
    if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, error);
    if (status == CRD_OK) status = classify(context, words[0], model, &digits, error);
    if (status == CRD_OK) {
        for (int i = 0; i < count; i++) printf("%s ", words[i]);
        printf("model %zu bytes %08lx, posteriors %zu bytes %08lx\n", length,
               (unsigned long)crd_i_checksum(bytes, length), digits.length, checksum(&digits));
    }
    crd_i_buffer_clear(&digits);
    crd_free(context, bytes);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    return status;
}

/* The posterior of a node without evidence, exact or estimated; a node that is no chance node has none. */
static crd_status write_node(const crd_network *network, size_t node, const crd_inference_options *options,
                             crd_i_buffer *digits, crd_error *error) {
    size_t states = crd_network_state_count(network, node);
    if (crd_network_node_kind(network, node) != CRD_NODE_CHANCE) return CRD_OK;
    double *posterior = malloc(states * sizeof *posterior);
    crd_status status = posterior == NULL
                            ? CRD_ERROR_MEMORY
                            : crd_network_posteriors(
                                  network, &(crd_network_query){sizeof(crd_network_query), NULL, 0, &node, 1, options},
                                  posterior, NULL, NULL, error);
    for (size_t k = 0; status == CRD_OK && k < states; k++) {
        char text[CRD_NUMBER_ROOM];
        if (!crd_i_buffer_append(digits, text, crd_number_format(posterior[k], text))) status = CRD_ERROR_MEMORY;
    }
    free(posterior);
    return status;
}

static crd_status probe_network(crd_context *context, const char *path, crd_error *error) {
    crd_network *network = NULL;
    crd_i_buffer exact = {context, NULL, 0, 0}, estimated = {context, NULL, 0, 0};
    crd_inference_options always = CRD_INFERENCE_OPTIONS_INIT;
    always.is_always_approximate = 1;
    crd_status status = crd_network_load(context, path, CRD_NETWORK_FORMAT_ANY, &network, error);
    for (size_t node = 0; status == CRD_OK && node < crd_network_node_count(network); node++) {
        status = write_node(network, node, NULL, &exact, error);
        if (status == CRD_OK) status = write_node(network, node, &always, &estimated, error);
    }
    if (status == CRD_OK)
        printf("%s exact %zu bytes %08lx, estimated %zu bytes %08lx\n", path, exact.length, checksum(&exact),
               estimated.length, checksum(&estimated));
    crd_i_buffer_clear(&exact);
    crd_i_buffer_clear(&estimated);
    crd_network_destroy(network);
    return status;
}

int main(int argc, char **argv) {
    crd_context *context = NULL;
    crd_error error = {.message = "out of memory"};
    if (argc < 2 || crd_context_create(NULL, &context) != CRD_OK) return 2;
    crd_status status =
        argc == 2 ? probe_network(context, argv[1], &error) : probe_table(context, argv + 1, argc - 1, &error);
    if (status != CRD_OK) fprintf(stderr, "probe: %s: %s\n", argv[1], error.message);
    crd_context_destroy(context);
    return status == CRD_OK ? 0 : 1;
}
