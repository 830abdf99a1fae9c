import * as z from 'zod';
import { deleteSpeedEvent } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { DELETE, defineTool } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'delete_speed_event',
  title: 'Delete a speed event',
  description: 'Deletes an event of speed analysis for good.',
  annotations: DELETE,
  operation: deleteSpeedEvent,
  idsFrom: 'list_speed_events',
  confirmed: true,
  input: z.strictObject({ key: text.describe('Key from list_speed_events') }),
  output: z.object({ key: z.string() }),
  async handler(input, { call }) {
    const { key } = await call(input);
    return { key };
  },
});
