export { readHar } from '../har/index.ts';
export { analyseHar } from './analyse.ts';
export { loadEntities } from './entities.ts';
