/* SPDX-License-Identifier: MIT */
/* stop_words_setting.c - parses and formats the setting `stop-words`: a CSV list of words. The canonical text contains
 * each word once, sorted by bytes. */
#include "settings/list_items.h"
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"

static bool stop_words_setting_no_numbers(crd_text text, double *value) {
    (void)text;
    *value = 0;
    return false;
}

crd_status crd_i_stop_words_parse(crd_settings *settings, crd_text text, crd_error *error) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    settings->stop_rule = CRD_I_STOP_GIVEN;
    settings->stop_words = crd_i_dictionary_create(settings->context);
    crd_status status = settings->stop_words == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&text, &item, &more, error);
        const crd_text view = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK && view.length == 0)
            status = crd_i_fail(error, CRD_ERROR_SETTING, "stop-words lists an empty word");
        if (status == CRD_OK && crd_i_dictionary_add(settings->stop_words, view) < 0) status = crd_i_fail_memory(error);
    }
    crd_i_buffer_clear(&item);
    return status;
}

char *crd_i_stop_words_text(const crd_settings *settings) {
    size_t count = crd_i_dictionary_size(settings->stop_words);
    crd_i_buffer out = {settings->context, NULL, 0, 0};
    int32_t *codes = crd_i_alloc(settings->context, count, sizeof *codes);
    bool done = codes != NULL &&
                crd_i_dictionary_order(settings->stop_words, NULL, stop_words_setting_no_numbers, codes) != SIZE_MAX;
    for (size_t i = 0; done && i < count; i++)
        done = crd_i_item_append_name(&out, i == 0, crd_i_dictionary_text(settings->stop_words, (size_t)codes[i]));
    crd_free(settings->context, codes);
    if (done && crd_i_buffer_append(&out, "", 1)) return (char *)out.bytes;
    crd_i_buffer_clear(&out);
    return NULL;
}
