export { readHar } from '../har/index.ts';
export { loadEntities } from '../har-analysis/entities.ts';
export { compareHars } from './compare.ts';
