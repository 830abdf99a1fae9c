import { DAY_MS } from '../../../src/lib/clock.ts';
import type { Rest } from './rest.ts';
import { type Asked, rounded, type Truth, type Truths } from './truth.ts';

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

const SCENARIOS = [4101, 4102, 4103, 4104, 4105, 4106];
const CHECKOUTS = SCENARIOS.slice(0, 2);
const LCP = 'largestContentfulPaint';

async function runs(rest: Rest, scenarioId: number, fromMs: number, toMs: number): Promise<Run[]> {
  const { scenario } = await rest.post('/v1/speed-analysis/scenario/reports', {
    scenarioId,
    limit: 0,
    dateFrom: new Date(fromMs).toISOString(),
    dateTo: new Date(toMs).toISOString(),
  });
  return [...(scenario as { reports: Run[] }).reports];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

const isWhole = ({ summary }: Run) => summary.fail === 0;
const valueOf = ({ weight, timings }: Step, metric: string) => (metric === 'weight' ? weight : (timings[metric] ?? Number.NaN));
const dayMs = (day: string | undefined) => Date.parse(`${day}T00:00:00Z`);

/** Medians of a metric by scenario and step, of runs without failure since midnight seven days ago. */
async function medians({ rest, dates, nowMs }: Asked, scenarios: readonly number[], metric: string) {
  const rows = await Promise.all(
    scenarios.map(async (scenario) => {
      const whole = (await runs(rest, scenario, dayMs(dates['today']) - 7 * DAY_MS, nowMs)).filter(isWhole);
      const names = whole[0]?.steps.map(({ name }) => name) ?? [];
      return names.map((name, index) => ({
        scenario,
        name,
        value: median(whole.map(({ steps }) => valueOf(steps[index] as Step, metric))),
      })); // whole runs have all steps
    }),
  );
  return rows.flat();
}

async function highest(asked: Asked, scenarios: readonly number[]): Promise<Truth> {
  const [first] = (await medians(asked, scenarios, LCP)).toSorted((a, b) => b.value - a.value);
  const seconds = (first?.value ?? 0) / 1_000;
  return {
    by: 'REST',
    says: `step "${first?.name}", median LCP ${rounded(seconds)} s`,
    figures: [seconds],
    texts: [`step "${first?.name}"`],
    within: 'said',
  };
}

async function budgets(asked: Asked): Promise<Truth> {
  const limits = { [LCP]: 2_500, totalBlockingTime: 200, cumulativeLayoutShift: 0.1, weight: 2_600_000 };
  let broken = 0;
  for (const [metric, limit] of Object.entries(limits))
    broken += (await medians(asked, SCENARIOS, metric)).filter(({ value }) => value > limit).length;
  return { by: 'REST', says: `${broken} of 84 medians above the limit`, figures: [broken, 84], within: 'said' };
}

/** The planted slow-down where it began in the period that is judged. */
function slower({ stories }: Asked, fromMs: number, within: Truth['within'] = 'said'): Truth {
  const { scenarioName, stepName, dateMs } = stories.slowTag;
  const from = new Date(dateMs).toISOString().slice(0, 10);
  const says = `${scenarioName}, step "${stepName}" slower since ${new Date(dateMs).toISOString().slice(0, 16)}Z`;
  if (dateMs < fromMs) return { by: 'planted', says: `${says}, before the period`, within };
  return { by: 'planted', says, texts: [scenarioName, stepName, `since ${from}`], within };
}

/** That nothing of these scenarios got slower in the period, or the planted slow-down. */
function slowerOf(asked: Asked, scenarios: readonly number[], fromMs: number): Truth {
  const { scenarioId, dateMs } = asked.stories.slowTag;
  if (scenarios.includes(scenarioId) && dateMs >= fromMs) return slower(asked, fromMs);
  return {
    by: 'planted',
    says: 'none became slower in the period',
    texts: [`None of ${scenarios.length} scenarios became slower`],
    within: 'said',
  };
}

function failing({ stories }: Asked): Truth {
  const { scenarioName, stepName, action, rate } = stories.failing;
  const says = `${scenarioName} fails at step "${stepName}" in ${Math.round(100 * rate)} % of runs: ${action}`;
  return { by: 'planted', says, texts: [scenarioName, stepName, action], within: 'said' };
}

async function failures(asked: Asked): Promise<readonly Truth[]> {
  const { scenarioId, stepName } = asked.stories.failing;
  const fromMs = dayMs(asked.dates['today']) - 7 * DAY_MS;
  const all = await runs(asked.rest, scenarioId, fromMs, asked.nowMs);
  const failed = all.filter(({ steps }) => steps.some(({ name, fail }) => name === stepName && fail > 0)).length;
  const says = `${failed} of ${all.length} runs since ${new Date(fromMs).toISOString().slice(0, 10)}`;
  return [{ by: 'REST', says, figures: [(100 * failed) / all.length, all.length], within: 'said' }, failing(asked)];
}

async function entriesOf({ rest, text }: Asked): Promise<Entry[]> {
  const id = /stepResultId (\w+)/.exec(text)?.[1];
  const { har } = await rest.post('/v1/speed-analysis/scenario/report/har', { scenarioStepResultId: id });
  return (JSON.parse(String(har)) as { log: { entries: Entry[] } }).log.entries;
}

async function loaded(asked: Asked): Promise<Truth> {
  const entries = await entriesOf(asked);
  const bytes = entries.reduce((sum, { response }) => sum + (response._transferSize ?? response.bodySize + response.headersSize), 0);
  const says = `${entries.length} requests, ${rounded(bytes / 1e6)} MB`;
  return { by: 'REST', says, figures: [entries.length, bytes / 1e6], within: 'said' };
}

async function eventOf({ rest }: Asked, key: string, has: boolean): Promise<Truth> {
  const { events } = await rest.post('/v1/speed-analysis/event/list', {});
  const isThere = (events as { key: string }[]).some((event) => event.key === key);
  const says = isThere ? `the platform lists ${key}` : `the platform lists no ${key}`;
  return { by: 'REST', says, texts: isThere === has ? [key] : ['(the platform holds something else)'], within: 'text' };
}

async function extremes(asked: Asked): Promise<Truth> {
  const { last_monday: from, this_monday: to } = asked.dates;
  const whole = (await runs(asked.rest, 4101, dayMs(from), dayMs(to) - 1)).filter(isWhole);
  // Whole runs have all steps.
  const usual = (whole[0]?.steps ?? []).map((_, index) => median(whole.map(({ steps }) => valueOf(steps[index] as Step, LCP))));
  const steps = whole.flatMap((run) =>
    run.steps.map((step, index) => ({ value: valueOf(step, LCP) / 1_000, ratio: valueOf(step, LCP) / (usual[index] ?? 1) })),
  );
  const byRatio = steps.toSorted((a, b) => b.ratio - a.ratio);
  const [slowest, fastest] = [byRatio[0], byRatio.at(-1)];
  const says =
    `farthest above the median of its step: LCP ${rounded(slowest?.value ?? 0)} s, ${slowest?.ratio.toFixed(1)} times; ` +
    `below: ${fastest?.ratio.toFixed(2)} times`;
  return { by: 'REST', says, figures: [slowest?.value ?? 0, slowest?.ratio ?? 0, fastest?.ratio ?? 0], within: 'said' };
}

async function shifts(asked: Asked): Promise<Truth> {
  const { last_monday: from, this_monday: to } = asked.dates;
  const whole = (await runs(asked.rest, 4103, dayMs(from), dayMs(to) - 1)).filter(isWhole);
  const shift = (index: number) => median(whole.map(({ steps }) => valueOf(steps[index] as Step, 'cumulativeLayoutShift'))); // has two
  const figures = [0, 1].map(shift);
  return { by: 'REST', says: `last week: median CLS ${figures.map((each) => rounded(each, 4)).join(' and ')}`, figures, within: 'text' };
}

/** Truths about speed. */
export const speedTruths: Truths = {
  '15': async (asked) => slower(asked, dayMs(asked.dates['month_start'])),
  '16': (asked) => highest(asked, CHECKOUTS),
  '17': budgets,
  '18': async (asked) => slowerOf(asked, CHECKOUTS, dayMs(asked.dates['tuesday'])),
  '19': loaded,
  '20': async (asked) => {
    const entries = await entriesOf(asked);
    return { by: 'REST', says: `${entries.length} requests in all`, figures: [entries.length], within: 'said' };
  },
  '21': (asked) => eventOf(asked, 'release-today', true),
  '32': async (asked) => slower(asked, dayMs(asked.dates['month_start']), 'text'),
  '48': async (asked) => {
    const fromMs = Date.parse(`${new Date(dayMs(asked.dates['month_start']) - DAY_MS).toISOString().slice(0, 7)}-01T00:00:00Z`);
    const isBefore = asked.stories.slowTag.dateMs < dayMs(asked.dates['month_start']);
    return isBefore
      ? slower(asked, fromMs)
      : slowerOf(asked, SCENARIOS.filter((id) => id !== asked.stories.slowTag.scenarioId).concat(0), fromMs);
  },
  '49': (asked) => highest(asked, SCENARIOS),
  '50': async ({ stories }) => ({
    by: 'planted',
    says: `the tag of ${stories.slowTag.host} was added`,
    texts: [stories.slowTag.host],
    within: 'text',
  }),
  '51': async (asked) => {
    const { failing: fails, noisy } = asked.stories;
    if (fails.scenarioId === 4102) return failing(asked);
    const isNoisy = noisy.scenarioId === 4102;
    return {
      by: 'planted',
      says: isNoisy ? 'scatters widely at a constant level' : 'steady',
      texts: [isNoisy ? 'unstable' : 'steady'],
      within: 'said',
    };
  },
  '52': async (asked) => slower(asked, asked.nowMs - 30 * DAY_MS),
  '53': async (asked) => slower(asked, asked.nowMs - 45 * DAY_MS),
  '54': async (asked) => {
    const entries = await entriesOf(asked);
    return { by: 'REST', says: `${entries.length} requests in all`, figures: [entries.length], within: 'said' };
  },
  '55': loaded,
  '56': failures,
  '57/0': async () => ({ by: 'planted', says: 'the marker as it was sent', texts: ['checkout-v3', 'T18:00Z'], within: 'text' }),
  '57/1': async () => ({ by: 'planted', says: 'the marker as it was sent', texts: ['checkout v3 rollout', 'T18:00Z'], within: 'text' }),
  '57/2': (asked) => eventOf(asked, 'checkout-v3', false).then((truth) => ({ ...truth, texts: [...(truth.texts ?? []), 'checkout-v3'] })),
  '59': extremes,
  '60': async (asked) => {
    const images = (await entriesOf(asked)).filter(
      // An answer 304 tells no type.
      ({ request, response }) =>
        response.content.mimeType.startsWith('image/') || /\.(?:webp|png|jpe?g|gif|avif|svg)(?:\?|$)/.test(request.url),
    );
    return { by: 'REST', says: `${images.length} images`, figures: [images.length], within: 'text' };
  },
  '62': async () => ({ by: 'planted', says: 'the interface has no such figure', texts: ['there is no performance score'], within: 'text' }),
  '63': shifts,
  '64': async (asked) => slowerOf(asked, CHECKOUTS, dayMs(asked.dates['last_28th'])),
};
