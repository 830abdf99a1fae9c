import { refuse } from '../../../api/errors.ts';
import type { AskedCondition } from '../../../domain/journeys/impact/conditions.ts';
import { type Arm, compareVariant, referenceOf, sampleRatioMismatch } from '../../../domain/journeys/impact/experiment.ts';
import { type ImpactRow, rowOf } from '../../../domain/journeys/impact/impact-answer.ts';
import { fold } from '../../../domain/names/match-name.ts';
import { formatNumber } from '../../../lib/number-text.ts';
import { readVariables } from '../../exports/export-lists.ts';
import { NO_VALUE } from '../../exports/no-value.ts';
import type { PlanContext } from '../../exports/plan-export.ts';
import { requireVisits } from '../held-values.ts';
import { isVariable, missingVariable, requireListed, type Variable } from '../missing-data.ts';
import { visitRelation } from '../visit-relation.ts';
import type { VisitScope, Visits } from '../visits.ts';
import { type OutcomeSql } from './effects-sql.ts';
import { outcomeOfSession } from './outcome.ts';
import { textOf } from './profile.ts';

/** More values than this are no variants of a test. */
const MOST_VARIANTS = 12;

interface FoundVariable {
  readonly scope: VisitScope;
  readonly column: string;
}

/** The column that holds a variable: by the name of the column, or of a variable of the project. */
async function columnOf(
  { name, value }: { readonly name: string; readonly value: string | undefined },
  visits: Visits,
  context: PlanContext,
): Promise<FoundVariable> {
  const found = (names: readonly string[]) => {
    for (const each of names)
      for (const scope of ['sessions', 'views'] as const) {
        const column = visits.column(scope, each);
        if (column !== undefined) return { scope, column };
      }
    return undefined;
  };
  const alike = (['sessions', 'views'] as const).flatMap((scope) => visits.columns(scope).filter((column) => isVariable(column, name)));
  const direct = found([name, ...alike, `custom_var_${name}`, `dynamic_var_${name}`]);
  if (direct) return direct;
  const failures: string[] = [];
  const { customVariables, dynamicKeys } = await readVariables(context.ask, (sentence) => void failures.push(sentence));
  const variables: Variable[] = [
    ...customVariables.map((variable) => ({ kind: 'custom', ...variable }) as const),
    ...dynamicKeys.map((key) => ({ kind: 'dynamic', key }) as const),
  ];
  const meant = variables.find(({ key }) => isVariable(key, name));
  const own = meant && found([meant.key, meant.position === undefined ? `dynamic_var_${meant.key}` : `custom_var_${meant.position}`]);
  if (own) return own;
  if (meant) requireListed(value, meant);
  throw await missingVariable(name, { meant, variables, failures }, visits);
}

/** Sums by variant over visitors, of sessions with a value. */
async function armsOf({ scope, column }: FoundVariable, outcome: OutcomeSql, visits: Visits): Promise<{ arms: Arm[]; mixed: number }> {
  const value = `coalesce(${visits.sql.asText(column)}, '')`;
  const { visit, ctes, join, converts } = outcomeOfSession(outcome, visits);
  const ofSession = scope === 'sessions';
  const relation = visitRelation(visits, {
    visit: { ...visit, ...(ofSession && { variant: value }) },
    page: ofSession ? {} : { variant: value },
  });
  const ofViews = ofSession ? '' : ' JOIN (SELECT k, max(variant) AS variant FROM seen GROUP BY k) AS x ON v.k = x.k';
  const variant = `${ofSession ? 'v' : 'x'}.variant`;
  const sessions = `SELECT v.u AS u, ${variant} AS variant, ${converts} AS y, v.cents AS r FROM visit AS v${ofViews}${join}`;
  const visitors = `SELECT u, variant, count(*) AS n, sum(y) AS y, sum(1.0 * r) AS r FROM (${sessions}) AS s GROUP BY u, variant`;
  // No sum has the name of what it sums, which ClickHouse would take for the sum.
  const sums =
    'count(*) AS visitors, sum(n) AS sessions, sum(y) AS conversions, sum(r) AS revenue, sum(n * n) AS nn, ' +
    'sum(n * y) AS ny, sum(y * y) AS yy, sum(n * r) AS nr, sum(r * r) AS rr';
  const rows = await visits.select(
    `WITH ${[relation, ...ctes].join(',\n')},\nvisitor AS (${visitors})\n` +
      `SELECT variant, ${sums} FROM visitor GROUP BY variant ORDER BY visitors DESC, variant LIMIT 200`,
  );
  const arms = rows.map((row) => {
    const number = (name: string) => Number(row[name]);
    const [nn, ny, yy, nr, rr] = ['nn', 'ny', 'yy', 'nr', 'rr'].map(number) as [number, number, number, number, number]; // five names
    const base = {
      visitors: number('visitors'),
      sessions: number('sessions'),
      conversions: number('conversions'),
      revenue: number('revenue'),
    };
    return { value: textOf(row['variant']), ...base, nn, ny, yy, nr, rr };
  });
  const [mixed] = await visits.select(
    `WITH ${[relation, ...ctes].join(',\n')},\nvisitor AS (${visitors})\n` +
      "SELECT count(*) AS n FROM (SELECT u FROM visitor WHERE variant <> '' " +
      'GROUP BY u HAVING count(*) > 1) AS m',
  );
  return { arms: arms.filter(({ value: own }) => !NO_VALUE.test(own.trim())), mixed: Number(mixed?.['n'] ?? 0) };
}

