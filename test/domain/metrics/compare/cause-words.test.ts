import { expect, it } from 'vitest';
import { makerSentence, segmentSentence } from '../../../../src/domain/metrics/compare/cause-words.ts';
import type { Explained } from '../../../../src/domain/metrics/compare/contributions.ts';
import type { GroupChange } from '../../../../src/domain/metrics/engine/reasons.ts';

const campaign: GroupChange = {
  name: 'Campaign',
  relative: null,
  low: null,
  high: null,
  relativeOfOthers: 0.004,
  scoreOfOthers: 0,
  pValue: 1,
  score: 0,
  verdict: 'not enough data',
};

it('the segment that made a change is named, though its days before are too few to judge it by itself', () => {
  const reasons = { maker: 'Campaign', groups: [campaign] };
  const visitsOf = (before: number, after: number): Explained => ({
    metric: 'visits',
    change: 19_094,
    groups: [{ name: 'Campaign', before, after, contribution: after - before }],
    remainder: 0,
  });
  expect(makerSentence(visitsOf(0, 19_054), reasons, { isDated: true, isPerDay: false })).toBe(
    'Between the ranges segment "Campaign" accounts for 100% of the change: from nothing to 19,054, ' +
      'all other visits +0.4% (within noise).',
  );
  expect(makerSentence(visitsOf(4_000, 14_000), reasons, { isDated: false, isPerDay: true })).toMatch(
    /^Segment "Campaign" accounts for 52% of the change: \+250\.0%, all other/,
  );
  expect(makerSentence(visitsOf(0, 19_054), { groups: [] }, { isDated: true, isPerDay: false })).toBe('');
});

it('a segment that moved more than others that moved too is told at 1 %, as it is by chance more often', () => {
  const moved = (pValue: number): GroupChange => ({
    ...campaign,
    relative: -0.4,
    low: -0.5,
    high: -0.3,
    pValue,
    score: -3,
    verdict: 'more',
  });
  expect(segmentSentence(undefined, { groups: [moved(0.02)] })).toBe('');
  expect(segmentSentence(undefined, { groups: [moved(0.009)] })).toMatch(
    /^Of the segments, Campaign moved most unlike the rest: 40\.0% lower/,
  );
});

it('a segment whose days fell while its figures rose, as a campaign over both ranges, explains nothing', () => {
  const sale: GroupChange = { ...campaign, relative: -0.95, low: -0.98, high: -0.92, pValue: 1e-9, score: -6, verdict: 'more' };
  const visits = (after: number): Explained => ({
    metric: 'visits',
    change: -20_000,
    groups: [{ name: 'Campaign', before: 5_796, after, contribution: after - 5_796 }],
    remainder: 0,
  });
  expect(segmentSentence(undefined, { groups: [sale], named: 'Campaign' }, { apart: [visits(10_484)] })).toBe('');
  expect(segmentSentence(undefined, { groups: [sale], named: 'Campaign' }, { apart: [visits(600)] })).toContain('95.0% lower');
});
