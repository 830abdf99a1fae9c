import { refuse } from '../api/errors.ts';
import type { ExportContext } from '../exports/export-lists.ts';
import { dayText } from '../lib/clock.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { inGroups } from '../lib/number-text.ts';
import { present } from '../lib/sentences.ts';
import type { Drawing } from '../names/context.ts';
import { groupSentences, groupsOf, MOST_GROUPS } from './funnel.ts';
import { type CohortsDrawn, cohortsOf, curvesOf, type RetentionAnswer, type ReturnCount, retentionWords } from './retention.ts';
import { cases, flag } from './sql-words.ts';
import {
  type Breakdown,
  entryCondition,
  type Filters,
  fieldOfBreakdown,
  filterConditions,
  filterWords,
  groupExpression,
  isFiltered,
} from './visit-filters.ts';
import { orNull, requireVisits, sessionRows, textOf, type VisitQuestion, type Visits, visitRelation } from './visit-relation.ts';
import { withVisits } from './with-visits.ts';

/** The question behind retention. */
interface RetentionQuestion {
  readonly by: 'day' | 'week';
  readonly periods: number;
  readonly breakdown: Breakdown | undefined;
  /** Days after the range of first sessions in which visitors may come back. */
  readonly followDays: number;
}

/** The first sessions that pass the filters, on days of the range; by their entry page where a split or a filter reads it. */
function firstSessions({ breakdown }: RetentionQuestion, visits: Visits, { entryPages }: Filters): string {
  const { sql, days } = visits;
  const isFirst = `v.number = 1 AND v.chosen = 1 AND v.day <= ${days.last}`;
  const atEntry = entryCondition({ entryPages }, 'o.path', sql);
  if (breakdown !== 'entry_page' && atEntry === undefined) return `(SELECT u, day, g FROM visit AS v WHERE ${isFirst}) AS f`;
  const entries = sessionRows({ entry: 'argMin(s.p, s.n)' });
  const pages = `JOIN (SELECT k AS k_seen, entry FROM (${entries}) AS r) AS e ON v.k = e.k_seen JOIN path_of AS o ON e.entry = o.p`;
  const group = breakdown === 'entry_page' ? 'o.path' : 'v.g';
  return (
    `(SELECT v.u AS u, v.day AS day, ${group} AS g FROM visit AS v ${pages} ` +
    `WHERE ${isFirst}${atEntry === undefined ? '' : ` AND (${atEntry})`}) AS f`
  );
}

/** Groups that are told from each other, the largest first; visitors of others are of no group. */
const MOST_NAMED = 100;

/**
 * Counts visitors by the period of their first session and the periods in which they were there again. Filters choose first sessions:
 * whoever comes back by another page or from another country comes back; automated sessions alone are left out of both.
 */
async function readRetention(asked: RetentionQuestion, visits: Visits) {
  const { by, periods, breakdown, followDays } = asked;
  const { sql, question } = visits;
  const column = orNull(visits);
  const group = groupExpression(breakdown, column) ?? "''";
  const chosen = filterConditions({ ...question, automated: undefined }, column, sql).join(' AND ');
  const open = { ...visits, question: { automated: question.automated } };
  const ctes = visitRelation(open, {
    visit: { number: `assumeNotNull(${column('session_number')})`, g: group, chosen: flag(chosen || '1 = 1') },
    followDays,
  });
  // The first day of 1970 was a Thursday.
  const period = (day: string) => (by === 'day' ? day : `intDiv(${day} + 3, 7)`);
  const firsts = firstSessions(asked, open, question);
  const rows = await visits.select(
    `WITH ${ctes},
newcomer AS (SELECT u AS u_first, min(${period('day')}) AS c, min(g) AS grp FROM ${firsts} GROUP BY u),
sized AS (SELECT *, count(*) OVER (PARTITION BY grp) AS size FROM newcomer),
ranked AS (SELECT *, dense_rank() OVER (ORDER BY size DESC, grp) AS place FROM sized),
began AS (SELECT u_first, c, ${cases([[`place > ${MOST_NAMED}`, "''"]], 'grp')} AS grp FROM ranked),
there AS (SELECT DISTINCT u, ${period('day')} AS q FROM visit),
again AS (SELECT u, c, grp, q - c AS later FROM there JOIN began ON there.u = began.u_first WHERE q - c BETWEEN 0 AND ${periods}),
next AS (SELECT u, c AS c_next, min(later) AS first_later, min(grp) AS grp_next FROM again WHERE later > 0 GROUP BY u, c)
SELECT 'counts' AS kind, c, later, grp, count(*) AS n FROM again GROUP BY c, later, grp
UNION ALL SELECT 'firsts' AS kind, c_next AS c, first_later AS later, grp_next AS grp, count(*) AS n FROM next
GROUP BY c_next, first_later, grp_next`,
  );
  const of = (kind: string) =>
    rows.flatMap((row): ReturnCount[] =>
      row['kind'] === kind
        ? [{ cohort: Number(row['c']), after: Number(row['later']), group: textOf(row['grp']), visitors: Number(row['n']) }]
        : [],
    );
  return { counts: of('counts'), firsts: of('firsts') };
}

