import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'undici';

/** The emulated platform in a process of its own. */
export interface ExternalEmulator {
  /** Variables with which a server reaches it. */
  readonly environment: Record<string, string>;
  readonly stop: () => Promise<void>;
}

const CLOCK = '2026-11-20T10:00:00Z';

/** The world that it shows; left out: seed 1 at the present of the tests. */
export interface EmulatedWorld {
  readonly seed?: number;
  readonly clock?: string;
}

async function firstLines(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  while (!text.includes('WEB_ANALYTICS_PROJECT_ID')) await once(child.stdout ?? child, 'data');
  return text;
}

/** Starts the emulator of the built executable on free ports. */
export async function startExternalEmulator(executable: string, world: EmulatedWorld = {}): Promise<ExternalEmulator> {
  const flags = ['--clock', world.clock ?? CLOCK, '--seed', String(world.seed ?? 1)];
  const child = spawn(process.execPath, [executable, 'emulator', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  const text = await firstLines(child);
  const pairs = [...text.matchAll(/^export (\w+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]);
  return {
    environment: Object.fromEntries(pairs),
    async stop() {
      const gone = once(child, 'close');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** Runs a task beside an emulator that ends with it. */
export async function withEmulator<T>(
  executable: string,
  task: (emulator: ExternalEmulator) => Promise<T>,
  world?: EmulatedWorld,
): Promise<T> {
  const emulator = await startExternalEmulator(executable, world);
  try {
    return await task(emulator);
  } finally {
    await emulator.stop();
  }
}

/** A token of the platform, and the address of the service that it opens. */
export interface DirectToken {
  readonly access_token: string;
  readonly endpoint: string;
}

/** Asks for a token of a project without the product. */
export async function askToken(environment: Readonly<Record<string, string>>, projectId: number): Promise<DirectToken> {
  const { body } = await request(`${environment['WEB_ANALYTICS_AUTH_URL']}/v1/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: environment['WEB_ANALYTICS_CLIENT_ID'],
      client_secret: environment['WEB_ANALYTICS_CLIENT_SECRET'],
      grant_type: 'client_credentials',
      scope: 'data-export metrics speed-analysis',
      project_id: projectId,
    }),
  });
  return (await body.json()) as DirectToken;
}
