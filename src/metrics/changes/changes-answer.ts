import * as z from 'zod';
import { type Facts, type Finding, findingShape, mayBeSeason } from '../../findings/finding.ts';
import { paragraphOf, ranked, type Said } from '../../findings/paragraph.ts';
import { type Grammar, intervalSentence, saidOf, sentenceOf, subjectText } from '../../findings/sentence.ts';
import { dateText, listed, rangeText } from '../../findings/wording.ts';
import { daysFrom } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import { counted } from '../../lib/number-text.ts';
import { byLeast } from '../../lib/order.ts';
import { capital } from '../../lib/sentences.ts';
import { compareMoves, type Searched, type SpeedChange, type SpeedFacts, type SpeedMove } from '../../speed/scenario-study.ts';
import { moveFacts, nounOf } from '../../speed/speed-findings.ts';
import { deviceOf, metricFact } from '../../speed/speed-metrics.ts';
import { LEAST_HISTORY_DAYS } from '../engine/series.ts';
import { changeFacts, faultFacts, grammarOf, placeBy, wordedAll } from '../findings.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { type CountingFault, qualityShape } from '../quality/counting.ts';
import type { Place } from '../site-changes.ts';
import type { ChangeEvent } from './events.ts';

/** Subjects that can be searched for changes. */
export const changeSubjects = ['site', 'zones', 'speed'] as const;

/** The answer of `find_changes`. */
export const changesShape = z.object({
  answer: z.string(),
  /** Each metric of each change, the most important first; those of one change have its days, each its own cost. */
  findings: z.array(findingShape),
  /** Days on which the counting looks broken. */
  quality: qualityShape,
  /** Changes that were found, listed or not. */
  total: z.number(),
  looked: z.object({
    series: z.number(),
    /** How many of these are of speed scenarios, and of how many scenarios. */
    speedSeries: z.number().optional(),
    scenarios: z.number().optional(),
    withTooFewData: z.number(),
    requests: z.number(),
    dataSince: z.string(),
  }),
  /** Intervals, and what the first paragraph had no room for. */
  details: z.array(z.string()).optional(),
});

/** The answer of `find_changes`. */
export type Changes = z.output<typeof changesShape>;

/** The findings in the metrics of the site and its zones. */
export interface SiteFacts extends Searched {
  /** Devices, segments, goals and zones that could not be read, or not whole. */
  readonly unread: { readonly selections: number; readonly of: number };
  readonly changes: readonly ChangeEvent[];
  readonly faults: readonly CountingFault[];
  /** Special days in the range that did much to visits. */
  readonly special: readonly string[];
  /** Metrics that were named, at the place that all of it is of. */
  readonly asked: { readonly metrics: readonly string[]; readonly place: Place };
  /** Goals that were named: what became of them comes first. */
  readonly askedGoals: readonly number[];
  /** Since when and until when segments have visits. */
  readonly spans: readonly string[];
  /** The names that people give to objects. */
  readonly nameOf: Parameters<typeof placeBy>[0];
  readonly currency: string | undefined;
  /** Sentences on what of it was not looked at for want of requests. */
  readonly unseen: readonly string[];
}

/** Everything that an answer is made of; at least one kind was looked at. */
export interface AnswerFacts {
  readonly site: SiteFacts | undefined;
  readonly speed: SpeedFacts | undefined;
  readonly timeZone: string;
  /** The first and the last day that were looked at. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** The day of the reader. */
  readonly today: string;
  /** Changes to list. */
  readonly limit: number;
  /** Sentences of the first paragraph on what was not looked at and would be expected to be. */
  readonly unseen: readonly string[];
}

/** A change of the site or its zones with the record of each of its metrics. */
export interface RankedChange {
  readonly event: ChangeEvent;
  readonly facts: readonly [Facts, ...Facts[]];
}

/** The record by which a change is ranked: the first that has a cost. */
const costliest = ({ facts }: RankedChange) => facts.find(({ cost }) => cost) ?? facts[0];

/** Changes in the order of telling. */
function inRank(changes: readonly RankedChange[]): RankedChange[] {
  const order = ranked(changes.map(costliest));
  return changes.toSorted(byLeast((own) => order.indexOf(costliest(own))));
}

/** A change of the site or its zones, or one of a speed scenario with the change of conversion that it coincides with. */
type Entry = { readonly site: RankedChange; readonly beside?: SpeedChange } | { readonly speed: SpeedChange };

/** The day that an instant belongs to. */
type Zoned = Pick<AnswerFacts, 'timeZone'>;
const dayOf = (ms: number, { timeZone }: Zoned) => todayIn(timeZone, ms);

