/* SPDX-License-Identifier: MIT */
/* hidden_setting.c - parses and formats the setting `hidden`: the latent nodes of a network, which are not columns. The
 * value is a list of items NAME:K, where K is the number of states, or NAME if K is to be chosen. An item whose name
 * contains a comma is in quotes, together with its number. The canonical text sorts the items by the bytes of their
 * names. */
#include "settings/list_items.h"
#include "settings/settings_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <string.h>

/* Splits an item at its last colon, if a number follows it. *states is 0 if there is no number. */
static crd_status parse_item(crd_text item, crd_text *name, size_t *states, crd_error *error) {
    size_t index = item.length;
    double value = 0;
    char quoted[CRD_I_QUOTED_ROOM];
    while (index > 0 && item.bytes[index - 1] != ':') index--;
    const crd_text number = {item.bytes + index, item.length - index};
    bool has_number = index > 0 && crd_number_parse(number, &value) == CRD_NUMBER_FINITE;
    const crd_text view = {item.bytes, has_number ? index - 1 : item.length};
    *name = view;
    *states = 0;
    if (view.length == 0) return crd_i_fail(error, CRD_ERROR_SETTING, "hidden has a node without a name");
    if (!has_number) return CRD_OK;
    if (!(value >= 1 && value <= CRD_I_MOST_HIDDEN_STATES) || value != (double)(size_t)value)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "hidden accepts NAME:K with 1 to %d states, a whole number, but got '%s'",
                          CRD_I_MOST_HIDDEN_STATES, crd_i_quote(item, quoted));
    *states = (size_t)value;
    return CRD_OK;
}

static crd_status hidden_setting_add_item(crd_settings *settings, crd_text item, size_t *workspace, crd_error *error) {
    crd_text name;
    size_t states, count = crd_i_dictionary_size(settings->hidden_nodes);
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = parse_item(item, &name, &states, error);
    if (status != CRD_OK) return status;
    if (crd_i_dictionary_find(settings->hidden_nodes, name) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "hidden names '%s' twice", crd_i_quote(name, quoted));
    if (!crd_i_reserve(settings->context, &settings->hidden_states, workspace, count + 1,
                       sizeof *settings->hidden_states) ||
        crd_i_dictionary_add(settings->hidden_nodes, name) < 0)
        return crd_i_fail_memory(error);
    settings->hidden_states[count] = states;
    return CRD_OK;
}

crd_status crd_i_hidden_parse(crd_settings *settings, crd_text text, crd_error *error) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    size_t capacity = 0;
    settings->hidden_nodes = crd_i_dictionary_create(settings->context);
    crd_status status = settings->hidden_nodes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&text, &item, &more, error);
        const crd_text view = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK) status = hidden_setting_add_item(settings, view, &capacity, error);
    }
    crd_i_buffer_clear(&item);
    return status;
}

bool crd_i_settings_hidden(const crd_settings *settings, crd_text name, size_t *states) {
    int32_t code = settings->hidden_nodes == NULL ? -1 : crd_i_dictionary_find(settings->hidden_nodes, name);
    *states = code < 0 ? 0 : settings->hidden_states[code];
    return code >= 0;
}

/* Appends one item of the canonical text. false: out of memory. */
static bool append_item(crd_i_buffer *out, const crd_settings *settings, size_t code) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    crd_text name = crd_i_dictionary_text(settings->hidden_nodes, code);
    char number[CRD_NUMBER_ROOM + 1] = "";
    if (settings->hidden_states[code] > 0) {
        number[0] = ':';
        crd_number_format((double)settings->hidden_states[code], number + 1);
    }
    bool done =
        crd_i_buffer_append(&item, name.bytes, name.length) && crd_i_buffer_append(&item, number, strlen(number));
    const crd_text whole = {(const char *)item.bytes, item.length};
    done = done && crd_i_item_append_name(out, out->length == 0, whole);
    crd_i_buffer_clear(&item);
    return done;
}

char *crd_i_hidden_text(const crd_settings *settings) {
    size_t count = crd_i_dictionary_size(settings->hidden_nodes);
    crd_i_buffer out = {settings->context, NULL, 0, 0};
    size_t *order = crd_i_alloc(settings->context, count, sizeof *order);
    bool done = order != NULL;
    for (size_t i = 0; done && i < count; i++) {
        size_t index = i;
        crd_text name = crd_i_dictionary_text(settings->hidden_nodes, i);
        for (;
             index > 0 && crd_i_text_compare(name, crd_i_dictionary_text(settings->hidden_nodes, order[index - 1])) < 0;
             index--)
            order[index] = order[index - 1];
        order[index] = i;
    }
    for (size_t i = 0; done && i < count; i++) done = append_item(&out, settings, order[i]);
    crd_free(settings->context, order);
    if (done && crd_i_buffer_append(&out, "", 1)) return (char *)out.bytes;
    crd_i_buffer_clear(&out);
    return NULL;
}
