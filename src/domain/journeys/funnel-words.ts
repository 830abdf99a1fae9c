import { dateText } from '../../findings/wording.ts';
import { formatNumber } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { type FunnelChange, type FunnelStep, largestLoss } from './funnel.ts';
import { type FunnelGroup, LEAST_SESSIONS } from './funnel-groups.ts';

/** The parts of a funnel's sentences. */
interface Told {
  readonly steps: readonly FunnelStep[];
  readonly groups: readonly FunnelGroup[] | undefined;
  /** Whether groups were compared within devices. */
  readonly isByDevice?: boolean | undefined;
  /** Chosen devices held against the others. */
  readonly beside?: FunnelGroup | undefined;
  readonly changes: readonly FunnelChange[] | undefined;
  readonly unit: 'sessions' | 'visitors';
  readonly question: {
    readonly order: 'in_order' | 'direct';
    readonly withinDays: number | undefined;
    readonly breakdown?: string | undefined;
  };
  readonly immature: number;
  /** Whether filters leave some visits out. */
  readonly isFiltered: boolean;
}

const count = (value: number) => formatNumber(value, { group: true });

function changeSentence({ changes, steps, beside }: Told): string[] {
  if (!changes) return beside?.differs ? [groupSentence(beside)] : [];
  const moved = changes.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
  const [clearest] = moved.toSorted((a, b) => Math.abs(distance(b)) - Math.abs(distance(a)));
  if (!clearest) return changes.some(({ verdict }) => verdict === 'within noise') ? ['No step of this funnel changed significantly.'] : [];
  const { verdict, step, since, beforePercent = 0, afterPercent = 0, group } = clearest;
  const from = steps.find((_, at) => steps[at + 1]?.step === step);
  const begun = since && ` since ${dateText(since, since.slice(0, 4))}`;
  return [
    `${verdict === 'lower' ? 'Fewer' : 'More'} go on from ${from?.step} to ${step}${begun ?? ''}: ` +
      `${afterPercent}% against ${beforePercent}% in the baseline${group ? `, most clearly for ${group}` : ''}.`,
  ];
}

const distance = ({ beforePercent = 0, afterPercent = 0 }: FunnelChange) => afterPercent - beforePercent;

function lossSentence({ steps, unit, isFiltered }: Told): string {
  const at = largestLoss(steps);
  const [first] = steps;
  if (!first || first.sessions === 0)
    return `No ${unit}${isFiltered ? ' that pass the filters' : ''} did ${first?.step ?? 'the first step'} in these days.`;
  const [from, to] = at === undefined ? [] : [steps[at], steps[at + 1]];
  if (!from || !to) return `All ${count(first.sessions)} ${unit} that did ${first.step} did every step.`;
  const lost = `${count(from.left ?? 0)} of ${count(from.sessions)} ${unit} (${(100 * lostShare(from)).toFixed(1)}%)`;
  return `The largest loss is after ${from.step}: ${lost} do not reach ${to.step}${steeperWords(steps, from)}.`;
}

const lostShare = ({ left = 0, sessions }: FunnelStep) => (sessions > 0 ? left / sessions : 0);

/** `; the largest share is lost after /checkout/address, 41.8% of 756`, where another step loses more of those who come to it. */
function steeperWords(steps: readonly FunnelStep[], from: FunnelStep): string {
  const known = steps.slice(0, -1).filter(({ sessions }) => sessions >= LEAST_SESSIONS);
  const [steepest] = known.toSorted((a, b) => lostShare(b) - lostShare(a));
  if (!steepest || steepest === from || lostShare(steepest) <= lostShare(from)) return '';
  return `; the largest share is lost after ${steepest.step}, ${(100 * lostShare(steepest)).toFixed(1)}% of ${count(steepest.sessions)}`;
}

function wholeSentence({ steps, unit }: Told): string[] {
  const [first, last] = [steps[0], steps.at(-1)];
  return first && last && first.sessions > 0 ? [`${last.ofFirstPercent}% of ${unit} with ${first.step} reach ${last.step}.`] : [];
}

/** How groups differ: two that stand out, losses first, else that none does; nothing where all have too few. */
export function groupSentences(groups: readonly FunnelGroup[], breakdown = 'group', isByDevice?: boolean): string[] {
  const own = ['fewer', 'more'].flatMap((kind) => groups.filter(({ differs }) => differs === kind)).slice(0, 2);
  if (own.length > 0 || groups.every(({ verdict }) => verdict === 'too few')) return own.map(groupSentence);
  return [`No ${breakdown.replace('_', ' ')} differs significantly from the others${isByDevice ? ' on the same devices' : ''}.`];
}

const groupSentence = ({ group, verdict }: FunnelGroup) => `For ${group}, ${verdict}.`;

/**
 * The sentences of a funnel: the change where a baseline was asked for or how chosen devices differ, how groups of a split do, the largest
 * loss, the whole way.
 */
export function funnelWords(told: Told): { answer: string; notes: string[] } {
  const { steps, groups, unit, question, immature, isByDevice } = told;
  const notes = present(
    (steps[0]?.sessions ?? 0) < LEAST_SESSIONS && `Fewer than ${LEAST_SESSIONS} ${unit} did the first step: the shares say little.`,
    question.order === 'direct'
      ? 'Counted: each step is the very next page.'
      : 'Counted: each step comes later than the one before; others may lie between.',
    question.withinDays !== undefined &&
      `A visitor is a browser or device; the steps are done within ${question.withinDays} days of the first. ` +
        `${count(immature)} visitors whose window is not over, or not covered, are left out.`,
    groups && 'Groups are compared with all others, step by step, at a false discovery rate of 5 %.',
    steps.at(-1)?.medianSeconds === undefined &&
      steps.length > 1 &&
      (steps.at(-1)?.sessions ?? 0) > 0 &&
      'The files do not say when in a visit a purchase was.',
  );
  const compared = groupSentences(groups ?? [], question.breakdown, isByDevice);
  return { answer: [...changeSentence(told), ...compared, lossSentence(told), ...wholeSentence(told)].join(' '), notes };
}
