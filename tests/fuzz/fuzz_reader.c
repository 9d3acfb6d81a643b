/* SPDX-License-Identifier: MIT */
/* reader.c - hostile bytes as a table in any format: the rows, or the error and its place, do not depend on how the
 * bytes are cut, nor on how many lanes read them.
 *
 * Four bytes of choices come first: header, and the separator or format; options and kinds; the size of a small block,
 * and whether lanes read it, too; the allocation that fails in a run of its own. The rest is the table. */
#include "fuzz.h"

#include "table/read/reader_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4, LANES = 3 };

typedef struct reader_outcome {
    crd_status status;
    uint64_t line, rows;
    fuzz_digest digest, fault; /* of the rows; of what the error says */
    fuzz_digest bad;           /* of rows that were left out */
} reader_outcome;

static int leave_out(void *user, const crd_error *fault, crd_text row) {
    reader_outcome *result = user;
    if (fault == NULL) {
        result->bad.state = 0;
        return 1;
    }
    fuzz_digest_bytes(&result->bad, &fault->line, sizeof fault->line);
    fuzz_digest_text(&result->bad, crd_text_of(fault->message));
    fuzz_digest_text(&result->bad, row);
    return 1;
}

static void digest_frame(reader_outcome *result, crd_reader *reader, const crd_worker *worker, const crd_frame *frame,
                         bool keep_text) {
    size_t columns = crd_frame_column_count(frame);
    for (size_t row = 0; row < crd_frame_rows(frame); row++, result->rows++) {
        uint64_t line = worker == NULL ? crd_reader_line(reader, row) : crd_i_worker_line(worker, row);
        fuzz_digest_bytes(&result->digest, &line, sizeof line);
        for (size_t i = 0; i < columns; i++) fuzz_digest_value(&result->digest, crd_frame_value(frame, row, i));
        if (!keep_text) continue;
        for (size_t i = 0; i < crd_reader_column_count(reader); i++) {
            crd_text text = worker == NULL ? crd_i_reader_cell(reader, row, i) : crd_worker_cell(worker, row, i);
            fuzz_digest_text(&result->digest, text);
        }
    }
}

static crd_status choose(crd_reader *reader, const uint8_t *choices, crd_error *error) {
    size_t columns = crd_reader_column_count(reader);
    if (columns == 0) return CRD_OK;
    crd_status status = CRD_OK;
    if (choices[1] & 4) status = crd_reader_set_target(reader, columns - 1, error);
    crd_column_type type = (choices[1] & 24) == 24 ? CRD_TYPE_TEXT : CRD_TYPE_CATEGORICAL;
    if (status == CRD_OK && choices[1] & 8) status = crd_reader_set_column_type(reader, 0, type, error);
    if (status == CRD_OK && choices[1] & 16)
        status = crd_reader_set_column_type(reader, columns / 2, CRD_TYPE_NUMERIC, error);
    if (status == CRD_OK && choices[1] & 32) status = crd_reader_ignore(reader, columns / 3, error);
    if (status == CRD_OK && (choices[1] & 40) == 40) status = crd_reader_detect_column_formats(reader, 1, error);
    return status;
}

static void read_rows(crd_reader *reader, bool keep_text, reader_outcome *result, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        result->status = crd_reader_next(reader, &frame, error);
        FUZZ_CHECK(result->status == CRD_OK || frame == NULL);
        if (frame == NULL) return;
        digest_frame(result, reader, NULL, frame, keep_text);
    }
}

/* A lane in a thread of its own; who has the turn writes the result. */
typedef struct reader_strand {
    crd_reader *reader;
    crd_worker *worker;
    reader_outcome *result;
    bool keep_text;
    crd_status status;
    crd_error error;
} reader_strand;

static void *read_strand(void *argument) {
    reader_strand *strand = argument;
    for (;;) {
        const crd_frame *frame = NULL;
        strand->status = crd_i_worker_next(strand->worker, &frame, &strand->error);
        FUZZ_CHECK(strand->status == CRD_OK || frame == NULL);
        if (frame == NULL) return NULL;
        if (crd_i_worker_wait_turn(strand->worker))
            digest_frame(strand->result, strand->reader, strand->worker, frame, strand->keep_text);
    }
}

