/* explain_row.c - see explain_row.h. */
#include "verbs/explain/explain_row.h"

#include <math.h>

void explain_add_value(string *out, const crd_value *value) {
    char room[CRD_NUMBER_ROOM];
    if (value->kind == CRD_KIND_CATEGORY) {
        string_add_shown(out, value->text);
    } else if (value->kind == CRD_KIND_NUMBER && !isnan(value->number)) {
        string_add(out, room, crd_number_format(value->number, room));
    } else {
        string_add_char(out, '?');
    }
}
