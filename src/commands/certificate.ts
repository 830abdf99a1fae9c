import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Settings, SettingsError, settingDeclarations } from '../settings.ts';

type FileSetting = 'tlsCertFile' | 'tlsKeyFile';

function fault(name: FileSetting, words: string): SettingsError {
  return new SettingsError(`${settingDeclarations[name].variable}: ${words}`);
}

function readPem(name: FileSetting, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw fault(name, `cannot read "${path}"; expected a readable PEM file`);
  }
}

function parsed<T>(name: FileSetting, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw fault(name, `holds no ${what}`);
  }
}

/** Certificate chain and key of HTTP serving, PEM; undefined for plain HTTP. Throws a `SettingsError` for files that no client could be served with, and warns of a certificate that none would accept at present. */
export function readCertificate(
  { tlsCertFile, tlsKeyFile }: Pick<Settings, FileSetting>,
  { clock, log }: { clock: Clock; log: Log },
): { cert: string; key: string } | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const [cert, key] = [readPem('tlsCertFile', tlsCertFile), readPem('tlsKeyFile', tlsKeyFile)];
  const certificate = parsed('tlsCertFile', 'certificate in PEM', () => new X509Certificate(cert));
  const privateKey = parsed('tlsKeyFile', 'private key in PEM, or one behind a passphrase; expected one without', () =>
    createPrivateKey(key),
  );
  // A key of another kind would be taken, and every handshake fail.
  if (!certificate.checkPrivateKey(privateKey)) throw fault('tlsKeyFile', 'the key does not belong to the certificate');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error:\w+:/, '') : String(error);
    throw fault('tlsCertFile', `cannot be served (${why}); expected another certificate`);
  }
  const { validFrom, validTo } = certificate;
  if (clock.now() < Date.parse(validFrom) || clock.now() > Date.parse(validTo))
    log(
      'warn',
      `${settingDeclarations.tlsCertFile.variable}: clients refuse the certificate, which is valid from ${validFrom} to ${validTo}`,
    );
  return { cert, key };
}
