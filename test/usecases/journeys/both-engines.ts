import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import type { VisitUses } from '../../../src/usecases/journeys/with-visits.ts';
import type { ProjectWorkspace } from '../../../src/workspace/project-workspace.ts';
import { missing, startClickHouse, type TestClickHouse } from '../../support/clickhouse/start.ts';
import { inTurn } from '../../support/sample-size.ts';
import { openOffline, writeRun } from '../../workspace/convert/converted-runs.ts';
import { type LoadedProject, openLoadedProject } from '../../workspace/warehouse/loaded-project.ts';
import { asFiled, runsOf, type SessionRow, sessionsOf, type WorldKind, worlds } from './visit-world.ts';

export type Engine = 'DuckDB' | 'ClickHouse';
export const engines: readonly Engine[] = missing === undefined ? ['DuckDB', 'ClickHouse'] : ['DuckDB'];

/** A world in both engines. */
export interface LoadedWorld {
  readonly kind: WorldKind;
  /** With the views that its files hold. */
  readonly sessions: readonly SessionRow[];
  readonly workspace: (engine: Engine) => ProjectWorkspace;
}

const names = Object.keys(worlds);

/** The cases held in a world, on both engines: each in one of the three, as a statement is a process; in `npm run full` in all. */
export function casesIn<T>(world: string, cases: readonly T[]): readonly T[] {
  return inTurn(cases, names.indexOf(world), names.length);
}

/** The engines that a world is asked on: one, by turns; in `npm run full` both. */
export const enginesIn = (world: string) => inTurn(engines, names.indexOf(world) % engines.length, engines.length);

/** What a use case takes from its call, over a workspace; notes are collected. */
export function usesOf(workspace: ProjectWorkspace, notes: string[] = []): VisitUses {
  return {
    workspace: () => Promise.resolve(workspace),
    ask: () => Promise.resolve([] as never),
    note: (sentence: string) => void notes.push(sentence),
    covers: () => undefined,
    timeZone: 'UTC',
    clock: { now: () => Date.parse('2026-11-20T10:00:00Z'), sleep: () => Promise.resolve() },
    progress: () => undefined,
    nowMs: Date.parse('2026-11-20T10:00:00Z'),
    lists: () => Promise.reject(new ApiError('down', 'The platform cannot be reached.')),
    whole: false,
    signal: new AbortController().signal,
  };
}

/** The three worlds or others, loaded once for a test file. */
export function sharedWorlds(kinds: Readonly<Record<string, WorldKind>> = worlds): (name: string) => LoadedWorld {
  const loaded = new Map<string, LoadedWorld>();
  const projects: LoadedProject[] = [];
  const open: ProjectWorkspace[] = [];
  const folders: string[] = [];
  let clickHouse: TestClickHouse | undefined;
  beforeAll(async () => {
    if (engines.includes('ClickHouse')) clickHouse = await startClickHouse();
    for (const [name, kind] of Object.entries(kinds)) {
      const sessions = sessionsOf(kind);
      const runs = runsOf(kind, sessions);
      const folder = await mkdtemp(join(tmpdir(), 'visits-'));
      folders.push(folder);
      const onDisk = openOffline(folder);
      open.push(onDisk);
      for (const run of runs) writeRun(onDisk, run);
      const project = clickHouse && (await openLoadedProject(clickHouse, ...runs));
      if (project) projects.push(project);
      loaded.set(name, {
        kind,
        sessions: asFiled(kind, sessions),
        workspace: (engine) => (engine === 'DuckDB' || !project ? onDisk : project.workspace),
      });
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...open.map((workspace) => workspace.close()), ...projects.map((project) => project.close())]);
    await clickHouse?.stop();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  return (name) => {
    const world = loaded.get(name);
    if (!world) throw new Error(`There is no world "${name}".`);
    return world;
  };
}
