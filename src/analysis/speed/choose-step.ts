import { ApiError } from '../../api/errors.ts';
import { matchName } from '../names.ts';
import type { Step } from './runs.ts';

function listed(steps: readonly Step[]): string {
  return steps.map(({ number, name }) => `${number} "${name}"`).join(', ');
}

/** The step that a place (from 1), a step id or a name stands for; throws an `invalid` error that lists the steps. */
export async function chooseStep(steps: readonly Step[], asked: string | number): Promise<Step> {
  const text = String(asked).trim();
  const byNumber = steps.find(({ number }) => String(number) === text) ?? steps.find(({ stepId }) => String(stepId) === text);
  if (byNumber) return byNumber;
  const match = await matchName(text, steps.map(({ name }, index) => ({ id: index, path: [name] }))); // biome-ignore format: one thought
  const found = 'found' in match ? steps[match.found.id] : undefined;
  if (found) return found;
  const several = 'several' in match ? ` fits several of them; pass the number` : ' is none of them';
  throw new ApiError('invalid', `step: the scenario has the steps ${listed(steps)}; "${text}"${several}.`);
}
