// Prints what becomes of each operation under each fault: npm run faults. Ends with 1 where a rule is broken.
import { faultKinds } from '../../src/emulator/faults.ts';
import { textTable } from '../../src/lib/text-table.ts';
import { openAssistant } from '../support/assistant.ts';
import { openPlatform } from '../support/emulator.ts';
import type { Cell } from './fault-cells.ts';
import { HASTY_MS, kindOf, runCells, subjects } from './fault-outcomes.ts';

/**
 * `busy 3×?`: what the answer says, how many requests the service saw, and a question mark where the answer says that a write may have
 * happened.
 */
function words(cell: Cell): string {
  return `${kindOf(cell)} ${cell.requests}×${/may have taken effect/.test(cell.answer.text) ? '?' : ''}`;
}

const platform = await openPlatform();
const [patient, hasty] = [await openAssistant(platform), await openAssistant(platform, { timeoutMs: HASTY_MS })];
const rows: Record<string, string>[] = [];
const broken: string[] = [];
for (const each of subjects) {
  for (const fault of faultKinds) {
    const runs = await runCells(fault, each, { platform, patient, hasty });
    broken.push(...runs.flatMap(({ complaints }) => complaints));
    rows.push({ operation: each.subject.operation, fault, 'becomes of it': runs.map(({ cell }) => words(cell)).join(', then ') });
  }
}
console.log(textTable(rows, ['operation', 'fault', 'becomes of it']));
console.log(`\n${rows.length} cells: the fault once, then always (a hang: always). ${broken.length} break a rule.`);
for (const sentence of broken) console.log(sentence);
await Promise.all([patient.close(), hasty.close()]);
await platform.close();
process.exit(broken.length > 0 ? 1 : 0);
