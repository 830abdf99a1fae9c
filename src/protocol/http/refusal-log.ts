import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { digest } from '../../telemetry/call-log.ts';

/** A request that was turned away; what the caller sent is written as digests alone. */
interface Refused {
  readonly status: number;
  /** Words of this server. */
  readonly reason: string;
  readonly token?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** More lines a minute would let a sender of nonsense fill a disk; the next line says how many were left out. */
const LINES = 60;
const WINDOW_MS = 60_000;

/** Writes a line for each refused caller, with digests by which an operator finds the lines of a known token or name again. */
export function createRefusalLog({ clock, log }: { clock: Clock; log: Log }): (level: 'info' | 'warn', refused: Refused) => void {
  let [startMs, lines, omitted] = [Number.NEGATIVE_INFINITY, 0, 0];
  const hashed = (text: string | undefined) => (text === undefined ? undefined : digest(text.replace(/^bearer /i, '').trim()));
  return (level, { status, reason, token, host, origin }) => {
    const nowMs = clock.now();
    if (nowMs - startMs >= WINDOW_MS) [startMs, lines] = [nowMs, 0];
    lines += 1;
    if (lines > LINES) {
      omitted += 1;
      return;
    }
    const more = omitted > 0 ? omitted : undefined;
    log(level, 'refused', { status, reason, token: hashed(token), host: hashed(host), origin: hashed(origin), omitted: more });
    omitted = 0;
  };
}
