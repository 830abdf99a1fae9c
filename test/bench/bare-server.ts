import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { greet, startPeer } from './peer.ts';
import { type JsonSchema, zodSource } from './zod-source.ts';

const FOLDER = 'node_modules/.cache/bench';

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: object;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}

/** The tools as the product lists them. */
async function listedTools(executable: string): Promise<readonly ListedTool[]> {
  const peer = startPeer([executable]);
  await greet(peer);
  const { result } = (await peer.ask('tools/list')) as { result: { tools: ListedTool[] } };
  await peer.stop();
  return result.tools;
}

/** One tool in the ordinary way: schemas in zod, an answer of a line. */
function registration({ name, title, description, annotations, inputSchema, outputSchema }: ListedTool): string {
  const facts = { title, description, annotations };
  return `  server.registerTool(${JSON.stringify(name)}, {
    ...${JSON.stringify(facts)},
    inputSchema: ${zodSource(inputSchema)},
    outputSchema: ${zodSource({ ...outputSchema, required: [] })},
  }, async () => ({ content: [{ type: 'text', text: 'ok' }], structuredContent: {} }));`;
}

/** Bundles a script in the way of the product; gives its path. */
export function bundled(entry: string, folder: string): string {
  const build = `
    const [{ executable }, { build }] = await Promise.all([import('./.ci/build.mjs'), import('esbuild')]);
    const external = ['@resvg/resvg-js', '@duckdb/node-api', '@keyv/redis'];
    await build({ ...executable, entryPoints: { main: '${entry}' }, outdir: '${folder}/dist', external, nodePaths: ['node_modules'] });`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', build], { stdio: 'inherit' });
  return `${folder}/dist/main.js`;
}

/** Writes and bundles a server that does nothing, with as many tools of the same size as the product; gives its path. */
export async function buildBareServer(executable: string): Promise<string> {
  const tools = await listedTools(executable);
  const source = `import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' });
${tools.map(registration).join('\n')}
  return server;
});
`;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/bare.ts`, source);
  return bundled(`${FOLDER}/bare.ts`, FOLDER);
}
