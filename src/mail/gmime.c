/* SPDX-License-Identifier: MIT */
/* gmime.c - parses message bodies of any structure and charset with GMime.
 *
 * Contents:
 *   1. Library
 *   2. Message bodies */
#include "mail/mail_internal.h"

#include "base/error.h"
#include "base/os.h"

#include <errno.h>
#include <gmime/gmime.h>
#include <iconv.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define CRD_I_GMIME_FUNCTIONS(X)                                                                                       \
    X(void, g_mime_init, (void))                                                                                       \
    X(void, g_object_unref, (gpointer))                                                                                \
    X(void, g_free, (gpointer))                                                                                        \
    X(guint, g_log_set_handler, (const gchar *, GLogLevelFlags, GLogFunc, gpointer))                                   \
    X(gboolean, g_type_check_instance_is_a, (GTypeInstance *, GType))                                                  \
    X(GType, g_mime_multipart_get_type, (void))                                                                        \
    X(GType, g_mime_message_part_get_type, (void))                                                                     \
    X(GType, g_mime_part_get_type, (void))                                                                             \
    X(GMimeParserOptions *, g_mime_parser_options_new, (void))                                                         \
    X(void, g_mime_parser_options_free, (GMimeParserOptions *))                                                        \
    X(void, g_mime_parser_options_set_fallback_charsets, (GMimeParserOptions *, const char **))                        \
    X(GMimeStream *, g_mime_stream_mem_new, (void))                                                                    \
    X(ssize_t, g_mime_stream_write, (GMimeStream *, const char *, size_t))                                             \
    X(ssize_t, g_mime_stream_read, (GMimeStream *, char *, size_t))                                                    \
    X(int, g_mime_stream_reset, (GMimeStream *))                                                                       \
    X(GMimeParser *, g_mime_parser_new_with_stream, (GMimeStream *))                                                   \
    X(GMimeObject *, g_mime_parser_construct_part, (GMimeParser *, GMimeParserOptions *))                              \
    X(int, g_mime_multipart_get_count, (GMimeMultipart *))                                                             \
    X(GMimeObject *, g_mime_multipart_get_part, (GMimeMultipart *, int))                                               \
    X(GMimeMessage *, g_mime_message_part_get_message, (GMimeMessagePart *))                                           \
    X(GMimeObject *, g_mime_message_get_mime_part, (GMimeMessage *))                                                   \
    X(const char *, g_mime_message_get_subject, (GMimeMessage *))                                                      \
    X(GMimeContentType *, g_mime_object_get_content_type, (GMimeObject *))                                             \
    X(const char *, g_mime_content_type_get_media_type, (GMimeContentType *))                                          \
    X(const char *, g_mime_content_type_get_media_subtype, (GMimeContentType *))                                       \
    X(const char *, g_mime_content_type_get_parameter, (GMimeContentType *, const char *))                             \
    X(const char *, g_mime_object_get_disposition, (GMimeObject *))                                                    \
    X(const char *, g_mime_part_get_filename, (GMimePart *))                                                           \
    X(GMimeDataWrapper *, g_mime_part_get_content, (GMimePart *))                                                      \
    X(GMimeStream *, g_mime_data_wrapper_get_stream, (GMimeDataWrapper *))                                             \
    X(GMimeContentEncoding, g_mime_data_wrapper_get_encoding, (GMimeDataWrapper *))                                    \
    X(void, g_mime_encoding_init_decode, (GMimeEncoding *, GMimeContentEncoding))                                      \
    X(size_t, g_mime_encoding_step, (GMimeEncoding *, const char *, size_t, char *))                                   \
    X(size_t, g_mime_encoding_outlen, (GMimeEncoding *, size_t))                                                       \
    X(iconv_t, g_mime_iconv_open, (const char *, const char *))                                                        \
    X(int, g_mime_iconv_close, (iconv_t))                                                                              \
    X(char *, g_mime_utils_header_decode_text, (GMimeParserOptions *, const char *))