/* All lanes end alike. */
static crd_status pass(crd_reader *reader, bool keep_text, reader_outcome *result, crd_error *error) {
    reader_strand strands[LANES];
    crd_worker *lanes[LANES];
    pthread_t threads[LANES];
    crd_status status = crd_i_reader_make_workers(reader, LANES, lanes, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < LANES; i++) {
        strands[i] = (reader_strand){.reader = reader, .worker = lanes[i], .result = result, .keep_text = keep_text};
        FUZZ_CHECK(pthread_create(&threads[i], NULL, read_strand, &strands[i]) == 0);
    }
    for (size_t i = 0; i < LANES; i++) FUZZ_CHECK(pthread_join(threads[i], NULL) == 0);
    for (size_t i = 1; i < LANES; i++) {
        FUZZ_CHECK(strands[i].status == strands[0].status);
        FUZZ_CHECK(strands[i].error.line == strands[0].error.line);
        FUZZ_CHECK(strcmp(strands[i].error.message, strands[0].error.message) == 0);
    }
    *error = strands[0].error;
    return strands[0].status;
}

static void read_lanes(crd_reader *reader, bool keep_text, reader_outcome *result, crd_error *error) {
    while ((result->status = pass(reader, keep_text, result, error)) == CRD_I_READ_AGAIN) {
        result->rows = 0;
        result->digest.state = 0;
        result->status = crd_reader_begin_again(reader, error);
        if (result->status != CRD_OK) return;
    }
}

static reader_outcome read_table(const uint8_t *choices, const uint8_t *bytes, size_t length, size_t block,
                                 bool by_lanes, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header = (crd_choice)((choices[0] & 7) % 3);
    /* What separates fields, then the other formats, decimal commas, and other dialects; else what the bytes show. */
    unsigned shape = choices[0] >> 3;
    static const char bytes_between[] = {'|', '~', 'e', '1', '\'', '\x01'};
    if (shape < 5) options.separator = (crd_separator)shape;
    else if (shape == 5) options.format = CRD_FORMAT_ARFF;
    else if (shape == 6) options.format = CRD_FORMAT_JSON_LINES;
    else if (shape == 7) options.decimal = ',';
    else if (shape < 8 + sizeof bytes_between) {
        options.separator = CRD_SEPARATOR_OTHER;
        options.separator_byte = bytes_between[shape - 8];
    } else if (shape == 15) options.separator = CRD_SEPARATOR_BLANK, options.quote = '\'';
    else if (shape == 16) options.quote = '\'';
    else if (shape == 17) options.no_quotes = 1;
    else if (shape == 18) options.encoding = "utf-16le";
    else if (shape == 19) options.encoding = "cp1252";
    else if (shape == 20) options.encoding = "bytes";
    else if (shape == 21) options.format = CRD_FORMAT_JSON;
    else if (shape == 22) options.separator = CRD_SEPARATOR_COMMA;
    else if (shape == 23) options.separator = CRD_SEPARATOR_BLANK, options.quote = '\'';
    else if (shape == 24) options.format = CRD_FORMAT_JSON_LINES;
    options.keep_text = choices[1] & 1;
    options.max_categories = choices[1] & 64 ? 5 : 0;
    options.block_bytes = block;
    crd_text missing[2] = {crd_text_of("x"), crd_text_of("")};
    if (choices[1] & 128) {
        options.missing = missing;
        options.missing_count = 2;
    }

    reader_outcome result = {CRD_OK, 0, 0, {0}, {0}, {0}};
    if (shape >= 22 && shape <= 25) {
        options.bad_row = leave_out;
        options.bad_row_user = &result;
    }
    crd_error error = {0};
    crd_i_source *source = NULL;
    crd_reader *reader = NULL;
    result.status = crd_i_source_memory(context, bytes, length, (choices[1] & 2) == 0, &source, &error);
    if (result.status == CRD_OK)
        result.status = crd_i_reader_open_source(context, source, "table", &options, &reader, &error);
    FUZZ_CHECK((result.status == CRD_OK) == (reader != NULL));
    if (result.status == CRD_OK) result.status = choose(reader, choices, &error);
    if (result.status == CRD_OK) (by_lanes ? read_lanes : read_rows)(reader, options.keep_text, &result, &error);
    if (result.status == CRD_OK) {
        for (size_t i = 0; i < crd_reader_column_count(reader); i++)
            fuzz_digest_text(&result.digest, crd_reader_column_name(reader, i));
    } else {
        FUZZ_CHECK(error.status == result.status && error.message[0] != '\0');
        result.line = error.line;
        fuzz_digest_bytes(&result.fault, &error.field, sizeof error.field);
        fuzz_digest_text(&result.fault, crd_text_of(error.message));
    }
    crd_reader_close(reader);
    fuzz_context_end(context, &accounts);
    return result;
}

