/* SPDX-License-Identifier: MIT */
/* query_joint.c - see query_joint.h. */
#include "verbs/query/query_joint.h"

size_t joint_cells(const joint_distribution *j) {
    size_t cells = 1;
    for (size_t i = 0; i < j->count; i++) cells *= j->sizes[i];
    return cells;
}

size_t joint_value(const joint_distribution *j, size_t cell, size_t variable) {
    for (size_t i = j->count; i-- > variable + 1;) cell /= j->sizes[i];
    return cell % j->sizes[variable];
}

static void add_columns(report_table *t, const joint_distribution *j) {
    bool is_headed = j->count > 1 || j->has_errors;
    for (size_t i = 0; i < j->count; i++) {
        const char *shown = j->count > 1 ? report_shown(t->report, j->names[i]) : "";
        column_add_left(t, "value", j->is_hidden ? NULL : shown);
    }
    column_add(t, "probability", j->is_hidden ? NULL : j->has_errors ? "probability" : "");
    if (j->has_errors && !j->is_hidden) column_add(t, NULL, "error");
    t->is_headed = is_headed;
}

void joint_report(report *r, crd_text key, const joint_distribution *j) {
    char room[CRD_NUMBER_ROOM];
    size_t cells = joint_cells(j), seen = 0;
    report_table *t = report_add_table_named(r, key);
    t->shape = TABLE_NESTED;
    if (!j->all) t->rows_shown = QUERY_VALUES_SHOWN;
    add_columns(t, j);
    for (size_t cell = 0; cell < cells; cell++) {
        bool is_seen = j->is_seen == NULL || j->is_seen(j->of, cell);
        seen += is_seen;
        row_begin(t, is_seen ? FOR_ALL : FOR_JSON);
        for (size_t i = 0; i < j->count; i++) cell_name(t, j->value(j->of, i, joint_value(j, cell, i), room));
        j->add(t, j->of, cell);
    }
    if (!j->is_hidden && seen > t->rows_shown) report_remark(r, "and %zu more (--all)", seen - t->rows_shown);
}

void joint_add_key(string *out, const crd_text *names, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) string_add_char(out, ',');
        string_add(out, names[columns[i]].bytes, names[columns[i]].length);
    }
}
