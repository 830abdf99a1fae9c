import { expect, it } from 'vitest';
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

it('says which record made the platform refuse the batch', async () => {
  const answer = await call('send_enrichments', { enrichments: [record, { ...record, enrichmentNumber: 4 }], confirm: true });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('enrichments[1]') });
});
