import type { ScanFinding } from '../../../../src/metrics/engine/scan.ts';
import { discoveryLimit } from '../../../../src/statistics/discoveries.ts';
import { logTail } from '../../../../src/statistics/tails.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { type Random, seeded } from '../random.ts';
import { referToIntervals } from './reference.ts';
import { scanSeries } from './scan-series.ts';
import { HISTORY_DAYS, SITES, type Site, seedOf, siteTable } from './trial.ts';
import {
  DEVICES,
  drawWorld,
  METRIC_NAMES,
  METRICS,
  type Metric,
  type Planted,
  plantedEffect,
  pointsOf,
  SEGMENTS,
  type Selection,
} from './world.ts';

const WINDOW_DAYS = 28;
const DAYS = HISTORY_DAYS + WINDOW_DAYS;
/** Changes planted in each world. */
const PLANTED = 2;
/** A finding is true where planted changes move the series by at least so much in its direction. */
const LEAST_EFFECT = 0.005;
/** Days by which the first day of a finding may differ from that of the planted change. */
const NEAR = 2;

const SELECTIONS: readonly Selection[] = [
  {},
  ...DEVICES.map((device) => ({ device })),
  ...SEGMENTS.map((segment) => ({ segment })),
  ...DEVICES.flatMap((device) => SEGMENTS.map((segment) => ({ device, segment }))),
];
export const SERIES = METRIC_NAMES.flatMap((metric) =>
  SELECTIONS.map((selection) => ({ metric, selection, id: `${metric}/${selection.device ?? ''}/${selection.segment ?? ''}` })),
);

/** A change of a random shape, size and place; the first day leaves room before the end. */
function plant({ uniform, integer }: Random, turn: number): Planted {
  const length = [WINDOW_DAYS, integer(3, 6), 1][integer(0, 2)] ?? 1;
  const from = HISTORY_DAYS + 2 + turn * 12 + integer(0, 8);
  const size = (length === 1 ? 0.35 : 0.18) + 0.15 * uniform();
  const places: readonly Selection[] = [{}, { device: 'mobile' }, { device: 'desktop' }, { segment: 'new' }, { segment: 'returning' }];
  return {
    on: uniform() < 0.5 ? 'rate' : 'visits',
    from,
    to: Math.min(DAYS, from + length),
    factor: uniform() < 0.7 ? 1 - size : 1 + size,
    ...places[integer(0, places.length - 1)],
  };
}

/** What planted changes make of a series on some days against the week before them. */
function effectOn(planted: readonly Planted[], metric: Metric, selection: Selection, from: number, to: number): number {
  const meanOf = (first: number, last: number) => {
    let sum = 0;
    for (let day = first; day < last; day += 1) sum += plantedEffect(planted, metric, selection, day);
    return sum / (last - first);
  };
  return meanOf(from, to) - meanOf(from - 7, from);
}

/** What is said of a series. */
export interface Claim {
  readonly metric: Metric;
  readonly selection: Selection;
  readonly from: number;
  readonly to: number;
  readonly sign: number;
}

/** Whether planted changes move a series as a claim says. */
export const isTrue = (planted: readonly Planted[], { metric, selection, from, to, sign }: Claim) =>
  effectOn(planted, metric, selection, from, to) * sign >= LEAST_EFFECT;
/** Whether a claim is about a planted change. */
export const meets = (change: Planted, claim: Claim) => Math.abs(claim.from - change.from) <= NEAR && isTrue([change], claim);

/** The claims of the reference at a false discovery rate of 5 % over the same series, at most so many for each. */
export function referenceClaims(
  seriesPoints: readonly ReturnType<typeof pointsOf>[],
  holidays: ReadonlySet<number>,
  most: number,
): Claim[] {
  const intervals = (WINDOW_DAYS * (WINDOW_DAYS + 1)) / 2;
  const each = SERIES.flatMap(({ metric, selection }, index) =>
    referToIntervals(seriesPoints[index] ?? [], holidays, HISTORY_DAYS, most).map(({ from, to, score }) => ({
      claim: { metric, selection, from, to, sign: Math.sign(score) },
      pValue: Math.min(1, intervals * Math.exp(logTail(score))),
    })),
  );
  const limit = discoveryLimit(
    each.map(({ pValue }) => pValue),
    0.05,
  );
  return each.filter(({ pValue }) => pValue <= limit).map(({ claim }) => claim);
}

