import type { HarEntry, Party } from '../read/har-model.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import { count, noRequests, type RequestTotals, weightOf } from '../summary/har-summary.ts';
import { endOf } from './blocking.ts';

/** Who a third-party host belongs to. */
export interface Entity {
  readonly name: string;
  readonly category: string;
}

/** The entity of a host, null where it is unknown. */
export type EntityOf = (host: string) => Entity | null;

/** Loads the names of third parties (200 kB of data), so that only who asks for them pays for it; each host is looked up once. */
export async function loadEntities(): Promise<EntityOf> {
  // CommonJS whose members are known only once it runs.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  const known = new Map<string, Entity | null>();
  return (host) => {
    const found = known.get(host);
    if (found !== undefined) return found;
    const entity = host.length > MAX_HOST ? undefined : thirdParties.getEntity(host);
    const named = entity ? { name: entity.name, category: entity.category } : null;
    known.set(host, named);
    return named;
  };
}

/** Longest name that DNS allows; a longer text is not a host. */
const MAX_HOST = 253;

/** All requests to one party: an entity where its name is known, else a registrable domain. */
export interface PartyGroup {
  readonly name: string;
  /** Null where the entity is unknown. */
  readonly category: string | null;
  readonly party: Party | null;
  readonly domains: ReadonlySet<string>;
  readonly hosts: number;
  readonly totals: RequestTotals;
  /** Requests that block rendering, and the end of the last of them. */
  readonly blocking: number;
  readonly blockingUntilMs: number | null;
  readonly firstMs: number | null;
  /** Time in which at least one of its requests was under way. */
  readonly busyMs: number;
}

interface Group extends PartyGroup {
  domains: Set<string>;
  hosts: number;
  blocking: number;
  blockingUntilMs: number | null;
  firstMs: number | null;
  busyMs: number;
  busyUntilMs: number;
}

function emptyGroup(name: string, entity: Entity | null, party: Party | null): Group {
  return {
    name,
    category: entity?.category ?? null,
    party,
    domains: new Set(),
    hosts: 0,
    totals: noRequests(),
    blocking: 0,
    blockingUntilMs: null,
    firstMs: null,
    busyMs: 0,
    busyUntilMs: 0,
  };
}

function addTimes(group: Group, { startMs, durationMs }: HarEntry): void {
  if (startMs === null) return;
  const endMs = startMs + (durationMs ?? 0);
  group.firstMs ??= startMs;
  // Entries come in order of start, so that what is covered already ends at the latest end so far.
  group.busyMs += Math.max(0, endMs - Math.max(startMs, group.busyUntilMs));
  group.busyUntilMs = Math.max(group.busyUntilMs, endMs);
}

/** Collects requests by party. */
export interface PartyCollector {
  /** Adds the next request in order of start; addresses without a host belong to no party. */
  add(entry: HarEntry): void;
  /** The parties, heaviest first, each with those of the blocking requests that are its own. */
  groups(blocking: readonly HarEntry[]): PartyGroup[];
}

/** Collects requests by third party, in one pass over the file. */
export function collectParties(entityOf: EntityOf): PartyCollector {
  const groups = new Map<string, Group>();
  const groupByHost = new Map<string, Group>();
  const groupOf = (host: string, domain: string, party: Party | null): Group => {
    const entity = party === 'first' ? null : entityOf(host);
    const name = entity?.name ?? sanitiseHost(domain);
    // A domain may be called like an entity.
    const key = `${party} ${entity ? 'entity' : 'domain'} ${name}`;
    let group = groups.get(key);
    if (!group) groups.set(key, (group = emptyGroup(name, entity, party)));
    group.domains.add(sanitiseHost(domain));
    group.hosts += 1;
    groupByHost.set(host, group);
    return group;
  };
  return {
    add(entry) {
      const { host, domain } = entry;
      if (host === null || domain === null) return;
      const group = groupByHost.get(host) ?? groupOf(host, domain, entry.party);
      count(group.totals, entry);
      addTimes(group, entry);
    },
    groups(blocking) {
      for (const entry of blocking) {
        const group = groupByHost.get(entry.host ?? '');
        if (!group) continue;
        group.blocking += 1;
        group.blockingUntilMs = Math.max(group.blockingUntilMs ?? 0, endOf(entry));
      }
      return [...groups.values()].toSorted(
        (a, b) => (weightOf(b.totals) ?? 0) - (weightOf(a.totals) ?? 0) || b.totals.requests - a.totals.requests,
      );
    },
  };
}
