// Prints what becomes of each operation under each fault, over both transports: npm run faults. Ends with 1 where a rule is broken.
import { faultKinds } from '../../src/emulator/faults.ts';
import { textTable } from '../../src/lib/text-table.ts';
import { openPlatform } from '../support/emulator.ts';
import { kindOf, subjects } from './fault-outcomes.ts';
import { openCallers, type Run, runCells, type TransportName, transports } from './fault-runs.ts';

/**
 * `busy 3×?`: what the answer says, how many requests the service saw, and a question mark where the answer says that a write may have
 * happened.
 */
function words({ cell }: Run): string {
  return `${kindOf(cell)} ${cell.requests}×${/may have taken effect/.test(cell.answer.text) ? '?' : ''}`;
}

const platform = await openPlatform();
const rows: Record<string, string>[] = [];
const broken: string[] = [];
const callersOf = new Map(await Promise.all(transports.map(async (name) => [name, await openCallers(name, platform)] as const)));

async function cellsOf(transport: TransportName, kind: (typeof faultKinds)[number], each: (typeof subjects)[number]): Promise<string> {
  const callers = callersOf.get(transport);
  if (!callers) throw new Error(`No caller over ${transport}.`);
  const runs = await runCells(kind, each, { platform, callers, mark: transport });
  broken.push(...runs.flatMap(({ complaints }) => complaints.map((sentence) => `${transport}: ${sentence}`)));
  return runs.map((run) => words(run)).join(', then ');
}

for (const each of subjects) {
  for (const kind of faultKinds) {
    const stdio = await cellsOf('stdio', kind, each);
    const http = await cellsOf('http', kind, each);
    rows.push({ operation: each.subject.operation, fault: kind, stdio, http: http === stdio ? 'the same' : http });
  }
}
console.log(textTable(rows));
console.log(`\n${rows.length * transports.length} cells: the fault once, then always (a hang: always). ${broken.length} break a rule.`);
for (const sentence of broken) console.log(sentence);
for (const callers of callersOf.values()) await callers.close();
await platform.close();
process.exit(broken.length > 0 ? 1 : 0);
