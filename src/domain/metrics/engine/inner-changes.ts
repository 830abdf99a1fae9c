import type { Change } from './changes.ts';

/** Whether a change takes back only a part of a step in the baseline: against the days before that step it still lies on the other side. */
function isWithinStep({ effect }: Change, changes: readonly Change[], { early, start }: { early: number; start: number }): boolean {
  const inBaseline = changes.filter(({ shape, from }) => shape === 'step' && from >= early && from < start);
  return inBaseline.some((step) => step.effect * effect < 0 && Math.abs(step.effect) > Math.abs(effect));
}

/** A change of one of many days that is as likely by chance is no second one beside a clearer one. */
const CLEAR_BESIDE = Math.log(0.001);
const clarityOf = ({ effect, error }: Change) => Math.abs(effect / error);

/** Whether a change only goes on from a clearer step in the baseline, and is not beyond doubt itself: no story of its own. */
function isBesideStep(main: Change, changes: readonly Change[], { early, start }: { early: number; start: number }): boolean {
  const goesOn = (step: Change) => step.shape === 'step' && step.from >= early && step.from < start && step.to >= main.from;
  const isSame = (step: Change) => step.effect * main.effect > 0 && clarityOf(step) > clarityOf(main);
  return main.logP > CLEAR_BESIDE && changes.some((step) => goesOn(step) && isSame(step));
}

/** The change in the period that stands out most from its error; what began before it makes no verdict by itself. */
export function mainChange(changes: readonly Change[], bounds: { early: number; start: number }): Change | undefined {
  const own = changes.filter(({ shape, from }) => shape !== 'outlier' && from >= bounds.start);
  const [main] = own.toSorted((a, b) => clarityOf(b) - clarityOf(a));
  return main && !isWithinStep(main, changes, bounds) && !isBesideStep(main, changes, bounds) ? main : undefined;
}
