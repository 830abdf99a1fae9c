import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { allPages } from '../api/all-pages.ts';
import type { Ask } from '../api/client.ts';
import { listExportJobs } from '../api/operations/data-export.ts';
import { listGoals, listMappings, listPageGroups, listSegments, listZones, listZonings } from '../api/operations/objects.ts';
import { listScenarios } from '../api/operations/speed-analysis.ts';
import type { ToolName } from '../lib/tool-name.ts';
import { fold, type Named, type NameKind, stepsOf } from '../names/match-name.ts';

interface ListedRow {
  id?: number | string | null | undefined;
  name?: string | null | undefined;
  updatedAt?: string | null | undefined;
  /** The date of the last change as zonings name it. */
  lastUpdatedAt?: string | null | undefined;
}

/** Candidates below `container`, called by their id where they have no name; an id beyond 2^53 cannot be a parameter and is left out. */
function named(rows: readonly ListedRow[], container: readonly string[] = []): Named[] {
  return rows
    .filter((row): row is ListedRow & { id: number } => typeof row.id === 'number')
    .map(({ id, name, updatedAt, lastUpdatedAt }) => {
      const changedAt = updatedAt ?? lastUpdatedAt;
      return { id, path: [...container, name ?? String(id)], ...(changedAt && { changedAt }) };
    });
}

async function allExportJobs(ask: Ask): Promise<Named[]> {
  const jobs = await allPages(
    (paging) => ask(listExportJobs, paging),
    ({ jobId }) => jobId,
  );
  return named(jobs.map(({ jobId: id, name, updatedAt }) => ({ id, name, updatedAt })));
}

/** Containers of which all are looked into before an answer. */
const MOST_AT_ONCE = 100;
/** Of more, as many are looked into as this time allows. */
const PATIENCE_MS = 4_000;
/** Calls that a search through many containers has in flight: some places are left for the calls that come meanwhile. */
const IN_FLIGHT = 6;

/** A search through the containers of a tree. */
interface Search {
  /** Whether this is what is looked for, so that no other container need be looked into. */
  readonly isFound: (object: Named) => boolean;
  /** Called with the number of searched containers, where that was not all. */
  readonly onPart: (looked: number, all: number) => void;
}

/** The objects in these containers, each listed by a request of its own. */
async function below(parents: readonly Named[], list: (id: number) => Promise<readonly ListedRow[]>, search: Search): Promise<Named[]> {
  const inside = async (parent: Named) => named(await list(parent.id), parent.path);
  if (parents.length > MOST_AT_ONCE) return searched(parents, inside, search);
  const lists = parents.map(inside);
  // All have ended when one has failed, so that a second try does not join the rest of the first.
  await Promise.allSettled(lists);
  return (await Promise.all(lists)).flat();
}

/**
 * The objects in many containers, as far as they were listed when the wanted one is found, or after a while. Then the listing goes on by
 * itself until the time of the call is over, so that the next call, which continues from the lists of the session, comes further.
 */
async function searched(
  parents: readonly Named[],
  inside: (parent: Named) => Promise<Named[]>,
  { isFound, onPart }: Search,
): Promise<Named[]> {
  const lists = new Map<number, Named[]>();
  const semaphore = pLimit(IN_FLIGHT);
  let isOver = false;
  async function look(parent: Named, at: number): Promise<void> {
    if (isOver) return;
    try {
      const listed = await inside(parent);
      lists.set(at, listed);
      isOver ||= listed.some(isFound);
    } catch (error) {
      isOver = true;
      throw error;
    }
  }
  const all = Promise.all(parents.map((parent, at) => semaphore(look, parent, at)));
  // A later failure comes after the answer; the next call meets it if it lasts.
  all.catch(() => undefined);
  await Promise.race([all, delay(PATIENCE_MS, undefined, { ref: false })]);
  if (lists.size < parents.length) onPart(lists.size, parents.length);
  return [...lists].toSorted(([a], [b]) => a - b).flatMap(([, objects]) => objects);
}

