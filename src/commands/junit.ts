import * as z from 'zod';

/** Rows of check_speed_budgets, all of them. */
const table = z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))) });

type Cells = Record<string, string | number | null | undefined>;

/** Escapes text for XML 1.0, and drops what it has no room for at all. */
function escape(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function element(name: string, attributes: Cells, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(String(value ?? ''))}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>\n${children.join('\n')}\n</${name}>`;
}

function testCase(cells: Cells): string {
  const { scenario, step, metric, status, median, limit, marginPercent, basis, runs } = cells;
  const name = metric === null ? 'reports' : `${step}: ${metric}`;
  const attributes = { classname: scenario, name };
  if (status === 'passed') return element('testcase', attributes);
  if (status !== 'broken') return element('testcase', attributes, [element('error', { message: 'no run without failure has a value' })]);
  const message = `${metric} of step "${step}" is ${median}, limit ${limit} (${basis}), ${marginPercent} % left, median of ${runs} runs`;
  return element('testcase', attributes, [element('failure', { type: 'budget', message })]);
}

/** A JUnit report: a suite for each scenario, a case for each budget; what was not measured is an error. */
export function junitReport(answer: unknown): string {
  const { columns, rows } = table.parse(answer);
  const records = rows.map((row): Cells => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  const count = (some: readonly Cells[], status: string) => some.filter((cells) => cells['status'] === status).length;
  const countsOf = (some: readonly Cells[]) => ({
    tests: some.length,
    failures: count(some, 'broken'),
    errors: count(some, 'not measured'),
  });
  const suites = [...new Set(records.map(({ scenarioId }) => scenarioId))].map((id) => {
    const own = records.filter(({ scenarioId }) => scenarioId === id);
    return element('testsuite', { name: own[0]?.['scenario'], ...countsOf(own) }, own.map(testCase));
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'speed budgets', ...countsOf(records) }, suites)}`;
}
