import { randomUUID } from 'node:crypto';
import type { Link } from './link.ts';
import type { Told } from './told.ts';
import type { Vault } from './vault.ts';

/** All lists of a principal are forgotten together, so they are one hash; it ends when none was added for this long. */
const LIFE_MS = 10 * 60_000;
/** More questions than this are begun afresh, so that nobody fills Redis. */
const MAX_LISTS = 500;
/** Longer answers are asked for by each replica. */
const MAX_CHARS = 512 * 1024;

const WRITE = `
if (redis.call('HGET', KEYS[1], 'forgotten') or '0') ~= ARGV[2] then return 0 end
if redis.call('HLEN', KEYS[1]) > ${MAX_LISTS} then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4], 'forgotten', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;
const FORGET = `
local forgotten = (redis.call('HGET', KEYS[1], 'forgotten') or 0) + 1
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'forgotten', forgotten)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

interface List {
  readonly atMs: number;
  readonly answer: unknown;
}

/** Lists of names of one principal, `owner`, by question; what is told over `told` reaches the same principal on all replicas. */
export function createSharedLists({ link, vault, told, owner }: { link: Link; vault: Vault; told: Told; owner: readonly string[] }) {
  const place = vault.place('lists', ...owner);
  const self = randomUUID();
  return {
    /** What is known of a question; undefined where Redis cannot be reached. */
    async look(question: string) {
      const field = vault.place('question', ...owner, question);
      const found = await link.ask(place, ['HMGET', place, field, 'forgotten']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [sealed, forgotten] = found.answer as unknown[];
      const text = vault.open(sealed, field);
      return {
        list: text === undefined ? undefined : (JSON.parse(text) as List), // sealed by `write` of a replica with the same key
        write(list: List) {
          const written = JSON.stringify(list);
          if (written.length > MAX_CHARS) return;
          void link.run(WRITE, place, [LIFE_MS, typeof forgotten === 'string' ? forgotten : '0', field, vault.seal(written, field)]);
        },
      };
    },
    forget() {
      void link.run(FORGET, place, [LIFE_MS]);
      told.tell({ place, from: self });
    },
    onForgotten: (listener: () => void) => told.on(place, self, listener),
  };
}
