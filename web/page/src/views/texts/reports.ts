// SPDX-License-Identifier: MIT
// What the command reports of texts, as far as the view shows it.

export interface TellingWord {
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
        telling_words?: TellingWord[];
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
