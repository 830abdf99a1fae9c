import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { minuteAt } from '../../lib/dates.ts';
import { counted, formatMs, formatPercent } from '../../lib/number-text.ts';
import { capital } from '../../lib/sentences.ts';
import { FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import type { Level, Span } from './engine/run-series.ts';
import type { Move } from './move.ts';
import type { Row, Runs, Study } from './scenario-study.ts';
import type { ServerShare } from './server-share.ts';
import type { NearEvent } from './speed-events.ts';
import { type Device, formatValue, metricFact } from './speed-metrics.ts';
import { leadingRow, levelNow } from './study-table.ts';

function percent(share: number | null, sign = false): string {
  return formatPercent(share === null ? null : share * 100, { digits: 0, sign });
}

function place({ step }: Row): string {
  return step ? `step "${step.name}"` : 'all steps together';
}

/** The numbers of runs on both sides, small ones marked. */
function runsOn(before: Level, after: Level): string {
  const small = before.isSmall || after.isSmall ? ', a small sample' : '';
  return `${before.runs} and ${counted(after.runs, 'run')}${small}`;
}

/** The value of a level and the middle half of its runs: `2.71 s (2.6–2.84 s)`. */
function levelWords(metric: string, { typical, p25, p75 }: Level): string {
  const [low, high] = [formatValue(metric, p25), formatValue(metric, p75)];
  const unit = / \D+$/.exec(high)?.[0];
  return `${formatValue(metric, typical)} (${unit !== undefined && low.endsWith(unit) ? low.slice(0, -unit.length) : low}–${high})`;
}

/** `2.71 s → 4.46 s (+65%; 312 and 80 runs)`, on request with the middle half of the runs after each level. */
function fromTo({ metric, move }: Row, { spread, runs }: { spread: boolean; runs: boolean }): string {
  if (!move) return '';
  const { before, after, relative } = move;
  const value = (level: Level) => (spread ? levelWords(metric, level) : formatValue(metric, level.typical));
  const size = Number.isFinite(relative) ? [percent(relative, true)] : [];
  const inside = [...size, ...(runs ? [runsOn(before, after)] : [])].join('; ');
  const levels = `${value(before)} → ${value(after)}`;
  if (inside === '') return levels;
  return spread ? `${levels}, ${inside}` : `${levels} (${inside})`;
}

/** The event next to a change, and how far it lies from it; one within the time in which it may have begun is neither before nor after. */
function eventWords([event]: readonly NearEvent[], range: Span): string {
  if (!event) return '';
  if (event.leadMs < 0 && event.atMs <= range.endMs) return `, within whose bounds event "${event.text || event.key}" lies`;
  const distance = formatMs(Math.max(MINUTE_MS, Math.round(Math.abs(event.leadMs) / MINUTE_MS) * MINUTE_MS));
  return `, ${distance} ${event.leadMs >= 0 ? 'after' : 'before'} event "${event.text || event.key}"`;
}

/** When the present level began, or from when to when there was another one; and the event next to it. */
function moment({ move }: Row, { timeZone, period }: Study, events: readonly NearEvent[]): string {
  if (!move?.since) return '';
  const at = (ms: number) => minuteAt(ms, timeZone);
  const { date, previousDate, range } = move.since;
  const isWide = range.endMs - range.startMs > DAY_MS;
  const between = isWide ? ` (95%: between ${at(range.startMs)} and ${at(range.endMs)})` : '';
  const gap = date - previousDate > 2 * DAY_MS ? ` (or earlier, after ${at(previousDate)})` : between;
  const near = eventWords(events, range);
  const { startMs } = period.window;
  if (move.untilDate !== undefined)
    return ` from ${at(date)}${gap} to ${at(move.untilDate)}${move.untilDate < startMs ? ' (before the period)' : ''}${near}`;
  const early = date < startMs ? ', before the period' : '';
  return ` since ${at(date)}${gap}${early}${near}`;
}

function scatterWords(row: Row): string {
  const { verdict, metric } = row;
  if (!('scatter' in verdict)) return '';
  const { level, beyond, scatter } = verdict;
  const spread = `interquartile range ${percent(scatter)} of the median`;
  const above = `${percent(beyond.share)} of ${counted(level.runs, 'run')} above ${formatValue(metric, beyond.value)}`;
  return `${levelWords(metric, level)}, ${spread}, ${above}`;
}

/** `30% of runs at 4.1 s, the others at 2.7 s as before (+50%)`. */
function splitWords({ metric, move }: Row): string {
  if (!move) return '';
  const [usual, moved] = [move.before, move.after].map(({ typical }) => formatValue(metric, typical));
  return `${percent(move.share ?? null)} of runs at ${moved}, the others at ${usual} as before (${percent(move.relative, true)})`;
}

/** `drifting up, +12% in 30 days: along its line`. */
function driftWords(move: Move | undefined): string {
  const size = move?.relativePer30Days ?? null;
  return `drifting ${(size ?? 0) > 0 ? 'up' : 'down'}, ${percent(size, true)} in 30 days: along its line`;
}

/** The course of a row, with its metric in front: `LCP is slower since …: 2.71 s → 4.46 s (+65%; 312 and 80 runs)`. */
function verdictWords(row: Row, study: Study, events: readonly NearEvent[], spread: boolean): string {
  const { metric, state, move } = row;
  const { short } = metricFact(metric);
  if (state === 'unstable') return `${short} is unstable, its level unchanged: ${scatterWords(row)}`;
  const figures = fromTo(row, { spread, runs: true });
  if (state === 'drifting') return `${short} is ${driftWords(move)} ${figures}`;
  if (state === 'two levels') return `${short} has two levels${moment(row, study, events)}: ${splitWords(row)}`;
  if (move?.untilDate !== undefined) return `${short} ${state}${moment(row, study, events)} and is back: ${figures}`;
  return `${short} is ${state}${moment(row, study, events)}: ${figures}`;
}

/** Metrics of one place, and places, that are named with their levels. */
const MOST_NAMED = 6;
const MOST_PLACES = 3;

/** The other rows that moved, by step: those of the headline's step with the middle half of their runs. */
function others(rows: readonly Row[], headline: Row): string {
  const byStep = new Map<string, string[]>();
  for (const row of rows) {
    if (row === headline || !row.move) continue;
    const isThere = row.step === headline.step;
    const where = isThere ? 'there' : place(row);
    const state = row.state === headline.state ? '' : ` ${row.state}`;
    const words = `${metricFact(row.metric).short}${state} ${fromTo(row, { spread: isThere, runs: false })}`;
    byStep.set(where, [...(byStep.get(where) ?? []), words]);
  }
  const ordered = [...byStep].toSorted((a, b) => Number(b[0] === 'there') - Number(a[0] === 'there'));
  const places = ordered.map(([where, words]) => {
    const more = words.length > MOST_NAMED ? `; ${words.length - MOST_NAMED} more` : '';
    return `${where} ${words.slice(0, MOST_NAMED).join('; ')}${more}`;
  });
  if (places.length === 0) return '';
  const more = places.length > MOST_PLACES ? ` Also at ${places.length - MOST_PLACES} more places.` : '';
  return ` Also ${places.slice(0, MOST_PLACES).join('. Also ')}.${more}`;
}

/** The clearest move that is named but not claimed, because whole days differ by as much; undefined where no row has one. */
function heldRow({ rows }: Study): Row | undefined {
  const size = ({ held }: Row) => Math.abs(held?.relative ?? 0);
  const held = rows.filter((row) => row.held && row.step).toSorted((a, b) => size(b) - size(a));
  return held.find(({ metric }) => metric === 'largestContentfulPaint') ?? held[0];
}

/** `step "Product" LCP may have changed since …: 2.1 s → 2.5 s (+20%), but whole days differ as much: not certain`. */
function heldWords(row: Row, { timeZone }: Study): string {
  const { held } = row;
  const moved = held?.since ? `have moved since ${minuteAt(held.since.date, timeZone)}:` : `be ${driftWords(held)}`;
  const figures = fromTo({ ...row, move: held }, { spread: false, runs: false });
  return `${place(row)} ${metricFact(row.metric).short} may ${moved} ${figures}, but whole days differ as much: not certain`;
}

/** The sentence that no row contradicts: the level of a scenario in which nothing moved. */
function steadyWords(study: Study, name: string): string {
  const { rows, steps, sound, timeZone } = study;
  const judged = rows.filter(({ state }) => state !== 'not enough data').length;
  const scattered = rows.filter(({ state }) => state === 'unstable').map((row) => `${place(row)} ${metricFact(row.metric).short}`);
  const scatter = scattered.length > 0 ? ` Runs scatter widely, at a constant level: ${scattered.slice(0, 3).join(', ')}.` : '';
  const from = sound[0] ? ` since ${minuteAt(sound[0].date, timeZone)}` : '';
  const held = heldSentence(study, name);
  if (held !== undefined) return `${held}${highestWords(study)}${scatter}`;
  const none = `none of ${judged} series over ${counted(steps.length, 'step')} changed its level${from}`;
  return `${name} is steady: ${none}.${highestWords(study)}${scatter}`;
}

function highestWords(study: Study): string {
  const leading = leadingRow(study);
  const level = leading && levelNow(leading);
  if (!leading || !level) return '';
  const { short } = metricFact(leading.metric);
  return ` Highest: ${place(leading)} ${short} ${levelWords(leading.metric, level)}, ${counted(level.runs, 'run')}.`;
}

function tooFewWords({ period, baseline }: Study): string {
  const withoutFailure = ({ all, failed }: Runs) => all.length - failed.length;
  return `${withoutFailure(period)} runs without failure in the period, ${withoutFailure(baseline)} in the baseline`;
}

/** The course of a scenario, in one or two sentences. */
export function speedSentence(study: Study, name: string | undefined, events: readonly NearEvent[]): string {
  const { state, rows, headline } = study;
  const of = name === undefined ? '' : `${name}, `;
  if (headline) {
    const words = verdictWords(headline, study, events, true);
    return `${of}${place(headline)}: ${words}.${others(rows, headline)}${heldBeside(study)}`;
  }
  return state === 'not enough data' ? `Not enough data: ${tooFewWords(study)}.` : steadyWords(study, name ?? 'The scenario');
}

/** Names a move that days hide where the headline is over: what may go on is not left out for what has ended. */
function heldBeside(study: Study): string {
  const held = study.headline?.move?.untilDate === undefined ? undefined : heldRow(study);
  return held ? ` ${capital(heldWords(held, study))}.` : '';
}

/** Names a move that days hide, where nothing moved for certain; undefined where there is none. */
export function heldSentence(study: Study, name: string): string | undefined {
  const held = study.headline ? undefined : heldRow(study);
  return held && `${name}: no certain change; ${heldWords(held, study)}.`;
}

/** The course of a scenario as one line of a list. */
export function speedLine(study: Study, name: string): string {
  const { state, headline } = study;
  if (headline) return `${name}, ${place(headline)}: ${verdictWords(headline, study, [], false)}`;
  if (state === 'not enough data') return `${name}: not enough data, ${tooFewWords(study)}`;
  const held = heldSentence(study, name);
  if (held !== undefined) return held.replace(/\.$/, '');
  const leading = leadingRow(study);
  const level = leading && levelNow(leading);
  if (!leading || !level) return `${name} is steady`;
  return `${name} is steady: ${metricFact(leading.metric).short} ${formatValue(leading.metric, level.typical)} in ${place(leading)}`;
}

/** Whether the time goes before the first byte or after it. */
export function shareSentence(share: ServerShare | undefined): string {
  if (!share) return '';
  const { side, before, after, ofChange } = share;
  const culprit = side === 'server' ? 'The server' : 'The front end, not the server';
  const part = ofChange === null ? `Mostly ${side}` : culprit;
  const earlier = before === null || after === null ? '' : ` (${percent(before)} before)`;
  return `${part}: TTFB is ${percent(after ?? before)} of its LCP${earlier}.`;
}

/** How the verdicts were found, what was left out, and what the ratings mean. */
export function methodNotes(study: Study, device: Device): string[] {
  const { rows, headline, baseline, period, usualSteps, otherSteps } = study;
  const judged = rows.filter(({ state }) => state !== 'not enough data').length;
  const metric = headline?.metric ?? 'largestContentfulPaint';
  const { short, effect } = metricFact(metric);
  const hasSums = rows.some(({ step }) => step === undefined);
  const sums = hasSums && otherSteps > 0 ? `; sums only over reports with ${usualSteps} steps (${otherSteps} others)` : '';
  return [
    `${METHOD} ${judged} series; ${short} must change by ${percent(effect.relative)} and ${formatValue(metric, effect.absolute)}.`,
    `${LEVELS} ${period.failed.length + baseline.failed.length} failed runs are left out${sums}.`,
    `${RATINGS} Device ${device === 'unknown' ? 'unknown: the name does not say' : `${device}, guessed from the name`}.`,
  ];
}

const MOST_BY_CHANCE = `${FALSE_DISCOVERY_RATES.speedChanges * 100}%`;
const METHOD = `Changes: searched over baseline and period, freed of cycles; at most ${MOST_BY_CHANCE} by chance, among`;
const LEVELS = 'Levels: medians of the runs on each side, freed of hour and weekday, and their middle half.';
const RATINGS = 'Ratings: field p75 limits are those of real visits, held against lab runs; lab limits go by the median.';

/** How the verdicts of several scenarios were found. */
export function siteNotes(judged: number): string[] {
  return [`${METHOD} ${judged} series of all scenarios.`, LEVELS];
}
