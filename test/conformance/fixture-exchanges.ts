import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

/** Schemas of forms as the suite spells them; the SDK's type knows fewer variants than the protocol. */
type Form = Parameters<ServerContext['mcpReq']['elicitInput']>[0];

const named = { type: 'object', properties: { username: { type: 'string' }, email: { type: 'string' } }, required: ['username', 'email'] };

const defaults = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  required: [],
};

const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, index) => ({ const: `value${index + 1}`, title: `${title} Option` }));

const enums = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
  required: [],
};

async function elicit(context: ServerContext, message: string, requestedSchema: object) {
  const { action, content } = await context.mcpReq.elicitInput({ message, requestedSchema } as Form);
  return { action, content: JSON.stringify(content ?? {}) };
}

/** Tools that notify or ask the client while they run, as the 2025 era does it. */
export function addExchanges(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is.' }, async (context: ServerContext) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await delay(10);
    }
    return text('Done.');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs.' }, async (context: ServerContext) => {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.log('info', words);
        await delay(10);
      }
      return text('Logged.');
    });
  }
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model.', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => {
      const { content } = await context.mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      });
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const { action, content } = await elicit(context, message, named);
      return text(`User response: action: ${action}, content: ${content}`);
    },
  );
  const forms = { test_elicitation_sep1034_defaults: defaults, test_elicitation_sep1330_enums: enums };
  for (const [name, schema] of Object.entries(forms)) {
    server.registerTool(name, { description: 'Asks the person.' }, async (context: ServerContext) => {
      const { action, content } = await elicit(context, 'Please fill in', schema);
      return text(`Elicitation completed: action=${action}, content=${content}`);
    });
  }
}
