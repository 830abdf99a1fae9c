// Tries the tests that depend most on Node with newer majors: node .ci/newer-node.mjs 24 26; with --fetch only fetches their binaries.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Plain binaries as the package registry has them, with the SHA-512 of their packages. */
const NODES = {
  22: {
    version: '22.23.2',
    x64: '95f8bed3b37b63e342cfe5ab588bbe5661e45ee4cbb83bfa24ba42007e67f8cbd9786e31f52a1219527e87c95427024a5c6c1950909d0d7a3acd9a0bc35e9118',
    arm64:
      'abf890102a9c51bd14d20cd63d1ca541b85986fcb7ea244145cc70bfd8e5dc66a53c7710af021c7b69f29a1f55ecbc25a1c451a42b29bb43f73bbbc9a4709039',
  },
  24: {
    version: '24.21.0',
    x64: 'de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced',
    arm64:
      '1692513c4cf63afbd32df8c83a5346158f492cf30a825e66f9de2819804b836e242759a6bcdd5997f1cf2601781c3689e752127afd65d5c459fc333e91e5d6e6',
  },
  26: {
    version: '26.10.0',
    x64: '3a6033b5aaebd602b83c3fac372a24bb8379438d1df1ea8cb8b8cd6bfcd1bf1177dda0ac54a54840bb385791d83d64965a53224dd9266d913fe8f8628266b487',
    arm64:
      '89d02b57f726a96f4cf4e0f21a56ce222cb1168bab0e1d66241d1274a09d31b4998e379ff422c4377a35fde138c9ff81d3ee410fe17be0ca534c7881dd75d305',
  },
};

/** The surface, the REST client with its tokens, and exports with SQL. */
const TESTS = [
  'test/surface',
  'test/api',
  'test/tools/insights/query-export.long.test.ts',
  'test/tools/insights/download-export-run.test.ts',
];

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

/** The path of the binary of a major, fetched where it is not here yet. */
function binaryOf(major) {
  const { version, [process.arch]: sum } = NODES[major];
  const folder = join('node_modules/.cache', `node${major}`);
  const path = join(folder, 'package/bin/node');
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const name = `node-linux-${process.arch}`;
  run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const archive = join(folder, `${name}-${version}.tgz`);
  if (createHash('sha512').update(readFileSync(archive)).digest('hex') !== sum) {
    console.error(`${name}@${version} is not the package whose SHA-512 is written down here.`);
    process.exit(1);
  }
  run('tar', ['-xzf', archive, '-C', folder, 'package/bin/node']);
  rmSync(archive);
  return path;
}

if (process.platform !== 'linux' || !(process.arch in NODES[22])) {
  console.log('Plain binaries of Node are fetched for Linux on x64 and arm64 alone.');
  process.exit(0);
}
const majors = process.argv.slice(2).filter((each) => each in NODES);
const isFetchOnly = process.argv.includes('--fetch');
for (const major of majors) {
  const node = binaryOf(major);
  if (isFetchOnly) continue;
  console.log(`Node ${NODES[major].version}:`);
  const projects = ['--project', 'unit', '--project', 'product', '--project', 'long', '--reporter', 'dot'];
  run(node, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...projects, ...TESTS], {
    env: { ...process.env, CI: '', NO_COLOR: '1' },
  });
}
