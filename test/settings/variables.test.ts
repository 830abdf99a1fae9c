import { expect, it } from 'vitest';
import type { Setting } from '../../src/settings/setting.ts';
import { settingDeclarations } from '../../src/settings/settings.ts';
import { missingCredential, unknownVariables } from '../../src/settings/unknown-variables.ts';

const settings: readonly Setting[] = Object.values(settingDeclarations);

it('names with the prefix that no setting has are said with the one that was meant, without their values', () => {
  const given = { WEB_ANALYTICS_READONLY: 'canary', WEB_ANALYTICS_TIMEZONE: 'canary', WEB_ANALYTICS_XQZ: 'canary', PATH: '/bin' };
  expect(unknownVariables(given)).toEqual([
    'WEB_ANALYTICS_READONLY is no setting and has no effect; did you mean WEB_ANALYTICS_READ_ONLY?',
    'WEB_ANALYTICS_TIMEZONE is no setting and has no effect; did you mean WEB_ANALYTICS_TIME_ZONE?',
    'WEB_ANALYTICS_XQZ is no setting and has no effect; --help lists the settings',
  ]);
});

it('names with the prefix that no setting has are none of those that are read, files of secrets included', () => {
  const names = settings.flatMap(({ variable, secret }) => (secret ? [variable, `${variable}_FILE`] : [variable]));
  expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

it.each([
  [{}, /^No credential is set\. Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET \(or …_SECRET_FILE\)/],
  [
    { authUrl: 'https://a.example', clientId: 'a' },
    /^The credential is incomplete\. Set WEB_ANALYTICS_CLIENT_SECRET \(or …_SECRET_FILE\),/,
  ],
  [{ clientId: 'a', clientSecret: 'b' }, /^The credential is incomplete\. Set WEB_ANALYTICS_AUTH_URL, or start with --demo/],
  [{ authUrl: 'https://a.example', clientId: 'a', clientSecret: 'b' }, /^$/],
])('what a credential lacks %j', (given, words) => expect(missingCredential(given) ?? '').toMatch(words));