/** How many steps of a path, in order, lead along this one. */
function stepsAlong(path: readonly string[], steps: readonly string[]): number {
  return path.reduce((taken, name) => (fold(name).startsWith(steps[taken] ?? '/') ? taken + 1 : taken), 0);
}

/** Those parents that a path leads along the furthest: all where it mentions none. */
function mentioned(parents: readonly Named[], text: string): readonly Named[] {
  const steps = stepsOf(text).slice(0, -1);
  const taken = parents.map(({ path }) => stepsAlong(path, steps));
  const furthest = Math.max(...taken);
  return parents.filter((_, index) => taken[index] === furthest);
}

/** Whether an object is called as the last of these steps, below what the others say; never where nothing is looked for. */
function isCalled(steps: readonly string[]): (object: Named) => boolean {
  const last = steps.at(-1);
  return ({ path }) => last !== undefined && fold(path.at(-1) ?? '') === last && stepsAlong(path, steps) === steps.length;
}

/** The purpose and limits of loading a list. */
export interface Loading {
  readonly load: (kind: NameKind) => Promise<readonly Named[]>;
  /** The wanted name; empty for the whole list. */
  readonly text: string;
  /** The kind that `text` names, which may lie below the one that is loaded. */
  readonly wanted: NameKind;
  /** Asks for what lies in one of very many containers: the answer may be some minutes old. */
  readonly askKept: Ask;
  /** Called with the part that was searched, in one clause. */
  readonly onPart: (words: string) => void;
}

type Loader = (ask: Ask, loading: Loading) => Promise<Named[]>;

/** Some of the zonings: those of what a zone's path begins with, or the zoning itself. */
function zonings(ask: Ask, all: readonly Named[], { text, wanted, onPart, askKept }: Loading): Promise<Named[]> {
  const steps = stepsOf(text);
  const parents = mentioned(all, text);
  const asking = parents.length > MOST_AT_ONCE ? askKept : ask;
  return below(parents, (pageGroupId) => asking(listZonings, { pageGroupId }), {
    isFound: isCalled(wanted === 'zone' ? steps.slice(0, -1) : steps),
    onPart: (looked, of) => onPart(`the zonings of ${looked} of ${of} page groups`),
  });
}

/** How the candidates of each kind are listed. */
export const loaders: Record<NameKind, Loader> = {
  segment: async (ask) => named(await ask(listSegments, {})),
  goal: async (ask) => named(await ask(listGoals, {})),
  scenario: async (ask) => named((await ask(listScenarios, {})).scenarios),
  'export job': allExportJobs,
  mapping: async (ask) => named(await ask(listMappings, {})),
  'page group': async (ask, { load, text, wanted, onPart }) =>
    below(await load('mapping'), (mappingId) => ask(listPageGroups, { mappingId }), {
      isFound: isCalled(wanted === 'page group' ? stepsOf(text) : []),
      onPart: (looked, all) => onPart(`the page groups of ${looked} of ${all} mappings`),
    }),
  zoning: async (ask, loading) => zonings(ask, await loading.load('page group'), loading),
  zone: async (ask, { load, text, onPart }) =>
    below(mentioned(await load('zoning'), text), (zoningId) => ask(listZones, { zoningId }), {
      isFound: isCalled(stepsOf(text)),
      onPart: (looked, all) => onPart(`the zones of ${looked} of ${all} zonings`),
    }),
};

/** The tool that lists a kind, for error messages. */
export const listingTools: Record<NameKind, ToolName> = {
  segment: 'list_segments',
  goal: 'list_goals',
  mapping: 'list_mappings',
  'page group': 'list_page_groups',
  zoning: 'list_zonings',
  zone: 'list_zones',
  scenario: 'list_scenarios',
  'export job': 'list_export_jobs',
};
