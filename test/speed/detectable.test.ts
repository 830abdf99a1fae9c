import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { detectableRise } from '../../src/speed/detectable.ts';
import { times } from '../support/times.ts';
import { answerOf, history, type Noise, slowerSince, studyOf, WINDOWS } from './histories.ts';

const { startMs } = WINDOWS.period;
const lcpOf = (reports: ReturnType<typeof history>) => {
  const study = studyOf(reports, ['largestContentfulPaint', 'firstByte']);
  return { study, row: study.rows.find(({ metric, step }) => metric === 'largestContentfulPaint' && step?.number === 1) };
};

it.each<[string, Noise]>([
  ['runs alone', { run: 0.12 }],
  ['days', { run: 0.1, day: 0.05, keeps: 0.3 }],
  ['the emulated platform', { emulated: true, run: 0.08 }],
])(
  'a rise as large as the smallest that is told would have shown in four of five cases, a much smaller one in few: noise of %s',
  {
    tags: 'nightly',
  },
  (_, noise) => {
    const told = times(60, (at) => 31 * at).flatMap((seed) => {
      const { study, row } = lcpOf(history(seed, noise));
      const size = row?.state === 'steady' ? detectableRise(row, study) : undefined;
      if (size === undefined) return [];
      const isShown = (rise: number) => {
        const { row: own } = lcpOf(history(seed + 7, noise, slowerSince(startMs, 1 + rise)));
        return own?.state === 'slower' && Math.abs((own.move?.fromMs ?? 0) - startMs) < 2 * DAY_MS;
      };
      return [{ whole: isShown(size), half: isShown(size / 2) }];
    });
    expect(told.length).toBeGreaterThan(50);
    const shareOf = (side: 'whole' | 'half') => told.filter((each) => each[side]).length / told.length;
    expect(shareOf('whole')).toBeGreaterThan(0.65);
    expect(shareOf('half')).toBeLessThan(0.5);
  },
);

it('the answer about one steady scenario says which rise would have shown, in words and as data; a rise tells itself', () => {
  const steady = answerOf(studyOf(history(3, { run: 0.08 }), ['largestContentfulPaint', 'firstByte']), 'Home');
  const [finding] = steady.findings;
  expect(steady.answer).toMatch(
    /^"Home" is steady: none of \d+ series changed its level; a rise of \d+% in LCP at "Step \d" would have shown\./,
  );
  expect(finding).toMatchObject({ verdict: 'unchanged', detectable: expect.any(Number) });
  const slower = answerOf(studyOf(history(3, { run: 0.08 }, slowerSince(startMs, 1.4))), 'Home');
  expect(slower.findings[0]?.detectable).toBeUndefined();
});
