import { createBm25 } from './support/bm25.ts';
import { listedTools } from '../src/commands/catalogue.ts';
import { readFileSync } from 'node:fs';
const tools = await listedTools();
const q = JSON.parse(readFileSync('test/samples/tool-questions.json','utf8'));
for (const hints of [false, true]) {
const texts = tools.map((t:any)=>({name:t.name, text:[t.name,t.description,...Object.entries(t.inputSchema.properties??{}).flatMap(([k,v]:any)=>[k,v.description??'']), hints ? t._meta?.['anthropic/searchHint'] ?? '' : '', hints? t.title:''].join(' ')}));
const find = createBm25(texts);
for (const kind of ['typed','searched']) {
  let ok=0; const bad:string[]=[];
  for (const [text, right] of q[kind]) { const top = find(text).slice(0,5); if (top.some((n:string)=>right.includes(n))) ok++; else bad.push(text+'  → '+top.join(', ')+'   want '+right.join('/')); }
  console.log(hints, kind, ok, q[kind].length); if (process.argv.includes('-v') && !hints) console.log(bad.join('\n'));
}}
