import type { Socket } from 'node:net';
import { addTo, countOf } from '../../lib/tally.ts';

/** Number of open connections. */
export interface ConnectionLimits {
  readonly maxConnections: number;
}

/**
 * The connections of a server. Where there are too many, those go first that do nothing and over which no caller has proved who it is:
 * a new one, of a probe for example, is always accepted while others idle.
 */
export interface Connections {
  add(socket: Socket): void;
  /** Marks a request over this connection until the returned function is called. */
  use(socket: Socket): () => void;
  /** Marks the connection as authenticated. */
  prove(socket: Socket): void;
  closeAll(): void;
}

interface AddressEntry {
  readonly socket: Socket;
  readonly address: string;
  uses: number;
  proved: boolean;
}

/** Share of all places that one address may take without a proof: behind a proxy many callers share an address. */
const SHARE_OF_ADDRESS = 1 / 4;

/** Both sides of a TLS connection have it in common. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const isUnproved = (entry: AddressEntry): boolean => !entry.proved;

/** Puts an entry behind all others, unless it is gone. */
function moveToEnd(entries: Map<string, AddressEntry>, key: string, entry: AddressEntry): void {
  if (entries.get(key) !== entry) return;
  entries.delete(key);
  entries.set(key, entry);
}

/** Makes the table; `maxConnections` counts all of them. */
export function createConnections({ maxConnections }: ConnectionLimits): Connections {
  /** In the order of their last use, the longest ago first. */
  const entries = new Map<string, AddressEntry>();
  const unproved = new Map<string, number>();
  const maxOfAddress = Math.max(1, Math.ceil(maxConnections * SHARE_OF_ADDRESS));

  function count(address: string, change: number): void {
    if (addTo(unproved, address, change) <= 0) unproved.delete(address);
  }

  function drop(key: string, entry: AddressEntry): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    if (!entry.proved) count(entry.address, -1);
  }

  /** Closes the one that idles longest among those; false where all are in use. */
  function closeIdle(fits: (entry: AddressEntry) => boolean): boolean {
    for (const [key, entry] of entries) {
      if (entry.uses > 0 || !fits(entry)) continue;
      drop(key, entry);
      entry.socket.destroy();
      return true;
    }
    return false;
  }

  function makeRoom(address: string): boolean {
    if (countOf(unproved, address) >= maxOfAddress && !closeIdle((entry) => isUnproved(entry) && entry.address === address)) return false;
    return entries.size < maxConnections || closeIdle(isUnproved) || closeIdle(() => true);
  }

  return {
    add(socket) {
      const { remoteAddress: address = '' } = socket;
      const key = keyOf(socket);
      if (!makeRoom(address)) {
        socket.destroy();
        return;
      }
      const entry: AddressEntry = { socket, address, uses: 0, proved: false };
      entries.set(key, entry);
      count(address, 1);
      socket.once('close', () => drop(key, entry));
    },
    use(socket) {
      const key = keyOf(socket);
      const entry = entries.get(key);
      if (!entry) return () => undefined;
      entry.uses += 1;
      return () => {
        entry.uses -= 1;
        moveToEnd(entries, key, entry);
      };
    },
    prove(socket) {
      const entry = entries.get(keyOf(socket));
      if (!entry || entry.proved) return;
      entry.proved = true;
      count(entry.address, -1);
    },
    closeAll() {
      for (const { socket } of entries.values()) socket.destroy();
    },
  };
}
