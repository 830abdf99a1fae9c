import about from '../../package.json' with { type: 'json' };

/** Name, version and description are said once, in package.json. */
export const { name, version, description, license } = about;
