/** Largest HAR file that is delivered as a resource; beyond it a file is no reading matter for a model. */
export const MAX_RESOURCE_BYTES = 8_000_000;
