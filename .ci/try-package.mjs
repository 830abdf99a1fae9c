// Packs the product and installs it as a newcomer does, in an empty folder with an empty home and cache; prints sizes and fails where it
// does not work.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const MAX_BYTES = 8e6;
/** A first answer within 15 s at 20 Mbit/s: what is fetched compressed, optional packages and what npm asks about them included. */
const MAX_FETCHED_BYTES = 13 * 2.5e6;
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const shell = process.platform === 'win32';
const folder = mkdtempSync(join(tmpdir(), 'package-'));

/** Bytes of all files below a folder. */
function bytesBelow(path) {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, each) => {
    const below = join(path, each.name);
    return sum + (each.isDirectory() ? bytesBelow(below) : statSync(below).size);
  }, 0);
}

/** Runs in a place that knows nothing of this machine's user, registry aside. */
function run(command, args, cwd) {
  const { PATH, npm_config_registry, NPM_CONFIG_USERCONFIG } = process.env;
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = {
    ...process.env,
    PATH,
    HOME: home,
    USERPROFILE: home,
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry,
    NPM_CONFIG_USERCONFIG,
  };
  return execFileSync(command, args, {
    cwd,
    shell,
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function install(name, tarball, ...flags) {
  const place = join(folder, name);
  mkdirSync(place);
  run(npm, ['install', '--no-audit', '--no-fund', '--loglevel=error', ...flags, tarball], place);
  const tree = JSON.parse(run(npm, ['ls', '--all', '--json', '--omit=dev'], place));
  const count = ({ dependencies = {} }) => Object.values(dependencies).reduce((sum, each) => sum + (each.version ? 1 : 0) + count(each), 0);
  const packages = count(tree);
  const bytes = bytesBelow(join(place, 'node_modules'));
  console.log(`${name}: ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  return { place, packages, bytes };
}

try {
  const [packed] = JSON.parse(run(npm, ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], process.cwd()));
  console.log(
    `tarball: ${packed.entryCount} files, ${(packed.size / 1e6).toFixed(1)} MB, unpacked ${(packed.unpackedSize / 1e6).toFixed(1)} MB`,
  );
  const tarball = join(folder, packed.filename);
  const alone = install('without-optional', tarball, '--omit=optional');
  const whole = install('with-optional', tarball);
  const fetched = packed.size + bytesBelow(join(folder, 'cache', '_cacache', 'content-v2'));
  console.log(`to fetch: ${(fetched / 1e6).toFixed(1)} MB, ${(fetched / 2.5e6).toFixed(1)} s at 20 Mbit/s`);
  if (fetched > MAX_FETCHED_BYTES) throw new Error(`At most ${MAX_FETCHED_BYTES / 1e6} MB may be fetched before a first answer.`);
  if (alone.packages !== 1 || alone.bytes > MAX_BYTES)
    throw new Error(`Without optional packages it has to be 1 package of at most ${MAX_BYTES / 1e6} MB.`);
  for (const { place } of [alone, whole]) {
    const visits = run(
      npm,
      [
        'exec',
        '--offline',
        '--',
        'web-analytics-mcp',
        'call',
        'get_site_visits',
        '{"startDate":"2026-11-01","endDate":"2026-11-07"}',
        '--demo',
        '--clock',
        '2026-11-20T10:00:00Z',
      ],
      place,
    );
    if (typeof JSON.parse(visits).rows?.[0]?.at(-1) !== 'number') throw new Error(`No visits in ${visits}`);
  }
  console.log('Both answer a question from where they are installed.');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
