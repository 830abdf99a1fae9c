import type { Finding } from '../../../src/findings/finding.ts';
import { CALM, dayOf, type Event, event, type Nature, type World } from './metrics-world.ts';

/** What a tool said, with the members that the cases look at. */
export interface Said {
  readonly answer?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly findings: readonly Finding[];
  readonly quality?: readonly { readonly kind: string }[];
  readonly sums?: unknown;
  readonly revenue?: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** One kind of world, what is asked in it, and what of the answers is counted; each count has its bound. */
export interface Case {
  readonly name: string;
  readonly nature: Nature;
  readonly tool: 'compare_metrics' | 'find_changes' | 'query_metrics';
  readonly args: (world: World) => Record<string, unknown>;
  readonly counts: Readonly<Record<string, (said: Said, world: World) => boolean>>;
  /** Parts of what each answer holds: how many, and of how many. */
  readonly shares?: Readonly<Record<string, (said: Said) => readonly [number, number]>>;
}

/** Arguments of a question about the last days. */
export const last =
  (days: number, more: Record<string, unknown> = {}) =>
  (world: World) => ({ startDate: dayOf(world, days), endDate: dayOf(world, 1), ...more });
const CHANGED = new Set(['up', 'down', 'drift']);

/** The cells of a column, by the metric of the row. */
function column({ columns, rows }: Said, name: string): Map<string, string | number | null> {
  const [metric, at] = [columns.indexOf('metric'), columns.indexOf(name)];
  return new Map(rows.map((row) => [String(row[metric]), row[at] ?? null]));
}

const verdicts = (said: Said) => [...column(said, 'verdict').values()];
/** Whether any metric is told as changed. */
export const anyChanged = (said: Said) => verdicts(said).some((verdict) => CHANGED.has(String(verdict)));
/** Whether the counting is blamed. */
export const isCounting = ({ findings }: Pick<Said, 'findings'>) => findings.some(({ verdict }) => verdict === 'measurement');

/** What is said to have changed on days of its own, of one metric or all. */
export const changesIn = ({ findings = [] }: { readonly findings?: readonly Finding[] | undefined }, metric?: string) =>
  findings.filter(
    ({ subject, when, verdict }) =>
      when.shape !== 'range' && (verdict === 'higher' || verdict === 'lower') && (metric === undefined || subject === metric),
  );
/** Whether a change of a metric is told as going on, a slow one aside. */
export const goesOn = (said: Said, metric: string) => changesIn(said, metric).some(({ when }) => when.ongoing && when.shape !== 'drift');
/** Whether all of these devices are places of changes. */
export const areTold = (said: Said, ...devices: readonly string[]) =>
  devices.every((device) => changesIn(said).some(({ place }) => place.device === device));
const verdictOf = (said: Said, metric: string) => column(said, 'verdict').get(metric);

/** Rows whose verdict their own figures do not bear: an interval that holds 0, or a change the other way. */
function isAgainstItself(said: Said): boolean {
  const [change, low, high] = [column(said, 'changePercent'), column(said, 'low'), column(said, 'high')];
  return [...column(said, 'verdict')].some(([metric, verdict]) => {
    if (verdict !== 'up' && verdict !== 'down') return false;
    const sign = verdict === 'up' ? 1 : -1;
    const bounds = [low.get(metric), high.get(metric)].filter((bound) => bound !== null && bound !== undefined);
    return [change.get(metric), ...bounds].some((value) => sign * Number(value) < 0);
  });
}
const hasLargeParts = ({ findings }: Said) => findings.some(({ causes }) => causes.some(({ share = 0 }) => Math.abs(share) > 1.5));

/** Counts that must be zero everywhere. */
export const SELF = { 'against itself': isAgainstItself, 'parts over 150 %': hasLargeParts };

const calm = (name: string, more: Partial<Nature>): Case[] => [
  {
    name: `calm, ${name}: compare`,
    nature: { ...CALM, ...more },
    tool: 'compare_metrics',
    args: last(7, { metrics: ['all'] }),
    counts: {
      'told changed (≤ 5 %)': anyChanged,
      'visits changed (≤ 2 %)': (said) => CHANGED.has(String(verdictOf(said, 'visits'))),
      'told as counting (≤ 2 %)': isCounting,
      ...SELF,
    },
  },
  {
    name: `calm, ${name}: find`,
    nature: { ...CALM, ...more },
    tool: 'find_changes',
    args: last(28),
    counts: {
      'any change (≤ 5 %)': (said) => changesIn(said).length > 0,
      'a lasting fall by chance': (said) => isFall(said),
      'told as counting (≤ 2 %)': isCounting,
    },
  },
];

const young = (age: number): Case[] => [
  {
    name: `young, ${age} days: compare`,
    nature: { ...CALM, age, ramp: 0.3 },
    tool: 'compare_metrics',
    args: last(7),
    counts: { 'told changed (≤ 3 %)': anyChanged, 'says too young': ({ text }) => /young/i.test(text) },
  },
  {
    name: `young, ${age} days: find`,
    nature: { ...CALM, age, ramp: 0.3 },
    tool: 'find_changes',
    args: last(Math.min(28, age - 2)),
    counts: { 'any change (≤ 3 %)': (said) => changesIn(said).length > 0, 'says too young': ({ text }) => /young/i.test(text) },
  },
];

const broken = (name: string, faults: Nature['faults'] = []): Case[] =>
  (['compare_metrics', 'find_changes'] as const).map((tool) => ({
    name: `broken, ${name}: ${tool === 'compare_metrics' ? 'compare' : 'find'}`,
    nature: { ...CALM, faults },
    tool,
    args: tool === 'compare_metrics' ? last(7) : last(28),
    counts: { 'told as counting (≥ 90 %)': isCounting, 'field quality (≥ 90 %)': ({ quality }) => (quality ?? []).length > 0 },
  }));

const found = (name: string, events: readonly Event[], metric: string, more: Partial<Nature> = {}): Case[] => [
  {
    name: `change, ${name}: compare`,
    nature: { ...CALM, ...more, events },
    tool: 'compare_metrics',
    args: last(7),
    counts: {
      found: (said) => CHANGED.has(String(verdictOf(said, metric))),
      'told as counting (≤ 2 %)': isCounting,
      ...SELF,
    },
  },
  {
    name: `change, ${name}: find`,
    nature: { ...CALM, ...more, events },
    tool: 'find_changes',
    args: last(28),
    counts: {
      found: (said, world) =>
        changesIn(said, metric).some(
          ({ when: { from = '' } }) => Math.abs(Date.parse(from) - Date.parse(dayOf(world, events[0]?.from ?? 1))) <= 2 * 86_400_000,
        ),
      'told as counting (≤ 2 %)': isCounting,
    },
  },
];

const SALE: Event[] = [event('visits', 14, 1.6, { to: 8 }), event('rate', 14, 1.2, { to: 8 })];
const ENDED: Event[] = [event('visits', 42, 1.6, { to: 29 }), event('rate', 42, 1.2, { to: 29 })];
const fallsOf = (said: Said) => changesIn(said).filter(({ when, verdict }) => when.shape === 'step' && verdict === 'lower');
const isFall = (said: Said) => fallsOf(said).length > 0;
/** Whether a lasting fall begins within a week of the end of the sale. */
const isFallOfEnd = (said: Said, world: World) =>
  fallsOf(said).some(({ when: { from = '' } }) => from >= dayOf(world, 36) && from <= dayOf(world, 22));

/** Every kind of world of the bench. */
export const CASES: readonly Case[] = [
  ...calm('50 a day', { visits: 50 }),
  ...calm('5,000 a day', { visits: 5_000 }),
  ...calm('25,000 a day', {}),
  ...calm('5,000,000 a day', { visits: 5_000_000 }),
  ...calm('season and growth', { season: 0.25, growth: 0.2 }),
  ...calm('carry 0.5', { carry: 0.5 }),
  ...young(10),
  ...young(20),
  ...young(30),
  ...broken('outage of 2 days', [{ kind: 'outage', from: 4, to: 3 }]),
  ...broken('yesterday partial', [{ kind: 'partial', from: 1, to: 1 }]),
  ...broken('mobile missing 3 days', [{ kind: 'device', from: 3, to: 1 }]),
  ...broken('counted twice', [{ kind: 'doubled', from: 5, to: 1 }]),
  ...broken('consent banner', [{ kind: 'consent', from: 6, to: 1 }]),
  ...broken('late orders', [{ kind: 'late', from: 2, to: 1 }]),
  ...broken('bots', [{ kind: 'bots', from: 6, to: 1 }]),
  ...broken('no orders', [{ kind: 'no orders', from: 3, to: 2 }]),
  ...found('visits -15 % since 5 days', [event('visits', 5, 0.85)], 'visits'),
  ...found('visits -40 % since 5 days', [event('visits', 5, 0.6)], 'visits'),
  ...found('visits +60 % since 4 days', [event('visits', 4, 1.6)], 'visits'),
  ...found(
    'visits +15 %, mobile rate -25 % since 6 days',
    [event('visits', 6, 1.15), event('rate', 6, 0.75, { device: 'mobile' })],
    'visits',
  ),
  ...found('rate -20 % since 5 days', [event('rate', 5, 0.8)], 'conversionRate'),
  ...found('mobile rate -30 % since 6 days', [event('rate', 6, 0.7, { device: 'mobile' })], 'conversionRate'),
  ...found(
    'visits +35 % since 12 days, desktop rate -55 % since 5',
    [event('rate', 5, 0.45, { device: 'desktop' }), event('visits', 12, 1.35)],
    'conversionRate',
  ),
  ...found('desktop rate -90 % on the last day', [event('rate', 1, 0.1, { device: 'desktop' })], 'conversionRate'),
  ...found('mobile visits -60 % since 5 days', [event('visits', 5, 0.4, { device: 'mobile' })], 'visits'),
  {
    name: 'sale in the baseline: compare',
    nature: { ...CALM, events: SALE },
    tool: 'compare_metrics',
    args: last(7),
    counts: {
      'told changed (≤ 5 %)': anyChanged,
      'sale named (≥ 90 %)': ({ answer = '', text }, world) => (answer + text).includes(dayOf(world, 14)),
      'told as counting (≤ 2 %)': isCounting,
      ...SELF,
    },
  },
  {
    name: 'sale ended as the scan began: find',
    nature: { ...CALM, events: ENDED },
    tool: 'find_changes',
    args: last(28),
    counts: {
      'lasting fall (0)': isFall,
      'of these within a week of its end': isFallOfEnd,
      'any change': (said) => changesIn(said).length > 0,
    },
  },
  ...[28, 72, 92].map(
    (days): Case => ({
      name: `Black Friday behind, scan of ${days} days: find`,
      nature: { ...CALM, lastDay: '2026-01-20', holidays: true, season: 0.2 },
      tool: 'find_changes',
      args: last(days),
      counts: {
        'lasting fall (0)': isFall,
        'named (≥ 90 %)': ({ text }) => days < 40 || /Black Friday|Cyber Monday/.test(text),
        'told as counting (≤ 2 %)': isCounting,
      },
    }),
  ),
  {
    name: 'Black Friday alone: compare',
    nature: { ...CALM, lastDay: '2025-12-03', holidays: true },
    tool: 'compare_metrics',
    args: () => ({ startDate: '2025-11-28', endDate: '2025-11-28' }),
    counts: { 'named (≥ 90 %)': ({ answer = '' }) => /Black Friday/.test(answer), 'told as counting (≤ 2 %)': isCounting, ...SELF },
  },
  {
    name: 'Christmas week: compare',
    nature: { ...CALM, lastDay: '2025-12-28', holidays: true },
    tool: 'compare_metrics',
    args: last(7),
    counts: { 'named (≥ 90 %)': ({ text }) => /Christmas/.test(text), 'told changed': anyChanged, ...SELF },
  },
  {
    name: 'pay days ±15 %: compare',
    nature: { ...CALM, payDays: 0.15 },
    tool: 'compare_metrics',
    args: last(7),
    counts: {
      'told changed (≤ 5 %)': anyChanged,
      'half an interval of visits ≤ 16 % (most)': (said) =>
        (Number(column(said, 'high').get('visits')) - Number(column(said, 'low').get('visits'))) / 2 <= 16,
    },
  },
  ...[30, 60].map(
    (days): Case => ({
      name: `erosion of 1 % a day for ${days} days: find`,
      nature: { ...CALM, events: [event('visits', days, 0.99 ** days, { isGradual: true })] },
      tool: 'find_changes',
      args: last(28),
      counts: {
        'found (≥ 85 %)': (said) => changesIn(said, 'visits').some(({ verdict }) => verdict === 'lower'),
      },
    }),
  ),
  {
    name: 'ended after 10 days, 4 days ago: compare',
    nature: { ...CALM, events: [event('visits', 13, 0.8, { to: 5 })] },
    tool: 'compare_metrics',
    args: last(14),
    counts: {
      found: (said) => CHANGED.has(String(verdictOf(said, 'visits'))) || changesIn(said, 'visits').length > 0,
      'told as going on (≤ 15 %)': (said) => goesOn(said, 'visits'),
      ...SELF,
    },
  },
  {
    name: 'ended after 10 days, 4 days ago: find',
    nature: { ...CALM, events: [event('visits', 13, 0.8, { to: 5 })] },
    tool: 'find_changes',
    args: last(28),
    counts: {
      found: (said) => changesIn(said, 'visits').length > 0,
      'told as going on (≤ 15 %)': (said) => goesOn(said, 'visits'),
    },
  },
  {
    name: 'mobile -15 %, desktop +10 % since 10 days: compare',
    nature: { ...CALM, events: [event('visits', 10, 0.85, { device: 'mobile' }), event('visits', 10, 1.1, { device: 'desktop' })] },
    tool: 'compare_metrics',
    args: last(14),
    counts: { 'both told': (said) => areTold(said, 'mobile', 'desktop'), ...SELF },
  },
];
