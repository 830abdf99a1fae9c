import { ApiError } from './errors.ts';

/** Failures of the certificate of the other side: trying again does not help. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/;

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}

function words(code: string, host: string, detail: string): string {
  if (/proxy/i.test(detail)) return `The proxy did not let the request to ${host} through: ${/\d{3}/.exec(detail)?.[0] ?? code}.`;
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name of ${host} could not be resolved.`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return `${host} did not take the connection in time.`;
  if (CERTIFICATE.test(code)) return `The certificate of ${host} is not accepted (${code}).`;
  if (code.startsWith('HPE_') || detail.includes('HTTP/1.1 protocol')) return `${host} answered something that is not HTTP.`;
  return `The connection to ${host} broke${code ? ` (${code})` : ''}.`;
}

/** Words an error of the network. The error itself is not passed on: it may hold what the other side sent. */
export function networkFailure(error: unknown, host: string, mayHaveHappened: boolean): ApiError {
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : '';
  const lasting = CERTIFICATE.test(code) || /proxy/i.test(detail);
  return new ApiError('down', words(code, host, detail), { code: code || undefined, mayHaveHappened, transient: !lasting });
}
