import { describe, expect, it } from 'vitest';
import { compareHars } from '../../../../src/domain/har/compare/compare-hars.ts';
import { readHar } from '../../../../src/domain/har/read/read-har.ts';
import type { PaintTimes } from '../../../../src/domain/har/requests/largest-paint.ts';
import { at, entry, har, type JsonObject } from '../sample.ts';

const PAGE = 'https://www.shop.example/';
const FILES = 24;

/** What a run is made of, as factors of an ordinary one; `file` is the number of one file. */
interface RunParts {
  /** Of the distances between the requests, and of the document. */
  readonly pace?: number;
  readonly document?: number;
  /** Milliseconds by file. */
  readonly files?: Readonly<Record<number, number>>;
  readonly seed?: number;
}

function requestsOf({ pace = 1, document = 1, files = {}, seed = 0 }: RunParts): JsonObject[] {
  const documentMs = 300 * pace * document;
  const scatter = (index: number) => 1 + 0.15 * Math.sin(7 * index + 3 * seed);
  return [
    entry({ url: PAGE, time: documentMs }),
    ...Array.from({ length: FILES }, (_, index) =>
      entry({
        url: `https://${index % 2 === 0 ? 'static.shop.example' : 'cdn.shop.example'}/${'abcdefghijklmnopqrstuvwxyz'[index]}-file.js`,
        startedDateTime: at(documentMs + pace * 60 * (index + 1)),
        time: files[index] ?? 120 * scatter(index),
        headers: { 'content-type': 'text/javascript' },
      }),
    ),
  ];
}

const fileOf = (parts: RunParts) => readHar(har(requestsOf(parts)));

/** Paints that follow from the pace, and a load that waits for all. */
function paintsOf({ pace = 1, document = 1, seed = 0 }: RunParts): PaintTimes {
  const documentMs = 300 * pace * document;
  const rest = pace * (1 + 0.04 * Math.sin(seed));
  return { fcpMs: documentMs + 400 * rest, lcpMs: documentMs + 900 * rest, tbtMs: 100, loadMs: documentMs + 1700 * rest };
}

const NEAR = Array.from({ length: 10 }, (_, index): RunParts => ({ seed: index + 1 }));

function culpritBetween(before: RunParts, after: RunParts, odd?: RunParts) {
  const run = (parts: RunParts) => [{ har: fileOf(parts), paints: paintsOf(parts) }];
  const near = odd ? [odd, ...NEAR] : NEAR;
  const [hars, paints] = [near.slice(0, 4).map(fileOf), near.map(paintsOf)];
  const { comparison } = compareHars(run(before), run(after), () => null, { before: hars, after: hars }, { before: paints, after: paints });
  return { ...comparison.culprit, verdict: comparison.answer };
}

describe('what made one of two runs slower', () => {
  it('is the whole run where all went slowly from the document on, though requests took no longer', () => {
    const { kind, slower, says } = culpritBetween({}, { pace: 2.5, seed: 11 });
    expect([kind, slower]).toEqual(['whole run', 'after']);
    expect(says).toMatch(/^the page took about 2\.[456] times as long, most requests did not/);
  });

  it('is the document where it alone took longer, although all after it began later', () => {
    expect(culpritBetween({ document: 4 }, { seed: 11 })).toMatchObject({ kind: 'document', slower: 'before' });
  });

  it('is no request that no paint and no load waited for', () => {
    const { kind, verdict } = culpritBetween({}, { files: { 3: 480 }, seed: 11 });
    expect(kind).toBe('nothing');
    expect(verdict).toContain('No cause stands out: what is listed as slower or faster held up neither a paint nor the load');
  });

  it('is a request that took seconds, also where no paint waited for it', () => {
    expect(culpritBetween({}, { files: { 3: 2_600 }, seed: 11 })).toMatchObject({
      kind: 'request',
      name: expect.stringContaining('d-file.js'),
      slower: 'after',
    });
  });

  it('is seen beside an outlier among the neighbours', () => {
    const odd = { pace: 5, seed: 12 };
    expect(culpritBetween({}, { document: 4, seed: 11 }, odd)).toMatchObject({ kind: 'document', slower: 'after' });
  });
});
