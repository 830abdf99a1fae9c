import { listedTools } from './catalogue.ts';

// Run by the build, which puts the result into the bundle.
process.stdout.write(JSON.stringify(await listedTools()));