/** Worlds by how their levels move beside what is planted. */
const WORLDS = [
  { name: 'steady', drifts: false },
  { name: 'slow drift', drifts: true },
];

function measure({ drifts }: (typeof WORLDS)[number], site: Site, trial: Trial): string[] {
  const worlds = Math.max(1, Math.round(trial.worlds / 6));
  const counts = { findings: 0, right: 0, planted: 0, reachable: 0, reached: 0, found: 0, drift: 0, elapsedMs: 0 };
  for (let world = 0; world < worlds; world += 1) {
    const seed = seedOf(trial, `scan/${site}/${drifts}`, world);
    const random = seeded(seed ^ 0x5f5f);
    const planted = Array.from({ length: PLANTED }, (_, turn) => plant(random, turn));
    const drawn = drawWorld({ seed, visitsPerDay: SITES[site], days: DAYS, history: HISTORY_DAYS, planted, drifts });
    const points = SERIES.map(({ metric, selection }) => pointsOf(drawn, metric, selection));
    const all = SERIES.map(({ metric, id }, index) => ({ id, kind: METRICS[metric].kind, days: points[index] ?? [] }));
    const label = (day: number) => drawn.labels[day] ?? '';
    const started = performance.now();
    const { findings } = scanSeries(all, label(HISTORY_DAYS), label(DAYS - 1));
    counts.elapsedMs += performance.now() - started;
    const claimOf = (finding: ScanFinding): Claim => {
      const { metric, selection } = SERIES.find(({ id }) => id === finding.id) ?? { metric: 'visits', selection: {} };
      const to = finding.to === undefined ? DAYS : drawn.labels.indexOf(finding.to) + 1;
      return { metric, selection, from: drawn.labels.indexOf(finding.from), to, sign: Math.sign(finding.relative) };
    };
    // Drift is told of real drift alone; where the world has some, every series of visits and rates drifts.
    const sudden = findings.filter(({ shape }) => shape !== 'drift');
    const claims = sudden.map(claimOf);
    counts.drift += findings.length - sudden.length;
    counts.findings += claims.length + (drifts ? 0 : findings.length - sudden.length);
    counts.right += claims.filter((claim) => isTrue(planted, claim)).length;
    const reference = referenceClaims(points, drawn.holidays, PLANTED);
    for (const change of planted) {
      const isFound = claims.some((claim) => meets(change, claim));
      counts.planted += 1;
      if (isFound) counts.found += 1;
      if (!reference.some((claim) => meets(change, claim))) continue;
      counts.reachable += 1;
      if (isFound) counts.reached += 1;
    }
  }
  return [
    `${SERIES.length} series, ${PLANTED} changes planted${drifts ? ', slow drift' : ''}`,
    site,
    String(worlds),
    percent(counts.right, counts.findings, 1),
    percent(counts.reached, counts.reachable, 1),
    percent(counts.found, counts.planted, 1),
    percent(counts.reachable, counts.planted, 1),
    (counts.findings / worlds).toFixed(1),
    (counts.drift / worlds).toFixed(1),
    `${(counts.elapsedMs / worlds / SERIES.length).toFixed(2)} ms`,
  ];
}

/** A scan of all metrics by devices and segments of a site for whatever changed in four weeks. */
export function scanned(trial: Trial): Table {
  return siteTable(trial, {
    section: 'scan',
    cases: WORLDS,
    measure,
    title: 'Scan of many series',
    columns: [
      'scan',
      'site',
      'worlds',
      'precision (aim ≥ 90 %)',
      'recall of what the reference finds (aim ≥ 85 %)',
      'of all planted',
      'reference of all planted',
      'findings a world',
      'drifts a world',
      'time a series',
    ],
  });
}
