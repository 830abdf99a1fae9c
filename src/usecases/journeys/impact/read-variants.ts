import { refuse } from '../../../api/errors.ts';
import type { AskedCondition } from '../../../domain/journeys/impact/conditions.ts';
import { type Arm, compareVariant, referenceOf, sampleRatioMismatch } from '../../../domain/journeys/impact/experiment.ts';
import { type ImpactRow, rowOf } from '../../../domain/journeys/impact/impact-answer.ts';
import { fold } from '../../../domain/names/match-name.ts';
import { formatNumber } from '../../../lib/number-text.ts';
import { identifier } from '../../../workspace/query/view-sql.ts';
import { type ExportContext, readVariables } from '../../exports/export-lists.ts';
import { NO_VALUE } from '../../exports/no-value.ts';
import { listed, requireVisits, textOf } from '../held-values.ts';
import { isVariable, missingVariable, requireListed, type Variable } from '../missing-data.ts';
import { visitRelation } from '../visit-relation.ts';
import type { VisitScope, Visits } from '../visits.ts';
import { conversionSql, goalColumn, type Outcome, salesColumns } from './outcome.ts';

/** More values than this are no variants of a test. */
const MOST_VARIANTS = 12;

interface FoundVariable {
  readonly scope: VisitScope;
  readonly column: string;
}

/** The column that holds a variable: by the name of the column, or of a variable of the project. */
async function variableColumn({ name = '', value }: AskedCondition, visits: Visits, context: ExportContext): Promise<FoundVariable> {
  // On days that lack the column no session has a value.
  const found = (names: readonly string[]) =>
    (['sessions', 'views'] as const)
      .flatMap((scope) => visits.columns(scope).map((column) => ({ scope, column })))
      .flatMap(({ scope, column }): FoundVariable[] =>
        names.some((each) => isVariable(column, each)) ? [{ scope, column: identifier(column) }] : [],
      )[0];
  const direct = found([name, `custom_var_${name}`, `dynamic_var_${name}`]);
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

/** Sums by variant over visitors, of sessions with a value, and how many visitors have several. */
async function armsOf({ scope, column }: FoundVariable, outcome: Outcome, visits: Visits): Promise<{ arms: Arm[]; mixed: number }> {
  const value = `coalesce(toString(${column}), '')`;
  const isOfSessions = scope === 'sessions';
  const relation = visitRelation(visits, {
    visit: { ...salesColumns(outcome, visits), ...(isOfSessions && { variant: value }) },
    page: { goal: goalColumn(outcome, visits), ...(!isOfSessions && { variant: value }) },
  });
  const ofSeen = isOfSessions ? '' : ', max(variant) AS variant';
  const seen = `SELECT k AS k_seen, count(*) AS views, max(goal) AS goal_n${ofSeen} FROM seen GROUP BY k`;
  const ofViews = isOfSessions && outcome.kind === 'purchase' ? '' : ` JOIN (${seen}) AS x ON v.k = x.k_seen`;
  // No sum has the name of what it sums, which ClickHouse would take for the sum.
  const sums = { sessions: 'n', conversions: 'y', revenue: 'r', nn: 'n * n', ny: 'n * y', yy: 'y * y', nr: 'n * r', rr: 'r * r' };
  const columns = Object.entries(sums).map(([name, sum]) => `sum(${sum}) AS ${name}`);
  const several = "SELECT u FROM visitor WHERE variant <> '' GROUP BY u HAVING count(*) > 1";
  const rows = await visits.select(
    `WITH ${relation},\nsold AS (SELECT u, variant, ${conversionSql(outcome, true)} AS sold, cents FROM visit AS v${ofViews}),\n` +
      'visitor AS (SELECT u, variant, count(*) AS n, sum(sold) AS y, sum(1.0 * cents) AS r FROM sold GROUP BY u, variant)\n' +
      `SELECT variant, count(*) AS visitors, ${columns.join(', ')}, (SELECT count(*) FROM (${several}) AS m) AS mixed FROM visitor ` +
      'GROUP BY variant ORDER BY visitors DESC, variant LIMIT 200',
  );
  const arms = rows.map((row) => {
    const numbers = Object.fromEntries(['visitors', ...Object.keys(sums)].map((name) => [name, Number(row[name])]));
    return { ...(numbers as unknown as Omit<Arm, 'value'>), value: textOf(row['variant']) }; // these very names
  });
  return { arms: arms.filter((arm) => !NO_VALUE.test(arm.value.trim())), mixed: Number(rows[0]?.['mixed'] ?? 0) };
}

const percentText = (share: number) => `${formatNumber(Number((100 * share).toFixed(1)))}%`;

function noteSplit(name: string, arms: readonly Arm[], mixed: number, note: (sentence: string) => void): boolean {
  const planned = sampleRatioMismatch(arms);
  const total = arms.reduce((sum, { visitors }) => sum + visitors, 0);
  if (mixed > 0) note(`${formatNumber(mixed, { group: true })} visitors had several values of ${name}; they count in each of them.`);
  if (!planned) return false;
  const seen = arms.map(({ value, visitors }) => `${value} ${percentText(visitors / total)}`).join(', ');
  note(
    `Sample ratio mismatch in ${name}: visitors split ${seen}, which a plan of ${planned.map(percentText).join(' to ')} makes ` +
      'by chance less than once in 1,000 tests. Something lets one variant lose visitors or records; no winner can be named until it is ' +
      'found.',
  );
  return true;
}

/** Compares the variants of a test, which chance gave to visitors: nothing needs to be weighed. Refuses what is no variant of a test. */
export async function readVariants(
  condition: AskedCondition,
  outcome: Outcome,
  hasRevenue: boolean,
  visits: Visits,
  context: ExportContext,
): Promise<ImpactRow[]> {
  const { name = '', value: wanted } = condition;
  const { arms, mixed } = await armsOf(await variableColumn(condition, visits, context), outcome, visits);
  if (arms.length === 0) await requireVisits(visits);
  const seen = listed(
    arms.map((arm) => ({ name: arm.value, count: arm.visitors })),
    8,
  );
  if (arms.length > MOST_VARIANTS)
    refuse(`conditions: ${name} has ${arms.length} values or more, which are no variants of a test: ${seen}`);
  const value = wanted === undefined ? undefined : arms.find((arm) => fold(arm.value) === fold(wanted))?.value;
  if (wanted !== undefined && value === undefined)
    refuse(`conditions: no session has ${name} = "${wanted}"; there are ${seen || 'no values'}.`);
  const reference = referenceOf(arms.filter((arm) => arm.value !== value));
  if (!reference || arms.length < 2) return refuse(`conditions: ${name} has ${seen || 'no value'}; a comparison needs two values.`);
  const isMismatched = noteSplit(name, arms, mixed, (sentence) => context.note(sentence));
  const compared = value === undefined ? arms.filter((arm) => arm !== reference) : arms.filter((arm) => arm.value === value);
  return compared.map((arm) => {
    const { effect, verdict, moreDays } = compareVariant(arm, reference, { variants: compared.length, days: visits.days.covered.length });
    const isOpen = verdict === 'within noise' || verdict === 'too few';
    const row = rowOf(effect, hasRevenue, {
      condition: `${name} = ${arm.value}, against ${reference.value}`,
      what: 'variable',
      pages: [],
      verdict: isMismatched ? 'no fair comparison' : verdict,
    });
    return {
      ...row,
      against: reference.value,
      visitors: arm.visitors,
      againstVisitors: reference.visitors,
      moreDays: isOpen ? moreDays : undefined,
    };
  });
}
