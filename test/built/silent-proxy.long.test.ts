/** @module-tag nightly */
import { beforeAll, expect, it } from 'vitest';
import { printedBy } from '../support/printed.ts';
import { startProxy } from '../support/proxy.ts';
import { freshBundle } from '../support/stdio.ts';

beforeAll(freshBundle);

it('a proxy that never answers is named before the call is given up', async () => {
  const { url } = await startProxy({ refusal: Number.POSITIVE_INFINITY });
  const printed = await printedBy('dist', ['call', 'get_credential', '{}'], {
    HTTPS_PROXY: url,
    WEB_ANALYTICS_AUTH_URL: 'https://auth.invalid',
    WEB_ANALYTICS_CLIENT_ID: 'id',
    WEB_ANALYTICS_CLIENT_SECRET: 'secret',
  });
  expect(printed).toContain(`The proxy ${url} of HTTPS_PROXY did not take the connection in time. It is on the way to auth.invalid.`);
  expect(printed).not.toContain('WEB_ANALYTICS_AUTH_URL');
});
