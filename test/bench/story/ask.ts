import { openMetricsBench } from '../nature/platforms.ts';
import { isOneStory, isRight, type Judged, judge, lostBy } from './judge.ts';
import { looksOn } from './looks.ts';
import { dayPlus, knownAfter, type Planted } from './planted.ts';
import { figuresAgainstRest, plainReader } from './rest.ts';
import { answerShape, claimsOf } from './said.ts';

/** One answer, judged. */
export interface Told extends Judged {
  readonly figures: { readonly looked: number; readonly wrong: readonly string[] };
  /** Findings of smaller looks that this one had to keep, and those that it lost. */
  readonly kept: { readonly looked: number; readonly lost: readonly string[] };
}

/** A world as it was told on one day. */
export interface ToldDay {
  readonly planted: Planted;
  readonly after: number;
  readonly today: string;
  readonly ways: readonly Told[];
}

/** The ways of a day that look for changes. */
export const storyWays = ({ ways }: ToldDay): readonly Told[] => ways.filter(({ look }) => !look.isOfLevels);

/** Whether all ways of a day tell the planted change truly and alike, and no other one. */
export function isComplete(day: ToldDay): boolean {
  const ways = storyWays(day);
  return ways.every((way) => isRight(way) && way.invented.length === 0) && isOneStory(ways);
}

/** Asks a world on the morning some whole days after its change began, in one session: in every way, or in those of a turn. */
export async function askDay(product: string, planted: Planted, after: number, turn?: number): Promise<ToldDay> {
  const today = dayPlus(planted.from, after);
  const { platform, peer, close } = await openMetricsBench(product, `${today}T09:00:00.000Z`);
  platform.show(knownAfter(planted, after));
  const read = plainReader(platform.url);
  try {
    const judged: (Judged & Pick<Told, 'figures'>)[] = [];
    for (const look of looksOn(planted, today, turn)) {
      const said = answerShape.parse(await peer.answer(look.tool, look.args));
      const claims = claimsOf(said);
      const figures = await figuresAgainstRest(said, claims, look, read);
      judged.push({ ...judge(said, claims, look, { planted, last: dayPlus(today, -1) }), figures });
    }
    return { planted, after, today, ways: judged.map((own) => ({ ...own, kept: lostBy(own, judged) })) };
  } finally {
    await close();
  }
}
