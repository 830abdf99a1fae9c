import { type Change, type DatedChange, dated, type Quest } from './changes.ts';
import { driftShare, slopeOf } from './level.ts';
import { type DailyPoint, type MetricKind, type Series, seriesOf, WEEK } from './series.ts';
import { discoveryLimit } from './significance.ts';
import { type Study, studySeries } from './study.ts';

/** One of many series to look through. */
export interface Scanned {
  readonly id: string;
  readonly kind: MetricKind;
  /** Those before the first day of the scan teach what is usual. */
  readonly days: readonly DailyPoint[];
}

/** A change in one of many series. */
export interface Finding extends Omit<DatedChange, 'shape'> {
  readonly id: string;
  /** Of `drift`, `relative` is what four weeks of it make. */
  readonly shape: DatedChange['shape'] | 'drift';
}

/** What is found in many series. */
export interface ScanResult {
  /** The clearest first. */
  readonly findings: readonly Finding[];
  /** Series with enough days to be looked at. */
  readonly looked: number;
  /** The largest p-value that was still taken for a change. */
  readonly limit: number;
}

/** Share of the findings that may be chance. */
export const FALSE_DISCOVERY_RATE = 0.05;
/** Changes less clear than this are no candidates, however many others there are. */
const LOOSEST = 0.01;
/** Step, episode, outlier day, drift. */
const SHAPES = 4;
const HISTORY = 0.0002;

function questsOf({ block, learned, labels }: Series): Quest[] {
  const [from, to] = [learned, labels.length];
  const quests: Quest[] = [
    ...(['step', 'outlier'] as const).map((shape) => ({ shape, from: block + WEEK, to: learned, level: HISTORY })),
    ...(['step', 'episode', 'outlier'] as const).map((shape) => ({ shape, from, to, level: LOOSEST })),
  ];
  return quests.filter((quest) => quest.from < quest.to);
}

/** Drift is a slope that the days before the scan have and that goes on: both they and all days must show it, beside steps and episodes. */
function driftOf(study: Study): Change | undefined {
  const { times, learned } = study.series;
  const days = times.length;
  const known = study.changes.filter(({ shape }) => shape !== 'outlier');
  const past = known.filter(({ from }) => from < learned);
  const [before, whole] = [slopeOf(study, learned, past), slopeOf(study, days, known)];
  if (before.effect * whole.effect <= 0) return undefined;
  const share = driftShare(study.series);
  const logP = Math.max(before.logP, whole.logP);
  // A series that has almost no events has no slope either.
  if (!(logP <= Math.log(LOOSEST))) return undefined;
  return {
    shape: 'step',
    from: learned,
    to: days,
    effect: whole.effect * share,
    error: whole.error * share,
    logP,
    earliest: learned,
    latest: learned,
  };
}

/** A series that was looked at, and everything in it that may be a change. */
export interface Looked {
  readonly id: string;
  readonly study: Study;
  readonly candidates: readonly Finding[];
}

/** Everything that may be a change in one series; undefined with too few days. */
function lookAt({ id, kind, days }: Scanned, from: string, to: string): Looked | undefined {
  const series = seriesOf(
    days.filter(({ label }) => label <= to),
    kind,
    from,
  );
  const study = series && studySeries(series, questsOf(series));
  if (!series || !study) return undefined;
  const changes = study.changes.filter((change) => change.from >= series.learned);
  const found = changes.map((change): Finding => ({ id, ...dated(series, change) }));
  const drift = driftOf(study);
  const candidates = drift ? [...found, { id, ...dated(series, drift), shape: 'drift' as const }] : found;
  return { id, study, candidates };
}

/** Looks through many series from day `from` to day `to`; those with too few days are left out. What is found may still be chance. */
export function lookThrough(all: readonly Scanned[], from: string, to: string): Looked[] {
  return all.flatMap((scanned) => lookAt(scanned, from, to) ?? []);
}

/** Hypotheses that series stand for: one for each shape. */
export const hypothesesOf = (series: number) => series * SHAPES;

/**
 * Looks through many series for steps, episodes, outlier days and drift from day `from` to day `to`. The false discovery rate over all
 * series and shapes is 5 % (Benjamini and Hochberg 1995).
 */
export function scanSeries(all: readonly Scanned[], from: string, to: string): ScanResult {
  const looked = lookThrough(all, from, to);
  const candidates = looked.flatMap((each) => each.candidates);
  const clearest = new Map<string, number>();
  for (const { id, shape, pValue } of candidates) clearest.set(`${id}/${shape}`, Math.min(pValue, clearest.get(`${id}/${shape}`) ?? 1));
  const limit = discoveryLimit([...clearest.values()], FALSE_DISCOVERY_RATE, hypothesesOf(looked.length));
  return {
    findings: candidates.filter(({ pValue }) => pValue <= limit).toSorted((a, b) => a.pValue - b.pValue),
    looked: looked.length,
    limit,
  };
}
