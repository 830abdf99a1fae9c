import type { Trial } from '../tables.ts';
import { FAULTS, type Fault, makeRunPair, type RunPair } from './page-runs.ts';
import { judgedByTool } from './platforms.ts';

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
export const pairNature = (trial: Trial) =>
  judgedByTool(trial, {
    title: 'Two runs through the built tool',
    columns: ['planted', 'named', 'what was named'],
    cases: FAULTS.map((name) => ({ name })),
    own: ({ name }) => FAULTS.indexOf(name),
    async outcomeOf({ name }, seed, { platform, peer }) {
      const pair = makeRunPair(name, seed);
      const { before, after, reports, harOf } = pair;
      const call = { before, after, scenarioId: platform.show(reports, harOf) };
      const { culprit } = await peer.answer<{ culprit: Culprit }>('compare_hars', call);
      return { verdict: culprit.kind, isRight: isNamed(name, pair, culprit) };
    },
    cellsOf: (_, { share, verdicts }) => [share(({ isRight }) => isRight), verdicts],
  });
