import { expect, test } from 'vitest';
import { app, shop } from '../../src/emulator/credentials.ts';
import { enrichmentHandlers } from '../../src/emulator/handlers/enrichment.ts';
import { sessionId, userIdOf } from '../../src/emulator/world/exports/session-row.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { refusalOf } from './export-place.ts';
import { type MovablePlace, placeOf, START_MS } from './place.ts';

const TODAY = Math.floor(START_MS / DAY_MS);
const call = { userId: '7310224081552637899', sessionNumber: 2, enrichmentNumber: 1, enrichment: { agent: 'Mia' } };

const send = (place: MovablePlace, enrichments: Record<string, unknown>[], projectId = place.project.id) =>
  enrichmentHandlers.sendEnrichments({ projectId, enrichments }, place);

const received = ({ world, project }: MovablePlace) => world.exports.enrichments.list(project.id);

test('enrichments keep texts, numbers, booleans and dates', () => {
  const place = placeOf();
  const enrichment = { agent: 'Mia', seconds: 184.5, solved: true, at: '2026-11-20T09:58:00.000Z' };
  expect(send(place, [{ ...call, enrichment }])).toEqual({ accepted: 1 });
  expect(received(place)).toEqual([{ userId: call.userId, sessionNumber: 2, enrichmentNumber: 1, values: enrichment }]);
});

test('enrichments overwrite the same number of the same session, three side by side', () => {
  const place = placeOf();
  send(place, [call, { ...call, enrichmentNumber: 2 }, { ...call, enrichmentNumber: 3 }]);
  send(place, [{ ...call, enrichment: { agent: 'Ole' } }]);
  expect(received(place).map(({ enrichmentNumber, values }) => [enrichmentNumber, values['agent']])).toEqual([
    [1, 'Ole'],
    [2, 'Mia'],
    [3, 'Mia'],
  ]);
  expect(received(placeOf())).toEqual([]);
});

test('enrichments find a session by its id as by user and number', () => {
  const place = placeOf();
  const day = place.world.sessions.day(shop.id, TODAY - 1, START_MS);
  const id = sessionId(day, 17);
  send(place, [{ sessionId: id, enrichment: { a: 1 } }]);
  send(place, [{ sessionId: String(id), enrichmentNumber: 2, enrichment: { a: 2 } }]);
  const session = { userId: userIdOf(day, 17).toString(), sessionNumber: day.sessionNumber[17] };
  expect(received(place)).toMatchObject([session, session]);
  send(place, [{ ...session, enrichmentNumber: 1, enrichment: { a: 3 } }]);
  expect(received(place).map(({ values }) => values['a'])).toEqual([3, 2]);
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ['a fourth number', { ...call, enrichmentNumber: 4 }, /enrichmentNumber must be a whole number from 1 to 3/],
  ['no session', { enrichment: { a: 1 } }, /either userId and sessionNumber, or sessionId/],
  ['two ways to name it', { ...call, sessionId: 1 }, /either userId and sessionNumber, or sessionId/],
  ['a user without a number', { userId: '1', enrichment: { a: 1 } }, /sessionNumber must be/],
  ['a user id that lost digits', { ...call, userId: 2 ** 60 }, /lost digits above 2\^53: send it as text/],
  ['a user id of 65 bits', { ...call, userId: '18446744073709551616' }, /64-bit/],
  ['a session that does not exist', { sessionId: TODAY * 1_000_000 + 999_999, enrichment: { a: 1 } }, /project 1201 has no session/],
  ['a session of tomorrow', { sessionId: (TODAY + 1) * 1_000_000, enrichment: { a: 1 } }, /has no session/],
  ['a session id that is none', { sessionId: 'abc', enrichment: { a: 1 } }, /sessionId must be a whole number/],
  ['an object as a value', { ...call, enrichment: { a: { b: 1 } } }, /enrichment\.a must be a text, a number, a boolean/],
  ['a missing value', { ...call, enrichment: { a: null } }, /enrichment\.a must be/],
  ['no field', { ...call, enrichment: {} }, /holds no field/],
  ['a list of fields', { ...call, enrichment: ['a'] }, /must be an object/],
  ['a transaction', { ...call, transactions: [] }, /"transactions" is not known; transactions are not supported/],
])('enrichments refuse a batch for %s and keep none of it', async (_, record, words) => {
  const place = placeOf();
  const refusal = await refusalOf(() => send(place, [call, record]));
  expect([refusal.status, refusal.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
  expect(refusal.message).toMatch(/^enrichments\[1\]: /);
  expect(refusal.message).toMatch(words);
  expect(received(place)).toEqual([]);
});

test('enrichments belong to the project of the integration', async () => {
  const place = placeOf();
  expect((await refusalOf(() => send(place, [call], app.id))).status).toBe(403);
  send(place, [call]);
  expect(received({ ...place, project: app })).toEqual([]);
});
