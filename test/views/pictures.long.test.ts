/** @module-tag nightly */
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { capital, headlineOf, sentencesOf } from '../../src/lib/sentences.ts';
import { drawPanels } from '../../src/views/charts/draw-chart.ts';
import { themes } from '../../src/views/charts/theme.ts';
import { type ChartSpec, panelsOf } from '../../src/views/spec.ts';
import { useTools } from '../tools/support.ts';
import { complaintsOf } from './complaints.ts';

const { call } = useTools();

/** The words of an answer, and the cells of its table. */
interface Told {
  readonly answer: string;
  readonly findings: readonly { readonly sentence: string }[];
  readonly details: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Questions whose pictures have misled readers before. */
const QUESTIONS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['query_metrics', { metrics: ['visits'], startDate: '-10d', endDate: 'today', breakdown: ['day'] }],
  ['query_metrics', { metrics: ['visits'], startDate: '-60d', endDate: 'yesterday', breakdown: ['week', 'segment'] }],
  ['query_metrics', { metrics: ['visits'], startDate: '-20d', endDate: 'yesterday', breakdown: ['day', 'device'] }],
  ['query_metrics', { metrics: ['conversionRate'], startDate: '-12mo', endDate: 'last_month', breakdown: ['month'] }],
  ['query_metrics', { metrics: ['visits', 'conversionRate'], startDate: '-56d', endDate: 'yesterday', breakdown: ['weekday'] }],
  ['compare_metrics', { startDate: '-14d', endDate: 'yesterday' }],
  ['compare_metrics', { startDate: 'last_month', endDate: 'last_month', baseline: 'previous_year' }],
  ['compare_metrics', { startDate: '-7d', endDate: 'yesterday', by: 'device' }],
  ['compare_metrics', { startDate: '-14d', endDate: 'yesterday', by: 'segment' }],
  ['query_metrics', { metrics: ['visits'], startDate: '-28d', endDate: 'today', breakdown: ['day'], expected: true }],
  ['query_metrics', { metrics: ['visits'], startDate: '-28d', endDate: '+14d', breakdown: ['day'], expected: true }],
  ['query_metrics', { metrics: ['visits'], startDate: 'last_week', endDate: 'last_week', breakdown: ['segment', 'device'] }],
  ['query_metrics', { metrics: ['visits'], startDate: '-3d', endDate: 'yesterday', breakdown: ['hour'] }],
  ['query_metrics', { metrics: ['visits', 'conversionRate', 'revenue'], startDate: '-90d', endDate: 'yesterday', breakdown: ['week'] }],
  ['compare_metrics', { metrics: ['revenue'], startDate: '-28d', endDate: 'yesterday' }],
  ['compare_metrics', { metrics: ['visits'], startDate: '-56d', endDate: '-29d' }],
  ['analyze_scenario', { scenarioId: 'Checkout – mobile' }],
  ['analyze_har', { scenarioId: 'Product page – mobile', step: 'Product' }],
  ['analyze_scenario', {}],
];

