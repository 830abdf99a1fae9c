import { between, type Random } from '../verdicts/random.ts';

/** One request of a page as all runs share it. */
export interface Planned {
  readonly url: string;
  readonly host: string;
  readonly mime: string;
  readonly bytes: number;
  /** Usual duration, ms. */
  readonly ms: number;
  /** Standard deviation of its duration from run to run, log scale. */
  readonly scatter: number;
  /** When it is asked for: once the document is there, with the page below, or after the largest paint. */
  readonly phase: 'document' | 'head' | 'body' | 'late';
  /** After the beginning of its phase, ms. */
  readonly offsetMs: number;
  /** Share of the runs that make it. */
  readonly chance: number;
  readonly isBlocking: boolean;
}

/** A page as all runs share it. */
export interface Page {
  readonly requests: readonly Planned[];
  readonly hero: Planned;
}

interface HostPlan {
  readonly host: string;
  readonly count: readonly [number, number];
  readonly phase: Planned['phase'];
  readonly ending: string;
  readonly mime: string;
  readonly kilobytes: readonly [number, number];
  readonly ms: readonly [number, number];
  readonly blocking?: number;
}

const HOSTS: readonly HostPlan[] = [
  {
    host: 'static.shop.example',
    count: [2, 4],
    phase: 'head',
    ending: 'css',
    mime: 'text/css',
    kilobytes: [8, 60],
    ms: [40, 160],
    blocking: 1,
  },
  {
    host: 'static.shop.example',
    count: [5, 10],
    phase: 'head',
    ending: 'js',
    mime: 'text/javascript',
    kilobytes: [15, 180],
    ms: [50, 260],
    blocking: 0.3,
  },
  { host: 'img.shop-cdn.example', count: [10, 26], phase: 'body', ending: 'webp', mime: 'image/webp', kilobytes: [12, 90], ms: [30, 190] },
  { host: 'api.shop.example', count: [2, 6], phase: 'body', ending: 'json', mime: 'application/json', kilobytes: [1, 20], ms: [60, 320] },
  {
    host: 'consent.example',
    count: [1, 3],
    phase: 'head',
    ending: 'js',
    mime: 'text/javascript',
    kilobytes: [20, 90],
    ms: [50, 240],
    blocking: 0.4,
  },
  { host: 'tags.example', count: [2, 5], phase: 'late', ending: 'js', mime: 'text/javascript', kilobytes: [20, 120], ms: [50, 260] },
  { host: 'chat.example', count: [2, 6], phase: 'late', ending: 'js', mime: 'text/javascript', kilobytes: [5, 150], ms: [60, 300] },
  { host: 'ads.example', count: [1, 4], phase: 'late', ending: 'gif', mime: 'image/gif', kilobytes: [0.05, 0.5], ms: [30, 160] },
];

const letters = 'abcdefghijklmnopqrstuvwxyz';

function plannedOf(random: Random, { host, phase, ending, mime, kilobytes, ms, blocking = 0 }: HostPlan, index: number): Planned {
  return {
    url: `https://${host}/files/${letters[index]}-${ending}.${ending}`,
    host,
    mime,
    bytes: Math.round(1000 * between(random, ...kilobytes)),
    ms: between(random, ...ms),
    scatter: between(random, 0.12, 0.36),
    phase,
    offsetMs: between(random, 0, phase === 'head' ? 60 : 900),
    chance: ending === 'gif' ? 0.5 : 1,
    isBlocking: random.uniform() < blocking,
  };
}

/** Draws a page of some twenty to sixty requests to eight hosts. */
export function makePage(random: Random): Page {
  const document: Planned = {
    url: 'https://www.shop.example/',
    host: 'www.shop.example',
    mime: 'text/html',
    bytes: 40_000,
    ms: between(random, 180, 700),
    scatter: between(random, 0.08, 0.2),
    phase: 'document',
    offsetMs: 0,
    chance: 1,
    isBlocking: false,
  };
  const others = HOSTS.flatMap((plan) =>
    Array.from({ length: random.integer(...plan.count) }, (_, index) => plannedOf(random, plan, index)),
  );
  const hero: Planned = {
    ...plannedOf(random, { ...(HOSTS[2] as HostPlan), kilobytes: [90, 400], ms: [90, 400] }, 0), // the hosts are fixed
    url: 'https://img.shop-cdn.example/files/hero.webp',
    offsetMs: between(random, 0, 300),
  };
  return { requests: [document, ...others, hero], hero };
}