/** A question about retention, dates as the boundary resolves them. */
interface RetentionRequest extends VisitQuestion {
  readonly by?: 'day' | 'week' | undefined;
  readonly periods?: number | undefined;
  readonly breakdown?: Exclude<Breakdown, 'day' | 'week' | 'visitor_type'> | undefined;
}

const USUAL_PERIODS = { day: 7, week: 8 };
/** Periods within which returning is told: a week, or about a month. */
const USUAL_WITHIN = { day: 7, week: 4 };

/** Who comes back, and when: `analyze_retention`. */
export function analyzeRetention(request: RetentionRequest, context: ExportContext & Drawing<CohortsDrawn>): Promise<RetentionAnswer> {
  const { by = 'day', breakdown, visitorType } = request;
  if (visitorType === 'returning') refuse('visitorType: cohorts begin with first sessions, which new visitors alone have; leave it out.');
  const periods = request.periods ?? USUAL_PERIODS[by];
  const field = fieldOfBreakdown(breakdown);
  const needs = {
    sessions: ['session_number', ...(field === undefined ? [] : [field])],
    ...(breakdown === 'entry_page' && { views: [] }),
    // Of weeks two whole ones at least, whatever the day is.
    ...(by === 'day' ? { usualDays: 2 * USUAL_PERIODS.day } : { usualDays: 7 * USUAL_PERIODS.week, leastDays: 7 * USUAL_WITHIN.week }),
  };
  return withVisits(request, needs, context, async (visits) => {
    const { last, ofFiles, covered, words, lead } = visits.days;
    // Those of the last period, as far as the files go.
    const followDays = Math.max(0, Math.min(Math.max(...ofFiles) - last, by === 'day' ? periods : 7 * periods + 6));
    const returns = await readRetention({ by, periods, breakdown, followDays }, visits);
    if (returns.counts.length === 0) await requireVisits(visits);
    const asked = { by, periods, days: visits.days };
    const cohorts = cohortsOf(returns.counts, asked);
    const wanted = request.periods ?? USUAL_WITHIN[by];
    const [whole, ...parts] = curvesOf(returns, asked, wanted);
    const all = whole.within;
    const groups = parts.slice(0, MOST_GROUPS);
    context.note('A visitor is a browser or device: a person on another one, or without cookies, counts as new.');
    context.note(
      'A cohort is the period (UTC; weeks begin on Monday) of the first session; null: not over or not covered. Who comes back has a ' +
        'session in a later period; within: in any of the first ones, each visitor once.',
    );
    if (followDays > 0) context.note(`The range is that of first sessions; who comes back is read up to ${dayText(last + followDays)}.`);
    const shown = groups.reduce((sum, { visitors }) => sum + visitors, 0);
    if (breakdown && shown < whole.visitors)
      context.note(
        `The ${groups.length} largest groups are shown, ${inGroups(shown)} of ` +
          `${inGroups(whole.visitors)} visitors; the others count in overall.`,
      );
    const depths = parts.flatMap(({ group, within: own }) =>
      own && own.periods === all?.periods ? [[group, [0, own.visitors - own.returned, own.returned]] as const] : [],
    );
    const compared = groupsOf(['a first session', `a return within ${all?.periods} ${by}s`], { groups: new Map(depths) });
    const said = retentionWords(whole, { cohorts, by, periods: wanted, isFiltered: isFiltered(request) });
    const way = whole.percent[1] === null ? await visits.supply.wayOn() : undefined;
    if (way !== undefined) context.note(ofAnswer(way));
    const answer = present(groupSentences(compared, 'visitors', breakdown), said).join(' ');
    const curves = [whole, ...groups];
    context.draw({ cohorts, curves, by, covered, filters: filterWords(request), answer });
    return {
      answer: lead + answer,
      by,
      cohorts,
      within: all,
      groups: breakdown && groups,
      overall: whole.percent,
      covered: words,
    };
  });
}
