import { randomUUID } from 'node:crypto';
import type { SharedParts } from './shared-lists.ts';

const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const LEAVE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Decides which session of one principal polls a resource for all, and passes on what it finds: one watcher for each session. */
export function createSharedWatches({ connection, cipher, pubSub, owner }: SharedParts) {
  const topic = cipher.key('watches', ...owner);
  const self = randomUUID();
  const pollerKeyOf = (uri: string) => cipher.key('looker', ...owner, uri);
  /** Resources that this watcher polls. */
  const polling = new Set<string>();
  /** Since which connection it has received all messages about a resource. */
  const receivedSince = new Map<string, number>();

  return {
    async mayLook(uri: string, forMs: number): Promise<boolean> {
      const since = receivedSince.get(uri) ?? connection.connections;
      receivedSince.set(uri, connection.connections);
      const taken = await connection.run(TAKE, [pollerKeyOf(uri)], [self, Math.ceil(forMs)]);
      if (taken?.answer !== 0) polling.add(uri);
      else polling.delete(uri);
      // Messages may have been missed while Redis was gone.
      return taken?.answer !== 0 || since !== connection.connections;
    },
    leave(uri: string): void {
      receivedSince.delete(uri);
      if (polling.delete(uri)) void connection.run(LEAVE, [pollerKeyOf(uri)], [self]);
    },
    tell(uri: string, newest: number): void {
      pubSub.publish({ topic, sender: self, uri, newest });
    },
    onTold(listener: (uri: string, newest: number) => void): () => void {
      return pubSub.subscribe(topic, self, ({ uri, newest }) => {
        if (uri !== undefined && newest !== undefined) listener(uri, newest);
      });
    },
  };
}