const CONVERSION: ReadonlySet<string> = new Set(['conversionRate', 'conversionCount']);
/** Whether a change of speed, of no other device, began at most a day before one of conversion may have, and not after it. */
function coincide({ event }: RankedChange, { scenario, moves: [{ shape, began }] }: SpeedChange, facts: Zoned): boolean {
  const conversion = event.find(({ metric, causes }) => CONVERSION.has(metric) && !causes.some(({ kind }) => kind === 'mix'));
  if (!conversion || conversion.change.shape === 'drift' || shape === 'drift') return false;
  const [ofVisitors, ofRuns] = [conversion.reading.device, deviceOf(scenario)];
  if (ofVisitors !== 'all' && ofRuns !== 'unknown' && ofVisitors !== ofRuns) return false;
  const [first, last] = [dayOf(began.startMs, facts), dayOf(began.endMs, facts)];
  return first <= conversion.change.latest && daysFrom(last, conversion.change.earliest) <= 1;
}

/** Puts changes of speed behind the change of conversion that began with them, the others before what has no effect to be ranked by. */
export function entriesOf(site: readonly RankedChange[], speed: readonly SpeedChange[], facts: Zoned): Entry[] {
  const ordered = speed.toSorted((a, b) => compareMoves(a.moves[0], b.moves[0]));
  const besides = new Map(ordered.map((change) => [change, site.find((each) => coincide(each, change, facts))]));
  const withCompanions = (change: RankedChange): Entry[] => {
    const own = ordered.filter((each) => besides.get(each) === change);
    const [beside] = own;
    return [{ site: change, ...(beside && { beside }) }, ...own.map((each): Entry => ({ speed: each }))];
  };
  const costly = site.findLastIndex((change) => costliest(change).cost !== undefined) + 1;
  return [
    ...site.slice(0, costly).flatMap(withCompanions),
    ...ordered.filter((each) => !besides.get(each)).map((each): Entry => ({ speed: each })),
    ...site.slice(costly).flatMap(withCompanions),
  ];
}

const placeOf = (place: Place, metric: string, { nameOf }: Pick<SiteFacts, 'nameOf'>) => placeBy(nameOf)(place, metric);

/** Names some visits among others: `mobile`, `"New visitors" on mobile`. */
export const partName = ({ device, segmentIds }: Place, nameOf: SiteFacts['nameOf']) =>
  segmentIds.length === 0
    ? device
    : `${listed(segmentIds.map((id) => `"${nameOf('segment', id)}"`))}${device === 'all' ? '' : ` on ${device}`}`;

const speedName = ({ metric, relative }: SpeedMove) => `${relative < 0 ? 'a lower' : 'a higher'} ${metricFact(metric).short}`;

/** The records of a change of the site: one for each metric that moved. */
function siteRecords([first, ...others]: ChangeEvent, site: SiteFacts, facts: AnswerFacts): RankedChange['facts'] {
  const recordOf = (part: ChangeEvent[number]) => {
    const { metric, reading } = part;
    // A drift begins on no day.
    const change = part.change.shape === 'drift' ? { ...part.change, from: facts.firstDay } : part.change;
    const days = { from: change.from, to: change.to ?? (change.shape === 'outlier' ? change.from : facts.lastDay) };
    const [place, { goal }] = [placeOf(reading, metric, site), placeOf(reading, 'conversionCount', site)];
    return changeFacts({ ...part, change, place, goal, last: facts.lastDay, more: moreOf(reading, metric, days) }, site.currency);
  };
  return [recordOf(first), ...others.map(recordOf)];
}

/** The same with the change of speed that it coincides with as a cause of the first. */
function siteFindings({ site: { facts }, beside }: Extract<Entry, { site: unknown }>): readonly Facts[] {
  if (!beside) return facts;
  const name = `${speedName(beside.moves[0])} in "${beside.scenario}"`;
  const causes = (own: Facts, at: number) =>
    at === 0 ? [...own.causes, { kind: 'event' as const, name, basis: 'same time' as const }] : own.causes;
  return facts.map((own, at) => ({ ...own, causes: causes(own, at) }));
}

/** The call that looks closer: the same metric and place, the days of the change against those before. */
function moreOf({ device, segmentIds, goalId, zoneId }: Place, metric: string, days: { from: string; to: string }): Facts['more'] {
  return {
    tool: 'compare_metrics',
    arguments: {
      metrics: [metric],
      startDate: days.from,
      endDate: days.to,
      ...(device !== 'all' && { devices: [device] }),
      ...(segmentIds.length > 0 && { segmentIds }),
      ...(goalId !== undefined && definitionOf(metric)?.perGoal && { goalId }),
      ...(zoneId !== undefined && { zoneIds: [zoneId] }),
    },
  };
}

