import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import { median } from '../measure.ts';
import type { Claim } from './claim.ts';
import type { Rest } from './rest.ts';
import { type Asked, CHANGE, type Truths } from './truth.ts';

interface Step {
  readonly name: string;
  readonly fail: number;
  readonly weight: number;
  readonly timings: Readonly<Record<string, number>>;
}
interface Run {
  readonly date: number;
  readonly summary: { readonly fail: number };
  readonly steps: readonly Step[];
}
interface Entry {
  readonly request: { readonly url: string };
  readonly response: {
    readonly content: { readonly mimeType: string };
    readonly _transferSize?: number;
    readonly bodySize: number;
    readonly headersSize: number;
  };
}

const SCENARIOS: Readonly<Record<number, string>> = {
  4101: 'Checkout – desktop',
  4102: 'Checkout – mobile',
  4103: 'Product page – mobile',
  4104: 'Home – desktop',
  4105: 'Search – mobile',
  4106: 'Search – desktop',
};
const ALL = Object.keys(SCENARIOS).map(Number);
const CHECKOUTS = ALL.slice(0, 2);
const LCP = 'largestContentfulPaint';
const VERDICT = ['verdict', 'speedVerdict'];

async function runs(rest: Rest, scenarioId: number, fromMs: number, toMs: number): Promise<Run[]> {
  const { scenario } = await rest.post('/v1/speed-analysis/scenario/reports', {
    scenarioId,
    limit: 0,
    dateFrom: isoTime(fromMs),
    dateTo: isoTime(toMs),
  });
  return [...(scenario as { reports: Run[] }).reports];
}

const isWhole = ({ summary }: Run) => summary.fail === 0;
const valueOf = ({ weight, timings }: Step, metric: string) => (metric === 'weight' ? weight : (timings[metric] ?? Number.NaN));
const dayMs = (day: string | undefined) => Date.parse(`${day}T00:00:00Z`);
const dayOf = (ms: number) => isoTime(ms).slice(0, 10);

interface Level {
  readonly scenarioId: number;
  readonly step: string;
  readonly value: number;
}

/** Medians of a metric by step, of the runs without failure; whole runs have all steps. */
function levelsOf(scenarioId: number, own: readonly Run[], metric: string): Level[] {
  const whole = own.filter(isWhole);
  return (whole[0]?.steps ?? []).map(({ name }, index) => {
    const values = whole.flatMap(({ steps }) => steps.slice(index, index + 1).map((step) => valueOf(step, metric)));
    return { scenarioId, step: name, value: median(values) };
  });
}

/** Levels since midnight seven days ago. */
async function levels({ rest, dates, nowMs }: Asked, scenarios: readonly number[], metric: string): Promise<Level[]> {
  const from = dayMs(dates['today']) - 7 * DAY_MS;
  return (await Promise.all(scenarios.map(async (id) => levelsOf(id, await runs(rest, id, from, nowMs), metric)))).flat();
}

/** The highest levels, as rows of a table that begins with them. */
async function highest(asked: Asked, scenarios: readonly number[]): Promise<Claim[]> {
  const sorted = (await levels(asked, scenarios, LCP)).toSorted((a, b) => b.value - a.value);
  return sorted.slice(0, 3).map(({ scenarioId, step, value }) => ({
    by: 'REST',
    at: [[scenarioId, SCENARIOS[scenarioId] ?? ''], step],
    may: [SCENARIOS[scenarioId] ?? ''],
    has: [{ as: [LCP, 'now'], is: value }],
  }));
}

async function budgets(asked: Asked): Promise<Claim[]> {
  const limits = { [LCP]: 2_500, totalBlockingTime: 200, cumulativeLayoutShift: 0.1, weight: 2_600_000 };
  const all = await Promise.all(
    Object.entries(limits).map(async ([metric, limit]) => (await levels(asked, ALL, metric)).map((level) => ({ ...level, metric, limit }))),
  );
  const broken = all.flat().filter(({ value, limit }) => value > limit);
  const worst = broken.toSorted((a, b) => b.value / b.limit - a.value / a.limit).slice(0, 3);
  return [
    { by: 'REST', has: [{ as: ['broken'], is: broken.length }] },
    { by: 'REST', has: [{ as: ['passed'], is: all.flat().length - broken.length }] },
    ...worst.map(({ scenarioId, step, metric, value }): Claim => {
      return { by: 'REST', at: [SCENARIOS[scenarioId] ?? '', step], metric, has: [{ as: ['median', 'now'], is: value }] };
    }),
  ];
}

/** How far a size of the planted slow-down may lie off, in points: medians of the runs of some days, which scatter by a tenth. */
const SIZE_OFF = 6;

