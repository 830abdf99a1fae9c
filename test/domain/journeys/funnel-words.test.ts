import { describe, expect, it } from 'vitest';
import { funnelWords } from '../../../src/domain/journeys/funnel.ts';

const question = { order: 'in_order', withinDays: undefined } as const;
const step = (name: string, sessions: number, left?: number) => ({ step: name, sessions, ...(left !== undefined && { left }) });

type Told = Parameters<typeof funnelWords>[0];
const said = (steps: Told['steps'], more: Partial<Told> = {}) =>
  funnelWords({ steps, groups: undefined, changes: undefined, unit: 'sessions', question, immature: 0, isFiltered: false, ...more }).answer;

it('what no session did is said of the sessions that the filters leave', () => {
  const steps = [step('/cart', 0, 0), step('/payment', 0)];
  expect(said(steps, { isFiltered: true })).toBe('No sessions that pass the filters did /cart in these days.');
});

describe('the largest loss of a funnel', () => {
  it('is the one of most sessions, and the step that loses the larger share is named beside it', () => {
    expect(said([step('/cart', 1082, 326), step('/address', 756, 316), step('/payment', 440)])).toContain(
      'The largest loss is after /cart: 326 of 1,082 sessions (30.1%) do not reach /address; ' +
        'the largest share is lost after /address, 41.8% of 756.',
    );
  });

  it('is told alone where it is the largest share too, or where hardly any session came to the other', () => {
    expect(said([step('/cart', 1000, 600), step('/address', 400, 100), step('/payment', 300)])).not.toContain('share');
    expect(said([step('/cart', 1000, 980), step('/address', 20, 20), step('/payment', 0)])).not.toContain('share');
  });
});

it('on chosen devices begins with how they differ from the others, where they do', () => {
  const steps = [step('/cart', 1082, 326), step('/payment', 756)];
  const answerOf = (verdict: string, differs?: 'fewer') =>
    said(steps, { beside: { group: 'mobile', steps: [], verdict, ...(differs && { differs }) } });
  expect(answerOf('fewer reach /payment: 69.9% of those at /cart, elsewhere 80.1%', 'fewer')).toMatch(
    /^Fewer mobile sessions reach \/payment: 69\.9% of those at \/cart, elsewhere 80\.1%\. The largest loss is after/,
  );
  expect(answerOf('like the others')).toMatch(/^The largest loss is after/);
});

it('of kinds of visitors calls these visitors', () => {
  const groups = [{ group: 'new', steps: [], verdict: 'fewer reach /cart', differs: 'fewer' as const }];
  const byVisitor = { groups, question: { ...question, breakdown: 'visitor_type' } } as const;
  expect(said([step('/cart', 1000, 600), step('/pay', 400)], byVisitor)).toMatch(/^Fewer new visitors reach \/cart\./);
});
