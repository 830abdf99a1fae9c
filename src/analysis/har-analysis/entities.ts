/** Who a third-party host belongs to. */
export interface Entity {
  readonly name: string;
  readonly category: string;
}

/** The entity of a host, null where nobody has named it. */
export type EntityOf = (host: string) => Entity | null;

/** Loads the names of third parties (200 kB of data), so that only who asks for them pays for it; each host is looked up once. */
export async function loadEntities(): Promise<EntityOf> {
  // CommonJS whose members are known only once it runs.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  const known = new Map<string, Entity | null>();
  return (host) => {
    const found = known.get(host);
    if (found !== undefined) return found;
    const entity = host.length > MAX_HOST ? undefined : thirdParties.getEntity(host);
    const named = entity ? { name: entity.name, category: entity.category } : null;
    known.set(host, named);
    return named;
  };
}

/** Longest name that DNS allows; what is longer is no host. */
const MAX_HOST = 253;
