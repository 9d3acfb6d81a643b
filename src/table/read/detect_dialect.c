/* SPDX-License-Identifier: MIT */
/* detect_dialect.c - see detect_dialect.h.
 *
 * Contents:
 *   1. Dialect detection
 *   2. First bytes */
#include "table/read/detect_dialect.h"

#include "base/error.h"
#include "math/decimal/decimal.h"

#include <string.h>

/* ======== 1. Dialect detection ======== */

static const char CANDIDATES[] = ",;|";
enum { COMMA, SEMICOLON, CANDIDATE_COUNT = sizeof CANDIDATES - 1 };

/* Counts each candidate outside quotes in the first line. Returns true if the line has a tab there, which decides. */
static bool count_candidates(const crd_i_slow_parse *records, char decimal, size_t counts[CANDIDATE_COUNT]) {
    const char *bytes = (const char *)records->bytes + records->start;
    crd_i_scan_state state = CRD_I_SCAN_CELL_START;
    bool has_quotes = crd_i_slow_parse_has_quotes(records);
    for (size_t i = 0; i < records->length; i++) {
        const char *candidate = bytes[i] == '\0' ? NULL : strchr(CANDIDATES, bytes[i]);
        bool separates = bytes[i] == '\t' || (candidate != NULL && (bytes[i] != ',' || decimal != ','));
        if (separates && state != CRD_I_SCAN_QUOTED) {
            if (bytes[i] == '\t') return true;
            counts[candidate - CANDIDATES]++;
        }
        if (has_quotes) state = crd_i_scan_step(state, bytes[i], records->quote, separates, bytes[i] == ' ');
    }
    return false;
}

static bool detect_dialect_is_number(crd_text text, const crd_i_dialect_rules *rules) {
    double number;
    return crd_i_decimal_parse(text, rules->decimal, &number) != CRD_NUMBER_NONE ||
           crd_i_missing_has(rules->missing, text, false);
}

crd_status crd_i_detect_first_rows(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, crd_i_first_rows *rows,
                                   crd_error *error) {
    crd_status status = crd_i_first_rows_read(rows, records, rules->lines, error);
    bool may_have_names = status == CRD_OK && rows->rows == 2 && crd_i_first_rows_are_even(rows, 1);
    return may_have_names ? crd_i_first_rows_read(rows, records, rules->lines + 1, error) : status;
}

/* Returns whether all fields of the first row, except perhaps the last, are numbers. */
static bool detect_dialect_has_numbers_before_last(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules) {
    for (size_t field = 0; field + 1 < rows->widths[0]; field++)
        if (!detect_dialect_is_number(crd_i_first_rows_text(rows, 0, field), rules)) return false;
    return rows->widths[0] > 1;
}

static bool are_between_blanks(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules) {
    size_t width = rows->widths[0];
    bool has_numbers = false;
    if (crd_i_detect_row_names(rows)) return true;
    if (!crd_i_first_rows_are_even(rows, 0)) return false;
    for (size_t field = 0; field < width && !has_numbers; field++)
        has_numbers = crd_i_first_rows_are_numbers(rows, field, rules->missing, rules->decimal);
    return width > 2 || has_numbers;
}

/* Returns in *are whether the records are rows with space-separated fields. */
static crd_status check_blanks(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, crd_i_first_rows *rows,
                               bool *are, crd_error *error) {
    records->separator = ' ';
    *are = false;
    crd_status status = crd_i_first_rows_read(rows, records, 0, error);
    if (status != CRD_OK || rows->rows == 0 || rows->widths[0] < 2) return status;
    *are = detect_dialect_has_numbers_before_last(rows, rules);
    if (*are) return CRD_OK;
    status = crd_i_detect_first_rows(records, rules, rows, error);
    *are = status == CRD_OK && are_between_blanks(rows, rules);
    return status;
}

