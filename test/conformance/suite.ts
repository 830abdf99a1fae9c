import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const SUITE = 'node_modules/@modelcontextprotocol/conformance';
/** The suite needs a newer Node than the product. */
const NEEDED = 22;
const NODE =
  Number(process.versions.node.split('.')[0]) >= NEEDED ? process.execPath : resolve('node_modules/.cache/node22/package/bin/node');

/** Why the suite cannot run here; undefined where it can. */
export const missing = existsSync(NODE) ? undefined : `needs Node ${NEEDED}, which .ci/run fetches on Linux x64`;

export type Revision = '2025-11-25' | '2026-07-28';

/** Names of the scenarios that a revision requires of servers. */
export function required(revision: Revision): string[] {
  const list = readFileSync(`${SUITE}/requirements/${revision}.yaml`, 'utf8');
  const server = /^server:\n((?: {2}- .*\n)+)/m.exec(list)?.[1] ?? '';
  return [...server.matchAll(/- (\S+)/g)].map(([, name = '']) => name);
}

/** Scenarios of servers that a revision runs without requiring them, and why they do not count. */
export function notScored(revision: Revision): { readonly scenario: string; readonly reason: string }[] {
  const list = readFileSync(`${SUITE}/requirements/${revision}.yaml`, 'utf8');
  const entries = list.matchAll(/- scenario: (\S+)\n\s+leg: server\n\s+reason: (\S+)/g);
  return [...entries].map(([, scenario = '', reason = '']) => ({ scenario, reason }));
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** What a run of the suite found: checks by scenario. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

/** Runs what a revision requires against a server. */
export async function runSuite(url: string, revision: Revision): Promise<Findings> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const args = [resolve(SUITE, 'dist/index.js'), 'server', '--url', url, '--requirements', revision, '--output-dir', folder];
    // It ends with 1 where a check failed; the files say which.
    await promisify(execFile)(NODE, args, { cwd: folder, maxBuffer: 2 ** 26 }).catch(() => undefined);
    return new Map(
      readdirSync(folder).map((name) => [
        name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ''),
        JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[],
      ]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What failed, with the words of the suite. */
export function failures(findings: Findings, scenarios: readonly string[]): string[] {
  return scenarios.flatMap((name) => {
    const checks = findings.get(name);
    if (!checks) return [`${name}: did not run`];
    if (!checks.some(({ status }) => status === 'SUCCESS')) return [`${name}: found nothing to check`];
    return checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage ?? ''}`);
  });
}
