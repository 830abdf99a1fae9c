import * as z from 'zod';
import { createSpeedEvent } from '../../src/api/operations/speed-analysis.ts';
import { ids, text } from '../../src/api/params.ts';
import * as p from '../../src/tooling/params.ts';
import { CREATE, defineTool } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'create_speed_event',
  title: 'Create a speed event',
  description: 'Marks a moment, such as a release, on scenarios or monitorings.',
  annotations: CREATE,
  operation: createSpeedEvent,
  idsFrom: 'list_speed_events',
  input: z.strictObject({
    key: text.describe('Key that identifies it'),
    text: text.describe('What happened'),
    date: p.momentOf('When; e.g. now'),
    monitorings: ids.describe('Monitoring ids from the console').optional(),
    scenarios: p.refs('scenario', 'Scenario ids or names').optional(),
  }),
  output: z.object({ key: z.string(), date: z.string() }),
  async handler(input, { call }) {
    const { key } = await call(input);
    return { key, date: input.date };
  },
});
