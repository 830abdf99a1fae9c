import { remembered } from '../read/lookups.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import { endOf, groupsOf } from './totals.ts';

/** Who a third-party host belongs to, null where that is unknown. */
export type EntityOf = (host: string) => { readonly name: string; readonly category: string } | null;

/** Longest name that DNS allows; a longer text is not a host. */
const MAX_HOST = 253;

/** Loads the names of third parties (200 kB of data), so that only who asks for them pays for it; each host is looked up once. */
export async function loadEntities(): Promise<EntityOf> {
  // CommonJS whose members are known only once it runs.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  return remembered((host) => {
    return (host.length > MAX_HOST ? undefined : thirdParties.getEntity(host)) ?? null;
  });
}

/** All requests to one party: an entity where its name is known, else a registrable domain. */
export type PartyGroup = ReturnType<typeof partiesOf>[number];

/** Domains of one party that are named; the rest is counted. */
const DOMAINS = 4;

/** The time that requests in order of start cover together. */
function busyTime(entries: readonly HarEntry[]): number {
  let [busyMs, untilMs] = [0, 0];
  for (const entry of entries) {
    if (entry.startMs === null) continue;
    busyMs += Math.max(0, endOf(entry) - Math.max(entry.startMs, untilMs));
    untilMs = Math.max(untilMs, endOf(entry));
  }
  return busyMs;
}

/** The parties of these requests, in order of start, heaviest first; addresses without a host belong to none. */
export function partiesOf(entries: readonly HarEntry[], entityOf: EntityOf, blocks: ReadonlySet<HarEntry>) {
  const entityIn = ({ host, party }: HarEntry) => (party === 'first' || host === null ? null : entityOf(host));
  const nameIn = (entry: HarEntry) => entityIn(entry)?.name ?? sanitiseHost(entry.domain ?? '');
  // A domain may be called like an entity.
  const keyOf = (entry: HarEntry) => `${entry.party} ${entityIn(entry) ? 'entity' : 'domain'} ${nameIn(entry)}`;
  const hosted = entries.filter(({ host, domain }) => host !== null && domain !== null);
  return groupsOf(hosted, keyOf).map(({ entries: members, totals }) => {
    const first = members[0] as HarEntry; // a group has one
    const blocking = members.filter((entry) => blocks.has(entry));
    const domains = [...new Set(members.map(({ domain }) => sanitiseHost(domain ?? '')))];
    const more = domains.length > DOMAINS ? ` +${domains.length - DOMAINS}` : '';
    return {
      name: nameIn(first),
      /** Null where the entity is unknown. */
      category: entityIn(first)?.category ?? null,
      party: first.party,
      domains: domains.slice(0, DOMAINS).join(' ') + more,
      hosts: new Set(members.map(({ host }) => host)).size,
      ...totals,
      /** Requests that block rendering, and the end of the last of them. */
      blocking: blocking.length,
      blockingUntilMs: blocking.reduce<number | null>((until, entry) => Math.max(until ?? 0, endOf(entry)), null),
      firstMs: members.find(({ startMs }) => startMs !== null)?.startMs ?? null,
      /** Time in which at least one of its requests was under way. */
      busyMs: busyTime(members),
    };
  });
}
