import type { Project } from './handler.ts';

export const shop: Project = { id: 1201, name: 'Nordlicht Shop', kind: 'shop', currency: 'EUR', ecommerce: true };
export const app: Project = { id: 1202, name: 'Nordlicht App', kind: 'app', currency: 'EUR', ecommerce: true };
export const content: Project = { id: 1203, name: 'Nordlicht Magazin', kind: 'content', currency: 'EUR', ecommerce: false };

export const projects: readonly Project[] = [shop, app, content];