static bool is_about_kind(crd_status status) {
    return status == CRD_ERROR_TYPE || status == CRD_ERROR_NUMBER;
}

static void check_same(const reader_outcome *one, const reader_outcome *other) {
    FUZZ_CHECK(one->status == other->status);
    FUZZ_CHECK(one->line == other->line);
    FUZZ_CHECK(one->fault.state == other->fault.state);
    if (one->status == CRD_OK) FUZZ_CHECK(one->rows == other->rows && one->digest.state == other->digest.state);
    if (one->status == CRD_OK) FUZZ_CHECK(one->bad.state == other->bad.state);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < CHOICES) return 0;
    const uint8_t *choices = bytes;
    bytes += CHOICES, length -= CHOICES;
    size_t block = 1 + (choices[2] & 127u) % 67;
    reader_outcome whole = read_table(choices, bytes, length, 0, false, 0);
    reader_outcome cut = read_table(choices, bytes, length, block, false, 0);
    /* What cannot be read again fails where a column turns into a category after a frame, or has an infinite cell in
     * one that shows no category: larger frames may see that in time. */
    bool may_differ = choices[1] & 2 && (is_about_kind(whole.status) || is_about_kind(cut.status));
    if (!may_differ) check_same(&whole, &cut);
    if (choices[3] != 0) (void)read_table(choices, bytes, length, 0, false, choices[3]);
    if ((choices[2] & 128) == 0) return 0;
    reader_outcome shared = read_table(choices, bytes, length, block, true, 0);
    /* The limit of categories is each lane's own. */
    if (cut.status != CRD_ERROR_LIMIT) check_same(&cut, &shared);
    if (choices[3] != 0) (void)read_table(choices, bytes, length, block, true, choices[3]);
    return 0;
}

