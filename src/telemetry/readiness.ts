import type { Clock } from '../lib/clock.ts';

/** Something that calls depend on. */
export interface Check {
  /** As it stands in the answer. */
  readonly name: string;
  /** Whether calls fail without it; else it is only told. */
  readonly vital: boolean;
  /** Resolves when all is well; rejects with an error whose words may be shown to anybody. */
  run(signal: AbortSignal): Promise<void>;
}

/** What a probe is told. */
export interface Report {
  readonly ready: boolean;
  /** `ok`, or what is wrong, by the name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** How long a report holds, so that probes cost nothing however often they come. */
const KEEP_MS = 5_000;
/** Longest a check may take. */
const TIMEOUT_MS = 3_000;

/** Makes the reader of these checks; it runs them when it is asked, those of one moment once. */
export function createReadiness({
  checks,
  clock,
  timeoutMs = TIMEOUT_MS,
}: {
  checks: readonly Check[];
  clock: Clock;
  timeoutMs?: number;
}): () => Promise<Report> {
  let latest: { readonly atMs: number; readonly report: Promise<Report> } | undefined;

  async function resultOf(check: Check): Promise<string> {
    const over = new AbortController();
    // A timer of the machine: a clock that stands still must not keep a probe waiting.
    const timer = setTimeout(() => over.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)), timeoutMs);
    try {
      await check.run(over.signal);
      return 'ok';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async function runAll(): Promise<Report> {
    const results = await Promise.all(checks.map(async (check) => ({ check, result: await resultOf(check) })));
    return {
      ready: results.every(({ check, result }) => !check.vital || result === 'ok'),
      checks: Object.fromEntries(results.map(({ check, result }) => [check.name, result])),
    };
  }

  return () => {
    const nowMs = clock.now();
    if (!latest || Math.abs(nowMs - latest.atMs) >= KEEP_MS) latest = { atMs: nowMs, report: runAll() };
    return latest.report;
  };
}
