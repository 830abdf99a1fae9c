import { describe, expect, test } from 'vitest';
import { createRedaction, createRedactor, quote, REDACTED } from '../../src/lib/redact.ts';

const SECRET = 's3cr+t/"käse"&more=1';
/** Made anew for each text, so that a change of how it is made shows in every test. */
const redact = (text: string) => createRedactor([SECRET, 'plain-secret-0001', 'abc'])(text);

describe('a secret is removed in every spelling', () => {
  const spelled: Record<string, string> = {
    'as it is': SECRET,
    'URL-encoded': encodeURIComponent(SECRET),
    'URL-encoded in lower case': encodeURIComponent(SECRET).toLowerCase(),
    'URL-encoded twice': encodeURIComponent(encodeURIComponent(SECRET)),
    'form-encoded': new URLSearchParams({ s: SECRET }).toString().slice(2),
    'in JSON': JSON.stringify(SECRET).slice(1, -1),
    'in base64': Buffer.from(SECRET).toString('base64'),
    'in base64url': Buffer.from(SECRET).toString('base64url'),
    'inside of base64': Buffer.from(`id:${SECRET}:end`).toString('base64'),
    'inside of base64, shifted': Buffer.from(`idd:${SECRET}:end`).toString('base64url'),
  };
  test.each(Object.entries(spelled))('%s', (_, spelling) => {
    const cleaned = redact(`before ${spelling} after`);
    expect(cleaned).toContain(REDACTED);
    expect(cleaned).toMatch(/^before .* after$/);
    for (const part of ['s3cr', 'more=1', 'more%3D1', Buffer.from(SECRET).toString('base64').slice(4, 16)])
      expect(cleaned).not.toContain(part);
  });
});

test('a secret is removed wherever it stands, of four characters or more, and of three not', () => {
  const redactor = createRedactor(['ab+d', 'x+z', 'a b c d 5']);
  expect(redactor('ab+d')).toBe(REDACTED);
  expect(redactor('ab+dab+d x+z')).toBe(`${REDACTED}${REDACTED} x+z`);
  expect(redactor('?s=a+b+c+d+5&t=a%20b%20c%20d%205')).toBe(`?s=${REDACTED}&t=${REDACTED}`);
  expect(redactor('')).toBe('');
  // Short base64 occurs by chance.
  expect(createRedactor(['abcdef'])('YWJjZGVm stays')).toBe(`${REDACTED} stays`);
  expect(createRedactor(['abcde'])('YWJjZG stays')).toBe('YWJjZG stays');
});

test.each(['wrong', 'Wrong', 'SECRET', 'secret', 'client secret', 'client-secret', 'administrator', '1201', 'a1b2c3d', 'daily'])(
  'the secret %j takes no word from a sentence, and goes where its name stands before it',
  (secret) => {
    const redactor = createRedactor([secret]);
    const sentence = `Client id or client secret is ${secret}: the ${secret} of project 1201, {"value":"${secret}"}`;
    expect(redactor(sentence)).toBe(sentence);
    for (const [before, after] of [
      ['client_secret=', '&id=1'],
      ['{"client_secret": "', '"}'],
      ['{\\"clientSecret\\":\\"', '\\"}'],
      ['client_secret%3D', ''],
      ['Password: ', '!'],
    ])
      expect(redactor(`${before}${encodeURIComponent(secret)}${after}`)).toBe(`${before}${REDACTED}${after}`);
  },
);

test.each(['correct-horse-battery', 'qWeRtYuIoP', 'w0rdw0rd', 'pa$$', 'abcdefghijklmnopqrst'])(
  'the secret %j is no ordinary text',
  (secret) => {
    expect(createRedactor([secret])(`it is ${secret}.`)).toBe(`it is ${REDACTED}.`);
  },
);

test('base64 is found whatever stands around it, and takes nothing of that along', () => {
  const bytes = Buffer.from([251, 255, 190, 62, 63, 64, 251, 255, 190, 62, 63, 64]).toString('latin1');
  for (const lead of ['', 'x', 'xy']) {
    const encoded = Buffer.from(`${lead}plain-secret-0001tail`).toString('base64');
    const cleaned = redact(encoded);
    expect(cleaned).toContain(REDACTED);
    expect(cleaned.length).toBeGreaterThan(REDACTED.length);
    expect(createRedactor([bytes])(Buffer.from(`${lead}${bytes}`).toString('base64url'))).toContain(REDACTED);
  }
});

