import { describe, expect, it } from 'vitest';
import { openAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { openPlatform, type Platform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';
import { findingsOf, records } from '../support.ts';

const DAY_MS = 86_400_000;
const SEEDS = someOf([1, 2, 3, 7, 42], 1);

const dayOf = (instantMs: number) => new Date(instantMs).toISOString().slice(0, 10);
const after = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS);

type Row = Record<string, string | number | null>;

/** A list of records of an answer. */
function list({ structured }: ToolAnswer, member: string): Row[] {
  const rows = structured[member];
  if (!Array.isArray(rows)) throw new TypeError(`The answer holds no ${member}.`);
  return rows as Row[];
}

const rateRow = (answer: ToolAnswer) => records(answer).find(({ metric }) => metric === 'conversionRate');
const ofRate = (rows: Row[]) => rows.filter(({ metric }) => metric === 'conversionRate');

/** Answers a comparison on a platform of its own with what was planted there. */
async function compared(seed: number, credential: 'shop' | 'content', question: (stories: Platform['stories']) => Record<string, unknown>) {
  const platform = await openPlatform({ seed });
  const assistant = await openAssistant(platform, { credential });
  try {
    return { stories: platform.stories, answer: await assistant.call('compare_metrics', question(platform.stories)) };
  } finally {
    await assistant.close();
    await platform.close();
  }
}

describe.each(SEEDS)('on the platform of seed %d', (seed) => {
  it('the planted fall is named: device, first day, and that it is a fall of the rate', { tags: 'nightly' }, async () => {
    // A window around it, as wide as the platform has days after it.
    const { stories, answer } = await compared(seed, 'shop', ({ conversionFall: { startDay } }) => ({
      startDate: after(startDay, -2),
      endDate: 'yesterday',
    }));
    const { device, startDay } = stories.conversionFall;
    expect(rateRow(answer)).toMatchObject({ verdict: 'down', since: startDay });
    const devices = list(answer, 'devices');
    const [most] = devices.toSorted((a, b) => Number(a['contribution']) - Number(b['contribution']));
    expect(most).toMatchObject({ device, verdict: 'down' });
    expect(devices.filter(({ verdict }) => verdict === 'down')).toHaveLength(1);
    const [sums] = ofRate(list(answer, 'sums'));
    expect(Math.abs(Number(sums?.['mix']))).toBeLessThan(0.1 * Math.abs(Number(sums?.['rate'])));
    expect(findingsOf(answer)[0]).toMatchObject({
      subject: 'conversionRate',
      place: { device },
      when: { shape: 'step', from: startDay, ongoing: true },
      verdict: 'lower',
      causes: [{ kind: 'place', name: device }],
    });
  });

  it('a baseline that holds its first days takes nothing from the size on its device', { tags: 'nightly' }, async () => {
    const { stories, answer } = await compared(seed, 'shop', ({ conversionFall: { startDay } }) => ({
      metrics: ['conversionRate'],
      startDate: after(startDay, 3),
      endDate: 'yesterday',
      baselineStartDate: after(startDay, -4),
      baselineEndDate: after(startDay, 2),
    }));
    const { device, startDay } = stories.conversionFall;
    const whole = await compared(seed, 'shop', () => ({
      metrics: ['conversionRate'],
      devices: [device],
      startDate: startDay,
      endDate: 'yesterday',
      baselineStartDate: after(startDay, -28),
      baselineEndDate: after(startDay, -1),
    }));
    const [first] = findingsOf(answer);
    expect(first).toMatchObject({ place: { device }, when: { from: startDay, ongoing: true } });
    expect(Math.abs(Number(first?.change?.percent) - Number(rateRow(whole.answer)?.['changePercent']))).toBeLessThan(5);
  });

  it('the campaign is called mix, with rate effects near zero', { tags: 'nightly' }, async () => {
    const { stories, answer } = await compared(seed, 'content', ({ mixCampaign: { goal, startDay, endDay } }) => ({
      metrics: ['conversionRate'],
      startDate: startDay,
      endDate: endDay,
      goalId: goal.id,
    }));
    const { startDay, device, segment } = stories.mixCampaign;
    expect(rateRow(answer)).toMatchObject({ verdict: 'down', since: startDay });
    const [sums] = ofRate(list(answer, 'sums'));
    const [change, rate] = [Number(sums?.['change']), Number(sums?.['rate'])];
    // Within a device the rate stays; what is left is the chance of a week.
    expect(Math.abs(rate)).toBeLessThan(0.3 * Math.abs(change));
    expect(Number(sums?.['mix']) / change).toBeGreaterThan(0.7);
    expect(list(answer, 'devices').map(({ verdict }) => verdict)).not.toContain('down');
    const causes = findingsOf(answer).flatMap((finding) => finding.causes);
    expect(causes.find(({ kind }) => kind === 'mix')).toMatchObject({ name: device, share: expect.closeTo(1, 0) });
    expect(causes.map(({ name }) => name)).toContain(`"${segment.name}"`);
  });

  it('the segment of the campaign is said to make the rise of visits', { tags: 'nightly' }, async () => {
    const { stories, answer } = await compared(seed, 'content', ({ mixCampaign: { startDay, endDay } }) => ({
      metrics: ['visits'],
      startDate: startDay,
      endDate: endDay,
    }));
    const { name } = stories.mixCampaign.segment;
    const [first] = findingsOf(answer);
    expect(first?.causes).toContainEqual({ kind: 'place', name: `"${name}"`, share: expect.closeTo(1, 0), basis: 'measured' });
    const [segment, whole] = [list(answer, 'segments')[0], records(answer)[0]];
    expect(segment).toMatchObject({ segment: name, before: 0 });
    expect(Math.abs(Number(segment?.['contribution']) / Number(whole?.['change']) - 1)).toBeLessThan(0.1);
  });

  it('a week before all of it is within noise', async () => {
    const { answer } = await compared(seed, 'shop', ({ conversionFall: { startDay } }) => ({
      metrics: ['conversionRate'],
      startDate: after(startDay, -8),
      endDate: after(startDay, -2),
    }));
    expect(rateRow(answer)).toMatchObject({ verdict: 'within noise', since: null });
    expect(findingsOf(answer).map(({ verdict }) => verdict)).not.toContain('lower');
  });
});
