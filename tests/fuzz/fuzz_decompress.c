/* SPDX-License-Identifier: MIT */
/* decompress.c - gzip and zstd over hostile bytes: the same bytes and the same end, however they are asked for.
 *
 * The first byte says how much is asked for at a time, the second which allocation fails. */
#include "fuzz.h"

#include "input/source.h"
#include "io/page_source.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum { MOST_OUTPUT = 1 << 21, MOST_ROOM = 1 << 16 };

typedef struct decompress_outcome {
    crd_status status;
    uint64_t length;
    fuzz_digest digest;
} decompress_outcome;

/* Reads to the end, or to the first bytes past MOST_OUTPUT, where small inputs that decompress to gigabytes are left.
 */
static decompress_outcome read_all(crd_i_source *source, size_t capacity) {
    static unsigned char bytes[MOST_ROOM];
    decompress_outcome result = {CRD_OK, 0, {0}};
    crd_error error = {0};
    while (result.length < MOST_OUTPUT) {
        size_t got = 0, left = MOST_OUTPUT - (size_t)result.length;
        result.status = source->read(source, bytes, capacity < left ? capacity : left, &got, &error);
        if (result.status != CRD_OK || got == 0) break;
        FUZZ_CHECK(got <= capacity);
        fuzz_digest_bytes(&result.digest, bytes, got);
        result.length += got;
    }
    FUZZ_CHECK(result.status == CRD_OK || (error.status == result.status && error.message[0] != '\0'));
    return result;
}

static decompress_outcome decode(const uint8_t *bytes, size_t length, size_t capacity, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_i_source *inner = NULL, *source = NULL;
    decompress_outcome result = {CRD_ERROR_MEMORY, 0, {0}};
    crd_error error = {0};
    result.status = crd_i_source_memory(context, bytes, length, true, &inner, &error);
    if (result.status == CRD_OK) result.status = crd_i_source_decode(context, inner, crd_i_decoders, &source, &error);
    if (result.status == CRD_OK) {
        result = read_all(source, capacity);
        if (refuse == 0 && source->rewind != NULL && source->rewind(source, &error) == CRD_OK) {
            decompress_outcome again = read_all(source, capacity);
            FUZZ_CHECK(again.status == result.status && again.length == result.length);
            FUZZ_CHECK(again.digest.state == result.digest.state);
        }
    } else {
        FUZZ_CHECK(source == NULL);
    }
    crd_i_source_close(source);
    fuzz_context_end(context, &accounts);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2) return 0;
    size_t capacity = 1 + (size_t)bytes[0] * 7;
    unsigned refuse = bytes[1];
    bytes += 2, length -= 2;
    decompress_outcome one = decode(bytes, length, capacity, 0), two = decode(bytes, length, MOST_ROOM, 0);
    FUZZ_CHECK(one.status == two.status);
    if (one.status == CRD_OK) FUZZ_CHECK(one.length == two.length && one.digest.state == two.digest.state);
    if (refuse != 0) (void)decode(bytes, length, MOST_ROOM, refuse);
    return 0;
}

static size_t gzip(unsigned char *out, size_t capacity, const char *text, size_t length) {
    z_stream stream = {0};
    FUZZ_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)length;
    stream.next_out = out;
    stream.avail_out = (unsigned)capacity;
    FUZZ_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return written;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static char text[40000];
    static unsigned char packed[60000];
    const char row[] = "Sunny,Hot,High,1.7976931348623157e308,No\n";
    for (size_t i = 0; i < sizeof text; i++) text[i] = row[i % (sizeof row - 1)];
    packed[1] = 0;
    for (size_t length = 1; length < sizeof text; length = length * 20 + 3) {
        packed[0] = (unsigned char)(length % 251);
        size_t one = gzip(packed + 2, sizeof packed - 2, text, length);
        emit(user, packed, 2 + one);
        size_t two = gzip(packed + 2 + one, sizeof packed - 2 - one, "two members", 11);
        emit(user, packed, 2 + one + two);
        emit(user, packed, 2 + one + two - 5); /* truncated */
        size_t frame = ZSTD_compress(packed + 2, sizeof packed - 2, text, length, 3);
        FUZZ_CHECK(!ZSTD_isError(frame));
        emit(user, packed, 2 + frame);
        emit(user, packed, 2 + frame - 1);
    }
    emit(user, "\1\0\x28\xb5\x2f\xfd\x20\1\1\0\0", 11); /* a frame that states one byte and has none */
    emit(user, "\5\0plain text\n", 13);
    emit(user, "\5\0", 2);
}
