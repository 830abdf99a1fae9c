import { matchName, type Named, pathOf } from '../analysis/names.ts';
import type { CallInput } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ask, listingTools, loaders } from './catalogues.ts';
import type { NameKind } from './params.ts';

const LIFE_MS = 10 * 60_000;
/** A name that is not found is looked up afresh when the list is older than this: it may be new. */
const FRESH_MS = 5_000;

/** Looks names up in the lists of one session, each fetched once while it lives. */
export interface Names {
  /** The one object that `text` names; throws an `invalid` error that lists the candidates. */
  find(kind: NameKind, text: string, projectId: number, ask: Ask): Promise<Named>;
  /** Forgets all lists, after a write that changes one. */
  forget(): void;
}

interface Entry {
  readonly atMs: number;
  readonly answer: Promise<unknown>;
}

/** Lists are kept per project in memory, at most until the session ends. */
export function createNames(clock: Clock): Names {
  const lists = new Map<string, Entry>();

  function cached(projectId: number, ask: Ask, maxAgeMs: number): Ask {
    return <T extends Operation>(operation: T, input: CallInput<T>) => {
      const key = `${projectId} ${operation.path} ${JSON.stringify(input)}`;
      const known = lists.get(key);
      const ageMs = known ? clock.now() - known.atMs : Number.POSITIVE_INFINITY;
      if (known && ageMs >= 0 && ageMs < maxAgeMs) return known.answer as Promise<PayloadOf<T>>;
      const answer = ask(operation, input);
      lists.set(key, { atMs: clock.now(), answer });
      answer.catch(() => lists.get(key)?.answer === answer && lists.delete(key));
      return answer;
    };
  }

  async function lookUp(kind: NameKind, text: string, ask: Ask) {
    const load = (other: NameKind): Promise<readonly Named[]> => loaders[other](ask, load, text);
    return matchName(text, await load(kind));
  }

  return {
    async find(kind, text, projectId, ask) {
      let match = await lookUp(kind, text, cached(projectId, ask, LIFE_MS));
      if ('closest' in match) match = await lookUp(kind, text, cached(projectId, ask, FRESH_MS));
      if ('found' in match) return match.found;
      throw new ApiError('invalid', words(kind, text, match));
    },
    forget: () => lists.clear(),
  };
}

function words(kind: NameKind, text: string, match: { several: readonly Named[] } | { closest: readonly Named[] }): string {
  const listed = (objects: readonly Named[]) => objects.slice(0, 12).map((object) => `${object.id} "${pathOf(object)}"`).join(', '); // biome-ignore format: one thought
  if ('several' in match) {
    const more = match.several.length > 12 ? ` and ${match.several.length - 12} more` : '';
    return `"${text}" fits ${match.several.length} ${kind}s: ${listed(match.several)}${more}. Pass the id${kind === 'zone' ? ' or a longer path' : ''}.`;
  }
  if (match.closest.length === 0) return `there is no ${kind} "${text}"; ${listingTools[kind]} lists them.`;
  return `there is no ${kind} "${text}". Closest: ${listed(match.closest)}. Pass the id or the exact name.`;
}
