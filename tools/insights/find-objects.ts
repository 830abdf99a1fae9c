import * as z from 'zod';
import { recordId } from '../../src/api/operations/records.ts';
import { text } from '../../src/api/params.ts';
import { everydayWords } from '../../src/exports/plan/resolve-fields.ts';
import { meaningOf } from '../../src/exports/query/columns.ts';
import { ofAnswer } from '../../src/lib/note-mark.ts';
import { findObjects, objectKinds } from '../../src/names/find-objects.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

const DEFAULT_LIMIT = 12;
const fieldWords = (name: string) => [meaningOf(name) ?? '', ...everydayWords(name)];

export default defineAnsweringTool({
  name: 'find_objects',
  title: 'Find objects',
  description:
    'Search for something by name or partial name: is there a segment, audience, goal, mapping, page group, zoning, zone ' +
    '(button), scenario, export job or field called or named so? Look up its id; typos allowed.',
  annotations: READ,
  searchHint: 'lookup, id by name, partial name, zones, called something',
  scope: 'metrics',
  input: z.strictObject({
    text: text.describe('Name, part or path words'),
    kinds: z.array(z.enum(objectKinds)).min(1).describe('Default all').optional(),
    limit: z.int().min(1).max(100).describe('Rows, default 12').optional(),
  }),
  output: z.object({
    objects: z.array(z.object({ kind: z.string(), id: recordId, path: z.string(), changed: z.string().optional() })),
  }),
  async handler({ text: wanted, kinds = objectKinds, limit = DEFAULT_LIMIT }, context) {
    const { found, searched } = await findObjects(wanted, [...new Set(kinds)], { ...context, fieldWords });
    const total = [...searched.values()].reduce((sum, count) => sum + count, 0);
    if (found.length === 0)
      context.note(
        ofAnswer(
          `Nothing resembles "${wanted}" among ${total} objects (${[...searched].map(([kind, count]) => `${kind} ${count}`).join(', ')}).`,
        ),
      );
    if (found.length > limit) context.note(ofAnswer(`The best ${limit} of ${found.length}; pass kinds or limit for others.`));
    return {
      objects: found.slice(0, limit).map(({ kind, id, path, changedAt }) => ({
        kind,
        id,
        path: path.join(' / '),
        ...(changedAt && { changed: changedAt.slice(0, 10) }),
      })),
    };
  },
});
