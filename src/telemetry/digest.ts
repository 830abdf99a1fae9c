import { createHash } from 'node:crypto';

/** Stands in logs and traces for what names a person or opens a session: the first 12 hexadecimal digits of its SHA-256, so that whoever knows the id finds its lines. */
export function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 12);
}

/** A request id as it may be written down: numbers and UUIDs as they are, of any other text the digest, since a client can put anything there. */
export function loggedRequestId(id: string | number): string | number {
  return typeof id === 'number' || /^([\d]{1,20}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i.test(id) ? id : digest(id);
}
