import { expect, it } from 'vitest';
import { type ErrorKind, kindOf, type Refusal, readRefusal } from '../../src/api/errors.ts';

const asIs = (text: string) => text;

it.each<[unknown, Refusal]>([
  [
    { errorCode: 'A_B', errorMessage: 'No.', message: 'later' },
    { code: 'A_B', text: 'No.' },
  ],
  [
    { error: 'invalid_scope', error_description: 'Not that one.' },
    { code: 'invalid_scope', text: 'Not that one.' },
  ],
  [
    { code: 'A-1', message: 'From a gateway.' },
    { code: 'A-1', text: 'From a gateway.' },
  ],
  [
    { detail: 'In detail.', errorMessage: ' ', code: '' },
    { code: undefined, text: 'In detail.' },
  ],
  [{ error: 'It went wrong.' }, { code: undefined, text: 'It went wrong.' }],
  [{ error: { code: 'INNER', message: 'Nested.' } }, { code: 'INNER', text: 'Nested.' }],
  [
    { errorCode: 404, title: 'x' },
    { code: undefined, text: "{'errorCode':404,'title':'x'}" },
  ],
  [
    { error: 'no words, but a sentence', code: 'LAST' },
    { code: 'LAST', text: 'no words, but a sentence' },
  ],
  [{}, { code: undefined, text: '{}' }],
  ['Plain <b>words</b> of a proxy', { text: 'Plain <b>words</b> of a proxy' }],
  [' \n<html><head><TITLE lang="en">502 Bad Gateway</TITLE>', { text: '502 Bad Gateway' }],
  ['<html><body>Sign in</body>', { text: 'an HTML page' }],
  [null, { text: '' }],
  [7, { text: '' }],
])('what a body that refuses says %j', (body, refusal) => {
  expect(readRefusal(body, asIs)).toEqual(refusal);
});

it('what a body that refuses says holds no secret, neither in words nor as a code', () => {
  const redact = (text: string) => text.replaceAll('canary', '-');
  expect(readRefusal({ code: 'canary_1', message: 'canary 2' }, redact)).toEqual({ code: '-_1', text: '- 2' });
});

it.each<[number, string | undefined, string, ErrorKind, ErrorKind]>([
  // status, code, words, of the service, of the authentication server
  [400, undefined, '', 'invalid', 'invalid'],
  [400, 'something_new', 'no', 'invalid', 'invalid'],
  [400, 'not_found', '', 'missing', 'missing'],
  [400, 'SERVER_ERROR', '', 'down', 'invalid'],
  [400, undefined, 'the scope x is not granted', 'invalid', 'forbidden'],
  [401, undefined, '', 'unauthorized', 'unauthorized'],
  [403, undefined, '', 'forbidden', 'forbidden'],
  [403, undefined, 'wrong secret', 'forbidden', 'unauthorized'],
  [404, undefined, '', 'missing', 'settings'],
  [410, undefined, '', 'missing', 'settings'],
  [418, undefined, '', 'invalid', 'invalid'],
  [429, 'VALIDATION_ERROR', '', 'busy', 'busy'],
  [500, undefined, '', 'down', 'down'],
  [500, undefined, 'scopes could not be read', 'down', 'down'],
  [500, 'jwt_expired', '', 'unauthorized', 'unauthorized'],
  [500, 'VALIDATION_ERROR', '', 'down', 'invalid'],
  [503, 'TEMPORARILY_UNAVAILABLE', '', 'down', 'down'],
  [503, 'SERVER_ERROR', 'client credential not found', 'down', 'unauthorized'],
  [200, undefined, 'too many of them', 'busy', 'invalid'],
  [200, undefined, 'no', 'invalid', 'invalid'],
])('the kind of a refusal %i %s "%s"', (status, code, text, ofService, ofAuthentication) => {
  expect(kindOf(status, { code, text }, false)).toBe(ofService);
  expect(kindOf(status, { code, text }, true)).toBe(ofAuthentication);
});
