import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { Client } from '../api/client.ts';
import { addressed } from './address.ts';
import { requestFacts } from './request-facts.ts';
import type { DefinedResource, ListedResource } from './resource.ts';
import { protocolError } from './resource-errors.ts';
import type { Session } from './session.ts';

/** Those resources of a template that are few enough to be listed; none where they cannot be had, because one failure would hide all others. */
function listOf({ known, list, mimeType, uri }: DefinedResource, session: Session) {
  if (!known && !list) return undefined;
  return async ({ mcpReq: { signal } }: { mcpReq: { signal: AbortSignal } }) => {
    const found: ListedResource[] = [...(known ?? [])];
    if (list) {
      const { listedProjects } = await import('./listed-projects.ts');
      found.push(...(await listedProjects(session, signal)).flatMap((project) => list(project)));
    }
    return { resources: found.map(({ variables, ...words }) => ({ uri: uri(variables), ...words, mimeType })) };
  };
}

/** Makes one resource template readable for a session; connects only for what is asked of the platform. */
export function registerResource(server: McpServer, resource: DefinedResource, session: Session): void {
  const { name, title, description, mimeType, template } = resource;
  server.registerResource(
    name,
    new ResourceTemplate(template, { list: listOf(resource, session) }),
    { title, description, mimeType },
    async (uri, encoded, context) => {
      let client: Client | undefined;
      const redact = (text: string) => client?.redact(text) ?? text;
      const { signal } = context.mcpReq;
      const watched = session.options.watch?.begin({ kind: 'resource', name, ...requestFacts(context) });
      try {
        session.options.admit?.();
        const { variables, projectId } = addressed(resource, encoded);
        const options = { signal, observe: watched?.observe, ...(projectId !== undefined && { projectId }) };
        const text = await resource.read(variables, {
          ask: async (operation, input) => {
            client = await session.client();
            return client.call(operation, input, options);
          },
          session,
        });
        watched?.end('ok');
        return { contents: [{ uri: uri.href, mimeType, text: resource.verbatim?.(session) ? text : redact(text) }] };
      } catch (error) {
        if (watched) watched.end((await import('./outcome.ts')).outcomeOf(error, signal));
        throw protocolError(error, uri.href, redact);
      }
    },
  );
}
