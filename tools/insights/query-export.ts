import * as z from 'zod';
import { members } from '../../src/lib/members.ts';
import { exportQuery } from '../../src/resources/exports.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'query_export',
  title: 'Query an export',
  description:
    'SQL query (SELECT; DuckDB or ClickHouse) of exported, downloaded raw data, sessions and views; columns, schema, ' +
    'tables. How many unique users or people, who saw which error messages, top, most viewed pages, the number of ' +
    'sessions per user, rage clicks, scroll depth, by browser, operating system, referrer, UTM campaign, country or ' +
    'city.',
  annotations: READ,
  searchHint: 'own analysis, count, group, select, distinct, landing pages, repeat buyers, most viewed pages, number of, browsers, tables',
  scope: 'data-export',
  input: z.strictObject({
    jobId: p.ref('export job', 'One job: view data').optional(),
    jobIds: p.refs('export job', 'Several jobs: views sessions, views; default all').optional(),
    sql: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe('e.g. SELECT browser_name, count(*) FROM sessions GROUP BY ALL; without: columns, examples')
      .optional(),
    limit: z.int().min(1).max(1000).describe('Rows, default 100').optional(),
  }),
  output: z.object({
    /** Where days that were asked for are not in the data. */
    answer: z.string().optional(),
    jobId: z.number().optional(),
    job: z.string().optional(),
    jobs: z.array(z.object({ jobId: z.number(), job: z.string() })).optional(),
    ...members(z.string().optional(), 'dialect', 'scope', 'format'),
    ...members(z.number().optional(), 'runs', 'rowCount'),
    ...members(z.array(z.string()).optional(), 'covered', 'gaps'),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.unknown())),
    units: z.record(z.string(), z.string()).optional(),
    currency: z.string().optional(),
    examples: z.array(z.object({ question: z.string(), sql: z.string() })).optional(),
    uri: z.string().optional(),
  }),
  charted: true,
  async handler({ sql, limit, ...asked }, context) {
    const { describeExport, queryExport } = await import('../../src/exports/query-export.ts');
    if (sql === undefined) return describeExport(asked, context);
    const { types, resultId, rowsRead, drawnRows, drawnDays, ...answer } = await queryExport({ ...asked, sql, limit }, context);
    context.draw(async () =>
      (await import('../../src/views/from-rows.ts')).chartOfRows({ ...answer, rows: drawnRows, drawnDays, types }, 'UTC'),
    );
    if (resultId === undefined) return answer;
    const at = { projectId: await context.projectId(), queryId: resultId };
    const title = `${answer.rowCount === undefined ? 'The first' : 'All'} ${rowsRead} rows`;
    return { ...answer, uri: context.link(exportQuery, at, title) };
  },
});
