import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate in PEM with its key, and the file of the authority that signed it, which nobody knows by itself. */
export interface Certificates {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Path, as `NODE_EXTRA_CA_CERTS` takes it. */
  readonly authority: string;
  readonly remove: () => void;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority with openssl and lets it sign a certificate for these names, such as `DNS:*.example.com` and `IP:127.0.0.1`. */
export function makeCertificates(names: readonly string[]): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'web-analytics-certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  writeFileSync(join(folder, 'names'), `subjectAltName=${names.join(',')}`);
  openssl('req', '-x509', ...KEY, '-days', '2', '-subj', '/CN=Authority of a test', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', '-new', ...KEY, '-subj', '/CN=A test', '-keyout', 'key.pem', '-out', 'request.pem');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'request.pem', ...signing, '-out', 'cert.pem');
  return {
    key: readFileSync(join(folder, 'key.pem')),
    cert: readFileSync(join(folder, 'cert.pem')),
    authority: join(folder, 'ca.pem'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
