import { refuse } from '../api/errors.ts';
import type { ExportContext } from '../exports/export-lists.ts';
import { dayText } from '../lib/clock.ts';
import type { Drawing } from '../names/context.ts';
import { type CoveredDays, dayFrom } from './covered-days.ts';
import {
  changedGroups,
  changesOf,
  type FunnelChange,
  type FunnelCounts,
  type FunnelDrawn,
  type FunnelGroup,
  funnelWords,
  groupedDays,
  groupsOf,
  largestLoss,
  reached,
  stepsOf,
  sumOf,
} from './funnel.ts';
import type { FunnelAnswer } from './funnel-answer.ts';
import { type FunnelQuestion, needsOf, readFunnel } from './funnel-sql.ts';
import { OTHER, pageNames } from './page-groups.ts';
import { pageCondition } from './sql-words.ts';
import { hasKind, isPageOf, parseStep, readAsWords } from './step.ts';
import { type Breakdown, filterWords, isFiltered } from './visit-filters.ts';
import type { VisitQuestion, VisitScope, Visits } from './visit-relation.ts';
import { withVisits } from './with-visits.ts';

/**
 * The statement that selects the sessions that left at the largest loss, as a person would write it; undefined where it would take more
 * than pages of views in order.
 */
function leaversSql(question: FunnelQuestion, { days }: FunnelCounts, visits: Visits): string | undefined {
  const { steps, order, withinDays } = question;
  const done = reached(sumOf(days.values()), steps.length);
  const depth = 1 + (largestLoss(done.map((count, index) => ({ left: count - (done[index + 1] ?? 0) }))) ?? 0);
  const used = steps.slice(0, depth + 1);
  const isPlain = order === 'in_order' && withinDays === undefined && !isFiltered(visits.question) && !needsOf(question).sessions;
  if (!isPlain) return undefined;
  const column = (scope: VisitScope, field: string) => (visits.column(scope, field) ?? field).replace(/^"([a-z_][a-z0-9_]*)"$/, '$1');
  const keysOf = (scope: VisitScope) => ['user_id', 'session_id'].map((field) => column(scope, field));
  const [user, session] = keysOf('views');
  const [keys, number] = [`${user}, ${session}`, column('views', 'view_number')];
  const ofSessions = visits.reads('sessions');
  if (ofSessions && keysOf('sessions').join(', ') !== keys) return undefined;
  const onDays = (time: string) => `${time} >= '${dayText(visits.days.first)}' AND ${time} < '${dayText(visits.days.last + 1)}'`;
  const parts = used.map((step, index) => {
    const condition = pageCondition(step, `v.${column('views', 'path')}`, visits.sql) ?? 'true';
    return (
      `s${index + 1} AS (SELECT v.${user}, v.${session}, min(v.${number}) AS n FROM views AS v JOIN s${index} USING (${keys}) ` +
      `WHERE ${condition} AND v.${number} > s${index}.n GROUP BY ALL)`
    );
  });
  const from = ofSessions
    ? `sessions WHERE ${onDays(column('sessions', 'session_time'))}`
    : `views GROUP BY ${keys} HAVING ${onDays(`min(${column('views', 'view_time')})`)}`;
  const ofDays = `s0 AS (SELECT ${keys}, 0 AS n FROM ${from})`;
  const rest = `SELECT ${keys} FROM s${depth} WHERE (${keys}) NOT IN (SELECT ${keys} FROM s${depth + 1})`;
  return `WITH ${[ofDays, ...parts].join(', ')} ${rest}`;
}

/** A question about a funnel, dates as the boundary resolves them. */
interface FunnelRequest extends VisitQuestion {
  readonly steps: readonly string[];
  readonly order?: 'in_order' | 'direct' | undefined;
  readonly within?: 'session' | 'visitor' | undefined;
  readonly withinDays?: number | undefined;
  readonly breakdown?: Breakdown | undefined;
  readonly baselineStartDate?: string | undefined;
  readonly baselineEndDate?: string | undefined;
}

/** Days within which a visitor may do the steps, where the caller names none. */
const USUAL_WITHIN_DAYS = 7;

function questionOf({ steps: texts, order = 'in_order', within = 'session', withinDays, breakdown }: FunnelRequest): FunnelQuestion {
  const steps = texts.map((text) => parseStep(text, 'steps'));
  const early = steps.slice(0, -1).find((step) => hasKind(step, 'purchase'));
  if (early)
    refuse(
      `steps: the exports do not say when in a visit a purchase was, so "${early.text}" can only be the last step; name the page before.`,
    );
  if (within === 'session' && withinDays !== undefined) refuse('withinDays: only with within visitor.');
  // The very next page is known of pages in a session alone.
  if (order === 'direct' && within === 'visitor') refuse('order: direct compares pages of one session; use in_order with within visitor.');
  const event = steps.find((step) => hasKind(step, 'event'));
  if (order === 'direct' && event) refuse(`order: direct compares pages, and "${event.text}" is an app event; use in_order.`);
  return { steps, order, withinDays: within === 'visitor' ? (withinDays ?? USUAL_WITHIN_DAYS) : undefined, breakdown };
}

type Read = Awaited<ReturnType<typeof read>>;

