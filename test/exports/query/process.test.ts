import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Message, runSql } from '../../../src/exports/query/sql-process.ts';
import { isRunning } from '../../../src/exports/store/lock.ts';
import { temporaryFolder } from '../../support/folder.ts';

const SCRIPT = resolve('dist/sql-process.js');
const ENDLESS = 'SELECT count(*) FROM range(1000000000000)';
const readable = { views: ['data'], setup: ['CREATE VIEW data AS SELECT 1 AS a'], files: [] };
const statement = { sql: ENDLESS, maxRows: 10, maxChars: 1000 };
const request = { ...readable, ...statement };
const machine = { memoryBytes: 2 ** 28, slackBytes: 2 ** 30, threads: 1 };

it('says so where DuckDB is not installed', async () => {
  const directory = temporaryFolder();
  cpSync(SCRIPT, join(directory, 'sql-process.js'));
  cpSync('dist/chunks', join(directory, 'chunks'), { recursive: true });
  const running = runSql(request, { directory, holder: 'test', timeoutMs: 10_000, script: join(directory, 'sql-process.js') });
  await expect(running).rejects.toMatchObject({ reason: 'missing package' });
});

it('says so where the process cannot be started', async () => {
  const running = runSql(request, { directory: '/no/such/directory', holder: 'test', timeoutMs: 10_000 });
  await expect(running).rejects.toMatchObject({ name: 'SqlError', reason: 'start' });
});

it('ends with whoever started it, in the middle of a query too', { tags: 'nightly' }, async () => {
  const starter = `
    const child = require('node:child_process').fork(${JSON.stringify(SCRIPT)}, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', ({ kind }) => kind === 'ready' && console.log(child.pid));
    for (const message of ${JSON.stringify([
      { readable, machine },
      { kind: 'select', ...statement },
    ])}) child.send(message);`;
  const parent = spawn(process.execPath, ['--eval', starter], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5_000 });
});

it('ends itself where it takes more memory than it may, although the limit of DuckDB does not see it', { tags: 'nightly' }, async () => {
  const child = fork(SCRIPT, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const messages: Message[] = [];
  child.on('message', (message: Message) => messages.push(message));
  child.send({ readable, machine: { ...machine, slackBytes: 0, memoryBytes: 2 ** 26 } });
  child.send({ kind: 'select', ...statement });
  await once(child, 'close');
  expect(messages.at(-1)).toMatchObject({ kind: 'failure', reason: 'memory' });
});
