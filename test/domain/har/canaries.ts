import { type Json, type JsonObject, list, object } from './sample.ts';

/** Matches every canary and every half of one; no recorded file holds it. */
export const CANARY = /CANARY|decafbad|Q0FOQVJZ/i;

/** A file with a canary in each place where secrets live, and how many there are of each kind. */
export interface Planted {
  har: { log: JsonObject };
  counts: Record<string, number>;
}

/** Header values that a canary replaces, also those that the sanitiser keeps by shape. */
export function plantCanaries(original: { log: JsonObject }): Planted {
  const har = structuredClone(original);
  const counts: Record<string, number> = {};
  let serial = 0;
  const canary = (kind: string): string => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    serial += 1;
    return `CANARY${serial}`;
  };
  const hex = (): string => `decafbad${(serial += 1).toString(16).padStart(8, '0')}decafbad00decafbad00`;
  const jwt = (): string => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJDQU5BUlki${'Q0FOQVJZ'.repeat(2)}${(serial += 1)}.Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FO`;
  const plantUrl = (url: string): string => {
    const found = /^(https?:\/\/)([^/?#]+)([^?#]*)(?:\?([^#]*))?/.exec(url);
    if (!found) return url;
    const [, scheme = '', host = '', path = '', query = ''] = found;
    counts.pathToken = (counts.pathToken ?? 0) + 3;
    const token = `${path.replace(/\/$/, '')}/${hex()}/${jwt()}/${canary('email')}%40mail.example/list;jsessionid=${canary('matrix')}`;
    const values = query
      .split('&')
      .filter(Boolean)
      .map((parameter) => `${parameter.split('=', 1)[0]}=${canary('query')}`);
    values.push(`sid=${canary('query')}`, canary('query'), `v=${canary('query')}`);
    return `${scheme}${canary('user')}:${canary('password')}@${host}${token}?${values.join('&')}#${canary('fragment')}`;
  };

  object(har.log).comment = canary('comment');
  har.log._custom = canary('custom');
  for (const page of list(har.log.pages ?? []).map(object)) {
    page.title = `Seen on ${plantUrl('https://www.shop.example/orders?id=1')} by ${canary('email')}@mail.example token=${canary('title')}`;
    page.comment = canary('comment');
    page._URL = canary('custom');
  }
  const plantMessage = (message: JsonObject): void => {
    message.cookies = [{ name: canary('cookie'), value: canary('cookie') }];
    message.headers = [
      ...list(message.headers ?? []).map((header) => {
        const { name = '', value = '' } = object(header);
        const address = typeof value === 'string' && /^https?:/.test(value);
        return { name, value: address ? plantUrl(value) : canary('header') };
      }),
      { name: 'Authorization', value: `Bearer ${canary('header')}` },
      { name: 'Cookie', value: `a=${canary('header')}` },
      { name: 'content-type', value: `text/html; charset=utf-8; x=${canary('header')}` },
      { name: 'cache-control', value: `max-age=60, ${canary('header')}` },
      { name: 'server-timing', value: `cdn;desc="${canary('header')}", db;dur=5;desc=${canary('header')}` },
      { name: 'location', value: `/next?code=${canary('header')}` },
      { name: `Last-Access=${canary('headerName')};Path=/`, value: '' },
    ];
    message.comment = canary('comment');
    message._custom = canary('custom');
  };
  for (const entry of list(har.log.entries).map(object)) {
    for (const [name, value] of Object.entries(entry))
      if (name.startsWith('_') && typeof value === 'string') entry[name] = canary('custom');
    entry._initiator = {
      type: 'script',
      url: plantUrl('https://www.shop.example/a.js'),
      stack: { callFrames: [{ url: canary('custom') }] },
    };
    entry.cache = { beforeRequest: { eTag: canary('cache') } };
    entry.serverIPAddress = canary('address');
    const request = object(entry.request);
    const response = object(entry.response);
    plantMessage(request);
    plantMessage(response);
    request.url = plantUrl(typeof request.url === 'string' ? request.url : '');
    request.queryString = [{ name: 'q', value: canary('query') }];
    request.postData = { mimeType: 'text/plain', text: canary('body'), params: [{ name: canary('body'), value: canary('body') }] };
    response.redirectURL = plantUrl(
      typeof response.redirectURL === 'string' && response.redirectURL ? response.redirectURL : 'https://www.shop.example/next',
    );
    const content: Record<string, Json> = object(response.content);
    content.text = canary('body');
    content.comment = canary('comment');
  }
  return { har, counts };
}
