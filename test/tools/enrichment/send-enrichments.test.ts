import { describe, expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { call, platform } = useTools();
const record = { userId: '7310224081552637899', sessionNumber: 2, enrichmentNumber: 1, enrichment: { agent: 'Mia', seconds: 184 } };
const received = () => platform().world.exports.enrichments.list(1201);

it('shows the batch, and sends it as a form when confirmed', async () => {
  const preview = await call('send_enrichments', { enrichments: [record] });
  expect(received()).toEqual([]);
  const answer = await call('send_enrichments', { enrichments: [record], integrationVersion: '1.2', confirm: true });
  expect(received()).toMatchObject([{ userId: record.userId, values: record.enrichment }]);
  const { headers, body } = platform().requests.at(-1) ?? {};
  expect(headers?.['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(new URLSearchParams(String(body)))).toEqual({
    projectId: '1201',
    integrationVersion: '1.2',
    enrichments: JSON.stringify([record]),
  });
  expect([whole(preview), whole(answer)].join('\n\n')).toMatchSnapshot();
});

it('sends JSON when asked to, and overwrites what it sent before', async () => {
  const again = { ...record, enrichment: { agent: 'Ole' } };
  await call('send_enrichments', { enrichments: [again], encoding: 'json', confirm: true });
  expect(platform().requests.at(-1)?.body).toEqual({ projectId: 1201, enrichments: [again] });
  expect(received()).toMatchObject([{ values: { agent: 'Ole' } }]);
});

describe('a batch with bad records', () => {
  const other = { ...record, sessionNumber: 3 };
  it.each<[string, unknown, RegExp]>([
    ['no session', { userId: '1', enrichmentNumber: 1, enrichment: { a: 1 } }, /enrichments\[1\]\.sessionNumber: is required/],
    ['an enrichmentNumber beyond 3', { ...other, enrichmentNumber: 4 }, /enrichments\[1\]\.enrichmentNumber: must be at most 3/],
    ['an unknown member', { ...other, transaction: 7 }, /enrichments\[1\]\.transaction: is not known here/],
    ['no field', { ...other, enrichment: {} }, /enrichments\[1\]\.enrichment: holds no field/],
    [
      'a field that holds an object',
      { ...other, enrichment: { a: { b: 1 } } },
      /enrichments\[1\]\.enrichment\.a: must be a text, a number/,
    ],
    ['a user id that is no number', { ...other, userId: 'mia' }, /enrichments\[1\]\.userId: must be an unsigned 64-bit number/],
    ['the place of an earlier record', { ...record, enrichment: { agent: 'Ole' } }, /enrichments\[1\]: repeats enrichments\[0\]/],
  ])('is refused for %s, by its position, before anything is shown or sent', async (_, bad, words) => {
    const answer = await call('send_enrichments', { enrichments: [record, bad], confirm: true });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(words) });
    expect(answer.text).toContain('The other 1 are in order: skipInvalid: true sends only these.');
    expect(platform().requests.filter(({ operation }) => operation === 'sendEnrichments')).toEqual([]);
  });

  it('names every bad record by its position', async () => {
    const enrichments = Array.from({ length: 15 }, (_, index) => ({ ...record, sessionNumber: index, enrichmentNumber: 9 }));
    const { text } = await call('send_enrichments', { enrichments });
    expect(text).toMatch(/^15 of 15 records cannot be sent: .*enrichments\[9\].*; likewise the records at 10, 11, 12, 13, 14\./);
    expect(text).not.toContain('skipInvalid');
  });

  it('sends the good ones when asked to, and says which were left out', async () => {
    const enrichments = [{ ...other, enrichmentNumber: 0 }, other];
    const preview = await call('send_enrichments', { enrichments, skipInvalid: true });
    expect(preview.structured).toMatchObject({ status: 'preview', request: { body: { enrichments: [other] } } });
    const answer = await call('send_enrichments', { enrichments, skipInvalid: true, confirm: true });
    expect(answer.structured).toMatchObject({ status: 'done', sent: 1, skipped: [0] });
    expect(answer.text).toContain('enrichments[0].enrichmentNumber: must be at least 1');
  });
});
