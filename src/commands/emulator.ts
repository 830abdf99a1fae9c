import { once } from 'node:events';
import { ApiError } from '../api/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { SettingsError } from '../settings/settings.ts';
import type { WorldOptions } from './world-options.ts';

/** Runs the emulated platform alone until it is interrupted; prints its addresses and credentials. */
export async function emulator({ seed, clock = systemClock, faults }: WorldOptions, portText: string | undefined): Promise<number> {
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_533)) {
    throw new SettingsError(`--port "${portText}" is wrong: expected a port from 1 to 65532; the three after it are used too`);
  }
  const { startEmulator, warmUp } = await import('../emulator/start-emulator.ts');
  const running = await startEmulator({ clock, seed, faults, ...(port !== undefined && { port }) }).catch((error: unknown) => {
    throw error instanceof ApiError ? new SettingsError(`--port: ${error.message}`) : error;
  });
  await warmUp(running.world);
  const { account, enrichment } = running.credentials;
  // The credentials belong to this emulator alone and open nothing else.
  const lines = [
    `# Emulated platform, seed ${seed}; stop it with Ctrl-C. To use it:`,
    `export WEB_ANALYTICS_AUTH_URL=${running.authUrl}`,
    `export WEB_ANALYTICS_CLIENT_ID=${account.clientId}`,
    `export WEB_ANALYTICS_CLIENT_SECRET=${account.clientSecret}`,
    `export WEB_ANALYTICS_ENRICHMENT_CLIENT_ID=${enrichment.clientId}`,
    `export WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET=${enrichment.clientSecret}`,
    `export WEB_ANALYTICS_PROJECT_ID=${account.projects[0]?.id ?? ''}  # of ` +
      account.projects.map(({ id, name }) => `${id} ${name}`).join(', '),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await running.close();
  return 0;
}