/* Chooses the separator if the first line has several candidates. */
static crd_status choose_candidate(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                   const size_t counts[CANDIDATE_COUNT], crd_i_first_rows *rows, crd_error *error) {
    size_t usual = counts[SEMICOLON] > counts[COMMA] ? SEMICOLON : COMMA;
    size_t order[] = {usual, COMMA + SEMICOLON - usual, CANDIDATE_COUNT - 1};
    for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
        if (counts[order[i]] == 0) continue;
        records->separator = CANDIDATES[order[i]];
        crd_status status = crd_i_first_rows_read(rows, records, rules->lines, error);
        if (status != CRD_OK || crd_i_first_rows_are_even(rows, 0)) return status;
    }
    records->separator = CANDIDATES[usual];
    return CRD_OK;
}

/* ---- Tokens with their tags ---- */

static bool begin_with_hash(const crd_i_first_rows *rows) {
    for (size_t row = 0; row < rows->rows; row++) {
        crd_text first = rows->widths[row] == 0 ? (crd_text){"", 0} : crd_i_first_rows_text(rows, row, 0);
        if (first.length == 0 || first.bytes[0] != '#') return false;
    }
    return true;
}

/* Returns whether a non-empty line has a tab. */
static bool have_tab(const crd_i_first_rows *rows) {
    const unsigned char *bytes = rows->copy.bytes;
    bool has_tab = false, has_text = false;
    for (size_t i = 0; i < rows->copy.end && !(has_tab && has_text); i++) {
        if (bytes[i] == '\n') has_tab = has_text = false;
        else if (bytes[i] == '\t') has_tab = true;
        else if (bytes[i] != ' ' && bytes[i] != '\r') has_text = true;
    }
    return has_tab && has_text;
}

/* Looks for tabs in the first lines, and reads the rows as space-separated. For a pipe, one line is enough unless it
 * begins with #. */
static crd_status look_for_tabs(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, crd_i_first_rows *rows,
                                bool *has_tabs, crd_error *error) {
    const char separator = records->separator;
    size_t before = 0, lines = rules->lines > 1 ? rules->lines : 0;
    crd_status status = CRD_OK;
    *has_tabs = false;
    records->separator = ' ';
    for (bool is_open = true; status == CRD_OK && is_open; lines = lines * 2 + 1) {
        status = crd_i_first_rows_read(rows, records, lines, error);
        if (status != CRD_OK) break;
        *has_tabs = have_tab(rows);
        is_open = !*has_tabs && rows->copy.end > before && begin_with_hash(rows);
        before = rows->copy.end;
    }
    records->separator = separator;
    return status;
}

crd_status crd_i_detect_tabs(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, bool *has_tabs,
                             crd_error *error) {
    crd_i_first_rows rows = {.copy = {.context = records->context}};
    crd_status status = look_for_tabs(records, rules, &rows, has_tabs, error);
    crd_i_first_rows_clear(&rows);
    return status;
}

/* Returns whether there are at least two rows with equally many fields, at least two per row, none of them empty. */
static bool are_full(const crd_i_first_rows *rows) {
    if (!crd_i_first_rows_are_even(rows, 0) || rows->widths[0] < 2) return false;
    for (size_t row = 0; row < rows->rows; row++)
        for (size_t field = 0; field < rows->widths[row]; field++)
            if (crd_i_first_rows_text(rows, row, field).length == 0) return false;
    return true;
}

static crd_status detect_of_tokens(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                   const size_t counts[CANDIDATE_COUNT], crd_i_first_rows *rows, crd_error *error) {
    bool has_tabs;
    crd_status status = look_for_tabs(records, rules, rows, &has_tabs, error);
    records->separator = has_tabs ? '\t' : ' ';
    const bool are_words = status == CRD_OK && rows->rows > 0 && rows->widths[0] > 1 &&
                           (rows->rows == 1 || crd_i_first_rows_are_even(rows, 0));
    for (size_t i = 0; status == CRD_OK && !has_tabs && !are_words && i < CANDIDATE_COUNT; i++) {
        if (counts[i] == 0) continue;
        records->separator = CANDIDATES[i];
        status = crd_i_first_rows_read(rows, records, rules->lines, error);
        if (status == CRD_OK && are_full(rows)) return CRD_OK;
        records->separator = ' ';
    }
    return status;
}

