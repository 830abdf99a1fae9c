import * as z from 'zod';
import type { Link } from './link.ts';
import type { Vault } from './vault.ts';

const newsShape = z.object({ place: z.string(), from: z.string(), uri: z.string().optional(), newest: z.number().optional() });

/** What one session tells the others about a place; `from` tells sessions apart. */
export type News = z.output<typeof newsShape>;

/** News between sessions on all replicas, sealed on their way. */
export interface Told {
  /** Tells everybody; lost where Redis cannot be reached. */
  tell(news: News): void;
  /** Calls `listener` with what is told about a place by another than `self`, until the returned function is called. */
  on(place: string, self: string, listener: (news: News) => void): () => void;
}

/** Where all news of one kind of message is sealed for. */
const SEALED_FOR = 'news';

export function createTold(link: Link, vault: Vault): Told {
  const listeners = new Map<string, Set<(news: News) => void>>();

  link.onTold((text) => {
    const opened = vault.open(text, SEALED_FOR);
    const news = opened === undefined ? undefined : newsShape.safeParse(JSON.parse(opened)).data;
    if (!news) return;
    for (const listener of listeners.get(news.place) ?? []) listener(news);
  });

  return {
    tell(news) {
      link.tell(vault.seal(JSON.stringify(news), SEALED_FOR));
    },
    on(place, self, listener) {
      const own = listeners.get(place) ?? new Set();
      const hear = (news: News) => {
        if (news.from !== self) listener(news);
      };
      listeners.set(place, own.add(hear));
      return () => {
        own.delete(hear);
        if (own.size === 0 && listeners.get(place) === own) listeners.delete(place);
      };
    },
  };
}
