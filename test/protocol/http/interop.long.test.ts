import { describe, expect, it } from 'vitest';
import { sharedPlatform } from '../../support/emulator.ts';
import { hostNames, openHttpHost } from '../../support/hosts.ts';
import { someOf } from '../../support/sample-size.ts';
import { startHttpServer } from '../../support/stdio.ts';
import { INTEROP_ARGS, itServes } from '../interop.ts';

const platform = sharedPlatform();

describe.each(someOf(hostNames, 1))('a host on %s, over HTTP', (name) => {
  const host = itServes(name, {
    async open(options) {
      const server = await startHttpServer([...INTEROP_ARGS, '--log-level', 'warn', '--log-format', 'words']);
      return { server, ...(await openHttpHost(name, server.url, options)) };
    },
    close: ({ server }) => server.stop(),
    platform,
  });

  it('left nothing on stdout, and on stderr only where the server listens', () => {
    const { server } = host();
    expect([...server.lines, server.rest()]).toEqual(['']);
    expect(server.stderr()).toBe(`web-analytics-mcp listens on ${server.url}\n`);
  });
});
