/* SPDX-License-Identifier: MIT */
/* credence/credence.h - the whole public interface of libcredence.
 *
 *   reader  --frames-->  model  --settings-->  classifier  --rows-->  posteriors, terms
 *
 *   base.h        status, error, context, text: read its first comment first
 *   data.h        frames and readers
 *   documents.h   documents as rows: files in folders, lines of files
 *   schema.h      descriptions of columns that can be saved
 *   profile.h     statistics of each column: missing values, quantiles, frequent values
 *   settings.h    smoothing, priors, variances
 *   text_terms.h  terms that are counted in a text
 *   term_matrix.h documents given as a sparse matrix of term counts
 *   text_words.h  the evidence of words in texts
 *   model.h       models: learn, forget, merge, save, load, inspect
 *   sequence.h    sequences of rows, read from files and in memory
 *   hmm.h         hidden Markov models: states, transitions, densities
 *   hmm_answers.h queries of hidden Markov models: probabilities, forecasts, explanations, new sequences
 *   hmm_decode.h  decoding of sequences: likelihoods, posteriors, paths, filters
 *   hmm_train.h   training of hidden Markov models
 *   sequence_classes.h sequence classification
 *   latent.h      latent classes, and classes that are missing in some rows
 *   rows.h        training from numeric rows in memory
 *   classifier.h  posteriors, predictions, explanations
 *   decide.h      decisions under costs, abstention, rows that fit no class
 *   evaluate.h    scores, cross-validation, leave-one-out
 *   assess.h      evaluation of models on rows that they have not learned: predictions, decisions, labelings
 *   compare.h     comparison of methods and families on the same folds, with a recommendation
 *   mail.h        texts of a mail message
 *   mail_filter.h mail messages that pass through a filter
 *   curves.h      densities, decision regions and nomograms of a classifier, as series to draw
 *   explain.h     changes and observations that would affect a prediction; dependent attributes
 *   export.h      models for other programs
 *   combine.h     models that predict together, weighted by data
 *   communicator.h  several processes that compute one result
 *   network.h     Bayesian networks: files, queries, decisions
 *   structure.h   structure learning for networks
 *   structure_score.h scores of a network structure on rows
 *   query.h       contingency tables, events, independence; any column of a model given other columns
 *   sample.h      new rows drawn from a model
 *   distribution.h named distributions
 *   bayes.h       Bayes' rule on plain numbers
 *   plot.h        plots of results, as SVG
 *   html_report.h reports about rows, models and networks, as HTML
 *   json_writer.h JSON written value by value
 *   number.h      conversion of numbers to text and back
 *   output_file.h files that appear only when they are complete
 *   temporary_file.h files for data that does not fit into memory */
#ifndef CREDENCE_CREDENCE_H
#define CREDENCE_CREDENCE_H

#include <credence/assess.h>
#include <credence/base.h>
#include <credence/bayes.h>
#include <credence/classifier.h>
#include <credence/combine.h>
#include <credence/communicator.h>
#include <credence/compare.h>
#include <credence/curves.h>
#include <credence/data.h>
#include <credence/decide.h>
#include <credence/distribution.h>
#include <credence/documents.h>
#include <credence/evaluate.h>
#include <credence/explain.h>
#include <credence/export.h>
#include <credence/hmm.h>
#include <credence/hmm_answers.h>
#include <credence/hmm_decode.h>
#include <credence/hmm_train.h>
#include <credence/html_report.h>
#include <credence/json_writer.h>
#include <credence/latent.h>
#include <credence/mail.h>
#include <credence/mail_filter.h>
#include <credence/model.h>
#include <credence/network.h>
#include <credence/number.h>
#include <credence/output_file.h>
#include <credence/plot.h>
#include <credence/profile.h>
#include <credence/query.h>
#include <credence/rows.h>
#include <credence/sample.h>
#include <credence/schema.h>
#include <credence/sequence.h>
#include <credence/sequence_classes.h>
#include <credence/settings.h>
#include <credence/structure.h>
#include <credence/structure_score.h>
#include <credence/temporary_file.h>
#include <credence/term_matrix.h>
#include <credence/text_terms.h>
#include <credence/text_words.h>

#endif