/* The function pointers, one per function, and the parser options that all calls use. */
typedef struct crd_i_gmime {
#define CRD_I_GMIME_MEMBER(result, name, arguments) result(*name) arguments;
    CRD_I_GMIME_FUNCTIONS(CRD_I_GMIME_MEMBER)
#undef CRD_I_GMIME_MEMBER
    /* texts without a charset are read as UTF-8, or else as windows-1252, in every locale */
    GMimeParserOptions *options;
} crd_i_gmime;

/* ======== 1. Library ========
 *
 * The functions of GMime, and of GLib below it, are loaded when a message needs them. Loading takes longer than
 * everything else that a filter does with a message, and most messages do not need it. Therefore the library is not
 * linked, but opened once per process. The loaded library is process state, like GMime's own state. So is
 * the log handler that drops GLib messages of the domain "gmime". GLib aborts when memory runs out, so its input is
 * bounded. */

static crd_i_gmime library;
static bool is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user) {
    (void)domain, (void)level, (void)message, (void)user;
}

static void gmime_library_load(void) {
    static const char *charsets[] = {"utf-8", "windows-1252", NULL};
    static const char *const versions[] = {"0", NULL};
    void *handle = crd_i_os_library_open("gmime-3.0", versions);
    if (handle == NULL) return;
    bool has_all = true;
#define FIND(result, name, arguments) has_all = crd_i_os_library_find(handle, #name, &library.name) && has_all;
    CRD_I_GMIME_FUNCTIONS(FIND)
#undef FIND
    if (!has_all) return;
    library.g_log_set_handler("gmime", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, drop_message, NULL);
    library.g_mime_init();
    library.options = library.g_mime_parser_options_new();
    library.g_mime_parser_options_set_fallback_charsets(library.options, charsets);
    is_there = true;
}

/* Returns the functions, and loads the library in the first call. Returns NULL if the library is not installed or lacks
 * a function. Any thread may call it. */
static const crd_i_gmime *gmime_library(void) {
    return pthread_once(&once, gmime_library_load) == 0 && is_there ? &library : NULL;
}

/* ======== 2. Message bodies ======== */

/* Limits on the lines passed to GMime that could begin a part or a header. GMime creates objects for each of them,
 * which need a hundred times as many bytes. */
enum { MOST_BOUNDARIES = 4 * CRD_I_MAIL_MOST_PARTS, MOST_FIELDS = 20000 };

/* State while a body is read. */
typedef struct gmime_reader {
    const crd_i_gmime *gmime;
    crd_i_mail_parser *parser;
    size_t parts;
} gmime_reader;

static crd_text gmime_body_text(const char *string) {
    return (crd_text){string != NULL ? string : "", string != NULL ? strlen(string) : 0};
}

/* ---- Text ---- */

enum { CHUNK = 4096 };

/* Decodes the transfer encoding of a part, up to the parser's limit per part. Returns false if memory runs out. */
static bool decode_content(const gmime_reader *reader, GMimePart *part, crd_i_buffer *out) {
    const crd_i_gmime *gmime = reader->gmime;
    GMimeDataWrapper *content = gmime->g_mime_part_get_content(part);
    GMimeStream *stream = content != NULL ? gmime->g_mime_data_wrapper_get_stream(content) : NULL;
    GMimeEncoding state;
    char bytes[CHUNK];
    out->length = 0;
    if (stream == NULL) return true;
    gmime->g_mime_encoding_init_decode(&state, gmime->g_mime_data_wrapper_get_encoding(content));
    gmime->g_mime_stream_reset(stream);
    while (out->length < reader->parser->max_part) {
        const ssize_t got = gmime->g_mime_stream_read(stream, bytes, sizeof bytes);
        if (got <= 0) break;
        unsigned char *buffer = crd_i_buffer_room(out, gmime->g_mime_encoding_outlen(&state, (size_t)got));
        if (buffer == NULL) return false;
        out->length += gmime->g_mime_encoding_step(&state, bytes, (size_t)got, (char *)buffer);
    }
    if (out->length > reader->parser->max_part) out->length = reader->parser->max_part;
    return true;
}

/* Converts text to UTF-8, up to about `most` bytes. Bytes that are not valid in the source charset are dropped. Returns
 * false if memory runs out. */
