import type { Tracing } from '../telemetry/tracing.ts';
import { name as product, version } from './about.ts';
import type { Platform } from './platform.ts';

/** Whether the environment asks for traces over OTLP, by the variables of OpenTelemetry; says why not where it asks for what there is not. */
export function tracingWanted(environment: Readonly<Record<string, string | undefined>>, complain: (message: string) => void): boolean {
  const value = (name: string) => environment[name]?.trim() ?? '';
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true') return false;
  const exporters = value('OTEL_TRACES_EXPORTER')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (exporters.includes('none')) return false;
  const unknown = exporters.filter((name) => name !== 'otlp');
  if (unknown.length > 0) complain(`OTEL_TRACES_EXPORTER: "${unknown.join(', ')}" is not offered; expected otlp or none`);
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const wanted = exporters.includes('otlp') || (exporters.length === 0 && endpoint !== '');
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (wanted && protocol === 'grpc') {
    complain('OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not offered; expected http/json, whose port is usually 4318');
    return false;
  }
  return wanted;
}

/** Opens traces where the variables of OpenTelemetry ask for them; nothing of its packages is loaded otherwise. */
export async function traceCalls({ clock, log }: Pick<Platform, 'clock' | 'log'>): Promise<Tracing | undefined> {
  if (!tracingWanted(process.env, (message) => log('warn', message))) return undefined;
  const { openTracing } = await import('../telemetry/tracing.ts');
  return openTracing({ service: { name: product, version }, clock, log });
}