static crd_status detect_separators(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, crd_i_first_rows *rows,
                                    crd_error *error) {
    size_t counts[CANDIDATE_COUNT] = {0}, present = 0;
    bool are_blanks;
    if (count_candidates(records, rules->decimal, counts)) {
        records->separator = '\t';
        return CRD_OK;
    }
    if (rules->are_tokens) return detect_of_tokens(records, rules, counts, rows, error);
    for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
        if (counts[i] == 0) continue;
        present++;
        records->separator = CANDIDATES[i];
    }
    if (present == 1) return CRD_OK;
    if (present > 1) return choose_candidate(records, rules, counts, rows, error);
    crd_status status = check_blanks(records, rules, rows, &are_blanks, error);
    records->separator = status == CRD_OK && are_blanks ? ' ' : ',';
    return status;
}

crd_status crd_i_detect_separator(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, crd_error *error) {
    crd_i_first_rows rows = {.copy = {.context = records->context}};
    crd_status status = detect_separators(records, rules, &rows, error);
    crd_i_first_rows_clear(&rows);
    return status;
}

bool crd_i_detect_row_names(const crd_i_first_rows *rows) {
    if (rows->rows < 3 || !crd_i_first_rows_are_even(rows, 1)) return false;
    for (size_t row = 1; row < rows->rows; row++)
        if (crd_i_first_rows_text(rows, row, rows->widths[0]).length > 0) return true;
    return false;
}

/* ---- Row names ---- */

static bool is_whole_number(crd_text text, size_t number) {
    double result;
    return crd_i_decimal_parse(text, '.', &result) == CRD_NUMBER_FINITE && result == (double)number;
}

static bool are_digits(crd_text text, size_t least, size_t most) {
    size_t digits = 0;
    while (digits < text.length && text.bytes[digits] >= '0' && text.bytes[digits] <= '9') digits++;
    return digits == text.length && digits >= least && digits <= most;
}

/* Returns whether two adjacent fields of all rows look like one number with a thousands separator. */
static bool have_thousands(const crd_i_first_rows *rows, size_t field) {
    for (size_t row = 1; row < rows->rows; row++)
        if (!are_digits(crd_i_first_rows_text(rows, row, field), 1, 3) ||
            !are_digits(crd_i_first_rows_text(rows, row, field + 1), 3, 3))
            return false;
    return true;
}

/* Returns whether the header has a typical name of a column of row numbers. */
static bool names_numbers(crd_text name) {
    static const char *const NAMES[] = {"id",  "nr",  "no",  "no.", "#",    "n",    "number",
                                        "row", "key", "idx", "obs", "case", "index"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        size_t index = 0;
        while (index < name.length && NAMES[i][index] != '\0' && (name.bytes[index] | 0x20) == (NAMES[i][index] | 0x20))
            index++;
        if (index == name.length && NAMES[i][index] == '\0') return true;
    }
    return false;
}

/* Returns whether the first field, which has no name in the header, numbers the rows from 1. */
static bool are_numbered(const crd_i_first_rows *rows) {
    for (size_t row = 1; row < rows->rows; row++)
        if (!is_whole_number(crd_i_first_rows_text(rows, row, 0), row)) return false;
    if (names_numbers(crd_i_first_rows_text(rows, 0, 0))) return false;
    for (size_t field = 1; rows->copy.separator == ',' && field < rows->widths[0]; field++)
        if (have_thousands(rows, field)) return false;
    return true;
}

static bool are_different(const crd_i_first_rows *rows) {
    for (size_t row = 2; row < rows->rows; row++)
        for (size_t other = 1; other < row; other++)
            if (crd_text_equal(crd_i_first_rows_text(rows, row, 0), crd_i_first_rows_text(rows, other, 0)))
                return false;
    return true;
}

