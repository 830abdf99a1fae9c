import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** What the command that was built into this folder prints, on both streams; nothing of the environment but the path reaches it. */
export function printedBy(folder: string, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'main.js'), ...args], { env }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
}
