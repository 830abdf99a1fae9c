import { isJSONRPCRequest } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { INITIALIZE, request2026 } from '../support/http.ts';
import { type ServerProcess, strayOutput } from '../support/stdio.ts';
import type { Era } from './http-fuzz.ts';
import { type Raw, RESULT_TYPES, rawMessage } from './raw-messages.ts';
import { briefly, type Finding, type Round, type Tally } from './tool-fuzz.ts';
import { messageViolations } from './violations.ts';

function withId(text: string, id: string): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), id });
}

function lineOf(raw: Raw, era: Era, id: string): string {
  if ('bytes' in raw) return raw.bytes;
  const { method, params } = raw;
  const isPlain = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (era === '2026' && isPlain && typeof method === 'string')
    return withId(request2026(method, params as Record<string, unknown>).body, id);
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** Writes so many lines to a server of one era; every request among them has to be answered, and all that it writes has to be messages. */
export async function fuzzStdio(server: ServerProcess, era: Era, { runs, rules, seed }: Round & { runs: number }): Promise<Tally> {
  const findings: Finding[] = [];
  const call = { name: 'list_goals', arguments: {} };
  if (era === '2025') {
    server.write(JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE, id: 'begin' }));
    await server.answerTo('begin');
    server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  } else {
    server.write(withId(request2026('server/discover').body, 'begin'));
    await server.answerTo('begin');
  }
  const all = fc.sample(rawMessage(), { numRuns: runs, seed });
  for (const [index, raw] of all.entries()) {
    const id = `fuzz-${seed}-${index}`;
    const line = lineOf(raw, era, id);
    server.write(line);
    // One after the other, so that an answer belongs to its line.
    if ('bytes' in raw || !isJSONRPCRequest(JSON.parse(line))) continue;
    const answer = await server.answerTo(id);
    const type = Object.hasOwn(RESULT_TYPES, String(raw.method)) ? RESULT_TYPES[String(raw.method)] : undefined;
    const violations = messageViolations(answer, rules, type);
    if (violations.length > 0) findings.push({ sent: `stdio ${era} ${briefly(line)}`, violations });
  }
  const last = { jsonrpc: '2.0', id: 'end', method: 'tools/call', params: call };
  server.write(era === '2025' ? JSON.stringify(last) : withId(request2026('tools/call', call).body, 'end'));
  const answer = await server.answerTo('end');
  if (!('result' in answer)) findings.push({ sent: `list_goals after stdio ${era}`, violations: [`is not answered: ${briefly(answer)}`] });
  for (const stray of strayOutput(server))
    findings.push({ sent: `stdio ${era}`, violations: [`wrote what is no message: ${briefly(stray)}`] });
  for (const line of server.lines) {
    const violations = messageViolations(JSON.parse(line), rules);
    if (violations.length > 0) findings.push({ sent: `stdio ${era}, any line`, violations });
  }
  return { messages: all.length + 1, findings };
}
