import * as z from 'zod';
import { ApiError } from '../../src/api/errors.ts';
import { deleteSpeedEvent, listSpeedEvents } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { hint } from '../../src/lib/hint.ts';
import { withScenarios } from '../../src/speed/placed-events.ts';
import { eventWords } from '../../src/speed/speed-events.ts';
import { DELETE, defineTool } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'delete_speed_event',
  title: 'Delete a speed event',
  description: 'Remove, delete or take away a wrong marker or note (annotation) of deploys.',
  annotations: DELETE,
  searchHint: 'erase, mistake, get rid of release marker',
  operation: deleteSpeedEvent,
  idsFrom: 'list_speed_events',
  confirmed: true,
  input: z.strictObject({ key: text.describe(`Event key${hint('list_speed_events', ' (list_speed_events)')}`) }),
  output: z.object({
    key: z.string(),
    text: z.string().optional(),
    date: z.string().optional(),
    scenarios: z.array(z.string()).optional(),
  }),
  async handler(input, context) {
    const { events } = await context.ask(listSpeedEvents, { key: input.key }, { fresh: true });
    const [event] = await withScenarios(
      events.filter(({ key }) => key === input.key),
      context,
    );
    if (!event) throw new ApiError('missing', `There is no speed event with the key "${input.key.slice(0, 100)}".`);
    const { key } = await context.call(input, { question: `Delete the speed event ${eventWords(event)}? It cannot be restored.` });
    const { text: words, date, scenarios } = event;
    return { key, text: words, date, ...(scenarios && { scenarios: [...scenarios] }) };
  },
});
