/** Hosts of the Gemini API, which keep files for the account of a key. */
const host = 'generativelanguage.';

/**
 * The name of a file in Google's Files API, as `files/ID`, that an address leads to; undefined: an address elsewhere.
 * An unusual spelling counts as Google's, so that it cannot avoid a check of its owner.
 */
export function googleFileAt(address: string): string | undefined {
  const text = decoded(address.trim());
  if (/^[a-z][a-z\d+.-]*:/i.test(text) && !text.toLowerCase().includes(host)) return undefined;
  return /(?:^|[/\\])files[/\\]+([\w.-]{1,128})/i.exec(text)?.[1]?.replace(/^/, 'files/') ?? text.slice(0, 200);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
