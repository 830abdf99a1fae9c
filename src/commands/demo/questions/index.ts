import { accessQuestions } from './access.ts';
import { exportQuestions } from './exports.ts';
import { metricQuestions } from './metrics.ts';
import type { Question } from './question.ts';
import { speedQuestions } from './speed.ts';

export type { Memory } from './question.ts';

/** What the demo asks, each the words of a user. */
export const questions: readonly Question[] = [...accessQuestions, ...metricQuestions, ...speedQuestions, ...exportQuestions];
