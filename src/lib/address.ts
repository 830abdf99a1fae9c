/** True for names and addresses of this machine, as `URL.hostname` spells them. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

/** Joins a base address and a path with exactly one slash. */
export function joinAddress(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** True when the host is one of the domains or lies below one, compared label by label. */
export function liesIn(hostname: string, domains: readonly string[]): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return domains.some((domain) => {
    const suffix = domain.toLowerCase().replace(/^(\*?\.)+|\.$/g, '');
    return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
  });
}

/** Why a secret must not travel to this address, as the end of a sentence; undefined when it may. */
export function addressFault(address: string, domains: readonly string[] = []): string | undefined {
  if (!URL.canParse(address)) return 'is not a valid address; expected https://…';
  const url = new URL(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    return 'is neither https nor http on this machine';
  if (url.username || url.password) return 'carries a user name or a password';
  if (url.search || url.hash) return 'carries a query or a fragment';
  if (domains.length > 0 && !liesIn(url.hostname, domains)) return `lies outside of the allowed domains (${domains.join(', ')})`;
  return undefined;
}
