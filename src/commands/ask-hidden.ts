import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SettingsError } from '../settings.ts';

/** Asks at a terminal, question by question on stderr; what is typed is not shown. Throws a `SettingsError` when the person gives up. */
export async function askHidden(input: NodeJS.ReadableStream, questions: readonly string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const given = new AbortController();
  lines.once('close', () => given.abort());
  const answers: string[] = [];
  try {
    for (const question of questions) {
      process.stderr.write(`${question} (not shown): `);
      answers.push((await lines.question('', { signal: given.signal })).trim());
      process.stderr.write('\n');
    }
    return answers;
  } catch (error) {
    if (given.signal.aborted) throw new SettingsError('nothing was changed');
    throw error;
  } finally {
    lines.close();
  }
}
