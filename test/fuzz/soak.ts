// Fuzzes the built server for so many minutes: node .ci/run-script.mjs test/fuzz/soak.ts 10. Ends with 1 where it breaks a rule or grows.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toolsets } from '../../tools/index.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';
import { startHttpServer } from '../support/stdio.ts';
import { sampleArguments } from '../tools/sample-arguments.ts';
import { fuzzHttp } from './http-fuzz.ts';
import { fuzzTools, type Tally, together } from './tool-fuzz.ts';
import { rulesFor } from './violations.ts';

/** Rounds that fill caches and pools before memory is compared. */
const WARM_UP_ROUNDS = 3;
/** More than this, and memory is taken to grow. */
const MOST_GROWTH = 1.3;
const METRICS_TOKEN = 'soak-metrics-token-0123456789';

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) throw new Error('npm run soak -- <minutes>: expected a number above 0.');

/** What the process holds, in bytes. */
async function memoryOf(url: string): Promise<{ heap: number; resident: number }> {
  const page = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await page.text();
  const valueOf = (name: string) => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  return { heap: valueOf('nodejs_heap_size_used_bytes'), resident: valueOf('process_resident_memory_bytes') };
}

function credentialOf({ authUrl, credentials: { account, enrichment } }: Platform): Record<string, string> {
  return {
    WEB_ANALYTICS_AUTH_URL: authUrl,
    WEB_ANALYTICS_CLIENT_ID: account.clientId,
    WEB_ANALYTICS_CLIENT_SECRET: account.clientSecret,
    WEB_ANALYTICS_ENRICHMENT_CLIENT_ID: enrichment.clientId,
    WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET: enrichment.clientSecret,
    WEB_ANALYTICS_PROJECT_ID: '1201',
    WEB_ANALYTICS_LOG_LEVEL: 'error',
  };
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

const platform = await openPlatform({ start: new Date().toISOString() });
const argumentsOf = await sampleArguments({
  ask: async (operation, input) => platform.ask(operation, input ?? {}, await platform.token('shop')),
});
const samples = new Map(toolsets.flatMap(({ tools }) => tools).map((tool) => [tool.name, argumentsOf(tool)]));
const server = await startHttpServer([], {
  ...credentialOf(platform),
  WEB_ANALYTICS_METRICS_TOKEN: METRICS_TOKEN,
  // Both are full after the first rounds: up to their defaults the cache would fill, and sessions that no client ends would idle, during
  // most of the soak, and hide what does not stop growing.
  WEB_ANALYTICS_REPORT_CACHE_MB: '8',
  WEB_ANALYTICS_MAX_SESSIONS: '8',
  // Room for a working set alone: what is only waiting to be collected goes early, and a leak ends the process.
  NODE_OPTIONS: '--max-old-space-size=192',
});

const tallies: Tally[] = [];
const memory: { heap: number; resident: number }[] = [];
const firstSeed = Date.now() % 1_000_000;
const startedMs = Date.now();
for (let index = 0; Date.now() - startedMs < minutes * 60_000; index += 1) {
  const roundStartedMs = Date.now();
  const round = { rules: rulesFor(platform.credentials), seed: firstSeed + index, settle: <T>(answer: Promise<T>) => answer };
  const client = new Client({ name: 'soak', version: '0.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  tallies.push(await fuzzTools(client, { ...round, runs: 2, sampleOf: (name) => samples.get(name) ?? {} }));
  await client.close();
  for (const era of ['2025', '2026'] as const) tallies.push(await fuzzHttp(server.url, era, { ...round, runs: 60 }));
  platform.requests.length = 0;
  platform.clock.jump(Date.now() - roundStartedMs);
  const now = await memoryOf(server.url);
  memory.push(now);
  const { messages, findings } = together(tallies);
  console.log(
    `round ${index + 1}: ${messages} messages, ${findings.length} findings, ${megabytes(now.heap)} of objects, ` +
      `${megabytes(now.resident)} resident`,
  );
}
await server.stop();
await platform.close();

const { messages, findings } = together(tallies);
for (const { sent, violations } of findings.slice(0, 20)) console.log(`${sent}\n${violations.map((each) => `  ${each}`).join('\n')}`);
const heaps = memory.slice(WARM_UP_ROUNDS).map(({ heap }) => heap);
// The least of the first third against the least of the last: that is what stays when all else has been collected.
const third = Math.max(1, Math.floor(heaps.length / 3));
const before = Math.min(...heaps.slice(0, third));
const after = Math.min(...heaps.slice(-third));
const growth = heaps.length > 0 ? after / before : 1;
const compared =
  heaps.length > 0
    ? `objects ${megabytes(before)} early, ${megabytes(after)} late (${growth.toFixed(2)} ×)`
    : 'too short to compare memory';
console.log(`${messages} messages with seeds from ${firstSeed}, ${findings.length} findings; ${compared}`);
process.exit(findings.length > 0 || growth > MOST_GROWTH ? 1 : 0);
