import type { Client } from '../api/client.ts';
import { abortable, withDeadline } from '../api/deadline.ts';
import { listScenarios } from '../api/operations/speed-analysis.ts';
import { unrendered } from '../lib/strangers-text.ts';
import type { ListContext } from '../tooling/resource.ts';
import type { Session } from '../tooling/session.ts';

/** Hosts list resources when they start: what takes longer is left out. */
const MAX_WAIT_MS = 5_000;
const MAX_PROJECTS = 5;
const MAX_SCENARIOS = 100;

/** The project that calls go to; where none is chosen the first of those that the credential reaches. */
async function projectsOf(client: Client): Promise<{ id: number; name: string }[]> {
  const { projects } = await client.credential();
  try {
    const id = await client.projectId();
    return [{ id, name: projects.find((project) => project.id === id)?.name ?? '' }];
  } catch {
    return projects.slice(0, MAX_PROJECTS);
  }
}

async function described(session: Session, client: Client, { id, name }: { id: number; name: string }): Promise<ListContext[]> {
  const shown = (text: string) => unrendered(client.redact(text));
  const ask = session.names.remembered(id, (operation, input) => client.call(operation, input, { projectId: id }));
  try {
    const { scenarios } = await ask(listScenarios, {});
    const numbered = scenarios.flatMap((scenario) =>
      typeof scenario.id === 'number' ? [{ id: scenario.id, name: shown(scenario.name ?? String(scenario.id)) }] : [],
    );
    return [{ projectId: id, projectName: shown(name), scenarios: numbered.slice(0, MAX_SCENARIOS) }];
  } catch {
    return []; // without speed analysis the project has nothing to list
  }
}

async function load(session: Session): Promise<ListContext[]> {
  const client = await session.client();
  const projects = await projectsOf(client);
  return (await Promise.all(projects.map((project) => described(session, client, project)))).flat();
}

/** The listed resources of each project, scenarios from the session's lists; empty where they do not arrive in time. */
export async function listedProjects(session: Session, signal: AbortSignal): Promise<ListContext[]> {
  const { clock } = session.options;
  try {
    return await withDeadline({ clock, timeoutMs: MAX_WAIT_MS, signal }, (limits) => abortable(load(session), limits.signal));
  } catch {
    return [];
  }
}