describe.each(QUESTIONS)('the picture of %s %j', (tool, args) => {
  it('says its finding, begins amounts at zero, spans its range, and neither cuts nor covers a word', async () => {
    const { structured } = await call(tool, { ...args, chart: true });
    const spec = structured['chart'] as ChartSpec;
    const { answer = '', findings = [], details = [], rows = [] } = structured as Partial<Told>;
    const said = [answer, ...findings.map(({ sentence }) => sentence), ...details].join('\n');
    const titles = new Set(said.split('\n').flatMap(sentencesOf).map(headlineOf));
    // What is most or least stands in the rows.
    // Figures of a title are rounded.
    const isCell = (figure: number) => rows.flat().some((cell) => Math.abs(Number(cell) / figure - 1) < 0.002);
    const isOfRows = (title: string) =>
      /^(Most|Fewest|Highest|Lowest) .*\(/.test(title) &&
      [...title.matchAll(/\(([\d,.]+)/g)].every(([, figure = '']) => isCell(Number(figure.replaceAll(',', ''))));
    const sums = (rows[0] ?? []).map((_, column) => rows.reduce((sum, row) => sum + (Number(row[column]) || 0), 0));
    const isTotal = (title: string) => {
      const figure = Number(/^[A-Z][a-z ]+ ([\d,]+)(?: EUR)? from /.exec(title)?.[1]?.replaceAll(',', ''));
      return sums.some((sum) => Math.abs(sum / figure - 1) < 0.002);
    };
    const isNamed = /^[A-Z][a-z ]+( by [a-z ]+|, [+-][\d,.]+( pp)?: what each [a-z]+ contributes)$/;
    // One on another place stands behind the name of what is drawn, one on another metric before what it cost.
    const [hasName, hasCost] = [/^[A-Z][a-z ]+: /, /: (about [\d,]+ EUR) (?:less|more) revenue$/];
    const isSaid = (title: string) =>
      [title, capital(title.replace(hasName, '')), title.replace(hasCost, '')].some((each) => titles.has(each)) &&
      said.includes(hasCost.exec(title)?.[1] ?? '');
    for (const panel of panelsOf(spec)) {
      // What the answer says, or else no more than what is drawn.
      expect(isSaid(panel.title) || isOfRows(panel.title) || isTotal(panel.title) || isNamed.test(panel.title), panel.title).toBe(true);
      expect(panel.subtitle).toMatch(/^Nordlicht Shop, .*20\d\d/);
      expect(panel.title).not.toMatch(/20\d\d-\d\d/);
    }
    for (const [at, { option }] of drawPanels(spec, { theme: themes.light, widthPx: 960 }).entries()) {
      const { xAxis, yAxis } = option as { xAxis: { type?: string; min?: number; max?: number }; yAxis: { scale?: boolean } };
      if (xAxis.type !== 'time') continue;
      expect(yAxis.scale).toBe(false);
      const trend = panelsOf(spec)[at];
      const days = trend?.kind === 'trend' ? trend.times.map((time) => time.slice(0, 10)) : [];
      const [min = 0, max = 0] = [xAxis.min, xAxis.max];
      const [before = 0, last = 0] = days.slice(-2).map((day) => Date.parse(day));
      // The name of a week or month stands under its middle: the axis ends with it.
      const end = new Date(last + (last - before >= 7 * DAY_MS ? last - before : 0)).toISOString().slice(0, 10);
      expect([min, max].map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([days[0], days.length > 1 ? end : days[0]]);
    }
    expect([complaintsOf(spec, 960), complaintsOf(spec, 390)]).toEqual([[], []]);
  });
});

/** The trend of the visits of last month beside those of a baseline, and how many days this has. */
async function trendBeside(baseline: Record<string, unknown>) {
  const { structured } = await call('compare_metrics', {
    metrics: ['visits'],
    startDate: 'last_month',
    endDate: 'last_month',
    chart: true,
    ...baseline,
  });
  const [trend] = panelsOf(structured['chart'] as ChartSpec);
  if (trend?.kind !== 'trend') throw new Error('no trend');
  return { trend, days: structured['baseline'] && (structured['baseline'] as { days: number }).days };
}

it('a year earlier lies on the same weekdays, also where its first days are not kept', async () => {
  const { trend, days } = await trendBeside({ baseline: 'previous_year' });
  const [period, baseline] = trend.series;
  const lengthOf = (values: readonly (number | null)[] = []) => values.filter((value) => value !== null).length;
  expect([period, baseline].map((series) => lengthOf(series?.values))).toEqual([days, days]);
  expect(baseline?.values.at(-1)).not.toBeNull();
});

it('ranges of different length are titled by the figures for a day', async () => {
  const range = { startDate: '2026-09', endDate: '2026-09', baselineStartDate: '2026-07-01', baselineEndDate: '2026-07-31' };
  const { trend } = await trendBeside(range);
  expect(trend.title).toMatch(/^Visits \w+ from [\d,]+ to [\d,]+ a day/);
});
