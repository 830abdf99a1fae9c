/** The word that stands for the fields of the tools over visits. */
export const PRESET = 'journeys';
