import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { understand } from '../../src/tooling/lenient-input.ts';
import { rangeMetrics, speedBudgets, speedMetricsAndTimings } from '../../src/tooling/params.ts';

const schema = z.strictObject({
  metrics: rangeMetrics.optional(),
  timings: speedMetricsAndTimings,
  budgets: speedBudgets,
  devices: z.array(z.enum(['all', 'desktop', 'mobile', 'tablet'])).optional(),
  breakdown: z.array(z.enum(['day', 'week', 'weekday', 'weekend', 'month'])).optional(),
  view: z.enum(['changes', 'levels']).optional(),
});

const said = (args: Record<string, unknown>) => {
  const { input, notes } = understand(schema, args, { guess: true });
  // Notes carry a mark of this server behind their words.
  return { input, notes: notes.map((note) => note.replace(/[\ufdd0-\ufdef].*$/u, '')) };
};

describe('a mistyped word of a closed list, where nothing is written', () => {
  it.each<[string, unknown, unknown, string]>([
    ['metrics', ['Revenu'], ['revenueSum'], 'There is no metric "Revenu": revenueSum, the only close one, is taken.'],
    ['metrics', 'vists', ['visits'], 'There is no metric "vists": visits, the only close one, is taken.'],
    [
      'timings',
      ['Larget contentful paint'],
      ['largestContentfulPaint'],
      'There is no metric "Larget contentful paint": largestContentfulPaint, the only close one, is taken.',
    ],
    ['devices', ['moble'], ['mobile'], 'There is no value "moble": mobile, the only close one, is taken.'],
    ['breakdown', ['months'], ['month'], 'There is no value "months": month, the only close one, is taken.'],
    ['view', 'level', 'levels', 'There is no value "level": levels, the only close one, is taken.'],
  ])('%s %j', (name, value, meant, note) => {
    expect(said({ [name]: value })).toEqual({ input: { [name]: meant }, notes: [note] });
  });

  it.each<[string, unknown]>([
    ['metrics', ['converson']],
    ['metrics', ['LCP']],
    ['metrics', ['heatmap']],
    ['devices', ['phone']],
    // A limit that a build is held against.
    ['budgets', [{ metric: 'wieght', limit: 1 }]],
  ])('%s %j is left to the check: none or several are close, or another answer is due', (name, value) => {
    expect(said({ [name]: value })).toEqual({ input: { [name]: value }, notes: [] });
  });

  it('is never guessed for a call that writes', () => {
    const args = { devices: ['moble'], metrics: ['Revenu'] };
    expect(understand(schema, args)).toEqual({ input: args, notes: [] });
  });
});
