import type { Scenario } from './types.ts';

/** Hosts of a first party; images and files may lie on another registrable domain that is its own all the same. */
export interface Site {
  readonly origin: string;
  readonly static: string;
  readonly images: string;
  readonly calls: string;
  /** Addresses that redirect to the first document, in order. */
  readonly redirects: readonly string[];
}

/** The three first parties, on reserved domains. */
export const sites: Record<Scenario['site'], Site> = {
  shop: {
    origin: 'https://www.nordlicht-shop.example',
    static: 'https://static.nordlicht-shop.example',
    images: 'https://img.nordlicht-cdn.example',
    calls: 'https://api.nordlicht-shop.example',
    redirects: ['http://nordlicht-shop.example', 'https://nordlicht-shop.example'],
  },
  content: {
    origin: 'https://www.nordlicht-magazin.example',
    static: 'https://static.nordlicht-magazin.example',
    images: 'https://media.nordlicht-magazin.example',
    calls: 'https://www.nordlicht-magazin.example',
    redirects: ['http://www.nordlicht-magazin.example'],
  },
  app: {
    origin: 'https://help.nordlicht-app.example',
    static: 'https://help.nordlicht-app.example',
    images: 'https://img.nordlicht-cdn.example',
    calls: 'https://api.nordlicht-app.example',
    redirects: [],
  },
};
