import { ApiError } from '../api/errors.ts';
import { listCustomVariables, listDynamicVariableKeys, listExportableFields } from '../api/operations/data-export.ts';
import { listScenarioReports, listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { hint } from '../lib/hint.ts';
import type { Context, Lists } from './context.ts';
import { type NameKind, nameKinds, type SearchObject, searchObjects, searchSomeWords } from './match-name.ts';
import { isAppZone } from './zone-kind.ts';

/** All that can be searched. */
export const objectKinds = [
  ...nameKinds,
  'exportable field',
  'custom variable',
  'dynamic variable',
  'speed event',
  'custom timing',
] as const;
/** A kind of object that can be found by name. */
export type ObjectKind = (typeof objectKinds)[number];

/** Everyday words for a field of exports. */
type FieldWords = (name: string) => readonly string[];

/** Scopes of the exportable fields that are publicly known. */
const FIELD_SCOPES = ['sessions', 'views'];

async function exportableFields({ ask }: Lists, wordsOf: FieldWords): Promise<SearchObject[]> {
  const lists = await Promise.all(FIELD_SCOPES.map(async (scope) => ({ scope, fields: await ask(listExportableFields, { scope }) })));
  return lists.flatMap(({ scope, fields }) =>
    fields.map(({ name, description, aliases }) => ({
      kind: 'exportable field',
      id: name,
      path: [scope, name],
      words: ['exportable field', description ?? '', ...(aliases ?? []), ...wordsOf(name)].join(' '),
    })),
  );
}

/** Values of a variable that are searched; a variable may have very many. */
const MOST_VALUES = 500;

/** Custom variables by their key and by each of their values. */
async function customVariables({ ask }: Lists): Promise<SearchObject[]> {
  const kind = 'custom variable';
  return (await ask(listCustomVariables, {})).flatMap(({ position, key, values }) => {
    const path = [key ?? `position ${position}`];
    const valued = (values ?? []).slice(0, MOST_VALUES).map((value) => ({ kind, id: position, path: [...path, value], words: kind }));
    return [{ kind, id: position, path, words: kind }, ...valued];
  });
}

async function dynamicVariables({ ask }: Lists): Promise<SearchObject[]> {
  const kind = 'dynamic variable';
  return (await ask(listDynamicVariableKeys, {})).map(({ key, type }) => ({ kind, id: key, path: [key], words: `${kind} ${type ?? ''}` }));
}

async function speedEvents({ ask }: Lists): Promise<SearchObject[]> {
  const kind = 'speed event';
  return (await ask(listSpeedEvents, {})).events.map(({ key, text, date }) => ({
    kind,
    id: key,
    path: [text ? text : key],
    words: `${kind} ${key}`,
    ...(date && { changedAt: date }),
  }));
}

/** Scenarios whose latest report is read for the names of its custom timings; calls to speed analysis go one at a time. */
const MOST_SCENARIOS = 10;

/** Custom timings of the latest report of each scenario; the id is the name that `metrics` takes. */
async function customTimings({ of, ask }: Lists): Promise<SearchObject[]> {
  const kind = 'custom timing';
  const scenarios = (await of('scenario')).slice(0, MOST_SCENARIOS);
  const read = await Promise.all(
    scenarios.map(async ({ id, path }) => ({
      path,
      reports: (await ask(listScenarioReports, { scenarioId: id, limit: 1 })).scenario.reports,
    })),
  );
  return read.flatMap(({ path, reports }) =>
    reports.flatMap(({ steps }) =>
      (steps ?? []).flatMap((step) =>
        (step.customTimings ?? []).flatMap(({ name }) =>
          name ? [{ kind, id: name, path: [...path, step.name ?? '', name], words: `${kind} metric` }] : [],
        ),
      ),
    ),
  );
}

/** Kinds of objects that no argument names, each with its own listing. */
const otherKinds: Readonly<Record<Exclude<ObjectKind, NameKind>, (lists: Lists, wordsOf: FieldWords) => Promise<SearchObject[]>>> = {
  'exportable field': exportableFields,
  'custom variable': customVariables,
  'dynamic variable': dynamicVariables,
  'speed event': speedEvents,
  'custom timing': customTimings,
};

const isOtherKind = (kind: ObjectKind): kind is keyof typeof otherKinds => kind in otherKinds;

async function objectsOf(kind: ObjectKind, lists: Lists, wordsOf: FieldWords, onPart: (words: string) => void): Promise<SearchObject[]> {
  if (isOtherKind(kind)) return otherKinds[kind](lists, wordsOf);
  return (await lists.of(kind, onPart)).map((object) => ({ kind, words: kind, ...object }));
}

/** An object as the search shows it. */
export interface FoundObject {
  readonly found: readonly SearchObject[];
  /** Objects that were searched, by kind. */
  readonly searched: ReadonlyMap<ObjectKind, number>;
}

type FindObjectsContext = Pick<Context, 'lists' | 'zonesElsewhere' | 'note' | 'progress' | 'signal' | 'nowMs'> & {
  readonly fieldWords: FieldWords;
};

/** Says whether zones that were found have metrics, which only those of an app have. */
async function noteZoneKind(found: readonly SearchObject[], ask: Lists['ask'], { note, nowMs }: FindObjectsContext): Promise<void> {
  const zone = found.find(({ kind }) => kind === 'zone');
  if (!zone) return;
  const isOfApp = await isAppZone(Number(zone.id), { ask, nowMs });
  if (isOfApp === undefined) return;
  note(
    isOfApp
      ? `Zones here are of an app${hint('query_metrics', ': query_metrics takes them as zoneIds')}.`
      : 'Zones here are of web pages and have no metrics in this interface; those of an app lie in a project of its own.',
  );
}

/**
 * Searches all objects of these kinds in the session's lists. Kinds that cannot be listed are noted and left out; throws where none can.
 */
export async function findObjects(text: string, kinds: readonly ObjectKind[], context: FindObjectsContext): Promise<FoundObject> {
  const { lists, note, progress, signal, fieldWords } = context;
  const known = await lists();
  const searched = new Map<ObjectKind, number>();
  const failures = new Map<string, { kinds: ObjectKind[]; error: ApiError }>();
  // Each kind below reports the same part; the last report has come furthest.
  const parts = new Map<string, string>();
  let done = 0;
  const list = async (kind: ObjectKind): Promise<readonly SearchObject[]> => {
    try {
      const listed = await objectsOf(kind, known, fieldWords, (words) => parts.set(words.replace(/\d+/g, ''), words));
      searched.set(kind, listed.length);
      return listed;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const failure = failures.get(error.message) ?? { kinds: [], error };
      failure.kinds.push(kind);
      failures.set(error.message, failure);
      return [];
    } finally {
      done += 1;
      progress(done, kinds.length, `${done} of ${kinds.length} kinds of objects listed`);
    }
  };
  // In the order of the kinds, whichever is listed first: what resembles the text as much as another keeps its place.
  const objects = (await Promise.all(kinds.map(list))).flat();
  signal.throwIfAborted();
  const [first] = failures.values();
  if (first && searched.size === 0) throw first.error;
  for (const { kinds: failed, error } of failures.values()) note(`Not searched: ${failed.join(', ')}. ${error.message}`);
  if (parts.size > 0)
    note(
      `Searched so far: ${[...parts.values()].join(', ')}. The others are being listed: call again in half a minute to search more ` +
        'of them.',
    );
  const found = await searchObjects(objects, text);
  await noteZoneKind(found, known.ask, context);
  if (found.length > 0) return { found, searched };
  const elsewhere = kinds.includes('zone') ? await context.zonesElsewhere(text) : '';
  if (elsewhere !== '') note(elsewhere);
  const some = searchSomeWords(objects, text);
  if (some.length > 0) note(`No object has all words of "${text}"; these have some of them.`);
  return { found: some, searched };
}