const percentText = (share: number) => `${formatNumber(Number((100 * share).toFixed(1)))}%`;

function noteSplit(name: string, arms: readonly Arm[], mixed: number, note: (sentence: string) => void): boolean {
  const mismatch = sampleRatioMismatch(arms);
  const total = arms.reduce((sum, { visitors }) => sum + visitors, 0);
  if (mixed > 0) note(`${formatNumber(mixed, { group: true })} visitors had several values of ${name}; they count in each of them.`);
  if (!mismatch) return false;
  const seen = arms.map(({ value, visitors }) => `${value} ${percentText(visitors / total)}`).join(', ');
  note(
    `Sample ratio mismatch in ${name}: visitors split ${seen}, which a plan of ${mismatch.planned.map(percentText).join(' to ')} makes ` +
      'by chance less than once in 1,000 tests. Something lets one variant lose visitors or records; no winner can be named until it is ' +
      'found.',
  );
  return true;
}

/** The variants of a variable, and the one that is asked about as the sessions hold it; refuses what is no variant of a test. */
async function variantsOf({ name = '', value: wanted }: AskedCondition, outcome: OutcomeSql, visits: Visits, context: PlanContext) {
  const { arms, mixed } = await armsOf(await columnOf({ name, value: wanted }, visits, context), outcome, visits);
  if (arms.length === 0) await requireVisits(visits);
  const seen = arms.map(({ value: own, visitors }) => `${own} (${formatNumber(visitors, { group: true })} visitors)`).slice(0, 8);
  if (arms.length > MOST_VARIANTS)
    refuse(`conditions: ${name} has ${arms.length} values or more, which are no variants of a test: ${seen.join(', ')} …`);
  const value = wanted === undefined ? undefined : (arms.find((arm) => fold(arm.value) === fold(wanted))?.value ?? wanted);
  if (value !== undefined && !arms.some((arm) => arm.value === value))
    refuse(`conditions: no session has ${name} = "${value}"; there are ${seen.join(', ') || 'no values'}.`);
  const reference = referenceOf(arms.filter((arm) => arm.value !== value));
  if (!reference || arms.length < 2)
    return refuse(`conditions: ${name} has ${seen.join(', ') || 'no value'}; a comparison needs two values.`);
  return { arms, mixed, value, reference };
}

/** Compares the variants of a test, which chance gave to visitors: nothing needs to be weighed. */
export async function readExperiment(
  condition: AskedCondition,
  { outcome, hasRevenue }: { readonly outcome: OutcomeSql; readonly hasRevenue: boolean },
  visits: Visits,
  context: PlanContext,
): Promise<ImpactRow[]> {
  const { name = '', over } = condition;
  if (name === '' || over !== undefined) refuse('conditions: variable needs name, and takes value; over is of frustration.');
  const { arms, mixed, value, reference } = await variantsOf(condition, outcome, visits, context);
  const isMismatched = noteSplit(name, arms, mixed, (sentence) => context.note(sentence));
  const compared = value === undefined ? arms.filter((arm) => arm !== reference) : arms.filter(({ value: own }) => own === value);
  const days = visits.days.covered.length;
  return compared.map((arm) => {
    const effect = compareVariant(arm, reference, { variants: compared.length, days });
    const isOpen = effect.verdict === 'within noise' || effect.verdict === 'too few';
    return rowOf({
      condition: `${name} = ${arm.value}, against ${reference.value}`,
      what: 'variable',
      pages: [],
      sessions: arm.sessions,
      comparable: arm.sessions,
      shares: { with: effect.withShare, without: effect.withoutShare, difference: effect.difference },
      plain: effect.difference.value,
      lostCents: hasRevenue ? effect.lostRevenue : undefined,
      verdict: isMismatched ? 'no fair comparison' : effect.verdict,
      more: {
        against: reference.value,
        visitors: arm.visitors,
        againstVisitors: reference.visitors,
        ...(isOpen && effect.moreDays !== undefined && { moreDays: effect.moreDays }),
      },
    });
  });
}
