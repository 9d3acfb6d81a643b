/* SPDX-License-Identifier: MIT */
/* hostile_rows.h - random files whose columns change what they are: cells that are numbers, amounts, dates, truth values, codes and words in
 * turn, that are missing as numbers and words as categories, infinite, or quoted. */
#ifndef HOSTILE_ROWS_H
#define HOSTILE_ROWS_H

#include "random_table.h"

#include <stdio.h>

enum { HOSTILE_COLUMNS = 3, HOSTILE_SORTS = 3, HOSTILE_ROOM = 1 << 14 };

#define PICK(list) (list)[table_below(sizeof(list) / sizeof *(list))]

static const char *const HOSTILE_CELLS[][4] = {
    {"1", "2", "-35", "0"},
    {"1.5", "2.25", "-3.125", "1e5"},
    {"1.234", "999", "12.345", "7"},
    {"\"1,5\"", "\"22,75\"", "\"0,5\"", "3"},
    {"$5", "\"$1,234.50\"", "($7)", "$0"},
    {"5 EUR", "7 EUR", "\"1,50 EUR\"", "0"},
    {"\"1,234\"", "\"5,678\"", "12", "\"9,000\""},
    {"5%", "0.5%", "0", "12%"},
    {"2024-02-29", "2023-12-01", "1999-01-05", "2024-03-04"},
    {"2024-02-29 12:30", "2023-12-01", "1999-01-05T01:02", "2024-03-04"},
    {"01/02/2024", "03/04/2024", "5/5/2023", "1/1/2020"},
    {"13/02/2024", "30/04/2024", "15/5/2023", "1/1/2020"},
    {"12:30", "1:05", "23:59:59", "0:00"},
    {"TRUE", "FALSE", "TRUE", "FALSE"},
    {"yes", "no", "yes", "yes"},
    {"YES", "NO", "Yes", "NO"},
    {"true", "yes", "No", "FALSE"},
    {"a", "b", "none", "x y"},
    {"007", "012", "12345678901234567890", "00"},
    {"", "NA", "?", "none"},
    {"none", "NONE", "None", "none"},
    {"inf", "1e999", "-inf", "3"},
    {"nan", "NaN", "null", "5"},
    {"\"none\"", "\"NA\"", "\"inf\"", "\"1\""},
    {"", "", "", ""},
};

/* Columns p, q and r, and the target y. Most columns have cells of one sort, some of two or three, one after the other or mixed; of some
 * files each class is in a range of the rows alone. */
static inline void draw_hostile_rows(char *destination, size_t rows) {
    static const char *const targets[][2] = {{"u", "v"}, {"yes", "YES"}, {"1", "2"}, {"true", "no"}};
    const char *const *classes = PICK(targets);
    const bool is_sorted = table_below(2) == 0;
    size_t sorts[HOSTILE_COLUMNS][HOSTILE_SORTS];
    for (size_t i = 0; i < HOSTILE_COLUMNS; i++)
        for (size_t k = 0; k < HOSTILE_SORTS; k++)
            sorts[i][k] =
                k > 0 && table_below(3) > 0 ? sorts[i][0] : table_below(sizeof HOSTILE_CELLS / sizeof *HOSTILE_CELLS);
    char *cursor = destination + sprintf(destination, "p,q,r,y\n");
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < HOSTILE_COLUMNS; i++)
            cursor += sprintf(
                cursor, "%s,",
                PICK(HOSTILE_CELLS[sorts[i][is_sorted ? row * HOSTILE_SORTS / rows : table_below(HOSTILE_SORTS)]]));
        cursor +=
            sprintf(cursor, "%s\n", table_below(20) == 0 ? "" : classes[is_sorted ? row * 2 / rows : table_below(2)]);
    }
    *cursor = '\0';
}

static inline void write_rows(const char *path, const char *content) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
