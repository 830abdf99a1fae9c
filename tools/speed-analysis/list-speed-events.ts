import * as z from 'zod';
import { speedEvent } from '../../src/api/operations/records.ts';
import { listSpeedEvents } from '../../src/api/operations/speed-analysis.ts';
import { instantOf, text } from '../../src/api/params.ts';
import { beyond, isWithin } from '../../src/speed/date-bounds.ts';
import { withScenarios } from '../../src/speed/placed-events.ts';
import { inOneSpelling, type PlacedEvent } from '../../src/speed/speed-events.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_speed_events',
  title: 'List speed events',
  description: 'When did we last deploy? History of marked releases, rollouts, deployments (markers, annotations): key, text, date.',
  annotations: READ,
  searchHint: 'deployed, release dates, events marked',
  operation: listSpeedEvents,
  input: z.strictObject({
    key: text.describe('Event key').optional(),
    dateFrom: p.startOf('First day').optional(),
    monitoringId: z.int().positive().describe('Monitoring id (console)').optional(),
    scenarioId: p.ref('scenario').optional(),
  }),
  output: z.object({ events: z.array(speedEvent.extend({ scenarios: z.array(z.string()).optional() })) }),
  async handler(input, context) {
    const answer = await context.call({ ...input, ...beyond(input) });
    // One whose date cannot be read is shown: it may be meant.
    const events = answer.events.filter(({ date }) => isWithin(instantOf(date ?? ''), input));
    // Of one scenario that is known already, and each other one would be a request.
    const placed: PlacedEvent[] = input.scenarioId === undefined ? await withScenarios(events, context) : events.map(inOneSpelling);
    return { events: placed.map(({ scenarios, ...event }) => ({ ...event, ...(scenarios && { scenarios: [...scenarios] }) })) };
  },
});
