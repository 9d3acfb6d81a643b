/* SPDX-License-Identifier: MIT */
/* schema.c - hostile bytes as a schema: what is accepted is written as a text that means the same, and can be applied.
 *
 * One byte comes first: the allocation that fails in a run of its own. The rest is the schema. */
#include "fuzz.h"

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
        "{}",
        "[",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        for (unsigned char refuse = 0; refuse < 40; refuse = (unsigned char)(refuse + 13)) {
            unsigned char input[512];
            size_t length = strlen(schemas[i]);
            input[0] = refuse;
            memcpy(input + 1, schemas[i], length);
            emit(user, input, 1 + length);
        }
}
