import { refuse } from '../../api/errors.ts';
import { getStepHar } from '../../api/operations/speed-analysis.ts';
import type { Sides } from '../../domain/har/compare/culprit.ts';
import type { Comparison } from '../../domain/har/compare/har-comparison.ts';
import { placeOfRun } from '../../domain/har/compare/typical-runs.ts';
import type { PaintTimes } from '../../domain/har/requests/largest-paint.ts';
import type { Context } from '../context.ts';
import { chooseHarRuns, type HarRun } from './choose-har-runs.ts';
import { readStepResult } from './read-step-result.ts';
import { readKnownRun, readNeighbours } from './run-neighbours.ts';
import { stopsAfter } from './scenario-reports.ts';

/** Two runs by their ids, or a step whose typical runs on both sides of an instant are chosen. */
export interface HarsAsked {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly scenarioId?: number | undefined;
  readonly step?: string | undefined;
  readonly since?: string | undefined;
}

/** A run with its HAR file as it came. */
interface RunFile extends Pick<HarRun, 'stepResultId' | 'har'> {
  readonly paints: PaintTimes | undefined;
}

/** Reads, pairs and judges the files; what two files differ in never changes, so it is kept. */
async function compared(
  befores: readonly RunFile[],
  afters: readonly RunFile[],
  { paints: near, ...neighbours }: Sides<unknown> & { readonly paints?: Sides<PaintTimes> },
  { remember, projectId, note, ownDomains: firstParty }: Context,
): Promise<Comparison> {
  const { compareHars, loadEntities, readHar } = await import('../../domain/har/index.ts');
  const entities = await loadEntities();
  const ids = [befores, afters].map((files) => files.map(({ stepResultId }) => stepResultId));
  const key = ['HAR files', await projectId(), ids, [neighbours.before.length, neighbours.after.length], near, firstParty];
  const { comparison, notes } = await remember(key, async () => {
    const read = (files: readonly RunFile[]) => files.map(({ har, paints }) => ({ har: readHar(har, { firstParty }), paints }));
    const around = (files: readonly unknown[]) => files.map((har) => readHar(har, { firstParty }));
    const [before, after] = [around(neighbours.before), around(neighbours.after)];
    return compareHars(read(befores), read(afters), entities, { before, after }, near);
  });
  for (const sentence of notes) note(sentence);
  return comparison;
}

async function compareTypical(asked: HarsAsked & { scenarioId: number }, context: Context) {
  const { step, sinceMs, before, after, paints } = await chooseHarRuns(asked, context);
  const comparison = await compared(before, after, { before: [], after: [], paints }, context);
  const timesOf = (runs: readonly HarRun[]) => runs.map(({ date, stepResultId }) => ({ time: new Date(date).toISOString(), stepResultId }));
  return {
    comparison,
    before: before[0]?.stepResultId ?? '',
    after: after[0]?.stepResultId ?? '',
    chosen: { step, since: new Date(sinceMs).toISOString(), runs: { before: timesOf(before), after: timesOf(after) } },
  };
}

/** Says of each side how unusual the run is among those near it. */
function placed(comparison: Comparison, paints: readonly (PaintTimes | undefined)[], near: readonly (readonly PaintTimes[])[]): Comparison {
  const sides = comparison.sides.map((side, index) => {
    const [own, around] = [paints[index], near[index]];
    const unusual = own && around && placeOfRun(own, around);
    return unusual === undefined ? side : { ...side, unusual };
  });
  const said = sides.flatMap(({ side, unusual }) =>
    unusual === undefined || unusual.startsWith('usual') ? [] : [` The run ${side} is not typical, ${unusual}.`],
  );
  return { ...comparison, sides, answer: `${comparison.answer}${said.join('')}` };
}

async function compareGiven(before: string, after: string, scenarioId: number | undefined, context: Context) {
  const { ask, note, lists, clock } = context;
  const isLate = stopsAfter(clock);
  const read = async (stepResultId: string) => {
    const readHar = () => ask(getStepHar, { scenarioStepResultId: stepResultId });
    const [{ har }, run] = await Promise.all([readStepResult(stepResultId, ask, readHar), readKnownRun(ask, stepResultId)]);
    return { ...run, har };
  };
  const [was, is] = await Promise.all([read(before), read(after)]);
  if (before === after) note('Both ids are the same: the file is compared with itself.');
  const near = await readNeighbours(was, is, scenarioId, { ask, note, lists, isLate });
  const paints = { before: near.before.paints, after: near.after.paints };
  const comparison = await compared([was], [is], { before: near.before.hars, after: near.after.hars, paints }, context);
  return { comparison: placed(comparison, [was.paints, is.paints], [paints.before, paints.after]), before, after };
}

/**
 * Compares two given runs, or typical runs before and since an instant, with the run of each side that the answer lists and how they were
 * chosen. Throws `invalid` where neither is named.
 */
export async function compareHarRuns({ before, after, scenarioId, step, since }: HarsAsked, context: Context) {
  const isGiven = before !== undefined || after !== undefined;
  if (!isGiven && scenarioId !== undefined) return compareTypical({ scenarioId, step, since }, context);
  if (isGiven && (step !== undefined || since !== undefined)) refuse('before: pass before and after, or scenarioId and step, not both.');
  if (step !== undefined || since !== undefined) refuse('scenarioId: is required with step and since.');
  if (before === undefined) refuse('before: is required with after (string); or pass scenarioId and step.');
  if (after === undefined) refuse('after: is required with before (string); or pass scenarioId and step.');
  return { ...(await compareGiven(before, after, scenarioId, context)), chosen: undefined };
}
