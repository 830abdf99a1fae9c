import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';
import type { Clock } from '../../src/lib/clock.ts';
import { listen } from './stub-platform.ts';

/** An authorization server as far as a resource server sees it: metadata, keys, tokens. */
export interface StubIssuer {
  issuer: string;
  /** The public keys that it shows at present. */
  readonly keys: JWK[];
  /** Documents that were asked for, by path. */
  readonly asked: string[];
  /** What clients asked tokens with, in order. */
  readonly tokenRequests: URLSearchParams[];
  /** Answers nothing while it is true. */
  down: boolean;
  /** Signs with a new key from now on; the old ones are shown as before. */
  rotate(): Promise<void>;
  /** A token that is good for an hour unless the claims or the header say otherwise; `undefined` leaves a claim out. */
  token(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** What the server answers at this address. */
  fetchJson(address: string): Promise<unknown>;
  /**
   * Serves the documents, and tokens for client credentials whose subject is the client, on loopback until the test ends, and is the issuer
   * of that address from then on.
   */
  listen(): Promise<void>;
}

export const AUDIENCE = 'https://mcp.example.com/mcp';

/** Makes an issuer with one key of this algorithm. */
export async function stubIssuer(clock: Clock, alg = 'ES256'): Promise<StubIssuer> {
  let privateKey: CryptoKey;
  let kid = '';

  /** Answers a request for a token. */
  async function give(request: IncomingMessage): Promise<object> {
    const asked = new URLSearchParams(await text(request));
    stub.tokenRequests.push(asked);
    const [client = ''] = Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':');
    const scope = asked.get('scope') ?? '';
    const token = await stub.token({ sub: client, client_id: client, aud: asked.get('resource') ?? undefined, scope });
    return { access_token: token, token_type: 'Bearer', expires_in: 3600, scope };
  }

  const stub: StubIssuer = {
    issuer: 'https://issuer.example.com/tenant',
    keys: [],
    asked: [],
    tokenRequests: [],
    down: false,
    async rotate() {
      const pair = await generateKeyPair(alg);
      privateKey = pair.privateKey;
      kid = `key-${stub.keys.length + 1}`;
      stub.keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' });
    },
    token(claims = {}, header = {}) {
      const nowSeconds = Math.floor(clock.now() / 1000);
      const usual = {
        iss: stub.issuer,
        aud: AUDIENCE,
        sub: 'alice',
        scope: 'read write',
        client_id: 'host',
        iat: nowSeconds,
        exp: nowSeconds + 3600,
      };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);
    },
    async fetchJson(address) {
      const { pathname } = new URL(address);
      stub.asked.push(pathname);
      if (stub.down) throw new Error('issuer.example.com refused the connection.');
      if (pathname.startsWith('/.well-known/oauth-authorization-server'))
        return {
          issuer: stub.issuer,
          jwks_uri: new URL('/keys?v=1', stub.issuer).href,
          authorization_endpoint: new URL('/authorize', stub.issuer).href,
          token_endpoint: new URL('/token', stub.issuer).href,
          response_types_supported: ['code'],
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        };
      if (pathname === '/keys') return { keys: stub.keys };
      throw new Error('it answered 404.');
    },
    async listen() {
      const { url } = await listen((request, response) => {
        const answer = request.url === '/token' ? give(request) : stub.fetchJson(new URL(request.url ?? '/', stub.issuer).href);
        answer.then(
          (document) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document)),
          () => (stub.down ? request.socket.destroy() : response.writeHead(404).end()),
        );
      });
      stub.issuer = url;
    },
  };
  await stub.rotate();
  return stub;
}
