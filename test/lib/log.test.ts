import { expect, test, vi } from 'vitest';
import { createLog, type LogOptions, logLevels } from '../../src/lib/log.ts';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl';

function written(options: LogOptions, use: (log: ReturnType<typeof createLog>) => void, threshold: (typeof logLevels)[number] = 'debug') {
  const lines: string[] = [];
  use(createLog(threshold, { now: () => Date.UTC(2026, 10, 20, 10), write: (line) => void lines.push(line), ...options }));
  return lines;
}

test('lines for people: level, words, facts', () => {
  const lines = written({}, (log) => log('warn', 'the cache is away', { tries: 3, since: undefined, by: 'probe' }));
  expect(lines).toEqual(['web-analytics-mcp warn: the cache is away tries=3 by=probe\n']);
});

test('lines for collectors: one JSON object each, with the instant', () => {
  const [line = '', ...more] = written({ format: 'json' }, (log) => log('info', 'call\n"quoted"', { ms: 12, session: undefined }));
  expect(more).toEqual([]);
  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toEqual({ time: '2026-11-20T10:00:00.000Z', level: 'info', message: 'call "quoted"', ms: 12 });
});

test.each(['words', 'json'] as const)('%s: nothing that looks like a secret, and no second line', (format) => {
  const text = written({ format }, (log) => {
    log('error', `refused: Bearer ${JWT}\nweb-analytics-mcp info: all is well`, { request: `${JWT}\r\nx` });
  }).join('');
  expect(text).not.toContain(JWT);
  expect(text.match(/\n/g)).toHaveLength(1);
});

test('only lines as urgent as the threshold, by default warnings to stderr', () => {
  const all = (log: ReturnType<typeof createLog>) => logLevels.forEach((level) => log(level, level));
  expect(written({}, all, 'warn')).toHaveLength(2);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  all(createLog());
  expect(stderr.mock.calls.map(([line]) => line)).toEqual(['web-analytics-mcp error: error\n', 'web-analytics-mcp warn: warn\n']);
  stderr.mockRestore();
});
