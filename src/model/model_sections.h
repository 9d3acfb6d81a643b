/* SPDX-License-Identifier: MIT */
/* model_sections.h - the sections of a model file; docs/model-file.md specifies every byte. */
#ifndef CRD_MODEL_MODEL_SECTIONS_H
#define CRD_MODEL_MODEL_SECTIONS_H

/* Versions of the sections below. Three contents have another version: a schema without a target, an attribute written
 * in the sparse layout, and a user-specified network with Gaussian nodes. So programs that do not support them reject
 * the file. The version of a schema that lists its missing texts is larger by two. */
enum {
    CRD_I_FILE_VERSION = 1,
    CRD_I_VERSION_WITHOUT_TARGET = 2,
    CRD_I_VERSIONS_TO_STATE_MISSING = 2,
    CRD_I_VERSION_SPARSE = 2,
    CRD_I_VERSION_GAUSSIAN = 2
};

/* If all attributes with a sparse layout together have at most this many values times classes (16 MiB as arrays),
 * none of them is written in it. */
#define CRD_I_MOST_DENSE_CELLS ((uint64_t)1 << 21)

static const char crd_i_tag_parts[4] = {'P', 'R', 'T', 'S'};
static const char crd_i_tag_shards[4] = {'S', 'H', 'R', 'D'};
static const char crd_i_tag_schema[4] = {'S', 'C', 'H', 'M'};
static const char crd_i_tag_weight[4] = {'W', 'G', 'H', 'T'};
static const char crd_i_tag_formats[4] = {'F', 'O', 'R', 'M'};
static const char crd_i_tag_cuts[4] = {'C', 'U', 'T', 'S'};
static const char crd_i_tag_quotes[4] = {'Q', 'U', 'O', 'T'};
static const char crd_i_tag_settings[4] = {'S', 'E', 'T', 'T'};
static const char crd_i_tag_more[4] = {'M', 'O', 'R', 'E'};
static const char crd_i_tag_classes[4] = {'C', 'L', 'A', 'S'};
static const char crd_i_tag_attribute[4] = {'A', 'T', 'T', 'R'};
static const char crd_i_tag_extra[4] = {'E', 'X', 'T', 'R'};
static const char crd_i_tag_joint_tally[4] = {'B', 'N', 'D', 'L'};
/* Version for columns that keep declared values in declaration order; otherwise values are sorted. */
enum { CRD_I_VERSION_KEEPS_ORDER = CRD_I_FILE_VERSION + 1 };
static const char crd_i_tag_values[4] = {'V', 'A', 'L', 'S'};
static const char crd_i_tag_fitted[4] = {'F', 'I', 'T', 'T'};
static const char crd_i_tag_selection[4] = {'S', 'L', 'C', 'T'};
static const char crd_i_tag_pages[4] = {'P', 'A', 'G', 'E'};

#endif
