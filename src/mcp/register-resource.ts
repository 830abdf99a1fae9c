import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { ApiError } from '../api/errors.ts';
import type { DefinedResource } from './resource.ts';
import type { Session } from './session.ts';

/** Failures of a read as protocol errors with words; secrets removed. */
function protocolError(error: unknown, uri: string, redact: (text: string) => string): Error {
  if (!(error instanceof ApiError))
    return new ProtocolError(ProtocolErrorCode.InternalError, redact(`${uri}: ${error instanceof Error ? error.message : String(error)}`));
  if (error.kind === 'missing') return new ResourceNotFoundError(uri, redact(`${uri}: ${error.message}`));
  const code = error.kind === 'invalid' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, redact(`${uri}: ${error.message}`));
}

/** Makes one resource template readable for a session. */
export function registerResource(server: McpServer, resource: DefinedResource, session: Session): void {
  const { name, title, description, mimeType, template } = resource;
  server.registerResource(
    name,
    new ResourceTemplate(template, { list: undefined }),
    { title, description, mimeType },
    async (uri, variables, context) => {
      let redact = (text: string): string => text;
      try {
        const client = await session.client();
        redact = client.redact;
        const values = Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, decodeURIComponent(String(value))]));
        const projectId = Number(values['projectId']);
        if (!Number.isSafeInteger(projectId) || projectId <= 0) throw new ApiError('missing', `"${values['projectId']}" is no project id`);
        const text = await resource.read(values, {
          ask: (operation, input) => client.call(operation, input, { projectId, signal: context.mcpReq.signal }),
          session,
        });
        return { contents: [{ uri: uri.href, mimeType, text: redact(text) }] };
      } catch (error) {
        throw protocolError(error, uri.href, redact);
      }
    },
  );
}
