import { between, type Random, seeded } from '../verdicts/random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BASELINE_DAYS = 30;
const PERIOD_DAYS = 7;

/** How the last runs of a world differ from those before; sizes are relative, 0.2 for +20 %. */
export interface Shift {
  readonly size: number;
  readonly sinceDays: number;
  /** Days before the end from which on all is as before; never when left out. */
  readonly untilDays?: number;
  /** Share of the runs that shift, as in an A/B test; all when left out. */
  readonly share?: number;
  /** Grows from nothing to `size` between its beginning and the end. */
  readonly isRamp?: boolean;
}

/** What a monitored site lives through. */
export interface Nature {
  readonly runsADay: number;
  /** Standard deviation of a run, log scale. */
  readonly noise: number;
  /** Correlation of a run's deviation with that of the run before. */
  readonly ar?: number;
  /** How much faster Saturdays and Sundays are; 0.15 for 15 %. */
  readonly weekends?: number;
  /** How much slower afternoons are than nights. */
  readonly afternoons?: number;
  /** Standard deviation of a level that each local day has of its own, log scale. */
  readonly days?: number;
  /** Size of the change to either side that a deploy brings, about twice a week. */
  readonly deploys?: number;
  /** Days without any run: from how many days before the end, and how many. */
  readonly gaps?: readonly (readonly [agoDays: number, days: number])[];
  readonly shift?: Shift;
  /** How often runs fail; left out: one in a hundred. */
  readonly failing?: Failing;
}

/** The chance that a run fails at the second step. */
export interface Failing {
  readonly share: number;
  /** From so many days before the end on it is another one. */
  readonly later?: { readonly share: number; readonly sinceDays: number };
  /** Chance of a day with an outage, in which half of the runs of six hours fail. */
  readonly outages?: number;
}

/** A step of a report as the reference describes it. */
interface StepEntry {
  readonly stepId: number;
  readonly stepResultId: string;
  readonly name: string;
  readonly fail: number;
  readonly timings: Readonly<Record<string, number>>;
  readonly weight: number;
  readonly requestsCount: number;
  readonly loadTime: number;
}

/** One run as the list of reports has it. */
export interface ReportEntry {
  readonly resultId: string;
  readonly date: number;
  readonly summary: { readonly fail: number; readonly average: object; readonly sum: object };
  readonly steps: readonly StepEntry[];
}

/** A generated scenario and what only its maker knows. */
export interface SpeedWorld {
  readonly reports: readonly ReportEntry[];
  readonly startMs: number;
  readonly endMs: number;
  /** First instant of the shift. */
  readonly changedMs: number | undefined;
}

/** The level of all runs over time, log scale: weekday, hour, day and deploys. */
function courseOf(random: Random, nature: Nature, startMs: number, endMs: number): (ms: number) => number {
  const { weekends = 0, afternoons = 0, days = 0, deploys = 0 } = nature;
  // The zone of the visitors, which nobody tells the tool.
  const zoneMs = random.integer(-6, 6) * HOUR_MS;
  const ofDay = new Map<number, number>();
  const released: { ms: number; by: number }[] = [];
  const lastMs = deploys > 0 ? endMs : startMs;
  for (let ms = startMs + between(random, 0, 4) * DAY_MS; ms < lastMs; ms += between(random, 2, 5) * DAY_MS)
    released.push({ ms, by: (random.uniform() < 0.5 ? -1 : 1) * Math.log1p(deploys) });
  return (ms) => {
    const local = ms + (weekends > 0 ? 0 : zoneMs);
    const day = Math.floor(local / DAY_MS);
    if (!ofDay.has(day)) ofDay.set(day, days * random.normal());
    const weekday = (((day + 3) % 7) + 7) % 7;
    const hour = (local - day * DAY_MS) / HOUR_MS;
    const wave = afternoons * Math.exp(-(((hour - 15) / 4) ** 2));
    const deployed = released.reduce((sum, each) => sum + (ms >= each.ms ? each.by : 0), 0);
    return (weekday >= 5 ? Math.log1p(-weekends) : 0) + wave + (ofDay.get(day) ?? 0) + deployed;
  };
}

const averageOf = (steps: readonly StepEntry[], value: (step: StepEntry) => number) =>
  steps.reduce((sum, step) => sum + value(step), 0) / steps.length;

function summaryOf(steps: readonly StepEntry[], fail: number): ReportEntry['summary'] {
  const names = Object.keys(steps[0]?.timings ?? {});
  const average = {
    ...Object.fromEntries(names.map((name) => [name, averageOf(steps, ({ timings }) => timings[name] ?? 0)])),
    weight: averageOf(steps, ({ weight }) => weight),
    loadTime: averageOf(steps, ({ loadTime }) => loadTime),
  };
  const sum = Object.fromEntries(Object.entries(average).map(([name, value]) => [name, value * steps.length]));
  return { fail, average, sum };
}

