import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { join } from 'node:path/posix';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../src/commands/command-line.ts';
import { documentPages } from './support/documents.ts';
import { temporaryFolder } from './support/folder.ts';
import { textOf } from './support/sources.ts';
import { freshBundle } from './support/stdio.ts';

/** Lines of shell in the documents that begin with the product's own name; what goes on until somebody stops it is left to other tests. */
const ownCommands = documentPages.flatMap((page) =>
  [...textOf(page).matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = '']) =>
    block
      .split('\n')
      .filter((line) => /^(npx -y )?web-analytics-mcp /.test(line) && !/ (serve|emulator)\b/.test(line))
      .map((line) => line.replace(/^npx -y /, '').replace(/\s+#.*$/, '')),
  ),
);

describe('commands of the documents', () => {
  let bundle = '';
  beforeAll(async () => void (bundle = resolve(await freshBundle())));

  it('are those that exist', () => {
    expect(ownCommands.length).toBeGreaterThan(4);
    expect(ownCommands.map((line) => line.split(' ')[1]).filter((command) => !Object.hasOwn(commands, command ?? ''))).toEqual([]);
  });

  it.each(ownCommands)('%s', { tags: 'nightly' }, async (line) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'secrets')); // as the page of the container does
    const [, ...words] = (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
    const files = {
      WEB_ANALYTICS_TOKENS_FILE: join(folder, 'tokens.json'),
      WEB_ANALYTICS_CREDENTIALS_FILE: join(folder, 'credentials.json'),
      WEB_ANALYTICS_CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const env = { PATH: process.env['PATH'], ...(/^(token|credentials)$/.test(words[0] ?? '') && files) };
    const running = promisify(execFile)(process.execPath, [bundle, ...words], { cwd: folder, env });
    running.child.stdin?.end('{"clientId":"a","clientSecret":"b"}');
    const { code, said } = await running.then(
      ({ stderr }) => ({ code: 0, said: stderr }),
      (error: { code: number; stderr: string; stdout: string }) => ({ code: error.code, said: error.stderr + error.stdout }),
    );
    // A broken speed budget is an answer, as the page says.
    const isGood = code === 0 || (code === 3 && line.includes('check_speed_budgets'));
    expect(isGood ? 'works' : said).toBe('works');
  });
});
