/* SPDX-License-Identifier: MIT */
/* merge_models.c - models of parts of a table: each part can be learned by another thread, process or machine. The
 * merged model has the same bytes as a model of all rows.
 *
 *   cc merge_models.c -o merge_models $(pkg-config --cflags --libs credence)
 *   ./merge_models iris.csv species */
#include <credence/data.h>
#include <stdio.h>
#include <string.h>

/* The canonical bytes of a model. Free them with crd_free. */
typedef struct model_bytes {
    unsigned char *bytes;
    size_t length;
} model_bytes;

/* Trains a model on shard `shard` of `count`. All rows are shard 1 of 1. */
static crd_status train_shard(crd_context *context, char **argv, unsigned shard, unsigned count, crd_model **out,
                              crd_error *error) {
    const char *table = argv[1];
    crd_reader *reader = NULL;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.shard = shard;
    options.shard_count = count;
    crd_status status = crd_reader_open(context, &table, 1, &options, &reader, error);
    if (!status) status = crd_reader_select_target(reader, crd_text_of(argv[2]), error);
    if (!status) status = crd_model_train(context, reader, NULL, out, NULL, error);
    crd_reader_close(reader); /* the model needs neither the reader nor the file */
    return status;
}

static int are_equal(model_bytes a, model_bytes b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: merge_models TABLE TARGET\n"), 2;
    crd_error error = {0};
    crd_context *context = NULL;
    crd_model *whole = NULL, *parts[3] = {NULL, NULL, NULL}, *merged = NULL;
    model_bytes whole_file = {NULL, 0}, shard_file = {NULL, 0}, merged_file = {NULL, 0};
    int failed = 1;

    if (crd_context_create(NULL, &context)) goto done;
    if (train_shard(context, argv, 1, 1, &whole, &error)) goto done;
    if (crd_model_encode(whole, &whole_file.bytes, &whole_file.length, &error)) goto done;

    /* Bytes can be sent to another process. Merging in any order gives the same model. */
    for (unsigned i = 0; i < 3; i++)
        if (train_shard(context, argv, i + 1, 3, &parts[i], &error)) goto done;
    if (crd_model_encode(parts[2], &shard_file.bytes, &shard_file.length, &error)) goto done;
    if (crd_model_decode(context, shard_file.bytes, shard_file.length, &merged, &error)) goto done;
    if (crd_model_merge(merged, parts[0], &error)) goto done;

    /* A shard is never counted twice. A failing call leaves the model unchanged. */
    crd_status status = crd_model_merge(merged, parts[0], &error);
    printf("shard 1 again: %s\n", crd_status_name(status));

    if (crd_model_merge(merged, parts[1], &error)) goto done;
    if (crd_model_encode(merged, &merged_file.bytes, &merged_file.length, &error)) goto done;
    printf("all shards: %s\n", are_equal(whole_file, merged_file) ? "equal to the model of all rows" : "different");
    failed = 0;
done:
    if (failed) fprintf(stderr, "merge_models: %s\n", error.status ? error.message : "out of memory");
    if (context) {
        crd_free(context, whole_file.bytes), crd_free(context, shard_file.bytes);
        crd_free(context, merged_file.bytes);
    }
    for (size_t i = 0; i < 3; i++) crd_model_destroy(parts[i]);
    crd_model_destroy(whole), crd_model_destroy(merged);
    crd_context_destroy(context);
    return failed;
}
