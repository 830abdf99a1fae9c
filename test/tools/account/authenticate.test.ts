import { expect, it } from 'vitest';
import { refusal, useTools, whole } from '../support.ts';

const { call, platform, sent } = useTools();

it('gets a token for all that is needed, tells everything but the token, and reuses it', async () => {
  const answer = await call('authenticate');
  expect(answer.structured).toMatchObject({ projectId: 1201, endpoint: platform().serviceUrl, fromCache: false });
  expect((await call('authenticate')).structured).toMatchObject({ fromCache: true });
  expect(sent('requestToken')).toHaveLength(1);
  expect(whole(answer)).toMatchSnapshot();
});

it('renews on demand, for the scope and project that are named', async () => {
  const answer = await call('authenticate', { scope: 'session-replay', renew: true, projectId: 1203 });
  expect(answer.structured).toMatchObject({ scope: 'session-replay', projectId: 1203, fromCache: false });
  expect(platform().requests.at(-1)?.body).toMatchObject({ scope: 'session-replay', project_id: 1203 });
});

it('keeps enrichment apart', async () => {
  const together = await call('authenticate', { scope: 'metrics enrichment' });
  expect(together).toMatchObject(refusal('enrichment cannot be combined'));
  expect((await call('authenticate', { scope: 'enrichment' })).structured).toMatchObject({
    scope: 'enrichment',
    endpoint: platform().enrichmentUrl.replace(/\/$/, ''),
  });
});
