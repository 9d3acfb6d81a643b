/* SPDX-License-Identifier: MIT */
/* credence/credence.h - the whole public interface of libcredence.
 *
 *   reader  --frames-->  model  --settings-->  classifier  --rows-->  posteriors, terms
 *
 * base.h        status, error, context, text: read its first lines first
 * data.h        frames and readers
 * documents.h   documents: files of folders, lines of files
 * schema.h      what columns are, written down
 * profile.h     what their cells are like
 * settings.h    smoothing, priors, variances
 * text_terms.h  what of a text is counted
 * term_matrix.h documents of which only the counts of terms are there
 * text_words.h  what the words of texts tell
 * model.h       learn, forget, merge, save, load, look inside
 * sequence.h    rows that follow each other: sequences, read and in memory
 * hmm.h         hidden Markov models of sequences: states, transitions, densities
 * hmm_answers.h questions to these: probabilities, forecasts, explanations, new sequences
 * hmm_decode.h  states of sequences: likelihoods, posteriors, paths, filters
 * hmm_train.h   models of sequences from sequences
 * sequence_classes.h classes of whole sequences
 * latent.h      classes that are hidden in all rows, or in some
 * rows.h        learn from rows of numbers in memory
 * classifier.h  posteriors, decisions, reasons
 * decide.h      decisions under costs, saying nothing, rows that fit no class
 * evaluate.h    scores, cross-validation, leave one out
 * assess.h      models on rows that they have not learned: judged answers, decisions, labellings
 * compare.h     candidates of methods and families on the same folds, and which to take
 * mail.h        what is read of a mail message, as texts
 * mail_filter.h mail messages on their way through a filter
 * curves.h      densities, decision regions and nomograms of a classifier, as series to be drawn
 * explain.h     what would change an answer or tell more, attributes that depend on each other
 * export.h      models for other programs
 * combine.h     models that answer together, weighed by data
 * communicator.h  several processes that compute one result
 * network.h     Bayesian networks: files, questions, decisions
 * structure.h   the structure of a network, found in rows
 * structure_score.h how well the structure of a network fits rows
 * query.h       tables of counts, events, independence; any column of a model given others
 * sample.h      new rows drawn from a model
 * distribution.h named distributions
 * bayes.h       Bayes' rule on bare numbers
 * plot.h        pictures of results, as SVG
 * html_report.h reports about rows, models and networks, as HTML
 * number.h      numbers to text and back */
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
#include <credence/latent.h>
#include <credence/mail.h>
#include <credence/mail_filter.h>
#include <credence/model.h>
#include <credence/network.h>
#include <credence/number.h>
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
