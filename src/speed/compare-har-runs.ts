import { ApiError, refuse } from '../api/errors.ts';
import { instantOf } from '../api/params.ts';
import type { Comparison } from '../har/compare/har-comparison.ts';
import { placeOfRun, typicalRuns } from '../har/compare/typical-runs.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../names/context.ts';
import { studyOne, usualPeriod } from './analyze-scenarios.ts';
import { changeNear, worstOf } from './clues.ts';
import { figuresOf, type KnownRun, NEAR_MS, readGivenRun, readHars, readNeighbours } from './run-neighbours.ts';
import { chooseStep, withoutRuns } from './runs.ts';
import { stopsAfter } from './scenario-reports.ts';
import { changeSentence, placeOfStudy } from './speed-findings.ts';

/** Two runs by their ids, or a step whose typical runs on both sides of an instant are chosen. */
export type HarsAsked = { readonly [Name in 'before' | 'after' | 'step' | 'since']?: string | undefined } & {
  readonly scenarioId?: number | undefined;
};

/** A run with its HAR file as it came. */
type RunFile = Pick<KnownRun, 'stepResultId' | 'paints'> & { readonly har: unknown };

/** The runs of a side: those that are compared, the typical one first, and what is known of runs near them. */
type Side = Awaited<ReturnType<typeof readNeighbours>>[number] & { readonly files: readonly RunFile[] };

/** Both sides; of chosen runs how they were chosen, and what changed. */
type BothRuns = Readonly<Record<'before' | 'after', Side>> & Pick<Partial<Awaited<ReturnType<typeof typicalOf>>>, 'told' | 'chosen'>;

/** The question whose runs are chosen. */
type RunsWanted = Pick<HarsAsked, 'step' | 'since'> & { readonly scenarioId: number };

/** Runs read on each side. */
const RUNS = 4;

/** The period in which a change is looked for: around the instant that is named, else the usual one. */
function periodOf({ since }: RunsWanted, context: Context) {
  if (since === undefined) return { bounds: usualPeriod(context) };
  const given = instantOf(since);
  if (given >= context.nowMs) throw new ApiError('invalid', 'since: must lie in the past.');
  const near = { startMs: given - NEAR_MS, endMs: Math.min(context.nowMs, given + NEAR_MS) };
  return { given, near, bounds: { startDate: isoTime(given), endDate: isoTime(near.endMs) } };
}

/** The step whose runs are compared, around which instant and up to which, as the verdict on the scenario dates its change there. */
async function changeOf(asked: RunsWanted, context: Context) {
  const { given, near, bounds } = periodOf(asked, context);
  const { scenarioId } = asked;
  const question = { scenarioIds: [scenarioId], ...bounds };
  const { study, name = (await context.lists()).nameOf('scenario', scenarioId) } = await studyOne(scenarioId, question, context);
  const { steps } = study;
  const chosen = asked.step === undefined ? undefined : await chooseStep(steps, asked.step);
  const { step, move } = changeNear(study, chosen, near) ?? { step: chosen ?? worstOf(study.rows, 'largestContentfulPaint')?.step };
  if (!step) throw withoutRuns();
  if (!chosen && steps.length > 1)
    context.note(
      `Step ${step.number} "${step.name}" of ${steps.length}, ${move ? 'because it changed' : 'the slowest'}; step names another.`,
    );
  const sinceMs = given ?? move?.fromMs ?? context.nowMs - NEAR_MS;
  const told = { sentence: changeSentence(move, step.name, sinceMs, placeOfStudy(name, study)), isMoved: move !== undefined };
  return { step, sinceMs, untilMs: move?.untilMs ?? Number.POSITIVE_INFINITY, told };
}

