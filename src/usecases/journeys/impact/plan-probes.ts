import { refuse } from '../../../api/errors.ts';
import {
  type AskedCondition,
  type Condition,
  FRUSTRATION_SCORES,
  groupedMessage,
  SLOW_SECONDS,
  usualLimit,
} from '../../../domain/journeys/impact/conditions.ts';
import { groupPages, isLike, type PageGroup } from '../../../domain/journeys/page-groups.ts';
import { pageSteps, type Step } from '../../../domain/journeys/step.ts';
import { hint } from '../../../lib/hint.ts';
import { nth } from '../../../lib/nth.ts';
import { pageCondition } from '../step-sql.ts';
import { unseenStep } from '../unseen-step.ts';
import type { Visits } from '../visits.ts';
import { type EffectPlan, type IndexPage, MOST_PAGES, MOST_PROBES, type Probe } from './effects-sql.ts';
import type { Profile, ProfiledPath } from './profile.ts';

/** A condition at a page whose effect is measured. */
export interface Hypothesis {
  readonly condition: Condition;
  /** Index among the pages of the site, then those that are asked about. */
  readonly page: number;
  readonly probe: number;
}

/** Pages, conditions and which pairs of them are compared. */
export interface ProbePlan extends Pick<EffectPlan, 'pages' | 'asked' | 'probes'> {
  readonly hypotheses: readonly Hypothesis[];
}

/** A page with fewer views than this is not looked at unasked. */
const LEAST_VIEWS = 200;
/** A page with the paths that belong to it. */
type PlannedPage = IndexPage & Pick<PageGroup<ProfiledPath>, 'paths' | 'views'>;

/** Errors that fewer views have say nothing. */
const LEAST_ERRORS = 20;

const slowMsOf = ({ paths, views }: Pick<PageGroup<ProfiledPath>, 'paths' | 'views'>) => {
  const exceeded = SLOW_SECONDS.map((_, at) => paths.reduce((sum, { slow }) => sum + nth(slow, at), 0));
  return usualLimit(SLOW_SECONDS, exceeded, views) * 1000;
};

/** Patterns with the plainest first, so that a path belongs to the narrowest. */
function byWidth(groups: readonly PageGroup<ProfiledPath>[]): PageGroup<ProfiledPath>[] {
  const stars = (pattern: string) => pattern.split('*').length;
  return groups.toSorted((a, b) => stars(a.pattern) - stars(b.pattern) || b.pattern.length - a.pattern.length);
}

/** What was not asked for in an export is not absent from the site. */
function refuseLacking(what: Condition['what'], field: string): never {
  refuse(
    `conditions: ${what} needs the field ${field} of views, which no downloaded export asked for. ` +
      hint('plan_export', 'plan_export with fields ["journeys"] plans an export that has it.'),
  );
}

/** Fields of views by which a kind of condition is known: any of them. */
const FIELDS = {
  slow_page: ['fully_loaded', 'dom_interactive_after_msec', 'start_render'],
  api_error: ['any_api_error_ind'],
  rage_click: ['rage_click_all_targets_ind'],
  frustration: ['frustration_score'],
  js_error: ['any_js_error_ind', 'errors.message'],
} as const satisfies Partial<Record<Condition['what'], readonly string[]>>;

const holdsAny = (visits: Visits, fields: readonly string[]) => fields.some((field) => visits.column('views', field) !== undefined);

/** Kinds of conditions that the files cannot tell of, each with a field that no export asked for. */
export function untold(visits: Visits): string[] {
  return Object.entries(FIELDS).flatMap(([what, fields]) => (holdsAny(visits, fields) ? [] : [`${what} (${fields[0]})`]));
}

/** A condition on the columns of a view; `page` is the index of the page that it names. Throws where the files cannot tell. */
function probeOn({ what, over, message }: Condition, page: number, visits: Visits): Probe['on'] {
  if (what === 'page') return { sql: `next_pages IS NOT NULL AND ${visits.sql.bit('next_pages', page)}` };
  if (message !== undefined) return { message };
  const [field, ...others] = FIELDS[what];
  if (!holdsAny(visits, what === 'slow_page' ? [field, ...others] : [field])) refuseLacking(what, field);
  if (what === 'slow_page') return { sql: over === undefined ? 'load_ms > slow_ms' : `load_ms > ${over * 1000}` };
  if (what === 'frustration') return { sql: `score >= ${over ?? FRUSTRATION_SCORES[0]}` };
  return { sql: `${{ api_error: 'api', rage_click: 'rage', js_error: 'js' }[what]} = 1` };
}

/** The messages of the files that an asked one means: those that contain it, or are like it where it has a `*`. */
function meantMessages(text: string, { messages }: Profile, visits: Visits): string[] {
  if (visits.column('views', 'errors.message') === undefined) refuseLacking('js_error', 'errors.message');
  const wanted = groupedMessage(text).toLowerCase();
  const fits = (value: string) => (wanted.includes('*') ? isLike(value, wanted) : value.includes(wanted));
  const found = messages.filter(({ value }) => fits(value.toLowerCase())).map(({ value }) => value);
  if (found.length > 0) return found;
  const most = messages.slice(0, 5).map(({ value, count }) => `"${value}" (${count} views)`);
  return refuse(
    `conditions: no error message contains "${text}". ` +
      (most.length > 0 ? `The most frequent: ${most.join(', ')}.` : 'There is no error in these days.'),
  );
}

