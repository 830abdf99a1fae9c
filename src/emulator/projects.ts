/** A tracked site or app of the emulated platform. */
export interface Project {
  readonly id: number;
  readonly name: string;
  readonly kind: 'shop' | 'app' | 'content';
  /** ISO 4217; every metric value carries it. */
  readonly currency: string;
  /** Conversions without a `goalId` and revenue exist only where this is true. */
  readonly ecommerce: boolean;
}

export const shop: Project = { id: 1201, name: 'Nordlicht Shop', kind: 'shop', currency: 'EUR', ecommerce: true };
export const app: Project = { id: 1202, name: 'Nordlicht App', kind: 'app', currency: 'EUR', ecommerce: true };
export const content: Project = { id: 1203, name: 'Nordlicht Magazin', kind: 'content', currency: 'EUR', ecommerce: false };

export const projects: readonly Project[] = [shop, app, content];
