import { randomUUID } from 'node:crypto';
import type { Link } from './link.ts';
import type { Told } from './told.ts';
import type { Vault } from './vault.ts';

const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const LEAVE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Who of one principal, `owner`, looks at a resource, and what it tells the others: one watcher for each session. */
export function createSharedWatches({ link, vault, told, owner }: { link: Link; vault: Vault; told: Told; owner: readonly string[] }) {
  const place = vault.place('watches', ...owner);
  const self = randomUUID();
  const lookerOf = (uri: string) => vault.place('looker', ...owner, uri);
  /** Resources that this watcher looks at, and since which connection it has heard all that was told. */
  const looking = new Set<string>();
  const hearing = new Map<string, number>();

  return {
    async mayLook(uri: string, forMs: number): Promise<boolean> {
      const heard = hearing.get(uri) ?? link.connections;
      hearing.set(uri, link.connections);
      const taken = await link.run(TAKE, lookerOf(uri), [self, Math.ceil(forMs)]);
      if (taken?.answer !== 0) looking.add(uri);
      else looking.delete(uri);
      // Word may have been missed while Redis was gone.
      return taken?.answer !== 0 || heard !== link.connections;
    },
    leave(uri: string): void {
      hearing.delete(uri);
      if (looking.delete(uri)) void link.run(LEAVE, lookerOf(uri), [self]);
    },
    tell(uri: string, newest: number): void {
      told.tell({ place, from: self, uri, newest });
    },
    onTold(listener: (uri: string, newest: number) => void): () => void {
      return told.on(place, self, ({ uri, newest }) => {
        if (uri !== undefined && newest !== undefined) listener(uri, newest);
      });
    },
  };
}
