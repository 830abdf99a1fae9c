import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fetchJson, openSignIn, signInReport } from '../../src/commands/sign-in.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { AUDIENCE, stubIssuer } from '../support/issuer.ts';
import { listen } from '../support/stub-platform.ts';

/** The sign-in of these settings, with what it logged. */
async function opened(environment: Record<string, string>) {
  const logged: string[] = [];
  const signIn = await openSignIn(readSettings(environment), {
    clock: systemClock,
    log: (level, message) => void logged.push(`${level}: ${message}`),
  });
  return { signIn, logged };
}

it('sign-in by the settings is none where nothing is set', async () => {
  expect((await opened({})).signIn).toBeUndefined();
});

it('sign-in by the settings reads the keys of the issuer over HTTP', async () => {
  const issuer = await stubIssuer(systemClock, 'RS256');
  await issuer.listen();
  const { signIn } = await opened({ WEB_ANALYTICS_ISSUER: issuer.issuer, WEB_ANALYTICS_AUDIENCE: AUDIENCE });
  const answer = await signIn?.authenticate({ authorization: `Bearer ${await issuer.token()}` });
  expect(answer).toMatchObject({ principal: { id: `${issuer.issuer}#alice` } });
  expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
});

it('sign-in by the settings that finds no issuer says why in the log, is a fault to doctor, and asks for patience', async () => {
  const { url, server } = await listen(() => undefined);
  server.close();
  const environment = { WEB_ANALYTICS_ISSUER: url, WEB_ANALYTICS_AUDIENCE: AUDIENCE };
  const { signIn, logged } = await opened(environment);
  const issuer = await stubIssuer(systemClock);
  const token = await issuer.token();
  expect(await signIn?.authenticate({ authorization: `Bearer ${token}` })).toMatchObject({ challenge: { status: 503 } });
  expect(logged.join('\n')).toMatch(/^warn: The keys of the issuer could not be read\. .* refused the connection\.$/);
  expect(logged.join('\n')).not.toContain(token);
  expect(await signInReport(readSettings(environment))).toMatchObject([{ name: 'sign-in', state: 'fault' }]);
});

it('sign-in by the settings is not opened with both an issuer and a file, or without the file', async () => {
  const path = join(temporaryFolder(), 'tokens.json');
  const both = { WEB_ANALYTICS_ISSUER: 'https://login.example.com', WEB_ANALYTICS_AUDIENCE: AUDIENCE, WEB_ANALYTICS_TOKENS_FILE: path };
  await expect(opened(both)).rejects.toThrow('expected either this or WEB_ANALYTICS_ISSUER, not both');
  await expect(opened({ WEB_ANALYTICS_TOKENS_FILE: path })).rejects.toThrow(`WEB_ANALYTICS_TOKENS_FILE: There is no file ${path} yet.`);
  writeFileSync(path, '{"version":1,"tokens":[]}', { mode: 0o600 });
  expect((await opened({ WEB_ANALYTICS_TOKENS_FILE: path })).signIn).toBeDefined();
});

it.each<[string, (url: string) => { status: number; headers?: Record<string, string>; body: string }, string]>([
  ['an error', () => ({ status: 500, body: 'canary' }), 'answered 500.'],
  ['a redirect', (url) => ({ status: 302, headers: { location: `${url}/keys` }, body: '' }), 'answered 302.'],
  ['a page', () => ({ status: 200, body: '<html>canary' }), 'answered is not JSON.'],
  ['too much', () => ({ status: 200, body: ' '.repeat(300 * 1024) }), 'larger than 256 KB'],
])('a document of an issuer is not taken from %s', async (_name, answer, words) => {
  const asked: string[] = [];
  const { url } = await listen((request, response) => {
    asked.push(request.url ?? '');
    const { status, headers = {}, body } = answer(`http://${request.headers.host}`);
    response.writeHead(status, headers).end(body);
  });
  const failure: unknown = await fetchJson(`${url}/metadata`).catch((error: unknown) => error);
  expect(String(failure)).toContain(words);
  expect(String(failure)).not.toContain('canary');
  expect(asked).toEqual(['/metadata']);
});
