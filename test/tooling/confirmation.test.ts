import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { digestOf, NeedsConfirmation, requireConsent } from '../../src/tooling/confirmation.ts';
import { withAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

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

/** One call of each confirmed tool, with what has to leave the server. */
const calls: readonly (readonly [tool: string, args: Record<string, unknown>, body: Record<string, unknown>])[] = [
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
  ],
  [
    'send_enrichments',
    { enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { a: 1 } }], encoding: 'json' },
    { projectId: 1201, enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { a: 1 } }] },
  ],
  ['delete_speed_event', { key: 'mark' }, { key: 'mark' }],
];

describe.each(calls)('%s where the client cannot ask', (tool, args, body) => {
  it('sends nothing and shows exactly what confirm: true then sends', async () => {
    await withAssistant(platform(), {}, async ({ call }) => {
      const preview = await call(tool, args);
      const { request } = preview.structured as { request: { method: string; path: string; project: number; body: unknown } };
      expect(preview).toMatchObject({ isError: false, structured: { status: 'preview' }, text: expect.stringContaining('confirm: true') });
      expect(request).toMatchObject({ project: 1201, body });
      expect(writes()).toEqual([]);

      await call(tool, { ...args, confirm: false });
      expect(writes()).toEqual([]);

      await call(tool, { ...args, confirm: true });
      expect(writes()).toEqual([{ method: request.method, path: request.path, body }]);
    });
  });
});

describe.each(calls)('%s where the client can ask', (tool, args, body) => {
  it('puts the whole request to the person, and sends it once when it is accepted', async () => {
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      expect(writes()).toEqual([]);
      return 'accept' as const;
    };
    await withAssistant(platform(), { answer }, async ({ call }) => {
      await call(tool, args);
      expect(questions).toEqual([
        expect.stringMatching(
          /^\w.*: send this\?\n(?:An equal job exists: .*\n|"Mark" of .*\n)?POST \/v1\/.* \(project 1201\)(, sent as .*)?\n\{/,
        ),
      ]);
      expect(JSON.parse(questions[0]?.replace(/^[^{]*/, '') ?? '')).toEqual(body);
      expect(writes()).toMatchObject([{ body }]);
    });
  });

  it('sends nothing when it is declined, whatever confirm says', async () => {
    await withAssistant(platform(), { answer: () => 'decline' }, async ({ call }) => {
      const answer = await call(tool, { ...args, confirm: true });
      expect(answer).toMatchObject({
        isError: false,
        structured: { status: 'declined', notes: ['The person declined; nothing was sent.'] },
      });
      expect(writes()).toEqual([]);
    });
  });
});

describe('a consent', () => {
  it('holds for one request alone', () => {
    const request = { method: 'POST', path: '/v1/exports', project: 1201, body: { name: 'a' } };
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

  it('holds for the dates that were shown, however long the person thinks', async () => {
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      platform().clock.jump(90_000);
      return 'accept' as const;
    };
    onTestFinished(() => platform().clock.jump(-90_000));
    await withAssistant(platform(), { answer }, async ({ call }) => {
      const frequency = { value: 'once', dateRange: { from: 'yesterday', to: 'now' } };
      expect(await call('create_export_job', { ...calls[0]?.[1], frequency })).toMatchObject({ structured: { status: 'done' } });
      expect(questions).toEqual([expect.stringContaining('"to": "2026-11-20T10:00:00.000Z"')]);
      expect(writes()).toMatchObject([{ body: { frequency: { dateRange: { to: '2026-11-20T10:00:00.000Z' } } } }]);
    });
  });

  it('is not asked for what only adds a note', async () => {
    await withAssistant(platform(), { answer: () => 'decline' }, async ({ call }) => {
      expect(await call('create_speed_event', { key: 'a', text: 'A', date: 'now' })).toMatchObject({
        isError: false,
        structured: { key: 'a' },
      });
    });
  });

  it('is not asked for what cannot succeed', async () => {
    const answer = () => {
      throw new Error('asked');
    };
    await withAssistant(platform(), { answer }, async ({ call }) => {
      const wrong = await call('send_enrichments', { enrichments: [] });
      expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('enrichments: must hold at least 1 item') });
      const unknown = await call('create_export_job', { ...calls[0]?.[1], segmentId: 'Atlantis' });
      expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('there is no segment "Atlantis"') });
    });
  });
});

it('the form of a deletion has no default answer; that of other writes has', async () => {
  const asked = async (tool: string, args: Record<string, unknown>) => {
    const forms: unknown[] = [];
    await withAssistant(platform(), { answer: () => 'decline' }, async ({ client }) => {
      client.setRequestHandler('elicitation/create', ({ params }) => {
        forms.push('requestedSchema' in params ? params.requestedSchema : undefined);
        return { action: 'decline' };
      });
      await client.callTool({ name: tool, arguments: args });
    });
    return forms;
  };
  const form = { type: 'object' };
  const confirm = { type: 'boolean', title: 'Send it' };
  expect(await asked('delete_speed_event', { key: 'mark' })).toEqual([{ ...form, properties: { confirm } }]);
  const enrichment = { userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { a: 1 } };
  expect(await asked('send_enrichments', { enrichments: [enrichment], encoding: 'json' })).toEqual([
    { ...form, properties: { confirm: { ...confirm, default: true } } },
  ]);
});
