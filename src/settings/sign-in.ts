import * as z from 'zod';
import { addressFault } from '../lib/address.ts';
import { isSealSecret, SEAL_SECRET_WORDS } from '../lib/seal.ts';
import { tokenAlgorithms } from '../sign-in/principal.ts';
import { address, count, list, type Setting, words } from './setting.ts';

/** Who may call the served server, and with which credential the platform is called for each; not used over stdio. */
export const signInSettings = {
  issuer: {
    variable: 'WEB_ANALYTICS_ISSUER',
    title: 'Issuer',
    words: 'Authorization server (OAuth 2.1) whose access tokens let callers of HTTP serving in',
    schema: address('https://login.example.com'),
    otherwise: 'no sign-in',
  },
  audience: {
    variable: 'WEB_ANALYTICS_AUDIENCE',
    title: 'Audience',
    words: 'Address of this server as its callers know it; access tokens must be made for it',
    schema: address('https://mcp.example.com/mcp'),
  },
  jwksUrl: {
    variable: 'WEB_ANALYTICS_JWKS_URL',
    title: 'JWKS address',
    words: "Where the issuer's public keys are",
    schema: words.refine(
      (text) => addressFault(text.replace(/\?.*$/, '')) === undefined,
      'expected an https address (http only on loopback), such as https://login.example.com/keys',
    ),
    otherwise: "what the issuer's metadata say",
  },
  tokenAlgorithms: {
    variable: 'WEB_ANALYTICS_TOKEN_ALGORITHMS',
    title: 'Token algorithms',
    words: 'Comma list of accepted signature algorithms of access tokens',
    schema: list.pipe(z.array(z.enum(tokenAlgorithms, `expected some of ${tokenAlgorithms.join(', ')}`))),
    otherwise: 'every one with a public key',
  },
  clockSkewSeconds: {
    variable: 'WEB_ANALYTICS_CLOCK_SKEW_SECONDS',
    title: 'Clock skew',
    words: "Seconds that the issuer's clock may differ from this one",
    schema: count(0, 300, 'seconds'),
    default: '30',
  },
  tokensFile: {
    variable: 'WEB_ANALYTICS_TOKENS_FILE',
    title: 'Tokens file',
    words: 'File of static tokens that let callers of HTTP serving in, in place of an issuer; see `token`',
    schema: words,
    otherwise: 'no sign-in',
  },
  credentialsFile: {
    variable: 'WEB_ANALYTICS_CREDENTIALS_FILE',
    title: 'Credentials file',
    words: 'Encrypted file with a platform credential for each caller of HTTP serving; see `credentials`',
    schema: words,
    otherwise: 'one credential for all callers',
  },
  credentialsKey: {
    variable: 'WEB_ANALYTICS_CREDENTIALS_KEY',
    title: 'Credentials key',
    words: 'Key of that file, 32 random bytes in base64; or `WEB_ANALYTICS_CREDENTIALS_KEY_FILE`',
    schema: words.refine(isSealSecret, SEAL_SECRET_WORDS),
    secret: true,
  },
} satisfies Record<string, Setting>;