bool crd_i_detect_named_rows(const crd_i_first_rows *rows) {
    bool are_quoted = true, are_words = rows->copy.separator == '\t' || rows->copy.separator == ' ';
    for (size_t row = 1; row < rows->rows; row++) {
        const crd_text name = crd_i_first_rows_text(rows, row, 0);
        double number;
        if (name.length == 0) return false;
        are_quoted = are_quoted && rows->cells[row * rows->stride].form == CRD_I_CELL_QUOTED;
        are_words = are_words && crd_i_decimal_parse(name, '.', &number) == CRD_NUMBER_NONE;
    }
    return (are_quoted || are_words || are_numbered(rows)) && are_different(rows);
}

bool crd_i_detect_end_separator(const crd_i_first_rows *rows) {
    if (rows->copy.separator == ' ' || !crd_i_first_rows_are_even(rows, 1)) return false;
    for (size_t row = 1; row < rows->rows; row++)
        if (crd_i_first_rows_text(rows, row, rows->widths[0]).length > 0) return false;
    return true;
}

/* ---- Quotes ---- */

/* Returns whether a field that begins with a quote also ends with one, and has only doubled quotes in between. */
static bool is_enclosed(crd_text field, char quote) {
    size_t index = 1;
    while (index < field.length &&
           (field.bytes[index] != quote || (index + 1 < field.length && field.bytes[index + 1] == quote)))
        index += field.bytes[index] == quote ? 2 : 1;
    return index + 1 == field.length;
}

static crd_text without_blanks(const char *begin, const char *end) {
    while (begin < end && *begin == ' ') begin++;
    while (begin < end && (end[-1] == ' ' || end[-1] == '\r')) end--;
    return (crd_text){begin, (size_t)(end - begin)};
}

bool crd_i_detect_literal_quotes(crd_text beginning, bool are_all, char quote) {
    if (quote == '\0' || beginning.length == 0 || memchr(beginning.bytes, quote, beginning.length) == NULL)
        return false;
    const char *cursor = beginning.bytes, *end = cursor + beginning.length;
    size_t tabs_expected = 0;
    bool has_open = false;
    while (cursor < end) {
        const char *line_end = memchr(cursor, '\n', (size_t)(end - cursor));
        if (line_end == NULL && !are_all) break;
        if (line_end == NULL) line_end = end;
        bool is_empty = without_blanks(cursor, line_end).length == 0;
        size_t tabs = 0;
        for (const char *field = cursor; !is_empty && field <= line_end; tabs++) {
            const char *tab = memchr(field, '\t', (size_t)(line_end - field));
            crd_text text = without_blanks(field, tab != NULL ? tab : line_end);
            if (text.length > 0 && text.bytes[0] == quote && !is_enclosed(text, quote)) has_open = true;
            if (tab == NULL) break;
            field = tab + 1;
        }
        if (tabs_expected == 0) tabs_expected = tabs;
        if (!is_empty && (tabs == 0 || tabs != tabs_expected)) return false;
        cursor = line_end + 1;
    }
    return has_open;
}

char crd_i_detect_stated_separator(crd_text line) {
    static const char MARK[] = "sep=";
    if (line.length != sizeof MARK) return '\0';
    for (size_t i = 0; i < sizeof MARK - 1; i++)
        if ((line.bytes[i] | (i < 3 ? 0x20 : 0)) != MARK[i]) return '\0';
    char separator = line.bytes[sizeof MARK - 1];
    return separator == '"' || separator == '\'' ? '\0' : separator;
}

static const char SEPARATORS[] = {
    [CRD_SEPARATOR_AUTO] = '\0', [CRD_SEPARATOR_COMMA] = ',', [CRD_SEPARATOR_SEMICOLON] = ';',
    [CRD_SEPARATOR_TAB] = '\t',  [CRD_SEPARATOR_BLANK] = ' ', [CRD_SEPARATOR_PIPE] = '|',
};

char crd_i_separator_byte(crd_separator separator) {
    return (size_t)separator < sizeof SEPARATORS ? SEPARATORS[separator] : '\0';
}

