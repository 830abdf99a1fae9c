import { allPages } from '../api/all-pages.ts';
import type { Ask } from '../api/client.ts';
import { listExportJobs } from '../api/operations/data-export.ts';
import { listGoals, listMappings, listPageGroups, listSegments, listZones, listZonings } from '../api/operations/objects.ts';
import { listScenarios } from '../api/operations/speed-analysis.ts';
import { fold, type Named, type NameKind, stepsOf } from '../domain/names/match-name.ts';

interface Row {
  id?: number | string | null | undefined;
  name?: string | null | undefined;
  updatedAt?: string | null | undefined;
  /** What zonings call it. */
  lastUpdatedAt?: string | null | undefined;
}

/** Candidates below `container`, called by their id where they have no name; an id beyond 2^53 cannot be a parameter and is left out. */
function named(rows: readonly Row[], container: readonly string[] = []): Named[] {
  return rows
    .filter((row): row is Row & { id: number } => typeof row.id === 'number')
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

async function below(parents: readonly Named[], list: (id: number) => Promise<readonly Row[]>): Promise<Named[]> {
  const lists = parents.map(async (parent) => named(await list(parent.id), parent.path));
  // All have ended when one has failed, so that a second try does not join the rest of the first.
  await Promise.allSettled(lists);
  return (await Promise.all(lists)).flat();
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

type Loader = (ask: Ask, load: (kind: NameKind) => Promise<readonly Named[]>, text: string) => Promise<Named[]>;

/** How the candidates of each kind are listed. */
export const loaders: Record<NameKind, Loader> = {
  segment: async (ask) => named(await ask(listSegments, {})),
  goal: async (ask) => named(await ask(listGoals, {})),
  scenario: async (ask) => named((await ask(listScenarios, {})).scenarios),
  'export job': allExportJobs,
  mapping: async (ask) => named(await ask(listMappings, {})),
  'page group': async (ask, load) => below(await load('mapping'), (mappingId) => ask(listPageGroups, { mappingId })),
  zoning: async (ask, load, text) => below(mentioned(await load('page group'), text), (pageGroupId) => ask(listZonings, { pageGroupId })),
  zone: async (ask, load, text) => below(mentioned(await load('zoning'), text), (zoningId) => ask(listZones, { zoningId })),
};

/** The tool that lists a kind, for error messages. */
export const listingTools: Record<NameKind, string> = {
  segment: 'list_segments',
  goal: 'list_goals',
  mapping: 'list_mappings',
  'page group': 'list_page_groups',
  zoning: 'list_zonings',
  zone: 'list_zones',
  scenario: 'list_scenarios',
  'export job': 'list_export_jobs',
};
