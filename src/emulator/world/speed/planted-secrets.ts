import { hash, hashText } from '../random.ts';

/**
 * Part of every value in a HAR that identifies a person or opens a session; never part of anything else, so that a leak is found by one
 * search.
 */
export const SECRET_MARK = 'k7Qz';

/** The visitor's e-mail address, on a reserved domain. */
export const SECRET_EMAIL = `ina.berg.${SECRET_MARK}@example.org`;

/** An opaque value of 16 further characters for a purpose and an hour. */
export function secretToken(purpose: string, hour: number): string {
  const h = hashText(purpose);
  const digits = [hash(h, hour), hash(h, hour, 1)].map((part) => part.toString(16).padStart(8, '0'));
  return SECRET_MARK + digits.join('');
}

/** A bearer token that looks like a JWT and has no valid signature. */
export function secretBearer(hour: number): string {
  return `eyJhbGciOiJIUzI1NiJ9.${secretToken('claims', hour)}.${secretToken('signature', hour)}`;
}

/** Puts values that identify a person into the placeholders of an address. */
export function fillUrl(url: string, hour: number): string {
  return url.replaceAll('{token}', secretToken(url, hour)).replaceAll('{email}', encodeURIComponent(SECRET_EMAIL));
}

/** Cookies that the browser sends to the first party. */
export function visitorCookies(hour: number) {
  return [
    { name: 'sid', value: secretToken('sid', hour) },
    { name: '_ga', value: `GA1.2.${secretToken('ga', hour)}` },
    { name: '_fbp', value: `fb.1.${secretToken('fbp', hour)}` },
    { name: 'customer', value: encodeURIComponent(SECRET_EMAIL) },
  ];
}
