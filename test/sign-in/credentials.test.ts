import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCredentialsFile } from '../../src/sign-in/credentials.ts';
import { temporaryFolder } from '../support/folder.ts';

const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
const ALICE = { credential: { clientId: 'canary-id-alice', clientSecret: 'canary-secret-alice' }, defaultProjectId: 1201 };
const BOB = {
  credential: { clientId: 'canary-id-bob', clientSecret: 'canary-secret-bob' },
  enrichmentCredential: { clientId: 'canary-id-shop', clientSecret: 'canary-secret-shop' },
};
/** The credential of alice as it was sealed with the key of 32 bytes 5a. */
const SEALED =
  'v1.pX5_tqQT.BxYiFw3M_a7ZHRkSQQs3KF6ls4uFVFR2oa0cnYUrKvR9TNEGeXes5owFMKbPVt3NZBjjWjpZTnm4h19wJP-AdLF9' +
  'Gu_YsX6v3FNtzHFp1TNK5er0wB8oDIEceoJlRGwy7_zmPPd63QhO-FoWZLtpci9f_RkXdMdedeCMLGgTb4uUboaWFfk';
const alice = { id: 'https://issuer.example.com#alice' };
const bob = { id: 'token:bob' };

interface Stored {
  readonly version: number;
  readonly credentials: { principal: string; changedAt: string; sealed: string }[];
}

/** A file with the credentials of alice and bob. */
async function place() {
  const path = join(temporaryFolder(), 'credentials.json');
  const secret = randomBytes(32).toString('base64');
  const logged: string[] = [];
  const open = (key = secret) =>
    openCredentialsFile({ path, secret: key, log: (level, message) => void logged.push(`${level}: ${message}`) });
  const file = open();
  await file.put(alice.id, ALICE, NOW_MS);
  await file.put(bob.id, BOB, NOW_MS);
  const stored = () => JSON.parse(readFileSync(path, 'utf8')) as Stored;
  const write = (content: unknown) => writeFileSync(path, JSON.stringify(content));
  return { path, file, open, stored, write, logged };
}

it.each(['https://issuer.example.com#bob', 'token:alice', 'alice', '', '__proto__', 'https://issuer.example.com#alice '])(
  'the credential of a principal is no other one when there is none: "%s"',
  async (id) => {
    const { file } = await place();
    await expect(file.credentialsOf({ id })).rejects.toThrow(
      `This server has no platform credential for you. Ask its operator to add one for "${id}".`,
    );
  },
);

it('the credential of a principal is replaced and removed, and counts at once', async () => {
  const { file, open } = await place();
  await open().put(alice.id, BOB, NOW_MS);
  expect(await file.credentialsOf(alice)).toEqual(BOB);
  expect(await open().remove(alice.id)).toBe(true);
  expect(await open().remove(alice.id)).toBe(false);
  await expect(file.credentialsOf(alice)).rejects.toThrow('no platform credential for you');
  expect(await file.credentialsOf(bob)).toEqual(BOB);
});

it('the credential of a principal is not readable in the file, nor in the list', async () => {
  const { path, file } = await place();
  const listed = await file.list();
  expect(listed).toEqual([
    { principal: alice.id, changedAt: '2026-11-20T10:00:00.000Z', defaultProjectId: 1201, hasEnrichment: false },
    { principal: bob.id, changedAt: '2026-11-20T10:00:00.000Z', defaultProjectId: undefined, hasEnrichment: true },
  ]);
  expect(readFileSync(path, 'utf8') + JSON.stringify(listed)).not.toMatch(/canary|Y2FuYXJ5/);
});

it.each<[string, (stored: Stored) => unknown]>([
  [
    'entries that changed places',
    ({ version, credentials: [a, b] }) => ({
      version,
      credentials: [
        { ...a, sealed: b?.sealed },
        { ...b, sealed: a?.sealed },
      ],
    }),
  ],
  ['an entry under another name', ({ version, credentials: [a, b] }) => ({ version, credentials: [{ ...b, principal: a?.principal }] })],
  ['another date', ({ version, credentials: [a] }) => ({ version, credentials: [{ ...a, changedAt: '2027-01-01T00:00:00.000Z' }] })],
  [
    'a changed character',
    ({ version, credentials: [a] }) => ({
      version,
      credentials: [{ ...a, sealed: a?.sealed.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')) }],
    }),
  ],
  ['an entry that is cut', ({ version, credentials: [a] }) => ({ version, credentials: [{ ...a, sealed: a?.sealed.slice(0, 30) }] })],
])('the file of credentials does not open after %s', async (_name, change) => {
  const { file, stored, write } = await place();
  write(change(stored()));
  await expect(file.credentialsOf(alice)).rejects.toThrow(
    /^Your platform credential cannot be used: it was changed since it was written\. Ask the operator/,
  );
  expect(await file.list()).toEqual(
    expect.arrayContaining([expect.objectContaining({ principal: alice.id, hasEnrichment: false, fault: 'damaged' })]),
  );
});

it('the file of credentials opens with its own key alone, and takes no entry under another', async () => {
  const { open, path } = await place();
  const other = open(randomBytes(32).toString('base64'));
  await expect(other.credentialsOf(alice)).rejects.toThrow('it was encrypted with another key than WEB_ANALYTICS_CREDENTIALS_KEY');
  expect((await other.list()).map(({ fault }) => fault)).toEqual(['other key', 'other key']);
  const before = readFileSync(path, 'utf8');
  await expect(other.put('token:eve', ALICE, NOW_MS)).rejects.toThrow('was encrypted with another key');
  expect(readFileSync(path, 'utf8')).toBe(before);
});

it('the file of credentials that cannot be read opens no session; the path is for the log', async () => {
  const { file, write, path, logged } = await place();
  write({ version: 2 });
  const failure: unknown = await file.credentialsOf(alice).catch((error: unknown) => error);
  expect(String(failure)).toBe('CredentialsError: The credentials of this server cannot be read. Report it to its operator.');
  expect(logged).toEqual([
    `error: No session can be opened. The file ${path} holds no credentials of this version. ` +
      'Restore it, or move it away and begin a new one.',
  ]);
});

it('the file of credentials of an earlier day opens with the same key', async () => {
  const path = join(temporaryFolder(), 'credentials.json');
  writeFileSync(
    path,
    JSON.stringify({ version: 1, credentials: [{ principal: alice.id, changedAt: '2026-11-20T10:00:00.000Z', sealed: SEALED }] }),
  );
  chmodSync(path, 0o600);
  const file = openCredentialsFile({ path, secret: '5a'.repeat(32), log: () => undefined });
  expect(await file.credentialsOf(alice)).toEqual(ALICE);
});

it('the version of a credential changes with each change of the entry, and with no other', async () => {
  const { file, open } = await place();
  const first = await file.versionOf(alice);
  expect(await open().versionOf(alice)).toBe(first);
  expect(await file.versionOf(bob)).not.toBe(first);
  await open().put(bob.id, ALICE, NOW_MS);
  expect(await file.versionOf(alice)).toBe(first);
  // The same credential again, at the same instant.
  await open().put(alice.id, ALICE, NOW_MS);
  const second = await file.versionOf(alice);
  expect(second).not.toBe(first);
  expect(await file.versionOf(alice)).toBe(second);
});

it('the version of a credential is "none" where there is no entry, or no file that can be read', async () => {
  const { file, open, write } = await place();
  await open().remove(alice.id);
  expect(await file.versionOf(alice)).toBe('none');
  expect(await file.versionOf(bob)).not.toBe('none');
  write({ version: 2 });
  expect(await file.versionOf(bob)).toBe('none');
});
