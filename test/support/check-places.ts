import { checkPlaces } from '../../src/lib/nth.ts';

// A mistaken index fails a test instead of counting as 0.
checkPlaces();
