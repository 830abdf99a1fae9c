import { expect, it } from 'vitest';
import { HEADERS, openRawSession, post, sharedService } from '../../support/http.ts';

const service = sharedService();
const call = { id: 'mine', method: 'tools/call', params: { name: 'get_credential', arguments: {} } };

it('a call of the 2025 era is answered with one JSON text of its length, with the id of the session', async () => {
  const session = await openRawSession(service().url);
  const { status, headers, message } = await post(service().url, call, session);
  expect({ status, message }).toMatchObject({
    status: 200,
    message: { id: 'mine', result: { structuredContent: { level: 'account' } } },
  });
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('mcp-session-id')).toBe(session['mcp-session-id']);
  expect(Number(headers.get('content-length'))).toBeGreaterThan(100);
});

it('a call of the 2025 era becomes a stream where progress comes before the answer', async () => {
  const session = await openRawSession(service().url);
  const params = { name: 'find_objects', arguments: { text: 'cart' }, _meta: { progressToken: 'p' } };
  const body = JSON.stringify({ jsonrpc: '2.0', ...call, params });
  const answer = await fetch(service().url, { method: 'POST', headers: { ...HEADERS, ...session }, body });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const messages = (await answer.text()).split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  expect(messages[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p' } });
  expect(messages.at(-1)).toMatchObject({ id: 'mine', result: { structuredContent: {} } });
});

it('a call of the 2025 era that names a version that there is not is refused', async () => {
  const session = await openRawSession(service().url);
  expect(await post(service().url, call, { ...session, 'mcp-protocol-version': '2023-01-01' })).toMatchObject({ status: 400 });
});
