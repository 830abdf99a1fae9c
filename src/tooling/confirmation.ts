import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type WriteRequest, writeRequest } from '../api/write-request.ts';

/** Members that every confirmed tool's answer has. */
export const confirmedOutput = {
  status: z.enum(['preview', 'done', 'declined']),
  request: writeRequest.optional(),
};

/** What the person has confirmed in this call. */
export type Consent =
  /** Not asked yet: the write must not leave. */
  | { readonly given: false }
  /** Given for the request that `digest` stands for; without one, for what the arguments say, where the client cannot ask. */
  | { readonly given: true; readonly digest?: string };

/** Thrown instead of sending a write that is not confirmed. */
export class NeedsConfirmation extends Error {
  readonly request: WriteRequest;

  constructor(request: WriteRequest) {
    super('The write waits for a confirmation');
    this.name = 'NeedsConfirmation';
    this.request = request;
  }
}

/** Short hash of a request, so that a confirmation counts for that request only. */
export function digestOf(request: WriteRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url').slice(0, 22);
}

/** Lets a write pass only with a consent to exactly this request. */
export function requireConsent(consent: Consent, request: WriteRequest): void {
  if (!consent.given || (consent.digest !== undefined && consent.digest !== digestOf(request))) throw new NeedsConfirmation(request);
}
