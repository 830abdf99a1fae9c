import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../src/api/operations/index.ts';
import { BARE, type Deployment, FORGIVING } from '../../src/emulator/deployment.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';
import { type Platform, withPlatform } from '../support/emulator.ts';

/** Asks one operation of a platform of its own, with the credential of the shop. */
function asked(deployment: Partial<Deployment>, operation: OperationName, input: Record<string, unknown>) {
  return withPlatform(async ({ call, token }) => call(operation, input, await token('shop')), { deployment });
}

async function jobNamed({ ask, token }: Platform, name: string) {
  const jobs = await ask('listExportJobs', { limit: 100 }, await token('shop'));
  const found = jobs.find((job) => job.name === name);
  if (!found) throw new Error(`There is no job ${name}.`);
  return found;
}

const [at, next] = ['2026-11-09T00:00:00.000Z', '2026-11-10T00:00:00.000Z'];
const job = {
  name: 'A job',
  format: 'JSONL',
  frequency: { value: 'once', dateRange: { from: at, to: next } },
  fields: [{ fieldName: 'session_id' }],
  deviceLabel: 'all',
};
const visits = { startDate: at, endDate: next };

describe('a request beyond the reference', () => {
  it.each<[string, Partial<Deployment>, OperationName, Record<string, unknown>]>([
    ['a format in lower case', { letterCase: 'any' }, 'createExportJob', { ...job, format: 'jsonl' }],
    ['a frequency in upper case', { letterCase: 'any' }, 'createExportJob', { ...job, frequency: { ...job.frequency, value: 'ONCE' } }],
    ['a device with a capital', { letterCase: 'any' }, 'getSiteVisits', { ...visits, device: 'Mobile' }],
    ['a day without a time', { dates: 'any' }, 'getSiteVisits', { startDate: '2026-11-09', endDate: '2026-11-10' }],
    ['an offset without a colon', { dates: 'any' }, 'getSiteVisits', { ...visits, startDate: '2026-11-09T00:00:00+0100' }],
    ['UTC without milliseconds', { dates: 'any' }, 'listSpeedEvents', { dateFrom: '2026-11-09T00:00:00Z' }],
    ['UTC with nanoseconds', { dates: 'any' }, 'listSpeedEvents', { dateFrom: '2026-11-09T00:00:00.000000000Z' }],
    ['a parameter that it does not list', { unknownMembers: 'ignored' }, 'listGoals', { sort: 'name' }],
    ['a member that it does not list', { unknownMembers: 'ignored' }, 'listScenarios', { limit: 5 }],
  ])('is refused for %s, unless the deployment forgives it', async (_, deployment, operation, input) => {
    expect(await asked({}, operation, input)).toMatchObject({ status: 400, body: { success: false, errorCode: 'VALIDATION_ERROR' } });
    expect(await asked(deployment, operation, input)).toMatchObject({ status: 200, body: { success: true } });
    expect((await asked(FORGIVING, operation, input)).status).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['format', { format: 'csv' }],
    ['frequency', { frequency: 'Daily' }],
    ['scope', { scope: 'VIEWS' }],
    ['state', { state: 'COMPLETED' }],
  ])('finds no job where it filters by a %s in another case, unless the deployment forgives it', async (_, filter) => {
    expect((await asked({}, 'listExportJobs', filter)).body).toMatchObject({ payload: [] });
    expect((await asked({ letterCase: 'any' }, 'listExportJobs', filter)).body).not.toMatchObject({ payload: [] });
  });

  it.each([
    ['exact', 0],
    ['any', 1],
  ] as const)('finds failed runs by "failure" where the case is %s: %i', async (letterCase, found) => {
    await withPlatform(
      async (platform) => {
        const { jobId } = await jobNamed(platform, 'Daily sessions');
        const bearer = await platform.token('shop');
        expect(await platform.ask('listExportRuns', { jobId, state: 'failure' }, bearer)).toHaveLength(found);
        expect(await platform.ask('listExportRuns', { jobId, state: 'FAILURE' }, bearer)).toHaveLength(1);
      },
      { deployment: { letterCase } },
    );
  });
});

