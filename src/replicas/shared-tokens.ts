import * as z from 'zod';
import type { SharedTokens, Token } from '../api/tokens.ts';
import type { Link } from './link.ts';
import { once } from './once.ts';
import type { Vault } from './vault.ts';

/** What another replica, perhaps of another version, has kept. */
const tokenShape = z.object({
  accessToken: z.string(),
  endpoint: z.string(),
  projectId: z.number().optional(),
  scopes: z.array(z.string()),
  obtainedAtMs: z.number(),
  expiresAtMs: z.number(),
}) satisfies z.ZodType<Token>;

/**
 * A place is one hash, so that a script changes it whole: `token` sealed, `mark` of that token, `dropped` with the mark of the last
 * one that was dropped. Nothing there outlives what it is about.
 */
const PROLONG = "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end";
const WRITE = `
if redis.call('HGET', KEYS[1], 'dropped') == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[3], 'mark', ARGV[2])
${PROLONG}
return 1`;
const DROP = `
redis.call('HSET', KEYS[1], 'dropped', ARGV[2])
if redis.call('HGET', KEYS[1], 'mark') == ARGV[2] then redis.call('HDEL', KEYS[1], 'token', 'mark') end
${PROLONG}
return 1`;

function parsed(text: string | undefined): Token | undefined {
  if (text === undefined) return undefined;
  const checked = tokenShape.safeParse(JSON.parse(text));
  return checked.success ? checked.data : undefined;
}

/** The tokens of one principal, `owner`, and of nobody else. */
export function createSharedTokens(link: Link, vault: Vault, owner: readonly string[]): SharedTokens {
  const placeOf = (place: string) => vault.place('token', ...owner, place);
  /** Tells tokens apart where they cannot be read. */
  const markOf = ({ accessToken }: Token) => vault.place('token mark', accessToken);
  const lifeOf = (lifeMs: number) => String(Math.max(1, Math.ceil(lifeMs)));

  return {
    async read(name) {
      const place = placeOf(name);
      const found = await link.ask(place, ['HMGET', place, 'token', 'dropped']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [sealed, dropped] = found.answer as unknown[];
      return { token: parsed(vault.open(sealed, place)), isDropped: (token) => markOf(token) === dropped };
    },
    async write(name, token, lifeMs) {
      const place = placeOf(name);
      await link.run(WRITE, place, [lifeOf(lifeMs), markOf(token), vault.seal(JSON.stringify(token), place)]);
    },
    drop(name, token, lifeMs) {
      // Sent at once: whatever is read after it does not hold the token any more.
      void link.run(DROP, placeOf(name), [lifeOf(lifeMs), markOf(token)]);
    },
    once: (name, errand) => once(link, placeOf(name), errand),
  };
}
