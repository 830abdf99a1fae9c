import { join, relative } from 'node:path';
import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { defaultDataDirectory } from '../../../src/commands/directories.ts';
import { fileAddressFault } from '../../../src/exports/download/file-store.ts';
import { projectDirectory, runDirectory, runManifest, safeName } from '../../../src/exports/store/manifest.ts';

const OWNER = { dir: '/data', principal: 'local', authUrl: 'https://auth.example.com', projectId: 7 };

it('directories are named after whose data they hold, and lie below the data directory whatever the name is', () => {
  expect(projectDirectory(OWNER)).toMatch(/^\/data\/local-[0-9a-f]{24}\/https-auth-example-com-[0-9a-f]{24}\/7$/);
  expect(runDirectory('/p', { jobId: 1, runId: 2 })).toBe(join('/p', '1', '2'));
  const texts = ['..', '../..', '/etc', 'a/b', 'a\\b', '', ' ', '.', 'C:\\x', 'con', '%2e%2e%2f', 'é'.repeat(999)];
  const hostile = [...texts, '\u0000', '\u202e', '\ud800', '\ufffd', '\ud801'];
  for (const principal of hostile) {
    expect(safeName(principal)).toMatch(/^[a-z0-9-]{24,65}$/);
    expect(relative('/data', projectDirectory({ ...OWNER, principal, authUrl: principal })).split('/')).toHaveLength(3);
  }
  expect(new Set(hostile.map(safeName)).size).toBe(hostile.length);
});

it('directories of two owners never are the same, also where a system ignores case', () => {
  assert(property(string(), string(), (a, b) => a === b || safeName(a).toLowerCase() !== safeName(b).toLowerCase()));
  expect(safeName('Anna')).not.toBe(safeName('anna'));
});

it('directories are not made of ids that are none', () => {
  for (const id of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => runDirectory('/p', { jobId: id, runId: 1 })).toThrow('is not a valid id');
});

it('directories lie where the system keeps the data of users', () => {
  expect(defaultDataDirectory({}, 'linux', '/home/a')).toBe('/home/a/.local/share/web-analytics-mcp');
  expect(defaultDataDirectory({ XDG_DATA_HOME: '/d' }, 'linux', '/home/a')).toBe('/d/web-analytics-mcp');
  expect(defaultDataDirectory({}, 'darwin', '/Users/a')).toBe('/Users/a/Library/Application Support/web-analytics-mcp');
  expect(defaultDataDirectory({ LOCALAPPDATA: '/l' }, 'win32', '/u')).toContain('/l');
});

it('a manifest names files inside its own directory alone', () => {
  const file = runManifest.shape.files.element;
  const named = (name: string) => file.safeParse({ name, bytes: 1, sha256: 'a', gzip: false }).success;
  expect(['part-00001.jsonl.gz', 'a'].map(named)).toEqual([true, true]);
  expect(['../a', '/etc/passwd', '.hidden', 'a/b', 'a\\b', '', '..'].map(named)).toEqual(Array.from({ length: 7 }, () => false));
});

it.each([
  ['is not https', ['http://store.example.com/a', 'ftp://store.example.com/a', 'file:///etc/passwd']],
  ['carries a user name or a password', ['https://user@store.example.com/a']],
  ['is not a valid address', ['nonsense']],
  [
    'leads into this machine or the network behind it',
    'localhost 127.0.0.1 2130706433 0x7f.1 10.1.2.3 169.254.169.254 [::1] [::ffff:10.0.0.1] [fd00::1]'
      .split(' ')
      .map((host) => `https://${host}/a`),
  ],
])('addresses of files %s: it is not asked', (fault, addresses) => {
  for (const address of addresses) expect(fileAddressFault(address, { allowInner: false }), address).toBe(fault);
});

it('addresses of files outside are asked; those inside only where the whole platform is there', () => {
  expect(fileAddressFault('https://store.example.com/a?signature=x', { allowInner: false })).toBeUndefined();
  expect(fileAddressFault('https://8.8.8.8/a', { allowInner: false })).toBeUndefined();
  expect(fileAddressFault('http://127.0.0.1:9000/a', { allowInner: true })).toBeUndefined();
});
