import { type Json, type JsonObject, list, object } from './sample.ts';

/** Matches every canary and every half of one; no recorded file holds it. */
export const CANARY = /CANARY|decafbad|Q0FOQVJZ/i;

/** The file with a canary in each place where secrets live, also in header values that the sanitiser keeps by shape. */
export function plantCanaries(original: { log: JsonObject }): { log: JsonObject } {
  const har = structuredClone(original);
  let serial = 0;
  const canary = () => `CANARY${(serial += 1)}`;
  const hex = (): string => `decafbad${(serial += 1).toString(16).padStart(8, '0')}decafbad00decafbad00`;
  const jwt = (): string => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJDQU5BUlki${'Q0FOQVJZ'.repeat(2)}${(serial += 1)}.Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FO`;
  const plantUrl = (url: string): string => {
    const found = /^(https?:\/\/)([^/?#]+)([^?#]*)(?:\?([^#]*))?/.exec(url);
    if (!found) return url;
    const [, scheme = '', host = '', path = '', query = ''] = found;
    const token = `${path.replace(/\/$/, '')}/${hex()}/${jwt()}/${canary()}%40mail.example/list;jsessionid=${canary()}`;
    const values = query
      .split('&')
      .filter(Boolean)
      .map((parameter) => `${parameter.split('=', 1)[0]}=${canary()}`);
    values.push(`sid=${canary()}`, canary(), `v=${canary()}`);
    return `${scheme}${canary()}:${canary()}@${host}${token}?${values.join('&')}#${canary()}`;
  };

  object(har.log).comment = canary();
  har.log._custom = canary();
  for (const page of list(har.log.pages ?? []).map(object)) {
    page.title = `Seen on ${plantUrl('https://www.shop.example/orders?id=1')} by ${canary()}@mail.example token=${canary()}`;
    page.comment = canary();
    page._URL = canary();
  }
  const plantMessage = (message: JsonObject): void => {
    message.cookies = [{ name: canary(), value: canary() }];
    message.headers = [
      ...list(message.headers ?? []).map((header) => {
        const { name = '', value = '' } = object(header);
        const address = typeof value === 'string' && /^https?:/.test(value);
        return { name, value: address ? plantUrl(value) : canary() };
      }),
      { name: 'Authorization', value: `Bearer ${canary()}` },
      { name: 'Cookie', value: `a=${canary()}` },
      { name: 'content-type', value: `text/html; charset=utf-8; x=${canary()}` },
      { name: 'cache-control', value: `max-age=60, ${canary()}` },
      { name: 'server-timing', value: `cdn;desc="${canary()}", db;dur=5;desc=${canary()}` },
      { name: 'location', value: `/next?code=${canary()}` },
      { name: `Last-Access=${canary()};Path=/`, value: '' },
    ];
    message.comment = canary();
    message._custom = canary();
  };
  for (const entry of list(har.log.entries).map(object)) {
    for (const [name, value] of Object.entries(entry)) if (name.startsWith('_') && typeof value === 'string') entry[name] = canary();
    entry._initiator = {
      type: 'script',
      url: plantUrl('https://www.shop.example/a.js'),
      stack: { callFrames: [{ url: canary() }] },
    };
    entry.cache = { beforeRequest: { eTag: canary() } };
    entry.serverIPAddress = canary();
    const request = object(entry.request);
    const response = object(entry.response);
    plantMessage(request);
    plantMessage(response);
    request.url = plantUrl(typeof request.url === 'string' ? request.url : '');
    request.queryString = [{ name: 'q', value: canary() }];
    request.postData = { mimeType: 'text/plain', text: canary(), params: [{ name: canary(), value: canary() }] };
    response.redirectURL = plantUrl(
      typeof response.redirectURL === 'string' && response.redirectURL ? response.redirectURL : 'https://www.shop.example/next',
    );
    const content: Record<string, Json> = object(response.content);
    content.text = canary();
    content.comment = canary();
  }
  return har;
}
