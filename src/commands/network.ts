import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ApiError } from '../api/errors.ts';
import { type Environment, namesProxy, proxyFor } from '../api/proxies.ts';
import { isLoopback } from '../lib/address.ts';
import type { Settings } from '../settings/settings.ts';
import type { Finding } from './sign-in.ts';

/** Which proxy leads to the authentication server; empty where the environment names none. */
function proxyReport(authUrl: string, environment: Environment): Finding[] {
  const name = 'proxy';
  if (!namesProxy(environment)) return [];
  const url = new URL(authUrl);
  try {
    const proxy = proxyFor(url, environment);
    const way = proxy
      ? `through ${proxy.origin} of ${proxy.variable}${proxy.signIn ? ', with user and password' : ''}`
      : `directly: ${isLoopback(url.hostname) ? 'it is on this machine' : 'NO_PROXY names it'}`;
    return [{ name, words: `${url.host} is reached ${way}`, isFault: false }];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [{ name, words: error.message, isFault: true }];
  }
}

/** Whether Node could take the authorities of `NODE_EXTRA_CA_CERTS`: it goes on without them and says so on stderr, which hosts hide. */
async function authoritiesReport({ NODE_EXTRA_CA_CERTS: path }: Environment): Promise<Finding[]> {
  if (!path) return [];
  const name = 'certificates';
  try {
    const { subject } = new X509Certificate(await readFile(path));
    return [
      { name, words: `authorities of NODE_EXTRA_CA_CERTS are accepted, the first ${subject.replaceAll('\n', ', ')}`, isFault: false },
    ];
  } catch {
    return [{ name, words: `NODE_EXTRA_CA_CERTS: "${path}" cannot be read as a file of certificates in PEM`, isFault: true }];
  }
}

/** Proxies and authorities of the environment that the way to the platform depends on; empty in the demo, which stays on this machine. */
export async function networkReport({ demo, authUrl }: Pick<Settings, 'demo' | 'authUrl'>, environment: Environment): Promise<Finding[]> {
  if (demo || !authUrl) return [];
  return [...proxyReport(authUrl, environment), ...(await authoritiesReport(environment))];
}
