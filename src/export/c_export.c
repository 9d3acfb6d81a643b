/* SPDX-License-Identifier: MIT */
/* c_export.c - exports a model as one C99 file that needs only the C library. It contains the parameters and the
 * functions that use them. If CREDENCE_MAIN is defined, it also contains a program that reads CSV. */
#include "export/c_classifier.h"
#include "export/c_runtime.h"
#include "export/c_templates.h"

#include <credence/model.h>

#include <stdio.h>

/* Declarations of the exported file. */
static const char interface[] =
    "/* A value of a row: .number is NAN if missing, .text is NULL if missing. "
    "Categories\n"
    " * that never occurred in training are ignored, and so are numbers that no class can have. */\n"
    "typedef struct credence_value {\n"
    "    double number;\n"
    "    const char *text;\n"
    "} credence_value;\n"
    "\n"
    "/* Computes the posterior of each class and its logarithm (NULL: not needed), given CREDENCE_ATTRIBUTES values. "
    "Returns\n"
    " * the most probable class, the first one if there are ties; -1: all are impossible, and all posteriors 0. */\n"
    "long credence_posteriors(const credence_value *row, double *posteriors, double *log_posteriors);\n"
    "\n";

/* Definition of credence_posteriors. The format argument is the number of the classifier. */
static const char answer[] =
    "\n"
    "long credence_posteriors(const credence_value *row, double *posteriors, double *log_posteriors) {\n"
    "    double sums[CREDENCE_CLASSES];\n"
    "    long k, decision;\n"
    "    score_%zu(row, sums);\n"
    "    decision = conclude(sums, posteriors, CREDENCE_CLASSES);\n"
    "    for (k = 0; log_posteriors != NULL && k < CREDENCE_CLASSES; k++) log_posteriors[k] = sums[k];\n"
    "    return decision;\n"
    "}\n";

