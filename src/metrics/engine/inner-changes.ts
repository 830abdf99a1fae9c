import type { Change } from './changes.ts';

/** Whether a change takes back only a part of a step in the baseline: against the days before that step it still lies on the other side. */
function isWithinStep({ effect }: Change, changes: readonly Change[], { early, start }: { early: number; start: number }): boolean {
  const inBaseline = changes.filter(({ shape, from }) => shape === 'step' && from >= early && from < start);
  return inBaseline.some((step) => step.effect * effect < 0 && Math.abs(step.effect) > Math.abs(effect));
}

const clarityOf = ({ effect, error }: Change) => Math.abs(effect / error);

/** The change in the period that stands out most from its error; what began before it makes no verdict by itself. */
export function mainChange(changes: readonly Change[], bounds: { early: number; start: number }): Change | undefined {
  const own = changes.filter(({ shape, from }) => shape !== 'outlier' && from >= bounds.start);
  const [main] = own.toSorted((a, b) => clarityOf(b) - clarityOf(a));
  return main && !isWithinStep(main, changes, bounds) ? main : undefined;
}
