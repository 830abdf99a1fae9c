import { describe, expect, it } from 'vitest';
import { toolsets } from '../../tools/index.ts';
import { sharedService } from '../support/http.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { sampleSize } from '../support/sample-size.ts';
import { sampleArguments } from '../tools/sample-arguments.ts';
import { useTools } from '../tools/support.ts';
import { fuzzHttp } from './http-fuzz.ts';
import { fuzzTools } from './tool-fuzz.ts';
import { rulesFor } from './violations.ts';

/** Change it to look elsewhere; `npm run soak` looks at a new place each time. */
const SEED = 20_261_122;

/** How many messages each part sends. */
const RUNS = {
  perTool: sampleSize({ full: 20, short: 4 }),
  http: sampleSize({ full: 320, short: 80 }),
};

describe('tools, through a client of the protocol', () => {
  const use = useTools();

  it('take any arguments with an answer that keeps all rules', { tags: 'nightly' }, async () => {
    const { clock } = use.platform();
    const argumentsOf = await sampleArguments(use);
    const definitions = toolsets.flatMap(({ tools }) => tools);
    const samples = new Map(definitions.map((tool) => [tool.name, argumentsOf(tool)]));
    const { client } = use.assistant();
    const tally = await fuzzTools(client, {
      rules: rulesFor(use.platform().credentials),
      seed: SEED,
      runs: RUNS.perTool,
      settle: (answer) => whileTimePasses(clock, answer),
      sampleOf: (name) => samples.get(name) ?? {},
    });
    expect(tally.findings).toEqual([]);
    expect(tally.messages).toBeGreaterThan(definitions.length * (RUNS.perTool - 4));
  });
});

describe('messages over HTTP', () => {
  const service = sharedService({ limits: { maxSessions: 1_000 } });

  it.each(['2025', '2026'] as const)('of the era of %s', async (era) => {
    const { platform, url } = service();
    const settle = <T>(answer: Promise<T>) => whileTimePasses(platform.clock, answer);
    const { findings } = await fuzzHttp(url, era, { rules: rulesFor(platform.credentials), seed: SEED, runs: RUNS.http, settle });
    expect(findings).toEqual([]);
  });
});
