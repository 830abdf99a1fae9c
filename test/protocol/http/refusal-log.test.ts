import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createRefusalLog } from '../../../src/protocol/http/http-server.ts';
import { digest } from '../../../src/telemetry/call-watch.ts';

it('a refused caller leaves a line with the reason, and digests in place of what it sent', () => {
  const lines: unknown[] = [];
  const refused = createRefusalLog({ clock: systemClock, log: (...line) => lines.push(line) });
  refused('warn', { status: 401, reason: 'The token has expired.', token: 'Bearer abc' });
  refused('warn', { status: 403, reason: 'Another name.', host: 'evil.example' });
  expect(lines).toEqual([
    ['warn', 'refused', { status: 401, reason: 'The token has expired.', token: digest('abc') }],
    ['warn', 'refused', { status: 403, reason: 'Another name.', host: digest('evil.example') }],
  ]);
});

it('a flood leaves sixty lines a minute, and the next one says how many are missing', () => {
  const lines: unknown[] = [];
  let nowMs = 0;
  const refused = createRefusalLog({ clock: { ...systemClock, now: () => nowMs }, log: (...line) => lines.push(line) });
  for (let index = 0; index < 100; index += 1) refused('warn', { status: 401, reason: 'No.' });
  expect(lines).toHaveLength(60);
  nowMs = 60_000;
  refused('warn', { status: 401, reason: 'No.' });
  expect(lines.at(-1)).toEqual(['warn', 'refused', { status: 401, reason: 'No.', omitted: 40 }]);
});