crd_separator crd_i_separator_of_byte(char byte) {
    for (size_t i = 0; i < sizeof SEPARATORS; i++)
        if (SEPARATORS[i] == byte) return (crd_separator)i;
    return CRD_SEPARATOR_OTHER;
}

/* ======== 2. First bytes ======== */

/* Initial bytes of files that users pass by mistake. */
typedef struct foreign_format {
    const char *magic; /* '*': any byte */
    size_t length;
    const char *message;
    const char *format; /* subject of the error if programs can offer a remedy; NULL: none */
} foreign_format;

static const foreign_format FOREIGN[] = {
    {"\x8D"
     "CRD\r\n",
     6, "this is a Credence model, not a table", NULL},
    {"PK\3\4**************************[Content_Types].xml", 49,
     "this is an Office document, such as XLSX: export it as CSV", NULL},
    {"PK\3\4**************************_rels/", 36, "this is an Office document, such as XLSX: export it as CSV", NULL},
    {"PK\3\4**************************docProps/", 39, "this is an Office document, such as XLSX: export it as CSV",
     NULL},
    {"PK\3\4**************************xl/", 33, "this is a spreadsheet (XLSX): export it as CSV", NULL},
    {"PK\3\4**************************mimetypeapplication/vnd.oasis.opendocument", 72,
     "this is an OpenDocument file, such as ODS: export it as CSV", NULL},
    {"PK\3\4", 4, "this is a ZIP archive: unpack it", "ZIP"},
    {"\xD0\xCF\x11\xE0", 4, "this is an old Office document, perhaps a spreadsheet: export it as CSV", NULL},
    {"%PDF-", 5, "this is a PDF document, not a text table", NULL},
    {"\x89PNG", 4, "this is a PNG image, not a text table", NULL},
    {"\xFF\xD8\xFF", 3, "this is a JPEG image, not a text table", NULL},
    {"GIF8", 4, "this is a GIF image, not a text table", NULL},
    {"\xFD"
     "7zXZ",
     5, "this is compressed by xz: only gzip and zstd are supported", "xz"},
    {"BZh*1AY&SY", 10, "this is compressed by bzip2: only gzip and zstd are supported", "bzip2"},
    {"\x04\x22\x4D\x18", 4, "this is compressed by lz4: only gzip and zstd are supported", "lz4"},
    {"7z\xBC\xAF", 4, "this is a 7-Zip archive: unpack it", "7-Zip"},
    {"\x93NUMPY", 6, "this is a NumPy array: export it as CSV", NULL},
    {"Obj\1", 4, "this is an Avro file: convert it to CSV", NULL},
    {"$FL2", 4, "this is an SPSS file: export it as CSV", NULL},
    {"<stata_dta>", 11, "this is a Stata file: export it as CSV", NULL},
    {"MATLAB 5.0 MAT", 14, "this is a MATLAB file: export it as CSV", NULL},
    {"PAR1", 4, "this is a Parquet file: convert it to CSV", "Parquet"},
    {"ARROW1", 6, "this is an Arrow file: convert it to CSV", "Arrow"},
    {"\xFF\xFF\xFF\xFF", 4, "this is an Arrow stream: convert it to CSV", "Arrow"},
    {"\x89HDF", 4, "this is an HDF5 file: convert it to CSV", NULL},
    {"SQLite format 3", 16, "this is an SQLite database: export the table as CSV", NULL},
    {"\x7F"
     "ELF",
     4, "this is a program (ELF), not a text table", NULL},
};

/* Number of bytes to wait for in any case, also from a pipe; number of bytes to inspect if they are available. */
enum { LONGEST_MAGIC = 16, MOST_LOOKED_AT = 512 };

/* The tags of model sections. They identify a model file whose beginning is lost. */
enum { TAG_LENGTH = 4 };
static const char SECTIONS[][TAG_LENGTH + 1] = {"SCHM", "MEMB", "NETW", "SETT", "CLAS", "ATTR"};

