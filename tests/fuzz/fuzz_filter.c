/* SPDX-License-Identifier: MIT */
/* fuzz_filter.c - hostile bytes as a message that passes through a filter: in pieces it is what it is as a whole, passing twice is
 * passing once, and the header has one field of ours, which is the first. */
#include "fuzz.h"

#include <credence/mail_filter.h>

#include <stdlib.h>
#include <string.h>

static const char FIELD[] = "X-Credence: ham; probability=0.9000\n";

typedef struct filter_output {
    char *bytes;
    size_t length;
} filter_output;

static int take(void *user, const void *bytes, size_t length) {
    filter_output *filter = user;
    char *grown = realloc(filter->bytes, filter->length + length);
    FUZZ_CHECK(grown != NULL);
    memcpy(grown + filter->length, bytes, length);
    filter->bytes = grown;
    filter->length += length;
    return 0;
}

static filter_output pass_on(crd_context *context, const char *bytes, size_t length, size_t piece) {
    filter_output out = {NULL, 0};
    crd_mail_pass *pass = NULL;
    crd_error error;
    FUZZ_CHECK(crd_mail_pass_create(context, crd_text_of(FIELD), take, &out, &pass, &error) == CRD_OK);
    for (size_t offset = 0; offset < length; offset += piece)
        FUZZ_CHECK(crd_mail_pass_push(pass, bytes + offset, length - offset < piece ? length - offset : piece,
                                      &error) == CRD_OK);
    FUZZ_CHECK(crd_mail_pass_end(pass, &error) == CRD_OK);
    crd_mail_pass_destroy(pass);
    return out;
}

static bool is_field(const char *line, size_t length) {
    static const char name[] = "X-CREDENCE";
    bool is = length > sizeof name - 1;
    for (size_t i = 0; is && i < sizeof name - 1; i++)
        is = (line[i] >= 'a' && line[i] <= 'z' ? line[i] - 0x20 : line[i]) == name[i];
    size_t index = sizeof name - 1;
    while (is && index < length && (line[index] == ' ' || line[index] == '\t')) index++;
    return is && index < length && line[index] == ':';
}

/* Fields of our name in the header, which ends at the first empty line. */
static size_t count_fields(const filter_output *message) {
    size_t count = 0;
    for (size_t index = 0, end; index < message->length; index = end) {
        const char *line = message->bytes + index, *feed = memchr(line, '\n', message->length - index);
        end = feed == NULL ? message->length : (size_t)(feed - message->bytes) + 1;
        const size_t length = end - index;
        if ((length == 1 && line[0] == '\n') || (length == 2 && line[0] == '\r' && line[1] == '\n')) break;
        count += is_field(line, length);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1) return 0;
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    const char *message = (const char *)bytes + 1;
    filter_output whole = pass_on(context, message, length - 1, length);
    filter_output pieces = pass_on(context, message, length - 1, 1 + bytes[0] % 17);
    filter_output twice = pass_on(context, whole.bytes, whole.length, whole.length);
    FUZZ_CHECK(pieces.length == whole.length && memcmp(pieces.bytes, whole.bytes, whole.length) == 0);
    FUZZ_CHECK(twice.length == whole.length && memcmp(twice.bytes, whole.bytes, whole.length) == 0);
    FUZZ_CHECK(count_fields(&whole) == 1);
    free(whole.bytes);
    free(pieces.bytes);
    free(twice.bytes);
    fuzz_context_end(context, &accounts);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const seeds[] = {
        "aFrom a@b Mon\nReceived: x\n\ty\nX-Credence: ham;\n reasons=\"a\"\nSubject: z\n\nbody\nX-Credence: no\n",
        "bSubject: a\r\nx-credence : b\r\nX-Credence\r\n : c\r\n\r\nbody\r\n",
        "cno header\nat all\n",
        "d\n\nbody",
        "e>From x\n>From y\nX-CREDENCE:\n\n",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) emit(user, seeds[i], strlen(seeds[i]));
}
