import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stories, storiesOf } from '../../../src/emulator/world/index.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { startExternalEmulator } from '../emulator.ts';
import { clockModule, greet, startPeer } from '../peer.ts';
import type { Call } from './question.ts';
import { openRest, type Rest } from './rest.ts';

/** A world that is asked: a seed, and the instant at which its clock starts. */
export interface WorldOf {
  readonly name: string;
  readonly seed: number;
  readonly clock: string;
}

/** Two worlds: a Friday before Black Friday, and a Thursday after it with other troubles. */
export const WORLDS: readonly WorldOf[] = [
  { name: 'A', seed: 1, clock: '2026-11-20T10:00:00.000Z' },
  { name: 'B', seed: 23, clock: '2026-12-03T14:30:00.000Z' },
];

/** What a tool answered: the text that a model reads. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A world with the product beside it. */
export interface OpenWorld {
  readonly dates: Readonly<Record<string, string>>;
  readonly stories: Stories;
  readonly rest: Rest;
  /** The present of the world, ms since 1970. */
  readonly now: () => number;
  readonly call: (call: Call) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

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

/** Starts the emulated platform and the built product, each in a process of its own, with the exports of the last nine days downloaded. */
export async function openWorld(product: string, { seed, clock }: WorldOf): Promise<OpenWorld> {
  const emulator = await startExternalEmulator(product, { seed, clock });
  const directory = await mkdtemp(join(tmpdir(), 'answers-'));
  const peer = startPeer(['--import', clockModule(clock), product], {
    ...emulator.environment,
    WEB_ANALYTICS_DATA_DIR: directory,
    WEB_ANALYTICS_TIME_ZONE: 'UTC',
  });
  await greet(peer);
  const offsetMs = Date.parse(clock) - Date.now();
  const stories = storiesOf({ seed, startMs: Date.parse(clock) });
  const dates = { ...worldDates(clock), slow_scenario: stories.slowTag.scenarioName, slow_step: stories.slowTag.stepName };
  const call = async ([name, args]: Call): Promise<Answer> => {
    const { result, error } = (await peer.ask('tools/call', { name, arguments: dated(args, dates) })) as {
      result?: { isError?: boolean; content?: { type: string; text?: string }[] };
      error?: { message: string };
    };
    if (!result) throw new Error(`${name}: ${error?.message}`);
    return {
      text: (result.content ?? [])
        .map(({ text }) => text ?? '')
        .filter(Boolean)
        .join('\n'),
      isError: result.isError ?? false,
    };
  };
  for (let turn = 0; turn < 6; turn += 1) {
    const { text } = await call(['sync_exports', { jobIds: ['Daily sessions', 'Daily views'], since: '-12d', waitSeconds: 40 }]);
    if (!/still|goes on|call again/i.test(text)) break;
  }
  return {
    dates,
    stories,
    now: () => Date.now() + offsetMs,
    rest: await openRest(emulator.environment),
    call,
    async close() {
      await peer.stop();
      await emulator.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
