/** Signature algorithms with a public key; whoever can check a signature made with a shared secret could make one too. */
export const tokenAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const; // biome-ignore format: a list of words
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];