/** The record of a change of speed: its first move, because those of other metrics and of the sum come with it. */
export const speedFacts = ({ scenarioId, scenario, moves: [first] }: SpeedChange, { timeZone }: Zoned): Facts => ({
  ...moveFacts(first, { name: scenario, timeZone }),
  more: { tool: 'analyze_scenario', arguments: { scenarioIds: [scenarioId] } },
});

/** One sentence on a change of speed. */
export const speedSentence = (change: SpeedChange, period: Pick<AnswerFacts, 'timeZone' | 'today'>) =>
  sentenceOf(speedFacts(change, period), changesGrammar(period.today));

const factsOf = (entry: Entry, facts: AnswerFacts): readonly Facts[] =>
  'speed' in entry ? [speedFacts(entry.speed, facts)] : siteFindings(entry);

/** Metrics that a sentence names. */
const MOST_NAMED = 3;

/** `Nothing changed beyond chance from 1 to 28 Nov`, of what could be read, apart from what the details tell. */
function nothingSentence({ site, firstDay, lastDay }: AnswerFacts, slow: readonly RankedChange[], grammar: Grammar): string {
  const { year } = grammar;
  const { metrics = [], place } = site?.asked ?? {};
  // The details have their names; special days are those of visits, which totals follow.
  const hasSpecial = site?.special.length && (metrics.length === 0 || metrics.some(isCount));
  const excepted = [...(hasSpecial ? ['special days'] : []), ...(slow.length > 0 ? ['a slow drift'] : [])];
  const apart = excepted.length === 0 ? '' : `apart from ${listed(excepted)}, `;
  const what = (site?.unread.selections ?? 0) > 0 ? 'nothing that was looked at' : 'nothing';
  const named = metrics
    .slice(0, MOST_NAMED)
    .map((metric) => subjectText(metric, site && place ? placeOf(place, metric, site) : {}, grammar));
  const where = metrics.length > named.length || named.length === 0 ? '' : ` in ${listed(named)}`;
  return capital(`${apart}${what} changed beyond chance${where} ${rangeText(firstDay, lastDay, year)}.`);
}

const isOfGoal = ({ event, facts }: RankedChange, id: number) =>
  event.some(({ metric, reading }, at) => {
    const names = [metric, facts[at]?.cost?.of ?? ''];
    return reading.goalId === id && names.some((name) => definitionOf(name)?.perGoal);
  });
const isOfAsked = (change: RankedChange, site: SiteFacts | undefined) => site?.askedGoals.some((id) => isOfGoal(change, id)) === true;

/** The goals that were named and did not change, beside what did. */
function goalsSentence({ site, firstDay, lastDay }: AnswerFacts, changes: readonly RankedChange[], { year }: Grammar): string[] {
  const still = site?.askedGoals.filter((id) => !changes.some((change) => isOfGoal(change, id))) ?? [];
  const names = still.map((id) => `"${site?.nameOf('goal', id)}"`);
  const [rates, goals] = names.length === 1 ? ['rate', 'the goal'] : ['rates', 'the goals'];
  const range = rangeText(firstDay, lastDay, year);
  return names.length === 0 ? [] : [`Conversion ${rates} for ${goals} ${listed(names)} did not change beyond chance ${range}.`];
}

/** How many series were looked at, and what could not be read. */
function seenSentences({ site, speed, unseen }: AnswerFacts): string[] {
  const { selections = 0, of = 0 } = site?.unread ?? {};
  const nothing = speed && speed.scenarios === 0 ? ['No speed scenario was looked at.'] : [];
  return [
    ...(selections > 0 ? [`Of ${counted(of, 'selection')}, ${selections} could not be read.`] : []),
    ...nothing,
    ...(site?.unseen ?? []),
    ...unseen,
  ];
}

/** One sentence on what else changed: the one other change itself, of several how many records stand where; empty of none. */
function othersSentence(facts: AnswerFacts, entries: readonly Entry[], grammar: Grammar): string[] {
  const [, ...others] = entries;
  if (others.length <= 1) return others.flatMap((entry) => factsOf(entry, facts).slice(0, 1)).map((only) => sentenceOf(only, grammar));
  const where = facts.limit < entries.length ? '; limit lists more' : ', listed below';
  return [`There are ${counted(entries.flatMap((entry) => factsOf(entry, facts)).length - 1, 'more change')}${where}.`];
}

