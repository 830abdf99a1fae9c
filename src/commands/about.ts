import about from '../../package.json' with { type: 'json' };

/** Said once, in package.json. */
export const { name, version, optionalDependencies } = about;
