import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { credentials as keepCredentials } from '../../src/commands/credentials.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { readWorldOptions } from '../../src/commands/emulator.ts';
import { token } from '../../src/commands/token.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { type Platform, sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freshBundle } from '../support/stdio.ts';
import { captured } from './captured.ts';

const platform = sharedPlatform();
const world = await readWorldOptions({ clock: '2026-11-20T10:00:00Z' });

function environmentOf({ authUrl, credentials }: Platform, name: keyof Platform['credentials'], more: Record<string, string> = {}) {
  const { clientId, clientSecret } = credentials[name];
  return readSettings({
    WEB_ANALYTICS_AUTH_URL: authUrl,
    WEB_ANALYTICS_CLIENT_ID: clientId,
    WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    ...more,
  });
}

/** Marks and names of the checks, in order. */
const marks = (out: string) => out.split('\n').flatMap((line) => /^([✓✗–] [\w-]+):/.exec(line)?.[1] ?? []);

/** What is looked at before anything is asked of the platform. */
const BEFORE = ['✓ settings', '✓ sql-engine', '✓ pictures', '✓ data-directory'];

// What the machine says of proxies and authorities is no part of these answers.
beforeEach(() => {
  for (const name of ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'])
    vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});
beforeAll(freshBundle); // the SQL engine is a process of its own, which the build makes

describe('doctor', () => {
  it('prints the same as JSON, for scripts, a variable that no setting has as a fault', { tags: 'nightly' }, async () => {
    vi.stubEnv('WEB_ANALYTICS_READONLY', '1');
    const { code, out } = await captured(() => doctor(environmentOf(platform(), 'noSpeed'), world, true));
    const { ok, missing, version, checks } = JSON.parse(out) as {
      ok: boolean;
      missing: string[];
      version: string;
      checks: { name: string; state: string; words: string }[];
    };
    expect([code, ok, missing, version]).toEqual([1, false, ['enrichment'], about.version]);
    expect(checks.filter(({ state }) => state === 'fault')).toMatchObject([
      { name: 'variable', words: expect.stringContaining('did you mean WEB_ANALYTICS_READ_ONLY?') },
      { name: 'list_scenarios', words: expect.stringContaining('speed-analysis') },
    ]);
    expect(checks.find(({ name }) => name === 'sql-engine')).toMatchObject({
      state: 'good',
      words: expect.stringContaining('query_export works'),
    });
    expect(out).not.toContain(platform().credentials.noSpeed.clientSecret);
  });

  it('goes through settings, token, projects and one call of each family', async () => {
    const { code, out } = await captured(() => doctor(environmentOf(platform(), 'shop'), world));
    expect(marks(out)).toEqual([
      ...BEFORE,
      '✓ get_credential',
      '✓ authenticate',
      '✓ list_scenarios',
      '✓ list_export_jobs',
      '✓ list_segments',
      '✓ get_site_visits',
      '– enrichment',
    ]);
    expect(out).toContain(`endpoint ${platform().serviceUrl}`);
    expect(out).toMatch(
      /6 scenarios[^]*10 segments[^]*visits of the last 7 days: \d{5}\n[^]*\nNo problem\. Not available: enrichment\.\n$/,
    );
    expect(code).toBe(0);
  });

  it('says what is missing when no credential is set, once', async () => {
    const { code, out } = await captured(() => doctor(readSettings({}), world));
    expect(code).toBe(1);
    expect(marks(out)).toEqual([...BEFORE, '✗ get_credential']);
    expect(out).toContain('Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET');
    expect(out).toMatch(/\n1 problem\.\n$/);
  });

  it.each<[string, keyof Platform['credentials'], string[], string]>([
    ['a scope that is lacking', 'noSpeed', ['list_scenarios'], 'lacks the scope speed-analysis; it has data-export, metrics'],
    ['an account without a project', 'account', ['project'], 'set WEB_ANALYTICS_PROJECT_ID to the usual one'],
  ])('names %s and how to mend it', { tags: 'nightly' }, async (_, name, failing, words) => {
    const { code, out } = await captured(() => doctor(environmentOf(platform(), name), world));
    expect(code).toBe(1);
    expect(marks(out).filter((mark) => mark.startsWith('✗'))).toEqual(failing.map((tool) => `✗ ${tool}`));
    expect(out).toContain(words);
    expect(out).not.toContain(platform().credentials[name].clientSecret);
  });

  it('tries the token of enrichment where there is a credential for it', { tags: 'nightly' }, async () => {
    const { clientId, clientSecret } = platform().credentials.enrichment;
    const credentialOf = (secret: string) => ({
      WEB_ANALYTICS_ENRICHMENT_CLIENT_ID: clientId,
      WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET: secret,
    });
    const good = await captured(() => doctor(environmentOf(platform(), 'shop', credentialOf(clientSecret)), world));
    expect(good.out).toContain(`✓ authenticate: for enrichment: project 1201, endpoint ${platform().enrichmentUrl.slice(0, -1)}`);
    expect(good).toMatchObject({ code: 0, out: expect.stringMatching(/\nAll is well\.\n$/) });
    const wrong = await captured(() => doctor(environmentOf(platform(), 'shop', credentialOf('wrong-secret')), world));
    expect(marks(wrong.out).at(-1)).toBe('✗ authenticate');
    expect(wrong.code).toBe(1);
  });

  it('leaves out families that are switched off', { tags: 'nightly' }, async () => {
    const settings = environmentOf(platform(), 'shop', { WEB_ANALYTICS_TOOLSETS: 'account,metrics' });
    const { code, out } = await captured(() => doctor(settings, world));
    expect(marks(out)).toEqual(expect.arrayContaining(['– list_scenarios', '– list_export_jobs', '– list_segments', '✓ get_site_visits']));
    expect(code).toBe(0);
  });

  it('says one cause once, also where the tools of the credential are switched off', async () => {
    const settings = environmentOf(platform(), 'expired', { WEB_ANALYTICS_TOOLSETS: 'metrics,data-export' });
    const { code, out } = await captured(() => doctor(settings, world));
    expect([code, marks(out)]).toEqual([1, [...BEFORE, '✗ get_credential']]);
    expect(out).toMatch(/^(?!.*the user).* Check client ID and secret; a credential expires after one year\.\n1 problem\.\n$/s);
  });

  it('tells an address that nobody answers from a wrong credential', async () => {
    const settings = environmentOf(platform(), 'shop', { WEB_ANALYTICS_AUTH_URL: 'http://127.0.0.1:9', WEB_ANALYTICS_TIMEOUT_MS: '5000' });
    const { code, out } = await captured(() => doctor(settings, world));
    expect(code).toBe(1);
    expect(out).toContain('✗ get_credential: 127.0.0.1:9 refused the connection. WEB_ANALYTICS_AUTH_URL sets this address.');
  });
});

describe('doctor of a served team', () => {
  const team = (environment: Record<string, string>) =>
    readSettings(Object.fromEntries(Object.entries(environment).map(([name, value]) => [`WEB_ANALYTICS_${name}`, value])));

  it('says whether callers could sign in, and whether their credentials open', { tags: 'nightly' }, async () => {
    const folder = temporaryFolder();
    const files = { TOKENS_FILE: join(folder, 'tokens.json'), CREDENTIALS_FILE: join(folder, 'credentials.json') };
    const settings = team({ ...files, CREDENTIALS_KEY: randomBytes(32).toString('base64') });
    const missing = await captured(() => doctor(settings, world));
    expect(missing).toMatchObject({
      code: 1,
      out: expect.stringMatching(/✗ sign-in: .*There is no file .*✗ credentials: .*2 problems\.\n$/s),
    });
    await captured(() => token(settings, ['create', 'alice']));
    await captured(() => keepCredentials(settings, ['add', 'alice'], Readable.from(['{"clientId":"a","clientSecret":"canary"}'])));
    const { code, out } = await captured(() => doctor(settings, world));
    expect([code, marks(out)]).toEqual([0, [...BEFORE, '✓ sign-in', '✓ credentials', '– calls']]);
    const other = await captured(() => doctor({ ...settings, credentialsKey: randomBytes(32).toString('base64') }, world));
    expect(other).toMatchObject({ code: 1, out: expect.stringContaining('✗ credentials: WEB_ANALYTICS_CREDENTIALS_KEY: is not the key') });
    expect(missing.out + out + other.out).not.toContain('canary');
  });
});