/** JavaScript errors, each text a condition of its own where the files have texts; `room`: how many there may be. */
function errorConditions(profile: Profile, visits: Visits, room: number): Condition[] {
  if (visits.column('views', 'errors.message') === undefined) return [{ what: 'js_error' }];
  const messages = profile.messages.filter(({ count }) => count >= LEAST_ERRORS).slice(0, room);
  return messages.map(({ value }) => ({ what: 'js_error', message: value }));
}

/** Every condition that is looked at where none is named, as far as the files can tell. */
function everyCondition(profile: Profile, visits: Visits): Condition[] {
  const has = (what: keyof typeof FIELDS) => holdsAny(visits, FIELDS[what]);
  const isTimed = profile.paths.some(({ slow }) => (slow[0] ?? 0) > 0);
  const over = usualLimit(FRUSTRATION_SCORES, profile.frustrated, profile.views);
  return [
    ...(isTimed ? [{ what: 'slow_page' } as const] : []),
    ...(has('api_error') ? [{ what: 'api_error' } as const] : []),
    ...(has('rage_click') ? [{ what: 'rage_click' } as const] : []),
    ...(has('frustration') ? [{ what: 'frustration', over } as const] : []),
    ...(has('js_error') ? errorConditions(profile, visits, MOST_PROBES - 4) : []),
  ];
}

function isOfViews(asked: AskedCondition): asked is AskedCondition & { what: Condition['what'] } {
  return asked.what !== 'variable';
}

/** The conditions of a call, checked; a message stands for each group of messages that it means, errors without one for each message. */
function conditionsOf(asked: readonly AskedCondition[], profile: Profile, visits: Visits): Condition[] {
  const room = MOST_PROBES - asked.length;
  return asked.filter(isOfViews).flatMap(({ what, pages, overSeconds, over, message }): Condition[] => {
    if (what === 'js_error' && message !== undefined)
      return meantMessages(message, profile, visits).map((text) => ({ what, pages, message: text }));
    if (what === 'js_error') {
      const each = errorConditions(profile, visits, room);
      return (each.length > 0 ? each : [{ what }]).map((condition) => ({ ...condition, pages }));
    }
    const limit = what === 'slow_page' ? overSeconds : over;
    return [{ what, pages, ...(limit !== undefined && { over: limit }) }];
  });
}

function isStepLike(path: string, steps: readonly Step[]): boolean {
  return steps.some(({ choices }) => choices.some((choice) => choice.kind === 'page' && isLike(path, choice.pattern)));
}

/** The pages that conditions name, as one each; throws where nobody saw them. */
async function askedPages(conditions: readonly Condition[], profile: Profile, visits: Visits): Promise<PlannedPage[]> {
  const found = new Map<string, PlannedPage>();
  for (const { pages } of conditions) {
    const pattern = pages?.join(' | ');
    if (pages === undefined || pattern === undefined || found.has(pattern)) continue;
    const steps = pageSteps(pages, 'conditions');
    const paths = profile.paths.filter(({ path }) => isStepLike(path, steps));
    const unseen = steps.find((step) => !paths.some(({ path }) => isStepLike(path, [step])));
    if (unseen) throw await unseenStep(unseen, 'conditions', visits);
    const views = paths.reduce((sum, path) => sum + path.views, 0);
    const sql = steps.flatMap((step) => pageCondition(step, 'path', visits.sql) ?? []).join(' OR ');
    found.set(pattern, { pattern, sql, slowMs: slowMsOf({ paths, views }), paths, views });
  }
  return [...found.values()];
}

/** Chooses pages and conditions: those that are asked about, or all. */
export async function planProbes(asked: readonly AskedCondition[] | undefined, profile: Profile, visits: Visits): Promise<ProbePlan> {
  const groups = groupPages(profile.paths, MOST_PAGES);
  const pages = byWidth(groups).map((group): PlannedPage => {
    const { pattern, name, paths, views } = group;
    return { pattern: name, sql: visits.sql.like('path', pattern), slowMs: slowMsOf(group), paths, views };
  });
  const conditions = asked ? conditionsOf(asked, profile, visits) : everyCondition(profile, visits);
  if (conditions.length > MOST_PROBES)
    refuse(`conditions: ${conditions.length} conditions are too many for one call; name at most ${MOST_PROBES}.`);
  const named = await askedPages(conditions, profile, visits);
  const usual = pages.flatMap(({ views }, at) => (asked || views >= LEAST_VIEWS ? [at] : []));
  const every = [...pages, ...named];
  const placeOf = (condition: Condition) => pages.length + named.findIndex(({ pattern }) => pattern === condition.pages?.join(' | '));
  const hypotheses = conditions.flatMap((condition, probe): Hypothesis[] => {
    // Going to a page is looked at where it is not seen yet: on every other page.
    const own = condition.pages && condition.what !== 'page' ? [placeOf(condition)] : usual;
    return own.map((page) => ({ page, probe, condition: limited(condition, every[page]) }));
  });
  const onOf = (condition: Condition) => {
    const page = placeOf(condition);
    return probeOn(condition.pages ? limited(condition, every[page]) : condition, page, visits);
  };
  const probes = conditions.map((condition) => ({ on: onOf(condition), looksAhead: condition.what === 'page' }));
  return { pages, asked: named, probes, hypotheses };
}

/** A slow page with the limit of its page, where none was named. */
function limited(condition: Condition, page: IndexPage | undefined): Condition {
  return condition.what === 'slow_page' && condition.over === undefined && page ? { ...condition, over: page.slowMs / 1000 } : condition;
}
