import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { matchName, type Named, pathOf } from '../domain/names/match-name.ts';
import { refusedName } from './names.ts';

interface Choosing {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly note: (sentence: string) => void;
}

async function projects({ client, signal }: Choosing, renew: boolean): Promise<Named[]> {
  const granted = await client.credential({ signal, renew });
  return granted.projects.map(({ id, name }) => ({ id, path: [name] }));
}

/** The id of the project that an argument names by id or by name, among those of the credential; undefined where none is named. */
export async function chosenProject(text: string | undefined, choosing: Choosing): Promise<number | undefined> {
  if (text === undefined) return undefined;
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
    const id = Number(text);
    if (Number.isSafeInteger(id) && id > 0) return id;
    throw new ApiError('invalid', `projectId: ${text} cannot be an id; expected a whole number above 0, or a name.`);
  }
  let match = await matchName(text, await projects(choosing, false));
  // A project may be newer than what the session has read.
  if ('closest' in match) match = await matchName(text, await projects(choosing, true));
  if (!('found' in match)) throw new ApiError('invalid', `projectId: ${refusedName('project', text, match, 'get_credential')}`);
  choosing.note(`project "${pathOf(match.found)}" = ${match.found.id}`);
  return match.found.id;
}
