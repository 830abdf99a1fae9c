import { describe, expect, it } from 'vitest';
import { doctor } from '../../src/commands/doctor.ts';
import { readWorldOptions } from '../../src/commands/world-options.ts';
import { readSettings } from '../../src/settings.ts';
import { type Platform, sharedPlatform } from '../support/emulator.ts';
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
const marks = (out: string) => out.split('\n').flatMap((line) => /^([✓✗–] [\w]+):/.exec(line)?.[1] ?? []);

describe('doctor', () => {
  it('goes through settings, token, projects and one call of each family', async () => {
    const { code, out } = await captured(() => doctor(environmentOf(platform(), 'shop'), world));
    expect(marks(out)).toEqual([
      '✓ settings',
      '✓ get_credential',
      '✓ authenticate',
      '✓ list_scenarios',
      '✓ list_export_jobs',
      '✓ list_segments',
      '✓ get_site_visits',
    ]);
    expect(out).toContain(`endpoint ${platform().serviceUrl}`);
    expect(out).toMatch(/6 scenarios[^]*10 segments[^]*visits of the last 7 days: \d{5}\nAll is well\.\n$/);
    expect(code).toBe(0);
  });

  it('says what is missing when no credential is set, once', async () => {
    const { code, out } = await captured(() => doctor(readSettings({}), world));
    expect(code).toBe(1);
    expect(marks(out)).toEqual(['✓ settings', '✗ get_credential']);
    expect(out).toContain('Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET');
    expect(out).toMatch(/\n1 problem\.\n$/);
  });

  it.each<[string, keyof Platform['credentials'], string[], string]>([
    ['a credential that expired', 'expired', ['get_credential'], 'ask the user to check client id, secret and expiry'],
    ['a scope that is lacking', 'noSpeed', ['list_scenarios'], 'lacks the scope speed-analysis; it has data-export, metrics'],
    ['an account without a project', 'account', ['project'], 'set WEB_ANALYTICS_PROJECT_ID to the usual one'],
  ])('names %s and how to mend it', async (_, name, failing, words) => {
    const { code, out } = await captured(() => doctor(environmentOf(platform(), name), world));
    expect(code).toBe(1);
    expect(marks(out).filter((mark) => mark.startsWith('✗'))).toEqual(failing.map((tool) => `✗ ${tool}`));
    expect(out).toContain(words);
    expect(out).not.toContain(platform().credentials[name].clientSecret);
  });

  it('tries the token of enrichment where there is a credential for it', async () => {
    const { clientId, clientSecret } = platform().credentials.enrichment;
    const credentialOf = (secret: string) => ({
      WEB_ANALYTICS_ENRICHMENT_CLIENT_ID: clientId,
      WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET: secret,
    });
    const good = await captured(() => doctor(environmentOf(platform(), 'shop', credentialOf(clientSecret)), world));
    expect(good.out).toContain(`✓ authenticate: for enrichment: project 1201, endpoint ${platform().enrichmentUrl.slice(0, -1)}`);
    expect(good.code).toBe(0);
    const wrong = await captured(() => doctor(environmentOf(platform(), 'shop', credentialOf('wrong-secret')), world));
    expect(marks(wrong.out).at(-1)).toBe('✗ authenticate');
    expect(wrong.code).toBe(1);
  });

  it('leaves out families that are switched off', async () => {
    const settings = environmentOf(platform(), 'shop', { WEB_ANALYTICS_TOOLSETS: 'account,metrics' });
    const { code, out } = await captured(() => doctor(settings, world));
    expect(marks(out)).toEqual(expect.arrayContaining(['– list_scenarios', '– list_export_jobs', '– list_segments', '✓ get_site_visits']));
    expect(code).toBe(0);
  });

  it('tells an address that nobody answers from a wrong credential', async () => {
    const settings = environmentOf(platform(), 'shop', { WEB_ANALYTICS_AUTH_URL: 'http://127.0.0.1:9', WEB_ANALYTICS_TIMEOUT_MS: '100' });
    const { code, out } = await captured(() => doctor(settings, world));
    expect(code).toBe(1);
    expect(out).toMatch(/✗ get_credential: .*(ECONNREFUSED|refused|reach)/);
  });
});
