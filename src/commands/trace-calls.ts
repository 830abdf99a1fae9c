import type { Tracing } from '../telemetry/tracing.ts';
import { tracingWanted } from '../telemetry/tracing-wanted.ts';
import { name, version } from './about.ts';
import type { Platform } from './platform.ts';

/** Opens traces where the variables of OpenTelemetry ask for them; nothing of its packages is loaded otherwise. */
export async function traceCalls({ clock, log }: Pick<Platform, 'clock' | 'log'>): Promise<Tracing | undefined> {
  if (!tracingWanted(process.env, (message) => log('warn', message))) return undefined;
  const { openTracing } = await import('../telemetry/tracing.ts');
  return openTracing({ service: { name, version }, clock, log });
}
