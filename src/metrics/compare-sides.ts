import { refuse } from '../api/errors.ts';
import { type Finding, mayBeSeason } from '../findings/finding.ts';
import { paragraphOf } from '../findings/paragraph.ts';
import { saidOf } from '../findings/sentence.ts';
import { rangeText } from '../findings/wording.ts';
import { dayAfter, shiftDays } from '../lib/calendar.ts';
import { todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { lowered } from '../lib/sentences.ts';
import type { Drawing, Lists } from '../names/context.ts';
import { ALL_VISITORS, segmentSetsOf } from '../names/match-name.ts';
import { inTurns } from '../statistics/kept-fits.ts';
import type { Comparison } from './compare/comparison-rows.ts';
import { laterDays } from './compare/comparison-windows.ts';
import { compareSides, isEmpty, type Side } from './compare/sides.ts';
import { type CompareContext, filtersOf, type Question } from './compare-question.ts';
import type { FoundChange } from './expected/expected-lines.ts';
import { apartSentence, fetchKept, fetchMetrics, goalNotes } from './fetch-metrics.ts';
import { changeFacts, grammarOf, levelOn, levelUnit, placeBy, wordedAll } from './findings.ts';
import { unitOf } from './metric-definitions.ts';
import { nameOf } from './metric-names.ts';
import { dayPoints, metricsToRead } from './read/day-points.ts';
import type { MetricAnswers } from './read/metric-answers.ts';
import { type Device, PARTS, type Selection } from './read/metric-grid.ts';
import { leadOf } from './read/query-lead.ts';
import { refusedNotes } from './read/query-notes.ts';
import type { QueryTable, TableDrawn } from './read/query-table.ts';
import { atPlaces, type PlaceRead } from './read-expected.ts';
import { readKnownDays, withKnownDays } from './read-known-days.ts';
import { redefinitionNotes } from './redefinitions.ts';
import { areNear, changesOf, DAYS_BEFORE, ERROR, isDay, isOn } from './site-changes.ts';

/** Days that two requests give: those beside the range say what was usual, and date a change as every tool does. */
const READ_DAYS = 184;
/** Segments that stand beside all visitors where none are named. */
const MOST_SEGMENTS = 12;

/** The question with all visitors beside the only segment that it names, of none with all segments, which a note then says. */
async function withSegments(
  question: Question,
  { lists }: Pick<CompareContext, 'lists'>,
): Promise<{ question: Question; notes: readonly string[] }> {
  const { by, compareSegments } = question;
  if (by !== 'segment' || compareSegments.length > 1) return { question, notes: [] };
  const [only] = compareSegments;
  if (only !== undefined && only !== ALL_VISITORS) return { question: { ...question, compareSegments: [ALL_VISITORS, only] }, notes: [] };
  const all = await (await lists()).of('segment');
  if (all.length === 0) refuse('compareSegments: the project has no segments to compare.');
  if (all.length > MOST_SEGMENTS)
    refuse(
      `compareSegments: there are ${all.length} segments, too many for one call; name those to compare` +
        hint('list_segments', '; list_segments lists them') +
        '.',
    );
  return {
    question: { ...question, compareSegments: [ALL_VISITORS, ...all.map(({ id }) => id)] },
    notes: [`No segments were named: these are all ${all.length}, beside all visitors.`],
  };
}

/** Throws where the arguments do not go together. */
function checkQuestion({ by, devices, compareSegments, kind, baselineStartMs, baselineEndMs }: Question): void {
  if (kind !== undefined || baselineStartMs !== undefined || baselineEndMs !== undefined)
    refuse(`by: ${by} compares at the same time; leave the baseline out, or let by be period.`);
  if (by === 'device') {
    if (compareSegments.length > 0) refuse('compareSegments: by device compares devices; let by be segment, or pass segmentIds.');
    if (devices.length === 1) refuse('devices: name at least two to compare, or leave them out.');
    return;
  }
  if (devices.length > 1) refuse('devices: by segment takes one device.');
}

/** A side with the days beside the range too. */
interface ReadSide extends Side {
  readonly reading: FoundChange['reading'];
}

/** Sides of one range as they were read. */
interface SidesRead {
  readonly sides: readonly ReadSide[];
  readonly places: PlaceRead;
  readonly totals: MetricAnswers;
  readonly notes: readonly string[];
}

function devicesOf({ by, devices }: Question): readonly Device[] {
  if (devices.length > 0) return devices;
  return by === 'device' ? PARTS : ['all'];
}

/** Reads the range and its days for each side. */
async function readSides(question: Question, lists: Lists, context: CompareContext): Promise<SidesRead> {
  const { by, segmentIds, compareSegments, metrics, goalId, period } = question;
  const isDevice = by === 'device';
  const sets = isDevice ? [segmentIds] : segmentSetsOf(segmentIds, compareSegments);
  const grid = {
    metrics: [...new Set([...metrics, 'visits'])],
    ranges: [period],
    devices: devicesOf(question),
    segmentSets: sets,
    goalIds: [goalId],
  };
  const { endMs } = laterDays({ period, ...context }) ?? period;
  const daily = { startMs: Math.min(period.startMs, shiftDays(endMs + 1, -READ_DAYS, context.timeZone)), endMs };
  const byDay = { ...grid, metrics: metricsToRead(grid.metrics), ranges: [daily], daily: true };
  const [totals, days, known] = await Promise.all([
    fetchMetrics(grid, context),
    fetchKept(byDay, { ...context, note: () => undefined }),
    readKnownDays(daily, goalId, context),
    isDevice ? undefined : lists.of('segment').catch(() => undefined),
  ]);
  const ofGoals = goalId === undefined ? await goalNotes(metrics, totals.rows, lists) : [];
  const named = compareSegments.filter((choice) => choice !== ALL_VISITORS);
  const compared = { ...question, ...period, segmentIds: [...segmentIds, ...named], goalIds: [goalId], timeZone: context.timeZone };
  const isSame = (a: Selection, b: Selection) => a.device === b.device && a.segmentIds === b.segmentIds;
  const segmentOf = ({ segmentIds: ids }: Selection) => {
    const choice = compareSegments[sets.indexOf(ids)] ?? ALL_VISITORS;
    return choice === ALL_VISITORS ? choice : lists.nameOf('segment', choice);
  };
  const sides = totals.rows.map(({ selection, values, isOfOtherGoal }) => {
    const own = withKnownDays(
      days.rows.filter((row) => isSame(row.selection, selection)),
      known,
    );
    return {
      name: isDevice ? selection.device : segmentOf(selection),
      values,
      days: own.filter(({ interval }) => interval.endMs > period.startMs && interval.startMs < period.endMs),
      reading: { ...selection, isOfOtherGoal, known: own },
    };
  });
  const places = { grid: byDay, input: { query: { segmentIds, goalIds: goalId === undefined ? [] : [goalId] }, days: days.rows, known } };
  // What has visits is what the others are compared with.
  sides.sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)));
  return { sides, totals, places, notes: [...ofGoals, ...(await redefinitionNotes(compared, lists))] };
}

