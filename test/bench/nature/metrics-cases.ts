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
const goesOn = (said: Said, metric: string) => changesIn(said, metric).some(({ when }) => when.ongoing && when.shape !== 'drift');
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
const SELF = { 'against itself': isAgainstItself, 'parts over 150 %': hasLargeParts };

type Counts = Case['counts'];
/** A comparison of the last week, or of the range that `args` names. */
export const compared = (name: string, nature: Partial<Nature>, counts: Counts, args: Case['args'] = last(7)): Case => ({
  name: `${name}: compare`,
  nature: { ...CALM, ...nature },
  tool: 'compare_metrics',
  args,
  counts: { ...counts, ...SELF },
});
/** A scan of the last days. */
export const scanned = (name: string, nature: Partial<Nature>, counts: Counts, days = 28): Case => ({
  name: `${name}: find`,
  nature: { ...CALM, ...nature },
  tool: 'find_changes',
  args: last(days),
  counts,
});

/** What is counted in several cases. */
export const TOLD_CHANGED: Counts = { 'told changed (≤ 5 %)': anyChanged };
export const ANY_CHANGE: Counts = { 'any change (≤ 5 %)': (said) => changesIn(said).length > 0 };
export const AS_COUNTING: Counts = { 'told as counting (≤ 2 %)': isCounting };

const calm = (name: string, more: Partial<Nature>): Case[] => [
  compared(
    `calm, ${name}`,
    more,
    { ...TOLD_CHANGED, 'visits changed (≤ 2 %)': (said) => CHANGED.has(String(verdictOf(said, 'visits'))), ...AS_COUNTING },
    last(7, { metrics: ['all'] }),
  ),
  scanned(`calm, ${name}`, more, { ...ANY_CHANGE, 'a lasting fall by chance': (said) => isFall(said), ...AS_COUNTING }),
];

const young = (age: number): Case[] => {
  const [nature, tooYoung]: [Partial<Nature>, Counts] = [{ age, ramp: 0.3 }, { 'says too young': ({ text }) => /young/i.test(text) }];
  return [
    { ...compared(`young, ${age} days`, nature, {}), counts: { 'told changed (≤ 3 %)': anyChanged, ...tooYoung } },
    scanned(
      `young, ${age} days`,
      nature,
      { 'any change (≤ 3 %)': (said) => changesIn(said).length > 0, ...tooYoung },
      Math.min(28, age - 2),
    ),
  ];
};

const broken = (name: string, faults: Nature['faults'] = []): Case[] => {
  const counts: Counts = { 'told as counting (≥ 90 %)': isCounting, 'field quality (≥ 90 %)': ({ quality }) => (quality ?? []).length > 0 };
  return [{ ...compared(`broken, ${name}`, { faults }, {}), counts }, scanned(`broken, ${name}`, { faults }, counts)];
};

const found = (name: string, events: readonly Event[], metric: string): Case[] => [
  compared(`change, ${name}`, { events }, { found: (said) => CHANGED.has(String(verdictOf(said, metric))), ...AS_COUNTING }),
  scanned(
    `change, ${name}`,
    { events },
    {
      found: (said, world) =>
        changesIn(said, metric).some(
          ({ when: { from = '' } }) => Math.abs(Date.parse(from) - Date.parse(dayOf(world, events[0]?.from ?? 1))) <= 2 * 86_400_000,
        ),
      ...AS_COUNTING,
    },
  ),
];

/** A change of visits that is over, and what is said of how it goes on. */
export const GOES_ON: Counts = { 'told as going on (≤ 15 %)': (said) => goesOn(said, 'visits') };
export const ended = (
  name: string,
  from: number,
  to: number,
  factor: number,
  counts: Readonly<Record<'compare' | 'find', Counts>>,
): Case[] => {
  const nature = { events: [event('visits', from, factor, { to })] };
  return [compared(name, nature, counts.compare, last(14)), scanned(name, nature, counts.find)];
};

const SALE: Event[] = [event('visits', 14, 1.6, { to: 8 }), event('rate', 14, 1.2, { to: 8 })];
const ENDED: Event[] = [event('visits', 42, 1.6, { to: 29 }), event('rate', 42, 1.2, { to: 29 })];
const fallsOf = (said: Said) => changesIn(said).filter(({ when, verdict }) => when.shape === 'step' && verdict === 'lower');
const isFall = (said: Said) => fallsOf(said).length > 0;
/** Whether a lasting fall begins within a week of the end of the sale. */
const isFallOfEnd = (said: Said, world: World) =>
  fallsOf(said).some(({ when: { from = '' } }) => from >= dayOf(world, 36) && from <= dayOf(world, 22));

/** Visits that lose 1 % a day. */
export const eroded = (days: number): Event[] => [event('visits', days, 0.99 ** days, { isGradual: true })];
/** Two devices that change in opposite ways. */
export const OPPOSITE: Event[] = [event('visits', 10, 0.85, { device: 'mobile' }), event('visits', 10, 1.1, { device: 'desktop' })];

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
  compared(
    'sale in the baseline',
    { events: SALE },
    {
      ...TOLD_CHANGED,
      'sale named (≥ 90 %)': ({ answer = '', text }, world) => (answer + text).includes(dayOf(world, 14)),
      ...AS_COUNTING,
    },
  ),
  scanned(
    'sale ended as the scan began',
    { events: ENDED },
    {
      'lasting fall (0)': isFall,
      'of these within a week of its end': isFallOfEnd,
      'any change': (said) => changesIn(said).length > 0,
    },
  ),
  ...[28, 72, 92].map((days) =>
    scanned(
      `Black Friday behind, scan of ${days} days`,
      { lastDay: '2026-01-20', holidays: true, season: 0.2 },
      {
        'lasting fall (0)': isFall,
        'named (≥ 90 %)': ({ text }) => days < 40 || /Black Friday|Cyber Monday/.test(text),
        ...AS_COUNTING,
      },
      days,
    ),
  ),
  compared(
    'Black Friday alone',
    { lastDay: '2025-12-03', holidays: true },
    { 'named (≥ 90 %)': ({ answer = '' }) => /Black Friday/.test(answer), ...AS_COUNTING },
    () => ({ startDate: '2025-11-28', endDate: '2025-11-28' }),
  ),
  compared(
    'Christmas week',
    { lastDay: '2025-12-28', holidays: true },
    { 'named (≥ 90 %)': ({ text }) => /Christmas/.test(text), 'told changed': anyChanged },
  ),
  compared(
    'pay days ±15 %',
    { payDays: 0.15 },
    {
      ...TOLD_CHANGED,
      'half an interval of visits ≤ 16 % (most)': (said) =>
        (Number(column(said, 'high').get('visits')) - Number(column(said, 'low').get('visits'))) / 2 <= 16,
    },
  ),
  ...[30, 60].map((days) =>
    scanned(
      `erosion of 1 % a day for ${days} days`,
      { events: eroded(days) },
      { 'found (≥ 85 %)': (said) => changesIn(said, 'visits').some(({ verdict }) => verdict === 'lower') },
    ),
  ),
  ...ended('ended after 10 days, 4 days ago', 13, 5, 0.8, {
    compare: {
      found: (said) => CHANGED.has(String(verdictOf(said, 'visits'))) || changesIn(said, 'visits').length > 0,
      ...GOES_ON,
    },
    find: { found: (said) => changesIn(said, 'visits').length > 0, ...GOES_ON },
  }),
  compared(
    'mobile -15 %, desktop +10 % since 10 days',
    { events: OPPOSITE },
    { 'both told': (said) => areTold(said, 'mobile', 'desktop') },
    last(14),
  ),
];
