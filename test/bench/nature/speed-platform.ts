import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReportEntry } from './speed-worlds.ts';

interface Body {
  readonly scenarioId?: number;
  readonly name?: string;
  readonly dateFrom?: string;
  readonly dateTo?: string;
  readonly lastDays?: number;
  /** The id of a step result. */
  readonly stepId?: string;
  readonly scenarioStepResultId?: string;
}

/** A platform that serves the generated runs of one scenario at a time, and nothing else. */
export interface SpeedPlatform {
  readonly url: string;
  /** Sets the scenario and its runs, with their HAR files where there are some; the next calls read these. */
  readonly show: (scenarioId: number, reports: readonly ReportEntry[], harOf?: (stepResultId: string) => string | undefined) => void;
  readonly close: () => void;
}

/** Starts it on a free port; answers the token, the grants and the operations of speed analysis in their documented form. */
export async function openSpeedPlatform(): Promise<SpeedPlatform> {
  let shown: Parameters<SpeedPlatform['show']> = [1, []];
  const answerOf = (path: string, { dateFrom, dateTo, stepId, scenarioStepResultId }: Body): unknown => {
    const [id, reports, harOf] = shown;
    if (path.endsWith('/scenario/list')) return { scenarios: [{ id, name: `World ${id}` }] };
    if (path.endsWith('/event/list')) return { events: [] };
    if (path.endsWith('/scenario/report/har')) return { har: harOf?.(scenarioStepResultId ?? '') };
    const known = harOf && reports.find(({ steps }) => steps.some(({ stepResultId }) => stepResultId === stepId));
    if (known) return { step: { ...known.steps[0], date: known.date } };
    if (path.endsWith('/scenario/step/report')) return { step: { actionsResult: [{ id: 1, status: 'failed', message: 'no answer' }] } };
    // "After" and "before" leave out the instants themselves.
    const [from, to] = [Date.parse(dateFrom ?? '1970-01-01'), Date.parse(dateTo ?? '2100-01-01')];
    const inside = reports.filter(({ date }) => date > from && date < to).toReversed();
    return { scenario: { id, name: `World ${id}`, reports: inside } };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const send = (value: unknown) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const path = request.url ?? '';
      if (path === '/v1/oauth/token')
        return send({
          access_token: 'token',
          token_type: 'bearer',
          expires_in: 3600,
          scope: 'speed-analysis',
          project_id: 7,
          endpoint: url,
        });
      if (path === '/v1/oauth/me') return send({ scopes: 'speed-analysis', permissions: { projects: [{ id: 7, name: 'Shop' }] } });
      const text = Buffer.concat(chunks).toString();
      return send({ payload: answerOf(path, text === '' ? {} : (JSON.parse(text) as Body)), success: true });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    show(...world) {
      shown = world;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
