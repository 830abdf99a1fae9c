import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellWords, startCommand } from '../../src/commands/about.ts';

it('an installed package is started by name, so that no host is given a path into a cache of npm', () => {
  const cached = join('/', 'home', 'ann', '.npm', '_npx', '1f2e', 'node_modules', 'web-analytics-mcp', 'dist', 'main.js');
  expect(startCommand(cached, ['--demo'])).toEqual({ command: 'npx', args: ['-y', 'web-analytics-mcp', '--demo'] });
});

it('a checkout is started by its file, quoted for a shell where that is needed', () => {
  const server = startCommand('/home/ann/my work/dist/main.js', ['--demo']);
  expect(server).toEqual({ command: 'node', args: ['/home/ann/my work/dist/main.js', '--demo'] });
  expect(shellWords(server)).toBe('node "/home/ann/my work/dist/main.js" --demo');
});
