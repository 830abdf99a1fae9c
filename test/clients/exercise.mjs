// Runs one client against one server, in a process of its own: `node exercise.mjs <driver> <server as JSON>`; writes a JSON of what it saw.
import { writeSync } from 'node:fs';
import process from 'node:process';

const [driver, server] = process.argv.slice(2);
const period = { startDate: '2026-11-01', endDate: '2026-11-07' };

/** Calls with what their answer must hold; the last one is refused by the server, not by its schema. */
const CALLS = [
  { tool: 'get_site_visits', args: period, expected: /30293/ },
  { tool: 'compare_metrics', args: { ...period, metrics: ['visits', 'conversionRate'], explain: false }, expected: /[Vv]isits/ },
  { tool: 'get_site_visits', args: { startDate: period.endDate, endDate: period.startDate }, expected: /endDate/ },
];
const RESOURCE = 'analytics://reference/metrics';

const seen = { calls: 0 };
try {
  const { open } = await import(`./drivers/${driver}.mjs`);
  const client = await open(JSON.parse(server));
  seen.tools = (await client.tools()).length;
  for (const { tool, args, expected } of CALLS) {
    const answer = await client.call(tool, args);
    if (!expected.test(answer)) throw new Error(`${tool} ${JSON.stringify(args)} was answered: ${answer.slice(0, 500)}`);
    seen.calls += 1;
  }
  if (client.read) {
    const text = await client.read(RESOURCE);
    if (!text.includes('get_site_metrics')) throw new Error(`${RESOURCE} holds: ${text.slice(0, 500)}`);
    seen.resource = true;
  }
  await client.close();
} catch (error) {
  seen.problem = error instanceof Error ? error.message : String(error);
}
writeSync(1, `\n${JSON.stringify(seen)}\n`);
process.exit(0);
