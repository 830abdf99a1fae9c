import { ApiError } from '../api/errors.ts';

/**
 * A connection to Redis, or to a cluster of it, that also listens to one channel. It ends whole when any part of it fails, and never comes
 * back.
 */
export interface Redis {
  /** Sends one command about one key; rejects when Redis refuses it or the connection ends. */
  command(key: string, args: readonly string[]): Promise<unknown>;
  /** Ends it at once; what was sent and not answered is rejected. */
  close(): void;
}

/** Where to connect to, and what is called with messages. */
export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password where they are needed. */
  readonly url: string;
  readonly connectTimeoutMs: number;
  readonly channel: string;
  readonly onMessage: (text: string) => void;
  /** Called when the connection ends by itself, at least once. */
  readonly onLost: (reason: unknown) => void;
}

type Package = typeof import('@keyv/redis');

/** Loads the optional package; an `ApiError` says how to install it. */
export async function loadRedis(load: () => Promise<Package> = () => import('@keyv/redis')): Promise<Package> {
  try {
    return await load();
  } catch (error) {
    const message =
      'WEB_ANALYTICS_CACHE_URL needs the package @keyv/redis, which is not installed: run npm install @keyv/redis, or unset it.';
    throw new ApiError('settings', message, { cause: error });
  }
}

function clientOptions({ url, connectTimeoutMs }: RedisOptions) {
  // The connection above reconnects: retries of the client itself would make calls wait.
  const socket = { connectTimeout: connectTimeoutMs, reconnectStrategy: false as const, noDelay: true };
  return { url, socket, disableOfflineQueue: true, disableClientInfo: true };
}

async function openSingle({ createClient }: Package, options: RedisOptions, signal: AbortSignal) {
  const client = createClient(clientOptions(options));
  client.on('error', options.onLost);
  client.on('end', () => options.onLost(new Error('The connection ended.')));
  // A client that is ended while its socket is still on the way forgets that socket and leaves it open.
  let arrived = false;
  client.once('connect', () => {
    arrived = true;
    if (signal.aborted) end(client);
  });
  signal.addEventListener('abort', () => arrived && end(client), { once: true });
  await client.connect();
  return client;
}

/** A client that has ended throws when it is ended again. */
function end(client: { readonly isOpen: boolean; destroy(): void }): void {
  if (client.isOpen) client.destroy();
}

/** HELLO says whether a node belongs to a cluster; a server without HELLO is too old for one. */
async function isCluster(client: Awaited<ReturnType<typeof openSingle>>): Promise<boolean> {
  const answer = await client.sendCommand(['HELLO']).catch(() => []);
  return JSON.stringify(answer).includes('"mode","cluster"');
}

async function openCluster({ createCluster }: Package, options: RedisOptions, signal: AbortSignal): Promise<Redis> {
  const { url, ...rest } = clientOptions(options);
  const { username, password, protocol } = new URL(url);
  const signIn = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  const defaults = { ...rest, ...signIn, ...(protocol === 'rediss:' && { socket: { ...rest.socket, tls: true as const } }) };
  const cluster = createCluster({ rootNodes: [{ url }], defaults });
  cluster.on('error', options.onLost);
  cluster.on('node-error', options.onLost);
  const close = () => end(cluster);
  signal.addEventListener('abort', close, { once: true });
  await cluster.connect();
  await cluster.subscribe(options.channel, options.onMessage);
  return { command: (key, args) => cluster.sendCommand(key, false, [...args]), close };
}

/** Connects, listens, and finds out by itself whether there is a cluster behind the address. An abort ends the attempt. */
export async function connectRedis(options: RedisOptions, signal: AbortSignal): Promise<Redis> {
  const loaded = await loadRedis();
  const client = await openSingle(loaded, options, signal);
  if (await isCluster(client)) {
    client.removeAllListeners('end');
    end(client);
    return openCluster(loaded, options, signal);
  }
  const listener = await openSingle(loaded, options, signal);
  await listener.subscribe(options.channel, options.onMessage);
  return {
    command: (_key, args) => client.sendCommand([...args]),
    close() {
      end(client);
      end(listener);
    },
  };
}