/** The sentences of the first paragraph: what changed most, what else did, and what was not looked at. */
function leadOf(
  facts: AnswerFacts,
  findings: readonly Finding[],
  entries: readonly Entry[],
  { all, slow }: Readonly<Record<'all' | 'slow', readonly RankedChange[]>>,
  grammar: Grammar,
): Said[] {
  const ofCounting = findings.filter(({ verdict }) => verdict === 'measurement');
  const first = findings.find(({ verdict }) => verdict !== 'measurement');
  const said = first ? saidOf(first, grammar) : nothingSentence(facts, slow, grammar);
  const goals = first ? goalsSentence(facts, all, grammar) : [];
  const [entry] = entries;
  const lead = entry && 'site' in entry && isOfAsked(entry.site, facts.site) ? [said, ...goals] : [...goals, said];
  return [...ofCounting.map(({ sentence }) => [sentence]), ...lead, ...seenSentences(facts), ...othersSentence(facts, entries, grammar)];
}

/** Whether a change is a drift that the season alone could have made. */
const isSeasonal = ({ event: [{ change }], facts }: RankedChange) => change.shape === 'drift' && facts.every(mayBeSeason);

/** How much was looked at, of the site and of speed. */
function lookedAt({ site, speed, firstDay }: AnswerFacts): Changes['looked'] {
  const kinds: readonly Searched[] = [site, speed].flatMap((kind) => kind ?? []);
  const sum = (of: (kind: Searched) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  return {
    series: sum(({ looked }) => looked),
    ...(speed && { speedSeries: speed.looked, scenarios: speed.scenarios }),
    withTooFewData: sum(({ tooFew }) => tooFew),
    requests: sum(({ requests }) => requests),
    dataSince: kinds[0]?.dataSince ?? firstDay,
  };
}

/** The whole answer: what changed, the most important first. */
export function changesAnswer(facts: AnswerFacts): Changes {
  const { site, speed, limit } = facts;
  const { faults = [] } = site ?? {};
  const all = site?.changes.map((event) => ({ event, facts: siteRecords(event, site, facts) })) ?? [];
  const inOrder = inRank(all);
  const grammar = changesGrammar(facts.today);
  const looked = lookedAt(facts);
  const slow = inOrder.filter(isSeasonal);
  const told = inOrder.filter((change) => !slow.includes(change));
  const news = told.toSorted((a, b) => Number(isOfAsked(b, site)) - Number(isOfAsked(a, site)));
  const entries = entriesOf(news, speed?.changes ?? [], facts);
  const shown = entries.slice(0, limit).flatMap((entry) => factsOf(entry, facts));
  const findings = wordedAll([...faults.map((fault) => faultFacts(fault)), ...shown], grammar);
  const lead =
    looked.series === 0
      ? [youngSentences(facts, looked.dataSince, grammar)]
      : leadOf(facts, findings, entries, { all: inOrder, slow }, grammar);
  const { answer, rest } = paragraphOf(lead);
  const beside = site
    ? [
        ...slow.flatMap((own) => own.facts).map((each) => sentenceOf(each, grammar)),
        ...site.spans,
        site.special.length === 0 ? '' : `Visits also moved on special days: ${listed(site.special)}.`,
      ]
    : [];
  // The records hold every interval; in words it stands beside the change that the first paragraph tells.
  const intervals = findings.slice(0, faults.length + 1).map((finding) => intervalSentence(finding, grammar));
  const details = [...rest, ...intervals, ...beside].filter((sentence) => sentence !== '');
  return {
    answer,
    findings,
    ...(faults.length > 0 && { quality: [...faults] }),
    total: entries.length,
    looked,
    ...(details.length > 0 && { details }),
  };
}

/** Why nothing could be judged. */
const youngSentences = ({ firstDay, lastDay }: AnswerFacts, since: string, { year }: Grammar): Said => [
  `The days ${rangeText(firstDay, lastDay, year)} cannot be judged.`,
  `Of the days read, visits begin on ${dateText(since, year)}; a verdict needs ${LEAST_HISTORY_DAYS} days before the range.`,
];

/** The grammar of metrics of the site and of speed. */
function changesGrammar(today: string): Grammar {
  const ofSite = grammarOf(today);
  return {
    ...ofSite,
    nounOf: (subject) => (definitionOf(subject) ? ofSite.nounOf(subject) : nounOf(subject)),
  };
}
