import * as z from 'zod';
import { createSpeedEvent, listSpeedEvents } from '../../src/api/operations/speed-analysis.ts';
import { ids, instantOf, text } from '../../src/api/params.ts';
import { inOneSpelling, isEqualEvent } from '../../src/domain/speed/speed-events.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { CREATE, defineTool } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'create_speed_event',
  title: 'Create a speed event',
  description:
    'Mark, note or record a release, rollout or deploy that went live: puts a marker (annotation) on the timeline of scenarios or ' +
    'monitorings.',
  annotations: CREATE,
  searchHint: 'mark a release, annotate a deploy, deployment, go live',
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
  async handler(input, { call, ask, note }) {
    // A look that fails is no reason not to mark the moment.
    const known = await ask(listSpeedEvents, {}).then(
      ({ events }) => events.map(inOneSpelling),
      () => [],
    );
    const { key } = await call(input);
    const equal = known.filter((event) => event.key !== key && isEqualEvent(event, input));
    if (equal.length > 0)
      note(
        `An equal event was there already: ${equal.map((event) => event.key).join(', ')}.` +
          hint('delete_speed_event', ' delete_speed_event removes one of them.'),
      );
    return { key, date: new Date(instantOf(input.date)).toISOString() };
  },
});
