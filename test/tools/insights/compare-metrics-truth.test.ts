import { describe, expect, it } from 'vitest';
import { sharedAssistant, type ToolAnswer } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
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

describe.each(SEEDS)('on the platform of seed %d', (seed) => {
  const platform = sharedPlatform({ seed });
  const assistants = {
    shop: sharedAssistant(platform, { credential: 'shop' }),
    content: sharedAssistant(platform, { credential: 'content' }),
  };
  const compare = (args: Record<string, unknown>, credential: 'shop' | 'content' = 'shop') =>
    assistants[credential]().call('compare_metrics', args);

  it('the planted fall is named: device, first day, and that it is a fall of the rate', { tags: 'nightly' }, async () => {
    const { device, startDay } = platform().stories.conversionFall;
    // A window around it, as wide as the platform has days after it.
    const answer = await compare({ startDate: after(startDay, -2), endDate: 'yesterday' });
    expect(rateRow(answer)).toMatchObject({ verdict: 'down', since: startDay });
    const devices = list(answer, 'devices');
    const [most] = devices.toSorted((a, b) => Number(a['contribution']) - Number(b['contribution']));
    expect(most).toMatchObject({ device, verdict: 'down' });
    expect(devices.filter(({ verdict }) => verdict === 'down')).toHaveLength(1);
    const [sums] = list(answer, 'sums');
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
    const { device, startDay } = platform().stories.conversionFall;
    const since = (from: number, before: number, more = {}) =>
      compare({
        metrics: ['conversionRate'],
        startDate: after(startDay, from),
        endDate: 'yesterday',
        baselineStartDate: after(startDay, before),
        baselineEndDate: after(startDay, from - 1),
        ...more,
      });
    const [answer, whole] = [await since(3, -4), await since(0, -28, { devices: [device] })];
    const [first] = findingsOf(answer);
    expect(first).toMatchObject({ place: { device }, when: { from: startDay, ongoing: true } });
    expect(Math.abs(Number(first?.change?.percent) - Number(rateRow(whole)?.['changePercent']))).toBeLessThan(5);
  });

  it('leaves each range that holds it the verdict of its row', async () => {
    const { startDay } = platform().stories.conversionFall;
    const [startDate, baselineStartDate, baselineEndDate] = [6, -1, 5].map((days) => after(startDay, days));
    const answer = await compare({ startDate, endDate: 'yesterday', baselineStartDate, baselineEndDate });
    const verdicts: Record<string, unknown> = { up: 'higher', down: 'lower', 'within noise': 'unchanged', 'cannot be judged': 'uncertain' };
    const ranges = findingsOf(answer).filter(({ when }) => when.shape === 'range');
    const rows = records(answer).filter(({ metric }) => ranges.some(({ subject }) => subject === metric));
    expect(rows.length).toBeGreaterThan(0);
    for (const { metric, verdict } of rows)
      expect(ranges.find(({ subject }) => subject === metric)?.verdict).toBe(verdicts[String(verdict)]);
  });

  it.each(['device', 'segment'])('is said first by %s side by side over days of which it has only some', async (by) => {
    const { device, startDay } = platform().stories.conversionFall;
    const answer = await compare({ by, startDate: after(startDay, -14), endDate: 'yesterday', metrics: ['conversionRate'] });
    expect(findingsOf(answer)[0]).toMatchObject({ subject: 'conversionRate', place: { device }, when: { from: startDay, ongoing: true } });
    expect(answer.structured['answer']).toMatch(new RegExp(`^${device} conversion rate has been`, 'i'));
  });

  it('is told of revenue too where both ranges lie in it, which do not show it', async () => {
    const { device, startDay } = platform().stories.conversionFall;
    const [startDate, baselineStartDate, baselineEndDate] = [6, 1, 5].map((days) => after(startDay, days));
    const answer = await compare({ metrics: ['revenueSum'], startDate, endDate: 'yesterday', baselineStartDate, baselineEndDate });
    expect(findingsOf(answer)[0]).toMatchObject({ subject: 'conversionRate', place: { device }, when: { from: startDay, ongoing: true } });
  });

  it('the campaign is called mix, with rate effects near zero', { tags: 'nightly' }, async () => {
    const { goal, startDay, endDay, device, segment } = platform().stories.mixCampaign;
    const answer = await compare({ metrics: ['conversionRate'], startDate: startDay, endDate: endDay, goalId: goal.id }, 'content');
    expect(rateRow(answer)).toMatchObject({ verdict: 'down', since: startDay });
    const [sums] = list(answer, 'sums');
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
    const { startDay, endDay, segment: planted } = platform().stories.mixCampaign;
    const answer = await compare({ metrics: ['visits'], startDate: startDay, endDate: endDay }, 'content');
    const { name } = planted;
    const [first] = findingsOf(answer);
    expect(first?.causes).toContainEqual({ kind: 'place', name: `"${name}"`, share: expect.closeTo(1, 0), basis: 'measured' });
    const [segment, whole] = [list(answer, 'segments')[0], records(answer)[0]];
    expect(segment).toMatchObject({ segment: name, before: 0 });
    expect(Math.abs(Number(segment?.['contribution']) / Number(whole?.['change']) - 1)).toBeLessThan(0.1);
  });

  it('a week before all of it is within noise', async () => {
    const { startDay } = platform().stories.conversionFall;
    const answer = await compare({ metrics: ['conversionRate'], startDate: after(startDay, -8), endDate: after(startDay, -2) });
    expect(rateRow(answer)).toMatchObject({ verdict: 'within noise', since: null });
    expect(findingsOf(answer).map(({ verdict }) => verdict)).not.toContain('lower');
  });
});