/** The planted slow-down where it began in the period that is judged: its step, its first run's day and its size. */
async function slower({ rest, stories, nowMs }: Asked, fromMs: number): Promise<Claim[]> {
  const { scenarioId, scenarioName, stepName, dateMs, factor } = stories.slowTag;
  if (dateMs < fromMs) return [];
  const first = Math.min(...(await runs(rest, scenarioId, dateMs, nowMs)).map(({ date }) => date));
  return [
    {
      by: 'planted',
      at: [[scenarioId, scenarioName], stepName],
      may: [scenarioName],
      metric: LCP,
      has: [
        { as: CHANGE.from, is: dayOf(first) },
        { as: CHANGE.percent, is: 100 * (factor - 1), within: SIZE_OFF },
      ],
    },
  ];
}

/** That these scenarios were judged and none became slower; nothing is claimed where the slow-down lies before the period. */
function noneSlower({ stories }: Asked, scenarios: readonly number[]): Claim[] {
  const calm = ['steady', 'unstable', 'failing', 'faster', 'no change', 'unchanged', 'uncertain', 'lower', 'too few data'];
  const named = (id: number) => [id, SCENARIOS[id] ?? ''];
  return scenarios
    .filter((id) => id !== stories.slowTag.scenarioId)
    .map((id) => ({
      by: 'planted',
      at: [named(id)],
      may: [SCENARIOS[id] ?? ''],
      has: [{ as: VERDICT, is: calm }],
      none: { as: VERDICT, is: ['slower', 'higher'] },
    }));
}

/** The planted slow-down, or that there is none among these. */
async function slowerOf(asked: Asked, scenarios: readonly number[], fromMs: number): Promise<Claim[]> {
  return scenarios.includes(asked.stories.slowTag.scenarioId) ? slower(asked, fromMs) : noneSlower(asked, scenarios);
}

/** Runs of a scenario that failed at a step, seven days and today. */
async function failures({ rest, dates, nowMs, stories }: Asked, by: 'scenario' | 'table'): Promise<Claim[]> {
  const { scenarioId, scenarioName, stepName, action } = stories.failing;
  const all = await runs(rest, scenarioId, dayMs(dates['today']) - 7 * DAY_MS, nowMs);
  const failed = all.filter(({ steps }) => steps.some(({ name, fail }) => name === stepName && fail > 0)).length;
  const place = { at: [[scenarioId, scenarioName], stepName], may: [scenarioName] };
  const figures = [
    { as: ['failed', 'against.value'], is: failed },
    { as: ['percent', 'failurePercent', 'now'], is: (100 * failed) / all.length },
    ...(by === 'table' ? [{ as: ['runs'], is: all.length }] : []),
  ];
  return [
    { by: 'REST', ...place, has: figures },
    { by: 'planted', ...place, has: [{ as: ['action', 'message', 'causes.name'], is: action }] },
  ];
}

async function entriesOf({ rest, structured }: Asked): Promise<Entry[]> {
  const run = structured?.['run'] as { stepResultId: string } | undefined;
  if (!run) return [];
  const { har } = await rest.post('/v1/speed-analysis/scenario/report/har', { scenarioStepResultId: run.stepResultId });
  return (JSON.parse(String(har)) as { log: { entries: Entry[] } }).log.entries;
}

async function loaded(asked: Asked, isChosen: (entry: Entry) => boolean = () => true): Promise<Claim> {
  const entries = (await entriesOf(asked)).filter(isChosen);
  const bytes = entries.reduce((sum, { response }) => sum + (response._transferSize ?? response.bodySize + response.headersSize), 0);
  return {
    by: 'REST',
    has: [
      { as: ['totals.requests'], is: entries.length },
      { as: ['totals.transferBytes'], is: bytes },
    ],
  };
}

/** An event as the platform lists it, or no longer does. */
async function event({ rest }: Asked, claim: Pick<Claim, 'has'>, key: string, isThere: boolean): Promise<Claim> {
  const { events } = await rest.post('/v1/speed-analysis/event/list', {});
  const found = (events as { key: string }[]).some((each) => each.key === key);
  return { by: 'REST', says: `the platform lists ${found ? '' : 'no '}${key}`, at: [key], ...claim, done: found === isThere };
}

/** Runs that lie farthest from the median of their step. */
async function extremes({ rest, dates }: Asked): Promise<Claim[]> {
  const own = await runs(rest, 4101, dayMs(dates['last_monday']), dayMs(dates['this_monday']) - 1);
  const usual = new Map(levelsOf(4101, own, LCP).map(({ step, value }) => [step, value]));
  const all = own.filter(isWhole).flatMap(({ steps }) =>
    steps.map((step) => ({
      step: step.name,
      value: valueOf(step, LCP),
      ratio: valueOf(step, LCP) / (usual.get(step.name) ?? Number.NaN),
    })),
  );
  const sorted = all.toSorted((a, b) => b.ratio - a.ratio);
  return [sorted.slice(0, 1), sorted.slice(-1)].flatMap((chosen, index) =>
    chosen.map(({ step, value, ratio }) => ({
      by: 'REST',
      at: [index === 0 ? 'slowest' : 'fastest', step],
      may: ['Checkout – desktop'],
      has: [
        { as: [LCP], is: value },
        { as: ['timesUsual'], is: ratio },
      ],
    })),
  );
}