describe('an account-level credential of one project', () => {
  const tokenStatus = ({ call, credentials: { smallAccount } }: Platform) =>
    call('requestToken', {
      client_id: smallAccount.clientId,
      client_secret: smallAccount.clientSecret,
      grant_type: 'client_credentials',
      scope: 'metrics',
    });

  it('names its project at the token and in metrics', () =>
    withPlatform(async (platform) => {
      expect(await tokenStatus(platform)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      const bearer = await platform.token('smallAccount', { projectId: 1201 });
      expect(await platform.call('getSiteVisits', visits, bearer)).toMatchObject({ status: 400 });
      expect(await platform.call('getSiteVisits', { ...visits, projectId: 1201 }, bearer)).toMatchObject({ status: 200 });
    }));

  it('need not where the deployment understands it', () =>
    withPlatform(
      async (platform) => {
        expect(await tokenStatus(platform)).toMatchObject({ status: 200 });
        expect(await platform.call('getSiteVisits', visits, await platform.token('smallAccount'))).toMatchObject({ status: 200 });
      },
      { deployment: { onlyProject: 'understood' } },
    ));
});

describe('choices that the reference leaves open', () => {
  it('files live as long as the deployment says, in their record and in the store', () =>
    withPlatform(
      async (platform) => {
        const { ask, token, clock, send } = platform;
        const { jobId } = await jobNamed(platform, 'Daily sessions');
        const [run] = await ask('listExportRuns', { jobId, limit: 1 }, await token('shop'));
        const filesOf = async () => (await ask('getExportRun', { jobId, runId: Number(run?.jobRunId) }, await token('shop'))).files ?? [];
        const [file] = await filesOf();
        expect(Date.parse(file?.expirationDate ?? '') - Date.parse(run?.endDate ?? '')).toBe(3 * DAY_MS);
        expect((await send(file?.url ?? '')).status).toBe(200);
        await clock.advance(3 * DAY_MS);
        expect((await send((await filesOf())[0]?.url ?? '')).status).toBe(403);
      },
      { deployment: { fileLifeMs: 3 * DAY_MS } },
    ));

  it.each([
    ['device', { deviceId: -1 }],
    ['empty', {}],
    ['absent', undefined],
  ] as const)('the record of a job shows its filters: %s', (jobFilters, filters) =>
    withPlatform(async (platform) => expect((await jobNamed(platform, 'Daily sessions')).filters).toEqual(filters), {
      deployment: { jobFilters },
    }),
  );

  it('runs of one job come in any order, in pages that hold each once, while jobs stay in theirs', () =>
    withPlatform(
      async ({ ask, token }) => {
        const bearer = await token('shop');
        const pages = await Promise.all([0, 1, 2].map((page) => ask('listSuccessfulExportRuns', { limit: 50, page }, bearer)));
        const runs = pages.flat();
        expect(new Set(runs.map(({ jobRunId }) => jobRunId)).size).toBe(150);
        const jobs = runs.map(({ jobId }) => Number(jobId));
        expect(jobs).toEqual(jobs.toSorted((a, b) => b - a));
        const hourly = runs.filter(({ name }) => name === 'Hourly sessions').map(({ jobRunId }) => Number(jobRunId));
        expect(hourly).not.toEqual(hourly.toSorted((a, b) => b - a));
      },
      { deployment: BARE },
    ));

  it.each([
    ['exclusive', 0],
    ['inclusive', 1],
  ] as const)('bounds of dates are %s', (dateBounds, own) =>
    withPlatform(
      async ({ ask, token }) => {
        const bearer = await token('shop');
        const { scenarios } = await ask('listScenarios', {}, bearer);
        const scenarioId = Number(scenarios[0]?.id);
        const { scenario } = await ask('listScenarioReports', { scenarioId, limit: 3 }, bearer);
        const iso = (index: number) => isoTime(scenario.reports[index]?.date ?? 0);
        const between = await ask('listScenarioReports', { scenarioId, limit: 0, dateFrom: iso(2), dateTo: iso(0) }, bearer);
        expect(between.scenario.reports).toHaveLength(1 + 2 * own);
        const { events } = await ask('listSpeedEvents', {}, bearer);
        const dateFrom = new Date(events[0]?.date ?? '').toISOString();
        expect((await ask('listSpeedEvents', { dateFrom }, bearer)).events).toHaveLength(own);
      },
      { deployment: { dateBounds } },
    ),
  );
});
