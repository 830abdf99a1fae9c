import { isSealSecret, SEAL_SECRET_WORDS } from '../lib/seal.ts';
import { type Setting, words } from './setting.ts';

/** What several replicas of HTTP serving share; without it each has its own in memory. */
export const replicaSettings = {
  cacheUrl: {
    variable: 'WEB_ANALYTICS_CACHE_URL',
    title: 'Shared cache',
    words: 'Redis or Valkey, or a node of its cluster, that replicas of HTTP serving share: `redis://…` or `rediss://…`',
    schema: words.refine(
      isRedisUrl,
      'expected an address such as redis://cache.example.com:6379 or rediss://user:password@cache.example.com',
    ),
    otherwise: 'each process alone',
    // It may hold a password.
    secret: true,
  },
  cacheKey: {
    variable: 'WEB_ANALYTICS_CACHE_KEY',
    title: 'Shared cache key',
    words: 'Key that encrypts what is shared, 32 bytes in base64 or hex, the same on all; or `WEB_ANALYTICS_CACHE_KEY_FILE`',
    schema: words.refine(isSealSecret, SEAL_SECRET_WORDS),
    secret: true,
  },
} satisfies Record<string, Setting>;

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== '' && canDecode(username) && canDecode(password);
}

/** Whether what is written with percent signs is text. */
function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