/** The clearest change on days of the range, no one of which is then at its level; of all visitors where these show it too. */
function clearestChange(sides: readonly ReadSide[], { metrics, period }: Question, timeZone: string): FoundChange[] {
  const [first, last] = [todayIn(timeZone, period.startMs), todayIn(timeZone, period.endMs)];
  const most = ERROR / (sides.length * metrics.length);
  const found = sides
    .flatMap(({ reading }) => metrics.flatMap((metric) => changesOf(reading, metric, dayAfter(first, -DAYS_BEFORE), most)))
    .filter((own) => !isDay(own) && isOn(own.change, { first, last }))
    .toSorted((a, b) => a.change.pValue - b.change.pValue);
  const [clearest] = found;
  if (!clearest) return [];
  const { length } = clearest.reading.segmentIds;
  const isSame = ({ metric, change }: FoundChange) => metric === clearest.metric && areNear(change, clearest.change);
  return [found.find((own) => own.reading.segmentIds.length < length && isSame(own)) ?? clearest];
}

/**
 * The sides on the days before a change within the range and on those since, as they are drawn: no day is at the level of all of them;
 * undefined where one of the two has no day.
 */
function partedTable(
  { columns: [by = '', ...metrics], ...table }: QueryTable,
  sides: readonly ReadSide[],
  changes: readonly Finding[],
  currency: string | undefined,
): QueryTable | undefined {
  const [since] = changes.flatMap(({ when: { shape, from } }) => (shape === 'step' ? (from ?? []) : []));
  const [first = '', last = ''] = [0, -1].map((at) => sides[0]?.days.filter(({ interval }) => !interval.isPart).at(at)?.interval.label);
  if (since === undefined || since <= first || since > last) return undefined;
  const parts = [
    [first, dayAfter(since, -1)],
    [since, last],
  ] as const;
  return {
    ...table,
    columns: [by, 'days', ...metrics],
    rows: sides.flatMap(({ name, days }) =>
      parts.map(([from, to]) => [
        name,
        rangeText(from, to, since.slice(0, 4)),
        ...metrics.map((metric) => levelOn(metric, dayPoints(days, metric), from, to)),
      ]),
    ),
    units: Object.fromEntries(metrics.map((metric) => [metric, levelUnit(metric, currency)])),
  };
}

