/* SPDX-License-Identifier: MIT */
/* mail_stream.c - see mail_stream.h. */
#include "core/mail_stream.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/invocation.h"
#include "core/messages.h"
#include "core/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BYTES = 64 * 1024,
    MOST_BYTES = 16 * 1024 * 1024, /* the number of bytes that crd_mail_parse reads */
    PIECE = 64 * 1024
};

static struct {
    bool is_expected, is_exit_code, is_ended;
    bool is_broken; /* part of the message is written, or reading failed: it cannot be passed on unchanged any more */
    bool is_whole;  /* the whole message has been read */
    unsigned char *bytes;
    size_t length, capacity;
    unsigned char piece[PIECE]; /* the write buffer */
    size_t waiting;             /* bytes in `piece` that are not written yet */
} stream;

/* ---- Detecting a filter ---- */

static bool is_option(const char *word, const char *name) {
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

/* Passes the message on if the process exits early, for example because it ran out of memory. */
static void end_at_exit(void) {
    const int code = mail_stream_end(ENDED_FAILED);
    if (stream.is_expected && !stream.is_ended) _Exit(code);
}

bool mail_stream_is_labeled(const char *value) {
    const size_t length = value == NULL ? 0 : strlen(value);
    return length > 2 && strcmp(value + length - 2, "=-") == 0;
}

/* Returns whether the word at `index` is a --mail option that names standard input, or lacks its value. Then standard
 * input may be a message. */
static bool is_message(int argc, char **argv, int index) {
    const char *value = NULL;
    if (strncmp(argv[index], "--mail=", 7) == 0) value = argv[index] + 7;
    else if (strcmp(argv[index], "--mail") != 0) return false;
    else if (index + 1 < argc) value = argv[index + 1];
    else return !system_is_terminal(CRD_I_STDIN);
    return strcmp(value, "-") == 0 || mail_stream_is_labeled(value);
}

void mail_stream_expect(int argc, char **argv) {
    bool is_mail = false, is_exit_code = false, is_other = false;
    if (argc < 1 || strcmp(argv[0], "predict") != 0) return;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        is_mail = is_mail || is_message(argc, argv, i);
        is_exit_code = is_exit_code || is_option(argv[i], "--exit-code");
        is_other =
            is_other || is_option(argv[i], "--format") || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    }
    if (!is_exit_code && (!is_mail || is_other)) return;
    stream.is_expected = true;
    stream.is_exit_code = is_exit_code;
    (void)atexit(end_at_exit);
}

bool mail_stream_is_expected(void) {
    return stream.is_expected;
}

/* ---- Reading ---- */

/* Reads the next bytes of standard input. Returns 0 at the end, -1 if reading fails or the command was interrupted. */
static int64_t read_some(unsigned char *bytes, size_t capacity) {
    int64_t got;
    do got = crd_i_os_read(CRD_I_STDIN, bytes, capacity);
    while (got < 0 && errno == EINTR && !invocation_interrupted());
    return got;
}

static int fail_to_read(void) {
    stream.is_broken = true;
    return message_failed("standard input: cannot be read: %s", strerror(errno));
}

int mail_stream_read(crd_text *out) {
    *out = (crd_text){NULL, 0};
    while (!stream.is_whole && stream.length < MOST_BYTES) {
        if (stream.length == stream.capacity) {
            const size_t capacity = stream.capacity == 0 ? FIRST_BYTES : 2 * stream.capacity;
            unsigned char *grown = realloc(stream.bytes, capacity);
            if (grown == NULL) return message_failed("out of memory");
            stream.bytes = grown;
            stream.capacity = capacity;
        }
        const int64_t got = read_some(stream.bytes + stream.length, stream.capacity - stream.length);
        if (got < 0) return fail_to_read();
        stream.length += (size_t)got;
        stream.is_whole = got == 0;
    }
    *out = (crd_text){(const char *)stream.bytes, stream.length};
    return ENDED_WELL;
}

/* ---- Writing ---- */

static int mail_stream_write_all(const unsigned char *bytes, size_t length) {
    while (length > 0) {
        const int64_t now = crd_i_os_write(CRD_I_STDOUT, bytes, length);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return errno;
        bytes += now;
        length -= (size_t)now;
    }
    return 0;
}

/* Collects small writes in a buffer. Returns 0 or an errno value. */
static int mail_stream_put(void *user, const void *bytes, size_t length) {
    (void)user;
    if (length <= PIECE - stream.waiting) {
        if (length > 0) memcpy(stream.piece + stream.waiting, bytes, length);
        stream.waiting += length;
        return 0;
    }
    const int why = mail_stream_write_all(stream.piece, stream.waiting);
    stream.waiting = 0;
    return why != 0 ? why : mail_stream_write_all(bytes, length);
}

/* Copies the unread rest of the message piece by piece, so memory use does not depend on its length. */
static int put_rest(crd_mail_pass *pass, crd_error *error) {
    static unsigned char remainder[PIECE];
    while (!stream.is_whole) {
        const int64_t got = read_some(remainder, sizeof remainder);
        if (got < 0) return fail_to_read();
        stream.is_whole = got == 0;
        if (pass != NULL && crd_mail_pass_push(pass, remainder, (size_t)got, error) != CRD_OK)
            return message_error(error);
        const int why = pass != NULL ? 0 : mail_stream_put(NULL, remainder, (size_t)got);
        if (why != 0) return message_failed("standard output: cannot be written: %s", strerror(why));
    }
    return ENDED_WELL;
}

static int mail_stream_finish(int ended) {
    const int why = ended == ENDED_WELL ? mail_stream_write_all(stream.piece, stream.waiting) : 0;
    if (why != 0) ended = message_failed("standard output: cannot be written: %s", strerror(why));
    return ended;
}

int mail_stream_pass(crd_context *context, crd_text header) {
    crd_mail_pass *pass = NULL;
    crd_error error;
    if (crd_mail_pass_create(context, header, mail_stream_put, NULL, &pass, &error) != CRD_OK)
        return message_error(&error);
    stream.is_broken = true;
    crd_status status = crd_mail_pass_push(pass, stream.bytes, stream.length, &error);
    int ended = status == CRD_OK ? put_rest(pass, &error) : message_error(&error);
    if (ended == ENDED_WELL && crd_mail_pass_end(pass, &error) != CRD_OK) ended = message_error(&error);
    crd_mail_pass_destroy(pass);
    ended = mail_stream_finish(ended);
    stream.is_ended = ended == ENDED_WELL;
    return ended;
}

void mail_stream_settle(void) {
    /* A program that writes the message would consider the command failed if it were not read to its end. */
    for (int64_t got = 1; !stream.is_whole && got > 0;) got = read_some(stream.piece, sizeof stream.piece);
    stream.is_ended = true;
}

/* Writes the message unchanged, without allocating memory. */
static void pass_as_it_came(void) {
    stream.is_broken = true;
    const int why = mail_stream_put(NULL, stream.bytes, stream.length);
    if (why != 0) message_failed("standard output: cannot be written: %s", strerror(why));
    else (void)mail_stream_finish(put_rest(NULL, NULL));
}

int mail_stream_end(int ended) {
    if (!stream.is_expected || stream.is_ended) return ended;
    if (stream.is_exit_code) return ENDED_EXIT_CODE_FAILED;
    if (!stream.is_broken) pass_as_it_came();
    return ENDED_FILTER_FAILED;
}
