import { callTool } from '../mcp/call-tool.ts';
import type { Session } from '../mcp/session.ts';
import type { AnyTool } from '../mcp/tool.ts';
import type { Settings } from '../settings.ts';
import { listedTools, loadTool } from './catalogue.ts';
import { enabledTools } from './enabled-tools.ts';
import { openSession } from './open-session.ts';
import type { WorldOptions } from './world-options.ts';

/** One read of each family, with arguments that any project answers. */
const probes: readonly (readonly [tool: string, args: Record<string, unknown>, shown: (data: Record<string, unknown>) => string])[] = [
  ['get_credential', {}, ({ scopes, projects }) => `scopes ${list(scopes)}; projects ${names(projects)}`],
  [
    'authenticate',
    {},
    ({ projectId, endpoint, expiresAt }) => `project ${String(projectId)}, endpoint ${String(endpoint)}, until ${String(expiresAt)}`,
  ],
  ['list_scenarios', {}, ({ scenarios }) => `${count(scenarios)} scenarios`],
  ['list_export_jobs', { limit: 1 }, ({ jobs }) => (count(jobs) === 0 ? 'no export job yet' : 'export jobs can be read')],
  ['list_segments', {}, ({ segments }) => `${count(segments)} segments`],
  ['get_site_visits', { startDate: '-7d', endDate: 'yesterday' }, ({ rows }) => `visits of the last 7 days: ${list(rows)}`],
];

function count(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map((item: unknown) => (Array.isArray(item) ? String(item.at(-1)) : String(item))).join(', ') : '';
}

function names(value: unknown): string {
  return Array.isArray(value) ? value.map(({ id, name }: { id: number; name: string }) => `${id} ${name}`).join(', ') : '';
}

async function probe(tool: AnyTool, args: Record<string, unknown>, session: Session) {
  const outcome = await callTool(tool, args, { session, signal: AbortSignal.timeout(40_000), canAsk: false });
  if ('ask' in outcome || outcome.isError) return { problem: 'ask' in outcome ? 'asks for a confirmation' : outcome.text };
  return { data: outcome.structured ?? {} };
}

/** Checks what a call needs, step by step, and says how to mend what is wrong; 0 when all is well, else 1. */
export async function doctor(settings: Settings, world: WorldOptions): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const tools = enabledTools(await listedTools(), settings);
  const session = openSession(settings, tools, world);
  print(
    `✓ settings: ${settings.demo ? 'embedded emulator' : (settings.authUrl ?? 'no authentication server set')}, time zone ${settings.timeZone}, ${tools.length} tools`,
  );
  let problems = 0;
  try {
    for (const [name, args, shown] of probes) {
      if (!tools.some((each) => each.name === name)) {
        print(`– ${name}: its toolset is switched off`);
        continue;
      }
      const { data, problem } = await probe(await loadTool(name), args, session);
      if (problem === undefined) print(`✓ ${name}: ${shown(data)}`);
      else {
        problems += 1;
        print(`✗ ${name}: ${problem.replaceAll('\n', '\n  ')}`);
        // Without a credential nothing else can work: one complaint is enough.
        if (name === 'get_credential') break;
      }
    }
  } finally {
    await session.close();
  }
  print(problems === 0 ? 'All is well.' : `${problems} problem${problems === 1 ? '' : 's'}.`);
  return problems === 0 ? 0 : 1;
}
