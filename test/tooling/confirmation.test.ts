import { ProtocolError } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { digestOf, NeedsConfirmation, requireConsent } from '../../src/tooling/confirmation.ts';
import { type Assistant, ownAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { until } from '../support/until.ts';
import { refusal } from '../tools/support.ts';

const platform = sharedPlatform();
const WRITES = new Set<string | undefined>(['createExportJob', 'deleteSpeedEvent', 'sendEnrichments']);
const writes = () =>
  platform()
    .requests.filter(({ operation }) => WRITES.has(operation))
    .map(({ method, url, body }) => ({ method, path: url, body }));

/** Only an event that exists is asked about; each test may delete it. */
beforeEach(async () => {
  const { ask, token, requests } = platform();
  const event = { key: 'mark', text: 'Mark', date: '2026-11-19T08:00:00.000Z' };
  const credential = await token('shop');
  const known = JSON.stringify(await ask('listSpeedEvents', { key: event.key }, credential));
  if (!known.includes(event.text)) await ask('createSpeedEvent', event, credential);
  requests.splice(0);
});

/** One call of each confirmed tool of the platform, with what has to leave the server, and the words that ask for it. */
const calls: readonly (readonly [tool: string, args: Record<string, unknown>, body: Record<string, unknown>, words: string])[] = [
  [
    'create_export_job',
    {
      name: 'Job',
      format: 'CSV',
      frequency: { value: 'daily' },
      fields: [{ fieldName: 'custom_var', customVarPosition: 4 }],
      deviceLabel: 'all',
      segmentId: 'Germany',
    },
    {
      name: 'Job',
      format: 'CSV',
      frequency: { value: 'daily' },
      fields: [{ fieldName: 'custom_var', customVarPosition: '4' }],
      deviceLabel: 'all',
      segmentId: '440156',
    },
    'Create a daily export "Job" with sessions (CSV, 1 column) for all devices, segment Germany? It cannot be deleted from here.\n' +
      'Columns: custom variable (position 4).\nProject: 1201.',
  ],
  [
    'send_enrichments',
    { enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { a: 1 } }], encoding: 'json' },
    { projectId: 1201, enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { a: 1 } }] },
    'Send 1 record of your own data to the platform? They overwrite earlier ones of the same session and number, and cannot be read back ' +
      'or deleted from here.\nuser 7310224081552637899, session 1: a = 1\nProject: 1201.',
  ],
  [
    'delete_speed_event',
    { key: 'mark' },
    { key: 'mark' },
    'Delete the speed event "Mark" of 2026-11-19T08:00:00.000Z, on no scenario? It cannot be restored.\nProject: 1201.',
  ],
];

it.each(calls)(
  '%s where the client cannot ask sends nothing and shows exactly what confirm: true then sends',
  { tags: 'nightly' },
  async (tool, args, body) => {
    const { call } = await ownAssistant(platform(), {});
    const preview = await call(tool, args);
    const { request } = preview.structured as { request: { method: string; path: string; project: number; body: unknown } };
    expect(preview).toMatchObject({ isError: false, structured: { status: 'preview' }, text: expect.stringContaining('confirm: true') });
    expect(request).toMatchObject({ project: 1201, body });
    expect(writes()).toEqual([]);

    await call(tool, { ...args, confirm: false });
    expect(writes()).toEqual([]);

    await call(tool, { ...args, confirm: true });
    expect(writes()).toEqual([{ method: request.method, path: request.path, body }]);
  },
);

it.each(calls)(
  '%s where the client can ask asks the person in words, and sends it once when it is accepted',
  { tags: 'nightly' },
  async (tool, args, body, words) => {
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      expect(writes()).toEqual([]);
      return 'accept' as const;
    };
    const { call } = await ownAssistant(platform(), { answer });
    await call(tool, args);
    expect(questions.map((question) => question.replace(/\nAn equal job exists: .*$/, ''))).toEqual([words]);
    expect(writes()).toMatchObject([{ body }]);
  },
);

it('a consent holds for one request alone', () => {
  const request = { question: 'Create a?', method: 'POST', path: '/v1/exports', project: 1201, body: { name: 'a' } };
  expect(digestOf(request)).toBe(digestOf(structuredClone(request)));
  const others = [
    { ...request, body: { name: 'b' } },
    { ...request, project: 1202 },
    { ...request, path: '/v1/other' },
  ];
  expect(new Set([request, ...others].map(digestOf)).size).toBe(4);
  const consent = { given: true, digest: digestOf(request) };
  expect(() => requireConsent(consent, request)).not.toThrow();
  for (const other of others) expect(() => requireConsent(consent, other)).toThrow(NeedsConfirmation);
});

