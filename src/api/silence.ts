import { setMaxListeners } from 'node:events';

/** A watch over something that has to be heard of again and again. */
export interface Silence {
  /** Aborts when nothing was heard for too long, or with the caller's own signal and its reason. */
  readonly signal: AbortSignal;
  heard(): void;
  /** True where silence ended it and not the caller. */
  wasSilent(): boolean;
  stop(): void;
}

/** Aborts when nothing was heard for `patienceMs`, or with `signal`; without `patienceMs` only with `signal`. */
export function watchSilence({ patienceMs, signal }: { patienceMs?: number | undefined; signal: AbortSignal }): Silence {
  const controller = new AbortController();
  const relay = () => controller.abort(signal.reason);
  if (signal.aborted) relay();
  // Files that are fetched at a time share one signal.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', relay, { once: true });
  let silent = false;
  const giveUp = () => {
    silent = true;
    controller.abort();
  };
  const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
  return {
    signal: controller.signal,
    heard: () => timer?.refresh(),
    wasSilent: () => silent && !signal.aborted,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', relay);
    },
  };
}
