type Check = 'string' | 'number' | 'object' | 'array' | 'date';

// Members that HAR 1.2 requires, by object (softwareishard.com/blog/har-12-spec).
const REQUIRED: Record<string, Record<string, Check>> = {
  log: { version: 'string', creator: 'object', entries: 'array' },
  creator: { name: 'string', version: 'string' },
  browser: { name: 'string', version: 'string' },
  page: { startedDateTime: 'date', id: 'string', title: 'string', pageTimings: 'object' },
  entry: { startedDateTime: 'date', time: 'number', request: 'object', response: 'object', cache: 'object', timings: 'object' },
  request: {
    method: 'string',
    url: 'string',
    httpVersion: 'string',
    cookies: 'array',
    headers: 'array',
    queryString: 'array',
    headersSize: 'number',
    bodySize: 'number',
  },
  response: {
    status: 'number',
    statusText: 'string',
    httpVersion: 'string',
    cookies: 'array',
    headers: 'array',
    content: 'object',
    redirectURL: 'string',
    headersSize: 'number',
    bodySize: 'number',
  },
  pair: { name: 'string', value: 'string' },
  postData: { mimeType: 'string' },
  content: { size: 'number', mimeType: 'string' },
  timings: { send: 'number', wait: 'number', receive: 'number' },
  cacheState: { lastAccess: 'date', eTag: 'string', hitCount: 'number' },
};
const CUSTOM = [
  'comment',
  'connection',
  'serverIPAddress',
  'pageref',
  'pages',
  'browser',
  'postData',
  'compression',
  'text',
  'params',
  'path',
  'expires',
];
const OPTIONAL = new Set([...CUSTOM, 'domain', 'httpOnly', 'secure', 'blocked', 'dns', 'connect', 'ssl', 'beforeRequest', 'afterRequest']);

function fits(value: unknown, check: Check): boolean {
  if (check === 'array') return Array.isArray(value);
  if (check === 'date') return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(value);
  if (check === 'number') return typeof value === 'number' && Number.isFinite(value);
  return typeof value === check && value !== null && !Array.isArray(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function checkObject(value: unknown, kind: string, path: string): string[] {
  if (!isObject(value)) return [`${path} is no object`];
  const required = REQUIRED[kind] ?? {};
  const missing = Object.entries(required).filter(([name, check]) => !fits(value[name], check));
  const unknown = Object.keys(value).filter((name) => !(name in required) && !OPTIONAL.has(name) && !name.startsWith('_'));
  return [
    ...missing.map(([name, check]) => `${path}.${name} is no ${check}`),
    ...unknown.map((name) => `${path}.${name} is not in HAR 1.2`),
  ];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function checkMessage(message: unknown, kind: 'request' | 'response', path: string): string[] {
  if (!isObject(message)) return [];
  const lists = kind === 'request' ? ['headers', 'cookies', 'queryString'] : ['headers', 'cookies'];
  return [
    ...checkObject(message, kind, path),
    ...lists.flatMap((name) => listOf(message[name]).flatMap((pair, index) => checkObject(pair, 'pair', `${path}.${name}[${index}]`))),
    ...(message['postData'] === undefined ? [] : checkPostData(message['postData'], `${path}.postData`)),
    ...(kind === 'response' ? checkObject(message['content'], 'content', `${path}.content`) : []),
  ];
}

function checkPostData(postData: unknown, path: string): string[] {
  const both = isObject(postData) && 'params' in postData === 'text' in postData;
  return [...checkObject(postData, 'postData', path), ...(both ? [`${path} must have either params or text`] : [])];
}

function checkEntry(entry: unknown, pageIds: ReadonlySet<unknown>, path: string): string[] {
  if (!isObject(entry)) return [`${path} is no object`];
  const cache = isObject(entry['cache']) ? Object.entries(entry['cache']) : [];
  return [
    ...checkObject(entry, 'entry', path),
    ...(pageIds.has(entry['pageref']) ? [] : [`${path}.pageref names no page`]),
    ...checkMessage(entry['request'], 'request', `${path}.request`),
    ...checkMessage(entry['response'], 'response', `${path}.response`),
    ...checkObject(entry['timings'], 'timings', `${path}.timings`),
    ...cache.flatMap(([name, state]) => checkObject(state, 'cacheState', `${path}.cache.${name}`)),
  ];
}

/** What is wrong with an object as HAR 1.2, sentence by sentence; nothing for a valid one. */
export function harFaults(har: unknown): string[] {
  const log = isObject(har) ? har['log'] : undefined;
  if (!isObject(log)) return ['log is no object'];
  const pages = listOf(log['pages']);
  const ids = new Set(pages.filter(isObject).map((page) => page['id']));
  return [
    ...checkObject(log, 'log', 'log'),
    ...(log['version'] === '1.2' ? [] : ['log.version is not 1.2']),
    ...checkObject(log['creator'], 'creator', 'log.creator'),
    ...checkObject(log['browser'], 'browser', 'log.browser'),
    ...pages.flatMap((page, index) => checkObject(page, 'page', `log.pages[${index}]`)),
    ...listOf(log['entries']).flatMap((entry, index) => checkEntry(entry, ids, `log.entries[${index}]`)),
  ];
}
