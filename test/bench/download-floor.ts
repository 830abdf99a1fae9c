import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Agent } from 'undici';

// What Node needs at least: the body that undici gives, in blocks of a megabyte, into a file; with `hash` also its SHA-256.
const [, , base = '', path = '', hashed] = process.argv;
const BLOCK_BYTES = 1024 * 1024;
const agent = new Agent();
const startedMs = performance.now();
const { body } = await agent.request({ origin: base, path: '/large', method: 'GET' });
const file = await open(path, 'w');
const hash = hashed === 'hash' ? createHash('sha256') : undefined;
let [chunks, bytes]: [Buffer[], number] = [[], 0];
let writing: Promise<unknown> = Promise.resolve();
for await (const chunk of body as AsyncIterable<Buffer>) {
  hash?.update(chunk);
  chunks.push(chunk);
  bytes += chunk.length;
  if (bytes < BLOCK_BYTES) continue;
  await writing;
  writing = file.writev(chunks);
  [chunks, bytes] = [[], 0];
}
await writing;
if (bytes > 0) await file.writev(chunks);
hash?.digest();
process.stdout.write(String(performance.now() - startedMs));
await file.close();
await agent.close();
