import type { Clock } from '../lib/clock.ts';

/** The kind of call that waits for a slot. */
export interface SlotRequest {
  /** Whose calls count together: authentication server and project. */
  readonly project: string;
  /** Slots go to principals in turn, however many calls and sessions each has; left out: each session counts as a principal. */
  readonly principalId?: string | undefined;
  /** The turns of a principal go to its sessions in turn. */
  readonly sessionId: string;
  /** True for speed analysis, which the service takes one call at a time. */
  readonly speed: boolean;
  /** Leaves the queue at once; its reason is thrown. */
  readonly signal: AbortSignal;
}

/** A taken slot, which its call gives back once. */
export interface Slot {
  /** Gives the slot back; `refused` when the service found too many calls in flight. */
  release(refused?: boolean): void;
}

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_SPEED_CONCURRENCY = 1;
/** After a refusal the limit is halved; it grows by one each time this long passes without another. */
export const RECOVERY_MS = 2_000;

interface Waiter {
  readonly request: SlotRequest;
  grant(): void;
}

interface Gate {
  readonly all: Lane;
  readonly speed: Lane;
  /** Queues by principal and lane, the next one first; otherwise one principal could take every turn of speed analysis. */
  readonly waiting: Map<string, Line>;
}

/** Waiting calls by session, those whose turn it is first. */
type Line = Map<string, Waiter[]>;

type Lane = ReturnType<typeof createLane>;

function createLane(limit: number) {
  return {
    limit: Math.max(1, Math.floor(limit)),
    active: 0,
    /** Limit at the last refusal, and when that was. */
    reduced: limit,
    reducedAtMs: Number.NEGATIVE_INFINITY,
    /** Durations of the last calls, the latest last. */
    heldMs: new Array<number>(),
    /** Refusals that lowered the limit so far: calls started before the last one say nothing about the new limit. */
    reductions: 0,
  };
}

function currentLimit(lane: Lane, nowMs: number, sharers = 1): number {
  if (nowMs < lane.reducedAtMs) lane.reducedAtMs = nowMs;
  const share = Math.max(1, Math.floor(lane.limit / sharers));
  return Math.min(share, lane.reduced + Math.floor((nowMs - lane.reducedAtMs) / RECOVERY_MS));
}

function reduce(lane: Lane, nowMs: number): void {
  lane.reduced = Math.max(1, Math.floor(currentLimit(lane, nowMs) / 2));
  lane.reducedAtMs = nowMs;
  lane.reductions += 1;
}

/** The duration of one call is estimated from the last 16, so that a single slow one does not make the queue look long. */
const REMEMBERED_CALLS = 16;

function learnHold({ heldMs }: Lane, ms: number): void {
  heldMs.push(ms);
  if (heldMs.length > REMEMBERED_CALLS) heldMs.shift();
}

/** How long a call holds its slot on average; undefined while none has ended. */
function meanHoldMs({ heldMs }: Lane): number | undefined {
  return heldMs.length > 0 ? heldMs.reduce((sum, ms) => sum + ms, 0) / heldMs.length : undefined;
}

/** Calls ahead of a new one where queues take turns: all of its own queue, and of each other one as many and one more at most. */
function aheadInTurns(own: number, others: readonly number[]): number {
  return own + others.reduce((sum, length) => sum + Math.min(length, own + 1), 0);
}

/** Calls that would have their turn before one that asked now: sessions take turns within a principal, principals within a lane. */
function callsAhead({ waiting }: Gate, request: Omit<SlotRequest, 'signal'>): number {
  const name = lineOf(request);
  const line = waiting.get(name) ?? new Map<string, Waiter[]>();
  const others = [...line].filter(([sessionId]) => sessionId !== request.sessionId).map(([, { length }]) => length);
  const own = aheadInTurns(line.get(request.sessionId)?.length ?? 0, others);
  const lane = request.speed ? 'speed ' : 'other ';
  const lines = [...waiting].filter(([other]) => other.startsWith(lane) && other !== name);
  const lengths = lines.map(([, queues]) => [...queues.values()].reduce((sum, { length }) => sum + length, 0));
  return aheadInTurns(own, lengths);
}

function lineOf({ principalId, sessionId, speed }: Omit<SlotRequest, 'signal'>): string {
  return `${speed ? 'speed' : 'other'} ${principalId ?? sessionId}`;
}

/** Removes the next call that may start from its queue; its session moves to the end of the queue, and the queue behind all others. */
function nextWaiter({ waiting }: Gate, speedFree: boolean): Waiter | undefined {
  for (const [name, line] of waiting) {
    const [next] = line;
    if (!next || (next[1][0]?.request.speed && !speedFree)) continue;
    const [sessionId, queue] = next;
    const waiter = queue.shift();
    line.delete(sessionId);
    if (queue.length > 0) line.set(sessionId, queue);
    waiting.delete(name);
    if (line.size > 0) waiting.set(name, line);
    return waiter;
  }
  return undefined;
}