static bool has_section(const char *first, size_t length) {
    for (size_t index = 0; index + TAG_LENGTH <= length; index++)
        for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS; i++)
            if (memcmp(first + index, SECTIONS[i], TAG_LENGTH) == 0) return true;
    return false;
}

/* Returns whether the bytes are text, except for NUL bytes after the first line. In that case only the rows with NUL
 * bytes are invalid. */
static bool is_text_with_nul(const char *first, size_t length) {
    const char *line_end = memchr(first, '\n', length), *nul = memchr(first, '\0', length);
    if (line_end == NULL || line_end == first || nul < line_end) return false;
    size_t i = 0;
    while (i < length && (first[i] == '\0' || !crd_i_is_control(first[i]))) i++;
    return i == length;
}

static crd_status refuse_bytes(const char *first, size_t length, crd_error *error) {
    uint64_t line = 1;
    if (has_section(first, length))
        return crd_i_fail(error, CRD_ERROR_SYNTAX, "this is a Credence model whose first bytes are damaged");
    for (size_t i = 0; i < length && first[i] != '\0'; i++) line += first[i] == '\n';
    crd_i_fail(error, CRD_ERROR_SYNTAX, "a NUL byte: this is not a text file");
    crd_i_error_place(error, NULL, line, 0);
    return CRD_ERROR_SYNTAX;
}

static bool has_magic(const char *first, size_t length, const foreign_format *format) {
    if (format->length > length) return false;
    for (size_t i = 0; i < format->length; i++)
        if (format->magic[i] != '*' && format->magic[i] != first[i]) return false;
    return true;
}

/* Rejects files of old Macs, whose lines end with a carriage return only. Checked if a carriage return without a
 * line feed occurs. */
static crd_status check_line_ends(crd_i_slow_parse *records, size_t length, crd_error *error) {
    enum { LINES_LOOK = 1 << 16 };
    const char *first = crd_i_slow_parse_bytes(records), *end = first + length;
    const char *match = length == 0 ? NULL : memchr(first, '\r', length);
    if (match == NULL || match + 1 >= end || memchr(first, '\n', length) != NULL) return CRD_OK;
    crd_status status = crd_i_slow_parse_peek(records, LINES_LOOK, error);
    if (status != CRD_OK) return status;
    length = records->end - records->kept;
    if (memchr(crd_i_slow_parse_bytes(records), '\n', length) != NULL) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "lines end with a single carriage return (CR): convert them to line feeds");
    crd_i_error_subject(error, crd_text_of("CR"));
    return CRD_ERROR_SYNTAX;
}

crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error) {
    static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";
    size_t looked_at = is_at_hand ? MOST_LOOKED_AT : LONGEST_MAGIC;
    crd_status status = crd_i_slow_parse_peek(records, looked_at, error);
    if (status != CRD_OK) return status;
    size_t length = records->end - records->kept;
    const char *first = crd_i_slow_parse_bytes(records);
    if (length > looked_at) length = looked_at; /* ignore further bytes that happened to arrive */
    for (size_t i = 0; i < sizeof FOREIGN / sizeof FOREIGN[0]; i++) {
        if (has_magic(first, length, &FOREIGN[i])) {
            crd_i_fail(error, CRD_ERROR_SYNTAX, "%s", FOREIGN[i].message);
            if (FOREIGN[i].format != NULL) crd_i_error_subject(error, crd_text_of(FOREIGN[i].format));
            return CRD_ERROR_SYNTAX;
        }
    }
    /* Text in a byte encoding contains no NUL, and binary files soon do. */
    if (length > 0 && memchr(first, '\0', length) != NULL &&
        (has_section(first, length) || !is_text_with_nul(first, length)))
        return refuse_bytes(first, length, error);
    if (length >= 3 && memcmp(first, BYTE_ORDER_MARK, 3) == 0) crd_i_slow_parse_skip(records, 3);
    return check_line_ends(records, length < records->end - records->kept ? length : records->end - records->kept,
                           error);
}
