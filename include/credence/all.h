/* SPDX-License-Identifier: MIT */
/* credence/all.h - includes every public header: the core (credence/credence.h), the advanced headers, and, if
 * CRD_EXPERIMENTAL is defined, the experimental ones.
 *
 * Advanced:
 *   data.h                frames and readers
 *   documents.h           documents as rows: files in folders, lines of files
 *   schema.h              descriptions of columns that can be saved
 *   settings.h            smoothing, priors, variances
 *   model.h               models: learn, forget, merge, save, load, inspect
 *   sequence.h            sequences of rows, read from files and in memory
 *   hmm.h                 hidden Markov models: states, transitions, densities
 *   hmm_decode.h          decoding of sequences: likelihoods, posteriors, paths, filters
 *   fit.h                 fits by EM: steps, starts, numbers of components
 *   hmm_train.h           training of hidden Markov models
 *   latent.h              latent classes, and classes that are missing in some rows
 *   rows.h                training from numeric rows in memory
 *   classifier.h          posteriors, predictions, explanations
 *   decide.h              decisions under costs, abstention, rows that fit no class
 *   evaluate.h            scores, cross-validation, leave-one-out
 *   mail.h                texts of a mail message
 *   export.h              models for other programs
 *   communicator.h        several processes that compute one result
 *   network.h             Bayesian networks: files, queries, decisions
 *   number.h              conversion of numbers to text and back
 *
 * Experimental, which may change in any version. New functions start here:
 *   profile.h             statistics of each column: missing values, quantiles, frequent values
 *   term_matrix.h         documents given as a sparse matrix of term counts
 *   text_words.h          the evidence of words in texts
 *   hmm_answers.h         queries of hidden Markov models: probabilities, forecasts, explanations, new sequences
 *   sequence_classes.h    sequence classification
 *   assess.h              evaluation of models on rows that they have not learned: predictions, decisions, labelings
 *   compare.h             comparison of methods and families on the same folds, with a recommendation
 *   mail_filter.h         mail messages that pass through a filter
 *   curves.h              densities, decision regions and nomograms of a classifier, as series to draw
 *   explain.h             changes and observations that would affect a prediction; dependent attributes
 *   combine.h             models that predict together, weighted by data
 *   structure.h           structure learning for networks
 *   structure_score.h     scores of a network structure on rows
 *   query.h               contingency tables, events, independence; any column of a model given other columns
 *   sample.h              new rows drawn from a model
 *   distribution.h        named distributions
 *   bayes.h               Bayes' rule on plain numbers
 *   plot.h                plots of results, as SVG
 *   html_report.h         reports about rows, models and networks, as HTML
 *   json_writer.h         JSON written value by value
 *   output_file.h         files that appear only when they are complete
 *   temporary_file.h      files for data that does not fit into memory */
#ifndef CREDENCE_ALL_H
#define CREDENCE_ALL_H

#include <credence/credence.h>

#include <credence/classifier.h>
#include <credence/communicator.h>
#include <credence/data.h>
#include <credence/decide.h>
#include <credence/documents.h>
#include <credence/evaluate.h>
#include <credence/export.h>
#include <credence/fit.h>
#include <credence/hmm.h>
#include <credence/hmm_decode.h>
#include <credence/hmm_train.h>
#include <credence/latent.h>
#include <credence/mail.h>
#include <credence/model.h>
#include <credence/network.h>
#include <credence/number.h>
#include <credence/rows.h>
#include <credence/schema.h>
#include <credence/sequence.h>
#include <credence/settings.h>

#ifdef CRD_EXPERIMENTAL
#include <credence/assess.h>
#include <credence/bayes.h>
#include <credence/combine.h>
#include <credence/compare.h>
#include <credence/curves.h>
#include <credence/distribution.h>
#include <credence/explain.h>
#include <credence/hmm_answers.h>
#include <credence/html_report.h>
#include <credence/json_writer.h>
#include <credence/mail_filter.h>
#include <credence/output_file.h>
#include <credence/plot.h>
#include <credence/profile.h>
#include <credence/query.h>
#include <credence/result.h>
#include <credence/sample.h>
#include <credence/sequence_classes.h>
#include <credence/structure.h>
#include <credence/structure_score.h>
#include <credence/temporary_file.h>
#include <credence/term_matrix.h>
#include <credence/text_words.h>
#endif

#endif