/** How the sides were compared, and what is missing. */
function notesOf(sides: readonly Side[], { by, compareSegments }: Question, totals: MetricAnswers, timeZone: string): string[] {
  const allVisitors = compareSegments.includes(ALL_VISITORS)
    ? [`${ALL_VISITORS} include the segments beside them; the paired test allows for that.`]
    : [];
  const overlap = by === 'segment' ? ['Segments may overlap; the same visit then counts in both.'] : [];
  return [
    ...totals.missing.map(({ reason }) => `Missing: ${reason}`),
    ...sides.filter(isEmpty).map(({ name }) => `${name} has no visits in this range.`),
    ...refusedNotes(totals.refused),
    `Each ${by} is compared with ${sides[0]?.name ?? 'the first'}; verdicts: paired t-test of the days at a false discovery rate of 5 %, ` +
      `at least 5 whole days (time zone ${timeZone}).`,
    ...(allVisitors.length > 0 ? allVisitors : overlap),
    ...(by === 'device' ? ['Levels of one range, no change: without by, each device is compared with the baseline too.'] : []),
  ];
}

/** Puts devices or segments side by side at the same time. */
export async function compareAtOnce(asked: Question, context: CompareContext & Drawing<TableDrawn>): Promise<Comparison> {
  const { timeZone } = context;
  const { question, notes } = await withSegments(asked, context);
  checkQuestion(question);
  const { by, metrics } = question;
  const lists = await context.lists();
  const { sides, totals, ...read } = await readSides(question, lists, context);
  for (const sentence of [...notes, ...read.notes, ...notesOf(sides, question, totals, timeZone)]) context.note(sentence);
  const grammar = grammarOf(todayIn(timeZone, context.nowMs));
  const kind = by === 'device' ? by : 'segment';
  const whole = { device: kind === 'device' ? 'all' : (question.devices[0] ?? 'all'), segmentIds: question.segmentIds };
  const placeOf = (metric: string) => placeBy(lists.nameOf)({ ...whole, goalId: question.goalId }, metric);
  const compared = compareSides(metrics, sides, { kind, currency: totals.currency, grammar, placeOf });
  const last = todayIn(timeZone, question.period.endMs);
  const found = await inTurns(context.signal, () => clearestChange(sides, question, timeZone));
  const facts = (await atPlaces(found, read.places, context)).map((own) => {
    const { metric, reading } = own;
    const place = placeBy(lists.nameOf)({ ...reading, goalId: question.goalId }, metric);
    return changeFacts({ ...own, place, last }, totals.currency);
  });
  // The season is that of all sides.
  const changes = wordedAll(
    facts.filter((each) => !mayBeSeason(each)),
    grammar,
  );
  const said = [...changes.map((finding) => saidOf(finding, grammar)), ...compared.findings.map(({ sentence }) => sentence)];
  const table = {
    columns: [by, ...metrics],
    rows: sides.map(({ name, values }) => [name, ...metrics.map((metric) => values[metric] ?? null)]),
    units: Object.fromEntries(metrics.map((metric) => [metric, unitOf(metric, totals.currency) ?? ''])),
    filters: filtersOf(question, lists),
  };
  const apart = apartSentence(question.segmentIds, totals.rows, lists);
  const from = todayIn(timeZone, question.period.startMs);
  const findings = [...changes, ...compared.findings];
  // Counts of parts are no findings: the first sentence says which are the most.
  const lead = (some: typeof metrics) => leadOf(table, { query: { metrics: some, bases: [], breakdown: [] }, from, to: last, grammar });
  const answer = apart ?? (paragraphOf(said).answer || lead(metrics));
  const answers = Object.fromEntries(metrics.map((metric) => [metric, lead([metric])]));
  const drawn = { timeZone, interval: question.period };
  const parted = partedTable(table, sides, changes, totals.currency);
  // What was most over all days is nothing of those before and since a change.
  const answersOfParts = Object.fromEntries(changes.map(({ subject, sentence }) => [subject, `${nameOf(subject)}: ${lowered(sentence)}`]));
  context.draw(
    parted
      ? { ...drawn, table: parted, findings: changes, answers: answersOfParts }
      : { ...drawn, table, findings, answers, reference: sides[0]?.name ?? '' },
  );
  return { ...compared, findings, answer };
}
