import { greet, startPeer } from '../peer.ts';
import { openSpeedPlatform } from './speed-platform.ts';
import type { SpeedWorld } from './speed-worlds.ts';

/** The built server over a platform of generated scenarios. */
export interface SpeedBench {
  /** Gives the structured answer of `analyze_scenario` about the last week of a world, with more arguments where there are some. */
  readonly judge: (world: SpeedWorld, more?: object) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface ToolAnswer {
  readonly result?: { readonly structuredContent?: unknown; readonly isError?: boolean; readonly content?: unknown };
}

/** A platform of generated reports, and the built server over it. */
export async function openServedPlatform() {
  const platform = await openSpeedPlatform();
  const peer = startPeer(['dist/main.js'], {
    WEB_ANALYTICS_AUTH_URL: platform.url,
    WEB_ANALYTICS_CLIENT_ID: 'bench',
    WEB_ANALYTICS_CLIENT_SECRET: 'bench',
    WEB_ANALYTICS_TOOLSETS: 'insights,speed-analysis',
  });
  await greet(peer);
  return { platform, peer };
}

/** Starts both. */
export async function openSpeedBench(): Promise<SpeedBench> {
  const { platform, peer } = await openServedPlatform();
  let scenarioId = 0;
  return {
    async judge({ reports, startMs, endMs }, more = {}) {
      // A new id for each world, because the server keeps what it has read.
      scenarioId += 1;
      platform.show(scenarioId, reports);
      const range = { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs - 1).toISOString() };
      const input = { scenarioIds: [scenarioId], ...range, ...more };
      const { result } = (await peer.ask('tools/call', { name: 'analyze_scenario', arguments: input })) as ToolAnswer;
      if (!result?.structuredContent || result.isError) throw new Error(JSON.stringify(result?.content));
      return result.structuredContent;
    },
    async close() {
      await peer.stop();
      platform.close();
    },
  };
}

/** Words for the outcomes of one cell: the share of those that `isCounted`, and how often each verdict was given. */
export function tallyOf<Outcome extends { readonly verdict: string }>(outcomes: readonly Outcome[]) {
  return {
    share: (isCounted: (outcome: Outcome) => boolean) => `${((100 * outcomes.filter(isCounted).length) / outcomes.length).toFixed(1)} %`,
    verdicts: [...new Set(outcomes.map(({ verdict }) => verdict))]
      .map((verdict) => `${verdict} ${outcomes.filter((outcome) => outcome.verdict === verdict).length}`)
      .join(', '),
  };
}