/** Adds a call to the queue of its session; the returned function removes it, as long as it waits there. */
function enqueue({ waiting }: Gate, waiter: Waiter): () => void {
  const name = lineOf(waiter.request);
  const { sessionId } = waiter.request;
  const line: Line = waiting.get(name) ?? new Map<string, Waiter[]>();
  const queue = line.get(sessionId) ?? [];
  queue.push(waiter);
  line.set(sessionId, queue);
  waiting.set(name, line);
  return () => {
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) line.delete(sessionId);
    if (line.size === 0) waiting.delete(name);
  };
}

interface LimiterOptions {
  readonly clock: Clock;
  readonly concurrency?: number;
  readonly speedConcurrency?: number;
  /** By how many replicas the limits of a project are divided; waiting calls see a smaller number when a call ends. */
  readonly sharersOf?: (project: string) => number;
}

/** How long a call would wait at a gate; undefined where none has ended there yet. */
function expectedWait(gate: Gate, request: Omit<SlotRequest, 'signal'>, nowMs: number, sharers: number): number | undefined {
  const lane = request.speed ? gate.speed : gate.all;
  const limit = currentLimit(lane, nowMs, sharers);
  const ahead = callsAhead(gate, request);
  if (ahead === 0 && lane.active < limit) return 0;
  const holdMs = meanHoldMs(lane);
  return holdMs === undefined ? undefined : ((ahead + 1) * holdMs) / limit;
}

/** Waits at a gate until `takeSlot` may be called, which gives the slot; an abort leaves the queue. */
function waitForTurn(gate: Gate, request: SlotRequest, takeSlot: () => Slot): Promise<Slot> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const leave = () => {
      leaveQueue();
      reject(signal.reason);
    };
    const leaveQueue = enqueue(gate, {
      request,
      grant() {
        signal.removeEventListener('abort', leave);
        resolve(takeSlot());
      },
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}

function loadOf(gates: readonly Gate[]) {
  const queues = gates.flatMap(({ waiting }) => [...waiting.values()].flatMap((line) => [...line.values()]));
  return {
    waiting: queues.reduce((sum, queue) => sum + queue.length, 0),
    inFlight: gates.reduce((sum, gate) => sum + gate.all.active, 0),
  };
}

/** Delays calls so that a project never has more in flight than the service accepts; one per process. */
export type Limiter = ReturnType<typeof createLimiter>;

/** Makes the limiter of a process. */
export function createLimiter(options: LimiterOptions) {
  const { clock, concurrency = DEFAULT_CONCURRENCY, speedConcurrency = DEFAULT_SPEED_CONCURRENCY, sharersOf = () => 1 } = options;
  const gates = new Map<string, Gate>();

  function gateOf(project: string): Gate {
    const gate = gates.get(project) ?? { all: createLane(concurrency), speed: createLane(speedConcurrency), waiting: new Map() };
    gates.set(project, gate);
    return gate;
  }

  function dispatch(project: string, gate: Gate): void {
    const nowMs = clock.now();
    const sharers = sharersOf(project);
    while (gate.all.active < currentLimit(gate.all, nowMs, sharers)) {
      const waiter = nextWaiter(gate, gate.speed.active < currentLimit(gate.speed, nowMs, sharers));
      if (!waiter) break;
      waiter.grant();
    }
    const recovered = [gate.all, gate.speed].every((lane) => currentLimit(lane, nowMs) === lane.limit);
    if (gate.all.active === 0 && gate.waiting.size === 0 && recovered) gates.delete(project);
  }

  /** Counts the call in until it is released, once. */
  function takeSlot(gate: Gate, { project, speed }: SlotRequest): Slot {
    const lanes = speed ? [gate.all, gate.speed] : [gate.all];
    const seen = lanes.map((lane) => lane.reductions);
    for (const lane of lanes) lane.active += 1;
    const sinceMs = clock.now();
    let held = true;
    return {
      release(refused = false) {
        if (!held) return;
        held = false;
        learnHold(speed ? gate.speed : gate.all, Math.max(0, clock.now() - sinceMs));
        for (const [index, lane] of lanes.entries()) {
          lane.active -= 1;
          if (refused && lane.reductions === seen[index]) reduce(lane, clock.now());
        }
        dispatch(project, gate);
      },
    };
  }

  return {
    /** Waits for a free slot. */
    async acquire(request: SlotRequest) {
      request.signal.throwIfAborted();
      const gate = gateOf(request.project);
      const turn = waitForTurn(gate, request, () => takeSlot(gate, request));
      dispatch(request.project, gate);
      return turn;
    },
    /** How long a call that asked now would wait, from the time that calls took lately; undefined while none has ended yet. */
    expectedWaitMs(request: Omit<SlotRequest, 'signal'>) {
      const gate = gates.get(request.project);
      return gate ? expectedWait(gate, request, clock.now(), sharersOf(request.project)) : 0;
    },
    /** True while calls of other replicas may be in flight that are not counted, so that a refusal by the service passes. */
    isAlone: () => false,
    /** Calls of all projects at this moment. */
    load: () => loadOf([...gates.values()]),
  };
}
