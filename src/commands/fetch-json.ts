import { version } from './about.ts';

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

/** Reads a small JSON document within seconds, without following redirects; rejects with a sentence that quotes nothing of it. */
export async function fetchJson(address: string): Promise<unknown> {
  const { createHttp } = await import('../api/http.ts');
  const http = createHttp();
  const { host } = new URL(address);
  try {
    const { status, text } = await http.send({
      method: 'GET',
      url: address,
      headers: { accept: 'application/json', 'user-agent': `web-analytics-mcp/${version}` },
      safe: true,
      maxBytes: MAX_BYTES,
      patienceMs: TIMEOUT_MS,
      signal: AbortSignal.timeout(2 * TIMEOUT_MS),
    });
    if (status !== 200) throw new Error(`${host} answered ${status}.`);
    return parsed(text, host);
  } finally {
    await http.close();
  }
}

function parsed(text: string, host: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`What ${host} answered is no JSON.`);
  }
}
