import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Rest } from './rest.ts';
import { type Asked, rounded, shift, type Truth, type Truths } from './truth.ts';

interface SuccessfulRun {
  readonly jobId: number;
  readonly jobRunId: number;
  readonly name: string;
  readonly from: string;
  readonly completionTime: string;
}

async function all<T>(rest: Rest, path: string): Promise<T[]> {
  const rows: T[] = [];
  for (let page = 1; page <= 20; page += 1) {
    const own = (await rest.get(path, { limit: 100, page })) as unknown as T[];
    rows.push(...own);
    if (own.length < 100) break;
  }
  return rows;
}

const jobs = (rest: Rest) => all<{ jobId: number }>(rest, '/v1/exports');
const successful = (rest: Rest) => all<SuccessfulRun>(rest, '/v1/exports/successful-runs');

/** Rows of a query over the files of the daily jobs, fetched by plain requests; the days are those whose files the platform still has. */
async function query(asked: Asked, sql: (days: readonly string[]) => string): Promise<Record<string, unknown>[]> {
  const directory = await mkdtemp(join(tmpdir(), 'truth-'));
  try {
    const days = new Map<string, Set<string>>();
    for (const run of await successful(asked.rest)) {
      if (run.name !== 'Daily sessions' && run.name !== 'Daily views') continue;
      const { files = [] } = (await asked.rest.get(`/v1/exports/${run.jobId}/runs/${run.jobRunId}`)) as {
        files?: { partId: number; url: string }[];
      };
      const kind = run.name === 'Daily views' ? 'views.csv' : 'sessions.jsonl';
      for (const { partId, url } of files) {
        const bytes = await asked.rest.bytes(url);
        if (!bytes) continue;
        await writeFile(join(directory, `${run.jobRunId}-${partId}-${kind}.gz`), bytes);
        days.set(kind, (days.get(kind) ?? new Set()).add(run.from.slice(0, 10)));
      }
    }
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `CREATE VIEW sessions AS SELECT DISTINCT ON (session_id) *
         FROM read_json('${directory}/*-sessions.jsonl.gz', format = 'newline_delimited', union_by_name = true);
       CREATE VIEW views AS SELECT DISTINCT ON (session_id, view_number) *
         FROM read_csv('${directory}/*-views.csv.gz', union_by_name = true)`,
    );
    const both = [...(days.get('views.csv') ?? [])].filter((day) => days.get('sessions.jsonl')?.has(day)).toSorted();
    const reader = await connection.runAndReadAll(sql(both));
    connection.closeSync();
    instance.closeSync();
    return reader.getRowObjectsJson();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A row of the answer: the words and figures that stand in it. */
async function rowsOf(asked: Asked, sql: Parameters<typeof query>[1], words: readonly string[] = []): Promise<Truth> {
  const rows = await query(asked, sql);
  const cells = rows.flatMap((row) => Object.values(row));
  const figures = cells.filter((cell) => /^-?\d+(?:\.\d+)?$/.test(String(cell))).map(Number);
  const texts = cells.filter((cell) => typeof cell === 'string' && !/^-?\d/.test(cell)).map(String);
  return {
    by: 'REST',
    says: rows.map((row) => Object.values(row).join(' ')).join('; '),
    figures: figures.map((figure) => rounded(figure)),
    texts: [...texts, ...words],
    within: 'text',
  };
}

const listOf = (days: readonly string[]) => days.map((day) => `'${day}'`).join(', ');

/** Truths about exports and journeys over their files. */
export const exportTruths: Truths = {
  '22': async () => ({
    by: 'planted',
    says: 'four columns, one of them custom variable "plan"',
    texts: ['browser_name', 'device_id', 'custom_var'],
    within: 'text',
  }),
  '23': async ({ rest }) => {
    const { length } = await jobs(rest);
    return { by: 'REST', says: `${length} jobs`, figures: [length], within: 'text' };
  },
  '24': async ({ rest, dates }) => {
    const fresh = (await successful(rest)).filter(
      ({ completionTime, name }) => completionTime >= (dates['yesterday'] ?? '') && !name.startsWith('Daily'),
    );
    return {
      by: 'REST',
      says: `${fresh.length} runs completed since ${dates['yesterday']}, the daily ones apart`,
      figures: [fresh.length],
      within: 'said',
    };
  },
  '25': async ({ stories }) => ({
    by: 'planted',
    says: `${stories.missingExport.day} failed`,
    texts: [`${stories.missingExport.day} (failed)`],
    within: 'said',
  }),
  '26': (asked) =>
    rowsOf(
      asked,
      () =>
        `SELECT browser_name, round(sum(session_transactions_revenue_cents) / 100, 2) FROM sessions
         WHERE session_time >= '${asked.dates['last_monday']}'
         AND session_time < '${asked.dates['this_monday']}' AND browser_name IS NOT NULL GROUP BY ALL ORDER BY 2 DESC LIMIT 3`,
    ),
  '27': (asked) =>
    rowsOf(
      asked,
      () =>
        "SELECT path, count(DISTINCT session_id) FROM views WHERE path LIKE '/checkout%' AND rage_click_all_targets_ind " +
        'GROUP BY ALL ORDER BY 2 DESC LIMIT 3',
    ),
  '28': async () => ({
    by: 'planted',
    says: 'three projects, four scopes, no enrichment',
    texts: ['1201', '1202', '1203', 'speed-analysis, data-export, metrics, session-replay'],
    within: 'text',
  }),
  '33': (asked) =>
    rowsOf(
      asked,
      () =>
        `SELECT v.path, count(*), median(v.view_duration_msec) FROM views v JOIN sessions s USING (session_id) WHERE s.device_id = 2
         GROUP BY ALL ORDER BY 2 DESC LIMIT 3`,
    ),
  '34/1': async () => ({
    by: 'planted',
    says: 'the job "Daily sessions" has these columns',
    texts: ['Daily sessions', 'has all these columns'],
    within: 'text',
  }),
  '41': (asked) =>
    rowsOf(
      asked,
      (days) =>
        `WITH v AS (SELECT v.session_id, path, view_number FROM views v JOIN sessions s USING (session_id)
           WHERE s.device_id = 2 AND CAST(s.session_time AS DATE) IN (${listOf(days)}))
         SELECT count(DISTINCT session_id), count(DISTINCT session_id) FILTER (reached) FROM (
           SELECT c.session_id, bool_or(a.view_number > c.view_number) AS reached
           FROM (SELECT session_id, min(view_number) AS view_number FROM v WHERE path = '/cart' GROUP BY 1) c
           LEFT JOIN (SELECT * FROM v WHERE path = '/checkout/address') a USING (session_id) GROUP BY 1)`,
    ),
  '42': (asked) =>
    rowsOf(
      asked,
      (days) =>
        `SELECT count(DISTINCT user_id) FROM sessions WHERE session_number = 1
         AND CAST(session_time AS DATE) IN (${listOf(days.slice(-3))}) GROUP BY CAST(session_time AS DATE)`,
    ),
  '43/0': async ({ stories }) => ({
    by: 'planted',
    says: `no JavaScript error costs sales; what does: ${stories.costs[0]?.what} on ${stories.costs[0]?.page}`,
    texts: ['None of the'],
    within: 'said',
  }),
  '43/1': async ({ stories }) => ({
    by: 'planted',
    says: `slow product pages cost nothing; what does: ${stories.costs[0]?.what} on ${stories.costs[0]?.page}`,
    texts: ['no effect beyond chance'],
    within: 'said',
  }),
  '44': (asked) => rowsOf(asked, () => "SELECT count(DISTINCT session_id) FROM views WHERE path = '/search/no-results'"),
  '45': async () => ({
    by: 'planted',
    says: 'no downloaded file holds a variant',
    texts: ['no column of the downloaded files holds the variable'],
    within: 'text',
  }),
  '46/0': async ({ rest }) => {
    const { length } = await jobs(rest);
    return { by: 'REST', says: `${length} jobs`, figures: [length], within: 'text' };
  },
  '46/1': async ({ rest, dates, nowMs }) => {
    const soon = (await successful(rest)).filter(({ completionTime }) => {
      const endMs = Date.parse(completionTime) + 7 * 86_400_000;
      return endMs > nowMs && endMs < Date.parse(shift(dates['in_three_days'], 0));
    });
    return {
      by: 'REST',
      says: `${soon.length} runs whose files end before ${dates['in_three_days']}`,
      figures: [soon.length],
      within: 'text',
    };
  },
};
