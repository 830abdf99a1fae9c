import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** A command that an installed package brings; gives what it writes. */
export function commandOf(packageName, command) {
  const folder = new URL(`./node_modules/${packageName}/`, import.meta.url);
  const { bin } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  const script = fileURLToPath(new URL(bin[command], folder));
  return async (...args) => {
    // Into a file: some commands end before a pipe has taken all that they wrote.
    const place = mkdtempSync(join(tmpdir(), 'client-'));
    const path = join(place, 'stdout');
    const output = openSync(path, 'w');
    const [code] = await once(spawn(process.execPath, [script, ...args], { stdio: ['ignore', output, 'ignore'] }), 'close');
    closeSync(output);
    const text = readFileSync(path, 'utf8');
    rmSync(place, { recursive: true });
    if (code !== 0 && text === '') throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
    return text;
  };
}
