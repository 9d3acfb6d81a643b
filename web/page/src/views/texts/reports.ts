// SPDX-License-Identifier: MIT
// The members of reports on texts that this view reads.

export interface InformativeWord {
    class: string;
    word: string;
    texts: number;
    other_texts: number;
    weight: number | null;
    divergence: number | null;
}

export interface TextModelReport {
    rows: number;
    classes: { class: string; rows: number; prior: number }[];
    attributes: {
        attribute: string;
        family: string;
        terms?: number;
        texts?: { class: string; texts: number; distinct: number; mean_length: number }[];
        informative_words?: InformativeWord[];
    }[];
}

export interface Place {
    word: string;
    /** Bytes of the text in UTF-8. */
    from: number;
    to: number;
}

export interface TextExplanation {
    attribute: string;
    for: string;
    against: string;
    words: { word: string; times: number; weight: number }[];
    total: number;
    unknown_words: string[];
    places: Place[];
}

export interface ExplainReport {
    classes: { class: string; posterior: number }[];
    prediction: string;
    texts?: TextExplanation[];
}
