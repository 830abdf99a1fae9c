import { refuse } from '../../api/errors.ts';
import { instantOf } from '../../api/params.ts';
import type { Comparison } from '../../domain/metrics/compare/comparison-rows.ts';
import { compareSides, type Side } from '../../domain/metrics/compare/sides.ts';
import type { Device, Selection } from '../../domain/metrics/read/metric-grid.ts';
import { refusedNotes } from '../../domain/metrics/read/query-notes.ts';
import { ALL_VISITORS, segmentSetsOf } from '../../domain/names/match-name.ts';
import { hint } from '../../lib/hint.ts';
import type { CompareContext, Question } from './compare-question.ts';
import { fetchMetrics, requireGoal } from './fetch-metrics.ts';
import { redefinitionNotes } from './redefinitions.ts';

const DEVICES: readonly Device[] = ['desktop', 'mobile', 'tablet'];

/** Segments that stand beside all visitors where none are named. */
const MOST_SEGMENTS = 12;

/** The question with all segments and all visitors where it names none to compare. */
async function withSegments(question: Question, { lists, note }: CompareContext): Promise<Question> {
  if (question.by !== 'segment' || question.compareSegments.length > 0) return question;
  const all = await (await lists()).of('segment');
  if (all.length === 0) refuse('compareSegments: the project has no segments to compare.');
  if (all.length > MOST_SEGMENTS)
    refuse(
      `compareSegments: there are ${all.length} segments, too many for one call; name those to compare` +
        hint('list_segments', '; list_segments lists them') +
        '.',
    );
  note(`No segments were named: these are all ${all.length}, beside all visitors.`);
  return { ...question, compareSegments: [ALL_VISITORS, ...all.map(({ id }) => id)] };
}

/** The first side, then the others by how far the metric is from it there; sides without a value last. */
function byEffect(sides: readonly Side[], metric = 'visits'): readonly Side[] {
  const [reference, ...others] = sides;
  if (!reference) return sides;
  const distance = ({ values }: Side) => Math.abs((values[metric] ?? Number.NaN) - (reference.values[metric] ?? Number.NaN));
  const order = (side: Side) => (Number.isNaN(distance(side)) ? -1 : distance(side));
  return [reference, ...others.toSorted((a, b) => order(b) - order(a))];
}

/** Puts devices or segments side by side at the same time. */
export async function compareAtOnce(asked: Question, context: CompareContext): Promise<Comparison> {
  const question = await withSegments(asked, context);
  const { by, devices, segmentIds, compareSegments, metrics, goalId, baseline, baselineStartDate, baselineEndDate } = question;
  const { note, timeZone } = context;
  if (baseline ?? baselineStartDate ?? baselineEndDate)
    refuse(`by: ${by} compares at the same time; leave the baseline out, or let by be period.`);
  if (by === 'device' && compareSegments.length > 0)
    refuse('compareSegments: by device compares devices; let by be segment, or pass segmentIds.');
  if (by === 'segment' && compareSegments.length < 2)
    refuse(
      'compareSegments: name at least two segments to compare, or one and "all visitors"' +
        hint('list_segments', '; list_segments lists them') +
        '.',
    );
  if (by === 'segment' && devices.length > 1) refuse('devices: by segment takes one device.');
  if (by === 'device' && devices.length === 1) refuse('devices: name at least two to compare, or leave them out.');
  const isDevice = by === 'device';
  const sets = isDevice ? [segmentIds] : segmentSetsOf(segmentIds, compareSegments);
  const named = devices.length > 0 ? devices : isDevice ? DEVICES : (['all'] as const);
  const range = { startMs: instantOf(question.startDate), endMs: instantOf(question.endDate) };
  const grid = { metrics: [...new Set([...metrics, 'visits'])], ranges: [range], devices: named, segmentSets: sets, goalIds: [goalId] };
  const lists = await context.lists();
  const [totals, days] = await Promise.all([
    fetchMetrics(grid, context),
    fetchMetrics({ ...grid, daily: true }, { ...context, progress: () => undefined }),
    isDevice ? undefined : lists.of('segment').catch(() => undefined),
  ]);
  if (goalId === undefined) await requireGoal(metrics, totals.rows, lists, note);
  const sidesOfSegments = compareSegments.filter((choice) => choice !== ALL_VISITORS);
  const compared = { ...question, ...range, segmentIds: [...segmentIds, ...sidesOfSegments], goalIds: [goalId], timeZone };
  for (const sentence of await redefinitionNotes(compared, lists)) note(sentence);
  const isSame = (a: Selection, b: Selection) => a.device === b.device && a.segmentIds === b.segmentIds;
  const segmentOf = ({ segmentIds: ids }: Selection) => {
    const choice = compareSegments[sets.indexOf(ids)] ?? ALL_VISITORS;
    return choice === ALL_VISITORS ? choice : lists.nameOf('segment', choice);
  };
  const read = totals.rows.map(({ selection, values }) => ({
    name: isDevice ? selection.device : segmentOf(selection),
    values,
    days: days.rows.filter((row) => isSame(row.selection, selection)),
  }));
  const sides = question === asked ? read : byEffect(read, metrics[0]);
  for (const { reason } of totals.missing) note(`Missing: ${reason}`);
  for (const { name, values } of sides) if (values['visits'] === 0) note(`${name} has no visits in this range.`);
  for (const sentence of refusedNotes(totals.refused)) note(sentence);
  note(
    `Each ${by} is compared with ${sides[0]?.name ?? 'the first'}; verdicts: paired t-test of the daily differences at 1 %, at least ` +
      `5 whole days (time zone ${timeZone}).`,
  );
  if (compareSegments.includes(ALL_VISITORS)) note(`${ALL_VISITORS} include the segments beside them; the paired test allows for that.`);
  else if (!isDevice) note('Segments may overlap; the same visit then counts in both.');
  context.draw(async () => {
    const { chartOfSides } = await import('../../views/from-comparison.ts');
    return chartOfSides(metrics, sides, by, { currency: totals.currency, timeZone, period: range });
  });
  return compareSides(metrics, sides, by, totals.currency);
}
