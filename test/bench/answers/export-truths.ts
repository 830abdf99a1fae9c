import type { Claim } from './claim.ts';
import { allOf, type Rest } from './rest.ts';
import { type Asked, shift, type Truths } from './truth.ts';

interface SuccessfulRun {
  readonly jobId: number;
  readonly name: string;
  readonly completionTime: string;
}

const successful = (rest: Rest) => allOf<SuccessfulRun>(rest, '/v1/exports/successful-runs');

/** Rows of an answer: their texts name them, their figures stand under the names of the columns. */
const claimsOf = (rows: readonly Record<string, unknown>[]): Claim[] =>
  rows.map((row) => {
    const cells = Object.entries(row).map(([name, value]) => ({ name, value: String(value) }));
    const isFigure = ({ value }: { value: string }) => /^-?\d+(?:\.\d+)?$/.test(value);
    return {
      by: 'REST',
      at: cells.filter((cell) => !isFigure(cell)).map(({ value }) => value),
      has: cells.filter(isFigure).map(({ name, value }) => ({ as: [name], is: Number(value) })),
    };
  });

const byFiles =
  (sql: (asked: Asked, days: readonly string[]) => string) =>
  async (asked: Asked): Promise<Claim[]> =>
    claimsOf(await asked.query((days) => sql(asked, days)));

const listOf = (days: readonly string[]) => days.map((day) => `'${day}'`).join(', ');
const total = (name: string, is: number): Claim => ({ by: 'REST', has: [{ as: [name], is }] });
const jobs = async ({ rest }: Asked) => total('total', (await allOf(rest, '/v1/exports')).length);

/** Successful runs whose files end before a day, a week after they were made. */
async function endingBefore({ rest, nowMs }: Asked, day: string | undefined): Promise<Claim> {
  const ends = (await successful(rest)).map(({ completionTime }) => Date.parse(completionTime) + 7 * 86_400_000);
  return total('total', ends.filter((endMs) => endMs > nowMs && endMs < Date.parse(shift(day, 0))).length);
}

/** Runs that ended since yesterday and before the call, by job; the daily ones were downloaded before. */
async function fresh({ rest, dates, startMs }: Asked): Promise<Claim[]> {
  const runs = (await successful(rest)).filter(
    ({ completionTime: at, name }) => at >= (dates['yesterday'] ?? '') && Date.parse(at) < startMs && !name.startsWith('Daily'),
  );
  const jobIds = [...new Set(runs.map(({ jobId }) => jobId))];
  return jobIds.map((id) => ({ ...total('fetched', runs.filter(({ jobId }) => jobId === id).length), at: [id] }));
}

/** The columns of a plan by the words of the question. */
async function planned({ rest }: Asked): Promise<Claim[]> {
  const variables = (await rest.get('/v1/custom-vars')) as unknown as { position: number; key: string }[];
  const plan = variables.find(({ key }) => key === 'plan')?.position;
  const columns = ['browser_name', 'device_id', 'session_transactions_revenue_cents'];
  return [
    ...columns.map((is): Claim => ({ by: 'planted', has: [{ as: ['fieldName'], is }] })),
    { by: 'REST', at: ['custom_var'], has: [{ as: ['customVarPosition'], is: Number(plan) }] },
  ];
}

/** Conditions by their planted costs: those of the shop that are met by such a trouble lower sales, no others. */
function impact({ stories }: Asked, what: string): Claim[] {
  const harmful = stories.costs.filter((cost) => cost.projectId === 1201 && cost.what === what && cost.message !== null);
  const lowers = { as: ['verdict'], is: ['lowers', 'lower'] };
  if (harmful.length > 0) return harmful.map(({ message, page }) => ({ by: 'planted', at: [String(message), page], has: [lowers] }));
  // All that were looked at, so that an answer of nothing is none.
  return [{ by: 'planted', at: [what], has: [{ as: ['verdict'], is: ['within noise', 'unchanged', 'uncertain'] }], none: lowers }];
}

/** Truths about exports and journeys over their files. */
export const exportTruths: Truths = {
  '22': planned,
  '23': jobs,
  '24': fresh,
  '25': async ({ stories: { missingExport } }) => ({
    by: 'planted',
    at: [missingExport.day],
    has: [
      { as: ['status'], is: 'failed' },
      { as: ['days'], is: 1 },
    ],
  }),
  '26': byFiles(
    ({ dates }) =>
      `SELECT browser_name, round(sum(session_transactions_revenue_cents) / 100, 2) AS revenue FROM sessions
       WHERE session_time >= '${dates['last_monday']}' AND session_time < '${dates['this_monday']}' AND browser_name IS NOT NULL
       GROUP BY ALL ORDER BY 2 DESC`,
  ),
  '27': byFiles(
    () =>
      `SELECT path, count(DISTINCT session_id) AS sessions FROM views
       WHERE path LIKE '/checkout%' AND rage_click_all_targets_ind GROUP BY ALL`,
  ),
  '28': async () =>
    [
      ...[1201, 1202, 1203].map((is) => ({ as: ['id'], is })),
      ...['speed-analysis', 'data-export', 'metrics', 'session-replay'].map((is) => ({ as: ['scopes'], is })),
      { as: ['missing'], is: 'enrichment' },
    ].map((held): Claim => ({ by: 'planted', has: [held] })),
  '33': byFiles(
    () =>
      `SELECT v.path, count(*) AS views, median(v.view_duration_msec) AS median_ms FROM views v JOIN sessions s USING (session_id)
       WHERE s.device_id = 2 GROUP BY ALL ORDER BY 2 DESC LIMIT 10`,
  ),
  '34/0': (asked) => endingBefore(asked, asked.dates['day_after_tomorrow']),
  '34/1': async ({ rest }) => {
    const daily = (await allOf<{ jobId: number; name: string }>(rest, '/v1/exports')).find(({ name }) => name === 'Daily sessions');
    return { by: 'REST', at: ['Daily sessions'], has: [{ as: ['jobId'], is: Number(daily?.jobId) }] };
  },
  '41': byFiles(
    (_, days) =>
      `WITH v AS (SELECT v.session_id, path, view_number FROM views v JOIN sessions s USING (session_id)
         WHERE s.device_id = 2 AND CAST(s.session_time AS DATE) IN (${listOf(days)})),
       c AS (SELECT session_id, min(view_number) AS view_number FROM v WHERE path = '/cart' GROUP BY 1)
       SELECT '/cart' AS step, count(*) AS sessions FROM c UNION ALL
       SELECT '/checkout/address', count(DISTINCT session_id) FROM c JOIN v USING (session_id)
         WHERE v.path = '/checkout/address' AND v.view_number > c.view_number`,
  ),
  '42': byFiles(
    (_, days) =>
      `SELECT CAST(CAST(session_time AS DATE) AS VARCHAR) AS cohort, count(DISTINCT user_id) AS visitors FROM sessions
       WHERE session_number = 1 AND CAST(session_time AS DATE) IN (${listOf(days.slice(-3))}) GROUP BY ALL`,
  ),
  '43/0': async (asked) => impact(asked, 'js_error'),
  '43/1': async (asked) => impact(asked, 'slow_page'),
  '44': byFiles(() => "SELECT count(DISTINCT session_id) AS sessions FROM views WHERE path = '/search/no-results'"),
  '45': async () => ({ by: 'planted', refused: true }),
  '46/0': jobs,
  '46/1': (asked) => endingBefore(asked, asked.dates['in_three_days']),
};
