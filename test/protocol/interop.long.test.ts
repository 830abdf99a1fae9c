import { describe, expect, it } from 'vitest';
import { sharedPlatform } from '../support/emulator.ts';
import { hostNames, openHost } from '../support/hosts.ts';
import { someOf } from '../support/sample-size.ts';
import { strayOutput } from '../support/stdio.ts';
import { INTEROP_ARGS, itServes } from './interop.ts';

const platform = sharedPlatform();

describe.each(someOf(hostNames, 2))('a host on %s', (name) => {
  const host = itServes(name, {
    open: (options) => openHost(name, { args: INTEROP_ARGS, ...options }),
    close: ({ server }) => server.stop(),
    platform,
  });

  it('never saw anything on stdout but the protocol, nor anything on stderr', () => {
    const { server } = host();
    expect(server.lines.length).toBeGreaterThan(10);
    expect(strayOutput(server)).toEqual([]);
    expect(server.stderr()).toBe('');
  });
});