/** Chooses typical runs on both sides of an instant and reads their HAR files. */
async function typicalOf(asked: RunsWanted, context: Context) {
  const { step, sinceMs, untilMs, told } = await changeOf(asked, context);
  const since = isoTime(sinceMs);
  const near = figuresOf(step).filter(({ date }) => Math.abs(date - sinceMs) <= NEAR_MS);
  // Files that cannot be read are left out and noted, unless there is no other.
  const sideOf = async (side: 'before' | 'after', holds: (date: number) => boolean) => {
    const all = near.filter(({ date }) => holds(date));
    const runs = typicalRuns(all, RUNS);
    if (runs.length === 0) throw new ApiError('missing', `The step has no run without a failure in the 3 days ${side} ${since}.`);
    const { read, failed } = await readHars(runs, context.ask);
    if (failed && read.length === 0) throw failed.reason;
    if (failed) context.note(`${runs.length - read.length} of ${runs.length} HAR files ${side} could not be read.`);
    return { files: read, paints: all.map(({ paints }) => paints), hars: [] };
  };
  context.progress(1, 3, 'chose typical runs');
  const before = await sideOf('before', (date) => date < sinceMs);
  context.progress(2, 3, 'read the HAR files before');
  const after = await sideOf('after', (date) => date >= sinceMs && date < untilMs);
  const timesOf = ({ files }: typeof before) => files.map(({ date, stepResultId }) => ({ time: isoTime(date), stepResultId }));
  const chosen = { step: `${step.number} "${step.name}"`, since, runs: { before: timesOf(before), after: timesOf(after) } };
  return { before, after, told, chosen };
}

/** Reads two given runs and the runs near them. */
async function givenOf(before: string, after: string, scenarioId: number | undefined, context: Context): Promise<BothRuns> {
  const { ask, note, lists, clock } = context;
  const isLate = stopsAfter(clock);
  const [was, is] = await Promise.all([readGivenRun(ask, before), readGivenRun(ask, after)]);
  if (before === after) note('Both ids are the same: the file is compared with itself.');
  const [nearWas, nearIs] = await readNeighbours(was, is, scenarioId, { ask, note, lists, isLate });
  return { before: { files: [was], ...nearWas }, after: { files: [is], ...nearIs } };
}

/** Reads, pairs and judges the files; what two files differ in never changes, so it is kept. */
async function compared({ before, after, told }: BothRuns, context: Context): Promise<Comparison> {
  const { remember, projectId, note, ownDomains: firstParty } = context;
  const { compareHars, loadEntities, readHar } = await import('../har/index.ts');
  const entities = await loadEntities();
  const sides = [before, after].map(({ files, hars, paints }) => [files.map(({ stepResultId }) => stepResultId), hars.length, paints]);
  const { comparison, notes } = await remember(['HAR files', await projectId(), sides, firstParty, told], async () => {
    const read = ({ files }: Side) => files.map(({ har, paints }) => ({ har: readHar(har, { firstParty }), paints }));
    const around = ({ hars }: Side) => hars.map((har) => readHar(har, { firstParty }));
    const paints = { before: before.paints, after: after.paints };
    return compareHars(read(before), read(after), entities, { before: around(before), after: around(after) }, paints, told);
  });
  for (const sentence of notes) note(sentence);
  return comparison;
}

/** Says of each given run how unusual it is among those near it. */
function placed(comparison: Comparison, runs: BothRuns): Comparison {
  const sides = comparison.sides.map((side) => {
    const { files, paints } = runs[side.side];
    const unusual = files[0]?.paints && placeOfRun(files[0].paints, paints);
    return unusual === undefined ? side : { ...side, unusual };
  });
  const said = sides.flatMap(({ side, unusual = 'usual' }) =>
    unusual.startsWith('usual') ? [] : [` The run ${side} is not typical, ${unusual}.`],
  );
  return { ...comparison, sides, answer: `${comparison.answer}${said.join('')}` };
}

/**
 * Compares two given runs, or typical runs before and since an instant: gives the run of each side that is listed, and how they were chosen
 * where they were. Throws `invalid` where neither is named.
 */
export async function compareHarRuns({ before, after, scenarioId, step, since }: HarsAsked, context: Context) {
  const isGiven = before !== undefined || after !== undefined;
  const isNarrowed = step !== undefined || since !== undefined;
  if (isGiven && isNarrowed) refuse('before: pass before and after, or scenarioId and step, not both.');
  if (!isGiven && scenarioId !== undefined) return answerOf(await typicalOf({ scenarioId, step, since }, context), context);
  if (isNarrowed) refuse('scenarioId: is required with step and since.');
  if (before === undefined) refuse('before: is required with after (string); or pass scenarioId and step.');
  if (after === undefined) refuse('after: is required with before (string); or pass scenarioId and step.');
  return answerOf(await givenOf(before, after, scenarioId, context), context);
}

async function answerOf(runs: BothRuns, context: Context) {
  const { before, after, chosen } = runs;
  const comparison = await compared(runs, context);
  const idOf = ({ files: [run] }: Side) => run?.stepResultId ?? '';
  return { comparison: chosen ? comparison : placed(comparison, runs), before: idOf(before), after: idOf(after), chosen };
}
