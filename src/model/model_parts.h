/* SPDX-License-Identifier: MIT */
/* model_parts.h - operations on whole models: creation, encoding and decoding, reduction and merging. */
#ifndef CRD_MODEL_MODEL_PARTS_H
#define CRD_MODEL_MODEL_PARTS_H

#include "model/model_internal.h"

/* Creates a model. Takes over the schema, even if it fails. Copies the settings (NULL: defaults) and stores the
 * extra and joint tallies that they need; the bare version stores none. If the settings specify a network to count,
 * the schema needs no target. */
CRD_MUST_USE crd_status crd_i_model_create(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                           crd_model **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_create_bare(crd_context *context, crd_i_schema *schema,
                                                const crd_settings *settings, crd_model **out, crd_error *error);
/* Stores further tallies and joint tallies from now on. The model must not have learned anything; on failure it is
 * unchanged. */
CRD_MUST_USE crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error);
/* Stores the same tallies as another model with the same columns, and no others: later settings might require other
 * tallies. The model must be bare and must not have learned anything. */
CRD_MUST_USE crd_status crd_i_model_keep_like(crd_model *model, const crd_model *like, crd_error *error);
/* Creates a model with the same columns, settings, extra tallies and joint tallies, but without rows. */
CRD_MUST_USE crd_status crd_i_model_create_like(const crd_model *model, crd_model **out, crd_error *error);
/* Copies a model with everything it has learned. */
CRD_MUST_USE crd_status crd_i_model_clone(const crd_model *model, crd_model **out, crd_error *error);

/* ======== Decoding ========
 *
 * Models are decoded from untrusted bytes. */

/* Decodes a model that is part of another one; its type must have a smaller nesting. */
CRD_MUST_USE crd_status crd_i_model_decode_part(crd_context *context, const unsigned char *bytes, size_t length,
                                                unsigned nesting, crd_model **out, crd_error *error);

/* Checks that the bytes just written for a model can be read. */
CRD_MUST_USE crd_status crd_i_model_check_readable(const crd_model *model, const unsigned char *bytes, size_t length,
                                                   crd_error *error);

/* Reads what crd_i_model_write_settings wrote into settings that are at their defaults. */
CRD_MUST_USE crd_status crd_i_model_read_settings(crd_i_cursor *cursor, crd_settings *settings, crd_error *error);

/* ======== Encoding ========
 *
 * docs/model-file.md specifies every byte. */

void crd_i_tallied_write(const crd_model *model, crd_i_encoder *encoder);
/* Writes the number of explicitly set settings, and each with its value. */
void crd_i_model_write_settings(const crd_settings *settings, crd_i_encoder *encoder);
/* Writes the file of a model that is part of another: its length and its bytes. */
void crd_i_model_write_nested(const crd_model *model, crd_i_encoder *encoder);

/* ======== Reduction ========
 *
 * The processes of a group train models on parts of the rows, which are then combined. */

/* Adds the facts about further rows. */
void crd_i_read_facts_add(crd_read_facts *facts, const crd_read_facts *more);
/* Records a text of skipped rows. The smallest text is kept, so the result does not depend on order. */
void crd_i_read_facts_note(crd_read_facts *facts, crd_text text);

/* Collective (processes/group.h). Merges the models of all processes along a tree and adds the facts; each process gets
 * the result. On failure *model is NULL. */
CRD_MUST_USE crd_status crd_i_model_reduce(crd_i_group *group, crd_model **model, crd_read_facts *facts,
                                           crd_error *error);
/* Collective. Merges the models of a reader's rows like crd_i_model_reduce. If each process has all rows, its own model
 * is already the result. */
CRD_MUST_USE crd_status crd_i_model_reduce_rows(const crd_reader *reader, crd_model **model, crd_read_facts *facts,
                                                crd_error *error);

/* ======== New columns ========
 *
 * Training uses all rows to decide how the texts of a column are read: as numbers, amounts, truth values,
 * categories. A model that learns more rows must read them as training on all rows at once would. If its columns do
 * not allow that, rows are rejected. */