function read(question: FunnelQuestion, visits: VisitQuestion, context: ExportContext) {
  return withVisits(visits, needsOf(question), context, async (own) => {
    const counts = await readFunnel(question, own);
    return { days: own.days, counts, sql: leaversSql(question, counts, own), hasNext: own.reads('views') };
  });
}

/** The days before, where they are asked for. */
function baselineOf({ baselineStartDate: startDate, baselineEndDate: endDate }: FunnelRequest) {
  if (startDate !== undefined && endDate !== undefined) return { startDate, endDate };
  if (startDate === undefined && endDate === undefined) return undefined;
  return refuse(`${startDate === undefined ? 'baselineStartDate' : 'baselineEndDate'}: required with the other end of the baseline.`);
}

/** The counts of the days before; their range is not that of the answer. */
function readBaseline(
  request: FunnelRequest,
  question: FunnelQuestion,
  { baseline, period }: { readonly baseline: NonNullable<ReturnType<typeof baselineOf>>; readonly period: CoveredDays },
  context: ExportContext,
): Promise<Read> {
  if (dayFrom(baseline.startDate) <= period.last && dayFrom(baseline.endDate) >= period.first)
    refuse('baselineStartDate, baselineEndDate: the baseline shares days with the range; let it end before the range begins.');
  const silent = { ...context, covers: () => undefined, note: (sentence: string) => context.note(`Baseline: ${sentence}`) };
  return read(question, { ...request, ...baseline }, silent);
}

/**
 * How those on chosen devices go on against those on the others: what every visitor loses at a step says nothing of a device. Undefined
 * where none was chosen.
 */
async function besideOthers(request: FunnelRequest, question: FunnelQuestion, { counts }: Read, context: ExportContext) {
  const { devices, breakdown } = request;
  if (devices === undefined || breakdown !== undefined) return undefined;
  const silent = { ...context, covers: () => undefined, note: () => undefined };
  const all = await read(question, { ...request, devices: undefined }, silent);
  const [own, whole] = [counts, all.counts].map(({ days }) => sumOf(days.values()));
  const others = (whole ?? []).map((count, depth) => count - (own?.[depth] ?? 0));
  const chosen = devices.join(' and ');
  const names = question.steps.map(({ text }) => text);
  return groupsOf(names, { groups: new Map([[chosen, own ?? []] as const, ['others', others] as const]) }).find(
    ({ group }) => group === chosen,
  );
}

function splitOf({ breakdown }: FunnelQuestion, names: readonly string[], counts: FunnelCounts): FunnelGroup[] | undefined {
  if (!breakdown) return undefined;
  const groups = breakdown === 'day' || breakdown === 'week' ? groupedDays(counts.days, breakdown) : counts.groups;
  return groupsOf(names, { groups, byDevice: counts.byDevice }, breakdown === 'day' || breakdown === 'week');
}

/** The change at each step, and the groups of a split in which it is clearest. */
function changesWithGroups(names: readonly string[], baseline: FunnelCounts, counts: FunnelCounts): FunnelChange[] {
  return changesOf(names, baseline, counts).map((change, index) => {
    const groups = change.verdict === 'higher' || change.verdict === 'lower' ? changedGroups(index + 1, names, baseline, counts) : [];
    return { ...change, group: groups.slice(0, 3).join(', ') || undefined };
  });
}

/** Who gets from step to step, where they leave and to what, for whom, and since when: `analyze_funnel`. */
export async function analyzeFunnel(request: FunnelRequest, context: ExportContext & Drawing<FunnelDrawn>): Promise<FunnelAnswer> {
  const question = questionOf(request);
  const names = question.steps.map(({ text }) => text);
  const asked = baselineOf(request);
  const period = await read(question, request, context);
  const { counts, sql, hasNext } = period;
  const { covered, lead } = period.days;
  const beside = asked ? undefined : await besideOthers(request, question, period, context);
  const baseline = asked && (await readBaseline(request, question, { baseline: asked, period: period.days }, context));
  const nameOfPath = pageNames(
    counts.next.flatMap(({ page, count }) => (page === undefined || page === OTHER ? [] : { path: page, views: count })),
  );
  const isStill = (page: string, index: number) => question.steps[index] !== undefined && isPageOf(question.steps[index], page);
  const nameOf = (page: string, index: number) => `${nameOfPath(page)}${isStill(page, index) ? ` (still ${names[index]})` : ''}`;
  const steps = stepsOf(names, counts, { hasNext, nameOf });
  const groups = splitOf(question, names, counts);
  const changes = baseline && changesWithGroups(names, baseline.counts, counts);
  const unit = question.withinDays === undefined ? 'sessions' : 'visitors';
  const { answer, compared, notes } = funnelWords({
    steps,
    groups,
    isByDevice: counts.byDevice !== undefined,
    beside,
    changes,
    unit,
    question,
    immature: counts.immature,
    isFiltered: isFiltered(request),
  });
  for (const sentence of [...readAsWords(question.steps), ...notes]) context.note(sentence);
  context.draw({
    steps,
    groups,
    changes,
    baseline: baseline?.days.covered,
    unit,
    covered,
    filters: filterWords(request),
    answer,
    isOfLoss: beside?.differs === undefined,
    compared,
  });
  return {
    answer: lead + answer,
    counts: unit,
    steps,
    groups,
    changes,
    immature: question.withinDays === undefined ? undefined : counts.immature,
    covered: period.days.words,
    baselineCovered: baseline?.days.words,
    sql,
  };
}
