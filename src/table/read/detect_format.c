/* SPDX-License-Identifier: MIT */
/* detect_format.c - see detect_format.h. */
#include "table/read/detect_format.h"

#include "base/error.h"

#include <string.h>

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
