import { type MockInstance, vi } from 'vitest';

/** What a command wrote and how it ended. */
export interface Captured {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function textOf(spy: MockInstance<typeof process.stdout.write>): string {
  return spy.mock.calls.map(([chunk]) => String(chunk)).join('');
}

/** Runs a command in this process and keeps what it writes to itself. */
export async function captured(run: () => Promise<number>): Promise<Captured> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await run();
    return { code, out: textOf(out), err: textOf(err) };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}
