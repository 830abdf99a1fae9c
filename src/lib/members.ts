/** Members of one kind, each by its name. */
export const members = <Name extends string, Kind>(kind: Kind, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>; // one for each
