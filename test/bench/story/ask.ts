import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type MetricsPlatform, openMetricsPlatform } from '../nature/metrics-platform.ts';
import { clockModule } from '../peer.ts';
import { isOneStory, isRight, type Judged, judge, lostBy } from './judge.ts';
import { type Look, looksOn } from './looks.ts';
import { dayPlus, knownAfter, type Planted } from './planted.ts';
import { figuresAgainstRest, plainReader } from './rest.ts';
import { answerShape, claimsOf, type Said } from './said.ts';

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

/** The product as a process of its own that lives on the morning of a day, behind an MCP client. */
async function openProduct(product: string, platform: MetricsPlatform, today: string) {
  const client = new Client({ name: 'story', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', clockModule(`${today}T09:00:00.000Z`), product],
    env: {
      WEB_ANALYTICS_AUTH_URL: platform.url,
      WEB_ANALYTICS_CLIENT_ID: 'bench',
      WEB_ANALYTICS_CLIENT_SECRET: 'bench',
      WEB_ANALYTICS_TOOLSETS: 'insights,objects',
      WEB_ANALYTICS_COUNTRY: 'DE',
    },
    stderr: 'inherit',
  });
  await client.connect(transport);
  return {
    async ask({ name, tool, args }: Look): Promise<Said> {
      const { structuredContent, isError, content } = await client.callTool({ name: tool, arguments: { ...args } }, { timeout: 300_000 });
      if (isError || !structuredContent) throw new Error(`${name}: ${JSON.stringify(content)}`);
      return answerShape.parse(structuredContent);
    },
    close: () => client.close(),
  };
}

/** Asks a world on the morning some whole days after its change began, in one session: in every way, or in those of a turn. */
export async function askDay(product: string, planted: Planted, after: number, turn?: number): Promise<ToldDay> {
  const today = dayPlus(planted.from, after);
  const platform = await openMetricsPlatform();
  platform.show(knownAfter(planted, after));
  const read = plainReader(platform.url);
  const session = await openProduct(product, platform, today);
  try {
    const judged: (Judged & Pick<Told, 'figures'>)[] = [];
    for (const look of looksOn(planted, today, turn)) {
      const said = await session.ask(look);
      const claims = claimsOf(said);
      const figures = await figuresAgainstRest(said, claims, look, read);
      judged.push({ ...judge(said, claims, look, { planted, last: dayPlus(today, -1) }), figures });
    }
    return { planted, after, today, ways: judged.map((own) => ({ ...own, kept: lostBy(own, judged) })) };
  } finally {
    await session.close();
    platform.close();
  }
}
