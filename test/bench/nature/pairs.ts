import { lineByLine, type Table, type Trial, worldSeeds } from '../tables.ts';
import { FAULTS, type Fault, makeRunPair, type RunPair } from './page-runs.ts';
import { openSpeedBench, tallyOf } from './platforms.ts';

interface Culprit {
  readonly kind: string;
  readonly name: string | null;
  readonly slower: string | null;
}

/** The word of the answer for each fault. */
const KINDS: Readonly<Record<Fault, string>> = {
  document: 'document',
  'one host': 'host',
  'one image': 'request',
  'whole run': 'whole run',
  'slow machine': 'whole run',
  nothing: 'nothing',
  'nothing, single requests slow by chance': 'nothing',
};

function isNamed(fault: Fault, { culprit, slower }: RunPair, named: Culprit): boolean {
  if (named.kind !== KINDS[fault]) return false;
  return KINDS[fault] === 'nothing' || (named.slower === slower && (culprit === undefined || named.name?.includes(culprit) === true));
}

/** Two runs of a generated page, one with a planted slowness, compared by the built tool. */
export async function* pairNature(trial: Trial): AsyncGenerator<Table> {
  const { platform, peer, close } = await openSpeedBench();
  const head = { title: 'Two runs through the built tool', columns: ['planted', 'named', 'what was named'] };
  const cases = FAULTS.map((name) => ({ name }));
  try {
    yield* lineByLine(cases, trial, head, async ({ name: fault }) => {
      const outcomes: { verdict: string; isRight: boolean }[] = [];
      for (const seed of worldSeeds(trial, FAULTS.indexOf(fault))) {
        const pair = makeRunPair(fault, seed);
        const { before, after, reports, harOf } = pair;
        const call = { before, after, scenarioId: platform.show(reports, harOf) };
        const { culprit } = await peer.answer<{ culprit: Culprit }>('compare_hars', call);
        outcomes.push({ verdict: culprit.kind, isRight: isNamed(fault, pair, culprit) });
      }
      const { share, verdicts } = tallyOf(outcomes);
      return [fault, share(({ isRight }) => isRight), verdicts];
    });
  } finally {
    await close();
  }
}
