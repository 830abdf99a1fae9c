import type { Clock } from '../lib/clock.ts';

export interface SlotRequest {
  /** Whose calls count together: authentication server and project. */
  readonly project: string;
  /** Slots go to sessions in turn, whatever each has waiting. */
  readonly sessionId: string;
  /** True for speed analysis, which the service takes one call at a time. */
  readonly speed: boolean;
  /** Leaves the queue at once; its reason is thrown. */
  readonly signal: AbortSignal;
}

export interface Slot {
  /** Gives the slot back; `refused` when the service found too many calls in flight. */
  release(refused?: boolean): void;
}

/** Holds back calls so that those of one project in flight stay below what the service takes; one per process. */
export interface Limiter {
  /** Waits for a free slot. */
  acquire(request: SlotRequest): Promise<Slot>;
}

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_SPEED_CONCURRENCY = 1;
/** After a refusal the limit is halved; it grows by one each time this long passes without another. */
export const RECOVERY_MS = 2_000;

interface Lane {
  readonly limit: number;
  active: number;
  /** Limit at the last refusal, and when that was. */
  reduced: number;
  reducedAtMs: number;
  /** Refusals that lowered the limit so far: calls started before the last one say nothing about the new limit. */
  reductions: number;
}

interface Waiter {
  readonly request: SlotRequest;
  grant(): void;
}

interface Gate {
  readonly all: Lane;
  readonly speed: Lane;
  /** Waiting calls by session and lane, those whose turn it is first: else one session could have every turn of speed analysis. */
  readonly waiting: Map<string, Waiter[]>;
}

function createLane(limit: number): Lane {
  return { limit: Math.max(1, Math.floor(limit)), active: 0, reduced: limit, reducedAtMs: Number.NEGATIVE_INFINITY, reductions: 0 };
}

function currentLimit(lane: Lane, nowMs: number): number {
  if (nowMs < lane.reducedAtMs) lane.reducedAtMs = nowMs;
  return Math.min(lane.limit, lane.reduced + Math.floor((nowMs - lane.reducedAtMs) / RECOVERY_MS));
}

function reduce(lane: Lane, nowMs: number): void {
  lane.reduced = Math.max(1, Math.floor(currentLimit(lane, nowMs) / 2));
  lane.reducedAtMs = nowMs;
  lane.reductions += 1;
}

function lineOf({ sessionId, speed }: SlotRequest): string {
  return `${speed ? 'speed' : 'other'} ${sessionId}`;
}

/** Takes the next call that may start out of its line; the line goes behind all others. */
function nextWaiter({ waiting }: Gate, speedFree: boolean): Waiter | undefined {
  for (const [line, queue] of waiting) {
    if (queue[0]?.request.speed && !speedFree) continue;
    const waiter = queue.shift();
    waiting.delete(line);
    if (queue.length > 0) waiting.set(line, queue);
    return waiter;
  }
  return undefined;
}

/** Makes the limiter of a process. */
export function createLimiter({
  clock,
  concurrency = DEFAULT_CONCURRENCY,
  speedConcurrency = DEFAULT_SPEED_CONCURRENCY,
}: {
  clock: Clock;
  concurrency?: number;
  speedConcurrency?: number;
}): Limiter {
  const gates = new Map<string, Gate>();

  function gateOf(project: string): Gate {
    const gate = gates.get(project) ?? { all: createLane(concurrency), speed: createLane(speedConcurrency), waiting: new Map() };
    gates.set(project, gate);
    return gate;
  }

  function dispatch(project: string, gate: Gate): void {
    const nowMs = clock.now();
    while (gate.all.active < currentLimit(gate.all, nowMs)) {
      const waiter = nextWaiter(gate, gate.speed.active < currentLimit(gate.speed, nowMs));
      if (!waiter) break;
      waiter.grant();
    }
    const recovered = [gate.all, gate.speed].every((lane) => currentLimit(lane, nowMs) === lane.limit);
    if (gate.all.active === 0 && gate.waiting.size === 0 && recovered) gates.delete(project);
  }

  /** Counts the call in until it is released, once. */
  function enter(gate: Gate, { project, speed }: SlotRequest): Slot {
    const lanes = speed ? [gate.all, gate.speed] : [gate.all];
    const seen = lanes.map((lane) => lane.reductions);
    for (const lane of lanes) lane.active += 1;
    let held = true;
    return {
      release(refused = false) {
        if (!held) return;
        held = false;
        for (const [index, lane] of lanes.entries()) {
          lane.active -= 1;
          if (refused && lane.reductions === seen[index]) reduce(lane, clock.now());
        }
        dispatch(project, gate);
      },
    };
  }

  return {
    async acquire(request) {
      const { project, signal } = request;
      signal.throwIfAborted();
      const gate = gateOf(project);
      return new Promise((resolve, reject) => {
        const line = lineOf(request);
        const queue = gate.waiting.get(line) ?? [];
        const leave = () => {
          const index = queue.indexOf(waiter);
          if (index >= 0) queue.splice(index, 1);
          if (queue.length === 0 && gate.waiting.get(line) === queue) gate.waiting.delete(line);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          request,
          grant() {
            signal.removeEventListener('abort', leave);
            resolve(enter(gate, request));
          },
        };
        queue.push(waiter);
        gate.waiting.set(line, queue);
        signal.addEventListener('abort', leave, { once: true });
        dispatch(project, gate);
      });
    },
  };
}
