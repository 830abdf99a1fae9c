import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storiesOf } from '../../../src/emulator/world/index.ts';
import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import { startExternalEmulator } from '../emulator.ts';
import { type Called, clockModule, openPeer } from '../peer.ts';
import { processorMs } from '../process-figures.ts';
import { type ExportFiles, openFiles } from './files.ts';
import type { Call } from './question.ts';
import { openRest } from './rest.ts';
import type { Asked } from './truth.ts';

/** A world that is asked: a seed, and the instant at which its clock starts. */
export interface WorldOf {
  readonly name: string;
  readonly seed: number;
  readonly clock: string;
}

/** Two that stay: a Friday before Black Friday, and a Thursday after it with other troubles. */
export const FIXED: readonly WorldOf[] = [
  { name: 'A', seed: 1, clock: '2026-11-20T10:00:00.000Z' },
  { name: 'B', seed: 23, clock: '2026-12-03T14:30:00.000Z' },
];

/**
 * The world of any seed, its clock drawn by it from a year and a quarter: from Wednesday to Sunday and not in the first days of a month, so
 * that each range that the questions name has begun.
 */
export function drawnWorld(seed: number): WorldOf {
  const drawn = (limit: number, turn: number) => Math.floor(seed / turn) % limit;
  let ms = Date.UTC(2026, 0, 10, 6 + drawn(16, 1), drawn(60, 16)) + drawn(450, 960) * DAY_MS;
  const isEarly = () => [1, 2].includes(new Date(ms).getUTCDay()) || new Date(ms).getUTCDate() < 4;
  while (isEarly()) ms += DAY_MS;
  return { name: 'drawn', seed, clock: isoTime(ms) };
}

/** A world with the product beside it. */
export interface OpenWorld extends Pick<Asked, 'dates' | 'stories' | 'rest' | 'query'> {
  /** The present of the world, ms since 1970. */
  readonly now: () => number;
  /** What a tool answers, and the processor time that the product took for it. */
  readonly call: (call: Call) => Promise<Called & { readonly processorMs: number | undefined }>;
  readonly close: () => Promise<void>;
}

const textOf = (ms: number) => isoTime(ms).slice(0, 10);

/** The last Black Friday that is over at `nowMs`. */
function blackFriday(nowMs: number): string {
  const year = new Date(nowMs).getUTCFullYear();
  const days = [year, year - 1].map((each) => {
    const first = Date.UTC(each, 10, 1);
    // Thanksgiving is the fourth Thursday.
    return first + (((4 - new Date(first).getUTCDay() + 7) % 7) + 21 + 1) * DAY_MS;
  });
  return textOf(days.find((ms) => ms + DAY_MS <= nowMs) ?? nowMs);
}

/** The dates that questions name in braces, UTC days. */
function worldDates(clock: string): Record<string, string> {
  const nowMs = Date.parse(clock);
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * DAY_MS;
  const tuesday = today - ((now.getUTCDay() + 5) % 7) * DAY_MS;
  const last28th = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (now.getUTCDate() > 28 ? 0 : 1), 28);
  return {
    today: textOf(today),
    yesterday: textOf(today - DAY_MS),
    day_after_tomorrow: textOf(today + 2 * DAY_MS),
    in_three_days: textOf(today + 3 * DAY_MS),
    month_start: textOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
    quarter_start: textOf(Date.UTC(now.getUTCFullYear(), 3 * Math.floor(now.getUTCMonth() / 3), 1)),
    tuesday: textOf(tuesday),
    last_28th: textOf(last28th),
    last_monday: textOf(monday - 7 * DAY_MS),
    this_monday: textOf(monday),
    last_sunday: textOf(monday - DAY_MS),
    four_weeks_start: textOf(monday - 28 * DAY_MS),
    ten_weeks_start: textOf(monday - 70 * DAY_MS),
    next_monday: textOf(monday + 7 * DAY_MS),
    next_sunday: textOf(monday + 13 * DAY_MS),
    black_friday: blackFriday(nowMs),
  };
}

/** The value with the dates of the world in place of their names. */
function dated<T>(value: T, dates: Readonly<Record<string, string>>): T {
  const text = JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (whole, name: string) => dates[name] ?? whole);
  return JSON.parse(text) as T; // the same value, other texts
}

/** Tools that ask the downloaded files, or download them. */
const OVER_FILES = new Set<Call[0]>([
  'sync_exports',
  'query_export',
  'analyze_funnel',
  'analyze_paths',
  'analyze_retention',
  'measure_impact',
]);

/** Whether one of the calls needs the exports of the last days, which are most of what a world costs. */
export const needsFiles = (calls: readonly Call[]) => calls.some(([tool]) => OVER_FILES.has(tool));

const noFiles: Pick<ExportFiles, 'query' | 'close'> = {
  query: () => Promise.reject(new Error('This world was opened without files.')),
  close: () => undefined,
};

/**
 * Starts the emulated platform and the built product, each in a process of its own; where asked for, with the exports of the last nine days
 * downloaded.
 */
export async function openWorld(product: string, { seed, clock }: WorldOf, hasFiles: boolean): Promise<OpenWorld> {
  const emulator = await startExternalEmulator(product, { seed, clock });
  const directory = await mkdtemp(join(tmpdir(), 'answers-'));
  const peer = await openPeer(['--import', clockModule(clock), product], {
    ...emulator.environment,
    WEB_ANALYTICS_DATA_DIR: directory,
    WEB_ANALYTICS_TIME_ZONE: 'UTC',
  });
  const offsetMs = Date.parse(clock) - Date.now();
  const stories = storiesOf({ seed, startMs: Date.parse(clock) });
  const dates = { ...worldDates(clock), slow_scenario: stories.slowTag.scenarioName, slow_step: stories.slowTag.stepName };
  const call: OpenWorld['call'] = async ([name, args]) => {
    const before = processorMs(peer.child.pid ?? 0);
    const called = await peer.call(name, dated(args, dates));
    const after = processorMs(peer.child.pid ?? 0);
    return { ...called, processorMs: before === undefined || after === undefined ? undefined : after - before };
  };
  for (let turn = hasFiles ? 0 : 6; turn < 6; turn += 1) {
    const { structured } = await call(['sync_exports', { jobIds: ['Daily sessions', 'Daily views'], since: '-12d', waitSeconds: 40 }]);
    if (structured?.['state'] === 'complete') break;
  }
  const rest = await openRest(emulator.environment);
  const files = hasFiles ? await openFiles(rest) : noFiles;
  return {
    dates,
    stories,
    now: () => Date.now() + offsetMs,
    rest,
    query: files.query,
    call,
    async close() {
      files.close();
      await peer.stop();
      await emulator.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
