import { expect, it } from 'vitest';
import { refusal, useTools, WEEK } from './support.ts';

const { call } = useTools();

const STEP = { scenarioId: 4101, step: '1' };
const BY_ZONE = { ...WEEK, projectId: '1202', zoneIds: [8_120_571] };
const NO_RUN =
  /There is no stepResultId 51011: it is that of one run, not the number of a step\..*get_scenario_report lists what exists\./s;
/** A plan that would be one but for what is wrong with it. */
const wish = (wrong: object) => ({ fields: ['session_id'], ...wrong });

/** What a tool cannot answer, beside what a bad value of a single argument is (`bad-input.test.ts`), and words of its refusal. */
const REFUSED: readonly (readonly [tool: string, args: Record<string, unknown>, words: string | RegExp])[] = [
  [
    'check_speed_budgets',
    { budgets: [{ metric: 'lpc', limit: 1 }] },
    /^budgets: "lpc" is no metric \(analytics:\/\/reference\/metrics\) and no custom timing of these scenarios\. They have price-visible/,
  ],
  [
    'check_speed_budgets',
    { budgets: [{ metric: 'largestContentfullPaint', limit: 1 }] },
    /^budgets\[0\]\.metric: no such metric: "largestContentfullPaint"; there are largestContentfulPaint/,
  ],
  ['check_speed_budgets', { budgets: [{ metric: 'navigationStart', limit: 100 }] }, 'navigationStart is an instant, not a duration'],
  ['check_speed_budgets', { budgets: [] }, /^budgets: must hold at least 1 item/],
  ['check_speed_budgets', { budgets: [{ metric: 'weight', limit: -1 }] }, /^budgets\[0\]\.limit: must be at least 0/],
  ['check_speed_budgets', { runs: 0 }, /^runs/],
  ['check_speed_budgets', { scenarioIds: ['Nothing'] }, /^scenarioIds\[0\]: there is no scenario "Nothing"/],
  ['plan_export', wish({}), /^frequency: say daily or hourly, or give startDate and endDate of a once export\./],
  [
    'plan_export',
    wish({ frequency: 'daily', startDate: '-7d' }),
    /^startDate, endDate: only with frequency once; a daily job chooses its own range/,
  ],
  ['plan_export', wish({ frequency: 'once', startDate: '-7d' }), /^endDate: required with frequency once\./],
  ['plan_export', wish({ startDate: 'yesterday', endDate: '-7d' }), /^endDate: must be after startDate/],
  [
    'plan_export',
    wish({ fields: ['version'], frequency: 'daily', scope: 'sessions' }),
    /^fields: "version" may mean browser_version \(.*\), platform_version/,
  ],
  [
    'plan_export',
    wish({ fields: ['path', 'browser'], frequency: 'daily' }),
    new RegExp(
      '^No scope has all fields; this is what scope sessions lacks:\\nfields: "path" is no field of scope sessions, but of ' +
        'scope views: path\\. Export both scopes with project_id, user_id and session_id; query_export joins them\\.',
    ),
  ],
  [
    'plan_export',
    wish({ fields: ['browser', 'visit duration', 'shoe size'], frequency: 'daily', scope: 'sessions' }),
    new RegExp(
      '^fields: "visit duration" is not .* alike: session_duration_msec .*\\n.*"shoe size" is not .*\\n' +
        'These can be planned: fields \\["browser"\\]\\.',
    ),
  ],
  ['plan_export', wish({ scope: 'hits', frequency: 'daily' }), "'hits' is not known; there are sessions, views"],
  ['plan_export', wish({ segmentId: 7, frequency: 'daily' }), /^segmentId: there is no segment 7; list_segments lists them\./],
  ['plan_export', wish({ segmentId: 'Atlantis', frequency: 'daily' }), 'there is no segment "Atlantis"'],
  ['plan_export', wish({ fields: ['journeys'], frequency: 'daily' }), 'say scope sessions or views'],
  ['compare_hars', { ...STEP, since: 'a release that never was' }, /^since: "a release that never was" is not a recognised date/],
  ['compare_hars', { ...STEP, since: 'Offerloop' }, /^since: "Offerloop" is neither a date nor .* Closest events: tag-offers-/],
  ['compare_hars', { ...STEP, since: 'now' }, /^since: must lie in the past/],
  ['compare_hars', { ...STEP, before: 'abc' }, /^before: pass before and after, or scenarioId/],
  ['compare_hars', { scenarioId: 4101, before: 'abc' }, /^after: /],
  ['compare_hars', { scenarioId: 4101, before: 'abc', after: 'def' }, 'get_scenario_report lists what exists'],
  ['download_export_run', { jobId: 'Tablet sessions, failed' }, 'none of its runs succeeded (list_export_runs)'],
  ['download_export_run', { jobId: 'Legacy warehouse feed' }, 'it has not run yet'],
  ['download_export_run', { jobId: 3134, runId: 313400001 }, 'its state is FAILURE. find_export_gaps plans'],
  ['download_export_run', { jobId: 3133, runId: 313300001 }, 'its expirationDate has passed. find_export_gaps plans'],
  ['download_export_run', { jobId: 3123, runId: 5 }, 'list_export_runs lists what exists'],
  ['download_export_run', { jobId: 'Hourly clicks' }, 'there is no export job "Hourly clicks"'],
  ['download_export_run', { jobId: 3123, waitSeconds: -1 }, 'waitSeconds'],
  ['query_export', { jobId: 'Daily sessions', jobIds: ['Daily views'] }, 'jobId, jobIds: give one of them.'],
  ['compare_metrics', { ...WEEK, by: 'device', baseline: 'previous' }, 'leave the baseline out'],
  ['compare_metrics', { ...WEEK, by: 'device', detect: 5 }, 'detect: how long a change takes to show is said by period only'],
  ['compare_metrics', { ...WEEK, metrics: ['tapRate'] }, 'zoneIds: a zone is needed for tapRate'],
  ['compare_metrics', { ...WEEK, baselineStartDate: '2026-11-08', baselineEndDate: '2026-11-10' }, 'overlaps the period'],
  [
    'compare_metrics',
    { startDate: '2026-01', endDate: '2026-03', baseline: 'previous_year', explain: false },
    /^The baseline \(2025-01-02.* cannot be read: .*out of bounds/,
  ],
  ['compare_metrics', { ...BY_ZONE, metrics: ['visits'] }, 'no metric of a zone: visits'],
  ['compare_metrics', { ...BY_ZONE, by: 'device' }, 'zones are compared by period'],
  ['find_changes', { metrics: ['tapRate'], include: ['site'] }, 'include: ["site", "zones"] or zoneIds looks at zones'],
  ['find_changes', { include: ['weather'] }, 'include'],
  ['find_changes', { include: ['speed'], metrics: ['visits'] }, 'include: ["site"] looks at the site'],
  ['find_changes', { days: 93 }, 'days'],
  ['get_site_conversions', { ...WEEK, projectId: 1203 }, '95207 "Subscription"'],
  [
    'analyze_scenario',
    { scenarioId: 4103, step: 'Payment' },
    /^step: the scenario has the steps 1 "Category", 2 "Product"; "Payment" is not one of them\./,
  ],
  ['analyze_scenario', { step: 'Product' }, /^step: belongs to one scenario; pass a single one/],
  ['analyze_har', {}, 'scenarioStepResultId: is required (string); or pass scenarioId and step.'],
  [
    'create_speed_event',
    { key: 'both', text: 'Both', date: '2026-11-19 18:00', scenarios: ['checkout', '4104'] },
    'scenarios[0]: "checkout" fits 2 scenarios: 4101 "Checkout',
  ],
  ['get_step_report', { stepId: '51011' }, NO_RUN],
  ['get_step_har', { scenarioStepResultId: '51011' }, NO_RUN],
  ['analyze_har', { scenarioStepResultId: '51011' }, NO_RUN],
];

it.each(REFUSED)('what cannot be answered is refused, with what to do: %s %j', async (tool, args, words) => {
  expect(await call(tool, args)).toMatchObject(refusal(words));
});

it('what cannot be answered is refused, with the steps of a scenario none of which is named', { tags: 'nightly' }, async () => {
  expect(await call('analyze_har', { scenarioId: 'Checkout – desktop' })).toMatchObject(refusal('name one'));
});
