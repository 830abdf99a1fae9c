import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

/** Signs what a client carries from one round to the next. */
export const states = createRequestStateCodec<string>({ key: 'conformance-fixture-'.repeat(2) });

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
export function addInputs(server: McpServer): void {
  const tool = (name: string, run: (context: ServerContext) => Promise<ReturnType<typeof text> | ReturnType<typeof inputRequired>>) =>
    server.registerTool(name, { description: 'Asks by rounds.' }, run);

  for (const name of ['test_input_required_result_elicitation', 'test_streaming_elicitation']) {
    tool(name, async (context) => {
      const answer = acceptedContent<{ name?: unknown }>(context.mcpReq.inputResponses, 'user_name');
      if (typeof answer?.name === 'string') return text(`Hello, ${answer.name}!`);
      return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
    });
  }
  tool('test_input_required_result_sampling', async (context) => {
    const answer = responseOf(context, 'capital_question');
    if (answer) return text(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: asked('What is the capital of France?', 100) } });
  });
  // The SDK answers the error itself where the client has not said that it can.
  tool('test_missing_capability', async () => inputRequired({ inputRequests: { question: asked('Anything?', 10) } }));
  tool('test_input_required_result_list_roots', async (context) => {
    const answer = responseOf(context, 'client_roots');
    return answer ? text(JSON.stringify(answer)) : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    tool(name, async (context) => {
      if (responseOf(context, 'confirm')) return text(`state-${context.mcpReq.requestState<string>()}`);
      return inputRequired({ inputRequests: { confirm: confirmation }, requestState: await states.mint('ok') });
    });
  }
  tool('test_input_required_result_multiple_inputs', async (context) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => responseOf(context, key))) return text(JSON.stringify(context.mcpReq.inputResponses));
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
    if (responseOf(context, 'step2') && round === '2') return text('All rounds are done.');
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
