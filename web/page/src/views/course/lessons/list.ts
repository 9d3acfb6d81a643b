// SPDX-License-Identifier: MIT
// The lessons in their order.
import { modelLessons } from "./models";
import { networkLessons } from "./networks";
import { ruleLessons } from "./rules";
import type { Lesson } from "./types";

const ORDER = [
    ...["disease", "monty", "total", "map", "vote", "spam", "tennis", "zero", "gaussian", "full", "sampling"],
    ...["explaining-away", "simpson", "calibration", "umbrella", "costs"],
];

export const lessons: Lesson[] = ORDER.flatMap(
    (id) => [...ruleLessons, ...modelLessons, ...networkLessons].find((lesson) => lesson.id === id) ?? [],
);
