import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createSocketServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A proxy on loopback, for the running test. */
export interface TestProxy {
  /** Its address without user and password. */
  readonly url: string;
  readonly host: string;
  /** What it was asked for, in order: `CONNECT api.example:443`, `GET http://api.example/v1`, `SOCKS api.example:443`. */
  readonly asked: string[];
}

/** How a proxy behaves. */
export interface ProxyOptions {
  /** Port on loopback that every name leads to. */
  readonly upstream?: number;
  /** `user:password` that it requires. */
  readonly signIn?: string;
  /** Status that it answers instead of opening a tunnel; 0: it hangs up, infinite: it says nothing. */
  readonly refusal?: number;
  /** With these it speaks TLS itself. */
  readonly secure?: { readonly key: Buffer; readonly cert: Buffer };
}

async function listening(server: Server | NetServer): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Joins both ends; the end of one ends the other. */
function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from
      .on('error', () => to.destroy())
      .on('close', () => to.destroy())
      .pipe(to);
}

/** Starts an HTTP proxy: tunnels by CONNECT, and requests for whole addresses. */
export async function startProxy({ upstream = 0, signIn, refusal, secure }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const expected = signIn === undefined ? undefined : `Basic ${Buffer.from(signIn).toString('base64')}`;
  const lacksSignIn = ({ headers }: IncomingMessage) => expected !== undefined && headers['proxy-authorization'] !== expected;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    asked.push(`${request.method} ${request.url}`);
    if (lacksSignIn(request)) return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="test"' }).end();
    const { pathname, search, host } = new URL(request.url ?? '');
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const options = { port: upstream, method: request.method, path: `${pathname}${search}`, headers: { ...headers, host } };
    const onward = forward({ host: '127.0.0.1', ...options }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  }
  const server = secure ? createSecureServer(secure, pass) : createServer(pass);
  server.on('connect', (request: IncomingMessage, client: Duplex) => {
    asked.push(`CONNECT ${request.url}`);
    const status = lacksSignIn(request) ? 407 : refusal;
    if (status === 0) client.destroy();
    else if (status !== undefined && Number.isFinite(status)) client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    else if (status === undefined)
      join(
        client,
        connect(upstream, '127.0.0.1', () => client.write('HTTP/1.1 200 Connection established\r\n\r\n')),
      );
  });
  const host = await listening(server);
  return { url: `${secure ? 'https' : 'http'}://${host}`, host, asked };
}

async function next(socket: Socket): Promise<Buffer> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data;
}

/** Starts a proxy of SOCKS 5 that is given names; `refusal` is the code of its reply. */
export async function startSocksProxy({ upstream = 0, signIn, refusal = 0 }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  /** Greeting, sign-in, and the wish, each a message of its own (RFC 1928, 1929). */
  async function serve(socket: Socket): Promise<void> {
    await next(socket);
    socket.write(Buffer.of(5, signIn === undefined ? 0 : 2));
    if (signIn !== undefined) {
      const sent = await next(socket);
      const userLength = sent.readUInt8(1);
      const isRight = `${sent.subarray(2, 2 + userLength).toString()}:${sent.subarray(3 + userLength).toString()}` === signIn;
      socket.write(Buffer.of(1, isRight ? 0 : 1));
      if (!isRight) return void socket.end();
    }
    const wish = await next(socket);
    asked.push(`SOCKS ${wish.subarray(5, 5 + wish.readUInt8(4)).toString()}:${wish.readUInt16BE(wish.length - 2)}`);
    socket.write(Buffer.of(5, refusal, 0, 1, 0, 0, 0, 0, 0, 0));
    if (refusal === 0) join(socket, connect(upstream, '127.0.0.1'));
    else socket.end();
  }
  const host = await listening(createSocketServer((socket) => void serve(socket).catch(() => socket.destroy())));
  return { url: `socks5://${host}`, host, asked };
}
