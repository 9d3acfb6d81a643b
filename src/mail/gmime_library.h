/* SPDX-License-Identifier: MIT */
/* gmime_library.h - the functions of GMime, and of GLib below it, which are loaded when a message needs them.
 *
 * Loading takes longer than everything else that a filter does with a message, and most messages do not need it.
 * Therefore the library is not linked, but opened with dlopen, once per process. The loaded library is process state,
 * like GMime's own state. So is the log handler that drops GLib messages of the domain "gmime". GLib aborts when memory
 * runs out, so its input is bounded. */
#ifndef CRD_MAIL_GMIME_LIBRARY_H
#define CRD_MAIL_GMIME_LIBRARY_H

#include <gmime/gmime.h>

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

/* Returns the functions, and loads the library in the first call. Returns NULL if the library is not installed or lacks
 * a function. Any thread may call it. */
const crd_i_gmime *crd_i_gmime_library(void);

#endif
