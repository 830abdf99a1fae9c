import { describe, expect, it } from 'vitest';
import { sessionId, userIdOf } from '../../../src/emulator/world/exports/session-row.ts';
import { times } from '../../support/times.ts';
import { refusal, useTools, whole } from '../support.ts';

const { call, platform, sent } = useTools();
const record = { userId: '7310224081552637899', sessionNumber: 2, enrichmentNumber: 1, enrichment: { agent: 'Mia', seconds: 184 } };
const received = () => platform().world.exports.enrichments.list(1201);

it('shows the batch, and sends it as a form when confirmed', async () => {
  const preview = await call('send_enrichments', { enrichments: [record] });
  expect(received()).toEqual([]);
  const answer = await call('send_enrichments', { enrichments: [record], integrationVersion: '1.2', confirm: true });
  expect(received()).toMatchObject([{ userId: record.userId, values: record.enrichment }]);
  const { headers, body } = platform().requests.at(-1) ?? {};
  expect(headers?.['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  expect(Object.fromEntries(new URLSearchParams(String(body)))).toEqual({
    projectId: '1201',
    integrationVersion: '1.2',
    enrichments: JSON.stringify([record]),
  });
  expect([whole(preview), whole(answer)].join('\n\n')).toMatchSnapshot();
});

it('sends JSON when asked to, and overwrites what it sent before', async () => {
  const again = { ...record, enrichment: { agent: 'Ole' } };
  await call('send_enrichments', { enrichments: [again], encoding: 'json', confirm: true });
  expect(platform().requests.at(-1)?.body).toEqual({ projectId: 1201, enrichments: [again] });
  expect(received()).toMatchObject([{ values: { agent: 'Ole' } }]);
});

describe('a session', () => {
  const bySessionId = { sessionId: '20775017', enrichment: { agent: 'Mia' } };
  const sessionOf = () => received().at(-1);

  it('that exists receives what is sent to its id, and no other does', async () => {
    const { sessions } = platform().world;
    const day = sessions.day(1201, 20775, platform().clock.now());
    const answer = await call('send_enrichments', { enrichments: [{ ...bySessionId, sessionId: sessionId(day, 17) }], confirm: true });
    expect(answer.structured).toMatchObject({ status: 'done', sent: 1 });
    expect(sessionOf()).toMatchObject({ userId: userIdOf(day, 17).toString(), sessionNumber: day.sessionNumber[17], enrichmentNumber: 1 });
  });

  it('that does not exist is refused by the platform, whose words are handed on', async () => {
    const answer = await call('send_enrichments', { enrichments: [{ ...bySessionId, sessionId: '1' }], confirm: true });
    expect(answer).toMatchObject(refusal('project 1201 has no session 1'));
  });

  it('whose records have no number may keep only the last one, which is said first', async () => {
    const preview = await call('send_enrichments', { enrichments: [bySessionId, { ...bySessionId, enrichment: { agent: 'Ole' } }] });
    expect(preview.text).toContain('One session has several records without enrichmentNumber: the platform may keep only the last one.');
  });

  it('holds three records at the most, numbered or not', async () => {
    const answer = await call('send_enrichments', { enrichments: times(4, () => bySessionId) });
    expect(answer.text).toContain('1 of 4 records cannot be sent: enrichments[3]: is one too many: a session holds at most 3 records.');
  });
});

describe('a batch with bad records', () => {
  const other = { ...record, sessionNumber: 3 };
  it.each<[string, unknown, RegExp]>([
    ['no session', { userId: '1', enrichmentNumber: 1, enrichment: { a: 1 } }, /enrichments\[1\]\.sessionNumber: is required/],
    ['an enrichmentNumber beyond 3', { ...other, enrichmentNumber: 4 }, /enrichments\[1\]\.enrichmentNumber: must be at most 3/],
    ['an unknown member', { ...other, transaction: 7 }, /enrichments\[1\]\.transaction: is not known here/],
    [
      'no session at all',
      { enrichment: { a: 1 } },
      /enrichments\[1\]\.sessionId: is required \(the session by its sessionId, or by userId/,
    ],
    ['a session number alone', { sessionNumber: 2, enrichment: { a: 1 } }, /enrichments\[1\]\.sessionId: is required/],
    [
      'a session id that is no number',
      { ...other, userId: undefined, sessionNumber: undefined, sessionId: 'abc' },
      /enrichments\[1\]\.sessionId: expected the session_id of an export, a whole number/,
    ],
    ['a session that is named twice', { ...other, sessionId: '7' }, /enrichments\[1\]\.userId: names the session a second time/],
    [
      'digits that are lost',
      { ...other, enrichment: { a: { b: [2 ** 60] } } },
      /enrichments\[1\]\.enrichment\.a\.b\[0\]: a number beyond 2\^53/,
    ],
    [
      'the place of an earlier record',
      { ...record, enrichment: { agent: 'Ole' } },
      /enrichments\[1\]: repeats the enrichmentNumber of enrichments\[0\], which it would overwrite/,
    ],
  ])('is refused for %s, by its position, before anything is shown or sent', async (_, bad, words) => {
    const answer = await call('send_enrichments', { enrichments: [record, bad], confirm: true });
    expect(answer).toMatchObject(refusal(words));
    expect(answer.text).toContain('The other 1 are in order: skipInvalid: true sends only these.');
    expect(sent('sendEnrichments')).toEqual([]);
  });

  it('names every bad record by its position', async () => {
    const enrichments = times(15, (index) => ({ ...record, sessionNumber: index, enrichmentNumber: 9 }));
    const { text } = await call('send_enrichments', { enrichments });
    expect(text).toMatch(/^15 of 15 records cannot be sent: .*enrichments\[9\].*; likewise the records at 10, 11, 12, 13, 14\./);
    expect(text).not.toContain('skipInvalid');
  });

  it('sends the good ones when asked to, and says which were left out', async () => {
    const enrichments = [{ ...other, enrichmentNumber: 0 }, other];
    const preview = await call('send_enrichments', { enrichments, skipInvalid: true });
    expect(preview.structured).toMatchObject({ status: 'preview', request: { body: { enrichments: [other] } } });
    const answer = await call('send_enrichments', { enrichments, skipInvalid: true, confirm: true });
    expect(answer.structured).toMatchObject({ status: 'done', sent: 1, skipped: [0] });
    expect(answer.text).toContain('enrichments[0].enrichmentNumber: must be at least 1');
  });
});