/** Medians of parts of the time, by step. */
async function parted(asked: Asked, scenarioId: number, metric: string, parts: Readonly<Record<string, (ms: number) => boolean>>) {
  const scenario = SCENARIOS[scenarioId] ?? '';
  const own = await runs(asked.rest, scenarioId, dayMs(asked.dates['today']) - 28 * DAY_MS, asked.nowMs);
  return Object.entries(parts).flatMap(([part, isPart]) =>
    levelsOf(
      scenarioId,
      own.filter(({ date }) => isPart(date)),
      metric,
    ).map(({ step, value }): Claim => ({ by: 'REST', at: [scenario, step, part], has: [{ as: [metric, 'now'], is: value }] })),
  );
}

const isWeekend = (ms: number) => new Date(ms).getUTCDay() % 6 === 0;

/** Truths about speed. */
export const speedTruths: Truths = {
  '15': (asked) => slower(asked, dayMs(asked.dates['month_start'])),
  '16': (asked) => highest(asked, CHECKOUTS),
  '17': budgets,
  '18': (asked) => slowerOf(asked, CHECKOUTS, dayMs(asked.dates['tuesday'])),
  '19': (asked) => loaded(asked),
  '20': (asked) => loaded(asked),
  '21': (asked) => event(asked, { has: [{ as: ['date'], is: asked.dates['today'] ?? '' }] }, 'release-today', true),
  '32': (asked) => slower(asked, dayMs(asked.dates['month_start'])),
  '48': async (asked) => {
    const end = dayMs(asked.dates['month_start']);
    const isLater = asked.stories.slowTag.dateMs >= end;
    return isLater ? noneSlower(asked, ALL) : slower(asked, dayMs(`${dayOf(end - DAY_MS).slice(0, 7)}-01`));
  },
  '49': (asked) => highest(asked, ALL),
  '50': async ({ stories: { slowTag } }) => ({
    by: 'planted',
    at: [slowTag.host],
    may: [slowTag.stepName],
    has: [{ as: ['presence'], is: 'new' }],
  }),
  '51': async (asked) => {
    const { failing, noisy, slowTag } = asked.stories;
    if (failing.scenarioId === 4102) return failures(asked, 'scenario');
    if (slowTag.scenarioId === 4102) return slower(asked, dayMs(asked.dates['today']) - 7 * DAY_MS);
    return { by: 'planted', at: ['Checkout – mobile'], has: [{ as: VERDICT, is: noisy.scenarioId === 4102 ? 'unstable' : 'steady' }] };
  },
  '52': (asked) => slower(asked, asked.nowMs - 30 * DAY_MS),
  '53': (asked) => slower(asked, asked.nowMs - 45 * DAY_MS),
  '54': (asked) => loaded(asked),
  '55': (asked) => loaded(asked),
  '56': (asked) => failures(asked, 'table'),
  '57/0': (asked) => event(asked, { has: [{ as: ['date'], is: asked.dates['yesterday'] ?? '' }] }, 'checkout-v3', true),
  '57/1': async ({ dates }) => ({
    by: 'planted',
    at: ['checkout-v3', 'checkout v3 rollout', 'Checkout – desktop', 'Checkout – mobile'],
    has: [{ as: ['date'], is: dates['yesterday'] ?? '' }],
  }),
  '57/2': (asked) => event(asked, { has: [{ as: ['status'], is: 'done' }] }, 'checkout-v3', false),
  '59': extremes,
  '60': (asked) =>
    // An answer 304 tells no type.
    loaded(
      asked,
      ({ request, response }) =>
        response.content.mimeType.startsWith('image/') || /\.(?:webp|png|jpe?g|gif|avif|svg)(?:\?|$)/.test(request.url),
    ),
  '61': (asked) => parted(asked, 4101, LCP, { weekend: isWeekend, 'Monday to Friday': (ms) => !isWeekend(ms) }),
  '62': async () => ({ by: 'planted', refused: true }),
  '63': (asked) => {
    const [from, to] = [dayMs(asked.dates['last_monday']), dayMs(asked.dates['this_monday'])];
    return parted(asked, 4103, 'cumulativeLayoutShift', { [asked.dates['last_monday'] ?? '']: (ms) => ms >= from && ms < to });
  },
  '64': (asked) => slowerOf(asked, CHECKOUTS, dayMs(asked.dates['last_28th'])),
};