static bool gmime_body_convert(iconv_t converter, const crd_i_buffer *in, size_t most, crd_i_buffer *out) {
    char *start = (char *)in->bytes;
    size_t left = in->length;
    out->length = 0;
    while (left > 0 && out->length < most) {
        unsigned char *buffer = crd_i_buffer_room(out, CHUNK);
        if (buffer == NULL) return false;
        char *destination = (char *)buffer;
        size_t to_left = CHUNK;
        const size_t done = iconv(converter, &start, &left, &destination, &to_left);
        out->length += CHUNK - to_left;
        if (done != (size_t)-1 || errno == E2BIG) continue;
        if (errno != EILSEQ || left == 0) break;
        start++;
        left--;
    }
    return true;
}

/* Decodes a text part, converts it to UTF-8 if its charset is not plain, and adds it to the message. */
static void gmime_body_read_text(gmime_reader *reader, GMimePart *part, const char *charset, bool is_html) {
    crd_i_mail_parser *parser = reader->parser;
    if (!decode_content(reader, part, &parser->decoded)) {
        parser->fields->has_failed = true;
        return;
    }
    const crd_i_buffer *text = &parser->decoded;
    if (!crd_i_charset_is_plain(gmime_body_text(charset))) {
        iconv_t converter = reader->gmime->g_mime_iconv_open("UTF-8", charset);
        if (converter != (iconv_t)-1) {
            if (!gmime_body_convert(converter, text, 2 * parser->max_part, &parser->converted))
                parser->fields->has_failed = true;
            text = &parser->converted;
            reader->gmime->g_mime_iconv_close(converter);
        }
    }
    if (!parser->fields->has_failed)
        crd_i_mail_add_text(parser, (crd_text){(const char *)text->bytes, text->length}, is_html);
}

/* ---- Parts ---- */

/* Reads a part that has no parts: as text, as an attachment, or both if a text has a file name. */
static void gmime_body_read_leaf(gmime_reader *reader, GMimePart *part) {
    const crd_i_gmime *gmime = reader->gmime;
    GMimeContentType *type = gmime->g_mime_object_get_content_type((GMimeObject *)part);
    const crd_text media = gmime_body_text(gmime->g_mime_content_type_get_media_type(type));
    const crd_text subtype = gmime_body_text(gmime->g_mime_content_type_get_media_subtype(type));
    const crd_text name = gmime_body_text(gmime->g_mime_part_get_filename(part));
    const crd_text disposition = gmime_body_text(gmime->g_mime_object_get_disposition((GMimeObject *)part));
    bool is_html;
    const bool is_text = crd_i_mail_is_text(media, subtype, &is_html);
    if (!is_text || name.length > 0 || crd_i_mail_is_named(disposition, "attachment"))
        crd_i_mail_add_attachment(reader->parser, media, subtype, name);
    if (is_text) gmime_body_read_text(reader, part, gmime->g_mime_content_type_get_parameter(type, "charset"), is_html);
}

static bool is_a(const crd_i_gmime *gmime, GMimeObject *object, GType type) {
    return gmime->g_type_check_instance_is_a((GTypeInstance *)object, type) != 0;
}

/* Reads a part and all parts inside it. An attached message is an attachment, and its subject and text belong to the
 * body. Parts beyond the limits on depth and number are ignored. */
