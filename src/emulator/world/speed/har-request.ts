import type { Cookie, Header, PostData, Request } from 'har-format';
import type { RequestSpec, ResourceType } from './request-spec.ts';
import { SECRET_EMAIL, secretBearer, secretToken, visitorCookies } from './secrets.ts';

/** What entries of one HAR have in common. */
export interface HarContext {
  readonly hour: number;
  readonly navigationStartMs: number;
  readonly documentUrl: string;
  readonly mobile: boolean;
  readonly isFirstParty: (url: URL) => boolean;
}

const AGENTS = {
  desktop: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  mobile: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
};
const ACCEPTS: Partial<Record<ResourceType, string>> = {
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};

/** Headers in order, without those that have no value. */
export function headersOf(pairs: readonly (readonly [name: string, value: string | undefined])[]): Header[] {
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function postDataOf({ post }: RequestSpec, { hour, documentUrl }: HarContext): PostData | undefined {
  if (post === undefined) return undefined;
  const fields = { email: SECRET_EMAIL, token: secretToken('post', hour), page: documentUrl };
  // HAR 1.2: `params` and `text` exclude each other.
  if (post === 'form')
    return { mimeType: 'application/x-www-form-urlencoded', params: Object.entries(fields).map(([name, value]) => ({ name, value })) };
  return { mimeType: post === 'json' ? 'application/json' : 'text/plain;charset=UTF-8', text: JSON.stringify(fields) };
}

/** `request` of an entry. */
export function harRequest(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string): Request {
  const cookies: Cookie[] = context.isFirstParty(url) && spec.type !== 'font' ? visitorCookies(context.hour) : [];
  const postData = postDataOf(spec, context);
  const headers = headersOf([
    [httpVersion === 'http/1.1' ? 'Host' : ':authority', url.host],
    ['accept', ACCEPTS[spec.type] ?? '*/*'],
    ['accept-encoding', 'gzip, deflate, br, zstd'],
    ['accept-language', 'en-GB,en;q=0.9'],
    ['authorization', spec.authorized ? `Bearer ${secretBearer(context.hour)}` : undefined],
    ['content-type', postData?.mimeType],
    ['cookie', cookies.length > 0 ? cookies.map(({ name, value }) => `${name}=${value}`).join('; ') : undefined],
    ['referer', spec.phase === 'document' || spec.phase === 'redirect' ? undefined : context.documentUrl],
    ['user-agent', context.mobile ? AGENTS.mobile : AGENTS.desktop],
  ]);
  return {
    method: spec.post === undefined ? 'GET' : 'POST',
    url: url.href,
    httpVersion,
    headers,
    queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
    cookies,
    headersSize: headers.reduce((sum, { name, value }) => sum + name.length + value.length + 4, 2),
    bodySize: postData === undefined ? 0 : Buffer.byteLength(postData.text ?? JSON.stringify(postData.params)),
    ...(postData ? { postData } : {}),
  };
}
