import * as z from 'zod';
import { deleteSpeedEvent } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { differenceWords, eventWords, nearlyEqual } from '../../src/domain/speed/speed-events.ts';
import { hint } from '../../src/lib/hint.ts';
import { DELETE, defineTool } from '../../src/tooling/tool.ts';
import { placedEvents } from '../../src/usecases/speed/placed-events.ts';

export default defineTool({
  name: 'delete_speed_event',
  title: 'Delete a speed event',
  description: 'Remove or take away a wrong marker (annotation) of a release or deploy, for good.',
  annotations: DELETE,
  searchHint: 'remove a release marker, delete an annotation',
  operation: deleteSpeedEvent,
  idsFrom: 'list_speed_events',
  confirmed: true,
  input: z.strictObject({ key: text.describe(`Key${hint('list_speed_events', ' from list_speed_events', ' of the event')}`) }),
  output: z.object({
    key: z.string(),
    text: z.string().optional(),
    date: z.string().optional(),
    scenarios: z.array(z.string()).optional(),
    alike: z.array(z.string()).optional(),
  }),
  async handler(input, context) {
    const events = await placedEvents(context);
    const event = events.find(({ key }) => key === input.key);
    const alike = event ? nearlyEqual(event, events).map((other) => differenceWords(event, other)) : [];
    if (alike.length > 0) context.note(`Nearly equal events, which stay: ${alike.join('; ')}.`);
    const { key } = await context.call(input, event && { warning: eventWords(event) });
    if (!event) return { key };
    const { text: words, date, scenarios } = event;
    return { key, text: words, date, ...(scenarios && { scenarios: [...scenarios] }), ...(alike.length > 0 && { alike }) };
  },
});
