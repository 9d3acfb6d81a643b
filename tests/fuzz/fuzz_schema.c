/* SPDX-License-Identifier: MIT */
/* schema.c - hostile bytes as a schema, whole or of a part of a table: what is accepted is written as a text that means the same, can be
 * applied, and merged with itself and with a part that is none of it.
 *
 * One byte comes first: the allocation that fails in a run of its own. The rest is the schema. */
#include "fuzz.h"
#include "io/public_schema.h"

#include "table/read/reader.h"

#include <credence/schema.h>

#include <string.h>

static const char TABLE[] = "a,b,y\n1,x,p\n2,y,q\n";

/* Whatever a schema says, a reader takes it or says why not. */
static void apply(crd_context *context, const crd_schema *schema) {
    crd_i_source *source = NULL;
    crd_reader *reader = NULL;
    crd_error error;
    const crd_frame *frame = NULL;
    crd_status status = crd_i_source_memory(context, TABLE, sizeof TABLE - 1, true, &source, &error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, source, "table", NULL, &reader, &error);
    if (status == CRD_OK) status = crd_schema_apply(schema, reader, &error);
    if (status == CRD_OK) status = crd_reader_next(reader, &frame, &error);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    crd_reader_close(reader);
}

static const char PART[] =
    "{\"credence_schema\": 1, \"target\": \"y\", \"header\": true, \"missing\": [\"\", \"?\"], \"columns\": "
    "[{\"name\": "
    "\"a\", \"kind\": \"number\"}, {\"name\": \"b\", \"kind\": \"category\", \"values\": [\"no\", \"yes\"]}, "
    "{\"name\": "
    "\"d\", \"kind\": \"none\", \"form\": \"date\"}, {\"name\": \"y\", \"kind\": \"category\", \"values\": [\"p\"]}], "
    "\"part\": {\"version\": 1, \"forms\": true, \"dates\": true, \"values\": true, \"rows\": \"text\", \"columns\": "
    "[{\"name\": \"a\", \"kind\": \"number\", \"readings\": [\"plain\", \"point\", \"comma\"], \"shows\": [\"mark\"], "
    "\"currency\": 1, \"texts\": [\"1\", \"2.5\"], \"infinite\": true}, {\"name\": \"b\", \"kind\": \"category\", "
    "\"readings\": [\"boolean\"], \"spellings\": [0, 0, 1, 1, 0, 0, 0, 0, 0, 0]}, {\"name\": \"d\", \"kind\": "
    "\"category\", "
    "\"readings\": [\"iso\"], \"more_texts\": true}, {\"name\": \"y\", \"kind\": \"category\", \"readings\": []}]}}";

/* Merges a schema with another, given by its text; what comes of it is a schema that can be written and read again. */
static void merge(crd_context *context, const uint8_t *bytes, size_t length, const char *other_bytes,
                  size_t other_length, bool may_fail) {
    crd_schema *schema = NULL, *other = NULL, *again = NULL;
    crd_error error = {0};
    char *text = NULL;
    size_t text_length = 0;
    crd_status status = crd_schema_decode(context, (const char *)bytes, length, &schema, &error);
    if (status == CRD_OK) status = crd_schema_decode(context, other_bytes, other_length, &other, &error);
    const bool are_read = status == CRD_OK;
    if (status == CRD_OK) status = crd_schema_merge(schema, other, &error);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (are_read && status == CRD_OK) {
        status = crd_schema_encode(schema, &text, &text_length, &error);
        if (status == CRD_OK) status = crd_schema_decode(context, text, text_length, &again, &error);
        FUZZ_CHECK(status == CRD_OK || may_fail);
        status = crd_schema_complete(schema, &error);
        FUZZ_CHECK(status == CRD_OK ? !crd_i_schema_is_part(schema) : error.message[0] != '\0');
        apply(context, schema);
    }
    crd_free(context, text);
    crd_schema_destroy(again);
    crd_schema_destroy(other);
    crd_schema_destroy(schema);
}

static void decode(const uint8_t *bytes, size_t length, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_schema *schema = NULL, *again = NULL;
    crd_error error = {0};
    char *text = NULL, *second = NULL;
    size_t text_length = 0, second_length = 0;
    crd_status status = crd_schema_decode(context, (const char *)bytes, length, &schema, &error);
    FUZZ_CHECK((status == CRD_OK) == (schema != NULL));
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (status == CRD_OK) {
        apply(context, schema);
        status = crd_schema_encode(schema, &text, &text_length, &error);
        if (status == CRD_OK) status = crd_schema_decode(context, text, text_length, &again, &error);
        if (status == CRD_OK) status = crd_schema_encode(again, &second, &second_length, &error);
        FUZZ_CHECK(status == CRD_OK || refuse != 0);
        if (status == CRD_OK) FUZZ_CHECK(text_length == second_length && memcmp(text, second, text_length) == 0);
    }
    crd_free(context, text);
    crd_free(context, second);
    crd_schema_destroy(again);
    crd_schema_destroy(schema);
    merge(context, bytes, length, (const char *)bytes, length, refuse != 0);
    merge(context, bytes, length, PART, sizeof PART - 1, refuse != 0);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    decode(bytes + 1, length - 1, 0);
    if (bytes[0] != 0) decode(bytes + 1, length - 1, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const schemas[] = {
        ("{\"credence_schema\": 1, \"target\": \"y\", \"header\": true, \"missing\": [\"\", \"?\"], \"columns\": "
         "[{\"name\": \"a\", \"kind\": \"number\"}, {\"name\": \"b\", \"kind\": \"category\", \"values\": [\"x\", "
         "\"\\u00e9\"]}, {\"name\": \"y\", \"kind\": \"category\"}]}"),
        ("{\"credence_schema\": 1, \"header\": false, \"columns\": [{\"kind\": \"ignored\"}, {\"name\": \"c2\", "
         "\"kind\": \"none\"}, {\"name\": \"c3\", \"kind\": \"ignored\"}]}"),
        "{\"credence_schema\": 2}",
        "{\"credence_schema\": 1e308}",
        ("{\"credence_schema\": 1, \"missing\": [\"1e308\"], \"columns\": [{\"name\": \"1e308\", \"kind\": "
         "\"category\", "
         "\"values\": [\"1.7976931348623157e308\", \"-1e308\", \"1e308\"]}]}"),
        "{\"columns\": [{\"name\": \"a\", \"kind\": \"number\", \"values\": []}]}",
        PART,
        ("{\"credence_schema\": 1, \"header\": true, \"columns\": [{\"name\": \"a\", \"kind\": \"none\"}], \"part\": "
         "{\"version\": 1, \"values\": true, \"rows\": \"columns\", \"decimal\": \",\", \"numbers\": \"comma\", "
         "\"columns\": [{\"name\": \"a\", \"kind\": \"none\"}]}}"),
        "{}",
        "[",
    };
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_schema *part = NULL;
    FUZZ_CHECK(crd_schema_decode(context, PART, sizeof PART - 1, &part, NULL) == CRD_OK && crd_i_schema_is_part(part));
    crd_schema_destroy(part);
    fuzz_context_end(context, &accounts);
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        for (unsigned char refuse = 0; refuse < 40; refuse = (unsigned char)(refuse + 13)) {
            unsigned char input[2048];
            const size_t length = strlen(schemas[i]);
            FUZZ_CHECK(length < sizeof input);
            input[0] = refuse;
            memcpy(input + 1, schemas[i], length);
            emit(user, input, 1 + length);
        }
}
