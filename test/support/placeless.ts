/** A text without the directory of this run, which differs each time. */
export function placeless(text: string): string {
  return text.replace(/\/[^\s"]*\/local-[0-9a-f]{24}\/http-127-0-0-1-\d+-[0-9a-f]{24}/g, '<workspace>');
}
