import { formatBytes, formatMs } from '../../../lib/number-text.ts';
import { printLine, printTable } from '../print.ts';
import type { Question } from './question.ts';

interface Study {
  answer: string;
  verdict: string;
  name: string;
  examples?: { before?: { stepResultId: string }; after?: { stepResultId: string } };
}

const gotSlower: Question = {
  text: 'Did the site get slower since last month, and who is to blame?',
  async answer(ask, memory) {
    const { scenarios } = await ask<{ scenarios: { id: number }[] }>('list_scenarios', {});
    const studies = await Promise.all(scenarios.map(({ id }) => ask<Study>('analyze_scenario', { scenarioId: id })));
    const slower = studies.filter(({ verdict }) => verdict === 'slower');
    printLine(`${studies.length - slower.length} of ${studies.length} scenarios are within noise or faster.`);
    for (const { name, answer, examples } of slower) {
      printLine(`${name}: ${answer}`);
      const before = examples?.before?.stepResultId;
      const after = examples?.after?.stepResultId;
      if (before === undefined || after === undefined) continue;
      memory.slowStep = after;
      const { verdict } = await ask<{ verdict: string }>('compare_hars', { before, after });
      printLine(verdict);
    }
  },
};

interface HarStudy {
  verdict: string;
  byType: { type: string; requests: number; transferBytes: number | null }[];
  largest: { url: string; transferBytes: number | null; durationMs: number | null }[];
  uri: string;
}

const whatLoads: Question = {
  text: 'What loads on that page, and what weighs the most?',
  async answer(ask, { slowStep }) {
    const { verdict, byType, largest, uri } = await ask<HarStudy>('analyze_har', { scenarioStepResultId: slowStep });
    printLine(verdict);
    printTable(
      ['type', 'requests', 'transferred'],
      byType.map((row) => [row.type, row.requests, formatBytes(row.transferBytes)]),
    );
    printTable(
      ['largest', 'transferred', 'took'],
      largest.map((row) => [row.url, formatBytes(row.transferBytes), formatMs(row.durationMs)]),
    );
    printLine(`The sanitised HAR file: ${uri}`);
  },
};

/** Questions about speed reports and HAR files. */
export const speedQuestions: readonly Question[] = [gotSlower, whatLoads];
