import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { ExportContext } from '../../src/exports/export-lists.ts';
import type { ProjectWorkspace } from '../../src/exports/project-workspace.ts';
import { openOffline, type RunText, writeRun } from '../exports/convert/converted-runs.ts';
import { contextOf, openLoadedProject } from '../exports/warehouse/loaded-project.ts';
import { missing, startClickHouse, type TestClickHouse } from '../support/clickhouse/start.ts';
import { asFiled, runsOf, type SessionRow, sessionsOf, type WorldKind, worlds } from './visit-world.ts';

export type Engine = 'DuckDB' | 'ClickHouse';
export const engines: readonly Engine[] = missing === undefined ? ['DuckDB', 'ClickHouse'] : ['DuckDB'];

/** A world in both engines. */
export interface LoadedWorld {
  readonly kind: WorldKind;
  /** With the views that its files hold. */
  readonly sessions: readonly SessionRow[];
  /** Written and loaded when it is first asked for. */
  readonly workspace: (engine: Engine) => Promise<ProjectWorkspace>;
}

/** What a use case takes from its call, over a workspace; notes are collected, and nothing is drawn. */
export function usesOf(workspace: Promise<ProjectWorkspace>, notes: string[] = []) {
  const context: ExportContext = { ...contextOf(workspace, notes, new AbortController().signal), whole: false };
  return { ...context, draw: () => undefined };
}

/** The three worlds or others, for a test file: each is loaded once into an engine, when a case first asks for it there. */
export function sharedWorlds(kinds: Readonly<Record<string, WorldKind>> = worlds): (name: string) => LoadedWorld {
  const closing: (() => Promise<void>)[] = [];
  let clickHouse: Promise<TestClickHouse> | undefined;
  async function load(engine: Engine, runs: readonly RunText[]): Promise<ProjectWorkspace> {
    if (engine === 'ClickHouse') {
      clickHouse ??= startClickHouse();
      const project = await openLoadedProject(await clickHouse, ...runs);
      closing.push(() => project.close());
      return project.workspace;
    }
    const folder = await mkdtemp(join(tmpdir(), 'visits-'));
    const workspace = openOffline(folder);
    closing.push(async () => {
      await workspace.close();
      await rm(folder, { recursive: true, force: true });
    });
    for (const run of runs) writeRun(workspace, run);
    await workspace.runs();
    await workspace.converted();
    return workspace;
  }
  const built = new Map<string, LoadedWorld>();
  afterAll(async () => {
    await Promise.all(closing.map((close) => close()));
    await (await clickHouse)?.stop();
  });
  return (name) => {
    const known = built.get(name);
    if (known) return known;
    const kind = kinds[name];
    if (!kind) throw new Error(`There is no world "${name}".`);
    const sessions = sessionsOf(kind);
    const loaded = new Map<Engine, Promise<ProjectWorkspace>>();
    const world: LoadedWorld = {
      kind,
      sessions: asFiled(kind, sessions),
      workspace(engine) {
        const workspace = loaded.get(engine) ?? load(engine, runsOf(kind, sessions));
        loaded.set(engine, workspace);
        return workspace;
      },
    };
    built.set(name, world);
    return world;
  };
}
