import * as z from 'zod';
import type { Operation } from '../api/operation.ts';
import { onlyOf } from '../domain/names/match-name.ts';
import type { ToolName } from '../lib/tool-name.ts';
import { onlyThis } from './params.ts';
import { READ, type Tool } from './tool.ts';

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
    input: z.strictObject({ ...tool.input, ...(only !== '' && { [only]: onlyThis }) }),
    output: z.object({ [member]: tool.operation.payload }),
    async handler({ [only]: wanted, ...input }, { call, note }) {
      const payload = await call(input);
      return { [member]: Array.isArray(payload) && typeof wanted === 'string' ? onlyOf(only, wanted, payload, note) : payload };
    },
  };
}