/** Makes one step of one run: `slow` moves all its times, `shifted` its paints. */
function stepOf(
  random: Random,
  place: number,
  { base, slow, shifted, runId }: { base: number; slow: number; shifted: number; runId: string },
) {
  const jitter = (sd: number) => Math.exp(sd * random.normal());
  const scale = base * Math.exp(slow);
  const paint = scale * Math.exp(shifted);
  const round = (value: number) => Math.round(value);
  return {
    stepId: 100 + place,
    stepResultId: `${runId}0${place}`,
    name: place === 1 ? 'Home' : 'Product',
    fail: 0,
    timings: {
      firstByte: round(0.18 * scale * jitter(0.03)),
      firstContentfulPaint: round(0.55 * paint * jitter(0.02)),
      largestContentfulPaint: round(paint * jitter(0.02)),
      speedIndex: round(0.85 * paint * jitter(0.02)),
      totalBlockingTime: round(0.15 * scale * jitter(0.25)),
      cumulativeLayoutShift: Number((0.06 * jitter(0.2)).toFixed(4)),
    },
    weight: round(2_400_000 * jitter(0.004)),
    requestsCount: 80 + random.integer(-2, 2),
    loadTime: round(1.6 * paint * jitter(0.03)),
  };
}

/** The chance of a failure over time; outages last six hours. */
function failureCourse(random: Random, { share, later, outages = 0 }: Failing, startMs: number, endMs: number): (ms: number) => number {
  const starts: number[] = [];
  const lastMs = outages > 0 ? endMs : startMs;
  for (let day = startMs; day < lastMs; day += DAY_MS) if (random.uniform() < outages) starts.push(day + between(random, 0, 18) * HOUR_MS);
  return (ms) => {
    if (starts.some((start) => ms >= start && ms < start + 6 * HOUR_MS)) return 0.5;
    return later && ms >= endMs - later.sinceDays * DAY_MS ? later.share : share;
  };
}

/** Makes one scenario of two steps; the second one shifts. The same seed gives the same world. */
export function makeSpeedWorld(nature: Nature, seed: number): SpeedWorld {
  const random = seeded(seed);
  const { runsADay, noise, ar = 0.3, gaps = [], shift, failing = { share: 0.01 } } = nature;
  const endMs = Date.parse('2025-09-01T00:00:00Z') + random.integer(0, 28 * 24) * HOUR_MS;
  const startMs = endMs - (BASELINE_DAYS + PERIOD_DAYS) * DAY_MS;
  const changedMs = shift && endMs - shift.sinceDays * DAY_MS;
  const backMs = endMs - (shift?.untilDays ?? 0) * DAY_MS;
  const courseAt = courseOf(random, nature, startMs, endMs);
  const failureAt = failureCourse(random, failing, startMs, endMs);
  const bases = [between(random, 900, 4000), between(random, 900, 4000)];
  const cadenceMs = DAY_MS / runsADay;
  const offsetMs = between(random, 0, 0.8) * cadenceMs;
  const reports: ReportEntry[] = [];
  let deviation = random.normal();
  for (let slot = startMs; slot < endMs; slot += cadenceMs) {
    const date = Math.round(slot + offsetMs + random.uniform() * Math.min(120_000, cadenceMs * 0.2));
    deviation = ar * deviation + Math.sqrt(1 - ar * ar) * random.normal();
    const course = courseAt(date);
    const outlier = random.uniform() < 0.02 ? Math.log(between(random, 1.5, 4)) : 0;
    const isHit =
      shift !== undefined && changedMs !== undefined && date >= changedMs && date < backMs && random.uniform() < (shift.share ?? 1);
    const grown = shift?.isRamp && changedMs !== undefined ? (date - changedMs) / (endMs - changedMs) : 1;
    const shifted = isHit ? Math.log1p(shift.size) * grown : 0;
    const isDown = gaps.some(([ago, days]) => date >= endMs - ago * DAY_MS && date < endMs - (ago - days) * DAY_MS);
    // Half of the scatter is the machine, which both steps share; half is of the step.
    const own = () => course + outlier + Math.SQRT1_2 * noise * (deviation + random.normal());
    const runId = `${seed % 100_000}${reports.length}`;
    const steps = bases.map((base, index) => stepOf(random, index + 1, { base, slow: own(), shifted: index === 1 ? shifted : 0, runId }));
    const fail = random.uniform() < failureAt(date) ? 1 : 0;
    if (isDown || random.uniform() < 0.02) continue;
    reports.push({
      resultId: runId,
      date,
      summary: summaryOf(steps, fail),
      steps: steps.map((step, index) => ({ ...step, fail: index === 1 ? fail : 0 })),
    });
  }
  return { reports, startMs: endMs - PERIOD_DAYS * DAY_MS, endMs, changedMs };
}
