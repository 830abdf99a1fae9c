import { expect, it } from 'vitest';
import { fitChannel } from '../../../src/statistics/kept-fits.ts';
import { sharedAssistant } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';

const platform = sharedPlatform();
const shop = sharedAssistant(platform, { credential: 'shop' });

/** Calls a tool; gives how many fits of each name were made for it. */
async function fitsOf(tool: string, args: Record<string, unknown>): Promise<ReadonlyMap<string, number>> {
  const made = new Map<string, number>();
  const hear = (name: unknown) => void made.set(String(name), (made.get(String(name)) ?? 0) + 1);
  fitChannel.subscribe(hear);
  try {
    const { isError, text } = await shop().call(tool, args);
    if (isError) throw new Error(text);
  } finally {
    fitChannel.unsubscribe(hear);
  }
  return made;
}

const MONTH = { startDate: '-28d', endDate: 'yesterday' };

/** With the most estimates of noise, and courses of runs, that it takes. */
const CALLS: readonly (readonly [string, Record<string, unknown>, { readonly noise?: number; readonly course?: number }])[] = [
  ['compare_metrics', { startDate: '-7d', endDate: 'yesterday' }, { noise: 40 }],
  ['query_metrics', { metrics: ['visits'], breakdown: ['day'], expected: true, ...MONTH }, { noise: 10 }],
  ['find_changes', MONTH, { noise: 205 }],
  ['analyze_scenario', {}, { course: 186 }],
];

it.each(someOf(CALLS, 2))('what a tool fits %s is little at first, and nothing when the same is asked again', async (tool, args, most) => {
  const first = await fitsOf(tool, args);
  for (const [name, count] of Object.entries(most)) expect(first.get(name) ?? 0).toBeLessThanOrEqual(count);
  expect([...(await fitsOf(tool, args))]).toEqual([]);
});
