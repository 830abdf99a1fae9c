import type { HarEntry } from '../har/index.ts';
import { addressOf } from './address.ts';
import { endOf } from './blocking.ts';
import type { PartyGroup } from './parties.ts';

/** A cell of a table. */
export type Cell = string | number | boolean | null;

/** A table with its header once. */
export interface Table {
  columns: string[];
  rows: Cell[][];
}

/** Milliseconds to a tenth, which is finer than any recorder measures. */
export function tenth(ms: number): number;
export function tenth(ms: number | null): number | null;
export function tenth(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}

const REQUEST_COLUMNS = ['index', 'host', 'path', 'status', 'type', 'party', 'startMs', 'durationMs', 'transferBytes', 'contentBytes'];

/** Requests in short, one row each. */
export function requestTable(entries: readonly HarEntry[]): Table {
  return {
    columns: REQUEST_COLUMNS,
    rows: entries.map((entry) => {
      const { host, path } = addressOf(entry.url);
      const { index, status, type, party, transferBytes, contentBytes } = entry;
      return [index, host, path, status, type, party, tenth(entry.startMs), tenth(entry.durationMs), transferBytes, contentBytes];
    }),
  };
}

const WATERFALL_COLUMNS = [
  'index',
  'host',
  'path',
  'type',
  'startMs',
  'endMs',
  'blockedMs',
  'dnsMs',
  'connectMs',
  'sslMs',
  'waitMs',
  'receiveMs',
  'transferBytes',
  'contentBytes',
  'blocksRendering',
];

/** Requests with the phases of their time, in order of start; `sslMs` lies inside `connectMs`. */
export function waterfallTable(entries: readonly HarEntry[], blocking: ReadonlySet<HarEntry>): Table {
  return {
    columns: WATERFALL_COLUMNS,
    rows: entries.map((entry) => {
      const { host, path } = addressOf(entry.url);
      const { blockedMs, dnsMs, connectMs, sslMs, waitMs, receiveMs } = entry.timings;
      const phases = [blockedMs, dnsMs, connectMs, sslMs, waitMs, receiveMs].map((ms) => tenth(ms));
      const endMs = entry.startMs === null ? null : tenth(endOf(entry));
      const { index, type, transferBytes, contentBytes } = entry;
      return [index, host, path, type, tenth(entry.startMs), endMs, ...phases, transferBytes, contentBytes, blocking.has(entry)];
    }),
  };
}

const PARTY_COLUMNS = [
  'name',
  'party',
  'category',
  'domains',
  'hosts',
  'requests',
  'transferBytes',
  'contentBytes',
  'blocking',
  'blockingUntilMs',
  'firstMs',
  'busyMs',
];
/** Domains of one party that are named; the rest is counted. */
const DOMAINS = 4;

/** Parties, one row each. */
export function partyTable(groups: readonly PartyGroup[]): Table {
  return {
    columns: PARTY_COLUMNS,
    rows: groups.map((group) => {
      const { name, party, category, domains, hosts, totals, blocking } = group;
      const shown = [...domains].slice(0, DOMAINS).join(' ');
      const named = domains.size > DOMAINS ? `${shown} +${domains.size - DOMAINS}` : shown;
      const times = [group.blockingUntilMs, group.firstMs, group.busyMs].map((ms) => tenth(ms));
      const { requests, transferBytes, contentBytes } = totals;
      return [name, party, category, named, hosts, requests, transferBytes, contentBytes, blocking, ...times];
    }),
  };
}
