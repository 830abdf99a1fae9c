import { judgeTogether, type Tracked } from '../../../../src/domain/speed/engine/judge-series.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { EFFECT } from './outcome.ts';
import { DAY_MS, makeWorld, type Shape, USUAL_NATURE } from './worlds.ts';

const METRICS = 8;
const NOISES = [0.05, 0.1, 0.2, 0.3];
/** An answer takes as long as dozens of series, so that fewer of them are made than of single worlds. */
const WORLDS_OF_AN_ANSWER = 4;

interface Site {
  readonly scenarios: number;
  /** Of the first scenario, in all its metrics; nothing changes without one. */
  readonly slower?: number;
}

const SITES: readonly Site[] = [{ scenarios: 1 }, { scenarios: 10 }, { scenarios: 10, slower: 0.2 }, { scenarios: 10, slower: 0.4 }];
const nameOf = ({ scenarios, slower = 0 }: Site) =>
  `together, ${scenarios} × ${METRICS} series, 1 h, ${slower > 0 ? `one scenario +${100 * slower} %` : 'nothing changed'}`;

/** Independent series with the noise of all kinds of metrics; only the shape of the first scenario is the same in all its metrics. */
function seriesOf({ scenarios, slower = 0 }: Site, seed: number): { tracked: Tracked[]; period: { startMs: number; endMs: number } } {
  const step: Shape = { kind: 'step', size: slower, agoMs: [4 * DAY_MS, 4 * DAY_MS] };
  const endMs = Date.parse('2026-06-01T00:00:00Z');
  const tracked = Array.from({ length: scenarios * METRICS }, (_, index) => {
    const [scenario, metric] = [Math.floor(index / METRICS), index % METRICS];
    const nature = { ...USUAL_NATURE, noise: NOISES[metric % NOISES.length] ?? 0.1, ar: metric < NOISES.length ? 0.3 : 0.9 };
    const world = makeWorld(nature, slower > 0 && scenario === 0 ? step : { kind: 'stable' }, seed + index);
    // All end at one instant, at whole weeks from their own, so that their weekdays stay.
    const shiftMs = Math.ceil((world.period.endMs - endMs) / DAY_MS / 7) * 7 * DAY_MS;
    const series = { dates: world.dates.map((date) => date - shiftMs), values: world.values };
    return { group: `${scenario}`, rank: metric, series, effect: EFFECT };
  });
  return { tracked, period: { startMs: endMs - 7 * DAY_MS, endMs } };
}

function cellsOf(site: Site, { worlds, seed }: Trial): string[] {
  const answers = Math.ceil(worlds / WORLDS_OF_AN_ANSWER);
  const counts = { false: 0, named: 0, wrong: 0, headlines: 0 };
  for (let answer = 0; answer < answers; answer += 1) {
    const { tracked, period } = seriesOf(site, seed * 1_000_003 + 500_000_000 + answer * 1_009);
    const judged = judgeTogether(tracked, { period, timeZone: 'UTC' });
    const moved = judged.filter(({ state }) => !['steady', 'unstable', 'not enough data'].includes(state));
    const wrong = moved.filter(({ group }) => site.slower === undefined || group !== '0');
    counts.false += wrong.length > 0 ? 1 : 0;
    counts.wrong += wrong.length;
    counts.named += moved.length;
    const [headline] = judged;
    counts.headlines += site.slower !== undefined && headline?.group === '0' && headline.state === 'slower' ? 1 : 0;
  }
  return [
    nameOf(site),
    `${answers}`,
    percent(counts.false, answers, 1),
    percent(counts.wrong, counts.named, 1),
    site.slower === undefined ? '' : percent(counts.headlines, answers, 1),
    (counts.named / answers).toFixed(2),
  ];
}

/** Whole answers about several scenarios: how many of them name a change that is none, and whether the true one leads. */
export function together(trial: Trial): Table {
  const asked = SITES.filter((site) => nameOf(site).includes(trial.only ?? ''));
  return {
    title: 'Scenarios: several series together',
    columns: ['world', 'answers', 'with a false change', 'false among the named', 'led by the slower scenario', 'series named an answer'],
    lines: asked.map((site) => ({ cells: cellsOf(site, trial) })),
  };
}
