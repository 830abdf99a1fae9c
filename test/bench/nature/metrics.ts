import { clockModule, greet, startPeer } from '../peer.ts';
import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import { detectable } from './detectable.ts';
import { EXPECTED_CASES } from './expected-cases.ts';
import { CASES, type Case, type Said } from './metrics-cases.ts';
import { openMetricsPlatform } from './metrics-platform.ts';
import { drawWorld } from './metrics-world.ts';
import { type Bench, together } from './together.ts';
import { YEAR_CASES } from './year-cases.ts';

/** All worlds end before it. */
const PRESENT = '2027-01-15T12:00:00.000Z';

async function say({ tool, args, nature }: Case, seed: number, { peer, platform }: Bench) {
  const world = drawWorld(nature, seed);
  platform.show(world);
  const startedAt = performance.now();
  const { result } = (await peer.ask('tools/call', { name: tool, arguments: args(world) })) as {
    result?: { structuredContent?: Partial<Said>; isError?: boolean; content?: readonly { readonly text?: string }[] };
  };
  const ms = performance.now() - startedAt;
  const text = (result?.content ?? []).map((block) => block.text ?? '').join('\n');
  if (!result?.structuredContent || result.isError) throw new Error(text);
  const said: Said = { columns: [], rows: [], findings: [], ...result.structuredContent, text };
  return { said, world, ms, requests: platform.requests() };
}

/** Shares of the answers to which each count of a case applies, in percent. */
async function lineOf(each: Case, { worlds, seed }: Trial, bench: Bench, isTold: boolean): Promise<string[]> {
  const counted = new Map(Object.keys(each.counts).map((name) => [name, 0]));
  const held = new Map(Object.keys(each.shares ?? {}).map((name) => [name, { some: 0, all: 0 }]));
  let [ms, requests] = [0, 0];
  for (let world = 0; world < worlds; world += 1) {
    const own = await say(each, seed * 1_000_003 + world * 7_919 + 29, bench);
    ms += own.ms;
    requests = Math.max(requests, own.requests);
    const true_: string[] = [];
    for (const [name, applies] of Object.entries(each.counts)) {
      if (!applies(own.said, own.world)) continue;
      counted.set(name, (counted.get(name) ?? 0) + 1);
      true_.push(name);
    }
    for (const [name, shareOf] of Object.entries(each.shares ?? {})) {
      const [some, all] = shareOf(own.said);
      const sums = held.get(name) ?? { some: 0, all: 0 };
      held.set(name, { some: sums.some + some, all: sums.all + all });
    }
    if (isTold) process.stderr.write(`${each.name} [${true_.join('; ')}] ${own.said.text}\n\n`);
  }
  const shares = [...counted].map(([name, count]) => `${name}: ${((100 * count) / worlds).toFixed(1)} %`);
  const parts = [...held].map(([name, { some, all }]) => `${name}: ${((100 * some) / Math.max(1, all)).toFixed(1)} %`);
  return [each.name, [...shares, ...parts].join(' · '), (ms / worlds).toFixed(0), String(requests)];
}

/**
 * Sites that live through real years, asked through the built tools; `only` is a part of the name of a case. `NATURE_ANSWERS=1` prints each
 * answer on the error stream.
 */
export async function* metricsNature(trial: Trial): AsyncGenerator<Table> {
  const platform = await openMetricsPlatform();
  const peer = startPeer(['--import', clockModule(PRESENT), 'dist/main.js'], {
    WEB_ANALYTICS_AUTH_URL: platform.url,
    WEB_ANALYTICS_CLIENT_ID: 'bench',
    WEB_ANALYTICS_CLIENT_SECRET: 'bench',
    WEB_ANALYTICS_TOOLSETS: 'insights,objects',
    WEB_ANALYTICS_REPORT_CACHE_MB: '0',
    WEB_ANALYTICS_COUNTRY: 'DE',
  });
  try {
    await greet(peer);
    for (const each of [...CASES, ...YEAR_CASES, ...EXPECTED_CASES].filter(({ name }) => name.includes(trial.only ?? '')))
      yield {
        title: 'Metrics through the built tools',
        columns: ['world', 'share of the answers', 'ms a call', 'requests'],
        lines: [{ cells: await lineOf(each, trial, { peer, platform }, process.env['NATURE_ANSWERS'] !== undefined) }],
      };
    yield* together(trial, { peer, platform });
    yield* detectable(trial, { peer, platform });
  } finally {
    await peer.stop();
    platform.close();
  }
}