/* So many columns that rows in braces are kept as they stand. */
static void emit_wide(fuzz_emit emit, void *user, const unsigned char *choices) {
    enum { WIDTH = 70, LINE = 32 };
    static const char rows[] = "{}\n{3 1.5, 64 x}\n{0 -1e308,1 y,69 ?}\n%\n{2 'a b'}\n{68 2}\n{1 x, 1 y}\n";
    static const char *const types[] = {"real", "{x,y}", "string"};
    unsigned char input[CHOICES + WIDTH * LINE + sizeof rows];
    size_t used = CHOICES;
    memcpy(input, choices, CHOICES);
    used += (size_t)sprintf((char *)input + used, "@relation r\n");
    for (int i = 0; i < WIDTH; i++)
        used += (size_t)sprintf((char *)input + used, "@attribute a%d %s\n", i, types[i % 3]);
    used += (size_t)sprintf((char *)input + used, "@data\n%s", rows);
    emit(user, input, used);
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const tables[] = {
        "a,b,c\n1,2,x\n3,,y\n?,5,z\n",
        "Outlook,Play\r\nSunny,No\r\nRain,Yes\r\n",
        "\xef\xbb\xbfname;value\n\"a;b\";1\n\"say \"\"hi\"\"\";2\n\"two\nlines\";3\n",
        "x\ty\n1\t2\n 3 \t 4\n",
        "  1.5   2.5  1\n 3 4 2 \r\n5 6 10",
        "0.1 0.2 one\n0.3 0.4 two",
        "1,2,3\n4,5,6\n",
        "n,doors\n1,2\n2,3\n3,4\n4,5more\n5,\n",
        "a,b\n1\n",
        "a,b\n1,2,3\n",
        "a,b\n\"unclosed,2\n",
        "a,b\n1,\"x\n2,\"y\"\n3,\"p\nq\"\n4\n5,\xff\n6,inf\n7,\"u\"v\n",
        "[{\"a\": 1, \"b\": \"]}\\\"\"},\n {\n \"a\": tru\n},{\"b\": \"x\"}]\n",
        "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n",
        "caf\xe9,n\nz\xfcrich,1\n\x81,2\n",
        "a,b\n1,inf\n1,1e999\n",
        "a,b\n1.7976931348623157e308,-1.7976931348623157e308\n-1e308,17976931348623157e292\n8.98846567431158e307,x\n",
        "{\"a\": 1.7976931348623157e308, \"b\": -1e308}\n{\"a\": -1.7e308}\n",
        "@relation r\n@attribute n real\n@attribute k {1e308,-1e308}\n@data\n1.7e308,1e308\n{0 -1.7e308, 1 -1e308}\n",
        "a,a\n1,2\n",
        "a,b\n",
        "a",
        "",
        "\n\n\n",
        ",,\n,,\n",
        "a,b\nNaN,null\nNA,?\n",
        "a,\"b\nc\",d\n1,2,3\n",
        ("% c\n@relation r\n@attribute n numeric\n@attribute k {a,'b c',\"d\"}\n@attribute s "
         "string\n@data\n1,a,x\n?,'b "
         "c',\"y\\n\"\n"),
        "@relation r\n@attribute n real\n@attribute k {a,b}\n@data\n{0 1, 1 b}\n{}\n{1 ?}\n2,a,{3}\n",
        "@relation r\n@attribute d date 'y'\n@attribute b relational\n@attribute x real\n@end b\n@data\n'1','2'\n",
        "@relation r\n@attribute k {a,b}\n@data\nc\n",
        "{\"a\": 1, \"b\": \"x\", \"c\": null}\n{\"b\": \"\\u00e9\\ud83d\\ude00\", \"z\": 2}\n{\"a\": \"1\"}\n",
        "{\"a\": true}\n{\"a\": [1]}\n",
        "{\"a\": 1, \"a\": 2}\n",
        "a;b\n1,5;x\n2.5;y\n",
        "sep=|\na|b|a\n1|'x|''y'|\n2|\"|3\n",
        "\"x y\" z\n\"1\" 5 'a b'\n\"2\" 6 \"c\"\"d\"\n",
        "a|b, c|\n1|2|3\n4|5,6|7\n",
        "x,y\n1,5,a\n2,6,\"b\nc\"\n",
        "a~,,c2\n1~2,3,4\n",
        "a,b\n1,\"x \"\"y\"\"\"\n2,\"\"\n,\"\"\"\"\n\"3\",\"two\nlines\"\n4,late\nlate,\"z\"\n",
    };
    static const unsigned char choices[][CHOICES] = {{0, 0, 0, 0},
                                                     {0, 1 | 4, 3, 9},
                                                     {1, 2, 16, 0},
                                                     {7 << 3, 0, 5, 0},
                                                     {0, 1, 128 | 6, 0},
                                                     {0, 1, 128 | 11, 77},
                                                     {8 << 3, 1, 9, 0},
                                                     {9 << 3, 0, 3, 0},
                                                     {16 << 3, 0, 128 | 7, 0},
                                                     {17 << 3, 0, 4, 0},
                                                     {18 << 3, 0, 5, 0},
                                                     {19 << 3, 1, 3, 0},
                                                     {21 << 3, 1, 128 | 5, 31},
                                                     {22 << 3, 1, 128 | 6, 60},
                                                     {23 << 3, 0, 7, 0},
                                                     {24 << 3, 0, 128 | 9, 0}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (size_t j = 0; j < sizeof choices / sizeof *choices; j++) {
            unsigned char input[256];
            size_t length = strlen(tables[i]);
            memcpy(input, choices[j], CHOICES);
            memcpy(input + CHOICES, tables[i], length);
            emit(user, input, CHOICES + length);
        }
    for (size_t j = 0; j < sizeof choices / sizeof *choices; j++) emit_wide(emit, user, choices[j]);
    emit(user, "\0\0\0\0a,b\n1,\0\n", 12);
}
