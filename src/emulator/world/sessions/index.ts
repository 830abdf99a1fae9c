export * from './dimensions.ts';
export * from './types.ts';
