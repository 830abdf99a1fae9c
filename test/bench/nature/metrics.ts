import { lineByLine, percent, type Table, type Trial, worldSeeds } from '../tables.ts';
import { detectable } from './detectable.ts';
import { EXPECTED_CASES } from './expected-cases.ts';
import { CASES, type Case, type Said } from './metrics-cases.ts';
import { drawWorld } from './metrics-world.ts';
import { type DatedBenches, openDatedBenches } from './platforms.ts';
import { together } from './together.ts';
import { WEEK_CASES } from './week-cases.ts';
import { YEAR_CASES } from './year-cases.ts';

/** Shares of the answers to which each count of a case applies, in percent; `NATURE_ANSWERS=1` prints each answer on the error stream. */
async function lineOf({ name: own, nature, tool, args, counts, shares = {} }: Case, trial: Trial, benches: DatedBenches) {
  const bench = await benches.at(nature.lastDay);
  const counted = Object.keys(counts).map((name) => ({ name, some: 0 }));
  const held = Object.keys(shares).map((name) => ({ name, some: 0, all: 0 }));
  let [ms, requests] = [0, 0];
  for (const seed of worldSeeds(trial, 29)) {
    const world = drawWorld(nature, seed);
    bench.platform.show(world);
    const startedAt = performance.now();
    const answer = await bench.peer.answer<Partial<Said>>(tool, args(world));
    ms += performance.now() - startedAt;
    requests = Math.max(requests, bench.platform.requests());
    const said: Said = { columns: [], rows: [], findings: [], ...answer };
    const true_ = counted.filter(({ name }) => counts[name]?.(said, world));
    for (const each of true_) each.some += 1;
    for (const each of held) {
      const [some, all] = shares[each.name]?.(said) ?? [0, 0];
      each.some += some;
      each.all += all;
    }
    if (process.env['NATURE_ANSWERS'] !== undefined)
      process.stderr.write(`${own} [${true_.map(({ name }) => name).join('; ')}] ${said.text}\n\n`);
  }
  const parts = [
    ...counted.map(({ name, some }) => `${name}: ${percent(some, trial.worlds, 1)}`),
    ...held.map(({ name, some, all }) => `${name}: ${percent(some, all, 1, '0.0 %')}`),
  ];
  return [own, parts.join(' · '), (ms / trial.worlds).toFixed(0), String(requests)];
}

/** Sites that live through real years, asked through the built tools; `only` is a part of the name of a case. */
export async function* metricsNature(trial: Trial): AsyncGenerator<Table> {
  const benches = openDatedBenches('dist/main.js', { WEB_ANALYTICS_REPORT_CACHE_MB: '0' });
  const head = { title: 'Metrics through the built tools', columns: ['world', 'share of the answers', 'ms a call', 'requests'] };
  try {
    yield* lineByLine([...CASES, ...YEAR_CASES, ...WEEK_CASES, ...EXPECTED_CASES], trial, head, (each) => lineOf(each, trial, benches));
    yield* together(trial, benches);
    yield* detectable(trial, benches);
  } finally {
    await benches.close();
  }
}
