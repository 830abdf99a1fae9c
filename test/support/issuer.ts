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
  /** Answers nothing while it is true. */
  down: boolean;
  /** Signs with a new key from now on; the old ones are shown as before. */
  rotate(): Promise<void>;
  /** A token that is good for an hour unless the claims or the header say otherwise; `undefined` leaves a claim out. */
  token(claims?: Record<string, unknown>, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** What the server answers at this address. */
  fetchJson(address: string): Promise<unknown>;
  /** Serves the documents on loopback until the test ends, and is the issuer of that address from then on. */
  listen(): Promise<void>;
}

export const AUDIENCE = 'https://mcp.example.com/mcp';

/** Makes an issuer with one key of this algorithm. */
export async function stubIssuer(clock: Clock, alg = 'ES256'): Promise<StubIssuer> {
  let privateKey: CryptoKey;
  let kid = '';
  const stub: StubIssuer = {
    issuer: 'https://issuer.example.com/tenant',
    keys: [],
    asked: [],
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
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey); // biome-ignore format: one thought
    },
    async fetchJson(address) {
      const { pathname } = new URL(address);
      stub.asked.push(pathname);
      if (stub.down) throw new Error('issuer.example.com refused the connection.');
      if (pathname.startsWith('/.well-known/oauth-authorization-server'))
        return { issuer: stub.issuer, jwks_uri: new URL('/keys?v=1', stub.issuer).href };
      if (pathname === '/keys') return { keys: stub.keys };
      throw new Error('it answered 404.');
    },
    async listen() {
      const { url } = await listen((request, response) => {
        stub.fetchJson(new URL(request.url ?? '/', stub.issuer).href).then(
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