static void gmime_body_read_object(gmime_reader *reader, GMimeObject *object, unsigned depth) {
    const crd_i_gmime *gmime = reader->gmime;
    crd_i_mail_parser *parser = reader->parser;
    if (object == NULL || depth > CRD_I_MAIL_MOST_DEPTH || parser->fields->has_failed) return;
    if (++reader->parts > CRD_I_MAIL_MOST_PARTS) return;
    if (is_a(gmime, object, gmime->g_mime_multipart_get_type())) {
        GMimeMultipart *multipart = (GMimeMultipart *)object;
        const int count = gmime->g_mime_multipart_get_count(multipart);
        for (int i = 0; i < count; i++)
            gmime_body_read_object(reader, gmime->g_mime_multipart_get_part(multipart, i), depth + 1);
    } else if (is_a(gmime, object, gmime->g_mime_message_part_get_type())) {
        GMimeMessage *message = gmime->g_mime_message_part_get_message((GMimeMessagePart *)object);
        crd_i_mail_add_attachment(parser, gmime_body_text("message"), gmime_body_text("rfc822"), gmime_body_text(NULL));
        if (message == NULL) return;
        crd_i_mail_add_text(parser, gmime_body_text(gmime->g_mime_message_get_subject(message)), false);
        gmime_body_read_object(reader, gmime->g_mime_message_get_mime_part(message), depth + 1);
    } else if (is_a(gmime, object, gmime->g_mime_part_get_type())) {
        gmime_body_read_leaf(reader, (GMimePart *)object);
    }
}

/* Returns how many bytes of a body are passed to GMime. */
static size_t bounded_length(crd_text body) {
    size_t boundaries = 0, fields = 0;
    for (size_t i = 0; i < body.length;) {
        const crd_text view = {body.bytes + i, body.length - i};
        const size_t length = crd_i_mail_line(view);
        if (length > 2 && view.bytes[0] == '-' && view.bytes[1] == '-') {
            if (++boundaries > MOST_BOUNDARIES) return i;
        } else {
            size_t colon = 0;
            while (colon < length && view.bytes[colon] > ' ' && view.bytes[colon] != ':') colon++;
            if (colon < length && view.bytes[colon] == ':' && ++fields > MOST_FIELDS) return i;
        }
        i += length;
    }
    return body.length;
}

static void write_header(const crd_i_gmime *gmime, GMimeStream *stream, const char *name, crd_text value) {
    if (value.bytes == NULL) return;
    gmime->g_mime_stream_write(stream, name, strlen(name));
    gmime->g_mime_stream_write(stream, value.bytes,
                               value.length < CRD_I_MAIL_MOST_VALUE ? value.length : CRD_I_MAIL_MOST_VALUE);
    gmime->g_mime_stream_write(stream, "\n", 1);
}

crd_status crd_i_gmime_body_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body,
                                 crd_error *error) {
    const crd_i_gmime *gmime = gmime_library();
    if (gmime == NULL)
        return crd_i_fail(error, CRD_ERROR_SYSTEM,
                          "this message has MIME parts that need GMime, but libgmime-3.0.so.0 is not installed");
    gmime_reader reader = {gmime, parser, 0};
    GMimeStream *stream = gmime->g_mime_stream_mem_new();
    write_header(gmime, stream, "Content-Type:", headers->type);
    write_header(gmime, stream, "Content-Transfer-Encoding:", headers->encoding);
    write_header(gmime, stream, "Content-Disposition:", headers->disposition);
    gmime->g_mime_stream_write(stream, "\n", 1);
    gmime->g_mime_stream_write(stream, body.bytes, bounded_length(body));
    gmime->g_mime_stream_reset(stream);
    GMimeParser *structure = gmime->g_mime_parser_new_with_stream(stream);
    GMimeObject *object = gmime->g_mime_parser_construct_part(structure, gmime->options);
    gmime_body_read_object(&reader, object, 0);
    if (object != NULL) gmime->g_object_unref(object);
    gmime->g_object_unref(structure);
    gmime->g_object_unref(stream);
    return CRD_OK;
}

bool crd_i_gmime_decode_words(crd_i_buffer *line, crd_i_buffer *out) {
    const crd_i_gmime *gmime = gmime_library();
    if (gmime == NULL) return crd_i_text_decode((crd_text){(const char *)line->bytes, line->length}, out);
    if (!crd_i_buffer_append(line, "", 1)) return false;
    line->length--;
    for (size_t i = 0; i < line->length; i++)
        if (line->bytes[i] == '\0') line->bytes[i] = ' ';
    char *text = gmime->g_mime_utils_header_decode_text(gmime->options, (const char *)line->bytes);
    const bool is_done = crd_i_text_decode(gmime_body_text(text), out);
    gmime->g_free(text);
    return is_done;
}