/* The program, in several literals because C99 limits a literal to 4095 characters. */
static const char *const program[] = {
    "\n"
    "/* ---- A program: rows of CSV with a header from a file or standard input, posteriors to standard output ---- "
    "*/\n"
    "#ifdef CREDENCE_MAIN\n"
    "#include <ctype.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "\n"
    "typedef struct csv_row {\n"
    "    char *bytes;\n"
    "    size_t *starts;\n"
    "    size_t length, room, fields, field_room;\n"
    "} csv_row;\n"
    "\n"
    "static void *grow(void *block, size_t *room, size_t needed, size_t size) {\n"
    "    if (needed <= *room) return block;\n"
    "    *room = needed * 2;\n"
    "    block = realloc(block, *room * size);\n"
    "    if (block == NULL) {\n"
    "        fputs(\"out of memory\\n\", stderr);\n"
    "        exit(1);\n"
    "    }\n"
    "    return block;\n"
    "}\n"
    "\n"
    "static void put_byte(csv_row *row, char byte) {\n"
    "    row->bytes = grow(row->bytes, &row->room, row->length + 1, 1);\n"
    "    row->bytes[row->length++] = byte;\n"
    "}\n"
    "\n"
    "static void begin_field(csv_row *row) {\n"
    "    row->starts = grow(row->starts, &row->field_room, row->fields + 1, sizeof *row->starts);\n"
    "    row->starts[row->fields++] = row->length;\n"
    "}\n"
    "\n",
    "/* Reads a row. Fields with commas, quotes (doubled) or line ends must be in quotes. Returns 0 after the last. "
    "*/\n"
    "static FILE *credence_input;\n"
    "\n"
    "static int read_row(csv_row *row) {\n"
    "    int byte = getc(credence_input), is_quoted = 0;\n"
    "    row->length = row->fields = 0;\n"
    "    while (byte == '\\n' || byte == '\\r') byte = getc(credence_input);\n"
    "    if (byte == EOF) return 0;\n"
    "    begin_field(row);\n"
    "    for (; byte != EOF && (is_quoted || byte != '\\n'); byte = getc(credence_input)) {\n"
    "        if (byte == '\"' && is_quoted) {\n"
    "            byte = getc(credence_input);\n"
    "            if (byte == '\"') {\n"
    "                put_byte(row, '\"');\n"
    "                continue;\n"
    "            }\n"
    "            is_quoted = 0;\n"
    "            if (byte == '\\n' || byte == EOF) break;\n"
    "        }\n"
    "        if (byte == '\"' && !is_quoted && row->length == row->starts[row->fields - 1]) is_quoted = 1;\n"
    "        else if (byte == ',' && !is_quoted) {\n"
    "            put_byte(row, '\\0');\n"
    "            begin_field(row);\n"
    "        } else if (is_quoted || byte != '\\r') put_byte(row, (char)byte);\n"
    "    }\n"
    "    put_byte(row, '\\0');\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "/* Compares texts and ignores case. */\n"
    "static int is_same(const char *a, const char *b) {\n"
    "    for (; *a != '\\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b); a++) b++;\n"
    "    return *a == '\\0' && *b == '\\0';\n"
    "}\n"
    "\n"
    "/* Returns whether a text means a missing value. None does, but none is a category. */\n"
    "static int means_missing(const char *text) {\n"
    "    long i;\n"
    "    int is_none = is_same(text, \"None\") && strcmp(text, \"None\") != 0;\n"
    "    for (i = 0; credence_missing[i] != NULL; i++)\n"
    "        if (is_none ? strcmp(text, credence_missing[i]) == 0 : is_same(text, credence_missing[i])) return 1;\n"
    "    return text[0] == '\\0';\n"
    "}\n"
    "\n"
    "static void print_text(const char *text) {\n"
    "    if (strpbrk(text, \",\\\"\\r\\n\") == NULL) {\n"
    "        fputs(text, stdout);\n"
    "        return;\n"
    "    }\n"
    "    putchar('\"');\n"
    "    for (; *text != '\\0'; text++) {\n"
    "        if (*text == '\"') putchar('\"');\n"
    "        putchar(*text);\n"
    "    }\n"
    "    putchar('\"');\n"
    "}\n"
    "\n"
    "/* Prints P(name). */\n"
    "static void print_heading(const char *name) {\n"
    "    size_t length = strlen(name);\n"
    "    char *heading = malloc(length + 4);\n"
    "    if (heading == NULL) exit(1);\n"
    "    memcpy(heading, \"P(\", 2);\n"
    "    memcpy(heading + 2, name, length);\n"
    "    memcpy(heading + 2 + length, \")\", 2);\n"
    "    print_text(heading);\n"
    "    free(heading);\n"
    "}\n"
    "\n",
    "/* Reads the given file, or standard input. */\n"
    "int main(int count, char **words) {\n"
    "    static credence_value row[CREDENCE_ATTRIBUTES + 1];\n"
    "    static long columns[CREDENCE_ATTRIBUTES + 1];\n"
    "    double posteriors[CREDENCE_CLASSES];\n"
    "    csv_row cells = {NULL, NULL, 0, 0, 0, 0};\n"
    "    long i, k;\n"
    "    size_t field;\n"
    "    credence_input = stdin;\n"
    "    if (count > 2) {\n"
    "        fprintf(stderr, \"usage: %s [FILE]\\n\", words[0]);\n"
    "        return 2;\n"
    "    }\n"
    "    if (count == 2 && strcmp(words[1], \"-\") != 0) credence_input = fopen(words[1], \"rb\");\n"
    "    if (credence_input == NULL) {\n"
    "        perror(words[1]);\n"
    "        return 1;\n"
    "    }\n"
    "    if (!read_row(&cells)) return 0;\n"
    "    if (cells.length > 3 && memcmp(cells.bytes, \"\\xEF\\xBB\\xBF\", 3) == 0) cells.starts[0] = 3;\n"
    "    for (i = 0; i < CREDENCE_ATTRIBUTES; i++)\n"
    "        for (columns[i] = -1, field = 0; field < cells.fields; field++)\n"
    "            if (strcmp(cells.bytes + cells.starts[field], credence_attributes[i]) == 0) columns[i] = "
    "(long)field;\n"
    "    fputs(\"prediction\", stdout);\n"
    "    for (k = 0; k < CREDENCE_CLASSES; k++) {\n"
    "        putchar(',');\n"
    "        print_heading(credence_classes[k]);\n"
    "    }\n"
    "    putchar('\\n');\n"
    "    while (read_row(&cells)) {\n"
    "        for (i = 0; i < CREDENCE_ATTRIBUTES; i++) {\n"
    "            int is_there = columns[i] >= 0 && (size_t)columns[i] < cells.fields;\n"
    "            const char *text = is_there ? cells.bytes + cells.starts[columns[i]] : \"\";\n"
    "            char *end = NULL;\n"
    "            row[i].text = means_missing(text) ? NULL : text;\n"
    "            row[i].number = row[i].text == NULL ? NAN : strtod(text, &end);\n"
    "            if (end != NULL && (end == text || *end != '\\0')) row[i].number = NAN;\n"
    "        }\n"
    "        k = credence_posteriors(row, posteriors, NULL);\n"
    "        if (k >= 0) print_text(credence_classes[k]);\n"
    "        for (k = 0; k < CREDENCE_CLASSES; k++) printf(\",%.17g\", posteriors[k]);\n"
    "        putchar('\\n');\n"
    "    }\n"
    "    free(cells.bytes);\n"
    "    free(cells.starts);\n"
    "    return 0;\n"
    "}\n"
    "#endif\n"};

