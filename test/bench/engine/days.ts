import { holidaysOf, SELECTIONS, SITUATIONS, type Situation } from '../verdicts/metrics/false-alarms.ts';
import { CHANGES, type PlantedChange } from '../verdicts/metrics/found.ts';
import { drawSite, judge, type Layout, SITE_NAMES, type Site, type Table, type Trial, WEEK_LAYOUT } from '../verdicts/metrics/trial.ts';
import { METRIC_NAMES, METRICS, type Metric, type Planted, pointsOf, type Selection, type World } from '../verdicts/metrics/world.ts';
import { addTo, askBoth, COLUMNS, emptyTally, lineOf, type Said, type Tally } from './compared.ts';
import { type Judged, judgeDays } from './judge-days.ts';

/** A large change among the days that teach, before the one that is looked for. */
const HIDDEN: readonly (PlantedChange & { readonly old: Planted })[] = [
  { factor: 0.7, ago: 60, small: 0.9 },
  { factor: 0.6, ago: 40, small: 0.88 },
  { factor: 1.5, ago: 30, small: 0.88 },
  { factor: 0.7, ago: 21, small: 0.85 },
].map(({ factor, ago, small }) => ({
  name: `visits × ${factor} since ${ago} days, × ${small} in the week`,
  metric: 'visits',
  on: 'visits',
  selection: {},
  factor: small,
  layout: WEEK_LAYOUT,
  since: [3, 6],
  aim: '',
  old: { on: 'visits', from: WEEK_LAYOUT.days - ago, to: WEEK_LAYOUT.days, factor },
}));

const ALARMS = new Set(['up', 'down']);

function freshly(world: World, metric: Metric, selection: Selection, { days, baseline, period }: Layout): Judged {
  const label = (day: number) => world.labels[day] ?? '';
  const window = (from: number, to: number) => ({ from: label(from), to: label(to - 1) });
  return judgeDays(METRICS[metric].kind, pointsOf(world, metric, selection), window(baseline, period), window(period, days));
}

/** Whether a fall of this size was found, since which day, and whether its bounds hold it. */
function saidOf({ verdict, main }: Pick<Judged, 'verdict' | 'main'>, first: string | undefined, size: number): Said {
  if (verdict !== 'down' || !main) return { isSaid: verdict === 'down' };
  return { isSaid: true, isExact: main.from === first, isCovered: main.low <= size && main.high >= size };
}

function find(change: PlantedChange & { readonly old?: Planted }, site: Site, trial: Trial): Tally {
  const { name, metric, on, selection, factor, layout, since, carry = 0, old } = change;
  const tally = emptyTally();
  for (let world = 0; world < trial.worlds; world += 1) {
    const from = layout.days - since[0] - (world % (since[1] - since[0] + 1));
    const planted: Planted[] = [...(old ? [old] : []), { on, from, to: layout.days, factor, ...selection }];
    const drawn = drawSite(trial, name, site, world, { days: layout.days, history: layout.baseline, carry, planted });
    const said = (judged: Pick<Judged, 'verdict' | 'main'>) => saidOf(judged, drawn.labels[from], factor - 1);
    askBoth(
      tally,
      () => said(judge(drawn, metric, selection, layout)),
      () => said(freshly(drawn, metric, selection, layout)),
    );
  }
  return tally;
}

function alarm(situation: Situation, site: Site, trial: Trial): Tally {
  const { name, layout, carry = 0, drifts = false } = situation;
  const tally = emptyTally();
  for (let world = 0; world < Math.ceil(trial.worlds / 2); world += 1) {
    const holidays = holidaysOf(situation, world);
    const drawn = drawSite(trial, name, site, world, { days: layout.days, history: layout.baseline, carry, drifts, holidays });
    for (const metric of METRIC_NAMES)
      for (const selection of SELECTIONS)
        askBoth(
          tally,
          () => ({ isSaid: ALARMS.has(judge(drawn, metric, selection, layout).verdict) }),
          () => ({ isSaid: ALARMS.has(freshly(drawn, metric, selection, layout).verdict) }),
        );
  }
  return tally;
}

/** A table of cases on all sites, with a line for all of them together. */
function* tableOf<Case extends { readonly name: string }>(
  title: string,
  cases: readonly Case[],
  trial: Trial,
  measure: (each: Case, site: Site, trial: Trial) => Tally,
): Generator<Table> {
  const all = emptyTally();
  for (const each of cases)
    for (const site of SITE_NAMES) {
      const name = `${title}/${each.name}/${site}`;
      if (!name.includes(trial.only ?? '')) continue;
      const tally = measure(each, site, trial);
      addTo(all, tally);
      yield { title, columns: COLUMNS, lines: [lineOf(name, tally)] };
    }
  if (all.questions > 0) yield { title, columns: COLUMNS, lines: [lineOf('all', all)] };
}

/** The cells of days, judged by both engines on the same worlds. */
export function* comparedDays(trial: Trial): Generator<Table> {
  yield* tableOf('days found', CHANGES, trial, find);
  yield* tableOf('days hidden', HIDDEN, trial, find);
  yield* tableOf('days false', SITUATIONS, trial, alarm);
}
