/* SPDX-License-Identifier: MIT */
/* export_page.c - see export_page.h. The page is a separate file, because other tools build it. Its path is given by
 * --page, by CREDENCE_PAGE in the environment, or by the place of installation. */
#include "verbs/export/export_page.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/system.h"
#include "source/input_file.h"
#include "source/model_operand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CREDENCE_INSTALLED_PAGE /* the build defines the path of installation */
#define CREDENCE_INSTALLED_PAGE "/usr/local/share/credence/credence.html"
#endif

/* Reads all bytes of a file. The caller frees *out. */
static int read_file(const char *path, string *out) {
    enum { PART = 1 << 16 };
    FILE *file = crd_i_os_stream(path, "r");
    if (file == NULL) return message_failed("%s: cannot be opened: %s", path, strerror(errno));
    size_t length = 1;
    while (length > 0) {
        char *destination = string_reserve(out, PART);
        length = fread(destination, 1, PART, file);
        string_end_at(out, destination + length);
    }
    const int reason = ferror(file) ? errno : 0;
    fclose(file);
    return reason == 0 ? ENDED_WELL : message_failed("%s: cannot be read: %s", path, strerror(reason));
}

static int read_page(const invocation *call, const char **path, string *page) {
    const char *environment = system_environment("CREDENCE_PAGE");
    *path = arguments_value(&call->arguments, "page");
    if (*path == NULL && environment != NULL && *environment != '\0') *path = environment;
    if (*path == NULL) *path = CREDENCE_INSTALLED_PAGE;
    int ended = read_file(*path, page);
    if (ended != ENDED_WELL)
        message_hint("run scripts/web build to create build/web/credence.html, or give the page with --page");
    return ended;
}

/* Encodes a model with the settings of the command line. */
static int encode_model(const invocation *call, const char *path, string *out) {
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_error error;
    unsigned char *bytes = NULL;
    size_t length = 0;
    int ended = model_operand_open(call, path, &model);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    if (ended == ENDED_WELL && (crd_model_set_settings(model, settings, &error) != CRD_OK ||
                                crd_model_encode(model, &bytes, &length, &error) != CRD_OK))
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL) string_add(out, (const char *)bytes, length);
    crd_free(call->context, bytes);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}

/* Reads the document that the page opens: a network file unchanged, else a model. Its name shows which of the two it
 * is. */
static int read_document(const invocation *call, string *name, string *document) {
    const char *path = call->arguments.operands[0];
    crd_file_kind kind = CRD_FILE_ROWS;
    int ended = input_file_reads_once(path) ? ENDED_WELL : input_file_detect(call, path, &kind);
    if (ended != ENDED_WELL) return ended;
    string_format(name, "%s%s", crd_i_os_file_name(path), kind == CRD_FILE_ROWS ? ".model" : "");
    if (kind != CRD_FILE_NETWORK) return encode_model(call, path, document);
    if (arguments_setting(&call->arguments) != NULL)
        return message_usage("%s is a network with fixed tables: settings apply only to estimated tables", path);
    crd_network *network = NULL; /* a file that the page could not open is rejected here */
    ended = input_file_load_network(call, path, &network);
    crd_network_destroy(network);
    return ended == ENDED_WELL ? read_file(path, document) : ended;
}

static int write_part(void *user, const char *bytes, size_t length) {
    output *out = user;
    output_write(out, bytes, length);
    return output_broken(out);
}

/* Writes the page with the document inside. */
int export_page(const invocation *call) {
    string page = {0}, name = {0}, document = {0};
    const char *path = NULL;
    output out = {0};
    crd_error error;
    int ended = read_page(call, &path, &page);
    if (ended == ENDED_WELL) ended = read_document(call, &name, &document);
    if (ended == ENDED_WELL) ended = output_open(call, &out);
    if (ended == ENDED_WELL) {
        crd_status status = crd_page_export((crd_text){page.bytes, page.length}, (crd_text){name.bytes, name.length},
                                            (crd_text){document.bytes, document.length}, write_part, &out, &error);
        if (status != CRD_OK && !output_broken(&out)) ended = message_error_in(&error, path);
        ended = output_close(&out, ended);
    }
    string_free(&document);
    string_free(&name);
    string_free(&page);
    return ended;
}
