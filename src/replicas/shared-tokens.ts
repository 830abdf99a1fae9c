import * as z from 'zod';
import type { SharedTokens, Token } from '../api/tokens.ts';
import type { Cipher } from './cipher.ts';
import type { RedisConnection } from './redis-connection.ts';
import { singleFlight } from './single-flight.ts';

/** A token that another replica, perhaps of another version, has written. */
const tokenSchema = z.object({
  accessToken: z.string(),
  endpoint: z.string(),
  projectId: z.number().optional(),
  scopes: z.array(z.string()),
  obtainedAtMs: z.number(),
  expiresAtMs: z.number(),
}) satisfies z.ZodType<Token>;

/**
 * Each token is one hash, so that a script changes it as a whole: `token` encrypted, `mark` with the digest of that token, `dropped` with
 * the digest of the last one that was dropped. The hash expires with its token.
 */
const EXPIRE = "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end";
const WRITE = `
if redis.call('HGET', KEYS[1], 'dropped') == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[3], 'mark', ARGV[2])
${EXPIRE}
return 1`;
const DROP = `
redis.call('HSET', KEYS[1], 'dropped', ARGV[2])
if redis.call('HGET', KEYS[1], 'mark') == ARGV[2] then redis.call('HDEL', KEYS[1], 'token', 'mark') end
${EXPIRE}
return 1`;

function parsed(text: string | undefined): Token | undefined {
  if (text === undefined) return undefined;
  const checked = tokenSchema.safeParse(JSON.parse(text));
  return checked.success ? checked.data : undefined;
}

/** The tokens of one principal, `owner`. */
export function createSharedTokens(connection: RedisConnection, cipher: Cipher, owner: readonly string[]): SharedTokens {
  const keyOf = (name: string) => cipher.key('token', ...owner, name);
  const markOf = ({ accessToken }: Token) => cipher.digest('token mark', accessToken);
  const lifeOf = (lifeMs: number) => String(Math.max(1, Math.ceil(lifeMs)));

  return {
    async read(name) {
      const key = keyOf(name);
      const found = await connection.command(key, ['HMGET', key, 'token', 'dropped']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [encrypted, dropped] = found.answer as unknown[];
      return { token: parsed(cipher.decrypt(encrypted, key)), isDropped: (token) => markOf(token) === dropped };
    },
    async write(name, token, lifeMs) {
      const key = keyOf(name);
      await connection.run(WRITE, [key], [lifeOf(lifeMs), markOf(token), cipher.encrypt(JSON.stringify(token), key)]);
    },
    drop(name, token, lifeMs) {
      // Sent at once: a read after it does not find the token any more.
      void connection.run(DROP, [keyOf(name)], [lifeOf(lifeMs), markOf(token)]);
    },
    once: (name, task) => singleFlight(connection, keyOf(name), task),
  };
}