it('a consent holds for the dates that were shown, however long the person thinks', { tags: 'nightly' }, async () => {
  const questions: string[] = [];
  const answer = (message: string) => {
    questions.push(message);
    platform().clock.jump(90_000);
    return 'accept' as const;
  };
  onTestFinished(() => platform().clock.jump(-90_000));
  const { call } = await ownAssistant(platform(), { answer });
  const frequency = { value: 'once', dateRange: { from: 'yesterday', to: 'now' } };
  expect(await call('create_export_job', { ...calls[0]?.[1], frequency })).toMatchObject({ structured: { status: 'done' } });
  expect(questions).toEqual([expect.stringContaining('of 2026-11-19T00:00Z to 2026-11-20T10:00Z with sessions')]);
  expect(writes()).toMatchObject([{ body: { frequency: { dateRange: { to: '2026-11-20T10:00:00.000Z' } } } }]);
});

it('a consent is not asked for what cannot succeed', async () => {
  const answer = () => {
    throw new Error('asked');
  };
  const { call } = await ownAssistant(platform(), { answer });
  const wrong = await call('send_enrichments', { enrichments: [] });
  expect(wrong).toMatchObject(refusal('enrichments: must hold at least 1 item'));
  const unknown = await call('create_export_job', { ...calls[0]?.[1], segmentId: 'Atlantis' });
  expect(unknown).toMatchObject(refusal('there is no segment "Atlantis"'));
});

/** A client of the 2025 era that declares elicitation and does this with a question, with the forms that it was shown. */
async function openClient(answer: (ask: { forms: unknown[]; over: AbortSignal }) => unknown): Promise<Assistant & { forms: unknown[] }> {
  const forms: unknown[] = [];
  const over = new AbortController();
  const assistant = await ownAssistant(platform(), { answer: () => 'decline' });
  onTestFinished(() => over.abort());
  assistant.client.setRequestHandler('elicitation/create', async ({ params }) => {
    forms.push('requestedSchema' in params ? params.requestedSchema : undefined);
    // Whatever a client may send, the schema of its own SDK aside.
    return (await answer({ forms, over: over.signal })) as { action: 'cancel' };
  });
  return { ...assistant, forms };
}

const hang = ({ over }: { over: AbortSignal }) =>
  new Promise((_, reject) => over.addEventListener('abort', () => reject(new Error('over')), { once: true }));

describe.each(calls)('the question of %s', (tool, args, body) => {
  it('has nothing ticked', { tags: 'nightly' }, async () => {
    const { call, forms } = await openClient(() => ({ action: 'decline' }));
    await call(tool, args);
    const confirm = { type: 'boolean', title: 'Yes', default: false };
    expect(forms).toEqual([{ type: 'object', properties: { confirm }, required: ['confirm'] }]);
  });

  it.each<[string, unknown, string]>([
    ['cancelled', { action: 'cancel' }, 'was closed or could not be shown; nothing was sent'],
    ['declined', { action: 'decline' }, 'was declined, by the person or the host; nothing was sent'],
    ['accepted without an answer', { action: 'accept', content: {} }, 'came back without its box ticked; nothing was sent'],
    ['accepted without content', { action: 'accept' }, 'came back without its box ticked; nothing was sent'],
    ['accepted with no', { action: 'accept', content: { confirm: false } }, 'came back without its box ticked; nothing was sent'],
  ])('sends nothing where it is %s, whatever confirm says', { tags: 'nightly' }, async (_, answer, words) => {
    const { call } = await openClient(() => answer);
    for (const confirm of [false, true])
      expect(await call(tool, { ...args, confirm })).toMatchObject({
        isError: false,
        structured: { status: 'declined', notes: [expect.stringContaining(`The question ${words}`)] },
      });
    expect(writes()).toEqual([]);
  });

  it('that the client refuses becomes a preview, which confirm: true then sends', async () => {
    const refuse = () => {
      throw new ProtocolError(-32_601, 'Method not found');
    };
    const { call } = await openClient(refuse);
    const preview = await call(tool, args);
    expect(preview).toMatchObject({ isError: false, structured: { status: 'preview' }, text: expect.stringContaining('confirm: true') });
    expect(preview.text).toContain('The client did not answer the question');
    expect(writes()).toEqual([]);
    await call(tool, { ...args, confirm: true });
    expect(writes()).toMatchObject([{ body }]);
  });

  it('that nobody answers becomes a preview after 50 seconds, and confirm: true is not asked about again', {
    tags: 'nightly',
  }, async () => {
    const { clock } = platform();
    const { call, forms } = await openClient(hang);
    const asked = call(tool, args);
    await until(() => forms.length === 1);
    await clock.advance(49_000);
    expect(writes()).toEqual([]);
    await clock.advance(1_000);
    expect(await asked).toMatchObject({ isError: false, structured: { status: 'preview' } });
    expect(await call(tool, { ...args, confirm: true })).toMatchObject({ isError: false });
    expect(forms).toHaveLength(1);
    expect(writes()).toMatchObject([{ body }]);
  });
});