/* Returns whether the model has neither a value nor a declaration of the column. */
bool crd_i_model_is_new_column(const crd_model *model, size_t column);
/* Sets the format that a reader has found for a column. false: out of memory. */
CRD_MUST_USE bool crd_i_model_learn_format(crd_model *model, size_t column, const crd_i_schema_column *schema_column);
/* Gives the columns of `batch`, whose rows `model` is to learn, the formats that their reader has found, if they are
 * new to the model. */
CRD_MUST_USE crd_status crd_i_model_learn_new_formats(const crd_model *model, crd_model *batch,
                                                      const crd_i_schema *found_schema, crd_error *error);
/* Returns whether training declares the types of all columns that have values. It does if some column has intervals,
 * because cut points are usually found in a pass over all rows before the model is created. */
bool crd_i_model_declares_types(const crd_model *model);
/* Declares the types of all columns that have values, as such training does. */
void crd_i_model_declare_types(crd_model *model);
/* Returns CRD_ERROR_SCHEMA_DIFFERS if training on the rows of both models at once would read a column in another way
 * than the model does. declares: the model's training declares types; finds_formats: formats are detected from the texts
 * of values; is_typed: the rows are columns in memory, whose labels keep their spelling. */
CRD_MUST_USE crd_status crd_i_model_check_columns(const crd_model *model, const crd_model *batch, bool declares,
                                                  bool finds_formats, bool is_typed, crd_error *error);

/* ======== Adding and subtracting tallies ======== */

/* Adds (sign 1) or subtracts (sign -1) everything that `other`, a different object, has learned: all or nothing.
 * Adding keeps the smaller of the two layouts, so it is commutative; see credence/model.h. */
CRD_MUST_USE crd_status crd_i_model_combine(crd_model *model, const crd_model *other, int sign, crd_error *error);
/* Combines two models like crd_i_model_combine in all processes of the context's group, which have the same two
 * models. It succeeds in all processes or in none. */
CRD_MUST_USE crd_status crd_i_model_combine_together(crd_model *model, const crd_model *other, int sign,
                                                     crd_error *error);
/* Returns CRD_ERROR_CANNOT_FORGET if rows can never be removed from an extra tally. */
CRD_MUST_USE crd_status crd_i_model_check_forgets(const crd_model *model, crd_error *error);
/* Add `other` to the main tallies only, or subtract it. The extra tallies and joint tallies are invalid afterwards. */
CRD_MUST_USE crd_status crd_i_model_add_main(crd_model *model, const crd_model *other, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_subtract_main(crd_model *model, const crd_model *other, crd_error *error);

/* ======== Column types of shards ========
 *
 * Models of shards must have counted their columns with the types that the cells of all shards determine. See
 * model_internal.h. */

/* Computes the shards of the model after `other` is merged into it (sign 1) or retracted (-1), owned by the caller;
 * NULL: no shards remain to be merged. Call it before merging. CRD_ERROR_SCHEMA_DIFFERS: all shards together show that
 * a column was counted with the wrong type or format. Other errors are as for crd_i_shards_check_apart. */
CRD_MUST_USE crd_status crd_i_shard_merge_prepare(const crd_model *model, const crd_model *other, int sign,
                                                  crd_i_shards **out, crd_error *error);
/* Adds a hint after merging has failed, if the model contains only some shards and the columns of the two models do
 * not match. Returns `status`. */
crd_status crd_i_shard_merge_explain(const crd_model *model, crd_status status, crd_error *error);

/* Returns the number of texts that mean missing in the files that the model reads. A reader's options can override
 * them. */
size_t crd_i_summary_missing_count(const crd_summary *summary);

/* Returns one of the texts that mean missing in the files that the model reads. */
crd_text crd_i_summary_missing(const crd_summary *summary, size_t index);

/* Writes the exact sum (power 1) or sum of squares (power 2) as a hexadecimal literal such as "-0x1a.8p-3". Free *out
 * with crd_free and the model's context. */
CRD_MUST_USE crd_status crd_i_summary_exact(const crd_summary *summary, size_t attribute, size_t class_index, int power,
                                            char **out, crd_error *error);

/* Returns the total number of term occurrences in the documents of a class. Returns 0 if the attribute is not a
 * text. */
double crd_i_summary_occurrences(const crd_summary *summary, size_t attribute, size_t class_index);

#endif
