import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { exportJob } from '../samples/export-job.ts';
import { sharedAssistant } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import type { AnswerOptions, Host, HostName } from '../support/hosts.ts';
import { DEMO } from '../support/stdio.ts';
import { times } from '../support/times.ts';

/** Flags of the server that the tests below want. */
export const INTEROP_ARGS = [...DEMO, '--fault', 'hang:getSiteVisits'];

const versions: Record<HostName, string> = {
  'SDK 1.x': '2025-11-25',
  'SDK 2.x in the 2025 era': '2025-11-25',
  'SDK 2.x in the 2026-07-28 era': '2026-07-28',
  'SDK 2.x that finds the era': '2026-07-28',
};

const job = (name: string) => exportJob(name, 'session_id');

const dayOf = (index: number) => `2026-10-${String(index + 1).padStart(2, '0')}`;

/** The protocol error that a request ends with. */
async function protocolError(request: Promise<unknown>): Promise<{ code: unknown; message: string; data: unknown }> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      return { code: error.code, message: error.message, data: 'data' in error ? error.data : undefined };
    throw error;
  }
  throw new Error('The request was answered.');
}

/** What every host may expect, whatever it is connected by; gives the host. Called inside a `describe`. */
export function itServes<H extends Host>(
  name: HostName,
  {
    open,
    close,
    platform,
  }: { open: (options: AnswerOptions) => Promise<H>; close: (host: H) => Promise<unknown>; platform: () => Platform },
): () => H {
  // As a host does, it asks again at once.
  const inProcess = sharedAssistant(platform, { thinksMs: 0 });
  let opened: H | undefined;
  let reply: 'accept' | 'decline' | 'cancel' = 'decline';
  const host = () => opened ?? raiseNoHost();

  beforeAll(async () => {
    opened = await open({ answer: () => reply });
  });
  afterAll(async () => {
    await opened?.close();
    if (opened) await close(opened);
  });

  it('agrees on the version and reads the instructions', () => {
    expect(host().protocolVersion()).toBe(versions[name]);
    expect(host().instructions()).toContain('Today is 2026-11-20, time zone UTC.');
  });

  it('lists all tools in the order of their toolsets, each with an object as input', async () => {
    const tools = await host().tools();
    expect(tools.map((tool) => tool.name)).toEqual(toolsets.flatMap((toolset) => toolset.tools.map((tool) => tool.name)));
    expect(tools.map((tool) => tool.inputSchema)).toEqual(tools.map(() => expect.objectContaining({ type: 'object' })));
  });

  it.each([
    ['list_scenarios', {}],
    ['get_site_bounce_rate', { startDate: '2026-11-01', endDate: '2026-11-07', device: 'mobile' }],
    ['list_zones', { zoningId: 'Home / Header', projectId: 1202 }],
  ])('reads %s as a client in the same process does', async (tool, args) => {
    // Both are asked the same in the same order, so both leave out the same of what they have said.
    const { structured, text, isError } = await inProcess().call(tool, args);
    expect(await host().call(tool, args)).toEqual({ structured: isError ? undefined : structured, text, isError });
  });

  it('hears of a bad argument in a result, not in a protocol error', async () => {
    const { isError, text, structured } = await host().call('get_site_bounce_rate', {
      startDate: 'today',
      endDate: 'today',
      devcie: 'all',
    });
    expect({ isError, structured }).toEqual({ isError: true, structured: undefined });
    expect(text).toMatch(/^devcie: is not known here; .*device/);
  });

  it('hears that a tool is unknown', async () => {
    expect(await protocolError(host().call('get_weather'))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('get_weather'),
    });
  });

  it('reads a resource by a template, and hears what does not exist', async () => {
    expect((await host().templates()).map(({ uriTemplate }) => uriTemplate)).toContain('analytics://{projectId}/scenarios/{scenarioId}');
    const uri = 'analytics://1201/scenarios/4101';
    expect(JSON.parse(await host().read(uri))).toMatchObject({ id: 4101, name: 'Checkout – desktop' });
    for (const missing of ['analytics://1201/scenarios/999', 'analytics://1201/nothing', 'analytics://1201/Überblick']) {
      const { code, message, data } = await protocolError(host().read(missing));
      expect({ code, data }).toEqual({ code: -32602, data: { uri: missing } });
      expect(message).toContain(missing);
    }
  });

  it('is asked before a write, and nothing is sent when the person does not want it', async () => {
    for (const [no, words] of [
      ['decline', 'was declined, by the person or the host'],
      ['cancel', 'was closed or could not be shown'],
    ] as const) {
      reply = no;
      const asked = host().questions.length;
      // The person decides where there is one, whatever the arguments say.
      const { structured } = await host().call('create_export_job', { ...job(`Not wanted ${name}`), confirm: true });
      expect(structured).toMatchObject({
        status: 'declined',
        notes: [expect.stringContaining(`The question ${words}; nothing was sent.`)],
      });
      expect(host().questions.slice(asked)).toEqual([
        expect.stringMatching(/^Create an? .*export "Not wanted .* It cannot be deleted from here\.\n.*\nProject: 1201\./),
      ]);
    }
    expect((await host().call('list_export_jobs', { limit: 100 })).text).not.toContain('Not wanted');
  });

  it('is asked once before a write that the person accepts, and it is sent once', async () => {
    reply = 'accept';
    const asked = host().questions.length;
    const { structured } = await host().call('create_export_job', job(`Wanted ${name}`));
    expect(structured).toMatchObject({ status: 'done', jobId: expect.any(Number) });
    expect(host().questions.length - asked).toBe(1);
    const { structured: listed } = await host().call('list_export_jobs', { limit: 100 });
    const jobs = (listed?.['jobs'] ?? []) as { name: string; jobId: number }[];
    expect(jobs.filter((each) => each.name === `Wanted ${name}`).map(({ jobId }) => jobId)).toEqual([structured?.['jobId']]);
  });

  it('gets the answers of parallel calls, each to its own question', async () => {
    const days = times(24, (index) => dayOf(index));
    const answers = await Promise.all(days.map((day) => host().call('get_site_bounce_rate', { startDate: day, endDate: day })));
    expect(answers.map(({ structured }) => structured)).toEqual(
      days.map((day) => expect.objectContaining({ range: expect.objectContaining({ start: `${day}T00:00:00.000Z` }) })),
    );
  });

  it('cancels calls that hang: their places are free at once', async () => {
    const aborts: AbortController[] = [];
    const hang = (count: number) =>
      times(count, () => {
        const controller = new AbortController();
        aborts.push(controller);
        return host().call('get_site_visits', { startDate: '2026-11-01', endDate: '2026-11-02' }, { signal: controller.signal });
      });
    const first = hang(7);
    // Eight may be in flight: this one takes the last place, after the seven have taken theirs.
    await host().call('list_goals');
    const hanging = [...first, ...hang(5)];
    const waiting = host().call('list_goals');
    const ended = Promise.allSettled(hanging);
    const started = performance.now();
    for (const controller of aborts) controller.abort(new Error('The person pressed stop'));
    expect((await ended).map(({ status }) => status)).toEqual(hanging.map(() => 'rejected'));
    expect((await waiting).isError).toBe(false);
    expect((await host().call('list_goals')).isError).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('offers prompts, and values for their arguments', async () => {
    const [offered = ''] = await host().complete('explain_slow_page', 'scenario', 'check');
    expect(offered).toMatch(/^Checkout/);
    expect(await host().prompt('explain_slow_page', { scenario: offered })).toContain(offered);
    expect(await protocolError(host().prompt('explain_slow_page'))).toMatchObject({ code: -32602 });
  });

  it('hears how far a long call is, where it asked for that', async () => {
    const steps: string[] = [];
    await host().call('find_objects', { text: 'cart' }, { onProgress: (done, total) => steps.push(`${done}/${total}`) });
    expect(steps.length).toBeGreaterThan(2);
    expect(steps).toEqual(steps.toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)));
  });

  it('listens to a resource and ceases to', async () => {
    const cease = await host().listen('analytics://1201/scenarios/4101');
    expect(host().updates).toEqual([]);
    await cease();
    expect((await host().call('list_goals')).isError).toBe(false);
  });

  return host;
}

function raiseNoHost(): never {
  throw new Error('The host is not connected.');
}
