import * as z from 'zod';
import { ApiError } from '../api/errors.ts';
import type { Operation } from '../api/operation.ts';
import { hint } from '../lib/hint.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import type { ToolName } from '../lib/tool-name.ts';
import { apartSentence, goalWords, withWayOn } from '../metrics/fetch-metrics.ts';
import { definitionOf } from '../metrics/metric-definitions.ts';
import { metricTable } from '../metrics/metric-table.ts';
import { onlyOf } from '../names/match-name.ts';
import * as p from './params.ts';
import { READ, type Tool } from './tool.ts';

/** One compact table; null where the platform gave no value. */
export const tableOutput = z.object({
  ...p.table,
  units: z.record(z.string(), z.string()),
  currency: z.string().optional(),
  /** The filters of the numbers, as sent. */
  filters: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.number())])),
});

const SIDE_BY_SIDE = `${hint('query_metrics', 'compareSegments of query_metrics puts', 'one call each puts')} them side by side`;

/** An endpoint of metrics; that of a single one says which. */
type MetricOperation = Operation<z.ZodObject, z.ZodType<{ values: Parameters<typeof metricTable>[0] }>> & { readonly metric?: string };

interface MetricTool {
  readonly name: string;
  readonly title: string;
  readonly operation: MetricOperation;
  /** Left out: the words of the metric that the operation answers. */
  readonly description?: string;
}

/** Parameters that some of the endpoints take beside range, device and segments. */
const SOME_TAKE = { zoneId: p.zoneId, period: p.period, goalId: p.goalId };

/** A tool over one metrics endpoint: the parameters that its operation takes, and the answer as one table. */
export function defineMetricTool(tool: MetricTool): Tool<MetricOperation, z.ZodObject, typeof tableOutput> {
  const {
    input: { shape },
    metric = '',
  } = tool.operation;
  const more = Object.fromEntries(Object.entries(SOME_TAKE).filter(([name]) => Object.hasOwn(shape, name)));
  return {
    description: definitionOf(metric)?.words ?? '',
    ...tool,
    // Values of zones may be corrected for a week.
    ...(Object.hasOwn(shape, 'zoneId') && { idsFrom: 'list_zones' as const, provisionalDays: 7 }),
    annotations: READ,
    searchHint: `${tool.title.toLowerCase()} of one range`,
    input: z.strictObject({ startDate: p.startDate, endDate: p.endDate, ...more, device: p.device, segmentIds: p.segmentIds }),
    output: tableOutput,
    async handler(input, { call, timeZone, note, lists }) {
      const { values } = await call(input).catch(async (error: unknown) => {
        if (!(error instanceof ApiError && error.kind === 'invalid' && /goalId is required/i.test(error.message))) throw withWayOn(error);
        throw new ApiError('invalid', await goalWords([tool.title], 'goalId', await lists()), { cause: error });
      });
      const { device = 'all', ...table } = metricTable(values, { timeZone });
      const chosen = Array.isArray(input.segmentIds) ? input.segmentIds.map(Number) : [];
      // Rates have no value where there are no visits; only a count of them says so.
      const counts = values.filter(({ name }) => name === 'visits').map(({ value: visits }) => ({ values: { visits } }));
      const apart = chosen.length > 1 ? apartSentence(chosen, counts, await lists(), SIDE_BY_SIDE) : undefined;
      if (apart !== undefined) note(ofAnswer(apart));
      if (values.length === 0) note('The platform answered no values for this range.');
      const { startDate: _start, endDate: _end, period: _period, ...filters } = input;
      return { ...table, filters: { device, ...filters } };
    },
  };
}

type RecordOperation = Operation<z.ZodObject, z.ZodType<object>>;

interface RecordTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly searchHint: string;
  readonly operation: RecordOperation;
  readonly idsFrom?: ToolName;
  readonly input: z.ZodRawShape;
  /** The name of the payload in the answer. */
  readonly member: string;
  /** A member of the records that the list can be narrowed by. */
  readonly only?: string;
}

/** A tool that answers with what its operation gives. */
export function defineRecordTool({ member, only = '', ...tool }: RecordTool): Tool<RecordOperation> {
  return {
    ...tool,
    annotations: READ,
    input: z.strictObject({ ...tool.input, ...(only !== '' && { [only]: p.onlyThis }) }),
    output: z.object({ [member]: tool.operation.payload }),
    async handler({ [only]: wanted, ...input }, { call, note }) {
      const payload = await call(input);
      return { [member]: Array.isArray(payload) && typeof wanted === 'string' ? onlyOf(only, wanted, payload, note) : payload };
    },
  };
}
