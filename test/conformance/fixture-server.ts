import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Silence without a sample. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

/** Tools that answer at once, each with contents of another kind. */
const contents = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

/** An input schema with the vocabulary of JSON Schema 2020-12 that lists have to keep as it is. */
const wholeVocabulary = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // Parsed, because an object that is written with a member of this name looks like a promise.
  ...(JSON.parse('{"then":{"required":["phone"]}}') as object),
  else: { required: ['email'] },
  additionalProperties: false,
};

/** The tools, resources and prompts that the conformance suite asks for by name and that answer at once. */
function addContents(server: McpServer): void {
  for (const [name, content] of Object.entries(contents)) server.registerTool(name, { description: name }, () => ({ content }));
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(wholeVocabulary) },
    () => ({ content: [text('Understood.')] }),
  );
  server.registerTool('test_error_handling', { description: 'Always fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });

  const described = (mimeType: string) => ({ description: 'For the conformance suite.', mimeType });
  server.registerResource('static-text', 'test://static-text', described('text/plain'), ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', described('image/png'), ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  server.registerResource('watched', 'test://watched-resource', described('text/plain'), ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Watched.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, described('application/json'), ({ href }, { id }) => ({
    contents: [
      { uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) },
    ],
  }));

  const said = (...parts: readonly Parameters<typeof messageOf>[0][]) => ({ messages: parts.map(messageOf) });
  server.registerPrompt('test_simple_prompt', { description: 'A text.' }, () => said(text('This is a simple prompt for testing.')));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Two arguments.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      said(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'An image.' }, () => said(image, text('Please analyze the image above.')));
}

function messageOf(content: ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>) {
  return { role: 'user' as const, content };
}

const answered = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

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
function addExchanges(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is.' }, async (context: ServerContext) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await delay(10);
    }
    return answered('Done.');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs.' }, async (context: ServerContext) => {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await context.mcpReq.log('info', words);
        await delay(10);
      }
      return answered('Logged.');
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
      return answered(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person.', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const { action, content } = await elicit(context, message, named);
      return answered(`User response: action: ${action}, content: ${content}`);
    },
  );
  const forms = { test_elicitation_sep1034_defaults: defaults, test_elicitation_sep1330_enums: enums };
  for (const [name, schema] of Object.entries(forms)) {
    server.registerTool(name, { description: 'Asks the person.' }, async (context: ServerContext) => {
      const { action, content } = await elicit(context, 'Please fill in', schema);
      return answered(`Elicitation completed: action=${action}, content=${content}`);
    });
  }
}

/** Signs what a client carries from one round to the next. */
const states = createRequestStateCodec<string>({ key: 'conformance-fixture-'.repeat(2) });

function form(message: string, property: string) {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  });
}

const confirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});

const asked = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens });

function responseOf({ mcpReq }: ServerContext, key: string): unknown {
  return mcpReq.inputResponses?.[key];
}

/** Tools and a prompt that ask by multi-round-trip results, as the 2026-07-28 era does it. */
function addInputs(server: McpServer): void {
  const tool = (name: string, run: (context: ServerContext) => Promise<ReturnType<typeof answered> | ReturnType<typeof inputRequired>>) =>
    server.registerTool(name, { description: 'Asks by rounds.' }, run);

  for (const name of ['test_input_required_result_elicitation', 'test_streaming_elicitation']) {
    tool(name, async (context) => {
      const answer = acceptedContent<{ name?: unknown }>(context.mcpReq.inputResponses, 'user_name');
      if (typeof answer?.name === 'string') return answered(`Hello, ${answer.name}!`);
      return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
    });
  }
  tool('test_input_required_result_sampling', async (context) => {
    const answer = responseOf(context, 'capital_question');
    if (answer) return answered(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: asked('What is the capital of France?', 100) } });
  });
  // The SDK answers the error itself where the client has not said that it can.
  tool('test_missing_capability', async () => inputRequired({ inputRequests: { question: asked('Anything?', 10) } }));
  tool('test_input_required_result_list_roots', async (context) => {
    const answer = responseOf(context, 'client_roots');
    return answer ? answered(JSON.stringify(answer)) : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, async (context) => {
      if (responseOf(context, 'confirm')) return answered(`state-${context.mcpReq.requestState<string>()}`);
      return inputRequired({ inputRequests: { confirm: confirmation }, requestState: await states.mint('ok') });
    });
  }
  tool('test_input_required_result_multiple_inputs', async (context) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => responseOf(context, key))) return answered(JSON.stringify(context.mcpReq.inputResponses));
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: asked('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint('many'),
    });
  });
  tool('test_input_required_result_multi_round', async (context) => {
    const round = context.mcpReq.requestState<string>();
    if (responseOf(context, 'step2') && round === '2') return answered('All rounds are done.');
    const isSecond = responseOf(context, 'step1') !== undefined && round === '1';
    const inputRequests = isSecond
      ? { step2: form('Step 2: What is your favorite color?', 'color') }
      : { step1: form('Step 1: What is your name?', 'name') };
    return inputRequired({ inputRequests, requestState: await states.mint(isSecond ? '2' : '1') });
  });
  tool('test_input_required_result_capabilities', async ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
    const { sampling, elicitation } = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
    return inputRequired({
      inputRequests: {
        ...(sampling && { question: asked('What is the capital of France?', 100) }),
        ...(elicitation && { user_name: form('What is your name?', 'name') }),
      },
    });
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks by rounds.' }, async (context: ServerContext) => {
    const answer = acceptedContent<{ context?: unknown }>(context.mcpReq.inputResponses, 'user_context');
    if (!answer) return inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', 'context') } });
    return { messages: [{ role: 'user', content: { type: 'text', text: `Context: ${String(answer.context)}` } }] };
  });
}

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
