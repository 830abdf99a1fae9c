import { McpServer } from '@modelcontextprotocol/server';
import { addContents } from './fixture-contents.ts';
import { addExchanges } from './fixture-exchanges.ts';
import { addInputs, states } from './fixture-inputs.ts';

/** A server with everything that the conformance suite asks for by name; it is served by the product's HTTP side. */
export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        logging: {},
        completions: {},
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { subscribe: true },
      },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  addContents(server);
  addExchanges(server);
  addInputs(server);
  const { server: protocol } = server;
  protocol.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'] } }));
  protocol.setRequestHandler('resources/subscribe', () => ({}));
  protocol.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}
