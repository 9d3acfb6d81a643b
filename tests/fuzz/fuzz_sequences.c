/* SPDX-License-Identifier: MIT */
/* fuzz_sequences.c - hostile bytes as a table of sequences: what they are does not depend on the sizes of blocks, of batches and of
 * memory, nor does whether they are any. Of several faults, another may be found first: those of cells are found block by block.
 *
 * Four bytes of choices come first: header and separator; what begins sequences, times, the target; the size of a small block; the
 * allocation that fails in a run of its own. The rest is the table. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4 };

typedef struct sequences_outcome {
    crd_status status;
    fuzz_digest digest;
} sequences_outcome;

/* How much is read at a time. */
typedef struct sequences_sizes {
    size_t block, batch, memory;
} sequences_sizes;

static crd_status digest_batch(const crd_sequences *batch, fuzz_digest *digest, crd_error *error) {
    crd_sequence_cursor *cursor = NULL;
    crd_status status = crd_sequence_cursor_create(batch, &cursor, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(batch); i++) {
        FUZZ_CHECK(crd_sequences_length(batch, i) > 0);
        fuzz_digest_text(digest, crd_sequences_id(batch, i));
        for (uint64_t step = 0; status == CRD_OK && step < crd_sequences_length(batch, i); step++) {
            status = crd_sequence_cursor_move(cursor, i, step, error);
            if (status != CRD_OK) break;
            for (size_t column = 0; column < crd_sequences_column_count(batch); column++)
                fuzz_digest_value(digest, crd_sequence_cursor_value(cursor, column));
            int32_t label = crd_sequence_cursor_label(cursor);
            uint64_t line = crd_sequence_cursor_line(cursor);
            fuzz_digest_bytes(digest, &label, sizeof label);
            fuzz_digest_bytes(digest, &line, sizeof line);
            fuzz_digest_text(digest, crd_sequence_cursor_cell(cursor, 0));
        }
    }
    crd_sequence_cursor_destroy(cursor);
    return status;
}

static crd_status read_all(crd_sequence_reader *sequences, fuzz_digest *digest, crd_error *error) {
    for (;;) {
        crd_sequences *batch = NULL;
        crd_status status = crd_sequence_reader_next(sequences, &batch, error);
        FUZZ_CHECK(status == CRD_OK || batch == NULL);
        if (batch == NULL) return status;
        status = digest_batch(batch, digest, error);
        crd_sequences_destroy(batch);
        if (status != CRD_OK) return status;
    }
}

static sequences_outcome read_table(const uint8_t *choices, const uint8_t *bytes, size_t length,
                                    sequences_sizes at_a_time, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_reader_options reader_options = CRD_READER_OPTIONS_INIT;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    reader_options.header = (crd_choice)(choices[0] % 3);
    reader_options.separator = (crd_separator)((choices[0] >> 2) % 6);
    reader_options.no_quotes = choices[0] >> 7;
    reader_options.keep_text = choices[1] & 1;
    reader_options.block_bytes = at_a_time.block;
    options.blank_lines = (choices[1] & 6) == 2;
    if ((choices[1] & 6) == 4) options.sequence = crd_text_of("first");
    if (choices[1] & 8) options.time = crd_text_of("2");
    if ((choices[1] & 24) == 24) options.step = 1e5;
    options.batch_rows = at_a_time.batch;
    options.memory_bytes = at_a_time.memory;
    sequences_outcome result = {CRD_OK, {0}};
    crd_error error = {.status = CRD_OK};
    crd_reader *reader = NULL;
    crd_sequence_reader *sequences = NULL;
    result.status = crd_reader_open_memory(context, bytes, length, "table", &reader_options, &reader, &error);
    if (result.status == CRD_OK && choices[1] & 32)
        result.status = crd_reader_select_target(reader, crd_text_of("last"), &error);
    if (result.status == CRD_OK) result.status = crd_sequence_reader_create(reader, &options, &sequences, &error);
    if (result.status == CRD_OK) result.status = read_all(sequences, &result.digest, &error);
    FUZZ_CHECK(error.status == result.status || result.status == CRD_OK);
    crd_sequence_reader_destroy(sequences);
    crd_reader_close(reader);
    fuzz_context_end(context, &accounts);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < CHOICES) return 0;
    const uint8_t *choices = bytes;
    const sequences_sizes usual = {0, 0, 0}, small = {1 + choices[2] % 67u, 1 + choices[2] % 5u, 1};
    bytes += CHOICES, length -= CHOICES;
    sequences_outcome whole = read_table(choices, bytes, length, usual, 0),
                      cut = read_table(choices, bytes, length, small, 0);
    FUZZ_CHECK((whole.status == CRD_OK) == (cut.status == CRD_OK));
    if (whole.status == CRD_OK) FUZZ_CHECK(whole.digest.state == cut.digest.state);
    if (choices[3] != 0) (void)read_table(choices, bytes, length, small, choices[3]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const tables[] = {
        "id,t,x,y\na,1,2,p\na,2,,q\nb,1,5,p\n",
        "id,t,x,y\na,3,2,p\nb,2,,q\na,1,five,p\n",
        "a,2024-01-02,1\na,2024-01-01,2\nb,2024-03-01,3\n",
        "a,1/2/2024,1\na,13/1/2024,2\n",
        "\"\tP\n#\tQ\n\n  \na\tP\n",
        "w t\r\n\r\n\r\nv t\r\nu t",
        "a,1\nb,2\na,3\n",
        "a,1,1\na,1,2\n",
        ",1\n",
        "\n\n",
        "{\"id\":1,\"t\":2}\n{\"id\":1,\"t\":1,\"z\":\"w\"}\n",
        "@relation r\n@attribute i string\n@attribute t numeric\n@data\na,2\na,1e9\n\n{1 4}\n",
    };
    static const unsigned char choices[][CHOICES] = {{0, 4, 3, 0},           {0, 1 | 4 | 8, 7, 40},
                                                     {2, 2, 2, 0},           {2 | 3 << 2 | 128, 1 | 2 | 32, 5, 90},
                                                     {0, 4 | 24 | 32, 0, 0}, {2, 8, 9, 0}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (size_t j = 0; j < sizeof choices / sizeof *choices; j++) {
            unsigned char input[256];
            size_t length = strlen(tables[i]);
            memcpy(input, choices[j], CHOICES);
            memcpy(input + CHOICES, tables[i], length);
            emit(user, input, CHOICES + length);
        }
}