/* Writes the first comment of the file, which lists the cells of a row, and its declarations. */
static void write_head(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    crd_i_export_format(writer, "/* Written by credence %s: the class '", crd_version());
    crd_i_c_write_comment(writer, crd_summary_target(exported->summary));
    crd_i_export_text(writer, "'.\n *\n * The values of a row:\n");
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_export_format(writer, " *   [%zu].%s  ", i,
                            classifier->attributes[i].kind == CRD_KIND_CATEGORY ? "text  " : "number");
        crd_i_c_write_comment(writer, classifier->attributes[i].name);
        crd_i_export_text(writer, "\n");
    }
    crd_i_export_text(writer,
                      " *\n * cc -std=c99 -O2 -DCREDENCE_MAIN THIS_FILE -lm makes a program that reads a CSV file, "
                      "or standard input. */\n"
                      "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n\n");
    crd_i_export_format(writer, "enum { CREDENCE_CLASSES = %zu, CREDENCE_ATTRIBUTES = %zu };\n\n",
                        classifier->class_count, classifier->attribute_count);
    crd_i_export_text(writer, interface);
}

/* Writes the names of classes and attributes and, for the program, the texts that mean a missing value. */
static void c_export_write_names(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    crd_i_export_text(writer, "extern const char *const credence_classes[], *const credence_attributes[];\n");
    crd_i_export_text(writer, "const char *const credence_classes[] = {");
    for (size_t k = 0; k < classifier->class_count; k++) {
        crd_i_c_write_text(writer, crd_i_dictionary_text(classifier->classes, k));
        crd_i_export_text(writer, ",\n    ");
    }
    crd_i_export_text(writer, "NULL};\nconst char *const credence_attributes[] = {");
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_c_write_text(writer, classifier->attributes[i].name);
        crd_i_export_text(writer, ",\n    ");
    }
    crd_i_export_text(writer, "NULL};\n\n#ifdef CREDENCE_MAIN\nstatic const char *const credence_missing[] = {");
    for (size_t i = 0; i < crd_summary_missing_count(exported->summary); i++) {
        crd_i_c_write_text(writer, crd_summary_missing(exported->summary, i));
        crd_i_export_text(writer, ", ");
    }
    crd_i_export_text(writer, "NULL};\n#endif\n");
}

/* Writes the text of all functions whose bits are set, and of the functions that these use. A function only uses
 * functions before it, so one pass in descending order finds all of them. */
static void write_functions(crd_i_export_writer *writer, unsigned functions) {
    for (unsigned i = CRD_I_C_FUNCTIONS; i-- > 0;)
        if ((functions >> i & 1) != 0) functions |= crd_i_c_uses[i];
    for (unsigned i = 0; i < CRD_I_C_FUNCTIONS; i++) {
        if ((functions >> i & 1) == 0) continue;
        crd_i_export_text(writer, "\n");
        crd_i_export_text(writer, crd_i_c_texts[i]);
    }
}

crd_status crd_i_export_c(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    crd_i_c_file file = {.writer = writer, .top = exported->classifier};
    unsigned functions = 0;
    size_t number = 0;
    crd_status status = crd_i_c_check(exported->classifier, &functions, error);
    if (status != CRD_OK) return status;
    write_head(exported, writer);
    c_export_write_names(exported, writer);
    write_functions(writer, functions);
    status = crd_i_c_write_classifier(&file, exported->classifier, &number, error);
    if (status != CRD_OK) return status;
    crd_i_export_format(writer, answer, number);
    for (size_t i = 0; i < sizeof program / sizeof *program; i++) crd_i_export_text(writer, program[i]);
    return CRD_OK;
}
