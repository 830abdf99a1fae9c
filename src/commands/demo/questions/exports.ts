import { printLine, printTable } from '../print.ts';
import type { Question } from './question.ts';

interface Plan {
  planId: string;
  fields: { asked: string; fieldName: string; meaning?: string }[];
  notes: string[];
}

const setUpExport: Question = {
  text: 'Set up a daily JSONL session export with browser, device, revenue and our custom variable “plan”.',
  async answer(ask) {
    const { planId, fields } = await ask<Plan>('plan_export', {
      fields: ['project id', 'user id', 'session id', 'browser', 'device', 'revenue', 'custom variable plan'],
      name: 'Daily sessions with plan',
      format: 'JSONL',
      frequency: 'daily',
    });
    printTable(
      ['asked', 'field', 'meaning'],
      fields.map(({ asked, fieldName, meaning }) => [asked, fieldName, meaning]),
    );
    const { status } = await ask<{ status: string }>('apply_export_plan', { planId });
    printLine(`Shown first, nothing sent (${status}).`);
    const done = await ask<{ status: string; jobs: { jobId: number; name: string }[] }>('apply_export_plan', { planId, confirm: true });
    for (const { jobId, name } of done.jobs) printLine(`${done.status}: job ${jobId} "${name}"`);
  },
};

const fromExport: Question = {
  text: 'Revenue by browser over the last three days, from the daily session export.',
  async answer(ask) {
    const jobId = 'Daily sessions';
    const { answer } = await ask<{ answer: string }>('sync_exports', { jobIds: [jobId], since: '-3d' });
    printLine(answer);
    const sql =
      'SELECT browser_name AS browser, count(*) AS sessions, sum(session_transactions_revenue) AS revenue FROM data GROUP BY ALL ORDER BY revenue DESC';
    try {
      const { rows, notes } = await ask<{ rows: (string | number | null)[][]; notes: string[] }>('query_export', { jobId, sql });
      printTable(['browser', 'sessions', 'revenue EUR'], rows);
      for (const note of notes.slice(1)) printLine(`· ${note}`);
    } catch (error) {
      // DuckDB is optional and not there for every system; the tool says how to install it.
      printLine(error instanceof Error ? error.message : String(error));
    }
  },
};

/** Questions about exports and what they hold. */
export const exportQuestions: readonly Question[] = [setUpExport, fromExport];
