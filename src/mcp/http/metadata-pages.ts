import type { ResourceMetadata } from '../../sign-in/principal.ts';
import type { Page } from './http-server.ts';
import { answerJson, refuse } from './refusal.ts';

/** The protected-resource metadata at each of its paths, for clients that have no token yet. */
export function metadataPages({ paths, document }: ResourceMetadata): Map<string, Page> {
  const page: Page = (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD')
      answerJson(response, 200, document, { 'cache-control': 'public, max-age=3600' });
    else refuse(response, { status: 405, message: 'Method not allowed.', headers: { allow: 'GET, HEAD' } });
  };
  return new Map(paths.map((path) => [path, page]));
}
