import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import { FAULTS, type Fault, makeRunPair, type RunPair } from './page-runs.ts';
import { openServedPlatform, tallyOf } from './speed-bench.ts';

interface Culprit {
  readonly kind: string;
  readonly name: string | null;
  readonly slower: string | null;
}

interface ToolAnswer {
  readonly result?: { readonly structuredContent?: { readonly culprit?: Culprit }; readonly isError?: boolean; readonly content?: unknown };
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

/** The built server over a platform of generated pages; gives what it names of a pair. */
async function openPairBench() {
  const { platform, peer } = await openServedPlatform();
  let scenarioId = 0;
  return {
    async nameCulprit({ before, after, reports, harOf }: RunPair): Promise<Culprit> {
      scenarioId += 1;
      platform.show(scenarioId, reports, harOf);
      const call = { name: 'compare_hars', arguments: { before, after, scenarioId } };
      const { result } = (await peer.ask('tools/call', call)) as ToolAnswer;
      const culprit = result?.structuredContent?.culprit;
      if (!culprit || result.isError) throw new Error(JSON.stringify(result?.content));
      return culprit;
    },
    async close() {
      await peer.stop();
      platform.close();
    },
  };
}

/** Two runs of a generated page, one with a planted slowness, compared by the built tool. */
export async function* pairNature({ worlds, seed, only }: Trial): AsyncGenerator<Table> {
  const bench = await openPairBench();
  try {
    for (const fault of FAULTS.filter((each) => each.includes(only ?? ''))) {
      const outcomes: { verdict: string; isRight: boolean }[] = [];
      for (let world = 0; world < worlds; world += 1) {
        const pair = makeRunPair(fault, seed * 1_000_003 + world * 7_919 + FAULTS.indexOf(fault));
        const named = await bench.nameCulprit(pair);
        outcomes.push({ verdict: named.kind, isRight: isNamed(fault, pair, named) });
      }
      const { share, verdicts } = tallyOf(outcomes);
      yield {
        title: 'Two runs through the built tool',
        columns: ['planted', 'named', 'what was named'],
        lines: [{ cells: [fault, share(({ isRight }) => isRight), verdicts] }],
      };
    }
  } finally {
    await bench.close();
  }
}