test('a JWT is found at the beginning of a text and between others, with a short header, and not without a dot', () => {
  expect(redact('eyJhbGci.a')).toBe(REDACTED);
  expect(redact('eyJhbGc.a b')).toBe(`${REDACTED} b`);
  expect(redact('eyJhbG.a b')).toBe('eyJhbG.a b');
  expect(redact('eyJhbGciOi eyJhbGciOi.abc')).toBe(`eyJhbGciOi ${REDACTED}`);
  expect(redact('x eyJhbGciOi.abc, eyJhbGciOi.def')).toBe(`x ${REDACTED}, ${REDACTED}`);
  expect(redact('a host named eyJhbG.example')).toBe('a host named eyJhbG.example');
  expect(redact('checkout.started, not eyJ')).toBe('checkout.started, not eyJ');
});

test('tokens are removed by their looks', () => {
  expect(redact('token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-123 expired')).toBe(`token ${REDACTED} expired`);
  expect(redact(`token wam_${'aB3_-'.repeat(9)} is not known`)).toBe(`token ${REDACTED} is not known`);
  expect(redact('Authorization: Bearer opaque.token-0123')).toBe(`Authorization: Bearer ${REDACTED}`);
  expect(redact('authorization=bearer%20opaque-0123')).toBe(`authorization=bearer%20${REDACTED}`);
  expect(redact('Basic aWQ6cGFzc3dvcmQ= was sent')).toBe(`Basic ${REDACTED} was sent`);
  expect(redact('http://me:password@proxy.example:8080/')).toBe(`http://${REDACTED}@proxy.example:8080/`);
});

test('ordinary text stays', () => {
  const words = 'Basic authentication failed at https://api.example.com:8443/v1?x=1 for abc, eyJ and id 12';
  expect(redact(words)).toBe(words);
  const json = JSON.stringify({ page: 'https://shop.example', mail: 'ina@shop.example' });
  expect(redact(json)).toBe(json);
});

test('a quotation is one line, without invisible characters, cut, and hides a secret that was split', () => {
  expect(quote('a\r\n\tb\u0000\u001B[31m\u202Ec "d"', redact)).toBe("a b[31mc 'd'");
  expect(quote('a\uE000b', redact)).toBe('ab');
  expect(quote('x'.repeat(400), redact)).toHaveLength(300);
  expect(quote('x'.repeat(300), redact)).toBe('x'.repeat(300));
  expect(quote(`${'x'.repeat(9)}plain-secret-0001`, redact, 10)).toBe('xxxxxxxxx…');
  expect(quote(`${' '.repeat(70_000)}far`, redact)).toBe('');
  expect(quote(`wrong: plain-\u200Bsecret-\u00000001!`, redact)).toBe(`wrong: ${REDACTED}!`);
  expect(quote(`${' '.repeat(290)}${'y'.repeat(290)} plain-secret-0001`, redact)).not.toContain('plain');
});

test('long hostile texts are cleaned quickly and whole', () => {
  const started = performance.now();
  const texts = ['eyJ'.repeat(300_000), 'a'.repeat(120_000), '://'.repeat(40_000), 'Bearer '.repeat(15_000), 'Basic+'.repeat(40_000)];
  for (const text of texts) redact(text);
  expect(redact(`eyJhbGciOi.a${'.a'.repeat(3_000_000)} end`)).toBe(`${REDACTED} end`);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test.each([30_000, 1_000_000])('a secret of %i characters is searched for as it is, and is not shown by the search either', (length) => {
  const long = 'a+/"ü'.repeat(length / 5);
  const redactor = createRedactor([SECRET, long]);
  expect(redactor(`it says ${long} and ${SECRET}.`)).toBe(`it says ${REDACTED} and ${REDACTED}.`);
});

test('secrets that overlap leave nothing of each other', () => {
  const redactor = createRedactor(['first-secret-shared', 'shared-second-secret', 'acted']);
  expect(redactor('a first-secret-shared-second-secret b')).toBe(`a ${REDACTED} b`);
});

test('the sixteen latest tokens of a session are known beside its secrets', () => {
  const redaction = createRedaction(['plain-secret-0001']);
  const tokens = Array.from({ length: 17 }, (_, index) => `opaque-${String(index).padStart(2, '0')}`);
  for (const token of tokens.slice(0, 16)) redaction.learn(token);
  expect(redaction.redact(tokens.slice(0, 16).join(' '))).toBe(Array(16).fill(REDACTED).join(' '));
  redaction.learn('opaque-16');
  expect(redaction.redact('plain-secret-0001 opaque-00 opaque-01 opaque-16')).toBe(`${REDACTED} opaque-00 ${REDACTED} ${REDACTED}`);
});
