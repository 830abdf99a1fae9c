import * as z from 'zod';
import { createSpeedEvent, listSpeedEvents } from '../../src/api/operations/speed-analysis.ts';
import { ids, instantOf, text } from '../../src/api/params.ts';
import { hint } from '../../src/lib/hint.ts';
import { inOneSpelling, isEqualEvent } from '../../src/speed/speed-events.ts';
import * as p from '../../src/tooling/params.ts';
import { CREATE, defineTool } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'create_speed_event',
  title: 'Create a speed event',
  description:
    'Mark, note, log or record a release, rollout, deployment, campaign start or go live: put a marker (annotation) into ' +
    'the timeline or chart of scenarios or monitorings.',
  annotations: CREATE,
  searchHint: 'annotate, deployment, remember, keep track, migration',
  operation: createSpeedEvent,
  idsFrom: 'list_speed_events',
  input: z.strictObject({
    key: text.describe('Identifying key'),
    text: text.describe('Label on the chart'),
    date: p.momentOf('Instant, e.g. now'),
    monitorings: ids.describe('Monitoring ids (console)').optional(),
    scenarios: p.refs('scenario', 'Ids or names').optional(),
  }),
  output: z.object({ key: z.string(), date: z.string() }),
  async handler(input, { call, ask, note }) {
    // A look that fails is no reason not to mark the moment.
    const known = await ask(listSpeedEvents, {}).then(
      ({ events }) => events.map(inOneSpelling),
      () => [],
    );
    const { key } = await call(input);
    const places = [...(input.scenarios ?? []).map((id) => `scenario ${id}`), ...(input.monitorings ?? []).map((id) => `monitoring ${id}`)];
    note(
      places.length > 0
        ? `Created "${input.text}" on ${places.join(', ')}.`
        : `Created "${input.text}" on no scenario or monitoring: the chart of none shows it. An event cannot be changed` +
            hint('delete_speed_event', `; delete_speed_event {"key":"${key}"} removes it`) +
            ', and one with scenarios takes its place.',
    );
    const equal = known.filter((event) => event.key !== key && isEqualEvent(event, input));
    if (equal.length > 0)
      note(
        `An equal event was there already: ${equal.map((event) => event.key).join(', ')}.` +
          hint('delete_speed_event', ' delete_speed_event removes one of them.'),
      );
    return { key, date: new Date(instantOf(input.date)).toISOString() };
  },
});
