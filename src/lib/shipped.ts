/** Address of a file that the build writes into `dist/`, from the bundle as from the sources. */
export function shippedFile(path: string, from: string = import.meta.url): URL {
  return new URL(path, from.replace(/\/(?:src\/lib|dist(?:\/chunks)?)\/[^/]*$/, '/dist/'));
}
