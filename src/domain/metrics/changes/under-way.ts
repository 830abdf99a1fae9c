import { dayAfter } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { Z_95 } from '../../../statistics/tails.ts';
import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { changesSince, sizeOfDays } from '../engine/measure.ts';
import { type ChangeSeries, hasEnough, isProduct, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent } from './events.ts';

/** Days before a scan in which what goes on through all of it may have begun: as many as a scan looks at by default. */
const EARLIER_DAYS = 28;
/** Surer than a change that begins in the scan must be: nobody asked about the days on which it began. */
const MOST_P_VALUE = 1e-6;
/** Days before a change that may have been a sale or another exception, whose end is no change … */
const BEFORE_DAYS = 21;
/** … so that it must show against the days before these as well, by so many standard errors. */
const LEAST_SCORE = 4;
/** Devices show the first day of the same change off by as many days. */
const SAME_DAYS = 3;
/** A change lies on one device where it moved this many times as much as all visitors. */
const MUCH_MORE = 1.5;

/** A change of a series that began before a scan and goes on. */
interface UnderWay {
  readonly series: ChangeSeries;
  readonly change: DatedChange;
}

const areNear = (a: string, b: string) => Math.abs(Date.parse(a) - Date.parse(b)) <= SAME_DAYS * DAY_MS;

/** Whether a change is one against the usual days too, and not the end of what went before it. */
function isAgainstUsual({ kind, days }: ChangeSeries, { from, relative }: DatedChange): boolean {
  const first = dayAfter(from, -BEFORE_DAYS);
  const usual = days.filter(({ label }) => label < first || label >= from);
  const size = sizeOfDays(kind, usual, { from, to: undefined });
  return size !== undefined && Math.sign(size.relative) === Math.sign(relative) && Math.abs(size.score) >= LEAST_SCORE;
}

/** The clearest change of a series that holds on through all days of the scan. */
function clearestOf(series: ChangeSeries, { from }: Scene): UnderWay[] {
  const [clearest] = changesSince(series.kind, series.days, dayAfter(from, -EARLIER_DAYS), MOST_P_VALUE)
    .filter((change) => change.from < from && change.to === undefined)
    .toSorted((a, b) => a.pValue - b.pValue);
  return clearest && isAgainstUsual(series, clearest) ? [{ series, change: clearest }] : [];
}

function eventOf({ series: { metric, place }, change }: UnderWay, seriesCount: number): ChangeEvent {
  const { from, to, days, earliest, latest, pValue, relative, low, high } = change;
  const part = { metric, place, relative, low, high, score: (2 * Z_95 * relative) / (high - low) };
  return { shape: 'step', from, to, days, earliest, latest, pValue, place, parts: [part], seriesCount };
}

/** One metric: on the one device that moved much more, else of all visitors, else on each device that shows it. */
function eventsOfMetric(found: readonly UnderWay[], base: Scene['base']): ChangeEvent[] {
  const whole = found.find(({ series }) => series.place.device === base.device);
  const devices = found.filter((each) => each !== whole);
  const [only] = devices;
  const isOnOne = devices.length === 1 && (!whole || Math.abs(only?.change.relative ?? 0) > MUCH_MORE * Math.abs(whole.change.relative));
  if (only && isOnOne) return [eventOf(only, found.length)];
  return whole ? [eventOf(whole, found.length)] : devices.map((each) => eventOf(each, 1));
}

/**
 * Changes that began before a scan and go on through all of it, of all visitors and of their devices, which a scan for beginnings cannot
 * find; without those that it told as `events`.
 */
export function changesUnderWay(scene: Scene, metrics: readonly string[], events: readonly ChangeEvent[]): ChangeEvent[] {
  const { series, base } = scene;
  const devices = [...new Set([...series.values()].map(({ place }) => place.device))];
  // A product goes on with the factor that made it.
  const searched = new Set(metrics.flatMap((metric) => (isProduct(metric) ? factorsOf(metric) : [metric])));
  return [...searched]
    .flatMap((metric) => {
      const own = devices.flatMap((device) => series.get(seriesId(metric, { ...base, device })) ?? []);
      return eventsOfMetric(
        own.filter(hasEnough).flatMap((each) => clearestOf(each, scene)),
        base,
      );
    })
    .filter(({ from, parts: [part] }) => {
      const isSame = (event: ChangeEvent) => event.parts.some(({ metric }) => metric === part?.metric) && areNear(event.from, from);
      return !events.some(isSame);
    });
}
