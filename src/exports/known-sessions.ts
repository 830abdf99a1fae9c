import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { ApiError, orUndefined } from '../api/errors.ts';
import type { EnrichmentRecord } from './enrichment/check-enrichments.ts';
import { withData } from './export-data.ts';
import type { ExportContext } from './export-lists.ts';
import { literal } from './query/view-sql.ts';
import { makeDirectory, readJson, WorkspaceError } from './store/disk.ts';

/** Sessions of a batch that are looked for; a batch has few more. */
const MOST_LOOKED_FOR = 500;

/** The condition that finds the session of a record among downloaded rows. */
function conditionOf({ sessionId, userId, sessionNumber }: EnrichmentRecord): string | undefined {
  if (sessionId !== undefined) return `session_id = ${literal(sessionId)}`;
  if (userId === undefined || sessionNumber === undefined) return undefined;
  return `(user_id = ${literal(userId)} AND session_number = ${sessionNumber})`;
}

const NOT_SEEN = 'Whether the platform knows these sessions cannot be seen: no export of sessions is here.';

/** Says how many of the sessions of a batch stand in the downloaded exports. */
export async function knownSessionsWords(records: readonly EnrichmentRecord[], context: ExportContext): Promise<string> {
  const conditions = [...new Set(records.flatMap((record) => conditionOf(record) ?? []))].slice(0, MOST_LOOKED_FOR);
  const quiet = { ...context, note: () => undefined, covers: () => undefined };
  try {
    return await withData({}, quiet, async (data) => {
      if (!data.parts.some(({ view }) => view.name === 'sessions')) return NOT_SEEN;
      const counted = conditions.map((condition) => `(SELECT count(*) > 0 FROM sessions WHERE ${condition})`);
      const { rows } = await data.select(`SELECT ${counted.join(', ')}`, { maxRows: 1, author: 'server' });
      const known = (rows[0] ?? []).filter((cell) => cell === true || cell === 1 || cell === '1').length;
      const rest = known === conditions.length ? '' : '; the others may be of days that are not here, or unknown to the platform';
      return `${known} of ${conditions.length} sessions stand in the downloaded exports${rest}.`;
    });
  } catch (error) {
    if (error instanceof ApiError || error instanceof WorkspaceError) return NOT_SEEN;
    throw error;
  }
}

/** Names that are kept. */
const MOST_KEPT = 500;
const fieldNames = z.array(z.string());

/** Where the names of fields that were sent are kept; undefined where no project is known. */
async function fileOfNames({ workspace }: ExportContext): Promise<string | undefined> {
  const own = await workspace().catch(orUndefined);
  return own && join(own.plansDir, 'enrichment-fields.json');
}

/** The field names of enrichments that were sent from here for a project; none where there is no record of them. */
export async function sentFields(context: ExportContext): Promise<string[]> {
  const file = await fileOfNames(context);
  return (file === undefined ? undefined : await readJson(file, fieldNames)) ?? [];
}

/** Keeps the field names of a batch that was sent; a disk that cannot be written only costs a later warning. */
export async function keepSentFields(sent: readonly string[], context: ExportContext): Promise<void> {
  const file = await fileOfNames(context);
  if (file === undefined) return;
  const all = [...new Set([...(await sentFields(context)), ...sent])].slice(-MOST_KEPT);
  try {
    await makeDirectory(dirname(file));
    await writeFile(file, JSON.stringify(all));
  } catch {
    return;
  }
}
